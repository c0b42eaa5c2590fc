package install

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/ledger"
	"github.com/vadehq/vade/internal/source"
	"github.com/vadehq/vade/internal/vfs"
)

// laidOut is a directory in the temporary project. It contains the source's own directories, such
// as commands.
const laidOut = "definitions"

// converted returns a source's commands, agents and instructions, along with the files that the
// hosts need for them. It searches plugin directories and all directories that any host reads. It
// omits instructions for the source's own project.
func (x *Installer) converted(ctx context.Context, fetched *source.Fetched, skills []Candidate) ([]Candidate, error) {
	labels := slices.DeleteFunc(registry.Neutral().ProjectLabels(), func(l string) bool { return path.Ext(l) == ".md" || path.Ext(l) == ".json" })
	files, mains := stage(fetched, skills, labels)
	if len(files) == 0 {
		return nil, nil
	}
	temp, err := vfs.OpenTempDir(x.options.Fetcher.Cache, vfs.TempDirOptions{})
	if err != nil {
		return nil, err
	}
	defer temp.Close()
	o := x.options.Catalog
	if o.Dir, err = temp.Write("project", append(files, vfs.TempFile{Path: "vade.yaml"})); err != nil {
		return nil, err
	}
	o.As, o.ProjectOnly, o.Sources = "", true, append(labels, laidOut)
	c, err := catalog.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	request := export.Request{Kinds: []definition.Kind{definition.Command, definition.Agent, definition.Instruction}}
	found, err := export.Exported(ctx, c, &request)
	if err != nil {
		return nil, err
	}
	var list []Candidate
	for _, d := range found {
		main := mains[d.Origin.Path]
		list = append(list, Candidate{Kind: d.Kind.String(), Name: d.Name, Description: d.Fields.Description,
			Main: main.Path, original: ledger.SHA256(main.Data)})
	}
	hosts, err := x.hosts(ctx)
	if err != nil {
		return nil, err
	}
	for _, p := range hosts {
		request.Host = p.Name
		out, err := export.To(ctx, c, request)
		if errors.Is(err, export.ErrNoFiles) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for i, d := range found {
			x.forHost(p, &list[i], d.Origin.Path, out)
		}
	}
	return list, nil
}

// stage returns the files for a temporary project, along with the source file for each of them. It
// looks for definitions in the repository root, the selected directory, and the parent of the
// selected directory.
func stage(fetched *source.Fetched, skills []Candidate, labels []string) ([]vfs.TempFile, map[string]ledger.File) {
	own := registry.SourceOfTruth(laidOut).ProjectLabels()
	bases := slices.Compact([]string{"", fetched.From.Path, strings.TrimPrefix(path.Dir(fetched.From.Path), ".")})
	var files []vfs.TempFile
	mains := map[string]ledger.File{}
	for _, f := range fetched.Files {
		if slices.ContainsFunc(skills, func(c Candidate) bool { return f.Path == c.Main || strings.HasPrefix(f.Path, path.Dir(c.Main)+"/") }) {
			continue
		}
		for _, base := range bases {
			rel, ok := strings.CutPrefix(f.Path, base+"/")
			if base == "" {
				rel, ok = f.Path, true
			}
			if ok && !catalog.UnderAny(labels, rel) {
				rel = laidOut + "/" + rel
				ok = catalog.UnderAny(own, rel)
			}
			if _, twice := mains[rel]; ok && !twice {
				files = append(files, vfs.TempFile{Path: rel, Data: f.Data})
				mains[rel] = f
				break
			}
		}
	}
	return files, mains
}

// unplaced returns the parts of a source's plugins that a host would use but that are not
// definitions, such as hooks, MCP servers and output styles.
func unplaced(fetched *source.Fetched) (list []source.Omitted) {
	runs := []string{".mcp.json", "output-styles"}
	sdks, _ := registry.SDKs()
	for _, s := range sdks {
		runs = append(runs, s.PluginRuns...)
	}
	for _, f := range fetched.Files {
		plugin, is := strings.CutSuffix(f.Path, host.PluginManifest)
		if !is {
			continue
		}
		for _, name := range runs {
			at := plugin + name
			if slices.ContainsFunc(fetched.Files, func(f ledger.File) bool { return f.Path == at || strings.HasPrefix(f.Path, at+"/") }) {
				list = append(list, source.Omitted{Path: at, Reason: "only the host's plugin command can install this"})
			}
		}
	}
	return list
}

// forHost adds the files that a host needs for a definition. It adds none if the host's format
// cannot express the definition's restrictions, or if the host already reads the files added for
// another host in the project.
func (x *Installer) forHost(p *host.Profile, c *Candidate, at string, out *export.Export) {
	fits := true
	for _, l := range out.Losses {
		if l.Source == at {
			c.losses = append(c.losses, l)
			fits = fits && !l.Whole && !l.Widens
		}
	}
	var files []ledger.File
	for _, f := range out.Files {
		if f.Source != at && !slices.Contains(f.Sources, at) {
			continue
		}
		if shared := p.Export.Instructions; len(f.Sources) > 1 || shared != nil && f.Path == shared.Whole {
			c.losses = append(c.losses, export.HostLoss{
				Host: p.Name, Name: c.Name, Source: at, What: export.LossKind, Whole: true,
				Message: "vade add does not edit " + f.Path + ", the file for such instructions in " + p.Name, Fix: "add the text to " + f.Path,
			})
			return
		}
		if f.Path = x.inScope(p, f.Kind, f.Path); f.Path == "" {
			c.losses = append(c.losses, export.HostLoss{
				Host: p.Name, Name: c.Name, Source: at, What: export.LossKind, Whole: true,
				Message: fmt.Sprintf("%s does not read %ss from the home directory", p.Name, f.Kind), Fix: "install it in a project",
			})
			return
		}
		files = append(files, ledger.File{Path: f.Path, Data: f.Data, Executable: f.Executable})
	}
	if !fits || len(files) == 0 {
		return
	}
	c.hosts = append(c.hosts, p.Name)
	if !x.options.User && slices.ContainsFunc(c.files, func(f ledger.File) bool { return p.ReadsFile(f.Path) }) {
		return
	}
	c.files = append(c.files, files...)
}

// inScope returns the path at which to install a file, given the file's path in a project. For an
// installation in the home directory, it converts the path. It returns "" if the host does not read
// files of that kind there.
func (x *Installer) inScope(p *host.Profile, kind definition.Kind, file string) string {
	if !x.options.User {
		return file
	}
	home := dirsOf(p, kind, true)
	for _, dir := range dirsOf(p, kind, false) {
		if rest, ok := strings.CutPrefix(file, dir+"/"); ok && len(home) > 0 {
			return home[0] + "/" + rest
		}
	}
	return ""
}

// dirsOf returns the directories where a host reads definitions of a kind, in a
// project or in the home directory.
func dirsOf(p *host.Profile, kind definition.Kind, user bool) (list []string) {
	for i := range p.Roots {
		r := &p.Roots[i]
		if _, ok := r.RuleFor(kind); !ok || r.Single() {
			continue
		}
		label, home := strings.CutPrefix(r.Label(), "~/")
		if user && home && r.Layer == definition.User || !user && r.OfProject() && r.Layer == definition.Project {
			list = append(list, label)
		}
	}
	return list
}
