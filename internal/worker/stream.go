package worker

import (
	"bytes"
	"strings"
	"sync"

	"github.com/vadehq/vade/internal/chars"
)

// shorten truncates an agent's text for use in a message.
func shorten(s string) string { return strings.TrimSpace(chars.Clip(s, 300)) }

// tail keeps the end of a stream.
type tail struct {
	mu   sync.Mutex
	data []byte
}

const maxTail = 4 << 10

// Write implements [io.Writer].
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, p...)
	t.data = t.data[max(len(t.data)-maxTail, 0):]
	return len(p), nil
}

// line returns the last nonempty line.
func (t *tail) line() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := bytes.Split(bytes.TrimSpace(t.data), []byte("\n"))
	return shorten(strings.ToValidUTF8(string(lines[len(lines)-1]), "?"))
}

// limited keeps the beginning of a stream.
type limited struct {
	bytes.Buffer
	limit int
}

// Write implements [io.Writer].
func (l *limited) Write(p []byte) (int, error) {
	l.Buffer.Write(p[:min(len(p), max(l.limit-l.Len(), 0))])
	return len(p), nil
}
