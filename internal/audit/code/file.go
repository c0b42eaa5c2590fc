package code

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/known"
	"github.com/vadehq/vade/internal/audit/signal"
)

// unknownFile is used as the name of a file whose name is unknown.
const unknownFile = "a file"

// path returns the path in a value, with each unknown part replaced by *. It returns "" if the
// value contains no path.
func (v *value) path() string {
	if len(v.text) >= 1024 || allUnknown(v.text) {
		return ""
	}
	return fillGaps(v.text, "*")
}

// path returns the path of the file that a call operates on. The path is an argument or the
// receiver.
func (k *call) path() value {
	if p := k.mainArg(); p.known || !k.recv.known {
		return p
	}
	return k.recv
}

// fileSources adds a Read signal for the files that v names and returns the sources of their
// contents.
func (c *reader) fileSources(n *node, v value) value {
	out := value{sources: filterSources(v.sources, network, secret)}
	p := v.path()
	if p != "" {
		tags := known.Path(p)
		if strings.Contains(path.Base(p), "*") && (known.Secret(tags) || known.Home(p) || strings.HasPrefix(p, "/*")) {
			tags = append(slices.Clone(tags), "many")
		}
		if known.Secret(tags) {
			out.addSources([]source{{kind: secret, tags: tags, name: p}})
		}
		out.addSources(c.files[strings.TrimPrefix(p, "./")].sources)
		c.addSignal(signal.Read, n, c.excerpt(n), shorten(p), tags...)
	}
	if len(out.sources) == 0 {
		tags := []signal.Tag{"file"}
		if strings.Contains(p, "*") && known.Home(p) {
			tags = append(tags, "many")
		}
		out.sources = []source{{kind: secret, tags: tags, name: cmp.Or(p, unknownFile)}}
	}
	return out
}

// opens handles calls that open a file.
func (c *reader) opens(k *call) value {
	p, mode := k.mainArg(), k.arg(k.row.arg+1, "mode")
	switch {
	case k.row.effect == "openpath" && !k.recv.known:
		return c.unknownCall(k)
	case k.row.effect == "openpath":
		p, mode = k.recv, k.arg(0, "mode")
	case c.name == "pl": // open(FILE, MODE, PATH) or open(FILE, "> path")
		p, mode = k.arg(len(k.args)-1), k.arg(1)
	}
	m, _ := mode.exactText()
	if c.name == "pl" && strings.Contains(m, "&") {
		return c.duplicates(k) // open(STDIN, ">&S")
	}
	if strings.HasPrefix(m, "|") || c.name == "pl" && strings.HasSuffix(m, "|") {
		return c.shell(k, p)
	}
	o := &object{file: true, archive: k.row.effect == "archive"}
	o.writes = k.row.effect == "openwrite" || len(m) < 6 && strings.ContainsAny(m, "wax+>")
	o.target = p.path()
	out := value{name: k.name, obj: o}
	if o.writes {
		c.addWrite(k.n, p)
	} else {
		out.sources = c.fileSources(k.n, p).sources
	}
	c.callbacks(k, value{obj: o, sources: out.sources})
	return out
}

// reads handles calls that return a file's content.
func (c *reader) reads(k *call) value {
	p := k.path()
	if isURL(p.text) && !strings.HasPrefix(p.text, "file:") {
		return c.requests(k)
	}
	out := c.fileSources(k.n, p)
	out.name = k.name
	out.addSources(c.callbacks(k, out).sources)
	return out
}

// addWrite adds a signal for a path that the code writes to.
func (c *reader) addWrite(n *node, p value) {
	if name := p.path(); name != "" {
		c.addSignal(signal.Write, n, c.excerpt(n), shorten(name), writeTags(name)...)
	}
}

// writeTags returns those tags of a path that matter if the file is written to.
func writeTags(name string) []signal.Tag {
	table := signal.Vocabulary()[signal.Write].Tags
	return slices.DeleteFunc(slices.Clone(known.Path(name)), func(t signal.Tag) bool { return table[t] == "" })
}

// writes handles calls that write a file.
func (c *reader) writes(k *call) value {
	p, data := k.mainArg(), k.arg(k.row.arg+1, "data", "contents", "text", "content")
	if strings.HasPrefix(k.name, "?") || len(k.args) == 1 || k.recv.known {
		p, data = k.recv, k.arg(0)
	}
	c.addWrite(k.n, p)
	c.storeFile(k.n, p, data)
	c.callbacks(k, value{})
	return value{}
}

// storeFile records the sources of the content that is written to a path. It also adds signals and
// regions for the content.
func (c *reader) storeFile(n *node, p, data value) {
	if name := strings.TrimPrefix(p.path(), "./"); name != "" {
		lang, t := writtenLanguage(name), fillGaps(data.text, "")
		switch {
		case len(t) < 16:
		case len(writeTags(name)) > 0: // Package command handles these paths.
			c.embed(n, "sh", "cat > "+quoteWord(name)+" << 'END'\n"+t+"\nEND\n", data.decoding())
		case lang != "":
			c.embed(n, lang, t, data.decoding())
		}
		if from := filterSources(data.sources, network, secret, decoded); len(from) > 0 {
			c.files[name] = merge(value{sources: data.sources}, c.files[name])
		}
	}
	if data.has(encrypted) && (data.hasTag("many") || known.Home(p.text)) {
		c.addSignal(signal.Sabotage, n, c.excerpt(n), shorten(p.textOrGap()), "ransom")
	}
	if data.has(keystrokes) {
		c.addSignal(signal.Sabotage, n, c.excerpt(n), shorten(p.textOrGap()), "keylogger")
	}
}

// writtenLanguage returns the programming language of a source file, judging by its name. It
// returns "" for any other file.
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
	from, to := k.mainArg(), k.arg(k.row.arg+1, "dst", "dest")
	if strings.HasSuffix(k.name, "make_archive") {
		from, to = k.arg(2, "root_dir"), concat(k.arg(0), literal("."), k.arg(1))
	}
	in := c.fileSources(k.n, from)
	c.addWrite(k.n, to)
	c.storeFile(k.n, to, in)
	return value{text: to.text, known: to.known, sources: in.sources}
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
		c.addSignal(signal.Delete, k.n, c.excerpt(k.n), shorten(name), tags...)
	}
	return value{}
}

// walks handles calls that iterate over the files in a directory.
func (c *reader) walks(k *call) value {
	p := k.mainArg()
	if k.recv.known {
		p = concat(k.recv, literal("/"), p)
	}
	out := value{name: k.name + "*", text: p.text, known: p.known}
	if p.known && !strings.HasSuffix(p.text, string(gapClose)) && !strings.Contains(p.text, "*") {
		out.text = strings.TrimSuffix(p.text, "/") + "/" + gap
	}
	out.addSources(c.callbacks(k, value{text: out.text, known: out.known}).sources)
	return out
}
