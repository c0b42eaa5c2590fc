package coreutils

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/fstest"
)

func benchTree() memFS {
	tree := memFS{fstest.MapFS{"big.txt": {Data: []byte(strings.Repeat("a line of some words\n", 50_000))}}, nil}
	for i := range 200 {
		tree.MapFS[fmt.Sprintf("d%02d/f%03d.md", i%20, i)] = &fstest.MapFile{Data: []byte("x\n")}
	}
	return tree
}

// BenchmarkFiles runs whole command lines over 1 MiB of text and 200 files.
func BenchmarkFiles(b *testing.B) {
	tree := benchTree()
	for _, line := range []string{"cat big.txt", "cat -n big.txt", "head -n 5 big.txt", "tail -n 5 big.txt", "wc big.txt", "wc -l big.txt", "find . -name *.md", "ls -lR"} {
		b.Run(strings.ReplaceAll(line, " ", "_"), func(b *testing.B) {
			argv := strings.Fields(line)
			for b.Loop() {
				c, _ := Lookup(argv[0])
				p, err := c.Prepare(argv)
				if err != nil {
					b.Fatal(err)
				}
				if status := p.Run(context.Background(), &IO{FS: tree, Stdout: io.Discard, Stderr: io.Discard}); status != 0 {
					b.Fatal(status)
				}
			}
		})
	}
}

// BenchmarkPrepare is the cost of a decision alone.
func BenchmarkPrepare(b *testing.B) {
	for _, line := range []string{"pwd", "ls -la src", "find . -name *.md -type f -not -path */x/*"} {
		b.Run(strings.Fields(line)[0], func(b *testing.B) {
			argv := strings.Fields(line)
			for b.Loop() {
				c, _ := Lookup(argv[0])
				if _, err := c.Prepare(argv); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
