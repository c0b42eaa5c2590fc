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

// TestAuditSARIF holds a log to what SARIF 2.1.0 requires of each object that is used
// (OASIS standard, sections 3.13 to 3.58).
func TestAuditSARIF(t *testing.T) {
	var b bytes.Buffer
	page := func(id string) string { return "# " + id }
	if err := AuditSARIF(&b, AuditRun{Version: "1.2.3", Results: auditResults(), Missed: []string{"x.bin: binary"}, Page: page}); err != nil {
		t.Fatal(err)
	}
	if bytes.ContainsAny(b.Bytes(), "\x1b\r") || bytes.Contains(b.Bytes(), []byte("##[")) {
		t.Error("a log obeys what stands in it")
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
	if driver["name"] != "vade" || driver["version"] != "1.2.3" || run["columnKind"] != "unicodeCodePoints" {
		t.Errorf("run %v %v", driver["name"], run["columnKind"])
	}
	if run["originalUriBaseIds"] != nil {
		t.Error("the log says where the files stand")
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
	note := invocation["toolExecutionNotifications"].([]any)[0].(map[string]any)
	if invocation["executionSuccessful"] != true || note["level"] != "note" || note["message"].(map[string]any)["text"] != "not looked at: x.bin: binary" {
		t.Errorf("invocation %v", invocation)
	}
}

func TestAuditSARIFOfNothing(t *testing.T) {
	var b bytes.Buffer
	if err := AuditSARIF(&b, AuditRun{}); err != nil || !strings.Contains(b.String(), `"results": []`) || !strings.Contains(b.String(), `"rules": []`) {
		t.Errorf("%v %s", err, b.String())
	}
}
