package serve

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
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
	params, _ := req.GetParams().(*mcp.ListPromptsParams)
	cursor := ""
	if params != nil {
		cursor = params.Cursor
	}
	after, err := decodeCursor(cursor)
	if err != nil {
		return nil, err
	}
	from := 0
	if cursor != "" {
		i, found := slices.BinarySearchFunc(st.prompts, after, func(p prompt, name string) int { return strings.Compare(p.name, name) })
		from = i
		if found {
			from++
		}
	}
	to := min(from+s.options.PageSize, len(st.prompts))
	res := &mcp.ListPromptsResult{Cacheable: s.cacheable(listTTL), Prompts: []*mcp.Prompt{}}
	for _, p := range st.prompts[from:to] {
		res.Prompts = append(res.Prompts, describePrompt(ctx, p))
	}
	if to < len(st.prompts) {
		res.NextCursor = encodeCursor(st.prompts[to-1].name)
	}
	return res, nil
}

func describePrompt(ctx context.Context, p prompt) *mcp.Prompt {
	out := &mcp.Prompt{Name: p.name, Description: cut(spoken(ctx, p.Definition), maxDescription)}
	if p.Title() != p.name {
		out.Title = p.Title()
	}
	for _, a := range argumentsOf(p.Arguments(), p.ArgumentHint()) {
		out.Arguments = append(out.Arguments, &mcp.PromptArgument{Name: a.name, Description: a.description, Required: a.required})
	}
	return out
}

// promptResult is the answer of prompts/get. The SDK's own type says that it is
// complete only where one of the SDK's own handlers has made it.
type promptResult struct {
	mcp.ResultBase
	ResultType  string               `json:"resultType,omitempty"`
	Description string               `json:"description,omitempty"`
	Messages    []*mcp.PromptMessage `json:"messages"`
}

// typedResults is the revision since which each result says of what type it is
// (documented: schema of 2026-07-28).
const typedResults = "2026-07-28"

// resultTypeFor is the type of a complete result for whoever asks, "" where its
// revision knows no types.
func resultTypeFor(req mcp.Request) string {
	if session, ok := req.GetSession().(*mcp.ServerSession); ok && session != nil {
		if p := session.InitializeParams(); p != nil && p.ProtocolVersion < typedResults {
			return ""
		}
	}
	return resultComplete
}

// getPrompt answers prompts/get. The text is what the host of the client would make
// of the call where that host has the file in force itself, and else what any host
// gets.
func (s *Server) getPrompt(ctx context.Context, st *state, req mcp.Request) (mcp.Result, error) {
	params, ok := req.GetParams().(*mcp.GetPromptParams)
	if !ok || params == nil {
		return nil, invalid("prompts/get needs a name")
	}
	p, ok := st.find(params.Name)
	if !ok {
		return nil, invalid("no prompt is named %q", cut(params.Name, 200))
	}
	size := 0
	for name, value := range params.Arguments {
		size += len(name) + len(value)
	}
	if size > maxTyped {
		return nil, invalid("the arguments of the prompt %q have more than %d KiB; give it shorter ones", p.name, maxTyped>>10)
	}
	declared := argumentsOf(p.Arguments(), p.ArgumentHint())
	for _, a := range declared {
		if a.required && strings.TrimSpace(params.Arguments[a.name]) == "" {
			return nil, invalid("the prompt %q needs the argument %q", p.name, a.name)
		}
	}
	for name := range params.Arguments {
		if !slices.ContainsFunc(declared, func(a argument) bool { return a.name == name }) {
			return nil, invalid("the prompt %q has no argument %q", p.name, cut(name, 200))
		}
	}
	typed := line(declared, params.Arguments)
	leave, err := s.rendering(ctx, typed)
	if err != nil {
		return nil, err
	}
	defer leave()
	out := &promptResult{ResultType: resultTypeFor(req), Description: cut(p.Description(), maxDescription)}
	if catalog, err := s.viewFor(ctx, st, req); err != nil {
		return nil, err
	} else if catalog != nil {
		messages, err := s.asHost(ctx, catalog, p, typed)
		if err != nil {
			return nil, err
		}
		if messages != nil {
			if err := s.fits(ctx, textsOf(messages)...); err != nil {
				return nil, err
			}
			out.Messages = messages
			return out, nil
		}
	}
	text, err := loadText(ctx, st.catalog, p.Definition, "", typed)
	if err != nil {
		return nil, callError(err)
	}
	if err := s.fits(ctx, text); err != nil {
		return nil, err
	}
	out.Messages = []*mcp.PromptMessage{userText(text)}
	return out, nil
}

func textsOf(messages []*mcp.PromptMessage) (texts []string) {
	for _, m := range messages {
		if t, ok := m.Content.(*mcp.TextContent); ok {
			texts = append(texts, t.Text)
		}
	}
	return texts
}

// maxRemote is how many bytes the text of one rendering has for clients elsewhere; for
// one on this machine it is the 8 MiB of the renderer.
const maxRemote = 4 << 20

// shortLine is how many bytes of arguments can make no text large of which its author
// has not written much.
const shortLine = 4 << 10

// rendering takes a place to render with arguments. Long ones, which a text may repeat,
// have few.
func (s *Server) rendering(ctx context.Context, typed string) (leave func(), err error) {
	if len(typed) <= shortLine {
		return func() {}, nil
	}
	return s.making.enter(ctx)
}

// fits reports a rendering that is too long for who asks, and counts another one.
func (s *Server) fits(ctx context.Context, texts ...string) error {
	length, cost := 0, int64(plainResult)
	for _, text := range texts {
		length += len(text)
		cost += textCost(text)
	}
	if s.options.Remote && length > maxRemote {
		return invalid("the text would have more than %d MiB; give it shorter arguments, or read the files of the definition one by one", maxRemote>>20)
	}
	return s.held.hold(ctx, cost)
}

// asHost renders a prompt in the view of a host; nil where that host has not the
// file, or would run what may not run here.
func (s *Server) asHost(ctx context.Context, catalog *catalog.Catalog, p prompt, typed string) ([]*mcp.PromptMessage, error) {
	r, ok, err := catalog.RenderCall(ctx, p.Name(), p.Path(), typed)
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
			list = append(list, userText("Contents of "+s.shown(a.Path)+":\n\n"+*a.Content))
		}
	}
	return list, nil
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

// complete answers completion/complete for the arguments of prompts.
func (s *Server) complete(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	for _, x := range s.extensions {
		if x.Complete != nil {
			if values, ok := x.Complete(ctx, req.Params); ok {
				return completed(values), nil
			}
		}
	}
	if req.Params.Ref.Type != "ref/prompt" {
		return nil, invalid("nothing is known of the reference %q", cut(req.Params.Ref.URI, 200))
	}
	st, err := s.hold(ctx)
	if err != nil {
		return nil, err
	}
	defer st.release()
	p, ok := st.find(req.Params.Ref.Name)
	if !ok {
		return nil, invalid("no prompt is named %q", cut(req.Params.Ref.Name, 200))
	}
	var values []string
	for _, a := range argumentsOf(p.Arguments(), p.ArgumentHint()) {
		if a.name != req.Params.Argument.Name {
			continue
		}
		for _, v := range a.values {
			if strings.HasPrefix(strings.ToLower(v), strings.ToLower(req.Params.Argument.Value)) {
				values = append(values, v)
			}
		}
		return completed(values), nil
	}
	return nil, invalid("the prompt %q has no argument %q", p.name, cut(req.Params.Argument.Name, 200))
}

// maxCompletions is how many values one answer has at most, by the protocol.
const maxCompletions = 100

func completed(values []string) *mcp.CompleteResult {
	total := len(values)
	if values == nil {
		values = []string{}
	}
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{
		Values: values[:min(total, maxCompletions)], Total: total, HasMore: total > maxCompletions,
	}}
}

// viewFor returns the view that prompts are rendered in: that of the host that the
// server was told, or of the client by its name; nil for none.
func (s *Server) viewFor(ctx context.Context, st *state, req mcp.Request) (*catalog.Catalog, error) {
	if s.options.As != "" {
		return st.catalog, nil
	}
	as, ok := registry.OfMCPClient(clientOf(req))
	if !ok {
		return nil, nil
	}
	catalog, _, err := st.view(ctx, as)
	return catalog, err
}

// clientOf returns the name and the version of the client of a request. Clients of
// older revisions do not say their name with each request over HTTP: then it is that
// of their User-Agent.
func clientOf(req mcp.Request) (name, version string) {
	if r, ok := req.(interface{ ClientInfo() *mcp.Implementation }); ok {
		if info := r.ClientInfo(); info != nil && info.Name != "" {
			return info.Name, info.Version
		}
	}
	if extra := req.GetExtra(); extra != nil && extra.Header != nil {
		product, _, _ := strings.Cut(extra.Header.Get("User-Agent"), " ")
		name, version, _ = strings.Cut(product, "/")
	}
	return name, version
}

func userText(text string) *mcp.PromptMessage {
	return &mcp.PromptMessage{Role: "user", Content: &mcp.TextContent{Text: text}}
}

// encodeCursor makes a cursor of the name behind which a page begins. It stays good
// when the catalog changes.
func encodeCursor(name string) string { return base64.RawURLEncoding.EncodeToString([]byte(name)) }

func decodeCursor(cursor string) (string, error) {
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return "", invalid("the cursor is none of this server's")
	}
	return string(b), nil
}

// invalid is the error for parameters that mean nothing.
func invalid(format string, args ...any) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

// callError makes an error of the protocol of one of the library.
func callError(err error) error {
	var e *definition.Error
	if errors.As(err, &e) {
		return invalid("%s", errorText(e))
	}
	return err
}

// errorText is what a client is told of an error of the library. Its advice is for those who
// have the command line, but for what the client itself can do.
func errorText(e *definition.Error) string {
	text := cut(e.Message, maxToolError)
	if e.Code == diag.SizeLimit {
		text = cmp.Or(text, "the text would be too long") + "; " + e.Fix
	}
	return text + " [" + string(e.Code) + "]"
}

// cut returns the beginning of a text, at most n bytes.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n-len("…")], "") + "…"
}
