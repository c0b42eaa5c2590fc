package host

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/vadehq/vade/internal/definition"
)

// geminiAdaptations: the project's settings replace the user's.
func geminiAdaptations() []Adaptation {
	return append(adapting(geminiUnread(), "fileName", InHome, geminiFileNames),
		adapting(geminiUnread(), "fileName", InWorkDir, geminiFileNames)...)
}

// geminiFileNames puts other files in the place of GEMINI.md; that of extensions
// stays. Of several, all of one name come before those of the next (source,
// memoryDiscovery.ts).
func geminiFileNames(p *Profile, value json.RawMessage) bool {
	names, ok := fileNames(value)
	if !ok {
		return false
	}
	isFile := func(r Root) bool {
		return r.Base != InPlugin && r.Single() && r.Rules[0].Kind == definition.Instruction
	}
	p.Roots = slices.DeleteFunc(p.Roots, isFile)
	rows := slices.DeleteFunc(p.Instructions.Rows, func(r InstructionRow) bool { return r.Layer != definition.Plugin })
	var user, project []InstructionRow
	for _, name := range names {
		p.Roots = append(p.Roots, join(
			placesIn(definition.Project, InProject).file(name),
			placesIn(definition.User, InHome).movedBy(geminiHome, EnvHome).file(".gemini/"+name),
		)...)
		user = append(user, InstructionRow{Layer: definition.User, Source: SourceUser, Dir: ".gemini", File: name})
		project = append(project, InstructionRow{Layer: definition.Project, Source: SourceProject, File: name})
	}
	p.Instructions.Rows, p.Instructions.ByRow = slices.Concat(user, rows, project), len(names) > 1
	return true
}

func geminiConnect(string) Connect {
	return Connect{
		Project: []string{".gemini/settings.json"}, User: []string{".gemini/settings.json"},
		Next: "it reads the file only in a folder that you trust; see /mcp",
	}
}

func geminiConfigs() []Config {
	return []Config{
		serversIn(definition.Project, InProject, ".gemini/settings.json", geminiServers()).withHooks("hooks"),
		serversIn(definition.User, InHome, ".gemini/settings.json", geminiServers()).movedBy(geminiHome, EnvHome).withHooks("hooks"),
	}
}

// geminiServers are the mcpServers of Gemini CLI's settings.json: documented;
// that the whole file has its variables replaced: source.
func geminiServers() *ServerFormat {
	return &ServerFormat{
		Name: ".gemini/settings.json", Basis: Documented, Path: ".gemini/settings.json", Shared: true, Syntax: definition.Package, Key: "mcpServers",
		Types: []ServerWord{{Word: "http", Transport: HTTP}, {Word: "sse", Transport: SSE}, {Word: "stdio", Transport: Stdio}}, Untyped: true,
		Addresses: []ServerWord{{Word: "httpUrl", Transport: HTTP}, {Word: "url", Transport: SSE}, {Word: "tcp", Transport: WebSocket}},
		Args:      "args", Env: "env", Cwd: "cwd", Headers: "headers", Timeout: "timeout", Unit: time.Millisecond,
		Tools: "includeTools", NotTools: "excludeTools",
		Refs: RefBraces | RefDollar, RefsIn: AtAll,
		Words: []ServerPlace{{Word: "${extensionPath}", Var: VarPlugin}},
	}
}

// geminiAgentServers are the mcp_servers of a Gemini agent: source.
func geminiAgentServers(key string, syntax definition.Format) *ServerFormat {
	if key != "mcp_servers" || syntax == definition.TOML {
		return nil
	}
	f := geminiServers()
	f.Name, f.Path, f.Key, f.Shared = "mcp_servers of an agent", "", "mcp_servers", false
	return f
}

// geminiUnread: source, settingsSchema.ts.
func geminiUnread() []UnreadSetting {
	names := [2]string{"fileName", "names the instruction files that are read in the place of GEMINI.md"}
	off := [2]string{"disabled", "switches skills off"}
	var list []UnreadSetting
	for _, b := range []Base{InWorkDir, InHome} {
		list = append(list, belowKey("context", unreadIn(b, ".gemini/settings.json", "", names))...)
		list = append(list, belowKey("skills", unreadIn(b, ".gemini/settings.json", "", off))...)
	}
	for i := range list {
		if list[i].Base == InHome {
			list[i].Env, list[i].EnvDepth = geminiHome, EnvHome
		}
	}
	return list
}
