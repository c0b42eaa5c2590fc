package materialize

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/config"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/vfs"
)

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

// hostsAfter says which hosts nothing shows any more when the originals are gone, so that
// no copies would be made for them.
func (m *Importer) hostsAfter() {
	gone := map[string]bool{}
	for _, f := range m.result.Files {
		if f.Removed {
			gone[f.Source] = true
		}
	}
	if len(m.Project.Hosts) > 0 || len(gone) == 0 {
		return
	}
	var all, lost []string
	for _, p := range m.shown(nil) {
		all = append(all, p)
		if !slices.Contains(m.shown(gone), p) && !slices.Contains(m.State.Hosts(), p) {
			lost = append(lost, p)
		}
	}
	if len(lost) > 0 {
		m.note(diag.SyncHost, config.File, "write into "+config.File+": hosts: ["+strings.Join(all, ", ")+"]",
			"when the originals are gone nothing shows that the project uses %s, and vade sync makes nothing for it", strings.Join(lost, ", "))
	}
}

// shown are the hosts that have files of their own outside of the source of truth, but for
// those that are left out: as [checker.evident] finds them.
func (m *Importer) shown(without map[string]bool) []string {
	all := registry.Hosts()
	var names []string
	known := map[string]bool{}
	for _, p := range all {
		first := catalog.FirstWord(p.Name)
		if known[first] || p.Export == nil || !p.Program() {
			continue
		}
		if slices.ContainsFunc(catalog.Labels(p), func(l string) bool {
			return catalog.Own(all, first, l) && !catalog.InOneOf(m.Project.Sources(), l) && m.holds(l, without)
		}) {
			known[first] = true
			names = append(names, p.Name)
		}
	}
	return names
}

// holds reports whether something is at a place besides what is left out.
func (m *Importer) holds(p string, without map[string]bool) bool {
	typ, err := m.Tree.Lstat(p)
	if err != nil || typ != vfs.Dir {
		return err == nil && !without[p]
	}
	files, ok := m.filesIn(p, 0)
	return !ok || slices.ContainsFunc(files, func(f string) bool { return !without[p+"/"+f] })
}

// joined says of which files one was made that are several.
func (m *Importer) joined() {
	for _, f := range m.result.Files {
		if f.Action == "create" && len(f.Sources) > 1 {
			m.result.Diagnostics = append(m.result.Diagnostics, diag.For(f.Path, diag.ImportJoined, "%d files became one: %s", len(f.Sources), strings.Join(f.Sources, ", ")).
				WithFix("see that it says each thing once, and take out what is for one host only"))
		}
	}
}

// ownFix writes the fix of a loss for who imports: what is not carried over stays in the
// file of its host.
func (m *Importer) ownFix(l *export.HostLoss) {
	if l.What != export.LossField || !strings.Contains(l.Fix, "'s own file") {
		return
	}
	l.Fix = "it stays in " + l.Source + "; write it into the settings of that host yourself, if it is meant"
}
