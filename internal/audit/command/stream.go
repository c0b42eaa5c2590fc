package command

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/lazyregexp"
)

// flow interprets programs that read files or their input and print or write what they make of it.
func (m *machine) flow(c *call, p *program, name string, a args) value {
	in := m.input(c, p, a)
	out := in
	switch p.does {
	case "print":
		out = said(name, a)
	case "pass":
		if p.detail != "" || name == "head" || name == "tail" || name == "strings" || name == "dd" && strings.Contains(c.text, "skip=") {
			out = m.partOf(c, p, name, in)
		}
	case "tr":
		out = m.translated(c, in)
	case "sed":
		out = m.edited(c, a, in)
	case "decode", "cipher":
		out = m.coded(c, p, a, in)
	case "pack":
		out = value{holds: tagged(in.holds, "encoded")}
	}
	files := a.all("write", "out")
	if p.does == "sed" && a.has("in-place") {
		files = a.all("read")
	}
	written := false
	for _, file := range files {
		if file.text != "-" {
			m.write(c.at, file, out, a.has("append") || strings.EqualFold(c.words[0].text, "add-content"))
			written = true
		}
	}
	if written && name != "tee" {
		return value{}
	}
	return out
}

// input is what a program reads: files, a value among its words, or its standard input.
func (m *machine) input(c *call, p *program, a args) value {
	files := a.all("read")
	if p.detail == "pattern" && len(files) > 0 && !a.has("expression") {
		files = files[1:]
	}
	var in value
	for _, v := range a.all("data", "text") {
		in = both(in, v)
		in.carry(c.in.holds...)
	}
	if len(files) == 0 && in.text == "" && len(in.holds) == 0 {
		in = c.in
		if p.does == "pack" && c.in.like {
			// The names of the files are read.
			in.carry(m.readFile(c.at, c.in).holds...)
		}
	}
	dir, _ := a.first("dir")
	for _, v := range files {
		if dir.text != "" {
			v.text = strings.TrimRight(dir.text, "/") + "/" + v.text
		}
		if v.text == "-" {
			in = both(in, c.in)
			continue
		}
		in = both(in, m.readFile(c.at, v))
	}
	if m.native && len(files) == 0 {
		in.carry(c.in.holds...)
	}
	return in
}

// partOf is a part of a value, or what a filter makes of it.
func (m *machine) partOf(c *call, p *program, name string, in value) value {
	out := in
	if p.detail != "" && out.has(secret) {
		out.holds = tagged(out.holds, "part")
		for i := range out.holds {
			m.tag(out.holds[i].read, "part")
		}
	}
	if in.known && (name == "cut" || name == "fold") && strings.Count(in.text, "\n") < 3 {
		out.carry(cargo{what: decoded, name: name, unit: m.root()})
	}
	out.known, out.like = false, out.like || in.known
	return out
}

// said is what echo, printf and their like write.
func said(name string, a args) value {
	words := slices.Clone(a)
	escapes := name == "printf"
	for len(words) > 0 && words[0].role == "flag" && strings.Trim(words[0].text, "-neE") == "" {
		escapes = escapes || strings.Contains(words[0].text, "e")
		words = words[1:]
	}
	var values []value
	hides := false
	for _, w := range words {
		if escapes && w.known {
			hides = hides || strings.Contains(w.text, `\x`) || strings.Contains(w.text, `\1`)
			if name != "printf" {
				w.text = unescapeC(w.text)
			}
		}
		values = append(values, w.value)
	}
	out := joined("", values).value
	if hides {
		out.carry(cargo{what: decoded, name: name})
	}
	if name != "printf" || len(words) == 0 {
		out.text += "\n"
		return out
	}
	list := []string{}
	for _, v := range values[1:] {
		list = append(list, v.text)
	}
	text, ok := formatted(values[0].text, list)
	if out.known && ok {
		out.text = text
		return out
	}
	out.text, out.others, out.known, out.like = values[0].text, list[:min(len(list), maxOthers)], false, true
	return out
}

// translated is what tr makes of a text. Where it only changes case or whitespace it hides nothing.
func (m *machine) translated(c *call, in value) value {
	var sets []string
	deletes := false
	for _, w := range c.words[1:] {
		if strings.HasPrefix(w.text, "-") && len(w.text) > 1 {
			deletes = w.text == "-d"
			continue
		}
		sets = append(sets, strings.Trim(w.text, "[]"))
	}
	out := in
	if !in.known || len(sets) == 0 || strings.HasPrefix(sets[0], ":") || len(sets) == 1 && !deletes {
		out.known = false
		return out
	}
	out.text = transliterate(in.text, sets[0], strings.Join(sets[1:], ""))
	if !strings.EqualFold(compact(out.text), compact(in.text)) {
		out.carry(cargo{what: decoded, name: "tr", unit: m.root()})
	}
	return out
}

// edited is what sed makes of a text. Its command e runs what follows.
func (m *machine) edited(c *call, a args, in value) value {
	scripts := a.all("expression")
	if files := a.all("read"); len(scripts) == 0 && len(files) > 0 {
		scripts = files[:1]
	}
	out := in
	for _, v := range scripts {
		if text, ok := strings.CutPrefix(strings.TrimLeft(v.text, "0123456789$ "), "e "); ok {
			m.execute(c, literal(text), "sh", false)
		}
		text, ok := substitute(v.text, out.text)
		if out.known = out.known && ok; ok {
			out.text = text
		}
	}
	if in.known && strings.Count(in.text, "\n") < 3 {
		out.carry(cargo{what: decoded, name: "sed", unit: m.root()})
	}
	out.like = out.like || in.known && !out.known
	return out
}

// coded is what programs that encode, decode and encrypt make of a value.
func (m *machine) coded(c *call, p *program, a args, in value) value {
	how, always := strings.CutSuffix(p.detail, "!")
	if p.does == "cipher" {
		how = "encryption"
		if a.has("base64") && !slices.ContainsFunc(c.words, func(w value) bool { return strings.HasPrefix(w.text, "-aes") || strings.HasPrefix(w.text, "-des") }) {
			how = "base64"
		}
	}
	if a.has("check") {
		m.x.checked[m.root()] = true
	}
	if !always && !a.has("decode") {
		return value{holds: tagged(in.holds, "encoded")}
	}
	out := value{holds: in.holds}
	if text, ok := decode(how, in.text); ok && in.known {
		out.text, out.known = text, true
	} else if how == "gzip" && in.has(network) {
		// Packed downloads are ordinary: where they come from is what matters.
		return out
	}
	x := cargo{what: decoded, name: how, unit: m.root()}
	if !in.known && len(in.holds) == 0 && len(c.words) < 3 || how == "encryption" {
		x.tags = []signal.Tag{"computed"}
	}
	out.carry(x)
	return out
}

// copies interprets cp, mv and their like.
func (m *machine) copies(c *call, a args) {
	operands := append(a.all("read"), a.all("copy")...)
	to, ok := a.first("dest")
	if !ok {
		if len(operands) < 2 {
			return
		}
		to, operands = operands[len(operands)-1], operands[:len(operands)-1]
	}
	for _, from := range operands {
		v := m.readFile(c.at, from)
		old := m.file(from.text)
		name := to
		if strings.HasSuffix(to.text, "/") || to.text == "." || len(operands) > 1 || base(to.text) == "bin" {
			name = value{text: strings.TrimRight(to.text, "/") + "/" + base(from.text), known: to.known}
		}
		m.write(c.at, name, v, false)
		if f := m.file(name.text); f != nil && old != nil {
			f.runnable, f.unit = f.runnable || old.runnable, old.unit
		}
	}
}

// archive interprets tar, and what takes files out of an archive.
func (m *machine) archive(c *call, p *program, name string, a args) value {
	if p.does == "tar" && len(c.words) > 1 && !strings.HasPrefix(c.words[1].text, "-") {
		words := slices.Clone(c.words[1:])
		words[0].text = "-" + words[0].text
		a = p.arguments(words)
	}
	if a.has("create") {
		pack := *p
		pack.does = "pack"
		return m.flow(c, &pack, name, a)
	}
	v, label := c.in, ""
	if archives := append(a.all("out"), a.all("read")...); len(archives) > 0 && archives[0].text != "-" {
		v, label = m.readFile(c.at, archives[0]), archives[0].text
	}
	f := &file{doc: m.doc, unit: m.root()}
	f.holds = v.holds
	if slices.ContainsFunc(c.effects, func(e *effect) bool { return e.kind == signal.FileForm }) {
		if len(f.holds) == 0 {
			f.holds = []cargo{{what: asset, name: label, unit: m.root()}}
		}
		f.holds = withTags(f.holds, "password")
	}
	m.doc.unpacked = f
	if label != "" && len(v.holds) == 0 {
		return value{holds: []cargo{{what: asset, name: label, unit: m.root()}}}
	}
	return value{holds: v.holds}
}

// install interprets package managers and what runs packages.
func (m *machine) install(c *call, p *program, a args, name string) {
	for _, v := range a.all("registry") {
		if strings.Contains(v.text, "://") || strings.HasPrefix(v.text, "$") {
			tags, _ := hostTags(v.text)
			m.add(c.at, signal.Install, c.text, v.text, append(tags, "registry-option")...)
		}
	}
	packages := a.all("package")
	if p.does == "runner" && len(packages) > 1 && packages[0].text != "install" {
		// What follows the package are its own words.
		packages = packages[:1]
	}
	for _, v := range packages {
		m.installs(c, p, v, name)
	}
}

// installs adds the signal for one package.
func (m *machine) installs(c *call, p *program, v value, name string) {
	var tags []signal.Tag
	url := strings.TrimPrefix(v.text, "git+")
	scheme, _, isURL := strings.Cut(url, "://")
	at := strings.LastIndexByte(v.text, '@')
	switch {
	case isURL && strings.Trim(scheme, "htpsgif") == "":
		tags, _ = hostTags(url)
		tags = append(tags, "url")
		if url != v.text && !pinned(url) {
			tags = append(tags, "unpinned")
		}
	case v.text == "" || strings.ContainsAny(v.text[:1], "$./") || m.file(v.text) != nil:
		m.runFile(c, v, "sh")
		return
	case p.does == "runner" && !strings.Contains(v.text, "==") && (at <= 0 || at+1 >= len(v.text) || v.text[at+1] < '0' || v.text[at+1] > '9'),
		strings.HasSuffix(v.text, "@latest") && strings.HasPrefix(name, "go:"):
		tags = append(tags, "unpinned")
	}
	m.add(c.at, signal.Install, c.text, v.text, tags...)
}

// pinned reports whether the URL of a repository names a commit or version.
func pinned(url string) bool { return pinnedURL().MatchString(url) }

var pinnedURL = lazyregexp.New(`://[^@]*@(?:[0-9a-f]{7,}|v?\d[^/#]*)(?:#.*)?$|://[^/@]*@.*@(?:[0-9a-f]{7,}|v?\d[^/#]*)(?:#.*)?$`)
