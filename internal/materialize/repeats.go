package materialize

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/check/rules"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/resolve"
	"github.com/vadehq/vade/internal/syncstate"
)

// reading describes what a host sends from an instruction file.
type reading struct {
	// patterns selects the files to which the text applies. It is empty if the text applies to all
	// files.
	patterns          []string
	description, text string
	// distinct is set if the host omits other files that have the same text.
	distinct bool
}

// includes reports whether r already provides a host with everything in o.
func (r *reading) includes(o *reading) bool {
	return r != nil && o != nil && slices.Equal(r.patterns, o.patterns) && (o.description == "" || o.description == r.description) &&
		strings.Contains("\n"+r.text+"\n", "\n"+o.text+"\n")
}

// reading returns what the host sends from an instruction file. It returns nil if the host does not
// read the file, reads it only on request, or reads it only if another file is missing.
func (w *hostFiles) reading(file string, data []byte) *reading {
	in, at := w.profile.Instructions, catalog.Placement{Path: file}
	if in == nil {
		return nil
	}
	for i := range w.profile.Roots {
		at.Root = &w.profile.Roots[i]
		above, rel, ok := below(file, at.Root.Dir)
		if !ok || at.Root.Layer != definition.Project {
			continue
		}
		for j := range at.Root.Rules {
			at.Rule = &at.Root.Rules[j]
			fits, _ := at.Rule.Fits(path.Base(rel), strings.Count(rel, "/"))
			row := slices.IndexFunc(in.Rows, func(r host.InstructionRow) bool {
				return r.Layer == definition.Project && r.Dir == at.Root.Dir && (r.File == "" || r.File == path.Base(file))
			})
			if !fits || at.Rule.Kind != definition.Instruction || row < 0 {
				continue
			}
			key := file + "\x00" + string(data)
			r, known := w.readings[key]
			if !known {
				r = w.readingAt(&in.Rows[row], at, above, data)
				w.readings[key] = r
			}
			return r
		}
	}
	return nil
}

func (w *hostFiles) readingAt(row *host.InstructionRow, at catalog.Placement, above string, data []byte) *reading {
	x := w.profile.Export.Instructions
	if above != "" && row.NotNested || (row.Other || row.Group+row.Set != "") && (x == nil || row.File != x.Whole) {
		return nil
	}
	d := w.parse(at.Found(at.Path, data, int64(len(data))))
	if d == nil || d.State != definition.Loaded {
		return nil
	}
	r := reading{
		description: d.Fields.Description, text: strings.TrimSpace(rules.TextOf(at.Path, data).Body),
		distinct: w.profile.Instructions.Distinct && !row.Conditional,
	}
	always := row.OnRequest && d.Fields.AlwaysApply
	switch paths := d.Fields.Paths(); {
	case r.text == "" || row.OnRequest && !always && len(paths) == 0:
		return nil
	case row.Conditional && !always && !w.profile.Patterns.Always(paths):
		for _, p := range paths {
			r.patterns = append(r.patterns, path.Join(above, p))
		}
	case above != "":
		r.patterns = []string{above + "/**"}
	}
	return &r
}

// below splits a file's path at a directory named dir. above is the path above that directory, and
// rel is the path below it. If dir is "", below splits the path at the file's own directory.
func below(file, dir string) (above, rel string, ok bool) {
	if dir == "" {
		return strings.TrimSuffix(path.Dir("/" + file)[1:], "/"), path.Base(file), true
	}
	above, rel, ok = strings.Cut("/"+file, "/"+dir+"/")
	return strings.TrimPrefix(above, "/"), rel, ok
}

// shareInstructions omits a host's own instruction file if the host also reads another host's file
// with the same text. Otherwise, the host would send the text twice.
func (m *planner) shareInstructions(wants []desiredFile) {
	var own []*desiredFile
	for i := range wants {
		for _, h := range m.readers {
			if w := &wants[i]; w.link == "" && h.reading(w.path, w.data) != nil {
				own = append(own, w)
				break
			}
		}
	}
	all := append(m.keptFiles(), own...)
	// alternative returns another host's file that includes the text of the given file.
	alternative := func(w *desiredFile, samePath bool) *desiredFile {
		h := m.readers[w.hosts[0]]
		r := h.reading(w.path, w.data)
		i := slices.IndexFunc(all, func(o *desiredFile) bool {
			return r != nil && o.hosts[0] != w.hosts[0] && (o.path == w.path) == samePath &&
				h.reading(o.path, o.data).includes(r) && (samePath || m.canWrite(o))
		})
		if i < 0 {
			return nil
		}
		return all[i]
	}
	replace := func(w, o *desiredFile) {
		w.path, w.data, w.source, w.executable = o.path, o.data, o.source, o.executable
	}
	for _, w := range own {
		if o := alternative(w, true); o != nil {
			replace(w, o)
		}
	}
	for _, w := range own {
		m.instructions = append(m.instructions, w.path)
		// If one host needs the file, let the other hosts use it as well.
		alternatives := map[*desiredFile]*desiredFile{}
		needed := false
		for _, same := range own {
			if same.path == w.path {
				alternatives[same] = alternative(same, false)
				needed = needed || alternatives[same] == nil
			}
		}
		for same, o := range alternatives {
			if !needed {
				replace(same, o)
			}
		}
	}
}

// keptFiles returns the unedited files that Vade wrote for hosts that are not part of this sync.
func (m *planner) keptFiles() []*desiredFile {
	var list []*desiredFile
	for _, e := range m.before.Files {
		others := slices.DeleteFunc(slices.Clone(e.Hosts), func(h string) bool { return m.scope == nil || slices.Contains(m.scope, h) })
		if existing := m.inspect(e.Path); len(others) > 0 && existing.kind == file && m.owned(e.Path, &existing) {
			list = append(list, &desiredFile{path: e.Path, data: existing.data, source: e.Source, hosts: others})
		}
	}
	return list
}

// canWrite reports whether a file has, or will have, the desired content.
func (m *planner) canWrite(w *desiredFile) bool {
	existing := m.inspect(w.path)
	return existing.kind == missing || existing.kind == file &&
		(string(existing.data) == string(w.data) || m.owned(w.path, &existing)) || m.forced(w.path)
}

// reportRepeats reports text that a host sends twice because two of the files that it reads contain
// the same text.
func (y *Syncer) reportRepeats(all *resolve.Catalog, p *plan) {
	files := map[string][]byte{}
	add := func(file string) {
		if data, err := y.Tree.ReadFile(file, syncstate.MaxFile); err == nil {
			files[file] = data
		}
	}
	for _, d := range all.All {
		if d.Kind == definition.Instruction && d.Origin.Layer == definition.Project && d.State != definition.Dropped {
			add(d.Origin.Path)
		}
	}
	for _, file := range p.instructions {
		add(file)
	}
	for i := range p.steps {
		s := &p.steps[i]
		delete(files, s.Path)
		if s.after != nil {
			files[s.Path] = s.after
		}
	}
	paths := slices.Sorted(maps.Keys(files))
	hosts := map[[2]string][]string{}
	var pairs [][2]string
	for _, h := range y.Result.Hosts {
		w := y.readers[h.Host]
		for i, a := range paths {
			first := w.reading(a, files[a])
			for _, b := range paths[i+1:] {
				second := w.reading(b, files[b])
				if !first.includes(second) && !second.includes(first) || first.distinct && second.distinct && first.text == second.text {
					continue
				}
				pair := [2]string{a, b}
				if hosts[pair] == nil {
					pairs = append(pairs, pair)
				}
				hosts[pair] = append(hosts[pair], h.Host)
			}
		}
	}
	for _, pair := range pairs {
		verb := "sends"
		if len(hosts[pair]) > 1 {
			verb = "send"
		}
		y.Result.Diagnostics = append(y.Result.Diagnostics, diag.For(pair[1], diag.SyncTwice, "the file repeats text from %s, and %s %s both files to the model", pair[0], catalog.JoinAnd(hosts[pair]), verb).
			WithFix("if no host that you use needs one of the files, remove that file; otherwise, no action is needed"))
	}
}
