package remote

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/vadehq/vade/diag"
)

// Listing is what is known of one server.
type Listing struct {
	Server *Server
	// Entries are what it offers, sorted by their URI; Extension: by the extension
	// for skills.
	Entries   []*Entry
	Extension bool
	// Problem says why there are none, nil where the server answered.
	Problem *Error
	// Diagnostics are what is wrong with single definitions.
	Diagnostics []diag.Diagnostic
	// Took is how long it took.
	Took time.Duration
}

// Set are the servers of one user, with the connections to them. A server is
// connected to when it is first asked, and once. It is safe for use by many
// goroutines.
type Set struct {
	world World
	links []*link
}

// link is one server of a set.
type link struct {
	server *Server
	mu     sync.Mutex
	// session is nil where there is no connection now.
	session *session
	listing *Listing
	closed  bool
}

// NewSet returns the set of some servers. It connects to none.
func NewSet(w World, servers []Server) *Set {
	s := &Set{world: w}
	for i := range servers {
		s.links = append(s.links, &link{server: &servers[i]})
	}
	return s
}

// Servers returns the servers of the set.
func (s *Set) Servers() []*Server {
	var list []*Server
	for _, l := range s.links {
		list = append(list, l.server)
	}
	return list
}

// Close ends all connections, side by side. It returns when nothing of them is
// left.
func (s *Set) Close() {
	var wait sync.WaitGroup
	for _, l := range s.links {
		wait.Go(func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.closed = true
			l.drop()
		})
	}
	wait.Wait()
}

// List asks all servers side by side what they offer, each once. The answer of one
// that fails says why. The error is that of ctx only.
func (s *Set) List(ctx context.Context) ([]*Listing, error) {
	list := make([]*Listing, len(s.links))
	var wait sync.WaitGroup
	for i, l := range s.links {
		wait.Go(func() { list[i] = l.list(ctx, &s.world) })
	}
	wait.Wait()
	return list, ctx.Err()
}

// ListServer is List for one server; false where none is named so.
func (s *Set) ListServer(ctx context.Context, name string) (*Listing, bool) {
	l := s.link(name)
	if l == nil {
		return nil, false
	}
	return l.list(ctx, &s.world), true
}

func (s *Set) link(name string) *link {
	for _, l := range s.links {
		if l.server.Name == name {
			return l
		}
	}
	return nil
}

// Get asks a server for a skill by its URI, which need not be listed.
func (s *Set) Get(ctx context.Context, server, uri string) (*Entry, error) {
	if _, _, _, ok := skillURI(uri); !ok {
		return nil, failed(diag.RemoteInvalid, "write SCHEME://PATH/NAME/SKILL.md", "%s is not the uri of a skill", short(uri))
	}
	var e *Entry
	err := s.use(ctx, server, func(c *session) (err error) {
		e, err = c.get(ctx, uri)
		return err
	})
	return e, err
}

// Read returns one file of a skill, verified: its length and digest are those of
// the list, and the fields of a SKILL.md too. A file that the list does not have is
// refused with REMOTE_UNLISTED and not asked for. Of a skill that is a bare
// resource nothing is known beforehand; whoever calls compares the digest.
func (s *Set) Read(ctx context.Context, e *Entry, uri string) ([]byte, error) {
	if e.Dynamic {
		return nil, failed(diag.RemoteDynamic, "ask whoever runs the server for a list of its files with digests", "%s does not say which files it has, so that nothing can be verified", e.Label())
	}
	listed := e.listed(uri)
	if listed == nil && (e.Via != ViaResource || uri != e.URI) {
		return nil, failed(diag.RemoteUnlisted, "name a file of the skill's list", "%s does not list %s", e.Label(), short(uri))
	}
	var data []byte
	kept := false
	if listed != nil {
		data, kept = s.world.Cache.get(listed.Digest, listed.Size)
	}
	if !kept {
		err := s.use(ctx, e.Server, func(c *session) (err error) {
			data, err = c.read(ctx, e, uri)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if listed == nil {
		return data, nil
	}
	if err := verify(listed, data); err != nil {
		return nil, err
	}
	if uri == e.URI {
		if err := compareFields(e, data); err != nil {
			return nil, err
		}
	}
	if !kept {
		// What can not be kept is read again the next time.
		_ = s.world.Cache.put(listed.Digest, data)
	}
	return data, nil
}

// Kept returns what was read at some time, without asking anybody.
func (s *Set) Kept(digest string, size int64) ([]byte, bool) { return s.world.Cache.get(digest, size) }

// Prompt returns the text of a prompt. Nothing is known of it beforehand.
func (s *Set) Prompt(ctx context.Context, e *Entry, args map[string]string) (string, error) {
	var text string
	err := s.use(ctx, e.Server, func(c *session) (err error) {
		text, err = c.prompt(ctx, e, args)
		return err
	})
	return text, err
}

// list asks the server, once. An answer that ctx broke off is asked for again.
func (l *link) list(ctx context.Context, w *World) *Listing {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.listing != nil {
		return l.listing
	}
	began := time.Now()
	out := &Listing{Server: l.server}
	var o *offer
	err := l.connect(ctx, w)
	if err == nil {
		if o, err = l.session.list(ctx); err != nil {
			l.drop()
		}
	}
	out.Took = time.Since(began)
	if err != nil {
		if !errors.As(err, &out.Problem) {
			out.Problem = failed(diag.RemoteDown, "try again", "the server was not asked to the end: %v", err)
		}
	} else {
		out.Entries, out.Extension, out.Diagnostics = o.entries, o.skills, o.diags
	}
	if ctx.Err() == nil {
		l.listing = out
	}
	return out
}

func (l *link) connect(ctx context.Context, w *World) error {
	if l.closed {
		return failed(diag.RemoteDown, "open it again", "the catalog is closed")
	}
	if l.session != nil {
		return nil
	}
	c, err := dial(ctx, w, l.server)
	if err != nil {
		return err
	}
	l.session = c
	return nil
}

func (l *link) drop() {
	if l.session != nil {
		l.session.close()
		l.session = nil
	}
}

// use does something with the connection to a server. One that broke since it was
// last used is made anew, once.
func (s *Set) use(ctx context.Context, server string, do func(*session) error) error {
	l := s.link(server)
	if l == nil {
		return failed(diag.RemoteUnknown, "name it in servers.yaml", "no server is named %s", short(server))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for again := l.session != nil; ; again = false {
		if err := l.connect(ctx, &s.world); err != nil {
			return err
		}
		err := do(l.session)
		var e *Error
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			l.drop()
			return fmt.Errorf("asking %s: %w", server, ctx.Err())
		case errors.As(err, &e) && (e.Code == diag.RemoteDown || e.Code == diag.RemoteRefused || e.Code == diag.RemoteSlow || e.Code == diag.RemoteLimit):
			l.drop()
			if !again || e.Code != diag.RemoteDown && e.Code != diag.RemoteRefused {
				return err
			}
		default:
			return err
		}
	}
}
