package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// command is a row in the command table. aliases are separated by spaces.
type command struct {
	group, name string
	build       func(*app) *cobra.Command
	aliases     string
}

// Titles of the command groups in the help, in display order.
const (
	inspectGroup    = "Inspect"
	checkGroup      = "Check"
	installGroup    = "Install"
	shareGroup      = "Share"
	connectGroup    = "Connect"
	previewGroup    = "Preview a host"
	runGroup        = "Run"
	permissionGroup = "Permissions"
	otherGroup      = "Other"
)

// commandTable returns all commands in help order.
func commandTable() []command {
	return []command{
		{group: inspectGroup, name: "list", aliases: "ls", build: (*app).list},
		{group: inspectGroup, name: "show", build: (*app).show},
		{group: inspectGroup, name: "explain", aliases: "why", build: (*app).explain},
		{group: inspectGroup, name: "search", build: (*app).search},
		{group: inspectGroup, name: "stats", build: (*app).stats},
		{group: checkGroup, name: "check", build: (*app).check},
		{group: checkGroup, name: "audit", build: (*app).audit},
		{group: checkGroup, name: "doctor", build: (*app).doctor},
		{group: installGroup, name: "add", build: (*app).add},
		{group: installGroup, name: "update", build: (*app).update},
		{group: installGroup, name: "remove", build: (*app).remove},
		{group: installGroup, name: "verify", build: (*app).verify},
		{group: installGroup, name: "owners", build: (*app).owners},
		{group: installGroup, name: "enable", build: (*app).enable},
		{group: installGroup, name: "disable", build: (*app).disable},
		{group: installGroup, name: "clean", build: (*app).clean},
		{group: installGroup, name: "new", build: (*app).newCommand},
		{group: installGroup, name: "skillify", build: (*app).skillify},
		{group: shareGroup, name: "sync", build: (*app).sync},
		{group: shareGroup, name: "init", build: (*app).initCommand},
		{group: shareGroup, name: "import", build: (*app).importCommand},
		{group: shareGroup, name: "export", build: (*app).export},
		{group: shareGroup, name: "publish", build: (*app).publish},
		{group: connectGroup, name: "connect", build: (*app).connect},
		{group: connectGroup, name: "serve", build: (*app).serve},
		{group: connectGroup, name: "mcp", build: (*app).mcp},
		{group: connectGroup, name: "remote", aliases: "servers", build: (*app).remote},
		{group: previewGroup, name: "render", build: (*app).render},
		{group: previewGroup, name: "listing", build: (*app).listing},
		{group: previewGroup, name: "instructions", build: (*app).instructions},
		{group: previewGroup, name: "prompt", build: (*app).prompt},
		{group: runGroup, name: "run", build: (*app).run},
		{group: runGroup, name: "runs", build: (*app).runs},
		{group: runGroup, name: "probe", build: (*app).probe},
		{group: runGroup, name: "loop", build: (*app).loop},
		{group: permissionGroup, name: "policy", build: (*app).policy},
		{group: permissionGroup, name: "trust", build: (*app).trust},
		{group: permissionGroup, name: "shell", build: (*app).shell},
		{group: otherGroup, name: "load", build: (*app).load},
		{group: otherGroup, name: "rpc", build: (*app).rpc},
		{group: otherGroup, name: "schema", build: (*app).schema},
		{group: otherGroup, name: "docs", build: (*app).docs},
		{group: otherGroup, name: "completion", build: (*app).completion},
		{group: otherGroup, name: "version", build: (*app).version},
	}
}

// commandName returns the first argument that is neither a global flag nor a flag's value.
func (a *app) commandName() string {
	for i := 0; i < len(a.args) && a.args[i] != "--"; i++ {
		switch word := a.args[i]; {
		case word == "-C" || word == "--directory":
			i++
		case !strings.HasPrefix(word, "-"):
			return word
		}
	}
	return ""
}
