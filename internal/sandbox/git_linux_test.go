package sandbox

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

func gitPath(t testing.TB) string {
	t.Helper()
	path, err := Find("git", Search{System: true})
	if err != nil {
		t.Skip(err)
	}
	return path
}

// setUp creates repositories by running a shell script in a temporary directory.
func setUp(t testing.TB, dir, script string, env ...string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/sh", "-euc", script)
	cmd.Dir = dir
	cmd.Env = append([]string{"PATH=/usr/bin:/bin", "HOME=" + dir, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=C", "GIT_COMMITTER_EMAIL=c@example.org",
		"GIT_AUTHOR_DATE=2024-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2024-01-02T03:04:05Z"}, env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
}

const plainRepo = `git init -q -b main .; mkdir sub
printf 'one\ntwo\n' >a.txt; echo x >sub/b.txt; git add .; git commit -qm first; git tag v1
echo three >>a.txt; git commit -qam second; git tag -am note v2; echo 4 >c.txt; git add c.txt; git commit -qm third
git branch topic HEAD~1; git remote add origin https://example.org/x.git; git update-ref refs/remotes/origin/main HEAD~1
echo four >>a.txt; echo new >new.txt; echo staged >>sub/b.txt; git add sub/b.txt; echo stash >>c.txt; git stash -q -- c.txt`

func realTemp(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// gitSpec returns a git command as Vade runs it in dir.
func gitSpec(t testing.TB, root, dir string, d GitDirs, argv ...string) Spec {
	t.Helper()
	args, err := GitArgs(argv, d.Config...)
	if err != nil {
		t.Fatal(err)
	}
	return Spec{
		Helper: self(t), Path: gitPath(t), Args: args, Dir: dir, Env: GitEnv(d.Ceiling, "UTC"),
		Read: append([]string{root}, d.Read...), Exec: GitExec(gitPath(t)), Require: true, Timeout: 20 * time.Second,
	}
}

// TestGitOutputIsUnchanged compares the output of hardened git and plain git in
// an ordinary repository.
func TestGitOutputIsUnchanged(t *testing.T) {
	requireSandbox(t)
	gitPath(t)
	main := realTemp(t)
	setUp(t, main, plainRepo)
	linked := filepath.Join(realTemp(t), "linked")
	setUp(t, main, "git worktree add -q "+linked+" topic; echo more >>"+linked+"/a.txt")
	// git blame assigns the current time to uncommitted lines.
	moment := regexp.MustCompile(`(Not Committed Yet )\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`)
	for _, dir := range []string{main, filepath.Join(main, "sub"), linked} {
		root := main
		if dir == linked {
			root = linked
		}
		d, err := CheckGit(ReadGitFile, root, dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{
			"status", "status --short", "status --porcelain", "status -sb", "diff", "diff --stat", "diff --cached", "diff HEAD~1",
			"diff --name-only", "log", "log --oneline -5", "log -p -1", "log --stat", "log --graph --format=%h%x20%s",
			"show", "show --stat HEAD~1", "branch", "branch -r", "branch -a -vv", "branch --show-current", "tag", "tag -l v*",
			"remote", "remote -v", "rev-parse HEAD", "rev-parse --show-toplevel", "rev-parse --abbrev-ref HEAD", "describe",
			"describe --tags --dirty", "ls-files", "ls-files --others --exclude-standard", "blame a.txt", "stash list",
			"shortlog -sn HEAD", "reflog -3", "cat-file -p HEAD", "merge-base main topic", "config --get remote.origin.url",
			"ls-tree HEAD", "show-ref", "for-each-ref", "grep one", "worktree list", "rev-list --count HEAD", "diff main...topic",
			"symbolic-ref --short HEAD", "name-rev HEAD", "nosuchcommand", "log nosuchrevision",
		} {
			argv := append([]string{"git"}, strings.Fields(line)...)
			plain := exec.Command("/usr/bin/git", argv[1:]...)
			plain.Dir = dir
			plain.Env = []string{"PATH=/usr/bin:/bin", "HOME=/nonexistent", "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "TZ=UTC"}
			want, _ := plain.CombinedOutput()
			r, got, err := run(t, gitSpec(t, root, dir, d, argv...))
			if err != nil || moment.ReplaceAllString(got, "${1}now") != moment.ReplaceAllString(string(want), "${1}now") || r.Exit != plain.ProcessState.ExitCode() {
				t.Errorf("%s: %s: exit %d, %v\n got %q\nwant %q", dir, line, r.Exit, err, got, want)
			}
		}
	}
}

// attack describes a repository that makes git run a program when git reads it. In the scripts,
// EVIL is that program, and MARK is a file that EVIL creates to prove that it ran.
type attack struct {
	name, setup, command string
	dir                  string
	// safe reports whether the hardening alone is sufficient, in which case
	// CheckGit accepts the repository.
	safe bool
}

func attacks() []attack {
	const attr = `; echo '*.txt diff=x filter=x' >.gitattributes; echo z >>a.txt`
	return []attack{
		{name: "core.fsmonitor", setup: `git config core.fsmonitor EVIL`, command: "status"},
		{name: "core.fsmonitor in uppercase", setup: `printf '[CORE]\n\tFSMonitor = "EVIL"\n' >>.git/config`, command: "status"},
		{name: "core.fsmonitor on two lines", setup: `printf '[core] fsmonitor = EV\\\nIL\n' | sed 's,EV..*$,EVIL,;t' >x; printf '[core] fsmonitor=\\\n EVIL\n' >>.git/config`, command: "status"},
		{name: "diff.external", setup: `git config diff.external EVIL; echo z >>a.txt`, command: "diff"},
		{name: "diff driver", setup: `git config diff.x.command EVIL` + attr, command: "diff"},
		{name: "diff driver in a section with a dot", setup: `printf '[diff.y "z"]\n command=EVIL\n' >>.git/config; echo '*.txt diff=y.z' >.gitattributes; echo z >>a.txt`, command: "diff"},
		{name: "textconv in diff", setup: `git config diff.x.textconv EVIL` + attr, command: "diff"},
		{name: "textconv in log", setup: `git config diff.x.textconv EVIL` + attr, command: "log -p"},
		{name: "textconv in blame", setup: `git config diff.x.textconv EVIL` + attr, command: "blame a.txt"},
		{name: "clean filter", setup: `git config filter.x.clean EVIL` + attr, command: "diff"},
		{name: "filter process", setup: `git config filter.x.process EVIL; git config filter.x.required true` + attr, command: "diff"},
		{name: "fake lfs filter", setup: `git config filter.lfs.clean EVIL; echo '*.txt filter=lfs' >.gitattributes; echo z >>a.txt`, command: "diff"},
		{name: "gpg program", safe: true, setup: `git config gpg.program EVIL; git config log.showSignature true; ` + signed, command: "log"},
		{name: "gpg program by a format", safe: true, setup: `git config gpg.program EVIL; git config format.pretty '%G?'; ` + signed, command: "log"},
		{name: "pager", safe: true, setup: `git config core.pager EVIL; git config pager.log EVIL`, command: "log"},
		{name: "hook", safe: true, setup: `git config core.hooksPath "$PWD/h"; mkdir h; cp EVIL h/post-index-change; cp EVIL .git/hooks/post-index-change; sleep 1; touch a.txt`, command: "status"},
		{name: "include", setup: `echo '[core] fsmonitor=EVIL' >more; git config include.path ../more`, command: "status"},
		{name: "conditional include", setup: `echo '[core] fsmonitor=EVIL' >more; git config includeIf.gitdir:/.path "$PWD/more"`, command: "status"},
		{name: "work tree's own config", setup: `git config extensions.worktreeConfig true; git config --worktree core.fsmonitor EVIL`, command: "status"},
		{name: "missing object of a promisor", setup: `git config remote.o.url 'ext::EVIL'; git config remote.o.promisor true; git config extensions.partialClone o
			git config protocol.ext.allow always; git config core.repositoryFormatVersion 1; rm -f .git/objects/$(git rev-parse HEAD:a.txt | sed 's,^..,&/,')`, command: "show HEAD:a.txt"},
		{name: "upload-pack of a promisor", setup: `git init -q ../far; git config remote.o.url "$PWD/../far"; git config remote.o.promisor true; git config extensions.partialClone o
			git config remote.o.uploadpack EVIL; git config core.repositoryFormatVersion 1; rm -f .git/objects/$(git rev-parse HEAD:a.txt | sed 's,^..,&/,')`, command: "show HEAD:a.txt"},
		{name: "repository without a work tree", dir: "nest", setup: `git init -q --bare nest; git --git-dir=nest config core.bare false
			git --git-dir=nest config core.worktree ..; git --git-dir=nest config core.fsmonitor EVIL`, command: "status"},
		{name: "inside of .git", dir: ".git", setup: `git config core.fsmonitor EVIL; git config core.worktree ..`, command: "status"},
		{name: "core.worktree elsewhere", setup: `mkdir ../else; git config core.worktree ../../else; git config core.fsmonitor EVIL`, command: "status"},
		{name: "submodule's config", safe: true, setup: subModule + `git -C mod config core.fsmonitor EVIL; git -C mod config diff.external EVIL; echo z >>mod/f`, command: "status"},
		{name: "submodule's config in diff", safe: true, setup: subModule + `git -C mod config core.fsmonitor EVIL; git -C mod config diff.external EVIL; git config diff.submodule diff; echo z >>mod/f`, command: "diff"},
		{name: "submodule in show", safe: true, setup: subModule + `git -C mod config diff.x.textconv EVIL; echo 'f diff=x' >.git/modules/mod/info/attributes
			git config diff.submodule diff; echo z >>mod/f; git -C mod commit -qam x; git add mod; git commit -qm bump`, command: "show"},
		{name: "forged .git file", dir: "fake", setup: `mkdir fake; git init -q hidden; mv hidden/.git store; git --git-dir=store config core.fsmonitor EVIL; echo 'gitdir: ../store' >fake/.git`, command: "status"},
		{name: "forged common directory", setup: `mkdir -p other/worktrees/w; cp -r .git/objects .git/refs .git/HEAD .git/config other/; git config --file other/config core.fsmonitor EVIL
			echo "$PWD/other" >.git/commondir`, command: "status"},
	}
}

const signed = `t=$(git cat-file -p HEAD | sed "s/^committer .*/&\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----/" | git hash-object -t commit -w --stdin); git update-ref HEAD $t`

const subModule = `git init -q -b main ../m; cd ../m; echo f >f; git add f; git commit -qm f; cd -; git -c protocol.file.allow=always submodule --quiet add ../m mod; git commit -qm mod; `

// setUpAttack creates the repository. The marker file must not appear.
func setUpAttack(t *testing.T, tr attack) (root, dir, marker string) {
	t.Helper()
	base := realTemp(t)
	root, marker = filepath.Join(base, "project"), filepath.Join(base, "mark")
	evil := writeFile(t, filepath.Join(base, "evil"), "#!/bin/sh\ntouch "+marker+"\ncat\n")
	setUp(t, root, `git init -q -b main .; echo one >a.txt; git add .; git commit -qm first; git config protocol.file.allow always`)
	setUp(t, root, strings.ReplaceAll(tr.setup, "EVIL", evil))
	_ = os.Remove(marker)
	return root, filepath.Join(root, tr.dir), marker
}

func triggered(marker string) bool {
	_, err := os.Lstat(marker)
	_ = os.Remove(marker)
	return err == nil
}

// endWhen calls end once the attack has succeeded, because some commands would wait forever.
func endWhen(ctx context.Context, marker string, end func()) {
	for ctx.Err() == nil {
		if _, err := os.Lstat(marker); err == nil {
			end()
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// TestHostileRepositories checks three things for each attack: it succeeds against plain git,
// CheckGit or the hardening stops it, and the sandbox alone also stops it.
func TestHostileRepositories(t *testing.T) {
	requireSandbox(t)
	gitPath(t)
	for _, tr := range attacks() {
		t.Run(tr.name, func(t *testing.T) {
			root, dir, marker := setUpAttack(t, tr)
			argv := append([]string{"git"}, strings.Fields(tr.command)...)

			plain := func(args, env []string) {
				ctx, end := context.WithTimeout(context.Background(), 10*time.Second)
				defer end()
				go endWhen(ctx, marker, end)
				cmd := exec.CommandContext(ctx, "/usr/bin/git", args[1:]...)
				cmd.Dir, cmd.Env, cmd.WaitDelay = dir, env, time.Second
				cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
				cmd.Cancel = func() error { return killGroup(cmd.Process.Pid) }
				_ = cmd.Run()
			}
			// Test the sandbox first, because some attacks work only once.
			s := gitSpec(t, root, dir, GitDirs{Ceiling: filepath.Dir(root)}, argv...)
			s.Args, s.Env = argv, []string{"PATH=/usr/bin:/bin", "HOME=/nonexistent", "LC_ALL=C"}
			if _, out, err := run(t, s); err != nil || triggered(marker) {
				t.Errorf("the sandbox alone does not stop it: %v, printed %q", err, out)
			}
			d, err := CheckGit(ReadGitFile, root, dir)
			_, key := errors.AsType[*GitConfigError](err)
			_, repo := errors.AsType[*GitRepoError](err)
			if tr.safe != (err == nil) || err != nil && !key && !repo {
				t.Errorf("CheckGit: %v", err)
			}
			if tr.safe {
				args, err := GitArgs(argv, d.Config...)
				if err != nil {
					t.Fatal(err)
				}
				if plain(args, GitEnv(d.Ceiling, "")); triggered(marker) {
					t.Error("the hardening alone does not stop it")
				}
			}
			plain(argv, []string{"PATH=/usr/bin:/bin", "HOME=/nonexistent", "LC_ALL=C", "GIT_PAGER_IN_USE=1"})
			if !triggered(marker) && !needsTerminal(tr.name) {
				t.Error("plain git is not affected, so this test proves nothing")
			}
		})
	}
}

// needsTerminal reports whether plain git is vulnerable only on a terminal.
func needsTerminal(name string) bool { return name == "pager" }

func BenchmarkRun(b *testing.B) {
	requireSandbox(b)
	dir := realTemp(b)
	setUp(b, dir, plainRepo)
	d, err := CheckGit(ReadGitFile, dir, dir)
	if err != nil {
		b.Fatal(err)
	}
	yes := gitSpec(b, dir, dir, d, "git", "status")
	yes.Path, yes.Args = "/usr/bin/true", []string{"true"}
	for name, s := range map[string]Spec{"true": yes, "git-status": gitSpec(b, dir, dir, d, "git", "status")} {
		b.Run(name+"/plain", func(b *testing.B) {
			for b.Loop() {
				cmd := exec.Command(s.Path)
				cmd.Args, cmd.Env, cmd.Dir = s.Args, s.Env, s.Dir
				if out, err := cmd.CombinedOutput(); err != nil {
					b.Fatal(err, string(out))
				}
			}
		})
		b.Run(name+"/sandboxed", func(b *testing.B) {
			for b.Loop() {
				if r, out, err := run(b, s); err != nil || r.Exit != 0 {
					b.Fatal(r, out, err)
				}
			}
		})
	}
}

func BenchmarkCheckGit(b *testing.B) {
	dir := realTemp(b)
	setUp(b, dir, plainRepo)
	for b.Loop() {
		if _, err := CheckGit(ReadGitFile, dir, dir); err != nil {
			b.Fatal(err)
		}
	}
}
