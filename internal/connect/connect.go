// Package connect adds Vade's MCP server to a host's file of MCP servers and removes it
// again. Every other byte of the file stays.
package connect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
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
	ErrURL     = errors.New("the URL of a server has the form http://HOST:PORT")
	ErrName    = errors.New("no name of a server that hosts take")
)

// TokenVariable is the environment variable that a host is told to take the bearer
// token from, for a server that is reached over HTTP.
const TokenVariable = "VADE_SERVE_TOKEN"

// Request says which host is told of Vade's MCP server, and how it reaches it.
type Request struct {
	// Host is the name of the host; see [registry.Connectable].
	Host string
	// User writes the user's file for all projects, not the project's.
	User bool
	// Name is the name of the entry; "" is "vade".
	Name string
	// Command is the program that the host starts with the word serve; "" is the one in
	// Vade's entry, or else "vade", which the host looks for in its PATH.
	Command string
	// Program is the absolute path of the Vade that is running. Entries that start it,
	// "vade" or Command are Vade's.
	Program string
	// URL is the address of a server that runs already, instead of a command; without a
	// path it gets /mcp. NoAuth: it asks for no bearer token; otherwise the entry refers
	// to [TokenVariable].
	URL    string
	NoAuth bool
	// Remove takes the entry out. One that was written with NoAuth needs its URL.
	Remove bool
	// Force replaces or removes an entry that is not Vade's, or has keys of others.
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
	// and "comments" for comments in it.
	Gone []string `json:"gone,omitempty"`
	// Kept are the keys of the entry that Vade has not written and that stay, such as
	// "disabled" or "env.PATH". They may change what the host starts.
	Kept []string `json:"kept,omitempty"`
	// Next is what has to be done in the host, in words for people.
	Next string `json:"next,omitempty"`

	request       Request
	dir, file     string
	before, after []byte
	format        *host.ServerFormat
	// found and wanted are the entry before and after, nil for none.
	found, wanted *definition.Value
}

// maxConnect is the longest file, in bytes, that is edited.
const maxConnect = 32 << 20

// Run says what has to change in a host's file so that it uses Vade's MCP server, or no
// longer does. Nothing is written; see [Connection.Write]. The error is [export.ErrNoHost]
// or [export.ErrNoFiles] for a host that cannot be connected, or one of this package.
func Run(ctx context.Context, o catalog.Options, r Request) (*Connection, error) {
	p, ok := registry.Lookup(r.Host)
	if !ok {
		return nil, fmt.Errorf("vade: %s: %w", r.Host, export.ErrNoHost)
	}
	c := &Connection{Host: p.Name, Version: p.Version, Scope: "project", Name: cmp.Or(r.Name, "vade"), request: r}
	layer := definition.Project
	if r.User {
		c.Scope, layer = "user", definition.User
	}
	files := p.ConnectFiles(layer, runtime.GOOS)
	if len(files) == 0 {
		return nil, fmt.Errorf("vade: %s: MCP servers: %w", p.Name, export.ErrNoFiles)
	}
	if err := c.choose(ctx, o, files); err != nil {
		return nil, err
	}
	x, err := read(c.before, c.format, c.Name)
	if err != nil {
		return nil, c.notEdited(err)
	}
	if x.entry.Key != "" {
		c.found = &x.entry.Value
	}
	edit := c.remove
	if !r.Remove {
		c.Next, edit = nextOf(p, r), c.add
	}
	y, err := edit(x)
	if err != nil {
		return nil, err
	}
	if c.after = y.data; x.comments() > y.comments() {
		c.Gone = append(c.Gone, "comments")
		if !r.Force {
			return nil, c.ownKeys(c.Gone)
		}
	}
	return c, nil
}

// choose finds and reads the file that is edited: the first that exists, or else the
// first, which is created. A variable may have moved a user's file.
func (c *Connection) choose(ctx context.Context, o catalog.Options, files []host.Config) error {
	o.As, o.ProjectOnly = "", !c.request.User
	cat, err := catalog.Open(ctx, o)
	if err != nil {
		return err
	}
	defer cat.Close()
	for _, f := range append(files, files[0]) {
		c.dir, c.file, c.Path, c.format = cat.Quick.Project.Dir(), f.Path, f.Path, f.Words
		if c.request.User {
			c.dir, c.Path = cat.Env.Home, "~/"+f.Path
			if dir := cat.Env.Getenv(f.Env); f.Env != "" && vfs.IsAbs(dir) {
				c.dir, c.file, c.Path = dir, f.Moved(), path.Join(dir, f.Moved())
			}
		}
		if c.dir == "" {
			return errors.New("vade: there is no home directory")
		}
		tree, err := vfs.Open(c.dir, vfs.Options{})
		if err != nil {
			return fmt.Errorf("vade: %w", err)
		}
		data, err := tree.ReadFile(c.file, maxConnect)
		tree.Close()
		if err == nil {
			// An empty file is not nil, which is none.
			c.before = append([]byte{}, data...)
			return nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("vade: %s: %w", c.Path, catalog.Cause(err))
		}
	}
	return nil
}

// add decides what changes if the entry is wanted.
func (c *Connection) add(x *file) (*file, error) {
	r := c.request
	isOurs := c.isOurs()
	if isOurs {
		r.Command = cmp.Or(r.Command, c.program())
	}
	wanted, err := c.entry(r)
	if err != nil {
		return nil, err
	}
	edit := x.update
	switch {
	case c.before == nil:
		c.Action, edit = "create", x.add
	case c.found == nil:
		c.Action, edit = "add", x.add
	case !isOurs && !r.Force:
		return nil, c.notOurs()
	case !r.Force && same(c.written(), wanted), same(*c.found, wanted):
		c.Action, c.Kept, c.wanted = "none", c.othersKeys(), c.found
		return x, nil
	default:
		c.Action, c.Gone = "update", c.othersKeys()
		if len(c.Gone) > 0 && !r.Force {
			return nil, c.ownKeys(c.Gone)
		}
	}
	c.wanted = &wanted
	y, err := edit(wanted)
	return y, c.notEdited(err)
}

// remove decides what changes if the entry is to go.
func (c *Connection) remove(x *file) (*file, error) {
	if c.found == nil {
		c.Action = "none"
		return x, nil
	}
	if !c.isOurs() && !c.request.Force {
		return nil, c.notOurs()
	}
	c.Gone = c.othersKeys()
	// Options of serve are listed, and are no reason to refuse.
	isOption := func(key string) bool { return key == c.format.Args || key == "command" }
	keys := slices.DeleteFunc(slices.Clone(c.Gone), isOption)
	if len(keys) > 0 && !c.request.Force {
		return nil, c.ownKeys(keys)
	}
	c.Action = "remove"
	y, err := x.remove()
	if err == nil && y.data == nil {
		c.Action = "delete"
	}
	return y, c.notEdited(err)
}

func (c *Connection) notEdited(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("vade: %s: %w: %w", c.Path, ErrEdit, err)
}

func (c *Connection) ownKeys(keys []string) error {
	return fmt.Errorf("vade: %s: %q: %w: %s", c.Path, c.Name, ErrOwnKeys, strings.Join(keys, ", "))
}

// notOurs is the error for an entry that is not Vade's. It names a program that is started
// as Vade is, which may be another Vade.
func (c *Connection) notOurs() error {
	if program := c.program(); program != "" {
		return fmt.Errorf("vade: %s: %q: %w: it starts %q", c.Path, c.Name, ErrNotOurs, shownProgram(program))
	}
	return fmt.Errorf("vade: %s: %q: %w", c.Path, c.Name, ErrNotOurs)
}

// Diff is the change of the entry as a unified diff, with "…" for values that may be
// secret. Of the rest of the file, which does not change, nothing is shown.
func (c *Connection) Diff() string {
	return textdiff.Diff(strings.TrimPrefix(c.Path, "/"), c.shown(c.found), c.shown(c.wanted))
}

// shown is a file that has only an entry.
func (c *Connection) shown(entry *definition.Value) string {
	if entry == nil {
		return ""
	}
	return string(fresh(c.format, definition.Entry{Key: c.Name, Value: c.masked(*entry)}, "\n"))
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
		return fmt.Errorf("vade: %s is not written: %w", c.Path, catalog.Cause(err))
	}
	return nil
}
