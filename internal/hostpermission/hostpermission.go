// Package hostpermission predicts a host's own permission check for a shell command in a body:
// whether the host would run the command and, if not, which message it would print. The package has
// no side effects and does not allow anything. Package policy separately decides whether Vade runs
// a command.
//
// Everything specific to a host (its lists, modes and messages) is in a
// [host.Permission]. This package implements the order of the checks:
//
//  1. Deny rules, then ask rules, for each command.
//  2. Parts whose value is unknown before the command runs: variables and
//     substitutions.
//  3. A directory change before a command whose effect depends on the directory.
//  4. For each command: its paths, then the rules that allow it, then whether it is read-only.
//     Paths come first, because a rule that allows a command does not allow it to write to every
//     path.
//
// Hosts prompt the user about all other commands, but here no user can answer.
// A rule for the whole tool, or a mode without prompts, allows them.
package hostpermission

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/shell"
)

// Command holds a shell command in a body, along with everything that the host's decision depends
// on.
type Command struct {
	// Text is the command as the host would run it, after argument substitution.
	Text string
	// Dir is the session's directory. Commands run in it, and may read and write it. Project is the
	// project root; patterns with a leading slash are relative to it. If one of them is empty, the
	// other is used. Both are absolute paths without symlinks.
	Dir, Project string
	// Additional lists the session's additional directories, as absolute paths.
	Additional []string
	// Home replaces "~" in paths. It is empty if unknown.
	Home string
	// Allowed is the definition's allowed-tools field. In its rules, ${NAME} is replaced with its
	// value in Variables. A rule that contains an unknown name never matches.
	Allowed   []string
	Variables map[string]string
	// Allow, Deny and Ask are the permission rules in the settings. Each item is one rule.
	Allow, Deny, Ask []string
	// Mode is the host's name for its permission mode; "" is the default mode.
	Mode string
}

// Checker checks the commands in one body. It parses the rules only once. It is not safe for
// concurrent use.
type Checker struct{ k *check }

// New returns a Checker for commands with c's settings; it ignores c.Text. If p is nil, the host
// has no check and runs everything. Only the first 4,096 rules in each list apply.
func New(p *host.Permission, c Command) *Checker {
	if p == nil {
		return &Checker{}
	}
	return &Checker{newCheck(p, c)}
}

// Check returns "" if the host would run a command, and otherwise the reason that the host prints.
func (r *Checker) Check(text string) (refusal string) {
	if r.k == nil {
		return ""
	}
	k := r.k
	k.Text = strings.TrimSpace(text)
	answer := k.judge()
	switch {
	case whole(k.deny):
		return k.Texts.DeniedTool
	case answer.decision == allowed || answer.decision == denied:
		return answer.text
	case k.in(k.Bypass) && !answer.alwaysAsk:
		return ""
	case whole(k.allow) && !answer.alwaysAsk:
		return ""
	case k.in(k.Silent):
		return k.Texts.Silent
	}
	return answer.text
}

// in reports whether the host is in the given permission mode. If the host does not have the mode,
// mode is "" and the result is false.
func (k *check) in(mode string) bool { return mode != "" && k.Mode == mode }

func whole(rules []rule) bool {
	return slices.ContainsFunc(rules, func(r rule) bool { return r.whole })
}

// answer is the host's decision about a command line or one of its commands.
type answer struct {
	decision decision
	text     string
	// If alwaysAsk is set, the host prompts regardless of the mode and the allow rules.
	alwaysAsk bool
}

type decision uint8

const (
	// open means that no check has allowed or denied the command or required a prompt. The host has
	// no separate message for this decision.
	open decision = iota
	allowed
	asked
	denied
)

// check holds a Command and its parsed rules.
type check struct {
	*host.Permission
	Command
	allow, deny, ask []rule
	// dirs are the working directories.
	dirs  []string
	files files
}

func newCheck(p *host.Permission, c Command) *check {
	c.Dir = cmp.Or(c.Dir, c.Project)
	c.Project = cmp.Or(c.Project, c.Dir)
	k := &check{Permission: p, Command: c, dirs: append([]string{c.Dir}, c.Additional...)}
	var own []string
	for _, s := range c.Allowed {
		own = append(own, frontmatter.SplitRules(s)...)
	}
	k.allow = append(readRules(p.Tool, own, c.Variables), readRules(p.Tool, c.Allow, nil)...)
	k.deny, k.ask = readRules(p.Tool, c.Deny, nil), readRules(p.Tool, c.Ask, nil)
	return k
}

// judge returns the answer for the whole command line.
func (k *check) judge() answer {
	ask := answer{decision: asked, text: k.Texts.Approval}
	o, err := &shell.CommandList{}, error(nil)
	long := tooLong(k.Text, k.MaxText)
	if !long {
		o, err = shell.ListCommands(k.Text)
	}
	if long || err != nil {
		if a, found := k.deniedOrAsked(k.Text, []string{k.Text}); found {
			return a
		}
		return ask
	}
	var byRule answer
	for _, c := range o.Commands {
		a, found := k.deniedOrAsked(c.Text, k.spellings(c, true))
		if a.decision == denied {
			return a
		}
		if found && byRule.decision == open {
			byRule = a
		}
	}
	if byRule.decision != open {
		return byRule
	}
	if len(o.Opaque) > 0 {
		return answer{decision: asked, text: cmp.Or(k.Texts.Opaque(o.Opaque[0]), k.Texts.Approval)}
	}
	for _, c := range o.Commands {
		if _, words := k.unwrap(c); len(words) > 0 && k.known(words).Evaluates {
			return answer{decision: asked, text: k.Texts.Evaluates(words[0].Text)}
		}
	}
	a := k.judgeAll(o.Commands)
	if a.decision == allowed && o.Background {
		return answer{decision: asked, text: k.Texts.Background}
	}
	return a
}

// judgeAll returns the answer for commands whose words are all known.
func (k *check) judgeAll(list []shell.Simple) answer {
	var parts []string
	var last, alwaysAsk answer
	for _, c := range list {
		a := k.command(c)
		if a.decision == denied {
			return a
		}
		if a.alwaysAsk && alwaysAsk.decision == open {
			alwaysAsk = a
		}
		if a.decision != allowed {
			last = a
			parts = append(parts, cmp.Or(c.Text, k.Text))
		}
	}
	if a, found := k.changesDir(list); found && alwaysAsk.decision == open {
		return a
	}
	switch {
	case alwaysAsk.decision != open && (k.in(k.Bypass) || whole(k.allow)):
		// The host prompts only about the command that requires a prompt in every mode.
		return alwaysAsk
	case len(parts) == 0:
		return answer{decision: allowed}
	case len(parts) == 1 && last.decision == asked:
		return last
	case len(list) == 1:
		return answer{decision: asked, text: k.Texts.Approval}
	}
	return answer{decision: asked, text: k.Texts.Parts(parts)}
}

// changesDir looks for a directory change that is followed by a command whose effect depends on the
// directory. It returns the answer for such a change, and whether there is one.
func (k *check) changesDir(list []shell.Simple) (answer, bool) {
	moves := false
	for _, c := range list {
		_, unwrap := k.unwrap(c)
		if len(unwrap) == 0 {
			continue
		}
		known := k.known(unwrap)
		switch {
		case moves && known.Enters:
			return answer{decision: asked, text: k.Texts.Entered}, true
		case moves && (known.writes(unwrap) || slices.ContainsFunc(c.Redirects, k.isWrite)):
			return answer{decision: asked, text: k.Texts.Moved}, true
		}
		moves = moves || known.Moves && len(unwrap) > 1
	}
	return answer{}, false
}

// command returns the answer for one command.
func (k *check) command(c shell.Simple) answer {
	clean, unwrap := k.unwrap(c)
	edits, a := k.paths(c, unwrap)
	switch {
	case a.decision != open:
		return a
	case len(c.Words) == 0 && len(c.Assigns) == 0:
		return answer{decision: allowed}
	case k.allowedBy(k.spellings(c, false), k.known(unwrap).exact(unwrap)):
		return answer{decision: allowed}
	case !clean || len(unwrap) == 0:
		return answer{}
	case edits && k.in(k.Edits):
		return answer{decision: allowed}
	case k.reads(unwrap) && !k.needsRule(c.Words[:len(c.Words)-len(unwrap)]):
		return answer{decision: allowed}
	}
	return answer{}
}

// needsRule reports whether words contains a wrapper after which even a read-only command needs a
// rule.
func (k *check) needsRule(words []shell.RawWord) bool {
	for i := range words {
		if k.known(words[i:]).NeedsRule {
			return true
		}
	}
	return false
}

// allowedBy reports whether a rule allows a command that has these spellings. It ignores rules that
// allow every command. If exact is set, it considers only rules without wildcards.
func (k *check) allowedBy(spellings []string, exact bool) bool {
	return slices.ContainsFunc(k.allow, func(r rule) bool {
		return !r.whole && (!exact || r.exact()) && slices.ContainsFunc(spellings, r.match)
	})
}

// deniedOrAsked returns the answer for a command that matches a deny or ask rule in the settings.
// It returns false if no such rule matches.
func (k *check) deniedOrAsked(text string, spellings []string) (answer, bool) {
	for _, r := range k.deny {
		if r.whole || slices.ContainsFunc(spellings, r.match) {
			return answer{decision: denied, text: k.Texts.Denied(text)}, true
		}
	}
	for _, r := range k.ask {
		if r.whole || slices.ContainsFunc(spellings, r.match) {
			return answer{decision: asked, text: k.Texts.Asked(r.text), alwaysAsk: true}, true
		}
	}
	return answer{}, false
}

// tooLong reports whether s has more UTF-16 code units than most; 0 means no limit.
func tooLong(s string, most int) bool {
	if most <= 0 || len(s) <= most {
		return false
	}
	n := utf8.RuneCountInString(s)
	for _, r := range s {
		if r > 0xFFFF {
			n++
		}
	}
	return n > most
}
