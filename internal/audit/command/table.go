package command

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/vadehq/vade/internal/audit/known"
)

//go:embed programs.txt
var programText string

// program describes the command-line syntax and the effect of a program.
type program struct {
	// effect is the program's effect. In the table, a colon separates it from its detail:
	// decode:base64 is the effect decode with the detail base64.
	effect, detail string
	// operands lists the roles of the words that are not flags, in order.
	operands []string
	flags    []flag
	// subcommands reports whether the table also has entries for subcommands.
	subcommands bool
	// windows reports whether the program has Windows-style flags: case-insensitive, with multiple
	// letters after a single dash or slash.
	windows bool
}

// flag is a command-line flag. noValue is set if the flag does not take a value.
type flag struct {
	name, role string
	noValue    bool
}

// programs maps program names to their entries in programs.txt.
var programs = sync.OnceValue(func() map[string]*program {
	table := make(map[string]*program, 1024)
	for line := range strings.Lines(programText) {
		cells := strings.Split(line, "|")
		if line[0] == '#' || len(cells) != 4 {
			continue
		}
		p := &program{operands: strings.Split(strings.TrimSpace(cells[2]), ",")}
		p.effect, p.detail, _ = strings.Cut(strings.TrimSpace(cells[1]), ":")
		for _, field := range strings.Fields(cells[3]) {
			role, names, _ := strings.Cut(field, ":")
			role, bare := strings.CutPrefix(role, "!")
			for name := range strings.SplitSeq(names, ",") {
				p.flags = append(p.flags, flag{name, role, bare})
				p.windows = p.windows || len(name) > 3 && name[1] != '-'
			}
		}
		for _, name := range strings.Fields(cells[0]) {
			if table[name] == nil {
				table[name] = p
			}
			for i := len(name) - 1; i > 0; i-- {
				if name[i] == ':' && name[i-1] != ':' && name[i+1] != ':' {
					addSubcommand(table, name[:i])
				}
			}
		}
	}
	return table
})

// addSubcommand records that a program has subcommands. It gives the program its own copy of the
// entry, because other programs may share the original.
func addSubcommand(table map[string]*program, name string) {
	p := program{effect: "none", operands: []string{"skip"}}
	if old := table[name]; old != nil {
		p = *old
	}
	p.subcommands = true
	table[name] = &p
}

// lookup returns a command's entry, the entry's name in the table, and the number of words in that
// name. The entry is nil for an unknown program. For example, lookup finds the entry python for
// "python3.12", and the entry readalltext for "file::readalltext".
func lookup(words []value) (p *program, name string, n int) {
	table := programs()
	name = programName(words[0].text)
	if p = table[name]; p == nil {
		other := strings.TrimRight(name, "0123456789.-")
		if at := strings.LastIndex(name, "::"); at >= 0 {
			other = name[at+2:]
		}
		p = table[other]
		if p == nil || !strings.Contains(name, "::") && p.effect != "code" && p.effect != "install" {
			return nil, name, 1
		}
		name = other
	}
	n = 1
	for at := 1; p.subcommands && at < len(words); at++ {
		word := strings.ToLower(words[at].text)
		if sub := table[name+":"+word]; sub != nil {
			p, name, n = sub, name+":"+word, at+1
		} else if f := p.flag(words[at].text); f != nil && !f.noValue || f == nil && regex("globalFlag").MatchString(word) {
			at++
		} else if !strings.HasPrefix(word, "-") {
			break
		}
	}
	return p, name, n
}

// flag returns the flag for a word, which may be a prefix of the flag's name. If several flags have
// the prefix, flag returns the first one. It returns nil if there is none.
func (p *program) flag(word string) *flag {
	var found *flag
	lower := strings.ToLower(word)
	for i := range p.flags {
		f := &p.flags[i]
		if f.name == word || (len(word) > 2 || p.windows) && f.name == lower {
			return f
		}
		if len(word) > 3 && strings.HasPrefix(f.name, lower) && found == nil {
			found = f
		}
	}
	return found
}

// arg is a word of a command, along with its role. For a flag without a value, the word is the flag
// itself.
type arg struct {
	role string
	value
}

// arguments assigns roles to the words in a command.
func (p *program) arguments(words []value) args {
	var list args
	operands := p.operands
	for i := 0; i < len(words); i++ {
		text := words[i].text
		f, inline, has := p.option(text)
		if f == nil && len(text) > 2 && text[0] == '-' && text[1] != '-' && !p.windows {
			f, inline, has = p.cluster(&list, words[i])
		}
		switch {
		case f != nil && f.takesRest():
			return list.rest(f.role, words[i+1:])
		case f != nil:
			i += list.flag(f, words[i:], inline, has)
		case has, text == "--" && operands[0] != "command":
		case len(text) > 1 && text[0] == '-' && text != "--":
			list = append(list, arg{"flag", words[i]})
		default:
			if len(operands) > 1 && list.has(operands[0]) {
				// A flag or an earlier operand has already been assigned the first role.
				operands = operands[1:]
			}
			if role := operands[0]; role == "rest" || role == "command" {
				return list.rest(role, words[i+btoi(text == "--"):])
			}
			list = append(list, arg{operands[0], words[i]})
		}
	}
	return list
}

// takesRest reports whether the flag's value is the rest of the command.
func (f *flag) takesRest() bool { return f.role == "command" || f.role == "rest" && !f.noValue }

// flag adds the flag words[0] and returns how many words its value takes.
func (a *args) flag(f *flag, words []value, inline string, hasValue bool) int {
	switch {
	case f.noValue:
		*a = append(*a, arg{f.role, words[0]})
	case hasValue:
		*a = append(*a, arg{f.role, words[0].withText(inline)})
	case len(words) > 1:
		*a = append(*a, arg{f.role, words[1]})
		return 1
	}
	return 0
}

// option returns the flag that a word represents, or nil if the word is not a flag. hasValue
// reports whether the word also contains the flag's value.
func (p *program) option(text string) (f *flag, value string, hasValue bool) {
	name, value, hasValue := strings.Cut(text, "=")
	if !hasValue && p.windows {
		name, value, hasValue = strings.Cut(text, ":")
	}
	if f = p.flag(name); f == nil && hasValue {
		f = p.flag(name + "=")
	}
	return f, value, hasValue && f != nil
}

// cluster reads a word that combines several one-letter flags, such as -fsSLo. If one of them takes
// a value, cluster returns that flag, and the rest of the word as its value. Otherwise, it returns
// nil, "" and true.
func (p *program) cluster(list *args, w value) (f *flag, value string, hasValue bool) {
	for i := 1; i < len(w.text); i++ {
		letter := "-" + w.text[i:i+1]
		switch f := p.flag(letter); {
		case f == nil:
			*list = append(*list, arg{"flag", literal(letter)})
		case f.noValue:
			*list = append(*list, arg{f.role, w})
		default:
			value := strings.TrimPrefix(w.text[i+1:], "=")
			return f, value, value != ""
		}
	}
	return nil, "", true
}

type args []arg

// rest appends the remaining words to a, each with the given role. If the role is "rest", it joins
// the words into one.
func (a args) rest(role string, words []value) args {
	if role == "rest" {
		words = []value{joined(words)}
	}
	for _, w := range words {
		a = append(a, arg{role, w})
	}
	return a
}

// all returns the values with any of the given roles.
func (a args) all(roles ...string) []value {
	var list []value
	for _, x := range a {
		if slices.Contains(roles, x.role) {
			list = append(list, x.value)
		}
	}
	return list
}

// first returns the first value with the given role.
func (a args) first(role string) (value, bool) {
	if at := slices.IndexFunc(a, func(x arg) bool { return x.role == role }); at >= 0 {
		return a[at].value, true
	}
	return value{}, false
}

func (a args) has(role string) bool {
	_, ok := a.first(role)
	return ok
}

// programName returns a program's name in lowercase, without its directory and extension.
func programName(word string) string {
	if at := strings.LastIndexAny(word, `/\`); at >= 0 && at < len(word)-1 {
		dir, name := word[:at+1], word[at+1:]
		if word = name; strings.ContainsAny(name, "?*[") && strings.HasPrefix(dir, "/") {
			word = hiddenProgram(name)
		}
	}
	word = strings.ToLower(word)
	if at := len(word) - 4; at > 0 && (word[at:] == ".exe" || word[at:] == ".com" || word[at:] == ".cmd") {
		return word[:at]
	}
	return word
}

// hiddenProgram takes a glob for a path in a system directory. If it matches a program that
// attackers commonly disguise in this way, hiddenProgram returns the program. Otherwise, it returns
// a simplified glob.
func hiddenProgram(pattern string) string {
	pattern = regex("oneLetter").ReplaceAllString(pattern, "$1")
	for name := range strings.FieldsSeq("bash sh zsh dash curl wget python3 python perl node base64 nc cat") {
		if known.Glob(pattern, name) {
			return name
		}
	}
	return pattern
}
