package tree

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestWriteIsDeterministic(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	if err := Write(a, Options{Skills: 120, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	if err := Write(b, Options{Skills: 60, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	for i := range 60 {
		path := filepath.Join(SkillsDir, Name(1, i), "SKILL.md")
		x, err := os.ReadFile(filepath.Join(a, path))
		if err != nil {
			t.Fatal(err)
		}
		y, err := os.ReadFile(filepath.Join(b, path))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(x, y) || !bytes.Equal(x, Skill(1, i)) {
			t.Errorf("skill %d differs between trees", i)
		}
	}
	entries, err := os.ReadDir(filepath.Join(a, SkillsDir))
	if err != nil || len(entries) != 120 {
		t.Errorf("%d directories, %v", len(entries), err)
	}
	if info, err := os.Stat(filepath.Join(a, ".git")); err != nil || !info.IsDir() {
		t.Error("the tree has no .git directory")
	}
	if bytes.Equal(Skill(1, 0), Skill(2, 0)) {
		t.Error("the seed changes nothing")
	}
}

func TestSizes(t *testing.T) {
	total, front := 0, 0
	const n = 1000
	for i := range n {
		s := Skill(1, i)
		total += len(s)
		end := bytes.Index(s, []byte("\n---\n"))
		if !bytes.HasPrefix(s, []byte("---\nname: ")) || end < 0 {
			t.Fatalf("skill %d has no frontmatter:\n%s", i, s)
		}
		front += end
	}
	if mean := total / n; mean < 5000 || mean > 8000 {
		t.Errorf("the mean size is %d bytes, want about 6 KB", mean)
	}
	if mean := front / n; mean < 200 || mean > 500 {
		t.Errorf("the mean frontmatter is %d bytes", mean)
	}
}
