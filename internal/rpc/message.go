package rpc

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"path"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/audit/scan"
	"github.com/vadehq/vade/internal/check"
	"github.com/vadehq/vade/internal/jsonc"
	"github.com/vadehq/vade/internal/terminal"
)

// Error codes. They are defined by JSON-RPC, by this protocol or, for canceled requests, by the
// Language Server Protocol.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeNoMethod       = -32601
	codeParams         = -32602
	codeInternal       = -32603
	codeVade           = -32000
	codeProtocol       = -32001
	codeCanceled       = -32800
)

// Error is the error in a response.
type Error struct {
	Code    int        `json:"code"`
	Message string     `json:"message"`
	Data    *ErrorData `json:"data,omitempty"`
}

func (e *Error) Error() string { return e.Message }

// ErrorData holds machine-readable details about an error. Code is stable across releases.
type ErrorData struct {
	Code string `json:"code"`
	// Hint tells the user what to do.
	Hint string `json:"hint,omitempty"`
	File string `json:"file,omitempty"`
	// Line and Column start at 1.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Supported lists the protocol versions that the server supports.
	Supported []int `json:"supported,omitempty"`
}

// failure returns one of Vade's own errors.
func failure(word, message, hint string) *Error {
	return &Error{Code: codeVade, Message: message, Data: &ErrorData{Code: word, Hint: hint}}
}

// rpcError returns a protocol error.
func rpcError(code int, word, message string) *Error {
	return &Error{Code: code, Message: message, Data: &ErrorData{Code: word}}
}

func invalidRequest(message string) *Error {
	return rpcError(codeInvalidRequest, "INVALID_REQUEST", message)
}

func invalidParams(message string) *Error {
	return rpcError(codeParams, "INVALID_PARAMETERS", shorten(message))
}

func canceled() *Error { return rpcError(codeCanceled, "CANCELED", "the request was canceled") }

// errorOf converts err to the error to send to the client.
func errorOf(err error) *Error {
	var e *Error
	var d *definition.Error
	message := strings.TrimPrefix(err.Error(), "vade: ")
	switch {
	case errors.As(err, &e):
		return e
	case errors.As(err, &d):
		x := failure(string(d.Code), d.Message, d.Fix)
		if len(d.SearchedPaths) == 1 {
			x.Data.File = d.SearchedPaths[0]
		}
		return x
	case errors.Is(err, definition.ErrNotFound):
		return failure("NOT_FOUND", message, "to list definitions, call the method \"list\"")
	case errors.Is(err, check.ErrNothingThere), errors.Is(err, check.ErrNoDefinition), errors.Is(err, scan.ErrNothingToAudit):
		return failure("NOTHING_THERE", message, "specify an existing file or a directory with definitions")
	case errors.Is(err, context.Canceled):
		return canceled()
	}
	return failure("FAILED", message, "")
}

// message is a request, or a notification, which has no ID.
type message struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
}

// parseMessage parses a line. For a response, the method is "". If the message is invalid but has a
// valid ID, the returned message contains the ID.
func parseMessage(line []byte) (message, *Error) {
	var m struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  *string         `json:"method"`
		Params  json.RawMessage `json:"params"`
		Result  json.RawMessage `json:"result"`
		Error   json.RawMessage `json:"error"`
	}
	err := json.Unmarshal(line, &m)
	// An object with a member of the wrong type may still have an ID.
	id := m.ID
	if len(id) > 0 && (id[0] != '"' && id[0] != '-' && (id[0] < '0' || id[0] > '9')) {
		id = nil
	}
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return message{}, rpcError(codeParse, "INVALID_JSON", "the line is not valid JSON")
	case line[0] == '[':
		return message{}, invalidRequest("batches are not supported; send one message per line")
	case err != nil || m.JSONRPC != "2.0":
		return message{ID: id}, invalidRequest("the line is not a JSON-RPC 2.0 message")
	case m.Method == nil && (m.Result != nil || m.Error != nil):
		return message{}, nil
	case m.Method == nil || *m.Method == "":
		return message{ID: id}, invalidRequest("the message has no method")
	case m.ID != nil && id == nil:
		return message{}, invalidRequest("the id must be a string or a number")
	}
	return message{id, *m.Method, m.Params}, nil
}

// decode parses a method's parameters. Unknown parameters are an error, so a
// client learns that the server is too old to support them.
func decode(params json.RawMessage, into any) error {
	if len(params) == 0 || string(params) == "null" {
		params = json.RawMessage("{}")
	}
	d := json.NewDecoder(bytes.NewReader(params))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	var typ *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &typ) && typ.Field == "":
		return invalidParams("params must be an object")
	case errors.As(err, &typ):
		return invalidParams("parameter \"" + path.Base(strings.ReplaceAll(typ.Field, ".", "/")) + "\" has the wrong type")
	}
	return invalidParams(strings.TrimPrefix(strings.Replace(err.Error(), "unknown field", "unknown parameter", 1), "json: "))
}

// encode returns a value as JSON on a single line. Commands print the same JSON with --json, but
// indented.
func encode(v any) (json.RawMessage, error) {
	data, err := jsonc.Marshal(v, "")
	return terminal.EscapeJSON(data), err
}

// encodeResult is like encode, but returns err if it is not nil. Its arguments can be the results
// of a function call.
func encodeResult(v any, err error) (json.RawMessage, error) {
	if err != nil {
		return nil, err
	}
	return encode(v)
}

// reader reads lines of limited length.
type reader struct {
	in   *bufio.Reader
	line []byte
}

func newReader(in io.Reader) *reader { return &reader{in: bufio.NewReaderSize(in, 64<<10)} }

// errTooLong is returned for a line longer than maxMessage. The line is skipped.
var errTooLong = errors.New("the message is too long")

// next returns the next line that is not empty. The line is valid until the next call. The last
// line need not end with a newline.
func (r *reader) next() ([]byte, error) {
	for {
		line, err := r.read()
		if err == nil {
			line = bytes.TrimSpace(line)
		}
		if err != nil || len(line) > 0 {
			return line, err
		}
	}
}

func (r *reader) read() ([]byte, error) {
	// Do not retain the memory for a long line.
	const keep = 1 << 20
	if cap(r.line) > keep {
		r.line = nil
	}
	r.line = r.line[:0]
	tooLong := false
	for {
		piece, err := r.in.ReadSlice('\n')
		if tooLong = tooLong || len(r.line)+len(piece) > maxMessage; tooLong {
			r.line = nil
		} else {
			r.line = append(r.line, piece...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil && (err != io.EOF || len(r.line) == 0 && !tooLong):
			return nil, err
		case tooLong:
			return nil, errTooLong
		default:
			return r.line, nil
		}
	}
}
