package sandbox

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxGitFile is the maximum size in bytes of a repository file that is read.
const maxGitFile = 1 << 20

// GitDirs describes the repository that git will use and the files that git needs to read it.
type GitDirs struct {
	Top    string // working tree; empty if no repository was found
	Git    string // the working tree's .git directory
	Common string // main repository's .git directory; differs from Git only in a linked worktree
	// Ceiling is passed to GitEnv. It ensures that git finds either this repository or none.
	Ceiling string
	// Read lists directories outside the project that git must be able to read.
	Read []string
	// Config holds settings for GitArgs.
	Config []string
	// Aliases reports whether the repository defines git aliases.
	Aliases bool
	// IgnoresRevisions reports whether the repository's configuration names an ignore-revisions
	// file. Git blame quotes a malformed file in its error messages, and no setting prevents this.
	IgnoresRevisions bool
	// Alternates lists object directories outside the project, as written. The
	// sandbox keeps git from reading them.
	Alternates []string
}

// GitRepoError describes a repository in which Vade does not run git.
type GitRepoError struct{ Path, Why string }

func (e *GitRepoError) Error() string { return e.Path + " " + e.Why }

type gitFinder struct {
	read func(string) ([]byte, error)
	root string
}

// CheckGit finds the repository that git would use in dir, searching up to root, and checks its
// configuration. root and dir are absolute paths without symlinks, and dir is root or below it. A
// missing repository is not an error, because git itself reports that.
//
// read returns the contents of the file at an absolute path, without following symlinks. If nothing
// exists there, it returns fs.ErrNotExist. For a directory or symlink, it returns some other error.
// See ReadGitFile.
func CheckGit(read func(name string) ([]byte, error), root, dir string) (GitDirs, error) {
	f := &gitFinder{read, root}
	d := GitDirs{Ceiling: filepath.Dir(root)}
	if !filepath.IsAbs(root) || !within(dir, root) {
		return d, &GitRepoError{dir, "is not inside the project"}
	}
	top, err := f.top(dir)
	if err != nil || top == "" {
		return d, err
	}
	d.Top, d.Ceiling = top, filepath.Dir(top)
	if strings.ContainsRune(d.Ceiling, filepath.ListSeparator) {
		return d, &GitRepoError{d.Ceiling, "contains a path list separator"}
	}
	if err := f.dirs(&d); err != nil {
		return d, err
	}
	d.Config = append(d.Config, "safe.directory="+d.Top)
	for _, file := range []string{filepath.Join(d.Common, "config"), filepath.Join(d.Git, "config.worktree")} {
		if err := f.config(file, &d); err != nil {
			return d, err
		}
	}
	return d, f.alternates(&d)
}

// top returns the first directory that contains .git, searching from dir up to the root, or "". A
// directory on the way that looks like a bare repository is an error.
func (f *gitFinder) top(dir string) (string, error) {
	for {
		if f.looksLikeGit(dir) {
			return "", &GitRepoError{dir, "is a bare repository or inside one"}
		}
		if f.exists(filepath.Join(dir, ".git")) {
			return dir, nil
		}
		if dir == f.root || dir == filepath.Dir(dir) {
			return "", nil
		}
		dir = filepath.Dir(dir)
	}
}

func (f *gitFinder) exists(path string) bool {
	_, err := f.read(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// looksLikeGit reports whether dir may be a bare repository. It is less strict than git, which also
// checks the content of HEAD.
func (f *gitFinder) looksLikeGit(dir string) bool {
	has := func(name string) bool { return f.exists(filepath.Join(dir, name)) }
	return has("HEAD") && (has("commondir") || has("objects") && has("refs"))
}

// dirs sets d.Git, d.Common and d.Read.
func (f *gitFinder) dirs(d *GitDirs) error {
	link := filepath.Join(d.Top, ".git")
	text, err := f.read(link)
	if err != nil {
		d.Git, d.Common = link, link
		head := filepath.Join(link, "HEAD")
		if _, err := f.read(head); err != nil {
			return &GitRepoError{head, "cannot be read: " + err.Error()}
		}
		if f.exists(filepath.Join(link, "commondir")) {
			return &GitRepoError{link, "redirects git to another directory"}
		}
		return f.checkComplete(link)
	}
	if d.Git, err = f.follow(link, text); err != nil {
		return err
	}
	d.Common = d.Git
	if common, err := f.read(filepath.Join(d.Git, "commondir")); err == nil {
		if d.Common, err = namedPath(link, d.Git, string(common)); err != nil {
			return err
		}
		return f.linked(link, d)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return &GitRepoError{filepath.Join(d.Git, "commondir"), "cannot be read: " + err.Error()}
	}
	if !within(d.Git, f.root) {
		return &GitRepoError{link, "points outside the project"}
	}
	return f.checkComplete(d.Git)
}

func (f *gitFinder) follow(link string, text []byte) (string, error) {
	path, ok := strings.CutPrefix(string(text), "gitdir: ")
	if !ok {
		return "", &GitRepoError{link, "does not start with \"gitdir: \""}
	}
	return namedPath(link, filepath.Dir(link), path)
}

// namedPath returns the absolute path for a path that a repository file contains. A relative path
// is resolved against base. namedPath rejects paths that are not clean, because the "a" in "a/../b"
// may be a symlink.
func namedPath(file, base, text string) (string, error) {
	path := filepath.FromSlash(strings.TrimRight(text, "\r\n"))
	if path == "" || filepath.Clean(path) != path || strings.ContainsAny(path, "\x00\r\n") {
		return "", &GitRepoError{file, `contains an empty path or a path with "..", "." or empty elements`}
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(base, path)
	}
	return path, nil
}

// linked checks a linked worktree. The main repository must list the worktree, so a forged .git
// file cannot point to someone else's repository.
func (f *gitFinder) linked(link string, d *GitDirs) error {
	if filepath.Dir(d.Git) != filepath.Join(d.Common, "worktrees") {
		return &GitRepoError{link, "points to a directory that is not in the repository's worktrees directory"}
	}
	file := filepath.Join(d.Git, "gitdir")
	text, err := f.read(file)
	if err != nil {
		return &GitRepoError{link, "points to a worktree that does not point back: " + file + ": " + err.Error()}
	}
	if back, err := namedPath(link, d.Git, string(text)); err != nil || back != link {
		return &GitRepoError{link, "points to a worktree that does not point back"}
	}
	if within(d.Git, f.root) != within(d.Common, f.root) {
		return &GitRepoError{link, "points outside the project"}
	}
	if !within(d.Common, f.root) {
		d.Read = append(d.Read, d.Common)
	}
	return f.checkComplete(d.Common)
}

func (f *gitFinder) checkComplete(dir string) error {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if !f.exists(filepath.Join(dir, name)) {
			return &GitRepoError{dir, "is an incomplete repository: " + name + " is missing"}
		}
	}
	return nil
}

func (f *gitFinder) config(file string, d *GitDirs) error {
	text, err := f.read(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return &GitRepoError{file, "cannot be read: " + err.Error()}
	}
	list, err := parseGitConfig(text)
	if e, ok := errors.AsType[*configError](err); ok {
		return &GitConfigError{File: file, Line: e.line, Why: e.Error()}
	}
	for _, s := range list {
		why, config := judgeSetting(s)
		if s.key() == "core.worktree" {
			if path, err := namedPath(file, d.Git, s.Value); err != nil || path != d.Top {
				why = whyMoves
			}
		}
		if why != "" {
			return &GitConfigError{s.key(), file, s.Line, why}
		}
		d.Aliases = d.Aliases || strings.HasPrefix(s.key(), "alias.")
		d.IgnoresRevisions = d.IgnoresRevisions || s.key() == "blame.ignorerevsfile"
		for _, c := range config {
			if !slices.Contains(d.Config, c) {
				d.Config = append(d.Config, c)
			}
		}
	}
	return nil
}

func (f *gitFinder) alternates(d *GitDirs) error {
	file := filepath.Join(d.Common, "objects", "info", "alternates")
	text, err := f.read(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return &GitRepoError{file, "cannot be read: " + err.Error()}
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		path, err := namedPath(file, filepath.Join(d.Common, "objects"), line)
		if err != nil || !within(path, f.root) {
			d.Alternates = append(d.Alternates, line)
		}
	}
	return nil
}

// ReadGitFile reads a regular file of at most 1 MiB for CheckGit. It refuses paths with symlinks.
// Its errors do not contain the path.
func ReadGitFile(name string) ([]byte, error) {
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		if _, lerr := os.Lstat(name); lerr == nil {
			return nil, fmt.Errorf("the path cannot be resolved: %s", withoutPath(err))
		}
		return nil, missing(withoutPath(err))
	}
	if real != filepath.Clean(name) {
		return nil, errors.New("the path contains a symlink")
	}
	f, err := os.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, missing(withoutPath(err))
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, withoutPath(err)
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	text, err := io.ReadAll(io.LimitReader(f, maxGitFile+1))
	if err == nil && len(text) > maxGitFile {
		err = fmt.Errorf("it is larger than %d MiB", maxGitFile>>20)
	}
	return text, withoutPath(err)
}

// withoutPath removes the operation and the path from a file system error.
func withoutPath(err error) error {
	if x, ok := errors.AsType[*fs.PathError](err); ok {
		return x.Err
	}
	return err
}

// HardLinked returns the first name of a regular file with more than one hard
// link, or "". Names are absolute or relative to dir.
func HardLinked(dir string, names []string) string {
	for _, name := range names {
		full := name
		if !filepath.IsAbs(name) {
			full = filepath.Join(dir, name)
		}
		if info, err := os.Lstat(full); err == nil && info.Mode().IsRegular() && links(info) > 1 {
			return name
		}
	}
	return ""
}
