package render

import (
	"strings"

	"github.com/vadehq/vade/internal/body"
	"github.com/vadehq/vade/internal/host"
)

// substitute expands the arguments in a body the way a host does. If the body contains no
// placeholder that it can replace, it appends the arguments. In Claude Code 2.1.329, "$125" and an
// escaped "$0" do not count as replaced (case h82).
func substitute(in HostInput) marked {
	args := in.arguments()
	text := marked{text: in.Text}
	if in.Host.OneByOne {
		text.text = in.Place + in.Text
		text.foreign = []foreign{{0, len(in.Place), false}}
		return substituteInOrder(text, args, in)
	}
	segments := body.Placeholders(in.Text, body.Options{Names: in.Names}, in.Host.Escapes)
	var to markedBuilder
	to.b.Grow(len(in.Place) + len(in.Text) + len(in.Text)/8)
	to.foreign = make([]foreign, 0, 16)
	to.value(in.Place, false)
	at, taken := 0, false
	for seg := range segments {
		if to.tooLong {
			break
		}
		to.author(in.Text[at:seg.Span.Start])
		at = seg.Span.End
		switch v, ok := args.value(seg); {
		case seg.Escaped:
			to.author(seg.Source(in.Text)[1:])
		case !ok && seg.Name == "" && !in.Host.MissingEmpty:
			to.author(seg.Source(in.Text))
		default:
			taken = true
			to.value(guarded(in.Host, v), true)
		}
	}
	to.author(in.Text[at:])
	if !taken && args.Raw != "" {
		to.value(guarded(in.Host, in.Host.Append+args.Raw), true)
	}
	return to.done()
}

func guarded(h *host.Prompt, v string) string {
	if h.Guard == nil {
		return v
	}
	return h.Guard(v)
}

// arguments splits the argument line the way the host does.
func (in HostInput) arguments() Arguments {
	return Arguments{Raw: in.Line, Words: in.Host.Fields(in.Line)}
}

// substituteInOrder replaces one kind of placeholder after another, as Claude Code 2.1.88 does:
// names, $ARGUMENTS[N], $N, and finally $ARGUMENTS. In the last step, the argument line is
// interpreted as a JavaScript replacement string (case a13).
func substituteInOrder(text marked, args Arguments, in HostInput) marked {
	before := text.text
	named := func(names []string, at func(int) int) {
		text = text.replaceForms(names, func(seg body.Segment) (string, bool) {
			seg.Index = at(seg.Index)
			v, _ := args.value(seg)
			return v, seg.Name != ""
		})
	}
	if strings.IndexByte(args.Raw, '$') < 0 {
		// One pass is enough, because no inserted value can contain another placeholder.
		named(in.Names, func(i int) int { return i })
	} else {
		for i, name := range in.Names {
			named([]string{name}, func(int) int { return i })
		}
	}
	for _, brackets := range []bool{true, false} {
		text = text.replaceForms(nil, func(seg body.Segment) (string, bool) {
			if seg.Index == body.All || brackets != strings.HasSuffix(seg.Source(text.text), "]") {
				return "", false
			}
			v, _ := args.value(seg)
			return v, true
		})
	}
	now := text
	text = text.replaceForms(nil, func(seg body.Segment) (string, bool) {
		if seg.Index != body.All {
			return "", false
		}
		return replacement(args.Raw, now.text, seg.Span.Start, seg.Span.End), true
	})
	if text.text == before && args.Raw != "" {
		to := markedBuilder{}
		to.copy(text, 0, len(text.text))
		to.value(in.Host.Append+args.Raw, true)
		return to.done()
	}
	return text
}

// replaceForms replaces the placeholders for the given names, or the unnamed
// placeholders if names is empty.
func (m marked) replaceForms(names []string, value func(body.Segment) (string, bool)) marked {
	if strings.IndexByte(m.text, '$') < 0 {
		return m
	}
	return m.replace(body.Placeholders(m.text, body.Options{Names: names}, false), value)
}

// replacement expands a replacement string for JavaScript's String.replace: "$$" stands for a
// dollar sign, "$&" for the match, and "$`" and "$'" for the text before and after it.
func replacement(value, text string, start, end int) string {
	if strings.IndexByte(value, '$') < 0 {
		return value
	}
	var b strings.Builder
	for i := 0; i < len(value); i++ {
		if value[i] != '$' || i+1 == len(value) || b.Len() > maxReplacement {
			b.WriteByte(value[i])
			continue
		}
		switch value[i+1] {
		case '$':
			b.WriteByte('$')
		case '&':
			b.WriteString(text[start:end])
		case '`':
			b.WriteString(text[:start])
		case '\'':
			b.WriteString(text[end:])
		default:
			b.WriteByte('$')
			continue
		}
		i++
	}
	return b.String()
}

// maxReplacement limits how much one argument line can grow.
const maxReplacement = 1 << 20
