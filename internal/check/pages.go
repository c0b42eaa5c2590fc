package check

import (
	"io"
	"slices"
	"strings"

	"github.com/vadehq/vade/docs"
	"github.com/vadehq/vade/internal/check/rules"
	"github.com/vadehq/vade/internal/report"
	"github.com/vadehq/vade/internal/resolve"
	"github.com/vadehq/vade/internal/version"
)

// Rules returns the codes of the findings that [Run] may report.
func Rules() []string {
	var codes []string
	for _, c := range rules.Codes() {
		codes = append(codes, string(c))
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// RulePage returns the page of a rule by its code, in Markdown.
func RulePage(code string) (page string, ok bool) {
	if !slices.Contains(Rules(), strings.ToUpper(code)) {
		return "", false
	}
	data, err := docs.Rules.ReadFile("rules/" + strings.ToLower(code) + ".md")
	return string(data), err == nil
}

// CodeMeaning returns the severity of a diagnostic's code and what it means in a
// line of Markdown, also where [Run] does not report it.
func CodeMeaning(code string) (severity, meaning string, ok bool) {
	for line := range strings.Lines(docs.Diagnostics) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) == 5 && strings.TrimSpace(cells[1]) == "`"+strings.ToUpper(code)+"`" {
			return strings.TrimSpace(cells[2]), strings.TrimSpace(cells[3]), true
		}
	}
	return "", "", false
}

// NearestRules returns up to three codes that are most like a word.
func NearestRules(word string) []string { return resolve.Nearest(strings.ToUpper(word), Rules()) }

// WriteSARIF writes the report in the form SARIF 2.1.0, which code scanning reads.
// Columns count code points.
// An edit of a line that may hold a secret is left out: the report goes to others.
func (r *Report) WriteSARIF(w io.Writer) error {
	list := slices.Clone(r.Findings)
	for i := range list {
		if strings.Contains(list[i].Source, "‹hidden›") {
			list[i].Edit = nil
		}
	}
	return report.SARIF(w, report.Run{Version: version.Number, Directory: r.Directory, Findings: list, Rule: aboutRule})
}

// WriteSARIFFailure writes, as SARIF, that there was no check and why.
func WriteSARIFFailure(w io.Writer, reason string) error {
	return report.SARIFFailure(w, version.Number, reason)
}

// WriteGitHub writes the report as commands of GitHub Actions, one a line.
func (r *Report) WriteGitHub(w io.Writer) error { return report.GitHub(w, r.Findings) }

// aboutRule returns the title of a rule's page and the page.
func aboutRule(code string) (title, help string) {
	page, ok := RulePage(code)
	if !ok {
		return "", ""
	}
	for line := range strings.Lines(page) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") {
			return line, page
		}
	}
	return "", page
}
