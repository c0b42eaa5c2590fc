package mcp

import (
	"strings"

	"github.com/vadehq/vade/internal/host"
)

// PartKind is the kind of a [Part].
type PartKind uint8

// Kinds of parts.
const (
	// Literal is literal text.
	Literal PartKind = iota
	// Env is an environment variable, and Input is a value that the user is prompted for. The
	// part's text is the variable's or input's name.
	Env
	Input
	// Dir is a directory that the host provides, such as the project's.
	Dir
	// HostWord is text that only the file's own host supports.
	HostWord
	// Hidden replaces dropped text that may be a secret. The part's text names
	// the variable that the secret should be moved to.
	Hidden
)

// Part is one part of a [Text].
type Part struct {
	Kind PartKind
	Text string
	// Dir is the directory if Kind is [Dir].
	Dir host.ServerVar
	// Default is used for an unset variable if HasDefault is set.
	Default    string
	HasDefault bool
}

// Text is a value that consists of literal parts and references. It does not
// contain secrets; see [Hidden].
type Text []Part

// hiddenText is shown instead of a possible secret.
const hiddenText = "‹hidden›"

// String returns the text for display and JSON, with all references in one syntax: ${NAME},
// ${NAME:-default}, ${input:id} and ${dir:project}. Hidden parts are shown as ‹hidden›.
func (t Text) String() string {
	var b strings.Builder
	for _, p := range t {
		switch p.Kind {
		case Env:
			b.WriteString("${" + p.Text)
			if p.HasDefault {
				b.WriteString(":-" + p.Default)
			}
			b.WriteByte('}')
		case Input:
			b.WriteString("${input:" + p.Text + "}")
		case Dir:
			b.WriteString("${dir:" + p.Dir.String() + "}")
		case Hidden:
			b.WriteString(hiddenText)
		default:
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

func (t Text) has(kinds ...PartKind) bool {
	for _, p := range t {
		for _, k := range kinds {
			if p.Kind == k {
				return true
			}
		}
	}
	return false
}

// single returns the only part of t. It returns false unless t has exactly one part.
func (t Text) single() (Part, bool) {
	if len(t) == 1 {
		return t[0], true
	}
	return Part{}, false
}

// literal appends literal text.
func (t Text) literal(s string) Text {
	if s == "" {
		return t
	}
	if n := len(t); n > 0 && t[n-1].Kind == Literal {
		t[n-1].Text += s
		return t
	}
	return append(t, Part{Text: s})
}

// parseText parses a value, including any references that the format supports.
func parseText(s string, f *host.ServerFormat, field host.ServerField) Text {
	var t Text
	forms := f.Refs
	if f.RefsIn&field == 0 {
		forms = 0
	}
	start := 0
	for i := 0; i < len(s); {
		p, n := Part{}, 0
		if c := s[i]; (c == '$' || c == '{') && f.RefsIn&field != 0 {
			p, n = parseReference(s[i:], f, forms)
		}
		if n == 0 {
			i++
			continue
		}
		t = append(t.literal(s[start:i]), p)
		i += n
		start = i
	}
	return t.literal(s[start:])
}

// parseReference parses the reference at the start of s. It returns the reference and its length,
// which is 0 if s does not start with a reference.
func parseReference(s string, f *host.ServerFormat, forms host.RefForm) (Part, int) {
	for _, w := range f.Words {
		if strings.HasPrefix(s, w.Word) {
			return Part{Kind: Dir, Dir: w.Var}, len(w.Word)
		}
	}
	if forms&host.RefActions != 0 && strings.HasPrefix(s, "${{") {
		return parseActions(s)
	}
	if forms&host.RefCurly != 0 && strings.HasPrefix(s, "{env:") {
		if name := nameAt(s[5:]); name != "" && strings.HasPrefix(s[5+len(name):], "}") {
			return Part{Kind: Env, Text: name}, 6 + len(name)
		}
	}
	if !strings.HasPrefix(s, "$") {
		return Part{}, 0
	}
	if !strings.HasPrefix(s, "${") {
		if name := nameAt(s[1:]); name != "" && forms&host.RefDollar != 0 {
			return Part{Kind: Env, Text: name}, 1 + len(name)
		}
		return Part{}, 0
	}
	end := strings.IndexByte(s, '}')
	if end < 0 {
		return Part{}, 0
	}
	return parseBraced(s[2:end], s[:end+1], forms)
}

// parseBraced parses a reference of the form ${…}. whole is the reference, and inner is the text
// between the braces. It returns the reference and its length, or 0 if the reference is not in one
// of the given forms.
func parseBraced(inner, whole string, forms host.RefForm) (Part, int) {
	name := nameAt(inner)
	rest := inner[len(name):]
	switch {
	case name == "":
	case rest == "" && forms&host.RefBraces != 0:
		return Part{Kind: Env, Text: name}, len(whole)
	case strings.HasPrefix(rest, ":-") && forms&host.RefDefault != 0:
		return Part{Kind: Env, Text: name, Default: rest[2:], HasDefault: true}, len(whole)
	case name == "env" && forms&host.RefEnv != 0 && strings.HasPrefix(rest, ":"):
		if v := nameAt(rest[1:]); v != "" && v == rest[1:] {
			return Part{Kind: Env, Text: v}, len(whole)
		}
	case name == "input" && forms&host.RefInput != 0 && strings.HasPrefix(rest, ":") && isInputID(rest[1:]):
		return Part{Kind: Input, Text: rest[1:]}, len(whole)
	case forms&(host.RefEnv|host.RefInput) != 0 && (rest == "" || rest[0] == ':'):
		return Part{Kind: HostWord, Text: whole}, len(whole)
	}
	return Part{}, 0
}

// parseActions parses ${{ secrets.NAME }} or ${{ vars.NAME }}.
func parseActions(s string) (Part, int) {
	end := strings.Index(s, "}}")
	if end < 0 {
		return Part{}, 0
	}
	inner := strings.TrimSpace(s[3:end])
	for _, prefix := range []string{"secrets.", "vars."} {
		if name, ok := strings.CutPrefix(inner, prefix); ok && name != "" && nameAt(name) == name {
			return Part{Kind: Env, Text: name}, end + 2
		}
	}
	return Part{}, 0
}

// maxName limits the length of variable names.
const maxName = 100

// nameAt returns the variable name at the start of s, or "".
func nameAt(s string) string {
	i := 0
	for i < len(s) && (s[i] == '_' || isLetter(s[i]) || i > 0 && isDigit(s[i])) {
		i++
	}
	if i > maxName {
		return ""
	}
	return s[:i]
}

// isInputID reports whether s can be an input's name.
func isInputID(s string) bool {
	if s == "" || len(s) > maxName {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isLetter(c) && !isDigit(c) && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return true
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

// fixForeign returns a fix that tells the user how to write another host's reference in this
// format.
func fixForeign(f *host.ServerFormat, field host.ServerField, s string) string {
	p, _ := parseText(s, allForms(), host.AtEnv).single()
	if ref := referenceTo(f, field, p.Text); p.Kind == Env && ref != "" {
		return "use " + ref
	}
	return "use the reference syntax of those hosts"
}

// isForeignReference reports whether all of s is a reference in some host's syntax.
func isForeignReference(s string) bool {
	p, ok := parseText(s, allForms(), host.AtEnv).single()
	return ok && p.Kind != Literal && !p.HasDefault
}

// allForms returns a format that supports every host's references.
func allForms() *host.ServerFormat {
	return &host.ServerFormat{
		Refs:   host.RefBraces | host.RefDefault | host.RefDollar | host.RefEnv | host.RefInput | host.RefCurly | host.RefActions,
		RefsIn: host.AtAll,
	}
}
