package commands

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/shell"
)

// runs analyzes what a command runs: the command that it wraps, the text that it gives
// to a shell.
func (v *analyzer) runs(i int) {
	if v.depth >= maxDepth {
		v.out.Cut = true
		return
	}
	c := v.out.Commands[i]
	words := texts(c.Words)
	if len(words) == 0 {
		return
	}
	name := ProgramName(words[0])
	if at := wrapped(name, words); at > 0 && at < len(words) {
		v.wrap(i, at, words)
		return
	}
	if at, joined := textWord(name, words); at > 0 && at < len(words) {
		t := c.Words[at]
		if joined && at+1 < len(words) {
			t = join(c.Words[at:])
		}
		v.inside(t, i)
		return
	}
	p, ok := ProgramOf(words)
	switch {
	case !ok:
	case p.Text > 0 && p.Text < len(c.Words):
		v.programText(p, i)
	case p.File > 0 && p.File < len(c.Words) && p.Lang == "sh":
		name := c.Words[p.File].Text
		if value := v.files[name]; value.ok {
			return
		}
		if v.look == nil {
			return
		}
		if text, script, ok := v.look(name); ok && !script && *v.spent < maxDecodedAll {
			*v.spent += len(text)
			v.inside(Term{Written: c.Text, script: text, Span: c.Span}, i)
		}
	case p.Stdin && (c.Input != "" || len(c.Redirects) > 0):
		v.takeInput(i)
	}
}

func texts(terms []Term) []string {
	out := make([]string, len(terms))
	for i, t := range terms {
		out[i] = t.Text
	}
	return out
}

// join makes one word of several, as eval does.
func join(terms []Term) Term {
	out := Term{Known: true, Span: terms[0].Span}
	out.Span.End = max(out.Span.End, terms[len(terms)-1].Span.End)
	var parts []string
	for _, t := range terms {
		parts = append(parts, t.script)
		out.how = append(out.how, t.how...)
		out.inner = append(out.inner, t.inner...)
		out.Known = out.Known && t.Known
	}
	out.script = strings.Join(parts, " ")
	out.Text = out.script
	return out
}

// wrap adds the command that another one runs with its own streams.
func (v *analyzer) wrap(i, at int, words []string) {
	c := v.out.Commands[i]
	end := len(words)
	if ProgramName(words[0]) == "find" {
		if n := slices.IndexFunc(words[at:], func(w string) bool { return w == ";" || w == "+" || w == `\;` }); n >= 0 {
			end = at + n
		}
	}
	inner := Command{Words: c.Words[at:end], Input: c.Input, inputHow: c.inputHow, Redirects: c.Redirects}
	if len(inner.Words) == 0 {
		return
	}
	inner.Span = inner.Words[0].Span
	inner.Span.End = max(inner.Span.End, inner.Words[len(inner.Words)-1].Span.End)
	inner.Text = strings.Join(texts(inner.Words), " ")
	for _, t := range inner.Words {
		inner.Inner = append(inner.Inner, t.inner...)
	}
	x := *v
	x.outer, x.depth = i, v.depth+1
	n := x.add(inner)
	if n < 0 {
		return
	}
	v.out.Commands[i].Wraps = n
	x.runs(n)
}

// inside analyzes the text of a word as commands.
func (v *analyzer) inside(t Term, outer int) {
	if t.script == "" || len(t.script) > maxDecoded {
		v.out.Cut = v.out.Cut || t.script != ""
		return
	}
	x := v.inWord(t, outer, t.how)
	x.vars, x.files = v.vars, v.files
	x.whole(t.script)
}

// programText analyzes the text that an interpreter gets as an argument.
func (v *analyzer) programText(p Program, i int) {
	c := v.out.Commands[i]
	t := c.Words[p.Text]
	switch p.Lang {
	case "sh":
		v.inside(t, i)
	case "ps1":
		words := texts(c.Words)
		if IsEncodedFlag(strings.TrimLeft(strings.ToLower(words[p.Text-1]), "-/")) {
			if text, ok := DecodeUTF16(words[p.Text]); ok {
				t.script, t.how = text, append(t.how, "base64")
				v.native(t, i)
			}
			return
		}
		v.native(join(c.Words[p.Text:]), i)
	case "bat":
		v.native(join(c.Words[p.Text:]), i)
	case "scpt":
		for _, text := range appleShell(t.Text) {
			t.script = text
			v.inside(t, i)
		}
	}
}

// native analyzes a text of PowerShell or of the prompt of Windows.
func (v *analyzer) native(t Term, outer int) {
	if len(t.script) > maxDecoded {
		v.out.Cut = true
		return
	}
	x := v.inWord(t, outer, t.how)
	x.nativeText(t.script)
}

// appleShell returns the texts that AppleScript gives to a shell.
func appleShell(text string) []string {
	const verb = "do shell script"
	var out []string
	for len(out) < 16 {
		i := chars.IndexFold(text, verb)
		if i < 0 {
			return out
		}
		text = strings.TrimLeft(text[i+len(verb):], " (")
		if !strings.HasPrefix(text, `"`) {
			continue
		}
		end := afterQuote(text, '"')
		if end < 0 {
			return out
		}
		out = append(out, strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(text[1:end]))
		text = text[end:]
	}
	return out
}

// takeInput analyzes what a shell reads from its standard input, where that is known.
func (v *analyzer) takeInput(i int) {
	for n := 0; i >= 0 && n < maxDepth; n++ {
		c := v.out.Commands[i]
		words := texts(c.Words)
		if len(words) > 0 && ProgramName(words[0]) == "crontab" {
			v.crontab(i)
			return
		}
		if p, ok := ProgramOf(words); ok && p.Stdin && v.depth < maxDepth {
			value := v.input(i, 0)
			if !value.ok || value.text == "" || *v.spent > maxDecodedAll {
				return
			}
			*v.spent += len(value.text)
			t := Term{Written: c.Text, script: value.text, how: value.how, Span: c.Span}
			switch p.Lang {
			case "sh":
				v.inside(t, i)
			case "ps1", "bat":
				v.native(t, i)
			}
			return
		}
		i = c.Wraps
	}
}

// crontab analyzes the commands of a table that is given to crontab.
func (v *analyzer) crontab(i int) {
	value := v.input(i, 0)
	for line := range strings.Lines(value.text) {
		fields := strings.Fields(line)
		n := 5
		if strings.HasPrefix(line, "@") {
			n = 1
		}
		if len(fields) > n && v.depth < maxDepth {
			c := v.out.Commands[i]
			v.inside(Term{Written: c.Text, script: strings.Join(fields[n:], " "), how: value.how, Span: c.Span}, i)
		}
	}
}

// wrapped returns the word at which the command begins that a command runs with its
// own streams; 0 where there is none.
func wrapped(name string, words []string) int {
	switch name {
	case "find", "gfind", "fd", "fdfind":
		for i, w := range words {
			switch w {
			case "-exec", "-execdir", "-ok", "-okdir", "-x", "--exec", "-X", "--exec-batch":
				return i + 1
			}
		}
	case "docker", "podman", "nerdctl", "kubectl", "oc", "docker-compose", "lxc", "multipass":
		return inContainer(words)
	case "then", "do", "else", "if", "while", "until", "!", "{", "start", "call":
		return 1
	}
	return shell.Wrapped(name, words)
}

// inContainer finds the command that is run in a container.
func inContainer(words []string) int {
	for i := 1; i < len(words); i++ {
		switch words[i] {
		case "exec", "run":
			for k := i + 1; k < len(words); k++ {
				if words[k] == "--" {
					return k + 1
				}
				if name := ProgramName(words[k]); k > i+1 && (Interpreter(name) != "" || name == "curl" || name == "wget" || name == "rm") {
					return k
				}
			}
			return 0
		}
	}
	return 0
}

// textWord returns the word that a command gives to a shell; joined: with all behind
// it.
func textWord(name string, words []string) (at int, joined bool) {
	switch name {
	case "eval", "iex":
		return 1, true
	case "watch":
		return shell.SkipOptions(words, "n", false, 0), true
	case "ssh", "autossh", "sshpass":
		host := shell.SkipOptions(words, "iploLRDJFbcEWwSmeQ", false, 0)
		if host > 0 {
			return host + 1, true
		}
	case "trap":
		return 1, false
	case "su", "script", "runuser", "sg":
		for i, w := range words[:len(words)-1] {
			if w == "-c" || w == "--command" || w == "-qc" {
				return i + 1, false
			}
		}
	case "parallel":
		return shell.SkipOptions(words, "jIaN", false, 0), true
	}
	return 0, false
}

// keepFiles remembers what a command writes to a file, where that is known: another
// one may read or run it.
func (v *analyzer) keepFiles(i int) {
	c := v.out.Commands[i]
	for _, r := range c.Redirects {
		if !r.Writes || r.File.Text == "" || r.File.Text == "/dev/null" || v.files == nil || len(v.files) > 1000 {
			continue
		}
		value := v.output(i, 0)
		if old, ok := v.files[r.File.Text]; ok && old.ok && value.ok && strings.Contains(c.Text, ">>") {
			value.text = old.text + value.text
		}
		if value.ok && len(value.text) <= maxDecoded {
			v.files[r.File.Text] = value
			if len(value.how) > 0 || scriptFile(r.File.Text, value.text) {
				v.inside(Term{Written: c.Text, script: value.text, how: value.how, Span: c.Span}, i)
			}
		}
	}
}

// scriptFile reports whether a text that is written to a file is for a shell.
func scriptFile(name, text string) bool {
	if strings.HasPrefix(text, "#!") {
		first, _, _ := strings.Cut(text, "\n")
		return strings.HasSuffix(strings.TrimSpace(first), "sh")
	}
	base := strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])
	for _, end := range []string{".sh", ".bash", ".zsh", ".command", "rc", "profile", ".zshenv", ".bash_login", ".zlogin"} {
		if strings.HasSuffix(base, end) {
			return true
		}
	}
	return false
}
