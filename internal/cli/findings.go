package cli

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/internal/audit/scan"
	"github.com/vadehq/vade/internal/check"
	"github.com/vadehq/vade/internal/vfs"
)

// findingFlags are the flags that vade check and vade audit share.
type findingFlags struct {
	format, explain   string
	baseline, writeTo string
	explains          bool
}

// add adds the flags to a command whose formats are these.
func (f *findingFlags) add(c *cobra.Command, ids []string, formats ...string) {
	f.format = "text"
	choice(c, &f.format, "format", "print `FORMAT` (default text)", formats...)
	c.Flags().StringVar(&f.baseline, "baseline", "", "leave out the findings in `FILE` whose files have not changed")
	c.Flags().StringVar(&f.writeTo, "write-baseline", "", "write all findings to `FILE`, as a baseline")
	c.Flags().StringVar(&f.explain, "explain", "", "explain a finding by its `CODE`")
	complete(c, "explain", ids...)
}

// usage refuses empty values and two formats at once, and takes --json as a format. In
// GitHub Actions it makes the streams safe.
func (a *app) findingUsage(c *cobra.Command, f *findingFlags, args []string) error {
	a.actions = f.format == "github" || a.getenv("GITHUB_ACTIONS") == "true"
	f.explains = c.Flags().Changed("explain")
	for name, value := range map[string]string{"baseline": f.baseline, "write-baseline": f.writeTo} {
		if c.Flags().Changed(name) && value == "" {
			return usage{failure{"--" + name + " has no value", "name a file"}}
		}
	}
	if slices.Contains(args, "") {
		return usage{failure{"a PATH is empty", "name a file or a directory, or none for the whole project"}}
	}
	if a.json && c.Flags().Changed("format") && f.format != "json" {
		return usage{failure{"--json and --format " + f.format + " ask for two formats", "use one of them"}}
	}
	if a.json {
		f.format = "json"
	}
	return nil
}

// notLooked ends a command that looks for findings: exit code 1 is for findings, so an
// error that kept it from looking is 2. A reader of JSON gets a document then too, with an
// empty list.
func (a *app) notLooked(format, list string, err error) error {
	var done silent
	if err == nil || errors.As(err, &done) {
		return err
	}
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	switch format {
	case "json":
		_ = a.printJSON(map[string]any{"error": bare(err), list: []any{}})
	case "sarif":
		_ = check.WriteSARIFFailure(a.world.Stdout, bare(err))
	}
	return usage{err}
}

// wrongPath adds to an error of a check or an audit what to do about it.
func wrongPath(command string, err error) error {
	for _, known := range []struct {
		is   error
		hint string
	}{
		{check.ErrBaseline, "write one with: vade " + command + " --write-baseline FILE"},
		{check.ErrNothingThere, "name a file or a directory that is there"},
		{check.ErrNoDefinition, "name a definition, or a directory of them, by its own path; see: vade list"},
		{scan.ErrNothingToAudit, "name a definition, or a directory that has files"},
	} {
		if errors.Is(err, known.is) {
			return usage{failure{bare(err), known.hint}}
		}
	}
	return err
}

// explainRule prints the page of a rule of check or audit.
func (a *app) explainRule(command, id string) error {
	page, otherPage, nearest, all, other := check.RulePage, scan.RulePage, check.NearestRules, check.Rules, "audit"
	if command == "audit" {
		page, otherPage, nearest, all, other = scan.RulePage, check.RulePage, scan.NearestRules, scan.Rules, "check"
	}
	if text, ok := page(id); ok {
		_, err := a.stdout().Write([]byte(text))
		return err
	}
	if severity, meaning, ok := check.CodeMeaning(id); ok && command == "check" {
		fmt.Fprintf(a.stdout(), "%s (%s): %s\n\nNo rule of vade check reports it; see docs/diagnostics.md.\n", strings.ToUpper(id), severity, meaning)
		return nil
	}
	if _, ok := otherPage(id); ok {
		return usage{failure{fmt.Sprintf("--explain %s: it is a rule of vade %s", id, other), "say: vade " + other + " --explain " + strings.ToUpper(id)}}
	}
	hint := "see all: " + strings.Join(all(), ", ")
	if near := nearest(id); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, ", ") + "?"
	}
	return usage{failure{fmt.Sprintf("--explain %s: there is no such code", id), hint}}
}

// maxBaselineInput is the longest baseline that is read, in bytes.
const maxBaselineInput = 8 << 20

// readBaseline reads the file of --baseline, nil without one: a regular file, through no
// link of the project.
func (a *app) readBaseline(command, name string) ([]byte, error) {
	if name == "" {
		return nil, nil
	}
	tree, rel, err := a.fileAt(name, a.dir)
	if err == nil {
		defer tree.Close()
		var data []byte
		if data, err = tree.ReadFile(rel, maxBaselineInput); err == nil {
			return data, nil
		}
	}
	return nil, usage{failure{fmt.Sprintf("--baseline %s: %v", name, plain(err)), "write one with: vade " + command + " --write-baseline FILE"}}
}

// writeBaseline writes the file of --write-baseline, for a directory that was checked.
func (a *app) writeBaseline(name, top string, data []byte) error {
	tree, rel, err := a.fileAt(name, top)
	if err == nil {
		defer tree.Close()
		err = tree.Put(rel, data)
	}
	if err != nil {
		return failure{fmt.Sprintf("--write-baseline %s: %v", name, plain(err)), "name a file that can be written: no link, and no link in the way to it"}
	}
	return nil
}

// fileAt returns the tree and the name in it of a file that the user names, relative
// to -C: the tree of a directory if the file is below it, so that no link leads out
// of that on the way, else that of the directory that the file is in.
func (a *app) fileAt(name, top string) (*vfs.Tree, string, error) {
	abs := name
	if !filepath.IsAbs(abs) {
		abs = filepath.Join(a.dir, name)
	}
	abs, err := filepath.Abs(abs)
	if err != nil {
		return nil, "", err
	}
	if top, err = filepath.Abs(top); err != nil {
		return nil, "", err
	}
	abs = filepath.ToSlash(abs)
	tree, err := vfs.Open(filepath.ToSlash(top), vfs.Options{HardLinks: true})
	if err != nil {
		return nil, "", err
	}
	// The way to the directory may lead over links, the way from there may not.
	for i := range len(abs) {
		if abs[i] != '/' {
			continue
		}
		if real, err := vfs.RealPath(abs[:i+1]); err == nil && strings.TrimSuffix(real, "/") == strings.TrimSuffix(tree.Real(), "/") {
			return tree, abs[i+1:], nil
		}
	}
	tree.Close()
	if strings.HasSuffix(name, "/") {
		return nil, "", vfs.ErrDirectory
	}
	tree, err = vfs.Open(path.Dir(abs), vfs.Options{HardLinks: true})
	return tree, path.Base(abs), err
}
