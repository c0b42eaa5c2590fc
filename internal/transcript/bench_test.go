package transcript

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkLong drafts from a session of two thousand commands.
func BenchmarkLong(b *testing.B) {
	var commands []string
	for i := range 2000 {
		commands = append(commands, fmt.Sprintf("cd /home/mira/src/app && go test ./pkg%d/... -run 'Test%d' 2>&1 | tail -%d", i%50, i, i%7))
	}
	text := transcriptOf(ClaudeCode, []string{"test all of it"}, commands, []bool{false, false, true}, "ok  \tapp\t0.1s")
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		s, err := Parse(b.Context(), strings.NewReader(text), Options{})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := NewDraft(s, DraftOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
