package rules

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/parse"
	"github.com/vadehq/vade/internal/resolve"
)

const (
	info    = diag.Info
	warning = diag.Warning
)

// maxUnknown limits how many unknown fields per file are reported individually.
const maxUnknown = 50

// unknownFields reports fields that neither Vade nor a checked host supports.
func unknownFields(p *pass) {
	k := p.Definition.Kind
	entries := p.byKey(p.Definition.Fields.Unknown())
	named, more := 0, 0
	for _, key := range p.Definition.Fields.Unknown() {
		e := entries[key]
		if e == nil || slices.ContainsFunc(p.Hosts, func(h *host.Profile) bool { _, known := h.Rule(k, key); return known }) {
			continue
		}
		like := similar(key)
		if like == "" && k != definition.Skill {
			continue
		}
		if named++; named > maxUnknown {
			more++
			continue
		}
		if like != "" {
			f := p.at(e.KeySpan, "no checked host supports the field %q; did you mean %q?", key, like).fix("use " + like)
			f.Severity = warning
			continue
		}
		p.at(e.KeySpan, "no checked host supports the field %q; strict validators for the standard reject the skill", key).
			fix("move it under metadata, or remove it")
	}
	if more > 0 {
		p.whole("more fields that no checked host supports: %d", more).fix("remove them")
	}
}

// hostVersions reports hosts that load a definition although it requires a different host version.
func hostVersions(p *pass) {
	for _, field := range [...]definition.Field{definition.FieldRequires, definition.FieldCompatibility} {
		e := p.field(field)
		if e == nil {
			continue
		}
		for _, h := range p.Readers {
			if wanted, unmet := parse.Unmet(definition.Flat(&e.Value), h.Name, h.Version); unmet {
				f := p.at(e.KeySpan, "the definition requires %s %s, but version %s loads it anyway", h.Name, wanted, h.Version).
					fix("use a matching version of " + h.Name + ", or change the requirement").about([]*host.Profile{h})
				f.Severity = warning
			}
		}
	}
}

// byKey returns the first frontmatter entry for each key. If keys is empty, it returns nil.
func (p *pass) byKey(keys []string) map[string]*definition.Entry {
	if len(keys) == 0 {
		return nil
	}
	entries := make(map[string]*definition.Entry, len(p.Entries))
	for i := range p.Entries {
		if e := &p.Entries[i]; entries[e.Key] == nil {
			entries[e.Key] = e
		}
	}
	return entries
}

// similar returns the field that a key may be a misspelling of, or "".
func similar(key string) string {
	if len(key) < 5 || len(key) > 40 {
		return ""
	}
	for f := definition.FieldName; f <= definition.FieldSubtask; f++ {
		if name := f.Key(); len(name) >= 5 && resolve.Distance(strings.ToLower(key), strings.ToLower(name), 1) == 1 {
			return name
		}
	}
	return ""
}

// boolValues reports boolean values that are not spelled true or false. For example, Copilot CLI
// 1.0.102 drops a skill with "user-invocable: yes" (row "user-invocable: yes" of the frontmatter
// matrix).
func boolValues(p *pass) {
	for i := range p.Entries {
		e := &p.Entries[i]
		f := definition.LookupField(e.Key)
		if f == 0 || f.Shape() != definition.Flag || e.Value.Kind == definition.Bool ||
			e.Value.Kind == definition.Null || !p.known(f, e.Key) {
			continue
		}
		b, problem := frontmatter.Bool(e.Value)
		if problem != "" {
			continue
		}
		word := "false"
		if b {
			word = "true"
		}
		out := p.at(e.Value.Span, "%s must be true or false; some hosts ignore the file, and others treat the value as a string", e.Key).
			fix("use " + word)
		if p.oneLine(e.Value.Span) {
			out.edit(e.Value.Span, word)
		}
	}
}

// known reports whether a key is the field's canonical spelling or one that a checked
// host accepts.
func (p *pass) known(f definition.Field, key string) bool {
	return key == f.Key() || slices.ContainsFunc(p.Hosts, func(h *host.Profile) bool {
		_, ok := h.Rule(p.Definition.Kind, key)
		return ok
	})
}

// oneLine reports whether the definition is a Markdown file and s is a nonempty range on a single
// line.
func (p *pass) oneLine(s diag.Span) bool {
	return p.Definition.Format == definition.Markdown && s.Start < s.End && !bytes.ContainsAny(p.File.Data[s.Start:s.End], "\r\n")
}

// listValues reports lists in two fields in which some hosts accept only a string: argument-hint
// (Copilot CLI 1.0.102 drops a file with a list) and allowed-tools (the standard requires a
// string).
func listValues(p *pass) {
	if e := p.field(definition.FieldArgumentHint); e != nil && e.Value.Kind == definition.List {
		text, fix := "%s must be a string, not a list; some hosts ignore the file", "use a string"
		brackets := bytes.HasPrefix(p.File.Data[e.Value.Span.Start:], []byte("["))
		if brackets {
			text, fix = "YAML parses the unquoted brackets in %s as a list; some hosts then ignore the file", "quote the value"
		}
		f := p.at(e.Value.Span, text, e.Key).fix(fix)
		f.Severity = warning
		if brackets && p.oneLine(e.Value.Span) {
			f.edit(e.Value.Span, frontmatter.Quote(string(p.File.Data[e.Value.Span.Start:e.Value.Span.End])))
		}
	}
	e := p.field(definition.FieldAllowedTools)
	if e == nil || e.Value.Kind != definition.List || p.Definition.Kind != definition.Skill {
		return
	}
	f := p.at(e.Value.Span, "%s is a list; the standard and some hosts require a string", e.Key).
		fix("put the rules on one line, separated by spaces")
	text, ok := joined(e.Value)
	span := frontmatter.ValueSpan(p.File.Data, e)
	if !ok || p.Definition.Format != definition.Markdown || span.Start == span.End {
		return
	}
	if p.File.Data[span.Start-1] == ':' {
		text = " " + text
	}
	f.edit(span, text)
}

// joined returns a list of tool rules as a single YAML string that parses to the same rules. It
// returns false if there is no such string.
func joined(v definition.Value) (string, bool) {
	rules, problem := frontmatter.Rules(v)
	if problem != "" || len(rules) == 0 {
		return "", false
	}
	text := strings.Join(rules, " ")
	reparsed, problem := frontmatter.Rules(definition.Value{Kind: definition.String, Text: text})
	if problem != "" || !slices.Equal(rules, reparsed) || strings.ContainsAny(text, "\r\n") {
		return "", false
	}
	return frontmatter.Plain(text), true
}

// metadata reports metadata that is not a map, or whose values include lists or maps. The standard
// requires a map from strings to strings. Codex 0.169.0 drops a file whose metadata is a string
// (row "metadata: hello" of the frontmatter matrix).
func metadata(p *pass) {
	e := p.field(definition.FieldMetadata)
	if e == nil || p.Definition.Kind != definition.Skill || e.Value.Kind == definition.Null {
		return
	}
	if e.Value.Kind != definition.Map {
		p.at(e.Value.Span, "metadata must be a map, not a %s; some hosts ignore the file", e.Value.Kind).fix("use a YAML map with string values")
		return
	}
	for i := range e.Value.Pairs {
		if v := &e.Value.Pairs[i].Value; v.Kind == definition.List || v.Kind == definition.Map {
			f := p.at(e.Value.Pairs[i].KeySpan, "metadata.%s is a %s; the standard requires a string", e.Value.Pairs[i].Key, v.Kind).
				fix("use a string")
			f.Severity = info
			return
		}
	}
}

// lineEnds reports CRLF line endings.
func lineEnds(p *pass) {
	if i := bytes.Index(p.File.Data, []byte("\r\n")); i >= 0 && p.Definition.Format == definition.Markdown {
		p.at(diag.Span{Start: i, End: i + 1}, "the file has CRLF line endings").
			fix("save it with LF line endings")
	}
}

// globsIgnored reports path patterns in a field that a host ignores, so that the host always
// applies the file. For example, Claude Code 2.1.329 reads the field paths but not globs (format
// notes, section 3.11).
func globsIgnored(p *pass) {
	if p.Definition.Kind != definition.Instruction {
		return
	}
	for i := range p.Entries {
		e := &p.Entries[i]
		f := definition.LookupField(e.Key)
		if !isPaths(f) || e.Value.Kind == definition.Null {
			continue
		}
		var ignoring []*host.Profile
		wanted := ""
		for _, h := range p.Readers {
			if takes(h, p.Definition.Kind, f, e.Key) || p.hasOther(h, i) {
				continue
			}
			for _, other := range []definition.Field{definition.FieldPaths, definition.FieldGlobs, definition.FieldApplyTo} {
				if takes(h, p.Definition.Kind, other, other.Key()) && p.conditional(h) {
					ignoring, wanted = append(ignoring, h), other.Key()
					break
				}
			}
		}
		if len(ignoring) > 0 {
			p.at(e.KeySpan, "some hosts that read this file ignore %q and always apply the file", e.Key).
				fix("also set the field " + wanted + " to the same paths").about(ignoring)
		}
	}
}

// conditional reports whether a host applies instruction files in the definition's directory only
// when the current file matches their path patterns.
func (p *pass) conditional(h *host.Profile) bool {
	return h.Instructions != nil && slices.ContainsFunc(h.Instructions.Rows, func(r host.InstructionRow) bool {
		root := p.Definition.Origin.Root
		return r.Conditional && r.Dir != "" && (root == r.Dir || strings.HasSuffix(root, "/"+r.Dir))
	})
}

func isPaths(f definition.Field) bool {
	return f == definition.FieldPaths || f == definition.FieldGlobs || f == definition.FieldApplyTo
}

// hasOther reports whether a host reads path patterns from an entry other than the one at index i.
func (p *pass) hasOther(h *host.Profile, i int) bool {
	for j := range p.Entries {
		f := definition.LookupField(p.Entries[j].Key)
		if j != i && isPaths(f) && takes(h, p.Definition.Kind, f, p.Entries[j].Key) {
			return true
		}
	}
	return false
}

// takes reports whether a host reads field f of a definition of kind k if its key is spelled like
// key.
func takes(h *host.Profile, k definition.Kind, f definition.Field, key string) bool {
	if h.Fields != nil && len(h.Fields(k)) > 0 {
		r, known := h.Rule(k, key)
		return known && !r.Inert
	}
	return h.Accepts == nil || h.Accepts(k, f, key)
}

// maxName is the longest name that every host accepts (format notes,
// sections 2.1 and 10.4: Copilot and Codex drop skills with longer names).
const maxName = 64

// nameDirectory reports a skill whose name differs from its directory's name. The Agent Skills
// standard requires the two to be equal. Claude Code (case m16) uses the directory's name; Codex
// and Gemini use the name field.
func nameDirectory(p *pass) {
	d := p.Definition
	dir := path.Base(path.Dir(d.Origin.Path))
	e := p.field(definition.FieldName)
	if d.Kind != definition.Skill || e == nil || d.Fields.Name == "" || !strings.EqualFold(path.Base(d.Origin.Path), "skill.md") || dir == "." {
		return
	}
	if d.Origin.Plugin != "" && path.Base(d.Origin.Root) == dir {
		return
	}
	if d.Fields.Name != dir {
		p.at(e.Value.Span, "the name %q differs from the directory name %q, and hosts disagree on which one to use", d.Fields.Name, dir).
			fix("use the same name for the directory and the field")
	}
}

// nameCharacters reports skill names with characters that some host does not accept, according to
// the Agent Skills standard and observation: Copilot CLI 1.0.102 drops a skill called "Bad Name!"
// (row "name: Bad Name!" of the frontmatter matrix).
func nameCharacters(p *pass) {
	d := p.Definition
	if d.Kind != definition.Skill {
		return
	}
	name, span := d.Fields.Name, diag.Span{}
	if e := p.field(definition.FieldName); e != nil && name != "" {
		span = e.Value.Span
	} else {
		name = d.Name[strings.LastIndexByte(d.Name, ':')+1:]
	}
	if name == "" || name == chars.Kebab(name) {
		return
	}
	const text = "the name %q must contain only lowercase letters, digits and single hyphens; some hosts ignore or rename the skill"
	fix := "use a name such as code-review"
	if valid := chars.Kebab(name); valid != "" {
		fix = "name it " + strings.TrimRight(valid[:min(len(valid), maxName)], "-")
	}
	if span.End > 0 {
		p.at(span, text, name).fix(fix)
	} else {
		p.whole(text, name).fix(fix)
	}
}

func nameLength(p *pass) {
	e := p.field(definition.FieldName)
	if p.Definition.Kind != definition.Skill || e == nil {
		return
	}
	if n := utf8.RuneCountInString(p.Definition.Fields.Name); n > maxName {
		p.at(e.Value.Span, "the name is %d characters long; some hosts ignore a skill if its name is longer than %d", n, maxName).fix("shorten the name")
	}
}

// maxDescription is the longest description that every host keeps in full (format notes, section
// 10.4: Copilot drops skills with longer descriptions, and Codex truncates the descriptions).
const maxDescription = 1024

// described returns the description's entry and text. The entry is nil if the description is not a
// string or the definition is an instruction file.
func (p *pass) described() (*definition.Entry, string) {
	if k := p.Definition.Kind; k != definition.Skill && k != definition.Command && k != definition.Agent {
		return nil, ""
	}
	e := p.field(definition.FieldDescription)
	if e == nil || e.Value.Kind != definition.String {
		return nil, ""
	}
	return e, strings.TrimSpace(e.Value.Text)
}

func descriptionLength(p *pass) {
	e, text := p.described()
	if e == nil || p.Definition.Kind != definition.Skill {
		return
	}
	if n := utf8.RuneCountInString(text); n > maxDescription {
		p.at(e.Value.Span, "the description is %d characters long; above %d, some hosts ignore the skill and others truncate the description",
			n, maxDescription).fix("say what it does and when to use it in fewer words")
	}
}

func descriptionLines(p *pass) {
	e, text := p.described()
	if e != nil && p.Definition.Kind == definition.Skill && strings.Contains(text, "\n") {
		p.at(e.Value.Span, "the description spans multiple lines; some hosts keep the line breaks and others join the lines").
			fix("put it on one line, or fold it with >-")
	}
}

// descriptionMarkup reports text that a model could read as one of the host's own tags
// (case n09: Codex, Gemini and opencode do not escape it in their listings).
func descriptionMarkup(p *pass) {
	e, text := p.described()
	if e == nil || p.Definition.Kind != definition.Skill {
		return
	}
	open := strings.IndexByte(text, '<')
	if open < 0 || !strings.Contains(text[open:], ">") {
		return
	}
	f := p.at(e.Value.Span, "the description contains angle brackets; some hosts do not escape them, and models read them as markup").
		fix("remove the angle brackets")
	if strings.Contains(text, "</") {
		f.Severity, f.Message = warning, "the description contains a closing tag, which can end the skill listing in hosts that do not escape it"
	}
}

// toolRules reports rules that cannot match any tool call, according to the syntax of hosts that
// check commands (Claude Code 2.1.329, rules p1 to p23, format notes, section 3.10).
func toolRules(p *pass) {
	judges := filter(p.Readers, func(h *host.Profile) bool { return h.Permission != nil })
	if len(judges) == 0 {
		return
	}
	for _, f := range []definition.Field{definition.FieldAllowedTools, definition.FieldDisallowedTools} {
		e := p.field(f)
		if e == nil {
			continue
		}
		rules, _ := frontmatter.Rules(e.Value)
		for _, r := range rules {
			why, fix := unmatchable(r)
			if why == "" {
				continue
			}
			p.at(p.within(e.Value.Span, r), "the rule %q does not match anything: %s", r, why).fix(fix).about(judges)
		}
	}
}

// within returns the position of text in the range s of the file. If s does not contain text,
// within returns s.
func (p *pass) within(s diag.Span, text string) diag.Span {
	if i := strings.Index(string(p.File.Data[s.Start:s.End]), text); i >= 0 && text != "" {
		return diag.Span{Start: s.Start + i, End: s.Start + i + len(text)}
	}
	return s
}

// unmatchable explains why a rule cannot match any call, and says what to write instead. It returns
// "" if the rule can match.
func unmatchable(rule string) (why, fix string) {
	open := strings.IndexByte(rule, '(')
	tool := rule
	if open >= 0 {
		tool = rule[:open]
	}
	switch {
	case rule == "*":
		return "* is not a tool name", "list the tools by name"
	case tool != "" && strings.EqualFold(tool, "bash") && tool != "Bash":
		return "tool names are case-sensitive", "use Bash"
	case open < 0 && strings.Contains(rule, ")"), open >= 0 && !strings.HasSuffix(rule, ")"):
		return "it does not have the form Tool or Tool(pattern)", "use the form Tool(pattern)"
	}
	if tool != "Bash" || open < 0 {
		return "", ""
	}
	pattern := rule[open+1 : len(rule)-1]
	if i := strings.Index(pattern, ":*"); i >= 0 && i+2 < len(pattern) {
		return `":*" is valid only at the end of a pattern`, "use Bash(" + pattern[:i] + ":*)"
	}
	for _, operator := range []string{"&&", "||", ";", "|"} {
		if strings.Contains(pattern, operator) {
			return "commands are matched one at a time, but the pattern contains " + operator, "use a separate rule for each command"
		}
	}
	return "", ""
}

func filter(hosts []*host.Profile, keep func(*host.Profile) bool) []*host.Profile {
	var list []*host.Profile
	for _, h := range hosts {
		if keep(h) {
			list = append(list, h)
		}
	}
	return list
}
