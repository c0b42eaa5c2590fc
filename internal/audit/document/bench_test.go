package document

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/audit/signal"
)

// ordinary is the text of an ordinary skill.
var ordinary = "---\nname: notes\ndescription: Keeps notes.\n---\n" + strings.Repeat("# Notes\n\nKeep the notes of each day in `notes.md`, and sort them by their names.\n\n"+
	"- Open the file.\n- Add a line with the date 2024-05-01.\n\n```\ngit status\npython3 scripts/sort.py --all notes.md\n```\n\n| a | b |\n|---|---|\n| c | `d` |\n\n", 30)

const script = "#!/usr/bin/env python3\n# Sorts the notes of a day.\nimport sys\n\n\ndef main():\n    \"\"\"Read all lines, and write them sorted.\"\"\"\n    print(sorted(sys.stdin))\n"

func benchmark(b *testing.B, files ...string) {
	size := 0
	for i := 1; i < len(files); i += 2 {
		size += len(files[i])
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		set := &signal.Set{Package: packed(files...)}
		all(set, Read(set))
	}
}

func BenchmarkOrdinary(b *testing.B) {
	benchmark(b, "SKILL.md", ordinary, "scripts/sort.py", strings.Repeat(script, 20))
}

func BenchmarkLarge(b *testing.B) {
	files := []string{"SKILL.md", ordinary}
	for i := range 4 {
		files = append(files, fmt.Sprintf("docs/%d.md", i), strings.Repeat(ordinary[40:], 1<<20/len(ordinary)), fmt.Sprintf("scripts/%d.py", i), strings.Repeat(script, 256<<10/len(script)))
	}
	benchmark(b, files...)
}
