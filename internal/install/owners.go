package install

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/ledger"
	"github.com/vadehq/vade/internal/publish"
	"github.com/vadehq/vade/internal/shell"
	"github.com/vadehq/vade/internal/source"
	"github.com/vadehq/vade/internal/syncstate"
	"github.com/vadehq/vade/internal/vfs"
)

// The values of [Owned.State].
const (
	StateOwned        = "owned"
	StateDoubleBooked = "double-booked"
	StateDrifted      = "drifted"
	StateOrphaned     = "orphaned"
	StateDiverged     = "diverged"
	StateUnrecorded   = "unrecorded"
)

// Owned describes a definition: who installed it, and whether the ledgers and the disk agree.
type Owned struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	// State is the first problem's state. If there are no problems, State is "owned", or
	// "unrecorded" if the definition is in no ledger.
	State  string         `json:"state"`
	Owners []ledger.Claim `json:"owners"`
	// Paths are the directories or files on disk.
	Paths    []string  `json:"paths"`
	Problems []Problem `json:"problems"`
	// Others lists what other installers' commands would do to the definition.
	Others []Effect `json:"others,omitempty"`
}

// Problem describes a contradiction and the command that resolves it.
type Problem struct {
	State   string `json:"state"`
	Message string `json:"message"`
	Fix     string `json:"fix"`
}

// Effect describes what another installer's command would do to a definition.
type Effect struct {
	Command string `json:"command"`
	Effect  string `json:"effect"`
}

// vade, npx and gh are the names of installers in claims.
const vade, npx, gh = "Vade", "npx skills", "gh skill"

// Command formats a Vade command as a user types it in the working directory. It quotes the words,
// which may come from a ledger that someone else wrote.
func (x *Installer) Command(words ...string) string {
	line := "vade"
	for _, w := range words {
		line += " " + shell.ForShell(w)
	}
	if x.options.User {
		line += " --user"
	}
	return line
}

// AddArgs returns the words of the command that installs a record's definition again, without its
// name. If exact is set, the command selects the recorded commit even if the record is not pinned.
func (x *Installer) AddArgs(r *ledger.Record, exact bool) []string {
	args := []string{"add", r.Source}
	s, err := source.Parse(r.Source, x.tree.Dir())
	if err == nil {
		args[1] = relative(s, x.workDir)
	}
	switch {
	case r.Pinned:
		args = append(args, "--pin", r.Ref)
	case exact && err == nil && s.Plugin == "" && s.Ref == "" && r.Commit != "":
		args = append(args, "--pin", r.Commit)
	}
	if len(r.Hosts) > 0 {
		args = append(args, "--host", strings.Join(r.Hosts, ","))
	}
	return args
}

// commands returns the commands that restore and remove a definition with the program that
// installed it. restore is "" for Vade.
func (x *Installer) commands(c *ledger.Claim) (restore, remove string) {
	global := ""
	if x.options.User {
		global = " --global"
	}
	name, from := shell.ForShell(c.Name), shell.ForShell(c.Source)
	switch c.Installer {
	case vade:
		return "", x.Command("remove", c.Name)
	case npx:
		if x.options.User {
			return "npx skills update " + name + global, "npx skills remove " + name + global
		}
		return "npx skills experimental_install", "npx skills remove " + name
	case gh:
		return "gh skill update --force " + name, "rm -r " + shell.ForShell(path.Dir(c.Ledger))
	case "APM":
		return "apm install", "apm uninstall " + from
	}
	return "thv skill sync", "thv skill uninstall " + name
}

// Owners reports who installed each definition, and any contradictions. It compares every
// installer's ledger, the provenance in skills' frontmatter, and what is on disk. If name is set,
// it returns only definitions with that name.
func (x *Installer) Owners(ctx context.Context, name string) ([]Owned, error) {
	claims, err := x.claims()
	if err != nil {
		return nil, err
	}
	synced, err := syncstate.Read(x.tree)
	if err != nil {
		d := catalog.UnreadableState(err)
		return nil, &source.Error{Source: syncstate.File, Problem: d.Message, Hint: d.Fix, Err: err}
	}
	skill := definition.Skill.String()
	// Group skill copies by name. Copies that vade sync wrote are omitted, and so are commands that
	// were installed as skills for a host.
	copies := map[string][]string{}
	for _, dir := range x.skillsDirs() {
		entries, _, err := x.tree.ReadDir(dir, maxCopies)
		if err != nil {
			continue
		}
		for _, e := range entries {
			at := path.Join(dir, e.Name)
			main := path.Join(at, publish.Main)
			if _, err := x.tree.Lstat(main); err == nil && !synced.Has(at) && !synced.Has(main) && !x.Lock.HasFile(main) {
				copies[e.Name] = append(copies[e.Name], at)
			}
		}
	}
	for _, c := range claims {
		if c.Files == nil && copies[c.Name] == nil {
			copies[c.Name] = []string{}
		}
	}
	list := []Owned{}
	for _, r := range x.Lock.Definitions {
		if r.Kind == skill && copies[r.Name] == nil {
			copies[r.Name] = []string{}
		}
		if r.Kind != skill {
			list = append(list, Owned{Kind: r.Kind, Name: r.Name, Paths: slices.Sorted(maps.Keys(r.Files))})
		}
	}
	for _, n := range slices.Sorted(maps.Keys(copies)) {
		list = append(list, Owned{Kind: skill, Name: n, Paths: copies[n]})
	}
	list = slices.DeleteFunc(list, func(o Owned) bool { return name != "" && name != o.Name && name != o.Kind+":"+o.Name })
	for i := range list {
		if err := x.join(ctx, &list[i], claims); err != nil {
			return nil, err
		}
	}
	if len(list) == 0 && name != "" {
		return nil, &NotInstalledError{Name: name, Names: slices.Sorted(maps.Keys(copies))}
	}
	return list, nil
}

// maxCopies limits the number of skills in one directory.
const maxCopies = 20_000

// join adds a definition's owners and problems to o.
func (x *Installer) join(ctx context.Context, o *Owned, claims []ledger.Claim) error {
	o.Owners, o.Problems = []ledger.Claim{}, []Problem{}
	problem := func(state, fix, format string, args ...any) {
		o.Problems = append(o.Problems, Problem{state, fmt.Sprintf(format, args...), fix})
	}
	r := x.Lock.Get(o.Kind, o.Name)
	if r != nil {
		o.Owners = append(o.Owners, ledger.Claim{
			Installer: vade, Ledger: ledger.Path, Name: r.Name, Source: r.Source, Version: cmp.Or(r.Commit, r.Digest), Signer: r.Signer,
		})
		for _, d := range x.onDisk(r) {
			problem(StateDrifted, d.Fix, "%s: %s", d.Path, d.Message)
		}
	}
	files := map[string][]ledger.File{}
	trees := map[string]string{}
	for _, at := range o.Paths {
		if o.Kind != definition.Skill.String() {
			break
		}
		found, err := x.copied(ctx, at)
		if err != nil {
			problem(StateDrifted, "make the directory readable", "%s: %v", at, vfs.WithoutPath(err))
			continue
		}
		files[at] = found
		trees[ledger.ContentDigest(ledger.WithoutProvenance(found))] = at
		if p := ledger.ProvenanceOf(found); p.Repo != "" {
			o.Owners = append(o.Owners, ledger.Claim{Installer: gh, Ledger: path.Join(at, publish.Main), Name: o.Name, Source: p.Repo, Version: p.Ref})
		}
	}
	for _, c := range claims {
		has := c.Files == nil && o.Kind == definition.Skill.String() && c.Name == o.Name
		for _, at := range o.Paths {
			has = has || c.Files != nil && c.Has(o.Name, at)
		}
		if !has || c.Installer == npx && x.written(r, &c) {
			continue
		}
		if c.Installer == npx && slices.ContainsFunc(o.Owners, func(g ledger.Claim) bool {
			return g.Installer == gh && strings.Contains(g.Source, c.Source)
		}) {
			// gh writes both the ledger and the provenance.
			continue
		}
		o.Owners = append(o.Owners, c)
		if len(o.Paths) == 0 {
			restore, remove := x.commands(&c)
			problem(StateOrphaned, restore+", or: "+remove, "%s lists the skill, but no host directory contains it", c.Ledger)
			continue
		}
		for _, d := range x.drifted(ctx, &c) {
			problem(StateDrifted, d.Fix, "%s: %s", d.Path, d.Message)
		}
	}
	if len(trees) > 1 {
		kept := slices.Sorted(maps.Values(trees))
		problem(StateDiverged, "diff -r "+shell.ForShell(kept[0])+" "+shell.ForShell(kept[1])+", then remove one of them", "the copies differ: %s", strings.Join(kept, ", "))
	}
	installers := map[string]*ledger.Claim{}
	for i := range o.Owners {
		installers[o.Owners[i].Installer] = &o.Owners[i]
	}
	if len(installers) > 1 {
		var fixes []string
		for _, n := range slices.Sorted(maps.Keys(installers)) {
			_, remove := x.commands(installers[n])
			fixes = append(fixes, remove)
		}
		o.Problems = slices.Insert(o.Problems, 0, Problem{
			StateDoubleBooked, "installed by " + strings.Join(slices.Sorted(maps.Keys(installers)), " and "), "keep one: " + strings.Join(fixes, ", or: "),
		})
	}
	switch {
	case len(o.Problems) > 0:
		o.State = o.Problems[0].State
	case len(o.Owners) > 0:
		o.State = StateOwned
	default:
		o.State = StateUnrecorded
	}
	x.effects(o, files)
	return nil
}

// written reports whether Vade wrote the claim's entry in an npx skills ledger.
func (x *Installer) written(r *ledger.Record, c *ledger.Claim) bool {
	return r != nil && c.Ledger == x.skills.Path && x.skills.Entry(r, nil, x.options.now()).Source == c.Source
}

// effects adds the effects that commands of npx skills 1.7.4 and gh skill 2.90 would have on a
// skill.
func (x *Installer) effects(o *Owned, files map[string][]ledger.File) {
	if o.Kind != definition.Skill.String() || len(o.Paths) == 0 {
		return
	}
	global := ""
	if x.options.User {
		global = " --global"
	}
	all, r := o.Paths, x.Lock.Get(o.Kind, o.Name)
	if r != nil {
		all = slices.Concat(all, slices.Sorted(maps.Keys(r.Links)))
	}
	effect := "deletes " + strings.Join(all, ", ") + ", including your changes, regardless of what installed them"
	if r != nil {
		effect += "; the record in " + ledger.Path + " remains, so use " + x.Command("remove", o.Name) + " instead"
	}
	o.Others = append(o.Others, Effect{"npx skills remove " + o.Name + global, effect})
	effect = "skips the skill, because it has no gh metadata"
	for _, at := range o.Paths {
		if p := ledger.ProvenanceOf(files[at]); p.Repo != "" {
			effect = "replaces all of " + at + ", including your changes, when " + p.Repo + " has a different version"
		}
	}
	o.Others = append(o.Others, Effect{"gh skill update " + o.Name, effect})
}
