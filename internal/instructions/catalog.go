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

// Request says for what instructions are put together. The zero value
// is the beginning of a session.
type Request struct {
	// For is a file that is worked on, absolute or relative to the working
	// directory: it brings in what has paths that match it, and what stands in
	// the directories between the working directory and it. It need not exist.
	For string
	// Agent has one meaning in each kind of view. In the neutral view it is the
	// agent whose own instructions are added to those for all, and those that
	// leave it out are taken away; "" adds none. In the view of a host it is the
	// agent that the session runs as, in the place of [catalog.ClientOptions.Agent]; ""
	// keeps that one. One that is not found is among the diagnostics.
	Agent string
	// Files are further files that are worked on, each as For is.
	Files []string
}

// targets are the files that are worked on, each once.
func (r *Request) targets() []string {
	var list []string
	for _, f := range append([]string{r.For}, r.Files...) {
		if f != "" && !slices.Contains(list, f) {
			list = append(list, f)
		}
	}
	return list
}

// Instructions are what is put before a model without anybody asking for it.
type Instructions struct {
	Host    string `json:"host"`
	Version string `json:"version"`
	// Messages are the texts as they are sent, those of the session first. It is
	// empty where there are no instructions, even if the host then sends other
	// things in their place.
	Messages []definition.Message `json:"messages"`
	// Parts are the files in the messages, in their order there.
	Parts       []FilePart        `json:"parts"`
	Diagnostics []diag.Diagnostic `json:"diagnostics"`
}

// FilePart is one file of instructions.
type FilePart struct {
	// Path is the file as paths are shown: relative to the project where it is
	// inside it.
	Path  string           `json:"path"`
	Layer definition.Layer `json:"layer"`
	// ImportedBy is the file that imports this one, "" where none does.
	ImportedBy string `json:"importedBy,omitempty"`
	// File is the file that brought this one in, and Pattern the one of this
	// one's patterns that matches it, as it is written; both are "" where no file
	// was needed, and Pattern where this one has none.
	File    string `json:"file,omitempty"`
	Pattern string `json:"pattern,omitempty"`
	// Bytes is the length of the file as it is, with its frontmatter and what
	// else is not sent. Text is what of it is sent.
	Bytes int64  `json:"bytes"`
	Text  string `json:"text"`
}

// Instructions puts together the instruction files that are in force.
//
// In the view of a host the messages are, byte by byte, what the host sends: the
// files of the session in the host's order, each followed by what it imports, and
// then what each of the touched files ([catalog.ClientOptions.Touched], and at last
// [Request.For] and Files) brings in. Where a host puts the latter behind the
// result of the tool that touched the file, the messages are "tool_result", to be
// put there one after the other with an empty line before each.
//
// The neutral view has one message with one element for each source: managed,
// user, repo (the project), plugin, bundled. In the project, directories come
// from its top down to the working directory, and below it to For; in one
// directory files come in the order of the view's places, and of their paths in
// one place; what is for the agent alone comes last. Without For, only what
// applies to all files is there.
//
// In the view of a host that does so, its instruction files in the directories
// above the top of the repository are read too, up to but not including the root
// of the file system (documented; no recording has such a file). The neutral view
// stops at the top of the repository.
//
// Imports are read from the project only, and for files of the user or the
// administrator also from the tree that those stand in; not what the policy
// protects, and nothing through a link that leads out. What is not read is among
// the diagnostics. At most 2,000 files are put together and 64 MiB read for them,
// 1,000 imports are looked at besides those that are taken in, and 200 told of; one
// diagnostic says where there is more.
func Build(ctx context.Context, c *catalog.Catalog, r Request) (*Instructions, error) {
	x, err := build(ctx, c, r, builder{})
	if err != nil {
		return nil, err
	}
	return x.out, nil
}

// composed puts instructions together, in the way that is set in a composer.
func build(ctx context.Context, c *catalog.Catalog, r Request, preset builder) (*builder, error) {
	all, err := c.Scan(ctx)
	if err != nil {
		return nil, err
	}
	x := &builder{
		scoped: preset.scoped, include: preset.include, scopes: map[string]Scope{},
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
		if d.Code == diag.SettingNotRead {
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

// What one composition reads at most, besides the limits of each file: how many
// files, and how many bytes, also of files that are then not taken in; how many
// imports it looks at that bring in nothing, of how many of them it tells, and how
// long the path of one may be.
const (
	maxParts        = 2000
	maxPartBytes    = 64 << 20
	maxEmptyImports = 1000
	maxImportDiag   = 200
	maxImportPath   = 4096
)

// composer puts instructions together once.
type builder struct {
	// scoped: the neutral view has what is for all first, then what is for the
	// agent, then what is for files. takesOf says whether a definition is looked at;
	// nil: each is. scopes are those of the files of the neutral view, by path.
	scoped  bool
	include func(*definition.Definition) bool
	scopes  map[string]Scope

	c       *catalog.Catalog
	ctx     context.Context
	request Request
	agent   string
	filter  *catalog.AgentFilter
	table   *host.Instructions
	out     *Instructions

	mode     host.InstructionMode
	excludes *pathmatch.Matcher
	policy   *policy.Policy
	maxFile  int64
	depth    int
	// seen are the canonical paths of the files that are in; failed are those of
	// the files that were looked at and can not be, with why. embedded is how many
	// imports stand in the place of their names, sent how many bytes of the
	// project's files count against the host's limit.
	seen       map[string]bool
	readErrors map[string]error
	inlined    int
	sent       int64
	// bytes is the length of what was read, idle the number of imports that
	// brought in nothing, told that of the diagnostics of imports.
	bytes                  int64
	emptyImports, reported int
	// full is the file where there was enough of all, passed that with the first
	// import that is not looked at, untold that with the first that is not told of.
	limitFile, importLimitFile, unreportedFile string
	// source is the line of the last diagnostic of an import.
	lastLine string
}

func (x *builder) report(list ...diag.Diagnostic) {
	x.out.Diagnostics = append(x.out.Diagnostics, list...)
}

// host composes as the view's host does.
func (x *builder) host(all *resolve.Catalog) error {
	asAgent := x.sessionAgent(all)
	if x.c.Options.Client.Bare {
		return nil
	}
	x.readSettings()
	files := x.gather(all.All, x.c.Quick.Project)
	files = x.dropAlternatives(x.dropFallbacks(files), false)
	slices.SortStableFunc(files, x.compareSession)
	var parts []loadedPart
	for i := range files {
		if !x.isConditional(&files[i]) {
			parts = append(parts, x.load(&files[i], x.finish(true))...)
		}
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

// touch adds what a file brings in: first what has paths for the user and the
// administrator, then what stands in the directories between the working
// directory and the file, then what has paths in those above (f08 has the last
// two; the first is inferred).
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

// below returns the files of the directories below the working directory that
// hold a file, the nearest to the working directory first. In each, files with
// paths come last (inferred).
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

// instructionsAbove finds the project's instruction files in a directory and
// those above it. A directory that does not exist has those of the nearest one
// above it that does. done closes the tree that their paths are of.
func instructionsAbove(ctx context.Context, c *catalog.Catalog, dir string) (found []*definition.Definition, tree *vfs.Tree, done func(), err error) {
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

// judge audits a file of instructions that is about to be put in, and returns why it is
// not.
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
