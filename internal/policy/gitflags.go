package policy

import (
	"strings"

	"github.com/vadehq/vade/internal/chars"
)

// A flag table is a string of space-separated entries:
//	-p|--patch        the names of a flag without a value
//	--grep=TEXT       a value, attached or in the next word
//	--format:=LOG     a value that must be attached
//	-M[=SCORE]        an optional value that must be attached
//	--merged?=REV     a value that may be omitted at the end of the line
//	--color=never,auto  one of these values
// gitValue defines the uppercase value kinds. An entry may end in a mark: "!" prints or searches
// file contents, "~" prints names or statistics instead of contents, "@" makes the command a
// listing.

// gitFlag is one entry in a flag table.
type gitFlag struct {
	names string
	shape byte // 0 if the flag takes no value, else '=' ':' '[' or '?' as in the table
	value string
	mark  string
}

func parseGitFlag(entry string) gitFlag {
	var f gitFlag
	if n := len(entry) - 1; strings.IndexByte("!~@", entry[n]) >= 0 {
		f.mark, entry = entry[n:], entry[:n]
	}
	at := strings.IndexAny(entry, "=:[?")
	if at < 0 {
		f.names = entry
		return f
	}
	f.names, f.shape = entry[:at], entry[at]
	f.value = strings.Trim(entry[at:], "=:[?]")
	return f
}

// first returns the flag's primary name.
func (f gitFlag) first() string {
	name, _, _ := strings.Cut(f.names, "|")
	return name
}

func (f gitFlag) named(name string) bool {
	for n := range strings.SplitSeq(f.names, "|") {
		if n == name {
			return true
		}
	}
	return false
}

// find returns a flag's table entry. Unlike git, it does not accept abbreviated long names.
func (f gitForm) find(name string) (gitFlag, bool) {
	for entry := range strings.FieldsSeq(f.flags) {
		if !strings.HasPrefix(entry, name) && !strings.Contains(entry, "|"+name) {
			continue
		}
		if flag := parseGitFlag(entry); flag.named(name) {
			return flag, true
		}
	}
	return gitFlag{}, false
}

// flag parses the flag at an index and returns the index of its last word.
func (l *gitLine) flag(i int) (last int, refusal *Refusal) {
	w := l.argv[i]
	switch {
	case strings.HasPrefix(w, "--"):
		return l.longFlag(i)
	case l.form.number && isNumber(w[1:]):
		return i, nil
	default:
		return l.shortFlags(i)
	}
}

func (l *gitLine) longFlag(i int) (int, *Refusal) {
	name, value, attached := strings.Cut(l.argv[i], "=")
	f, ok := l.form.find(name)
	if !ok {
		return i, l.unknown(i, name)
	}
	return l.take(f, i, value, attached)
}

// shortFlags parses a word like -s, -n5 or, where git accepts combined flags, -sb.
func (l *gitLine) shortFlags(i int) (int, *Refusal) {
	w := l.argv[i]
	for at := 1; at < len(w); at++ {
		name := "-" + w[at:at+1]
		f, ok := l.form.find(name)
		if !ok {
			return i, l.unknown(i, name)
		}
		rest := w[at+1:]
		if f.shape != 0 || rest == "" {
			return l.take(f, i, rest, rest != "")
		}
		if !l.form.letters {
			return i, l.refuse(ReasonFlag, i, w+": short flags cannot be combined for this subcommand")
		}
		l.note(f)
	}
	return i, l.unknown(i, w)
}

func (l *gitLine) unknown(i int, name string) *Refusal {
	return l.refuse(ReasonFlag, i, "the flag "+name+" is not on the read-only allowlist")
}

func (l *gitLine) note(f gitFlag) {
	l.flags = append(l.flags, f.first())
	l.marks += f.mark
}

// take parses a flag's value, which is attached or in the next word, and returns the index of the
// last word.
func (l *gitLine) take(f gitFlag, i int, value string, attached bool) (int, *Refusal) {
	l.note(f)
	last := i
	switch {
	case f.shape == 0 && attached:
		return i, l.refuse(ReasonFlag, i, f.first()+" does not take a value")
	case f.shape == 0, f.shape == '[' && !attached, f.shape == '?' && !attached && i+1 == len(l.argv):
		return i, nil
	case !attached && (f.shape == ':' || i+1 == len(l.argv)):
		return i, l.refuse(ReasonFlag, i, f.first()+" requires a value")
	case !attached:
		last = i + 1
		value = l.argv[last]
		if strings.HasPrefix(value, "-") && f.value != "KEY" { // "-date" sorts in descending order
			return i, l.refuse(ReasonFlag, last, "the value of "+f.first()+" must not begin with a dash; attach the value to the flag")
		}
	}
	if refusal := l.checkValue(f, value, last); refusal != nil {
		return i, refusal
	}
	return last, nil
}

func (l *gitLine) checkValue(f gitFlag, value string, word int) *Refusal {
	if f.value == "REV" {
		return l.judgeRevision(value, word)
	}
	if !gitValue(f.value, value) {
		return l.refuse(ReasonFlag, word, "the value "+value+" of "+f.first()+" is not allowed")
	}
	return nil
}

func isNumber(s string) bool { return len(s) < 10 && chars.IsDigits(s) }
