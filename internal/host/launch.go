package host

import "github.com/vadehq/vade/definition"

// Launch describes how a host's program runs one task without its own user interface.
type Launch struct {
	// ACP is the command line of the program that speaks the Agent Client Protocol, version 1, on
	// its standard streams; nil if there is none.
	ACP []string
	// Print is the command line that reads a prompt from standard input and prints the answer; nil
	// if there is none. It is used if the program of ACP is not installed.
	Print []string
	// Env are variables, as "NAME=value", with which the program asks before it acts.
	Env []string
	// Mode is the session mode in which it asks before it acts; "" if it always does.
	Mode string
	// SystemPrompt means that the program takes a system prompt when a session starts.
	SystemPrompt bool
	// Kinds are the kinds of definitions that it announces as commands when a session starts;
	// nil if it announces only its own commands.
	Kinds []definition.Kind
	// Prefix precedes the names of the definitions that it announces.
	Prefix string
	// Login tells the user how to log in; "" if an API key in the environment is enough.
	Login string
}
