package check

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/docs"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/check/rules"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/parse"
	"github.com/vadehq/vade/internal/report"
	"github.com/vadehq/vade/internal/resolve"
	"github.com/vadehq/vade/internal/version"
	"github.com/vadehq/vade/internal/vfs"
)

// judge reads each definition once and applies the rules to it.
func (k *checker) judge(items []*checked) ([]rules.Finding, error) {
	results := make([][]rules.Finding, len(items))
	var done atomic.Int64
	err := catalog.Parallel(len(items), func(i int) error {
		if err := k.ctx.Err(); err != nil {
			return err
		}
		results[i] = k.judgeOne(items[i])
		if n := int(done.Add(1)); k.request.Progress != nil && n%64 == 0 {
			k.request.Progress(n, len(items))
		}
		return nil
	})
	return slices.Concat(results...), err
}

func (k *checker) judgeOne(it *checked) []rules.Finding {
	d := it.d
	views, read, found := k.views, d.Diagnostics, []rules.Finding(nil)
	if d.State != definition.Dropped || d.ReasonCode != diag.NotRead && (len(d.Diagnostics) == 0 || d.Fields.Name != "" || d.Name != "") {
		if data, err := readFile(k.neutral, d); err == nil {
			views = k.viewsOf(it, data)
			s := k.subject(it, data, views)
			read, found = diagnosticsFor(d, s.Readers), rules.Run(s)
		}
	}
	list := rules.Merge(it.path, d.Origin.Real, read, found, views)
	for i := range list {
		list[i].Path = it.path
	}
	return list
}

// diagnosticsFor returns a definition's diagnostics. If hosts load the definition but none of them
// parses it as YAML, diagnosticsFor omits diagnostics about repaired YAML values.
func diagnosticsFor(d *definition.Definition, readers []*host.Profile) []diag.Diagnostic {
	yaml := func(p *host.Profile) bool { return !p.Dialect.For(d.Kind).Plain }
	if len(readers) == 0 || slices.ContainsFunc(readers, yaml) {
		return d.Diagnostics
	}
	return slices.DeleteFunc(slices.Clone(d.Diagnostics), func(x diag.Diagnostic) bool { return x.Code == diag.YAMLRepairedValue })
}

// readFile returns the content of a definition's file. It returns an error if the file is larger
// than Vade's own limit.
func readFile(c *catalog.Catalog, d *definition.Definition) ([]byte, error) {
	if d.Origin.Plugin != "" {
		if c.Full != nil {
			return c.Full.Read(d.Origin.Real, c.Profile.MaxFile)
		}
	}
	return c.Quick.Read(d.Origin.Real, c.Profile.MaxFile)
}

// subject returns the input for the rules that check a definition.
func (k *checker) subject(it *checked, data []byte, views []rules.View) *rules.Subject {
	d := it.d
	doc := parse.File(d, data, k.neutral.Profile)
	s := &rules.Subject{
		Definition: d, File: diag.NewFile(it.path, data), Entries: doc.Entries, Body: doc.Body, BodyAt: doc.BodyAt, Hosts: k.profiles,
	}
	for i := range views {
		if views[i].Loads(d.Origin.Real) {
			s.Readers = append(s.Readers, k.profiles[i])
		}
	}
	source := d.Origin.Path
	if p, ok := k.neutral.Quick.Project.Rel(d.Origin.Real); ok {
		source = p
	}
	inside := path.Dir(source)
	s.Look = func(rel string) rules.Target { return k.look(path.Join(path.Dir(source), rel), inside) }
	s.LookTop = func(rel string) rules.Target { return k.look(path.Clean(rel), ".") }
	return s
}

// look reports whether the path rel, relative to the project root, exists, and whether it is inside
// the directory called inside, elsewhere in the project, or outside the project.
func (k *checker) look(rel, inside string) rules.Target {
	if rel == ".." || strings.HasPrefix(rel, "../") {
		return rules.Outside
	}
	if vfs.CheckName(rel) != nil || !fs.ValidPath(rel) {
		return rules.Unknown
	}
	tree := k.neutral.Quick.Project
	switch _, _, err := tree.Resolve(rel); {
	case err == nil:
	case errors.Is(err, fs.ErrNotExist):
		return rules.Missing
	case errors.Is(err, vfs.ErrOutside):
		return rules.Outside
	default:
		return rules.Unknown
	}
	if _, err := tree.Lstat(rel); errors.Is(err, fs.ErrNotExist) {
		return rules.Missing
	}
	if inside == "." || rel == inside || strings.HasPrefix(rel, inside+"/") {
		return rules.Inside
	}
	return rules.Sibling
}

// outside returns problems that concern the project as a whole rather than a particular definition.
func (k *checker) outside() []rules.Finding {
	var list []rules.Finding
	for _, d := range k.neutral.ScanDiagnostics {
		// Problems in vade.yaml are reported regardless of the scope.
		if d.File == "" || slices.Contains(k.neutral.ProjectDiagnostics, d) || d.Code == diag.DirSkipped || d.Code == diag.NotRead && k.hasUnhosted(d.File) {
			continue
		}
		if vfs.IsAbs(d.File) {
			rel, ok := k.neutral.Quick.Project.Rel(d.File)
			if !ok {
				continue
			}
			d.File = rel
		}
		list = append(list, rules.Of(d))
	}
	return list
}

// hasUnhosted reports whether a directory contains definitions that no host is expected to read at
// their paths.
func (k *checker) hasUnhosted(dir string) bool {
	return slices.ContainsFunc(k.items, func(it *checked) bool { return it.unhosted && strings.HasPrefix(it.path, dir+"/") })
}

// budget reports skills and commands whose descriptions are dropped or shortened because a host's
// listing budget is full.
func (k *checker) budget(c *catalog.Catalog) []rules.Finding {
	l, err := c.Listing(k.ctx)
	if err != nil {
		return nil
	}
	var dropped, shortened []string
	for _, x := range l.Cut {
		switch x.Reason {
		case catalog.CutDropped:
			dropped = append(dropped, x.Name)
		case catalog.CutShortened:
			shortened = append(shortened, x.Name)
		}
	}
	if len(dropped)+len(shortened) == 0 {
		return nil
	}
	var parts []string
	if n := len(dropped); n > 0 {
		parts = append(parts, fmt.Sprintf("%d without a description (%s)", n, firstNames(dropped)))
	}
	if n := len(shortened); n > 0 {
		parts = append(parts, fmt.Sprintf("%d with a shortened description (%s)", n, firstNames(shortened)))
	}
	f := rules.Of(diag.For(".", diag.ListingBudget, "%s lists %d skills and commands, %s, because its listing budget is full",
		l.Host, len(l.Skills), strings.Join(parts, " and ")).
		WithFix("shorten descriptions, or set disable-model-invocation: true (or the field that the host has instead) for skills that only users call; see: vade listing --host %s", l.Host))
	f.Hosts = []string{l.Host}
	return []rules.Finding{f}
}

// firstNames joins the first three names in a list, followed by an ellipsis if there are more.
func firstNames(names []string) string {
	const limit = 3
	if len(names) <= limit {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:limit], ", ") + ", …"
}

// Rules returns the codes of findings that [Run] may report.
func Rules() []string {
	var codes []string
	for _, c := range rules.Codes() {
		codes = append(codes, string(c))
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// RulePage returns the documentation of the rule with the given code, in Markdown. It returns false
// if there is no such rule.
func RulePage(code string) (page string, ok bool) {
	if !slices.Contains(Rules(), strings.ToUpper(code)) {
		return "", false
	}
	data, err := docs.Rules.ReadFile("rules/" + strings.ToLower(code) + ".md")
	return string(data), err == nil
}

// CodeMeaning returns a short explanation of any diagnostic code, including
// codes that [Run] does not report. It returns "" for an unknown code.
func CodeMeaning(code string) string {
	if about, _ := aboutRule(code); about != "" {
		return about
	}
	for line := range strings.Lines(docs.Codes) {
		if meaning, ok := strings.CutPrefix(line, strings.ToUpper(code)+" "); ok {
			return strings.TrimSpace(meaning)
		}
	}
	return ""
}

// CodesPage returns a Markdown page with every diagnostic code, its severity and its meaning.
func CodesPage() string {
	codes := Rules()
	for line := range strings.Lines(docs.Codes) {
		code, _, _ := strings.Cut(line, " ")
		codes = append(codes, code)
	}
	slices.Sort(codes)
	var b strings.Builder
	b.WriteString("# Diagnostic codes\n\nSee [diagnostics](diagnostics.md) for the severities.\n\n")
	for _, c := range codes {
		fmt.Fprintf(&b, "- `%s` (%s): %s\n", c, diag.Code(c).Severity(), CodeMeaning(c))
	}
	return b.String()
}

// NearestRules returns up to three rule codes that are similar to word, for use in suggestions.
func NearestRules(word string) []string { return resolve.Nearest(strings.ToUpper(word), Rules()) }

// WriteSARIF writes the report as SARIF 2.1.0, for use with code scanning. Columns count code
// points. WriteSARIF omits edits to lines that may contain a secret, because the report may be
// visible to others.
func (r *Report) WriteSARIF(w io.Writer) error {
	list := slices.Clone(r.Findings)
	for i := range list {
		if strings.Contains(list[i].Source, "‹hidden›") {
			list[i].Edit = nil
		}
	}
	return report.SARIF(w, report.Run{Version: version.Number, Directory: r.Directory, Findings: list, Rule: aboutRule})
}

// WriteSARIFFailure writes a SARIF log that explains why the check did not run.
func WriteSARIFFailure(w io.Writer, reason string) error {
	return report.SARIFFailure(w, version.Number, reason)
}

// WriteGitHub writes the report as GitHub Actions commands, one per line.
func (r *Report) WriteGitHub(w io.Writer) error { return report.GitHub(w, r.Findings) }

// aboutRule returns the first paragraph of a rule's page and the whole page.
func aboutRule(code string) (title, help string) {
	page, ok := RulePage(code)
	if !ok {
		return "", ""
	}
	_, rest, _ := strings.Cut(page, "\n\n")
	title, _, _ = strings.Cut(rest, "\n\n")
	return strings.Join(strings.Fields(title), " "), page
}
