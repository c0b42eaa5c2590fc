package command

import "strings"

// passedStrings interprets strings passed to a shell in a language without a
// parser: those after "-c", and those after a word such as "command" or "exec".
// In YAML and ini files, such as systemd units, it also reads unquoted values.
func (m *machine) passedStrings(text, lang string) {
	if lang == "ini" || lang == "yaml" {
		for _, at := range regex("execValue").FindAllStringSubmatchIndex(text, maxStrings) {
			from, to := at[4], at[5]
			if strings.IndexByte("|>", text[from]) >= 0 {
				// The value consists of the more deeply indented lines that
				// follow.
				from = to
				for to+1 < len(text) && indent(text[to+1:]) > at[3]-at[2] {
					to += 1 + len(text[to+1:lineEnd(text, to+1)])
					to -= btoi(text[to-1] == '\n')
				}
			}
			if s := text[from:to]; looksCommand(strings.TrimSpace(s)) {
				m.embed(m.span(from, to), s, "sh", "")
			}
		}
	}
	for at, left := 0, 10*maxStrings; at < len(text) && left > 0; {
		n := strings.IndexAny(text[at:], "\"'`")
		if n < 0 {
			return
		}
		start := at + n
		from, to, next := literalEnd(text, start)
		at = next
		if s := strings.TrimSpace(text[from:to]); len(s) < 6 || strings.IndexByte(s, ' ') < 0 {
			continue
		}
		left--
		if !regex("passes").MatchString(text[max(0, start-40):start]) {
			continue
		}
		s := unescaped(text[from:to])
		if strings.Contains(s, "\n") || looksCommand(strings.TrimSpace(s)) {
			m.embed(m.span(from, to), s, "sh", "")
		}
	}
}

// maxStrings is the maximum number of values read in one text. Up to ten times
// as many strings are examined.
const maxStrings = 200

// parsed reports whether a language has a parser, here or in package code, or
// never runs commands.
func parsed(lang string) bool { return !strings.Contains(" "+unparsed+" ", " "+lang+" ") }

const unparsed = "json yaml toml hcl nix groovy hs scala kt jl ml clj erl fs tcl nim zig d cr ini xml"

// literalEnd returns the range of the string whose opening quote is at an
// offset, and where to continue. Three quotes, or two in Nix, start a
// multi-line string.
func literalEnd(text string, at int) (from, to, next int) {
	mark := text[at : at+1]
	for _, long := range [...]string{`"""`, "'''", "''\n"} {
		if strings.HasPrefix(text[at:], long) {
			mark = strings.TrimSpace(long)
		}
	}
	from = at + len(mark)
	for i := from; i < len(text); i++ {
		switch {
		case strings.HasPrefix(text[i:], mark):
			return from, i, i + len(mark)
		case text[i] == '\\' && len(mark) == 1:
			i++
		case text[i] == '\n' && len(mark) == 1:
			return from, from, i
		}
	}
	return from, from, len(text)
}

// indent returns the number of leading spaces.
func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

func unescaped(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	return strings.NewReplacer(`\n`, "\n", `\"`, `"`, `\'`, "'", `\$`, "$", `\\`, `\`).Replace(s)
}
