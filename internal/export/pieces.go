package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/body"
	"github.com/vadehq/vade/internal/jsonc"
)

// Piece is a piece of a body that a program of the host's user puts together: text,
// or the place of an argument.
type Piece struct {
	Text string `json:"text"`
	// Argument is the number of the argument that stands in this place, from 0, or -1
	// for all of them; nil for text. Otherwise is what stands there without it.
	Argument  *int   `json:"argument,omitempty"`
	Otherwise string `json:"otherwise"`
}

// MarshalJSON writes {"text"} or {"argument", "otherwise"}.
func (p Piece) MarshalJSON() ([]byte, error) {
	if p.Argument == nil {
		return fmt.Appendf(nil, `{"text":%s}`, jsonc.AppendString(nil, p.Text)), nil
	}
	return fmt.Appendf(nil, `{"argument":%d,"otherwise":%s}`, *p.Argument, jsonc.AppendString(nil, p.Otherwise)), nil
}

// Cutting says how a body is cut into pieces.
type Cutting struct {
	// Names are the declared names of arguments.
	Names []string
	// Variables are the values of the variables that are known.
	Variables map[string]string
	// Arguments: the program puts arguments in. Files: the host reads the files that
	// a text mentions.
	Arguments, Files bool
	// Project is the word of an editor's prompts for the directory of the project,
	// whose value is among Variables. Editor are the others that such an editor puts
	// in, nil in a file that is none of its prompts.
	Project string
	Editor  []string
}

// Tools reads a field with tools in the words of any host, or with permissions: those that
// it names, or switches on in a map, those that it switches off, and whether it means all.
func Tools(e *definition.Entry) (words, off []string, everything bool) {
	t, _, ok := permission(e)
	if !ok {
		t = toolsOf(e.Value)
	}
	return t.words, t.off, t.everything
}

// Left is something that stays in the text as it is written, because nothing puts
// it in.
type Left struct {
	// What is the word of a loss: argument, variable, file or shell.
	What string
	// Offset is where it stands in the body, in bytes, Text what it is.
	Offset int
	Text   string
}

// Pieces cuts a body in the neutral syntax into pieces. Neighbours that are text are
// one piece, and what stands in code or in a comment and is no argument is an
// example and counts as text.
func Pieces(text string, c Cutting) (pieces []Piece, left []Left) {
	var out strings.Builder
	flush := func() {
		if out.Len() > 0 {
			pieces = append(pieces, Piece{Text: out.String()})
			out.Reset()
		}
	}
	for seg := range body.Scan(text, body.Options{Names: c.Names}) {
		source := seg.Source(text)
		stays := func(what string) {
			out.WriteString(source)
			left = append(left, Left{what, seg.Span.Start, source})
		}
		switch seg.Kind {
		case body.Placeholder:
			switch {
			case seg.Escaped && c.Arguments:
				out.WriteString(source[1:])
			case seg.Escaped:
				out.WriteString(source)
			case !c.Arguments:
				stays("argument")
			default:
				flush()
				p := Piece{Argument: &seg.Index}
				if seg.Index != body.All && seg.Name == "" {
					p.Otherwise = source
				}
				pieces = append(pieces, p)
			}
		case body.Variable:
			if value, ok := c.Variables[seg.Name]; ok {
				out.WriteString(value)
			} else {
				// What only looks like a variable is left to the shells of examples.
				out.WriteString(source)
			}
		case body.FileRef:
			if c.Files || seg.Quoted() || !strings.ContainsAny(seg.Name, "./") {
				out.WriteString(source)
			} else {
				stays("file")
			}
		case body.Shell:
			if seg.Quoted() {
				out.WriteString(source)
			} else {
				stays("shell")
			}
		default:
			out.WriteString(c.edited(source, func(what string, at, end int) {
				left = append(left, Left{what, seg.Span.Start + at, source[at:end]})
			}))
		}
	}
	flush()
	return pieces, left
}

// edited replaces an editor's word for the project in a piece of text, and calls left
// for what such an editor would put in.
func (c *Cutting) edited(text string, left func(what string, at, end int)) string {
	if c.Project == "" {
		return text
	}
	var out strings.Builder
	done := 0
	for i := 0; i < len(text); {
		at := strings.IndexAny(text[i:], "$#")
		if at < 0 {
			break
		}
		i += at
		rest := text[i:]
		if n := fileWord(rest); n > 0 && c.Editor != nil && (i == 0 || strings.IndexByte(" \t\n([", text[i-1]) >= 0) {
			left(LossFile, i, i+n)
			i += n
			continue
		}
		name, n := bracedWord(rest)
		switch {
		case n == 0:
			i++
			continue
		case name == c.Project:
			out.WriteString(text[done:i] + c.Variables[name])
			done = i + n
		case isInput(name) || slices.Contains(c.Editor, name):
			left(LossVariable, i, i+n)
		}
		i += n
	}
	return out.String() + text[done:]
}

// fileWord is the length of a word "#file:path" that a text begins with, or 0.
func fileWord(text string) int {
	rest, ok := strings.CutPrefix(text, "#file:")
	if !ok || rest == "" {
		return 0
	}
	if rest[0] == '\'' {
		if end := strings.IndexAny(rest[1:], "'\n"); end > 0 && rest[1+end] == '\'' {
			return len("#file:") + end + 2
		}
		return 0
	}
	end := strings.IndexAny(rest, " \t\r\n)],;`\"")
	if end < 0 {
		end = len(rest)
	}
	if end = len(strings.TrimRight(rest[:end], ".:!?")); end == 0 {
		return 0
	}
	return len("#file:") + end
}

// maxWord is the length of the longest text between "${" and "}" that is looked at.
const maxWord = 500

// bracedWord is what stands in "${…}" at the beginning of a text, and how long it is
// with these; 0 where there is none.
func bracedWord(text string) (string, int) {
	rest, ok := strings.CutPrefix(text, "${")
	if !ok {
		return "", 0
	}
	end := strings.IndexAny(rest[:min(len(rest), maxWord)], "}\n")
	if end <= 0 || rest[end] != '}' {
		return "", 0
	}
	return rest[:end], end + 3
}

// isInput reports whether a word asks the user for something: "input:name", with or
// without a hint.
func isInput(word string) bool {
	name, ok := strings.CutPrefix(word, "input:")
	return ok && name != "" && (name[0]|0x20 >= 'a' && name[0]|0x20 <= 'z' || name[0] == '_')
}
