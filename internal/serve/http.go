package serve

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
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

// Page is a page of the HTTP server besides the protocol's.
type Page struct {
	Handler http.Handler
	// Open: the page needs no token.
	Open bool
}

// The limits of one HTTP request, and how many are answered at a time.
const (
	maxBody    = 4 << 20
	maxHeader  = 64 << 10
	headerTime = 5 * time.Second
	readTime   = 30 * time.Second
	idleTime   = 2 * time.Minute
	maxRunning = 256
	maxStreams = 64
	maxPages   = 32
	// maxGuests is how many connections there are at a time, refuseTime how long a body
	// is read that nothing is done with.
	maxGuests   = 1024
	refuseTime  = time.Second
	writeMargin = 15 * time.Second
)

// web answers HTTP requests.
type web struct {
	s       *Server
	options HTTPOptions
	token   [sha256.Size]byte
	// running, streams and pages have a place for each request.
	running, streams, pages chan struct{}
}

// Handler returns the pages: the protocol at /mcp, /healthz, /metrics, and those of
// extensions.
func (s *Server) Handler(o HTTPOptions) http.Handler {
	w := &web{
		s: s, options: o, token: sha256.Sum256([]byte(o.Token)),
		running: make(chan struct{}, maxRunning), streams: make(chan struct{}, maxStreams),
		pages: make(chan struct{}, maxPages),
	}
	protocol := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.mcp }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxBody, PropagateRequestCancellation: true,
		Logger: slog.New(slog.DiscardHandler),
		// guard looks at the Host itself, and knows the names that were allowed.
		DisableLocalhostProtection: true,
	})
	pages := map[string]Page{
		"/mcp": {Handler: w.limit(protocol)},
		// What asks whether the server is well is answered also while it is busy.
		"GET /healthz": {Open: true, Handler: w.bodiless(http.HandlerFunc(s.health))},
		"GET /metrics": {Handler: w.page(s.meter.page())},
	}
	for _, x := range s.extensions {
		for pattern, page := range x.Pages {
			pages[pattern] = Page{Open: page.Open, Handler: w.page(page.Handler)}
		}
	}
	mux := http.NewServeMux()
	for pattern, page := range pages {
		mux.Handle(pattern, page.Handler)
	}
	return w.guard(mux, func(r *http.Request) (there, open bool) {
		_, pattern := mux.Handler(r)
		page, there := pages[pattern]
		return there, page.Open
	})
}

// page is a page that reads no body, of which so many are answered at a time.
func (w *web) page(h http.Handler) http.Handler {
	next := w.bodiless(h)
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if leave := w.enter(rw, r, w.pages); leave != nil {
			defer leave()
			next.ServeHTTP(rw, r)
		}
	})
}

// bodiless reads a body that is short, for nothing, and refuses another one. It does not
// wait for one as long as others do, since some of its pages need no token.
func (w *web) bodiless(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(rw)
		_ = control.SetReadDeadline(time.Now().Add(refuseTime))
		if _, err := io.Copy(io.Discard, http.MaxBytesReader(rw, r.Body, maxHeader)); err != nil {
			w.refuse(rw, r, "body", http.StatusBadRequest, "this page takes no body")
			return
		}
		_ = control.SetReadDeadline(time.Time{})
		next.ServeHTTP(rw, r)
	})
}

// enter takes a place; leave, which gives it back, is nil where there is none.
func (w *web) enter(rw http.ResponseWriter, r *http.Request, places chan struct{}) (leave func()) {
	select {
	case places <- struct{}{}:
	default:
		rw.Header().Set("Retry-After", "1")
		w.refuse(rw, r, "busy", http.StatusServiceUnavailable, "too many requests at a time")
		return nil
	}
	w.s.meter.running.add(1)
	return func() { w.s.meter.running.add(-1); <-places }
}

// httpServer is the server with its limits: of the time for a whole request, and for a
// whole answer, which streams lift for themselves.
func (s *Server) httpServer(o HTTPOptions) *http.Server {
	return &http.Server{
		Handler: s.parting(s.Handler(o)), ReadHeaderTimeout: headerTime, ReadTimeout: readTime,
		WriteTimeout: s.options.Timeout + writeMargin, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
		// guard looks at all requests.
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     slog.NewLogLogger(s.logger.Handler(), slog.LevelWarn),
	}
}

// health says that the server answers, and nothing else.
func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if s.closing.Err() != nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, "ending\n")
		return
	}
	_, _ = io.WriteString(w, "ok\n")
}

// guard lets a request pass whose host, origin and token are right. Only a page that is
// open needs no token; who has none is not told either which pages there are.
func (w *web) guard(next http.Handler, find func(*http.Request) (there, open bool)) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		h := rw.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Content-Security-Policy", "default-src 'none'")
		if !w.host(r) {
			w.refuse(rw, r, "host", http.StatusForbidden, "this host name is not allowed; allow it with --allow-host")
			return
		}
		if !w.origin(r) {
			w.refuse(rw, r, "origin", http.StatusForbidden, "this origin is not allowed; allow it with --allow-origin")
			return
		}
		there, open := find(r)
		if !open && !w.known(r) {
			reason, challenge, text := "no-token", "Bearer", "send the server's token: Authorization: Bearer TOKEN"
			if scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " "); strings.EqualFold(scheme, "Bearer") && strings.TrimSpace(token) != "" {
				reason, challenge, text = "wrong-token", `Bearer error="invalid_token"`, "this is not the server's token"
				if strings.HasPrefix(strings.TrimSpace(token), "$") {
					text = "this is the name of a variable, not the server's token: the client has not put its value there"
				}
			}
			h.Set("WWW-Authenticate", challenge)
			w.refuse(rw, r, reason, http.StatusUnauthorized, text)
			return
		}
		if !there {
			w.tell(r, "path")
		}
		next.ServeHTTP(rw, r)
	})
}

// tell counts and logs who is refused.
func (w *web) tell(r *http.Request, reason string) {
	w.s.meter.refused.add(1, reason)
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
// can make a name of its own lead here; it can not make an address.
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
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && strings.EqualFold(u.Scheme+"://"+r.Host, values[0])
}

// known reports whether the request has the token. It takes the same time whatever
// is wrong with one.
func (w *web) known(r *http.Request) bool {
	if w.options.Token == "" {
		return true
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	sum := sha256.Sum256([]byte(strings.TrimSpace(token)))
	return subtle.ConstantTimeCompare(sum[:], w.token[:]) == 1 && strings.EqualFold(scheme, "Bearer")
}

// limit reads the body of a request within its limits and lets so many be answered
// at a time. Streams have places of their own, so that they can not fill the others.
func (w *web) limit(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(rw)
		places, stream := w.running, r.Header.Get("Mcp-Method") == listen
		if stream {
			places = w.streams
		}
		leave := w.enter(rw, r, places)
		if leave == nil {
			return
		}
		defer leave()
		_ = control.SetReadDeadline(time.Now().Add(readTime))
		body, err := io.ReadAll(http.MaxBytesReader(rw, r.Body, maxBody))
		if err != nil {
			status := http.StatusBadRequest
			if errors.As(err, new(*http.MaxBytesError)) {
				status = http.StatusRequestEntityTooLarge
			}
			w.refuse(rw, r, "body", status, "the body can not be read, or is longer than 4 MiB")
			return
		}
		var method string
		if r.Method == http.MethodPost {
			found, list, err := messagesOf(body)
			if err != nil {
				w.unreadable(rw, r, err)
				return
			}
			if !list {
				method = found[0].method
			}
		}
		if stream && method != listen {
			w.refuse(rw, r, "body", http.StatusBadRequest, "the header Mcp-Method names another method than the body")
			return
		}
		_ = control.SetReadDeadline(time.Time{})
		until := time.Time{}
		if !stream {
			until = time.Now().Add(w.s.options.Timeout + writeMargin)
		}
		_ = control.SetWriteDeadline(until)
		r.Body = io.NopCloser(bytes.NewReader(body))
		ctx, end := withAnswering(r.Context())
		defer end()
		next.ServeHTTP(plainWriter{rw}, r.WithContext(ctx))
	})
}

// hostName is the name of a host without its port, "" for what is no host.
func hostName(hostport string) string {
	name, port := hostport, "0"
	if strings.HasPrefix(name, "[") {
		end := strings.IndexByte(name, ']')
		if end < 0 || strings.Contains(name, "%") {
			return ""
		}
		if rest := name[end+1:]; rest != "" {
			if rest[0] != ':' {
				return ""
			}
			port = rest[1:]
		}
		name = name[1:end]
	} else if i := strings.LastIndexByte(name, ':'); i >= 0 && strings.Count(name, ":") == 1 {
		name, port = name[:i], name[i+1:]
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return ""
	}
	return name
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
	// A listener for several paths can not be told to let nobody else in; see door.
	c.SetMultipathTCP(false)
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
