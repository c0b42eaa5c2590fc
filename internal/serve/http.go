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

// HTTPOptions controls which clients may use the server over HTTP.
type HTTPOptions struct {
	// Token is the required bearer token. If it is empty, every client is
	// allowed, which is safe only on the loopback interface.
	Token string
	// Hosts lists allowed host names in addition to loopback names and IP addresses.
	Hosts []string
	// Origins lists allowed web origins in addition to the server's own.
	Origins []string
}

// Limits on HTTP requests and connections.
const (
	maxBody     = 4 << 20
	maxHeader   = 64 << 10
	headerTime  = 5 * time.Second
	readTime    = 30 * time.Second
	idleTime    = 30 * time.Second
	writeMargin = 15 * time.Second
	// refuseTime limits how long a request waits for a slot. It also limits how long the server
	// reads the body of a refused request.
	refuseTime = time.Second
	// shutdownTime is how long requests in progress may take to finish during shutdown.
	shutdownTime = 10 * time.Second

	maxConnections = 1024
	maxRunning     = 64
	maxStreams     = 64
	maxPages       = 16
)

// web is the HTTP front end of a Server.
type web struct {
	s       *Server
	options HTTPOptions
	token   [sha256.Size]byte
	// calls, streams and pages are semaphores with one slot per request.
	calls, streams, pages chan struct{}
}

// healthPattern matches the only route that needs neither a token nor a slot.
const healthPattern = "GET /healthz"

// Handler returns a handler for all HTTP routes: MCP at /mcp, /healthz,
// /metrics, and the site with the project's skills.
func (s *Server) Handler(o HTTPOptions) http.Handler {
	w := &web{
		s: s, options: o, token: sha256.Sum256([]byte(o.Token)),
		calls: make(chan struct{}, maxRunning), streams: make(chan struct{}, maxStreams),
		pages: make(chan struct{}, maxPages),
	}
	mux := http.NewServeMux()
	mux.HandleFunc(healthPattern, s.health)
	server := func(*http.Request) *mcp.Server { return s.mcp }
	mux.Handle("/mcp", w.protocol(mcp.NewStreamableHTTPHandler(server, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, PropagateRequestCancellation: true, Logger: slog.New(slog.DiscardHandler),
		// guard checks the Host header instead; it honors --allow-host.
		DisableLocalhostProtection: true,
	})))
	mux.Handle("GET /metrics", w.page(s.meter))
	site := &site{s: s, market: publish.MarketplaceOf(s.root)}
	for _, pattern := range site.patterns() {
		mux.Handle(pattern, w.page(site))
	}
	return w.guard(mux)
}

// ServeHTTP serves on l until ctx is done. It then closes the listener, ends all streams, and gives
// requests in progress up to shutdownTime to finish.
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

// httpServer returns an http.Server with all limits set. Streams are exempt from the write timeout.
func (s *Server) httpServer(o HTTPOptions) *http.Server {
	var connections atomic.Int64
	return &http.Server{
		Handler: s.Handler(o), ReadHeaderTimeout: headerTime, ReadTimeout: readTime,
		WriteTimeout: s.options.Timeout + writeMargin, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
		// guard must see every request.
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

// health answers health checks without revealing anything else.
func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if s.closing.Err() != nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, "shutting down\n")
		return
	}
	_, _ = io.WriteString(w, "ok\n")
}

// guard returns a handler that rejects requests with a wrong host, origin or token, or with an
// unexpected body. A client without the token cannot find out which routes exist.
func (w *web) guard(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		h := rw.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Content-Security-Policy", "default-src 'none'")
		_, pattern := mux.Handler(r)
		switch {
		case !w.validHost(r):
			w.refuse(rw, r, "host", http.StatusForbidden, "host name not allowed; allow it with --allow-host")
			return
		case !w.validOrigin(r):
			w.refuse(rw, r, "origin", http.StatusForbidden, "origin not allowed; allow it with --allow-origin")
			return
		case pattern != healthPattern && !w.authorized(r):
			reason, challenge, text := "no-token", "Bearer", "missing token; send the header Authorization: Bearer TOKEN"
			if token := bearerToken(r); token != "" {
				reason, challenge, text = "wrong-token", `Bearer error="invalid_token"`, "wrong token"
				if strings.HasPrefix(token, "$") {
					text = "the token is a variable name; configure the client to insert the variable's value"
				}
			}
			h.Set("WWW-Authenticate", challenge)
			w.refuse(rw, r, reason, http.StatusUnauthorized, text)
			return
		case r.ContentLength != 0 && r.Method != http.MethodPost:
			w.refuse(rw, r, "body", http.StatusBadRequest, "only POST requests may have a body")
			return
		case pattern == "":
			w.logRefusal(r, "path")
		}
		mux.ServeHTTP(rw, r)
	})
}

// acquireSlot waits for a slot and returns a function that releases it. If no
// slot is free within refuseTime, it refuses the request and returns nil.
func (w *web) acquireSlot(rw http.ResponseWriter, r *http.Request, slots chan struct{}) (release func()) {
	select {
	case slots <- struct{}{}:
		w.s.meter.add(metricRunning, "", 1)
		return func() { w.s.meter.add(metricRunning, "", -1); <-slots }
	case <-time.After(refuseTime):
		rw.Header().Set("Retry-After", "1")
		w.refuse(rw, r, "busy", http.StatusServiceUnavailable, "too many concurrent requests; try again later")
		return nil
	}
}

// page returns a handler that limits how many pages are served concurrently.
func (w *web) page(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if release := w.acquireSlot(rw, r, w.pages); release != nil {
			defer release()
			next.ServeHTTP(rw, r)
		}
	})
}

// protocol returns a handler that reads and checks the request body, and limits how many MCP
// requests are served concurrently. Streams have separate slots, so they cannot starve other
// requests.
func (w *web) protocol(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		// In protocol revisions that have streams, the SDK verifies that this header matches the
		// method.
		stream := r.Header.Get("Mcp-Method") == listen && r.Header.Get("Mcp-Protocol-Version") >= typedResults
		slots := w.calls
		if stream {
			slots = w.streams
		}
		release := w.acquireSlot(rw, r, slots)
		if release == nil {
			return
		}
		defer release()
		body, err := io.ReadAll(http.MaxBytesReader(rw, r.Body, maxBody))
		switch {
		case errors.As(err, new(*http.MaxBytesError)):
			w.refuse(rw, r, "body", http.StatusRequestEntityTooLarge, "the body is larger than 4 MiB")
			return
		case err != nil:
			w.refuse(rw, r, "body", http.StatusBadRequest, "cannot read the body")
			return
		case bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")):
			w.refuse(rw, r, "body", http.StatusBadRequest, "JSON-RPC batches are not supported; send one message per request")
			return
		}
		// Clear the read deadline; otherwise net/http would cancel the request when it expires.
		control := http.NewResponseController(rw)
		_ = control.SetReadDeadline(time.Time{})
		if stream {
			_ = control.SetWriteDeadline(time.Time{})
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(rw, r)
	})
}

// logRefusal counts and logs a refused request.
func (w *web) logRefusal(r *http.Request, reason string) {
	w.s.meter.add(metricRefused, fmt.Sprintf("reason=%q", reason), 1)
	w.s.logger.Warn("refused", "reason", reason, "path", cut(r.URL.Path, 100), "remote", r.RemoteAddr)
}

func (w *web) refuse(rw http.ResponseWriter, r *http.Request, reason string, status int, text string) {
	w.logRefusal(r, reason)
	// Do not wait for the rest of a refused request's body.
	rw.Header().Set("Connection", "close")
	_ = http.NewResponseController(rw).SetReadDeadline(time.Now().Add(refuseTime))
	http.Error(rw, text, status)
}

// validHost reports whether the Host header names this server. This prevents DNS rebinding: another
// site can point its own host name at this server but cannot forge an IP address.
func (w *web) validHost(r *http.Request) bool {
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

// validOrigin reports whether the requesting page is from the server itself or from an allowed
// origin. Clients other than browsers do not send an Origin header.
func (w *web) validOrigin(r *http.Request) bool {
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

// authorized reports whether the request has the correct token or no token is required. The
// comparison takes constant time.
func (w *web) authorized(r *http.Request) bool {
	sum := sha256.Sum256([]byte(bearerToken(r)))
	return w.options.Token == "" || subtle.ConstantTimeCompare(sum[:], w.token[:]) == 1
}

// bearerToken returns a request's bearer token, or "".
func bearerToken(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// hostName returns the host in a Host header or address, without its port, or
// "" if hostport is not valid.
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

// loopback reports whether a name or address refers to the loopback interface.
func loopback(name string) bool {
	if strings.EqualFold(name, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.Unmap().IsLoopback()
}

// CheckAddress describes the problem with a listen address, or returns "" if it is valid.
func CheckAddress(address string) string {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return "must be an address with a port"
	}
	if n, err := strconv.Atoi(port); err == nil && (n < 0 || n > 65535) {
		return "the port must be between 0 and 65535"
	}
	return ""
}

// Listen listens on a TCP address. If the address has no host, it uses
// 127.0.0.1. remote reports whether other machines can reach the listener.
func Listen(ctx context.Context, address string) (l net.Listener, remote bool, err error) {
	name, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, false, err
	}
	if name == "" {
		name = "127.0.0.1"
	}
	var c net.ListenConfig
	// Listen on exactly the given address: 0.0.0.0 must not include IPv6.
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
