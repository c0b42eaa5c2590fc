package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"pgregory.net/rapid"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/publish"
	"github.com/vadehq/vade/internal/testenv"
)

// project creates a project with the given files.
func project(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		put(t, dir, name, text)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return real
}

func put(t testing.TB, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), fs.FileMode(0o644)); err != nil {
		t.Fatal(err)
	}
}

// some returns files that most tests use.
func some() map[string]string {
	return map[string]string{
		".claude/commands/review.md":       "---\ndescription: Review a file\nargument-hint: <file> [level]\n---\nReview $0 at level $1.\n",
		".claude/commands/hello.md":        "---\ndescription: Say hello\n---\nHello $ARGUMENTS!\n",
		".claude/commands/pick.md":         "---\ndescription: Pick a colour\nargument-hint: \"[red|green|blue]\"\n---\nThe colour is $0.\n",
		".claude/commands/hidden.md":       "---\ndescription: Not for people\nuser-invocable: false\n---\nx\n",
		".claude/skills/go-style/SKILL.md": "---\nname: go-style\ndescription: How Go code looks here\n---\nUse gofmt.\n",
		".claude/skills/go-style/ref.md":   "more\n",
		".claude/skills/deploy/SKILL.md":   "---\nname: deploy\ndescription: Ship a release to production\ndisable-model-invocation: true\n---\nShip it.\n",
		"CLAUDE.md":                        "Be kind.\n",
	}
}

// serverFor returns a server for a project, with an empty home directory.
func serverFor(t testing.TB, dir string, change ...func(*Options)) *Server {
	t.Helper()
	o := Options{}
	for _, f := range change {
		f(&o)
	}
	s, err := New(t.Context(), opens(dir, t.TempDir()), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// opens returns an opener for a project's catalogs.
func opens(dir, home string) opener {
	return func(ctx context.Context, host string) (*catalog.Catalog, error) {
		return catalog.Open(ctx, catalog.Options{Dir: dir, As: host, Home: home, ManagedDir: home, Getenv: func(string) string { return "" }})
	}
}

// connect returns a session for a client with the given name.
func connect(t testing.TB, s *Server, name string, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	near, far := mcp.NewInMemoryTransports()
	if _, err := s.mcp.Connect(t.Context(), far, nil); err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, o).Connect(t.Context(), near, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// call calls a tool. It returns the result's text and whether the result is an error.
func call(t testing.TB, session *mcp.ClientSession, tool string, arguments map[string]any) (string, bool) {
	t.Helper()
	r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Content) != 1 {
		t.Fatalf("%s: %d contents", tool, len(r.Content))
	}
	return r.Content[0].(*mcp.TextContent).Text, r.IsError
}

func promptText(t testing.TB, session *mcp.ClientSession, name string, arguments map[string]string) string {
	t.Helper()
	r, err := session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, m := range r.Messages {
		text += m.Content.(*mcp.TextContent).Text
	}
	return text
}

func TestPromptsAreListedWithTheirArguments(t *testing.T) {
	files := some()
	files["vade.yaml"] = "bundled: false\n"
	session := connect(t, serverFor(t, project(t, files)), "any", nil)
	r, err := session.ListPrompts(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range r.Prompts {
		text := p.Name + ":"
		for _, a := range p.Arguments {
			text += fmt.Sprintf(" %s/%v", a.Name, a.Required)
		}
		got = append(got, text)
	}
	want := []string{
		"deploy: arguments/false", "go-style: arguments/false", "hello: arguments/false",
		"pick: choice/false", "review: file/true level/false",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if r.TTLMs <= 0 || r.CacheScope != "private" {
		t.Errorf("the list may be kept %d ms by %q", r.TTLMs, r.CacheScope)
	}
}

func TestPromptsComeInPages(t *testing.T) {
	files := map[string]string{}
	for i := range 25 {
		files[fmt.Sprintf(".claude/commands/c%02d.md", i)] = "---\ndescription: x\n---\nx\n"
	}
	session := connect(t, serverFor(t, project(t, files), func(o *Options) { o.PageSize = 10 }), "any", nil)
	var names []string
	cursor, pages := "", 0
	for {
		r, err := session.ListPrompts(t.Context(), &mcp.ListPromptsParams{Cursor: cursor})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range r.Prompts {
			names = append(names, p.Name)
		}
		pages++
		if cursor = r.NextCursor; cursor == "" {
			break
		}
	}
	if len(names) < 25 || pages != (len(names)+9)/10 || !slices.IsSorted(names[:25]) || !slices.IsSorted(names[25:]) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("%d pages, %d names: %v", pages, len(names), names)
	}
	_, err := session.ListPrompts(t.Context(), &mcp.ListPromptsParams{Cursor: "!"})
	wantCode(t, err, jsonrpc.CodeInvalidParams)
}

func wantCode(t *testing.T, err error, code int64) {
	t.Helper()
	var e *jsonrpc.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Errorf("the error is %v, not of code %d", err, code)
	}
}

func TestPromptsAreRendered(t *testing.T) {
	session := connect(t, serverFor(t, project(t, some())), "any", nil)
	for _, c := range []struct {
		name      string
		arguments map[string]string
		want      string
	}{
		{"review", map[string]string{"file": "a b.go", "level": "3"}, "Review a b.go at level 3.\n"},
		{"review", map[string]string{"file": "it's"}, "Review it's at level $1.\n"},
		{"hello", map[string]string{"arguments": "all  of you"}, "Hello all  of you!\n"},
		{"pick", map[string]string{"choice": "red"}, "The colour is red.\n"},
		{"go-style", nil, "Use gofmt.\n"},
	} {
		if got := promptText(t, session, c.name, c.arguments); strings.TrimSpace(got) != strings.TrimSpace(c.want) {
			t.Errorf("%s %v: %q, not %q", c.name, c.arguments, got, c.want)
		}
	}
	for _, p := range []*mcp.GetPromptParams{
		{Name: "none"}, {Name: "hidden"}, {Name: "vade-none"}, {Name: "review"},
		{Name: "review", Arguments: map[string]string{"file": "x", "else": "y"}},
	} {
		_, err := session.GetPrompt(t.Context(), p)
		wantCode(t, err, jsonrpc.CodeInvalidParams)
	}
}

// TestPromptsAreRenderedForTheClientsHost checks that a client that is a host gets the body in the
// host's own tags, and that other clients get it without tags.
func TestPromptsAreRenderedForTheClientsHost(t *testing.T) {
	s := serverFor(t, project(t, some()))
	arguments := map[string]string{"arguments": "you"}
	plain := promptText(t, connect(t, s, "any", nil), "hello", arguments)
	hosted := promptText(t, connect(t, s, "claude-code", nil), "hello", arguments)
	if plain != "Hello you!\n" && plain != "Hello you!" || !strings.Contains(hosted, "<command-name>") || !strings.Contains(hosted, "Hello you!") {
		t.Errorf("%q and %q", plain, hosted)
	}
	// A host that does not read the file gets the same text as any other client.
	if other := promptText(t, connect(t, s, "gemini-cli-mcp-client-vade", nil), "hello", arguments); other != plain {
		t.Errorf("%q, not %q", other, plain)
	}
}

func TestCompletions(t *testing.T) {
	session := connect(t, serverFor(t, project(t, some())), "any", nil)
	complete := func(prompt, argument, value string) ([]string, error) {
		r, err := session.Complete(t.Context(), &mcp.CompleteParams{
			Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: prompt}, Argument: mcp.CompleteParamsArgument{Name: argument, Value: value},
		})
		if err != nil {
			return nil, err
		}
		return r.Completion.Values, nil
	}
	if got, err := complete("pick", "choice", "G"); err != nil || !slices.Equal(got, []string{"green"}) {
		t.Errorf("%v %v", got, err)
	}
	if got, err := complete("review", "file", ""); err != nil || len(got) != 0 {
		t.Errorf("%v %v", got, err)
	}
	_, err := complete("none", "x", "")
	wantCode(t, err, jsonrpc.CodeInvalidParams)
	_, err = complete("pick", "x", "")
	wantCode(t, err, jsonrpc.CodeInvalidParams)
}

func TestTools(t *testing.T) {
	dir := project(t, some())
	session := connect(t, serverFor(t, dir), "any", nil)
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		if !tool.Annotations.ReadOnlyHint {
			t.Errorf("%s is not marked as reading only", tool.Name)
		}
	}
	if d := cmp.Diff([]string{"check_definitions", "explain_definition", "get_instructions", "list_skills", "load_command", "load_skill", "search_definitions"}, names); d != "" {
		t.Error(d)
	}
	for _, c := range []struct {
		tool      string
		arguments map[string]any
		has, not  string
		failed    bool
	}{
		{"load_skill", map[string]any{"skillId": "go-style"}, "Base directory for this skill: " + dir + "/.claude/skills/go-style\n\nUse gofmt.", "", false},
		{"load_skill", map[string]any{"skillId": "go"}, "did you mean go-style", "Available", true},
		{"load_skill", map[string]any{"skillId": "deploy"}, "only the user can invoke", "Ship", true},
		{"load_skill", map[string]any{}, "name", "", true},
		{"load_skill", map[string]any{"name": "go-style"}, "Use gofmt.", "", false},
		{"load_skill", map[string]any{"name": "how go code looks"}, "did you mean go-style", "", true},
		{"load_skill", map[string]any{"skillId": 7}, "wrong type", "", true},
		{"load_skill", map[string]any{"skillId": "go-style", "else": 1}, "else", "", true},
		{"list_skills", nil, "- go-style: How Go code looks here\n", "deploy", false},
		{"list_skills", map[string]any{"filter": "GO CODE"}, "go-style", "", false},
		{"list_skills", map[string]any{"filter": "zzz"}, "no skills match", "go-style", false},
		{"load_command", map[string]any{"name": "/review", "arguments": "x.go 2"}, "Review x.go at level 2.", "", false},
		{"load_command", map[string]any{"name": "none"}, "COMMAND_NOT_FOUND", "", true},
		{"get_instructions", nil, "Be kind.", "", false},
		{"get_instructions", map[string]any{"file": "src/x.go"}, "Be kind.", "", false},
		{"get_instructions", map[string]any{"file": "../x.go"}, "not in the project", "", true},
		{"get_instructions", map[string]any{"file": "/etc/passwd"}, "not in the project", "", true},
		{"search_definitions", map[string]any{"query": "reviewing a file? review!"}, "- command review: Review a file", "deploy", false},
		{"search_definitions", map[string]any{"query": "colour", "kind": "skill"}, "no definitions match", "", false},
		{"search_definitions", map[string]any{"query": "review", "kind": "x"}, "unknown kind", "", true},
		{"search_definitions", map[string]any{"query": " "}, "missing argument", "", true},
		{"explain_definition", map[string]any{"name": "/hello"}, `"path":".claude/commands/hello.md"`, "", false},
		{"explain_definition", map[string]any{"name": "skill:go-styl"}, "did you mean go-style", "", true},
		{"explain_definition", map[string]any{"name": "zzz"}, "call search_definitions", "", true},
		{"explain_definition", map[string]any{"name": "hello", "host": "neutral"}, "unknown host", "", true},
		{"explain_definition", map[string]any{}, "missing argument", "", true},
		{"check_definitions", map[string]any{"name": "helo"}, "did you mean hello", "", true},
		{"check_definitions", map[string]any{"host": "x"}, "unknown host", "", true},
	} {
		text, failed := call(t, session, c.tool, c.arguments)
		if failed != c.failed || !strings.Contains(text, c.has) || c.not != "" && strings.Contains(text, c.not) {
			t.Errorf("%s %v: failed %v: %q", c.tool, c.arguments, failed, text)
		}
	}
}

// TestStructuredResults checks that tools' structured results match their schemas.
func TestStructuredResults(t *testing.T) {
	files := some()
	files[".claude/skills/go-style/SKILL.md"] = "---\nname: go-style\ndescription: How Go code looks here\n---\nSee [this](none.md).\n"
	for i := range 60 {
		files[fmt.Sprintf(".claude/commands/c%02d.md", i)] = "---\ndescription: [x\n---\nx\n"
	}
	session := connect(t, serverFor(t, project(t, files)), "any", nil)
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	schemas := map[string]*jsonschema.Resolved{}
	for _, tool := range list.Tools {
		if tool.OutputSchema == nil {
			continue
		}
		var s jsonschema.Schema
		data, err := json.Marshal(tool.OutputSchema)
		if err == nil {
			err = json.Unmarshal(data, &s)
		}
		if err == nil {
			schemas[tool.Name], err = s.Resolve(nil)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	get := func(tool string, arguments map[string]any, into any) {
		t.Helper()
		r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
		if err != nil || r.IsError || schemas[tool] == nil {
			t.Fatalf("%s: %v, %v", tool, err, r)
		}
		if err := schemas[tool].Validate(r.StructuredContent); err != nil {
			t.Errorf("%s: %v", tool, err)
		}
		data, err := json.Marshal(r.StructuredContent)
		if err == nil {
			err = json.Unmarshal(data, into)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var found entries
	get("list_skills", map[string]any{"filter": "go code"}, &found)
	if d := cmp.Diff(entries{Definitions: []entry{{"skill", "go-style", "How Go code looks here"}}}, found); d != "" {
		t.Error(d)
	}
	get("list_skills", map[string]any{"filter": "zzz"}, &found)
	get("search_definitions", map[string]any{"query": "say hello", "limit": 1}, &found)
	if len(found.Definitions) != 1 || found.Definitions[0].Name != "hello" {
		t.Errorf("%v", found)
	}
	var x explained
	get("explain_definition", map[string]any{"name": "hello"}, &x)
	if len(x.Definitions) != 1 || x.More != 0 {
		t.Fatalf("%v", x)
	}
	states := map[string]verdict{}
	for _, v := range x.Definitions[0].Verdicts {
		for _, h := range v.Hosts {
			states[h] = v
		}
	}
	if states["claude-code"].State != "loaded" || states["codex"].State != "not read" || states["codex"].Reason == "" {
		t.Errorf("%v", states)
	}
	get("explain_definition", map[string]any{"name": "hello", "host": "codex", "offset": 1}, &x)
	if len(x.Definitions) != 0 {
		t.Errorf("%v", x)
	}
	var c checked
	get("check_definitions", map[string]any{"name": "go-style"}, &c)
	if c.Checked != 1 || len(c.Findings) == 0 || !slices.ContainsFunc(c.Findings, func(f finding) bool { return strings.Contains(f.Message, "none.md") }) {
		t.Errorf("%+v", c)
	}
	total, offset := 0, 0
	for {
		get("check_definitions", map[string]any{"offset": offset}, &c)
		if total += len(c.Findings); c.More == 0 {
			break
		}
		offset += len(c.Findings)
	}
	if total != c.Errors+c.Warnings+c.Infos || offset != 50 {
		t.Errorf("%d findings, the last from %d, of %+v", total, offset, c)
	}
}

// TestPage checks that concatenating all pages yields the original text.
func TestPage(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text") + "\n" + rapid.String().Draw(t, "more")
		got, offset := "", 0
		for {
			part := page(text, offset, 16)
			at := strings.LastIndex(part, "\n[")
			if at < 0 || !strings.HasSuffix(part, "]\n") || len(text)-offset <= 16 {
				got += part
				break
			}
			got += part[:at]
			offset += at
		}
		if got != text {
			t.Fatalf("%q, not %q", got, text)
		}
	})
}

func TestLocalPathsAreNotSent(t *testing.T) {
	dir := project(t, some())
	session := connect(t, serverFor(t, dir, func(o *Options) { o.Remote = true }), "any", nil)
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || slices.ContainsFunc(list.Tools, func(t *mcp.Tool) bool {
		return strings.Contains(t.Name, "explain") || strings.Contains(t.Name, "check")
	}) {
		t.Errorf("remote clients get tools whose results contain local paths: %v", err)
	}
	text, failed := call(t, session, "load_skill", map[string]any{"skillId": "go-style"})
	if failed || strings.Contains(text, dir) || strings.TrimSpace(text) != "Use gofmt." {
		t.Errorf("%q", text)
	}
}

func TestStore(t *testing.T) {
	files := some()
	files[".claude/skills/go-style/.env"] = "SECRET=1"
	files[".claude/skills/go-style/scripts/run.sh"] = "echo"
	files[".claude/skills/go-style/key.pem"] = "x"
	s := serverFor(t, project(t, files))
	store, err := s.acquireLoaded(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer store.release()
	const uri = "skill://project/go-style/SKILL.md"
	list, more, err := store.Files(t.Context(), uri, 100)
	if err != nil || more {
		t.Fatal(more, err)
	}
	var paths []string
	for _, f := range list {
		paths = append(paths, f.Path)
	}
	if d := cmp.Diff([]string{"SKILL.md", "ref.md", "scripts/run.sh"}, paths); d != "" {
		t.Error(d)
	}
	if _, more, _ := store.Files(t.Context(), uri, 1); !more {
		t.Error("the limit does not hold")
	}
	data, err := store.ReadFile(t.Context(), uri, "ref.md", 100)
	if err != nil || string(data) != "more\n" {
		t.Errorf("%q %v", data, err)
	}
	for _, bad := range []string{".env", "../deploy/SKILL.md", "/etc/passwd", "", ".", "none", "key.pem", "scripts"} {
		if _, err := store.ReadFile(t.Context(), uri, bad, 100); !errors.Is(err, publish.ErrNoFile) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if _, err := store.ReadFile(t.Context(), uri, "ref.md", 2); err == nil {
		t.Error("the limit of a read does not hold")
	}
}

// TestArgumentsAreBounded checks the limits on arguments and on text that repeats arguments.
func TestArgumentsAreBounded(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	files := some()
	files[".claude/commands/amp.md"] = strings.Repeat("$ARGUMENTS ", 200)
	dir := project(t, files)
	for _, remote := range []bool{true, false} {
		s := serverFor(t, dir, func(o *Options) { o.Remote = remote })
		for _, client := range []string{"any", "claude-code"} {
			session := connect(t, s, client, nil)
			for n, want := range map[int]bool{30 << 10: true, 60 << 10: false, 65 << 10: false} {
				word := strings.Repeat("a", n)
				res, err := session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "amp", Arguments: map[string]string{"arguments": word}})
				if (err == nil) != want || err == nil && len(res.Messages) == 0 || err != nil && !strings.Contains(err.Error(), "shorte") {
					t.Errorf("remote %v, %s, prompt of %d: %v", remote, client, n, err)
				}
				text, failed := call(t, session, "load_command", map[string]any{"name": "amp", "arguments": word})
				if failed == want || failed && !strings.Contains(text, "shorte") {
					t.Errorf("remote %v, tool with %d: %.200s", remote, n, text)
				}
			}
		}
	}
}

// TestLargeOffsets checks that offsets cannot cause an overflow.
func TestLargeOffsets(t *testing.T) {
	session := connect(t, serverFor(t, project(t, some())), "any", nil)
	for _, offset := range []int{1<<63 - 1, 1<<63 - 200, 1000, -1 << 63} {
		text, failed := call(t, session, "list_skills", map[string]any{"offset": offset})
		if failed || strings.Contains(text, "more:") || (offset > 0) != (text == "no skills match") {
			t.Errorf("%d: %s", offset, text)
		}
	}
}

// TestPathsOfInstructions checks that impossible paths are refused and that, over HTTP, so are
// absolute paths.
func TestPathsOfInstructions(t *testing.T) {
	dir := project(t, some())
	for _, remote := range []bool{true, false} {
		session := connect(t, serverFor(t, dir, func(o *Options) { o.Remote = remote }), "any", nil)
		for file, wrong := range map[string]bool{
			"x.go": false, strings.Repeat("a/", 200) + "x": false,
			strings.Repeat("a/", 1000) + "x": true, strings.Repeat("a/", 30000) + "x": true, strings.Repeat(`a\`, 300) + "x": true, strings.Repeat("a", 5000): true,
			dir + "/x.go": remote, dir + "x/x.go": true,
		} {
			if text, failed := call(t, session, "get_instructions", map[string]any{"file": file}); failed != wrong || !failed && !strings.Contains(text, "Be kind") {
				t.Errorf("remote %v, %.50s: %.200s", remote, file, text)
			}
		}
	}
}

// TestInstructionsInSubdirectory checks that paths are relative to the project root even if the
// server runs in a subdirectory.
func TestInstructionsInSubdirectory(t *testing.T) {
	dir := project(t, map[string]string{"sub/x.go": "", "sub/api/AGENTS.md": "Be loud.", "api/AGENTS.md": "Be kind."})
	session := connect(t, serverFor(t, filepath.Join(dir, "sub")), "any", nil)
	for _, file := range []string{"sub/api/x.go", dir + "/sub/api/x.go"} {
		if text, failed := call(t, session, "get_instructions", map[string]any{"file": file}); failed || !strings.Contains(text, "Be loud") {
			t.Errorf("%s: %.200s", file, text)
		}
	}
}

func TestArgumentsOf(t *testing.T) {
	for _, c := range []struct {
		names []string
		hint  string
		want  string
	}{
		{nil, "", "arguments"},
		{nil, "what to do", "arguments"},
		{nil, "[file] [level]", "file level"},
		{nil, "<file> [level]", "file! level"},
		{nil, "[a|b|c]", "choice(a b c)"},
		{nil, "<file> [what to say...]", "file! what-to-say*"},
		{nil, "[file]... [x]", "arguments"},
		{nil, "[a] [a]", "arguments"},
		{nil, "file [level]", "arguments"},
		{nil, "[", "arguments"},
		{nil, "[]", "arguments"},
		{[]string{"a", "b"}, "", "a b"},
		{[]string{"a", "b"}, "<x> [p|q]", "a! b(p q)"},
		{[]string{"a"}, "<x> <y>", "a"},
	} {
		var got []string
		for _, a := range argumentsOf(c.names, c.hint) {
			text := a.name
			if a.required {
				text += "!"
			}
			if a.rest && a.name != freeText {
				text += "*"
			}
			if a.values != nil {
				text += fmt.Sprintf("(%s)", strings.Join(a.values, " "))
			}
			got = append(got, text)
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%v %q: %s, not %s", c.names, c.hint, text, c.want)
		}
	}
}

func TestLine(t *testing.T) {
	two := []argument{{name: "a"}, {name: "b"}}
	for _, c := range []struct {
		declared []argument
		given    map[string]string
		want     string
	}{
		{two, nil, ""},
		{two, map[string]string{"a": "x y"}, catalog.TypedArguments([]string{"x y"})},
		{two, map[string]string{"b": "y"}, catalog.TypedArguments([]string{"", "y"})},
		{[]argument{{name: "all", rest: true}}, map[string]string{"all": ` a "b c" `}, `a "b c"`},
		{[]argument{{name: "a"}, {name: "all", rest: true}}, map[string]string{"a": "1", "all": "2 3"}, "1 2 3"},
	} {
		if got := argumentLine(c.declared, c.given); got != c.want {
			t.Errorf("%v: %q, not %q", c.given, got, c.want)
		}
	}
}

// FuzzHint checks that the arguments derived from a hint always have distinct names.
func FuzzHint(f *testing.F) {
	for _, s := range []string{"", "[a] <b>", "[a|b]", "<x...>", "[[", "[é]", "[a]...", "[ ]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, hint string) {
		seen := map[string]bool{}
		list := argumentsOf(nil, hint)
		for i, a := range list {
			if a.name == "" || seen[a.name] || a.rest && i != len(list)-1 {
				t.Errorf("%q: %+v", hint, list)
			}
			seen[a.name] = true
		}
		if len(list) == 0 || len(list) > maxArguments {
			t.Errorf("%q: %d arguments", hint, len(list))
		}
	})
}

func TestCursorsComeBack(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		names := slices.Sorted(slices.Values(rapid.SliceOfN(rapid.StringN(1, 10, -1), 1, 20).Draw(t, "names")))
		at := rapid.IntRange(0, len(names)-1).Draw(t, "at")
		page, err := pageAfter(names, cursorAfter(names[at]), func(name string) string { return name })
		got := len(names) - len(page)
		if err != nil || got < len(names) && names[got] <= names[at] || got > 0 && names[got-1] > names[at] {
			t.Fatalf("%q after %q: %d, %v", names, names[at], got, err)
		}
	})
}

func FuzzInput(f *testing.F) {
	f.Add([]byte(`{"skillId":"x"}`))
	f.Add([]byte(`null`))
	f.Add([]byte(`{"skillId":1e999,"agent":[]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s := &Server{}
		in, err := decodeInput(s.tools()[0], raw)
		if (in == nil) == (err == nil) {
			t.Errorf("%q: %v %v", raw, in, err)
		}
	})
}

func TestNothingIsLeftRunning(t *testing.T) {
	once := func() {
		s := serverFor(t, project(t, some()))
		url, stop := listening(t, s, HTTPOptions{Token: testToken})
		client := &http.Client{Transport: &http.Transport{}}
		post := func(ctx context.Context, body io.Reader) {
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/mcp", body)
			if err != nil {
				t.Fatal(err)
			}
			for k, v := range legacy(nil) {
				r.Header.Set(k, v)
			}
			if resp, err := client.Do(r); err == nil {
				_, _ = io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
		}
		for range 10 {
			ctx, cancel := context.WithCancel(t.Context())
			go cancel()
			post(ctx, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`))
			ctx, cancel = context.WithCancel(t.Context())
			half, w := io.Pipe()
			go func() {
				_, _ = io.WriteString(w, `{"jsonrpc":`)
				cancel()
				w.CloseWithError(io.ErrUnexpectedEOF)
			}()
			post(ctx, half)
			post(t.Context(), strings.NewReader("{"))
		}
		post(t.Context(), strings.NewReader(`{"jsonrpc":"2.0","id":2,"method":"prompts/list"}`))
		if err := stop(); err != nil {
			t.Error(err)
		}
		s.Close()
		client.CloseIdleConnections()
	}
	once() // starts goroutines that never exit, such as the poller's
	before := runtime.NumGoroutine()
	once()
	for end := time.Now().Add(20 * time.Second); runtime.NumGoroutine() > before; {
		if time.Now().After(end) {
			buf := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
		}
		time.Sleep(5 * time.Millisecond)
	}
}
