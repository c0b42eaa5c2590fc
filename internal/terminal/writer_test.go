package terminal

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func env(pairs ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for _, p := range pairs {
			if value, ok := strings.CutPrefix(p, name+"="); ok {
				return value, true
			}
		}
		return "", false
	}
}

func TestWantsColour(t *testing.T) {
	for _, tc := range []struct {
		env  string
		able bool
		want bool
	}{
		{"", true, true},
		{"", false, false},
		{"NO_COLOR=", true, true},
		{"NO_COLOR=0", true, false},
		{"NO_COLOR=1 FORCE_COLOR=1", true, false},
		{"FORCE_COLOR=1", false, true},
		{"FORCE_COLOR=3", false, true},
		{"FORCE_COLOR=0", false, false},
		{"FORCE_COLOR=0", true, true},
		{"FORCE_COLOR=false", false, false},
		{"CLICOLOR_FORCE=1", false, true},
		{"CLICOLOR=0", true, false},
		{"CLICOLOR=0 CLICOLOR_FORCE=1", true, true},
		{"CLICOLOR=1", false, false},
	} {
		lookup := env(strings.Fields(tc.env)...)
		get := func(name string) string { v, _ := lookup(name); return v }
		if got := wantsColor(get, tc.able); got != tc.want {
			t.Errorf("%q, able %v: %v", tc.env, tc.able, got)
		}
	}
}

func TestNoColorFlagWins(t *testing.T) {
	if New(&bytes.Buffer{}, Options{NoColor: true, Env: env("FORCE_COLOR=1")}).color {
		t.Error("FORCE_COLOR overrules the flag")
	}
	if !New(&bytes.Buffer{}, Options{Env: env("FORCE_COLOR=1", "TERM=dumb")}).color {
		t.Error("FORCE_COLOR does not overrule TERM")
	}
}

func TestColumns(t *testing.T) {
	size := func() (int, error) { return 120, nil }
	fail := func() (int, error) { return 0, errors.New("no size") }
	for _, tc := range []struct {
		fixed    int
		columns  string
		terminal bool
		ask      func() (int, error)
		want     int
	}{
		{0, "", true, size, 120},
		{0, "", true, fail, 80},
		{0, "60", true, size, 60},
		{0, "x", true, size, 120},
		{0, "-3", true, size, 120},
		{0, "60", false, size, 0},
		{50, "60", false, size, 50},
		{50, "60", true, size, 50},
	} {
		lookup := env("COLUMNS=" + tc.columns)
		get := func(name string) string { v, _ := lookup(name); return v }
		if got := columns(tc.fixed, get, tc.terminal, tc.ask); got != tc.want {
			t.Errorf("%+v: %d", tc, got)
		}
	}
}

func TestBufferIsNoTerminal(t *testing.T) {
	var buf bytes.Buffer
	w := New(&buf, Options{})
	if w.IsTerminal() || w.color || w.Width() != 0 {
		t.Errorf("%+v", w)
	}
	if got := w.Paint(Red, "x"); got != "x" {
		t.Errorf("Paint = %q", got)
	}
}

func TestPaint(t *testing.T) {
	w := New(&bytes.Buffer{}, Options{Env: env("FORCE_COLOR=1")})
	for style, want := range map[Style]string{
		Plain: "x", Bold: "\x1b[1mx\x1b[0m", Dim: "\x1b[2mx\x1b[0m", Red: "\x1b[31mx\x1b[0m", Green: "\x1b[32mx\x1b[0m",
		Yellow: "\x1b[33mx\x1b[0m", Cyan: "\x1b[36mx\x1b[0m",
	} {
		if got := w.Paint(style, "x"); got != want {
			t.Errorf("Paint(%q) = %q, want %q", style, got, want)
		}
	}
	if got := w.Paint(Red, ""); got != "" {
		t.Errorf("Paint of nothing = %q", got)
	}
}

// screen is a buffer that can be written to by a timer.
type screen struct {
	mu sync.Mutex
	b  strings.Builder
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

// take returns the output written since the previous call.
func (s *screen) take() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.b.Reset()
	return s.b.String()
}

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var buf screen
		w := &Writer{w: &buf, terminal: true, width: 16}
		p := w.StartProgress("reading\x1b")
		p.Step(1, 20)
		time.Sleep(999 * time.Millisecond)
		synctest.Wait()
		if got := buf.take(); got != "" {
			t.Errorf("before a second: %q", got)
		}
		time.Sleep(2 * time.Millisecond)
		synctest.Wait()
		if got := buf.take(); got != "\rreading\\x1b 1/…\x1b[K" {
			t.Errorf("after a second: %q", got)
		}
		p.Step(2, 20)
		if got := buf.take(); got != "" {
			t.Errorf("drawn again at once: %q", got)
		}
		time.Sleep(progressEvery)
		p.Step(3, 0)
		if got := buf.take(); got != "\rreading\\x1b 3\x1b[K" {
			t.Errorf("a step later: %q", got)
		}
		p.Done()
		p.Done()
		p.Step(4, 20)
		if got := buf.take(); got != "\r\x1b[K" {
			t.Errorf("at the end: %q", got)
		}
	})
}

func TestProgressOfQuickWorkIsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var buf screen
		for _, w := range []*Writer{{w: &buf, terminal: true}, {w: &buf}, {w: &buf, terminal: true, dumb: true}} {
			p := w.StartProgress("x")
			if !w.terminal || w.dumb {
				time.Sleep(2 * time.Second)
				p.Step(1, 2)
			}
			p.Done()
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got := buf.take(); got != "" {
			t.Errorf("%q", got)
		}
	})
}
