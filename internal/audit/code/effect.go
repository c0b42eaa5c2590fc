package code

import (
	"slices"
	"strings"
	"sync"

	"github.com/vadehq/vade/internal/audit/known"
	"github.com/vadehq/vade/internal/audit/signal"
)

// effects has what is done for each kind of row in calls.txt. It returns what the call gives.
var effects struct {
	once  sync.Once
	table map[string]func(*reader, *called) value
}

func makeEffects() {
	effects.table = map[string]func(*reader, *called) value{}
	for names, do := range map[string]func(*reader, *called) value{
		"shell":                           (*reader).runsShell,
		"exec":                            (*reader).runsProgram,
		"eval timer":                      (*reader).evaluates,
		"load objects":                    (*reader).loads,
		"memory":                          (*reader).memory,
		"module":                          (*reader).module,
		"fetch download":                  (*reader).fetches,
		"send":                            (*reader).sends,
		"post":                            (*reader).posts,
		"put":                             (*reader).puts,
		"dns":                             (*reader).asks,
		"connect":                         (*reader).connects,
		"listen":                          (*reader).listens,
		"peer":                            (*reader).accepts,
		"dup":                             (*reader).duplicates,
		"target":                          (*reader).targets,
		"option":                          (*reader).sets,
		"env":                             (*reader).readsVariable,
		"envall":                          (*reader).readsAll,
		"open openpath openwrite archive": (*reader).opens,
		"read":                            (*reader).reads,
		"write":                           (*reader).writes,
		"copy":                            (*reader).copies,
		"delete":                          (*reader).deletes,
		"walk":                            (*reader).walks,
		"secret keys":                     (*reader).secrets,
		"model":                           (*reader).asksModel,
		"encrypt":                         (*reader).encrypts,
		"encode":                          (*reader).encodes,
		"tls":                             (*reader).weakens,
		"fork":                            (*reader).forks,
		"same":                            (*reader).same,
		"list":                            (*reader).lists,
		"client":                          (*reader).client,
		"holds input":                     (*reader).pass,
		"join":                            (*reader).joins,
		"concat":                          (*reader).concats,
		"format":                          (*reader).formats,
		"reverse":                         (*reader).reverses,
		"lower upper":                     (*reader).cases,
		"replace":                         (*reader).replaces,
		"split":                           (*reader).splits,
		"chars":                           (*reader).chars,
		"int":                             (*reader).numbers,
		"map":                             (*reader).maps,
		"substr":                          (*reader).substr,
		"buffer":                          (*reader).buffer,
		"unpack":                          (*reader).unpacks,
		"path":                            (*reader).paths,
		"home":                            (*reader).home,
		"add header assign":               (*reader).adds,
		"nothing":                         (*reader).nothing,
		"print":                           (*reader).prints,
	} {
		for name := range strings.FieldsSeq(names) {
			effects.table[name] = do
		}
	}
}

func (c *reader) effect(k *called) value {
	if how, ok := strings.CutPrefix(k.row.does, "decode:"); ok {
		return c.decodes(k, how)
	}
	effects.once.Do(makeEffects)
	if do := effects.table[k.row.does]; do != nil {
		return do(c, k)
	}
	return c.pass(k)
}

// main is the argument that the row names.
func (k *called) main() value {
	return k.arg(k.row.arg, "cmd", "command", "args", "url", "path", "file", "base64Encoded", "contentsOf")
}

// runs adds signals for what runs something that is not in the text: by where it comes from.
func (c *reader) runs(n *node, v *value, how ...signal.Tag) {
	var tags []signal.Tag
	object := ""
	list := v.all()
	for i := range list {
		s := &list[i]
		switch s.what {
		case network, peer:
			if object == "" {
				object = s.name
				tags = append(tags, s.tags...)
			}
			tags = append(tags, "network")
			if s.what == peer {
				c.joined(n, list)
			}
		case decoded:
			tags = append(tags, "decoded")
			if !s.packed {
				tags = append(tags, "computed")
			}
		case model:
			tags = append(tags, "model")
		case secret:
			lang, _ := signal.LanguageOfName(strings.ToLower(s.name))
			if slices.Contains(s.tags, "file") && s.name != someFile && !signal.IsCode(lang) {
				tags = append(tags, "data-name", "unread")
			}
		}
	}
	if len(tags) == 0 && slices.Contains(how, "evaluated") {
		tags = append(tags, "unread")
	}
	if len(tags) > 0 {
		c.add(signal.Run, n, c.excerpt(n), shown(object), append(tags, how...)...)
	}
}

// decoding is the encoding that a value was in; "" for none.
func (v *value) decoding() string {
	for _, s := range v.all() {
		if s.what == decoded {
			return s.name
		}
	}
	return ""
}

// runsShell is a call that gives a text to a shell.
func (c *reader) runsShell(k *called) value {
	v := k.main()
	if len(v.items) > 0 && len(v.texts) == 0 {
		return c.runsProgram(k)
	}
	c.options(k)
	return c.shell(k.n, v, k)
}

// shellText is a string that a shell runs as soon as it is evaluated.
func (c *reader) shellText(n *node, v value, s *scope) value {
	return c.shell(n, v, &called{n: n, s: s})
}

func (c *reader) shell(n *node, v value, k *called) value {
	for _, t := range v.texts {
		if unknown(t) {
			continue
		}
		c.embed(n, "sh", fill(t, ""), v.decoding())
		c.runsStored(n, t)
		if runsGap(t) {
			c.runs(n, &value{from: only(v.all(), network, peer, decoded, model)}, "shell")
		}
	}
	switch {
	case len(v.texts) == 0 || unknown(v.texts[0]) || strings.HasPrefix(strings.TrimSpace(v.texts[0]), string(gapOpen)):
		c.runs(n, &v, "shell")
	case v.decoding() != "":
		c.add(signal.Obfuscated, n, c.excerpt(n), shown(v.texts[0]), "packed")
	}
	out := c.output(v.texts, n)
	back := c.callbacks(k, out)
	out.carry(back.from)
	return out
}

// runsGap reports whether a command gives an unknown text to an interpreter as its program.
func runsGap(s string) bool {
	head, _, found := strings.Cut(s, string(gapOpen))
	words := strings.Fields(strings.TrimRight(head, `"'`))
	return found && len(words) > 0 && strings.TrimRight(head, `"'`) != strings.TrimRight(head, `"' `) && wordIs(words[len(words)-1], "code-flag")
}

// runsStored adds a signal if a command names a file that the code has written before with
// what came from elsewhere.
func (c *reader) runsStored(n *node, command string) {
	if len(c.files) == 0 {
		return
	}
	words := strings.FieldsFunc(command, func(r rune) bool { return r <= ' ' || strings.ContainsRune("'\";|&()<>", r) })
	for _, w := range words[:min(len(words), 64)] {
		v, ok := c.files[strings.TrimPrefix(w, "./")]
		if from := only(v.from, network, peer, decoded); ok && len(from) > 0 {
			c.runs(n, &value{from: from}, "stored")
		}
	}
}

// programs are the programs that print something secret.
var programs = sync.OnceValue(func() *calls { return newCalls("programs") })

// words are lists of words that mean something.
var words = sync.OnceValue(func() *calls { return newCalls("words") })

// wordIs reports whether a word is in a list. Case does not matter.
func wordIs(word, list string) bool {
	r := words().byName[strings.ToLower(word)]
	return r != nil && r.does == list
}

// output is what a command prints, as far as its words show.
func (c *reader) output(texts []string, n *node) value {
	out := value{name: "output"}
	table := programs()
	for _, t := range texts {
		command := true
		for _, w := range strings.FieldsFunc(t, func(r rune) bool { return r <= ' ' || r == '\'' || r == '"' }) {
			if r := table.find(w[strings.LastIndexByte(w, '/')+1:]); command && r != nil && r.does == "output" {
				out.carry([]source{{what: secret, tags: r.tags, name: w}})
			}
			if isURL(w) {
				out.carry([]source{{what: network, tags: hostTags(w), name: w}})
			} else if tags := known.Path(w); stolen(tags) {
				out.carry([]source{{what: secret, tags: tags, name: w}})
			}
			command = w == "|" || w == "&&" || w == ";" || w == "-c" || w == "sudo"
		}
	}
	return out
}

// stolen reports whether the tags of a path are those of something secret.
func stolen(tags []signal.Tag) bool {
	return slices.ContainsFunc(tags, func(t signal.Tag) bool {
		switch t {
		case "credential", "browser", "wallet", "history", "env-file", "agent-secret", "agent-history":
			return true
		}
		return false
	})
}

// runsProgram is a call that starts a program with its arguments.
func (c *reader) runsProgram(k *called) value {
	c.options(k)
	first := k.main()
	if len(k.args) == 0 && strings.HasPrefix(k.name, "?") {
		if first = k.recv; len(first.texts) == 0 {
			return c.pass(k)
		}
	}
	o := &object{process: true, at: k.n, words: c.words(k, first)}
	words := len(o.words)
	for i := range k.args {
		for _, key := range k.args[i].keys {
			o.configure(key.key, key.value)
		}
	}
	options := k.arg(-1)
	sh, _ := options.get("shell")
	sh = either(k.arg(-99, "shell"), sh)
	asText := len(first.items) == 0 && (strings.EqualFold(sh.name, "true") || len(sh.texts) > 0)
	if words == 1 && len(o.words) == 1 {
		if line := text1(o.words[0]); strings.ContainsAny(line, " |;&") && !known.Home(line) {
			first, asText = o.words[0], true
		}
	}
	if asText {
		return c.shell(k.n, first, k)
	}
	o.input = k.arg(-99, "input")
	for _, key := range [...]string{"stdin", "stdout"} {
		v := k.arg(-99, key)
		c.joined(k.n, only(v.from, peer))
	}
	c.procs = append(c.procs, o)
	out := c.output(commandLine(o.words[:words]), k.n)
	out.obj, out.name = o, k.name
	back := c.callbacks(k, value{from: out.from})
	out.carry(back.from)
	return out
}

// words are the program and its arguments in a call that starts it.
func (c *reader) words(k *called, first value) []value {
	if len(k.args) == 0 {
		if len(first.items) > 0 || first.empty() {
			return first.items
		}
		return []value{first}
	}
	var words []value
	for i := k.row.arg; i < len(k.args); i++ {
		v := k.args[i]
		switch n := k.node(i); {
		case len(v.items) > 0 && len(v.texts) == 0, n != nil && n.op == opList:
			words = append(words, v.items...)
		case v.fn != nil, v.number, len(v.keys) > 0 && len(v.texts) == 0:
		default:
			words = append(words, v)
		}
	}
	return words
}

// configure sets the program or the arguments of a process that is set up.
func (o *object) configure(key string, v value) {
	switch strings.ToLower(key) {
	case "filename", "launchpath", "executableurl", "executable", "program", "path":
		o.words = slices.Insert(o.words, 0, v)
	case "arguments", "args", "argumentlist", "argv":
		if len(v.items) > 0 {
			o.words = append(o.words, v.items...)
		} else if len(v.texts) > 0 {
			o.words = append(o.words, v)
		}
	}
}

// commandLine is the text of a command for a shell, from its words.
func commandLine(words []value) []string {
	line := value{texts: []string{""}}
	for i := range words {
		w := words[i]
		switch {
		case strings.HasSuffix(w.name, "sys.executable"):
			w = literal("python3")
		case strings.HasPrefix(w.name, "process.exec") || w.name == "process.argv0":
			w = literal("node")
		}
		list := make([]string, 0, len(w.texts))
		for _, t := range w.texts {
			list = append(list, quoteWord(t, i > 0 && len(words) == 2 && strings.HasPrefix(t, "-c ")))
		}
		w.texts, w.items, w.keys = list, nil, nil
		if i > 0 {
			line = concat(line, literal(" "))
		}
		line = concat(line, w)
		if len(line.texts) == 0 {
			line.texts = []string{gap}
		}
	}
	return line.texts
}

// quoteWord writes a word for a shell. Gaps in it stay open for what they hold. bare: it has
// several words, as C# takes them.
func quoteWord(s string, bare bool) string {
	if bare || s != "" && !strings.ContainsAny(s, " \t\n'\"\\$`|&;<>(){}*?#!~\x01") {
		return s
	}
	if strings.HasPrefix(s, "~/") && !strings.ContainsAny(s, " '\"$`\x01") || unknown(s) {
		return s
	}
	if strings.IndexByte(s, gapOpen) < 0 {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	var b strings.Builder
	inside := false
	for i := range len(s) {
		switch c := s[i]; {
		case c == gapOpen || c == gapClose:
			inside = c == gapOpen
		case !inside && strings.IndexByte("\"\\$`", c) >= 0:
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return `"` + b.String() + `"`
}

// interpreter reports whether a program runs text as code.
func interpreter(program string) bool {
	program = program[strings.LastIndexAny(program, `/\`)+1:]
	return wordIs(strings.TrimRight(strings.TrimSuffix(program, ".exe"), "0123456789."), "interpreter")
}

// finish adds the signals of processes: their arguments may have been given one by one.
func (c *reader) finish() {
	for _, o := range c.procs {
		if o.at == nil || len(o.words) == 0 {
			continue
		}
		first := o.words[0]
		program, plain := first.plain()
		for _, line := range commandLine(o.words) {
			if !unknown(line) {
				how := ""
				for i := range o.words {
					how = strings.TrimSpace(how + " " + o.words[i].decoding())
				}
				c.embed(o.at, "sh", strings.TrimSpace(fill(line, "")), how)
				c.runsStored(o.at, line)
			}
		}
		if !plain {
			c.runs(o.at, &first, "shell")
			continue
		}
		if !interpreter(program) {
			continue
		}
		for i := 1; i < len(o.words); i++ {
			w := &o.words[i]
			if flag, _ := o.words[i-1].plain(); len(w.texts) == 0 && (strings.HasPrefix(flag, "-") || strings.HasPrefix(flag, "/")) {
				c.runs(o.at, w, "shell")
			} else if w.decoding() != "" {
				c.add(signal.Obfuscated, o.at, c.excerpt(o.at), shown(w.texts[0]), "packed")
			}
		}
		if len(o.input.texts) > 0 || len(o.input.from) > 0 {
			c.interprets(o.at, program, &o.input)
		}
	}
}

// interprets is what a program gets as its input, which runs it as code.
func (c *reader) interprets(n *node, program string, v *value) {
	program = program[strings.LastIndexAny(program, `/\`)+1:]
	lang := signal.Language(strings.TrimRight(program, "0123456789."))
	if t, ok := v.plain(); ok && lang != "" {
		c.embed(n, lang, t, v.decoding())
		return
	}
	c.runs(n, &value{from: only(v.all(), network, peer, decoded, model)}, "shell")
}

// evaluates is a call that runs text as code of the same language.
func (c *reader) evaluates(k *called) value {
	v := k.arg(k.row.arg, "code", "source", "text")
	if v.fn != nil || len(k.args) == 0 || len(v.items) > 0 && len(v.texts) == 0 {
		back := c.callbacks(k, value{})
		return back
	}
	at := k.row.arg
	if at < 0 {
		at += len(k.args)
	}
	if node := k.node(at); node != nil && (node.op == opBrace || node.op == opFunc) {
		return value{}
	}
	if k.row.does == "timer" && len(v.texts) == 0 && !v.has(network) && !v.has(decoded) {
		return value{}
	}
	text, plain := v.plain()
	if plain && !v.has(network) && !v.has(peer) {
		for _, t := range v.texts {
			c.embed(k.n, c.codeLanguage(), t, v.decoding())
		}
		if v.has(decoded) {
			c.add(signal.Obfuscated, k.n, c.excerpt(k.n), shown(text), "packed")
		}
		return value{name: c.modulesIn(text)}
	}
	c.runs(k.n, &v, "evaluated")
	return value{from: only(v.all(), network)}
}

// codeLanguage is the language of text that the code evaluates.
func (c *reader) codeLanguage() string {
	if lang := c.set.Regions[c.region].Lang; lang != "" {
		return lang
	}
	return c.name
}

// modulesIn is the name of what an evaluated text gives, if that is the object of all names.
func (c *reader) modulesIn(text string) string {
	if strings.TrimSpace(strings.TrimSuffix(text, ";")) == "return this" {
		return "globalThis"
	}
	return ""
}

// loads is a call that loads code or objects: those of the network, and those of a decoding.
func (c *reader) loads(k *called) value {
	v := k.main()
	for i := range v.items {
		v.texts = append(v.texts, v.items[i].texts...)
	}
	if loader := k.arg(1, "Loader"); strings.Contains(loader.name, "Safe") || strings.Contains(loader.name, "Base") {
		return value{from: v.all()}
	}
	if safe := k.arg(-99, "weights_only"); safe.name == "True" {
		return value{from: v.all()}
	}
	for _, t := range v.texts {
		if isURL(t) {
			c.runs(k.n, &value{from: []source{{what: network, tags: hostTags(t), name: t}}}, "loaded")
		} else if stored, ok := c.files[strings.TrimPrefix(t, "./")]; ok {
			c.runs(k.n, &value{from: only(stored.from, network, peer)}, "loaded")
		}
	}
	from := only(v.all(), network, peer)
	if k.row.does == "load" {
		from = only(v.all(), network, peer, decoded)
	}
	c.runs(k.n, &value{from: from}, "loaded")
	return value{from: v.all(), name: k.name}
}

// memory is a call that puts machine code into memory.
func (c *reader) memory(k *called) value {
	from := only(k.in(), network, peer, decoded)
	c.runs(k.n, &value{from: from}, "loaded")
	return c.pass(k)
}

// module is a call that gives a module by its name.
func (c *reader) module(k *called) value {
	v := k.main()
	text, ok := v.plain()
	if !ok {
		c.runs(k.n, &value{from: only(v.all(), network, peer, decoded)}, "loaded")
		return value{from: v.all()}
	}
	if isURL(text) {
		c.runs(k.n, &value{from: []source{{what: network, tags: hostTags(text), name: text}}}, "loaded")
	}
	if v.built {
		c.hidesModule(k.n, text)
	}
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "/") {
		c.runsStored(k.n, text)
	}
	return c.named(value{name: moduleName(text)})
}

// hidesModule notes a module whose name is put together, if its functions do something.
func (c *reader) hidesModule(n *node, name string) {
	name = moduleName(name)
	for full, r := range c.calls.byName {
		if acts(r.does) && (full == name || strings.HasPrefix(full, name+".")) {
			c.add(signal.Obfuscated, n, c.excerpt(n), name, "name")
			return
		}
	}
}

// weakens is a call or a name that switches off the checks of certificates.
func (c *reader) weakens(k *called) value {
	c.add(signal.Weaken, k.n, c.excerpt(k.n), "", "tls")
	return value{name: k.name}
}

// forks finds copies of a process without end.
func (c *reader) forks(k *called) value {
	if c.weak > 0 {
		before := strings.ReplaceAll(c.src[max(0, k.n.start-80):k.n.start], "(", " ")
		for _, endless := range [...]string{"while True", "while true", "while 1", "while  1", "loop", "for ;;", "for  ;;"} {
			if strings.Contains(before, endless) {
				c.add(signal.Sabotage, k.n, c.excerpt(k.n), "", "bomb")
			}
		}
	}
	return c.pass(k)
}

// readsVariable is a call that reads environment variables.
func (c *reader) readsVariable(k *called) value {
	v := k.main()
	if len(k.args) == 0 {
		return value{from: []source{{what: secret, tags: []signal.Tag{"env-all"}, name: "environment"}}, name: k.name}
	}
	var out value
	for _, t := range v.texts {
		if strings.IndexByte(t, gapOpen) < 0 {
			one := c.variable(strings.Trim(t, "%"), k.n)
			out = either(one, out)
		}
	}
	if v.hasTag("env-all") {
		out.carry(v.all())
	}
	return out
}

// readsAll is a call that gives all environment variables.
func (c *reader) readsAll(k *called) value {
	out := c.named(value{name: k.name})
	c.callbacks(k, value{from: out.from})
	return out
}

// secrets is a call that gives something secret.
func (c *reader) secrets(k *called) value {
	s := source{what: secret, tags: k.row.tags, name: k.name}
	if k.row.does == "keys" {
		s.what = keystrokes
	}
	out := value{from: []source{s}, name: k.name}
	if !slices.Contains(k.row.tags, "host-info") && k.row.does != "keys" {
		c.add(signal.Read, k.n, c.excerpt(k.n), "", k.row.tags...)
	}
	given := value{from: out.from}
	c.callbacks(k, given)
	for i := range k.keys {
		if fn := k.keys[i].fn; fn != nil {
			c.callbacks(&called{args: []value{k.keys[i].value}}, given)
		}
	}
	return out
}

func (c *reader) asksModel(k *called) value {
	return value{from: []source{{what: model, name: k.name}}, name: k.name}
}

func (c *reader) encrypts(k *called) value {
	out := value{from: k.in(), name: k.name}
	out.carry([]source{{what: encrypted, name: k.name}})
	return out
}

func (c *reader) encodes(k *called) value {
	out := value{from: k.in()}
	out.carry([]source{{what: encoded, name: k.name}})
	return out
}

func (c *reader) nothing(k *called) value {
	c.callbacks(k, value{from: k.in()})
	return value{}
}

// prints is a call that prints: a model gets to see it.
func (c *reader) prints(k *called) value {
	for _, s := range k.in() {
		if s.what == secret && !s.header && !slices.Contains(s.tags, "file") && !slices.Contains(s.tags, "host-info") {
			c.add(signal.Read, k.n, c.excerpt(k.n), shown(s.name), append(slices.Clone(s.tags), "printed")...)
		}
	}
	return value{}
}
