package worker

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	acp "github.com/coder/acp-go-sdk"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/policy"
	"github.com/vadehq/vade/internal/run"
	"github.com/vadehq/vade/internal/runs"
	"github.com/vadehq/vade/internal/vfs"
)

// Permission determines what happens to actions that the policy does not allow.
type Permission string

// The permissions. None of them lets an agent read files that the policy protects or use tools that
// the definition excludes.
const (
	// Ask asks the user about each such action.
	Ask Permission = "ask"
	// ByPolicy refuses such actions.
	ByPolicy Permission = "policy"
	// Deny refuses all actions except reading, searching and thinking.
	Deny Permission = "deny"
)

// Guard answers an agent's requests: permissions, files and terminals. It is
// safe for concurrent use.
type Guard struct {
	o    GuardOptions
	tree *vfs.Tree
	view *vfs.View

	// If refuse is set, the guard refuses everything, because the session has no task.
	refuse bool

	// running counts the requests and terminals that have not ended.
	running sync.WaitGroup

	mu        sync.Mutex
	closed    bool
	requests  int
	open      int // number of unanswered questions to the user
	terminals map[string]*terminal
	ctx       context.Context
	cancel    context.CancelFunc
}

// GuardOptions configures a [Guard].
type GuardOptions struct {
	// Catalog is the catalog for the working directory. Its policy determines what is allowed.
	Catalog *catalog.Catalog
	// Dir is the absolute working directory. Access to files outside it is refused.
	Dir        string
	Permission Permission
	// Ask asks the user a question. It is used only if Permission is the constant [Ask].
	Ask func(ctx context.Context, question string) (bool, error)
	// If Edits is set, changes to files in Dir are allowed without asking, because Dir is the run's
	// own worktree.
	Edits bool
	// Allowed and Disallowed list the tools that the definition allows and disallows.
	Allowed, Disallowed []string
	Journal             *runs.Journal
}

// NewGuard returns a guard. The caller must close it.
func NewGuard(o GuardOptions) (*Guard, error) {
	tree, err := vfs.Open(filepath.ToSlash(o.Dir), vfs.Options{})
	if err != nil {
		return nil, err
	}
	p, _ := o.Catalog.EffectivePolicy()
	g := &Guard{o: o, tree: tree, terminals: map[string]*terminal{}}
	g.view = vfs.NewView(vfs.ViewOptions{Trees: []*vfs.Tree{tree}, Dir: tree.Real(), Hidden: run.Hidden(p)})
	g.ctx, g.cancel = context.WithCancel(context.Background())
	return g, nil
}

// Close ends all requests and terminals, and releases the guard's directory.
func (g *Guard) Close() error {
	g.mu.Lock()
	g.closed = true
	g.cancel()
	g.mu.Unlock()
	g.close()
	g.running.Wait()
	return g.tree.Close()
}

// close ends all terminals.
func (g *Guard) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, t := range g.terminals {
		t.cancel()
	}
	clear(g.terminals)
}

// asking reports whether a question to the user is still unanswered.
func (g *Guard) asking() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.open > 0
}

// refuseAll withdraws questions to the user because the turn is being canceled.
func (g *Guard) refuseAll() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.cancel()
	g.ctx, g.cancel = context.WithCancel(context.Background())
}

// enter registers a new request. It returns false if too many requests and terminals are open or
// the guard is closed.
func (g *Guard) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed || g.requests >= maxRequests {
		return false
	}
	g.requests++
	g.running.Add(1)
	return true
}

func (g *Guard) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.requests--
	g.running.Done()
}

func (g *Guard) answer(ctx context.Context, method string, data json.RawMessage) (any, *acp.RequestError) {
	if g.refuse {
		return nil, acp.NewMethodNotFound(method)
	}
	if !g.enter() {
		return nil, &acp.RequestError{Code: internalError, Message: "too many concurrent requests"}
	}
	defer g.leave()
	var result any
	var err error
	switch method {
	case "session/request_permission":
		result, err = with(data, func(p *permissionParams) (any, error) { return g.permission(ctx, p), nil })
	case "fs/read_text_file":
		result, err = with(data, g.read)
	case "fs/write_text_file":
		result, err = with(data, func(p *fileParams) (any, error) { return g.write(ctx, p) })
	case "terminal/create":
		result, err = with(data, func(p *terminalParams) (any, error) { return g.createTerminal(ctx, p) })
	case "terminal/output", "terminal/wait_for_exit", "terminal/kill", "terminal/release":
		result, err = with(data, func(p *terminalParams) (any, error) {
			return g.useTerminal(ctx, method, p.Terminal)
		})
	default:
		return nil, acp.NewMethodNotFound(method)
	}
	if err != nil {
		if r := (*acp.RequestError)(nil); errors.As(err, &r) {
			return nil, r
		}
		return nil, &acp.RequestError{Code: internalError, Message: err.Error()}
	}
	return result, nil
}

// internalError is the JSON-RPC code for an internal error.
const internalError = -32603

// with decodes a request's parameters, calls answer with them and returns its result.
func with[T any](data json.RawMessage, answer func(*T) (any, error)) (any, error) {
	var p T
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, acp.NewInvalidParams(err.Error())
	}
	return answer(&p)
}

// maxRequests is the maximum number of requests and terminals that an agent may have open.
const maxRequests = 64

// permission answers a permission request. Vade never grants permission for future calls.
func (g *Guard) permission(ctx context.Context, p *permissionParams) any {
	allowed, _ := g.decide(ctx, actionOf(&p.Call))
	kinds := []string{"reject_once", "reject_always"}
	if allowed {
		kinds = []string{"allow_once"}
	}
	type outcome struct {
		Outcome  string `json:"outcome"`
		OptionID string `json:"optionId,omitempty"`
	}
	answer := outcome{Outcome: "cancelled"}
	for _, kind := range kinds {
		for _, o := range p.Options {
			if o.Kind == kind && answer.OptionID == "" {
				answer = outcome{"selected", o.ID}
			}
		}
	}
	return map[string]any{"outcome": answer}
}

// decide determines whether an action is allowed and records the decision. reason explains a
// denial, or an approval by the user.
func (g *Guard) decide(ctx context.Context, a action) (allowed bool, reason string) {
	ask, reason := g.judge(ctx, &a)
	allowed = reason == ""
	if !allowed && ask && g.o.Permission == Ask && g.o.Ask != nil {
		yes, err := g.question(ctx, &a, reason)
		switch {
		case err != nil:
			reason = "the user did not answer"
		case yes:
			allowed, reason = true, "allowed by the user"
		default:
			reason = "refused by the user"
		}
	}
	decision := "refused"
	if allowed {
		decision = "allowed"
	}
	g.o.Journal.Add(runs.Event{
		Event: "permission", Kind: a.kind, Decision: decision, Reason: reason,
		Title: cmp.Or(shorten(a.command), a.title, strings.Join(a.paths, ", ")),
	})
	return allowed, reason
}

// question asks the user a question and waits for the answer, but no longer than the turn lasts.
func (g *Guard) question(ctx context.Context, a *action, reason string) (bool, error) {
	g.mu.Lock()
	g.open++
	turn := g.ctx
	g.mu.Unlock()
	defer func() {
		g.mu.Lock()
		g.open--
		g.mu.Unlock()
	}()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(turn, cancel)()
	what := "use " + cmp.Or(a.title, "a tool")
	if a.command != "" {
		what = "run " + a.command
	} else if len(a.paths) > 0 && slices.Contains([]string{"read", "edit", "delete", "move"}, a.kind) {
		what = a.kind + " " + strings.Join(g.names(a.paths), ", ")
	}
	return g.o.Ask(ctx, fmt.Sprintf("The agent wants to %s (%s). Allow it?", what, reason))
}

// names returns the paths for use in a message, relative to the directory and without duplicates.
func (g *Guard) names(paths []string) (names []string) {
	for _, p := range paths {
		if _, rel, err := g.view.Locate(filepath.ToSlash(p)); err == nil {
			p = rel
		}
		if !slices.Contains(names, p) {
			names = append(names, p)
		}
	}
	return names
}

// judge applies the policy. reason is "" if the action is allowed. ask reports whether the user may
// override a denial.
func (g *Guard) judge(ctx context.Context, a *action) (ask bool, reason string) {
	if why := g.excluded(a); why != "" {
		return false, why
	}
	for _, p := range a.paths {
		if why := g.path(p); why != "" {
			return false, why
		}
	}
	if g.o.Permission == Deny && !slices.Contains([]string{"read", "search", "think"}, a.kind) {
		return false, "only reading is allowed (--permission deny)"
	}
	switch a.kind {
	case "read":
		if len(a.paths) == 0 {
			return true, unnamed
		}
		return false, ""
	case "search", "think":
		return false, ""
	case "edit", "delete", "move":
		if !g.o.Edits {
			return true, "files may be changed only in a worktree (--worktree)"
		}
		if len(a.paths) == 0 {
			return true, unnamed
		}
		return false, ""
	case "execute":
		if a.command == "" {
			return true, "the agent did not specify a command"
		}
		result, err := g.o.Catalog.Shell(ctx, catalog.ShellRequest{
			Command: a.command, Allowed: g.o.Allowed, Disallowed: g.o.Disallowed, DryRun: true,
		})
		switch {
		case err != nil:
			return false, err.Error()
		case result.Error != nil:
			return true, "the policy does not allow the command: " + result.Error.Message
		}
		return false, ""
	case "switch_mode":
		return false, "the agent may not switch to a mode that does not ask for permission"
	}
	return true, "no policy rule covers this action"
}

const unnamed = "the agent did not specify a file"

// excluded returns the reason the definition does not allow an action, or "". The definition's tool
// lists can only restrict what an agent may do. As in the hosts, only the list of disallowed tools
// restricts reading.
func (g *Guard) excluded(a *action) string {
	tools := toolsOf(a.kind)
	if len(tools) == 0 {
		return ""
	}
	reads := a.kind == "read" || a.kind == "search"
	names := func(rules []string, whole bool) (names []string) {
		parsed, _ := policy.ParseRules(rules...)
		for _, r := range parsed {
			if !whole || r.Pattern == "" {
				names = append(names, r.Tool)
			}
		}
		return names
	}
	has := func(list []string) bool {
		return slices.ContainsFunc(list, func(n string) bool { return n == "*" || slices.Contains(tools, n) })
	}
	if has(names(g.o.Disallowed, true)) {
		return "the definition disallows the tool " + tools[0]
	}
	if allowed := names(g.o.Allowed, false); len(allowed) > 0 && !reads && !has(allowed) {
		return "the definition does not allow the tool " + tools[0]
	}
	return ""
}
