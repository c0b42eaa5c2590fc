package discover

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/vfs"
)

func (m manifest) has(keys []string) bool {
	return slices.ContainsFunc(keys, func(k string) bool { _, ok := m[k]; return ok })
}

// is reports whether m is a plugin manifest rather than another kind of file with the same name.
func (m manifest) is(h host.Manifest) bool {
	if h.Schema == "" && len(h.Needs) == 0 || m.has(h.Needs) {
		return true
	}
	var schema string
	return h.Schema != "" && json.Unmarshal(m["$schema"], &schema) == nil && strings.Contains(schema, h.Schema)
}

func isNotExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// Unreadable returns the diagnostic for a file or directory that could not be read.
func Unreadable(shown string, err error) diag.Diagnostic {
	code, fix := whyUnreadable(err)
	return diag.For(shown, code, "cannot read: %v", reason(err)).WithFix("%s", fix)
}

func whyUnreadable(err error) (diag.Code, string) {
	switch {
	case errors.Is(err, errProtected), errors.Is(err, errSystem):
		return diag.FileProtected, "remove the symlink"
	case errors.Is(err, vfs.ErrEncoding):
		return diag.FileUnreadable, "give it a name that is valid UTF-8"
	case errors.Is(err, vfs.ErrOutside):
		return diag.LinkOutside, "replace the symlink with a copy, or move its target into the project"
	case errors.Is(err, vfs.ErrLoop):
		return diag.LinkLoop, "remove one of the symlinks in the loop"
	case errors.Is(err, vfs.ErrHardLink):
		return diag.FileHardLink, "replace the hard link with a copy"
	case errors.Is(err, vfs.ErrTooLarge):
		return diag.FileTooLarge, "shorten the file"
	case errors.Is(err, vfs.ErrNotRegular), errors.Is(err, vfs.ErrDirectory):
		return diag.FileNotRegular, "replace it with a regular file"
	case isNotExist(err):
		return diag.LinkBroken, "remove the symlink, or create its target"
	}
	return diag.FileUnreadable, "make sure that your user can read it"
}
