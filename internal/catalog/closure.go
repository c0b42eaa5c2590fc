package catalog

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"path"
	"slices"

	"github.com/vadehq/vade/internal/body"
	"github.com/vadehq/vade/internal/parse"
	"github.com/vadehq/vade/internal/policy"
	"github.com/vadehq/vade/internal/render"
	"github.com/vadehq/vade/internal/run"
	"github.com/vadehq/vade/internal/shell"
	"github.com/vadehq/vade/internal/trust"
)

// read records a document's bytes, its commands and the files that it references. Commands are
// recorded without the request's arguments, because an approval does not depend on them.
func (r *shellEnv) read(doc *parse.Document, in render.Input) {
	r.doc = doc.File.Data
	in.Arguments = render.Arguments{}
	r.commands = render.ShellCommands(in)
	if t := r.c.template(r.d); t != nil {
		r.commands = append(r.commands, render.TemplateCommands(t, templateText(t, doc))...)
	}
	for seg := range body.Scan(doc.Body, body.Options{}) {
		if seg.Kind == body.FileRef && !seg.Quoted() {
			r.refs = append(r.refs, seg.Name)
		}
	}
}

// approvalState returns the approval state of a definition, or [policy.ApprovalNone] if the
// approval makes no difference or cannot be checked.
func (r *shellEnv) approvalState(ctx context.Context, commands []render.ShellCommand) policy.Approval {
	if r.decisionContext.Mode != policy.Granted || len(r.policy.Allow) == 0 {
		return policy.ApprovalNone
	}
	if r.d == nil {
		// No approval is needed, because the user typed the command directly.
		return policy.ApprovalGiven
	}
	given := r.runner(policy.ApprovalGiven)
	if !slices.ContainsFunc(append(commands[:len(commands):len(commands)], r.commands...),
		func(c render.ShellCommand) bool { return given.Exclusive(c.Text, c.Bindings) }) {
		return policy.ApprovalNone
	}
	closure, err := r.closure(ctx)
	if err != nil {
		return policy.ApprovalNone
	}
	store, err := r.c.store()
	if err != nil {
		return policy.ApprovalNone
	}
	switch state, _, _ := store.Check(closure); state {
	case trust.Trusted:
		r.approved = map[string]string{}
		for _, f := range closure.Files {
			if f.Mode.IsRegular() {
				r.approved[f.Path] = f.Digest
			}
		}
		return policy.ApprovalGiven
	case trust.Changed:
		return policy.ApprovalChanged
	}
	return policy.ApprovalNone
}

// closure collects everything that an approval covers: the definition, the files that it
// references, a skill's directory, the whole plugin, and the project files that its commands name.
func (r *shellEnv) closure(ctx context.Context) (*trust.Closure, error) {
	d := r.d
	s := trust.Sources{ID: trust.ID{Kind: d.Kind.String(), Name: d.Name, Path: d.Origin.Real}}
	// An approval applies to only one project, even for a user or plugin definition, because
	// commands often run code in the project.
	s.ID.Project = r.c.Quick.Project.Real()
	s.Definition = trust.Source{Path: d.Origin.Real, Data: r.doc}
	for _, dir := range r.ownDirs() {
		if tree, rel, err := r.view.Locate(dir); err == nil {
			s.Files = append(s.Files, trust.Source{Tree: tree, Name: rel})
		}
	}
	words, manifests, grants := r.namedPaths()
	for _, m := range manifests {
		words = append(words, run.Expand(r.view, m)...)
	}
	for _, name := range append(words, r.refs...) {
		info, err := r.view.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if tree, rel, err := r.view.Locate(name); err == nil {
			s.Files = append(s.Files, trust.Source{Tree: tree, Name: rel})
		}
	}
	for _, c := range r.commands {
		s.Commands = append(s.Commands, c.Text)
	}
	s.Grants = grants
	return trust.Collect(ctx, s)
}

// ownDirs returns the directories that contain only files of this definition or its plugin.
func (r *shellEnv) ownDirs() []string {
	places := r.c.places(r.d)
	var dirs []string
	for _, dir := range []string{places.Plugin, places.Skill} {
		if dir != "" && dir != r.c.Quick.Project.Real() {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// namedPaths returns the words in the commands that may be file names, the manifest patterns of the
// programs that the commands may run, and the policy's grants that the commands need. It skips
// read-only and refused commands, which need no approval.
func (r *shellEnv) namedPaths() (words, manifests, grants []string) {
	given := r.decisionContext
	given.Approval = policy.ApprovalGiven
	for _, c := range r.commands {
		script, d := r.policy.Decide(c.Text, c.Bindings, given)
		needs := false
		for i := range d.Commands {
			for _, g := range d.Commands[i].Grants() {
				needs = true
				grants = append(grants, g.Terms())
			}
		}
		if needs && script != nil && d.Allow() {
			w, m := r.candidatePaths(script)
			words, manifests = append(words, w...), append(manifests, m...)
		}
	}
	slices.Sort(words)
	slices.Sort(manifests)
	slices.Sort(grants)
	return slices.Compact(words), slices.Compact(manifests), slices.Compact(grants)
}

// candidatePaths returns the words in a script that may be file names, and the manifest patterns of
// every word that may be a program. It checks every word, not just the first, because a program may
// run under a wrapper or from a quoted script. Each word and pattern is also joined with the
// directories that the script names and with their parents, because programs look for manifests
// there too.
func (r *shellEnv) candidatePaths(script *shell.Script) (words, manifests []string) {
	var pieces []string
	add := func(list []shell.Word) {
		for _, w := range list {
			for _, name := range run.FileNames(w.Text) {
				words, pieces = append(words, name), append(pieces, run.Programs(name)...)
			}
		}
	}
	add(script.OtherWords)
	for _, c := range script.Commands {
		add(c.Words)
		add(c.Inputs)
	}
	words = slices.DeleteFunc(words, func(w string) bool { return w == "" })
	for _, piece := range pieces {
		manifests = append(manifests, run.Manifests(piece)...)
	}
	slices.Sort(manifests)
	dirs := r.directories(append(pieces, words...))
	return joinAll(dirs, words), joinAll(dirs, slices.Compact(manifests))
}

// directories returns the directories that the words name, either alone or in sequence as in "cd a
// && cd b". It also returns the parents of these directories and of the working directory, up to
// the root of the view.
func (r *shellEnv) directories(words []string) []string {
	slices.Sort(words)
	words = slices.Compact(words)
	dirs, lookups := []string{"."}, 0
	add := func(name string) bool {
		lookups++
		info, err := r.view.Stat(name)
		if err != nil || !info.IsDir() || slices.Contains(dirs, name) {
			return false
		}
		dirs = append(dirs, name)
		return true
	}
	for i := 0; i < len(dirs); i++ {
		for _, word := range words {
			if lookups > maxCandidates {
				return dirs[1:]
			}
			if path.IsAbs(word) {
				add(path.Clean(word))
			} else {
				add(path.Join(dirs[i], word))
			}
		}
	}
	for _, dir := range slices.Clone(dirs) {
		for above := path.Join(dir, ".."); above != "/" && add(above); above = path.Join(above, "..") {
		}
	}
	return dirs[1:]
}

// joinAll appends to names each name joined with each directory.
func joinAll(dirs, names []string) []string {
	for _, dir := range dirs {
		for _, name := range names[:len(names):len(names)] {
			if len(names) > maxCandidates {
				return names
			}
			names = append(names, path.Join(dir, name))
		}
	}
	return names
}

// maxCandidates limits the number of lookups per script. Files beyond the limit are not covered by
// the approval, so commands cannot use them.
const maxCandidates = 4096

// covered reports whether the approval covers a file's current content.
func (r *shellEnv) covered(real string) bool {
	digest, ok := r.approved[real]
	if !ok {
		return false
	}
	tree, rel, err := r.view.Locate(real)
	if err != nil {
		return false
	}
	f, err := tree.OpenFile(rel)
	if err != nil {
		return false
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return err == nil && "sha256:"+hex.EncodeToString(h.Sum(nil)) == digest
}
