// Package parse converts a file to a neutral definition. It decodes the frontmatter's fields the
// way the current view's host does, replaces a missing description, counts tokens, and reports
// diagnostics.
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
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/discover"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/tokens"
)

// maxTOML is the maximum size of a TOML definition, which is always read completely.
const maxTOML = 1 << 20

// Parser returns a host's parser for definition files, which parses only the beginning of a file.
// version is Vade's version, which is compared with the version that a definition requires.
func Parser(p *host.Profile, version string) discover.Parser {
	tables := newTables(p)
	// Each goroutine gets its own storage.
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

// header parses the beginning of one definition file.
type header struct {
	found   *discover.Found
	profile *host.Profile
	table   *table
	version string
	d       *definition.Definition
	// named is the position of the name field's value in the frontmatter.
	named position
	// file is the part of the file that was read. entries is a reusable buffer
	// for its frontmatter entries.
	file    diag.File
	entries []definition.Entry
}

func (h *header) read() {
	d := h.d
	if h.found.Inexact {
		h.report(diag.For(d.Origin.Path, diag.FilenameCase, "hosts expect this file name in a different case").
			WithFix("rename it to %s", h.wanted()))
	}
	if r := h.found.Rule; r.Boundary && h.found.Depth == 0 {
		h.report(diag.For(d.Origin.Path, diag.RootSkill, "the skill is directly in the skills directory; some hosts then ignore all other skills in it").
			WithFix("move it to its own directory"))
	}
	h.nameFromPath()
	if h.dropBinary() {
		d.Title = d.Name
		return
	}
	var text []byte
	switch d.Format {
	case definition.TOML:
		text = []byte(h.toml())
	case definition.Script:
		h.script()
	default:
		text = h.markdown()
		if d.Format == definition.Package {
			d.Fields.SetInline(string(text))
		}
	}
	d.Fields.Description = cmp.Or(h.found.Description, d.Fields.Description)
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

// dropFor drops a definition because of the problem reported by d. Unlike the message in d, problem
// describes the reason without naming the host.
func (h *header) dropFor(d diag.Diagnostic, problem string) {
	d.Problem, d.Effect = problem, diag.NotLoaded
	h.drop(d)
}

// dropBinary drops a definition whose file is not text, unless the host loads it anyway. It reports
// whether it dropped the definition.
func (h *header) dropBinary() bool {
	head := h.found.Head
	if h.profile.AnyBytes {
		return false
	}
	path := h.d.Origin.Path
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		h.drop(diag.For(path, diag.EncodingUTF16, "the file is encoded in UTF-16").WithFix("save it as UTF-8"))
	case bytes.IndexByte(head, 0) >= 0:
		h.drop(diag.For(path, diag.FileBinary, "the file contains NUL bytes, so it is not text").WithFix("replace it with a text file"))
	default:
		at := invalidUTF8(head, h.found.Whole)
		if h.profile.Dialect.UTF8 && (at >= 0 || !h.isText()) {
			h.dropFor(diag.For(path, diag.EncodingInvalid, "%s does not load a file that is not valid UTF-8", h.profile.Name).WithFix("save it as UTF-8"),
				"the file is not valid UTF-8")
			return true
		}
		if at >= 0 {
			f := diag.NewFile(path, head)
			h.report(diag.At(f, diag.Span{Start: at, End: at + 1}, diag.EncodingInvalid, "the file is not valid UTF-8").
				WithFix("save it as UTF-8; hosts replace the invalid bytes"))
		}
		return false
	}
	return true
}

// missing returns a diagnostic that explains why the host finds no frontmatter in a file.
func (h *header) missing(found []diag.Diagnostic) diag.Diagnostic {
	if slices.ContainsFunc(found, func(d diag.Diagnostic) bool {
		return d.Code == diag.YAMLInvalid || d.Code == diag.YAMLDuplicateKey || d.Code == diag.EncodingControl
	}) {
		return h.invalid(found) // The host discarded frontmatter that it could not repair.
	}
	why := diag.Diagnostic{Message: "the file does not begin with \"---\"", Fix: `start the file with "---", the fields and another "---"`}
	if len(found) > 0 {
		why = found[0]
	}
	d := diag.For(h.d.Origin.Path, diag.FMMissing, "%s does not load %s without frontmatter: %s", h.profile.Name, chars.WithArticle(h.d.Kind.String()), why.Message).
		WithFix("%s", why.Fix)
	d.Line, d.Column = why.Line, why.Column
	d.Problem, d.Effect = "the file has no frontmatter: "+why.Message, diag.NotLoaded
	return d
}

// invalid returns a diagnostic for frontmatter that the host rejects. Its message contains the
// first error in the frontmatter.
func (h *header) invalid(found []diag.Diagnostic) diag.Diagnostic {
	d := diag.For(h.d.Origin.Path, diag.YAMLInvalid, "%s does not load %s whose frontmatter is not valid YAML", h.profile.Name, chars.WithArticle(h.d.Kind.String())).
		WithFix("fix the frontmatter")
	d.Problem, d.Effect = "the frontmatter is not valid YAML", diag.NotLoaded
	for _, why := range found {
		if (why.Severity == diag.Error || why.Code == diag.EncodingControl) && why.Line > 0 {
			where := fmt.Sprintf(" (line %d: %s)", why.Line, strings.TrimSuffix(why.Message, "; this part of the frontmatter is ignored"))
			d.Message, d.Problem = d.Message+where, d.Problem+where
			d.Fix = cmp.Or(why.Fix, d.Fix)
			break
		}
	}
	return d
}

// isText reports whether the whole file is valid UTF-8. It assumes that the beginning of the file
// has already been checked.
func (h *header) isText() bool {
	if h.found.Whole {
		return true
	}
	data, err := h.found.All(h.profile.MaxFile)
	return err != nil || utf8.Valid(data)
}

// invalidUTF8 returns the offset of the first invalid byte, or -1. If b is only the beginning of a
// file, the last rune may be incomplete.
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

// markdown parses the frontmatter and returns the first part of the body.
func (h *header) markdown() []byte {
	f := h.found
	h.file = diag.File{Name: h.d.Origin.Path, Data: f.Head}
	dialect := h.profile.Dialect.For(h.d.Kind)
	doc, found := frontmatter.ParseInto(h.entries[:0], &h.file, !f.Whole, dialect)
	if doc.More {
		if err := f.More(); err != nil {
			h.drop(discover.Unreadable(h.d.Origin.Path, err))
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
		if h.profile.BrokenDrops(h.d.Kind) && !(h.profile.PluginBroken && h.d.Origin.Plugin != "") {
			h.drop(h.invalid(found))
		}
		doc.Entries = nil
	}
	if f.Size == 0 {
		h.report(diag.For(h.d.Origin.Path, diag.FileEmpty, "the file is empty").WithFix("add the definition, or remove the file"))
	}
	fd := decoder{header: h, file: &h.file}
	fd.decode(doc.Entries)
	h.bodyLength(doc.Body)
	h.minBody(doc.Body)
	if h.d.Fields.Description == "" && !f.Whole && len(bytes.TrimSpace(f.Head[doc.Body:])) < 512 {
		// Read more of the file, because the body's first line may not have been read yet. If that
		// fails, the description comes from what has been read.
		_ = f.More()
	}
	return f.Head[min(doc.Body, len(f.Head)):]
}

// bodyLength adds a warning if the body is longer than the documented maximum.
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
	d := diag.For(h.d.Origin.Path, diag.SizeLimit,
		"the body is %d characters long, but the documented maximum in %s is %d; the effect of exceeding it is unknown",
		n, h.profile.Name, limit).
		WithFix("shorten the body to %d characters", limit)
	d.Severity = diag.Warning
	h.report(d)
}

// minBody drops a definition whose body is shorter than the host's minimum. It reads the rest of
// the file only if the part read so far does not contain enough of the body.
func (h *header) minBody(begin int) {
	if h.profile.MinBody == nil {
		return
	}
	minLength := h.profile.MinBody(h.d.Kind)
	data := h.found.Head
	if chars.UTF16Length(strings.TrimSpace(string(data[min(begin, len(data)):]))) >= minLength {
		return
	}
	if !h.found.Whole {
		all, err := h.found.All(h.profile.MaxFile)
		if err != nil {
			return
		}
		data = all
	}
	if n := chars.UTF16Length(strings.TrimSpace(string(data[min(begin, len(data)):]))); n < minLength {
		problem := fmt.Sprintf("the body is %d characters long, but the minimum is %d", n, minLength)
		h.applyOutcome(host.Drops, diag.For(h.d.Origin.Path, diag.SizeLimit, "").WithFix("lengthen the body"), problem)
	}
}

func (h *header) toml() string {
	data, err := h.found.All(maxTOML)
	if err != nil {
		d := discover.Unreadable(h.d.Origin.Path, err)
		if d.Code == diag.FileTooLarge {
			d.Message = fmt.Sprintf("a TOML definition must not be larger than %d KiB", maxTOML>>10)
		}
		h.drop(d)
		return ""
	}
	f := diag.NewFile(h.d.Origin.Path, data)
	doc, found := frontmatter.ParseTOML(f)
	prompt := Prompt(doc.Entries)
	if !doc.Valid && (prompt == "" || h.table.exact) {
		found[0].Message = "the file is not valid TOML: " + found[0].Message
		h.drop(found[0])
		found = found[1:]
	}
	h.report(found...)
	fd := decoder{header: h, file: f}
	fd.decode(doc.Entries)
	return prompt
}

// script reads a workflow's fields. A workflow without a name or a description
// is not loaded (observed in Claude Code 2.1.330).
func (h *header) script() {
	data, err := h.found.All(h.profile.MaxFile)
	if err != nil {
		h.drop(discover.Unreadable(h.d.Origin.Path, err))
		return
	}
	doc, found := frontmatter.ParseScript(diag.NewFile(h.d.Origin.Path, data))
	fields := map[string]string{}
	for _, e := range doc.Entries {
		if e.Value.Kind == definition.String {
			fields[e.Key] = e.Value.Text
		}
	}
	f := &h.d.Fields
	f.Name, f.Description = fields["name"], fields["description"]
	f.SetText(definition.FieldWhenToUse, fields["whenToUse"])
	switch {
	case !doc.Valid:
		h.drop(found[0])
	case f.Name == "" || f.Description == "":
		h.drop(diag.For(h.d.Origin.Path, diag.FieldMissing, "a workflow needs a name and a description in its meta object").
			WithFix("add them as strings: export const meta = {name: '…', description: '…'}"))
	}
}

// Prompt returns the body of a definition in TOML format: the prompt of a command or the
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

// refuse handles definitions that the host refuses. It marks the definition as disabled if its
// plugin is disabled, and drops it if the host does not load such definitions.
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
