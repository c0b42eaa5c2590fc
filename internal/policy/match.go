package policy

import (
	"strings"

	"github.com/vadehq/vade/internal/pathmatch"
	"github.com/vadehq/vade/internal/shell"
)

// wordSeparator separates words during matching, so that a space inside a word is not mistaken for
// the end of the word. Commands cannot contain it.
const wordSeparator = "\x00"

// Match reports whether the rule allows a command with the given words. If the command's first word
// contains a slash, the rule's first word must be identical: neither Bash(git:*) nor Bash(*)
// matches ./git. Match is case-sensitive and does not look through wrappers such as timeout.
func (r Rule) Match(argv []string) bool {
	if len(argv) > 0 && strings.ContainsAny(argv[0], `/\`) && (len(r.words) == 0 || r.words[0] != argv[0]) {
		return false
	}
	return r.covers(argv)
}

// covers is like Match but does not check for slashes.
func (r Rule) covers(argv []string) bool {
	if r.Tool != bashTool || len(argv) == 0 || argv[0] == "" {
		return false
	}
	if r.Pattern == "" {
		return true
	}
	if strings.Contains(r.Pattern, "${") {
		return false
	}
	return r.coversText(strings.Join(r.words, wordSeparator), strings.Join(argv, wordSeparator), len(argv))
}

func (r Rule) coversText(pattern, text string, words int) bool {
	if strings.Count(text, wordSeparator) != words-1 {
		return false
	}
	return pathmatch.Star(pattern, text) || r.Prefix && pathmatch.Star(pattern+wordSeparator+"*", text)
}

// Limits on the number of ways in which a deny rule interprets a command line.
const (
	maxSuffixes = 24
	maxOptions  = 48
)

// Denies reports whether the rule, used as a deny rule, matches a command with the given words.
// Unlike [Rule.Match], it matches broadly: the command may include a path or an extension, use
// different case, follow a wrapper (timeout, env, sh -c and others), have options before its
// subcommand, or be a single word with spaces.
func (r Rule) Denies(argv []string) bool {
	if r.Tool != bashTool || len(argv) == 0 {
		return false
	}
	if r.Pattern == "" {
		return true
	}
	for _, a := range suffixes(argv) {
		if r.deniesExact(a) {
			return true
		}
		for j := 2; j < len(a) && j <= maxOptions && isOption(a[1]); j++ {
			if r.deniesExact(append([]string{a[0]}, a[j:]...)) {
				return true
			}
		}
	}
	return false
}

func (r Rule) deniesExact(argv []string) bool {
	pattern := strings.ToLower(anyValue(strings.Join(r.words, wordSeparator)))
	whole := append([]string{}, argv...)
	for i := range whole {
		whole[i] = strings.ReplaceAll(strings.ToLower(whole[i]), wordSeparator, "")
	}
	for range 2 {
		if r.coversText(pattern, strings.Join(whole, wordSeparator), len(whole)) {
			return true
		}
		whole[0] = programName(whole[0])
	}
	return false
}

// anyValue replaces each variable with an asterisk.
func anyValue(pattern string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(pattern, "${")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		b.WriteByte('*')
		_, pattern, _ = strings.Cut(rest, "}")
	}
}

// isOption reports whether a word before a subcommand may be an option. Some
// programs, such as cargo, accept a toolchain as "+name".
func isOption(word string) bool { return strings.HasPrefix(word, "-") || strings.HasPrefix(word, "+") }

// programName returns the base name of a program's path, without a Windows executable extension.
func programName(word string) string {
	word = word[strings.LastIndexAny(word, `/\`)+1:]
	for _, end := range []string{".exe", ".cmd", ".bat", ".com", ".ps1"} {
		word = strings.TrimSuffix(word, end)
	}
	return word
}

// suffixes returns the command lines that running argv may execute: argv itself, argv with its
// words split at spaces and, if the program is a wrapper, every suffix of the split words.
func suffixes(argv []string) [][]string {
	list := [][]string{argv}
	split := strings.Fields(strings.Join(argv, " "))
	if len(split) != len(argv) && len(split) > 0 {
		list = append(list, split)
	}
	for i := range split {
		if !isWrapper(programName(strings.ToLower(strings.Trim(split[0], `"'`)))) || i == maxSuffixes {
			break
		}
		rest := append([]string{}, split[i:]...)
		for j := range rest {
			rest[j] = strings.Trim(rest[j], `"';&|()`)
		}
		list = append(list, rest)
	}
	return list
}

// isWrapper reports whether a program runs another program specified in its arguments.
func isWrapper(name string) bool {
	switch name {
	case "watch", "eval", "script", "npx", "bunx", "direnv", "mise", "devbox", "parallel", "find",
		"cmd", "powershell", "pwsh":
		return true
	}
	return shell.IsShell(name) || shell.IsWrapper(name)
}

// Expand replaces each ${NAME} in the rule with the variable's value, which stays within one word
// even if it contains spaces. It returns false if a variable has no usable value. The rule then
// matches nothing.
func (r Rule) Expand(value func(name string) (string, bool)) (Rule, bool) {
	if !strings.Contains(r.Pattern, "${") || r.Tool != bashTool {
		return r, true
	}
	words := make([]string, len(r.words))
	for i, w := range r.words {
		w, ok := expandWord(w, value)
		if !ok {
			return r, false
		}
		words[i] = w
	}
	r.words, r.Pattern = words, strings.Join(words, " ")
	return r, true
}

func expandWord(w string, value func(name string) (string, bool)) (string, bool) {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(w, "${")
		b.WriteString(before)
		if !found {
			return b.String(), true
		}
		name, after, closed := strings.Cut(rest, "}")
		v, ok := value(name)
		if !closed || !ok || strings.ContainsAny(v, "*"+wordSeparator) || strings.Contains(v, "${") {
			return "", false
		}
		b.WriteString(v)
		w = after
	}
}

// Narrowed reports whether a definition's allowed-tools list excludes a command with the given
// words. The list never allows anything, and it excludes commands only if it contains a Bash rule
// with a pattern. Hosts run their own read-only commands regardless of the list, so Narrowed should
// be called only for other commands.
func Narrowed(allowed []Rule, argv []string) bool {
	narrowed := false
	for _, r := range allowed {
		if !r.IsBash() {
			continue
		}
		if r.covers(argv) {
			return false
		}
		narrowed = true
	}
	return narrowed
}
