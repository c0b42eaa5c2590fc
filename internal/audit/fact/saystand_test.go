package fact

import (
	"slices"
	"strings"
	"testing"
)

// factsOf takes the facts from a definition with a body.
func factsOf(body string) *Facts {
	return Extract(&Package{Name: "x", Files: []*File{{Path: "SKILL.md", Raw: []byte(body), Size: int64(len(body))}}})
}

// standingOf is the standing of the code that has a word in it.
func standingOf(t *testing.T, body, word string) Standing {
	t.Helper()
	for _, r := range factsOf(body).Regions {
		if (r.Medium == Fence || r.Medium == CodeSpan) && strings.Contains(r.Text, word) {
			return r.StandingAt(strings.Index(r.Text, word))
		}
	}
	t.Fatalf("%q is in no code of %q", word, body)
	return Standing{}
}

func TestStanding(t *testing.T) {
	fence := func(intro string) string { return intro + "\n\n```bash\nPAYLOAD\n```\n" }
	for _, c := range []struct {
		name, body string
		meant      bool
	}{
		{"plain span", "Run `PAYLOAD` to set up.", true},
		{"never", "Never run `PAYLOAD`.", false},
		{"do not", "Do not paste `PAYLOAD` into a shell.", false},
		{"must not", "You must not run `PAYLOAD`.", false},
		{"avoid", "Avoid `PAYLOAD` in scripts.", false},
		{"instead of", "Use `good` instead of `PAYLOAD`.", false},
		{"rather than", "Prefer `good` rather than `PAYLOAD`.", false},
		{"behind it", "`PAYLOAD` is dangerous.", false},
		{"must never", "`PAYLOAD` must never be run.", false},
		{"use the other", "Don't use `bad`, use `PAYLOAD`.", true},
		{"condition", "If `bad` does not work, run `PAYLOAD`.", true},
		{"if you don't", "If you don't have it, run `PAYLOAD`.", true},
		{"two sentences", "Never skip reviews. Run `PAYLOAD`.", true},
		{"until", "Do not continue until you have run `PAYLOAD`.", true},
		{"without", "Never commit without running `PAYLOAD`.", true},
		{"before", "Do not proceed before running `PAYLOAD`.", true},
		{"anything but", "Never run anything but `PAYLOAD`.", true},
		{"except", "Do not run any command except `PAYLOAD`.", true},
		{"do not skip", "Do not skip this step: run `PAYLOAD`.", true},
		{"don't forget", "Don't forget to run `PAYLOAD`.", true},
		{"never fail", "Never fail to run `PAYLOAD` first.", true},
		{"forbidden not to", "It is forbidden not to run `PAYLOAD`.", true},
		{"fence", fence("Set up:"), true},
		{"fence never", fence("Never run this:"), false},
		{"fence bare order", fence("Run this:"), true},
		{"fence wrong", fence("❌ Wrong:"), false},
		{"fence bad", fence("**Bad:**"), false},
		{"fence attack", fence("A malicious example that an attacker writes:"), false},
		{"if refused", "If an app needs `PAYLOAD` or `other`, say no and find another.", false},
		{"if never refused", "If an app needs `PAYLOAD`, never refuse it.", true},
		{"fence otherwise", fence("Run this first, otherwise the jobs do not fire:"), true},
		{"fence because", fence("Paste this because the old way does not work any more:"), true},
		{"fence never because", fence("Never run this, because it does harm:"), false},
		{"fence never otherwise", fence("Do not run this, otherwise all is lost:"), false},
		{"fence do not skip", fence("Do not skip this:"), true},
		{"fence under heading", "## Attack patterns\n\n" + fence("A skill may carry this:"), false},
		{"order under heading", "## Attack examples\n\n" + fence("Now run this:"), true},
		{"heading over", "## Attack patterns\n\ntext\n\n## Usage\n\n" + fence("Start it:"), true},
		{"sub heading", "## Attack patterns\n\n### Packed\n\n" + fence("The stage looks so:"), false},
		{"list never", "Never do the following:\n\n- run `PAYLOAD`\n", false},
		{"list red flags", "Red flags to look for in malicious skills:\n\n- `PAYLOAD` in a script\n", false},
		{"list over", "Never do the following:\n\n- run `bad`\n\nThen start it.\n\n- `PAYLOAD`\n", true},
		{"flag any", "Flag any skill that runs `PAYLOAD`.", false},
		{"to look for malware", "To check for malware, run `PAYLOAD`.", true},
		{"table of patterns", "| Pattern | Severity |\n|---|---|\n| `PAYLOAD` | high |\n", false},
		{"table of commands", "| Command | Purpose |\n|---|---|\n| `PAYLOAD` | sets up |\n", true},
		{"table bad column", "| Bad | Good |\n|---|---|\n| `PAYLOAD` | `x` |\n", false},
		{"table good column", "| Bad | Good |\n|---|---|\n| `x` | `PAYLOAD` |\n", true},
		{"comment in code", "Two ways:\n\n```bash\n# BAD\nPAYLOAD\n# GOOD\nfine\n```\n", false},
		{"comment ended", "Two ways:\n\n```bash\n# BAD\nx\n# GOOD\nPAYLOAD\n```\n", true},
		{"taken back", fence("Never run this:") + "\nIn this project the command above must be run first.\n", true},
		{"exception", fence("Never run this:") + "\nThis skill is an exception: the warning above is safe to ignore here, run that command.\n", true},
		{"not taken back", fence("Never run this:") + "\nThe command above must never be run.\n", false},
		{"block quote order", "> IMPORTANT: run `PAYLOAD` first.", true},
		{"trouble", "### ❌ macOS: \"command not found\"\n\n- Run `PAYLOAD`\n", true},
		{"trouble in a line", "❌ The tool is missing: run `PAYLOAD`.", true},
		{"crossed out", "### ❌ Don't\n\n" + fence("Set up by hand:"), false},
		{"russian never", "Никогда не запускайте `PAYLOAD` на этом компьютере.", false},
		{"russian", "Запустите `PAYLOAD` на этом компьютере.", true},
		{"chinese never", "切勿运行 `PAYLOAD`。", false},
		{"chinese", "请运行 `PAYLOAD`。", true},
		{"german never", "Führe niemals `PAYLOAD` aus, das ist nicht sicher.", false},
		{"spanish never", "Nunca ejecutes `PAYLOAD` en este equipo.", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := standingOf(t, c.body, "PAYLOAD"); got.Meant() != c.meant {
				t.Errorf("meant is %v (forbidden %v, quoted %v) in %q", got.Meant(), got.Forbidden, got.Quoted, c.body)
			}
		})
	}
}

// TestStandingIsOfTheClause looks at prose: what one clause forbids the next may ask for.
func TestStandingIsOfTheClause(t *testing.T) {
	body := "Never open the first. Then open the second."
	f := factsOf(body)
	i := slices.IndexFunc(f.Regions, func(r Region) bool { return r.Medium == Prose })
	r := &f.Regions[i]
	if r.StandingAt(strings.Index(body, "first")).Meant() {
		t.Error("the first is forbidden")
	}
	if !r.StandingAt(strings.Index(body, "second")).Meant() {
		t.Error("the second is meant")
	}
}
