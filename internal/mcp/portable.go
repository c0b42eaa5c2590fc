package mcp

import (
	"net/netip"
	"strings"

	"github.com/vadehq/vade/internal/host"
)

// portable reports whether an entry can stand in a plugin of Agent Plugins 1.0.0, and
// leaves it out where it can not: sections 7.2.1 and 9 of the specification. Addresses
// are looked at when they are written.
func (w *writer) portable() bool {
	s := w.s
	if s.Transport != host.Stdio {
		w.portableHeaders()
		return !w.left
	}
	const own = "make the file a part of the plugin, and write the entry there by hand"
	switch command := s.Command.String(); {
	case strings.HasPrefix(command, "./"):
		w.leave("field", own, "its command %s is a file of the project, and in a plugin it would be one of the plugin", command)
	case strings.ContainsAny(command, `/\ `+"\t\n"):
		w.leave("field", "use a program by its bare name, and put all else into args", "%s takes a bare name for a command, and no path or line: %s", w.format.Name, command)
	}
	for _, a := range s.Args {
		if text := a.String(); a.has(Literal) && (text == "." || text == ".." || strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../")) {
			w.leave("field", own, "its argument %s is a path of the project, and in a plugin it would be one of the plugin", text)
		}
	}
	if len(s.Cwd) > 0 && (s.Cwd[0].Kind != Place || s.Cwd[0].Place != host.VarPlugin && s.Cwd[0].Place != host.VarPluginData) {
		w.leave("field", own, "its directory %s is one of the project, and in a plugin it has to be one of the plugin", s.Cwd)
	}
	for _, e := range s.Env {
		if e.Key == "PLUGIN_ROOT" || e.Key == "PLUGIN_DATA" {
			w.leave("field", "give the variable another name", "%s sets the variable %s itself", w.format.Name, e.Key)
		}
	}
	return !w.left
}

// portableHeaders leaves an entry out that has a header twice, or one that is none.
func (w *writer) portableHeaders() {
	seen := map[string]string{}
	for _, h := range w.s.Headers {
		lower := strings.ToLower(h.Key)
		if before, twice := seen[lower]; twice {
			w.leave("field", "keep one of them", "the headers %s and %s are one", before, h.Key)
		}
		seen[lower] = h.Key
		if !isHeader(h.Key, h.Value) {
			w.leave("field", "correct the header", "a header of it is none of HTTP")
		}
	}
}

// isHeader reports whether a name and a value are those of a header of HTTP.
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

// isPortable reports whether an address is one that Agent Plugins take.
func isPortable(s string) bool {
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
