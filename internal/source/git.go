package source

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vadehq/vade/internal/ledger"
	"github.com/vadehq/vade/internal/sandbox"
	"github.com/vadehq/vade/internal/vfs"
)

// repository is a bare partial clone in a temporary directory.
type repository struct {
	f   *Fetcher
	dir string
	url string
}

// blob is a regular file in a commit.
type blob struct {
	path, id   string
	executable bool
}

// git fetches a repository's files. It fetches one commit without its history, and then the
// contents of the files that are needed.
func (f *Fetcher) git(ctx context.Context, s Source, names []string) (*Fetched, error) {
	if f.Git == "" {
		return nil, &Error{s.Typed, "git is not installed", "install git, or download the files and specify the directory", nil}
	}
	// Remove directories left behind by Vade processes that were killed.
	_, _ = vfs.SweepTempDirs(f.Cache)
	temp, err := vfs.OpenTempDir(f.Cache, vfs.TempDirOptions{})
	if err != nil {
		return nil, fmt.Errorf("vade: %w", err)
	}
	defer temp.Close()
	r := &repository{f: f, dir: path.Join(temp.Dir(), "repository"), url: s.URL}
	if _, err := temp.Write("repository", r.files()); err != nil {
		return nil, fmt.Errorf("vade: %w", err)
	}
	ref := s.Ref
	if ref == "" {
		ref = "HEAD"
	}
	err = r.run(ctx, nil, nil, "fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--filter=blob:none", "--", "origin", ref)
	if err != nil {
		return nil, r.explain(s, err)
	}
	out := &Fetched{}
	var commit bytes.Buffer
	if err := r.run(ctx, nil, &commit, "rev-parse", "--verify", "FETCH_HEAD^{commit}"); err != nil {
		return nil, r.explain(s, err)
	}
	out.Commit = strings.TrimSpace(commit.String())
	// FETCH_HEAD contains a line such as: COMMIT not-for-merge tag 'v1' of URL
	if head, err := vfs.ReadUserFile(path.Join(r.dir, "FETCH_HEAD"), 1<<20); err == nil {
		out.Tag = strings.Contains(string(head), "\ttag '")
	}
	blobs, err := r.list(ctx, s, out)
	if err != nil {
		return nil, err
	}
	return out, r.read(ctx, s, wanted(blobs, s.Path, names), out)
}

// files returns the files that make up an empty repository. Vade writes them itself because git
// init changes a file's mode, which the sandbox does not allow.
func (r *repository) files() []vfs.TempFile {
	return []vfs.TempFile{
		{Path: "HEAD", Data: []byte("ref: refs/heads/main\n")}, {Path: "objects/empty"}, {Path: "refs/empty"},
		{Path: "config", Data: []byte("[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tpartialClone = origin\n" +
			"[remote \"origin\"]\n\turl = " + strconv.Quote(r.url) + "\n\tpromisor = true\n\tpartialclonefilter = blob:none\n")},
	}
}

// list returns the commit's regular files. It adds the commit's symlinks and submodules to
// out.Omitted.
func (r *repository) list(ctx context.Context, s Source, out *Fetched) ([]blob, error) {
	var list bytes.Buffer
	if err := r.run(ctx, nil, &list, "ls-tree", "-r", "-z", "--full-tree", out.Commit); err != nil {
		return nil, r.explain(s, err)
	}
	var blobs []blob
	for line := range strings.SplitSeq(strings.TrimSuffix(list.String(), "\x00"), "\x00") {
		meta, name, ok := strings.Cut(line, "\t")
		fields := strings.Fields(meta)
		if !ok || len(fields) != 3 || s.Path != "" && !strings.HasPrefix(name, s.Path+"/") && name != ledger.ToolHivePath {
			continue
		}
		switch fields[0] {
		case "100644", "100755":
			blobs = append(blobs, blob{name, fields[2], fields[0] == "100755"})
		case "120000":
			out.Omitted = append(out.Omitted, Omitted{name, "symlink", false})
		case "160000":
			out.Omitted = append(out.Omitted, Omitted{name, "submodule", true})
		}
	}
	if len(blobs) > maxFiles {
		return nil, &Error{s.Typed, fmt.Sprintf("the source has more than %d files", maxFiles), s.narrower(), nil}
	}
	return blobs, nil
}

// narrower returns a hint that tells the user how to specify only one directory of a repository.
func (s Source) narrower() string {
	if s.Repo == "" || s.Plugin != "" {
		return "download the repository, and specify one of its directories"
	}
	hint := "specify a directory in the repository: " + s.Type + ":" + path.Join(s.Repo, s.Path, "DIRECTORY")
	if s.Ref != "" {
		hint += "@" + s.Ref
	}
	return hint
}

// wanted returns the blobs that names refer to. A name refers to the files in the skill directory
// with that name, and to any file with that name, ignoring the file's extension. If a name refers
// to nothing, wanted returns all blobs.
func wanted(blobs []blob, below string, names []string) []blob {
	var dirs []string
	files := map[string]bool{ledger.ToolHivePath: true}
	for _, name := range names {
		found := false
		for _, b := range blobs {
			dir := path.Dir(b.path)
			if stem, _, _ := strings.Cut(path.Base(b.path), "."); stem == name {
				files[b.path], found = true, true
			}
			if strings.EqualFold(path.Base(b.path), "SKILL.md") && (path.Base(dir) == name || dir == below && len(names) == 1) {
				dirs, found = append(dirs, dir+"/"), true
			}
		}
		if !found {
			return blobs
		}
	}
	if len(names) == 0 || slices.Contains(dirs, "./") {
		return blobs
	}
	return slices.DeleteFunc(slices.Clone(blobs), func(b blob) bool {
		return !files[b.path] && !slices.ContainsFunc(dirs, func(dir string) bool { return strings.HasPrefix(b.path, dir) })
	})
}

// read reads file contents exactly as stored in the repository. Contents that
// are missing from the partial clone are fetched in a single request.
func (r *repository) read(ctx context.Context, s Source, blobs []blob, out *Fetched) error {
	if len(blobs) == 0 {
		return &Error{s.Typed, "no files found", "check the repository and the path", errNoFiles}
	}
	var ids strings.Builder
	for _, b := range blobs {
		ids.WriteString(b.id + "\n")
	}
	// If the server does not support filters, it has already sent all contents, and none are
	// missing.
	var missing bytes.Buffer
	err := r.run(ctx, strings.NewReader(ids.String()), &missing, "cat-file", "--batch-check=%(objecttype) %(objectname)")
	if err != nil {
		return r.explain(s, err)
	}
	ids.Reset()
	for line := range strings.Lines(missing.String()) {
		if id, ok := strings.CutSuffix(strings.TrimSpace(line), " missing"); ok {
			ids.WriteString(id + "\n")
		}
	}
	if ids.Len() > 0 {
		err := r.run(ctx, strings.NewReader(ids.String()), nil, "-c", "fetch.negotiationAlgorithm=noop", "fetch", "--quiet",
			"--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--filter=blob:none", "--stdin", "--", "origin")
		if err != nil {
			return r.explain(s, err)
		}
	}
	ids.Reset()
	for _, b := range blobs {
		ids.WriteString(b.id + "\n")
	}
	content := &limited{left: maxBytes + int64(len(blobs))*64}
	if err := r.run(ctx, strings.NewReader(ids.String()), content, "cat-file", "--batch"); err != nil {
		if content.left < 0 {
			return &Error{s.Typed, fmt.Sprintf("the files exceed %d MiB in total", maxBytes>>20), "specify the definitions to install", nil}
		}
		return r.explain(s, err)
	}
	return parseBatch(&content.Buffer, blobs, out)
}

// parseBatch parses the output of git cat-file --batch: for each object, a line
// with its ID, type and size, then its content and a newline.
func parseBatch(r io.Reader, blobs []blob, out *Fetched) error {
	in := bufio.NewReader(r)
	for _, b := range blobs {
		line, err := in.ReadString('\n')
		fields := strings.Fields(line)
		if err != nil || len(fields) != 3 || fields[0] != b.id {
			return fmt.Errorf("vade: git did not return the content of %s", b.path)
		}
		size, err := strconv.ParseInt(fields[2], 10, 64)
		if err != nil || size < 0 || size > maxBytes {
			return fmt.Errorf("vade: git did not return the size of %s", b.path)
		}
		data := make([]byte, size+1)
		if _, err := io.ReadFull(in, data); err != nil {
			return fmt.Errorf("vade: git did not return the content of %s", b.path)
		}
		out.Files = append(out.Files, ledger.File{Path: b.path, Data: data[:size], Executable: b.executable})
	}
	return nil
}

// limited is a buffer with a size limit.
type limited struct {
	bytes.Buffer
	left int64
}

var errTooLarge = errors.New("too large")

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= int64(len(p)); l.left < 0 {
		return 0, errTooLarge
	}
	return l.Buffer.Write(p)
}

// gitError is git's own message.
type gitError struct{ text string }

func (e *gitError) Error() string { return e.text }

// fetchTimeout limits how long a git command may run.
const fetchTimeout = 10 * time.Minute

// run runs git. Git may use the network, the user's configuration and credential helpers, and may
// write only to the temporary directory that contains the repository. System configuration and
// hooks are ignored.
func (r *repository) run(ctx context.Context, stdin io.Reader, stdout io.Writer, args ...string) error {
	settings := []string{
		"core.hooksPath=/dev/null", "core.fsmonitor=false", "gc.auto=0", "maintenance.auto=false", "fetch.fsckObjects=true",
		"protocol.allow=never", "protocol.ext.allow=never",
		"protocol.https.allow=always", "protocol.http.allow=always", "protocol.ssh.allow=always", "protocol.file.allow=always",
	}
	argv := []string{"git"}
	for _, c := range settings {
		argv = append(argv, "-c", c)
	}
	var errs bytes.Buffer
	dir := path.Dir(r.dir)
	result, err := sandbox.Run(ctx, sandbox.Spec{
		Helper: r.f.Helper, Path: r.f.Git, Args: append(argv, args...), Dir: r.dir, Env: r.environment(),
		Stdin: stdin, Stdout: stdout, Stderr: &errs,
		Read: []string{"/"}, Exec: []string{"/"}, Write: []string{dir}, Network: true, BestEffort: true, Timeout: fetchTimeout,
	})
	switch {
	case err != nil:
		return err
	case result.TimedOut:
		return &gitError{"timed out after " + fetchTimeout.String()}
	case result.Exit != 0:
		return &gitError{strings.TrimSpace(errs.String())}
	}
	return nil
}

// environment returns the user's environment for git. Of git's own variables, it keeps only
// GIT_SSH* and GIT_CONFIG_GLOBAL, because others could select a repository or name programs to run.
func (r *repository) environment() []string {
	own := func(v string) bool {
		return strings.HasPrefix(v, "GIT_") && !strings.HasPrefix(v, "GIT_SSH") && !strings.HasPrefix(v, "GIT_CONFIG_GLOBAL=")
	}
	return append(slices.DeleteFunc(slices.Clone(r.f.Env), own), "GIT_CONFIG_NOSYSTEM=1", "GIT_ATTR_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_DIR="+r.dir)
}

// explain returns an error with a hint for a message from git.
func (r *repository) explain(s Source, err error) error {
	var g *gitError
	if !errors.As(err, &g) {
		return err
	}
	lines := strings.Split(g.text, "\n")
	last := strings.TrimPrefix(lines[len(lines)-1], "fatal: ")
	e := &Error{Source: s.Typed, Problem: "git: " + last, Hint: "check that the URL is correct: " + r.url, Err: err}
	switch text := strings.ToLower(g.text); {
	case strings.Contains(text, "couldn't find remote ref"), strings.Contains(text, "not our ref"):
		e.Problem, e.Hint = fmt.Sprintf("no branch, tag or commit named %q", s.Ref), "check the name of the branch or tag, or use the full commit hash"
		if s.Ref == "" {
			e.Problem, e.Hint = "the repository is empty or has no default branch", "specify a branch, tag or commit after @"
		}
	case strings.Contains(text, "could not read username"), strings.Contains(text, "authentication failed"), strings.Contains(text, "permission denied"):
		e.Problem, e.Hint = "the repository does not exist, or git is not allowed to read it", "check the name; for a private repository, set up git's credentials for "+r.url
	case strings.Contains(text, "could not resolve host"), strings.Contains(text, "failed to connect"):
		e.Problem, e.Hint = "the server cannot be reached", "check the network connection and the URL"
	case strings.Contains(text, "does not appear to be a git repository"), strings.Contains(text, "repository not found"), strings.Contains(text, "' not found"), strings.Contains(text, "does not exist"):
		e.Problem, e.Hint = "not a git repository", "check the repository's URL: "+r.url
	}
	return e
}
