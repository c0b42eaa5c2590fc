package mcp

import (
	"net/netip"
	"strings"

	"github.com/vadehq/vade/internal/host"
)

// checkPortable reports whether a plugin in the Agent Plugins 1.0.0 format may contain the entry,
// according to sections 7.2.1 and 9 of the specification. If not, it omits the entry. URLs are
// checked when they are written.
func (w *writer) checkPortable() bool {
	s := w.s
	if s.Transport != host.Stdio {
		w.checkHeaders()
		return !w.omitted
	}
	const fixOwnFile = "add the file to the plugin and write the entry there by hand"
	switch command := s.Command.String(); {
	case strings.HasPrefix(command, "./"):
		w.omit("field", fixOwnFile, "its command %s is a project file, but in a plugin it would refer to a file in the plugin", command)
	case strings.ContainsAny(command, `/\ `+"\t\n"):
		w.omit("field", "use a program's bare name and move everything else to args",
			"%s requires a command without a path or arguments: %s", w.format.Name, command)
	}
	for _, a := range s.Args {
		if text := a.String(); a.has(Literal) && (text == "." || text == ".." || strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../")) {
			w.omit("field", fixOwnFile, "its argument %s is a project path, but in a plugin it would refer to a path in the plugin", text)
		}
	}
	if len(s.Cwd) > 0 && (s.Cwd[0].Kind != Dir || s.Cwd[0].Dir != host.VarPlugin && s.Cwd[0].Dir != host.VarPluginData) {
		w.omit("field", fixOwnFile, "its working directory %s must be inside the plugin", s.Cwd)
	}
	for _, e := range s.Env {
		if e.Key == "PLUGIN_ROOT" || e.Key == "PLUGIN_DATA" {
			w.omit("field", "rename the variable", "%s sets the variable %s itself", w.format.Name, e.Key)
		}
	}
	return !w.omitted
}

// checkHeaders omits an entry that has duplicate or invalid headers.
func (w *writer) checkHeaders() {
	seen := map[string]string{}
	for _, h := range w.s.Headers {
		lower := strings.ToLower(h.Key)
		if before, dup := seen[lower]; dup {
			w.omit("field", "keep one of the two", "duplicate headers %s and %s", before, h.Key)
		}
		seen[lower] = h.Key
		if !isHeader(h.Key, h.Value) {
			w.omit("field", "fix the header", "one of its headers is not a valid HTTP header")
		}
	}
}

// isHeader reports whether a name and value form a valid HTTP header.
func isHeader(name string, value Text) bool {
	for i := range len(name) {
		if c := name[i]; !isLetter(c) && !isDigit(c) && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	for _, p := range value {
		if strings.ContainsFunc(p.Text, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
			return false
		}
	}
	return name != ""
}

// isPortableURL reports whether Agent Plugins allows a URL.
func isPortableURL(s string) bool {
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok || strings.Contains(rest, "#") {
		return false
	}
	authority := rest
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		authority = rest[:i]
	}
	if authority == "" || strings.Contains(authority, "@") {
		return false
	}
	if strings.EqualFold(scheme, "https") {
		return true
	}
	name, _, _ := strings.Cut(authority, ":")
	if strings.HasPrefix(authority, "[") {
		name, _, _ = strings.Cut(authority[1:], "]")
	}
	ip, err := netip.ParseAddr(name)
	return strings.EqualFold(scheme, "http") && (name == "localhost" || err == nil && ip.IsLoopback())
}
