package policy

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"

	"github.com/vadehq/vade/internal/testenv"
)

const someDigest = "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

// combined returns the combination of three policy files; "" stands for a missing file.
func combined(t testing.TB, managed, user, project string) (*Policy, []diag.Diagnostic) {
	t.Helper()
	var files []*File
	var found []diag.Diagnostic
	for _, f := range []struct {
		layer definition.Layer
		text  string
	}{{definition.Managed, managed}, {definition.User, user}, {definition.Project, project}} {
		if f.text != "" {
			file, diags := parsePolicy(t, f.layer, f.text)
			files, found = append(files, file), append(found, diags...)
		}
	}
	p, more := Combine(files...)
	return p, append(found, more...)
}

func modesOf(a *Audit) string {
	var words []string
	for _, m := range a.modes() {
		words = append(words, m.String())
	}
	return strings.Join(words, " ")
}

func TestAudit(t *testing.T) {
	const standard, all = "block block block off off off", "review review review review review review"
	for _, x := range []struct {
		name                   string
		managed, user, project string
		modes                  string
		suppressed             int
		codes                  string
	}{
		{name: "no setting", modes: standard},
		{name: "no value", user: "audit:", modes: standard},
		{name: "one word", user: "audit: off", modes: "off off off off off off"},
		{name: "layers", user: "audit: {plugin: review, added: off, project: block}", modes: "review block off block off off"},
		{name: "a project asks for more", project: "audit: review", modes: all},
		{name: "a project does not ask for less", project: "audit: off", modes: standard, codes: "project.yaml:1 POLICY_WIDENS"},
		{name: "nor layer by layer", project: "audit:\n  plugin: off\n  added: off\n", modes: standard, codes: "project.yaml:2 POLICY_WIDENS, project.yaml:3 POLICY_WIDENS"},
		{name: "nor against its user", user: "audit: review", project: "audit: {plugin: block}", modes: all, codes: "project.yaml:1 POLICY_WIDENS"},
		{name: "the administrator's holds", managed: "audit: block", user: "audit: off", modes: "block block block block block block"},
		{name: "a user may be stricter", managed: "audit: off", user: "audit: {plugin: review}", modes: "review off off off off off"},
		{name: "a user who may not", managed: "allow-user-grants: false", user: "audit: off", modes: standard, codes: "user.yaml:1 POLICY_WIDENS"},
		{name: "an unknown word", user: "audit: blok", modes: all, codes: "user.yaml:1 POLICY_INVALID"},
		{name: "of a layer", user: "audit:\n  plugin: none", modes: "review block block off off off", codes: "user.yaml:2 POLICY_INVALID"},
		{name: "an unknown key", user: "audit:\n  plugins: block", modes: all, codes: "user.yaml:2 POLICY_UNKNOWN_KEY"},
		{name: "a misspelt key", user: "audits: review", modes: all, codes: "user.yaml:1 POLICY_UNKNOWN_KEY"},
		{name: "misspelt, and then not", user: "audits: review\naudit: off", modes: all, codes: "user.yaml:1 POLICY_UNKNOWN_KEY"},
		{name: "another key", user: "shel: off", modes: standard, codes: "user.yaml:1 POLICY_UNKNOWN_KEY"},
		{name: "invalid YAML", project: "audit: [", modes: all, codes: "project.yaml:1 YAML_INVALID, project.yaml:1 POLICY_INVALID"},
		{name: "a suppression", user: "audit: {suppress: [{rule: X01, digest: '" + someDigest + "', reason: ours}]}", modes: standard, suppressed: 1},
		{name: "of a project", project: "audit: {suppress: [{rule: X01, digest: '" + someDigest + "', reason: ours}]}", modes: standard, codes: "project.yaml:1 POLICY_WIDENS"},
		{name: "of a user who may not", managed: "allow-user-grants: false", user: "audit: {suppress: [{rule: X01, digest: '" + someDigest + "', reason: ours}]}", modes: standard, codes: "user.yaml:1 POLICY_WIDENS"},
		{name: "without a reason", user: "audit: {suppress: [{rule: X01, digest: '" + someDigest + "'}]}", modes: standard, codes: "user.yaml:1 POLICY_INVALID"},
		{name: "without a digest", user: "audit: {suppress: [{rule: X01, reason: ours}]}", modes: standard, codes: "user.yaml:1 POLICY_INVALID"},
		{name: "for all rules", user: "audit: {suppress: [{rule: '*', digest: '" + someDigest + "', reason: ours}]}", modes: standard, codes: "user.yaml:1 POLICY_INVALID"},
		{name: "of another key", user: "audit: {suppress: [{rule: X01, digest: '" + someDigest + "', reason: ours, until: x}]}", modes: standard, codes: "user.yaml:1 POLICY_UNKNOWN_KEY"},
		{name: "with an invalid date", user: "audit: {suppress: [{rule: X01, digest: '" + someDigest + "', reason: ours, expires: soon}]}", modes: standard, codes: "user.yaml:1 POLICY_INVALID"},
		{name: "not a list", user: "audit: {suppress: X01}", modes: standard, codes: "user.yaml:1 POLICY_INVALID"},
		{name: "not an entry", user: "audit: {suppress: [X01]}", modes: standard, codes: "user.yaml:1 POLICY_INVALID"},
	} {
		t.Run(x.name, func(t *testing.T) {
			p, diags := combined(t, x.managed, x.user, x.project)
			if got := modesOf(&p.Audit); got != x.modes {
				t.Errorf("modes %q, want %q", got, x.modes)
			}
			if len(p.Audit.Suppress) != x.suppressed {
				t.Errorf("%d suppressions, want %d", len(p.Audit.Suppress), x.suppressed)
			}
			if got := codesOf(diags); got != x.codes {
				t.Errorf("diagnostics %q, want %q", got, x.codes)
			}
		})
	}
}

// TestKnownBad checks that the lists from all files, including a project's, are combined.
func TestKnownBad(t *testing.T) {
	hex := strings.TrimPrefix(someDigest, "sha256:")
	p, diags := combined(t, "", "audit: {known-bad: {hosts: [Files.Example], digests: ['"+someDigest+"', "+strings.ToUpper(hex)+"]}}", "audit: {known-bad: {hosts: bad.example, publishers: [made-up]}}")
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	var got []string
	for _, list := range p.Audit.KnownBad.lists() {
		var words []string
		for _, v := range *list {
			words = append(words, v.Text)
		}
		got = append(got, strings.Join(words, " "))
	}
	if want := []string{hex + " " + hex, "files.example bad.example", "made-up"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for _, text := range []string{"known-bad: x", "known-bad: {digests: abc}", "known-bad: {hosts: {a: b}}", "known-bad: {host: a}", "known-bad: {hosts: ['']}"} {
		p, diags := combined(t, "", "audit: {"+text+"}", "")
		if len(diags) != 1 || len(p.Audit.KnownBad.Hosts)+len(p.Audit.KnownBad.Digests) > 0 {
			t.Errorf("%s: %v, %v", text, diags, p.Audit.KnownBad)
		}
	}
}

// TestAuditOfUnreadable checks that an unreadable file is treated as having the strictest settings.
func TestAuditOfUnreadable(t *testing.T) {
	p, _ := Combine(Unreadable("project.yaml", definition.Project))
	if got := modesOf(&p.Audit); got != "review review review review review review" {
		t.Errorf("modes %q", got)
	}
}

func TestAuditMode(t *testing.T) {
	p, _ := combined(t, "", "", "")
	for _, x := range []struct {
		layer      definition.Layer
		mode, bare AuditMode
	}{
		{definition.Managed, AuditOff, AuditOff}, {definition.Project, AuditBlock, AuditOff}, {definition.User, AuditBlock, AuditOff},
		{definition.Plugin, AuditBlock, AuditBlock}, {definition.MCP, AuditBlock, AuditBlock}, {definition.Bundled, AuditOff, AuditOff},
	} {
		if mode, bare := p.Audit.Mode(x.layer); mode != x.mode || bare != x.bare {
			t.Errorf("%s: %s and %s, want %s and %s", x.layer, mode, bare, x.mode, x.bare)
		}
	}
}

func TestSuppressionCovers(t *testing.T) {
	other := strings.Replace(someDigest, "9f", "9e", 1)
	now := time.Date(2027, 5, 31, 23, 59, 59, 0, time.UTC)
	for _, x := range []struct {
		entry                    string
		rule, name, path, digest string
		want                     bool
	}{
		{"", "X01", "a", "SKILL.md", someDigest, true},
		{"", "X02", "a", "SKILL.md", someDigest, false},
		{"", "X01", "a", "SKILL.md", other, false},
		{"", "X01", "a", "SKILL.md", "", false},
		{"name: a", "X01", "a", "SKILL.md", someDigest, true},
		{"name: b", "X01", "a", "SKILL.md", someDigest, false},
		{"path: x.sh", "X01", "a", "scripts/x.sh", someDigest, true},
		{"path: ./scripts/x.sh", "X01", "a", "scripts/x.sh", someDigest, true},
		{"path: x.sh", "X01", "a", "scripts/ax.sh", someDigest, false},
		{"expires: 2027-05-31", "X01", "a", "SKILL.md", someDigest, true},
		{"expires: 2027-05-30", "X01", "a", "SKILL.md", someDigest, false},
	} {
		text := "audit:\n  suppress:\n    - rule: X01\n      digest: " + someDigest + "\n      reason: ours\n"
		if x.entry != "" {
			text += "      " + x.entry + "\n"
		}
		p, diags := combined(t, "", text, "")
		if len(diags) > 0 || len(p.Audit.Suppress) != 1 {
			t.Fatalf("%s: %v", text, diags)
		}
		if got := p.Audit.Suppress[0].Covers(x.rule, x.name, x.path, x.digest, now); got != x.want {
			t.Errorf("%q covers %s of %s in %s: %t", x.entry, x.rule, x.name, x.path, got)
		}
	}
	if (&Suppression{}).Covers("", "", "", "", now) {
		t.Error("an empty suppression covers something")
	}
}

// TestProjectOnlyTightensAudit checks that no project setting makes a mode less strict.
func TestProjectOnlyTightensAudit(t *testing.T) {
	word := rapid.SampledFrom([]string{"block", "review", "off", "x"})
	text := rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		b.WriteString("audit:\n")
		for _, k := range rapid.SliceOfDistinct(rapid.SampledFrom(slices.Concat([]string{"audit"}, func() []string { k := auditKeys(); return k[:] }())), rapid.ID).Draw(t, "keys") {
			fmt.Fprintf(&b, "  %s: %s\n", k, word.Draw(t, k))
		}
		return b.String()
	})
	testenv.Check(t, func(rt *rapid.T) {
		user, project := text.Draw(rt, "user"), text.Draw(rt, "project")
		before, _ := combined(t, "", user, "")
		after, _ := combined(t, "", user, project)
		for i, m := range after.Audit.modes() {
			if *m > *before.Audit.modes()[i] {
				rt.Fatalf("%s: %s with the project, %s without", auditKeys()[i], m, before.Audit.modes()[i])
			}
		}
	})
}
