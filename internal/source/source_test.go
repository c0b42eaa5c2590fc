package source

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/ledger"
)

func TestParse(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "here", "skills"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ typed, want string }{
		{"o/r", "github https://github.com/o/r.git"},
		{"o/r/skills/pdf@v1.2", "github https://github.com/o/r.git v1.2 skills/pdf"},
		{"o/r@feat/x", "github https://github.com/o/r.git feat/x"},
		{"o/r/../../x", "github https://github.com/o/r.git  x"},
		{"gitlab:o/r@main", "gitlab https://gitlab.com/o/r.git main"},
		{"https://github.com/o/r", "github https://github.com/o/r.git"},
		{"https://github.com/o/r/tree/main/skills/pdf/", "github https://github.com/o/r.git main skills/pdf"},
		{"https://gitlab.com/o/r/-/tree/v1/s", "gitlab https://gitlab.com/o/r.git v1 s"},
		{"https://git.example.com/o/r.git@v1", "git https://git.example.com/o/r.git v1"},
		{"git@example.com:o/r.git", "git git@example.com:o/r.git"},
		{"ssh://git@example.com/o/r.git@v2", "git ssh://git@example.com/o/r.git v2"},
		{"https://example.com/s.tar.gz", "archive https://example.com/s.tar.gz"},
		{"https://example.com/docs/", "well-known https://example.com/docs"},
		{"./x.zip", "archive " + dir + "/x.zip"},
		{"here/skills", "local " + dir + "/here/skills"},
		{"/abs", "local /abs"},
		{"", "error"}, {"one", "error"}, {"ftp://example.com/x", "error"}, {"https://u:p@example.com/r.git", "error"}, {"ssh://u:p@example.com/r.git", "error"}, {"https://", "error"},
	} {
		s, err := Parse(tc.typed, filepath.ToSlash(dir))
		got := strings.TrimRight(fmt.Sprintf("%s %s %s %s", s.Type, s.URL, s.Ref, s.Path), " ")
		if err != nil {
			if got = "error"; !errors.Is(err, ErrSource) {
				t.Errorf("%q: %v", tc.typed, err)
			}
		}
		if got != tc.want {
			t.Errorf("%q: %s, want %s", tc.typed, got, tc.want)
		}
	}
}

// archives returns the same entries as a zip file and as a tar.gz file.
func archives(t *testing.T, names ...string) [][]byte {
	t.Helper()
	var z, g bytes.Buffer
	zw := zip.NewWriter(&z)
	gw := gzip.NewWriter(&g)
	tw := tar.NewWriter(gw)
	for _, name := range names {
		data := []byte("content of " + name)
		w, err := zw.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = w.Write(data)
		if err := tw.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(data))}); err != nil {
			t.Fatal(err)
		}
		_, _ = tw.Write(data)
	}
	for _, c := range []interface{ Close() error }{zw, tw, gw} {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return [][]byte{z.Bytes(), g.Bytes()}
}

func TestUnpack(t *testing.T) {
	for _, data := range archives(t, "top/SKILL.md", "./top/x/y") {
		files, err := unpack(data)
		if err != nil || len(files) != 2 || withoutTop(files)[1].Path != "x/y" {
			t.Errorf("%v: %v", files, err)
		}
	}
	for _, bad := range []string{"../x", "/etc/passwd", "a/../../b", "a//b"} {
		for _, data := range archives(t, bad) {
			if files, err := unpack(data); err == nil {
				t.Errorf("%q is unpacked: %v", bad, files)
			}
		}
	}
	for _, bad := range []string{"", "PK\x03\x04", "\x1f\x8b\x08", "text"} {
		if _, err := unpack([]byte(bad)); err == nil {
			t.Errorf("%q is unpacked", bad)
		}
	}
}

// TestBomb checks that unpacking an archive stops at the limit.
func TestBomb(t *testing.T) {
	var b bytes.Buffer
	g := gzip.NewWriter(&b)
	w := tar.NewWriter(g)
	const limit = 4 << 20
	size := int64(limit + 1)
	if err := w.WriteHeader(&tar.Header{Name: "x", Mode: 0o644, Size: size}); err != nil {
		t.Fatal(err)
	}
	zeros := make([]byte, 1<<20)
	for left := size; left > 0; left -= int64(len(zeros)) {
		_, _ = w.Write(zeros[:min(left, int64(len(zeros)))])
	}
	_, _ = w.Close(), g.Close()
	u := unpacker{left: limit}
	if err := u.tar(b.Bytes()); !errors.Is(err, errTooMany) {
		t.Errorf("%v, want %v", err, errTooMany)
	}
}

func TestSite(t *testing.T) {
	archive := archives(t, "SKILL.md", "x.sh")[1]
	md := []byte("---\nname: one\ndescription: One.\n---\n")
	index := func(digest string) string {
		return `{"$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "skills": [
			{"name": "one", "type": "skill-md", "description": "d", "url": "one/SKILL.md", "digest": "` + digest + `"},
			{"name": "two", "type": "archive", "description": "d", "url": "/two.tar.gz", "digest": "sha256:` + ledger.SHA256(archive) + `"}]}`
	}
	files := map[string]string{
		"/.well-known/agent-skills/index.json":       index("sha256:" + ledger.SHA256(md)),
		"/.well-known/agent-skills/one/SKILL.md":     string(md),
		"/two.tar.gz":                                string(archive),
		"/bad/.well-known/agent-skills/index.json":   index("sha256:0"),
		"/bad/.well-known/agent-skills/one/SKILL.md": string(md),
		"/old/.well-known/skills/index.json":         `{"skills": [{"name": "three", "description": "d", "files": ["SKILL.md", "a/b.txt"]}]}`,
		"/old/.well-known/skills/three/SKILL.md":     "3",
		"/old/.well-known/skills/three/a/b.txt":      "b",
		"/evil/.well-known/skills/index.json":        `{"skills": [{"name": "../up", "files": ["SKILL.md"]}]}`,
		"/evil2/.well-known/skills/index.json":       `{"skills": [{"name": "up", "files": ["../../x"]}]}`,
		"/json/.well-known/agent-skills/index.json":  `{`,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := files[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(text))
	}))
	defer server.Close()
	for _, tc := range []struct{ path, name, want string }{
		{"", "", "one/SKILL.md two/SKILL.md two/x.sh"},
		{"", "two", "two/SKILL.md two/x.sh"},
		{"/docs", "one", "one/SKILL.md"},
		{"/old", "", "three/SKILL.md three/a/b.txt"},
		{"/bad", "", "skill one: the content's digest differs from the one in the index"},
		{"/evil", "", "the index contains the invalid name"},
		{"/evil2", "", "invalid path"},
		{"/json", "", "the index is not valid JSON"},
	} {
		s, err := Parse(server.URL+tc.path, "/")
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		if tc.name != "" {
			names = []string{tc.name}
		}
		got, err := (&Fetcher{}).Fetch(t.Context(), s, names)
		var list []string
		if err != nil {
			list = []string{err.Error()}
		} else {
			for _, f := range got.Files {
				list = append(list, f.Path)
			}
		}
		if all := strings.Join(list, " "); err == nil && all != tc.want || !strings.Contains(all, tc.want) {
			t.Errorf("%s %s: %s, want %s", tc.path, tc.name, all, tc.want)
		}
	}
}
