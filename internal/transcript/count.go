package transcript

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/vfs"
)

// Limits for [Count], per host.
const (
	maxSessions    = 100_000 // the newest are read
	maxDiagnostics = 5
	// headLines is the number of leading lines that are always read, because
	// they identify the session.
	headLines = 10
	countSize = 256 << 10
)

// Used identifies a definition by the name that the host records.
type Used struct {
	// Agent reports whether the definition is an agent. Hosts do not distinguish skills from
	// commands.
	Agent bool
	Name  string
	// Here reports whether the session ran in the project.
	Here bool
}

// Uses counts how often a definition was used.
type Uses struct {
	// Offered is the number of sessions whose model saw the definition in a
	// listing. Invoked is the total number of invocations.
	Offered, Invoked int
	// Last is the time of the last invocation.
	Last time.Time
}

// Usage summarizes which definitions the sessions of one host listed and invoked. It contains
// counts, names and times, but no text from the sessions.
type Usage struct {
	// Sessions is the number of sessions, excluding sub-agent sessions. Here is the number of those
	// sessions that ran in the project.
	Sessions, Here int
	// Bytes is the total size of the files read.
	Bytes int64
	Used  map[Used]Uses
	// OffersSkills and OffersAgents report whether the sessions contain listings of skills and
	// agents.
	OffersSkills, OffersAgents bool
	Diagnostics                []diag.Diagnostic
}

// CountOptions configures [Count].
type CountOptions struct {
	// Home is the user's home directory. Getenv looks up the variables that
	// relocate the hosts' directories.
	Home   string
	Getenv func(string) string
	// Project is the absolute path of the project. Sessions that ran in it are counted separately.
	Project string
	// Since excludes earlier events.
	Since time.Time
	// Step is called after each file. It may be nil.
	Step func(done, total int)
}

// Count reads a host's sessions on this machine and counts how often each definition was offered
// and invoked. Files that cannot be read are reported as diagnostics; Count fails only if ctx is
// done. If a host has no session directory, its usage is empty.
func Count(ctx context.Context, at *host.Sessions, o CountOptions) (*Usage, error) {
	i := slices.IndexFunc(formats, func(f format) bool { return f.name == at.Format })
	u := &Usage{Used: map[Used]Uses{}}
	dir := path.Join(o.Home, at.Dir)
	if moved := o.Getenv(at.Env); moved != "" {
		dir = path.Join(moved, at.Moved)
	}
	if i < 0 || !vfs.IsAbs(dir) {
		return u, nil
	}
	tree, err := vfs.Open(dir, vfs.Options{HardLinks: true})
	if err != nil {
		return u, nil
	}
	defer tree.Close()
	c := counter{CountOptions: o, format: &formats[i], tree: tree, usage: u, seen: map[string]bool{}}
	for _, pattern := range at.Files {
		c.find(".", strings.Split(pattern, "/"))
	}
	return u, c.read(ctx)
}

// counter counts the definitions used in one host's sessions.
type counter struct {
	CountOptions
	format *format
	tree   *vfs.Tree
	usage  *Usage
	files  []sessionFile
	// seen holds the IDs of invocations. A resumed session repeats its invocations in another file.
	seen map[string]bool
}

type sessionFile struct {
	name    string
	size    int64
	changed time.Time
}

// find adds the files that match pattern. Each element of pattern matches one directory level.
func (c *counter) find(dir string, pattern []string) {
	infos, more, err := c.tree.ReadDirInfo(dir, maxSessions)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.report(dir, diag.FileUnreadable, "cannot be read: %v", vfs.WithoutPath(err))
	}
	if more {
		c.report(dir, diag.TranscriptLimit, "too many entries; only the first %d were read", maxSessions)
	}
	for _, info := range infos {
		name := path.Join(dir, info.Name())
		switch ok, _ := path.Match(pattern[0], info.Name()); {
		case !ok:
		case len(pattern) > 1 && info.IsDir():
			c.find(name, pattern[1:])
		case len(pattern) == 1 && info.Mode().IsRegular() && !info.ModTime().Before(c.Since):
			c.files = append(c.files, sessionFile{name, info.Size(), info.ModTime()})
		}
	}
}

func (c *counter) report(file string, code diag.Code, message string, args ...any) {
	if n := len(c.usage.Diagnostics); n < maxDiagnostics {
		c.usage.Diagnostics = append(c.usage.Diagnostics, diag.For(c.tree.Path(file), code, message, args...))
	}
}

// read reads the files in parallel, and adds up their uses of definitions in order of the files'
// modification times.
func (c *counter) read(ctx context.Context) error {
	slices.SortFunc(c.files, func(a, b sessionFile) int {
		return cmp.Or(a.changed.Compare(b.changed), strings.Compare(a.name, b.name))
	})
	if over := len(c.files) - maxSessions; over > 0 {
		c.files = c.files[over:]
		c.report(".", diag.TranscriptLimit, "too many sessions; only the newest %d were read", maxSessions)
	}
	results := make([][]*session, len(c.files))
	problems := make([]error, len(c.files))
	var done atomic.Int64
	err := catalog.Parallel(len(c.files), func(i int) error {
		results[i], problems[i] = c.file(ctx, c.files[i].name)
		if n := done.Add(1); c.Step != nil {
			c.Step(int(n), len(c.files))
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	for i, f := range c.files {
		c.usage.Bytes += f.size
		if problems[i] != nil {
			c.report(f.name, diag.FileUnreadable, "cannot be read: %v", vfs.WithoutPath(problems[i]))
		}
		for _, s := range results[i] {
			c.add(f.name, s)
		}
	}
	return nil
}

// file returns the sessions in one file.
func (c *counter) file(ctx context.Context, name string) (list []*session, err error) {
	in, err := c.tree.OpenFile(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if c.format.database != nil {
		var wal io.ReaderAt
		if log, err := c.tree.OpenFile(name + "-wal"); err == nil {
			defer log.Close()
			wal = log
		}
		err = c.format.database(ctx, in, wal, c.Since, func(s *session) { list = append(list, s) })
		return list, err
	}
	s := &session{format: c.format.name, calls: map[string]*call{}}
	return []*session{s}, c.lines(ctx, s, in)
}

// lines reads the first lines of a session, and all further lines that contain one of the format's
// marks.
func (c *counter) lines(ctx context.Context, s *session, in io.Reader) error {
	t, _, err := openText(in, countSize)
	if err != nil {
		return err
	}
	var marks [][]byte
	for _, m := range c.format.marks {
		marks = append(marks, []byte(m))
	}
	read := c.format.reader(s)
	return s.lines(ctx, t, func(line []byte, n int) {
		if n > headLines && !slices.ContainsFunc(marks, func(mark []byte) bool { return bytes.Contains(line, mark) }) {
			return
		}
		read(line, n)
		// Discard the parts that are needed only for drafts.
		s.items, s.lineage, s.kept = nil, nil, 0
		clear(s.calls)
	})
}

func (c *counter) add(file string, s *session) {
	for _, n := range s.notes {
		if n.code == diag.TranscriptLine || n.code == diag.TranscriptLimit {
			c.report(file, n.code, "omitted: %s (%d)", n.what, n.count)
		}
	}
	here := c.isHere(s)
	if s.main {
		c.usage.Sessions++
		if here {
			c.usage.Here++
		}
	}
	offered := map[Used]bool{}
	for _, x := range s.uses {
		if x.at.Before(c.Since) {
			continue
		}
		x.Here = here
		uses := c.usage.Used[x.Used]
		switch {
		case x.offered:
			c.usage.OffersSkills = c.usage.OffersSkills || !x.Agent
			c.usage.OffersAgents = c.usage.OffersAgents || x.Agent
			if !s.main || offered[x.Used] {
				continue
			}
			offered[x.Used] = true
			uses.Offered++
		case x.id != "" && c.seen[x.id]:
			continue
		default:
			if x.id != "" {
				c.seen[x.id] = true
			}
			uses.Invoked++
			if x.at.After(uses.Last) {
				uses.Last = x.at
			}
		}
		c.usage.Used[x.Used] = uses
	}
}

// isHere reports whether the session ran in the project or in a directory below it.
func (c *counter) isHere(s *session) bool {
	if c.Project == "" {
		return false
	}
	if s.dir == "" {
		sum := sha256.Sum256([]byte(c.Project))
		return s.dirHash == hex.EncodeToString(sum[:])
	}
	dir := strings.ReplaceAll(s.dir, `\`, "/")
	return dir == c.Project || strings.HasPrefix(dir, strings.TrimSuffix(c.Project, "/")+"/")
}
