package serve

import (
	"cmp"
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

// maxDescription limits the size of a description in a prompt list, in bytes.
const maxDescription = 2048

// listPrompts answers prompts/list.
func (s *Server) listPrompts(ctx context.Context, st *state, req mcp.Request) (mcp.Result, error) {
	cursor := ""
	if p, ok := req.GetParams().(*mcp.ListPromptsParams); ok && p != nil {
		cursor = p.Cursor
	}
	page, next, err := pageOf(st.prompts, cursor, s.options.PageSize, st.promptKey)
	if err != nil {
		return nil, err
	}
	res := &mcp.ListPromptsResult{Cacheable: cacheable(listTTL), Prompts: []*mcp.Prompt{}, NextCursor: next}
	for _, d := range page {
		p := &mcp.Prompt{Name: st.promptName(d), Description: cut(auditedDescription(ctx, d), maxDescription)}
		if d.Title() != p.Name {
			p.Title = d.Title()
		}
		for _, a := range argumentsOf(d.Arguments(), d.ArgumentHint()) {
			argument := &mcp.PromptArgument{Name: a.name, Description: a.description, Required: a.required}
			p.Arguments = append(p.Arguments, argument)
		}
		res.Prompts = append(res.Prompts, p)
	}
	return res, nil
}

// promptResult is the result of prompts/get. The SDK's own type cannot be used,
// because the SDK sets resultType only in results from its own handlers.
type promptResult struct {
	mcp.ResultBase
	ResultType  string               `json:"resultType,omitempty"`
	Description string               `json:"description,omitempty"`
	Messages    []*mcp.PromptMessage `json:"messages"`
}

// maxArgumentBytes limits the total size of a prompt's or tool's arguments, in bytes.
const maxArgumentBytes = 64 << 10

// getPrompt answers prompts/get. If the client is a host that uses the same file, the messages are
// those that the host itself would send. Otherwise, the text is the output of vade load.
func (s *Server) getPrompt(ctx context.Context, st *state, req mcp.Request) (mcp.Result, error) {
	params, ok := req.GetParams().(*mcp.GetPromptParams)
	if !ok || params == nil {
		return nil, invalid("prompts/get: missing parameter \"name\"")
	}
	d, ok := st.prompt(params.Name)
	if !ok {
		return nil, invalid("unknown prompt %q; call prompts/list", cut(params.Name, 200))
	}
	size := 0
	for name, value := range params.Arguments {
		size += len(name) + len(value)
	}
	if size > maxArgumentBytes {
		return nil, invalid("the prompt arguments are longer than %d KiB; shorten them", maxArgumentBytes>>10)
	}
	declared := argumentsOf(d.Arguments(), d.ArgumentHint())
	for _, a := range declared {
		if a.required && strings.TrimSpace(params.Arguments[a.name]) == "" {
			return nil, invalid("prompt %q: missing argument %q", params.Name, a.name)
		}
	}
	for name := range params.Arguments {
		if !slices.ContainsFunc(declared, func(a argument) bool { return a.name == name }) {
			return nil, invalid("prompt %q: unknown argument %q", params.Name, cut(name, 200))
		}
	}
	args := argumentLine(declared, params.Arguments)
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
		if out.Messages, err = s.renderAsHost(ctx, view, d, args); err != nil {
			return nil, err
		}
		if out.Messages != nil {
			return out, nil
		}
	}
	text, err := loadText(ctx, st.catalog, d, "", args)
	if err != nil {
		return nil, callError(err)
	}
	out.Messages = []*mcp.PromptMessage{userText(text)}
	return out, nil
}

// viewFor returns the view in which to render prompts. If Options.As is set, that is the served
// view. Otherwise, it is the view for the host identified by the client's name, or nil if the
// client is not a known host or too many views are open.
func (s *Server) viewFor(ctx context.Context, st *state, req mcp.Request) (*catalog.Catalog, error) {
	if s.options.As != "" {
		return st.catalog, nil
	}
	host, ok := registry.OfMCPClient(clientOf(req))
	if !ok {
		return nil, nil
	}
	return st.hostView(ctx, host)
}

// renderAsHost renders a prompt in a host's view. It returns no messages if the host does not use
// the file or the file cannot be rendered, for example because the host would run a command that
// the policy does not allow. If the text is too long, it returns an error.
func (s *Server) renderAsHost(
	ctx context.Context, view *catalog.Catalog, d catalog.Definition, args string,
) ([]*mcp.PromptMessage, error) {
	r, ok, err := view.RenderCall(ctx, d.Name(), d.Path(), args)
	if err != nil || !ok {
		return nil, err
	}
	if r.Error != nil {
		if r.Error.Code == diag.SizeLimit {
			// Falling back to the neutral rendering would not help, because it would not be
			// shorter.
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
			// Clients know project files by their paths relative to the project root.
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

// loadText returns the text that an agent gets when it loads a command or skill with the given
// arguments.
func loadText(ctx context.Context, c *catalog.Catalog, d catalog.Definition, agent, args string) (string, error) {
	request := strings.TrimSpace(d.Kind().String() + ":" + d.Name() + " " + args)
	if d.Kind() == definition.Skill {
		// A request for a skill accepts arguments only if it starts with a slash. If a command has
		// the skill's name, request the skill explicitly.
		if _, err := c.Get(ctx, definition.Command, d.Name()); errors.Is(err, definition.ErrNotFound) {
			request = strings.TrimSpace("/" + d.Name() + " " + args)
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

// maxCompletions is the protocol's limit on the number of values in a completion result.
const maxCompletions = 100

// complete answers completion/complete for prompt arguments.
func (s *Server) complete(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	ref, argument := req.Params.Ref, req.Params.Argument
	if ref.Type != "ref/prompt" {
		return nil, invalid("unknown reference %q; only prompt arguments are completed", cut(ref.URI, 200))
	}
	st, err := s.acquireLoaded(ctx)
	if err != nil {
		return nil, err
	}
	defer st.release()
	d, ok := st.prompt(ref.Name)
	if !ok {
		return nil, invalid("unknown prompt %q; call prompts/list", cut(ref.Name, 200))
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
	return nil, invalid("prompt %q: unknown argument %q", ref.Name, cut(argument.Name, 200))
}

type argument struct {
	name, description string
	required          bool
	// values lists the allowed values if the hint specifies any.
	values []string
	// rest reports whether the argument takes the rest of the line.
	rest bool
}

// freeText is the name of the only argument of a definition that does not declare any. Its value is
// everything that a user would type after the name.
const freeText = "arguments"

// argumentsOf returns the arguments in a definition's "arguments" field. Without that field, it
// parses a hint that consists of bracketed words: <x> is required and [x] is optional. Any other
// hint describes a single free-text argument.
func argumentsOf(names []string, hint string) []argument {
	if len(names) > 0 {
		list := make([]argument, len(names))
		for i, n := range names {
			list[i] = argument{name: n}
		}
		applyHint(list, hint)
		return list
	}
	if list, ok := parseHint(hint); ok {
		return list
	}
	return []argument{{name: freeText, description: cmp.Or(hint, "text after the command name"), rest: true}}
}

// applyHint adds descriptions, required flags and values from the hint to declared arguments. A
// hint that cannot be parsed or has a different number of arguments becomes the description of each
// argument.
func applyHint(list []argument, hint string) {
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

// maxArguments limits the number of arguments in a hint.
const maxArguments = 16

// parseHint parses a hint that consists only of bracketed words, such as "[file] <level>",
// "[a|b|c]" or "<name...>". For any other hint, ok is false.
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
		a, usable := parseHintItem(inner)
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

// parseHintItem parses the text between one pair of brackets and reports whether it is valid.
func parseHintItem(inner string) (argument, bool) {
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

// argumentLine joins argument values into the line that a user would type. It omits arguments after
// the last one with a value. Missing values before it become empty words.
func argumentLine(declared []argument, values map[string]string) string {
	last := -1
	for i, a := range declared {
		if values[a.name] != "" {
			last = i
		}
	}
	var words []string
	tail := ""
	for _, a := range declared[:last+1] {
		if a.rest {
			tail = values[a.name]
			break
		}
		words = append(words, values[a.name])
	}
	return strings.TrimSpace(catalog.TypedArguments(words) + " " + tail)
}
