package export

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
)

// Make writes a skill, command or agent for a host that supports exports. The
// same item always produces the same files.
func Make(p *host.Profile, it *Item) Result {
	l := &lossList{it: it}
	at, kind := PlaceOf(p, it.Kind)
	if at == nil {
		return l.omit(LossKind, whyNotMade(p, it.Kind), "exclude it with --kind, or make it a skill")
	}
	to, ok := place(p, at, kind, it.Name)
	if !ok {
		return l.omit(LossName, fmt.Sprintf("%s does not allow the name %q", p.Name, it.Name), "use only letters, digits and hyphens in the name")
	}
	if kind != it.Kind {
		l.reportLoss(0, LossKind, fmt.Sprintf("%s does not support commands, so the command is exported as a skill", p.Name), "")
	}
	if !to.same {
		l.reportLoss(0, LossName, fmt.Sprintf("in %s, the name is %s", p.Name, to.name), "")
	}
	var syntax *host.Syntax
	if p.Export.Syntax != nil {
		syntax = p.Export.Syntax(kind)
	}
	source := strings.ReplaceAll(it.Body, "\r\n", "\n")
	if !it.InPlace {
		r := relinker{lossList: l, p: p, from: it.At, to: to.path, line: linesOf(it, source)}
		source = r.text(source)
	}
	if source != it.Body {
		it = withBody(it, source)
		l.it = it
	}
	w := &writer{lossList: l, host: p.Name, syntax: syntax}
	text, names := w.body(source)
	if it.canceled() {
		return w.omit(LossText, "reading the body was interrupted", "try again")
	}
	f := &fielder{lossList: l, p: p, kind: kind, place: at, hostName: to.name, names: names, syntax: syntax}
	if syntax != nil && syntax.Inputs {
		f.inputNames = inputs(text)
	}
	entries := f.fields()
	if w.risk != "" {
		f.refuse(w.riskLine, LossText, w.risk, "rewrite it")
	}
	if f.refused {
		return Result{Losses: f.losses}
	}
	if at.MaxBody > 0 && utf8.RuneCountInString(text) > at.MaxBody {
		f.reportLoss(0, LossText, fmt.Sprintf("%s limits bodies to %d characters", p.Name, at.MaxBody), "shorten it")
	}
	file := ExportedFile{Path: to.path, Data: encode(at, ordered(entries), text), Kind: kind, Name: to.name,
		Source: it.Source, Main: true}
	r := Result{Files: []ExportedFile{file}, Reworded: f.reformatted ||
		!slices.Equal(f.hostFields(it.Entries), f.hostFields(entries))}
	for i := range entries {
		if e := &entries[i]; Narrows(kind, e) && !slices.ContainsFunc(it.Entries,
			func(has definition.Entry) bool { return foldKey(has.Key) == foldKey(e.Key) }) {
			r.Guards = append(r.Guards, *e)
		}
	}
	f.addCompanions(&r, path.Dir(to.path), at)
	r.Losses = f.losses
	return r
}

// Missed handles a definition that a host reads in place. If the file lacks restrictions in the
// host's format, Missed returns a loss that lists them, and removes the losses for individual tools
// from r, because they apply only to a copy. It returns false if no restriction is missing.
func (r *Result) Missed(p *host.Profile, it *Item) (l HostLoss, ok bool) {
	if len(r.Guards) == 0 {
		return l, false
	}
	r.Losses = slices.DeleteFunc(r.Losses, func(l HostLoss) bool { return l.What == LossTool && !l.Whole })
	var missing []string
	for i := range r.Guards {
		e := &r.Guards[i]
		text := strings.TrimSpace(frontmatter.Write(r.Guards[i : i+1]))
		if e.Value.Kind == definition.List {
			text = e.Key + ": [" + strings.Join(toolsOf(e.Value).words, ", ") + "]"
		}
		missing = append(missing, text)
	}
	l = it.loss(0, LossTool, p.Name+" reads the file in place, but the file lacks the restrictions in that host's format, so the "+it.Kind.String()+" can do more there than intended",
		"add to the frontmatter: "+strings.Join(missing, "; "))
	l.Widens = true
	return l, true
}

// hostFields returns the fields that only this host has, each formatted as text, in sorted order.
// Parsed definitions do not contain these fields, so callers must compare them separately.
func (f *fielder) hostFields(entries []definition.Entry) []string {
	var list []string
	for i := range entries {
		if r, ok := f.p.Rule(f.kind, entries[i].Key); ok && r.Field == 0 && !r.Inert && !r.InTOML {
			list = append(list, frontmatter.Write(entries[i:i+1]))
		}
	}
	slices.Sort(list)
	return list
}

// whyNotMade explains why definitions of a kind are not exported to a host.
func whyNotMade(p *host.Profile, kind definition.Kind) string {
	if rows := p.RootsOf(kind, host.InProject); len(rows) > 0 {
		return fmt.Sprintf("Vade does not export %ss; copy the file to %s", kind, p.Roots[rows[0]].Label())
	}
	return fmt.Sprintf("%s does not support %ss", p.Name, kind)
}

// PlaceOf returns where a host keeps definitions of a kind, and which kind they become there. It
// returns nil if the host does not support the kind.
func PlaceOf(p *host.Profile, kind definition.Kind) (*host.ExportPlace, definition.Kind) {
	at := p.Export.Place(kind)
	if at != nil || kind != definition.Command || !p.Export.CommandAsSkill {
		return at, kind
	}
	if at = p.Export.Place(definition.Skill); at != nil && p.Export.CommandDir != "" {
		place := *at
		place.Dir = p.Export.CommandDir
		at = &place
	}
	return at, definition.Skill
}

// linesOf returns a function that converts an offset in body to a line number in the file. body
// must have the same number of lines as the item's own body.
func linesOf(it *Item, body string) func(offset int) int {
	if it.Line == nil || it.BodyAt < 0 {
		return func(int) int { return 0 }
	}
	first := it.Line(it.BodyAt)
	file := diag.NewFile(it.Source, []byte(body))
	return func(offset int) int { return first + file.Pos(min(max(offset, 0), len(body))).Line - 1 }
}

// withBody returns a copy of an item with a different body. The new body must have as many lines as
// the old one.
func withBody(it *Item, body string) *Item {
	x := *it
	x.Body = body
	if it.Line != nil && it.BodyAt >= 0 {
		in, lines := it.Line, linesOf(it, body)
		x.Line = func(offset int) int {
			if offset < it.BodyAt {
				return in(offset)
			}
			return lines(offset - it.BodyAt)
		}
	}
	return &x
}

// encode formats fields and a body as a file.
func encode(at *host.ExportPlace, entries []definition.Entry, body string) []byte {
	if at.Format == definition.TOML {
		text := strings.TrimLeft(body, "\n")
		entries = append(entries, definition.Entry{Key: at.Body, Value: definition.StringValue(text)})
		return []byte(frontmatter.WriteTOML(entries))
	}
	head := ""
	switch {
	case len(entries) > 0 && at.Unquoted:
		head = "---\n" + frontmatter.WriteBare(entries) + "---\n"
	case len(entries) > 0:
		head = "---\n" + frontmatter.Write(entries) + "---\n"
	case strings.HasPrefix(body, "---"):
		// The blank line keeps the host from reading the start of the body as frontmatter.
		head = "\n"
	}
	return []byte(head + body)
}

// addCompanions adds a skill's companion files to r. If only users may invoke the skill, it also
// adds the file in which the host expects this setting, if any.
func (f *fielder) addCompanions(r *Result, dir string, at *host.ExportPlace) {
	if at.File == "" {
		if len(f.it.Companions) > 0 {
			f.reportLoss(0, LossCompanion, fmt.Sprintf("%s cannot store the companion files of %s (%d)", f.p.Name, chars.WithArticle(f.kind.String()), len(f.it.Companions)), "make it a skill")
		}
		return
	}
	extra := f.p.Export.Manual
	manual := f.manual()
	for _, c := range f.it.Companions {
		if manual && extra != nil && c.Path == extra.Path {
			manual = false
		}
		r.Files = append(r.Files, ExportedFile{
			Path: path.Join(dir, c.Path), Data: f.companion(&c, dir), Executable: c.Executable, Kind: f.kind, Name: r.Files[0].Name,
			Source: path.Join(path.Dir(f.it.Source), c.Path),
		})
	}
	if manual && extra != nil {
		r.Files = append(r.Files, ExportedFile{
			Path: path.Join(dir, extra.Path), Data: []byte(extra.Text), Kind: f.kind, Name: r.Files[0].Name, Source: f.it.Source,
		})
	}
}

// companion returns a companion file's content. It adapts links in Markdown files to the new path.
func (f *fielder) companion(c *Companion, dir string) []byte {
	if f.it.InPlace || f.it.At == "" || !strings.EqualFold(path.Ext(c.Path), ".md") || !utf8.Valid(c.Data) {
		return c.Data
	}
	l := lossList{it: f.it}
	r := relinker{lossList: &l, p: f.p, from: path.Join(path.Dir(f.it.At), c.Path), to: path.Join(dir, c.Path),
		line: func(int) int { return 0 }}
	text := string(c.Data)
	made := r.text(text)
	for _, x := range l.losses {
		if x.What == LossFile {
			f.reportLoss(0, LossFile, c.Path+": "+x.Message, x.Fix)
		}
	}
	if made == text {
		return c.Data
	}
	return []byte(made)
}

// manual reports whether only users may invoke the item.
func (f *fielder) manual() bool {
	if e := f.entry(definition.FieldDisableModelInvocation); e != nil {
		on, _ := frontmatter.Bool(e.Value)
		return on
	}
	return f.it.Kind == definition.Command && f.kind == definition.Skill
}
