package vade_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/instructions"
	"github.com/vadehq/vade/internal/vfs"
)

// session is the session ID that replaces the placeholder {SESSION}.
const session = "7b0e1c52-8f3d-4a6b-9c21-5d4e3f2a1b00"

// outcome is the result of running a case, in the recorder's format.
type outcome struct {
	expectation
	// code is the error code that ended the run.
	code string
}

// player simulates the client around the library. It reads files when the model
// asks for them, starts sessions, and remembers sent messages.
type player struct {
	t       *testing.T
	r       *recording
	version string
	fill    func(string) string
	options catalog.Options
	catalog *catalog.Catalog

	steps    []step
	expected []definition.Message
	// sent holds everything that was sent, and got holds the part that the recorder keeps.
	sent []definition.Message
	got  outcome
}

// play runs a case in one version of the host. granted lists rules that the user grants to the
// case's skill "t". If there are any, the skill is also approved.
func play(t *testing.T, r *recording, version string, granted ...string) (got outcome, fill func(string) string) {
	project, home, managed := r.lay(t)
	policy := filepath.Join(filepath.Dir(project), "config")
	p := &player{t: t, r: r, version: version, fill: filler(project, home, session).Replace}
	for _, m := range r.expected(version).Rendered {
		p.expected = append(p.expected, definition.Message{Role: string(m[0]), Text: p.fill(string(m[1]))})
	}
	p.steps = r.steps(t, p.fill)
	p.options = catalog.Options{
		As: "claude-code@" + version, Dir: filepath.Join(project, r.CWD), Home: home, ManagedDir: managed,
		Getenv: func(name string) string {
			switch name {
			case "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME":
				return policy
			case "PATH":
				return os.Getenv(name)
			}
			return p.fill(r.Env[name])
		},
		Now:   func() time.Time { return today },
		Order: func(dir string, entries []vfs.Entry) { p.recordedOrder(dir, entries) },
	}
	must(t, os.MkdirAll(filepath.Join(policy, "vade"), 0o700))
	// Use the host's time and output limits for commands. Turn the audit off: hosts do not have
	// one, and it would refuse a recorded case that contains bidirectional control characters.
	text := "version: 1\ntimeout: 120s\noutput: 1MiB\naudit: off\n"
	if len(granted) > 0 {
		text += "shell: granted\nallow: [" + strings.Join(granted, ", ") + "]\n"
	}
	must(t, os.WriteFile(filepath.Join(policy, "vade", "policy.yaml"), []byte(text), 0o600))
	helper, err := os.Executable()
	must(t, err)
	p.options.Shell.SandboxHelper = helper
	if r.MCP {
		p.options.Prompts = []catalog.PromptServer{stubServer{}}
	}
	p.arguments(r.Argv)

	before := filesBelow(t, project, home)
	p.open()
	defer func() { p.catalog.Close() }()
	if len(granted) > 0 {
		consent, err := p.catalog.Approval(t.Context(), "skill:t")
		must(t, err)
		must(t, p.catalog.Trust(consent))
	}
	p.run()
	for _, name := range filesBelow(t, project, home) {
		if !slices.Contains(before, name) {
			p.got.Created = append(p.got.Created, name)
		}
	}
	return p.got, p.fill
}

// recordedOrder sorts a directory's entries in the same order as the disk on which the case was
// recorded. The order is derived from the recorded instruction files.
func (p *player) recordedOrder(dir string, entries []vfs.Entry) {
	at := func(e vfs.Entry) int {
		name := filepath.Join(dir, e.Name)
		if real, err := filepath.EvalSymlinks(name); err == nil {
			name = real
		}
		for _, m := range p.expected {
			if i := regexp.MustCompile("Contents of " + regexp.QuoteMeta(name) + "[ :/]").FindStringIndex(m.Text); i != nil {
				return i[0]
			}
		}
		return math.MaxInt
	}
	slices.SortStableFunc(entries, func(a, b vfs.Entry) int { return cmp.Compare(at(a), at(b)) })
}

// arguments sets the options from the command line that started the client.
func (p *player) arguments(argv []string) {
	client := &p.options.Client
	for i := 0; i < len(argv); i++ {
		value := func() string {
			i++
			return p.fill(argv[i])
		}
		switch argv[i] {
		case "--plugin-dir":
			p.options.PluginDirs = append(p.options.PluginDirs, value())
		case "--add-dir":
			client.AddDirs = append(client.AddDirs, value())
		case "--agents":
			client.Agents = value()
		case "--agent":
			client.Agent = value()
		case "--permission-mode":
			client.PermissionMode = value()
		case "--setting-sources":
			client.SettingSources = strings.Split(value(), ",")
		case "--bare":
			client.Bare = true
		case "--disable-slash-commands":
			client.NoCommands = true
		default:
			p.t.Fatalf("the suite does not know the switch %s", argv[i])
		}
	}
}

// open opens the catalog with the files touched so far.
func (p *player) open() {
	if p.catalog != nil {
		p.catalog.Close()
	}
	var err error
	p.catalog, err = catalog.Open(p.t.Context(), p.options)
	must(p.t, err)
}

// run plays an entire session in which the user enters only the first prompt.
func (p *player) run() {
	ctx := p.t.Context()
	instructions, err := instructions.Build(ctx, p.catalog, instructions.Request{})
	must(p.t, err)
	first := p.render(catalog.RenderRequest{Prompt: p.fill(p.r.Prompt), Session: session})
	if first.Error != nil {
		p.got.Result, p.got.code = first.Error.Message, string(first.Error.Code)
		return
	}
	if first.Turn != nil && first.Turn.Fork {
		// The session itself sends no request to the model.
		p.say(first.Messages...)
		p.list(true)
		p.got.Result = p.answer()
		return
	}
	p.say(instructions.Messages...)
	p.say(first.Messages...)
	p.attach(first.Attached)
	if !first.NoListing {
		p.list(false)
	}
	p.got.Requests++
	for len(p.steps) > 0 && p.steps[0].Tool != "" {
		s := p.steps[0]
		p.steps = p.steps[1:]
		switch s.Tool {
		case "Skill":
			p.skill(s)
		case "Read":
			p.read(s)
		case "Agent":
			p.agent(s)
		default:
			p.t.Fatalf("the suite does not know the tool %s", s.Tool)
		}
		p.got.Requests++
	}
}

// answer returns the model's next answer in a separate conversation. If the case does not have a
// script, it returns "", because the stub model's own answer was not recorded.
func (p *player) answer() string {
	p.got.Requests++
	if len(p.steps) == 0 {
		return ""
	}
	if p.steps[0].Tool != "" {
		p.t.Fatal("the script has no answer for the conversation that begins here")
	}
	text := p.steps[0].Text
	p.steps = p.steps[1:]
	return text
}

func (p *player) skill(s step) {
	r := p.render(catalog.RenderRequest{
		ByModel: true, Prompt: s.input("skill"), Arguments: s.input("args"), Session: session, History: p.sent,
	})
	p.say(r.Messages...)
	p.attach(r.Attached)
	if r.Turn != nil && r.Turn.Fork {
		p.list(true)
		p.say(definition.Message{Role: "tool_result", Text: r.Turn.ForkResult + p.answer()})
	}
}

// read simulates the client's own Read tool. The library does not produce the tool's result, but it
// determines which instructions and definitions the client sends afterward.
func (p *player) read(s step) {
	file := s.input("file_path")
	data, err := os.ReadFile(file)
	must(p.t, err)
	var text strings.Builder
	for i, line := range strings.Split(string(data), "\n") {
		if i > 0 {
			text.WriteByte('\n')
		}
		fmt.Fprintf(&text, "%d\t%s", i+1, line)
	}
	p.say(definition.Message{Role: "tool_result", Text: text.String()})
	p.options.Client.Touched = append(p.options.Client.Touched, file)
	p.open()
	followed, err := instructions.Build(p.t.Context(), p.catalog, instructions.Request{For: file})
	must(p.t, err)
	p.say(followed.Messages...)
	p.list(false)
}

func (p *player) agent(s step) {
	r := p.render(catalog.RenderRequest{Subagent: s.input("subagent_type"), Prompt: s.input("prompt"), Session: session})
	p.say(r.Messages...)
	p.attach(r.Attached)
	answer := p.answer()
	// The client wraps the answer in a message that contains a random number, so copy that message
	// from the recording.
	i := slices.IndexFunc(p.expected, func(m definition.Message) bool {
		return m.Role == "tool_result" && strings.Contains(m.Text, answer)
	})
	if i < 0 {
		p.t.Fatal("no recorded result holds the agent's answer")
	}
	p.say(p.expected[i])
}

func (p *player) render(r catalog.RenderRequest) *definition.Rendering {
	p.t.Helper()
	out, err := p.catalog.Render(p.t.Context(), r)
	must(p.t, err)
	if out.Host != "claude-code" || out.Version != p.version {
		p.t.Errorf("rendered as %s %s", out.Host, out.Version)
	}
	return out
}

// say stores messages as the recorder does: only once for each combination of role and text. In
// most cases, the recorder omitted the reminder before an unknown command.
func (p *player) say(messages ...definition.Message) {
	p.sent = append(p.sent, messages...)
	reminder := func(m definition.Message) bool {
		return strings.HasPrefix(m.Text, "<system-reminder>\nThe user's message starts with the slash command")
	}
	for _, m := range messages {
		if reminder(m) && !slices.ContainsFunc(p.expected, reminder) {
			continue
		}
		pair := [2]packedText{packedText(m.Role), packedText(m.Text)}
		if !slices.Contains(p.got.Rendered, pair) {
			p.got.Rendered = append(p.got.Rendered, pair)
		}
	}
}

func (p *player) attach(files []definition.Attachment) {
	for _, f := range files {
		p.got.Attached = append(p.got.Attached, string(f.Input))
	}
}

// list records the skills and agents that the model sees. At the start, these are all of them;
// after a file is touched, they are the new ones. If again is set, a separate conversation lists
// all skills again, except in the old version (m33, m34).
func (p *player) list(again bool) {
	if again && p.version == oldVersion {
		return
	}
	l, err := p.catalog.Listing(p.t.Context())
	must(p.t, err)
	all := again || p.got.Listing == nil
	for _, line := range recorded(l.Skills) {
		if all || !slices.Contains(p.got.Listing, line) {
			p.got.Listing = append(p.got.Listing, line)
		}
	}
	if again {
		return
	}
	lines := recorded(l.Agents)
	if strings.HasPrefix(p.r.ID, "m") {
		lines = recordedLines(l.Agents)
	}
	for _, line := range lines {
		if !slices.Contains(p.got.Agents, line) {
			p.got.Agents = append(p.got.Agents, line)
		}
	}
}

// recorded splits a listing into entries as the recorder does: an entry begins with "\n- ".
func recorded(lines []string) []string {
	if len(lines) == 0 {
		return nil
	}
	return strings.Split(strings.Join(lines, "\n- "), "\n- ")
}

// recordedLines returns the agent entries as they appear in the first recordings. At that time, the
// recorder stopped at the first line that is not an entry (m54).
func recordedLines(lines []string) []string {
	var all []string
	for _, entry := range lines {
		first, _, broken := strings.Cut(entry, "\n")
		all = append(all, first)
		if broken {
			break
		}
	}
	return all
}

// filesBelow lists everything below the directories.
func filesBelow(t *testing.T, dirs ...string) []string {
	t.Helper()
	var all []string
	for _, dir := range dirs {
		must(t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if d != nil && d.Name() == ".git" {
				return fs.SkipDir
			}
			rel, _ := filepath.Rel(filepath.Dir(dir), name)
			all = append(all, filepath.ToSlash(rel))
			return err
		}))
	}
	return all
}

// stubServer is the prompt server used by the recorded cases that have a server.
type stubServer struct{}

func (stubServer) Name() string { return "stubmcp" }

func (stubServer) Prompts(context.Context) ([]catalog.Prompt, error) {
	return []catalog.Prompt{
		{Name: "greet", Description: "greets", Arguments: []string{"who"}},
		{Name: "danger", Description: "looks like a body"},
	}, nil
}

func (stubServer) Prompt(_ context.Context, name string, arguments map[string]string) ([]definition.Message, error) {
	var pairs []string
	for _, key := range slices.Sorted(maps.Keys(arguments)) {
		k, _ := json.Marshal(key)
		v, _ := json.Marshal(arguments[key])
		pairs = append(pairs, string(k)+": "+string(v))
	}
	args := "{" + strings.Join(pairs, ", ") + "}"
	switch name {
	case "greet":
		return []definition.Message{{Role: "user", Text: "Hello args=" + args}}, nil
	case "danger":
		return []definition.Message{{Role: "user", Text: "DANGER args=" + args + " $ARGUMENTS $0 !`echo pwned` @note.txt ${CLAUDE_SKILL_DIR}"}}, nil
	}
	return nil, errors.New("no such prompt")
}
