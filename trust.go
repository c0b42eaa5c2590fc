package vade

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"time"

	"github.com/vadehq/vade/internal/body"
	"github.com/vadehq/vade/internal/definition"
	"github.com/vadehq/vade/internal/diag"
	"github.com/vadehq/vade/internal/parse"
	"github.com/vadehq/vade/internal/policy"
	"github.com/vadehq/vade/internal/render"
	"github.com/vadehq/vade/internal/run"
	"github.com/vadehq/vade/internal/shell"
	"github.com/vadehq/vade/internal/trust"
)

// Consent is what a definition would run beyond what only reads, and whether
// the user has consented to it. A consent is bound to the bytes of the
// definition, of what it refers to and of its companion files.
type Consent struct {
	Kind    Kind   `json:"kind"`
	Name    string `json:"name"`
	Path    string `json:"path"`
	Project string `json:"project,omitempty"`
	// State is "none", "trusted" or "changed", and "recorded" in the list of all
	// consents, where nothing is compared.
	State string `json:"state"`
	// Digest is that of the closure, GivenAt the time of the last consent.
	Digest  string    `json:"digest"`
	GivenAt time.Time `json:"givenAt,omitzero"`
	// Commands are the definition's shell commands as they are written. Grants
	// are the rules of the policy that allow what else would be refused.
	Commands []ConsentCommand `json:"commands"`
	Grants   []string         `json:"grants"`
	// Files are the files that the consent is bound to.
	Files []ConsentFile `json:"files"`
	// Changes are what differs from what the last consent was given to.
	Changes []ConsentChange `json:"changes,omitempty"`

	closure *trust.Closure
}

// ConsentCommand is one command of a definition. Runs is "always" for what only
// reads, "with consent" for what a grant covers, and "refused"; it is "" in the
// list of what is recorded.
type ConsentCommand struct {
	Text   string `json:"command"`
	Runs   string `json:"runs,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// ConsentFile is one file that a consent is bound to.
type ConsentFile struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	Digest string `json:"digest,omitempty"`
}

// ConsentChange is one difference from what a consent was given to.
type ConsentChange struct {
	// Subject is "command", "grant" or "file"; Kind "added", "removed" or
	// "changed".
	Subject string `json:"subject"`
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	// Diff is the difference of a text file in the form of diff -u. Note says
	// what it does not show.
	Diff string `json:"diff,omitempty"`
	Note string `json:"note,omitempty"`
}

// Consent returns what a request's definition would run and whether it is
// trusted. It runs nothing and writes nothing.
func (c *Catalog) Consent(ctx context.Context, request string) (*Consent, error) {
	d, err := c.requested(ctx, request)
	if err != nil {
		return nil, err
	}
	doc, err := c.document(ctx, d)
	if err != nil {
		return nil, err
	}
	room, refused := c.shellRoom(d, "")
	if refused != nil {
		return nil, &Error{Code: refused.Code, Message: refused.Message, Fix: "switch commands on, in a directory of the system"}
	}
	defer room.close()
	room.read(&doc, c.input(d, &doc, doc.Body))
	closure, err := room.closure(ctx)
	if err != nil {
		return nil, fmt.Errorf("vade: %w", err)
	}
	store, err := c.store()
	if err != nil {
		return nil, err
	}
	state, record, err := store.Check(closure)
	if err != nil && record == nil {
		state = trust.None
	}
	consent := consentOf(closure, state, record)
	room.tell(consent)
	return consent, nil
}

// tell says of each command what becomes of it.
func (r *shellRoom) tell(consent *Consent) {
	without, with := r.situation, r.situation
	with.Consent = policy.ConsentGiven
	for i, c := range r.commands {
		told := &consent.Commands[i]
		_, before := r.policy.Decide(c.Text, c.Bindings, without)
		_, after := r.policy.Decide(c.Text, c.Bindings, with)
		switch {
		case after.Refusal != nil:
			told.Runs, told.Reason = "refused", after.Refusal.Message
		case before.Refusal != nil:
			told.Runs = "with consent"
		default:
			told.Runs = "always"
		}
	}
}

func recorded(commands []string) []ConsentCommand {
	list := make([]ConsentCommand, len(commands))
	for i, c := range commands {
		list[i].Text = c
	}
	return list
}

// Trust records the user's consent to what [Catalog.Consent] has returned, and
// to nothing else: a file that has changed since then ends it.
func (c *Catalog) Trust(consent *Consent) error {
	store, err := c.store()
	if err != nil {
		return err
	}
	if _, err := store.Give(consent.closure, c.options.Now()); err != nil {
		return fmt.Errorf("vade: %w", err)
	}
	consent.State = trust.Trusted.String()
	return nil
}

// Consents returns the consents that are recorded, of all projects, and what is
// wrong with the records.
func (c *Catalog) Consents() ([]Consent, []Diagnostic, error) {
	store, err := c.store()
	if err != nil {
		return nil, nil, err
	}
	records, diags, err := store.List()
	if err != nil {
		return nil, diags, fmt.Errorf("vade: %w", err)
	}
	var list []Consent
	for i := range records {
		r := &records[i]
		consent := Consent{State: "recorded", Digest: r.Digest, Commands: recorded(r.Commands), Grants: orEmpty(r.Grants)}
		consent.identify(r.ID, r.Files)
		consent.GivenAt = r.GivenAt
		consent.closure = &trust.Closure{ID: r.ID}
		list = append(list, consent)
	}
	return list, diags, nil
}

// Revoke takes back a consent, and reports whether there was one.
func (c *Catalog) Revoke(consent *Consent) (bool, error) {
	store, err := c.store()
	if err != nil {
		return false, err
	}
	found, err := store.Revoke(consent.closure.ID)
	if err != nil {
		return found, fmt.Errorf("vade: %w", err)
	}
	return found, nil
}

// store opens the store of consents, which is never inside a project.
func (c *Catalog) store() (*trust.Store, error) {
	dir := c.userDir("XDG_STATE_HOME", ".local/state")
	if dir == "" {
		return nil, errors.New("vade: without a home directory there is no place for consents; set HOME")
	}
	dir = path.Join(dir, "vade/trust")
	if c.ownedByProject(dir) {
		return nil, fmt.Errorf("vade: consents would be kept inside the project (%s); set XDG_STATE_HOME to a directory of your own", dir)
	}
	store, err := trust.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("vade: %w", err)
	}
	return store, nil
}

func consentOf(closure *trust.Closure, state trust.State, record *trust.Record) *Consent {
	consent := &Consent{
		State: state.String(), Digest: closure.Digest(), closure: closure,
		Commands: recorded(closure.Commands), Grants: orEmpty(closure.Grants),
	}
	consent.identify(closure.ID, closure.Files)
	if record == nil {
		return consent
	}
	consent.GivenAt = record.GivenAt
	for _, change := range trust.Diff(record, closure) {
		consent.Changes = append(consent.Changes, ConsentChange{
			Subject: change.Subject.String(), Kind: change.Kind.String(), Name: change.Name, Diff: change.Unified, Note: change.Note,
		})
	}
	return consent
}

func (t *Consent) identify(id trust.ID, files []trust.File) {
	t.Kind, _ = ParseKind(id.Kind)
	t.Name, t.Path, t.Project = id.Name, id.Path, id.Project
	t.Files = []ConsentFile{}
	for _, f := range files {
		t.Files = append(t.Files, ConsentFile{Path: f.Path, Size: f.Size, Digest: f.Digest})
	}
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// read keeps what a closure needs of a document: its bytes, once read, and its
// commands. A consent does not depend on the arguments of a request.
func (r *shellRoom) read(doc *parse.Document, in render.Input) {
	r.doc = doc.File.Data
	in.Arguments = render.Arguments{}
	r.commands = render.ShellCommands(in)
	for _, seg := range body.Scan(doc.Body, body.Options{}) {
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
		return []string{"package.json"}
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

// requested finds the one definition of a request.
func (c *Catalog) requested(ctx context.Context, request string) (*definition.Definition, error) {
	d, err := c.pick(ctx, request)
	if err != nil {
		return nil, err
	}
	if d.Kind == definition.Agent || d.Kind == definition.Instruction {
		return nil, &Error{Code: diag.CommandNotFound, Message: fmt.Sprintf("the commands in the text of an %s are never run", d.Kind), Fix: "name a command or a skill"}
	}
	return d, nil
}
