package mirror

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/internal/testenv"
)

// TestProperty: whatever is wanted, was there and was edited, a run leaves what is
// not its own as it was, a second run does nothing, and a run that was killed is
// completed.
func TestProperty(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		disk := newMemory(map[string]string{"src/s/SKILL.md": front})
		disk.fold = rapid.Bool().Draw(t, "fold")
		own := map[string]string{}
		paths := rapid.SampledFrom([]string{".h/a.md", ".h/A.md", ".h/b/c.md", ".h/b/d.json", ".g/x/SKILL.md", ".g/x/n.txt", ".g/X/SKILL.md"})
		draw := func(label string) []Want {
			var wants []Want
			for _, p := range rapid.SliceOfNDistinct(paths, 0, 5, strings.ToLower).Draw(t, label) {
				w := made(p, front+rapid.SampledFrom([]string{"", "1\n"}).Draw(t, "text"))
				if rapid.Bool().Draw(t, "plain") {
					w = file2(p, rapid.SampledFrom([]string{"{}", "[]"}).Draw(t, "json"))
				}
				wants = append(wants, w)
			}
			if rapid.Bool().Draw(t, "link") {
				wants = append(wants, LinkTo(".g/x", "src/s", []string{"a"}, []Want{made(".g/x/SKILL.md", front)}))
			}
			return wants
		}
		for range rapid.IntRange(1, 5).Draw(t, "runs") {
			wants := draw("wants")
			p := rapid.SampledFrom([]string{".h/own.md", ".h/b/own.md", ".g/x/own.md", ".h/a.md"}).Draw(t, "own")
			if n, err := disk.get(p); rapid.Bool().Draw(t, "writes") && (err != nil || n.typ == 0) && parentsThere(disk, p) {
				// It may be a file that was made, and is edited now.
				disk.nodes[disk.name(p)] = &node{data: "mine"}
				own[disk.name(p)] = "mine"
			}
			disk.after = rapid.IntRange(-1, 12).Draw(t, "killed after")
			disk.changes = 0
			_, _ = try(disk, wants, Options{})
			disk2(disk)
			first := sync(t, disk, wants, Options{})
			tree := disk.tree()
			second := sync(t, disk, wants, Options{})
			if actions(second) != "" || disk.tree() != tree || problems(second) != problems(first) {
				t.Fatalf("the second run: %s / %s / %s", actions(second), problems(first), problems(second))
			}
			forced := disk.clone()
			sync(t, forced, wants, Options{Force: true})
			if again := sync(t, forced, wants, Options{}); actions(again) != "" || again.Recorded() {
				t.Fatalf("after one forced run: %s\n%s", actions(again), forced.tree())
			}
			for p, text := range own {
				if n := disk.nodes[p]; n == nil || n.data != text {
					t.Fatalf("%s is %+v\n%s", p, n, disk.tree())
				}
			}
		}
	})
}

func parentsThere(m *memory, p string) bool {
	for d := dir(p); d != "."; d = dir(d) {
		n := m.nodes[m.name(d)]
		if n == nil {
			m.nodes[m.name(d)] = &node{typ: 1}
		} else if n.typ != 1 {
			return false
		}
	}
	return true
}
