package network

import (
	"strings"

	"github.com/vadehq/vade/internal/audit/known"
	"github.com/vadehq/vade/internal/audit/signal"
)

// maxLength bounds a URL.
const maxLength = 2048

// find returns the URLs of a text in their order: those with a scheme, those that are
// written so that nothing makes a link of them, and those without a scheme whose host alone
// says what they are.
func find(text string, code bool) []url {
	var list []url
	for at := 0; at < len(text) && len(list) < maxURLs; {
		n := strings.IndexAny(text[at:], ".:")
		if n < 0 {
			break
		}
		dot := at + n
		var u url
		ok := false
		switch {
		case strings.HasPrefix(text[dot:], "://"):
			u, ok = withScheme(text, dot, code)
		case text[dot] == '.':
			u, ok = bare(text, dot, at, code)
		}
		at = dot + 1
		if ok {
			list = append(list, u)
			at = max(at, u.to)
		}
	}
	return list
}

// withScheme reads the URL whose "://" is at an offset.
func withScheme(text string, sep int, code bool) (url, bool) {
	start := sep
	for start > 0 && sep-start < 16 && (letter(text[start-1]) || digit(text[start-1]) || text[start-1] == '+') {
		start--
	}
	// Behind other letters a scheme begins where a known one does.
	for start < sep && !knownScheme(strings.ToLower(text[start:sep])) {
		start++
	}
	end := urlEnd(text, sep+3, code)
	if start == sep || end == sep+3 {
		return url{}, false
	}
	return newURL(text, start, end), true
}

func newURL(text string, start, end int) url {
	u := url{from: start, to: end, text: text[start:end]}
	plain := u.text
	for _, dot := range [...]string{"[.]", "(.)", "[dot]", "(dot)"} {
		plain = strings.ReplaceAll(plain, dot, ".")
	}
	u.defanged = plain != u.text
	u.scheme, u.host, u.route = known.Split(plain)
	if rest, ok := strings.CutPrefix(u.scheme, "hxxp"); ok {
		u.scheme, u.defanged = "http"+rest, true
	}
	u.tags = append([]signal.Tag(nil), known.Host(u.host, u.route)...)
	return u
}

func knownScheme(s string) bool {
	switch s {
	case "http", "https", "ftp", "ftps", "sftp", "ssh", "git", "git+https", "git+http", "git+ssh", "ws", "wss", "tcp", "udp", "hxxp", "hxxps", "socks5", "s3", "gs", "ipfs", "magnet", "smb", "ldap", "rmi":
		return true
	}
	return false
}

// bare reads a URL without a scheme around a dot: of a service whose host alone says what
// it is, a public IP address with a port or path, or one with brackets around its dots.
func bare(text string, dot, from int, code bool) (url, bool) {
	start, end := dot, dot
	for start > from && dot-start < 64 && hostByte(text[start-1]) {
		start--
	}
	for end < len(text) && end-dot < 253 && (hostByte(text[end]) || bracketed(text[end:]) > 0) {
		end += max(1, bracketed(text[end:]))
	}
	if start == end || start > 0 && strings.IndexByte("_$\\/@:.", text[start-1]) >= 0 && !bracketedBefore(text, start) || end < len(text) && text[end] == '@' {
		return url{}, false
	}
	u := newURL(text, start, end)
	if u.defanged && !code && plainHost(u.host) {
		return u, true
	}
	if rest := text[end:]; rest != "" && strings.IndexByte("/:?", rest[0]) >= 0 {
		end = urlEnd(text, end, code)
	}
	u = newURL(text, start, end)
	long := end > start+len(u.host)
	switch {
	case u.is("ip"):
		// A version or a network is no address.
		return u, long && strings.Count(u.host, ".") == 3 && !u.is("odd") && !mask(u.route)
	case u.is("unknown"), u.is("known"), u.is("private"), u.is("placeholder"), u.is("computed"), u.is("registry"), u.is("installer"), u.is("forge"), u.is("personal"), !plainHost(u.host):
		return url{}, false
	}
	// A name alone is the name of a service, or something else in code.
	return u, long || code && (u.is("webhook") || u.is("tunnel"))
}

// mask reports whether what follows an IP address is the length of a network.
func mask(route string) bool {
	rest := strings.TrimPrefix(route, "/")
	return route != "" && len(rest) <= 2 && strings.Trim(rest, "0123456789") == ""
}

func bracketed(s string) int {
	for _, dot := range [...]string{"[.]", "(.)", "[dot]", "(dot)"} {
		if strings.HasPrefix(s, dot) {
			return len(dot)
		}
	}
	return 0
}

// bracketedBefore reports whether a bracketed dot ends at an offset.
func bracketedBefore(text string, at int) bool { return at > 0 && text[at-1] == '[' }

// plainHost reports whether a name has parts and an ending of letters.
func plainHost(host string) bool {
	end := host[strings.LastIndexByte(host, '.')+1:]
	return strings.Contains(host, ".") && len(end) >= 2 && len(end) <= 12 && strings.Trim(end, "abcdefghijklmnopqrstuvwxyz") == "" && !strings.Contains(host, "..")
}

func letter(c byte) bool   { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func digit(c byte) bool    { return c >= '0' && c <= '9' }
func hostByte(c byte) bool { return letter(c) || digit(c) || c == '-' || c == '.' }

// stops are what other scripts end sentences and brackets with.
var stops = [...]string{"。", "，", "、", "）", "」", "』", "》", "】", "；", "：", "！", "？", "“", "”", "‘", "’", "…", "»", "«", "　", "\u00a0", "—", "→", "（", "「", "『", "·"}

// urlEnd is where a URL ends that has begun before from.
func urlEnd(text string, from int, code bool) int {
	limit := min(len(text), from+maxLength)
	depth := 0
	i := from
scan:
	for i < limit {
		switch c := text[i]; {
		case c <= ' ', strings.IndexByte("\"`\\|>^}\x7f", c) >= 0:
			break scan
		case c == '\'' && (code || i+1 >= limit || !letter(text[i+1])):
			break scan
		case c == '<', c == '{', c == '$' && i+1 < limit && text[i+1] == '{':
			n := placeholder(text[i:limit])
			if n == 0 {
				break scan
			}
			i += n
			continue
		case code && (c == ';' || c == ',' && i+1 < limit && text[i+1] <= ' '):
			break scan
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth < 0 {
				break scan
			}
		case c == '[':
			// An IPv6 address, or a placeholder.
			n := strings.IndexByte(text[i:min(limit, i+48)], ']')
			if n <= 0 || strings.Contains(text[i:i+n], " ") {
				break scan
			}
			i += n + 1
			continue
		case c == ']', strings.HasPrefix(text[i:limit], "**"):
			break scan
		case c >= 0x80 && stopAt(text[i:limit]):
			break scan
		}
		i++
	}
	for i > from && strings.IndexByte(".,;:!?'*_~", text[i-1]) >= 0 {
		i--
	}
	return i
}

func stopAt(s string) bool {
	for _, stop := range stops {
		if strings.HasPrefix(s, stop) {
			return true
		}
	}
	return false
}

// placeholder returns the length of a part that is to be filled in: {x}, {{x}}, ${x}, <x>.
func placeholder(s string) int {
	stop, from := byte('}'), 1
	switch {
	case s[0] == '<':
		stop = '>'
	case s[0] == '$', strings.HasPrefix(s, "{{"):
		from = 2
	}
	n := strings.IndexByte(s[from:min(len(s), from+60)], stop)
	if n <= 0 || s[0] == '<' && s[from] == '/' || strings.ContainsAny(s[from:from+n], "\n\"`") {
		return 0
	}
	if strings.HasPrefix(s, "{{") && from+n+1 < len(s) && s[from+n+1] == '}' {
		n++
	}
	return from + n + 1
}

// withoutSpans puts spaces in the place of code spans.
func withoutSpans(text string) string {
	if strings.IndexByte(text, '`') < 0 {
		return text
	}
	out := []byte(text)
	for i := 0; i < len(text); i++ {
		if text[i] != '`' {
			continue
		}
		n := len(text[i:]) - len(strings.TrimLeft(text[i:], "`"))
		marks := text[i : i+n]
		rest := text[i+n:]
		end := strings.Index(rest, marks)
		if end < 0 {
			i += n - 1
			continue
		}
		for k := i + n; k < i+n+end; k++ {
			out[k] = ' '
		}
		i += n + end + n - 1
	}
	return string(out)
}

// label returns the text of the link or image whose URL begins at an offset.
func label(text string, at int) (name string, image bool) {
	head := strings.TrimRight(text[max(0, at-400):at], " <")
	if s, ok := strings.CutSuffix(head, "]("); ok {
		return insideBrackets(s)
	}
	if s, ok := strings.CutSuffix(head, "]:"); ok {
		name, _ = insideBrackets(s)
		return name, false
	}
	lower := strings.ToLower(head)
	i := strings.LastIndexByte(lower, '<')
	if i < 0 || strings.Contains(lower[i:], ">") {
		return "", false
	}
	switch {
	case strings.HasPrefix(lower[i:], "<img") && strings.Contains(lower[i:], "src"):
		return "", true
	case strings.HasPrefix(lower[i:], "<a") && strings.Contains(lower[i:], "href"):
		if _, rest, ok := strings.Cut(text[at:min(len(text), at+600)], ">"); ok {
			name, _, _ := strings.Cut(rest, "<")
			return strings.TrimSpace(name), false
		}
	}
	return "", false
}

// insideBrackets returns what is behind the bracket that is open at the end, and whether
// it is the name of an image.
func insideBrackets(s string) (string, bool) {
	depth := 1
	for i := len(s) - 1; i >= 0; i-- {
		switch s[i] {
		case ']':
			depth++
		case '[':
			if depth--; depth == 0 {
				return strings.TrimSpace(s[i+1:]), i > 0 && s[i-1] == '!'
			}
		}
	}
	return "", false
}
