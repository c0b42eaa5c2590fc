package frontmatter

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
)

// Document is a file's frontmatter.
type Document struct {
	Block
	// Entries holds the top-level keys in file order, without duplicates.
	Entries []definition.Entry
	// Valid is true if the host accepts the whole block, possibly after repairs. It is also true if
	// the file has no block. If the block is invalid, Entries holds the entries that can be parsed
	// individually, and diagnostics report the rest. A host that rejects such a block ignores all
	// entries.
	Valid bool
	// Repaired is set if some values were interpreted as their author apparently intended rather
	// than by YAML's rules. A diagnostic reports each such value.
	Repaired bool
}

// Parse finds and decodes a file's YAML frontmatter according to dialect d. If prefix is set, f is
// a prefix of a longer file. If f ends before the block does, the result has More set and all other
// fields are undefined. Spans are byte offsets in f.
func Parse(f *diag.File, prefix bool, d host.Dialect) (Document, []diag.Diagnostic) {
	return ParseInto(nil, f, prefix, d)
}

// ParseInto is like [Parse] but may use the capacity of entries for the result.
func ParseInto(entries []definition.Entry, f *diag.File, prefix bool, d host.Dialect) (Document, []diag.Diagnostic) {
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
	r := reader{f: f, base: doc.Text.Start, d: d, text: text, diags: diags, valid: true}
	if d.Plain {
		doc.Entries = r.plain()
		return doc, r.diags
	}
	unclosed := doc.Close.Start == doc.Close.End
	if unclosed && d.Repair != host.RepairNone {
		r.onlyFields()
	}
	entries, ok := fast(entries, r.text, r.base)
	if ok && (d.Second != host.SecondPair || isPair(entries)) &&
		(d.Rejects&host.RejectFlow == 0 || firstFlow(f.Data, entries) == nil) {
		if d.Strings {
			onlyText(entries)
		}
		doc.Entries = entries
		return doc, r.diags
	}
	before := len(r.diags)
	doc.Entries = r.read()
	if !r.valid && r.unchanged {
		return Document{Valid: true}, r.diags
	}
	doc.Valid, doc.Repaired = r.valid, r.repaired
	if unclosed {
		// The block includes the body, because no line closes it. The YAML may be invalid only for
		// that reason, so suggest closing the block.
		for i := before; i < len(r.diags); i++ {
			if r.diags[i].Code == diag.YAMLInvalid {
				r.diags[i].Fix, r.diags[i].Edit = closeBlock, nil
			}
		}
	}
	return doc, r.diags
}

// ParseYAML decodes a file that consists of a single YAML map. It does not repair anything: a
// duplicate key, an anchor, a tag or a control character makes the document invalid. An invalid
// document contains only the entries that can be parsed individually, so check Valid before relying
// on them. Spans are byte offsets in f.
func ParseYAML(f *diag.File) (Document, []diag.Diagnostic) {
	size := len(f.Data)
	text := bytes.TrimPrefix(f.Data, []byte(bom))
	doc := Document{Block: Block{Found: true, Text: diag.Span{Start: size - len(text), End: size}, Body: size}}
	r := reader{f: f, base: doc.Text.Start, text: text, valid: true}
	doc.Entries = r.read()
	doc.Valid = r.valid
	words := strings.NewReplacer("in frontmatter", "in this file", "this frontmatter", "this file", "in the frontmatter", "in the file", "the frontmatter", "the file")
	for i := range r.diags {
		r.diags[i].Message = words.Replace(r.diags[i].Message)
	}
	return doc, r.diags
}

// repair describes one problem in a block and the edits that make the block valid YAML.
type repair struct {
	code diag.Code
	span diag.Span
	// text describes the problem, read describes how the value is interpreted, and fix tells the
	// user what to do.
	text, read, fix string
	// edits make the text valid when applied in order. If part of the block cannot be repaired,
	// they remove that part.
	edits []edit
	// offer lists the edits to suggest to the user, in file order. They are certain to match the
	// author's intent.
	offer []edit
	flaw  host.Flaw
	// fatal is set if the problem makes the block invalid.
	fatal bool
	// quotable is set if quoting the value matches the author's intent.
	quotable bool
	// key is the duplicate top-level key, or "" for a nested key.
	key string
}

// reader decodes a block that the fast parser does not accept.
type reader struct {
	f    *diag.File
	base int
	d    host.Dialect
	// text is the block with all edits applied so far. back holds one mapping for each time that
	// edits were applied. Together, the mappings convert offsets in text to offsets in the original
	// block.
	text            []byte
	back            []mapping
	diags           []diag.Diagnostic
	valid, repaired bool
	// unchanged is set if the host found nothing to change in the text before its second attempt to
	// parse it.
	unchanged bool
}

// edit applies edits to the text and records how to map it back to the original.
func (r *reader) edit(edits []edit) {
	if len(edits) > 0 {
		r.back = append(r.back, newMapping(edits))
		r.text = apply(r.text, edits)
	}
}

// inFile maps a range of the current text to the file.
func (r *reader) inFile(span diag.Span) diag.Span {
	for i := len(r.back) - 1; i >= 0; i-- {
		span = r.back[i].back(span)
	}
	return diag.Span{Start: span.Start + r.base, End: span.End + r.base}
}

// maxDiagnostics is the maximum number of diagnostics per block, so that a hostile file cannot
// exhaust memory. Real files have fewer than ten.
const maxDiagnostics = 200

// report adds a diagnostic. Once the limit is reached, it adds one final diagnostic and drops the
// rest.
func (r *reader) report(p repair) {
	r.valid = r.valid && !p.fatal
	n := len(r.diags)
	if n > maxDiagnostics {
		if last := &r.diags[n-1]; p.code.Severity() > last.Severity {
			last.Code, last.Severity = p.code, p.code.Severity()
		}
		return
	}
	if n == maxDiagnostics {
		p = repair{code: p.code, span: p.span, text: "too many problems; the rest are not shown"}
	}
	d := diag.At(r.f, r.inFile(p.span), p.code, "%s", p.text+p.read)
	d.Fix = p.fix
	if len(p.offer) > 0 {
		w := whole(r.text, p.offer)
		d = d.WithEdit(r.inFile(w.span), w.new)
	}
	if p.fatal {
		d.Severity = diag.Error
	}
	r.diags = append(r.diags, d)
}

func (r *reader) read() []definition.Entry {
	r.clean()
	r.unmerge()
	if r.d.TabIndent {
		r.untab()
	}
	d := decode(r.text, r.d.References)
	if r.d.Second != host.SecondNone && (!r.valid || r.refused(&d)) {
		if entries, ok := r.second(d); ok {
			return entries
		}
	}
	fatal := d.fatal()
	if fatal == nil || fatal.code == diag.YAMLForbidden && !fatal.quotable {
		return r.finish(d)
	}
	return r.repair(d)
}

// finish reports the problems in d, changes the entries' spans from offsets in the text to offsets
// in the file, and returns the entries.
func (r *reader) finish(d decoded) []definition.Entry {
	for _, p := range d.problems {
		p.fatal = p.fatal || p.code == diag.YAMLDuplicateKey && !r.repeatable(p.key)
		if p.code == diag.YAMLDuplicateKey && !p.fatal {
			p.read = "; some hosts use the last one, and others reject the frontmatter"
		}
		r.report(p)
	}
	r.tabs(d.entries)
	if r.d.Rejects&host.RejectFlow != 0 {
		if v := firstFlow(r.text, d.entries); v != nil {
			r.report(repair{
				code: diag.YAMLForbidden, span: v.Span, fatal: true, text: fmt.Sprintf("a %s in brackets is not supported", v.Kind),
				fix: "put each item on its own line, or quote the value if it is a string",
			})
		}
	}
	if r.d.Strings {
		onlyText(d.entries)
	}
	relocate(d.entries, r.inFile)
	return d.entries
}

// repeatable reports whether the host accepts a block in which a key occurs more than once.
func (r *reader) repeatable(key string) bool {
	return r.d.DuplicateKeys && !slices.Contains(r.d.Unique, key)
}

// onlyText converts all scalars to strings.
func onlyText(entries []definition.Entry) {
	var textOnly func(v *definition.Value)
	textOnly = func(v *definition.Value) {
		switch v.Kind {
		case definition.List:
			for i := range v.Items {
				textOnly(&v.Items[i])
			}
		case definition.Map:
			onlyText(v.Pairs)
		default:
			v.Kind = definition.String
		}
	}
	for i := range entries {
		textOnly(&entries[i].Value)
	}
}

// firstFlow returns the first list or map written in brackets, or nil. Spans are offsets in data.
func firstFlow(data []byte, entries []definition.Entry) *definition.Value {
	var in func(v *definition.Value) *definition.Value
	in = func(v *definition.Value) *definition.Value {
		if v.Kind != definition.List && v.Kind != definition.Map {
			return nil
		}
		if at := v.Span.Start; at < len(data) && (data[at] == '[' || data[at] == '{') {
			return v
		}
		for i := range v.Items {
			if found := in(&v.Items[i]); found != nil {
				return found
			}
		}
		return firstFlow(data, v.Pairs)
	}
	for i := range entries {
		if v := in(&entries[i].Value); v != nil {
			return v
		}
	}
	return nil
}

// tabs reports tabs between a key and its value, which some hosts reject.
func (r *reader) tabs(entries []definition.Entry) {
	for i := range entries {
		e := &entries[i]
		if from := e.KeySpan.End + 1; from < e.Value.Span.Start && e.Value.Span.Start <= len(r.text) {
			if n := bytes.IndexByte(r.text[from:e.Value.Span.Start], '\t'); n >= 0 {
				at := diag.Span{Start: from + n, End: from + n + 1}
				r.report(repair{
					code: diag.YAMLTab, span: at, fatal: r.d.Rejects&host.RejectTab != 0,
					text: fmt.Sprintf("a tab separates the key %q from its value; some hosts do not support this", e.Key),
					fix:  "separate them with a space", offer: []edit{{span: at, new: " "}},
				})
			}
		}
		r.tabs(e.Value.Pairs)
	}
}

// maxEncoding is the maximum number of diagnostics about one block's encoding.
const maxEncoding = 16

// clean removes characters that YAML never allows. It replaces invalid UTF-8 with U+FFFD and
// removes control characters and byte order marks. The library reports some of these without a
// position and does not report others at all.
func (r *reader) clean() {
	var flaws []repair
	var edits []edit
	for i := 0; i < len(r.text); {
		c, n := utf8.DecodeRune(r.text[i:])
		e := edit{span: diag.Span{Start: i, End: i + n}}
		i += n
		p := repair{code: diag.EncodingControl, span: e.span, fix: "save the file as UTF-8 without control characters"}
		switch {
		case c == utf8.RuneError && n == 1:
			e.new, p.code = "\ufffd", diag.EncodingInvalid
			p.text = fmt.Sprintf("byte 0x%02X is not valid UTF-8", r.text[e.span.Start])
		case isForbidden(c):
			p.text = fmt.Sprintf("the character U+%04X is not allowed in frontmatter", c)
		default:
			continue
		}
		// Hosts also replace invalid UTF-8 with U+FFFD before they parse YAML (case n09).
		if r.repaired = true; r.d.Repair == host.RepairNone && p.code == diag.EncodingControl {
			r.valid = false
		}
		edits = append(edits, e)
		if flaws = append(flaws, p); len(flaws) > maxEncoding {
			flaws = flaws[:maxEncoding]
		}
	}
	for i, p := range flaws {
		p.offer = edits[i : i+1]
		if rest := len(edits) - maxEncoding; rest > 0 && i == maxEncoding-1 {
			p.text = fmt.Sprintf("%s (and %d more)", p.text, rest)
			p.offer = edits[i:]
		}
		r.report(p)
	}
	r.edit(edits)
}

func isForbidden(r rune) bool {
	switch r {
	case '\t', '\n', '\r', 0x85:
		return false
	case 0x7f, 0xfeff, 0xfffe, 0xffff:
		return true
	}
	return r < ' ' || 0x80 <= r && r <= 0x9f
}

// unmerge removes and reports the marker lines of git merge conflicts.
func (r *reader) unmerge() {
	if !bytes.Contains(r.text, []byte("<<<<<<< ")) || !bytes.Contains(r.text, []byte("=======")) {
		return
	}
	var edits []edit
	opened, split := false, false
	for l := range lines(r.text, 0, len(r.text)) {
		line := string(r.text[l.Start:l.End])
		begins, divides := strings.HasPrefix(line, "<<<<<<< "), strings.TrimRight(line, " \t") == "======="
		opened, split = opened || begins, split || divides
		if begins || divides || strings.HasPrefix(line, ">>>>>>> ") || strings.HasPrefix(line, "||||||| ") {
			edits = append(edits, edit{span: l})
		}
	}
	if opened && split {
		r.report(repair{
			code: diag.YAMLInvalid, span: edits[0].span, fatal: true, text: "the frontmatter contains a git merge conflict",
			fix: "resolve the conflict and remove the conflict markers",
		})
		r.edit(edits)
	}
}

// untab removes tabs at the start of lines, for hosts that ignore them.
func (r *reader) untab() {
	var edits []edit
	for l := range lines(r.text, 0, len(r.text)) {
		first := l.Start
		for first < l.End && r.text[first] == '\t' {
			first++
		}
		if first > l.Start && first < l.End {
			edits = append(edits, edit{span: diag.Span{Start: l.Start, End: first}})
		}
	}
	r.edit(edits)
}
