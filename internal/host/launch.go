package host

import "github.com/vadehq/vade/definition"

// Launch describes how to run a single task with a host's program, without its user interface.
type Launch struct {
	// ACP is the command line of the program that communicates through version 1 of the Agent
	// Client Protocol on stdin and stdout. It is nil if the host has no such program.
	ACP []string
	// Print is the command line that reads a prompt from standard input and prints the answer. It
	// is used if the ACP program is not installed. It is nil if the host has no such command.
	Print []string
	// Env lists variables, as "NAME=value", that make the program ask before it acts.
	Env []string
	// Mode is the session mode in which the program asks before it acts, or "" if it always asks.
	Mode string
	// SystemPrompt is set if the program accepts a system prompt when a session starts.
	SystemPrompt bool
	// Kinds lists the kinds of definitions that the program announces as commands when a session
	// starts. If it is nil, the program announces only its own commands.
	Kinds []definition.Kind
	// Prefix is the text that precedes the names of announced definitions.
	Prefix string
	// Install is the command line that installs the ACP program or, if there is none, the Print
	// program.
	Install string
	// Login tells the user how to log in. It is "" if an API key in the environment is enough.
	Login string
}
