package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/config"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/terminal"
	"github.com/vadehq/vade/internal/textdiff"
	"github.com/vadehq/vade/internal/vfs"
)

// initPlan holds what vade init found and would write.
type initPlan struct {
	Directory string                `json:"directory"`
	Hosts     []catalog.CheckedHost `json:"hosts"`
	Sources   []string              `json:"sources"`
	// Instructions lists the project-wide instruction files. The first is the source of the others.
	Instructions []instructionFile `json:"instructions"`
	// Text is the content of vade.yaml.
	Text string `json:"text"`
	Done bool   `json:"done"`
}

// instructionFile is a project-wide instruction file.
type instructionFile struct {
	Path string `json:"path"`
	// Differs reports whether the file's text differs from the source's text, and Diff shows the
	// differences. If the text differs, Hosts lists the hosts for which vade.yaml excludes the file
	// from vade sync.
	Differs bool     `json:"differs,omitempty"`
	Diff    string   `json:"diff,omitempty"`
	Hosts   []string `json:"hosts,omitempty"`
	text    string
}

func (a *app) initCommand() *cobra.Command {
	var dryRun bool
	c := &cobra.Command{
		Use: "init", Short: "Create vade.yaml for the project's hosts and files",
		Long: `Show the project's hosts, sources and instruction files, and write vade.yaml after you
confirm. No other file is changed, moved or removed.

If AGENTS.md exists, it is the source of instructions for the whole project. A file such
as CLAUDE.md with the same text is kept up to date by vade sync. If its text differs,
vade init shows the difference and excludes the file from vade sync, so that no text is
lost. To merge two files, move the text to AGENTS.md, remove the other file and the
exclusion, and run vade sync.

Exit codes: 0 written or nothing to do, 1 failure or not confirmed, 2 invalid usage.`,
		Example: "  vade init\n  vade init --dry-run\n  vade init --yes",
		RunE:    func(c *cobra.Command, _ []string) error { return a.runInit(c.Context(), dryRun) },
	}
	a.yesFlag(c)
	c.Flags().BoolVarP(&dryRun, "dry-run", "n", false, "show vade.yaml and write nothing")
	return c
}

func (a *app) runInit(ctx context.Context, dryRun bool) error {
	cat, err := a.open(ctx, catalog.Options{})
	if err != nil {
		return err
	}
	defer cat.Close()
	tree := cat.Quick.Project
	if tree == nil {
		return failure{"no project found here", "run the command in a directory that you can read"}
	}
	if _, err := tree.Lstat(config.File); err == nil {
		return failure{config.File + " already exists", "edit it; see: vade help vade-yaml"}
	}
	p, err := planInit(ctx, cat, tree)
	if err != nil {
		return err
	}
	if !a.json {
		a.printInit(p)
	}
	if !dryRun {
		if len(p.Hosts) == 0 {
			return failure{"nothing was written: no hosts are in use in this project", "create definitions with vade new, or set hosts in " + config.File}
		}
		if err := a.confirmChange(ctx, "Write "+config.File+"?"); err != nil {
			return err
		}
		w, err := tree.Writer(vfs.WriterOptions{})
		if err != nil {
			return err
		}
		defer w.Close()
		if err := w.Create(config.File, []byte(p.Text), false); err != nil {
			return fmt.Errorf("vade: %s: %w", config.File, catalog.Cause(err))
		}
		p.Done = true
	}
	if a.json {
		return a.printJSON(p)
	}
	if p.Done {
		a.stderr().Line(terminal.Green, "vade: created %s; to see what vade sync would do, run: vade sync --dry-run", config.File)
	}
	return nil
}

// planInit finds the hosts, sources and instruction files.
func planInit(ctx context.Context, cat *catalog.Catalog, tree *vfs.Tree) (*initPlan, error) {
	inUse, err := cat.HostsInUse(ctx)
	if err != nil {
		return nil, err
	}
	p := &initPlan{Directory: tree.Dir(), Hosts: []catalog.CheckedHost{}, Sources: []string{}, Instructions: []instructionFile{}}
	for _, h := range inUse {
		if slices.Contains(config.Hosts(), h.Host) {
			p.Hosts = append(p.Hosts, h)
		}
	}
	// AGENTS.md comes first because most hosts read it.
	files := []string{"AGENTS.md", "CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md"}
	for _, file := range files {
		typ, err := tree.Lstat(file)
		data, readErr := tree.ReadFile(file, 1<<20)
		if err != nil || readErr != nil || typ != vfs.File {
			continue
		}
		f := instructionFile{Path: file, text: string(data)}
		if len(p.Instructions) > 0 {
			source := p.Instructions[0]
			if f.Differs = strings.TrimSpace(f.text) != strings.TrimSpace(source.text) && strings.TrimSpace(f.text) != "@"+source.Path; f.Differs {
				f.Diff = textdiff.Diff(file, source.text, f.text)
			}
		}
		p.Instructions = append(p.Instructions, f)
	}
	p.Sources = []string{".agents", ".github"}
	if len(p.Instructions) > 0 && p.Instructions[0].Path == files[0] {
		// List the directories in .github individually to leave out copilot-instructions.md.
		p.Sources = []string{".agents", files[0], ".github/skills", ".github/commands", ".github/prompts", ".github/agents", ".github/instructions"}
	}
	p.Text = "version: 1\nsource: [" + strings.Join(p.Sources, ", ") + "]\n"
	var names, excluded []string
	for _, h := range p.Hosts {
		names = append(names, h.Host)
		profile, _ := registry.Lookup(h.Host)
		for i := range p.Instructions {
			f := &p.Instructions[i]
			x := profile.Export.Instructions
			if f.Differs && x != nil && x.Whole == f.Path {
				f.Hosts = append(f.Hosts, h.Host)
				excluded = append(excluded, "    "+h.Host+": [instructions]\n")
			}
		}
	}
	p.Text += "hosts: [" + strings.Join(names, ", ") + "]\n"
	if len(excluded) > 0 {
		p.Text += "sync:\n  exclude:\n" + strings.Join(excluded, "")
	}
	return p, nil
}

func (a *app) printInit(p *initPlan) {
	out := a.stdout()
	for _, h := range p.Hosts {
		out.Line(terminal.Plain, "host          %s: %s", h.Host, h.Why)
	}
	for i, f := range p.Instructions {
		switch {
		case i == 0:
			out.Line(terminal.Plain, "instructions  %s", f.Path)
		case f.Differs && len(f.Hosts) == 0:
			out.Line(terminal.Yellow, "differs       %s: kept", f.Path)
			_ = printDiff(out, f.Diff)
		case f.Differs:
			out.Line(terminal.Yellow, "differs       %s: kept, and excluded from vade sync", f.Path)
			_ = printDiff(out, f.Diff)
		case !slices.Contains(p.Sources, p.Instructions[0].Path): // vade sync does not read that file.
			out.Line(terminal.Plain, "same          %s: the same text as %s", f.Path, p.Instructions[0].Path)
		default:
			out.Line(terminal.Green, "same          %s: vade sync keeps it up to date", f.Path)
		}
	}
	out.Line(terminal.Bold, "%s:", config.File)
	for line := range strings.Lines(p.Text) {
		out.Line(terminal.Plain, "  %s", strings.TrimSuffix(line, "\n"))
	}
}
