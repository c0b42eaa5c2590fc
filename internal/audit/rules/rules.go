// Package rules decides which signals are findings. Each rule is one Markdown file, which is also
// its documentation page. The file has a header, an explanation of the risk and the fix, rows that
// match signals, and examples. This package reads the files and applies the rows, so adding a rule
// requires no code.
//
// A row is one line:
//
//	SEVERITY[/CONFIDENCE][@PERSONA] KIND TERM... [+ KIND TERM... [in unit|file|package]] : MESSAGE
//
// SEVERITY is block, review, inform or skip. A TERM is a tag that the signal must have, !tag for a
// tag that it must not have, or a|b if it must have at least one of several tags. A part that
// starts with + requires another signal in the same region (unit), file or package (the default). A
// part that starts with !+ requires that no such signal exists. The first row that matches a signal
// applies. If that row's severity is skip, the rule reports nothing for the signal. In MESSAGE,
// {subject} and {object} are replaced with the signal's subject and object.
//
// By default, findings in visible text that is not meant to be followed (taught, quoted, negated)
// are shown only to auditors, and findings in companion files that the definition does not refer to
// are one severity level lower. The word "any" in a row disables both adjustments. The word
// "guarded" says that Vade prevents the behavior while it loads the definition. Vade then loads the
// rest of the definition, but still reports the behavior, because a host may allow it.
package rules

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/vadehq/vade/internal/audit/signal"
)

//go:embed *.md
var files embed.FS

// Severity says how to respond to a finding.
type Severity uint8

// The severities. Clean means that there is no finding. An Inform finding requires no action, a
// Review finding must be reviewed by a person, and a Block finding means that the definition must
// not be loaded.
const (
	Clean Severity = iota
	Inform
	Review
	Block
)

var severityNames = [...]string{"clean", "inform", "review", "block"}

func (s Severity) String() string { return severityNames[s] }

// MarshalText returns the severity's name, which is also its JSON form.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText parses a severity name.
func (s *Severity) UnmarshalText(text []byte) error {
	at := slices.Index(severityNames[:], string(text))
	if at < 0 {
		return fmt.Errorf("unknown severity %q", text)
	}
	*s = Severity(at)
	return nil
}

// Confidence says how likely it is that a finding is correct.
type Confidence uint8

// The confidence levels.
const (
	Low Confidence = iota + 1
	Medium
	High
)

var confidenceNames = [...]string{"", "low", "medium", "high"}

func (c Confidence) String() string { return confidenceNames[c] }

// MarshalText returns the confidence level's name, which is also its JSON form.
func (c Confidence) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Persona selects which findings are reported. Each persona also gets the findings of the personas
// listed before it.
type Persona uint8

// The personas. Regular gets the most important findings, Pedantic also gets minor ones, and
// Auditor gets everything, including findings in text that is only quoted or forbidden.
const (
	Regular Persona = iota
	Pedantic
	Auditor
)

var personaNames = [...]string{"regular", "pedantic", "auditor"}

func (p Persona) String() string { return personaNames[p] }

// ParsePersona parses a persona name.
func ParsePersona(word string) (Persona, bool) {
	at := slices.Index(personaNames[:], word)
	return Persona(max(at, 0)), at >= 0
}

// Rule is a rule read from a Markdown file.
type Rule struct {
	// ID is stable. It consists of a letter for the rule's family, followed by a number. Name is a
	// readable slug.
	ID, Name, Title string
	// Scope is what the rule examines: "definition", "text", "code" or "package".
	Scope string
	// CWE lists Common Weakness Enumeration numbers, and OWASP is a code from the OWASP Agentic
	// Skills Top 10.
	CWE   []int
	OWASP string
	// Why explains the risk, and Fix explains how to remove it.
	Why, Fix string
	// Severity and Confidence are the highest values in the rule's rows.
	Severity   Severity
	Confidence Confidence
	Rows       []Row
	// Wrong holds examples in which the rule must report a finding, and Right holds examples in
	// which it must not.
	Wrong, Right []Example

	body string
}

// Example is a package of text files that is shown on a rule's page.
type Example []ExampleFile

// ExampleFile is a file in an example.
type ExampleFile struct{ Path, Text string }

// Row is one condition in a rule.
type Row struct {
	// Severity is Clean if the row's severity is skip.
	Severity   Severity
	Confidence Confidence
	Persona    Persona
	// If Any is set, the finding does not depend on the intent and the reach of the text.
	Any bool
	// Guarded reports whether Vade prevents the behavior while it loads the definition. Vade then
	// loads the rest of the definition, but still reports the finding, because a host may allow the
	// behavior.
	Guarded bool
	On      Match
	With    []With
	// Message is the finding's text, with {subject} and {object} placeholders.
	Message string
}

// Match is a signal kind and a list of terms, all of which must hold.
type Match struct {
	Kind  signal.Kind
	Terms []Term
}

// Term is a list of tags. It holds if the signal has any of them or, if Not is set, if it has none
// of them.
type Term struct {
	Tags []signal.Tag
	Not  bool
}

// With requires that another matching signal exists or, if Not is set, that none does.
type With struct {
	Match
	Not bool
	// In is where to look for the other signal: "unit", "file" or "package".
	In string
}

// Matches reports whether a signal matches.
func (m *Match) Matches(s *signal.Signal) bool {
	if s.Kind != m.Kind {
		return false
	}
	for i := range m.Terms {
		t := &m.Terms[i]
		if slices.ContainsFunc(t.Tags, s.Has) == t.Not {
			return false
		}
	}
	return true
}

// All returns all rules, sorted by ID. The slice is shared, so callers must not modify it.
var All = sync.OnceValue(func() []Rule {
	list, err := load(files)
	if err != nil {
		panic(err) // Unreachable: a test loads the same files.
	}
	return list
})

// load reads the rules in a directory.
func load(dir fs.FS) ([]Rule, error) {
	names, err := fs.Glob(dir, "*.md")
	if err != nil {
		return nil, err
	}
	list := make([]Rule, len(names))
	for i, name := range names {
		data, err := fs.ReadFile(dir, name)
		if err == nil {
			list[i], err = Parse(string(data))
		}
		if want := strings.ToLower(list[i].ID) + ".md"; err == nil && name != want {
			err = fmt.Errorf("the file name of rule %s must be %s", list[i].ID, want)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return list, nil
}

// Parse parses the text of a rule file.
func Parse(text string) (Rule, error) {
	var r Rule
	text, ok := strings.CutPrefix(text, "---\n")
	header, body, found := strings.Cut(text, "\n---\n")
	if !ok || !found {
		return r, fmt.Errorf("a rule must start with a header between --- lines")
	}
	r.body = body
	cwe := ""
	fields := map[string]*string{
		"id": &r.ID, "name": &r.Name, "title": &r.Title, "scope": &r.Scope, "owasp": &r.OWASP, "cwe": &cwe,
	}
	for line := range strings.Lines(header) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if fields[key] == nil {
			return r, fmt.Errorf("unknown header field %q", key)
		}
		*fields[key] = strings.TrimSpace(value)
	}
	for word := range strings.FieldsSeq(cwe) {
		n, err := strconv.Atoi(word)
		if err != nil {
			return r, fmt.Errorf("cwe: %q is not a number", word)
		}
		r.CWE = append(r.CWE, n)
	}
	part := sections(body)
	r.Why, r.Fix = unwrap(part["Why"]), unwrap(part["Fix"])
	r.Wrong, r.Right = examples(part["Wrong"]), examples(part["Right"])
	if err := r.rows(part["Rows"]); err != nil {
		return r, err
	}
	if slices.Contains([]string{r.ID, r.Name, r.Title, r.Scope, r.Why, r.Fix}, "") || len(r.Rows) == 0 {
		return r, fmt.Errorf("a rule needs id, name, title, scope, and the sections Why, Fix and Rows")
	}
	if len(r.Wrong) == 0 || len(r.Right) == 0 {
		return r, fmt.Errorf("a rule needs examples in the sections Wrong and Right")
	}
	return r, nil
}

// unwrap joins lines with spaces.
func unwrap(text string) string { return strings.Join(strings.Fields(text), " ") }

// sections returns the text under each level-2 heading. It ignores headings in code blocks.
func sections(body string) map[string]string {
	list := map[string]string{}
	fenced, title, from, at := false, "", 0, 0
	for line := range strings.Lines(body) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if heading, ok := strings.CutPrefix(line, "## "); ok && !fenced {
			list[title] = strings.TrimSpace(body[from:at])
			title, from = strings.TrimSpace(heading), at+len(line)
		}
		at += len(line)
	}
	list[title] = strings.TrimSpace(body[from:])
	return list
}

// rows parses the code block in the Rows section.
func (r *Rule) rows(text string) error {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "```") || strings.HasPrefix(line, "#") {
			continue
		}
		row, err := ParseRow(line)
		if err != nil {
			return fmt.Errorf("row %q: %w", line, err)
		}
		r.Rows = append(r.Rows, row)
		r.Severity, r.Confidence = max(r.Severity, row.Severity), max(r.Confidence, row.Confidence)
	}
	return nil
}

// ParseRow parses one row.
func ParseRow(line string) (Row, error) {
	row := Row{Confidence: High}
	condition, message, found := strings.Cut(line, " : ")
	row.Message = strings.TrimSpace(message)
	words := strings.Fields(condition)
	if len(words) < 2 {
		return row, fmt.Errorf("a row needs a severity and a kind")
	}
	if err := row.head(words[0]); err != nil {
		return row, err
	}
	if row.Severity != Clean && (!found || row.Message == "") {
		return row, fmt.Errorf("the message is missing: write it after a colon that has spaces around it")
	}
	words = slices.DeleteFunc(words[1:], func(word string) bool {
		row.Any, row.Guarded = row.Any || word == "any", row.Guarded || word == "guarded"
		return word == "any" || word == "guarded"
	})
	for first := true; len(words) > 0; first = false {
		w := With{In: "package"}
		if !first {
			w.Not = words[0] == "!+"
			words = words[1:]
		}
		end := slices.IndexFunc(words, func(w string) bool { return w == "+" || w == "!+" })
		if end < 0 {
			end = len(words)
		}
		part := words[:end]
		words = words[end:]
		if n := len(part); n > 2 && part[n-2] == "in" {
			w.In, part = part[n-1], part[:n-2]
			if w.In != "unit" && w.In != "file" && w.In != "package" {
				return row, fmt.Errorf("invalid scope %s: use unit, file or package", w.In)
			}
		}
		if err := w.Match.parse(part); err != nil {
			return row, err
		}
		if first {
			row.On = w.Match
		} else {
			row.With = append(row.With, w)
		}
	}
	return row, nil
}

// head parses SEVERITY[/CONFIDENCE][@PERSONA].
func (row *Row) head(text string) error {
	head, persona, has := strings.Cut(text, "@")
	if has {
		if row.Persona, has = ParsePersona(persona); !has {
			return fmt.Errorf("unknown persona %q", persona)
		}
	}
	severity, confidence, has := strings.Cut(head, "/")
	if has {
		at := slices.Index(confidenceNames[:], confidence)
		if at <= 0 {
			return fmt.Errorf("unknown confidence %q", confidence)
		}
		row.Confidence = Confidence(at)
	}
	if severity == "skip" {
		return nil
	}
	return row.Severity.UnmarshalText([]byte(severity))
}

// parse parses a kind and its terms.
func (m *Match) parse(words []string) error {
	if len(words) == 0 {
		return fmt.Errorf("the kind is missing")
	}
	m.Kind = signal.Kind(words[0])
	entry, ok := signal.Vocabulary()[m.Kind]
	if !ok {
		return fmt.Errorf("unknown kind %q", m.Kind)
	}
	for _, word := range words[1:] {
		rest, not := strings.CutPrefix(word, "!")
		t := Term{Not: not}
		for _, name := range strings.Split(rest, "|") {
			tag := signal.Tag(name)
			if _, known := entry.Tags[tag]; !known && !signal.ContextTag(tag) {
				return fmt.Errorf("%s has no tag %q", m.Kind, tag)
			}
			t.Tags = append(t.Tags, tag)
		}
		m.Terms = append(m.Terms, t)
	}
	return nil
}

// examples parses a list of code blocks. The info string of each block is the path of a file.
// Consecutive blocks without prose between them form a package. If a package has no SKILL.md, the
// test that audits it adds one that says to run the first file. To make invisible characters
// visible in an example, append ".quoted" to the path and write the lines as quoted strings;
// examples then unquotes them.
func examples(text string) []Example {
	var list []Example
	var current Example
	fence, info, content := "", "", ""
	for line := range strings.Lines(text) {
		trimmed := strings.TrimRight(line, "\n")
		switch {
		case fence == "" && strings.HasPrefix(trimmed, "```"):
			fence = trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, "`"))]
			info, content = strings.TrimSpace(trimmed[len(fence):]), ""
		case fence != "" && trimmed == fence:
			if path.Ext(info) == "" {
				// If the info string is a language, the block is part of the text of a skill.
				content = "# Example\n\n```" + info + "\n" + content + "```\n"
				info = "SKILL.md"
			}
			if plain, ok := strings.CutSuffix(info, ".quoted"); ok {
				info, content = plain, unquoted(content)
			}
			current = append(current, ExampleFile{info, content})
			fence = ""
		case fence != "":
			content += line
		case trimmed != "" && len(current) > 0:
			list, current = append(list, current), nil
		}
	}
	if len(current) > 0 {
		list = append(list, current)
	}
	return list
}

// unquoted replaces each line that is a quoted Go string with the string's value, without adding a
// line break. It leaves other lines unchanged.
func unquoted(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if s, err := strconv.Unquote(strings.TrimSpace(line)); err == nil {
			line = s
		}
		b.WriteString(line)
	}
	return b.String()
}

// ParseSeverity parses the name of a severity other than Clean.
func ParseSeverity(word string) (Severity, bool) {
	at := slices.Index(severityNames[:], word)
	return Severity(max(at, 0)), at > 0
}
