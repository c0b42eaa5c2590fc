package code

import (
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/known"
	"github.com/vadehq/vade/internal/audit/signal"
)

// addRun adds a signal if the code that is executed does not appear in the text because it comes
// from elsewhere, for example from the network.
func (c *reader) addRun(n *node, list []source, how ...signal.Tag) {
	var tags []signal.Tag
	object := ""
	for i := range list {
		s := &list[i]
		lang, _ := signal.LanguageOfName(strings.ToLower(s.name))
		switch {
		case s.kind == network || s.kind == peer:
			if object == "" {
				object, tags = s.name, append(tags, s.tags...)
			}
			tags = append(tags, "network")
		case s.kind == decoded:
			tags = append(tags, "decoded", "computed")
		case s.kind == model:
			tags = append(tags, "model")
		case slices.Contains(s.tags, "file") && s.name != unknownFile && !signal.IsCode(lang):
			tags = append(tags, "data-name", "unread")
		}
	}
	if len(tags) > 0 {
		c.addSignal(signal.Run, n, c.excerpt(n), shorten(object), append(tags, how...)...)
	}
}

// externalSources returns those sources that are relevant even if they provide only part of the
// executed code.
func externalSources(list []source) []source {
	return filterSources(list, network, peer, decoded, model)
}

// decoding returns the encoding that a value was decoded from, or "".
func (v *value) decoding() string {
	for _, s := range v.sources {
		if s.kind == decoded {
			return s.name
		}
	}
	return ""
}

// runsShell handles calls that pass a string to a shell.
func (c *reader) runsShell(k *call) value { return c.shell(k, k.mainArg()) }

// shell evaluates a command line passed to a shell, and returns its output.
func (c *reader) shell(k *call, v value) value {
	first := v.textOrGap()
	if strings.HasPrefix(strings.TrimSpace(first), string(gapOpen)) || allUnknown(first) {
		c.addRun(k.n, v.sources, "shell")
	} else if v.has(decoded) {
		c.addSignal(signal.Obfuscated, k.n, c.excerpt(k.n), shorten(first), "packed")
	}
	c.runsLines(k.n, v)
	out := commandOutput(v.text)
	out.addSources(c.callbacks(k, out).sources)
	return out
}

// runsLines evaluates the text of v as shell command lines.
func (c *reader) runsLines(n *node, v value) {
	if allUnknown(v.text) {
		return
	}
	c.embed(n, "sh", strings.TrimSpace(fillGaps(v.text, "")), v.decoding())
	c.addStoredRun(n, v.text)
	head, _, found := strings.Cut(v.text, string(gapOpen))
	words := strings.Fields(strings.TrimRight(head, `"'`))
	if found && len(words) > 0 && wordIs(words[len(words)-1], "code-flag") {
		c.addRun(n, externalSources(v.sources), "shell")
	}
}

// addStoredRun adds a signal if a command names a file whose content the code downloaded or
// decoded.
func (c *reader) addStoredRun(n *node, command string) {
	separator := func(r rune) bool { return r <= ' ' || strings.ContainsRune("'\";|&()<>", r) }
	words := strings.FieldsFunc(command, separator)
	for _, w := range words[:min(len(words), 64*min(len(c.files), 1))] {
		stored := c.files[strings.TrimPrefix(w, "./")]
		c.addRun(n, filterSources(stored.sources, network, peer, decoded), "stored")
	}
}

// commandOutput returns what a command line reveals about its output.
func commandOutput(line string) value {
	out := value{name: "output"}
	for _, w := range strings.FieldsFunc(line, func(r rune) bool { return r <= ' ' || r == '\'' || r == '"' }) {
		if isURL(w) {
			out.addSources(fetched(w))
		} else if tags := known.Path(w); known.Secret(tags) {
			out.addSources([]source{{kind: secret, tags: tags, name: w}})
		}
	}
	return out
}

// runsProgram handles calls that start a program.
func (c *reader) runsProgram(k *call) value {
	first, words := k.mainArg(), c.words(k, k.row.arg)
	if len(k.args) == 0 { // "…".execute() in Groovy
		first = k.recv
		if words = first.items; first.known {
			words = []value{first}
		}
	}
	if len(words) > 1 && words[0].known && path.Base(words[0].text) == path.Base(words[1].text) {
		words = words[1:] // execvp("sh", ["sh", "-c", …]) passes the program's name twice.
	}
	if line := first.text; len(first.items) == 0 {
		sh := k.namedArg("shell")
		single := len(words) == 1 && strings.ContainsAny(line, " |;&") && !known.Home(line)
		if single || strings.EqualFold(sh.name, "true") || sh.known {
			return c.shell(k, first)
		}
	}
	c.checkReverseShell(k.n, k.namedArg("stdin").sources)
	line := commandLine(words)
	c.runsLines(k.n, line)
	if len(words) > 0 {
		if _, plain := words[0].exactText(); !plain {
			c.addRun(k.n, words[0].sources, "shell")
		} else if name, ok := interpreter(words[0].text); ok {
			if line.has(decoded) {
				c.addSignal(signal.Obfuscated, k.n, c.excerpt(k.n), shorten(line.textOrGap()), "packed")
			}
			input := k.namedArg("input")
			c.addRun(k.n, externalSources(input.sources), "shell")
			c.embed(k.n, signal.Language(name), fillGaps(input.text, ""), input.decoding())
		}
	}
	out := commandOutput(line.text)
	out.name = k.name
	out.addSources(c.callbacks(k, value{sources: out.sources}).sources)
	return out
}

// words returns the program and the arguments that a call runs, starting at argument from.
func (c *reader) words(k *call, from int) []value {
	var words []value
	for _, v := range k.args[min(from, len(k.args)):] {
		switch {
		case v.isObject() && !v.known:
		case len(v.items) > 0 && !v.known:
			words = append(words, v.items...)
		case v.fn == nil && !v.number:
			words = append(words, v)
		}
	}
	return words
}

// commandLine joins words into a shell command.
func commandLine(words []value) value {
	var list []value
	for _, w := range words {
		if strings.HasSuffix(w.name, "sys.executable") {
			w = literal("python3")
		} else if len(words) != 2 || !strings.HasPrefix(w.text, "-c ") { // In C#, all arguments are in one string.
			w.text = quoteWord(w.text)
		}
		list = append(list, w)
	}
	return joined(list, " ")
}

// quoteWord quotes a word for a shell. The shell still expands any expressions in the word's
// unknown parts.
func quoteWord(s string) string {
	home := strings.HasPrefix(s, "~/") && !strings.ContainsAny(s, " '\"$`\x01")
	switch {
	case home || allUnknown(s) || s != "" && !strings.ContainsAny(s, " \t\n'\"\\$`|&;<>(){}*?#!~\x01"):
		return s
	case strings.IndexByte(s, gapOpen) >= 0:
		return `"` + s + `"`
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// interpreter returns a program's name without its path and version, and reports whether the
// program is an interpreter.
func interpreter(program string) (name string, ok bool) {
	name = strings.TrimSuffix(program[strings.LastIndexAny(program, `/\`)+1:], ".exe")
	name = strings.TrimRight(name, "0123456789.")
	return name, wordIs(name, "interpreter")
}

// evaluates handles calls that run a string as code in the same language.
func (c *reader) evaluates(k *call) value {
	v := k.arg(k.row.arg, "code", "source", "text")
	if v.fn != nil || len(k.args) == 0 || len(v.items) > 0 && !v.known {
		return c.callbacks(k, value{})
	}
	text, plain := v.exactText()
	if !plain || v.has(network) || v.has(peer) {
		c.addRun(k.n, v.sources, "evaluated")
		return value{sources: filterSources(v.sources, network)}
	}
	lang := c.set.Regions[c.region].Lang
	c.embed(k.n, lang, text, v.decoding())
	if v.has(decoded) {
		c.addSignal(signal.Obfuscated, k.n, c.excerpt(k.n), shorten(text), "packed")
	}
	return value{}
}

// loads handles calls that load code, deserialize objects, or write machine code to memory.
func (c *reader) loads(k *call) value {
	v := k.mainArg()
	v.sources = k.allSources()
	out := value{sources: v.sources, name: k.name}
	loader, weights := k.arg(1, "Loader"), k.namedArg("weights_only")
	if strings.Contains(loader.name, "Safe") || strings.Contains(loader.name, "Base") || weights.name == "True" {
		return out
	}
	if isURL(v.text) {
		v.addSources(fetched(v.text))
	}
	v.addSources(c.files[strings.TrimPrefix(v.text, "./")].sources)
	from := filterSources(v.sources, network, peer)
	if k.row.effect != "objects" {
		from = filterSources(v.sources, network, peer, decoded)
	}
	c.addRun(k.n, from, "loaded")
	return out
}

// module handles calls that return a module by name.
func (c *reader) module(k *call) value {
	v := k.mainArg()
	text, ok := v.exactText()
	if !ok {
		return value{sources: v.sources}
	}
	name := moduleName(text)
	if isURL(text) {
		c.addRun(k.n, fetched(text), "loaded")
	} else if v.built && c.calls.hasRelevant(name) {
		c.addSignal(signal.Obfuscated, k.n, c.excerpt(k.n), name, "name")
	}
	return c.inferFromName(value{name: name})
}

// hasRelevant reports whether a module has a function that is relevant to the audit.
func (c calls) hasRelevant(module string) bool {
	for name, r := range c {
		if isRelevantEffect(r.effect) && (name == module || strings.HasPrefix(name, module+".")) {
			return true
		}
	}
	return false
}
