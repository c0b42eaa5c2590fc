package document

import (
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/lazyregexp"
)

// Thresholds for gaps that push the following text out of sight: a number of blank lines, and a
// number of spaces within a line.
const (
	gapLines  = 60
	gapSpaces = 250
	// maxConcealed is the maximum depth of nested hidden elements.
	maxConcealed = 3
)

// linkWithoutTarget matches a link definition without a target, a trick for writing a comment.
// hiddenAttribute matches attributes that hide an element, hidingStyle matches styles that hide it,
// and whiteText matches styles that hide it on a white page. Spaces and quotes are removed from
// styles before matching.
var (
	linkWithoutTarget = lazyregexp.New(`^ {0,3}\[[^\]]{1,100}\]:\s+(?:#|<#?>|\.|/|about:blank)\s+[("'](.+?)[)"']?\s*$`)
	opening           = lazyregexp.New(`^<([a-zA-Z][a-zA-Z0-9]*)([^>]*)>`)
	hiddenAttribute   = lazyregexp.New(`(?:^|\s)hidden(?:=|\s|$)`)
	hidingStyle       = lazyregexp.New(`display:none|visibility:(?:hidden|collapse)|opacity:(?:0|0?\.0\d*)(?:[;%]|$)|font:0|` +
		`(?:font-size|(?:max-)?(?:height|width)|line-height):(?:1px|[0.]+(?:[a-z]+|%)?)(?:;|$)|` +
		`(?:left|top|right|text-indent|margin-left|margin-top):-\d{3}|` +
		`clip:rect\(0|clip-path:inset\((?:50|100)%|(?:^|;)color:transparent`)
	whiteText = lazyregexp.New(`(?:^|;)color:(?:white|#fff|#ffffff|rgba\(0,0,0,0\)|rgb\(255,255,255\))(?:;|$)`)
)

// conceal hides comments, hidden elements and link definitions without a target in a line, and
// turns their content into regions.
func (w *walker) conceal(at, end int) {
	if w.depth >= maxConcealed {
		return
	}
	if line := w.visible(at, end); strings.Contains(line, "]:") {
		if m := linkWithoutTarget().FindStringSubmatchIndex(line); m != nil {
			w.hide(at, at+m[2], at+m[3], end, signal.Comment)
		}
	}
	ticks := 0
	for i := at; i < end; i++ {
		n := strings.IndexAny(w.text[i:end], "<`")
		if n < 0 {
			return
		}
		i += n
		// In the middle of a line, the text may only mention the element.
		first := i-at < gapSpaces && strings.TrimSpace(w.text[at:i]) == ""
		switch rest := w.text[i:]; {
		case w.shown != nil && w.shown[i] == ' ':
		case rest[0] == '`':
			ticks++
		case ticks%2 == 1 || len(rest) < 2:
		case strings.HasPrefix(rest, "<!--") && !w.endless[0]:
			inner, stop := nextMarker(w.text, i+4, "-->")
			w.endless[0] = inner == stop
			if inner < stop || first {
				w.hide(i, i+4, inner, stop, signal.Comment)
			}
		case rest[1]|0x20 >= 'a' && rest[1]|0x20 <= 'z' && !w.endless[1]:
			w.element(i, first)
		}
	}
}

// hide replaces the range from at to end with spaces and turns the range from inner to innerEnd
// into hidden regions. m is the medium of the prose in these regions.
func (w *walker) hide(at, inner, innerEnd, end int, m signal.Medium) {
	if w.shown == nil {
		w.shown = []byte(w.text)
	}
	w.d.concealed = append(w.d.concealed, w.source.At(inner, innerEnd))
	from := *w.source
	from.Hidden = true
	v := walker{d: w.d, source: &from, text: w.text[:innerEnd], shown: w.shown, afterGap: true, heading: w.heading, medium: m}
	v.depth, v.endless[0] = w.depth+1, m == signal.Comment
	v.block.source = &from
	v.walk(inner, innerEnd)
	for i := at; i < end; i++ {
		w.shown[i] = ' '
	}
}

// element hides the content of the element at offset at if CSS or HTML hides it from readers.
func (w *walker) element(at int, first bool) {
	m := opening().FindStringSubmatch(w.text[at:min(len(w.text), at+1024)])
	if m == nil || !hiddenByStyle(strings.ToLower(m[1]), strings.ToLower(m[2])) {
		return
	}
	from := at + len(m[0])
	end, _ := nextMarker(w.text, from, "</"+m[1])
	// If one hidden element has no end tag, do not search for the end tags of later ones.
	w.endless[1] = end == len(w.text)
	if end < len(w.text) || first {
		w.hide(from, from, end, end, signal.Prose)
	}
}

// hiddenByStyle reports whether CSS or HTML hides an element from readers.
func hiddenByStyle(name, attributes string) bool {
	if attributes == "" || strings.Contains(" input svg path g symbol img br hr meta link ", " "+name+" ") {
		return false
	}
	_, css, _ := strings.Cut(attributes, "style")
	css = strings.NewReplacer(" ", "", "\t", "", "\n", "", `"`, "", "'", "", "=", "", "!important", "").Replace(css)
	// White text with its own background is visible.
	return hiddenAttribute().MatchString(attributes) || hidingStyle().MatchString(css) ||
		whiteText().MatchString(css) && !strings.Contains(css, "background")
}

// afterLargeGap returns the ranges of text that follow many blank lines or spaces. It records them
// as concealed and adds a signal for the first one.
func (d *reader) afterLargeGap(r *signal.Region) (list []diag.Span) {
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
			// Readers do not scroll down this far, so they do not see the rest of the text.
			end = len(r.Text)
			list = append(list, diag.Span{Start: at, End: end})
		case len(line) > gapSpaces:
			// A long row of spaces is normal in a table, because cells are padded with spaces.
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
		d.concealed = append(d.concealed, r.At(s.Start, s.End))
		if i == 0 {
			subject := strings.ToValidUTF8(r.Text[s.Start:min(s.End, s.Start+200)], "")
			d.signal(signal.Hidden, r.At(s.Start, s.End), -1, strings.TrimSpace(subject), "", "pushed")
		}
	}
	return list
}
