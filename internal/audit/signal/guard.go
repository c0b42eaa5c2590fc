package signal

import (
	"fmt"
	"runtime/debug"
	"strings"
)

// Guard calls part, which audits a part of a file. If part panics, possibly because the file is
// designed to cause a panic, Guard records that the audit of the file failed. The audit of other
// files continues.
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

// frame returns the name of the function that panicked, given a stack trace. It returns "" if the
// name cannot be found.
func frame(stack []byte) string {
	lines := strings.Split(string(stack), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "panic(") && i+2 < len(lines) {
			// The arguments start at the last opening parenthesis. The name of a method can contain
			// an earlier one.
			name := lines[i+2][:max(strings.LastIndexByte(lines[i+2], '('), 0)]
			return name[strings.LastIndexByte(name, '/')+1:]
		}
	}
	return ""
}
