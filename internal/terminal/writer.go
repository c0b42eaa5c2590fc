package terminal

import (
	"fmt"
	"io"
	"strconv"
	"sync/atomic"

	"golang.org/x/term"

	"github.com/vadehq/vade/internal/lazyregexp"
)

// Options control how a [Writer] treats its stream. The zero value queries the stream itself and
// ignores the environment.
type Options struct {
	// Env looks up an environment variable, as os.LookupEnv does: NO_COLOR, CLICOLOR,
	// CLICOLOR_FORCE, FORCE_COLOR, TERM, COLUMNS and LINES.
	Env func(name string) (string, bool)
	// NoColor is the user's flag; nothing in the environment overrules it.
	NoColor bool
	// Width sets the number of columns, even for a stream that is not a terminal. 0 means the
	// value of COLUMNS or the width of the terminal.
	Width int
	// Actions means that GitHub Actions reads the stream. Commands to it are defused.
	Actions bool
}

// Writer is an output stream with display options. [Writer.Write] does not escape: callers must
// first escape untrusted text, as the other functions of this package do. The first write error
// is kept for [Writer.Err]. A Writer is safe for concurrent use.
type Writer struct {
	w        io.Writer
	terminal bool
	dumb     bool
	color    bool
	width    int
	height   int
	actions  bool
	err      atomic.Pointer[error]
}

// New returns a Writer for w, which is a terminal if it has a Fd method (as *os.File does) and
// the system reports a terminal.
//
// Colors are never used with NoColor or a nonempty NO_COLOR. They are always used if
// CLICOLOR_FORCE or FORCE_COLOR is set to anything but "", "0" and "false". Otherwise they are
// used on a terminal unless TERM is "dumb" or CLICOLOR is "0".
func New(w io.Writer, opts Options) *Writer {
	out := &Writer{w: w, actions: opts.Actions}
	fd := -1
	if f, ok := w.(interface{ Fd() uintptr }); ok {
		fd = int(f.Fd())
		out.terminal = term.IsTerminal(fd)
	}
	env := func(name string) string {
		if opts.Env == nil {
			return ""
		}
		value, _ := opts.Env(name)
		return value
	}
	out.dumb = env("TERM") == "dumb"
	out.color = !opts.NoColor && wantsColor(env, out.terminal && !out.dumb)
	out.width = columns(opts.Width, env, out.terminal, func() (int, error) {
		cols, _, err := term.GetSize(fd)
		return cols, err
	})
	out.height = 24
	if n, err := strconv.Atoi(env("LINES")); err == nil && n > 0 {
		out.height = n
	} else if _, rows, err := term.GetSize(fd); out.terminal && err == nil && rows > 0 {
		out.height = rows
	}
	return out
}

func wantsColor(env func(string) string, able bool) bool {
	if env("NO_COLOR") != "" {
		return false
	}
	for _, name := range []string{"CLICOLOR_FORCE", "FORCE_COLOR"} {
		if v := env(name); v != "" && v != "0" && v != "false" {
			return true
		}
	}
	return able && env("CLICOLOR") != "0"
}

// columns returns the width to fit text into, or 0 if there is none.
func columns(fixed int, env func(string) string, terminal bool, ask func() (int, error)) int {
	if fixed > 0 {
		return fixed
	}
	if !terminal {
		return 0
	}
	if n, err := strconv.Atoi(env("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if n, err := ask(); err == nil && n > 0 {
		return n
	}
	return 80
}

// colons and hashes match text that GitHub Actions recognizes as commands: "::" at the beginning
// of a line, after whitespace and invisible characters, and "##[" anywhere. A write may end in
// the middle of a match, so the end of a write counts as the missing part, and its beginning as
// the start of a line.
var (
	colons = lazyregexp.New(`((?:^|[\r\n])[\pZ\pC\pM\x{115f}\x{1160}\x{3164}\x{ffa0}\x{fffd}]*):(:|$)`)
	hashes = lazyregexp.New(`(#)#(\[)|#$`)
)

// Write writes p unchanged, except that with [Options].Actions it replaces GitHub Actions
// commands: "::" becomes `\x3a:` and "##[" becomes `#\x23[`.
func (w *Writer) Write(p []byte) (int, error) {
	data := p
	if w.actions {
		data = colons().ReplaceAll(data, []byte(`${1}\x3a$2`))
		data = hashes().ReplaceAll(data, []byte(`${1}\x23$2`))
	}
	if _, err := w.w.Write(data); err != nil {
		w.err.CompareAndSwap(nil, &err)
		return 0, err
	}
	return len(p), nil
}

// Err returns the first error of a write.
func (w *Writer) Err() error {
	if err := w.err.Load(); err != nil {
		return *err
	}
	return nil
}

// Line prints a line in a style. It escapes the text, which may be untrusted.
func (w *Writer) Line(style Style, format string, args ...any) {
	fmt.Fprintln(w, w.Paint(style, EscapeLine(fmt.Sprintf(format, args...))))
}

// Label prints a line of text after a label in a style, such as "fix:". The text is
// escaped.
func (w *Writer) Label(style Style, label, format string, args ...any) {
	fmt.Fprintln(w, w.Paint(style, label), EscapeLine(fmt.Sprintf(format, args...)))
}

// IsTerminal reports whether a person is likely to read the stream now.
func (w *Writer) IsTerminal() bool { return w.terminal }

// Width returns the number of columns to fit text into: COLUMNS, or else the terminal's width, or
// else 80. It returns 0 if the stream is not a terminal, where text should not be cut.
func (w *Writer) Width() int { return w.width }

// Height returns the number of lines on the screen: LINES, or else the terminal's height, or else 24.
func (w *Writer) Height() int { return w.height }

// Buffered returns a Writer with the display options of w that writes to buf.
func (w *Writer) Buffered(buf io.Writer) *Writer {
	return &Writer{w: buf, terminal: w.terminal, dumb: w.dumb, color: w.color, width: w.width, height: w.height, actions: w.actions}
}

// Style is the appearance of a piece of text, given as the parameter of an escape sequence. The
// colors come from the terminal's own palette, which the user chose.
type Style string

// The styles.
const (
	Plain  Style = ""
	Bold   Style = "1"
	Dim    Style = "2"
	Red    Style = "31"
	Green  Style = "32"
	Yellow Style = "33"
	Cyan   Style = "36"
)

// Paint returns s in a style, or s itself if the Writer has no colors. It does not
// escape s.
func (w *Writer) Paint(style Style, s string) string {
	if !w.color || style == Plain || s == "" {
		return s
	}
	return "\x1b[" + string(style) + "m" + s + "\x1b[0m"
}
