package command

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/vadehq/vade/internal/audit/known"
	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/policy"
	"github.com/vadehq/vade/internal/shell"

	"mvdan.cc/sh/v3/syntax"
)

// call is a simple command.
type call struct {
	words []value
	// assigns lists the variables that are set only for this command, as NAME=text.
	assigns []string
	in      value
	at      place
	// text is the command as written, and written is its first word as written in the source.
	text, written string
	// program is the command's entry in programs.txt, or nil. name is the
	// entry's name, and args holds the remaining words with their roles.
	program *program
	name    string
	args
	// encrypted reports whether the command opens a password-protected archive. exposed reports
	// whether it gives a container access to the host machine.
	encrypted, exposed bool
}

// run interprets a simple command and returns its output.
func (m *machine) run(c *call) value {
	if m.depth > maxDepth || len(c.words) == 0 {
		return value{}
	}
	m.depth++
	defer func() { m.depth-- }()
	first := &c.words[0]
	if first.text == "@" {
		return expression(c.words[1:])
	}
	var n int
	c.program, c.name, n = lookup(c.words)
	if !m.native && isSentence(c) {
		return value{}
	}
	m.started(c)
	if !first.known && c.program == nil && first.has(network, decoded, asset, connection) {
		m.runs(c, first.holds)
		return value{holds: []cargo{{what: shellOutput}}}
	}
	var texts []string
	for _, w := range c.words {
		texts = append(texts, w.text)
	}
	if m.native && c.in.like {
		// PowerShell commands receive an object through the pipeline.
		texts = append(texts, c.in.text)
	}
	name := programName(first.text)
	m.effects(c, "=", c.assigns)
	operands := texts[1:]
	if dir := strings.TrimRight(m.doc.dir, "/"); dir != m.doc.dir || known.Home(dir) {
		for _, w := range texts[1:] {
			if w != "" && strings.IndexByte("-/~$", w[0]) < 0 {
				operands = append(slices.Clip(operands), dir+"/"+w)
			}
		}
	}
	out := m.effects(c, name, operands)
	if f := m.doc.functions[first.text]; f != nil {
		return m.function(f, c.words, c.in)
	}
	reads := c.program != nil && c.program.does == "xargs"
	if at := shell.Wrapped(name, texts); at > 0 && at < len(c.words) && !reads {
		return m.inWrapper(c, at)
	}
	switch {
	case m.startsFile(c):
		return out
	case c.program == nil:
		return both(out, m.other(c))
	}
	c.args = c.program.arguments(c.words[n:])
	return both(out, m.act(c))
}

// inWrapper interprets the command that a wrapper such as env or flock runs. The command starts at
// word at.
func (m *machine) inWrapper(c *call, at int) value {
	if c.words[at-1].text == "-c" {
		// flock -c starts a shell.
		return m.execute(c, c.words[at], "sh")
	}
	inner := c.inner(c.words[at:])
	for _, w := range c.words[1:at] {
		if strings.Contains(w.text, "=") {
			inner.assigns = append(inner.assigns, w.text) // env NAME=value
		}
	}
	return m.run(inner)
}

// act interprets a program listed in programs.txt and returns its output.
func (m *machine) act(c *call) value {
	for _, v := range c.all("run") {
		m.execute(c, escaped(v), "sh")
	}
	act := m.x.actions[c.program.does]
	if act == nil {
		act = (*machine).simple
	}
	return act(m, c)
}

// isSentence reports whether the words are prose rather than a command. They are prose if the first
// word is capitalized and no word is a flag or a URL. A line that starts with "at" is usually part
// of a stack trace.
func isSentence(c *call) bool {
	first := c.words[0].text
	if first == "at" {
		return len(c.words) < 2 || !regex("atTime").MatchString(c.words[1].text)
	}
	return regex("capitalWord").MatchString(first) && !slices.ContainsFunc(c.words, func(w value) bool {
		return strings.HasPrefix(w.text, "-") || strings.Contains(w.text, "://")
	})
}

// inner returns the command that c runs with the same streams.
func (c *call) inner(words []value) *call {
	return &call{words: words, in: c.in, at: c.at, text: joined(words).text}
}

// started adds the signals for the program that a command starts.
func (m *machine) started(c *call) {
	first := &c.words[0]
	method := strings.Contains(first.text, "::")
	keyword := syntax.IsKeyword(c.name) || c.program != nil && c.program.does == "keyword"
	if method || keyword || c.name == "" || c.name[0] == '$' || strings.HasPrefix(first.text, "/dev/fd/") {
		return
	}
	var tags []signal.Tag
	if c.program != nil && (c.program.does == "code" || c.program.does == "shell") {
		tags = append(tags, "shell")
	}
	if m.native {
		tags = append(tags, "native")
	}
	if c.name == "sudo" || c.name == "doas" {
		tags = append(tags, "privileged")
	}
	if m.set.Regions[m.region].Intent == signal.Executed && readOnly(c) {
		tags = append(tags, "read-only")
	}
	m.add(c.at, signal.Program, c.text, c.name, tags...)
	if c.program != nil && c.written != "" && first.known {
		m.hidden(c, strings.Trim(c.written, `"'`))
	}
}

// hidden adds a signal if a program's name is obfuscated.
func (m *machine) hidden(c *call, written string) {
	hides := strings.ContainsAny(written, `'"\`) || strings.Count(written, "$") > 1
	if m.native || strings.TrimPrefix(written, `\`) == c.words[0].text {
		hides = len(written) > 2 && strings.ContainsAny(written, "?*[")
	}
	if hides {
		m.add(c.at, signal.Obfuscated, c.text, c.name, "name")
	}
}

var defaultPolicy = sync.OnceValue(func() *policy.Policy {
	p, _ := policy.Combine()
	return p
})

// readOnly reports whether Vade's default policy runs the command without asking.
func readOnly(c *call) bool {
	var texts []string
	for _, w := range c.words {
		if !w.known || w.like {
			return false
		}
		texts = append(texts, w.text)
	}
	_, refusal := defaultPolicy().Judge(texts, nil, policy.DecisionContext{Mode: policy.Readonly})
	return refusal == nil
}

// effects adds signals for each matching row in effects.txt, and returns the
// secrets that the command prints.
func (m *machine) effects(c *call, name string, words []string) value {
	size := 0
	for _, w := range words {
		size += len(w)
	}
	if !m.spend(len(words), size) {
		return value{}
	}
	var out value
	matching(name, words, looks(name), func(e *effect, word string) {
		c.encrypted = c.encrypted || e.kind == signal.FileForm
		c.exposed = c.exposed || slices.Contains(e.tags, "container")
		number := m.add(c.at, e.kind, c.text, cmp.Or(word, name), e.tags...)
		if e.kind == signal.Read {
			out.carry(cargo{what: secret, tags: e.tags, name: name, unit: m.root(), read: number})
		}
	})
	if flag := host.GuardFlag(name, words); flag != "" {
		m.add(c.at, signal.Weaken, c.text, flag, "agent-guards")
	}
	return out
}

// looks reports whether a program only searches or prints.
func looks(name string) bool {
	p := programs()[name]
	return name == "git" || p != nil && (p.does == "print" || p.does == "pass" || p.does == "find")
}

// root returns the outermost region that contains the current one.
func (m *machine) root() int {
	at := m.region
	for n := 0; n < signal.MaxDepth+1 && m.set.Regions[at].Parent >= 0; n++ {
		at = m.set.Regions[at].Parent
	}
	return at
}

// inside returns a machine for text within a word of a command.
func (m *machine) inside(at place) *machine {
	n := *m
	n.src, n.base, n.fixed, n.at = "", 0, true, at
	return &n
}

// embed creates a region for text passed to an interpreter, and returns a
// machine for it. It returns nil if the text is skipped.
func (m *machine) embed(at place, text, lang, how string) *machine {
	r := &m.set.Regions[m.region]
	c := r.ContextAt(at.from)
	if c.Medium == signal.Value {
		c.Reach = signal.Own // A command in a configuration file is treated like a script.
	}
	c.Medium, c.Lang = signal.Code, lang
	index := m.set.Embed(m.region, r.At(at.from, at.to), c, text, how)
	if index < 0 {
		return nil
	}
	n := *m
	n.region, n.src, n.base, n.fixed = index, "", 0, false
	return &n
}

func isCommands(lang string) bool { return lang == "sh" || lang == "ps1" || lang == "bat" }

// execute interprets a program passed to an interpreter, and returns its output.
func (m *machine) execute(c *call, v value, lang string) value {
	commands := isCommands(lang)
	variable := strings.HasPrefix(strings.TrimSpace(v.text), "$") && !v.known
	switch {
	case v.empty():
		return value{}
	case v.known && v.has(decoded, asset):
		m.runs(c, v.holds)
		n := m.embed(c.at, v.text, lang, v.encoding())
		if n == nil || !commands {
			return value{}
		}
		m.x.embedded[n.region] = true
		return n.script(v.text, lang, c.in)
	case v.text == "" || variable && lang != "sh" || commands && v.like && !v.known:
		if lang == "ps1" && len(v.holds) == 0 {
			v.holds = m.doc.client
		}
	case commands:
		if !v.known && regex("evaluatedWord").MatchString(v.text) {
			m.add(c.at, signal.Run, c.text, v.text, "evaluated")
		}
		return m.inside(c.at).script(v.text, lang, c.in)
	default:
		m.embed(c.at, v.text, lang, "")
		return m.inCode(c, v)
	}
	if v.text != "" {
		m.add(c.at, signal.Run, c.text, v.text, "evaluated")
	}
	m.runs(c, v.holds)
	return value{}
}

// inCode returns what is known about a program in another language without evaluating it: whether
// it executes its input, what it decodes, and which secret files it names.
func (m *machine) inCode(c *call, v value) value {
	var out value
	runsText := regex("evaluates").MatchString(v.text)
	if regex("readsInput").MatchString(v.text) {
		out.holds = c.in.holds
		if runsText {
			m.runs(c, c.in.holds)
		}
	}
	if regex("decodes").MatchString(v.text) && !runsText {
		out.carry(m.cargo(decoded, c.words[0].text))
	}
	for _, found := range regex("pathString").FindAllStringSubmatch(v.text, 64) {
		out.carry(m.secretFile(c.at, c.text, found[1])...)
	}
	return out
}

// runs adds signals for code that is run but does not appear literally in the text.
func (m *machine) runs(c *call, list []cargo) {
	carries := value{holds: list}
	var common []signal.Tag
	if c.program != nil && (c.program.detail == "sh" || c.program.does == "shell") {
		common = append(common, "shell")
	}
	if m.x.checked[m.root()] {
		common = append(common, "checked")
	}
	for _, x := range list {
		switch x.what {
		case secret, named, shellOutput:
			continue
		case decoded:
			if carries.has(network) {
				continue
			}
		}
		tags := append(slices.Clone(common), x.tags...)
		if x.stored {
			tags = append(tags, "stored")
			if dataName(c.words[len(c.words)-1].text) {
				tags = append(tags, "data-name")
			}
			if x.unit != m.root() {
				tags = append(tags, "apart")
			}
		}
		tags = append(tags, signal.Tag(x.what))
		if x.what == network && carries.has(decoded) {
			tags = append(tags, "decoded")
		}
		kind := signal.Run
		if x.what == connection {
			kind = signal.Connect
		}
		m.add(c.at, kind, c.text, x.name, tags...)
	}
}

// binaryName reports whether a name has the extension of an image or another binary format.
// dataName also accepts the extensions of data files, which legitimate commands never run.
func binaryName(name string) bool { return regex("binaryNames").MatchString(name) }
func dataName(name string) bool   { return binaryName(name) || regex("dataNames").MatchString(name) }

// startsFile reports whether a command runs a file that another command created or unpacked.
func (m *machine) startsFile(c *call) bool {
	word := c.words[0].text
	named := strings.ContainsAny(word, `/\$%`) || m.file(word) != nil
	return named && !strings.Contains(word, "://") && m.runFile(c, c.words[0], "sh")
}

// runFile interprets the file that v names as a program and reports whether the file exists.
func (m *machine) runFile(c *call, v value, lang string) bool {
	found := false
	v.each(func(path string) {
		f := m.file(path)
		switch {
		case path == "" || found:
			return
		case f == nil:
			found = m.runOwn(c, path, lang)
			return
		case f.known && f.embedded:
			m.runs(c, f.holds)
		default:
			m.execute(c, f.value, lang)
		}
		found = true
	})
	return found
}

// runOwn interprets a file as a program. The file is part of the package or an archive, not one
// that a command created.
func (m *machine) runOwn(c *call, path, lang string) bool {
	// Shells cannot run URLs, but interpreters such as deno can.
	if strings.Contains(path, "://") && lang != "sh" {
		m.runs(c, m.remote(literal(path), "loaded"))
		return true
	}
	if index := m.packaged(path); index >= 0 {
		x := m.set.Package.Files[index]
		self := index == m.set.Regions[m.region].File
		switch {
		case x.Role == signal.Opaque:
			m.add(c.at, signal.Run, c.text, x.Path, "unread")
		case x.Role != signal.Script && !self && len(x.Text) <= maxText:
			m.embed(c.at, x.Text, lang, "")
		}
		return true
	}
	name := base(path)
	for i := range m.set.Missed {
		x := &m.set.Missed[i]
		if strings.HasSuffix(x.Path, name) && x.Why != signal.MissedLanguage && name == base(x.Path) {
			m.add(c.at, signal.Run, c.text, x.Path, "unread")
			return true
		}
	}
	if len(m.doc.unpacked) == 0 || regex("elsewhere").MatchString(path) {
		return false
	}
	m.runs(c, m.doc.unpacked)
	return true
}

// other interprets a command that is not in programs.txt. The command may read secret files named
// in its arguments, and may transform its input.
func (m *machine) other(c *call) value {
	out := value{holds: c.in.holds}
	if tags := known.Env(c.words[0].text); len(c.words) == 1 && len(tags) > 0 {
		// In a Makefile, $(NAME) is a variable.
		out.carry(m.cargo(secret, c.words[0].text, tags...))
	}
	for _, w := range c.words[1:] {
		if strings.HasPrefix(w.text, "-") || strings.Contains(w.text, "://") {
			continue
		}
		w.each(func(path string) {
			out.carry(m.secretFile(c.at, c.text, path)...)
			if binaryName(path) {
				out.carry(m.cargo(asset, path))
			}
		})
	}
	return out
}
