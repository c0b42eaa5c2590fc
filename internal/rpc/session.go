package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/version"
	"github.com/vadehq/vade/internal/vfs"
)

// openParams are the parameters of open.
type openParams struct {
	Protocol   int      `json:"protocol"`
	Dir        string   `json:"dir"`
	Host       string   `json:"host"`
	Home       string   `json:"home"`
	ManagedDir string   `json:"managedDir"`
	PluginDirs []string `json:"pluginDirs"`
	Nested     bool     `json:"nested"`
	// Isolated leaves out the user's own definitions.
	Isolated bool `json:"isolated"`
}

// Opened is the result of open.
type Opened struct {
	// Catalog is the number of the catalog in other requests.
	Catalog  int    `json:"catalog"`
	Protocol int    `json:"protocol"`
	Version  string `json:"version"`
}

// open opens a catalog.
func (s *Server) open(ctx context.Context, params json.RawMessage) (any, error) {
	// A newer protocol may have more parameters.
	var newer struct {
		Protocol json.Number `json:"protocol"`
	}
	if json.Unmarshal(params, &newer) == nil {
		if n, err := newer.Protocol.Int64(); err == nil && n > protocol {
			return nil, &Error{
				Code: codeProtocol, Message: fmt.Sprintf("vade %s does not know protocol %d", version.Number, n),
				Data: &ErrorData{Code: "NEWER_PROTOCOL", Hint: "update vade", Supported: []int{protocol}},
			}
		}
	}
	var p openParams
	if err := decode(params, &p); err != nil {
		return nil, err
	}
	if p.Protocol != protocol {
		return nil, invalidParams(fmt.Sprintf("the parameter protocol must be %d", protocol))
	}
	if _, ok := registry.Lookup(p.Host); p.Host != "" && !ok {
		err := catalog.UnknownHost(p.Host, catalog.Hosts())
		return nil, failure("UNKNOWN_HOST", strings.TrimPrefix(err.Error(), "vade: "), "")
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
			return nil, failure("NO_DIRECTORY", dir+": no such directory", "name an existing directory")
		}
		tree.Close()
	}
	c := newSession(o)
	if err := c.use(ctx, variant{}, func(*catalog.Catalog) error { return nil }); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.catalogs) == maxCatalogs {
		go c.close()
		return nil, failure("TOO_MANY_CATALOGS", fmt.Sprintf("%d catalogs are open", maxCatalogs), "close one first")
	}
	s.last++
	s.catalogs[s.last] = c
	return &Opened{Catalog: s.last, Protocol: protocol, Version: version.Number}, nil
}

// session is one catalog of a client. Commands open the same directory with different options, so
// it has up to one engine for each variant that was asked for.
type session struct {
	options catalog.Options

	mu      sync.Mutex
	engines map[variant]*catalog.Catalog
	// users counts the calls of use in progress. The last one closes the engines if closed is set.
	users  int
	closed bool
}

// variant are the options that depend on the method.
type variant struct {
	// remote adds the MCP servers of the user, and unread the files that the view does not read.
	remote, unread bool
}

func newSession(o catalog.Options) *session {
	return &session{options: o, engines: map[variant]*catalog.Catalog{}}
}

// use calls f with an engine, which stays open until f returns.
func (c *session) use(ctx context.Context, v variant, f func(*catalog.Catalog) error) error {
	engine, err := c.acquire(ctx, v)
	if err != nil {
		return err
	}
	defer c.release()
	return f(engine)
}

func (c *session) acquire(ctx context.Context, v variant) (*catalog.Catalog, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, unknownCatalog()
	}
	engine := c.engines[v]
	if engine == nil {
		o := c.options
		o.Remote, o.Unread = v.remote, v.unread
		var err error
		if engine, err = catalog.Open(ctx, o); err != nil {
			return nil, err
		}
		c.engines[v] = engine
	}
	c.users++
	return engine, nil
}

func (c *session) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.users--
	c.closeUnused()
}

func (c *session) closeUnused() {
	if c.closed && c.users == 0 {
		for _, engine := range c.engines {
			engine.Close()
		}
		c.engines = nil
	}
}

// close closes the engines after the calls in progress.
func (c *session) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.closeUnused()
}

func unknownCatalog() error {
	return failure("UNKNOWN_CATALOG", "no catalog with this number is open", "open one with the method open")
}
