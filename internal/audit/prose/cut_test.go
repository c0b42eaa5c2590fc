package prose

import (
	"regexp"
	"strings"
	"testing"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/audit/signal"
)

var itemMark = regexp.MustCompile(`^\s*(?:[-*+]|\d+[.)])\s+`)

// cut returns a package whose Markdown is split into the kinds of regions that the tests in this
// package need. files holds the name and text of each file in turn.
func cut(t testing.TB, files ...string) *signal.Set {
	t.Helper()
	s := &signal.Set{Package: &signal.Package{Name: "example"}}
	for i := 0; i < len(files); i += 2 {
		name, text := files[i], files[i+1]
		lang, role := signal.LanguageOfName(strings.ToLower(name))
		if i == 0 {
			role = signal.Main
		}
		s.Package.Files = append(s.Package.Files, &signal.File{Path: name, Text: text, Raw: []byte(text), Size: int64(len(text)), Role: role, Lang: lang})
		if role == signal.Main || role == signal.Document {
			cutMarkdown(s, i/2, text)
			continue
		}
		medium := signal.Value
		if role == signal.Script {
			medium = signal.Code
		}
		addRegion(s, i/2, 0, len(text), signal.Context{Medium: medium, Lang: lang}, "")
	}
	return s
}

func addRegion(s *signal.Set, file, from, to int, c signal.Context, part string) {
	text := s.Package.Files[file].Text
	s.Regions = append(s.Regions, signal.Region{Place: signal.Place{File: file, Span: diag.Span{Start: from, End: to}}, Context: c, Text: text[from:to], Part: part, Parent: -1})
}

var (
	spans    = regexp.MustCompile("`[^`\n]+`")
	htmlNote = regexp.MustCompile(`(?s)<!--.*?-->`)
)

func cutMarkdown(s *signal.Set, file int, text string) {
	at, heading, part, start := 0, "", "", -1
	emit := func(to int) {
		if start < 0 {
			return
		}
		from := start
		start = -1
		addRegion(s, file, from, to, signal.Context{Medium: signal.Prose, Heading: heading}, part)
		parent := len(s.Regions) - 1
		for _, m := range spans.FindAllStringIndex(text[from:to], -1) {
			addRegion(s, file, from+m[0]+1, from+m[1]-1, signal.Context{Medium: signal.CodeSpan, Heading: heading}, "")
			s.Regions[len(s.Regions)-1].Parent = parent
		}
	}
	if rest, ok := strings.CutPrefix(text, "---\n"); ok {
		head, _, _ := strings.Cut(rest, "\n---\n")
		at = len(head) + 9
		addRegion(s, file, 4, 4+len(head), signal.Context{Medium: signal.Frontmatter}, "description")
	}
	fence, lang := -1, ""
	for _, line := range strings.SplitAfter(text[at:], "\n") {
		begin := at
		at += len(line)
		trimmed := strings.TrimSpace(line)
		switch {
		case fence >= 0:
			if trimmed == "```" {
				addRegion(s, file, fence, begin, signal.Context{Medium: signal.Fence, Lang: lang, Heading: heading}, "")
				fence = -1
			}
		case strings.HasPrefix(trimmed, "```"):
			emit(begin)
			fence, lang = at, signal.Language(trimmed[3:])
		case htmlNote.MatchString(line):
			emit(begin)
			m := htmlNote.FindStringIndex(line)
			addRegion(s, file, begin+m[0]+4, begin+m[1]-3, signal.Context{Medium: signal.Comment, Hidden: true}, "")
		case trimmed == "" || strings.HasPrefix(trimmed, "|---"):
			emit(begin)
		case strings.HasPrefix(trimmed, "#"):
			emit(begin)
			part, start = "heading", begin+strings.IndexByte(line, ' ')+1
			heading = strings.ToLower(strings.TrimLeft(trimmed, "# "))
			emit(begin + len(strings.TrimRight(line, "\n")))
		case strings.HasPrefix(trimmed, "|"):
			emit(begin)
			part, start = "row", begin
			emit(begin + len(strings.TrimRight(line, "\n")))
		case itemMark.MatchString(line):
			emit(begin)
			part, start = "item", begin+len(itemMark.FindString(line))
		default:
			if start < 0 {
				part, start = "", begin
				for text[start] == '>' || text[start] == ' ' {
					start++
				}
			}
		}
	}
	emit(len(text))
}

// extract runs the extractor on a package that [cut] creates from files.
func extract(t testing.TB, files ...string) *signal.Set {
	t.Helper()
	s := cut(t, files...)
	x := New()
	for i := 0; i < len(s.Regions); i++ {
		x.Region(s, i)
	}
	x.Finish(s)
	return s
}
