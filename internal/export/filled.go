package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/body"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/host"
)

// filling says what stands in the places of a body while it is looked at.
type filling uint8

const (
	// nothing and blank: each place holds that. word: each holds a word.
	nothing filling = iota
	blank
	word
	// apart: a place before "!" or "@" holds a blank, so that these begin a word, and
	// each other one nothing. beside: the others hold a word, but for one behind "!"
	// or "@".
	apart
	beside
	fillings
)

// filled looks at what was written once more with its places filled: the host puts the
// arguments in first and looks for commands and files in what comes of it (Claude Code
// and opencode; observed), so that an empty place lets two halves of a mark meet. What
// the source's host takes for a command or a file in the same way is meant.
func (w *writer) filled(src, there *reader, in, out string) {
	pieces := there.flat(out)
	from := src.flat(in)
	// Gemini CLI and Qwen Code look for commands before they put the arguments in.
	before, _ := called(w.it.Syntax, in)
	_, standing := called(w.syntax, out)
	judged := map[string]bool{}
	for _, name := range standing {
		judged[name] = true
	}
	for f := nothing; f < fillings; f++ {
		if w.risk != "" || w.it.canceled() {
			return
		}
		commands, files := called(w.syntax, fill(pieces, f))
		if len(commands)+len(files) == 0 {
			continue
		}
		meant := map[string]bool{}
		own, read := called(w.it.Syntax, fill(from, f))
		for _, c := range append(own, before...) {
			meant["!"+c] = true
		}
		for _, name := range read {
			meant["@"+name] = true
		}
		for _, c := range commands {
			if !meant["!"+c] {
				w.meets(c, "a command and runs it")
				break
			}
		}
		for _, name := range files {
			if !meant["@"+name] && !judged[name] && w.risky(&piece{parts: []piece{{source: name}}}) {
				w.meets(name, "a file and reads it")
				break
			}
		}
	}
}

// meets notes a mark that only comes about when a place is filled.
func (w *writer) meets(what, taken string) {
	if w.risk != "" {
		return
	}
	w.riskLine = w.it.bodyLine(max(0, strings.Index(w.it.Body, what)))
	w.risk = fmt.Sprintf("%s takes %s, which is text here, for %s when a place for arguments is empty: the definition is left out", w.host, chars.Truncate(what, 60), taken)
	w.lose(w.riskLine, LossText, w.risk, "write it differently")
}

// flat divides a text into places and what is none, wherever they stand.
func (r *reader) flat(s string) []piece {
	switch {
	case r.syntax == nil:
		return []piece{{source: s}}
	case r.syntax.Scanned:
		return r.places(s, 0)
	}
	return r.marked(s, 0, false)
}

// fill is a text with its places filled.
func fill(pieces []piece, f filling) string {
	// ahead is what the text behind each piece begins with.
	ahead := make([]byte, len(pieces))
	var next byte
	for i := len(pieces) - 1; i >= 0; i-- {
		if ahead[i] = next; pieces[i].form == text && pieces[i].source != "" {
			next = pieces[i].source[0]
		} else if pieces[i].form != text {
			// Of places side by side the last one stands before the text.
			next = 0
		}
	}
	var b strings.Builder
	var behind byte
	for i := range pieces {
		if p := &pieces[i]; p.form == text {
			b.WriteString(p.source)
			if p.source != "" {
				behind = p.source[len(p.source)-1]
			}
			continue
		}
		begins := ahead[i] == '!' || ahead[i] == '@'
		switch {
		case f == blank, (f == apart || f == beside) && begins:
			b.WriteByte(' ')
		case f == word, f == beside && behind != '!' && behind != '@':
			b.WriteByte('x')
		}
	}
	return b.String()
}

// called are the commands and the files that a host finds in a text, by its own rules
// for one into which the arguments are put already.
func called(x *host.Syntax, s string) (commands, files []string) {
	if x == nil {
		return nil, nil
	}
	most := len(s)
	switch {
	case x.ShellOpen == "":
	case x.Scanned:
		for _, c := range body.Commands(s, most) {
			commands = append(commands, c.Text)
		}
	case x.Braces:
		list, _ := body.Braced(s, x.ShellOpen, most)
		for _, c := range list {
			commands = append(commands, c.Text)
		}
	default:
		for _, c := range body.Enclosed(s, x.ShellOpen, x.ShellClose, most) {
			commands = append(commands, strings.TrimSpace(c.Text))
		}
	}
	switch {
	case x.FileOpen == "":
	case x.Scanned:
		for _, m := range body.Mentions(s, most) {
			files = append(files, bareName(m.Path))
		}
	case x.FileClose != "":
		list, _ := body.Braced(s, x.FileOpen, most)
		for _, f := range list {
			files = append(files, bareName(f.Text))
		}
	default:
		for _, name := range body.AtPaths(s, most) {
			files = append(files, bareName(name))
		}
	}
	empty := func(s string) bool { return s == "" }
	return slices.DeleteFunc(commands, empty), slices.DeleteFunc(files, empty)
}

// bareName is a path without what ends a sentence behind it, which some rules take
// along.
func bareName(name string) string { return strings.TrimRight(name, ".,;:!?)]}'\"*_") }
