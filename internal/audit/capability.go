package audit

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/vadehq/vade/internal/audit/signal"
)

// CapabilityKind is a kind of access that a definition needs, such as running a program.
type CapabilityKind string

// The kinds of capabilities are running a program, reading a file, writing a file, connecting to a
// network host, reading an environment variable, and using one of the agent's tools.
const (
	CanRun   CapabilityKind = "run"
	CanRead  CapabilityKind = "read"
	CanWrite CapabilityKind = "write"
	CanNet   CapabilityKind = "net"
	CanEnv   CapabilityKind = "env"
	CanTool  CapabilityKind = "tool"
)

// kindOrder is the order of the kinds in a manifest.
var kindOrder = [...]CapabilityKind{CanRun, CanRead, CanWrite, CanNet, CanEnv, CanTool}

// Capability is one thing that a definition needs.
type Capability struct {
	Kind CapabilityKind `json:"kind"`
	// What identifies the program, file, host, variable or tool. "*" stands for any.
	What string `json:"what"`
	// Used reports whether the text or code uses the capability. Declared reports whether the
	// frontmatter requests it.
	Used     bool `json:"used"`
	Declared bool `json:"declared"`
	// Path and Line locate the first use, or the declaration if there is no use.
	Path string `json:"path,omitempty"`
	Line int    `json:"line,omitempty"`
}

// Manifest lists what a definition needs according to its frontmatter, text and code.
type Manifest struct {
	// Declares reports whether the frontmatter declares any capability.
	Declares     bool         `json:"declares"`
	Capabilities []Capability `json:"capabilities"`
	// More is the number of capabilities omitted from the list.
	More int `json:"more,omitempty"`
	// Complete reports whether the whole package was read.
	Complete bool `json:"complete"`
}

// maxCapabilities is the maximum number of capabilities in a manifest.
const maxCapabilities = 1000

// Capabilities lists the capabilities that a package's text and code use, and compares them with
// the capabilities that the package declares. It ignores text that is not meant to be followed,
// such as quoted text and prohibitions.
func Capabilities(r *Report) Manifest {
	m := manifestBuilder{set: r.Set, at: map[string]int{}}
	m.Complete, m.Capabilities = r.Coverage.Complete, []Capability{}
	for i := range r.Set.Signals {
		if s := &r.Set.Signals[i]; s.Meant() {
			m.signal(s)
		}
	}
	list := m.Capabilities
	for i := range list {
		m.match(&list[i])
		m.Declares = m.Declares || list[i].Declared
	}
	slices.SortFunc(list, func(a, b Capability) int {
		order := cmp.Compare(slices.Index(kindOrder[:], a.Kind), slices.Index(kindOrder[:], b.Kind))
		return cmp.Or(order, cmp.Compare(a.What, b.What))
	})
	return m.Manifest
}

// manifestBuilder builds a manifest. at maps each capability to its index in the manifest.
type manifestBuilder struct {
	Manifest
	set *signal.Set
	at  map[string]int
}

// signal adds the capability that a signal requires.
func (m *manifestBuilder) signal(s *signal.Signal) {
	switch s.Kind {
	case signal.Program:
		name := cmp.Or(s.Object, s.Subject)
		// Any other name is part of a script or a sentence rather than a program.
		if strings.ContainsFunc(name, unicode.IsLetter) && !strings.ContainsAny(name, " \t!()[]{}<>=;,'\"") {
			m.add(CanRun, name, s, true)
		}
		if s.File == 0 {
			m.add(CanTool, "Bash", s, true)
		}
	case signal.Read:
		if s.Has("env-all") || s.Has("env-secret") || s.Has("env") {
			m.add(CanEnv, cmp.Or(s.Object, "*"), s, true)
		} else {
			m.add(CanRead, cmp.Or(s.Object, "*"), s, true)
		}
	case signal.Write, signal.Delete:
		m.add(CanWrite, cmp.Or(s.Object, "*"), s, true)
	case signal.Address:
		// A link in prose is meant for people, so the definition itself does not need access to the
		// host.
		if s.Medium != signal.Prose && s.Medium != signal.Frontmatter && !s.Has("placeholder") && !s.Has("private") {
			m.add(CanNet, s.Object, s, true)
		}
	case signal.Grant:
		for _, kind := range kindOrder {
			if s.File == 0 && s.Has(signal.Tag(kind)) {
				m.add(kind, s.Object, s, false)
			}
		}
	}
}

// add adds a capability, or merges it with an existing one.
func (m *manifestBuilder) add(kind CapabilityKind, what string, s *signal.Signal, used bool) {
	if what = strings.TrimSpace(what); what == "" || len(what) > 200 {
		return
	}
	key := string(kind) + "\x00" + what
	i, found := m.at[key]
	if !found {
		if len(m.Capabilities) >= maxCapabilities {
			m.More++
			return
		}
		i = len(m.Capabilities)
		m.at[key] = i
		m.Capabilities = append(m.Capabilities, Capability{Kind: kind, What: what})
	}
	c := &m.Capabilities[i]
	if used && !c.Used || c.Line == 0 {
		f := m.set.Package.Files[s.File]
		c.Path, c.Line = f.Path, f.Source().Pos(f.RawSpan(s.Span).Start).Line
	}
	c.Used = c.Used || used
	c.Declared = c.Declared || !used
}

// match sets Declared for a capability that is used if a broader declaration covers it.
func (m *manifestBuilder) match(c *Capability) {
	if !c.Used || c.Declared {
		return
	}
	c.Declared = slices.ContainsFunc(m.Capabilities, func(d Capability) bool {
		below := d.Kind == CanNet && strings.HasSuffix(c.What, "."+strings.TrimPrefix(d.What, "*."))
		return d.Kind == c.Kind && d.Declared && (d.What == "*" || below)
	})
}
