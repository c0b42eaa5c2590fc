// Package command finds signals in shell, PowerShell and Windows command prompt commands in any
// file. It interprets commands without running anything. Each word, stream, variable and file is a
// value. A value consists of the known part of its text and its sources, which are anything
// relevant that it contains, such as a secret or a downloaded program.
//
// A region is processed in these steps:
//
//   - text.go finds the commands in the region, and strings.go finds those in strings that no
//     parser has read.
//   - windows.go translates PowerShell and the command prompt to POSIX shell.
//   - shell.go parses the text and evaluates statements, redirections and words. The results are
//     the values that value.go defines.
//   - run.go interprets simple commands. It uses table.go to assign roles to a command's words as
//     programs.txt describes, and effect.go to add the signals of matching rows in effects.txt.
//   - act.go, stream.go, network.go and files.go implement the effects that programs.txt lists for
//     programs, and return the programs' output.
package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/known"
	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/shell"

	"mvdan.cc/sh/v3/syntax"
)

// Extractor finds signals in commands. Use a separate one for each package.
type Extractor struct {
	set    *signal.Set
	states map[int]*fileState
	// files maps base names to the files that commands created.
	files map[string]*file
	// embedded holds the indexes of regions that were interpreted as soon as they were embedded.
	embedded map[int]bool
	seen     map[signalKey]bool
	// repeats holds the signals that were already found. They must not be added again.
	repeats map[repeatKey]bool
	actions map[string]func(*machine, *call) value
	paths   map[string]int
	checked map[int]bool
	parser  *syntax.Parser
	// work is the amount of work done; see maxWork.
	work int
}

// fileState is the state shared by the commands in one file.
type fileState struct {
	vars      map[string]value
	functions map[string]*function
	declared  []*function
	// aliases maps the names of aliases, links and copies to commands.
	aliases map[string]string
	// streams maps file descriptors to the connections that they refer to.
	streams map[string]value
	// unpacked holds the sources of the most recently extracted archive or cloned repository.
	unpacked []source
	// client is a connection that a PowerShell script opened. Commands use variables to write to
	// it.
	client []source
	dir    string
	// opaque maps the placeholder of an unknown value, such as "${__0}", to its source text.
	opaque map[string]string
}

// file is a file that a command created or wrote to.
type file struct {
	value
	state *fileState
	name  string
	// embedded reports whether the file's text was already added as a region. reader interprets
	// anything that is written to the file.
	embedded bool
	reader   func(in value)
}

// machine interprets a piece of text that consists of commands.
type machine struct {
	x      *Extractor
	set    *signal.Set
	state  *fileState
	region int
	// src is the parser's input, and base is its offset in the region. If fixedSpan is set, the
	// region does not contain src literally, so the field at is the position of every signal.
	src       string
	base      int
	fixedSpan bool
	at        span
	depth     int
	// contained reports whether the text runs in a container or on another machine.
	contained bool
	// native reports whether the text was translated from PowerShell or the command prompt.
	native bool
}

// span is a range of a region's text.
type span struct{ from, to int }

// Region interprets the commands in one region.
func (x *Extractor) Region(s *signal.Set, index int) {
	if x.set != s {
		*x = Extractor{
			set: s, states: map[int]*fileState{}, files: map[string]*file{},
			embedded: map[int]bool{}, seen: map[signalKey]bool{}, checked: map[int]bool{}, actions: actions(),
			parser: shell.NewParser(),
		}
	}
	if x.embedded[index] {
		return
	}
	r := s.Regions[index]
	d := x.states[r.File]
	if d == nil || r.Medium == signal.Code {
		d = &fileState{
			vars: map[string]value{}, functions: map[string]*function{}, aliases: map[string]string{},
			streams: map[string]value{}, opaque: map[string]string{},
		}
		x.states[r.File] = d
	}
	m := machine{x: x, set: s, state: d, region: index}
	text, lang := commandsIn(&m, &r)
	if strings.TrimSpace(text) == "" {
		return
	}
	for _, c := range m.script(text, lang, value{}).sources {
		// The model sees a secret in the output, unless another command reads the output.
		if c.kind == secret {
			m.tag(c.read, "printed")
		}
	}
	for _, f := range d.declared {
		if f.called == 0 {
			m := f.machine
			m.function(f, nil, value{})
		}
	}
	d.declared = nil
}

// Finish does nothing: Region adds all signals.
func (x *Extractor) Finish(*signal.Set) {}

// script interprets text in a shell language.
func (m *machine) script(text, lang string, in value) value {
	n := *m
	n.native = false
	switch {
	case lang == "ps1" || lang == "bat":
		return n.translate(text, lang, in)
	case hasWindowsWord(text):
		// The text may not be in the declared language, so interpret it as PowerShell as well.
		return concatOutput(n.translate(text, "ps1", in), n.shellCommands(text, in))
	}
	return n.shellCommands(text, in)
}

// node returns the range of a syntax node in the region.
func (m *machine) node(n syntax.Node) span {
	return m.span(offset(n.Pos()), min(offset(n.End()), len(m.src)))
}

func (m *machine) span(from, to int) span {
	if m.fixedSpan {
		return m.at
	}
	return span{m.base + from, m.base + to}
}

// signalKey identifies a signal. It is used to avoid duplicates, because the same command may be
// interpreted several times.
type signalKey struct {
	kind            signal.Kind
	tags            string
	intent          signal.Intent
	reach           signal.Reach
	file, start     int
	subject, object string
}

// add adds a signal. It omits tags that are not valid for the signal's kind. It returns the
// signal's index plus one, or 0 if an identical signal already exists.
func (m *machine) add(at span, kind signal.Kind, subject, object string, tags ...signal.Tag) int {
	if m.contained {
		tags = append(slices.Clip(tags), "contained")
	}
	allowed := signal.Vocabulary()[kind].Tags
	var list []signal.Tag
	for _, tag := range tags {
		if _, ok := allowed[tag]; ok && !slices.Contains(list, tag) {
			list = append(list, tag)
		}
	}
	r := &m.set.Regions[m.region]
	p := r.At(at.from, at.to)
	key := signalKey{kind, fmt.Sprint(list), r.Intent, r.Reach, p.File, p.Span.Start, subject, object}
	if m.x.seen[key] || m.x.repeats[repeatKey{kind, p.File, r.Reach, shorten(m.display(object))}] {
		return 0
	}
	m.x.seen[key] = true
	if m.fixedSpan && strings.Contains(subject, "${__") {
		subject = m.textAt(at)
	}
	m.set.Add(kind, m.region, at.from, at.to, shorten(m.display(subject)), shorten(m.display(object)), list...)
	return len(m.set.Signals)
}

// shorten collapses whitespace in text and limits its length for display.
func shorten(text string) string {
	return chars.Truncate(strings.ToValidUTF8(strings.Join(strings.Fields(text), " "), "?"), 160)
}

// tag adds a tag to the signal with the given number, which add returned.
func (m *machine) tag(number int, tag signal.Tag) {
	if number == 0 || number > len(m.set.Signals) {
		return
	}
	if s := &m.set.Signals[number-1]; !slices.Contains(s.Tags, tag) {
		s.Tags = append(slices.Clip(s.Tags), tag)
	}
}

// variable returns a variable's value and reports whether the variable is set.
func (m *machine) variable(name string) (value, bool) {
	if v, ok := m.state.vars[name]; ok {
		if v.text == "" && !v.known {
			v.text = "$" + name
		}
		return v, true
	}
	switch name {
	case "IFS":
		return literal(" "), true
	case "PATH", "SHELL":
		// Attackers use the first character of such a variable in place of a slash.
		return literal("/bin/sh"), true
	}
	v := value{text: "$" + name}
	if rest, ok := strings.CutPrefix(name, "env__"); ok {
		v.text, name = "$env:"+rest, rest
	} else if rest, ok := strings.CutPrefix(name, "bat__"); ok {
		v.text, name = "%"+rest+"%", rest
	}
	if tags := known.Env(name); len(tags) > 0 {
		v.sources = []source{{kind: secret, tags: tags, name: name, region: m.region}}
	}
	return v, false
}
