package serve

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxPieces is how many messages one line has at most, in the revision that had batches.
const maxPieces = 1000

// noLists is the revision since which a line is one message (documented: the changes
// of 2025-06-18).
const noLists = "2025-06-18"

// sifter lets the lines through that are messages, and answers the others itself: the
// SDK ends the session for a line that is none, and a client would lose the server for
// one stray line.
type sifter struct {
	from   io.ReadCloser
	lines  *bufio.Reader
	answer io.Writer
	rest   []byte
	begun  bool
	// single: the client speaks a revision in which a line is one message.
	single bool
}

func newSifter(from io.ReadCloser, answer io.Writer) *sifter {
	return &sifter{from: from, lines: bufio.NewReaderSize(from, 64<<10), answer: answer}
}

// Read implements [io.Reader].
func (s *sifter) Read(p []byte) (int, error) {
	for len(s.rest) == 0 {
		line, long, err := s.line()
		if !s.begun {
			s.begun, line = true, bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		}
		line = bytes.TrimSpace(line)
		switch {
		case long:
			s.refuse(jsonrpc.CodeInvalidRequest, "a message has more than 4 MiB")
		case len(line) == 0:
		case !json.Valid(line):
			s.refuse(jsonrpc.CodeParseError, "a line is no JSON; a message is one line")
		case !s.messages(line):
			s.refuse(jsonrpc.CodeInvalidRequest, "a line is no message of JSON-RPC 2.0")
		default:
			s.rest = append(line, '\n')
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
func (s *sifter) Close() error { return s.from.Close() }

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

// refuse answers a line that has no identifier to be answered by.
func (s *sifter) refuse(code int, text string) {
	data, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code, "message": text}})
	if err == nil {
		// Where it can not be written, the next answer of the SDK finds that out.
		_, _ = s.answer.Write(append(data, '\n'))
	}
}

// messages reports whether a line is a message, or a list of them, that the SDK takes.
func (s *sifter) messages(line []byte) bool {
	if line[0] != '[' {
		return s.message(line)
	}
	var list []json.RawMessage
	if s.single || json.Unmarshal(line, &list) != nil || len(list) == 0 || len(list) > maxPieces {
		return false
	}
	for _, m := range list {
		if !s.message(m) {
			return false
		}
	}
	return true
}

func (s *sifter) message(data []byte) bool {
	m, err := jsonrpc.DecodeMessage(data)
	if err != nil {
		return false
	}
	if r, ok := m.(*jsonrpc.Request); ok && r.Method == "initialize" {
		var params struct{ ProtocolVersion string }
		s.single = json.Unmarshal(r.Params, &params) == nil && params.ProtocolVersion >= noLists
	}
	var head struct{ ID json.RawMessage }
	return json.Unmarshal(data, &head) == nil && exact(string(head.ID))
}

// exact reports whether an identifier comes back as it was sent: of numbers the SDK
// keeps whole ones of 53 bits.
func exact(id string) bool {
	if id == "" || id == "null" || strings.HasPrefix(id, `"`) {
		return true
	}
	return len(strings.TrimPrefix(id, "-")) <= 15 && !strings.ContainsAny(id, ".eE")
}
