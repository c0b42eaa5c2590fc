package definition

import (
	"errors"
	"fmt"
	"strings"

	"github.com/vadehq/vade/diag"
)

// Result is the answer to a request to load something. Its JSON is a public
// contract: fields are added, never renamed. On failure Success is false,
// Error is set, and Skills holds what was loaded before the failure.
type Result struct {
	Success bool `json:"success"`
	// One of these is set, by what was asked for. A skill that is asked for as
	// a command ("/x") is a Command of kind skill.
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
	// Text is the body as it was rendered, Raw as it stands in the file.
	Text string `json:"content"`
	Raw  string `json:"raw"`

	Title       string `json:"title"`
	Description string `json:"description"`
	Layer       Layer  `json:"layer"`
	Plugin      string `json:"plugin,omitempty"`
	// Digest is "sha256:" and the hash of the file.
	Digest string `json:"digest,omitempty"`
	// Shadowed are the files of the same name that are not in force.
	Shadowed []string `json:"shadowed,omitempty"`
	// Audit is what the audit found in it, where that is something that a person should
	// look at; nil otherwise.
	Audit *LoadVerdict `json:"audit,omitempty"`
}

// Expansions say what became of each place in the body where something is put
// in.
type Expansions struct {
	Files []FileExpansion `json:"files"`
	Bash  []BashExpansion `json:"bash"`
}

// FileExpansion is one @path of a body. One that is not resolved stays in the
// text as it was written.
type FileExpansion struct {
	Reference string          `json:"reference"`
	Resolved  bool            `json:"resolved"`
	Path      string          `json:"path,omitempty"`
	Content   string          `json:"content,omitempty"`
	Error     *ExpansionError `json:"error,omitempty"`
	Line      int             `json:"line,omitempty"`
	Column    int             `json:"column,omitempty"`
	// In is the definition that refers to it, where several were loaded.
	In string `json:"in,omitempty"`
}

// BashExpansion is one shell command of a body. One that has run is replaced
// by its output; any other stays in the text as it was written.
type BashExpansion struct {
	Command  string `json:"command"`
	Executed bool   `json:"executed"`
	// Output is what it printed to both outputs, as it stands in the text.
	Output string `json:"output,omitempty"`
	// ExitCode is the status of the command that decides it, -1 for one that was
	// ended. It is nil, as are the next two, where nothing ran.
	ExitCode   *int     `json:"exitCode,omitempty"`
	DurationMS *float64 `json:"durationMs,omitempty"`
	Sandbox    *Sandbox `json:"sandbox,omitempty"`
	// Truncated: it printed more than the policy allows. Redacted: passwords in
	// addresses were taken out of what it printed.
	Truncated bool `json:"truncated,omitempty"`
	Redacted  bool `json:"redacted,omitempty"`
	// NotRead is the number of protected files that a search passed over.
	NotRead int             `json:"notRead,omitempty"`
	Error   *ExpansionError `json:"error,omitempty"`
	// Decision is there where nothing ran: in a dry run, and for a refusal.
	Decision *ShellDecision `json:"decision,omitempty"`
	// Quoted: it stands in code or in a comment and is likely an example.
	Quoted bool   `json:"quoted,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	In     string `json:"in,omitempty"`
}

// ExpansionError says why something was not put in.
type ExpansionError struct {
	Code    diag.Code `json:"code"`
	Message string    `json:"message"`
	// Reason is the code of what stands behind a BASH_NOT_ALLOWED, such as FLAG
	// or PATH_OUTSIDE, and Stderr what a command that failed wrote as errors.
	Reason string `json:"reason,omitempty"`
	// Fix tells the user what to do next.
	Fix    string `json:"fix,omitempty"`
	Stderr string `json:"stderr,omitempty"`
}

// Metadata is what is known of the whole answer. Times are RFC 3339 in UTC.
type Metadata struct {
	ExpandedAt          string   `json:"expandedAt,omitempty"`
	LoadedAt            string   `json:"loadedAt,omitempty"`
	TotalTokensEstimate int      `json:"totalTokensEstimate"`
	SkillsLoaded        *int     `json:"skillsLoaded,omitempty"`
	TotalSizeKB         *float64 `json:"totalSizeKb,omitempty"`
}

// Error is the reason for which nothing, or not all, was loaded. Its codes are
// COMMAND_NOT_FOUND, SKILL_NOT_FOUND, AGENT_NOT_FOUND, INSTRUCTION_NOT_FOUND,
// NOT_FOR_AGENT, AUDIT_BLOCKED, FILE_UNREADABLE, SIZE_LIMIT and SKILL_LIMIT.
type Error struct {
	Code            diag.Code `json:"code"`
	Message         string    `json:"message"`
	SearchedPaths   []string  `json:"searchedPaths,omitempty"`
	AvailableSkills []string  `json:"availableSkills,omitempty"`
	// Available are the names of what else there is of the kind asked for.
	Available []string `json:"available,omitempty"`
	// Agents are those that may call what another agent asked for.
	Agents []string `json:"agents,omitempty"`
	// Findings are those of the audit for which a definition is not rendered.
	Findings []LoadFinding `json:"findings,omitempty"`
	// Fix tells the user what to do next.
	Fix string `json:"fix,omitempty"`
}

// Error returns the message with its code.
func (e *Error) Error() string { return fmt.Sprintf("vade: %s [%s]", e.Message, e.Code) }

// Is reports whether target is [ErrNotFound] and the error is that nothing in
// force has the name.
func (e *Error) Is(target error) bool {
	return target == ErrNotFound && strings.HasSuffix(string(e.Code), "_NOT_FOUND")
}

// ErrNotFound is the error of a lookup for a name that nothing in force has.
var ErrNotFound = errors.New("not found")

// LoadVerdict says what the audit found in a definition before it was rendered.
type LoadVerdict struct {
	// Mode is the policy's for it: "block", "review" or "off".
	Mode string `json:"mode"`
	// Verdict is "clean", "inform", "review" or "block": the worst finding, whether it
	// counts or not; "" where it was not audited.
	Verdict string `json:"verdict,omitempty"`
	// Complete: nothing of the definition and of what travels with it was left unread.
	Complete bool `json:"complete"`
	// Findings are those of review and block.
	Findings []LoadFinding `json:"findings,omitempty"`
	// Consented: it would be refused, but the user has consented to this very content.
	Approved bool `json:"approved,omitempty"`

	// Found is what went wrong with what is kept of verdicts.
	Diagnostics []diag.Diagnostic `json:"-"`
}

// LoadFinding is one finding of the audit in a definition that was to be rendered.
type LoadFinding struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Severity string `json:"severity"`
	// Path is relative to the directory of the definition, "" for all of it.
	Path    string `json:"path,omitempty"`
	Line    int    `json:"line,omitempty"`
	Message string `json:"message"`
	// Digest is what a suppression is bound to.
	Digest string `json:"digest"`
	// More is how many others of the rule are not shown; such a finding cannot be
	// suppressed.
	More int `json:"more,omitempty"`
	// Suppressed is the reason for which it does not count, "" where it counts.
	Suppressed string `json:"suppressed,omitempty"`
}

// ShellDecision is what the policy says of a command before it runs.
type ShellDecision struct {
	Allow bool `json:"allow"`
	// Code is the reason of a refusal, such as FLAG, and Reason its words; Line
	// and Column are the place in the command, from 1 and in runes.
	Code   string `json:"code,omitempty"`
	Reason string `json:"reason,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	// Commands are the simple commands in it.
	Commands []CommandDecision `json:"commands"`
}

// JudgedCommand is one simple command and how it runs: "in-process",
// "process", "shell" (such as cd), "missing" (there is no such program, and
// nothing runs but the message of a shell that says so), or not at all.
type CommandDecision struct {
	Argv []string `json:"argv"`
	// Open: not all words are known before it runs; they are judged then.
	Open   bool   `json:"open,omitempty"`
	Runs   string `json:"runs,omitempty"`
	Grant  string `json:"grant,omitempty"`
	Code   string `json:"code,omitempty"`
	Reason string `json:"reason,omitempty"`
}
