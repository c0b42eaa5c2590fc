package mcp

import (
	"strings"

	"github.com/vadehq/vade/internal/host"
)

// PartKind says what one part of a [Text] is.
type PartKind uint8

// The kinds of parts.
const (
	// Literal is text as it is written.
	Literal PartKind = iota
	// Env stands for an environment variable, Input for something that the user is
	// asked for. Their text is its name.
	Env
	Input
	// Place stands for a directory.
	Place
	// Word is a word of the host's own, as it is written, that no other host has.
	Word
	// Hidden stands for text that may be a secret. That text is not kept: Text is
	// the name of the variable that it should be in.
	Hidden
)

// Part is one part of a [Text].
type Part struct {
	Kind PartKind
	Text string
	// Place is the directory where Kind is Place.
	Place host.ServerVar
	// Default is what stands for a variable that is not set, where HasDefault.
	Default    string
	HasDefault bool
}

// Text is a value in which references stand beside what is written out. Secrets
// are not in it: see [Hidden].
type Text []Part

// hiddenSign is what is shown in the place of what may be a secret.
const hiddenSign = "‹hidden›"

// String returns the text with all references in one form, for people and JSON:
// ${NAME}, ${NAME:-text}, ${input:id}, ${dir:project}. What is hidden is shown by a
// sign.
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
		case Place:
			b.WriteString("${dir:" + p.Place.String() + "}")
		case Hidden:
			b.WriteString(hiddenSign)
		default:
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// Hides reports whether a part of the text is hidden.
func (t Text) Hides() bool { return t.has(Hidden) }

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

// only returns the part of a text that has no other.
func (t Text) only() (Part, bool) {
	if len(t) == 1 {
		return t[0], true
	}
	return Part{}, false
}

// literal adds a piece of text as it is written.
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

// parseText finds the references that a format knows in a value.
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
			p, n = reference(s[i:], f, forms)
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

// reference reads the reference that a text begins with, and how long it is; 0
// where it begins with none.
func reference(s string, f *host.ServerFormat, forms host.RefForm) (Part, int) {
	for _, w := range f.Words {
		if strings.HasPrefix(s, w.Word) {
			return Part{Kind: Place, Place: w.Var}, len(w.Word)
		}
	}
	if forms&host.RefActions != 0 && strings.HasPrefix(s, "${{") {
		return actionsReference(s)
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
	return braced(s[2:end], s[:end+1], forms)
}

// braced reads what stands between ${ and }.
func braced(inner, whole string, forms host.RefForm) (Part, int) {
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
		return Part{Kind: Word, Text: whole}, len(whole)
	}
	return Part{}, 0
}

// actionsReference reads ${{ secrets.NAME }} or ${{ vars.NAME }}.
func actionsReference(s string) (Part, int) {
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

// maxName is the length of the longest name of a variable that counts as one.
const maxName = 100

// nameAt returns the name of a variable that a text begins with, or "".
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

// isInputID reports whether a text can be the name of an input.
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

// ownForm says how a reference that some host has is written in a format.
func ownForm(f *host.ServerFormat, field host.ServerField, s string) string {
	p, _ := parseText(s, anyForm(), host.AtEnv).only()
	if own := refersTo(f, field, p.Text); p.Kind == Env && own != "" {
		return "write " + own
	}
	return "write it as those hosts do"
}

// looksForeign reports whether a text as a whole is a reference of a form that
// some host has.
func looksForeign(s string) bool {
	p, ok := parseText(s, anyForm(), host.AtEnv).only()
	return ok && p.Kind != Literal && !p.HasDefault
}

// anyForm knows the references of all hosts.
func anyForm() *host.ServerFormat {
	return &host.ServerFormat{
		Refs:   host.RefBraces | host.RefDefault | host.RefDollar | host.RefEnv | host.RefInput | host.RefCurly | host.RefActions,
		RefsIn: host.AtAll,
	}
}
