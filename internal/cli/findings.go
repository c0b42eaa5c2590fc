package cli

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/audit/scan"
	"github.com/vadehq/vade/internal/check"
	"github.com/vadehq/vade/internal/vfs"
)

// findingFlags holds the flags shared by vade check and vade audit.
type findingFlags struct {
	format, explain   string
	baseline, writeTo string
	explains          bool
}

// add adds the flags to c. ids and formats are the rule IDs and output formats to offer.
func (f *findingFlags) add(c *cobra.Command, ids []string, formats ...string) {
	f.format = "text"
	choiceFlag(c, &f.format, "format", "print `FORMAT` (default text)", formats...)
	c.Flags().StringVar(&f.baseline, "baseline", "", "hide the findings recorded in `FILE`")
	c.Flags().StringVar(&f.writeTo, "write-baseline", "", "write all findings to the baseline `FILE`")
	c.Flags().StringVar(&f.explain, "explain", "", "explain a finding by its `CODE`")
	completeFlag(c, "explain", ids...)
}

// findingUsage rejects empty values and conflicting flags, and makes --json an alias for --format
// json. In GitHub Actions, it also keeps printed text from being run as workflow commands.
func (a *app) findingUsage(c *cobra.Command, f *findingFlags, args []string) error {
	a.actions = f.format == "github" || a.getenv("GITHUB_ACTIONS") == "true"
	f.explains = c.Flags().Changed("explain")
	others := len(args) > 0
	c.LocalNonPersistentFlags().VisitAll(func(x *pflag.Flag) { others = others || x.Changed && x.Name != "explain" && x.Name != "yes" })
	if f.explains && others {
		return usage{failure{"--explain cannot be combined with arguments or other flags", "remove them"}}
	}
	for name, value := range map[string]string{"baseline": f.baseline, "write-baseline": f.writeTo} {
		if c.Flags().Changed(name) && value == "" {
			return usage{failure{"--" + name + " is empty", "specify a file"}}
		}
	}
	if slices.Contains(args, "") {
		return usage{failure{"PATH is empty", "specify a file or directory, or omit PATH for the whole project"}}
	}
	if a.json && c.Flags().Changed("format") && f.format != "json" {
		return usage{failure{"--json and --format " + f.format + " cannot be used together", "use only one of them"}}
	}
	if a.json {
		f.format = "json"
	}
	return nil
}

// analysisError returns the error with which vade check or vade audit exits. Exit code 1 means that
// there are findings, so other errors exit with 2. If the format is JSON or SARIF, analysisError
// still prints a document, with an empty list.
func (a *app) analysisError(format, list string, err error) error {
	var done silent
	if err == nil || errors.As(err, &done) {
		return err
	}
	switch format {
	case "json":
		_ = a.printJSON(map[string]any{"error": withoutProgramName(err), list: []any{}})
	case "sarif":
		_ = check.WriteSARIFFailure(a.world.Stdout, withoutProgramName(err))
	}
	return usage{err}
}

// pathError adds a hint to an error from vade check or vade audit.
func pathError(command string, err error) error {
	return withHint(err,
		hint{check.ErrBaseline, true, "to create one, run: vade " + command + " --write-baseline FILE"},
		hint{check.ErrNothingThere, true, "specify an existing file or directory; to find a definition's path, run: vade show NAME"},
		hint{check.ErrNoDefinition, true, "specify a definition or a directory with definitions; to list them, run: vade list"},
		hint{scan.ErrNothingToAudit, true, "specify a definition or a directory with files"})
}

// explainRule prints the documentation of the rule called id. command is "check" or "audit", whose
// --explain flag names the rule.
func (a *app) explainRule(command, id string) error {
	page, otherPage, nearest, other := check.RulePage, scan.RulePage, check.NearestRules, "audit"
	if command == "audit" {
		page, otherPage, nearest, other = scan.RulePage, check.RulePage, scan.NearestRules, "check"
	}
	if text, ok := page(id); ok {
		_, err := a.stdout().Write([]byte(text))
		return err
	}
	if meaning := check.CodeMeaning(id); meaning != "" && command == "check" {
		code := diag.Code(strings.ToUpper(id))
		fmt.Fprintf(a.stdout(), "%s (%s): %s\n\nOther commands report this code, so vade check has no page for it.\n", code, code.Severity(), meaning)
		return nil
	}
	if _, ok := otherPage(id); ok {
		return usage{failure{fmt.Sprintf("--explain %s: vade %s reports this code", id, other), "run: vade " + other + " --explain " + strings.ToUpper(id)}}
	}
	hint := didYouMeanAny(nearest(id), "", "use a code shown in brackets in a finding; see: vade help "+command)
	return usage{failure{fmt.Sprintf("--explain %s: unknown code", id), hint}}
}

// maxBaselineInput is the maximum size of a baseline, in bytes.
const maxBaselineInput = 8 << 20

// readBaseline reads the --baseline file. It returns nil if name is "". It reads only regular files
// and does not follow symlinks inside the project.
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
	return nil, usage{failure{fmt.Sprintf("--baseline %s: %v", name, vfs.WithoutPath(err)), "to create one, run: vade " + command + " --write-baseline FILE"}}
}

// writeBaseline writes the --write-baseline file. top is the directory that was checked.
func (a *app) writeBaseline(name, top string, data []byte) error {
	tree, rel, err := a.fileAt(name, top)
	if err == nil {
		defer tree.Close()
		err = tree.Put(rel, data)
	}
	if err != nil {
		return failure{fmt.Sprintf("--write-baseline %s: %v", name, vfs.WithoutPath(err)), "specify a writable file whose path has no symlinks"}
	}
	return nil
}

// fileAt opens a tree that contains a file, and returns the tree and the file's path in it. name is
// the file's path relative to the -C directory. If the file is below top, the tree's root is top,
// so that no symlink in the path can lead outside top. Otherwise, the root is the file's directory.
func (a *app) fileAt(name, top string) (*vfs.Tree, string, error) {
	abs, err := filepath.Abs(a.resolvePath(name))
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
	// Symlinks are allowed in the path to top, but not below it.
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
