package frontmatter

import (
	"testing"

	"github.com/vadehq/vade/diag"
)

// typical is frontmatter of about the median size in real files.
const typical = "---\nname: release-notes\ndescription: Writes release notes from the commits since the last tag. Use when a release is prepared, a changelog is asked for, or a version is bumped.\nallowed-tools: Read, Grep, Bash(git log:*)\nversion: 1.2.0\nmetadata:\n  author: Ada\n  category: writing\n---\n\n# Release notes\n\nRead the log first.\n"

func BenchmarkParseFast(b *testing.B) {
	f := diag.NewFile("SKILL.md", []byte(typical))
	d := neutral()
	b.ReportAllocs()
	for b.Loop() {
		doc, _ := Parse(f, true, d)
		if len(doc.Entries) != 5 {
			b.Fatal(doc)
		}
	}
}

func BenchmarkFlat(b *testing.B) {
	text := []byte("name: release-notes\ndescription: Writes release notes from the commits since the last tag. Use when a release is prepared, a changelog is asked for, or a version is bumped.\nallowed-tools: Read, Grep, Bash(git log:*)\n")
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := fast(nil, text, 0); !ok {
			b.Fatal("not fast")
		}
	}
}

func BenchmarkParseLibrary(b *testing.B) {
	block := Split([]byte(typical), true, neutral().Delimiters)
	text := []byte(typical)[block.Text.Start:block.Text.End]
	b.ReportAllocs()
	for b.Loop() {
		if d := load(text, 0); len(d.entries) != 5 {
			b.Fatal(d)
		}
	}
}

func BenchmarkSplit(b *testing.B) {
	d := neutral().Delimiters
	b.ReportAllocs()
	for b.Loop() {
		if !Split([]byte(typical), true, d).Found {
			b.Fatal("not found")
		}
	}
}

func BenchmarkRepair(b *testing.B) {
	f := diag.NewFile("SKILL.md", []byte("---\nname: tidy\ndescription: Use when: the desk is full\nargument-hint: [a] [b]\n---\n"))
	d := neutral()
	b.ReportAllocs()
	for b.Loop() {
		if doc, _ := Parse(f, true, d); !doc.Repaired {
			b.Fatal(doc)
		}
	}
}
