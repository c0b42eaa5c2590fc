package policy

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/internal/testenv"
)

func mustRule(t testing.TB, s string) Rule {
	t.Helper()
	r, err := ParseRule(s)
	if err != nil {
		t.Fatalf("ParseRule(%q): %v", s, err)
	}
	return r
}

// ruleArgv splits a command in a table; "_" in a word represents a space.
func ruleArgv(s string) []string {
	words := strings.Fields(s)
	for i := range words {
		words[i] = strings.ReplaceAll(words[i], "_", " ")
	}
	return words
}

func TestRuleMatch(t *testing.T) {
	tests := []struct {
		rule     string
		yes, not []string
	}{
		{"Bash(git status)", []string{"git status", "git  status"}, []string{"git", "git status -s", "git statu", "git_status", "GIT status", "/usr/bin/git status"}},
		{"Bash(git:*)", []string{"git", "git log", "git log --oneline"}, []string{"github", "gitk x", "./git log", "/usr/bin/git log", "git_log", "Git log", "timeout 5 git log", "env git log"}},
		{"Bash(git *)", []string{"git", "git log"}, []string{"github", "gitk"}},
		{"Bash(git log:*)", []string{"git log", "git log -1"}, []string{"git", "git logs", "git log_-1", "git -C x log"}},
		{"Bash(git config*)", []string{"git config", "git configs", "git config --list"}, []string{"git", "git confi", "git_config"}},
		{"Bash(npm * --silent)", []string{"npm test --silent", "npm run x --silent"}, []string{"npm --silent", "npm test", "npm test --silentx"}},
		{"Bash(npm * build:*)", []string{"npm run build", "npm run build --x"}, []string{"npm run builds", "npm run"}},
		{"Bash", []string{"git", "rm -rf x"}, []string{"./x", "/bin/ls", `a\b`}},
		{"Bash(*)", []string{"git"}, []string{"./x"}},
		{"Bash(*x)", []string{"ax", "a x"}, []string{"./x", "a"}},
		{"Bash(./scripts/build.sh:*)", []string{"./scripts/build.sh", "./scripts/build.sh all"}, []string{"scripts/build.sh", "./scripts/build.shx", "build.sh"}},
		{"Bash(./scr*)", nil, []string{"./scripts/x"}},
		{`Bash(git commit -m "two words")`, []string{"git commit -m two_words"}, []string{"git commit -m two words"}},
		{"Bash(npm run build)", nil, []string{"npm run_build"}},
		{"Bash(${ROOT}/x:*)", nil, []string{"${ROOT}/x"}},
		{"Read", nil, []string{"Read"}},
		{"Bash(a:b:*)", []string{"a:b", "a:b c"}, []string{"a"}},
	}
	for _, tt := range tests {
		r := mustRule(t, tt.rule)
		for _, c := range tt.yes {
			if !r.Match(ruleArgv(c)) {
				t.Errorf("%s does not match %q", tt.rule, c)
			}
		}
		for _, c := range tt.not {
			if r.Match(ruleArgv(c)) {
				t.Errorf("%s matches %q", tt.rule, c)
			}
		}
		if r.Match(nil) || r.Match([]string{""}) || r.Pattern != "" && r.Match([]string{strings.Join(r.words, wordSeparator)}) && len(r.words) > 1 {
			t.Errorf("%s matches an empty command", tt.rule)
		}
	}
	if (Rule{}).Match([]string{"x"}) || (Rule{}).Denies([]string{"x"}) {
		t.Error("the zero rule matches")
	}
}

func TestRuleErrors(t *testing.T) {
	tests := []struct {
		rule   string
		offset int
		fix    string
	}{
		{"", 0, ""},
		{"*", 0, "Bash"},
		{"bash", 0, "Bash"},
		{"BASH(git:*)", 0, "Bash(git:*)"},
		{"Bash(git:* x)", 8, ""},
		{"Bash(git", 4, "Bash(git)"},
		{"Bash(git) x", 9, ""},
		{"Bash()", 4, "Bash"},
		{"Bash(  )", 4, "Bash"},
		{"Bash(:*)", 5, "Bash"},
		{"Bash( *)", 5, "Bash"},
		{"Bash (git:*)", 0, ""},
		{"Bash(a && b)", 7, ""},
		{"Bash(a;b)", 6, ""},
		{`Bash(a\b)`, 6, ""},
		{`Bash(a "b)`, 7, ""},
		{`Bash(a "*")`, 8, ""},
		{"Bash(git\u200b:*)", 8, ""},
		{"Bash(git\nlog)", 8, ""},
		{"Ba,sh", 2, ""},
		{strings.Repeat("B", 3000), 0, ""},
	}
	for _, tt := range tests {
		_, err := ParseRule(tt.rule)
		var e *RuleError
		if !errors.As(err, &e) {
			t.Errorf("%q is a rule", tt.rule)
			continue
		}
		if e.Offset != tt.offset || e.Fix != tt.fix || e.Message == "" {
			t.Errorf("%q: offset %d, fix %q: %v", tt.rule, e.Offset, e.Fix, e)
		}
	}
}

func TestParseRules(t *testing.T) {
	tests := []struct {
		list  []string
		want  []string
		wrong int
	}{
		{nil, nil, 0},
		{[]string{"Read, Grep"}, []string{"Read", "Grep"}, 0},
		{[]string{"Read Bash(git add:*) Bash(ls)"}, []string{"Read", "Bash(git add:*)", "Bash(ls)"}, 0},
		{[]string{"Bash(a, b), Read", "Glob"}, []string{"Bash(a, b)", "Read", "Glob"}, 0},
		{[]string{"Bash (git:*)"}, nil, 1},
		{[]string{"Bash(git:*, Read"}, nil, 1},
		{[]string{"bash(x), Read"}, []string{"Read"}, 1},
		{[]string{"mcp__docs__search, Skill(x)"}, []string{"mcp__docs__search", "Skill(x)"}, 0},
		{[]string{strings.Repeat(" ", 1<<16)}, nil, 0},
	}
	for _, tt := range tests {
		rules, wrong := ParseRules(tt.list...)
		var got []string
		for _, r := range rules {
			got = append(got, r.String())
		}
		if !slices.Equal(got, tt.want) || len(wrong) != tt.wrong {
			t.Errorf("%.40q: %q, errors %v", tt.list, got, wrong)
		}
	}
}

func TestRuleDenies(t *testing.T) {
	tests := []struct {
		rule     string
		yes, not []string
	}{
		{
			"Bash(git push:*)",
			[]string{
				"git push", "git push origin", "/usr/bin/git push", "GIT push", "git.exe push", `C:\git\git.exe push`, "timeout 5 git push",
				"nice -n 5 git push", "env A=1 git push", "git -C x push", "git --no-pager -c a=b push", "sh -c git_push", "bash -c cd_x;_git_push",
				"git_push", "timeout 5 /usr/bin/git -C x push", "xargs -n1 git push", "sudo -u x timeout 5 git push",
			},
			[]string{"git", "git status", "git commit -m push", "git pushx", "gitpush", "echo git push"},
		},
		{"Bash(git push)", []string{"git push", "/bin/git push"}, []string{"git push origin"}},
		{"Bash(rm*)", []string{"rm x", "rmdir x", "/bin/rm x"}, []string{"ls rm"}},
		{"Bash(${ROOT}/x.sh:*)", []string{"/any/x.sh", "/any/x.sh a"}, []string{"/any/y.sh"}},
		{"Bash", []string{"x", "./x"}, nil},
		{"Read", nil, []string{"Read"}},
	}
	for _, tt := range tests {
		r := mustRule(t, tt.rule)
		for _, c := range tt.yes {
			if !r.Denies(ruleArgv(c)) {
				t.Errorf("%s does not deny %q", tt.rule, c)
			}
		}
		for _, c := range tt.not {
			if r.Denies(ruleArgv(c)) {
				t.Errorf("%s denies %q", tt.rule, c)
			}
		}
	}
}

func TestRuleExpand(t *testing.T) {
	value := func(name string) (string, bool) {
		v, ok := map[string]string{"ROOT": "/opt/my tools", "STAR": "a*", "NEST": "${ROOT}"}[name]
		return v, ok
	}
	r, ok := mustRule(t, "Bash(python3 ${ROOT}/a.py:*)").Expand(value)
	if !ok || !r.Match([]string{"python3", "/opt/my tools/a.py", "x"}) || r.Match([]string{"python3", "/opt/my", "tools/a.py"}) {
		t.Errorf("expanded to %q", r.words)
	}
	if r, ok := mustRule(t, "Bash(${ROOT}/a.sh)").Expand(value); !ok || !r.Match([]string{"/opt/my tools/a.sh"}) {
		t.Errorf("expanded to %q", r.words)
	}
	for _, s := range []string{"Bash(${NONE}/x)", "Bash(${STAR})", "Bash(${NEST})", "Bash(${ROOT)"} {
		if r, ok := mustRule(t, s).Expand(value); ok || r.Match([]string{"/x"}) {
			t.Errorf("%s expands to %q", s, r.words)
		}
	}
	if r, ok := mustRule(t, "Bash(git:*)").Expand(value); !ok || !r.Match([]string{"git"}) {
		t.Error("a rule without variables changes")
	}
}

func TestNarrowed(t *testing.T) {
	tests := []struct {
		tools, argv string
		want        bool
	}{
		{"", "npm test", false},
		{"Read, Grep", "npm test", false},
		{"Bash", "./x", false},
		{"Read, Bash(npm test)", "npm test", false},
		{"Read, Bash(npm test)", "npm run x", true},
		{"Bash(git:*), Bash(npm:*)", "npm run x", false},
		{"Bash(${X}/a:*)", "/x/a", true},
	}
	for _, tt := range tests {
		rules, _ := ParseRules(tt.tools)
		if got := Narrowed(rules, ruleArgv(tt.argv)); got != tt.want {
			t.Errorf("%q, %q: %v", tt.tools, tt.argv, got)
		}
	}
}

// TestMatchIsDenied checks that a deny rule denies everything that the same rule would allow as an
// allow rule.
func TestMatchIsDenied(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"git", "log", "-x", "./a", "a b", "*", "push", "timeout", ""})
		argv := rapid.SliceOfN(word, 1, 5).Draw(t, "argv")
		rule := rapid.SampledFrom([]string{"Bash", "Bash(git:*)", "Bash(git log*)", "Bash(git * push)", "Bash(./a:*)", "Bash(git log)"}).Draw(t, "rule")
		r, err := ParseRule(rule)
		if err != nil {
			t.Fatal(err)
		}
		if r.Match(argv) && !r.Denies(argv) {
			t.Fatalf("%s allows %q but does not deny it", rule, argv)
		}
		if r.Match(argv) && strings.Contains(argv[0], "/") && r.words[0] != argv[0] {
			t.Fatalf("%s allows the path %q", rule, argv[0])
		}
	})
}

func FuzzParseRule(f *testing.F) {
	for _, s := range []string{"Bash(git:*)", "Bash", "*", "bash(x)", "Bash(a 'b c' *)", "Bash(", "Read(./x)", "Bash(git:* x)", "Bash(${A}/b:*)", "Bash\u202e"} {
		f.Add(s, "git log")
	}
	f.Fuzz(func(t *testing.T, s, command string) {
		argv := strings.Fields(command)
		r, err := ParseRule(s)
		if err != nil {
			var e *RuleError
			if !errors.As(err, &e) || e.Offset < 0 || e.Offset > len(s) || e.Message == "" {
				t.Fatalf("%q: %#v", s, err)
			}
			if e.Fix != "" {
				if _, err := ParseRule(e.Fix); err == nil && !strings.HasPrefix(e.Fix, bashTool) && e.Fix != s+")" && !strings.HasPrefix(s, e.Fix+"(") {
					t.Fatalf("%q: fix %q", s, e.Fix)
				}
			}
			return
		}
		if r.Match(argv) && !r.Denies(argv) {
			t.Fatalf("%q allows %q but does not deny it", s, argv)
		}
		if r.Match(argv) && !r.IsBash() {
			t.Fatalf("%q matches commands", s)
		}
		ParseRules(s, command)
	})
}

func BenchmarkRuleMatch(b *testing.B) {
	r := mustRule(b, "Bash(git log:*)")
	argv := []string{"git", "log", "--oneline", "-5"}
	b.ReportAllocs()
	for b.Loop() {
		if !r.Match(argv) {
			b.Fatal("no match")
		}
	}
}
