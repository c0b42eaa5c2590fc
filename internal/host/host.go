package host

import (
	"strings"

	"github.com/vadehq/vade/definition"
)

// Host is what a host's package provides: the host's name, its versions, and a function for each
// capability. A function is nil if the host lacks the capability. Functions are called only when
// needed, because building every profile would slow down each command.
type Host struct {
	// Name is the host's name on the command line.
	Name string
	// Versions lists the observed versions, newest first.
	Versions []string
	// Default is the version to use if a user does not specify one. "" means the newest version.
	Default string
	// View builds the profile for a version. It leaves Name, Version and the fields below unset;
	// [Host.Profile] sets them.
	View func(version string) *Profile

	// SDK describes the host's SDK, if programs can pass definitions to the host as options of an
	// SDK.
	SDK func() *AgentSDK
	// Export, Servers, Plugin, Permission, Connect, Launch and Sessions build
	// the [Profile] fields of the same names.
	Export     func() *Export
	Servers    func() *ServerFormat
	Plugin     func() *PluginExport
	Permission func(version string) *Permission
	Connect    func(goos string) Connect
	Launch     func() *Launch
	Sessions   func() *Sessions

	// Client reports whether the host's program identifies itself to MCP
	// servers by the given lowercase name.
	Client func(name string) bool
	// Tools returns the neutral names for one of the host's tools. It returns nil if the host does
	// not have the tool.
	Tools func(name string) []string
	// Variable returns the host's name for a variable, or "" if the host does not have the
	// variable.
	Variable func(Variable) string
	// Bodies describes which files use the host's syntax in their bodies. It is nil if the syntax
	// cannot be determined from a file's path.
	Bodies func() *Bodies
	// AgentServers returns the format of the MCP servers under the given key in an agent's
	// frontmatter, or nil if the host does not support the key.
	AgentServers func(key string, syntax definition.Format) *ServerFormat
}

// Bodies describes which files use a host's syntax in their bodies: files in the given format,
// commands with the given suffix, and files in the given directories.
type Bodies struct {
	Format definition.Format
	Suffix string
	Dirs   []string
	Syntax func(definition.Kind) *Syntax
	// References lists the suffixes of files in which "#file:path" and "#tool:name" are references.
	References []string
}

// Profile builds the profile for a version.
func (h *Host) Profile(version string) *Profile {
	p := h.View(version)
	p.Name, p.Version, p.Connect = h.Name, version, h.Connect
	if h.Export != nil {
		p.Export = h.Export()
	}
	if h.Servers != nil {
		p.Servers = h.Servers()
	}
	if h.Plugin != nil {
		p.Plugin = h.Plugin()
	}
	if h.Permission != nil {
		p.Permission = h.Permission(version)
	}
	if h.Launch != nil {
		p.Launch = h.Launch()
	}
	if h.Sessions != nil {
		p.Sessions = h.Sessions()
	}
	return p
}

// Has reports whether the host has a capability.
func (h *Host) Has(a Capability) bool {
	switch a {
	case CanExport:
		return h.Export != nil
	case CanServers:
		return h.Servers != nil
	case CanPlugin:
		return h.Plugin != nil
	case CanPermit:
		return h.Permission != nil
	case CanConnect:
		return h.Connect != nil
	case CanLaunch:
		return h.Launch != nil
	case HasSessions:
		return h.Sessions != nil
	}
	return false
}

// InDirs reports whether a file is in any of the directories.
func (b *Bodies) InDirs(file string) bool {
	for _, dir := range b.Dirs {
		if strings.HasPrefix(file, dir+"/") || strings.Contains(file, "/"+dir+"/") {
			return true
		}
	}
	return false
}

// NeutralName is the name of the neutral view, which combines most hosts' directories.
const NeutralName = "neutral"

// Capability is a feature that only some hosts have.
type Capability uint8

// Capabilities. Each corresponds to a field in [Host].
const (
	// CanExport means that Vade can write definition files for the host (Export).
	CanExport Capability = iota + 1
	// CanServers means that the host has an MCP server file (Servers).
	CanServers
	// CanPlugin means that Vade can write a plugin for the host (Plugin).
	CanPlugin
	// CanPermit means that the host checks shell commands itself (Permission).
	CanPermit
	// CanConnect means that the host has a file to which an MCP server entry
	// can be added (Connect).
	CanConnect
	// CanLaunch means that the host's program can run a task (Launch).
	CanLaunch
	// HasSessions means that Vade can read the sessions that the host records (Sessions).
	HasSessions
)
