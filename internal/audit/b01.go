package audit

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/fact"
)

// b01 judges the commands that a host runs while it loads the definition.
func b01() Rule {
	return Rule{
		ID: "B01", Name: "load-command", Title: "A command that runs while the definition is loaded does more than look",
		Severity: Review, Confidence: High, Scope: "definition",
		Why:   "It runs before the model or the user has read a word, each time.",
		Fix:   "Let such commands only read the project; tell the model to do the rest.",
		CWE:   []int{78, 829},
		OWASP: "AST01", find: findB01,
	}
}

func findB01(p *pass) {
	for _, i := range p.loading() {
		c := &p.Commands[i]
		severity, word := loadWeight(c)
		switch {
		case severity == Clean:
		case severity == Review && word == runsOwn && p.regionAt(c.Place, fact.Fence) != nil:
			p.at(c.Place, "%s %s while the definition is loaded, though it stands in a block of code", c.Name, word).guarded().as(Inform, Medium).standing(c.Standing)
		case severity == Inform:
			p.at(c.Place, "%s %s while the definition is loaded", c.Name, word).guarded().as(Inform, High).standing(c.Standing).forPersona(Pedantic)
		default:
			p.at(c.Place, "%s %s while the definition is loaded", c.Name, word).guarded().standing(c.Standing)
		}
	}
}

// loading are the indices of the commands in the body of the definition that hosts
// run while they load it.
func (p *pass) loading() []int {
	var list []int
	for i := range p.Commands {
		c := &p.Commands[i]
		if c.Medium == fact.Shell && c.File == 0 && c.Span.Start >= p.Body {
			list = append(list, i)
		}
	}
	return list
}

// runsOwn is what a command does that runs a program of the package: that is judged
// by itself. Most authors show something in a block of code.
const runsOwn = "runs a program of the package or project"

// loadWeight says what a command does that runs at loading, and how much it matters.
func loadWeight(c *fact.Command) (Severity, string) {
	for _, w := range c.Writes {
		if w != "/dev/null" && w != "/dev/stderr" && w != "&1" && w != "&2" && w != "nul" {
			return Review, "writes to " + w
		}
	}
	has := func(words ...string) bool {
		return slices.ContainsFunc(c.Args, func(a string) bool { return slices.Contains(words, a) })
	}
	switch c.Name {
	case "npx", "uvx", "bunx", "pipx", "docker", "podman":
		return Review, "fetches and runs a program"
	case "eval", "base64", "xxd", "openssl", "osascript", "crontab", "launchctl", "schtasks", "nohup", "sudo", "su", "doas":
		return Review, "runs"
	case "rm", "mv", "cp", "tee", "touch", "chmod", "chown", "ln", "mkdir", "dd", "truncate", "install", "kill", "pkill", "unzip", "tar", "patch":
		return Review, "changes files or processes"
	case "sed":
		if has("-i", "--in-place") {
			return Review, "changes files"
		}
	case "git":
		if has("push", "commit", "checkout", "reset", "clean", "config", "clone", "pull", "fetch", "apply", "am", "submodule", "rebase", "merge") {
			return Review, "changes the repository or fetches"
		}
	case "pip", "pip3", "npm", "pnpm", "yarn", "bun", "brew", "apt", "apt-get", "gem", "cargo", "go", "uv":
		if has("install", "add", "i", "get", "ci", "dlx", "exec") {
			return Review, "installs"
		}
	case "sh", "bash", "zsh", "dash", "python", "python3", "node", "ruby", "perl", "php", "deno", "pwsh", "powershell", "source", ".":
		if len(c.Args) > 0 && !has("-c", "-e", "--version", "-V", "-v") {
			return Review, runsOwn
		}
		if c.Name != "sh" && c.Name != "bash" && c.Name != "zsh" && has("-c", "-e") {
			return Review, "runs code that stands in its arguments"
		}
	}
	switch {
	case netProgram(c.Name) && !local(c.Args):
		return Review, "reaches for the network"
	case strings.HasPrefix(c.Text, "./") || strings.HasPrefix(c.Text, "$") && strings.Contains(c.Text, "/") || strings.HasPrefix(c.Text, "~/"):
		return Review, runsOwn
	case c.Packed:
		return Review, "was encoded and runs"
	}
	return Inform, "runs"
}
