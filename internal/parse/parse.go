// Package parse makes the neutral record of a file: frontmatter fields decoded
// as the view's host decodes them, the description that stands in where there
// is none, the cost in tokens, and a diagnostic for all that is odd.
package parse

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/discover"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/tokens"
)

// maxTOML is the longest TOML definition that is read: all of it is frontmatter.
const maxTOML = 1 << 20

// Parser returns the parser of definition heads for a profile. version is
// Vade's own, for definitions that require one.
func Parser(p *host.Profile, version string) discover.Parser {
	tables := newTables(p)
	// Goroutines do not wait for each other's storage.
	pool := sync.Pool{New: func() any { return &storage{} }}
	return func(f *discover.Found) *definition.Definition {
		st := pool.Get().(*storage)
		d := st.definition()
		*d = definition.Definition{
			Kind: f.Rule.Kind, Format: f.Rule.Format, Name: f.Name, Prefix: f.Prefix, Origin: f.Origin(), Size: f.Size,
		}
		h := &st.header
		*h = header{found: f, profile: p, table: tables[f.Rule.Kind], version: version, d: d, entries: h.entries}
		h.read()
		st.compact(d)
		*h = header{entries: h.entries}
		pool.Put(st)
		return d
	}
}

// header reads one head.
type header struct {
	found   *discover.Found
	profile *host.Profile
	table   *table
	version string
	d       *definition.Definition
	// named is where the name stands in the frontmatter.
	named spot
	// file is what is read of the file. entries is room for those of its frontmatter, which
	// nothing keeps.
	file    diag.File
	entries []definition.Entry
}

func (h *header) read() {
	d := h.d
	if h.found.Inexact {
		h.report(diag.For(d.Origin.Path, diag.FilenameCase, "hosts look for this file in another case").
			WithFix("rename it to %s", h.wanted()))
	}
	if r := h.found.Rule; r.Boundary && h.found.Depth == 0 {
		h.report(diag.For(d.Origin.Path, diag.RootSkill, "a skill stands in the directory of skills itself: some hosts then see no other skill there").
			WithFix("move it into a directory of its own"))
	}
	h.place()
	if h.foreign() {
		d.Title = d.Name
		return
	}
	var text []byte
	switch d.Format {
	case definition.TOML:
		text = []byte(h.toml())
	default:
		text = h.markdown()
	}
	if agent := h.found.Agent(); agent != "" {
		d.Fields.SetList(definition.FieldAgents, append(slices.Clone(d.Fields.Agents()), agent))
	}
	h.name()
	h.describe(text)
	h.require()
	h.refuse()
	d.ListingTokens = int32(tokens.Estimate(d.Name) + tokens.Estimate(d.Description) + tokens.Estimate(d.Fields.WhenToUse()))
	d.Tokens = int32(tokens.FromSize(d.Size))
	if h.found.Whole {
		d.Tokens = int32(tokens.EstimateBytes(h.found.Head))
	}
}

func (h *header) report(list ...diag.Diagnostic) { h.d.Diagnostics = append(h.d.Diagnostics, list...) }

func (h *header) wanted() string {
	if h.found.Rule.File != "" {
		return h.found.Rule.File
	}
	return "*" + h.found.Rule.Suffix
}

func (h *header) drop(d diag.Diagnostic) {
	h.report(d)
	h.d.State, h.d.ReasonCode, h.d.Reason = definition.Dropped, d.Code, d.Message
}

// foreign drops what is no text, where the host does not load it as it is.
func (h *header) foreign() bool {
	head := h.found.Head
	if h.profile.AnyBytes {
		return false
	}
	path := h.d.Origin.Path
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		h.drop(diag.For(path, diag.EncodingUTF16, "the file is UTF-16").WithFix("save it as UTF-8"))
	case bytes.IndexByte(head, 0) >= 0:
		h.drop(diag.For(path, diag.FileBinary, "the file holds NUL bytes: it is not text").WithFix("replace it by a text file"))
	default:
		at := invalidUTF8(head, h.found.Whole)
		if h.profile.Dialect.UTF8 && (at >= 0 || !h.isText()) {
			h.drop(diag.For(path, diag.EncodingInvalid, "%s does not load a file that is not valid UTF-8", h.profile.Name).WithFix("save it as UTF-8"))
			return true
		}
		if at >= 0 {
			f := diag.NewFile(path, head)
			h.report(diag.At(f, diag.Span{Start: at, End: at + 1}, diag.EncodingInvalid, "the file is not valid UTF-8").
				WithFix("save it as UTF-8; the bytes that are not are replaced"))
		}
		return false
	}
	return true
}

// missing says that the host finds no frontmatter, with what is known of the reason.
func (h *header) missing(found []diag.Diagnostic) diag.Diagnostic {
	why := diag.Diagnostic{Message: "the file does not begin with it", Fix: `begin the file with "---", the fields, and "---" again`}
	if len(found) > 0 {
		why = found[0]
	}
	d := diag.For(h.d.Origin.Path, diag.FMMissing, "%s does not load a %s without frontmatter: %s", h.profile.Name, h.d.Kind, why.Message).
		WithFix("%s", why.Fix)
	d.Line, d.Column = why.Line, why.Column
	return d
}

// invalid says that the host does not load the file for its frontmatter, with the
// first of what is wrong there.
func (h *header) invalid(found []diag.Diagnostic) diag.Diagnostic {
	d := diag.For(h.d.Origin.Path, diag.YAMLInvalid, "%s does not load a %s whose frontmatter is not valid YAML", h.profile.Name, h.d.Kind).
		WithFix("correct the frontmatter")
	for _, why := range found {
		if why.Severity == diag.Error && why.Line > 0 {
			d.Message += fmt.Sprintf(" (line %d: %s)", why.Line, strings.TrimSuffix(why.Message, "; this part of the frontmatter is not read"))
			d.Fix = cmp.Or(why.Fix, d.Fix)
			break
		}
	}
	return d
}

// isText reports whether all of a file is UTF-8, of which the head is.
func (h *header) isText() bool {
	if h.found.Whole {
		return true
	}
	data, err := h.found.All(h.profile.MaxFile)
	return err != nil || utf8.Valid(data)
}

// invalidUTF8 returns the offset of the first byte that is no UTF-8, or -1. In
// the head of a longer file the last rune may be cut.
func invalidUTF8(b []byte, whole bool) int {
	if utf8.Valid(b) {
		return -1
	}
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			if !whole && len(b)-i < utf8.UTFMax && !utf8.FullRune(b[i:]) {
				return -1
			}
			return i
		}
		i += n
	}
	return -1
}

// markdown reads the frontmatter and returns the beginning of the body.
func (h *header) markdown() []byte {
	f := h.found
	h.file = diag.File{Name: h.d.Origin.Path, Data: f.Head}
	dialect := h.profile.Dialect.For(h.d.Kind)
	doc, found := frontmatter.ParseInto(h.entries[:0], &h.file, !f.Whole, dialect)
	if doc.More {
		if err := f.More(); err != nil {
			h.drop(diag.For(h.d.Origin.Path, diag.FileUnreadable, "not read: %v", err))
			return nil
		}
		h.file = diag.File{Name: h.d.Origin.Path, Data: f.Head}
		doc, found = frontmatter.ParseInto(h.entries[:0], &h.file, !f.Whole, dialect)
	}
	if cap(doc.Entries) > cap(h.entries) {
		h.entries = doc.Entries
	}
	h.report(found...)
	if !doc.Found && dialect.Needed != nil && dialect.Needed(h.d.Kind) {
		h.drop(h.missing(found))
	}
	if !doc.Valid && !h.profile.PartOfBroken {
		if h.profile.BrokenDrops(h.d.Kind) {
			h.drop(h.invalid(found))
		}
		doc.Entries = nil
	}
	if f.Size == 0 {
		h.report(diag.For(h.d.Origin.Path, diag.FileEmpty, "the file is empty").WithFix("write the definition, or remove the file"))
	}
	fd := decoder{header: h, file: &h.file}
	fd.decode(doc.Entries)
	h.bodyLength(doc.Body)
	if h.d.Fields.Description == "" && !f.Whole && len(bytes.TrimSpace(f.Head[doc.Body:])) < 512 {
		// The body's first line may be further down than the first read went.
		_ = f.More()
	}
	return f.Head[min(doc.Body, len(f.Head)):]
}

// bodyLength warns of a body that is longer than the host documents.
func (h *header) bodyLength(begin int) {
	if h.profile.MaxBody == nil {
		return
	}
	limit := h.profile.MaxBody(h.d.Kind)
	if limit == 0 || h.d.Size-int64(begin) <= int64(limit) {
		return
	}
	data, err := h.found.All(h.profile.MaxFile)
	if err != nil {
		return
	}
	n := utf8.RuneCount(bytes.TrimSpace(data[min(begin, len(data)):]))
	if n <= limit {
		return
	}
	d := diag.For(h.d.Origin.Path, diag.SizeLimit, "the body has %d characters, and by its documentation %s takes %d: what becomes of more is not known", n, h.profile.Name, limit).
		WithFix("shorten the body to %d characters", limit)
	d.Severity = diag.Warning
	h.report(d)
}

func (h *header) toml() string {
	data, err := h.found.All(maxTOML)
	if err != nil {
		h.drop(diag.For(h.d.Origin.Path, diag.FileTooLarge, "not read: a TOML definition may have %d KiB", maxTOML>>10).WithFix("shorten the file"))
		return ""
	}
	f := diag.NewFile(h.d.Origin.Path, data)
	doc, found := frontmatter.ParseTOML(f)
	h.report(found...)
	fd := decoder{header: h, file: f}
	fd.decode(doc.Entries)
	prompt := Prompt(doc.Entries)
	if !doc.Valid && (prompt == "" || h.table.exact) {
		h.drop(diag.For(h.d.Origin.Path, diag.TOMLInvalid, "the file is not valid TOML and no prompt can be read from it").
			WithFix("correct the TOML"))
	}
	return prompt
}

// Prompt returns the body of a TOML definition: its prompt, or the
// instructions of an agent.
func Prompt(entries []definition.Entry) string {
	for _, key := range []string{"prompt", "developer_instructions"} {
		for _, e := range entries {
			if e.Key == key {
				return e.Value.Text
			}
		}
	}
	return ""
}

// refuse drops what the host does not load, and marks what is switched off.
func (h *header) refuse() {
	d := h.d
	if plug := h.found.Place.Plugin; plug != nil && plug.Disabled != "" && d.State == definition.Loaded {
		d.State, d.ReasonCode, d.Reason = definition.Disabled, plug.Code, plug.Disabled
	}
	if h.profile.Refuses == nil || d.State == definition.Dropped {
		return
	}
	if why := h.profile.Refuses(d); why != "" {
		d.State, d.ReasonCode, d.Reason = definition.Dropped, diag.NotRead, why
	}
}
