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

// maxGitFile bounds the files of a repository that are read, in bytes.
const maxGitFile = 1 << 20

// GitDirs is where git will find its repository, and what it needs for it.
type GitDirs struct {
	Top    string // the work tree; empty when there is no repository
	Git    string // the directory of the work tree's own state
	Common string // the directory of the repository; Git but for a linked work tree
	// Ceiling is for GitEnv: with it, git finds this repository or none.
	Ceiling string
	// Read are directories outside of the project that git may read.
	Read []string
	// Config are settings for GitArgs.
	Config []string
	// Aliases: the repository gives names to commands of its own.
	Aliases bool
	// IgnoresRevisions: the repository names a file for blame, which blame quotes
	// if it is none of its kind, and which no setting takes back.
	IgnoresRevisions bool
	// Alternates are places of objects outside of the project, as written.
	// The walls keep git from reading them.
	Alternates []string
}

// GitRepoError is a repository that git is not run in.
type GitRepoError struct{ Path, Why string }

// Error says which directory or file is wrong, and how.
func (e *GitRepoError) Error() string { return e.Path + ": " + e.Why }

// gitFinder looks for a repository.
type gitFinder struct {
	read func(string) ([]byte, error)
	root string
}

// CheckGit finds the repository that git would use in dir, from there up to
// root and no further, and reads its configuration. root and dir are absolute
// and free of links; dir is root or below it. read returns the bytes of a file
// by its absolute path and follows no link in it; its error is fs.ErrNotExist
// where there is nothing, and some other one for a directory or a link. See
// ReadGitFile.
//
// No repository at all is no error: git says so itself.
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
		return d, &GitRepoError{d.Ceiling, "has the character in its name that separates paths"}
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

// top returns the first directory with a .git in it. A directory that is a
// repository itself, as git would take it for one, ends the search.
func (f *gitFinder) top(dir string) (string, error) {
	for {
		if f.looksLikeGit(dir) {
			return "", &GitRepoError{dir, "is a repository without a work tree, or inside of one"}
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

// looksLikeGit is less strict than git, which also reads HEAD.
func (f *gitFinder) looksLikeGit(dir string) bool {
	has := func(name string) bool { return f.exists(filepath.Join(dir, name)) }
	return has("HEAD") && (has("commondir") || has("objects") && has("refs"))
}

// dirs fills in Git, Common and Read.
func (f *gitFinder) dirs(d *GitDirs) error {
	link := filepath.Join(d.Top, ".git")
	text, err := f.read(link)
	if err != nil {
		d.Git, d.Common = link, link
		if _, err := f.read(filepath.Join(link, "HEAD")); err != nil {
			return &GitRepoError{link, "cannot be read: " + err.Error()}
		}
		if f.exists(filepath.Join(link, "commondir")) {
			return &GitRepoError{link, "is a directory that sends git to another one"}
		}
		return f.whole(link)
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
		return &GitRepoError{filepath.Join(d.Git, "commondir"), err.Error()}
	}
	if !within(d.Git, f.root) {
		return &GitRepoError{link, "leads out of the project"}
	}
	return f.whole(d.Git)
}

func (f *gitFinder) follow(link string, text []byte) (string, error) {
	path, ok := strings.CutPrefix(string(text), "gitdir: ")
	if !ok {
		return "", &GitRepoError{link, "does not name a directory"}
	}
	return namedPath(link, filepath.Dir(link), path)
}

// namedPath reads a path that a file of a repository holds. Only one that
// means the same to us as to the system passes: in a/../b, a may be a link.
func namedPath(file, base, text string) (string, error) {
	path := filepath.FromSlash(strings.TrimRight(text, "\r\n"))
	if path == "" || filepath.Clean(path) != path || strings.ContainsAny(path, "\x00\r\n") {
		return "", &GitRepoError{file, "names a directory in a roundabout way"}
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(base, path)
	}
	return path, nil
}

// linked checks a linked work tree: it must be one that the repository knows,
// so that a forged .git cannot lead to a repository of somebody else.
func (f *gitFinder) linked(link string, d *GitDirs) error {
	if filepath.Dir(d.Git) != filepath.Join(d.Common, "worktrees") {
		return &GitRepoError{link, "names a work tree that is not below its repository"}
	}
	text, err := f.read(filepath.Join(d.Git, "gitdir"))
	if err != nil {
		return &GitRepoError{link, "names a work tree that does not name it: " + err.Error()}
	}
	if back, err := namedPath(link, d.Git, string(text)); err != nil || back != link {
		return &GitRepoError{link, "names a work tree that does not name it"}
	}
	if within(d.Git, f.root) != within(d.Common, f.root) {
		return &GitRepoError{link, "leads out of the project"}
	}
	if !within(d.Common, f.root) {
		d.Read = append(d.Read, d.Common)
	}
	return f.whole(d.Common)
}

func (f *gitFinder) whole(dir string) error {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if !f.exists(filepath.Join(dir, name)) {
			return &GitRepoError{dir, "is not a whole repository: it has no " + name}
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
		return &GitRepoError{file, err.Error()}
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
		return &GitRepoError{file, err.Error()}
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

// ReadGitFile reads a regular file of at most 1 MiB that no link leads to, for
// CheckGit.
func ReadGitFile(name string) ([]byte, error) {
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		if _, lerr := os.Lstat(name); lerr == nil {
			return nil, fmt.Errorf("%s cannot be followed: %s", name, err)
		}
		return nil, missing(err)
	}
	if real != filepath.Clean(name) {
		return nil, fmt.Errorf("a link leads to %s", name)
	}
	f, err := os.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, missing(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxGitFile+1))
	if err == nil && len(text) > maxGitFile {
		err = fmt.Errorf("%s has more than %d bytes", name, maxGitFile)
	}
	return text, err
}

// HardLinked returns the first of names that is a regular file with more than one
// hard link, or "". A relative name is one in dir.
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
