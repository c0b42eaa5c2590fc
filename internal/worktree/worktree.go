// Package worktree gives each run a separate checkout of a git repository, so that the agent does
// not work in the user's checkout.
package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/sandbox"
	"github.com/vadehq/vade/internal/vfs"
)

// Worktree is a linked git worktree on a separate branch.
type Worktree struct {
	// Dir is the worktree's top directory, and Branch is its branch. Base is the commit from which
	// the run started. It includes the commits that were merged before the start.
	Dir, Branch, Base string
	// Project is the top directory of the user's checkout.
	Project string
	// Git is the path of the git program.
	Git string
	// Copies are the pathspecs of the files that were copied into the worktree; see [Options].
	Copies []string
	// Store is the directory that contains Vade's own worktrees. No directory outside it is ever
	// deleted.
	Store string
}

// Options configures a new worktree.
type Options struct {
	// Git is the path of the git program, from [sandbox.Find].
	Git string
	// Project is the absolute path of a directory in the user's checkout.
	Project string
	// Dir is the directory to create, and must be in the directory Store. Branch is the branch to
	// create.
	Dir, Store, Branch string
	// ID identifies the run that owns the worktree.
	ID string
	// Merge lists commits to merge into the new branch. If Replace is set, an existing branch with
	// the same name is deleted together with its worktree.
	Merge   []string
	Replace bool
	// Copies contains pathspecs for files to copy from the user's checkout; see [Pathspecs]. Only
	// files that git ignores are copied, because a new checkout contains the others.
	Copies []string
}

// Limits for copied files.
const (
	maxCopied      = 2000
	maxCopiedBytes = 64 << 20
)

// ErrNoRepository is returned for a directory that is not in a git repository, or whose repository
// has no commits or cannot be read by git.
var ErrNoRepository = errors.New("git cannot find a repository with at least one commit here")

// Add creates a worktree for the current commit. The user's checkout does not change: git adds only
// a branch and an entry in its own directory. Hooks do not run. If the repository's settings could
// start programs, Add returns a *[sandbox.GitConfigError].
func Add(ctx context.Context, o Options) (*Worktree, error) {
	real, err := filepath.EvalSymlinks(o.Project)
	if err != nil {
		return nil, err
	}
	w := &Worktree{Dir: o.Dir, Branch: o.Branch, Git: o.Git, Project: real, Store: o.Store, Copies: o.Copies}
	top, err := w.git(ctx, real, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoRepository, err)
	}
	w.Project = top
	slash := filepath.ToSlash(top)
	if _, err := sandbox.CheckGit(sandbox.ReadGitFile, slash, slash); err != nil {
		return nil, err
	}
	if w.Base, err = w.git(ctx, top, "rev-parse", "--verify", "HEAD^{commit}"); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoRepository, err)
	}
	if _, err := w.git(ctx, top, "check-ref-format", "--branch", o.Branch); err != nil {
		return nil, fmt.Errorf("%q is not a valid branch name", o.Branch)
	}
	if err := w.alone(ctx, func() error { return w.add(ctx, o) }); err != nil {
		return nil, err
	}
	if err := w.fill(ctx, o); err != nil {
		return nil, errors.Join(err, w.Remove(context.WithoutCancel(ctx)))
	}
	return w, nil
}

// alone calls do while no other run is adding or removing a worktree. Without this lock, git could
// fail by reading an entry that another git process is writing.
func (w *Worktree) alone(ctx context.Context, do func() error) error {
	tree, err := vfs.Open(filepath.ToSlash(w.Store), vfs.Options{})
	if err != nil {
		return err
	}
	defer tree.Close()
	release, err := vfs.WaitLock(ctx, math.MaxInt64, tree.Lock)
	if err != nil {
		return err
	}
	defer release()
	return do()
}

func (w *Worktree) add(ctx context.Context, o Options) error {
	if o.Replace {
		if err := w.replace(ctx); err != nil {
			return err
		}
	}
	if w.HasBranch(ctx) {
		return fmt.Errorf("branch %s already exists", o.Branch)
	}
	_, err := w.git(ctx, w.Project, "worktree", "add", "--quiet", "--lock", "--reason", "vade run "+o.ID,
		"-b", o.Branch, o.Dir, w.Base)
	if err != nil {
		return errors.Join(err, w.remove(context.WithoutCancel(ctx)))
	}
	return nil
}

// HasBranch reports whether the worktree's branch exists.
func (w *Worktree) HasBranch(ctx context.Context) bool {
	_, err := w.git(ctx, w.Project, "rev-parse", "--verify", "--quiet", "refs/heads/"+w.Branch)
	return err == nil
}

// fill merges the commits in o.Merge into the worktree and copies the ignored files.
func (w *Worktree) fill(ctx context.Context, o Options) error {
	for _, commit := range o.Merge {
		_, err := w.signed(ctx, w.Dir, "merge", "--quiet", "--no-verify", "--no-edit", commit)
		if err != nil {
			return fmt.Errorf("cannot merge commit %s: %w", commit, err)
		}
	}
	var err error
	if len(o.Merge) > 0 {
		if w.Base, err = w.git(ctx, w.Dir, "rev-parse", "HEAD"); err != nil {
			return err
		}
	}
	return w.provision(ctx)
}

// replace deletes an existing branch with the worktree's name, along with any worktree that uses
// it, and removes the worktree's directory.
func (w *Worktree) replace(ctx context.Context) error {
	list, err := w.git(ctx, w.Project, "worktree", "list", "--porcelain")
	if err != nil {
		return err
	}
	for entry := range strings.SplitSeq(list, "\n\n") {
		dir, rest, _ := strings.Cut(entry, "\n")
		old := *w
		old.Dir = strings.TrimPrefix(dir, "worktree ")
		if old.Dir != w.Dir && !slices.Contains(strings.Split(rest, "\n"), "branch refs/heads/"+w.Branch) {
			continue
		}
		if !old.own() {
			return fmt.Errorf("branch %s is checked out in %s; switch that checkout to another branch",
				w.Branch, old.Dir)
		}
		if err := old.remove(ctx); err != nil {
			return err
		}
	}
	if w.own() {
		if err := os.RemoveAll(w.Dir); err != nil {
			return err
		}
	}
	if !w.HasBranch(ctx) {
		return nil
	}
	_, err = w.git(ctx, w.Project, "branch", "--quiet", "-D", w.Branch)
	return err
}

// Sub returns the directory in the worktree that corresponds to a directory in the user's checkout,
// or Dir if there is none.
func (w *Worktree) Sub(dir string) string {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return w.Dir
	}
	rel, err := filepath.Rel(w.Project, real)
	if err != nil || !filepath.IsLocal(rel) {
		return w.Dir
	}
	return filepath.Join(w.Dir, rel)
}

// provision copies the files that git ignores and that match the pathspecs in Copies.
func (w *Worktree) provision(ctx context.Context) error {
	names, err := w.ignored(ctx, w.Project)
	if err != nil {
		return err
	}
	if len(names) > maxCopied {
		return fmt.Errorf("too many git-ignored files to copy into the worktree: %d (limit: %d)", len(names), maxCopied)
	}
	from, err := os.OpenRoot(w.Project)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.OpenRoot(w.Dir)
	if err != nil {
		return err
	}
	defer to.Close()
	size := int64(0)
	for _, name := range names {
		info, err := from.Lstat(name)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if size += info.Size(); size > maxCopiedBytes {
			return errors.New("git-ignored files to copy into the worktree exceed 64 MiB")
		}
		data, err := from.ReadFile(name)
		if err != nil {
			return err
		}
		if err := errors.Join(to.MkdirAll(filepath.Dir(name), 0o700), to.WriteFile(name, data, info.Mode().Perm())); err != nil {
			return err
		}
	}
	return nil
}

// Pathspecs returns pathspecs for use as [Options.Copies]. They select everything below paths, and
// all files that match globs. A glob without a slash matches at any depth. Only a glob can select
// files such as .env.
func Pathspecs(paths, globs []string) []string {
	var list []string
	for _, p := range paths {
		list = append(list, ":(top,literal)"+p)
	}
	for _, g := range globs {
		if !strings.Contains(g, "/") {
			g = "**/" + g
		}
		list = append(list, globSpec+strings.TrimPrefix(g, "/"))
	}
	return list
}

const globSpec = ":(top,glob)"

// ignored returns the files in a checkout that git ignores and that match the pathspecs in Copies.
func (w *Worktree) ignored(ctx context.Context, dir string) ([]string, error) {
	var names []string
	for _, globs := range []bool{false, true} {
		args := []string{"ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--"}
		none := len(args)
		for _, p := range w.Copies {
			if strings.HasPrefix(p, globSpec) == globs {
				args = append(args, p)
			}
		}
		if len(args) == none {
			continue
		}
		if !globs {
			args = append(args, ":(top,exclude,glob)**/.env*")
		}
		list, err := w.git(ctx, dir, args...)
		if err != nil {
			return nil, err
		}
		names = append(names, strings.FieldsFunc(list, func(r rune) bool { return r == 0 })...)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// Edited returns the files in the worktree that git ignores and that match the pathspecs in Copies,
// if they are new or differ from the originals in the user's checkout. No commit contains these
// files.
func (w *Worktree) Edited(ctx context.Context) ([]string, error) {
	if len(w.Copies) == 0 {
		return nil, nil
	}
	if err := w.check(ctx); err != nil {
		return nil, err
	}
	names, err := w.ignored(ctx, w.Dir)
	if err != nil {
		return nil, err
	}
	here, err := os.OpenRoot(w.Dir)
	if err != nil {
		return nil, err
	}
	defer here.Close()
	there, err := os.OpenRoot(w.Project)
	if err != nil {
		return nil, err
	}
	defer there.Close()
	var edited []string
	for _, name := range names {
		now, problem := here.Lstat(name)
		before, missing := there.Stat(name)
		same := problem == nil && missing == nil && now.Mode().IsRegular() && now.Size() == before.Size()
		if same { // Open only regular files: the agent may have put a symlink to a named pipe there.
			a, problem := here.ReadFile(name)
			b, missing := there.ReadFile(name)
			same = problem == nil && missing == nil && bytes.Equal(a, b)
		}
		if !same {
			edited = append(edited, name)
		}
	}
	return edited, nil
}

// Diff returns a unified diff of the changes since Base, including new files but not ignored ones.
func (w *Worktree) Diff(ctx context.Context) (string, error) {
	if err := w.stage(ctx); err != nil {
		return "", err
	}
	return w.git(ctx, w.Dir, "diff", "--cached", "--no-ext-diff", "--no-textconv", "--no-color", w.Base)
}

// Clean reports whether the worktree can be removed without losing anything except ignored files:
// it has no changes, and no commits that are missing from the user's branches and remotes.
func (w *Worktree) Clean(ctx context.Context) (bool, error) {
	if err := w.check(ctx); err != nil {
		return false, err
	}
	status, err := w.git(ctx, w.Dir, "status", "--porcelain", "--untracked-files=all")
	if err != nil || status != "" {
		return false, err
	}
	return w.elsewhere(ctx, w.Dir, "HEAD")
}

// elsewhere reports whether another branch contains a commit.
func (w *Worktree) elsewhere(ctx context.Context, dir, commit string) (bool, error) {
	branches, err := w.git(ctx, dir, "for-each-ref", "--format=%(refname)", "--contains="+commit,
		"refs/heads", "refs/remotes")
	another := func(ref string) bool { return ref != "refs/heads/"+w.Branch }
	return slices.ContainsFunc(strings.Fields(branches), another), err
}

// RemoveMerged deletes the branch of a worktree that has been removed, but only if another branch
// contains the branch's commits. It reports whether the branch no longer exists.
func (w *Worktree) RemoveMerged(ctx context.Context) bool {
	if !w.HasBranch(ctx) {
		return true
	}
	if ok, err := w.elsewhere(ctx, w.Project, "refs/heads/"+w.Branch); err != nil || !ok {
		return false
	}
	return w.alone(ctx, func() error {
		_, err := w.git(ctx, w.Project, "branch", "--quiet", "-D", w.Branch)
		return err
	}) == nil
}

// Commit commits all changes on the worktree's branch and returns the branch's latest commit.
func (w *Worktree) Commit(ctx context.Context, message string) (string, error) {
	if err := w.stage(ctx); err != nil {
		return "", err
	}
	if _, err := w.git(ctx, w.Dir, "diff", "--cached", "--quiet", "HEAD"); err != nil {
		if _, err := w.signed(ctx, w.Dir, "commit", "--quiet", "--no-verify", "-m", message); err != nil {
			return "", err
		}
	}
	commit, err := w.git(ctx, w.Dir, "rev-parse", "HEAD")
	if err != nil {
		return "", err
	}
	// The agent may have switched to another branch.
	if _, err := w.git(ctx, w.Dir, "merge-base", "--is-ancestor", "refs/heads/"+w.Branch, commit); err != nil {
		return "", fmt.Errorf("the agent switched to a commit that is not based on branch %s", w.Branch)
	}
	_, err = w.git(ctx, w.Dir, "update-ref", "refs/heads/"+w.Branch, commit)
	return commit, err
}

// Merge commits the changes and merges the worktree's current commit into the
// branch that the user has checked out. If that is not possible, the checkout
// does not change, and the commit stays in the worktree.
func (w *Worktree) Merge(ctx context.Context, message string) error {
	commit, err := w.Commit(ctx, message)
	if err != nil {
		return err
	}
	if _, err := w.git(ctx, w.Project, "symbolic-ref", "--quiet", "HEAD"); err != nil {
		return errors.New("the checkout is not on a branch; switch to one first")
	}
	if _, err := w.git(ctx, w.Project, "rev-parse", "--verify", "--quiet", "MERGE_HEAD"); err == nil {
		return errors.New("a merge is in progress in the checkout; finish it first")
	}
	if err := w.overwrites(ctx, commit); err != nil {
		return err
	}
	_, err = w.signed(ctx, w.Project, "merge", "--quiet", "--no-verify", "-m", message, commit)
	if err == nil {
		_, err = w.git(ctx, w.Project, "merge-base", "--is-ancestor", commit, "HEAD")
		return err
	}
	if _, began := w.git(ctx, w.Project, "rev-parse", "--verify", "--quiet", "MERGE_HEAD"); began == nil {
		_, abort := w.git(ctx, w.Project, "merge", "--abort")
		err = errors.Join(err, abort)
	}
	return err
}

// overwrites returns an error if merging a commit would replace one of the user's untracked files.
// Git itself does not protect such a file if it is ignored.
func (w *Worktree) overwrites(ctx context.Context, commit string) error {
	added, err := w.git(ctx, w.Project, "diff", "--name-only", "-z", "--no-renames", "--diff-filter=A", "HEAD", commit)
	if err != nil {
		return err
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(added, "\x00"), "\x00") {
		if _, err := os.Lstat(filepath.Join(w.Project, name)); name == "" || err != nil {
			continue
		}
		if tracked, err := w.git(ctx, w.Project, "ls-files", "--", ":(literal)"+name); err != nil || tracked == "" {
			return fmt.Errorf("%s exists in the checkout, but git does not track it; move or remove it first", name)
		}
	}
	return nil
}

// Remove deletes the worktree, all of its contents, and its branch.
func (w *Worktree) Remove(ctx context.Context) error {
	return w.alone(ctx, func() error { return w.remove(ctx) })
}

func (w *Worktree) remove(ctx context.Context) error {
	if err := w.removeDir(ctx); err != nil {
		return err
	}
	if !w.HasBranch(ctx) {
		return nil
	}
	_, err := w.git(ctx, w.Project, "branch", "--quiet", "-D", w.Branch)
	return err
}

// RemoveDir deletes the worktree and all of its contents, but keeps its branch.
func (w *Worktree) RemoveDir(ctx context.Context) error {
	return w.alone(ctx, func() error { return w.removeDir(ctx) })
}

func (w *Worktree) removeDir(ctx context.Context) error {
	if !w.own() {
		return fmt.Errorf("%s is not a worktree that Vade created", w.Dir)
	}
	if _, err := w.git(ctx, w.Project, "worktree", "remove", "--force", "--force", w.Dir); err == nil {
		return nil
	}
	// The worktree is incomplete, or git no longer knows about it.
	if err := os.RemoveAll(w.Dir); err != nil {
		return err
	}
	_, _ = w.git(ctx, w.Project, "worktree", "unlock", w.Dir)
	_, err := w.git(ctx, w.Project, "worktree", "prune")
	return err
}

// own reports whether the worktree is in the directory for Vade's own worktrees.
func (w *Worktree) own() bool {
	rel, err := filepath.Rel(w.Store, w.Dir)
	return err == nil && w.Store != "" && filepath.IsLocal(rel) && rel != "."
}

// check returns an error if git must not run in the worktree, because the agent has replaced the
// .git file that points to the repository, or the repository's settings could start programs.
func (w *Worktree) check(ctx context.Context) error {
	common, err := w.git(ctx, w.Project, "rev-parse", "--path-format=absolute", "--git-common-dir")
	if err != nil {
		return err
	}
	name := filepath.Join(w.Dir, ".git")
	info, err := os.Lstat(name)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(name)
	dir, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir: ")
	linked := ok && info.Mode().IsRegular() && filepath.Dir(dir) == filepath.Join(common, "worktrees")
	if err != nil || !linked {
		return fmt.Errorf("%s was changed during the run, so Vade does not run git in the worktree", name)
	}
	top := filepath.ToSlash(w.Project)
	_, err = sandbox.CheckGit(sandbox.ReadGitFile, top, top)
	return err
}

// stage adds all changes to the worktree's index. It returns an error if a commit would omit
// changes in a nested repository or a submodule.
func (w *Worktree) stage(ctx context.Context) error {
	if err := w.check(ctx); err != nil {
		return err
	}
	if _, err := w.git(ctx, w.Dir, "add", "--all"); err != nil {
		return err
	}
	raw, err := w.git(ctx, w.Dir, "diff", "--cached", "--raw", "--no-abbrev", "--no-renames", w.Base)
	if err != nil {
		return err
	}
	for line := range strings.Lines(raw) {
		if strings.HasPrefix(line, ":000000 160000 ") {
			_, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
			return fmt.Errorf("%s is a separate git repository, so git does not commit its content", name)
		}
	}
	// Everything else is staged, so only submodules can still have changes.
	rest, err := w.git(ctx, w.Dir, "diff", "--name-only", "--ignore-submodules=none")
	if err == nil && rest != "" {
		name, _, _ := strings.Cut(rest, "\n")
		err = fmt.Errorf("submodule %s has uncommitted changes, which a commit in the worktree would not include", name)
	}
	return err
}

// signed runs a git command that creates a commit. If the user has not configured a name and an
// email address, the commit uses Vade's.
func (w *Worktree) signed(ctx context.Context, dir string, args ...string) (string, error) {
	if _, err := w.git(ctx, dir, "config", "user.email"); err != nil {
		args = append([]string{"-c", "user.name=Vade", "-c", "user.email=vade@localhost"}, args...)
	}
	return w.git(ctx, dir, args...)
}

// git runs git without hooks, file system monitors and prompts, and returns its
// output without the last line break.
func (w *Worktree) git(ctx context.Context, dir string, args ...string) (string, error) {
	hardened := []string{
		"-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsmonitor=false",
		"-c", "commit.gpgSign=false", "-c", "gc.auto=0",
	}
	cmd := exec.CommandContext(ctx, w.Git, append(hardened, args...)...)
	cmd.Dir = dir
	own := func(v string) bool { return strings.HasPrefix(v, "GIT_") }
	cmd.Env = append(slices.DeleteFunc(os.Environ(), own),
		"GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		if text := strings.TrimSpace(errs.String()); text != "" {
			err = fmt.Errorf("git %s: %s", args[0], text)
		}
		return "", err
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}
