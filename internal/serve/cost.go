package serve

import (
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The SDK makes JSON of a result, of the message with it, and of a list of messages:
// so often the JSON of a text is in memory. A text that has up to flatText bytes is not
// looked at: each of its bytes may become the six of \u0000.
const (
	copies   = 3
	flatText = 4 << 10
	worst    = 6
	// plainResult is what a result takes that has no text of others.
	plainResult = 8 << 10
)

// textCost is about how many bytes a text takes until its answer is written.
func textCost(s string) int64 {
	n := int64(len(s))
	if n <= flatText || !utf8.ValidString(s) {
		// What is no character becomes \ufffd.
		return n + copies*worst*n
	}
	return n + copies*jsonLength(s)
}

// jsonLength is how many bytes a text of characters has as a string of JSON, or some
// more.
func jsonLength[T string | []byte](s T) int64 {
	n := int64(2)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"', c == '\\', c == '\n', c == '\r', c == '\t':
			n += 2
		case c < 0x20, c == '<', c == '>', c == '&':
			n += worst
		case c == 0xe2:
			// The separators of lines and of paragraphs begin with it.
			n += 4
		default:
			n++
		}
	}
	return n
}

// costOf is about how many bytes a result takes until it is written.
func costOf(res mcp.Result) int64 {
	n := int64(plainResult)
	switch r := res.(type) {
	case *mcp.CallToolResult:
		if r != nil {
			n += contentCost(r.Content)
		}
	case *promptResult:
		n += textCost(r.Description)
		for _, m := range r.Messages {
			n += contentCost([]mcp.Content{m.Content})
		}
	case *mcp.ReadResourceResult:
		if r != nil {
			for _, c := range r.Contents {
				if c.Blob != nil {
					n += blobCost(len(c.Blob))
				} else {
					n += int64(len(c.Text)) + textCost(c.Text)
				}
			}
		}
	case *mcp.ListPromptsResult:
		for _, p := range r.Prompts {
			n += entryCost(p.Name, p.Title, p.Description)
			for _, a := range p.Arguments {
				n += entryCost(a.Name, a.Description)
			}
		}
	case *mcp.ListResourcesResult:
		for _, x := range r.Resources {
			n += entryCost(x.Name, x.URI, x.Description)
		}
	case *skillsResult:
		for _, e := range r.Skills {
			n += entryCost(string(e.Frontmatter)) + int64(len(e.Resources)*(len(e.URI)+200))*copies
		}
	}
	return n
}

func contentCost(list []mcp.Content) (n int64) {
	for _, c := range list {
		if t, ok := c.(*mcp.TextContent); ok {
			n += textCost(t.Text)
		}
	}
	return n
}

// dataCost is what a file takes: as a text, of which there are the bytes too, or in
// base64.
func dataCost(data []byte) int64 {
	if utf8.Valid(data) {
		return 2*int64(len(data)) + copies*jsonLength(data)
	}
	return blobCost(len(data))
}

func blobCost(n int) int64 { return int64(n) + copies*(int64(n)*4/3+4) }

// entryCost is what an entry of a list takes: of its texts, which are the definitions'
// own, nothing but the JSON is new.
func entryCost(texts ...string) int64 {
	n := int64(100)
	for _, s := range texts {
		n += int64(len(s)) * 2
	}
	return n * copies
}
