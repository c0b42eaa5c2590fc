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
	"github.com/vadehq/vade/internal/resolve"
	"github.com/vadehq/vade/internal/syncstate"
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
	result ImportResult
}

func openImport(ctx context.Context, o catalog.Options, io ImportOptions) (*Importer, error) {
	y, err := OpenSync(ctx, o, Options{})
	if err != nil {
		return nil, err
	}
	m := &Importer{Syncer: y, Request: io}
	if y.Project.Invalid {
		err = fmt.Errorf("vade: %s has to be fixed first: see vade sync", config.File)
	} else if err = m.Choose(); err == nil && !m.ReadState() {
		err = fmt.Errorf("vade: %s has to be fixed first: see vade sync", syncstate.File)
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
	o := m.Options
	o.As, o.Sources = m.as, m.sources
	c, err := catalog.Open(ctx, o)
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
	files := made.Files
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
		// What is not carried over stays in the file of its host.
		if l := &m.result.Losses[i]; l.What == export.LossField && strings.Contains(l.Fix, "'s own file") {
			l.Fix = "it stays in " + l.Source + "; write it into the settings of that host yourself, if it is meant"
		}
	}
	for _, f := range m.result.Files {
		if f.Action == "create" && len(f.Sources) > 1 {
			m.result.Diagnostics = append(m.result.Diagnostics, diag.For(f.Path, diag.ImportJoined, "%d files became one: %s", len(f.Sources), strings.Join(f.Sources, ", ")).
				WithFix("see that it says each thing once, and take out what is for one host only"))
		}
	}
	if to := path.Clean(m.Request.To); m.Request.To != "" && !m.isSource(to) {
		m.note(diag.SyncSource, config.File, "write into "+config.File+": source: "+to, "vade sync does not read %s yet", to)
	}
	if m.Request.Move {
		m.chooseMoved()
		m.sayHosts()
	}
	diag.Sort(m.result.Diagnostics)
	return nil
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
		data, err := m.Tree.ReadFile(f.Path, syncstate.MaxFile)
		switch why := config.BadPath(f.Path); {
		case why != "":
			file.Action = "keep"
			m.problem(diag.SyncBlocked, f.Source, "give it another name", "%s is not brought over: the path %q %s", what, f.Path, why)
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			file.Action = "keep"
			m.problem(diag.SyncBlocked, f.Path, "move it away", "%s is not brought over: %s", what, catalog.Cause(err))
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

// note reports what is worth knowing and hinders nothing.
func (m *Importer) note(code diag.Code, path, fix, format string, args ...any) {
	d := diag.For(path, code, format, args...).WithFix("%s", fix)
	d.Severity = diag.Info
	m.result.Diagnostics = append(m.result.Diagnostics, d)
}

// left names what is not brought over because another has its name, or because it can
// not be read. What says the same as the file in the source of truth is there already.
func (m *Importer) left(ctx context.Context, c *catalog.Catalog) error {
	all, err := c.Scan(ctx)
	if err != nil {
		return err
	}
	for _, d := range all.All {
		if d.Origin.Layer != definition.Project || m.Truth.Mine(d.Origin.Path) {
			continue
		}
		switch {
		case d.State == definition.Shadowed && d.ReplacedBy != nil:
			files, there := m.there(ctx, c, d)
			if m.Request.Move {
				m.result.Files = append(m.result.Files, files...)
			}
			if !there {
				m.problem(diag.ImportLeft, d.Origin.Path, "rename it, or put what it says into the other",
					"it is not brought over: %s is the %s %s already, and says something else", d.ReplacedBy.Origin.Path, d.ReplacedBy.Kind, d.ReplacedBy.Name)
			}
		case d.State == definition.Dropped && d.ReasonCode != diag.SameFile && d.ReasonCode != diag.NotRead && d.ReasonCode != diag.SyncCopy,
			d.State == definition.Disabled:
			m.problem(diag.ImportLeft, d.Origin.Path, "see: vade check "+d.Origin.Path, "it is not brought over: %s", d.Reason)
		}
	}
	return nil
}

// there reports whether the source of truth has, or will have, what a definition says,
// and in which files; these are none where something of it is lost.
func (m *Importer) there(ctx context.Context, c *catalog.Catalog, d *definition.Definition) (files []ImportedFile, there bool) {
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
		m.note(diag.ImportLeft, d.Origin.Path, "put what is lost into the source of truth by hand, and remove the file", "it stays, because not all of it could be carried over")
		return nil, true
	}
	return files, true
}

// losesText reports whether a rewritten file lacks a comment in the fields of the original,
// or bytes that are not UTF-8.
func losesText(before, after []byte) bool {
	if !utf8.Valid(before) {
		return true
	}
	head := before
	if rest, markdown := bytes.CutPrefix(before, []byte("---\n")); markdown {
		head, _, _ = bytes.Cut(rest, []byte("\n---"))
	} else if bytes.Contains(after, before) {
		return false
	}
	for line := range bytes.Lines(head) {
		at := bytes.Index(append([]byte(" "), line...), []byte(" #"))
		if at >= 0 && !bytes.Contains(after, bytes.TrimSpace(line[at:])) {
			return true
		}
	}
	return false
}

// chooseMoved decides which originals are taken away: those of the definitions that are
// in their new place as a whole. The others are named.
func (m *Importer) chooseMoved() {
	type key struct {
		kind definition.Kind
		name string
	}
	held, kept, said := map[key]bool{}, map[string]bool{}, map[string]bool{}
	for _, f := range m.result.Files {
		if f.Action == "keep" {
			held[key{f.Kind, f.Name}] = true
			kept[f.Source] = true
		}
	}
	stays := func(file, fix, why string) {
		if !said[file] {
			said[file] = true
			m.note(diag.ImportLeft, file, fix, "%s", why)
		}
	}
	for _, f := range m.result.Files {
		before, err := m.Tree.ReadFile(f.Source, syncstate.MaxFile)
		if err == nil && string(before) != string(f.data) && losesText(before, f.data) {
			held[key{f.Kind, f.Name}], kept[f.Source] = true, true
			stays(f.Source, "put it into the source of truth by hand, and remove the file", "it stays, because its comments, or bytes that are not UTF-8, are not carried over")
		}
	}
	for _, l := range m.result.Losses {
		// What was lost can only be had from the original.
		held[key{l.Kind, l.Name}], kept[l.Source] = true, true
		stays(l.Source, "see what with --verbose, put it into the source of truth by hand, and remove the file", "it stays, because not all of it could be carried over")
	}
	for i := range m.result.Files {
		f := &m.result.Files[i]
		switch {
		case f.Action == "keep":
		case m.isWhole(f.Path):
			for _, p := range m.wholes {
				if !kept[p] {
					stays(p, "nothing has to be done: vade sync keeps it in step where it says the same; or remove it, and have it made again", "it stays, as the files for the whole project do")
				}
			}
		case kept[f.Source]:
		case held[key{f.Kind, f.Name}]:
			stays(f.Source, "compare it with "+f.Path, "it stays, because not all of the "+f.Kind.String()+" "+f.Name+" is in the source of truth")
		default:
			if _, err := m.Tree.Lstat(f.Source); err == nil {
				f.Removed = true
			}
		}
	}
}

// sayHosts names the hosts whose files are taken away: nothing else may show that the
// project uses them.
func (m *Importer) sayHosts() {
	var names []string
	for _, p := range m.hosts {
		first := catalog.HostFamily(p.Name)
		shown := func(f ImportedFile) bool {
			return f.Removed && slices.ContainsFunc(catalog.HostPaths(p), func(l string) bool {
				return catalog.UnderAny([]string{l}, f.Source) && catalog.OwnsPath(m.hosts, first, l)
			})
		}
		known := slices.ContainsFunc(names, func(n string) bool { return catalog.HostFamily(n) == first })
		if p.Export != nil && p.Program() && !known && slices.ContainsFunc(m.result.Files, shown) {
			names = append(names, p.Name)
		}
	}
	if len(m.Project.Hosts) == 0 && len(names) > 0 {
		m.note(diag.SyncHost, config.File, "write into "+config.File+": hosts: ["+strings.Join(names, ", ")+"]",
			"when the originals are gone nothing may show that the project uses %s, and vade sync makes nothing for it then", strings.Join(names, ", "))
	}
}

// write makes the files, and takes the originals away where that is asked for.
func (m *Importer) write(ctx context.Context, w *vfs.Writer) error {
	for i := range m.result.Files {
		f := &m.result.Files[i]
		if err := ctx.Err(); err != nil {
			return err
		}
		if f.Action != "create" {
			continue
		}
		if err := create(m.Tree, w, f.Path, f.Source, f.data, f.executable); err != nil {
			return fmt.Errorf("vade: %s: %w", f.Path, catalog.Cause(err))
		}
	}
	m.result.Done = true
	if !m.Request.Move {
		return nil
	}
	return m.remove(w)
}

// remove takes away the originals that a plan has chosen.
func (m *Importer) remove(w *vfs.Writer) error {
	for i := range m.result.Files {
		f := &m.result.Files[i]
		if !f.Removed {
			continue
		}
		data, err := m.Tree.ReadFile(f.Source, syncstate.MaxFile)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = w.Remove(f.Source, data)
		}
		if err != nil {
			f.Removed = false
			m.problem(diag.SyncBlocked, f.Source, "remove it by hand", "it is in the source of truth now, and could not be taken away: %s", catalog.Cause(err))
			continue
		}
		removeEmpty(w, f.Source)
	}
	return nil
}

// Spelled gives the fields of a file the names that they have in the source of truth,
// where the host whose file it is has another: "model_reasoning_effort" of Codex is
// "effort". So it is with words for tools that mean less to that host than to another.
func (m *Importer) Spelled(d *definition.Definition, entries []definition.Entry) ([]definition.Entry, bool) {
	list, changed := slices.Clone(entries), false
	for i := range list {
		e := &list[i]
		if field := m.fieldOf(d, e.Key); field != 0 && !slices.ContainsFunc(list, func(o definition.Entry) bool { return definition.LookupField(o.Key) == field }) {
			e.Key, changed = field.Key(), true
		}
		switch definition.LookupField(e.Key) {
		case definition.FieldTools, definition.FieldAllowedTools, definition.FieldDisallowedTools:
			if v, ok := m.toolsOf(d, e.Value); ok {
				e.Value, changed = v, true
			}
		}
	}
	return list, changed
}

// fieldOf is the field that a key is in the files of the host that a definition stands
// with, 0 where its name says that already or no such host knows it.
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

// toolsOf writes words for tools that stand for several of them in some host, and for
// fewer in the one whose file it is, by their neutral words: "edit" of Qwen Code does not
// write new files, that of Copilot does.
func (m *Importer) toolsOf(d *definition.Definition, v definition.Value) (definition.Value, bool) {
	hosts := m.hostsOf(d.Origin.Root)
	if len(hosts) == 0 || hosts[0].Export == nil || hosts[0].Export.Tools == nil || hosts[0].Export.Tools.Name == nil {
		return v, false
	}
	name := hosts[0].Export.Tools.Name
	meant := func(word string) []string {
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
			words := meant(p.Key)
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
		own := meant(word)
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
