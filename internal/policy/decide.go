package policy

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/coreutils"
	"github.com/vadehq/vade/internal/shell"
)

// Approval says whether the user has consented to the definition that a command
// comes from, as it stands now.
type Approval uint8

// The states of consent.
const (
	// ApprovalNone: nobody has consented.
	ApprovalNone Approval = iota
	// ApprovalChanged: the user has, but something has changed since.
	ApprovalChanged
	// ApprovalGiven: the user has consented to exactly this.
	ApprovalGiven
)

// DecisionContext is what a decision depends on beside the policy and the command.
type DecisionContext struct {
	// Mode is what the policy says of the source of the command.
	Mode Mode
	// Off says why Mode is Off, for messages.
	Off string
	// Approval is that to the definition, and Name its name for messages.
	Approval Approval
	Name     string
	// Allowed and Disallowed are the definition's own rules. They only narrow.
	Allowed, Disallowed []Rule
	// Roots are the absolute directories that commands may read, with forward
	// slashes; Dir is the working directory, which is in one of them. An empty
	// Dir is not known: then only absolute paths can be judged.
	Roots []string
	Dir   string
	// Missing reports that no directory of the user's PATH has a program of the
	// name, trusted or not. Without it no command is let through on that ground.
	Missing func(name string) bool
	// Expand gives the values of ${NAME} in rules.
	Expand func(name string) (value string, ok bool)
}

// Verdict is how a command line that is allowed runs.
type Verdict struct {
	// Argv is what runs. It may differ from what was judged by additions that
	// keep it from showing what is protected.
	Argv []string
	// Prepared is set for a command that runs in this process.
	Prepared *coreutils.Prepared
	// Missing: there is no such program, and nothing will run.
	Missing bool
	// Inner are the verdicts of the commands that this one runs (xargs).
	Inner []*Verdict
	// Call is set for a program that the tables know, Grant for one that the
	// user has granted. Where none of the three is, the shell does it itself.
	Call  *Call
	Grant *Grant
}

// Process reports whether a process has to be started.
func (v *Verdict) Process() bool { return v.Call != nil || v.Grant != nil }

// Grants returns the grants that the command and those that it runs need.
func (v *Verdict) Grants() []*Grant {
	var list []*Grant
	if v.Grant != nil {
		list = append(list, v.Grant)
	}
	for _, inner := range v.Inner {
		list = append(list, inner.Grants()...)
	}
	return list
}

// NotInstalled returns the names of the programs that are missing, of the command
// and of those that it runs.
func (v *Verdict) NotInstalled() []string {
	var list []string
	if v.Missing {
		list = append(list, v.Argv[0])
	}
	for _, inner := range v.Inner {
		list = append(list, inner.NotInstalled()...)
	}
	return list
}

// Judged is one command of a script with what was decided.
type Judged struct {
	// Argv are its words as far as they are known; Known says that all are.
	Argv    []string
	Known   bool
	Span    diag.Span
	Verdict *Verdict
	Refusal *Refusal
	// MayNeed are the grants that may be needed, for a command whose words are
	// not all known.
	MayNeed []*Grant
}

// Grants returns the grants that a command needs, or may need.
func (j *Judged) Grants() []*Grant {
	if j.Verdict != nil {
		return j.Verdict.Grants()
	}
	return j.MayNeed
}

// Decision is what is decided of a whole script before any of it runs. Words
// that are known only later are judged when they are, by [Policy.Judge].
type Decision struct {
	// Refusal is the first reason not to run the script; nil allows it.
	Refusal *Refusal
	// Span is the place of what is refused.
	Span diag.Span
	// Commands are all simple commands in the order of the text.
	Commands []Judged
}

// Allow reports whether the script may run.
func (d *Decision) Allow() bool { return d.Refusal == nil }

func (d *Decision) refuse(r *Refusal, span diag.Span) {
	if d.Refusal == nil {
		d.Refusal, d.Span = r, span
	}
}

// Decide judges a text by what is known of it before it runs. The bindings are
// the places of arguments in it. The script is nil where the text is none.
func (p *Policy) Decide(text string, bindings []shell.Binding, s DecisionContext) (*shell.Script, Decision) {
	var d Decision
	if s.Mode == Off {
		d.refuse(s.off(), diag.Span{End: len(text)})
		return nil, d
	}
	if r, at := hidden(text); r != nil {
		d.refuse(r, diag.Span{Start: at, End: at + 1})
		return nil, d
	}
	script, err := shell.Parse(text, bindings)
	var syntax *shell.SyntaxError
	if errors.As(err, &syntax) {
		d.refuse(&Refusal{ReasonSyntax, -1, "this is no shell command: " + syntax.Message}, diag.Span{Start: syntax.Offset, End: syntax.Offset})
		return nil, d
	}
	for _, c := range script.Unsupported {
		reason := ReasonConstruct
		if c.Redirect {
			reason = ReasonRedirect
		}
		d.refuse(&Refusal{reason, -1, c.What + " is not run"}, c.Span)
	}
	for _, v := range script.Variables {
		if !p.lends(v.Name) {
			d.refuse(&Refusal{ReasonVariable, -1, noValue(v.Name)}, v.Span)
		}
	}
	if len(script.Commands) == 0 {
		d.refuse(&Refusal{ReasonSyntax, -1, "there is no command"}, diag.Span{End: len(text)})
	}
	for _, c := range script.Commands {
		d.command(p, &s, c)
	}
	return script, d
}

// noValue says of a variable that it has none.
func noValue(name string) string {
	if strings.Trim(name, "0123456789") == "" || name == "@" || name == "*" || name == "#" {
		return fmt.Sprintf("$%s has no value here; arguments are written $ARGUMENTS, $0, $1 without braces", name)
	}
	return fmt.Sprintf("the variable %s has no value here; the policy may name it under env", name)
}

// off is the refusal of everything.
func (s *DecisionContext) off() *Refusal {
	why := s.Off
	if why == "" {
		why = "the policy runs no commands of this source"
	}
	return &Refusal{ReasonOff, -1, why}
}

// lends reports whether the policy gives a variable to commands.
func (p *Policy) lends(name string) bool {
	return name == "PWD" || slices.ContainsFunc(p.Env, func(v Value) bool { return v.Text == name })
}

// command judges one command and follows a change of the directory.
func (d *Decision) command(p *Policy, s *DecisionContext, c shell.Command) {
	j := Judged{Known: true, Span: c.Span}
	bound := map[int]bool{}
	for i, w := range c.Words {
		j.Argv = append(j.Argv, w.Text)
		j.Known = j.Known && w.Known
		bound[i] = w.Bound
	}
	if len(c.Words) > 0 {
		switch {
		case !c.Words[0].Known || c.Words[0].Bound:
			j.Refusal = &Refusal{ReasonCommand, 0, "the name of the command is not a plain word"}
		case j.Known:
			j.Verdict, j.Refusal = p.Judge(j.Argv, func(i int) bool { return bound[i] }, *s)
		default:
			j.Refusal = p.judgeOpen(c.Words, *s)
			j.MayNeed = p.mayNeed(c.Words, *s)
		}
	}
	for _, in := range c.Inputs {
		if !in.Known {
			continue
		}
		if r := p.judgePath(in.Text, *s, false); r != nil && j.Refusal == nil {
			r.Word = -1
			j.Refusal = r
		}
	}
	d.Commands = append(d.Commands, j)
	if j.Refusal != nil {
		span := c.Span
		if w := j.Refusal.Word; w >= 0 && w < len(c.Words) {
			span = c.Words[w].Span
		}
		d.refuse(j.Refusal, span)
	}
	if len(j.Argv) > 0 && j.Argv[0] == "cd" {
		dir := s.Dir
		s.Dir = ""
		if len(j.Argv) == 2 && j.Known && dir != "" {
			s.Dir = absolute(dir, j.Argv[1])
		}
	}
}

// absolute returns a name, read in a directory, as a clean absolute path.
func absolute(dir, name string) string {
	if strings.HasPrefix(name, "/") {
		return path.Clean(name)
	}
	return path.Join(dir, name)
}
