package explain

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/check"
	"github.com/vadehq/vade/internal/config"
	"github.com/vadehq/vade/internal/discover"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/parse"
	"github.com/vadehq/vade/internal/shell"
	"github.com/vadehq/vade/internal/version"
	"github.com/vadehq/vade/internal/vfs"
)

// explainUnread returns the verdict for a file that the host does not look at.
// d is the view's definition for the file, or nil.
func (e *explainer) explainUnread(v *view, s *subject, d *definition.Definition) Verdict {
	w := whyUnread{e: e, v: v, s: s, p: v.profile, cell: host.CellRoots}
	w.explain(d)
	w.fixBySync()
	if w.fix.text != "" && strings.ContainsFunc(s.path, unicode.IsControl) {
		// A shell command cannot be displayed exactly as it must be typed if it contains control
		// characters.
		w.fix = fix{text: "remove the control characters from the file name"}
	}
	x := Verdict{State: StateNotRead, Code: diag.NotRead, Reason: w.reason, Reads: w.reads}
	x.setBasis(w.p, w.cell)
	if others := v.byName[kindName{s.kind, s.name}]; len(others) > 0 && s.kind != definition.Instruction {
		x.Reason += e.loadedInstead(s, others[0])
		x.Reads = nil
	} else if w.fix.text != "" {
		x.Then = w.afterFix()
		x.Fix, x.Change = w.fix.text, w.fix.change
	}
	return x
}

// fix is a command to run or an instruction for a person. change is nil if Vade cannot make the
// change.
type fix struct {
	text   string
	change *Change
}

// whyUnread determines why a host does not look at a file, and what the smallest fix is. It uses
// the diagnostics from discovery and the roots in the host's profile.
type whyUnread struct {
	e *explainer
	v *view
	s *subject
	p *host.Profile

	reason string
	fix    fix
	cell   host.Cell
	// reads lists the directories that the host reads instead. target is the path to which the fix
	// moves, copies or links the file. copyFix is an alternative fix that creates a copy at that
	// path.
	reads   []string
	target  catalog.Placement
	copyFix fix
}

func (w *whyUnread) because(cell host.Cell, format string, args ...any) {
	w.cell, w.reason = cell, w.p.Name+" "+fmt.Sprintf(format, args...)
}

func (w *whyUnread) explain(d *definition.Definition) {
	switch r := w.matchingRoot(); {
	case w.s.bundled:
		w.reason = "the definition is bundled with Vade, so hosts do not have it"
	case w.s.layer == definition.Plugin:
		w.plugin()
	case r != nil && w.s.nested != "":
		w.because(host.CellRoots, "does not read %ss below the working directory", w.s.kind)
		w.fix.text = "start the host in " + w.s.nested + ", or " + cmp.Or(w.linkCommand(r).text, "move it to the project root")
	case r != nil:
		w.recorded(r, d)
		if w.target.Root == nil {
			w.placeAt(r, w.s.path)
		}
	default:
		w.otherRoots()
	}
}

// matchingRoot returns the profile's root that contains the file, or nil.
func (w *whyUnread) matchingRoot() *host.Root {
	if w.s.root == nil {
		return nil
	}
	label := w.s.root.Label()
	for i := range w.p.Roots {
		if r := &w.p.Roots[i]; r.Label() == label && (r.Layer == w.s.layer || r.Base == w.s.root.Base) {
			return r
		}
	}
	return nil
}

func (w *whyUnread) plugin() {
	if w.p.Plugins == nil {
		w.because(host.CellRoots, "is not known to load plugins in this format")
		return
	}
	w.because(host.CellRoots, "does not have the plugin %s installed", w.s.plugin)
	w.fix.text = "install the plugin in " + w.p.Name
}

// recorded handles a file in a directory that the host reads. It uses the reason that discovery
// recorded for the file, if any.
func (w *whyUnread) recorded(r *host.Root, d *definition.Definition) {
	w.cell = host.CellWalk
	if d != nil && d.State == definition.Dropped {
		w.reason, w.fix.text = d.Reason, fixOf(d)
		if !w.accepted(r) {
			w.fix = w.linkCommand(r)
		}
		return
	}
	if x := w.reportedAbove(); x != nil {
		w.reason, w.fix.text = x.Message, x.Fix
		return
	}
	if d == nil && w.s.badLink {
		w.reason = "the symlink does not point to a file that " + w.p.Name + " reads"
		w.fix.text = fixOf(w.e.neutral.definition(w.s.real))
		return
	}
	for _, other := range w.v.all {
		dir, skill := strings.CutSuffix(other.Origin.Path, "/"+catalog.SkillFileName)
		if skill && strings.HasPrefix(w.s.path, dir+"/") {
			w.reason, w.fix.text = "the file belongs to the skill in "+dir, "move it out of "+dir
			return
		}
	}
	if w.s.distance > 0 {
		w.because(host.CellWalk, "reads %s only in the working directory, not in its parent directories", r.Label())
		w.fix.text = "start " + w.p.Name + " in the directory that contains " + r.Label()
		return
	}
	w.because(host.CellWalk, "does not look for %ss at this path", w.s.kind)
}

// accepted reports whether one of the root's rules accepts the file's name and depth.
func (w *whyUnread) accepted(r *host.Root) bool {
	rel := strings.TrimPrefix(w.s.path, w.s.rootShown+"/")
	return slices.ContainsFunc(r.Rules, func(rule host.Rule) bool {
		fits, _ := rule.Fits(path.Base(rel), strings.Count(rel, "/"))
		return fits
	})
}

// reportedAbove returns the host's scan diagnostic for the file or its nearest
// parent directory, or nil.
func (w *whyUnread) reportedAbove() *diag.Diagnostic {
	for at := w.s.path; len(at) >= len(w.s.rootShown) && at != "." && at != "/"; at = path.Dir(at) {
		for i := range w.v.c.ScanDiagnostics {
			if x := &w.v.c.ScanDiagnostics[i]; x.File == at {
				return x
			}
		}
	}
	return nil
}

// otherRoots names the directories that the host reads instead, and explains
// how to make the file available there.
func (w *whyUnread) otherRoots() {
	rows, kind := w.p.RootsOf(w.s.kind, w.comparableBases()...), w.s.kind
	if len(rows) == 0 {
		w.kindNotRead()
		return
	}
	old := func(row int) bool { return w.p.Roots[row].Legacy }
	if newer := slices.DeleteFunc(slices.Clone(rows), old); len(newer) > 0 {
		rows = newer
	}
	var labels []string
	for _, row := range rows {
		labels = append(labels, w.p.Roots[row].Label())
	}
	w.because(host.CellRoots, "reads %s, not %s", catalog.JoinAnd(labels), w.s.rootLabel())
	w.reads = labels
	w.cell = cellOfKind(kind)
	w.fix = w.linkCommand(w.bestRoot(rows))
	if w.s.badLink {
		// If a symlink leaves the project, the neutral view has no definition for its target.
		w.fix.text = cmp.Or(fixOf(w.e.neutral.definition(w.s.real)), w.fix.text)
	}
}

// comparableBases returns the bases of the roots to which the file could be moved. For files in the
// home directory or a managed directory, only the same base is possible. For other files, all
// project bases are.
func (w *whyUnread) comparableBases() []host.Base {
	switch {
	case w.s.root == nil:
	case w.s.root.Base == host.InHome:
		return []host.Base{host.InHome}
	case w.s.root.Base == host.InManaged:
		return []host.Base{host.InManaged}
	}
	return []host.Base{host.InProject, host.InTop, host.InWorkDir}
}

// rootLabel returns the file's root in the format used in reasons.
func (s *subject) rootLabel() string {
	switch {
	case s.root != nil:
		return s.root.Label()
	case s.format == definition.Package:
		return s.path
	case path.Base(s.path) == catalog.SkillFileName:
		return path.Dir(path.Dir(s.path))
	}
	return path.Dir(s.path)
}

// fileName returns the name that the definition gets from its file.
func (s *subject) fileName() string {
	if s.format == definition.Package {
		// Use the command's name, because a single file may contain multiple commands.
		return s.name
	}
	return check.NameOf(s.path)
}

// kindNotRead handles hosts that do not read definitions of this kind in the file's location.
func (w *whyUnread) kindNotRead() {
	every := []host.Base{host.InProject, host.InTop, host.InWorkDir, host.InHome, host.InManaged}
	if rows := w.p.RootsOf(w.s.kind, every...); len(rows) > 0 {
		var labels []string
		for _, row := range rows {
			labels = append(labels, w.p.Roots[row].Label())
		}
		w.because(cellOfKind(w.s.kind), "reads %ss only in %s", w.s.kind, catalog.JoinAnd(labels))
		return
	}
	w.because(cellOfKind(w.s.kind), "does not read %ss", w.s.kind)
	skills := w.p.RootsOf(definition.Skill, w.comparableBases()...)
	if w.s.kind == definition.Command && len(skills) > 0 {
		dir := w.p.Roots[skills[0]].Label()
		if r := w.bestRoot(skills); r != nil {
			dir = r.Label()
		}
		w.fix.text = "rewrite it as a skill with a name and a description: " + path.Join(dir, w.s.fileName(), catalog.SkillFileName)
	}
}

// bestRoot returns the root that most hosts read, so that one fix works for as many hosts as
// possible. A root can be a single file. If an instruction's own root is a single file, bestRoot
// considers only such roots; for any other instruction, it considers only directories. A legacy
// root is the last resort.
func (w *whyUnread) bestRoot(rows []int) *host.Root {
	var best *host.Root
	most := -1
	for _, row := range rows {
		r := &w.p.Roots[row]
		n := 2 * host.Readers(w.e.profiles, r.Label(), w.s.kind)
		if r.Legacy {
			n = 0
		}
		if w.s.kind == definition.Instruction && r.Single() != w.single() {
			continue
		}
		if n > most {
			best, most = r, n
		}
	}
	return best
}

// single reports whether the file's root is a single file.
func (w *whyUnread) single() bool { return w.s.root != nil && w.s.root.Single() }

// linkCommand returns a command, to be run in the project root, or instructions that make the file
// available in the root. If the file is inside the root but has the wrong name or depth, it is
// moved, unless a symlink to its directory is enough.
func (w *whyUnread) linkCommand(r *host.Root) fix {
	if r == nil {
		return fix{text: "move its text to a file that " + w.p.Name + " reads"}
	}
	rule, ok := r.RuleFor(w.s.kind)
	if ok && w.s.format == definition.Package && rule.File == "" {
		return fix{text: "rewrite it as a file: " + path.Join(r.Label(), w.s.name+rule.Suffix)}
	}
	if !ok || !w.movable() {
		return fix{}
	}
	for i := range r.Rules {
		if other := &r.Rules[i]; other.Kind == w.s.kind && other.Skip == "" && rule.Format != w.s.format && other.Format == w.s.format {
			rule = other
		}
	}
	dir, file := r.Label(), w.s.path
	inside := w.s.nested == "" && r == w.matchingRoot()
	linkDir, linkFile := "ln -s", "ln -s"
	if w.p.Walk.NoDirLinks {
		linkDir = "cp -R"
	}
	if w.p.Walk.NoFileLinks {
		linkFile = "cp -R"
	}
	if inside {
		linkFile = "mv"
		if linkDir == "cp -R" {
			linkDir = "mv"
		}
		if !w.inHome() {
			dir = w.s.rootShown
		}
	}
	base, name := path.Base(file), check.NameOf(file)
	switch from := path.Dir(file); {
	case r.Single():
		w.target = catalog.Placement{Root: r, Rule: rule, Path: dir}
		return w.atTop(w.placeCommand("ln -s", file, dir))
	case rule.File != "" && strings.EqualFold(base, rule.File) && (w.s.root == nil || from != w.s.rootShown):
		to := path.Join(dir, path.Base(from))
		w.target = catalog.Placement{Root: r, Rule: rule, Path: path.Join(to, rule.File)}
		rename := ""
		if base != rule.File && !rule.FoldCase {
			rename = "mv " + w.shellPath(file) + " " + w.shellPath(path.Join(from, rule.File))
		}
		if inside && to == from {
			return w.atTop(fix{text: rename})
		}
		place := w.placeCommand(linkDir, from, to)
		if rename != "" {
			place = fix{text: rename + " && " + place.text}
		}
		return w.atTop(place)
	case rule.File != "":
		if isReadme(file) {
			return fix{}
		}
		if strings.EqualFold(base, rule.File) {
			name = "NAME"
		}
		w.target = catalog.Placement{Root: r, Rule: rule, Path: path.Join(dir, name, rule.File)}
		if !inside {
			linkFile = "cp -R"
		}
		return w.atTop(w.placeCommand(linkFile, file, w.target.Path))
	case rule.Format != w.s.format:
		return fix{text: "rewrite it as " + path.Join(dir, name+rule.Suffix) + ", in the format that " + w.p.Name + " reads"}
	}
	w.target = catalog.Placement{Root: r, Rule: rule, Path: path.Join(dir, name+rule.Suffix)}
	if !inside && (w.s.kind == definition.Agent || w.s.kind == definition.Command) {
		w.copyFix = w.atTop(w.placeCommand("cp -R", file, w.target.Path))
	}
	return w.atTop(w.placeCommand(linkFile, file, w.target.Path))
}

// movable reports whether the file can be the target of a symlink.
func (w *whyUnread) movable() bool {
	return w.s.format != definition.Package && !w.s.badLink && (w.inHome() || !vfs.IsAbs(w.s.path))
}

func (w *whyUnread) inHome() bool { return w.s.root != nil && w.s.root.Base == host.InHome }

// placeCommand returns a command that uses "ln -s", "cp -R" or "mv" to make a file or directory
// available at another path. If that path already exists, it returns instructions instead.
func (w *whyUnread) placeCommand(how, from, to string) fix {
	if w.exists(to) {
		merge := "merge the two"
		if how == "ln -s" {
			merge += " and replace one with a symlink to the other"
		}
		return fix{text: to + " already exists: " + merge + ", or rename one"}
	}
	command, link := "", from
	if dir := path.Dir(to); dir != "." && !w.exists(dir) {
		command = "mkdir -p " + w.shellPath(dir) + " && "
	}
	if how == "ln -s" && !vfs.IsAbs(from) && !strings.HasPrefix(to, "~/") {
		if rel, below := strings.CutPrefix(from, path.Dir(to)+"/"); below {
			link = rel
		} else {
			link = strings.Repeat("../", strings.Count(to, "/")) + from
		}
	}
	f := fix{text: command + how + " " + w.shellPath(link) + " " + w.shellPath(to)}
	if !strings.Contains(to, "/NAME/") {
		f.change = w.newChange(how, from, to, link)
	}
	return f
}

// exists reports whether a path in the project, or below "~", exists.
func (w *whyUnread) exists(name string) bool {
	c := w.v.c
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		return slices.ContainsFunc(c.Quick.Places, func(pl discover.Place) bool {
			if pl.Layer != definition.User || pl.Plugin != nil {
				return false
			}
			rel, ok := pl.Tree.Rel(path.Join(c.Env.Home, rest))
			if !ok {
				return false
			}
			_, err := pl.Tree.Lstat(rel)
			return err == nil
		})
	}
	if c.Quick.Project == nil {
		return false
	}
	_, err := c.Quick.Project.Lstat(name)
	return err == nil
}

// shellPath quotes a path for a shell, and abbreviates the home directory to "~".
func (w *whyUnread) shellPath(name string) string {
	if home := w.v.c.Env.Home; home != "" {
		if rest, ok := strings.CutPrefix(name, home+"/"); ok {
			name = "~/" + rest
		}
	}
	return shellWord(name)
}

// shellWord quotes a path for a shell. It does not quote a leading "~/", and it keeps a leading "-"
// from being parsed as a flag.
func shellWord(name string) string {
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		return "~/" + shell.ForShell(rest)
	}
	if strings.HasPrefix(name, "-") {
		name = "./" + name
	}
	return shell.ForShell(name)
}

// atTop adds a note to a command that must be run from the project root, unless that is the working
// directory.
func (w *whyUnread) atTop(f fix) fix {
	if dir := w.v.c.Quick.WorkDir; dir != "" && dir != "." && !vfs.IsAbs(w.s.path) && f.text != "" {
		f.text += "   (from the project root)"
	}
	return f
}

// maxHead is the maximum number of bytes to read from a file to find out how a host would treat it
// at another path. Scans have the same limit.
const maxHead = 72 << 10

// treeOf returns the tree in which the file was found and the file's path in it, or nil.
func (e *explainer) treeOf(s *subject) (*vfs.Tree, string) {
	if !vfs.IsAbs(s.path) && e.neutral.c.Quick.Project != nil {
		return e.neutral.c.Quick.Project, s.path
	}
	for _, v := range append([]*view{e.neutral}, e.views...) {
		for i := range v.c.Quick.Places {
			pl := &v.c.Quick.Places[i]
			if rel, ok := strings.CutPrefix(s.path, pl.Shown+"/"); ok {
				return pl.Tree, path.Join(pl.Dir, rel)
			}
		}
	}
	return nil, ""
}

// placeAt records the fix's target in one of the host's roots.
func (w *whyUnread) placeAt(r *host.Root, shown string) {
	if rule := catalog.RuleFor(r, w.s.kind, w.s.format, path.Base(shown)); rule != nil {
		w.target = catalog.Placement{Root: r, Rule: rule, Path: shown}
	}
}

// afterFix returns the changes that the file needs in addition to the fix, or "". It parses the
// file at its new path as the host would. If the host rejects the form of a field, afterFix
// replaces the fix with one that creates a copy, so that other hosts can still load the original.
func (w *whyUnread) afterFix() string {
	d, rest := w.atTarget()
	if d == nil || d.State != definition.Dropped {
		return rest
	}
	rest = remainingFixes(d)
	if w.copyFix.text != "" && strings.HasPrefix(string(d.ReasonCode), "FIELD_") && d.ReasonCode != diag.FieldMissing {
		w.fix, rest = w.copyFix, "in the copy, "+rest
	}
	return rest
}

// atTarget parses the file at the fix's target and returns the problems that the new location
// causes. It ignores problems with the content. d is nil if the file cannot be parsed there.
func (w *whyUnread) atTarget() (d *definition.Definition, rest string) {
	if w.target.Root == nil {
		return nil, ""
	}
	tree, rel := w.e.treeOf(w.s)
	if tree == nil {
		return nil, ""
	}
	data := make([]byte, maxHead)
	n, size, err := tree.ReadHead(rel, data)
	if err != nil {
		return nil, ""
	}
	if most := w.p.MaxFile; most > 0 && size > most {
		return nil, fmt.Sprintf("shorten the file: %s reads at most %d bytes", w.p.Name, most)
	}
	if w.v.parser == nil {
		w.v.parser = parse.Parser(w.p, version.Number)
	}
	if d = w.v.parser(w.target.Found(w.s.real, data[:n], size)); d == nil || d.State == definition.Dropped {
		return d, ""
	}
	for _, other := range w.v.byName[kindName{d.Kind, d.Name}] {
		if other.Origin.Real != w.s.real && d.Kind != definition.Instruction {
			return d, "rename it: " + w.p.Name + " loads " + other.Origin.Path + " under the name " + d.Name
		}
	}
	return d, ""
}

// remainingFixes lists the changes that a dropped file needs before the host loads it. It lists the
// fix for each problem or, if there are no known fixes, the reason.
func remainingFixes(d *definition.Definition) string {
	var steps []string
	for _, y := range d.Diagnostics {
		if y.Fix != "" && (y.Code == d.ReasonCode || y.Severity == diag.Error) && !slices.Contains(steps, y.Fix) {
			steps = append(steps, y.Fix)
		}
	}
	if len(steps) == 0 {
		return d.Reason
	}
	return strings.Join(steps, "; ")
}

// loadedInstead returns text to append to a reason. It names the file that the host loads instead.
func (e *explainer) loadedInstead(s *subject, loaded *definition.Definition) string {
	p := loaded.Origin.Path
	switch mine, other := e.sources.Copies[s.path], e.sources.Copies[p]; {
	case other == s.path:
		return "; it loads the copy " + p
	case mine == p:
		return "; it loads the source " + p
	case mine != "" && mine == other:
		return "; it loads another copy of " + mine + ", " + p
	}
	return "; it loads " + p + " under this name"
}

// clearCopyFix removes the fix if the two files with the same name are a source and its copy, or
// copies of the same source.
func (e *explainer) clearCopyFix(x *Verdict, s *subject) {
	if x.ShadowedBy == "" || x.ShadowedBy == s.path || e.sources.Source(x.ShadowedBy) != e.sources.Source(s.path) {
		return
	}
	note := "one file is a copy of the other; no action is needed"
	if e.sources.Copies[s.path] != "" && e.sources.Copies[x.ShadowedBy] != "" {
		note = "both are copies of " + e.sources.Source(s.path) + "; no action is needed"
	}
	x.Fix, x.Notes = "", append(x.Notes, note)
}

// fixBySync replaces the fix if the project has a source of truth. In that case, the user fixes the
// source, and vade sync updates the files that hosts read.
func (w *whyUnread) fixBySync() {
	t, s := &w.e.sources, w.s
	if !t.Synced || s.layer != definition.Project || s.nested != "" || vfs.IsAbs(s.path) || s.bundled || w.matchingRoot() != nil {
		return
	}
	if t.Copies[s.path] != "" {
		w.setFix("")
		return
	}
	p := w.syncHost()
	if p == nil || s.format == definition.Package {
		return
	}
	first, d := "", w.e.neutral.definition(s.real)
	owner := slices.IndexFunc(w.e.profiles, func(p *host.Profile) bool { return p.Export != nil && p.Program() && p.ReadsFile(s.path) })
	switch {
	case catalog.UnderAny(t.Project.Sources(), s.path):
		if d == nil || d.State == definition.Dropped {
			// vade sync does not write the source in its current state. The source's own problems
			// are reported separately.
			w.setFix("")
			return
		}
	case s.kind == definition.Instruction && w.single():
		first = "move its text to the source of truth, " + catalog.JoinOr(t.Project.Sources())
	case owner >= 0:
		first = "vade import"
		if name := w.e.profiles[owner].Name; d != nil && catalog.OwnsPath(w.e.profiles, catalog.HostFamily(name), d.Origin.Root) {
			first += " --host " + name
		} else if dir, _, below := strings.Cut(s.path, "/"); below && strings.HasPrefix(dir, ".") {
			first += " --from " + shellWord(dir)
		}
	default:
		first = "move it into the source of truth, " + catalog.JoinOr(t.Project.Sources())
	}
	w.setFix(joinFix(first, syncCommand(t, p, s.kind)))
}

// setFix replaces the fix with a text. The changes that the file needs after that fix are not
// determined.
func (w *whyUnread) setFix(text string) {
	w.fix, w.target, w.copyFix = fix{text: text}, catalog.Placement{}, fix{}
}

func joinFix(first, rest string) string {
	switch {
	case first == "":
		return rest
	case strings.Contains(rest, ", then: "):
		return first + "; " + rest
	}
	return first + ", then: " + rest
}

// syncHost returns the host for which vade sync creates the copies that this host reads. That is
// this host itself, or a host whose directory it also reads. syncHost returns nil if there is none.
func (w *whyUnread) syncHost() *host.Profile {
	if w.p.Export != nil {
		if syncDir(w.p, w.s.kind) == "" {
			return nil
		}
		return w.p
	}
	for _, p := range w.e.profiles {
		if p.Export == nil || !p.Program() {
			continue
		}
		if at := syncDir(p, w.s.kind); at != "" && w.p.ReadsFile(at+"/x") {
			return p
		}
	}
	return nil
}

// syncDir returns the path where vade sync writes a host's copies of the definitions of a kind, or
// "" if there is none.
func syncDir(p *host.Profile, k definition.Kind) string {
	x := p.Export
	switch {
	case k == definition.Instruction && x.Instructions == nil:
	case k == definition.Instruction:
		return cmp.Or(x.Instructions.Dir, x.Instructions.Whole)
	case x.Place(k) != nil:
		return x.Place(k).Dir
	case k == definition.Command && x.CommandAsSkill:
		return cmp.Or(x.CommandDir, x.Place(definition.Skill).Dir)
	}
	return ""
}

// syncCommand returns the command that creates a host's copies of the definitions of a kind. If
// vade.yaml must be changed first, the command is preceded by that change.
func syncCommand(t *catalog.SourceOfTruth, p *host.Profile, k definition.Kind) string {
	const run = "vade sync"
	switch {
	case t.Project.Excludes(p.Name, k):
		return "remove " + k.String() + "s for " + p.Name + " from sync.exclude in " + config.File + ", then: " + run
	case slices.Contains(t.Project.Hosts, p.Name), len(t.Project.Hosts) == 0 && slices.Contains(t.SyncedHosts, p.Name):
		return run
	case len(t.Project.Hosts) > 0:
		return "add " + p.Name + " to hosts in " + config.File + ", then: " + run
	}
	return run + " --host " + p.Name
}
