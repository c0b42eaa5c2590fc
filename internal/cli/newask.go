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
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/scaffold"
	"github.com/vadehq/vade/internal/terminal"
)

// The bounds of questions: how often one is asked again, and how long an answer is, in
// bytes.
const (
	maxAsked  = 5
	maxAnswer = 16 << 10
)

// questions asks a person for what no flag says. Nothing is written before the last
// answer.
type questions struct {
	ctx   context.Context
	lines <-chan string
	out   *terminal.Writer
}

// newQuestions reads answers from a stream, line by line, until it ends.
func newQuestions(ctx context.Context, in io.Reader, out *terminal.Writer) *questions {
	lines := make(chan string)
	// A read of a terminal does not end with the context; the process does.
	go func() {
		defer close(lines)
		r := bufio.NewReaderSize(in, maxAnswer)
		for {
			line, more, err := r.ReadLine()
			if err != nil || more {
				return
			}
			select {
			case lines <- string(line):
			case <-ctx.Done():
				return
			}
		}
	}()
	return &questions{ctx: ctx, lines: lines, out: out}
}

// ask asks a question until an answer is taken; an empty one is without.
func (q *questions) ask(question, without string, take func(answer string) error) error {
	for range maxAsked {
		text := terminal.EscapeLine(question)
		if without != "" {
			text += " [" + terminal.EscapeLine(without) + "]"
		}
		if _, err := fmt.Fprint(q.out, q.out.Paint(terminal.Bold, text)+" "); err != nil {
			return err
		}
		answer := without
		select {
		case <-q.ctx.Done():
			return q.ctx.Err()
		case line, ok := <-q.lines:
			if !ok {
				fmt.Fprintln(q.out)
				return failure{"the answers ended, so nothing was written", "say it with flags: vade new --help"}
			}
			if line = strings.TrimSpace(line); line != "" {
				answer = line
			}
		}
		err := take(answer)
		if err == nil {
			return nil
		}
		q.fault(err)
	}
	return failure{"no answer could be used, so nothing was written", "say it with flags: vade new --help"}
}

// complete asks for what a request lacks, shows what will be made, and asks whether it
// should be.
func (q *questions) complete(r *scaffold.Request, try func(scaffold.Request) (*scaffold.Result, error)) error {
	given := *r
	steps := []struct {
		needed func() bool
		ask    func() error
	}{
		{func() bool { return r.Kind == 0 }, func() error { return q.kind(r) }},
		{func() bool { return r.Name == "" || scaffold.CheckName(r.Kind, r.Name) != nil }, func() error { return q.name(r) }},
		{func() bool { return r.From == "" }, func() error { return q.template(r) }},
		{func() bool { return r.Description == "" }, func() error { return q.description(r) }},
		{
			func() bool {
				return len(r.Arguments) == 0 && r.ArgumentHint == "" && (r.Kind == definition.Skill || r.Kind == definition.Command)
			},
			func() error {
				return q.words("Names of its arguments, with blanks between them (none)", &r.Arguments)
			},
		},
		{
			func() bool { return len(r.Paths) == 0 && r.Kind == definition.Instruction },
			func() error {
				return q.patterns(r)
			},
		},
		{func() bool { return len(given.Hosts) == 0 && !given.User && given.Dir == "" }, func() error { return q.place(r) }},
	}
	for _, s := range steps {
		if !s.needed() {
			continue
		}
		if err := s.ask(); err != nil {
			return err
		}
	}
	if r.Plan {
		return nil
	}
	result, err := q.plan(r, &given, try)
	if err != nil {
		return err
	}
	for i := range result.Losses {
		printNewLoss(q.out, &result.Losses[i])
	}
	for i := range result.Files {
		fmt.Fprintf(q.out, "  %s\n", terminal.EscapeLine(shownPath(result, &result.Files[i], r)))
	}
	write := false
	err = q.ask("Write it?", "yes", func(answer string) error {
		switch strings.ToLower(answer) {
		case "y", "yes":
			write = true
			return nil
		case "n", "no":
			return nil
		}
		return errors.New("answer yes or no")
	})
	if err == nil && !write {
		fmt.Fprintln(q.out, "Nothing was written.")
		err = silent{exitFailed}
	}
	return err
}

// plan finds out what would be made. An answer that does not do is asked for again; the
// others stay.
func (q *questions) plan(r, given *scaffold.Request, try func(scaffold.Request) (*scaffold.Result, error)) (*scaffold.Result, error) {
	for range maxAsked {
		plan := *r
		plan.Plan = true
		result, err := try(plan)
		if err == nil {
			return result, nil
		}
		fault := newFailure(err)
		var again func(*scaffold.Request) error
		switch asksPlace := len(given.Hosts) == 0 && !given.User && given.Dir == ""; {
		case errors.Is(err, scaffold.ErrHost) && len(given.Paths) == 0 && len(r.Paths) > 0:
			again = func(r *scaffold.Request) error {
				if err := q.patterns(r); err != nil || !asksPlace {
					return err
				}
				return q.place(r)
			}
		case asksPlace && (errors.Is(err, scaffold.ErrHost) || errors.Is(err, scaffold.ErrNewPlace) || r.Kind == definition.Instruction && len(r.Hosts) > 0 && errors.Is(err, scaffold.ErrNewExists)):
			again = q.place
		case given.Name == "" && (errors.Is(err, scaffold.ErrNewExists) || errors.Is(err, scaffold.ErrName)):
			again = func(r *scaffold.Request) error { r.Name = ""; return q.name(r) }
		}
		if again == nil {
			return nil, fault
		}
		q.fault(err)
		if err := again(r); err != nil {
			return nil, err
		}
	}
	return nil, failure{"no answer could be used, so nothing was written", "say it with flags: vade new --help"}
}

// fault says what is wrong with an answer.
func (q *questions) fault(err error) {
	message := strings.TrimPrefix(err.Error(), "vade: ")
	var e *scaffold.Error
	if errors.As(err, &e) && e.Fix != "" {
		message += "; " + e.Fix
	}
	fmt.Fprintf(q.out, "  %s\n", q.out.Paint(terminal.Yellow, terminal.EscapeLine(message)))
}

func (q *questions) kind(r *scaffold.Request) error {
	return q.ask("What is it: "+strings.Join(newKinds(), ", ")+"?", "skill", func(answer string) error {
		k, ok := definition.ParseKind(strings.ToLower(answer))
		if !ok {
			return errors.New("answer one of: " + strings.Join(newKinds(), ", "))
		}
		r.Kind = k
		return nil
	})
}

func (q *questions) name(r *scaffold.Request) error {
	if r.Name != "" {
		fmt.Fprintf(q.out, "  %s\n", terminal.EscapeLine(strings.TrimPrefix(scaffold.CheckName(r.Kind, r.Name).Error(), "vade: ")))
	}
	return q.ask("Its name:", "", func(answer string) error {
		if err := scaffold.CheckName(r.Kind, answer); err != nil {
			return err
		}
		r.Name = answer
		return nil
	})
}

func (q *questions) template(r *scaffold.Request) error {
	list := scaffold.Templates(r.Kind)
	names := templateNames([]string{r.Kind.String()})
	for _, t := range list {
		fmt.Fprintf(q.out, "  %-12s %s\n", t.Name, t.About)
	}
	return q.ask("Begin with:", names[0], func(answer string) error {
		if !slices.Contains(names, answer) {
			return errors.New("answer one of: " + strings.Join(names, ", "))
		}
		r.From = answer
		return nil
	})
}

// description asks for what models and people choose by. A text that is copied has one.
func (q *questions) description(r *scaffold.Request) error {
	own := slices.Contains(templateNames([]string{r.Kind.String()}), r.From)
	question := "What it does, and when to use it:"
	if !own {
		question = "What it does, and when to use it (as in " + r.From + "):"
	}
	return q.ask(question, "", func(answer string) error {
		if answer == "" && own && r.Kind != definition.Instruction {
			return errors.New("models and people choose by it, so it needs one")
		}
		r.Description = answer
		return nil
	})
}

func (q *questions) patterns(r *scaffold.Request) error {
	return q.words("Patterns of the files that it is for, with blanks between them (all)", &r.Paths)
}

func (q *questions) words(question string, to *[]string) error {
	return q.ask(question+":", "", func(answer string) error {
		*to = strings.Fields(answer)
		return nil
	})
}

func (q *questions) place(r *scaffold.Request) error {
	return q.ask("Where: project, user (for all your projects), or names of hosts?", "project", func(answer string) error {
		hosts := strings.FieldsFunc(answer, func(c rune) bool { return c == ' ' || c == ',' })
		r.User, r.Hosts = answer == "user", nil
		if answer == "project" || r.User {
			return nil
		}
		for _, h := range hosts {
			if !slices.Contains(export.Hosts(), h) {
				return fmt.Errorf("no host is named %q; hosts are %s", h, strings.Join(export.Hosts(), ", "))
			}
		}
		r.Hosts = hosts
		return nil
	})
}
