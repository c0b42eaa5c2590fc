package mirror

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// asked are the paths of a state, those above and below them, and some that it has not.
func asked(s *State) []string {
	paths := []string{"", ".", "a", "zz/z"}
	for _, e := range s.Files {
		paths = append(paths, e.Path, e.Path+"/below", e.Path+"0", dir(e.Path), strings.TrimSuffix(e.Path, "d"))
	}
	return paths
}

// sameRecord fails where a record says something else of a path than the whole state.
func sameRecord(t *testing.T, data []byte) {
	t.Helper()
	s, r := parse(data), ReadRecord(data)
	for _, p := range asked(s) {
		if got, want := fmt.Sprintf("%+v", r.Of(p)), fmt.Sprintf("%+v", s.of(p)); got != want {
			t.Errorf("entries of %q: %s, want %s", p, got, want)
		}
		if r.Made(p) != s.Made(p) {
			t.Errorf("made %q: %v", p, r.Made(p))
		}
	}
	if !slices.Equal(r.Hosts(), s.Hosts()) {
		t.Errorf("hosts: %v, want %v", r.Hosts(), s.Hosts())
	}
}

func exampleState() *State {
	digest := Digest(nil)
	return &State{Version: 1, Pending: true, NoLinks: true, Dirs: []string{"a", "a b"}, Files: []Entry{
		{Path: "a/b.md", Source: "s/b.md", Hosts: []string{"one"}, Digest: digest},
		{Path: "a/b.md", Source: "s/b.md", Hosts: []string{"one", "two"}, Link: "../s/b.md", Adopted: true},
		{Path: "a/b c.md", Source: "s/ü.md", Hosts: []string{"one"}, Digest: digest, Adopted: true},
		{Path: "a/<&>.md", Source: "s/,\"x", Hosts: []string{"o\"]ne"}, Digest: digest},
		{Path: "a/none.md", Hosts: []string{}, Digest: digest},
		{Path: "a/d", Source: "s/d", Hosts: []string{"one"}, Link: "../s/d"},
	}}
}

func TestRecord(t *testing.T) {
	s := exampleState()
	text := s.Format()
	if !ReadRecord(text).index() {
		t.Errorf("a state is not found to have lines:\n%s", text)
	}
	again := parse(text)
	if !again.Usable || string(again.Format()) != string(text) || len(again.Files) != len(s.Files) || len(again.Dirs) != 2 || !again.Pending || !again.NoLinks {
		t.Errorf("read again:\n%s", again.Format())
	}
	sameRecord(t, text)
	sameRecord(t, (&State{Version: 1}).Format())
	// Another program's form, another order, a path with an escape.
	indented, err := json.MarshalIndent(s, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	sameRecord(t, indented)
	lines := strings.SplitAfter(string(text), "\n")
	at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, lineOpen) })
	lines[at], lines[at+1] = lines[at+1], lines[at]
	sameRecord(t, []byte(strings.Join(lines, "")))
	sameRecord(t, bytes.Replace(text, []byte(`"a/d"`), []byte(`"\u0061/d"`), 1))
	for _, e := range ReadRecord([]byte(strings.Join(lines, ""))).Of("a/b.md") {
		if e.Source != "s/b.md" {
			t.Errorf("%+v", e)
		}
	}
	if link, source := ReadRecord(text).LinkOver("a/d/e.md"); link == nil || source != "s/d/e.md" || !link.Straight() {
		t.Errorf("the link: %v, %s", link, source)
	}
}

// TestRecordBroken: what is no state has no entries; a broken line only loses its own.
func TestRecordBroken(t *testing.T) {
	text := string(exampleState().Format())
	for _, broken := range []string{
		"", "{", "null", "[]", text[:len(text)/2], strings.Replace(text, `"version": 1`, `"version": 2`, 1),
		strings.Replace(text, "\n"+lineOpen+"a/d", "\n<<<<<<< ours\n"+lineOpen+"a/d", 1), "\n  \"files\": [\n  ]",
	} {
		if r := ReadRecord([]byte(broken)); r.Made("a/d") || r.Made("a/b.md") || len(r.Hosts()) > 0 {
			t.Errorf("%.60q: made", broken)
		}
	}
	r := ReadRecord([]byte(strings.Replace(text, `"link":"../s/d"`, `"link":7`, 1)))
	if r.Made("a/d") || !r.Made("a/b.md") {
		t.Errorf("a broken line: %v, %v", r.Made("a/d"), r.Made("a/b.md"))
	}
}

func FuzzReadRecord(f *testing.F) {
	f.Add(exampleState().Format())
	f.Add((&State{Version: 1}).Format())
	f.Fuzz(func(t *testing.T, data []byte) {
		r := ReadRecord(data)
		for _, p := range asked(parse(data)) {
			for _, e := range r.Of(p) {
				if e.Path != p || !e.usable() {
					t.Fatalf("%q: %+v", p, e)
				}
			}
			r.Made(p)
			r.LinkOver(p)
		}
		// What is written is found as it is read whole.
		sameRecord(t, parse(data).Format())
	})
}
