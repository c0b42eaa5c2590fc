package policy

import "fmt"

// Reason is a code for the cause of a refusal. Codes are stable across releases.
type Reason string

// Reasons for refusing a command.
const (
	// ReasonOff means the policy allows no commands, or none from this source.
	ReasonOff Reason = "SHELL_OFF"
	// ReasonQuoted means the command is in a code block, a code span or a comment.
	ReasonQuoted Reason = "QUOTED"
	// ReasonText means the text is too long, has too many brackets or placeholders, or contains
	// hidden or control characters.
	ReasonText Reason = "TEXT"
	// ReasonSyntax means the text is not a valid shell command.
	ReasonSyntax Reason = "SYNTAX"
	// ReasonConstruct means the text uses an unsupported shell construct.
	ReasonConstruct Reason = "CONSTRUCT"
	// ReasonRedirect means the text contains an unsupported redirection, such as one to a file.
	ReasonRedirect Reason = "REDIRECT"
	// ReasonVariable means the text uses a variable that it does not set and the policy does not
	// pass.
	ReasonVariable Reason = "VARIABLE"
	// ReasonCommand means a command or subcommand is neither on the allowlist nor granted.
	ReasonCommand Reason = "COMMAND"
	// ReasonFlag means a flag is not on the allowlist.
	ReasonFlag Reason = "FLAG"
	// ReasonOperand means an operand is not allowed.
	ReasonOperand Reason = "OPERAND"
	// ReasonPath means a path is outside the readable directories.
	ReasonPath Reason = "PATH_OUTSIDE"
	// ReasonProtected means the policy protects a path.
	ReasonProtected Reason = "PATH_PROTECTED"
	// ReasonDenied means a deny rule matches the command.
	ReasonDenied Reason = "DENIED"
	// ReasonNarrowed means the definition's own allowed-tools or disallowed-tools exclude the
	// command.
	ReasonNarrowed Reason = "NARROWED"
	// ReasonTrust means the command is granted, but the definition is not approved.
	ReasonTrust Reason = "TRUST_NEEDED"
	// ReasonChanged means the definition has changed since it was approved.
	ReasonChanged Reason = "TRUST_CHANGED"
	// ReasonArgument means an argument, or a word computed during the run,
	// would be an option of a granted command.
	ReasonArgument Reason = "ARGUMENT"
	// ReasonSandbox means the sandbox that the policy requires is not available.
	ReasonSandbox Reason = "SANDBOX"
	// ReasonRepository means running the command would run programs that the repository configures,
	// or the repository contains symlinks or hard links that could expose other files.
	ReasonRepository Reason = "REPOSITORY"
)

// Fix tells the user how to resolve the refusal. It returns "" if Vade has no advice.
func (r Reason) Fix() string {
	switch r {
	case ReasonCommand, ReasonFlag, ReasonOperand, ReasonConstruct, ReasonRedirect:
		return "to allow the command, or a script that contains it, add an allow rule to your user policy; see: vade help policy"
	case ReasonOff, ReasonDenied:
		return "to see the active policy and where each value is set, run: vade policy show"
	case ReasonNarrowed:
		return "change allowed-tools or disallowed-tools in the definition"
	case ReasonProtected:
		return "to remove the protection, add a pattern that begins with ! to the protected key in your user policy; see: vade policy show"
	case ReasonVariable:
		return "to pass a variable to commands, add it to env in your user policy; see: vade help policy"
	case ReasonTrust, ReasonChanged:
		return "to review and approve what would run, run vade trust with the definition's name"
	case ReasonSandbox:
		return "to check the sandbox, run: vade doctor; to run commands without it, see the sandbox key in: vade help policy"
	case ReasonRepository:
		return "if you did not create the setting or link named in the message, remove it; otherwise, run the command yourself outside Vade"
	case ReasonQuoted:
		return "to run the command, put it on its own line, outside code and comments"
	}
	return ""
}

// Refusal explains why a command does not run.
type Refusal struct {
	Reason Reason
	// Word is the index in argv of the word that causes the refusal, or -1.
	Word    int
	Message string
}

// Error returns the message followed by the reason.
func (r *Refusal) Error() string { return fmt.Sprintf("%s [%s]", r.Message, r.Reason) }

// PathJudge checks a path. It returns nil if a command may read the path, and the reason for
// refusing otherwise.
type PathJudge func(name string) *Refusal
