package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/publish"
	"github.com/vadehq/vade/internal/terminal"
)

// publishFlags holds the flags for vade publish.
type publishFlags struct {
	out           string
	force, dryRun bool
	request       publish.Request
}

func (a *app) publish() *cobra.Command {
	var f publishFlags
	c := &cobra.Command{
		Use: "publish", Short: "Write the project's skills as a static site for installers",
		Long: `Write a static site with the project's skills: the index
.well-known/agent-skills/index.json, each skill's files, an archive for each skill
with several files, and a list of plugins. Without --well-known, nothing is written.

Publishing again replaces and removes published files. Replacing files that you edited
or created requires --force. Publishing does not follow symlinks or run anything.

Exit codes: 0 success, 1 a skill was left out or a file not written, 2 invalid usage.`,
		Example: `  vade publish                                list what would be published
  vade publish --well-known site              write it to ./site
  vade publish --well-known site --dry-run
  vade publish --name go --name testing --well-known site
  npx skills add https://example.com          install from the site`,
		Args: checkArgs("specify the directory with --well-known DIR"),
		RunE: func(c *cobra.Command, _ []string) error { return a.runPublish(c.Context(), f) },
	}
	flags := c.Flags()
	flags.StringVar(&f.out, "well-known", "", "write the site to `DIR`")
	flags.StringArrayVar(&f.request.Names, "name", nil, "publish only the skill `NAME` (may be repeated)")
	flags.BoolVar(&f.request.User, "user", false, "also publish your user-level skills")
	flags.StringVar(&f.request.Marketplace, "marketplace", "", "set the name of the plugin list to `NAME` (default: the project's directory)")
	flags.BoolVar(&f.request.NoMarketplace, "no-marketplace", false, "do not write a plugin list")
	flags.BoolVar(&f.force, "force", false, "replace files that you edited or created")
	flags.BoolVarP(&f.dryRun, "dry-run", "n", false, "with --well-known: show the plan and write nothing")
	a.yesFlag(c)
	a.viewFlags(c)
	return c
}

func (a *app) runPublish(ctx context.Context, f publishFlags) error {
	switch {
	case f.dryRun && f.out == "":
		return usage{failure{"--dry-run requires --well-known", "without --well-known, nothing is written"}}
	case f.force && f.out == "":
		return usage{failure{"--force requires --well-known", "specify the directory: --well-known DIR"}}
	case f.request.NoMarketplace && f.request.Marketplace != "":
		return usage{failure{"--marketplace and --no-marketplace cannot be used together", "use only one of them"}}
	}
	cat, err := a.open(ctx, catalog.Options{})
	if err != nil {
		return err
	}
	defer cat.Close()
	progress := a.stderr().StartProgress("reading skills")
	p, err := publish.Run(ctx, cat, f.request)
	progress.Done()
	switch {
	case errors.Is(err, publish.ErrName):
		return usage{failure{withoutProgramName(err), "choose another name: --marketplace my-skills"}}
	case errors.Is(err, definition.ErrNotFound):
		hint := "to list what would be published, run: vade publish"
		if !f.request.User && strings.Contains(err.Error(), "the user layer") {
			hint = "add --user"
		}
		return failure{withoutProgramName(err), hint}
	case err != nil:
		return err
	}
	if f.out != "" && len(p.Skills) == 0 && !f.force {
		f.out = ""
		if err := a.printPublication(p, nil, f); err != nil {
			return err
		}
		return failure{"no skills to publish; nothing was written", "to list skills, run: vade list --kind skill --all; --force writes an empty site"}
	}
	return a.reviewed(ctx, f.dryRun || f.out == "", func(dry bool) (int, error) {
		f.dryRun = dry && f.out != ""
		return a.publishOnce(ctx, p, f)
	})
}

// publishOnce writes the site and returns the number of changes. With --dry-run, it only plans
// them.
func (a *app) publishOnce(ctx context.Context, p *publish.Publication, f publishFlags) (int, error) {
	var steps []publish.Step
	var err error
	switch {
	case f.out != "" && f.dryRun:
		steps, err = p.Plan(ctx, f.out, f.force)
	case f.out != "":
		steps, err = p.Write(ctx, f.out, f.force)
	}
	differs := errors.Is(err, export.ErrDiffers)
	switch {
	case errors.Is(err, publish.ErrTarget):
		return 0, usage{failure{withoutProgramName(err), "use a dedicated directory: --well-known site"}}
	case err != nil && !differs:
		return 0, err
	}
	if differs {
		f.out = ""
	}
	if err := a.printPublication(p, steps, f); err != nil {
		return 0, err
	}
	if differs {
		hint := "review it, then use --force to replace it"
		if slices.ContainsFunc(steps, func(s publish.Step) bool { return s.NotForceable }) {
			hint = "fix the reported problem; --force does not override it"
		}
		return 0, failure{withoutProgramName(err), hint}
	}
	if len(p.Diagnostics) > 0 {
		err = silent{exitFailure}
	}
	changes := 0
	for _, s := range steps {
		if s.Change != "same" && s.Change != "keep" {
			changes++
		}
	}
	return changes, err
}

func (a *app) printPublication(p *publish.Publication, steps []publish.Step, f publishFlags) error {
	if a.json {
		return a.printJSON(struct {
			Skills      []publish.PublishedSkill `json:"skills"`
			Steps       []publish.Step           `json:"steps,omitempty"`
			Diagnostics []diag.Diagnostic        `json:"diagnostics"`
		}{nonNil(p.Skills), steps, nonNil(p.Diagnostics)})
	}
	out := a.stdout()
	if len(p.Skills) > 0 && f.out == "" && steps == nil {
		t := terminal.Table{Columns: []terminal.Column{
			{Title: "SKILL", Style: terminal.Bold}, {Title: "FILES"}, {Title: "BYTES"}, {Title: "URL", Style: terminal.Dim}, {Title: "DESCRIPTION", Flexible: true},
		}}
		for _, s := range p.Skills {
			t.Row(s.Name, s.Files, s.Bytes, s.URL, s.Description)
		}
		t.Print(out)
	}
	count := map[string]int{}
	for _, s := range steps {
		count[s.Change]++
		switch {
		case s.Problem != "":
			// A diagnostic already reports this file.
		case s.Change == "keep":
			out.Label(terminal.Yellow, "kept", "%s: edited since it was published", s.Path)
		case f.dryRun && s.Change != "same":
			out.Label(terminal.Plain, s.Change, "%s", s.Path)
		}
	}
	terminal.PrintDiagnostics(out, p.Diagnostics...)
	line := plural(len(p.Skills), "skill")
	switch {
	case f.dryRun:
		line += fmt.Sprintf("; would create %d, replace %d and remove %d files", count["create"], count["replace"], count["remove"])
		if !a.reviewing {
			line += "; nothing was written"
		}
	case f.out != "":
		line += fmt.Sprintf("; created %d, replaced %d and removed %d files in %s", count["create"], count["replace"], count["remove"], f.out)
	case steps != nil:
		line += "; nothing was written"
	default:
		line += "; to write them, use --well-known"
	}
	out.Line(terminal.Dim, "%s", line)
	return nil
}
