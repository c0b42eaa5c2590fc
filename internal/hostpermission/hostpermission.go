// Package hostpermission says what a host's own permission check makes of a shell
// command in a body: whether the host would run it, and if not, what it prints.
// It is pure, and it allows nothing: it only foretells a host. Whether Vade runs
// a command is for package policy, which decides in addition.
//
// Everything that is peculiar to a host (its lists, its modes, its texts) is in
// a [host.Permission]; here is the order of the questions:
//
//  1. Rules that deny, then rules that ask, against each command of the text.
//  2. What can not be told before it runs: variables and substitutions.
//  3. A change of the directory before what it could mislead.
//  4. For each command: its paths, then the rules that allow it, then whether it
//     only reads. Paths come first: no rule for a command lets it write
//     anywhere.
//
// What is left is asked about, and nobody is there to answer. A rule for the
// whole tool, and the mode that asks nothing, answer it.
package hostpermission

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/policy"
	"github.com/vadehq/vade/internal/shell"
)

// Command is a shell command of a body, and what the host's decision depends on.
type Command struct {
	// Text is the command as the host would run it, with its arguments in it.
	Text string
	// Dir is the directory of the session, where the command runs and which may
	// be read and written. Project is the top of the project, where patterns that
	// begin with a slash belong. Either stands for the other where that is empty.
	// Both are absolute and without links.
	Dir, Project string
	// Additional are the further directories of the session, absolute.
	Additional []string
	// Home stands for "~" in paths; empty is not known.
	Home string
	// Allowed is the allowed-tools field of the definition. ${NAME} in it stands
	// for a value of Variables; a rule with another name matches nothing.
	Allowed   []string
	Variables map[string]string
	// Allow, Deny and Ask are the rules of the settings, one each.
	Allow, Deny, Ask []string
	// Mode is the host's word for its permission mode; "" is the usual one.
	Mode string
}

// Check returns "" where the host would run the command, and else what it prints
// as the reason. A nil p has no check and runs everything.
func Check(p *host.Permission, c Command) (refusal string) { return New(p, c).Check(c.Text) }

// Checker checks the commands of one body: its rules are read once. It is not
// for concurrent use.
type Checker struct{ k *check }

// New returns a checker for commands in the situation of c, whose Text does not
// matter. Of each list of rules the first 4,096 count.
func New(p *host.Permission, c Command) *Checker {
	if p == nil {
		return &Checker{}
	}
	return &Checker{newCheck(p, c)}
}

// Check is the function of that name for another text.
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
	case answer.how == allowed || answer.how == denied:
		return answer.text
	case k.in(k.Bypass) && !answer.firm:
		return ""
	case whole(k.allow) && !answer.firm:
		return ""
	case k.in(k.Silent):
		return k.Texts.Silent
	}
	return answer.text
}

// in reports whether the mode is this one, which not every host has.
func (k *check) in(mode string) bool { return mode != "" && k.Mode == mode }

func whole(rules []rule) bool {
	return slices.ContainsFunc(rules, func(r rule) bool { return r.whole })
}

// answer is what the host makes of a text or of one command of it.
type answer struct {
	how  how
	text string
	// firm: it is asked about whatever the mode and the rules that allow.
	firm bool
}

type how uint8

const (
	// open: nothing allows it. It has no text of its own.
	open how = iota
	allowed
	asked
	denied
)

// check is a Command with its rules read.
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
		own = append(own, policy.SplitRules(s)...)
	}
	k.allow = append(readRules(p.Tool, own, c.Variables), readRules(p.Tool, c.Allow, nil)...)
	k.deny, k.ask = readRules(p.Tool, c.Deny, nil), readRules(p.Tool, c.Ask, nil)
	return k
}

// judge answers for the whole text. A text that is refused has an answer asked
// or denied.
func (k *check) judge() answer {
	ask := answer{how: asked, text: k.Texts.Approval}
	o, err := &shell.Outline{}, error(nil)
	long := tooLong(k.Text, k.MaxText)
	if !long {
		o, err = shell.NewOutline(k.Text)
	}
	if long || err != nil {
		if a, found := k.ruled(k.Text, []string{k.Text}); found {
			return a
		}
		return ask
	}
	var byRule answer
	for _, c := range o.Commands {
		a, found := k.ruled(c.Text, k.spellings(c, true))
		if a.how == denied {
			return a
		}
		if found && byRule.how == open {
			byRule = a
		}
	}
	if byRule.how != open {
		return byRule
	}
	if len(o.Opaque) > 0 {
		return k.opaque(o.Opaque[0])
	}
	return k.together(o.Commands)
}

// opaque answers for a text of which a part can not be judged.
func (k *check) opaque(kind shell.Opaque) answer {
	a := answer{how: asked, text: k.Texts.Approval}
	switch kind {
	case shell.OpaqueVariable:
		a.text = k.Texts.Variable
	case shell.OpaqueBraces:
		a.text = k.Texts.Braces
	case shell.OpaqueSubstitution:
		a.text = k.Texts.Substitution
	}
	return a
}

// together answers for commands that are all known.
func (k *check) together(list []shell.Simple) answer {
	var parts []string
	var last, firm answer
	for _, c := range list {
		a := k.command(c)
		if a.how == denied {
			return a
		}
		if a.firm && firm.how == open {
			firm = a
		}
		if a.how != allowed {
			last = a
			parts = append(parts, cmp.Or(c.Text, k.Text))
		}
	}
	if a, found := k.moved(list); found && firm.how == open {
		return a
	}
	switch {
	case firm.how != open && (k.in(k.Bypass) || whole(k.allow)):
		// The others are not asked about.
		return firm
	case len(parts) == 0:
		return answer{how: allowed}
	case len(parts) == 1 && last.how == asked:
		return last
	case len(list) == 1:
		return answer{how: asked, text: k.Texts.Approval}
	}
	return answer{how: asked, text: k.Texts.Parts(parts)}
}

// moved answers for a change of the directory that stands before a command
// which it could mislead.
func (k *check) moved(list []shell.Simple) (answer, bool) {
	moves := false
	for _, c := range list {
		_, inner := k.inner(c)
		if len(inner) == 0 {
			continue
		}
		known := k.known(inner)
		switch {
		case moves && known.Enters:
			return answer{how: asked, text: k.Texts.Entered}, true
		case moves && (known.writes(inner) || slices.ContainsFunc(c.Redirects, k.isWrite)):
			return answer{how: asked, text: k.Texts.Moved}, true
		}
		moves = moves || known.Moves && len(inner) > 1
	}
	return answer{}, false
}

// command answers for one command.
func (k *check) command(c shell.Simple) answer {
	clean, inner := k.inner(c)
	edits, a := k.paths(c, inner)
	switch {
	case a.how != open:
		return a
	case len(c.Words) == 0 && len(c.Assigns) == 0:
		return answer{how: allowed}
	case k.ruledIn(k.spellings(c, false), k.known(inner).exact(inner)):
		return answer{how: allowed}
	case !clean || len(inner) == 0:
		return answer{}
	case edits && k.in(k.Edits):
		return answer{how: allowed}
	case k.reads(inner):
		return answer{how: allowed}
	}
	return answer{}
}

// ruledIn reports whether a rule that is not for the whole tool allows a command
// with these spellings; exact: a rule for one text alone.
func (k *check) ruledIn(spellings []string, exact bool) bool {
	return slices.ContainsFunc(k.allow, func(r rule) bool {
		return !r.whole && (!exact || r.exact()) && slices.ContainsFunc(spellings, r.match)
	})
}

// ruled answers for a command that the settings deny or want to be asked about.
func (k *check) ruled(text string, spellings []string) (answer, bool) {
	for _, r := range k.deny {
		if r.whole || slices.ContainsFunc(spellings, r.match) {
			return answer{how: denied, text: k.Texts.Denied(text)}, true
		}
	}
	for _, r := range k.ask {
		if r.whole || slices.ContainsFunc(spellings, r.match) {
			return answer{how: asked, text: k.Texts.Asked(r.text), firm: true}, true
		}
	}
	return answer{}, false
}

// tooLong reports whether a text has more UTF-16 units than most, where most is
// no 0.
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
