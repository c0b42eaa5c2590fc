package frontmatter

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
)

// Document is what the frontmatter of one file holds.
type Document struct {
	Block
	// Entries are the top-level keys in the file's order, each once.
	Entries []definition.Entry
	// Valid: the host reads all of the block, perhaps after repair. It is true
	// where there is no block. The entries of a block that is not valid are
	// those that can be read on their own; the diagnostics name the others. A
	// host that takes nothing from a broken block ignores them all.
	Valid bool
	// Repaired: values stand here as their author meant them, not as YAML reads
	// them; a diagnostic names each.
	Repaired bool
}

// Parse finds and decodes the YAML frontmatter of a file as the dialect does.
// With prefix, f is the head of a longer file; where it is too short, the
// result has More set and nothing else means anything. Spans are byte offsets
// in f.
func Parse(f *diag.File, prefix bool, d host.Dialect) (Document, []diag.Diagnostic) {
	doc := Document{Block: Split(f.Data, prefix, d.Delimiters), Valid: true}
	if doc.More {
		return doc, nil
	}
	var diags []diag.Diagnostic
	for _, n := range doc.Notes {
		diags = append(diags, n.Diagnostic(f))
	}
	if !doc.Found {
		return doc, diags
	}
	text := f.Data[doc.Text.Start:doc.Text.End]
	if d.Plain {
		r := reader{f: f, base: doc.Text.Start, d: d, diags: diags, valid: true}
		doc.Entries = r.plain(text)
		return doc, r.diags
	}
	if doc.Close.Start == doc.Close.End && d.Repair != host.RepairNone {
		r := reader{f: f, base: doc.Text.Start, d: d, diags: diags, valid: true}
		text = r.onlyFields(text)
		diags = r.diags
	}
	entries, ok := fast(text, doc.Text.Start)
	if ok && plainly(d, f.Data, entries) {
		doc.Entries = entries
		return doc, diags
	}
	r := reader{f: f, base: doc.Text.Start, d: d, diags: diags, valid: true}
	doc.Entries = r.read(text)
	doc.Valid, doc.Repaired = r.valid, r.repaired
	for _, n := range doc.Notes {
		if n.Code == diag.FMUnclosed {
			r.blameEnd(len(diags))
		}
	}
	return doc, r.diags
}

// blameEnd makes the missing end of the block what mends it: the text of the body
// is no YAML.
func (r *reader) blameEnd(from int) {
	_, fix, _ := Note{Code: diag.FMUnclosed}.words()
	for i := from; i < len(r.diags); i++ {
		if r.diags[i].Code == diag.YAMLInvalid {
			r.diags[i].Fix, r.diags[i].Edit = fix, nil
		}
	}
}

// reader decodes a block that is not simple.
type reader struct {
	f    *diag.File
	base int
	d    host.Dialect
	// back leads from the present text to the file, step by step.
	back            []mapping
	diags           []diag.Diagnostic
	valid, repaired bool
}

// edited makes edits in the text and remembers the way back.
func (r *reader) edited(text []byte, edits []edit) []byte {
	if len(edits) == 0 {
		return text
	}
	r.back = append(r.back, newMapping(edits))
	return apply(text, edits)
}

// inFile returns the place in the file of a range of the present text.
func (r *reader) inFile(span diag.Span) diag.Span {
	for i := len(r.back) - 1; i >= 0; i-- {
		span = r.back[i].back(span)
	}
	return diag.Span{Start: span.Start + r.base, End: span.End + r.base}
}

// maxDiagnostics bounds what is said about one block, for files that are made
// to cost memory. Real files have less than ten.
const maxDiagnostics = 200

// report adds a diagnostic and returns it for a fix. After the bound, one
// diagnostic stands for all that follow.
func (r *reader) report(span diag.Span, code diag.Code, format string, args ...any) *diag.Diagnostic {
	n := len(r.diags)
	if n > maxDiagnostics {
		if last := &r.diags[n-1]; code.Severity() > last.Severity {
			last.Code, last.Severity = code, code.Severity()
		}
		return new(diag.Diagnostic)
	}
	if n == maxDiagnostics {
		format, args = "there is more to report on this frontmatter than is shown", nil
	}
	r.diags = append(r.diags, diag.At(r.f, r.inFile(span), code, format, args...))
	if n == maxDiagnostics {
		return new(diag.Diagnostic)
	}
	return &r.diags[n]
}

func (r *reader) read(text []byte) []definition.Entry {
	text = r.clean(text)
	text = r.unmerge(text)
	if r.d.TabIndent {
		text = r.untab(text)
	}
	d := decode(text)
	if r.d.Second != host.SecondNone && (!r.valid || r.refused(&d)) {
		if entries, ok := r.second(text, d); ok {
			return entries
		}
	}
	fatal := d.fatal()
	if fatal == nil || fatal.code == diag.YAMLForbidden && !fatal.mendable {
		return r.finish(text, d)
	}
	return r.repair(text, d)
}

// finish reports what was found in the text and moves the entries to their
// places in the file.
func (r *reader) finish(text []byte, d decoded) []definition.Entry {
	for i := range d.problems {
		r.problem(&d.problems[i])
	}
	r.tabs(text, d.entries)
	if r.d.Rejects&host.RejectFlow != 0 {
		r.flow(text, d.entries)
	}
	if r.d.Strings {
		onlyText(d.entries)
	}
	relocate(d.entries, r.inFile)
	return d.entries
}

func (r *reader) problem(p *problem) {
	out := r.report(p.span, p.code, "%s", p.text)
	if p.fatal {
		r.valid = false
	}
	switch p.code {
	case diag.YAMLDuplicateKey:
		out.Fix = "remove one of the two"
		if !r.repeatable(p.key) {
			r.valid = false
			out.Severity = diag.Error
		}
	case diag.YAMLComment:
		out.Fix = `put the value in quotes if "#" belongs to it`
	case diag.YAMLForbidden:
		out.Fix = "write the value out"
	}
}

// tabs reports tabs between a key and its value, which not every host reads.
func (r *reader) tabs(text []byte, entries []definition.Entry) {
	for i := range entries {
		e := &entries[i]
		if from := e.KeySpan.End + 1; from < e.Value.Span.Start && e.Value.Span.Start <= len(text) {
			if n := bytes.IndexByte(text[from:e.Value.Span.Start], '\t'); n >= 0 {
				at := diag.Span{Start: from + n, End: from + n + 1}
				out := r.report(at, diag.YAMLTab, "a tab separates key %q from its value; some hosts do not read it", e.Key)
				*out = out.WithFix("use a space").WithEdit(r.inFile(at), " ")
				if r.d.Rejects&host.RejectTab != 0 {
					out.Severity = diag.Error
					r.valid = false
				}
			}
		}
		r.tabs(text, e.Value.Pairs)
	}
}

// maxEncoding bounds the diagnostics about the encoding of one block.
const maxEncoding = 16

// clean takes out what YAML does not allow anywhere: bytes that are no UTF-8
// become U+FFFD, control characters and byte order marks go.
func (r *reader) clean(text []byte) []byte {
	flaws := encodingFlaws(text)
	if len(flaws) == 0 {
		return text
	}
	edits := make([]edit, len(flaws))
	for i, x := range flaws {
		edits[i] = x.edit
	}
	for i, x := range flaws[:min(len(flaws), maxEncoding)] {
		message, whole := x.text, mend{edits: edits[i : i+1]}
		if rest := len(flaws) - maxEncoding; rest > 0 && i == maxEncoding-1 {
			message = fmt.Sprintf("%s, and %d more such places follow", x.text, rest)
			whole.edits = edits[i:]
		}
		w := whole.whole(text)
		out := r.report(x.span, x.code, "%s", message)
		*out = out.WithFix("save the file as UTF-8 without control characters").WithEdit(r.inFile(w.span), w.new)
	}
	r.repaired = true
	// What is no UTF-8 has become U+FFFD before a host's YAML library sees it (n09).
	control := slices.ContainsFunc(flaws, func(x encodingFlaw) bool { return x.code == diag.EncodingControl })
	if r.d.Repair == host.RepairNone && control {
		r.valid = false
	}
	return r.edited(text, edits)
}

// unmerge takes out the marker lines of a git merge conflict and reports it.
func (r *reader) unmerge(text []byte) []byte {
	if !bytes.Contains(text, []byte("<<<<<<< ")) || !bytes.Contains(text, []byte("=======")) {
		return text
	}
	var edits []edit
	opened, split := false, false
	for i := 0; i < len(text); {
		end := lineEnd(text, i)
		line := text[i:end]
		switch {
		case bytes.HasPrefix(line, []byte("<<<<<<< ")):
			opened = true
		case bytes.HasPrefix(line, []byte(">>>>>>> ")), bytes.HasPrefix(line, []byte("||||||| ")):
		case bytes.Equal(bytes.TrimRight(line, " \t"), []byte("=======")):
			split = true
		default:
			line = nil
		}
		if line != nil {
			edits = append(edits, edit{span: diag.Span{Start: i, End: end}})
		}
		i = end + breakLen(text[end:])
	}
	if !opened || !split {
		return text
	}
	r.valid = false
	out := r.report(edits[0].span, diag.YAMLInvalid, "a git merge conflict stands in the frontmatter")
	out.Fix = "resolve the conflict and remove its marker lines"
	return r.edited(text, edits)
}
