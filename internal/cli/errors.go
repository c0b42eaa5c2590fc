package cli

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/ledger"
	"github.com/vadehq/vade/internal/terminal"
)

// Exit codes. A command that found problems returns exitFailure.
const (
	exitOK = iota
	exitFailure
	exitUsage
)

// silent is returned by a command that has already reported its failure. code is the exit code.
type silent struct{ code int }

func (silent) Error() string { return "" }

// failure is an error with a hint for fixing it.
type failure struct{ message, hint string }

func (f failure) Error() string { return f.message }

// usage marks an error as a usage error, which has its own exit code.
type usage struct{ error }

func (u usage) Unwrap() error { return u.error }

// hint pairs an error with advice for it. If usage is set, the error is a usage error.
type hint struct {
	is    error
	usage bool
	text  string
}

// withHint adds the advice of the first matching hint to err.
func withHint(err error, hints ...hint) error {
	for _, h := range hints {
		switch {
		case !errors.Is(err, h.is):
		case h.usage:
			return usage{failure{withoutProgramName(err), h.text}}
		default:
			return failure{withoutProgramName(err), h.text}
		}
	}
	return err
}

func (a *app) exit(err error) int {
	var s silent
	var u usage
	var f failure
	var e *definition.Error
	if err == nil && a.out != nil {
		err = a.out.Err()
	}
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &s):
		return s.code
	case errors.As(err, &u): // Usage errors have their own hint.
	case strings.HasPrefix(err.Error(), "unknown command"):
		// Replace cobra's message.
		names := []string{"help"}
		for _, c := range commandTable() {
			names = append(names, c.name)
		}
		err = unknownCommand("vade", a.commandName(), names)
	case errors.As(err, &e):
		err = failure{e.Message, e.Fix}
	case errors.Is(err, catalog.ErrNoHome):
		err = failure{withoutProgramName(err), "set HOME to your home directory"}
	}
	// Parsing stops at a usage error, so --no-color and --json may not have been parsed.
	given := a.args
	if i := slices.Index(given, "--"); i >= 0 {
		given = given[:i]
	}
	a.noColor = a.noColor || slices.Contains(given, "--no-color")
	a.json = a.json || errors.As(err, &u) && slices.Contains(given, "--json")
	if a.json && !a.jsonPrinted {
		_ = a.printJSON(map[string]string{"error": withoutProgramName(err)})
	}
	out := a.stderr()
	out.Label(terminal.Red, "vade: error:", "%s", withoutProgramName(err))
	if errors.As(err, &f); f.hint != "" {
		out.Label(terminal.Cyan, "vade: hint:", "%s", f.hint)
	}
	if errors.As(err, &u) {
		return exitUsage
	}
	if errors.Is(err, ledger.ErrVersion) {
		return exitRefused
	}
	return exitFailure
}

// withoutProgramName returns err's message without the program name.
func withoutProgramName(err error) string {
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	return strings.TrimPrefix(err.Error(), "vade: ")
}

// failIf returns err or, if err is nil and the command found problems, an error with exit code 1.
func failIf(problems bool, err error) error {
	if err == nil && problems {
		return silent{exitFailure}
	}
	return err
}
