// Package catalog implements Vade's engine. It opens a directory's catalog in one view, lists and
// finds definitions, loads and renders them, and audits them before rendering. Features are
// separate packages that use a [Catalog].
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
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/bundled"
	"github.com/vadehq/vade/internal/discover"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/parse"
	"github.com/vadehq/vade/internal/resolve"
	"github.com/vadehq/vade/internal/version"
	"github.com/vadehq/vade/internal/vfs"
)

// Hosts returns the values that [Options.As] accepts: host names, and NAME@VERSION for hosts with
// more than one known version.
func Hosts() []string { return append(registry.Names(), registry.Versions()...) }

// LayerFS is a file system that replaces a layer's directories.
type LayerFS struct {
	// Layer is Managed, Project or User.
	Layer definition.Layer
	// Name is the prefix of displayed paths. It must be set and unique among layers. Project
	// paths are displayed without it.
	Name string
	FS   fs.FS
}

// Options configures [Open]. The zero value opens the current directory in the neutral view, with
// the user's layers.
type Options struct {
	// Dir is the working directory. "" means the process's working directory.
	Dir string
	// As is the host whose view is used, optionally with a version
	// ("claude-code@2.1.88"). "" means the neutral view.
	As string
	// If Confined is set, symlinks that point outside the project and the home directory are not
	// followed. The neutral view never follows them, but by default a host's view follows them into
	// approved directories. Confined is intended for servers.
	Confined bool
	// If Nested is set, all directories below the project root are also searched.
	Nested bool
	// If Unread is set, files that look like definitions but are not read in this view are also
	// recorded, which requires a deeper walk.
	Unread bool
	// Home is the user's home directory. "" means the current user's.
	Home string
	// ManagedDir replaces the operating system's managed directories. "" means
	// VADE_MANAGED_DIR if set.
	ManagedDir string
	// Order, if not nil, sorts the entries of a directory that a host reads in file system order.
	// dir is the absolute path of the directory.
	Order func(dir string, entries []vfs.Entry)
	// PluginDirs lists plugin directories that are treated as installed.
	PluginDirs []string
	// Layers lists file systems that replace the directories of certain layers. If Isolated is set,
	// only these file systems and the bundled layer are read.
	Layers   []LayerFS
	Isolated bool
	// MaxSkills and MaxSkillBytes limit the skills in one request. The defaults are 3 skills and 25
	// KiB in total.
	MaxSkills     int
	MaxSkillBytes int64
	// Shell configures shell commands in bodies.
	Shell ShellOptions
	// Session is the session ID for variables in bodies. If it is "", the neutral view leaves such
	// variables unchanged, and a host's view derives an ID from the working directory.
	Session string
	// Client holds the command-line options of the host's program. It applies to host views only.
	Client ClientOptions
	// If Remote is set, the MCP servers in the user's servers.yaml are a layer in the neutral view,
	// and listing starts or connects to these servers. Otherwise, Vade contacts no servers.
	Remote bool
	// Prompts lists the servers whose prompts are available as commands.
	Prompts []PromptServer
	// Companions writes the companion files of bundled skills. If it is nil, the catalog creates
	// its own and removes the files on Close. A process with multiple catalogs should share one
	// Companions among them and close it last.
	Companions *Companions
	// NoCompanions disables companion files. Instead, a skill's text names the command that prints
	// them. Set it if the process exits before the text is read.
	NoCompanions bool
	// Getenv reads environment variables. nil means os.Getenv.
	Getenv func(string) string
	// Now returns the time for timestamps in results. nil means time.Now.
	Now func() time.Time
	// If Unaudited is set, definitions are rendered regardless of audit findings, for people who
	// inspect text before a model receives it.
	Unaudited bool
	// If ProjectOnly is set, the user layer is omitted. It is used to check a project.
	ProjectOnly bool
	// Sources, if not nil, restricts the view to these project paths, excluding
	// the files that vade sync wrote there.
	Sources []string
	// BeforeWrite is called before each file system change; see [vfs.WriterOptions].
	BeforeWrite func(change, name string) error
	// Edited maps absolute paths of settings files to text that is read in place of the file on
	// disk. A nil value means that the file does not exist.
	Edited map[string][]byte
	// Bundled replaces the definitions that come with Vade.
	Bundled fs.FS
}

// Default limits for one skill request.
const (
	maxSkills     = 3
	maxSkillBytes = 25 << 10
)

// Open prepares the catalog for a working directory. It locates the roots but does not read
// definitions: [Catalog.List] reads the beginning of every file, and [Catalog.Load] reads only what
// it needs. Open fails if the directory cannot be read or the host is unknown. The caller must
// close the returned catalog.
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
	c.Env.Hidden = c.Hidden
	if o.As != host.NeutralName && !o.Confined {
		c.Env.Roots = c.approvedRoots
	}
	// Most requests do not involve plugins, so plugin manifests are not read yet.
	quick := c.Env
	quick.NoPlugins = true
	if c.Quick, err = discover.Begin(ctx, quick, profile); err != nil {
		return nil, fmt.Errorf("vade: cannot open the directory: %w", err)
	}
	c.Quick.Adapt(parse.TOML)
	c.addConfiguredSources()
	if err := c.Quick.AddPlaces(ctx); err != nil {
		c.Quick.Close()
		return nil, fmt.Errorf("vade: cannot open the directory: %w", err)
	}
	return c, nil
}

// Environment converts options to a discovery environment.
func Environment(o Options) (discover.Environment, error) {
	env := discover.Environment{
		GOOS: runtime.GOOS, Getenv: o.Getenv, Nested: o.Nested, Account: o.Unread, Only: o.Isolated,
		Bundled: bundled.FS(), Managed: o.ManagedDir, Order: o.Order, Edited: o.Edited,
	}
	if o.Bundled != nil {
		env.Bundled = o.Bundled
	}
	for _, l := range o.Layers {
		if l.FS == nil || l.Name == "" {
			return env, fmt.Errorf("vade: a layer must have a file system and a name")
		}
		if l.Layer != definition.Managed && l.Layer != definition.Project && l.Layer != definition.User {
			return env, fmt.Errorf("vade: only the managed, project and user layers can be replaced by a file system")
		}
		env.Layers = append(env.Layers, discover.LayerFS{Layer: l.Layer, Name: l.Name, FS: l.FS})
	}
	if o.Isolated {
		return env, nil
	}
	if env.Managed == "" {
		env.Managed = o.Getenv("VADE_MANAGED_DIR")
	}
	for _, dir := range []struct {
		from string
		to   *string
	}{{o.Dir, &env.WorkDir}, {o.UserHome(), &env.Home}, {env.Managed, &env.Managed}} {
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

// UserHome returns the home directory whose definitions the catalog reads, or
// "" if it reads none. There is no user layer if the home directory is unknown.
// A relative path is ignored, because it would be inside the project.
func (o *Options) UserHome() string {
	if o.Isolated || o.ProjectOnly {
		return ""
	}
	if o.Home != "" {
		return o.Home
	}
	if home, _ := os.UserHomeDir(); filepath.IsAbs(home) {
		return home
	}
	return ""
}

// versionDiagnostics returns a diagnostic if the view models a different version than the one
// requested.
func (c *Catalog) versionDiagnostics() []diag.Diagnostic {
	p := c.Profile
	if p.Asked == "" {
		return nil
	}
	return []diag.Diagnostic{diag.For(p.Name+"@"+p.Asked, diag.HostVersion, "unknown version; Vade uses the nearest known version, %s", p.Version).
		WithFix("use %s@%s", p.Name, p.Version)}
}

// UnknownHost returns the error for an unknown host name or host version.
func UnknownHost(name string, names []string) error {
	if bare, _, pinned := strings.Cut(name, "@"); pinned && slices.Contains(names, bare) {
		return fmt.Errorf("vade: unknown version %q; known versions of %s: %s", name, bare, JoinAnd(registry.VersionsOf(bare)))
	}
	return fmt.Errorf("vade: unknown host %q; %s", name, DidYouMean(name, names, "use one of: "+strings.Join(names, ", ")))
}

// DidYouMean returns a hint that suggests the names most similar to name. If none is similar, it
// returns fallback.
func DidYouMean(name string, names []string, fallback string) string {
	if near := resolve.Nearest(name, names); len(near) > 0 {
		return "did you mean " + JoinOr(near) + "?"
	}
	return fallback
}

// JoinOr joins names with commas and a final "or".
func JoinOr(list []string) string { return joinList(list, "or") }

// JoinAnd joins names with commas and a final "and".
func JoinAnd(list []string) string { return joinList(list, "and") }

func joinList(list []string, word string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " " + word + " " + list[last]
}
