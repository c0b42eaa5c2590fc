// Package textdiff makes unified diffs.
package textdiff

import (
	"bytes"

	"github.com/rogpeppe/go-internal/diff"
)

// Diff returns the changes from one text to another as a unified diff that patch
// and git apply take, or "" if there are none.
func Diff(path, before, after string) string {
	out := diff.Diff("a/"+path, []byte(before), "b/"+path, []byte(after))
	_, out, _ = bytes.Cut(out, []byte("\n")) // the line "diff a/path b/path"
	return string(out)
}
