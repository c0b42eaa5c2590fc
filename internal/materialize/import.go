package materialize

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/config"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/mirror"
	"github.com/vadehq/vade/internal/resolve"
	"github.com/vadehq/vade/internal/vfs"
)

// ImportOptions say what is brought into the source of truth.
type ImportOptions struct {
	// From is the name of a host, whose definitions are taken as it reads them, or a
	// directory or file below the top of the project; "" is everything that any host
	// reads in the project.
	From string
	// To is the directory of the source of truth, below the top; "" is .agents for
	// skills and .github for the rest, or the first directory that vade.yaml names
	// where it names others.
	To string
	// Move takes the originals away after all of a definition is in its new place.
	Move bool
}

// ImportResult is what was brought into the source of truth. Its JSON is stable:
// fields are added, never renamed.
type ImportResult struct {
	Directory string         `json:"directory"`
	Files     []ImportedFile `json:"files"`
	// Done: the files were written.
	Done bool `json:"done"`
	// Losses are what could not be carried over; Diagnostics what is in the way.
	Losses      []export.HostLoss `json:"losses"`
	Diagnostics []diag.Diagnostic `json:"diagnostics"`
}

// ImportedFile is one file of the source of truth.
type ImportedFile struct {
	// Action is "create", "same" where the file is there with this text, or "keep"
	// where it is there with another, which stays.
	Action string          `json:"action"`
	Path   string          `json:"path"`
	Kind   definition.Kind `json:"kind"`
	Name   string          `json:"name"`
	// Source is the file that it was made of; where these are several, Sources are all
	// of them. Removed: Source is taken away, or would be in a plan.
	Source  string   `json:"source"`
	Sources []string `json:"sources,omitempty"`
	Removed bool     `json:"removed,omitempty"`

	data       []byte
	executable bool
}

// Failed reports whether a definition is not in the source of truth afterwards.
func (r *ImportResult) Failed() bool {
	return slices.ContainsFunc(r.Files, func(f ImportedFile) bool { return f.Action == "keep" }) ||
		slices.ContainsFunc(r.Losses, func(l export.HostLoss) bool { return l.Whole }) ||
		slices.ContainsFunc(r.Diagnostics, func(d diag.Diagnostic) bool {
			return d.Severity == diag.Error || d.Severity == diag.Warning && d.Code == diag.ImportLeft
		})
}

// Text is what the file holds.
func (f *ImportedFile) Text() []byte { return f.data }

// PlanImport says what [Import] would do. Nothing is written.
func PlanImport(ctx context.Context, o catalog.Options, io ImportOptions) (*ImportResult, error) {
	m, err := openImport(ctx, o, io)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	return &m.result, m.plan(ctx)
}

// Import reads the definitions that hosts have in a project, and writes them into its
// source of truth: in the neutral syntax, each where [Sync] finds it. Nothing is
// overwritten, and the originals stay unless they are to be moved. What Vade has made
// itself is not read, and nothing runs.
func Import(ctx context.Context, o catalog.Options, io ImportOptions) (*ImportResult, error) {
	m, err := openImport(ctx, o, io)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	release, err := m.Tree.Lock()
	if errors.Is(err, vfs.ErrBusy) {
		return nil, fmt.Errorf("vade: %w", ErrSyncBusy)
	}
	if err != nil {
		return nil, fmt.Errorf("vade: the project can not be locked: %w", err)
	}
	defer release()
	if err := m.plan(ctx); err != nil {
		return nil, err
	}
	writer, err := m.Tree.Writer(vfs.WriterOptions{Before: o.BeforeWrite})
	if err != nil {
		return nil, fmt.Errorf("vade: %w", err)
	}
	defer writer.Close()
	return &m.result, m.write(ctx, writer)
}

// Importer is one import.
type Importer struct {
	*Syncer
	Request ImportOptions
	Truth   *host.Profile
	// sources are the places that are read, and as is the view of them.
	sources []string
	as      string
	// moves say where the definitions go that are brought over.
	moves map[string]string
	// wholes are the files of instructions that are brought over into the one for the whole
	// project.
	wholes []string
	// owners are the hosts of directories, as they were asked for.
	owners map[string][]*host.Profile
	result ImportResult
}

func openImport(ctx context.Context, o catalog.Options, io ImportOptions) (*Importer, error) {
	y, err := OpenSync(ctx, o, SyncOptions{})
	if err != nil {
		return nil, err
	}
	m := &Importer{Syncer: y, Request: io}
	if y.Project.Invalid {
		err = fmt.Errorf("vade: %s has to be mended first: see vade sync", config.File)
	} else if err = m.Choose(); err == nil {
		var known bool
		if known, err = m.readState(ctx, mirror.Tree{Tree: y.Tree}); err == nil && !known {
			err = fmt.Errorf("vade: %s has to be mended first: see vade sync", mirror.StateFile)
		}
	}
	if err != nil {
		y.Close()
		return nil, err
	}
	m.result = ImportResult{Directory: y.Tree.Dir(), Files: []ImportedFile{}, Losses: []export.HostLoss{}, Diagnostics: y.Result.Diagnostics}
	return m, nil
}

// Choose decides what is read, and where it goes.
func (m *Importer) Choose() error {
	to := strings.TrimSuffix(m.Request.To, "/")
	if own := m.Project.Source; to == "" && len(own) > 0 && !(slices.Contains(own, ".agents") && slices.Contains(own, ".github")) {
		i := slices.IndexFunc(own, m.holdsKinds)
		if i < 0 {
			return fmt.Errorf("vade: --to: %w: %s names no source that holds all kinds of definitions: name a directory", ErrImportPlace, config.File)
		}
		to = own[i]
	}
	if to != "" {
		if why := config.BadPath(path.Clean(to)); why != "" {
			return fmt.Errorf("vade: %s: %w: it %s", m.Request.To, ErrImportPlace, why)
		}
		to = path.Clean(to)
		if top, _, _ := strings.Cut(to, "/"); strings.EqualFold(top, path.Dir(mirror.StateFile)) {
			return fmt.Errorf("vade: --to: %s: %w: Vade keeps there what it has made", to, ErrImportPlace)
		}
	}
	m.Truth = registry.Truth(to)
	from := strings.TrimSuffix(m.Request.From, "/")
	if p, ok := registry.Lookup(from); ok && p.Name != host.NeutralName {
		m.as, m.sources = from, places(p)
		return nil
	}
	if from == "" {
		m.sources = places(registry.Neutral())
		return nil
	}
	if why := config.BadPath(path.Clean(from)); why != "" {
		return fmt.Errorf("vade: %s: %w: it is no host, and as a path it %s", m.Request.From, ErrImportPlace, why)
	}
	from = path.Clean(from)
	if _, err := m.Tree.Lstat(from); err != nil {
		hint := "hosts are " + strings.Join(registry.RealNames(), ", ")
		if near := resolve.Nearest(from, registry.RealNames()); len(near) > 0 {
			hint = "did you mean " + strings.Join(near, " or ") + "?"
		}
		return fmt.Errorf("vade: %s: %w: it is no host, and there is no such directory; %s", m.Request.From, ErrImportPlace, hint)
	}
	m.sources = []string{from}
	return nil
}

// holdsKinds reports whether a source is a directory that has others for kinds of
// definitions in it, rather than one for a kind, or a file.
func (m *Importer) holdsKinds(source string) bool {
	if typ, err := m.Tree.Lstat(source); err == nil && typ != vfs.Dir || source == "package.json" || strings.HasSuffix(source, ".md") {
		return false
	}
	return registry.Truth(source).Export.Place(definition.Skill) != nil
}

// isWhole reports whether a file is the one for the whole project.
func (m *Importer) isWhole(p string) bool {
	x := m.Truth.Export.Instructions
	return x != nil && x.Whole == p
}

// ErrImportPlace is the error of [Import] for a place that nothing can be read from or
// written to.
var ErrImportPlace = errors.New("can not be used")

// places are the labels of what a profile reads in a project.
func places(p *host.Profile) []string {
	var list []string
	for i := range p.Roots {
		if r := &p.Roots[i]; r.OfProject() && r.Layer == definition.Project && r.Label() != "" {
			list = append(list, r.Label())
		}
	}
	return list
}

// plan finds out what is to be written.
func (m *Importer) plan(ctx context.Context) error {
	if err := m.commandsAsSkills(ctx); err != nil {
		return err
	}
	o := m.Options
	o.As, o.Sources, o.Made = m.as, m.sources, m.copied
	c, err := Open(ctx, o)
	if err != nil {
		return err
	}
	defer c.Close()
	list, err := export.Exported(ctx, c, &export.Request{})
	if err != nil {
		return err
	}
	// What stands in the source of truth already stays there.
	list = slices.DeleteFunc(list, func(d *definition.Definition) bool { return m.Truth.Mine(d.Origin.Path) })
	made, err := m.make(ctx, c, list)
	if err != nil {
		return err
	}
	m.result.Losses = append(m.result.Losses, made.Losses...)
	m.result.Diagnostics = append(m.result.Diagnostics, made.Diagnostics...)
	files := m.rebased(made.Files, list)
	for _, d := range list {
		if d.Kind == definition.Instruction && !slices.ContainsFunc(files, func(f export.ExportedFile) bool { return f.Source == d.Origin.Path && !m.isWhole(f.Path) }) {
			m.wholes = append(m.wholes, d.Origin.Path)
		}
	}
	for _, group := range groups(files) {
		m.look(group)
	}
	if err := m.left(ctx, c); err != nil {
		return err
	}
	for i := range m.result.Losses {
		m.ownFix(&m.result.Losses[i])
	}
	m.joined()
	m.beside()
	m.unread()
	if m.Request.Move {
		m.chooseMoved()
		m.hostsAfter()
	}
	if err := m.nested(ctx); err != nil {
		return err
	}
	diag.Sort(m.result.Diagnostics)
	return nil
}

// copied reports whether a file was made by [Sync]. One that the project had by itself
// is read.
func (m *Importer) copied(p string) bool {
	return m.State.Made(p) && !m.State.Adopted(p) || m.copies[p] || m.marked(p)
}

// commandsAsSkills notes, where the state is lost, the skills that say what is made of a
// command in the source of truth for a host without commands. They may have no mark, and
// would come back beside the command.
func (m *Importer) commandsAsSkills(ctx context.Context) error {
	if !m.lost {
		return nil
	}
	c, err := m.sourced(ctx, "")
	if err != nil {
		return err
	}
	defer c.Close()
	all, err := c.Scan(ctx)
	if err != nil {
		return err
	}
	for _, p := range registry.Hosts() {
		if p.Export == nil || !p.Export.CommandAsSkill {
			continue
		}
		x := export.Exporter{C: c, P: p, Out: &export.Export{Host: p.Name}}
		for _, d := range all.All {
			if d.Kind == definition.Command && d.State == definition.Loaded && ctx.Err() == nil {
				x.Take(ctx, d)
			}
		}
		x.Finish()
		for _, f := range x.Out.Files {
			if data, err := m.Tree.ReadFile(f.Path, maxCompanion); err == nil && f.Kind == definition.Skill && string(data) == string(f.Data) {
				m.copies[f.Path] = true
			}
		}
	}
	return ctx.Err()
}

// make makes the files of definitions, as an export to the source of truth.
func (m *Importer) make(ctx context.Context, c *catalog.Catalog, list []*definition.Definition) (*export.Export, error) {
	moves := export.Moves(c, m.Truth, list)
	maps.Copy(moves, m.moves)
	for {
		x := export.Exporter{
			C: c, P: m.Truth, Moves: moves, Used: map[string]bool{}, Reads: m.Spelled,
			Out: &export.Export{Host: m.Truth.Name, Files: []export.ExportedFile{}, Losses: []export.HostLoss{}, Diagnostics: []diag.Diagnostic{}},
		}
		for _, d := range list {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			x.Take(ctx, d)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		x.Instructions()
		x.Finish()
		left := x.Settled()
		if left == nil || m.moves != nil {
			m.moves = moves
			return x.Out, nil
		}
		moves = left
	}
}

// look decides what becomes of the files of one definition. A file that is there with
// another text holds all of them back: half of a skill beside the half of another is
// neither.
func (m *Importer) look(group []export.ExportedFile) {
	begin, held := len(m.result.Files), false
	for i := range group {
		f := &group[i]
		file := ImportedFile{Action: "create", Path: f.Path, Kind: f.Kind, Name: f.Name, Source: f.Source, Sources: f.Sources, data: f.Data, executable: f.Executable}
		what := f.Source
		if len(group) > 1 {
			what = fmt.Sprintf("the %s %s", f.Kind, f.Name)
		}
		data, err := m.Tree.ReadFile(f.Path, maxCompanion)
		switch why := config.BadPath(f.Path); {
		case why != "":
			file.Action = "keep"
			m.problem(diag.SyncBlocked, f.Source, "give it another name", "%s is not brought over: the path %q %s", what, f.Path, why)
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			file.Action = "keep"
			m.problem(diag.SyncBlocked, f.Path, "move it away", "%s is not brought over: %s", what, catalog.ReasonOf(err))
		case string(data) == string(f.Data):
			file.Action = "same"
		case len(group) > 1:
			file.Action = "keep"
			m.problem(diag.ImportExists, f.Path, "compare it with "+f.Source+", and keep the one that is meant; or give one of the two skills another name", "it is there with another text: %s is not brought over", what)
		default:
			file.Action = "keep"
			m.problem(diag.ImportExists, f.Path, "compare the two, and keep the one that is meant", "it is there with another text: %s is not brought over", what)
		}
		held = held || file.Action == "keep"
		m.result.Files = append(m.result.Files, file)
	}
	for i := begin; held && i < len(m.result.Files); i++ {
		if m.result.Files[i].Action == "create" {
			m.result.Files[i].Action = "keep"
		}
	}
}

func (m *Importer) problem(code diag.Code, path, fix, format string, args ...any) {
	m.result.Diagnostics = append(m.result.Diagnostics, diag.For(path, code, format, args...).WithFix("%s", fix))
}
