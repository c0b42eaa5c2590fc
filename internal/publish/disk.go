package publish

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/vfs"
)

// StateFile is the file in a site's root directory that records which files were published, with
// their digests, so later runs can tell them from files that Vade did not write.
const StateFile = ".vade-publish.json"

// maxSiteFile is the size limit, in bytes, for comparing an existing file against its new content.
// The margin is for archives, which are slightly larger than their content.
const maxSiteFile = MaxBytes + 4<<20

// record is the content of StateFile. It maps each path to the digests that the published file may
// have.
type record struct {
	Version int                 `json:"version"`
	Files   map[string][]string `json:"files"`
}

// Step describes the planned change for one path.
type Step struct {
	Path string `json:"path"`
	// Change is "create", "replace", "same", "remove", or "keep" for a published file that was
	// modified and is no longer needed. It is "" if there is a problem.
	Change string `json:"change"`
	// Problem describes why the path cannot be written. It is "" if there is no problem.
	Problem string `json:"problem,omitempty"`
	// NotForceable reports whether the problem remains even with force, because
	// the path is not a regular file or cannot be replaced.
	NotForceable bool `json:"-"`

	file *SiteFile
	// oldDigest is the digest of the file that is replaced or removed.
	oldDigest string
}

// Plan lists the changes needed to write a site to a directory.
type Plan struct {
	Steps    []Step
	recorded record
}

// Conflicts returns the steps that have a problem.
func (p *Plan) Conflicts() []Step {
	var list []Step
	for i := range p.Steps {
		if p.Steps[i].Problem != "" {
			list = append(list, p.Steps[i])
		}
	}
	return list
}

// NewPlan compares a site's files against those in tree, which is nil if the directory does not
// exist. An existing file with content that Vade did not publish is a conflict unless force is set.
func NewPlan(ctx context.Context, tree *vfs.Tree, files []SiteFile, force bool) (*Plan, error) {
	p := &Plan{recorded: record{Files: map[string][]string{}}}
	if tree != nil {
		known, err := p.readRecord(tree)
		if err != nil {
			p.Steps = append(p.Steps, Step{Path: StateFile, Problem: vfs.WithoutPath(err).Error(), NotForceable: true})
		} else if !known && !force {
			p.Steps = append(p.Steps, Step{Path: StateFile, Problem: "the file was not written by vade publish"})
		}
	}
	planned := map[string]bool{}
	for i := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f := &files[i]
		planned[f.Path] = true
		p.Steps = append(p.Steps, p.planFile(tree, f, force))
	}
	for _, name := range slices.Sorted(maps.Keys(p.recorded.Files)) {
		if !planned[name] && removable(name) && tree != nil {
			p.planRemoval(tree, name)
		}
	}
	return p, nil
}

// readRecord reads the record from earlier runs. If the file is not a valid record or is too large
// to be one, readRecord returns false, and no existing file counts as published.
func (p *Plan) readRecord(tree *vfs.Tree) (bool, error) {
	data, err := tree.ReadFile(StateFile, maxSiteFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true, nil
	case errors.Is(err, vfs.ErrTooLarge):
		return false, nil
	case err != nil:
		return false, err
	}
	var s record
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if d.Decode(&s) != nil || s.Version != 1 || s.Files == nil {
		return false, nil
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return false, nil
	}
	p.recorded = s
	return true, nil
}

// removable reports whether a published file may be removed. Only files in IndexDir are ever
// removed, no matter what the record contains.
func removable(name string) bool {
	return fs.ValidPath(name) && strings.HasPrefix(name, IndexDir+"/") && safePath(name)
}

func (p *Plan) planFile(tree *vfs.Tree, f *SiteFile, force bool) Step {
	s := Step{Path: f.Path, Change: "create", file: f}
	if err := checkPath(f.Path); err != nil {
		s.Change, s.Problem, s.NotForceable = "", err.Error(), true
		return s
	}
	if tree == nil {
		return s
	}
	for dir := path.Dir(f.Path); dir != "."; dir = path.Dir(dir) {
		if typ, err := tree.Lstat(dir); err == nil && typ != vfs.Dir {
			s.Change, s.Problem, s.NotForceable = "", fmt.Sprintf("%q is not a directory", dir), true
			return s
		}
	}
	before, err := tree.ReadFile(f.Path, maxSiteFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		s.Change, s.Problem, s.NotForceable = "", vfs.WithoutPath(err).Error(), true
	case digestOf(before) == f.Digest:
		s.Change = "same"
	case force || slices.Contains(p.recorded.Files[f.Path], digestOf(before)):
		s.Change, s.oldDigest = "replace", digestOf(before)
	case p.recorded.Files[f.Path] != nil:
		s.Change, s.Problem = "", "the file was modified after it was published"
	default:
		s.Change, s.Problem = "", "the file was not written by vade publish"
	}
	return s
}

// checkPath returns an error if the path cannot be written on every operating system.
func checkPath(name string) error {
	for element := range strings.SplitSeq(name, "/") {
		if err := vfs.CheckName(element); err != nil {
			return vfs.ErrBadName
		}
	}
	return nil
}

// planRemoval plans the removal of a file that is no longer published, or keeps it if it was
// modified.
func (p *Plan) planRemoval(tree *vfs.Tree, name string) {
	before, err := tree.ReadFile(name, maxSiteFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err == nil && slices.Contains(p.recorded.Files[name], digestOf(before)):
		p.Steps = append(p.Steps, Step{Path: name, Change: "remove", oldDigest: digestOf(before)})
	default:
		p.Steps = append(p.Steps, Step{Path: name, Change: "keep"})
	}
}

// Write carries out the plan in the tree for which it was made. It writes new and changed files
// first, then the index, and finally removes obsolete files. Each file changes atomically. The
// record is updated first, so the next run can complete an interrupted one.
func (p *Plan) Write(ctx context.Context, tree *vfs.Tree) error {
	if len(p.Conflicts()) > 0 {
		return errors.New("the plan has conflicts")
	}
	w, err := tree.Writer(vfs.WriterOptions{})
	if err != nil {
		return err
	}
	defer w.Close()
	final := record{Version: 1, Files: map[string][]string{}}
	interim := record{Version: 1, Files: map[string][]string{}}
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.file != nil {
			final.Files[s.Path] = []string{s.file.Digest}
			interim.Files[s.Path] = []string{s.file.Digest}
		}
		if s.oldDigest != "" {
			interim.Files[s.Path] = append(interim.Files[s.Path], s.oldDigest)
		}
	}
	if err := writeRecord(tree, &interim); err != nil {
		return err
	}
	for i := range p.Steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := p.Steps[i].write(ctx, tree, w); err != nil {
			return fmt.Errorf("%s: %w", p.Steps[i].Path, err)
		}
	}
	return writeRecord(tree, &final)
}

// writeRecord writes the record if it changed.
func writeRecord(tree *vfs.Tree, s *record) error {
	data := indented(s)
	before, err := tree.ReadFile(StateFile, maxSiteFile)
	if err == nil && bytes.Equal(before, data) {
		return nil
	}
	if err := tree.Put(StateFile, data); err != nil {
		return fmt.Errorf("%s: %s", StateFile, vfs.WithoutPath(err))
	}
	return nil
}

func (s *Step) write(ctx context.Context, tree *vfs.Tree, w *vfs.Writer) error {
	var before []byte
	if s.oldDigest != "" {
		var err error
		if before, err = tree.ReadFile(s.Path, maxSiteFile); err != nil || digestOf(before) != s.oldDigest {
			return cmp.Or(err, vfs.ErrChanged)
		}
	}
	switch s.Change {
	case "same", "keep":
		return nil
	case "remove":
		if err := w.Remove(s.Path, before); err != nil {
			return err
		}
		// Remove directories that have become empty.
		for at := path.Dir(s.Path); at != IndexDir && at != "."; at = path.Dir(at) {
			if w.RemoveDir(at) != nil {
				break
			}
		}
		return nil
	}
	data, err := s.file.Data(ctx)
	if err != nil {
		return err
	}
	if digestOf(data) != s.file.Digest {
		return ErrChanged
	}
	if s.Change == "replace" {
		return w.Replace(s.Path, before, data, s.file.Executable)
	}
	if _, err := w.MkdirParents(s.Path); err != nil {
		return err
	}
	return w.Create(s.Path, data, s.file.Executable)
}

// SortByDepth sorts items by the depth of their URIs, so the shallower of two
// skills with the same name is published.
func SortByDepth(items []Item) {
	slices.SortStableFunc(items, func(a, b Item) int {
		return cmp.Or(cmp.Compare(strings.Count(a.URI, "/"), strings.Count(b.URI, "/")), cmp.Compare(a.URI, b.URI))
	})
}
