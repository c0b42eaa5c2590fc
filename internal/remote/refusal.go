package remote

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/secret"
)

// configLocation returns the location of a server's configuration, as FILE:LINE.
func (w *Environment) configLocation(s *Server) string {
	if s.File == "" {
		return "servers.yaml"
	}
	file := s.File
	if below, ok := strings.CutPrefix(file, w.Home+"/"); ok && w.Home != "" {
		file = "~/" + below
	}
	return fmt.Sprintf("%s:%d", file, s.Line)
}

// withLocation returns err with the location of the server's configuration added to its fix. It
// returns errors other than *Error unchanged.
func (w *Environment) withLocation(s *Server, err error) error {
	var e *Error
	if !errors.As(err, &e) || s.File == "" {
		return err
	}
	named := *e
	named.Fix = fmt.Sprintf("%s; the server is configured in %s", e.Fix, w.configLocation(s))
	return &named
}

// status returns the last response's HTTP status if it was an error, or 0.
func (c *session) status() int {
	if c.http == nil {
		return 0
	}
	return int(c.http.status.Load())
}

func (c *session) unauthorized() bool {
	status := c.status()
	return status == http.StatusUnauthorized || status == http.StatusForbidden
}

// httpError describes an HTTP error status. It does not show anything else from the response.
func (c *session) httpError() error {
	s, status, location := c.server, c.status(), c.world.configLocation(c.server)
	message := fmt.Sprintf("the server at %s returned HTTP status %d", s.URL, status)
	fix := "report it to the server's operator, or remove the server from " + location
	switch {
	case status < http.StatusBadRequest:
		message = fmt.Sprintf("the server at %s redirects to another URL (HTTP %d); redirects are not followed", s.URL, status)
		fix = "update the server's URL in " + location
	case c.unauthorized():
		message = fmt.Sprintf("the server at %s denied access (HTTP %d)", s.URL, status)
		var names []string
		for name, value := range s.Headers {
			if secret.May(name) {
				for _, m := range reference().FindAllStringSubmatch(value, -1) {
					names = append(names, m[1])
				}
			}
		}
		slices.Sort(names)
		switch {
		case len(s.Helper) > 0:
			fix = fmt.Sprintf("check the output of the %s helper (%s)", s.Name, location)
		case len(names) > 0:
			fix = fmt.Sprintf("set %s in the environment to the server's token; the headers of %s use it (%s)",
				strings.Join(slices.Compact(names), ", "), s.Name, location)
		default:
			fix = fmt.Sprintf("to send a token, add headers: {Authorization: \"Bearer ${NAME}\"} to %s in %s "+
				"and put the token in the environment variable NAME", s.Name, location)
		}
	case slices.Contains([]int{
		http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone, http.StatusNotImplemented,
	}, status):
		fix = "check the path of the URL in " + location + "; for vade serve, it is /mcp"
	}
	return newError(diag.RemoteRefused, fix, "%s", message)
}
