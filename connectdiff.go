package vade

import (
	"net/url"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/connect"
	"github.com/vadehq/vade/internal/definition"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/report"
)

// Diff is the change as a unified diff. Lines that say what Vade writes are shown in
// full. Of all others, which may hold secrets, only the frame is, also where they go.
func (c *Connection) Diff() string {
	var lines []string
	for _, v := range c.shown {
		if v.Kind == definition.Map {
			lines = append(lines, connect.Lines(c.format, connect.Entry{Name: c.Name, Value: v})...)
		}
	}
	var b strings.Builder
	n := 0
	for text := range strings.Lines(report.Diff(strings.TrimPrefix(c.Path, "/"), string(c.before), string(c.after))) {
		if n++; n > 2 && strings.ContainsAny(text[:1], " +-") {
			text = text[:1] + masked(text[1:], lines, c.format)
		}
		b.WriteString(text)
	}
	return b.String()
}

// masked is a line without what Vade does not write.
func masked(text string, lines []string, f *host.ServerFormat) string {
	word := strings.TrimSpace(text)
	if slices.Contains(lines, strings.TrimSuffix(word, ",")) || word == "" {
		return text
	}
	if out := frame(text, f); out == text {
		return out
	}
	// An entry between others on one line.
	for _, l := range lines {
		if strings.Contains(l, ": { ") && strings.Contains(word, l) {
			return "…" + l + "…\n"
		}
	}
	return frame(text, f)
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
