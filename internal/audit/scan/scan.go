package scan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/vadehq/vade/internal/audit"
	"github.com/vadehq/vade/internal/catalog"
)

// AuditSeverity is the weight of a finding, or of the worst of a package.
type AuditSeverity = audit.Severity

// The weights. Inform: worth knowing. Review: a person should look before the
// definition is used. Block: it should not be loaded.
const (
	AuditClean  = audit.Clean
	AuditInform = audit.Inform
	AuditReview = audit.Review
	AuditBlock  = audit.Block
)

// ParseAuditSeverity returns the weight of a word: block, review or inform.
func ParseAuditSeverity(word string) (AuditSeverity, bool) { return audit.ParseSeverity(word) }

// AuditOptions say what to audit. The zero value is the definitions of the project of
// the working directory.
type AuditOptions struct {
	// Paths are files and directories anywhere: a definition, the directory of a skill,
	// a plugin, or a tree with many. None is the project.
	Paths []string
	// Loaded audits instead what is in force here, from all layers, in the view that
	// [Options.As] names.
	Loaded bool
	// Persona is "regular", "pedantic" or "auditor"; "" is regular.
	Persona string
	// Baseline is what [AuditReport.Baseline] has written earlier: those findings are
	// suppressed while their files stay as they were.
	Baseline []byte
	// Capabilities adds what each package would need.
	Capabilities bool
	// Progress is told how many packages have been audited; nil tells nobody.
	Progress func(done, total int)
}

// AuditReport is what was found. Its JSON is stable, and is the same for the same
// files wherever they stand: fields are added, never renamed.
type AuditReport struct {
	// Schema is the version of the form.
	Schema   int              `json:"schema"`
	Persona  string           `json:"persona"`
	Packages []AuditedPackage `json:"packages"`
	// Skipped is what was not looked into when packages were looked for.
	Skipped []AuditSkipped `json:"skipped"`
	Summary AuditSummary   `json:"summary"`
	// Diagnostics are what is wrong with the files of the policy.
	Diagnostics []catalog.Diagnostic `json:"-"`
}

// AuditedPackage is a definition with what travels with it, or a directory without one.
type AuditedPackage struct {
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
	Verdict  AuditSeverity  `json:"verdict"`
	Findings []AuditFinding `json:"findings"`
	Coverage audit.Coverage `json:"coverage"`
	// Capabilities is what it would need, where that was asked for.
	Capabilities *audit.Manifest `json:"capabilities,omitempty"`
}

// AuditFinding is something in a package that may be dangerous.
type AuditFinding struct {
	audit.Finding
	// Suppressed says who has said that it does not count, nil where nobody did.
	Suppressed *AuditSuppressed `json:"suppressed,omitempty"`
}

// AuditSuppressed says why a finding does not count.
type AuditSuppressed struct {
	// By is "baseline" or the place in a policy file.
	By     string `json:"by"`
	Reason string `json:"reason,omitempty"`
}

// AuditSkipped is a directory or a link that was not looked into.
type AuditSkipped struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// AuditSummary counts packages and findings.
type AuditSummary struct {
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
func (r *AuditReport) Worst() AuditSeverity {
	worst := AuditClean
	for i := range r.Packages {
		worst = max(worst, r.Packages[i].Verdict)
	}
	return worst
}

// ErrNothingToAudit is the error of [Audit] for a path that has no file.
var ErrNothingToAudit = errors.New("there is no file to audit")

// ErrPersona is the error of [Audit] for a persona that is none.
var ErrPersona = errors.New("there is no such persona: use regular, pedantic or auditor")

// Audit looks for what is dangerous in definitions and in what travels with them.
// Nothing runs, nothing is written, nobody is asked; what was not looked at is in the
// report. The user's and the administrator's policy may suppress findings, what is
// audited can not.
func Audit(ctx context.Context, o catalog.Options, ao AuditOptions) (*AuditReport, error) {
	persona, ok := audit.ParsePersona(cmp.Or(ao.Persona, audit.Regular.String()))
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
	r := &AuditReport{Schema: auditSchema, Persona: persona.String(), Packages: make([]AuditedPackage, len(a.found)), Skipped: a.skipped}
	if err := a.policy(r); err != nil {
		return nil, err
	}
	var done atomic.Int64
	err = catalog.SideBySide(len(a.found), func(i int) error {
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
	r.Packages = slices.DeleteFunc(r.Packages, func(p AuditedPackage) bool { return p.Kind == "" })
	if len(r.Packages) == 0 && len(ao.Paths) > 0 {
		return nil, fmt.Errorf("vade: %s: %w", strings.Join(ao.Paths, ", "), ErrNothingToAudit)
	}
	r.count()
	if r.Skipped == nil {
		r.Skipped = []AuditSkipped{}
	}
	return r, nil
}

// count fills in the summary.
func (r *AuditReport) count() {
	s := &r.Summary
	s.Packages = len(r.Packages)
	for i := range r.Packages {
		p := &r.Packages[i]
		switch p.Verdict {
		case audit.Block:
			s.Block++
		case audit.Review:
			s.Review++
		case audit.Inform:
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
