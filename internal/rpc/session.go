package rpc

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/search"
	"github.com/vadehq/vade/internal/version"
	"github.com/vadehq/vade/internal/vfs"
	"github.com/vadehq/vade/internal/watch"
)

// openParams holds open's parameters.
type openParams struct {
	Protocol   int      `json:"protocol"`
	Dir        string   `json:"dir"`
	Host       string   `json:"host"`
	Home       string   `json:"home"`
	ManagedDir string   `json:"managedDir"`
	PluginDirs []string `json:"pluginDirs"`
	Nested     bool     `json:"nested"`
	// If Isolated is set, the user's own definitions are excluded.
	Isolated bool `json:"isolated"`
}

// Opened is the result of the method open.
type Opened struct {
	// Catalog is the number that identifies the catalog in other requests.
	Catalog  int    `json:"catalog"`
	Protocol int    `json:"protocol"`
	Version  string `json:"version"`
}

func open(ctx context.Context, s *Server, params json.RawMessage) (json.RawMessage, error) {
	// Check the protocol version first, because decode rejects parameters that a newer protocol
	// adds.
	var newer struct {
		Protocol json.Number `json:"protocol"`
	}
	if json.Unmarshal(params, &newer) == nil {
		if n, err := newer.Protocol.Int64(); err == nil && n > protocol {
			return nil, &Error{
				Code: codeProtocol, Message: fmt.Sprintf("vade %s does not support protocol %d", version.Number, n),
				Data: &ErrorData{Code: "NEWER_PROTOCOL", Hint: "update vade", Supported: []int{protocol}},
			}
		}
	}
	var p openParams
	if err := decode(params, &p); err != nil {
		return nil, err
	}
	if p.Protocol != protocol {
		return nil, invalidParams(fmt.Sprintf("parameter \"protocol\" must be %d", protocol))
	}
	p.Host = cmp.Or(p.Host, host.NeutralName)
	if err := knownHosts([]string{p.Host}); err != nil {
		return nil, err
	}
	o := s.options.Catalog
	o.As, o.Home, o.ManagedDir, o.Nested, o.ProjectOnly = p.Host, p.Home, p.ManagedDir, p.Nested, p.Isolated
	var err error
	if o.Dir, err = vfs.Absolute(p.Dir); err != nil {
		return nil, err
	}
	for _, dir := range p.PluginDirs {
		if dir, err = vfs.Absolute(dir); err != nil {
			return nil, err
		}
		o.PluginDirs = append(slices.Clip(o.PluginDirs), dir)
	}
	for _, dir := range append([]string{o.Dir}, o.PluginDirs...) {
		tree, err := vfs.Open(dir, vfs.Options{})
		if err != nil {
			problem := "no such directory"
			if !errors.Is(err, fs.ErrNotExist) {
				problem = "cannot open the directory: " + vfs.WithoutPath(err).Error()
			}
			return nil, failure("NO_DIRECTORY", dir+": "+problem, "specify an existing directory")
		}
		tree.Close()
	}
	c := &session{server: s, options: o, current: newEngines(), again: make(chan struct{}, 1), watches: map[int]<-chan struct{}{}}
	first, err := c.acquire(ctx, variant{})
	if err != nil {
		return nil, err
	}
	first.Release()
	if err := s.add(c); err != nil {
		c.close()
		return nil, err
	}
	return encode(Opened{Catalog: c.number, Protocol: protocol, Version: version.Number})
}

// add assigns a number to a session and starts watching the session's files.
func (s *Server) add(c *session) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.catalogs == nil {
		return canceled()
	}
	if len(s.catalogs) == maxCatalogs {
		return failure("TOO_MANY_CATALOGS", fmt.Sprintf("%d catalogs are already open", maxCatalogs), "close one first")
	}
	s.last++
	c.number = s.last
	s.catalogs[c.number] = c
	var ctx context.Context
	ctx, c.stop = context.WithCancel(context.Background())
	s.following.Go(func() { watch.Run(ctx, c, c.again, s.options.Logger) })
	return nil
}

// session returns the session with the given number.
func (s *Server) session(number int) (*session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.catalogs[number]; c != nil {
		return c, nil
	}
	return nil, unknownCatalog()
}

// closeCatalog answers the method close.
func closeCatalog(_ context.Context, s *Server, params json.RawMessage) (json.RawMessage, error) {
	var p inCatalog
	if err := decode(params, &p); err != nil {
		return nil, err
	}
	c, err := s.session(p.Catalog)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	delete(s.catalogs, p.Catalog)
	s.mu.Unlock()
	c.close()
	return encode(struct{}{})
}

// knownHosts returns an error if a host is unknown.
func knownHosts(names []string) error {
	for _, name := range names {
		if _, ok := registry.Lookup(name); !ok {
			err := catalog.UnknownHost(name, catalog.Hosts())
			return failure("UNKNOWN_HOST", strings.TrimPrefix(err.Error(), "vade: "), "")
		}
	}
	return nil
}

// session is a catalog opened by the client.
type session struct {
	server  *Server
	options catalog.Options
	number  int
	// stop ends the goroutine that watches the files. Sending a value on again makes that goroutine
	// reload the catalogs.
	stop  context.CancelFunc
	again chan struct{}

	// mu guards the engines. current is nil once the session is closed.
	mu      sync.Mutex
	current *engines

	// reloading guards the fields below and is held during a reload. known is nil if nothing is
	// being watched. watches maps each watch's number to a channel, which is closed once the
	// response with that number has been sent.
	reloading sync.Mutex
	known     snapshot
	watches   map[int]<-chan struct{}
}

// engines holds the catalogs opened for one state of the files. Methods open the same directory
// with different options, so there is a catalog for each variant that was requested.
type engines struct {
	began time.Time
	open  map[variant]*catalog.Catalog
	// users is the number of calls in progress. It is one higher while these are the session's
	// current engines.
	users int
	// index is the search index over the definitions of the one searchable variant. It is nil until
	// the first search.
	index *search.Index
}

func newEngines() *engines {
	return &engines{began: time.Now(), open: map[variant]*catalog.Catalog{}, users: 1}
}

// engine returns the catalog for a variant, and opens it if it is not open yet.
func (e *engines) engine(ctx context.Context, o catalog.Options, v variant) (*catalog.Catalog, error) {
	if e.open[v] == nil {
		o.Remote, o.Unread = !v.local, v.unread
		engine, err := catalog.Open(ctx, o)
		if err != nil {
			return nil, err
		}
		e.open[v] = engine
	}
	return e.open[v], nil
}

// release closes the engines after their last use.
func (e *engines) release() {
	if e.users--; e.users == 0 {
		for _, engine := range e.open {
			engine.Close()
		}
	}
}

// variant holds the options that depend on the method.
type variant struct {
	// local excludes the user's MCP servers. unread adds the files that the view does not read.
	local, unread bool
}

// index returns the search index for e, the catalog of a variant.
func (c *session) index(ctx context.Context, v variant, e *catalog.Catalog) (*search.Index, error) {
	c.mu.Lock()
	current := c.current
	if current != nil && current.open[v] == e && current.index != nil {
		defer c.mu.Unlock()
		return current.index, nil
	}
	c.mu.Unlock()
	all, err := e.List(ctx, catalog.Query{})
	if err != nil {
		return nil, err
	}
	x := search.New(all, search.DefaultWeights())
	x.KeepInMemory(search.Memory)
	c.mu.Lock()
	defer c.mu.Unlock()
	if current != nil && current.open[v] == e {
		current.index = x
	}
	return x, nil
}

// use calls f with the catalog for a variant, which stays open until f's result is encoded.
func (c *session) use(ctx context.Context, v variant, f func(*catalog.Catalog) (any, error)) (json.RawMessage, error) {
	engine, err := c.acquire(ctx, v)
	if err != nil {
		return nil, err
	}
	defer engine.Release()
	// Reread the policy first, so that a revoked permission takes effect immediately.
	if engine.Catalog.RefreshPolicy() {
		select {
		case c.again <- struct{}{}: // The policy decides which bundled definitions are active, so reload them.
		default:
		}
	}
	return encodeResult(f(engine.Catalog))
}

// with is like use, but simulates a host's session that was started with the given options and ID.
func (c *session) with(ctx context.Context, client catalog.ClientOptions, id string,
	f func(*catalog.Catalog) (any, error)) (json.RawMessage, error) {
	set := client.Switches()
	if id != "" {
		set |= host.SwitchSession
	}
	if set == 0 {
		return c.use(ctx, variant{local: true}, f)
	}
	p := c.profile()
	for _, w := range (set &^ p.Switches).Words() {
		return nil, invalidParams(fmt.Sprintf("parameter %q is not supported for host %s", strings.ToLower(w.Field[:1])+w.Field[1:], p.Name))
	}
	o := c.options
	o.Client, o.Session = client, id
	engine, err := catalog.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	defer engine.Close()
	return encodeResult(f(engine))
}

// profile returns the profile of the session's host.
func (c *session) profile() *host.Profile {
	p, _ := registry.Lookup(c.options.As)
	return p
}

func (c *session) neutral() bool { return c.profile().Name == host.NeutralName }

// everyHost returns the session's options without a host, for methods that open the views of
// several hosts.
func (c *session) everyHost() catalog.Options {
	o := c.options
	o.As = ""
	return o
}

// acquire returns the catalog for a variant, which stays open until it is released.
func (c *session) acquire(ctx context.Context, v variant) (watch.Loaded, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.current
	if e == nil {
		return watch.Loaded{}, unknownCatalog()
	}
	engine, err := e.engine(ctx, c.options, v)
	if err != nil {
		return watch.Loaded{}, err
	}
	e.users++
	release := func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		e.release()
	}
	return watch.Loaded{Catalog: engine, Began: e.began, Release: release}, nil
}

// replace replaces the engines unless the session is closed. The old engines are closed once their
// last call returns.
func (c *session) replace(fresh *engines) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.current == nil {
		fresh.release()
		return
	}
	c.current.release()
	c.current = fresh
}

// close stops watching the files, and closes the engines once the calls in progress are done.
func (c *session) close() {
	if c.stop != nil {
		c.stop()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.current != nil {
		c.current.release()
		c.current = nil
	}
}

func unknownCatalog() error {
	return failure("UNKNOWN_CATALOG", "no catalog with this number is open", "open one with the method \"open\"")
}
