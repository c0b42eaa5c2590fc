package explain

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Change is the fix of a verdict that puts a file or directory at another path.
type Change struct {
	how, from, to string
	// link is the target of a symlink.
	link string
	// dir is the directory that from and to are in.
	dir string
}

// newChange returns the change that a command makes, or nil if not all is in the project or in the
// home directory.
func (w *whyUnread) newChange(how, from, to, link string) *Change {
	c := &Change{how: how, from: from, to: to, link: link}
	below, inHome := strings.CutPrefix(to, "~/")
	switch {
	case inHome:
		c.dir, c.to = w.v.c.Env.Home, below
		c.from = strings.TrimPrefix(strings.TrimPrefix(from, "~/"), c.dir+"/")
	case w.v.c.Quick.Project != nil:
		c.dir = w.v.c.Quick.Project.Dir()
	}
	if c.dir == "" || !filepath.IsLocal(c.from) || !filepath.IsLocal(c.to) {
		return nil
	}
	return c
}

// Apply makes the change. It replaces nothing.
func (c *Change) Apply() error {
	root, err := os.OpenRoot(c.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if _, err := root.Lstat(c.to); err == nil {
		return &fs.PathError{Op: c.how, Path: c.to, Err: fs.ErrExist}
	}
	if err := root.MkdirAll(path.Dir(c.to), 0o755); err != nil {
		return err
	}
	switch c.how {
	case "ln -s":
		return root.Symlink(c.link, c.to)
	case "mv":
		return root.Rename(c.from, c.to)
	}
	return fs.WalkDir(root.FS(), c.from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := c.to + strings.TrimPrefix(name, c.from)
		if d.IsDir() {
			return root.MkdirAll(to, 0o755)
		}
		info, err := root.Stat(name)
		if err != nil {
			return err
		}
		data, err := root.ReadFile(name)
		if err != nil {
			return err
		}
		return root.WriteFile(to, data, info.Mode().Perm())
	})
}
