package rpc

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/host"
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

// open answers the method open.
func open(ctx context.Context, s *Server, params json.RawMessage) (json.RawMessage, error) {
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
			return nil, failure("NO_DIRECTORY", dir+": no such directory", "name an existing directory")
		}
		tree.Close()
	}
	c := &session{options: o, engines: map[variant]*catalog.Catalog{}}
	if _, err := c.acquire(ctx, variant{}); err != nil {
		return nil, err
	}
	c.release()
	number, err := s.add(c)
	if err != nil {
		c.close()
		return nil, err
	}
	return encode(Opened{Catalog: number, Protocol: protocol, Version: version.Number})
}

// add numbers a session.
func (s *Server) add(c *session) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.catalogs) == maxCatalogs {
		return 0, failure("TOO_MANY_CATALOGS", fmt.Sprintf("%d catalogs are open", maxCatalogs), "close one first")
	}
	s.last++
	s.catalogs[s.last] = c
	return s.last, nil
}

// session returns the session with a number.
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

// use calls f with an engine, which stays open until the result of f is encoded.
func (c *session) use(ctx context.Context, v variant, f func(*catalog.Catalog) (any, error)) (json.RawMessage, error) {
	engine, err := c.acquire(ctx, v)
	if err != nil {
		return nil, err
	}
	defer c.release()
	return encodeResult(f(engine))
}

// with is like use, for a session of the host with these options and this ID.
func (c *session) with(ctx context.Context, client catalog.ClientOptions, id string, f func(*catalog.Catalog) (any, error)) (json.RawMessage, error) {
	set := host.SwitchesOf(client.SetFields())
	if id != "" {
		set |= host.SwitchSession
	}
	if set == 0 {
		return c.use(ctx, variant{}, f)
	}
	p := c.profile()
	for _, w := range (set &^ p.Switches).Words() {
		return nil, invalidParams(fmt.Sprintf("the %s view has no sessions with the parameter %s", p.Name, strings.ToLower(w.Field[:1])+w.Field[1:]))
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

// everyHost returns the options for methods that open the views of several hosts themselves.
func (c *session) everyHost() catalog.Options {
	o := c.options
	o.As = ""
	return o
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

// Changed are the parameters of the notification that the definitions of a watched catalog changed.
type Changed struct {
	Watch   int `json:"watch"`
	Catalog int `json:"catalog"`
	// Added, Removed and Changed are sorted by kind and name.
	Added   []Reference `json:"added"`
	Removed []Reference `json:"removed"`
	Changed []Reference `json:"changed"`
}

// Reference names a definition.
type Reference struct {
	Kind definition.Kind `json:"kind"`
	Name string          `json:"name"`
}
