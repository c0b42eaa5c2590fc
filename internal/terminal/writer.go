package terminal

import (
	"fmt"
	"io"
	"strconv"
	"sync/atomic"

	"golang.org/x/term"

	"github.com/vadehq/vade/internal/lazyregexp"
)

// Options configures a [Writer]. If it is the zero value, the Writer determines the properties of
// the stream from the stream itself and ignores the environment.
type Options struct {
	// Env looks up an environment variable, like os.LookupEnv. The variables used are NO_COLOR,
	// CLICOLOR, CLICOLOR_FORCE, FORCE_COLOR, TERM, COLUMNS and LINES.
	Env func(name string) (string, bool)
	// NoColor turns off colors regardless of the environment.
	NoColor bool
	// Width sets the number of columns, even for a stream that is not a terminal. If 0, it defaults
	// to COLUMNS or the terminal's width.
	Width int
	// Actions makes the Writer neutralize GitHub Actions commands. Set it if GitHub Actions reads
	// the stream.
	Actions bool
}

// Writer is an output stream with display options. [Writer.Write] does not escape: callers must
// first escape untrusted text, as this package's other functions do. [Writer.Err] returns the first
// write error. A Writer is safe for concurrent use.
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

// New returns a Writer for w. It treats w as a terminal if w has an Fd method, like *os.File, and
// the system reports a terminal.
//
// Colors are never used if NoColor is set or NO_COLOR is not empty. They are always used if
// CLICOLOR_FORCE or FORCE_COLOR is set to anything but "", "0" and "false". Otherwise, they are
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

// columns returns the width to fit text into, or 0 if there is no limit.
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

// colons and hashes match the texts with which GitHub Actions commands start: colons matches "::"
// at the start of a line, after any whitespace and invisible characters, and hashes matches "##["
// anywhere. A command may be split between two writes. Therefore, both patterns also match an
// incomplete command at the end of a write, and colons treats the start of a write as the start of
// a line.
var (
	colons = lazyregexp.New(`((?:^|[\r\n])[\pZ\pC\pM\x{115f}\x{1160}\x{3164}\x{ffa0}\x{fffd}]*):(:|$)`)
	hashes = lazyregexp.New(`(#)#(\[)|#$`)
)

// Write writes p unchanged, except that it replaces GitHub Actions commands if [Options].Actions is
// set: "::" becomes `\x3a:` and "##[" becomes `#\x23[`.
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

// Err returns the first write error.
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

// Label prints a label, such as "fix:", in a style, followed by a line of text. It escapes the
// text.
func (w *Writer) Label(style Style, label, format string, args ...any) {
	fmt.Fprintln(w, w.Paint(style, label), EscapeLine(fmt.Sprintf(format, args...)))
}

// IsTerminal reports whether the stream is a terminal.
func (w *Writer) IsTerminal() bool { return w.terminal }

// Width returns the number of columns that text should fit into: COLUMNS, the terminal's width, or
// 80. It returns 0 if the stream is not a terminal, in which case text should not be cut.
func (w *Writer) Width() int { return w.width }

// Height returns the number of lines on the screen: LINES, the terminal's height, or 24.
func (w *Writer) Height() int { return w.height }

// Buffered returns a Writer that writes to buf with w's display options.
func (w *Writer) Buffered(buf io.Writer) *Writer {
	return &Writer{w: buf, terminal: w.terminal, dumb: w.dumb, color: w.color, width: w.width, height: w.height, actions: w.actions}
}

// Style is the appearance of text, expressed as the parameter of an escape sequence. Colors come
// from the terminal's own palette, which the user has chosen.
type Style string

// Styles for [Writer.Paint].
const (
	Plain  Style = ""
	Bold   Style = "1"
	Dim    Style = "2"
	Red    Style = "31"
	Green  Style = "32"
	Yellow Style = "33"
	Cyan   Style = "36"
)

// Paint returns s in a style, or s unchanged if the Writer does not use colors.
// It does not escape s.
func (w *Writer) Paint(style Style, s string) string {
	if !w.color || style == Plain || s == "" {
		return s
	}
	return "\x1b[" + string(style) + "m" + s + "\x1b[0m"
}
