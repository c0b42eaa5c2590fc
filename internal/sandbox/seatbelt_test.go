//go:build unix

package sandbox

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update-seatbelt", false, "rewrite the golden profile")

// TestSeatbeltProfile checks the sandbox-exec arguments against testdata/seatbelt.golden. It also
// runs on systems other than macOS.
func TestSeatbeltProfile(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	// This path would end a string in the profile and add a rule.
	odd := filepath.Join(dir, `a b")(allow default)"`)
	for _, sub := range []string{"bin", "real", odd[len(dir)+1:]} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "bin", "tool"), []byte("#!"+filepath.Join(dir, "missing")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	args, err := seatbeltArgs(&Spec{
		Path: filepath.Join(dir, "bin", "tool"), Args: []string{"tool", "-Dx=y", "--"}, Network: true,
		Read: []string{odd, filepath.Join(dir, "link", ".")}, Write: []string{filepath.Join(dir, "link")},
	})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(args[2], "allow default") || strings.Contains(args[2], dir) {
		t.Error("a path is part of the profile")
	}
	got := strings.ReplaceAll(strings.Join(args, "\n"), dir, "DIR") + "\n"
	const golden = "testdata/seatbelt.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestSeatbeltGrantsNothingElse checks that writes and connections fail unless they are granted.
func TestSeatbeltGrantsNothingElse(t *testing.T) {
	args, err := seatbeltArgs(&Spec{Path: "/bin/sh", Args: []string{"sh"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range []string{"(allow file-write*", "network", "system-socket", "WRITE"} {
		if strings.Contains(args[2], rule) {
			t.Errorf("the profile contains %s", rule)
		}
	}
	if depth := strings.Count(args[2], "(") - strings.Count(args[2], ")"); depth != 0 {
		t.Errorf("%d unclosed parentheses", depth)
	}
	if !slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "-DEXEC0=/") }) {
		t.Errorf("the program cannot be executed: %q", args[3:])
	}
}

func TestSeatbeltMissingPath(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	_, err := seatbeltArgs(&Spec{Path: "/bin/sh", Args: []string{"sh"}, Read: []string{missing}})
	if step, ok := errors.AsType[*Error](err); !ok || step.Op != "allow" || step.Path != missing {
		t.Error(err)
	}
}
