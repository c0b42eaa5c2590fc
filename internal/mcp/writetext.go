package mcp

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/host"
)

// required returns text that the entry must have, in the format's syntax. If that is impossible,
// required omits the entry.
func (w *writer) required(t Text, field host.ServerField, where string) string {
	s, problem := w.text(t, field, where)
	if problem != "" && !w.omitted {
		fix := "replace the host-specific part, for example with a path relative to the project"
		if t.has(Hidden, Env, Input) {
			fix = "let the server read it from an environment variable"
		}
		w.omit("variable", fix, "%s: %s", where, problem)
	}
	return s
}

// text returns t in the format's syntax. If the format cannot express t, the second result says
// why.
func (w *writer) text(t Text, field host.ServerField, where string) (string, string) {
	var b strings.Builder
	var expected Text
	before := len(w.losses)
	for i, p := range t {
		s, problem := "", ""
		switch p.Kind {
		case Literal:
			s = p.Text
		case Env:
			s, problem = w.reference(p, field)
		case Input:
			s, problem = w.input(p, field, where)
		case Hidden:
			if s, problem = w.reference(Part{Kind: Env, Text: p.Text}, field); problem == "" {
				w.noteSecret(p, where)
			}
			p = Part{Kind: Env, Text: p.Text}
		case Dir:
			s, p, problem = w.directory(t, i, field)
		case HostWord:
			if s = p.Text; w.format.Name != w.s.Origins[0].Format {
				problem = "only the original host supports " + p.Text
			}
		}
		if problem != "" {
			// Discard notes about references that were not written after all.
			w.losses = w.losses[:before]
			return "", problem
		}
		b.WriteString(s)
		if p.Kind == Literal {
			expected = expected.literal(s)
		} else {
			expected = append(expected, p)
		}
	}
	s := b.String()
	if back := parseText(s, w.format, field); countRefs(back) != countRefs(expected) {
		w.losses = w.losses[:before]
		return "", "part of it would be read as a variable reference"
	}
	return s, ""
}

func countRefs(t Text) int {
	n := 0
	for _, p := range t {
		if p.Kind != Literal {
			n++
		}
	}
	return n
}

// reference returns a reference to a variable, or the reason that the format cannot express it.
func (w *writer) reference(p Part, field host.ServerField) (string, string) {
	f := w.format
	if f.RefsIn&field == 0 || f.Refs&(host.RefBraces|host.RefEnv|host.RefCurly) == 0 {
		return "", f.Name + " does not support variable references in this field"
	}
	if p.HasDefault {
		if f.Refs&host.RefDefault != 0 {
			return "${" + p.Text + ":-" + p.Default + "}", ""
		}
		w.reportLoss("variable", "set the variable", "%s does not support default values, so %s must be set", f.Name, p.Text)
	}
	return referenceTo(f, field, p.Text), ""
}

// referenceTo returns a format's reference to a variable, or "" if the format does not support
// references.
func referenceTo(f *host.ServerFormat, field host.ServerField, name string) string {
	switch {
	case f.RefsIn&field == 0:
	case f.Refs&host.RefEnv != 0:
		return "${env:" + name + "}"
	case f.Refs&host.RefCurly != 0:
		return "{env:" + name + "}"
	case f.Refs&host.RefBraces != 0:
		return "${" + name + "}"
	}
	return ""
}

// input returns a reference to an input or, if the format does not support inputs, to a variable.
// If neither is possible, the second result says why.
func (w *writer) input(p Part, field host.ServerField, where string) (string, string) {
	if w.format.Refs&host.RefInput != 0 && w.format.RefsIn&field != 0 && w.format.InputsKey != "" {
		return "${input:" + p.Text + "}", ""
	}
	name := variableForInput(p.Text)
	s, problem := w.reference(Part{Kind: Env, Text: name}, field)
	if problem == "" {
		w.noteInputReplaced(where, p.Text, name)
	}
	return s, problem
}

func (w *writer) noteInputReplaced(where, id, name string) {
	w.reportLoss("variable", "set "+name+" in the environment",
		"%s does not support inputs, so ${input:%s} in %s is replaced by the variable %s", w.format.Name, id, where, name)
}

// noteSecret reports that a reference replaces a value that was not copied.
func (w *writer) noteSecret(p Part, where string) {
	if p.Kind == Hidden {
		w.reportLoss("secret", "set "+p.Text+" in the environment",
			"%s may contain a secret, so it is replaced by the variable %s", where, p.Text)
	}
}

// directory returns the text that refers to the directory t[i] in the format's syntax, and the part
// that the format would parse that text as. If the format cannot refer to the directory, the third
// result says why.
func (w *writer) directory(t Text, i int, field host.ServerField) (string, Part, string) {
	p := t[i]
	inPlugin := p.Dir == host.VarPlugin || p.Dir == host.VarPluginData
	word := w.format.Word(p.Dir)
	switch {
	case word != "" && w.format.RefsIn&field != 0 && (w.plugin || !inPlugin):
		return word, p, ""
	case p.Dir == host.VarHome:
		home := Part{Kind: Env, Text: "HOME"}
		s, problem := w.reference(home, field)
		return s, home, problem
	case p.Dir == host.VarProject && i == 0 && (len(t) == 1 || strings.HasPrefix(t[1].Text, "/")) && !w.plugin:
		// Hosts start servers in the project, so a relative path is equivalent.
		return ".", Part{}, ""
	}
	return "", p, w.format.Name + " cannot refer to the " + p.Dir.String() + " directory"
}

// variableForInput derives a variable name from an input's ID.
func variableForInput(id string) string {
	b := []byte(strings.ToUpper(id))
	for i, c := range b {
		if !isLetter(c) && !isDigit(c) {
			b[i] = '_'
		}
	}
	if len(b) == 0 || isDigit(b[0]) {
		b = slices.Insert(b, 0, '_')
	}
	return string(b)
}
