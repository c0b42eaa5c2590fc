package known

import (
	"net/netip"
	"strconv"
	"strings"
)

// Split takes a URL apart: its scheme in lowercase, its host in lowercase without user and
// port, and its path with query. Without a scheme, "" stands for it.
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

// Address reads a host that is an IP address, in any notation that programs accept:
// 203.0.113.5, 0xcb.0.113.5, 3405803781, [2001:db8::5]. Odd is one that people do not write.
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
	// A small number is a port, a version or a year.
	if len(parts) == 1 && n < 1<<24 {
		return netip.Addr{}, false, false
	}
	return netip.AddrFrom4([4]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}), true, true
}

// octal makes the C notation of an octal number Go's.
func octal(s string) string {
	if len(s) > 1 && s[0] == '0' && s[1] >= '0' && s[1] <= '9' {
		return "0o" + s[1:]
	}
	return s
}

// public reports whether an address is reached through the open network. Those that are
// reserved for documentation count: they stand for such.
func public(a netip.Addr) bool {
	if a.IsUnspecified() || a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast() || a.IsMulticast() {
		return false
	}
	if a.Is4() {
		b := a.As4()
		return b[0] != 0 && b[0] < 224 && !(b[0] == 100 && b[1]&0xc0 == 64)
	}
	return true
}

// Private reports whether a host is this machine or in a network of one's own.
func Private(host string) bool {
	if addr, _, ok := Address(host); ok {
		return !public(addr)
	}
	if !strings.Contains(host, ".") {
		return host != ""
	}
	for _, end := range [...]string{".localhost", ".local", ".lan", ".internal", ".intranet", ".home.arpa", ".svc"} {
		if strings.HasSuffix(host, end) {
			return true
		}
	}
	return false
}

// Placeholder reports whether a host stands for another that the reader knows.
func Placeholder(host string) bool {
	switch host {
	case "example.com", "example.org", "example.net", "domain.com", "site.com", "foo.com", "bar.com", "acme.com":
		return true
	}
	for _, end := range [...]string{".example.com", ".example.org", ".example.net", ".test", ".invalid"} {
		if strings.HasSuffix(host, end) {
			return true
		}
	}
	labels := strings.Split(host, ".")
	for i, label := range labels {
		for _, head := range [...]string{"your-", "your_", "your", "my-", "my"} {
			rest, ok := strings.CutPrefix(label, head)
			if ok && i == 0 && strings.TrimRight(head, "-_") != head {
				return true
			}
			switch rest {
			case "domain", "server", "site", "host", "app", "company", "corp", "org", "api", "website", "instance", "project":
				if ok && (i == 0 || i == len(labels)-2) {
					return true
				}
			}
		}
	}
	return false
}

// Site is the part of a host that one owner has: files.example of dl.files.example, and
// someone.github.io as it is.
func Site(host string) string {
	if addr, _, ok := Address(host); ok {
		return addr.String()
	}
	part := strings.Split(host, ".")
	keep := 2
	if n := len(part); n > 2 && len(part[n-1]) == 2 {
		switch part[n-2] {
		case "ac", "co", "com", "edu", "gov", "ne", "net", "or", "org":
			keep = 3
		}
	}
	if row := inTable(host, "", "personal"); row != "" {
		keep = strings.Count(row, ".") + 2
	}
	if len(part) <= keep {
		return host
	}
	return strings.Join(part[len(part)-keep:], ".")
}

// Asset is what a URL on a code forge leads to.
type Asset struct {
	// Owner and Repo say whose it is, in lowercase.
	Owner, Repo string
	// What is "release" for a file of a release, "raw" for a file as it is, "archive" for
	// the repository as an archive, "releases" for the list of releases, "" for a page.
	What string
	// Tag is the name of the release or branch, Name that of the file.
	Tag, Name string
}

// IsRelease reports whether a URL on a forge is that of a file that its owner released.
func IsRelease(host, route string) bool {
	a, ok := Forge(host, route)
	return ok && (a.What == "release" || a.What == "archive")
}

// Forge takes a URL on a code forge apart; ok is false for others.
func Forge(host, route string) (a Asset, ok bool) {
	host = strings.TrimPrefix(host, "www.")
	if i := strings.IndexAny(route, "?#"); i >= 0 {
		route = route[:i]
	}
	part := strings.Split(strings.Trim(route, "/"), "/")
	switch host {
	case "raw.githubusercontent.com", "raw.github.com", "raw.githack.com", "cdn.jsdelivr.net":
		if part[0] == "gh" {
			part = part[1:]
		} else if host == "cdn.jsdelivr.net" {
			return a, false
		}
		if len(part) < 3 {
			return a, false
		}
		repo, tag, pinned := strings.Cut(part[1], "@")
		if !pinned {
			tag = part[2]
		}
		return Asset{strings.ToLower(part[0]), strings.ToLower(repo), "raw", tag, part[len(part)-1]}, true
	case "objects.githubusercontent.com", "codeload.github.com":
		if len(part) < 2 {
			return a, false
		}
		return Asset{strings.ToLower(part[0]), strings.ToLower(part[1]), "archive", "", part[len(part)-1]}, true
	case "github.com", "gitlab.com", "gitee.com", "codeberg.org", "bitbucket.org", "gitea.com", "git.sr.ht", "sourceforge.net":
	default:
		// A proxy of a forge has the whole URL in its path.
		if i := strings.Index(route, "github.com/"); i >= 0 && i < 64 {
			return Forge("github.com", route[i+len("github.com"):])
		}
		return a, false
	}
	if len(part) < 2 || part[0] == "" || reservedOwner(part[0]) {
		return a, false
	}
	a.Owner, a.Repo = strings.ToLower(part[0]), strings.ToLower(strings.TrimSuffix(part[1], ".git"))
	rest := part[2:]
	for len(rest) > 0 && rest[0] == "-" {
		rest = rest[1:]
	}
	a.asset(rest)
	return a, true
}

// asset fills in what the part of a path behind the repository leads to.
func (a *Asset) asset(rest []string) {
	if len(rest) == 0 {
		return
	}
	last := rest[len(rest)-1]
	switch rest[0] {
	case "releases":
		a.What = "releases"
		switch {
		case len(rest) >= 4 && rest[1] == "download":
			a.What, a.Tag, a.Name = "release", rest[2], last
		case len(rest) >= 4 && rest[2] == "download":
			a.What, a.Name = "release", last
		}
	case "archive", "zipball", "tarball", "downloads", "files":
		a.What, a.Name = "archive", last
	case "raw":
		a.What, a.Name = "raw", last
	case "blob":
		a.Name = last
	}
	if (rest[0] == "raw" || rest[0] == "blob") && len(rest) > 1 {
		a.Tag = rest[1]
	}
}

// reservedOwner reports whether the first part of a path on a forge is not an account.
func reservedOwner(s string) bool {
	switch s {
	case "about", "apps", "collections", "contact", "enterprise", "explore", "features", "help", "login", "marketplace", "new", "orgs", "pricing", "search",
		"security", "settings", "sponsors", "stars", "topics", "trending", "user-attachments", "dashboard", "groups":
		return true
	}
	return false
}
