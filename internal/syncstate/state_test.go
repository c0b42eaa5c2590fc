package syncstate

import (
	"reflect"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	digest := Digest([]byte("x"))
	for text, want := range map[string]string{
		`{"version": 1, "files": []}`: "",
		`{"version": 1, "files": [{"path": "a", "hosts": [], "sha256": "` + digest + `"}], "dirs": ["."], "noLinks": true}`: "",
		`{"version": 1, "files": [{"path": "a", "hosts": []}]}`:                                                             "either a digest or a link",
		`{"version": 1, "files": [{"path": "a", "hosts": [], "sha256": "x", "link": "y"}]}`:                                 "either a digest or a link",
		`{"version": 2, "files": []}`:        "unsupported version 2",
		"<<<<<<< HEAD\n{}\n":                 "not a valid state file: ",
		`{"version": 1, "files": []} {"a":1`: "not a valid state file: ",
	} {
		_, err := Parse([]byte(text))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestFormat(t *testing.T) {
	s := &State{Version: 1, Pending: true, Files: []Entry{
		{Path: "b<&>", Source: "s", Hosts: []string{"h", "g"}, Link: "../s"},
		{Path: "a", Source: "s", Hosts: []string{"h"}, Digest: Digest(nil), Own: true},
	}}
	data, err := s.Format()
	if err != nil {
		t.Fatal(err)
	}
	got, err := Parse(data)
	if err != nil || !reflect.DeepEqual(got, s) || strings.Count(string(data), "\n") != 8 {
		t.Errorf("%v\n%s", err, data)
	}
	for path, want := range map[string]bool{"a": true, "a/x": false, "b<&>": true, "b<&>/c/d": true, "c": false, "": false} {
		if got.Has(path) != want {
			t.Errorf("%q: %v", path, !want)
		}
	}
}

func TestLinkText(t *testing.T) {
	for _, c := range [][3]string{
		{".claude/skills/x", ".agents/skills/x", "../../.agents/skills/x"}, {"x", "a/b", "a/b"}, {"a/x", "a/y", "y"}, {"a/b/x", "a", "../../a"},
	} {
		if got := LinkText(c[0], c[1]); got != c[2] {
			t.Errorf("%s: %s, want %s", c[0], got, c[2])
		}
	}
}

// TestParseFor checks that reading the entries for some paths gives the same
// result for these paths as reading the whole state.
func TestParseFor(t *testing.T) {
	digest := Digest([]byte("x"))
	s := &State{Version: 1, Files: []Entry{
		{Path: ".claude/skills/x", Source: ".agents/skills/x", Hosts: []string{"claude-code"}, Link: "../../.agents/skills/x"},
		{Path: ".agents/skills/x/SKILL.md", Source: "src/x.md", Hosts: []string{"codex"}, Digest: digest},
		{Path: ".gemini/a\"b.md", Source: "src/a.md", Hosts: []string{"gemini"}, Digest: digest},
		{Path: "src/a.md", Source: "other", Hosts: []string{"gemini"}, Digest: digest, Own: true},
		{Path: "z<&>", Source: "src/z.md", Hosts: []string{"pi"}, Digest: digest},
	}}
	written, err := s.Format()
	if err != nil {
		t.Fatal(err)
	}
	reformatted := []byte(strings.ReplaceAll(string(written), "\n", " "))
	conflict := []byte(strings.Replace(string(written), "{\"path\"", "<<<<<<< HEAD\n{\"path\"", 1))
	lines := []string{
		`{"path":"a","hosts":[],"sha256":"` + digest + `"},` + "\n" + `{"path":"a","hosts":[],"sha256":"` + digest + `"}],"Files":[` + "\n" +
			`{"path":"src/a.md","hosts":[],"sha256":"` + digest + `"}],"x":[` + "\n" + `{"path":"z","hosts":[],"sha256":"` + digest + `"}`,
		`{"path":"a","path":"src/a.md","source":"s","hosts":[],"sha256":"` + digest + `"}`,
		`{"path":"a","source":"s","hosts":[],"sha256":"` + digest + `","Path":"src/a.md"}`,
		`{"path":"a","source":"s","hosts":[],"sha256":"` + digest + `","p\u0061th":"src/a.md"}`,
		`{"path":"a","source":"s","hosts":[],"sha256":"` + digest + `"},{"hosts":[],"sha256":"` + digest + `","path":"src/a.md"}`,
		`{"path":"a","source":"s","hosts":[],"sha256":"` + digest + `"} , {"hosts":[],"sha256":"` + digest + `","PATH":"src/a.md"}`,
		`{"path":"src/\u0061.md","source":"s","hosts":[],"sha256":"` + digest + `"}`,
		`{"path":"src/a.md","source":"s","hosts":[],"sha256":"` + digest + `","path":"b"}`,
	}
	for i, line := range lines {
		lines[i] = "{\n  \"version\": 1,\n  \"files\": [\n" + line + "\n  ]\n}\n"
		if s, err := Parse([]byte(lines[i])); err != nil || len(s.Files) == 0 {
			t.Fatal(err, line)
		}
	}
	texts := [][]byte{written, reformatted, conflict, []byte("{\n  \"version\": 1,\n  \"files\": [\n  ]\n}\n"), []byte("{\n  \"files\": [\n  ]\n}\n"), nil}
	for _, line := range lines {
		texts = append(texts, []byte(line))
	}
	for _, data := range texts {
		whole, wrong := Parse(data)
		for _, name := range []string{".claude/skills/x/SKILL.md", ".agents/skills/x/SKILL.md", ".gemini/a\"b.md", "src/a.md", "z<&>", "nothing"} {
			some, err := parseFor(data, []string{name})
			if (err == nil) != (wrong == nil) {
				t.Fatalf("%s: %v, want %v", data, err, wrong)
			}
			if err != nil {
				continue
			}
			if some.Has(name) != whole.Has(name) || !reflect.DeepEqual(some.At(name), whole.At(name)) && len(whole.At(name)) > 0 {
				t.Errorf("%s: %v, want %v", name, some.At(name), whole.At(name))
			}
			for _, e := range some.At(name) {
				if some.Has(e.Source) != whole.Has(e.Source) {
					t.Errorf("%s: the source %s is lost", name, e.Source)
				}
			}
		}
	}
}
