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

// publishedScope begins the URIs of the skills on the site: those of the project, and not
// the user's own, a plugin's or the administrator's.
const publishedScope = "skill://project/"

// site is the web site of the project's skills: the index, the files that it names, and a
// list of plugins. The index is made again for another state, and when it is old.
type site struct {
	s       *Server
	market  publish.Market
	builder publish.Builder

	mu   sync.Mutex
	book *publish.Book
	made time.Time
	of   uint64
}

// patterns are the paths of the site, for [http.ServeMux].
func (f *site) patterns() []string {
	patterns := []string{"GET /" + publish.IndexDir + "/", "GET /marketplace.json"}
	if f.market.File != "" {
		patterns = append(patterns, "GET /"+f.market.File)
	}
	return patterns
}

// ServeHTTP implements [http.Handler]. Browsers run nothing that it serves.
func (f *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	data, media, err := f.lookup(r.Context(), strings.TrimPrefix(r.URL.Path, "/"))
	switch {
	case errors.Is(err, publish.ErrNoFile):
		http.Error(w, "not found", http.StatusNotFound)
		return
	case errors.Is(err, publish.ErrChanged):
		w.Header().Set("Retry-After", "1")
		http.Error(w, "the skill changed; try again", http.StatusServiceUnavailable)
		return
	case err != nil:
		http.Error(w, "the files cannot be read", http.StatusInternalServerError)
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

// lookup returns one file. If it changed since the index was made, the index is made
// again, once.
func (f *site) lookup(ctx context.Context, path string) (data []byte, media string, err error) {
	st, err := f.s.hold(ctx)
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
		f.book = nil
		f.mu.Unlock()
	}
	return nil, "", publish.ErrChanged
}

// index returns the index of a state. One request makes it while others wait.
func (f *site) index(ctx context.Context, st *state) (*publish.Book, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.book != nil && f.of == st.generation && time.Since(f.made) < listTTL {
		return f.book, nil
	}
	var items []publish.Item
	for _, x := range st.skills {
		if uri := x.uri(); strings.HasPrefix(uri, publishedScope) {
			items = append(items, publish.Item{Name: x.name(), URI: uri})
		}
	}
	publish.Order(items)
	book, err := f.builder.Build(ctx, st, items)
	if err != nil {
		return nil, err
	}
	for _, d := range book.Diagnostics {
		f.s.report(d)
	}
	f.book, f.made, f.of = book, time.Now(), st.generation
	return book, nil
}
