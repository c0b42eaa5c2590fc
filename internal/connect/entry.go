package connect

import (
	"cmp"
	"errors"
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

// defaultName is the name of the entry if the request gives none.
const defaultName = "vade"

// serverPath is the path of Vade's server.
const serverPath = "/mcp"

// entry is what the host's file says of Vade, in the host's format.
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
			// The format has a word for the project, so that it does not matter where the
			// host starts its servers. One with a default is a variable, which says no more
			// than the directory that they are started in.
			s.Args = append(s.Args, mcp.Text{{Text: "-C"}}, mcp.Text{{Kind: mcp.Place, Place: host.VarProject}})
		}
	}
	if strings.ContainsFunc(r.Command, unicode.IsControl) {
		return definition.Value{}, errors.New("vade: a control character has no place in a command")
	}
	if strings.ContainsFunc(c.Name, func(r rune) bool {
		return r != '-' && r != '_' && r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		return definition.Value{}, fmt.Errorf("vade: %q: %w", c.Name, ErrName)
	}
	all, losses := mcp.Map([]mcp.Server{s}, c.format, false)
	if len(losses) > 0 || len(all.Pairs) != 1 {
		message := "it can not be said in " + c.format.Name
		if len(losses) > 0 {
			message = losses[0].Message
		}
		return definition.Value{}, fmt.Errorf("vade: %s: %s", c.Path, message)
	}
	return all.Pairs[0].Value, nil
}

// addressOf is the URL of a server, with a path.
func addressOf(text string) (string, error) {
	if strings.Contains(text, "@") {
		return "", fmt.Errorf("vade: %w that is written: a name or a password is in it", ErrURL)
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Fragment != "" || u.RawQuery != "" {
		return "", fmt.Errorf("vade: %q: %w: it has the form http://HOST:PORT", text, ErrURL)
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = serverPath
	}
	return u.String(), nil
}

// nextOf says what has to be done in the host.
func nextOf(p *host.Profile, r Request) string {
	var next []string
	if r.URL != "" && !r.NoAuth {
		next = append(next, "start it with "+TokenVariable+" in its environment, the token of the server")
	}
	if word := p.ConnectNext(); word != "" && !r.User {
		next = append(next, word)
	} else if r.User {
		next = append(next, "start it anew")
	}
	return strings.Join(next, "; ")
}

// isOurs reports whether an entry is one that [Run] has written: it starts Vade, or it is
// remote, named "vade", and takes its token from [TokenVariable]. Any other remote entry is
// Run's only if the request names its URL and nothing else is in it: the path of a URL says
// nothing, as most servers have the same.
func (c *Connection) isOurs(entry definition.Value, r Request) bool {
	address := c.address(entry)
	if _, starts := member(entry, "command"); starts || address == "" {
		return starts && address == "" && isProgram(c.program(entry), r)
	}
	bearer, _ := member(entry, c.format.Bearer)
	headers, _ := member(entry, c.format.Headers)
	_, isMarked := c.plainValue(c.format.Headers, headers)
	if c.Name == defaultName && (isMarked || bearer.Text == TokenVariable) {
		return true
	}
	if r.URL == "" {
		return false
	}
	for _, r.NoAuth = range []bool{false, true} {
		if wanted, err := c.entry(r); err == nil && same(entry, wanted) {
			return true
		}
	}
	return false
}

// isProgram reports whether what an entry starts is Vade: the name that the host looks
// for in its PATH, the program that is running, or the one that the request names. The
// last element of a path says nothing: a project can have a program of any name.
func isProgram(command string, r Request) bool {
	switch command {
	case "":
		return false
	case "vade", r.Command, r.Program:
		return true
	}
	return runtime.GOOS == "windows" && command == "vade.exe"
}

// notOurs is the error for an entry that is not Vade's. It names a program that only has
// the name, because the entry reads like Vade's.
func (c *Connection) notOurs() error {
	if command := c.program(*c.found); isVade(command) {
		return fmt.Errorf("vade: %s: %q: %w: it starts %q", c.Path, c.Name, ErrNotOurs, shownProgram(command))
	}
	return fmt.Errorf("vade: %s: %q: %w", c.Path, c.Name, ErrNotOurs)
}

// program is the program that an entry starts with serve as its first argument, or "".
func (c *Connection) program(entry definition.Value) string {
	command, _ := member(entry, "command")
	args := command.Items
	if command.Kind == definition.List && len(args) > 0 {
		command, args = args[0], args[1:]
	} else if list, ok := member(entry, c.format.Args); ok {
		args = list.Items
	}
	if command.Kind != definition.String || len(args) == 0 || args[0].Kind != definition.String || args[0].Text != "serve" {
		return ""
	}
	return command.Text
}

// address is the URL of a remote entry, or "".
func (c *Connection) address(entry definition.Value) string {
	for _, w := range c.format.Addresses {
		if v, ok := member(entry, w.Word); ok {
			return v.Text
		}
	}
	return ""
}

// isAddress reports whether a key of the format holds a URL.
func (c *Connection) isAddress(key string) bool {
	return slices.ContainsFunc(c.format.Addresses, func(w host.ServerWord) bool { return w.Word == key })
}

// merged is what Vade writes together with what somebody has added to the entry. gone are
// the keys that cannot stay: the environment of a program that is no longer started, or a
// secret that would be sent to another URL.
func (c *Connection) merged(wanted definition.Value) (value definition.Value, gone []string) {
	f, found := c.format, *c.found
	_, starts := member(wanted, "command")
	_, started := member(found, "command")
	gone = c.othersKeys(Request{Command: c.program(found)})
	if starts == started {
		moved := c.address(found) != c.address(wanted)
		gone = slices.DeleteFunc(gone, func(key string) bool {
			key, _, _ = strings.Cut(key, ".")
			return !moved || key != f.Headers && key != f.Bearer && key != f.HeaderNames
		})
	}
	value.Kind = definition.Map
	for _, p := range wanted.Pairs {
		if v, ok := member(found, p.Key); ok {
			switch p.Key {
			case "command":
				if p.Value.Kind == definition.List && v.Kind == definition.List {
					p.Value.Items = slices.Concat(p.Value.Items[:1], mergedArgs(v.Items[1:], p.Value.Items[1:]))
				}
			case f.Args:
				p.Value.Items = mergedArgs(v.Items, p.Value.Items)
			case f.Headers, f.Tools, f.Bearer:
				p.Value = v
			}
		}
		value.Pairs = append(value.Pairs, p)
	}
	for _, p := range found.Pairs {
		plain, isPlain := c.plainValue(p.Key, p.Value)
		if _, ok := member(wanted, p.Key); !ok && !c.isAddress(p.Key) && !(isPlain && same(plain, p.Value)) {
			value.Pairs = append(value.Pairs, p)
		}
	}
	return value, gone
}

// mergedArgs are the arguments of the program with the options that somebody has added.
func mergedArgs(found, wanted []definition.Value) []definition.Value {
	if len(found) == 0 || found[0].Text != "serve" ||
		slices.ContainsFunc(found, func(v definition.Value) bool {
			return strings.HasPrefix(v.Text, "-C") || strings.HasPrefix(v.Text, "--directory")
		}) {
		return found
	}
	return slices.Concat(wanted, found[1:])
}

// othersKeys are the keys of the entry in the file that Vade has not written, with the
// command if it starts something else.
func (c *Connection) othersKeys(r Request) []string {
	plain := definition.Value{Kind: definition.Map}
	for _, p := range c.found.Pairs {
		if v, ok := c.plainValue(p.Key, p.Value); ok || c.isAddress(p.Key) {
			plain.Pairs = append(plain.Pairs, definition.Entry{Key: p.Key, Value: v})
		}
	}
	keys := c.otherKeys(*c.found, plain)
	if _, starts := member(*c.found, "command"); starts && !isProgram(c.program(*c.found), r) && !slices.Contains(keys, "command") {
		keys = append([]string{"command"}, keys...)
	}
	return keys
}

// otherKeys are the keys of an entry whose values are not in plain, as "env.PATH" for those
// within a map.
func (c *Connection) otherKeys(entry, plain definition.Value) []string {
	var keys []string
	for _, p := range entry.Pairs {
		v, ok := member(plain, p.Key)
		switch {
		case ok && same(v, p.Value):
		case p.Value.Kind == definition.Map && len(p.Value.Pairs) > 0:
			for _, inner := range p.Value.Pairs {
				if w, ok := member(v, inner.Key); !ok || !same(w, inner.Value) {
					keys = append(keys, p.Key+"."+inner.Key)
				}
			}
		default:
			keys = append(keys, p.Key)
		}
	}
	return keys
}

// plainValue is the part of a value that Vade may have written, and so holds no secret,
// and whether there is any.
func (c *Connection) plainValue(key string, v definition.Value) (definition.Value, bool) {
	f := c.format
	switch {
	case key == "command" && v.Kind == definition.List:
		return v, len(v.Items) > 0 && isVade(v.Items[0].Text) && plainArgs(v.Items[1:])
	case key == "command":
		return v, v.Kind == definition.String && isVade(v.Text)
	case key == f.Args:
		return v, v.Kind == definition.List && plainArgs(v.Items)
	case c.isAddress(key):
		u, err := url.Parse(v.Text)
		return v, err == nil && u.User == nil && u.RawQuery == "" && u.Fragment == "" && u.Path == serverPath
	case key == "type":
		return v, slices.ContainsFunc(f.Types, func(w host.ServerWord) bool { return w.Word == v.Text })
	case key == f.Tools:
		return v, v.Kind == definition.List && len(v.Items) == 1 && v.Items[0].Text == f.AllTools
	case key == f.Bearer:
		return v, v.Text == TokenVariable
	case key == f.Headers:
		i := slices.IndexFunc(v.Pairs, func(p definition.Entry) bool {
			rest, ok := strings.CutPrefix(p.Value.Text, "Bearer ")
			return ok && p.Key == "Authorization" && strings.Contains(rest, TokenVariable) &&
				strings.Trim(strings.ReplaceAll(rest, TokenVariable, ""), "${}env:") == ""
		})
		if i < 0 {
			return v, false
		}
		v.Pairs = v.Pairs[i : i+1]
		return v, true
	}
	return v, false
}

// plainArgs reports whether arguments are those that Vade writes.
func plainArgs(args []definition.Value) bool {
	return len(args) > 0 && args[0].Text == "serve" && (len(args) == 1 || len(args) == 3 && args[1].Text == "-C")
}

// isVade reports whether a program is called vade, wherever it is.
func isVade(command string) bool {
	return strings.TrimSuffix(command[strings.LastIndexAny(command, `/\`)+1:], ".exe") == "vade"
}

// masked is an entry as it may be shown: what Vade writes as it is, the program, the
// scheme and host of a URL and the keys of maps. Numbers and booleans hold no secret.
func (c *Connection) masked(entry definition.Value) definition.Value {
	hidden := definition.Value{Kind: definition.String, Text: "…"}
	if entry.Kind != definition.Map {
		return hidden
	}
	entry.Pairs = slices.Clone(entry.Pairs)
	for i := range entry.Pairs {
		key, v := entry.Pairs[i].Key, &entry.Pairs[i].Value
		plain, ok := c.plainValue(key, *v)
		switch u, err := url.Parse(v.Text); {
		case ok && same(plain, *v), v.Kind == definition.Bool, v.Kind == definition.Number, v.Kind == definition.Null:
		case key == "command" && v.Kind == definition.String:
			v.Text = shownProgram(v.Text)
		case key == "command" && v.Kind == definition.List && len(v.Items) > 0:
			first := v.Items[0]
			first.Text = shownProgram(first.Text)
			v.Items = []definition.Value{first, hidden}
		case c.isAddress(key) && err == nil && u.Host != "":
			v.Text = u.Scheme + "://" + u.Host + "/…"
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

// shownProgram is a command up to where something other than a program may begin.
func shownProgram(text string) string {
	if i := strings.IndexAny(text, " \t\n=;|&"); i >= 0 {
		return text[:i] + "…"
	}
	return text
}
