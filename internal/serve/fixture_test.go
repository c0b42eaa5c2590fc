package serve

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/vadehq/vade/internal/catalog"
)

// project makes a project of files by their paths.
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

// some are the files of most tests.
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

// serverFor returns a server for a project with an empty home.
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

// opens returns what opens the catalogs of a project.
func opens(dir, home string) opener {
	return func(ctx context.Context, host string) (*catalog.Catalog, error) {
		return catalog.Open(ctx, catalog.Options{Dir: dir, As: host, Home: home, ManagedDir: home, Getenv: func(string) string { return "" }})
	}
}

// connect returns a session of a client of a name.
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

// call calls a tool and returns its text, and whether it is an error.
func call(t testing.TB, session *mcp.ClientSession, tool string, arguments map[string]any) (string, bool) {
	t.Helper()
	r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Content) != 1 || r.StructuredContent != nil {
		t.Fatalf("%s: %d contents, structured %v", tool, len(r.Content), r.StructuredContent)
	}
	return r.Content[0].(*mcp.TextContent).Text, r.IsError
}

// promptText returns the texts of a prompt.
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
