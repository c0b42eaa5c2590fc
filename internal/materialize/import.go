package materialize

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/config"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/shell"
	"github.com/vadehq/vade/internal/syncstate"
	"github.com/vadehq/vade/internal/vfs"
)

// ImportOptions selects what to import into the source of truth.
type ImportOptions struct {
	// From is a host name, or a directory or file relative to the project root. Given a host name,
	// Import reads the host's definitions the way the host does. If From is "", Import reads
	// everything in the project that any host reads.
	From string
	// To is the directory to import into, relative to the project root. If To is "", skills go to
	// .agents and everything else goes to .github. If vade.yaml lists other sources, the first
	// suitable one is used instead.
	To string
	// If Move is set, the original files of completely imported definitions are removed.
	Move bool
}

// ImportResult describes the outcome of an import. Its JSON is stable: fields
// may be added but are never renamed.
type ImportResult struct {
	Directory string         `json:"directory"`
	Files     []ImportedFile `json:"files"`
	// Done reports whether the files were written.
	Done bool `json:"done"`
	// Losses lists parts that could not be imported. Diagnostics lists conflicts and notes.
	Losses      []export.HostLoss `json:"losses"`
	Diagnostics []diag.Diagnostic `json:"diagnostics"`
}

// ImportedFile describes what an import does with one file in the source of truth.
type ImportedFile struct {
	// Action is "create" if the file is new; "same" if an identical file exists; or "keep" if a
	// different file exists, in which case it is not overwritten.
	Action string          `json:"action"`
	Path   string          `json:"path"`
	Kind   definition.Kind `json:"kind"`
	Name   string          `json:"name"`
	// Source is the original file. If there are several, Sources lists all of them. Removed reports
	// whether Source was removed or, in a plan, would be removed.
	Source  string   `json:"source"`
	Sources []string `json:"sources,omitempty"`
	Removed bool     `json:"removed,omitempty"`

	data       []byte
	executable bool
	// complete reports whether the file contains everything that is in Source.
	complete bool
}

// Failed reports whether any definition could not be imported.
func (r *ImportResult) Failed() bool {
	return slices.ContainsFunc(r.Files, func(f ImportedFile) bool { return f.Action == "keep" }) ||
		slices.ContainsFunc(r.Losses, func(l export.HostLoss) bool { return l.Whole }) ||
		slices.ContainsFunc(r.Diagnostics, func(d diag.Diagnostic) bool {
			return d.Severity == diag.Error || d.Severity == diag.Warning && d.Code == diag.ImportLeft
		})
}

// Text returns the file's content.
func (f *ImportedFile) Text() []byte { return f.data }

// PlanImport returns what [Import] would do. It does not write any files.
func PlanImport(ctx context.Context, o catalog.Options, io ImportOptions) (*ImportResult, error) {
	m, err := openImport(ctx, o, io)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	return &m.result, m.plan(ctx)
}

// Import reads hosts' definitions in a project and writes them to the source of truth in the
// neutral format, where [Sync] finds them. It does not overwrite files, and keeps the originals
// unless Move is set. It does not import files that Vade wrote, and does not execute anything.
func Import(ctx context.Context, o catalog.Options, io ImportOptions) (*ImportResult, error) {
	m, err := openImport(ctx, o, io)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	writer, release, err := m.lock()
	if err != nil {
		return nil, err
	}
	defer release()
	if err := m.plan(ctx); err != nil {
		return nil, err
	}
	return &m.result, m.write(ctx, writer)
}

// Importer holds the state of one import.
type Importer struct {
	*Syncer
	Request       ImportOptions
	SourceOfTruth *host.Profile
	// sources are the paths to read. host is the name of the host whose view is used, or "" for the
	// neutral view.
	sources []string
	host    string
	// moves maps imported definitions to their new paths.
	moves map[string]string
	// projectInstructions are the original instruction files that are merged
	// into the project's instruction file.
	projectInstructions []string
	result              ImportResult
}

func openImport(ctx context.Context, o catalog.Options, io ImportOptions) (*Importer, error) {
	y, err := OpenSync(ctx, o, Options{})
	if err != nil {
		return nil, err
	}
	m := &Importer{Syncer: y, Request: io}
	if y.Project.Invalid {
		err = fmt.Errorf("vade: %s has errors; to list them, run: vade sync", config.File)
	} else if err = m.ChoosePlaces(); err == nil && !m.ReadState() {
		err = fmt.Errorf("vade: %s has errors; to list them, run: vade sync", syncstate.File)
	}
	if err != nil {
		y.Close()
		return nil, err
	}
	m.result = ImportResult{Directory: y.Tree.Dir(), Files: []ImportedFile{}, Losses: []export.HostLoss{}, Diagnostics: y.Result.Diagnostics}
	return m, nil
}

// ChoosePlaces determines what to read and where to write.
func (m *Importer) ChoosePlaces() error {
	to := strings.TrimSuffix(m.Request.To, "/")
	own := m.Project.Source
	covered := func(p string) bool { return catalog.UnderAny(own, p) }
	if to == "" && len(own) > 0 && !(covered(".agents/skills") && covered(".github/commands") && covered(".github/agents") && covered(".github/instructions")) {
		i := slices.IndexFunc(own, m.isMultiKind)
		if i < 0 {
			return fmt.Errorf("vade: --to: %w: no source in %s can contain all kinds of definitions; specify a directory", ErrImportPlace, config.File)
		}
		to = own[i]
	}
	if to != "" {
		if why := config.BadPath(path.Clean(to)); why != "" {
			return fmt.Errorf("vade: %s: %w: the path %s", m.Request.To, ErrImportPlace, why)
		}
		to = path.Clean(to)
	}
	m.SourceOfTruth = registry.SourceOfTruth(to)
	if x := m.SourceOfTruth.Export; m.Request.To == "" && slices.Contains(own, agentsFile) && (x.Instructions == nil || !covered(x.Instructions.Whole)) {
		// The project keeps its project-wide instructions in AGENTS.md.
		if x.Instructions == nil {
			x.Instructions = &host.ExportInstructions{Imports: true}
		}
		x.Instructions.Whole = agentsFile
	}
	from := strings.TrimSuffix(m.Request.From, "/")
	if p, ok := registry.Lookup(from); ok && p.Name != host.NeutralName {
		m.host, m.sources = from, p.ProjectLabels()
		return nil
	}
	if from == "" {
		m.sources = registry.Neutral().ProjectLabels()
		return nil
	}
	if why := config.BadPath(path.Clean(from)); why != "" {
		return fmt.Errorf("vade: %s: %w: not a host, and the path %s", m.Request.From, ErrImportPlace, why)
	}
	from = path.Clean(from)
	if _, err := m.Tree.Lstat(from); err != nil {
		hint := catalog.DidYouMean(registry.Canonical(from), registry.RealNames(), "valid hosts: "+strings.Join(registry.RealNames(), ", "))
		return fmt.Errorf("vade: %s: %w: no such host or directory; %s", m.Request.From, ErrImportPlace, hint)
	}
	m.sources = []string{from}
	return nil
}

// isMultiKind reports whether a source is a directory with subdirectories for multiple kinds of
// definitions, rather than a file or a directory for a single kind.
func (m *Importer) isMultiKind(source string) bool {
	if typ, err := m.Tree.Lstat(source); err == nil && typ != vfs.Dir || source == "package.json" || strings.HasSuffix(source, ".md") {
		return false
	}
	return registry.SourceOfTruth(source).Export.Place(definition.Skill) != nil
}

// isImported reports whether a file is already in the source of truth and therefore not moved.
func (m *Importer) isImported(p string) bool {
	own := m.Project.Source
	return catalog.UnderAny(own, p) || (len(own) == 0 || m.Request.To != "") && m.SourceOfTruth.ReadsFile(p)
}

// ownInstructions reports whether a file is AGENTS.md and contains the project-wide instructions.
func (m *Importer) ownInstructions(p string) bool {
	return p == agentsFile && m.isProjectInstructions(p)
}

// isProjectInstructions reports whether a file contains the project-wide instructions.
func (m *Importer) isProjectInstructions(p string) bool {
	x := m.SourceOfTruth.Export.Instructions
	return x != nil && x.Whole == p
}

// isHostInstructions reports whether p is a path where vade sync writes the project-wide
// instructions for some host. If the same text is also in another file, such as
// .claude/rules/project.md, hosts read it twice.
func (m *Importer) isHostInstructions(p string) bool {
	return slices.ContainsFunc(registry.Hosts(), func(h *host.Profile) bool {
		return h.Export != nil && h.Export.Instructions != nil && h.Export.Instructions.Whole == p
	})
}

const agentsFile = "AGENTS.md"

// ErrImportPlace is returned for a path that cannot be imported from or written to.
var ErrImportPlace = errors.New("cannot use this path")

// plan determines the files to write.
func (m *Importer) plan(ctx context.Context) error {
	o := m.Options
	o.As, o.Sources = m.host, m.sources
	c, err := catalog.Open(ctx, o)
	if err != nil {
		return err
	}
	defer c.Close()
	list, err := export.Exported(ctx, c, &export.Request{})
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(d *definition.Definition) bool {
		if m.isImported(d.Origin.Path) {
			// Keep the project-wide instructions in the list, because other instructions are
			// compared against them.
			return !m.ownInstructions(d.Origin.Path)
		}
		h := m.keptBy(d)
		if h != "" {
			m.note(diag.ImportLeft, d.Origin.Path, "move any text that other hosts need to the instructions in the source of truth",
				"instructions not imported, because %s excludes instructions for %s", config.File, h)
		}
		return h != ""
	})
	made, err := m.make(ctx, c, list)
	if err != nil {
		return err
	}
	for _, l := range made.Losses {
		if !m.isImported(l.Source) {
			m.result.Losses = append(m.result.Losses, l)
		}
	}
	m.result.Diagnostics = append(m.result.Diagnostics, made.Diagnostics...)
	files := made.Files
	for _, d := range list {
		if d.Kind == definition.Instruction && !m.isImported(d.Origin.Path) && !slices.ContainsFunc(files,
			func(f export.ExportedFile) bool { return f.Source == d.Origin.Path && !m.isProjectInstructions(f.Path) }) {
			m.projectInstructions = append(m.projectInstructions, d.Origin.Path)
		}
	}
	for _, group := range byDefinition(files) {
		m.addGroup(group)
	}
	if err := m.reportOmitted(ctx, c); err != nil {
		return err
	}
	for i := range m.result.Losses {
		// Instructions that cannot be imported are kept in the host's file.
		if l := &m.result.Losses[i]; l.What == export.LossField && l.Fix == export.FixInFile {
			l.Fix = "copy it to the host's own settings if you need it; it also stays in " + l.Source
		}
	}
	for _, f := range m.result.Files {
		if f.Action == "create" && len(f.Sources) > 1 {
			m.result.Diagnostics = append(m.result.Diagnostics, diag.For(f.Path, diag.ImportJoined, "%d files are merged into one: %s", len(f.Sources), strings.Join(f.Sources, ", ")).
				WithFix("remove duplicate text and text that applies to only one host"))
		}
	}
	if to := path.Clean(m.Request.To); m.Request.To != "" && !m.isSource(to) {
		m.note(diag.SyncSource, config.File, "add to "+config.File+": source: "+to, "%s is not a source, so vade sync does not read it", to)
	}
	m.chooseComplete()
	if m.Request.Move {
		m.reportRemovedHosts()
	}
	diag.Sort(m.result.Diagnostics)
	return nil
}

// make converts definitions to the source of truth's format and paths. It adds comments that the
// conversion would lose.
func (m *Importer) make(ctx context.Context, c *catalog.Catalog, list []*definition.Definition) (*export.Export, error) {
	moves := export.Moves(c, m.SourceOfTruth, list)
	maps.Copy(moves, m.moves)
	for {
		x := export.Exporter{C: c, P: m.SourceOfTruth, Moves: moves, Reads: m.NeutralFields}
		left, err := x.Run(ctx, list)
		if err != nil {
			return nil, err
		}
		if left == nil || m.moves != nil {
			m.moves = moves
			for i := range x.Out.Files {
				f := &x.Out.Files[i]
				before, err := m.original(f.Source)
				lost := lostComments(before, f.Data)
				switch rest, ok := bytes.CutPrefix(f.Data, []byte("---\n")); {
				case err != nil || lost == nil:
				case ok:
					f.Data = slices.Concat([]byte("---\n"), lost, rest)
				case strings.HasSuffix(f.Source, ".toml"):
					f.Data = slices.Concat([]byte("---\n"), lost, []byte("---\n"), f.Data)
				}
			}
			return x.Out, nil
		}
		moves = left
	}
}

// addGroup plans one definition's files. If any of them already exists with different content, none
// of them are written, so that the files of two skills are not mixed.
func (m *Importer) addGroup(group []export.ExportedFile) {
	if len(group) == 1 && len(group[0].Sources) < 2 && m.ownInstructions(group[0].Source) ||
		slices.ContainsFunc(group, func(f export.ExportedFile) bool { return m.leadsTo(f.Path, f.Source) }) {
		return
	}
	begin, blocked := len(m.result.Files), false
	for i := range group {
		f := &group[i]
		file := ImportedFile{Action: "create", Path: f.Path, Kind: f.Kind, Name: f.Name, Source: f.Source, Sources: f.Sources, data: f.Data, executable: f.Executable}
		what := f.Source
		if len(group) > 1 {
			what = fmt.Sprintf("the %s %s", f.Kind, f.Name)
		}
		data, err := m.Tree.ReadFile(f.Path, syncstate.MaxFile)
		switch problem := config.BadPath(f.Path); {
		case problem != "":
			file.Action = "keep"
			m.problem(diag.SyncBlocked, f.Source, "rename it", "%s was not imported: the path %q %s", what, f.Path, problem)
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			file.Action = "keep"
			m.problem(diag.SyncBlocked, f.Path, "move it to another location", "%s was not imported: %s", what, catalog.Cause(err))
		case string(data) == string(f.Data):
			file.Action = "same"
		case len(group) > 1:
			file.Action = "keep"
			m.problem(diag.ImportExists, f.Path, "compare it with "+f.Source+" and keep one of them, or rename one of the definitions", "%s was not imported, because a different file already exists at this path", what)
		default:
			file.Action = "keep"
			fix := "compare the two files and keep one of them"
			if m.ownInstructions(f.Path) {
				others := slices.DeleteFunc(append([]string{f.Source}, f.Sources...), m.isImported)
				what = strings.Join(slices.Compact(others), ", ")
				fix = "add the missing text to " + f.Path + ", then remove " + what
			}
			m.problem(diag.ImportExists, f.Path, fix, "%s was not imported, because a different file already exists at this path", what)
		}
		blocked = blocked || file.Action == "keep"
		m.result.Files = append(m.result.Files, file)
	}
	for i := begin; blocked && i < len(m.result.Files); i++ {
		if m.result.Files[i].Action == "create" {
			m.result.Files[i].Action = "keep"
		}
	}
}

func (m *Importer) problem(code diag.Code, path, fix, format string, args ...any) {
	m.result.Diagnostics = append(m.result.Diagnostics, diag.For(path, code, format, args...).WithFix("%s", fix))
}

// note reports information that does not prevent the import.
func (m *Importer) note(code diag.Code, path, fix, format string, args ...any) {
	d := diag.For(path, code, format, args...).WithFix("%s", fix)
	d.Severity = diag.Info
	m.result.Diagnostics = append(m.result.Diagnostics, d)
}

// reportOmitted reports definitions that are not imported because they are invalid or because
// another definition has the same name. It skips a definition if the source of truth already has an
// equivalent one.
func (m *Importer) reportOmitted(ctx context.Context, c *catalog.Catalog) error {
	all, err := c.Scan(ctx)
	if err != nil {
		return err
	}
	for _, d := range all.All {
		if d.Origin.Layer != definition.Project || m.isImported(d.Origin.Path) {
			continue
		}
		switch {
		case d.State == definition.Shadowed && d.ReplacedBy != nil:
			files, present := m.present(ctx, c, d)
			if m.Request.Move {
				m.result.Files = append(m.result.Files, files...)
			}
			if !present {
				m.problem(diag.ImportLeft, d.Origin.Path, "rename it, or merge its text into the other definition",
					"not imported, because %s already defines the %s %s with different content", d.ReplacedBy.Origin.Path, d.ReplacedBy.Kind, d.ReplacedBy.Name)
			}
		case d.State == definition.Dropped && d.ReasonCode != diag.SameFile && d.ReasonCode != diag.NotRead &&
			d.ReasonCode != diag.SyncCopy,
			d.State == definition.Disabled:
			m.problem(diag.ImportLeft, d.Origin.Path, "run vade check "+shell.ForShell(d.Origin.Path), "not imported: %s", d.Reason)
		}
	}
	return nil
}

// present reports whether the source of truth contains, or will contain, a definition's content,
// and returns the files that contain it. If the originals are to be removed but part of the
// definition would be lost, present keeps the original file, adds a diagnostic, and returns no
// files.
func (m *Importer) present(ctx context.Context, c *catalog.Catalog,
	d *definition.Definition) (files []ImportedFile, present bool) {
	made, err := m.make(ctx, c, []*definition.Definition{d})
	if err != nil || len(made.Files) == 0 {
		return nil, false
	}
	for _, f := range made.Files {
		var data []byte
		if i := slices.IndexFunc(m.result.Files, func(o ImportedFile) bool { return o.Path == f.Path }); i >= 0 {
			data = m.result.Files[i].data
		} else if data, err = m.Tree.ReadFile(f.Path, syncstate.MaxFile); err != nil {
			return nil, false
		}
		if string(data) != string(f.Data) {
			return nil, false
		}
		files = append(files, ImportedFile{Action: "same", Path: f.Path, Kind: f.Kind, Name: f.Name, Source: f.Source, data: f.Data})
	}
	if m.Request.Move && len(made.Losses) > 0 {
		m.note(diag.ImportLeft, d.Origin.Path, "manually copy the missing parts to the source of truth, then remove the file", "the original was not removed because parts of it could not be imported")
		return nil, true
	}
	return files, true
}

// lostComments returns the comments that are missing from the new file, one per line. It checks the
// comments in the original's frontmatter or TOML.
func lostComments(before, after []byte) (lost []byte) {
	before = bytes.ReplaceAll(before, []byte("\r\n"), []byte("\n"))
	head := before
	if rest, markdown := bytes.CutPrefix(before, []byte("---\n")); markdown {
		head, _, _ = bytes.Cut(rest, []byte("\n---"))
	} else if bytes.Contains(after, before) {
		return nil
	}
	for line := range bytes.Lines(head) {
		at := bytes.Index(append([]byte(" "), line...), []byte(" #"))
		if at >= 0 && !bytes.Contains(after, bytes.TrimSpace(line[at:])) {
			lost = append(append(lost, bytes.TrimSpace(line[at:])...), '\n')
		}
	}
	return lost
}

// original returns the content of a definition's file, following symlinks.
func (m *Importer) original(file string) ([]byte, error) {
	in, real, err := m.Tree.Resolve(file)
	if err != nil {
		return nil, err
	}
	return in.ReadFile(real, syncstate.MaxFile)
}

// linkOf returns the symlink through which a definition's file is reached, and the symlink's
// target. It returns empty strings if there is no symlink.
func (m *Importer) linkOf(file string) (link, target string) {
	for link = file; link != "."; link = path.Dir(link) {
		if target, err := m.Tree.Readlink(link); err == nil && m.pathProblem(link) == "" {
			return link, target
		}
	}
	return "", ""
}

// chooseComplete marks the originals of completely imported definitions. If the originals are to be
// removed, it reports the originals that must stay.
func (m *Importer) chooseComplete() {
	type key struct {
		kind definition.Kind
		name string
	}
	incomplete, kept, reported := map[key]bool{}, map[string]bool{}, map[string]bool{}
	for _, f := range m.result.Files {
		if f.Action == "keep" {
			incomplete[key{f.Kind, f.Name}] = true
			kept[f.Source] = true
		}
	}
	keepOriginal := func(file, fix, why string) {
		if m.Request.Move && !reported[file] {
			reported[file] = true
			m.note(diag.ImportLeft, file, fix, "%s", why)
		}
	}
	for _, f := range m.result.Files {
		before, err := m.original(f.Source)
		if err == nil && string(before) != string(f.data) && (!utf8.Valid(before) || lostComments(before, f.data) != nil) {
			incomplete[key{f.Kind, f.Name}], kept[f.Source] = true, true
			keepOriginal(f.Source, "manually copy the file to the source of truth, then remove it", "the original was not removed because importing it would lose comments or invalid UTF-8 bytes")
		}
	}
	for _, l := range m.result.Losses {
		// The lost parts exist only in the original.
		incomplete[key{l.Kind, l.Name}], kept[l.Source] = true, true
		keepOriginal(l.Source, "list the missing parts with --verbose, manually copy them to the source of truth, then remove the file", "the original was not removed because parts of it could not be imported")
	}
	for i := range m.result.Files {
		f := &m.result.Files[i]
		switch {
		case f.Action == "keep":
		case m.isProjectInstructions(f.Path) && (len(m.projectInstructions) > 1 || m.Request.Move && m.isHostInstructions(f.Source)):
			for _, p := range m.projectInstructions {
				if kept[p] {
					continue
				}
				fix := "run vade sync before you edit " + f.Path + ", so that it keeps this file up to date; or remove the file, and vade sync creates it again"
				if before, err := m.Tree.ReadFile(p, syncstate.MaxFile); err == nil && string(before) != string(f.data) {
					fix = "remove the file so that vade sync creates it from " + f.Path
				}
				keepOriginal(p, fix, "the original was not removed because it contains project-wide instructions")
			}
		case kept[f.Source]:
		case m.Request.Move && len(m.Project.Hosts) == 0 && m.Request.To == "" && f.Kind == definition.Command &&
			!slices.ContainsFunc(m.hosts, func(p *host.Profile) bool { return p.ReadsFile(f.Path) }):
			// If vade.yaml does not list hosts, vade sync may never write the host's copy.
			keepOriginal(f.Source, "list your hosts in vade.yaml (run: vade init) so that vade sync writes the file for them, or choose a different directory with --to", "the original was not removed because no host reads "+f.Path)
		case incomplete[key{f.Kind, f.Name}]:
			keepOriginal(f.Source, "compare it with "+f.Path, "the original was not removed because the "+f.Kind.String()+" "+f.Name+" was only partially imported")
		default:
			if _, err := m.original(f.Source); err == nil {
				f.complete, f.Removed = true, m.Request.Move
			}
		}
	}
}

// reportRemovedHosts reports the hosts whose files are removed, because vade sync may then no
// longer detect that the project uses them.
func (m *Importer) reportRemovedHosts() {
	var removed []string
	for _, f := range m.result.Files {
		if f.Removed {
			removed = append(removed, f.Source)
		}
	}
	names := m.ownersOf(removed...)
	if len(m.Project.Hosts) == 0 && len(names) > 0 {
		m.note(diag.SyncHost, config.File, "add to "+config.File+": hosts: ["+strings.Join(names, ", ")+"]",
			"after the originals are removed, vade sync may no longer detect that the project uses %s", strings.Join(names, ", "))
	}
}

// ownersOf returns the hosts whose directories contain the files, one host per family.
func (m *Importer) ownersOf(files ...string) (names []string) {
	for _, p := range m.hosts {
		family := catalog.HostFamily(p.Name)
		owns := func(file string) bool {
			return slices.ContainsFunc(catalog.HostPaths(p), func(l string) bool {
				return catalog.UnderAny([]string{l}, file) && catalog.OwnsPath(m.hosts, family, l)
			})
		}
		known := slices.ContainsFunc(names, func(n string) bool { return catalog.HostFamily(n) == family })
		if p.Export != nil && p.Program() && !known && slices.ContainsFunc(files, owns) {
			names = append(names, p.Name)
		}
	}
	return names
}

// write writes the files and, if requested, removes the originals.
func (m *Importer) write(ctx context.Context, w *vfs.Writer) error {
	for i := range m.result.Files {
		f := &m.result.Files[i]
		if err := ctx.Err(); err != nil {
			return err
		}
		if f.Action != "create" {
			continue
		}
		if err := createFile(m.Tree, w, f.Path, f.Source, f.data, f.executable); err != nil {
			return fmt.Errorf("vade: %s: %w", f.Path, catalog.Cause(err))
		}
	}
	m.result.Done = true
	if !m.Request.Move {
		return m.adopt(w)
	}
	return m.remove(w)
}

// adopt marks the original files as copies that belong to the project, so vade sync updates them in
// their original format when the new files change. If an original is reached through a symlink,
// adopt records the symlink instead.
func (m *Importer) adopt(w *vfs.Writer) error {
	for i := range m.result.Files {
		f := &m.result.Files[i]
		before, err := m.original(f.Source)
		e := syncstate.Entry{Path: f.Source, Source: f.Path, Hosts: m.ownersOf(f.Source), Digest: syncstate.Digest(before), Own: true}
		if link, target := m.linkOf(f.Source); link != "" {
			_, real, _ := m.Tree.Resolve(link)
			e.Path, e.Source, e.Link, e.Digest = link, real, target, ""
		}
		if err != nil || !f.complete || m.State.Has(e.Path) {
			continue
		}
		m.State.Files = append(m.State.Files, e)
		m.State.Sort()
	}
	return writeState(m.Tree, w, m.State)
}

// remove removes the originals selected by the plan.
func (m *Importer) remove(w *vfs.Writer) error {
	for i := range m.result.Files {
		f := &m.result.Files[i]
		if !f.Removed {
			continue
		}
		data, err := m.original(f.Source)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		link, target := m.linkOf(f.Source)
		switch {
		case err == nil && link != "":
			err = w.Unlink(link, target)
		case err == nil:
			err = w.Remove(f.Source, data)
		}
		if err != nil {
			f.Removed = false
			m.problem(diag.SyncBlocked, f.Source, "remove it manually", "the file was imported but could not be removed: %s", catalog.Cause(err))
			continue
		}
		removeEmptyParents(w, f.Source)
	}
	return nil
}

// NeutralFields renames a file's fields to the names used in the source of truth, if its host uses
// other names. For example, Codex's "model_reasoning_effort" becomes "effort". It also replaces
// tool names that cover fewer tools in that host than in another.
func (m *Importer) NeutralFields(d *definition.Definition, entries []definition.Entry) ([]definition.Entry, bool) {
	list, changed := slices.Clone(entries), false
	for i := range list {
		e := &list[i]
		if field := m.fieldOf(d, e.Key); field != 0 && !slices.ContainsFunc(list,
			func(o definition.Entry) bool { return definition.LookupField(o.Key) == field }) {
			e.Key, changed = field.Key(), true
		}
		switch definition.LookupField(e.Key) {
		case definition.FieldTools, definition.FieldAllowedTools, definition.FieldDisallowedTools:
			if v, ok := m.neutralTools(d, e.Value); ok {
				e.Value, changed = v, true
			}
		}
	}
	return list, changed
}

// fieldOf returns the field that a key denotes in the hosts that own the definition's directory. It
// returns 0 if the key is a neutral name or if none of these hosts supports the key.
func (m *Importer) fieldOf(d *definition.Definition, key string) definition.Field {
	if definition.LookupField(key) != 0 {
		return 0
	}
	for _, p := range m.hostsOf(d.Origin.Root) {
		if r, ok := p.Rule(d.Kind, key); ok && r.Field != 0 {
			return r.Field
		}
	}
	return 0
}

// neutralTools replaces tool names that cover more tools in another host than in the file's own
// host. For example, "edit" includes creating files in Copilot but not in Qwen Code.
func (m *Importer) neutralTools(d *definition.Definition, v definition.Value) (definition.Value, bool) {
	hosts := m.hostsOf(d.Origin.Root)
	if len(hosts) == 0 || hosts[0].Export == nil || hosts[0].Export.Tools == nil || hosts[0].Export.Tools.Name == nil {
		return v, false
	}
	name := hosts[0].Export.Tools.Name
	expand := func(word string) []string {
		base, rule, ruled := strings.Cut(word, "(")
		all := registry.NeutralTools(strings.TrimSpace(base))
		own := slices.DeleteFunc(slices.Clone(all), func(n string) bool { return name(n) != strings.TrimSpace(base) })
		if len(own) == 0 || len(own) == len(all) {
			return nil
		}
		for i := range own {
			if ruled {
				own[i] += "(" + rule
			}
		}
		return own
	}
	changed := false
	out := definition.Value{Kind: v.Kind, Span: v.Span}
	if v.Kind == definition.Map {
		for _, p := range v.Pairs {
			words := expand(p.Key)
			changed = changed || words != nil
			if words == nil {
				words = []string{p.Key}
			}
			for _, w := range words {
				p.Key = w
				out.Pairs = append(out.Pairs, p)
			}
		}
		return out, changed
	}
	words, _ := frontmatter.Rules(v)
	out.Kind = definition.List
	for _, word := range words {
		own := expand(word)
		changed = changed || own != nil
		if own == nil {
			own = []string{word}
		}
		for _, w := range own {
			out.Items = append(out.Items, definition.Value{Kind: definition.String, Text: w, Span: v.Span})
		}
	}
	return out, changed
}
