// Package catalog is the engine: it opens the catalog of a directory for one view, lists
// and finds definitions, loads and renders them, and audits what is about to be rendered.
// Features are packages on top of it that take a [Catalog].
package catalog

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/bundled"
	"github.com/vadehq/vade/internal/discover"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/parse"
	"github.com/vadehq/vade/internal/version"
	"github.com/vadehq/vade/internal/vfs"
)

// Hosts returns the names that [Options.As] takes: those of the hosts, and those
// with a version where more than one was observed.
func Hosts() []string { return append(registry.Names(), registry.Versions()...) }

// LayerFS is a file system that takes the place of a layer's directories.
type LayerFS struct {
	// Layer is Managed, Project or User.
	Layer definition.Layer
	// Name is what paths begin with where they are shown. It has to be set and
	// to differ between layers; paths of the project are shown without it.
	Name string
	FS   fs.FS
}

// Options say what to open. The zero value is the current directory, with the
// user's own layers, in the neutral view.
type Options struct {
	// Dir is the working directory; "" is the process's.
	Dir string
	// As is the name of the host whose view is taken, which may have a version
	// ("claude-code@2.1.88"); "" is the neutral view.
	As string
	// Nested also looks for the project's definitions in all directories below
	// its top.
	Nested bool
	// Unread also accounts for files that look like definitions and that the
	// view does not read. It costs a deeper walk.
	Unread bool
	// Home is the user's home directory; "" is the process's user's.
	Home string
	// ManagedDir replaces the managed directories of the operating system; ""
	// takes VADE_MANAGED_DIR, and then the system's.
	ManagedDir string
	// PluginDirs are directories of plugins to use as if they were installed.
	PluginDirs []string
	// Layers take the place of directories. With Isolated, nothing but them and
	// the bundled layer is looked at.
	Layers   []LayerFS
	Isolated bool
	// MaxSkills and MaxSkillBytes bound what one request loads; the defaults
	// are 3 skills and 25 KiB together.
	MaxSkills     int
	MaxSkillBytes int64
	// Shell says what becomes of shell commands in bodies.
	Shell ShellOptions
	// Client says how the host's own program runs, for the view of a host.
	Client ClientOptions
	// Remote: what the MCP servers of the user's servers.yaml offer is a layer of the
	// neutral view. Listing then starts and connects to these servers; without it no
	// server is ever asked.
	Remote bool
	// Prompts are the servers whose prompts are commands.
	Prompts []PromptServer
	// Companions puts the files beside the skills that come with Vade where those can
	// read them who read the text. Nil is one of the catalog's own, which ends with it;
	// a process with several catalogs gives all of them one and closes it last.
	Companions *Companions
	// NoCompanions writes no such files: the text says instead which command prints
	// them. It is for a process that ends before anybody reads the text.
	NoCompanions bool
	// Getenv reads environment variables; nil is os.Getenv.
	Getenv func(string) string
	// Now is the clock of the timestamps in results; nil is time.Now.
	Now func() time.Time
	// Unaudited renders definitions whatever the audit says of them. It is for people who
	// look at a text before a model gets it.
	Unaudited bool
	// ProjectOnly leaves out the user's own layer, which checking a project is
	// not about.
	ProjectOnly bool
	// Sources, if not nil, limit the view to these places of the project, without what
	// vade sync wrote there.
	Sources []string
	// BeforeWrite is told of each change of the file system; see [vfs.WriterOptions].
	BeforeWrite func(change, name string) error
	// Bundled takes the place of the definitions that come with Vade.
	Bundled fs.FS
}

// The limits of one request to load skills.
const (
	maxSkills     = 3
	maxSkillBytes = 25 << 10
)

// Open prepares the catalog of a working directory. It finds out where to look
// and reads no definition yet: [Catalog.List] reads all heads, [Catalog.Load]
// only what it needs. It fails where the working directory can not be read or
// the host is not known. The catalog has to be closed.
func Open(ctx context.Context, o Options) (*Catalog, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if o.As == "" {
		o.As = host.NeutralName
	}
	profile, ok := registry.Lookup(o.As)
	if !ok {
		return nil, UnknownHost(o.As, Hosts())
	}
	if o.Sources != nil {
		profile.Narrow(o.Sources, o.As == host.NeutralName)
	}
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.MaxSkills <= 0 {
		o.MaxSkills = maxSkills
	}
	if o.MaxSkillBytes <= 0 {
		o.MaxSkillBytes = maxSkillBytes
	}
	env, err := Environment(o)
	if err != nil {
		return nil, err
	}
	if err := o.applyClientOptions(profile, &env); err != nil {
		return nil, err
	}
	c := &Catalog{Options: o, Profile: profile, Env: env, Parser: parse.Parser(profile, version.Number), companions: o.Companions}
	if c.companions == nil {
		c.companions, c.ownCompanions = &Companions{}, true
	}
	// Most requests are for something that is in no plugin, and then the
	// manifests of plugins need not be read.
	c.Env.Hidden = c.Hidden
	quick := c.Env
	quick.NoPlugins = true
	if c.Quick, err = discover.Begin(ctx, quick, profile); err != nil {
		return nil, fmt.Errorf("vade: the directory can not be opened: %w", err)
	}
	c.Quick.Adapt(parse.TOML)
	c.addConfiguredSources()
	if err := c.Quick.LayOut(ctx); err != nil {
		c.Quick.Close()
		return nil, fmt.Errorf("vade: the directory can not be opened: %w", err)
	}
	return c, nil
}

func Environment(o Options) (discover.Environment, error) {
	env := discover.Environment{
		GOOS: runtime.GOOS, Getenv: o.Getenv, Nested: o.Nested, Account: o.Unread, Only: o.Isolated,
		Bundled: bundled.FS(), Managed: o.ManagedDir,
	}
	if o.Bundled != nil {
		env.Bundled = o.Bundled
	}
	for _, l := range o.Layers {
		if l.FS == nil || l.Name == "" {
			return env, fmt.Errorf("vade: a layer needs a file system and a name")
		}
		if l.Layer != definition.Managed && l.Layer != definition.Project && l.Layer != definition.User {
			return env, fmt.Errorf("vade: a file system can take the place of the managed, project or user layer only")
		}
		env.Layers = append(env.Layers, discover.LayerFS{Layer: l.Layer, Name: l.Name, FS: l.FS})
	}
	if o.Isolated {
		return env, nil
	}
	if env.Managed == "" {
		env.Managed = o.Getenv("VADE_MANAGED_DIR")
	}
	home := o.Home
	if home == "" {
		// Without a home directory there is no user layer; that is no error. A
		// relative one would be a place of the project.
		if home, _ = os.UserHomeDir(); !filepath.IsAbs(home) {
			home = ""
		}
	}
	if o.ProjectOnly {
		home = ""
	}
	for _, dir := range []struct {
		from string
		to   *string
	}{{o.Dir, &env.WorkDir}, {home, &env.Home}, {env.Managed, &env.Managed}} {
		if dir.from == "" && dir.to != &env.WorkDir {
			continue
		}
		abs, err := vfs.Absolute(dir.from)
		if err != nil {
			return env, fmt.Errorf("vade: %w", err)
		}
		*dir.to = abs
	}
	for _, dir := range o.PluginDirs {
		abs, err := vfs.Absolute(dir)
		if err != nil {
			return env, fmt.Errorf("vade: %w", err)
		}
		env.PluginDirs = append(env.PluginDirs, abs)
	}
	return env, nil
}

// NoHost is the error for a name that no host has, or not in that version.
func UnknownHost(name string, names []string) error {
	if bare, _, pinned := strings.Cut(name, "@"); pinned && slices.Contains(names, bare) {
		return fmt.Errorf("vade: %s is known in %s only", bare, JoinAnd(registry.VersionsOf(bare)))
	}
	return fmt.Errorf("vade: no host is named %q; there are: %s", name, strings.Join(names, ", "))
}

func JoinOr(list []string) string { return joinList(list, "or") }

func JoinAnd(list []string) string { return joinList(list, "and") }

func joinList(list []string, word string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " " + word + " " + list[last]
}
