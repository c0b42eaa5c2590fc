package worker

import (
	"bytes"
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

// session is one process of an agent with one session.
type session struct {
	t    Task
	o    Options
	conn *acp.Connection
	proc *sandbox.Process
	// closeStreams closes the streams to and from the agent.
	closeStreams func()

	id    string
	loads bool // the agent can load a session

	losses []string
	usage  *Usage
	errors tail // the end of stderr

	mu       sync.Mutex
	text     strings.Builder
	replay   bool // the agent repeats an earlier session
	health   health
	commands []string
	named    bool // commands have been announced
}

func newSession(t Task, o Options) *session {
	return &session{t: t, o: o, id: t.Session, health: newHealth(o.Limits)}
}

// retry is the next step after a process has ended.
type retry int

const (
	noRetry retry = iota
	// retryStart starts the task again, because the agent has done nothing yet.
	retryStart
	// retryLoad continues the session in a new process.
	retryLoad
)

// ending describes how a process ended.
type ending struct {
	state  runs.State
	reason string
	retry  retry
	pause  time.Duration
}

func failed(format string, args ...any) ending {
	return ending{state: runs.Failed, reason: fmt.Sprintf(format, args...)}
}

// run starts the program, runs the task and ends the program.
func (s *session) run(ctx context.Context, program []string, nudge bool) ending {
	s.state(runs.Starting, "")
	if err := s.start(program); err != nil {
		return failed("%v", err)
	}
	defer s.stop()
	starting, cancel := context.WithTimeoutCause(ctx, s.o.Limits.Start, errors.New("no session after "+s.o.Limits.Start.String()))
	// An agent that does not read its input blocks even the sending of a request.
	unblocked := context.AfterFunc(starting, s.closeStreams)
	err := s.open(starting)
	unblocked()
	defer cancel()
	if err != nil {
		end := s.explain(ctx, starting, err)
		if end.state == runs.Failed && s.t.Session == "" && errors.Is(err, errGone) {
			end.retry = retryStart
		}
		return end
	}
	messages := s.t.Messages
	if nudge {
		messages = []string{nudgeText}
	}
	return s.converse(ctx, messages)
}

// nudgeText is sent to an agent whose turn was stopped.
const nudgeText = "The last turn was stopped because it made no progress. Look at what is done, then continue in another way, or say what prevents you."

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

// stop ends the program.
func (s *session) stop() {
	s.o.Guard.close()
	_ = s.proc.Stop(syscall.SIGTERM)
	s.closeStreams()
}

// open initializes the connection and opens the session.
func (s *session) open(ctx context.Context) error {
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
	s.loads = hello.Capabilities.LoadSession
	with := newSessionParams{Cwd: s.t.Dir, MCPServers: []any{}}
	method := "session/new"
	if s.t.Session != "" {
		if !s.loads {
			return errors.New("the agent cannot continue a session")
		}
		method, with.SessionID = "session/load", s.t.Session
		s.mu.Lock()
		s.replay = true
		s.mu.Unlock()
	} else if s.t.System != "" {
		s.system(&with)
	}
	opened, err := request[newSessionResult](ctx, s, method, with)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.replay = false
	s.mu.Unlock()
	if opened.SessionID != "" {
		s.id = opened.SessionID
	}
	if s.id == "" {
		return errors.New("the agent opened a session without an ID")
	}
	s.o.Journal.Add(runs.Event{Event: "session", Session: s.id, Title: hello.Agent.Name + " " + hello.Agent.Version})
	return s.configure(ctx, &opened)
}

// system passes on the system prompt, or inserts it before the messages.
func (s *session) system(with *newSessionParams) {
	if s.o.Launch.SystemPrompt {
		with.Meta = map[string]any{"systemPrompt": map[string]string{"append": s.t.System}}
		return
	}
	s.t.Messages = append([]string{s.t.System}, s.t.Messages...)
	s.lose("the agent takes no system prompt: it is sent before the task")
}

func (s *session) lose(format string, args ...any) {
	s.losses = append(s.losses, fmt.Sprintf(format, args...))
}

// configure selects the model, the effort, and the mode in which the agent asks for permission.
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
		// In another mode the agent would act without asking.
		if err != nil || !found {
			return fmt.Errorf("the agent does not accept the mode %s, in which it asks before it acts: %w", mode, cmpErr(err))
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

func cmpErr(err error) error {
	if err == nil {
		return errors.New("it has no such mode")
	}
	return err
}

// errGone means that the program closed the connection.
var errGone = errors.New("the agent ended")

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

// converse sends the messages and supervises the turn.
func (s *session) converse(ctx context.Context, messages []string) ending {
	nudged := false
	for {
		end, problem := s.turn(ctx, messages)
		if problem == "" {
			return end
		}
		// The turn was stopped. The agent is told once; if that does not help, a new process
		// continues.
		if nudged || end.state != runs.Cancelled {
			return ending{state: runs.Failed, reason: problem, retry: retryLoad}
		}
		nudged, messages = true, []string{nudgeText}
		s.o.Journal.Add(runs.Event{Event: "step", Kind: "nudge", Reason: problem})
	}
}

// turn sends a prompt and waits for the end of the turn. problem is the reason if the turn was
// stopped because it was stuck or looping. In that case, end.state is Cancelled if the agent
// stopped when asked to.
func (s *session) turn(ctx context.Context, messages []string) (end ending, problem string) {
	params := promptParams{SessionID: s.id}
	for _, m := range messages {
		params.Prompt = append(params.Prompt, textBlock{"text", m})
	}
	s.mu.Lock()
	s.text.Reset()
	s.health.reset(time.Now())
	s.mu.Unlock()
	s.state(runs.Running, "")
	type answer struct {
		result promptResult
		err    error
	}
	turn, abandon := context.WithCancel(context.WithoutCancel(ctx))
	defer abandon()
	answered := make(chan answer, 1)
	go func() {
		r, err := request[promptResult](turn, s, "session/prompt", params)
		answered <- answer{r, err}
	}()
	tick := time.NewTicker(max(min(time.Second, s.o.Limits.Quiet/4), time.Millisecond))
	defer tick.Stop()
	done := ctx.Done()
	var give <-chan time.Time
	for {
		select {
		case a := <-answered:
			if a.result.Usage != nil {
				s.usage = a.result.Usage
			}
			if problem != "" && (a.err == nil || !errors.Is(a.err, errGone)) {
				return ending{state: runs.Cancelled}, problem
			}
			return s.ended(ctx, a.result, a.err), ""
		case <-done:
			done = nil
			problem = ""
			give = s.cancel()
		case <-give:
			return s.explain(ctx, ctx, context.DeadlineExceeded), problem
		case now := <-tick.C:
			if give != nil {
				continue
			}
			state, reason := s.check(now)
			if state == runs.Stuck || state == runs.Looping {
				problem = reason
				give = s.cancel()
			}
		}
	}
}

// cancel asks the agent to end the turn, and returns the time at which to give up.
func (s *session) cancel() <-chan time.Time {
	s.o.Guard.refuseAll()
	s.o.Journal.Add(runs.Event{Event: "step", Kind: "cancel"})
	go func() {
		_ = s.conn.SendNotification(context.Background(), "session/cancel", map[string]string{"sessionId": s.id})
	}()
	return time.After(s.o.Limits.Cancel)
}

// check updates the state based on the agent's progress.
func (s *session) check(now time.Time) (runs.State, string) {
	s.mu.Lock()
	if s.health.silent(now) {
		s.health.work(now, cpuTime(s.o.ID))
	}
	s.health.waiting = s.o.Guard.asking()
	before := s.health.state
	state, reason := s.health.at(now)
	s.mu.Unlock()
	if state != before {
		s.state(state, reason)
	}
	return state, reason
}

// ended returns the end of a turn that the agent answered.
func (s *session) ended(ctx context.Context, r promptResult, err error) ending {
	if err != nil || ctx.Err() != nil {
		return s.explain(ctx, ctx, err)
	}
	switch r.StopReason {
	case "end_turn":
		return ending{state: runs.Done}
	case "cancelled":
		return failed("the agent canceled the turn")
	case "refusal":
		return failed("the model refused to answer")
	case "max_tokens", "max_turn_requests":
		return failed("the agent reached its limit (%s)", r.StopReason)
	}
	return failed("the agent ended the turn with an unknown reason (%q)", shorten(r.StopReason))
}

// explain returns the ending for an error. running is the context of the run, ctx that of the
// request.
func (s *session) explain(running, ctx context.Context, err error) ending {
	switch cause := context.Cause(running); {
	case errors.Is(cause, errTimeout):
		return failed("%v", cause)
	case cause != nil:
		return ending{state: runs.Cancelled, reason: "canceled by the user"}
	}
	if cause := context.Cause(ctx); cause != nil {
		return failed("%v", cause)
	}
	if errors.Is(err, errGone) {
		return s.gone()
	}
	var remote *acp.RequestError
	if !errors.As(err, &remote) {
		return failed("%s", shorten(err.Error()))
	}
	text := fmt.Sprintf("%d %s %v", remote.Code, remote.Message, remote.Data)
	switch {
	case remote.Code == authRequired:
		return failed("the agent needs a login: %s", s.login())
	case containsAny(text, "429", "rate limit", "rate_limit", "529", "overloaded"):
		return ending{state: runs.Failed, reason: "the model service limits requests: " + shorten(remote.Message), retry: retryLoad, pause: s.o.Limits.Cancel}
	case containsAny(text, "ENOSPC", "no space left"):
		return failed("the disk is full: %s", shorten(remote.Message))
	}
	return failed("the agent reports an error: %s", shorten(text))
}

const authRequired = -32000

func containsAny(text string, words ...string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, strings.ToLower(w)) })
}

func (s *session) login() string {
	if s.o.Launch.Login != "" {
		return s.o.Launch.Login
	}
	return "log in with the agent's own program"
}

// gone returns the ending for a program that closed its output.
func (s *session) gone() ending {
	how := "it closed its output, or sent more than Vade can read"
	select {
	case <-s.proc.Exited():
		how = "exit code 0"
		if err := s.proc.Err(); err != nil {
			how = err.Error()
		}
	case <-time.After(time.Second):
	}
	if last := s.errors.line(); last != "" {
		how += "; it printed: " + last
	}
	return ending{state: runs.Failed, reason: "the agent ended unexpectedly (" + how + ")", retry: retryLoad}
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

// handle answers a request or notification of the agent.
func (s *session) handle(ctx context.Context, method string, params json.RawMessage) (any, *acp.RequestError) {
	if method == "session/update" {
		var p updateParams
		if json.Unmarshal(params, &p) == nil {
			s.observe(&p.Update)
		}
		return nil, nil
	}
	return s.o.Guard.answer(ctx, method, params)
}

// observe records an update.
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
			event = &runs.Event{Event: "tool", Kind: call.ToolKind, Title: shorten(call.Title), Decision: call.Status}
		}
	case "agent_thought_chunk", "plan":
		s.health.progress(time.Now())
	case "available_commands_update":
		s.commands, s.named = nil, true
		for _, c := range u.Commands {
			s.commands = append(s.commands, c.Name)
		}
	}
	s.mu.Unlock()
	if event != nil && (event.Text != "" || event.Event != "text") {
		s.o.Journal.Add(*event)
	}
}

// shorten truncates an agent's text for a message.
func shorten(s string) string {
	const most = 300
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return strings.TrimSpace(s)
}

// tail keeps the end of a stream.
type tail struct {
	mu   sync.Mutex
	data []byte
}

const maxTail = 4 << 10

// Write implements [io.Writer].
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, p...)
	t.data = t.data[max(len(t.data)-maxTail, 0):]
	return len(p), nil
}

// line returns the last line that is not empty.
func (t *tail) line() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := bytes.Split(bytes.TrimSpace(t.data), []byte("\n"))
	return shorten(strings.ToValidUTF8(string(lines[len(lines)-1]), "?"))
}
