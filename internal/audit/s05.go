package audit

import (
	"strings"

	"github.com/vadehq/vade/internal/audit/fact"
)

// s05 finds programs of others that are run or installed in whatever version there is.
func s05() Rule {
	return Rule{
		ID: "S05", Name: "unpinned-dependency", Title: "A program of others is fetched in whatever version there is",
		Severity: Inform, Confidence: High, Scope: "package",
		Why:   "What runs tomorrow is not what was looked at today.",
		Fix:   "Name the version, better with a checksum or a lock file.",
		CWE:   []int{494, 1357},
		OWASP: "AST07", find: findS05,
	}
}

func findS05(p *pass) {
	for i := range p.Commands {
		c := &p.Commands[i]
		if !c.Meant() {
			continue
		}
		if what := unpinned(c); what != "" {
			p.at(c.Place, "%s without a version", what).standing(c.Standing).forPersona(Pedantic)
		}
	}
}

// unpinned names what a command fetches in no certain version; "" is nothing.
func unpinned(c *fact.Command) string {
	args := c.Args
	switch c.Name {
	case "npx", "bunx", "uvx":
		if !pinned(args) {
			return operand(args)
		}
	case "pnpm", "yarn", "npm":
		if len(args) > 1 && (args[0] == "dlx" || args[0] == "exec") && !pinned(args[1:]) {
			return operand(args[1:])
		}
	case "pip", "pip3", "uv", "pipx":
		for _, a := range args {
			if strings.Contains(a, "git+") && !hexTail(a) {
				return a
			}
		}
	case "go":
		if len(args) > 1 && (args[0] == "install" || args[0] == "run") && strings.HasSuffix(args[len(args)-1], "@latest") {
			return args[len(args)-1]
		}
	}
	return ""
}

// operand is the first word that is no option.
func operand(args []string) string {
	for i, a := range args {
		if a == "-p" || a == "--package" || a == "--from" {
			if i+1 < len(args) {
				return args[i+1]
			}
		}
		if !strings.HasPrefix(a, "-") {
			return a
		}
	}
	return ""
}

// pinned reports whether the package that is run has a version behind it, or is one
// of the machine's own.
func pinned(args []string) bool {
	name := operand(args)
	if name == "" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "/") || strings.HasPrefix(name, "$") {
		return true
	}
	if strings.Contains(name, "==") {
		return true
	}
	at := strings.LastIndexByte(name, '@')
	return at > 0 && at+1 < len(name) && name[at+1] >= '0' && name[at+1] <= '9'
}

// hexTail reports whether an address ends in the sum of a commit or in a version.
func hexTail(text string) bool {
	_, tag, found := strings.Cut(text[strings.Index(text, "git+")+4:], "://")
	if !found {
		return false
	}
	at := strings.LastIndexByte(tag, '@')
	if at < 0 {
		return false
	}
	tag, _, _ = strings.Cut(tag[at+1:], "#")
	return len(tag) >= 7 && strings.Trim(tag, "0123456789abcdef") == "" || len(tag) > 1 && (tag[0] == 'v' || tag[0] >= '0' && tag[0] <= '9') && strings.Contains(tag, ".")
}
