package mcp

import (
	"strings"

	"github.com/vadehq/vade/internal/secret"
)

// isPlainOption reports whether an option's value is plainly not a secret,
// judging by the option's name, given without dashes.
func isPlainOption(name string) bool {
	low := strings.ToLower(strings.ReplaceAll(name, "_", "-"))
	if secret.May(low) {
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
	if secret.HasToken(s) {
		return false
	}
	if address, ok := secret.CutScheme(s); ok {
		return !strings.ContainsAny(address, "@?#") && secret.PlainText(address, 40)
	}
	if secret.IsPath(s) && strings.ContainsAny(s[1:], `/\`) {
		return secret.PlainText(s, 40)
	}
	if scope, name, ok := strings.Cut(s, "/"); ok && strings.HasPrefix(scope, "@") && len(scope) > 2 && name != "" {
		return secret.PlainText(s, 40)
	}
	digits := strings.Trim(s, "0123456789")
	return digits == ":" && len(s) <= 11
}

// isPlainDefault reports whether a variable's default is plainly not a secret.
// key names the surrounding value, and name is the variable's name.
func isPlainDefault(key, name, s string) bool {
	if secret.May(key) || secret.May(name) {
		return s == ""
	}
	return isPlainWord(s) || len(s) <= 5 && strings.Trim(s, "0123456789") == ""
}
