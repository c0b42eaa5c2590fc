package diag

import (
	"sync"
	"testing"
)

func TestPos(t *testing.T) {
	f := NewFile("x", []byte("ab\ncé😀d\r\nx\ry\n"))
	for _, tc := range []struct {
		offset       int
		line, column int
		utf16        int
		text         string
	}{
		{0, 1, 1, 1, "ab"},
		{2, 1, 3, 3, "ab"},
		{3, 2, 1, 1, "cé😀d"},
		{6, 2, 3, 3, "cé😀d"},
		{10, 2, 4, 5, "cé😀d"},
		{13, 3, 1, 1, "x"},
		{15, 4, 1, 1, "y"},
		{17, 5, 1, 1, ""},
		{99, 5, 1, 1, ""},
		{-1, 1, 1, 1, "ab"},
	} {
		if got := f.Pos(tc.offset); got != (Pos{tc.line, tc.column}) {
			t.Errorf("Pos(%d) = %v, want %d:%d", tc.offset, got, tc.line, tc.column)
		}
		if got := f.UTF16Column(tc.offset); got != tc.utf16 {
			t.Errorf("UTF16Column(%d) = %d, want %d", tc.offset, got, tc.utf16)
		}
		if got := f.Line(tc.offset); got != tc.text {
			t.Errorf("Line(%d) = %q, want %q", tc.offset, got, tc.text)
		}
	}
}

// TestConcurrentPos uses a file from several goroutines so the race detector can find races.
func TestConcurrentPos(t *testing.T) {
	f := NewFile("x", []byte("a\nb\nc\n"))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if got := f.Pos(4); got != (Pos{Line: 3, Column: 1}) {
				t.Errorf("%+v", got)
			}
		})
	}
	all.Wait()
}
