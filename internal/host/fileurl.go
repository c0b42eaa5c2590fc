package host

import (
	"net/url"
	"strings"
)

// fileURL is the address of an absolute path.
func fileURL(path string) string {
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
