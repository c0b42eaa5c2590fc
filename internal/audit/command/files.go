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

// file returns the file with the given name if a command created it. Otherwise, it returns nil.
func (m *machine) file(name string) *file {
	if strings.HasPrefix(name, "/dev/fd/") {
		return m.x.files[name]
	}
	f := m.x.files[base(name)]
	if f == nil || f.state != m.state && f.name != name {
		return nil
	}
	return f
}

// writtenFiles returns those files written by commands that match a glob, in the order in which a
// shell lists them.
func (m *machine) writtenFiles(glob string) []*file {
	var list []*file
	if !strings.ContainsAny(glob, "*?[") {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(m.x.files)) {
		if f := m.x.files[name]; f.state == m.state && known.Glob(glob, f.name) {
			list = append(list, f)
		}
	}
	return list
}

// packageFile returns the index of the package's file at a path, or -1.
func (m *machine) packageFile(name string) int {
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
func (m *machine) readFile(at span, v value) value {
	var out value
	v.eachText(func(name string) {
		if found := regex("device").FindStringSubmatch(name); found != nil {
			out.addSources(m.connect(at, name, found[1])...)
		} else if f := m.file(name); f != nil {
			out = concatOutput(out, f.value)
		} else if matches := m.writtenFiles(name); len(matches) > 0 {
			for _, f := range matches {
				out = concatOutput(out, f.value)
			}
		} else if list := m.secretFile(at, "", name); len(list) > 0 {
			out.addSources(list...)
		} else if index := m.packageFile(name); index >= 0 {
			if f := m.set.Package.Files[index]; f.Role == signal.Opaque || f.Text == "" {
				out.addSources(m.newSource(asset, f.Path))
			} else if len(f.Text) <= maxText {
				out = concatOutput(out, literal(f.Text))
			}
		} else if binaryName(name) {
			out.addSources(m.newSource(asset, name))
		}
	})
	if len(out.sources) == 0 {
		for _, x := range v.sources {
			if x.kind == secretPath {
				x.kind = secret
				out.addSources(x)
			}
		}
	}
	return out
}

// connect adds a signal for a connection to a host, and returns the connection as a source of
// values.
func (m *machine) connect(at span, text, to string) []source {
	list, _ := hostTags(to)
	m.add(at, signal.Connect, text, to, list...)
	return []source{m.newSource(connection, to, list...)}
}

// relevantToWrite reports whether writing to a path with the given tags is relevant to the audit.
func relevantToWrite(tags []signal.Tag) bool {
	allowed := signal.Vocabulary()[signal.Write].Tags
	return slices.ContainsFunc(tags, func(t signal.Tag) bool { return allowed[t] != "" })
}

// pathTags returns the tags of a path, which may be relative to the current directory. It returns
// nil if the function relevant returns false for the tags.
func (m *machine) pathTags(name string, relevant func([]signal.Tag) bool) []signal.Tag {
	tags := known.Path(name)
	if !relevant(tags) && m.state.dir != "" && !regex("outside").MatchString(name) {
		tags = known.Path(m.state.dir + "/" + name)
	}
	if !relevant(tags) {
		return nil
	}
	return slices.Clip(tags)
}

// secretFile returns the secret in the named file and adds a Read signal. If the file is not known
// to hold a secret, it returns nil.
func (m *machine) secretFile(at span, text, name string) []source {
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
	x := m.newSource(secret, name, tags...)
	x.read = m.add(at, signal.Read, text, name, tags...)
	return []source{x}
}

// write records that a command writes its output to a file.
func (m *machine) write(at span, name value, v value, appending bool) {
	for _, c := range name.sources {
		if c.kind == connection {
			m.sendOverConnection(at, c, v)
		}
	}
	name.eachText(func(path string) {
		f := m.x.files[path]
		found := regex("device").FindStringSubmatch(path)
		switch {
		case found != nil:
			m.sendOverConnection(at, m.connect(at, path, found[1])[0], v)
		case f != nil && f.reader != nil:
			f.reader(v)
		case path == "" || path == "/dev/null":
		case strings.HasPrefix(path, "/dev/"):
			m.addEffects(&call{at: at, text: m.textAt(at)}, "dd", []string{"of=" + path})
		case len(m.x.files) < maxVars:
			m.storeFile(at, path, v, appending)
		}
	})
}

func (m *machine) textAt(at span) string {
	text := m.set.Regions[m.region].Text
	return text[min(at.from, len(text)):min(max(at.to, at.from), len(text))]
}

// sendOverConnection sends a command's output over a connection.
func (m *machine) sendOverConnection(at span, c source, v value) {
	if v.has(shellOutput) {
		m.add(at, signal.Connect, m.textAt(at), c.name, append(slices.Clip(c.tags), "shell")...)
	}
	m.send(&call{at: at}, literal(c.name), v)
}

// storeFile stores a file's content under its base name.
func (m *machine) storeFile(at span, path string, v value, appending bool) {
	v.sources = markStored(v.sources)
	f := &file{value: v, state: m.state, name: path}
	if old := m.file(path); old != nil && appending {
		f.value = concatOutput(old.value, v)
	}
	m.x.files[base(path)] = f
	tags := m.pathTags(path, relevantToWrite)
	if tags != nil {
		m.addWriteSignals(at, path, v, tags, appending)
	}
	lang := writtenLanguage(path, v.text, tags)
	if slices.Contains(tags, "cron") {
		v.text = regex("cronTime").ReplaceAllString(v.text, "")
	}
	switch {
	case !v.known || lang == "":
	case !m.fixedSpan:
		f.embedded = true
		m.embed(at, v.text, lang, v.encoding())
	case tags != nil && isCommands(lang):
		m.nestedAt(at).script(v.text, lang, value{})
	}
}

// addWriteSignals adds signals for writing to a relevant file.
func (m *machine) addWriteSignals(at span, path string, v value, tags []signal.Tag, appending bool) {
	if appending {
		tags = append(tags, "append")
	}
	if regex("outside").MatchString(path) {
		tags = append(tags, "outside")
	}
	isKeys := slices.Contains(tags, "authorized-keys")
	switch {
	case v.has(network, decoded):
		tags = append(tags, "network", "runs")
	case isKeys && regex("publicKey").MatchString(v.text), !isKeys && hasStartupCommand(v.text):
		tags = append(tags, "runs")
	}
	m.add(at, signal.Write, m.textAt(at), path, tags...)
	if setting := host.GuardSetting(v.text); setting != "" {
		m.add(at, signal.Weaken, m.textAt(at), setting, "agent-guards")
	}
}

// writtenLanguage returns the language of a file, given its name and the known text that is written
// to it. It returns "" if the file is neither code nor relevant configuration. tags holds the
// path's tags, or nil if writing to the path is not relevant.
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

// hasStartupCommand reports whether a shell startup file contains a line that may do more than
// change settings. Settings are variables, aliases, paths, completions, and setup lines for tools.
func hasStartupCommand(text string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if regex("startingLine").MatchString(line) || line != "" && !regex("settingLine").MatchString(line) {
			return true
		}
	}
	return false
}
