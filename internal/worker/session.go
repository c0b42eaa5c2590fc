package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"github.com/vadehq/vade/internal/runs"
	"github.com/vadehq/vade/internal/sandbox"
	"github.com/vadehq/vade/internal/version"
)

// session is one agent process with one session.
type session struct {
	t    Task
	o    Options
	conn *acp.Connection
	proc *sandbox.Process
	// closeStreams closes the streams to and from the agent.
	closeStreams func()

	id    string
	ready bool // whether the agent has answered initialize
	loads bool // whether the agent can load a session

	losses []string
	usage  *Usage
	errors tail // the end of stderr

	mu       sync.Mutex
	text     strings.Builder
	replay   bool // whether the agent is replaying an earlier session
	health   health
	commands []string
}

func newSession(t Task, o Options) *session {
	return &session{t: t, o: o, id: t.Session, health: newHealth(o.Limits)}
}

// run starts the program, runs the task, and stops the program.
func (s *session) run(ctx context.Context, program []string) ending {
	s.state(runs.Starting, "")
	if err := s.start(program); err != nil {
		return failed("%v", err)
	}
	defer s.stop()
	if err := s.open(ctx); err != nil {
		end := s.explain(ctx, err)
		if s.ready && end.state == runs.Failed && s.t.Session == "" && errors.Is(err, errGone) {
			end.retry = retryStart
		}
		return end
	}
	return s.converse(ctx, s.t.Messages)
}

// start starts the program and connects to it.
func (s *session) start(program []string) error {
	stdin, toAgent, err := os.Pipe()
	if err != nil {
		return err
	}
	fromAgent, stdout, err := os.Pipe()
	if err != nil {
		return errors.Join(err, stdin.Close(), toAgent.Close())
	}
	s.proc, err = sandbox.Unsandboxed{
		Args: program, Dir: s.t.Dir, Env: s.o.environ(), Stdin: stdin, Stdout: stdout, Stderr: &s.errors,
		Grace: 2 * time.Second, Bound: true,
	}.Start()
	_ = stdin.Close()
	_ = stdout.Close()
	s.closeStreams = func() { _, _ = toAgent.Close(), fromAgent.Close() }
	if err != nil {
		s.closeStreams()
		return err
	}
	go func() {
		// A process that outlives the agent may keep its output open.
		<-s.proc.Exited()
		time.Sleep(200 * time.Millisecond)
		s.closeStreams()
	}()
	s.conn = acp.NewConnection(s.handle, toAgent, fromAgent)
	s.conn.SetLogger(slog.New(slog.DiscardHandler))
	return nil
}

func (s *session) stop() {
	s.o.Guard.close()
	_ = s.proc.Stop(syscall.SIGTERM)
	s.closeStreams()
}

// open initializes the connection and opens the session within a time limit.
func (s *session) open(ctx context.Context) error {
	late := &lateError{s.o.Limits.Start}
	ctx, cancel := context.WithTimeoutCause(ctx, s.o.Limits.Start, late)
	defer cancel()
	// If an agent does not read its input, even sending a request blocks.
	defer context.AfterFunc(ctx, s.closeStreams)()
	err := s.handshake(ctx)
	if err != nil && context.Cause(ctx) == error(late) {
		return late
	}
	return err
}

func (s *session) handshake(ctx context.Context) error {
	var params initializeParams
	params.ProtocolVersion = protocolVersion
	params.Client = implementation{"vade", version.Number}
	params.Capabilities.FS.Read, params.Capabilities.FS.Write, params.Capabilities.Terminal = true, true, true
	hello, err := request[initializeResult](ctx, s, "initialize", params)
	if err != nil {
		return err
	}
	if hello.ProtocolVersion != protocolVersion {
		return errProtocol
	}
	s.ready, s.loads = true, hello.Capabilities.LoadSession
	opened, err := s.openSession(ctx)
	if err != nil {
		return err
	}
	if opened.SessionID != "" {
		s.id = opened.SessionID
	}
	if s.id == "" {
		return errors.New("the agent opened a session without an ID")
	}
	program := hello.Agent.Name + " " + hello.Agent.Version
	s.o.Journal.Add(runs.Event{Event: "session", Session: s.id, Title: program})
	return s.configure(ctx, &opened)
}

// openSession continues the task's session or opens a new one.
func (s *session) openSession(ctx context.Context) (newSessionResult, error) {
	with := newSessionParams{Cwd: s.t.Dir, MCPServers: []any{}}
	if s.t.Session != "" {
		if !s.loads {
			return newSessionResult{}, errors.New("the agent cannot resume a session")
		}
		with.SessionID = s.t.Session
		s.repeats(true)
		opened, err := request[newSessionResult](ctx, s, "session/load", with)
		s.repeats(false)
		if err == nil {
			s.t.Messages = []string{s.t.Continue}
			return opened, nil
		}
		if _, ok := errors.AsType[*acp.RequestError](err); !ok || errors.Is(err, errGone) {
			return opened, err
		}
		// The agent may not know the session: Gemini CLI 0.61.0 does not store a session until its
		// first answer.
		s.o.Journal.Add(runs.Event{Event: "step", Kind: "new session", Reason: shorten(err.Error())})
		s.t.Messages = append(slices.Clone(s.t.Messages), lostText)
		with.SessionID = ""
	}
	if s.t.System != "" {
		s.system(&with)
	}
	return request[newSessionResult](ctx, s, "session/new", with)
}

// lostText tells an agent that an earlier attempt at the task failed. It is sent alone if the agent
// can continue the session of that attempt, and after the task's messages otherwise.
const lostText = "An earlier attempt at this task was interrupted. Check what has already been done, then continue."

// repeats sets whether the agent is replaying an earlier session.
func (s *session) repeats(yes bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replay = yes
}

// system passes the system prompt to the agent. If the agent does not accept a system prompt,
// system inserts it before the task's messages.
func (s *session) system(with *newSessionParams) {
	if s.o.Launch.SystemPrompt {
		with.Meta = map[string]any{"systemPrompt": map[string]string{"append": s.t.System}}
		return
	}
	s.t.Messages = append([]string{s.t.System}, s.t.Messages...)
	s.lose(systemFirst)
}

const systemFirst = "the agent does not accept a system prompt, so it is sent before the task"

func (s *session) lose(format string, args ...any) {
	s.losses = append(s.losses, fmt.Sprintf(format, args...))
}

// configure selects the model, the effort, and the mode that makes the agent ask for permission.
func (s *session) configure(ctx context.Context, opened *newSessionResult) error {
	type choice struct {
		SessionID string `json:"sessionId"`
		Option    string `json:"configId,omitempty"`
		Value     string `json:"value,omitempty"`
		Mode      string `json:"modeId,omitempty"`
		Model     string `json:"modelId,omitempty"`
	}
	set := func(method string, c choice) error {
		c.SessionID = s.id
		_, err := request[json.RawMessage](ctx, s, method, c)
		return err
	}
	option := func(category, value string) (found bool, err error) {
		for i := range opened.Options {
			o := &opened.Options[i]
			if o.Category == category && o.has(value) {
				if o.Current == value {
					return true, nil
				}
				return true, set("session/set_config_option", choice{Option: o.ID, Value: value})
			}
		}
		return false, nil
	}
	if mode := s.o.Launch.Mode; mode != "" {
		found, err := option("mode", mode)
		for _, m := range opened.Modes.Available {
			if !found && m.ID == mode {
				found, err = true, set("session/set_mode", choice{Mode: mode})
			}
		}
		if err == nil && !found {
			err = errors.New("the mode does not exist")
		}
		if err != nil {
			// In any other mode, the agent would act without asking.
			err = fmt.Errorf("the agent does not accept the mode %s, which makes it ask before acting: %w", mode, err)
			if len(s.o.Command) > 0 {
				err = fmt.Errorf("%w; if the program is not %s, omit --host", err, s.o.Launch.ACP[0])
			}
			return err
		}
	}
	if s.t.Model != "" {
		found, err := option("model", s.t.Model)
		for _, m := range opened.Models.Available {
			if !found && m.ID == s.t.Model {
				found, err = true, set("session/set_model", choice{Model: s.t.Model})
			}
		}
		if !found || err != nil {
			s.lose("the agent does not accept the model %s", s.t.Model)
		}
	}
	if s.t.Effort != "" {
		if found, err := option("thought_level", s.t.Effort); !found || err != nil {
			s.lose("the agent does not accept the effort %s", s.t.Effort)
		}
	}
	return nil
}

// request sends a request and decodes its result.
func request[T any](ctx context.Context, s *session, method string, params any) (T, error) {
	result, err := acp.SendRequest[T](s.conn, ctx, method, params)
	select {
	case <-s.conn.Done():
		if err != nil {
			err = errors.Join(errGone, err)
		}
	default:
	}
	return result, err
}

func (s *session) state(state runs.State, reason string) {
	s.o.Journal.Add(runs.Event{Event: "state", State: state, Reason: reason})
}

// answer returns the text of the last turn.
func (s *session) answer() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// handle processes a notification from the agent, or answers a request.
func (s *session) handle(ctx context.Context, method string, params json.RawMessage) (
	any, *acp.RequestError,
) {
	if method == "session/update" {
		var p updateParams
		if json.Unmarshal(params, &p) == nil {
			s.observe(&p.Update)
		}
		return nil, nil
	}
	return s.o.Guard.answer(ctx, method, params)
}

func (s *session) observe(u *update) {
	var event *runs.Event
	s.mu.Lock()
	switch u.Kind {
	case "agent_message_chunk":
		text := u.text()
		if s.replay || text == "" {
			break
		}
		s.health.progress(time.Now())
		if room := s.o.Limits.Output - s.text.Len(); len(text) > room {
			text = strings.ToValidUTF8(text[:max(room, 0)], "")
		}
		s.text.WriteString(text)
		event = &runs.Event{Event: "text", Text: text}
	case "tool_call", "tool_call_update":
		if s.replay {
			break
		}
		if call, changed := s.health.tool(u.toolCall, time.Now()); changed {
			event = &runs.Event{
				Event: "tool", Kind: call.ToolKind, Title: shorten(call.Title), Decision: call.Status,
			}
		}
	case "agent_thought_chunk", "plan":
		s.health.progress(time.Now())
	case "available_commands_update":
		s.commands = nil
		for _, c := range u.Commands {
			s.commands = append(s.commands, c.Name)
		}
	}
	s.mu.Unlock()
	if event != nil && (event.Text != "" || event.Event != "text") {
		s.o.Journal.Add(*event)
	}
}
