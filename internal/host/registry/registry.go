// Package registry lists the hosts and answers questions about all of them: it finds profiles by
// name, builds the neutral view, and determines which host a file, tool or client belongs to.
package registry

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/agentsdk"
	"github.com/vadehq/vade/internal/host/agentskills"
	"github.com/vadehq/vade/internal/host/claude"
	"github.com/vadehq/vade/internal/host/codex"
	"github.com/vadehq/vade/internal/host/copilotcli"
	"github.com/vadehq/vade/internal/host/copilotvscode"
	"github.com/vadehq/vade/internal/host/cursor"
	"github.com/vadehq/vade/internal/host/gemini"
	"github.com/vadehq/vade/internal/host/opencode"
	"github.com/vadehq/vade/internal/host/pi"
	"github.com/vadehq/vade/internal/host/qwen"
)

// hosts returns all hosts, with the neutral one first.
func hosts() []host.Host {
	return []host.Host{
		neutralHost(),
		agentskills.Host(),
		claude.Host(),
		agentsdk.Host(),
		codex.Host(),
		copilotcli.Host(),
		copilotvscode.Host(),
		gemini.Host(),
		opencode.Host(),
		cursor.Host(),
		pi.Host(),
		qwen.Host(),
	}
}

// Profiles returns all hosts' default profiles, with the neutral one first.
func Profiles() []*host.Profile {
	var all []*host.Profile
	for _, h := range hosts() {
		all = append(all, h.Profile(defaultVersion(&h)))
	}
	return all
}

// Hosts returns all hosts' default profiles except the neutral one.
func Hosts() []*host.Profile {
	return slices.DeleteFunc(Profiles(), func(p *host.Profile) bool { return p.Name == host.NeutralName })
}

// Lookup returns a profile by name. The name may include a version ("host@1.2.3"); otherwise the
// profile is for the host's default version. For a version that was not observed, Lookup returns
// the profile for the nearest observed version and sets [host.Profile.Asked]. Lookup returns false
// if the host is unknown or the version does not consist of numbers.
func Lookup(name string) (*host.Profile, bool) {
	name, version, pinned := strings.Cut(name, "@")
	for _, h := range hosts() {
		if h.Name != name {
			continue
		}
		if !pinned {
			version = defaultVersion(&h)
		}
		known, ok := nearest(h.Versions, version)
		if !ok {
			return nil, false
		}
		p := h.Profile(known)
		if known != version {
			p.Asked = version
		}
		return p, true
	}
	return nil, false
}

func defaultVersion(h *host.Host) string { return cmp.Or(h.Default, h.Versions[0]) }

// VersionsOf returns a host's observed versions, newest first. The name may include a version.
// VersionsOf returns nil if the host is unknown.
func VersionsOf(name string) []string {
	name, _, _ = strings.Cut(name, "@")
	for _, h := range hosts() {
		if h.Name == name {
			return h.Versions
		}
	}
	return nil
}

// Names returns the names that Lookup accepts, without versions.
func Names() []string {
	var names []string
	for _, h := range hosts() {
		names = append(names, h.Name)
	}
	return names
}

// RealNames returns the names that Lookup accepts, except the neutral one, followed by the names
// with versions that Versions returns.
func RealNames() []string {
	return slices.DeleteFunc(append(Names(), Versions()...), func(name string) bool { return name == host.NeutralName })
}

// Versions returns NAME@VERSION for each version of the hosts with more than one observed version.
func Versions() []string {
	var names []string
	for _, h := range hosts() {
		for _, v := range h.Versions {
			if len(h.Versions) > 1 {
				names = append(names, h.Name+"@"+v)
			}
		}
	}
	return names
}

// With returns the names of the hosts that have a capability, in [Profiles] order. It does not
// build profiles.
func With(a host.Capability) []string {
	var names []string
	for _, h := range hosts() {
		if h.Has(a) {
			names = append(names, h.Name)
		}
	}
	return names
}

// SDKs returns all SDKs and the names of their hosts.
func SDKs() (sdks []*host.AgentSDK, names []string) {
	for _, h := range hosts() {
		if h.SDK != nil {
			sdks, names = append(sdks, h.SDK()), append(names, h.Name)
		}
	}
	return sdks, names
}

// Connectable returns the names of the hosts that have a file to which an MCP server entry can be
// added; see [host.Profile.ConnectFiles].
func Connectable() []string { return With(host.CanConnect) }

// PermissionModes returns all hosts' permission modes, without duplicates.
func PermissionModes() []string {
	var all []string
	for _, h := range hosts() {
		if h.Permission == nil {
			continue
		}
		for _, mode := range h.Permission(defaultVersion(&h)).Modes {
			if !slices.Contains(all, mode) {
				all = append(all, mode)
			}
		}
	}
	return all
}

// OfMCPClient returns the host whose program identifies itself to MCP servers with the given name.
// The result is in the form that [Lookup] accepts, and includes the version if that version was
// observed. ok is false for other programs.
func OfMCPClient(name, version string) (as string, ok bool) {
	name = strings.ToLower(strings.TrimSpace(name))
	if name == "" {
		return "", false
	}
	for _, h := range hosts() {
		if h.Client == nil || !h.Client(name) {
			continue
		}
		if slices.Contains(h.Versions, version) {
			return h.Name + "@" + version, true
		}
		return h.Name, true
	}
	return "", false
}

// NeutralTools returns the neutral names for a tool's name in any host. One name may represent
// several tools. NeutralTools returns nil if no host has the tool. The neutral name of an MCP
// server's tool is "mcp__server__tool".
func NeutralTools(word string) []string {
	if slices.Contains(host.AllTools(), word) || strings.HasPrefix(word, "mcp__") {
		return []string{word}
	}
	if word == "" {
		return nil
	}
	for _, h := range hosts() {
		if h.Tools == nil {
			continue
		}
		if list := h.Tools(word); list != nil {
			return list
		}
	}
	return nil
}

// VariableOf returns the variable to which name refers in a body. name is the text between the
// braces, as in ${name}. VariableOf returns NoVariable if no host has the variable.
func VariableOf(name string) host.Variable {
	for _, h := range hosts() {
		if h.Variable == nil {
			continue
		}
		for v := host.SkillDir; v <= host.SessionID; v++ {
			if h.Variable(v) == name {
				return v
			}
		}
	}
	return host.NoVariable
}

// SyntaxAt returns the syntax of a file's body. If the file's format, suffix or directory
// identifies a host, SyntaxAt returns that host's syntax. Otherwise, it returns the neutral syntax.
// The path is relative to the project root or the user's home directory. SyntaxAt returns nil for
// agents and instructions.
func SyntaxAt(k definition.Kind, format definition.Format, file string) *host.Syntax {
	if k == definition.Agent || k == definition.Instruction {
		return nil
	}
	var all []*host.Bodies
	for _, h := range hosts() {
		if h.Bodies != nil {
			all = append(all, h.Bodies())
		}
	}
	for _, fits := range []func(*host.Bodies) bool{
		func(b *host.Bodies) bool { return b.Format != 0 && b.Format == format },
		func(b *host.Bodies) bool {
			return k == definition.Command && b.Suffix != "" && hasSuffix(file, b.Suffix)
		},
		func(b *host.Bodies) bool { return b.InDirs(file) },
	} {
		if i := slices.IndexFunc(all, fits); i >= 0 {
			return all[i].Syntax(k)
		}
	}
	return claude.Syntax(k)
}

// HasReferences reports whether "#file:path" and "#tool:name" are references in
// a file with this name.
func HasReferences(file string) bool {
	for _, h := range hosts() {
		if h.Bodies != nil && slices.ContainsFunc(h.Bodies().References, func(suffix string) bool { return hasSuffix(file, suffix) }) {
			return true
		}
	}
	return false
}

func hasSuffix(file, suffix string) bool { return strings.HasSuffix(strings.ToLower(file), suffix) }

// AgentServers returns the format of the servers in an agent's frontmatter, given their key and the
// file's syntax. If several hosts use the key, AgentServers chooses the host that reads files in
// that syntax.
func AgentServers(key string, syntax definition.Format) *host.ServerFormat {
	for _, h := range hosts() {
		if h.AgentServers == nil {
			continue
		}
		if f := h.AgentServers(key, syntax); f != nil {
			return f
		}
	}
	f := host.MCPJSON()
	f.Name, f.Path = "an agent's mcpServers field", ""
	return f
}
