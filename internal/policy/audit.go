package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/chars"
)

// AuditMode selects which audit findings prevent a definition from being
// rendered. Smaller values are stricter.
type AuditMode uint8

const (
	// AuditReview refuses definitions with review or block findings.
	AuditReview AuditMode = iota
	// AuditBlock refuses only definitions with block findings.
	AuditBlock
	// AuditOff refuses nothing.
	AuditOff
)

// String returns "review", "block" or "off".
func (m AuditMode) String() string { return [...]string{"review", "block", "off"}[m] }

func (m AuditMode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// Audit configures which audit findings prevent definitions from being rendered.
type Audit struct {
	// Plugin, MCP, Project, User and Managed hold the modes for each layer's definitions.
	Plugin, MCP, Project, User, Managed AuditMode
	// Added is the mode for project and user definitions whose current content has not
	// been approved. The stricter of Added and the layer's mode applies.
	Added AuditMode
	// Suppress lists the findings to ignore. Only managed and user files may set it.
	Suppress []Suppression
	// KnownBad lists the files, hosts and publishers that the policy files block.
	KnownBad KnownBad
}

// KnownBad lists what policy files block: file hashes (SHA-256 in hexadecimal), host names and
// their subdomains, and package owners. Any policy file may add entries.
type KnownBad struct {
	Digests, Hosts, Publishers []Value
}

func (k *KnownBad) lists() [3]*[]Value { return [...]*[]Value{&k.Digests, &k.Hosts, &k.Publishers} }

// knownBadKeys returns the keys under known-bad, in the order in which fileParser.knownBad returns
// their lists.
func knownBadKeys() [3]string { return [...]string{"digests", "hosts", "publishers"} }

// Mode returns the modes for a layer's definitions. mode applies to a definition whose current
// content the user has not approved, and bare applies to an approved one.
func (a *Audit) Mode(l definition.Layer) (mode, bare AuditMode) {
	switch l {
	case definition.Plugin:
		return a.Plugin, a.Plugin
	case definition.MCP:
		return a.MCP, a.MCP
	case definition.Project:
		return min(a.Project, a.Added), a.Project
	case definition.User:
		return min(a.User, a.Added), a.User
	case definition.Managed:
		return a.Managed, a.Managed
	}
	return AuditOff, AuditOff
}

// Suppression describes findings to ignore.
type Suppression struct {
	// Rule is the ID of a rule.
	Rule string
	// Path is a suffix of the file's path, and Name is the definition's name; "" matches anything.
	Path, Name string
	// Digest is "sha256:" followed by the file's hash. The suppression ends when the file changes.
	Digest string
	// Reason is the user's explanation of why the findings can be ignored.
	Reason string
	// Expires is when the suppression ends; zero means never.
	Expires time.Time
	Origin  Origin
}

// Covers reports whether the suppression applies to a finding at the time now. rule is the
// finding's rule, name is the definition's name, and path and digest identify the file.
func (s *Suppression) Covers(rule, name, path, digest string, now time.Time) bool {
	switch {
	case s.Rule == "" || s.Digest == "" || s.Rule != rule || s.Digest != digest:
		return false
	case !s.Expires.IsZero() && !now.Before(s.Expires):
		return false
	case s.Name != "" && s.Name != name:
		return false
	}
	return s.Path == "" || path == s.Path || strings.HasSuffix(path, "/"+s.Path)
}

// String formats the suppression on one line.
func (s Suppression) String() string {
	var b strings.Builder
	b.WriteString(s.Rule)
	for _, x := range [...]struct{ key, value string }{{"name", s.Name}, {"path", s.Path}, {"digest", s.Digest}} {
		if x.value != "" {
			fmt.Fprintf(&b, " %s=%s", x.key, x.value)
		}
	}
	if !s.Expires.IsZero() {
		b.WriteString(" until " + s.Expires.AddDate(0, 0, -1).Format(time.DateOnly))
	}
	fmt.Fprintf(&b, " (%s)", s.Reason)
	return b.String()
}

// auditKeys returns the keys under audit that set a mode: all keys except suppress and known-bad.
func auditKeys() [6]string {
	return [...]string{"plugin", "mcp", "added", "project", "user", "managed"}
}

func (a *Audit) modes() [6]*AuditMode {
	return [...]*AuditMode{&a.Plugin, &a.MCP, &a.Added, &a.Project, &a.User, &a.Managed}
}

func suppressKeys() []string {
	return []string{"rule", "path", "name", "digest", "reason", "expires"}
}

// auditing holds one file's audit settings. The modes are in auditKeys order.
type auditing struct {
	modes    [6]stated[AuditMode]
	suppress []suppression
	knownBad [3][]item
	// invalid reports whether an error in the file may have hidden a stricter setting.
	invalid bool
}

type suppression struct {
	Suppression
	span diag.Span
}

// failClosed sets every mode to the strictest value, because the file has an error at span.
func (a *auditing) failClosed(span diag.Span) {
	a.invalid = true
	for i := range a.modes {
		a.modes[i] = stated[AuditMode]{value: AuditReview, ok: true, span: span}
	}
}

// audit parses the audit key: a single mode for all layers, or a map of modes, suppressions and
// known-bad entries.
func (p *fileParser) audit(v definition.Value) (a auditing) {
	switch v.Kind {
	case definition.Null:
		return a
	case definition.Map:
	default:
		m := p.auditMode("audit", v)
		for i := range a.modes {
			a.modes[i] = m
		}
		return a
	}
	keys := auditKeys()
	for _, e := range v.Pairs {
		if i := slices.Index(keys[:], e.Key); i >= 0 {
			a.modes[i] = p.auditMode("audit: "+e.Key, e.Value)
		} else if e.Key == "suppress" {
			a.suppress = p.suppressions(e.Value)
		} else if e.Key == "known-bad" {
			a.knownBad = p.knownBad(e.Value)
		} else {
			p.unknown(e, "correct the key; until then, every definition with a review or block finding is refused", append(keys[:], "suppress", "known-bad")...)
			a.invalid, a.modes[0].span = true, e.KeySpan
		}
	}
	if a.invalid {
		a.failClosed(a.modes[0].span)
	}
	return a
}

func (p *fileParser) auditMode(key string, v definition.Value) stated[AuditMode] {
	return oneOf(p, key, v, AuditOff, "block, review or off")
}

// knownBad parses the known-bad key. An invalid value adds nothing.
func (p *fileParser) knownBad(v definition.Value) (lists [3][]item) {
	const fix = "correct it; until then, it has no effect"
	if v.Kind != definition.Map && v.Kind != definition.Null {
		p.invalid(v.Span, fix, "known-bad must be a map with digests, hosts or publishers, not %s", quoted(v))
	}
	keys := knownBadKeys()
	for _, e := range v.Pairs {
		i := slices.Index(keys[:], e.Key)
		if i < 0 {
			p.unknown(e, fix, keys[:]...)
			continue
		}
		fix := fix
		if e.Key == "digests" {
			fix = replaceAdvice("use SHA-256 digests", fix)
		}
		reject := func(v definition.Value) { p.invalid(v.Span, fix, "known-bad: %s contains %s", e.Key, quoted(v)) }
		values, _ := items(e.Value, reject)
		for _, x := range values {
			text, ok := scalar(x)
			text = strings.ToLower(strings.TrimSpace(text))
			if e.Key == "digests" {
				text = strings.TrimPrefix(text, "sha256:")
				ok = ok && len(text) == 64 && strings.Trim(text, "0123456789abcdef") == ""
			}
			if !ok || text == "" {
				reject(x)
				continue
			}
			lists[i] = append(lists[i], item{text, x.Span})
		}
	}
	return lists
}

// suppressions parses the list of findings to ignore. An invalid entry suppresses nothing.
func (p *fileParser) suppressions(v definition.Value) []suppression {
	const fix = "correct the entry; until then, it suppresses nothing"
	if v.Kind == definition.Null {
		return nil
	}
	if v.Kind != definition.List {
		p.invalid(v.Span, fix, "suppress must be a list of entries, not %s", quoted(v))
		return nil
	}
	var list []suppression
	for _, item := range v.Items {
		if s, ok := p.suppression(item, fix); ok {
			list = append(list, s)
		}
	}
	return list
}

func (p *fileParser) suppression(v definition.Value, fix string) (s suppression, ok bool) {
	s.Origin, s.span = p.f.origin(v.Span), v.Span
	if v.Kind != definition.Map {
		p.invalid(v.Span, fix, "suppress contains %s; expected an entry", quoted(v))
		return s, false
	}
	ok = true
	for _, e := range v.Pairs {
		text, isText := scalar(e.Value)
		text = strings.TrimSpace(text)
		if !slices.Contains(suppressKeys(), e.Key) {
			p.unknown(e, fix, suppressKeys()...)
			ok = false
			continue
		}
		problem := ""
		switch e.Key {
		case "rule":
			s.Rule = text
			if len(text) != 3 || text[0] < 'A' || text[0] > 'Z' || !chars.IsDigits(text[1:]) {
				problem = "must be a rule ID such as X01"
			}
		case "digest":
			s.Digest = text
			if hex, found := strings.CutPrefix(text, "sha256:"); !found || len(hex) != 64 || strings.Trim(hex, "0123456789abcdef") != "" {
				problem = "must be sha256: followed by 64 hexadecimal digits; to see the digest of each finding, run: vade audit --json"
			}
		case "expires":
			day, err := time.Parse(time.DateOnly, text)
			if err != nil {
				problem = "must be a date such as 2027-01-31"
			} else {
				s.Expires = day.AddDate(0, 0, 1)
			}
		case "path":
			s.Path = strings.TrimPrefix(text, "./")
		case "name":
			s.Name = text
		case "reason":
			s.Reason = text
		}
		if problem == "" && (!isText || text == "") {
			problem = "must be a nonempty string"
		}
		if problem != "" {
			p.invalid(e.Value.Span, fix, "suppress: %s %s %s", e.Key, quoted(e.Value), problem)
			ok = false
		}
	}
	if ok && (s.Rule == "" || s.Digest == "" || s.Reason == "") {
		p.invalid(v.Span, fix, "an entry in suppress needs a rule, the file's digest and a reason")
		ok = false
	}
	return s, ok
}

// audit combines the files' settings. It uses the strictest mode for each layer and accepts
// suppressions only from files that may allow more than the defaults.
func (c *combiner) audit() {
	p := c.p
	p.Audit = Audit{Plugin: AuditBlock, MCP: AuditBlock, Added: AuditBlock, Project: AuditOff, User: AuditOff, Managed: AuditOff}
	before := len(c.diags)
	for i, mode := range p.Audit.modes() {
		*mode = strictestValue(c, "audit."+auditKeys()[i], *mode, func(f *File) stated[AuditMode] { return f.audit.modes[i] }, cmp.Compare[AuditMode])
	}
	// If the audit key is a single value for all modes, report a problem with it only once.
	added := c.diags[before:]
	c.diags = c.diags[:before]
	for _, d := range added {
		if !slices.ContainsFunc(c.diags[before:], func(o diag.Diagnostic) bool {
			return o.File == d.File && o.Line == d.Line && o.Column == d.Column
		}) {
			c.diags = append(c.diags, d)
		}
	}
	for _, f := range c.files {
		for i, list := range p.Audit.KnownBad.lists() {
			*list = append(*list, valuesOf(f, f.audit.knownBad[i])...)
		}
		for _, s := range f.audit.suppress {
			if c.p.mayOnlyRestrict(f.Layer) {
				c.reportWidening(f, s.span, "an entry in suppress")
				continue
			}
			p.Audit.Suppress = append(p.Audit.Suppress, s.Suppression)
		}
	}
}
