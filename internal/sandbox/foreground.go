package sandbox

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
)

// Foreground is a user-specified program that uses the terminal, such as a pager. Unlike
// [Unsandboxed], it stays in the process group that can read from the terminal.
type Foreground struct {
	// Args holds the program and its arguments, which no shell parses. The
	// program is an absolute path, or a name that [Find] looks up with Search.
	Args   []string
	Search Search
	// Env is the environment, as "NAME=value".
	Env            []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// Run runs the program until it exits. If the program did not start, the error
// wraps [ErrNotStarted].
func (f Foreground) Run(ctx context.Context) error {
	program, err := f.Args[0], error(nil)
	if !filepath.IsAbs(program) {
		program, err = Find(program, f.Search)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotStarted, err)
	}
	cmd := exec.CommandContext(ctx, program, f.Args[1:]...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = f.Env, f.Stdin, f.Stdout, f.Stderr
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%w: %w", ErrNotStarted, err)
	}
	return cmd.Wait()
}
