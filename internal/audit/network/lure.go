package network

import (
	"cmp"
	_ "embed"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/vadehq/vade/internal/audit/known"
	"github.com/vadehq/vade/internal/audit/signal"
)

// The bounds of the text around a URL, in bytes, and of the lures of a package.
const (
	nearText = 420
	wideText = 1100
	maxLures = 400
)

// Finish finds texts that say that a program must be installed first: the words around a
// URL, or around the name of an archive with a password.
func (x *Extractor) Finish(s *signal.Set) {
	l := lures{set: s, found: x.found}
	l.installers()
	for i := range s.Regions {
		r := &s.Regions[i]
		if l.count >= maxLures {
			s.Miss(r.File, signal.MissedTooMany, "more downloads than are judged")
			return
		}
		if !readable(r) {
			continue
		}
		for k := range x.found[i] {
			if u := &x.found[i][k]; !u.image && !u.defanged {
				l.around(i, u)
			}
		}
		l.unnamed(i)
	}
}

// installers marks programs from the network whose product nothing else in the package uses.
func (l *lures) installers() {
	for i := range l.set.Signals {
		s := &l.set.Signals[i]
		if (s.Kind != signal.Run && s.Kind != signal.Install) || !s.Has("unknown") && !s.Has("personal") {
			continue
		}
		if u := newURL(s.Object, 0, len(s.Object)); l.unused(&u, "") {
			s.Tags = append(slices.Clip(s.Tags), "unused")
		}
	}
}

// readable reports whether a reader of the definition reads a region as text.
func readable(r *signal.Region) bool {
	switch r.Medium {
	case signal.Prose, signal.Frontmatter, signal.Comment:
		return true
	case signal.CodeSpan:
		return r.Parent >= 0 || len(r.Text) > 8
	}
	return r.Medium == signal.Fence && (r.Lang == "" || r.Lang == "txt" || r.Lang == "md")
}

type lures struct {
	set   *signal.Set
	found map[int][]url
	count int
	// code is all code of the package in lowercase, once it was asked for.
	code string
}

// target is what is to be got.
func target(u *url) signal.Tag {
	name := u.route
	if i := strings.IndexAny(name, "?#"); i >= 0 {
		name = name[:i]
	}
	if a, ok := known.Forge(u.host, u.route); ok {
		switch a.What {
		case "releases":
			return "program"
		case "archive":
			return "archive"
		case "release":
			if t := targetOf(a.Name); t != "" {
				return t
			}
			return "program"
		}
	}
	for _, n := range [...]string{name, u.route, u.label} {
		if t := targetOf(n); t != "" && !strings.Contains(n, " ") {
			return t
		}
	}
	return "page"
}

func targetOf(name string) signal.Tag {
	switch strings.ToLower(strings.TrimPrefix(path.Ext(name), ".")) {
	case "zip", "rar", "7z", "tar", "tgz", "gz", "xz", "bz2", "zst", "cab", "iso", "img", "ace", "arj":
		return "archive"
	case "exe", "msi", "dmg", "pkg", "app", "scr", "apk", "deb", "rpm", "appimage", "bin", "run", "msix", "appx", "jar", "crx", "vsix", "dll", "command", "lnk", "hta",
		"sh", "ps1", "bat", "cmd", "vbs", "bash", "zsh", "scpt", "applescript", "reg":
		return "program"
	}
	return ""
}

// around judges the text around a URL.
func (l *lures) around(index int, u *url) {
	r := &l.set.Regions[index]
	what := target(u)
	if known.Private(u.host) || what == "page" && (r.Medium == signal.Frontmatter || r.Medium == signal.Fence || endpoint(u.route)) {
		return
	}
	near := l.window(index, u.from, u.to, nearText)
	wide := l.window(index, u.from, u.to, wideText)
	about, demand := wide, ""
	if what == "page" {
		demand = demands(near, u.text)
		about = cmp.Or(demand, wide)
	}
	tags, ok := l.tags(near, wide+"\n\n"+r.Heading, what, demand)
	if !ok {
		return
	}
	if a, isForge := known.Forge(u.host, u.route); isForge && a.What == "release" && untagged(a.Tag) {
		tags = append(tags, "untagged")
	}
	if l.unused(u, about) {
		tags = append(tags, "unused")
	}
	if l.several(index, u) {
		tags = append(tags, "several")
	}
	l.count++
	l.set.Add(signal.Lure, index, u.from, u.to, short(u.text), u.host, append(tags, u.tags...)...)
}

// unnamed judges archives and programs that are named without a URL, if a password is.
func (l *lures) unnamed(index int) {
	r := &l.set.Regions[index]
	if len(l.found[index]) > 0 || len(r.Text) > 8<<10 || r.Medium == signal.Fence {
		return
	}
	for word := range strings.FieldsSeq(r.Text) {
		name := strings.Trim(word, "`\"'*_()[],.;:")
		what := targetOf(name)
		if what == "" || len(name) > 80 {
			continue
		}
		at := strings.Index(r.Text, name)
		near := l.window(index, at, at+len(name), nearText)
		if password(near) == "" {
			continue
		}
		tags, ok := l.tags(near, l.window(index, at, at+len(name), wideText), what, "")
		if ok {
			l.count++
			l.set.Add(signal.Lure, index, at, at+len(name), name, name, append(tags, "computed")...)
		}
		return
	}
}

// endpoint reports whether a program rather than a reader opens a URL.
func endpoint(route string) bool {
	route, _, _ = strings.Cut(route, "?")
	for part := range strings.SplitSeq(route, "/") {
		switch part {
		case "mcp", "sse", "api", "graphql":
			return true
		}
	}
	return false
}

// demands returns the sentences that say that something must be installed and send the
// reader to a URL for it; "" if there are none.
func demands(text, url string) string {
	needs, sends := "", ""
	for _, s := range sentences(text) {
		is := classes(s)
		if is.has("must", "vain") {
			needs = s
		}
		if is.has("setup") && is.has("get") && strings.Contains(s, url) {
			sends = s
		}
	}
	if needs == "" || sends == "" {
		return ""
	}
	return needs + "\n" + sends
}

// sentences cuts a text into sentences and paragraphs.
func sentences(text string) []string {
	var list []string
	from := 0
	for i := range len(text) {
		rest := text[i:]
		for _, end := range [...]string{". ", ".\n", "! ", "? ", "\n\n", "\n-", "\n*", "\n|", "。", "！"} {
			if strings.HasPrefix(rest, end) {
				list = append(list, text[from:i+1])
				from = i + 1
				break
			}
		}
	}
	return append(list, text[from:])
}

// tags returns what the text around says, and whether it tells someone to get the program.
// What must be got from a page is said by a sentence of its own, the demand.
func (l *lures) tags(nearby, around string, what signal.Tag, demand string) ([]signal.Tag, bool) {
	near, wide := classes(nearby), classes(around)
	tags := []signal.Tag{what}
	add := func(is bool, tag signal.Tag) {
		if is {
			tags = append(tags, tag)
		}
	}
	terminal := near.has("terminal") && near.has("line") && near.has("paste", "run")
	needed := wide.has("must", "vain")
	if what == "page" {
		needed = demand != "" || needed && terminal
	}
	secret := what == "archive" && password(nearby) != "" || what == "program" && unlocks(nearby)
	add(needed, "must")
	add(wide.has("first"), "first")
	add(terminal, "terminal")
	add(wide.has("off") && wide.has("guard"), "guards-off")
	add(secret, "password")
	return tags, near.has("get", "run", "unpack") && (needed || secret || wide.has("first") || terminal)
}

// unlocks reports whether a sentence says with which password something is unpacked.
func unlocks(text string) bool {
	return slices.ContainsFunc(sentences(text), func(s string) bool {
		return password(s) != "" && classes(s).has("unpack")
	})
}

// window is the text of a region around a range, with its neighbors below the same
// heading, at most size bytes to each side.
func (l *lures) window(index, from, to, size int) string {
	r := &l.set.Regions[index]
	parts := []string{clip(r.Text, from, to, size)}
	before, behind := size-from, size-(len(r.Text)-to)
	for i := index - 1; i >= 0 && before > 0 && i > index-16; i-- {
		o := &l.set.Regions[i]
		if o.File != r.File || o.Heading != r.Heading {
			break
		}
		if apart(o, r) {
			parts = slices.Insert(parts, 0, clip(o.Text, len(o.Text), len(o.Text), before))
			before -= len(o.Text)
		}
	}
	for i := index + 1; i < len(l.set.Regions) && behind > 0 && i < index+16; i++ {
		o := &l.set.Regions[i]
		if o.File != r.File || o.Heading != r.Heading {
			break
		}
		if apart(o, r) {
			parts = append(parts, clip(o.Text, 0, 0, behind))
			behind -= len(o.Text)
		}
	}
	return strings.Join(parts, "\n\n")
}

// apart reports whether a region has text of its own beside another one: spans of code are
// parts of their paragraphs, and embedded regions repeat others.
func apart(o, r *signal.Region) bool {
	return !o.Fixed && !(o.Medium == signal.CodeSpan && !o.Overlaps(r.Place)) && !(o.Overlaps(r.Place) && o.Medium == signal.CodeSpan)
}

// clip cuts out a range with at most size bytes to each side.
func clip(text string, from, to, size int) string {
	return strings.ToValidUTF8(text[max(0, from-size):min(len(text), to+size)], "")
}

// several reports whether another program is to be got nearby, from another place.
func (l *lures) several(index int, u *url) bool {
	r := &l.set.Regions[index]
	for i := max(0, index-8); i < min(len(l.set.Regions), index+9); i++ {
		o := &l.set.Regions[i]
		if o.File != r.File || o.Heading != r.Heading || !readable(o) {
			continue
		}
		for k := range l.found[i] {
			other := &l.found[i][k]
			if known.Site(other.host) != known.Site(u.host) && (target(other) != "page" || other.is("drop")) && !other.is("registry") && !other.is("placeholder") && !other.is("private") {
				return true
			}
		}
	}
	return false
}

// unused reports whether no code of the package uses what a text says to install: none of
// the names in it is the word of a command or of code, other than in the text itself.
func (l *lures) unused(u *url, about string) bool {
	if l.code == "" {
		var b strings.Builder
		for i := range l.set.Regions {
			r := &l.set.Regions[i]
			if (r.Medium == signal.Fence && !readable(r) || r.Medium == signal.Code || r.Medium == signal.Value) && b.Len() < 1<<20 {
				b.WriteString(r.Text)
				b.WriteByte('\n')
			}
		}
		l.code = " " + strings.ToLower(b.String())
	}
	site := known.Site(u.host)
	for _, name := range products(u, about) {
		for at := strings.Index(l.code, name); at >= 0; {
			end := at + len(name)
			inHost := strings.HasPrefix(l.code[at:], site) && strings.HasPrefix(site, name+".")
			if !wordByte(l.code[at-1]) && (end >= len(l.code) || !wordByte(l.code[end])) && !inHost && !inURL(l.code[:at]) {
				return false
			}
			n := strings.Index(l.code[end:], name)
			if n < 0 {
				break
			}
			at = end + n
		}
	}
	return true
}

// inURL reports whether a text ends inside a URL.
func inURL(text string) bool {
	text = text[max(0, len(text)-60):]
	_, rest, found := strings.Cut(text[strings.LastIndexAny(text, " \n\"'")+1:], "://")
	return found && rest != "" || strings.HasSuffix(text, "://")
}

func wordByte(c byte) bool { return letter(c) || digit(c) || c == '_' }

// products are what a program may be called: the labels of its URL, and the names in the
// text around that do not look like words of a sentence.
func products(u *url, text string) []string {
	var names []string
	add := func(name string) {
		name = strings.ToLower(strings.Trim(name, "-._"))
		if len(name) >= 3 && len(name) <= 40 && !slices.Contains(names, name) && len(names) < 40 {
			names = append(names, name)
		}
	}
	site, _, _ := strings.Cut(known.Site(u.host), ".")
	if !u.is("forge") && !u.is("drop") && !u.is("shortener") {
		add(site)
	}
	if a, ok := known.Forge(u.host, u.route); ok {
		add(a.Repo)
	}
	for i, word := range strings.FieldsFunc(text, func(r rune) bool { return r <= ' ' || strings.ContainsRune(",;:()[]{}<>\"'!?|/", r) }) {
		bare := strings.Trim(word, "`*_.#")
		upper := strings.IndexFunc(strings.TrimLeft(bare, "`*_"), func(r rune) bool { return r >= 'A' && r <= 'Z' })
		if strings.HasPrefix(word, "`") || strings.HasPrefix(word, "**") || strings.Contains(bare, "-") || upper > 0 || upper == 0 && i > 0 {
			add(bare)
		}
	}
	return names
}

// untagged reports whether the name of a release does not say which one it is.
func untagged(tag string) bool {
	if strings.ContainsAny(tag, "0123456789{}$<") {
		return false
	}
	switch strings.ToLower(tag) {
	case "nightly", "stable", "continuous", "tip", "canary", "beta", "alpha", "edge", "dev", "preview", "rolling", "snapshot", "next", "unstable", "weekly", "daily", "head":
		return false
	}
	return true
}

// password returns the password that a text tells a reader; "" if there is none. A word
// alone, as in "password protected", is not one.
func password(text string) string {
	low := strings.ToLower(text)
	for _, word := range [...]string{"password", "passwd", "passcode", "passphrase", "passwort", "kennwort", "pass:", "pwd", "contraseña", "clave", "mot de passe", "senha", "пароль", "密码", "密碼", "解压码", "口令", "提取码", "パスワード", "비밀번호", "암호"} {
		for at := strings.Index(low, word); at >= 0; {
			rest := low[at+len(word):]
			if strings.HasSuffix(word, ":") {
				rest = ":" + rest
			}
			if v := said(rest); v != "" {
				return v
			}
			n := strings.Index(rest, word)
			if n < 0 {
				break
			}
			at += len(word) + n
		}
	}
	return ""
}

// said reads the value behind the word for a password: ": x", " is x", " `x`", " (x)".
func said(rest string) string {
	rest = rest[:min(len(rest), 60)]
	trimmed := strings.TrimLeft(rest, " *_")
	marked := false
	for _, mark := range [...]string{":", "=", "：", "is ", "ist ", "es ", "est ", "é ", "是", "为", "`", "\"", "“", "("} {
		if r, ok := strings.CutPrefix(trimmed, mark); ok {
			trimmed, marked = r, true
			break
		}
	}
	if !marked {
		return ""
	}
	trimmed = strings.TrimLeft(trimmed, " *_`\"“'(:")
	end := strings.IndexAny(trimmed, " `\"”'),.;\n*<")
	if end < 0 {
		end = len(trimmed)
	}
	value := trimmed[:end]
	switch {
	case value == "", len(value) > 32, strings.ContainsAny(value, "${["), strings.HasPrefix(value, "your"):
		return ""
	}
	switch value {
	case "required", "protected", "needed", "not", "the", "a", "an", "optional", "string", "str", "set", "stored", "hashed", "none", "null", "true", "false", "incorrect", "wrong", "in", "for", "of", "to":
		return ""
	}
	return value
}

//go:embed words.txt
var wordsText string

// lexicon has the classes of words, of the beginnings of words, and of texts anywhere.
type lexicon struct {
	whole, stems map[string][]string
	inside       [][2]string
}

var words = sync.OnceValue(func() *lexicon {
	l := &lexicon{whole: map[string][]string{}, stems: map[string][]string{}}
	for line := range strings.Lines(wordsText) {
		fields := strings.Fields(line)
		if len(fields) < 2 || fields[0] == "#" {
			continue
		}
		for _, w := range fields[1:] {
			stem, isStem := strings.CutSuffix(w, "-")
			switch {
			case isStem:
				l.stems[stem] = append(l.stems[stem], fields[0])
			case strings.Contains(w, "_") || unspaced(w):
				l.inside = append(l.inside, [2]string{fields[0], strings.ReplaceAll(w, "_", " ")})
			default:
				l.whole[w] = append(l.whole[w], fields[0])
			}
		}
	}
	return l
})

// unspaced reports whether a word is of a script without spaces between words.
func unspaced(word string) bool {
	return strings.IndexFunc(word, func(r rune) bool { return r >= 0x2e80 }) >= 0
}

// classSet are the classes of a text.
type classSet map[string]bool

// has reports whether a text is of one of some classes.
func (c classSet) has(list ...string) bool {
	return slices.ContainsFunc(list, func(class string) bool { return c[class] })
}

// classes says what a text is about.
func classes(text string) classSet {
	l := words()
	low := strings.ToLower(text)
	is := classSet{}
	mark := func(list []string) {
		for _, class := range list {
			is[class] = true
		}
	}
	for _, word := range strings.FieldsFunc(low, func(r rune) bool { return r < 0x80 && !letter(byte(r)) && !digit(byte(r)) && r != '-' && r != '\'' }) {
		mark(l.whole[word])
		if head, _, ok := strings.Cut(word, "-"); ok {
			mark(l.whole[head])
		}
		for n := min(len(word), 28); n > 1; n-- {
			mark(l.stems[word[:n]])
		}
	}
	for _, x := range l.inside {
		if !is[x[0]] && strings.Contains(low, x[1]) {
			is[x[0]] = true
		}
	}
	return is
}
