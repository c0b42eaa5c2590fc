package mirror

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/vadehq/vade/internal/vfs"
)

var errKilled = errors.New("killed")

// node is a file, a link or a directory of a memory disk.
type node struct {
	typ  vfs.Type
	data string
	run  bool
	link string
}

// memory is a disk in memory. With fold it takes names that differ only in their
// capitals for one, and keeps those of the first.
type memory struct {
	nodes   map[string]*node
	fold    bool
	noLinks bool
	// after is the number of changes after which the process is dead, -1 for never.
	after, changes int
}

func newMemory(files map[string]string) *memory {
	m := &memory{nodes: map[string]*node{}, after: -1}
	for p, text := range files {
		m.write(p, text)
	}
	return m
}

func (m *memory) write(p, text string) {
	for d := path.Dir(p); d != "."; d = path.Dir(d) {
		m.nodes[d] = &node{typ: vfs.Dir}
	}
	m.nodes[p] = &node{typ: vfs.File, data: text}
}

func (m *memory) clone() *memory {
	c := &memory{nodes: map[string]*node{}, fold: m.fold, noLinks: m.noLinks, after: -1}
	for p, n := range m.nodes {
		twin := *n
		c.nodes[p] = &twin
	}
	return c
}

// name is the spelling under which the disk has a path.
func (m *memory) name(p string) string {
	if !m.fold || m.nodes[p] != nil {
		return p
	}
	for other := range m.nodes {
		if strings.EqualFold(other, p) {
			return other
		}
	}
	if up := path.Dir(p); up != "." {
		return path.Join(m.name(up), path.Base(p))
	}
	return p
}

func (m *memory) get(p string) (*node, error) {
	for up := path.Dir(p); up != "."; up = path.Dir(up) {
		switch n := m.nodes[m.name(up)]; {
		case n == nil || n.typ == vfs.File:
			return nil, fs.ErrNotExist
		case n.typ == vfs.Link:
			return nil, vfs.ErrLink
		}
	}
	n := m.nodes[m.name(p)]
	if n == nil {
		return nil, fs.ErrNotExist
	}
	return n, nil
}

func (m *memory) Lstat(p string) (vfs.Type, error) {
	n, err := m.get(p)
	if err != nil {
		return 0, err
	}
	return n.typ, nil
}

func (m *memory) ReadDir(p string, _ int) ([]vfs.Entry, bool, error) {
	if p != "." {
		if n, err := m.get(p); err != nil || n.typ != vfs.Dir {
			return nil, false, errors.Join(err, vfs.ErrNotDirectory)
		}
		p = m.name(p)
	}
	var list []vfs.Entry
	for q, n := range m.nodes {
		if path.Dir(q) == p {
			list = append(list, vfs.Entry{Name: path.Base(q), Type: n.typ})
		}
	}
	slices.SortFunc(list, func(a, b vfs.Entry) int { return strings.Compare(a.Name, b.Name) })
	return list, false, nil
}

func (m *memory) ReadFile(p string, _ int64) ([]byte, error) {
	n, err := m.get(p)
	switch {
	case err != nil:
		return nil, err
	case n.typ != vfs.File:
		return nil, vfs.ErrNotRegular
	}
	return []byte(n.data), nil
}

func (m *memory) Readlink(p string) (string, error) {
	n, err := m.get(p)
	if err != nil {
		return "", err
	}
	return n.link, nil
}

func (m *memory) Executable(p string) (bool, error) {
	n, err := m.get(p)
	return err == nil && n.run, err
}

func (m *memory) Real(p string) (string, error) {
	at := "."
	for _, element := range strings.Split(p, "/") {
		at = path.Join(at, element)
		n := m.nodes[m.name(at)]
		if n == nil {
			return "", fs.ErrNotExist
		}
		if n.typ == vfs.Link {
			at = path.Join(path.Dir(at), n.link)
			if strings.HasPrefix(at, "..") {
				return "", vfs.ErrOutside
			}
		}
	}
	return at, nil
}

func (m *memory) change() error {
	if m.after >= 0 && m.changes >= m.after {
		return errKilled
	}
	m.changes++
	return nil
}

func (m *memory) Mkdir(p string) error {
	err := m.put(p, &node{typ: vfs.Dir})
	if errors.Is(err, vfs.ErrExists) {
		return fs.ErrExist
	}
	return err
}

func (m *memory) put(p string, n *node) error {
	if _, err := m.get(p); err == nil {
		return vfs.ErrExists
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if up := path.Dir(p); up != "." {
		if d, err := m.get(up); err != nil || d.typ != vfs.Dir {
			return fmt.Errorf("%s: %w", up, fs.ErrNotExist)
		}
	}
	if err := m.change(); err != nil {
		return err
	}
	m.nodes[m.name(p)] = n
	return nil
}

func (m *memory) Create(p string, data []byte, run bool) error {
	return m.put(p, &node{typ: vfs.File, data: string(data), run: run})
}

func (m *memory) Replace(p string, before, after []byte, run bool) error {
	n, err := m.get(p)
	if err != nil {
		return err
	}
	if n.typ != vfs.File || n.data != string(before) {
		return vfs.ErrChanged
	}
	if err := m.change(); err != nil {
		return err
	}
	n.data, n.run = string(after), run
	return nil
}

func (m *memory) take(p string, ok func(*node) bool) error {
	n, err := m.get(p)
	if err != nil {
		return err
	}
	if !ok(n) {
		return vfs.ErrChanged
	}
	if err := m.change(); err != nil {
		return err
	}
	delete(m.nodes, m.name(p))
	return nil
}

func (m *memory) Remove(p string, before []byte) error {
	return m.take(p, func(n *node) bool { return n.typ == vfs.File && n.data == string(before) })
}

func (m *memory) Symlink(target, p string) error {
	if m.noLinks {
		return syscall.EPERM
	}
	return m.put(p, &node{typ: vfs.Link, link: target})
}

func (m *memory) Unlink(p, target string) error {
	return m.take(p, func(n *node) bool { return n.typ == vfs.Link && n.link == target })
}

func (m *memory) RemoveDir(p string) error {
	for q := range m.nodes {
		if path.Dir(q) == m.name(p) {
			return errors.New("directory not empty")
		}
	}
	return m.take(p, func(n *node) bool { return n.typ == vfs.Dir })
}

func (m *memory) Sweep(string) (int, error) { return 0, nil }

// tree is what is on the disk, a line for each.
func (m *memory) tree() string {
	var lines []string
	for p, n := range m.nodes {
		switch n.typ {
		case vfs.Dir:
			p += "/"
		case vfs.Link:
			p += " -> " + n.link
		default:
			p += fmt.Sprintf(" %q", n.data)
		}
		lines = append(lines, p)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
