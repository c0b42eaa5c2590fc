package serve

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/instructions"
)

// tool is one tool: its description for models, and what it does.
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
	agent := parameter{
		name: "agent", kind: "string",
		description: "the name of the calling agent, if it is one: leaves out what is for other agents",
	}
	return []tool{
		{
			"load_skill", "Load a skill",
			"Load the instructions of one skill by its name. Call this before work that a skill is for; see list_skills.",
			[]parameter{{name: "skillId", kind: "string", description: "the name of the skill", required: true}, agent},
			s.loadSkill,
		},
		{
			"list_skills", "List skills",
			"List available skills with one-line descriptions. Call this at the start of a task, then call load_skill.",
			[]parameter{
				{name: "filter", kind: "string", description: "only skills whose name or description contains this text"},
				{name: "offset", kind: "integer", description: "how many skills to skip"}, agent,
			},
			s.listSkills,
		},
		{
			"load_command", "Load a command", "Load the text of a slash command with its arguments inserted.",
			[]parameter{
				{name: "name", kind: "string", description: "the name of the command, without the slash", required: true},
				{name: "arguments", kind: "string", description: "its arguments, as a user would type them"}, agent,
			},
			s.loadCommand,
		},
		{
			"get_instructions", "Get instructions",
			"Get the instructions of this project for an agent and for the file being edited.",
			[]parameter{
				{name: "agent", kind: "string", description: "the name of the agent; omit it for the main conversation"},
				{name: "file", kind: "string", description: "the path of a file in the project"},
			},
			s.getInstructions,
		},
		{
			"search_definitions", "Search definitions", "Search skills, commands and agents by words; best matches first.",
			[]parameter{
				{name: "query", kind: "string", description: "words of the name or the description", required: true},
				{
					name: "kind", kind: "string", description: "only this kind",
					enum: []string{"skill", "command", "agent", "instruction"},
				},
				{name: "limit", kind: "integer", description: "maximum number of results; default 10, maximum 50"},
			},
			s.searchDefinitions,
		},
	}
}

// addTools registers the tools. They are few and do not change.
func (s *Server) addTools() {
	no := false
	for _, t := range s.tools() {
		s.mcp.AddTool(&mcp.Tool{
			Name: t.name, Title: t.title, Description: t.description, InputSchema: schemaOf(t.parameters),
			Annotations: &mcp.ToolAnnotations{
				Title: t.title, ReadOnlyHint: true, DestructiveHint: &no, IdempotentHint: true, OpenWorldHint: &no,
			},
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
			return nil, internal("the server is shutting down")
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
	if len(raw) > maxTyped {
		return nil, fmt.Errorf("the arguments of %s are longer than %d KiB; give it shorter ones", t.name, maxTyped>>10)
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
	return in, nil
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
		return skill.Content, nil
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
		if filter != "" && !strings.Contains(strings.ToLower(d.Name()+"\n"+d.Description()), filter) {
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
	return loadText(ctx, st.catalog, d, in.Agent, in.Arguments)
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
			return "", invalid("the path of the file is longer than %d bytes or %d directories", maxPath, maxDepth)
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
	composed, err := instructions.BuildForAgent(ctx, st.catalog, in.Agent, files...)
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
	found := search(st.listed, cut(in.Query, 1000), func(d catalog.Definition) bool {
		return (kind == 0 || d.Kind() == kind) && (d.Kind() != definition.Skill || d.ModelInvocable())
	})
	if len(found) == 0 {
		return "nothing was found", nil
	}
	var b strings.Builder
	for _, d := range found[:min(limit, 50, len(found))] {
		fmt.Fprintf(&b, "- %s %s: %s\n", d.Kind(), d.Name(), oneLine(spoken(ctx, d)))
	}
	if rest := len(found) - min(limit, 50); rest > 0 {
		fmt.Fprintf(&b, "%d more\n", rest)
	}
	return b.String(), nil
}

// oneLine returns a description as a line of a list.
func oneLine(s string) string { return cut(strings.Join(strings.Fields(s), " "), 500) }

// The weights of the words of a name, of a title or keyword, and of a description, and
// the parameters of BM25 that are usual for short texts.
const (
	nameWeight  = 4
	titleWeight = 2
	textWeight  = 1
	saturation  = 1.2
	lengthPart  = 0.5
	maxTerms    = 64
)

// search returns the definitions that have words of a query and that keep accepts, the
// best first by BM25 over names, titles, keywords and descriptions. It keeps no index:
// reading the descriptions of 100,000 definitions takes a fraction of a second, and an
// index of them would take as much memory as they do.
func search(listed []catalog.Definition, query string, keep func(catalog.Definition) bool) []catalog.Definition {
	terms := map[string]int{}
	for word := range words(query) {
		if _, known := terms[string(word)]; !known && len(terms) < maxTerms {
			terms[string(word)] = len(terms)
		}
	}
	type match struct {
		catalog.Definition
		length, score float64
		weights       []float64
	}
	var matches []match
	frequency, total := make([]float64, len(terms)), 0.0
	for _, d := range listed {
		m := match{Definition: d}
		add := func(text string, weight float64) {
			for word := range words(text) {
				m.length++
				if term, ok := terms[string(word)]; ok {
					if m.weights == nil {
						m.weights = make([]float64, len(terms))
					}
					m.weights[term] += weight
				}
			}
		}
		add(d.Name(), nameWeight)
		for _, k := range d.Keywords() {
			add(k, titleWeight)
		}
		if d.Title() != d.Name() {
			add(d.Title(), titleWeight)
		}
		add(d.Description(), textWeight)
		add(d.WhenToUse(), textWeight)
		total += m.length
		if m.weights == nil {
			continue
		}
		matches = append(matches, m)
		for term, weight := range m.weights {
			if weight > 0 {
				frequency[term]++
			}
		}
	}
	all := float64(len(listed))
	for i := range matches {
		m := &matches[i]
		long := 1 - lengthPart + lengthPart*m.length/max(total/all, 1)
		for term, weight := range m.weights {
			rare := math.Log(1 + (all-frequency[term]+0.5)/(frequency[term]+0.5))
			m.score += rare * weight * (saturation + 1) / (weight + saturation*long)
		}
	}
	matches = slices.DeleteFunc(matches, func(m match) bool { return !keep(m.Definition) })
	slices.SortFunc(matches, func(a, b match) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.Kind(), b.Kind()), cmp.Compare(a.Name(), b.Name()))
	})
	found := make([]catalog.Definition, len(matches))
	for i := range matches {
		found[i] = matches[i].Definition
	}
	return found
}

// words yields the words of a text in lowercase: runs of letters and digits, divided where
// an uppercase letter follows a lowercase one. Plurals count as the singular. A word is
// valid until the next one.
func words(text string) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		var word []byte
		end := func() bool {
			n := len(word)
			if n > 3 && word[n-1] == 's' && word[n-2] != 's' {
				n--
			}
			goOn := n == 0 || yield(word[:n])
			word = word[:0]
			return goOn
		}
		before := rune(0)
		for _, r := range text {
			letter := unicode.IsLetter(r) || unicode.IsDigit(r)
			if (!letter || unicode.IsUpper(r) && unicode.IsLower(before)) && !end() {
				return
			}
			if letter {
				word = utf8.AppendRune(word, unicode.ToLower(r))
			}
			before = r
		}
		end()
	}
}
