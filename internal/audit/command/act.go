package command

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/known"
	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/lazyregexp"
)

// act interprets a command by its entry in programs.txt, and returns what it writes.
func (m *machine) act(c *call, p *program, name string, a args) value {
	for _, v := range a.all("run") {
		m.execute(c, escaped(v), "sh", false)
	}
	switch p.does {
	case "net":
		return m.exchange(c, p, a)
	case "remote":
		return m.transfer(c, a)
	case "clone":
		return m.clone(c, a)
	case "code":
		return m.code(c, p, a)
	case "pass", "print", "tr", "sed", "decode", "cipher", "pack":
		return m.flow(c, p, name, a)
	case "tar", "unpack":
		return m.archive(c, p, name, a)
	case "env", "secret":
		return m.secrets(c, p, name, a)
	case "shell", "wrap", "contained", "xargs", "find", "open", "runurl", "shellin", "crontab", "build":
		return m.starts(c, p, name, a)
	}
	return m.simple(c, p, name, a)
}

// starts interprets programs that run others.
func (m *machine) starts(c *call, p *program, name string, a args) value {
	switch p.does {
	case "shell":
		n := *m
		n.contained = m.contained || strings.HasSuffix(name, "ssh")
		return n.execute(c, joined("", a.all("text")).value, "sh", false)
	case "wrap", "contained":
		n := *m
		n.contained = m.contained || p.does == "contained"
		for _, v := range a.all("read") {
			m.readFile(c.at, v)
		}
		return n.wrapped(c, a.all("command"))
	case "xargs":
		return m.xargs(c, name, a)
	case "find":
		return m.find(c, name)
	case "open":
		return m.open(c, a)
	case "runurl":
		return m.runURL(c, a)
	case "build":
		if u := m.doc.unpacked; u != nil && m.packaged("Makefile") < 0 {
			m.runs(c, u.holds, true)
		}
		return value{}
	}
	return m.scheduled(c, p, a)
}

// simple interprets programs that do little with what they read.
func (m *machine) simple(c *call, p *program, name string, a args) value {
	switch p.does {
	case "certutil":
		if operands := a.all("pair"); a.has("decode") && len(operands) > 1 {
			m.write(c.at, operands[1], m.coded(c, programs()["base64"], a, m.readFile(c.at, operands[0])), false)
			return value{}
		}
		return m.exchange(c, p, a)
	case "copy":
		m.copies(c, a)
	case "install", "runner":
		m.install(c, p, a, name)
	case "model":
		return value{holds: append(slices.Clone(c.in.holds), cargo{what: model, name: name, unit: m.root()})}
	case "char":
		if v, ok := a.first("text"); ok {
			return characters(v)
		}
	case "value", "object":
		return m.object(c, p, a)
	case "hash", "check":
		if p.does == "check" || a.has("check") {
			m.x.checked[m.root()] = true
		}
	case "chmod":
		for _, w := range c.words[1:] {
			if f := m.file(w.text); f != nil {
				f.runnable = true
			}
		}
	default:
		return m.builtin(c, name)
	}
	return value{}
}

// escaped takes "action=exec=" and the like from before a command; nothing is left of an option
// without one.
func escaped(v value) value {
	text := v.text
	for _, head := range [...]string{"exec=", "ProxyCommand=", "LocalCommand=", "ProxyCommand ", "!"} {
		text = strings.TrimPrefix(text, head)
	}
	if text != v.text {
		v.text = text
	} else if strings.Contains(text, "=") && !strings.Contains(text, " ") {
		return value{}
	}
	return v
}

// object is a value of PowerShell that is made of others.
func (m *machine) object(c *call, p *program, a args) value {
	out := c.in
	operands := a.all("text")
	for i := range operands {
		out.carry(operands[i].holds...)
		if out.text == "" && p.does == "value" {
			out.text, out.known = operands[i].text, operands[i].known
		}
	}
	if p.does == "object" && len(operands) > 1 && strings.Contains(strings.ToLower(operands[0].text), "sockets.tcpclient") {
		out.carry(m.connect(c.at, c.text, operands[1].text)...)
		m.doc.client = out.holds
	}
	return out
}

// secrets interprets what prints the environment, the clipboard and the like.
func (m *machine) secrets(c *call, p *program, name string, a args) value {
	tag, label := signal.Tag(p.detail), name
	switch {
	case p.does == "secret" && (len(c.in.holds) > 0 || tag == "history" && a.has("flag")):
		return value{}
	case p.does == "env":
		if len(c.assigns) > 0 {
			m.effects(c, "=", c.assigns)
			return value{}
		}
		if operands := a.all("skip"); len(operands) > 0 {
			var out value
			for i := range operands {
				if name == "printenv" {
					operands[i], _ = m.variable(operands[i].text)
				} else {
					operands[i].holds = nil
				}
				out.carry(operands[i].holds...)
			}
			return out
		}
		tag, label = "env-all", "the environment"
	}
	number := 0
	if tag == "env-all" || tag == "history" {
		number = m.add(c.at, signal.Read, c.text, name, tag)
	}
	return value{holds: []cargo{{what: secret, tags: []signal.Tag{tag}, name: label, unit: m.root(), read: number}}}
}

// builtin interprets commands of a shell that set or name something.
func (m *machine) builtin(c *call, name string) value {
	words := slices.DeleteFunc(slices.Clone(c.words[1:]), func(v value) bool { return strings.HasPrefix(v.text, "-") || v.text == "" })
	switch name {
	case "alias":
		for _, w := range words {
			if _, text, ok := strings.Cut(w.text, "="); ok {
				m.execute(c, w.part(text), "sh", false)
			}
		}
	case "git:config", "npm:config", "pip:config", "pnpm:config", "yarn:config", "pip3:config", "bundle:config", "poetry:config":
		m.setting(c, words)
	case "cd", "pushd", "set-location":
		if len(words) > 0 {
			m.doc.dir = words[0].text
		}
	case "read", "mapfile", "readarray":
		for _, w := range words {
			if w.known {
				m.assignVar(w.text, c.in.lines())
			}
		}
	case "set":
		if len(c.words) == 1 {
			return m.secrets(c, &program{does: "env"}, name, nil)
		} else if len(words) > 1 {
			// As in fish: set -x NAME value.
			m.assignVar(words[0].text, words[1])
		}
	case "ls", "dir", "tree":
		var out value
		for i := range words {
			words[i].each(func(dir string) {
				path := dir
				if !strings.ContainsAny(base(dir), "*.") || strings.HasSuffix(dir, "/") {
					path = strings.TrimRight(dir, "/") + "/*"
				}
				if tags := known.Path(path); dataTags(tags) {
					m.add(c.at, signal.Read, c.text, dir, append(slices.Clip(tags), "listed")...)
				}
				out = both(out, value{text: path, like: true})
			})
		}
		return out
	}
	return value{}
}

// setting interprets the setting of a package registry, or of a command that git runs.
func (m *machine) setting(c *call, words []value) {
	for _, w := range words {
		if strings.HasPrefix(w.text, "!") {
			m.execute(c, escaped(w), "sh", false)
		}
		at := strings.Index(w.text, "http")
		if at >= 0 && strings.Contains(w.text, "://") && registrySetting().MatchString(c.text) {
			tags, _ := hostTags(w.text[at:])
			m.add(c.at, signal.Install, c.text, w.text[at:], append(tags, "registry-option")...)
		}
	}
}

var registrySetting = lazyregexp.New(`(?i)registry|index[-_.]?url|mirror\.|repositor`)

// code interprets a command that starts an interpreter.
func (m *machine) code(c *call, p *program, a args) value {
	lang := p.detail
	if v, ok := a.first("encoded"); ok {
		return m.execute(c, m.encoded(v), "ps1", false)
	}
	if v, ok := a.first("module"); ok {
		at := slices.IndexFunc(c.words, func(w value) bool { return w.text == v.text })
		return m.wrapped(c, c.words[max(at, 1):])
	}
	operand, hasOperand := a.first("file")
	rest, hasRest := a.first("rest")
	if script, _, _ := strings.Cut(rest.text, " "); strings.HasSuffix(strings.ToLower(script), ".ps1") {
		operand, hasOperand, hasRest = literal(script), true, false
	}
	stdin := !hasOperand || a.has("stdin") || slices.Contains([]string{"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", "run", "test", "install"}, operand.text)
	switch {
	case hasOperand && a.has("inline"):
		list := append([]value{operand}, a.all("word")...)
		return m.withArguments(list[1:], func() value { return m.execute(c, operand, lang, false) })
	case a.has("text"):
		var out value
		for _, v := range a.all("text") {
			out = both(out, m.program(c, v, lang))
		}
		return out
	case hasRest && rest.text != "-":
		return m.execute(c, rest, lang, false)
	case !stdin:
		m.runFile(c, operand, lang)
		return m.other(c)
	}
	return m.standardInput(c, lang, joined("", a.all("flag")).text)
}

// standardInput interprets what an interpreter reads from its standard input.
func (m *machine) standardInput(c *call, lang, flags string) value {
	if flags != "" && !strings.Contains(flags, "i") && len(c.in.holds) == 0 && c.in.text == "" {
		// bash --version
		return value{}
	}
	out := m.execute(c, c.in, lang, false)
	if !c.in.known && (lang == "sh" || lang == "ps1" || lang == "bat") {
		out.carry(cargo{what: shellOutput, name: c.words[0].text})
	}
	return out
}

// encoded is the program that PowerShell gets in base64.
func (m *machine) encoded(v value) value {
	x := cargo{what: decoded, name: "base64", unit: m.root()}
	text, ok := decodeUTF16(v.text)
	if ok = ok && len(v.text) > 11 && !strings.ContainsAny(v.text, "$<{.…"); !ok {
		x.tags = []signal.Tag{"computed"}
		return value{holds: []cargo{x}}
	}
	return value{text: text, known: true, holds: []cargo{x}}
}

// program interprets the text of a program in a line.
func (m *machine) program(c *call, v value, lang string) value {
	switch lang {
	case "net":
		m.runs(c, v.holds, false)
		return value{}
	case "scpt":
		m.apple(c, v)
	case "awk":
		if !strings.Contains(v.text, "system") && !strings.Contains(v.text, "getline") && !strings.Contains(v.text, `| "`) {
			return value{holds: c.in.holds}
		}
	}
	return m.execute(c, v, lang, false)
}

// apple interprets what AppleScript gives to a shell, and the window in which it asks for a
// password.
func (m *machine) apple(c *call, v value) {
	lower := strings.ToLower(v.text)
	if strings.Contains(lower, "hidden answer") && !strings.Contains(lower, "hidden answer false") {
		m.add(c.at, signal.Read, c.text, "a password that the user types", "credential", "asked")
	}
	for i, part := range strings.Split(v.text, "do shell script") {
		part = strings.TrimLeft(part, " (")
		if i == 0 || !strings.HasPrefix(part, `"`) {
			continue
		}
		end := 1
		for end < len(part) && part[end] != '"' {
			end += 1 + btoi(part[end] == '\\')
		}
		m.execute(c, literal(strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(part[1:min(end, len(part))])), "sh", false)
	}
}

// scheduled interprets at and crontab, which read what to run later.
func (m *machine) scheduled(c *call, p *program, a args) value {
	in := c.in
	for _, v := range a.all("file", "read") {
		if v.text != "-" {
			in = m.readFile(c.at, v)
		}
	}
	if a.has("list") || len(c.words) == 1 && in.text == "" && len(in.holds) == 0 {
		return value{}
	}
	tags := []signal.Tag{"cron"}
	if in.has(network, decoded) {
		tags = append(tags, "network", "runs")
	}
	m.add(c.at, signal.Write, c.text, p.does, tags...)
	if !in.known && len(in.others) > 0 {
		in.text, in.known = in.others[len(in.others)-1], true
	}
	if p.does == "crontab" {
		in.text = crontabCommands(in.text)
	}
	return m.execute(c, in, "sh", false)
}

// xargs interprets xargs and parallel: what they read becomes words of a command.
func (m *machine) xargs(c *call, name string, a args) value {
	words, items := a.all("command"), c.in.lines()
	mark, _ := a.first("mark")
	if a.has("braces") || name == "parallel" {
		mark.text = "{}"
	}
	if end := slices.IndexFunc(words, func(w value) bool { return strings.HasPrefix(w.text, ":::") }); end >= 0 {
		items = oneOf(words[end+1:])
		words = words[:end]
	}
	if len(words) == 0 {
		return c.in
	}
	if !replace(words, mark.text, items) && (mark.text == "" || name == "parallel") {
		words = append(words, items)
	}
	n := *m
	n.loops++
	x := c.inner(words)
	x.in = value{}
	if name == "parallel" {
		return n.execute(x, joined("", words).value, "sh", false)
	}
	return n.run(x)
}

// replace puts a value in the place of a mark in words. It reports whether there was one.
func replace(words []value, mark string, v value) bool {
	found := false
	for i := range words {
		before, after, ok := strings.Cut(words[i].text, mark)
		if ok && mark != "" {
			found = true
			words[i] = concat(words[i].part(before), v, words[i].part(after))
		}
	}
	return found
}

// find interprets a search for files: the value is what the paths look like.
func (m *machine) find(c *call, name string) value {
	var roots, names []string
	var inner []value
	for i := 1; i < len(c.words); i++ {
		text := c.words[i].text
		found := findFlag().FindStringSubmatch(text)
		switch {
		case !strings.HasPrefix(text, "-"):
			if len(text) > 1 || text == "/" || text == "~" || text == "." {
				roots = append(roots, text)
			}
		case found == nil:
		case found[1] != "":
			for i++; i < len(c.words) && !slices.Contains([]string{";", "+", `\;`}, c.words[i].text); i++ {
				inner = append(inner, c.words[i])
			}
		case i+1 < len(c.words):
			if i++; found[2] != "" {
				names = append(names, c.words[i].text)
			}
		}
	}
	if len(roots) > 0 && strings.HasPrefix(strings.ToLower(roots[0]), "env:") {
		return m.secrets(c, &program{does: "env"}, name, nil)
	}
	if strings.HasPrefix(name, "fd") || name == "locate" || name == "mdfind" {
		names, roots = roots, []string{"/"}
	}
	found := m.searches(c, roots, names, len(inner) > 0)
	if len(inner) == 0 {
		return found
	}
	replace(inner, "{}", found)
	n := *m
	n.loops++
	x := c.inner(inner)
	x.in = value{}
	return n.run(x)
}

// findFlag are options of find and fd that run a command, name files, or have another value.
var findFlag = lazyregexp.New(`(?i)^-+(?:(exec.*|ok.*|x)|(\w*(?:name|path|regex|filter|include))|type|m..depth|size|\w+time|newer|user|perm)$`)

// searches is what the paths look like that a search finds, with a Read signal if they are those
// of secrets.
func (m *machine) searches(c *call, roots, names []string, reads bool) value {
	var out value
	if len(roots) == 0 {
		roots = []string{"."}
	}
	if len(names) == 0 {
		names = []string{"*"}
	}
	for _, root := range roots {
		for _, name := range names {
			path := strings.TrimRight(root, "/") + "/" + strings.TrimLeft(name, "/")
			tags := known.Path(path)
			if secretSearch().MatchString(name) && !dataTags(tags) {
				tags = []signal.Tag{"credential"}
			}
			if dataTags(tags) && root != "." {
				tags = append(slices.Clip(tags), "many")
				number := m.add(c.at, signal.Read, c.text, path, append(tags, map[bool]signal.Tag{false: "listed"}[reads])...)
				out.names = append(out.names, cargo{what: secret, tags: tags, name: path, unit: m.root(), read: number})
			}
			out.also(path)
		}
	}
	return out
}

// secretSearch are patterns for files that hold secrets wherever they are.
var secretSearch = lazyregexp.New(`(?i)[*_.](?:pem|key|ppk|p12|pfx|kdbx|env|ovpn|keystore)$|wallet|secret|credential|password|^id_|_rsa`)

// runURL interprets programs of Windows that run what a URL or a share has.
func (m *machine) runURL(c *call, a args) value {
	for i := range c.words[1:] {
		w := c.words[i+1]
		at := chars.IndexFold(w.text, "http")
		if share := shareHost(w.text); share != "" {
			w = literal("http://" + share)
		} else if at < 0 || !strings.Contains(w.text[at:], "://") {
			continue
		} else {
			w.text = w.text[at:]
		}
		m.runs(c, m.remote(w, "loaded"), false)
		return value{}
	}
	return m.open(c, a)
}

// open interprets programs that open or install a file, or start a program.
func (m *machine) open(c *call, a args) value {
	operands := a.all("file")
	if len(operands) == 0 {
		return value{}
	}
	v := operands[0]
	share := shareHost(v.text)
	words := operands
	if rest, ok := a.first("rest"); ok {
		words = []value{v}
		for _, field := range strings.Fields(rest.text) {
			words = append(words, literal(strings.Trim(field, `"',`)))
		}
	}
	switch {
	case v.text == "" && len(operands) > 1:
		// The first is the title of a window.
		return m.open(c, args{{"file", operands[1]}})
	case share != "":
		m.runs(c, m.remote(literal("http://"+share), "loaded"), false)
	case strings.Contains(v.text, "://"):
		m.send(c, v, v, "query")
	default:
		if p, _, _ := lookup(words); p != nil && p.does != "none" {
			return m.wrapped(c, words)
		}
		if m.file(v.text) == nil || !dataNames().MatchString(v.text) {
			m.runFile(c, v, "sh")
		}
	}
	return value{}
}

// shareHost is the host of a Windows share that a word names; "" for none.
func shareHost(text string) string {
	_, at, ok := strings.Cut(text, `\\`)
	end := strings.IndexAny(at, `\@`)
	if !ok || end <= 0 || strings.ContainsAny(at[:1], `.?\`) {
		return ""
	}
	return at[:end]
}
