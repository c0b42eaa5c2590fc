package connect

import (
	"cmp"
	"fmt"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"unicode"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/mcp"
)

// serverPath is the URL path that Vade's server listens on.
const serverPath = "/mcp"

// entry returns Vade's entry in the host's format.
func (c *Connection) entry(r Request) (definition.Value, error) {
	s := mcp.Server{Name: c.Name, Transport: host.Stdio, Origins: []mcp.Origin{{Format: c.format.Name}}}
	if r.URL != "" {
		address, err := addressOf(r.URL)
		if err != nil {
			return definition.Value{}, err
		}
		s.Transport, s.URL = host.HTTP, mcp.Text{{Text: address}}
		if !r.NoAuth {
			token := mcp.Text{{Text: "Bearer "}, {Kind: mcp.Env, Text: TokenVariable}}
			s.Headers = []mcp.Pair{{Key: "Authorization", Value: token}}
		}
	} else {
		s.Command, s.Args = mcp.Text{{Text: cmp.Or(r.Command, "vade")}}, []mcp.Text{{{Text: "serve"}}}
		if word := c.format.Word(host.VarProject); c.Scope == "project" && word != "" && !strings.Contains(word, ":-") {
			// The host's working directory does not matter, because the format has a variable for
			// the project directory. Do not use a variable with a default: it refers to an
			// environment variable, which is no more reliable than the working directory.
			s.Args = append(s.Args, mcp.Text{{Text: "-C"}}, mcp.Text{{Kind: mcp.Dir, Dir: host.VarProject}})
		}
	}
	if strings.ContainsFunc(c.Name, func(r rune) bool {
		return r != '-' && r != '_' && r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		return definition.Value{}, fmt.Errorf("vade: %q: %w", c.Name, ErrName)
	}
	all, losses := mcp.Map([]mcp.Server{s}, c.format, false)
	if len(losses) > 0 {
		return definition.Value{}, fmt.Errorf("vade: %s: %s", c.Path, losses[0].Message)
	}
	return all.Pairs[0].Value, nil
}

// addressOf returns a server's URL, adding the default path if it has none.
func addressOf(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" ||
		u.User != nil || u.Fragment != "" || u.RawQuery != "" {
		return "", fmt.Errorf("vade: --http: %w", ErrURL)
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = serverPath
	}
	return u.String(), nil
}

// nextOf returns the text for [Connection.Next].
func nextOf(p *host.Profile, r Request) string {
	next := p.ConnectNext()
	if r.User {
		next = "restart the host"
	}
	if r.URL != "" && !r.NoAuth {
		next = "start the host with the server's token in " + TokenVariable + "; " + next
	}
	return next
}

// isOurs reports whether the entry in the file belongs to Vade. A local entry does if it starts
// Vade, and a remote entry does if it takes its token from [TokenVariable]. Any other remote entry
// belongs to Vade only if the request specifies its URL and the entry has no other keys. The URL's
// path proves nothing, because most servers use /mcp.
func (c *Connection) isOurs() bool {
	if c.found == nil {
		return false
	}
	address := c.address()
	if _, starts := member(*c.found, "command"); starts {
		return address == "" && c.isVade(c.program())
	}
	if c.takesToken() {
		return address != ""
	}
	wanted, err := c.entry(Request{URL: c.request.URL, NoAuth: true})
	return address != "" && err == nil && same(*c.found, wanted)
}

// isVade reports whether a program is Vade: "vade" in the host's PATH, the
// running program, or the request's command. A path's base name proves nothing,
// because a project can contain a program with any name.
func (c *Connection) isVade(program string) bool {
	return program != "" && slices.Contains([]string{"vade", c.request.Command, c.request.Program}, program) ||
		runtime.GOOS == "windows" && program == "vade.exe"
}

// program returns the program that the file's entry starts, if the program's first argument is
// serve. Otherwise, it returns "".
func (c *Connection) program() string {
	command, _ := member(*c.found, "command")
	args, _ := member(*c.found, c.format.Args)
	words := append([]definition.Value{command.Value}, args.Value.Items...)
	if command.Value.Kind == definition.List {
		words = command.Value.Items
	}
	if len(words) < 2 || words[0].Kind != definition.String || words[1].Text != "serve" {
		return ""
	}
	return words[0].Text
}

// address returns the URL in the file's entry, or "".
func (c *Connection) address() string {
	for _, p := range c.found.Pairs {
		if c.isAddress(p.Key) {
			return p.Value.Text
		}
	}
	return ""
}

// isAddress reports whether a key holds the server's URL in the host's format.
func (c *Connection) isAddress(key string) bool {
	return slices.ContainsFunc(c.format.Addresses, func(w host.ServerWord) bool { return w.Word == key })
}

// takesToken reports whether the entry in the file takes its token from [TokenVariable].
func (c *Connection) takesToken() bool {
	wanted, _ := c.entry(Request{URL: "http://localhost"})
	return slices.ContainsFunc(wanted.Pairs, func(p definition.Entry) bool {
		v, _ := member(*c.found, p.Key)
		return (p.Key == c.format.Headers || p.Key == c.format.Bearer) && holds(v.Value, p.Value)
	})
}

// written returns the entry that Vade would write for the program or URL in the file's entry.
func (c *Connection) written() definition.Value {
	r := Request{URL: c.address(), NoAuth: !c.takesToken()}
	if program := c.program(); c.isVade(program) {
		r.Command = program
	}
	v, _ := c.entry(r)
	return v
}

// othersKeys returns the keys in the file's entry that Vade did not write. A key inside a map is
// written with a dot, such as "env.PATH".
func (c *Connection) othersKeys() []string {
	var keys []string
	written := c.written()
	for _, p := range c.found.Pairs {
		v, _ := member(written, p.Key)
		if p.Value.Kind != definition.Map {
			if !holds(v.Value, p.Value) && !c.isAddress(p.Key) {
				keys = append(keys, p.Key)
			}
			continue
		}
		for _, inner := range p.Value.Pairs {
			if w, ok := member(v.Value, inner.Key); !ok || !same(w.Value, inner.Value) {
				keys = append(keys, p.Key+"."+inner.Key)
			}
		}
	}
	return keys
}

// masked returns a copy of an entry in which possible secrets are hidden. It keeps what Vade
// writes, programs, the scheme and host of each URL, numbers, booleans and map keys.
func (c *Connection) masked(entry definition.Value) definition.Value {
	hidden := definition.Value{Kind: definition.String, Text: "…"}
	if entry.Kind != definition.Map {
		return hidden
	}
	shown := Connection{Scope: c.Scope, Name: c.Name, format: c.format, found: &entry}
	written := shown.written()
	entry.Pairs = slices.Clone(entry.Pairs)
	for i := range entry.Pairs {
		key, v := entry.Pairs[i].Key, &entry.Pairs[i].Value
		own, _ := member(written, key)
		switch u, err := url.Parse(v.Text); {
		case c.isAddress(key) && err == nil && u.Host != "" && (u.Path != serverPath || !same(own.Value, *v)):
			v.Text = u.Scheme + "://" + u.Host + "/…"
		case same(own.Value, *v), v.Kind == definition.Bool, v.Kind == definition.Number, v.Kind == definition.Null:
		case key == "command" && v.Kind == definition.String:
			v.Text = shownProgram(v.Text)
		case key == "command" && v.Kind == definition.List && len(v.Items) > 0:
			program := hidden
			program.Text = shownProgram(v.Items[0].Text)
			v.Items = []definition.Value{program, hidden}
		case v.Kind == definition.Map:
			v.Pairs = slices.Clone(v.Pairs)
			for j := range v.Pairs {
				v.Pairs[j].Value = hidden
			}
		default:
			*v = hidden
		}
	}
	return entry
}

// shownProgram returns the leading part of a command line that is certainly the program and not an
// argument.
func shownProgram(text string) string {
	if i := strings.IndexAny(text, " \t\n=;|&"); i >= 0 {
		return text[:i] + "…"
	}
	return text
}
