package policy

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/coreutils"
	"github.com/vadehq/vade/internal/shell"

	"github.com/vadehq/vade/internal/testenv"
)

// room returns a context for a project definition's commands.
func room(mode Mode) DecisionContext {
	return DecisionContext{Mode: mode, Name: "/x", Roots: []string{"/p", "/plugin"}, Dir: "/p/sub"}
}

func withFile(t testing.TB, text string) *Policy {
	t.Helper()
	f, diags := ParseFile("policy.yaml", definition.User, []byte(text))
	p, more := Combine(f)
	for _, d := range append(diags, more...) {
		t.Fatalf("%v", d)
	}
	return p
}

func TestDecide(t *testing.T) {
	p, _ := Combine()
	for _, tt := range []struct {
		text string
		want Reason // "" if allowed
		at   string // the refused part of the text
	}{
		{"git status", "", ""},
		{"git status --short | head -5", "", ""},
		{"cat a.txt 2>/dev/null || echo none", "", ""},
		{"cat ../top.txt", "", ""},
		{"cat /plugin/x", "", ""},
		{"cd /p && cat sub/a", "", ""},
		{"cd .. && cat ../x", ReasonPath, "../x"},
		{"cd ../..", ReasonPath, "../.."},
		{"cd $(pwd)", ReasonOperand, "cd"},
		{"git log $(git describe --tags)..HEAD --oneline", "", ""},
		{"f=$(ls | head -1); wc -l \"$f\"", "", ""},
		{"for f in *.md; do wc -l $f; done", "", ""},
		{"if [ -f a ]; then cat a; else echo no; fi", "", ""},
		{"wc -l < a.txt", "", ""},
		{"wc -l < ../../x", ReasonPath, "wc -l"},
		{"wc -l < .env", ReasonProtected, "wc -l"},
		{"test -f .env && echo yes", "", ""},
		{"ls -la .env* .git/", "", ""},
		{"cat .env", ReasonProtected, ".env"},
		{"cat .ENV", ReasonProtected, ".ENV"},
		{"grep -r x .git/config", ReasonProtected, ".git/config"},
		{"cat a.txt; rm a.txt", ReasonCommand, "rm"},
		{"rm", ReasonCommand, "rm"},
		{"cat a > b", ReasonRedirect, "> b"},
		{"cat a &", ReasonConstruct, "cat a &"},
		{"echo $HOME", ReasonVariable, "$HOME"},
		{"echo ${x:-y}", ReasonConstruct, "${x:-y}"},
		{"$x a", ReasonVariable, "$x"},
		{"x=ls; $x", ReasonCommand, "$x"},
		{"l's' a", "", ""},
		{"*", ReasonCommand, "*"},
		{"find . -delete", ReasonFlag, "-delete"},
		{"find . -name '*.md' | xargs grep -l x", "", ""},
		{"ls *.txt | xargs -n1 basename", "", ""},
		{"find . | xargs rm", ReasonCommand, "xargs"},
		{"sort -o x a", ReasonFlag, "-o"},
		{"git push", ReasonCommand, "push"},
		{"git diff --output=x", ReasonFlag, "--output=x"},
		{"git -c a=b status", ReasonFlag, "-c"},
		{"eval ls", ReasonCommand, "eval"},
		{"source a", ReasonCommand, "source"},
		{"exec ls", ReasonCommand, "exec"},
		{"./git status", ReasonCommand, "./git"},
		{"/bin/cat a", ReasonCommand, "/bin/cat"},
		{"npm test", ReasonCommand, "npm"},
		{"npm --version", "", ""},
		{"set -e; ls", "", ""},
		{"set -x", ReasonFlag, "-x"},
		{"exit 1", "", ""},
		{"exit x", ReasonOperand, "x"},
		{"", ReasonSyntax, ""},
		{"# only a comment", ReasonSyntax, "# only a comment"},
		{"ls 'a", ReasonSyntax, ""},
		{"ls\x00", ReasonText, ""},
		{"ls\u202e", ReasonText, ""},
		{"ls\u00a0-la", ReasonText, ""},
		{"ls\u200b", ReasonText, ""},
		{"ls\r\nrm x", ReasonText, ""},
		{"ls \xff", ReasonText, ""},
		{"echo \"⚠️ ✓ é 日本\"", "", ""},
		{strings.Repeat("a", shell.MaxScript+1), ReasonText, ""},
		{"cat $(rm x)", ReasonCommand, "rm"},
		{"grep --exclude-dir=x $y", ReasonVariable, "$y"},
		{"ls --zero-config $(pwd)", ReasonFlag, "--zero-config"},
	} {
		_, d := p.Decide(tt.text, nil, room(Readonly))
		got := Reason("")
		if d.Refusal != nil {
			got = d.Refusal.Reason
		}
		if got != tt.want {
			t.Errorf("%q: %q (%v), want %q", tt.text, got, d.Refusal, tt.want)
			continue
		}
		if tt.at != "" && tt.text[d.Span.Start:d.Span.End] != tt.at {
			t.Errorf("%q: refused %q, want %q", tt.text, tt.text[d.Span.Start:d.Span.End], tt.at)
		}
	}
}

func TestDecideMissing(t *testing.T) {
	p, _ := Combine()
	s := room(Readonly)
	s.Missing = func(name string) bool { return name != "there" }
	for _, tt := range []struct {
		text string
		want Reason
	}{
		{"nosuchtool --version 2>/dev/null || echo none", ""},
		{"nosuchtool $(pwd)", ""},
		{"nosuchtool > x", ReasonRedirect},
		{"there x", ReasonCommand},
		{"./nosuchtool", ReasonCommand},
		{"eval x", ReasonCommand},
		{"source x", ReasonCommand},
		{"bun test", ReasonCommand},
		{"kubectl get pods", ReasonCommand},
		{"rm x", ReasonCommand},
		{"nosuchtool; rm x", ReasonCommand},
	} {
		_, d := p.Decide(tt.text, nil, s)
		got := Reason("")
		if d.Refusal != nil {
			got = d.Refusal.Reason
		}
		if got != tt.want {
			t.Errorf("%q: %q (%v), want %q", tt.text, got, d.Refusal, tt.want)
		}
	}
}

func TestDecideListings(t *testing.T) {
	p, _ := Combine()
	for text, want := range map[string]Reason{
		"npm list -g --depth=0": "", "npm ls -g --depth 0": "", "npm list -g react": "", "pip list": "",
		"npm list": ReasonCommand, "npm pkg get version": ReasonCommand, "npm root": ReasonCommand, "pip show x": "", "go env GOOS": "",
		"npm list -g --prefix=/x": ReasonFlag, "npm list -g --depth=/x": ReasonFlag, "npm root -g x": ReasonOperand, "npm list -g ../x": ReasonOperand, "npm pkg set a=b": ReasonCommand,
		"pip list --outdated": ReasonFlag, "pip list -o": ReasonFlag, "pip install x": ReasonCommand, "go env -w A=b": ReasonFlag, "npm run x": ReasonCommand,
	} {
		_, d := p.Decide(text, nil, room(Readonly))
		got := Reason("")
		if d.Refusal != nil {
			got = d.Refusal.Reason
		}
		if got != want {
			t.Errorf("%q: %q (%v), want %q", text, got, d.Refusal, want)
		}
	}
}

const granting = "shell: granted\nallow:\n  - Bash(npm test)\n  - Bash(gh pr view:*)\n  - Bash(bash ${CLAUDE_PLUGIN_ROOT}/run.sh:*)\ndeny:\n  - Bash(date:*)\n"

func TestDecideGrants(t *testing.T) {
	p := withFile(t, granting)
	with := func(approval Approval, allowed, disallowed string) DecisionContext {
		s := room(Granted)
		s.Approval = approval
		s.Allowed, _ = ParseRules(allowed)
		s.Disallowed, _ = ParseRules(disallowed)
		s.Expand = func(name string) (string, bool) { return "/plugin", name == "CLAUDE_PLUGIN_ROOT" }
		return s
	}
	given := with(ApprovalGiven, "", "")
	readonly := given
	readonly.Mode = Readonly
	off := given
	off.Mode = Off
	for _, tt := range []struct {
		text string
		s    DecisionContext
		want Reason
	}{
		{"npm test", given, ""},
		{"npm test -- --x", given, ReasonCommand},
		{"npm test", with(ApprovalNone, "", ""), ReasonTrust},
		{"npm test", with(ApprovalChanged, "", ""), ReasonChanged},
		{"npm test", readonly, ReasonCommand},
		{"npm test", off, ReasonOff},
		{"ls", off, ReasonOff},
		{"ls", with(ApprovalNone, "", ""), ""},
		{"npm test | head -3", given, ""},
		{"npm test; npm publish", given, ReasonCommand},
		{"npm test > out", given, ReasonRedirect},
		{"gh pr view 1", given, ""},
		{"gh pr view $(git branch --show-current)", given, ""},
		{"gh pr close 1", given, ReasonCommand},
		{"bash /plugin/run.sh a", given, ""},
		{"bash /plugin/other.sh", given, ReasonCommand},
		{"date", given, ReasonDenied},
		{"echo $(date +%Y)", given, ReasonDenied},
		{"npm test", with(ApprovalGiven, "Bash(npm test)", ""), ""},
		{"npm test", with(ApprovalGiven, "Bash(gh:*)", ""), ReasonNarrowed},
		{"npm test", with(ApprovalGiven, "Read, Grep", ""), ""},
		{"npm test", with(ApprovalGiven, "", "Bash(npm:*)"), ReasonNarrowed},
		{"ls", with(ApprovalGiven, "", "Bash(ls:*)"), ReasonNarrowed},
		// A definition's own rules are not grants.
		{"rm x", with(ApprovalGiven, "Bash", ""), ReasonCommand},
		{"rm x", with(ApprovalGiven, "Bash(rm:*)", ""), ReasonCommand},
	} {
		_, d := p.Decide(tt.text, nil, tt.s)
		got := Reason("")
		if d.Refusal != nil {
			got = d.Refusal.Reason
		}
		if got != tt.want {
			t.Errorf("%q: %q (%v), want %q", tt.text, got, d.Refusal, tt.want)
		}
	}
}

func TestDecideArguments(t *testing.T) {
	p := withFile(t, granting)
	s := room(Granted)
	s.Approval = ApprovalGiven
	for _, tt := range []struct {
		text, value string
		want        Reason
	}{
		{"gh pr view $1", "12", ""},
		{"gh pr view $1", "--web", ReasonArgument},
		{"gh pr view x$1", "--web", ""},
		{"$1 a", "ls", ReasonCommand},
		{"cat $1", "/etc/passwd", ReasonPath},
		{"cat $1", "../../x", ReasonPath},
		{"cat $1", ".env", ReasonProtected},
		{"git log $1", "--output=/tmp/x", ReasonFlag},
		{"git log $1", "main", ""},
		{"find . $1", "-delete", ReasonFlag},
		{"echo $1", "$(rm x); `rm x` > y", ""},
	} {
		i := strings.Index(tt.text, "$1")
		binding := shell.Binding{Span: diag.Span{Start: i, End: i + 2}, Value: tt.value, Argument: true}
		_, d := p.Decide(tt.text, []shell.Binding{binding}, s)
		got := Reason("")
		if d.Refusal != nil {
			got = d.Refusal.Reason
		}
		if got != tt.want {
			t.Errorf("%q with %q: %q (%v), want %q", tt.text, tt.value, got, d.Refusal, tt.want)
		}
	}
}

// TestAllowedToolsNeverWiden checks that a definition's own lists only restrict.
func TestAllowedToolsNeverWiden(t *testing.T) {
	p := withFile(t, granting)
	testenv.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{"npm test", "rm x", "ls", "git status", "gh pr view 1", "bash x", "date", "ls; rm x", "cat /etc/passwd"}).Draw(t, "text")
		rules := rapid.SliceOf(rapid.SampledFrom([]string{"Bash", "Bash(*)", "Bash(rm:*)", "Bash(npm test)", "Bash(ls)", "Bash(bash:*)", "Read", "Bash(cat:*)", "Bash(date)"}))
		s := room(Granted)
		s.Approval = ApprovalGiven
		_, without := p.Decide(text, nil, s)
		s.Allowed, _ = ParseRules(rules.Draw(t, "allowed")...)
		s.Disallowed, _ = ParseRules(rules.Draw(t, "disallowed")...)
		if _, with := p.Decide(text, nil, s); with.Allow() && !without.Allow() {
			t.Fatalf("%q is allowed with %v only", text, s.Allowed)
		}
	})
}

// withinTables returns what is wrong with an allowed command, or "".
func withinTables(p *Policy, j Judged, s DecisionContext) string {
	if len(j.Argv) == 0 {
		return ""
	}
	name := j.Argv[0]
	_, own := coreutils.Lookup(name)
	keyword := slices.Contains([]string{"cd", "exit", "set", "break", "continue"}, name)
	if !j.Known {
		if !own && name != "git" && !keyword {
			return "an unknown command with open words"
		}
		return ""
	}
	v := j.Verdict
	switch {
	case v == nil:
		return "no verdict"
	case v.Prepared != nil:
		if !own {
			return "a command of ours that there is none of"
		}
		for _, path := range v.Prepared.Paths {
			if r := p.judgePath(path.Name, s, showsOnlyMetadata(name, v.Prepared)); r != nil && !strings.HasPrefix(path.Name, "/") == (s.Dir != "") {
				return "the path " + path.Name
			}
		}
	case v.Call != nil:
		for _, path := range v.Call.Paths {
			if r := p.judgePath(path, s, v.Call.Access != coreutils.AccessFiles); r != nil && !strings.HasPrefix(path, "/") == (s.Dir != "") {
				return "the path " + path
			}
		}
		if name != "git" && len(v.Argv) != 2 && !own {
			return "a program with more than a question for its version"
		}
		for _, word := range v.Argv {
			for _, bad := range []string{"--output", "--ext-diff", "--textconv", "--upload-pack", "--exec", "--no-index", "--open-files-in-pager", "--git-dir", "--work-tree"} {
				if strings.HasPrefix(word, bad) && name == "git" && word != "--exec-path" && !slices.Contains(j.Argv, "--") && word != "--git-dir" {
					return "the flag " + word
				}
			}
		}
	case v.Grant != nil:
		return "a grant without a policy"
	case !keyword:
		return "nothing runs it"
	}
	return ""
}

func FuzzDecide(f *testing.F) {
	for _, seed := range []string{
		"git status --short | head -5", "cat a 2>/dev/null || echo none", "for f in *.md; do wc -l $f; done", "find . -name x -o -name y | xargs grep -l z",
		"git log $(git describe)..HEAD", "x=$(ls); echo \"$x\"", "cat ../../x", "sed -n 's/a/b/p' x", "jq -r .a package.json", "cd a && ls ..", "node --version", "ls; rm x",
		"echo a > b", "${x@P}", "[ -f a ] && cat a", "date -d yesterday +%F", "git diff --output=x", "sort -k2,2 -n a | uniq -c",
	} {
		f.Add(seed)
	}
	p, _ := Combine()
	f.Fuzz(func(t *testing.T, text string) {
		s := room(Readonly)
		script, d := p.Decide(text, nil, s)
		if d.Span.Start < 0 || d.Span.Start > d.Span.End || d.Span.End > len(text)+1 {
			t.Fatalf("%q: span %v", text, d.Span)
		}
		if !d.Allow() {
			return
		}
		if len(script.Unsupported) > 0 || len(script.Variables) > 0 || len(d.Commands) == 0 {
			t.Fatalf("%q is allowed: %+v", text, script)
		}
		moved := slices.ContainsFunc(d.Commands, func(j Judged) bool { return len(j.Argv) > 0 && j.Argv[0] == "cd" })
		for _, j := range d.Commands {
			if j.Refusal != nil {
				t.Fatalf("%q is allowed with a refusal: %v", text, j.Refusal)
			}
			if wrong := withinTables(p, j, s); wrong != "" && !moved {
				t.Fatalf("%q is allowed: %s in %q", text, wrong, j.Argv)
			}
		}
	})
}

func BenchmarkDecide(b *testing.B) {
	p, _ := Combine()
	b.ReportAllocs()
	for b.Loop() {
		p.Decide("git status --short | head -5 || echo none", nil, room(Readonly))
	}
}
