package prose

import (
	"strings"

	"github.com/vadehq/vade/internal/audit/known"
)

// The functions below determine whether a word is an email address, a host name, a URL, a file path
// or a cryptocurrency address.

// isMailbox reports whether a word is an email address. It ignores domains that are common in
// documentation.
func isMailbox(w string) bool {
	at := strings.IndexByte(w, '@')
	end := w[strings.LastIndexByte(w, '.')+1:]
	if at <= 0 || !strings.Contains(w[at:], ".") || len(end) < 2 || strings.ContainsAny(end, "0123456789@/") {
		return false
	}
	return !strings.Contains(w[at:], "example.") && !strings.HasSuffix(w, "company.com")
}

// isHost reports whether a word is a host name without a scheme. It accepts only common top-level
// domains, because many others, such as .sh and .py, are also file extensions.
func isHost(w string) bool {
	name, end := w[:max(strings.LastIndexByte(w, '.'), 0)], w[strings.LastIndexByte(w, '.')+1:]
	if end == "app" && !strings.Contains(name, ".") {
		return false // a macOS app such as "Finder.app"
	}
	const ends = " com net org io top xyz dev app cloud online site info biz ru cn example "
	return name != "" && !strings.ContainsAny(w, "@/~$'") && w[0] != '.' && strings.Contains(ends, " "+end+" ") &&
		!known.Placeholder(w)
}

// pathClasses returns the classes for the kind of file that a path refers to.
func pathClasses(name string) (c set) {
	for _, tag := range known.Path(name) {
		switch tag {
		case "credential", "browser", "wallet", "agent-secret":
			c = c.with(setOf(secret, keyFile))
		case "env-file":
			c = c.with(setOf(secret))
		case "agent-memory", "agent-definition":
			c = c.with(setOf(brain))
		}
	}
	return c
}

// placeClasses returns the classes of a URL, host name, IPv4 address or email address. For any
// other word, it returns an empty set. The class strange marks hosts that packages rarely mention.
func placeClasses(name string) set {
	c := setOf(urlMark)
	if !strings.Contains(name, "://") {
		if !isMailbox(name) && !isHost(name) && !isAddress(name) {
			return set{}
		}
		c, name = setOf(mailbox), "https://"+name[strings.LastIndexByte(name, '@')+1:]
	}
	tags, _ := known.URL(name)
	if strings.HasPrefix(name, "file:") {
		tags = nil
	}
	for _, tag := range tags {
		switch tag {
		case "ip", "drop", "webhook", "tunnel", "unknown", "personal", "messenger", "shortener":
			return c.with(setOf(strange))
		}
	}
	return c
}

// isAddress reports whether a word is an IPv4 address with an optional port.
func isAddress(w string) bool {
	host, _, _ := strings.Cut(w, ":")
	addr, _, ok := known.Address(host)
	return ok && addr.Is4() && strings.Count(host, ".") == 3
}

// isCoin reports whether a word looks like a cryptocurrency address.
func isCoin(w string) bool {
	return len(w) > 10 && (strings.HasPrefix(w, "0x") || strings.HasPrefix(w, "bc1q"))
}
