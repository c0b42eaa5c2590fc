package transcript

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/lazyregexp"
	"github.com/vadehq/vade/internal/policy"
	"github.com/vadehq/vade/internal/secret"
)

const (
	hidden      = "‹hidden›"
	hiddenArgs  = "‹arguments hidden›"
	hiddenInput = "‹input hidden›"
)

// redactor makes transcript text safe to display and to include in a skill. When in doubt, it hides
// text.
type redactor struct {
	// below matches the session's working directory; slug is the form of that directory used in
	// file names.
	below *regexp.Regexp
	slug  string
	// count is the number of secrets hidden so far. known holds parts of these secrets, which are
	// hidden wherever they occur.
	count int
	known []string
}

// maxKnown is the maximum number of parts in known.
const maxKnown = 500

// hide counts a secret and returns the text that replaces it. It adds the secret's parts to known,
// except those that are short, numbers or plain words.
func (r *redactor) hide(text string) string {
	r.count++
	for _, part := range secretPart().FindAllString(text, maxKnown-min(len(r.known), maxKnown)) {
		if len(part) >= 6 && unlikeWord(part) && strings.Trim(part, "0123456789-_") != "" {
			r.known = append(r.known, part)
		}
	}
	return hidden
}

var secretPart = lazyregexp.New("[^ \\t\\n=:\"'{}\\[\\](),;@/?&|<>.\\\\$`]+")

// everywhere returns a function that hides all known secrets in a string.
func (r *redactor) everywhere() func(string) string {
	slices.SortFunc(r.known, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	var pairs []string
	for _, k := range slices.Compact(r.known) {
		pairs = append(pairs, k, hidden)
	}
	return strings.NewReplacer(pairs...).Replace
}

// prose returns a user message as one line of at most n characters.
func (r *redactor) prose(s string, n int) string {
	return short(inert(r.paths(r.hideProse(visible(s)))), n)
}

// command returns a command as one line of at most n characters.
func (r *redactor) command(s string, n int) string {
	return short(inert(r.paths(r.hideCommand(visible(s)))), n)
}

// word returns a single word, such as a file name, safe to display.
func (r *redactor) word(s string) string {
	if s = visible(s); secretWord(s) {
		s = r.hide(s)
	}
	return short(inert(r.paths(s)), 120)
}

// argsHidden lists programs whose arguments are always hidden, because these programs set, print or
// use secrets.
const argsHidden = `sshpass htpasswd chpasswd passwd security secret-tool pass op bw lpass gopass gpg
	ssh-keygen openssl ansible-vault age sops vault keyctl expect export declare setx doppler infisical chamber
	sqlplus sqlldr rman expdp impdp`

// secretCommands lists subcommands whose arguments are hidden, such as "login" in "docker login".
const secretCommands = `login auth secret secrets token tokens credential set-credentials credentials configure
	adduser config:set keyvault secretsmanager ssm sts encrypt_string`

// secretFlags returns the one-letter flags of a program that take a secret.
func secretFlags(program string) string {
	return map[string]string{
		"curl": "uUbF", "wget": "U", "smbclient": "U", "http": "a", "https": "a", "redis-cli": "a", "lftp": "u",
		"ncftpput": "up", "mysql": "p", "mysqldump": "p", "mariadb": "p", "mongo": "p", "mongosh": "p", "cqlsh": "p",
		"7z": "p", "7za": "p", "sqlcmd": "P", "zip": "P", "unzip": "P", "ldapsearch": "w", "ldapmodify": "w",
	}[program]
}

// shownVariables lists environment variables whose values are shown.
const shownVariables = `NODE_ENV CGO_ENABLED GOOS GOARCH GOFLAGS CI DEBUG RUST_BACKTRACE RUST_LOG LANG LC_ALL TZ
	FORCE_COLOR NO_COLOR PYTHONPATH`

// beforeAssignment lists words that can precede a variable assignment in a command.
const beforeAssignment = `env sudo doas do then else if while until time exec command local readonly typeset set { !`

func isOneOf(words, word string) bool {
	for w := range strings.FieldsSeq(words) {
		if w == word {
			return true
		}
	}
	return false
}

var (
	assignment  = lazyregexp.New(`(?s)^(-e|\$(?:\w+:)?)?([A-Za-z_][A-Za-z0-9_]*)\+?=(.+)$`)
	flagName    = lazyregexp.New(`^(--?[A-Za-z0-9_.-]+)=(.+)$`)
	secretFiles = sync.OnceValue(policy.DefaultProtected)
)

// hideCommand returns a shell command with possible secrets hidden.
func (r *redactor) hideCommand(s string) string {
	s = strings.TrimLeft(leadingComments().ReplaceAllString(s, ""), " \t\n")
	heredoc := ""
	if at := heredocStart().FindStringIndex(s); at != nil && strings.Contains(s[at[0]:], "\n") {
		s, heredoc = s[:at[0]+1], hiddenInput
	}
	// Piping or redirecting echo is a common way to pass a secret to another command.
	piped := strings.ContainsAny(s, "|>")
	var out strings.Builder
	list := tokens(s)
	for len(list) > 0 {
		end := slices.IndexFunc(list, func(t token) bool { return t.ends }) + 1
		if end == 0 {
			end = len(list)
		}
		r.simpleCommand(&out, list[:end], piped)
		list = list[end:]
	}
	return out.String() + heredoc
}

var (
	leadingComments = lazyregexp.New(`^(?:\s*#[^\n]*\n)+`)
	heredocStart    = lazyregexp.New(`(?:^|[^<])<<(?:[^<]|$)`)
)

func isSecretFile(path string) bool {
	_, ok := secretFiles().Match(strings.TrimLeft(path, "/"))
	return ok
}

func (r *redactor) simpleCommand(out *strings.Builder, list []token, piped bool) {
	program := ""
	// next is set if the next word is a secret. rest is set if any of the
	// remaining words may be a secret.
	next, dropped := false, false
	rest := slices.ContainsFunc(list, func(t token) bool { return t.word && isSecretFile(t.text) })
	for _, t := range list {
		if !t.word {
			out.WriteString(strings.Replace(t.written, "\n", " ; ", 1))
			next = next || t.written == "<<<"
			continue
		}
		base := path.Base(t.text)
		hides := r.hidesIn(t.text)
		set := assignment().FindStringSubmatch(t.text)
		// In an argument, a pair such as "if=x" is treated as a variable only if its name is
		// uppercase.
		argument := program != "" && !isOneOf(beforeAssignment, program)
		// The value "$" begins a command substitution, which is a separate token.
		if set != nil && (isOneOf(shownVariables, set[2]) && !secretWord(set[3]) || set[3] == "$" ||
			argument && !hides && set[2] != strings.ToUpper(set[2])) {
			set = nil
		}
		// The program may follow another program, such as sudo or env.
		starts := !next && (program == "" || !dropped && (isOneOf(argsHidden, base) || secretFlags(base) != ""))
		secretFlag := t.text[:min(1, len(t.text))] == "-" && strings.ContainsAny(t.text[1:], secretFlags(program))
		follows := secretFlag && t.text[1] != '-' || namesNext(t.text) ||
			t.text == "=" && strings.HasPrefix(program, "$")
		switch {
		case starts && set == nil && !hides:
			program = base
			rest = rest || isOneOf(argsHidden, base) || piped && (base == "echo" || base == "printf")
			out.WriteString(t.written)
		case set != nil:
			out.WriteString(set[1] + set[2] + "=" + r.hide(set[3]))
		case rest && !next:
			if r.hide(t.text); !dropped {
				out.WriteString(hiddenArgs)
			}
			dropped = true
		case next && secret.IsScheme(t.text):
			out.WriteString(t.written)
		case next || hides:
			out.WriteString(r.hideValue(t.text))
			// The hidden word may be only a flag or a name. The actual secret is then the next
			// word.
			next = follows
		case secretFlag && len(t.text) > 2 && t.text[1] != '-' && strings.Contains(secretFlags(program), t.text[1:2]):
			out.WriteString(t.text[:2] + r.hide(t.text[2:]))
		default:
			out.WriteString(t.written)
			next = follows
			rest = rest || isOneOf(secretCommands, strings.ToLower(t.text))
		}
		if set == nil {
			program = cmp.Or(program, hidden)
		}
	}
}

// namesNext reports whether the word that follows text may be a secret, because
// text is a flag such as "--token" or a setting name such as "_authToken".
func namesNext(text string) bool {
	if strings.ContainsAny(text, "= \t\n") {
		return false
	}
	if flag := strings.TrimLeft(text, "-"); flag != text {
		return secretName(flag)
	}
	name := text[strings.LastIndexAny(text, "/:")+1:]
	return strings.ContainsAny(name, "_.ABCDEFGHIJKLMNOPQRSTUVWXYZ") && secretName(name)
}

// hideValue hides a word, or only its value if the word is a flag.
func (r *redactor) hideValue(text string) string {
	if m := flagName().FindStringSubmatch(text); m != nil && !secret.In(m[1]) {
		return m[1] + "=" + r.hide(m[2])
	}
	return r.hide(text)
}

// hidesIn reports whether a word contains a secret, either directly or when
// read as a sentence or a command.
func (r *redactor) hidesIn(text string) bool {
	if secretWord(text) {
		return true
	}
	if !strings.ContainsAny(text, " \t\n") {
		return false
	}
	inner := &redactor{known: r.known}
	inner.hideProse(text)
	if inner.count == 0 {
		inner.hideCommand(text)
	}
	r.known = inner.known
	return inner.count > 0
}

// hideProse returns text written by a person with possible secrets hidden: words that look like
// secrets, and the text that follows a word such as "password".
func (r *redactor) hideProse(s string) string {
	var out strings.Builder
	inKey := false
	// named is set if the next word is a secret. near is the number of following words that are
	// still treated with suspicion because a secret was mentioned. Until it reaches 0, any unusual
	// word is treated as a secret.
	named, near := false, 0
	for line := range strings.Lines(s) {
		if strings.Contains(line, "-----BEGIN") || inKey {
			inKey = !strings.Contains(line, "-----END")
			out.WriteString(r.hide(line) + "\n")
			continue
		}
		if named = named && strings.TrimSpace(line) == ""; !named {
			near = 0
		}
		for word := range strings.FieldsSeq(line) {
			bare := strings.Trim(word, "\"'`.,;:!?()[]{}<>*")
			low := strings.ToLower(bare)
			near--
			switch {
			case (named || near >= 0) && (isOneOf(connectors, strings.ToLower(word)) || isOneOf(connectors, low)),
				named && (bare == "" || secret.IsScheme(low)):
				named = true
				out.WriteString(word)
			case named && !isOneOf(commonWords, low), near >= 0 && unlikeWord(word), secretWord(word), secretWord(bare):
				// A passphrase extends to the end of the clause.
				named, near = named && !strings.ContainsAny(word[len(word)-1:], ".,;)\"'`"), 0
				out.WriteString(r.hide(word))
			default:
				named = false
				if secretName(strings.Trim(bare, "-")) && !strings.Contains(bare, "/") {
					named, near = strings.HasSuffix(word, ":") || strings.HasSuffix(word, "="), 4
				} else if bare == "-u" || bare == "-p" || bare == "--user" {
					near = 1
				}
				out.WriteString(word)
			}
			out.WriteByte(' ')
		}
		out.WriteByte('\n')
	}
	return out.String()
}

const (
	connectors  = "is was are = := : == -> => equals reads"
	commonWords = `the a an in on from not missing required expired wrong invalid for read stored empty and or
		handled it we you i this that too only still now set always never checked passed given what where why used lost
		gone there unused added removed`
)

// secretWord reports whether a word may be a secret or contains a pair such as "password=x",
// "token: x" or "https://user@host/".
func secretWord(text string) bool {
	if secret.In(text) {
		return true
	}
	if _, url, ok := strings.Cut(text, "://"); ok && strings.Contains(strings.ReplaceAll(url, "/@", ""), "@") {
		return true
	}
	for _, m := range namedValue().FindAllStringSubmatch(text, -1) {
		// A URL or a variable is not itself the secret.
		if secretName(m[1]) && m[2] != "//" && (m[2][0] != '$' || m[2] == "$(") {
			return true
		}
	}
	return false
}

var namedValue = lazyregexp.New(`([A-Za-z0-9_][A-Za-z0-9_.-]*)["'\\ ]*[=:][=: "'\\]*([^=: "'\\][^ =:]?)`)

// otherNames matches harmless words that contain words such as "token" or "secret".
var otherNames = lazyregexp.New(`^(?:toke?ni[sz]\w*|secretar\w*|cookiecutter|sessions|authors?)$`)

// secretName reports whether name suggests a secret. A file name with a short extension, such as
// token.go, does not, unless the extension itself suggests a secret, as in server.key.
func secretName(name string) bool {
	name = strings.ToLower(name)
	ext := path.Ext(name)
	if otherNames().MatchString(name) || len(ext) > 1 && len(ext) <= 5 && ext != name && !secret.May(ext[1:]) {
		return false
	}
	return secret.May(name)
}

// unlikeWord reports whether a word starts with a quote or contains a digit, a symbol other than a
// hyphen or an apostrophe, or an uppercase letter after a lowercase one.
func unlikeWord(word string) bool {
	return oddWord().MatchString(strings.TrimRight(strings.TrimLeft(word, "("), ".,;:!?)"))
}

var oddWord = lazyregexp.New("^[\"'`]|[\\x00-&(-,.-@\\[-`{-\\x7f]|[a-z][A-Z]")

// homeDir matches a user's home directory at the start of a path.
var homeDir = lazyregexp.New(`(?i)((?:^|[^\pL\w.~/)}*\]-]|\B-\w|\\[nrt])/*)(?:/var|/export|/nfs|/mnt/c|/c|/System/Volumes/Data)?` +
	`/(?:home|users)/[^/\s"':]+|\b[a-z]:[\\/]+users[\\/]+[^\\/\s"':]+`)

// newRedactor returns the redactor for a session in directory dir, or in an unknown directory if
// dir is "".
func newRedactor(dir string) *redactor {
	r := &redactor{}
	if dir = strings.TrimRight(dir, `/\`); len(dir) > 3 {
		r.below = regexp.MustCompile(regexp.QuoteMeta(dir) + `(?:[/\\]+|$|\b)`)
		// Claude Code was observed to name a session's directory after the path of the working
		// directory.
		r.slug = strings.NewReplacer("/", "-", `\`, "-", ":", "-", ".", "-").Replace(dir)
	}
	return r
}

// paths removes the session's working directory from s and replaces home directories with "~".
func (r *redactor) paths(s string) string {
	if r.below != nil {
		s = r.below.ReplaceAllStringFunc(s, func(m string) string {
			if strings.HasSuffix(m, "/") || strings.HasSuffix(m, `\`) {
				return ""
			}
			return "."
		})
		s = strings.ReplaceAll(s, r.slug, "‹project›")
	}
	return homeDir().ReplaceAllString(s, "$1~")
}

// inertRules replace text that some host would expand or run. They also apply inside code, because
// Claude Code and opencode were observed to expand text there as well.
var inertRules = []struct {
	pattern     func() *regexp.Regexp
	replacement string
}{
	{lazyregexp.New("`"), "'"},
	{lazyregexp.New(`\$(?:\{(\w*)[^{}\n]*\}|(\w*))`), "‹$1$2›"},
	{lazyregexp.New(`‹›`), "‹…›"},
	{lazyregexp.New(`\{\{+`), "{"},
	{lazyregexp.New(`\}\}+`), "}"},
	{lazyregexp.New(`(^|\W)@+|@+(\{)`), "$1(at)$2"},
	{lazyregexp.New(`!\{`), "!("},
	{lazyregexp.New(`(^|\W)#(\pL)`), "$1# $2"},
	{lazyregexp.New(`<([\pL/!?])`), "< $1"},
	{lazyregexp.New(`\]\(`), "] ("},
	{lazyregexp.New(`---+`), "–"},
}

// inert modifies s so that it contains nothing that a host would expand or run.
func inert(s string) string {
	for _, r := range inertRules {
		s = r.pattern().ReplaceAllString(s, r.replacement)
	}
	return s
}

// visible removes invisible characters from s, because they could split a word such as "password",
// and replaces non-ASCII whitespace with spaces.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r) && r < utf8.RuneSelf:
			return r
		case unicode.IsSpace(r), r == '\u2028', r == '\u2029':
			return ' '
		case r == utf8.RuneError, !unicode.IsGraphic(r), unicode.In(r, unicode.Cf, unicode.Variation_Selector):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
}

// short returns s as one line of at most n characters. If it truncates s, it appends "…".
func short(s string, n int) string {
	s, isCut := strings.CutSuffix(chars.Truncate(s, n), "…")
	if !isCut {
		return s
	}
	// Do not truncate in the middle of a ‹mark›.
	if open := strings.LastIndex(s, "‹"); open > strings.LastIndex(s, "›") {
		s = s[:open]
	}
	return strings.TrimRight(s, " ,;:") + "…"
}

// token is a word, whitespace or an operator in a command.
type token struct {
	// written is the token as it appears in the command; text is the word without its quotes.
	written, text string
	word          bool
	// ends is set if the token is an operator that ends a simple command.
	ends bool
}

var tokenPattern = lazyregexp.New(`[ \t]+|\n[\n;|&() \t]*|[;|&()]+|[<>&]+|` +
	`(?:[^\s;|&()<>\\'"]|\\(?s:.)|'[^']*(?:'|$)|"(?:[^"\\]|\\(?s:.))*(?:"|$)|\\$)+`)

// tokens splits a command, keeping quoted text together. It is used only to
// display a command, never to decide what the command does.
func tokens(s string) []token {
	var list []token
	for _, w := range tokenPattern().FindAllString(s, -1) {
		switch {
		case strings.ContainsAny(w[:1], "\n;|&()"):
			list = append(list, token{written: w, ends: true})
		case strings.ContainsAny(w[:1], " \t<>"):
			list = append(list, token{written: w})
		default:
			list = append(list, token{written: w, text: unquoted().ReplaceAllString(w, "$1"), word: true})
		}
	}
	return list
}

var unquoted = lazyregexp.New(`\\((?s:.))|["']`)
