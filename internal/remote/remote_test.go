package remote

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/vadehq/vade/diag"
)

func codeOf(err error) diag.Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func TestSkills(t *testing.T) {
	l := honest()
	l.files["skill://acme/deploy/SKILL.md"] = "---\nname: deploy\ndescription: d\n---\n"
	l.add("skill://acme/deploy", map[string]any{"name": "deploy", "description": "d"})
	l.page = 1
	s := set(t, world(t), l.serve(t))
	list := listOf(t, s)
	if codes(list) != "" || !list.Extension || len(list.Entries) != 2 {
		t.Fatalf("codes %q, extension %v, %d entries", codes(list), list.Extension, len(list.Entries))
	}
	if len(l.reads) != 0 {
		t.Fatalf("listing read %q", l.reads)
	}
	e := list.Entries[1]
	if e.Label() != "mcp:liar/refunds" || e.Description != "How refunds work" || !slices.Equal(e.Files(), []string{"SKILL.md", "references/policy.md"}) {
		t.Fatalf("%q %q %q", e.Label(), e.Description, e.Files())
	}
	data, err := s.Read(t.Context(), e, e.URI)
	if err != nil || string(data) != refunds {
		t.Fatalf("%q, %v", data, err)
	}
	if !slices.Equal(l.reads, []string{e.URI}) {
		t.Fatalf("more was read than asked for: %q", l.reads)
	}
	if _, err := e.File("references/policy.md"); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Get(t.Context(), "liar", e.URI); err != nil || got.Name != "acme/refunds" {
		t.Fatalf("get: %+v, %v", got, err)
	}
	if _, err := s.Get(t.Context(), "liar", "skill://acme/none/SKILL.md"); codeOf(err) != diag.RemoteInvalid || strings.Contains(err.Error(), "\x1b") {
		t.Fatalf("unknown skill: %v", err)
	}
}

// TestLies checks that each lie is reported and affects only its own definition.
func TestLies(t *testing.T) {
	first := func(l *liar) map[string]any { return l.skills[0] }
	files := func(l *liar) []map[string]any { return first(l)["resources"].([]map[string]any) }
	for _, c := range []struct {
		name string
		lie  func(l *liar)
		// list and read are the codes expected from listing the server and from reading SKILL.md.
		list, read diag.Code
	}{
		{"other text of the same length", func(l *liar) {
			l.files["skill://acme/refunds/SKILL.md"] = strings.Replace(refunds, "Refunds\n", "Refunds!", 1)
		}, "", diag.RemoteDigest},
		{"longer text", func(l *liar) { l.files["skill://acme/refunds/SKILL.md"] += "more" }, "", diag.RemoteDigest},
		{"a description of its own", func(l *liar) { first(l)["frontmatter"].(map[string]any)["description"] = "harmless" }, "", diag.RemoteFrontmatter},
		{"a field more", func(l *liar) { first(l)["frontmatter"].(map[string]any)["license"] = "MIT" }, "", diag.RemoteFrontmatter},
		{"a field less", func(l *liar) { delete(first(l)["frontmatter"].(map[string]any), "metadata") }, "", diag.RemoteFrontmatter},
		{"another list in a field", func(l *liar) {
			first(l)["frontmatter"].(map[string]any)["metadata"].(map[string]any)["tags"] = []string{"a", "c"}
		}, "", diag.RemoteFrontmatter},
		{"another name", func(l *liar) { first(l)["frontmatter"].(map[string]any)["name"] = "other" }, diag.RemoteInvalid, ""},
		{"no description", func(l *liar) { delete(first(l)["frontmatter"].(map[string]any), "description") }, diag.RemoteInvalid, ""},
		{"no resources", func(l *liar) { delete(first(l), "resources") }, diag.RemoteInvalid, ""},
		{"resources that are a word", func(l *liar) { first(l)["resources"] = "some" }, diag.RemoteInvalid, ""},
		{"dynamic", func(l *liar) { first(l)["resources"] = "dynamic" }, "", diag.RemoteDynamic},
		{"no SKILL.md among them", func(l *liar) { first(l)["resources"] = []any{} }, diag.RemoteInvalid, ""},
		{"a file elsewhere", func(l *liar) { files(l)[0]["uri"] = "skill://acme/other/x" }, diag.RemoteInvalid, ""},
		{"a file above", func(l *liar) { files(l)[0]["uri"] = "skill://acme/refunds/../x" }, diag.RemoteInvalid, ""},
		{"a file above, escaped", func(l *liar) { files(l)[0]["uri"] = "skill://acme/refunds/%2e%2e/x" }, diag.RemoteInvalid, ""},
		{"a file twice", func(l *liar) { files(l)[0]["uri"] = files(l)[1]["uri"] }, diag.RemoteInvalid, ""},
		{"a file twice, once escaped", func(l *liar) {
			first(l)["resources"] = append(files(l), map[string]any{"uri": "skill://acme/refunds/SKILL%2Emd", "digest": Digest(nil), "size": 0})
		}, diag.RemoteInvalid, ""},
		{"a digest of another hash", func(l *liar) { files(l)[0]["digest"] = "md5:00" }, diag.RemoteInvalid, ""},
		{"a negative size", func(l *liar) { files(l)[0]["size"] = -1 }, diag.RemoteInvalid, ""},
		{"more than 16 MiB", func(l *liar) { files(l)[0]["size"], files(l)[1]["size"] = 16<<20, 1 }, diag.RemoteInvalid, ""},
		{"513 files", func(l *liar) {
			for i := range MaxResources - 1 {
				first(l)["resources"] = append(files(l), map[string]any{"uri": "skill://acme/refunds/" + strings.Repeat("x", i+1), "digest": Digest(nil), "size": 0})
			}
		}, diag.RemoteInvalid, ""},
		{"a uri that is none", func(l *liar) { first(l)["uri"] = "file:///etc/passwd" }, diag.RemoteInvalid, ""},
		{"a name that hides", func(l *liar) { first(l)["uri"] = "skill://acme/re\u202efunds/SKILL.md" }, diag.RemoteInvalid, ""},
		{"listed twice", func(l *liar) { l.skills = append(l.skills, first(l)) }, diag.RemoteInvalid, ""},
		{"pages in a circle", func(l *liar) { l.circle = true }, diag.RemoteInvalid, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := honest()
			l.files["skill://acme/good/SKILL.md"] = "---\nname: good\ndescription: d\n---\n"
			c.lie(l)
			l.add("skill://acme/good", map[string]any{"name": "good", "description": "d"})
			s := set(t, world(t), l.serve(t))
			list := listOf(t, s)
			if codes(list) != string(c.list) {
				t.Errorf("listing says %q, not %q: %v", codes(list), c.list, list.Diagnostics)
			}
			good := false
			for _, e := range list.Entries {
				_, err := s.Read(t.Context(), e, e.URI)
				if e.Name == "good" {
					good = err == nil
				} else if codeOf(err) != c.read {
					t.Errorf("reading says %v, not %q", err, c.read)
				}
			}
			if !good && !l.circle {
				t.Error("the honest skill of the server is lost")
			}
		})
	}
}

func TestUnlistedFileIsNotRequested(t *testing.T) {
	l := honest()
	l.files["skill://acme/refunds/secret.md"] = "unlisted"
	l.files["skill://other/SKILL.md"] = "other"
	s := set(t, world(t), l.serve(t))
	e := listOf(t, s).Entries[0]
	for _, uri := range []string{"skill://acme/refunds/secret.md", "skill://other/SKILL.md", "file:///etc/passwd", ""} {
		if _, err := s.Read(t.Context(), e, uri); codeOf(err) != diag.RemoteUnlisted {
			t.Errorf("%s: %v", uri, err)
		}
	}
	for _, path := range []string{"secret.md", "../x", "", "/etc/passwd"} {
		if _, err := e.File(path); codeOf(err) != diag.RemoteUnlisted {
			t.Errorf("%s: %v", path, err)
		}
	}
	if len(l.reads) != 0 {
		t.Errorf("%q was asked for", l.reads)
	}
}

func TestSameNameTwice(t *testing.T) {
	l := honest()
	l.files["skill://evil/refunds/SKILL.md"] = "---\nname: refunds\ndescription: e\n---\n"
	l.add("skill://evil/refunds", map[string]any{"name": "refunds", "description": "e"})
	list := listOf(t, set(t, world(t), l.serve(t)))
	if len(list.Entries) != 2 || list.Entries[0].Name != "acme/refunds" || list.Entries[1].Name != "evil/refunds" {
		t.Fatalf("%+v", list.Entries)
	}
}

func TestServerWithoutExtension(t *testing.T) {
	l := honest()
	l.bare = true
	l.prompts = []*mcp.Prompt{
		{Name: "review", Description: "Review it", Arguments: []*mcp.PromptArgument{{Name: "pr", Required: true}}},
		{Name: "bad name\n"},
	}
	s := set(t, world(t), l.serve(t))
	list := listOf(t, s)
	if list.Extension || len(list.Entries) != 2 || codes(list) != string(diag.RemoteInvalid) {
		t.Fatalf("extension %v, %d entries, %q", list.Extension, len(list.Entries), codes(list))
	}
	prompt, skill := list.Entries[0], list.Entries[1]
	if prompt.Via != FromPrompt || prompt.Name != "review" || skill.Via != FromResource || skill.Name != "refunds" {
		t.Fatalf("%+v %+v", prompt, skill)
	}
	if text, err := s.Prompt(t.Context(), prompt, map[string]string{"pr": "7"}); err != nil || text != "review map[pr:7]" {
		t.Fatalf("%q, %v", text, err)
	}
	if data, err := s.Read(t.Context(), skill, skill.URI); err != nil || string(data) != refunds {
		t.Fatalf("%q, %v", data, err)
	}
	if _, err := s.Read(t.Context(), skill, "skill://acme/refunds/references/policy.md"); codeOf(err) != diag.RemoteUnlisted {
		t.Fatal(err)
	}
}

// TestAnnouncedExtension checks that a server's prompts and resources are still available if the
// server announces the extension without implementing it.
func TestAnnouncedExtension(t *testing.T) {
	l := honest()
	l.bare, l.announced = true, true
	l.prompts = []*mcp.Prompt{{Name: "review", Description: "Review it"}}
	list := listOf(t, set(t, world(t), l.serve(t)))
	if list.Extension || len(list.Entries) != 2 || codes(list) != string(diag.RemoteInvalid) {
		t.Fatalf("extension %v, %d entries, %q", list.Extension, len(list.Entries), codes(list))
	}
}

func TestCache(t *testing.T) {
	l := honest()
	w := world(t)
	w.Cache = cacheIn(t)
	server := l.serve(t)
	read := func() int {
		s := set(t, w, server)
		e := listOf(t, s).Entries[0]
		if data, err := s.Read(t.Context(), e, e.URI); err != nil || string(data) != refunds {
			t.Fatalf("%q, %v", data, err)
		}
		return len(l.reads)
	}
	for range 2 {
		if n := read(); n != 1 {
			t.Fatalf("the server was asked %d times", n)
		}
	}
	file := filepath.Join(w.Cache.Dir(), strings.TrimPrefix(Digest([]byte(refunds)), "sha256:"))
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", info, err)
	}
	if dir, err := os.Stat(w.Cache.Dir()); err != nil || dir.Mode().Perm() != 0o700 {
		t.Fatalf("%v, %v", dir, err)
	}
	// Ignore modified files in the cache.
	if err := os.WriteFile(file, []byte(strings.Replace(refunds, "touch", "tough", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if n := read(); n != 2 {
			t.Fatalf("the server was asked %d times", n)
		}
	}
	// A cache directory that other users can write to is not used.
	if err := os.Chmod(w.Cache.Dir(), 0o777); err != nil {
		t.Fatal(err)
	}
	if read() != 3 {
		t.Fatalf("the server was asked %d times", len(l.reads))
	}
}

func TestCacheIsBounded(t *testing.T) {
	c := cacheIn(t)
	if err := os.MkdirAll(c.Dir(), 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range maxCached + 10 {
		if err := os.WriteFile(filepath.Join(c.Dir(), "f"+strings.Repeat("0", i%50)+string(rune('a'+i%26))+Digest([]byte{byte(i), byte(i >> 8)})[7:]), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.put(Digest([]byte("x")), []byte("x")); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(c.Dir())
	if err != nil || len(entries) > maxCached {
		t.Fatalf("%d files, %v", len(entries), err)
	}
}
