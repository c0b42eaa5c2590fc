package remote

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/vadehq/vade/diag"
)

// Listing holds the definitions that one server lists, or the reason that listing failed.
type Listing struct {
	Server *Server
	// Entries are sorted by URI. Extension reports whether they were listed through the skills
	// extension.
	Entries   []*Entry
	Extension bool
	// Problem explains why the server could not be listed. It is nil if listing succeeded.
	Problem *Error
	// Diagnostics holds problems with individual definitions.
	Diagnostics []diag.Diagnostic
	// Took is the time that listing took.
	Took time.Duration
}

// Client holds the connections to a user's servers. It connects to a server on first use and keeps
// the connection. A Client is safe for concurrent use.
type Client struct {
	world Environment
	conns []*conn
}

// conn is a connection to one server.
type conn struct {
	server *Server
	mu     sync.Mutex
	// session is nil while not connected.
	session *session
	listing *Listing
	closed  bool
}

// NewClient returns a client for servers. It does not connect to them yet.
func NewClient(w Environment, servers []Server) *Client {
	s := &Client{world: w}
	for i := range servers {
		s.conns = append(s.conns, &conn{server: &servers[i]})
	}
	return s
}

// Servers returns the configured servers.
func (s *Client) Servers() []*Server {
	var list []*Server
	for _, l := range s.conns {
		list = append(list, l.server)
	}
	return list
}

// Close closes all connections in parallel and waits for them to finish.
func (s *Client) Close() {
	var wg sync.WaitGroup
	for _, l := range s.conns {
		wg.Go(func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.closed = true
			l.disconnect()
		})
	}
	wg.Wait()
}

// List lists the definitions on all servers in parallel. Each server is listed only once. If a
// server fails, its Listing holds the reason. List returns an error only if ctx is done.
func (s *Client) List(ctx context.Context) ([]*Listing, error) {
	list := make([]*Listing, len(s.conns))
	var wait sync.WaitGroup
	for i, l := range s.conns {
		wait.Go(func() { list[i] = l.list(ctx, &s.world) })
	}
	wait.Wait()
	return list, ctx.Err()
}

// ListServer lists one server's definitions. It returns false if the server is unknown.
func (s *Client) ListServer(ctx context.Context, name string) (*Listing, bool) {
	l := s.conn(name)
	if l == nil {
		return nil, false
	}
	return l.list(ctx, &s.world), true
}

func (s *Client) conn(name string) *conn {
	for _, l := range s.conns {
		if l.server.Name == name {
			return l
		}
	}
	return nil
}

// Get returns the entry of the skill with the given URI, which need not be listed.
func (s *Client) Get(ctx context.Context, server, uri string) (*Entry, error) {
	if _, _, _, ok := skillURI(uri); !ok {
		return nil, newError(diag.RemoteInvalid, "use SCHEME://PATH/NAME/SKILL.md", "%s is not a skill URI", truncate(uri))
	}
	var e *Entry
	err := s.withSession(ctx, server, func(c *session) (err error) {
		e, err = c.get(ctx, uri)
		return err
	})
	return e, err
}

// Read returns a skill's file after verifying that its size and digest, and for SKILL.md its
// fields, match the listing. It rejects unlisted files with REMOTE_UNLISTED without requesting
// them. If a skill is a plain resource, the server lists no size or digest for it, so the caller
// must check the digest of the returned data.
func (s *Client) Read(ctx context.Context, e *Entry, uri string) ([]byte, error) {
	if e.Dynamic {
		return nil, newError(diag.RemoteDynamic, "ask the server's operator to list the skill's files with digests", "cannot verify %s: the server does not list its files", e.Label())
	}
	listed := e.resource(uri)
	if listed == nil && (e.Via != FromResource || uri != e.URI) {
		return nil, newError(diag.RemoteUnlisted, "use a file that the skill lists", "%s does not list %s", e.Label(), truncate(uri))
	}
	var data []byte
	cached := false
	if listed != nil {
		data, cached = s.world.Cache.get(listed.Digest, listed.Size)
	}
	if !cached {
		err := s.withSession(ctx, e.Server, func(c *session) (err error) {
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
		if err := verifyFields(e, data); err != nil {
			return nil, err
		}
	}
	if !cached {
		// If caching fails, the file is downloaded again next time.
		_ = s.world.Cache.put(listed.Digest, data)
	}
	return data, nil
}

// Cached returns the cached file with the given digest and size, without contacting a server.
func (s *Client) Cached(digest string, size int64) ([]byte, bool) {
	return s.world.Cache.get(digest, size)
}

// Prompt returns a prompt's text, which cannot be verified.
func (s *Client) Prompt(ctx context.Context, e *Entry, args map[string]string) (string, error) {
	var text string
	err := s.withSession(ctx, e.Server, func(c *session) (err error) {
		text, err = c.prompt(ctx, e, args)
		return err
	})
	return text, err
}

// list lists the server's definitions. Later calls return the same result unless ctx was canceled.
func (l *conn) list(ctx context.Context, w *Environment) *Listing {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.listing != nil {
		return l.listing
	}
	began := time.Now()
	out := &Listing{Server: l.server}
	var found *listing
	err := l.connect(ctx, w)
	if err == nil {
		if found, err = l.session.list(ctx); err != nil {
			l.disconnect()
		}
	}
	out.Took = time.Since(began)
	if err != nil {
		if !errors.As(err, &out.Problem) {
			out.Problem = newError(diag.RemoteDown, "try again", "listing the server's definitions was interrupted: %v", err)
		}
	} else {
		out.Entries, out.Extension, out.Diagnostics = found.entries, found.skills, found.diags
	}
	if ctx.Err() == nil {
		l.listing = out
	}
	return out
}

func (l *conn) connect(ctx context.Context, w *Environment) error {
	if l.closed {
		return newError(diag.RemoteDown, "open the catalog again", "the catalog is closed")
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

func (l *conn) disconnect() {
	if l.session != nil {
		l.session.close()
		l.session = nil
	}
}

// withSession calls f with a session for the server. If f fails because an existing session is no
// longer usable, withSession reconnects and calls f once more.
func (s *Client) withSession(ctx context.Context, server string, f func(*session) error) error {
	l := s.conn(server)
	if l == nil {
		return newError(diag.RemoteUnknown, "add the server to servers.yaml", "unknown server %q", truncate(server))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for retry := l.session != nil; ; retry = false {
		if err := l.connect(ctx, &s.world); err != nil {
			return err
		}
		err := f(l.session)
		var e *Error
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			l.disconnect()
			return fmt.Errorf("waiting for the server %s: %w", server, ctx.Err())
		case errors.As(err, &e) && (e.Code == diag.RemoteDown || e.Code == diag.RemoteRefused ||
			e.Code == diag.RemoteSlow || e.Code == diag.RemoteLimit):
			l.disconnect()
			if !retry || e.Code != diag.RemoteDown && e.Code != diag.RemoteRefused {
				return err
			}
		default:
			return err
		}
	}
}
