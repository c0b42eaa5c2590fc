package transcript

import (
	"bytes"
	"encoding/json"
)

// detect finds out the format of a transcript by its first lines, "" for none.
func detect(head []byte) Format {
	whole := len(head) < headSize
	objects := 0
	for n := 0; n < 100 && len(head) > 0; n++ {
		line, rest, ended := bytes.Cut(head, []byte("\n"))
		head = rest
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		if line[0] != '{' {
			if objects == 0 {
				return Plain
			}
			continue
		}
		objects++
		if !ended && !whole {
			// The line is longer than what is looked at: its first keys tell.
			return byKeys(line)
		}
		var e struct {
			Type    string          `json:"type"`
			Payload json.RawMessage `json:"payload"`
			Record  string          `json:"record_type"`
			ID      string          `json:"id"`
			Time    string          `json:"timestamp"`
			Session string          `json:"sessionId"`
			UUID    string          `json:"uuid"`
			Leaf    string          `json:"leafUuid"`
			Message json.RawMessage `json:"messageId"`
		}
		if json.Unmarshal(line, &e) != nil {
			continue
		}
		switch {
		case e.Payload != nil && e.Type != "", e.Record != "", e.ID != "" && e.Time != "" && e.Type == "":
			return Codex
		case e.Session != "" || e.UUID != "" || e.Leaf != "" || e.Message != nil && e.Type != "":
			return ClaudeCode
		}
	}
	return ""
}

// byKeys judges a line by words of its beginning.
func byKeys(line []byte) Format {
	for _, key := range []string{`"payload"`, `"record_type"`} {
		if bytes.Contains(line[:min(len(line), 400)], []byte(key)) {
			return Codex
		}
	}
	for _, key := range []string{`"parentUuid"`, `"sessionId"`, `"isSidechain"`, `"messageId"`} {
		if bytes.Contains(line, []byte(key)) {
			return ClaudeCode
		}
	}
	return ""
}
