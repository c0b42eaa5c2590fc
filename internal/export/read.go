package export

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/body"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
)

// form says what kind of piece this is, such as text, an argument or a command.
type form uint8

const (
	// text is literal text.
	text form = iota
	// all is a placeholder for all arguments, as typed.
	all
	// position is a placeholder for one argument; rest is a placeholder for a range of arguments.
	position
	rest
	// named is a placeholder for an argument that is given by name.
	named
	// shell is a command to run; file is a file whose content is inserted.
	shell
	file
	// variable is a variable that a host defines.
	variable
)

// piece is a part of a body. A body's pieces are contiguous and cover all of it.
type piece struct {
	form form
	// source is the piece as written, and at is its offset. In a text piece, source does not
	// include a backslash that escapes a mark.
	source string
	at     int
	// name is an argument's or variable's name, and index is the argument's zero-based index. count
	// is the number of arguments in a rest piece, or -1 for all.
	name         string
	index, count int
	// first and last specify the range of lines selected from a file.
	first, last int
	// block reports whether a command is on its own lines.
	block bool
	// parts holds the parts of a command or path, including placeholders.
	parts []piece
	// by reports whether the argument is passed by name, as name=value.
	by bool
}

// reader parses a body in one syntax.
type reader struct {
	syntax *host.Syntax
	names  []string
	isFile func(string) bool
	// canceled reports whether the export was canceled. It may be nil.
	canceled func() bool
	// text is the body. inBraces maps each opening mark to the commands and files that it encloses
	// in braces, keyed by offset. It is filled as needed.
	text     string
	inBraces map[string]map[int]body.Injection
	// order maps the names of declared arguments to their positions.
	order map[string]int
}

// read splits a body into pieces.
func (r *reader) read(s string) []piece {
	switch {
	case s == "":
		return nil
	case r.syntax == nil:
		return []piece{{source: s}}
	case r.syntax.Scanned:
		return merge(r.scanned(s))
	}
	return merge(r.marked(s, 0, true))
}

// merge joins adjacent text pieces.
func merge(list []piece) []piece {
	var out []piece
	for i := 0; i < len(list); {
		p := list[i]
		end := i + 1
		if p.form == text {
			for end < len(list) && list[end].form == text {
				end++
			}
			if end > i+1 {
				var b strings.Builder
				for _, part := range list[i:end] {
					b.WriteString(part.source)
				}
				p.source = b.String()
			}
		}
		if p.form != text || p.source != "" {
			out = append(out, p)
		}
		i = end
	}
	return out
}

// scanned parses a body in a syntax that package body supports.
func (r *reader) scanned(s string) []piece {
	var list []piece
	for seg := range body.Scan(s, body.Options{Names: r.names}) {
		if r.stopped(seg.Span.Start) {
			break
		}
		src := seg.Source(s)
		switch seg.Kind {
		case body.Placeholder:
			if isPrice(seg, s) {
				list = append(list, piece{source: src, at: seg.Span.Start})
				continue
			}
			list = append(list, placeholder(seg, src, seg.Span.Start))
		case body.Variable:
			list = append(list, r.known(seg.Name, src, seg.Span.Start))
		case body.Shell:
			list = append(list, piece{
				form: shell, source: src, at: seg.Span.Start, block: seg.Block, parts: merge(r.places(seg.Name, seg.Span.Start)),
			})
		case body.FileRef:
			parts := merge(r.places(seg.Name, seg.Span.Start))
			plain := len(parts) == 1 && parts[0].form == text
			if seg.Quoted() || plain && !r.file(seg.Name) {
				list = append(list, r.places(src, seg.Span.Start)...)
				continue
			}
			list = append(list, piece{form: file, source: src, at: seg.Span.Start, parts: parts, first: seg.First, last: seg.Last})
		default:
			list = append(list, piece{source: src, at: seg.Span.Start})
		}
	}
	return list
}

// file reports whether a path refers to a file.
func (r *reader) file(name string) bool { return looksLikeFile(r.isFile, name) }

// looksLikeFile reports whether a path refers to a file. If isFile is nil, any path with a slash or
// a period is assumed to be a file.
func looksLikeFile(isFile func(string) bool, name string) bool {
	if isFile == nil {
		return strings.ContainsAny(name, "/.")
	}
	return isFile(name)
}

// isPrice reports whether a placeholder is probably an amount of money, such as "$10,000" or
// "$5.00". The host replaces it only if the user types that many words.
func isPrice(seg body.Segment, s string) bool {
	if seg.Index < 0 || seg.Name != "" || seg.Escaped || strings.HasSuffix(seg.Source(s), "]") {
		return false
	}
	rest := s[seg.Span.End:]
	return seg.Index >= 10 || len(rest) > 1 && (rest[0] == '.' || rest[0] == ',') && rest[1] >= '0' && rest[1] <= '9'
}

func placeholder(seg body.Segment, src string, at int) piece {
	switch {
	case seg.Escaped:
		return piece{source: src[1:], at: at}
	case seg.Name != "":
		return piece{form: named, source: src, at: at, name: seg.Name, index: seg.Index}
	case seg.Index == body.All:
		return piece{form: all, source: src, at: at}
	}
	return piece{form: position, source: src, at: at, index: seg.Index}
}

// known returns a variable piece if the syntax defines the variable, and a text piece otherwise.
func (r *reader) known(name, src string, at int) piece {
	if r.syntax.Own != nil && r.syntax.Own(name) {
		return piece{form: variable, source: src, at: at, name: name}
	}
	if v := registry.VariableOf(name); v == host.NoVariable || r.syntax.Variable == nil || r.syntax.Variable(v) != name {
		return piece{source: src, at: at}
	}
	return piece{form: variable, source: src, at: at, name: name}
}

// places parses the placeholders and variables in a command or path.
func (r *reader) places(s string, base int) []piece {
	var found []body.Segment
	for seg := range body.Placeholders(s, body.Options{Names: r.names}, r.syntax.Escapes) {
		found = append(found, seg)
	}
	for seg := range body.Variables(s) {
		found = append(found, seg)
	}
	slices.SortStableFunc(found, func(a, b body.Segment) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
	var list []piece
	at := 0
	for _, seg := range found {
		if seg.Span.Start < at {
			continue
		}
		list = append(list, piece{source: s[at:seg.Span.Start], at: base + at})
		if seg.Kind == body.Variable {
			list = append(list, r.known(seg.Name, seg.Source(s), base+seg.Span.Start))
		} else {
			list = append(list, placeholder(seg, seg.Source(s), base+seg.Span.Start))
		}
		at = seg.Span.End
	}
	return append(list, piece{source: s[at:], at: base + at})
}

// marked parses a body from left to right, in a syntax in which everything but text starts with a
// mark such as "$". If outer is set, it also recognizes commands and files.
func (r *reader) marked(s string, base int, outer bool) []piece {
	var list []piece
	start := 0
	if outer {
		r.text, r.inBraces = s, nil
	}
	for i := 0; i < len(s); {
		if r.stopped(i) {
			break
		}
		p, end := r.mark(s, i, base, outer)
		if end == 0 {
			i++
			continue
		}
		list = append(list, piece{source: s[start:i], at: base + start}, p)
		i, start = end, end
	}
	list = append(list, piece{source: s[start:], at: base + start})
	if outer && r.syntax.Rest {
		highest(list)
	}
	return list
}

// mark parses the mark at offset i. If there is no mark, end is 0.
func (r *reader) mark(s string, i, base int, outer bool) (p piece, end int) {
	x, tail := r.syntax, s[i:]
	if outer {
		if p, end = r.enclosed(s, i, base); end > 0 {
			return p, end
		}
	}
	mark := leadingMark(tail, x.All, x.Alls)
	if mark == "" && !outer {
		mark = leadingMark(tail, x.ShellAll, x.ShellAlls)
	}
	if mark != "" {
		return piece{form: all, source: mark, at: base + i}, i + len(mark)
	}
	if tail[0] != '$' {
		return piece{}, 0
	}
	if n, number := body.Number(tail[1:]); x.Positions && n > 0 {
		// In a syntax that counts from 1, position 0 is a placeholder that is always empty.
		return piece{form: position, source: tail[:n+1], at: base + i, index: number - x.Base}, i + n + 1
	}
	if x.Slices {
		if slice, ok := body.SliceAt(tail); ok {
			end := slice.Span.End
			return piece{form: rest, source: tail[:end], at: base + i, index: max(slice.From-1, 0), count: slice.Count}, i + end
		}
	}
	if x.Inputs {
		if found, ok := body.NameAt(tail); ok {
			src, name := tail[:found.Span.End], found.Name
			if !found.Input {
				p = r.known(name, src, base+i)
				return p, i + len(src)
			}
			return piece{form: named, source: src, at: base + i, name: name, index: r.place(name), by: true}, i + len(src)
		}
	}
	return piece{}, 0
}

// leadingMark returns mark, or one of the others, if s starts with it. Otherwise, it returns "".
func leadingMark(s, mark string, others []string) string {
	if mark != "" && strings.HasPrefix(s, mark) {
		return mark
	}
	for _, mark := range others {
		if mark != "" && strings.HasPrefix(s, mark) {
			return mark
		}
	}
	return ""
}

// stopped reports whether the export was canceled. To save time, it checks only at some offsets and
// returns false at the others.
func (r *reader) stopped(i int) bool { return i%1024 == 0 && r.canceled != nil && r.canceled() }

// place returns a name's position among the arguments, or -1.
func (r *reader) place(name string) int {
	if r.order == nil {
		r.order = make(map[string]int, len(r.names))
		for i, n := range r.names {
			if _, twice := r.order[n]; !twice {
				r.order[n] = i
			}
		}
	}
	if i, ok := r.order[name]; ok {
		return i
	}
	return -1
}

// braced returns the text inside the braces of the mark at an offset, and the mark's end. end is 0
// if the braces are empty or not closed.
func (r *reader) braced(open string, at int) (inner string, end int) {
	places, known := r.inBraces[open]
	if !known {
		list, _ := body.Braced(r.text, open, len(r.text))
		places = make(map[int]body.Injection, len(list))
		for _, place := range list {
			places[place.Span.Start] = place
		}
		if r.inBraces == nil {
			r.inBraces = map[string]map[int]body.Injection{}
		}
		r.inBraces[open] = places
	}
	if place := places[at]; place.Text != "" {
		return place.Text, place.Span.End
	}
	return "", 0
}

// enclosed parses the command or file at offset i. If there is none, end is 0.
func (r *reader) enclosed(s string, i, base int) (p piece, end int) {
	x, tail := r.syntax, s[i:]
	if open := x.ShellOpen; open != "" && strings.HasPrefix(tail, open) {
		var inner string
		if x.Braces {
			inner, end = r.braced(open, i)
		} else if n := strings.Index(tail[len(open):], x.ShellClose); n > 0 {
			inner, end = tail[len(open):][:n], i+len(open)+n+len(x.ShellClose)
		}
		if end > 0 {
			parts := merge(r.marked(inner, base+i+len(open), false))
			return piece{form: shell, source: s[i:end], at: base + i, parts: parts}, end
		}
	}
	switch open := x.FileOpen; {
	case open == "" || !strings.HasPrefix(tail, open):
	case x.FileClose != "":
		if inner, end := r.braced(open, i); end > 0 {
			return piece{form: file, source: s[i:end], at: base + i, parts: []piece{{source: inner, at: base + i + len(open)}}}, end
		}
	default:
		stop, ok := body.AtPath(s, i)
		if !ok {
			break
		}
		parts := merge(r.marked(s[i+1:stop], base+i+1, false))
		if len(parts) > 1 || parts[0].form != text || r.file(s[i+1:stop]) {
			return piece{form: file, source: s[i:stop], at: base + i, parts: parts}, stop
		}
		// The host continues after the path, but it also looks for commands inside the path.
		if strings.HasSuffix(s[i+1:stop], "!") {
			stop--
		}
		return piece{source: s[i:stop], at: base + i}, stop
	}
	return piece{}, 0
}

// highest converts the placeholder with the highest position to one for all remaining arguments.
func highest(list []piece) {
	top := -1
	each(list, func(p *piece) {
		if p.form == position {
			top = max(top, p.index)
		}
	})
	each(list, func(p *piece) {
		if p.form == position && p.index == top && top >= 0 {
			p.form, p.count = rest, -1
		}
	})
}

// each calls visit for every piece in list and, recursively, for its parts.
func each(list []piece, visit func(*piece)) {
	for i := range list {
		visit(&list[i])
		each(list[i].parts, visit)
	}
}

// inputs returns the names of a body's named arguments, in order of first use.
func inputs(s string) []string {
	var names []string
	seen := map[string]bool{}
	for _, n := range body.Names(s) {
		if n.Input && !seen[n.Name] {
			seen[n.Name] = true
			names = append(names, n.Name)
		}
	}
	return names
}
