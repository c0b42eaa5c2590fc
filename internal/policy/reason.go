package policy

import "fmt"

// Reason is the stable code of a refusal.
type Reason string

// The reasons.
const (
	// ReasonOff: the policy runs no commands, or none of this source.
	ReasonOff Reason = "SHELL_OFF"
	// ReasonQuoted: the command stands in a code block, a code span or a comment.
	ReasonQuoted Reason = "QUOTED"
	// ReasonText: the text is too long or holds hidden or control characters.
	ReasonText Reason = "TEXT"
	// ReasonSyntax: the text is no shell command.
	ReasonSyntax Reason = "SYNTAX"
	// ReasonConstruct: the text uses a part of the shell that is never run.
	ReasonConstruct Reason = "CONSTRUCT"
	// ReasonRedirect: a redirection to a file.
	ReasonRedirect Reason = "REDIRECT"
	// ReasonVariable: a variable that has no value here.
	ReasonVariable Reason = "VARIABLE"
	// ReasonCommand: a command or sub-command that is in no table and no grant.
	ReasonCommand Reason = "COMMAND"
	// ReasonFlag: a flag that is not in the command's table.
	ReasonFlag Reason = "FLAG"
	// ReasonOperand: an operand that the command may not have.
	ReasonOperand Reason = "OPERAND"
	// ReasonPath: a path outside of what may be read.
	ReasonPath Reason = "PATH_OUTSIDE"
	// ReasonProtected: a path that the policy protects.
	ReasonProtected Reason = "PATH_PROTECTED"
	// ReasonDenied: a deny rule.
	ReasonDenied Reason = "DENIED"
	// ReasonNarrowed: the definition's own allowed-tools leave the command out.
	ReasonNarrowed Reason = "NARROWED"
	// ReasonTrust: the command is granted, but nobody has consented to this
	// definition.
	ReasonTrust Reason = "TRUST_NEEDED"
	// ReasonChanged: the definition has changed since it was consented to.
	ReasonChanged Reason = "TRUST_CHANGED"
	// ReasonArgument: an argument, or what came up in the run, would be read as an
	// option of a granted command.
	ReasonArgument Reason = "ARGUMENT"
	// ReasonSandbox: the walls that the policy asks for can not be built.
	ReasonSandbox Reason = "SANDBOX"
	// ReasonRepository: the repository would run programs, or has a file with links.
	ReasonRepository Reason = "REPOSITORY"
)

// Fix tells the user what to do about a refusal, or is empty.
func (r Reason) Fix() string {
	switch r {
	case ReasonCommand, ReasonFlag, ReasonOperand, ReasonConstruct, ReasonRedirect:
		return "a rule under allow in your own policy lets more run, also a script; see: vade policy --help"
	case ReasonOff, ReasonDenied:
		return "see what is in force, and where it is stated: vade policy show"
	case ReasonProtected:
		return "a pattern with ! in your own policy lifts a protection; see: vade policy show"
	case ReasonVariable:
		return "name the variable under env in your own policy; see: vade policy --help"
	case ReasonTrust, ReasonChanged:
		return "look at what would run, and consent: vade trust NAME"
	case ReasonSandbox:
		return "the key sandbox of your policy says what becomes of it; see: vade policy show"
	case ReasonRepository:
		return "remove the setting or the link that the message names, if you did not create it"
	case ReasonQuoted:
		return "put it on a line of its own, outside of code and comments, if it is meant to run"
	}
	return ""
}

// Refusal says why a command line is not run.
type Refusal struct {
	Reason Reason
	// Word is the index in the argv of the word that is at fault, or -1.
	Word    int
	Message string
}

// Error returns the message and the reason.
func (r *Refusal) Error() string { return fmt.Sprintf("%s [%s]", r.Message, r.Reason) }

// PathJudge says whether a path that a command line names may be read. It
// returns nil where it may.
type PathJudge func(name string) *Refusal
