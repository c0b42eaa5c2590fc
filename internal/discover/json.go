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

// is reports whether a file of a manifest's name is a plugin's manifest.
func (m manifest) is(h host.Manifest) bool {
	if h.Schema == "" && len(h.Needs) == 0 || m.has(h.Needs) {
		return true
	}
	var schema string
	return h.Schema != "" && json.Unmarshal(m["$schema"], &schema) == nil && strings.Contains(schema, h.Schema)
}

func isNotExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// unreadable is the diagnostic of a file that could not be opened.
func unreadable(shown string, err error) diag.Diagnostic {
	code, fix := whyUnreadable(err)
	return diag.For(shown, code, "not read: %v", reason(err)).WithFix("%s", fix)
}

func whyUnreadable(err error) (diag.Code, string) {
	switch {
	case errors.Is(err, vfs.ErrEncoding):
		return diag.FileUnreadable, "give it a name that is UTF-8"
	case errors.Is(err, vfs.ErrOutside):
		return diag.LinkOutside, "replace the link by the file, or move what it leads to into the project"
	case errors.Is(err, vfs.ErrLoop):
		return diag.LinkLoop, "remove the circle of links"
	case errors.Is(err, vfs.ErrHardLink):
		return diag.FileHardLink, "copy the file, so that it has one name only"
	case errors.Is(err, vfs.ErrTooLarge):
		return diag.FileTooLarge, "shorten the file"
	case errors.Is(err, vfs.ErrNotRegular), errors.Is(err, vfs.ErrDirectory):
		return diag.FileNotRegular, "put an ordinary file in its place"
	case isNotExist(err):
		return diag.LinkBroken, "remove the link, or create what it leads to"
	}
	return diag.FileUnreadable, "give yourself the right to read it"
}
