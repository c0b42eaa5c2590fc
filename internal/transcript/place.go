package transcript

import "strings"

// paths takes out where the machine keeps its files: the directory of the session
// becomes a relative path, a home directory "~", a temporary one ‹temp›, and another
// absolute path keeps its last name.
func (c *cleaner) paths(s string) string {
	if !strings.ContainsAny(s, `/\`) {
		return s
	}
	s = c.below(s)
	var b strings.Builder
	for len(s) > 0 {
		end := strings.IndexAny(s, " \t\n\"'`()<>=,;|&")
		switch {
		case end == 0:
			b.WriteByte(s[0])
			s = s[1:]
			continue
		case end < 0:
			end = len(s)
		}
		b.WriteString(place(s[:end]))
		s = s[end:]
	}
	return b.String()
}

// below makes paths in the session's directory relative.
func (c *cleaner) below(s string) string {
	dir := strings.TrimRight(c.dir, `/\`)
	if len(dir) < 4 || !strings.ContainsAny(dir[1:], `/\`) {
		return s
	}
	for _, spelled := range []string{dir, strings.ReplaceAll(dir, `\`, "/"), "/private" + dir} {
		var b strings.Builder
		for {
			before, rest, ok := strings.Cut(s, spelled)
			b.WriteString(before)
			if !ok {
				break
			}
			switch {
			case rest == "" || strings.IndexByte(" \t\n\"'`()<>=,;|&:", rest[0]) >= 0:
				b.WriteByte('.')
			case rest[0] == '/' || rest[0] == '\\':
				if rest = strings.TrimLeft(rest, `/\`); rest == "" {
					b.WriteByte('.')
				}
			default:
				// It goes on as another name.
				b.WriteString(spelled)
			}
			s = rest
		}
		s = b.String()
	}
	// Claude Code names the directory of a session's files after its path (observed).
	return strings.ReplaceAll(s, strings.NewReplacer("/", "-", `\`, "-", ":", "-", ".", "-").Replace(dir), "‹project›")
}

// temporaries are where systems keep what is temporary.
func temporaries() []string {
	return []string{"/private/tmp", "/private/var/folders", "/var/folders", "/var/tmp", "/tmp", "/dev/shm", "/run/user"}
}

// place judges one word. Something may stand before a path in it, as in "-I/home/x".
func place(word string) string {
	if strings.Contains(word, "://") && !strings.HasPrefix(word, "file:") {
		return word
	}
	word = home(word)
	for _, dir := range temporaries() {
		i := strings.Index(word, dir)
		if i < 0 || i > 0 && (isNameByte(word[i-1]) && !strings.HasPrefix(word, "-") || word[i-1] == '/' && i > 1 && word[i-2] != ':') {
			continue
		}
		if rest := word[i+len(dir):]; rest == "" || rest[0] == '/' {
			return word[:i] + "‹temp›"
		}
	}
	if indexFold(word, `\appdata\local\temp`) >= 0 {
		return "‹temp›"
	}
	return elsewhere(word)
}

// home puts "~" in the place of a home directory: that of the systems, with the name of
// the user.
func home(word string) string {
	for _, open := range []string{"/mnt/c/Users/", "/c/Users/", "/home/", "/Users/", `:\Users\`, `:\\Users\\`, ":/Users/", "/var/home/", "/export/home/"} {
		for {
			i := indexFold(word, open)
			if i < 0 {
				break
			}
			rest := word[i+len(open):]
			end := strings.IndexAny(rest, `/\:`)
			if end < 0 {
				end = len(rest)
			}
			if open[0] == ':' && i > 0 {
				// The letter of the drive stands before it.
				i--
			}
			if before := word[:i]; strings.HasPrefix(before, "file:") {
				word = "~" + rest[end:]
			} else {
				word = before + "~" + rest[end:]
			}
		}
	}
	if rest, ok := strings.CutPrefix(word, "/root"); ok && (rest == "" || rest[0] == '/') {
		return "~" + rest
	}
	if strings.HasPrefix(word, "~") && len(word) > 1 && isNameByte(word[1]) {
		end := strings.IndexByte(word, '/')
		if end < 0 {
			end = len(word)
		}
		return "~" + word[end:]
	}
	return word
}

// indexFold is where a text of ASCII stands in another one, in small letters or capitals.
func indexFold(s, sub string) int {
	for i := 0; i+len(sub) <= len(s); i++ {
		if strings.EqualFold(s[i:i+len(sub)], sub) {
			return i
		}
	}
	return -1
}

// elsewhere shortens an absolute path that is none of the system's own.
func elsewhere(word string) string {
	if !strings.HasPrefix(word, "/") && !(len(word) > 3 && word[1] == ':' && (word[2] == '\\' || word[2] == '/')) {
		return word
	}
	for _, dir := range []string{"/usr", "/bin", "/sbin", "/etc", "/opt", "/dev", "/proc", "/sys", "/lib", "/Applications", "/System"} {
		if rest, ok := strings.CutPrefix(word, dir); ok && (rest == "" || rest[0] == '/') {
			return word
		}
	}
	// "/name" may be a command of a host, "/api/v1" a part of an address.
	if strings.Count(strings.TrimRight(word, `/\`), "/")+strings.Count(word, `\`) < 3 {
		return word
	}
	word = strings.TrimRight(word, `/\`)
	return "‹path›/" + word[strings.LastIndexAny(word, `/\`)+1:]
}

func isNameByte(c byte) bool {
	return c == '_' || c == '.' || c == '-' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}
