// Package registry lists the hosts and answers what takes more than one of them to
// know: profiles by name, the neutral view, and which host a file, a tool or a client is
// of.
package registry

import (
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

// hosts are all hosts, the neutral one first.
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

// Profiles returns the newest profile of every host, the neutral one first.
func Profiles() []*host.Profile {
	var all []*host.Profile
	for _, h := range hosts() {
		all = append(all, h.Profile(h.Versions[0]))
	}
	return all
}

// Hosts returns the newest profile of every host, without the neutral one.
func Hosts() []*host.Profile {
	return slices.DeleteFunc(Profiles(), func(p *host.Profile) bool { return p.Name == host.NeutralName })
}

// Lookup returns the profile of a name. A version may follow it ("host@1.2.3");
// without one it is the newest that was observed.
func Lookup(name string) (*host.Profile, bool) {
	name, version, pinned := strings.Cut(name, "@")
	for _, h := range hosts() {
		if h.Name != name {
			continue
		}
		if !pinned {
			version = h.Versions[0]
		}
		if !slices.Contains(h.Versions, version) {
			return nil, false
		}
		return h.Profile(version), true
	}
	return nil, false
}

// VersionsOf returns the versions of a host that Lookup knows, the newest first;
// none where no host has the name, which may have a version.
func VersionsOf(name string) []string {
	name, _, _ = strings.Cut(name, "@")
	for _, h := range hosts() {
		if h.Name == name {
			return h.Versions
		}
	}
	return nil
}

// Names returns the names that Lookup knows, without versions.
func Names() []string {
	var names []string
	for _, h := range hosts() {
		names = append(names, h.Name)
	}
	return names
}

// RealNames returns the names that Lookup knows, without that of the neutral view,
// and behind them those of Versions.
func RealNames() []string {
	return slices.DeleteFunc(append(Names(), Versions()...), func(name string) bool { return name == host.NeutralName })
}

// Versions returns the names of the hosts that were observed in more than one
// version, each with its version.
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

// With returns the names of the hosts that have a capability, in the order of
// [Profiles]. It builds no profile.
func With(a host.Capability) []string {
	var names []string
	for _, h := range hosts() {
		if h.Has(a) {
			names = append(names, h.Name)
		}
	}
	return names
}

// Connectable returns the names of the hosts that have [host.Profile.ConnectFiles].
func Connectable() []string { return With(host.CanConnect) }

// PermissionModes returns the words of the permission modes of all hosts, each
// once.
func PermissionModes() []string {
	var all []string
	for _, h := range hosts() {
		if h.Permission == nil {
			continue
		}
		for _, mode := range h.Permission(h.Versions[0]).Modes {
			if !slices.Contains(all, mode) {
				all = append(all, mode)
			}
		}
	}
	return all
}

// OfMCPClient returns the host whose program introduces itself to servers of MCP by
// a name and a version, as [Lookup] takes it: with the version where that is one
// that was observed. ok is false for a program that is no host.
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

// NeutralTools returns the neutral words for a tool by the word of any host, which
// may be one for several tools; nil where no host has it. A tool of a server is
// "mcp__server__tool".
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

// VariableOf returns what a variable of a body stands for, by its name between the
// braces; NoVariable where no host has one of the name.
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

// SyntaxAt returns the syntax in which the body of a file is written, by the
// directory that it stands in: that of the host whose directory it is, where that
// host has one of its own, else that of the neutral view. dir is below the top of
// the project or the user's home.
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

// HasReferences reports whether "#file:path" and "#tool:name" are references in a file,
// by its name.
func HasReferences(file string) bool {
	for _, h := range hosts() {
		if h.Bodies != nil && slices.ContainsFunc(h.Bodies().References, func(suffix string) bool { return hasSuffix(file, suffix) }) {
			return true
		}
	}
	return false
}

func hasSuffix(file, suffix string) bool { return strings.HasSuffix(strings.ToLower(file), suffix) }

// AgentServers is the format of the servers in the frontmatter of an agent, by the
// key that they stand under and the syntax of the file: of the hosts that have the
// key, the one that reads such files.
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
	f.Name, f.Path = "mcpServers of an agent", ""
	return f
}
