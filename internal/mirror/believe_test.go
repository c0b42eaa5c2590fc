package mirror

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/testenv"
)

// nothingMade knows of nothing that is made.
func nothingMade(Entry, []byte) bool { return false }

// claim writes a state that says of every file and link of a disk that it was made.
func claim(disk *memory, source string) {
	s := &State{Version: 1}
	for p, n := range disk.nodes {
		e := Entry{Path: p, Source: source, Hosts: []string{"a"}}
		switch n.typ {
		case 0:
			e.Digest = Digest([]byte(n.data))
		case 2:
			e.Link = n.link
		default:
			s.Dirs = append(s.Dirs, p)
			continue
		}
		s.Files = append(s.Files, e)
	}
	disk.write(StateFile, string(s.Format()))
}

// TestClaims: what only the state says was made is never removed, not with force either.
func TestClaims(t *testing.T) {
	files := map[string]string{
		".h/agents/mine.md": "---\nname: mine\n---\nMine.\n", ".h/rules/r.md": "Mine.\n", "HOST.md": "Mine.\n", ".mcp.json": "{}",
		".h/skills/x/SKILL.md": front, ".h/skills/x/n.txt": "n", "src/agents/a.md": front, "src/skills/s/SKILL.md": front,
	}
	for _, source := range []string{"", "src/agents/a.md", "src/skills/s", "gone.md", "gone/SKILL.md", "MCP servers"} {
		for _, force := range []bool{false, true} {
			for _, pending := range []bool{false, true} {
				t.Run(fmt.Sprint(source, force, pending), func(t *testing.T) {
					disk := newMemory(files)
					disk.nodes[".h/empty"] = &node{typ: 1}
					disk.nodes[".h/mine"] = &node{typ: 2, link: "../else.md"}
					disk.nodes[".h/s"] = &node{typ: 2, link: "../other/s"}
					disk.write("other/s/SKILL.md", front)
					before := disk.tree()
					claim(disk, source)
					if pending {
						n := disk.nodes[StateFile]
						n.data = strings.Replace(n.data, `"version": 1,`, `"version": 1, "pending": true,`, 1)
					}
					p := sync(t, disk, nil, Options{Force: force, Makes: nothingMade, Source: func(p string) bool { return strings.HasPrefix(p, "src/") }})
					if got := actions(p); got != "" {
						t.Errorf("steps: %s", got)
					}
					if !strings.Contains(problems(p), "SYNC_ORPHAN HOST.md") {
						t.Errorf("problems: %s", problems(p))
					}
					for _, s := range []string{StateFile, ".vade"} {
						delete(disk.nodes, s)
					}
					if disk.tree() != before {
						t.Errorf("there is\n%s\nwas\n%s", disk.tree(), before)
					}
				})
			}
		}
	}
}

// TestClaimedTexts: a file is no link, whatever the state says that a link there says.
func TestClaimedTexts(t *testing.T) {
	for _, text := range []bool{false, true} {
		disk := newMemory(map[string]string{"HOST.md": "Mine."})
		s := State{Version: 1, Files: []Entry{{Path: "HOST.md", Source: "src/HOST.md", Link: "Mine.", Hosts: []string{"a"}}}}
		disk.write(StateFile, string(s.Format()))
		sync(t, disk, nil, Options{TextLinks: text, Force: true})
		if disk.nodes["HOST.md"] == nil {
			t.Error("it is removed")
		}
	}
}

// TestForgedMark: a mark counts with an entry, or where it names what the file is made of.
func TestForgedMark(t *testing.T) {
	forged := string(Mark([]byte("---\nname: x\n---\nMine.\n"), Frontmatter, "gone.md"))
	disk := newMemory(map[string]string{".h/a.md": forged, "src/.h/a.md": front})
	has(t, sync(t, disk, []Want{made(".h/a.md", front)}, Options{}), "", "SYNC_FOREIGN .h/a.md")
	has(t, sync(t, disk, nil, Options{Force: true}), "", "")
	if disk.nodes[".h/a.md"].data != forged {
		t.Error("it was changed")
	}
	beside := Want{Path: ".h/x/n.txt", Data: []byte("n"), Source: "src/x/n.txt", Main: ".h/x/SKILL.md", Hosts: []string{"a"}}
	disk = newMemory(map[string]string{".h/x/SKILL.md": forged, ".h/x/n.txt": "n"})
	has(t, sync(t, disk, []Want{made(".h/x/SKILL.md", front), beside}, Options{}), "", "SYNC_FOREIGN .h/x/SKILL.md")
}

// TestBadDigests: an entry without a digest is none.
func TestBadDigests(t *testing.T) {
	for _, digest := range []string{"x", strings.Repeat("A", 64), strings.Repeat("0", 63), ""} {
		s, err := ParseState(fmt.Appendf(nil, `{"version": 1, "files": [{"path": "a", "hosts": ["h"], "sha256": %q}]}`, digest), good)
		if err == nil || len(s.Files) > 0 {
			t.Errorf("%q: %v %+v", digest, err, s.Files)
		}
	}
}

// TestSourceClaims: entries for sources count where something else shows what they say.
func TestSourceClaims(t *testing.T) {
	disk := newMemory(map[string]string{
		"src/mine.md": front, "src/made.md": string(Mark([]byte(front), Frontmatter, "src/x.md")),
		"src/k/SKILL.md": string(Mark([]byte(front), Frontmatter, "other/k/SKILL.md")), "src/k/n.txt": "n",
	})
	claim(disk, "other/k/n.txt")
	s, _, err := ReadState(disk, good)
	if err != nil {
		t.Fatal(err)
	}
	claims := s.Claims(disk, func(p string) bool { return strings.HasPrefix(p, "src/") }, func(Entry) bool { return false })
	if len(claims) != 1 || claims[0].Path != "src/mine.md" || len(s.Files) != 3 {
		t.Errorf("%+v\n%s", claims, s.Format())
	}
}

// TestLongState: what is written can be read again.
func TestLongState(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	s := &State{Version: 1, Pending: true}
	for i := range 90000 {
		s.Files = append(s.Files, Entry{Path: fmt.Sprintf("%05d/%s", i, strings.Repeat("x", 35)), Digest: Digest(nil), Hosts: []string{"a"}})
	}
	data, err := s.encode()
	if err != nil || len(data) > MaxState {
		t.Fatalf("%d bytes: %v", len(data), err)
	}
	again, err := ParseState(data, good)
	if err != nil || !bytes.Equal(again.Format(), s.Format()) {
		t.Errorf("%v", err)
	}
	for range 2 {
		s.Files = append(s.Files, s.Files...)
	}
	if data, err := s.encode(); err == nil {
		t.Errorf("%d bytes", len(data))
	}
}

// TestClaimedUpdates: what only the state says was made is not overwritten where what is
// made has a mark. Without one, and for what was the project's own, the state has to name
// the source that it is made of now.
func TestClaimedUpdates(t *testing.T) {
	const mine = "---\nname: x\n---\nMine.\n"
	beside := func(main Want) Want {
		return Want{Path: ".h/x/n.txt", Data: []byte("n"), Source: "src/.h/x/n.txt", Main: main.Path, Hosts: []string{"a"}}
	}
	marked, plain := made(".h/x/SKILL.md", front), file2(".h/x/SKILL.md", front)
	for name, test := range map[string]struct {
		files    map[string]string
		source   string
		adopted  bool
		wants    []Want
		makes    bool
		steps    string
		problems string
	}{
		"marked":             {map[string]string{".h/a.md": mine}, "src/.h/a.md", false, []Want{made(".h/a.md", front)}, false, "", "SYNC_FOREIGN .h/a.md"},
		"remade":             {map[string]string{".h/a.md": mine}, "src/.h/a.md", false, []Want{made(".h/a.md", front)}, true, "update .h/a.md", ""},
		"had no mark":        {map[string]string{".h/a.md": front}, "src/.h/a.md", false, []Want{made(".h/a.md", front)}, false, "update .h/a.md", ""},
		"unmarked":           {map[string]string{".h/a.md": mine}, "src/.h/a.md", false, []Want{file2(".h/a.md", front)}, false, "update .h/a.md", ""},
		"another source":     {map[string]string{".h/a.md": mine}, "src/b.md", false, []Want{file2(".h/a.md", front)}, false, "", "SYNC_FOREIGN .h/a.md"},
		"adopted":            {map[string]string{".h/a.md": mine}, "src/.h/a.md", true, []Want{made(".h/a.md", front)}, false, "update .h/a.md", ""},
		"adopted of another": {map[string]string{".h/a.md": mine}, "src/b.md", true, []Want{made(".h/a.md", front)}, false, "", "SYNC_FOREIGN .h/a.md"},
		"beside a mark": {map[string]string{".h/x/SKILL.md": string(Mark([]byte(mine), Frontmatter, marked.Source)), ".h/x/n.txt": "m"}, "src/.h/x/n.txt", false,
			[]Want{marked, beside(marked)}, false, "update .h/x/SKILL.md; update .h/x/n.txt", ""},
		"beside none":  {map[string]string{".h/x/SKILL.md": mine, ".h/x/n.txt": "m"}, "src/.h/x/n.txt", false, []Want{marked, beside(marked)}, false, "", "SYNC_FOREIGN .h/x/SKILL.md"},
		"beside plain": {map[string]string{".h/x/SKILL.md": front, ".h/x/n.txt": "m"}, "src/.h/x/n.txt", false, []Want{plain, beside(plain)}, false, "update .h/x/n.txt", ""},
	} {
		t.Run(name, func(t *testing.T) {
			disk := newMemory(test.files)
			s := State{Version: 1}
			for p, text := range test.files {
				e := Entry{Path: p, Source: test.source, Hosts: []string{"a"}, Digest: Digest([]byte(text)), Adopted: test.adopted}
				if p == ".h/x/SKILL.md" {
					e.Source = marked.Source
				}
				s.Files = append(s.Files, e)
			}
			disk.write(StateFile, string(s.Format()))
			p := sync(t, disk, test.wants, Options{Makes: func(Entry, []byte) bool { return test.makes }})
			has(t, p, test.steps, test.problems)
			for _, step := range p.Steps {
				if step.Adopted != test.adopted {
					t.Errorf("%+v", step)
				}
			}
		})
	}

	// A link of the project's own is one, whatever the state says.
	disk := newMemory(map[string]string{"else/n.txt": "n", "src/x/SKILL.md": front})
	disk.nodes[".h"], disk.nodes[".h/x"] = &node{typ: 1}, &node{typ: 2, link: "../else"}
	s := State{Version: 1, Files: []Entry{{Path: ".h/x", Source: "src/x", Link: "../else", Hosts: []string{"a"}}}}
	disk.write(StateFile, string(s.Format()))
	has(t, sync(t, disk, []Want{LinkTo(".h/x", "src/x", []string{"a"}, nil)}, Options{}), "", "SYNC_FOREIGN .h/x")
}
