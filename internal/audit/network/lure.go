package network

import (
	_ "embed"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/vadehq/vade/internal/audit/known"
	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/lazyregexp"
)

// Limits on the search for lures, which are texts that tell the reader to install a program first:
// the number of bytes of text examined on each side of a URL, the number of lures per package, and
// the number of bytes of code per package.
const (
	nearText = 420
	maxLures = 200
	maxCode  = 256 << 10
)

// Finish examines the text around each URL. If the text tells the reader to install a program
// first, Finish adds a signal.
func (x *Extractor) Finish(s *signal.Set) {
	x.set = s
	x.markUnmentioned()
	count := 0
	for i := range s.Regions {
		r := &s.Regions[i]
		if !readable(r) {
			continue
		}
		for k := range x.found[i] {
			if u := &x.found[i][k]; u.image || u.defanged || !x.findLure(i, u) {
				continue
			}
			if count++; count > maxLures {
				s.Miss(r.File, signal.MissedTooMany, "too many downloads to check")
				return
			}
		}
	}
}

// markUnmentioned marks program downloads and uploads whose URL belongs to a product that the rest
// of the package never mentions.
func (x *Extractor) markUnmentioned() {
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
			unused[u.host] = x.unusedByCode(&u, "")
			for program := range programs {
				// A program may belong to a site that is named after it, as charts belongs to
				// chartsapp.dev.
				if len(program) > 4 && strings.HasPrefix(known.Site(u.host), program) {
					unused[u.host] = false
				}
			}
		}
		if unused[u.host] {
			s.Tags = append(slices.Clip(s.Tags), "unused")
		}
	}
}

// readable reports whether a person who reads the definition sees the region's text.
func readable(r *signal.Region) bool {
	switch r.Medium {
	case signal.Prose, signal.Frontmatter, signal.Comment, signal.CodeSpan:
		return true
	}
	return r.Medium == signal.Fence && (r.Lang == "" || r.Lang == "txt" || r.Lang == "md")
}

// target returns a tag for what the reader downloads or opens by following a URL: a program, an
// archive or a page.
func target(u *url) signal.Tag {
	name, _, _ := strings.Cut(u.path, "?")
	name, _, _ = strings.Cut(name, "#")
	ending := strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
	a, _ := known.Forge(u.host, u.path)
	switch {
	case names()["archive"][ending], a.Kind == "archive":
		return "archive"
	case names()["program"][ending], a.Kind == "release", a.Kind == "releases":
		return "program"
	}
	return "page"
}

// findLure checks whether the text around a URL is a lure. If so, it adds a signal and returns
// true.
func (x *Extractor) findLure(index int, u *url) bool {
	r := &x.set.Regions[index]
	what := target(u)
	page := what == "page"
	data := r.Medium == signal.Frontmatter || r.Medium == signal.Fence || isEndpoint(u.path)
	if known.Private(u.host) || page && data {
		return false
	}
	about := x.window(index, u)
	is := classes(about)
	if !is.has("get", "run", "unpack") {
		return false
	}
	tags := []signal.Tag{what}
	tag := func(t signal.Tag, add bool) bool {
		if add {
			tags = append(tags, t)
		}
		return add
	}
	terminal := is.has("terminal") && is.has("line") && is.has("paste", "run")
	must := is.has("must", "vain")
	if page && must {
		demand, sends := requirementText(about, u.text)
		if must = sends || terminal; sends {
			about = demand
		}
	}
	tag("must", must)
	first := tag("first", is.has("first"))
	tag("terminal", terminal)
	locked := tag("password", what == "archive" && givesPassword(about))
	if !must && !first && !terminal && !locked {
		return false
	}
	a, _ := known.Forge(u.host, u.path)
	named := names()["moving"][strings.ToLower(a.Tag)] || strings.ContainsAny(a.Tag, "0123456789{}$<")
	tag("untagged", a.Kind == "release" && !named)
	tag("unused", x.unusedByCode(u, about))
	x.set.Add(signal.Lure, index, u.from, u.to, shortURL(u.text), u.host, append(tags, u.tags...)...)
	return true
}

// isEndpoint reports whether a URL with the given path is meant for programs rather than for
// readers.
func isEndpoint(route string) bool {
	route, _, _ = strings.Cut(route, "?")
	return slices.ContainsFunc(strings.Split(route, "/"), func(part string) bool { return names()["endpoint"][part] })
}

// requirementText returns the sentences in text that contain the URL or say that something is
// required. sends reports whether any of them tells the reader to install something from the URL.
func requirementText(text, url string) (sentences string, sends bool) {
	for _, sentence := range sentenceEnd().Split(text, -1) {
		is, named := classes(sentence), strings.Contains(sentence, url)
		sends = sends || named && is.has("setup") && is.has("get")
		if named || is.has("must", "vain") {
			sentences += sentence + "\n"
		}
	}
	return sentences, sends
}

// sentenceEnd matches the end of a sentence, list item, table row or paragraph.
var sentenceEnd = lazyregexp.New("[.!?]\\s|\\n[\\n*|-]|[。！？]")

// givesPassword reports whether text gives the reader a password. The word alone, as
// in "password protected", is not enough.
func givesPassword(text string) bool {
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

// window returns the text near a URL. It includes only text in the same section.
func (x *Extractor) window(index int, u *url) string {
	all := x.set.Regions
	r := &all[index]
	if r.Fixed {
		// The file does not contain the region's text literally.
		return clip(r.Text, u.from-nearText, u.to+nearText)
	}
	at := r.At(u.from, u.to).Span
	start, end := at.Start, at.End
	same := func(i int) bool { return all[i].File == r.File && all[i].Heading == r.Heading }
	for i := index; i >= 0 && same(i) && start > at.Start-nearText; i-- {
		// The region of a code span follows the region of its paragraph, so include earlier
		// regions.
		start, end = min(start, all[i].Span.Start), max(end, all[i].Span.End)
	}
	for i := index; i < len(all) && same(i) && end < at.End+nearText; i++ {
		end = max(end, all[i].Span.End)
	}
	return clip(x.set.Package.Files[r.File].Text, max(start, at.Start-nearText), min(end, at.End+nearText))
}

func clip(text string, from, to int) string {
	return strings.ToValidUTF8(text[min(max(0, from), len(text)):min(len(text), to)], "")
}

// unusedByCode reports whether the package's code does not use the product that the reader is told
// to install. The code is assumed to use the product if it contains one of the product's possible
// names outside of URLs.
func (x *Extractor) unusedByCode(u *url, about string) bool {
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
	for _, name := range productNames(u, about) {
		if mentionsName(x.code, name, site) {
			return false
		}
	}
	return true
}

// mentionsName reports whether code contains name as a word, outside of URLs and host names.
func mentionsName(code, name, site string) bool {
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

// productNames returns the possible names of a program. These are the site and the repository in
// its URL, and those names in the surrounding text that are not ordinary words.
func productNames(u *url, text string) []string {
	var list []string
	add := func(name string) {
		name = strings.ToLower(strings.Trim(name, "-._"))
		if len(name) >= 3 && len(name) <= 40 && !slices.Contains(list, name) && len(list) < 40 {
			list = append(list, name)
		}
	}
	if !u.hasTag("forge", "drop", "shortener") {
		site, _, _ := strings.Cut(known.Site(u.host), ".")
		add(site)
	}
	if a, ok := known.Forge(u.host, u.path); ok {
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

// lexicon holds whole words, word stems and phrases, along with their classes. In a script without
// spaces between words, even a single word is stored as a phrase.
type lexicon struct {
	whole, stems map[string][]string
	phrases      [][2]string
}

var words = sync.OnceValue(func() *lexicon {
	l := &lexicon{whole: map[string][]string{}, stems: map[string][]string{}}
	for class, list := range known.ReadWords(wordsText) {
		for w := range list {
			if stem, ok := strings.CutSuffix(w, "-"); ok {
				l.stems[stem] = append(l.stems[stem], class)
			} else if strings.ContainsFunc(w, func(r rune) bool { return r == '_' || r >= 0x2e80 }) {
				l.phrases = append(l.phrases, [2]string{class, strings.ReplaceAll(w, "_", " ")})
			} else {
				l.whole[w] = append(l.whole[w], class)
			}
		}
	}
	return l
})

// classSet is a set of word classes.
type classSet map[string]bool

// has reports whether the set contains any of the given classes.
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
		for n := min(len(word), 28); n > 1; n-- {
			mark(l.stems[word[:n]])
		}
	}
	for _, x := range l.phrases {
		if strings.Contains(low, x[1]) {
			is[x[0]] = true
		}
	}
	return is
}
