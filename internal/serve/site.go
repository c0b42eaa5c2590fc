package serve

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/vadehq/vade/internal/publish"
)

// publishedScope is the URI prefix of the skills on the site. Only the project's skills are
// published, not skills from the user, plugins or administrators.
const publishedScope = "skill://project/"

// site serves the project's skills: the index, the indexed files, and a plugin marketplace. The
// index is rebuilt when the state changes or listTTL has passed.
type site struct {
	s       *Server
	market  publish.Marketplace
	builder publish.Builder

	mu         sync.Mutex
	snapshot   *publish.Snapshot
	builtAt    time.Time
	generation uint64
}

// patterns returns the site's routes for [http.ServeMux].
func (f *site) patterns() []string {
	patterns := []string{"GET /" + publish.IndexDir + "/", "GET /marketplace.json"}
	if f.market.File != "" {
		patterns = append(patterns, "GET /"+f.market.File)
	}
	return patterns
}

// ServeHTTP implements [http.Handler]. It sets headers that keep browsers from executing the files.
func (f *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	data, media, err := f.lookup(r.Context(), strings.TrimPrefix(r.URL.Path, "/"))
	switch {
	case errors.Is(err, publish.ErrNoFile):
		http.Error(w, "not found", http.StatusNotFound)
		return
	case errors.Is(err, publish.ErrChanged):
		w.Header().Set("Retry-After", "1")
		http.Error(w, "the skill changed during the request; try again", http.StatusServiceUnavailable)
		return
	case err != nil:
		http.Error(w, "cannot read the files", http.StatusInternalServerError)
		return
	}
	sum := sha256.Sum256(data)
	h := w.Header()
	h.Set("Content-Type", media)
	h.Set("ETag", `"`+hex.EncodeToString(sum[:])+`"`)
	h.Set("Cache-Control", "no-cache")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}

// lookup returns the contents and media type of the file at path. If the file changed after the
// index was built, it rebuilds the index once.
func (f *site) lookup(ctx context.Context, path string) (data []byte, media string, err error) {
	st, err := f.s.acquireLoaded(ctx)
	if err != nil {
		return nil, "", err
	}
	defer st.release()
	for range 2 {
		book, err := f.index(ctx, st)
		if err != nil {
			return nil, "", err
		}
		data, media, err = book.Lookup(ctx, st, f.market, path)
		if !errors.Is(err, publish.ErrChanged) {
			return data, media, err
		}
		f.mu.Lock()
		f.snapshot = nil
		f.mu.Unlock()
	}
	return nil, "", publish.ErrChanged
}

// index returns the index for a state. Concurrent callers share a single build.
func (f *site) index(ctx context.Context, st *state) (*publish.Snapshot, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.snapshot != nil && f.generation == st.generation && time.Since(f.builtAt) < listTTL {
		return f.snapshot, nil
	}
	var items []publish.Item
	for _, x := range st.skills {
		if uri := x.uri(); strings.HasPrefix(uri, publishedScope) {
			items = append(items, publish.Item{Name: x.name(), URI: uri})
		}
	}
	publish.SortByDepth(items)
	book, err := f.builder.Build(ctx, st, items)
	if err != nil {
		return nil, err
	}
	for _, d := range book.Diagnostics {
		f.s.logUnpublished(d)
	}
	f.snapshot, f.builtAt, f.generation = book, time.Now(), st.generation
	return book, nil
}
