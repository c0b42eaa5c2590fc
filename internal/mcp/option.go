package mcp

import (
	"strings"

	"github.com/vadehq/vade/internal/secretnames"
)

// isPlainOption reports whether an option's value is plainly not a secret,
// judging by the option's name, given without dashes.
func isPlainOption(name string) bool {
	low := strings.ToLower(strings.ReplaceAll(name, "_", "-"))
	if secretnames.May(low) {
		return false
	}
	for _, p := range []string{"no-", "allow-", "enable-", "disable-", "skip-", "with-", "use-"} {
		if strings.HasPrefix(low, p) {
			return true
		}
	}
	switch low {
	case "y", "yes", "i", "t", "it", "d", "q", "v", "s", "stdio", "rm", "init", "interactive", "tty", "quiet", "silent", "verbose", "debug", "help", "headless",
		"isolated", "read-only", "readonly", "refresh", "force", "privileged", "detach", "offline", "prefer-offline", "watch", "bun", "deno", "node", "json", "jar",
		"c", "m", "e", "f", "n", "h", "l", "r", "env":
		return true
	}
	for _, part := range strings.FieldsFunc(low, func(r rune) bool { return r == '-' || r == '.' }) {
		switch part {
		case "port", "host", "hostname", "bind", "address", "dir", "directory", "path", "paths", "file", "files", "folder", "config", "mode", "transport", "level", "log",
			"package", "name", "from", "project", "cwd", "root", "url", "uri", "endpoint", "image", "format", "timeout", "model", "models", "browser", "region",
			"profile", "python", "module", "workspace", "toolset", "toolsets", "tool", "tools", "features", "feature", "require", "import", "network", "mount", "volume",
			"entrypoint", "platform", "pull", "filter", "type", "output", "input", "database", "db", "schema", "table", "server", "version", "language", "lang",
			"caps", "capabilities", "device", "viewport", "size", "max", "min", "limit", "count", "context", "namespace", "branch", "repo", "repository", "org",
			"header", "user-agent", "extension", "script", "eval", "command", "exec", "args", "category", "registry", "team", "group", "index":
			return true
		}
	}
	return false
}

// isOption reports whether s can be an option's name.
func isOption(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isLetter(c) && (i == 0 || !isDigit(c) && !strings.ContainsRune("-_.", rune(c))) {
			return false
		}
	}
	return s != ""
}

// isPlainWord reports whether an unknown option's value is plainly not a
// secret: a common word, a path, a URL, a scoped package or port numbers.
func isPlainWord(s string) bool {
	switch strings.ToLower(s) {
	case "", "true", "false", "yes", "no", "on", "off", "none", "null", "auto", "stdio", "http", "sse", "localhost",
		"debug", "info", "warn", "warning", "error", "trace", "production", "prod", "development", "dev", "staging", "test", "local", "main", "default", "utf-8",
		"core", "all", "read", "en":
		return true
	}
	if hasToken(s) {
		return false
	}
	if address, ok := cutScheme(s); ok {
		return !strings.ContainsAny(address, "@?#") && isPlainText(address, 40)
	}
	if isPath(s) && strings.ContainsAny(s[1:], `/\`) {
		return isPlainText(s, 40)
	}
	if scope, name, ok := strings.Cut(s, "/"); ok && strings.HasPrefix(scope, "@") && len(scope) > 2 && name != "" {
		return isPlainText(s, 40)
	}
	digits := strings.Trim(s, "0123456789")
	return digits == ":" && len(s) <= 11
}

// isPlainDefault reports whether a variable's default is plainly not a secret.
// key names the surrounding value, and name is the variable's name.
func isPlainDefault(key, name, s string) bool {
	if secretnames.May(key) || secretnames.May(name) {
		return s == ""
	}
	return isPlainWord(s) || len(s) <= 5 && strings.Trim(s, "0123456789") == ""
}

// hasSecretPair reports whether s contains a key=value pair, as in connection
// strings, whose key commonly names a secret.
func hasSecretPair(s string) bool {
	if !strings.Contains(s, "=") {
		return false
	}
	for i, piece := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(";&,\"'", r) }) {
		key, value, ok := strings.Cut(piece, "=")
		if i > 0 && ok && strings.TrimSpace(value) != "" && secretnames.May(strings.TrimSpace(key)) {
			return true
		}
	}
	return false
}

// hasUserPassword reports whether s has the form USER:PASSWORD@HOST without being a URL. Image
// digests are not passwords.
func hasUserPassword(s string) bool {
	if at := strings.IndexAny(s, `\`); at > 0 && s[at-1] == ':' && strings.Contains(s, "@") {
		return true
	}
	before, after, ok := strings.Cut(s, "@")
	if !ok || strings.HasPrefix(after, "sha256:") || strings.Contains(s, "://") {
		return false
	}
	_, password, ok := strings.Cut(before, ":")
	return ok && password != "" && !strings.ContainsAny(before, "/{}")
}

// hasPassword reports whether s contains a password in a URL, in a connection string, or
// before a host.
func hasPassword(s string) bool {
	if hasSecretPair(s) || hasUserPassword(s) {
		return true
	}
	address, ok := cutScheme(s)
	if !ok {
		return false
	}
	authority := address
	if i := strings.IndexAny(address, "/?#"); i >= 0 {
		authority = address[:i]
	}
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		_, password, set := strings.Cut(authority[:i], ":")
		if set && password != "" || !isPlainText(authority[:i], 20) {
			return true
		}
	}
	_, query, _ := strings.Cut(address[len(authority):], "?")
	for _, pair := range strings.FieldsFunc(query, func(r rune) bool { return strings.ContainsRune("&;#", r) }) {
		if key, value, ok := strings.Cut(pair, "="); ok && value != "" && secretnames.May(key) {
			return true
		}
	}
	return false
}
