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

// Make writes a skill, a command or an agent for a host, which has to have an
// Export. The same item gives the same files.
func Make(p *host.Profile, it *Item) Result {
	l := loser{it: it}
	at, kind := PlaceOf(p, it.Kind)
	if at == nil {
		return l.whole(LossKind, fmt.Sprintf("%s has no %ss", p.Name, it.Kind), "leave it out with --kind, or make it a skill")
	}
	to, ok := place(p, at, kind, it.Name)
	if !ok {
		return l.whole(LossName, fmt.Sprintf("%s takes no name like %q", p.Name, it.Name), "give it a name of letters, digits and hyphens")
	}
	if kind != it.Kind {
		l.lose(0, LossKind, fmt.Sprintf("%s has no commands: it is a skill there", p.Name), "")
	}
	if !to.same {
		l.lose(0, LossName, fmt.Sprintf("in %s it is called %s", p.Name, to.name), "")
	}
	var syntax *host.Syntax
	if p.Export.Syntax != nil {
		syntax = p.Export.Syntax(kind)
	}
	source := strings.ReplaceAll(it.Body, "\r\n", "\n")
	if !it.Stays {
		r := relinker{loser: &l, p: p, from: it.At, to: to.path, line: linesOf(it, source)}
		source = r.text(source)
	}
	w := &writer{loser: loser{it: it, list: l.list}, host: p.Name, syntax: syntax}
	if source != it.Body {
		w.it = withBody(it, source)
	}
	text, names := w.body(source)
	if it.canceled() {
		return w.whole(LossText, "it was not read to its end", "start again")
	}
	f := &fielder{loser: loser{it: it, list: w.list}, p: p, kind: kind, place: at, names: names, syntax: syntax}
	if syntax != nil && syntax.Inputs {
		f.typed = inputs(text)
	}
	entries := f.fields(to.name)
	if w.risk != "" {
		f.refuse(w.riskLine, LossText, w.risk, "write it differently")
	}
	if f.refused {
		return Result{Losses: f.list}
	}
	if at.MaxBody > 0 && utf8.RuneCountInString(text) > at.MaxBody {
		f.lose(0, LossText, fmt.Sprintf("%s takes a body of %d characters", p.Name, at.MaxBody), "shorten it")
	}
	file := File{Path: to.path, Data: encode(at, ordered(entries), text), Kind: kind, Name: to.name, Source: it.Source, Main: true}
	r := Result{Files: []File{file}, Reworded: f.reworded || !slices.Equal(f.own(it.Entries), f.own(entries))}
	for i := range entries {
		if e := &entries[i]; Narrows(kind, e) && !slices.ContainsFunc(it.Entries, func(has definition.Entry) bool { return folded(has.Key) == folded(e.Key) }) {
			r.Guards = append(r.Guards, *e)
		}
	}
	f.beside(&r, path.Dir(to.path), at)
	r.Losses = f.list
	return r
}

// Missed is the loss of a definition that a host reads where it is, in the place of what
// is said of the tools of a copy; false if the host misses no guard of it.
func (r *Result) Missed(p *host.Profile, it *Item) (l Loss, ok bool) {
	if len(r.Guards) == 0 {
		return l, false
	}
	r.Losses = slices.DeleteFunc(r.Losses, func(l Loss) bool { return l.What == LossTool && !l.Whole })
	var missing []string
	for i := range r.Guards {
		e := &r.Guards[i]
		text := strings.TrimSpace(frontmatter.Write(r.Guards[i : i+1]))
		if e.Value.Kind == definition.List {
			text = e.Key + ": [" + strings.Join(toolsOf(e.Value).words, ", ") + "]"
		}
		missing = append(missing, text)
	}
	return Loss{
		Kind: it.Kind, Name: it.Name, Source: it.Source, What: LossTool, Widens: true,
		Message: p.Name + " reads the file where it is, and nothing in it keeps the " + it.Kind.String() + " from doing more there",
		Fix:     "add to its fields: " + strings.Join(missing, "; "),
	}, true
}

// own are the fields that the host alone knows, as they are written, in the order of their
// keys: what it reads of a definition does not show them.
func (f *fielder) own(entries []definition.Entry) []string {
	var list []string
	for i := range entries {
		if r, ok := f.p.Rule(f.kind, entries[i].Key); ok && r.Field == 0 && !r.Inert && !r.InTOML {
			list = append(list, frontmatter.Write(entries[i:i+1]))
		}
	}
	slices.Sort(list)
	return list
}

// PlaceOf returns where definitions of a kind go in a host, and what they are there;
// nil where they go nowhere.
func PlaceOf(p *host.Profile, kind definition.Kind) (*host.ExportPlace, definition.Kind) {
	at := p.Export.Place(kind)
	if at != nil || kind != definition.Command || !p.Export.CommandAsSkill {
		return at, kind
	}
	if at = p.Export.Place(definition.Skill); at != nil && p.Export.CommandDir != "" {
		own := *at
		own.Dir = p.Export.CommandDir
		at = &own
	}
	return at, definition.Skill
}

// linesOf returns the line in the file of an offset in a body that has as many lines as
// the item's.
func linesOf(it *Item, body string) func(offset int) int {
	if it.Line == nil || it.BodyAt < 0 {
		return func(int) int { return 0 }
	}
	first := it.Line(it.BodyAt)
	file := diag.NewFile(it.Source, []byte(body))
	return func(offset int) int { return first + file.Pos(min(max(offset, 0), len(body))).Line - 1 }
}

// withBody is an item with another body of as many lines.
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

// encode writes a file.
func encode(at *host.ExportPlace, entries []definition.Entry, body string) []byte {
	if at.Format == definition.TOML {
		text := strings.TrimLeft(body, "\n")
		entries = append(entries, definition.Entry{Key: at.Body, Value: definition.Value{Kind: definition.String, Text: text}})
		return []byte(frontmatter.WriteTOML(entries))
	}
	head := ""
	switch {
	case len(entries) > 0 && at.Unquoted:
		head = "---\n" + frontmatter.WriteBare(entries) + "---\n"
	case len(entries) > 0:
		head = "---\n" + frontmatter.Write(entries) + "---\n"
	case strings.HasPrefix(body, "---"):
		// It would be read as the fields.
		head = "\n"
	}
	return []byte(head + body)
}

// beside adds the files beside a skill.
func (f *fielder) beside(r *Result, dir string, at *host.ExportPlace) {
	if at.File == "" {
		if len(f.it.Companions) > 0 {
			f.lose(0, LossCompanion, fmt.Sprintf("%s has no place beside %s for %d files", f.p.Name, chars.WithArticle(f.kind.String()), len(f.it.Companions)), "make it a skill")
		}
		return
	}
	extra := f.p.Export.Manual
	manual := f.manual()
	for _, c := range f.it.Companions {
		if manual && extra != nil && c.Path == extra.Path {
			manual = false
		}
		r.Files = append(r.Files, File{
			Path: path.Join(dir, c.Path), Data: f.companion(&c, dir), Executable: c.Executable, Kind: f.kind, Name: r.Files[0].Name,
			Source: path.Join(path.Dir(f.it.Source), c.Path),
		})
	}
	if manual && extra != nil {
		r.Files = append(r.Files, File{
			Path: path.Join(dir, extra.Path), Data: []byte(extra.Text), Kind: f.kind, Name: r.Files[0].Name, Source: f.it.Source,
		})
	}
}

// companion is a file beside a skill. The links in one of Markdown are written for the
// new place.
func (f *fielder) companion(c *Companion, dir string) []byte {
	if f.it.Stays || f.it.At == "" || !strings.EqualFold(path.Ext(c.Path), ".md") || !utf8.Valid(c.Data) {
		return c.Data
	}
	l := loser{it: f.it}
	r := relinker{loser: &l, p: f.p, from: path.Join(path.Dir(f.it.At), c.Path), to: path.Join(dir, c.Path), line: func(int) int { return 0 }}
	text := string(c.Data)
	made := r.text(text)
	for _, x := range l.list {
		if x.What == LossFile {
			f.lose(0, LossFile, c.Path+": "+x.Message, x.Fix)
		}
	}
	if made == text {
		return c.Data
	}
	return []byte(made)
}

// manual reports whether only people call the item.
func (f *fielder) manual() bool {
	if e := f.entry(definition.FieldDisableModelInvocation); e != nil {
		on, _ := frontmatter.Bool(e.Value)
		return on
	}
	return f.it.Kind == definition.Command && f.kind == definition.Skill
}
