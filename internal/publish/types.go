package publish

import (
	"path"
	"strings"
)

// TypeOf is the media type of a file, by the ending of its name. It asks nothing of
// the system, so that it is the same everywhere, and knows no type that a browser
// would run.
func TypeOf(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown":
		return "text/markdown"
	case ".json":
		return "application/json"
	case ".yaml", ".yml":
		return "application/yaml"
	case ".csv":
		return "text/csv"
	case ".png":
		return "image/png"
	case ".jpg", ".jpeg":
		return "image/jpeg"
	case ".gif":
		return "image/gif"
	case ".webp":
		return "image/webp"
	case ".pdf":
		return "application/pdf"
	case ".zip":
		return "application/zip"
	case ".gz", ".tgz":
		return "application/gzip"
	case ".py":
		return "text/x-python"
	case ".sh", ".bash":
		return "text/x-shellscript"
	case ".txt", ".toml", ".js", ".mjs", ".ts", ".go", ".rs", ".rb", ".css", ".html", ".htm", ".svg", ".xml", ".sql", ".tmpl", ".ini", ".cfg", "":
		return "text/plain"
	}
	return "application/octet-stream"
}
