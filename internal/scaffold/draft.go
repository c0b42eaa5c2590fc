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

// aboutKey is the frontmatter key of a template's own description. It is not copied to the new
// definition.
const aboutKey = "about"

// Limits for a request. maxText is the maximum length of a value in bytes, and maxName is the
// maximum length of a name in characters. The limit for names comes from the Agent Skills
// specification; Codex and Copilot drop skills with longer names.
const (
	maxText = 4 << 10
	maxName = 64
)

// Names may contain only the characters that the Agent Skills specification
// allows. Some hosts drop or rename definitions with other characters.
var (
	namePattern     = lazyregexp.New(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	otherCharacters = lazyregexp.New(`[^a-z0-9]+`)
	argumentPattern = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// CheckName returns an error if a definition of this kind cannot have the name.
func CheckName(kind definition.Kind, name string) error {
	if name == "" {
		return newError(ErrName, "specify a name: vade new "+kind.String()+" NAME", "the %s has no name", kind)
	}
	if n := utf8.RuneCountInString(name); n > maxName {
		return newError(ErrName, "shorten it", "the name is %d characters long; some hosts allow at most %d", n, maxName)
	}
	parts := []string{name}
	// In the neutral view, a README file is documentation, an index file is named after its
	// directory, and SKILL.md is a skill.
	var reserved []string
	switch kind {
	case definition.Command:
		parts = strings.Split(strings.ReplaceAll(name, ":", "/"), "/")
		reserved = []string{"readme", "index", "skill"}
	case definition.Agent:
		reserved = []string{"readme"}
	}
	for _, part := range parts {
		other := "choose another name, such as " + part + "-" + kind.String()
		switch {
		case !namePattern().MatchString(part):
			fix := "use lowercase letters, digits and single hyphens between them"
			if near := strings.Trim(otherCharacters().ReplaceAllString(strings.ToLower(path.Base(name)), "-"), "-"); near != "" {
				fix += ", such as " + near
			}
			return newError(ErrName, fix, "the name %q has invalid characters", name)
		case config.BadPath(part) != "":
			return newError(ErrName, other, "the name %q %s", name, config.BadPath(part))
		case slices.Contains(reserved, part):
			return newError(ErrName, other, "some hosts do not load a file named %q as %s with that name", part, chars.WithArticle(kind.String()))
		}
	}
	return nil
}

// fields returns an error if one of the request's frontmatter values is not valid.
func (r *Request) fields() error {
	single := func(text string) []string {
		return slices.DeleteFunc([]string{text}, func(s string) bool { return s == "" })
	}
	for _, l := range []struct {
		noun  string
		items []string
		kinds []definition.Kind
	}{
		{"a description", single(r.Description), definition.Kinds[:]},
		{"an argument hint", single(r.ArgumentHint), []definition.Kind{definition.Skill, definition.Command}},
		{"arguments", r.Arguments, []definition.Kind{definition.Skill, definition.Command}},
		{"tools", r.Tools, []definition.Kind{definition.Skill, definition.Command, definition.Agent}},
		{"a model", single(r.Model), []definition.Kind{definition.Skill, definition.Command, definition.Agent}},
		{"paths", r.Paths, []definition.Kind{definition.Skill, definition.Instruction}},
	} {
		if len(l.items) > 0 && !slices.Contains(l.kinds, r.Kind) {
			return newError(ErrNewField, "remove it", "%s cannot have %s", chars.WithArticle(r.Kind.String()), l.noun)
		}
		for _, item := range l.items {
			isHidden := func(c rune) bool { return unicode.IsControl(c) || unicode.In(c, unicode.Cf, unicode.Zl, unicode.Zp) }
			if item == "" || len(item) > maxText || !utf8.ValidString(item) || strings.ContainsFunc(item, isHidden) {
				return newError(ErrNewField, "use a single line of plain text",
					"%s must not be empty, exceed %d bytes or contain invisible characters", l.noun, maxText)
			}
		}
	}
	for _, name := range r.Arguments {
		if !argumentPattern().MatchString(name) || name == "ARGUMENTS" {
			return newError(ErrNewField, "use letters, digits and underscores, starting with a letter",
				"invalid argument name %q", name)
		}
	}
	return nil
}

// parse splits text into frontmatter and body.
func parse(k definition.Kind, text []byte) ([]definition.Entry, string) {
	doc, _ := frontmatter.Parse(diag.NewFile("", text), false, host.NeutralDialect().For(k))
	return doc.Entries, strings.ToValidUTF8(string(text[doc.Body:]), "\ufffd")
}

// fieldText returns a field's text, or "".
func fieldText(entries []definition.Entry, key string) string {
	i := slices.IndexFunc(entries, func(e definition.Entry) bool { return e.Key == key })
	if i < 0 {
		return ""
	}
	text, _ := frontmatter.Text(entries[i].Value)
	return text
}

// draft reads the template or definition to start from and applies the request to it.
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
		text, companions, err := templates.Read(m.kind, from)
		if err != nil {
			return err
		}
		m.result.From = from
		m.entries, m.body = parse(m.kind, text)
		for _, f := range companions {
			m.companions = append(m.companions, export.Companion(f))
		}
		m.compose()
		m.fill()
	}
	if fieldText(m.entries, definition.FieldDescription.Key()) == "" && m.kind != definition.Instruction {
		return newError(ErrNewField, "describe what it does and when to use it: --description TEXT",
			"%s needs a description, which models and people use to choose it", chars.WithArticle(m.kind.String()))
	}
	return nil
}

// copyDefinition starts the draft with a copy of an existing definition, converted to the neutral
// format. It omits the fields that are never exported; see [export.Leave].
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
		return newError(ErrNewFrom, "to list definitions, run: vade list", "--from %s: %v", from, err)
	}
	isWanted := func(d catalog.Definition) bool { return d.Kind() == m.kind && d.State() != definition.Dropped }
	at := slices.IndexFunc(named, isWanted)
	if at < 0 {
		fix := "use one of " + strings.Join(templates.Names(m.kind), ", ") + ", or " + chars.WithArticle(m.kind.String()) + " from: vade list"
		return newError(ErrNewFrom, fix, "--from %s: no such template or %s", from, m.kind)
	}
	d := named[at].Record()
	m.result.From = d.Origin.Path
	m.say(d.Origin.Path, "review it before you share it",
		"the text is copied verbatim and is not searched for secrets")
	if m.kind == definition.Instruction {
		doc, err := c.Document(ctx, d)
		m.entries, m.body = doc.Entries, doc.Body
		return err
	}
	// Export to a made-up source of truth, so that fields that must never be copied are left out.
	// Its directory has the same depth as the real one, so relative links are adjusted correctly.
	depth := strings.Count(path.Dir(m.im.SourceOfTruth.Export.Place(m.kind).Dir), "/")
	target := registry.SourceOfTruth("vade-new" + strings.Repeat("/x", depth))
	x := export.Exporter{C: c, P: target, Used: map[string]bool{}, Reads: m.im.NeutralFields, Out: &export.Export{Host: target.Name}}
	x.Take(ctx, d)
	if err := ctx.Err(); err != nil {
		return err
	}
	main := slices.IndexFunc(x.Files, func(f export.ExportedFile) bool { return f.Main })
	if main < 0 {
		why := "the file cannot be read"
		for _, l := range x.Losses {
			if l.Whole {
				why = l.Message
			}
		}
		return newError(ErrNewFrom, "to see the definition, run: vade show "+d.Name, "--from %s: %s", d.Origin.Path, why)
	}
	m.entries, m.body = parse(m.kind, x.Files[main].Data)
	dir := path.Dir(x.Files[main].Path)
	for _, f := range slices.Delete(x.Files, main, main+1) {
		rel := strings.TrimPrefix(f.Path, dir+"/")
		m.companions = append(m.companions, export.Companion{Path: rel, Data: f.Data, Executable: f.Executable})
	}
	if c.ComesWithVade(d) {
		// Only Vade uses the metadata of bundled skills.
		m.drop(definition.FieldMetadata.Key())
		companions, err := bundled.ReadCompanions(c.Env.Bundled, catalog.BundledFolder(d))
		if err != nil {
			return err
		}
		for _, f := range companions {
			m.companions = append(m.companions, export.Companion{Path: f.Path, Data: f.Data})
		}
	}
	for _, l := range x.Losses {
		// The export reports bundled skills' companion files as missing, because they are not on
		// disk. Ignore that.
		if l.What != export.LossName && !(l.What == export.LossFile && c.ComesWithVade(d)) {
			l.Name = m.name
			m.result.Losses = append(m.result.Losses, l)
		}
	}
	return nil
}

// compose sets the draft's fields and body to what the request specifies.
func (m *maker) compose() {
	r := &m.want
	m.drop(aboutKey)
	// Two definitions cannot share an alias.
	m.drop(definition.FieldAliases.Key())
	// New fields are inserted at the front. Set them in reverse order, so that the name and the
	// description come first.
	if r.Model != "" {
		m.set(definition.FieldModel, definition.StringValue(r.Model))
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
		m.set(definition.FieldApplyTo, definition.StringValue(cmp.Or(strings.Join(r.Paths, ","), "**")))
	} else if len(r.Paths) > 0 {
		m.set(definition.FieldPaths, definition.ListValue(r.Paths))
	}
	hint := r.ArgumentHint
	if len(r.Arguments) > 0 {
		m.set(definition.FieldArguments, definition.ListValue(r.Arguments))
		hint = cmp.Or(hint, "["+strings.Join(r.Arguments, "] [")+"]")
	}
	if hint != "" {
		m.set(definition.FieldArgumentHint, definition.StringValue(hint))
	}
	if r.Description != "" {
		m.set(definition.FieldDescription, definition.StringValue(strings.Join(strings.Fields(r.Description), " ")))
	}
	if r.Kind == definition.Skill || r.Kind == definition.Agent {
		m.set(definition.FieldName, definition.StringValue(m.name))
	} else {
		m.drop(definition.FieldName.Key())
	}
}

// fill replaces the template's placeholders for the title and the arguments. In a skill, the
// arguments are described in words, because most hosts do not replace placeholders in skills, and
// several drop skills with argument fields. The same is done in a command for a host without
// placeholders.
func (m *maker) fill() {
	inWords := m.kind == definition.Skill
	if m.host != nil && m.kind == definition.Command {
		x := m.host.Export
		inWords = x.Place(m.kind) == nil || x.Syntax == nil || x.Syntax(m.kind) == nil || x.Syntax(m.kind).All == ""
	}
	inputs, hint := "", fieldText(m.entries, definition.FieldArgumentHint.Key())
	switch names := m.want.Arguments; {
	case len(names) > 0:
		inputs = "Arguments, in order:\n\n- " + strings.Join(names, "\n- ") + "\n"
		if !inWords {
			inputs += "\nValues: $ARGUMENTS\n"
		}
	case hint != "" && inWords:
		inputs = "Arguments: " + hint + "\n"
	case hint != "":
		inputs = "Request: $ARGUMENTS\n"
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

// set sets a field's value. If the field does not exist yet, set inserts it before the other
// fields.
func (m *maker) set(f definition.Field, v definition.Value) {
	e := definition.Entry{Key: f.Key(), Value: v}
	i := slices.IndexFunc(m.entries, func(e definition.Entry) bool { return definition.LookupField(e.Key) == f })
	if i < 0 {
		m.entries = slices.Insert(m.entries, 0, e)
	} else {
		m.entries[i] = e
	}
}

// drop removes fields, however their keys are spelled.
func (m *maker) drop(keys ...string) {
	for _, key := range keys {
		field := definition.LookupField(key)
		m.entries = slices.DeleteFunc(m.entries, func(e definition.Entry) bool {
			return e.Key == key || field != 0 && definition.LookupField(e.Key) == field
		})
	}
}

// toolsValue formats a list of tools as hosts expect it. In a skill, it joins the tools with
// spaces, as in the Agent Skills specification, unless that would be ambiguous. Otherwise, it
// returns a list.
func toolsValue(k definition.Kind, tools []string) definition.Value {
	line := definition.StringValue(strings.Join(tools, " "))
	if rules, problem := frontmatter.Rules(line); k == definition.Skill && problem == "" && slices.Equal(rules, tools) {
		return line
	}
	return definition.ListValue(tools)
}

// encode returns the content of a definition file.
func encode(entries []definition.Entry, body string) []byte {
	return []byte("---\n" + frontmatter.Write(entries) + "---\n\n" + strings.TrimLeft(body, "\n"))
}
