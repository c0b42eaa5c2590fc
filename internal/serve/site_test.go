package serve_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/serve"
)

func fetch(t *testing.T, url string) (*http.Response, []byte) {
	t.Helper()
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, data
}

// TestStaticIndex checks that each link in the index resolves to content with the listed digest,
// that archives contain their skill's files, and that only the project's skills are published.
func TestStaticIndex(t *testing.T) {
	project := skillProject(t)
	url, _ := start(t, project)
	at := url + "/.well-known/agent-skills/"
	res, data := fetch(t, at+"index.json")
	var index struct {
		Schema string `json:"$schema"`
		Skills []struct{ Name, Type, Description, URL, Digest string }
	}
	if err := json.Unmarshal(data, &index); err != nil || res.StatusCode != 200 || index.Schema != "https://schemas.agentskills.io/discovery/0.2.0/schema.json" {
		t.Fatalf("%s %v %s", res.Status, err, data)
	}
	var names []string
	for _, s := range index.Skills {
		names = append(names, s.Name+":"+s.Type)
		res, data := fetch(t, at+s.URL)
		sum := sha256.Sum256(data)
		if res.StatusCode != 200 || s.Digest != "sha256:"+hex.EncodeToString(sum[:]) {
			t.Errorf("%s: %s, %x; the index says %s", s.URL, res.Status, sum, s.Digest)
		}
	}
	if got, want := strings.Join(names, " "), "alpha:archive beta:skill-md private:skill-md"; got != want {
		t.Errorf("the index has %s; want %s", got, want)
	}
	_, data = fetch(t, at+"alpha.tar.gz")
	if got, want := strings.Join(entries(t, data), " "), "SKILL.md references/a b.md references/deep/x.bin scripts/run.sh"; got != want {
		t.Errorf("the archive has %s; want %s", got, want)
	}
	if _, data := fetch(t, at+"alpha/references/a%20b.md"); string(data) != "more\n" {
		t.Errorf("the file is %q", data)
	}
	for _, page := range []string{"/marketplace.json", "/.claude-plugin/marketplace.json"} {
		var market struct{ Plugins []struct{ Skills []string } }
		if _, data := fetch(t, url+page); json.Unmarshal(data, &market) != nil || len(market.Plugins) != 1 || len(market.Plugins[0].Skills) != 3 {
			t.Errorf("%s: %s", page, data)
		}
	}
}

func entries(t *testing.T, archive []byte) (names []string) {
	t.Helper()
	zip, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	for tape := tar.NewReader(zip); ; {
		h, err := tape.Next()
		if errors.Is(err, io.EOF) {
			return names
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
	}
}

func TestStaticRefuses(t *testing.T) {
	project := skillProject(t)
	url, s := start(t, project)
	for _, page := range []string{
		"/.well-known/agent-skills/", "/.well-known/agent-skills/alpha", "/.well-known/agent-skills/alpha/.env", "/.well-known/agent-skills/alpha/..%2f..%2fsecret",
		"/.well-known/agent-skills/large/SKILL.md", "/.well-known/agent-skills/broken/SKILL.md", "/.well-known/agent-skills/beta.tar.gz", "/.well-known/other",
	} {
		if res, _ := fetch(t, url+page); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %s", page, res.Status)
		}
	}
	locked := httptest.NewServer(s.Handler(serve.HTTPOptions{Token: "0123456789abcdef"}))
	defer locked.Close()
	if res, _ := fetch(t, locked.URL+"/.well-known/agent-skills/index.json"); res.StatusCode != http.StatusUnauthorized {
		t.Errorf("without the token: %s", res.Status)
	}
	if res, err := http.Post(url+"/marketplace.json", "text/plain", nil); err != nil || res.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST: %v %v", res, err)
	}
}

// TestStaticFollows checks that, after a file changes, a new index describes the new content.
func TestStaticFollows(t *testing.T) {
	project := skillProject(t)
	url, _ := start(t, project)
	page := url + "/.well-known/agent-skills/beta/SKILL.md"
	res, _ := fetch(t, page)
	tag := res.Header.Get("ETag")
	text := "---\nname: beta\ndescription: Changed.\n---\n"
	if err := os.WriteFile(filepath.Join(project, ".agents/skills/beta/SKILL.md"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	res, data := fetch(t, page)
	if res.StatusCode != 200 || string(data) != text || res.Header.Get("ETag") == tag || tag == "" {
		t.Errorf("%s %q, tags %s and %s", res.Status, data, tag, res.Header.Get("ETag"))
	}
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, page, nil)
	req.Header.Set("If-None-Match", res.Header.Get("ETag"))
	if again, err := http.DefaultClient.Do(req); err != nil || again.StatusCode != http.StatusNotModified {
		t.Errorf("with its tag: %v %v", again, err)
	}
}
