package transcript

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"time"
)

// opencodeSession is a session in the format that "opencode export" prints. opencode itself keeps
// all sessions in a SQLite database. Version 1.18.33 was observed to store the same objects there,
// in the data columns of the session, message and part tables.
type opencodeSession struct {
	Info struct {
		Dir    string `json:"directory"`
		Parent string `json:"parentID"`
	} `json:"info"`
	Messages []struct {
		Info struct {
			Role string `json:"role"`
		} `json:"info"`
		Parts []opencodePart `json:"parts"`
	} `json:"messages"`
}

// opencodePart is a message part: text, or a tool call with its result.
type opencodePart struct {
	Type   string `json:"type"`
	Text   string `json:"text"`
	Tool   string `json:"tool"`
	CallID string `json:"callID"`
	// Synthetic marks text that the user did not write.
	Synthetic bool `json:"synthetic"`
	State     struct {
		Status string `json:"status"`
		Error  string `json:"error"`
		Input  struct {
			Command string `json:"command"`
			File    string `json:"filePath"`
			Name    string `json:"name"`
			Agent   string `json:"subagent_type"`
		} `json:"input"`
		Metadata struct {
			Exit *int `json:"exit"`
		} `json:"metadata"`
	} `json:"state"`
}

func claimsOpencode(keys map[string]json.RawMessage) bool {
	return keys["info"] != nil && keys["messages"] != nil
}

// opencodeExport reads an exported session. line holds the entire session.
func (s *session) opencodeExport(line []byte, n int) {
	var e opencodeSession
	if !s.decode(line, n, &e) {
		return
	}
	s.dir, s.main = cut(e.Info.Dir, 1<<10), e.Info.Parent == ""
	for _, m := range e.Messages {
		for i := range m.Parts {
			s.opencodePart(&m.Parts[i], m.Info.Role, n)
		}
	}
}

func (s *session) opencodePart(p *opencodePart, role string, n int) {
	in, id := &p.State.Input, p.CallID
	switch p.Tool {
	case "":
		if p.Type == "text" && role == "user" && !p.Synthetic {
			s.message(n, p.Text)
		}
		return
	case "skill":
		s.invokes(false, in.Name, id)
	case "task":
		s.invokes(true, in.Agent, id)
	case "bash":
		s.call(n, id, &call{tool: p.Tool, command: in.Command})
	case "write", "edit":
		s.call(n, id, &call{tool: p.Tool, paths: []string{in.File}})
	}
	o := outcome{failed: p.State.Status == "error"}
	if p.State.Metadata.Exit != nil {
		o = exited(*p.State.Metadata.Exit)
	}
	o.refused = o.failed && strings.Contains(p.State.Error, "rejected permission")
	s.result(id, o)
}

// opencodeCalls reports whether a message part that begins with the bytes in start invokes a skill
// or an agent.
func opencodeCalls(start []byte) bool {
	return bytes.Contains(start, []byte(`"tool":"skill"`)) || bytes.Contains(start, []byte(`"tool":"task"`))
}

// opencodeDatabase calls each for every session in opencode's database that was updated at or after
// since. It decodes only the message parts that invoke a skill or an agent, which it recognizes by
// their first bytes.
func opencodeDatabase(ctx context.Context, db, wal io.ReaderAt, since time.Time, each func(*session)) error {
	d, err := openSQLite(db, wal)
	if err != nil {
		return err
	}
	all := map[string]*session{}
	var order []string
	err = d.rows(ctx, "session", func(r *sqliteRow) error {
		id, parent, dir := r.text("id"), r.text("parent_id"), r.text("directory")
		if s := (&session{dir: cut(dir, 1<<10), main: parent == "", calls: map[string]*call{}}); !time.UnixMilli(r.integer("time_updated")).Before(since) {
			all[id], order = s, append(order, id)
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = d.rows(ctx, "part", func(r *sqliteRow) error {
		s := all[r.text("session_id")]
		if s == nil || !opencodeCalls(r.start("data")) {
			return nil
		}
		var p opencodePart
		if json.Unmarshal([]byte(r.text("data")), &p) != nil {
			s.broken(0)
			return nil
		}
		s.at = time.UnixMilli(r.integer("time_created"))
		s.opencodePart(&p, "", 0)
		return nil
	})
	for _, id := range order {
		each(all[id])
	}
	return err
}
