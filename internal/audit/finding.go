package audit

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/audit/rules"
	"github.com/vadehq/vade/internal/audit/signal"
)

// Finding is a potential danger in a package.
type Finding struct {
	ID         string           `json:"id"`
	Name       string           `json:"name"`
	Severity   rules.Severity   `json:"severity"`
	Confidence rules.Confidence `json:"confidence"`
	// Path is relative to the package, and "" means the whole package. Lines and columns start at
	// 1. Columns count characters. The end is exclusive.
	Path      string `json:"path,omitempty"`
	Line      int    `json:"line,omitempty"`
	Column    int    `json:"column,omitempty"`
	EndLine   int    `json:"endLine,omitempty"`
	EndColumn int    `json:"endColumn,omitempty"`
	Message   string `json:"message"`
	Why       string `json:"why,omitempty"`
	Fix       string `json:"fix,omitempty"`
	// Packed names the archive format and the encodings that the text was in, outermost first.
	Packed string `json:"packed,omitempty"`
	CWE    []int  `json:"cwe,omitempty"`
	OWASP  string `json:"owasp,omitempty"`
	// Also lists the rules of other findings that were merged into this one.
	Also []string `json:"also,omitempty"`
	// More is the number of additional findings omitted for this rule.
	More int `json:"more,omitempty"`
	// Fingerprint identifies the finding. It does not change if the finding moves to another line.
	Fingerprint string `json:"fingerprint"`
	// Digest is the digest of the file's content. A suppression of the finding applies only to a
	// file with this digest.
	Digest string `json:"digest,omitempty"`

	Persona rules.Persona `json:"-"`
	// Source is the line that contains the finding. It is untrusted. From and To are the finding's
	// byte range in the line.
	Source   string `json:"-"`
	From, To int    `json:"-"`
	// Guarded reports whether Vade's policy prevents the behavior while Vade loads the definition.
	// A host may still allow it.
	Guarded bool `json:"-"`

	file *signal.File
	span diag.Span
	// url is the URL that the finding is about, if any.
	url string
}

// maxFindings is the maximum number of findings reported per rule and package.
const maxFindings = 25

// findings returns the findings to report to a persona, worst first. It merges findings that have
// the same cause.
func findings(set *signal.Set, hits []rules.Hit, persona rules.Persona) []Finding {
	var all []Finding
	for i := range hits {
		if h := &hits[i]; h.Persona <= persona {
			all = append(all, newFinding(set.Package, h))
		}
	}
	slices.SortStableFunc(all, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(b.Severity, a.Severity), cmp.Compare(b.Confidence, a.Confidence),
			cmp.Compare(a.Path, b.Path), cmp.Compare(a.span.Start, b.span.Start), cmp.Compare(a.ID, b.ID),
		)
	})
	all = merge(all)
	for i := range all {
		all[i].setPosition()
	}
	fingerprint(all)
	return all
}

// merge merges findings that overlap or that are about the same URL in a file. It keeps the worst
// finding and adds the rules of the others to its Also field. It drops findings that exceed the
// limit for a rule.
func merge(all []Finding) []Finding {
	var kept []Finding
	count := map[string]int{}
	first := map[string]int{}
	for _, f := range all {
		at := slices.IndexFunc(kept, func(k Finding) bool {
			if k.file == nil || k.file != f.file {
				return false
			}
			overlap := k.span.Start < max(f.span.End, f.span.Start+1) && f.span.Start < max(k.span.End, k.span.Start+1)
			return overlap || k.url != "" && k.url == f.url
		})
		switch {
		case at >= 0 && kept[at].ID == f.ID:
			continue
		case f.file == nil && slices.ContainsFunc(kept, func(k Finding) bool {
			return k.ID == f.ID && k.Message == f.Message && k.Path == f.Path
		}):
			continue
		case at >= 0:
			if !slices.Contains(kept[at].Also, f.ID) {
				kept[at].Also = append(kept[at].Also, f.ID)
			}
			continue
		}
		if count[f.ID]++; count[f.ID] > maxFindings {
			kept[first[f.ID]].More++
			continue
		}
		if count[f.ID] == 1 {
			first[f.ID] = len(kept)
		}
		kept = append(kept, f)
	}
	return kept
}

func newFinding(p *signal.Package, h *rules.Hit) Finding {
	r := h.Rule
	f := Finding{
		ID: r.ID, Name: r.Name, Severity: h.Severity, Confidence: h.Confidence, Persona: h.Persona, Guarded: h.Guarded,
		Message: h.Message, Why: r.Why, Fix: r.Fix, CWE: r.CWE, OWASP: r.OWASP,
	}
	place := h.Signal.Place
	file := p.Files[place.File]
	how := h.Signal.Encodings
	if file.From != nil {
		how = append([]string{file.From.Format}, how...)
	}
	f.Packed = strings.Join(how, ", then ")
	f.Path = file.Path
	// A finding without a span is about an unread file or about multiple files.
	switch {
	case place.Span != (diag.Span{}):
	case h.Signal.Kind == signal.Unread && h.Signal.Subject != f.Path:
		f.Path = h.Signal.Object
	case h.Signal.Kind == signal.Reference && h.Signal.Has("link"):
		f.Path = h.Signal.Subject
	}
	if place.Span != (diag.Span{}) {
		f.file, f.span = file, file.RawSpan(place.Span)
		for _, text := range []string{h.Signal.Subject, h.Signal.Object} {
			if strings.Contains(text, "://") && !strings.Contains(text, " ") {
				f.url = text
			}
		}
	}
	return f
}

// setPosition sets a finding's lines, columns and source line.
func (f *Finding) setPosition() {
	if f.file == nil {
		return
	}
	src := f.file.Source()
	start, end := src.Pos(f.span.Start), src.Pos(f.span.End)
	f.Line, f.Column, f.EndLine, f.EndColumn = start.Line, start.Column, end.Line, end.Column
	f.Source = src.Line(f.span.Start)
	f.From = f.span.Start - bytes.LastIndexAny(src.Data[:f.span.Start], "\r\n") - 1
	f.To = min(f.From+f.span.End-f.span.Start, len(f.Source))
	f.file = nil
}

// fingerprint sets the fingerprint of each finding. A fingerprint is a hash of the rule, the path,
// the line with normalized whitespace (or the message if there is no line), and a counter that
// distinguishes identical lines.
func fingerprint(list []Finding) {
	seen := map[string]int{}
	for i := range list {
		f := &list[i]
		text := f.Source
		if f.Line == 0 {
			text = f.Message
		}
		key := f.ID + "\x00" + f.Path + "\x00" + strings.Join(strings.Fields(text), " ")
		sum := sha256.Sum256([]byte(key + "\x00" + strconv.Itoa(seen[key])))
		seen[key]++
		f.Fingerprint = hex.EncodeToString(sum[:12])
	}
}
