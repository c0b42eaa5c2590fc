package rpc

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/watch"
)

// Watching is watch's result.
type Watching struct {
	Watch int `json:"watch"`
}

// Changed holds the parameters of the notification sent when a watched catalog's definitions
// change.
type Changed struct {
	Watch   int `json:"watch"`
	Catalog int `json:"catalog"`
	// Added, Removed and Changed are sorted by kind and name.
	Added   []Reference `json:"added"`
	Removed []Reference `json:"removed"`
	Changed []Reference `json:"changed"`
}

// Reference identifies a definition.
type Reference struct {
	Kind definition.Kind `json:"kind"`
	Name string          `json:"name"`
}

// watchFiles answers the method watch.
func watchFiles(ctx context.Context, c *session, _ inCatalog) (json.RawMessage, error) {
	c.reloading.Lock()
	defer c.reloading.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(c.watches) == maxWatches {
		return nil, failure("TOO_MANY_WATCHES", fmt.Sprintf("the catalog already has %d watches", maxWatches), "end one with the method \"unwatch\"")
	}
	if c.known == nil {
		engine, err := c.acquire(ctx, variant{})
		if err != nil {
			return nil, err
		}
		defer engine.Release()
		if c.known, err = snapshotOf(ctx, engine.Catalog); err != nil {
			return nil, err
		}
	}
	c.server.mu.Lock()
	c.server.last++
	number := c.server.last
	c.server.mu.Unlock()
	// The request's context is canceled once the response has been sent.
	c.watches[number] = ctx.Done()
	return encode(Watching{number})
}

func unwatch(_ context.Context, s *Server, params json.RawMessage) (json.RawMessage, error) {
	var p Watching
	if err := decode(params, &p); err != nil {
		return nil, err
	}
	s.mu.Lock()
	all := slices.Collect(maps.Values(s.catalogs))
	s.mu.Unlock()
	for _, c := range all {
		if c.unwatch(p.Watch) {
			return encode(struct{}{})
		}
	}
	return nil, failure("UNKNOWN_WATCH", "no watch with this number exists", "start one with the method \"watch\"")
}

func (c *session) unwatch(number int) bool {
	c.reloading.Lock()
	defer c.reloading.Unlock()
	_, ok := c.watches[number]
	delete(c.watches, number)
	if len(c.watches) == 0 {
		c.known = nil
	}
	return ok
}

// Acquire implements [watch.Source].
func (c *session) Acquire(ctx context.Context) (watch.Loaded, error) {
	engine, err := c.acquire(ctx, variant{})
	if err != nil {
		return engine, err
	}
	if _, err = engine.Catalog.Scan(ctx); err != nil {
		engine.Release()
	}
	return engine, err
}

// Reload implements [watch.Source] and sends the changes to the client. While the client is not
// reading, no further reloads happen, so the next notification contains every change since the
// previous one.
func (c *session) Reload(ctx context.Context) error {
	c.reloading.Lock()
	defer c.reloading.Unlock()
	fresh := newEngines()
	var now snapshot
	engine, err := fresh.engine(ctx, c.options, variant{})
	if err == nil {
		_, err = engine.Scan(ctx)
	}
	if err == nil && c.known != nil {
		now, err = snapshotOf(ctx, engine)
	}
	if err != nil {
		fresh.release()
		return err
	}
	c.replace(fresh)
	if changed, some := now.since(c.known); some {
		c.known = now
		c.tell(ctx, changed)
	}
	return nil
}

// tell sends a notification for each watch. It first waits until the response with the watch's
// number has been sent.
func (c *session) tell(ctx context.Context, changed Changed) {
	changed.Catalog = c.number
	for number, answered := range c.watches {
		select {
		case <-answered:
		case <-ctx.Done():
			return
		}
		changed.Watch = number
		// Encoding strings and numbers cannot fail.
		params, _ := encode(changed)
		c.server.write(append(append([]byte(`{"jsonrpc":"2.0","method":"changed","params":`), params...), "}\n"...))
	}
}

// snapshot maps each active definition to a digest of its listed fields and file.
type snapshot map[Reference][sha256.Size]byte

func snapshotOf(ctx context.Context, engine *catalog.Catalog) (snapshot, error) {
	all, err := engine.Scan(ctx)
	if err != nil {
		return nil, err
	}
	digests := make([][sha256.Size]byte, len(all.All))
	err = catalog.Parallel(len(all.All), func(i int) error {
		d := all.All[i]
		if d.State != definition.Loaded {
			return nil
		}
		text := catalog.AppendDefinition(nil, d, true)
		// If the file cannot be read, the digest covers only the listed fields.
		if doc, err := engine.Document(ctx, d); err == nil {
			text = append(text, doc.File.Data...)
		}
		digests[i] = sha256.Sum256(text)
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	now := snapshot{}
	for i, d := range all.All {
		if d.State == definition.Loaded {
			// Several instructions may share a name.
			name := Reference{d.Kind, d.Name}
			others := now[name]
			now[name] = sha256.Sum256(append(others[:], digests[i][:]...))
		}
	}
	return now, nil
}

// since returns the changes since an earlier snapshot. some reports whether there are any.
func (s snapshot) since(before snapshot) (x Changed, some bool) {
	x = Changed{Added: []Reference{}, Removed: []Reference{}, Changed: []Reference{}}
	for name, digest := range s {
		if old, ok := before[name]; !ok {
			x.Added = append(x.Added, name)
		} else if old != digest {
			x.Changed = append(x.Changed, name)
		}
	}
	for name := range before {
		if _, ok := s[name]; !ok {
			x.Removed = append(x.Removed, name)
		}
	}
	for _, list := range [][]Reference{x.Added, x.Removed, x.Changed} {
		slices.SortFunc(list, func(a, b Reference) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name)) })
	}
	return x, len(x.Added)+len(x.Removed)+len(x.Changed) > 0
}
