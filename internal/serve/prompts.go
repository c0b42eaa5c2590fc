package serve

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/host/registry"
)

// maxDescription is how many bytes of a description a listing has.
const maxDescription = 2048

// listPrompts answers prompts/list.
func (s *Server) listPrompts(ctx context.Context, st *state, req mcp.Request) (mcp.Result, error) {
	cursor := ""
	if p, ok := req.GetParams().(*mcp.ListPromptsParams); ok && p != nil {
		cursor = p.Cursor
	}
	from, err := pageAfter(cursor, len(st.prompts), func(i int) string { return st.promptName(st.prompts[i]) })
	if err != nil {
		return nil, err
	}
	to := min(from+s.options.PageSize, len(st.prompts))
	res := &mcp.ListPromptsResult{Cacheable: cacheable(listTTL), Prompts: []*mcp.Prompt{}}
	for _, d := range st.prompts[from:to] {
		p := &mcp.Prompt{Name: st.promptName(d), Description: cut(spoken(ctx, d), maxDescription)}
		if d.Title() != p.Name {
			p.Title = d.Title()
		}
		for _, a := range argumentsOf(d.Arguments(), d.ArgumentHint()) {
			argument := &mcp.PromptArgument{Name: a.name, Description: a.description, Required: a.required}
			p.Arguments = append(p.Arguments, argument)
		}
		res.Prompts = append(res.Prompts, p)
	}
	if to < len(st.prompts) {
		res.NextCursor = cursorAfter(st.promptName(st.prompts[to-1]))
	}
	return res, nil
}

// promptResult is the result of prompts/get. The SDK's own type states that it is
// complete only where one of the SDK's own handlers has made it.
type promptResult struct {
	mcp.ResultBase
	ResultType  string               `json:"resultType,omitempty"`
	Description string               `json:"description,omitempty"`
	Messages    []*mcp.PromptMessage `json:"messages"`
}

// maxTyped is how many bytes the arguments of a prompt or a tool have together.
const maxTyped = 64 << 10

// getPrompt answers prompts/get. The text is what the client's host would make of the
// call if that host uses the very same file, and else the text that load returns.
func (s *Server) getPrompt(ctx context.Context, st *state, req mcp.Request) (mcp.Result, error) {
	params, ok := req.GetParams().(*mcp.GetPromptParams)
	if !ok || params == nil {
		return nil, invalid("prompts/get needs a name")
	}
	d, ok := st.prompt(params.Name)
	if !ok {
		return nil, invalid("no prompt is named %q", cut(params.Name, 200))
	}
	size := 0
	for name, value := range params.Arguments {
		size += len(name) + len(value)
	}
	if size > maxTyped {
		return nil, invalid("the arguments are longer than %d KiB; give the prompt shorter ones", maxTyped>>10)
	}
	declared := argumentsOf(d.Arguments(), d.ArgumentHint())
	for _, a := range declared {
		if a.required && strings.TrimSpace(params.Arguments[a.name]) == "" {
			return nil, invalid("the prompt %q needs the argument %q", params.Name, a.name)
		}
	}
	for name := range params.Arguments {
		if !slices.ContainsFunc(declared, func(a argument) bool { return a.name == name }) {
			return nil, invalid("the prompt %q has no argument %q", params.Name, cut(name, 200))
		}
	}
	typed := line(declared, params.Arguments)
	out := &promptResult{ResultType: resultComplete, Description: cut(d.Description(), maxDescription)}
	if session, ok := req.GetSession().(*mcp.ServerSession); ok && session != nil {
		if p := session.InitializeParams(); p != nil && p.ProtocolVersion < typedResults {
			out.ResultType = ""
		}
	}
	view, err := s.viewFor(ctx, st, req)
	if err != nil {
		return nil, err
	}
	if view != nil {
		if out.Messages, err = s.asHost(ctx, view, d, typed); err != nil {
			return nil, err
		}
		if out.Messages != nil {
			return out, nil
		}
	}
	text, err := loadText(ctx, st.catalog, d, "", typed)
	if err != nil {
		return nil, callError(err)
	}
	out.Messages = []*mcp.PromptMessage{userText(text)}
	return out, nil
}

// viewFor returns the view that prompts are rendered in: that of the host in the options,
// or of the client by its name; nil for none.
func (s *Server) viewFor(ctx context.Context, st *state, req mcp.Request) (*catalog.Catalog, error) {
	if s.options.As != "" {
		return st.catalog, nil
	}
	host, ok := registry.OfMCPClient(clientOf(req))
	if !ok {
		return nil, nil
	}
	return st.view(ctx, host)
}

// asHost renders a prompt in the view of a host. It returns nil if the host does not use
// the file, or would run a command that may not run here.
func (s *Server) asHost(
	ctx context.Context, view *catalog.Catalog, d catalog.Definition, typed string,
) ([]*mcp.PromptMessage, error) {
	r, ok, err := view.RenderCall(ctx, d.Name(), d.Path(), typed)
	if err != nil || !ok {
		return nil, err
	}
	if r.Error != nil {
		if r.Error.Code == diag.SizeLimit {
			// Another rendering would be no shorter.
			return nil, callError(r.Error)
		}
		return nil, nil
	}
	var list []*mcp.PromptMessage
	for _, m := range r.Messages {
		list = append(list, userText(m.Text))
	}
	for _, a := range r.Attached {
		if a.Content != nil {
			// Clients see paths in the project relative to its top.
			path := a.Path
			if s.root != "" {
				path = strings.TrimPrefix(path, s.root+"/")
			}
			list = append(list, userText("Contents of "+path+":\n\n"+*a.Content))
		}
	}
	return list, nil
}

func userText(text string) *mcp.PromptMessage {
	return &mcp.PromptMessage{Role: "user", Content: &mcp.TextContent{Text: text}}
}

// loadText returns the text of a command or a skill with its arguments, as an agent
// asks for it.
func loadText(ctx context.Context, c *catalog.Catalog, d catalog.Definition, agent, typed string) (string, error) {
	request := strings.TrimSpace(d.Kind().String() + ":" + d.Name() + " " + typed)
	if d.Kind() == definition.Skill {
		// As a command, which takes arguments; where a command has the name too,
		// the skill is loaded as one.
		if _, err := c.Get(ctx, definition.Command, d.Name()); errors.Is(err, definition.ErrNotFound) {
			request = strings.TrimSpace("/" + d.Name() + " " + typed)
		}
	}
	r, err := c.LoadFor(ctx, agent, request)
	if err != nil {
		return "", err
	}
	if r.Command != nil {
		return r.Command.Text, nil
	}
	var texts []string
	for i := range r.Skills {
		texts = append(texts, r.Skills[i].Text)
	}
	return strings.Join(texts, "\n\n"), nil
}

// maxCompletions is how many values one result has at most, by the protocol.
const maxCompletions = 100

// complete answers completion/complete for the arguments of prompts.
func (s *Server) complete(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	ref, argument := req.Params.Ref, req.Params.Argument
	if ref.Type != "ref/prompt" {
		return nil, invalid("nothing is known of the reference %q", cut(ref.URI, 200))
	}
	st, err := s.hold(ctx)
	if err != nil {
		return nil, err
	}
	defer st.release()
	d, ok := st.prompt(ref.Name)
	if !ok {
		return nil, invalid("no prompt is named %q", cut(ref.Name, 200))
	}
	for _, a := range argumentsOf(d.Arguments(), d.ArgumentHint()) {
		if a.name != argument.Name {
			continue
		}
		values := []string{}
		for _, v := range a.values {
			if strings.HasPrefix(strings.ToLower(v), strings.ToLower(argument.Value)) {
				values = append(values, v)
			}
		}
		total := len(values)
		return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{
			Values: values[:min(total, maxCompletions)], Total: total, HasMore: total > maxCompletions,
		}}, nil
	}
	return nil, invalid("the prompt %q has no argument %q", ref.Name, cut(argument.Name, 200))
}

// argument is one argument of a prompt.
type argument struct {
	name, description string
	required          bool
	// values are those that it can have, where the hint lists them.
	values []string
	// rest: it is all that is typed, or all behind the ones before it.
	rest bool
}

// wholeLine is the argument of what declares none: all that one would type behind
// the name.
const wholeLine = "arguments"

// argumentsOf returns the arguments that a definition declares: by its field
// "arguments", or else by a hint that consists of words in brackets, <that> has to
// be given and [that] has not. Any other hint describes the whole line.
func argumentsOf(names []string, hint string) []argument {
	if len(names) > 0 {
		list := make([]argument, len(names))
		for i, n := range names {
			list[i] = argument{name: n}
		}
		describe(list, hint)
		return list
	}
	if list, ok := parseHint(hint); ok {
		return list
	}
	return []argument{{name: wholeLine, description: hint, rest: true}}
}

// describe takes over from a hint what it says of arguments that are declared:
// which can be left out, and their values. The hint has to name as many.
func describe(list []argument, hint string) {
	parsed, ok := parseHint(hint)
	for i := range list {
		if ok && len(parsed) == len(list) {
			p := parsed[i]
			list[i].description, list[i].required, list[i].values = p.description, p.required, p.values
		} else {
			list[i].description = hint
		}
	}
}

// maxArguments bounds what a hint is taken for.
const maxArguments = 16

// parseHint reads a hint that is nothing but words in brackets: "[file] <level>",
// "[a|b|c]", "<name...>". ok is false for any other.
func parseHint(hint string) (list []argument, ok bool) {
	rest := strings.TrimSpace(hint)
	for rest != "" {
		closing, there := map[byte]string{'[': "]", '<': ">"}[rest[0]]
		if !there || len(list) == maxArguments {
			return nil, false
		}
		inner, after, found := strings.Cut(rest[1:], closing)
		if !found || strings.ContainsAny(inner, "[]<>") {
			return nil, false
		}
		a, usable := hinted(inner)
		if !usable || slices.ContainsFunc(list, func(b argument) bool { return b.name == a.name || b.rest }) {
			return nil, false
		}
		a.required = closing == ">"
		if strings.HasPrefix(after, "...") || strings.HasPrefix(after, "…") {
			a.rest, after = true, strings.TrimPrefix(strings.TrimPrefix(after, "..."), "…")
		}
		a.description = rest[:len(rest)-len(after)]
		list, rest = append(list, a), strings.TrimSpace(after)
	}
	return list, len(list) > 0
}

// hinted reads what stands in one pair of brackets.
func hinted(inner string) (argument, bool) {
	a := argument{name: strings.TrimSpace(inner)}
	for _, dots := range []string{"...", "…"} {
		if cut, ok := strings.CutSuffix(a.name, dots); ok {
			a.name, a.rest = strings.TrimSpace(cut), true
		}
	}
	if parts := strings.Split(a.name, "|"); len(parts) > 1 {
		for _, v := range parts {
			v = strings.Trim(strings.TrimSpace(v), `"'`)
			if !isWord(v) {
				return a, false
			}
			a.values = append(a.values, v)
		}
		a.name = "choice"
	}
	a.name = strings.ReplaceAll(a.name, " ", "-")
	return a, isWord(a.name)
}

func isWord(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.:/", r)
	})
}

// line returns what one would type for the values of arguments. One that has no
// value ends it, but for those that stand before a given one, which are empty.
func line(declared []argument, given map[string]string) string {
	last := -1
	for i, a := range declared {
		if given[a.name] != "" {
			last = i
		}
	}
	var words []string
	tail := ""
	for _, a := range declared[:last+1] {
		if a.rest {
			tail = given[a.name]
			break
		}
		words = append(words, given[a.name])
	}
	return strings.TrimSpace(catalog.TypedArguments(words) + " " + tail)
}
