package report

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/check/rules"
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

// TestSARIF checks the requirements in SARIF 2.1.0 for each object in a log
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
	testDriver(t, driver)
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

func testDriver(t *testing.T, driver map[string]any) {
	t.Helper()
	for name, want := range map[string]any{
		"name": "vade", "version": "1.2.3", "informationUri": "https://github.com/vadehq/vade",
	} {
		if driver[name] != want {
			t.Errorf("%s is %v", name, driver[name])
		}
	}
}

// TestSARIFUnreadable checks that an unreadable file is reported as a result and fails the run.
func TestSARIFUnreadable(t *testing.T) {
	for _, code := range []diag.Code{diag.FileUnreadable, diag.FileBinary} {
		var b bytes.Buffer
		list := []rules.Finding{{Code: code, Severity: diag.Error, Path: "a/SKILL.md", Message: "permission denied"}}
		if err := SARIF(&b, Run{Findings: list}); err != nil {
			t.Fatal(err)
		}
		var log struct {
			Runs []struct {
				Invocations []struct {
					ExecutionSuccessful        bool
					ToolExecutionNotifications []any
				}
				OriginalURIBaseIDs map[string]any `json:"originalUriBaseIds"`
				Results            []any
			}
		}
		if err := json.Unmarshal(b.Bytes(), &log); err != nil {
			t.Fatal(err)
		}
		run := log.Runs[0]
		if len(run.Results) != 1 || run.OriginalURIBaseIDs["PROJECT"] == nil {
			t.Errorf("%s: %s", code, b.String())
		}
		notes := run.Invocations[0].ToolExecutionNotifications
		unreadable := code == diag.FileUnreadable
		if run.Invocations[0].ExecutionSuccessful == unreadable || len(notes) > 0 != unreadable {
			t.Errorf("%s: %s", code, b.String())
		}
		if len(notes) > 0 {
			testNotification(t, notes[0], "error", "not examined: a/SKILL.md: permission denied", "a/SKILL.md")
		}
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

// FuzzGitHub checks that each finding produces exactly one workflow command, whatever the file
// contains.
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
