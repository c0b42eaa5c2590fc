// Package export writes definitions in another host's format, using that host's paths, fields and
// body syntax. It reports everything that the host cannot express as a loss. The conversion itself
// performs no I/O.
package export

import (
	"cmp"
	"slices"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// Item is a definition to export.
type Item struct {
	Kind definition.Kind
	Name string
	// Description is used if the frontmatter has no description.
	Description string
	// Source is the file's path as shown to users.
	Source string
	Format definition.Format
	// Entries holds the fields, and Body is the text after them. BodyAt is the body's offset in the
	// file, or -1 if the body is a field's value.
	Entries []definition.Entry
	Body    string
	BodyAt  int
	// Line converts an offset in the file to a line. It is nil if lines are unknown.
	Line func(offset int) int
	// Syntax is the body's syntax, or nil if the body has no placeholders.
	// Names are the arguments declared in the frontmatter.
	Syntax *host.Syntax
	Names  []string
	// At is the file's slash-separated path in the project, or "" if the file is outside the
	// project. Exists reports whether a path exists. Moved returns the new path of a file that is
	// moved together with its definition. Exists and Moved may be nil.
	At     string
	Exists func(file string) bool
	Moved  func(file string) (to string, ok bool)
	// IsFile reports whether a path in the body is a file in the project. If IsFile is nil, any
	// path with a slash or a period is assumed to be a file.
	IsFile func(path string) bool
	// InPlace reports whether the host reads the file in place. The export cannot omit such a file.
	InPlace bool
	// Canceled reports whether the export was canceled, in which case its
	// results must not be used. It may be nil.
	Canceled func() bool
	// Companions lists the other files in a skill's directory.
	Companions []Companion
	// Whole reports whether this is an instruction file for the whole project,
	// such as AGENTS.md, rather than a rule file.
	Whole bool
	// Nested is the project subdirectory that the file applies to.
	Nested string
	// Paths holds patterns for the files that activate the instruction. Always reports whether the
	// instruction is always active.
	Paths  []string
	Always bool
	// Explicit reports whether the user named the file explicitly. Such a file is not treated as a
	// copy of another file.
	Explicit bool
	// Agents lists the agents that the file applies to. It is empty if the file applies to all.
	Agents []string
}

// Companion is a file in a skill's directory.
type Companion struct {
	// Path is slash-separated and relative to the definition's directory.
	Path       string
	Data       []byte
	Executable bool
}

// The kinds of losses. Each comment says which part of a definition the loss concerns.
const (
	// LossKind concerns a definition whose kind the host does not support.
	LossKind = "kind"
	// LossName concerns a definition that has a different name in the host.
	LossName = "name"
	// LossField concerns a frontmatter field.
	LossField = "field"
	// LossTool concerns a tool, or a rule for a tool.
	LossTool = "tool"
	// LossModel concerns the model setting.
	LossModel = "model"
	// LossActivation concerns a file pattern, or who may invoke the definition.
	LossActivation = "activation"
	// LossArgument concerns an argument placeholder.
	LossArgument = "argument"
	// LossShell concerns a command in the body.
	LossShell = "shell"
	// LossFile concerns a file that the body includes.
	LossFile = "file"
	// LossVariable concerns a variable in the body.
	LossVariable = "variable"
	// LossText concerns text that has a different meaning in the host.
	LossText = "text"
	// LossCompanion concerns a companion file.
	LossCompanion = "companion"
	// LossSecret concerns a possible secret. LossTransport concerns an MCP server's transport.
	LossSecret    = "secret"
	LossTransport = "transport"
)

// Result is the result of exporting one definition, or all instructions.
type Result struct {
	// Files is empty if nothing is exported.
	Files  []ExportedFile
	Losses []HostLoss
	// Guards lists the restrictions that an exported copy would state in the host's own format but
	// that the source does not. The host does not enforce them if it reads the source in place.
	Guards []definition.Entry
	// Reworded reports whether the definition was renamed or its fields were rewritten for the
	// host. If so, the host would misinterpret the source even if both files parse to the same
	// fields.
	Reworded bool
}

// lossList collects one item's losses.
type lossList struct {
	it     *Item
	losses []HostLoss
	// seen holds the kind and message of each loss in losses.
	seen map[[2]string]bool
}

// reportLoss adds a loss unless it is already in the list.
func (l *lossList) reportLoss(line int, what, message, fix string) {
	x := l.it.loss(line, what, message, fix)
	if l.seen == nil {
		l.seen = map[[2]string]bool{}
		for _, o := range l.losses {
			l.seen[[2]string{o.What, o.Message}] = true
		}
	}
	if key := [2]string{what, message}; !l.seen[key] {
		l.seen[key] = true
		l.losses = append(l.losses, x)
	}
}

// reportWidening adds a loss and records that it lets the host allow more than the definition does.
func (l *lossList) reportWidening(line int, what, message, fix string) {
	before := len(l.losses)
	l.reportLoss(line, what, message, fix)
	if len(l.losses) > before {
		l.losses[before].Widens = true
	}
}

// omit adds a loss that keeps the definition from being exported. The result contains no files.
func (l *lossList) omit(what, message, fix string) Result {
	l.reportLoss(0, what, message, fix)
	l.losses[len(l.losses)-1].Whole = true
	return Result{Losses: l.losses}
}

func (it *Item) loss(line int, what, message, fix string) HostLoss {
	return HostLoss{Kind: it.Kind, Name: it.Name, Source: it.Source, Line: line, What: what, Message: message, Fix: fix}
}

func (it *Item) canceled() bool { return it.Canceled != nil && it.Canceled() }

// line converts an offset in the file to a line.
func (it *Item) line(offset int) int {
	if it.Line == nil || offset < 0 {
		return 0
	}
	return it.Line(offset)
}

// entryLine returns a field's line.
func (it *Item) entryLine(e *definition.Entry) int { return it.line(e.KeySpan.Start) }

// bodyLine converts an offset in the body to a line in the file.
func (it *Item) bodyLine(offset int) int {
	if it.BodyAt < 0 {
		return 0
	}
	return it.line(it.BodyAt + offset)
}

// Sort sorts losses by source, kind, name, line, kind of loss and message.
func Sort(losses []HostLoss) {
	slices.SortStableFunc(losses, func(a, b HostLoss) int {
		return cmp.Or(
			cmp.Compare(a.Source, b.Source), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.What, b.What), cmp.Compare(a.Message, b.Message),
		)
	})
}
