package gemini

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// adaptations returns the settings that change the profile. The project's file names override the
// user's. Skills that either file disables are off (case h22).
func adaptations() []host.Adaptation {
	return slices.Concat(
		host.Adapting(unread(), "fileName", host.InHome, fileNames),
		host.Adapting(unread(), "fileName", host.InWorkDir, fileNames),
		host.Adapting(unread(), "disabled", host.InHome, host.SkillsOff),
		host.Adapting(unread(), "disabled", host.InWorkDir, host.SkillsOff),
	)
}

// fileNames replaces GEMINI.md with other file names, except in extensions. Files are ordered by
// name: all files with the first name, then all files with the second, and so on, according to
// memoryDiscovery.ts in Gemini CLI's source code.
func fileNames(p *host.Profile, value json.RawMessage) bool {
	names, ok := host.FileNames(value)
	if !ok {
		return false
	}
	isFile := func(r host.Root) bool {
		return r.Base != host.InPlugin && r.Single() && r.Rules[0].Kind == definition.Instruction
	}
	p.Roots = slices.DeleteFunc(p.Roots, isFile)
	rows := slices.DeleteFunc(p.Instructions.Rows, func(r host.InstructionRow) bool { return r.Layer != definition.Plugin })
	var user, project []host.InstructionRow
	for _, name := range names {
		p.Roots = append(p.Roots, host.JoinRoots(
			host.PlacesIn(definition.Project, host.InProject).File(name),
			host.PlacesIn(definition.User, host.InHome).MovedBy(homeEnv, host.EnvHome).File(".gemini/"+name),
		)...)
		user = append(user, host.InstructionRow{Layer: definition.User, Source: host.SourceUser, Dir: ".gemini", File: name})
		project = append(project, host.InstructionRow{Layer: definition.Project, Source: host.SourceProject, File: name})
	}
	p.Instructions.Rows, p.Instructions.ByRow = slices.Concat(user, rows, project), len(names) > 1
	return true
}

func connect(string) host.Connect {
	return host.Connect{
		Project: []string{".gemini/settings.json"}, User: []string{".gemini/settings.json"},
		Next: "the host reads this file only in trusted folders; to check, run /mcp in the host",
	}
}

func Configs() []host.Config {
	return []host.Config{
		host.ServersIn(definition.Project, host.InProject, ".gemini/settings.json", Servers()).WithHooks("hooks", hooks()),
		host.ServersIn(definition.User, host.InHome, ".gemini/settings.json", Servers()).MovedBy(homeEnv, host.EnvHome).WithHooks("hooks", hooks()),
	}
}

// Servers describes mcpServers in settings.json, according to Gemini CLI's documentation. Its
// source code shows that variables are replaced in the entire file.
func Servers() *host.ServerFormat {
	return &host.ServerFormat{
		Name: ".gemini/settings.json", Basis: host.Documented, Path: ".gemini/settings.json", Shared: true, Syntax: definition.Package, Key: "mcpServers",
		Types: []host.ServerWord{{Word: "http", Transport: host.HTTP}, {Word: "sse", Transport: host.SSE}, {Word: "stdio", Transport: host.Stdio}}, Untyped: true,
		Addresses: []host.ServerWord{{Word: "httpUrl", Transport: host.HTTP}, {Word: "url", Transport: host.SSE}, {Word: "tcp", Transport: host.WebSocket}},
		Args:      "args", Env: "env", Cwd: "cwd", Headers: "headers", Timeout: "timeout", Unit: time.Millisecond,
		Tools: "includeTools", NotTools: "excludeTools",
		Refs: host.RefBraces | host.RefDollar, RefsIn: host.AtAll,
		Words: []host.ServerPlace{{Word: "${extensionPath}", Var: host.VarPlugin}},
	}
}

// agentServers describes mcp_servers in a Gemini agent, according to Gemini CLI's source code.
func agentServers(key string, syntax definition.Format) *host.ServerFormat {
	if key != "mcp_servers" || syntax == definition.TOML {
		return nil
	}
	f := Servers()
	f.Name, f.Path, f.Key, f.Shared = "an agent's mcp_servers field", "", "mcp_servers", false
	return f
}

// unread returns settings keys found in the host's source (settingsSchema.ts).
func unread() []host.UnreadSetting {
	names := [2]string{"fileName", "lists the instruction files to read instead of GEMINI.md"}
	off := [2]string{"disabled", "disables skills"}
	var list []host.UnreadSetting
	for _, b := range []host.Base{host.InWorkDir, host.InHome} {
		list = append(list, host.BelowKey("context", host.UnreadIn(b, ".gemini/settings.json", "", names))...)
		list = append(list, host.BelowKey("skills", host.UnreadIn(b, ".gemini/settings.json", "", off))...)
	}
	for i := range list {
		if list[i].Base == host.InHome {
			list[i].Env, list[i].EnvDepth = homeEnv, host.EnvHome
		}
	}
	return list
}
