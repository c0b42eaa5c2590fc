package connect

import (
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

// isOurs reports whether an entry is one that [Run] has written: it starts Vade as
// Run says it, or it is remote and has Connect's mark, the reference to
// [TokenVariable]. A remote entry without the mark, or of another name than "vade", is
// Run's only where the request names just its address, and nothing else is in it.
// The path of an address says nothing: most servers have the same.
func (c *Connection) isOurs(entry definition.Value, r Request, f *host.ServerFormat) bool {
	address := Address(entry, f)
	if _, starts := member(entry, "command"); starts || address == "" {
		return starts && address == "" && isProgram(Program(entry, f, "serve"), r)
	}
	if c.Name == defaultName && c.isMarked(entry, f) {
		return true
	}
	if r.URL == "" {
		return false
	}
	for _, r.NoAuth = range []bool{false, true} {
		if wanted, err := c.entry(r, f); err == nil && Same(entry, wanted) {
			return true
		}
	}
	return false
}

// isProgram reports whether what an entry starts is Vade: the name that the host looks
// for in its PATH, the program that is running, or the one that the request names. Of a
// path the last element says nothing: a project can have a program of any name.
func isProgram(command string, r Request) bool {
	switch command {
	case "":
		return false
	case "vade", r.Command, r.Program:
		return true
	}
	return runtime.GOOS == "windows" && command == "vade.exe"
}

// notOurs is the error for an entry that is not Vade's. A program that only has the name
// is told, because it reads like Vade's.
func (c *Connection) notOurs(entry definition.Value, f *host.ServerFormat) error {
	if command := Program(entry, f, "serve"); isVade(command) {
		return fmt.Errorf("vade: %s: %q: %w: it starts %q", c.Path, c.Name, ErrNotOurs, shownProgram(command))
	}
	return fmt.Errorf("vade: %s: %q: %w", c.Path, c.Name, ErrNotOurs)
}

// othersKeys are [ownKeys] and the command of a program that is not Vade.
func (c *Connection) othersKeys(entry definition.Value, r Request, f *host.ServerFormat) []string {
	keys := ownKeys(entry, f)
	if _, starts := member(entry, "command"); starts && !isProgram(Program(entry, f, "serve"), r) && !slices.Contains(keys, "command") {
		keys = append([]string{"command"}, keys...)
	}
	return keys
}

// keptKeys are the keys of an entry that say something else than what Vade writes, those
// of maps with their own keys.
func keptKeys(entry, plain definition.Value) []string {
	var keys []string
	for _, p := range entry.Pairs {
		v, ok := member(plain, p.Key)
		switch {
		case ok && Same(v, p.Value), ok && p.Key == "command" && v.Kind == definition.String && p.Value.Kind == definition.String:
			// Another path of the same program.
		case ok && p.Key == "command" && len(v.Items) > 0 && len(v.Items) == len(p.Value.Items) && slices.EqualFunc(v.Items[1:], p.Value.Items[1:], Same):
		case p.Value.Kind == definition.Map && len(p.Value.Pairs) > 0:
			for _, inner := range p.Value.Pairs {
				if w, ok := member(v, inner.Key); !ok || !Same(w, inner.Value) {
					keys = append(keys, p.Key+"."+inner.Key)
				}
			}
		default:
			keys = append(keys, p.Key)
		}
	}
	return keys
}

// isMarked reports whether a remote entry takes its token from [TokenVariable], in the
// very form that Connect writes.
func (c *Connection) isMarked(entry definition.Value, f *host.ServerFormat) bool {
	own, err := c.entry(Request{URL: Address(entry, f)}, f)
	if err != nil {
		return false
	}
	if want, ok := member(own, f.Bearer); ok {
		v, ok := member(entry, f.Bearer)
		return ok && Same(v, want)
	}
	want, _ := member(own, f.Headers)
	want, ok := member(want, "Authorization")
	headers, _ := member(entry, f.Headers)
	v, has := member(headers, "Authorization")
	return ok && has && Same(v, want)
}

// defaultName is the name of the entry where the request gives none.
const defaultName = "vade"

// serverPath is where Vade's server is asked.
const serverPath = "/mcp"

// entry is what the host's file says of Vade, in the words of its format.
func (c *Connection) entry(r Request, f *host.ServerFormat) (definition.Value, error) {
	s := mcp.Server{Name: c.Name, Transport: host.Stdio, Origins: []mcp.Origin{{Format: f.Name}}}
	if r.URL != "" {
		address, err := addressOf(r.URL)
		if err != nil {
			return definition.Value{}, err
		}
		s.Transport, s.URL = host.HTTP, mcp.Text{{Text: address}}
		if !r.NoAuth {
			s.Headers = []mcp.Pair{{Key: "Authorization", Value: mcp.Text{{Text: "Bearer "}, {Kind: mcp.Env, Text: TokenVariable}}}}
		}
	} else {
		command := r.Command
		if command == "" {
			command = "vade"
		}
		s.Command, s.Args = mcp.Text{{Text: command}}, []mcp.Text{{{Text: "serve"}}}
		if word := f.Word(host.VarProject); c.Scope == "project" && word != "" && !strings.Contains(word, ":-") {
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
	all, losses := mcp.Map([]mcp.Server{s}, f, false)
	if len(losses) > 0 || len(all.Pairs) != 1 {
		message := "it can not be said in " + f.Name
		if len(losses) > 0 {
			message = losses[0].Message
		}
		return definition.Value{}, fmt.Errorf("vade: %s: %s", c.Path, message)
	}
	return all.Pairs[0].Value, nil
}

// addressOf is the address of a server, with a path.
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

// merged is the entry with what somebody has added to it: only what Vade writes gets
// another value. gone names what can not stay, as the environment of a program that is
// started no more, or a secret that would be sent to another address.
func (c *Connection) merged(r Request, f *host.ServerFormat, found, wanted definition.Value) (value definition.Value, gone []string, err error) {
	r.NoAuth = false
	own, err := c.entry(r, f)
	if err != nil {
		return wanted, nil, err
	}
	_, starts := member(wanted, "command")
	_, started := member(found, "command")
	gone = ownKeys(found, f)
	if starts != started {
		return wanted, gone, nil
	}
	before, after := Address(found, f), Address(wanted, f)
	if before == after {
		gone = nil
	}
	gone = slices.DeleteFunc(gone, func(key string) bool { return key != f.Headers && key != f.Bearer && key != f.HeaderNames })
	value.Kind = definition.Map
	for _, w := range wanted.Pairs {
		if p, ok := member(found, w.Key); ok {
			w.Value = mergedValue(w.Key, p, w.Value, f, r.Command == "")
		}
		value.Pairs = append(value.Pairs, w)
	}
	for _, p := range found.Pairs {
		if _, ok := member(wanted, p.Key); ok {
			continue
		}
		v, isOwn := member(own, p.Key)
		if !isAddress(p.Key, f) && !(isOwn && Same(v, p.Value)) {
			value.Pairs = append(value.Pairs, p)
		}
	}
	return value, gone, nil
}

// ownKeys are the keys of an entry that hold something that Vade has not written. An
// address is Vade's, whatever its path.
func ownKeys(entry definition.Value, f *host.ServerFormat) []string {
	var keys []string
	plain := plainOf(entry, f)
	for _, p := range entry.Pairs {
		if v, ok := member(plain, p.Key); !isAddress(p.Key, f) && (!ok || !Same(v, p.Value)) {
			keys = append(keys, p.Key)
		}
	}
	return keys
}

// isAddress reports whether a key of a format holds an address.
func isAddress(key string, f *host.ServerFormat) bool {
	return slices.ContainsFunc(f.Addresses, func(w host.ServerWord) bool { return w.Word == key })
}

// mergedValue is the value of a key that Vade writes, where another stands there.
func mergedValue(key string, found, wanted definition.Value, f *host.ServerFormat, keepCommand bool) definition.Value {
	switch key {
	case "command":
		if found.Kind == definition.List && wanted.Kind == definition.List && len(found.Items) > 0 && len(wanted.Items) > 0 {
			command := wanted.Items[:1]
			if keepCommand {
				command = found.Items[:1]
			}
			wanted.Items = slices.Concat(command, mergedArgs(found.Items[1:], wanted.Items[1:]))
		} else if keepCommand && found.Kind == wanted.Kind {
			return found
		}
	case f.Args:
		wanted.Items = mergedArgs(found.Items, wanted.Items)
	case f.Headers:
		for _, p := range found.Pairs {
			i := slices.IndexFunc(wanted.Pairs, func(w definition.Entry) bool { return strings.EqualFold(w.Key, p.Key) })
			if i < 0 {
				wanted.Pairs = append(slices.Clip(wanted.Pairs), p)
			} else {
				wanted.Pairs = slices.Clone(wanted.Pairs)
				wanted.Pairs[i] = p
			}
		}
	case f.Tools, f.Bearer:
		return found
	}
	return wanted
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
