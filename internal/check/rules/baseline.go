package rules

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Fingerprint gives each finding its fingerprint: of the code, the path, the text
// of the line without its blanks, and a number where several are alike. It does
// not change when lines move. The findings have to be sorted.
func Fingerprint(list []Finding) {
	seen := map[string]int{}
	for i := range list {
		f := &list[i]
		text := f.Source
		if f.Line == 0 {
			// Without a place the message has to tell findings apart, as far as the
			// hosts that it names.
			text, _, _ = strings.Cut(cmp.Or(f.said, f.Message), "; not loaded by ")
		}
		key := string(f.Code) + "\x00" + f.Path + "\x00" + strings.Join(strings.Fields(text), " ")
		sum := sha256.Sum256([]byte(key + "\x00" + strconv.Itoa(seen[key])))
		seen[key]++
		f.Fingerprint = hex.EncodeToString(sum[:12])
	}
}

// Baseline is a set of findings that are known and do not count.
type Baseline struct{ known map[string]bool }

// MaxBaseline is the longest baseline that is read, in bytes.
const MaxBaseline = 8 << 20

type baselineEntry struct {
	Fingerprint string `json:"fingerprint"`
	// Path and code are there for people.
	Code string `json:"code"`
	Path string `json:"path"`
}

// ParseBaseline reads what [FormatBaseline] writes.
func ParseBaseline(data []byte) (*Baseline, error) {
	if len(data) > MaxBaseline {
		return nil, fmt.Errorf("it is longer than %d MiB", MaxBaseline>>20)
	}
	var doc struct {
		Version  int             `json:"version"`
		Findings []baselineEntry `json:"findings"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("it is not a baseline: %w", err)
	}
	if doc.Version != 1 {
		return nil, fmt.Errorf("unknown baseline version %d; use 1", doc.Version)
	}
	b := &Baseline{known: map[string]bool{}}
	for i, e := range doc.Findings {
		if e.Fingerprint == "" {
			return nil, fmt.Errorf("it is not a baseline: finding %d has no fingerprint", i+1)
		}
		b.known[e.Fingerprint] = true
	}
	return b, nil
}

// FormatBaseline writes findings as a baseline, one a line.
func FormatBaseline(list []Finding) []byte {
	entries := make([]baselineEntry, len(list))
	for i, f := range list {
		entries[i] = baselineEntry{f.Fingerprint, string(f.Code), f.Path}
	}
	slices.SortFunc(entries, func(a, b baselineEntry) int {
		return strings.Compare(a.Path+"\x00"+a.Code+a.Fingerprint, b.Path+"\x00"+b.Code+b.Fingerprint)
	})
	return FormatEntries(`"version":1`, entries)
}

// FormatEntries writes a baseline whose document begins with head, an entry a line, so
// that a change of one is a change of one line. Entries are of strings alone.
func FormatEntries[E any](head string, entries []E) []byte {
	var out bytes.Buffer
	out.WriteString("{" + head + ",\"findings\":[")
	for i, e := range entries {
		// Strings: this can not fail.
		line, _ := json.Marshal(e)
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString("\n")
		out.Write(line)
	}
	out.WriteString("\n]}\n")
	return out.Bytes()
}

// Without returns the findings that are not in the baseline, and how many are.
// The nil baseline has none.
func (b *Baseline) Without(list []Finding) (fresh []Finding, known int) {
	if b == nil {
		return list, 0
	}
	for _, f := range list {
		if b.known[f.Fingerprint] {
			known++
		} else {
			fresh = append(fresh, f)
		}
	}
	return fresh, known
}
