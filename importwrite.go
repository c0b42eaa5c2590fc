package vade

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/vadehq/vade/internal/diag"
	"github.com/vadehq/vade/internal/vfs"
)

// write makes the files, and takes the originals away where that is asked for.
func (m *importer) write(ctx context.Context, w *vfs.Writer) error {
	for i := range m.result.Files {
		f := &m.result.Files[i]
		if err := ctx.Err(); err != nil {
			return err
		}
		if f.Action != "create" {
			continue
		}
		if err := makeParents(w, f.Path); err != nil {
			return fmt.Errorf("vade: %s: %w", f.Path, reasonOf(err))
		}
		if err := w.Create(f.Path, f.data, f.executable); err != nil {
			return fmt.Errorf("vade: %s: %w", f.Path, reasonOf(err))
		}
	}
	m.result.Done = true
	if !m.request.Move {
		return nil
	}
	return m.remove(w)
}

// makeParents makes the directories above a path that are not there.
func makeParents(w *vfs.Writer, p string) error {
	up := path.Dir(p)
	if up == "." {
		return nil
	}
	if err := makeParents(w, up); err != nil {
		return err
	}
	if err := w.Mkdir(up); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// remove takes away the originals of the definitions that are in their new place as a
// whole.
func (m *importer) remove(w *vfs.Writer) error {
	type key struct {
		kind Kind
		name string
	}
	held := map[key]bool{}
	for _, f := range m.result.Files {
		if f.Action == "keep" {
			held[key{f.Kind, f.Name}] = true
		}
	}
	for _, l := range m.result.Losses {
		// What was lost can only be had from the original.
		held[key{l.Kind, l.Name}] = true
	}
	kept := map[string]bool{}
	for _, l := range m.result.Losses {
		if !kept[l.Source] {
			kept[l.Source] = true
			m.note(diag.ImportLeft, l.Source, "see what with --verbose, put it into the source of truth by hand, and remove the file",
				"it stays, because not all of it could be carried over")
		}
	}
	for i := range m.result.Files {
		f := &m.result.Files[i]
		// The text for the whole project may have been put together of several files.
		if held[key{f.Kind, f.Name}] || kept[f.Source] || m.isWhole(f.Path) {
			continue
		}
		data, err := m.tree.ReadFile(f.Source, maxCompanion)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = w.Remove(f.Source, data)
		}
		if err != nil {
			m.problem(diag.SyncBlocked, f.Source, "remove it by hand", "it is in the source of truth now, and could not be taken away: %s", reasonOf(err))
			continue
		}
		f.Removed = true
		for up := path.Dir(f.Source); up != "."; up = path.Dir(up) {
			if w.RemoveDir(up) != nil {
				break
			}
		}
	}
	return nil
}
