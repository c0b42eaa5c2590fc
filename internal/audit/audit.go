// Package audit finds dangerous content in a definition and its companion files. Extractors look
// for signals, which package signal defines, and the rules in package rules decide which signals
// are findings. Package audit works in memory: it opens no files, runs nothing and sends nothing.
//
// A verdict is the severity of the worst finding, never a sum. If signals matter only in
// combination, a rule has a row for that combination.
package audit

import (
	"slices"

	"github.com/vadehq/vade/internal/audit/code"
	"github.com/vadehq/vade/internal/audit/command"
	"github.com/vadehq/vade/internal/audit/document"
	"github.com/vadehq/vade/internal/audit/manifest"
	"github.com/vadehq/vade/internal/audit/network"
	"github.com/vadehq/vade/internal/audit/prose"
	"github.com/vadehq/vade/internal/audit/rules"
	"github.com/vadehq/vade/internal/audit/signal"
)

// Report is the result of auditing a package.
type Report struct {
	// Findings holds the findings to report to the persona in Options, worst first.
	Findings []Finding
	// Verdict is the severity of the worst finding.
	Verdict rules.Severity
	// Coverage describes what was read and what was not.
	Coverage Coverage
	// Set holds the signals to which the rules were applied.
	Set *signal.Set
}

// Coverage describes what was read.
type Coverage struct {
	// Files and Bytes count the files that were read completely and the bytes in them.
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`
	// Complete reports whether everything was read, apart from valid images, audio, video and
	// fonts.
	Complete bool `json:"complete"`
	// Missed lists files and parts that were not read completely.
	Missed []signal.Missed `json:"missed,omitempty"`
}

// Options configure an audit. The zero value is the default.
type Options struct {
	// Persona selects which findings are reported.
	Persona rules.Persona
	// KnownBad holds the user's own blocklist; nil means an empty one.
	KnownBad *KnownBad
}

// Run audits a package. It modifies p: it sets the text of each file and adds the files that it
// extracts from archives.
func Run(p *signal.Package, o Options) *Report {
	if len(p.Files) == 0 {
		// Nothing could be read, but the extractors expect at least one file.
		p.Files, p.Bare = []*signal.File{{Path: p.Name}}, true
	}
	set := &signal.Set{Package: p, Missed: slices.Clone(p.Missed)}
	extract(set)
	o.KnownBad.find(set)
	r := &Report{Set: set, Findings: findings(set, rules.Judge(rules.All(), set), o.Persona)}
	if len(r.Findings) > 0 {
		r.Verdict = r.Findings[0].Severity
	}
	r.cover()
	return r
}

// extract runs the extractors over all regions, including regions that the
// extractors themselves embed.
func extract(set *signal.Set) {
	commands := new(command.Extractor)
	list := []signal.Extractor{prose.New(), manifest.New(), network.New(), commands, code.New(), document.Read(set)}
	seen := 0
	read := func() {
		for ; seen < len(set.Regions); seen++ {
			for _, x := range list {
				set.Guard(set.Regions[seen].File, func() { x.Region(set, seen) })
			}
		}
	}
	for done := 0; done < len(set.Regions); {
		read()
		set.Guard(0, func() { commands.Unparsed(set, done) })
		done = seen
	}
	for _, x := range list {
		set.Guard(0, func() { x.Finish(set) })
	}
}

func (r *Report) cover() {
	c := &r.Coverage
	c.Missed = slices.Clone(r.Set.Missed)
	for _, f := range r.Set.Package.Files {
		if f.From == nil && !slices.ContainsFunc(c.Missed, func(m signal.Missed) bool { return m.Path == f.Path }) {
			c.Files++
			c.Bytes += int64(len(f.Raw))
		}
	}
	c.Complete = !slices.ContainsFunc(c.Missed, func(m signal.Missed) bool { return m.Reason != signal.MissedMedia })
}
