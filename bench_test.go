package vade_test

import (
	"context"
	"io"
	"testing"

	"github.com/vadehq/vade"
	"github.com/vadehq/vade/bench/tree"
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
		c, err := vade.Open(context.Background(), vade.Options{Dir: dir, Home: home, Getenv: func(string) string { return "" }})
		if err != nil {
			b.Fatal(err)
		}
		if err := c.WriteJSON(context.Background(), io.Discard, vade.Query{}); err != nil {
			b.Fatal(err)
		}
		c.Close()
	}
}
