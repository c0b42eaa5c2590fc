package connect

import (
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
	"github.com/vadehq/vade/internal/materialize"
	"github.com/vadehq/vade/internal/vfs"
)

// ErrNotOurs is the error of [Run] where an entry of the name starts or asks
// something else than Vade.
var ErrNotOurs = errors.New("an entry of this name is there, and is not Vade's")

// ErrEdit is the error of [Run] for a file that can not be edited without a
// change of what else is in it.
var ErrEdit = errors.New("the file can not be edited")

// ErrOwnKeys is the error of [Run] for an entry of Vade's with keys that somebody
// has added, which would go with the change.
var ErrOwnKeys = errors.New("the entry has keys of yours that would go")

// ErrURL is the error of [Run] for an address that is none of a server.
var ErrURL = errors.New("no address of a server")

// ErrName is the error of [Run] for a name that not all hosts take.
var ErrName = errors.New("no name of a server that hosts take")

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
	// Gone are the keys that somebody has added to the entry and that go with it.
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
	// shown are the entries whose lines may be shown in full.
	shown []definition.Value
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
	cfg, err := c.read(ctx, o, files)
	if err != nil {
		return nil, err
	}
	f := cfg.Words
	c.format = f
	found, has, err := Find(c.before, f, c.Name)
	if err != nil {
		return nil, c.notEdited(err)
	}
	c.shown = append(c.shown, plainOf(found, f))
	if r.Remove {
		return c, c.remove(r, f, found, has)
	}
	c.Next = nextOf(p, r)
	return c, c.add(r, f, found, has)
}

// connectPlace is a file that may be the one that is edited.
type connectPlace struct {
	dir, file, shown string
	config           host.Config
}

// read finds the file that is meant and reads it: the first that is there, or the
// first.
func (c *Connection) read(ctx context.Context, o catalog.Options, files []host.Config) (host.Config, error) {
	places := projectPlaces
	if c.Scope == "user" {
		places = userPlaces
	}
	list, err := places(ctx, o, files)
	if err != nil {
		return host.Config{}, err
	}
	for _, at := range append(list, list[0]) {
		c.dir, c.file, c.Path = at.dir, at.file, at.shown
		if err := c.load(); err != nil || c.before != nil {
			return at.config, err
		}
	}
	return list[0].config, nil
}

func projectPlaces(ctx context.Context, o catalog.Options, files []host.Config) ([]connectPlace, error) {
	o.ProjectOnly, o.As = true, ""
	cat, err := materialize.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	defer cat.Close()
	if cat.Quick.Project == nil {
		return nil, errors.New("vade: there is no project here")
	}
	var list []connectPlace
	for _, f := range files {
		list = append(list, connectPlace{cat.Quick.Project.Dir(), f.Path, f.Path, f})
	}
	return list, nil
}

// userPlaces are the user's own files, which a variable may have moved.
func userPlaces(_ context.Context, o catalog.Options, files []host.Config) ([]connectPlace, error) {
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
	var list []connectPlace
	for _, f := range files {
		at := connectPlace{env.Home, f.Path, "~/" + f.Path, f}
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

// add decides what is done where the entry is wanted.
func (c *Connection) add(r Request, f *host.ServerFormat, found definition.Value, has bool) error {
	wanted, err := c.entry(r, f)
	if err != nil {
		return err
	}
	c.Action, c.after = "add", c.before
	c.shown = append(c.shown, wanted)
	plain := wanted
	edit := Add
	switch {
	case c.before == nil:
		c.Action = "create"
	case !has:
	case !c.isOurs(found, r, f) && !r.Force:
		return c.notOurs(found, f)
	case r.Force:
		c.Action, c.Gone, edit = "update", c.othersKeys(found, r, f), Update
	default:
		var gone []string
		if wanted, gone, err = c.merged(r, f, found, wanted); err != nil {
			return err
		}
		if len(gone) > 0 {
			return fmt.Errorf("vade: %s: %q: %w: %s", c.Path, c.Name, ErrOwnKeys, strings.Join(gone, ", "))
		}
		c.Action, edit = "update", Update
	}
	c.Kept = keptKeys(wanted, plain)
	if has && Same(found, wanted) {
		c.Action, c.Gone = "none", nil
		return nil
	}
	if c.after, err = edit(c.before, f, Entry{Name: c.Name, Value: wanted}); err != nil {
		return c.notEdited(err)
	}
	return nil
}

func (c *Connection) notEdited(err error) error {
	at := c.Path
	if p, ok := errors.AsType[*PlaceError](err); ok && p.Line > 0 {
		at = fmt.Sprintf("%s:%d:%d", c.Path, p.Line, p.Column)
	}
	return fmt.Errorf("vade: %s: %w: %w", at, ErrEdit, err)
}

// remove decides what is done where the entry is to go.
func (c *Connection) remove(r Request, f *host.ServerFormat, found definition.Value, has bool) error {
	c.Action, c.after = "none", c.before
	if !has {
		return nil
	}
	if !c.isOurs(found, r, f) && !r.Force {
		return c.notOurs(found, f)
	}
	c.Gone = c.othersKeys(found, r, f)
	// Options behind serve are said to go, and are no reason to refuse.
	kept := slices.DeleteFunc(slices.Clone(c.Gone), func(key string) bool { return key == f.Args || key == "command" })
	if len(kept) > 0 && !r.Force {
		return fmt.Errorf("vade: %s: %q: %w: %s", c.Path, c.Name, ErrOwnKeys, strings.Join(kept, ", "))
	}
	after, _, err := Remove(c.before, f, c.Name)
	if err != nil {
		return c.notEdited(err)
	}
	c.Action, c.after = "remove", after
	if after == nil {
		c.Action = "delete"
	}
	return nil
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
		err = c.create(w)
	case "delete":
		err = c.take(w)
	default:
		err = tree.Replace(c.file, c.before, c.after)
	}
	if err != nil {
		return fmt.Errorf("vade: %s is not written: %w", c.Path, catalog.ReasonOf(err))
	}
	return nil
}

// create makes the file and the directories that it needs.
func (c *Connection) create(w *vfs.Writer) error {
	for i := range len(c.file) {
		if c.file[i] != '/' {
			continue
		}
		if err := w.Mkdir(c.file[:i]); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return w.Create(c.file, c.after, false)
}

// take removes the file, and in a project its directory if nothing else is in it.
func (c *Connection) take(w *vfs.Writer) error {
	if err := w.Remove(c.file, c.before); err != nil {
		return err
	}
	if dir := path.Dir(c.file); dir != "." && c.Scope == "project" {
		// It fails where something is in it, which is as it should be.
		_ = w.RemoveDir(dir)
	}
	return nil
}
