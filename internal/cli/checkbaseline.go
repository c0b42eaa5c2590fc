package cli

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/vadehq/vade/internal/check"
	"github.com/vadehq/vade/internal/terminal"
	"github.com/vadehq/vade/internal/vfs"
)

// maxBaselineInput is the longest baseline that is read, in bytes.
const maxBaselineInput = 8 << 20

// readBaseline reads the file of --baseline: a regular one, through no link of the
// project.
func (a *app) readBaseline(name string) ([]byte, error) {
	tree, rel, err := a.fileAt(name, a.dir)
	if err != nil {
		return nil, err
	}
	defer tree.Close()
	return tree.ReadFile(rel, maxBaselineInput)
}

// writeBaseline writes the findings to the file of --write-baseline.
func (a *app) writeBaseline(name string, r *check.Report) error {
	tree, rel, err := a.fileAt(name, r.Directory)
	if err == nil {
		defer tree.Close()
		err = tree.Put(rel, r.Baseline())
	}
	if err != nil {
		return failure{fmt.Sprintf("--write-baseline %s: %v", name, plain(err)), "name a file that can be written: no link, and no link in the way to it"}
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(a.dir, name)
	}
	fmt.Fprintf(a.stderr(), "vade: %s written to %s\n", plural(len(r.Findings)+r.Known, "finding"), terminal.EscapeLine(name))
	return nil
}

// fileAt returns the tree and the name in it of a file that the user names, relative
// to -C: the tree of a directory if the file is below it, so that no link leads out
// of that on the way, else that of the directory that the file is in.
func (a *app) fileAt(name, top string) (*vfs.Tree, string, error) {
	abs := name
	if !filepath.IsAbs(abs) {
		abs = filepath.Join(a.dir, name)
	}
	abs, err := filepath.Abs(abs)
	if err != nil {
		return nil, "", err
	}
	if top, err = filepath.Abs(top); err != nil {
		return nil, "", err
	}
	abs = filepath.ToSlash(abs)
	tree, err := vfs.Open(filepath.ToSlash(top), vfs.Options{HardLinks: true})
	if err != nil {
		return nil, "", err
	}
	// The way to the directory may lead over links, the way from there may not.
	for i := range len(abs) {
		if abs[i] != '/' {
			continue
		}
		if real, err := vfs.RealPath(abs[:i+1]); err == nil && strings.TrimSuffix(real, "/") == strings.TrimSuffix(tree.Real(), "/") {
			return tree, abs[i+1:], nil
		}
	}
	tree.Close()
	if strings.HasSuffix(name, "/") {
		return nil, "", vfs.ErrDirectory
	}
	tree, err = vfs.Open(path.Dir(abs), vfs.Options{HardLinks: true})
	return tree, path.Base(abs), err
}
