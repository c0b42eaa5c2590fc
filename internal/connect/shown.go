package connect

import (
	"bytes"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/jsonc"
)

// maxShown is the longest line that [Shown] makes, in bytes.
const maxShown = 4 << 10

// Shown is what may be shown of the lines of a file that hold the entry of a name, by
// their number, which begins at 1: its keys with values that mask has made of its own,
// whatever the lines are like. mask keeps the keys and their order. Of what else stands
// in these lines only brackets and blanks are there.
func Shown(data []byte, f *host.ServerFormat, name string, mask func(definition.Value) definition.Value) map[int]string {
	if data == nil || isBlank(data, f) {
		return nil
	}
	top, err := read(data, f)
	if err != nil {
		return nil
	}
	servers, _ := member(top, f.Key)
	i := slices.IndexFunc(servers.Pairs, func(p definition.Entry) bool { return p.Key == name })
	if i < 0 {
		return nil
	}
	s := shower{data: data, toml: f.Syntax == definition.TOML, lines: map[int][]part{}}
	for at, b := range data {
		if b == '\n' {
			s.ends = append(s.ends, at)
		}
	}
	s.ends = append(s.ends, len(data))
	entry := servers.Pairs[i]
	s.pair(entry, mask(entry.Value))
	shown := map[int]string{}
	for n, parts := range s.lines {
		shown[n] = s.line(n, parts)
	}
	return shown
}

// part is a piece of a line and what is shown for it.
type part struct {
	from, to int
	text     string
}

type shower struct {
	data []byte
	toml bool
	// ends are the places of the ends of all lines.
	ends  []int
	lines map[int][]part
}

func (s *shower) number(at int) int {
	n, _ := slices.BinarySearch(s.ends, at)
	return n + 1
}

func (s *shower) pair(p definition.Entry, masked definition.Value) {
	from, to := p.KeySpan.Start, min(endOf(p.Value), len(s.data))
	n := s.number(from)
	if p.Value.Kind == definition.Map && len(p.Value.Pairs) > 0 && len(masked.Pairs) == len(p.Value.Pairs) && (s.number(to) != n || s.isTable(p.Value)) {
		if !s.isTable(p.Value) {
			text, open := s.key(p.Key), p.Value.Span.Start
			if s.number(open) == n {
				text, open = text+"{", open+1
			}
			s.lines[n] = append(s.lines[n], part{from, open, text})
		}
		for i, inner := range p.Value.Pairs {
			s.pair(inner, masked.Pairs[i].Value)
		}
		return
	}
	text := s.key(p.Key) + string(jsonc.AppendLine(nil, masked))
	if s.toml {
		text = s.key(p.Key) + "…"
		if l, err := tomlLine(p.Key, masked); err == nil {
			text = string(l)
		}
	}
	s.lines[n] = append(s.lines[n], part{from, to, text})
}

// isTable reports whether a map is a table of TOML with a line of its own as its head,
// which is shown anyway.
func (s *shower) isTable(v definition.Value) bool {
	return s.toml && (v.Span.Start >= len(s.data) || s.data[v.Span.Start] != '{')
}

func (s *shower) key(name string) string {
	if s.toml {
		return name + " = "
	}
	return string(jsonc.AppendKey(nil, name))
}

// line is what is shown of one line with some parts of the entry.
func (s *shower) line(n int, parts []part) string {
	start := 0
	if n > 1 {
		start = s.ends[n-2] + 1
	}
	end := s.ends[n-1]
	var b strings.Builder
	before := s.data[start:parts[0].from]
	if isFrame(before) {
		b.Write(before)
	} else {
		b.Write(before[:len(before)-len(bytes.TrimLeft(before, " \t"))])
		b.WriteString("…")
	}
	last := 0
	for i, p := range parts {
		if i > 0 && !strings.HasSuffix(parts[i-1].text, "{") {
			b.WriteString(", ")
		} else if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(p.text)
		last = max(last, p.to)
	}
	text := b.String()
	if len(text) > maxShown {
		return strings.ToValidUTF8(text[:maxShown], "") + "…\n"
	}
	if last >= end {
		return text + "\n"
	}
	after := bytes.TrimRight(s.data[last:end], " \t\r")
	if isFrame(after) {
		return text + string(after) + "\n"
	}
	return text + "…\n"
}

// isFrame reports whether nothing but brackets, commas and blanks stands in a text.
func isFrame(text []byte) bool { return len(bytes.Trim(text, "{}[], \t")) == 0 }
