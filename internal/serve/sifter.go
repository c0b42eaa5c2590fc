package serve

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// sifter lets the lines through that are messages, and answers the others itself: the
// SDK ends the session for a line that is none, and a client would lose the server for
// one stray line. It waits while the client has too many requests without an answer.
type sifter struct {
	from   io.ReadCloser
	lines  *bufio.Reader
	answer io.Writer
	flight *flight
	rest   []byte
	begun  bool
	// single: the client speaks a revision in which a line is one message.
	single bool
}

func newSifter(from io.ReadCloser, answer io.Writer, f *flight) *sifter {
	return &sifter{from: from, lines: bufio.NewReaderSize(from, 64<<10), answer: answer, flight: f}
}

var errTooLong = errors.New("it has more than 4 MiB")

// Read implements [io.Reader].
func (s *sifter) Read(p []byte) (int, error) {
	for len(s.rest) == 0 {
		line, long, err := s.line()
		if !s.begun {
			s.begun, line = true, bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		}
		line = bytes.TrimSpace(line)
		var wrong error
		switch {
		case long:
			wrong = errTooLong
		case len(line) > 0:
			wrong = s.take(line)
		}
		if errors.Is(wrong, io.EOF) {
			return 0, wrong
		}
		if wrong != nil {
			// Where it can not be written, the next answer of the SDK finds that out.
			_, _ = s.answer.Write(refusal(wrong))
		}
		if err != nil && len(s.rest) == 0 {
			return 0, err
		}
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// Close implements [io.Closer].
func (s *sifter) Close() error {
	s.flight.close()
	return s.from.Close()
}

// line returns the next line. One that is too long is read to its end and not kept.
func (s *sifter) line() (line []byte, long bool, err error) {
	for {
		piece, err := s.lines.ReadSlice('\n')
		if long = long || len(line)+len(piece) > maxLine; long {
			line = nil
		} else {
			line = append(line, piece...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, long, err
		}
	}
}

// take lets a line through once there is room for its requests. The error says what is
// wrong with it; it is [io.EOF] where nobody waits for it any more.
func (s *sifter) take(line []byte) error {
	found, list, err := messagesOf(line)
	if err != nil {
		return err
	}
	if list && s.single {
		return errNoList
	}
	for i := range found {
		// What it can not read ends the session.
		if _, err := jsonrpc.DecodeMessage(found[i].data); err != nil {
			return errNoMessage
		}
	}
	if err := s.flight.admit(found); err != nil {
		return err
	}
	for i := range found {
		s.single = s.single || found[i].singles()
	}
	if !list {
		s.rest = append(line, '\n')
		return nil
	}
	// The SDK waits for the answers to all requests of a list, also to those that have
	// none.
	var calls [][]byte
	for _, m := range found {
		if m.id.IsValid() {
			calls = append(calls, m.data)
		} else {
			s.rest = append(append(s.rest, m.data...), '\n')
		}
	}
	if len(calls) > 0 {
		s.rest = append(append(append(s.rest, '['), bytes.Join(calls, []byte{','})...), "]\n"...)
	}
	return nil
}
