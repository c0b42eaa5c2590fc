package transcript

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host/registry"
)

const countProject = "/home/mira/src/shop"

// countIn counts a host's sessions in a home directory that contains files from testdata.
func countIn(t *testing.T, host string, o CountOptions, files map[string]string) *Usage {
	t.Helper()
	home := t.TempDir()
	for at, from := range files {
		data, err := os.ReadFile(filepath.Join("testdata", from))
		if err != nil {
			data = []byte(from)
		}
		at = filepath.Join(home, filepath.FromSlash(at))
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, data, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	p, _ := registry.Lookup(host)
	o.Home = filepath.ToSlash(home)
	if o.Getenv == nil {
		o.Getenv = func(string) string { return "" }
	}
	u, err := Count(t.Context(), p.Sessions, o)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// counted abbreviates a usage: names followed by the number of offers and invocations, with "@"
// marking agents and "?" marking other projects.
func counted(u *Usage) string {
	var list []string
	for _, k := range slices.SortedFunc(maps.Keys(u.Used), func(a, b Used) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }) {
		name := k.Name
		if k.Agent {
			name = "@" + name
		}
		if !k.Here {
			name += "?"
		}
		list = append(list, fmt.Sprintf("%s %d/%d", name, u.Used[k].Offered, u.Used[k].Invoked))
	}
	return fmt.Sprintf("%d sessions, %d here: %s", u.Sessions, u.Here, strings.Join(list, ", "))
}

// TestCount reads sessions that the hosts recorded.
func TestCount(t *testing.T) {
	const claude = ".claude/projects/-home-mira-src-shop/"
	elsewhere := countProject + "-2"
	for _, c := range []struct {
		name, host, project string
		files               map[string]string
		want                string
	}{
		{"claude-code", "claude-code", "", map[string]string{
			claude + "a.jsonl": "claude-skill.jsonl", claude + "a/subagents/agent-b.jsonl": "claude-subagent.jsonl", claude + "c.jsonl": "claude-command.jsonl",
		}, "2 sessions, 2 here: deploy 2/1, idle 2/0, review 2/1, @Explore 2/0, @Plan 2/0, @claude 2/0, @general-purpose 2/0, @statusline-setup 2/0, @tester 2/1"},
		{"a resumed session", "claude-code", "", map[string]string{claude + "a.jsonl": "claude-command.jsonl", claude + "b.jsonl": "claude-command.jsonl"},
			"2 sessions, 2 here: deploy 2/0, idle 2/0, review 2/1, @Explore 2/0, @Plan 2/0, @claude 2/0, @general-purpose 2/0, @statusline-setup 2/0, @tester 2/0"},
		{"before 2.1", "claude-code", elsewhere, map[string]string{
			claude + "a.jsonl": `{"type":"user","uuid":"u","cwd":"/home/mira/src/shop-2/web","attachment":{"type":"skill_listing"}}` + "\n" +
				`{"type":"attachment","uuid":"w","attachment":{"type":"skill_listing","content":"- deploy: Deploy.\n- x:y: Z.\ntext"}}` + "\n" +
				`{"type":"assistant","uuid":"v","message":{"content":[{"type":"tool_use","id":"t","name":"Skill","input":{"command":"deploy"}}]}}`,
		}, "1 sessions, 1 here: deploy 1/1, x:y 1/0"},
		{"codex", "codex", "", map[string]string{".codex/sessions/2026/11/28/rollout-a.jsonl": "codex-skill.jsonl"}, "1 sessions, 1 here: deploy 1/2, idle 1/1"},
		{"elsewhere", "codex", elsewhere, map[string]string{".codex/sessions/2026/11/28/rollout-a.jsonl": "codex-skill.jsonl"}, "1 sessions, 0 here: deploy? 1/2, idle? 1/1"},
		{"gemini", "gemini", "", map[string]string{".gemini/tmp/shop/chats/session-a.jsonl": "gemini.jsonl", ".gemini/tmp/shop/chats/session-b.jsonl": "gemini-command.jsonl"},
			"2 sessions, 2 here: deploy 0/1, review 0/1, @tester 0/1"},
		{"copilot-cli", "copilot-cli", "", map[string]string{".copilot/session-state/a/events.jsonl": "copilot-cli.jsonl"},
			"1 sessions, 1 here: customize-cloud-agent 1/0, deploy 1/1, idle 1/0, @tester 0/1"},
		{"opencode", "opencode", "", map[string]string{".local/share/opencode/opencode.db": "opencode.db"}, "1 sessions, 1 here: deploy 0/1, @tester 0/1"},
		{"opencode with a log", "opencode", "", map[string]string{
			".local/share/opencode/opencode.db": "opencode.db", ".local/share/opencode/opencode.db-wal": "opencode.db-wal",
		}, "1 sessions, 1 here: deploy 0/1, idle 0/3, @tester 0/1"},
		{"no sessions", "opencode", "", nil, "0 sessions, 0 here: "},
	} {
		if c.project == "" {
			c.project = countProject
		}
		u := countIn(t, c.host, CountOptions{Project: c.project}, c.files)
		if got := counted(u); got != c.want || len(u.Diagnostics) > 0 {
			t.Errorf("%s: %s\nwant %s\n%v", c.name, got, c.want, u.Diagnostics)
		}
	}
}

func TestCountSince(t *testing.T) {
	files := map[string]string{".copilot/session-state/a/events.jsonl": "copilot-cli.jsonl"}
	invoked := time.Date(2026, 11, 28, 17, 47, 59, 562e6, time.UTC)
	u := countIn(t, "copilot-cli", CountOptions{Project: countProject, Since: invoked}, files)
	if n := u.Used[Used{Name: "deploy", Here: true}]; n.Invoked != 1 || !n.Last.Equal(invoked) {
		t.Errorf("%+v", n)
	}
	u = countIn(t, "copilot-cli", CountOptions{Project: countProject, Since: invoked.Add(time.Millisecond)}, files)
	if n := u.Used[Used{Name: "deploy", Here: true}]; n.Invoked != 0 {
		t.Errorf("%+v", n)
	}
}

// TestCountMoved checks that an environment variable can relocate the session directory.
func TestCountMoved(t *testing.T) {
	moved := t.TempDir()
	data, err := os.ReadFile("testdata/gemini.jsonl")
	at := filepath.Join(moved, ".gemini/tmp/x/chats/session-a.jsonl")
	if err := errors.Join(err, os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, data, 0o644)); err != nil {
		t.Fatal(err)
	}
	u := countIn(t, "gemini", CountOptions{Getenv: func(name string) string {
		if name == "GEMINI_CLI_HOME" {
			return filepath.ToSlash(moved)
		}
		return ""
	}}, nil)
	if u.Sessions != 1 {
		t.Errorf("%+v", u)
	}
}

// TestCountDamaged checks that damaged files are reported and that the others are still counted.
func TestCountDamaged(t *testing.T) {
	u := countIn(t, "copilot-cli", CountOptions{Project: countProject}, map[string]string{
		".copilot/session-state/a/events.jsonl": "copilot-cli.jsonl",
		".copilot/session-state/b/events.jsonl": `{"type":"skill.invoked",` + "\n{}\n",
	})
	if len(u.Diagnostics) != 1 || u.Diagnostics[0].Code != diag.TranscriptLine || u.Used[Used{Name: "deploy", Here: true}].Invoked != 1 {
		t.Errorf("%s: %v", counted(u), u.Diagnostics)
	}
	for name, db := range map[string]string{"text": "text", "a head": "SQLite format 3\x00\x10\x00" + strings.Repeat("\x01", 90)} {
		u := countIn(t, "opencode", CountOptions{}, map[string]string{".local/share/opencode/opencode.db": db})
		if len(u.Diagnostics) != 1 || u.Diagnostics[0].Code != diag.FileUnreadable {
			t.Errorf("%s: %v", name, u.Diagnostics)
		}
	}
}

// FuzzDatabase checks that no database makes the reader panic or run forever.
func FuzzDatabase(f *testing.F) {
	db, err := os.ReadFile("testdata/opencode.db")
	wal, err2 := os.ReadFile("testdata/opencode.db-wal")
	if err := errors.Join(err, err2); err != nil {
		f.Fatal(err)
	}
	f.Add(db, wal)
	f.Add(db[:4096], []byte{})
	for _, at := range []int{20, 28, 56, 100, 103, 105, 108, 1024, 1027, 2048, 2056, 3072, 8192} {
		broken := bytes.Clone(db)
		broken[at] ^= 0x55
		f.Add(broken, wal)
	}
	f.Fuzz(func(t *testing.T, db, wal []byte) {
		var log io.ReaderAt
		if len(wal) > 0 {
			log = bytes.NewReader(wal)
		}
		_ = opencodeDatabase(t.Context(), bytes.NewReader(db), log, time.Time{}, func(*session) {})
	})
}

// A record header cannot be shorter than the number that states its length.
func TestDatabaseHeaderTooShort(t *testing.T) {
	r := &sqliteRow{local: []byte{0, 1, 2}, size: 3, columns: []string{"data"}}
	if kind, at, size := r.find("data"); kind != 0 || at != 0 || size != 0 {
		t.Errorf("find: %d, %d, %d", kind, at, size)
	}
}

func FuzzGemini(f *testing.F) {
	fuzzReader(f, "gemini.jsonl", `{"sessionId":"s","projectHash":"h","messages":[{"type":"user","content":"/x"}]}`, `{"$set":{"$set":{}}}`)
}

func FuzzCopilot(f *testing.F) {
	fuzzReader(f, "copilot-cli.jsonl", `{"type":"tool.execution_complete","data":{"shellExecution":{"exitCode":-1}}}`)
}

func FuzzOpencode(f *testing.F) {
	fuzzReader(f, "opencode.json", `{"info":{},"messages":[{"info":{"role":"user"},"parts":[{"type":"text","text":"x"},{"tool":"bash","callID":"c"}]}]}`)
}
