package transcript

import (
	"bufio"
	"bytes"
	"context"
	"io"
)

// headSize is how much is looked at to find out the format.
const headSize = 64 << 10

// lines reads a stream line by line.
type lines struct {
	ctx    context.Context
	r      *bufio.Reader
	limits Limits
	read   int64

	// text is the line, without its end, and only good until the next one; number
	// begins at 1.
	text   []byte
	number int
	// long: the line is longer than the limit, and there is no text.
	long bool
	// unfinished: nothing ends the last line. cutOff: there is more than is read.
	unfinished, cutOff bool
	err                error
	buffer             []byte
	done               bool
}

func newLines(ctx context.Context, r io.Reader, limits Limits) *lines {
	return &lines{ctx: ctx, r: bufio.NewReaderSize(r, headSize), limits: limits}
}

// head is the beginning of the stream, which stays to be read. A byte order mark is
// taken away.
func (l *lines) head() ([]byte, error) {
	head, err := l.r.Peek(headSize)
	if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
		return nil, err
	}
	if bytes.HasPrefix(head, []byte("\xef\xbb\xbf")) {
		_, _ = l.r.Discard(3)
		head = head[3:]
	}
	return head, nil
}

// next reads a line and reports whether there was one.
func (l *lines) next() bool {
	if l.done {
		return false
	}
	if l.err = l.ctx.Err(); l.err != nil {
		return false
	}
	l.buffer, l.long = l.buffer[:0], false
	for {
		part, err := l.r.ReadSlice('\n')
		l.read += int64(len(part))
		if int64(len(l.buffer)+len(part)) > l.limits.Line {
			l.long, l.buffer = true, l.buffer[:0]
		}
		if !l.long {
			l.buffer = append(l.buffer, part...)
		}
		if l.read > l.limits.Bytes {
			l.done, l.cutOff = true, true
			return false
		}
		switch err {
		case bufio.ErrBufferFull:
			if l.err = l.ctx.Err(); l.err != nil {
				return false
			}
			continue
		case nil:
		case io.EOF:
			l.done = true
			if len(l.buffer) == 0 && !l.long {
				return false
			}
			l.unfinished = true
		default:
			l.err = err
			return false
		}
		l.number++
		l.text = bytes.TrimRight(l.buffer, "\r\n")
		return true
	}
}
