// Package source fetches definition files from where they are published: git repositories,
// archives, web indexes and directories. It never runs anything that it fetches.
package source

import (
	"bytes"
	"context"
	"errors"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/ledger"
	"github.com/vadehq/vade/internal/vfs"
)

// Limits per source.
const (
	maxFiles = 20_000
	maxBytes = 256 << 20
)

// Source describes where definitions are published, such as a repository, an archive or a
// directory.
type Source struct {
	// Typed is the source as the user typed it.
	Typed string
	// Type is "github", "gitlab", "git", "local", "archive", "npm" or "well-known".
	Type string
	// URL is the URL or absolute path to fetch.
	URL string
	// Repo is "owner/name" for github and gitlab, and the package name for npm.
	Repo string
	// Plugin is the name of the plugin to fetch if the source is a marketplace. Otherwise, it is
	// "".
	Plugin string
	// Ref is the branch, tag, commit or npm version; "" means the default one. Path is the
	// directory within the source; "" means everything.
	Ref, Path string
	// Pinned reports whether the user specified Ref with --pin.
	Pinned bool

	// registry is the npm registry that the marketplace specifies for the package.
	registry string
}

// Fetched is a source's content.
type Fetched struct {
	// Files contains the source's files, sorted by path. If names were passed to [Fetcher.Fetch],
	// only the directories with these names are complete.
	Files []ledger.File
	// Commit is a git repository's commit, and Digest is an archive's SHA-256.
	// Tag reports whether the ref is a tag.
	Commit, Digest string
	Tag            bool
	// Digests maps skill names to the digests in a website's index.
	Digests map[string]string
	// Version is an npm package's version.
	Version string
	// From is the source from which the files were fetched. For a plugin in a marketplace, it is
	// the plugin's own source.
	From Source
	// Omitted lists what was omitted, such as symlinks, submodules and Git LFS files.
	Omitted []Omitted
}

// Omitted describes a file that cannot be installed, such as a symlink. Missing is set if the
// source does not contain the file's content, so the definition is incomplete.
type Omitted struct {
	Path, Reason string
	Missing      bool
}

// Error is the error for a source that cannot be used. Hint tells the user what to do.
type Error struct {
	Source, Problem, Hint string
	Err                   error
}

func (e *Error) Error() string { return e.Source + ": " + e.Problem }

func (e *Error) Unwrap() error { return e.Err }

// ErrSource is wrapped by the errors that [Parse] returns.
var ErrSource = errors.New("not a source")

// errNoFiles is returned for a path that contains no files.
var errNoFiles = errors.New("no files found")

// hosted lists hosting services. name is the service's prefix in a source, as in "github:". url is
// the service's URL. tree is the part of a page's URL between the repository and the ref.
var hosted = []struct{ name, url, tree string }{
	{"github", "https://github.com/", "/tree/"},
	{"gitlab", "https://gitlab.com/", "/-/tree/"},
}

// shortPattern matches a short source: owner/repo or owner/repo/path, optionally followed by @ref.
const shortPattern = `^[A-Za-z0-9][\w.-]*/[\w.-]+(/[^@]*)?(@.+)?$`

// Parse parses what a user typed. dir is the working directory, which local paths are relative to.
// A local path starts with "." or "/", or names something that exists.
func Parse(typed, dir string) (Source, error) {
	s := Source{Typed: typed}
	abs := typed
	if !vfs.IsAbs(abs) {
		abs = path.Join(dir, strings.ReplaceAll(typed, "\\", "/"))
	}
	for _, h := range hosted {
		if short, ok := strings.CutPrefix(typed, h.name+":"); ok {
			return s.short(h.name, h.url, short)
		}
	}
	if spec, ok := strings.CutPrefix(typed, "npm:"); ok {
		return npmSource(s, spec)
	}
	if name, rest, ok := strings.Cut(typed, "@"); ok && name != "git" && rest != "" && !strings.ContainsAny(name, "/:.\\") {
		market, err := Parse(rest, dir)
		market.Typed, market.Plugin = typed, name
		return market, err
	}
	switch {
	case typed == "":
		return s, &Error{"source", "must not be empty", "specify a repository such as owner/repo, a URL or a path", ErrSource}
	case strings.HasPrefix(typed, ".") || vfs.IsAbs(typed) || exists(abs):
		s.Type, s.URL = "local", path.Clean(abs)
		if isArchive(typed) {
			s.Type = "archive"
		}
		return s, nil
	case strings.HasPrefix(typed, "git@") || strings.HasPrefix(typed, "ssh://") || strings.HasPrefix(typed, "file://"):
		if u, err := url.Parse(typed); err == nil && u.User != nil {
			if _, has := u.User.Password(); has {
				return s, credentials(*u)
			}
		}
		s.Type = "git"
		s.URL, s.Ref = splitRef(typed)
		return s, nil
	case strings.Contains(typed, "://"):
		return s.web()
	case regexp.MustCompile(shortPattern).MatchString(typed):
		return s.short("github", hosted[0].url, typed)
	}
	return s, &Error{typed, "neither a repository nor a path", "use owner/repo, owner/repo/path@ref, a URL, or ./directory", ErrSource}
}

func (s Source) short(service, base, short string) (Source, error) {
	if !regexp.MustCompile(shortPattern).MatchString(short) {
		return s, &Error{s.Typed, "not in the form owner/repo", "use " + service + ":owner/repo/path@ref", ErrSource}
	}
	short, s.Ref, _ = strings.Cut(short, "@")
	parts := strings.SplitN(short, "/", 3)
	s.Type, s.Repo = service, parts[0]+"/"+strings.TrimSuffix(parts[1], ".git")
	s.URL = base + s.Repo + ".git"
	if len(parts) == 3 {
		s.Path = cleanPath(parts[2])
	}
	return s, nil
}

// web parses a URL. It recognizes repositories, pages that show a directory in a repository, and
// archives. Any other URL is a site.
func (s Source) web() (Source, error) {
	u, err := url.Parse(s.Typed)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return s, &Error{s.Typed, "not an https URL", "use https://HOST/PATH", ErrSource}
	}
	if u.User != nil {
		return s, credentials(*u)
	}
	for _, h := range hosted {
		rest, ok := strings.CutPrefix(s.Typed, h.url)
		if !ok {
			continue
		}
		repo, at, page := strings.Cut(strings.TrimSuffix(rest, "/"), h.tree)
		if !page {
			return s.short(h.name, h.url, repo)
		}
		ref, dir, _ := strings.Cut(at, "/")
		s, err := s.short(h.name, h.url, repo)
		s.Ref, s.Path = ref, cleanPath(dir)
		return s, err
	}
	switch {
	case isArchive(u.Path):
		s.Type, s.URL = "archive", s.Typed
	case strings.HasSuffix(u.Path, ".git") || strings.Contains(u.Path, ".git@"):
		s.Type = "git"
		s.URL, s.Ref = splitRef(s.Typed)
	default:
		s.Type, s.URL = "well-known", strings.TrimSuffix(s.Typed, "/")
	}
	return s, nil
}

// credentials returns the error for a URL that contains credentials, without the credentials. Such
// URLs are rejected because the ledger would store them.
func credentials(u url.URL) error {
	u.User = nil
	return &Error{u.String(), "the URL contains credentials", "use git's credential helper or ssh instead", ErrSource}
}

// Pin selects a branch, tag, commit or version. It is equivalent to "@" and the ref at the end of a
// source.
func (s *Source) Pin(ref string) error {
	switch {
	case s.Type == "local" && s.Plugin == "" || s.Type == "archive" || s.Type == "well-known":
		return &Error{s.Typed, "this kind of source has no versions", "omit --pin", ErrSource}
	case s.Ref != "" && s.Ref != ref:
		return &Error{s.Typed, "the source selects " + s.Ref + ", but --pin selects " + ref, "use only one of them", ErrSource}
	}
	s.Ref, s.Pinned = ref, true
	return nil
}

// splitRef splits a git URL at the "@" that follows its path.
func splitRef(typed string) (repo, ref string) {
	if i := strings.LastIndex(typed, "@"); i > strings.LastIndexAny(typed, "/:") {
		return typed[:i], typed[i+1:]
	}
	return typed, ""
}

func cleanPath(p string) string {
	if p = path.Clean("/" + p)[1:]; p == "" {
		return ""
	}
	return p
}

func isArchive(name string) bool {
	return strings.HasSuffix(name, ".zip") || strings.HasSuffix(name, ".tar.gz") || strings.HasSuffix(name, ".tgz")
}

func exists(abs string) bool {
	_, err := vfs.RealPath(abs)
	return err == nil
}

// Fetcher fetches sources.
type Fetcher struct {
	// Git is the path to git, and Helper is the program that sandboxes it; see [sandbox.Spec].
	Git, Helper string
	// Cache is a private directory for temporary files.
	Cache string
	// Env is the user's environment. Git gets a filtered copy.
	Env []string
}

// Fetch fetches a source. If names are given, it may omit the files for
// definitions with other names.
func (f *Fetcher) Fetch(ctx context.Context, s Source, names []string) (*Fetched, error) {
	var out *Fetched
	var err error
	if s.Plugin != "" {
		return f.plugin(ctx, s, names)
	}
	switch s.Type {
	case "npm":
		out, err = f.npm(ctx, s)
	case "local":
		out, err = f.local(ctx, s, names)
	case "archive":
		out, err = f.archive(ctx, s)
	case "well-known":
		out, err = f.site(ctx, s, names)
	default:
		out, err = f.git(ctx, s, names)
	}
	if err != nil {
		return nil, err
	}
	out.From = s
	out.Files = slices.DeleteFunc(out.Files, func(x ledger.File) bool {
		pointer := bytes.HasPrefix(x.Data, []byte("version https://git-lfs.github.com/spec/"))
		if pointer {
			out.Omitted = append(out.Omitted, Omitted{x.Path, "the content is in Git LFS", true})
		}
		return pointer
	})
	if s.Path != "" {
		found := false
		out.Files = slices.DeleteFunc(out.Files, func(x ledger.File) bool {
			within := strings.HasPrefix(x.Path, s.Path+"/")
			found = found || within
			return !within && x.Path != ledger.ToolHivePath
		})
		if !found {
			return nil, &Error{s.Typed, "no directory named " + s.Path, "omit the path to list everything in the source", errNoFiles}
		}
	}
	slices.SortFunc(out.Files, func(a, b ledger.File) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}
