// Package policy decides which commands in a definition may run. It is pure: it does not read
// files, make system calls or start processes.
//
// A policy combines files from three layers: managed, user and project. [ParseFile] parses one
// file, and [Combine] returns the effective [Policy]. Any file can restrict what others allow, and
// a project file cannot allow anything by itself. An invalid value is treated as the strictest
// possible value, so a typo never allows more commands. docs/policy.md describes every key.
//
// A [Rule] uses the hosts' permission syntax, such as Bash(git log:*). It is matched against the
// words of one simple command, never against a line of text.
package policy
