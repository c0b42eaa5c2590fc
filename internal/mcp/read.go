package mcp

import (
	"cmp"
	"fmt"
	"github.com/vadehq/vade/internal/secret"
	"slices"
	"strconv"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/host"
)

// Limits on the entries in one file and on the members of a list or map in an entry.
const (
	maxServers = 1000
	maxMembers = 1000
)

// Read reads a map of entries in the given format. The value's spans are positions in f. Invalid
// entries are skipped and reported. origin describes the file.
func Read(f *diag.File, v definition.Value, format *host.ServerFormat, origin Origin) ([]Server, []diag.Diagnostic) {
	if v.Kind == definition.Null {
		return nil, nil
	}
	if v.Kind != definition.Map {
		return nil, []diag.Diagnostic{invalid(f, v.Span, "the MCP servers are ignored because they are not an object", "use an object with one key per server")}
	}
	var list []Server
	var found []diag.Diagnostic
	origin.Format = format.Name
	for i := range v.Pairs {
		if len(list) == maxServers {
			found = append(found, invalid(f, v.Pairs[i].KeySpan, fmt.Sprintf("only the first %d MCP servers are used; the rest are ignored", maxServers), "remove unused servers"))
			break
		}
		p := &v.Pairs[i]
		if format.CommandList && isGroup(p) {
			// In the next version of the format, another map contains the entries.
			some, more := Read(f, p.Value, format, origin)
			list, found = append(list, some...), append(found, more...)
			continue
		}
		if secret.HasToken(p.Key) {
			found = append(found, invalid(f, p.KeySpan, "an MCP server is ignored because its name looks like a secret", "rename the server and rotate the secret"))
			continue
		}
		pos := f.Pos(p.KeySpan.Start)
		e := entry{file: f, format: format, s: &Server{Name: p.Key, Origins: []Origin{origin}}}
		e.s.Origins[0].Line, e.s.Origins[0].Column = pos.Line, pos.Column
		if p.Value.Kind == definition.Null {
			continue
		}
		if p.Value.Kind != definition.Map {
			found = append(found, invalid(f, p.KeySpan, "MCP server "+chars.Truncate(p.Key, 80)+" is ignored because it is not an object", "use an object with the server's settings"))
			continue
		}
		e.read(p.Value)
		if e.problem != "" {
			if e.s.Transport == 0 {
				e.problem += "; the entry is ignored"
			}
			found = append(found, invalid(f, p.KeySpan, "MCP server "+chars.Truncate(p.Key, 80)+": "+e.problem, "fix the entry"))
		}
		if e.s.Transport != 0 {
			list = append(list, *e.s)
		}
	}
	return list, found
}

// isGroup reports whether a member called "servers" is a map of entries rather than an entry.
func isGroup(p *definition.Entry) bool {
	if p.Key != "servers" || p.Value.Kind != definition.Map {
		return false
	}
	for i := range p.Value.Pairs {
		if p.Value.Pairs[i].Value.Kind != definition.Map {
			return false
		}
	}
	return true
}

// invalid returns a diagnostic that omits the source line, which may contain a secret.
func invalid(f *diag.File, span diag.Span, message, fix string) diag.Diagnostic {
	d := diag.At(f, span, diag.MCPInvalid, "%s", message).WithFix("%s", fix)
	d.Source = ""
	return d
}

// entry holds the state while one server entry is read.
type entry struct {
	file   *diag.File
	format *host.ServerFormat
	s      *Server
	field  host.ServerField
	// problem is the first problem in the entry, or "".
	problem string
}

func (r *entry) fail(format string, args ...any) {
	if r.problem == "" {
		r.problem = fmt.Sprintf(format, args...)
	}
}

func (r *entry) note(v definition.Value, fix, format string, args ...any) {
	pos := r.file.Pos(v.Span.Start)
	r.s.Notes = append(r.s.Notes, Note{
		Text: fmt.Sprintf(format, args...), Fix: fix, Path: r.file.Name, Line: pos.Line, Column: pos.Column,
	})
}

func (r *entry) read(v definition.Value) {
	f := r.format
	var typ string
	var urlKey host.ServerWord
	var named []*definition.Entry
	for i := range v.Pairs {
		e := &v.Pairs[i]
		switch k := e.Key; {
		case e.Value.Kind == definition.Null:
		case k == "type":
			typ = r.text(e)
		case k == "command":
			r.command(e)
		case k == f.Args && k != "":
			r.args(e)
		case k == f.Env && k != "":
			r.s.Env = append(r.pairs(e, host.AtEnv, "env"), r.s.Env...)
		case k == f.Headers && k != "":
			r.s.Headers = append(r.pairs(e, host.AtHeaders, "headers"), r.s.Headers...)
		case k == f.Cwd && k != "":
			r.s.Cwd = r.pathText(e, host.AtCwd, "cwd")
		case r.isURLKey(k, &urlKey):
			r.s.URL = r.pathText(e, host.AtURL, k)
		case k == f.EnvNames && k != "", k == f.HeaderNames && k != "", k == f.Bearer && k != "":
			named = append(named, e)
		case r.setting(e):
		default:
			r.extra(e)
		}
	}
	for _, e := range named {
		r.readNames(e)
	}
	byKey := func(a, b Pair) int { return cmp.Compare(a.Key, b.Key) }
	// A literal value takes precedence over a variable listed by name.
	once := func(a, b Pair) bool { return a.Key == b.Key }
	slices.SortStableFunc(r.s.Env, byKey)
	slices.SortStableFunc(r.s.Headers, byKey)
	r.s.Env, r.s.Headers = slices.CompactFunc(r.s.Env, once), slices.CompactFunc(r.s.Headers, once)
	slices.SortStableFunc(r.s.Extras, func(a, b Extra) int { return cmp.Compare(a.Key, b.Key) })
	r.transport(typ, urlKey)
}

// isURLKey reports whether a key holds the entry's URL, and stores the key in found. If an entry
// has multiple such keys, the one that the format lists first wins.
func (r *entry) isURLKey(k string, found *host.ServerWord) bool {
	for i, w := range r.format.Addresses {
		if w.Word != k {
			continue
		}
		if found.Word == "" || i == 0 {
			*found = w
		}
		return true
	}
	return false
}

// transport determines the transport and checks that the entry has the fields that the transport
// requires.
func (r *entry) transport(typ string, address host.ServerWord) {
	t, known := host.Transport(0), typ == ""
	for _, w := range r.format.Types {
		if w.Word == typ {
			t, known = w.Transport, true
			break
		}
	}
	if !known {
		// Accept other formats' types, so copied entries are not lost.
		switch typ {
		case "stdio", "local":
			t = host.Stdio
		case "http", "streamable-http", "streamableHttp", "streamable_http", "remote":
			t = host.HTTP
		case "sse":
			t = host.SSE
		case "ws", "websocket":
			t = host.WebSocket
		default:
			r.fail("unknown type")
			return
		}
	}
	hasCommand, hasURL := len(r.s.Command) > 0, len(r.s.URL) > 0
	switch {
	case t == 0 && hasCommand:
		t = host.Stdio
	case t == 0 && hasURL:
		t = address.Transport
		if r.format.NeedsType {
			r.s.Notes = append(r.s.Notes, Note{
				Text: "the entry has a URL but no type, so hosts that read " + r.format.Name + " do not load it",
				Fix:  "add a type, such as \"http\"", Path: r.file.Name, Line: r.s.Origins[0].Line, Column: r.s.Origins[0].Column,
			})
		}
	}
	switch {
	case t == 0:
		r.fail("the entry has neither a command nor a URL")
		return
	case t == host.Stdio && !hasCommand:
		r.fail("the entry has no command")
		return
	case t != host.Stdio && !hasURL:
		r.fail("the entry has no URL")
		return
	}
	r.s.Transport = t
	if t == host.Stdio {
		r.s.URL, r.s.Headers = nil, nil
		return
	}
	r.s.Command, r.s.Args, r.s.Env, r.s.Cwd = nil, nil, nil, nil
}

// scalar returns a string, number or boolean as text. For any other value, it records a problem and
// returns false.
func (r *entry) scalar(where string, v definition.Value) (string, bool) {
	switch v.Kind {
	case definition.String, definition.Number, definition.Bool:
		return v.Text, true
	}
	r.fail("%s must be a string", where)
	return "", false
}

func (r *entry) text(e *definition.Entry) string {
	s, _ := r.scalar(e.Key, e.Value)
	return s
}

func (r *entry) pathText(e *definition.Entry, field host.ServerField, where string) Text {
	s, ok := r.scalar(where, e.Value)
	if !ok {
		return nil
	}
	v := e.Value
	v.Text = s
	var expect string
	return r.readLoose(field, where, v, &expect)
}

// command reads the command, which is a string, or a list that includes the arguments.
func (r *entry) command(e *definition.Entry) {
	if e.Value.Kind != definition.List {
		if r.format.CommandList {
			r.fail("command must be a list")
		}
		r.s.Command = r.pathText(e, host.AtCommand, "command")
		return
	}
	if len(e.Value.Items) == 0 {
		return
	}
	all := r.list(e.Value, "command")
	if len(all) > 0 {
		r.s.Command, r.s.Args = all[0], append(all[1:], r.s.Args...)
	}
}

func (r *entry) args(e *definition.Entry) {
	if e.Value.Kind != definition.List {
		r.fail("%s must be a list", e.Key)
		return
	}
	r.s.Args = append(r.s.Args, r.list(e.Value, "args")...)
}

// list reads the words of a command. A flag may determine whether the next word is hidden.
func (r *entry) list(v definition.Value, where string) []Text {
	var list []Text
	var expect string
	for i, item := range v.Items {
		at := where + "[" + strconv.Itoa(i) + "]"
		if i == maxMembers {
			r.fail("only the first %d items in %s are used", maxMembers, where)
			break
		}
		if s, ok := r.scalar(at, item); ok {
			item.Text = s
			t := r.readLoose(host.AtArgs, at, item, &expect)
			if t == nil {
				t = Text{}
			}
			list = append(list, t)
		}
	}
	return list
}

// pairs reads a map of variables or headers.
func (r *entry) pairs(e *definition.Entry, field host.ServerField, where string) []Pair {
	if e.Value.Kind != definition.Map {
		r.fail("%s must be an object", e.Key)
		return nil
	}
	var list []Pair
	for i := range e.Value.Pairs {
		p := &e.Value.Pairs[i]
		if i == maxMembers {
			r.fail("only the first %d keys in %s are used", maxMembers, e.Key)
			break
		}
		if secret.HasToken(p.Key) {
			r.fail("a key in %s is ignored because it looks like a secret", e.Key)
			continue
		}
		if p.Value.Kind == definition.Null {
			continue
		}
		at := where + "." + p.Key
		if s, ok := r.scalar(at, p.Value); ok {
			v := p.Value
			v.Text = s
			list = append(list, Pair{p.Key, r.readStrict(field, at, p.Key, v)})
		}
	}
	return list
}

// readNames reads a key that lists variables by name instead of by reference.
func (r *entry) readNames(e *definition.Entry) {
	add := func(list *[]Pair, key, name string, before string) {
		if nameAt(name) != name || name == "" || secret.HasToken(name) {
			r.fail("%s contains an invalid variable name", e.Key)
			return
		}
		var t Text
		*list = append(*list, Pair{key, append(t.literal(before), Part{Kind: Env, Text: name})})
	}
	switch e.Key {
	case r.format.EnvNames:
		for _, item := range e.Value.Items {
			name := item.Text
			for _, p := range item.Pairs {
				if p.Key == "name" {
					name = p.Value.Text
				}
			}
			add(&r.s.Env, name, name, "")
		}
	case r.format.HeaderNames:
		for _, p := range e.Value.Pairs {
			add(&r.s.Headers, p.Key, p.Value.Text, "")
		}
	default:
		add(&r.s.Headers, "Authorization", e.Value.Text, "Bearer ")
	}
}
