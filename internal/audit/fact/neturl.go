package fact

import (
	"strings"
)

// maxURL is how long an address may be.
const maxURL = 2048

// findURLs returns the addresses of a text, each once: those with a scheme, those
// that are written so that nothing makes a link of them, and those without a scheme
// whose host alone says what they are.
func findURLs(text string, code bool) []found {
	var list []found
	list = withScheme(list, text, code)
	list = defanged(list, text, code)
	return bare(list, text, code)
}

// found is an address in a text.
type found struct {
	URL
	from, to int
}

func withScheme(list []found, text string, code bool) []found {
	for at := 0; len(list) < maxFacts; {
		n := strings.Index(text[at:], "://")
		if n < 0 {
			return list
		}
		sep := at + n
		at = sep + 3
		start := sep
		for start > 0 && sep-start < 16 && schemeByte(text[start-1]) {
			start--
		}
		// A scheme right behind other letters begins where a known one does.
		scheme := strings.ToLower(text[start:sep])
		if !knownScheme(scheme) {
			for i := 1; i < len(scheme); i++ {
				if knownScheme(scheme[i:]) && len(scheme)-i > 2 {
					start, scheme = start+i, scheme[i:]
					break
				}
			}
		}
		if scheme == "" || !letter(scheme[0]) || scheme == "file" {
			continue
		}
		end := urlEnd(text, sep+3, code)
		if end == sep+3 {
			continue
		}
		u, ok := splitURL(scheme, text[sep+3:end])
		if !ok {
			continue
		}
		u.Text = text[start:end]
		if s, ok := strings.CutPrefix(scheme, "hxxp"); ok {
			u.Scheme, u.Quoted = "http"+s, true
		}
		list = append(list, found{u, start, end})
		at = end
	}
	return list
}

func knownScheme(s string) bool {
	switch s {
	case "http", "https", "ftp", "ftps", "sftp", "ssh", "git", "git+https", "git+http", "git+ssh", "ws", "wss", "tcp", "udp", "hxxp", "hxxps", "socks5", "s3", "gs", "ipfs", "magnet", "smb", "ldap", "rmi":
		return true
	}
	return false
}

func schemeByte(c byte) bool { return letter(c) || c >= '0' && c <= '9' || c == '+' }

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// urlEnd is where an address ends that has begun before from.
func urlEnd(text string, from int, code bool) int {
	limit := min(len(text), from+maxURL)
	depth := 0
	i := from
scan:
	for i < limit {
		c := text[i]
		switch {
		case c <= ' ', c == '"', c == '`', c == '\\', c == '|', c == '>', c == '^', c == 0x7f:
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
		case c == '}', c == ',' && code && i+1 < limit && text[i+1] <= ' ', c == ';' && code:
			break scan
		case c == '(':
			depth++
		case c == ')':
			if depth == 0 {
				break scan
			}
			depth--
		case c == '[':
			// Addresses of six groups, and placeholders.
			if n := strings.IndexByte(text[i:min(limit, i+48)], ']'); n > 0 && !strings.Contains(text[i:i+n], " ") {
				i += n + 1
				continue
			}
			break scan
		case c == ']':
			break scan
		case c == '*' && strings.HasPrefix(text[i:limit], "**"):
			break scan
		case c >= 0x80:
			// What other scripts end sentences and brackets with.
			for _, stop := range [...]string{"。", "，", "、", "）", "」", "』", "》", "】", "；", "：", "！", "？", "“", "”", "‘", "’", "…", "»", "«", "　", "\u00a0", "—", "→", "（", "「", "『", "·"} {
				if strings.HasPrefix(text[i:limit], stop) {
					break scan
				}
			}
		}
		i++
	}
	for i > from && strings.IndexByte(".,;:!?'*_~", text[i-1]) >= 0 {
		i--
	}
	return i
}

// placeholder returns the length of a part that is to be filled in.
func placeholder(s string) int {
	open, stop := s[0], byte('}')
	from := 1
	switch {
	case open == '<':
		stop = '>'
	case open == '$':
		from = 2
	case strings.HasPrefix(s, "{{"):
		from = 2
	}
	n := strings.IndexByte(s[from:min(len(s), from+60)], stop)
	if n <= 0 || open == '<' && s[from] == '/' || strings.ContainsAny(s[from:from+n], "\n\"`") {
		return 0
	}
	if strings.HasPrefix(s, "{{") && from+n+1 < len(s) && s[from+n+1] == '}' {
		n++
	}
	return from + n + 1
}

// splitURL takes an address without its scheme apart.
func splitURL(scheme, rest string) (URL, bool) {
	u := URL{Scheme: scheme}
	cut := len(rest)
	for i := 0; i < len(rest); i++ {
		if c := rest[i]; c == '<' || c == '{' {
			if n := placeholder(rest[i:]); n > 0 {
				i += n - 1
				continue
			}
		} else if c == '/' || c == '?' || c == '#' {
			cut = i
			break
		}
	}
	host := rest[:cut]
	u.Route = rest[cut:]
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		u.User, host = host[:i], host[i+1:]
	}
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") && strings.IndexByte(host[i:], '}') < 0 {
		host, u.Port = host[:i], host[i+1:]
	}
	u.Host = strings.TrimSuffix(strings.ToLower(fanged(host)), ".")
	if u.Host == "" {
		return u, false
	}
	u.Quoted = u.Quoted || len(u.Host) != len(strings.TrimSuffix(host, "."))
	u.address()
	u.Template = !u.IP && template(rest) || template(u.Route)
	return u, true
}

// address says whether the host is one in numbers.
func (u *URL) address() {
	addr, odd, ok := hostAddress(u.Host)
	u.Private = PrivateHost(u.Host)
	if !ok {
		return
	}
	u.IP, u.Odd = true, odd
	if odd {
		u.Host = addr.String()
	}
}

// template reports whether a part of an address is to be filled in.
func template(s string) bool {
	if strings.ContainsAny(s, "{}<>$") || strings.Contains(s, "...") || strings.Contains(s, "…") {
		return true
	}
	for i := strings.IndexByte(s, '%'); i >= 0 && i+1 < len(s); {
		if c := s[i+1]; c == 's' || c == 'd' || c == '(' || c == 'v' {
			return true
		}
		n := strings.IndexByte(s[i+1:], '%')
		if n < 0 {
			break
		}
		i += n + 1
	}
	upper := strings.ToUpper(s)
	for _, mark := range [...]string{"YOUR_", "YOUR-", "XXXX"} {
		if strings.Contains(upper, mark) {
			return true
		}
	}
	i := strings.IndexByte(upper, '[')
	return i >= 0 && i+1 < len(upper) && letter(upper[i+1]) && !strings.HasPrefix(upper[i:], "[DOT]")
}

// fanged undoes the ways of writing a host so that nothing makes a link of it.
func fanged(host string) string {
	if !strings.ContainsAny(host, "[(") || strings.HasPrefix(host, "[") && !strings.HasPrefix(host, "[.") {
		return host
	}
	for _, dot := range [...]string{"[.]", "(.)", "[dot]", "(dot)", "[DOT]", "(DOT)"} {
		host = strings.ReplaceAll(host, dot, ".")
	}
	return host
}

// defanged adds what has no scheme and is written with brackets around its dots.
func defanged(list []found, text string, code bool) []found {
	for _, dot := range [...]string{"[.]", "(.)", "[dot]", "(dot)"} {
		for at, n := 0, strings.Index(text, dot); n >= 0 && len(list) < maxFacts; n = strings.Index(text[at:], dot) {
			i := at + n
			start := i
			for start > 0 && i-start < 64 && hostByte(text[start-1]) {
				start--
			}
			end := i
			for end < len(text) && end-i < 128 && (hostByte(text[end]) || strings.HasPrefix(text[end:], dot)) {
				if hostByte(text[end]) {
					end++
				} else {
					end += len(dot)
				}
			}
			at = max(end, i+len(dot))
			if start == i || end <= i+len(dot) || start > 2 && text[start-1] == '/' && text[start-2] == '/' {
				continue
			}
			// A class of one character in a pattern has words of code around it.
			u, ok := splitURL("", text[start:end])
			if !ok || code {
				continue
			}
			u.Text, u.Quoted = text[start:end], true
			list = append(list, found{u, start, end})
		}
	}
	return list
}

func hostByte(c byte) bool { return letter(c) || c >= '0' && c <= '9' || c == '-' || c == '.' }
