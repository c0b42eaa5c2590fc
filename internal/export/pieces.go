package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/body"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/jsonc"
)

// Piece is a part of a body that an SDK program assembles: text or an argument.
type Piece struct {
	Text string `json:"text"`
	// Argument is the argument's zero-based index, -1 for all arguments, or nil for text. The
	// Otherwise text replaces a missing argument.
	Argument  *int   `json:"argument,omitempty"`
	Otherwise string `json:"otherwise"`
}

// MarshalJSON encodes the piece as {"text"} or {"argument", "otherwise"}.
func (p Piece) MarshalJSON() ([]byte, error) {
	if p.Argument == nil {
		return fmt.Appendf(nil, `{"text":%s}`, jsonc.AppendString(nil, p.Text)), nil
	}
	return fmt.Appendf(nil, `{"argument":%d,"otherwise":%s}`, *p.Argument, jsonc.AppendString(nil, p.Otherwise)), nil
}

// PieceOptions controls how a body is split into pieces.
type PieceOptions struct {
	// Names are the declared argument names.
	Names []string
	// Variables maps known variables to their values.
	Variables map[string]string
	// Arguments reports whether the program inserts arguments. Files reports
	// whether the host reads files that the text mentions.
	Arguments, Files bool
	// Project is the editor's variable for the project directory. Its value is in Variables. Editor
	// lists the editor's other variables, or is nil if the file is not an editor prompt.
	Project string
	Editor  []string
}

// Tools parses a tools or permissions field in any host's format. It returns the tools that are
// named or enabled, the tools that are disabled, and whether all tools are included.
func Tools(e *definition.Entry) (words, off []string, everything bool) {
	t, _, ok := permission(e)
	if !ok {
		t = toolsOf(e.Value)
	}
	return t.words, t.off, t.everything
}

// Left is a part of a body that the host would replace but the SDK program cannot. The text
// contains it unchanged.
type Left struct {
	// What is the kind of loss: argument, variable, file or shell.
	What string
	// Offset is the part's byte offset in the body.
	Offset int
	Text   string
}

// Pieces splits a body in the neutral syntax into pieces, merging adjacent text. Files and commands
// in code or comments are treated as examples.
func Pieces(text string, c PieceOptions) (pieces []Piece, left []Left) {
	var out strings.Builder
	flush := func() {
		if out.Len() > 0 {
			pieces = append(pieces, Piece{Text: out.String()})
			out.Reset()
		}
	}
	for seg := range body.Scan(text, body.Options{Names: c.Names}) {
		source := seg.Source(text)
		leave := func(kind string) {
			out.WriteString(source)
			left = append(left, Left{kind, seg.Span.Start, source})
		}
		switch seg.Kind {
		case body.Placeholder:
			switch {
			case seg.Escaped && c.Arguments:
				out.WriteString(source[1:])
			case seg.Escaped:
				out.WriteString(source)
			case !c.Arguments:
				leave("argument")
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
				// The text only looks like a variable, or is part of a shell example.
				out.WriteString(source)
			}
		case body.FileRef:
			if c.Files || seg.Quoted() || !strings.ContainsAny(seg.Name, "./") {
				out.WriteString(source)
			} else {
				leave("file")
			}
		case body.Shell:
			if seg.Quoted() {
				out.WriteString(source)
			} else {
				leave("shell")
			}
		default:
			out.WriteString(c.expandEditorVariables(source, func(kind string, at, end int) {
				left = append(left, Left{kind, seg.Span.Start + at, source[at:end]})
			}))
		}
	}
	flush()
	return pieces, left
}

// expandEditorVariables replaces an editor's variable for the project. It calls
// leave for variables that only the editor could replace.
func (c *PieceOptions) expandEditorVariables(text string, leave func(kind string, at, end int)) string {
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
			leave(LossFile, i, i+n)
			i += n
			continue
		}
		word, ok := body.NameAt(rest)
		if !ok {
			i++
			continue
		}
		end := i + word.Span.End
		switch {
		case word.Input && !chars.IsDigits(word.Name[:1]) || slices.Contains(c.Editor, word.Name): // ${input:0:3} is Bash.
			leave(LossVariable, i, end)
		case word.Name == c.Project:
			out.WriteString(text[done:i] + c.Variables[word.Name])
			done = end
		}
		i = end
	}
	return out.String() + text[done:]
}

// fileWord returns the length of a "#file:path" reference at the start of text, or 0.
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
