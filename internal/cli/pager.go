package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"

	"github.com/vadehq/vade/internal/sandbox"
	"github.com/vadehq/vade/internal/terminal"
)

// paged calls print, and shows the output in the user's pager if it does not fit on the terminal.
// Only the environment names the pager. A pager in the project is not started.
func (a *app) paged(ctx context.Context, project string, print func(*terminal.Writer) error) error {
	out := a.stdout()
	command := a.pager()
	if !out.IsTerminal() || len(command) == 0 {
		return print(out)
	}
	var text bytes.Buffer
	if err := print(out.Buffered(&text)); err != nil {
		return err
	}
	if bytes.Count(text.Bytes(), []byte("\n")) < out.Height() {
		_, err := out.Write(text.Bytes())
		return err
	}
	env := os.Environ()
	if _, set := a.world.LookupEnv("LESS"); !set {
		// As git does: quit if it fits, keep colors, keep the text on the screen.
		env = append(env, "LESS=FRX")
	}
	search := sandbox.Search{Path: a.getenv("PATH")}
	if project != "" {
		search.Forbid = []string{project}
	}
	err := sandbox.Foreground{
		Args: command, Search: search, Env: env, Stdin: bytes.NewReader(text.Bytes()), Stdout: a.world.Stdout, Stderr: a.world.Stderr,
	}.Run(ctx)
	if errors.Is(err, sandbox.ErrNotStarted) {
		_, err := out.Write(text.Bytes())
		return err
	}
	// The exit code of a pager says nothing about the command.
	return nil
}

// pager returns the command of the pager, or nil for none: VADE_PAGER, or else PAGER, or else
// less.
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
