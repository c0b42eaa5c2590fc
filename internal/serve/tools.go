package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/instructions"
	"github.com/vadehq/vade/internal/resolve"
	"github.com/vadehq/vade/internal/search"
)

// tool is an MCP tool. Models choose tools by their descriptions.
type tool struct {
	name, title, description string
	parameters               []parameter
	// call returns the result as text and, if the tool has structured results, also as a value.
	call func(ctx context.Context, st *state, in *input) (text string, data any, err error)
	// output is a value of the structured result's type, or nil.
	output any
	// changes reports whether a call may have side effects.
	changes bool
}

// parameter is a tool parameter. kind is a JSON Schema type, and alias is another accepted name.
type parameter struct {
	name, kind, description string
	alias                   string
	required                bool
	enum                    []string
}

// input holds a call's arguments. All tools share this type.
type input struct {
	Filter    string `json:"filter"`
	Offset    int    `json:"offset"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	Agent     string `json:"agent"`
	File      string `json:"file"`
	Query     string `json:"query"`
	Kind      string `json:"kind"`
	Limit     int    `json:"limit"`
	Request   string `json:"request"`
	Host      string `json:"host"`
}

// tools returns the tools offered to models. All except runTool are read-only.
func (s *Server) tools() []tool {
	tools := s.readingTools()
	if s.options.Remote {
		return tools
	}
	tools = append(tools, s.analysisTools()...)
	if s.options.Run == nil {
		return tools
	}
	if st := s.acquire(); st != nil {
		defer st.release()
		if p, _ := st.catalog.EffectivePolicy(); p.RunTool {
			return append(tools, s.runningTool())
		}
	}
	return tools
}

func (s *Server) readingTools() []tool {
	agent := parameter{
		name: "agent", kind: "string",
		description: "Name of the calling agent, such as \"code-reviewer\". Omit it in the main conversation. " +
			"Definitions restricted to other agents are omitted.",
	}
	return []tool{
		{
			"load_skill", "Load a skill",
			"Load a skill's full instructions. Call this before you start work that the skill covers, then " +
				"follow the returned text. If the name is unknown, the error suggests similar names.",
			[]parameter{
				{
					name: "name", kind: "string", alias: "skillId", required: true,
					description: "Skill name, as returned by list_skills or search_definitions.",
				},
				agent, offsetOf("text"),
			},
			textOf(s.loadSkill), nil, false,
		},
		{
			"list_skills", "List skills",
			"List available skills, one \"- name: description\" line each, 200 per call. Call this at the start of " +
				"a task. If a skill matches, call load_skill with its name.",
			[]parameter{
				{
					name: "filter", kind: "string",
					description: "Return only skills whose name or description contains this text, ignoring case.",
				},
				{name: "offset", kind: "integer", description: "Number of skills to skip. Default 0."}, agent,
			},
			s.listSkills, entries{}, false,
		},
		{
			"load_command", "Load a command",
			"Load a slash command's text with its arguments inserted. Call this when the user asks for a " +
				"command by name, then follow the returned text. To find commands, call search_definitions.",
			[]parameter{
				{
					name: "name", kind: "string", required: true,
					description: "Command name. A leading slash is optional.",
				},
				{name: "arguments", kind: "string", description: "Command arguments, as the user would type them."},
				agent, offsetOf("text"),
			},
			textOf(s.loadCommand), nil, false,
		},
		{
			"get_instructions", "Get instructions",
			"Get the project's instructions, such as AGENTS.md and the rules that apply to a file. Call this at the " +
				"start of a task, and again before you edit a file whose directory may have its own rules. Returns at " +
				"most 8 KiB; if there is more, the last line says how to get it.",
			[]parameter{
				{
					name: "agent", kind: "string",
					description: "Name of the calling agent. Omit it in the main conversation.",
				},
				{
					name: "file", kind: "string",
					description: "Path of the file to edit, relative to the project root. Adds the rules for that file.",
				},
				offsetOf("text"),
			},
			textOf(s.getInstructions), nil, false,
		},
		{
			"search_definitions", "Search definitions",
			"Search skills, commands, agents and instructions by topic. Returns \"- kind name: " +
				"description\" lines, best match first, or \"no definitions match\". Call this to find " +
				"a definition for a task, then call load_skill or load_command with its name.",
			[]parameter{
				{
					name: "query", kind: "string", required: true,
					description: "Topic to search for, in a few words. Searches names, descriptions and bodies.",
				},
				{
					name: "kind", kind: "string", description: "Return only definitions of this kind. Default: all kinds.",
					enum: []string{"skill", "command", "agent", "instruction"},
				},
				{name: "limit", kind: "integer", description: "Maximum number of results, up to 50. Default 10."},
			},
			s.searchDefinitions, entries{}, false,
		},
	}
}

// addTools registers the tools with the SDK. The set of tools never changes.
func (s *Server) addTools() {
	for _, t := range s.tools() {
		offered := &mcp.Tool{
			Name: t.name, Title: t.title, Description: t.description, InputSchema: schemaOf(t.parameters),
			Annotations: &mcp.ToolAnnotations{
				Title: t.title, ReadOnlyHint: !t.changes, DestructiveHint: &t.changes, IdempotentHint: !t.changes,
				OpenWorldHint: &t.changes,
			},
		}
		if t.output != nil {
			offered.OutputSchema = outputSchema(t.output)
		}
		s.mcp.AddTool(offered, s.handler(t))
	}
}

// textOf adapts a function that returns only text to [tool.call].
func textOf(
	call func(context.Context, *state, *input) (string, error),
) func(context.Context, *state, *input) (string, any, error) {
	return func(ctx context.Context, st *state, in *input) (string, any, error) {
		text, err := call(ctx, st, in)
		return text, nil, err
	}
}

// offsetOf returns the parameter that requests the rest of a long answer.
func offsetOf(of string) parameter {
	return parameter{name: "offset", kind: "integer", description: "Number of bytes of the " + of + " to skip, as stated in the previous answer. Default 0."}
}

func schemaOf(parameters []parameter) map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, p := range parameters {
		property := map[string]any{"type": p.kind, "description": p.description}
		if p.enum != nil {
			property["enum"] = p.enum
		}
		properties[p.name] = property
		switch {
		case p.alias != "":
			// Clients validate arguments against the schema, so the schema must accept either name.
			// The handler checks that one of them is given.
			properties[p.alias] = map[string]any{"type": p.kind, "description": "Alias for " + p.name + "."}
		case p.required:
			required = append(required, p.name)
		}
	}
	schema := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		schema["required"] = required
	}
	return schema
}

// handler returns the handler that runs a tool. For invalid arguments and definition errors, the
// handler returns a tool result with isError set, which the model sees. Only server failures are
// MCP errors.
func (s *Server) handler(t tool) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		in, err := decodeInput(t, req.Params.Arguments)
		if err != nil {
			return toolError(err.Error()), nil
		}
		st := s.acquire()
		if st == nil {
			return nil, internal("the server is shutting down")
		}
		defer st.release()
		text, data, err := t.call(ctx, st, in)
		var defErr *definition.Error
		var rpcErr *jsonrpc.Error
		switch {
		case err == nil:
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}, StructuredContent: data}, nil
		case errors.As(err, &defErr):
			return toolError(s.withNearest(ctx, st, defErr, in.Name)), nil
		case errors.As(err, &rpcErr):
			return toolError(rpcErr.Message), nil
		}
		return nil, err
	}
}

// withNearest formats an error. If the error is about an unknown name, it suggests the nearest
// names instead of listing all of them, because there can be thousands.
func (s *Server) withNearest(ctx context.Context, st *state, e *definition.Error, name string) string {
	all, kind := e.Available, definition.Command
	if e.Code == diag.SkillNotFound {
		all, kind = e.AvailableSkills, definition.Skill
	}
	if len(all) == 0 || e.Code != diag.SkillNotFound && e.Code != diag.CommandNotFound {
		return errorText(e)
	}
	name = strings.TrimPrefix(strings.TrimSpace(name), "/")
	near := resolve.Nearest(name, all)
	if len(near) == 0 && st.load(ctx) == nil {
		found, err := st.index.Search(ctx, cut(name, 200), search.Options{Limit: 3, Accept: func(d catalog.Definition) bool {
			return d.Kind() == kind && slices.Contains(all, d.Name())
		}})
		for i := 0; err == nil && i < len(found.Results); i++ {
			near = append(near, found.Results[i].Name())
		}
	}
	message, _, _ := strings.Cut(e.Message, ". Available skills")
	if len(near) > 0 {
		message += "; did you mean " + catalog.JoinOr(near) + "?"
	} else {
		message += "."
	}
	return cut(message, maxToolError) + " To find names, call search_definitions. [" + string(e.Code) + "]"
}

// page returns the part of text that starts at offset. If possible, the part ends at the end of a
// line. If more text follows, page adds a line that says how to get the rest.
func page(text string, offset, limit int) string {
	offset = min(max(offset, 0), len(text))
	for offset > 0 && offset < len(text) && !utf8.RuneStart(text[offset]) {
		offset--
	}
	rest := text[offset:]
	if len(rest) <= limit {
		return rest
	}
	end := limit
	for !utf8.RuneStart(rest[end]) {
		end--
	}
	if line := strings.LastIndexByte(rest[:end], '\n'); line > limit/2 {
		end = line + 1
	}
	return rest[:end] + fmt.Sprintf("\n[%d of %d bytes; for the rest, call again with offset %d]\n", offset+end, len(text), offset+end)
}

// Page sizes for definition text and instructions, in bytes.
const (
	textPage         = 32 << 10
	instructionsPage = 8 << 10
)

// maxToolError is the maximum size of an error message, in bytes. Longer messages are truncated.
const maxToolError = 16 << 10

func toolError(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: cut(text, maxToolError)}}}
}

// decodeInput decodes a call's arguments and rejects unknown arguments.
func decodeInput(t tool, raw json.RawMessage) (*input, error) {
	in := &input{}
	if len(bytes.TrimSpace(raw)) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	if len(raw) > maxArgumentBytes {
		return nil, fmt.Errorf("%s: the arguments are longer than %d KiB; shorten them", t.name, maxArgumentBytes>>10)
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(raw, &keys); err != nil {
		return nil, fmt.Errorf("%s: the arguments are not a JSON object", t.name)
	}
	for _, p := range t.parameters {
		if value, there := keys[p.alias]; there && p.alias != "" && keys[p.name] == nil {
			keys[p.name] = value
			delete(keys, p.alias)
		}
	}
	for key := range keys {
		if !slices.ContainsFunc(t.parameters, func(p parameter) bool { return p.name == key }) {
			return nil, fmt.Errorf("%s: unknown argument %q; use %s", t.name, cut(key, 200), parameterNames(t))
		}
	}
	for _, p := range t.parameters {
		if _, there := keys[p.name]; p.required && !there {
			return nil, fmt.Errorf("%s: missing argument %q", t.name, p.name)
		}
	}
	raw, err := json.Marshal(keys)
	if err == nil {
		err = json.Unmarshal(raw, in)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: an argument has the wrong type", t.name)
	}
	return in, nil
}

// parameterNames lists a tool's parameters for an error message.
func parameterNames(t tool) string {
	names := make([]string, len(t.parameters))
	for i, p := range t.parameters {
		names[i] = p.name
	}
	return strings.Join(names, ", ")
}

func (s *Server) loadSkill(ctx context.Context, st *state, in *input) (string, error) {
	id := strings.TrimSpace(in.Name)
	d, err := st.catalog.Get(ctx, definition.Skill, id)
	if err == nil && !d.ModelInvocable() {
		return "", invalid("only the user can invoke the skill %q", d.Name())
	}
	skill, loadErr := st.catalog.LoadSkill(ctx, in.Agent, id)
	if loadErr != nil {
		return "", loadErr
	}
	if err != nil || s.options.Remote || d.Dir() == "" {
		return page(skill.Content, in.Offset, textPage), nil
	}
	// A local client can read the files that the skill refers to.
	return page("Base directory for this skill: "+d.Dir()+"\n\n"+skill.Content, in.Offset, textPage), nil
}

// skillsPerCall limits the skills returned by one list_skills call.
const skillsPerCall = 200

func (s *Server) listSkills(ctx context.Context, st *state, in *input) (string, any, error) {
	if err := st.load(ctx); err != nil {
		return "", nil, err
	}
	filter := strings.ToLower(strings.TrimSpace(in.Filter))
	var matched []catalog.Definition
	for _, d := range st.definitions {
		if d.Kind() != definition.Skill || !d.ModelInvocable() || in.Agent != "" && !d.ForAgent(in.Agent) {
			continue
		}
		if filter == "" || strings.Contains(strings.ToLower(d.Name()+"\n"+d.Description()), filter) {
			matched = append(matched, d)
		}
	}
	offset := min(max(in.Offset, 0), len(matched))
	listed, more := part(matched, offset, skillsPerCall)
	result := entries{Definitions: []entry{}, More: more}
	var b strings.Builder
	for _, d := range listed {
		e := entryOf(ctx, d)
		result.Definitions = append(result.Definitions, e)
		fmt.Fprintf(&b, "- %s: %s\n", e.Name, e.Description)
	}
	if more > 0 {
		fmt.Fprintf(&b, "%d more; narrow the list with filter or continue at offset %d\n", more, offset+skillsPerCall)
	}
	if b.Len() == 0 {
		return "no skills match", result, nil
	}
	return b.String(), result, nil
}

func entryOf(ctx context.Context, d catalog.Definition) entry {
	return entry{d.Kind().String(), d.Name(), oneLine(auditedDescription(ctx, d))}
}

func (s *Server) loadCommand(ctx context.Context, st *state, in *input) (string, error) {
	name := strings.TrimPrefix(strings.TrimSpace(in.Name), "/")
	if name == "" {
		return "", invalid("load_command: missing argument \"name\"")
	}
	d, err := st.catalog.Get(ctx, definition.Command, name)
	if err != nil {
		// The error from LoadFor lists the available names.
		_, err = st.catalog.LoadFor(ctx, in.Agent, "command:"+name)
		return "", err
	}
	text, err := loadText(ctx, st.catalog, d, in.Agent, in.Arguments)
	return page(text, in.Offset, textPage), err
}

// maxPath limits the length of a file path, in bytes. maxDepth limits the number of directories in
// the path.
const (
	maxPath  = 4 << 10
	maxDepth = 256
)

func (s *Server) getInstructions(ctx context.Context, st *state, in *input) (string, error) {
	var files []string
	if in.File != "" {
		if len(in.File) > maxPath || strings.Count(in.File, "/")+strings.Count(in.File, "\\") > maxDepth {
			return "", invalid("the file path is longer than %d bytes or deeper than %d directories", maxPath, maxDepth)
		}
		file := path.Clean(strings.ReplaceAll(in.File, "\\", "/"))
		// Remote clients must not be able to learn the project's location, even by guessing.
		if rel, below := strings.CutPrefix(file, s.root+"/"); below && s.root != "" && !s.options.Remote {
			file = rel
		}
		if !fs.ValidPath(file) {
			return "", invalid("the file %q is not in the project", cut(in.File, 200))
		}
		// The catalog resolves relative paths against the working directory.
		files = []string{path.Join(s.root, file)}
	}
	composed, err := instructions.BuildForAgent(ctx, st.catalog, in.Agent, files...)
	if err != nil {
		return "", err
	}
	if composed.Text == "" {
		return "no instructions apply", nil
	}
	return page(composed.Text, in.Offset, instructionsPage), nil
}

func (s *Server) searchDefinitions(ctx context.Context, st *state, in *input) (string, any, error) {
	if strings.TrimSpace(in.Query) == "" {
		return "", nil, invalid("search_definitions: missing argument \"query\"")
	}
	var kind definition.Kind
	if in.Kind != "" {
		var ok bool
		if kind, ok = definition.ParseKind(in.Kind); !ok {
			return "", nil, invalid("unknown kind %q; use skill, command, agent or instruction", cut(in.Kind, 200))
		}
	}
	limit := in.Limit
	if limit <= 0 {
		limit = 10
	}
	if err := st.load(ctx); err != nil {
		return "", nil, err
	}
	found, err := st.index.Search(ctx, cut(in.Query, 1000), search.Options{Limit: min(limit, 50),
		Accept: func(d catalog.Definition) bool {
			// No tool can load workflows.
			return (kind == 0 || d.Kind() == kind) && (d.Kind() != definition.Skill || d.ModelInvocable()) &&
				d.Kind() != definition.Workflow
		}})
	if err != nil {
		return "", nil, err
	}
	result := entries{Definitions: []entry{}, More: found.More}
	if len(found.Results) == 0 {
		return "no definitions match; call list_skills for all skills", result, nil
	}
	var b strings.Builder
	for _, r := range found.Results {
		e := entryOf(ctx, r.Definition)
		result.Definitions = append(result.Definitions, e)
		fmt.Fprintf(&b, "- %s %s: %s\n", e.Kind, e.Name, e.Description)
	}
	if found.More > 0 {
		fmt.Fprintf(&b, "%d more\n", found.More)
	}
	return b.String(), result, nil
}

// oneLine collapses whitespace in s and shortens it to 500 bytes.
func oneLine(s string) string { return cut(strings.Join(strings.Fields(s), " "), 500) }
