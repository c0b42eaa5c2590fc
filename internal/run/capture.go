package run

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

// capture collects output up to a limit. When the limit is reached, it calls
// full and discards the rest.
type capture struct {
	mu              sync.Mutex
	all, outs, errs bytes.Buffer
	limit           int
	truncated       bool
	full            func()
}

// errFull is the error for a command that was stopped because its output exceeded the policy's
// limit.
var errFull = errors.New("the output exceeds the policy's limit")

func newCapture(limit int64, full func()) *capture { return &capture{limit: int(limit), full: full} }

func (c *capture) Write(p []byte) (int, error) { return c.write(p, false) }

// errors returns the writer for standard error.
func (c *capture) errors() io.Writer { return stderrWriter{c} }

type stderrWriter struct{ c *capture }

func (e stderrWriter) Write(p []byte) (int, error) { return e.c.write(p, true) }

func (c *capture) write(p []byte, errs bool) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	available := c.limit - c.all.Len()
	if len(p) > available {
		c.all.Write(p[:max(0, available)])
		if !errs {
			c.outs.Write(p[:max(0, available)])
		}
		if !c.truncated {
			c.truncated = true
			c.full()
		}
		return max(0, available), errFull
	}
	c.all.Write(p)
	if errs {
		c.errs.Write(p)
	} else {
		c.outs.Write(p)
	}
	return len(p), nil
}

func (c *capture) text() (all, errs string, truncated bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return plainText(c.all.String()), plainText(c.errs.String()), c.truncated
}

// plainOut returns the collected standard output, processed by stripControls.
func (c *capture) plainOut() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return stripControls(c.outs.String())
}

// plainText removes trailing line breaks and replaces control characters, bidirectional formatting
// characters and invalid UTF-8 with U+FFFD. It keeps tabs and all other line breaks.
func plainText(s string) string { return strings.TrimRight(stripControls(s), "\r\n") }

// stripControls is like plainText, but keeps trailing line breaks.
func stripControls(s string) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '\n', r == '\t', r == '\r' && strings.HasPrefix(s[i+1:], "\n"):
			b.WriteRune(r)
		case r < ' ', r >= 0x7F && r < 0xA0, r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069:
			b.WriteRune(utf8.RuneError)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}

// redactor replaces credentials in URLs, such as user:password in https://user:password@host, with
// "***". It works line by line.
type redactor struct {
	to   io.Writer
	line []byte
	hit  func()
}

// maxAddressLine is the length at which an unterminated line is split.
const maxAddressLine = 64 << 10

func (r *redactor) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		i := bytes.IndexByte(rest, '\n') + 1
		if i == 0 {
			i = len(rest)
		}
		r.line = append(r.line, rest[:i]...)
		rest = rest[i:]
		if r.line[len(r.line)-1] == '\n' || len(r.line) > maxAddressLine {
			if err := r.flush(); err != nil {
				return len(p) - len(rest), err
			}
		}
	}
	return len(p), nil
}

func (r *redactor) flush() error {
	line := r.line
	r.line = r.line[:0]
	var out []byte
	for {
		i := bytes.Index(line, []byte("://"))
		if i < 0 {
			break
		}
		i += len("://")
		end := bytes.IndexAny(line[i:], "/ \t\n'\"")
		if end < 0 {
			end = len(line) - i
		}
		out = append(out, line[:i]...)
		// A password may contain a slash. In that case, the text between the colon and the slash is
		// not a port.
		if all := bytes.IndexAny(append(line[i:len(line):len(line)], ' '), " \t\n'\""); end < all {
			_, port, colon := bytes.Cut(line[i:i+end], []byte(":"))
			if last := bytes.LastIndexByte(line[i:i+all], '@'); colon && len(bytes.Trim(port, "0123456789")) > 0 && bytes.IndexByte(port, '@') < 0 && last > end {
				end = last + 1
			}
		}
		host := line[i : i+end]
		// ssh://git@host contains no secret, but https://token@host does.
		at := bytes.LastIndexByte(host, '@')
		if web := bytes.HasSuffix(out, []byte("http://")) || bytes.HasSuffix(out, []byte("https://")); at >= 0 && (web || bytes.IndexByte(host[:at], ':') >= 0) {
			r.hit()
			out = append(out, "***"...)
			host = host[at:]
		}
		out = append(out, host...)
		line = line[i+end:]
	}
	_, err := r.to.Write(append(out, line...))
	return err
}
