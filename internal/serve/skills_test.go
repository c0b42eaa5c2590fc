package serve_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/serve"
)

// skillProject creates a project with skills of every kind.
func skillProject(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	skill := func(name string) string {
		return fmt.Sprintf("---\nname: %s\ndescription: What %s is for.\nversion: 1.0\nallowed-tools: Read, Bash(git:*)\nmetadata:\n  team: core\n---\nUse %s.\n", name, name, name)
	}
	write(".git/HEAD", "ref: refs/heads/main\n")
	write(".agents/skills/alpha/SKILL.md", skill("alpha"))
	write(".agents/skills/alpha/references/a b.md", "more\n")
	write(".agents/skills/alpha/references/deep/x.bin", "\xff\xfe\x00")
	write(".agents/skills/alpha/scripts/run.sh", "#!/bin/sh\n")
	write(".agents/skills/alpha/.env", "SECRET=1\n")
	write("vade.yaml", "bundled: false\n")
	write(".agents/skills/beta/SKILL.md", skill("beta"))
	// The official suite requests these prompts by name.
	write(".agents/commands/test_simple_prompt.md", "---\ndescription: A prompt without arguments.\n---\nThis is a simple prompt for testing.\n")
	write(".agents/commands/test_prompt_with_arguments.md", "---\ndescription: A prompt with two arguments.\narguments: [arg1, arg2]\n---\nPrompt with arguments: arg1='$arg1', arg2='$arg2'\n")
	write(".agents/skills/noname/SKILL.md", "---\ndescription: It has no name.\n---\nx\n")
	write(".agents/skills/broken/SKILL.md", "---\nname: broken\ndescription: Use when: it is not YAML\n---\nx\n")
	write(".agents/skills/Odd Name/SKILL.md", skill("Odd Name"))
	write(".agents/skills/private/SKILL.md", strings.Replace(skill("private"), "version:", "disable-model-invocation: true\nversion:", 1))
	write(".agents/skills/large/SKILL.md", skill("large"))
	for i := range 512 {
		write(fmt.Sprintf(".agents/skills/large/f/%03d.txt", i), "x")
	}
	return dir
}

// start serves a project over HTTP and returns the URL.
func start(t *testing.T, dir string) (url string, s *serve.Server) {
	t.Helper()
	s, err := serve.New(t.Context(), func(ctx context.Context, host string) (*catalog.Catalog, error) {
		return catalog.Open(ctx, catalog.Options{Dir: dir, Home: t.TempDir(), ManagedDir: t.TempDir(), As: host, Getenv: func(string) string { return "" }})
	}, serve.Options{PageSize: 2})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s.Handler(serve.HTTPOptions{}))
	t.Cleanup(func() { web.Close(); s.Close() })
	return web.URL, s
}

type answer struct {
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}

// call sends one request in the stateless protocol revision.
func call(t *testing.T, url, method, params string) answer {
	t.Helper()
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	var fields map[string]any
	if err := json.Unmarshal([]byte(params), &fields); err != nil {
		t.Fatal(err)
	}
	body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + meta
	if len(fields) > 0 {
		body += "," + strings.TrimPrefix(params, "{")
	} else {
		body += "}"
	}
	body += "}"
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/mcp", strings.NewReader(body))
	for k, v := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": method} {
		req.Header.Set(k, v)
	}
	for _, key := range []string{"uri", "name"} {
		if value, ok := fields[key].(string); ok {
			req.Header.Set("Mcp-Name", value)
		}
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, _ := io.ReadAll(res.Body)
	var a answer
	if err := json.Unmarshal(data, &a); err != nil {
		t.Fatalf("%s: %s: %q", method, res.Status, data)
	}
	return a
}

type entry struct {
	URI         string
	Frontmatter json.RawMessage
	Resources   []struct {
		URI, Digest string
		Size        int64
	}
}

// list reads all pages of skills/list.
func list(t *testing.T, url string) (entries []entry, pages int) {
	t.Helper()
	cursor := ""
	for {
		params := "{}"
		if cursor != "" {
			params = `{"cursor":"` + cursor + `"}`
		}
		a := call(t, url, "skills/list", params)
		var page struct {
			ResultType, CacheScope, NextCursor string
			TTLMs                              *int64
			Skills                             []entry
		}
		if a.Error != nil || json.Unmarshal(a.Result, &page) != nil {
			t.Fatalf("skills/list: %+v", a)
		}
		if page.ResultType != "complete" || page.TTLMs == nil || page.CacheScope != "private" {
			t.Fatalf("the page says %s", a.Result)
		}
		entries, pages = append(entries, page.Skills...), pages+1
		if cursor = page.NextCursor; cursor == "" {
			return entries, pages
		}
	}
}

func read(t *testing.T, url, uri string) ([]byte, string) {
	t.Helper()
	quoted, _ := json.Marshal(uri)
	a := call(t, url, "resources/read", `{"uri":`+string(quoted)+`}`)
	if a.Error != nil {
		t.Fatalf("resources/read %s: %+v", uri, a.Error)
	}
	var r struct {
		Contents []struct {
			URI, MIMEType string
			Text          *string
			Blob          []byte
		}
	}
	if err := json.Unmarshal(a.Result, &r); err != nil || len(r.Contents) != 1 || r.Contents[0].URI != uri {
		t.Fatalf("resources/read %s: %s", uri, a.Result)
	}
	if c := r.Contents[0]; c.Text != nil {
		return []byte(*c.Text), c.MIMEType
	}
	return r.Contents[0].Blob, r.Contents[0].MIMEType
}

// TestResultsDeclareTypeAndCaching calls each method. In this revision, every result must declare
// that it is complete, and whether, for how long and by whom it may be cached (documented: schema
// of 2026-07-28).
func TestResultsDeclareTypeAndCaching(t *testing.T) {
	dir := skillProject(t)
	empty := filepath.Join(dir, ".agents/skills/alpha/empty.txt")
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	url, _ := start(t, dir)
	for _, c := range []struct {
		method, params string
		kept           bool
	}{
		{"server/discover", "{}", true},
		{"prompts/list", "{}", true},
		{"prompts/get", `{"name":"test_simple_prompt"}`, false},
		{"prompts/get", `{"name":"alpha"}`, false},
		{"prompts/get", `{"name":"test_prompt_with_arguments","arguments":{"arg1":"a","arg2":"b"}}`, false},
		{"completion/complete", `{"ref":{"type":"ref/prompt","name":"test_prompt_with_arguments"},"argument":{"name":"arg1","value":"x"}}`, false},
		{"tools/list", "{}", true},
		{"tools/call", `{"name":"load_skill","arguments":{"skillId":"alpha"}}`, false},
		{"tools/call", `{"name":"load_skill","arguments":{"skillId":"none"}}`, false},
		{"resources/list", "{}", true},
		{"resources/templates/list", "{}", true},
		{"resources/read", `{"uri":"skill://project/alpha/SKILL.md"}`, true},
		{"resources/read", `{"uri":"skill://project/alpha/empty.txt"}`, true},
		{"skills/list", "{}", true},
		{"skills/get", `{"uri":"skill://project/alpha/SKILL.md"}`, true},
		{"resources/directory/read", `{"uri":"skill://project/alpha"}`, true},
	} {
		a := call(t, url, c.method, c.params)
		var r struct {
			ResultType, CacheScope string
			TTLMs                  *int64
			Contents               []map[string]any
		}
		if a.Error != nil || json.Unmarshal(a.Result, &r) != nil {
			t.Errorf("%s %s: %s %+v", c.method, c.params, a.Result, a.Error)
			continue
		}
		if r.ResultType != "complete" || (r.TTLMs != nil && r.CacheScope == "private") != c.kept {
			t.Errorf("%s %s: type %q, %s", c.method, c.params, r.ResultType, a.Result)
		}
		for _, content := range r.Contents {
			_, text := content["text"]
			if _, blob := content["blob"]; text == blob {
				t.Errorf("%s %s has not either a text or a blob: %s", c.method, c.params, a.Result)
			}
		}
	}
}

// TestSkillsList checks that every publishable skill is listed once with all of
// its files, and that each file matches its entry when read.
func TestSkillsList(t *testing.T) {
	dir := skillProject(t)
	url, _ := start(t, dir)
	entries, pages := list(t, url)
	var uris []string
	for _, e := range entries {
		if strings.HasPrefix(e.URI, "skill://bundled/") {
			continue
		}
		uris = append(uris, e.URI)
		for _, r := range e.Resources {
			data, _ := read(t, url, r.URI)
			sum := sha256.Sum256(data)
			if r.Size != int64(len(data)) || r.Digest != "sha256:"+hex.EncodeToString(sum[:]) {
				t.Errorf("%s: the entry says %s, %d bytes; it is %x, %d", r.URI, r.Digest, r.Size, sum, len(data))
			}
		}
	}
	if got, want := strings.Join(uris, " "), "skill://project/alpha/SKILL.md skill://project/beta/SKILL.md"; got != want {
		t.Errorf("listed are %s; want %s", got, want)
	}
	if pages < 2 {
		t.Errorf("%d pages of at most 2 skills", pages)
	}
	for _, e := range entries {
		if e.URI != "skill://project/alpha/SKILL.md" {
			continue
		}
		if want := `{"name":"alpha","description":"What alpha is for.","version":1.0,"allowed-tools":"Read, Bash(git:*)","metadata":{"team":"core"}}`; string(e.Frontmatter) != want {
			t.Errorf("the frontmatter is %s; want %s", e.Frontmatter, want)
		}
		var files []string
		for _, r := range e.Resources {
			files = append(files, strings.TrimPrefix(r.URI, "skill://project/alpha/"))
		}
		if got, want := strings.Join(files, " "), "SKILL.md references/a%20b.md references/deep/x.bin scripts/run.sh"; got != want {
			t.Errorf("the files are %s; want %s", got, want)
		}
	}
}

func TestSkillsGet(t *testing.T) {
	dir := skillProject(t)
	url, _ := start(t, dir)
	for uri, want := range map[string]string{
		"skill://project/alpha/SKILL.md":      "",
		"skill://project/private/SKILL.md":    "",
		"skill://project/large/SKILL.md":      "more than 512 files",
		"skill://project/broken/SKILL.md":     "not every client can read its frontmatter",
		"skill://project/noname/SKILL.md":     "has no name",
		"skill://project/Odd%20Name/SKILL.md": "no skill",
		"skill://project/none/SKILL.md":       "no skill",
		"skill://project/alpha":               "no skill",
		"":                                    "missing",
	} {
		a := call(t, url, "skills/get", `{"uri":"`+uri+`"}`)
		switch {
		case want == "" && (a.Error != nil || !bytes.Contains(a.Result, []byte(`"uri":"`+uri+`"`)) || bytes.Contains(a.Result, []byte("nextCursor"))):
			t.Errorf("%s: %+v %s", uri, a.Error, a.Result)
		case want != "" && (a.Error == nil || a.Error.Code != -32602 || !strings.Contains(a.Error.Message, want) && want != "no skill"):
			t.Errorf("%s: %+v %s; want -32602 with %q", uri, a.Error, a.Result, want)
		}
	}
}

// TestSkillChanges checks that the digest reflects file changes, even within the same second and
// without a notification.
func TestSkillChanges(t *testing.T) {
	dir := skillProject(t)
	url, _ := start(t, dir)
	file := filepath.Join(dir, ".agents/skills/beta/SKILL.md")
	digest := func() string {
		a := call(t, url, "skills/get", `{"uri":"skill://project/beta/SKILL.md"}`)
		var r struct{ Skill entry }
		if a.Error != nil || json.Unmarshal(a.Result, &r) != nil || len(r.Skill.Resources) == 0 {
			t.Fatalf("%+v %s", a.Error, a.Result)
		}
		return r.Skill.Resources[0].Digest
	}
	seen := map[string]bool{}
	for i := range 5 {
		text := fmt.Sprintf("---\nname: beta\ndescription: Text %d.\n---\n", i)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256([]byte(text))
		if got := digest(); got != "sha256:"+hex.EncodeToString(sum[:]) {
			t.Fatalf("after change %d the digest is %s", i, got)
		}
		seen[digest()] = true
	}
	if len(seen) != 5 {
		t.Errorf("%d digests of 5 texts", len(seen))
	}
	// An old file is not reread, so its entry comes from the first read.
	past := time.Now().Add(-time.Hour)
	if err := os.Chtimes(file, past, past); err != nil {
		t.Fatal(err)
	}
	if first, second := digest(), digest(); first != second {
		t.Error("two looks at one file differ")
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if a := call(t, url, "skills/get", `{"uri":"skill://project/beta/SKILL.md"}`); a.Error == nil || a.Error.Code != -32602 {
		t.Errorf("a skill that is gone: %+v", a)
	}
}

// TestSkillPathsStayInside checks that only an entry's own files can be read,
// however the path is spelled.
func TestSkillPathsStayInside(t *testing.T) {
	dir := skillProject(t)
	if err := os.WriteFile(filepath.Join(dir, "secret.txt"), []byte("no"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "secret.txt"), filepath.Join(dir, ".agents/skills/alpha/link.txt")); err != nil {
		t.Skip("no links here")
	}
	url, _ := start(t, dir)
	for _, uri := range []string{
		"skill://project/alpha/../../../secret.txt", "skill://project/alpha/..%2f..%2f..%2fsecret.txt", "skill://project/alpha/%2e%2e/beta/SKILL.md",
		"skill://project/alpha/link.txt", "skill://project/alpha/.env", "skill://project/alpha/references", "skill://project/alpha",
		"skill://project/alpha/references/a b.md", "skill://project/alpha/%73cripts/run.sh", "skill://project/alpha//SKILL.md",
		"skill://project/alpha/SKILL.md/", "skill://project/alpha/SKILL.md%00", "skill://project", "skill://", "skill:", "file:///etc/passwd", "vade:none",
		"skill://project/alpha/" + strings.Repeat("a/", 5000),
	} {
		quoted, _ := json.Marshal(uri)
		if a := call(t, url, "resources/read", `{"uri":`+string(quoted)+`}`); a.Error == nil || a.Error.Code != -32602 {
			t.Errorf("resources/read %q: %+v %s", uri, a.Error, a.Result)
		}
	}
}

func TestDirectoryRead(t *testing.T) {
	dir := skillProject(t)
	url, _ := start(t, dir)
	for uri, want := range map[string]string{
		"skill://project/alpha":                 "SKILL.md:text/markdown references:inode/directory scripts:inode/directory",
		"skill://project/alpha/references":      "a b.md:text/markdown deep:inode/directory",
		"skill://project/alpha/references/deep": "x.bin:application/octet-stream",
	} {
		a := call(t, url, "resources/directory/read", `{"uri":"`+uri+`"}`)
		var r struct {
			ResultType string
			Resources  []struct{ URI, Name, MIMEType string }
		}
		if a.Error != nil || json.Unmarshal(a.Result, &r) != nil || r.ResultType != "complete" {
			t.Fatalf("%s: %+v %s", uri, a.Error, a.Result)
		}
		var got []string
		for _, x := range r.Resources {
			got = append(got, x.Name+":"+x.MIMEType)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s has %s; want %s", uri, got, want)
		}
	}
	for _, uri := range []string{"skill://project/alpha/SKILL.md", "skill://project/alpha/", "skill://project/alpha/none", "skill://project", "skill://project/none", "skill://project/large", ""} {
		if a := call(t, url, "resources/directory/read", `{"uri":"`+uri+`"}`); a.Error == nil || a.Error.Code != -32602 {
			t.Errorf("%s: %+v %s", uri, a.Error, a.Result)
		}
	}
	for _, method := range []string{"skills/list", "resources/list", "resources/directory/read"} {
		if a := call(t, url, method, `{"uri":"skill://project/alpha","cursor":"!"}`); a.Error == nil || a.Error.Code != -32602 {
			t.Errorf("%s with a foreign cursor: %+v", method, a)
		}
	}
}

func TestResourceLists(t *testing.T) {
	dir := skillProject(t)
	url, _ := start(t, dir)
	var templates struct {
		ResourceTemplates []struct{ URITemplate string }
	}
	a := call(t, url, "resources/templates/list", "{}")
	if json.Unmarshal(a.Result, &templates) != nil || len(templates.ResourceTemplates) != 1 {
		t.Errorf("resources/templates/list: %+v %s", a.Error, a.Result)
	}
	seen := map[string]bool{}
	for cursor := ""; ; {
		params := "{}"
		if cursor != "" {
			params = `{"cursor":"` + cursor + `"}`
		}
		a := call(t, url, "resources/list", params)
		var r struct {
			NextCursor string
			Resources  []struct{ URI, Name, Description string }
		}
		if a.Error != nil || json.Unmarshal(a.Result, &r) != nil {
			t.Fatalf("resources/list: %+v", a)
		}
		for _, x := range r.Resources {
			if seen[x.URI] {
				t.Errorf("%s is listed twice", x.URI)
			}
			seen[x.URI] = true
		}
		if cursor = r.NextCursor; cursor == "" {
			break
		}
	}
	if !seen["skill://project/alpha/SKILL.md"] || seen["vade:none"] {
		t.Errorf("resources/list has %v", seen)
	}
}
