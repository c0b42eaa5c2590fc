//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/jsonc"
	"github.com/vadehq/vade/internal/worker/fakeagent"
)

var update = flag.Bool("update", false, "write what the commands print into the scripts' golden files")

func TestMain(m *testing.M) {
	// The program under test re-executes itself to set up sandboxes.
	catalog.SandboxMain()
	if os.Getenv("VADE_TEST_QUIETLY") != "" {
		os.Unsetenv("VADE_TEST_QUIETLY")
		quietly()
	}
	testscript.Main(tests{m}, map[string]func(){"vade": main, "fake-agent": fakeagent.Main})
}

// tests runs all tests and then removes the binaries built for them.
type tests struct{ *testing.M }

// Run implements [testscript.TestingM].
func (t tests) Run() int {
	code := t.M.Run()
	if builtDir != "" {
		os.RemoveAll(builtDir)
	}
	return code
}

// TestScripts runs user stories, each in an empty home directory.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			for name, dir := range map[string]string{"HOME": "home", "USERPROFILE": "home", "VADE_MANAGED_DIR": "managed"} {
				path := filepath.Join(env.WorkDir, dir)
				if err := os.MkdirAll(path, 0o755); err != nil {
					return err
				}
				env.Setenv(name, path)
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"json": jsonCommand, "jsonenv": jsonEnvCommand, "mkfifo": fifoCommand, "hardlink": hardLinkCommand, "fill": fillCommand, "bytes": bytesCommand,
			"code": codeCommand, "serve": serveFilesCommand,
		},
	})
}

// jsonCommand checks a value in the JSON of the last stdout: "json .command.name load-security".
// Without a value, it checks that the path exists.
func jsonCommand(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: json .path[0].to.value [value]")
	}
	var doc any
	if err := json.Unmarshal([]byte(ts.ReadFile("stdout")), &doc); err != nil {
		ts.Fatalf("standard output is not JSON: %v", err)
	}
	got, ok := lookup(doc, args[0])
	if len(args) == 1 {
		if ok == neg {
			ts.Fatalf("%s: present is %v", args[0], ok)
		}
		return
	}
	text := render(got)
	if !ok {
		text = "(absent)"
	}
	if want := strings.ReplaceAll(args[1], `\n`, "\n"); (text == want) == neg {
		ts.Fatalf("%s is %q, want %q (negated: %v)", args[0], text, want, neg)
	}
}

// jsonEnvCommand sets a variable to a value from the JSON output: "jsonenv NAME .path".
func jsonEnvCommand(ts *testscript.TestScript, neg bool, args []string) {
	var doc any
	if neg || len(args) != 2 {
		ts.Fatalf("usage: jsonenv NAME .path[0].to.value")
	}
	if err := json.Unmarshal([]byte(ts.ReadFile("stdout")), &doc); err != nil {
		ts.Fatalf("standard output is not JSON: %v", err)
	}
	got, ok := lookup(doc, args[1])
	if !ok {
		ts.Fatalf("%s is absent", args[1])
	}
	ts.Setenv(args[0], render(got))
}

// codeCommand runs a program and checks its exit code: "code 3 vade shell x".
func codeCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N program args...")
	}
	got := 0
	var exit *exec.ExitError
	switch err := ts.Exec(args[1], args[2:]...); {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if want, err := strconv.Atoi(args[0]); err != nil || got != want {
		ts.Fatalf("exit code %d, want %s", got, args[0])
	}
}

// lookup follows a path such as .skills[0].name. The path .x.length refers to the length of x, and
// [key=value] selects the first object in an array that has this member.
func lookup(v any, path string) (any, bool) {
	for path != "" {
		var step string
		if rest, ok := strings.CutPrefix(path, "["); ok {
			step, path, _ = strings.Cut(rest, "]")
		} else {
			path = strings.TrimPrefix(path, ".")
			end := strings.IndexAny(path+".", ".[")
			step, path = path[:end], path[end:]
		}
		switch x := v.(type) {
		case map[string]any:
			next, ok := x[step]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			item, ok := pick(x, step)
			if !ok {
				return nil, false
			}
			v = item
		default:
			return nil, false
		}
	}
	return v, true
}

func pick(list []any, step string) (any, bool) {
	if step == "length" {
		return float64(len(list)), true
	}
	if key, value, ok := strings.Cut(step, "="); ok {
		for _, item := range list {
			if m, isMap := item.(map[string]any); isMap && render(m[key]) == value {
				return item, true
			}
		}
		return nil, false
	}
	n, err := strconv.Atoi(step)
	if err != nil || n >= len(list) {
		return nil, false
	}
	return list[n], true
}

func render(v any) string {
	switch x := v.(type) {
	case string:
		return x
	case []any, map[string]any:
		data, err := jsonc.Marshal(x, "")
		if err != nil {
			return err.Error()
		}
		return string(data)
	}
	return fmt.Sprint(v)
}

// fifoCommand creates a named pipe.
func fifoCommand(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(syscall.Mkfifo(ts.MkAbs(args[0]), 0o644))
}

func hardLinkCommand(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.Link(ts.MkAbs(args[0]), ts.MkAbs(args[1])))
}

// fillCommand appends a given number of bytes of text to a file.
func fillCommand(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	ts.Check(err)
	_, err = f.WriteString(strings.Repeat("lorem ipsum dolor\n", n/18+1)[:n])
	ts.Check(err)
	ts.Check(f.Close())
}

// bytesCommand writes a file from a Go string literal, for bytes that a script cannot contain.
func bytesCommand(ts *testscript.TestScript, _ bool, args []string) {
	text, err := strconv.Unquote(`"` + strings.ReplaceAll(args[1], `"`, `\"`) + `"`)
	ts.Check(err)
	ts.Check(os.MkdirAll(filepath.Dir(ts.MkAbs(args[0])), 0o755))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o644))
}
