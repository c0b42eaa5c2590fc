// Package vade finds the definitions that coding agents load (skills, commands, agents and
// instructions), resolves which of them a host uses, and renders what the host sends to its model.
//
// [Open] opens the catalog for a directory. The methods of [Catalog] list and load definitions;
// [Check], [Audit], [Explain] and [Sync] work on a whole project, and [Serve] returns an MCP
// server.
//
// # What reading does
//
// Listing, checking, auditing and explaining do not start processes, open sockets or write files.
// They read files only in the locations that the view includes. They follow symlinks only inside
// the project or, for the user's own files, inside the home directory and the project, and they
// open only regular files. The exception is [Options.Remote], which starts or contacts the MCP
// servers that the user configured.
//
// # What loading does
//
// [Catalog.Load] and [Catalog.Render] also run the shell commands in a body that the user's policy
// allows. By default, these are read-only commands inside the project. They run in this process; a
// process such as git starts only if [ShellOptions.SandboxHelper] names a program that sandboxes
// it. Commands that are not allowed stay in the text and are reported. docs/security.md lists these
// guarantees along with their tests.
//
// # Views
//
// By default, the view is neutral: it includes everything that any host reads, and it repairs
// invalid files where possible and reports the repairs. If [Options.As] names a host, the view is
// what that host sees.
//
// # Compatibility
//
// JSON fields and diagnostic codes are stable: new ones may be added, but existing ones are never
// renamed or reused.
package vade

import (
	"cmp"
	"context"
	"encoding/json"
	"io/fs"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/audit/scan"
	"github.com/vadehq/vade/internal/bundled"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/check"
	"github.com/vadehq/vade/internal/explain"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/instructions"
	"github.com/vadehq/vade/internal/materialize"
	"github.com/vadehq/vade/internal/prompt"
	"github.com/vadehq/vade/internal/serve"
	"github.com/vadehq/vade/internal/servers"
)

// Options configures [Open]. The zero value opens the current directory in the neutral view,
// including the user's own layers.
type Options struct {
	// Dir is the working directory. It defaults to the process's working directory.
	Dir string
	// As is the host whose view is used, optionally with a version ("claude-code@2.1.88"). It
	// defaults to the neutral view. See [Hosts].
	As string
	// If Nested is set, all directories below the project root are also searched.
	Nested bool
	// Home is the user's home directory. It defaults to the home directory of the user who runs the
	// process.
	Home string
	// ManagedDir replaces the operating system's managed directories. It defaults to the value of
	// VADE_MANAGED_DIR, if set.
	ManagedDir string
	// PluginDirs lists plugin directories that are treated as installed plugins.
	PluginDirs []string
	// Layers provides file systems to read instead of the layers' directories. If Isolated is set,
	// only these layers and the bundled layer are read.
	Layers   []LayerFS
	Isolated bool
	// Bundled holds skills in addition to those that come with Vade. Each skill is a folder that
	// contains a SKILL.md and possibly other files, as in NAME/SKILL.md. The skills are in the
	// bundled layer, so any other definition with the same name shadows them, and they can be
	// turned off in the policy and in vade.yaml. A folder replaces Vade's bundled skill of the same
	// name.
	Bundled fs.FS
	// MaxSkills and MaxSkillBytes are the limits for a request that names several skills, such as
	// "skills: a, b". They default to 3 skills and 25 KiB in total.
	MaxSkills     int
	MaxSkillBytes int64
	// Shell configures how shell commands in bodies are run.
	Shell ShellOptions
	// If Remote is set, the catalog includes the definitions offered by the MCP servers in the
	// user's servers.yaml, and listing definitions starts these servers or connects to them.
	// Otherwise, no server is ever contacted.
	Remote bool
	// Getenv reads environment variables. It defaults to os.Getenv.
	Getenv func(string) string
	// Now returns the current time, which is used for timestamps in results. It defaults to
	// time.Now.
	Now func() time.Time
}

// engine converts the options to those of the internal catalog package.
func (o Options) engine() catalog.Options {
	layers := make([]catalog.LayerFS, len(o.Layers))
	for i, l := range o.Layers {
		layers[i] = catalog.LayerFS(l)
	}
	var all fs.FS
	if o.Bundled != nil {
		all = bundled.With(o.Bundled)
	}
	return catalog.Options{
		Bundled: all,
		Dir:     o.Dir, As: o.As, Nested: o.Nested, Home: o.Home, ManagedDir: o.ManagedDir, PluginDirs: o.PluginDirs,
		Layers: layers, Isolated: o.Isolated, MaxSkills: o.MaxSkills, MaxSkillBytes: o.MaxSkillBytes,
		Shell: o.Shell, Remote: o.Remote, Getenv: o.Getenv, Now: o.Now,
	}
}

// LayerFS is a file system that replaces a layer's directories.
type LayerFS struct {
	// Layer is the layer whose directories are replaced: definition.Managed, Project or User.
	Layer Layer
	// Name is the prefix of the paths displayed for the layer's files. It must be set, and must be
	// unique among the layers. Paths in the project layer are displayed without the prefix.
	Name string
	FS   fs.FS
}

// Types of the data that this package's functions take and return.
type (
	Kind                = definition.Kind
	Layer               = definition.Layer
	State               = definition.State
	Diagnostic          = diag.Diagnostic
	Definition          = catalog.Definition
	Query               = catalog.Query
	ShellOptions        = catalog.ShellOptions
	Result              = definition.Result
	Error               = definition.Error
	RenderRequest       = catalog.RenderRequest
	Rendering           = definition.Rendering
	Listing             = catalog.Listing
	InstructionsRequest = instructions.Request
	Instructions        = instructions.Instructions
	PromptRequest       = prompt.Request
	Prompt              = prompt.Prompt
	LoadedSkill         = catalog.LoadedSkill
	Composed            = instructions.Composed
	Servers             = servers.Servers
	SDKOptions          = export.SDKOptions
	ExportRequest       = export.Request
	Exported            = export.Export
	CheckOptions        = check.Options
	CheckReport         = check.Report
	AuditOptions        = scan.Options
	AuditReport         = scan.Report
	ExplainRequest      = explain.Request
	Explanation         = explain.Explanation
	SyncOptions         = materialize.Options
	SyncResult          = materialize.Result
	ServeOptions        = serve.Options
	Server              = serve.Server
	HTTPOptions         = serve.HTTPOptions
)

// The kinds of definitions.
const (
	Skill       = definition.Skill
	Command     = definition.Command
	Agent       = definition.Agent
	Instruction = definition.Instruction
	Workflow    = definition.Workflow
)

// The layers, in their order of precedence in the neutral view.
const (
	Managed = definition.Managed
	Project = definition.Project
	User    = definition.User
	Plugin  = definition.Plugin
	Bundled = definition.Bundled
	MCP     = definition.MCP
)

// The states of a definition. Each definition is in exactly one of them.
const (
	Loaded   = definition.Loaded
	Shadowed = definition.Shadowed
	Dropped  = definition.Dropped
	Disabled = definition.Disabled
)

// Hosts returns the values that [Options.As] accepts: host names, and NAME@VERSION for hosts with
// multiple known versions.
func Hosts() []string { return catalog.Hosts() }

// SandboxMain executes a sandboxed command if the process was started for this purpose. Otherwise,
// it returns immediately. Call it first in the main function of the program that
// [ShellOptions.SandboxHelper] names.
func SandboxMain() { catalog.SandboxMain() }

// Catalog holds all definitions that a directory offers to agents, resolved for one view. It
// is safe for concurrent use.
type Catalog struct{ engine *catalog.Catalog }

// Open prepares the catalog for a directory. It does not read definitions yet: [Catalog.List] reads
// the beginning of each definition, and [Catalog.Load] reads only what it needs. Open fails if the
// directory cannot be read or the host is unknown. The caller must close the catalog.
func Open(ctx context.Context, o Options) (*Catalog, error) {
	c, err := catalog.Open(ctx, o.engine())
	if err != nil {
		return nil, err
	}
	return &Catalog{c}, nil
}

// Close releases the catalog. Its definitions must not be used after that.
func (c *Catalog) Close() error { return c.engine.Close() }

// List returns the definitions that match a query, sorted by kind and name.
func (c *Catalog) List(ctx context.Context, q Query) ([]Definition, error) {
	return c.engine.List(ctx, q)
}

// Get returns the active definition with this kind and name. If there is none, the error wraps
// [ErrNotFound].
func (c *Catalog) Get(ctx context.Context, kind Kind, name string) (Definition, error) {
	return c.engine.Get(ctx, kind, name)
}

// ErrNotFound is wrapped by the error for a name that does not belong to an active definition.
var ErrNotFound = definition.ErrNotFound

// Diagnostics returns the problems that do not belong to a definition, such as those in settings
// files.
func (c *Catalog) Diagnostics(ctx context.Context) ([]Diagnostic, error) {
	return c.engine.Diagnostics(ctx)
}

// Load renders the definitions that a request names: "/review src", "skill:review", "skills: a, b",
// or a file path. If a definition cannot be loaded, the error is an [*Error], and the result
// contains the same information for JSON output.
func (c *Catalog) Load(ctx context.Context, request ...string) (*Result, error) {
	return c.engine.Load(ctx, request...)
}

// LoadSkill renders the skill with the given ID or name for an agent or, if agent is "", for a
// person. Files are read again only if they have changed.
func (c *Catalog) LoadSkill(ctx context.Context, agent, id string) (*LoadedSkill, error) {
	return c.engine.LoadSkill(ctx, agent, id)
}

// Render renders a command or skill as the view's host does.
func (c *Catalog) Render(ctx context.Context, r RenderRequest) (*Rendering, error) {
	return c.engine.Render(ctx, r)
}

// Listing returns the list of available definitions as the model sees it.
func (c *Catalog) Listing(ctx context.Context) (*Listing, error) { return c.engine.Listing(ctx) }

// Instructions returns the instructions that the host sends to its model.
func (c *Catalog) Instructions(ctx context.Context, r InstructionsRequest) (*Instructions, error) {
	return instructions.Build(ctx, c.engine, r)
}

// Compose returns the instructions for an agent that works on zero or more files. If agent is
// empty, it returns the instructions for the main conversation.
func (c *Catalog) Compose(ctx context.Context, agent string, files ...string) (*Composed, error) {
	return instructions.BuildForAgent(ctx, c.engine, agent, files...)
}

// Servers returns the MCP servers configured by the project and the user.
func (c *Catalog) Servers(ctx context.Context) (*Servers, error) {
	return servers.List(ctx, c.engine)
}

// SDKOptions returns the options for a Claude Agent SDK session. base is nil or a JSON object with
// options that take precedence.
func (c *Catalog) SDKOptions(ctx context.Context, base json.RawMessage) (*SDKOptions, error) {
	return export.NewSDKOptions(ctx, c.engine, base)
}

// Prompt returns an agent's complete prompt.
func (c *Catalog) Prompt(ctx context.Context, r PromptRequest) (*Prompt, error) {
	return prompt.Build(ctx, c.engine, r)
}

// Export converts definitions to another host's format and reports what is lost.
func (c *Catalog) Export(ctx context.Context, r ExportRequest) (*Exported, error) {
	return export.To(ctx, c.engine, r)
}

// Check reports problems in a project, including content that the project's hosts ignore or
// interpret differently.
func Check(ctx context.Context, o Options, co CheckOptions) (*CheckReport, error) {
	return check.Run(ctx, o.engine(), co)
}

// Audit reports security risks in the definitions in a project or path.
func Audit(ctx context.Context, o Options, ao AuditOptions) (*AuditReport, error) {
	return scan.Run(ctx, o.engine(), ao)
}

// Explain reports, for each host, whether the host uses a definition and, if not, why.
func Explain(ctx context.Context, o Options, r ExplainRequest) (*Explanation, error) {
	return explain.Run(ctx, o.engine(), r)
}

// Sync writes the files that a project's hosts need, based on the project's source of truth.
// [PlanSync] reports what it would write.
func Sync(ctx context.Context, o Options, so SyncOptions) (*SyncResult, error) {
	return materialize.Sync(ctx, o.engine(), so)
}

// PlanSync reports what [Sync] would write.
func PlanSync(ctx context.Context, o Options, so SyncOptions) (*SyncResult, error) {
	return materialize.PlanSync(ctx, o.engine(), so)
}

// Serve returns an MCP server for a directory's definitions. The caller must close it.
func Serve(ctx context.Context, o Options, so ServeOptions) (*Server, error) {
	open := func(ctx context.Context, as string) (*catalog.Catalog, error) {
		e := o.engine()
		e.As = cmp.Or(as, e.As)
		return catalog.Open(ctx, e)
	}
	return serve.New(ctx, open, so)
}
