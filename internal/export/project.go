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

// ErrNoHost is the error of [To] for a host that is not known, and
// ErrNoFiles that for one that has no files of its own to write.
var (
	ErrNoHost  = errors.New("no host is named so")
	ErrNoFiles = errors.New("the host has no files of its own to write")
)

// Request says what is exported and to which host. The zero value of all but
// Host is everything that is in force of the project's own definitions: those of the
// project's layer, and those of the bundled layer that stand in the project.
type Request struct {
	// Host is the name of the host that is exported to, which may have a version.
	Host string
	// Kinds and Names narrow what goes along. A name is one that a definition answers
	// to, or its path.
	Kinds []definition.Kind
	Names []string
	// User also takes the definitions of the user's layer.
	User bool
}

// Export is the files of one host, made of a catalog's definitions.
type Export struct {
	// Host and Version say for whom the files are.
	Host    string `json:"host"`
	Version string `json:"version"`
	// Files are sorted by path. The same definitions give the same bytes.
	Files []ExportedFile `json:"files"`
	// Losses are what the host can not express.
	Losses []HostLoss `json:"losses"`
	// Diagnostics are what hindered the reading of definitions.
	Diagnostics []diag.Diagnostic `json:"diagnostics"`

	// joined is the path of a file that is joined with the one that is there, by join;
	// record is that of the file that says what was made.
	joined, record string
	join           func(before []byte) ([]byte, bool)
}

// ExportedFile is one file of an export. In JSON it is without its content.
type ExportedFile struct {
	// Path is relative to the top of the project, with slashes.
	Path string `json:"path"`
	Data []byte `json:"-"`
	// Executable is the bit of a file beside a skill that may be run.
	Executable bool `json:"executable"`
	// Kind is what the file belongs to in the host, where a command may be a skill,
	// and Name what that is called there.
	Kind definition.Kind `json:"kind,omitzero"`
	Name string          `json:"name"`
	// Source is the file that it was made of, as its definition shows it; of a file
	// beside a skill that file, and of one that is made for a definition the
	// definition's. Sources are all of them where it was made of several, else nil.
	Source  string   `json:"source"`
	Sources []string `json:"sources,omitempty"`
}

// HostLoss is something of a definition that the host can not express.
type HostLoss struct {
	Host string `json:"host"`
	// Kind is the definition's; there is none where it is about an MCP server.
	Kind definition.Kind `json:"kind,omitzero"`
	// Name and Source are the definition's, or the server's.
	Name   string `json:"name"`
	Source string `json:"source"`
	// Line is the line in Source, 0 where no line is meant.
	Line int `json:"line,omitempty"`
	// What is one of the words of [Losses].
	What string `json:"what"`
	// Message says what is lost, and Fix what can be done about it.
	Message string `json:"message"`
	Fix     string `json:"fix,omitempty"`
	// Whole: nothing of the definition is exported.
	Whole bool `json:"whole,omitempty"`
	// Widens: the host lets more happen than the definition does, such as a tool that
	// it is not to use.
	Widens bool `json:"widens,omitempty"`
	// InPlace: the host reads the source itself, and takes it otherwise than a file that
	// would be made for it.
	InPlace bool `json:"inPlace,omitempty"`
	// Clash: another definition has the place of its file.
	Clash bool `json:"-"`
}

// Hosts are the hosts that files can be written for.
func Hosts() []string { return registry.With(host.CanExport) }

// OptionHosts are the hosts that take definitions as the options of a program's own.
// [To] makes a directory for such a program of them, not files of the
// project.
func OptionHosts() []string { return registry.With(host.CanOptions) }

// Export makes the files of another host of the definitions in force. It writes
// nothing and runs nothing. A definition that stands already where the host has its
// own, or whose file says the same to the host as the one that would be written, is
// taken byte for byte. What the host would not load is left out and said. The error
// is [ErrNoHost], [ErrNoFiles], [catalog.ErrNotFound] for a name that no definition has, or
// that of the context or of reading the catalog.
func To(ctx context.Context, c *catalog.Catalog, r Request) (*Export, error) {
	p, ok := registry.Lookup(r.Host)
	if !ok {
		return nil, fmt.Errorf("vade: %s: %w", r.Host, ErrNoHost)
	}
	if p.SDK != nil {
		return exportSDK(ctx, c, r, p.Version)
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
		x := Exporter{
			C: c, P: p, Moves: moves, Used: map[string]bool{}, names: r.Names,
			Out: &Export{Host: p.Name, Version: p.Version, Files: []ExportedFile{}, Losses: []HostLoss{}, Diagnostics: []diag.Diagnostic{}},
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
		if moves = x.Settled(); moves == nil {
			return x.Out, nil
		}
	}
}

// Exported are the definitions that a request means, in the catalog's order.
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

// answers reports whether a name of a request means a definition.
func answers(d *definition.Definition, name string) bool {
	return resolve.HasName(d, strings.TrimPrefix(name, "/")) || d.Origin.Path == name
}

// meant reports whether a file is a source by its name: the request, the project's file
// or who opened the catalog says so.
func meant(c *catalog.Catalog, d *definition.Definition, names []string) bool {
	return c.Options.Sources != nil || c.Project != nil && catalog.UnderAny(c.Project.Source, d.Origin.Path) ||
		slices.ContainsFunc(names, func(name string) bool { return answers(d, name) })
}

// exports reports whether the layer of a definition goes along.
func exports(c *catalog.Catalog, d *definition.Definition, user bool) bool {
	switch d.Origin.Layer {
	case definition.Project:
		return true
	case definition.User:
		return user
	case definition.Bundled:
		// Vade's own have no path in the project.
		plan := c.Quick
		if plan.Project == nil {
			return false
		}
		_, inside := plan.Project.Rel(strings.SplitN(d.Origin.Real, "#", 2)[0])
		return inside
	}
	return false
}

// LeftOut are the losses of definitions of which nothing is exported.
func (e *Export) LeftOut() []HostLoss {
	var list []HostLoss
	for _, l := range e.Losses {
		if l.Whole {
			list = append(list, l)
		}
	}
	return list
}
