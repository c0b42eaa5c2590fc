package source

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	os.Exit(m.Run())
}

// repo creates a repository with one commit per script.
func repo(t *testing.T, script string) string {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	_ = git
	dir := t.TempDir()
	cmd := exec.Command("sh", "-ec", "git init -q -b main .\n"+script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

func fetcher(t *testing.T) *Fetcher {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	git, err := sandbox.Find("git", sandbox.Search{Path: os.Getenv("PATH")})
	if err != nil {
		t.Skip("git is not installed")
	}
	return &Fetcher{Git: git, Helper: self, Cache: filepath.Join(t.TempDir(), "cache"), Env: os.Environ()}
}

const twoSkills = `
mkdir -p skills/a/scripts skills/b
printf -- '---\nname: a\ndescription: A.\n---\nA\n' > skills/a/SKILL.md
echo 'echo hi' > skills/a/scripts/x.sh; chmod +x skills/a/scripts/x.sh
ln -s SKILL.md skills/a/link.md
printf -- '---\nname: b\ndescription: B.\n---\nB\r\n' > skills/b/SKILL.md
printf '* text eol=lf\n' > .gitattributes
git add . && git commit -qm one && git tag v1
echo more >> skills/b/SKILL.md; git add . && git commit -qm two
`

func TestGit(t *testing.T) {
	dir := repo(t, twoSkills)
	for _, tc := range []struct {
		source string
		names  []string
		want   string
		err    string
	}{
		{"file://" + dir, nil, ".gitattributes skills/a/SKILL.md skills/a/scripts/x.sh* skills/b/SKILL.md", ""},
		{"file://" + dir, []string{"a"}, "skills/a/SKILL.md skills/a/scripts/x.sh*", ""},
		{"file://" + dir + "@v1", []string{"b"}, "skills/b/SKILL.md", ""},
		{"file://" + dir + "@nope", nil, "", `no branch, tag or commit named "nope"`},
		{"file://" + dir + "/nope", nil, "", "not a git repository"},
	} {
		s, err := Parse(tc.source, "/")
		if err != nil {
			t.Fatal(err)
		}
		got, err := fetcher(t).Fetch(t.Context(), s, tc.names)
		if err != nil || tc.err != "" {
			if err == nil || !strings.Contains(err.Error(), tc.err) || tc.err == "" {
				t.Errorf("%s: %v, want %q", tc.source, err, tc.err)
			}
			continue
		}
		var list []string
		for _, f := range got.Files {
			if f.Executable {
				f.Path += "*"
			}
			list = append(list, f.Path)
		}
		if strings.Join(list, " ") != tc.want {
			t.Errorf("%s %v:\n got %s\nwant %s", tc.source, tc.names, strings.Join(list, " "), tc.want)
		}
		if len(got.Commit) != 40 {
			t.Errorf("commit %q", got.Commit)
		}
	}
}

// TestGitErrors checks the message for each kind of source that cannot be fetched.
func TestGitErrors(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/private") {
			w.Header().Set("WWW-Authenticate", "Basic")
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		http.NotFound(w, r)
	}))
	defer server.Close()
	for _, tc := range []struct{ source, want string }{
		{server.URL + "/private.git", "the repository does not exist, or git is not allowed to read it"},
		{server.URL + "/missing.git", "not a git repository"},
		{"https://host.invalid/r.git", "the server cannot be reached"},
		{"http://127.0.0.1:1/r.git", "the server cannot be reached"},
		{"file:///dev/null/r", "not a git repository"},
	} {
		s, err := Parse(tc.source, "/")
		if err != nil {
			t.Fatal(err)
		}
		f := fetcher(t)
		_, err = f.Fetch(t.Context(), s, nil)
		var e *Error
		if !errors.As(err, &e) || e.Problem != tc.want || e.Hint == "" {
			t.Errorf("%s: %v, want %q", tc.source, err, tc.want)
		}
		f.Git = ""
		if _, err := f.Fetch(t.Context(), s, nil); err == nil || !strings.Contains(err.Error(), "git is not installed") {
			t.Errorf("%s without git: %v", tc.source, err)
		}
	}
}
