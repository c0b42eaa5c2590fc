package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The limits of what a client sends at once: how many messages a list has, in the
// revisions that have lists, and how many bytes an identifier and the name of a method.
const (
	maxPieces = 50
	maxID     = 1 << 10
	maxMethod = 256
)

// maxTyped is how many bytes the arguments of a prompt or of a tool have together, and
// maxParams the parameters of other methods: where they are of the wrong type the SDK
// repeats them.
const (
	maxTyped  = 64 << 10
	maxParams = 64 << 10
)

// message is what matters of a message before the SDK has it.
type message struct {
	data json.RawMessage
	// id is valid for requests that have an answer.
	id     jsonrpc.ID
	method string
	params json.RawMessage
}

var (
	errNoMessage  = errors.New("it is no message of JSON-RPC 2.0")
	errNoJSON     = errors.New("it is no JSON")
	errID         = errors.New("the identifier does not come back as it is: it has to be a text, or a whole number of up to 15 digits")
	errSameID     = errors.New("the identifier is that of a request that has no answer yet")
	errNoList     = errors.New("this revision of the protocol has no lists of messages")
	errEmptyList  = errors.New("the list has no message")
	errLongerList = errors.New("the list has more than " + strconv.Itoa(maxPieces) + " messages; send them in several")
)

// messagesOf reads one message, or the list of several. The error says what is wrong
// for a client.
func messagesOf(data []byte) (found []message, list bool, err error) {
	data = bytes.TrimSpace(data)
	if !bytes.HasPrefix(data, []byte("[")) {
		m, err := messageOf(data)
		return []message{m}, false, err
	}
	var pieces []json.RawMessage
	if json.Unmarshal(data, &pieces) != nil {
		return nil, true, errNoJSON
	}
	switch {
	case len(pieces) == 0:
		return nil, true, errEmptyList
	case len(pieces) > maxPieces:
		return nil, true, errLongerList
	}
	for _, piece := range pieces {
		m, err := messageOf(piece)
		if err != nil {
			// The whole list is refused, which has no identifier.
			return nil, true, errors.New(err.Error())
		}
		if m.id.IsValid() && slices.ContainsFunc(found, func(o message) bool { return o.id == m.id }) {
			return nil, true, errSameID
		}
		found = append(found, m)
	}
	return found, true, nil
}

func messageOf(data []byte) (message, error) {
	data = bytes.TrimSpace(data)
	if !json.Valid(data) {
		return message{}, errNoJSON
	}
	e, ok := envelopeOf(data)
	if !ok || string(e.jsonrpc) != `"2.0"` {
		return message{}, errNoMessage
	}
	id, err := exact(e.id)
	if err != nil {
		return message{}, err
	}
	if e.method == nil {
		// An answer, which asks for nothing.
		if _, err := jsonrpc.DecodeMessage(data); err != nil {
			return message{}, errNoMessage
		}
		return message{data: data}, nil
	}
	m := message{data: data, id: id, params: e.params}
	if json.Unmarshal(e.method, &m.method) != nil {
		return message{}, errNoMessage
	}
	return m, m.sized()
}

// maxNested is how deep JSON is nested at most; the SDK takes 1,000.
const maxNested = 900

// envelope are the values of a message by their keys, nil where there are none.
type envelope struct{ jsonrpc, id, method, params json.RawMessage }

// envelopeOf takes an object apart, of which is known that it is valid. It is not ok
// for what decoders read in different ways: a key that is there twice, or that is not
// written plainly.
func envelopeOf(data []byte) (e envelope, ok bool) {
	if len(data) == 0 || data[0] != '{' {
		return e, false
	}
	for i := space(data, 1); data[i] != '}'; {
		if data[i] == ',' {
			i = space(data, i+1)
		}
		end, plain := valueEnd(data, i)
		key := string(data[i+1 : end-1])
		i = space(data, space(data, end)+1)
		if !plain || strings.ContainsRune(key, '\\') {
			return e, false
		}
		if end, plain = valueEnd(data, i); !plain {
			return e, false
		}
		to := e.at(key)
		if to != nil && *to != nil {
			return e, false
		}
		if to != nil {
			*to = data[i:end]
		}
		i = space(data, end)
	}
	return e, true
}

// at is where the value of a key belongs, nil for the others.
func (e *envelope) at(key string) *json.RawMessage {
	switch key {
	case "jsonrpc":
		return &e.jsonrpc
	case "id":
		return &e.id
	case "method":
		return &e.method
	case "params":
		return &e.params
	}
	return nil
}

// space is where what stands at i, or the blanks there, end.
func space(data []byte, i int) int {
	for data[i] == ' ' || data[i] == '\t' || data[i] == '\r' || data[i] == '\n' {
		i++
	}
	return i
}

// valueEnd is where the value that begins at i ends; it is not plain where it is nested
// too deep.
func valueEnd(data []byte, i int) (end int, plain bool) {
	depth, deepest := 0, 0
	for ; ; i++ {
		switch data[i] {
		case '"':
			for i++; data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
			deepest = max(deepest, depth)
			continue
		case '}', ']':
			depth--
		default:
			if depth == 0 && strings.IndexByte(",}] \t\r\n", data[i+1]) < 0 {
				continue
			}
		}
		if depth == 0 {
			return i + 1, deepest <= maxNested
		}
	}
}

// sized says what is too long of a message.
func (m *message) sized() error {
	var typed any
	switch m.method {
	case "tools/call":
		typed = &mcp.CallToolParamsRaw{}
	case "prompts/get":
		typed = &mcp.GetPromptParams{}
	case "completion/complete":
		typed = &mcp.CompleteParams{}
	}
	switch {
	case len(m.method) > maxMethod:
		return &tooLong{m.id, "the name of the method has more than " + strconv.Itoa(maxMethod) + " bytes"}
	case len(m.params) <= maxParams:
	case typed == nil:
		return &tooLong{m.id, fmt.Sprintf("the parameters have more than %d KiB; send shorter ones", maxParams>>10)}
	case len(m.params) > maxParams+worst*maxTyped:
		return &tooLong{m.id, fmt.Sprintf("the arguments have more than %d KiB; send shorter ones", maxTyped>>10)}
	case json.Unmarshal(m.params, typed) != nil:
		return &tooLong{m.id, wrongParams}
	}
	return nil
}

// tooLong is the error for a message that is one, and whose answer can name it.
type tooLong struct {
	id   jsonrpc.ID
	text string
}

// Error implements error.
func (e *tooLong) Error() string { return e.text }

// exact is the identifier that comes back as it was sent, which is not valid for none:
// of numbers the SDK keeps whole ones of 53 bits.
func exact(sent json.RawMessage) (jsonrpc.ID, error) {
	none := jsonrpc.ID{}
	switch {
	case len(sent) == 0 || string(sent) == "null":
		return none, nil
	case len(sent) > maxID:
		return none, errID
	case sent[0] == '"':
		var text string
		// Half a character comes back as U+FFFD.
		if json.Unmarshal(sent, &text) != nil || strings.ContainsRune(text, utf8.RuneError) {
			return none, errID
		}
		return jsonrpc.MakeID(text)
	}
	n, err := strconv.ParseInt(string(sent), 10, 64)
	if err != nil || len(strings.TrimPrefix(string(sent), "-")) > 15 || string(sent) == "-0" {
		return none, errID
	}
	return jsonrpc.MakeID(float64(n))
}

// singles reports whether behind this message the client speaks a revision in which a
// line is one message: only the first two have lists (documented: the changes of
// 2025-06-18), and a client that asks for one that there is not gets the latest.
func (m *message) singles() bool {
	if m.method != "initialize" {
		return false
	}
	var revision string
	_ = json.Unmarshal(field(m.params, "protocolVersion"), &revision)
	return revision != "2024-11-05" && revision != "2025-03-26"
}

// field returns the value of a key of an object, which has to be written like it.
func field(object json.RawMessage, key string) json.RawMessage {
	var keys map[string]json.RawMessage
	if json.Unmarshal(object, &keys) != nil {
		return nil
	}
	return keys[key]
}

// refusal is the answer to what the SDK does not get. Most of it has no identifier to be
// answered by.
func refusal(err error) []byte {
	var id any
	code := jsonrpc.CodeInvalidRequest
	var long *tooLong
	switch {
	case errors.Is(err, errNoJSON):
		code = jsonrpc.CodeParseError
	case errors.As(err, &long):
		id, code = long.id.Raw(), jsonrpc.CodeInvalidParams
	}
	data, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": err.Error()}})
	if err != nil {
		return nil
	}
	return append(data, '\n')
}
