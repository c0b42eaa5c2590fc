package audit

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/fact"
	"github.com/vadehq/vade/internal/shell"
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
}

// maxOrigin bounds how many commands a program is followed back through.
const maxOrigin = 24

// origins returns for each interpreter in the commands what its program comes from.
func (p *pass) origins() []origin {
	var out []origin
	written := map[string]int{}
	unit := -1
	for i := range p.Commands {
		c := &p.Commands[i]
		if c.Unit != unit {
			// What one text writes another one does not run, as far as is known.
			clear(written)
			unit = c.Unit
		}
		if from, file := p.programOf(i, written); len(from) > 0 {
			out = append(out, origin{runs: i, from: p.back(from), file: file})
		}
		for _, name := range p.filesOf(c) {
			written[base(name)] = i
		}
	}
	return out
}

// programOf returns the commands that a command's program comes from directly.
func (p *pass) programOf(i int, written map[string]int) (from []int, file string) {
	c := &p.Commands[i]
	switch c.Name {
	case "eval":
		if !atCommand(strings.Join(c.Args, " ")) {
			return nil, ""
		}
		return c.Inner, ""
	case "iex", "invoke-expression", "scriptblock::create":
		if c.From >= 0 {
			return append(c.Inner[:len(c.Inner):len(c.Inner)], c.From), ""
		}
		return c.Inner, ""
	case "chmod", "source", ".":
	case "open", "start", "start-process", "saps":
		if len(c.Args) > 0 {
			return fromFile(c.Args[len(c.Args)-1], written)
		}
	}
	if strings.HasPrefix(c.Text, "./") || strings.HasPrefix(c.Text, "/tmp/") || strings.HasPrefix(c.Text, ".\\") || strings.HasPrefix(c.Text, "$") || strings.HasPrefix(c.Text, "~/") || strings.HasPrefix(c.Text, "%") {
		word, _, _ := strings.Cut(c.Text, " ")
		if from, file := fromFile(strings.Trim(word, `"';&`), written); from != nil {
			return from, file
		}
	}
	prog, ok := shell.ProgramOf(c.Words())
	if !ok {
		return nil, ""
	}
	switch {
	case prog.Stdin:
		from = append(from, c.Inner...)
		if c.From >= 0 {
			from = append(from, c.From)
		}
		for _, name := range c.Reads {
			if f, n := fromFile(name, written); f != nil {
				return f, n
			}
		}
	case prog.Text > 0 && prog.Text <= len(c.Args):
		// A program that only has an argument from elsewhere is its own.
		if text := strings.TrimSpace(c.Args[prog.Text-1]); prog.Lang == "sh" && atCommand(text) || strings.HasPrefix(text, "$") || strings.HasPrefix(text, "`") {
			return c.Inner, ""
		}
	case prog.File > 0 && prog.File <= len(c.Args):
		name := c.Args[prog.File-1]
		if strings.HasPrefix(name, "<(") || strings.HasPrefix(name, "=(") || strings.HasPrefix(name, "/dev/fd/") {
			return c.Inner, ""
		}
		return fromFile(name, written)
	}
	return from, ""
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

func fromFile(name string, written map[string]int) ([]int, string) {
	if i, ok := written[base(name)]; ok && base(name) != "" {
		return []int{i}, name
	}
	return nil, ""
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

// filesOf returns the files that a command writes.
func (p *pass) filesOf(c *fact.Command) []string {
	var out []string
	for _, w := range c.Writes {
		if w != "/dev/null" && w != "" {
			out = append(out, w)
		}
	}
	switch c.Name {
	case "curl":
		for i, a := range c.Args {
			switch {
			case (a == "-o" || a == "--output" || strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.HasSuffix(a, "o")) && i+1 < len(c.Args):
				out = append(out, c.Args[i+1])
			case a == "-O" || a == "--remote-name" || strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.Contains(a, "O"):
				out = append(out, lastPart(c))
			case strings.HasPrefix(a, "--output="):
				out = append(out, a[len("--output="):])
			}
		}
	case "wget":
		named := false
		for i, a := range c.Args {
			if (a == "-O" || a == "--output-document" || strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.HasSuffix(a, "O")) && i+1 < len(c.Args) {
				out, named = append(out, c.Args[i+1]), true
			}
		}
		if !named {
			out = append(out, lastPart(c))
		}
	case "iwr", "invoke-webrequest", "irm", "invoke-restmethod", "start-bitstransfer":
		for i, a := range c.Args {
			if low := strings.ToLower(a); (strings.HasPrefix(low, "-outf") || low == "-o" || low == "-destination") && i+1 < len(c.Args) {
				out = append(out, c.Args[i+1])
			}
		}
	case "downloadfile", "certutil", "bitsadmin", "aria2c":
		if len(c.Args) > 1 {
			out = append(out, c.Args[len(c.Args)-1])
		}
	case "tee":
		for _, a := range c.Args {
			if !strings.HasPrefix(a, "-") {
				out = append(out, a)
			}
		}
	case "mv", "cp", "install":
		if n := len(c.Args); n > 1 {
			out = append(out, c.Args[n-1])
		}
	}
	return out
}

// lastPart is the name under which a download without a name of its own is kept.
func lastPart(c *fact.Command) string {
	for _, a := range slices.Backward(c.Args) {
		if strings.Contains(a, "/") && !strings.HasPrefix(a, "-") {
			a, _, _ = strings.Cut(a, "?")
			return base(a)
		}
	}
	return ""
}

// schematic reports whether a command only shows the form of one: a part of it is
// left out.
func schematic(c *fact.Command) bool {
	return slices.ContainsFunc(c.Args, func(a string) bool { return a == "…" || a == "..." || a == "[...]" || a == "<...>" || a == "<…>" })
}
