package cli

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/internal/check"
)

// findingFlags are the flags that vade check and vade audit share.
type findingFlags struct {
	format, explain   string
	baseline, writeTo string
	explains          bool
}

// usage refuses values that say nothing and two formats at once, and takes --json as one.
func (f *findingFlags) usage(c *cobra.Command, args []string, asJSON bool) error {
	f.explains = c.Flags().Changed("explain")
	for name, value := range map[string]string{"baseline": f.baseline, "write-baseline": f.writeTo} {
		if c.Flags().Changed(name) && value == "" {
			return usage{failure{"--" + name + " has no value", "name a file"}}
		}
	}
	if slices.Contains(args, "") {
		return usage{failure{"a PATH is empty", "name a file or a directory, or none for the whole project"}}
	}
	if asJSON && c.Flags().Changed("format") && f.format != "json" {
		return usage{failure{"--json and --format " + f.format + " ask for two formats", "use one of them"}}
	}
	if asJSON {
		f.format = "json"
	}
	return nil
}

// checkUsage refuses arguments of vade check that say nothing, or two things at once.
func checkUsage(c *cobra.Command, f *checkFlags, args []string, asJSON bool) error {
	if err := f.usage(c, args, asJSON); err != nil {
		return err
	}
	if c.Flags().Changed("host") && (len(f.hosts) == 0 || slices.Contains(f.hosts, "")) {
		return usage{failure{"--host has no value", "use all, or one of: " + strings.Join(realHosts(), ", ")}}
	}
	if f.explains && (f.fix || f.writeTo != "") {
		return usage{failure{"--explain prints a page and does nothing else", "leave out --fix and --write-baseline"}}
	}
	return nil
}

// notLooked is the end of a command that looks for findings: 1 is for what was found, so
// an error that kept it from looking is 2. What reads JSON gets a document also then, in
// which the list is empty.
func (a *app) notLooked(format, list string, err error) error {
	var done silent
	if err == nil || errors.As(err, &done) {
		return err
	}
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	reason := strings.TrimPrefix(err.Error(), "vade: ")
	switch format {
	case "json":
		_ = a.printJSON(map[string]any{"error": reason, list: []any{}})
	case "sarif":
		_ = check.WriteSARIFFailure(a.world.Stdout, reason)
	}
	return usage{err}
}

// completeRules offers the codes of findings to the shell.
func (a *app) completeRules(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return check.Rules(), cobra.ShellCompDirectiveNoFileComp
}
