package terminal

import (
	"io"
	"strconv"

	"golang.org/x/term"
)

// Options says how a [Writer] treats its stream. The zero value asks the
// stream itself and knows no environment.
type Options struct {
	// Env looks up an environment variable, as os.LookupEnv does. Those read
	// are NO_COLOR, CLICOLOR, CLICOLOR_FORCE, FORCE_COLOR, TERM and COLUMNS.
	Env func(name string) (string, bool)
	// NoColour is the user's flag; nothing in the environment overrules it.
	NoColour bool
	// Width fixes the number of columns, also for a stream that is not a
	// terminal; 0 asks COLUMNS and the terminal.
	Width int
	// Commands is set where the stream is read by GitHub Actions: nothing that is
	// written then is a command to it.
	Commands *Commands
}

// Writer is a stream with what is known about its reader. [Writer.Write]
// passes bytes through: what comes from others must be escaped first, as the
// functions of this package do.
type Writer struct {
	w        io.Writer
	terminal bool
	dumb     bool
	colour   bool
	width    int
	commands *Commands
}

// New returns a Writer for w, which is a terminal if it has a Fd method (as
// *os.File has) and the system says so.
//
// Colours: never with NoColour or a NO_COLOR that is not empty; always with
// CLICOLOR_FORCE or FORCE_COLOR other than empty, "0" and "false"; else on a
// terminal unless TERM is "dumb" or CLICOLOR is "0".
func New(w io.Writer, opts Options) *Writer {
	out := &Writer{w: w, commands: opts.Commands}
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
	out.colour = !opts.NoColour && wantsColour(env, out.terminal && !out.dumb)
	out.width = columns(opts.Width, env, out.terminal, func() (int, error) {
		cols, _, err := term.GetSize(fd)
		return cols, err
	})
	return out
}

func wantsColour(env func(string) string, able bool) bool {
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

// columns returns the width to fit text into, 0 for none.
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

// Write writes p as it is, but for commands to GitHub Actions where [Options] says so.
func (w *Writer) Write(p []byte) (int, error) {
	if w.commands == nil {
		return w.w.Write(p)
	}
	if _, err := w.w.Write(w.commands.Disarm(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// IsTerminal reports whether a person is likely to read the stream now.
func (w *Writer) IsTerminal() bool { return w.terminal }

// Colour reports whether [Writer.Paint] does anything.
func (w *Writer) Colour() bool { return w.colour }

// Width returns the number of columns to fit text into: COLUMNS, else the
// terminal's own, else 80; 0 if the stream is not a terminal, where nothing
// should be cut.
func (w *Writer) Width() int { return w.width }

// Style is how a piece of text looks.
type Style uint8

// The styles. They use the terminal's own palette, which its user chose.
const (
	Plain Style = iota
	Bold
	Dim
	Red
	Green
	Yellow
	Blue
	Magenta
	Cyan
)

// sgr returns the parameter of the sequence that begins the style.
func (s Style) sgr() string {
	switch s {
	case Bold:
		return "1"
	case Dim:
		return "2"
	case Red:
		return "31"
	case Green:
		return "32"
	case Yellow:
		return "33"
	case Blue:
		return "34"
	case Magenta:
		return "35"
	case Cyan:
		return "36"
	}
	return ""
}

// Paint returns s in a style, or s itself if the Writer has no colours. It
// does not escape s.
func (w *Writer) Paint(style Style, s string) string {
	code := style.sgr()
	if !w.colour || code == "" || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}
