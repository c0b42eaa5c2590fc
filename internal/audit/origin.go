package audit

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/commands"
	"github.com/vadehq/vade/internal/audit/fact"
)

// origin is what an interpreter runs that does not stand in the text as it is: the
// commands that its program comes from.
type origin struct {
	// runs is the index of the interpreter's command, or of the one that runs a file.
	runs int
	// from are the commands that the program comes from, the last one of a pipeline
	// first.
	from []int
	// file is set where it went through a file.
	file string
	// apart: the file was made by another text of the same page.
	apart bool
	// clone: it is a repository that was copied.
	clone bool
}

// maxOrigin bounds how many commands a program is followed back through.
const maxOrigin = 24

// origins returns for each interpreter in the commands what its program comes from.
func (p *pass) origins() []origin {
	var out []origin
	t := traces{made: map[string]trace{}, pass: p}
	for i := range p.Commands {
		c := &p.Commands[i]
		t.enter(c)
		if from, file, apart := t.programOf(i); len(from) > 0 {
			out = append(out, origin{runs: i, from: p.back(from), file: file, apart: apart})
		}
		t.follow(i)
	}
	return out
}

// programOf returns the commands that a command's program comes from directly, the
// file that it went through, and whether another text made that.
func (t *traces) programOf(i int) (from []int, file string, apart bool) {
	c := &t.pass.Commands[i]
	switch c.Name {
	case "eval":
		if !atCommand(strings.Join(c.Args, " ")) {
			return nil, "", false
		}
		return c.Inner, "", false
	case "iex", "invoke-expression", "scriptblock::create":
		if c.From >= 0 {
			return append(c.Inner[:len(c.Inner):len(c.Inner)], c.From), "", false
		}
		return c.Inner, "", false
	case "open", "start", "start-process", "saps":
		if len(c.Args) > 0 {
			return t.file(c.Args[len(c.Args)-1])
		}
	case "make":
		return t.unpackedFile("Makefile")
	case "dpkg", "rpm", "apt", "apt-get", "dnf", "yum", "installer", "msiexec", "pip", "pip3", "pipx", "npm", "pnpm", "yarn", "gem":
		for _, a := range c.Args {
			if from, file, apart = t.file(a); from != nil {
				return from, file, apart
			}
		}
		return nil, "", false
	}
	word, _, _ := strings.Cut(c.Text, " ")
	word = strings.Trim(word, `"';&`)
	if startsPath(word) {
		if from, file, apart = t.file(word); from != nil {
			return from, file, apart
		}
		if from, file, apart = t.unpackedFile(word); from != nil {
			return from, file, apart
		}
	} else if made, ok := t.made[word]; ok && made.runnable {
		return t.file(word)
	}
	prog, ok := commands.ProgramOf(c.Words())
	if !ok {
		return nil, "", false
	}
	switch {
	case prog.Stdin:
		from = append(from, c.Inner...)
		if c.From >= 0 {
			from = append(from, c.From)
		}
		for _, name := range c.Reads {
			if f, n, apart := t.file(name); f != nil {
				return f, n, apart
			}
		}
	case prog.Text > 0 && prog.Text <= len(c.Args):
		// A program that only has an argument from elsewhere is its own.
		if text := strings.TrimSpace(c.Args[prog.Text-1]); prog.Lang == "sh" && atCommand(text) || strings.HasPrefix(text, "$") || strings.HasPrefix(text, "`") {
			return c.Inner, "", false
		}
	case prog.File > 0 && prog.File <= len(c.Args):
		name := c.Args[prog.File-1]
		if strings.HasPrefix(name, "<(") || strings.HasPrefix(name, "=(") || strings.HasPrefix(name, "/dev/fd/") {
			return c.Inner, "", false
		}
		if from, file, apart = t.file(name); from == nil {
			return t.unpackedFile(name)
		}
		return from, file, apart
	}
	return from, "", false
}

// startsPath reports whether the word for a program is a path that no system has.
func startsPath(word string) bool {
	for _, head := range [...]string{"./", "/tmp/", ".\\", "$", "~/", "%"} {
		if strings.HasPrefix(word, head) {
			return true
		}
	}
	return false
}

// atCommand reports whether a text for a shell has something that is filled in where a
// command stands, and not as the argument of one.
func atCommand(text string) bool {
	before := byte(';')
	for i := range len(text) {
		c := text[i]
		if (c == '$' || c == '`') && strings.IndexByte(";&|({\n", before) >= 0 {
			return true
		}
		if c != ' ' && c != '"' && c != '\'' && c != '\t' {
			before = c
		}
	}
	return false
}

func base(name string) string {
	name = strings.TrimRight(name, "/\\")
	return name[strings.LastIndexAny(name, `/\`)+1:]
}

// back follows commands to those that they read from.
func (p *pass) back(from []int) []int {
	list := slices.Clone(from)
	for n := 0; n < len(list) && n < maxOrigin; n++ {
		c := &p.Commands[list[n]]
		for _, next := range append(c.Inner[:len(c.Inner):len(c.Inner)], c.From, c.Wraps) {
			if next >= 0 && !slices.Contains(list, next) && len(list) < maxOrigin {
				list = append(list, next)
			}
		}
	}
	return list
}

// schematic reports whether a command only shows the form of one: a part of it is
// left out.
func schematic(c *fact.Command) bool {
	return slices.ContainsFunc(c.Args, func(a string) bool { return a == "…" || a == "..." || a == "[...]" || a == "<...>" || a == "<…>" })
}
