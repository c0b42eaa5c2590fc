// Package textdiff creates unified diffs.
package textdiff

import (
	"bytes"

	"github.com/rogpeppe/go-internal/diff"
)

// Diff returns the changes between two texts as a unified diff that patch and git apply accept. If
// the texts are equal, it returns "".
func Diff(path, before, after string) string {
	out := diff.Diff("a/"+path, []byte(before), "b/"+path, []byte(after))
	_, out, _ = bytes.Cut(out, []byte("\n")) // the line "diff a/path b/path"
	return string(out)
}
