package code

import (
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/known"
	"github.com/vadehq/vade/internal/audit/signal"
)

// someFile is the name of a file that is not known.
const someFile = "a file"

// filePaths are the paths of a value, with * for what is not known.
func filePaths(v *value) []string {
	var list []string
	for _, t := range v.texts {
		if len(t) < 1024 && !unknown(t) {
			t = fill(t, "*")
			for strings.Contains(t, "*/*") {
				t = strings.ReplaceAll(t, "*/*", "*")
			}
			list = append(list, t)
		}
	}
	return list
}

// holds is what is read from a path.
func (c *reader) holds(n *node, v value) value {
	out := value{from: only(v.from, network, secret)}
	list := filePaths(&v)
	for _, p := range list {
		tags := known.Path(p)
		if strings.Contains(path.Base(p), "*") && (stolen(tags) || known.Home(p) || strings.HasPrefix(p, "/*")) {
			tags = append(slices.Clone(tags), "many")
		}
		if stolen(tags) {
			out.carry([]source{{what: secret, tags: tags, name: p}})
		}
		if stored, ok := c.files[strings.TrimPrefix(p, "./")]; ok {
			out.carry(stored.from)
			if len(stored.texts) > 0 {
				out.texts = stored.texts
			}
		}
		c.add(signal.Read, n, c.excerpt(n), shown(p), tags...)
	}
	if len(out.from) == 0 {
		name := someFile
		if len(list) > 0 {
			name = list[0]
		}
		tags := []signal.Tag{"file"}
		if strings.Contains(name, "*") && known.Home(name) {
			tags = append(tags, "many")
		}
		out.carry([]source{{what: secret, tags: tags, name: name}})
	}
	return out
}

// opens is a call that opens a file to read or write it.
func (c *reader) opens(k *called) value {
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
	m = strings.TrimSpace(m)
	if strings.HasPrefix(m, "|") || c.name == "pl" && (strings.HasSuffix(m, "|") || strings.HasPrefix(m, "-|")) {
		return c.shell(k.n, p, k)
	}
	o := &object{file: true, archive: k.row.does == "archive"}
	o.writes = k.row.does == "openwrite" || strings.HasPrefix(m, ">") || len(m) < 6 && strings.ContainsAny(m, "wax+>") ||
		strings.HasSuffix(mode.name, "O_WRONLY") || strings.HasSuffix(mode.name, "ForWriting")
	if list := filePaths(&p); len(list) > 0 {
		o.target = list[0]
	}
	if isURL(o.target) {
		return c.fetches(k)
	}
	out := value{name: k.name, obj: o}
	if o.writes {
		c.changes(k.n, p)
	} else {
		in := c.holds(k.n, p)
		out.from, out.texts = in.from, in.texts
	}
	c.callbacks(k, value{obj: o, from: out.from})
	if n := k.node(0); c.name == "pl" && n != nil && n.op == opName {
		c.setVar(n.text, out, k.s, "=")
	}
	return out
}

// reads is a call that gives what is in a file.
func (c *reader) reads(k *called) value {
	p := k.main()
	if len(p.texts) == 0 && len(k.recv.texts) > 0 {
		p = k.recv
	}
	if t, ok := p.plain(); ok && isURL(t) && !strings.HasPrefix(t, "file:") {
		return c.fetches(k)
	}
	if len(p.texts) == 0 && p.obj != nil {
		return value{from: p.all(), name: k.name}
	}
	out := c.holds(k.n, p)
	out.name = k.name
	back := c.callbacks(k, out)
	out.carry(back.from)
	return out
}

// changes adds the signal of a file that is written.
func (c *reader) changes(n *node, p value) {
	for _, name := range filePaths(&p) {
		c.add(signal.Write, n, c.excerpt(n), shown(name), only2(known.Path(name))...)
	}
}

// only2 keeps the tags that a written file can have.
func only2(tags []signal.Tag) []signal.Tag {
	table := signal.Vocabulary()[signal.Write].Tags
	return slices.DeleteFunc(slices.Clone(tags), func(t signal.Tag) bool { _, ok := table[t]; return !ok })
}

// writes is a call that writes a file.
func (c *reader) writes(k *called) value {
	p := k.main()
	data := k.arg(k.row.arg+1, "data", "contents", "text", "content")
	switch {
	case c.name == "r":
		p, data = k.arg(1, "con", "file"), k.arg(0)
	case strings.HasPrefix(k.name, "?") || len(k.args) == 1 || k.recv.texts != nil:
		p, data = k.recv, k.arg(0)
	}
	c.changes(k.n, p)
	c.stores(k.n, p, data)
	c.callbacks(k, value{})
	return value{}
}

// stores notes what is written to a path.
func (c *reader) stores(n *node, p, data value) {
	from := data.all()
	d := value{from: from}
	for _, name := range filePaths(&p) {
		name = strings.TrimPrefix(name, "./")
		if lang := writtenLanguage(name); lang != "" {
			for _, t := range data.texts {
				if len(t) >= 16 && !unknown(t) {
					c.embed(n, lang, fill(t, ""), data.decoding())
				}
			}
		}
		if d.has(network) || d.has(secret) || d.has(decoded) || len(data.texts) > 0 && len(c.files) < 64 {
			have := c.files[name]
			c.grow(&have, value{from: from, texts: data.texts})
			c.files[name] = have
		}
	}
	if d.has(encrypted) && (d.hasTag("many") || slices.ContainsFunc(p.texts, known.Home)) {
		c.add(signal.Sabotage, n, c.excerpt(n), shown(text1(p)), "ransom")
	}
	if d.has(keystrokes) {
		c.add(signal.Sabotage, n, c.excerpt(n), shown(text1(p)), "keylogger")
	}
}

// writtenLanguage is the language of a program by the name of its file; "" if it is none.
func writtenLanguage(name string) string {
	base := strings.ToLower(path.Base(strings.ReplaceAll(name, `\`, "/")))
	if strings.HasSuffix(base, ".pth") {
		return "py"
	}
	if slices.Contains(known.Path(name), "git-hook") {
		return "sh"
	}
	if lang, _ := signal.LanguageOfName(base); signal.IsCode(lang) {
		return lang
	}
	return ""
}

// copies is a call that copies, moves or links a file.
func (c *reader) copies(k *called) value {
	from, to := k.main(), k.arg(k.row.arg+1, "dst", "dest")
	switch {
	case strings.HasSuffix(k.name, "make_archive"):
		from, to = k.arg(2, "root_dir"), concat(k.arg(0), literal("."), k.arg(1))
	case len(from.texts) == 0 && len(k.recv.texts) > 0:
		from, to = k.recv, k.main()
	}
	in := c.holds(k.n, from)
	c.changes(k.n, to)
	c.stores(k.n, to, in)
	if strings.Contains(text1(from), selfName) && c.weak > 0 && unknown(text1(to)) {
		c.add(signal.Sabotage, k.n, c.excerpt(k.n), "", "spread")
	}
	return value{texts: to.texts, from: in.from}
}

// deletes is a call that deletes files.
func (c *reader) deletes(k *called) value {
	p := k.main()
	if len(p.texts) == 0 && len(k.recv.texts) > 0 {
		p = k.recv
	}
	for _, name := range filePaths(&p) {
		var tags []signal.Tag
		clean := strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(name, "*"), "/"), `/\`)
		switch clean {
		case "":
			if strings.HasPrefix(name, "/") {
				tags = append(tags, "root")
			}
		case "C:", "/etc", "/usr", "/bin", "/var", "/lib", `C:\Windows`:
			tags = append(tags, "root")
		case "~", "$HOME", "/root", "/home", "/Users", "%USERPROFILE%", "~/Documents", "~/Desktop", "~/Pictures":
			tags = append(tags, "home")
		case ".git":
			tags = append(tags, "project")
		}
		c.add(signal.Delete, k.n, c.excerpt(k.n), shown(name), tags...)
	}
	return value{}
}

// walks is a call that goes through the files of a directory.
func (c *reader) walks(k *called) value {
	p := k.main()
	if len(k.recv.texts) > 0 {
		p = concat(k.recv, literal("/"), p)
	}
	out := value{name: k.name + "*"}
	for _, t := range p.texts {
		t = strings.TrimSuffix(t, "/")
		if !strings.HasSuffix(t, string(gapClose)) && !strings.Contains(t, "*") {
			t += "/" + gap
		}
		out.texts = append(out.texts, t)
	}
	back := c.callbacks(k, value{texts: out.texts, from: out.from})
	out.carry(back.from)
	return out
}
