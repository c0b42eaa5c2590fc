package command

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/internal/audit/decode"
	"github.com/vadehq/vade/internal/audit/known"
	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/chars"
)

// actions maps the name of each effect in programs.txt to a function. The function interprets a
// program with that effect and returns the program's output.
func actions() map[string]func(*machine, *call) value {
	return map[string]func(*machine, *call) value{
		"archive": (*machine).archive, "cipher": (*machine).transform,
		"clone": (*machine).clone, "code": (*machine).code, "contained": (*machine).wrapped,
		"copy": (*machine).copyFiles, "cron": (*machine).scheduled, "decode": (*machine).transform,
		"env": (*machine).environment, "find": (*machine).find, "install": (*machine).install,
		"net": (*machine).networkProgram, "object": (*machine).powerShellObject,
		"open": (*machine).open, "pack": (*machine).transform, "pass": (*machine).transform,
		"print": (*machine).transform, "remote": (*machine).transfer, "runner": (*machine).install,
		"runurl": (*machine).runURL, "setting": (*machine).setting,
		"shell": (*machine).shell, "wrap": (*machine).wrapped, "xargs": (*machine).xargs,
	}
}

// newSource returns a source in the current region.
func (m *machine) newSource(kind sourceKind, name string, tags ...signal.Tag) source {
	return source{kind: kind, name: name, tags: tags, region: m.root()}
}

// simple interprets programs whose effects need only a few lines of code.
func (m *machine) simple(c *call) value {
	words := c.all("word")
	switch c.program.effect {
	case "hash":
		if c.program.detail == "always" || c.has("check") {
			m.x.checked[m.root()] = true
		}
	case "model":
		return value{sources: append(slices.Clone(c.in.sources), m.newSource(model, c.name))}
	case "secret":
		if c.in.empty() && (c.program.detail != "history" || !c.has("flag")) {
			v := m.secret(c, c.name, signal.Tag(c.program.detail))
			for _, name := range c.all("out") {
				m.write(c.at, name, v, false)
			}
			return v
		}
	case "alias":
		for _, w := range c.all("text") {
			name, text, _ := strings.Cut(w.text, "=")
			m.state.aliases[name] = text
			m.execute(c, w.withText(text), "sh")
		}
	case "path":
		if len(words) > 0 {
			return literal("/bin/" + words[0].text)
		}
	case "cd":
		if len(words) > 0 {
			m.state.dir = words[0].text
		}
	case "read":
		for _, w := range words {
			m.assignVar(w.text, c.in.lines())
		}
	case "set":
		if len(words) > 1 {
			// fish: set -x NAME value
			m.assignVar(words[0].text, words[1])
		}
	}
	return value{}
}

// shell interprets programs that pass a script to a shell, possibly on another machine.
func (m *machine) shell(c *call) value {
	n := *m
	words := c.all("word")
	remote := c.program.detail == "remote" && len(words) > 0
	n.contained = m.contained || remote && !regex("thisMachine").MatchString(words[0].text)
	if words := c.all("command"); len(words) > 0 {
		return n.run(c.inner(words))
	}
	out := n.execute(c, joined(c.all("text", "rest")), "sh")
	if remote {
		out.addSources(m.downloadSources(words[0])...)
	}
	return out
}

// wrapped interprets programs that run another command, which is in their arguments.
func (m *machine) wrapped(c *call) value {
	n := *m
	n.contained = m.contained || c.program.effect == "contained" && !c.exposed
	if words := c.all("command"); len(words) > 0 {
		return n.run(c.inner(words))
	}
	return c.in
}

// optionCommand returns the command in an option's value, without the prefix that marks the value
// as a command. It returns any other value unchanged.
func optionCommand(v value) value {
	if at := regex("commandOption").FindStringIndex(v.text); at != nil {
		v.text = v.text[at[1]:]
	}
	return v
}

// powerShellObject interprets PowerShell commands that create an object from their operands.
func (m *machine) powerShellObject(c *call) value {
	out := c.in
	operands := c.all("text")
	for _, v := range operands {
		out.addSources(v.sources...)
		if out.text == "" {
			out.text, out.known = v.text, v.known
		}
	}
	if len(operands) > 1 && chars.IndexFold(operands[0].text, "sockets.tcpclient") >= 0 {
		out.addSources(m.connect(c.at, c.text, operands[1].text)...)
		m.state.client = out.sources
	}
	return out
}

// secret returns the secret that a program prints. The secret has the tag tag.
func (m *machine) secret(c *call, name string, tag signal.Tag) value {
	x := m.newSource(secret, name, tag)
	if tag == "env-all" || tag == "history" {
		x.read = m.add(c.at, signal.Read, c.text, c.name, tag)
	}
	return value{sources: []source{x}}
}

// environment interprets programs that print environment variables.
func (m *machine) environment(c *call) value {
	operands := c.all("skip")
	if len(c.assigns)+len(operands) == 0 {
		return m.secret(c, "the environment", "env-all")
	}
	var out value
	for _, v := range operands {
		if c.name == "printenv" {
			v, _ = m.variable(v.text)
			out.addSources(v.sources...)
		}
	}
	return out
}

// setting interprets commands that set a package registry, and commands that set a command for git
// to run.
func (m *machine) setting(c *call) value {
	for _, w := range c.all("word") {
		if v := optionCommand(w); v.text != w.text {
			m.execute(c, v, "sh")
		}
		at := strings.Index(w.text, "http")
		if at >= 0 && regex("registrySetting").MatchString(c.text) {
			tags, _ := hostTags(w.text[at:])
			m.add(c.at, signal.Install, c.text, w.text[at:], append(tags, "registry-option")...)
		}
	}
	return value{}
}

// code interprets commands that run an interpreter for another language.
func (m *machine) code(c *call) value {
	lang := c.program.detail
	if v, ok := c.first("encoded"); ok {
		return m.execute(c, m.decodeProgram(v), "ps1")
	}
	operand, hasOperand := c.first("file")
	rest, hasRest := c.first("rest")
	switch {
	case hasOperand && c.has("inline"):
		words := c.all("word")
		return m.withArguments(words, func() value { return m.execute(c, operand, lang) })
	case c.has("text"):
		var out value
		for _, v := range c.all("text") {
			out = concatOutput(out, m.program(c, v))
		}
		return out
	case hasRest && rest.text != "-":
		return m.execute(c, rest, lang)
	case hasOperand && !c.has("stdin") && !regex("standardInput").MatchString(operand.text):
		m.runFile(c, operand, lang)
		return m.runUnknown(c)
	}
	in := c.in
	c.in = value{}
	out := m.execute(c, in, lang)
	if !in.known && isCommands(lang) {
		out.addSources(source{kind: shellOutput, name: c.words[0].text})
	}
	return out
}

// decodeProgram decodes a base64-encoded program that is passed to PowerShell.
func (m *machine) decodeProgram(v value) value {
	text, ok := decode.Text("base64", v.text)
	text = strings.ReplaceAll(text, "\x00", "")
	if !ok || !utf8.ValidString(text) {
		return value{sources: []source{m.newSource(decoded, "base64", "computed")}}
	}
	return value{text: text, known: true, sources: []source{m.newSource(decoded, "base64")}}
}

// program interprets a program that a command receives as an argument.
func (m *machine) program(c *call, v value) value {
	lang := c.program.detail
	if lang == "net" {
		m.addIndirectRun(c, v.sources)
		return value{}
	}
	out := m.execute(c, v, lang)
	if lang == "awk" {
		out.addSources(c.in.sources...)
	}
	return out
}

// scheduled interprets at and crontab, which read commands to be run later.
func (m *machine) scheduled(c *call) value {
	in := c.in
	for _, v := range c.all("file", "read") {
		if v.text != "-" {
			in = m.readFile(c.at, v)
		}
	}
	if c.has("list") || len(c.words) == 1 && in.empty() {
		return value{}
	}
	m.add(c.at, signal.Write, c.text, c.name, "cron")
	if c.program.detail == "table" {
		in.text = regex("cronTime").ReplaceAllString(in.text, "")
	}
	return m.execute(c, in, "sh")
}

// xargs interprets xargs and parallel, which turn their input into arguments of a command.
func (m *machine) xargs(c *call) value {
	words, items := c.all("command"), c.in.lines()
	mark, _ := c.first("mark")
	if c.has("braces") {
		mark.text = "{}"
	}
	if i := slices.IndexFunc(words, func(w value) bool { return w.text == ":::" }); i >= 0 {
		// The items for parallel come after the command. If there is no command, the items are
		// commands.
		words, items, mark.text = words[:i], oneOf(words[i+1:]), "{}"
		if i == 0 {
			return m.execute(c, items, "sh")
		}
	}
	if !replace(words, mark.text, items) && mark.text == "" {
		words = append(words, items)
	}
	return m.run(&call{words: words, at: c.at, text: joined(words).text})
}

// replace replaces the placeholder mark in words with a value, and reports whether words contains
// it.
func replace(words []value, mark string, v value) bool {
	found := false
	for i := range words {
		before, after, ok := strings.Cut(words[i].text, mark)
		if ok && mark != "" {
			found = true
			words[i] = concat(words[i].withText(before), v, words[i].withText(after))
		}
	}
	return found
}

// find interprets find. If find runs a command, it returns the output of that command. Otherwise,
// it returns a pattern that matches the paths that find prints.
func (m *machine) find(c *call) value {
	roots, names := c.all("read"), c.all("pattern")
	roots = slices.DeleteFunc(roots, func(v value) bool { return regex("operator").MatchString(v.text) })
	if len(roots) > 0 && strings.HasPrefix(strings.ToLower(roots[0].text), "env:") {
		return m.secret(c, "the environment", "env-all")
	}
	if len(names) == 0 && c.has("filter") {
		names = []value{literal("?*")}
	}
	inner := c.all("command")
	if end := slices.IndexFunc(inner, func(w value) bool { return w.text == ";" || w.text == "+" }); end >= 0 {
		inner = inner[:end]
	}
	found := m.searchFiles(c, roots, names, len(inner) > 0)
	if len(inner) == 0 {
		return found
	}
	replace(inner, "{}", found)
	return m.run(c.inner(inner))
}

// searchFiles returns a pattern that matches the paths that a search can find. It adds a Read
// signal for each path of a secret.
func (m *machine) searchFiles(c *call, roots, names []value, reads bool) value {
	var out value
	if len(roots) == 0 {
		roots = []value{literal(".")}
	}
	lists := len(names) == 0
	if lists {
		names = []value{literal("*")}
	}
	for _, root := range roots {
		for _, name := range names {
			path := strings.TrimRight(root.text, "/") + "/" + strings.TrimLeft(name.text, "/")
			if lists && strings.ContainsAny(base(root.text), "*.") {
				// The root is itself a pattern, a file or a hidden directory, so do not append a
				// name.
				path = root.text
			}
			tags := known.Path(path)
			if regex("secretSearch").MatchString(name.text) {
				tags = []signal.Tag{"credential"}
			}
			if known.Secret(tags) && root.text != "." {
				tags = slices.Clip(tags)
				if !lists {
					tags = append(tags, "many")
				}
				x := m.newSource(secretPath, path, tags...)
				if !reads {
					tags = append(tags, "listed")
				}
				x.read = m.add(c.at, signal.Read, c.text, path, tags...)
				out.addSources(x)
			}
			out.addAlternative(path)
		}
	}
	return out
}

// runURL interprets Windows programs that download and run content from a URL.
func (m *machine) runURL(c *call) value {
	for _, w := range c.words[1:] {
		if at := chars.IndexFold(w.text, "http"); at >= 0 {
			w.text = w.text[at:]
			m.addIndirectRun(c, m.downloadSources(w, "loaded"))
			return value{}
		}
	}
	return m.open(c)
}

// open interprets programs that open or install a file, or start a program.
func (m *machine) open(c *call) value {
	words := c.all("file")
	if len(words) > 1 && words[0].text == "" {
		// In the command start "" FILE, the first argument is a window title.
		words = words[1:2]
	}
	if len(words) == 0 {
		return value{}
	}
	v := words[0]
	p, _, _ := lookup(words)
	switch {
	case strings.Contains(v.text, "://"):
		m.send(c, v, v, "query")
	case p != nil:
		return m.run(c.inner(words))
	default:
		m.runFile(c, v, "sh")
	}
	return value{}
}
