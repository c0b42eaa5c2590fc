package catalog

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/body"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/pathmatch"
	"github.com/vadehq/vade/internal/render"
	"github.com/vadehq/vade/internal/vfs"
)

// pathReader reads the files that a body names. It reads files in the working directory unless the
// policy protects them or the project's ignore files exclude them.
type pathReader struct {
	*hostCall
	d            *definition.Definition
	files, bytes int
}

// ReadPath implements [render.PathReader].
func (r *pathReader) ReadPath(ctx context.Context, syntax *host.FileSyntax, name string) ([]string, *render.RefError) {
	if err := vfs.CheckName(name); err != nil || name == "" {
		return nil, &render.RefError{Code: diag.FileName, Message: "the path is empty or invalid"}
	}
	if strings.HasPrefix(name, "~") {
		// Hosts that use templates treat a leading "~" as part of an ordinary file name.
		name = "./" + name
	}
	rel, ok := r.c.InProject(name)
	if !ok || !below(r.c.Quick.WorkDir, rel) {
		return nil, &render.RefError{Code: diag.FileOutsideRoot, Message: "it is outside the working directory"}
	}
	kind, err := r.c.Quick.Project.Lstat(rel)
	if err != nil {
		return nil, RefError(err)
	}
	if r.ignored(syntax, rel, kind == vfs.Dir) {
		r.report(diag.FileNotFound, r.d.Origin.Path, "%s is not included because the project excludes it (%s)", name, strings.Join(syntax.Ignored, ", ")).Severity = diag.Warning
		return nil, nil
	}
	if kind != vfs.Dir {
		text, refused := r.read(ctx, syntax, rel)
		if refused != nil {
			return nil, refused
		}
		return []string{text}, nil
	}
	texts := r.directory(ctx, syntax, []string{syntax.Begin(name)}, rel, "")
	return append(texts, syntax.End(name)), nil
}

// below reports whether name is dir or inside it.
func below(dir, name string) bool {
	return dir == "." || name == dir || strings.HasPrefix(name, dir+"/")
}

func (r *pathReader) read(ctx context.Context, syntax *host.FileSyntax, rel string) (string, *render.RefError) {
	if r.files == render.MaxFiles {
		return "", &render.RefError{Code: diag.FileLimit, Message: "only the first 64 files are included"}
	}
	file, err := r.c.reader(r.d).ReadReference(ctx, r.c.Quick.Project.Path(rel))
	if err != nil {
		e, ok := err.(*render.RefError)
		if !ok {
			e = &render.RefError{Code: diag.FileUnreadable, Message: err.Error()}
		}
		return "", e
	}
	if r.bytes += len(file.Data); r.bytes > render.MaxFileBytes {
		return "", &render.RefError{Code: diag.FileTooLarge, Message: "the included files would exceed 1 MiB"}
	}
	r.files++
	text := string(file.Data)
	if syntax.Content != nil {
		text = syntax.Content(text)
	}
	return text, nil
}

// MaxListed is the maximum number of entries read per directory, and maxFolders is the maximum
// depth.
const (
	MaxListed  = 4096
	maxFolders = 64
)

// directory appends the texts of all files in a directory tree, sorted by name.
func (r *pathReader) directory(ctx context.Context, syntax *host.FileSyntax, texts []string, rel, within string) []string {
	if ctx.Err() != nil || strings.Count(within, "/") > maxFolders {
		return texts
	}
	entries, _, err := r.c.Quick.Project.ReadDir(rel, MaxListed)
	if err != nil {
		return texts
	}
	for _, e := range entries {
		name, shown := path.Join(rel, e.Name), path.Join(within, e.Name)
		if e.Name == ".git" || r.ignored(syntax, name, e.Type == vfs.Dir) {
			continue
		}
		if e.Type == vfs.Dir {
			texts = r.directory(ctx, syntax, texts, name, shown)
			continue
		}
		text, refused := r.read(ctx, syntax, name)
		if refused != nil {
			r.report(refused.Code, r.d.Origin.Path, "%s is not included: %s", name, refused.Message).Severity = diag.Warning
			if r.files == render.MaxFiles || r.bytes > render.MaxFileBytes {
				return texts
			}
			continue
		}
		texts = append(texts, syntax.Each(shown), text, syntax.After)
	}
	return texts
}

const maxIgnoreFile = 256 << 10

// ignored reports whether an ignore file in a parent directory excludes a file.
func (r *pathReader) ignored(syntax *host.FileSyntax, rel string, dir bool) bool {
	for _, name := range syntax.Ignored {
		var ig *pathmatch.Ignore
		for _, at := range dirsAbove(rel) {
			if data, err := r.c.Quick.Project.ReadFile(path.Join(at, name), maxIgnoreFile); err == nil {
				ig = ig.Enter(at, data)
			}
		}
		if ig.Ignored(rel, dir) {
			return true
		}
	}
	return false
}

// dirsAbove returns the parent directories of a path, outermost first.
func dirsAbove(rel string) []string {
	dirs := []string{"."}
	for i := 0; i < len(rel); i++ {
		if rel[i] == '/' {
			dirs = append(dirs, rel[:i])
		}
	}
	return dirs
}

// resources returns the files next to a skill that its template lists. It reads only file names and
// does not follow symlinks.
func (c *Catalog) resources(d *definition.Definition, t *host.Template) host.Folder {
	real := path.Dir(d.Origin.Real)
	if d.Origin.Layer == definition.Bundled || !vfs.IsAbs(real) {
		return host.Folder{}
	}
	tree, err := vfs.Open(real, vfs.Options{HardLinks: true})
	if err != nil {
		return host.Folder{}
	}
	defer tree.Close()
	var top host.Folder
	type open struct {
		folder *host.Folder
		name   string
	}
	items := 0
	for queue := []open{{&top, "."}}; len(queue) > 0 && items < t.Resources; queue = queue[1:] {
		entries, _, err := tree.ReadDir(queue[0].name, MaxListed)
		if err != nil {
			continue
		}
		slices.SortFunc(entries, func(a, b vfs.Entry) int {
			return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(b.Name, a.Name))
		})
		f := queue[0].folder
		for _, e := range entries {
			if e.Type != vfs.File {
				continue
			}
			if f.MoreFiles = items >= t.Resources; f.MoreFiles {
				break
			}
			f.Files = append(f.Files, e.Name)
			items++
		}
		var inside []string
		for _, e := range entries {
			if e.Type != vfs.Dir {
				continue
			}
			if f.MoreFolders = items >= t.Resources; f.MoreFolders {
				break
			}
			f.Folders = append(f.Folders, host.Folder{Name: e.Name, Closed: slices.Contains(t.Closed, e.Name)})
			inside = append(inside, path.Join(queue[0].name, e.Name))
			items++
		}
		for i := range f.Folders {
			if !f.Folders[i].Closed {
				queue = append(queue, open{&f.Folders[i], inside[i]})
			}
		}
	}
	return top
}

// attachMentioned attaches the files that the rendered text mentions. It resolves paths as the host
// does. It reads a file only if the file is inside the project and the definition or the user
// mentions it.
func (h *hostCall) attachMentioned(d *definition.Definition, parts []string, line string) error {
	m := h.p.Calls.Mentioned
	if m == nil || len(parts) == 0 || h.out.Turn != nil && h.out.Turn.Fork {
		return nil
	}
	doc, err := h.c.Document(h.ctx, d)
	if err != nil {
		return err
	}
	authored := append(body.AtPaths(doc.Body, maxMentions), body.AtPaths(line, maxMentions)...)
	names := body.AtPaths(parts[0], maxMentions+1)
	if len(names) > maxMentions {
		h.report(diag.FileLimit, d.Origin.Path, "only the first %d file mentions are processed", maxMentions)
		names = names[:maxMentions]
	}
	read := 0
	for _, name := range names {
		if err := h.ctx.Err(); err != nil {
			return err
		}
		read += h.attachNamed(d, m, name, slices.Contains(authored, name), read)
	}
	return nil
}

// attachNamed attaches one file or directory and returns the number of bytes of file content
// attached.
func (h *hostCall) attachNamed(d *definition.Definition, m *host.MentionedFiles, name string, authored bool, read int) int {
	c := h.c
	if c.Quick.Project == nil || vfs.CheckName(name) != nil {
		return 0
	}
	abs := path.Join(c.Quick.Project.Dir(), name)
	switch rest, home := strings.CutPrefix(name, "~/"); {
	case home:
		abs = path.Join(c.Env.Home, rest)
	case vfs.IsAbs(name):
		abs = path.Clean(name)
	}
	at := definition.Attachment{Path: abs, Tool: m.Tool, Input: object("filePath", abs)}
	rel, inside := c.Quick.Project.Rel(abs)
	if !inside {
		h.attachOutside(at, name)
		return 0
	}
	kind, err := c.Quick.Project.Lstat(rel)
	switch {
	case err != nil:
		if agent, _ := c.find(h.ctx, []string{name}, []definition.Kind{definition.Agent}); agent != nil && m.Agent != nil {
			h.send(roleUser, m.Agent(agent.Name))
		} else if strings.ContainsAny(name, "./") {
			h.report(diag.FileNotFound, d.Origin.Path, "@%s: file not found; the host does not attach it", name).Severity = diag.Warning
		}
		return 0
	case !authored:
		at.NotRead = "it is mentioned only in inserted text, such as command output, not in the definition or its arguments"
	case kind == vfs.Dir:
		if c.Hidden(c.Quick.Project, rel) != nil || !c.allowsFiles(d) {
			at.NotRead = "the policy does not allow reading it"
			break
		}
		if entries, _, err := c.Quick.Project.ReadDir(rel, MaxListed); err == nil {
			h.send(roleUser, m.Announce(abs))
			h.send(roleUser, m.Directory(abs, entryNames(entries)))
		}
	default:
		file, err := c.reader(d).ReadReference(h.ctx, abs)
		switch {
		case err != nil:
			at.NotRead = RefMessage(err)
		case read+len(file.Data) > render.MaxFileBytes:
			at.NotRead = "attached files are limited to 1 MiB in total"
		default:
			text := string(file.Data)
			at.Content = &text
			h.send(roleUser, m.Announce(abs))
			h.send(roleUser, m.File(abs, text))
		}
	}
	h.out.Attached = append(h.out.Attached, at)
	if at.Content == nil {
		return 0
	}
	return len(*at.Content)
}

// attachOutside records a file outside the project without checking whether it exists.
func (h *hostCall) attachOutside(at definition.Attachment, name string) {
	if strings.HasPrefix(name, "~/") || vfs.IsAbs(name) || strings.HasPrefix(name, "../") {
		at.NotRead = "the file is outside the project and was not read; the host attaches it if it exists"
		h.out.Attached = append(h.out.Attached, at)
	}
}

// allowsFiles reports whether the policy allows a definition to include files.
func (c *Catalog) allowsFiles(d *definition.Definition) bool {
	p, _ := c.EffectivePolicy()
	return p.Source(d.Origin.Layer, d.Origin.Plugin, "").Files
}

func entryNames(entries []vfs.Entry) []string {
	names := make([]string, len(entries))
	for i, e := range entries {
		if names[i] = e.Name; e.Type == vfs.Dir {
			names[i] += "/"
		}
	}
	return names
}

// RefMessage returns an error's message without the code.
func RefMessage(err error) string {
	if e, ok := err.(*render.RefError); ok {
		return e.Message
	}
	return err.Error()
}
