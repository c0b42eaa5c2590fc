package cli

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/internal/catalog"
)

// yesFlag adds --yes, which suppresses confirmation prompts.
func (a *app) yesFlag(c *cobra.Command) {
	c.Flags().BoolVarP(&a.yes, "yes", "y", false, "do not ask for confirmation")
}

// canAsk reports whether the user can be asked questions.
func (a *app) canAsk() bool { return a.isTerminal(a.world.Stdin) && a.stderr().IsTerminal() }

// asks reports whether commands ask for confirmation before they make changes.
func (a *app) asks() bool { return !a.yes && !a.json && a.canAsk() }

// ask returns a.questions, which asks all of a command's questions because stdin must have only one
// reader. fallback tells the user what to do if there is no valid answer.
func (a *app) ask(ctx context.Context, fallback string) *questions {
	if a.questions == nil {
		a.questions = newQuestions(ctx, a.world.Stdin, a.stderr(), "")
	}
	a.questions.fallback = fallback
	return a.questions
}

// confirm asks a yes-or-no question unless --yes is set. It returns an error if the user answers no
// or cannot be asked. outcome is the error message, such as "nothing was changed", and fallback is
// the hint for a user who did not answer.
func (a *app) confirm(ctx context.Context, question, outcome, fallback string) error {
	switch {
	case a.yes:
		return nil
	case !a.asks():
		why := " without a terminal"
		if a.canAsk() {
			why = " with --json"
		}
		return failure{outcome + ": cannot ask for confirmation" + why, fallback}
	}
	yes := false
	err := a.ask(ctx, fallback).ask(question+" [y/N]", func(answer string) error {
		yes = strings.EqualFold(answer, "y") || strings.EqualFold(answer, "yes")
		return nil
	})
	if err == nil && !yes {
		err = failure{outcome, ""}
	}
	return err
}

// confirmChange asks the user to confirm the changes shown.
func (a *app) confirmChange(ctx context.Context, question string) error {
	return a.confirm(ctx, question, "nothing was changed", "to see the changes, use --dry-run; to make them, use --yes")
}

// confirmWrite asks whether to make the n changes that were printed. noun says what would be
// written, such as "file". It does not ask if n is zero, if there is no terminal, or if --json or
// --yes is set.
func (a *app) confirmWrite(ctx context.Context, n int, noun string) error {
	if n == 0 || !a.asks() {
		return nil
	}
	return a.confirm(ctx, "Write "+plural(n, noun)+"?", "nothing was written", "use --yes to write without asking")
}

// confirmFile prints a file's text on a terminal and asks whether to write the file.
func (a *app) confirmFile(ctx context.Context, text string) error {
	if a.asks() {
		a.printText(text)
	}
	return a.confirmWrite(ctx, 1, "file")
}

// reviewed runs a command that writes files. On a terminal, it first prints the plan and asks for
// confirmation. run returns the number of changes; run(true) only prints the plan.
func (a *app) reviewed(ctx context.Context, dry bool, run func(dry bool) (changes int, err error)) error {
	if !dry && a.asks() {
		a.reviewing = true
		n, err := run(true)
		a.reviewing = false
		if err == nil && n > 0 {
			err = a.confirmWrite(ctx, n, "file")
		}
		if err != nil || n == 0 {
			return err
		}
		a.shown = true
	}
	_, err := run(dry)
	return err
}

// askBeforeWalk asks for confirmation before a command searches the whole file system or home
// directory. A command searches the given paths or, if there are none, the project directory.
func (a *app) askBeforeWalk(ctx context.Context, command string, given ...string) error {
	if a.yes {
		return nil
	}
	paths := given
	if len(paths) == 0 {
		cat, err := a.open(ctx, catalog.Options{ProjectOnly: true})
		if err != nil {
			return nil // The command will report this error.
		}
		paths = []string{cat.ProjectDir()}
		cat.Close()
	}
	command = strings.Join(append([]string{command}, given...), " ")
	home, _ := filepath.EvalSymlinks(a.getenv("HOME"))
	for _, dir := range paths {
		dir, err := filepath.Abs(a.resolvePath(dir))
		if err != nil {
			continue
		}
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real
		}
		if dir != filepath.Dir(dir) && dir != home {
			continue
		}
		hint := "specify a subdirectory"
		if strings.HasPrefix(command, "list ") { // vade list does not take a path.
			hint = "use -C to search a subdirectory"
		}
		hint += ", or run: vade " + command + " --yes"
		if !a.asks() {
			return usage{failure{"not searching all of " + dir + " without confirmation", hint}}
		}
		if err := a.confirm(ctx, "Search all of "+dir+"? This can take several minutes.", "nothing was searched", hint); err != nil {
			return err
		}
	}
	return nil
}
