package report

import (
	_ "embed" // the schema
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit"
)

// AuditRun is one audit with what was found.
type AuditRun struct {
	// Version is that of Vade.
	Version string
	Results []AuditResult
	// Missed says of each thing that was not looked at what it is and why.
	Missed []string
	// Page is the page of a rule in Markdown; it may be "".
	Page func(id string) string
}

// AuditResult is a finding. Its path is relative to what was audited.
type AuditResult struct {
	audit.Finding
	// Suppressed: somebody who may has said that it does not count, for this reason.
	Suppressed bool
	Reason     string
}

type auditRule struct {
	sarifRule
	Name       string          `json:"name"`
	Full       sarifText       `json:"fullDescription"`
	Properties auditProperties `json:"properties"`
}

type auditProperties struct {
	Tags []string `json:"tags"`
	// Precision and security-severity are the words of code scanning.
	Precision string `json:"precision,omitempty"`
	Severity  string `json:"security-severity,omitempty"`
	// Confidence and Packed are of results.
	Confidence string `json:"confidence,omitempty"`
	Packed     string `json:"packed,omitempty"`
	Verdict    string `json:"severity,omitempty"`
}

type auditResult struct {
	sarifResult
	Suppressions []auditSuppression `json:"suppressions,omitempty"`
	Properties   auditProperties    `json:"properties"`
}

type auditSuppression struct {
	Kind   string `json:"kind"`
	Status string `json:"status"`
	Why    string `json:"justification,omitempty"`
}

type auditLog struct {
	Schema  string       `json:"$schema"`
	Version string       `json:"version"`
	Runs    []auditSARIF `json:"runs"`
}

type auditSARIF struct {
	Tool        auditTool         `json:"tool"`
	ColumnKind  string            `json:"columnKind"`
	Invocations []sarifInvocation `json:"invocations"`
	Results     []auditResult     `json:"results"`
}

type auditTool struct {
	Driver auditDriver `json:"driver"`
}

type auditDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version"`
	Rules   []auditRule `json:"rules"`
}

// AuditSARIF writes an audit as one SARIF 2.1.0 log. It has no absolute path, no time
// and no name of a machine: the same files give the same bytes wherever they stand.
func AuditSARIF(w io.Writer, r AuditRun) error {
	run := auditSARIF{
		Tool:       auditTool{auditDriver{Name: "vade", Version: r.Version, Rules: []auditRule{}}},
		ColumnKind: "unicodeCodePoints", Invocations: []sarifInvocation{{Successful: true}}, Results: []auditResult{},
	}
	for _, m := range r.Missed {
		note := sarifNotification{Level: "note", Message: sarifText{Text: "not looked at: " + m}}
		run.Invocations[0].Notifications = append(run.Invocations[0].Notifications, note)
	}
	var ids []string
	for i := range r.Results {
		ids = append(ids, r.Results[i].ID)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	for _, id := range ids {
		if rule, ok := audit.Known(id); ok {
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, auditRuleOf(rule, r.Page))
		}
	}
	for i := range r.Results {
		x := auditResultOf(&r.Results[i])
		x.RuleIndex = slices.IndexFunc(run.Tool.Driver.Rules, func(a auditRule) bool { return a.ID == x.RuleID })
		run.Results = append(run.Results, x)
	}
	return encode(w, auditLog{sarifSchema, sarifVersion, []auditSARIF{run}})
}

func auditRuleOf(rule audit.Rule, page func(string) string) auditRule {
	out := auditRule{
		sarifRule: sarifRule{ID: rule.ID, Short: sarifText{Text: rule.Title}, Default: sarifDefault{auditLevel(rule.Severity)}},
		Name:      rule.Name, Full: sarifText{Text: rule.Title + ". " + rule.Why},
		Properties: auditProperties{Tags: auditTags(rule.CWE, rule.OWASP), Precision: rule.Confidence.String(), Severity: scanningSeverity(rule.Severity)},
	}
	help := ""
	if page != nil {
		help = page(rule.ID)
	}
	if help == "" {
		help = rule.Fix
	}
	out.Help = &sarifText{Text: help, Markdown: help}
	return out
}

func auditTags(cwe []int, owasp string) []string {
	tags := []string{"security"}
	for _, n := range cwe {
		tags = append(tags, fmt.Sprintf("external/cwe/cwe-%03d", n))
	}
	if owasp != "" {
		tags = append(tags, "owasp-agentic-skills/"+strings.ToLower(owasp))
	}
	return tags
}

// scanningSeverity is a number of the scale by which code scanning sorts.
func scanningSeverity(s audit.Severity) string {
	switch s {
	case audit.Block:
		return "9.0"
	case audit.Review:
		return "6.0"
	}
	return "2.0"
}

func auditLevel(s audit.Severity) string {
	switch s {
	case audit.Block:
		return "error"
	case audit.Review:
		return "warning"
	}
	return "note"
}

func auditResultOf(f *AuditResult) auditResult {
	text := f.Message
	if f.More > 0 {
		text += fmt.Sprintf(" (and %d more of this rule)", f.More)
	}
	if f.Why != "" {
		text += "\nwhy: " + f.Why
	}
	if f.Fix != "" {
		text += "\nfix: " + f.Fix
	}
	out := auditResult{
		sarifResult: sarifResult{
			RuleID: f.ID, Level: auditLevel(f.Severity), Message: sarifText{Text: text},
			Locations:    []sarifLocation{{sarifPhysical{Artifact: address(f.Path)}}},
			Fingerprints: map[string]string{"vadeAudit/v1": f.Fingerprint},
		},
		Properties: auditProperties{
			Tags: auditTags(f.CWE, f.OWASP), Confidence: f.Confidence.String(), Packed: f.Packed, Verdict: f.Severity.String(),
		},
	}
	if f.Line > 0 {
		out.Locations[0].Physical.Region = &sarifRegion{StartLine: f.Line, StartColumn: f.Column, EndLine: f.EndLine, EndColumn: f.EndColumn}
	}
	if f.Suppressed {
		out.Suppressions = []auditSuppression{{Kind: "external", Status: "accepted", Why: f.Reason}}
	}
	return out
}

//go:embed audit.schema.json
var auditSchema []byte

// AuditSchema returns the JSON Schema of the report of an audit.
func AuditSchema() []byte { return slices.Clone(auditSchema) }
