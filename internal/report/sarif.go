package report

import (
	"bytes"
	"encoding/json"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/check/rules"
	"github.com/vadehq/vade/internal/terminal"
)

// The address of the schema is a name here: nothing is fetched.
const (
	sarifVersion = "2.1.0"
	sarifSchema  = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool       sarifTool               `json:"tool"`
	ColumnKind string                  `json:"columnKind"`
	Bases      map[string]sarifAddress `json:"originalUriBaseIds,omitempty"`
	Results    []sarifResult           `json:"results"`
	// Invocations say that a run was not successful; none is one that was.
	Invocations []sarifInvocation `json:"invocations,omitempty"`
}

type sarifInvocation struct {
	Successful    bool                `json:"executionSuccessful"`
	Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
}

type sarifNotification struct {
	Level   string    `json:"level"`
	Message sarifText `json:"message"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID      string       `json:"id"`
	Short   sarifText    `json:"shortDescription"`
	Help    *sarifText   `json:"help,omitempty"`
	Default sarifDefault `json:"defaultConfiguration"`
}

type sarifDefault struct {
	Level string `json:"level"`
}

type sarifText struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown,omitempty"`
}

type sarifResult struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      sarifText         `json:"message"`
	Locations    []sarifLocation   `json:"locations"`
	Fingerprints map[string]string `json:"partialFingerprints"`
	Fixes        []sarifFix        `json:"fixes,omitempty"`
	Properties   *sarifProperties  `json:"properties,omitempty"`
}

type sarifProperties struct {
	Hosts     []string `json:"hosts,omitempty"`
	NotLoaded []string `json:"notLoaded,omitempty"`
}

type sarifLocation struct {
	Physical sarifPhysical `json:"physicalLocation"`
}

type sarifPhysical struct {
	Artifact sarifAddress `json:"artifactLocation"`
	Region   *sarifRegion `json:"region,omitempty"`
}

type sarifAddress struct {
	URI    string `json:"uri"`
	BaseID string `json:"uriBaseId,omitempty"`
}

type sarifRegion struct {
	StartLine   int  `json:"startLine,omitempty"`
	StartColumn int  `json:"startColumn,omitempty"`
	EndLine     int  `json:"endLine,omitempty"`
	EndColumn   int  `json:"endColumn,omitempty"`
	ByteOffset  *int `json:"byteOffset,omitempty"`
	ByteLength  *int `json:"byteLength,omitempty"`
}

type sarifFix struct {
	Description sarifText     `json:"description"`
	Changes     []sarifChange `json:"artifactChanges"`
}

type sarifChange struct {
	Artifact     sarifAddress       `json:"artifactLocation"`
	Replacements []sarifReplacement `json:"replacements"`
}

type sarifReplacement struct {
	Deleted  sarifRegion `json:"deletedRegion"`
	Inserted struct {
		Text string `json:"text"`
	} `json:"insertedContent"`
}

// base is what the paths of the project are relative to.
const base = "PROJECT"

// SARIF writes a run as one SARIF 2.1.0 log. Columns count code points; edits are
// given as ranges of bytes.
func SARIF(w io.Writer, r Run) error {
	run := sarifRun{
		Tool:       sarifTool{sarifDriver{Name: "vade", Version: r.Version, Rules: []sarifRule{}}},
		ColumnKind: "unicodeCodePoints", Results: []sarifResult{},
	}
	if r.Directory != "" {
		run.Bases = map[string]sarifAddress{base: {URI: fileURI(strings.TrimSuffix(r.Directory, "/") + "/")}}
	}
	var codes []string
	for _, f := range r.Findings {
		codes = append(codes, string(f.Code))
	}
	slices.Sort(codes)
	codes = slices.Compact(codes)
	for _, c := range codes {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule(c, r.Rule))
	}
	for i := range r.Findings {
		run.Results = append(run.Results, result(&r.Findings[i], codes))
	}
	return encode(w, sarifLog{sarifSchema, sarifVersion, []sarifRun{run}})
}

// SARIFFailure writes the log of a run that could not check: it has no results, says
// so, and why.
func SARIFFailure(w io.Writer, version, reason string) error {
	return encode(w, sarifLog{sarifSchema, sarifVersion, []sarifRun{{
		Tool:       sarifTool{sarifDriver{Name: "vade", Version: version, Rules: []sarifRule{}}},
		ColumnKind: "unicodeCodePoints", Results: []sarifResult{},
		Invocations: []sarifInvocation{{Notifications: []sarifNotification{{Level: "error", Message: sarifText{Text: reason}}}}},
	}}})
}

// encode writes a log. What a terminal would obey, a reader not see or a log of
// GitHub Actions take for a command stands in it escaped.
func encode(w io.Writer, log any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", " ")
	if err := e.Encode(log); err != nil {
		return err
	}
	_, err := w.Write(terminal.EscapeJSON(b.Bytes()))
	return err
}

func rule(code string, about func(string) (string, string)) sarifRule {
	r := sarifRule{ID: code, Short: sarifText{Text: code}, Default: sarifDefault{level(diag.Code(code).Severity())}}
	if about == nil {
		return r
	}
	title, help := about(code)
	if title != "" {
		r.Short.Text = title
	}
	if help != "" {
		r.Help = &sarifText{Text: help, Markdown: help}
	}
	return r
}

func result(f *rules.Finding, codes []string) sarifResult {
	index, _ := slices.BinarySearch(codes, string(f.Code))
	text := f.Message
	if f.Fix != "" {
		text += "\nfix: " + f.Fix
	}
	where := address(f.Path)
	out := sarifResult{
		RuleID: string(f.Code), RuleIndex: index, Level: level(f.Severity), Message: sarifText{Text: text},
		Locations:    []sarifLocation{{sarifPhysical{Artifact: where}}},
		Fingerprints: map[string]string{"vade/v1": f.Fingerprint},
	}
	if f.Line > 0 {
		out.Locations[0].Physical.Region = &sarifRegion{StartLine: f.Line, StartColumn: f.Column, EndLine: f.EndLine, EndColumn: f.EndColumn}
	}
	if len(f.Hosts) > 0 {
		out.Properties = &sarifProperties{Hosts: f.Hosts, NotLoaded: f.NotLoaded}
	}
	if f.Edit != nil {
		start, length := f.Edit.Start, f.Edit.End-f.Edit.Start
		var re sarifReplacement
		re.Deleted = sarifRegion{ByteOffset: &start, ByteLength: &length}
		re.Inserted.Text = f.Edit.New
		description := f.Fix
		if description == "" {
			description = "mend it"
		}
		out.Fixes = []sarifFix{{Description: sarifText{Text: description}, Changes: []sarifChange{{Artifact: where, Replacements: []sarifReplacement{re}}}}}
	}
	return out
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

// address is the address of a path as it is shown: below the project where it is
// relative.
func address(p string) sarifAddress {
	if path.IsAbs(p) || len(p) > 1 && p[1] == ':' {
		return sarifAddress{URI: fileURI(p)}
	}
	if p == "" {
		p = "."
	}
	return sarifAddress{URI: (&url.URL{Path: strings.TrimPrefix(p, "./")}).EscapedPath(), BaseID: base}
}

func fileURI(p string) string {
	if !strings.HasPrefix(p, "/") {
		p = "/" + p
	}
	return (&url.URL{Scheme: "file", Path: p}).String()
}
