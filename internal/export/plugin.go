package export

import (
	"bytes"
	"path"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/jsonc"
)

// PluginInfo describes a plugin.
type PluginInfo struct {
	// Name is the name of the plugin and its directory. Version and Description are required in the
	// marketplace; Author is optional.
	Name, Version, Description, Author string
	// Market is the marketplace's name, and Owner is its owner's name.
	Market, Owner string
}

// PluginName describes what is wrong with a plugin's name, or returns "" if the name is valid.
func PluginName(p *host.PluginExport, name string) string {
	if name == "" || len(name) > 64 {
		return "use 1 to 64 characters"
	}
	last := byte('-')
	for i := range len(name) {
		c := name[i]
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
		case c == '-' || c == '.' && p.Dots:
			if last == '-' || last == '.' {
				return "each hyphen or period must be between letters or digits"
			}
		case p.Dots:
			return "use only lowercase letters, digits, hyphens and periods"
		default:
			return "use only lowercase letters, digits and hyphens"
		}
		last = c
	}
	if last == '-' || last == '.' {
		return "each hyphen or period must be between letters or digits"
	}
	return ""
}

type author struct {
	Name string `json:"name"`
}

// Manifest returns a plugin's manifest as JSON.
func Manifest(p *host.PluginExport, info PluginInfo) []byte {
	return pluginJSON(struct {
		Schema      string `json:"$schema,omitempty"`
		Name        string `json:"name"`
		Version     string `json:"version,omitempty"`
		Description string `json:"description,omitempty"`
		Author      author `json:"author,omitzero"`
	}{p.Schema, info.Name, info.Version, info.Description, author{info.Author}})
}

// Marketplace returns a marketplace that lists a single plugin, which is in the
// directory with the same name.
func Marketplace(info PluginInfo) []byte {
	type entry struct {
		Name        string `json:"name"`
		Source      string `json:"source"`
		Version     string `json:"version,omitempty"`
		Description string `json:"description,omitempty"`
		Author      author `json:"author,omitzero"`
	}
	return pluginJSON(struct {
		Name    string  `json:"name"`
		Owner   author  `json:"owner"`
		Plugins []entry `json:"plugins"`
	}{info.Market, author{info.Owner}, []entry{{info.Name, "./" + info.Name, info.Version, info.Description, author{info.Author}}}})
}

func pluginJSON(v any) []byte {
	// Encoding strings cannot fail.
	data, _ := jsonc.Marshal(v, "  ")
	return data
}

// InPlugin converts a path in one of the host's own directories to the corresponding path in a
// plugin. It returns "" if plugins cannot contain the file.
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

// PluginText adapts a definition's text to a plugin. If a project path refers to a file in the
// plugin and the host has a variable for the plugin directory, PluginText rewrites the path to use
// that variable. It reports all other project paths, except roots of definition directories. has
// maps a project path to its path in the plugin; ok is false if the plugin does not contain that
// file or directory.
func PluginText(h *host.Profile, data []byte, has func(file string) (inPlugin string, ok bool)) ([]byte, []HostLoss) {
	var losses []HostLoss
	var out bytes.Buffer
	line := 0
	for s := range strings.Lines(string(data)) {
		line++
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
				losses = append(losses, HostLoss{
					Line: line, What: LossFile, Message: whole + " is a project path, which does not exist where the plugin is installed",
					Fix: "move the file next to the definition and refer to it there",
				})
			}
		}
		out.WriteString(s)
	}
	return out.Bytes(), losses
}

// isHome reports whether a path is the project root or the root of a directory for definitions. A
// definition that mentions such a directory usually tells the model where to put files.
func isHome(h *host.Profile, file string) bool {
	for _, k := range definition.Kinds {
		if at := h.Export.Place(k); at != nil && at.Dir == file {
			return true
		}
	}
	return file == "."
}

// projectPath finds the first project path in s. A project path either follows the host's variable
// for the project or is in one of the host's own definition directories. skip is the length of the
// variable. If there is no project path, at is -1.
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
		// A match inside a longer path does not refer to the project.
		if i > 0 && (s[i-1] == '/' || isPathByte(s[i-1])) {
			continue
		}
		at, skip = i, 0
	}
	return at, skip
}

// pathAt returns the path at the start of s.
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
