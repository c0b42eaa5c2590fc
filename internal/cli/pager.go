package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/sandbox"
)

// pagerFlag adds --no-pager.
func (a *app) pagerFlag(c *cobra.Command) {
	c.Flags().BoolVar(&a.noPager, "no-pager", false, "do not use a pager")
}

// paged calls print. If the output does not fit on the terminal, paged pipes it through the user's
// pager. A program inside the project is never started as a pager.
func (a *app) paged(ctx context.Context, print func() error) error {
	out := a.stdout()
	command := a.pager()
	if !out.IsTerminal() || len(command) == 0 {
		return print()
	}
	var text bytes.Buffer
	a.out = out.Buffered(&text)
	err := print()
	a.out = out
	if err != nil {
		return err
	}
	var cat *catalog.Catalog
	if bytes.Count(text.Bytes(), []byte("\n")) >= out.Height() {
		cat, err = a.open(ctx, catalog.Options{})
	}
	if cat == nil || err != nil {
		_, err := out.Write(text.Bytes())
		return err
	}
	defer cat.Close()
	env := os.Environ()
	if _, set := a.world.LookupEnv("LESS"); !set {
		// Like git, make less quit if the text fits, keep colors, and leave the text on the screen.
		env = append(env, "LESS=FRX")
	}
	search := sandbox.Search{Path: a.getenv("PATH")}
	if p := cat.Quick.Project; p != nil {
		search.Forbid = []string{p.Dir()}
	}
	err = sandbox.Foreground{
		Args: command, Search: search, Env: env, Stdin: bytes.NewReader(text.Bytes()), Stdout: a.world.Stdout, Stderr: a.world.Stderr,
	}.Run(ctx)
	if errors.Is(err, sandbox.ErrNotStarted) {
		_, err := out.Write(text.Bytes())
		return err
	}
	// The pager's exit code is unrelated to the command's result.
	return nil
}

// pager returns the pager's command line, or nil if no pager is to be used. It tries VADE_PAGER,
// PAGER and less, in that order.
func (a *app) pager() []string {
	if a.noPager || a.getenv("TERM") == "dumb" {
		return nil
	}
	for _, name := range []string{"VADE_PAGER", "PAGER"} {
		if value, set := a.world.LookupEnv(name); set {
			if command := strings.Fields(value); len(command) > 0 && command[0] != "cat" {
				return command
			}
			return nil
		}
	}
	return []string{"less"}
}
