// Package export writes definitions for another host: where their files go, which
// fields they have there, and the body in that host's syntax. What the host can not
// express is a loss, which is said. It is pure: it reads and writes no file.
package export

import (
	"cmp"
	"slices"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// Item is one definition that is exported.
type Item struct {
	Kind definition.Kind
	Name string
	// Description is what stands in where the frontmatter has none.
	Description string
	// Source is the file, as it is shown.
	Source string
	Format definition.Format
	// Entries are its fields, Body is what stands behind them, and BodyAt where that
	// begins in the file, -1 where it is a value in it.
	Entries []definition.Entry
	Body    string
	BodyAt  int
	// Line returns the line of an offset in the file; nil where the file has none.
	Line func(offset int) int
	// Syntax is that of the body; nil where nothing is put into it. Names are the
	// names of arguments that the frontmatter declares.
	Syntax *host.Syntax
	Names  []string
	// At is the file below the top of the project, with slashes; "" where it is not in
	// the project. Exists reports whether there is a file or a directory of such a path,
	// and Moved where one goes with its definition; nil knows of none.
	At     string
	Exists func(file string) bool
	Moved  func(file string) (to string, ok bool)
	// IsFile reports whether a path that a body mentions is a file of the project;
	// nil: what has a slash or a full stop in it is one.
	IsFile func(path string) bool
	// Stays: the file stands in the host's own place already and is read there as it is,
	// so that nothing is refused.
	Stays bool
	// Canceled reports whether nobody waits for the files any more; what is made then is
	// not to be used. nil: somebody does.
	Canceled func() bool
	// Companions are the files beside it.
	Companions []Companion
	// Whole: an instruction file for the whole project, such as AGENTS.md, rather
	// than one of several in a directory of rules.
	Whole bool
	// Nested is the directory below the project that it belongs to.
	Nested string
	// Paths are the patterns of the files that make it available, and Always says
	// that it is there whatever they are.
	Paths  []string
	Always bool
	// Meant: the file is named as one that goes along, so that its text is no copy of
	// another's.
	Meant bool
	// Agents are those that it is for alone.
	Agents []string
}

// Companion is a file beside a definition.
type Companion struct {
	// Path is relative to the directory of the definition, with slashes.
	Path       string
	Data       []byte
	Executable bool
}

// File is one file for a host.
type File struct {
	// Path is relative to the top of the project, with slashes.
	Path       string
	Data       []byte
	Executable bool
	// Kind is what the file is in the host, and Name what it is called there.
	Kind definition.Kind
	Name string
	// Source is the file that it was made of, Sources are all of them where these are
	// several; Main marks the file of a definition itself, not one beside it.
	Source  string
	Sources []string
	Main    bool
}

// Loss is something that the host can not express.
type Loss struct {
	Kind         definition.Kind
	Name, Source string
	// Line is 0 where the whole definition is meant.
	Line int
	// What is one of a few words; see the constants.
	What string
	// Message says what is lost, Fix what can be done.
	Message, Fix string
	// Whole: nothing of the definition is exported.
	Whole bool
	// Widens: the host lets more happen than the definition does.
	Widens bool
	// Clash: another definition has the place of its file.
	Clash bool
}

// In returns the loss with the host that has it.
func (l Loss) In(host string) HostLoss {
	return HostLoss{
		Host: host, Kind: l.Kind, Name: l.Name, Source: l.Source, Line: l.Line, What: l.What,
		Message: l.Message, Fix: l.Fix, Whole: l.Whole, Widens: l.Widens, Clash: l.Clash,
	}
}

// What can be lost.
const (
	// LossKind: the host has no such definitions.
	LossKind = "kind"
	// LossName: the definition is called something else there.
	LossName = "name"
	// LossField: a field of the frontmatter.
	LossField = "field"
	// LossTool: a tool, or a rule for one.
	LossTool = "tool"
	// LossModel: the model.
	LossModel = "model"
	// LossActivation: the files that make it available, or who may call it.
	LossActivation = "activation"
	// LossArgument: a place for arguments.
	LossArgument = "argument"
	// LossShell: a command in the body.
	LossShell = "shell"
	// LossFile: a file that the body puts in.
	LossFile = "file"
	// LossVariable: a variable in the body.
	LossVariable = "variable"
	// LossText: text that means something else there.
	LossText = "text"
	// LossCompanion: a file beside the definition.
	LossCompanion = "companion"
	// LossSecret: what may be a secret in the entry of an MCP server, LossTransport the
	// transport of a server.
	LossSecret    = "secret"
	LossTransport = "transport"
)

// Losses are the words for what can be lost, in the order in which they are shown.
func Losses() []string {
	return []string{
		LossKind, LossName, LossField, LossTool, LossModel, LossActivation, LossArgument, LossShell, LossFile, LossVariable,
		LossText, LossCompanion, LossSecret, LossTransport,
	}
}

// Result is what becomes of one definition.
type Result struct {
	// Files are its files; none where nothing of it is exported.
	Files  []File
	Losses []Loss
	// Guards are the fields that restrict the definition in the host's own format and
	// that the source does not have: a host that reads the source misses them.
	Guards []definition.Entry
	// Reworded: the bytes of the source are none that the host takes as they are meant,
	// even where it reads the same fields.
	Reworded bool
}

// loser collects losses of one item.
type loser struct {
	it   *Item
	list []Loss
	// seen are the words and messages of the list.
	seen map[[2]string]bool
}

// lose notes a loss once.
func (l *loser) lose(line int, what, message, fix string) {
	x := Loss{Kind: l.it.Kind, Name: l.it.Name, Source: l.it.Source, Line: line, What: what, Message: message, Fix: fix}
	if l.seen == nil {
		l.seen = map[[2]string]bool{}
		for _, o := range l.list {
			l.seen[[2]string{o.What, o.Message}] = true
		}
	}
	if key := [2]string{what, message}; !l.seen[key] {
		l.seen[key] = true
		l.list = append(l.list, x)
	}
}

// widen notes a loss by which more may happen in the host than the definition lets
// happen.
func (l *loser) widen(line int, what, message, fix string) {
	before := len(l.list)
	l.lose(line, what, message, fix)
	if len(l.list) > before {
		l.list[before].Widens = true
	}
}

// whole notes that nothing is exported.
func (l *loser) whole(what, message, fix string) Result {
	l.lose(0, what, message, fix)
	l.list[len(l.list)-1].Whole = true
	return Result{Losses: l.list}
}

func (it *Item) canceled() bool { return it.Canceled != nil && it.Canceled() }

// line returns the line of an offset in the file.
func (it *Item) line(offset int) int {
	if it.Line == nil || offset < 0 {
		return 0
	}
	return it.Line(offset)
}

// entryLine is the line of a field.
func (it *Item) entryLine(e *definition.Entry) int { return it.line(e.KeySpan.Start) }

// bodyLine is the line of an offset in the body.
func (it *Item) bodyLine(offset int) int {
	if it.BodyAt < 0 {
		return 0
	}
	return it.line(it.BodyAt + offset)
}

// Sort orders losses by source, kind, name, line, word and message.
func Sort(losses []Loss) {
	slices.SortStableFunc(losses, func(a, b Loss) int {
		return cmp.Or(
			cmp.Compare(a.Source, b.Source), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.What, b.What), cmp.Compare(a.Message, b.Message),
		)
	})
}
