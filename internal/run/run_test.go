package run

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/policy"
	"github.com/vadehq/vade/internal/sandbox"
	"github.com/vadehq/vade/internal/shell"
	"github.com/vadehq/vade/internal/vfs"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	os.Exit(m.Run())
}

// project creates a project that contains some files, and a Runner for it.
func project(t *testing.T, text string, change func(*Options)) (*Runner, string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{
		"a.txt": "one\ntwo\n", "sub/b.txt": "b\n", ".env": "TOKEN=secret\n", "esc": "\x1b]0;x\a\u009b\u202ey\r\nz\rw\xff", "-n": "dash\n",
		"run.sh": "echo ran \"$1\" \"$SECRET\" \"$LENT\"; echo x > made; cat /etc/hostname; cat < /dev/tcp/127.0.0.1/1\n",
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f, diags := policy.ParseFile("policy", definition.User, []byte(text))
	p, more := policy.Combine(f)
	for _, d := range append(diags, more...) {
		t.Fatalf("%v", d)
	}
	tree, err := vfs.Open(dir, vfs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"PATH": os.Getenv("PATH"), "SECRET": "secret", "LENT": "lent"}
	o := Options{
		Policy: p, Context: policy.DecisionContext{Mode: p.Shell, Approval: policy.ApprovalGiven, Roots: []string{dir}, Dir: dir},
		View:    vfs.NewView(vfs.ViewOptions{Trees: []*vfs.Tree{tree}, Dir: dir, Hidden: Hidden(p)}),
		Project: dir, Home: dir + "/home", Helper: self, Getenv: func(n string) string { return env[n] }, Now: time.Now,
	}
	if change != nil {
		change(&o)
	}
	return New(o), dir
}

func TestRun(t *testing.T) {
	r, _ := project(t, "version: 1\n", nil)
	for _, tt := range []struct {
		text, output string
		exit         int
		code         diag.Code
		reason       policy.Reason
	}{
		{text: "cat a.txt | wc -l", output: "2"},
		{text: "cd sub && cat b.txt && pwd | grep -o 'sub$'", output: "b\nsub"},
		{text: "cd sub && cat ../a.txt | head -1", output: "one"},
		{text: "cd nowhere || echo no", output: "cd: nowhere: No such file or directory\nno"},
		{text: "grep nothing a.txt", exit: 1},
		{text: "cat none", output: "cat: none: No such file or directory", exit: 1, code: diag.BashFailed},
		{text: "cat none 2>/dev/null || echo fallback", output: "fallback"},
		{text: "exit 3", exit: 3, code: diag.BashFailed},
		{text: "cat esc", output: "\ufffd]0;x\ufffd\ufffd\ufffdy\r\nz\ufffdw\ufffd"},
		{text: "echo *.txt", output: "a.txt"},
		{text: "wc -l < a.txt", output: "2"},
		{text: "wc -l < none || echo no", output: "sh: none: No such file or directory\nno"},
		{text: "find . -name '*.txt' | xargs cat | wc -l", output: "3"},
		{text: "for f in a.txt sub/b.txt; do head -1 $f; done", output: "one\nb"},
		{text: "x=$(head -1 a.txt); echo \"[$x]\"", output: "[one]"},
		{text: "test -f .env && echo there", output: "there"},
		{text: "grep -r secret . | wc -l", output: "0"},
		{text: "yes-such-a-program", code: diag.BashNotAllowed, reason: policy.ReasonCommand},
		{text: "find . | xargs cat", code: diag.BashNotAllowed, reason: policy.ReasonProtected},
		{text: "cat ./.e*", code: diag.BashNotAllowed, reason: policy.ReasonProtected},
		{text: "echo ../*", code: diag.BashNotAllowed, reason: policy.ReasonPath},
		{text: "cat ../*/x; echo hi", code: diag.BashNotAllowed, reason: policy.ReasonPath},
		{text: "echo nowhere/*", output: "nowhere/*"},
		{text: "echo */ */b.txt */none */b.txt/ sub/*/x", output: "sub/ sub/b.txt */none */b.txt/ sub/*/x"},
		{text: "cat $(echo ../x)", code: diag.BashNotAllowed, reason: policy.ReasonPath},
		{text: "cd $(echo sub)", code: diag.BashNotAllowed, reason: policy.ReasonOperand},
		{text: "sort $(echo -o made a.txt)", code: diag.BashNotAllowed, reason: policy.ReasonFlag},
	} {
		got := r.Run(t.Context(), tt.text, nil)
		code, reason := diag.Code(""), policy.Reason("")
		if f := got.Failure; f != nil {
			code, reason = f.Code, f.Reason
		}
		if code != tt.code || reason != tt.reason || got.Output != tt.output || got.Exit != tt.exit {
			t.Errorf("%q: %q, exit %d, %s %s (%+v); want %q, exit %d, %s %s", tt.text, got.Output, got.Exit, code, reason, got.Failure, tt.output, tt.exit, tt.code, tt.reason)
		}
		if got.Executed != (code != diag.BashNotAllowed) || got.Sandbox.Mode != "in-process" {
			t.Errorf("%q: executed %v, sandbox %v", tt.text, got.Executed, got.Sandbox)
		}
	}
}

// TestReaders checks that system programs run in the sandbox and can read only their operands.
func TestReaders(t *testing.T) {
	if !sandbox.Supported().Files {
		t.Skip("the sandbox is not available")
	}
	r, dir := project(t, "", nil)
	for name, target := range map[string]string{"link.txt": "a.txt", "key.txt": ".env", "out.txt": "/etc/hostname"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(filepath.Join(dir, ".env"), filepath.Join(dir, "hard.txt")); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		text, output string
		reason       policy.Reason
	}{
		{text: "sed -n '$p' a.txt", output: "two"},
		{text: "cat a.txt | sed s/one/1/ | cut -c1", output: "1\nt"},
		{text: "cd sub && sed p b.txt", output: "b\nb"},
		{text: "rev link.txt", output: "eno\nowt"},
		{text: "ls *.txt | head -1 | xargs sed 1d", output: "two"},
		{text: "stat -c %s a.txt sub/b.txt", output: "8\n2"},
		{text: "diff a.txt a.txt && echo same", output: "same"},
		{text: "sed p .env", reason: policy.ReasonProtected},
		{text: "sed p key.txt", reason: policy.ReasonProtected},
		{text: "cut -c1- ./.e*", reason: policy.ReasonProtected},
		{text: "find . -name .env | xargs tac", reason: policy.ReasonProtected},
		{text: "sed p hard.txt", reason: policy.ReasonPath},
		{text: "sed p out.txt", reason: policy.ReasonPath},
		{text: "stat -L -c %s out.txt", reason: policy.ReasonPath},
		{text: "readlink -f $(echo out.txt)", reason: policy.ReasonPath},
		{text: "sed p $(echo ../x)", reason: policy.ReasonPath},
		{text: "sed $(echo -i p a.txt)", reason: policy.ReasonFlag},
		{text: "sed 'w made' a.txt", reason: policy.ReasonOperand},
		{text: "sed $(echo 1r.env) a.txt", reason: policy.ReasonOperand},
		{text: "diff -r sub .", reason: policy.ReasonFlag},
		{text: "diff a.txt sub", reason: policy.ReasonOperand},
		{text: "diff sub .", reason: policy.ReasonOperand},
		{text: "sed p sub", reason: policy.ReasonOperand},
		{text: "cut -c1 .", reason: policy.ReasonOperand},
		{text: "sed p a.txt -n", output: "one\ntwo"},
	} {
		got := r.Run(t.Context(), tt.text, nil)
		var reason policy.Reason
		if got.Failure != nil {
			reason = got.Failure.Reason
		}
		if got.Output != tt.output || reason != tt.reason || tt.reason == "" && got.Sandbox.Mode != "enforced" {
			t.Errorf("%q: %q, %s, %+v", tt.text, got.Output, got.Sandbox.Mode, got.Failure)
		}
	}
}

// TestRunLimits checks that a command ends at its timeout and at its output limit, and that the
// result reports both.
func TestRunLimits(t *testing.T) {
	r, _ := project(t, "timeout: 1s\noutput: 1KiB\n", nil)
	for _, text := range []string{"sleep 60", "sleep 60 | cat", "cat a.txt; sleep 60", "for a in 1 2 3 4 5 6 7 8 9; do for b in 1 2 3 4 5 6 7 8 9; do sleep 0.1; done; done"} {
		start := time.Now()
		got := r.Run(t.Context(), text, nil)
		if got.Failure == nil || got.Failure.Code != diag.BashTimeout || !got.Executed {
			t.Errorf("%q: %+v", text, got.Failure)
		}
		if d := time.Since(start); d > 30*time.Second {
			t.Errorf("%q took %v", text, d)
		}
	}
	got := r.Run(t.Context(), "seq 1 1000000", nil)
	if !got.Truncated || len(got.Output) > 1024 || !strings.HasPrefix(got.Output, "1\n2\n") || got.Failure != nil {
		t.Errorf("output: %d bytes, truncated %v, %+v", len(got.Output), got.Truncated, got.Failure)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := r.Run(ctx, "cat a.txt", nil); got.Failure == nil {
		t.Error("a canceled command ran")
	}
}

func TestRunDry(t *testing.T) {
	r, _ := project(t, "version: 1\n", func(o *Options) { o.DryRun = true })
	got := r.Run(t.Context(), "cat a.txt", nil)
	if got.Executed || got.Output != "" || !got.Decision.Allow() || got.Failure != nil {
		t.Errorf("%+v", got)
	}
}

func TestRunWithoutHelper(t *testing.T) {
	r, _ := project(t, "version: 1\n", func(o *Options) { o.Helper = "" })
	got := r.Run(t.Context(), "go version", nil)
	if got.Failure == nil || got.Failure.Reason != policy.ReasonSandbox || got.Executed {
		t.Errorf("%+v, %+v", got, got.Failure)
	}
	if got := r.Run(t.Context(), "cat a.txt | wc -l", nil); got.Failure != nil || got.Output != "2" {
		t.Errorf("%+v", got)
	}
}

func requireSandbox(t *testing.T) {
	t.Helper()
	if w := sandbox.Supported(); !w.Files || !w.Network {
		t.Skipf("the sandbox is not available: %s", w.Reason)
	}
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("sh is not installed")
	}
}

// TestGrantedIsSandboxed checks what a granted command can and cannot do.
func TestGrantedIsSandboxed(t *testing.T) {
	requireSandbox(t)
	r, dir := project(t, "shell: granted\nallow:\n  - rule: Bash(sh run.sh:*)\n    env: [LENT]\n", nil)
	got := r.Run(t.Context(), "sh run.sh 'a b'", nil)
	if !strings.Contains(got.Output, "ran a b  lent") || got.Sandbox.Mode != "enforced" || strings.Contains(got.Output, "secret") {
		t.Errorf("%q, %+v, %+v", got.Output, got.Sandbox, got.Failure)
	}
	if _, err := os.Lstat(filepath.Join(dir, "made")); err == nil {
		t.Error("the command wrote a file")
	}
	if host, err := os.ReadFile("/etc/hostname"); err == nil && strings.Contains(got.Output, strings.TrimSpace(string(host))) {
		t.Error("the command read a file outside the project")
	}
	bound := []shell.Binding{{Span: diag.Span{Start: 10, End: 12}, Value: "-x", Argument: true}}
	if got := r.Run(t.Context(), "sh run.sh $1", bound); got.Failure == nil || got.Failure.Reason != policy.ReasonArgument {
		t.Errorf("an argument as an option: %+v", got.Failure)
	}
}

// TestGrantedOptions checks that a granted command's options come only from the author's text.
func TestGrantedOptions(t *testing.T) {
	requireSandbox(t)
	r, dir := project(t, "shell: granted\nallow: [Bash(sh run.sh:*)]\n", nil)
	if err := os.WriteFile(filepath.Join(dir, "opt"), []byte("--evil\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"sh run.sh $1", "x=$1; sh run.sh $x", "for x in $1; do sh run.sh $x; done", "sh run.sh $(cat opt)", "cat opt | xargs sh run.sh", "sh run.sh $(echo -n)$1"} {
		i := strings.Index(text, "$1")
		var bound []shell.Binding
		if i >= 0 {
			bound = []shell.Binding{{Span: diag.Span{Start: i, End: i + 2}, Value: "--evil", Argument: true}}
		}
		if got := r.Run(t.Context(), text, bound); got.Failure == nil || got.Failure.Reason != policy.ReasonArgument {
			t.Errorf("%q: %+v", text, got.Failure)
		}
	}
	for _, text := range []string{"sh run.sh --good", "sh run.sh $(cat a.txt)", "sh run.sh --good $(head -1 a.txt)"} {
		if got := r.Run(t.Context(), text, nil); got.Failure != nil && got.Failure.Reason != "" {
			t.Errorf("%q: %+v", text, got.Failure)
		}
	}
}

func TestGrantedMayWrite(t *testing.T) {
	requireSandbox(t)
	r, dir := project(t, "shell: granted\nallow:\n  - rule: Bash(sh run.sh:*)\n    write: [.]\n", nil)
	r.Run(t.Context(), "sh run.sh", nil)
	if _, err := os.Lstat(filepath.Join(dir, "made")); err != nil {
		t.Errorf("the command cannot write to a granted directory: %v", err)
	}
}

func TestRequire(t *testing.T) {
	r, _ := project(t, "sandbox: required\n", nil)
	got := r.Run(t.Context(), "go version", nil)
	w := sandbox.Supported()
	if all := w.Files && w.Network && w.Exec && w.Syscalls; all != (got.Failure == nil) {
		t.Errorf("isolation %+v: %+v", w, got.Failure)
	}
}

func TestRedactor(t *testing.T) {
	for in, want := range map[string]string{
		"origin\thttps://user:pw@example.org/x (fetch)\n":            "origin\thttps://***@example.org/x (fetch)\n",
		"a https://t@h/ b https://u:p@w@h:1/x\nssh://git@h/x":        "a https://***@h/ b https://***@h:1/x\nssh://git@h/x",
		"https://u:gh/ab@h.example/x https://h:80/a@b":               "https://***@h.example/x https://h:80/a@b",
		"https://example.org/a@b git@example.org:x/y":                "https://example.org/a@b git@example.org:x/y",
		strings.Repeat("x", maxAddressLine+10) + " https://u:p@h/\n": strings.Repeat("x", maxAddressLine+10) + " https://***@h/\n",
	} {
		for _, size := range []int{1, 7, len(in)} {
			var out strings.Builder
			hits := 0
			r := &redactor{to: &out, hit: func() { hits++ }}
			for rest := in; rest != ""; {
				n := min(size, len(rest))
				if _, err := r.Write([]byte(rest[:n])); err != nil {
					t.Fatal(err)
				}
				rest = rest[n:]
			}
			if err := r.flush(); err != nil {
				t.Fatal(err)
			}
			if out.String() != want || (hits > 0) != (in != want) {
				t.Errorf("in pieces of %d: %.90q, want %.90q", size, out.String(), want)
			}
		}
	}
}
