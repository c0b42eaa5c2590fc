package coreutils

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
)

func cat(p *parsed) (*Prepared, error) {
	squeeze, nonblank, number := p.has("s"), p.has("b"), p.last("n", "b") != ""
	return &Prepared{Paths: p.files(), Run: func(ctx context.Context, x *IO) int {
		out := x.output()
		count, blank, fresh := 0, 0, true // fresh reports whether the position is at the start of a line
		status := x.eachInput(ctx, "cat", p.inputs(), 1, func(in io.Reader) error {
			if !squeeze && !number {
				_, err := io.Copy(out, in)
				if out.Flush() != nil {
					return errStop
				}
				return err
			}
			return eachLine(in, '\n', func(line []byte, ended bool) error {
				if len(line) > 0 {
					blank = 0
				} else if blank++; squeeze && blank > 1 && fresh {
					return nil
				}
				if fresh && number && (len(line) > 0 || !nonblank) {
					count++
					fmt.Fprintf(out, "%6d\t", count)
				}
				fresh = ended
				return writeLine(out, line, ended)
			})
		})
		return x.finish(ctx, out, status)
	}}, nil
}

// writeLine writes a line. It returns errStop if the reader has closed the output.
func writeLine(out *bufio.Writer, line []byte, ended bool) error {
	_, err := out.Write(line)
	if ended {
		err = out.WriteByte('\n')
	}
	if err != nil {
		return errStop
	}
	return nil
}

// headFlags lists the flags of both head and tail.
const headFlags = "NUM=n n|lines= c|bytes= q|quiet|silent v|verbose"

func head(p *parsed) (*Prepared, error) { return portion("head", p) }

func tail(p *parsed) (*Prepared, error) { return portion("tail", p) }

// portion prepares head or tail.
func portion(tool string, p *parsed) (*Prepared, error) {
	count, byLine, inverted := int64(10), true, false
	if id := p.last("n", "c"); id != "" {
		value, _ := p.value(id)
		digits := strings.TrimLeft(value, "+-")
		var err error
		if count, err = strconv.ParseInt(digits, 10, 64); err != nil || len(value)-len(digits) > 1 {
			return nil, usage(p.options[len(p.options)-1].word, "invalid count: %s", value)
		}
		byLine = id == "n"
		// head -n -5 omits the last five lines. tail -n +5 starts at the fifth line.
		inverted = tool == "head" && value[0] == '-' || tool == "tail" && value[0] == '+'
	}
	copy := func(out *bufio.Writer, in io.Reader) error {
		switch {
		case tool == "head" && inverted:
			return (&window{byLine: byLine, limit: count, spill: out}).fill(in)
		case tool == "head" && byLine:
			left := count
			if left == 0 {
				return nil
			}
			return eachLine(in, '\n', func(line []byte, ended bool) error {
				if ended {
					left--
				}
				if err := writeLine(out, line, ended); err != nil || left > 0 {
					return err
				}
				return errStop
			})
		case tool == "head":
			_, err := io.Copy(out, io.LimitReader(in, count))
			return err
		case inverted && byLine:
			skip := count - 1
			return eachLine(in, '\n', func(line []byte, ended bool) error {
				if skip > 0 {
					if ended {
						skip--
					}
					return nil
				}
				return writeLine(out, line, ended)
			})
		case inverted:
			if _, err := io.CopyN(io.Discard, in, max(count-1, 0)); err != nil {
				return notEOF(err)
			}
			_, err := io.Copy(out, in)
			return err
		}
		w := &window{byLine: byLine, limit: count}
		if err := w.fill(in); err != nil {
			return err
		}
		_, err := out.Write(w.buf)
		return err
	}
	headers := p.last("q", "v") == "v" || len(p.operands) > 1 && p.last("q", "v") != "q"
	return &Prepared{Paths: p.files(), Run: func(ctx context.Context, x *IO) int {
		out, status, first := x.output(), 0, true
		for _, name := range p.inputs() {
			in, err := x.open(ctx, name)
			isDir := err != nil && Reason(err) == "Is a directory"
			if headers && (err == nil || isDir) {
				if !first {
					out.WriteByte('\n')
				}
				first = false
				title := name
				if name == "-" {
					title = "standard input"
				}
				out.WriteString("==> " + title + " <==\n")
			}
			if err == nil {
				err = copy(out, in)
				in.close()
			}
			if ctx.Err() != nil || out.Flush() != nil {
				break
			}
			switch {
			case err == nil || err == errStop:
			case isDir, err == errInputTooLarge:
				x.errorf("%s: error reading '%s': %s", tool, name, Reason(err))
				status = 1
			default:
				x.errorf("%s: cannot open '%s' for reading: %s", tool, name, Reason(err))
				status = 1
			}
		}
		return x.finish(ctx, out, status)
	}}, nil
}

// window holds the last lines or bytes of an input. limit is their maximum number. Older data is
// discarded or, if spill is not nil, written to spill.
type window struct {
	byLine bool
	limit  int64
	spill  *bufio.Writer
	buf    []byte
}

func (w *window) fill(in io.Reader) error {
	chunk := make([]byte, 32<<10)
	for lines := int64(0); ; {
		n, err := in.Read(chunk)
		w.buf = append(w.buf, chunk[:n]...)
		lines += int64(bytes.Count(chunk[:n], []byte("\n")))
		cut := len(w.buf) - int(min(w.limit, int64(len(w.buf))))
		if w.byLine {
			// Text after the last line break counts as a line.
			extra := int64(0)
			if len(w.buf) > 0 && w.buf[len(w.buf)-1] != '\n' {
				extra = 1
			}
			for cut = 0; lines+extra > w.limit; lines-- {
				end := bytes.IndexByte(w.buf[cut:], '\n')
				if end < 0 {
					cut = len(w.buf)
					break
				}
				cut += end + 1
			}
		}
		if err == nil && !w.byLine && int64(len(w.buf)) < 2*w.limit {
			cut = 0 // moving the remaining bytes after each chunk would be too slow
		}
		if w.spill != nil {
			if _, err := w.spill.Write(w.buf[:cut]); err != nil {
				return errStop
			}
		}
		w.buf = w.buf[:copy(w.buf, w.buf[cut:])]
		if len(w.buf) > maxHeld {
			return errInputTooLarge
		}
		if err != nil {
			return notEOF(err)
		}
	}
}
