// Package connect adds Vade's MCP server to a host's configuration file and removes it again. The
// rest of the file is unchanged.
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

// Errors returned by [Run]. ErrNotOurs is returned if Vade did not create the existing entry with
// this name, ErrEdit if the file cannot be edited, ErrOwnKeys if the change would remove keys that
// the user added, ErrURL if the server URL is invalid, and ErrName if some hosts do not accept the
// name.
var (
	ErrNotOurs = errors.New("an entry with this name exists but was not created by Vade")
	ErrEdit    = errors.New("the file cannot be edited")
	ErrOwnKeys = errors.New("the change would remove what you added to the entry")
	ErrURL     = errors.New("not a server URL of the form http://HOST:PORT")
	ErrName    = errors.New("not a valid server name")
)

// TokenVariable is the environment variable that holds the bearer token for an HTTP server.
const TokenVariable = "VADE_SERVE_TOKEN"

// Request describes the entry to add or remove.
type Request struct {
	// Host is one of [registry.Connectable].
	Host string
	// If User is set, the user's file for all projects is edited instead of the project's file.
	User bool
	// Name is the entry's name. "" means "vade".
	Name string
	// Command is the program that the host starts with the argument serve. It defaults to the
	// program in Vade's existing entry. If there is none, the default is "vade", which the host
	// looks up in PATH.
	Command string
	// Program is the absolute path of the running Vade executable. An entry
	// belongs to Vade if it starts this program, "vade" or Command.
	Program string
	// URL is the URL of a running server to connect to. If it is empty, the host starts the server.
	// The default path is /mcp. NoAuth is set if the server does not need a token; otherwise, the
	// entry refers to [TokenVariable].
	URL    string
	NoAuth bool
	// If Remove is set, the entry is removed. To remove an entry written with NoAuth, URL must also
	// be set.
	Remove bool
	// If Force is set, an entry is replaced or removed even if Vade did not create it or the user
	// added keys to it.
	Force bool
}

// Connection is a change to a host's file. Its JSON encoding is stable.
type Connection struct {
	Host    string `json:"host"`
	Version string `json:"version"`
	// Scope is "project" or "user". Path is the file's path, relative to the
	// project root or starting with ~ for the home directory.
	Scope string `json:"scope"`
	Path  string `json:"path"`
	Name  string `json:"name"`
	// Action is "create" (a new file), "add", "update", "remove", "delete" (a
	// file without other content) or "none".
	Action string `json:"action"`
	// Gone lists the keys that the user added and that are removed with the entry. It includes
	// "comments" if the entry contains comments.
	Gone []string `json:"gone,omitempty"`
	// Kept lists the keys that the user added to the entry and that are kept, such as "disabled" or
	// "env.PATH". They may affect what the host starts.
	Kept []string `json:"kept,omitempty"`
	// Next tells the user what to do next in the host.
	Next string `json:"next,omitempty"`

	request       Request
	dir, file     string
	before, after []byte
	format        *host.ServerFormat
	// found is the file's entry before the change, and wanted is the entry after it. Each is nil if
	// there is no entry.
	found, wanted *definition.Value
}

// maxConnect is the maximum size of an edited file, in bytes.
const maxConnect = 32 << 20

// Run plans the change to a host's file that adds or removes Vade's MCP server. It does not write
// the file; see [Connection.Write]. If the host cannot be connected, the error wraps
// [export.ErrNoHost] or [export.ErrNoFiles]. It can also wrap one of this package's errors.
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

// choose finds and reads the file to edit. It uses the first candidate that exists or, if there is
// none, the first candidate. An environment variable may relocate the user's file.
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
			return catalog.ErrNoHome
		}
		tree, err := vfs.Open(c.dir, vfs.Options{})
		if err != nil {
			return fmt.Errorf("vade: %w", err)
		}
		data, err := tree.ReadFile(c.file, maxConnect)
		tree.Close()
		if err == nil {
			// A nil slice means a missing file.
			c.before = append([]byte{}, data...)
			return nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("vade: %s: %w", c.Path, catalog.Cause(err))
		}
	}
	return nil
}

// add plans to add or update the entry.
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

// remove plans to remove the entry.
func (c *Connection) remove(x *file) (*file, error) {
	if c.found == nil {
		c.Action = "none"
		return x, nil
	}
	if !c.isOurs() && !c.request.Force {
		return nil, c.notOurs()
	}
	c.Gone = c.othersKeys()
	// Report the options after "serve", but do not let them prevent the removal.
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

// notOurs returns the error for an entry that Vade did not create. If the entry starts a program
// with Vade's arguments, the error names the program, because it may be another copy of Vade.
func (c *Connection) notOurs() error {
	if program := c.program(); program != "" {
		return fmt.Errorf("vade: %s: %q: %w: it starts %q", c.Path, c.Name, ErrNotOurs, shownProgram(program))
	}
	return fmt.Errorf("vade: %s: %q: %w", c.Path, c.Name, ErrNotOurs)
}

// Diff returns the change to the entry as a unified diff, with possible secrets replaced by "…".
// The rest of the file does not change and is not shown.
func (c *Connection) Diff() string {
	return textdiff.Diff(strings.TrimPrefix(c.Path, "/"), c.shown(c.found), c.shown(c.wanted))
}

// shown returns the text of a file that contains only the given entry.
func (c *Connection) shown(entry *definition.Value) string {
	if entry == nil {
		return ""
	}
	return string(fresh(c.format, definition.Entry{Key: c.Name, Value: c.masked(*entry)}, "\n"))
}

// Write atomically replaces, creates or removes the file. It fails without changing anything if the
// path contains a symlink, the file has more than one hard link, or the file has changed since it
// was read.
func (c *Connection) Write() error {
	if c.Action == "none" {
		return nil
	}
	return catalog.ChangeFile(c.dir, c.file, c.Path, c.before, c.after, c.Scope == "project")
}
