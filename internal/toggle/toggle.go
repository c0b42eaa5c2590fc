// Package toggle disables and enables skills and plugins in hosts' settings files. Enabling undoes
// disabling, and vice versa. A change edits a single file. Before making a change, the package
// checks in the host's view that it has the desired effect.
package toggle

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/discover"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/jsonc"
	"github.com/vadehq/vade/internal/materialize"
	"github.com/vadehq/vade/internal/mcp"
	"github.com/vadehq/vade/internal/shell"
	"github.com/vadehq/vade/internal/textdiff"
	"github.com/vadehq/vade/internal/vfs"
)

// Request selects what to change.
type Request struct {
	// Name is the name of a skill or command, or NAME@MARKETPLACE for a plugin.
	Name string
	// Hosts lists the hosts whose settings to change.
	Hosts []string
	// If User is set, the change is made in the user's settings for all projects instead of the
	// project's settings. If Enable is set, the skill, command or plugin is enabled instead of
	// disabled.
	User, Enable bool
}

// Change describes the change for one host. Its JSON encoding is stable.
type Change struct {
	Host string `json:"host"`
	// Scope is "project" or "user". Path is the settings file, and Setting is the key in it.
	Scope   string `json:"scope,omitempty"`
	Path    string `json:"path,omitempty"`
	Setting string `json:"setting,omitempty"`
	// Action is "create", "edit" or "delete", depending on what happens to the file, or "none" if
	// no change is needed or possible.
	Action string `json:"action"`
	// Problem is the reason the host's settings cannot be changed, and Fix suggests what to do
	// instead.
	Problem string `json:"problem,omitempty"`
	Fix     string `json:"fix,omitempty"`
	// Missing is set if the host has no definition with this name.
	Missing bool `json:"missing,omitempty"`

	dir, file     string
	before, after []byte
}

// Diff returns the change as a unified diff in which possible secrets are hidden.
func (c *Change) Diff() string {
	if c.Action == "none" {
		return ""
	}
	return mcp.HideDiff(textdiff.Diff(strings.TrimPrefix(c.Path, "/"), string(c.before), string(c.after)))
}

// Write changes the file. It fails without changing anything if the path contains a symlink, or if
// the file has more than one hard link or has changed in the meantime.
func (c *Change) Write() error {
	if c.Action == "none" {
		return nil
	}
	return catalog.ChangeFile(c.dir, c.file, c.Path, c.before, c.after, c.Scope == "project")
}

// problem is the reason a host's settings cannot be changed.
type problem struct{ message, fix string }

func (p problem) Error() string { return p.message }

// lockTime is how long Lock waits. A change takes a few milliseconds.
const lockTime = 10 * time.Second

// Lock locks the settings of the user and the project against other processes that call Lock.
// Without the lock, a process could plan a change to a file while another process is writing it.
// Lock returns [vfs.ErrBusy] if another process does not release the lock in time.
func Lock(ctx context.Context, o catalog.Options) (release func(), err error) {
	cat, err := catalog.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	defer cat.Close()
	tree, err := vfs.Open(cmp.Or(cat.Env.Home, cat.ProjectDir()), vfs.Options{})
	if err != nil {
		return func() {}, nil
	}
	defer tree.Close()
	return vfs.WaitLock(ctx, lockTime, tree.Lock)
}

// Plan returns one change for each host. It does not write any files.
func Plan(ctx context.Context, o catalog.Options, r Request) ([]*Change, error) {
	// Record the edited files, so that a change for one host is based on an earlier change to the
	// same file for another host.
	o.Edited = map[string][]byte{}
	var changes []*Change
	for _, name := range r.Hosts {
		o.As = name
		c := &Change{Host: name, Action: "none"}
		changes = append(changes, c)
		var p problem
		if err := c.plan(ctx, o, r); errors.As(err, &p) {
			c.Problem, c.Fix = p.message, p.fix
		} else if err != nil {
			return nil, err
		}
	}
	return changes, nil
}

// maxFile is the maximum size of a settings file, in bytes.
const maxFile = 32 << 20

func (c *Change) plan(ctx context.Context, o catalog.Options, r Request) error {
	cat, err := catalog.Open(ctx, o)
	if err != nil {
		return err
	}
	defer cat.Close()
	t, what := cat.Profile.Toggles.Skills, "skills"
	if strings.Contains(r.Name, "@") {
		t, what = cat.Profile.Toggles.Plugins, "plugins"
	}
	off, paths, err := state(ctx, cat, t, r.Name)
	switch {
	case err != nil:
		c.Missing = off == nil
		return err
	case t == nil:
		return problem{"the host has no setting that disables individual " + what, cat.Profile.Toggles.Alternative}
	case *off != r.Enable:
		return nil
	}
	at, s := c.choose(cat.Quick, t, r.User)
	if s == nil {
		fix := "use --user to change your settings for all projects"
		if r.User {
			fix = "omit --user to change the project's settings"
		}
		return problem{"the host has no " + c.Scope + " setting that disables individual " + what, fix}
	}
	c.dir, c.file, c.Path, c.Setting = at.Tree.Dir(), at.Name, cat.Quick.Show(at.Tree, at.Name), strings.Join(s.Key, ".")
	abs := at.Tree.Path(at.Name)
	edited := false
	if c.before, edited = o.Edited[abs]; !edited {
		data, err := at.Tree.ReadFile(at.Name, maxFile)
		if errors.Is(err, vfs.ErrLink) {
			return problem{"the path " + c.Path + " contains a symlink, and Vade does not write through symlinks", "edit " + c.Setting + " in the symlink's target"}
		}
		if err == nil {
			c.before = append([]byte{}, data...)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("vade: %s: %w", c.Path, catalog.Cause(err))
		}
	}
	texts, err := edits(t, s, c.before, cat.Profile.Settings != nil && cat.Profile.Settings.Strict, r, paths)
	if err != nil {
		return problem{c.Path + ": " + err.Error(), "fix the file, or edit " + c.Setting + " manually"}
	}
	for _, text := range texts {
		with := o
		with.Edited = map[string][]byte{abs: text}
		for other, data := range o.Edited {
			if other != abs {
				with.Edited[other] = data
			}
		}
		view, err := catalog.Open(ctx, with)
		if err != nil {
			return err
		}
		off, _, err := state(ctx, view, t, r.Name)
		view.Close()
		if err != nil || *off == r.Enable {
			continue
		}
		c.after, o.Edited[abs] = text, text
		c.Action = map[bool]string{true: "create", false: "edit"}[c.before == nil]
		if c.after == nil {
			c.Action = "delete"
		}
		return nil
	}
	return problem{c.elsewhere(cat.Quick, t, r), "change that setting; for details, run: vade explain " + shell.ForShell(r.Name)}
}

// elsewhere describes settings in other files that take precedence over the change.
func (c *Change) elsewhere(plan *discover.Plan, t *host.Toggle, r Request) string {
	word := map[bool]string{true: "disable", false: "enable"}[r.Enable]
	for i := range t.Settings {
		for _, at := range plan.SettingPlaces(&t.Settings[i]) {
			data, err := at.Tree.ReadFile(at.Name, maxFile)
			if shown := plan.Show(at.Tree, at.Name); err == nil && shown != c.Path && strings.Contains(string(data), r.Name) {
				return "other settings " + word + " " + r.Name + ", such as " + strings.Join(t.Settings[i].Key, ".") + " in " + shown
			}
		}
	}
	return "changing " + c.Setting + " in " + c.Path + " would have no effect: other settings " + word + " " + r.Name + ", or the host ignores the file"
}

// state reports whether a host's settings disable the definition called name, and returns the
// absolute paths of the definition's files. off is nil if the host has no such definition.
func state(ctx context.Context, cat *catalog.Catalog, t *host.Toggle, name string) (off *bool, paths []string, err error) {
	plugin, isPlugin := "", false
	if plugin, _, isPlugin = strings.Cut(name, "@"); isPlugin && t != nil {
		p, err := cat.Plan(ctx)
		if err != nil {
			return nil, nil, err
		}
		for _, found := range p.Plugins {
			if found.Name == plugin {
				disabled := found.Disabled != ""
				return &disabled, nil, nil
			}
		}
		return nil, nil, problem{"the host has no plugin " + name + " installed", "to list plugins' definitions, run: vade list --all --layer plugin --host " + cat.Profile.Name}
	}
	if isPlugin {
		return nil, nil, problem{"the host has no setting that disables individual plugins", "disable or enable the plugin in the host"}
	}
	all, err := cat.Scan(ctx)
	if err != nil {
		return nil, nil, err
	}
	why, loaded, disabled := "the host does not load a skill named "+name, 0, 0
	for _, d := range all.All {
		if d.Name != name || d.Kind != definition.Skill && (t == nil || !t.Commands || d.Kind != definition.Command) {
			continue
		}
		switch {
		case d.Origin.Plugin != "":
			why = name + " is part of the plugin " + d.Origin.Plugin
			if cat.Profile.Toggles.Plugins != nil {
				why += ", which you can disable or enable as " + d.Origin.Plugin + "@MARKETPLACE"
			}
			continue
		case d.State == definition.Loaded:
			loaded++
		case d.ReasonCode == diag.SwitchedOff || d.Reason == host.SettingsDisable:
			disabled++
		default:
			why = "the host does not load " + name + ": " + d.Reason
			continue
		}
		paths = append(paths, d.Origin.Real)
	}
	if loaded+disabled == 0 {
		return nil, nil, problem{why, "for details, run: vade explain " + shell.ForShell(name)}
	}
	none := loaded == 0
	return &none, paths, nil
}

// choose returns the settings file to change. This is the first existing file in the scope or, if
// there is none, the first possible file. In a repository, a new file is created at the top level
// unless the host reads only the working directory.
func (c *Change) choose(plan *discover.Plan, t *host.Toggle, user bool) (first discover.SettingPlace, key *host.UnreadSetting) {
	c.Scope = "project"
	if user || !slices.ContainsFunc(t.Settings, func(s host.UnreadSetting) bool { return s.Base != host.InHome }) {
		c.Scope = "user"
	}
	for i := range t.Settings {
		s := &t.Settings[i]
		if (s.Base == host.InHome) != (c.Scope == "user") {
			continue
		}
		row := key
		for _, at := range plan.SettingPlaces(s) {
			if s.Base != host.InHome && at.Tree != plan.Project {
				continue
			}
			if _, err := at.Tree.Lstat(at.Name); err == nil {
				return at, s
			}
			if row == nil {
				first, key = at, s
			}
		}
	}
	return first, key
}

// edits returns candidates for the new file content, in order of preference. Not every candidate
// has the desired effect. A nil candidate means that the file is removed.
func edits(t *host.Toggle, s *host.UnreadSetting, data []byte, strict bool, r Request, paths []string) ([][]byte, error) {
	if s.Format == definition.TOML {
		text, err := editTables(s, data, r.Enable, paths)
		return [][]byte{text}, err
	}
	f, err := jsonc.Open(data, strict, s.Key...)
	if err != nil {
		return nil, err
	}
	isList := t.Off.Kind == definition.Null
	entry, found := f.Find(func(e definition.Entry) bool {
		return !isList && e.Key == r.Name || isList && e.Value.Kind == definition.String && e.Value.Text == r.Name
	})
	to, key, from := t.Off, r.Name, t.On
	if r.Enable {
		to, from = t.On, t.Off
	}
	if isList {
		to, key = definition.Value{Kind: definition.String, Text: r.Name}, ""
	}
	var texts [][]byte
	if found {
		removed := f.Remove(entry)
		if isList || entry.Value.Kind == from.Kind && entry.Value.Text == from.Text {
			texts = append(texts, removed)
		}
		if isList {
			return texts, nil
		}
		texts = append(texts, f.Replace(entry, to))
		// If multiple patterns match, the last one may take precedence.
		if f, err = jsonc.Open(removed, strict, s.Key...); err != nil {
			return nil, err
		}
	} else if isList && r.Enable {
		return nil, nil
	}
	added, err := f.Add(key, to)
	return append(texts, added), err
}

// editTables disables each skill by adding a table with its path, such as [[skills.config]], or
// enables it by removing that table. If Vade did not write a table, editTables does not remove it
// but changes its "enabled" value.
func editTables(s *host.UnreadSetting, data []byte, enable bool, paths []string) ([]byte, error) {
	end := jsonc.LineEnd(data)
	for _, p := range paths {
		doc, diags := frontmatter.ParseTOML(diag.NewFile("", data))
		if !doc.Valid {
			return nil, jsonc.Placed(diags[0])
		}
		list := definition.Value{Kind: definition.Map, Pairs: doc.Entries}
		for _, key := range s.Key {
			list = list.Pair(key)
		}
		i := slices.IndexFunc(list.Items, func(v definition.Value) bool {
			return path.Clean(strings.ReplaceAll(v.Pair("path").Text, `\`, "/")) == p
		})
		block := fmt.Sprintf("[[%s]]%spath = %s%senabled = false%s", strings.Join(s.Key, "."), end, jsonc.AppendString(nil, p), end, end)
		before, after, cut := strings.Cut(string(data), block)
		switch {
		case i >= 0 && enable && cut && len(list.Items[i].Pairs) == 2:
			shorter, apart := strings.CutSuffix(before, end)
			if data = []byte(shorter + after); !apart && len(data) == 0 {
				data = nil
			}
		case i >= 0:
			on := list.Items[i].Pair("enabled")
			if on.Kind != definition.Bool {
				return nil, fmt.Errorf("the entry for %s has no boolean \"enabled\" value", p)
			}
			data = slices.Concat(data[:on.Span.Start], fmt.Append(nil, enable), data[on.Span.End:])
		case enable:
		case data == nil:
			data = []byte(block)
		default:
			data = slices.Concat(data, []byte(end), []byte(block))
		}
	}
	return data, nil
}

// Hosts returns the hosts that the project uses. If user is set or the project uses none, it
// returns the hosts with a settings directory in the home directory.
func Hosts(ctx context.Context, o catalog.Options, user bool) ([]string, error) {
	var list []string
	if !user {
		y, err := materialize.OpenSync(ctx, o, materialize.Options{})
		if err != nil {
			return nil, err
		}
		defer y.Close()
		if err := y.ChooseHosts(ctx); err != nil {
			return nil, err
		}
		for _, h := range y.Result.Hosts {
			list = append(list, h.Host)
		}
	}
	if len(list) > 0 {
		return list, nil
	}
	cat, err := catalog.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	defer cat.Close()
	for _, p := range registry.Hosts() {
		if p.Program() && p.Export != nil && p.Toggles.Skills != nil &&
			slices.ContainsFunc(p.Toggles.Skills.Settings, func(s host.UnreadSetting) bool {
				return s.Base == host.InHome && slices.ContainsFunc(cat.Quick.SettingPlaces(&s), func(at discover.SettingPlace) bool {
					_, err := at.Tree.Lstat(path.Dir(at.Name))
					return err == nil
				})
			}) {
			list = append(list, p.Name)
		}
	}
	return list, nil
}
