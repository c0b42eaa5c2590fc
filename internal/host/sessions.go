package host

// The formats in which hosts write sessions down, by the name of the host whose own it is.
const (
	ClaudeCodeSession = "claude-code"
	CodexSession      = "codex"
)

// CodexEditorRequest stands before what the user wrote in a message to which an editor
// has put its own state (source: Codex).
const CodexEditorRequest = "## My request for Codex:"

// IsSpeaker reports whether a word in small letters is what a written session calls the
// agent by, as many do that are kept as text.
func IsSpeaker(word string) bool {
	switch word {
	case "claude", "codex", "copilot", "gemini":
		return true
	}
	return false
}

// IsReservedWord reports whether a word may not be in the name of a skill (documented:
// the vendor's rules for skills that are uploaded).
func IsReservedWord(word string) bool { return word == "anthropic" || word == "claude" }
