package policy

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/coreutils"
	"github.com/vadehq/vade/internal/shell"
)

// Judge decides whether a command may run. All of its words must be known. given reports whether
// the word at an index comes from a request's argument or was computed during the run, rather than
// written literally in the definition. Such words cannot be options of a granted command. given may
// be nil.
func (p *Policy) Judge(argv []string, given func(word int) bool, s DecisionContext) (*Verdict, *Refusal) {
	if s.Mode == Off {
		return nil, s.offRefusal()
	}
	for _, rule := range p.Deny {
		if rule.Denies(argv) {
			return nil, &Refusal{ReasonDenied, 0, fmt.Sprintf("denied by the policy (%s)", rule)}
		}
	}
	for _, rule := range s.Disallowed {
		if rule.Denies(argv) {
			return nil, &Refusal{ReasonNarrowed, 0, fmt.Sprintf("disallowed by the definition itself (%s)", rule)}
		}
	}
	v, refusal := p.readOnly(argv, s)
	if refusal == nil || refusal.Reason == ReasonProtected {
		return v, refusal
	}
	return p.granted(argv, given, s, refusal)
}

// readOnly checks a command line against the read-only allowlist.
func (p *Policy) readOnly(argv []string, s DecisionContext) (*Verdict, *Refusal) {
	if r, isKeyword := p.judgeKeyword(argv, s); isKeyword {
		return &Verdict{Argv: argv}, r
	}
	if c, ok := coreutils.Lookup(argv[0]); ok {
		v, r := p.inProcess(c, argv, s)
		if r != nil {
			if call, refusal, known := judgeVersion(argv); known && refusal == nil {
				return &Verdict{Argv: call.Argv, Call: call}, nil
			}
		}
		return v, r
	}
	if argv[0] == "git" {
		call, r := judgeGit(argv, func(name string) *Refusal { return p.judgePath(name, s, false) }, p.Protected.Patterns())
		if r != nil {
			return nil, r
		}
		return &Verdict{Argv: call.Argv, Call: call}, nil
	}
	call, r, known := judgeListing(argv)
	if !known {
		if v, missing := s.judgeMissing(argv); missing {
			return v, nil
		}
		call, r, known = judgeVersion(argv)
	}
	switch {
	case !known:
		return nil, notAllowed(argv[0])
	case r != nil:
		return nil, r
	}
	return &Verdict{Argv: call.Argv, Call: call}, nil
}

// notAllowed returns the refusal for a command that is neither on the allowlist nor granted.
func notAllowed(name string) *Refusal {
	return &Refusal{ReasonCommand, 0, name + " is not on the read-only allowlist and your policy does not allow it"}
}

// judgeKeyword checks commands that the shell interpreter runs itself. isKeyword is false for other
// commands.
func (p *Policy) judgeKeyword(argv []string, s DecisionContext) (r *Refusal, isKeyword bool) {
	switch argv[0] {
	case "cd":
		if len(argv) != 2 || strings.HasPrefix(argv[1], "-") || argv[1] == "" {
			return &Refusal{ReasonOperand, 0, "cd takes one directory"}, true
		}
		return p.judgePath(argv[1], s, true).at(1), true
	case "exit":
		if len(argv) > 2 || len(argv) == 2 && strings.Trim(argv[1], "0123456789") != "" {
			return &Refusal{ReasonOperand, 1, "exit takes at most one number"}, true
		}
		return nil, true
	case "set":
		for i, word := range argv[1:] {
			if !slices.Contains([]string{"-e", "-u", "-eu", "-o", "pipefail", "-euo"}, word) {
				return &Refusal{ReasonFlag, i + 1, fmt.Sprintf("set %s is not supported", word)}, true
			}
		}
		return nil, true
	case "break", "continue":
		if len(argv) > 1 {
			return &Refusal{ReasonOperand, 1, argv[0] + " does not take operands"}, true
		}
		return nil, true
	}
	return nil, false
}

// at sets the index of the word that causes the refusal, and returns r. r may be nil.
func (r *Refusal) at(word int) *Refusal {
	if r != nil {
		r.Word = word
	}
	return r
}

// inProcess checks a command that package coreutils knows. Such a command either runs in this
// process or is a program that only reads its operands.
func (p *Policy) inProcess(c coreutils.Command, argv []string, s DecisionContext) (*Verdict, *Refusal) {
	prepared, err := c.Prepare(argv)
	var usage *coreutils.UsageError
	if errors.As(err, &usage) {
		message, reason := strings.TrimPrefix(usage.Message, argv[0]+": "), ReasonOperand
		if usage.Word > 0 && usage.Word < len(argv) && strings.HasPrefix(argv[usage.Word], "-") {
			reason = ReasonFlag
			if usage.Unlisted {
				message = fmt.Sprintf("the flag %s is not on the read-only allowlist", argv[usage.Word])
			}
		}
		return nil, &Refusal{reason, usage.Word, argv[0] + ": " + message}
	}
	for _, name := range prepared.Paths {
		if r := p.judgePath(name.Name, s, showsOnlyMetadata(c.Name, prepared)); r != nil {
			return nil, r.at(name.Word)
		}
	}
	if prepared.Run == nil {
		call := &Call{Argv: prepared.Argv, Tool: c.Name, Access: prepared.Access}
		for _, name := range prepared.Paths {
			call.Paths = append(call.Paths, name.Name)
		}
		return &Verdict{Argv: call.Argv, Call: call}, nil
	}
	v := &Verdict{Argv: argv, Prepared: prepared}
	for _, inner := range prepared.Runs {
		if len(inner) == 0 {
			continue
		}
		needs, r := p.Judge(inner, nil, s)
		if r != nil && r.Reason == ReasonOperand {
			// The inner command's operands become known only during the run, so try it with a
			// placeholder operand.
			needs, r = p.Judge(append(slices.Clone(inner), "x"), nil, s)
		}
		if r == nil {
			v.Inner = append(v.Inner, needs)
		} else {
			return nil, &Refusal{r.Reason, 0, fmt.Sprintf("%s runs %s: %s", argv[0], inner[0], r.Message)}
		}
	}
	return v, nil
}

// showsOnlyMetadata reports whether a command shows only the names and properties of files, not
// their contents.
func showsOnlyMetadata(name string, prepared *coreutils.Prepared) bool {
	if prepared.Run == nil {
		return prepared.Access != coreutils.AccessFiles
	}
	return slices.Contains([]string{"ls", "find", "test", "[", "du"}, name)
}

// granted checks a command line that the read-only allowlist refuses against the grants. If no
// grant matches, it returns refusal, which is the allowlist's refusal.
func (p *Policy) granted(argv []string, given func(int) bool, s DecisionContext, refusal *Refusal) (*Verdict, *Refusal) {
	grant := p.grantFor(argv, s)
	switch {
	case grant == nil || s.Mode != Granted:
		return nil, refusal
	case s.narrowed(argv):
		return nil, &Refusal{ReasonNarrowed, 0, "your policy allows the command, but the definition's allowed-tools field does not"}
	case s.Approval == ApprovalChanged:
		return nil, &Refusal{ReasonChanged, 0, fmt.Sprintf("your policy allows the command, but the definition has changed since you approved it; run: vade trust %s", shell.ForShell(s.Name))}
	case s.Approval != ApprovalGiven:
		return nil, &Refusal{ReasonTrust, 0, fmt.Sprintf("your policy allows the command, but you have not approved the definition; run: vade trust %s", shell.ForShell(s.Name))}
	}
	for i, word := range argv {
		if strings.HasPrefix(word, "-") && given != nil && given(i) {
			return nil, &Refusal{ReasonArgument, i, fmt.Sprintf("%q would be an option of %s, but is not written literally in the definition", word, argv[0])}
		}
	}
	return &Verdict{Argv: argv, Grant: grant}, nil
}

// value returns the value of a variable that appears in a rule.
func (s *DecisionContext) value(name string) (string, bool) {
	if s.Expand == nil {
		return "", false
	}
	return s.Expand(name)
}

// narrowed reports whether the definition's own rules exclude a command.
func (s *DecisionContext) narrowed(argv []string) bool {
	var rules []Rule
	for _, r := range s.Allowed {
		if rule, ok := r.Expand(s.value); ok || r.IsBash() {
			rules = append(rules, rule)
		}
	}
	return Narrowed(rules, argv)
}

func (p *Policy) grantFor(argv []string, s DecisionContext) *Grant {
	for i := range p.Allow {
		if rule, ok := p.Allow[i].Rule.Expand(s.value); ok && rule.Match(argv) {
			return &p.Allow[i]
		}
	}
	return nil
}

// judgeOpen checks the name and flags of a command when some of its words are not known yet. The
// remaining words are checked when the command runs.
func (p *Policy) judgeOpen(words []shell.Word, s DecisionContext) *Refusal {
	name := words[0].Text
	for _, rule := range p.Deny {
		if rule.Denies([]string{name}) {
			return &Refusal{ReasonDenied, 0, fmt.Sprintf("denied by the policy (%s)", rule)}
		}
	}
	if name == "cd" || name == "exit" || name == "set" {
		return &Refusal{ReasonOperand, 0, "the operand of " + name + " must be a literal word"}
	}
	hasFlag, known := flagsOf(name, words)
	if _, missing := s.judgeMissing([]string{name}); missing {
		return nil
	}
	switch {
	case p.mayGrant(words, s):
		return nil
	case !known:
		return notAllowed(name)
	}
	for i, w := range words[1:] {
		if w.Known && w.Text == "--" {
			break
		}
		if w.Known && len(w.Text) > 1 && strings.HasPrefix(w.Text, "-") && !hasFlag(w.Text) {
			return &Refusal{ReasonFlag, i + 1, fmt.Sprintf("%s: the flag %s is not on the read-only allowlist", name, w.Text)}
		}
	}
	return nil
}

// flagsOf returns a function that reports whether a word is an allowed flag of the command. known
// is false for commands that are not on the read-only allowlist.
func flagsOf(name string, words []shell.Word) (hasFlag func(word string) bool, known bool) {
	if c, ok := coreutils.Lookup(name); ok {
		return c.HasFlag, true
	}
	if name == "git" {
		prefix := knownPrefix(words)
		return func(word string) bool { return gitHasFlag(prefix, word) }, true
	}
	return nil, false
}

// knownPrefix returns the words that precede the first unknown word.
func knownPrefix(words []shell.Word) (prefix []string) {
	for _, w := range words {
		if !w.Known {
			break
		}
		prefix = append(prefix, w.Text)
	}
	return prefix
}

// mayNeed returns the grants that a command with unknown words may need: all grants if one of them
// could match the command or if the command runs other commands, and none otherwise.
func (p *Policy) mayNeed(words []shell.Word, s DecisionContext) []*Grant {
	if s.Mode != Granted {
		return nil
	}
	runsOthers := words[0].Text == "xargs" || words[0].Text == "command"
	if !runsOthers && !p.mayGrant(words, s) {
		return nil
	}
	var list []*Grant
	for i := range p.Allow {
		list = append(list, &p.Allow[i])
	}
	return list
}

// mayGrant reports whether a grant could match once all words are known.
func (p *Policy) mayGrant(words []shell.Word, s DecisionContext) bool {
	if s.Mode != Granted {
		return false
	}
	prefix := knownPrefix(words)
	return p.grantFor(prefix, s) != nil || p.grantFor(append(prefix, "x"), s) != nil
}
