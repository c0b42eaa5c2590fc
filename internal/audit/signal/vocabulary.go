package signal

import (
	_ "embed"
	"strings"
	"sync"
)

// Kind classifies a signal, and Tag adds details. Rules match both. [Vocabulary] lists all kinds
// and tags.
type (
	Kind string
	Tag  string
)

// Signal kinds.
const (
	// These kinds are for actions performed by a command, by code, by configuration that runs
	// something, or by a model that follows the text (if the medium is prose).
	Program    Kind = "program"
	Run        Kind = "run"
	Fetch      Kind = "fetch"
	Send       Kind = "send"
	Read       Kind = "read"
	Write      Kind = "write"
	Delete     Kind = "delete"
	Install    Kind = "install"
	Connect    Kind = "connect"
	Weaken     Kind = "weaken"
	Sabotage   Kind = "sabotage"
	Obfuscated Kind = "obfuscated"
	// What the text says.
	Instruct Kind = "instruct"
	Lure     Kind = "lure"
	// What the text names.
	Address   Kind = "address"
	Reference Kind = "reference"
	Name      Kind = "name"
	// What the package hides.
	Hidden     Kind = "hidden"
	Characters Kind = "characters"
	Encoded    Kind = "encoded"
	// What the package is.
	FileForm Kind = "file"
	Unread   Kind = "unread"
	Field    Kind = "field"
	Grant    Kind = "grant"
	Hook     Kind = "hook"
)

// Entry describes a signal kind.
type Entry struct {
	Meaning string
	// Tags maps each tag that signals of this kind can have to its meaning.
	Tags map[Tag]string
}

//go:embed vocabulary.txt
var vocabularyText string

// Vocabulary returns the meaning and the tags of each kind of signal, as listed in vocabulary.txt.
// Extractors must not use other kinds or tags. A rule that uses any other kind or tag fails to
// load.
var Vocabulary = sync.OnceValue(func() map[Kind]Entry {
	table := map[Kind]Entry{}
	var entry Entry
	for line := range strings.Lines(vocabularyText) {
		name, means, _ := strings.Cut(strings.TrimSpace(line), "  ")
		switch {
		case name == "" || line[0] == '#':
		case line[0] != ' ':
			entry = Entry{Meaning: means, Tags: map[Tag]string{}}
			table[Kind(name)] = entry
		case name[0] == '@':
			for tag, means := range table[Kind(name)].Tags {
				entry.Tags[tag] = means
			}
		default:
			entry.Tags[Tag(name)] = means
		}
	}
	return table
})

// ContextTag reports whether a tag describes a signal's context.
func ContextTag(t Tag) bool {
	switch t {
	case "meant", "hidden", "packed", "loading",
		Tag(Prose), Tag(Frontmatter), Tag(CodeSpan), Tag(Fence), Tag(Comment), Tag(Code), Tag(Value),
		Tag(Executed), Tag(Taught), Tag(Quoted), Tag(Negated), Tag(Referenced), Tag(Companion):
		return true
	}
	return strings.HasPrefix(string(t), "lang:")
}
