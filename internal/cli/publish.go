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

// publishFlags are the flags of vade publish.
type publishFlags struct {
	out           string
	force, dryRun bool
	request       publish.Request
}

func (a *app) publish() *cobra.Command {
	var f publishFlags
	c := &cobra.Command{
		Use: "publish", Short: "Write the project's skills as a site that installers read",
		Long: `Write a site of the project's skills for any web server: the index
.well-known/agent-skills/index.json, the files of each skill, an archive of each
that has several, and a list of plugins. Without --well-known nothing is written.

Files published before are replaced or removed as the skills change; a file that is
not one of these, or was changed since, needs --force. No symlink is followed,
nothing runs, and the user's own skills need --user.

Exit codes: 0 fine; 1 a skill is left out, or a file not written; 2 wrong usage.`,
		Example: `  vade publish                                what would be published
  vade publish --well-known site              write it below ./site
  vade publish --well-known site --dry-run
  vade publish --name go --name testing --well-known site
  npx skills add https://example.com          what others then do`,
		Args: exactly(cobra.NoArgs, "the directory is given with --well-known DIR"),
		RunE: func(c *cobra.Command, _ []string) error { return a.runPublish(c.Context(), f) },
	}
	flags := c.Flags()
	flags.StringVar(&f.out, "well-known", "", "write the site below `DIR`")
	flags.StringArrayVar(&f.request.Names, "name", nil, "publish only the skill `NAME` (may be repeated)")
	flags.BoolVar(&f.request.User, "user", false, "publish the user's own skills too")
	flags.StringVar(&f.request.Market, "marketplace", "", "call the list of plugins `NAME` (the name of the directory)")
	flags.BoolVar(&f.request.NoMarket, "no-marketplace", false, "write no list of plugins")
	flags.BoolVar(&f.force, "force", false, "replace files that are not those that were published")
	flags.BoolVar(&f.dryRun, "dry-run", false, "with --well-known: say what would be written, and write nothing")
	a.view(c)
	return c
}

func (a *app) runPublish(ctx context.Context, f publishFlags) error {
	switch {
	case f.dryRun && f.out == "":
		return usage{failure{"--dry-run is for --well-known", "without --well-known nothing is written anyway"}}
	case f.force && f.out == "":
		return usage{failure{"--force is for --well-known", "name the directory: --well-known DIR"}}
	case f.request.NoMarket && f.request.Market != "":
		return usage{failure{"--marketplace and --no-marketplace do not go together", "use one of the two"}}
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
		return usage{failure{bare(err), "give it another: --marketplace my-skills"}}
	case errors.Is(err, definition.ErrNotFound):
		hint := "see what would be published with: vade publish"
		if !f.request.User && strings.Contains(err.Error(), " layer user") {
			hint = "add --user"
		}
		return failure{bare(err), hint}
	case err != nil:
		return err
	}
	if f.out != "" && len(p.Skills) == 0 && !f.force {
		f.out = ""
		if err := a.printPublication(p, nil, f); err != nil {
			return err
		}
		return failure{"there is no skill to publish; nothing is written", "see what is here with: vade list --kind skill --all; --force writes a site without skills"}
	}
	var steps []publish.Step
	switch {
	case f.out != "" && f.dryRun:
		steps, err = p.Plan(ctx, f.out, f.force)
	case f.out != "":
		steps, err = p.Write(ctx, f.out, f.force)
	}
	differs := errors.Is(err, export.ErrDiffers)
	switch {
	case errors.Is(err, publish.ErrTarget):
		return usage{failure{bare(err), "name a directory of its own: --well-known site"}}
	case err != nil && !differs:
		return err
	}
	if differs {
		f.out = ""
	}
	if err := a.printPublication(p, steps, f); err != nil {
		return err
	}
	if differs {
		hint := "look at it, and replace it with --force"
		if slices.ContainsFunc(steps, func(s publish.Step) bool { return s.Hard }) {
			hint = "look at it, and move it away: --force does not replace it"
		}
		return failure{bare(err), hint}
	}
	if len(p.Diagnostics) > 0 {
		return silent{exitFailed}
	}
	return nil
}

func (a *app) printPublication(p *publish.Publication, steps []publish.Step, f publishFlags) error {
	if a.json {
		return a.printJSON(struct {
			Skills      []publish.PublishedSkill `json:"skills"`
			Steps       []publish.Step           `json:"steps,omitempty"`
			Diagnostics []diag.Diagnostic        `json:"diagnostics"`
		}{present(p.Skills), steps, present(p.Diagnostics)})
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
			// It is among the diagnostics.
		case s.Change == "keep":
			out.Label(terminal.Yellow, "kept", "%s: it was changed since it was published", s.Path)
		case f.dryRun && s.Change != "same":
			out.Label(terminal.Plain, s.Change, "%s", s.Path)
		}
	}
	for _, d := range p.Diagnostics {
		terminal.PrintDiagnostic(out, d)
	}
	line := plural(len(p.Skills), "skill")
	switch {
	case f.dryRun:
		line += fmt.Sprintf("; %d files would be made, %d replaced, %d taken away; nothing is written", count["create"], count["replace"], count["remove"])
	case f.out != "":
		line += fmt.Sprintf("; %d files made, %d replaced, %d taken away in %s", count["create"], count["replace"], count["remove"], f.out)
	case steps != nil:
		line += "; nothing is written"
	default:
		line += "; nothing is written without --well-known"
	}
	out.Line(terminal.Dim, "%s", line)
	return nil
}
