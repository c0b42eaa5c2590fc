package materialize

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/config"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/mirror"
)

// readState reads what was made. Where there is no state it is known by the marks.
// known is false where the state can not be used, unless that is to be forced: what was
// made and has no mark would be taken for the project's own.
func (y *Syncer) readState(ctx context.Context, disk mirror.Reader) (known bool, err error) {
	state, data, err := mirror.ReadState(disk, y.Bad())
	broken := err != nil && len(state.Files) == 0 && !state.Usable
	if err != nil && data == nil {
		y.Result.Diagnostics = append(y.Result.Diagnostics, diag.For(mirror.StateFile, diag.SyncState, "what was made is not known: %s", catalog.ReasonOf(err)).
			WithFix("remove it, or put the file of git in its place: what has a mark or says the same is known again then"))
		return false, nil
	}
	y.lost = data == nil || broken
	if data == nil || broken && y.request.Force {
		if err := y.recover(ctx, state); err != nil {
			return false, err
		}
	}
	if err != nil {
		d := diag.For(mirror.StateFile, diag.SyncState, "what was made is not known: %s", catalog.ReasonOf(err)).
			WithFix("restore the file from git; or remove it, and then what has a mark or says the same is known again: vade sync")
		if !broken || y.request.Force {
			d = diag.For(mirror.StateFile, diag.SyncState, "what was made is not known in full: %s", catalog.ReasonOf(err)).
				WithFix("take the entry out of the file")
			d.Severity = diag.Warning
		}
		y.Result.Diagnostics = append(y.Result.Diagnostics, d)
		if broken && !y.request.Force {
			return false, nil
		}
	}
	for _, e := range state.Claims(disk, y.isSource, func(e mirror.Entry) bool { return y.bears(ctx, state, e) }) {
		if e.Adopted {
			continue
		}
		d := diag.For(e.Path, diag.SyncState, "%s says that it was made of %s, but it is in the source of truth and nothing in it shows that: it is taken for a source", mirror.StateFile, e.Source).
			WithFix("take the entry out of the file")
		d.Severity = diag.Warning
		y.Result.Diagnostics = append(y.Result.Diagnostics, d)
	}
	y.State = state
	y.noLinks = y.noLinks || state.NoLinks || y.gitWithoutLinks()
	return true, nil
}

// recover finds what was made by the marks, where no state tells it.
func (y *Syncer) recover(ctx context.Context, state *mirror.State) error {
	c, err := Open(ctx, y.Options)
	if err != nil {
		return err
	}
	defer c.Close()
	all, err := c.Scan(ctx)
	if err != nil {
		return err
	}
	asked := &mirror.State{Version: 1}
	texts := map[string][]byte{}
	hostsOf, bad := registry.Hosts(), y.Bad()
	for _, d := range all.All {
		p := d.Origin.Path
		if d.Origin.Layer != definition.Project || texts[p] != nil || !y.marked(p) || bad(p) != "" {
			continue
		}
		var hosts []string
		for _, h := range hostsOf {
			if h.Export != nil && h.Mine(p) {
				hosts = append(hosts, h.Name)
			}
		}
		data, err := y.Tree.ReadFile(p, maxCompanion)
		if err != nil {
			continue
		}
		if source, _, found := mirror.ReadMark(data); found {
			texts[p] = data
			asked.Files = append(asked.Files, mirror.Entry{Path: p, Source: source, Hosts: hosts})
		}
	}
	if len(asked.Files) == 0 {
		return nil
	}
	// A mark is anybody's to write: without a state it counts where its source makes a
	// file of this name.
	known := y.again
	y.again = nil
	made := y.remade(ctx, asked)
	y.again = known
	for _, e := range asked.Files {
		if slices.ContainsFunc(made[e.Path], func(w mirror.Want) bool { return w.Source == e.Source }) {
			state.Recover(e.Path, texts[e.Path], e.Hosts)
		}
	}
	return nil
}

// isSource reports whether a path is one of the sources of truth, or in one.
func (y *Syncer) isSource(p string) bool {
	return slices.ContainsFunc(y.Project.Sources(), func(s string) bool { return p == s || strings.HasPrefix(p, s+"/") })
}

// bears reports whether an entry for a file among the sources that has no mark may be
// true: its source is there and makes a file of this name; or that is gone, and the file
// is one in which a host would show the mark to its model. Such a file is no source, and
// not removed either.
func (y *Syncer) bears(ctx context.Context, state *mirror.State, e mirror.Entry) bool {
	if _, err := y.Tree.Lstat(e.Source); err == nil {
		if y.sources == nil {
			y.sources = &copies{options: y.Options, tree: y.Tree, made: state.Made, sources: y.Project.Sources()}
		}
		if y.sources.again.puts(ctx, y.sources, e) {
			return true
		}
		// Its source may stand where no sources are any more.
		return slices.ContainsFunc(y.remadeOf(ctx, state)[e.Path], func(w mirror.Want) bool { return w.Source == e.Source })
	}
	return strings.Contains(e.Path, "/skills/") && slices.ContainsFunc(e.Hosts, func(name string) bool {
		h, ok := registry.Lookup(name)
		return ok && h.Export != nil && h.Mine(e.Path) && !h.Marks(definition.Skill)
	})
}

// remadeOf is what would be made of what a state names, before that is believed.
func (y *Syncer) remadeOf(ctx context.Context, state *mirror.State) map[string][]mirror.Want {
	if y.claimed == nil {
		known, before := y.again, y.State
		y.again, y.State = nil, state
		y.claimed = y.remade(ctx, state)
		y.again, y.State = known, before
	}
	return y.claimed
}

// makes reports whether data is what would be made of the source of an entry again.
func (y *Syncer) makes(ctx context.Context, e mirror.Entry, data []byte) bool {
	return slices.ContainsFunc(y.remade(ctx, y.State)[e.Path], func(w mirror.Want) bool {
		return w.Source == e.Source && string(w.Data) == string(data)
	})
}

// remade is what would be made, by its path, of the sources that a state names for the
// hosts that it names, whatever the project wants now.
func (y *Syncer) remade(ctx context.Context, state *mirror.State) map[string][]mirror.Want {
	if y.again != nil {
		return y.again
	}
	y.again = map[string][]mirror.Want{}
	places := [][]string{y.Project.Sources()}
	for _, e := range state.Files {
		top, _, _ := strings.Cut(e.Source, "/")
		if !slices.ContainsFunc(places, func(p []string) bool { return slices.Contains(p, top) }) && config.BadPath(top) == "" {
			places = append(places, []string{top})
		}
	}
	other := *y
	other.Result, other.copies = SyncResult{}, maps.Clone(y.copies)
	// What was made may have been allowed then.
	other.request.AllowWidening = true
	for _, name := range state.Hosts() {
		if p, ok := registry.Lookup(name); ok && p.Export != nil {
			other.Result.Hosts = append(other.Result.Hosts, catalog.CheckedHost{Host: p.Name, Version: p.Version, Why: ""})
		}
	}
	add := func(wants []mirror.Want) {
		for _, w := range wants {
			y.again[w.Path] = append(y.again[w.Path], w)
			for _, e := range w.Else {
				y.again[e.Path] = append(y.again[e.Path], e)
			}
		}
	}
	for _, sources := range places {
		project := *y.Project
		project.Source, project.Sync = sources, config.Sync{NoLinks: true}
		other.Project = &project
		// What can not be made is not known.
		if wants, _, err := other.wants(ctx); err == nil {
			add(wants)
		}
	}
	if servers, err := other.wantedServers(ctx, other.Result.Hosts); err == nil {
		add(servers)
	}
	return y.again
}

// sayForged reports files among the sources with a mark that nothing bears out.
func (y *Syncer) sayForged(wants []mirror.Want) {
	forged := slices.Sorted(maps.Keys(y.forged))
	for _, p := range forged {
		if slices.ContainsFunc(wants, func(w mirror.Want) bool { return w.Path == p }) {
			continue
		}
		y.Result.Diagnostics = append(y.Result.Diagnostics, diag.For(p, diag.SyncForeign, "its mark says that it was made of %s, which is not there, and %s does not know it: it is left as it is, and is no source", y.forged[p], mirror.StateFile).
			WithFix("remove the file; or where it is your own, take the line with the mark out of it"))
	}
}

// marked reports whether a file says of itself that it was made.
func (y *Syncer) marked(p string) bool {
	var head [8192]byte
	n, _, err := y.Tree.ReadHead(p, head[:])
	if err != nil {
		return false
	}
	_, _, found := mirror.ReadMark(head[:n])
	return found
}

// Bad says why a path can not be one that was made: only places that hosts read
// are, and any directory, as nothing but an empty one is ever removed.
func (y *Syncer) Bad() func(string) string {
	all := registry.Hosts()
	return func(p string) string {
		p, dir := strings.CutSuffix(p, "/")
		if why := config.BadPath(p); why != "" || dir {
			return why
		}
		mine := func(h *host.Profile) bool {
			if h.Servers != nil && h.Servers.Path == p {
				return true
			}
			if x := h.Export; x != nil && x.Instructions != nil && x.Instructions.Nested && path.Base(p) == path.Base(x.Instructions.Whole) {
				return true
			}
			return h.Mine(p)
		}
		if slices.ContainsFunc(all, mine) {
			return ""
		}
		return "is no place of a host"
	}
}

// gitWithoutLinks reports whether git is told to write files in the place of links.
func (y *Syncer) gitWithoutLinks() bool {
	data, err := y.Tree.ReadFile(".git/config", 1<<20)
	if err != nil {
		return false
	}
	section, off := "", false
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = strings.ToLower(strings.Trim(line, "[] \t"))
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if ok && section == "core" && strings.EqualFold(strings.TrimSpace(key), "symlinks") {
			off = strings.EqualFold(strings.TrimSpace(value), "false")
		}
	}
	return off
}

// made reports whether a file of the sources was made of another.
func (y *Syncer) made(p string) bool {
	if y.State.Made(p) || y.copies[p] {
		return true
	}
	if !y.marked(p) {
		return false
	}
	if data, err := y.Tree.ReadFile(p, maxCompanion); err == nil {
		if source, _, found := mirror.ReadMark(data); found && y.isSource(p) {
			if _, err := y.Tree.Lstat(source); err != nil && y.forged != nil {
				y.forged[p] = source
			}
		}
	}
	return true
}
