package hostpermission

import (
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/policy"
	"github.com/vadehq/vade/internal/shell"
)

// known is a host's knowledge about a command, such as whether it is read-only.
type known host.ShellCommand

// known returns what the host knows about the command whose name is the first word.
func (k *check) known(words []shell.RawWord) known {
	if len(words) == 0 {
		return known{}
	}
	return known(k.Permission.Command(words[0].Text))
}

// reads reports whether a command is read-only.
func (k *check) reads(words []shell.RawWord) bool {
	c := k.known(words)
	switch {
	case c.Partly && !c.writes(words):
		return k.readsByTable(words)
	case !c.Reads:
		return false
	}
	return !c.changes(words)
}

// changes reports whether words contains a flag with which an otherwise read-only command changes
// something. It also checks the words after "--".
func (c known) changes(words []shell.RawWord) bool {
	return slices.ContainsFunc(words, func(w shell.RawWord) bool { return strings.HasPrefix(w.Text, "-") && isFlag(w.Text, c.Changing) })
}

// exact reports whether the host allows the command only if a rule contains the command's complete
// text.
func (c known) exact(words []shell.RawWord) bool { return c.Exact || c.changes(words) }

// readsByTable reports whether a command is read-only according to Vade's own table.
func (k *check) readsByTable(words []shell.RawWord) bool {
	argv := make([]string, len(words))
	for i, w := range words {
		argv[i] = w.Text
	}
	p := &policy.Policy{Shell: policy.Readonly, Protected: &policy.Protected{}}
	_, refusal := p.Judge(argv, nil, policy.DecisionContext{Mode: policy.Readonly, Roots: k.dirs, Dir: k.Dir})
	return refusal == nil
}

// writes reports whether a command modifies its operands.
func (c known) writes(words []shell.RawWord) bool {
	return c.Writes || c.WritesBy != "" && hasFlag(words, c.WritesBy)
}

// hasFlag reports whether words contains one of the space-separated flags, with
// or without an attached value.
func hasFlag(words []shell.RawWord, flags string) bool {
	for _, w := range words {
		if w.Text == "--" {
			return false
		}
		if strings.HasPrefix(w.Text, "-") && isFlag(w.Text, flags) {
			return true
		}
	}
	return false
}

func isFlag(word, flags string) bool {
	for f := range strings.FieldsSeq(flags) {
		switch {
		case word == f, strings.HasPrefix(f, "--") && strings.HasPrefix(word, f+"="):
			return true
		case len(f) == 2 && len(word) > 2 && word[1] != '-' && strings.HasPrefix(word, f):
			return true
		}
	}
	return false
}

// paths returns the answer for all of the paths that a command names. The host prompts if the
// command may not read or change one of them. edits reports whether the mode that accepts edits
// allows all of the command's changes.
func (k *check) paths(c shell.Simple, words []shell.RawWord) (edits bool, a answer) {
	if kn := k.known(words); kn.Paths {
		writes := kn.writes(words)
		edits = writes && kn.Edits
		for _, w := range kn.operands(words) {
			if a := k.path(c, w, words[0].Text+k.Texts.In, kn.Verb, writes, edits); a.decision != open {
				return false, a
			}
		}
	}
	for _, r := range c.Redirects {
		if r.Writes && !k.isWrite(r) {
			continue
		}
		if a := k.path(c, r.File, k.Texts.Redirection, k.Texts.RedirectionVerb, r.Writes, true); a.decision != open {
			if !r.Writes && a.decision == asked {
				a.text = k.Texts.Approval
			}
			return false, a
		}
	}
	return edits, answer{}
}

func (k *check) isWrite(r shell.Redirect) bool { return r.Writes && r.File.Text != "/dev/null" }

// path returns the answer for one of the paths that a command names. If nothing prevents the
// access, the decision is open. In every mode, hosts prompt before a command changes a guarded
// path.
func (k *check) path(c shell.Simple, w shell.RawWord, what, verb string, writes, edits bool) answer {
	full := k.absolute(w)
	rel, inside := k.within(full)
	rules := k.fileLists()
	deny, allow := rules.denyRead, rules.allowRead
	if writes {
		deny, allow = rules.denyEdit, rules.allowEdit
	}
	if matches(deny, full) {
		return answer{decision: denied, text: k.Texts.Denied(c.Text)}
	}
	a := answer{decision: asked, alwaysAsk: writes && inside && k.Guarded(rel)}
	switch {
	case !a.alwaysAsk && matches(allow, full):
		return answer{}
	case !inside:
		a.text = k.Texts.Outside(what, full, k.list(), verb)
	case writes && (a.alwaysAsk || !edits || !k.in(k.Edits)):
		a.text = k.Texts.Inside(what, full, k.list(), verb)
	default:
		return answer{}
	}
	return a
}

// absolute resolves a path the way the host does. For a pattern, it resolves the directory before
// the first wildcard. If the home directory is unknown, "~" is kept as written, and the path is not
// in any working directory.
func (k *check) absolute(w shell.RawWord) string {
	name := w.Text
	if w.Pattern {
		if at := strings.IndexAny(name, "*?["); at >= 0 {
			name = name[:strings.LastIndexByte(name[:at], '/')+1]
		}
	}
	if rest, ok := strings.CutPrefix(name, "~"); ok && strings.HasPrefix(w.Raw, "~") {
		if rest != "" && rest[0] != '/' || k.Home == "" {
			return name
		}
		name = k.Home + rest
	}
	if !strings.HasPrefix(name, "/") {
		name = k.Dir + "/" + name
	}
	return path.Clean(name)
}

// within returns path relative to the working directory that contains it. If no working directory
// contains the path, ok is false.
func (k *check) within(full string) (rel string, ok bool) {
	for _, dir := range k.dirs {
		if dir = path.Clean(dir); full == dir {
			return "", true
		}
		if rel, ok := strings.CutPrefix(full, strings.TrimSuffix(dir, "/")+"/"); ok && dir != "." {
			return rel, true
		}
	}
	return "", false
}

// list formats the working directories for a message.
func (k *check) list() string {
	var names []string
	for i, dir := range k.dirs {
		if i > 0 && i == k.MaxDirs {
			names = append(names, k.Texts.More(len(k.dirs)-i))
			break
		}
		names = append(names, "'"+dir+"'")
	}
	return strings.Join(names, ", ")
}

// operands returns a command's words that are paths.
func (c known) operands(words []shell.RawWord) []shell.RawWord {
	var list []shell.RawWord
	skip, rest := c.Skip, false
	if hasFlag(words, c.Given) {
		skip = 0
	}
	for i := 1; i < len(words); i++ {
		switch w := words[i]; {
		case rest || !strings.HasPrefix(w.Text, "-") || w.Text == "-":
			if c.Until && slices.Contains([]string{"(", ")", "!", ","}, w.Text) {
				return list
			}
			if skip--; skip < 0 && w.Text != "-" {
				list = append(list, w)
			}
		case w.Text == "--":
			rest = true
		case c.Until && (len(list) > 0 || !isFlag(w.Text, c.Leading)):
			return list
		case slices.Contains(strings.Fields(c.Values), w.Text):
			i++
		}
	}
	return list
}
