package scan

import (
	"io"
	"strings"

	"github.com/vadehq/vade/internal/audit/rules"
	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/report"
	"github.com/vadehq/vade/internal/resolve"
	"github.com/vadehq/vade/internal/version"
)

// Rules returns the IDs of the rules whose findings [Run] can report.
func Rules() []string {
	var ids []string
	for _, r := range rules.All() {
		ids = append(ids, r.ID)
	}
	return ids
}

// RulePage returns the Markdown page for an audit rule, given its ID or name.
func RulePage(id string) (page string, ok bool) {
	r, ok := rules.Lookup(id)
	if !ok {
		return "", false
	}
	return r.Page(), true
}

// NearestRules returns the IDs of up to three rules that a word may refer to: the rules whose names
// contain the word or, if there are none, those whose IDs are most similar to it.
func NearestRules(word string) []string {
	var ids []string
	lower := strings.ToLower(word)
	for _, r := range rules.All() {
		if len(lower) > 2 && strings.Contains(r.Name, lower) && len(ids) < 3 {
			ids = append(ids, r.ID)
		}
	}
	if len(ids) > 0 {
		return ids
	}
	return resolve.Nearest(strings.ToUpper(word), Rules())
}

// WriteSARIF writes the report in SARIF 2.1.0 format for code scanning. Columns count Unicode code
// points.
func (r *Report) WriteSARIF(w io.Writer) error {
	run := report.AuditRun{Version: version.Number, Page: func(id string) string {
		page, _ := RulePage(id)
		return page
	}}
	for i := range r.Packages {
		p := &r.Packages[i]
		for j := range p.Findings {
			f := &p.Findings[j]
			x := report.AuditResult{Finding: f.Finding}
			if f.Path == "" {
				x.Path = p.Path
				if p.Main != "" {
					x.Path = p.Main
				}
			}
			if f.Suppressed != nil {
				x.Suppressed, x.Reason = true, strings.TrimSuffix(f.Suppressed.By+": "+f.Suppressed.Reason, ": ")
			}
			run.Results = append(run.Results, x)
		}
		for _, m := range p.Coverage.Missed {
			reason := strings.TrimSpace(string(m.Reason) + " " + m.Note)
			run.Missed = append(run.Missed, report.Missed{
				Path: m.Path, Reason: reason, Unreadable: m.Reason == signal.MissedUnreadable,
			})
		}
	}
	for _, s := range r.Skipped {
		run.Missed = append(run.Missed, report.Missed(s))
	}
	return report.AuditSARIF(w, run)
}

// Schema returns the JSON Schema (draft 2020-12) for [Report].
func Schema() []byte { return report.AuditSchema() }
