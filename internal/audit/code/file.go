package code

import (
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/known"
	"github.com/vadehq/vade/internal/audit/signal"
)

// someFile stands for a file whose name is unknown.
const someFile = "a file"

// filePaths returns the paths in a value, with * for unknown parts.
func filePaths(v value) []string {
	var list []string
	for _, t := range v.texts {
		if len(t) < 1024 && !unknown(t) {
			list = append(list, fill(t, "*"))
		}
	}
	return list
}

// path returns the path that a call works on, which is an argument or the receiver.
func (k *call) path() value {
	if p := k.main(); len(p.texts) > 0 || len(k.recv.texts) == 0 {
		return p
	}
	return k.recv
}

// holds returns the content of the files whose paths are in v.
func (c *reader) holds(n *node, v value) value {
	out := value{from: only(v.from, network, secret)}
	name := someFile
	for i, p := range filePaths(v) {
		tags := known.Path(p)
		if strings.Contains(path.Base(p), "*") && (known.Secret(tags) || known.Home(p) || strings.HasPrefix(p, "/*")) {
			tags = append(slices.Clone(tags), "many")
		}
		if known.Secret(tags) {
			out.carry([]source{{what: secret, tags: tags, name: p}})
		}
		out.carry(c.files[strings.TrimPrefix(p, "./")].from)
		c.add(signal.Read, n, c.excerpt(n), shown(p), tags...)
		if i == 0 {
			name = p
		}
	}
	if len(out.from) == 0 {
		tags := []signal.Tag{"file"}
		if strings.Contains(name, "*") && known.Home(name) {
			tags = append(tags, "many")
		}
		out.from = []source{{what: secret, tags: tags, name: name}}
	}
	return out
}

// opens handles calls that open a file.
func (c *reader) opens(k *call) value {
	p, mode := k.main(), k.arg(k.row.arg+1, "mode")
	switch {
	case k.row.does == "openpath":
		if p, mode = k.recv, k.arg(0, "mode"); len(p.texts) == 0 {
			return c.pass(k)
		}
	case c.name == "pl":
		// open(FILE, MODE, PATH) or open(FILE, "> path").
		mode = k.arg(1)
		if p = k.arg(2); len(k.args) < 3 {
			p = mode
		}
	}
	m, _ := mode.plain()
	if c.name == "pl" && strings.Contains(m, "&") {
		return c.opensStream(k, m, p)
	}
	if strings.HasPrefix(strings.TrimPrefix(m, "-"), "|") || c.name == "pl" && strings.HasSuffix(m, "|") {
		return c.shell(k, p)
	}
	o := &object{file: true, archive: k.row.does == "archive"}
	o.writes = k.row.does == "openwrite" || len(m) < 6 && strings.ContainsAny(m, "wax+>")
	if list := filePaths(p); len(list) > 0 {
		o.target = list[0]
	}
	out := value{name: k.name, obj: o}
	switch {
	case isURL(o.target):
		return c.requests(k)
	case o.writes:
		c.changes(k.n, p)
	default:
		out.from = c.holds(k.n, p).from
	}
	c.callbacks(k, value{obj: o, from: out.from})
	return out
}

// opensStream handles open(STDIN, "<&", $stream) and open(STDIN, "<&STREAM") in Perl.
func (c *reader) opensStream(k *call, mode string, stream value) value {
	_, name, _ := strings.Cut(mode, "&")
	if at := k.s.find(name); at != nil {
		stream = at.vars[name]
	}
	c.joinsShell(k.n, stream.from)
	return value{}
}

// reads handles calls that return file content.
func (c *reader) reads(k *call) value {
	p := k.path()
	if t := p.text(); isURL(t) && !strings.HasPrefix(t, "file:") {
		return c.requests(k)
	}
	out := c.holds(k.n, p)
	out.name = k.name
	out.carry(c.callbacks(k, out).from)
	return out
}

// changes adds a signal for each path that is written.
func (c *reader) changes(n *node, p value) {
	for _, name := range filePaths(p) {
		c.add(signal.Write, n, c.excerpt(n), shown(name), places(name)...)
	}
}

// places returns the tags that matter if the path is written.
func places(name string) []signal.Tag {
	table := signal.Vocabulary()[signal.Write].Tags
	return slices.DeleteFunc(slices.Clone(known.Path(name)), func(t signal.Tag) bool { return table[t] == "" })
}

// writes handles calls that write a file.
func (c *reader) writes(k *call) value {
	p, data := k.main(), k.arg(k.row.arg+1, "data", "contents", "text", "content")
	if strings.HasPrefix(k.name, "?") || len(k.args) == 1 || k.recv.texts != nil {
		p, data = k.recv, k.arg(0)
	}
	c.changes(k.n, p)
	c.stores(k.n, p, data)
	c.callbacks(k, value{})
	return value{}
}

// stores records the content written to a path.
func (c *reader) stores(n *node, p, data value) {
	for _, name := range filePaths(p) {
		name = strings.TrimPrefix(name, "./")
		lang, matters := writtenLanguage(name), len(places(name)) > 0
		for _, t := range data.texts {
			switch t = fill(t, ""); {
			case len(t) < 16:
			case matters: // Package command determines the rest.
				c.embed(n, "sh", "cat > "+quoteWord(name)+" << 'END'\n"+t+"\nEND\n", data.decoding())
			case lang != "":
				c.embed(n, lang, t, data.decoding())
			}
		}
		if from := only(data.from, network, secret, decoded); len(from) > 0 {
			c.files[name] = either(value{from: data.from}, c.files[name])
		}
	}
	if data.has(encrypted) && (data.hasTag("many") || slices.ContainsFunc(p.texts, known.Home)) {
		c.add(signal.Sabotage, n, c.excerpt(n), shown(p.text()), "ransom")
	}
	if data.has(keystrokes) {
		c.add(signal.Sabotage, n, c.excerpt(n), shown(p.text()), "keylogger")
	}
}

// writtenLanguage returns the language of a program file by its name, or "".
func writtenLanguage(name string) string {
	base := strings.ToLower(path.Base(strings.ReplaceAll(name, `\`, "/")))
	lang, _ := signal.LanguageOfName(base)
	if strings.HasSuffix(base, ".pth") {
		return "py"
	} else if signal.IsCode(lang) {
		return lang
	}
	return ""
}

// copies handles calls that copy, move or link a file.
func (c *reader) copies(k *call) value {
	from, to := k.main(), k.arg(k.row.arg+1, "dst", "dest")
	if strings.HasSuffix(k.name, "make_archive") {
		from, to = k.arg(2, "root_dir"), concat(k.arg(0), literal("."), k.arg(1))
	}
	in := c.holds(k.n, from)
	c.changes(k.n, to)
	c.stores(k.n, to, in)
	return value{texts: to.texts, from: in.from}
}

// deletes handles calls that delete files.
func (c *reader) deletes(k *call) value {
	for _, name := range filePaths(k.path()) {
		var tags []signal.Tag
		place := strings.TrimRight(strings.TrimSuffix(strings.TrimRight(name, "*"), "/"), `/\`)
		for _, tag := range [...]string{"root", "home", "project"} {
			if wordIs(place, "place-"+tag) || place == "" && tag == "root" && strings.HasPrefix(name, "/") {
				tags = append(tags, signal.Tag(tag))
			}
		}
		c.add(signal.Delete, k.n, c.excerpt(k.n), shown(name), tags...)
	}
	return value{}
}

// walks handles calls that iterate over files in a directory.
func (c *reader) walks(k *call) value {
	p := k.main()
	if len(k.recv.texts) > 0 {
		p = concat(k.recv, literal("/"), p)
	}
	out := value{name: k.name + "*"}
	for _, t := range p.texts {
		if !strings.HasSuffix(t, string(gapClose)) && !strings.Contains(t, "*") {
			t = strings.TrimSuffix(t, "/") + "/" + gap
		}
		out.texts = append(out.texts, t)
	}
	out.carry(c.callbacks(k, value{texts: out.texts}).from)
	return out
}
