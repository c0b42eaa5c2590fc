package fact

import (
	"strconv"
	"strings"

	"github.com/vadehq/vade/internal/audit/script"
)

func (c *codeReader) slice(owner value, k *script.Node, s *scope) value {
	for _, part := range k.Kids {
		c.eval(part, s)
	}
	v := value{taints: owner.all()}
	if len(k.Kids) == 3 && k.Kids[2].Op == script.Num && k.Kids[2].Text == "-1" {
		if owner.plain() && c.fold(len(owner.text)) {
			v.text, v.known = turned(owner.text), true
		}
		c.turns(&v, owner, k)
	}
	return v
}

// turns says of a text that it was turned round. Lists are turned round all the time.
func (c *codeReader) turns(v *value, of value, n *script.Node) {
	if of.known || of.has(ReadFile) || of.has(Fetch) {
		v.carry([]taint{{does: DecodeData, start: n.Start, end: max(n.End, n.Start), what: "reversed", literal: of.known}})
	}
}

func turned(s string) string {
	r := []rune(s)
	for i, j := 0, len(r)-1; i < j; i, j = i+1, j-1 {
		r[i], r[j] = r[j], r[i]
	}
	return string(r)
}

// fold reports whether so much more text may be put together.
func (c *codeReader) fold(n int) bool {
	c.folded += n
	return n <= maxText && c.folded <= maxFolded
}

// join puts texts one behind the other.
func (c *codeReader) join(parts ...value) value {
	var out value
	n, any := 0, false
	for i := range parts {
		out.carry(parts[i].all())
		if parts[i].known {
			n += len(parts[i].text)
			any = any || parts[i].text != ""
		} else {
			n++
		}
	}
	if !any || !c.fold(n) {
		return out
	}
	var b strings.Builder
	b.Grow(n)
	for i := range parts {
		if parts[i].known {
			b.WriteString(parts[i].text)
		} else {
			b.WriteString(unknown)
		}
	}
	out.text, out.known = b.String(), true
	return out
}

// binary is what operators make of operands.
func (c *codeReader) binary(n *script.Node, s *scope) value {
	vals := make([]value, len(n.Kids))
	for i, k := range n.Kids {
		vals[i] = c.eval(k, s)
	}
	marks := n.Text
	// Texts that are repeated or filled in come before those that are added.
	for i := 0; i < len(marks) && i+1 < len(vals); {
		a, b := vals[i], vals[i+1]
		var v value
		switch marks[i] {
		case '*':
			v.carry(a.all())
			if k, err := strconv.Atoi(b.text); err == nil && b.num && a.plain() && !a.num && k > 0 && k < maxText && c.fold(len(a.text)*k) {
				v.text, v.known = strings.Repeat(a.text, k), true
			} else if a.num && b.num {
				v = arithmetic(a, b, '*')
			}
		case '%':
			v = c.format(a, b)
		case '/':
			v = c.join(a, text("/"), b)
			if a.num || b.num {
				v = value{taints: v.taints}
			}
		default:
			i++
			continue
		}
		vals[i] = v
		vals = append(vals[:i+1], vals[i+2:]...)
		marks = marks[:i] + marks[i+1:]
	}
	if len(vals) == 1 {
		return vals[0]
	}
	if strings.Trim(marks, "+") == "" {
		lists := true
		numbers := true
		for i := range vals {
			lists = lists && (len(vals[i].items) > 0)
			numbers = numbers && vals[i].num
		}
		switch {
		case lists:
			var out value
			for i := range vals {
				out.carry(vals[i].taints)
				if len(out.items) < maxItems {
					out.items = append(out.items, vals[i].items...)
				}
			}
			return out
		case numbers:
			return arithmetic(vals[0], vals[1], '+')
		}
		return c.join(vals...)
	}
	var out value
	numbers := len(vals) == 2
	for i := range vals {
		out.carry(vals[i].all())
		numbers = numbers && vals[i].num
	}
	if numbers {
		return arithmetic(vals[0], vals[1], marks[0])
	}
	if strings.Contains(marks, "^") {
		out.carry([]taint{{does: DecodeData, start: n.Start, end: n.End, what: "xor"}})
	}
	return out
}

// arithmetic is that of two whole numbers.
func arithmetic(a, b value, mark byte) value {
	x, err1 := strconv.ParseInt(a.text, 0, 32)
	y, err2 := strconv.ParseInt(b.text, 0, 32)
	if err1 != nil || err2 != nil {
		return value{}
	}
	switch mark {
	case '+':
		x += y
	case '-':
		x -= y
	case '*':
		x *= y
	case '^':
		x ^= y
	default:
		return value{}
	}
	return value{text: strconv.FormatInt(x, 10), known: true, num: true}
}

// format fills values into the marks of a text: %s.
func (c *codeReader) format(a, b value) value {
	var out value
	out.carry(a.all())
	out.carry(b.all())
	if !a.known || a.num || !c.fold(len(a.text)) {
		return out
	}
	fill := b.items
	if len(fill) == 0 {
		fill = []value{b}
	}
	parts := []value{}
	rest, k := a.text, 0
	for k < len(fill) {
		i := strings.IndexByte(rest, '%')
		if i < 0 || i+1 >= len(rest) {
			break
		}
		parts = append(parts, text(rest[:i]), fill[k])
		rest = rest[i+2:]
		k++
	}
	v := c.join(append(parts, text(rest))...)
	out.text, out.known = v.text, v.known
	return out
}

// maxCodes bounds a list of numbers.
const maxCodes = 128 << 10

// list is that of items.
func (c *codeReader) list(n *script.Node, s *scope) value {
	var v value
	if len(n.Kids) > 3 && n.Text == "" {
		if codes, ok := numbers(n); ok {
			return value{codes: codes}
		}
	}
	for i, k := range n.Kids {
		one := c.eval(k, s)
		if k.Op == script.Spread {
			v.carry(one.all())
			v.items = append(v.items, one.items...)
			continue
		}
		if i < maxItems {
			v.items = append(v.items, one)
		} else {
			v.carry(one.all())
		}
	}
	if len(v.items) > maxItems {
		v.items = v.items[:maxItems]
	}
	return v
}

// numbers are those of a list that has only bytes.
func numbers(n *script.Node) ([]byte, bool) {
	if n.Kids[0].Op != script.Num {
		return nil, false
	}
	codes := make([]byte, 0, min(len(n.Kids), maxCodes))
	for _, k := range n.Kids {
		if k.Op != script.Num {
			return nil, false
		}
		x, err := strconv.ParseInt(k.Text, 0, 32)
		if err != nil || x < 0 || x > 255 || len(codes) >= maxCodes {
			return nil, false
		}
		codes = append(codes, byte(x))
	}
	return codes, true
}
