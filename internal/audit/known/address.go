package known

import (
	"net/netip"
	"strconv"
	"strings"
)

// Split splits a URL into the lowercase scheme, the lowercase host without user and port, and the
// path together with the query. The scheme is "" if the URL has none.
func Split(url string) (scheme, host, route string) {
	rest := strings.Trim(url, `"'<>`)
	if i := strings.Index(rest, "://"); i >= 0 {
		scheme, rest = strings.ToLower(rest[:i]), rest[i+3:]
	}
	end := strings.IndexAny(rest, "/?#\\")
	if end < 0 {
		end = len(rest)
	}
	host, route = rest[:end], rest[end:]
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	if strings.HasPrefix(host, "[") {
		if i := strings.IndexByte(host, ']'); i > 0 {
			return scheme, host[:i+1], route
		}
	}
	host, _, _ = strings.Cut(host, ":")
	return scheme, strings.TrimSuffix(strings.ToLower(host), "."), route
}

// Address parses an IP address in any notation that programs accept, such as 203.0.113.5,
// 0xcb.0.113.5, 3405803781 or [2001:db8::5]. odd reports whether the notation is one that people do
// not normally use. ok is false if host is not an IP address.
func Address(host string) (addr netip.Addr, odd, ok bool) {
	if len(host) > 64 || host == "" {
		return netip.Addr{}, false, false
	}
	if h, six := strings.CutPrefix(host, "["); six {
		h, _, _ = strings.Cut(h, "]")
		h, _, _ = strings.Cut(h, "%")
		addr, err := netip.ParseAddr(h)
		return addr.Unmap(), err == nil && addr.Is4In6(), err == nil
	}
	if (host[0] < '0' || host[0] > '9') && strings.IndexByte(host, ':') < 0 {
		return netip.Addr{}, false, false
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.Unmap(), addr.Is4In6(), true
	}
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false, false
	}
	var n uint64
	for i, p := range parts {
		v, err := strconv.ParseUint(octal(p), 0, 32)
		if err != nil || p == "" || p[0] == '+' || strings.Contains(p, "_") {
			return netip.Addr{}, false, false
		}
		bits := 8
		if i == len(parts)-1 {
			bits = 8 * (5 - len(parts))
		}
		if v >= 1<<bits {
			return netip.Addr{}, false, false
		}
		n = n<<bits | v
	}
	// A small number is not an address but a port, a version or a year.
	if len(parts) == 1 && n < 1<<24 {
		return netip.Addr{}, false, false
	}
	return netip.AddrFrom4([4]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}), true, true
}

// octal converts an octal number from C notation to Go notation.
func octal(s string) string {
	if len(s) > 1 && s[0] == '0' && s[1] >= '0' && s[1] <= '9' {
		return "0o" + s[1:]
	}
	return s
}

// isPublic reports whether an address is reachable over the internet. Documentation addresses are
// treated as public, because examples use them in place of real ones.
func isPublic(a netip.Addr) bool {
	if a.IsUnspecified() || a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast() || a.IsMulticast() {
		return false
	}
	if a.Is4() {
		b := a.As4()
		return b[0] != 0 && b[0] < 224 && !(b[0] == 100 && b[1]&0xc0 == 64)
	}
	return true
}

// Private reports whether a host is the local machine or on a private network.
func Private(host string) bool {
	if addr, _, ok := Address(host); ok {
		return !isPublic(addr)
	}
	return host != "" && (!strings.Contains(host, ".") || hasSuffixIn(host, "private-end"))
}

// hasSuffixIn reports whether a host ends with one of the words that the table lists for a class.
func hasSuffixIn(host, class string) bool {
	for end := range names()[class] {
		if strings.HasSuffix(host, end) {
			return true
		}
	}
	return false
}

// Placeholder reports whether a host is a placeholder that the reader of an example must replace.
func Placeholder(host string) bool {
	if names()["placeholder"][host] || hasSuffixIn(host, "placeholder-end") {
		return true
	}
	labels := strings.Split(host, ".")
	if n := len(labels); n > 1 && names()["placeholder-label"][labels[n-2]] {
		return true
	}
	for i, label := range labels {
		rest, ok := strings.CutPrefix(strings.TrimPrefix(label, "my"), "your")
		if !ok && len(rest) == len(label) || i > 0 && i != len(labels)-2 {
			continue
		}
		word := strings.TrimLeft(rest, "-_")
		if names()["placeholder-word"][word] || i == 0 && len(word) < len(rest) {
			return true
		}
	}
	return false
}

// Site returns the part of a host name that belongs to a single owner. For example, it shortens
// dl.files.example to files.example, but it returns someone.github.io unchanged.
func Site(host string) string {
	if addr, _, ok := Address(host); ok {
		return addr.String()
	}
	part := strings.Split(host, ".")
	keep := 2
	if n := len(part); n > 2 && len(part[n-1]) == 2 && names()["second-level"][part[n-2]] {
		keep = 3
	}
	if row := matchingRow(host, "", "personal"); row != "" {
		keep = strings.Count(row, ".") + 2
	}
	if len(part) <= keep {
		return host
	}
	return strings.Join(part[len(part)-keep:], ".")
}

// Asset describes what a URL on a code forge refers to.
type Asset struct {
	// Owner and Repo identify the repository, in lowercase.
	Owner, Repo string
	// Kind is the kind of asset: "release" for a file in a release, "raw" for a raw file, "archive"
	// for an archive of the repository, "releases" for the list of releases, and "" for a page.
	Kind string
	// Tag is the name of the release or branch, and Name is the file name.
	Tag, Name string
}

// Forge parses a URL on a code forge. ok is false for other URLs.
func Forge(host, route string) (a Asset, ok bool) {
	route, _, _ = strings.Cut(route, "?")
	route, _, _ = strings.Cut(route, "#")
	host = strings.TrimPrefix(host, "www.")
	part := strings.Split(strings.Trim(route, "/"), "/")
	switch {
	case host == "cdn.jsdelivr.net" && part[0] != "gh":
		return a, false
	case names()["forge-files"][host]:
		if part[0] == "gh" {
			part = part[1:]
		}
		if len(part) < 3 {
			return a, false
		}
		a.Kind = "raw"
		repo, tag, pinned := strings.Cut(part[1], "@")
		if a.Tag = tag; !pinned {
			a.Tag = part[2]
		}
		part[1] = repo
	case names()["forge-archives"][host] && len(part) > 1:
		a.Kind = "archive"
	case names()["forge"][host]:
		if len(part) < 2 || part[0] == "" || names()["forge-page"][part[0]] {
			return a, false
		}
		a.asset(strings.TrimPrefix(strings.Join(part[2:], "/"), "-/"))
	default:
		return a, false
	}
	a.Owner, a.Repo = strings.ToLower(part[0]), strings.ToLower(strings.TrimSuffix(part[1], ".git"))
	if a.Kind != "" && a.Kind != "releases" || a.Tag != "" {
		a.Name = part[len(part)-1]
	}
	return a, true
}

// asset sets the fields of a based on the part of the path that follows the repository.
func (a *Asset) asset(rest string) {
	kind, rest, _ := strings.Cut(rest, "/")
	first, rest, more := strings.Cut(rest, "/")
	switch kind {
	case "releases":
		a.Kind = "releases"
		if tag, _, ok := strings.Cut(rest, "/"); first == "download" && ok {
			a.Kind, a.Tag = "release", tag
		} else if more && strings.HasPrefix(rest, "download/") {
			a.Kind = "release"
		}
	case "archive", "zipball", "tarball", "downloads", "files":
		a.Kind = "archive"
	case "raw":
		a.Kind, a.Tag = "raw", first
	case "blob":
		a.Tag = first
	}
}
