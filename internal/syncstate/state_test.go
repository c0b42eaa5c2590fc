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
		`{"version": 2, "files": []}`:        "its version is 2",
		"<<<<<<< HEAD\n{}\n":                 "not valid JSON",
		`{"version": 1, "files": []} {"a":1`: "not valid JSON",
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
