package materialize

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/check/rules"
	"github.com/vadehq/vade/internal/config"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/mirror"
	"github.com/vadehq/vade/internal/resolve"
)

// sayLinks says how those who can make links and those who can not agree.
func (y *Syncer) sayLinks() {
	if y.unlinked == 0 {
		return
	}
	where := "git is told to make no links here (core.symlinks)"
	if !y.gitWithoutLinks() {
		where = "links were refused here, or where vade sync ran before (noLinks in " + mirror.StateFile + ")"
	}
	y.Result.Diagnostics = append(y.Result.Diagnostics, diag.For("", diag.SyncLinks, "%s: there are copies in their place, and others who run vade sync make links again", where).
		WithFix("for a team in which one can not make links, write into %s: sync: {links: never}", config.File))
	diag.Sort(y.Result.Diagnostics)
}

// deniedOrphan words the finding about a file of MCP servers that are all held back now:
// it goes on being in force for its host.
func (y *Syncer) deniedOrphan(d diag.Diagnostic) diag.Diagnostic {
	of := y.State.Of(d.File)
	if d.Code != diag.SyncOrphan || len(of) == 0 || of[0].Source != serversSource {
		return d
	}
	d.Message = fmt.Sprintf("its servers are all held back or gone, and %s still reads them in it: it is not removed by itself", strings.Join(of[0].Hosts, ", "))
	d.Fix = "vade sync --force " + d.File
	return d
}

// maxOutside is how many files outside of the source of truth are named.
const maxOutside = 5

// sayOutside names the definitions that stand in the directories of hosts and not in the
// source of truth, so that other hosts do not get them. What is in the way of a copy is
// named as that, and what a host gets none of from the sources may be its own.
func (y *Syncer) sayOutside(ctx context.Context, p *mirror.Plan, wants []mirror.Want) error {
	o := y.Options
	o.Made = y.made
	c, err := Open(ctx, o)
	if err != nil {
		return err
	}
	defer c.Close()
	all, err := c.Scan(ctx)
	if err != nil {
		return err
	}
	var outside []string
	owners := map[string]bool{}
	told := y.instructions(all)
	for _, d := range all.All {
		at := d.Origin.Path
		if d.Origin.Layer != definition.Project || d.State == definition.Dropped || d.Origin.Nested != "" || d.Format == definition.Package ||
			y.isSource(at) || strings.Contains(path.Base(at), ".local.") || p.State.Made(at) ||
			slices.ContainsFunc(wants, func(w mirror.Want) bool { return w.Path == at || strings.HasPrefix(at, w.Path+"/") }) {
			continue
		}
		if d.Kind == definition.Instruction && strings.Contains(told, y.instruction(at)) {
			continue
		}
		owner := y.ownerOf(d)
		if owner != "" && y.Project.Excludes(owner, d.Kind) {
			continue
		}
		owners[owner] = true
		if d.Kind == definition.Skill {
			at = path.Dir(at)
		}
		outside = append(outside, at)
	}
	if len(outside) == 0 {
		return nil
	}
	slices.Sort(outside)
	shown := strings.Join(outside[:min(maxOutside, len(outside))], ", ")
	if more := len(outside) - maxOutside; more > 0 {
		shown += fmt.Sprintf(" and %d more", more)
	}
	fix := "vade import"
	if len(owners) == 1 && !owners[""] {
		for name := range owners {
			fix += " --from " + name
		}
	}
	verb, them := "stand", "them"
	if len(outside) == 1 {
		verb, them = "stands", "it"
	}
	y.Result.Diagnostics = append(y.Result.Diagnostics, diag.For("", diag.SyncOutside, "%s %s outside of the source of truth: other hosts do not get %s", shown, verb, them).
		WithFix("bring it over with: %s; what is for one host only: sync: exclude: in %s", fix, config.File))
	diag.Sort(y.Result.Diagnostics)
	return nil
}

// instructions are the texts of all instructions among the sources, one behind the other.
func (y *Syncer) instructions(all *resolve.Catalog) string {
	var b strings.Builder
	for _, d := range all.All {
		if d.Kind == definition.Instruction && d.State != definition.Dropped && y.isSource(d.Origin.Path) {
			b.WriteString(y.instruction(d.Origin.Path) + "\n")
		}
	}
	return b.String()
}

// instruction is the text of a file of instructions, whatever directory its links and
// imports are written for.
func (y *Syncer) instruction(p string) string {
	data, err := y.Tree.ReadFile(p, maxCompanion)
	if err != nil {
		return ""
	}
	text := strings.ReplaceAll(rules.TextOf(p, data).Body, "\r\n", "\n")
	return strings.TrimSpace(strings.ReplaceAll(strings.ReplaceAll(text, "../", ""), "./", ""))
}

// namesLost adds to the fix of a finding about a file that is in the way what goes with it
// when it is overwritten: fields that the copy has not got.
func (y *Syncer) namesLost(d diag.Diagnostic, wants []mirror.Want) diag.Diagnostic {
	at := slices.IndexFunc(wants, func(w mirror.Want) bool { return w.Path == d.File && w.Link == "" })
	if d.Code != diag.SyncForeign || at < 0 || !strings.HasSuffix(d.File, ".md") {
		return d
	}
	data, err := y.Tree.ReadFile(d.File, maxCompanion)
	if err != nil {
		return d
	}
	has := rules.TextOf(d.File, wants[at].Data).Entries
	var keys []string
	for _, e := range rules.TextOf(d.File, data).Entries {
		if len(keys) < maxOutside && len(e.Key) < 40 && !slices.ContainsFunc(has, func(o definition.Entry) bool { return o.Key == e.Key }) {
			keys = append(keys, e.Key)
		}
	}
	if len(keys) > 0 {
		d.Fix += "; --force takes out of it: " + strings.Join(keys, ", ")
	}
	return d
}

// ownerOf is the host that a definition's directory is the own one of, "" for none or
// several.
func (y *Syncer) ownerOf(d *definition.Definition) string {
	all := registry.Hosts()
	for _, p := range all {
		if p.Program() && p.Export != nil && slices.Contains(catalog.Labels(p), d.Origin.Root) && catalog.Own(all, catalog.FirstWord(p.Name), d.Origin.Root) {
			return p.Name
		}
	}
	return ""
}

// sayTwice reports which hosts also read what is made for others, and have the
// definitions already.
func (y *Syncer) sayTwice(wants []mirror.Want) {
	owners := map[string][]string{}
	for i := range wants {
		owners[wants[i].Path] = append(owners[wants[i].Path], wants[i].Hosts...)
	}
	for _, h := range y.Result.Hosts {
		p, _ := registry.Lookup(h.Host)
		var dirs []string
		seen := map[string]bool{}
		for i := range wants {
			want := &wants[i]
			if want.Link != "" || want.Main != "" || seen[want.Path] || slices.Contains(owners[want.Path], h.Host) || !p.Mine(want.Path) {
				continue
			}
			seen[want.Path] = true
			dir := path.Dir(want.Path)
			if path.Base(want.Path) == "SKILL.md" {
				dir = path.Dir(dir)
			}
			if dir == "." {
				dir = want.Path
			}
			if !slices.Contains(dirs, dir) {
				dirs = append(dirs, dir)
			}
		}
		if len(dirs) == 0 {
			continue
		}
		slices.Sort(dirs)
		y.Result.Diagnostics = append(y.Result.Diagnostics, diag.For("", diag.SyncTwice, "%s also reads %d of the copies for other hosts, beside what it has already (%s)", h.Host, len(seen), strings.Join(dirs, ", ")).
			WithFix("nothing has to be done; a host that nobody uses need not be among hosts: in vade.yaml"))
	}
}
