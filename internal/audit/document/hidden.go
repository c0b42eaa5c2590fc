package document

import (
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/lazyregexp"
)

// The least gaps that push text out of sight: empty lines, and spaces in a line.
const (
	gapLines  = 60
	gapSpaces = 250
	// maxConcealed bounds how deep hidden elements are looked for in one another.
	maxConcealed = 3
)

// nowhere is a link definition that leads nowhere: it serves as a comment. unseen and style
// are attributes and styles that hide an element, white is a style that does on a white page;
// the styles are without spaces and quotes.
var (
	nowhere = lazyregexp.New(`^ {0,3}\[[^\]]{1,100}\]:\s+(?:#|<#?>|\.|/|about:blank|javascript:void\(0\))\s+[("'](.+?)[)"']?\s*$`)
	opening = lazyregexp.New(`^<([a-zA-Z][a-zA-Z0-9]*)([^>]*)>`)
	unseen  = lazyregexp.New(`(?:^|\s)hidden(?:=|\s|$)`)
	style   = lazyregexp.New(`display:none|visibility:(?:hidden|collapse)|opacity:(?:0|0?\.0\d*)(?:[;%]|$)|font:0|` +
		`(?:font-size|(?:max-)?(?:height|width)|line-height):(?:1px|[0.]+(?:[a-z]+|%)?)(?:;|$)|` +
		`(?:left|top|right|text-indent|margin-left|margin-top):-\d{3}|clip:rect\(0|clip-path:inset\((?:50|100)%|(?:^|;)color:transparent`)
	white = lazyregexp.New(`(?:^|;)color:(?:white|#fff[f]{0,3}[0-9a-f]?|rgba\(0,0,0,0\)|rgb\(255,255,255\)|#0{8}|#0{4})(?:;|$)`)
)

// conceal takes comments and elements that are styled away and that begin on a line
// out of the text, and makes regions of them.
func (w *walker) conceal(at, end int) {
	if line := w.text[at:end]; at >= w.goneTo() && w.depth < maxConcealed && strings.Contains(line, "]:") {
		if m := nowhere().FindStringSubmatchIndex(line); m != nil {
			w.takeOut(at, at+m[2], at+m[3], end, signal.Comment)
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
		case ticks%2 == 1 || len(rest) < 2 || w.depth >= maxConcealed:
		case strings.HasPrefix(rest, "<!--") && !w.endless[0]:
			inner, stop := until(w.text, i+4, "-->")
			w.endless[0] = inner == stop
			if inner < stop || first {
				w.takeOut(i, i+4, inner, stop, signal.Comment)
			}
		case rest[1]|0x20 >= 'a' && rest[1]|0x20 <= 'z' && !w.endless[1]:
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

// takeOut takes the range from at to end out of the text, and cuts what is from inner to
// innerEnd into hidden regions, whose prose is of a medium.
func (w *walker) takeOut(at, inner, innerEnd, end int, m signal.Medium) {
	w.gone = append(w.gone, diag.Span{Start: at, End: end})
	w.d.conceal(w.from, inner, innerEnd)
	from := *w.from
	from.Hidden = true
	v := walker{d: w.d, from: &from, text: w.text[:innerEnd], afterGap: true, heading: w.heading, medium: m, depth: w.depth + 1}
	v.endless[0] = m == signal.Comment
	v.block.from = &from
	v.walk(inner, innerEnd)
}

// element takes out the content of an element that is styled away.
func (w *walker) element(at int, first bool) {
	m := opening().FindStringSubmatch(w.text[at:min(len(w.text), at+1024)])
	if m == nil || !styledAway(strings.ToLower(m[1]), strings.ToLower(m[2])) {
		return
	}
	from := at + len(m[0])
	end, _ := until(w.text, from, "</"+m[1])
	// What does not end is not looked for again.
	w.endless[1] = end == len(w.text)
	if end < len(w.text) || first {
		w.takeOut(from, from, end, end, signal.Prose)
	}
}

// styledAway reports whether CSS or HTML hides an element from readers.
func styledAway(name, attributes string) bool {
	if attributes == "" || strings.Contains(" input svg path g symbol img br hr meta link ", " "+name+" ") {
		return false
	}
	if unseen().MatchString(attributes) {
		return true
	}
	_, css, ok := strings.Cut(attributes, "style")
	css = strings.NewReplacer(" ", "", "\t", "", "\n", "", `"`, "", "'", "", "=", "", "!important", "").Replace(css)
	// White on a background of its own is seen.
	if !ok || style().MatchString(css) {
		return ok
	}
	return white().MatchString(css) && !strings.Contains(css, "background")
}

// pushed returns the ranges of a stretch that come after many empty lines or spaces.
func (d *reader) pushed(r *signal.Region) (list []diag.Span) {
	empty := 0
	for at := 0; at < len(r.Text); {
		end := lineEnd(r.Text, at)
		line := r.Text[at:end]
		switch {
		case strings.TrimLeft(line, " \t\r") == "":
			empty++
			at = end + 1
			continue
		case empty > gapLines:
			// All that follows.
			end = len(r.Text)
			list = append(list, diag.Span{Start: at, End: end})
		case len(line) > gapSpaces:
			// Cells of a table are padded.
			before, _, pushed := strings.Cut(line, strings.Repeat(" ", gapSpaces))
			rest := strings.Trim(line[len(before):], " \t\r")
			if pushed && rest != "" && rest[0] != '|' && !strings.Contains(before, "|") {
				list = append(list, diag.Span{Start: at + strings.LastIndex(line, rest), End: end})
			}
		}
		empty = 0
		at = end + 1
	}
	for i, s := range list {
		d.conceal(r, s.Start, s.End)
		if i == 0 {
			subject := strings.ToValidUTF8(r.Text[s.Start:min(s.End, s.Start+200)], "")
			d.signal(signal.Hidden, r.At(s.Start, s.End), -1, strings.TrimSpace(subject), "", "pushed")
		}
	}
	return list
}
