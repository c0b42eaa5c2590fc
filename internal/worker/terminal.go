package worker

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/shell"
)

// terminal is a command that an agent runs. It is treated like a command in a definition: it is
// subject to the policy and runs in the sandbox without a shell.
type terminal struct {
	cancel context.CancelFunc
	done   chan struct{}
	// These fields are set once the command has ended.
	output    string
	truncated bool
	exit      exitStatus
}

// maxTerminals is the maximum number of terminals that an agent may have open.
const maxTerminals = 32

func (g *Guard) createTerminal(ctx context.Context, p *terminalParams) (any, error) {
	command := p.Command
	if len(p.Args) > 0 {
		command = shell.Quote(append([]string{p.Command}, p.Args...))
	}
	dir := filepath.Clean(p.Cwd)
	if p.Cwd != "" && dir != filepath.Clean(g.o.Dir) && filepath.ToSlash(dir) != g.tree.Real() {
		return nil, fmt.Errorf("commands can run only in %s", g.o.Dir)
	}
	if allowed, why := g.decide(ctx, action{kind: "execute", title: command, command: command}); !allowed {
		return nil, errors.New(why)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.terminals) >= maxTerminals {
		return nil, fmt.Errorf("too many open terminals (limit: %d)", maxTerminals)
	}
	running, cancel := context.WithCancel(context.Background())
	t := &terminal{cancel: cancel, done: make(chan struct{})}
	id := fmt.Sprintf("t%d", len(g.terminals)+1)
	for g.terminals[id] != nil {
		id += "'"
	}
	g.terminals[id] = t
	g.requests++
	g.running.Add(1)
	go func() {
		defer g.leave()
		defer close(t.done)
		defer cancel()
		t.run(running, g, command, p.Limit)
	}()
	return map[string]string{"terminalId": id}, nil
}

// run runs the command. The command may be refused here even if the user allowed it, because
// Catalog.Shell runs only what the policy allows.
func (t *terminal) run(ctx context.Context, g *Guard, command string, limit int) {
	result, err := g.o.Catalog.Shell(ctx, catalog.ShellRequest{
		Command: command, Allowed: g.o.Allowed, Disallowed: g.o.Disallowed,
	})
	code := 1
	switch {
	case err != nil:
		t.output = err.Error()
	case !result.Executed && result.Error != nil:
		t.output, code = result.Error.Message, 126
	default:
		t.output, t.truncated = result.Output, result.Truncated
		if result.ExitCode != nil {
			code = *result.ExitCode
		}
	}
	if limit > 0 && len(t.output) > limit {
		t.output, t.truncated = t.output[len(t.output)-limit:], true
	}
	t.exit.Code = &code
}

func (g *Guard) useTerminal(ctx context.Context, method, id string) (any, error) {
	g.mu.Lock()
	t := g.terminals[id]
	if t != nil && method == "terminal/release" {
		delete(g.terminals, id)
	}
	g.mu.Unlock()
	if t == nil {
		return nil, errors.New("no such terminal")
	}
	switch method {
	case "terminal/kill", "terminal/release":
		t.cancel()
		return map[string]any{}, nil
	case "terminal/wait_for_exit":
		select {
		case <-t.done:
			return t.exit, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	type output struct {
		Output    string      `json:"output"`
		Truncated bool        `json:"truncated"`
		Exit      *exitStatus `json:"exitStatus,omitempty"`
	}
	select {
	case <-t.done:
		return output{t.output, t.truncated, &t.exit}, nil
	default:
		return output{}, nil
	}
}
