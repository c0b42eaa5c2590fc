// Package policy decides which commands in a definition may run. It is pure: it reads no files,
// makes no system calls and starts no processes.
//
// A policy combines files of three layers: managed, user and project. [ParseFile] parses one file,
// and [Combine] returns the effective [Policy]. A file can only restrict what others allow, and a
// project's file allows nothing by itself. An invalid value counts as the strictest possible
// value, so that a typo never allows more. docs/policy.md describes every key.
//
// A [Rule] uses the permission syntax of hosts, such as Bash(git log:*). It is matched against the
// words of one simple command, never against the text of a line.
package policy
