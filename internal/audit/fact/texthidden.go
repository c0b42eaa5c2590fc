package fact

import (
	"bytes"
	"strings"

	"github.com/vadehq/vade/diag"
)

// The least gaps that hide what is behind them: empty lines, and blanks in a line.
const (
	gapLines  = 60
	gapBlanks = 250
	// maxConcealed bounds how deep hidden elements are looked for in one another.
	maxConcealed = 3
)

// conceal takes comments and elements that are styled away and that begin on a line
// out of the text, and makes regions of their own of them.
func (w *walker) conceal(at, end int) {
	w.reference(at, end)
	ticks := 0
	for i := at; i < end; i++ {
		switch c := w.text[i]; {
		case c == '`':
			ticks++
		case c != '<' || ticks%2 == 1:
		case bytes.HasPrefix(w.text[i:], []byte("<!--")) && !w.noCommentsFollow:
			i = w.comment(at, i)
		case bytes.HasPrefix(w.text[i:], []byte("<![CDATA[")):
			i = w.declaration(i, 9, "]]>", 0)
		case bytes.HasPrefix(w.text[i:], []byte("<?")) && !bytes.HasPrefix(w.text[i:], []byte("<?xml")) && !bytes.HasPrefix(w.text[i:], []byte("<?php")):
			i = w.declaration(i, 2, "?>", 1)
		case i+1 < end && w.text[i+1] < 0x80 && isLetter(rune(w.text[i+1])):
			i = w.element(at, i)
		}
	}
}

// comment takes out a comment and returns its last byte.
func (w *walker) comment(line, at int) int {
	rest := w.text[at+4:]
	length := bytes.Index(rest, []byte("-->"))
	if length < 0 {
		w.noCommentsFollow = true
		if len(bytes.TrimSpace(w.text[line:at])) > 0 {
			return at
		}
		length = len(rest)
	}
	return w.veiled(at, at+4, at+4+length, min(at+4+length+3, len(w.text)), HiddenComment)
}

// declaration takes out what stands between marks that no page shows.
func (w *walker) declaration(at, head int, tail string, kind int) int {
	if w.endless[kind] {
		return at
	}
	n := bytes.Index(w.text[at+head:], []byte(tail))
	if n < 0 {
		w.endless[kind] = true
		return at
	}
	return w.veiled(at, at+head, at+head+n, at+head+n+len(tail), HiddenComment)
}

// element takes out an element that is styled away.
func (w *walker) element(line, at int) int {
	stop := bytes.IndexByte(w.text[at:min(len(w.text), at+1024)], '>')
	if stop < 0 {
		return at
	}
	tag := string(w.text[at+1 : at+stop])
	name := tagName(tag)
	if strings.HasSuffix(tag, "/") || !styledAway(name, tag) || w.depth >= maxConcealed || w.endless[2] {
		return at
	}
	// In the middle of a line it may be a word about the element.
	first := len(bytes.TrimSpace(w.text[line:at])) == 0
	bare := name == "template" || name == "noscript"
	if bare && !first {
		return at
	}
	from := at + stop + 1
	inner, end := w.closing(name, from)
	if inner < 0 {
		// What does not end is not looked for again.
		w.endless[2] = true
		if bare || !first {
			return at
		}
		inner, end = len(w.text), len(w.text)
	}
	return w.veiled(at, from, inner, end, HiddenElement)
}

func tagName(tag string) string {
	n := 0
	for n < len(tag) && (tag[n] < 0x80 && isLetter(rune(tag[n])) || tag[n] >= '0' && tag[n] <= '9') {
		n++
	}
	return strings.ToLower(tag[:n])
}

// closing finds where an element ends that may have others of its name in it.
func (w *walker) closing(name string, from int) (inner, end int) {
	deep := 1
	for i := from; i < len(w.text); i++ {
		n := bytes.IndexByte(w.text[i:], '<')
		if n < 0 {
			break
		}
		i += n
		rest := w.text[i+1:]
		ends := len(rest) > 0 && rest[0] == '/'
		if ends {
			rest = rest[1:]
		}
		if len(rest) < len(name) || !strings.EqualFold(string(rest[:len(name)]), name) || len(rest) > len(name) && isWord(rune(rest[len(name)])) {
			continue
		}
		if !ends {
			deep++
			continue
		}
		if deep--; deep == 0 {
			stop := bytes.IndexByte(w.text[i:], '>')
			if stop < 0 {
				stop = len(w.text) - i - 1
			}
			return i, i + stop + 1
		}
	}
	return -1, -1
}

// styledAway reports whether who looks at the page does not see an element.
func styledAway(name, tag string) bool {
	switch name {
	case "template", "noscript":
		return true
	case "input", "svg", "path", "g", "symbol", "img", "br", "hr", "meta", "link":
		return false
	}
	if len(tag) == len(name) {
		return false
	}
	low := strings.ToLower(tag[len(name):])
	for word := range strings.FieldsSeq(low) {
		if word == "hidden" || strings.HasPrefix(word, "hidden=") {
			return true
		}
	}
	_, style, ok := strings.Cut(low, "style")
	if !ok {
		return false
	}
	style = strings.Map(func(c rune) rune {
		switch c {
		case ' ', '\t', '\n', '"', '\'', '=':
			return -1
		}
		return c
	}, style)
	for part := range strings.SplitSeq(style, ";") {
		key, value, _ := strings.Cut(part, ":")
		value = strings.TrimSuffix(value, "!important")
		// White on a ground of its own is seen.
		if unseen(key, value) && !(key == "color" && value != "transparent" && strings.Contains(style, "background")) {
			return true
		}
	}
	return false
}

// unseen reports whether a style makes text invisible.
func unseen(key, value string) bool {
	switch key {
	case "display":
		return value == "none"
	case "visibility":
		return value == "hidden" || value == "collapse"
	case "opacity":
		return value == "0" || value == "0.0" || value == "0%" || strings.HasPrefix(value, "0.0")
	case "font-size", "max-height", "max-width":
		return value == "0" || value == "0px" || value == "0pt" || value == "0em" || value == "0rem" || value == "1px" || value == "0%"
	case "font":
		return strings.HasPrefix(value, "0/") || strings.HasPrefix(value, "0px")
	case "color":
		switch value {
		case "white", "transparent", "#fff", "#ffffff", "#ffff", "#fffffe", "rgba(0,0,0,0)", "rgb(255,255,255)", "#00000000", "#0000":
			return true
		}
	case "left", "top", "right", "text-indent", "margin-left", "margin-top":
		return strings.HasPrefix(value, "-") && len(strings.TrimRight(value[1:], "pxemrvwh%")) >= 3
	case "clip":
		return strings.HasPrefix(value, "rect(0")
	case "clip-path":
		return strings.HasPrefix(value, "inset(100%") || strings.HasPrefix(value, "inset(50%")
	}
	return false
}

// veiled makes regions of what stands from inner to innerEnd, takes all from at to end
// out of the text and returns its last byte.
func (w *walker) veiled(at, inner, innerEnd, end int, kind HiddenKind) int {
	innerEnd = max(inner, innerEnd)
	base := w.base
	base.Hidden = true
	v := walker{file: w.file, text: w.text[:innerEnd], base: base, afterGap: true, depth: w.depth + 1, heading: w.heading, noCommentsFollow: kind == HiddenComment}
	if kind == HiddenComment {
		r := Region{Place: Place{w.file, diag.Span{Start: inner, End: innerEnd}}, Standing: base, Text: string(w.text[inner:innerEnd]), Veil: kind}
		r.Medium, r.Heading = Comment, w.heading
		w.out = append(w.out, r)
	}
	if body := w.text[inner:innerEnd]; w.depth < maxConcealed && (kind == HiddenElement || bytes.IndexByte(body, '`') >= 0 || bytes.Contains(body, []byte("~~~"))) {
		v.walk(inner, innerEnd)
		for _, r := range v.out {
			r.Hidden, r.Veil = true, kind
			if kind == HiddenElement || r.Medium == Fence || r.Medium == CodeSpan {
				w.out = append(w.out, r)
			}
		}
	}
	for k := at; k < end; k++ {
		if w.text[k] != '\n' && w.text[k] != '\r' {
			w.text[k] = ' '
		}
	}
	return end - 1
}

// reference takes a definition of a reference out that leads nowhere: a comment.
func (w *walker) reference(at, end int) {
	line := w.text[at:end]
	trimmed := bytes.TrimLeft(line, " ")
	if len(trimmed) < 6 || trimmed[0] != '[' || len(line)-len(trimmed) > 3 {
		return
	}
	n := bytes.Index(trimmed, []byte("]:"))
	if n < 0 || n > 200 {
		return
	}
	rest := trimmed[n+2:]
	dest := bytes.TrimLeft(rest, " \t")
	for _, mark := range [...]string{"#", "<>", ".", "/", "<#>", "about:blank", "javascript:void(0)"} {
		title, ok := bytes.CutPrefix(dest, []byte(mark))
		if !ok || len(title) == 0 || title[0] != ' ' && title[0] != '\t' {
			continue
		}
		text := bytes.TrimSpace(title)
		if len(text) < 3 || strings.IndexByte("(\"'", text[0]) < 0 {
			return
		}
		from := at + len(line) - len(title) + bytes.IndexByte(title, text[0]) + 1
		to := from + len(text) - 1
		if strings.IndexByte(")\"'", text[len(text)-1]) >= 0 {
			to--
		}
		w.veiled(at, from, to, end, HiddenComment)
		return
	}
}

// gap notes whether what follows is behind so many empty lines that nobody sees it.
func (w *walker) gap(at, end int) {
	if len(bytes.TrimSpace(w.text[at:end])) == 0 {
		if w.empty++; w.empty > gapLines && w.fence == 0 {
			w.veil = HiddenLines
		}
		return
	}
	if w.empty > gapLines && w.fence != 0 {
		w.block.veil = HiddenLines
	}
	w.empty = 0
}

// pushed notes that a line that was taken in has text behind many blanks.
func (w *walker) pushed(at, end int) {
	if end-at <= gapBlanks || behindBlanks(w.text[at:end]) < 0 {
		return
	}
	if w.block.open {
		w.block.veil = HiddenBlanks
	} else if n := len(w.out); n > 0 {
		w.out[n-1].Veil, w.out[n-1].Hidden = HiddenBlanks, true
	}
}

// behindBlanks returns where the text of a line goes on behind many blanks, or -1.
func behindBlanks(line []byte) int {
	if len(line) <= gapBlanks {
		return -1
	}
	n := 0
	for i, c := range line {
		if c == ' ' || c == '\t' {
			n++
			continue
		}
		// Cells of a table are padded.
		if n >= gapBlanks && c != '|' && c != '\r' && bytes.IndexByte(line[:i], '|') < 0 {
			return i
		}
		n = 0
	}
	return -1
}

// hidden notes what who reads the page does not see.
func (f *Facts) hidden(k int) {
	r := &f.Regions[k]
	if r.Veil != "" && (r.Medium != CodeSpan || r.Veil == HiddenElement) {
		f.conceals(r.Place, r.Standing, r.Veil, r.Text)
	}
	if k > 0 && f.Regions[k-1].File == r.File {
		return
	}
	x := f.Package.Files[r.File]
	switch x.Role {
	case Main, Document, Legal:
		f.folded(k, x.Text)
		f.unused(k, x.Text)
	case Script, Config, Data:
		f.behind(k, x)
	}
}

func (f *Facts) conceals(at Place, s Standing, kind HiddenKind, text string) {
	if len(f.Hidden) < maxFacts && strings.TrimSpace(text) != "" {
		f.Hidden = append(f.Hidden, Hidden{Place: at, Standing: s, Kind: kind, Text: text})
	}
}

// standingAt is that of the smallest region of a file's regions, which begin at first,
// around a place.
func (f *Facts) standingAt(first int, at diag.Span) Standing {
	best := -1
	for i := first; i < len(f.Regions); i++ {
		r := &f.Regions[i]
		if r.Span.Start <= at.Start && at.End <= r.Span.End && (best < 0 || r.Span.End-r.Span.Start <= f.Regions[best].Span.End-f.Regions[best].Span.Start) {
			best = i
		}
	}
	if best < 0 {
		best = first
	}
	return f.Regions[best].Standing
}

// folded notes what is folded away, and long texts in the place of pictures.
func (f *Facts) folded(first int, text string) {
	for at, n := 0, 0; n < 200; n++ {
		i := strings.Index(text[at:], "<details")
		if i < 0 {
			break
		}
		i += at
		end := len(text)
		if k := strings.Index(text[i:], "</details>"); k >= 0 {
			end = i + k
		}
		span := diag.Span{Start: i, End: end}
		f.conceals(Place{f.Regions[first].File, span}, f.standingAt(first, span), HiddenDetails, text[i:end])
		at = end
	}
	for at, n := 0, 0; n < 200; n++ {
		i := strings.Index(text[at:], "![")
		if i < 0 {
			break
		}
		i += at + 2
		at = i
		k := strings.IndexByte(text[i:min(len(text), i+1024)], ']')
		if k < 60 || i+k+1 >= len(text) || text[i+k+1] != '(' && text[i+k+1] != '[' {
			continue
		}
		span := diag.Span{Start: i, End: i + k}
		f.conceals(Place{f.Regions[first].File, span}, f.standingAt(first, span), HiddenAlt, text[i:i+k])
		at = i + k
	}
}

// unused notes the titles of references that nothing refers to.
func (f *Facts) unused(first int, text string) {
	n := 0
	for i := strings.Index(text, "]: "); i >= 0 && n < 40; n++ {
		from := strings.LastIndexByte(text[max(0, i-200):i], '\n') + 1 + max(0, i-200)
		end := len(text)
		if k := strings.IndexByte(text[i:], '\n'); k >= 0 {
			end = i + k
		}
		label, rest := strings.TrimLeft(text[from:i], " "), text[i+3:end]
		if _, title, ok := strings.Cut(strings.TrimSpace(rest), " "); ok && strings.HasPrefix(label, "[") && len(title) > 24 && strings.IndexByte("\"'(", title[0]) >= 0 &&
			strings.Count(text, label+"]") < 2 {
			span := diag.Span{Start: from, End: end}
			f.conceals(Place{f.Regions[first].File, span}, f.standingAt(first, span), HiddenReference, title)
		}
		k := strings.Index(text[end:], "]: ")
		if k < 0 {
			return
		}
		i = end + k
	}
}

// behind notes code behind many empty lines or blanks.
func (f *Facts) behind(k int, x *File) {
	if x.Role == Data && x.From == nil || x.Role == Config {
		return
	}
	empty := 0
	text := []byte(x.Text)
	for at := 0; at < len(text); {
		end := len(text)
		if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n
		}
		line := text[at:end]
		kind, from := HiddenKind(""), at
		if len(bytes.TrimSpace(line)) == 0 {
			empty++
		} else {
			if empty > gapLines {
				kind = HiddenLines
			}
			if i := behindBlanks(line); i >= 0 {
				kind, from = HiddenBlanks, at+i
			}
			empty = 0
		}
		if kind != "" {
			f.conceals(Place{f.Regions[k].File, diag.Span{Start: from, End: end}}, f.Regions[k].Standing, kind, string(text[from:end]))
		}
		at = end + 1
	}
}
