package mirror

import (
	"testing"

	"github.com/vadehq/vade/internal/vfs"
)

// TestOwnLink: a link of the project's own to the source is as good as a copy where the
// hosts follow it and read the same there, and else in the way.
func TestOwnLink(t *testing.T) {
	const other = "---\nname: a\ntools: Read\n---\nA.\n"
	for name, test := range map[string]struct {
		source  string
		noLinks bool
		alike   bool
		force   bool
		steps   string
		problem string
	}{
		"the same":                 {source: front},
		"alike to the host":        {source: other, alike: true},
		"read otherwise":           {source: other, problem: "SYNC_FOREIGN .h/a.md"},
		"no links followed":        {source: front, noLinks: true, problem: "SYNC_FOREIGN .h/a.md"},
		"read otherwise, by force": {source: other, force: true, steps: "unlink .h/a.md!; create .h/a.md"},
	} {
		t.Run(name, func(t *testing.T) {
			disk := newMemory(map[string]string{"src/.h/a.md": test.source, ".h/.keep": ""})
			disk.nodes[".h/a.md"] = &node{typ: vfs.Link, link: "../src/.h/a.md"}
			want := made(".h/a.md", front)
			want.NoLinks = test.noLinks
			want.Alike = func([]byte) bool { return test.alike }
			p := sync(t, disk, []Want{want}, Options{Force: test.force})
			has(t, p, test.steps, test.problem)
			if own := test.problem == "" && !test.force; (p.Own == 1) != own {
				t.Errorf("own %d", p.Own)
			}
		})
	}
}

// TestOwnLinkAbove: the same of a link to the directory that a source is in.
func TestOwnLinkAbove(t *testing.T) {
	for source, problem := range map[string]string{front: "", "else": "SYNC_BLOCKED .h/a.md"} {
		disk := newMemory(map[string]string{"src/.h/a.md": source})
		disk.nodes[".h"] = &node{typ: vfs.Link, link: "src/.h"}
		has(t, sync(t, disk, []Want{made(".h/a.md", front)}, Options{Force: true}), "", problem)
	}
}

// TestConflicted: a copy with the marks of a merge is named as such, and can be made
// again.
func TestConflicted(t *testing.T) {
	disk := newMemory(map[string]string{"src/.h/a.md": front})
	wants := []Want{made(".h/a.md", front)}
	sync(t, disk, wants, Options{})
	for text, marks := range map[string]bool{
		"<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n": true, "<<<<<<< HEAD\na\n": false, "Title\n=======\n>>>>>>> x\n": false, "": false,
	} {
		if conflicted([]byte(text)) != marks {
			t.Errorf("%q", text)
		}
	}
	disk.nodes[".h/a.md"].data += "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n"
	has(t, sync(t, disk, wants, Options{}), "", "SYNC_EDITED .h/a.md")
	delete(disk.nodes, StateFile)
	disk.nodes[".h/a.md"].data = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n"
	has(t, sync(t, disk, wants, Options{}), "", "SYNC_FOREIGN .h/a.md")
	has(t, sync(t, disk, wants, Options{Force: true}), "update .h/a.md!", "")
}
