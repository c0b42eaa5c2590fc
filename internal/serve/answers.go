package serve

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// wrongParams takes the place of the SDK's own text, which has the types of Go and all
// that was sent.
const wrongParams = "the parameters are not of the types that this method takes"

// plain is a response without that.
func plain(r *jsonrpc.Response) *jsonrpc.Response {
	if r.Error == nil || !strings.Contains(r.Error.Error(), goType) {
		return r
	}
	return &jsonrpc.Response{ID: r.ID, Error: &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: wrongParams}}
}

// goType is in each of the SDK's texts that says what was wrong with parameters.
const goType = " into a *"

// unreadable answers a body that the SDK does not get.
func (w *web) unreadable(rw http.ResponseWriter, r *http.Request, err error) {
	w.tell(r, "body")
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(http.StatusBadRequest)
	_, _ = rw.Write(refusal(err))
}

// plainWriter takes the SDK's types out of errors. Each answer is written at once.
type plainWriter struct{ http.ResponseWriter }

// Unwrap is for [http.ResponseController].
func (p plainWriter) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// Write implements [io.Writer].
func (p plainWriter) Write(data []byte) (int, error) {
	if better, ok := plainData(data); ok {
		_, err := p.ResponseWriter.Write(better)
		return len(data), err
	}
	return p.ResponseWriter.Write(data)
}

// plainData is an answer without the SDK's types; ok is false where it has none.
func plainData(data []byte) (better []byte, ok bool) {
	if len(data) > maxBody || !bytes.Contains(data, []byte(goType)) {
		return nil, false
	}
	var list []json.RawMessage
	if json.Unmarshal(data, &list) == nil {
		for i := range list {
			if piece, found := plainData(list[i]); found {
				list[i], ok = piece, true
			}
		}
		if ok {
			better, _ = json.Marshal(list)
		}
		return better, better != nil
	}
	m, err := jsonrpc.DecodeMessage(data)
	r, answer := m.(*jsonrpc.Response)
	if err != nil || !answer || plain(r) == r {
		return nil, false
	}
	better, err = jsonrpc.EncodeMessage(plain(r))
	return better, err == nil
}

// untold takes the promise to tell of changes out of what a client of an older
// revision is answered over HTTP: no stream is kept for it that could carry the word.
func untold(r *mcp.InitializeResult) *mcp.InitializeResult {
	if r.Capabilities == nil {
		return r
	}
	result, capabilities := *r, *r.Capabilities
	if p := capabilities.Prompts; p != nil {
		capabilities.Prompts = &mcp.PromptCapabilities{}
	}
	if c := capabilities.Resources; c != nil {
		resources := *c
		resources.ListChanged = false
		capabilities.Resources = &resources
	}
	if c := capabilities.Tools; c != nil {
		tools := *c
		tools.ListChanged = false
		capabilities.Tools = &tools
	}
	result.Capabilities = &capabilities
	return &result
}
