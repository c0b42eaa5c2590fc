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

// refused says what an error of HTTP means for the user. Of the answer only its
// number is told.
func (c *session) refused() error {
	s, status := c.server, c.status()
	place := c.world.place(s)
	says := fmt.Sprintf("the server at %s refuses the token (HTTP %d)", s.URL, status)
	if status == http.StatusForbidden {
		// A name in the address that the server does not know is refused so too.
		says = fmt.Sprintf("the server at %s refuses to answer (HTTP %d)", s.URL, status)
	}
	switch {
	case status < http.StatusBadRequest:
		return failed(diag.RemoteRefused, "it is not followed; write the address that the server has now to "+place, "the server at %s leads to another address (HTTP %d)", s.URL, status)
	case c.unauthorized() && len(s.Helper) > 0:
		return failed(diag.RemoteRefused, fmt.Sprintf("see what the helper of %s prints: %s", s.Name, place), "%s", says)
	case c.unauthorized():
		var names []string
		for name, value := range s.Headers {
			if secretnames.May(name) {
				names = append(names, variables(value)...)
			}
		}
		if len(names) == 0 {
			if status == http.StatusUnauthorized {
				says = fmt.Sprintf("the server at %s asks for a token (HTTP %d)", s.URL, status)
			}
			return failed(diag.RemoteRefused, fmt.Sprintf("give it the server's token: write headers: {Authorization: Bearer ${NAME}} to %s in %s, with the token in the variable NAME", s.Name, place), "%s", says)
		}
		slices.Sort(names)
		return failed(diag.RemoteRefused, fmt.Sprintf("give it the server's token: headers of %s in %s (variable %s)", s.Name, place, strings.Join(slices.Compact(names), ", ")), "%s", says)
	case status == http.StatusNotFound || status == http.StatusMethodNotAllowed || status == http.StatusNotImplemented || status == http.StatusBadRequest || status == http.StatusGone:
		return failed(diag.RemoteRefused, "is the path right? vade serve has it at /mcp: "+place, "the server answers HTTP %d at %s", status, s.URL)
	}
	return failed(diag.RemoteRefused, "tell whoever runs the server, or take it out of "+place, "the server answers HTTP %d at %s", status, s.URL)
}

// variables are the names that a value takes from the environment.
func variables(value string) []string {
	var names []string
	for {
		_, rest, ok := strings.Cut(value, "${")
		if !ok {
			return names
		}
		name, after, _ := strings.Cut(rest, "}")
		names, value = append(names, name), after
	}
}
