// Package audit looks for what is dangerous in a definition and in what travels with
// it: facts come from package fact, [Rules] judge them, one rule to a file. It is
// pure: nothing is opened, nothing runs, no text is asked for.
//
// A verdict is the weight of the worst finding, never a sum: many small things are
// not a large one. Where several weak signs do mean something together, a rule says
// so by name.
package audit

import (
	"slices"

	"github.com/vadehq/vade/internal/audit/fact"
)

// Report is what the audit of one package says.
type Report struct {
	// Findings are those for the persona, the worst first.
	Findings []Finding
	// Verdict is the weight of the worst of them.
	Verdict Severity
	// Coverage says what was looked at, and what was not.
	Coverage Coverage
	// Facts are what the rules judged.
	Facts *fact.Facts
}

// Coverage says what was looked at.
type Coverage struct {
	// Files and Bytes were read.
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`
	// Complete: there is nothing else in the package but images, sound and fonts that
	// are what their names say.
	Complete bool `json:"complete"`
	// Missed is what was not looked at, or not all of it.
	Missed []Missed `json:"missed,omitempty"`
}

// Missed is one thing that was not looked at.
type Missed struct {
	Path   string      `json:"path"`
	Size   int64       `json:"size,omitempty"`
	Reason fact.Reason `json:"reason"`
	Note   string      `json:"note,omitempty"`
}

// Options say how a package is audited. The zero value is what everybody gets.
type Options struct {
	// Persona says for whom findings are shown.
	Persona Persona
	// KnownBad is what the user's own policy names as bad; nil is nothing.
	KnownBad *KnownBad
}

// KnownBad is what is known to be bad: a list that a policy brings along. Vade has
// none of its own.
type KnownBad struct {
	// Digests are SHA-256 sums of files in hexadecimal, Hosts are names of hosts, with
	// all below them, and Publishers are the owners of packages, as in github.com/OWNER.
	Digests, Hosts, Publishers []string
}

// Run audits a package. It fills in the files of the package, as [fact.Extract] does.
//
// Should the audit itself fail over a text, that text is not clean: it may have been
// written for that. Then the report has one finding, which blocks.
func Run(p *fact.Package, o Options) (r *Report) {
	defer func() {
		if recover() != nil {
			r = failed(p)
		}
	}()
	return run(p, o)
}

// failed is the report on a package over which the audit has failed.
func failed(p *fact.Package) *Report {
	rule := s08()
	m := Missed{Path: p.Name, Reason: fact.MissedUnparsed, Note: "the audit of it has failed"}
	f := (&pass{rule: &rule}).about("not looked at: the audit of it has failed, which is an error of Vade: please report it with what was audited")
	f.Severity = Block
	r := &Report{Facts: &fact.Facts{Package: p}, Verdict: Block, Findings: []Finding{f}, Coverage: Coverage{Missed: []Missed{m}}}
	fingerprint(r.Findings)
	return r
}

func run(p *fact.Package, o Options) *Report {
	if len(p.Files) == 0 {
		// Nothing of it could be read: rules may count on a first file.
		p.Files, p.Bare = []*fact.File{{Path: p.Name}}, true
	}
	facts := fact.Extract(p)
	r := &Report{Facts: facts}
	var all, shown []Finding
	for _, rule := range Rules() {
		run := pass{Facts: facts, rule: &rule, earlier: all, options: &o}
		rule.find(&run)
		all = append(all, run.out...)
		shown = append(shown, run.most()...)
		if run.lost > 0 && rule.Severity == Block {
			// What is behind them is as bad as they are, as far as anybody knows.
			shown = append(shown, run.about("%d more are found than are kept: the worst may be among them", run.lost))
		}
		if run.lost > 0 {
			facts.Missed = append(facts.Missed, fact.Missed{Path: p.Files[0].Path, Why: fact.MissedTooMany, Note: rule.ID + " has more to say than is kept"})
		}
	}
	all = shown
	sortFindings(all)
	fingerprint(all)
	for _, f := range all {
		if f.Persona <= o.Persona {
			r.Findings = append(r.Findings, f)
			r.Verdict = max(r.Verdict, f.Severity)
		}
	}
	r.cover()
	return r
}

func (r *Report) cover() {
	c := &r.Coverage
	for _, f := range r.Facts.Package.Files {
		if f.From == nil {
			c.Files++
			c.Bytes += int64(len(f.Raw))
		}
	}
	for _, m := range r.Facts.Missed {
		c.Missed = append(c.Missed, Missed{m.Path, m.Size, m.Why, m.Note})
	}
	// A true image has no text for a model and runs nowhere: that it was not read
	// leaves nothing open.
	c.Complete = !slices.ContainsFunc(c.Missed, func(m Missed) bool { return m.Reason != fact.MissedMedia })
}

// Known reports whether there is a rule with an ID, and returns it.
func Known(id string) (Rule, bool) {
	list := Rules()
	i := slices.IndexFunc(list, func(r Rule) bool { return r.ID == id })
	if i < 0 {
		return Rule{}, false
	}
	return list[i], true
}
