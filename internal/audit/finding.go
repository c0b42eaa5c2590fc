package audit

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/audit/fact"
)

// Finding is something in a package that may be dangerous.
type Finding struct {
	ID         string     `json:"id"`
	Name       string     `json:"name"`
	Severity   Severity   `json:"severity"`
	Confidence Confidence `json:"confidence"`
	// Path is relative to the package; "" is the package as a whole. Lines and
	// columns begin at 1 and count characters; the end is behind the last one.
	Path      string `json:"path,omitempty"`
	Line      int    `json:"line,omitempty"`
	Column    int    `json:"column,omitempty"`
	EndLine   int    `json:"endLine,omitempty"`
	EndColumn int    `json:"endColumn,omitempty"`
	Message   string `json:"message"`
	Why       string `json:"why,omitempty"`
	Fix       string `json:"fix,omitempty"`
	// Packed says through which encodings the text was read, if it was.
	Packed string `json:"packed,omitempty"`
	CWE    []int  `json:"cwe,omitempty"`
	OWASP  string `json:"owasp,omitempty"`
	// More is how many others of the rule are left out behind this one.
	More int `json:"more,omitempty"`
	// Fingerprint tells the finding from others, and stays when lines move.
	Fingerprint string `json:"fingerprint"`
	// Digest is that of the file's content: what a suppression is bound to.
	Digest string `json:"digest,omitempty"`

	// Persona is the first that sees the finding.
	Persona Persona `json:"-"`
	// Source is the line: other people's bytes. From and To are where the finding
	// is in it, in bytes.
	Source   string `json:"-"`
	From, To int    `json:"-"`

	// Guarded: what was found can not happen while Vade loads the definition, since the
	// policy refuses it there by itself. A host may still do it.
	Guarded bool `json:"-"`

	// file and span are where the finding is, until settle has counted the lines.
	file *fact.File
	span diag.Span
}

// finding makes a finding at a place.
func (p *pass) finding(place fact.Place, format string, args ...any) Finding {
	f := p.about(format, args...)
	file := p.Package.Files[place.File]
	var how []string
	for file.From != nil {
		how = append(how, file.From.How)
		if file.From.Container {
			break
		}
		place = fact.Place{File: file.From.File, Span: file.From.Span}
		file = p.Package.Files[place.File]
	}
	slices.Reverse(how)
	f.Packed = strings.Join(how, ", then ")
	f.show(file, file.RawSpan(place.Span))
	return f
}

// show says where a finding is: a range of a file's Raw. Lines and columns are
// counted by settle, for those findings that are kept.
func (f *Finding) show(file *fact.File, span diag.Span) {
	f.Path, f.file, f.span = file.Path, file, span
}

// settle counts the lines and columns of a finding and takes its line.
func (f *Finding) settle() {
	if f.file == nil {
		return
	}
	src := f.file.Source()
	start, end := src.Pos(f.span.Start), src.Pos(f.span.End)
	f.Line, f.Column, f.EndLine, f.EndColumn = start.Line, start.Column, end.Line, end.Column
	f.Source = src.Line(f.span.Start)
	f.From = byteColumn(f.Source, start.Column)
	f.To = len(f.Source)
	if end.Line == start.Line {
		f.To = byteColumn(f.Source, end.Column)
	}
	f.file = nil
}

// byteColumn turns a column of characters into one of bytes.
func byteColumn(line string, column int) int {
	n := 1
	for i := range line {
		if n == column {
			return i
		}
		n++
	}
	return len(line)
}

// about makes a finding about the package.
func (p *pass) about(format string, args ...any) Finding {
	r := p.rule
	return Finding{
		ID: r.ID, Name: r.Name, Severity: r.Severity, Confidence: r.Confidence, Why: r.Why, Fix: r.Fix, CWE: r.CWE, OWASP: r.OWASP,
		Message: fmt.Sprintf(format, args...),
	}
}

// sortFindings orders findings by weight, file, place and rule.
func sortFindings(list []Finding) {
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(b.Severity, a.Severity), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.ID, b.ID), cmp.Compare(a.Message, b.Message),
		)
	})
}

// fingerprint gives each finding its fingerprint: of the rule, the path, the text of
// the line without its blanks, and a number where several are alike.
func fingerprint(list []Finding) {
	seen := map[string]int{}
	for i := range list {
		f := &list[i]
		text := f.Source
		if f.Line == 0 {
			text = f.Message
		}
		key := f.ID + "\x00" + f.Path + "\x00" + strings.Join(strings.Fields(text), " ")
		sum := sha256.Sum256([]byte(key + "\x00" + strconv.Itoa(seen[key])))
		seen[key]++
		f.Fingerprint = hex.EncodeToString(sum[:12])
	}
}

// UnmarshalText reads the word of a severity.
func (s *Severity) UnmarshalText(text []byte) error {
	at := slices.Index(severityNames[:], string(text))
	if at < 0 {
		return fmt.Errorf("%q is no severity", text)
	}
	*s = Severity(at)
	return nil
}
