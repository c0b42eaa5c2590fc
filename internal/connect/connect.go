// Package connect adds Vade's MCP server to a host's file of MCP servers and removes it
// again. Every other byte of the file stays.
package connect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/textdiff"
	"github.com/vadehq/vade/internal/vfs"
)

// The errors of [Run]: the entry of the name starts or asks something other than Vade; the
// file cannot be edited; the entry has keys that somebody has added, which would go with
// the change; the URL is not that of a server; not all hosts accept the name.
var (
	ErrNotOurs = errors.New("an entry of this name is there, and is not Vade's")
	ErrEdit    = errors.New("the file can not be edited")
	ErrOwnKeys = errors.New("the entry has keys of yours that would go")
	ErrURL     = errors.New("no address of a server")
	ErrName    = errors.New("no name of a server that hosts take")
)

// TokenVariable is the environment variable that a host is told to take the bearer
// token from, for a server that is reached over HTTP.
const TokenVariable = "VADE_SERVE_TOKEN"

// Request says which host is told of Vade's MCP server, and how it reaches it.
type Request struct {
	// Host is the name of the host; see [Hosts].
	Host string
	// User writes the user's file, which counts in all projects, and not the
	// project's.
	User bool
	// Name is the name of the entry; "" is "vade".
	Name string
	// Command is the program that the host starts with the word serve; "" is that of
	// the entry where one of Vade's is there, and else "vade", which the host looks for
	// in its PATH.
	Command string
	// Program is the absolute path of the Vade that is running. An entry that starts
	// it is Vade's, as one is that starts "vade" or Command; any other program is not,
	// whatever its name. "" is none.
	Program string
	// URL is the address of a server that runs already, instead of a command. An
	// address without a path gets /mcp. NoAuth: it asks for no bearer token; otherwise
	// the entry refers to [TokenVariable], and no token is written anywhere.
	URL    string
	NoAuth bool
	// Remove takes the entry out. URL names then the address of the entry that is
	// meant, which it has to for one that was written with NoAuth.
	Remove bool
	// Force replaces or removes an entry of the name that is not Vade's, or that has
	// keys of others, as a whole.
	Force bool
}

// Connection is the change of a host's file. Its JSON is stable.
type Connection struct {
	Host    string `json:"host"`
	Version string `json:"version"`
	// Scope is "project" or "user". Path is the file: below the top of the project, or
	// with ~ for the home directory.
	Scope string `json:"scope"`
	Path  string `json:"path"`
	Name  string `json:"name"`
	// Action is create (a new file), add, update, remove, delete (the file, which had
	// nothing else) or none.
	Action string `json:"action"`
	// Gone are the keys that somebody has added to the entry and that are removed with it,
	// and "comments" if comments are removed too.
	Gone []string `json:"gone,omitempty"`
	// Kept are the keys of the entry that Vade has not written and that stay, those
	// within a map behind a dot: "env.PATH", "disabled". They may change what the host
	// starts.
	Kept []string `json:"kept,omitempty"`
	// Next is what has to be done in the host, in words for people.
	Next string `json:"next,omitempty"`

	dir, file     string
	before, after []byte
	format        *host.ServerFormat
	// found and wanted are the entry before and after, nil for none.
	found, wanted *definition.Value
}

// Hosts are the names of the hosts that have a file of MCP servers.
func Hosts() []string { return registry.Connectable() }

// maxConnect is the longest file, in bytes, that is edited.
const maxConnect = 32 << 20

// Run says what has to change in a host's file so that it uses Vade's MCP server,
// or does not any more. Nothing is written; see [Connection.Write]. The error is
// [export.ErrNoHost] or [export.ErrNoFiles] for a host that can not be connected, [ErrNotOurs] for an
// entry that is somebody else's, [ErrOwnKeys] for one that somebody has added to,
// [ErrEdit] for a file that can not be edited, and [ErrURL].
func Run(ctx context.Context, o catalog.Options, r Request) (*Connection, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, ok := registry.Lookup(r.Host)
	if !ok {
		return nil, fmt.Errorf("vade: %s: %w", r.Host, export.ErrNoHost)
	}
	c := &Connection{Host: p.Name, Version: p.Version, Scope: "project", Name: r.Name}
	layer := definition.Project
	if r.User {
		c.Scope, layer = "user", definition.User
	}
	if c.Name == "" {
		c.Name = defaultName
	}
	files := p.ConnectFiles(layer, runtime.GOOS)
	if len(files) == 0 {
		return nil, fmt.Errorf("vade: %s: MCP servers: %w", p.Name, export.ErrNoFiles)
	}
	places, err := c.places(ctx, o, files)
	if err != nil {
		return nil, err
	}
	// The first file that exists is edited, or else the first is created.
	for _, at := range append(places, places[0]) {
		c.dir, c.file, c.Path, c.format = at.dir, at.file, at.shown, at.format
		if err := c.load(); err != nil {
			return nil, err
		}
		if c.before != nil {
			break
		}
	}
	_, _, found, err := find(c.before, c.format, c.Name)
	if err != nil {
		return nil, c.notEdited(err)
	}
	if found.Key != "" {
		c.found = &found.Value
	}
	if r.Remove {
		err = c.remove(r)
	} else {
		c.Next = nextOf(p, r)
		err = c.add(r)
	}
	if err == nil && c.removesComments() {
		c.Gone = append(c.Gone, "comments")
	}
	return c, err
}

// place is a file that may be the one that is edited.
type place struct {
	dir, file, shown string
	format           *host.ServerFormat
}

// places are the files of the project, or the user's own, which a variable may have moved.
func (c *Connection) places(ctx context.Context, o catalog.Options, files []host.Config) ([]place, error) {
	var list []place
	if c.Scope == "project" {
		o.ProjectOnly, o.As = true, ""
		cat, err := catalog.Open(ctx, o)
		if err != nil {
			return nil, err
		}
		defer cat.Close()
		if cat.Quick.Project == nil {
			return nil, errors.New("vade: there is no project here")
		}
		for _, f := range files {
			list = append(list, place{cat.Quick.Project.Dir(), f.Path, f.Path, f.Words})
		}
		return list, nil
	}
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	env, err := catalog.Environment(o)
	if err != nil {
		return nil, err
	}
	if env.Home == "" {
		return nil, errors.New("vade: there is no home directory")
	}
	for _, f := range files {
		at := place{env.Home, f.Path, "~/" + f.Path, f.Words}
		if f.Env != "" && vfs.IsAbs(o.Getenv(f.Env)) {
			at.dir, at.file = o.Getenv(f.Env), f.Moved()
			at.shown = path.Join(at.dir, at.file)
		}
		list = append(list, at)
	}
	return list, nil
}

// load reads the file, if it is there.
func (c *Connection) load() error {
	tree, err := vfs.Open(c.dir, vfs.Options{})
	if err != nil {
		return fmt.Errorf("vade: %w", err)
	}
	defer tree.Close()
	data, err := tree.ReadFile(c.file, maxConnect)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c.before = nil
		return nil
	case err != nil:
		return fmt.Errorf("vade: %s: %w", c.Path, catalog.ReasonOf(err))
	}
	// An empty file is not nil, which is none.
	c.before = append([]byte{}, data...)
	return nil
}

// add decides what changes if the entry is wanted.
func (c *Connection) add(r Request) error {
	isOurs := c.found != nil && c.isOurs(*c.found, r)
	switch {
	case c.found != nil && !isOurs && !r.Force:
		return c.notOurs()
	case isOurs && r.Command == "" && !r.Force:
		r.Command = c.program(*c.found)
	}
	plain, err := c.entry(r)
	if err != nil {
		return err
	}
	wanted := plain
	edit := add
	switch {
	case c.before == nil:
		c.Action = "create"
	case c.found == nil:
		c.Action = "add"
	case r.Force:
		c.Action, c.Gone, edit = "update", c.othersKeys(r), update
	default:
		c.Action, edit = "update", update
		var gone []string
		if wanted, gone = c.merged(plain); len(gone) > 0 {
			return fmt.Errorf("vade: %s: %q: %w: %s", c.Path, c.Name, ErrOwnKeys, strings.Join(gone, ", "))
		}
	}
	c.Kept = c.otherKeys(wanted, plain)
	c.wanted = &wanted
	if c.found != nil && same(*c.found, wanted) {
		c.Action, c.Gone, c.after = "none", nil, c.before
		return nil
	}
	if c.after, err = edit(c.before, c.format, definition.Entry{Key: c.Name, Value: wanted}); err != nil {
		return c.notEdited(err)
	}
	return nil
}

func (c *Connection) notEdited(err error) error {
	at := c.Path
	if p, ok := errors.AsType[*placeError](err); ok && p.line > 0 {
		at = fmt.Sprintf("%s:%d:%d", c.Path, p.line, p.column)
	}
	return fmt.Errorf("vade: %s: %w: %w", at, ErrEdit, err)
}

// remove decides what changes if the entry is to go.
func (c *Connection) remove(r Request) error {
	if c.found == nil {
		c.Action, c.after = "none", c.before
		return nil
	}
	if !c.isOurs(*c.found, r) && !r.Force {
		return c.notOurs()
	}
	c.Gone = c.othersKeys(r)
	// Options of serve are listed, and are no reason to refuse.
	kept := slices.DeleteFunc(slices.Clone(c.Gone), func(key string) bool { return key == c.format.Args || key == "command" })
	if len(kept) > 0 && !r.Force {
		return fmt.Errorf("vade: %s: %q: %w: %s", c.Path, c.Name, ErrOwnKeys, strings.Join(kept, ", "))
	}
	after, err := remove(c.before, c.format, c.Name)
	if err != nil {
		return c.notEdited(err)
	}
	c.Action, c.after = "remove", after
	if after == nil {
		c.Action = "delete"
	}
	return nil
}

// removesComments reports whether more comment signs are removed than the values of the
// entry have.
func (c *Connection) removesComments() bool {
	signs := []string{"//", "/*"}
	if c.format.Syntax == definition.TOML {
		signs = []string{"#"}
	}
	removed := 0
	for _, sign := range signs {
		in := func(data []byte) int { return bytes.Count(data, []byte(sign)) }
		removed += in(c.before) - in(c.after)
		if c.found != nil {
			removed -= in(fresh(c.format, definition.Entry{Key: c.Name, Value: *c.found}, "\n"))
		}
		if c.wanted != nil {
			removed += in(fresh(c.format, definition.Entry{Key: c.Name, Value: *c.wanted}, "\n"))
		}
	}
	return removed > 0
}

// Diff is the change of the entry as a unified diff, with "…" for values that may be
// secret. Of the rest of the file, which does not change, nothing is shown.
func (c *Connection) Diff() string {
	return textdiff.Diff(strings.TrimPrefix(c.Path, "/"), c.shown(c.before, c.found), c.shown(c.after, c.wanted))
}

// shown is what the diff shows of a file: what it would be with the entry alone.
func (c *Connection) shown(data []byte, entry *definition.Value) string {
	if data == nil || entry == nil && c.format.Syntax == definition.TOML {
		return ""
	}
	e := definition.Entry{Key: c.Name}
	if entry != nil {
		e.Value = c.masked(*entry)
	}
	text := string(fresh(c.format, e, "\n"))
	if c.format.Syntax == definition.TOML {
		return text
	}
	if entry == nil {
		lines := strings.SplitAfter(text, "\n")
		text = strings.Join(slices.Delete(lines, 2, len(lines)-2), "")
	}
	return text + "\n"
}

// Write puts the changed file in the place of the old one, in one step, or makes or
// removes it. It fails, and changes nothing, where a link stands in the path, the file
// has a second hard link, or holds something else than it did before.
func (c *Connection) Write() error {
	if c.Action == "none" {
		return nil
	}
	tree, err := vfs.Open(c.dir, vfs.Options{})
	if err != nil {
		return fmt.Errorf("vade: %w", err)
	}
	defer tree.Close()
	w, err := tree.Writer(vfs.WriterOptions{})
	if err != nil {
		return fmt.Errorf("vade: %w", err)
	}
	defer w.Close()
	switch c.Action {
	case "create":
		if _, err = w.MkdirParents(c.file); err == nil {
			err = w.Create(c.file, c.after, false)
		}
	case "delete":
		err = w.Remove(c.file, c.before)
		if dir := path.Dir(c.file); err == nil && dir != "." && c.Scope == "project" {
			// It fails if something is in it, which is right.
			_ = w.RemoveDir(dir)
		}
	default:
		err = tree.Replace(c.file, c.before, c.after)
	}
	if err != nil {
		return fmt.Errorf("vade: %s is not written: %w", c.Path, catalog.ReasonOf(err))
	}
	return nil
}
