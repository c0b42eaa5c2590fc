package instructions

import (
	"context"
	"errors"
	"path"
	"slices"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/discover"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/pathmatch"
	"github.com/vadehq/vade/internal/policy"
	"github.com/vadehq/vade/internal/resolve"
	"github.com/vadehq/vade/internal/vfs"
)

// Request selects which instructions to build. The zero value describes the start of a session.
type Request struct {
	// For is a file being worked on, absolute or relative to the working directory. It activates
	// instructions with matching paths, and instructions in the directories between the working
	// directory and the file. The file need not exist.
	For string
	// Agent selects an agent. In the neutral view, the instructions for that agent are added, and
	// instructions that exclude it are omitted; "" selects no agent. In a host's view, the session
	// runs as that agent; a value other than "" overrides [catalog.ClientOptions.Agent]. An unknown
	// agent is reported as a diagnostic.
	Agent string
	// Files lists any other files being worked on; see For.
	Files []string
}

// targets returns the files being worked on, without duplicates.
func (r *Request) targets() []string {
	var list []string
	for _, f := range append([]string{r.For}, r.Files...) {
		if f != "" && !slices.Contains(list, f) {
			list = append(list, f)
		}
	}
	return list
}

// Instructions holds the instructions that are sent to a model automatically.
type Instructions struct {
	Host    string `json:"host"`
	Version string `json:"version"`
	// Messages holds the messages exactly as sent. The messages sent at the start of a session come
	// first.
	Messages []definition.Message `json:"messages"`
	// Parts lists the files in Messages, in order.
	Parts       []FilePart        `json:"parts"`
	Diagnostics []diag.Diagnostic `json:"diagnostics"`
}

// FilePart is one instruction file.
type FilePart struct {
	// Path is the display path. It is relative to the project if the file is inside it.
	Path  string           `json:"path"`
	Layer definition.Layer `json:"layer"`
	// ImportedBy is the path of the importing file, or "".
	ImportedBy string `json:"importedBy,omitempty"`
	// File is the file that activated the part, and Pattern is the pattern, as
	// written, that matched it. Both are "" if the part is always active.
	// Pattern is also "" if the part has no patterns.
	File    string `json:"file,omitempty"`
	Pattern string `json:"pattern,omitempty"`
	// Bytes is the size of the whole file, including frontmatter and anything else that is not
	// sent. Text is the text that is sent.
	Bytes int64  `json:"bytes"`
	Text  string `json:"text"`
}

// Imported returns the files that a session contains because other files import them. It maps each
// file's display path to the path of an importing file.
func Imported(ctx context.Context, c *catalog.Catalog) (map[string]string, error) {
	x, err := Build(ctx, c, Request{})
	if err != nil {
		return nil, err
	}
	by := map[string]string{}
	for _, part := range x.Parts {
		if part.ImportedBy != "" {
			by[part.Path] = part.ImportedBy
		}
	}
	return by, nil
}

// Build returns the active instructions.
//
// In a host's view, the messages are byte for byte what the host sends. They contain the files that
// are sent at the start of a session, in the host's order and each followed by its imports. After
// them come the files activated by each file being worked on: those in
// [catalog.ClientOptions.Touched], then [Request.For], then [Request.Files]. If the host appends
// the activated files to a tool result, their role is "tool_result". They are appended one after
// another, each preceded by a blank line.
//
// The neutral view has one message with one element per source: managed, user, repo (the project),
// plugin, bundled. In the project, directories are ordered from the top down to the working
// directory and on to For. Files in one directory are ordered by the view's roots and then by path.
// The agent's instructions come last. Without For and Files, only instructions that apply to all
// files are included.
//
// According to their documentation, some hosts also read instruction files in directories above the
// repository, up to but excluding the file system root. No recorded session confirms this, but
// their views do the same. The neutral view stops at the repository root.
//
// Project files can import only from the project. Files from other layers can also import from
// their own tree. Protected files and symlinks that lead outside are never read. Files that are not
// read are reported as diagnostics. The limits are 2,000 files, 64 MiB in total, 1,000 imports that
// do not include a file, and 200 import diagnostics. If a limit is exceeded, a final diagnostic
// reports it.
func Build(ctx context.Context, c *catalog.Catalog, r Request) (*Instructions, error) {
	x, err := build(ctx, c, r, builder{})
	if err != nil {
		return nil, err
	}
	return x.out, nil
}

// build builds the instructions for a request. It uses only the scoped and filter fields of preset.
func build(ctx context.Context, c *catalog.Catalog, r Request, preset builder) (*builder, error) {
	all, err := c.Scan(ctx)
	if err != nil {
		return nil, err
	}
	x := &builder{
		scoped: preset.scoped, filter: preset.filter, scopes: map[string]Scope{},
		c: c, ctx: ctx, request: r, agent: r.Agent, table: c.Profile.Instructions, seen: map[string]bool{}, readErrors: map[string]error{},
		out: &Instructions{
			Host: c.Profile.Name, Version: c.Profile.Version, Messages: []definition.Message{}, Parts: []FilePart{},
		},
	}
	x.maxFile, x.depth = maxNeutralImport, neutralDepth
	if x.table == nil {
		err = x.neutral(all)
	} else {
		x.maxFile, x.depth = x.table.MaxFile, x.table.Depth
		if x.agent == "" {
			x.agent = c.Options.Client.Agent
		}
		err = x.host(all)
	}
	if err != nil {
		return nil, err
	}
	for _, d := range c.ScanDiagnostics {
		if d.Code == diag.SettingNotRead || d.Code == diag.HostVersion {
			x.report(d)
		}
	}
	x.reportLimits()
	diag.Sort(x.out.Diagnostics)
	x.out.Diagnostics = slices.CompactFunc(x.out.Diagnostics, func(a, b diag.Diagnostic) bool {
		return a.Code == b.Code && a.File == b.File && a.Line == b.Line && a.Column == b.Column && a.Message == b.Message
	})
	if x.out.Diagnostics == nil {
		x.out.Diagnostics = []diag.Diagnostic{}
	}
	return x, nil
}

// Limits for one build, in addition to the limits for each file: the number of files, the bytes
// read (including files that are not used), the imports that do not include a file, the import
// diagnostics, and the length of an import path.
const (
	maxParts        = 2000
	maxPartBytes    = 64 << 20
	maxEmptyImports = 1000
	maxImportDiag   = 200
	maxImportPath   = 4096
)

// builder builds instructions. It must not be reused.
type builder struct {
	// If scoped is set, the neutral view is ordered by scope: all, agent, files. scopes maps each
	// path in the neutral view to its scope.
	scoped bool
	filter Filter
	scopes map[string]Scope

	c       *catalog.Catalog
	ctx     context.Context
	request Request
	agent   string
	agents  *catalog.AgentFilter
	table   *host.Instructions
	out     *Instructions

	mode     host.InstructionMode
	excludes *pathmatch.Matcher
	policy   *policy.Policy
	maxFile  int64
	depth    int
	// seen holds the canonical paths of the files that were read, except those read for inline
	// imports, and readErrors holds the errors for files that could not be read. inlined counts
	// inlined imports. sent is the number of bytes that count toward the host's limit for the
	// project.
	seen       map[string]bool
	readErrors map[string]error
	inlined    int
	sent       int64
	// bytes is the number of bytes read, emptyImports counts the imports that did not include a
	// file, and reported counts the import diagnostics.
	bytes                  int64
	emptyImports, reported int
	// limitFile is the file at which the limit on files or bytes was reached. importLimitFile is
	// the file that contains the first skipped import, and unreportedFile is the file that contains
	// the first unreported import.
	limitFile, importLimitFile, unreportedFile string
	// lastLine is the source line of the last import diagnostic.
	lastLine string
	// waiting describes the host's conditional files, which are not sent yet.
	waiting []host.WaitingInstruction
}

func (x *builder) report(list ...diag.Diagnostic) {
	x.out.Diagnostics = append(x.out.Diagnostics, list...)
}

// host builds instructions the way the view's host does.
func (x *builder) host(all *resolve.Catalog) error {
	asAgent := x.sessionAgent(all)
	if x.c.Options.Client.Bare {
		return nil
	}
	x.readSettings()
	files := x.gather(all.All, x.c.Quick.Project)
	files = x.dropAlternatives(x.dropFallbacks(files), false)
	slices.SortStableFunc(files, x.compareSession)
	// If multiple rows of the host's table match the same file, the first row wins.
	seen := map[string]bool{}
	files = slices.DeleteFunc(files, func(f instructionFile) bool {
		again := seen[f.path]
		seen[f.path] = true
		return again
	})
	var parts []loadedPart
	texts := map[string]string{}
	for i := range files {
		f := &files[i]
		if x.isConditional(f) {
			x.waiting = append(x.waiting, waiting(f))
			continue
		}
		list := x.load(f, x.finish(true))
		if x.table.Distinct && !f.row.Conditional && len(list) > 0 {
			if other, ok := texts[list[0].Text]; ok {
				x.report(diag.For(f.d.Origin.Path, diag.SameFile, "omitted because its content is identical to that of %s", other).WithFix("remove one of the files"))
				continue
			}
			texts[list[0].Text] = f.d.Origin.Path
		}
		parts = append(parts, list...)
	}
	x.sendSession(parts, asAgent)
	for _, file := range append(slices.Clone(x.c.Options.Client.Touched), x.request.targets()...) {
		if file == "" {
			continue
		}
		if err := x.touch(file, files); err != nil {
			return err
		}
	}
	return x.ctx.Err()
}

// touch adds the files that are activated when an agent works on a file. User and managed files
// with matching paths come first (this is inferred). They are followed by the files in the
// directories between the working directory and the file, and then by the other project files with
// matching paths (case f08).
func (x *builder) touch(file string, files []instructionFile) error {
	rel, ok := x.c.InProject(file)
	if !ok || rel == "." {
		x.reportOutside(file)
		return nil
	}
	abs := x.c.Quick.Project.RealPath(rel)
	below, err := x.below(abs)
	if err != nil {
		return err
	}
	var order []instructionFile
	for i := range files {
		if f := &files[i]; x.isConditional(f) && f.row.Layer != definition.Project {
			order = append(order, *f)
		}
	}
	order = append(order, below...)
	for i := range files {
		if f := &files[i]; x.isConditional(f) && f.row.Layer == definition.Project {
			order = append(order, *f)
		}
	}
	var parts []loadedPart
	for i := range order {
		pattern, ok := x.activatedBy(&order[i], abs)
		if !ok {
			continue
		}
		for _, p := range x.load(&order[i], x.finish(false)) {
			p.File, p.Pattern = rel, pattern
			parts = append(parts, p)
		}
	}
	x.sendTouched(parts)
	return nil
}

// below returns the instruction files in the directories between the working directory and a file,
// outermost first. Within a directory, files with a paths field come last; this order is inferred.
func (x *builder) below(abs string) ([]instructionFile, error) {
	work := x.c.Quick.Project.RealPath(x.c.Quick.WorkDir)
	dir := path.Dir(abs)
	if !AtOrBelow(dir, work) || dir == work {
		return nil, nil
	}
	found, tree, done, err := instructionsAbove(x.ctx, x.c, dir)
	if err != nil {
		return nil, err
	}
	defer done()
	var files []instructionFile
	for _, f := range x.gather(found, tree) {
		if f.row.Layer == definition.Project && !f.row.NotNested && f.base != work && AtOrBelow(f.base, work) {
			files = append(files, f)
		}
	}
	files = x.dropAlternatives(files, true)
	slices.SortStableFunc(files, x.compareBelow)
	return files, nil
}

// instructionsAbove finds the project's instruction files in a directory and its parents. If the
// directory does not exist, it starts at the nearest existing parent. done closes tree, which
// contains the files.
func instructionsAbove(ctx context.Context, c *catalog.Catalog, dir string) (found []*definition.Definition,
	tree *vfs.Tree, done func(), err error) {
	env := c.Env
	env.NoPlugins, env.Account, env.Nested = true, false, false
	env.Client.Added, env.Client.Touched = nil, nil
	if hasProjectLayer(c) {
		env.Nested = true
	} else {
		if env.WorkDir, err = nearestDir(ctx, c, dir); err != nil {
			return nil, nil, nil, err
		}
	}
	plan, err := discover.NewPlan(ctx, env, c.Profile)
	if err != nil {
		return nil, nil, nil, err
	}
	found, _, err = plan.Scan(ctx, c.Parser, func(pl *discover.Place) bool {
		return pl.Layer == definition.Project && pl.Root.Rules[len(pl.Root.Rules)-1].Kind == definition.Instruction
	})
	if err != nil {
		plan.Close()
		return nil, nil, nil, err
	}
	if hasProjectLayer(c) {
		found = slices.DeleteFunc(found, func(d *definition.Definition) bool {
			return d.Origin.Nested != "" && !AtOrBelow(dir, plan.Project.RealPath(d.Origin.Nested))
		})
	}
	return found, plan.Project, plan.Close, nil
}

// audit checks an instruction file before it is included. It returns an error if the file is
// rejected.
func (x *builder) audit(in *importer) *definition.Error {
	v, err := x.c.Gate(x.ctx, in.d, &in.doc)
	if v != nil {
		x.report(v.Diagnostics...)
	}
	var e *definition.Error
	if err != nil && !errors.As(err, &e) {
		e = &definition.Error{Code: diag.FileUnreadable, Message: err.Error()}
	}
	return e
}
