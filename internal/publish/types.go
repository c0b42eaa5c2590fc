package publish

import (
	"cmp"
	"path"
	"strings"
)

// mediaTypes are the media types by file extension. None is one that a browser runs.
var mediaTypes = map[string]string{
	".md": "text/markdown", ".markdown": "text/markdown", ".csv": "text/csv", ".py": "text/x-python",
	".sh": "text/x-shellscript", ".bash": "text/x-shellscript",
	".json": "application/json", ".yaml": "application/yaml", ".yml": "application/yaml",
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
	".pdf": "application/pdf", ".zip": "application/zip", ".gz": "application/gzip", ".tgz": "application/gzip",
}

const textExtensions = " .txt .toml .js .mjs .ts .go .rs .rb .css .html .htm .svg .xml .sql .tmpl .ini .cfg  "

// TypeOf returns the media type of a file by its extension. It does not ask the system,
// so that it is the same everywhere.
func TypeOf(name string) string {
	ext := strings.ToLower(path.Ext(name))
	if strings.Contains(textExtensions, " "+ext+" ") {
		return "text/plain"
	}
	return cmp.Or(mediaTypes[ext], "application/octet-stream")
}
