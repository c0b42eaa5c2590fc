package command

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/vadehq/vade/internal/audit/known"
	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/lazyregexp"
	"github.com/vadehq/vade/internal/policy"
	"github.com/vadehq/vade/internal/shell"
)

// call is a simple command.
type call struct {
	words []value
	// assigns are the variables that are set for it, as NAME=text.
	assigns []string
	in      value
	at      place
	// text is the command as it is written, written its first word.
	text, written string
	// effects are the rows of effects.txt that match.
	effects []*effect
}

func (c *call) texts() []string {
	list := make([]string, len(c.words))
	for i := range c.words {
		list[i] = c.words[i].text
	}
	return list
}

// run interprets a simple command and returns what it writes.
func (m *machine) run(c *call) value {
	if m.depth > maxDepth || !m.spend() || len(c.words) == 0 {
		return value{}
	}
	m.depth++
	defer func() { m.depth-- }()
	first := &c.words[0]
	if first.text == "@" {
		return expression(c.words[1:])
	}
	p, name, n := lookup(c.words)
	if !m.native && isSentence(c) {
		return value{}
	}
	m.started(c, p, name)
	if !first.known && p == nil && first.has(network, decoded, asset, connection) {
		m.runs(c, first.holds, false)
		return value{holds: []cargo{{what: shellOutput}}}
	}
	texts := c.texts()
	m.effects(c, "=", c.assigns)
	out := m.effects(c, programName(first.text), texts[1:])
	if f := m.doc.functions[first.text]; f != nil {
		return m.function(f, c.words, c.in)
	}
	if p == nil || p.does != "xargs" {
		if at := shell.Wrapped(programName(first.text), texts); at > 0 && at < len(c.words) {
			return m.wrapped(c, c.words[at:])
		}
	}
	if m.startsFile(c) {
		return out
	}
	if p == nil {
		return both(out, m.other(c))
	}
	return both(out, m.act(c, p, name, p.arguments(c.words[n:])))
}

// isSentence reports whether words are those of a person rather than a command: the first begins
// with a capital letter, and none is a flag or URL. "at" begins the lines of a stack trace.
func isSentence(c *call) bool {
	word := c.words[0].text
	if word == "at" {
		return len(c.words) < 2 || !atTime().MatchString(c.words[1].text)
	}
	if len(word) < 2 || word[0] < 'A' || word[0] > 'Z' || strings.ToLower(word[1:]) != word[1:] || strings.ContainsAny(word, "-./") {
		return false
	}
	for i := range c.words {
		if text := c.words[i].text; strings.HasPrefix(text, "-") || strings.Contains(text, "://") {
			return false
		}
	}
	return true
}

var atTime = lazyregexp.New(`^(?:[0-9-]|now|noon|midnight|tomorrow)`)

// inner is a command that another one runs with its own streams.
func (c *call) inner(words []value) *call {
	x := &call{words: words, in: c.in, at: c.at}
	var parts []string
	for i := range words {
		parts = append(parts, words[i].text)
	}
	x.text = strings.Join(parts, " ")
	return x
}

func (m *machine) wrapped(c *call, words []value) value {
	if len(words) == 0 {
		return c.in
	}
	return m.run(c.inner(words))
}

// started adds the signals about the program of a command.
func (m *machine) started(c *call, p *program, name string) {
	first := &c.words[0]
	if name == "" || name[0] == '$' || strings.Contains(first.text, "::") || strings.HasPrefix(first.text, "/dev/fd/") {
		return
	}
	var tags []signal.Tag
	if p != nil && (p.does == "code" || p.does == "shell") {
		tags = append(tags, "shell")
	} else if slices.Contains([]string{"sudo", "doas", "su", "runas", "pkexec"}, name) {
		tags = append(tags, "privileged")
	}
	if m.native {
		tags = append(tags, "native")
	}
	if m.set.Regions[m.region].Intent == signal.Executed && readOnly(c) {
		tags = append(tags, "read-only")
	}
	m.add(c.at, signal.Program, c.text, name, tags...)
	if p != nil && c.written != "" && first.known {
		m.hidden(c, name)
	}
}

// hidden notes that the name of a program is written so that nobody finds it.
func (m *machine) hidden(c *call, name string) {
	written := strings.Trim(c.written, `"'`)
	switch {
	case written == c.words[0].text || strings.HasPrefix(written, `\`) && written[1:] == c.words[0].text || m.native:
		if strings.ContainsAny(written, "?*[") && len(written) > 2 && name != "[" && name != "[[" {
			m.add(c.at, signal.Obfuscated, c.text, name, "name")
		}
	case strings.Contains(written, `\x`) || strings.HasPrefix(written, "$'"):
		m.add(c.at, signal.Obfuscated, c.text, name, "escape")
	case strings.ContainsAny(written, `'"\`) || strings.Count(written, "$") > 1 && !strings.Contains(written, "/"):
		m.add(c.at, signal.Obfuscated, c.text, name, "name")
	}
}

var defaultPolicy = sync.OnceValue(func() *policy.Policy {
	p, _ := policy.Combine()
	return p
})

// readOnly reports whether Vade's default policy runs a command without asking.
func readOnly(c *call) bool {
	for i := range c.words {
		if !c.words[i].known || c.words[i].like {
			return false
		}
	}
	_, refusal := defaultPolicy().Judge(c.texts(), nil, policy.Situation{Mode: policy.Readonly})
	return refusal == nil
}

// effects adds the signals of the rows of effects.txt that a command matches, and returns the
// secrets that it prints.
func (m *machine) effects(c *call, name string, words []string) value {
	var out value
	matching(name, words, m.looks(name, words), func(e *effect, word string) {
		c.effects = append(c.effects, e)
		tags := slices.Clip(e.tags)
		if m.contained {
			tags = append(tags, "contained")
		}
		number := m.add(c.at, e.kind, c.text, cmp.Or(word, name), tags...)
		if e.kind == signal.Read {
			out.carry(cargo{what: secret, tags: e.tags, name: name, unit: m.root(), read: number})
		}
	})
	if name == "=" {
		return out
	}
	if flag := host.GuardFlag(name, words); flag != "" && !m.looks(name, words) {
		tags := []signal.Tag{"agent-guards"}
		if m.contained {
			tags = append(tags, "contained")
		}
		m.add(c.at, signal.Weaken, c.text, flag, tags...)
	}
	return out
}

// looks reports whether a command only looks for words in texts, or says them.
func (m *machine) looks(name string, words []string) bool {
	if slices.Contains(words, "--help") || slices.Contains(words, "--version") {
		return true
	}
	switch name {
	case "git", "alias", "man", "which":
		return true
	}
	p := programs()[name]
	return p != nil && (p.does == "print" || p.does == "pass" || p.does == "find")
}

// root is the region of the file itself that the current one was taken out of.
func (m *machine) root() int {
	at := m.region
	for n := 0; n < signal.MaxDepth+1 && m.set.Regions[at].Parent >= 0; n++ {
		at = m.set.Regions[at].Parent
	}
	return at
}

// inside is a machine for a text that is a word of a command.
func (m *machine) inside(at place) *machine {
	n := *m
	n.src, n.base, n.fixed, n.at = "", 0, true, at
	return &n
}

// embed makes a region of a text that is passed to an interpreter. It returns a machine for it;
// nil if it is not read.
func (m *machine) embed(at place, text, lang, how string) *machine {
	r := &m.set.Regions[m.region]
	c := r.ContextAt(at.from)
	c.Medium, c.Lang = signal.Code, lang
	index := m.set.Embed(m.region, r.At(at.from, at.to), c, text, how)
	if index < 0 {
		return nil
	}
	n := *m
	n.region, n.src, n.base, n.fixed = index, "", 0, false
	return &n
}

// execute interprets what an interpreter gets as its program, and returns what it writes.
func (m *machine) execute(c *call, v value, lang string, stored bool) value {
	commands := lang == "sh" || lang == "ps1" || lang == "bat"
	shows := v.text != "" && (v.known || !v.like && (lang != "ps1" || v.text[0] != '$'))
	switch {
	case v.text == "" && len(v.holds) == 0:
		return value{}
	case v.known && v.has(decoded, asset):
		m.runs(c, v.holds, stored)
		n := m.embed(c.at, v.text, lang, v.encoding())
		if n == nil || !commands {
			return value{}
		}
		m.x.embedded[n.region] = true
		return n.script(v.text, lang, c.in)
	case commands && shows:
		if !v.known && evaluatesWords(v.text) {
			m.add(c.at, signal.Run, c.text, v.text, "evaluated")
		}
		return m.inside(c.at).script(v.text, lang, c.in)
	case !commands && v.text != "" && (v.known || !strings.HasPrefix(strings.TrimSpace(v.text), "$")):
		m.embed(c.at, v.text, lang, "")
		return m.inCode(c, v)
	}
	m.unseen(c, v, lang, stored)
	return value{}
}

// unseen adds the signals for a program that does not show.
func (m *machine) unseen(c *call, v value, lang string, stored bool) {
	if lang == "ps1" && len(v.holds) == 0 {
		v.holds = m.doc.client
	}
	if v.text != "" {
		m.add(c.at, signal.Run, c.text, v.text, "evaluated")
	}
	m.runs(c, v.holds, stored)
}

// evaluatesWords reports whether a text for a shell has a variable where a command begins.
func evaluatesWords(text string) bool {
	before := byte(';')
	for i := range len(text) {
		c := text[i]
		if c == '$' && i+1 < len(text) && text[i+1] != '(' && strings.IndexByte(";&|({\n", before) >= 0 {
			return true
		}
		if strings.IndexByte(" \t\"'", c) < 0 {
			before = c
		}
	}
	return false
}

var (
	readsInput = lazyregexp.New(`(?i)stdin|<>|ARGF|/dev/fd/0|readFileSync\(0|sys\.argv|\$_`)
	evaluates  = lazyregexp.New(`\b(?:exec|system|compile|Function)\(|\beval\b|subprocess`)
	decodes    = lazyregexp.New(`(?:b64decode|fromhex|decompress|base64_decode|decode_base64|Buffer\.from|unhexlify|pack)\(`)
	pathString = lazyregexp.New(`["']([^"'\s(]*[/\\~][^"'\s(]*)["']`)
)

// inCode is what shows of a program in another language without reading it: whether it runs what
// it reads, what it decodes, and the secret files that it names.
func (m *machine) inCode(c *call, v value) value {
	var out value
	if readsInput().MatchString(v.text) {
		out.holds = c.in.holds
		if evaluates().MatchString(v.text) {
			m.runs(c, c.in.holds, false)
		}
	}
	if decodes().MatchString(v.text) && !evaluates().MatchString(v.text) {
		out.carry(cargo{what: decoded, name: c.words[0].text, unit: m.root()})
	}
	for _, found := range pathString().FindAllStringSubmatch(v.text, 64) {
		out.carry(m.secretFile(c.at, c.text, found[1])...)
	}
	return out
}

// runs adds signals for what is run that is not in the text as it is.
func (m *machine) runs(c *call, list []cargo, stored bool) {
	carries := value{holds: list}
	var common []signal.Tag
	if p, _, _ := lookup(c.words); p != nil && (p.detail == "sh" || p.does == "shell") {
		common = append(common, "shell")
	}
	if m.x.checked[m.root()] {
		common = append(common, "checked")
	}
	if stored && dataNames().MatchString(c.words[len(c.words)-1].text) {
		common = append(common, "data-name")
	}
	for i := range list {
		x := &list[i]
		tags := append(slices.Clone(common), x.tags...)
		if stored || x.stored {
			tags = append(tags, "stored")
			if x.unit != m.root() {
				tags = append(tags, "apart")
			}
		}
		kind := signal.Run
		switch x.what {
		case network:
			if tags = append(tags, "network"); carries.has(decoded) {
				tags = append(tags, "decoded")
			}
		case decoded:
			if carries.has(network) {
				continue
			}
			tags = append(tags, "decoded")
		case asset:
			tags = append(tags, "asset")
		case model:
			tags = append(tags, "model")
		case connection:
			kind, tags = signal.Connect, append(tags, "shell")
		default:
			continue
		}
		m.add(c.at, kind, c.text, x.name, tags...)
	}
}

// dataNames are names of data, which nobody runs who means well; binaryNames those of pictures and
// the like.
var (
	dataNames = lazyregexp.New(`(?i)\.(?:dat|txt|csv|json|xml|log|db|cache|tmp|png|jpe?g|gif|svg|ico|webp|bmp|ttf|otf|woff2?|` +
		`pdf|mp[34]|wav|bin)(?:\?.*)?$`)
	binaryNames = lazyregexp.New(`(?i)\.(?:dat|bin|png|jpe?g|gif|ico|webp|bmp|ttf|otf|woff2?|pdf|mp[34]|wav)$`)
)

// startsFile reports whether a command runs a file that others have made or unpacked.
func (m *machine) startsFile(c *call) bool {
	word := c.words[0].text
	path := strings.ContainsAny(word, `/\`) || strings.HasPrefix(word, "$") || strings.HasPrefix(word, "%")
	f := m.file(word)
	if strings.Contains(word, "://") || !path && (f == nil || !f.runnable && !m.native) {
		return false
	}
	return m.runFile(c, c.words[0], "sh")
}

// runFile interprets a file as a program. It reports whether it is one that commands have made.
func (m *machine) runFile(c *call, v value, lang string) bool {
	found := false
	v.each(func(path string) {
		if path == "" || found {
			return
		}
		if strings.Contains(path, "://") {
			m.runs(c, m.remote(value{text: path, known: v.known}, "loaded"), false)
			found = true
			return
		}
		f := m.file(path)
		if f == nil {
			found = m.runOwn(c, path, lang)
			return
		}
		found = true
		content := f.value
		stored := !strings.HasPrefix(path, "/dev/fd/")
		if f.known && f.embedded {
			m.runs(c, content.holds, stored)
			return
		}
		m.execute(c, content, lang, stored)
	})
	return found
}

// runOwn interprets a file as a program that no command has made: it is of the package, or
// came out of an archive.
func (m *machine) runOwn(c *call, path, lang string) bool {
	if index := m.packaged(path); index >= 0 {
		x := m.set.Package.Files[index]
		switch {
		case x.Role == signal.Opaque:
			m.add(c.at, signal.Run, c.text, x.Path, "unread")
		case x.Role != signal.Script && len(x.Text) <= maxText && index != m.set.Regions[m.region].File:
			if dataNames().MatchString(path) {
				m.add(c.at, signal.Run, c.text, x.Path, "asset", "data-name")
			}
			m.embed(c.at, x.Text, lang, "")
		}
		return true
	}
	for i := range m.set.Missed {
		x := &m.set.Missed[i]
		if x.Why != signal.MissedLanguage && x.Why != signal.MissedUnparsed && x.Why != signal.MissedPacked && sameFile(path, x.Path) {
			m.add(c.at, signal.Run, c.text, x.Path, "unread")
			return true
		}
	}
	if u := m.doc.unpacked; u != nil && !elsewhere().MatchString(path) {
		m.runs(c, u.holds, true)
		return len(u.holds) > 0
	}
	return false
}

// elsewhere are paths that do not come out of an archive.
var elsewhere = lazyregexp.New(`^(?:\$|-|/usr/|/s?bin/)`)

// withTags is a list of cargo with more tags.
func withTags(list []cargo, more ...signal.Tag) []cargo {
	out := make([]cargo, len(list))
	for i := range list {
		out[i] = list[i]
		out[i].tags = append(append([]signal.Tag{}, list[i].tags...), more...)
	}
	return out
}

// other is a command that programs.txt does not know: it may read the secret files that its words
// name, and change what it reads.
func (m *machine) other(c *call) value {
	out := value{holds: c.in.holds}
	if tags := known.Env(c.words[0].text); len(c.words) == 1 && len(tags) > 0 {
		// $(NAME), as in a Makefile.
		out.carry(cargo{what: secret, tags: tags, name: c.words[0].text, unit: m.root()})
	}
	for i := range c.words[1:] {
		w := &c.words[i+1]
		if strings.HasPrefix(w.text, "-") || strings.Contains(w.text, "://") || strings.ContainsAny(w.text, "\n<>") {
			continue
		}
		w.each(func(path string) {
			out.carry(m.secretFile(c.at, c.text, path)...)
			if binaryNames().MatchString(path) {
				out.carry(cargo{what: asset, name: path, unit: m.root()})
			}
		})
	}
	return out
}
