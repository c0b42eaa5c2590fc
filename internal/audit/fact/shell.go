package fact

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/audit/commands"
)

// CommandsIn adds the commands of a text that is given to a shell, as by a call in a
// script. The language of the standing says which shell it is: ps1 and bat, or any
// other for that of Unix. Where the text is what stands at the place, byte for byte,
// each command has its own place, or else that of the whole. It returns the commands
// as a range of indices.
func (f *Facts) CommandsIn(text string, at Place, s Standing) (from, to int) {
	place := func(int, int) Place { return at }
	if at.Span.End-at.Span.Start == len(text) {
		place = func(from, to int) Place {
			return Place{at.File, diag.Span{Start: at.Span.Start + from, End: at.Span.Start + to}}
		}
	}
	return f.survey(text, s, place)
}

// survey adds the commands of a text.
func (f *Facts) survey(text string, s Standing, place func(from, to int) Place) (from, to int) {
	from = len(f.Commands)
	if from >= maxFacts {
		f.miss(place(0, len(text)).File, MissedTooLarge, "there are more commands than are looked at")
		return from, from
	}
	native := s.Lang == "ps1" || s.Lang == "bat" || s.Lang == "" && s.Medium != Shell && nativeWords(text) && !strings.Contains(text, "sh")
	var found *commands.Analysis
	if native {
		found = commands.AnalyzeNative(text, f.look)
	} else {
		found = commands.Analyze(text, f.look)
	}
	if found.Cut {
		f.miss(place(0, len(text)).File, MissedTooLarge, "not all commands of a script were looked at")
	}
	f.take(found, s, place)
	if !native && nativeWords(text) {
		f.take(commands.AnalyzeNative(text, f.look), s, place)
	}
	return from, len(f.Commands)
}

// maxLook bounds what is read of a file that a command names, maxLooked that of all in
// a package.
const (
	maxLook   = 64 << 10
	maxLooked = 4 << 20
)

// look returns the text of a file of the package that a command names: by its path in
// the package, with whatever stands for the package's own directory before it.
func (f *Facts) look(name string) (text string, script, ok bool) {
	if len(f.Package.Files) < 2 || len(name) > 300 || name == "" {
		return "", false, false
	}
	if f.byPath == nil {
		f.byPath = map[string]int{}
		for i, x := range f.Package.Files {
			if x.From == nil {
				f.byPath[x.Path] = i
			}
		}
	}
	for n := 0; n < 8; n++ {
		name = strings.TrimPrefix(name, "./")
		if i, found := f.byPath[name]; found {
			x := f.Package.Files[i]
			if f.looked += min(len(x.Raw), maxLook); f.looked > maxLooked {
				return "", false, false
			}
			if x.Role == Opaque || x.Text == "" {
				return string(x.Raw[:min(len(x.Raw), maxLook)]), false, true
			}
			return x.Text[:min(len(x.Text), maxLook)], x.Role == Script, true
		}
		_, rest, more := strings.Cut(name, "/")
		if !more {
			break
		}
		name = rest
	}
	return "", false, false
}

// nativeWords reports whether a text that says that it is for another shell has words
// of PowerShell or of the prompt of Windows.
func nativeWords(text string) bool {
	for _, word := range []string{"iex", "IEX", "Iex", "nvoke-", "NVOKE-", "ownloadString", "ownloadstring", "DOWNLOADSTRING", "ownloadFile", "-MpPreference", "-mppreference", "ScheduledTask", "FromBase64String", "Net.Sockets.TCPClient", "Net.Sockets.TcpClient"} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// take turns what an analysis found into facts.
func (f *Facts) take(found *commands.Analysis, s Standing, place func(from, to int) Place) {
	base := len(f.Commands)
	moved := func(i int) int {
		if i < 0 {
			return -1
		}
		return base + i
	}
	for i := range found.Commands {
		c := &found.Commands[i]
		x := Command{
			Place: place(c.Span.Start, c.Span.End), Standing: s, Text: c.Text, Assigns: c.Assigns, Input: c.Input,
			Outer: moved(c.Outer), Wraps: moved(c.Wraps), From: moved(c.From), How: c.Packed, Native: c.Native, Unit: base,
		}
		x.Packed = x.Packed || len(c.Packed) > 0
		if len(c.Words) > 0 {
			x.Name = commands.ProgramName(c.Words[0].Text)
			x.Args = make([]string, len(c.Words)-1)
			for k, w := range c.Words[1:] {
				x.Args[k] = w.Text
			}
		}
		for _, r := range c.Redirects {
			if r.Writes {
				x.Writes = append(x.Writes, r.File.Text)
			} else {
				x.Reads = append(x.Reads, r.File.Text)
			}
		}
		for _, n := range c.Inner {
			x.Inner = append(x.Inner, moved(n))
		}
		f.Commands = append(f.Commands, x)
	}
	for _, p := range found.Pipes {
		stages := make([]int, len(p))
		for i, n := range p {
			stages[i] = moved(n)
		}
		first, last := f.Commands[stages[0]].Place, f.Commands[stages[len(stages)-1]].Place
		first.Span.End = max(first.Span.End, last.Span.End)
		f.Pipes = append(f.Pipes, Pipe{Place: first, Standing: f.Commands[stages[0]].Standing, Stages: stages})
	}
}

// Words returns a command's name, as far as it has one, and its arguments.
func (c *Command) Words() []string {
	if c.Name == "" {
		return nil
	}
	return append([]string{c.Name}, c.Args...)
}

// Has reports whether a command has one of some arguments.
func (c *Command) Has(args ...string) bool {
	return slices.ContainsFunc(c.Args, func(a string) bool { return slices.Contains(args, a) })
}

// shell takes the commands from a region.
func (f *Facts) shell(r *Region) {
	switch r.Medium {
	case Fence, Code, Shell:
		f.shellBlock(r)
	case CodeSpan:
		f.shellSpan(r)
	case Prose, Comment, Frontmatter:
		f.shellProse(r)
	case Value:
		f.shellValue(r)
	}
}

// shellBlock takes the commands from a block of code or from a script.
func (f *Facts) shellBlock(r *Region) {
	s := r.Standing
	if r.Medium == Fence && f.loads(r, "```!") {
		s.Medium, s.Lang = Shell, "sh"
	}
	text := r.Text
	switch {
	case s.Lang == "sh" && r.Medium != Code, s.Medium == Shell:
		text = prompts(text)
	case s.Lang == "sh", s.Lang == "bat":
	case s.Lang == "ps1":
		text = prompts(text)
	case s.Lang == "docker":
		text = dockerLines(text)
	case s.Lang == "make":
		text = makeLines(text)
	case s.Lang == "" || s.Lang == "txt" || s.Lang == "diff":
		if text = commandLines(prompts(text)); text == "" {
			f.shellProse(r)
			return
		}
	case s.Lang == "md":
		f.shellProse(r)
		return
	case s.Lang == "json" || s.Lang == "yaml" || s.Lang == "toml" || s.Lang == "ini":
		f.shellValue(r)
		return
	default:
		return
	}
	f.survey(text, s, r.At)
}

// loads reports whether a region is a command that a host runs while it loads the
// definition: mark is what stands before it.
func (f *Facts) loads(r *Region, mark string) bool {
	x := f.Package.Files[r.File]
	if x.Role != Main || r.Span.Start > len(x.Text) {
		return false
	}
	return strings.HasSuffix(strings.TrimRight(x.Text[:r.Span.Start], "\r\n"), mark)
}

// shellSpan takes the command from a span of code, if it is one.
func (f *Facts) shellSpan(r *Region) {
	s := r.Standing
	text := r.Text
	if f.loads(r, "!`") {
		s.Medium, s.Lang = Shell, "sh"
	} else if text = prompts(text); len(text) < 4 || !strings.ContainsAny(text, " |") || !looksCommand(text) {
		return
	}
	f.survey(text, s, r.At)
}
