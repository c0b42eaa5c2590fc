package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestGitArgs(t *testing.T) {
	args, err := GitArgs([]string{"git", "--no-pager", "diff", "--stat", "--", "-c"}, "a.b=c")
	if err != nil {
		t.Fatal(err)
	}
	tail := args[slices.Index(args, "a.b=c")+1:]
	if want := "--no-pager diff --no-ext-diff --no-textconv --ignore-submodules=dirty --stat -- -c"; strings.Join(tail, " ") != want {
		t.Errorf("args end with %q", tail)
	}
	if i := slices.Index(args, "core.fsmonitor=false"); i < 0 || args[i-1] != "-c" {
		t.Errorf("settings are missing: %q", args)
	}
	for _, bad := range [][]string{nil, {"git", "-c", "a=b", "status"}, {"git", "-C", "/", "status"}, {"git", "--git-dir=x", "status"},
		{"git", "--exec-path=x", "log"}, {"git", "--config-env=a=b", "log"}, {"git", "-p", "log"}, {"git", "--no-pager", "--work-tree=/"}} {
		if got, err := GitArgs(bad); !errors.Is(err, ErrGitOption) {
			t.Errorf("%q gives %q, %v", bad, got, err)
		}
	}
	if got, err := GitArgs([]string{"git", "--version"}); err != nil || got[len(got)-1] != "--version" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestParseGitConfig(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"[core]\n\tbare = false\n", "core.bare=false"},
		{"[CORE] Bare=x", "core.bare=x"},
		{"[a]b=1\n[A]c=2", "a.b=1 | a.c=2"},
		{"\ufeff[a]\nb", "a.b"},
		{"[a]\nb=", "a.b="},
		{"[a \"B c\"]\nd=1", "a.B c.d=1"},
		{`[a "x\"y\\z\w"]` + "\nd=1", `a.x"y\zw.d=1`},
		{"[a.B]\nc=1", "a.b.c=1"},
		{"[a.B \"C\"]\nd=1", "a.b.C.d=1"},
		{"[a]\nb = one \\\n two\n", "a.b=one  two"},
		{"[a]\nb = \"x # y\" ; z\n", "a.b=x # y"},
		{"[a]\nb = x\\ty\\\\\\\"\n", "a.b=x\ty\\\""},
		{"[a]\r\nb = c\r\n", "a.b=c"},
		{"[a]\nb = c\rd\n", "a.b=c\rd"},
		{"# x\n; y\n[a] # z\nb=1 # w", "a.b=1"},
		{"[a]\nb = \"x \"  \n", "a.b=x "},
		{"[a]\nb = x \"\"  \n", "a.b=x "},
		{"b=1", "b=1"},
		{"[]b=1", ".b=1"},
		{"[a \"\"]b=1", "a..b=1"},
	} {
		list, err := parseGitConfig([]byte(c.text))
		var got []string
		for _, s := range list {
			if s.NoValue {
				got = append(got, s.key())
				continue
			}
			got = append(got, s.key()+"="+s.Value)
		}
		if err != nil || strings.Join(got, " | ") != c.want {
			t.Errorf("%q: %q, %v, want %q", c.text, got, err, c.want)
		}
	}
	for _, bad := range []string{"[", "[a", "[a\n]", "[a \"b\n\"]", "[a \"b\" ]", "[a b]", "[a_b]", "[a]\n1=2", "[a]\nb c=1", "[a]\nb=\"x\n",
		"[a]\nb=\\x", "[a]\nb_c=1", "\x00", "[a]\n= 1", "]"} {
		if list, err := parseGitConfig([]byte(bad)); err == nil {
			t.Errorf("%q parsed as %v", bad, list)
		}
	}
}

func TestJudgeSetting(t *testing.T) {
	for _, c := range []struct {
		text    string
		refused bool
		config  int
	}{
		{"[core]\nfsmonitor=true", false, 0},
		{"[core]\nfsmonitor", false, 0},
		{"[core]\nfsmonitor=.git/hooks/x", true, 0},
		{"[core]\nhooksPath=.husky", false, 0},
		{"[core]\nsshCommand=ssh -i key", false, 0},
		{"[core]\ngitProxy=x", true, 0},
		{"[core]\nalternateRefsCommand=x", true, 0},
		{"[diff]\nexternal=x", true, 0},
		{"[diff]\nalgorithm=patience", false, 0},
		{"[diff \"a\"]\nCOMMAND=x", true, 0},
		{"[diff \"a\"]\ntextconv=x", true, 0},
		{"[diff \"a\"]\nxfuncname=x", false, 0},
		{"[diff \"\"]\ncommand=x", true, 0},
		{"[filter \"\"]\nclean=x", true, 0},
		{"[diff.a \"b\"]\ncommand=x", true, 0},
		{"[filter \"a\"]\nclean=x", true, 0},
		{"[filter \"a\"]\nsmudge=x", true, 0},
		{"[filter \"a\"]\nprocess=x", true, 0},
		{"[filter \"lfs\"]\nclean=git-lfs clean -- %f", false, 4},
		{"[filter \"lfs\"]\nprocess=\"git-lfs filter-process; x\"", true, 0},
		{"[filter \"x\"]\nclean=git-lfs clean -- %f", true, 0},
		{"[include]\npath=x", true, 0},
		{"[includeIf \"gitdir:/\"]\npath=x", true, 0},
		{"[remote \"o\"]\nurl=https://example.org", false, 0},
		{"[remote \"o\"]\npromisor=true", true, 0},
		{"[remote \"o\"]\nuploadpack=x", true, 0},
		{"[remote \"o\"]\nvcs=x", true, 0},
		{"[extensions]\npartialClone=o", true, 0},
		{"[extensions]\nworktreeConfig=true", false, 0},
		{"[submodule \"a\"]\nupdate=!x", true, 0},
		{"[submodule \"a\"]\nupdate=rebase", false, 0},
		{"[alias]\nst=!x", false, 0},
		{"[hook \"a\"]\ncommand=x", true, 0},
		{"[user]\nname=x", false, 0},
	} {
		list, err := parseGitConfig([]byte(c.text))
		if err != nil || len(list) != 1 {
			t.Fatalf("%q: %v, %v", c.text, list, err)
		}
		why, config := judgeSetting(list[0])
		if (why != "") != c.refused || len(config) != c.config {
			t.Errorf("%q: %q, %q", c.text, why, config)
		}
	}
}

// memory returns a function that reads files from a map. A name is a directory if the map has files
// below it.
func memory(files map[string]string) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		name = filepath.ToSlash(name)
		if text, ok := files[name]; ok {
			return []byte(text), nil
		}
		for path := range files {
			if strings.HasPrefix(path, name+"/") {
				return nil, errors.New("is a directory")
			}
		}
		return nil, fs.ErrNotExist
	}
}

func TestCheckGit(t *testing.T) {
	repo := func(dir string, more ...string) map[string]string {
		m := map[string]string{dir + "/HEAD": "ref: refs/heads/main\n", dir + "/objects/x": "", dir + "/refs/x": "", dir + "/config": "[core]\n"}
		for i := 0; i+1 < len(more); i += 2 {
			m[more[i]] = more[i+1]
		}
		return m
	}
	tree := func(m map[string]string, git, link string) map[string]string {
		for k, v := range repo(git+"/worktrees/w", git+"/worktrees/w/commondir", "../..\n", git+"/worktrees/w/gitdir", link+"/.git\n", link+"/.git", "gitdir: "+git+"/worktrees/w\n") {
			m[k] = v
		}
		return m
	}
	for _, c := range []struct {
		what  string
		files map[string]string
		dir   string
		top   string
		read  string
		ok    bool
	}{
		{"none", nil, "/p/a", "", "", true},
		{"plain", repo("/p/.git"), "/p", "/p", "", true},
		{"from below", repo("/p/.git"), "/p/a/b", "/p", "", true},
		{"above the project", repo("/.git"), "/p", "", "", true},
		{"not in the project", repo("/p/.git"), "/q", "", "", false},
		{"no objects", map[string]string{"/p/.git/HEAD": "x", "/p/.git/refs/x": ""}, "/p", "/p", "", false},
		{"bare", repo("/p/a"), "/p/a", "", "", false},
		{"below a bare one", repo("/p/a"), "/p/a/hooks", "", "", false},
		{"inside .git", repo("/p/.git"), "/p/.git", "", "", false},
		{"sent elsewhere", repo("/p/.git", "/p/.git/commondir", "../x"), "/p", "/p", "", false},
		{"submodule", repo("/p/.git/modules/m", "/p/m/.git", "gitdir: ../.git/modules/m\n", "/p/.git/modules/m/config", "[core]\nworktree=../../../m\n"), "/p/m", "/p/m", "", true},
		{"submodule of another tree", repo("/p/.git/modules/m", "/p/m/.git", "gitdir: ../.git/modules/m\n", "/p/.git/modules/m/config", "[core]\nworktree=../../../n\n"), "/p/m", "/p/m", "", false},
		{"file leads out", repo("/q/.git", "/p/.git", "gitdir: /q/.git\n"), "/p", "/p", "", false},
		{"roundabout file", repo("/p/s", "/p/.git", "gitdir: a/../s\n"), "/p", "/p", "", false},
		{"no space", repo("/p/s", "/p/.git", "gitdir:s\n"), "/p", "/p", "", false},
		{"empty file", repo("/p/s", "/p/.git", ""), "/p", "/p", "", false},
		{"linked", tree(repo("/q/.git"), "/q/.git", "/p"), "/p", "/p", "/q/.git", true},
		{"linked inside", tree(repo("/p/.git"), "/p/.git", "/p/w"), "/p/w", "/p/w", "", true},
		{"linked to someone else's", tree(tree(repo("/q/.git"), "/q/.git", "/r"), "/q/.git", "/r"), "/p", "", "", true},
		{"linked, not known", repo("/q/.git", "/p/.git", "gitdir: /q/.git/worktrees/w\n", "/q/.git/worktrees/w/commondir", "../..\n", "/q/.git/worktrees/w/gitdir", "/r/.git\n"), "/p", "/p", "", false},
		{"common directory elsewhere", repo("/q/.git", "/p/.git", "gitdir: s\n", "/p/s/commondir", "/q/.git\n", "/p/s/HEAD", "x", "/p/s/gitdir", "/p/.git\n"), "/p", "/p", "", false},
		{"bad setting", repo("/p/.git", "/p/.git/config", "[diff]\nexternal=x\n"), "/p", "/p", "", false},
		{"bad setting of the tree", repo("/p/.git", "/p/.git/config.worktree", "[diff]\nexternal=x\n"), "/p", "/p", "", false},
		{"bad line", repo("/p/.git", "/p/.git/config", "[diff\n"), "/p", "/p", "", false},
	} {
		d, err := CheckGit(memory(c.files), "/p", c.dir)
		if (err == nil) != c.ok || d.Top != c.top || c.ok && strings.Join(d.Read, " ") != c.read {
			t.Errorf("%s: %+v, %v", c.what, d, err)
		}
		if want := filepath.Dir(c.top); c.top != "" && d.Ceiling != want {
			t.Errorf("%s: ceiling %q", c.what, d.Ceiling)
		}
	}
	d, err := CheckGit(memory(repo("/p/.git", "/p/.git/objects/info/alternates", "# x\n/q/objects\n../../a\n../../../b\n")), "/p", "/p")
	if err != nil || strings.Join(d.Alternates, " ") != "/q/objects ../../../b" {
		t.Errorf("alternates %q, %v", d.Alternates, err)
	}
	_, err = CheckGit(memory(repo("/p/.git", "/p/.git/config", "\n[diff]\n\nexternal = x\n")), "/p", "/p")
	if e, ok := errors.AsType[*GitConfigError](err); !ok || e.Key != "diff.external" || e.Line != 4 || e.File != "/p/.git/config" {
		t.Errorf("%#v", err)
	}
}

func TestReadGitFile(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "file")
	if err := errors.Join(os.WriteFile(file, []byte("text"), 0o600), os.Symlink(file, filepath.Join(dir, "link")),
		os.Symlink("nowhere", filepath.Join(dir, "lost")), os.WriteFile(filepath.Join(dir, "big"), make([]byte, maxGitFile+1), 0o600)); err != nil {
		t.Skip(err)
	}
	if text, err := ReadGitFile(file); err != nil || string(text) != "text" {
		t.Errorf("%q, %v", text, err)
	}
	for _, name := range []string{"link", "lost", "big", "."} {
		if _, err := ReadGitFile(filepath.Join(dir, name)); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"none", "file/below"} {
		if _, err := ReadGitFile(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzGitConfig checks the parser against git, if installed. Both must read the same settings from
// every configuration that git accepts.
func FuzzGitConfig(f *testing.F) {
	for _, seed := range []string{"[a]\nb=c\n", "[a \"b\"]\nc = \"d # e\" ; f\n", "[a]\nb = x\\\n y\n[c.d \"e\"] f", "\ufeff[a]\r\nb\r\n",
		"[core] fsmonitor=\\\n x", "[a \"\\\"\\\\\"]\nb=\\t\\n\\b", "[a]b=1[c]d=2", "[filter \"lfs\"]\n\tclean = git-lfs clean -- %f\n"} {
		f.Add([]byte(seed))
	}
	git, err := exec.LookPath("git")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		list, perr := parseGitConfig(text)
		for _, s := range list {
			_, _ = judgeSetting(s)
		}
		if err != nil || len(text) > 4096 || os.Getenv("SANDBOX_FUZZ_GIT") == "" {
			return
		}
		file := filepath.Join(dir, "config")
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		out, gerr := exec.Command(git, "config", "-z", "--list", "--no-includes", "-f", file).Output()
		if gerr != nil {
			return
		}
		if perr != nil {
			if !errors.Is(perr.(*configError).err, errControl) {
				t.Fatalf("git accepts %q, the parser fails: %v", text, perr)
			}
			return
		}
		var mine strings.Builder
		for _, s := range list {
			mine.WriteString(s.key() + "\n" + s.Value + "\x00")
			if s.NoValue {
				mine.Reset()
				return
			}
		}
		if oneSpace(mine.String()) != oneSpace(string(out)) {
			t.Fatalf("%q: the parser returns %q, git %q", text, mine.String(), out)
		}
	})
}

// oneSpace collapses spaces, as older versions of git do.
func oneSpace(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" \t\r", r) }), " ")
}
