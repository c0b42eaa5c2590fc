package mcp

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/jsonc"
)

// Loss is something of an entry that a format can not say.
type Loss struct {
	// Server is the name of the entry, Source and Line are where it stands.
	Server, Source string
	Line           int
	// Left: the entry is left out as a whole.
	Left bool
	// What is one of a few words: transport, field, variable, secret, tool, name.
	What string
	// Message says what is lost, Fix what can be done about it.
	Message, Fix string
}

// Map writes entries as the map that stands under a format's key, each under its
// name, in the order that they are given in. Of two of one name the first is
// written. In a plugin the words for its directory have a meaning.
func Map(servers []Server, f *host.ServerFormat, inPlugin bool) (definition.Value, []Loss) {
	w := writer{format: f, plugin: inPlugin}
	all := object{}
	for i := range servers {
		s := &servers[i]
		if all.has(s.Name) {
			continue
		}
		w.s, w.left = s, false
		before := len(w.losses)
		v := w.server()
		if !w.left {
			all.set(s.Name, v)
			continue
		}
		// Of an entry that is not written nothing else is to be said.
		some := slices.DeleteFunc(w.losses[before:], func(l Loss) bool { return !l.Left })
		w.losses = w.losses[:before+len(some)]
	}
	return all.value(), w.losses
}

// Write writes entries as the text of a file of a format, which has nothing else in
// it: JSON or TOML that ends with a line feed. The same entries give the same
// bytes.
func Write(servers []Server, f *host.ServerFormat, inPlugin bool) ([]byte, []Loss) {
	all, losses := Map(servers, f, inPlugin)
	if f.Syntax == definition.TOML {
		return appendTOML(nil, f.Key, all), losses
	}
	file := object{}
	if f.Schema != "" {
		file.set("$schema", textValue(f.Schema))
	}
	if f.InputsKey != "" {
		if inputs := inputsOf(servers, all); len(inputs.Items) > 0 {
			file.set(f.InputsKey, inputs)
		}
	}
	file.set(f.Key, all)
	return append(jsonc.Append(nil, file.value(), ""), '\n'), losses
}

// object is a map under construction. What is empty is not set.
type object []definition.Entry

func (o *object) set(key string, v definition.Value) {
	*o = append(*o, definition.Entry{Key: key, Value: v})
}

func (o object) has(key string) bool {
	return slices.ContainsFunc(o, func(e definition.Entry) bool { return e.Key == key })
}

func (o object) value() definition.Value { return definition.Value{Kind: definition.Map, Pairs: o} }

func textValue(s string) definition.Value { return definition.Value{Kind: definition.String, Text: s} }

func wordValues(words []string) definition.Value {
	v := definition.Value{Kind: definition.List}
	for _, w := range words {
		v.Items = append(v.Items, textValue(w))
	}
	return v
}

func flagValue(b bool) definition.Value {
	return definition.Value{Kind: definition.Bool, Text: strconv.FormatBool(b), Plain: true}
}

// writer writes one entry after the other.
type writer struct {
	format *host.ServerFormat
	plugin bool
	losses []Loss
	s      *Server
	left   bool
}

func (w *writer) lose(what, fix, format string, args ...any) {
	l := Loss{Server: w.s.Name, What: what, Message: fmt.Sprintf(format, args...), Fix: fix}
	if len(w.s.Origins) > 0 {
		l.Source, l.Line = w.s.Origins[0].Path, w.s.Origins[0].Line
	}
	if !slices.Contains(w.losses, l) {
		w.losses = append(w.losses, l)
	}
}

// leave leaves the entry out.
func (w *writer) leave(what, fix, format string, args ...any) {
	w.lose(what, fix, "it is left out: "+format, args...)
	w.losses[len(w.losses)-1].Left = true
	w.left = true
}

func (w *writer) server() definition.Value {
	s, f := w.s, w.format
	if f.PlainNames && !isPlainName(s.Name) {
		w.leave("name", "give it a name of letters, digits, - and _", "%s takes no such name", f.Name)
		return definition.Value{}
	}
	if s.Transport != host.Stdio && f.Address(s.Transport) == "" {
		w.leave("transport", "use a server of another transport", "%s has no transport %s", f.Name, s.Transport)
		return definition.Value{}
	}
	var o object
	if word := f.Type(s.Transport); word != "" {
		o.set("type", textValue(word))
	}
	if f.Portable && w.plugin && !w.portable() {
		return definition.Value{}
	}
	if s.Transport == host.Stdio {
		w.program(&o)
	} else {
		w.remote(&o)
	}
	w.settings(&o)
	w.extras(&o)
	return o.value()
}

// program writes what a server is started with.
func (w *writer) program(o *object) {
	s, f := w.s, w.format
	command := w.needed(s.Command, host.AtCommand, "command")
	var args []string
	for i, a := range s.Args {
		args = append(args, w.needed(a, host.AtArgs, fmt.Sprintf("args[%d]", i)))
	}
	switch {
	case f.CommandList:
		o.set("command", wordValues(append([]string{command}, args...)))
	default:
		o.set("command", textValue(command))
		if len(args) > 0 {
			o.set(f.Args, wordValues(args))
		}
	}
	w.env(o)
	if len(s.Cwd) == 0 {
		return
	}
	if f.Cwd == "" {
		w.lose("field", "start it by a script that changes the directory", "%s has no directory to start it in", f.Name)
		return
	}
	if cwd, problem := w.text(s.Cwd, host.AtCwd, "cwd"); problem == "" {
		o.set(f.Cwd, textValue(cwd))
	} else {
		w.lose("variable", "begin it in the project, as ./DIR", "its directory is left out: %s", problem)
	}
}

func (w *writer) env(o *object) {
	f := w.format
	var env object
	var names []string
	for _, p := range w.s.Env {
		part, single := p.Value.only()
		part = w.named(part, "env."+p.Key)
		if f.EnvNames != "" && single && (part.Kind == Env && !part.HasDefault || part.Kind == Hidden) && part.Text == p.Key {
			w.secret(part, "env."+p.Key)
			names = append(names, p.Key)
			continue
		}
		text, problem := w.text(p.Value, host.AtEnv, "env."+p.Key)
		if problem != "" {
			w.lose("variable", "set "+p.Key+" itself in the environment that the host starts the server from",
				"the variable %s is left out: %s", p.Key, problem)
			continue
		}
		env.set(p.Key, textValue(text))
	}
	if len(env) > 0 {
		o.set(f.Env, env.value())
	}
	if len(names) > 0 {
		o.set(f.EnvNames, wordValues(names))
	}
}

// remote writes where a server is, and with which headers it is asked.
func (w *writer) remote(o *object) {
	s, f := w.s, w.format
	address := w.needed(s.URL, host.AtURL, "url")
	if f.Portable && !isPortable(address) {
		w.leave("field", "use an https:// address without a user and a fragment", "%s takes no such address", f.Name)
		return
	}
	o.set(f.Address(s.Transport), textValue(address))
	var headers, named object
	for _, h := range s.Headers {
		if name, where := w.headerName(h); where != "" {
			if where == f.Bearer {
				o.set(f.Bearer, textValue(name))
			} else {
				named.set(h.Key, textValue(name))
			}
			continue
		}
		text, problem := w.text(h.Value, host.AtHeaders, "headers."+h.Key)
		if problem != "" {
			w.lose("variable", w.headerFix(), "the header %s is left out: %s", h.Key, problem)
			continue
		}
		headers.set(h.Key, textValue(text))
	}
	if len(headers) > 0 {
		o.set(f.Headers, headers.value())
	}
	if len(named) > 0 {
		o.set(f.HeaderNames, named.value())
	}
}

// headerFix says how a header can be had that is left out.
func (w *writer) headerFix() string {
	if w.format.HeaderNames != "" {
		return "put the whole value of the header into one variable, and refer to that"
	}
	return "let the host sign in to the server by itself"
}

// headerName returns the variable that a header's value is in, and the key that
// says so, where the format has one.
func (w *writer) headerName(h Pair) (name, key string) {
	parts := h.Value
	key = w.format.HeaderNames
	if len(parts) == 2 && strings.EqualFold(h.Key, "Authorization") && parts[0].Kind == Literal && parts[0].Text == "Bearer " {
		parts, key = parts[1:], w.format.Bearer
	}
	p, ok := Text(parts).only()
	p = w.named(p, "headers."+h.Key)
	if ok && key != "" && (p.Kind == Env && !p.HasDefault || p.Kind == Hidden) {
		w.secret(p, "headers."+h.Key)
		return p.Text, key
	}
	return "", ""
}

// named makes a variable of what the user is asked for, in a format that names its
// variables.
func (w *writer) named(p Part, where string) Part {
	if p.Kind != Input || w.format.Refs != 0 || w.format.EnvNames == "" {
		return p
	}
	id := p.Text
	p = Part{Kind: Env, Text: variableOf(id)}
	w.asksNothing(where, id, p.Text)
	return p
}

// settings writes the numbers, flags and lists of tools.
func (w *writer) settings(o *object) {
	s, f := w.s, w.format
	for _, d := range []struct {
		key  string
		time time.Duration
		text string
	}{{f.Timeout, s.Timeout, "timeout"}, {f.Start, s.Start, "timeout for the start"}} {
		switch {
		case d.time == 0:
		case d.key == "":
			w.lose("field", "", "%s has no %s", f.Name, d.text)
		default:
			n := strconv.FormatFloat(float64(d.time)/float64(f.Unit), 'f', -1, 64)
			o.set(d.key, definition.Value{Kind: definition.Number, Text: n, Plain: true})
		}
	}
	switch {
	case s.Off && f.On != "":
		o.set(f.On, flagValue(false))
	case s.Off && f.Off != "":
		o.set(f.Off, flagValue(true))
	case s.Off:
		w.leave("field", "remove the entry, or switch it on", "it is switched off, which %s can not say", f.Name)
	}
	switch {
	case s.Only && f.Tools == "":
		w.lose("tool", "deny the other tools in the host's permissions", "%s has no list of the tools that alone are used: all are", f.Name)
	case s.Only:
		o.set(f.Tools, wordValues(s.Tools))
	case f.AllTools != "":
		o.set(f.Tools, wordValues([]string{f.AllTools}))
	}
	switch {
	case len(s.NotTools) == 0:
	case f.NotTools == "":
		w.lose("tool", "deny the tools in the host's permissions", "%s has no list of tools that are not used: all are", f.Name)
	default:
		o.set(f.NotTools, wordValues(s.NotTools))
	}
}

// extras writes the keys that only the host knows whose format it is.
func (w *writer) extras(o *object) {
	for _, x := range w.s.Extras {
		switch {
		case x.Format != w.format.Name:
			w.lose("field", "", "the key %s of %s means nothing in %s", x.Key, x.Format, w.format.Name)
		case !x.Kept:
			w.lose("secret", "use references in it", "the key %s is left out: a secret may be in it", x.Key)
		case !o.has(x.Key):
			o.set(x.Key, x.Value)
		}
	}
}

// inputsOf are the definitions of what the user is asked for in entries that were
// written.
func inputsOf(servers []Server, written definition.Value) definition.Value {
	var ids []string
	add := func(t Text) {
		for _, p := range t {
			if p.Kind == Input && !slices.Contains(ids, p.Text) {
				ids = append(ids, p.Text)
			}
		}
	}
	for i := range servers {
		s := &servers[i]
		if !object(written.Pairs).has(s.Name) {
			continue
		}
		for _, t := range append(slices.Clone(s.Args), s.Command, s.Cwd, s.URL) {
			add(t)
		}
		for _, p := range append(slices.Clone(s.Env), s.Headers...) {
			add(p.Value)
		}
	}
	slices.SortFunc(ids, cmp.Compare[string])
	list := definition.Value{Kind: definition.List}
	for _, id := range ids {
		var o object
		o.set("type", textValue("promptString"))
		o.set("id", textValue(id))
		o.set("description", textValue("The value of "+id))
		o.set("password", flagValue(true))
		list.Items = append(list.Items, o.value())
	}
	return list
}

// isPlainName reports whether a name has letters, digits, - and _ alone.
func isPlainName(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isLetter(c) && !isDigit(c) && c != '-' && c != '_' {
			return false
		}
	}
	return s != ""
}
