package vfs

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// benchTree creates a hundred directories with one file each, like a skills directory.
func benchTree(b *testing.B) (*Tree, []string) {
	b.Helper()
	dir := b.TempDir()
	var names []string
	for i := range 100 {
		name := fmt.Sprintf("skills/skill-%02d/SKILL.md", i)
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(file, make([]byte, 3000), 0o644); err != nil {
			b.Fatal(err)
		}
		names = append(names, name)
	}
	// Files changed shortly before or after the tree is opened are checked twice.
	time.Sleep(3 * clockLag)
	tree, err := Open(dir, Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { tree.Close() })
	return tree, names
}

// BenchmarkReadHead reads the heads of a hundred files, as a listing does.
func BenchmarkReadHead(b *testing.B) {
	tree, names := benchTree(b)
	buf := make([]byte, 2048)
	b.ReportAllocs()
	for b.Loop() {
		for _, name := range names {
			if _, _, err := tree.ReadHead(name, buf); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkReadDir reads the names of a hundred entries.
func BenchmarkReadDir(b *testing.B) {
	tree, _ := benchTree(b)
	b.ReportAllocs()
	for b.Loop() {
		if list, _, err := tree.ReadDir("skills", 1000); err != nil || len(list) != 100 {
			b.Fatal(len(list), err)
		}
	}
}

// BenchmarkResolve resolves a path with three elements and no symlinks.
func BenchmarkResolve(b *testing.B) {
	tree, names := benchTree(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := tree.Resolve(names[0]); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpenFile opens, reads and closes a hundred files.
func BenchmarkOpenFile(b *testing.B) {
	tree, names := benchTree(b)
	buf := make([]byte, 4096)
	b.ReportAllocs()
	for b.Loop() {
		for _, name := range names {
			h, err := tree.OpenFile(name)
			if err != nil {
				b.Fatal(err)
			}
			if n, err := h.Read(buf); n != 3000 || err != nil {
				b.Fatal(n, err)
			}
			h.Close()
		}
	}
}

// BenchmarkReadDirInfo reads the properties of a hundred entries.
func BenchmarkReadDirInfo(b *testing.B) {
	tree, _ := benchTree(b)
	b.ReportAllocs()
	for b.Loop() {
		if list, _, err := tree.ReadDirInfo("skills", 1000); err != nil || len(list) != 100 {
			b.Fatal(len(list), err)
		}
	}
}

// BenchmarkViewStat resolves a relative name with four elements.
func BenchmarkViewStat(b *testing.B) {
	tree, names := benchTree(b)
	v := NewView(ViewOptions{Trees: []*Tree{tree}, Dir: tree.Dir()})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := v.Stat("./" + names[0]); err != nil {
			b.Fatal(err)
		}
	}
}
