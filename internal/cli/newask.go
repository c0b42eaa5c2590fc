package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/scaffold"
	"github.com/vadehq/vade/internal/terminal"
)

// maxAttempts is the maximum number of times to ask a question.
const maxAttempts = 5

// questions asks questions on a terminal until ctx is canceled.
type questions struct {
	ctx   context.Context
	lines chan string
	out   *terminal.Writer
	// fallback tells the user what to do if there is no valid answer.
	fallback string
}

func newQuestions(ctx context.Context, in io.Reader, out *terminal.Writer, fallback string) *questions {
	lines := make(chan string)
	// If ctx is canceled, this goroutine ends only when it has read another line.
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(in); s.Scan(); {
			select {
			case lines <- s.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	return &questions{ctx, lines, out, fallback}
}

// ask repeats the question until take accepts an answer, up to maxAttempts times.
func (q *questions) ask(question string, take func(answer string) error) error {
	for range maxAttempts {
		if _, err := fmt.Fprint(q.out, q.out.Paint(terminal.Bold, question)+" "); err != nil {
			return err
		}
		select {
		case <-q.ctx.Done():
			return q.ctx.Err()
		case line, ok := <-q.lines:
			if !ok {
				fmt.Fprintln(q.out)
				return failure{"input ended; nothing was changed", q.fallback}
			}
			err := take(strings.TrimSpace(line))
			if err == nil {
				return nil
			}
			message := withoutProgramName(err)
			if e, ok := errors.AsType[*scaffold.Error](err); ok {
				message += "; " + e.Fix
			}
			fmt.Fprintf(q.out, "  %s\n", q.out.Paint(terminal.Yellow, terminal.EscapeLine(message)))
		}
	}
	return failure{"no valid answer; nothing was changed", q.fallback}
}

// askNew asks for the kind, name and description if they are missing from the request.
func askNew(q *questions, r *scaffold.Request) error {
	ask := q.ask
	if r.Kind == 0 {
		kinds := strings.Join(newKinds(), ", ")
		if err := ask("Kind ("+kinds+"):", func(answer string) (err error) {
			var ok bool
			if r.Kind, ok = definition.ParseKind(strings.ToLower(answer)); !ok {
				return errors.New("answer one of: " + kinds)
			}
			return nil
		}); err != nil {
			return err
		}
	}
	if r.Name == "" {
		if err := ask("Name:", func(answer string) error {
			r.Name = answer
			return scaffold.CheckName(r.Kind, answer)
		}); err != nil {
			return err
		}
	}
	// A copy already has a description, and an instruction does not need one.
	isCopy := r.From != "" && !slices.Contains(templateNames([]string{r.Kind.String()}), r.From)
	if r.Description != "" || isCopy || r.Kind == definition.Instruction {
		return nil
	}
	return ask("Description (what it does and when to use it):", func(answer string) error {
		if r.Description = answer; answer == "" {
			return errors.New("required: models and people use it to choose a definition")
		}
		return nil
	})
}
