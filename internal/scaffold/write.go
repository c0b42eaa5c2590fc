package scaffold

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/vfs"
)

// free reports what stands where the files go: a file, a link, a directory of the skill
// with something in it, or a name that differs in capitals alone.
func (m *maker) free() error {
	for _, f := range m.result.Files {
		if err := m.freePath(f.Path); err != nil {
			return err
		}
	}
	return nil
}

func (m *maker) freePath(file string) error {
	exists := func(p, why string) error {
		return newError(ErrNewExists, "give the new one another name, or move that away", "%s %s", p, why)
	}
	parts := strings.Split(file, "/")
	for i := range parts {
		at, up := strings.Join(parts[:i+1], "/"), path.Join(parts[:i]...)
		if up == "" {
			up = "."
		}
		typ, err := m.out.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			entries, _, err := m.out.ReadDir(up, catalog.MaxListed)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return exists(up, "can not be read: "+catalog.ReasonOf(err).Error())
			}
			for _, e := range entries {
				if strings.EqualFold(e.Name, parts[i]) {
					return exists(path.Join(up, e.Name), "is there already, in other capitals")
				}
			}
			return nil
		case err != nil:
			return exists(at, "can not be looked at: "+catalog.ReasonOf(err).Error())
		case typ == vfs.Link:
			return exists(at, "is a link, and nothing is written through one")
		case i == len(parts)-1:
			if fix, whole := m.handFix(at); whole {
				return newError(ErrNewExists, fix, "%s is there already", at)
			}
			return exists(at, "is there already")
		case typ != vfs.Dir:
			return exists(at, "is no directory")
		case m.isSkillDir(at):
			if entries, _, err := m.out.ReadDir(at, 1); err != nil || len(entries) > 0 {
				return exists(at, "is there already, with something in it")
			}
		}
	}
	return nil
}

// isSkillDir reports whether a directory would be that of the new skill alone.
func (m *maker) isSkillDir(dir string) bool {
	return slices.ContainsFunc(m.result.Files, func(f File) bool { return f.Path == dir+"/SKILL.md" })
}

// write makes the files; what was made of them goes again where one can not be.
func (m *maker) write(ctx context.Context) error {
	if err := m.free(); err != nil {
		return err
	}
	w, err := m.out.Writer(vfs.WriterOptions{Before: m.given.BeforeWrite})
	if err != nil {
		return fmt.Errorf("vade: %w", err)
	}
	defer w.Close()
	var dirs []string
	for i, f := range m.result.Files {
		err := ctx.Err()
		if err == nil {
			err = m.writeFile(w, &f, &dirs)
		}
		if err == nil {
			continue
		}
		for _, made := range m.result.Files[:i] {
			_ = w.Remove(made.Path, made.data)
		}
		for _, dir := range slices.Backward(dirs) {
			_ = w.RemoveDir(dir)
		}
		return err
	}
	m.result.Done = true
	return nil
}

// writeFile makes one file, and the directories above it that are not there, which it
// adds to dirs.
func (m *maker) writeFile(w *vfs.Writer, f *File, dirs *[]string) error {
	var err error
	parts := strings.Split(f.Path, "/")
	for i := 1; i < len(parts) && err == nil; i++ {
		dir := strings.Join(parts[:i], "/")
		if err = w.Mkdir(dir); err == nil {
			*dirs = append(*dirs, dir)
		} else if errors.Is(err, fs.ErrExist) {
			err = nil
		}
	}
	if err == nil {
		err = w.Create(f.Path, f.data, f.executable)
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, vfs.ErrExists), errors.Is(err, vfs.ErrLink):
		return newError(ErrNewExists, "give the new one another name, or move that away", "%s: %v", f.Path, catalog.ReasonOf(err))
	}
	return fmt.Errorf("vade: %s is not written: %w", f.Path, catalog.ReasonOf(err))
}
