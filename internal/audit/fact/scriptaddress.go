package fact

import "strings"

// AddressOf reads the address that a flow leads to; false where it does not show.
func AddressOf(where string) (URL, bool) {
	scheme, rest, ok := strings.Cut(where, "://")
	if !ok {
		scheme, rest = "tcp", where
	}
	if rest == "" || strings.HasPrefix(rest, "…") || strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, "/") || strings.HasPrefix(rest, "$") {
		return URL{}, false
	}
	if ok && strings.Contains(scheme, "…") {
		return URL{}, false
	}
	u, ok := splitURL(strings.ToLower(scheme), strings.ReplaceAll(rest, "…", "{x}"))
	if strings.Contains(u.Host, "{x}") {
		// The end of the host may show: {x}.files.example.
		if i := strings.LastIndex(u.Host, "}."); i >= 0 && strings.Count(u.Host[i+2:], ".") > 0 {
			u.Host = u.Host[i+2:]
			return u, ok
		}
		return u, false
	}
	return u, ok && (strings.Contains(u.Host, ".") || strings.Contains(u.Host, ":") || u.Private)
}
