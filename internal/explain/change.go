package explain

import (
	"io/fs"
	"strings"

	"github.com/vadehq/vade/internal/vfs"
)

// Change is a fix for a verdict. It moves, copies or links a file or directory to another path.
type Change struct {
	how, from, to string
	// link is the symlink's target.
	link string
	// dir is the directory that from and to are relative to.
	dir string
}

// newChange returns the change that a command makes, or nil if any path is
// outside the project and the home directory.
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
	if c.dir == "" || !fs.ValidPath(c.from) || !fs.ValidPath(c.to) {
		return nil
	}
	return c
}

// Apply makes the change. It does not replace existing files.
func (c *Change) Apply() error { return vfs.Place(c.dir, c.how, c.from, c.to, c.link) }
