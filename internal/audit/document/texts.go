package document

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/jsonc"
	"github.com/vadehq/vade/internal/lazyregexp"
)

// maxTexts is the maximum number of strings and comments in a file that are treated as prose.
const maxTexts = 4000

// textFinder finds prose in code, configuration and data files, both in comments and in values that
// are sentences. Each text that it finds becomes a region inside the file's region.
type textFinder struct {
	d      *reader
	source *signal.Region
	count  int
	// all reports whether to add comments that do not address a model. It is set for configuration
	// files, because they have few comments and a model reads all of them.
	all bool
	// comment holds the lines of the current comment.
	comment builder
}

func (d *reader) texts(r *signal.Region) {
	t := &textFinder{d: d, source: r, comment: builder{source: r}, all: !signal.IsCode(r.Lang)}
	config := r.Medium == signal.Value && (r.Lang == "json" || r.Lang == "yaml" || r.Lang == "toml")
	code := signal.IsCode(r.Lang)
	switch fields := d.set.Package.Files[r.File].Fields; {
	case config && r.Lang == "json":
		t.strings()
	case config && fields().Valid:
		eachString(fields().Entries, func(_ string, x *definition.Value) { t.prose(x.Span.Start, x.Span.End, x.Text) })
	case r.Lang == "csv":
		t.cells()
	case code:
		t.literals()
	default:
		t.lines()
	}
	if config || code || r.Lang == "ini" {
		t.comments()
	}
	if t.count >= maxTexts {
		d.set.Miss(r.File, signal.MissedTooMany, "too many strings and comments to read as prose")
	}
}

// prose checks whether the text in a range is prose. If so, prose adds it and splits it like a
// document.
func (t *textFinder) prose(start, end int, text string) {
	if t.count >= maxTexts || !isProse(text) {
		return
	}
	if role, _ := guess(text); role != signal.Script {
		t.count++
		r := value(t.source, start, end, text)
		r.Lang = ""
		t.d.document(&r)
	}
}

// nextMarker returns the offset of the next marker at or after from, and the offset after that
// marker.
func nextMarker(text string, from int, mark string) (end, next int) {
	n := strings.Index(text[from:], mark)
	if n < 0 {
		return len(text), len(text)
	}
	return from + n, from + n + len(mark)
}

// comments adds comments in any language, up to maxTexts. In code, it adds only comments that
// address a model.
func (t *textFinder) comments() {
	blocks := [...][2]string{
		{"/*", "*/"}, {`"""`, `"""`}, {"'''", "'''"}, {"<#", "#>"}, {"(*", "*)"},
		{"{-", "-}"}, {"--[[", "]]"}, {"=begin", "=end"}, {"=pod", "=cut"},
	}
	marks := [...]string{"#", "//", "--", ";", "%", "::", "' ", "REM ", "rem "}
	text := t.source.Text
	// last is the marker that ends the current multi-line comment, and skip is the marker that ends
	// the current string.
	last, skip, opened := "", "", 0
	for at := 0; at < len(text); at = lineEnd(text, at) + 1 {
		end := lineEnd(text, at)
		line := strings.TrimSpace(text[at:end])
		if skip != "" || strings.HasPrefix(line, "#!") {
			if strings.Count(line, skip)%2 == 1 {
				if signal.IsCode(t.source.Lang) {
					t.prose(opened, at, text[opened:at])
				}
				skip = ""
			}
			continue
		}
		for _, b := range blocks {
			if last == "" && strings.HasPrefix(line, b[0]) {
				t.flushComment()
				line, last = line[len(b[0]):], b[1]
			}
		}
		switch {
		case last != "":
			t.line(at, end)
			if strings.Contains(line, last) {
				last = ""
				t.flushComment()
			}
		case slices.ContainsFunc(marks[:], func(mark string) bool { return strings.HasPrefix(line, mark) }):
			t.line(at, end)
		default:
			t.flushComment()
			for _, quote := range [...]string{`"""`, "'''"} {
				if strings.Count(line, quote)%2 == 1 {
					skip, opened = quote, end
				}
			}
			if n := max(strings.Index(text[at:end], " # "), strings.Index(text[at:end], " // ")); n >= 0 {
				t.line(at+n, end)
			}
		}
	}
	t.flushComment()
}

// line adds a line to the current comment, without its comment markers.
func (t *textFinder) line(at, end int) {
	if words := strings.TrimLeft(t.source.Text[at:end], " \t*#/!\"'`;%-"); words != "" {
		t.comment.add(strings.TrimRight(words, " \t\r\"'`*/"), end-len(words), end)
	}
}

// flushComment ends the current comment and adds it if it addresses a model or t.all is set.
func (t *textFinder) flushComment() {
	if len(t.comment.pieces) == 0 {
		return
	}
	if r := t.comment.region(); t.count < maxTexts && (t.all || addressesModel(r.Text)) {
		t.count++
		r.Medium = signal.Comment
		t.d.add(r)
	}
}

// cells adds the table cells that contain prose.
func (t *textFinder) cells() {
	rows := csv.NewReader(strings.NewReader(t.source.Text))
	rows.LazyQuotes, rows.FieldsPerRecord, rows.ReuseRecord = true, -1, true
	for start := 0; ; start = int(rows.InputOffset()) {
		row, err := rows.Read()
		for _, cell := range row {
			t.prose(start, int(rows.InputOffset()), cell)
		}
		if errors.Is(err, io.EOF) {
			return
		}
	}
}

// strings adds the JSON strings that contain prose. It continues after a syntax error.
func (t *textFinder) strings() {
	text := jsonc.Plain([]byte(t.source.Text))
	for from := 0; from >= 0; {
		at := from
		tokens := json.NewDecoder(bytes.NewReader(text[from:]))
		for token, err := tokens.Token(); err == nil; token, err = tokens.Token() {
			end := from + int(tokens.InputOffset())
			if s, ok := token.(string); ok {
				t.prose(at, end, s)
			}
			at = end
		}
		next := min(at+1, len(text))
		if from = bytes.IndexByte(text[next:], '"'); from >= 0 {
			from += next
		}
	}
}

// lines adds each line that contains prose. If the line is a setting, lines omits the key.
func (t *textFinder) lines() {
	for at := 0; at < len(t.source.Text); {
		end := lineEnd(t.source.Text, at)
		if key := strings.IndexByte(t.source.Text[at:end], '='); key >= 0 && t.source.Lang == "ini" {
			at += key + 1
		}
		t.prose(at, end, t.source.Text[at:end])
		at = end + 1
	}
}

// literal matches a string in code that is long enough to contain a sentence.
var literal = lazyregexp.New(`"(?:[^"\\\n]|\\.){40,}"|'(?:[^'\\\n]|\\.){40,}'`)

// literals adds the strings in code that address a model, except for multi-line strings.
func (t *textFinder) literals() {
	for _, at := range literal().FindAllStringIndex(t.source.Text, maxTexts) {
		multiline := at[0] > 0 && t.source.Text[at[0]-1] == t.source.Text[at[0]]
		if text := t.source.Text[at[0]+1 : at[1]-1]; !multiline && addressesModel(text) {
			t.prose(at[0]+1, at[1]-1, text)
		}
	}
}

//go:embed address.txt
var addressWordTable string

// addressWords maps each word that is used to address a model to its weight. The weight is the
// number of times that the table lists the word: twice if the word is conclusive by itself, and
// once otherwise.
var addressWords = sync.OnceValue(func() map[string]int {
	all := map[string]int{}
	for word := range strings.FieldsSeq(addressWordTable) {
		all[word]++
	}
	return all
})

// minProse is the minimum length of text that is read as prose.
const minProse = 20

// addressesModel reports whether a comment or string addresses a model.
func addressesModel(text string) bool {
	if len(text) < minProse {
		return false
	}
	hits := 0
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(c rune) bool { return !unicode.IsLetter(c) }) {
		hits += addressWords()[word]
	}
	// In some scripts, words are not separated by spaces.
	for word, n := range addressWords() {
		if word[0] > 0xe0 {
			hits += strings.Count(text, word) * n
		}
	}
	return hits >= 2
}

// isProse reports whether a value or string consists of sentences rather than data.
func isProse(text string) bool {
	if len(text) < minProse {
		return false
	}
	letters, words, other, prev := 0, 0, 0, ' '
	for _, c := range text[:min(len(text), 2048)] {
		switch {
		case isLetter(c):
			if letters++; c >= 0x2e80 {
				// In some scripts, words are not separated by spaces.
				words++
			}
		case !strings.ContainsRune(" ,.'-#*`\n", c):
			other++
		case isLetter(prev) && c != '\'' && c != '-':
			words++
		}
		prev = c
	}
	return words >= 3 && letters+words > 4*other
}
