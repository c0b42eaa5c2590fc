package scan

import (
	"path"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/internal/audit"
	"github.com/vadehq/vade/internal/audit/bundle"
	"github.com/vadehq/vade/internal/audit/rules"
	"github.com/vadehq/vade/internal/audit/signal"
)

// auditPackage audits a package and stores the results in out. To save memory, it keeps only those
// parts of the files' text that the report shows.
func (a *auditor) auditPackage(c *candidate, out *Package) error {
	p, err := c.read(a)
	if err != nil {
		return err
	}
	// base is the package's path in the tree.
	base := c.Dir
	if base == "" {
		base = path.Dir(c.Main)
	}
	if c.Main == "" && len(p.Files) == 0 && len(p.Missed) == 0 {
		return nil
	}
	sums := bundle.Digests(c.Tree, base, p)
	r := audit.Run(p, a.run)
	*out = Package{
		Path: c.path, Name: c.Name, Kind: c.kind,
		Digest: sums.Whole, Coverage: r.Coverage, Findings: []Finding{},
	}
	if c.Layer != 0 {
		out.Layer = c.Layer.String()
	}
	// shown is the package's path in the report.
	shown := c.path
	if c.Dir == "" || c.onlyFile != "" {
		shown = path.Dir(c.path)
	}
	if c.Main != "" {
		out.Main = path.Join(shown, strings.TrimPrefix(c.Main, base+"/"))
	}
	for i := range out.Coverage.Missed {
		out.Coverage.Missed[i].Path = path.Join(shown, out.Coverage.Missed[i].Path)
	}
	for _, f := range r.Findings {
		shorten(&f)
		f.Digest = sums.Of(f.Path)
		if f.Path != "" {
			f.Path = path.Join(shown, f.Path)
		}
		x := Finding{Finding: f, Suppressed: a.suppressed(out, &f)}
		if x.Suppressed == nil {
			if f.Severity > out.Verdict {
				rule, _ := rules.Lookup(f.ID)
				out.Verdict, out.Reason = f.Severity, rule.Title
			}
		}
		out.Findings = append(out.Findings, x)
	}
	if a.request.Capabilities {
		m := audit.Capabilities(r)
		for i := range m.Capabilities {
			// Without the clone, the substring would keep the whole file in memory.
			x := &m.Capabilities[i]
			x.What, x.Path = strings.Clone(x.What), path.Join(shown, x.Path)
		}
		out.Capabilities = &m
	}
	return nil
}

// read reads a package's files. If the definition's own file cannot be read, it is recorded as
// missed, and the other files are still audited.
func (c *candidate) read(a *auditor) (*signal.Package, error) {
	err := c.err
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
		// The definition has no companion files, so skip everything in its directory.
		q.Dir, skip = path.Dir(main), func(string) bool { return true }
	}
	q.Skip = func(name string) bool { return name == main || skip != nil && skip(name) }
	p, again := bundle.Read(a.ctx, q)
	if again != nil {
		return nil, again
	}
	missed := signal.Missed{Path: path.Base(main), Reason: signal.MissedUnreadable, Note: unreadReason(err)}
	p.Missed = append([]signal.Missed{missed}, p.Missed...)
	return p, nil
}

// shorten limits a finding's source line to the part that the report shows.
func shorten(f *audit.Finding) {
	const around = 400
	f.To = min(f.To, f.From+around)
	begin, end := max(0, f.From-around), min(len(f.Source), f.To+around)
	for begin < f.From && !utf8.RuneStart(f.Source[begin]) {
		begin++
	}
	for end > f.To && end < len(f.Source) && !utf8.RuneStart(f.Source[end]) {
		end--
	}
	f.Source, f.From, f.To = strings.Clone(f.Source[begin:end]), f.From-begin, f.To-begin
}
