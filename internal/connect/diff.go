package connect

import (
	"net/url"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/textdiff"
)

// Diff is the change as a unified diff. Of the entry all is shown, before and after, but
// for values that may be secrets, which are "…". Of all else, which may hold secrets too,
// only the frame is, also where it goes.
func (c *Connection) Diff() string {
	var lines []string
	for _, v := range c.shown {
		if v.Kind == definition.Map {
			lines = append(lines, Lines(c.format, Entry{Name: c.Name, Value: v})...)
		}
	}
	mask := func(v definition.Value) definition.Value { return maskedEntry(v, c.format) }
	was, is := Shown(c.before, c.format, c.Name, mask), Shown(c.after, c.format, c.Name, mask)
	var b strings.Builder
	n, from, to := 0, 0, 0
	for text := range strings.Lines(textdiff.Diff(strings.TrimPrefix(c.Path, "/"), string(c.before), string(c.after))) {
		n++
		op := byte(0)
		if n > 2 {
			op = text[0]
		}
		switch op {
		case '@':
			from, to = hunkStart(text, '-'), hunkStart(text, '+')
		case '+':
			text = "+" + masked(text[1:], lines, is[to], c.format)
			to++
		case ' ', '-':
			text = text[:1] + masked(text[1:], lines, was[from], c.format)
			from++
			if op == ' ' {
				to++
			}
		}
		b.WriteString(text)
	}
	return b.String()
}

// hunkStart is the number behind a sign in the head of a hunk.
func hunkStart(head string, sign byte) int {
	n := 0
	for _, c := range []byte(head[strings.IndexByte(head, sign)+1:]) {
		if c < '0' || c > '9' {
			break
		}
		n = 10*n + int(c-'0')
	}
	return n
}

// masked is a line without what may be secret. shown is what may be shown of a line of
// the entry.
func masked(text string, lines []string, shown string, f *host.ServerFormat) string {
	word := strings.TrimSpace(text)
	if slices.Contains(lines, strings.TrimSuffix(word, ",")) || word == "" {
		return text
	}
	if shown != "" {
		return shown
	}
	return frame(text, f)
}

// hiddenValue stands for a value that is not shown.
func hiddenValue() definition.Value {
	return definition.Value{Kind: definition.String, Text: "…"}
}

// maskedEntry is an entry as it may be shown: the program and the words that Vade writes
// as they are, of other arguments the names of options, of an address its host, of maps
// their keys. What is true, false or a number says nothing secret.
func maskedEntry(entry definition.Value, f *host.ServerFormat) definition.Value {
	if entry.Kind != definition.Map {
		return hiddenValue()
	}
	out := entry
	out.Pairs = slices.Clone(entry.Pairs)
	for i := range out.Pairs {
		p := &out.Pairs[i]
		if v, ok := plainValue(p.Key, p.Value, f); !ok || !Same(v, p.Value) {
			p.Value = maskedValue(p.Key, p.Value, f)
		}
	}
	return out
}

func maskedValue(key string, v definition.Value, f *host.ServerFormat) definition.Value {
	switch {
	case key == "command" && v.Kind == definition.String:
		v.Text = shownProgram(v.Text)
		return v
	case v.Kind == definition.List && (key == "command" || key == f.Args):
		v.Items = slices.Clone(v.Items)
		for i := range v.Items {
			switch item := &v.Items[i]; {
			case item.Kind != definition.String:
				*item = hiddenValue()
			case key == "command" && i == 0:
				item.Text = shownProgram(item.Text)
			default:
				item.Text = shownArgument(item.Text)
			}
		}
		return v
	case isAddress(key, f):
		u, err := url.Parse(v.Text)
		if v.Kind == definition.String && err == nil && u.Host != "" {
			v.Text = u.Scheme + "://" + u.Host + "/…"
			return v
		}
	case v.Kind == definition.Map:
		var own definition.Value
		if plain, ok := plainValue(key, v, f); ok {
			own = plain
		}
		v.Pairs = slices.Clone(v.Pairs)
		for i, p := range v.Pairs {
			if written, ok := member(own, p.Key); !ok || !Same(written, p.Value) {
				v.Pairs[i].Value = hiddenValue()
			}
		}
		return v
	case v.Kind == definition.Bool || v.Kind == definition.Number || v.Kind == definition.Null:
		return v
	}
	return hiddenValue()
}

// shownProgram is a command up to where something else than a program may begin.
func shownProgram(text string) string {
	if i := strings.IndexAny(text, " \t\n=;|&"); i >= 0 {
		return text[:i] + "…"
	}
	return text
}

// shownArgument is an argument that can be no secret, or the name of an option.
func shownArgument(text string) string {
	name, _, value := strings.Cut(text, "=")
	switch {
	case text == "serve" || len(text) == 2 && text[0] == '-':
		return text
	case !strings.HasPrefix(name, "--") || strings.ContainsAny(name, " \t\n"):
		return "…"
	case value:
		return name + "=…"
	}
	return name
}

// frame is a line without its values: brackets, the key of an object and the head of a
// table of servers stay. What only looks so in a comment or in a text does not.
func frame(text string, f *host.ServerFormat) string {
	word := strings.TrimSpace(text)
	key, isKey := strings.CutSuffix(word, "{")
	key = strings.TrimRight(strings.TrimSpace(key), ": ")
	isKey = isKey && len(key) > 1 && key[0] == '"' && strings.IndexByte(key[1:], '"') == len(key)-2
	isTable := f.Syntax == definition.TOML && strings.HasPrefix(word, "["+f.Key+".") && strings.HasSuffix(word, "]") && !strings.ContainsAny(word, "=,\"'")
	if strings.Trim(word, "{}[],") == "" || isKey || isTable {
		return text
	}
	return text[:strings.Index(text, word)] + "…\n"
}

// plainOf is what of an entry holds no secret and is written by Vade alone.
func plainOf(entry definition.Value, f *host.ServerFormat) definition.Value {
	plain := definition.Value{Kind: entry.Kind}
	for _, p := range entry.Pairs {
		if v, ok := plainValue(p.Key, p.Value, f); ok {
			plain.Pairs = append(plain.Pairs, definition.Entry{Key: p.Key, Value: v})
		}
	}
	return plain
}

// plainValue is what of a value Vade may have written, and whether it is anything.
func plainValue(key string, v definition.Value, f *host.ServerFormat) (definition.Value, bool) {
	switch {
	case key == "command" && v.Kind == definition.List:
		return v, len(v.Items) > 0 && isVade(v.Items[0].Text) && plainArgs(v.Items[1:])
	case key == "command":
		return v, v.Kind == definition.String && isVade(v.Text)
	case key == f.Args:
		return v, v.Kind == definition.List && plainArgs(v.Items)
	case isAddress(key, f):
		u, err := url.Parse(v.Text)
		return v, err == nil && u.User == nil && u.RawQuery == "" && u.Fragment == "" && u.Path == serverPath
	case key == "type":
		return v, slices.ContainsFunc(f.Types, func(w host.ServerWord) bool { return w.Word == v.Text })
	case key == f.Tools:
		return v, v.Kind == definition.List && len(v.Items) == 1 && v.Items[0].Text == f.AllTools
	case key == f.Bearer:
		return v, v.Text == TokenVariable
	case key == f.Headers:
		i := slices.IndexFunc(v.Pairs, func(p definition.Entry) bool {
			rest, ok := strings.CutPrefix(p.Value.Text, "Bearer ")
			return ok && p.Key == "Authorization" && strings.Contains(rest, TokenVariable) && strings.Trim(strings.ReplaceAll(rest, TokenVariable, ""), "${}env:") == ""
		})
		if i < 0 {
			return v, false
		}
		v.Pairs = v.Pairs[i : i+1]
		return v, true
	}
	return v, false
}

// plainArgs reports whether arguments are those that Vade writes.
func plainArgs(args []definition.Value) bool {
	return len(args) > 0 && args[0].Text == "serve" && (len(args) == 1 || len(args) == 3 && args[1].Text == "-C")
}

// isVade reports whether a program is called vade, wherever it is.
func isVade(command string) bool {
	return strings.TrimSuffix(command[strings.LastIndexAny(command, `/\`)+1:], ".exe") == "vade"
}
