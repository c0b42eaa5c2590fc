package trust

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/vadehq/vade/internal/jsonc"
)

// Record is a stored approval.
type Record struct {
	ID     ID     `json:"id"`
	Digest string `json:"digest"`
	// GivenAt is the time of the approval in UTC.
	GivenAt  time.Time `json:"givenAt"`
	Commands []string  `json:"commands"`
	// Grants are sorted.
	Grants []string `json:"grants"`
	// Files are sorted by path. Data is set for files whose text is stored.
	Files []File `json:"-"`
}

// maxRecord is the size limit for a record, in bytes.
const maxRecord = 12 << 20

const recordVersion = 1

// newRecord returns a record that approves the closure c.
func newRecord(c *Closure, now time.Time) *Record {
	r := &Record{
		ID: c.ID, Digest: c.Digest(), GivenAt: now.UTC().Round(0),
		Files: sortedFiles(c.Files), Commands: slices.Clone(c.Commands), Grants: sortedGrants(c.Grants),
	}
	r.storeTexts()
	return r
}

// storeTexts removes data that is not text or that exceeds the storage limits. The definition's own
// text is kept in preference to other texts.
func (r *Record) storeTexts() {
	left := MaxTexts
	keep := func(f *File) {
		if !f.Mode.IsRegular() || len(f.Data) > min(MaxText, left) || !isText(f.Data) {
			f.Data = nil
		}
		left -= len(f.Data)
	}
	for _, definition := range [...]bool{true, false} {
		for i := range r.Files {
			if (r.Files[i].Path == r.ID.Path) == definition {
				keep(&r.Files[i])
			}
		}
	}
}

// covers reports whether the record approves exactly c.
func (r *Record) covers(c *Closure) bool {
	return r.Digest == c.Digest() && slices.Equal(r.Commands, c.Commands) && slices.Equal(r.Grants, sortedGrants(c.Grants))
}

func sortedGrants(grants []string) []string {
	list := slices.Clone(grants)
	slices.Sort(list)
	return slices.Compact(list)
}

func isText(data []byte) bool { return utf8.Valid(data) && !bytes.ContainsRune(data, 0) }

// recordJSON is the record's file format.
type recordJSON struct {
	Version int `json:"version"`
	Record
	Files []fileJSON `json:"files"`
}

type fileJSON struct {
	File
	Text *string `json:"text,omitempty"`
}

// encode returns the content of the record's file. It omits texts if the file would be too large.
func (r *Record) encode() ([]byte, error) {
	data, err := r.marshal(true)
	if err == nil && len(data) > maxRecord && slices.ContainsFunc(r.Files, func(f File) bool { return f.Data != nil }) {
		data, err = r.marshal(false)
	}
	if err == nil && len(data) > maxRecord {
		return nil, &LimitError{Path: r.ID.Path, What: "bytes in the record", Limit: maxRecord}
	}
	return data, err
}

func (r *Record) marshal(texts bool) ([]byte, error) {
	out := recordJSON{Version: recordVersion, Record: *r}
	for _, f := range r.Files {
		j := fileJSON{File: f}
		if f.Data != nil && texts {
			s := string(f.Data)
			j.Text = &s
		}
		out.Files = append(out.Files, j)
	}
	return jsonc.Marshal(out, " ")
}

// parseRecord parses a record's file. It accepts only consistent records: the ID matches the key,
// the files match the digest, and each text matches its file's digest.
func parseRecord(key string, data []byte) (*Record, error) {
	var head struct{ Version int }
	if json.Unmarshal(data, &head) == nil && head.Version != recordVersion {
		return nil, fmt.Errorf("has version %d, but this version of Vade supports only %d", head.Version, recordVersion)
	}
	var in recordJSON
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&in); err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("has data after the JSON object")
	}
	r := &in.Record
	r.GivenAt = r.GivenAt.UTC()
	for _, j := range in.Files {
		f := j.File
		if j.Text != nil {
			f.Data = []byte(*j.Text)
		}
		r.Files = append(r.Files, f)
	}
	return r, r.valid(key)
}

func (r *Record) valid(key string) error {
	if r.ID.key() != key {
		return errors.New("belongs to a different definition than its file name indicates")
	}
	if !slices.IsSorted(r.Grants) || len(sortedGrants(r.Grants)) != len(r.Grants) {
		return errors.New("has unsorted grants")
	}
	for i, f := range r.Files {
		switch {
		case i > 0 && compareFiles(r.Files[i-1], f) >= 0:
			return errors.New("has unsorted files")
		case f.Mode != typeAndExec(f.Mode):
			return errors.New("has an invalid mode")
		case f.Data != nil && (f.Digest != digestOf(f.Data) || f.Size != int64(len(f.Data))):
			return errors.New("has text that does not match its digest")
		}
	}
	c := Closure{ID: r.ID, Files: r.Files}
	if !strings.HasPrefix(r.Digest, digestPrefix) || r.Digest != c.Digest() {
		return errors.New("has files that do not match its digest")
	}
	return nil
}
