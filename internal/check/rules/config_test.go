package rules

import (
	"slices"
	"strings"
	"testing"

	"github.com/vadehq/vade/diag"
)

func known(h string) bool { return h == "one" }

func TestConfig(t *testing.T) {
	c := ParseConfig(ConfigFile, []byte(`version: 1
hosts: [one, two]
exclude: ["vendor/**", fixtures/]
rules:
  LINK_MISSING: off
  DESC_LINES: error
  FILE_BINARY: off
  YAML_REPAIRED_VALUE: info
  NO_SUCH: off
  NAME_LEN: loud
paths:
  "docs/**":
    LINK_MISSING: warning
colour: red
`), known)
	if !slices.Equal(c.Hosts, []string{"one"}) {
		t.Errorf("hosts %v", c.Hosts)
	}
	for path, want := range map[string]bool{"vendor/a/SKILL.md": true, "x/fixtures/a.md": true, ".claude/skills/a/SKILL.md": false} {
		if c.Excludes(path) != want {
			t.Errorf("%s: excluded %v", path, !want)
		}
	}
	got := c.Apply([]Finding{
		{Code: diag.LinkMissing, Severity: diag.Warning, Path: "a.md"},
		{Code: diag.LinkMissing, Severity: diag.Warning, Path: "docs/a.md"},
		{Code: diag.DescLines, Path: "a.md"},
		{Code: diag.FileBinary, Severity: diag.Error, Path: "a.md"},
		{Code: diag.FileBinary, Severity: diag.Error, Path: "b.md"},
		{Code: diag.YAMLRepairedValue, Severity: diag.Error, Path: "a.md"},
		{Code: diag.YAMLRepairedValue, Severity: diag.Warning, Path: "b.md"},
	})
	Sort(got)
	var list []string
	for _, f := range got {
		list = append(list, f.Path+" "+string(f.Code)+" "+f.Severity.String())
	}
	want := []string{
		".vade/check.yaml CHECK_INVALID error", // two
		".vade/check.yaml CHECK_NO_EFFECT warning",
		".vade/check.yaml CHECK_NO_EFFECT warning",
		".vade/check.yaml CHECK_INVALID error", // NO_SUCH
		".vade/check.yaml CHECK_INVALID error", // loud
		".vade/check.yaml CHECK_INVALID error", // colour
		"a.md DESC_LINES error", "a.md FILE_BINARY error", "a.md YAML_REPAIRED_VALUE error",
		"b.md FILE_BINARY error", "b.md YAML_REPAIRED_VALUE info", "docs/a.md LINK_MISSING warning",
	}
	if !slices.Equal(list, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(list, "\n"), strings.Join(want, "\n"))
	}
}

func TestNoConfig(t *testing.T) {
	var c *Config
	if c.Excludes("a") || len(c.Apply([]Finding{{Code: diag.FMBOM}})) != 1 {
		t.Error("a missing configuration excludes files")
	}
}

// FuzzConfig checks that a configuration cannot remove errors.
func FuzzConfig(f *testing.F) {
	f.Add("rules: {FILE_BINARY: off}\npaths: {'*': {FILE_BINARY: info}}\n")
	f.Add("exclude: '**'\nrules: [a]\n")
	f.Fuzz(func(t *testing.T, text string) {
		c := ParseConfig(ConfigFile, []byte(text), known)
		out := c.Apply([]Finding{{Code: diag.FileBinary, Severity: diag.Error, Path: "a.md"}, {Code: diag.LinkMissing, Severity: diag.Warning, Path: "a.md"}})
		if !slices.ContainsFunc(out, func(x Finding) bool { return x.Code == diag.FileBinary && x.Severity == diag.Error }) {
			t.Errorf("%q silences an error", text)
		}
	})
}

func TestBaseline(t *testing.T) {
	before := []Finding{
		{Code: diag.LinkMissing, Path: "a.md", Line: 3, Message: "m", Source: "See [x](y.md)."},
		{Code: diag.LinkMissing, Path: "a.md", Line: 9, Message: "m", Source: "See [x](y.md)."},
		{Code: diag.FileEmpty, Path: "b.md", Message: "the file is empty; not loaded by one"},
	}
	Fingerprint(before)
	if before[0].Fingerprint == before[1].Fingerprint {
		t.Error("two findings have one fingerprint")
	}
	b, err := ParseBaseline(FormatBaseline(before))
	if err != nil {
		t.Fatal(err)
	}
	after := []Finding{
		{Code: diag.LinkMissing, Path: "a.md", Line: 13, Message: "other words", Source: "  See  [x](y.md)."},
		{Code: diag.LinkMissing, Path: "a.md", Line: 19, Message: "m", Source: "See [x](y.md)."},
		{Code: diag.LinkMissing, Path: "a.md", Line: 20, Message: "m", Source: "See [x](y.md)."},
		{Code: diag.LinkMissing, Path: "a.md", Line: 21, Message: "m", Source: "See [x](z.md)."},
		{Code: diag.FileEmpty, Path: "b.md", Message: "the file is empty; not loaded by one, two"},
		{Code: diag.FileEmpty, Path: "c.md", Message: "the file is empty"},
	}
	Fingerprint(after)
	fresh, n := b.Without(after)
	if n != 3 || len(fresh) != 3 || fresh[0].Line != 20 || fresh[1].Line != 21 || fresh[2].Path != "c.md" {
		t.Errorf("%d known, fresh %+v", n, fresh)
	}
	for _, bad := range []string{"", "[]", `{"version":2}`} {
		if _, err := ParseBaseline([]byte(bad)); err == nil {
			t.Errorf("%q is accepted as a baseline", bad)
		}
	}
}
