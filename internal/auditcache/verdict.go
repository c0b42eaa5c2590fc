// Package auditcache stores the audit verdicts of loaded packages, so the same content is audited
// only once.
//
// The cache is a directory that only the user can access, with one small file per package. A
// verdict is used only if the content and the rules are the same as when it was computed. Other
// files in the directory are ignored. Deleting the cache only makes the next load slower.
package auditcache

import (
	"crypto/sha256"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/vadehq/vade/internal/audit"
	"github.com/vadehq/vade/internal/audit/bundle"
	"github.com/vadehq/vade/internal/audit/rules"
	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/version"
)

// Verdict is the result of auditing one package.
type Verdict struct {
	// Key identifies the content and the rules; see [Key].
	Key string
	// Severity is the highest severity among the findings. Findings about text that the loader
	// itself rejects do not count.
	Severity rules.Severity
	// Complete reports whether the audit read every file in the package.
	Complete bool
	// Findings lists the findings with severity review or block, which may prevent loading, most
	// severe first. Lower severities do not matter for loading.
	Findings []Finding
}

// Finding contains the parts of an audit finding that are stored in the cache.
type Finding struct {
	Rule     string         `json:"rule"`
	Name     string         `json:"name"`
	Severity rules.Severity `json:"severity"`
	Path     string         `json:"path,omitempty"`
	Line     int            `json:"line,omitempty"`
	Message  string         `json:"message"`
	// Digest identifies the file's content. A suppression applies only to the content with this
	// digest; see [bundle.Sums.Of]. If Digest is "", the finding cannot be suppressed.
	Digest string `json:"digest"`
	// More is the number of additional findings omitted for this rule.
	More int `json:"more,omitempty"`
}

// New audits a package and returns its verdict. key is the result of [Key] for the package, and
// sums contains the digests of its files.
func New(p *signal.Package, o audit.Options, key string, sums *bundle.Sums) *Verdict {
	r := audit.Run(p, o)
	v := &Verdict{Key: key, Severity: rules.Clean, Complete: r.Coverage.Complete}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Guarded {
			// The loader rejects the text that this finding is about, and the rest of the file is
			// harmless.
			continue
		}
		v.Severity = max(v.Severity, f.Severity)
		if f.Severity < rules.Review {
			continue
		}
		v.Findings = append(v.Findings, Finding{f.ID, f.Name, f.Severity, f.Path, f.Line, f.Message, sums.Of(f.Path), f.More})
	}
	return v
}

// Key returns the digest of everything that a verdict depends on: the package as read, the options
// and the rules. Strings are quoted so different inputs cannot collide.
func Key(p *signal.Package, o audit.Options) string {
	h := sha256.New()
	fmt.Fprintf(h, "vade verdict 4 %q %d\n", program(), o.Persona)
	if bad := o.KnownBad; bad != nil {
		fmt.Fprintf(h, "%q %q %q\n", bad.Digests, bad.Hosts, bad.Publishers)
	}
	fmt.Fprintf(h, "%q %d %d %t %d\n", p.Name, p.Kind, p.Layer, p.Bare, len(p.Files))
	for _, f := range p.Files {
		fmt.Fprintf(h, "%q %d %t %d\n", f.Path, f.Size, f.Exec, len(f.Raw))
		h.Write(f.Raw)
	}
	for _, m := range p.Missed {
		fmt.Fprintf(h, "%q %d %q %q\n", m.Path, m.Size, m.Reason, m.Note)
	}
	return fmt.Sprintf("sha256:%x", h.Sum(nil))
}

// program identifies this build of Vade. Different builds may have different audit rules.
var program = sync.OnceValue(func() string {
	id := version.Number + " " + version.Commit
	if version.Commit != "" && !strings.HasSuffix(version.Commit, "-dirty") {
		return id
	}
	// A build without a clean commit is identified by its executable file, because two such builds
	// of the same version may have different rules.
	if exe, err := os.Executable(); err == nil {
		if stat, err := os.Stat(exe); err == nil {
			id += fmt.Sprintf(" %d %d", stat.Size(), stat.ModTime().UnixNano())
		}
	}
	return id
})

// valid reports whether a verdict is consistent.
func (v *Verdict) valid() bool {
	worst := rules.Clean
	for i := range v.Findings {
		f := &v.Findings[i]
		if f.Severity < rules.Review || f.Rule == "" {
			return false
		}
		worst = max(worst, f.Severity)
	}
	if v.Severity < rules.Review {
		return len(v.Findings) == 0
	}
	return worst == v.Severity && slices.IsSortedFunc(v.Findings,
		func(a, b Finding) int { return int(b.Severity) - int(a.Severity) })
}
