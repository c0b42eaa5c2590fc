package fact

import "strings"

// bare adds addresses without a scheme: of services whose host alone says what they
// are, and public addresses in numbers with a port or a route.
func bare(list []found, text string, code bool) []found {
	taken := len(list)
	next := 0
	for i := 0; i < len(text) && len(list) < maxFacts; {
		if !hostByte(text[i]) {
			i++
			continue
		}
		start, dots := i, 0
		for i < len(text) && hostByte(text[i]) {
			if text[i] == '.' {
				dots++
			}
			i++
		}
		if dots == 0 || i-start > 253 || i-start < 4 {
			continue
		}
		for next < taken && list[next].to <= start {
			next++
		}
		if next < taken && list[next].from < i {
			continue
		}
		if start > 0 && (text[start-1] == '_' || text[start-1] == '$' || text[start-1] == '\\' || text[start-1] == '/' && !strings.HasSuffix(text[:start], "//")) {
			continue
		}
		host := strings.ToLower(strings.Trim(text[start:i], ".-"))
		if i < len(text) && text[i] == '@' {
			continue
		}
		rest := text[i:min(len(text), i+64)]
		if strings.Trim(host, "0123456789.") == "" {
			if dots != 3 || !PublicIP(host) || !addressRest(rest) {
				continue
			}
		} else if !plainHost(host) || KindOf(host, routeOf(rest)) == "" && host != "gist.github.com" {
			continue
		}
		end := i
		if rest != "" && (rest[0] == '/' || rest[0] == ':' || rest[0] == '?') {
			end = urlEnd(text, i, code)
		}
		if end == i && (!code || Sink(host, "") == "") {
			// A name alone is the name of a service, or something else in code.
			continue
		}
		u, ok := splitURL("", text[start:end])
		if !ok {
			continue
		}
		u.Text = text[start:end]
		list = append(list, found{u, start, end})
		i = end
	}
	return list
}

func netDigit(c byte) bool { return c >= '0' && c <= '9' }

// plainHost reports whether a name has parts and an ending of letters.
func plainHost(host string) bool {
	end := host[strings.LastIndexByte(host, '.')+1:]
	return len(end) >= 2 && len(end) <= 12 && strings.Trim(end, "abcdefghijklmnopqrstuvwxyz") == "" && !strings.Contains(host, "..")
}

// addressRest reports whether what stands behind four numbers makes an address of
// them: a port, or a route that is no length of a network.
func addressRest(s string) bool {
	if len(s) < 2 {
		return false
	}
	digits := s[1:]
	n := 0
	for n < len(digits) && netDigit(digits[n]) {
		n++
	}
	switch s[0] {
	case ':':
		return n >= 2 && n <= 5
	case '/':
		// Behind the length of a network there is no more of an address.
		return n > 2 || n < len(digits) && (letter(digits[n]) || strings.IndexByte("/._-?", digits[n]) >= 0 && n+1 < len(digits) && digits[n+1] > ' ')
	}
	return false
}

// routeOf is what of a rest is the beginning of a route.
func routeOf(s string) string {
	if !strings.HasPrefix(s, "/") {
		return ""
	}
	if i := strings.IndexAny(s, " \t\n\"'`)"); i >= 0 {
		return s[:i]
	}
	return s
}
