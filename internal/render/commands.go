package render

import (
	"fmt"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/body"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/shell"
)

// findCommands returns the commands in text according to a template's syntax. unclosed is the
// offset of an unclosed command, or -1.
func findCommands(s *host.ShellSyntax, text string) (list []body.Injection, unclosed int) {
	if s.Braces {
		return body.Braced(text, s.Open, MaxReported+1)
	}
	return body.Enclosed(text, s.Open, s.Close, MaxReported+1), -1
}

// commands replaces the commands in text with their output. It checks all
// commands, including their arguments, before it runs the first one.
func (r *templateRenderer) commands(m marked, step *host.Step) marked {
	s := step.Shell
	list, unclosed := findCommands(s, m.text)
	if unclosed >= 0 {
		r.unclosed(m.text, s.Open, unclosed)
		return m
	}
	if len(list) > MaxReported {
		r.report(diag.FileLimit, "only the first %d commands in a body are processed", MaxReported)
		list = list[:MaxReported]
	}
	var run []ShellCommand
	for i, place := range list {
		c := r.command(m, s, place, len(run))
		if r.out.Error != nil {
			r.out.Error.Command, r.out.Error.Total = i, len(list)
			return m
		}
		if place.Text != "" {
			run = append(run, c)
		}
	}
	var results []ShellResult
	if len(run) > 0 {
		r.out.Ran += len(run)
		results = r.runner.RunShell(r.ctx, run)
	}
	var to markedBuilder
	at, ran := 0, 0
	for i, place := range list {
		r.between(&to, m.part(at, place.Span.Start), step)
		at = place.Span.End
		if place.Text == "" {
			continue
		}
		pattern := m.text[place.Span.Start:place.Span.End]
		output := r.resultText(s, pattern, run[ran].Text, results[ran])
		if ran++; r.out.Error != nil {
			r.out.Error.Command, r.out.Error.Total = i, len(list)
			return m
		}
		to.value(output, false)
	}
	r.between(&to, m.part(at, len(m.text)), step)
	return to.done()
}

// between copies text that contains no commands. If the step expands arguments, between also
// expands the argument placeholders in the text.
func (r *templateRenderer) between(to *markedBuilder, m marked, step *host.Step) {
	if step.Places != nil {
		m = r.fill(m, step.Places)
	}
	to.copy(m, 0, len(m.text))
}

// command builds a command from its text and the arguments. If Vade must not run the command, it
// aborts the invocation.
func (r *templateRenderer) command(m marked, s *host.ShellSyntax, place body.Injection, before int) ShellCommand {
	pattern := m.text[place.Span.Start:place.Span.End]
	if len(m.within(place.Span.Start, place.Span.Start+len(s.Open))) > 0 {
		r.refuse(s, pattern, place.Text, "the command comes from an argument or a file", ReasonForeign)
		return ShellCommand{}
	}
	if s.Close != "" && m.endsEarly(place.Span.End, s.Close) {
		r.refuse(s, pattern, place.Text, "an argument would end the command early", ReasonForeign)
		return ShellCommand{}
	}
	if place.Text == "" {
		return ShellCommand{}
	}
	c := ShellCommand{Text: place.Text, Bindings: boundWords(m, place.Inner)}
	if len(s.Quoted)+len(s.Plain) > 0 {
		var ok bool
		if c, ok = r.insert(s, place.Text); !ok {
			r.refuse(s, pattern, place.Text, "expanding an argument a second time would change the command", ReasonForeign)
			return c
		}
	}
	switch {
	case r.runner == nil:
		r.refuse(s, pattern, c.Text, "running commands is disabled", "")
	case r.in.CommandsBefore+r.out.Ran+before >= MaxCommands:
		r.refuse(s, pattern, c.Text, fmt.Sprintf("only the first %d commands in a request are run", MaxCommands), ReasonLimit)
	case !shell.SameShape(c.Text, c.Bindings):
		r.refuse(s, pattern, c.Text, "an argument would change the command, because it is not a single shell word", ReasonForeign)
	}
	return c
}

// insert expands the arguments in a command. It fails if the host would find
// placeholders in the inserted text.
func (r *templateRenderer) insert(s *host.ShellSyntax, text string) (ShellCommand, bool) {
	line := r.in.Called.Arguments
	var c ShellCommand
	var b strings.Builder
	for i := 0; i < len(text); {
		mark, quoted := placeholderAt(s, text, i)
		if mark == "" {
			b.WriteByte(text[i])
			i++
			continue
		}
		value := ""
		if quoted {
			value = s.Quote(line)
		} else {
			value = s.Bare(line)
		}
		again := replacement(value, text, i, i+len(mark)) != value
		for _, later := range s.Plain {
			again = again || quoted && strings.Contains(value, later)
		}
		if again || b.Len()+len(value) > MaxRendered {
			return c, false
		}
		at := b.Len()
		b.WriteString(value)
		if i += len(mark); quoted || value == s.Quote(line) {
			c.Bindings = append(c.Bindings, quotedRuns(value, at)...)
		} else {
			all := marked{text: value, foreign: []foreign{{0, len(value), true}}}
			for _, w := range boundWords(all, diag.Span{End: len(value)}) {
				w.Span = diag.Span{Start: at + w.Span.Start, End: at + w.Span.End}
				c.Bindings = append(c.Bindings, w)
			}
		}
	}
	c.Text = b.String()
	return c, true
}

// placeholderAt returns the argument placeholder that starts at offset i, or "" if there is none.
// quoted reports whether the host quotes the argument for a shell.
func placeholderAt(s *host.ShellSyntax, text string, i int) (mark string, quoted bool) {
	for _, m := range s.Quoted {
		if strings.HasPrefix(text[i:], m) {
			return m, true
		}
	}
	for _, m := range s.Plain {
		if strings.HasPrefix(text[i:], m) {
			return m, false
		}
	}
	return "", false
}

// quotedRuns returns the literal parts of an argument that is quoted for a shell, which are the
// parts between its quotes and backslashes.
func quotedRuns(value string, at int) []shell.Binding {
	var list []shell.Binding
	add := func(start, end int) {
		if start < end {
			list = append(list, shell.Binding{Span: diag.Span{Start: at + start, End: at + end}, Value: value[start:end], Argument: true})
		}
	}
	from, to := 0, len(value)
	single := false
	if n := len(value); n >= 2 && (value[0] == '\'' || value[0] == '"') && value[n-1] == value[0] {
		single, from, to = value[0] == '\'', 1, n-1
	}
	if single {
		add(from, to)
		return list
	}
	for i := from; i < to; i++ {
		if value[i] == '\\' && i+1 < to {
			add(from, i)
			i++
			from = i + 1
		}
	}
	add(from, to)
	return list
}

// resultText returns the text that the host inserts for a command's result.
func (r *templateRenderer) resultText(s *host.ShellSyntax, pattern, command string, result ShellResult) string {
	switch err := result.Error; {
	case err != nil && err.Code == diag.BashFailed && !result.Keep:
	case err != nil && err.Code == diag.BashNotAllowed:
		r.refuse(s, pattern, command, err.Message, err.Reason)
		r.out.Error.Fix = err.Fix
		return ""
	case err != nil:
		r.out.Error = &HostError{Code: err.Code, Message: err.Message, By: err.Message, Reason: err.Reason, Fix: err.Fix, Pattern: pattern}
		return ""
	case result.Keep:
		return pattern
	}
	output := result.Output
	if !s.ErrorsToo {
		output = result.Stdout
	}
	if !s.LineEnd {
		output = strings.TrimRight(output, "\r\n")
	}
	if result.NotRead > 0 {
		r.report(diag.FileProtected, "%s by %s", notSearched(result.NotRead), pattern)
	}
	if result.Truncated {
		r.report(diag.BashTruncated, "only the first %d bytes of the output of %s are included", len(output), pattern)
	}
	if s.Status != nil {
		output += s.Status(command, result.Exit)
	}
	return output
}

// refuse aborts the invocation because Vade does not run a command. It uses the
// host's message if the host has one.
func (r *templateRenderer) refuse(s *host.ShellSyntax, pattern, command, why, reason string) {
	message := "the command " + pattern + " is not run: " + why
	if s.Refused != nil {
		message = s.Refused(r.in.Name, command)
	}
	r.out.Error = &HostError{Code: diag.BashNotAllowed, Message: message, By: why, Reason: reason, Pattern: pattern}
}

// TemplateCommands returns the commands in a body according to its template's syntax. Argument
// placeholders in the commands are not replaced.
func TemplateCommands(t *host.Template, text string) []ShellCommand {
	var list []ShellCommand
	for i := range t.Steps {
		s := t.Steps[i].Shell
		if s == nil {
			continue
		}
		found, _ := findCommands(s, text)
		for _, place := range found {
			if place.Text != "" && len(list) < MaxReported {
				list = append(list, ShellCommand{Text: place.Text, Bindings: emptyPlaces(t, s, place.Text)})
			}
		}
	}
	return list
}

// TemplatePlaces returns the positions of the commands in a body.
func TemplatePlaces(t *host.Template, text string) []diag.Span {
	var list []diag.Span
	for i := range t.Steps {
		if s := t.Steps[i].Shell; s != nil {
			found, _ := findCommands(s, text)
			for _, place := range found {
				list = append(list, place.Span)
			}
		}
	}
	return list
}

// emptyPlaces returns the argument placeholders in a command as bindings that have no values.
func emptyPlaces(t *host.Template, s *host.ShellSyntax, command string) []shell.Binding {
	var list []shell.Binding
	add := func(span diag.Span) {
		list = append(list, shell.Binding{Span: span, Argument: true, Missing: true})
	}
	for i := 0; i < len(command); i++ {
		if mark, _ := placeholderAt(s, command, i); mark != "" {
			add(diag.Span{Start: i, End: i + len(mark)})
			i += len(mark) - 1
		}
	}
	if len(s.Quoted)+len(s.Plain) > 0 {
		return list
	}
	r := templateRenderer{}
	for i := range t.Steps {
		if p := t.Steps[i].Places; p != nil {
			whole := *p
			whole.Zero = func([]string, bool) string { return "" }
			for _, e := range r.edits(command, &whole) {
				add(e.span)
			}
		}
	}
	return list
}
