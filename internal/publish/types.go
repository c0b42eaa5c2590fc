package publish

import (
	"cmp"
	"path"
	"strings"
)

// TypeOf returns the media type for a file name. Browsers execute none of these types. TypeOf does
// not use the system's MIME database, so results are the same everywhere.
func TypeOf(name string) string {
	types := map[string]string{
		".md": "text/markdown", ".markdown": "text/markdown", ".csv": "text/csv", ".py": "text/x-python",
		".sh": "text/x-shellscript", ".bash": "text/x-shellscript", ".json": "application/json",
		".yaml": "application/yaml", ".yml": "application/yaml", ".pdf": "application/pdf",
		".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif",
		".webp": "image/webp", ".zip": "application/zip", ".gz": "application/gzip", ".tgz": "application/gzip",
	}
	for _, ext := range strings.Fields("txt toml js mjs ts go rs rb css html htm svg xml sql tmpl ini cfg") {
		types["."+ext] = "text/plain"
	}
	types[""] = "text/plain"
	return cmp.Or(types[strings.ToLower(path.Ext(name))], "application/octet-stream")
}
