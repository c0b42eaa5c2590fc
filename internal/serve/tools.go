package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/instructions"
)

// tool is one tool: what a model is told of it, and what it does.
type tool struct {
	name, title, description string
	parameters               []parameter
	call                     func(ctx context.Context, st *state, in *input) (string, error)
}

// parameter is one parameter of a tool; its type is a word of JSON Schema.
type parameter struct {
	name, kind, description string
	required                bool
	enum                    []string
}

// input are the arguments of a call, those of all tools together.
type input struct {
	SkillID   string `json:"skillId"`
	Filter    string `json:"filter"`
	Offset    int    `json:"offset"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	Agent     string `json:"agent"`
	File      string `json:"file"`
	Query     string `json:"query"`
	Kind      string `json:"kind"`
	Limit     int    `json:"limit"`
}

// tools are what the server offers to models. All of them only read.
func (s *Server) tools() []tool {
	agent := parameter{name: "agent", kind: "string", description: "the agent that asks, if it is one: what is for other agents is left out"}
	return []tool{
		{"load_skill", "Load a skill", "Load the instructions of one skill by its name. Call this before doing work that a skill is for; see list_skills.",
			[]parameter{{name: "skillId", kind: "string", description: "the name of the skill", required: true}, agent}, s.loadSkill},
		{"list_skills", "List skills", "List the skills that there are: a name and what it is for, one a line.",
			[]parameter{
				{name: "filter", kind: "string", description: "only those whose name or description has this text"},
				{name: "offset", kind: "integer", description: "how many to pass over"}, agent,
			}, s.listSkills},
		{"load_command", "Load a command", "Load the text of a slash command with its arguments put in.",
			[]parameter{
				{name: "name", kind: "string", description: "the name of the command, without the slash", required: true},
				{name: "arguments", kind: "string", description: "its arguments, as one would type them"}, agent,
			}, s.loadCommand},
		{"get_instructions", "Get instructions", "Get the instructions of this project for an agent and for a file that is worked on.",
			[]parameter{
				{name: "agent", kind: "string", description: "the name of the agent; leave it out for the main conversation"},
				{name: "file", kind: "string", description: "the path of a file in the project"},
			}, s.getInstructions},
		{"search_definitions", "Search definitions", "Find skills, commands and agents by words, the best first.",
			[]parameter{
				{name: "query", kind: "string", description: "words of the name or the description", required: true},
				{name: "kind", kind: "string", description: "only of this kind", enum: []string{"skill", "command", "agent", "instruction"}},
				{name: "limit", kind: "integer", description: "how many at most; 10 if left out, 50 at most"},
			}, s.searchDefinitions},
	}
}

// addTools registers the tools. They are few and do not change.
func (s *Server) addTools() {
	no := false
	for _, t := range s.tools() {
		s.mcp.AddTool(&mcp.Tool{
			Name: t.name, Title: t.title, Description: t.description, InputSchema: schemaOf(t.parameters),
			Annotations: &mcp.ToolAnnotations{Title: t.title, ReadOnlyHint: true, DestructiveHint: &no, IdempotentHint: true, OpenWorldHint: &no},
		}, s.handler(t))
	}
}

func schemaOf(parameters []parameter) map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, p := range parameters {
		property := map[string]any{"type": p.kind, "description": p.description}
		if p.enum != nil {
			property["enum"] = p.enum
		}
		properties[p.name] = property
		if p.required {
			required = append(required, p.name)
		}
	}
	schema := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		schema["required"] = required
	}
	return schema
}

// handler runs a tool. What is wrong with a call is told to the model as the result;
// only what is wrong with the server is an error of the protocol.
func (s *Server) handler(t tool) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		in, err := decodeInput(t, req.Params.Arguments)
		if err != nil {
			return toolError(err.Error()), nil
		}
		st := s.acquire()
		if st == nil {
			return nil, errClosed
		}
		defer st.release()
		text, err := t.call(ctx, st, in)
		var wrong *definition.Error
		var wire *jsonrpc.Error
		switch {
		case err == nil:
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
		case errors.As(err, &wrong):
			return toolError(errorText(wrong)), nil
		case errors.As(err, &wire):
			return toolError(wire.Message), nil
		}
		return nil, err
	}
}

// maxToolError is how long the text of an error is at most; the names of many
// skills are cut.
const maxToolError = 16 << 10

func toolError(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: cut(text, maxToolError)}}}
}

// decodeInput reads the arguments of a call: those of the tool and no others.
func decodeInput(t tool, raw json.RawMessage) (*input, error) {
	in := &input{}
	if len(bytes.TrimSpace(raw)) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	if len(raw) > worst*maxTyped {
		return nil, errTyped(t.name)
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(raw, &keys); err != nil {
		return nil, fmt.Errorf("the arguments of %s are not an object", t.name)
	}
	for key := range keys {
		known := false
		for _, p := range t.parameters {
			known = known || p.name == key
		}
		if !known {
			return nil, fmt.Errorf("%s has no argument %q", t.name, cut(key, 200))
		}
	}
	for _, p := range t.parameters {
		if _, there := keys[p.name]; p.required && !there {
			return nil, fmt.Errorf("%s needs the argument %q", t.name, p.name)
		}
	}
	if err := json.Unmarshal(raw, in); err != nil {
		return nil, fmt.Errorf("an argument of %s is of the wrong type", t.name)
	}
	if len(in.SkillID)+len(in.Filter)+len(in.Name)+len(in.Arguments)+len(in.Agent)+len(in.File)+len(in.Query)+len(in.Kind) > maxTyped {
		return nil, errTyped(t.name)
	}
	return in, nil
}

func errTyped(name string) error {
	return fmt.Errorf("the arguments of %s have more than %d KiB; give it shorter ones", name, maxTyped>>10)
}

func (s *Server) loadSkill(ctx context.Context, st *state, in *input) (string, error) {
	id := strings.TrimSpace(in.SkillID)
	d, err := st.catalog.Get(ctx, definition.Skill, id)
	if err == nil && !d.ModelInvocable() {
		return "", invalid("the skill %q is called by people only", d.Name())
	}
	skill, wrong := st.catalog.LoadSkillFor(ctx, in.Agent, id)
	if wrong != nil {
		return "", wrong
	}
	if err != nil || s.options.Remote || d.Dir() == "" {
		return skill.Content, s.fits(ctx, skill.Content)
	}
	// What the text links to is there, for a client on this machine.
	return "Base directory of this skill: " + d.Dir() + "\n\n" + skill.Content, nil
}

// maxListed is how many skills one call lists.
const maxListed = 200

func (s *Server) listSkills(ctx context.Context, st *state, in *input) (string, error) {
	if err := st.load(ctx); err != nil {
		return "", err
	}
	var b strings.Builder
	filter := strings.ToLower(strings.TrimSpace(in.Filter))
	matched, offset := 0, min(max(in.Offset, 0), len(st.listed))
	for _, d := range st.listed {
		if d.Kind() != definition.Skill || !d.ModelInvocable() || in.Agent != "" && !d.ForAgent(in.Agent) {
			continue
		}
		if filter != "" && !strings.Contains(strings.ToLower(d.Name()), filter) && !strings.Contains(strings.ToLower(d.Description()), filter) {
			continue
		}
		if matched++; matched > offset && matched <= offset+maxListed {
			fmt.Fprintf(&b, "- %s: %s\n", d.Name(), oneLine(spoken(ctx, d)))
		}
	}
	if rest := matched - offset - maxListed; rest > 0 {
		fmt.Fprintf(&b, "%d more: narrow them with filter, or go on with offset %d\n", rest, offset+maxListed)
	}
	if b.Len() == 0 {
		return "no skill matches", nil
	}
	return b.String(), nil
}

func (s *Server) loadCommand(ctx context.Context, st *state, in *input) (string, error) {
	name := strings.TrimPrefix(strings.TrimSpace(in.Name), "/")
	if name == "" {
		return "", invalid("load_command needs a name")
	}
	d, err := st.catalog.Get(ctx, definition.Command, name)
	if err != nil {
		// The library's own error names what there is.
		_, err = st.catalog.LoadFor(ctx, in.Agent, "command:"+name)
		return "", err
	}
	leave, err := s.rendering(ctx, in.Arguments)
	if err != nil {
		return "", err
	}
	defer leave()
	text, err := loadText(ctx, st.catalog, d, in.Agent, in.Arguments)
	if err != nil {
		return "", err
	}
	return text, s.fits(ctx, text)
}

// maxPath and maxDepth are how long the path of a file is, and how many directories
// there are in it.
const (
	maxPath  = 4 << 10
	maxDepth = 256
)

func (s *Server) getInstructions(ctx context.Context, st *state, in *input) (string, error) {
	var files []string
	if in.File != "" {
		if len(in.File) > maxPath || strings.Count(in.File, "/")+strings.Count(in.File, "\\") > maxDepth {
			return "", invalid("the path of the file has more than %d bytes or %d directories; give one in the project", maxPath, maxDepth)
		}
		file := path.Clean(strings.ReplaceAll(in.File, "\\", "/"))
		// Where the project is on this machine is not told to others, and not confirmed.
		if rel, below := strings.CutPrefix(file, s.root+"/"); below && s.root != "" && !s.options.Remote {
			file = rel
		}
		if !fs.ValidPath(file) {
			return "", invalid("the file %q is not in the project", cut(in.File, 200))
		}
		files = []string{file}
	}
	composed, err := instructions.Combine(ctx, st.catalog, in.Agent, files...)
	if err != nil {
		return "", err
	}
	if composed.Text == "" {
		return "there are no instructions", nil
	}
	return composed.Text, nil
}

func (s *Server) searchDefinitions(ctx context.Context, st *state, in *input) (string, error) {
	if strings.TrimSpace(in.Query) == "" {
		return "", invalid("search_definitions needs a query")
	}
	var kind definition.Kind
	if in.Kind != "" {
		var ok bool
		if kind, ok = definition.ParseKind(in.Kind); !ok {
			return "", invalid("no kind is named %q: it is skill, command, agent or instruction", cut(in.Kind, 200))
		}
	}
	limit := in.Limit
	if limit <= 0 {
		limit = 10
	}
	if err := st.load(ctx); err != nil {
		return "", err
	}
	hits, total := st.search().find(cut(in.Query, 1000), min(limit, 50), func(d catalog.Definition) bool {
		return (kind == 0 || d.Kind() == kind) && (d.Kind() != definition.Skill || d.ModelInvocable())
	})
	if total == 0 {
		return "nothing was found", nil
	}
	var b strings.Builder
	for _, h := range hits {
		fmt.Fprintf(&b, "- %s %s: %s\n", h.Kind(), h.Name(), oneLine(spoken(ctx, h.Definition)))
	}
	if total > len(hits) {
		fmt.Fprintf(&b, "%d more\n", total-len(hits))
	}
	return b.String(), nil
}

// oneLine returns a description as a line of a list.
func oneLine(s string) string { return cut(strings.Join(strings.Fields(s), " "), 500) }
