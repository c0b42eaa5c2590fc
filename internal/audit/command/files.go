package command

import (
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/known"
	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/lazyregexp"
)

// base is the last part of a path of any system.
func base(name string) string {
	name = strings.TrimRight(strings.Trim(name, `"'`), `/\`)
	return name[strings.LastIndexAny(name, `/\`)+1:]
}

// file returns the file of a name that commands have made; nil for none.
func (m *machine) file(name string) *file {
	if strings.HasPrefix(name, "/dev/fd/") {
		return m.x.files[name]
	}
	f := m.x.files[base(name)]
	if f == nil || f.doc != m.doc && (f.name != name || !strings.HasPrefix(name, "/") && !strings.HasPrefix(name, "~")) {
		return nil
	}
	return f
}

// packaged returns the index of the file of the package that a path names; -1 for none.
func (m *machine) packaged(name string) int {
	if m.x.paths == nil {
		m.x.paths = map[string]int{}
		for i, f := range m.set.Package.Files {
			if f.From == nil || f.From.Container {
				m.x.paths[f.Path] = i
			}
		}
	}
	name = path.Clean(strings.ReplaceAll(name, `\`, "/"))
	if len(name) > 512 {
		return -1
	}
	for n := 0; n < 8; n++ {
		if i, ok := m.x.paths[name]; ok {
			return i
		}
		_, rest, more := strings.Cut(name, "/")
		if !more {
			break
		}
		name = rest
	}
	return -1
}

// sameFile reports whether a path in a command may name a file of the package.
func sameFile(name, file string) bool {
	name = path.Clean(strings.ReplaceAll(name, `\`, "/"))
	return name == file || strings.HasSuffix(name, "/"+file) || strings.HasSuffix(file, "/"+name)
}

// device returns the host of /dev/tcp/host/port.
func device(name string) (string, bool) {
	rest, ok := strings.CutPrefix(name, "/dev/tcp/")
	if !ok {
		rest, ok = strings.CutPrefix(name, "/dev/udp/")
	}
	at, _, _ := strings.Cut(rest, "/")
	return at, ok
}

// readFile is the content of a file that a command reads.
func (m *machine) readFile(at place, v value) value {
	var out value
	v.each(func(name string) {
		if name == "" {
			return
		}
		if to, ok := device(name); ok {
			out.carry(m.connect(at, name, to)...)
			return
		}
		if f := m.file(name); f != nil {
			content := f.value
			content.holds = slices.Clone(content.holds)
			for i := range content.holds {
				content.holds[i].stored = content.holds[i].stored || !strings.HasPrefix(name, "/dev/fd/")
			}
			out = both(out, content)
			return
		}
		if list := m.secretFile(at, "", name); len(list) > 0 {
			out.carry(list...)
			return
		}
		if index := m.packaged(name); index >= 0 {
			x := m.set.Package.Files[index]
			data := value{text: x.Text, known: true}
			if x.Role == signal.Opaque || x.Text == "" && len(x.Raw) > 0 {
				data = value{text: string(x.Raw[:min(len(x.Raw), maxText)]), known: true, holds: []cargo{m.cargo(asset, x.Path)}}
			}
			if len(data.text) > maxText {
				data.text, data.known = "", false
			}
			out = both(out, data)
		} else if binaryName(name) {
			out.carry(m.cargo(asset, name))
		}
	})
	if len(out.holds) == 0 {
		out.carry(v.names...)
	}
	return out
}

// connect is what comes over a connection to a host.
func (m *machine) connect(at place, text, to string) []cargo {
	list, _ := hostTags(to)
	m.add(at, signal.Connect, text, to, list...)
	return []cargo{{what: connection, tags: list, name: to, unit: m.root()}}
}

// dataTags are tags of paths that say that what is there is a secret.
func dataTags(tags []signal.Tag) bool {
	return slices.ContainsFunc(tags, func(t signal.Tag) bool {
		switch t {
		case "secret", "credential", "browser", "wallet", "history", "env-all", "env-file", "agent-secret", "agent-history":
			return true
		}
		return false
	})
}

// secretFile returns the secret that a file has, with a Read signal; nothing if it is not known
// for one.
func (m *machine) secretFile(at place, text, name string) []cargo {
	if len(name) < 4 && name != "." {
		return nil
	}
	list := known.Path(name)
	if !dataTags(list) && m.doc.dir != "" && !strings.HasPrefix(name, "/") && !strings.HasPrefix(name, "~") && !strings.HasPrefix(name, "$") {
		list = known.Path(m.doc.dir + "/" + name)
	}
	if !dataTags(list) {
		return nil
	}
	if strings.ContainsAny(name, "*?") {
		list = append(slices.Clip(list), "many")
	}
	if text == "" {
		text = m.set.Regions[m.region].Text
		text = text[min(at.from, len(text)):min(max(at.to, at.from), len(text))]
	}
	number := m.add(at, signal.Read, text, name, list...)
	return []cargo{{what: secret, tags: list, name: name, unit: m.root(), read: number}}
}

// write puts what a command writes into a file.
func (m *machine) write(at place, name value, v value, adds bool) {
	for _, c := range name.holds {
		if c.what == connection {
			m.overConnection(at, c, v)
		}
	}
	name.each(func(path string) {
		if to, ok := device(path); ok {
			m.overConnection(at, m.connect(at, path, to)[0], v)
			return
		}
		switch {
		case path == "" || path == "/dev/null":
			return
		case path == "/dev/stdout" || path == "/dev/stderr" || path == "/dev/tty" || path == "-":
			m.print(v)
			return
		}
		if f := m.x.files[path]; f != nil && f.reader != nil {
			f.reader(v)
			return
		}
		if strings.HasPrefix(path, "/dev/") {
			m.effects(&call{at: at, text: m.textAt(at)}, "dd", []string{"of=" + path})
			return
		}
		m.keep(at, path, v, adds)
	})
}

func (m *machine) textAt(at place) string {
	text := m.set.Regions[m.region].Text
	return text[min(at.from, len(text)):min(max(at.to, at.from), len(text))]
}

// overConnection sends what a command writes over a connection.
func (m *machine) overConnection(at place, c cargo, v value) {
	if v.has(shellOutput) {
		m.add(at, signal.Connect, m.textAt(at), c.name, append(slices.Clip(c.tags), "shell")...)
	}
	m.send(&call{at: at}, literal(c.name), v)
}

// keep stores a file, and notes where it is.
func (m *machine) keep(at place, path string, v value, adds bool) {
	if len(m.x.files) > maxVars {
		return
	}
	f := &file{value: v, doc: m.doc, unit: m.root(), name: path, runnable: strings.Contains(path, "/bin/")}
	if old := m.file(path); old != nil {
		f.runnable = f.runnable || old.runnable
		if adds {
			f.value = both(old.value, v)
		}
	}
	m.x.files[base(path)] = f
	tags := known.Path(path)
	if !placeTags(tags) && m.doc.dir != "" && !outside(path) {
		tags = known.Path(m.doc.dir + "/" + path)
	}
	if placeTags(tags) {
		m.changes(at, path, v, tags, adds)
	}
	lang := writtenLanguage(path, v.text, tags)
	if !v.known || len(v.text) < 4 || m.fixed || lang == "" {
		return
	}
	f.embedded = true
	text := v.text
	if slices.Contains(tags, "cron") {
		text = crontabCommands(text)
	}
	m.embed(at, text, lang, v.encoding())
}

// changes adds the signals of a file that matters and is written.
func (m *machine) changes(at place, path string, v value, tags []signal.Tag, adds bool) {
	tags = slices.Clip(tags)
	if adds {
		tags = append(tags, "append")
	}
	if outside(path) {
		tags = append(tags, "outside")
	}
	switch {
	case v.has(network, decoded):
		tags = append(tags, "network", "runs")
	case slices.Contains(tags, "authorized-keys"):
		if publicKey().MatchString(v.text) {
			tags = append(tags, "runs")
		}
	case v.text != "" && startsSomething(v.text):
		tags = append(tags, "runs")
	}
	m.add(at, signal.Write, m.textAt(at), path, tags...)
	if setting := host.GuardSetting(v.text); setting != "" {
		m.add(at, signal.Weaken, m.textAt(at), setting, "agent-guards")
	}
}

// outside reports whether a path leads out of the project.
func outside(path string) bool { return outsidePath().MatchString(path) }

var outsidePath = lazyregexp.New(`^[/~$%]|:\\`)

// placeTags reports whether tags of a path say that what is written there matters.
func placeTags(tags []signal.Tag) bool {
	allowed := signal.Vocabulary()[signal.Write].Tags
	return slices.ContainsFunc(tags, func(t signal.Tag) bool { return allowed[t] != "" })
}

// writtenLanguage is the language of a file that a command writes with a known text; "" if it
// is not code.
func writtenLanguage(name, text string, tags []signal.Tag) string {
	if lang := signal.Interpreter(text); lang != "" && lang != "?" {
		return lang
	}
	if slices.Contains(tags, "shell-rc") || slices.Contains(tags, "cron") || slices.Contains(tags, "git-hook") {
		return "sh"
	}
	lang, role := signal.LanguageOfName(strings.ToLower(base(name)))
	if role == signal.Script || role == signal.Config && placeTags(tags) {
		return lang
	}
	return ""
}

// crontabCommands is a table of cron without the times.
func crontabCommands(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		n := 5
		if strings.HasPrefix(line, "@") {
			n = 1
		}
		if len(fields) > n {
			b.WriteString(strings.Join(fields[n:], " ") + "\n")
		}
	}
	return b.String()
}

// startsSomething reports whether lines for a shell startup file may do more than set variables,
// names and paths. Completions and hooks of tools count as settings.
func startsSomething(text string) bool {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && (!settingLine().MatchString(line) || startingLine().MatchString(line)) {
			return true
		}
	}
	return false
}

var (
	settingLine = lazyregexp.New(`^(?:#|[\w.-]+=|\[|\}|(?:export|alias|set|setopt|bindkey|compinit|autoload|fpath|path|typeset|fi|if|then|else|` +
		`shopt|unset|fish_add_path|zstyle|plugins|command|source|eval|\.)(?:\s|;|$))`)
	startingLine = lazyregexp.New(`curl|wget|base64|/tmp/|/\.cache/`)
	// publicKey is a key that is written out, and not a placeholder for one.
	publicKey = lazyregexp.New(`AAAA[0-9A-Za-z+/]{20}`)
)
