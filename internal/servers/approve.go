package servers

import (
	"context"
	"slices"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/mcp"
	"github.com/vadehq/vade/internal/settings"
)

// decision is what a host's settings say about whether the host uses a server.
type decision struct {
	state       settings.Approval
	reason, fix string
}

// decide returns a function that decides whether the view's host uses a server. If the host's rules
// are not known, every server is used. found contains all servers.
func decide(ctx context.Context, c *catalog.Catalog, found []mcp.Server) func(*mcp.Server) decision {
	rules := c.Profile.Approvals
	if rules == nil {
		return func(*mcp.Server) decision { return decision{} }
	}
	policy := &c.Settings(ctx).Servers
	managed := slices.IndexFunc(found, func(s mcp.Server) bool { return s.Origins[0].Layer == definition.Managed })
	return func(s *mcp.Server) decision {
		o := &s.Origins[0]
		isManaged := o.Layer == definition.Managed
		if rules.ManagedOnly && managed >= 0 && !isManaged {
			return decision{settings.Denied, found[managed].Origins[0].Path + " exists and excludes all other servers", "ask your administrator"}
		}
		subject := settings.ServerJudged{
			Name: s.Name, URL: s.URL.String(), Given: isManaged && !s.HasReferences(),
			Approval: o.Layer == definition.Project && o.Format == rules.Format && !o.BeforeProject && o.Agent == "",
		}
		for _, w := range s.CommandLine() {
			subject.Command = append(subject.Command, w.String())
		}
		a, why, fix := policy.Judge(subject, c.Profile.Settings, rules.Same)
		return decision{a, why, fix}
	}
}
