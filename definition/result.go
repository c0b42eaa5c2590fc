package definition

import (
	"errors"
	"fmt"
	"strings"

	"github.com/vadehq/vade/diag"
)

// Result is the outcome of a load request. Its JSON is a public contract: fields may be added but
// are never renamed. If the request fails, Success is false, Error is set, and Skills holds the
// skills that were loaded before the failure.
type Result struct {
	Success bool `json:"success"`
	// If the request succeeds, exactly one of these fields is set. For a skill that is invoked as a
	// command ("/x"), Command is set and its Kind is Skill.
	Command     *Content  `json:"command,omitempty"`
	Agent       *Content  `json:"agent,omitempty"`
	Instruction *Content  `json:"instruction,omitempty"`
	Skills      []Content `json:"skills,omitempty"`

	Expansions  *Expansions       `json:"expansions,omitempty"`
	Metadata    *Metadata         `json:"metadata,omitempty"`
	Error       *Error            `json:"error,omitempty"`
	Diagnostics []diag.Diagnostic `json:"diagnostics,omitempty"`
}

// Content is one loaded definition.
type Content struct {
	Kind        Kind        `json:"kind"`
	Name        string      `json:"name"`
	Path        string      `json:"path"`
	SizeKB      float64     `json:"sizeKb"`
	Frontmatter Frontmatter `json:"frontmatter"`
	// Text is the rendered body, and Raw is the body as written in the file.
	Text string `json:"content"`
	Raw  string `json:"raw"`

	Title       string `json:"title"`
	Description string `json:"description"`
	Layer       Layer  `json:"layer"`
	Plugin      string `json:"plugin,omitempty"`
	// Digest is "sha256:" followed by the file's SHA-256 in hexadecimal.
	Digest string `json:"digest,omitempty"`
	// Shadowed lists the inactive files with the same name.
	Shadowed []string `json:"shadowed,omitempty"`
	// Audit holds the audit findings that a person should review. It is nil if there are none.
	Audit *LoadVerdict `json:"audit,omitempty"`
}

// Expansions holds the outcome for each file reference and each command in the body.
type Expansions struct {
	Files []FileExpansion `json:"files"`
	Bash  []BashExpansion `json:"bash"`
}

// FileExpansion is one @path in a body. An unresolved reference is left in the body as written.
type FileExpansion struct {
	Reference string          `json:"reference"`
	Resolved  bool            `json:"resolved"`
	Path      string          `json:"path,omitempty"`
	Content   string          `json:"content,omitempty"`
	Error     *ExpansionError `json:"error,omitempty"`
	Line      int             `json:"line,omitempty"`
	Column    int             `json:"column,omitempty"`
	// In names the definition that contains the reference, if several definitions were loaded.
	In string `json:"in,omitempty"`
}

// BashExpansion is one shell command in a body. If the command ran, its output replaces it in the
// body. Otherwise, the command is left as written.
type BashExpansion struct {
	Command  string `json:"command"`
	Executed bool   `json:"executed"`
	// Output is the combined stdout and stderr, as it appears in the text.
	Output string `json:"output,omitempty"`
	// ExitCode is the exit code, or -1 if the command was killed. ExitCode, DurationMS and Sandbox
	// are nil if nothing ran.
	ExitCode   *int     `json:"exitCode,omitempty"`
	DurationMS *float64 `json:"durationMs,omitempty"`
	Sandbox    *Sandbox `json:"sandbox,omitempty"`
	// Truncated reports whether the output exceeded the policy's limit.
	// Redacted reports whether passwords in URLs were removed from the output.
	Truncated bool `json:"truncated,omitempty"`
	Redacted  bool `json:"redacted,omitempty"`
	// NotRead is the number of protected files that a search skipped.
	NotRead int             `json:"notRead,omitempty"`
	Error   *ExpansionError `json:"error,omitempty"`
	// Decision is set if the command did not run because of a dry run or because it was refused.
	Decision *ShellDecision `json:"decision,omitempty"`
	// Quoted reports whether the command is in code or a comment and is therefore probably an
	// example.
	Quoted bool   `json:"quoted,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	In     string `json:"in,omitempty"`
}

// ExpansionError explains why a reference was not resolved or a command did not run.
type ExpansionError struct {
	Code    diag.Code `json:"code"`
	Message string    `json:"message"`
	// Reason is the code that explains a BASH_NOT_ALLOWED error, such as FLAG or PATH_OUTSIDE.
	// Stderr holds what a failed command wrote to stderr.
	Reason string `json:"reason,omitempty"`
	// Fix tells the user what to do.
	Fix    string `json:"fix,omitempty"`
	Stderr string `json:"stderr,omitempty"`
}

// Metadata describes the whole result. Times are RFC 3339 in UTC.
type Metadata struct {
	ExpandedAt          string   `json:"expandedAt,omitempty"`
	LoadedAt            string   `json:"loadedAt,omitempty"`
	TotalTokensEstimate int      `json:"totalTokensEstimate"`
	SkillsLoaded        *int     `json:"skillsLoaded,omitempty"`
	TotalSizeKB         *float64 `json:"totalSizeKb,omitempty"`
}

// Error explains why some or all requested definitions were not loaded. In a [Result], Code is one
// of COMMAND_NOT_FOUND, SKILL_NOT_FOUND, AGENT_NOT_FOUND, INSTRUCTION_NOT_FOUND, NOT_FOR_AGENT,
// NOT_INVOCABLE, AUDIT_BLOCKED, FILE_UNREADABLE, SIZE_LIMIT and SKILL_LIMIT or, for definitions
// from MCP servers, MCP_HELD or a code that starts with REMOTE_.
type Error struct {
	Code            diag.Code `json:"code"`
	Message         string    `json:"message"`
	SearchedPaths   []string  `json:"searchedPaths,omitempty"`
	AvailableSkills []string  `json:"availableSkills,omitempty"`
	// Available lists the names of the definitions of the requested kind.
	Available []string `json:"available,omitempty"`
	// Agents lists the agents that may call the definition. It is set only if the calling agent may
	// not.
	Agents []string `json:"agents,omitempty"`
	// Findings lists the audit findings that block the definition.
	Findings []LoadFinding `json:"findings,omitempty"`
	// Fix tells the user what to do.
	Fix string `json:"fix,omitempty"`
}

// Error returns the message followed by the code.
func (e *Error) Error() string { return fmt.Sprintf("vade: %s [%s]", e.Message, e.Code) }

// Is reports whether target is [ErrNotFound] and e means that no active definition has the
// requested name.
func (e *Error) Is(target error) bool {
	return target == ErrNotFound && strings.HasSuffix(string(e.Code), "_NOT_FOUND")
}

// ErrNotFound means that a name does not refer to an active definition.
var ErrNotFound = errors.New("not found")

// LoadVerdict is the audit result for a definition that is about to be rendered.
type LoadVerdict struct {
	// Mode is the policy's audit mode for the definition: "block", "review" or "off".
	Mode string `json:"mode"`
	// Verdict is "clean", "inform", "review" or "block". It is the severity of the worst finding,
	// including suppressed ones. It is "" if the definition was not audited.
	Verdict string `json:"verdict,omitempty"`
	// Complete reports whether the definition and all its companion files were read in full.
	Complete bool `json:"complete"`
	// Findings lists the findings with severity review or block.
	Findings []LoadFinding `json:"findings,omitempty"`
	// Approved reports whether the definition is rendered only because the user approved exactly
	// this content. Otherwise, it would have been refused.
	Approved bool `json:"approved,omitempty"`

	// Diagnostics lists problems with the verdict cache.
	Diagnostics []diag.Diagnostic `json:"-"`
}

// LoadFinding is one audit finding in a definition that is about to be rendered.
type LoadFinding struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Severity string `json:"severity"`
	// Path is relative to the definition's directory; "" means the whole definition.
	Path    string `json:"path,omitempty"`
	Line    int    `json:"line,omitempty"`
	Message string `json:"message"`
	// Digest identifies the finding in a suppression.
	Digest string `json:"digest"`
	// More is the number of additional findings from the same rule that are not listed. If it is
	// not 0, the finding cannot be suppressed.
	More int `json:"more,omitempty"`
	// Suppressed is the reason given for suppressing the finding. It is "" if
	// the finding is not suppressed.
	Suppressed string `json:"suppressed,omitempty"`
}

// ShellDecision is the policy's decision about a command before it runs.
type ShellDecision struct {
	Allow bool `json:"allow"`
	// Code identifies the reason for a refusal, such as FLAG, and Reason explains it. Line and
	// Column give the position in the command. Both start at 1, and Column counts runes.
	Code   string `json:"code,omitempty"`
	Reason string `json:"reason,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	// Commands lists the simple commands that make up the command line.
	Commands []CommandDecision `json:"commands"`
}

// CommandDecision is the decision about one simple command. Runs indicates how the command runs:
// "in-process", "process", "shell" for builtins such as cd, or "" if it does not run. If the
// program is not installed, Runs is "missing", and the command only prints the shell's error
// message.
type CommandDecision struct {
	Argv []string `json:"argv"`
	// Open reports whether some words are known only at run time. Such words are checked at run
	// time.
	Open   bool   `json:"open,omitempty"`
	Runs   string `json:"runs,omitempty"`
	Grant  string `json:"grant,omitempty"`
	Code   string `json:"code,omitempty"`
	Reason string `json:"reason,omitempty"`
}
