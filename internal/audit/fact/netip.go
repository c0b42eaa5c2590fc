package fact

import (
	"net/netip"
	"strconv"
	"strings"
)

// hostAddress reads a host that is an address in numbers, in any notation that
// programs take: 203.0.113.5, 0xcb.0.113.5, 3405803781, 0313.0.113.5, [2001:db8::5].
// Odd is one that people do not write.
func hostAddress(host string) (addr netip.Addr, odd, ok bool) {
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
	parts := strings.Split(strings.TrimSuffix(host, "."), ".")
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
	// A small number is one: a port, a version, a year.
	if len(parts) == 1 && n < 1<<24 {
		return netip.Addr{}, false, false
	}
	return netip.AddrFrom4([4]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}), true, true
}

// octal makes the old notation of a number in eights that of today.
func octal(s string) string {
	if len(s) > 1 && s[0] == '0' && s[1] >= '0' && s[1] <= '9' {
		return "0o" + s[1:]
	}
	return s
}

// PublicIP reports whether a host is an address in numbers that is reached through the
// open network. Those that are kept for documentation count: they stand for such.
func PublicIP(host string) bool {
	addr, _, ok := hostAddress(host)
	return ok && public(addr)
}

func public(a netip.Addr) bool {
	switch {
	case a.IsUnspecified(), a.IsLoopback(), a.IsPrivate(), a.IsLinkLocalUnicast(), a.IsMulticast(), a.IsInterfaceLocalMulticast():
		return false
	case a.Is4():
		b := a.As4()
		return !(b[0] == 0 || b[0] == 100 && b[1]&0xc0 == 64 || b[0] >= 224)
	}
	return true
}

// Loopback reports whether a host is the machine itself.
func Loopback(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") || host == "host.docker.internal" {
		return true
	}
	addr, _, ok := hostAddress(host)
	return ok && (addr.IsLoopback() || addr.IsUnspecified())
}

// PrivateHost reports whether a host is of a network that is one's own: by its
// address, by a name that no one else resolves, or because it is this machine.
func PrivateHost(host string) bool {
	if Loopback(host) {
		return true
	}
	if addr, _, ok := hostAddress(host); ok {
		return !public(addr)
	}
	if host != "" && !strings.Contains(host, ".") {
		return true
	}
	for _, end := range [...]string{".local", ".lan", ".internal", ".intranet", ".home.arpa", ".svc", ".cluster.local"} {
		if strings.HasSuffix(host, end) {
			return true
		}
	}
	return false
}

// PlaceholderHost reports whether a host stands for another that the reader knows.
func PlaceholderHost(host string) bool {
	switch host {
	case "example.com", "example.org", "example.net", "host", "domain.com", "your-domain.com", "yourdomain.com", "mydomain.com", "your-server.com", "yourserver.com", "site.com", "mysite.com", "foo.com", "bar.com", "acme.com":
		return true
	}
	if strings.ContainsAny(host, "{}<>$%") || strings.Contains(host, "...") || strings.Contains(host, "…") {
		return true
	}
	for _, end := range [...]string{".example.com", ".example.org", ".example.net", ".test", ".invalid"} {
		if strings.HasSuffix(host, end) {
			return true
		}
	}
	return strings.HasPrefix(host, "your-") || strings.HasPrefix(host, "your_") || strings.HasPrefix(host, "my-")
}
