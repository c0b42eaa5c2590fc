package publish

import (
	"path"
	"strings"
)

// TypeOf returns the media type for a file name. Browsers execute none of these types. TypeOf does
// not use the system's MIME database, so results are the same everywhere.
func TypeOf(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case "", ".txt", ".toml", ".js", ".mjs", ".ts", ".go", ".rs", ".rb", ".css", ".html", ".htm", ".svg", ".xml", ".sql",
		".tmpl", ".ini", ".cfg":
		return "text/plain"
	case ".md", ".markdown":
		return "text/markdown"
	case ".csv":
		return "text/csv"
	case ".py":
		return "text/x-python"
	case ".sh", ".bash":
		return "text/x-shellscript"
	case ".json":
		return "application/json"
	case ".yaml", ".yml":
		return "application/yaml"
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
	}
	return "application/octet-stream"
}
