package materialize

import (
	"bytes"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/check/rules"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/mirror"
)

// mainFile is the file of a definition that is made for one host.
type mainFile struct {
	w *hostWants
	f export.ExportedFile
}

// settle decides on one text where several hosts read a file at one path: the first
// that all of them read as their own. It has a mark where none of them shows it. Where
// there is no such text the files clash.
func (y *Syncer) settle(wants []mirror.Want) []mirror.Want {
	texts, raw := map[string][]byte{}, map[string][]byte{}
	for p, list := range y.mains {
		if text, data := settled(list); len(list) > 1 && data != nil {
			raw[p], texts[p] = text, data
		}
	}
	set := func(w *mirror.Want) {
		if data := texts[w.Path]; data != nil && w.Main == "" && w.Link == "" {
			w.Data = data
		}
	}
	for i := range wants {
		set(&wants[i])
		for k := range wants[i].Else {
			set(&wants[i].Else[k])
		}
	}
	twice := y.held(raw)
	wants = slices.DeleteFunc(wants, func(w mirror.Want) bool {
		return w.Link == "" && slices.ContainsFunc(twice[w.Path], func(h *hostWants) bool { return slices.Equal(w.Hosts, []string{h.profile.Name}) })
	})
	return y.linksOrFiles(wants, raw)
}

// linksOrFiles takes care that a directory of a skill is a link for all hosts that read
// it there, or files for all: a link where the text that serves all is the source's.
func (y *Syncer) linksOrFiles(wants []mirror.Want, raw map[string][]byte) []mirror.Want {
	var out []mirror.Want
	linked := map[string][]string{}
	below := func(link, p string) bool { return strings.HasPrefix(p, link+"/") }
	for i := range wants {
		w := &wants[i]
		if w.Link == "" || !slices.ContainsFunc(wants, func(o mirror.Want) bool { return below(w.Path, o.Path) }) {
			continue
		}
		main := w.Path + "/SKILL.md"
		data, err := y.Tree.ReadFile(w.Source+"/SKILL.md", maxCompanion)
		linked[w.Path] = nil
		if text := raw[main]; err == nil && text != nil && string(text) == string(data) {
			linked[w.Path] = []string{}
			for _, o := range y.mains[main] {
				linked[w.Path] = append(linked[w.Path], o.w.profile.Name)
			}
			slices.Sort(linked[w.Path])
			linked[w.Path] = slices.Compact(linked[w.Path])
		}
	}
	for _, w := range wants {
		hosts, both := linked[w.Path]
		switch {
		case w.Link != "" && both && hosts == nil:
			out = append(out, w.Else...)
		case w.Link != "" && both:
			w.Hosts = hosts
			out = append(out, w)
		case w.Link == "" && slices.ContainsFunc(slices.Collect(maps.Keys(linked)), func(link string) bool { return linked[link] != nil && below(link, w.Path) }):
			// The link has it.
		default:
			out = append(out, w)
		}
	}
	return out
}

// settled is the text that serves all hosts that read a file, without and with its mark,
// nil for none: one that all read as their own, or else one in which they find theirs.
func settled(list []mainFile) (text, marked []byte) {
	for _, serves := range []func(c, o *mainFile) bool{servesAlike, servesMore} {
		for i := range list {
			c := &list[i]
			if slices.ContainsFunc(list, func(o mainFile) bool { return o.f.Source != c.f.Source || !serves(c, &o) }) {
				continue
			}
			form := c.w.form(&c.f)
			for _, o := range list {
				if o.f.Data = c.f.Data; o.w.form(&o.f) != form {
					form = mirror.Unmarked
				}
			}
			return c.f.Data, mirror.Mark(c.f.Data, form, c.f.Source)
		}
	}
	return nil, nil
}

// servesAlike reports whether a host reads the same from another's file as from its own.
func servesAlike(c, o *mainFile) bool {
	return string(o.f.Data) == string(c.f.Data) || o.w.alike(&o.f, c.f.Data)
}

// servesMore reports whether a host finds in another's file what its own says: the same
// with a description where it would do without, or the instructions of a file for the
// whole project and more of them.
func servesMore(c, o *mainFile) bool {
	switch {
	case servesAlike(c, o):
		return true
	case c.f.Kind == definition.Instruction:
		return !bytes.HasPrefix(o.f.Data, []byte("---")) && bytes.Contains(c.f.Data, bytes.TrimSpace(o.f.Data))
	}
	return o.w.described(&o.f, c.f.Data)
}

// held are the files of instructions that a host would have twice: it reads a file for
// the whole project in which another host's need has put them.
func (y *Syncer) held(raw map[string][]byte) map[string][]*hostWants {
	twice := map[string][]*hostWants{}
	for p, list := range y.mains {
		if raw[p] == nil || list[0].f.Kind != definition.Instruction || strings.Contains(p, "/") {
			continue
		}
		for _, c := range list {
			for _, o := range list {
				if string(c.f.Data) == string(raw[p]) && !servesAlike(&c, &o) {
					for _, rule := range o.w.always() {
						if c.w.joins(rule.Source, p) {
							twice[rule.Path] = append(twice[rule.Path], o.w)
						}
					}
				}
			}
		}
	}
	return twice
}

// always are the files of instructions of a host that are always in force.
func (w *hostWants) always() []export.ExportedFile {
	var list []export.ExportedFile
	for p, all := range w.y.mains {
		for _, m := range all {
			if m.w != w || m.f.Kind != definition.Instruction {
				continue
			}
			d := w.asIf(&definition.Definition{Kind: definition.Instruction, Format: definition.Markdown}, p, m.f.Data)
			if s := w.sources[m.f.Source]; d != nil && d.Fields.AlwaysApply && s != nil && s.Origin.Nested == "" {
				list = append(list, m.f)
			}
		}
	}
	return list
}

// joins reports whether a host has the text of a source in a file for the whole project:
// it is exported, and to no other file.
func (w *hostWants) joins(source, file string) bool {
	return w.reads[source] == nil &&
		!slices.ContainsFunc(w.files, func(f export.ExportedFile) bool { return f.Source == source && f.Path != file }) &&
		!slices.ContainsFunc(w.y.Result.Losses, func(l export.HostLoss) bool { return l.Host == w.profile.Name && l.Source == source && l.Whole })
}

// described reports whether a host makes the same of another text as of a file but for a
// description that the file has not got.
func (w *hostWants) described(f *export.ExportedFile, data []byte) bool {
	like := definition.Definition{Kind: f.Kind, Format: definition.Markdown}
	if strings.HasSuffix(f.Path, ".toml") {
		return false
	}
	a, b := w.asIf(&like, f.Path, f.Data), w.asIf(&like, f.Path, data)
	if a == nil || b == nil || a.State != b.State || a.Name != b.Name || a.Description != "" || a.Fields.Description != "" {
		return false
	}
	fields := b.Fields
	fields.Description = ""
	return reflect.DeepEqual(a.Fields, fields) && rules.TextOf(f.Path, f.Data).Body == rules.TextOf(f.Path, data).Body
}
