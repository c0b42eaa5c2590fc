package scaffold

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/check/rules"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/materialize"
	"github.com/vadehq/vade/internal/mirror"
)

// exported is what a host gets of a text in the source of truth.
func (m *maker) exported(ctx context.Context, p *host.Profile, text *draft) (*export.Export, error) {
	// The user's own are made as the project's are.
	in := *m
	in.home = false
	c, err := in.project(ctx, "", in.beside([]File{{Path: m.source, data: text.encode()}}))
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return export.To(ctx, c, export.Request{Host: p.Name})
}

// mainFile is the file of the definition itself among those of a host, nil where there is
// none.
func (m *maker) mainFile(e *export.Export) *export.ExportedFile {
	for i := range e.Files {
		if f := &e.Files[i]; f.Source == m.source && (f.Kind != definition.Skill || path.Base(f.Path) == "SKILL.md") {
			return f
		}
	}
	return nil
}

// lean makes the files of a host again, without the fields that it knows nothing of. They
// are in the file where the export takes the bytes of the source, and somebody else who
// looks into the directory may drop the file for them.
func (m *maker) lean(ctx context.Context, p *host.Profile, e *export.Export, full []byte) (*export.Export, error) {
	// A template says in words what the arguments are.
	again, fields := draftOf(m.kind, full), map[int]*definition.Entry{}
	for i := range again.entries {
		entry := &again.entries[i]
		fields[1+bytes.Count(full[:entry.KeySpan.Start], []byte("\n"))] = entry
	}
	lost := map[*definition.Entry]bool{}
	e.Losses = slices.DeleteFunc(e.Losses, func(l export.HostLoss) bool {
		entry := fields[l.Line]
		if entry == nil || l.What != export.LossField && l.What != export.LossModel && l.What != export.LossArgument {
			return false
		}
		lost[entry] = true
		return m.text.own && isArguments(*entry)
	})
	main := m.mainFile(e)
	if main == nil || main.Kind != definition.Skill || !bytes.Equal(main.Data, full) || len(lost) == 0 {
		return e, nil
	}
	text := m.text
	text.entries = nil
	args := false
	for i := range again.entries {
		if entry := &again.entries[i]; !lost[entry] {
			text.entries = append(text.entries, *entry)
		} else if isArguments(*entry) {
			args = true
		}
	}
	less, err := m.exported(ctx, p, &text)
	if err != nil || m.mainFile(less) == nil {
		return e, err
	}
	less.Losses = e.Losses
	if args {
		m.bare(main.Path)
	}
	return less, nil
}

func isArguments(e definition.Entry) bool {
	f := definition.LookupField(e.Key)
	return f == definition.FieldArguments || f == definition.FieldArgumentHint
}

// bare says of a file that it has no fields for arguments.
func (m *maker) bare(file string) {
	if !slices.Contains(m.bared, file) {
		m.bared = append(m.bared, file)
		fix := "say in the text what they are"
		if m.text.own {
			fix = "nothing has to be done: the text names them"
		}
		m.say(file, fix, "the fields for arguments are left out: not all that read the file take a skill that has them")
	}
}

// standards are the names of the formats that several hosts share in whose places files
// are: vade check takes them for hosts of the project.
func (m *maker) standards() []string {
	var names []string
	for _, p := range registry.Hosts() {
		if !p.Program() && p.Export != nil && slices.ContainsFunc(m.files, func(f File) bool { return p.Mine(f.Path) }) {
			names = append(names, p.Name)
		}
	}
	return names
}

// withoutArguments takes the fields for arguments out of the files with a finding of an
// unknown field; false: there are none. In the source of truth they go for all hosts.
func (m *maker) withoutArguments() bool {
	changed := false
	for i := range m.files {
		f := &m.files[i]
		unknown := func(x rules.Finding) bool { return x.Code == diag.FieldUnknown && x.Path == f.Path }
		if path.Base(f.Path) != "SKILL.md" || !slices.ContainsFunc(m.result.Findings, unknown) {
			continue
		}
		text := draftOf(definition.Skill, f.data)
		if text.drop(definition.FieldArgumentHint.Key(), definition.FieldArguments.Key()) {
			f.data, changed = text.encode(), true
			if len(m.hosts) == 0 {
				m.text.drop(definition.FieldArgumentHint.Key(), definition.FieldArguments.Key())
			}
			m.bare(f.Path)
		}
	}
	return changed
}

// syncing finds out for which hosts [materialize.Sync] makes copies in this project.
func (m *maker) syncing(ctx context.Context) error {
	if m.want.User || len(m.hosts) > 0 {
		return nil
	}
	state, _, _ := mirror.ReadState(mirror.Tree{Tree: m.im.Tree}, m.im.Bad())
	m.im.State = state
	before := m.im.Syncer.Result.Diagnostics
	m.im.Syncer.Result.Diagnostics = nil
	err := m.im.Syncer.ChooseHosts(ctx)
	m.im.Syncer.Result.Diagnostics = before
	return err
}

func (m *maker) syncs(p *host.Profile) bool {
	return slices.ContainsFunc(m.im.Syncer.Result.Hosts, func(h catalog.CheckedHost) bool { return h.Host == p.Name })
}

// later adds how a host that does not read the file gets it: by [materialize.Sync], or not at all.
func (m *maker) later(ctx context.Context, p *host.Profile) (*definition.Definition, error) {
	if p.Export == nil || !p.Program() {
		return nil, nil
	}
	e, err := m.exported(ctx, p, &m.text)
	if err != nil {
		return nil, err
	}
	main := m.mainFile(e)
	if main == nil {
		for _, l := range e.Losses {
			if l.Whole && m.syncs(p) && !m.want.User {
				m.say(m.source, l.Fix, "%s can not have it: %s", p.Name, l.Message)
			}
		}
		return nil, nil
	}
	d := &definition.Definition{Kind: main.Kind, Name: main.Name}
	if m.kind == definition.Instruction {
		d.Name = m.name
	}
	if m.want.User {
		c, err := materialize.Open(ctx, m.givenAs(p.Name))
		if err != nil {
			return nil, err
		}
		defer c.Close()
		dir, rel := split(p, main.Path)
		if usersRoot(c.Quick.Places, main.Kind, dir, rel) == nil {
			return nil, nil
		}
		return d, nil
	}
	if _, err := m.im.Tree.Lstat(main.Path); err == nil && !m.im.State.Made(main.Path) {
		m.inWay(p, main.Path)
		return nil, nil
	}
	return d, nil
}

func (m *maker) givenAs(as string) catalog.Options {
	o := m.given
	o.As, o.Remote = as, false
	return o
}

// inWay says that a file stands where [materialize.Sync] would put a copy, which it does not replace.
func (m *maker) inWay(p *host.Profile, file string) {
	if m.blocked == nil {
		m.blocked = map[string][]string{}
	}
	m.blocked[file] = append(m.blocked[file], p.Name)
}

// sayBlocked names the files that are in the way.
func (m *maker) sayBlocked() {
	for file, hosts := range m.blocked {
		fix := "move what it says into the source of truth, and the file away"
		if m.kind == definition.Instruction {
			fix = "add the text to " + file + " by hand; or have " + file + " in the source of truth: vade import, and then see: vade sync --dry-run --force " + file
		}
		m.say(file, fix, "%s would get it in this file, which is there and which vade sync has not made, so that it leaves it as it is", strings.Join(hosts, ", "))
	}
}

// apart says that several files say the same, and nothing keeps them in step.
func (m *maker) apart() {
	var mains []string
	for _, p := range m.hosts {
		if at := m.made[p.Name]; at != "" && !slices.Contains(mains, at) {
			mains = append(mains, at)
		}
	}
	if len(mains) < 2 || len(m.im.Project.Source) > 0 || len(m.im.Project.Hosts) > 0 {
		return
	}
	var names []string
	for _, p := range m.hosts {
		names = append(names, p.Name)
	}
	m.say(mains[0], "change them together; or make it without --host, and then: vade sync --hosts "+strings.Join(names, ","),
		"nothing keeps the %d files in step: %s", len(mains), strings.Join(mains, ", "))
}

// told are the hosts that have to be named to [materialize.Sync], as nothing shows that the project
// uses them; none where it knows all that it would make the definition for.
func (m *maker) told() []string {
	var all []string
	unknown := false
	for _, c := range m.result.Calls {
		if c.Loaded {
			continue
		}
		all = append(all, c.Host)
		unknown = unknown || !slices.ContainsFunc(m.im.Syncer.Result.Hosts, func(h catalog.CheckedHost) bool { return h.Host == c.Host })
	}
	if !unknown || m.want.User || len(m.hosts) > 0 {
		return []string{}
	}
	for _, h := range m.im.Syncer.Result.Hosts {
		if !slices.Contains(all, h.Host) {
			all = append(all, h.Host)
		}
	}
	return all
}

// whyNot is why a host loads none of the files, "" where it does not say.
func (m *maker) whyNot(ctx context.Context, as string) string {
	c, err := m.project(ctx, as, m.files)
	if err != nil {
		return ""
	}
	defer c.Close()
	all, err := c.Scan(ctx)
	if err != nil {
		return ""
	}
	for _, d := range all.All {
		if d.State != definition.Loaded && d.Reason != "" && slices.ContainsFunc(m.files, func(f File) bool { return f.Path == d.Origin.Path }) {
			return fmt.Sprintf(": %s: %s", d.Origin.Path, d.Reason)
		}
	}
	return ""
}

// handFix says what to do about a file of a host that takes all instructions: another
// name is of no use.
func (m *maker) handFix(file string) (fix string, whole bool) {
	if m.kind != definition.Instruction || m.want.User && len(m.hosts) == 0 || strings.Contains(path.Base(file), m.name) {
		return "", false
	}
	fix = "add what it should say to that file by hand; its name is always " + path.Base(file)
	for _, f := range m.files {
		if f.Path == file && len(f.Hosts) > 0 && len(f.Hosts) < len(m.hosts) {
			fix += ". The other hosts get a file of their own without --host " + strings.Join(f.Hosts, ", ")
		}
	}
	return fix, true
}
