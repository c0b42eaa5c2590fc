package export

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/resolve"
)

// Errors returned by [To] if the host is unknown or Vade does not write files for it.
var (
	ErrNoHost  = errors.New("unknown host")
	ErrNoFiles = errors.New("exporting to this host is not supported")
)

// Request selects the host and the definitions to export. By default, it selects all active
// definitions in the project, including bundled definitions whose files are in the project.
type Request struct {
	// Host is the host's name, optionally with a version.
	Host string
	// Kinds and Names restrict the export. A name is a definition's name or its path.
	Kinds []definition.Kind
	Names []string
	// If User is set, definitions in the user layer are also exported.
	User bool
}

// Export is the result of exporting definitions to one host.
type Export struct {
	// Host and Version identify the host.
	Host    string `json:"host"`
	Version string `json:"version"`
	// Files are sorted by path. The same definitions always produce the same bytes.
	Files []ExportedFile `json:"files"`
	// Losses lists what the host cannot express.
	Losses []HostLoss `json:"losses"`
	// Diagnostics lists problems with reading definitions.
	Diagnostics []diag.Diagnostic `json:"diagnostics"`

	// joined is the path of the file that the join function merges with an existing file. record is
	// the path of the file that lists what was written.
	joined, record string
	join           func(before []byte) ([]byte, bool)
}

// ExportedFile is a file in an export. Its JSON does not include the content.
type ExportedFile struct {
	// Path is slash-separated and relative to the project root.
	Path string `json:"path"`
	Data []byte `json:"-"`
	// Executable is set for an executable companion file.
	Executable bool `json:"executable"`
	// Kind and Name identify the definition in the host. They may differ from the source's: for
	// example, a command may become a skill.
	Kind definition.Kind `json:"kind,omitzero"`
	Name string          `json:"name"`
	// Source is the file that this file was generated from, as shown to users. For a companion
	// file, it is the original file. For an additional generated file, it is the definition's file.
	// If there are several sources, Sources lists them all.
	Source  string   `json:"source"`
	Sources []string `json:"sources,omitempty"`
	// Main is set for a definition's main file.
	Main bool `json:"-"`
}

// HostLoss describes a part of a definition that a host cannot express.
type HostLoss struct {
	// Host is "" until the export is complete.
	Host string `json:"host"`
	// Kind is the definition's kind. It is omitted for an MCP server.
	Kind definition.Kind `json:"kind,omitzero"`
	// Name and Source identify the definition or server.
	Name   string `json:"name"`
	Source string `json:"source"`
	// Line is the line in Source, or 0 if the loss has no line.
	Line int `json:"line,omitempty"`
	// What is the kind of loss, such as [LossKind].
	What string `json:"what"`
	// Message describes the loss, and Fix says how to avoid it.
	Message string `json:"message"`
	Fix     string `json:"fix,omitempty"`
	// Whole reports whether the definition is not exported at all.
	Whole bool `json:"whole,omitempty"`
	// Widens reports whether the host allows more than the definition does, for
	// example a tool that the definition denies.
	Widens bool `json:"widens,omitempty"`
	// InPlace reports whether the host reads the source itself and interprets it differently than a
	// file written for the host.
	InPlace bool `json:"inPlace,omitempty"`
	// Clash reports whether another definition already uses the path.
	Clash bool `json:"-"`
}

// Hosts returns the hosts for which files can be written.
func Hosts() []string { return registry.With(host.CanExport) }

// SDKs returns the names of the SDKs to which a program passes definitions as options. For an SDK,
// [To] creates a directory for the program to load instead of project files.
func SDKs() []string {
	var names []string
	sdks, _ := registry.SDKs()
	for _, s := range sdks {
		names = append(names, s.Name)
	}
	return names
}

// To exports the active definitions for another host. It does not write or execute anything. A
// definition that is already in the host's own directory, or that the host reads the same way as
// the generated file, is copied byte for byte. Definitions that the host would not load are omitted
// and reported. To returns [ErrNoHost], [ErrNoFiles], [definition.ErrNotFound] for an unknown name,
// or an error from ctx or from reading the catalog.
func To(ctx context.Context, c *catalog.Catalog, r Request) (*Export, error) {
	// Each SDK has only one known version.
	name, _, _ := strings.Cut(r.Host, "@")
	sdks, hosts := registry.SDKs()
	for i, s := range sdks {
		if s.Name == name {
			return exportSDK(ctx, c, r, s, hosts[i])
		}
	}
	p, ok := registry.Lookup(r.Host)
	if !ok {
		return nil, fmt.Errorf("vade: %s: %w", r.Host, ErrNoHost)
	}
	if p.Export == nil {
		return nil, fmt.Errorf("vade: %s: %w", p.Name, ErrNoFiles)
	}
	list, err := Exported(ctx, c, &r)
	if err != nil {
		return nil, err
	}
	moves := Moves(c, p, list)
	for {
		x := Exporter{C: c, P: p, Moves: moves, names: r.Names}
		if moves, err = x.Run(ctx, list); err != nil {
			return nil, err
		}
		if moves == nil {
			return x.Out, nil
		}
	}
}

// Run exports definitions into x.Out. If some of the paths in x.Moves turn out
// to be wrong, it returns corrected moves, and the caller must repeat the
// export with another Exporter. Otherwise it returns nil.
func (x *Exporter) Run(ctx context.Context, list []*definition.Definition) (moves map[string]string, err error) {
	x.Used = map[string]bool{}
	x.Out = &Export{
		Host: x.P.Name, Version: x.P.Version,
		Files: []ExportedFile{}, Losses: []HostLoss{}, Diagnostics: []diag.Diagnostic{},
	}
	for _, d := range list {
		if ctx.Err() == nil {
			x.Take(ctx, d)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	x.instructions()
	x.finish()
	return x.retryMoves(), nil
}

// Exported returns the definitions that a request selects, in the catalog's order.
func Exported(ctx context.Context, c *catalog.Catalog, r *Request) ([]*definition.Definition, error) {
	all, err := c.Scan(ctx)
	if err != nil {
		return nil, err
	}
	found := make([]bool, len(r.Names))
	var list []*definition.Definition
	for _, d := range all.All {
		if d.State != definition.Loaded || len(r.Kinds) > 0 && !slices.Contains(r.Kinds, d.Kind) || !exports(c, d, r.User) {
			continue
		}
		wanted := len(r.Names) == 0
		for i, name := range r.Names {
			if answers(d, name) {
				wanted, found[i] = true, true
			}
		}
		if wanted {
			list = append(list, d)
		}
	}
	if i := slices.Index(found, false); i >= 0 {
		return nil, fmt.Errorf("vade: %q: %w", r.Names[i], definition.ErrNotFound)
	}
	return list, nil
}

// answers reports whether a name in a request refers to a definition.
func answers(d *definition.Definition, name string) bool {
	return resolve.HasName(d, strings.TrimPrefix(name, "/")) || d.Origin.Path == name
}

// isExplicit reports whether a file was explicitly named as a source by the request, vade.yaml or
// the catalog's options.
func isExplicit(c *catalog.Catalog, d *definition.Definition, names []string) bool {
	return c.Options.Sources != nil || c.Project != nil && catalog.UnderAny(c.Project.Source, d.Origin.Path) ||
		slices.ContainsFunc(names, func(name string) bool { return answers(d, name) })
}

// exports reports whether definitions in d's layer are exported. user is [Request.User].
func exports(c *catalog.Catalog, d *definition.Definition, user bool) bool {
	switch d.Origin.Layer {
	case definition.Project:
		return true
	case definition.User:
		return user
	case definition.Bundled:
		// A bundled definition's Origin.Path is not a project path, so check where the file really
		// is.
		plan := c.Quick
		if plan.Project == nil {
			return false
		}
		_, inside := plan.Project.Rel(strings.SplitN(d.Origin.Real, "#", 2)[0])
		return inside
	}
	return false
}

// LeftOut returns the losses for the definitions that are left out of the export entirely.
func (e *Export) LeftOut() []HostLoss {
	var list []HostLoss
	for _, l := range e.Losses {
		if l.Whole {
			list = append(list, l)
		}
	}
	return list
}
