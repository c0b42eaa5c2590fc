package export

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/jsonc"
)

// PluginInfo says what a plugin is called and what is said of it.
type PluginInfo struct {
	// Name is its name, which is that of its directory too. Version and Description
	// are needed in the marketplace; Author may be "".
	Name, Version, Description, Author string
	// Market is the name of the marketplace, and Owner who keeps it.
	Market, Owner string
}

// PluginName says what is wrong with the name of a plugin, or "".
func PluginName(p *host.PluginExport, name string) string {
	if name == "" || len(name) > 64 {
		return "it has not 1 to 64 characters"
	}
	last := byte('-')
	for i := range len(name) {
		c := name[i]
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
		case c == '-' || c == '.' && p.Dots:
			if last == '-' || last == '.' {
				return "it begins with a sign, or has two beside each other"
			}
		case p.Dots:
			return "it has other characters than small letters, digits, hyphens and full stops"
		default:
			return "it has other characters than small letters, digits and hyphens"
		}
		last = c
	}
	if last == '-' || last == '.' {
		return "it ends with a sign"
	}
	return ""
}

// IsVersion reports whether a text is a semantic version: three numbers, which may
// have marks behind them.
func IsVersion(s string) bool {
	s, build, built := strings.Cut(s, "+")
	s, pre, before := strings.Cut(s, "-")
	if built && !versionMarks(build, false) || before && !versionMarks(pre, true) {
		return false
	}
	parts := strings.Split(s, ".")
	return len(parts) == 3 && !slices.ContainsFunc(parts, func(n string) bool { return !chars.IsDigits(n) || len(n) > 1 && n[0] == '0' })
}

// versionMarks reports whether a text is of marks with full stops between them.
// plain: a number has no zero before it.
func versionMarks(s string, plain bool) bool {
	for _, m := range strings.Split(s, ".") {
		if m == "" || plain && chars.IsDigits(m) && len(m) > 1 && m[0] == '0' {
			return false
		}
		for i := range len(m) {
			if c := m[i]; (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '-' {
				return false
			}
		}
	}
	return true
}

// NearPluginName is the name that a plugin can have which is nearest to one that it
// can not, "" for none.
func NearPluginName(p *host.PluginExport, name string) string {
	near := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '.' && p.Dots {
			return r
		}
		return '-'
	}, strings.ToLower(name))
	near = strings.Join(strings.FieldsFunc(near, func(r rune) bool { return r == '-' }), "-")
	if near = strings.Trim(near, "."); PluginName(p, near) != "" {
		return ""
	}
	return near
}

type author struct {
	Name string `json:"name"`
}

func authorOf(name string) *author {
	if name == "" {
		return nil
	}
	return &author{name}
}

// Manifest is the text of a plugin's manifest.
func Manifest(p *host.PluginExport, about PluginInfo) []byte {
	return pluginJSON(struct {
		Schema      string  `json:"$schema,omitempty"`
		Name        string  `json:"name"`
		Version     string  `json:"version,omitempty"`
		Description string  `json:"description,omitempty"`
		Author      *author `json:"author,omitempty"`
	}{p.Schema, about.Name, about.Version, about.Description, authorOf(about.Author)})
}

// Marketplace is the text of a marketplace with the one plugin, which stands in the
// directory of its name.
func Marketplace(about PluginInfo) []byte {
	type entry struct {
		Name        string  `json:"name"`
		Source      string  `json:"source"`
		Version     string  `json:"version,omitempty"`
		Description string  `json:"description,omitempty"`
		Author      *author `json:"author,omitempty"`
	}
	return pluginJSON(struct {
		Name    string  `json:"name"`
		Owner   author  `json:"owner"`
		Plugins []entry `json:"plugins"`
	}{about.Market, author{about.Owner}, []entry{{about.Name, "./" + about.Name, about.Version, about.Description, authorOf(about.Author)}}})
}

func pluginJSON(v any) []byte {
	// What is encoded is made of strings: this cannot fail.
	data, _ := jsonc.Marshal(v, "  ")
	return data
}

// InPlugin returns where a file of a host's own directories stands in a plugin,
// below the plugin's directory; "" where a plugin does not carry it.
func InPlugin(h *host.Profile, kind definition.Kind, file string) string {
	dir := h.Plugin.Dir(kind)
	if dir == "" || h.Export == nil || h.Export.Place == nil {
		return ""
	}
	at := h.Export.Place(kind)
	if at == nil {
		return ""
	}
	rel, ok := strings.CutPrefix(file, at.Dir+"/")
	if !ok {
		return ""
	}
	return path.Join(dir, rel)
}

// PluginText makes the text of a definition ready for a plugin: a path of the
// project that leads to a file that the plugin has is written with the word for the
// plugin's directory, where the host has one. has reports whether the plugin has a
// file, or anything below a directory, by its path in the project. What is left of
// the project's paths is reported.
func PluginText(h *host.Profile, data []byte, has func(file string) (inPlugin string, ok bool)) ([]byte, []Loss) {
	var losses []Loss
	var out bytes.Buffer
	rest := string(data)
	for line := 1; rest != ""; line++ {
		end := strings.IndexByte(rest, '\n') + 1
		if end == 0 {
			end = len(rest)
		}
		s := rest[:end]
		rest = rest[end:]
		for {
			at, skip := projectPath(h, s)
			if at < 0 {
				break
			}
			token := pathAt(s[at+skip:])
			out.WriteString(s[:at])
			whole := s[at : at+skip+len(token)]
			s = s[len(whole)+at:]
			file := path.Clean(token)
			to, ok := has(file)
			switch {
			case isHome(h, file):
				out.WriteString(whole)
			case ok && h.Plugin.Root != "":
				out.WriteString(h.Plugin.Root + "/" + to)
				if strings.HasSuffix(token, "/") {
					out.WriteByte('/')
				}
			default:
				out.WriteString(whole)
				losses = append(losses, Loss{
					Line: line, What: LossFile, Message: whole + " is a path of the project, where the plugin's files do not stand",
					Fix: "put the file beside the definition, and refer to it from there",
				})
			}
		}
		out.WriteString(s)
	}
	return out.Bytes(), losses
}

// isHome reports whether a path is a directory of definitions as a whole, which
// texts speak of to say where something goes.
func isHome(h *host.Profile, file string) bool {
	for _, k := range definition.Kinds {
		if at := h.Export.Place(k); at != nil && at.Dir == file {
			return true
		}
	}
	return file == "."
}

// projectPath finds the first path of the project in a text: one behind the host's
// word for the project, skip bytes long, or in one of the host's own directories of
// definitions.
func projectPath(h *host.Profile, s string) (at, skip int) {
	at = -1
	if word := h.Plugin.Project; word != "" {
		if at = strings.Index(s, word); at >= 0 {
			skip = len(word)
		}
	}
	for _, k := range definition.Kinds {
		place := h.Export.Place(k)
		if place == nil {
			continue
		}
		i := strings.Index(s, place.Dir+"/")
		if i < 0 || at >= 0 && i >= at {
			continue
		}
		if before := s[:i]; strings.HasSuffix(before, "./") {
			i -= 2
		}
		// In another path it is not the project's.
		if i > 0 && (s[i-1] == '/' || isPathByte(s[i-1])) {
			continue
		}
		at, skip = i, 0
	}
	return at, skip
}

// pathAt returns the path that a text begins with.
func pathAt(s string) string {
	i := 0
	for i < len(s) && (isPathByte(s[i]) || s[i] == '/') {
		i++
	}
	return strings.TrimRight(s[:i], ".")
}

func isPathByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '.' || c == '-' || c == '_' || c >= 0x80
}
