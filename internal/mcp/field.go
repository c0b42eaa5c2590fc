package mcp

import (
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/jsonc"
	"github.com/vadehq/vade/internal/secretnames"
)

// SecretField reports whether a field of a definition's frontmatter may hold a secret, at
// any depth: by the name of a key, unless its value is plainly none or refers to a
// variable, or by a part of the text that looks like a token. What stands under env
// or headers is judged as it is in the file of a server. known: the key is one of a
// definition's own fields, of which only the text counts.
func SecretField(key string, v definition.Value, known bool) bool {
	return hidden(key, v, known, false, 0)
}

func hidden(key string, v definition.Value, known, strict bool, depth int) bool {
	if depth > jsonc.MaxDepth {
		return true
	}
	switch v.Kind {
	case definition.Null, definition.Bool:
		return false
	case definition.List:
		named := false
		for _, item := range v.Items {
			// The value of a flag may be the next word.
			if named && item.Kind == definition.String && !harmless("token", item.Text) && !isReference(item.Text) || hidden(key, item, known, strict, depth+1) {
				return true
			}
			flag, value, with := strings.Cut(item.Text, "=")
			named = strings.HasPrefix(flag, "-") && secretnames.May(flag)
			if named && with && !harmless(flag, value) && !isReference(value) {
				return true
			}
			named = named && !with
		}
		return false
	case definition.Map:
		for _, p := range v.Pairs {
			inner := strict || isServerMap(key)
			if tokenIn(p.Key) || hidden(p.Key, p.Value, false, inner, depth+1) {
				return true
			}
		}
		return false
	}
	switch {
	case tokenIn(v.Text) || userIn(v.Text):
		return true
	case known || isReference(v.Text):
		return false
	case strict:
		return !harmless(key, v.Text)
	case v.Kind == definition.Number && len(v.Text) <= 9 && !strings.Contains(strings.ToLower(key), "pass") && !strings.Contains(strings.ToLower(key), "pin"):
		return false
	}
	return secretnames.May(key) && !harmless(key, v.Text)
}

// isServerMap reports whether a map has the values that servers are started with.
func isServerMap(key string) bool {
	switch strings.ToLower(key) {
	case "env", "headers", "http_headers", "http-headers":
		return true
	}
	return false
}

// isReference reports whether a text is nothing but the name of a variable, without
// a value that stands in for it. The word for a scheme may stand before it. In GitHub's
// files "${{ secrets.NAME }}" is one, and a name that begins with COPILOT_MCP_ that of a
// secret of the repository (documented).
func isReference(s string) bool {
	if scheme, rest, ok := strings.Cut(s, " "); ok {
		switch scheme {
		case "Bearer", "Basic", "Token", "token", "ApiKey":
			s = rest
		}
	}
	if inner, ok := strings.CutPrefix(s, "${{"); ok {
		inner, ok = strings.CutSuffix(inner, "}}")
		name, from := strings.CutPrefix(strings.TrimSpace(inner), "secrets.")
		if !from {
			name, from = strings.CutPrefix(name, "vars.")
		}
		return ok && from && isVariable(name)
	}
	if name, ok := strings.CutPrefix(s, "${"); ok {
		name, ok = strings.CutSuffix(name, "}")
		return ok && isVariable(strings.TrimPrefix(strings.TrimPrefix(name, "env:"), "input:"))
	}
	if name, ok := strings.CutPrefix(s, "$"); ok {
		return isVariable(name)
	}
	// A name of capitals that says itself that a secret goes by it.
	return host.IsSecretName(s) && isVariable(s) || strings.Contains(s, "_") && isVariable(s) && s == strings.ToUpper(s) && secretnames.May(s) &&
		!strings.ContainsAny(s, "0123456789-")
}

// isVariable reports whether a text can be the name of a variable, and looks like no
// token.
func isVariable(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) && !tokenIn(name)
}

// userIn reports whether a text has an address with a user and a password.
func userIn(s string) bool {
	for word := range strings.FieldsSeq(s) {
		if address, ok := cutScheme(word); ok {
			host, _, _ := strings.Cut(address, "/")
			if user, _, at := strings.Cut(host, "@"); at {
				if _, password, has := strings.Cut(user, ":"); has && password != "" && !isReference(password) {
					return true
				}
			}
		}
	}
	return false
}

// HideLine is one line of a file as it is shown to others: what may be a secret in a
// line of YAML, TOML or JSON, after its key, is ‹hidden›. What stands before the line,
// as in a diff, is mark.
func HideLine(mark, line string) string {
	end := len(line) - len(strings.TrimRight(line, "\r\n"))
	text, tail := line[:len(line)-end], line[len(line)-end:]
	at := strings.IndexAny(text, ":=")
	if at < 0 || tokenIn(text[:at]) {
		if tokenIn(text) || userIn(text) {
			return mark + "‹hidden›" + tail
		}
		return mark + line
	}
	key := strings.Trim(text[:at], " \t\"'-{,[")
	value := strings.Trim(text[at+1:], " \t\"',")
	plain := value == "" || strings.ContainsAny(key, " ") || isReference(value) || harmless(key, value) && !secretnames.May(key)
	if tokenIn(text) || userIn(text) || !plain && secretnames.May(key) && !harmless(key, value) {
		return mark + text[:at+1] + " ‹hidden›" + tail
	}
	return mark + line
}

// HideDiff is a unified diff in which no value shows that may be a secret.
func HideDiff(diff string) string {
	var b strings.Builder
	n := 0
	for line := range strings.Lines(diff) {
		// The first two lines name the files.
		if n++; n <= 2 || strings.HasPrefix(line, "@@") || len(line) < 2 {
			b.WriteString(line)
		} else {
			b.WriteString(HideLine(line[:1], line[1:]))
		}
	}
	return b.String()
}
