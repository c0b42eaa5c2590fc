package hostpermission

import (
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/policy"
	"github.com/vadehq/vade/internal/shell"
)

// known is what the host knows of a command.
type known host.ShellCommand

// known returns what the host knows of a command by its first word.
func (k *check) known(words []shell.Plain) known {
	if len(words) == 0 {
		return known{}
	}
	return known(k.Permission.Command(words[0].Text))
}

// reads reports whether a command only reads.
func (k *check) reads(words []shell.Plain) bool {
	c := k.known(words)
	switch {
	case c.Partly && !c.writes(words):
		return k.readsByTable(words)
	case !c.Reads:
		return false
	}
	return !c.changes(words)
}

// changes reports whether a word of a command that else only reads makes it
// change something. Such words are no options, which a "--" would end.
func (c known) changes(words []shell.Plain) bool {
	return slices.ContainsFunc(words, func(w shell.Plain) bool { return strings.HasPrefix(w.Text, "-") && isFlag(w.Text, c.Changing) })
}

// exact reports whether only a rule for the whole text of a command allows it.
func (c known) exact(words []shell.Plain) bool { return c.Exact || c.changes(words) }

// readsByTable asks Vade's own table of what can do no harm.
func (k *check) readsByTable(words []shell.Plain) bool {
	argv := make([]string, len(words))
	for i, w := range words {
		argv[i] = w.Text
	}
	p := &policy.Policy{Shell: policy.Readonly, Protected: &policy.Protected{}}
	_, refusal := p.Judge(argv, nil, policy.Situation{Mode: policy.Readonly, Roots: k.dirs, Dir: k.Dir})
	return refusal == nil
}

// writes reports whether a command changes what its operands name.
func (c known) writes(words []shell.Plain) bool {
	return c.Writes || c.WritesBy != "" && hasFlag(words, c.WritesBy)
}

// hasFlag reports whether one of the flags, which stand between blanks, is among
// the words, perhaps with its value behind it.
func hasFlag(words []shell.Plain, flags string) bool {
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

// paths answers for the paths that a command names. It is asked about where one
// may not be read or changed; edits says that all that it changes may be changed
// in the mode that runs changes of files.
func (k *check) paths(c shell.Simple, words []shell.Plain) (edits bool, a answer) {
	if kn := k.known(words); kn.Paths {
		writes := kn.writes(words)
		edits = writes && kn.Edits
		for _, w := range kn.operands(words) {
			if a := k.path(c, w, words[0].Text+k.Texts.In, kn.Verb, writes, edits); a.how != open {
				return false, a
			}
		}
	}
	for _, r := range c.Redirects {
		if r.Writes && !k.isWrite(r) {
			continue
		}
		if a := k.path(c, r.File, k.Texts.Redirection, k.Texts.RedirectionVerb, r.Writes, true); a.how != open {
			if !r.Writes && a.how == asked {
				a.text = k.Texts.Approval
			}
			return false, a
		}
	}
	return edits, answer{}
}

// isWrite reports whether a redirection writes a file.
func (k *check) isWrite(r shell.Redirected) bool { return r.Writes && r.File.Text != "/dev/null" }

// path answers for one path of a command; open has nothing against it. A guarded
// one is asked about in every mode.
func (k *check) path(c shell.Simple, w shell.Plain, what, verb string, writes, edits bool) answer {
	full := k.absolute(w)
	rel, inside := k.within(full)
	rules := k.fileLists()
	deny, allow := rules.denyRead, rules.allowRead
	if writes {
		deny, allow = rules.denyEdit, rules.allowEdit
	}
	if matches(deny, full) {
		return answer{how: denied, text: k.Texts.Denied(c.Text)}
	}
	a := answer{how: asked, firm: writes && inside && k.Guarded(rel)}
	switch {
	case !a.firm && matches(allow, full):
		return answer{}
	case !inside:
		a.text = k.Texts.Outside(what, full, k.list(), verb)
	case writes && (a.firm || !edits || !k.in(k.Edits)):
		a.text = k.Texts.Inside(what, full, k.list(), verb)
	default:
		return answer{}
	}
	return a
}

// absolute returns a path as the host sees it: what a pattern could match is
// judged by the directory that it is in. A home that is not known stays as it is
// written, and is in no working directory.
func (k *check) absolute(w shell.Plain) string {
	name := w.Text
	if w.Pattern {
		if at := strings.IndexAny(name, "*?["); at >= 0 {
			name = name[:strings.LastIndexByte(name[:at], '/')+1]
		}
	}
	if rest, ok := strings.CutPrefix(name, "~"); ok && strings.HasPrefix(w.Written, "~") {
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

// within returns a path relative to the working directory that it is in.
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

// list writes the working directories for a message.
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

// operands returns the words of a command that are paths.
func (c known) operands(words []shell.Plain) []shell.Plain {
	var list []shell.Plain
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
