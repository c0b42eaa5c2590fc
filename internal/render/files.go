package render

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/body"
)

// File is a referenced file.
type File struct {
	// Path is the display path.
	Path string
	Data []byte
	// Markdown is set if the file's first heading is its title.
	Markdown bool
}

// FileReader reads referenced files and decides which files may be read. ref is the path as
// written, without the "@", quotes and line range. An error other than *RefError is reported as
// FILE_UNREADABLE.
type FileReader interface {
	ReadReference(ctx context.Context, ref string) (File, error)
}

// RefError explains why a reference was not resolved or a command did not run.
type RefError struct {
	Code diag.Code
	// Reason is the stable code that explains a BASH_NOT_ALLOWED error.
	Reason  string
	Message string
	// Fix tells the user how to fix the problem, if possible.
	Fix string
}

// Error returns the message and the code.
func (e *RefError) Error() string { return fmt.Sprintf("%s [%s]", e.Message, e.Code) }

// FileExpansion is a file reference outside code and comments. An unresolved reference is left as
// is.
type FileExpansion struct {
	// Reference is the reference as written, including "@".
	Reference string
	// Path is the file's display path.
	Path     string
	Resolved bool
	// Content is the file's text, or the referenced lines, without leading and
	// trailing blank lines.
	Content string
	Error   *RefError
	// Line and Column give the position in the file. Both start at 1, and Column counts runes.
	Line, Column int
}

// referenceState holds the files that were looked up so far, and the number and total size of the
// references that were expanded.
type referenceState struct {
	cache    map[string]lookup
	expanded int
	bytes    int
}

type lookup struct {
	file File
	err  *RefError
}

// reference expands a file reference, or leaves it unchanged.
func (r *renderer) reference(seg body.Segment) {
	text := seg.Source(r.in.Text)
	if seg.Quoted() {
		r.out.write(text)
		return
	}
	if len(r.result.Files) == MaxReported {
		r.leaveUnreported(seg)
		return
	}
	at := r.cursor.to(seg.Span.Start)
	result := FileExpansion{Reference: text, Line: at.Line, Column: at.Column}
	title, content, err := r.expand(seg, &result)
	if result.Error = err; err != nil {
		r.report(seg.Span, at, err, fmt.Sprintf("%s was left unchanged: %s", text, err.Message))
		r.out.write(text)
	} else {
		r.out.block("## "+title+" (from "+result.Path+")", content)
	}
	r.result.Files = append(r.result.Files, result)
}

// expand reads the referenced file and returns the text to insert.
func (r *renderer) expand(seg body.Segment, result *FileExpansion) (title, content string, err *RefError) {
	if r.refs.expanded == MaxFiles {
		return "", "", &RefError{Code: diag.FileLimit, Message: fmt.Sprintf("only the first %d references are expanded", MaxFiles)}
	}
	file, err := r.read(seg.Name)
	if err != nil {
		return "", "", err
	}
	result.Path = oneLine(file.Path)
	text, err := lineRange(clean(file.Data), seg)
	if err != nil {
		return "", "", err
	}
	title, content = titled(file, text, seg.First > 0)
	if r.refs.bytes += len(content); r.refs.bytes > MaxFileBytes {
		r.refs.bytes -= len(content)
		return "", "", &RefError{Code: diag.FileTooLarge, Message: fmt.Sprintf("the included files would exceed %d MiB", MaxFileBytes>>20)}
	}
	r.refs.expanded++
	result.Resolved, result.Content = true, trimBlankLines(text)
	return title, content, nil
}

// read returns the file that ref names. It reads each path only once.
func (r *renderer) read(ref string) (File, *RefError) {
	if known, ok := r.refs.cache[ref]; ok {
		return known.file, known.err
	}
	if r.files == nil {
		return File{}, &RefError{Code: diag.FileUnreadable, Message: "file references are not supported in this context"}
	}
	if len(r.refs.cache) == MaxLookups {
		return File{}, &RefError{Code: diag.FileLimit, Message: fmt.Sprintf("only the first %d paths are looked up", MaxLookups)}
	}
	var l lookup
	err := r.ctx.Err()
	if err == nil {
		l.file, err = r.files.ReadReference(r.ctx, ref)
	}
	if err != nil && !errors.As(err, &l.err) {
		l.err = &RefError{Code: diag.FileUnreadable, Message: err.Error()}
	}
	if r.refs.cache == nil {
		r.refs.cache = map[string]lookup{}
	}
	r.refs.cache[ref] = l
	return l.file, l.err
}

// clean returns a file's text as valid UTF-8 without a byte order mark.
func clean(data []byte) string {
	return strings.TrimPrefix(strings.ToValidUTF8(string(data), "\ufffd"), "\ufeff")
}

// titled returns the title and content to insert for a file. The title is the first heading if the
// whole Markdown file is inserted, or else the file's name.
func titled(file File, text string, part bool) (title, content string) {
	if file.Markdown && !part {
		if title, span, ok := body.FirstHeading(text); ok {
			before, after := text[:span.Start], trimBlankLines(text[span.End:])
			return title, trimBlankLines(before + after)
		}
	}
	return path.Base(oneLine(file.Path)), trimBlankLines(text)
}

// lineRange returns the referenced lines of text.
func lineRange(text string, seg body.Segment) (string, *RefError) {
	if seg.First == 0 {
		return text, nil
	}
	start := afterLines(text, seg.First-1)
	if start == len(text) {
		return "", &RefError{Code: diag.FileNotFound, Message: fmt.Sprintf("the file has no line %d", seg.First)}
	}
	return text[start : start+afterLines(text[start:], seg.Last-seg.First+1)], nil
}

// afterLines returns the offset after the first n lines.
func afterLines(text string, n int) int {
	at := 0
	for range n {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return len(text)
		}
		at += i + 1
	}
	return at
}

// trimBlankLines removes leading blank lines and trailing whitespace.
func trimBlankLines(s string) string {
	s = strings.TrimRight(s, " \t\r\n")
	for {
		i := strings.IndexByte(s, '\n')
		if i < 0 || strings.Trim(s[:i], " \t\r") != "" {
			return s
		}
		s = s[i+1:]
	}
}

// oneLine replaces line breaks in a path with spaces.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' {
			return ' '
		}
		return r
	}, s)
}
