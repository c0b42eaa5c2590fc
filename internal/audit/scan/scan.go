// Package scan finds the definition packages of a project or path, audits them, and reports the
// findings that the user has not accepted.
package scan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/audit"
	"github.com/vadehq/vade/internal/audit/rules"
	"github.com/vadehq/vade/internal/catalog"
)

// Options select what to audit. The zero value audits the project that contains the working
// directory.
type Options struct {
	// Paths are files and directories anywhere: a definition, a skill's directory, a plugin, or a
	// tree of many definitions. If empty, the project is audited.
	Paths []string
	// Loaded audits the active definitions in every layer instead, in the view of
	// [catalog.Options.As].
	Loaded bool
	// Persona is "regular", "pedantic" or "auditor"; "" is regular.
	Persona string
	// Baseline is earlier output of [Report.Baseline]. Its findings are suppressed while their
	// files stay unchanged.
	Baseline []byte
	// Capabilities adds to each package a list of what it needs.
	Capabilities bool
	// Progress is called with the number of audited packages; it may be nil.
	Progress func(done, total int)
}

// Report holds the results. Its JSON is stable: fields are added, never renamed. It is identical
// for identical files, wherever they are.
type Report struct {
	// Schema is the version of the format.
	Schema   int       `json:"schema"`
	Persona  string    `json:"persona"`
	Packages []Package `json:"packages"`
	// Skipped lists what was not searched for packages.
	Skipped []Skipped `json:"skipped"`
	Summary Summary   `json:"summary"`
	// Diagnostics are problems with the policy files.
	Diagnostics []diag.Diagnostic `json:"-"`
}

// Package is a definition with its files, or a directory without a definition.
type Package struct {
	// Path is its directory, or its file if that is all of it, relative to the audited path; "."
	// is the audited path itself. Paths of findings are relative to the same path.
	Path string `json:"path"`
	Name string `json:"name"`
	// Kind is the kind of definition. It is "plugin", "settings" or "files" if there is no
	// definition.
	Kind  string `json:"kind"`
	Layer string `json:"layer,omitempty"`
	// Main is the definition's own file.
	Main string `json:"main,omitempty"`
	// Digest covers all files of the package.
	Digest string `json:"digest,omitempty"`
	// Verdict is the severity of the worst finding that is not suppressed.
	Verdict rules.Severity `json:"verdict"`
	// Reason is the verdict in one sentence; "" if it is clean.
	Reason   string         `json:"reason,omitempty"`
	Findings []Finding      `json:"findings"`
	Coverage audit.Coverage `json:"coverage"`
	// Capabilities lists what it needs, if requested.
	Capabilities *audit.Manifest `json:"capabilities,omitempty"`
}

// Finding is a possible danger in a package.
type Finding struct {
	audit.Finding
	// Suppressed says what suppresses the finding; nil if nothing does.
	Suppressed *Suppressed `json:"suppressed,omitempty"`
}

// Suppressed says why a finding does not count.
type Suppressed struct {
	// By is "baseline" or the position in a policy file.
	By     string `json:"by"`
	Reason string `json:"reason,omitempty"`
}

// Skipped is a directory or symlink that was not searched.
type Skipped struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
	// Unreadable means that it could not be read, rather than being skipped on purpose.
	Unreadable bool `json:"-"`
}

// Summary counts packages and findings.
type Summary struct {
	Packages int `json:"packages"`
	Block    int `json:"block"`
	Review   int `json:"review"`
	Inform   int `json:"inform"`
	Clean    int `json:"clean"`
	// Partly counts the packages that were not read completely.
	Partly     int `json:"partly"`
	Suppressed int `json:"suppressed"`
}

// auditSchema is the version of the report's format.
const auditSchema = 1

// Worst returns the severity of the worst finding that is not suppressed.
func (r *Report) Worst() rules.Severity {
	worst := rules.Clean
	for i := range r.Packages {
		worst = max(worst, r.Packages[i].Verdict)
	}
	return worst
}

// ErrNothingToAudit means that a path given to [Run] contains no files.
var ErrNothingToAudit = errors.New("no file to audit")

// ErrPersona means that [Run] was given an unknown persona.
var ErrPersona = errors.New("unknown persona: use regular, pedantic or auditor")

// Run audits definitions and their files. It runs nothing, writes nothing and makes no network
// requests; the report lists what was not read. The user's and administrator's policies may
// suppress findings; the audited files cannot.
func Run(ctx context.Context, o catalog.Options, ao Options) (*Report, error) {
	persona, ok := rules.ParsePersona(cmp.Or(ao.Persona, rules.Regular.String()))
	if !ok {
		return nil, fmt.Errorf("vade: %s: %w", ao.Persona, ErrPersona)
	}
	known, err := parseAuditBaseline(ao.Baseline)
	if err != nil {
		return nil, err
	}
	a := auditor{ctx: ctx, options: o, request: ao, run: audit.Options{Persona: persona}, known: known}
	defer a.close()
	if err := a.find(); err != nil {
		return nil, err
	}
	r := &Report{
		Schema: auditSchema, Persona: persona.String(),
		Packages: make([]Package, len(a.found)), Skipped: a.skipped,
	}
	if err := a.policy(r); err != nil {
		return nil, err
	}
	var done atomic.Int64
	err = catalog.Parallel(len(a.found), func(i int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := a.one(a.found[i], &r.Packages[i])
		if n := int(done.Add(1)); ao.Progress != nil && n%16 == 0 {
			ao.Progress(n, len(a.found))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	r.Packages = slices.DeleteFunc(r.Packages, func(p Package) bool { return p.Kind == "" })
	if len(r.Packages) == 0 && len(ao.Paths) > 0 {
		return nil, fmt.Errorf("vade: %s: %w", strings.Join(ao.Paths, ", "), ErrNothingToAudit)
	}
	r.count()
	if r.Skipped == nil {
		r.Skipped = []Skipped{}
	}
	return r, nil
}

// count computes the summary.
func (r *Report) count() {
	s := &r.Summary
	s.Packages = len(r.Packages)
	for i := range r.Packages {
		p := &r.Packages[i]
		switch p.Verdict {
		case rules.Block:
			s.Block++
		case rules.Review:
			s.Review++
		case rules.Inform:
			s.Inform++
		default:
			s.Clean++
		}
		if !p.Coverage.Complete {
			s.Partly++
		}
		for j := range p.Findings {
			if p.Findings[j].Suppressed != nil {
				s.Suppressed++
			}
		}
	}
}
