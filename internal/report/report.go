// Package report writes findings in the forms that other programs read: SARIF for
// code scanning, the workflow commands of GitHub Actions, and unified diffs of the
// edits that mend them.
package report

import (
	"github.com/vadehq/vade/internal/check/rules"
)

// Run is one check with what was found.
type Run struct {
	// Version is that of Vade, Directory the directory that the paths of findings
	// are relative to, as an absolute path with forward slashes.
	Version, Directory string
	Findings           []rules.Finding
	// Rule says what a code is about, in one line and in Markdown. Both may be "".
	Rule func(code string) (title, help string)
}
