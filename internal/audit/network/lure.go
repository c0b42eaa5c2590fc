package network

import (
	"cmp"
	_ "embed"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/vadehq/vade/internal/audit/known"
	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/lazyregexp"
)

// Limits: bytes of text examined around a URL, bytes of code in a package, and number of lures.
const (
	nearText = 420
	wideText = 1100
	maxLures = 200
	maxCode  = 256 << 10
)

// Finish looks at the words around each URL for text that tells the reader to install a program
// first.
func (x *Extractor) Finish(s *signal.Set) {
	x.set = s
	x.strangers()
	count := 0
	for i := range s.Regions {
		r := &s.Regions[i]
		if !readable(r) {
			continue
		}
		for k := range x.found[i] {
			if u := &x.found[i][k]; u.image || u.defanged || !x.around(i, u) {
				continue
			}
			if count++; count > maxLures {
				s.Miss(r.File, signal.MissedTooMany, "too many downloads to check")
				return
			}
		}
	}
}

// strangers marks downloaded programs and upload destinations whose product
// name does not occur elsewhere in the package.
func (x *Extractor) strangers() {
	unused, programs := map[string]bool{}, map[string]bool{}
	for i := range x.set.Signals {
		if s := &x.set.Signals[i]; s.Kind == signal.Program {
			programs[s.Object] = true
		}
	}
	for i := range x.set.Signals {
		s := &x.set.Signals[i]
		if s.Kind != signal.Run && s.Kind != signal.Install && s.Kind != signal.Send {
			continue
		}
		if !s.Has("unknown") && !s.Has("personal") {
			continue
		}
		u := newURL(s.Object, 0, len(s.Object))
		if _, ok := unused[u.host]; !ok && len(unused) < maxLures {
			unused[u.host] = x.unused(&u, "") && !startsWith(known.Site(u.host), programs)
		}
		if unused[u.host] {
			s.Tags = append(slices.Clip(s.Tags), "unused")
		}
	}
}

// startsWith reports whether a host starts with the name of a program. For
// example, chartsapp.dev starts with the program charts.
func startsWith(host string, programs map[string]bool) bool {
	for n := 5; n < len(host); n++ {
		if programs[host[:n]] {
			return true
		}
	}
	return false
}

// readable reports whether a reader of the definition sees the region as text.
func readable(r *signal.Region) bool {
	switch r.Medium {
	case signal.Prose, signal.Frontmatter, signal.Comment, signal.CodeSpan:
		return true
	}
	return r.Medium == signal.Fence && (r.Lang == "" || r.Lang == "txt" || r.Lang == "md")
}

// target returns the tag for what the text tells the reader to download or
// open: a program, an archive or a page.
func target(u *url) signal.Tag {
	if a, ok := known.Forge(u.host, u.route); ok {
		switch a.What {
		case "releases":
			return "program"
		case "archive":
			return "archive"
		case "release":
			return cmp.Or(targetOf(a.Name), "program")
		}
	}
	name, _, _ := strings.Cut(u.route, "?")
	name, _, _ = strings.Cut(name, "#")
	return cmp.Or(targetOf(name), targetOf(u.route), targetOf(u.label), "page")
}

func targetOf(name string) signal.Tag {
	ending := strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
	if ending == "" {
		return ""
	}
	for _, class := range [...]string{"archive", "program"} {
		if names()[class][ending] && !strings.Contains(name, " ") {
			return signal.Tag(class)
		}
	}
	return ""
}

// around looks for a lure in the text around a URL, adds a signal for it, and
// reports whether it found one.
func (x *Extractor) around(index int, u *url) bool {
	r := &x.set.Regions[index]
	what := target(u)
	page := what == "page"
	data := r.Medium == signal.Frontmatter || r.Medium == signal.Fence || endpoint(u.route)
	if known.Private(u.host) || page && data {
		return false
	}
	near := x.window(index, u.from, u.to, nearText)
	is := classes(near)
	if !is.has("get", "run", "unpack") {
		return false
	}
	wide := x.window(index, u.from, u.to, wideText)
	demand := ""
	if page {
		demand = demands(near, u.text)
	}
	tags, ok := said(near, is, classes(wide+"\n\n"+r.Heading), what, demand)
	if !ok {
		return false
	}
	a, _ := known.Forge(u.host, u.route)
	named := names()["moving"][strings.ToLower(a.Tag)] || strings.ContainsAny(a.Tag, "0123456789{}$<")
	if a.What == "release" && !named {
		tags = append(tags, "untagged")
	}
	if x.unused(u, cmp.Or(demand, wide)) {
		tags = append(tags, "unused")
	}
	x.set.Add(signal.Lure, index, u.from, u.to, short(u.text), u.host, append(tags, u.tags...)...)
	return true
}

// endpoint reports whether a URL is opened by a program rather than a reader.
func endpoint(route string) bool {
	route, _, _ = strings.Cut(route, "?")
	for part := range strings.SplitSeq(route, "/") {
		if names()["endpoint"][part] {
			return true
		}
	}
	return false
}

// demands returns the sentences that call something required and send the
// reader to a URL to install it, or "".
func demands(text, url string) string {
	list := slices.Backward(sentences(text))
	for _, sends := range list {
		if !strings.Contains(sends, url) {
			continue
		}
		if is := classes(sends); !is.has("setup") || !is.has("get") {
			continue
		}
		for _, needs := range list {
			if classes(needs).has("must", "vain") {
				return needs + "\n" + sends
			}
		}
		return ""
	}
	return ""
}

// sentences splits text into sentences, list items and paragraphs.
func sentences(text string) []string {
	var list []string
	from := 0
	for at := 0; at < len(text); {
		c, n := utf8.DecodeRuneInString(text[at:])
		at += n
		after := ""
		switch c {
		case '.', '!', '?':
			after = " \t\n\f\r"
		case '\n':
			after = "\n-*|"
		case '。', '！', '？':
		default:
			continue
		}
		if after != "" {
			if at == len(text) || strings.IndexByte(after, text[at]) < 0 {
				continue
			}
			at++
		}
		list = append(list, text[from:at])
		from = at
	}
	return append(list, text[from:])
}

// said returns a lure's tags, and whether the surrounding text tells the reader to install the
// program. near and wide are the word classes in the text nearby and in a wider range. For a page,
// a separate sentence (demand) must tell the reader to install it.
func said(nearby string, near, wide classSet, what signal.Tag, demand string) ([]signal.Tag, bool) {
	terminal := near.has("terminal") && near.has("line") && near.has("paste", "run")
	must := wide.has("must", "vain")
	if what == "page" {
		must = demand != "" || must && terminal
	}
	locked := what == "archive" && password(nearby)
	tags := []signal.Tag{what}
	for _, x := range []struct {
		tag signal.Tag
		is  bool
	}{
		{"must", must},
		{"first", wide.has("first")},
		{"terminal", terminal},
		{"guards-off", wide.has("off") && wide.has("guard")},
		{"password", locked},
	} {
		if x.is {
			tags = append(tags, x.tag)
		}
	}
	return tags, must || locked || terminal || wide.has("first")
}

// password reports whether text gives the reader a password. The word alone, as
// in "password protected", is not enough.
func password(text string) bool {
	for _, match := range passwordIs().FindAllStringSubmatch(text, -1) {
		value := strings.ToLower(match[1])
		if !names()["nothing"][value] && !strings.ContainsAny(value, "${[") && !strings.HasPrefix(value, "your") {
			return true
		}
	}
	return false
}

var passwordIs = lazyregexp.New("(?i)(?:password|passwd|passcode|passphrase|passwort|kennwort|\\bpass|pwd" +
	"|contraseña|clave|mot de passe|senha|пароль|密码|密碼|解压码|口令|提取码" +
	"|パスワード|비밀번호|암호)[ *_]*" +
	"(?:[:=：是为`\"“(]|is |ist |es |est |é )[ *_`\"“'(:]*([^\\s`\"”'),.;*<]{1,32})")

// window returns the text around a range in a region, including neighboring
// regions under the same heading. It returns up to size bytes on each side.
func (x *Extractor) window(index, from, to, size int) string {
	r := &x.set.Regions[index]
	text := clip(r.Text, from-size, to+size)
	for i, left := index-1, size-from; i >= 0 && i > index-16 && left > 0; i-- {
		o := &x.set.Regions[i]
		if o.File != r.File || o.Heading != r.Heading {
			break
		}
		if apart(o, r) {
			text = clip(o.Text, len(o.Text)-left, len(o.Text)) + "\n\n" + text
			left -= len(o.Text)
		}
	}
	last := min(len(x.set.Regions), index+16)
	for i, left := index+1, size-(len(r.Text)-to); i < last && left > 0; i++ {
		o := &x.set.Regions[i]
		if o.File != r.File || o.Heading != r.Heading {
			break
		}
		if apart(o, r) {
			text += "\n\n" + clip(o.Text, 0, left)
			left -= len(o.Text)
		}
	}
	return text
}

// apart reports whether a region's text is not part of another region's text. Code spans are part
// of their paragraphs, and embedded regions repeat other text.
func apart(o, r *signal.Region) bool { return !o.Fixed && o.Medium != signal.CodeSpan }

// clip returns part of text.
func clip(text string, from, to int) string {
	return strings.ToValidUTF8(text[min(max(0, from), len(text)):min(len(text), to)], "")
}

// unused reports whether the package's code does not use the product to be
// installed: no name in the text occurs in a command, or in code outside URLs.
func (x *Extractor) unused(u *url, about string) bool {
	if x.code == "" {
		var b strings.Builder
		for i := range x.set.Regions {
			r := &x.set.Regions[i]
			code := r.Medium == signal.Code || r.Medium == signal.Value || r.Medium == signal.Fence
			if code && !readable(r) && b.Len() < maxCode {
				b.WriteString(r.Text + "\n")
			}
		}
		x.code = " " + strings.ToLower(b.String()) + " "
	}
	site := known.Site(u.host)
	for _, name := range products(u, about) {
		if uses(x.code, name, site) {
			return false
		}
	}
	return true
}

// uses reports whether code contains name as a word outside URLs and hosts.
func uses(code, name, site string) bool {
	for at := 0; ; at++ {
		n := strings.Index(code[at:], name)
		if n < 0 {
			return false
		}
		at += n
		host := strings.HasPrefix(site, name+".") && strings.HasPrefix(code[at:], site)
		if !host && !wordByte(code[at-1]) && !wordByte(code[at+len(name)]) && !inURL(code[:at]) {
			return true
		}
	}
}

// inURL reports whether text ends inside a URL.
func inURL(text string) bool {
	text = text[max(0, len(text)-60):]
	return strings.Contains(text[strings.LastIndexAny(text, " \n\"'")+1:], "://")
}

// products returns the names that a program may have: the labels in its URL,
// and names in the surrounding text that do not look like ordinary words.
func products(u *url, text string) []string {
	var list []string
	add := func(name string) {
		name = strings.ToLower(strings.Trim(name, "-._"))
		if len(name) >= 3 && len(name) <= 40 && !slices.Contains(list, name) && len(list) < 40 {
			list = append(list, name)
		}
	}
	if !u.is("forge", "drop", "shortener") {
		site, _, _ := strings.Cut(known.Site(u.host), ".")
		add(site)
	}
	if a, ok := known.Forge(u.host, u.route); ok {
		add(a.Repo)
	}
	between := func(r rune) bool { return r <= ' ' || strings.ContainsRune(",;:()[]{}<>\"'!?|/", r) }
	for i, word := range strings.FieldsFunc(text, between) {
		bare := strings.Trim(word, "`*_.#")
		marked := strings.HasPrefix(word, "`") || strings.HasPrefix(word, "**") || strings.Contains(bare, "-")
		upper := strings.IndexFunc(bare, func(r rune) bool { return r >= 'A' && r <= 'Z' })
		if marked || upper > 0 || upper == 0 && i > 0 {
			add(bare)
		}
	}
	return list
}

//go:embed words.txt
var wordsText string

// lexicon holds classes of words, prefixes and phrases, including words from
// scripts without spaces.
type lexicon struct {
	whole, stems      map[string][]string
	phrases, unspaced [][2]string
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
			case strings.ContainsFunc(w, isUnspaced):
				l.unspaced = append(l.unspaced, [2]string{fields[0], strings.ReplaceAll(w, "_", " ")})
			case strings.Contains(w, "_"):
				l.phrases = append(l.phrases, [2]string{fields[0], strings.ReplaceAll(w, "_", " ")})
			default:
				l.whole[w] = append(l.whole[w], fields[0])
			}
		}
	}
	return l
})

// isUnspaced reports whether a letter belongs to a script that does not separate words with spaces.
func isUnspaced(r rune) bool { return r >= 0x2e80 }

// classSet is a set of word classes.
type classSet map[string]bool

// has reports whether the set contains any class in list.
func (c classSet) has(list ...string) bool {
	return slices.ContainsFunc(list, func(class string) bool { return c[class] })
}

// classes returns the classes of the words in text.
func classes(text string) classSet {
	l := words()
	low := strings.ToLower(text)
	is := classSet{}
	mark := func(list []string) {
		for _, class := range list {
			is[class] = true
		}
	}
	between := func(r rune) bool { return r < 0x80 && r != '\'' && (r == '.' || !hostByte(byte(r))) }
	for word := range strings.FieldsFuncSeq(low, between) {
		mark(l.whole[word])
		if head, _, ok := strings.Cut(word, "-"); ok {
			mark(l.whole[head])
		}
		for n := min(len(word), 28); n > 1; n-- {
			mark(l.stems[word[:n]])
		}
	}
	inside := func(list [][2]string) {
		for _, x := range list {
			if strings.Contains(low, x[1]) {
				is[x[0]] = true
			}
		}
	}
	inside(l.phrases)
	if strings.ContainsFunc(low, isUnspaced) {
		inside(l.unspaced)
	}
	return is
}
