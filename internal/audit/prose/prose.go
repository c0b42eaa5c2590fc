// Package prose reads a definition's text as natural language. It splits the text into sentences,
// determines their topics, and decides whether each sentence gives an order, forbids something,
// quotes something or is an example. From this, it sets the intent of each region, finds the
// companion files that the definition refers to, and adds signals for sentences that tell the model
// to do something.
//
// The words are in data files (words/*.txt), and so are the topics (topics.txt), which combine word
// classes. A small statistical model, trained by bench/audit/train, also scores each sentence,
// because the topics do not cover every harmful wording.
package prose

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/lazyregexp"
)

// Extractor implements [signal.Extractor] for prose. It must run first, because the other
// extractors depend on the intents that it sets.
type Extractor struct {
	done int
	read *reader
	// bytes is the number of bytes of the package's text read so far.
	bytes int
}

// New returns an extractor for one package.
func New() *Extractor { return &Extractor{read: newReader()} }

// Region processes a region. The first call processes every region that exists so far, because a
// file's reach depends on what the other files say. Later calls process embedded regions.
func (e *Extractor) Region(s *signal.Set, index int) {
	if index < e.done {
		return
	}
	var found []signal.Signal
	for e.done < len(s.Regions) {
		from := e.done
		first := &s.Regions[from]
		for e.done < len(s.Regions) && s.Regions[e.done].File == first.File && s.Regions[e.done].Depth == first.Depth {
			e.done++
		}
		if e.bytes < maxPackage {
			found = append(found, e.file(s, from, e.done)...)
		} else {
			s.Miss(first.File, signal.MissedTooMany, "too much text to analyze")
		}
	}
	if index == 0 {
		markReferenced(s)
	}
	for _, x := range found {
		x.Reach = s.Regions[x.Unit].Reach
		// Many licenses contain words such as "permission" that resemble instructions. Ignore a
		// license unless the definition refers to it, and even then keep only the sentences that
		// strongly resemble an attack.
		legal := s.Package.Files[x.File].Role == signal.Legal
		if !legal || x.Reach == signal.Referenced && x.Has("very-likely") {
			s.AddAt(x)
		}
	}
}

// Finish does nothing: Region adds all signals.
func (e *Extractor) Finish(*signal.Set) {}

// The maximum number of bytes that are split into sentences, per region and per package. A file is
// read to the end even if the package reaches its limit in it, but no further files are read.
const (
	maxText    = 2 << 20
	maxPackage = 2 << 20
)

// file reads the regions in one file and returns the signals for their sentences.
func (e *Extractor) file(s *signal.Set, from, to int) []signal.Signal {
	d := document{set: s, reader: e.read, first: from, regions: s.Regions[from:to]}
	file := s.Package.Files[d.regions[0].File]
	lang, _ := languageOf(file.Text[:min(len(file.Text), 4<<10)])
	langs := make([]string, len(d.regions))
	for k := range d.regions {
		r := &d.regions[k]
		text, lines := readerText(r)
		if len(text) > maxText {
			s.Miss(r.File, signal.MissedTooLarge, "only the beginning was analyzed as prose")
			text = text[:maxText]
		}
		e.bytes += len(text)
		langs[k] = languageFor(text, lang)
		d.sentences = append(d.sentences, e.read.sentences(text, langs[k], lines))
	}
	d.intents()
	if d.regions[0].Depth == 0 && (file.Role == signal.Main || file.Role == signal.Document) {
		d.recordUnknownLanguages(file, langs)
	}
	return d.statements()
}

// languageFor returns the language of text. If text is too short to tell, it returns other, the
// language of the surrounding text.
func languageFor(text, other string) string {
	if lang, hits := languageOf(text); hits >= 2 {
		return lang
	}
	return other
}

// readerText returns the text in a region that is written for readers: all of it in prose and in
// blocks of text or data, but only the comments in a block of code. It returns "" for any other
// region: the comments and strings in script and data files are regions of their own, and a code
// span is part of its paragraph. lines reports whether line breaks end sentences.
func readerText(r *signal.Region) (text string, lines bool) {
	switch r.Medium {
	case signal.Prose, signal.Frontmatter:
		if spanned().MatchString(r.Text) {
			return strings.ReplaceAll(r.Text, "`", " "), false
		}
		return withoutTags(r.Text), false
	case signal.Comment:
		return r.Text, true
	case signal.Fence:
		switch {
		case signal.IsCode(r.Lang):
			return comments(r.Text), true
		case slices.Contains([]string{"", "txt", "md", "json", "yaml", "toml", "ini", "diff", "mermaid"}, r.Lang):
			return r.Text, true
		}
	}
	return "", true
}

// spanned matches text that consists of a single sentence in a code span.
var spanned = lazyregexp.New("^\\s*`[A-Z](?:[\\pL',/.~-]+ ){5,}[\\pL',/.~-]+[.!]?`\\s*$")

// element matches an HTML tag. inlineElement matches a tag that does not end a sentence.
// readableAttribute matches an attribute whose value a model reads as text. linkTitle matches a
// link's title.
var (
	element = lazyregexp.New(`</?(?i:a|abbr|address|article|aside|b|blockquote|body|br|button|caption|code|dd|del|desc|` +
		`details|div|dl|dt|em|figcaption|figure|font|footer|form|g|h[1-6]|head|header|hr|html|i|img|input|ins|kbd|label|` +
		`legend|li|main|mark|meta|nav|ol|option|p|path|pre|q|rect|s|section|select|small|span|strong|sub|summary|sup|svg|` +
		`table|tbody|td|text|tfoot|th|thead|title|tr|tspan|u|ul|video)(?:[\s/][^<>]*)?>`)
	inlineElement     = lazyregexp.New(`^</?(?i:a|abbr|b|code|del|em|font|i|ins|kbd|mark|q|s|small|span|strong|sub|sup|u)[\s/>]`)
	readableAttribute = lazyregexp.New(`\s(?i:alt|title|content|placeholder|aria-label|value|data-[\w-]+)\s*=\s*(?:"([^"]{20,})"|'([^']{20,})')`)
	linkTitle         = lazyregexp.New(`\]\([^()\s"']*(\s+["'])[^"'\n]{20,}(["']\))`)
)

// withoutTags replaces HTML tags with spaces, or with blank lines if they separate sentences. It
// turns attribute values and link titles that a model reads into separate sentences. The result has
// the same length as text, so that offsets remain valid.
func withoutTags(text string) string {
	tags := strings.Contains(text, "<") && strings.Contains(text, ">")
	titles := strings.Contains(text, "](")
	if !tags && !titles {
		return text
	}
	var b []byte
	blank := func(from, to int, separates bool) {
		if b == nil {
			b = []byte(text)
		}
		for i := from; i < to; i++ {
			b[i] = ' '
			if separates && i < from+2 {
				b[i] = '\n'
			}
		}
	}
	if tags {
		for _, at := range element().FindAllStringIndex(text, -1) {
			tag := text[at[0]:at[1]]
			next := at[0]
			for _, value := range readableAttribute().FindAllStringSubmatchIndex(tag, -1) {
				from, to := max(value[2], value[4]), max(value[3], value[5])
				blank(next, at[0]+from, true)
				next = at[0] + to
			}
			blank(next, at[1], !inlineElement().MatchString(tag))
		}
	}
	if titles {
		for _, at := range linkTitle().FindAllStringSubmatchIndex(text, -1) {
			blank(at[2], at[3], true)
			blank(at[4], at[5], true)
		}
	}
	if b == nil {
		return text
	}
	return string(b)
}

// comments replaces everything except comment lines with spaces, so that offsets remain valid.
func comments(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if _, ok := commentLine(line); !ok {
			code := strings.TrimSuffix(line, "\n")
			line = strings.Repeat(" ", len(code)) + line[len(code):]
		}
		b.WriteString(line)
	}
	return b.String()
}

// recordUnknownLanguages records that a file contains text in languages that no lexicon covers. It
// ignores short texts, such as a quoted word.
func (d *document) recordUnknownLanguages(file *signal.File, langs []string) {
	const least = 200
	at := d.regions[0].File
	if script, n := unknownScript(file.Text[:min(len(file.Text), maxText)]); n > least {
		d.set.Miss(at, signal.MissedLanguage, "text in "+script+" script")
		return
	}
	size := map[string]int{}
	for k, lang := range langs {
		if r := &d.regions[k]; languages()[lang] == nil && r.Medium != signal.Fence {
			size[lang] += len(r.Text)
		}
		if size[lang] > least {
			d.set.Miss(at, signal.MissedLanguage, "text in an unsupported language: "+lang)
			return
		}
	}
}
