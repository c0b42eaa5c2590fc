// Package prose reads the text of a definition as language: it finds sentences, whether they
// order, forbid, quote or teach, and what they are about. It sets the intent of regions, finds
// which companion files the definition leads to, and adds signals for sentences that tell the
// model to do something.
//
// Words are data (words/*.txt), and so are topics, which are combinations of word classes
// (topics.txt). A small statistical model, trained by bench/audit/train, scores what the topics
// do not cover.
package prose

import (
	"strings"

	"github.com/vadehq/vade/internal/audit/signal"
)

// Extractor implements [signal.Extractor] for prose. It must run first, because the other
// extractors read the intents that it sets.
type Extractor struct {
	done int
	read *reader
	// bytes counts what was read of the package.
	bytes int
}

// New returns an extractor for one package.
func New() *Extractor { return &Extractor{read: newReader()} }

// Region reads a region. The first call processes all regions of the package, because a later
// sentence may change how a code block is meant.
func (e *Extractor) Region(s *signal.Set, index int) {
	if index < e.done {
		return
	}
	from, last := e.done, len(s.Regions)
	e.done = last
	var found []statement
	for from < last {
		to := from + 1
		first := &s.Regions[from]
		for to < last && s.Regions[to].File == first.File && s.Regions[to].Depth == first.Depth {
			to++
		}
		if e.bytes < maxPackage {
			found = append(found, e.file(s, from, to)...)
		} else {
			s.Miss(first.File, signal.MissedTooMany, "there is too much text to analyze its meaning")
		}
		from = to
	}
	if index == 0 {
		lead(s)
	}
	for i := range found {
		found[i].add(s)
	}
}

// Finish does nothing: Region adds all signals.
func (e *Extractor) Finish(*signal.Set) {}

// Limits of what is read as sentences, in bytes: of one region, and of a package, after which no
// further file is begun.
const (
	maxText    = 2 << 20
	maxPackage = 2 << 20
)

// file reads the regions of one file.
func (e *Extractor) file(s *signal.Set, from, to int) []statement {
	d := document{set: s, reader: e.read}
	file := s.Package.Files[s.Regions[from].File]
	lang, _ := languageOf(file.Text[:min(len(file.Text), 4<<10)])
	langs := make([]string, 0, to-from)
	for i := from; i < to; i++ {
		r := &s.Regions[i]
		text, form := textOf(r)
		if len(text) > maxText {
			s.Miss(r.File, signal.MissedTooLarge, "only the beginning was analyzed for its meaning")
			text = text[:maxText]
		}
		e.bytes += len(text)
		own := languageFor(text, lang)
		d.list = append(d.list, i)
		langs = append(langs, own)
		d.read = append(d.read, e.read.sentences(text, own, form))
	}
	d.intents()
	if s.Regions[from].Depth == 0 && (file.Role == signal.Main || file.Role == signal.Document) {
		d.unjudged(file, langs)
	}
	return d.statements()
}

// languageFor returns the language of the text. other is the language of the surrounding text, used
// for texts that are too short to tell.
func languageFor(text, other string) string {
	if text != "" {
		if lang, hits := languageOf(text); hits >= 2 {
			return lang
		}
	}
	return other
}

// textOf returns the part of a region that addresses people: all of a prose region, and only the
// comments of code. The texts in code and data files are regions of their own.
func textOf(r *signal.Region) (string, form) {
	switch r.Medium {
	case signal.Prose, signal.Frontmatter:
		return r.Text, flowing
	case signal.Comment:
		return r.Text, lines
	case signal.Fence:
		switch {
		case signal.IsCode(r.Lang):
			return comments(r.Text), lines
		case r.Lang == "json" || r.Lang == "yaml" || r.Lang == "toml":
			return r.Text, data
		case r.Lang == "" || r.Lang == "txt" || r.Lang == "md":
			return r.Text, lines
		}
	}
	return "", lines
}

// comments returns code in which everything but comments and docstrings is replaced with spaces,
// so offsets stay valid.
func comments(text string) string {
	if !strings.ContainsAny(text, "#/\"'") {
		return ""
	}
	b := make([]byte, 0, len(text))
	inside := ""
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		keep := inside != ""
		for _, marks := range [...][2]string{{`"""`, `"""`}, {"'''", "'''"}, {"/*", "*/"}} {
			switch {
			case inside == "" && strings.HasPrefix(trimmed, marks[0]):
				keep = true
				if !strings.Contains(trimmed[len(marks[0]):], marks[1]) {
					inside = marks[1]
				}
			case inside == marks[1] && strings.Contains(trimmed, inside):
				inside = ""
			}
		}
		if _, ok := commentLine(line); ok || keep {
			b = append(b, line...)
			continue
		}
		for k := range len(line) {
			c := line[k]
			if c != '\n' {
				c = ' '
			}
			b = append(b, c)
		}
	}
	return string(b)
}

// unjudged records the languages of a file for which there is no lexicon.
func (d *document) unjudged(file *signal.File, langs []string) {
	const least = 200
	at := d.set.Regions[d.list[0]].File
	if script, n := unknownScript(file.Text[:min(len(file.Text), maxText)]); n > least {
		d.set.Miss(at, signal.MissedLanguage, "text in "+script+" script")
		return
	}
	letters := map[string]int{}
	for k, lang := range langs {
		if languages()[lang] != nil || d.set.Regions[d.list[k]].Medium == signal.Fence {
			continue
		}
		if letters[lang] += len(d.set.Regions[d.list[k]].Text); letters[lang] > least {
			d.set.Miss(at, signal.MissedLanguage, "text in the language "+lang)
			return
		}
	}
}
