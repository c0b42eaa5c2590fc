package serve

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/vadehq/vade/internal/publish"
)

// HTTPOptions say who may ask over HTTP.
type HTTPOptions struct {
	// Token is what a client has to send as a bearer; "" lets everybody ask, which
	// is for the loopback interface only.
	Token string
	// Hosts are names, besides those of the loopback interface and addresses, by
	// which clients reach the server.
	Hosts []string
	// Origins are the origins of web pages that may ask, besides the server's own.
	Origins []string
}

// The limits of HTTP requests and connections.
const (
	maxBody     = 4 << 20
	maxHeader   = 64 << 10
	headerTime  = 5 * time.Second
	readTime    = 30 * time.Second
	idleTime    = 30 * time.Second
	writeMargin = 15 * time.Second
	// refuseTime is how long a request waits for a place, and how long the body of one
	// that is refused is read.
	refuseTime = time.Second
	// shutdownTime is how long requests have to finish when the server ends.
	shutdownTime = 10 * time.Second

	maxConnections = 1024
	maxRunning     = 64
	maxStreams     = 64
	maxPages       = 16
)

// web answers HTTP requests.
type web struct {
	s       *Server
	options HTTPOptions
	token   [sha256.Size]byte
	// running, streams and pages are semaphores with a place for each request.
	running, streams, pages chan struct{}
}

// healthPattern is the only page that needs no token and no place.
const healthPattern = "GET /healthz"

// Handler returns the pages: the protocol at /mcp, /healthz, /metrics, and the site of the
// project's skills.
func (s *Server) Handler(o HTTPOptions) http.Handler {
	w := &web{
		s: s, options: o, token: sha256.Sum256([]byte(o.Token)),
		running: make(chan struct{}, maxRunning), streams: make(chan struct{}, maxStreams),
		pages: make(chan struct{}, maxPages),
	}
	mux := http.NewServeMux()
	mux.HandleFunc(healthPattern, s.health)
	server := func(*http.Request) *mcp.Server { return s.mcp }
	mux.Handle("/mcp", w.protocol(mcp.NewStreamableHTTPHandler(server, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, PropagateRequestCancellation: true, Logger: slog.New(slog.DiscardHandler),
		// guard checks the Host itself, and knows the allowed names.
		DisableLocalhostProtection: true,
	})))
	mux.Handle("GET /metrics", w.page(s.meter))
	site := &site{s: s, market: publish.MarketOf(s.root)}
	for _, pattern := range site.patterns() {
		mux.Handle(pattern, w.page(site))
	}
	return w.guard(mux)
}

// ServeHTTP serves on a listener until ctx ends. Then the listener is closed, streams end,
// and requests that are being answered have some seconds to finish.
func (s *Server) ServeHTTP(ctx context.Context, l net.Listener, o HTTPOptions) error {
	server := s.httpServer(o)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	s.close()
	finish, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	err := server.Shutdown(finish)
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close()
	}
	return err
}

// httpServer is the server with its limits. Streams lift that of writing for themselves.
func (s *Server) httpServer(o HTTPOptions) *http.Server {
	var connections atomic.Int64
	return &http.Server{
		Handler: s.Handler(o), ReadHeaderTimeout: headerTime, ReadTimeout: readTime,
		WriteTimeout: s.options.Timeout + writeMargin, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
		// guard checks all requests.
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     slog.NewLogLogger(s.logger.Handler(), slog.LevelWarn),
		ConnState: func(c net.Conn, state http.ConnState) {
			switch state {
			case http.StateNew:
				if connections.Add(1) > maxConnections {
					s.meter.add(metricRefused, `reason="connections"`, 1)
					c.Close()
				}
			case http.StateClosed, http.StateHijacked:
				connections.Add(-1)
			}
		},
	}
}

// health reports that the server answers, and nothing else.
func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if s.closing.Err() != nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, "ending\n")
		return
	}
	_, _ = io.WriteString(w, "ok\n")
}

// guard passes on requests whose host, origin and token are right. Without the token a
// client does not learn which pages exist.
func (w *web) guard(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		h := rw.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Content-Security-Policy", "default-src 'none'")
		_, pattern := mux.Handler(r)
		switch {
		case !w.host(r):
			w.refuse(rw, r, "host", http.StatusForbidden, "this host name is not allowed; allow it with --allow-host")
			return
		case !w.origin(r):
			w.refuse(rw, r, "origin", http.StatusForbidden, "this origin is not allowed; allow it with --allow-origin")
			return
		case pattern != healthPattern && !w.known(r):
			reason, challenge, text := "no-token", "Bearer", "send the server's token: Authorization: Bearer TOKEN"
			if token := bearerToken(r); token != "" {
				reason, challenge, text = "wrong-token", `Bearer error="invalid_token"`, "this is not the server's token"
				if strings.HasPrefix(token, "$") {
					text = "this is the name of a variable, not the server's token: the client did not insert its value"
				}
			}
			h.Set("WWW-Authenticate", challenge)
			w.refuse(rw, r, reason, http.StatusUnauthorized, text)
			return
		case r.ContentLength != 0 && r.Method != http.MethodPost:
			w.refuse(rw, r, "body", http.StatusBadRequest, "only POST takes a body")
			return
		case pattern == "":
			w.tell(r, "path")
		}
		mux.ServeHTTP(rw, r)
	})
}

// enter takes a place; leave gives it back. It is nil if there was none in time.
func (w *web) enter(rw http.ResponseWriter, r *http.Request, places chan struct{}) (leave func()) {
	select {
	case places <- struct{}{}:
		w.s.meter.add(metricRunning, "", 1)
		return func() { w.s.meter.add(metricRunning, "", -1); <-places }
	case <-time.After(refuseTime):
		rw.Header().Set("Retry-After", "1")
		w.refuse(rw, r, "busy", http.StatusServiceUnavailable, "too many requests at a time")
		return nil
	}
}

// page limits how many pages are answered at a time.
func (w *web) page(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if leave := w.enter(rw, r, w.pages); leave != nil {
			defer leave()
			next.ServeHTTP(rw, r)
		}
	})
}

// protocol reads the body of a request within its limits, and limits how many are
// answered at a time. Streams have places of their own, so that they cannot take those of
// the others.
func (w *web) protocol(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		// The SDK checks that the header names the method, in revisions that have streams.
		stream := r.Header.Get("Mcp-Method") == listen && r.Header.Get("Mcp-Protocol-Version") >= typedResults
		places := w.running
		if stream {
			places = w.streams
		}
		leave := w.enter(rw, r, places)
		if leave == nil {
			return
		}
		defer leave()
		body, err := io.ReadAll(http.MaxBytesReader(rw, r.Body, maxBody))
		switch {
		case errors.As(err, new(*http.MaxBytesError)):
			w.refuse(rw, r, "body", http.StatusRequestEntityTooLarge, "the body is longer than 4 MiB")
			return
		case err != nil:
			w.refuse(rw, r, "body", http.StatusBadRequest, "the body cannot be read")
			return
		case bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")):
			w.refuse(rw, r, "body", http.StatusBadRequest, "send one message per request; lists of messages are not supported")
			return
		}
		// The time to read is over: while it is limited, the end of it cancels the request.
		control := http.NewResponseController(rw)
		_ = control.SetReadDeadline(time.Time{})
		if stream {
			_ = control.SetWriteDeadline(time.Time{})
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(rw, r)
	})
}

// tell counts and logs who is refused.
func (w *web) tell(r *http.Request, reason string) {
	w.s.meter.add(metricRefused, fmt.Sprintf("reason=%q", reason), 1)
	w.s.logger.Warn("refused", "reason", reason, "path", cut(r.URL.Path, 100), "remote", r.RemoteAddr)
}

func (w *web) refuse(rw http.ResponseWriter, r *http.Request, reason string, status int, text string) {
	w.tell(r, reason)
	// The body of a request that is refused is not waited for.
	rw.Header().Set("Connection", "close")
	_ = http.NewResponseController(rw).SetReadDeadline(time.Now().Add(refuseTime))
	http.Error(rw, text, status)
}

// host reports whether the request was meant for this server. A page of another site
// can make a name of its own lead here; it cannot make an address.
func (w *web) host(r *http.Request) bool {
	name := hostName(r.Host)
	if name == "" {
		return false
	}
	if slices.ContainsFunc(w.options.Hosts, func(h string) bool { return strings.EqualFold(h, name) }) {
		return true
	}
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok && !loopback(hostName(local.String())) {
		_, err := netip.ParseAddr(name)
		return err == nil || strings.EqualFold(name, "localhost")
	}
	return loopback(name)
}

// origin reports whether the page that asks is the server's own, or allowed.
// Programs that are no browsers say no origin.
func (w *web) origin(r *http.Request) bool {
	values := r.Header.Values("Origin")
	if len(values) == 0 {
		return true
	}
	if len(values) > 1 {
		return false
	}
	if slices.Contains(w.options.Origins, values[0]) {
		return true
	}
	u, err := url.Parse(values[0])
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	return u.Host != "" && strings.EqualFold(u.Scheme+"://"+r.Host, values[0])
}

// known reports whether the request has the token. It takes the same time whatever is
// wrong with one.
func (w *web) known(r *http.Request) bool {
	sum := sha256.Sum256([]byte(bearerToken(r)))
	return w.options.Token == "" || subtle.ConstantTimeCompare(sum[:], w.token[:]) == 1
}

// bearerToken returns the token of a request, "" if there is none.
func bearerToken(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// hostName is the name in a Host header or an address, without its port; "" if it is not
// valid.
func hostName(hostport string) string {
	u, err := url.Parse("http://" + hostport)
	if err != nil || u.Host != hostport || strings.HasSuffix(hostport, ":") || strings.Contains(hostport, "%") {
		return ""
	}
	if _, err := strconv.ParseUint(cmp.Or(u.Port(), "0"), 10, 16); err != nil {
		return ""
	}
	return u.Hostname()
}

// loopback reports whether a name or an address is that of this machine alone.
func loopback(name string) bool {
	if strings.EqualFold(name, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.Unmap().IsLoopback()
}

// BadAddress says what is wrong with an address to listen on, or "".
func BadAddress(address string) string {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return "it is no address with a port"
	}
	if n, err := strconv.Atoi(port); err == nil && (n < 0 || n > 65535) {
		return "there is no such port"
	}
	return ""
}

// Listen listens on an address. A port without a host is one of the loopback
// interface. remote says that others than this machine can reach it.
func Listen(ctx context.Context, address string) (l net.Listener, remote bool, err error) {
	name, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, false, err
	}
	if name == "" {
		name = "127.0.0.1"
	}
	var c net.ListenConfig
	// An address is listened on as it is written: 0.0.0.0 is not those of IPv6 too.
	network := "tcp"
	if ip, err := netip.ParseAddr(name); err == nil && ip.Is4() {
		network = "tcp4"
	}
	l, err = c.Listen(ctx, network, net.JoinHostPort(name, port))
	if err != nil {
		return nil, false, err
	}
	return l, !loopback(hostName(l.Addr().String())), nil
}
