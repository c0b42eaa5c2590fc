package policy

import (
	"slices"
	"strconv"
	"strings"
)

// gitValue reports whether a flag's value is of the given kind, which is an uppercase name or a
// comma-separated list of the allowed values.
func gitValue(kind, value string) bool {
	switch kind {
	case "TEXT":
		return true
	case "NUM":
		return isNumber(value)
	case "SCORE":
		return strings.Trim(value, "0123456789%/,.") == ""
	case "DATE":
		return isDateMode(value)
	case "LOG":
		return isLogFormat(value)
	case "ATOMS":
		return isRefFormat(value)
	case "KEY":
		return isAtom(strings.TrimPrefix(strings.TrimPrefix(value, "-"), "*"))
	case "LETTERS":
		return strings.Trim(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ*") == ""
	case "WORDS":
		return strings.Trim(value, "abcdefghijklmnopqrstuvwxyz0123456789,-=:") == ""
	}
	return slices.Contains(strings.Split(kind, ","), value)
}

// isDateMode reports whether value is a --date mode: a known name or a strftime format.
func isDateMode(value string) bool {
	if strings.HasPrefix(value, "format:") || strings.HasPrefix(value, "format-local:") {
		return true
	}
	switch strings.TrimSuffix(value, "-local") {
	case "relative", "local", "default", "iso", "iso8601", "iso-strict", "iso8601-strict",
		"rfc", "rfc2822", "short", "raw", "human", "unix":
		return true
	}
	return false
}

// isLogFormat reports whether value is allowed for --format and --pretty. It rejects unknown names,
// which git would look up in the repository's configuration.
func isLogFormat(value string) bool {
	switch value {
	case "oneline", "short", "medium", "full", "fuller", "reference", "email", "mboxrd", "raw", "":
		return true
	}
	for _, p := range []string{"format:", "tformat:"} {
		if rest, ok := strings.CutPrefix(value, p); ok {
			return logDirectives(rest)
		}
	}
	return strings.Contains(value, "%") && logDirectives(value)
}

// logDirectives reports whether every directive is known to print only commit metadata. %x is
// allowed for harmless characters. logDirectives rejects %G, which runs the program that checks
// signatures; %(describe), which runs git; and truncated reflog messages, in which a URL with a
// password could no longer be recognized.
func logDirectives(s string) bool {
	if strings.Contains(s, "trunc") && strings.Contains(s, "%g") {
		return false
	}
	for {
		at := strings.IndexByte(s, '%')
		if at < 0 {
			return true
		}
		n := logDirective(s[at+1:])
		if n == 0 {
			return false
		}
		s = s[at+1+n:]
	}
}

// logDirective returns the length of the directive at the start of s, after the
// percent sign, or 0 if there is none.
func logDirective(s string) int {
	if s == "" {
		return 0
	}
	switch s[0] {
	case '+', '-', ' ':
		if len(s) > 1 && strings.IndexByte("+- ", s[1]) < 0 {
			if n := logDirective(s[1:]); n > 0 {
				return n + 1
			}
		}
		return 0
	case '(':
		return logAtom(s)
	case 'x':
		return logByte(s)
	case 'w', '<', '>':
		return columns(s)
	case 'C':
		return color(s)
	}
	for _, group := range []string{"an ae al ad cn ce cl cd", "aN aE aL aD ar at ai aI as ah cN cE cL cD cr ct ci cI cs ch", "gD gd gn gN ge gE gs"} {
		if len(s) > 1 && slices.Contains(strings.Fields(group), s[:2]) {
			return 2
		}
	}
	if strings.IndexByte("HhTtPpdDSesfbBNnm%", s[0]) >= 0 {
		return 1
	}
	return 0
}

// logByte returns the length of x09, x0a or x20 to x7e at the start of s, which print a tab, a
// newline or a printable character. It returns 0 if there is none.
func logByte(s string) int {
	if len(s) < 3 {
		return 0
	}
	n, err := strconv.ParseUint(s[1:3], 16, 8)
	if err != nil || n != '\t' && n != '\n' && (n < ' ' || n > '~') {
		return 0
	}
	return 3
}

// logAtom returns the length of (trailers:…) or (decorate:…) at the start of s, or 0 if there is
// none. Their values may not contain directives.
func logAtom(s string) int {
	end := strings.IndexByte(s, ')')
	if end < 0 || strings.Contains(s[:end], "%") {
		return 0
	}
	name, _, _ := strings.Cut(s[1:end], ":")
	if name != "trailers" && name != "decorate" {
		return 0
	}
	return end + 1
}

// columns returns the length of w(…), <(…), <|(…), >(…), >|(…), >>(…) or ><(…) at the start of s,
// or 0 if there is none.
func columns(s string) int {
	open, end := strings.IndexByte(s, '('), strings.IndexByte(s, ')')
	if open < 1 || open > 2 || end < open || strings.Trim(s[open+1:end], "0123456789,- truncmldf|") != "" {
		return 0
	}
	if !slices.Contains([]string{"w", "<", "<|", ">", ">|", ">>", "><"}, s[:open]) {
		return 0
	}
	return end + 1
}

// color returns the length of Cred, Cgreen, Cblue, Creset or C(…) at the start of s, or 0 if there
// is none. These print nothing unless the output is a terminal. color rejects C(always,…).
func color(s string) int {
	for _, name := range []string{"Cred", "Cgreen", "Cblue", "Creset"} {
		if strings.HasPrefix(s, name) {
			return len(name)
		}
	}
	end := strings.IndexByte(s, ')')
	if !strings.HasPrefix(s, "C(") || end < 0 || strings.Contains(s[:end], "always") ||
		strings.Trim(s[2:end], "abcdefghijklmnopqrstuvwxyz0123456789#, ") != "" {
		return 0
	}
	return end + 1
}

// isRefFormat reports whether s is allowed as --format for for-each-ref, branch and tag. It accepts
// %(atom) and %%. It rejects %XX, which could print any byte.
func isRefFormat(s string) bool {
	for {
		at := strings.IndexByte(s, '%')
		if at < 0 {
			return true
		}
		s = s[at+1:]
		if strings.HasPrefix(s, "%") {
			s = s[1:]
			continue
		}
		end := strings.IndexByte(s, ')')
		if !strings.HasPrefix(s, "(") || end < 0 || !isAtom(strings.TrimPrefix(s[1:end], "*")) {
			return false
		}
		s = s[end+1:]
	}
}

// isAtom reports whether a reference's field is known to be plain text. It rejects signature, which
// runs the program that checks it; describe, which runs git; and raw, which prints the object.
func isAtom(s string) bool {
	name, options, _ := strings.Cut(s, ":")
	switch name {
	case "refname", "objecttype", "objectsize", "objectname", "deltabase", "upstream", "push", "HEAD", "symref",
		"tree", "parent", "numparent", "object", "type", "tag", "flag", "worktreepath", "ahead-behind", "is-base",
		"author", "authorname", "authoremail", "authordate", "committer", "committername", "committeremail", "committerdate",
		"tagger", "taggername", "taggeremail", "taggerdate", "creator", "creatordate",
		"subject", "body", "trailers", "contents", "version", "v",
		"align", "end", "if", "then", "else", "color":
		return !strings.Contains(options, "always") && !strings.Contains(options, "%x")
	}
	return false
}
