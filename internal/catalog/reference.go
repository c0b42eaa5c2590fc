package catalog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/policy"
	"github.com/vadehq/vade/internal/render"
	"github.com/vadehq/vade/internal/run"
	"github.com/vadehq/vade/internal/vfs"
)

// InProject converts a path as users write it, either absolute or relative to the working
// directory, to a path in the project's tree.
func (c *Catalog) InProject(p string) (string, bool) {
	plan := c.Quick
	if plan.Project == nil {
		return "", false
	}
	p = strings.ReplaceAll(p, string(os.PathSeparator), "/")
	switch {
	case strings.HasPrefix(p, "~/"):
		if c.Env.Home == "" {
			return "", false
		}
		return plan.Project.Rel(path.Join(c.Env.Home, p[2:]))
	case vfs.IsAbs(p):
		return plan.Project.Rel(path.Clean(p))
	}
	rel := path.Join(plan.WorkDir, p)
	return rel, fs.ValidPath(rel)
}

// Stat returns the file type at a project path.
func (c *Catalog) Stat(p string) (vfs.Type, error) {
	rel, ok := c.InProject(p)
	if !ok {
		return vfs.Other, fs.ErrNotExist
	}
	return c.Quick.Project.Lstat(rel)
}

// Hidden returns an error if the policy protects the file. It checks the path
// with symlinks resolved.
func (c *Catalog) Hidden(tree *vfs.Tree, rel string) error {
	p, _ := c.EffectivePolicy()
	return run.Hidden(p)(tree, rel)
}

// referenceLimit is the maximum size of a referenced file, in bytes.
const referenceLimit = 256 << 10

// reader returns the reader for file references in a body. It reads regular text files that are
// inside the project and not protected by the policy. It resolves a path relative to the working
// directory and, if that fails, relative to the project root.
func (c *Catalog) reader(d *definition.Definition) render.FileReader { return &references{c: c, d: d} }

type references struct {
	c *Catalog
	d *definition.Definition
	// policy is set when the first reference is read.
	policy *policy.Policy
}

// ReadReference implements [render.FileReader].
func (r *references) ReadReference(_ context.Context, ref string) (render.File, error) {
	if r.policy == nil {
		r.policy, _ = r.c.EffectivePolicy()
	}
	if !r.policy.Source(r.d.Origin.Layer, r.d.Origin.Plugin, serverOf(r.d)).Files {
		refused := &render.RefError{Code: diag.FileProtected, Message: "the policy does not allow definitions from this source to include files"}
		if server := serverOf(r.d); server != "" {
			refused.Fix = fmt.Sprintf("to allow it to read project files, set trust: [{mcp: %s, files: true}] in your policy; to read the skill's own files, run: vade remote read %s FILE", server, r.d.Name)
		}
		return render.File{}, refused
	}
	if err := vfs.CheckName(ref); err != nil {
		return render.File{}, &render.RefError{Code: diag.FileName, Message: "the file name has a special meaning on Windows"}
	}
	rel, ok := r.c.InProject(ref)
	if !ok {
		return render.File{}, &render.RefError{Code: diag.FileOutsideRoot, Message: "the file is outside the project"}
	}
	data, err := r.read(rel)
	if errors.Is(err, fs.ErrNotExist) && r.c.Quick.WorkDir != "." && !vfs.IsAbs(ref) {
		if top := path.Clean(ref); fs.ValidPath(top) {
			if again, second := r.read(top); second == nil {
				rel, data, err = top, again, nil
			}
		}
	}
	if err != nil {
		problem := RefError(err)
		if serverOf(r.d) != "" && problem.Code == diag.FileNotFound {
			problem.Message = "the file does not exist in your project"
			problem.Fix = "if it is one of the skill's files, run: vade remote read " + r.d.Name + " FILE"
		}
		return render.File{Path: rel}, problem
	}
	file := render.File{Path: rel, Data: data}
	switch strings.ToLower(path.Ext(rel)) {
	case ".md", ".mdc", ".mdx", ".markdown":
		file.Markdown = true
	}
	return file, nil
}

// read reads a file, following symlinks inside the project. Neither the symlink nor its target may
// be a protected file.
func (r *references) read(rel string) ([]byte, error) {
	tree := r.c.Quick.Project
	if _, ok := r.policy.Protected.Match(rel); ok {
		return nil, ErrProtected
	}
	data, err := tree.ReadFile(rel, referenceLimit)
	if errors.Is(err, vfs.ErrLink) {
		var to *vfs.Tree
		if to, rel, err = tree.Resolve(rel); err == nil {
			if _, ok := r.policy.Protected.Match(rel); ok {
				return nil, ErrProtected
			}
			data, err = to.ReadFile(rel, referenceLimit)
		}
	}
	if err == nil && !isText(data) {
		err = ErrBinary
	}
	return data, err
}

func isText(data []byte) bool { return utf8.Valid(data) && bytes.IndexByte(data, 0) < 0 }

// Errors for files that cannot be included.
var (
	ErrBinary    = errors.New("the file is not text")
	ErrProtected = errors.New("the file is protected")
)

// RefError converts a file error to an error with a code and a message.
func RefError(err error) *render.RefError {
	for _, known := range []struct {
		err     error
		code    diag.Code
		message string
	}{
		{fs.ErrNotExist, diag.FileNotFound, "the file does not exist"},
		{ErrProtected, diag.FileProtected, "the policy protects it because such files may contain secrets"},
		{vfs.ErrDirectory, diag.FileDirectory, "it is a directory"},
		{vfs.ErrOutside, diag.LinkOutside, "a symlink points outside the project"},
		{vfs.ErrLoop, diag.LinkLoop, "the symlinks form a loop"},
		{vfs.ErrNotRegular, diag.FileNotRegular, "it is not a regular file"},
		{vfs.ErrHardLink, diag.FileHardLink, "the file has other hard links, which may be outside the project"},
		{vfs.ErrTooLarge, diag.FileTooLarge, fmt.Sprintf("the file is larger than %d KiB", referenceLimit>>10)},
		{ErrBinary, diag.FileBinary, "the file is not UTF-8 text"},
	} {
		if errors.Is(err, known.err) {
			return &render.RefError{Code: known.code, Message: known.message}
		}
	}
	return &render.RefError{Code: diag.FileUnreadable, Message: "the file cannot be read"}
}
