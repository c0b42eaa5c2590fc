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

// errTooMuch is the error of reading more than an operation may cost.
var errTooMuch = errors.New("the server sends more than is read")

// budget is how many bytes a server may still send for what is asked.
type budget struct {
	left atomic.Int64
	// spent: it was exceeded once.
	spent atomic.Bool
}

// allow begins an operation that may cost so many bytes.
func (b *budget) allow(n int64) { b.left.Store(n) }

// read reads within the budget.
func (b *budget) read(r io.Reader, p []byte) (int, error) {
	left := b.left.Load()
	if left <= 0 {
		b.spent.Store(true)
		return 0, errTooMuch
	}
	n, err := r.Read(p[:min(int64(len(p)), left)])
	b.left.Add(-int64(n))
	return n, err
}

// metered is a stream within a budget.
type metered struct {
	io.ReadCloser
	budget *budget
}

// Read implements [io.Reader].
func (m metered) Read(p []byte) (int, error) { return m.budget.read(m.ReadCloser, p) }

// gate sends the requests of one session: to one address only, so that no secret
// goes elsewhere, within the budget, and for as long as the session lives.
type gate struct {
	base   *http.Transport
	life   context.Context
	budget *budget
	scheme string
	host   string
	header http.Header
	// status is that of the last answer, where it is none of success; else 0.
	status atomic.Int64
	// answered: to the last request something came back, and did not break off.
	answered atomic.Bool
}

// newHTTP returns a client for one address.
func newHTTP(life context.Context, s *Server, header http.Header, b *budget) (*http.Client, *gate, error) {
	u, err := url.Parse(s.URL)
	if err != nil {
		return nil, nil, err
	}
	g := &gate{
		life: life, budget: b, header: header, scheme: u.Scheme, host: u.Host,
		base: &http.Transport{
			Proxy: http.ProxyFromEnvironment, MaxResponseHeaderBytes: 64 << 10, TLSHandshakeTimeout: s.deadline(),
			IdleConnTimeout: 30 * time.Second, MaxIdleConnsPerHost: 2, ForceAttemptHTTP2: true,
		},
	}
	client := &http.Client{Transport: g, CheckRedirect: func(*http.Request, []*http.Request) error {
		return errors.New("the server leads to another address")
	}}
	return client, g, nil
}

// RoundTrip implements [http.RoundTripper].
func (g *gate) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != g.scheme || r.URL.Host != g.host {
		return nil, errors.New("the server leads to another address")
	}
	ctx, cancel := context.WithCancel(r.Context())
	stop := context.AfterFunc(g.life, cancel)
	end := func() { stop(); cancel() }
	r = r.Clone(ctx)
	for name, values := range g.header {
		r.Header[name] = values
	}
	g.status.Store(0)
	g.answered.Store(false)
	r = r.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotFirstResponseByte: func() { g.answered.Store(true) }}))
	resp, err := g.base.RoundTrip(r)
	if err != nil {
		end()
		return nil, err
	}
	if resp.StatusCode >= http.StatusMultipleChoices {
		g.status.Store(int64(resp.StatusCode))
	}
	resp.Body = &ended{ReadCloser: metered{resp.Body, g.budget}, gate: g, end: end}
	return resp, nil
}

// ended is a body that gives back what its request holds.
type ended struct {
	io.ReadCloser
	gate *gate
	end  func()
	once sync.Once
}

// Read implements [io.Reader].
func (e *ended) Read(p []byte) (int, error) {
	n, err := e.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		e.gate.answered.Store(false)
	}
	return n, err
}

// Close implements [io.Closer].
func (e *ended) Close() error {
	err := e.ReadCloser.Close()
	e.once.Do(e.end)
	return err
}
