package host

import "slices"

// claudeSDK is the Claude Agent SDK, which runs the Claude Code that it was
// published with: everything is that host's but the name.
func claudeSDK(version string) *Profile {
	p := claudeCode("2.1.329")
	p.Name, p.Version, p.Servers, p.Plugin = "claude-sdk", version, sdkServers(), nil
	// It takes definitions as options and not as files.
	p.Export = nil
	p.SDK = agentSDK()
	p.Facts = append(slices.Clone(p.Facts), Fact{
		CellRoots, Observed,
		"Reads the user's and the project's without settingSources; a list there leaves out the others. Versions before it read none.", "observations of k01",
	})
	return p
}
