// Package connect puts one entry into a host's file of MCP servers and takes it out
// again. Every other byte of the file stays: comments, blanks, the order of keys and
// what is wrong in it. It is pure: bytes in, bytes out.
//
// [Remove] gives back exactly the bytes that [Add] was given, without a record of
// them: Add writes in a form that tells what stood there before, so that Remove tries
// what that may have been and takes the text of which Add makes the same bytes.
package connect

import (
	"bytes"
	"errors"
	"slices"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
)

// The reasons for which a file is not edited.
var (
	// ErrSyntax: the file can not be read, so that nothing in it can have a place.
	ErrSyntax = errors.New("the file is not written as it has to be")
	// ErrShape: a value stands where the map of servers should, or the map is written
	// in a form that nothing can be added to.
	ErrShape = errors.New("the servers in the file do not have the usual form")
	// ErrEdited: the entry is entangled with what surrounds it.
	ErrEdited = errors.New("the entry can not be changed or taken out without a change of other text")
)

// Entry is an entry with the name that it has in the map of servers.
type Entry struct {
	Name  string
	Value definition.Value
}

// PlaceError is a reason for which a file is not edited, with its place.
type PlaceError struct {
	// Line and Column begin at 1; the column counts runes. They are 0 where the place
	// is not known.
	Line, Column int
	// Message says what is wrong there.
	Message string

	kind error
}

// Error returns the message without the place.
func (e *PlaceError) Error() string { return e.Message }

// Unwrap returns ErrSyntax or ErrShape.
func (e *PlaceError) Unwrap() error { return e.kind }

// placed is a PlaceError for an offset.
func placed(data []byte, offset int, kind error, message string) error {
	pos := diag.NewFile("", data).Pos(min(offset, len(data)))
	return &PlaceError{pos.Line, pos.Column, message, kind}
}

// kindName is what people call a value of this kind.
func kindName(k definition.ValueKind) string {
	if k == definition.String {
		return "a text"
	}
	return "a " + k.String()
}

// Find returns the entry of a name. It is false where there is none. data nil is a
// file that is not there.
func Find(data []byte, f *host.ServerFormat, name string) (definition.Value, bool, error) {
	if data == nil || isBlank(data, f) {
		return definition.Value{}, false, nil
	}
	top, err := read(data, f)
	if err != nil {
		return definition.Value{}, false, err
	}
	servers, ok := member(top, f.Key)
	if !ok {
		return definition.Value{}, false, nil
	}
	if servers.Kind != definition.Map {
		return definition.Value{}, false, placed(data, servers.Span.Start, ErrShape, f.Key+" is "+kindName(servers.Kind)+", and should be a map of servers")
	}
	v, ok := member(servers, name)
	return v, ok, nil
}

// Add puts an entry into a file that has none of its name. data nil is a file that is
// not there.
func Add(data []byte, f *host.ServerFormat, e Entry) ([]byte, error) {
	after, err := insert(data, f, e)
	if err != nil {
		return nil, err
	}
	// What comes out is read again: a file that has some form that was not thought of
	// is left alone.
	if !differsBy(data, after, f, e) {
		return nil, ErrShape
	}
	return after, nil
}

func insert(data []byte, f *host.ServerFormat, e Entry) ([]byte, error) {
	if f.Syntax == definition.TOML {
		return insertTOML(data, f, e)
	}
	return insertJSON(data, f, e)
}

// Remove takes the entry of a name out. The bytes are those from before [Add] where
// nothing around the entry was changed since, and else what remains without it. nil
// is a file that is to be removed, because Add has made it. It is false where there
// is no such entry.
func Remove(data []byte, f *host.ServerFormat, name string) ([]byte, bool, error) {
	v, ok, err := Find(data, f, name)
	if err != nil || !ok {
		return data, false, err
	}
	e := Entry{name, v}
	exact, rough := candidates(data, f, e)
	for _, was := range exact {
		if again, err := insert(was, f, e); err == nil && bytes.Equal(again, data) {
			return was, true, nil
		}
	}
	for _, was := range rough {
		if differsBy(was, data, f, e) {
			return was, true, nil
		}
	}
	return nil, true, ErrEdited
}

// candidates are the texts that a file with an entry may have been made of.
func candidates(data []byte, f *host.ServerFormat, e Entry) (exact, rough [][]byte) {
	if f.Syntax == definition.TOML {
		return beforeTOML(data, f, e)
	}
	return beforeJSON(data, f, e)
}

// differsBy reports whether the second text says what the first one does, and the
// entry besides.
func differsBy(before, after []byte, f *host.ServerFormat, e Entry) bool {
	b, a := definition.Value{Kind: definition.Map}, definition.Value{}
	var err error
	if before != nil && !isBlank(before, f) {
		if b, err = read(before, f); err != nil {
			return false
		}
	}
	if a, err = read(after, f); err != nil || a.Kind != definition.Map {
		return false
	}
	servers, ok := member(a, f.Key)
	v, has := member(servers, e.Name)
	if !ok || !has || !Same(v, e.Value) {
		return false
	}
	kept, hadServers := member(b, f.Key)
	if !hadServers {
		kept = definition.Value{Kind: definition.Map}
	}
	servers.Pairs = without(servers.Pairs, e.Name)
	return Same(servers, kept) && Same(
		definition.Value{Kind: definition.Map, Pairs: without(a.Pairs, f.Key)},
		definition.Value{Kind: definition.Map, Pairs: without(b.Pairs, f.Key)})
}

// Same reports whether two values say the same, wherever they stand. The order of
// keys is no part of what they say.
func Same(a, b definition.Value) bool {
	if a.Kind != b.Kind || a.Text != b.Text || len(a.Pairs) != len(b.Pairs) || !slices.EqualFunc(a.Items, b.Items, Same) {
		return false
	}
	for _, p := range a.Pairs {
		if v, ok := member(b, p.Key); !ok || !Same(p.Value, v) {
			return false
		}
	}
	return true
}

// Program is the program that an entry starts with a word as the first of its arguments,
// or "".
func Program(entry definition.Value, f *host.ServerFormat, word string) string {
	command, _ := member(entry, "command")
	args := command.Items
	if command.Kind == definition.List && len(args) > 0 {
		command, args = args[0], args[1:]
	} else if list, ok := member(entry, f.Args); ok {
		args = list.Items
	}
	if command.Kind != definition.String || len(args) == 0 || args[0].Kind != definition.String || args[0].Text != word {
		return ""
	}
	return command.Text
}

// Address is the address of a remote entry, or "".
func Address(entry definition.Value, f *host.ServerFormat) string {
	for _, w := range f.Addresses {
		if v, ok := member(entry, w.Word); ok {
			return v.Text
		}
	}
	return ""
}

func member(v definition.Value, key string) (definition.Value, bool) {
	p, ok := entryOf(v, key)
	return p.Value, ok
}

func without(pairs []definition.Entry, key string) []definition.Entry {
	return slices.DeleteFunc(slices.Clone(pairs), func(p definition.Entry) bool { return p.Key == key })
}
