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

// Approval is the approval state of the definition that contains a command.
type Approval uint8

const (
	// ApprovalNone means the user has not approved the definition.
	ApprovalNone Approval = iota
	// ApprovalChanged means the definition has changed since the user approved it.
	ApprovalChanged
	// ApprovalGiven means the user has approved exactly this content.
	ApprovalGiven
)

// DecisionContext holds everything besides the policy and the command that a decision depends on.
type DecisionContext struct {
	// Mode is the policy's mode for the command's source.
	Mode Mode
	// If Mode is [Off], Off is the reason to show to the user. It may be empty.
	Off string
	// Approval is the definition's approval state. Name is the definition's name, for messages.
	Approval Approval
	Name     string
	// Allowed and Disallowed hold the definition's own rules, which can only restrict.
	Allowed, Disallowed []Rule
	// Roots lists the directories that commands may read, as absolute paths with forward slashes.
	// Dir is the working directory, which is inside one of them. If Dir is empty, the working
	// directory is unknown, and only absolute paths can be checked.
	Roots []string
	Dir   string
	// Missing reports whether a program with this name is missing from every directory in the
	// user's PATH, including untrusted ones. If Missing is nil, every program is assumed to be
	// installed.
	Missing func(name string) bool
	// Expand returns the value for ${NAME} in rules.
	Expand func(name string) (value string, ok bool)
}

// Verdict describes how an allowed command is run.
type Verdict struct {
	// Argv is the command line to run. It may contain arguments, added by the policy, that keep the
	// contents of protected files out of the output.
	Argv []string
	// Prepared is set for a command that runs inside this process.
	Prepared *coreutils.Prepared
	// Missing reports whether the program is not installed, in which case nothing will run.
	Missing bool
	// If the command runs other commands, as xargs does, Inner holds their verdicts.
	Inner []*Verdict
	// Call is set for a program on the read-only allowlist, and Grant for a command that an allow
	// rule matches. If Call, Grant and Prepared are all nil, the shell interpreter runs the command
	// itself.
	Call  *Call
	Grant *Grant
}

// Process reports whether the command needs a separate process.
func (v *Verdict) Process() bool { return v.Call != nil || v.Grant != nil }

// Grants returns the grants that the command and its inner commands need.
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

// NotInstalled returns the names of the missing programs that the command and
// its inner commands use.
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

// Judged is a command in a script and the decision about it. If the command is allowed and all of
// its words are known, Verdict is set. If it is refused, Refusal is set.
type Judged struct {
	// Argv holds the words. Known reports whether all of them are known; otherwise, Argv holds only
	// the known parts.
	Argv    []string
	Known   bool
	Verdict *Verdict
	Refusal *Refusal
	// MayNeed lists the grants that the command may need when some of its words are unknown.
	MayNeed []*Grant
}

// Grants returns the grants that the command needs or may need.
func (j *Judged) Grants() []*Grant {
	if j.Verdict != nil {
		return j.Verdict.Grants()
	}
	return j.MayNeed
}

// Decision is the decision about a whole script, made before the script runs. Commands with words
// that become known only during the run are checked again by [Policy.Judge].
type Decision struct {
	// Refusal is the first reason not to run the script. It is nil if the script may run.
	Refusal *Refusal
	// Span is the position of the refused text.
	Span diag.Span
	// Commands holds all simple commands in source order.
	Commands []Judged
}

// Allow reports whether the script may run.
func (d *Decision) Allow() bool { return d.Refusal == nil }

func (d *Decision) refuse(r *Refusal, span diag.Span) {
	if d.Refusal == nil {
		d.Refusal, d.Span = r, span
	}
}

// Decide checks a script before it runs, using the words that are already known. bindings holds the
// values to insert in text. The returned script is nil if commands are off, or if text contains
// invisible characters or is not a valid script.
func (p *Policy) Decide(text string, bindings []shell.Binding, s DecisionContext) (*shell.Script, Decision) {
	var d Decision
	if s.Mode == Off {
		d.refuse(s.offRefusal(), diag.Span{End: len(text)})
		return nil, d
	}
	if r, at := invisibleChar(text); r != nil {
		d.refuse(r, diag.Span{Start: at, End: at + 1})
		return nil, d
	}
	script, err := shell.Parse(text, bindings)
	if syntax, ok := errors.AsType[*shell.SyntaxError](err); ok {
		d.refuse(&Refusal{ReasonSyntax, -1, "not a valid shell command: " + syntax.Message}, diag.Span{Start: syntax.Offset, End: syntax.Offset})
		return nil, d
	} else if err != nil {
		d.refuse(&Refusal{ReasonText, -1, err.Error()}, diag.Span{End: len(text)})
		return nil, d
	}
	for _, c := range script.Unsupported {
		reason := ReasonConstruct
		if c.Redirect {
			reason = ReasonRedirect
		}
		d.refuse(&Refusal{reason, -1, c.What + " is not supported"}, c.Span)
	}
	for _, v := range script.Variables {
		if !p.passesVariable(v.Name) {
			d.refuse(&Refusal{ReasonVariable, -1, noValue(v.Name)}, v.Span)
		}
	}
	if len(script.Commands) == 0 {
		d.refuse(&Refusal{ReasonSyntax, -1, "the command is empty"}, diag.Span{End: len(text)})
	}
	for _, c := range script.Commands {
		d.command(p, &s, c)
	}
	return script, d
}

// noValue returns the error message for a variable that has no value in a script.
func noValue(name string) string {
	if strings.Trim(name, "0123456789") == "" {
		return fmt.Sprintf("${%s} has no value in a definition's commands; write arguments as $ARGUMENTS, $0 or $1, without braces", name)
	}
	if name == "@" || name == "*" || name == "#" {
		return fmt.Sprintf("$%s has no value in a definition's commands; write arguments as $ARGUMENTS, $0 or $1", name)
	}
	switch problem := checkVariable(name); {
	case len(name) == 1 && problem != "":
		return fmt.Sprintf("the special variable $%s is not supported", name)
	case problem != "":
		return fmt.Sprintf("the variable %s %s", name, problem)
	}
	return fmt.Sprintf("the variable %s is not passed to commands; add it to env in your user policy", name)
}

// offRefusal returns the refusal for any command when the mode is Off.
func (s *DecisionContext) offRefusal() *Refusal {
	why := s.Off
	if why == "" {
		why = "the policy does not allow commands from this source"
	}
	return &Refusal{ReasonOff, -1, why}
}

// passesVariable reports whether the policy passes a variable to commands.
func (p *Policy) passesVariable(name string) bool {
	return name == "PWD" || slices.ContainsFunc(p.Env, func(v Value) bool { return v.Text == name })
}

// command checks one command and appends the result to d.Commands. After a cd command, it updates
// s.Dir.
func (d *Decision) command(p *Policy, s *DecisionContext, c shell.Command) {
	j := Judged{Known: true}
	bound := map[int]bool{}
	for i, w := range c.Words {
		j.Argv = append(j.Argv, w.Text)
		j.Known = j.Known && w.Known
		bound[i] = w.Bound
	}
	if len(c.Words) > 0 {
		switch {
		case !c.Words[0].Known || c.Words[0].Bound:
			j.Refusal = &Refusal{ReasonCommand, 0, "the command name must be a literal word"}
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

// absolute returns name as a clean absolute path. A relative name is resolved against dir.
func absolute(dir, name string) string {
	if strings.HasPrefix(name, "/") {
		return path.Clean(name)
	}
	return path.Join(dir, name)
}
