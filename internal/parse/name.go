package parse

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/body"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/host"
)

// nameFromPath sets the definition's name to the one that the host derives from the file's path.
func (h *header) nameFromPath() {
	d, rule := h.d, &h.table.names
	if rule.Place == nil && rule.Join == "" {
		return
	}
	parts := []string{strings.TrimPrefix(d.Name, d.Prefix)}
	if h.found.Rule.Naming == host.ByPath {
		inside := strings.TrimPrefix(strings.TrimPrefix(d.Origin.Path, d.Origin.Root), "/")
		parts = strings.Split(inside[:max(0, len(inside)-len(h.found.Rule.Suffix))], "/")
	}
	if rule.Place != nil {
		for i := range parts {
			parts[i] = rule.Place(parts[i])
		}
	}
	join := rule.Join
	if join == "" {
		join = ":"
	}
	last := len(parts) - 1
	if h.found.Rule.Naming == host.ByPath {
		d.Prefix = ""
		if d.Origin.Plugin != "" && !h.found.Place.Root.PlainNames {
			d.Prefix = d.Origin.Plugin + ":"
		}
		for _, p := range parts[:last] {
			d.Prefix += p + join
		}
	}
	d.Name = d.Prefix + parts[last]
}

// name sets the definition's title. If the host uses the name in the frontmatter, it also sets the
// definition's name.
func (h *header) name() {
	d := h.d
	h.pluginSkillName()
	pathName := strings.TrimPrefix(d.Name, d.Prefix)
	if n := d.Fields.Name; (n != "" || h.named.file != nil && h.acceptsEmpty(definition.FieldName)) && h.profile.NameField(d.Kind) {
		if h.table.names.SameDir && n != pathName {
			n = h.otherName(n, pathName)
			d.Fields.Name = n
		}
		d.Name = d.Prefix + n
	} else if h.table.names.PlaceFits && d.State != definition.Dropped {
		h.checkPathName(pathName)
	}
	h.nameLength()
	switch {
	case d.Fields.Title() != "":
		d.Title = d.Fields.Title()
	case d.Fields.Name != "":
		d.Title = d.Fields.Name
	default:
		d.Title = d.Name
	}
	if second := h.profile.SecondNames; second != nil && (d.Kind == definition.Skill || d.Kind == definition.Command) && !second(d) {
		d.Fields.Name = ""
	}
}

// acceptsEmpty reports whether the host uses an empty value for a field instead of treating the
// field as absent.
func (h *header) acceptsEmpty(f definition.Field) bool {
	return slices.ContainsFunc(h.table.rules, func(r host.FieldRule) bool { return r.Field == f && r.Blank })
}

// pluginSkillName sets a plugin skill's name, which comes from its directory. If the manifest names
// the directory that contains the skill's file, the name comes from the frontmatter instead.
func (h *header) pluginSkillName() {
	d := h.d
	if d.Kind != definition.Skill || d.Origin.Plugin == "" || h.profile.Plugins == nil || h.profile.Plugins.CleanName == nil {
		return
	}
	pathName := strings.TrimPrefix(d.Name, d.Prefix)
	if h.found.Itself && d.Fields.Name != "" {
		pathName, d.Fields.Name = d.Fields.Name, ""
	}
	if h.found.Rule.Naming == host.ByDir {
		d.Name = d.Prefix + h.profile.Plugins.CleanName(pathName)
	}
}

// checkPathName checks and normalizes a name derived from the path, using the rules for the name
// field.
func (h *header) checkPathName(pathName string) {
	at := slices.IndexFunc(h.table.rules, func(r host.FieldRule) bool { return r.Field == definition.FieldName })
	if at < 0 {
		return
	}
	rule := &h.table.rules[at]
	problem := func(code diag.Code) diag.Diagnostic {
		return diag.For(h.d.Origin.Path, code, "").WithFix("rename the file or directory, or add the field name: %s", lower(rule.About))
	}
	if p := h.table.patterns[at]; p != nil && !p().MatchString(strings.TrimSpace(pathName)) {
		h.applyOutcome(rule.Bad, problem(diag.NameChars), fmt.Sprintf("the name %q, which comes from the path, is not valid", pathName))
	}
	if clean := h.table.names.Clean; clean != nil {
		pathName = clean(pathName)
	}
	h.d.Name = h.d.Prefix + pathName
	if n := utf8.RuneCountInString(pathName); rule.Max > 0 && n > rule.Max {
		h.applyOutcome(rule.Long, problem(diag.NameLength), fmt.Sprintf("the name that comes from the path is %d characters long, but the maximum is %d", n, rule.Max))
	}
}

// otherName reports that the name in the frontmatter, n, differs from the directory's name,
// pathName. It returns the name that the host uses.
func (h *header) otherName(n, pathName string) string {
	problem := fmt.Sprintf("the name is %q, but the directory is named %q", n, pathName)
	d := diag.For(h.d.Origin.Path, diag.NameDirMismatch, "")
	if h.named.file != nil {
		d = diag.At(h.named.file, h.named.span, diag.NameDirMismatch, "").WithEdit(h.named.span, scalar(pathName))
	}
	d = d.WithFix("use the same name for the directory and in the frontmatter")
	h.applyOutcome(h.table.names.Other, d, problem)
	if h.table.names.Other == host.Ignores {
		return pathName
	}
	return n
}

// nameLength checks the complete name against the host's length limit.
func (h *header) nameLength() {
	d, limit := h.d, h.table.names.Max
	if d.Prefix != "" {
		limit = cmp.Or(h.table.names.MaxPrefixed, limit)
	}
	if limit == 0 || d.Kind == definition.Instruction || utf8.RuneCountInString(d.Name) <= limit {
		return
	}
	problem := diag.For(d.Origin.Path, diag.NameLength, "")
	if h.named.file != nil {
		problem = diag.At(h.named.file, h.named.span, diag.NameLength, "")
	}
	problem = problem.WithFix("use a name of at most %d characters", limit)
	h.applyOutcome(h.table.names.Long, problem, fmt.Sprintf("the name is %d characters long, but the maximum is %d", utf8.RuneCountInString(d.Name), limit))
	if h.table.names.Long == host.Cuts {
		d.Name = chars.Shorten(d.Name, limit, "")
	}
}

// position is the position of a value in a file.
type position struct {
	file *diag.File
	span diag.Span
}

// describe sets the description. If the description field is missing, describe uses the text that
// the host uses instead.
func (h *header) describe(text []byte) {
	d, rule := h.d, &h.table.described
	d.Description = d.Fields.Description
	if d.Description != "" || d.Fields.BlankDescription() {
		return
	}
	switch rule.Missing {
	case host.MissingLine:
		d.Description = body.FirstLine(string(text), h.profile.ProseLine)
		if rule.LineMax > 0 {
			// The host's listing replaces an unpaired surrogate with a space (h76).
			d.Description = chars.ShortenUTF16(d.Description, rule.LineMax, "...", " ")
		}
	case host.MissingText:
		d.Description = firstText(string(text), rule.LineMax)
	}
	if d.Description == "" {
		if rule.Default != nil {
			d.Description = rule.Default(d)
		} else {
			d.Description = h.profile.EmptyText(d.Kind)
		}
	}
	if d.Kind == definition.Skill && h.profile.WarnsOfMissing {
		missing := diag.For(d.Origin.Path, diag.FieldMissing, "the skill has no description; some hosts do not load it").
			WithFix("add a description that says what the skill does and when to use it")
		missing.Field = definition.FieldDescription.Key()
		h.report(missing)
	}
}

// firstText returns the first three lines that are neither blank nor headings, joined into a single
// line of at most limit UTF-16 code units (observed in Copilot CLI 1.0.102).
func firstText(text string, limit int) string {
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
		if len(lines) == 3 {
			break
		}
	}
	return chars.ShortenUTF16(strings.Join(lines, " "), limit, "", " ")
}
