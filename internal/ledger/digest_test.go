package ledger

import (
	"os/exec"
	"strings"
	"testing"
)

// odd returns files whose names sort differently in each order that a digest uses.
func odd() []File {
	var files []File
	for _, name := range []string{
		"SKILL.md", "scripts/x.sh", "scripts/Y.sh", "a_b", "a-b", "A.md", "B.md", "e.md", "é.md", "f.md", "sp ace.md", "10.md", "9.md",
		".hidden/z", "日本.md", "ß.md", "ss.md", "._x", "(p).md", "[q].md", "+.md", "🚀.md", "zz.md", "a.b/c", "a/b", "a0",
	} {
		files = append(files, File{Path: name, Data: []byte("content of " + name), Executable: name == "scripts/x.sh"})
	}
	return files
}

// TestDigests compares the digests with those of the programs that define them. The values for npm
// skills come from version 1.7.4, and the value for the tree comes from git write-tree. The others
// come from Python implementations; ToolHive's own tests contain the values for one file.
func TestDigests(t *testing.T) {
	ignored := append(odd(), File{Path: "node_modules/n.js"}, File{Path: "x/.git/config"})
	for _, tc := range []struct{ name, got, want string }{
		{"computedHash", ComputedHash(odd()), "26b40ebba17c82d94178474f491590522325a2bd3a76bd9ff8143a50c8a89c1a"},
		{"computedHash without ignored directories", ComputedHash(ignored), "26b40ebba17c82d94178474f491590522325a2bd3a76bd9ff8143a50c8a89c1a"},
		{"wellKnownDigest", WellKnownDigest(odd()), "sha256:29596e27c448f121b259f19b1f36b89064d6cacbe881641004908e5efad6a9d8"},
		{"git", GitTree(odd()), "9bbfff07a9c154474c1705c3e0f695c4284a86d4"},
		{"contentDigest, all", ContentDigest(odd()), "sha256:0ab59088760b8ba56d25002377dd57a03527edd97d08244ebba144bf4421549f"},
		{"contentDigest, one", ContentDigest([]File{{Path: "a.txt", Data: []byte("hello world")}}), "sha256:79d1b89c9733bc5a3c51bd715612a85ab13add6933cb9aa7cc1ae44fd5d181a3"},
		{"deployed_file_hashes", FileSHA256([]byte("a\r\nb\rc\r\n")), "6f52afe4d39e9cf2a7c126277dd775264d5d47ac6af9ed8c6d2040c1839c45aa"},
		{"deployed_file_hashes, not UTF-8", FileSHA256([]byte("\xff\r\n")), "1320b5dc13aa91dbac6eabc346cb655592aef8244a8ed04b8c4b3bdd59b8af4c"},
		{"deployed_file_hashes, binary", FileSHA256([]byte("a\x00\r\n")), "cb01c1f5168d2e11b361afa7c49bb50850b9403f90797002f90d9195da3071bc"},
		{"contentDigest", ContentDigest([]File{{Path: "b", Data: []byte("2")}, {Path: "a", Data: []byte("1")}}), "sha256:d0e9fbf50d5b372c9a107077f95ba34cd5326f77c30c4e022ae9a60f91d192b2"},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, tc.got, tc.want)
		}
	}
}

// TestGitTree compares GitTree against the installed git.
func TestGitTree(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	run := func(stdin string, args ...string) string {
		t.Helper()
		cmd := exec.Command(git, append([]string{"-C", dir}, args...)...)
		cmd.Stdin = strings.NewReader(stdin)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	run("", "init", "-q")
	var index strings.Builder
	for _, f := range odd() {
		mode := "100644"
		if f.Executable {
			mode = "100755"
		}
		index.WriteString(mode + " " + run(string(f.Data), "hash-object", "-w", "--stdin") + "\t" + f.Path + "\x00")
	}
	run(index.String(), "update-index", "-z", "--index-info")
	if got, want := GitTree(odd()), run("", "write-tree"); got != want {
		t.Errorf("GitTree: %s, want %s", got, want)
	}
}

func TestSkills(t *testing.T) {
	const before = `{
  "version": 1,
  "skills": {
    "a": {
      "source": "o/r",
      "sourceType": "github",
      "computedHash": "1",
      "custom": {
        "x": [
          1
        ]
      }
    }
  },
  "other": true
}
`
	s, err := ParseSkills(SkillsPath, []byte(before))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(s.Format()); got != before {
		t.Errorf("unchanged: %s", got)
	}
	s.Set("B", SkillsEntry{Source: "o/<r>", SourceType: "github", Ref: "v1", ComputedHash: "2"})
	s.Set("a", SkillsEntry{Source: "o/r", SourceType: "github", ComputedHash: "3"})
	got := string(s.Format())
	for _, want := range []string{
		"\"skills\": {\n    \"B\": {\n      \"source\": \"o/<r>\",\n      \"ref\": \"v1\",\n      \"sourceType\": \"github\",\n      \"computedHash\": \"2\"\n    },\n    \"a\"",
		"\"computedHash\": \"3\",\n      \"custom\": {\n        \"x\": [",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in %s", want, got)
		}
	}
	for _, bad := range []string{"", "{", "[]", `{"version": 2, "skills": {}}`, `{"skills": {}}`, `{"version": 1, "skills": {"a": 1}}`} {
		if _, err := ParseSkills(SkillsPath, []byte(bad)); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestParse(t *testing.T) {
	l := (&Lock{}).With(&Record{Name: "b", Kind: "skill", Dir: ".agents/skills/b", Files: map[string]string{"SKILL.md": "0"}})
	data, err := l.Format()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse(append(data, "future: 1\n"...))
	if err != nil || again.Get("skill", "b") == nil {
		t.Fatalf("%v: %s", err, data)
	}
	if kept, _ := again.Format(); !strings.Contains(string(kept), "future: 1") {
		t.Errorf("an unknown key is lost: %s", kept)
	}
	for _, bad := range []string{
		"", "x", "version: 2\n", "version: 1\ndefinitions: [{name: a}]\n", "version: 1\ndefinitions: [null]\n",
		"version: 1\ndefinitions: [{name: a, dir: ../x, files: {a: b}}]\n", "version: 1\ndefinitions: [{name: a, dir: x, files: {/etc/passwd: b}}]\n",
		"version: 1\ndefinitions: [{name: a, dir: x, files: {a: b}, links: {../y: x}}]\n",
	} {
		if _, err := Parse([]byte(bad)); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}
