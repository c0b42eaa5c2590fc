// Package scan finds definition packages in a project or path, audits them, and reports the
// findings. Findings that the user has accepted are reported as suppressed.
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

// Options specifies what to audit. The zero value audits the project that contains the working
// directory.
type Options struct {
	// Paths lists files and directories to audit, at any location. Each is a definition, a skill
	// directory, a plugin, or a directory tree that contains many definitions. If Paths is empty,
	// the project is audited.
	Paths []string
	// If Loaded is set, Paths is ignored, and the definitions that are active in any layer are
	// audited. They are the ones that the host in [catalog.Options.As] sees.
	Loaded bool
	// Persona is "regular", "pedantic" or "auditor". "" means regular.
	Persona string
	// Baseline is earlier output from [Report.Baseline]. The findings in it are suppressed until
	// their files change.
	Baseline []byte
	// Capabilities reports whether to add a list of capabilities to each package.
	Capabilities bool
	// Progress, if not nil, is called from time to time with the number of packages audited so far.
	// Calls may be concurrent and out of order.
	Progress func(done, total int)
}

// Report holds the results. Its JSON format is stable: fields are added but never renamed.
// Identical files produce identical reports, regardless of their location.
type Report struct {
	// Schema is the version of the report format.
	Schema   int       `json:"schema"`
	Persona  string    `json:"persona"`
	Packages []Package `json:"packages"`
	// Skipped lists paths that were not searched or not read.
	Skipped []Skipped `json:"skipped"`
	Summary Summary   `json:"summary"`
	// Diagnostics lists problems with policy files.
	Diagnostics []diag.Diagnostic `json:"-"`
}

// Package is a definition and its files, or a group of files without a definition.
type Package struct {
	// Path is the package's directory, or its file if the package consists of a single file. It is
	// relative to the audited path, and the audited path itself is ".". Paths in findings are also
	// relative to the audited path.
	Path string `json:"path"`
	Name string `json:"name"`
	// Kind is the definition's kind, or "plugin", "settings" or "files" if the package has no
	// definition.
	Kind  string `json:"kind"`
	Layer string `json:"layer,omitempty"`
	// Main is the definition's own file.
	Main string `json:"main,omitempty"`
	// Digest covers all files in the package.
	Digest string `json:"digest,omitempty"`
	// Verdict is the severity of the worst unsuppressed finding.
	Verdict rules.Severity `json:"verdict"`
	// Reason is the title of the rule that determines the verdict. It is "" for a clean package.
	Reason   string         `json:"reason,omitempty"`
	Findings []Finding      `json:"findings"`
	Coverage audit.Coverage `json:"coverage"`
	// Capabilities lists what the package needs. It is set only if requested.
	Capabilities *audit.Manifest `json:"capabilities,omitempty"`
}

// Finding is a potential danger in a package.
type Finding struct {
	audit.Finding
	// Suppressed describes what suppresses the finding. It is nil if nothing does.
	Suppressed *Suppressed `json:"suppressed,omitempty"`
}

// Suppressed describes why a finding is suppressed.
type Suppressed struct {
	// By is "baseline" or a position in a policy file.
	By     string `json:"by"`
	Reason string `json:"reason,omitempty"`
}

// Skipped is a path that was not searched or not read.
type Skipped struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
	// Unreadable reports whether the path could not be read. It is false if the path was skipped on
	// purpose.
	Unreadable bool `json:"-"`
}

// Summary counts the packages, both in total and by verdict, and the suppressed findings.
type Summary struct {
	Packages int `json:"packages"`
	Block    int `json:"block"`
	Review   int `json:"review"`
	Inform   int `json:"inform"`
	Clean    int `json:"clean"`
	// Partly is the number of packages that were not read completely.
	Partly     int `json:"partly"`
	Suppressed int `json:"suppressed"`
}

// auditSchema is the version of the report format.
const auditSchema = 1

// Worst returns the severity of the worst unsuppressed finding.
func (r *Report) Worst() rules.Severity {
	worst := rules.Clean
	for i := range r.Packages {
		worst = max(worst, r.Packages[i].Verdict)
	}
	return worst
}

// ErrNothingToAudit is returned if the paths passed to [Run] contain no files.
var ErrNothingToAudit = errors.New("no files to audit")

// ErrPersona is returned if [Run] is called with an unknown persona.
var ErrPersona = errors.New("unknown persona; use regular, pedantic or auditor")

// Run audits definitions and their files. It runs nothing, writes nothing and makes no network
// requests. The report lists what was not read. A baseline and the user's and administrator's
// policies can suppress findings, but the audited files cannot.
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
	if err := a.readSuppressions(r); err != nil {
		return nil, err
	}
	var done atomic.Int64
	err = catalog.Parallel(len(a.found), func(i int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := a.auditPackage(a.found[i], &r.Packages[i])
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
