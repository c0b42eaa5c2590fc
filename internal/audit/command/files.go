package command

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/known"
	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/host"
)

// base returns the last element of a Windows or POSIX path.
func base(name string) string {
	name = strings.TrimRight(strings.Trim(name, `"'`), `/\`)
	return name[strings.LastIndexAny(name, `/\`)+1:]
}

// file returns the file with the given name if a command created it, or nil.
func (m *machine) file(name string) *file {
	if strings.HasPrefix(name, "/dev/fd/") {
		return m.x.files[name]
	}
	f := m.x.files[base(name)]
	if f == nil || f.doc != m.doc && f.name != name {
		return nil
	}
	return f
}

// writtenFiles returns the files that match a glob among those that commands wrote, in the order in
// which a shell lists them.
func (m *machine) writtenFiles(glob string) []*file {
	var list []*file
	if !strings.ContainsAny(glob, "*?[") {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(m.x.files)) {
		if f := m.x.files[name]; f.doc == m.doc && known.Glob(glob, f.name) {
			list = append(list, f)
		}
	}
	return list
}

// packaged returns the index of the package's file at a path, or -1.
func (m *machine) packaged(name string) int {
	if m.x.paths == nil {
		m.x.paths = map[string]int{}
		for i, f := range m.set.Package.Files {
			m.x.paths[f.Path] = i
		}
	}
	name = path.Clean(strings.ReplaceAll(name, `\`, "/"))
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

// readFile returns the content of a file read by a command.
func (m *machine) readFile(at place, v value) value {
	var out value
	v.each(func(name string) {
		if found := regex("device").FindStringSubmatch(name); found != nil {
			out.carry(m.connect(at, name, found[1])...)
		} else if f := m.file(name); f != nil {
			out = both(out, f.value)
		} else if matches := m.writtenFiles(name); len(matches) > 0 {
			for _, f := range matches {
				out = both(out, f.value)
			}
		} else if list := m.secretFile(at, "", name); len(list) > 0 {
			out.carry(list...)
		} else if index := m.packaged(name); index >= 0 {
			if f := m.set.Package.Files[index]; f.Role == signal.Opaque || f.Text == "" {
				out.carry(m.cargo(asset, f.Path))
			} else if len(f.Text) <= maxText {
				out = both(out, literal(f.Text))
			}
		} else if binaryName(name) {
			out.carry(m.cargo(asset, name))
		}
	})
	if len(out.holds) == 0 {
		for _, x := range v.holds {
			if x.what == named {
				x.what = secret
				out.carry(x)
			}
		}
	}
	return out
}

// connect adds a signal for a connection to a host and returns the connection as cargo.
func (m *machine) connect(at place, text, to string) []cargo {
	list, _ := hostTags(to)
	m.add(at, signal.Connect, text, to, list...)
	return []cargo{m.cargo(connection, to, list...)}
}

// placeTags reports whether writing to a path with the given tags is relevant.
func placeTags(tags []signal.Tag) bool {
	allowed := signal.Vocabulary()[signal.Write].Tags
	return slices.ContainsFunc(tags, func(t signal.Tag) bool { return allowed[t] != "" })
}

// pathTags returns the tags for a path, which may be relative to the current directory.
func (m *machine) pathTags(name string, matter func([]signal.Tag) bool) []signal.Tag {
	tags := known.Path(name)
	if !matter(tags) && m.doc.dir != "" && !regex("outside").MatchString(name) {
		tags = known.Path(m.doc.dir + "/" + name)
	}
	if !matter(tags) {
		return nil
	}
	return slices.Clip(tags)
}

// secretFile adds a Read signal and returns the secret in the file. If the file is not a known
// secret, it returns nil.
func (m *machine) secretFile(at place, text, name string) []cargo {
	if len(name) < 4 && name != "." {
		return nil
	}
	tags := m.pathTags(name, known.Secret)
	if tags == nil {
		return nil
	}
	if strings.ContainsAny(name, "*?") {
		tags = append(tags, "many")
	}
	if text == "" {
		text = m.textAt(at)
	}
	x := m.cargo(secret, name, tags...)
	x.read = m.add(at, signal.Read, text, name, tags...)
	return []cargo{x}
}

// write records that a command's output is written to a file.
func (m *machine) write(at place, name value, v value, adds bool) {
	for _, c := range name.holds {
		if c.what == connection {
			m.overConnection(at, c, v)
		}
	}
	name.each(func(path string) {
		f := m.x.files[path]
		found := regex("device").FindStringSubmatch(path)
		switch {
		case found != nil:
			m.overConnection(at, m.connect(at, path, found[1])[0], v)
		case f != nil && f.reader != nil:
			f.reader(v)
		case path == "" || path == "/dev/null":
		case strings.HasPrefix(path, "/dev/"):
			m.effects(&call{at: at, text: m.textAt(at)}, "dd", []string{"of=" + path})
		case len(m.x.files) < maxVars:
			m.keep(at, path, v, adds)
		}
	})
}

func (m *machine) textAt(at place) string {
	text := m.set.Regions[m.region].Text
	return text[min(at.from, len(text)):min(max(at.to, at.from), len(text))]
}

// overConnection sends a command's output over a connection.
func (m *machine) overConnection(at place, c cargo, v value) {
	if v.has(shellOutput) {
		m.add(at, signal.Connect, m.textAt(at), c.name, append(slices.Clip(c.tags), "shell")...)
	}
	m.send(&call{at: at}, literal(c.name), v)
}

// keep stores a file's content under its base name.
func (m *machine) keep(at place, path string, v value, adds bool) {
	v.holds = stored(v.holds)
	f := &file{value: v, doc: m.doc, name: path}
	if old := m.file(path); old != nil && adds {
		f.value = both(old.value, v)
	}
	m.x.files[base(path)] = f
	tags := m.pathTags(path, placeTags)
	if tags != nil {
		m.changes(at, path, v, tags, adds)
	}
	lang := writtenLanguage(path, v.text, tags)
	if slices.Contains(tags, "cron") {
		v.text = regex("cronTime").ReplaceAllString(v.text, "")
	}
	switch {
	case !v.known || lang == "":
	case !m.fixed:
		f.embedded = true
		m.embed(at, v.text, lang, v.encoding())
	case tags != nil && isCommands(lang):
		m.inside(at).script(v.text, lang, value{})
	}
}

// changes adds signals for writing to a relevant file.
func (m *machine) changes(at place, path string, v value, tags []signal.Tag, adds bool) {
	if adds {
		tags = append(tags, "append")
	}
	if regex("outside").MatchString(path) {
		tags = append(tags, "outside")
	}
	isKeys := slices.Contains(tags, "authorized-keys")
	switch {
	case v.has(network, decoded):
		tags = append(tags, "network", "runs")
	case isKeys && regex("publicKey").MatchString(v.text), !isKeys && startsSomething(v.text):
		tags = append(tags, "runs")
	}
	m.add(at, signal.Write, m.textAt(at), path, tags...)
	if setting := host.GuardSetting(v.text); setting != "" {
		m.add(at, signal.Weaken, m.textAt(at), setting, "agent-guards")
	}
}

// writtenLanguage returns the language of a file to which known text is written, or "" if the file
// is not code. tags holds the path's tags if writing to the path is relevant.
func writtenLanguage(name, text string, tags []signal.Tag) string {
	if lang := signal.Interpreter(text); lang != "" {
		return lang
	}
	if slices.Contains(tags, "shell-rc") || slices.Contains(tags, "git-hook") || slices.Contains(tags, "cron") {
		return "sh"
	}
	lang, role := signal.LanguageOfName(strings.ToLower(base(name)))
	if role == signal.Script || role == signal.Config && tags != nil {
		return lang
	}
	return ""
}

// startsSomething reports whether a shell startup file contains a line that may do more than change
// settings. Settings are variables, aliases, paths, completions, and setup lines for tools.
func startsSomething(text string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if regex("startingLine").MatchString(line) || line != "" && !regex("settingLine").MatchString(line) {
			return true
		}
	}
	return false
}
