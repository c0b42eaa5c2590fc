package serve

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/vadehq/vade/internal/catalog"
)

// eventually waits until something is so. The limit is for a machine that is busy.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	for until := time.Now().Add(30 * time.Second); !so(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("it never comes about that " + what)
		}
	}
}

func watching(t *testing.T, s *Server) {
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); s.Watch(ctx) }()
	t.Cleanup(func() { stop(); <-done })
}

func names(t *testing.T, session *mcp.ClientSession) []string {
	t.Helper()
	r, err := session.ListPrompts(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, p := range r.Prompts {
		list = append(list, p.Name)
	}
	return list
}

func TestChangesAreServedAndTold(t *testing.T) {
	dir := project(t, some())
	s := serverFor(t, dir)
	var mu sync.Mutex
	told := 0
	session := connect(t, s, "any", &mcp.ClientOptions{PromptListChangedHandler: func(context.Context, *mcp.PromptListChangedRequest) {
		mu.Lock()
		defer mu.Unlock()
		told++
	}})
	watching(t, s)
	// The first change may come before the watch: it is made again until it is seen.
	has := func(name string) func() bool {
		return func() bool { return slices.Contains(names(t, session), name) }
	}
	eventually(t, "a new command is served", func() bool {
		put(t, dir, ".claude/commands/new.md", "---\ndescription: New\n---\nx"+time.Now().String()+"\n")
		time.Sleep(50 * time.Millisecond)
		return has("new")()
	})
	put(t, dir, ".claude/skills/fresh/SKILL.md", "---\nname: fresh\ndescription: Fresh\n---\nx\n")
	eventually(t, "a new skill is served", has("fresh"))
	if err := os.RemoveAll(filepath.Join(dir, ".claude/skills/fresh")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a removed skill is gone", func() bool { return !has("fresh")() })
	put(t, dir, ".agents/skills/later/SKILL.md", "---\nname: later\ndescription: In a directory that was not there\n---\nx\n")
	eventually(t, "a skill of a new root is served", has("later"))
	eventually(t, "the client was told", func() bool { mu.Lock(); defer mu.Unlock(); return told > 0 })
}

// TestAChangedPolicyIsInForce: a command that the policy allowed when the server began
// does not run any more once it says no, without a new start.
func TestAChangedPolicyIsInForce(t *testing.T) {
	home := t.TempDir()
	dir := project(t, map[string]string{".agents/commands/now.md": "---\ndescription: x\n---\nRun !`echo ran-'42'`.\n"})
	s, err := New(t.Context(), opens(dir, home), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	session := connect(t, s, "any", nil)
	watching(t, s)
	ran := func() bool { return strings.Contains(promptText(t, session, "now", nil), "ran-42") }
	if !ran() {
		t.Fatal("the command does not run in the beginning")
	}
	put(t, home, ".config/vade/policy.yaml", "shell: off\n")
	eventually(t, "the user's policy forbids it", func() bool { return !ran() })
	put(t, home, ".config/vade/policy.yaml", "shell: readonly\n")
	eventually(t, "the user's policy allows it", ran)
	put(t, dir, ".vade/policy.yaml", "shell: off\n")
	eventually(t, "the project's policy forbids it", func() bool { return !ran() })
}

func TestLookingFindsChanges(t *testing.T) {
	dir := project(t, some())
	s := serverFor(t, dir)
	w := newWatcher(s)
	if err := w.look(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !w.polled {
		t.Fatal("without events the files are not looked at")
	}
	if w.changed(t.Context()) {
		t.Error("nothing has changed")
	}
	put(t, dir, ".claude/commands/hello.md", "---\ndescription: Say hello again\n---\nHello!\n")
	if !w.changed(t.Context()) {
		t.Error("a changed file is not seen")
	}
	w.reload(t.Context())
	if w.changed(t.Context()) {
		t.Error("what was read is taken for a change")
	}
	put(t, dir, ".claude/skills/more/SKILL.md", "---\nname: more\ndescription: More\n---\nx\n")
	if !w.changed(t.Context()) {
		t.Error("a new skill is not seen")
	}
}

// TestARequestKeepsItsStore: what a request holds stays as it is while another takes
// its place, and is closed when the last one lets go.
func TestARequestKeepsItsStore(t *testing.T) {
	dir := project(t, some())
	s := serverFor(t, dir)
	old, err := s.hold(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir, ".claude/commands/new.md", "---\ndescription: New\n---\nx\n")
	if err := s.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, ok := old.prompt("new"); ok {
		t.Error("the old store has changed")
	}
	text, err := loadText(t.Context(), old.catalog, mustFind(t, old, "hello"), "", "x")
	if err != nil || !strings.Contains(text, "Hello x!") {
		t.Errorf("%q %v", text, err)
	}
	fresh, err := s.hold(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer fresh.release()
	mustFind(t, fresh, "new")
	if fresh.generation != old.generation+1 {
		t.Errorf("generation %d follows %d", fresh.generation, old.generation)
	}
	if old.held.Load() != 1 {
		t.Errorf("the old store is held %d times", old.held.Load())
	}
	old.release()
	if old.hold() {
		t.Error("a closed store can be held")
	}
}

func mustFind(t *testing.T, st *state, name string) catalog.Definition {
	t.Helper()
	p, ok := st.prompt(name)
	if !ok {
		t.Fatalf("%s is not there", name)
	}
	return p
}
