package catalog

import (
	"errors"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/config"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/parse"
	"github.com/vadehq/vade/internal/syncstate"
	"github.com/vadehq/vade/internal/vfs"
)

// CopyReason is the text before the source's path in the reason that is given for dropping a copy.
const CopyReason = "copied by vade sync from "

// SyncState returns the record of files that vade sync wrote in the project. The record is read
// only once. If it cannot be read, SyncState returns an empty one.
func (c *Catalog) SyncState() *syncstate.State {
	c.stateOnce.Do(func() { c.state, c.stateErr = c.readState(syncstate.Read) })
	return c.state
}

func (c *Catalog) readState(read func(*vfs.Tree) (*syncstate.State, error)) (*syncstate.State, error) {
	layered := slices.ContainsFunc(c.Options.Layers, func(l LayerFS) bool { return l.Layer == definition.Project })
	if c.Quick.Project == nil || c.Options.Isolated || layered {
		return &syncstate.State{Version: 1}, nil
	}
	s, err := read(c.Quick.Project)
	if err != nil {
		s = &syncstate.State{Version: 1}
	}
	return s, err
}

// stateDiagnostics returns a diagnostic if the state file cannot be read. It returns nothing in
// views that do not use the file.
func (c *Catalog) stateDiagnostics() []diag.Diagnostic {
	if c.Options.Sources != nil || c.Profile.Name != host.NeutralName {
		return nil
	}
	if c.SyncState(); c.stateErr == nil {
		return nil
	}
	return []diag.Diagnostic{UnreadableState(c.stateErr)}
}

// UnreadableState returns the diagnostic for a state file that cannot be read.
func UnreadableState(err error) diag.Diagnostic {
	fix := "restore the file from git; to overwrite all copies instead, run: vade sync --force"
	if errors.Is(err, vfs.ErrLink) || errors.Is(err, vfs.ErrDirectory) {
		// vade sync does not replace a symlink or a directory.
		fix = "remove the symlink or directory, then restore the file from git or run: vade sync --force"
	}
	return diag.For(syncstate.File, diag.SyncState, "cannot tell which files vade sync wrote: %s", Cause(err)).WithFix("%s", fix)
}

// stateFor returns the entries of [Catalog.SyncState] for the given definitions.
func (c *Catalog) stateFor(found []*definition.Definition) *syncstate.State {
	var names []string
	for _, d := range found {
		names = append(names, d.Origin.Path)
	}
	state, _ := c.readState(func(t *vfs.Tree) (*syncstate.State, error) { return syncstate.ReadFor(t, names) })
	return state
}

// dropCopies drops the copies that vade sync wrote. The state file is part of the repository and
// can be forged, so it must not be able to hide other definitions. In the neutral view, a copy is
// therefore dropped only if its source is a source of truth with the same name. A copied
// instruction must also have the same text as its source, because hosts read all instructions
// regardless of name.
//
// If the view is limited to certain sources, the files that vade sync created are omitted from the
// result. A host's view keeps its copies.
func (c *Catalog) dropCopies(found []*definition.Definition, read func() *syncstate.State) []*definition.Definition {
	if c.Options.Sources == nil && c.Profile.Name != host.NeutralName {
		return found
	}
	state := read()
	if c.Options.Sources != nil {
		return slices.DeleteFunc(found, func(d *definition.Definition) bool {
			entries := state.At(d.Origin.Path)
			return state.Has(d.Origin.Path) && (len(entries) == 0 || !entries[0].Own)
		})
	}
	if len(state.Files) == 0 {
		return found
	}
	at := map[string][]*definition.Definition{}
	for _, d := range found {
		at[d.Origin.Path] = append(at[d.Origin.Path], d)
	}
	sources := make([]string, len(found))
	_ = Parallel(len(found), func(i int) error {
		if d := found[i]; d.Origin.Layer == definition.Project && d.State != definition.Dropped {
			sources[i] = state.Source(c.Quick.Project, d.Origin.Path)
		}
		return nil
	})
	truthPaths := c.Project.Sources()
	for i, source := range sources {
		d := found[i]
		if source == "" || state.Has(source) || !UnderAny(truthPaths, source) || !slices.ContainsFunc(at[source], func(s *definition.Definition) bool {
			kind := s.Kind == d.Kind || s.Kind == definition.Command && d.Kind == definition.Skill
			// The names may differ in two ways: some hosts join the parts of a name with a hyphen,
			// and an instruction for the whole project is named after its path.
			name := strings.ReplaceAll(s.Name, ":", "-") == strings.ReplaceAll(d.Name, ":", "-") ||
				d.Kind == definition.Instruction && d.Name == d.Origin.Path
			return kind && name && s.State != definition.Dropped && (d.Kind != definition.Instruction || c.sameBody(d, s))
		}) {
			sources[i] = ""
		}
	}
	for i, source := range sources {
		if source != "" {
			found[i].State, found[i].ReasonCode, found[i].Reason = definition.Dropped, diag.SyncCopy, CopyReason+source
		}
	}
	return found
}

// sameBody reports whether two files have the same text after their frontmatter.
func (c *Catalog) sameBody(a, b *definition.Definition) bool {
	text := func(d *definition.Definition) (string, error) {
		data, err := c.Quick.Read(d.Origin.Real, c.Profile.MaxFile)
		body := parse.File(d, data, c.Profile).Body
		return strings.TrimSpace(strings.ReplaceAll(body, "\r\n", "\n")), err
	}
	one, err := text(a)
	other, wrong := text(b)
	return err == nil && wrong == nil && one == other
}

// SourceOfTruth describes the files from which vade sync generates a project's host-specific files.
type SourceOfTruth struct {
	// Synced is set if the project configures or contains copies for hosts.
	Synced  bool
	Project *config.Project
	// SyncedHosts lists the hosts that have copies.
	SyncedHosts []string
	// Copies maps the path of each copy to its source.
	Copies map[string]string
}

// SourceOfTruth returns the project's source of truth. The catalog must have the neutral view, and
// all must contain the catalog's definitions.
func (c *Catalog) SourceOfTruth(all []*definition.Definition) SourceOfTruth {
	t := SourceOfTruth{Project: c.Project, Copies: map[string]string{}, SyncedHosts: c.SyncState().Hosts()}
	for _, d := range all {
		if source, is := strings.CutPrefix(d.Reason, CopyReason); is && d.ReasonCode == diag.SyncCopy {
			t.Copies[d.Origin.Path] = source
		}
	}
	p := t.Project
	t.Synced = len(t.SyncedHosts) > 0 ||
		p != nil && (len(p.Source)+len(p.Hosts)+len(p.Sync.Exclude) > 0 || p.Sync.NoLinks || p.Sync.Servers)
	return t
}

// Source returns a copy's source, or p itself if it is not a copy.
func (t *SourceOfTruth) Source(p string) string {
	if source, is := t.Copies[p]; is {
		return source
	}
	return p
}
