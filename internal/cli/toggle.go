package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/terminal"
	"github.com/vadehq/vade/internal/toggle"
	"github.com/vadehq/vade/internal/vfs"
)

// toggleFlags holds the flags for vade enable and vade disable.
type toggleFlags struct {
	hosts []string
	dry   bool
	toggle.Request
}

func (a *app) disable() *cobra.Command { return a.toggle(false) }
func (a *app) enable() *cobra.Command  { return a.toggle(true) }

func (a *app) toggle(enable bool) *cobra.Command {
	f := toggleFlags{Request: toggle.Request{Enable: enable}}
	verb, other, short := "disable", "enable", "Disable a skill or plugin in hosts' settings"
	if enable {
		verb, other, short = "enable", "disable", "Enable a skill or plugin that host settings disable"
	}
	c := &cobra.Command{
		Use: verb + " NAME", Short: short,
		Long: strings.ToUpper(verb[:1]) + verb[1:] + ` a skill, or a plugin (NAME@MARKETPLACE), in the settings files that each host reads.
Vade shows the change as a diff and makes it after you confirm. The rest of a file,
including comments, is unchanged, and "vade ` + other + `" undoes the change. Without
--host, Vade changes the settings of the hosts in use that have the definition. Claude
Code's setting goes in .claude/settings.local.json, the file that Claude Code's own menu
writes to. Codex and Copilot CLI support the setting only in your home directory; for
Copilot CLI, the change applies to all your projects. For a host without such a setting,
Vade prints what to do instead.

--json prints {"changes", "written"}: each change has host, scope, path, setting and
action (create, edit, delete or none), or a problem and its fix.

Exit codes: 0 done or nothing to do, 1 failure or a host that cannot be changed, 2
invalid usage.`,
		Example: "  vade " + verb + " review\n  vade " + verb + " review --host codex,gemini --dry-run\n  vade " + verb + " review-tools@acme --host claude-code --user",
		Args:    checkArgs("specify a skill or a plugin: vade " + verb + " NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			f.Name = strings.TrimPrefix(args[0], "skill:")
			return a.runToggle(c.Context(), f, verb, other)
		},
	}
	hostsFlag(c, &f.hosts, verb+" it for `HOST` (may be repeated; default: the hosts in use)", registry.RealNames)
	c.Flags().BoolVar(&f.User, "user", false, "change your user settings, for all projects")
	a.yesFlag(c)
	c.Flags().BoolVarP(&f.dry, "dry-run", "n", false, "show the changes without making them")
	return c
}

func (a *app) runToggle(ctx context.Context, f toggleFlags, verb, other string) error {
	o, err := a.options(catalog.Options{})
	if err != nil {
		return err
	}
	if f.Hosts = f.hosts; len(f.Hosts) == 0 {
		if f.Hosts, err = toggle.Hosts(ctx, o, f.User); err != nil {
			return err
		}
		if len(f.Hosts) == 0 {
			where := "this project or your home directory"
			if f.User {
				where = "your home directory"
			}
			return failure{"no hosts are in use in " + where, "specify one: vade " + verb + " " + f.Name + " --host HOST"}
		}
	}
	if a.yes && !f.dry {
		release, err := toggle.Lock(ctx, o)
		if errors.Is(err, vfs.ErrBusy) {
			err = failure{"another vade enable or vade disable is changing your settings", "wait until it ends, then run the command again"}
		}
		if err != nil {
			return err
		}
		defer release()
	}
	changes, err := toggle.Plan(ctx, o, f.Request)
	if err != nil {
		return err
	}
	isMissing := func(c *toggle.Change) bool { return c.Missing }
	if len(f.hosts) == 0 && slices.ContainsFunc(changes, func(c *toggle.Change) bool { return !c.Missing }) {
		changes = slices.DeleteFunc(changes, isMissing)
	}
	code, todo := exitOK, []string{}
	for _, c := range changes {
		e := a.stderr()
		switch {
		case c.Problem != "":
			code = exitFailure
			e.Label(terminal.Yellow, "vade: warning:", "%s: %s", c.Host, c.Problem)
			e.Label(terminal.Cyan, "vade: hint:", "%s", c.Fix)
		case c.Action == "none":
			e.Line(terminal.Plain, "vade: %s: %s is already %sd", c.Host, f.Name, verb)
		default:
			todo = append(todo, c.Host)
			if !a.json {
				if err := printDiff(a.stdout(), c.Diff()); err != nil {
					return err
				}
			}
			if c.Scope == "user" && !f.User {
				e.Line(terminal.Plain, "vade: %s supports this setting only in your home directory: %s", c.Host, c.Path)
			}
		}
	}
	if len(todo) > 0 && !f.dry {
		if err := a.confirmChange(ctx, strings.ToUpper(verb[:1])+verb[1:]+" "+terminal.EscapeLine(f.Name)+" for "+strings.Join(todo, ", ")+"?"); err != nil {
			return err
		}
		for _, c := range changes {
			if err := c.Write(); err != nil {
				return withHint(err, hint{vfs.ErrChanged, false, "run the command again"})
			}
		}
	}
	if a.json {
		if err := a.printJSON(struct {
			Changes []*toggle.Change `json:"changes"`
			Written bool             `json:"written"`
		}{changes, len(todo) > 0 && !f.dry}); err != nil {
			return err
		}
	} else if len(todo) > 0 && !f.dry {
		undo := fmt.Sprintf("vade %s %s --host %s", other, f.Name, strings.Join(todo, ","))
		if f.User {
			undo += " --user"
		}
		a.stderr().Line(terminal.Green, "vade: %sd %s for %s; to undo, run: %s", verb, f.Name, strings.Join(todo, ", "), undo)
	}
	if code != exitOK {
		return silent{code}
	}
	return nil
}
