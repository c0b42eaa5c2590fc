package pathmatch

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/testenv"
)

// names lists path elements that matchers are likely to get wrong.
var names = []string{
	"a", "b", "ab", "ba", "abc", "a.b", ".a", "A", "aB", "foo", "foobar", "f-o", "0", "a b", "b ", "!a", "#a",
	"a*b", "[a]", "a]", `a\b`, "a?", "-", "^a", "é", "éa",
}

// TestAgainstGit compares MatchUnder and Ignore against git itself, using random lists of patterns.
// Each list is the .gitignore in a separate directory, and one run of git checks all of them.
func TestAgainstGit(t *testing.T) {
	lists := 200
	if testenv.Slow() {
		lists = 700
	}
	compareWithGit(t, rand.New(rand.NewPCG(1, 2)), lists, false, randomPattern)
}

// TestAgainstGitFoldingCase is like TestAgainstGit with core.ignoreCase set.
// Git does not fold single characters in a class or characters after a
// backslash, so in those positions the patterns contain only lowercase letters.
func TestAgainstGitFoldingCase(t *testing.T) {
	compareWithGit(t, rand.New(rand.NewPCG(3, 4)), 200, true, func(r *rand.Rand) string {
		p := randomPattern(r)
		if strings.ContainsAny(p, `[\`) {
			p = strings.ToLower(p)
		}
		return p
	})
}

func compareWithGit(t *testing.T, r *rand.Rand, lists int, foldCase bool, pattern func(*rand.Rand) string) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	if runtime.GOOS == "windows" {
		t.Skip("Windows cannot hold files of these names")
	}
	root := t.TempDir()
	run := func(stdin string, args ...string) string {
		cmd := exec.Command(git, args...)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "HOME="+root, "LC_ALL=C")
		cmd.Stdin = strings.NewReader(stdin)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if exit, ok := err.(*exec.ExitError); err != nil && (!ok || exit.ExitCode() != 1) {
			t.Fatalf("git %v: %v\n%s", args, err, stderr.String())
		}
		return string(out)
	}
	run("", "init", "-q")
	run("", "config", "core.ignoreCase", fmt.Sprint(foldCase))

	type question struct {
		list int
		path string
		dir  bool
	}
	var questions []question
	contents := make([]string, lists)
	for i := range lists {
		base := filepath.Join(root, fmt.Sprintf("t%04d", i))
		for range 6 {
			dir := randomPath(r)
			if err := os.MkdirAll(filepath.Join(base, dir), 0o755); err != nil {
				t.Fatal(err)
			}
			for part := range prefixes(dir) {
				questions = append(questions, question{i, part, true})
			}
			for range 4 {
				// A queried file need not exist, but must not be a directory.
				questions = append(questions, question{i, dir + "/" + names[r.IntN(len(names))] + "~", false})
				questions = append(questions, question{i, dir + "/" + names[r.IntN(len(names))], false})
			}
		}
		lines := make([]string, 1+r.IntN(3))
		for j := range lines {
			lines[j] = pattern(r)
		}
		contents[i] = strings.Join(lines, "\n") + "\n"
		if err := os.WriteFile(filepath.Join(base, ".gitignore"), []byte(contents[i]), 0o644); err != nil {
			t.Fatal(err)
		}
	}

	var stdin strings.Builder
	for i, q := range questions {
		full := fmt.Sprintf("t%04d/%s", q.list, q.path)
		if info, err := os.Stat(filepath.Join(root, full)); err == nil {
			questions[i].dir = info.IsDir()
		}
		stdin.WriteString(full + "\x00")
	}
	ignored := map[string]bool{}
	for path := range strings.SplitSeq(run(stdin.String(), "check-ignore", "--no-index", "--stdin", "-z"), "\x00") {
		ignored[path] = true
	}
	matchers, ignores := make([]*Matcher, lists), make([]*Ignore, lists)
	for i, content := range contents {
		matchers[i], _ = parseIgnore([]byte(content), Options{FoldCase: foldCase})
		ignores[i] = (*Ignore)(nil).Enter(fmt.Sprintf("t%04d", i), []byte(content))
	}
	wrong, yes := 0, 0
	for _, q := range questions {
		full := fmt.Sprintf("t%04d/%s", q.list, q.path)
		want := ignored[full]
		if want {
			yes++
		}
		if got := matchers[q.list].MatchUnder(q.path, q.dir); got != want {
			t.Errorf("patterns %q: MatchUnder(%q, %v) = %v, git says %v", contents[q.list], q.path, q.dir, got, want)
			wrong++
		}
		if !foldCase {
			if got := ignores[q.list].Ignored(full, q.dir); got != want {
				t.Errorf("patterns %q: Ignored(%q, %v) = %v, git says %v", contents[q.list], full, q.dir, got, want)
				wrong++
			}
		}
		if wrong > 20 {
			t.Fatal("too many differences")
		}
	}
	if yes*50 < len(questions) {
		t.Errorf("only %d of %d paths are ignored: the patterns test nothing", yes, len(questions))
	}
	t.Logf("%d pairs of a pattern list and a path, %d ignored", len(questions), yes)
}

func randomPath(r *rand.Rand) string {
	parts := make([]string, 1+r.IntN(3))
	for i := range parts {
		parts[i] = names[r.IntN(len(names))]
	}
	return strings.Join(parts, "/")
}

func prefixes(path string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for i := range len(path) {
			if path[i] == '/' && !yield(path[:i]) {
				return
			}
		}
		yield(path)
	}
}

// randomPattern combines pieces of patterns. Half of the results resemble an
// existing path, so they are likely to match something.
func randomPattern(r *rand.Rand) string {
	pieces := []string{
		"*", "**", "***", "/", "/", "?", "**/", "/**", "/**/", "[ab]", "[!a]", "[^b]", "[a-c]", "[]a]", "[[:alpha:]]",
		"[![:upper:]]", "[a", "[[:no:]]", "[b-", `[\]a]`, "[a/b]", "[[:a]", "[--a]", "[a-]", `\`, `\a`, `\*`, ` `, `\ `, "!", "#",
		"a", "b", "foo", ".", "é", "-", "]", "A",
	}
	var p strings.Builder
	if r.IntN(6) == 0 {
		p.WriteString("!")
	}
	if r.IntN(2) == 0 {
		for range 1 + r.IntN(5) {
			p.WriteString(pieces[r.IntN(len(pieces))])
		}
		return p.String()
	}
	if r.IntN(4) == 0 {
		p.WriteString("/")
	}
	for i := range 1 + r.IntN(3) {
		if i > 0 {
			p.WriteString("/")
		}
		name := names[r.IntN(len(names))]
		switch r.IntN(6) {
		case 0:
			p.WriteString(pieces[r.IntN(len(pieces))])
		case 1:
			p.WriteString(name[:r.IntN(len(name)+1)] + pieces[r.IntN(len(pieces))])
		case 2:
			p.WriteString(pieces[r.IntN(len(pieces))] + name[r.IntN(len(name)):])
		default:
			p.WriteString(name)
		}
	}
	if r.IntN(4) == 0 {
		p.WriteString("/")
	}
	return p.String()
}
