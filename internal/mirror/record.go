package mirror

import (
	"bytes"
	"encoding/json"
	"sort"
	"strings"
)

// Record is a state to look paths up in. Where the text is as [State.Format] writes it,
// an entry is parsed when it is asked for: a project has tens of thousands, and loading
// one definition asks for five. The text may come from anybody: what it says of a file is
// to be shown by the file.
type Record struct {
	data []byte
	// lines are those of the entries, in the order of their paths; state is there
	// instead where the text has another form.
	lines []line
	state *State
}

// line is one entry: its text from start to end, and where its path ends.
type line struct{ start, path, end int }

const lineOpen = `{"path":"`

// ReadRecord reads a state. A text that is none has no entries.
func ReadRecord(data []byte) *Record {
	r := &Record{data: data}
	if !r.index() {
		r.lines = nil
		r.state = parse(data)
	}
	return r
}

// parse reads the whole of a state, whatever its paths are.
func parse(data []byte) *State {
	s, _ := ParseState(data, func(string) string { return "" })
	return s
}

// index finds the lines of the entries. It reports whether there is nothing else between
// them, their paths are written without escapes, and each comes after the one before.
func (r *Record) index() bool {
	open := bytes.Index(r.data, []byte(filesOpen))
	if open < 0 || !parse(append(bytes.Clone(r.data[:open+len(filesOpen)]), "]}"...)).Usable {
		return false
	}
	r.lines = make([]line, 0, len(r.data)/128)
	var before []byte
	for at := open + len(filesOpen); ; {
		length := bytes.IndexByte(r.data[at:], '\n')
		if length < 0 {
			return false
		}
		text := r.data[at : at+length]
		if bytes.HasPrefix(text, []byte(filesClose)) {
			return true
		}
		if !bytes.HasPrefix(text, []byte(lineOpen)) {
			return false
		}
		text = text[len(lineOpen):]
		quote := bytes.IndexByte(text, '"')
		if quote < 0 || bytes.IndexByte(text[:quote], '\\') >= 0 || bytes.Compare(text[:quote], before) < 0 || len(r.lines) == 2*maxEntries {
			return false
		}
		before = text[:quote]
		r.lines = append(r.lines, line{at, at + len(lineOpen) + quote, at + length})
		at += length + 1
	}
}

func (r *Record) path(i int) []byte {
	return r.data[r.lines[i].start+len(lineOpen) : r.lines[i].path]
}

// at returns the lines of a path.
func (r *Record) at(path string) []line {
	from := sort.Search(len(r.lines), func(i int) bool { return string(r.path(i)) >= path })
	to := from
	for to < len(r.lines) && string(r.path(to)) == path {
		to++
	}
	return r.lines[from:to]
}

// Of returns the entries of a path, which are not to be changed.
func (r *Record) Of(path string) []Entry {
	if r.state != nil {
		return r.state.of(path)
	}
	var list []Entry
	for _, l := range r.at(path) {
		text := bytes.TrimSuffix(r.data[l.start:l.end], []byte(","))
		e, plain := plainEntry(string(text))
		if !plain && json.Unmarshal(text, &e) != nil {
			continue
		}
		if e.Path == path && e.usable() {
			list = append(list, e)
		}
	}
	return list
}

// plainEntry reads an entry as [State.Format] writes it where nothing in it needs an
// escape; listing a project reads all of them.
func plainEntry(text string) (e Entry, ok bool) {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '\\' {
			return Entry{}, false
		}
	}
	field := func(name string, to *string) {
		if rest, is := strings.CutPrefix(text, name+`:"`); is {
			if *to, rest, is = strings.Cut(rest, `"`); is {
				text = rest
			}
		}
	}
	field(`{"path"`, &e.Path)
	field(`,"source"`, &e.Source)
	hosts, is := strings.CutPrefix(text, `,"hosts":["`)
	if hosts, text, ok = strings.Cut(hosts, `"]`); !is || !ok {
		return Entry{}, false
	}
	e.Hosts = strings.Split(hosts, `","`)
	field(`,"sha256"`, &e.Digest)
	field(`,"link"`, &e.Link)
	text, e.Adopted = strings.CutPrefix(text, `,"adopted":true`)
	return e, text == "}" && !strings.Contains(hosts, `",`) && !strings.Contains(hosts, `,"`)
}

// Made reports whether there is an entry for a path, or for a directory above it.
func (r *Record) Made(path string) bool {
	if r.state != nil {
		return r.state.Made(path)
	}
	for p := range upwards(path) {
		if len(r.Of(p)) > 0 {
			return true
		}
	}
	return false
}

// LinkOver is the entry of a link at a path or above it, and what stands at the path in
// its source; nil where there is none.
func (r *Record) LinkOver(path string) (e *Entry, source string) {
	for p := range upwards(path) {
		for _, e := range r.Of(p) {
			if e.Link != "" {
				return &e, e.Source + strings.TrimPrefix(path, p)
			}
		}
	}
	return nil, ""
}

// Hosts are the hosts that something was made for.
func (r *Record) Hosts() []string {
	s := r.state
	if s == nil {
		s = parse(r.data)
	}
	return s.Hosts()
}
