package transcript

import (
	"slices"
	"strconv"
	"strings"
)

// guess finds the values that are others each time: those that vary between repetitions
// of one command, and those that the user names and the session then uses.
func (d *drafter) guess() {
	for i := range d.draft.Steps {
		d.varied(&d.draft.Steps[i])
	}
	for i, m := range d.messages {
		if i == 3 {
			break
		}
		d.named(m.Message.Text)
	}
	for i := range d.draft.Steps {
		s := &d.draft.Steps[i]
		var runs []Run
		for _, r := range s.Runs {
			r.Command = d.placed(r.Command)
			if k := slices.IndexFunc(runs, func(x Run) bool { return x.Command == r.Command }); k >= 0 {
				runs[k] = r
				continue
			}
			runs = append(runs, r)
		}
		s.Runs = runs
		for k := range s.Tried {
			s.Tried[k].Command = d.placed(s.Tried[k].Command)
		}
		for k := range s.What {
			if s.Kind != "command" && s.Kind != "server" {
				s.What[k] = d.placed(s.What[k])
			}
		}
	}
	for k := range d.draft.Dead {
		d.draft.Dead[k].Command = d.placed(d.draft.Dead[k].Command)
	}
}

// varied compares the commands of a step: where all are the same but for one word, that
// is an argument.
func (d *drafter) varied(s *Step) {
	if len(s.Runs) < 2 {
		return
	}
	first := strings.Fields(s.Runs[0].Command)
	at := -1
	var values []string
	for _, r := range s.Runs {
		words := strings.Fields(r.Command)
		if len(words) != len(first) {
			return
		}
		for i := range words {
			if words[i] == first[i] {
				continue
			}
			if at >= 0 && at != i {
				return
			}
			at = i
		}
	}
	if at < 1 {
		return
	}
	for _, r := range s.Runs {
		values = append(values, strings.Fields(r.Command)[at])
	}
	for _, v := range values {
		if strings.HasPrefix(v, "-") || strings.ContainsAny(v, "‹›…;&|") || len(v) > 100 {
			return
		}
	}
	d.argument(kindOf(values[0], first[:at], "target"), "it varied between repetitions of “"+strings.Join(first[:at], " ")+"”", values...)
}

// named finds values in a message that have the form of an argument and that the session
// uses.
func (d *drafter) named(text string) {
	words := strings.Fields(cut(text, 2000))
	for i, w := range words {
		w = strings.Trim(w, "\"'`.,;:!?()[]{}<>*")
		name := formOf(w, words[:i])
		if name == "" {
			continue
		}
		shown := d.clean.path(strings.TrimPrefix(w, "#"))
		if shown == "" || strings.ContainsAny(shown, "‹›… ") || !d.used(shown) {
			continue
		}
		d.argument(name, "the user named it and a step uses it", shown)
	}
}

// used reports whether a step has a value in it.
func (d *drafter) used(value string) bool {
	return slices.ContainsFunc(d.draft.Steps, func(s Step) bool {
		return slices.ContainsFunc(s.Runs, func(r Run) bool { return replaceWord(r.Command, value, "") != r.Command }) ||
			slices.ContainsFunc(s.What, func(w string) bool { return s.Kind != "command" && replaceWord(w, value, "") != w })
	})
}

// argument adds an argument, unless its values are those of another one already.
func (d *drafter) argument(name, why string, values ...string) {
	x := d.draft
	for i := range x.Arguments {
		a := &x.Arguments[i]
		if slices.ContainsFunc(values, func(v string) bool { return slices.Contains(a.raw, v) }) {
			for _, v := range values {
				d.value(a, v)
			}
			return
		}
	}
	if len(x.Arguments) >= maxArguments {
		return
	}
	taken := func(n string) bool {
		return slices.ContainsFunc(x.Arguments, func(a Argument) bool { return a.Name == n })
	}
	unique := name
	for n := 2; taken(unique); n++ {
		unique = name + strconv.Itoa(n)
	}
	a := Argument{Name: unique, Why: short(inert(why), 120)}
	for _, v := range values {
		d.value(&a, v)
	}
	x.Arguments = append(x.Arguments, a)
}

func (d *drafter) value(a *Argument, v string) {
	if slices.Contains(a.raw, v) {
		return
	}
	a.raw = append(a.raw, v)
	if len(a.Seen) < 5 {
		a.Seen = append(a.Seen, short(inert(v), 60))
	}
}

// placed is a text with the names of arguments in the place of their values. Longer
// values come first, so that none is found within another.
func (d *drafter) placed(s string) string {
	type pair struct{ value, name string }
	var all []pair
	for _, a := range d.draft.Arguments {
		for _, v := range a.raw {
			all = append(all, pair{v, a.Name})
		}
	}
	slices.SortStableFunc(all, func(a, b pair) int { return len(b.value) - len(a.value) })
	for _, p := range all {
		s = replaceWord(s, p.value, "‹"+p.name+"›")
	}
	return s
}

// isArgument reports whether a command has the value of an argument among its words.
func (d *drafter) isArgument(words []string) bool {
	line := strings.Join(words, " ")
	return d.placed(line) != line
}

// replaceWord replaces a value where it stands by itself.
func replaceWord(s, value, with string) string {
	if value == "" {
		return s
	}
	var b strings.Builder
	for i := 0; ; {
		k := strings.Index(s[i:], value)
		if k < 0 {
			b.WriteString(s[i:])
			return b.String()
		}
		k += i
		end := k + len(value)
		inMark := strings.LastIndex(s[:k], "‹") > strings.LastIndex(s[:k], "›")
		if k > 0 && (isNameByte(s[k-1]) || s[k-1] == '/') || end < len(s) && (isNameByte(s[end]) && s[end] != '.' || s[end] == '/') || inMark {
			b.WriteString(s[i:end])
			i = end
			continue
		}
		b.WriteString(s[i:k] + with)
		i = end
	}
}

// kindOf names an argument by its value and the words before it.
func kindOf(value string, before []string, otherwise string) string {
	if name := formOf(value, before); name != "" {
		return name
	}
	switch at(before, len(before)-1) {
	case "checkout", "switch", "-b", "-c", "--branch", "merge":
		return "branch"
	case "-run", "-k", "-t":
		return "test"
	}
	if option, ok := strings.CutPrefix(at(before, len(before)-1), "--"); ok && len(option) > 1 && len(option) < 20 && strings.Trim(option, "abcdefghijklmnopqrstuvwxyz") == "" {
		return option
	}
	if strings.Contains(value, "/") {
		return "path"
	}
	return otherwise
}

// formOf names a value that has the form of an argument, or returns "".
func formOf(value string, before []string) string {
	digits := strings.TrimPrefix(value, "#")
	switch {
	case len(value) < 2 && !isNumber(value), len(value) > 100:
		return ""
	case isNumber(digits):
		for i := len(before) - 1; i >= 0 && i >= len(before)-3; i-- {
			switch strings.ToLower(strings.Trim(before[i], "#:,")) {
			case "pr", "pull", "prs":
				return "pr"
			case "issue", "issues", "bug":
				return "issue"
			}
		}
		if digits != value {
			return "issue"
		}
		return ""
	case strings.Contains(value, "://"):
		return "url"
	case isTicket(value):
		return "ticket"
	case isVersion(value):
		return "version"
	case isFile(value):
		return "file"
	}
	return ""
}

func isNumber(s string) bool {
	return s != "" && len(s) < 10 && strings.Trim(s, "0123456789") == ""
}

// isTicket: capitals, a hyphen, a number.
func isTicket(s string) bool {
	project, n, ok := strings.Cut(s, "-")
	return ok && len(project) > 1 && isNumber(n) && strings.Trim(project, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// isVersion: numbers with full stops between them, also behind "v".
func isVersion(s string) bool {
	parts := strings.Split(strings.TrimPrefix(s, "v"), ".")
	return len(parts) > 1 && len(parts) < 5 && !slices.ContainsFunc(parts, func(p string) bool { return !isNumber(p) })
}

// isFile: the name of a file with an ending, which no sentence has.
func isFile(s string) bool {
	i := strings.LastIndexByte(s, '.')
	if i <= 0 || len(s)-i < 3 || len(s)-i > 6 || strings.ContainsAny(s, "@=:*?‹›") {
		return false
	}
	return strings.Trim(strings.ToLower(s[i+1:]), "abcdefghijklmnopqrstuvwxyz0123456789") == "" && !isNumber(s[i+1:])
}
