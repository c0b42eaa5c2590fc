package signal

import (
	"fmt"
	"runtime/debug"
	"strings"
)

// Guard runs part of the audit. If it panics on a file, which may have been
// crafted to cause the panic, Guard records a signal and the audit continues.
func (s *Set) Guard(file int, part func()) {
	defer func() {
		if p := recover(); p != nil {
			place := Place{File: file}
			s.AddAt(Signal{
				Kind: Unread, Place: place, Tags: []Tag{"failed"},
				Subject: s.Package.Files[file].Path, Object: fmt.Sprint(p),
			})
			note := "auditing this file failed; please report this bug in Vade: " + frame(debug.Stack())
			s.Miss(file, MissedUnparsed, note)
		}
	}()
	part()
}

// frame returns the name of the function that panicked.
func frame(stack []byte) string {
	lines := strings.Split(string(stack), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "panic(") && i+2 < len(lines) {
			// The arguments start at the last parenthesis. A method name can contain earlier ones.
			name := lines[i+2][:max(strings.LastIndexByte(lines[i+2], '('), 0)]
			return name[strings.LastIndexByte(name, '/')+1:]
		}
	}
	return ""
}
