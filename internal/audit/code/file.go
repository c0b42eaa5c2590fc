package code

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/known"
	"github.com/vadehq/vade/internal/audit/signal"
)

// someFile is used in place of the name of an unknown file.
const someFile = "a file"

// path returns the path in a value, with unknown parts replaced by *, or "".
func (v *value) path() string {
	if len(v.text) >= 1024 || unknown(v.text) {
		return ""
	}
	return fill(v.text, "*")
}

// path returns the path that a call works on, which is either an argument or the receiver.
func (k *call) path() value {
	if p := k.main(); p.known || !k.recv.known {
		return p
	}
	return k.recv
}

// holds returns the contents of the files that v names.
func (c *reader) holds(n *node, v value) value {
	out := value{from: only(v.from, network, secret)}
	p := v.path()
	if p != "" {
		tags := known.Path(p)
		if strings.Contains(path.Base(p), "*") && (known.Secret(tags) || known.Home(p) || strings.HasPrefix(p, "/*")) {
			tags = append(slices.Clone(tags), "many")
		}
		if known.Secret(tags) {
			out.carry([]source{{what: secret, tags: tags, name: p}})
		}
		out.carry(c.files[strings.TrimPrefix(p, "./")].from)
		c.add(signal.Read, n, c.excerpt(n), shown(p), tags...)
	}
	if len(out.from) == 0 {
		tags := []signal.Tag{"file"}
		if strings.Contains(p, "*") && known.Home(p) {
			tags = append(tags, "many")
		}
		out.from = []source{{what: secret, tags: tags, name: cmp.Or(p, someFile)}}
	}
	return out
}

// opens handles calls that open a file.
func (c *reader) opens(k *call) value {
	p, mode := k.main(), k.arg(k.row.arg+1, "mode")
	switch {
	case k.row.does == "openpath" && !k.recv.known:
		return c.pass(k)
	case k.row.does == "openpath":
		p, mode = k.recv, k.arg(0, "mode")
	case c.name == "pl": // open(FILE, MODE, PATH) or open(FILE, "> path")
		p, mode = k.arg(len(k.args)-1), k.arg(1)
	}
	m, _ := mode.plain()
	if c.name == "pl" && strings.Contains(m, "&") {
		return c.duplicates(k) // open(STDIN, ">&S")
	}
	if strings.HasPrefix(m, "|") || c.name == "pl" && strings.HasSuffix(m, "|") {
		return c.shell(k, p)
	}
	o := &object{file: true, archive: k.row.does == "archive"}
	o.writes = k.row.does == "openwrite" || len(m) < 6 && strings.ContainsAny(m, "wax+>")
	o.target = p.path()
	out := value{name: k.name, obj: o}
	if o.writes {
		c.changes(k.n, p)
	} else {
		out.from = c.holds(k.n, p).from
	}
	c.callbacks(k, value{obj: o, from: out.from})
	return out
}

// reads handles calls that return a file's content.
func (c *reader) reads(k *call) value {
	p := k.path()
	if isURL(p.text) && !strings.HasPrefix(p.text, "file:") {
		return c.requests(k)
	}
	out := c.holds(k.n, p)
	out.name = k.name
	out.carry(c.callbacks(k, out).from)
	return out
}

// changes adds a signal for a path that the code writes to.
func (c *reader) changes(n *node, p value) {
	if name := p.path(); name != "" {
		c.add(signal.Write, n, c.excerpt(n), shown(name), places(name)...)
	}
}

// places returns those tags for a path that are relevant to writing.
func places(name string) []signal.Tag {
	table := signal.Vocabulary()[signal.Write].Tags
	return slices.DeleteFunc(slices.Clone(known.Path(name)), func(t signal.Tag) bool { return table[t] == "" })
}

// writes handles calls that write a file.
func (c *reader) writes(k *call) value {
	p, data := k.main(), k.arg(k.row.arg+1, "data", "contents", "text", "content")
	if strings.HasPrefix(k.name, "?") || len(k.args) == 1 || k.recv.known {
		p, data = k.recv, k.arg(0)
	}
	c.changes(k.n, p)
	c.stores(k.n, p, data)
	c.callbacks(k, value{})
	return value{}
}

// stores records the content that is written to a path.
func (c *reader) stores(n *node, p, data value) {
	if name := strings.TrimPrefix(p.path(), "./"); name != "" {
		lang, t := writtenLanguage(name), fill(data.text, "")
		switch {
		case len(t) < 16:
		case len(places(name)) > 0: // Package command handles these paths.
			c.embed(n, "sh", "cat > "+quoteWord(name)+" << 'END'\n"+t+"\nEND\n", data.decoding())
		case lang != "":
			c.embed(n, lang, t, data.decoding())
		}
		if from := only(data.from, network, secret, decoded); len(from) > 0 {
			c.files[name] = either(value{from: data.from}, c.files[name])
		}
	}
	if data.has(encrypted) && (data.hasTag("many") || known.Home(p.text)) {
		c.add(signal.Sabotage, n, c.excerpt(n), shown(p.textOrGap()), "ransom")
	}
	if data.has(keystrokes) {
		c.add(signal.Sabotage, n, c.excerpt(n), shown(p.textOrGap()), "keylogger")
	}
}

// writtenLanguage returns a program file's language based on the file name, or "".
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
	return value{text: to.text, known: to.known, from: in.from}
}

// deletes handles calls that delete files.
func (c *reader) deletes(k *call) value {
	p := k.path()
	if name := p.path(); name != "" {
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

// walks handles calls that iterate over the files in a directory.
func (c *reader) walks(k *call) value {
	p := k.main()
	if k.recv.known {
		p = concat(k.recv, literal("/"), p)
	}
	out := value{name: k.name + "*", text: p.text, known: p.known}
	if p.known && !strings.HasSuffix(p.text, string(gapClose)) && !strings.Contains(p.text, "*") {
		out.text = strings.TrimSuffix(p.text, "/") + "/" + gap
	}
	out.carry(c.callbacks(k, value{text: out.text, known: out.known}).from)
	return out
}
