package catalog

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"sync"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/parse"
	"github.com/vadehq/vade/internal/render"
	"github.com/vadehq/vade/internal/tokens"
	"github.com/vadehq/vade/internal/vfs"
)

// maxCached is the approximate maximum number of bytes that a catalog caches.
// entryCost is the overhead per file.
const (
	maxCached = 8 << 20
	entryCost = 1 << 10
)

// fileCache caches loaded definitions' files and data derived from them. It never affects security
// decisions, because inputs to policy decisions are not cached. The zero value is an empty cache.
type fileCache struct {
	mu    sync.Mutex
	files map[fileKey]*cachedFile
	bytes int64
}

// fileKey identifies a definition's file. It includes the kind because the kind affects parsing,
// and path because diagnostics contain it.
type fileKey struct {
	kind       definition.Kind
	path, real string
}

// cachedFile holds a parsed file and data derived from it. doc must not be modified.
type cachedFile struct {
	fingerprint vfs.Fingerprint
	at          time.Time
	digest      string
	doc         parse.Document
	// text is doc rendered without arguments, or nil if rendering it again may give a different
	// result. tokens is its token estimate.
	text   *string
	tokens int
	size   int64
}

// document returns a definition's file and its cached data. It rereads the file unless it can prove
// that the file is unchanged.
func (f *fileCache) document(ctx context.Context, c *Catalog, d *definition.Definition) (cachedFile, error) {
	key := fileKey{d.Kind, d.Origin.Path, d.Origin.Real}
	stamp, certain := c.fingerprint(ctx, d)
	if certain {
		f.mu.Lock()
		if old := f.files[key]; old != nil && stamp.Unchanged(old.fingerprint, old.at) {
			k := *old
			f.mu.Unlock()
			return k, ctx.Err()
		}
		f.mu.Unlock()
	}
	at := time.Now()
	doc, err := c.Document(ctx, d)
	if err != nil {
		return cachedFile{}, err
	}
	sum := sha256.Sum256(doc.File.Data)
	digest := "sha256:" + hex.EncodeToString(sum[:])
	// Pos builds the line index. It must be built before the document is shared, because a shared
	// document must not be modified.
	doc.File.Pos(0)
	f.mu.Lock()
	defer f.mu.Unlock()
	if old := f.files[key]; old != nil {
		if old.digest == digest {
			old.fingerprint, old.at = stamp, at
			return *old, nil
		}
		f.drop(key)
	}
	k := &cachedFile{fingerprint: stamp, at: at, digest: digest, doc: doc, size: 2*int64(len(doc.File.Data)) + entryCost}
	if f.reserve(key, k.size) {
		if f.files == nil {
			f.files = map[fileKey]*cachedFile{}
		}
		f.files[key] = k
	}
	return *k, nil
}

// cachedDocument returns a definition's document. A command from a package.json is not cached and
// has no digest, because it does not have its own file.
func (c *Catalog) cachedDocument(ctx context.Context, d *definition.Definition) (cachedFile, error) {
	if d.Format != definition.Package {
		return c.files.document(ctx, c, d)
	}
	doc, err := c.Document(ctx, d)
	return cachedFile{doc: doc}, err
}

// reserve makes room for one file by evicting arbitrary entries. It returns false if the file does
// not fit.
func (f *fileCache) reserve(key fileKey, size int64) bool {
	if size > maxCached {
		return false
	}
	for other := range f.files {
		if f.bytes+size <= maxCached {
			break
		}
		if other != key {
			f.drop(other)
		}
	}
	if f.bytes+size > maxCached {
		return false
	}
	f.bytes += size
	return true
}

func (f *fileCache) drop(key fileKey) {
	if k := f.files[key]; k != nil {
		f.bytes -= k.size
		delete(f.files, key)
	}
}

// storeText caches the rendered text if the cached file still has the given digest.
func (f *fileCache) storeText(d *definition.Definition, digest, text string, cost int) {
	key := fileKey{d.Kind, d.Origin.Path, d.Origin.Real}
	f.mu.Lock()
	defer f.mu.Unlock()
	k := f.files[key]
	if k == nil || k.digest != digest || k.text != nil {
		return
	}
	if text == k.doc.Body {
		text = k.doc.Body
	} else if f.reserve(key, int64(len(text))) {
		k.size += int64(len(text))
	} else {
		return
	}
	k.text, k.tokens = &text, cost
}

// fingerprint returns the fingerprint of a definition's file.
func (c *Catalog) fingerprint(ctx context.Context, d *definition.Definition) (vfs.Fingerprint, bool) {
	if d.Origin.Layer == definition.MCP {
		return vfs.Fingerprint{}, false
	}
	plan := c.Quick
	if d.Origin.Plugin != "" {
		var err error
		if plan, err = c.Plan(ctx); err != nil {
			return vfs.Fingerprint{}, false
		}
	}
	s, err := plan.Fingerprint(d.Origin.Real)
	return s, err == nil
}

// renderedText returns the rendered text, preceded by the companion line, and its token estimate.
func (l *Loader) renderedText(d *definition.Definition, k *cachedFile, args render.Arguments, several bool) (string, int) {
	base := l.companionLine(d)
	text, cost := l.renderedBody(d, k, args, several)
	if base != "" {
		text = base + text
		cost = tokens.Estimate(text)
	}
	return text, cost
}

// renderedBody returns the rendered text and its token estimate. It caches the result only if there
// are no arguments and the body neither includes files nor runs commands, whose results may change.
func (l *Loader) renderedBody(d *definition.Definition, k *cachedFile, args render.Arguments, several bool) (string, int) {
	plain := args.Empty()
	if plain && k.text != nil {
		l.result.Diagnostics = append(l.result.Diagnostics, d.Diagnostics...)
		if l.result.Expansions == nil {
			l.result.Expansions = &definition.Expansions{Files: []definition.FileExpansion{}, Bash: []definition.BashExpansion{}}
		}
		return *k.text, k.tokens
	}
	before := len(l.result.Diagnostics)
	files, bash := 0, 0
	if x := l.result.Expansions; x != nil {
		files, bash = len(x.Files), len(x.Bash)
	}
	text := l.render(d, &k.doc, k.doc.Body, args, several)
	cost := tokens.Estimate(text)
	x := l.result.Expansions
	if plain && len(x.Files) == files && len(x.Bash) == bash && len(l.result.Diagnostics) == before+len(d.Diagnostics) {
		l.C.files.storeText(d, k.digest, text, cost)
	}
	return text, cost
}
