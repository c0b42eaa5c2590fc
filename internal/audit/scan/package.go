package scan

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/vadehq/vade/internal/audit"
	"github.com/vadehq/vade/internal/audit/bundle"
	"github.com/vadehq/vade/internal/audit/rules"
	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/vfs"
)

// one audits one package and keeps only text that findings show.
func (a *auditor) one(c *candidate, out *Package) error {
	p, err := c.read(a)
	if err != nil {
		return err
	}
	// base is the package's path in the tree.
	base := c.Dir
	if base == "" {
		base = path.Dir(c.Main)
	}
	if c.spare && len(p.Files) == 0 && len(p.Missed) == 0 {
		return nil
	}
	sums := bundle.Digests(c.Tree, base, p)
	r := audit.Run(p, a.run)
	r.Coverage.Files = len(sums.Files)
	*out = Package{
		Path: c.path, Name: c.Name, Kind: c.kind,
		Digest: sums.Whole, Coverage: r.Coverage, Findings: []Finding{},
	}
	if c.Layer != 0 {
		out.Layer = c.Layer.String()
	}
	// shown is the package's path in the report.
	shown := c.path
	if c.Dir == "" || c.only != "" {
		shown = path.Dir(c.path)
	}
	if c.Main != "" {
		out.Main = path.Join(shown, strings.TrimPrefix(c.Main, base+"/"))
	}
	for i := range out.Coverage.Missed {
		m := &out.Coverage.Missed[i]
		m.Path, m.Note = path.Join(shown, m.Path), strings.Clone(m.Note)
	}
	for _, f := range r.Findings {
		f = apart(f)
		f.Digest = sums.Of(f.Path)
		if f.Path != "" {
			f.Path = path.Join(shown, f.Path)
		}
		x := Finding{Finding: f, Suppressed: a.suppressed(out, &f)}
		if x.Suppressed == nil {
			if f.Severity > out.Verdict {
				rule, _ := rules.Known(f.ID)
				out.Verdict, out.Reason = f.Severity, rule.Title
			}
		}
		out.Findings = append(out.Findings, x)
	}
	if a.request.Capabilities {
		m := audit.Capabilities(r)
		for i := range m.Capabilities {
			// Keep only the text that the report shows.
			x := &m.Capabilities[i]
			x.What, x.Path = strings.Clone(x.What), path.Join(shown, x.Path)
		}
		out.Capabilities = &m
	}
	return nil
}

// read reads a package's files. It reports unreadable files and still audits the others.
func (c *candidate) read(a *auditor) (*signal.Package, error) {
	err := c.wrong
	if err == nil {
		var p *signal.Package
		if p, err = bundle.Read(a.ctx, c.Request); err == nil {
			return p, nil
		}
	}
	if a.ctx.Err() != nil {
		return nil, a.ctx.Err()
	}
	q, main, skip := c.Request, c.Main, c.Skip
	if q.Main = ""; q.Dir == "" {
		// The definition has no companion files.
		q.Dir, skip = path.Dir(main), func(string) bool { return true }
	}
	q.Skip = func(name string) bool { return name == main || skip != nil && skip(name) }
	p, again := bundle.Read(a.ctx, q)
	if again != nil {
		return nil, again
	}
	missed := signal.Missed{Path: path.Base(main), Why: signal.MissedUnreadable, Note: unreadFor(err)}
	p.Missed = append([]signal.Missed{missed}, p.Missed...)
	return p, nil
}

// unreadFor returns why a definition's own file could not be read.
func unreadFor(err error) string {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	case errors.Is(err, vfs.ErrHardLink):
		return "the file has a second hard link"
	case errors.Is(err, fs.ErrNotExist):
		return "the symlink is broken"
	case errors.Is(err, vfs.ErrOutside):
		return "the symlink points outside the audited files"
	}
	return catalog.Cause(err).Error()
}

// apart copies a finding and only the part of the file's text that it shows.
func apart(f audit.Finding) audit.Finding {
	const around = 400
	from, to := max(0, min(f.From, len(f.Source))), max(0, min(f.To, len(f.Source)))
	to = min(max(from, to), from+around)
	begin, end := max(0, from-around), min(len(f.Source), to+around)
	// Do not split a character.
	for begin > 0 && begin < from && f.Source[begin]&0xc0 == 0x80 {
		begin++
	}
	for end < len(f.Source) && end > to && f.Source[end]&0xc0 == 0x80 {
		end--
	}
	f.Source, f.From, f.To = strings.Clone(f.Source[begin:end]), from-begin, to-begin
	f.Message, f.Path, f.Fix = strings.Clone(f.Message), strings.Clone(f.Path), strings.Clone(f.Fix)
	return f
}
