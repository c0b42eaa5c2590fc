package parse_test

import (
	"context"
	"testing"

	"github.com/vadehq/vade/bench/tree"
	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/discover"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/parse"
	"github.com/vadehq/vade/internal/resolve"
)

const skills = 1000

func planOf(b *testing.B) *discover.Plan {
	b.Helper()
	dir := b.TempDir()
	if err := tree.Write(dir, tree.Options{Skills: skills, Seed: 1}); err != nil {
		b.Fatal(err)
	}
	plan, err := discover.NewPlan(context.Background(), discover.Environment{WorkDir: dir}, registry.Neutral())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(plan.Close)
	return plan
}

// BenchmarkDiscover walks a directory with a thousand skills and reads their heads.
func BenchmarkDiscover(b *testing.B) {
	plan := planOf(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := plan.Scan(context.Background(), func(*discover.Found) *definition.Definition { return nil }, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkParse walks, reads and parses a thousand skills.
func BenchmarkParse(b *testing.B) {
	plan := planOf(b)
	b.ReportAllocs()
	for b.Loop() {
		found, _, err := plan.Scan(context.Background(), parse.Parser(registry.Neutral(), "1.0.0"), nil)
		if err != nil || len(found) != skills {
			b.Fatal(len(found), err)
		}
	}
}

// BenchmarkFind looks up one skill by name among a thousand.
func BenchmarkFind(b *testing.B) {
	plan := planOf(b)
	parser := parse.Parser(registry.Neutral(), "1.0.0")
	b.ReportAllocs()
	for b.Loop() {
		found, _, err := plan.Find(context.Background(), parser, definition.Skill, tree.Name(1, 7))
		if err != nil || len(found) != 1 {
			b.Fatal(len(found), err)
		}
	}
}

// BenchmarkResolve resolves a thousand skills.
func BenchmarkResolve(b *testing.B) {
	plan := planOf(b)
	found, _, err := plan.Scan(context.Background(), parse.Parser(registry.Neutral(), "1.0.0"), nil)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		resolve.New(found, registry.Neutral())
	}
}
