package code

import (
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/known"
	"github.com/vadehq/vade/internal/audit/signal"
)

// runs adds a signal if executed code comes from somewhere else, such as the network, so that it
// does not appear in the text.
func (c *reader) runs(n *node, list []source, how ...signal.Tag) {
	var tags []signal.Tag
	object := ""
	for i := range list {
		s := &list[i]
		lang, _ := signal.LanguageOfName(strings.ToLower(s.name))
		switch {
		case s.what == network || s.what == peer:
			if object == "" {
				object, tags = s.name, append(tags, s.tags...)
			}
			tags = append(tags, "network")
		case s.what == decoded:
			tags = append(tags, "decoded", "computed")
		case s.what == model:
			tags = append(tags, "model")
		case slices.Contains(s.tags, "file") && s.name != someFile && !signal.IsCode(lang):
			tags = append(tags, "data-name", "unread")
		}
	}
	if len(tags) > 0 {
		c.add(signal.Run, n, c.excerpt(n), shown(object), append(tags, how...)...)
	}
}

// foreign returns the sources that are relevant even if only part of the executed code comes from
// them.
func foreign(list []source) []source { return only(list, network, peer, decoded, model) }

// decoding returns the encoding that a value was decoded from, or "".
func (v *value) decoding() string {
	for _, s := range v.from {
		if s.what == decoded {
			return s.name
		}
	}
	return ""
}

// runsShell handles calls that pass a string to a shell.
func (c *reader) runsShell(k *call) value { return c.shell(k, k.main()) }

// shell evaluates a command line passed to a shell, and returns its output.
func (c *reader) shell(k *call, v value) value {
	first := v.textOrGap()
	if strings.HasPrefix(strings.TrimSpace(first), string(gapOpen)) || unknown(first) {
		c.runs(k.n, v.from, "shell")
	} else if v.has(decoded) {
		c.add(signal.Obfuscated, k.n, c.excerpt(k.n), shown(first), "packed")
	}
	c.runsLines(k.n, v)
	out := output(v.text)
	out.carry(c.callbacks(k, out).from)
	return out
}

// runsLines evaluates the text of v as shell command lines.
func (c *reader) runsLines(n *node, v value) {
	if unknown(v.text) {
		return
	}
	c.embed(n, "sh", strings.TrimSpace(fill(v.text, "")), v.decoding())
	c.runsStored(n, v.text)
	head, _, found := strings.Cut(v.text, string(gapOpen))
	words := strings.Fields(strings.TrimRight(head, `"'`))
	if found && len(words) > 0 && wordIs(words[len(words)-1], "code-flag") {
		c.runs(n, foreign(v.from), "shell")
	}
}

// runsStored adds a signal if a command names a file whose content the code downloaded or decoded.
func (c *reader) runsStored(n *node, command string) {
	separator := func(r rune) bool { return r <= ' ' || strings.ContainsRune("'\";|&()<>", r) }
	words := strings.FieldsFunc(command, separator)
	for _, w := range words[:min(len(words), 64*min(len(c.files), 1))] {
		stored := c.files[strings.TrimPrefix(w, "./")]
		c.runs(n, only(stored.from, network, peer, decoded), "stored")
	}
}

// output returns what a command line reveals about its output.
func output(line string) value {
	out := value{name: "output"}
	for _, w := range strings.FieldsFunc(line, func(r rune) bool { return r <= ' ' || r == '\'' || r == '"' }) {
		if isURL(w) {
			out.carry(fetched(w))
		} else if tags := known.Path(w); known.Secret(tags) {
			out.carry([]source{{what: secret, tags: tags, name: w}})
		}
	}
	return out
}

// runsProgram handles calls that start a program.
func (c *reader) runsProgram(k *call) value {
	first, words := k.main(), c.words(k, k.row.arg)
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
		sh := k.named("shell")
		single := len(words) == 1 && strings.ContainsAny(line, " |;&") && !known.Home(line)
		if single || strings.EqualFold(sh.name, "true") || sh.known {
			return c.shell(k, first)
		}
	}
	c.joinsShell(k.n, k.named("stdin").from)
	line := commandLine(words)
	c.runsLines(k.n, line)
	if len(words) > 0 {
		if _, plain := words[0].plain(); !plain {
			c.runs(k.n, words[0].from, "shell")
		} else if name, ok := interpreter(words[0].text); ok {
			if line.has(decoded) {
				c.add(signal.Obfuscated, k.n, c.excerpt(k.n), shown(line.textOrGap()), "packed")
			}
			input := k.named("input")
			c.runs(k.n, foreign(input.from), "shell")
			c.embed(k.n, signal.Language(name), fill(input.text, ""), input.decoding())
		}
	}
	out := output(line.text)
	out.name = k.name
	out.carry(c.callbacks(k, value{from: out.from}).from)
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

// quoteWord quotes a word for a shell. Unknown parts remain unquoted.
func quoteWord(s string) string {
	home := strings.HasPrefix(s, "~/") && !strings.ContainsAny(s, " '\"$`\x01")
	switch {
	case home || unknown(s) || s != "" && !strings.ContainsAny(s, " \t\n'\"\\$`|&;<>(){}*?#!~\x01"):
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
	text, plain := v.plain()
	if !plain || v.has(network) || v.has(peer) {
		c.runs(k.n, v.from, "evaluated")
		return value{from: only(v.from, network)}
	}
	lang := c.set.Regions[c.region].Lang
	c.embed(k.n, lang, text, v.decoding())
	if v.has(decoded) {
		c.add(signal.Obfuscated, k.n, c.excerpt(k.n), shown(text), "packed")
	}
	return value{}
}

// loads handles calls that load code, deserialize objects, or write machine code to memory.
func (c *reader) loads(k *call) value {
	v := k.main()
	v.from = k.in()
	out := value{from: v.from, name: k.name}
	loader, weights := k.arg(1, "Loader"), k.named("weights_only")
	if strings.Contains(loader.name, "Safe") || strings.Contains(loader.name, "Base") || weights.name == "True" {
		return out
	}
	if isURL(v.text) {
		v.carry(fetched(v.text))
	}
	v.carry(c.files[strings.TrimPrefix(v.text, "./")].from)
	from := only(v.from, network, peer)
	if k.row.does != "objects" {
		from = only(v.from, network, peer, decoded)
	}
	c.runs(k.n, from, "loaded")
	return out
}

// module handles calls that return a module by name.
func (c *reader) module(k *call) value {
	v := k.main()
	text, ok := v.plain()
	if !ok {
		return value{from: v.from}
	}
	name := moduleName(text)
	if isURL(text) {
		c.runs(k.n, fetched(text), "loaded")
	} else if v.built && c.calls.actsIn(name) {
		c.add(signal.Obfuscated, k.n, c.excerpt(k.n), name, "name")
	}
	return c.named(value{name: name})
}

// actsIn reports whether a module has a function that is relevant to the audit.
func (c calls) actsIn(module string) bool {
	for name, r := range c {
		if acts(r.does) && (name == module || strings.HasPrefix(name, module+".")) {
			return true
		}
	}
	return false
}
