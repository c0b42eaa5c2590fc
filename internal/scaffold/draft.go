package scaffold

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/bundled"
	"github.com/vadehq/vade/internal/bundled/templates"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/materialize"
	"github.com/vadehq/vade/internal/vfs"
)

// aboutKey is the key by which a template says what it is good for. It is no part of what
// is made of it.
const aboutKey = "about"

// The bounds of a request: the length of one text in bytes, and the items of a list.
const (
	maxNewText  = 4 << 10
	maxNewItems = 32
)

// draft is a definition before it is a file.
type draft struct {
	entries []definition.Entry
	body    string
	beside  []export.Companion
	// own: it is a template of ours, with places that are filled in.
	own bool
}

// draftOf reads a text with its frontmatter.
func draftOf(k definition.Kind, text []byte) draft {
	file := diag.NewFile("", text)
	doc, _ := frontmatter.Parse(file, false, host.NeutralDialect().For(k))
	return draft{entries: doc.Entries, body: strings.ToValidUTF8(string(text[doc.Body:]), "\ufffd")}
}

// fieldText is the text of a field, "" where there is none.
func fieldText(entries []definition.Entry, key string) string {
	for i := range entries {
		if entries[i].Key == key {
			text, _ := frontmatter.Text(entries[i].Value)
			return text
		}
	}
	return ""
}

// fields holds what a request says of the frontmatter to what the kind has.
func (r *Request) fields() error {
	lists := []struct {
		what  string
		items []string
		kinds []definition.Kind
	}{
		{"a description", single(r.Description), definition.Kinds[:]},
		{"a hint of arguments", single(r.ArgumentHint), []definition.Kind{definition.Skill, definition.Command}},
		{"arguments", r.Arguments, []definition.Kind{definition.Skill, definition.Command}},
		{"tools", r.Tools, []definition.Kind{definition.Skill, definition.Command, definition.Agent}},
		{"a model", single(r.Model), []definition.Kind{definition.Skill, definition.Command, definition.Agent}},
		{"paths", r.Paths, []definition.Kind{definition.Skill, definition.Instruction}},
	}
	for _, l := range lists {
		if len(l.items) > 0 && !slices.Contains(l.kinds, r.Kind) {
			return newError(ErrNewField, "leave it out", "%s has no place for %s", article(r.Kind), l.what)
		}
		if len(l.items) > maxNewItems {
			return newError(ErrNewField, "name fewer", "%s: there are %d, and at most %d are taken", l.what, len(l.items), maxNewItems)
		}
		for _, item := range l.items {
			if item == "" || len(item) > maxNewText || !utf8.ValidString(item) || strings.ContainsFunc(item, hiddenRune) {
				return newError(ErrNewField, "write it as one line of plain text", "%s: it is empty, longer than %d bytes, or has characters that do not show", l.what, maxNewText)
			}
		}
	}
	for _, name := range r.Arguments {
		if strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" || name[0] >= '0' && name[0] <= '9' || name == "ARGUMENTS" {
			return newError(ErrNewField, "use letters, digits and low lines, and begin with a letter", "the argument %q can not be named in a text", name)
		}
	}
	return nil
}

func single(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

func hiddenRune(c rune) bool {
	return unicode.IsControl(c) || unicode.Is(unicode.Cf, c) || c == 0x2028 || c == 0x2029
}

// draft reads what the definition begins with, and puts into it what the request says.
func (m *maker) draft(ctx context.Context) error {
	if err := m.begin(ctx); err != nil {
		return err
	}
	m.result.From = m.from
	m.text.compose(&m.want, m.name, m.argumentForm())
	if fieldText(m.text.entries, definition.FieldDescription.Key()) == "" && m.kind != definition.Instruction {
		return newError(ErrNewField, "say what it does and when to use it: --description TEXT", "%s needs a description: models and people choose by it", article(m.kind))
	}
	return nil
}

// begin finds the text to begin with: a template, a path in the project, or a definition
// that is installed, in this order.
func (m *maker) begin(ctx context.Context) error {
	names := templates.Names(m.kind)
	from := m.want.From
	switch {
	case from == "" && m.kind == definition.Instruction && len(m.want.Paths) > 0:
		from = "paths"
	case from == "":
		from = names[0]
	}
	if slices.Contains(names, from) {
		text, beside, err := templates.Read(m.kind, from)
		if err != nil {
			return err
		}
		m.text, m.from = draftOf(m.kind, text), from
		m.text.own = true
		for _, f := range beside {
			m.text.beside = append(m.text.beside, export.Companion{Path: f.Path, Data: f.Data, Executable: f.Executable})
		}
		return nil
	}
	o := m.given
	o.As, o.Remote = "", false
	c, err := materialize.Open(ctx, o)
	if err != nil {
		return err
	}
	defer c.Close()
	rel := m.im.Only[0]
	if d, err := m.installed(ctx, c, from, rel); err != nil {
		return err
	} else if d != nil {
		err = m.copyDefinition(ctx, c, d)
		return m.copiedFrom(d.Origin.Path, err)
	}
	shown, err := m.copyPath(ctx, c, rel)
	if errors.Is(err, fs.ErrNotExist) {
		return newError(ErrNewFrom, "templates are "+strings.Join(names, ", ")+"; or name a file or a folder of the project, or a "+m.kind.String()+" of: vade list",
			"--from %s: no template, path or %s is named so", m.want.From, m.kind)
	}
	return m.copiedFrom(shown, err)
}

// copiedFrom notes what a text was copied from.
func (m *maker) copiedFrom(shown string, err error) error {
	if err != nil {
		return err
	}
	m.from = shown
	m.say(shown, "look through it before you share it", "its text is copied as it is, whatever it holds; nothing was searched for secrets")
	return nil
}

// installed returns the definition in force that a name or a path means, nil for none.
func (m *maker) installed(ctx context.Context, c *catalog.Catalog, name, rel string) (*definition.Definition, error) {
	named, err := c.Named(ctx, name)
	if err != nil {
		return nil, newError(ErrNewFrom, "name one of: vade list", "--from %s: %v", name, err)
	}
	all, err := c.Scan(ctx)
	if err != nil {
		return nil, err
	}
	for _, d := range all.All {
		if d.Origin.Path == rel || d.Origin.Path == path.Join(rel, "SKILL.md") {
			named = append(named, c.Handle(d))
		}
	}
	other := definition.Kind(0)
	for _, d := range named {
		switch {
		case d.Record().State == definition.Dropped:
		case d.Record().Kind == m.kind:
			return d.Record(), nil
		default:
			other = d.Record().Kind
		}
	}
	if other != 0 {
		return nil, newError(ErrNewFrom, "make "+article(other)+" of it, or begin with another text", "--from %s: it is %s, and not %s", name, article(other), article(m.kind))
	}
	return nil, nil
}

// copyDefinition takes the text of a definition as the source of truth would have it: in
// the neutral syntax, without what lets more be done than it says.
func (m *maker) copyDefinition(ctx context.Context, c *catalog.Catalog, d *definition.Definition) error {
	if m.kind == definition.Instruction {
		doc, err := c.Document(ctx, d)
		m.text = draft{entries: doc.Entries, body: doc.Body}
		return err
	}
	truth := m.im.Truth
	if truth.Mine(d.Origin.Path) {
		// As if it came from elsewhere: what is never copied is left out. Links are written
		// for a directory as deep.
		deep := strings.Count(path.Dir(truth.Export.Place(m.kind).Dir), "/")
		truth = registry.Truth("vade-new" + strings.Repeat("/x", deep))
	}
	x := export.Exporter{C: c, P: truth, Used: map[string]bool{}, Reads: m.im.Spelled, Out: &export.Export{Host: truth.Name}}
	x.Take(ctx, d)
	if err := ctx.Err(); err != nil {
		return err
	}
	dir := ""
	for _, f := range x.Files {
		if f.Main {
			m.text, dir = draftOf(m.kind, f.Data), path.Dir(f.Path)
		}
	}
	if dir == "" {
		why := "its file can not be read"
		for _, l := range x.Lost {
			if l.Whole {
				why = l.Message
			}
		}
		return newError(ErrNewFrom, "see: vade show "+d.Name, "--from %s: %s", d.Origin.Path, why)
	}
	for _, f := range x.Files {
		if !f.Main {
			m.text.beside = append(m.text.beside, export.Companion{Path: strings.TrimPrefix(f.Path, dir+"/"), Data: f.Data, Executable: f.Executable})
		}
	}
	return m.shipped(c, d, x.Lost)
}

// shipped adds the files beside a skill that comes with Vade, which are in no directory, and
// notes what is lost. A link to one of them is not.
func (m *maker) shipped(c *catalog.Catalog, d *definition.Definition, losses []export.Loss) error {
	if !c.ComesWithVade(d) {
		m.lost(losses, "")
		return nil
	}
	if c.Computed(d) != nil {
		m.say(d.Origin.Path, "take out what says so", "Vade computes the text of this skill from each call; the copy is the text in its file")
	}
	folder := catalog.FolderOf(d)
	names, err := bundled.CompanionNames(c.Env.Bundled, folder)
	if err != nil {
		return fmt.Errorf("vade: %s: %w", d.Origin.Path, err)
	}
	left := int64(bundled.MaxBytes)
	for _, name := range names {
		f, err := c.Env.Bundled.Open(path.Join(folder, name))
		if err != nil {
			return fmt.Errorf("vade: %s: %w", d.Origin.Path, err)
		}
		data, err := io.ReadAll(io.LimitReader(f, left+1))
		f.Close()
		if left -= int64(len(data)); err == nil && left < 0 {
			err = vfs.ErrTooLarge
		}
		if err != nil {
			return fmt.Errorf("vade: %s: %s: %w", d.Origin.Path, name, err)
		}
		m.text.beside = append(m.text.beside, export.Companion{Path: name, Data: data})
		losses = slices.DeleteFunc(losses, func(l export.Loss) bool {
			return l.What == export.LossFile && strings.Contains(l.Message, " "+name+" ")
		})
	}
	m.lost(losses, "")
	return nil
}

// lost notes what can not be expressed. Another name is no loss of what is new.
func (m *maker) lost(losses []export.Loss, host string) {
	for _, l := range losses {
		if l.What != export.LossName {
			m.result.Losses = append(m.result.Losses, export.HostLoss{
				Host: host, Kind: l.Kind, Name: m.name, Source: l.Source, Line: l.Line, What: l.What, Message: l.Message, Fix: l.Fix, Widens: l.Widens,
			})
		}
	}
}

// copyPath takes the text of a file or a folder of the project that is no definition
// there.
func (m *maker) copyPath(ctx context.Context, c *catalog.Catalog, rel string) (string, error) {
	if !fs.ValidPath(rel) {
		return "", newError(ErrNewFrom, "copy it into the project first", "--from %s: it is outside of the project", m.want.From)
	}
	typ, err := m.im.Tree.Lstat(rel)
	file := rel
	if err == nil && typ == vfs.Dir {
		file = path.Join(rel, templates.Main(m.kind))
	}
	if err == nil {
		err = c.Hidden(m.im.Tree, file)
	}
	var data []byte
	if err == nil {
		data, err = m.im.Tree.ReadFile(file, registry.Neutral().MaxFile)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", err
	case err != nil:
		return "", newError(ErrNewFrom, "begin with another text", "--from %s: %s: %v", m.want.From, file, catalog.ReasonOf(err))
	case !utf8.Valid(data) || strings.ContainsRune(string(data), 0):
		return "", newError(ErrNewFrom, "begin with another text", "--from %s: %s is no text", m.want.From, file)
	}
	m.text = draftOf(m.kind, data)
	if typ != vfs.Dir || m.kind != definition.Skill {
		return file, nil
	}
	tree, err := vfs.Open(m.im.Tree.RealPath(rel), vfs.Options{})
	if err != nil {
		return "", err
	}
	defer tree.Close()
	w := export.CompanionWalk{C: c, Ctx: ctx, Tree: tree, D: &definition.Definition{Kind: m.kind, Name: m.name, Origin: definition.Origin{Path: file}}}
	w.Walk(".", 0)
	m.text.beside = w.Files
	m.lost(w.Lost, "")
	return file, ctx.Err()
}
