package frontmatter

import (
	"bytes"
	"fmt"

	"github.com/vadehq/vade/diag"
)

// openerNotes says what is unusual about the opening line, and whether the host reads
// no such line.
func (s *splitter) openerNotes() (notes []Note, rejected bool) {
	o, d := &s.open, s.d
	note := func(code diag.Code, allowed bool, start, end int) {
		notes = append(notes, Note{Code: code, Span: diag.Span{Start: start, End: end}, Rejected: !allowed})
		rejected = rejected || !allowed
	}
	if o.bom > 0 {
		note(diag.FMBOM, d.BOM, 0, o.bom)
	}
	if o.blank || o.comment {
		allowed := (d.LeadingBlank || !o.blank) && (d.LeadingComment || !o.comment)
		note(diag.FMNotAtByte0, allowed, o.bom, o.dashes.Start-o.indent)
	}
	if o.indent > 0 {
		note(diag.FMIndented, d.Indented, o.dashes.Start-o.indent, o.dashes.Start)
	}
	if o.trailing.End > o.trailing.Start {
		note(diag.FMTrailingSpace, d.TrailingSpace, o.trailing.Start, o.trailing.End)
	}
	carriage := o.newline.End > o.newline.Start && s.data[o.newline.Start] == '\r'
	if carriage && (!d.CRLF || d.NeedsLF && o.newline.End == o.newline.Start+1) {
		note(diag.FMTrailingSpace, false, o.newline.Start, o.newline.Start+1)
	}
	return notes, rejected
}

func (s *splitter) closerNotes(notes []Note, c closing) []Note {
	if c.inLine || c.text {
		return append(notes, Note{Code: diag.FMDashesInValue, Span: c.dashes, Rejected: true})
	}
	if c.indent > 0 {
		notes = append(notes, Note{Code: diag.FMIndented, Span: diag.Span{Start: c.dashes.Start - c.indent, End: c.dashes.Start}})
	}
	if c.trailing.End > c.trailing.Start {
		notes = append(notes, Note{Code: diag.FMTrailingSpace, Span: c.trailing})
	}
	if c.other >= 0 {
		notes = append(notes, Note{Code: diag.FMDashesInValue, Span: diag.Span{Start: c.other, End: c.other + 3}})
	}
	return notes
}

// Diagnostic describes the note for the user.
func (n Note) Diagnostic(f *diag.File) diag.Diagnostic {
	message, fix, mend := n.words()
	d := diag.At(f, n.Span, n.Code, "%s", message).WithFix("%s", fix)
	if mend && len(bytes.Trim(f.Data[n.Span.Start:n.Span.End], bom+" \t\r\n")) == 0 {
		d = d.WithEdit(n.Span, "")
	}
	if n.Rejected && d.Severity < diag.Warning {
		d.Severity = diag.Warning
	}
	return d
}

// words returns the message and the fix of a note, and whether removing its
// span mends it.
func (n Note) words() (message, fix string, mend bool) {
	loss := "some hosts do not see the frontmatter"
	if n.Code == diag.FMUnclosed && !n.Rejected {
		return `the frontmatter has no closing "---": this host takes the whole file for frontmatter`, `put "---" on a line of its own after the last field`, false
	}
	if n.Rejected {
		loss = "this host takes the whole file for the body"
	}
	switch n.Code {
	case diag.FMBOM:
		return "the file begins with a byte order mark: " + loss, "save the file without a byte order mark", true
	case diag.FMNotAtByte0:
		return `something stands before the opening "---": ` + loss, `begin the file with "---"`, true
	case diag.FMIndented:
		return `"---" is indented: ` + loss, `put "---" at the beginning of its line`, true
	case diag.FMTrailingSpace:
		return `blanks follow "---": ` + loss, `remove the blanks after "---"`, true
	case diag.FMUnclosed:
		return `the frontmatter has no closing "---": the whole file is taken for the body`, `put "---" on a line of its own after the last field`, false
	case diag.FMEmpty:
		return `nothing stands between the two "---": this host sees no frontmatter`, `write the fields between the two lines, or remove both`, false
	case diag.FMTooLarge:
		return fmt.Sprintf(`no closing "---" in the first %d KiB: the whole file is taken for the body`, MaxBlock>>10), `close the frontmatter with a line "---"`, false
	case diag.FMDashesInValue:
		if n.Rejected {
			return `this host ends the frontmatter at the first "---": what follows it becomes the body`, `do not write "---" inside the frontmatter`, false
		}
		return `"---" inside the frontmatter: some hosts end it there`, `write the value without "---"`, false
	}
	return string(n.Code), "", false
}
