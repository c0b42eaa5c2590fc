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

// StateFile says, at the top of a site, which files were written and with what
// digests, so that the next time they can be told from those of others.
const StateFile = ".vade-publish.json"

// maxSiteFile is the longest file, in bytes, that is compared with what is to be
// written: an archive is longer than what is in it by little.
const maxSiteFile = MaxBytes + 4<<20

// state is the content of the StateFile: the digests that each path may have.
type state struct {
	Version int                 `json:"version"`
	Files   map[string][]string `json:"files"`
}

// Step is what writing a site means for one path.
type Step struct {
	Path string `json:"path"`
	// Change is "create", "replace", "same", "remove", or "keep" for a file that was
	// published once and is another's now.
	Change string `json:"change"`
	// Problem says why the path can not be written, or "".
	Problem string `json:"problem,omitempty"`
	// Hard: force does not do away with the problem, because no file stands there, or
	// one that can not be replaced.
	Hard bool `json:"-"`

	file *SiteFile
	// was is the digest of what stands there now, where that goes.
	was string
}

// Plan is what writing a site means for a directory.
type Plan struct {
	Steps []Step
	known state
}

// Foreign are the steps that have a problem.
func (p *Plan) Foreign() []Step {
	var list []Step
	for i := range p.Steps {
		if p.Steps[i].Problem != "" {
			list = append(list, p.Steps[i])
		}
	}
	return list
}

// NewPlan compares the files of a site with what stands in a tree, nil for a
// directory that is not there. A file that holds something else than what was
// published has a problem, which force does away with.
func NewPlan(ctx context.Context, tree *vfs.Tree, files []SiteFile, force bool) (*Plan, error) {
	p := &Plan{known: state{Files: map[string][]string{}}}
	if tree != nil {
		known, err := p.readState(tree)
		if err != nil {
			p.Steps = append(p.Steps, Step{Path: StateFile, Problem: why(err), Hard: true})
		} else if !known && !force {
			p.Steps = append(p.Steps, Step{Path: StateFile, Problem: "another file stands there"})
		}
	}
	wanted := map[string]bool{}
	for i := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f := &files[i]
		wanted[f.Path] = true
		p.Steps = append(p.Steps, p.look(tree, f, force))
	}
	for _, name := range slices.Sorted(maps.Keys(p.known.Files)) {
		if !wanted[name] && ours(name) && tree != nil {
			p.leave(tree, name)
		}
	}
	return p, nil
}

// readState reads what was published before. It is false for a file that is no record
// of ours, as one is that is longer than any: that is another's, as all that stands there
// is then.
func (p *Plan) readState(tree *vfs.Tree) (bool, error) {
	data, err := tree.ReadFile(StateFile, maxSiteFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true, nil
	case errors.Is(err, vfs.ErrTooLarge):
		return false, nil
	case err != nil:
		return false, err
	}
	var s state
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if d.Decode(&s) != nil || s.Version != 1 || s.Files == nil {
		return false, nil
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return false, nil
	}
	p.known = s
	return true, nil
}

// ours reports whether a path is one that publishing could have written: nothing
// else is ever taken away, whatever the state says.
func ours(name string) bool {
	return fs.ValidPath(name) && strings.HasPrefix(name, IndexDir+"/") && safePath(name)
}

func (p *Plan) look(tree *vfs.Tree, f *SiteFile, force bool) Step {
	s := Step{Path: f.Path, Change: "create", file: f}
	if err := writable(f.Path); err != nil {
		s.Change, s.Problem, s.Hard = "", err.Error(), true
		return s
	}
	if tree == nil {
		return s
	}
	for at := path.Dir(f.Path); at != "."; at = path.Dir(at) {
		if typ, err := tree.Lstat(at); err == nil && typ != vfs.Dir {
			s.Change, s.Problem, s.Hard = "", at+" is no directory", true
			return s
		}
	}
	before, err := tree.ReadFile(f.Path, maxSiteFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		s.Change, s.Problem, s.Hard = "", why(err), true
	case digestOf(before) == f.Digest:
		s.Change = "same"
	case force || slices.Contains(p.known.Files[f.Path], digestOf(before)):
		s.Change, s.was = "replace", digestOf(before)
	case p.known.Files[f.Path] != nil:
		s.Change, s.Problem = "", "it was changed since it was published"
	default:
		s.Change, s.Problem = "", "another file stands there"
	}
	return s
}

// writable reports what is wrong with a path that is to be written.
func writable(name string) error {
	for element := range strings.SplitSeq(name, "/") {
		if err := vfs.CheckName(element); err != nil {
			return vfs.ErrBadName
		}
	}
	return nil
}

// leave plans to take away what is published no more.
func (p *Plan) leave(tree *vfs.Tree, name string) {
	before, err := tree.ReadFile(name, maxSiteFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err == nil && slices.Contains(p.known.Files[name], digestOf(before)):
		p.Steps = append(p.Steps, Step{Path: name, Change: "remove", was: digestOf(before)})
	default:
		p.Steps = append(p.Steps, Step{Path: name, Change: "keep"})
	}
}

// why is an error without the path that it names.
func why(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return err.Error()
}

// Write carries a plan out in the tree that it was made for: what is new and what
// has changed first, the index behind it, and then away with what is no more. Each
// file changes in one step. What is about to be written is written down before, so
// that a run that was ended in the middle is finished by the next.
func (p *Plan) Write(ctx context.Context, tree *vfs.Tree) error {
	if len(p.Foreign()) > 0 {
		return errors.New("the plan has problems")
	}
	w, err := tree.Writer(vfs.WriterOptions{})
	if err != nil {
		return err
	}
	defer w.Close()
	after := state{Version: 1, Files: map[string][]string{}}
	both := state{Version: 1, Files: map[string][]string{}}
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.file != nil {
			after.Files[s.Path] = []string{s.file.Digest}
			both.Files[s.Path] = []string{s.file.Digest}
		}
		if s.was != "" {
			both.Files[s.Path] = append(both.Files[s.Path], s.was)
		}
	}
	if err := putState(tree, &both); err != nil {
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
	return putState(tree, &after)
}

// putState writes the state where it says something else.
func putState(tree *vfs.Tree, s *state) error {
	data := indented(s)
	before, err := tree.ReadFile(StateFile, maxSiteFile)
	if err == nil && bytes.Equal(before, data) {
		return nil
	}
	if err := tree.Put(StateFile, data); err != nil {
		return fmt.Errorf("%s: %s", StateFile, why(err))
	}
	return nil
}

func (s *Step) write(ctx context.Context, tree *vfs.Tree, w *vfs.Writer) error {
	var before []byte
	if s.was != "" {
		var err error
		if before, err = tree.ReadFile(s.Path, maxSiteFile); err != nil || digestOf(before) != s.was {
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
		// Directories that are empty now go too; one that is not stays.
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

// Order sorts items so that of two with one name the one that stands higher comes
// first.
func Order(items []Item) {
	slices.SortStableFunc(items, func(a, b Item) int {
		return cmp.Or(cmp.Compare(strings.Count(a.URI, "/"), strings.Count(b.URI, "/")), cmp.Compare(a.URI, b.URI))
	})
}
