package check

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/check/rules"
	"github.com/vadehq/vade/internal/discover"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/mcp"
	"github.com/vadehq/vade/internal/parse"
	"github.com/vadehq/vade/internal/textdiff"
	"github.com/vadehq/vade/internal/version"
	"github.com/vadehq/vade/internal/vfs"
)

// FileFix is what edits make of one file.
type FileFix struct {
	// Path is the file, below [Report.Directory].
	Path          string
	Before, After []byte
	// Mended are the findings that the edits are for.
	Mended []rules.Finding
	// Loads are the checked hosts that load the file after the edits and do not
	// before.
	Loads []string
	// Heeds are the fields that hosts which load the file heed only after the edits.
	Heeds []FieldEffects
	// Problem says why a file that could be mended is left as it is, or "". Then
	// there is no After.
	Problem string

	directory string
}

// Diff is the change as a unified diff.
func (f *FileFix) Diff() string {
	return mcp.HideDiff(textdiff.Diff(f.Path, string(f.Before), string(f.After)))
}

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
		return fmt.Errorf("vade: %s is not written: %w", f.Path, catalog.ReasonOf(err))
	}
	return nil
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
	byFile := map[string][]rules.Finding{}
	var paths []string
	for _, f := range r.Findings {
		if it := r.files[f.Path]; f.Mendable() && it != nil && it.d.Format == definition.Markdown && byFile[f.Path] == nil {
			byFile[f.Path] = []rules.Finding{}
			paths = append(paths, f.Path)
		}
	}
	for _, f := range r.Findings {
		if byFile[f.Path] != nil {
			byFile[f.Path] = append(byFile[f.Path], f)
		}
	}
	slices.Sort(paths)
	list, readers := make([]FileFix, len(paths)), r.readers()
	err = catalog.SideBySide(len(paths), func(i int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		list[i] = r.fixFile(ctx, tree, readers, paths[i], byFile[paths[i]])
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

// maxFix is the longest file, in bytes, that is edited.
const maxFix = 4 << 20

// maxRounds is how often a file is mended: an edit may bring to light what another
// one mends.
const maxRounds = 3

// fixFile mends one file. findings are all that it has.
func (r *Report) fixFile(ctx context.Context, tree *vfs.Tree, readers *readers, p string, findings []rules.Finding) FileFix {
	it := r.files[p]
	data, err := tree.ReadFile(p, maxFix)
	if err != nil {
		return FileFix{Path: p, Problem: catalog.ReasonOf(err).Error()}
	}
	before := readers.read(it, data)
	now, left, made, complete := before, findings, []rules.Finding(nil), true
	for range maxRounds {
		next, more, all := mend(ctx, readers, it, now, left)
		complete = complete && all
		if len(more) == 0 {
			break
		}
		now, made = next, append(made, more...)
		left = r.judgeReading(it, now)
	}
	switch {
	case len(made) == 0 && !complete:
		return FileFix{Path: p, Problem: fmt.Sprintf("it has too many edits to try each: %d are found; make some of them by hand", mendable(findings))}
	case len(made) == 0 || !keepsPromise(before.why, now.why, findings, made):
		return FileFix{Path: p, Problem: "an edit would change what it says, or not help"}
	}
	return FileFix{Path: p, Before: data, After: now.data, Mended: made, directory: r.Directory, Loads: newlyLoading(before.why, now.why), Heeds: heedings(before, now)}
}

func mendable(list []rules.Finding) int {
	n := 0
	for i := range list {
		if list[i].Mendable() {
			n++
		}
	}
	return n
}

// mend makes the edits of one text that do no harm.
func mend(ctx context.Context, readers *readers, it *checked, was *reading, findings []rules.Finding) (*reading, []rules.Finding, bool) {
	if mendable(findings) == 0 {
		return was, nil, true
	}
	now, text := was, rules.TextOf(it.path, was.data)
	_, made, complete := rules.Mend(was.data, findings, func(after []byte, made []rules.Finding) (ok, stop bool) {
		if ctx.Err() != nil {
			return false, true
		}
		if !rules.Kept(text, rules.TextOf(it.path, after), made) {
			return false, false
		}
		next := readers.read(it, after)
		for h, reason := range was.why {
			if reason == "" && next.why[h] != "" {
				return false, false
			}
		}
		if switches(was, next, text, made) {
			return false, false
		}
		now = next
		return true, false
	})
	return now, made, complete
}

// judgeReading returns what would be found in a file if it had another text.
func (r *Report) judgeReading(it *checked, now *reading) []rules.Finding {
	neutral, real := registry.Neutral(), it.d.Origin.Real
	d := asIf(neutral, it.d, it.path, now.data)
	if d == nil {
		return nil
	}
	doc := parse.File(d, now.data, neutral)
	s := &rules.Subject{
		Definition: d, File: diag.NewFile(it.path, now.data), Entries: doc.Entries, Body: doc.Body, BodyAt: doc.BodyAt, Hosts: r.profiles,
	}
	for i := range now.views {
		if now.views[i].Loads(real) {
			s.Readers = append(s.Readers, r.profiles[i])
		}
	}
	list := located(rules.Merge(it.path, real, asRead(d, s.Readers), rules.Run(s), now.views), it.path)
	list = slices.DeleteFunc(list, func(f rules.Finding) bool { return r.config.Silences(&f) })
	rules.Sort(list)
	rules.Fingerprint(list)
	list, _ = r.baseline.Without(list)
	return list
}

// readers are the hosts that were checked, with their parsers.
type readers struct {
	profiles []*host.Profile
	parsers  []discover.Parser
}

func (r *Report) readers() *readers {
	all := &readers{profiles: r.profiles}
	for _, p := range r.profiles {
		all.parsers = append(all.parsers, parse.Parser(p, version.Number))
	}
	return all
}

// reading is what the hosts make of a text.
type reading struct {
	data []byte
	// why says of each host that would read it why it does not load it, "" where it
	// does.
	why map[string]string
	// heeds are the fields that each host heeds that loads it.
	heeds map[string]map[definition.Field]string
	// views are those of all hosts.
	views []rules.View
}

func (r *readers) read(it *checked, data []byte) *reading {
	out := &reading{data: data, why: map[string]string{}, heeds: map[string]map[definition.Field]string{}, views: make([]rules.View, len(r.profiles))}
	for i, p := range r.profiles {
		out.views[i].Host = p.Name
		if d := catalog.ParsedAt(p, r.parsers[i], it.d, it.path, data); d != nil {
			out.views[i].Outcomes = map[string][]rules.Outcome{it.d.Origin.Real: {outcome(d)}}
			out.why[p.Name] = ""
			if d.State != definition.Loaded {
				out.why[p.Name] = cmp.Or(d.Reason, d.State.String())
			} else {
				out.heeds[p.Name] = heeded(d)
			}
		}
	}
	return out
}

// keepsPromise reports whether the hosts that the mended findings of a file keep
// from loading it load it afterwards, but for those that something else keeps from
// it too: another of its findings, or a reason that shows only now.
func keepsPromise(before, after map[string]string, findings, made []rules.Finding) bool {
	mended := map[string]bool{}
	for _, f := range made {
		mended[f.Fingerprint] = true
	}
	other := map[string]bool{}
	for _, f := range findings {
		for _, h := range f.NotLoaded {
			other[h] = other[h] || !mended[f.Fingerprint]
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
