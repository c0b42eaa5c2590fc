package rules

import (
	"strings"

	"github.com/vadehq/vade/internal/audit/signal"
)

// Hit is a rule's match on a signal.
type Hit struct {
	Rule       *Rule
	Signal     *signal.Signal
	Severity   Severity
	Confidence Confidence
	Persona    Persona
	Message    string
	// Guarded is copied from the rule's row.
	Guarded bool
}

// Judge applies rules to a package's signals.
func Judge(list []Rule, set *signal.Set) []Hit {
	byKind := map[signal.Kind][]*signal.Signal{}
	for i := range set.Signals {
		s := &set.Signals[i]
		byKind[s.Kind] = append(byKind[s.Kind], s)
	}
	var hits []Hit
	for i := range list {
		r := &list[i]
		seen := map[signal.Kind]bool{}
		for k := range r.Rows {
			kind := r.Rows[k].On.Kind
			if seen[kind] {
				continue
			}
			seen[kind] = true
			for _, s := range byKind[kind] {
				if h, ok := r.judge(s, byKind); ok {
					hits = append(hits, h)
				}
			}
		}
	}
	return hits
}

// judge applies the first matching row of a rule to a signal.
func (r *Rule) judge(s *signal.Signal, byKind map[signal.Kind][]*signal.Signal) (Hit, bool) {
	for i := range r.Rows {
		row := &r.Rows[i]
		if !row.On.Matches(s) || !row.with(s, byKind) {
			continue
		}
		if row.Severity == Clean {
			return Hit{}, false
		}
		h := Hit{
			Rule: r, Signal: s, Severity: row.Severity,
			Confidence: row.Confidence, Persona: row.Persona, Guarded: row.Guarded,
		}
		h.Message = strings.NewReplacer("{subject}", s.Subject, "{object}", s.Object).Replace(row.Message)
		if !row.Any {
			h.adjust(s.Context)
		}
		return h, true
	}
	return Hit{}, false
}

// adjust adjusts a hit to the context of the signal. A finding in visible text that is not meant to
// be followed is shown only to auditors. In a companion file that the definition does not refer to,
// the severity of a finding is one level lower, and its confidence is at most medium.
func (h *Hit) adjust(c signal.Context) {
	switch {
	case !c.Meant() && !c.Hidden:
		h.Severity, h.Confidence, h.Persona = Inform, Low, Auditor
	case c.Reach == signal.Companion && h.Severity > Inform:
		h.Severity--
		h.Confidence = min(h.Confidence, Medium)
	}
}

// with reports whether the row's requirements on other signals are met.
func (row *Row) with(s *signal.Signal, byKind map[signal.Kind][]*signal.Signal) bool {
	for i := range row.With {
		w := &row.With[i]
		found := false
		for _, other := range byKind[w.Kind] {
			if other != s && w.inScope(s, other) && w.Matches(other) {
				found = true
				break
			}
		}
		if found == w.Not {
			return false
		}
	}
	return true
}

func (w *With) inScope(a, b *signal.Signal) bool {
	switch w.In {
	case "unit":
		return a.Unit == b.Unit
	case "file":
		return a.File == b.File
	}
	return true
}
