package serve

import (
	"context"
	"fmt"
	"slices"

	"github.com/vadehq/vade"
)

// tellPolicy writes into the log what is wrong in the files of the policy and, where
// clients ask over a network, that commands run for them or do so no longer. What was
// so in old, if there is one, is not said again.
func (s *Server) tellPolicy(ctx context.Context, old *vade.Catalog) {
	st := s.acquire()
	if st == nil {
		return
	}
	defer st.release()
	settings, diags, err := st.catalog.Policy(ctx)
	if err != nil {
		return
	}
	was := "false"
	var before []vade.Diagnostic
	if old != nil {
		earlier, found, err := old.Policy(ctx)
		if err != nil {
			return
		}
		was, _ = remoteShell(earlier)
		before = found
	}
	for _, d := range diags {
		same := func(b vade.Diagnostic) bool {
			return b.File == d.File && b.Line == d.Line && b.Message == d.Message
		}
		if !slices.ContainsFunc(before, same) {
			s.logger.Warn("the policy has an error", "code", string(d.Code), "file", fmt.Sprintf("%s:%d", d.File, d.Line), "why", d.Message, "fix", d.Fix)
		}
	}
	if now, from := remoteShell(settings); s.options.Remote && now != was {
		s.logger.Warn("the policy changed", "remote-shell", now, "file", from)
	}
}

// Serves says what the server is about: the top of the project, and whether commands
// run for those who ask over a network.
func (s *Server) Serves(ctx context.Context) (dir string, commands bool) {
	st := s.acquire()
	if st == nil {
		return s.root, false
	}
	defer st.release()
	settings, _, err := st.catalog.Policy(ctx)
	value, _ := remoteShell(settings)
	return s.root, err == nil && value == "true"
}

// remoteShell returns whether commands run for those who ask over a network, and where
// that is stated.
func remoteShell(settings []vade.Setting) (value, from string) {
	for _, setting := range settings {
		if setting.Key == "remote-shell" {
			return setting.Value, setting.Origin.String()
		}
	}
	return "false", ""
}
