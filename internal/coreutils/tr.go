package coreutils

import (
	"bytes"
	"context"
	"io"
	"strings"
)

func tr(p *parsed) (*Prepared, error) {
	remove, squeeze := p.has("d"), p.has("s")
	least, most := 2, 2
	switch {
	case remove && !squeeze:
		least, most = 1, 1
	case squeeze && !remove:
		least = 1
	}
	if n := len(p.operands); n < least || n > most {
		return nil, usage(0, "expected %d character sets", least)
	}
	from, err := trSet(p.operands[0])
	if err != nil {
		return nil, err
	}
	if p.has("c") {
		var rest []byte
		for c := range 256 {
			if bytes.IndexByte(from, byte(c)) < 0 {
				rest = append(rest, byte(c))
			}
		}
		from = rest
	}
	to, last := [256]byte{}, from
	for c := range to {
		to[c] = byte(c)
	}
	if len(p.operands) == 2 {
		if last, err = trSet(p.operands[1]); err != nil {
			return nil, err
		}
		if len(last) == 0 && !remove {
			return nil, usage(p.operands[1].Word, "the second set is empty")
		}
		for i, c := range from {
			if !remove {
				to[c] = last[min(i, len(last)-1)]
			}
		}
	}
	var drop, squeezed [256]bool
	for _, c := range from {
		drop[c] = remove
	}
	for _, c := range last {
		squeezed[c] = squeeze
	}
	return &Prepared{Run: func(ctx context.Context, x *IO) int {
		out, before := x.output(), -1
		status := x.eachInput(ctx, "tr", []string{"-"}, 1, func(in io.Reader) error {
			buf := make([]byte, 32<<10)
			for {
				n, err := in.Read(buf)
				for _, c := range buf[:n] {
					if drop[c] || squeezed[to[c]] && before == int(to[c]) {
						continue
					}
					before = int(to[c])
					out.WriteByte(to[c])
				}
				if _, broken := out.Write(nil); broken != nil {
					return errStop
				}
				if err != nil {
					return notEOF(err)
				}
			}
		})
		return x.finish(ctx, out, status)
	}}, nil
}

// trSet parses a set of bytes: characters, escapes, ranges and classes.
func trSet(p Path) (set []byte, err error) {
	text, _ := unescape(p.Name, true)
	for text != "" {
		if rest, ok := strings.CutPrefix(text, "[:"); ok {
			if name, rest, ok := strings.Cut(rest, ":]"); ok {
				in := byteClass(name)
				if in == nil {
					return nil, usage(p.Word, "unknown class [:%s:]", name)
				}
				for c := range 256 {
					if in(byte(c)) {
						set = append(set, byte(c))
					}
				}
				text = rest
				continue
			}
		}
		if strings.HasPrefix(text, "[=") || len(text) > 3 && text[0] == '[' && text[2] == '*' {
			return nil, usage(p.Word, "[=c=] and [c*n] are not supported")
		}
		low, high, used := text[0], text[0], 1
		if len(text) > 2 && text[1] == '-' {
			high, used = text[2], 3
		}
		if low > high {
			return nil, usage(p.Word, "a range is in reverse order")
		}
		for c := int(low); c <= int(high); c++ {
			set = append(set, byte(c))
		}
		text = text[used:]
	}
	return set, nil
}

// byteClass returns a function that matches the bytes of a class, or nil for an unknown class.
func byteClass(name string) func(c byte) bool {
	upper := func(c byte) bool { return 'A' <= c && c <= 'Z' }
	lower := func(c byte) bool { return 'a' <= c && c <= 'z' }
	digit := func(c byte) bool { return '0' <= c && c <= '9' }
	graph := func(c byte) bool { return '!' <= c && c <= '~' }
	switch name {
	case "alpha":
		return func(c byte) bool { return upper(c) || lower(c) }
	case "alnum":
		return func(c byte) bool { return upper(c) || lower(c) || digit(c) }
	case "digit":
		return digit
	case "upper":
		return upper
	case "lower":
		return lower
	case "space":
		return func(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }
	case "blank":
		return func(c byte) bool { return c == ' ' || c == '\t' }
	case "punct":
		return func(c byte) bool { return graph(c) && !upper(c) && !lower(c) && !digit(c) }
	case "cntrl":
		return func(c byte) bool { return c < ' ' || c == 0x7f }
	case "print":
		return func(c byte) bool { return c == ' ' || graph(c) }
	}
	return nil
}
