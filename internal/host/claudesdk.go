package host

import "slices"

// sdkHost is the Claude Agent SDK, which runs the Claude Code that it was published
// with: everything is that host's but the name. It takes definitions as options and not
// as files.
func sdkHost() Host {
	return Host{
		Name: "claude-sdk", Versions: []string{"0.3.329"}, View: sdkView,
		Servers: sdkServers, SDK: agentSDK, Permission: func(string) *Permission { return claudePermission(sdkClaude) },
	}
}

// sdkClaude is the version of Claude Code that comes with it.
const sdkClaude = "2.1.329"

func sdkView(string) *Profile {
	p := claudeView(sdkClaude)
	p.Facts = append(slices.Clone(p.Facts), Fact{
		CellRoots, Observed,
		"Reads the user's and the project's without settingSources; a list there leaves out the others. Versions before it read none.", "observations of k01",
	})
	return p
}
