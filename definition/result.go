package definition

import (
	"errors"
	"fmt"
	"strings"

	"github.com/vadehq/vade/diag"
)

// Result is the outcome of a load request. Its JSON is a public contract: fields are added, never
// renamed. On failure Success is false, Error is set, and Skills holds what was loaded before the
// failure.
type Result struct {
	Success bool `json:"success"`
	// Exactly one of these fields is set, depending on the request. A skill invoked as a command
	// ("/x") is a Command of kind skill.
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
	// Digest is "sha256:" followed by the hash of the file.
	Digest string `json:"digest,omitempty"`
	// Shadowed are the files with the same name that are not active.
	Shadowed []string `json:"shadowed,omitempty"`
	// Audit holds the audit findings that a person should review, or is nil if there are none.
	Audit *LoadVerdict `json:"audit,omitempty"`
}

// Expansions describe the outcome for each file reference and command in the body.
type Expansions struct {
	Files []FileExpansion `json:"files"`
	Bash  []BashExpansion `json:"bash"`
}

// FileExpansion is one @path in a body. An unresolved reference stays in the text as written.
type FileExpansion struct {
	Reference string          `json:"reference"`
	Resolved  bool            `json:"resolved"`
	Path      string          `json:"path,omitempty"`
	Content   string          `json:"content,omitempty"`
	Error     *ExpansionError `json:"error,omitempty"`
	Line      int             `json:"line,omitempty"`
	Column    int             `json:"column,omitempty"`
	// In is the definition that contains the reference, if several were loaded.
	In string `json:"in,omitempty"`
}

// BashExpansion is one shell command in a body. If the command ran, its output replaces it.
// Otherwise it stays in the text as written.
type BashExpansion struct {
	Command  string `json:"command"`
	Executed bool   `json:"executed"`
	// Output is the combined stdout and stderr, as it appears in the text.
	Output string `json:"output,omitempty"`
	// ExitCode is the exit code, or -1 if the command was killed. ExitCode and the next two
	// fields are nil if nothing ran.
	ExitCode   *int     `json:"exitCode,omitempty"`
	DurationMS *float64 `json:"durationMs,omitempty"`
	Sandbox    *Sandbox `json:"sandbox,omitempty"`
	// Truncated means that the output exceeded the policy's limit. Redacted means that passwords
	// in URLs were removed from the output.
	Truncated bool `json:"truncated,omitempty"`
	Redacted  bool `json:"redacted,omitempty"`
	// NotRead is the number of protected files that a search skipped.
	NotRead int             `json:"notRead,omitempty"`
	Error   *ExpansionError `json:"error,omitempty"`
	// Decision is set if nothing ran, because of a dry run or a refusal.
	Decision *ShellDecision `json:"decision,omitempty"`
	// Quoted means that the command is in code or a comment and is probably an example.
	Quoted bool   `json:"quoted,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	In     string `json:"in,omitempty"`
}

// ExpansionError explains why a reference was not resolved or a command did not run.
type ExpansionError struct {
	Code    diag.Code `json:"code"`
	Message string    `json:"message"`
	// Reason is the code that explains BASH_NOT_ALLOWED, such as FLAG or PATH_OUTSIDE. Stderr is
	// the error output of a command that failed.
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

// Error explains why nothing, or not everything, was loaded. Its code is one of
// COMMAND_NOT_FOUND, SKILL_NOT_FOUND, AGENT_NOT_FOUND, INSTRUCTION_NOT_FOUND, NOT_FOR_AGENT,
// AUDIT_BLOCKED, FILE_UNREADABLE, SIZE_LIMIT and SKILL_LIMIT.
type Error struct {
	Code            diag.Code `json:"code"`
	Message         string    `json:"message"`
	SearchedPaths   []string  `json:"searchedPaths,omitempty"`
	AvailableSkills []string  `json:"availableSkills,omitempty"`
	// Available lists the names of the requested kind that exist.
	Available []string `json:"available,omitempty"`
	// Agents are the agents that may call the definition, if the calling agent must not.
	Agents []string `json:"agents,omitempty"`
	// Findings are the audit findings that block the definition.
	Findings []LoadFinding `json:"findings,omitempty"`
	// Fix tells the user what to do.
	Fix string `json:"fix,omitempty"`
}

// Error returns the message with its code.
func (e *Error) Error() string { return fmt.Sprintf("vade: %s [%s]", e.Message, e.Code) }

// Is reports whether target is [ErrNotFound] and no active definition has the requested name.
func (e *Error) Is(target error) bool {
	return target == ErrNotFound && strings.HasSuffix(string(e.Code), "_NOT_FOUND")
}

// ErrNotFound means that no active definition has the requested name.
var ErrNotFound = errors.New("not found")

// LoadVerdict is the audit result for a definition that was about to be rendered.
type LoadVerdict struct {
	// Mode is the policy's audit mode for the definition: "block", "review" or "off".
	Mode string `json:"mode"`
	// Verdict is "clean", "inform", "review" or "block", according to the most severe finding
	// including suppressed ones. It is "" if the definition was not audited.
	Verdict string `json:"verdict,omitempty"`
	// Complete means that the definition and all its companion files were read in full.
	Complete bool `json:"complete"`
	// Findings are the findings of severity review and block.
	Findings []LoadFinding `json:"findings,omitempty"`
	// Approved means that the definition would be refused, but the user approved exactly this
	// content.
	Approved bool `json:"approved,omitempty"`

	// Diagnostics are problems with the cache of verdicts.
	Diagnostics []diag.Diagnostic `json:"-"`
}

// LoadFinding is one audit finding in a definition that was about to be rendered.
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
	// More is the number of further findings of the same rule that are not listed. If it is above
	// 0, the finding cannot be suppressed.
	More int `json:"more,omitempty"`
	// Suppressed is the reason given for suppressing the finding, or "" if it is not suppressed.
	Suppressed string `json:"suppressed,omitempty"`
}

// ShellDecision is the policy's decision on a command before it runs.
type ShellDecision struct {
	Allow bool `json:"allow"`
	// Code identifies the reason for a refusal, such as FLAG, and Reason explains it. Line and
	// Column are the position in the command. They start at 1, and columns count runes.
	Code   string `json:"code,omitempty"`
	Reason string `json:"reason,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	// Commands are the simple commands that the command consists of.
	Commands []CommandDecision `json:"commands"`
}

// CommandDecision is the decision about a simple command. It runs "in-process", in a "process",
// in the "shell" (builtins such as cd), or not at all (""). "missing" means that the program is
// not installed, in which case only the shell's error message is printed.
type CommandDecision struct {
	Argv []string `json:"argv"`
	// Open means that some words are known only at run time. They are checked then.
	Open   bool   `json:"open,omitempty"`
	Runs   string `json:"runs,omitempty"`
	Grant  string `json:"grant,omitempty"`
	Code   string `json:"code,omitempty"`
	Reason string `json:"reason,omitempty"`
}
