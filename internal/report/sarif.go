package report

import (
	"bytes"
	_ "embed" // for auditSchema
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/audit"
	auditrules "github.com/vadehq/vade/internal/audit/rules"
	"github.com/vadehq/vade/internal/check/rules"
	"github.com/vadehq/vade/internal/terminal"
)

// object is a JSON object in a SARIF log. Declaring types for these objects would add little,
// because only a few of the format's hundreds of properties are written, each in one place.
type object = map[string]any

// The schema's URL only identifies the format. Nothing is fetched.
const (
	sarifVersion = "2.1.0"
	sarifSchema  = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)

// projectURL is the URL of Vade's home page.
const projectURL = "https://github.com/vadehq/vade"

// projectRoot is the name in the log for the directory that relative paths are relative to.
const projectRoot = "PROJECT"

// Run is one check and its findings.
type Run struct {
	// Version is Vade's version. Directory is the absolute path, with forward slashes, that paths
	// in findings are relative to.
	Version, Directory string
	Findings           []rules.Finding
	// Rule returns a one-line title and a Markdown description for a diagnostic code. Either may be
	// "".
	Rule func(code string) (title, help string)
}

// SARIF writes the results of a check as a SARIF 2.1.0 log. In the log, columns are counted in
// Unicode code points, and edits are byte ranges.
func SARIF(w io.Writer, r Run) error {
	described, results := []object{}, []object{}
	index := map[string]int{}
	for _, code := range sortedIDs(r.Findings, func(f *rules.Finding) string { return string(f.Code) }) {
		index[code] = len(described)
		title, help := code, ""
		if r.Rule != nil {
			if about, page := r.Rule(code); about != "" {
				title, help = about, page
			}
		}
		rule := object{"id": code, "shortDescription": text(title), "defaultConfiguration": object{"level": level(diag.Code(code).Severity())}}
		if help != "" {
			rule["help"] = object{"text": help, "markdown": help}
		}
		described = append(described, rule)
	}
	var missed []Missed
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Code == diag.FileUnreadable {
			missed = append(missed, Missed{Path: f.Path, Reason: f.Message, Unreadable: true})
		}
		result := object{
			"ruleId": f.Code, "ruleIndex": index[string(f.Code)], "level": level(f.Severity),
			"message":             text(withFix(f.Message, f.Fix)),
			"locations":           location(f.Path, f.Line, f.Column, f.EndLine, f.EndColumn),
			"partialFingerprints": object{"vade/v1": f.Fingerprint},
		}
		if len(f.Hosts) > 0 {
			properties := object{"hosts": f.Hosts}
			if len(f.NotLoaded) > 0 {
				properties["notLoaded"] = f.NotLoaded
			}
			result["properties"] = properties
		}
		if f.Edit != nil {
			description := f.Fix
			if description == "" {
				description = "fix it"
			}
			result["fixes"] = []object{{"description": text(description), "artifactChanges": []object{{
				"artifactLocation": artifact(f.Path),
				"replacements": []object{{
					"deletedRegion":   object{"byteOffset": f.Edit.Start, "byteLength": f.Edit.End - f.Edit.Start},
					"insertedContent": text(f.Edit.New),
				}},
			}}}}
		}
		results = append(results, result)
	}
	root := object{"description": text("The directory that was checked.")}
	if r.Directory != "" {
		root["uri"] = fileURI(strings.TrimSuffix(r.Directory, "/") + "/")
	}
	return writeLog(w, r.Version, described, results, object{
		"originalUriBaseIds": object{projectRoot: root}, "invocations": invocations(missed),
	})
}

// SARIFFailure writes the log for a check that could not be performed. The log has no results and
// contains the reason.
func SARIFFailure(w io.Writer, version, reason string) error {
	return writeLog(w, version, []object{}, []object{}, object{"invocations": []object{{
		"executionSuccessful":        false,
		"toolExecutionNotifications": []object{{"level": "error", "message": text(reason)}},
	}}})
}

// Missed is a file or directory that was not examined or was only partially examined.
type Missed struct {
	Path, Reason string
	// Unreadable is set if the file could not be read. The log then says that the run failed.
	Unreadable bool
}

// invocations returns the SARIF invocation object, which says whether the run succeeded and which
// files it missed.
func invocations(missed []Missed) []object {
	ok, notes := true, []object{}
	for _, m := range missed {
		level := "note"
		if m.Unreadable {
			ok, level = false, "error"
		}
		notes = append(notes, object{
			"level": level, "message": text("not examined: " + m.Path + ": " + m.Reason),
			"locations": location(m.Path, 0, 0, 0, 0),
		})
	}
	return []object{{"executionSuccessful": ok, "toolExecutionNotifications": notes}}
}

// AuditRun is one audit and its findings.
type AuditRun struct {
	Version string
	Results []AuditResult
	Missed  []Missed
	// Page returns a rule's page in Markdown, or "".
	Page func(id string) string
}

// AuditResult is a finding. Its path is relative to the audited directory.
type AuditResult struct {
	audit.Finding
	// Suppressed is set if the policy or the baseline suppresses the finding. Reason then says why.
	Suppressed bool
	Reason     string
}

// auditLevel returns the SARIF level for an audit severity, and the security score by which GitHub
// code scanning sorts results.
func auditLevel(s auditrules.Severity) (level, score string) {
	switch s {
	case auditrules.Block:
		return "error", "9.0"
	case auditrules.Review:
		return "warning", "6.0"
	}
	return "note", "2.0"
}

// AuditSARIF writes an audit as a SARIF 2.1.0 log. The log contains no absolute paths, times or
// machine names, so the same files yield the same bytes everywhere.
func AuditSARIF(w io.Writer, r AuditRun) error {
	described, results := []object{}, []object{}
	index := map[string]int{}
	for _, id := range sortedIDs(r.Results, func(x *AuditResult) string { return x.ID }) {
		index[id] = -1
		rule, ok := auditrules.Lookup(id)
		if !ok {
			continue
		}
		help := rule.Fix
		if r.Page != nil && r.Page(id) != "" {
			help = r.Page(id)
		}
		level, score := auditLevel(rule.Severity)
		index[id] = len(described)
		described = append(described, object{
			"id": id, "name": rule.Name, "shortDescription": text(rule.Title), "fullDescription": text(rule.Title + ". " + rule.Why),
			"help":                 object{"text": help, "markdown": help},
			"defaultConfiguration": object{"level": level},
			"properties": object{
				"tags": auditTags(rule.CWE, rule.OWASP), "precision": rule.Confidence.String(),
				"security-severity": score,
			},
		})
	}
	for i := range r.Results {
		f := &r.Results[i]
		level, _ := auditLevel(f.Severity)
		message := f.Message
		if f.More > 0 {
			message += fmt.Sprintf(" (and %d more findings of this rule)", f.More)
		}
		if f.Why != "" {
			message += "\nwhy: " + f.Why
		}
		properties := object{"tags": auditTags(f.CWE, f.OWASP), "confidence": f.Confidence.String(), "severity": f.Severity.String()}
		if f.Packed != "" {
			properties["packed"] = f.Packed
		}
		result := object{
			"ruleId": f.ID, "ruleIndex": index[f.ID], "level": level, "message": text(withFix(message, f.Fix)),
			"locations":           location(f.Path, f.Line, f.Column, f.EndLine, f.EndColumn),
			"partialFingerprints": object{"vadeAudit/v1": f.Fingerprint}, "properties": properties,
		}
		if f.Suppressed {
			suppression := object{"kind": "external", "status": "accepted"}
			if f.Reason != "" {
				suppression["justification"] = f.Reason
			}
			result["suppressions"] = []object{suppression}
		}
		results = append(results, result)
	}
	return writeLog(w, r.Version, described, results, object{
		"originalUriBaseIds": object{projectRoot: object{"description": text("The directory that was audited.")}},
		"invocations":        invocations(r.Missed),
	})
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

//go:embed audit.schema.json
var auditSchema []byte

// AuditSchema returns the JSON Schema for the audit report.
func AuditSchema() []byte { return slices.Clone(auditSchema) }

// writeLog writes a log with one run. It escapes characters that a terminal
// interprets or a reader cannot see, as well as GitHub Actions commands.
func writeLog(w io.Writer, version string, described, results []object, run object) error {
	run["tool"] = object{"driver": object{
		"name": "vade", "version": version, "informationUri": projectURL, "rules": described,
	}}
	run["columnKind"] = "unicodeCodePoints"
	run["results"] = results
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", " ")
	if err := e.Encode(object{"$schema": sarifSchema, "version": sarifVersion, "runs": []object{run}}); err != nil {
		return err
	}
	_, err := w.Write(terminal.EscapeJSON(b.Bytes()))
	return err
}

// sortedIDs returns the findings' distinct rule IDs, sorted.
func sortedIDs[F any](list []F, id func(*F) string) []string {
	var ids []string
	for i := range list {
		ids = append(ids, id(&list[i]))
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func text(s string) object { return object{"text": s} }

func withFix(message, fix string) string {
	if fix == "" {
		return message
	}
	return message + "\nfix: " + fix
}

func level(s diag.Severity) string {
	switch s {
	case diag.Error:
		return "error"
	case diag.Warning:
		return "warning"
	}
	return "note"
}

// location returns a finding's position. A finding without a line applies to the whole file.
func location(p string, line, column, endLine, endColumn int) []object {
	physical := object{"artifactLocation": artifact(p)}
	if line > 0 {
		region := object{}
		for name, n := range map[string]int{"startLine": line, "startColumn": column, "endLine": endLine, "endColumn": endColumn} {
			if n > 0 {
				region[name] = n
			}
		}
		physical["region"] = region
	}
	return []object{{"physicalLocation": physical}}
}

// artifact returns the URI for a path. If the path is relative, the URI is
// relative to the project root.
func artifact(p string) object {
	if path.IsAbs(p) || len(p) > 1 && p[1] == ':' {
		return object{"uri": fileURI(p)}
	}
	if p == "" {
		p = "."
	}
	return object{"uri": (&url.URL{Path: strings.TrimPrefix(p, "./")}).EscapedPath(), "uriBaseId": projectRoot}
}

func fileURI(p string) string {
	if !strings.HasPrefix(p, "/") {
		p = "/" + p
	}
	return (&url.URL{Scheme: "file", Path: p}).String()
}
