package vade

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/vadehq/vade/internal/check"
	"github.com/vadehq/vade/internal/definition"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/report"
	"github.com/vadehq/vade/internal/source"
	"github.com/vadehq/vade/internal/vfs"
)

// FileFix is what edits make of one file.
type FileFix struct {
	// Path is the file, below [Report.Directory].
	Path          string
	Before, After []byte
	// Mended are the findings that the edits are for.
	Mended []Finding
	// Loads are the checked hosts that load the file after the edits and do not
	// before.
	Loads []string
	// Problem says why a file that could be mended is left as it is, or "". Then
	// there is no After.
	Problem string

	directory string
}

// Diff is the change as a unified diff.
func (f *FileFix) Diff() string { return report.Diff(f.Path, string(f.Before), string(f.After)) }

// Write puts the edited file in the place of the old one, in one step. It fails,
// and changes nothing, where the file is a link or is reached by one, has a second
// hard link, or holds something else than it did when it was checked.
func (f *FileFix) Write() error {
	tree, err := vfs.Open(f.directory, vfs.Options{})
	if err != nil {
		return fmt.Errorf("vade: %w", err)
	}
	defer tree.Close()
	if err := tree.Replace(f.Path, f.Before, f.After); err != nil {
		return fmt.Errorf("vade: %s is not written: %w", f.Path, reasonOf(err))
	}
	return nil
}

// reasonOf is an error without the path that it names.
func reasonOf(err error) error {
	for _, known := range []error{vfs.ErrLink, vfs.ErrHardLink, vfs.ErrChanged, vfs.ErrNotRegular, vfs.ErrOutside} {
		if errors.Is(err, known) {
			return known
		}
	}
	return err
}

// Fixes returns the edits that can do no harm: those that change how something is
// written, and nothing of what it says. Each is tried: the fields and the body are
// read as before but for the form of the one that is mended, every host that loads
// the file still does, and each that a finding says does not load it does then, or
// has only another reason left not to. Nothing is written; see [FileFix.Write].
func (r *Report) Fixes(ctx context.Context) ([]FileFix, error) {
	tree, err := vfs.Open(r.Directory, vfs.Options{})
	if err != nil {
		return nil, fmt.Errorf("vade: %w", err)
	}
	defer tree.Close()
	byFile := map[string][]Finding{}
	for _, f := range r.Findings {
		if it := r.files[f.Path]; f.Mendable() && it != nil && it.d.Format == definition.Markdown {
			byFile[f.Path] = append(byFile[f.Path], f)
		}
	}
	var list []FileFix
	for p, findings := range byFile {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		it := r.files[p]
		data, err := tree.ReadFile(p, maxFix)
		if err != nil {
			list = append(list, FileFix{Path: p, Problem: reasonOf(err).Error()})
			continue
		}
		after, made := r.mend(it, data, findings)
		if len(made) == 0 {
			list = append(list, FileFix{Path: p, Problem: "an edit would change what it says, or not help"})
			continue
		}
		list = append(list, FileFix{
			Path: p, Before: data, After: after, Mended: made, directory: r.Directory,
			Loads: newlyLoading(r.loading(it, data), r.loading(it, after)),
		})
	}
	slices.SortFunc(list, func(a, b FileFix) int {
		if a.Path < b.Path {
			return -1
		}
		return 1
	})
	return list, nil
}

// maxFix is the longest file, in bytes, that is edited.
const maxFix = 4 << 20

// mend makes the edits of one file that can be made.
func (r *Report) mend(it *checked, data []byte, findings []Finding) ([]byte, []Finding) {
	before := r.loading(it, data)
	after, made := check.Mend(data, findings, func(a, b []byte, f *Finding) bool {
		if !check.Kept(textOf(it.path, a), textOf(it.path, b), f) {
			return false
		}
		now := r.loading(it, b)
		for h, reason := range before {
			if reason == "" && now[h] != "" {
				return false
			}
		}
		return true
	})
	if len(made) == 0 || r.keepsPromise(it, before, r.loading(it, after), made) {
		return after, made
	}
	return data, nil
}

// keepsPromise reports whether the hosts that the mended findings keep from loading
// the file load it afterwards, but for those that something else keeps from it too:
// another finding, or a reason that shows only now.
func (r *Report) keepsPromise(it *checked, before, after map[string]string, made []Finding) bool {
	other := map[string]bool{}
	for _, f := range r.Findings {
		if f.Path == it.path && !slices.ContainsFunc(made, func(m Finding) bool { return m.Fingerprint == f.Fingerprint }) {
			for _, h := range f.NotLoaded {
				other[h] = true
			}
		}
	}
	for _, f := range made {
		for _, h := range f.NotLoaded {
			if reason := after[h]; reason != "" && reason == before[h] && !other[h] {
				return false
			}
		}
	}
	return true
}

// loading says of each of the hosts that were checked why it does not load a text,
// "" where it does.
func (r *Report) loading(it *checked, data []byte) map[string]string {
	reasons := map[string]string{}
	for _, p := range r.profiles {
		if d := asIf(p, it.d, it.path, data); d != nil {
			reasons[p.Name] = ""
			if d.State != definition.Loaded {
				reasons[p.Name] = cmp.Or(d.Reason, d.State.String())
			}
		}
	}
	return reasons
}

// newlyLoading are the hosts that load a file after an edit and do not before.
func newlyLoading(before, after map[string]string) []string {
	var hosts []string
	for h, reason := range before {
		if reason != "" && after[h] == "" {
			hosts = append(hosts, h)
		}
	}
	slices.Sort(hosts)
	return hosts
}

// textOf reads a text as the neutral view does.
func textOf(name string, data []byte) check.Text {
	doc, _ := frontmatter.Parse(source.New(name, data), false, host.Neutral().Dialect)
	return check.Text{Entries: doc.Entries, Body: string(data[min(doc.Body, len(data)):]), Valid: doc.Valid}
}
