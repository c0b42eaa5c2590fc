package serve

import (
	"context"
	"fmt"
	"slices"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/policy"
)

// policySaid is a policy as it was at some time.
type policySaid struct {
	settings []policy.Setting
	diags    []diag.Diagnostic
}

// saidBy is the policy of a catalog as it is now, nil where it is not known.
func saidBy(ctx context.Context, c *catalog.Catalog) *policySaid {
	settings, diags, err := c.Policy(ctx)
	if err != nil {
		return nil
	}
	return &policySaid{settings, diags}
}

// tellPolicy writes into the log what is wrong in the files of the policy and, where
// clients ask over a network, that commands run for them or do so no longer. What was
// so before, if that is known, is not said again.
func (s *Server) tellPolicy(ctx context.Context, earlier *policySaid) {
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
	var before []diag.Diagnostic
	if earlier != nil {
		was, _ = remoteShell(earlier.settings)
		before = earlier.diags
	}
	for _, d := range diags {
		same := func(b diag.Diagnostic) bool {
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
func remoteShell(settings []policy.Setting) (value, from string) {
	for _, setting := range settings {
		if setting.Key == "remote-shell" {
			return setting.Value, setting.Origin.String()
		}
	}
	return "false", ""
}
