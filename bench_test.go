package vade_test

import (
	"context"
	"io"
	"testing"

	"github.com/vadehq/vade/bench/tree"
	"github.com/vadehq/vade/internal/catalog"
)

// BenchmarkList lists a project of 10,000 skills and writes it as JSON.
func BenchmarkList(b *testing.B) {
	dir := b.TempDir()
	if err := tree.Write(dir, tree.Options{Skills: 10_000}); err != nil {
		b.Fatal(err)
	}
	home := b.TempDir()
	b.ReportAllocs()
	for b.Loop() {
		c, err := catalog.Open(context.Background(), catalog.Options{Dir: dir, Home: home, Getenv: func(string) string { return "" }})
		if err != nil {
			b.Fatal(err)
		}
		found, err := c.Overview(context.Background(), catalog.Query{})
		if err != nil {
			b.Fatal(err)
		}
		if err := found.WriteJSON(io.Discard); err != nil {
			b.Fatal(err)
		}
		c.Close()
	}
}
