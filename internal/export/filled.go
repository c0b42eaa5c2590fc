package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/body"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/host"
)

// filling specifies what checkFilled substitutes for the placeholders in a body.
type filling uint8

const (
	// nothing replaces each placeholder with an empty string, blank replaces it with a space, and
	// word replaces it with a word.
	nothing filling = iota
	blank
	word
	// separated and separatedWord replace a placeholder immediately before "!" or "@" with a space,
	// so that the mark starts a word. separated removes all other placeholders. separatedWord
	// removes those after "!" or "@" and replaces the rest with a word.
	separated
	separatedWord
	fillings
)

// checkFilled fills in the placeholders in the generated text and checks whether the host would
// then find commands and files in it. Claude Code and opencode were observed to insert arguments
// before they look for commands and files, so an empty argument can join the two characters of a
// mark such as !`. checkFilled does not report commands and files that the source's host also
// finds.
func (w *writer) checkFilled(src, dst *reader, in, out string) {
	pieces := dst.pieces(out)
	from := src.pieces(in)
	// Gemini CLI and Qwen Code look for commands before they insert the arguments.
	before, _ := references(w.it.Syntax, in)
	_, existing := references(w.syntax, out)
	existed := map[string]bool{}
	for _, name := range existing {
		existed[name] = true
	}
	for f := nothing; f < fillings; f++ {
		if w.risk != "" || w.it.canceled() {
			return
		}
		commands, files := references(w.syntax, fill(pieces, f))
		if len(commands)+len(files) == 0 {
			continue
		}
		expected := map[string]bool{}
		commandsInSource, filesInSource := references(w.it.Syntax, fill(from, f))
		for _, c := range append(commandsInSource, before...) {
			expected["!"+c] = true
		}
		for _, name := range filesInSource {
			expected["@"+name] = true
		}
		for _, c := range commands {
			if !expected["!"+c] {
				w.reportRisk(c, "a command and run it")
				break
			}
		}
		for _, name := range files {
			if !expected["@"+name] && !existed[name] && w.risky(&piece{parts: []piece{{source: name}}}) {
				w.reportRisk(name, "a file reference and read the file")
				break
			}
		}
	}
}

// reportRisk reports that filling in a placeholder can turn text into a command or a file
// reference.
func (w *writer) reportRisk(passage, mistakenFor string) {
	if w.risk != "" {
		return
	}
	w.riskLine = w.it.bodyLine(max(0, strings.Index(w.it.Body, passage)))
	w.risk = fmt.Sprintf("for certain arguments, %s would mistake the text %s for %s, so the definition is omitted", w.host, chars.Truncate(passage, 60), mistakenFor)
	w.reportLoss(w.riskLine, LossText, w.risk, "rephrase the text")
}

// pieces splits a string into placeholders and other text.
func (r *reader) pieces(s string) []piece {
	switch {
	case r.syntax == nil:
		return []piece{{source: s}}
	case r.syntax.Scanned:
		return r.places(s, 0)
	}
	return r.marked(s, 0, false)
}

// fill replaces each placeholder according to f and joins the pieces.
func fill(pieces []piece, f filling) string {
	// ahead holds the first byte of the text that follows each piece.
	ahead := make([]byte, len(pieces))
	var next byte
	for i := len(pieces) - 1; i >= 0; i-- {
		if ahead[i] = next; pieces[i].form == text && pieces[i].source != "" {
			next = pieces[i].source[0]
		} else if pieces[i].form != text {
			// Only the last of several adjacent placeholders directly precedes the text.
			next = 0
		}
	}
	var b strings.Builder
	var prev byte
	for i := range pieces {
		if p := &pieces[i]; p.form == text {
			b.WriteString(p.source)
			if p.source != "" {
				prev = p.source[len(p.source)-1]
			}
			continue
		}
		startsMark := ahead[i] == '!' || ahead[i] == '@'
		switch {
		case f == blank, (f == separated || f == separatedWord) && startsMark:
			b.WriteByte(' ')
		case f == word, f == separatedWord && prev != '!' && prev != '@':
			b.WriteByte('x')
		}
	}
	return b.String()
}

// references returns the commands and file paths that a host with syntax x finds in s.
func references(x *host.Syntax, s string) (commands, files []string) {
	if x == nil {
		return nil, nil
	}
	limit := len(s)
	switch {
	case x.ShellOpen == "":
	case x.Scanned:
		for _, c := range body.Commands(s, limit) {
			commands = append(commands, c.Text)
		}
	case x.Braces:
		list, _ := body.Braced(s, x.ShellOpen, limit)
		for _, c := range list {
			commands = append(commands, c.Text)
		}
	default:
		for _, c := range body.Enclosed(s, x.ShellOpen, x.ShellClose, limit) {
			commands = append(commands, strings.TrimSpace(c.Text))
		}
	}
	switch {
	case x.FileOpen == "":
	case x.Scanned:
		for _, m := range body.Mentions(s, limit) {
			files = append(files, bareName(m.Path))
		}
	case x.FileClose != "":
		list, _ := body.Braced(s, x.FileOpen, limit)
		for _, f := range list {
			files = append(files, bareName(f.Text))
		}
	default:
		for _, name := range body.AtPaths(s, limit) {
			files = append(files, bareName(name))
		}
	}
	empty := func(s string) bool { return s == "" }
	return slices.DeleteFunc(commands, empty), slices.DeleteFunc(files, empty)
}

// bareName returns a path without trailing punctuation, which some hosts treat as part of the path.
func bareName(name string) string { return strings.TrimRight(name, ".,;:!?)]}'\"*_") }
