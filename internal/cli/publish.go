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
		Long: `Make a site of the project's skills: .well-known/agent-skills/index.json, which
installers look for at a web address, the files of each skill beside it, an archive of
each that has several files, and a list of plugins. Any web server can serve it.

Without --well-known nothing is written: the skills are listed. Without a skill no site
is written, and none where skills are looked for. Files that were
published before are replaced and taken away as the skills change; a file that is
another's, or was changed since, is refused unless --force is given. No link is
followed, nothing runs, and only the project's own skills are published unless --user
is given.

Exit codes: 0 fine; 1 a skill is left out, or a file not written; 2 wrong usage.`,
		Example: `  vade publish                                what would be published, and what is left out
  vade publish --well-known site              write it below ./site
  vade publish --well-known site --dry-run
  vade publish --name go --name testing --well-known site
  npx skills add https://example.com          what others then do, from your web server`,
		Args: exactly(cobra.NoArgs, "the directory is given with --well-known DIR"),
		RunE: func(c *cobra.Command, _ []string) error { return a.runPublish(c.Context(), f) },
	}
	if !a.named(c) {
		return c
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
		return usage{failure{strings.TrimPrefix(err.Error(), "vade: "), "give it another: --marketplace my-skills"}}
	case errors.Is(err, definition.ErrNotFound):
		hint := "see what would be published with: vade publish"
		if !f.request.User && strings.Contains(err.Error(), " layer user") {
			hint = "add --user"
		}
		return failure{strings.TrimPrefix(err.Error(), "vade: "), hint}
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
	steps, err := a.putSite(ctx, p, f)
	differs := errors.Is(err, export.ErrDiffers)
	switch {
	case errors.Is(err, publish.ErrTarget):
		return usage{failure{strings.TrimPrefix(err.Error(), "vade: "), "name a directory of its own: --well-known site"}}
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
		return failure{strings.TrimPrefix(err.Error(), "vade: "), hint}
	}
	if len(p.Diagnostics) > 0 {
		return silent{exitFailed}
	}
	return nil
}

// putSite writes the site, or says what writing it would do.
func (a *app) putSite(ctx context.Context, p *publish.Publication, f publishFlags) (steps []publish.Step, err error) {
	switch {
	case f.out != "" && f.dryRun:
		return p.Plan(ctx, f.out, f.force)
	case f.out != "":
		steps, err = p.Write(ctx, f.out, f.force)
	}
	return steps, err
}

func (a *app) printPublication(p *publish.Publication, steps []publish.Step, f publishFlags) error {
	if a.json {
		return a.printJSON(struct {
			Skills      []publish.PublishedSkill `json:"skills"`
			Steps       []publish.Step           `json:"steps,omitempty"`
			Diagnostics []diag.Diagnostic        `json:"diagnostics"`
		}{append([]publish.PublishedSkill{}, p.Skills...), steps, append([]diag.Diagnostic{}, p.Diagnostics...)})
	}
	out := a.stdout()
	if len(p.Skills) > 0 && f.out == "" && steps == nil {
		t := terminal.Table{Columns: []terminal.Column{
			{Title: "SKILL", Style: terminal.Bold}, {Title: "FILES"}, {Title: "BYTES"}, {Title: "URL", Style: terminal.Dim}, {Title: "DESCRIPTION", Flexible: true},
		}}
		for _, s := range p.Skills {
			t.Row(terminal.Cell{Text: s.Name}, terminal.Cell{Text: fmt.Sprint(s.Files)}, terminal.Cell{Text: fmt.Sprint(s.Bytes)}, terminal.Cell{Text: s.URL}, terminal.Cell{Text: s.Description})
		}
		if err := t.Print(out); err != nil {
			return err
		}
	}
	count := map[string]int{}
	for _, s := range steps {
		count[s.Change]++
		line := ""
		switch {
		case s.Problem != "":
			// It is among the diagnostics.
		case s.Change == "keep":
			line = out.Paint(terminal.Yellow, "kept") + " " + terminal.EscapeLine(s.Path+": it was changed since it was published")
		case f.dryRun && s.Change != "same":
			line = s.Change + " " + terminal.EscapeLine(s.Path)
		}
		if line != "" {
			if _, err := fmt.Fprintln(out, line); err != nil {
				return err
			}
		}
	}
	for _, d := range p.Diagnostics {
		if err := terminal.PrintDiagnostic(out, d); err != nil {
			return err
		}
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
	_, err := fmt.Fprintln(out, out.Paint(terminal.Dim, terminal.EscapeLine(line)))
	return err
}
