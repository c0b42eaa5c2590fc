package mcp

import (
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/jsonc"
	"github.com/vadehq/vade/internal/secret"
)

// SecretField reports whether a frontmatter field may contain a secret at any depth. A value may be
// a secret if it looks like a token, or if its key commonly names a secret and the value is neither
// plainly harmless nor a variable reference. Values below the keys env and headers are judged in
// the same way as in a server entry. If isKnown is set, key is one of the definition's standard
// fields, and a value is not judged by that key.
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
			if afterFlag && item.Kind == definition.String && !secret.Harmless("token", item.Text) && !isReference(item.Text) || mayBeSecret(key, item, known, inServerMap, depth+1) {
				return true
			}
			flag, value, hasValue := strings.Cut(item.Text, "=")
			afterFlag = strings.HasPrefix(flag, "-") && secret.May(flag)
			if afterFlag && hasValue && !secret.Harmless(flag, value) && !isReference(value) {
				return true
			}
			afterFlag = afterFlag && !hasValue
		}
		return false
	case definition.Map:
		for _, p := range v.Pairs {
			inner := inServerMap || isServerMap(key)
			if secret.HasToken(p.Key) || mayBeSecret(p.Key, p.Value, false, inner, depth+1) {
				return true
			}
		}
		return false
	}
	switch {
	case secret.HasToken(v.Text) || secret.HasCredentials(v.Text):
		return true
	case known || isReference(v.Text):
		return false
	case inServerMap:
		return !secret.Harmless(key, v.Text)
	case v.Kind == definition.Number && len(v.Text) <= 9 && !strings.Contains(strings.ToLower(key), "pass") && !strings.Contains(strings.ToLower(key), "pin"):
		return false
	}
	return secret.May(key) && !secret.Harmless(key, v.Text)
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
// authentication scheme may precede it. According to GitHub's documentation, "${{ secrets.NAME }}"
// is a reference, and a name with the prefix COPILOT_MCP_ refers to a repository secret.
func isReference(s string) bool {
	if scheme, rest, ok := strings.Cut(s, " "); ok && secret.IsScheme(scheme) {
		s = rest
	}
	// A bare variable name that commonly names a secret, such as API_TOKEN, is also a reference.
	isVariable := secret.IsReference("$" + s)
	return secret.IsReference(s) || isVariable && host.IsSecretName(s) ||
		isVariable && strings.Contains(s, "_") && s == strings.ToUpper(s) && secret.May(s) && !strings.ContainsAny(s, "0123456789-")
}

// HideLine prepares a line from a YAML, TOML or JSON file for display. It replaces a value that may
// be a secret with ‹hidden›. prefix is printed before the line, as in a diff.
func HideLine(prefix, line string) string {
	end := len(line) - len(strings.TrimRight(line, "\r\n"))
	text, tail := line[:len(line)-end], line[len(line)-end:]
	sep := strings.IndexAny(text, ":=")
	if sep < 0 || secret.HasToken(text[:sep]) {
		if secret.HasToken(text) || secret.HasCredentials(text) {
			return prefix + "‹hidden›" + tail
		}
		return prefix + line
	}
	key := strings.Trim(text[:sep], " \t\"'-{,[")
	value := strings.Trim(text[sep+1:], " \t\"',")
	isPlain := value == "" || strings.ContainsAny(key, " ") || isReference(value) || secret.Harmless(key, value) && !secret.May(key)
	if secret.HasToken(text) || secret.HasCredentials(text) || !isPlain && secret.May(key) && !secret.Harmless(key, value) {
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
