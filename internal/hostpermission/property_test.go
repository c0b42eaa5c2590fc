package hostpermission

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/internal/testenv"
)

// texts generates command lines from plain words, some nested in other syntax.
func texts() *rapid.Generator[string] {
	word := rapid.SampledFrom([]string{
		"ls", "cat", "touch", "rm", "git", "status", "echo", "make", "x", "../y", "/etc/z", "-n", "'a b'", `"c"`, "*", "cd",
		"timeout", "5", "X=1", "> out", "2>&1", "find", "-exec", "sed", "-i", "grep",
	})
	join := rapid.SampledFrom([]string{" ", " ", " ", "; ", " && ", " | ", "\n", " $x ", " $(y) ", " 'open "})
	return rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		for range rapid.IntRange(1, 8).Draw(t, "n") {
			b.WriteString(word.Draw(t, "word") + join.Draw(t, "join"))
		}
		return b.String()
	})
}

func modes() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{"", "acceptEdits", "bypassPermissions", "dontAsk", "plan"})
}

func rules() *rapid.Generator[[]string] {
	return rapid.SliceOfN(rapid.SampledFrom([]string{
		"Bash(ls:*)", "Bash(git *)", "Bash(make)", "Bash(touch x)", "Bash(*x*)", "Bash(rm:*)", "Read", "nonsense(",
	}), 0, 3)
}

func TestRuleForAllRunsEverything(t *testing.T) {
	p := permission(t, newest)
	testenv.Check(t, func(t *rapid.T) {
		c := Command{Text: texts().Draw(t, "text"), Dir: "/w/proj", Mode: modes().Draw(t, "mode")}
		c.Allowed = []string{rapid.SampledFrom([]string{"Bash", "Bash(*)", "Read, Bash(*)"}).Draw(t, "rule")}
		if got := Check(p, c); got != "" {
			t.Errorf("%q: %q", c.Text, got)
		}
	})
}

func TestDenialRefuses(t *testing.T) {
	p := permission(t, newest)
	testenv.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"ls", "rm", "make"}).Draw(t, "name")
		before := rapid.SampledFrom([]string{"", "pwd; ", "ls | ", "X=1 ", "timeout 5 ", "if true; then "}).Draw(t, "before")
		after := ""
		if strings.HasPrefix(before, "if") {
			after = "; fi"
		}
		c := Command{
			Text: before + name + rapid.SampledFrom([]string{"", " a", " $x", " > /tmp/y"}).Draw(t, "after") + after,
			Dir:  "/w/proj", Mode: modes().Draw(t, "mode"), Allow: append(rules().Draw(t, "allow"), "Bash"), Deny: []string{"Bash(" + name + ":*)"},
		}
		if got := Check(p, c); !strings.Contains(got, name) || !strings.Contains(got, "denied") {
			t.Errorf("%q is not denied: %q", c.Text, got)
		}
	})
}

func TestRulesOnlyMoveOneWay(t *testing.T) {
	p := permission(t, newest)
	testenv.Check(t, func(t *rapid.T) {
		c := Command{Text: texts().Draw(t, "text"), Dir: "/w/proj", Mode: modes().Draw(t, "mode"), Allow: rules().Draw(t, "allow"), Deny: rules().Draw(t, "deny")}
		before := Check(p, c)
		more := c
		more.Allow = append(rules().Draw(t, "further"), c.Allow...)
		if got := Check(p, more); before == "" && got != "" {
			t.Errorf("%q: more allow rules cause a refusal: %q", c.Text, got)
		}
		less := c
		less.Deny = append(rules().Draw(t, "denials"), c.Deny...)
		if got := Check(p, less); before != "" && got == "" {
			t.Errorf("%q: more deny rules allow it; before: %q", c.Text, before)
		}
	})
}

func FuzzCheck(f *testing.F) {
	f.Add("ls; touch x", "Bash(ls:*)", "Bash(rm:*)", "")
	f.Add("echo $x > y", "Bash(*)", "", "acceptEdits")
	f.Add("timeout -k", "Bash(timeout:*", "Bash", "dontAsk")
	f.Add("git -C .. log; cd ~; find . -exec", "Bash(a*b*c:*) Bash(${X})", "Bash(*)", "bypassPermissions")
	f.Add("sed -i", "Bash", "Bash(sed)", "plan")
	p := permission(f, newest)
	old := permission(f, older)
	f.Fuzz(func(t *testing.T, text, allowed, deny, mode string) {
		c := Command{Text: text, Dir: "/w/proj", Home: "/w", Allowed: []string{allowed}, Deny: []string{deny}, Mode: mode}
		got := Check(p, c)
		if again := Check(p, c); got != again {
			t.Errorf("%q and then %q", got, again)
		}
		if (Check(old, c) == "") != (got == "") {
			t.Errorf("the versions differ in more than their messages")
		}
		if c.Deny = []string{"Bash"}; Check(p, c) == "" {
			t.Errorf("a denied tool runs")
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	p := permission(b, newest)
	c := Command{Text: "git status --short && ls -la src | head -5", Dir: "/w/proj", Allow: []string{"Bash(npm:*)", "Bash(make *)"}, Deny: []string{"Bash(rm:*)"}}
	for b.Loop() {
		Check(p, c)
	}
}

// BenchmarkCheckLong measures the longest command line that is analyzed, with as many commands as
// possible.
func BenchmarkCheckLong(b *testing.B) {
	p := permission(b, newest)
	c := Command{Text: strings.Repeat("ls;", 3300), Dir: "/w/proj", Deny: []string{"Bash(a*b*c*d)"}}
	for b.Loop() {
		Check(p, c)
	}
}
