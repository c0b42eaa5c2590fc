package policy

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/testenv"
)

// gitRepo is a temporary repository. It has a few commits, including a merge, an empty commit and
// one that contains only a secret; a tag; and uncommitted changes to every file.
type gitRepo struct {
	dir, home string
}

func newGitRepo(t *testing.T) gitRepo {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	r := gitRepo{t.TempDir(), t.TempDir()}
	r.must(t, "git init -q -b main")
	r.must(t, "git config user.email a@example.invalid")
	r.must(t, "git config user.name someone")
	r.write(t, "a.txt", "a\n")
	r.write(t, "src/b.txt", "b\n")
	r.write(t, ".env", "KEY=SECRET1\n")
	r.write(t, "src/.env/inner", "SECRET1\n")
	r.write(t, "src/Key.PEM", "SECRET1\n")
	r.must(t, "git add -A")
	r.must(t, "git commit -q -m first")
	r.write(t, ".env", "KEY=SECRET2\n")
	r.must(t, "git commit -qam secret")
	r.must(t, "git commit -q --allow-empty -m empty")
	r.must(t, "git checkout -q -b side HEAD~1")
	r.write(t, "c.txt", "c\n")
	r.must(t, "git add c.txt")
	r.must(t, "git commit -qm side")
	r.must(t, "git checkout -q main")
	r.must(t, "git merge -q --no-ff -m merge side")
	r.write(t, "a.txt", "a\nb\n")
	r.must(t, "git commit -qam second")
	r.must(t, "git tag -a v1 -m tagged")
	r.write(t, "a.txt", "a\nb\nc\n")
	r.write(t, "src/b.txt", "bb\n")
	return r
}

// spoil changes the secrets in the working tree.
func (r gitRepo) spoil(t *testing.T) {
	t.Helper()
	for _, name := range []string{".env", "src/.env/inner", "src/Key.PEM"} {
		r.write(t, name, "KEY=SECRET3 \n")
	}
}

func (r gitRepo) write(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join(r.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (r gitRepo) run(argv []string) (stdout, stderr string, err error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = r.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + r.home, "GIT_CONFIG_NOSYSTEM=1", "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C", "GIT_PAGER=cat",
		"GIT_CEILING_DIRECTORIES=" + filepath.Dir(r.dir), "SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

func (r gitRepo) must(t *testing.T, line string) string {
	t.Helper()
	out, errs, err := r.run(gitTestWords(line))
	if err != nil {
		t.Fatalf("%s: %v\n%s", line, err, errs)
	}
	return out
}

// gitNewer reports whether a flag in the table is missing from git 2.39.
func gitNewer(form, flag string) bool {
	switch form + " " + flag {
	case "branch --omit-empty", "tag --omit-empty", "for-each-ref --omit-empty", "for-each-ref --exclude", "show-ref --exists", "show-ref --branches",
		"rev-parse --show-ref-format", "name-rev --no-undefined", "rev-list --no-commit-header":
		return true
	}
	return flag == "--default-prefix"
}

// gitOperandsFor returns the operands that a form requires.
func gitOperandsFor(form string) []string {
	switch form {
	case "merge-base":
		return []string{"HEAD", "HEAD~1"}
	case "rev-list", "name-rev", "diff-tree", "diff-index", "ls-tree", "cat-file", "symbolic-ref", "cherry", "shortlog":
		return []string{"HEAD"}
	case "blame", "check-ignore":
		return []string{"a.txt"}
	case "check-attr":
		return []string{"--", "a.txt"}
	case "config":
		return []string{"user.name"}
	case "remote get-url", "remote show":
		return []string{"origin"}
	case "grep":
		return []string{"pattern"}
	}
	return nil
}

func gitUnknown(stderr string) bool {
	for _, s := range []string{"unknown option", "unknown switch", "unrecognized argument", "invalid option", "usage:", "unknown argument", "unrecognized option"} {
		if strings.Contains(stderr, s) {
			return true
		}
	}
	return false
}

// TestGitFlagsExist runs every flag in every table and checks that git accepts it.
func TestGitFlagsExist(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	r := newGitRepo(t)
	r.must(t, "git remote add origin ../nowhere")
	r.must(t, "git stash -q")
	r.write(t, "a.txt", "other\n")
	for _, form := range gitFormNames() {
		if form == "whatchanged" || form == "reflog show" {
			continue // same as log and reflog
		}
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			r.checkForm(t, form)
		})
	}
}

func (r gitRepo) checkForm(t *testing.T, form string) {
	t.Helper()
	spec, _ := gitFormOf(form)
	for entry := range strings.FieldsSeq(spec.flags) {
		f := parseGitFlag(entry)
		for name := range strings.SplitSeq(f.names, "|") {
			r.checkFlag(t, form, name, f)
		}
	}
}

func (r gitRepo) checkFlag(t *testing.T, form, name string, f gitFlag) {
	t.Helper()
	base := append([]string{"git"}, strings.Fields(form)...)
	operands := gitOperandsFor(form)
	flag := []string{name}
	switch {
	case f.shape == ':' && strings.HasPrefix(name, "--"):
		flag = []string{name + "=" + gitSample(f.value)}
	case f.shape == ':':
		flag = []string{name + gitSample(f.value)}
	case form+name == "blame-L":
		flag = []string{name, "1,1"}
	case f.shape == '=', f.shape == '?':
		flag = []string{name, gitSample(f.value)}
	}
	if form == "rev-parse" && !strings.Contains(name, "path") {
		return // it echoes unknown options
	}
	argv := append(append(base, flag...), operands...)
	if _, stderr, err := r.run(argv); err != nil && gitUnknown(stderr) && !gitRefusesOnlyTogether(form, name) {
		if gitNewer(form, name) {
			t.Logf("%q: this git does not support it", argv)
			return
		}
		t.Errorf("%q: %s", argv, firstLine(stderr))
		return
	}
	if _, refusal := judgeGit(argv, gitTestPaths, nil); refusal != nil && form != "remote show" && name != "--follow" {
		t.Errorf("%q: %v", argv, refusal)
	}
	r.checkArity(t, base, operands, name, f)
}

// checkArity checks that git and the table agree on whether a flag takes a value. If they did not,
// git could mistake another word for an operand or a flag.
func (r gitRepo) checkArity(t *testing.T, base, operands []string, name string, f gitFlag) {
	t.Helper()
	if base[1] == "stash" {
		return // git appends words itself
	}
	alone := append(slices.Clone(base), name)
	_, stderr, err := r.run(alone)
	asked := strings.Contains(stderr, "requires a value") || strings.Contains(stderr, "requires an argument") || strings.Contains(stderr, "needs")
	switch f.shape {
	case '=':
		if err == nil || !asked {
			t.Errorf("%q takes a value in the table, but not in git: %s", alone, firstLine(stderr))
		}
	case 0, '[', '?':
		if asked {
			t.Errorf("%q takes no value in the table: %s", alone, firstLine(stderr))
		}
	}
	if f.shape != '[' || base[1] == "branch" || base[1] == "tag" {
		return
	}
	// If git does not take this word as a value, it treats it as an operand and fails, because no
	// such file exists.
	next := append(alone, "nobody/has/this")
	if out, _, err := r.run(append(next, operands...)); err == nil && strings.Contains(out, "a.txt") {
		t.Errorf("%q took a value: %s", next, out)
	}
}

// gitRefusesOnlyTogether reports whether git prints its usage for this flag alone, because the flag
// requires another one.
func gitRefusesOnlyTogether(form, name string) bool {
	switch form + " " + name {
	case "merge-base --fork-point", "check-ignore -n", "check-ignore --non-matching", "check-attr -a", "check-attr --all", "check-attr --cached",
		"diff --merge-base", "cat-file -t", "name-rev --all":
		return true
	}
	return false
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// gitContentLines returns commands that print or search file contents.
func gitContentLines() []string {
	return []string{
		"git diff", "git diff HEAD", "git diff main", "git diff HEAD~4", "git diff main side", "git diff side..main", "git diff --stat -p", "git diff HEAD -- .",
		"git diff HEAD~4 -- src a.txt", "git diff HEAD~4 .", "git diff -- :/", "git diff HEAD src", "git diff --word-diff", "git diff -W", "git diff -U0", "git diff --check",
		"git diff HEAD~4 -- '.e*' 'src/**'", "git diff -- '*'", "git diff -- ':(icase)src/*.pe?'", "git diff-tree -p HEAD~3", "git diff-tree -p HEAD HEAD~4", "git diff-files -p", "git diff-index -p HEAD~4",
		"git log -p", "git log -p main", "git log -p -- .", "git log -p --all", "git log -p src", "git log -u --reverse", "git log -U1", "git log --cc", "git log -m -p --first-parent",
		"git log --patch-with-stat", "git log --graph -p", "git log -p -S SECRET2", "git whatchanged -p", "git whatchanged -p main --", "git show", "git show HEAD~3", "git show ':/secret'", "git show v1 HEAD~3 ':/first'",
		"git show --stat -p ':/first'", "git show ':/first' --", "git show ':/first' -- src", "git show -m HEAD~1", "git show main~3",
		"git grep SECRET", "git grep -n SECRET HEAD", "git grep SECRET -- .", "git grep SECRET src", "git grep -l SECRET", "git grep -e SECRET --cached", "git grep SECRET HEAD~4 -- src",
		"git diff --check --stat", "git -C src diff", "git -C src log -p", "git -C src show main~4", "git -C src diff HEAD",
	}
}

// TestGitHidesSecrets runs commands that print a secret, as written and as rewritten by
// judgeGit.
func TestGitHidesSecrets(t *testing.T) {
	r := newGitRepo(t)
	backups := []string{"src/.npmrc~", "src/#.netrc#"}
	for _, name := range backups {
		r.write(t, name, "SECRET1\n")
		r.must(t, "git add "+name)
	}
	r.must(t, "git commit -qm backups")
	for _, name := range backups {
		r.write(t, name, "SECRET2\n")
	}
	r.spoil(t)
	exclude := newProtected([]string{".env*", "*.pem", ".npmrc", ".netrc"}).Patterns()
	seen := 0
	for _, line := range gitContentLines() {
		argv := gitTestWords(line)
		if out, _, _ := r.run(argv); strings.Contains(out, "SECRET") || strings.Contains(out, ".env") {
			seen++
		}
		call, refusal := judgeGit(argv, gitTestPaths, exclude)
		if refusal != nil {
			t.Errorf("%s: %v", line, refusal)
			continue
		}
		out, stderr, err := r.run(inDir(call))
		// grep without a match and diff --check exit with a nonzero code.
		if stderr != "" {
			t.Errorf("%q: %v %s", call.Argv, err, firstLine(stderr))
		}
		if strings.Contains(out, "SECRET") || strings.Contains(out, ".env") || strings.Contains(out, ".PEM") {
			t.Errorf("%q prints a secret:\n%s", call.Argv, out)
		}
	}
	if want := len(gitContentLines()) * 3 / 4; seen < want {
		t.Errorf("only %d commands print a secret in plain git: the test proves too little", seen)
	}
}

// inDir returns the call's command line, including the option that sets its directory.
func inDir(call *Call) []string {
	if call.Dir == "" {
		return call.Argv
	}
	return slices.Insert(slices.Clone(call.Argv), 1, "-C", call.Dir)
}

// TestGitMarks checks that every flag that makes git print contents is marked as such, and that
// flags marked "~" suppress contents.
func TestGitMarks(t *testing.T) {
	r := newGitRepo(t)
	r.spoil(t)
	found := 0
	for _, name := range []string{"diff", "log", "show", "diff-tree", "diff-index", "diff-files", "reflog", "blame"} {
		form, _ := gitFormOf(name)
		for entry := range strings.FieldsSeq(form.flags) {
			f := parseGitFlag(entry)
			flag := []string{f.first()}
			switch {
			case f.shape == '=':
				flag = append(flag, gitSample(f.value))
			case f.shape == ':' && strings.HasPrefix(f.first(), "--"):
				flag[0] += "=" + gitSample(f.value)
			case f.shape == ':':
				flag[0] += gitSample(f.value)
			}
			argv := []string{"git", name}
			if (name == "diff" || name == "show") && f.mark != "~" {
				argv = append(argv, "--stat")
			}
			argv = append(append(argv, flag...), gitOperandsFor(name)...)
			out, _, _ := r.run(argv)
			if !strings.Contains(out, "SECRET") {
				continue
			}
			if found++; f.mark != "!" {
				t.Errorf("%q prints contents, but is not marked", argv)
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d flags print contents: the test proves too little", found)
	}
}

// TestGitStaysExact runs commands that involve no secrets, both as written and as rewritten, and
// compares the output.
func TestGitStaysExact(t *testing.T) {
	r := newGitRepo(t)
	lines := append(gitContentLines(), "git status", "git log", "git log --stat", "git log --oneline --graph --all", "git diff --stat HEAD~4", "git shortlog -sn main",
		"git show HEAD:a.txt", "git show HEAD:src", "git show HEAD^{tree}", "git show -s", "git show --stat HEAD~3", "git show v1", "git diff a.txt", "git diff main a.txt",
		"git log -p a.txt", "git log -p -- a.txt c.txt", "git log -p --graph --oneline", "git log -p --no-merges -2", "git log --oneline -S bb", "git log -G c --stat", "git log -p HEAD~2..", "git log -p ^side main",
		"git show --cc HEAD~1", "git show HEAD~2 HEAD~1", "git show HEAD~2 --", "git grep -n b", "git grep b -- src", "git grep b HEAD~1 src", "git blame a.txt", "git -C src diff", "git -C src grep b")
	for _, line := range lines {
		argv := gitTestWords(line)
		call, refusal := judgeGit(argv, gitTestPaths, []string{"*.nothing", "none/"})
		if refusal != nil {
			t.Errorf("%s: %v", line, refusal)
			continue
		}
		want, wantErr, _ := r.run(argv)
		if got, gotErr, _ := r.run(inDir(call)); got != want || gotErr != wantErr {
			t.Errorf("%s:\n%s%s\n%q:\n%s%s", line, want, wantErr, call.Argv, got, gotErr)
		}
	}
}

// TestGitBlobByName checks that no object name selects an unchecked file's contents.
func TestGitBlobByName(t *testing.T) {
	r := newGitRepo(t)
	blob := strings.TrimSpace(r.must(t, "git rev-parse HEAD:.env"))
	other := strings.TrimSpace(r.must(t, "git rev-parse HEAD~4:.env"))
	commit := strings.TrimSpace(r.must(t, "git rev-parse HEAD"))
	if !strings.Contains(r.must(t, "git show "+blob[:7]), "SECRET") {
		t.Fatal("the test is broken: the name prints nothing")
	}
	for _, line := range []string{"git show BLOB", "git show --stat BLOB", "git show -s BLOB", "git show HEAD BLOB", "git show x-gBLOB", "git show BLOB --", "git diff BLOB OTHER",
		"git diff OTHER..BLOB", "git diff BLOB a.txt", "git grep -h KEY BLOB", "git grep -e KEY BLOB --", "git log -p BLOB", "git show OTHER..BLOB", "git show BLOB^{}", "git show BLOB^0", "git show ^OTHER BLOB",
		"git blame BLOB -- a.txt", "git diff-tree -p OTHER BLOB", "git whatchanged BLOB", "git rev-list BLOB --objects"} {
		for _, n := range []int{7, 40} {
			words := strings.NewReplacer("BLOB", blob[:n], "OTHER", other[:n]).Replace(line)
			call, refusal := judgeGit(gitTestWords(words), gitTestPaths, []string{".env"})
			if refusal != nil {
				continue
			}
			if out, _, _ := r.run(call.Argv); strings.Contains(out, "SECRET") {
				t.Errorf("%q prints a secret:\n%s", call.Argv, out)
			}
		}
	}
	call, refusal := judgeGit([]string{"git", "show", commit[:8]}, gitTestPaths, []string{".env"})
	if refusal != nil {
		t.Fatal(refusal)
	}
	if out, _, err := r.run(call.Argv); err != nil || out != r.must(t, "git show "+commit) {
		t.Errorf("%q: %v\n%s", call.Argv, err, out)
	}
}

// TestGitGuard checks that no file name can make git mistake one of our pathspecs for a revision
// and ignore the remaining pathspecs.
func TestGitGuard(t *testing.T) {
	r := newGitRepo(t)
	for _, name := range []string{"(top,exclude,icase,glob)**/.env", "(top,exclude,icase,glob)**/.env/**", "(top,exclude,glob)**/x"} {
		if strings.HasSuffix(name, "/**") {
			continue // a file has the same name as its directory
		}
		r.write(t, name, "x\n")
	}
	r.must(t, "git add -A")
	r.must(t, "git commit -qm names")
	r.spoil(t)
	for _, line := range []string{"git diff HEAD", "git diff main", "git log -p main", "git show main", "git grep SECRET main"} {
		call, refusal := judgeGit(gitTestWords(line), gitTestPaths, []string{".env", "*.pem"})
		if refusal != nil {
			t.Fatal(refusal)
		}
		if out, stderr, _ := r.run(call.Argv); strings.Contains(out, "SECRET") || stderr != "" {
			t.Errorf("%q: %s%s", call.Argv, out, stderr)
		}
	}
}

// TestGitChangesNothing runs every allowed command and checks that no byte in
// the repository or the home directory changes.
func TestGitChangesNothing(t *testing.T) {
	r := newGitRepo(t)
	r.must(t, "git status")
	was := r.snapshot(t)
	for line := range strings.Lines(gitAllowed) {
		argv := gitTestWords(line)
		if len(argv) == 0 {
			continue
		}
		call, refusal := judgeGit(argv, gitTestPaths, []string{".env"})
		if refusal != nil {
			continue // covered by another test
		}
		if _, stderr, _ := r.run(call.Argv); gitUnknown(stderr) && line != "git cherry\n" {
			t.Errorf("%q: %s", call.Argv, firstLine(stderr))
		}
		if now := r.snapshot(t); now != was {
			t.Fatalf("%q changed the repository:\n%s\n%s", call.Argv, was, now)
		}
	}
}

// snapshot returns the names and contents of all files.
func (r gitRepo) snapshot(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, root := range []string{r.dir, r.home} {
		err := filepath.WalkDir(root, func(name string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			text, err := os.ReadFile(name)
			b.WriteString(name + "\n")
			b.Write(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}
