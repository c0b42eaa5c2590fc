package policy

import (
	"strings"

	"github.com/vadehq/vade/internal/pathmatch"
	"github.com/vadehq/vade/internal/shell"
)

// between stands between words while a pattern is compared, so that a blank in
// a word is never taken for the end of it. No word of a command holds it.
const between = "\x00"

// Match reports whether the rule allows the command with these words. A rule
// that does not name its command with a slash matches none that has one:
// Bash(git:*) is not for ./git, nor is Bash(*). Wrappers such as timeout are not
// looked through, and letters match in their own case only.
func (r Rule) Match(argv []string) bool {
	if len(argv) > 0 && strings.ContainsAny(argv[0], `/\`) && (len(r.words) == 0 || r.words[0] != argv[0]) {
		return false
	}
	return r.covers(argv)
}

// covers compares the words and nothing else.
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
	return r.coversText(strings.Join(r.words, between), strings.Join(argv, between), len(argv))
}

func (r Rule) coversText(pattern, text string, words int) bool {
	if strings.Count(text, between) != words-1 {
		return false
	}
	return pathmatch.Star(pattern, text) || r.Prefix && pathmatch.Star(pattern+between+"*", text)
}

// Limits of the ways in which one command line is read for a deny rule.
const (
	maxSuffixes = 24
	maxOptions  = 48
)

// Denies reports whether the rule, taken as a denial, is about the command with
// these words. It is generous where [Rule.Match] is strict: the command may be
// written with a path, an ending or in another case, stand behind a wrapper
// (timeout, env, sh -c and others), have options before its sub-command, or be
// one word with blanks.
func (r Rule) Denies(argv []string) bool {
	if r.Tool != bashTool || len(argv) == 0 {
		return false
	}
	if r.Pattern == "" {
		return true
	}
	for _, a := range suffixes(argv) {
		if r.deniesPlain(a) {
			return true
		}
		for j := 2; j < len(a) && j <= maxOptions && isOption(a[1]); j++ {
			if r.deniesPlain(append([]string{a[0]}, a[j:]...)) {
				return true
			}
		}
	}
	return false
}

func (r Rule) deniesPlain(argv []string) bool {
	pattern := strings.ToLower(anyValue(strings.Join(r.words, between)))
	whole := append([]string{}, argv...)
	for i := range whole {
		whole[i] = strings.ReplaceAll(strings.ToLower(whole[i]), between, "")
	}
	for range 2 {
		if r.coversText(pattern, strings.Join(whole, between), len(whole)) {
			return true
		}
		whole[0] = programName(whole[0])
	}
	return false
}

// anyValue puts an asterisk in the place of each variable.
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

// isOption says whether a word before a sub-command may be an option: cargo and
// others take a toolchain as "+name".
func isOption(word string) bool { return strings.HasPrefix(word, "-") || strings.HasPrefix(word, "+") }

// programName returns the last part of a program's path, without the endings
// of programs on Windows.
func programName(word string) string {
	word = word[strings.LastIndexAny(word, `/\`)+1:]
	for _, end := range []string{".exe", ".cmd", ".bat", ".com", ".ps1"} {
		word = strings.TrimSuffix(word, end)
	}
	return word
}

// suffixes returns the command lines that one command line may run: itself, it
// with the blanks in its words dividing, and where a wrapper leads, all that
// follows each word.
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

// isWrapper lists programs that run another one that their words name.
func isWrapper(name string) bool {
	switch name {
	case "watch", "sh", "bash", "dash", "zsh", "ksh", "fish", "eval", "script", "npx", "bunx", "direnv", "mise", "devbox", "parallel",
		"find", "cmd", "powershell", "pwsh":
		return true
	}
	return shell.IsWrapper(name)
}

// Expand returns the rule with the values of the variables that it names as
// ${NAME}; a value stays part of its word whatever it holds. It returns false
// where a variable has no value: such a rule matches nothing.
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
		if !closed || !ok || strings.ContainsAny(v, "*"+between) || strings.Contains(v, "${") {
			return "", false
		}
		b.WriteString(v)
		w = after
	}
}

// Narrowed reports whether the allowed-tools of a definition leave out the
// command with these words. A definition's own list never allows anything: it
// can only take away, and only where it speaks of commands. A list without a
// rule for Bash, or with the rule Bash, leaves everything in. Hosts run their
// read-only commands whatever the list says, so that this is a question for the
// others.
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
