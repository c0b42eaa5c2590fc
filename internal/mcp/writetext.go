package mcp

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/host"
)

// needed writes a text without which the entry has no meaning.
func (w *writer) needed(t Text, field host.ServerField, where string) string {
	s, problem := w.text(t, field, where)
	if problem != "" && !w.left {
		fix := "write it without a word of one host, as a path that begins in the project"
		if t.has(Hidden, Env, Input) {
			fix = "let the server take it from a variable of its environment"
		}
		w.leave("variable", fix, "%s: %s", where, problem)
	}
	return s
}

// text writes a text in the words of the format, or says why it can not.
func (w *writer) text(t Text, field host.ServerField, where string) (string, string) {
	var b strings.Builder
	var meant Text
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
				w.secret(p, where)
			}
			p = Part{Kind: Env, Text: p.Text}
		case Place:
			s, p, problem = w.place(t, i, field)
		case Word:
			if s = p.Text; w.format.Name != w.s.Origins[0].Format {
				problem = p.Text + " means something to its own host only"
			}
		}
		if problem != "" {
			// What is not written refers to nothing.
			w.losses = w.losses[:before]
			return "", problem
		}
		b.WriteString(s)
		if p.Kind == Literal {
			meant = meant.literal(s)
		} else {
			meant = append(meant, p)
		}
	}
	s := b.String()
	if back := parseText(s, w.format, field); countRefs(back) != countRefs(meant) {
		w.losses = w.losses[:before]
		return "", "a part of it would be taken for a reference"
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

// reference writes a reference to a variable.
func (w *writer) reference(p Part, field host.ServerField) (string, string) {
	f := w.format
	if f.RefsIn&field == 0 || f.Refs&(host.RefBraces|host.RefEnv|host.RefCurly) == 0 {
		return "", f.Name + " refers to no variables there"
	}
	if p.HasDefault {
		if f.Refs&host.RefDefault != 0 {
			return "${" + p.Text + ":-" + p.Default + "}", ""
		}
		w.lose("variable", "set the variable", "%s has no defaults: %s has to be set", f.Name, p.Text)
	}
	return refersTo(f, field, p.Text), ""
}

// refersTo is the reference to a variable in a format, "" where it has none there.
func refersTo(f *host.ServerFormat, field host.ServerField, name string) string {
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

// input writes what the user is asked for; where nobody asks, a variable takes its
// place.
func (w *writer) input(p Part, field host.ServerField, where string) (string, string) {
	if w.format.Refs&host.RefInput != 0 && w.format.RefsIn&field != 0 && w.format.InputsKey != "" {
		return "${input:" + p.Text + "}", ""
	}
	name := variableOf(p.Text)
	s, problem := w.reference(Part{Kind: Env, Text: name}, field)
	if problem == "" {
		w.asksNothing(where, p.Text, name)
	}
	return s, problem
}

func (w *writer) asksNothing(where, id, name string) {
	w.lose("variable", "set "+name+" in the environment", "%s asks for no input: ${input:%s} of %s becomes the variable %s", w.format.Name, id, where, name)
}

// secret reports that a reference stands for what was not copied.
func (w *writer) secret(p Part, where string) {
	if p.Kind == Hidden {
		w.lose("secret", "set "+p.Text+" in the environment", "%s may hold a secret, which is not copied: the variable %s stands for it", where, p.Text)
	}
}

// place writes a directory by the format's own word, or by what means the same.
func (w *writer) place(t Text, i int, field host.ServerField) (string, Part, string) {
	p := t[i]
	inPlugin := p.Place == host.VarPlugin || p.Place == host.VarPluginData
	word := w.format.Word(p.Place)
	switch {
	case word != "" && w.format.RefsIn&field != 0 && (w.plugin || !inPlugin):
		return word, p, ""
	case p.Place == host.VarHome:
		home := Part{Kind: Env, Text: "HOME"}
		s, problem := w.reference(home, field)
		return s, home, problem
	case p.Place == host.VarProject && i == 0 && (len(t) == 1 || strings.HasPrefix(t[1].Text, "/")) && !w.plugin:
		// Hosts start servers in the project: a path from there means the same.
		return ".", Part{}, ""
	}
	return "", p, w.format.Name + " has no word for the directory of the " + p.Place.String()
}

// variableOf makes the name of a variable of an input's.
func variableOf(id string) string {
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
