package install

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/check/rules"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/ledger"
	"github.com/vadehq/vade/internal/report"
	"github.com/vadehq/vade/internal/source"
	"github.com/vadehq/vade/internal/syncstate"
	"github.com/vadehq/vade/internal/version"
	"github.com/vadehq/vade/internal/vfs"
)

// Drift is a difference between the ledger and what is on disk or in the source.
type Drift struct {
	Name    string `json:"name"`
	Path    string `json:"path"`
	Message string `json:"message"`
	Fix     string `json:"fix"`
}

// WriteSARIF writes the differences for a directory as a SARIF log.
func WriteSARIF(w io.Writer, dir string, list []Drift) error {
	run := report.Run{Version: version.Number, Directory: dir, Rule: func(string) (title, help string) {
		return "An installed definition differs from its record", ""
	}}
	for _, d := range list {
		f := rules.Finding{
			Code: "INSTALLED_DRIFT", Severity: diag.Error, Path: d.Path, Message: d.Name + ": " + d.Message, Fix: d.Fix,
			Fingerprint: ledger.SHA256([]byte(d.Name + "\x00" + d.Path + "\x00" + d.Message)),
		}
		run.Findings = append(run.Findings, f)
	}
	return report.SARIF(w, run)
}

// Verify checks the files and symlinks on disk against the ledgers and, unless frozen, against
// the sources at the recorded commits.
func (x *Installer) Verify(ctx context.Context, frozen bool) ([]Drift, error) {
	list := []Drift{}
	// Definitions from the same commit are checked together, so that each commit is fetched once.
	type commit struct{ url, id string }
	var order []commit
	commits := map[commit][]*ledger.Record{}
	for _, r := range x.Lock.Definitions {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		list = append(list, x.onDisk(r)...)
		if frozen || r.Commit == "" {
			continue
		}
		c := commit{r.URL, r.Commit}
		if commits[c] == nil {
			order = append(order, c)
		}
		commits[c] = append(commits[c], r)
	}
	for _, c := range order {
		drifts, err := x.atSource(ctx, commits[c])
		if err != nil {
			return nil, err
		}
		list = append(list, drifts...)
	}
	claims, err := x.claims()
	if err != nil {
		return nil, err
	}
	for _, c := range claims {
		if x.Lock.Get(definition.Skill.String(), c.Name) == nil {
			list = append(list, x.drifted(ctx, &c)...)
		}
	}
	return list, nil
}

// claims returns the claims in other installers' ledgers.
func (x *Installer) claims() (list []ledger.Claim, err error) {
	if !x.options.User {
		list, err = ledger.Claims(x.tree)
		return append(x.skills.Claims(), list...), err
	}
	for _, at := range x.userSkills() {
		s, _, err := ledger.ReadSkills(x.tree, at)
		if err != nil {
			return nil, err
		}
		list = append(list, s.Claims()...)
	}
	return list, nil
}

// drifted returns the differences between a claim from another installer's ledger and the files on
// disk.
func (x *Installer) drifted(ctx context.Context, c *ledger.Claim) (list []Drift) {
	restore, _ := x.commands(c)
	for _, at := range slices.Sorted(maps.Keys(c.Files)) {
		data, err := x.tree.ReadFile(at, syncstate.MaxFile)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			list = append(list, Drift{c.Name, at, "missing", restore})
		case err == nil && c.Files[at] != "" && ledger.FileSHA256(data) != c.Files[at]:
			list = append(list, Drift{c.Name, at, "differs from " + c.Ledger, restore})
		}
	}
	if c.Files != nil {
		return list
	}
	d := Drift{c.Name, c.Ledger, "no host directory contains the skill", restore}
	for _, at := range x.copiesOf(c.Name) {
		if c.Matches == nil {
			return nil
		}
		if files, err := x.copied(ctx, at); err == nil && c.Matches(files) {
			return nil
		}
		d.Path, d.Message = at, "differs from "+c.Ledger
	}
	return []Drift{d}
}

// copiesOf returns the hosts' directories that contain a skill with the given name.
func (x *Installer) copiesOf(name string) (list []string) {
	for _, dir := range x.skillsDirs() {
		at := path.Join(dir, name)
		if typ, err := x.tree.Lstat(at); err == nil && typ == vfs.Dir {
			list = append(list, at)
		}
	}
	return list
}

// copied returns the files in a skill's directory.
func (x *Installer) copied(ctx context.Context, at string) ([]ledger.File, error) {
	tree, err := vfs.Open(x.tree.Path(at), vfs.Options{})
	if err != nil {
		return nil, err
	}
	defer tree.Close()
	fetched, err := source.Read(ctx, tree)
	if err != nil {
		return nil, err
	}
	return fetched.Files, nil
}

// skillsDirs returns the directories where hosts read skills.
func (x *Installer) skillsDirs() []string {
	list := []string{sharedSkills}
	for _, p := range registry.Hosts() {
		list = append(list, dirsOf(p, definition.Skill, x.options.User)...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// again returns the fix that tells the user how to reinstall a record's definition.
func (x *Installer) again(r *ledger.Record) string {
	return "install it again: " + x.Command(append(x.AddArgs(r, false), r.Name)...)
}

// onDisk returns the differences between a record and the files, symlinks and npx skills ledger on
// disk.
func (x *Installer) onDisk(r *ledger.Record) (list []Drift) {
	add := func(at, fix, format string, args ...any) {
		list = append(list, Drift{r.Name, at, fmt.Sprintf(format, args...), fix})
	}
	again := x.again(r)
	if r.Before != nil {
		add(r.Dir, again, "a command that was changing the definition was interrupted")
	}
	files := x.installed(r)
	on := map[string][]byte{}
	for _, f := range files {
		on[f.Path] = f.Data
	}
	for _, name := range slices.Sorted(maps.Keys(r.Files)) {
		switch data, ok := on[name]; {
		case !ok:
			add(path.Join(r.Dir, name), again, "missing or not readable")
		case ledger.SHA256(data) != r.Files[name]:
			add(path.Join(r.Dir, name), "undo the change, or keep it and remove the record: "+x.Command("remove", r.Name, "--edits", "keep"), "edited since it was installed")
		}
	}
	for _, link := range slices.Sorted(maps.Keys(r.Links)) {
		if target, err := x.tree.Readlink(link); err != nil || target != r.Links[link] {
			add(link, again, "not a symlink to %s", r.Dir)
		}
	}
	if r.Kind != definition.Skill.String() {
		return list
	}
	want := x.skills.Entry(r, files, x.options.now())
	if e, ok := x.skills.Get(r.Name); len(list) == 0 && (!ok || e.ComputedHash != want.ComputedHash ||
		e.FolderHash != want.FolderHash) {
		add(x.skills.Path, again, "the entry for %s is missing or has a different hash", r.Name)
	}
	return list
}

// atSource returns the differences between the records, which come from the same commit, and their
// source.
func (x *Installer) atSource(ctx context.Context, records []*ledger.Record) (list []Drift, err error) {
	first := records[0]
	s := source.Source{Typed: first.Source, Type: first.Type, URL: first.URL, Ref: first.Commit}
	if dir := path.Dir(first.Main); len(records) == 1 && dir != "." {
		s.Path = dir
	}
	_, all, err := x.fetch(ctx, s, records)
	if err != nil {
		return nil, err
	}
	found := map[string]*Candidate{}
	for i := range all {
		found[all[i].Main] = &all[i]
	}
	for _, r := range records {
		if c := found[r.Main]; c != nil && (r.Original != "" && r.Original == c.original || r.Original == "" && maps.Equal(c.digests(), r.Files)) {
			continue
		}
		if len(records) == 1 {
			return []Drift{{r.Name, r.Dir, "the files differ from commit " + r.Commit, x.again(r)}}, nil
		}
		// Check this record on its own, because a skill in the repository root, or inside another
		// skill, is found only by its path.
		drifts, err := x.atSource(ctx, []*ledger.Record{r})
		if err != nil {
			return nil, err
		}
		list = append(list, drifts...)
	}
	return list, nil
}

// fetch fetches a source that contains the records' definitions, and finds all definitions in it.
func (x *Installer) fetch(ctx context.Context, s source.Source, records []*ledger.Record) (*source.Fetched, []Candidate, error) {
	var names []string
	for _, r := range records {
		names = append(names, r.Name)
	}
	fetched, err := x.options.Fetcher.Fetch(ctx, s, names)
	if err != nil {
		return nil, nil, err
	}
	all, err := x.Find(ctx, fetched)
	return fetched, all, err
}

func (c *Candidate) digests() map[string]string {
	list := map[string]string{}
	for _, f := range c.files {
		list[f.Path] = ledger.SHA256(f.Data)
	}
	return list
}

// Update returns the changes that bring definitions up to date with their sources. If names is
// empty, it updates all definitions. Each definition keeps its hosts. A source is fetched only once
// for all definitions with the same hosts.
func (x *Installer) Update(ctx context.Context, names []string) ([]*Change, error) {
	records, err := x.records(names)
	if len(names) == 0 {
		records = x.Lock.Definitions
	}
	if err != nil {
		return nil, err
	}
	type from struct{ typed, pin, hosts string }
	var order []from
	sources := map[from][]*ledger.Record{}
	for _, r := range records {
		f := from{typed: r.Source, hosts: strings.Join(r.Hosts, ",")}
		if r.Pinned {
			f.pin = r.Ref
		}
		if sources[f] == nil {
			order = append(order, f)
		}
		sources[f] = append(sources[f], r)
	}
	var changes []*Change
	for _, f := range order {
		x.options.Hosts = sources[f][0].Hosts
		list, err := x.update(ctx, f.typed, f.pin, sources[f])
		if err != nil {
			return nil, err
		}
		changes = append(changes, list...)
	}
	return changes, nil
}

// update returns the changes to the definitions that come from one source.
func (x *Installer) update(ctx context.Context, typed, pin string, records []*ledger.Record) ([]*Change, error) {
	s, err := source.Parse(typed, x.tree.Dir())
	if err == nil && pin != "" {
		err = s.Pin(pin)
	}
	if err != nil {
		return nil, err
	}
	fetched, all, err := x.fetch(ctx, s, records)
	if err != nil {
		return nil, err
	}
	var changes []*Change
	var chosen []Candidate
	for _, r := range records {
		list := slices.DeleteFunc(slices.Clone(all), func(c Candidate) bool { return c.Name != r.Name || c.Kind != r.Kind })
		if len(list) > 1 {
			list = slices.DeleteFunc(list, func(c Candidate) bool { return c.Main != r.Main })
		}
		if len(list) == 1 {
			chosen = append(chosen, list[0])
			continue
		}
		c := &Change{Kind: r.Kind, Name: r.Name, New: r, Old: r, Steps: []Step{}, Conflicts: []Conflict{}}
		c.conflict("", "keep the definition, or remove it: "+x.Command("remove", r.Name), "%s no longer has the %s %s", r.Source, r.Kind, r.Name)
		changes = append(changes, c)
	}
	added, err := x.Add(ctx, s, fetched, chosen)
	if err != nil {
		return nil, err
	}
	for _, c := range added {
		if r := c.Old; r.Tag && fetched.Tag && r.Commit != fetched.Commit {
			c.conflict("", "ask the author about the change; to accept it, remove the definition and add it again",
				"tag %s moved from commit %.12s to %.12s", r.Ref, r.Commit, fetched.Commit)
		}
		if r := c.Old; r.Signer != "" && r.Signer != c.New.Signer {
			c.conflict("", "ask the author about the change; to accept it, remove the definition and add it again",
				"the signer changed from %s to %s", r.Signer, cmp.Or(c.New.Signer, "none: the new version is not signed"))
		}
	}
	return append(changes, added...), nil
}
