package mirror

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/vadehq/vade/diag"
)

func good(string) string { return "" }

// made returns a marked file that something wants.
func made(path, text string) Want {
	return Want{Path: path, Data: Mark([]byte(text), Frontmatter, "src/"+path), Source: "src/" + path, Hosts: []string{"a"}}
}

func file2(path, text string) Want {
	return Want{Path: path, Data: []byte(text), Source: "src/" + path, Hosts: []string{"a"}}
}

const front = "---\nname: x\n---\nBody.\n"

// sync plans and carries out what is wanted.
func sync(t interface {
	Helper()
	Fatalf(string, ...any)
}, disk *memory, wants []Want, o Options) *Plan {
	t.Helper()
	p, err := try(disk, wants, o)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return p
}

func try(disk *memory, wants []Want, o Options) (*Plan, error) {
	if o.Bad == nil {
		o.Bad = good
	}
	if o.Makes == nil {
		o.Makes = func(Entry, []byte) bool { return true }
	}
	state, _, err := ReadState(disk, good)
	if err != nil {
		return nil, err
	}
	p := Make(disk, state, slices.Clone(wants), o)
	return p, p.Apply(context.Background(), disk)
}

func actions(p *Plan) string {
	var list []string
	for _, s := range p.Steps {
		text := string(s.Action) + " " + s.Path
		if s.Forced {
			text += "!"
		}
		list = append(list, text)
	}
	return strings.Join(list, "; ")
}

func problems(p *Plan) string {
	var list []string
	for _, d := range p.Problems {
		list = append(list, string(d.Code)+" "+d.File)
	}
	return strings.Join(list, "; ")
}

func has(t *testing.T, p *Plan, steps, wrong string) {
	t.Helper()
	if got := actions(p); got != steps {
		t.Errorf("steps: %s\nwant:  %s", got, steps)
	}
	if got := problems(p); got != wrong {
		t.Errorf("problems: %s\nwant:     %s", got, wrong)
	}
}

func TestRuns(t *testing.T) {
	disk := newMemory(map[string]string{"src/skills/x/SKILL.md": front})
	before := disk.tree()
	wants := []Want{
		made(".h/agents/a.md", front), file2(".h/agents/b.json", "{}"), LinkTo(".h/skills/x", "src/skills/x", []string{"a"}, nil),
	}
	has(t, sync(t, disk, wants, Options{}), "create .h/agents/a.md; create .h/agents/b.json; link .h/skills/x", "")
	if n := disk.nodes[".h/skills/x"]; n == nil || n.link != "../../src/skills/x" {
		t.Errorf("the link is %+v", n)
	}
	after := disk.tree()
	p := sync(t, disk, wants, Options{})
	has(t, p, "", "")
	if p.Recorded() || p.Same != 3 || p.Own != 0 || disk.tree() != after {
		t.Errorf("the second run: recorded %v, same %d, own %d", p.Recorded(), p.Same, p.Own)
	}

	// A source that changes, one that goes and one that gets another name.
	changed := []Want{made(".h/agents/a.md", front+"More.\n"), LinkTo(".h/skills/y", "src/skills/x", []string{"a"}, nil)}
	has(t, sync(t, disk, changed, Options{}), "update .h/agents/a.md; remove .h/agents/b.json; unlink .h/skills/x; link .h/skills/y", "")
	has(t, sync(t, disk, nil, Options{}), "remove .h/agents/a.md; unlink .h/skills/y", "")
	if got := disk.tree(); got != before {
		t.Errorf("after all is removed there is\n%s\nwant\n%s", got, before)
	}
}

func TestEdited(t *testing.T) {
	disk := newMemory(nil)
	wants := []Want{made(".h/a.md", front), file2(".h/b.json", "{}")}
	sync(t, disk, wants, Options{})
	for _, p := range []string{".h/a.md", ".h/b.json"} {
		disk.nodes[p].data += "mine"
	}
	edited := disk.tree()
	wants[0] = made(".h/a.md", front+"More.\n")
	for range 2 {
		p := sync(t, disk, wants, Options{})
		has(t, p, "", "SYNC_EDITED .h/a.md; SYNC_EDITED .h/b.json")
	}
	has(t, sync(t, disk, nil, Options{}), "", "SYNC_EDITED .h/a.md; SYNC_EDITED .h/b.json")
	if disk.tree() != edited {
		t.Errorf("something was changed:\n%s", disk.tree())
	}
	has(t, sync(t, disk.clone(), nil, Options{Force: true}), "remove .h/a.md!", "SYNC_EDITED .h/b.json")
	has(t, sync(t, disk.clone(), nil, Options{Force: true, Only: []string{".h/b.json"}}), "remove .h/b.json!", "SYNC_EDITED .h/a.md")
	has(t, sync(t, disk, wants, Options{Force: true}), "update .h/a.md!; update .h/b.json!", "")
	has(t, sync(t, disk, wants, Options{}), "", "")
}

func TestForeign(t *testing.T) {
	link := LinkTo(".h/skills/x", "src/skills/x", []string{"a"}, []Want{made(".h/skills/x/SKILL.md", front)})
	for _, test := range []struct {
		name         string
		files, links map[string]string
		wants        []Want
		steps, wrong string
		forced       string
	}{
		{"file", map[string]string{".h/a.md": "mine"}, nil, []Want{made(".h/a.md", front)}, "", "SYNC_FOREIGN .h/a.md", "update .h/a.md!"},
		{"the same file", map[string]string{".h/a.md": front}, nil, []Want{made(".h/a.md", front)}, "", "", ""},
		{"companion", map[string]string{".h/x/SKILL.md": "mine"}, nil,
			[]Want{made(".h/x/SKILL.md", front), {Path: ".h/x/A.txt", Data: []byte("x"), Main: ".h/x/SKILL.md", Hosts: []string{"a"}}},
			"", "SYNC_FOREIGN .h/x/SKILL.md", "create .h/x/A.txt; update .h/x/SKILL.md!"},
		{"link", nil, map[string]string{".h/a.md": "../../else.md"}, []Want{made(".h/a.md", front)},
			"", "SYNC_FOREIGN .h/a.md", "unlink .h/a.md!; create .h/a.md"},
		{"link in the path", nil, map[string]string{".h": "else"}, []Want{made(".h/a.md", front)}, "", "SYNC_BLOCKED .h/a.md", ""},
		{"link out", nil, map[string]string{".h": "../else"}, []Want{link}, "", "SYNC_BLOCKED .h/skills/x", ""},
		{"link to the source", map[string]string{"src/skills/x/SKILL.md": front}, map[string]string{".h/skills": "../src/skills"}, []Want{link}, "", "", ""},
		{"another link to the source", map[string]string{"src/skills/x/SKILL.md": front}, map[string]string{".h/skills/x": "../../src/../src/skills/x"}, []Want{link}, "", "", ""},
		{"file in the path", map[string]string{".h": "mine"}, nil, []Want{made(".h/a.md", front)}, "", "SYNC_BLOCKED .h/a.md", ""},
		{"directory", map[string]string{".h/a.md/b": "mine"}, nil, []Want{made(".h/a.md", front)}, "", "SYNC_BLOCKED .h/a.md", ""},
		{"directory of its own", map[string]string{".h/skills/x/SKILL.md": "mine"}, nil, []Want{link},
			"", "SYNC_FOREIGN .h/skills/x/SKILL.md", "link .h/skills/x; remove .h/skills/x/SKILL.md!"},
		{"directory with the same", map[string]string{".h/skills/x/SKILL.md": front}, nil, []Want{link}, "", "", ""},
		{"directory with more", map[string]string{".h/skills/x/NOTES.md": "mine"}, nil, []Want{link}, "create .h/skills/x/SKILL.md", "", ""},
		{"clash", nil, nil, []Want{made(".h/a.md", front), made(".h/a.md", front+"x")}, "create .h/a.md", "SYNC_CLASH .h/a.md", ""},
		{"clash of case", nil, nil, []Want{made(".h/A.md", front), made(".h/a.md", front)}, "create .h/A.md", "SYNC_CLASH .h/a.md", ""},
		{"clash with a link", nil, nil, []Want{link, made(".h/skills/x/SKILL.md", front)}, "link .h/skills/x", "SYNC_CLASH .h/skills/x/SKILL.md", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			disk := newMemory(test.files)
			for p, target := range test.links {
				disk.write(p, "")
				disk.nodes[p] = &node{typ: 2, link: target}
			}
			forced := disk.clone()
			p := sync(t, disk, test.wants, Options{})
			has(t, p, test.steps, test.wrong)
			again := sync(t, disk, test.wants, Options{})
			has(t, again, "", test.wrong)
			if test.forced != "" {
				has(t, sync(t, forced, test.wants, Options{Force: true}), test.forced, "")
				has(t, sync(t, forced, test.wants, Options{}), "", "")
			}
			// What was not made does not go when nothing is wanted.
			sync(t, disk, nil, Options{})
			for name, text := range test.files {
				if n := disk.nodes[name]; n == nil || n.data != text {
					t.Errorf("%s is %+v", name, n)
				}
			}
			for name, target := range test.links {
				if n := disk.nodes[name]; n == nil || n.link != target {
					t.Errorf("%s is %+v", name, n)
				}
			}
		})
	}
}

func TestCaseRename(t *testing.T) {
	for _, fold := range []bool{false, true} {
		t.Run(fmt.Sprint(fold), func(t *testing.T) {
			disk := newMemory(map[string]string{"src/skills/x/SKILL.md": front})
			disk.fold = fold
			old := []Want{made(".h/agents/Deploy.md", front), made(".h/skills/Deploy/SKILL.md", front), LinkTo(".h/l/X", "src/skills/x", []string{"a"}, nil)}
			now := []Want{made(".h/agents/deploy.md", front), made(".h/skills/deploy/SKILL.md", front), LinkTo(".h/l/x", "src/skills/x", []string{"a"}, nil)}
			sync(t, disk, old, Options{})
			p := sync(t, disk, now, Options{})
			has(t, p, "remove .h/agents/Deploy.md; create .h/agents/deploy.md; unlink .h/l/X; link .h/l/x; remove .h/skills/Deploy/SKILL.md; create .h/skills/deploy/SKILL.md", "")
			for _, p := range []string{".h/agents/deploy.md", ".h/skills/deploy/SKILL.md", ".h/l/x"} {
				if disk.nodes[p] == nil {
					t.Errorf("%s is not there:\n%s", p, disk.tree())
				}
			}
			if strings.Contains(disk.tree(), "Deploy/") {
				t.Errorf("the old directory is there:\n%s", disk.tree())
			}
			has(t, sync(t, disk, now, Options{}), "", "")

			// A file of the project's own that differs in its case is not taken for ours.
			disk = newMemory(map[string]string{".h/agents/DEPLOY.md": "mine"})
			disk.fold = fold
			p = sync(t, disk, now[:1], Options{})
			if want := map[bool]string{true: "SYNC_BLOCKED .h/agents/deploy.md"}[fold]; problems(p) != want {
				t.Errorf("problems: %s", problems(p))
			}
			if disk.nodes[".h/agents/DEPLOY.md"].data != "mine" {
				t.Error("it was overwritten")
			}
		})
	}
}

func TestScope(t *testing.T) {
	disk := newMemory(nil)
	a, b := made(".a/x.md", front), made(".b/x.md", front)
	b.Hosts = []string{"b"}
	both := []Want{a, b}
	sync(t, disk, both, Options{})
	has(t, sync(t, disk, nil, Options{Scope: []string{"b"}}), "remove .b/x.md", "")
	has(t, sync(t, disk, []Want{b}, Options{Scope: []string{"b"}}), "create .b/x.md", "")
	has(t, sync(t, disk, both, Options{}), "", "")
	has(t, sync(t, disk, []Want{b}, Options{}), "remove .a/x.md", "")

	// A file of two hosts goes with the second.
	shared := made(".c/x.md", front)
	shared.Hosts = []string{"a", "b"}
	sync(t, disk, []Want{shared}, Options{})
	has(t, sync(t, disk, nil, Options{Scope: []string{"a"}}), "", "")
	has(t, sync(t, disk, nil, Options{Scope: []string{"b"}}), "remove .c/x.md", "")
}

func TestLostState(t *testing.T) {
	disk := newMemory(map[string]string{"src/skills/x/SKILL.md": front})
	wants := []Want{
		made(".h/a/SKILL.md", front), {Path: ".h/a/n.txt", Source: "src/.h/a/n.txt", Data: []byte("n"), Main: ".h/a/SKILL.md", Hosts: []string{"a"}},
		LinkTo(".h/skills/x", "src/skills/x", []string{"a"}, nil),
	}
	sync(t, disk, wants, Options{})
	delete(disk.nodes, StateFile)
	has(t, sync(t, disk, wants, Options{}), "", "")
	has(t, sync(t, disk, nil, Options{}), "remove .h/a/SKILL.md; remove .h/a/n.txt; unlink .h/skills/x", "")

	// What a mark says is believed where the rest is as it was made.
	disk = newMemory(map[string]string{".h/a.md": string(made(".h/a.md", front).Data)})
	has(t, sync(t, disk, []Want{made(".h/a.md", front+"More.\n")}, Options{}), "update .h/a.md", "")
	disk = newMemory(map[string]string{".h/a.md": string(made(".h/a.md", front).Data) + "mine"})
	has(t, sync(t, disk, []Want{made(".h/a.md", front+"More.\n")}, Options{}), "", "SYNC_EDITED .h/a.md")
}

// TestTextLinks: git writes the text of a link where it makes none.
func TestTextLinks(t *testing.T) {
	disk := newMemory(map[string]string{"src/skills/x/SKILL.md": front})
	sync(t, disk, []Want{LinkTo(".h/skills/x", "src/skills/x", []string{"a"}, nil)}, Options{})
	disk.nodes[".h/skills/x"] = &node{data: "../../src/skills/x"}
	has(t, sync(t, disk.clone(), []Want{made(".h/skills/x/SKILL.md", front)}, Options{TextLinks: true}), "remove .h/skills/x; create .h/skills/x/SKILL.md", "")
	// Where git makes links, a file is none.
	has(t, sync(t, disk, []Want{made(".h/skills/x/SKILL.md", front)}, Options{}), "", "SYNC_EDITED .h/skills/x; SYNC_BLOCKED .h/skills/x/SKILL.md")
}

func TestNoLinks(t *testing.T) {
	disk := newMemory(map[string]string{"src/skills/x/SKILL.md": front})
	disk.noLinks = true
	if _, err := try(disk, []Want{LinkTo(".h/skills/x", "src/skills/x", []string{"a"}, nil)}, Options{}); !errors.Is(err, ErrNoLinks) {
		t.Fatalf("the error is %v", err)
	}
	has(t, sync(t, disk, []Want{made(".h/skills/x/SKILL.md", front)}, Options{}), "create .h/skills/x/SKILL.md", "")
}

func TestBadPaths(t *testing.T) {
	disk := newMemory(nil)
	p := sync(t, disk, []Want{made("bad/x.md", front)}, Options{Bad: func(p string) string { return "is bad" }})
	has(t, p, "", "SYNC_BLOCKED src/bad/x.md")
	if p.Problems[0].Fix == "" || p.Problems[0].Severity != diag.Error {
		t.Errorf("%+v", p.Problems[0])
	}
}

// TestKilled ends the process after each change, and runs again.
func TestKilled(t *testing.T) {
	files := map[string]string{"src/skills/x/SKILL.md": front, ".h/own.md": "mine"}
	first := []Want{made(".h/agents/Old.md", front), file2(".h/deep/er/c.json", "{}"), LinkTo(".h/skills/x", "src/skills/x", []string{"a"}, nil), made(".h/k/y/SKILL.md", front)}
	second := []Want{
		made(".h/agents/old.md", front), made(".h/agents/new.md", front), made(".h/skills/x/SKILL.md", front+"z"),
		LinkTo(".h/k/y", "src/skills/x", []string{"a"}, nil), file2(".h/deep/er/c.json", "{1}"),
	}
	for _, fold := range []bool{false, true} {
		start := newMemory(files)
		start.fold = fold
		sync(t, start, first, Options{})
		want := start.clone()
		has(t, sync(t, want, second, Options{}), "remove .h/agents/Old.md; create .h/agents/new.md; create .h/agents/old.md; update .h/deep/er/c.json; link .h/k/y; remove .h/k/y/SKILL.md; unlink .h/skills/x; create .h/skills/x/SKILL.md", "")
		kills := 0
		for k := 0; ; k++ {
			disk := start.clone()
			disk.after = k
			if _, err := try(disk, second, Options{}); err == nil {
				break
			}
			kills++
			killed := disk.clone()
			again := sync(t, disk2(disk), second, Options{})
			if again.Problems != nil {
				t.Errorf("killed after %d changes: %s\n%s", k, problems(again), killed.tree())
			}
			disk = disk2(disk)
			if disk.tree() != want.tree() {
				t.Errorf("killed after %d changes, and run again:\n%s\nwant\n%s", k, disk.tree(), want.tree())
			}
			// The user may also take back what was changed: nothing stays behind.
			back := killed
			sync(t, back, nil, Options{})
			if got, all := back.tree(), newMemory(files).tree(); got != all {
				t.Errorf("killed after %d changes, and all taken back:\n%s\nwant\n%s", k, got, all)
			}
		}
		if kills < 10 {
			t.Errorf("only %d places to end at", kills)
		}
	}
}

// disk2 is a disk whose process was started again.
func disk2(m *memory) *memory {
	m.after, m.changes = -1, 0
	return m
}
