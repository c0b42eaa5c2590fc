package mirror

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/vadehq/vade/internal/vfs"
)

// ReadState reads the state of a project, and its bytes. Where there is none it is
// empty. The error says why it can not be used; the state holds what can be.
func ReadState(disk Reader, bad func(string) string) (*State, []byte, error) {
	data, err := disk.ReadFile(StateFile, MaxState)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &State{Version: 1}, nil, nil
	case err != nil:
		return &State{Version: 1}, nil, errors.New(reason(err))
	}
	s, err := ParseState(data, bad)
	return s, data, err
}

// ErrNoLinks is the error of [Plan.Apply] where the system makes no links.
var ErrNoLinks = errors.New("links can not be made here")

// Apply carries a plan out. First it writes down what it is about to make, then it
// removes, makes and changes, and at last it writes down what has been made: a run
// that ends in between is completed by the next. It stops at the first error.
func (p *Plan) Apply(ctx context.Context, disk Disk) error {
	if len(p.Steps) == 0 && !p.Recorded() {
		return nil
	}
	a := applier{ctx: ctx, disk: disk}
	if len(p.Steps) > 0 {
		if err := a.write(p.journal()); err != nil {
			return err
		}
	}
	// What is known by a file with a mark goes before that, and comes after it.
	goes := func(s *Step) bool { return s.Action == Remove || s.Action == Unlink }
	for _, last := range []bool{false, true} {
		if err := a.steps(p, func(s *Step) bool { return goes(s) && marked(s.Before) == last }); err != nil {
			return err
		}
	}
	for _, d := range p.rmdirs {
		if err := disk.RemoveDir(d); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: %s", d, reason(err))
		}
	}
	for _, d := range p.mkdirs {
		if err := disk.Mkdir(d); err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%s: %s", d, reason(err))
		}
	}
	for _, first := range []bool{true, false} {
		if err := a.steps(p, func(s *Step) bool { return !goes(s) && marked(s.After) == first }); err != nil {
			return err
		}
	}
	return a.write(p.State)
}

// steps carries out some of the steps of a plan.
func (a *applier) steps(p *Plan, which func(*Step) bool) error {
	for i := range p.Steps {
		if s := &p.Steps[i]; which(s) {
			if err := a.step(s); err != nil {
				return err
			}
		}
	}
	return nil
}

// journal is the state while the plan is carried out: what was made, and what is
// being made.
func (p *Plan) journal() *State {
	j := &State{Version: 1, Pending: true, NoLinks: p.State.NoLinks}
	changes := map[string]bool{}
	for i := range p.Steps {
		changes[p.Steps[i].Path] = true
	}
	for _, e := range p.before.Files {
		if changes[e.Path] {
			j.Files = append(j.Files, e)
		}
	}
	j.Files = append(j.Files, p.State.Files...)
	j.sort()
	j.Files = slices.CompactFunc(j.Files, func(a, b Entry) bool { return a.Path == b.Path && a.Digest == b.Digest && a.Link == b.Link })
	j.Dirs = append(slices.Clone(p.rmdirs), p.State.Dirs...)
	return j
}

// Sweep removes what a run that ended too early has left beside what it was to
// make.
func (s *State) Sweep(disk Disk) (int, error) {
	dirs := []string{path.Dir(StateFile)}
	for _, e := range s.Files {
		dirs = append(dirs, dir(e.Path))
	}
	slices.Sort(dirs)
	n := 0
	for _, d := range slices.Compact(dirs) {
		swept, err := disk.Sweep(d)
		n += swept
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, vfs.ErrLink) {
			return n, fmt.Errorf("%s: %s", d, reason(err))
		}
	}
	return n, nil
}

// applier carries out the steps of a plan.
type applier struct {
	ctx  context.Context
	disk Disk
}

func (a *applier) step(s *Step) error {
	if err := a.ctx.Err(); err != nil {
		return err
	}
	var err error
	switch s.Action {
	case Create:
		err = a.disk.Create(s.Path, s.After, s.Executable)
	case Update:
		err = a.disk.Replace(s.Path, s.Before, s.After, s.Executable)
	case Remove:
		err = a.disk.Remove(s.Path, s.Before)
	case Unlink:
		err = a.disk.Unlink(s.Path, s.Link)
	case Link:
		err = a.disk.Symlink(s.Link, s.Path)
		if vfs.NoLinks(err) {
			return ErrNoLinks
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %s", s.Path, reason(err))
	}
	return nil
}

// write puts the state in its place; one that says nothing is removed.
func (a *applier) write(s *State) error {
	had, err := a.disk.ReadFile(StateFile, MaxState)
	exists := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %s", StateFile, reason(err))
	}
	data, tooMuch := s.encode()
	if tooMuch != nil {
		return fmt.Errorf("%s: %w", StateFile, tooMuch)
	}
	switch {
	case len(s.Files)+len(s.Dirs) == 0 && !s.Pending && !s.NoLinks:
		if exists {
			err = a.disk.Remove(StateFile, had)
		} else {
			err = nil
		}
		if err == nil {
			// It stays where something else is in it.
			_ = a.disk.RemoveDir(path.Dir(StateFile))
		}
	case exists && string(had) == string(data):
		return nil
	case exists:
		err = a.disk.Replace(StateFile, had, data, false)
	default:
		if err = a.disk.Mkdir(path.Dir(StateFile)); err == nil || errors.Is(err, fs.ErrExist) {
			err = a.disk.Create(StateFile, data, false)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %s", StateFile, reason(err))
	}
	return nil
}
