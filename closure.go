package vade

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

// read keeps what a closure needs of a document: its bytes, once read, and its
// commands. A consent does not depend on the arguments of a request.
func (r *shellRoom) read(doc *parse.Document, in render.Input) {
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

// consent returns the state of the consent, if it makes a difference.
func (r *shellRoom) consent(ctx context.Context, commands []render.ShellCommand) policy.Consent {
	if r.situation.Mode != policy.Granted || len(r.policy.Allow) == 0 {
		return policy.ConsentNone
	}
	if r.d == nil {
		// The user has typed the command.
		return policy.ConsentGiven
	}
	given := r.runner(policy.ConsentGiven)
	if !slices.ContainsFunc(append(commands[:len(commands):len(commands)], r.commands...), func(c render.ShellCommand) bool { return given.Alone(c.Text, c.Bindings) }) {
		return policy.ConsentNone
	}
	closure, err := r.closure(ctx)
	if err != nil {
		return policy.ConsentNone
	}
	store, err := r.c.store()
	if err != nil {
		return policy.ConsentNone
	}
	switch state, _, _ := store.Check(closure); state {
	case trust.Trusted:
		r.consented = map[string]string{}
		for _, f := range closure.Files {
			if f.Mode.IsRegular() {
				r.consented[f.Path] = f.Digest
			}
		}
		return policy.ConsentGiven
	case trust.Changed:
		return policy.ConsentChanged
	}
	return policy.ConsentNone
}

// closure reads all that a consent is bound to: the definition, what it refers
// to, the directory of a skill, the whole plugin, and the files of the project
// that its commands name.
func (r *shellRoom) closure(ctx context.Context) (*trust.Closure, error) {
	d := r.d
	s := trust.Sources{ID: trust.ID{Kind: d.Kind.String(), Name: d.Name, Path: d.Origin.Real}}
	// A consent is for one project, also where the definition is the user's own
	// or a plugin's: what it runs is often the project's.
	s.ID.Project = r.c.quick.Project.Real()
	s.Definition = trust.Source{Path: d.Origin.Real, Data: r.doc}
	for _, dir := range r.own() {
		if tree, rel, err := r.view.Locate(dir); err == nil {
			s.Files = append(s.Files, trust.Source{Tree: tree, Name: rel})
		}
	}
	words, grants := r.named()
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

// own are the directories that belong to the definition alone.
func (r *shellRoom) own() []string {
	places := r.c.places(r.d)
	var dirs []string
	for _, dir := range []string{places.Plugin, places.Skill} {
		if dir != "" && dir != r.c.quick.Project.Real() {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// manifests are the files of a project that say what a program runs.
func manifests(program string) []string {
	switch program {
	case "npm", "npx", "yarn", "pnpm", "bun", "bunx", "node", "turbo", "nx":
		return []string{"package.json", ".npmrc"}
	case "make", "gmake":
		return []string{"GNUmakefile", "makefile", "Makefile"}
	case "just":
		return []string{"justfile", "Justfile", ".justfile"}
	case "task":
		return []string{"Taskfile.yml", "Taskfile.yaml"}
	case "cargo":
		return []string{"Cargo.toml", "build.rs", ".cargo/config.toml"}
	case "go":
		return []string{"go.mod"}
	case "python", "python3", "pytest", "tox", "nox", "poetry", "uv", "hatch", "pdm":
		return []string{"pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "noxfile.py", "conftest.py", "pytest.ini"}
	case "rake", "bundle":
		return []string{"Rakefile", "Gemfile"}
	case "composer":
		return []string{"composer.json"}
	case "mvn":
		return []string{"pom.xml"}
	case "gradle":
		return []string{"build.gradle", "build.gradle.kts", "settings.gradle"}
	case "deno":
		return []string{"deno.json", "deno.jsonc"}
	case "docker":
		return []string{"Dockerfile", "compose.yaml", "docker-compose.yml"}
	}
	return nil
}

// named returns the words of the commands that may be the names of files, and
// the grants that the commands need. Texts that only read, or are refused, need
// no consent and name nothing.
func (r *shellRoom) named() (words, grants []string) {
	given := r.situation
	given.Consent = policy.ConsentGiven
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
			words = append(words, candidates(script)...)
		}
	}
	slices.Sort(words)
	slices.Sort(grants)
	return slices.Compact(words), slices.Compact(grants)
}

// candidates are the words of a text that may name files, also as they are seen
// from the directories that it goes to.
func candidates(script *shell.Script) []string {
	var words, dirs []string
	add := func(list []shell.Word) {
		for _, w := range list {
			words = append(words, run.FileNames(w.Text)...)
		}
	}
	add(script.Others)
	for _, c := range script.Commands {
		add(c.Words)
		add(c.Inputs)
		if len(c.Words) == 0 {
			continue
		}
		words = append(words, manifests(c.Words[0].Text)...)
		if c.Words[0].Text == "cd" && len(c.Words) == 2 {
			dirs = append(dirs, c.Words[1].Text)
		}
	}
	for _, dir := range dirs {
		for _, w := range words[:len(words):len(words)] {
			if len(words) > maxCandidates {
				return words
			}
			words = append(words, path.Join(dir, w))
		}
	}
	return slices.DeleteFunc(words, func(w string) bool { return w == "" })
}

// maxCandidates bounds the names that are looked up for one text. A file that is
// not among them is not covered, and refused when its turn comes.
const maxCandidates = 4096

// covered reports whether the consent that was given covers a file as it is now.
func (r *shellRoom) covered(real string) bool {
	digest, ok := r.consented[real]
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
