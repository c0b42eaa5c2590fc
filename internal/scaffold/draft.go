package scaffold

import (
	"cmp"
	"context"
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
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/config"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/lazyregexp"
)

// aboutKey is the key by which a template says what it is good for. It is left out of what
// is made of it.
const aboutKey = "about"

// The bounds of a request: the length of one text in bytes, and the characters of a name
// (the Agent Skills specification; Codex and Copilot drop a skill with a longer one).
const (
	maxText = 4 << 10
	maxName = 64
)

// The characters of a name are those that the Agent Skills specification allows: some hosts
// drop or rename definitions with others.
var (
	namePattern     = lazyregexp.New(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	otherCharacters = lazyregexp.New(`[^a-z0-9]+`)
	argumentPattern = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// CheckName says why a definition cannot have a name; nil if it can.
func CheckName(kind definition.Kind, name string) error {
	if name == "" {
		return newError(ErrName, "name it: vade new "+kind.String()+" NAME", "the %s has no name", kind)
	}
	if len(name) > maxName {
		return newError(ErrName, "shorten it", "the name has %d characters; some hosts take at most %d",
			utf8.RuneCountInString(name), maxName)
	}
	parts := []string{name}
	// The rules of the neutral view rest on these: README is documentation, index stands
	// for its directory, and SKILL.md is a skill.
	var reserved []string
	switch kind {
	case definition.Command:
		parts = strings.Split(strings.ReplaceAll(name, ":", "/"), "/")
		reserved = []string{"readme", "index", "skill"}
	case definition.Agent:
		reserved = []string{"readme"}
	}
	for _, part := range parts {
		other := "give it another name, such as " + part + "-" + kind.String()
		switch {
		case !namePattern().MatchString(part):
			fix := "use lowercase letters, digits and single hyphens between them"
			if near := strings.Trim(otherCharacters().ReplaceAllString(strings.ToLower(path.Base(name)), "-"), "-"); near != "" {
				fix += ", such as " + near
			}
			return newError(ErrName, fix, "the name %q has other characters", name)
		case config.BadPath(part) != "":
			return newError(ErrName, other, "the name %q %s", name, config.BadPath(part))
		case slices.Contains(reserved, part):
			return newError(ErrName, other, "a file of the name %q is no %s of that name in every host", part, kind)
		}
	}
	return nil
}

// fields checks what a request says of the frontmatter.
func (r *Request) fields() error {
	single := func(text string) []string {
		return slices.DeleteFunc([]string{text}, func(s string) bool { return s == "" })
	}
	for _, l := range []struct {
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
	} {
		if len(l.items) > 0 && !slices.Contains(l.kinds, r.Kind) {
			return newError(ErrNewField, "leave it out", "%s has no place for %s", chars.WithArticle(r.Kind.String()), l.what)
		}
		for _, item := range l.items {
			isHidden := func(c rune) bool { return unicode.IsControl(c) || unicode.In(c, unicode.Cf, unicode.Zl, unicode.Zp) }
			if item == "" || len(item) > maxText || !utf8.ValidString(item) || strings.ContainsFunc(item, isHidden) {
				return newError(ErrNewField, "write it as one line of plain text",
					"%s: it is empty, longer than %d bytes, or has invisible characters", l.what, maxText)
			}
		}
	}
	for _, name := range r.Arguments {
		if !argumentPattern().MatchString(name) || name == "ARGUMENTS" {
			return newError(ErrNewField, "use letters, digits and underscores, and begin with a letter",
				"%q cannot be the name of an argument", name)
		}
	}
	return nil
}

// parse divides a text into its frontmatter and its body.
func parse(k definition.Kind, text []byte) ([]definition.Entry, string) {
	doc, _ := frontmatter.Parse(diag.NewFile("", text), false, host.NeutralDialect().For(k))
	return doc.Entries, strings.ToValidUTF8(string(text[doc.Body:]), "\ufffd")
}

// fieldText is the text of a field, "" if there is none.
func fieldText(entries []definition.Entry, key string) string {
	i := slices.IndexFunc(entries, func(e definition.Entry) bool { return e.Key == key })
	if i < 0 {
		return ""
	}
	text, _ := frontmatter.Text(entries[i].Value)
	return text
}

// draft reads what the definition begins with, a template or another definition, and puts
// into it what the request says.
func (m *maker) draft(ctx context.Context) error {
	names := templates.Names(m.kind)
	from := m.want.From
	switch {
	case from == "" && m.kind == definition.Instruction && len(m.want.Paths) > 0:
		from = "paths"
	case from == "":
		from = names[0]
	}
	if !slices.Contains(names, from) {
		if err := m.copyDefinition(ctx, from); err != nil {
			return err
		}
		m.compose()
	} else {
		text, beside, err := templates.Read(m.kind, from)
		if err != nil {
			return err
		}
		m.result.From = from
		m.entries, m.body = parse(m.kind, text)
		for _, f := range beside {
			m.companions = append(m.companions, export.Companion(f))
		}
		m.compose()
		m.fill()
	}
	if fieldText(m.entries, definition.FieldDescription.Key()) == "" && m.kind != definition.Instruction {
		return newError(ErrNewField, "say what it does and when to use it: --description TEXT",
			"%s needs a description: models and people choose by it", chars.WithArticle(m.kind.String()))
	}
	return nil
}

// copyDefinition begins with a definition, as the source of truth would have it: in the
// neutral syntax, without what lets more be done than it says.
func (m *maker) copyDefinition(ctx context.Context, from string) error {
	c, err := catalog.Open(ctx, m.givenAs(""))
	if err != nil {
		return err
	}
	defer c.Close()
	named, err := c.Named(ctx, from)
	if err == nil && len(named) == 0 {
		named, err = c.Named(ctx, path.Join(from, "SKILL.md"))
	}
	if err != nil {
		return newError(ErrNewFrom, "name one of: vade list", "--from %s: %v", from, err)
	}
	isWanted := func(d catalog.Definition) bool { return d.Kind() == m.kind && d.State() != definition.Dropped }
	at := slices.IndexFunc(named, isWanted)
	if at < 0 {
		fix := "templates are " + strings.Join(templates.Names(m.kind), ", ") + "; or name a " + m.kind.String() + " of: vade list"
		return newError(ErrNewFrom, fix, "--from %s: no template or %s has this name", from, m.kind)
	}
	d := named[at].Record()
	m.result.From = d.Origin.Path
	m.say(d.Origin.Path, "look through it before you share it",
		"its text is copied as it is, whatever it holds; nothing was searched for secrets")
	if m.kind == definition.Instruction {
		doc, err := c.Document(ctx, d)
		m.entries, m.body = doc.Entries, doc.Body
		return err
	}
	// As if it came from elsewhere, so that what is never copied is left out. Links are
	// written for a directory as deep.
	depth := strings.Count(path.Dir(m.im.Truth.Export.Place(m.kind).Dir), "/")
	truth := registry.Truth("vade-new" + strings.Repeat("/x", depth))
	x := export.Exporter{C: c, P: truth, Used: map[string]bool{}, Reads: m.im.NeutralFields, Out: &export.Export{Host: truth.Name}}
	x.Take(ctx, d)
	if err := ctx.Err(); err != nil {
		return err
	}
	main := slices.IndexFunc(x.Files, func(f export.File) bool { return f.Main })
	if main < 0 {
		why := "its file can not be read"
		for _, l := range x.Lost {
			if l.Whole {
				why = l.Message
			}
		}
		return newError(ErrNewFrom, "see: vade show "+d.Name, "--from %s: %s", d.Origin.Path, why)
	}
	m.entries, m.body = parse(m.kind, x.Files[main].Data)
	dir := path.Dir(x.Files[main].Path)
	for _, f := range slices.Delete(x.Files, main, main+1) {
		rel := strings.TrimPrefix(f.Path, dir+"/")
		m.companions = append(m.companions, export.Companion{Path: rel, Data: f.Data, Executable: f.Executable})
	}
	if c.ComesWithVade(d) {
		// It says when Vade offers the skill, and nothing else.
		m.drop(definition.FieldMetadata.Key())
		beside, err := bundled.ReadCompanions(c.Env.Bundled, catalog.BundledFolder(d))
		if err != nil {
			return err
		}
		for _, f := range beside {
			m.companions = append(m.companions, export.Companion{Path: f.Path, Data: f.Data})
		}
	}
	for _, l := range x.Lost {
		// The files beside a skill of Vade's are in no directory; the export misses them.
		if l.What != export.LossName && !(l.What == export.LossFile && c.ComesWithVade(d)) {
			l.Name = m.name
			m.result.Losses = append(m.result.Losses, l.In(""))
		}
	}
	return nil
}

// compose puts into the draft what the request says.
func (m *maker) compose() {
	r := &m.want
	m.drop(aboutKey)
	// Two definitions cannot have the same aliases.
	m.drop(definition.FieldAliases.Key())
	// In reverse, as what is new comes first: what it is called and what it is for.
	if r.Model != "" {
		m.set(definition.FieldModel, textValue(r.Model))
	}
	if len(r.Tools) > 0 {
		field := definition.FieldAllowedTools
		if r.Kind == definition.Agent {
			field = definition.FieldTools
		}
		m.set(field, toolsValue(r.Kind, r.Tools))
	}
	isPaths := func(e definition.Entry) bool {
		switch definition.LookupField(e.Key) {
		case definition.FieldPaths, definition.FieldGlobs, definition.FieldApplyTo, definition.FieldAlwaysApply:
			return true
		}
		return false
	}
	if r.Kind == definition.Instruction && (len(r.Paths) > 0 || !slices.ContainsFunc(m.entries, isPaths)) {
		m.entries = slices.DeleteFunc(m.entries, isPaths)
		m.set(definition.FieldApplyTo, textValue(cmp.Or(strings.Join(r.Paths, ","), "**")))
	} else if len(r.Paths) > 0 {
		m.set(definition.FieldPaths, export.ListOf(r.Paths))
	}
	hint := r.ArgumentHint
	if len(r.Arguments) > 0 {
		m.set(definition.FieldArguments, export.ListOf(r.Arguments))
		hint = cmp.Or(hint, "["+strings.Join(r.Arguments, "] [")+"]")
	}
	if hint != "" {
		m.set(definition.FieldArgumentHint, textValue(hint))
	}
	if r.Description != "" {
		m.set(definition.FieldDescription, textValue(strings.Join(strings.Fields(r.Description), " ")))
	}
	if r.Kind == definition.Skill || r.Kind == definition.Agent {
		m.set(definition.FieldName, textValue(m.name))
	} else {
		m.drop(definition.FieldName.Key())
	}
}

// fill puts the name and the arguments into the places of a template. The hosts put
// nothing into the body of most skills, and several drop skills with fields for arguments:
// there the text says in words what they are, as in a command for a host without a place
// for arguments.
func (m *maker) fill() {
	inWords := m.kind == definition.Skill
	if m.host != nil && m.kind == definition.Command {
		x := m.host.Export
		inWords = x.Place(m.kind) == nil || x.Syntax == nil || x.Syntax(m.kind) == nil || x.Syntax(m.kind).All == ""
	}
	inputs, hint := "", fieldText(m.entries, definition.FieldArgumentHint.Key())
	switch names := m.want.Arguments; {
	case len(names) > 0:
		inputs = "What stands behind its name in the call, in this order:\n\n- " + strings.Join(names, "\n- ") + "\n"
		if !inWords {
			inputs += "\nThat is: $ARGUMENTS\n"
		}
	case hint != "" && inWords:
		inputs = "What is asked for is what stands behind its name in the call: " + hint + "\n"
	case hint != "":
		inputs = "What is asked for: $ARGUMENTS\n"
	}
	if inWords {
		m.drop(definition.FieldArguments.Key(), definition.FieldArgumentHint.Key())
	}
	const place = "{{inputs}}\n"
	if inputs == "" {
		m.body = strings.Replace(m.body, place+"\n", "", 1)
	}
	m.body = strings.Replace(m.body, place, inputs, 1)
	title := strings.NewReplacer("-", " ", ":", " ").Replace(m.name)
	m.body = strings.ReplaceAll(m.body, "{{title}}", strings.ToUpper(title[:1])+title[1:])
}

// set gives a field a value, in its place or at the front.
func (m *maker) set(f definition.Field, v definition.Value) {
	e := definition.Entry{Key: f.Key(), Value: v}
	i := slices.IndexFunc(m.entries, func(e definition.Entry) bool { return definition.LookupField(e.Key) == f })
	if i < 0 {
		m.entries = slices.Insert(m.entries, 0, e)
	} else {
		m.entries[i] = e
	}
}

// drop removes fields in any spelling.
func (m *maker) drop(keys ...string) {
	for _, key := range keys {
		field := definition.LookupField(key)
		m.entries = slices.DeleteFunc(m.entries, func(e definition.Entry) bool {
			return e.Key == key || field != 0 && definition.LookupField(e.Key) == field
		})
	}
}

func textValue(text string) definition.Value {
	return definition.Value{Kind: definition.String, Text: text}
}

// toolsValue is a list of tools as hosts take it: that of a skill is one line with spaces
// between the rules (the Agent Skills specification), unless they could not be told apart.
func toolsValue(k definition.Kind, tools []string) definition.Value {
	line := textValue(strings.Join(tools, " "))
	if rules, problem := frontmatter.Rules(line); k == definition.Skill && problem == "" && slices.Equal(rules, tools) {
		return line
	}
	return export.ListOf(tools)
}

// encode writes a definition as a file.
func encode(entries []definition.Entry, body string) []byte {
	return []byte("---\n" + frontmatter.Write(entries) + "---\n\n" + strings.TrimLeft(body, "\n"))
}
