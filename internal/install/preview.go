package install

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing/fstest"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/audit/scan"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/explain"
	"github.com/vadehq/vade/internal/ledger"
	"github.com/vadehq/vade/internal/publish"
	"github.com/vadehq/vade/internal/tokens"
)

// Seen describes how a host would treat a definition after the change.
type Seen struct {
	Host string `json:"host"`
	// Tokens is the estimated size of the definition's entry in the host's listing.
	Tokens int `json:"tokens"`
	// Clash explains why the host would not load the definition, or how the definition changes
	// which other definitions with the same name are loaded. It is "" if no other definition has
	// the same name.
	Clash string `json:"clash,omitempty"`
}

// overlay is a file system that adds the files in MapFS to those in under.
type overlay struct {
	fstest.MapFS
	under fs.FS
}

func (o overlay) Open(name string) (fs.File, error) {
	if f, err := o.MapFS.Open(name); err == nil && o.MapFS[name] != nil {
		return f, nil
	}
	return o.under.Open(name)
}

func (o overlay) Lstat(name string) (fs.FileInfo, error) {
	if info, err := fs.Lstat(o.under, name); err == nil && o.MapFS[name] == nil {
		return info, nil
	}
	return o.MapFS.Lstat(name)
}

func (o overlay) ReadLink(name string) (string, error) {
	if o.MapFS[name] != nil {
		return o.MapFS.ReadLink(name)
	}
	return fs.ReadLink(o.under, name)
}

func (o overlay) ReadDir(name string) ([]fs.DirEntry, error) {
	list, err := o.MapFS.ReadDir(name)
	more, moreErr := fs.ReadDir(o.under, name)
	if err != nil && moreErr != nil {
		return nil, err
	}
	for _, e := range more {
		if !slices.ContainsFunc(list, func(x fs.DirEntry) bool { return x.Name() == e.Name() }) {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list, nil
}

// preview predicts how the hosts would treat the definitions, in the same way as vade explain for
// existing definitions.
func (x *Installer) preview(ctx context.Context, changes []*Change) error {
	all := overlay{fstest.MapFS{}, os.DirFS(filepath.FromSlash(x.tree.Dir()))}
	var hosts []string
	// Changes by definition path.
	at := map[string]*Change{}
	for _, c := range changes {
		for _, f := range c.files {
			name := path.Join(c.New.Dir, f.Path)
			all.MapFS[name] = &fstest.MapFile{Data: f.Data, Mode: 0o644}
			at[x.shown(name)] = c
		}
		for link, target := range c.New.Links {
			all.MapFS[link] = &fstest.MapFile{Data: []byte(target), Mode: fs.ModeSymlink | 0o777}
			at[x.shown(path.Join(link, publish.Main))] = c
		}
		hosts = append(hosts, c.Hosts...)
	}
	slices.Sort(hosts)
	o, request := x.options.Catalog, explain.Request{Hosts: slices.Compact(hosts), All: len(changes) > 1}
	if len(request.Hosts) == 0 {
		return nil
	}
	if !request.All {
		request.Name = changes[0].Kind + ":" + changes[0].Name
	}
	layer := definition.Project
	if x.options.User {
		layer = definition.User
	}
	o.Layers = []catalog.LayerFS{{Layer: layer, Name: x.tree.Dir(), FS: all}}
	e, err := explain.Run(ctx, o, request)
	if errors.Is(err, definition.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, d := range e.Definitions {
		c := at[d.Path]
		for _, v := range d.Verdicts {
			if c != nil && slices.Contains(c.Hosts, v.Host) && v.State != explain.StateNotRead {
				c.Seen = append(c.Seen, seen(&v))
			}
		}
	}
	return nil
}

// shown returns a path in the form in which vade explain displays it.
func (x *Installer) shown(name string) string {
	if x.options.User {
		return x.tree.Path(name)
	}
	return name
}

func seen(v *explain.Verdict) Seen {
	s := Seen{Host: v.Host, Tokens: tokens.Estimate(v.Listing)}
	switch others := append(v.Shadows, v.Beside...); {
	case v.ShadowedBy != "":
		s.Clash = "loads " + v.ShadowedBy + " under this name instead"
	case v.State != definition.Loaded.String():
		s.Clash = "does not load the definition: " + v.Reason
	case len(v.Beside) > 0:
		s.Clash = "also loads " + strings.Join(others, ", ") + " under this name"
	case len(others) > 0:
		has := "has"
		if len(others) > 1 {
			has = "have"
		}
		s.Clash = "no longer loads " + strings.Join(others, ", ") + ", which " + has + " the same name"
	}
	return s
}

// Delta lists what a new version changes besides the files.
type Delta struct {
	// Before and After are the old and new descriptions, if they differ. Models
	// choose definitions by their descriptions.
	Before string `json:"descriptionBefore,omitempty"`
	After  string `json:"descriptionAfter,omitempty"`
	// Findings lists the audit findings that the installed version did not have.
	Findings []scan.Finding `json:"findings,omitempty"`
	// Needs lists the capabilities that only the new version needs, such as "net example.com".
	// Drops lists those that only the old version needs.
	Needs []string `json:"needs,omitempty"`
	Drops []string `json:"drops,omitempty"`
}

// delta compares the audits and descriptions of two versions.
func delta(before, after *scan.Package, old, files []ledger.File) *Delta {
	d := &Delta{}
	if was, is := descriptionOf(old), descriptionOf(files); was != is {
		d.Before, d.After = was, is
	}
	for _, f := range after.Findings {
		if !slices.ContainsFunc(before.Findings, func(o scan.Finding) bool {
			return o.ID == f.ID && o.Path == f.Path && o.Message == f.Message
		}) {
			d.Findings = append(d.Findings, f)
		}
	}
	was, is := needs(before), needs(after)
	d.Needs = slices.DeleteFunc(slices.Clone(is), func(n string) bool { return slices.Contains(was, n) })
	d.Drops = slices.DeleteFunc(was, func(n string) bool { return slices.Contains(is, n) })
	return d
}

// needs returns a package's sorted capabilities, such as "net example.com".
func needs(p *scan.Package) (list []string) {
	if p.Capabilities == nil {
		return nil
	}
	for _, c := range p.Capabilities.Capabilities {
		list = append(list, string(c.Kind)+" "+c.What)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// descriptionOf returns the description from the first file that has one, which
// for a skill is SKILL.md.
func descriptionOf(files []ledger.File) string {
	for _, f := range files {
		if path.Ext(f.Path) == ".md" && (path.Dir(f.Path) != "." || f.Path == publish.Main) {
			if _, text := described(f.Data); text != "" {
				return text
			}
		}
	}
	return ""
}
