package remote

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/frontmatter"

	"github.com/vadehq/vade/internal/testenv"
)

func TestParseFile(t *testing.T) {
	file := ParseFile("servers.yaml", []byte(`version: 1
servers:
  docs:
    url: https://docs.example/mcp
    headers:
      Authorization: Bearer ${DOCS_TOKEN}
    timeout: 5s
  local:
    command: [npx, -y, some-server]
    env:
      KEY: ${LOCAL_KEY}
    helper: [pass, show, local]
    helper-env: TOKEN
  loop:
    url: http://127.0.0.1:8080/mcp
`))
	list, diags := file.Servers, file.Diagnostics
	if len(diags) != 0 || len(list) != 3 {
		t.Fatalf("%d servers, %v", len(list), diags)
	}
	if s := list[0]; s.Name != "docs" || s.Transport() != "http" || s.Timeout != 5*time.Second || s.Identity() != "http https://docs.example/mcp" || s.Line != 3 {
		t.Errorf("%+v", s)
	}
	if s := list[1]; s.Transport() != "stdio" || s.Identity() != `stdio ["npx" "-y" "some-server"]` || s.HelperEnv != "TOKEN" {
		t.Errorf("%+v", s)
	}
}

// TestBadServers checks that a server with any error is omitted without affecting other servers.
func TestBadServers(t *testing.T) {
	for name, body := range map[string]string{
		"both":            "{command: [a], url: 'https://x/'}",
		"neither":         "{timeout: 5s}",
		"no map":          "x",
		"plain http":      "{url: 'http://example.com/'}",
		"file":            "{url: 'file:///etc/passwd'}",
		"secret in url":   "{url: 'https://user:pw@x/'}",
		"secret in query": "{url: 'https://x/?api_key=abc'}",
		"secret header":   "{url: 'https://x/', headers: {Authorization: Bearer abc}}",
		"secret header 2": "{url: 'https://x/', headers: {X-Api-Key: abc}}",
		"host header":     "{url: 'https://x/', headers: {Host: y}}",
		"broken header":   `{url: 'https://x/', headers: {X-A: "a\r\nb"}}`,
		"text command":    "{command: npx -y x}",
		"relative":        "{command: [./server]}",
		"env for url":     "{url: 'https://x/', env: {A: b}}",
		"bad variable":    "{command: [a], env: {'A B': b}}",
		"helper nowhere":  "{command: [a], helper: [pass]}",
		"long timeout":    "{command: [a], timeout: 2h}",
		"unknown key":     "{command: [a], shell: true}",
	} {
		file := ParseFile("s", []byte("servers:\n  bad: "+body+"\n  good: {command: [a]}\n"))
		list, diags := file.Servers, file.Diagnostics
		if len(list) != 1 || list[0].Name != "good" || len(diags) == 0 {
			t.Errorf("%s: %d servers, %v", name, len(list), diags)
		}
		for _, d := range diags {
			if d.Fix == "" || d.Line == 0 || strings.Contains(d.Message, "abc") || strings.Contains(d.Message, "pw@") {
				t.Errorf("%s: %+v", name, d)
			}
		}
	}
	for _, name := range []string{"a/b", "..", "a b", "", "é", strings.Repeat("a", 65), "a\x1b"} {
		if ValidServer(name) {
			t.Errorf("%q names a server", name)
		}
	}
}

func TestURIs(t *testing.T) {
	for uri, want := range map[string]string{
		"skill://refunds/SKILL.md":                           "refunds",
		"skill://acme/billing/refunds/SKILL.md":              "refunds",
		"other://a/b/SKILL.md":                               "b",
		"skill://a/b%20c/SKILL.md":                           "",
		"skill://a/SKILL.md/":                                "",
		"skill://SKILL.md":                                   "",
		"skill:///a/SKILL.md":                                "",
		"skill://a/../b/SKILL.md":                            "",
		"skill://a/%2e%2e/b/SKILL.md":                        "",
		"skill://a%2fb/SKILL.md":                             "",
		"skill://a/b/skill.md":                               "",
		"skill://a/b/SKILL.md?x":                             "",
		"skill://a/b%0a/SKILL.md":                            "",
		"skill://a/b\\c/SKILL.md":                            "",
		"SKILL.md":                                           "",
		"skill://a/sk\u00fcl-1_b.c/SKILL.md":                 "sk\u00fcl-1_b.c",
		"skill://a/x;rm/SKILL.md":                            "",
		"skill://a/curl.sh|sh/SKILL.md":                      "",
		"skill://a/b!/SKILL.md":                              "",
		"skill://a/" + strings.Repeat("n", 65) + "/SKILL.md": "",
	} {
		if _, _, name, ok := skillURI(uri); ok != (want != "") || ok && name != want {
			t.Errorf("%s: %q, %v", uri, name, ok)
		}
	}
}

// TestFilesStayBelow checks that an entry's file paths never lead out of the skill's directory,
// regardless of what the server lists.
func TestFilesStayBelow(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		rest := rapid.StringMatching(`[a-z./%2eE\\?#:\x00-\x1f]{0,20}`).Draw(t, "rest")
		p, ok := below("skill://a/b", "skill://a/b/"+rest)
		if !ok {
			return
		}
		for element := range strings.SplitSeq(p, "/") {
			if element == "" || element == "." || element == ".." || strings.ContainsAny(element, "\\\x00") {
				t.Fatalf("%q gives %q", rest, p)
			}
		}
	})
}

// TestSameIsJSON checks that a field equals its own JSON but not the JSON for different text.
func TestSameIsJSON(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		data, err := json.Marshal(map[string]any{"k": []any{text, map[string]any{"x": text}}})
		if err != nil {
			t.Fatal(err)
		}
		var listed map[string]any
		if err := json.Unmarshal(data, &listed); err != nil {
			t.Fatal(err)
		}
		clean := listed["k"].([]any)[0].(string)
		v := definition.Value{Kind: definition.List, Items: []definition.Value{
			{Kind: definition.String, Text: clean},
			{Kind: definition.Map, Pairs: []definition.Entry{{Key: "x", Value: definition.Value{Kind: definition.String, Text: clean}}}},
		}}
		if !equal(&v, listed["k"]) {
			t.Fatalf("%q is not its own JSON", clean)
		}
		v.Items[1].Pairs[0].Value.Text += "x"
		if equal(&v, listed["k"]) {
			t.Fatalf("%q is another's JSON", clean)
		}
	})
}

func TestSameScalars(t *testing.T) {
	for _, c := range []struct {
		yaml string
		json string
		want bool
	}{
		{"1.0", "1", true}, {"1.0", `"1.0"`, true}, {"1.0", "2", false}, {"true", "true", true}, {"true", "false", false},
		{"", "null", true}, {"x", "null", false}, {"2026-01-01", `"2026-01-01"`, true}, {"[]", `""`, false}, {"{}", `{}`, true}, {"'1'", "1", false},
		{"36893488147419103233", "36893488147419103232", false}, {"36893488147419103232", "36893488147419103232", true}, {"1e2", "100", true},
	} {
		doc, _ := frontmatter.ParseYAML(diag.NewFile("x", []byte("k: "+c.yaml+"\n")))
		d := json.NewDecoder(strings.NewReader(c.json))
		d.UseNumber()
		var listed any
		if err := d.Decode(&listed); err != nil || len(doc.Entries) != 1 {
			t.Fatal(c, err)
		}
		if equal(&doc.Entries[0].Value, listed) != c.want {
			t.Errorf("%s and %s: not %v", c.yaml, c.json, c.want)
		}
	}
}

// TestSameKeysTwice checks that a map with a duplicate key does not equal a map with an extra key.
func TestSameKeysTwice(t *testing.T) {
	x := func(key string) definition.Entry {
		return definition.Entry{Key: key, Value: definition.Value{Kind: definition.String, Text: "x"}}
	}
	v := definition.Value{Kind: definition.Map, Pairs: []definition.Entry{x("a"), x("a")}}
	if equal(&v, map[string]any{"a": "x", "b": "x"}) {
		t.Error("a field that was listed is not there, and passes")
	}
	v.Pairs[1] = x("b")
	if !equal(&v, map[string]any{"a": "x", "b": "x"}) {
		t.Error("what is the same does not pass")
	}
}

// FuzzParseEntry checks that parsing arbitrary server entries never panics.
func FuzzParseEntry(f *testing.F) {
	f.Add([]byte(`{"uri":"skill://a/b/SKILL.md","frontmatter":{"name":"b","description":"d"},"resources":[{"uri":"skill://a/b/SKILL.md","digest":"sha256:` + strings.Repeat("0", 64) + `","size":1}]}`))
	f.Add([]byte(`{"uri":"skill://a/b/SKILL.md","frontmatter":{"name":"b","description":"d"},"resources":"dynamic"}`))
	f.Add([]byte(`{"uri":[],"frontmatter":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := parseEntry("s", data)
		if err != nil {
			return
		}
		if !validName(e.Name) || e.Description == "" || !e.Dynamic && e.resource(e.URI) == nil || len(e.Resources) > MaxResources {
			t.Fatalf("%+v", e)
		}
		for _, p := range e.Files() {
			if strings.HasPrefix(p, "/") || strings.Contains("/"+p+"/", "/../") {
				t.Fatalf("%q", p)
			}
		}
	})
}

// FuzzParseFile checks that parsing arbitrary servers.yaml files never panics.
func FuzzParseFile(f *testing.F) {
	f.Add([]byte("version: 1\nservers:\n  a: {url: 'https://x/', headers: {A: '${B}'}}\n"))
	f.Add([]byte("servers:\n  a: {command: [a, b], helper: [c], helper-env: D, timeout: 1s}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		list := ParseFile("s", data).Servers
		for _, s := range list {
			if !ValidServer(s.Name) || (len(s.Command) == 0) == (s.URL == "") || s.Timeout > MaxTimeout || s.URL != "" && urlProblem(s.URL) != "" {
				t.Fatalf("%+v", s)
			}
		}
	})
}
