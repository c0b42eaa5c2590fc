package audit

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/audit/fact"
)

// CapabilityKind is a way in which a definition touches what is around it.
type CapabilityKind string

// The kinds, in the order in which a manifest has them: programs that are run, files
// that are read and written, hosts, variables of the environment, tools of the agent.
const (
	CanRun   CapabilityKind = "run"
	CanRead  CapabilityKind = "read"
	CanWrite CapabilityKind = "write"
	CanNet   CapabilityKind = "net"
	CanEnv   CapabilityKind = "env"
	CanTool  CapabilityKind = "tool"
)

// order is the place of a kind in a manifest.
func (k CapabilityKind) order() int {
	return slices.Index([]CapabilityKind{CanRun, CanRead, CanWrite, CanNet, CanEnv, CanTool}, k)
}

// Capability is one thing that a definition would need.
type Capability struct {
	Kind CapabilityKind `json:"kind"`
	// What is the program, file, host, variable or tool; "*" is any.
	What string `json:"what"`
	// Used: the text or code uses it. Declared: the frontmatter asks for it.
	Used     bool `json:"used"`
	Declared bool `json:"declared"`
	// Path and Line are where it was found first, in use if it is used.
	Path string `json:"path,omitempty"`
	Line int    `json:"line,omitempty"`
}

// Manifest is what a definition would need, as far as its text and code show it.
type Manifest struct {
	// Declares: the frontmatter says anything of it. Where it does, what is used and
	// not declared is worth a look.
	Declares     bool         `json:"declares"`
	Capabilities []Capability `json:"capabilities"`
	// More is how many are left out.
	More int `json:"more,omitempty"`
	// Complete: nothing of the package was left unread.
	Complete bool `json:"complete"`
}

// maxCapabilities bounds a manifest.
const maxCapabilities = 1000

// Capabilities makes the manifest of an audited package from its facts: what the
// definition tells to do and what its code does, against what it declares. What is
// quoted or forbidden does not count. It is the same for the same package.
func Capabilities(r *Report) Manifest {
	m := manifest{p: &pass{Facts: r.Facts, rule: new(Rule)}, at: map[string]int{}}
	m.declared()
	m.out.Declares = len(m.list) > 0
	m.commands()
	m.code()
	m.net()
	m.match()
	slices.SortFunc(m.list, func(a, b Capability) int {
		return cmp.Or(cmp.Compare(a.Kind.order(), b.Kind.order()), cmp.Compare(a.What, b.What))
	})
	m.out.Complete = r.Coverage.Complete
	m.out.Capabilities = m.list
	if m.out.Capabilities == nil {
		m.out.Capabilities = []Capability{}
	}
	return m.out
}

// manifest is one being made.
type manifest struct {
	p    *pass
	list []Capability
	at   map[string]int
	out  Manifest
}

// add adds a capability, or joins it to the one that is there.
func (m *manifest) add(kind CapabilityKind, what string, place fact.Place, used bool) {
	if what = strings.TrimSpace(what); what == "" || len(what) > 200 {
		return
	}
	key := string(kind) + "\x00" + what
	i, found := m.at[key]
	if !found {
		if len(m.list) >= maxCapabilities {
			m.out.More++
			return
		}
		i = len(m.list)
		m.at[key] = i
		m.list = append(m.list, Capability{Kind: kind, What: what})
	}
	c := &m.list[i]
	if used && !c.Used || c.Line == 0 {
		f := m.p.finding(place, "")
		f.settle()
		c.Path, c.Line = f.Path, f.Line
	}
	c.Used = c.Used || used
	c.Declared = c.Declared || !used
}

// declared takes what the frontmatter asks for: tools, and what it says to require.
func (m *manifest) declared() {
	for _, g := range m.p.Grants {
		if g.Field == "permissionMode" || g.File != 0 {
			continue
		}
		m.add(CanTool, g.Tool, g.Place, false)
		rule := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(strings.TrimSuffix(g.Rule, "*")), ":"))
		switch tool := strings.ToLower(g.Tool); {
		case tool == "*":
			for _, k := range [...]CapabilityKind{CanRun, CanRead, CanWrite, CanNet} {
				m.add(k, "*", g.Place, false)
			}
		case shellTool(tool):
			m.add(CanRun, cmp.Or(firstWord(rule), "*"), g.Place, false)
		case tool == "webfetch" || tool == "fetch" || tool == "websearch" || tool == "web":
			m.add(CanNet, cmp.Or(strings.TrimPrefix(rule, "domain:"), "*"), g.Place, false)
		case tool == "read" || tool == "glob" || tool == "grep" || tool == "view":
			m.add(CanRead, cmp.Or(rule, "*"), g.Place, false)
		case tool == "write" || tool == "edit" || tool == "multiedit" || tool == "create":
			m.add(CanWrite, cmp.Or(rule, "*"), g.Place, false)
		}
	}
	for i := range m.p.Entries {
		m.required(&m.p.Entries[i], 0)
	}
}

// required takes what a map of requirements names, however deep hosts put it.
func (m *manifest) required(e *definition.Entry, depth int) {
	if depth > 6 {
		return
	}
	kind := CapabilityKind("")
	switch fold(e.Key) {
	case "bins", "anybins", "binaries", "programs", "commands":
		kind = CanRun
	case "env", "environment", "requiredsecrets", "secrets", "requiredenv", "primaryenv":
		kind = CanEnv
	case "hosts", "network", "domains":
		kind = CanNet
	}
	if kind != "" && (depth > 0 || kind == CanEnv) {
		values := e.Value.Items
		if e.Value.Kind == definition.String {
			values = []definition.Value{e.Value}
		}
		for i := range values {
			if values[i].Kind == definition.String {
				m.add(kind, values[i].Text, fact.Place{Span: values[i].Span}, false)
			}
		}
		return
	}
	for i := range e.Value.Pairs {
		m.required(&e.Value.Pairs[i], depth+1)
	}
}

// commands takes the programs that are run, and the files that they write to.
func (m *manifest) commands() {
	shell := false
	for i := range m.p.Commands {
		c := &m.p.Commands[i]
		if !c.Meant() || !programName(c.Name) {
			continue
		}
		m.add(CanRun, c.Name, c.Place, true)
		if c.File == 0 && !shell && c.Medium != fact.Shell {
			shell = true
			m.add(CanTool, "Bash", c.Place, true)
		}
		for _, name := range c.Writes {
			if !strings.HasPrefix(name, "/dev/") && !strings.HasPrefix(name, "&") {
				m.add(CanWrite, name, c.Place, true)
			}
		}
	}
}

// programName reports whether a word is the name of a program and not of a shell's
// own command.
func programName(name string) bool {
	switch name {
	case "", "cd", "echo", "export", "set", "unset", "true", "false", "exit", "test", "[", "[[", "printf", "read", "local", "return", "declare", "shift", "trap", "wait", "pwd", "alias", "type", "pushd", "popd", ":", "let", "break", "continue", "source", ".":
		return false
	}
	for i := range len(name) {
		if c := name[i]; !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c == '.' || c == '+') {
			return false
		}
	}
	return len(name) < 64
}

// code takes what scripts do, and the variables and files that are named.
func (m *manifest) code() {
	for i := range m.p.Calls {
		c := &m.p.Calls[i]
		if !c.Meant() {
			continue
		}
		first := ""
		if len(c.Args) > 0 {
			first = c.Args[0]
		}
		switch c.Does {
		case fact.RunProgram:
			if name := base(firstWord(first)); programName(strings.ToLower(name)) {
				m.add(CanRun, strings.ToLower(name), c.Place, true)
			} else {
				m.add(CanRun, "*", c.Place, true)
			}
		case fact.ReadFile, fact.ReadSecret:
			m.add(CanRead, cmp.Or(first, "*"), c.Place, true)
		case fact.WriteFile, fact.RemoveTree:
			m.add(CanWrite, cmp.Or(first, "*"), c.Place, true)
		case fact.Fetch, fact.Send, fact.Connect:
			if first == "" {
				m.add(CanNet, "*", c.Place, true)
			}
		case fact.ReadAllEnv:
			m.add(CanEnv, "*", c.Place, true)
		}
	}
	for i := range m.p.Env {
		if e := &m.p.Env[i]; e.Meant() {
			m.add(CanEnv, cmp.Or(e.Name, "*"), e.Place, true)
		}
	}
	for i := range m.p.Paths {
		x := &m.p.Paths[i]
		if !x.Meant() {
			continue
		}
		switch x.Access {
		case fact.Reads, fact.Sends:
			m.add(CanRead, x.Text, x.Place, true)
		case fact.Writes:
			m.add(CanWrite, x.Text, x.Place, true)
		}
	}
}

// net takes the hosts that commands and code name. A link in prose is for people.
func (m *manifest) net() {
	for i := range m.p.URLs {
		u := &m.p.URLs[i]
		if !u.Meant() || u.Host == "" || fact.Loopback(u.Host) || fact.PlaceholderHost(u.Host) && !u.IP {
			continue
		}
		switch u.Medium {
		case fact.Fence, fact.CodeSpan, fact.Code, fact.Literal, fact.Shell, fact.Value:
			m.add(CanNet, u.Host, u.Place, true)
		}
	}
}

// match marks what is used and declared under a wider name.
func (m *manifest) match() {
	said := ""
	for _, field := range [...]definition.Field{definition.FieldCompatibility, definition.FieldRequires} {
		if e := m.p.field(field); e != nil && e.Value.Kind == definition.String {
			said += " " + strings.ToLower(e.Value.Text)
			m.out.Declares = true
		}
	}
	words := strings.FieldsFunc(said, func(r rune) bool { return strings.ContainsRune(" ,;:.()\n\t`'\"/", r) })
	for i := range m.list {
		c := &m.list[i]
		if !c.Used || c.Declared {
			continue
		}
		_, all := m.at[string(c.Kind)+"\x00*"]
		c.Declared = all && m.list[m.at[string(c.Kind)+"\x00*"]].Declared || c.Kind == CanRun && slices.Contains(words, c.What)
		if c.Kind == CanNet {
			for k := range m.list {
				if d := &m.list[k]; d.Kind == CanNet && d.Declared && !d.Used && strings.HasSuffix(c.What, "."+strings.TrimPrefix(d.What, "*.")) {
					c.Declared = true
				}
			}
		}
	}
}
