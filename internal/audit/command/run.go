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
	at      span
	// text is the command as shown in messages, and rawName is its first word exactly as in the
	// source.
	text, rawName string
	// program is the command's entry in programs.txt, or nil. name is the
	// entry's name, and args holds the remaining words with their roles.
	program *program
	name    string
	args
	// encrypted reports whether the command opens an archive that is protected by a password.
	// exposed reports whether the command gives a container access to the host machine.
	encrypted, exposed bool
}

// run interprets a simple command and returns its output.
func (m *machine) run(c *call) value {
	if m.depth > maxDepth || len(c.words) == 0 {
		return value{}
	}
	m.depth++
	defer func() { m.depth-- }()
	if alias := strings.Fields(m.state.aliases[base(c.words[0].text)]); len(alias) > 0 {
		c.words = slices.Clone(c.words[1:])
		for i, word := range alias {
			c.words = slices.Insert(c.words, i, literal(word))
		}
	}
	first := &c.words[0]
	if first.text == "@" {
		return expression(c.words[1:])
	}
	var n int
	c.program, c.name, n = lookup(c.words)
	if !m.native && isSentence(c) {
		return value{}
	}
	m.addProgramSignals(c)
	if !first.known && c.program == nil && first.has(network, decoded, asset, connection) {
		m.addIndirectRun(c, first.sources)
		return value{sources: []source{{kind: shellOutput}}}
	}
	var texts []string
	for _, w := range c.words {
		texts = append(texts, w.text)
	}
	if m.native && c.in.isPattern {
		// PowerShell commands receive an object through the pipeline.
		texts = append(texts, c.in.text)
	}
	name := programName(first.text)
	m.addEffects(c, "=", c.assigns)
	operands := texts[1:]
	if dir := strings.TrimRight(m.state.dir, "/"); dir != m.state.dir || known.Home(dir) {
		for _, w := range texts[1:] {
			if w != "" && strings.IndexByte("-/~$", w[0]) < 0 {
				operands = append(slices.Clip(operands), dir+"/"+w)
			}
		}
	}
	out := m.addEffects(c, name, operands)
	if f := m.state.functions[first.text]; f != nil {
		return m.function(f, c.words, c.in)
	}
	reads := c.program != nil && c.program.effect == "xargs"
	if at := shell.Wrapped(name, texts); at > 0 && at < len(c.words) && !reads {
		return m.runWrapped(c, at)
	}
	switch {
	case m.startsCreatedFile(c):
		return out
	case c.program == nil:
		return concatOutput(out, m.runUnknown(c))
	}
	c.args = c.program.arguments(c.words[n:])
	return concatOutput(out, m.act(c))
}

// runWrapped interprets the command that is run by a wrapper such as env or flock. start is the
// index of the command's first word.
func (m *machine) runWrapped(c *call, start int) value {
	if c.words[start-1].text == "-c" {
		// flock -c starts a shell.
		return m.execute(c, c.words[start], "sh")
	}
	inner := c.inner(c.words[start:])
	for _, w := range c.words[1:start] {
		if strings.Contains(w.text, "=") {
			inner.assigns = append(inner.assigns, w.text) // env NAME=value
		}
	}
	return m.run(inner)
}

// act interprets a program listed in programs.txt and returns its output.
func (m *machine) act(c *call) value {
	for _, v := range c.all("run") {
		m.execute(c, optionCommand(v), "sh")
	}
	act := m.x.actions[c.program.effect]
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

// inner returns a call for a command that c runs. The new call has the same input and position as
// c.
func (c *call) inner(words []value) *call {
	return &call{words: words, in: c.in, at: c.at, text: joined(words).text}
}

// addProgramSignals adds the signals for the program that a command starts.
func (m *machine) addProgramSignals(c *call) {
	first := &c.words[0]
	method := strings.Contains(first.text, "::")
	keyword := syntax.IsKeyword(c.name) || c.program != nil && c.program.effect == "keyword"
	if method || keyword || c.name == "" || c.name[0] == '$' || strings.HasPrefix(first.text, "/dev/fd/") {
		return
	}
	var tags []signal.Tag
	if c.program != nil && (c.program.effect == "code" || c.program.effect == "shell") {
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
	if c.program != nil && c.rawName != "" && first.known {
		m.checkNameObfuscation(c, strings.Trim(c.rawName, `"'`))
	}
}

// checkNameObfuscation adds a signal if a program's name is obfuscated.
func (m *machine) checkNameObfuscation(c *call, rawName string) {
	obfuscated := strings.ContainsAny(rawName, `'"\`) || strings.Count(rawName, "$") > 1
	if m.native || strings.TrimPrefix(rawName, `\`) == c.words[0].text {
		obfuscated = len(rawName) > 2 && strings.ContainsAny(rawName, "?*[")
	}
	if obfuscated {
		m.add(c.at, signal.Obfuscated, c.text, c.name, "name")
	}
}

var defaultPolicy = sync.OnceValue(func() *policy.Policy {
	p, _ := policy.Combine()
	return p
})

// readOnly reports whether a command only reads, so that Vade's default policy allows it without
// asking the user.
func readOnly(c *call) bool {
	var texts []string
	for _, w := range c.words {
		if !w.known || w.isPattern {
			return false
		}
		texts = append(texts, w.text)
	}
	_, refusal := defaultPolicy().Judge(texts, nil, policy.DecisionContext{Mode: policy.Readonly})
	return refusal == nil
}

// addEffects adds signals for each matching row in effects.txt, and returns the
// secrets that the command prints.
func (m *machine) addEffects(c *call, name string, words []string) value {
	size := 0
	for _, w := range words {
		size += len(w)
	}
	if !m.spend(len(words), size) {
		return value{}
	}
	var out value
	eachEffect(name, words, isReadProgram(name), func(e *effect, word string) {
		c.encrypted = c.encrypted || e.kind == signal.FileForm
		c.exposed = c.exposed || slices.Contains(e.tags, "container")
		number := m.add(c.at, e.kind, c.text, cmp.Or(strings.TrimPrefix(word, "of="), name), e.tags...)
		if e.kind == signal.Read {
			out.addSources(source{kind: secret, tags: e.tags, name: name, region: m.root(), read: number})
		}
	})
	if flag := host.GuardFlag(name, words); flag != "" {
		m.add(c.at, signal.Weaken, c.text, flag, "agent-guards")
	}
	return out
}

// isReadProgram reports whether a program, such as git or grep, usually only searches or prints.
func isReadProgram(name string) bool {
	p := programs()[name]
	return name == "git" || p != nil && (p.effect == "print" || p.effect == "pass" || p.effect == "find")
}

// root returns the outermost region that contains the current one.
func (m *machine) root() int {
	at := m.region
	for n := 0; n < signal.MaxDepth+1 && m.set.Regions[at].Parent >= 0; n++ {
		at = m.set.Regions[at].Parent
	}
	return at
}

// nestedAt returns a machine that interprets text within a word of a command.
func (m *machine) nestedAt(at span) *machine {
	n := *m
	n.src, n.base, n.fixedSpan, n.at = "", 0, true, at
	return &n
}

// embed creates a region for text that is passed to an interpreter, and returns a machine that
// interprets the region. It returns nil if the text is to be skipped.
func (m *machine) embed(at span, text, lang, how string) *machine {
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
	n.region, n.src, n.base, n.fixedSpan = index, "", 0, false
	return &n
}

func isCommands(lang string) bool { return lang == "sh" || lang == "ps1" || lang == "bat" }

// execute interprets a program that is passed to an interpreter as text, and returns the program's
// output.
func (m *machine) execute(c *call, v value, lang string) value {
	commands := isCommands(lang)
	variable := strings.HasPrefix(strings.TrimSpace(v.text), "$") && !v.known
	switch {
	case v.empty():
		return value{}
	case v.known && v.has(decoded, asset):
		m.addIndirectRun(c, v.sources)
		n := m.embed(c.at, v.text, lang, v.encoding())
		if n == nil || !commands {
			return value{}
		}
		m.x.embedded[n.region] = true
		return n.script(v.text, lang, c.in)
	case v.text == "" || variable && lang != "sh" || commands && v.isPattern && !v.known:
		if lang == "ps1" && len(v.sources) == 0 {
			v.sources = m.state.client
		}
	case commands:
		if !v.known && regex("evaluatedWord").MatchString(v.text) {
			m.add(c.at, signal.Run, c.text, v.text, "evaluated")
		}
		return m.nestedAt(c.at).script(v.text, lang, c.in)
	default:
		m.embed(c.at, v.text, lang, "")
		return m.scanCode(c, v)
	}
	if v.text != "" {
		m.add(c.at, signal.Run, c.text, v.text, "evaluated")
	}
	m.addIndirectRun(c, v.sources)
	return value{}
}

// scanCode searches a program in another language for code that executes its input, code that
// decodes data, and paths of secret files. It returns the sources from which the program's output
// may come.
func (m *machine) scanCode(c *call, v value) value {
	var out value
	runsText := regex("evaluates").MatchString(v.text)
	if regex("readsInput").MatchString(v.text) {
		out.sources = c.in.sources
		if runsText {
			m.addIndirectRun(c, c.in.sources)
		}
	}
	if regex("decodes").MatchString(v.text) && !runsText {
		out.addSources(m.newSource(decoded, c.words[0].text))
	}
	for _, found := range regex("pathString").FindAllStringSubmatch(v.text, 64) {
		out.addSources(m.secretFile(c.at, c.text, found[1])...)
	}
	return out
}

// addIndirectRun adds signals for code that a command runs although the code does not appear
// literally in the text.
func (m *machine) addIndirectRun(c *call, list []source) {
	all := value{sources: list}
	var common []signal.Tag
	if c.program != nil && (c.program.detail == "sh" || c.program.effect == "shell") {
		common = append(common, "shell")
	}
	if m.x.checked[m.root()] {
		common = append(common, "checked")
	}
	for _, x := range list {
		switch x.kind {
		case secret, secretPath, shellOutput:
			continue
		case decoded:
			if all.has(network) {
				continue
			}
		}
		tags := append(slices.Clone(common), x.tags...)
		if x.stored {
			tags = append(tags, "stored")
			if dataName(c.words[len(c.words)-1].text) {
				tags = append(tags, "data-name")
			}
			if x.region != m.root() {
				tags = append(tags, "apart")
			}
		}
		tags = append(tags, signal.Tag(x.kind))
		if x.kind == network && all.has(decoded) {
			tags = append(tags, "decoded")
		}
		kind := signal.Run
		if x.kind == connection {
			kind = signal.Connect
		}
		m.add(c.at, kind, c.text, x.name, tags...)
	}
}

// binaryName reports whether a file name has the extension of an image or another binary format.
// dataName also accepts the extensions of data files. Legitimate commands never run data files.
func binaryName(name string) bool { return regex("binaryNames").MatchString(name) }
func dataName(name string) bool   { return binaryName(name) || regex("dataNames").MatchString(name) }

// startsCreatedFile reports whether a command runs a file that is in the package or that another
// command created or unpacked. If so, it interprets the file.
func (m *machine) startsCreatedFile(c *call) bool {
	word := c.words[0].text
	named := strings.ContainsAny(word, `/\$%`) || m.file(word) != nil
	return named && !strings.Contains(word, "://") && m.runFile(c, c.words[0], "sh")
}

// runFile interprets the file that v names as a program and reports whether the file exists.
func (m *machine) runFile(c *call, v value, lang string) bool {
	found := false
	v.eachText(func(path string) {
		f := m.file(path)
		switch {
		case path == "" || found:
			return
		case f == nil:
			found = m.runPackageFile(c, path, lang)
			return
		case f.known && f.embedded:
			m.addIndirectRun(c, f.sources)
		default:
			m.execute(c, f.value, lang)
		}
		found = true
	})
	return found
}

// runPackageFile interprets a file in the package, in an unpacked archive or at a URL as a program,
// and reports whether it found the file.
func (m *machine) runPackageFile(c *call, path, lang string) bool {
	// Shells cannot run URLs, but interpreters such as deno can.
	if strings.Contains(path, "://") && lang != "sh" {
		m.addIndirectRun(c, m.downloadSources(literal(path), "loaded"))
		return true
	}
	if index := m.packageFile(path); index >= 0 {
		x := m.set.Package.Files[index]
		self := index == m.set.Regions[m.region].File
		switch {
		case x.Role == signal.Opaque:
			m.add(c.at, signal.Run, c.text, x.Path, "unread")
		case !self && len(x.Text) <= maxText && (c.name == "." || c.name == "source"):
			m.nestedAt(c.at).script(x.Text, lang, value{})
		case x.Role != signal.Script && !self && len(x.Text) <= maxText:
			m.embed(c.at, x.Text, lang, "")
		}
		return true
	}
	name := base(path)
	for i := range m.set.Missed {
		x := &m.set.Missed[i]
		if strings.HasSuffix(x.Path, name) && x.Reason != signal.MissedLanguage && name == base(x.Path) {
			m.add(c.at, signal.Run, c.text, x.Path, "unread")
			return true
		}
	}
	if len(m.state.unpacked) == 0 || regex("elsewhere").MatchString(path) {
		return false
	}
	m.addIndirectRun(c, m.state.unpacked)
	return true
}

// runUnknown interprets a command that is not in programs.txt. Such a command may read the secret
// files that its arguments name, and its output may be derived from its input.
func (m *machine) runUnknown(c *call) value {
	out := value{sources: c.in.sources}
	if tags := known.Env(c.words[0].text); len(c.words) == 1 && len(tags) > 0 {
		// In a makefile, $(NAME) refers to a variable.
		out.addSources(m.newSource(secret, c.words[0].text, tags...))
	}
	for _, w := range c.words[1:] {
		if strings.HasPrefix(w.text, "-") || strings.Contains(w.text, "://") {
			continue
		}
		w.eachText(func(path string) {
			out.addSources(m.secretFile(c.at, c.text, path)...)
			if binaryName(path) {
				out.addSources(m.newSource(asset, path))
			}
		})
	}
	return out
}
