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

// Loss is a part of an entry that a format cannot express.
type Loss struct {
	// Server is the entry's name; Source and Line locate it.
	Server, Source string
	Line           int
	// Omitted reports whether the whole entry is omitted.
	Omitted bool
	// Kind is "transport", "field", "variable", "secret", "tool" or "name".
	Kind string
	// Message describes the loss, and Fix says how to avoid it.
	Message, Fix string
}

// Map returns the value of a format's server key: a map of entries by name, in the given order. If
// two entries have the same name, the first is written. References to the plugin directory are
// valid only if inPlugin is set.
func Map(servers []Server, f *host.ServerFormat, inPlugin bool) (definition.Value, []Loss) {
	w := writer{format: f, plugin: inPlugin}
	all := object{}
	for i := range servers {
		s := &servers[i]
		if all.has(s.Name) {
			continue
		}
		w.s, w.omitted = s, false
		before := len(w.losses)
		v := w.server()
		if !w.omitted {
			all.set(s.Name, v)
			continue
		}
		// Report only why the entry is omitted, not what else would be lost.
		omissions := slices.DeleteFunc(w.losses[before:], func(l Loss) bool { return !l.Omitted })
		w.losses = w.losses[:before+len(omissions)]
	}
	return all.value(), w.losses
}

// Write returns a file with only the given entries, as JSON or TOML with a
// final newline. The same entries always produce the same bytes.
func Write(servers []Server, f *host.ServerFormat, inPlugin bool) ([]byte, []Loss) {
	all, losses := Map(servers, f, inPlugin)
	if f.Syntax == definition.TOML {
		return appendTOML(nil, f.Key, all), losses
	}
	file := object{}
	if f.Schema != "" {
		file.set("$schema", definition.StringValue(f.Schema))
	}
	if f.InputsKey != "" {
		if inputs := inputsOf(servers, all); len(inputs.Items) > 0 {
			file.set(f.InputsKey, inputs)
		}
	}
	file.set(f.Key, all)
	return append(jsonc.Append(nil, file.value(), ""), '\n'), losses
}

// object is a map under construction.
type object []definition.Entry

func (o *object) set(key string, v definition.Value) {
	*o = append(*o, definition.Entry{Key: key, Value: v})
}

func (o object) has(key string) bool {
	return slices.ContainsFunc(o, func(e definition.Entry) bool { return e.Key == key })
}

func (o object) value() definition.Value { return definition.Value{Kind: definition.Map, Pairs: o} }

// writer writes entries one at a time.
type writer struct {
	format  *host.ServerFormat
	plugin  bool
	losses  []Loss
	s       *Server
	omitted bool
}

func (w *writer) reportLoss(kind, fix, format string, args ...any) {
	l := Loss{Server: w.s.Name, Kind: kind, Message: fmt.Sprintf(format, args...), Fix: fix}
	if len(w.s.Origins) > 0 {
		l.Source, l.Line = w.s.Origins[0].Path, w.s.Origins[0].Line
	}
	if !slices.Contains(w.losses, l) {
		w.losses = append(w.losses, l)
	}
}

func (w *writer) omit(kind, fix, format string, args ...any) {
	w.reportLoss(kind, fix, "omitted: "+format, args...)
	w.losses[len(w.losses)-1].Omitted = true
	w.omitted = true
}

func (w *writer) server() definition.Value {
	s, f := w.s, w.format
	if f.PlainNames && !isPlainName(s.Name) {
		w.omit("name", "use only letters, digits, hyphens and underscores", "%s does not allow this name", f.Name)
		return definition.Value{}
	}
	if s.Transport != host.Stdio && f.Address(s.Transport) == "" {
		w.omit("transport", "use another transport", "%s does not support the transport %s", f.Name, s.Transport)
		return definition.Value{}
	}
	var o object
	if word := f.Type(s.Transport); word != "" {
		o.set("type", definition.StringValue(word))
	}
	if f.Portable && w.plugin && !w.checkPortable() {
		return definition.Value{}
	}
	if s.Transport == host.Stdio {
		w.command(&o)
	} else {
		w.remote(&o)
	}
	w.settings(&o)
	w.extras(&o)
	return o.value()
}

// command writes the fields that start a server.
func (w *writer) command(o *object) {
	s, f := w.s, w.format
	command := w.required(s.Command, host.AtCommand, "command")
	var args []string
	for i, a := range s.Args {
		args = append(args, w.required(a, host.AtArgs, fmt.Sprintf("args[%d]", i)))
	}
	switch {
	case f.CommandList:
		o.set("command", definition.ListValue(append([]string{command}, args...)))
	default:
		o.set("command", definition.StringValue(command))
		if len(args) > 0 {
			o.set(f.Args, definition.ListValue(args))
		}
	}
	w.env(o)
	if len(s.Cwd) == 0 {
		return
	}
	if f.Cwd == "" {
		w.reportLoss("field", "start it with a script that changes the directory", "%s does not support a working directory", f.Name)
		return
	}
	if cwd, problem := w.text(s.Cwd, host.AtCwd, "cwd"); problem == "" {
		o.set(f.Cwd, definition.StringValue(cwd))
	} else {
		w.reportLoss("variable", "use a path in the project, such as ./DIR", "its working directory is omitted: %s", problem)
	}
}

func (w *writer) env(o *object) {
	f := w.format
	var env object
	var names []string
	for _, p := range w.s.Env {
		part, single := p.Value.single()
		part = w.resolveInput(part, "env."+p.Key)
		if f.EnvNames != "" && single && (part.Kind == Env && !part.HasDefault || part.Kind == Hidden) && part.Text == p.Key {
			w.noteSecret(part, "env."+p.Key)
			names = append(names, p.Key)
			continue
		}
		text, problem := w.text(p.Value, host.AtEnv, "env."+p.Key)
		if problem != "" {
			w.reportLoss("variable", "set "+p.Key+" in the environment that the host runs in",
				"the variable %s is omitted: %s", p.Key, problem)
			continue
		}
		env.set(p.Key, definition.StringValue(text))
	}
	if len(env) > 0 {
		o.set(f.Env, env.value())
	}
	if len(names) > 0 {
		o.set(f.EnvNames, definition.ListValue(names))
	}
}

// remote writes a server's URL and headers.
func (w *writer) remote(o *object) {
	s, f := w.s, w.format
	address := w.required(s.URL, host.AtURL, "url")
	if f.Portable && !w.omitted && !isPortableURL(address) {
		w.omit("field", "use an https:// URL without user information or a fragment", "%s does not allow this URL", f.Name)
		return
	}
	o.set(f.Address(s.Transport), definition.StringValue(address))
	var headers, namedHeaders object
	for _, h := range s.Headers {
		if name, where := w.headerName(h); where != "" {
			if where == f.Bearer {
				o.set(f.Bearer, definition.StringValue(name))
			} else {
				namedHeaders.set(h.Key, definition.StringValue(name))
			}
			continue
		}
		text, problem := w.text(h.Value, host.AtHeaders, "headers."+h.Key)
		if problem != "" {
			w.reportLoss("variable", w.headerFix(), "the header %s is omitted: %s", h.Key, problem)
			continue
		}
		headers.set(h.Key, definition.StringValue(text))
	}
	if len(headers) > 0 {
		o.set(f.Headers, headers.value())
	}
	if len(namedHeaders) > 0 {
		o.set(f.HeaderNames, namedHeaders.value())
	}
}

// headerFix returns a fix that tells the user how to replace an omitted header.
func (w *writer) headerFix() string {
	if w.format.HeaderNames != "" {
		return "store the entire header value in one variable and refer to it"
	}
	return "sign in to the server from the host"
}

// headerName returns the name of the variable that holds a header's value, and the key under which
// the format stores such names. Both are "" if the format has no such key or the value is not a
// single variable.
func (w *writer) headerName(h Pair) (name, key string) {
	parts := h.Value
	key = w.format.HeaderNames
	if len(parts) == 2 && strings.EqualFold(h.Key, "Authorization") && parts[0].Kind == Literal && parts[0].Text == "Bearer " {
		parts, key = parts[1:], w.format.Bearer
	}
	p, ok := Text(parts).single()
	p = w.resolveInput(p, "headers."+h.Key)
	if ok && key != "" && (p.Kind == Env && !p.HasDefault || p.Kind == Hidden) {
		w.noteSecret(p, "headers."+h.Key)
		return p.Text, key
	}
	return "", ""
}

// resolveInput replaces an input prompt with a variable if the format can only list variables by
// name.
func (w *writer) resolveInput(p Part, where string) Part {
	if p.Kind != Input || w.format.Refs != 0 || w.format.EnvNames == "" {
		return p
	}
	id := p.Text
	p = Part{Kind: Env, Text: variableForInput(id)}
	w.noteInputReplaced(where, id, p.Text)
	return p
}

// settings writes timeouts, flags and tool lists.
func (w *writer) settings(o *object) {
	s, f := w.s, w.format
	for _, d := range []struct {
		key  string
		time time.Duration
		text string
	}{{f.Timeout, s.Timeout, "timeout"}, {f.Start, s.StartTimeout, "startup timeout"}} {
		switch {
		case d.time == 0:
		case d.key == "":
			w.reportLoss("field", "", "%s does not support a %s", f.Name, d.text)
		default:
			n := strconv.FormatFloat(float64(d.time)/float64(f.Unit), 'f', -1, 64)
			o.set(d.key, definition.Value{Kind: definition.Number, Text: n, Plain: true})
		}
	}
	switch {
	case s.Disabled && f.On != "":
		o.set(f.On, definition.BoolValue(false))
	case s.Disabled && f.Off != "":
		o.set(f.Off, definition.BoolValue(true))
	case s.Disabled:
		w.omit("field", "remove the entry or enable it", "the entry is disabled, which %s cannot express", f.Name)
	}
	switch {
	case s.HasTools && f.Tools == "":
		w.reportLoss("tool", "deny the other tools in the host's permissions", "%s cannot limit the server to some of its tools, so all are available", f.Name)
	case s.HasTools:
		o.set(f.Tools, definition.ListValue(s.Tools))
	case f.AllTools != "":
		o.set(f.Tools, definition.ListValue([]string{f.AllTools}))
	}
	switch {
	case len(s.NotTools) == 0:
	case f.NotTools == "":
		w.reportLoss("tool", "deny the tools in the host's permissions", "%s cannot exclude tools, so all are available", f.Name)
	default:
		o.set(f.NotTools, definition.ListValue(s.NotTools))
	}
}

// extras writes the keys that only the format's own host supports.
func (w *writer) extras(o *object) {
	for _, x := range w.s.Extras {
		switch {
		case x.Format != w.format.Name:
			w.reportLoss("field", "", "the key %s of %s has no equivalent in %s", x.Key, x.Format, w.format.Name)
		case !x.Known:
			w.reportLoss("secret", "use references in the value", "the key %s is omitted because it may contain a secret", x.Key)
		case !o.has(x.Key):
			o.set(x.Key, x.Value)
		}
	}
}

// inputsOf returns the definitions of the inputs that the written entries refer to.
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
		o.set("type", definition.StringValue("promptString"))
		o.set("id", definition.StringValue(id))
		o.set("description", definition.StringValue("Value of "+id))
		o.set("password", definition.BoolValue(true))
		list.Items = append(list.Items, o.value())
	}
	return list
}

// isPlainName reports whether a name has only letters, digits, hyphens and underscores.
func isPlainName(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isLetter(c) && !isDigit(c) && c != '-' && c != '_' {
			return false
		}
	}
	return s != ""
}
