package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/check/rules"
	"github.com/vadehq/vade/internal/textdiff"

	"github.com/vadehq/vade/internal/testenv"
)

func findings() []rules.Finding {
	return []rules.Finding{
		{
			Code: diag.YAMLRepairedValue, Severity: diag.Error, Path: ".claude/skills/a b/SKILL.md", Line: 2, Column: 14, EndLine: 2, EndColumn: 30,
			Message: "m", Fix: "put the value in quotes", Edit: &diag.Edit{Start: 17, End: 33, New: `"x: y"`}, Hosts: []string{"h"}, NotLoaded: []string{"h"}, Fingerprint: "f1",
		},
		{Code: diag.ListingBudget, Severity: diag.Warning, Path: ".", Message: "no room", Fingerprint: "f2"},
		{Code: diag.DescLines, Severity: diag.Info, Path: "/abs/é.md", Message: "lines", Fingerprint: "f3"},
	}
}

// TestSARIF holds a log to what SARIF 2.1.0 requires of each object that is used
// (OASIS standard, sections 3.13 to 3.57).
func TestSARIF(t *testing.T) {
	var b bytes.Buffer
	about := func(code string) (string, string) { return "about " + code, "# " + code }
	if err := SARIF(&b, Run{Version: "1.2.3", Directory: "/work dir/p", Findings: findings(), Rule: about}); err != nil {
		t.Fatal(err)
	}
	var log map[string]any
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	if log["version"] != "2.1.0" {
		t.Errorf("version %v", log["version"])
	}
	run := log["runs"].([]any)[0].(map[string]any)
	driver := run["tool"].(map[string]any)["driver"].(map[string]any)
	if driver["name"] != "vade" || driver["version"] != "1.2.3" {
		t.Errorf("driver %v", driver)
	}
	if got := run["originalUriBaseIds"].(map[string]any)["PROJECT"].(map[string]any)["uri"]; got != "file:///work%20dir/p/" {
		t.Errorf("the base is %v", got)
	}
	rules := driver["rules"].([]any)
	for _, r := range rules {
		x := r.(map[string]any)
		if x["id"] == "" || x["shortDescription"].(map[string]any)["text"] == "" || !isLevel(x["defaultConfiguration"].(map[string]any)["level"]) {
			t.Errorf("rule %v", x)
		}
	}
	results := run["results"].([]any)
	if len(results) != 3 {
		t.Fatalf("%d results", len(results))
	}
	for i, r := range results {
		x := r.(map[string]any)
		index := int(x["ruleIndex"].(float64))
		if rules[index].(map[string]any)["id"] != x["ruleId"] {
			t.Errorf("result %d: rule %v is not number %d", i, x["ruleId"], index)
		}
		if !isLevel(x["level"]) || x["message"].(map[string]any)["text"] == "" || x["partialFingerprints"].(map[string]any)["vade/v1"] == "" {
			t.Errorf("result %d: %v", i, x)
		}
	}
	first := results[0].(map[string]any)
	location := first["locations"].([]any)[0].(map[string]any)["physicalLocation"].(map[string]any)
	if got := location["artifactLocation"].(map[string]any); got["uri"] != ".claude/skills/a%20b/SKILL.md" || got["uriBaseId"] != "PROJECT" {
		t.Errorf("artifact %v", got)
	}
	region := location["region"].(map[string]any)
	if region["startLine"] != 2.0 || region["startColumn"] != 14.0 || region["endColumn"] != 30.0 {
		t.Errorf("region %v", region)
	}
	change := first["fixes"].([]any)[0].(map[string]any)["artifactChanges"].([]any)[0].(map[string]any)["replacements"].([]any)[0].(map[string]any)
	if deleted := change["deletedRegion"].(map[string]any); deleted["byteOffset"] != 17.0 || deleted["byteLength"] != 16.0 || change["insertedContent"].(map[string]any)["text"] != `"x: y"` {
		t.Errorf("replacement %v", change)
	}
	if _, has := results[1].(map[string]any)["locations"].([]any)[0].(map[string]any)["physicalLocation"].(map[string]any)["region"]; has {
		t.Error("a finding without a line has a region")
	}
	if got := results[2].(map[string]any)["locations"].([]any)[0].(map[string]any)["physicalLocation"].(map[string]any)["artifactLocation"].(map[string]any)["uri"]; got != "file:///abs/%C3%A9.md" {
		t.Errorf("an absolute path became %v", got)
	}
}

func isLevel(v any) bool {
	s, _ := v.(string)
	return slices.Contains([]string{"none", "note", "warning", "error"}, s)
}

func TestSARIFOfNothing(t *testing.T) {
	var b bytes.Buffer
	if err := SARIF(&b, Run{}); err != nil || !strings.Contains(b.String(), `"results": []`) || !strings.Contains(b.String(), `"rules": []`) {
		t.Errorf("%v %s", err, b.String())
	}
}

func TestGitHub(t *testing.T) {
	list := findings()
	list[0].Path = "a,b:c%.md"
	list[0].Message = "one\n::error::two\r\x1b[31m"
	list[0].Fix = ""
	var b bytes.Buffer
	if err := GitHub(&b, list); err != nil {
		t.Fatal(err)
	}
	want := "::error file=a%2Cb%3Ac%25.md,line=2,col=14,endColumn=30,endLine=2,title=YAML_REPAIRED_VALUE::one%0A::error::two" + `\x0d\x1b[31m` + "\n" +
		"::warning file=.,title=LISTING_BUDGET::no room\n" +
		"::notice file=/abs/é.md,title=DESC_LINES::lines\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

// FuzzGitHub: whatever a file says, each finding is one command.
func FuzzGitHub(f *testing.F) {
	f.Add("a\nb", "x\r::error::y")
	f.Fuzz(func(t *testing.T, path, message string) {
		var b bytes.Buffer
		if err := GitHub(&b, []rules.Finding{{Path: path, Message: message, Fix: message}}); err != nil {
			t.Fatal(err)
		}
		if s := b.String(); strings.Count(s, "\n") != 1 || strings.ContainsAny(s, "\r\x1b\x00") || !strings.HasPrefix(s, "::notice file=") {
			t.Errorf("%q", s)
		}
	})
}

func TestDiff(t *testing.T) {
	before := "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n"
	after := "a\nB\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl2"
	want := `--- a/x.md
+++ b/x.md
@@ -1,5 +1,5 @@
 a
-b
+B
 c
 d
 e
@@ -9,4 +9,4 @@
 i
 j
 k
-l
+l2
\ No newline at end of file
`
	if got := textdiff.Diff("x.md", before, after); got != want {
		t.Errorf("got\n%s", got)
	}
	if got := textdiff.Diff("x", "a", "a"); got != "" {
		t.Errorf("no change is %q", got)
	}
	if got := textdiff.Diff("x", "", "a\n"); got != "--- a/x\n+++ b/x\n@@ -0,0 +1,1 @@\n+a\n" {
		t.Errorf("got %q", got)
	}
}

// TestDiffLeadsThere: a diff read back makes the one text of the other.
func TestDiffLeadsThere(t *testing.T) {
	line := rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "\n", "-x\n", "+y\n", "é\n"})
	text := rapid.Custom(func(r *rapid.T) string {
		return strings.Join(rapid.SliceOfN(line, 0, 30).Draw(r, "lines"), "") + rapid.SampledFrom([]string{"", "end"}).Draw(r, "end")
	})
	testenv.Check(t, func(r *rapid.T) {
		a, b := text.Draw(r, "before"), text.Draw(r, "after")
		if got := patch(t, a, textdiff.Diff("x", a, b)); got != b {
			r.Fatalf("%q to %q: the diff leads to %q", a, b, got)
		}
	})
}

// patch applies a diff as patch(1) does, without searching.
func patch(t *testing.T, text, diff string) string {
	t.Helper()
	if diff == "" {
		return text
	}
	from, at := textdiff.Lines(text), 0
	var out strings.Builder
	list := textdiff.Lines(diff)
	for i := 2; i < len(list); i++ {
		l := list[i]
		next := ""
		if i+1 < len(list) {
			next = list[i+1]
		}
		body := l[1:]
		if strings.HasPrefix(next, `\ No newline`) {
			body = strings.TrimSuffix(body, "\n")
		}
		switch l[0] {
		case '@':
			start, _, _ := strings.Cut(strings.TrimPrefix(l, "@@ -"), ",")
			n := 0
			for _, c := range start {
				n = 10*n + int(c-'0')
			}
			count, _, _ := strings.Cut(l[strings.IndexByte(l, ',')+1:], " ")
			if count != "0" {
				n--
			}
			for ; at < n; at++ {
				out.WriteString(from[at])
			}
		case ' ', '-':
			if at >= len(from) || from[at] != body {
				t.Fatalf("the diff does not fit at line %d: %q", at+1, l)
			}
			at++
			if l[0] == ' ' {
				out.WriteString(body)
			}
		case '+':
			out.WriteString(body)
		}
	}
	return out.String() + strings.Join(from[at:], "")
}

// TestNothingHidden: what a terminal obeys or a reader does not see stands in no
// form as it is, and neither does the older form of commands.
func TestNothingHidden(t *testing.T) {
	const hidden = "a\u009b31m\u061c\u200b\u2028\u202e\u2066\ufeff\U000e0041##[error]b"
	list := findings()
	list[0].Message, list[0].Fix, list[0].Path, list[0].Hosts = hidden, hidden, hidden, []string{hidden}
	var sarif, github, failure bytes.Buffer
	if err := errors.Join(SARIF(&sarif, Run{Findings: list, Directory: hidden}), GitHub(&github, list), SARIFFailure(&failure, "1", hidden)); err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string]*bytes.Buffer{"sarif": &sarif, "github": &github, "failure": &failure} {
		if s := b.String(); strings.ContainsAny(s, "\u009b\u061c\u200b\u2028\u202e\u2066\ufeff\U000e0041") || strings.Contains(s, "##[") || !strings.Contains(s, "a") {
			t.Errorf("%s: %q", name, s)
		}
	}
	var log sarifLog
	if err := json.Unmarshal(sarif.Bytes(), &log); err != nil || log.Runs[0].Results[0].Message.Text != hidden+"\nfix: "+hidden {
		t.Errorf("the text is not kept: %v %q", err, log.Runs[0].Results[0].Message.Text)
	}
	if err := json.Unmarshal(failure.Bytes(), &log); err != nil || len(log.Runs[0].Invocations) != 1 || log.Runs[0].Invocations[0].Successful {
		t.Errorf("a failed run: %v %s", err, failure.String())
	}
}
