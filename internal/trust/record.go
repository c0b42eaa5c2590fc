package trust

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Record is a consent that was given.
type Record struct {
	ID     ID
	Digest string
	// GivenAt is in UTC.
	GivenAt time.Time
	// Files are sorted by path. Data is there for texts that were kept.
	Files    []File
	Commands []string
	// Grants are sorted.
	Grants []string
}

// maxRecord is the length of the longest record that is read or written.
const maxRecord = 12 << 20

const recordVersion = 1

// newRecord returns the record of a consent to c.
func newRecord(c *Closure, now time.Time) *Record {
	r := &Record{
		ID: c.ID, Digest: c.Digest(), GivenAt: now.UTC().Round(0),
		Files: sortedFiles(c.Files), Commands: slices.Clone(c.Commands), Grants: sortedGrants(c.Grants),
	}
	r.keepTexts()
	return r
}

// keepTexts drops the data that is not kept. The definition itself comes first.
func (r *Record) keepTexts() {
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

// covers reports whether the consent was given to exactly c.
func (r *Record) covers(c *Closure) bool {
	return r.Digest == c.Digest() && slices.Equal(r.Commands, c.Commands) && slices.Equal(r.Grants, sortedGrants(c.Grants))
}

func sortedGrants(grants []string) []string {
	list := slices.Clone(grants)
	slices.Sort(list)
	return slices.Compact(list)
}

func isText(data []byte) bool { return utf8.Valid(data) && !bytes.ContainsRune(data, 0) }

// text is a string that keeps its bytes in JSON, also those that are no UTF-8.
type text string

type rawText struct {
	Base64 []byte `json:"base64"`
}

func (t text) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(t)) {
		return json.Marshal(string(t))
	}
	return json.Marshal(rawText{[]byte(t)})
}

func (t *text) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '{' {
		var raw rawText
		err := json.Unmarshal(data, &raw)
		*t = text(raw.Base64)
		return err
	}
	return json.Unmarshal(data, (*string)(t))
}

type recordJSON struct {
	Version  int        `json:"version"`
	ID       idJSON     `json:"id"`
	Digest   string     `json:"digest"`
	GivenAt  time.Time  `json:"givenAt"`
	Commands []text     `json:"commands"`
	Grants   []text     `json:"grants"`
	Files    []fileJSON `json:"files"`
}

type idJSON struct {
	Project text `json:"project"`
	Kind    text `json:"kind"`
	Name    text `json:"name"`
	Path    text `json:"path"`
}

type fileJSON struct {
	Path   text    `json:"path"`
	Mode   uint32  `json:"mode,omitempty"`
	Digest string  `json:"digest,omitempty"`
	Size   int64   `json:"size,omitempty"`
	Target text    `json:"target,omitempty"`
	Text   *string `json:"text,omitempty"`
}

// encode returns the content of the record's file. Texts are left out where
// the file would be too long with them.
func (r *Record) encode() ([]byte, error) {
	data, err := r.marshal(true)
	if err == nil && len(data) > maxRecord && slices.ContainsFunc(r.Files, func(f File) bool { return f.Data != nil }) {
		data, err = r.marshal(false)
	}
	if err == nil && len(data) > maxRecord {
		return nil, &LimitError{Path: r.ID.Path, What: "bytes of the record", Limit: maxRecord}
	}
	return data, err
}

func (r *Record) marshal(texts bool) ([]byte, error) {
	out := recordJSON{
		Version: recordVersion, Digest: r.Digest, GivenAt: r.GivenAt, Commands: texted(r.Commands), Grants: texted(r.Grants),
		ID: idJSON{text(r.ID.Project), text(r.ID.Kind), text(r.ID.Name), text(r.ID.Path)},
	}
	for _, f := range r.Files {
		j := fileJSON{Path: text(f.Path), Mode: uint32(f.Mode), Digest: f.Digest, Size: f.Size, Target: text(f.Target)}
		if f.Data != nil && texts {
			s := string(f.Data)
			j.Text = &s
		}
		out.Files = append(out.Files, j)
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	err := enc.Encode(out)
	return buf.Bytes(), err
}

// parseRecord reads the file of a record. It believes nothing that does not
// agree with itself: the ID gives the key, the files give the digest, a text
// gives the digest of its file.
func parseRecord(key string, data []byte) (*Record, error) {
	var in recordJSON
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&in); err != nil {
		return nil, fmt.Errorf("is not the JSON of a record: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("has something after its end")
	}
	if in.Version != recordVersion {
		return nil, fmt.Errorf("has the version %d, and only %d is known", in.Version, recordVersion)
	}
	r := &Record{
		ID:     ID{string(in.ID.Project), string(in.ID.Kind), string(in.ID.Name), string(in.ID.Path)},
		Digest: in.Digest, GivenAt: in.GivenAt.UTC(), Commands: untexted(in.Commands), Grants: untexted(in.Grants),
	}
	for _, j := range in.Files {
		f := File{Path: string(j.Path), Mode: fs.FileMode(j.Mode), Digest: j.Digest, Size: j.Size, Target: string(j.Target)}
		if j.Text != nil {
			f.Data = []byte(*j.Text)
		}
		r.Files = append(r.Files, f)
	}
	return r, r.valid(key)
}

func (r *Record) valid(key string) error {
	if r.ID.key() != key {
		return errors.New("is that of another definition than its name says")
	}
	if !slices.IsSorted(r.Grants) || len(sortedGrants(r.Grants)) != len(r.Grants) {
		return errors.New("has grants out of order")
	}
	for i, f := range r.Files {
		switch {
		case i > 0 && compareFiles(r.Files[i-1], f) >= 0:
			return errors.New("has files out of order")
		case f.Mode != typeAndExec(f.Mode):
			return errors.New("has a mode that is none")
		case f.Data != nil && (f.Digest != digestOf(f.Data) || f.Size != int64(len(f.Data))):
			return errors.New("has a text that is not that of its digest")
		}
	}
	c := Closure{ID: r.ID, Files: r.Files}
	if !strings.HasPrefix(r.Digest, digestPrefix) || r.Digest != c.Digest() {
		return errors.New("has files that are not those of its digest")
	}
	return nil
}

func texted(list []string) []text {
	out := make([]text, len(list))
	for i, s := range list {
		out[i] = text(s)
	}
	return out
}

func untexted(list []text) []string {
	var out []string
	for _, s := range list {
		out = append(out, string(s))
	}
	return out
}
