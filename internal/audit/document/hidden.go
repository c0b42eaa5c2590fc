package document

import (
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/audit/signal"
)

// The least gaps that push text out of sight: empty lines, and spaces in a line.
const (
	gapLines  = 60
	gapSpaces = 250
	// maxConcealed bounds how deep hidden elements are looked for in one another.
	maxConcealed = 3
)

// hiddenText is a text that a reader of the page does not see, in a region.
type hiddenText struct {
	signal.Place
	unit int
	tag  signal.Tag
	text string
}

func (d *reader) hide(at signal.Place, unit int, tag signal.Tag, text string) {
	if strings.TrimSpace(text) != "" {
		d.hidden = append(d.hidden, hiddenText{at, unit, tag, text})
	}
}

// conceal takes comments and elements that are styled away and that begin on a line
// out of the text, and makes regions of them.
func (w *walker) conceal(at, end int) {
	if line := w.text[at:end]; at >= w.goneTo() && strings.Contains(line, "]:") {
		if m := pattern("nowhere").FindStringSubmatchIndex(line); m != nil {
			w.comment(at, at+m[2], at+m[3], end)
		}
	}
	ticks := 0
	for i := at; i < end; i++ {
		n := strings.IndexAny(w.text[i:end], "<`")
		if n < 0 {
			return
		}
		i += n
		// In the middle of a line it may be a word about the element.
		first := i-at < gapSpaces && strings.TrimSpace(w.text[at:i]) == ""
		switch rest := w.text[i:]; {
		case i < w.goneTo():
			i = w.goneTo() - 1
		case rest[0] == '`':
			ticks++
		case ticks%2 == 1 || len(rest) < 2:
		case strings.HasPrefix(rest, "<!--") && !w.endless[0]:
			inner, stop := until(w.text, i+4, "-->")
			w.endless[0] = inner == stop
			if inner < stop || first {
				w.comment(i, i+4, inner, stop)
			}
		case rest[1]|0x20 >= 'a' && rest[1]|0x20 <= 'z' && !w.endless[1] && w.depth < maxConcealed:
			w.element(i, first)
		}
	}
}

// goneTo is where the last range ends that was taken out.
func (w *walker) goneTo() int {
	if len(w.gone) == 0 {
		return 0
	}
	return w.gone[len(w.gone)-1].End
}

// comment takes out the range from at to end, whose text is from inner to innerEnd.
func (w *walker) comment(at, inner, innerEnd, end int) {
	w.gone = append(w.gone, diag.Span{Start: at, End: end})
	r := part(w.from, inner, innerEnd, signal.Comment)
	r.Heading, r.Hidden = w.heading, true
	index := w.d.add(r)
	w.d.hide(r.Place, index, "html-comment", r.Text)
	if w.depth < maxConcealed && strings.ContainsAny(r.Text, "`~") {
		// The code in a comment, as regions of the comment.
		w.inner(inner, innerEnd, [2]bool{true, true})
		kept := w.d.set.Regions[:index+1]
		for _, r := range w.d.set.Regions[index+1:] {
			if r.Medium == signal.Fence || r.Medium == signal.CodeSpan {
				r.Parent = index
				kept = append(kept, r)
			}
		}
		w.d.set.Regions = kept
	}
}

// inner cuts a hidden part of the text into regions.
func (w *walker) inner(from, to int, endless [2]bool) {
	hidden := *w.from
	hidden.Hidden = true
	v := walker{d: w.d, from: &hidden, text: w.text[:to], afterGap: true, heading: w.heading}
	v.depth, v.endless = w.depth+1, endless
	v.block.from = &hidden
	v.walk(from, to)
}

// element takes out an element that is styled away.
func (w *walker) element(at int, first bool) {
	head := w.text[at:min(len(w.text), at+1024)]
	stop := strings.IndexByte(head, '>')
	if stop < 1 || head[stop-1] == '/' {
		return
	}
	tag := strings.ToLower(head[1:stop])
	name := tag[:len(tag)-len(strings.TrimLeft(tag, "abcdefghijklmnopqrstuvwxyz0123456789"))]
	bare := name == "template" || name == "noscript"
	if !bare && !styledAway(name, tag[len(name):]) || bare && !first {
		return
	}
	from := at + stop + 1
	inner, end := until(w.text, from, "</"+name)
	if inner == len(w.text) {
		// What does not end is not looked for again.
		if w.endless[1] = true; bare || !first {
			return
		}
	} else if n := strings.IndexByte(w.text[end:], '>'); n >= 0 {
		end += n + 1
	}
	w.gone = append(w.gone, diag.Span{Start: at, End: end})
	w.d.hide(w.from.At(from, inner), len(w.d.set.Regions), "element", w.text[from:inner])
	w.inner(from, inner, [2]bool{})
}

// styledAway reports whether CSS or HTML hides an element from readers.
func styledAway(name, attributes string) bool {
	if attributes == "" || strings.Contains(" input svg path g symbol img br hr meta link ", " "+name+" ") {
		return false
	}
	if pattern("hidden").MatchString(attributes) {
		return true
	}
	_, style, ok := strings.Cut(attributes, "style")
	style = strings.NewReplacer(" ", "", "\t", "", "\n", "", `"`, "", "'", "", "=", "", "!important", "").Replace(style)
	// White on a background of its own is seen.
	if !ok || pattern("style").MatchString(style) {
		return ok
	}
	return pattern("white").MatchString(style) && !strings.Contains(style, "background")
}

// pushed returns the ranges of a stretch that come after many empty lines or spaces.
func (d *reader) pushed(r *signal.Region) (list []diag.Span) {
	empty := 0
	for at := 0; at < len(r.Text); {
		end := lineEnd(r.Text, at)
		line := r.Text[at:end]
		n := len(line) - len(strings.TrimLeft(line, " \t\r"))
		switch {
		case n == len(line):
			empty++
			at = end + 1
			continue
		case empty > gapLines:
			// All that follows.
			end = len(r.Text)
			list = append(list, diag.Span{Start: at, End: end})
		case len(line) > gapSpaces:
			if n = afterSpaces(line); n >= 0 {
				list = append(list, diag.Span{Start: at + n, End: end})
			}
		}
		empty = 0
		at = end + 1
	}
	for _, s := range list {
		d.hide(r.At(s.Start, s.End), -1, "pushed", r.Text[s.Start:s.End])
	}
	return list
}

// afterSpaces returns where the text of a line goes on after many spaces, or -1.
func afterSpaces(line string) int {
	n := 0
	for i := range len(line) {
		switch c := line[i]; {
		case c == ' ' || c == '\t':
			n++
		case c == '|':
			// Cells of a table are padded.
			return -1
		case n >= gapSpaces && c != '\r':
			return i
		default:
			n = 0
		}
	}
	return -1
}

// asides notes what is folded away, long texts in the place of images, and titles of link
// definitions that nothing uses.
func (d *reader) asides(r *signal.Region) {
	if !strings.Contains(r.Text, "<details") && !strings.Contains(r.Text, "![") && !strings.Contains(r.Text, "]: ") {
		return
	}
	text := "\n" + r.Text
	for k, m := range pattern("aside").FindAllStringSubmatchIndex(text, maxTexts) {
		for n, tag := range [...]signal.Tag{"", "folded", "alt", "", "link-title"} {
			from, to := m[2*n]-1, m[2*n+1]-1
			switch {
			case tag == "" || from < 0, tag == "alt" && to-from < 60:
			case tag == "link-title" && (to-from < 20 || k > 100 || strings.Count(text, text[m[6]:m[7]]) > 1):
			default:
				d.hide(r.At(from, to), -1, tag, r.Text[from:to])
			}
		}
	}
}
