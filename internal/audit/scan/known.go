package scan

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/check"
	"github.com/vadehq/vade/internal/check/rules"
)

// MaxBaseline is the maximum size of a baseline in bytes, and maxAuditKnown is the maximum number
// of findings in it.
const (
	MaxBaseline   = 8 << 20
	maxAuditKnown = 100_000
)

// acceptedFinding identifies a finding that the user accepted. It stays accepted until its file
// changes.
type acceptedFinding struct {
	Fingerprint string `json:"fingerprint"`
	Digest      string `json:"digest"`
}

// auditBaselineEntry is a finding in a baseline. Rule and Path are only for readers of the file.
type auditBaselineEntry struct {
	acceptedFinding
	Rule string `json:"rule"`
	Path string `json:"path"`
}

// auditBaselineKind distinguishes the baselines of audits from those of checks.
const auditBaselineKind = "vade-audit"

// parseAuditBaseline parses the output of [Report.Baseline] and returns the set of its findings. If
// data is nil, the set is nil.
func parseAuditBaseline(data []byte) (map[acceptedFinding]bool, error) {
	if data == nil {
		return nil, nil
	}
	wrong := func(format string, args ...any) (map[acceptedFinding]bool, error) {
		return nil, fmt.Errorf("vade: %w: %w", check.ErrBaseline, fmt.Errorf(format, args...))
	}
	if len(data) > MaxBaseline {
		return wrong("the file is larger than %d MiB", MaxBaseline>>20)
	}
	var doc struct {
		Kind     string               `json:"kind"`
		Version  int                  `json:"version"`
		Findings []auditBaselineEntry `json:"findings"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		return wrong("not a baseline: %w", err)
	}
	switch {
	case doc.Kind != auditBaselineKind:
		return wrong("not an audit baseline")
	case doc.Version != 1:
		return wrong("unsupported baseline version %d; this program reads version 1", doc.Version)
	case len(doc.Findings) > maxAuditKnown:
		return wrong("more than %d findings", maxAuditKnown)
	}
	known := map[acceptedFinding]bool{}
	for i, e := range doc.Findings {
		if e.Fingerprint == "" || e.Digest == "" {
			return wrong("finding %d has no fingerprint or digest", i+1)
		}
		known[e.acceptedFinding] = true
	}
	return known, nil
}

// Baseline returns all findings, including suppressed ones, as a baseline. It omits findings
// without a digest, which are in files or packages that were not read completely.
func (r *Report) Baseline() []byte {
	entries := []auditBaselineEntry{}
	for i := range r.Packages {
		p := &r.Packages[i]
		for j := range p.Findings {
			f := &p.Findings[j].Finding
			if digest := suppressionDigest(p, f); digest != "" {
				entries = append(entries, auditBaselineEntry{acceptedFinding{f.Fingerprint, digest}, f.ID, cmp.Or(f.Path, p.Path)})
			}
		}
	}
	slices.SortStableFunc(entries, func(a, b auditBaselineEntry) int {
		return strings.Compare(a.Path+"\x00"+a.Rule+a.Fingerprint, b.Path+"\x00"+b.Rule+b.Fingerprint)
	})
	return rules.FormatEntries(fmt.Sprintf(`"kind":%q,"version":1`, auditBaselineKind), entries)
}

// readSuppressions reads the suppressions and the blocklist from the user's and the administrator's
// policies.
func (a *auditor) readSuppressions(r *Report) error {
	p, diags := a.catalog.EffectivePolicy()
	r.Diagnostics = diags
	a.suppressions = p.Audit.Suppress
	a.run.KnownBad = catalog.AuditOptions(p).KnownBad
	return a.ctx.Err()
}

// suppressionDigest returns the digest that a suppression must have to apply to a finding. It is
// the file's digest. If further findings of the rule were omitted, it is the package's digest,
// because they may be in any file.
func suppressionDigest(p *Package, f *audit.Finding) string {
	if f.More > 0 {
		return p.Digest
	}
	return f.Digest
}

// suppressed returns what suppresses a finding, or nil if nothing does. The audited files
// themselves cannot suppress findings.
func (a *auditor) suppressed(p *Package, f *audit.Finding) *Suppressed {
	digest := suppressionDigest(p, f)
	if digest == "" {
		return nil
	}
	if a.known[acceptedFinding{f.Fingerprint, digest}] {
		return &Suppressed{By: "baseline"}
	}
	if f.More > 0 {
		// Each suppression in a policy is for one file, but the omitted findings may be in other
		// files.
		return nil
	}
	now := a.catalog.Options.Now()
	for i := range a.suppressions {
		s := &a.suppressions[i]
		if s.Covers(f.ID, p.Name, cmp.Or(f.Path, p.Path), f.Digest, now) {
			return &Suppressed{By: fmt.Sprintf("%s:%d", s.Origin.File, s.Origin.Line), Reason: s.Reason}
		}
	}
	return nil
}
