package mirror

import (
	"testing"
)

// TestAdopted: a file of the project's own that says the same is kept in step from
// then on, and never removed without force.
func TestAdopted(t *testing.T) {
	disk := newMemory(map[string]string{".h/a.md": front, "src/.h/a.md": front})
	wants := []Want{made(".h/a.md", front)}
	p := sync(t, disk, wants, Options{})
	has(t, p, "", "")
	if p.Own != 1 || !p.State.Adopted(".h/a.md") {
		t.Errorf("own %d: %s", p.Own, p.State.Format())
	}
	again := sync(t, disk, wants, Options{})
	has(t, again, "", "")
	if again.Recorded() || again.Own != 1 {
		t.Errorf("recorded again: %s", again.State.Format())
	}

	// The source changes; then the file is edited; then the source goes.
	changed := []Want{made(".h/a.md", front+"More.\n")}
	has(t, sync(t, disk, changed, Options{}), "update .h/a.md", "")
	has(t, sync(t, disk, changed, Options{}), "", "")
	edited := disk.clone()
	edited.nodes[".h/a.md"].data += "mine"
	has(t, sync(t, edited, changed, Options{}), "", "SYNC_EDITED .h/a.md")
	delete(disk.nodes, "src/.h/a.md")
	for range 2 {
		has(t, sync(t, disk, nil, Options{}), "", "SYNC_FOREIGN .h/a.md")
	}
	has(t, sync(t, disk, nil, Options{Force: true, Only: []string{".h/b.md"}}), "", "SYNC_FOREIGN .h/a.md")
	has(t, sync(t, disk, nil, Options{Force: true, Only: []string{".h"}}), "", "SYNC_FOREIGN .h/a.md")
	has(t, sync(t, disk, nil, Options{Force: true, Only: []string{".h/a.md"}}), "remove .h/a.md!", "")

	// Where the source is there and no copy is wanted, the file is the project's again.
	disk = newMemory(map[string]string{".h/a.md": front, "src/.h/a.md": front})
	sync(t, disk, wants, Options{})
	has(t, sync(t, disk, nil, Options{Force: true}), "", "")
	if disk.nodes[".h/a.md"] == nil || disk.nodes[StateFile] != nil {
		t.Errorf("there is\n%s", disk.tree())
	}
}

// TestAdoptedDirectory: a directory of the project's own with the same in it stays a
// directory.
func TestAdoptedDirectory(t *testing.T) {
	files := map[string]string{"src/x/SKILL.md": front, "src/x/n.txt": "n", ".h/x/SKILL.md": front, ".h/x/n.txt": "n"}
	link := LinkTo(".h/x", "src/x", []string{"a"}, []Want{
		{Path: ".h/x/SKILL.md", Data: Mark([]byte(front), Frontmatter, "src/x/SKILL.md"), Source: "src/x/SKILL.md", Hosts: []string{"a"}},
		{Path: ".h/x/n.txt", Data: []byte("n"), Source: "src/x/n.txt", Main: ".h/x/SKILL.md", Hosts: []string{"a"}},
	})
	disk := newMemory(files)
	for range 2 {
		has(t, sync(t, disk, []Want{link}, Options{}), "", "")
	}
	link.Else[1].Data = []byte("m")
	has(t, sync(t, disk, []Want{link}, Options{}), "update .h/x/n.txt", "")
	has(t, sync(t, disk, []Want{link}, Options{}), "", "")

	// By force it becomes a link, in one run.
	has(t, sync(t, disk, []Want{link}, Options{Force: true}), "link .h/x; remove .h/x/SKILL.md!; remove .h/x/n.txt!", "")
	has(t, sync(t, disk, []Want{link}, Options{}), "", "")
}

// TestForcedPaths: only what is named is overwritten.
func TestForcedPaths(t *testing.T) {
	disk := newMemory(map[string]string{".h/a.md": "mine", ".h/b.md": "mine", ".h/ab.md": "mine"})
	wants := []Want{made(".h/a.md", front), made(".h/ab.md", front), made(".h/b.md", front)}
	has(t, sync(t, disk, wants, Options{Force: true, Only: []string{".h/a.md"}}), "update .h/a.md!", "SYNC_FOREIGN .h/ab.md; SYNC_FOREIGN .h/b.md")
	has(t, sync(t, disk, wants, Options{Force: true, Only: []string{".h"}}), "update .h/ab.md!; update .h/b.md!", "")
}
