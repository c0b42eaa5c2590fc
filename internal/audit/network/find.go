package network

import (
	"strings"

	"github.com/vadehq/vade/internal/audit/known"
	"github.com/vadehq/vade/internal/lazyregexp"
)

// The maximum length of a URL in bytes, and the maximum number of URLs in a region.
const (
	maxLength = 2048
	maxURLs   = 5000
)

// find returns the URLs in text in order. It includes URLs without a scheme if it can recognize
// their host.
func find(text string, code bool) []url {
	var list []url
	for at := 0; at < len(text) && len(list) < maxURLs; {
		n := strings.IndexAny(text[at:], ".:")
		if n < 0 {
			break
		}
		n += at
		var u url
		ok := false
		if strings.HasPrefix(text[n:], "://") {
			u, ok = withScheme(text, n)
		} else if text[n] == '.' {
			u, ok = schemelessURL(text, n, at, code)
		}
		at = n + 1
		if ok {
			list = append(list, u)
			at = max(at, u.to)
		}
	}
	return list
}

// withScheme parses the URL whose "://" is at offset sep.
func withScheme(text string, sep int) (url, bool) {
	start := sep
	for start > 0 && sep-start < 16 && (wordByte(text[start-1]) || text[start-1] == '+') {
		start--
	}
	// Letters may directly precede the scheme. Start at the first letter of a known scheme.
	for start < sep && !names()["scheme"][strings.ToLower(text[start:sep])] {
		start++
	}
	end := urlEnd(text, sep+3)
	if start == sep || end == sep+3 {
		return url{}, false
	}
	return newURL(text, start, end), true
}

var brackets = lazyregexp.New(`\[(?:\.|dot)\]|\((?:\.|dot)\)`)

func newURL(text string, start, end int) url {
	u := url{from: start, to: end, text: text[start:end]}
	plain := u.text
	if strings.ContainsAny(plain, "[(") {
		plain = brackets().ReplaceAllString(plain, ".")
	}
	u.defanged = plain != u.text
	u.scheme, u.host, u.path = known.Split(plain)
	if rest, ok := strings.CutPrefix(u.scheme, "hxxp"); ok {
		u.scheme, u.defanged = "http"+rest, true
	}
	u.tags = known.Host(u.host, u.path)
	return u
}

// schemelessURL parses a URL without a scheme. dot is the offset of a dot in its host. The host
// must be a known service, or a public IP address with a port or path.
func schemelessURL(text string, dot, from int, code bool) (url, bool) {
	start, end := dot, dot
	for start > from && dot-start < 64 && hostByte(text[start-1]) {
		start--
	}
	for end < len(text) && end-dot < 253 && hostByte(text[end]) {
		end++
	}
	behind := text[end:]
	part := start > 0 && strings.IndexByte(`_$\/@:.`, text[start-1]) >= 0 || strings.HasPrefix(behind, "@")
	if part || start == dot || end == dot+1 {
		return url{}, false
	}
	long := end
	if behind != "" && strings.IndexByte("/:?", behind[0]) >= 0 {
		long = max(end, urlEnd(text, end))
	}
	host, more := text[start:end], text[end:long]
	number := host[0] >= '0' && host[0] <= '9'
	if !number && !known.Listed(strings.ToLower(host)) && !strings.Contains(more, "://") && !strings.Contains(more, "@") {
		// Most dots are part of file names. Return early for them.
		return url{}, false
	}
	u := newURL(text, start, long)
	switch {
	case u.hasTag("ip"):
		// Version numbers and network ranges look like addresses but are not URLs.
		return u, long > end && strings.Count(u.host, ".") == 3 && !u.hasTag("odd") && !networkMask().MatchString(u.path)
	case u.hasTag("drop", "shortener", "webhook", "tunnel", "messenger"):
		// Without a path, the name refers to the service itself or, in code, to something
		// unrelated.
		return u, long > end || code && u.hasTag("webhook", "tunnel")
	}
	return u, false
}

// networkMask matches the prefix length of a network range, such as /24.
var networkMask = lazyregexp.New(`^/\d{0,2}$`)

func wordByte(c byte) bool { return c == '_' || hostByte(c) && c != '-' && c != '.' }

func hostByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '.'
}

// urlRest matches the part of a URL after the scheme. It accepts balanced parentheses, placeholders
// and IPv6 addresses, and stops at whitespace, quotation marks, other brackets and non-ASCII
// punctuation.
var urlRest = lazyregexp.New("^(?:" +
	"[^\\x00-\\x20\"'`\\\\|<>{}()\\[\\]^;\\x7f\\x{a0}\\x{3000}" +
	"…—→·。，、！？；：（）「」『』》】“”‘’«»]" +
	"|\\([^\\s()\"'`]*\\)" +
	"|\\{{1,2}[^{}\"\\n`]{1,60}\\}{1,2}" +
	"|<[^<>/\"\\n][^<>\"\\n`]{0,58}>" +
	"|\\[[^\\[\\]\\s]{1,48}\\]" +
	")+")

// urlEnd returns the end of the URL that contains the offset from.
func urlEnd(text string, from int) int {
	found := urlRest().FindString(text[from:min(len(text), from+maxLength)])
	return from + len(strings.TrimRight(found, ".,;:!?*_~"))
}
