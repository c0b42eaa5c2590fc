package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestInterpreter(t *testing.T) {
	for _, c := range []struct{ head, path, named string }{
		{"#!/bin/sh\nexit", "/bin/sh", ""},
		{"#! /bin/sh -e\n", "/bin/sh", ""},
		{"#!/usr/bin/env node\n", "/usr/bin/env", "node"},
		{"#!/usr/bin/env -S A=1 node --x\n", "/usr/bin/env", "node"},
		{"#!/usr/bin/env", "/usr/bin/env", ""},
		{"#!sh\n", "", ""},
		{"#!\n", "", ""},
		{"no script", "", ""},
		{"", "", ""},
	} {
		if path, named := interpreter([]byte(c.head)); path != c.path || named != c.named {
			t.Errorf("%q: %q, %q", c.head, path, named)
		}
	}
}

func TestNeeds(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	writeFile(t, a, "#!"+b+"\n")
	writeFile(t, b, "#!"+a+"\n")
	if _, runs := needsOf(a); !slices.Equal(runs, []string{a, b}) {
		t.Errorf("scripts that name each other run %q", runs)
	}
	script := writeFile(t, filepath.Join(dir, "bin", "tool"), "#!/usr/bin/env sh\n")
	reads, runs := needsOf(script)
	if !slices.Contains(runs, "/usr/bin/env") || !slices.ContainsFunc(runs, func(p string) bool { return strings.HasSuffix(p, "sh") }) {
		t.Errorf("runs %q", runs)
	}
	if !slices.Contains(reads, filepath.Join(dir, "lib")) {
		t.Errorf("reads %q", reads)
	}
	requireSandbox(t)
	s := specFor(t, dir)
	s.Path, s.Args = script, []string{"tool"}
	s.Env = []string{"PATH=/usr/bin:/bin"}
	writeFile(t, script, "#!/usr/bin/env sh\necho hello from a script\n")
	if _, out, err := run(t, s); err != nil || out != "hello from a script\n" {
		t.Errorf("%v, printed %q", err, out)
	}
}

func FuzzInterpreter(f *testing.F) {
	f.Add([]byte("#!/usr/bin/env x\n"))
	f.Fuzz(func(t *testing.T, head []byte) {
		if p, _ := interpreter(head); p != "" && !filepath.IsAbs(p) {
			t.Errorf("interpreter %q", p)
		}
	})
}

func TestElfLoader(t *testing.T) {
	head, err := readHead("/bin/sh")
	if err != nil || !strings.HasPrefix(string(head), "\x7fELF\x02") {
		t.Skip("this system's shell is not a 64-bit ELF file")
	}
	if p := elfLoader("/bin/sh"); p != "" {
		if _, err := os.Stat(p); err != nil {
			t.Error(err)
		}
	}
}
