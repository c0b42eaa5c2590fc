package report

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/audit"
	"github.com/vadehq/vade/internal/audit/rules"
)

func auditResults() []AuditResult {
	return []AuditResult{
		{Finding: audit.Finding{
			ID: "X01", Name: "n", Severity: rules.Block, Confidence: rules.High, Path: "a b/SKILL.md", Line: 9, Column: 5, EndLine: 9, EndColumn: 50,
			Message: "m\x1b[31m ##[error]x", Why: "w", Fix: "f", CWE: []int{78, 494}, OWASP: "AST02", Packed: "base64", Fingerprint: "f1",
		}},
		{Finding: audit.Finding{ID: "S08", Severity: rules.Review, Confidence: rules.Low, Path: "x.bin", Message: "m", More: 3, Fingerprint: "f2"}, Suppressed: true, Reason: "baseline"},
		{Finding: audit.Finding{ID: "X01", Severity: rules.Inform, Confidence: rules.Medium, Message: "whole", Fingerprint: "f3"}},
	}
}

// TestAuditSARIF checks the requirements in SARIF 2.1.0 for each object in a
// log (OASIS standard, sections 3.13 to 3.58).
func TestAuditSARIF(t *testing.T) {
	var b bytes.Buffer
	page := func(id string) string { return "# " + id }
	audited := AuditRun{Version: "1.2.3", Results: auditResults(), Page: page, Missed: []Missed{
		{Path: "x.bin", Reason: "binary"},
		{Path: "secret/b.md", Reason: "it may not be read", Unreadable: true},
	}}
	if err := AuditSARIF(&b, audited); err != nil {
		t.Fatal(err)
	}
	if bytes.ContainsAny(b.Bytes(), "\x1b\r") || bytes.Contains(b.Bytes(), []byte("##[")) {
		t.Error("the log contains a workflow command")
	}
	var log map[string]any
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	if log["version"] != "2.1.0" || !strings.Contains(log["$schema"].(string), "sarif-schema-2.1.0") {
		t.Errorf("version %v, schema %v", log["version"], log["$schema"])
	}
	run := log["runs"].([]any)[0].(map[string]any)
	driver := run["tool"].(map[string]any)["driver"].(map[string]any)
	testDriver(t, driver)
	if run["columnKind"] != "unicodeCodePoints" {
		t.Errorf("columns are %v", run["columnKind"])
	}
	base := run["originalUriBaseIds"].(map[string]any)["PROJECT"].(map[string]any)
	if base["uri"] != nil || base["description"].(map[string]any)["text"] == "" {
		t.Errorf("the base has an absolute path, or no description: %v", base)
	}
	rules := driver["rules"].([]any)
	if len(rules) != 2 {
		t.Fatalf("%d rules", len(rules))
	}
	for _, r := range rules {
		x := r.(map[string]any)
		p := x["properties"].(map[string]any)
		if x["id"] == "" || x["name"] == "" || x["shortDescription"].(map[string]any)["text"] == "" || x["help"].(map[string]any)["text"] != "# "+x["id"].(string) ||
			!isLevel(x["defaultConfiguration"].(map[string]any)["level"]) || p["security-severity"] == "" || len(p["tags"].([]any)) < 2 {
			t.Errorf("rule %v", x)
		}
	}
	results := run["results"].([]any)
	levels := []string{"error", "warning", "note"}
	for i, r := range results {
		x := r.(map[string]any)
		index := int(x["ruleIndex"].(float64))
		if rules[index].(map[string]any)["id"] != x["ruleId"] {
			t.Errorf("result %d: rule %v is not number %d", i, x["ruleId"], index)
		}
		if x["level"] != levels[i] || x["message"].(map[string]any)["text"] == "" || x["partialFingerprints"].(map[string]any)["vadeAudit/v1"] == "" {
			t.Errorf("result %d: %v", i, x)
		}
		if _, has := x["suppressions"]; has != (i == 1) {
			t.Errorf("result %d: suppressed %v", i, has)
		}
	}
	first := results[0].(map[string]any)
	location := first["locations"].([]any)[0].(map[string]any)["physicalLocation"].(map[string]any)
	if got := location["artifactLocation"].(map[string]any)["uri"]; got != "a%20b/SKILL.md" {
		t.Errorf("artifact %v", got)
	}
	if region := location["region"].(map[string]any); region["startLine"] != 9.0 || region["startColumn"] != 5.0 || region["endColumn"] != 50.0 {
		t.Errorf("region %v", region)
	}
	properties := first["properties"].(map[string]any)
	var tags []string
	for _, tag := range properties["tags"].([]any) {
		tags = append(tags, tag.(string))
	}
	if want := []string{"security", "external/cwe/cwe-078", "external/cwe/cwe-494", "owasp-agentic-skills/ast02"}; !slices.Equal(tags, want) {
		t.Errorf("tags %q, want %q", tags, want)
	}
	if properties["confidence"] != "high" || properties["packed"] != "base64" {
		t.Errorf("properties %v", properties)
	}
	suppression := results[1].(map[string]any)["suppressions"].([]any)[0].(map[string]any)
	if suppression["kind"] != "external" || suppression["status"] != "accepted" || suppression["justification"] != "baseline" {
		t.Errorf("suppression %v", suppression)
	}
	if text := results[1].(map[string]any)["message"].(map[string]any)["text"].(string); !strings.Contains(text, "3 more") {
		t.Errorf("%q", text)
	}
	invocation := run["invocations"].([]any)[0].(map[string]any)
	if invocation["executionSuccessful"] != false {
		t.Error("a run that could not read a file was successful")
	}
	for i, want := range []struct{ level, message, uri string }{
		{"note", "not examined: x.bin: binary", "x.bin"},
		{"error", "not examined: secret/b.md: it may not be read", "secret/b.md"},
	} {
		testNotification(t, invocation["toolExecutionNotifications"].([]any)[i], want.level, want.message, want.uri)
	}
}

func testNotification(t *testing.T, v any, level, message, uri string) {
	t.Helper()
	x := v.(map[string]any)
	physical := x["locations"].([]any)[0].(map[string]any)["physicalLocation"].(map[string]any)
	file := physical["artifactLocation"].(map[string]any)
	if file["uri"] != uri || file["uriBaseId"] != "PROJECT" {
		t.Errorf("the notification is about %v", file)
	}
	if x["level"] != level || x["message"].(map[string]any)["text"] != message {
		t.Errorf("notification %v", x)
	}
}

// TestAuditSARIFSucceeds checks that intentionally skipped files do not count as a failure.
func TestAuditSARIFSucceeds(t *testing.T) {
	for _, missed := range [][]Missed{nil, {{Path: "x.bin", Reason: "binary"}}} {
		var b bytes.Buffer
		err := AuditSARIF(&b, AuditRun{Missed: missed})
		if err != nil || !strings.Contains(b.String(), `"executionSuccessful": true`) {
			t.Errorf("%v %s", err, b.String())
		}
	}
}

func TestAuditSARIFOfNothing(t *testing.T) {
	var b bytes.Buffer
	if err := AuditSARIF(&b, AuditRun{}); err != nil || !strings.Contains(b.String(), `"results": []`) || !strings.Contains(b.String(), `"rules": []`) {
		t.Errorf("%v %s", err, b.String())
	}
}
