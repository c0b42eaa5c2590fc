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
	"unicode/utf16"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/jsonc"
)

// Where the index of skills for the web stands, below the top of a site. The links
// in it are relative, so that the site can stand anywhere (documented: the discovery
// RFC v0.2.0, cloudflare/agent-skills-discovery-rfc@1bd1167, as is the form of the
// index).
const (
	IndexDir  = ".well-known/agent-skills"
	IndexFile = IndexDir + "/index.json"

	indexSchema = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
	archiveEnd  = ".tar.gz"
)

// MaxPublished is how many skills one index has at most.
const MaxPublished = 10000

// maxDescription is the longest description of an index, in UTF-16 units as a
// browser counts; a client passes over what is longer (observed: skills 1.7.4).
const maxDescription = 1024

// ErrChanged is the error where a file changed while a skill was read.
var ErrChanged = errors.New("the skill changed while it was read")

// Item is a skill that is to be in the index.
type Item struct {
	// Name is the one that it is published under, URI the one of its source.
	Name, URI string
}

// Index is the list of skills of a site.
type Index struct {
	Schema string      `json:"$schema"`
	Skills []IndexItem `json:"skills"`
}

// IndexItem is one skill of an index.
type IndexItem struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Description string `json:"description"`
	URL         string `json:"url"`
	Digest      string `json:"digest"`
}

// Builder makes the index of a site, and keeps what it takes long to find out. Its
// zero value is ready, for use by many goroutines.
type Builder struct {
	Keeper Keeper

	mu       sync.Mutex
	archives map[string]keptArchive
}

type keptArchive struct{ of, digest string }

// Book is an index with what it was made of.
type Book struct {
	Index Index
	// Entries are the published skills, in the order of the index.
	Entries []*Entry
	// Diagnostics name what is left out, and why.
	Diagnostics []diag.Diagnostic
}

// Find returns the published skill of a name.
func (b *Book) Find(name string) *Entry {
	i, ok := slices.BinarySearchFunc(b.Entries, name, func(e *Entry, name string) int { return cmp.Compare(e.Name, name) })
	if !ok {
		return nil
	}
	return b.Entries[i]
}

// Build makes the index of some skills. Of two with one name the first is published.
func (b *Builder) Build(ctx context.Context, s Source, items []Item) (*Book, error) {
	book := &Book{Index: Index{Schema: indexSchema, Skills: []IndexItem{}}}
	taken := map[string]string{}
	for _, it := range items {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		e, err := b.Keeper.Entry(ctx, s, it.URI)
		var r *Refused
		switch {
		case errors.As(err, &r):
			book.Diagnostics = append(book.Diagnostics, r.Diagnostic)
			continue
		case errors.Is(err, ErrNoFile) || errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, err
		case taken[e.Name] != "":
			book.Diagnostics = append(book.Diagnostics, diag.For(it.URI, diag.PublishTwice, "the skill is not published: %s has the name %q already", taken[e.Name], e.Name).
				WithFix("give one of the two another name"))
			continue
		case len(book.Entries) == MaxPublished:
			book.Diagnostics = append(book.Diagnostics, diag.For(it.URI, diag.PublishLimit, "this skill and those behind it are not published: an index has %d at most", MaxPublished).
				WithFix("publish fewer skills"))
			return book.finish(ctx, b, s)
		}
		taken[e.Name] = it.URI
		book.Entries = append(book.Entries, e)
	}
	return book.finish(ctx, b, s)
}

// finish sorts the skills and writes what the index says of each.
func (book *Book) finish(ctx context.Context, b *Builder, s Source) (*Book, error) {
	slices.SortFunc(book.Entries, func(x, y *Entry) int { return cmp.Compare(x.Name, y.Name) })
	for _, e := range book.Entries {
		item := IndexItem{Name: e.Name, Type: "skill-md", Description: e.Description, URL: e.Name + "/" + Main, Digest: e.Resources[0].Digest}
		if units := utf16.Encode([]rune(e.Description)); len(units) > maxDescription {
			item.Description = string(utf16.Decode(units[:maxDescription-1])) + "…"
			book.Diagnostics = append(book.Diagnostics, diag.For(e.URI, diag.DescLength, "the index has the first %d characters of the description", maxDescription-1).
				WithFix("say in fewer words what the skill is for"))
		}
		if len(e.Resources) > 1 {
			digest, err := b.archiveDigest(ctx, s, e)
			if err != nil {
				return nil, err
			}
			item.Type, item.URL, item.Digest = "archive", e.Name+archiveEnd, digest
		}
		book.Index.Skills = append(book.Index.Skills, item)
	}
	return book, nil
}

// JSON is the text of the index.
func (x *Index) JSON() []byte { return indented(x) }

func indented(v any) []byte {
	// Strings and lists can always be encoded.
	data, _ := jsonc.Marshal(v, "  ")
	return data
}

// fingerprint tells the content of a skill from every other.
func (e *Entry) fingerprint() string {
	var b bytes.Buffer
	for i := range e.Resources {
		r := &e.Resources[i]
		fmt.Fprintf(&b, "%q %s %t\n", r.Path, r.Digest, r.Executable)
	}
	return digestOf(b.Bytes())
}

// archiveDigest makes an archive for its digest, unless that is known.
func (b *Builder) archiveDigest(ctx context.Context, s Source, e *Entry) (string, error) {
	of := e.fingerprint()
	b.mu.Lock()
	kept := b.archives[e.URI]
	b.mu.Unlock()
	if kept.of == of {
		return kept.digest, nil
	}
	data, err := Archive(ctx, s, e)
	if err != nil {
		return "", err
	}
	kept = keptArchive{of, digestOf(data)}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.archives == nil || len(b.archives) > MaxPublished {
		b.archives = map[string]keptArchive{}
	}
	b.archives[e.URI] = kept
	return kept.digest, nil
}

// Archive is a skill as one .tar.gz whose top is the skill's directory. The same
// files give the same bytes.
func Archive(ctx context.Context, s Source, e *Entry) ([]byte, error) {
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	tape := tar.NewWriter(zip)
	for i := range e.Resources {
		data, err := ReadResource(ctx, s, e, &e.Resources[i])
		if err != nil {
			return nil, err
		}
		mode := int64(0o644)
		if e.Resources[i].Executable {
			mode = 0o755
		}
		h := tar.Header{Typeflag: tar.TypeReg, Name: e.Resources[i].Path, Size: int64(len(data)), Mode: mode, ModTime: time.Unix(0, 0), Format: tar.FormatPAX}
		if err := tape.WriteHeader(&h); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Resources[i].Path, err)
		}
		if _, err := tape.Write(data); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Resources[i].Path, err)
		}
	}
	if err := errors.Join(tape.Close(), zip.Close()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// ReadResource reads a file of an entry. The error is [ErrChanged] where it is
// another one than the entry has.
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
