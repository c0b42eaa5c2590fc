package remote

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/secretnames"
)

// place is where a server is named, as a user writes the path.
func (w *World) place(s *Server) string {
	if s.File == "" {
		return "servers.yaml"
	}
	file := s.File
	if below, ok := strings.CutPrefix(file, w.Home+"/"); ok && w.Home != "" {
		file = "~/" + below
	}
	return fmt.Sprintf("%s:%d", file, s.Line)
}

// placed adds to the fix of an error of ours where the server is named.
func (w *World) placed(s *Server, err error) error {
	var e *Error
	if !errors.As(err, &e) || s.File == "" {
		return err
	}
	named := *e
	named.Fix = fmt.Sprintf("%s; it is named in %s", e.Fix, w.place(s))
	return &named
}

// status is the error of HTTP that the server answered with last, or 0.
func (c *session) status() int {
	if c.gate == nil {
		return 0
	}
	return int(c.gate.status.Load())
}

func (c *session) unauthorized() bool {
	status := c.status()
	return status == http.StatusUnauthorized || status == http.StatusForbidden
}

// refused says what an HTTP error means for the user. Of the answer only its status is
// shown.
func (c *session) refused() error {
	s, status, place := c.server, c.status(), c.world.place(c.server)
	says := fmt.Sprintf("the server at %s answers HTTP %d", s.URL, status)
	fix := "tell whoever runs the server, or remove it from " + place
	switch {
	case status < http.StatusBadRequest:
		says = fmt.Sprintf("the server at %s leads to another address (HTTP %d), which is not followed", s.URL, status)
		fix = "write the URL that the server has now to " + place
	case c.unauthorized():
		says = fmt.Sprintf("the server at %s refuses access (HTTP %d)", s.URL, status)
		var names []string
		for name, value := range s.Headers {
			if secretnames.May(name) {
				for _, m := range reference().FindAllStringSubmatch(value, -1) {
					names = append(names, m[1])
				}
			}
		}
		slices.Sort(names)
		switch {
		case len(s.Helper) > 0:
			fix = fmt.Sprintf("check what the helper of %s prints: %s", s.Name, place)
		case len(names) > 0:
			fix = fmt.Sprintf("give it the server's token: headers of %s in %s (variable %s)",
				s.Name, place, strings.Join(slices.Compact(names), ", "))
		default:
			fix = fmt.Sprintf("give it the server's token: write headers: {Authorization: Bearer ${NAME}} to %s in %s, "+
				"with the token in the variable NAME", s.Name, place)
		}
	case slices.Contains([]int{
		http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone, http.StatusNotImplemented,
	}, status):
		fix = "is the path right? vade serve has it at /mcp: " + place
	}
	return failed(diag.RemoteRefused, fix, "%s", says)
}
