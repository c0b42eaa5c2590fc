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

// Fingerprint sets each finding's fingerprint, which does not change when lines move. It is a hash
// of the code, the path, the line without its whitespace, and a counter that distinguishes
// duplicates. list must be sorted.
func Fingerprint(list []Finding) {
	seen := map[string]int{}
	for i := range list {
		f := &list[i]
		text := f.Source
		if f.Line == 0 {
			// Without a position, only the message distinguishes findings. Ignore the list of hosts
			// at the end of the message.
			text, _, _ = strings.Cut(cmp.Or(f.bareMessage, f.Message), "; not loaded by ")
		}
		key := string(f.Code) + "\x00" + f.Path + "\x00" + strings.Join(strings.Fields(text), " ")
		sum := sha256.Sum256([]byte(key + "\x00" + strconv.Itoa(seen[key])))
		seen[key]++
		f.Fingerprint = hex.EncodeToString(sum[:12])
	}
}

// Baseline is a set of known findings, which are not reported.
type Baseline struct{ known map[string]bool }

// MaxBaseline is the maximum size of a baseline, in bytes.
const MaxBaseline = 8 << 20

type baselineEntry struct {
	Fingerprint string `json:"fingerprint"`
	// Code and Path are for human readers only.
	Code string `json:"code"`
	Path string `json:"path"`
}

// ParseBaseline reads the output of [FormatBaseline].
func ParseBaseline(data []byte) (*Baseline, error) {
	if len(data) > MaxBaseline {
		return nil, fmt.Errorf("the file is larger than %d MiB", MaxBaseline>>20)
	}
	var doc struct {
		Kind     string          `json:"kind"`
		Version  int             `json:"version"`
		Findings []baselineEntry `json:"findings"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("not a baseline: %w", err)
	}
	if doc.Version != 1 || doc.Kind != "" {
		return nil, fmt.Errorf("unsupported baseline version %d (kind %q); vade check reads version 1 of its own baselines", doc.Version, doc.Kind)
	}
	b := &Baseline{known: map[string]bool{}}
	for i, e := range doc.Findings {
		if e.Fingerprint == "" {
			return nil, fmt.Errorf("not a baseline: finding %d has no fingerprint", i+1)
		}
		b.known[e.Fingerprint] = true
	}
	return b, nil
}

// FormatBaseline returns findings as a baseline with one finding per line.
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

// FormatEntries returns a baseline whose JSON document starts with head and has one entry per line,
// which keeps diffs small. Entries must have only string fields.
func FormatEntries[E any](head string, entries []E) []byte {
	var out bytes.Buffer
	out.WriteString("{" + head + ",\"findings\":[")
	for i, e := range entries {
		// Entries contain only strings, so Marshal cannot fail.
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

// Without returns the findings that are not in the baseline, and counts the findings that are. A
// nil baseline is empty.
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
