// Package textdiff creates unified diffs.
package textdiff

import (
	"bytes"

	"github.com/rogpeppe/go-internal/diff"
)

// Diff returns the changes between two texts as a unified diff for patch and
// git apply, or "" if the texts are equal.
func Diff(path, before, after string) string {
	out := diff.Diff("a/"+path, []byte(before), "b/"+path, []byte(after))
	_, out, _ = bytes.Cut(out, []byte("\n")) // the line "diff a/path b/path"
	return string(out)
}
