package check

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/check/rules"
	"github.com/vadehq/vade/internal/discover"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/mcp"
	"github.com/vadehq/vade/internal/parse"
	"github.com/vadehq/vade/internal/textdiff"
	"github.com/vadehq/vade/internal/version"
	"github.com/vadehq/vade/internal/vfs"
)

// FileFix is a proposed fix for one file.
type FileFix struct {
	// Path is the file's path relative to [Report.Directory].
	Path          string
	Before, After []byte
	// Loads lists the checked hosts that will load the file only because of the edits.
	Loads []string
	// Effects describes, for hosts that load the file with and without the edits, which fields will
	// take effect or have different values.
	Effects []string
	// Problem explains why a file with fixable findings was left unchanged. If it is not empty,
	// After is nil.
	Problem string

	directory string
}

// Diff returns the change as a unified diff.
func (f *FileFix) Diff() string {
	return mcp.HideDiff(textdiff.Diff(f.Path, string(f.Before), string(f.After)))
}

// Write atomically replaces the file with the edited text. It fails without changing
// anything if the path contains a symlink, the file has another hard link, or the file
// changed since it was checked.
func (f *FileFix) Write() error {
	tree, err := vfs.Open(f.directory, vfs.Options{})
	if err != nil {
		return fmt.Errorf("vade: %w", err)
	}
	defer tree.Close()
	if err := tree.Replace(f.Path, f.Before, f.After); err != nil {
		return fmt.Errorf("vade: cannot write %s: %w", f.Path, catalog.Cause(err))
	}
	return nil
}

// Fixes returns safe edits, which change the form of a file but not its meaning. It does not write
// anything; see [FileFix.Write].
//
// Fixes verifies each edit. The fields and the body must parse as before, except for the form of
// the fixed field. Every host that loads the file must still load it. A host that did not load the
// file because of a fixed finding must load it after the edit, unless another reason remains.
func (r *Report) Fixes(ctx context.Context) ([]FileFix, error) {
	tree, err := vfs.Open(r.Directory, vfs.Options{})
	if err != nil {
		return nil, fmt.Errorf("vade: %w", err)
	}
	defer tree.Close()
	byFile, fixable := map[string][]rules.Finding{}, map[string]bool{}
	for _, f := range r.Findings {
		byFile[f.Path] = append(byFile[f.Path], f)
		if it := r.files[f.Path]; f.Fixable() && it != nil && it.d.Format == definition.Markdown {
			fixable[f.Path] = true
		}
	}
	paths := slices.Sorted(maps.Keys(fixable))
	list, readers := make([]FileFix, len(paths)), r.readers()
	err = catalog.Parallel(len(paths), func(i int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		list[i] = r.fixFile(tree, readers, paths[i], byFile[paths[i]])
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

// maxFix is the maximum size of an edited file, in bytes.
const maxFix = 4 << 20

// fixFile applies the safe edits to one file. findings holds all of that file's findings.
func (r *Report) fixFile(tree *vfs.Tree, readers *readers, p string, findings []rules.Finding) FileFix {
	it := r.files[p]
	data, err := tree.ReadFile(p, maxFix)
	if err != nil {
		return FileFix{Path: p, Problem: catalog.Cause(err).Error()}
	}
	if !utf8.Valid(data) {
		// An edit would irreversibly replace invalid bytes.
		return FileFix{Path: p, Problem: "the file is not valid UTF-8; convert it first"}
	}
	before := readers.read(it, data)
	text := rules.TextOf(p, data)
	harmless := func(after []byte, made []rules.Finding) bool {
		if !rules.Kept(text, rules.TextOf(p, after), made) {
			return false
		}
		now := readers.read(it, after)
		for h, reason := range before.why {
			if reason == "" && now.why[h] != "" {
				return false
			}
		}
		return !switches(before, now, text, made)
	}
	after, made, complete := rules.ApplyFixes(data, findings, harmless)
	switch {
	case len(made) == 0 && !complete:
		return FileFix{Path: p, Problem: "the file has too many edits to try them one by one; apply some by hand"}
	case len(made) == 0:
		return FileFix{Path: p, Problem: "the edit would change the file's meaning"}
	}
	now := readers.read(it, after)
	if !fixesLoading(before.why, now.why, findings, made) {
		return FileFix{Path: p, Problem: "the edit would not fix the problem"}
	}
	return FileFix{
		Path: p, Before: data, After: after, directory: r.Directory,
		Loads: newlyLoading(before.why, now.why), Effects: newEffects(before, now),
	}
}

// readers holds the checked hosts and, for each host, its parser.
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

// reading describes how the hosts parse a file.
type reading struct {
	// why maps each host to the reason why it does not load the text, or to "" if it does.
	why map[string]string
	// effects maps each host that loads the text to its effective fields.
	effects map[string]map[definition.Field]string
}

func (r *readers) read(it *checked, data []byte) *reading {
	out := &reading{why: map[string]string{}, effects: map[string]map[definition.Field]string{}}
	for i, p := range r.profiles {
		if d := catalog.ParsedAt(p, r.parsers[i], it.d, it.path, data); d != nil {
			out.why[p.Name] = ""
			if d.State != definition.Loaded {
				out.why[p.Name] = cmp.Or(d.Reason, d.State.String())
			} else {
				out.effects[p.Name] = effectiveFields(d)
			}
		}
	}
	return out
}

// fixesLoading returns false if a host still does not load the file, for the same reason as before,
// although the edits fixed all of the findings that kept the host from loading it.
func fixesLoading(before, after map[string]string, findings, made []rules.Finding) bool {
	fixed := map[string]bool{}
	for _, f := range made {
		fixed[f.Fingerprint] = true
	}
	other := map[string]bool{}
	for _, f := range findings {
		for _, h := range f.NotLoaded {
			other[h] = other[h] || !fixed[f.Fingerprint]
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

// newlyLoading returns the hosts that load a file only after an edit.
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

// effectiveFields returns the fields that take effect in a host, with their values as strings.
func effectiveFields(d *definition.Definition) map[definition.Field]string {
	f, all := &d.Fields, map[definition.Field]string{}
	if f.Description != "" {
		all[definition.FieldDescription] = f.Description
	}
	for _, field := range [...]definition.Field{
		definition.FieldTitle, definition.FieldWhenToUse, definition.FieldArgumentHint, definition.FieldModel, definition.FieldEffort,
		definition.FieldContext, definition.FieldAgent, definition.FieldShell, definition.FieldTarget, definition.FieldArguments,
		definition.FieldAllowedTools, definition.FieldDisallowedTools, definition.FieldTools, definition.FieldPaths,
		definition.FieldAgents, definition.FieldSkills, definition.FieldExcludeAgent,
	} {
		if text := strings.Join(f.List(field), "\n"); text != "" {
			all[field] = text
		}
	}
	for field, on := range map[definition.Field]bool{
		definition.FieldUserInvocable:          f.UserInvocable != nil && !*f.UserInvocable,
		definition.FieldDisableModelInvocation: f.DisableModelInvocation,
		definition.FieldHasArchitectureAccess:  f.HasArchitectureAccess,
		definition.FieldAlwaysApply:            f.AlwaysApply,
		definition.FieldHooks:                  f.HasHooks,
		definition.FieldMCPServers:             f.HasMCPServers,
	} {
		if on {
			all[field] = "true"
		}
	}
	return all
}

// switches reports whether the edits change or remove a field's value in a host that loaded the
// file before the edits. A value that the host could not parse until it was quoted does not count.
// Neither does a change to a field that only describes the definition, unless the edit corrects a
// misspelled key and thereby replaces a value that was already in effect.
func switches(was, now *reading, text rules.Text, made []rules.Finding) bool {
	for i := range made {
		f := &made[i]
		form := f.Code == diag.FieldBool || f.Code == diag.FieldList || f.Code == diag.FieldSpelling
		at := slices.IndexFunc(text.Entries, func(e definition.Entry) bool {
			return e.KeySpan.Start <= f.Edit.Start && f.Edit.Start <= e.Value.Span.End
		})
		if at < 0 {
			continue
		}
		field := definition.LookupField(text.Entries[at].Key)
		if field == definition.FieldGlobs || field == definition.FieldApplyTo {
			field = definition.FieldPaths
		}
		for h, before := range was.effects {
			after, ok := now.effects[h]
			switch {
			case !ok || before[field] == after[field] || rules.Tells(field) && before[field] == "":
			case !form && before[field] == "":
				// The host could not parse the old value.
			case !rules.Tells(field) || f.Code == diag.FieldSpelling:
				return true
			}
		}
	}
	return false
}

// newEffects describes the fields that take effect or change their values because of the edits. It
// considers only hosts that load the file both before and after.
func newEffects(was, now *reading) []string {
	hosts := map[string][]string{}
	for h, before := range was.effects {
		for field, value := range now.effects[h] {
			effect := field.Key() + " takes effect"
			if before[field] != "" {
				effect = field.Key() + " gets a different value"
			}
			if before[field] != value {
				hosts[effect] = append(hosts[effect], h)
			}
		}
	}
	var list []string
	for effect, names := range hosts {
		slices.Sort(names)
		list = append(list, effect+" in "+strings.Join(names, ", "))
	}
	slices.Sort(list)
	return list
}
