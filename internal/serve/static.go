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

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/publish"
)

// publishedScope begins the URIs of the skills that are put on the web: those of the
// project. What is the user's own, a plugin's or the administrator's is not.
const publishedScope = "skill://project/"

// staticFace is the site of the project's skills: the index for the web, the files
// that it names, and a list of plugins. It reads only what is asked for, and the
// index is made again when the store is another one or a time has gone by.
type staticFace struct {
	hold   func(context.Context) (Store, func(), error)
	market publish.Market
	// ttl is how long an index is used.
	ttl    time.Duration
	report func(diag.Diagnostic)

	builder publish.Builder
	mu      sync.Mutex
	book    *publish.Book
	made    time.Time
	of      uint64
	// lists are the texts that are made of the book, by their paths: all who ask for
	// one get the same bytes.
	lists map[string][]byte
	// files are in memory until they are read.
	files budget
}

// pages are the pages of the site. They need the token as all others do: what is on
// them is the project's.
func (f *staticFace) pages() map[string]Page {
	pages := map[string]Page{}
	for _, name := range []string{publish.IndexDir + "/", "marketplace.json", f.market.File} {
		pages["GET /"+name] = Page{Handler: f}
	}
	return pages
}

// ServeHTTP answers one request. Nothing that is served is run by a browser.
func (f *staticFace) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	store, release, err := f.hold(ctx)
	if err != nil {
		http.Error(w, "the definitions can not be read", http.StatusInternalServerError)
		return
	}
	defer release()
	data, media, give, err := f.lookup(ctx, store, strings.TrimPrefix(r.URL.Path, "/"))
	if give != nil {
		defer give()
	}
	switch {
	case errors.Is(err, errHeld):
		w.Header().Set("Retry-After", "1")
		http.Error(w, "too many files are being read; try again", http.StatusServiceUnavailable)
		return
	case errors.Is(err, publish.ErrNoFile):
		http.Error(w, "not found", http.StatusNotFound)
		return
	case errors.Is(err, publish.ErrChanged):
		f.forget()
		w.Header().Set("Retry-After", "1")
		http.Error(w, "the skill changed; try again", http.StatusServiceUnavailable)
		return
	case err != nil:
		http.Error(w, "the files can not be read", http.StatusInternalServerError)
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

// lookup finds one file. One that changed since the index was made is looked up in a
// new index, once. What is in memory for it is given back with give, unless that is nil.
func (f *staticFace) lookup(ctx context.Context, store Store, path string) (data []byte, media string, give func(), err error) {
	source := fileSource{store}
	for again := false; ; again = true {
		book, err := f.index(ctx, store)
		if err != nil {
			return nil, "", nil, err
		}
		if path == publish.IndexFile || path == f.market.File || path == "marketplace.json" {
			data, err := f.list(ctx, book, source, path)
			return data, "application/json", nil, err
		}
		give, err := f.files.reserve(sizeOf(book, path))
		if err != nil {
			return nil, "", nil, err
		}
		data, media, err := book.Lookup(ctx, source, f.market, path)
		if err == nil {
			return data, media, give, nil
		}
		give()
		if !errors.Is(err, publish.ErrChanged) || again {
			return nil, "", nil, err
		}
		f.forget()
	}
}

// sizeOf is about how many bytes a file of the site takes while it is made.
func sizeOf(book *publish.Book, name string) int64 {
	rest, _ := strings.CutPrefix(name, publish.IndexDir+"/")
	skill, file, inside := strings.Cut(rest, "/")
	if !inside {
		if e := book.Find(strings.TrimSuffix(skill, ".tar.gz")); e != nil {
			return 2 * e.Bytes()
		}
		return 0
	}
	if e := book.Find(skill); e != nil {
		r, _ := e.Resource(file)
		return r.Size
	}
	return 0
}

// list returns a text that is made of the book.
func (f *staticFace) list(ctx context.Context, book *publish.Book, source fileSource, name string) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.book == book && f.lists[name] != nil {
		return f.lists[name], nil
	}
	data, _, err := book.Lookup(ctx, source, f.market, name)
	if err == nil && f.book == book {
		f.lists[name] = data
	}
	return data, err
}

// index returns the index of a store. One request makes it, others wait for it.
func (f *staticFace) index(ctx context.Context, store Store) (*publish.Book, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.book != nil && f.of == store.Generation() && time.Since(f.made) < f.ttl {
		return f.book, nil
	}
	var items []publish.Item
	for _, s := range store.Skills() {
		if strings.HasPrefix(s.URI, publishedScope) {
			items = append(items, publish.Item{Name: s.Name(), URI: s.URI})
		}
	}
	publish.Order(items)
	book, err := f.builder.Build(ctx, fileSource{store}, items)
	if err != nil {
		return nil, err
	}
	if f.report != nil && (f.book == nil || f.of != store.Generation()) {
		for _, d := range book.Diagnostics {
			f.report(d)
		}
	}
	f.book, f.made, f.of, f.lists = book, time.Now(), store.Generation(), map[string][]byte{}
	return book, nil
}

func (f *staticFace) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.book = nil
}
