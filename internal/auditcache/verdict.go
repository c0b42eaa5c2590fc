// Package auditcache keeps what the audit found in the packages that were loaded, so that
// each content is audited once.
//
// What is kept is a directory of the user alone, with a small file for each package. A
// file is believed only for the very content that it was written for, judged by the
// same rules; whatever else stands there is as if nothing did. Losing it costs time.
package auditcache

import (
	"crypto/sha256"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/vadehq/vade/internal/audit"
	"github.com/vadehq/vade/internal/audit/bundle"
	"github.com/vadehq/vade/internal/audit/rules"
	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/version"
)

// Verdict is what the audit found in one package.
type Verdict struct {
	// Key is that of the content and the rules, as [Key] gives it.
	Key string
	// Severity is the worst of the findings.
	Severity rules.Severity
	// Complete: nothing of the package was left unread.
	Complete bool
	// Findings are those that may keep it from being rendered, the worst first: of
	// review and block. Fewer matter to nobody who loads it.
	Findings []Finding
}

// Finding is what is kept of one.
type Finding struct {
	Rule     string         `json:"rule"`
	Name     string         `json:"name"`
	Severity rules.Severity `json:"severity"`
	Path     string         `json:"path,omitempty"`
	Line     int            `json:"line,omitempty"`
	Message  string         `json:"message"`
	// Digest is what a suppression is bound to, as [bundle.Sums.Of] gives it; "" where
	// nothing can vouch for the content, so that it can not be suppressed.
	Digest string `json:"digest"`
	// More is how many others of the rule are not shown.
	More int `json:"more,omitempty"`
}

// Of audits a package and returns what has to be kept of it. key is the package's, sums
// are the digests of its files.
func Of(p *signal.Package, o audit.Options, key string, sums *bundle.Sums) *Verdict {
	r := audit.Run(p, o)
	v := &Verdict{Key: key, Severity: rules.Clean, Complete: r.Coverage.Complete}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Guarded {
			// The loader refuses it by itself, and the rest of the text is harmless.
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

// Key returns the digest of all that a verdict depends on: the package as it was read,
// the options, and the rules. Texts are quoted, so that no two of them run together.
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
		fmt.Fprintf(h, "%q %d %q %q\n", m.Path, m.Size, m.Why, m.Note)
	}
	return fmt.Sprintf("sha256:%x", h.Sum(nil))
}

// program identifies the program that judges, and so its rules.
var program = sync.OnceValue(func() string {
	id := version.Number
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return id
	}
	id += " " + info.Main.Version
	released := false
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			released = true
			id += " " + s.Value
		case "vcs.modified":
			released = released && s.Value == "false"
		}
	}
	if released {
		return id
	}
	// Builds of a working tree differ in their rules.
	if exe, err := os.Executable(); err == nil {
		if stat, err := os.Stat(exe); err == nil {
			id += fmt.Sprintf(" %d %d", stat.Size(), stat.ModTime().UnixNano())
		}
	}
	return id
})

// valid reports whether a verdict agrees with itself.
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
	return worst == v.Severity && slices.IsSortedFunc(v.Findings, func(a, b Finding) int { return int(b.Severity) - int(a.Severity) })
}
