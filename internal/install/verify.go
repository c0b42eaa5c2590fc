package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/ledger"
	"github.com/vadehq/vade/internal/source"
	"github.com/vadehq/vade/internal/syncstate"
	"github.com/vadehq/vade/internal/vfs"
)

// Drift is a difference between the ledger and what is on disk or in the source.
type Drift struct {
	Name    string `json:"name"`
	Path    string `json:"path"`
	Message string `json:"message"`
	Fix     string `json:"fix"`
}

// Verify compares the ledgers with the files and symlinks on disk and, unless frozen, with
// what the sources have at the recorded commits. Files of other installers are not its concern.
func (x *Installer) Verify(ctx context.Context, frozen bool) ([]Drift, error) {
	list := []Drift{}
	// The definitions of one commit are fetched together.
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
	return append(list, x.others(ctx)...), nil
}

// others compares the skills in skills-lock.json that npx skills installed with the disk.
func (x *Installer) others(ctx context.Context) (list []Drift) {
	for _, name := range x.skills.Names() {
		e, ok := x.skills.Get(name)
		if !ok || e.ComputedHash == "" || x.Lock.Get(definition.Skill.String(), name) != nil {
			continue
		}
		d := Drift{Name: name, Path: ledger.SkillsPath, Message: "no directory of a host has the skill", Fix: "restore it with: npx skills experimental_install"}
		for _, dir := range x.skillsDirs() {
			tree, err := vfs.Open(x.tree.Path(path.Join(dir, name)), vfs.Options{})
			if err != nil {
				continue
			}
			fetched, err := source.Read(ctx, tree)
			tree.Close()
			if err == nil && ledger.ComputedHash(fetched.Files) == e.ComputedHash {
				d = Drift{}
				break
			}
			d.Path, d.Message = path.Join(dir, name), "it differs from "+ledger.SkillsPath
		}
		if d.Name != "" {
			list = append(list, d)
		}
	}
	return list
}

// skillsDirs returns the directories from which hosts read a project's skills.
func (x *Installer) skillsDirs() []string {
	list := []string{sharedSkills}
	for _, p := range registry.Hosts() {
		if dir, _ := x.skillsDir(p); dir != "" && !slices.Contains(list, dir) {
			list = append(list, dir)
		}
	}
	return list
}

// onDisk compares a record with the disk and with skills-lock.json.
func (x *Installer) onDisk(r *ledger.Record) (list []Drift) {
	add := func(at, fix, format string, args ...any) {
		list = append(list, Drift{r.Name, at, fmt.Sprintf(format, args...), fix})
	}
	again := "install it again: vade add " + r.Source + " " + r.Name
	if r.Before != nil {
		add(r.Dir, again, "a command that changed it was interrupted")
	}
	var files []ledger.File
	for _, name := range slices.Sorted(maps.Keys(r.Files)) {
		at := path.Join(r.Dir, name)
		switch data, err := x.tree.ReadFile(at, syncstate.MaxFile); {
		case errors.Is(err, fs.ErrNotExist):
			add(at, again, "it is missing")
		case err != nil:
			add(at, "make it readable", "cannot read it: %v", vfs.WithoutPath(err))
		case ledger.SHA256(data) != r.Files[name]:
			add(at, "undo the change, or keep it and remove the record: vade remove "+r.Name, "it was edited since it was installed")
		default:
			info, err := x.tree.Info(at)
			files = append(files, ledger.File{Path: name, Data: data, Executable: err == nil && info.Mode()&0o111 != 0})
		}
	}
	for _, link := range slices.Sorted(maps.Keys(r.Links)) {
		if target, err := x.tree.Readlink(link); err != nil || target != r.Links[link] {
			add(link, again, "it is not a symlink to %s", r.Dir)
		}
	}
	if r.Kind != definition.Skill.String() {
		return list
	}
	want := r.SkillsEntry(x.skills.Path, files, x.options.now())
	if e, ok := x.skills.Get(r.Name); len(list) == 0 && (!ok || e.ComputedHash != want.ComputedHash || e.FolderHash != want.FolderHash) {
		add(x.skills.Path, again, "its entry for %s is missing or has another hash", r.Name)
	}
	return list
}

// atSource compares records of one commit with their source.
func (x *Installer) atSource(ctx context.Context, records []*ledger.Record) (list []Drift, err error) {
	first := records[0]
	s := source.Source{Typed: first.Source, Type: first.Type, URL: first.URL, Ref: first.Commit}
	if dir := path.Dir(first.Main); len(records) == 1 && dir != "." {
		s.Path = dir
	}
	var names []string
	for _, r := range records {
		names = append(names, r.Name)
	}
	fetched, err := x.options.Fetcher.Fetch(ctx, s, names)
	if err != nil {
		return nil, err
	}
	all, err := x.Find(ctx, fetched)
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
			again := "install it again: vade add " + r.Source + " " + r.Name
			return []Drift{{r.Name, r.Dir, "its files are not those of the commit " + r.Commit, again}}, nil
		}
		// A skill at the top of a repository, or inside another skill, is found only by its path.
		drifts, err := x.atSource(ctx, []*ledger.Record{r})
		if err != nil {
			return nil, err
		}
		list = append(list, drifts...)
	}
	return list, nil
}

func (c *Candidate) digests() map[string]string {
	list := map[string]string{}
	for _, f := range c.files {
		list[f.Path] = ledger.SHA256(f.Data)
	}
	return list
}

// Update returns the changes that bring definitions up to date with their sources. Without
// names, all are updated. Each source is fetched once.
func (x *Installer) Update(ctx context.Context, names []string) ([]*Change, error) {
	records, err := x.records(names)
	if len(names) == 0 {
		records = x.Lock.Definitions
	}
	if err != nil {
		return nil, err
	}
	var order []string
	sources := map[string][]*ledger.Record{}
	for _, r := range records {
		if sources[r.Source] == nil {
			order = append(order, r.Source)
		}
		sources[r.Source] = append(sources[r.Source], r)
	}
	var changes []*Change
	for _, typed := range order {
		list, err := x.update(ctx, typed, sources[typed])
		if err != nil {
			return nil, err
		}
		changes = append(changes, list...)
	}
	return changes, nil
}

// update returns the changes of definitions of one source.
func (x *Installer) update(ctx context.Context, typed string, records []*ledger.Record) ([]*Change, error) {
	s, err := source.Parse(typed, x.tree.Dir())
	if err != nil {
		return nil, err
	}
	var names []string
	for _, r := range records {
		names = append(names, r.Name)
	}
	fetched, err := x.options.Fetcher.Fetch(ctx, s, names)
	if err != nil {
		return nil, err
	}
	all, err := x.Find(ctx, fetched)
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
		c.conflict("", "keep it, or remove it: vade remove "+r.Name, "%s no longer has the %s %s", r.Source, r.Kind, r.Name)
		changes = append(changes, c)
	}
	added, err := x.Add(ctx, s, fetched, chosen)
	if err != nil {
		return nil, err
	}
	for _, c := range added {
		if r := c.Old; r.Tag && fetched.Tag && r.Commit != fetched.Commit {
			c.conflict("", "ask its author; to accept it, remove and add it again",
				"the tag %s was moved from commit %.12s to %.12s", r.Ref, r.Commit, fetched.Commit)
		}
	}
	return append(changes, added...), nil
}
