// Package config reads vade.yaml, the file at the top of a project that says
// which files are its source of truth and which hosts get copies of them. It can
// only narrow what Vade does: nothing in it runs anything, names a place outside
// of the project or lets more in than would be let in without it.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/pathmatch"
	"github.com/vadehq/vade/internal/resolve"
	"github.com/vadehq/vade/internal/vfs"
)

// File is the name of the project's file, at its top.
const File = "vade.yaml"

// The limits of a project's file: its length in bytes, and the items of one list.
const (
	MaxFile  = 64 << 10
	maxItems = 256
)

// Project is what a project's file says. The zero value, and nil, say nothing.
type Project struct {
	// File is the name of the file, "" where the project has none.
	File string
	// Source are the directories and files that are the source of truth, below the
	// top, with slashes and without one at the end; see [Project.Sources].
	Source []string
	// Hosts are the hosts that get copies; none are those that the project shows.
	Hosts []string
	Sync  Sync
	MCP   MCP
	// Servers are the servers of the user that the project uses, by their names;
	// OnlyServers: it says so, and the others are left out. A name starts nothing
	// that the user has not defined.
	Servers     []string
	OnlyServers bool
	// Bundled says which of the definitions that come with Vade are not in force.
	Bundled Bundled
	// Invalid: something in the file could not be used, so that it may mean more
	// than what was read. Whoever writes files or lets servers through because of
	// it must not go by half of it.
	Invalid bool

	src *diag.File
	// at are the places of Source in the file.
	at []diag.Span
}

// Missing reports the sources of the file that are not there. Whoever takes a missing
// one for an empty one would remove all that was made of it.
func (p *Project) Missing(tree *vfs.Tree) []diag.Diagnostic {
	var list []diag.Diagnostic
	for i, s := range p.Source {
		// Those that are read without the key may be missing as they may without it: git
		// keeps no empty directories.
		if _, err := tree.Lstat(s); !errors.Is(err, fs.ErrNotExist) || slices.Contains(defaults(), s) {
			continue
		}
		d := diag.At(p.src, p.at[i], diag.ConfigInvalid, "source: there is no %q in the project", s)
		up := path.Dir(s)
		var names []string
		entries, _, _ := tree.ReadDir(up, maxNames)
		for _, e := range entries {
			names = append(names, path.Join(up, e.Name))
		}
		if near := resolve.Nearest(s, names); len(near) > 0 {
			d = d.WithFix("did you mean %s?", near[0])
		} else {
			d = d.WithFix("make the directory, or take it out of source")
		}
		list = append(list, d)
	}
	return list
}

// maxNames is how many names of a directory are compared with one that is not there.
const maxNames = 1000

// Sync says how copies are kept.
type Sync struct {
	// NoLinks: never a link, always a copy.
	NoLinks bool
	// Servers: files of MCP servers are written too.
	Servers bool
	// Exclude are, for each host, the kinds that it gets none of.
	Exclude map[string][]definition.Kind
}

// MCP says which servers are let through. An entry is a name in which "*" stands
// for any text.
type MCP struct {
	Allow, Deny []string

	allowLines, denyLines []int
}

// Bundled are the definitions that come with Vade and that the project wants none of:
// all with Off, or those of the names in Disable, in which "*" stands for any text.
type Bundled struct {
	Off     bool
	Disable []string

	line int
}

// Without says why the project has not a definition that comes with Vade, or "".
func (p *Project) Without(name string) string {
	switch {
	case p == nil || p.File == "":
		return ""
	case p.Invalid:
		return p.File + " can not be read in full, and may switch it off"
	case p.Bundled.Off || slices.ContainsFunc(p.Bundled.Disable, func(pattern string) bool { return pathmatch.Star(pattern, name) }):
		return fmt.Sprintf("%s:%d switches it off", p.File, p.Bundled.line)
	}
	return ""
}

// defaults are the sources of a project that names none.
func defaults() []string { return []string{".agents", ".github"} }

// Sources are the directories and files that are the source of truth: those of
// the file, or else .agents and .github.
func (p *Project) Sources() []string {
	if p == nil || len(p.Source) == 0 {
		return defaults()
	}
	return p.Source
}

// Excludes reports whether a host gets no files of a kind.
func (p *Project) Excludes(host string, k definition.Kind) bool {
	return p != nil && slices.Contains(p.Sync.Exclude[host], k)
}

// Held says why a server of a name is held back, and what to change in the file to let it
// through; both are "" if it is not. What is denied is held back whatever is allowed, and
// if something is allowed all else is held back.
func (p *Project) Held(name string) (why, fix string) {
	if p == nil || p.File == "" {
		return "", ""
	}
	if p.Invalid {
		return p.File + " can not be read in full, and may deny it", "correct " + p.File
	}
	fits := func(pattern string) bool { return pathmatch.Star(pattern, name) }
	if d := slices.IndexFunc(p.MCP.Deny, fits); d >= 0 {
		return p.File + " denies " + p.MCP.Deny[d], fmt.Sprintf("take %s out of mcp.deny (%s)", p.MCP.Deny[d], p.place(p.MCP.denyLines, d))
	}
	if len(p.MCP.Allow) > 0 && !slices.ContainsFunc(p.MCP.Allow, fits) {
		return p.File + " does not allow it", fmt.Sprintf("add %s to mcp.allow (%s)", name, p.place(p.MCP.allowLines, len(p.MCP.allowLines)-1))
	}
	return "", ""
}

func (p *Project) place(lines []int, i int) string {
	if i < 0 || i >= len(lines) {
		return p.File
	}
	return fmt.Sprintf("%s:%d", p.File, lines[i])
}

// Hosts are the names that hosts: and sync.exclude take: those of the hosts that have
// files of definitions of their own.
func Hosts() []string { return registry.With(host.CanExport) }

// Read reads the file of the project at the top of a tree. Without a file it says
// nothing. The error is that of a file that is there and can not be read, such as a
// link.
func Read(tree *vfs.Tree) (*Project, []diag.Diagnostic, error) {
	data, err := tree.ReadFile(File, MaxFile+1)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Project{}, misnamed(tree), nil
	case errors.Is(err, vfs.ErrTooLarge):
		data = make([]byte, MaxFile+1)
	case err != nil:
		return &Project{File: File, Invalid: true}, nil, err
	}
	p, diags := Parse(File, data)
	return p, diags, nil
}

// misnamed warns of a file that has another name than the one that is read.
func misnamed(tree *vfs.Tree) []diag.Diagnostic {
	const other = "vade.yml"
	if typ, err := tree.Lstat(other); err != nil || typ != vfs.File {
		return nil
	}
	d := diag.For(other, diag.ConfigInvalid, "it is not read: the project's file is %s", File).WithFix("rename it %s", File)
	d.Severity = diag.Warning
	return []diag.Diagnostic{d}
}

// Parse reads a project's file. What can not be used is reported and left out, and
// the project is Invalid then.
func Parse(name string, data []byte) (*Project, []diag.Diagnostic) {
	r := reader{p: &Project{File: name}, src: diag.NewFile(name, data), known: Hosts()}
	if len(data) > MaxFile {
		r.src = diag.NewFile(name, nil)
		r.invalid(diag.Span{}, "shorten the file", "the file is longer than %d KiB and is not used", MaxFile>>10)
		return r.p, r.diags
	}
	r.p.src = r.src
	doc, diags := frontmatter.ParseYAML(r.src)
	for _, d := range diags {
		if d.Severity > diag.Info {
			if !doc.Valid {
				d.Severity = diag.Error
			}
			r.diags = append(r.diags, d)
		}
	}
	r.p.Invalid = !doc.Valid
	for i := range doc.Entries {
		r.top(&doc.Entries[i])
	}
	diag.Sort(r.diags)
	return r.p, r.diags
}
