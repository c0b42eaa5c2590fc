package host

import (
	"strings"

	"github.com/vadehq/vade/definition"
)

// Host is what a host's package states: its name, its versions, and a function for
// each capability, which is nil where the host lacks it. None of them is called before
// it is needed, because building a profile takes longer than starting a command.
type Host struct {
	// Name is the host's name on the command line.
	Name string
	// Versions are those that were observed, the newest first.
	Versions []string
	// View builds the profile of a version without Name, Version and the members
	// below, which [Host.Profile] fills in.
	View func(version string) *Profile

	// Export, Servers, Plugin, SDK, Permission and Connect are the members of [Profile]
	// of the same names.
	Export     func() *Export
	Servers    func() *ServerFormat
	Plugin     func() *PluginExport
	SDK        func() *AgentSDK
	Permission func(version string) *Permission
	Connect    func(goos string) Connect

	// Client reports whether a name, in lowercase, is one by which the host's program
	// introduces itself to MCP servers.
	Client func(name string) bool
	// Tools returns the neutral names for one of the host's own names of tools, which
	// may be one for several; nil where it has no such tool.
	Tools func(name string) []string
	// Variable is the host's name of a variable, "" for none.
	Variable func(Variable) string
	// Bodies says which files have the host's syntax in their bodies; nil where none
	// is known by its path.
	Bodies func() *Bodies
	// AgentServers is the format of the servers under a key of the frontmatter of an
	// agent, nil where the key is not the host's.
	AgentServers func(key string, syntax definition.Format) *ServerFormat
}

// Bodies says which files have a host's syntax in their bodies: those of a format, the
// commands with a suffix, or those in one of the directories.
type Bodies struct {
	Format definition.Format
	Suffix string
	Dirs   []string
	Syntax func(definition.Kind) *Syntax
	// References are the endings of files in which "#file:path" and "#tool:name" are
	// references.
	References []string
}

// Profile builds the profile of a version.
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
	if h.SDK != nil {
		p.SDK = h.SDK()
	}
	if h.Permission != nil {
		p.Permission = h.Permission(version)
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
	case CanOptions:
		return h.SDK != nil
	case CanPermit:
		return h.Permission != nil
	case CanConnect:
		return h.Connect != nil
	}
	return false
}

// InDirs reports whether a file is in one of the directories.
func (b *Bodies) InDirs(file string) bool {
	for _, dir := range b.Dirs {
		if strings.HasPrefix(file, dir+"/") || strings.Contains(file, "/"+dir+"/") {
			return true
		}
	}
	return false
}

// NeutralName is the name of the view that sees what any host reads.
const NeutralName = "neutral"

// Capability is something that some hosts can do and others cannot.
type Capability uint8

// The capabilities, each of which is a member of a [Host] and of its [Profile].
const (
	// CanExport: files of definitions (Export).
	CanExport Capability = iota + 1
	// CanServers: a file of MCP servers (Servers).
	CanServers
	// CanPlugin: a plugin (Plugin).
	CanPlugin
	// CanOptions: options of a program's own (SDK).
	CanOptions
	// CanPermit: a check of its own of shell commands (Permission).
	CanPermit
	// CanConnect: a file that an entry for an MCP server can be added to (Connect).
	CanConnect
)
