package publish

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/jsonc"
)

// The paths of the web index, relative to the site's root. The URLs in the index are relative, so a
// site can be hosted at any path. The paths and the index format are documented in discovery RFC
// v0.2.0, cloudflare/agent-skills-discovery-rfc@1bd1167.
const (
	IndexDir  = ".well-known/agent-skills"
	IndexFile = IndexDir + "/index.json"

	indexSchema   = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
	archiveSuffix = ".tar.gz"
)

// MaxPublished is the maximum number of skills in an index.
const MaxPublished = 10000

// maxDescription is the maximum length of a description in an index, in UTF-16 code units, which
// JavaScript uses to measure strings. The npx skills program, version 1.7.4, was observed to skip
// skills with longer descriptions.
const maxDescription = 1024

// ErrChanged is returned if a file changed while its skill was being read.
var ErrChanged = errors.New("the skill changed while it was being read")

// Item is a skill to include in the index.
type Item struct {
	// Name is the name under which to publish the skill, and URI identifies the skill in the
	// Source.
	Name, URI string
}

// Index lists the skills on a site.
type Index struct {
	Schema string      `json:"$schema"`
	Skills []IndexItem `json:"skills"`
}

// IndexItem is a skill in an Index.
type IndexItem struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Description string `json:"description"`
	URL         string `json:"url"`
	Digest      string `json:"digest"`
}

// Builder builds a site's snapshots and caches digests that are expensive to compute. The zero
// value is ready to use. A Builder is safe for concurrent use.
type Builder struct {
	Entries EntryCache

	mu       sync.Mutex
	archives map[string]cachedArchive
}

type cachedArchive struct{ fingerprint, digest string }

// Snapshot holds an index and the entries from which it was built.
type Snapshot struct {
	Index Index
	// Entries are the published skills in index order.
	Entries []*Entry
	// Diagnostics lists the skills that are not published or have shortened descriptions, with
	// reasons.
	Diagnostics []diag.Diagnostic
}

// Find returns the published skill with the given name, or nil.
func (s *Snapshot) Find(name string) *Entry {
	i, ok := slices.BinarySearchFunc(s.Entries, name, func(e *Entry, name string) int { return cmp.Compare(e.Name, name) })
	if !ok {
		return nil
	}
	return s.Entries[i]
}

// Build builds the index. If two skills have the same name, the first is published.
func (b *Builder) Build(ctx context.Context, s Source, items []Item) (*Snapshot, error) {
	snapshot := &Snapshot{Index: Index{Schema: indexSchema, Skills: []IndexItem{}}}
	uriByName := map[string]string{}
	for _, it := range items {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		e, err := b.Entries.Entry(ctx, s, it.URI)
		var r *NotPublishableError
		switch {
		case errors.As(err, &r):
			snapshot.Diagnostics = append(snapshot.Diagnostics, r.Diagnostic)
			continue
		case errors.Is(err, ErrNoFile) || errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, err
		case uriByName[e.Name] != "":
			d := diag.For(it.URI, diag.PublishTwice, "skill not published: %s already has the name %q", uriByName[e.Name], e.Name)
			snapshot.Diagnostics = append(snapshot.Diagnostics, d.WithFix("rename one of the two skills"))
			continue
		case len(snapshot.Entries) == MaxPublished:
			d := diag.For(it.URI, diag.PublishLimit,
				"this skill and the following ones were not published, because an index can contain at most %d skills", MaxPublished)
			snapshot.Diagnostics = append(snapshot.Diagnostics, d.WithFix("publish fewer skills"))
			return snapshot.finish(ctx, b, s)
		}
		uriByName[e.Name] = it.URI
		snapshot.Entries = append(snapshot.Entries, e)
	}
	return snapshot.finish(ctx, b, s)
}

// finish sorts the entries and fills in the index.
func (snapshot *Snapshot) finish(ctx context.Context, b *Builder, s Source) (*Snapshot, error) {
	slices.SortFunc(snapshot.Entries, func(x, y *Entry) int { return cmp.Compare(x.Name, y.Name) })
	for _, e := range snapshot.Entries {
		item := IndexItem{Name: e.Name, Type: "skill-md", Description: e.Description, URL: e.Name + "/" + Main, Digest: e.Resources[0].Digest}
		if item.Description = chars.ShortenUTF16(e.Description, maxDescription, "…", "\ufffd"); item.Description != e.Description {
			d := diag.For(e.URI, diag.DescLength,
				"the index contains only the first %d characters of the description", maxDescription-1)
			snapshot.Diagnostics = append(snapshot.Diagnostics, d.WithFix("shorten the description"))
		}
		if len(e.Resources) > 1 {
			digest, err := b.archiveDigest(ctx, s, e)
			if err != nil {
				return nil, err
			}
			item.Type, item.URL, item.Digest = "archive", e.Name+archiveSuffix, digest
		}
		snapshot.Index.Skills = append(snapshot.Index.Skills, item)
	}
	return snapshot, nil
}

// JSON returns the index as JSON.
func (x *Index) JSON() []byte { return indented(x) }

func indented(v any) []byte {
	// Ignore the error: encoding strings and lists cannot fail.
	data, _ := jsonc.Marshal(v, "  ")
	return data
}

// fingerprint returns a string that identifies a skill's content.
func (e *Entry) fingerprint() string {
	var b bytes.Buffer
	for i := range e.Resources {
		r := &e.Resources[i]
		fmt.Fprintf(&b, "%q %s %t\n", r.Path, r.Digest, r.Executable)
	}
	return digestOf(b.Bytes())
}

// archiveDigest returns the digest of a skill's archive. It builds the archive
// unless the digest is cached.
func (b *Builder) archiveDigest(ctx context.Context, s Source, e *Entry) (string, error) {
	fingerprint := e.fingerprint()
	b.mu.Lock()
	cached := b.archives[e.URI]
	b.mu.Unlock()
	if cached.fingerprint == fingerprint {
		return cached.digest, nil
	}
	data, err := Archive(ctx, s, e)
	if err != nil {
		return "", err
	}
	cached = cachedArchive{fingerprint, digestOf(data)}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.archives == nil || len(b.archives) > MaxPublished {
		b.archives = map[string]cachedArchive{}
	}
	b.archives[e.URI] = cached
	return cached.digest, nil
}

// Archive packs a skill into a .tar.gz file, with paths relative to the skill's
// directory. The same files always produce the same bytes.
func Archive(ctx context.Context, s Source, e *Entry) ([]byte, error) {
	var out bytes.Buffer
	gz := gzip.NewWriter(&out)
	tw := tar.NewWriter(gz)
	for i := range e.Resources {
		data, err := ReadResource(ctx, s, e, &e.Resources[i])
		if err != nil {
			return nil, err
		}
		mode := int64(0o644)
		if e.Resources[i].Executable {
			mode = 0o755
		}
		h := tar.Header{Typeflag: tar.TypeReg, Name: e.Resources[i].Path, Size: int64(len(data)), Mode: mode,
			ModTime: time.Unix(0, 0), Format: tar.FormatPAX}
		if err := tw.WriteHeader(&h); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Resources[i].Path, err)
		}
		if _, err := tw.Write(data); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Resources[i].Path, err)
		}
	}
	if err := errors.Join(tw.Close(), gz.Close()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// ReadResource reads one of an entry's files. It returns [ErrChanged] if the
// file's digest differs from the recorded one.
func ReadResource(ctx context.Context, s Source, e *Entry, r *Resource) ([]byte, error) {
	data, err := s.ReadFile(ctx, e.URI, r.Path, MaxBytes)
	if err != nil {
		return nil, err
	}
	if int64(len(data)) != r.Size || digestOf(data) != r.Digest {
		return nil, ErrChanged
	}
	return data, nil
}
