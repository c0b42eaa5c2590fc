package manifest

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/lazyregexp"
	"github.com/vadehq/vade/internal/resolve"
)

// fields adds signals for unusual frontmatter fields.
func (f *reader) fields(found []diag.Diagnostic) {
	for _, d := range found {
		span := diag.Span{Start: offset(f.text(), d.Line, d.Column)}
		span.End = max(span.Start, offset(f.text(), d.EndLine, d.EndColumn))
		word := f.text()[span.Start:span.End]
		switch d.Code {
		case diag.YAMLDuplicateKey:
			tags := []signal.Tag{"duplicate"}
			if f.isSignificant(span.Start) {
				tags = append(tags, "decides")
			}
			if f.repeatsEarlierLine(span) {
				tags = append(tags, "same")
			}
			f.add(signal.Field, span, strings.Trim(word, `"'`), "", tags...)
		case diag.YAMLForbidden:
			tags := []signal.Tag{"construct"}
			line, _, _ := strings.Cut(f.text()[span.Start:], "\n")
			// The text grows exponentially if its aliases are expanded and one list of aliases
			// refers to another.
			grows := strings.HasPrefix(word, "&") && strings.Count(line, "*") > 2
			if grows || strings.HasPrefix(word, "<<") || executesTag(word) {
				tags = append(tags, "decides")
			}
			f.add(signal.Field, span, word, "", tags...)
		}
	}
	for i := range f.entries {
		e := &f.entries[i]
		field := definition.LookupField(e.Key)
		if !affectsBehavior(field) {
			continue
		}
		for k := range f.entries[:i] {
			o := &f.entries[k]
			if o.Key != e.Key && definition.LookupField(o.Key) == field {
				f.add(signal.Field, e.KeySpan, o.Key+" and "+e.Key, "", "duplicate")
				break
			}
		}
	}
}

// offset converts a position in a text to a byte offset.
func offset(text string, line, column int) int {
	at := 0
	for range line - 1 {
		at += strings.IndexByte(text[at:], '\n') + 1
	}
	for range column - 1 {
		_, n := utf8.DecodeRuneInString(text[at:])
		at += n
	}
	return at
}

// affectsBehavior reports whether a field affects what a definition is or can do.
func affectsBehavior(field definition.Field) bool {
	return names()["decides"][field.Key()]
}

// isSignificant reports whether the field at an offset affects what the definition is or can do.
func (f *reader) isSignificant(at int) bool {
	best, field := -1, definition.Field(0)
	for i := range f.entries {
		// Of two fields with the same key, the list has the span of the last one, but at the
		// position of the first one. Therefore, the list is not sorted by span.
		if e := &f.entries[i]; e.KeySpan.Start <= at && e.KeySpan.Start > best {
			best, field = e.KeySpan.Start, definition.LookupField(e.Key)
		}
	}
	return affectsBehavior(field)
}

// repeatsEarlierLine reports whether the line of a duplicate field sets a value and is identical to
// an earlier line.
func (f *reader) repeatsEarlierLine(second diag.Span) bool {
	before := f.text()[:second.Start]
	line, _, _ := strings.Cut(f.text()[strings.LastIndexByte(before, '\n')+1:], "\n")
	_, value, _ := strings.Cut(line, ":")
	return strings.Trim(value, " |>-\r") != "" && strings.Contains(before, "\n"+line+"\n")
}

// executesTag reports whether a YAML tag causes some YAML libraries to run code when they create an
// object.
func executesTag(tag string) bool {
	tag = strings.ToLower(strings.TrimLeft(strings.TrimPrefix(tag, "!<tag:yaml.org,2002:"), "!"))
	for head := range names()["yaml-tag"] {
		if strings.HasPrefix(tag, head) {
			return true
		}
	}
	return false
}

// field returns the frontmatter entry that sets a field, regardless of how the key is spelled, or
// nil if there is none.
func (f *reader) field(field definition.Field) *definition.Entry {
	for i := range f.entries {
		if definition.LookupField(f.entries[i].Key) == field {
			return &f.entries[i]
		}
	}
	return nil
}

// names adds signals for the package's name, description and publisher.
func (f *reader) names() {
	if f.set.Package.Bare {
		return
	}
	name, span := f.set.Package.Name, diag.Span{}
	e := f.field(definition.FieldName)
	if e != nil && e.Value.Text != "" {
		name, span = e.Value.Text, e.Value.Span
	}
	// An instruction file's name comes from its path, so the author did not choose it.
	if e != nil || f.set.Package.Kind != definition.Instruction {
		f.name(name, span)
	}
	for i := range f.entries {
		e := &f.entries[i]
		f.publisher(e, 0)
		field := definition.LookupField(e.Key)
		switch field {
		case definition.FieldName, definition.FieldDescription, definition.FieldWhenToUse:
			if tag := promptTag(e.Value.Text); tag != "" {
				f.add(signal.Name, e.Value.Span, tag, field.Key(), "markup")
			}
		}
	}
}

// publisher adds a signal if an entry, or an entry nested in it, names the publisher of the
// package.
func (f *reader) publisher(e *definition.Entry, depth int) {
	if names()["publisher"][normalizeKey(e.Key)] && e.Value.Kind == definition.String {
		f.add(signal.Name, e.Value.Span, e.Value.Text, "", "publisher")
	}
	for i := range e.Value.Pairs {
		if depth < 3 {
			f.publisher(&e.Value.Pairs[i], depth+1)
		}
	}
}

func (f *reader) name(name string, span diag.Span) {
	kind := f.set.Package.Kind
	called := kind == definition.Skill || kind == definition.Command
	switch {
	case outsidePath().MatchString(strings.ReplaceAll(name, `\`, "/")):
		f.add(signal.Name, span, name, "", "path")
	case looksLikeCommand(name):
		f.add(signal.Name, span, name, "", "command")
	case strings.HasPrefix(name, "-") || called && host.OwnCommand(strings.ToLower(name)):
		f.add(signal.Name, span, name, "", "reserved")
	}
	if known := imitatedName(name); known != "" {
		f.add(signal.Name, span, name, known, "typo")
	}
}

// outsidePath matches a path that leads outside the current directory.
var outsidePath = lazyregexp.New(`^/.*/|^~/|^.:/|(?:^|/)\.\.(?:/|$)`)

// looksLikeCommand reports whether a name may contain a command, or has special characters that may
// hide something. Underscores that are escaped for Markdown do not count.
func looksLikeCommand(name string) bool {
	if unprintable().MatchString(name) {
		return true
	}
	if strings.Contains(name, "{{") {
		return false
	}
	for mark := range names()["command-mark"] {
		_, rest, found := strings.Cut(name, mark)
		word, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
		if found && names()["command"][word] {
			return true
		}
	}
	return strings.ContainsAny(strings.ReplaceAll(name, `\_`, "_"), "`\\")
}

// unprintable matches control characters and command substitutions.
var unprintable = lazyregexp.New(`[\x00-\x1f\x7f]|\$\(`)

// imitatedName returns the well-known name that name imitates, or "" if there is none.
func imitatedName(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	if len(name) < 5 || len(name) > 60 {
		return ""
	}
	plain := plainName(name)
	best := ""
	for _, known := range host.WellKnownNames() {
		flat := plainName(known)
		ascii := !strings.ContainsAny(name, "0135") && utf8.RuneCountInString(name) == len(name)
		if name == known || plain == flat && ascii {
			// This is the well-known name itself, possibly with different spelling.
			return ""
		}
		if best == "" && differByOneLetter(plain, flat) {
			best = known
		}
	}
	return best
}

// differByOneLetter reports whether name equals known, doubles some of its letters, or differs from
// it by one letter. A difference of one letter counts only in a long name, and not if it is a final
// s or digit.
func differByOneLetter(name, known string) bool {
	const ends = "s0123456789"
	if name == known || len(name) > len(known) && collapseDoubles(name) == collapseDoubles(known) {
		return true
	}
	longer := len(known) >= 10 && strings.TrimRight(name, ends) != strings.TrimRight(known, ends)
	return longer && resolve.Distance(name, known, 1) == 1
}

// plainName removes the separators from a name and replaces look-alikes with the letters that they
// resemble.
func plainName(name string) string {
	const passFor, are = "0135оӏеарсхі", "olesoleapcxi"
	alike := []rune(passFor)
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("-_. ", r) {
			return -1
		}
		if i := slices.Index(alike, r); i >= 0 {
			return rune(are[i])
		}
		return r
	}, name)
}

// collapseDoubles collapses doubled letters.
func collapseDoubles(word string) string { return string(slices.Compact([]byte(word))) }

// promptTag returns the first tag in text that looks like part of the prompt in which a host places
// the definition. It returns "" if there is none.
func promptTag(text string) string {
	low := strings.ToLower(text)
	for _, match := range element().FindAllStringSubmatch(low, -1) {
		tag := strings.ReplaceAll(match[1], "_", "-")
		if names()["element"][tag] || names()["element"][strings.Trim(tag, "/")] {
			return "<" + tag + ">"
		}
	}
	return names().FirstIn(low, "prompt-mark")
}

// element matches an opening or closing tag.
var element = lazyregexp.New(`< *([\w/-]{1,40})(?:\s[^<>]{0,40})?>`)
