// Package scan finds the definition packages of a project or a path, audits each of them,
// and reports what the user has not accepted yet.
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

// Options say what to audit. The zero value is the definitions of the project of
// the working directory.
type Options struct {
	// Paths are files and directories anywhere: a definition, the directory of a skill,
	// a plugin, or a tree with many. None is the project.
	Paths []string
	// Loaded audits instead what is active here, from all layers, in the view that
	// [catalog.Options.As] names.
	Loaded bool
	// Persona is "regular", "pedantic" or "auditor"; "" is regular.
	Persona string
	// Baseline is what [Report.Baseline] has written earlier: those findings are
	// suppressed while their files stay as they were.
	Baseline []byte
	// Capabilities adds what each package would need.
	Capabilities bool
	// Progress is told how many packages have been audited; nil tells nobody.
	Progress func(done, total int)
}

// Report is what was found. Its JSON is stable, and is the same for the same
// files wherever they stand: fields are added, never renamed.
type Report struct {
	// Schema is the version of the form.
	Schema   int       `json:"schema"`
	Persona  string    `json:"persona"`
	Packages []Package `json:"packages"`
	// Skipped is what was not looked into when packages were looked for.
	Skipped []Skipped `json:"skipped"`
	Summary Summary   `json:"summary"`
	// Diagnostics are what is wrong with the files of the policy.
	Diagnostics []diag.Diagnostic `json:"-"`
}

// Package is a definition with what travels with it, or a directory without one.
type Package struct {
	// Path is its directory, or its file where that is all of it, relative to what was
	// audited; "." is that itself. So are the paths of findings.
	Path string `json:"path"`
	Name string `json:"name"`
	// Kind is that of the definition, or "plugin", "settings" or "files" for what
	// belongs to none.
	Kind  string `json:"kind"`
	Layer string `json:"layer,omitempty"`
	// Main is the definition's own file.
	Main string `json:"main,omitempty"`
	// Digest is that of all files of the package.
	Digest string `json:"digest,omitempty"`
	// Verdict is the weight of the worst finding that is not suppressed.
	Verdict rules.Severity `json:"verdict"`
	// Reason is the verdict in a sentence; "" if it is clean.
	Reason   string         `json:"reason,omitempty"`
	Findings []Finding      `json:"findings"`
	Coverage audit.Coverage `json:"coverage"`
	// Capabilities is what it would need, where that was asked for.
	Capabilities *audit.Manifest `json:"capabilities,omitempty"`
}

// Finding is something in a package that may be dangerous.
type Finding struct {
	audit.Finding
	// Suppressed says who has said that it does not count, nil where nobody did.
	Suppressed *Suppressed `json:"suppressed,omitempty"`
}

// Suppressed says why a finding does not count.
type Suppressed struct {
	// By is "baseline" or the place in a policy file.
	By     string `json:"by"`
	Reason string `json:"reason,omitempty"`
}

// Skipped is a directory or a link that was not looked into.
type Skipped struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
	// Unreadable reports that it could not be read, rather than left out on purpose.
	Unreadable bool `json:"-"`
}

// Summary counts packages and findings.
type Summary struct {
	Packages int `json:"packages"`
	Block    int `json:"block"`
	Review   int `json:"review"`
	Inform   int `json:"inform"`
	Clean    int `json:"clean"`
	// Partly is the number of packages of which something was not looked at.
	Partly     int `json:"partly"`
	Suppressed int `json:"suppressed"`
}

// auditSchema is the version of the report's form.
const auditSchema = 1

// Worst is the weight of the worst finding that is not suppressed.
func (r *Report) Worst() rules.Severity {
	worst := rules.Clean
	for i := range r.Packages {
		worst = max(worst, r.Packages[i].Verdict)
	}
	return worst
}

// ErrNothingToAudit is the error of [Run] for a path that has no file.
var ErrNothingToAudit = errors.New("there is no file to audit")

// ErrPersona is the error of [Run] for a persona that is none.
var ErrPersona = errors.New("there is no such persona: use regular, pedantic or auditor")

// Run looks for what is dangerous in definitions and in what travels with them.
// Nothing runs, nothing is written, nobody is asked; what was not looked at is in the
// report. The user's and the administrator's policy may suppress findings, what is
// audited cannot.
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

// count fills in the summary.
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
