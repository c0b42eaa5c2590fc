// Package policy decides which commands of a definition may run. It is pure:
// it reads no file, asks no system and starts nothing.
//
// A policy comes from files of three layers: managed, user and project.
// [ParseFile] reads one, [Combine] makes the [Policy] that is in force. Files
// only tighten one another: what one forbids no other allows, and a project's
// file allows nothing at all. What can not be read is taken for the strictest
// that it could mean, so that a slip of the pen never allows more.
// docs/policy.md describes every key.
//
// A [Rule] is a rule in the grammar that hosts have for their permissions, as in
// Bash(git log:*). It is matched against the words of one simple command, never
// against the text of a line.
package policy
