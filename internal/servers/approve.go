package servers

import (
	"context"
	"slices"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/mcp"
	"github.com/vadehq/vade/internal/settings"
)

// approval is what the settings of a host say of a server.
type approval struct {
	state    settings.Approval
	why, fix string
}

// approvals returns what says whether the view's host uses a server: in a view of
// which that is not known, each one is. found are all servers.
func approvals(ctx context.Context, c *catalog.Catalog, found []mcp.Server) func(*mcp.Server) approval {
	rules := c.Profile.Approvals
	if rules == nil {
		return func(*mcp.Server) approval { return approval{} }
	}
	says := &c.Settings(ctx).Servers
	managed := slices.IndexFunc(found, func(s mcp.Server) bool { return s.Origins[0].Layer == definition.Managed })
	return func(s *mcp.Server) approval {
		o := &s.Origins[0]
		given := o.Layer == definition.Managed
		if rules.Alone && managed >= 0 && !given {
			return approval{settings.Denied, found[managed].Origins[0].Path + " is there, and leaves out all others", "ask whoever administers the machine"}
		}
		judged := settings.ServerJudged{
			Name: s.Name, URL: s.URL.String(), Given: given && !s.Refers(),
			Approval: o.Layer == definition.Project && o.Format == rules.Format && !o.First && o.Agent == "",
		}
		for _, w := range s.Words() {
			judged.Command = append(judged.Command, w.String())
		}
		a, why, fix := says.Judge(judged, c.Profile.Settings, rules.Same)
		return approval{a, why, fix}
	}
}
