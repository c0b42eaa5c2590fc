package remote

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

// errLimit is returned if a server sends more bytes than the operation allows.
var errLimit = errors.New("the server sent too much data")

// budget is the number of bytes that a server may still send during the current operation.
type budget struct {
	left atomic.Int64
	// exceeded reports whether the budget was ever exceeded.
	exceeded atomic.Bool
}

// reset starts an operation that may read n bytes.
func (b *budget) reset(n int64) { b.left.Store(n) }

// read reads from r within the budget.
func (b *budget) read(r io.Reader, p []byte) (int, error) {
	left := b.left.Load()
	if left <= 0 {
		b.exceeded.Store(true)
		return 0, errLimit
	}
	n, err := r.Read(p[:min(int64(len(p)), left)])
	b.left.Add(-int64(n))
	return n, err
}

// limitedBody is a stream limited by a budget.
type limitedBody struct {
	io.ReadCloser
	budget *budget
}

// Read implements [io.Reader].
func (m limitedBody) Read(p []byte) (int, error) { return m.budget.read(m.ReadCloser, p) }

// roundTripper sends a session's requests. To keep secrets from other hosts, it connects only to
// the configured host. It also enforces the budget and cancels requests when the session ends.
type roundTripper struct {
	base    *http.Transport
	session context.Context
	budget  *budget
	scheme  string
	host    string
	header  http.Header
	// status is the last response's HTTP status, or 0 if it was successful.
	status atomic.Int64
	// gotResponse reports whether the last request received a response that was not cut off.
	gotResponse atomic.Bool
}

// newHTTP returns an HTTP client for a single server.
func newHTTP(life context.Context, s *Server, header http.Header, b *budget) (*http.Client, *roundTripper, error) {
	u, err := url.Parse(s.URL)
	if err != nil {
		return nil, nil, err
	}
	g := &roundTripper{
		session: life, budget: b, header: header, scheme: u.Scheme, host: u.Host,
		base: &http.Transport{
			Proxy: http.ProxyFromEnvironment, MaxResponseHeaderBytes: 64 << 10, TLSHandshakeTimeout: s.timeout(),
			IdleConnTimeout: 30 * time.Second, MaxIdleConnsPerHost: 2, ForceAttemptHTTP2: true,
		},
	}
	client := &http.Client{Transport: g, CheckRedirect: func(*http.Request, []*http.Request) error {
		return errors.New("the server redirects to another URL")
	}}
	return client, g, nil
}

// RoundTrip implements [http.RoundTripper].
func (g *roundTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != g.scheme || r.URL.Host != g.host {
		return nil, errors.New("the server redirects to another URL")
	}
	ctx, cancel := context.WithCancel(r.Context())
	stop := context.AfterFunc(g.session, cancel)
	done := func() { stop(); cancel() }
	r = r.Clone(ctx)
	for name, values := range g.header {
		r.Header[name] = values
	}
	g.status.Store(0)
	g.gotResponse.Store(false)
	r = r.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotFirstResponseByte: func() { g.gotResponse.Store(true) }}))
	resp, err := g.base.RoundTrip(r)
	if err != nil {
		done()
		return nil, err
	}
	if resp.StatusCode >= http.StatusMultipleChoices {
		g.status.Store(int64(resp.StatusCode))
	}
	resp.Body = &trackedBody{ReadCloser: limitedBody{resp.Body, g.budget}, gate: g, done: done}
	return resp, nil
}

// trackedBody is a response body that releases its request's resources when closed.
type trackedBody struct {
	io.ReadCloser
	gate *roundTripper
	done func()
	once sync.Once
}

// Read implements [io.Reader].
func (e *trackedBody) Read(p []byte) (int, error) {
	n, err := e.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		e.gate.gotResponse.Store(false)
	}
	return n, err
}

// Close implements [io.Closer].
func (e *trackedBody) Close() error {
	err := e.ReadCloser.Close()
	e.once.Do(e.done)
	return err
}
