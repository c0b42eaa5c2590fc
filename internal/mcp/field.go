package mcp

import (
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/jsonc"
	"github.com/vadehq/vade/internal/secretnames"
)

// SecretField reports whether a frontmatter field may contain a secret at any depth. A value may be
// a secret if it looks like a token, or if its key commonly names a secret and the value is neither
// plainly harmless nor a variable reference. Values under env and headers are judged as they are in
// a server entry. If isKnown is set, key is one of the definition's standard fields and says
// nothing about its value.
func SecretField(key string, v definition.Value, isKnown bool) bool {
	return mayBeSecret(key, v, isKnown, false, 0)
}

func mayBeSecret(key string, v definition.Value, known, inServerMap bool, depth int) bool {
	if depth > jsonc.MaxDepth {
		return true
	}
	switch v.Kind {
	case definition.Null, definition.Bool:
		return false
	case definition.List:
		afterFlag := false
		for _, item := range v.Items {
			// A flag's value may be the next item.
			if afterFlag && item.Kind == definition.String && !isHarmless("token", item.Text) && !isReference(item.Text) || mayBeSecret(key, item, known, inServerMap, depth+1) {
				return true
			}
			flag, value, hasValue := strings.Cut(item.Text, "=")
			afterFlag = strings.HasPrefix(flag, "-") && secretnames.May(flag)
			if afterFlag && hasValue && !isHarmless(flag, value) && !isReference(value) {
				return true
			}
			afterFlag = afterFlag && !hasValue
		}
		return false
	case definition.Map:
		for _, p := range v.Pairs {
			inner := inServerMap || isServerMap(key)
			if hasToken(p.Key) || mayBeSecret(p.Key, p.Value, false, inner, depth+1) {
				return true
			}
		}
		return false
	}
	switch {
	case hasToken(v.Text) || hasCredentials(v.Text):
		return true
	case known || isReference(v.Text):
		return false
	case inServerMap:
		return !isHarmless(key, v.Text)
	case v.Kind == definition.Number && len(v.Text) <= 9 && !strings.Contains(strings.ToLower(key), "pass") && !strings.Contains(strings.ToLower(key), "pin"):
		return false
	}
	return secretnames.May(key) && !isHarmless(key, v.Text)
}

// isServerMap reports whether a key holds a map of environment variables or HTTP headers.
func isServerMap(key string) bool {
	switch strings.ToLower(key) {
	case "env", "headers", "http_headers", "http-headers":
		return true
	}
	return false
}

// isReference reports whether s consists of a single variable reference without a default. An
// authentication scheme may precede it. In GitHub's files, "${{ secrets.NAME }}" is a reference,
// and a name with the prefix COPILOT_MCP_ refers to a repository secret (documented).
func isReference(s string) bool {
	if scheme, rest, ok := strings.Cut(s, " "); ok && isScheme(scheme) {
		s = rest
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
	// A bare variable name that commonly names a secret, such as API_TOKEN, is also a reference.
	return host.IsSecretName(s) && isVariable(s) || strings.Contains(s, "_") && isVariable(s) && s == strings.ToUpper(s) && secretnames.May(s) &&
		!strings.ContainsAny(s, "0123456789-")
}

// isVariable reports whether name is a valid variable name that does not look like a token.
func isVariable(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) && !hasToken(name)
}

// hasCredentials reports whether s contains a URL with a user and password.
func hasCredentials(s string) bool {
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

// HideLine prepares a line from a YAML, TOML or JSON file for display. It replaces a value that may
// be a secret with ‹hidden›. prefix is printed before the line, as in a diff.
func HideLine(prefix, line string) string {
	end := len(line) - len(strings.TrimRight(line, "\r\n"))
	text, tail := line[:len(line)-end], line[len(line)-end:]
	sep := strings.IndexAny(text, ":=")
	if sep < 0 || hasToken(text[:sep]) {
		if hasToken(text) || hasCredentials(text) {
			return prefix + "‹hidden›" + tail
		}
		return prefix + line
	}
	key := strings.Trim(text[:sep], " \t\"'-{,[")
	value := strings.Trim(text[sep+1:], " \t\"',")
	isPlain := value == "" || strings.ContainsAny(key, " ") || isReference(value) || isHarmless(key, value) && !secretnames.May(key)
	if hasToken(text) || hasCredentials(text) || !isPlain && secretnames.May(key) && !isHarmless(key, value) {
		return prefix + text[:sep+1] + " ‹hidden›" + tail
	}
	return prefix + line
}

// HideDiff hides values that may be secrets in a unified diff.
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
