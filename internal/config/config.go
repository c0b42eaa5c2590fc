// Package config reads vade.yaml, the file at the project root that declares the project's source
// of truth and the hosts that get copies. The file can only restrict Vade: it cannot run anything,
// name paths outside the project, or allow anything that would otherwise be forbidden.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/pathmatch"
	"github.com/vadehq/vade/internal/resolve"
	"github.com/vadehq/vade/internal/vfs"
)

// File is the name of the project file, which is at the project root.
const File = "vade.yaml"

// Limits on a project file: its size in bytes, and the number of items in a list.
const (
	MaxFile  = 64 << 10
	maxItems = 256
)

// Project is a parsed project file. The zero value and a nil pointer represent a missing file.
type Project struct {
	// File is the file's name, or "" if the project has no such file.
	File string
	// Source lists the directories and files that are the source of truth. They are relative to the
	// project root, with forward slashes and no trailing slash; see [Project.Sources].
	Source []string
	// Hosts lists the hosts that get copies. If it is empty, the hosts found in the project get
	// copies.
	Hosts []string
	Sync  Sync
	MCP   MCP
	// Servers lists the user's servers that the project uses. OnlyServers is set if the file has
	// the corresponding key, which blocks all other servers. A listed server that the user has not
	// defined is never started.
	Servers     []string
	OnlyServers bool
	// Bundled specifies which bundled definitions are disabled.
	Bundled Bundled
	// Invalid is set if part of the file was invalid, so the author may have intended more than
	// Vade read. Callers must not write files or allow servers based on an invalid file.
	Invalid bool

	src *diag.File
	// at holds the position of each Source item in the file.
	at []diag.Span
}

// Missing returns a diagnostic for each listed source that does not exist. Treating a missing
// source as empty would delete all of its copies.
func (p *Project) Missing(tree *vfs.Tree) []diag.Diagnostic {
	var list []diag.Diagnostic
	for i, s := range p.Source {
		// The default sources and the definition directories in them may be missing even if they
		// are listed, because git does not store empty directories.
		top, _, _ := strings.Cut(s, "/")
		usual := slices.Contains(defaults(), top) && registry.Neutral().Reads(s) && !strings.HasSuffix(s, ".md")
		if _, err := tree.Lstat(s); !errors.Is(err, fs.ErrNotExist) || usual || s == "assets" {
			continue
		}
		d := diag.At(p.src, p.at[i], diag.ConfigInvalid, "source: %q does not exist in the project", s)
		up := path.Dir(s)
		var names []string
		entries, _, _ := tree.ReadDir(up, maxNames)
		for _, e := range entries {
			names = append(names, path.Join(up, e.Name))
		}
		if near := resolve.Nearest(s, names); len(near) > 0 {
			d = d.WithFix("did you mean %s?", near[0])
		} else {
			d = d.WithFix("create it, or remove it from source")
		}
		list = append(list, d)
	}
	return list
}

// maxNames is the maximum number of directory entries that a missing name is compared against.
const maxNames = 1000

// Sync configures how copies are made.
type Sync struct {
	// If NoLinks is set, vade sync always creates copies, never symlinks.
	NoLinks bool
	// If Servers is set, vade sync also writes MCP server files.
	Servers bool
	// Exclude maps each host to the kinds of definitions that are not copied to it.
	Exclude map[string][]definition.Kind
}

// MCP configures which servers are allowed. A "*" in an entry matches any text.
type MCP struct {
	Allow, Deny []string

	allowLines, denyLines []int
}

// Bundled specifies which bundled definitions are disabled: all of them if Off is set, or else
// those in Disable. A "*" in a name matches any text.
type Bundled struct {
	Off     bool
	Disable []string

	line int
}

// Without returns the reason the project disables the named bundled definition, or "" if it does
// not.
func (p *Project) Without(name string) string {
	switch {
	case p == nil || p.File == "":
		return ""
	case p.Invalid:
		return p.File + " has errors and may disable it"
	case p.Bundled.Off || slices.ContainsFunc(p.Bundled.Disable, func(pattern string) bool { return pathmatch.Star(pattern, name) }):
		return fmt.Sprintf("%s:%d disables it", p.File, p.Bundled.line)
	}
	return ""
}

// defaults returns the sources for a project that lists none.
func defaults() []string { return []string{".agents", ".github", "assets"} }

// Sources returns the directories and files that are the source of truth: the
// sources in the file or, by default, .agents, .github and assets.
func (p *Project) Sources() []string {
	if p == nil || len(p.Source) == 0 {
		return defaults()
	}
	return p.Source
}

// Excludes reports whether the project excludes a kind of definition for a host.
func (p *Project) Excludes(host string, k definition.Kind) bool {
	return p != nil && slices.Contains(p.Sync.Exclude[host], k)
}

// WithheldReason returns the reason that the file blocks a server, and how to change the file to
// allow it. Both are "" if the server is allowed. If the file has an allow list, all servers that
// are not in it are blocked. The deny list wins over the allow list. An invalid file blocks every
// server.
func (p *Project) WithheldReason(name string) (why, fix string) {
	if p == nil || p.File == "" {
		return "", ""
	}
	if p.Invalid {
		return p.File + " has errors and may deny it", "fix the errors in " + p.File
	}
	fits := func(pattern string) bool { return pathmatch.Star(pattern, name) }
	if d := slices.IndexFunc(p.MCP.Deny, fits); d >= 0 {
		return p.File + " denies " + p.MCP.Deny[d], fmt.Sprintf("remove %s from mcp.deny (%s)", p.MCP.Deny[d], p.place(p.MCP.denyLines, d))
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

// Hosts returns the host names that are valid in hosts: and sync.exclude. These are the hosts for
// which Vade can write definition files.
func Hosts() []string { return registry.With(host.CanExport) }

// Read reads the project file at the root of a tree. If there is no file, the result is empty. Read
// returns an error if the file exists but cannot be read, for example because it is a symlink.
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

// misnamed warns about a file with a similar name, which is not read.
func misnamed(tree *vfs.Tree) []diag.Diagnostic {
	const other = "vade.yml"
	if typ, err := tree.Lstat(other); err != nil || typ != vfs.File {
		return nil
	}
	d := diag.For(other, diag.ConfigInvalid, "the file is not read; the project file must be named %s", File).WithFix("rename it to %s", File)
	d.Severity = diag.Warning
	return []diag.Diagnostic{d}
}

// Parse parses a project file. It skips and reports invalid parts, and sets Invalid if it finds
// any. name is the display name.
func Parse(name string, data []byte) (*Project, []diag.Diagnostic) {
	r := reader{p: &Project{File: name}, src: diag.NewFile(name, data), known: Hosts()}
	if len(data) > MaxFile {
		r.src = diag.NewFile(name, nil)
		r.invalid(diag.Span{}, "shorten the file", "the file is larger than %d KiB and is ignored", MaxFile>>10)
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
