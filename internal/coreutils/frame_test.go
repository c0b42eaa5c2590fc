package coreutils

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/internal/testenv"
)

// memFS is an in-memory file system. Some base names are protected.
type memFS struct {
	fstest.MapFS
	closed []string
}

func (m memFS) name(op, name string, open bool) (string, error) {
	clean := strings.Trim(strings.TrimPrefix(name, "./"), "/")
	switch {
	case clean == "":
		clean = "."
	case !fs.ValidPath(clean):
		return "", &fs.PathError{Op: op, Path: name, Err: ErrOutside}
	}
	if open && slices.Contains(m.closed, baseName(clean)) {
		return "", &fs.PathError{Op: op, Path: name, Err: ErrProtected}
	}
	return clean, nil
}

func (m memFS) Open(name string) (File, error) {
	clean, err := m.name("open", name, true)
	if err != nil {
		return nil, err
	}
	return m.MapFS.Open(clean)
}

func (m memFS) ReadDir(name string) ([]fs.FileInfo, error) {
	clean, err := m.name("readdir", name, true)
	if err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(m.MapFS, clean)
	var infos []fs.FileInfo
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return nil, err
		}
		infos = append(infos, info)
	}
	return infos, err
}

func (m memFS) Stat(name string) (fs.FileInfo, error) {
	clean, err := m.name("stat", name, false)
	if err != nil {
		return nil, err
	}
	return m.MapFS.Stat(clean)
}

func (m memFS) Lstat(name string) (fs.FileInfo, error) {
	clean, err := m.name("lstat", name, false)
	if err != nil {
		return nil, err
	}
	return m.MapFS.Lstat(clean)
}

func (m memFS) Readlink(name string) (string, error) {
	clean, err := m.name("readlink", name, false)
	if err != nil {
		return "", err
	}
	return m.MapFS.ReadLink(clean)
}

func memTree() memFS {
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	return memFS{fstest.MapFS{
		"a.txt":      {Data: []byte("one\ntwo\n"), Mode: 0o644, ModTime: at},
		".env":       {Data: []byte("KEY=1\n"), Mode: 0o600, ModTime: at},
		"src/main.x": {Data: []byte("x\n"), Mode: 0o644, ModTime: at},
		".git/HEAD":  {Data: []byte("ref\n"), Mode: 0o644, ModTime: at},
	}, []string{".env", ".git"}}
}

// play runs a command line on an in-memory file system.
func play(t testing.TB, x *IO, line string) (out, errs string, status int) {
	t.Helper()
	argv := strings.Fields(line)
	c, ok := Lookup(argv[0])
	if !ok {
		t.Fatalf("no command %s", argv[0])
	}
	p, err := c.Prepare(argv)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	var o, e bytes.Buffer
	x.Stdout, x.Stderr = &o, &e
	status = p.Run(context.Background(), x)
	return o.String(), e.String(), status
}

func TestEveryNameIsACommand(t *testing.T) {
	own, programs := Names()
	for _, list := range [][]string{own, programs} {
		if !slices.IsSorted(list) {
			t.Errorf("names are not sorted: %q", list)
		}
	}
	list := slices.Sorted(slices.Values(slices.Concat(own, programs)))
	if len(slices.Compact(slices.Clone(list))) != len(list) {
		t.Errorf("names are not unique: %q", list)
	}
	for _, name := range list {
		c, ok := Lookup(name)
		if !ok || c.Name != name || c.Summary == "" {
			t.Errorf("%s: %+v %v", name, c, ok)
		}
		if c.HasFlag("--no-such-flag") || c.HasFlag("x") || c.HasFlag("-") || c.HasFlag("") {
			t.Errorf("%s takes a word that is no flag", name)
		}
		if p, err := c.Prepare([]string{name, "--help"}); err == nil && p.Run == nil {
			t.Errorf("%s: an unknown flag reaches the program", name)
		}
	}
	for _, name := range []string{"", "rm", "sh", "env", "awk", "ls "} {
		if _, ok := Lookup(name); ok {
			t.Errorf("%q is a command", name)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, line := range []string{
		"ls -Z", "ls --colour", "ls --color", "ls --color=always", "ls -lj", "ls --all=x", "ls -RL", "ls -I", "ls --sort=foo",
		"cat -x a", "cat --nosuch", "head -n", "head -n x", "head -n 1x", "head -c --", "head --lines", "head -n +-1",
		"tail -f a", "tail -F a", "tail --follow a", "tail --pid=1 a", "tail +1 a b -x", "wc --files0-from=x", "wc -x",
		"find . -exec rm {} ;", "find . -execdir x ;", "find . -ok x ;", "find . -okdir x ;", "find . -delete", "find . -fprint x",
		"find . -fprint0 x", "find . -fprintf x %p", "find . -fls x", "find . -ls", "find -L .", "find . -follow", "find . -name", "find . (", "find . )",
		"find . -name x y", "find . -type z", "find . -type", "find . -size x", "find . -size +", "find . -mtime x", "find . -perm u+x", "find . -printf %q",
		`find . -printf \c`, "find . -printf %T", "find . -printf %", "find . -printf %9999p", "find . -maxdepth x", "find . -maxdepth -1", "find . !", "find . -o", "find . -regextype nope", `find . -regex \(a\)\1`, "find . -files0-from x", "find . -nosuch",
		"[ x", "[", "test a b", "test a b c", "test -q x", "test ( x", "test a -ef b", "test -v x", "test x -a", "test -f a -a -f b", "test x -o y", "test ( ( x )",
		"uniq a b", "jq", "jq -f x a", "jq --arg x y .", "jq -L d .", "jq --slurpfile x f .", "jq --rawfile x f .", "jq . -- -x", "sort -o x a", "sort --files0-from=x", "sort --compress-program=x a", "sort -T x a", "stat -f a", "stat -c", "du --files0-from=x", "date 0102", "date -s x", "date -f x", "date -r x", "du -L", "du -X f",
		"realpath -x a", "pwd -x", "tree -o out", "tree -R", "tree --fromfile", "tree -l", "tree -H .",
		"diff -r a b", "diff --from-file=a b", "diff -l a b", "cmp --no a b", "sha256sum -c a", "md5sum --check a", "hostname x", "id x", "uname x", "whoami x", "nl -d x a", "tac -r a", "seq --help",
		"which -x a", "type -x a", "type -a a", "command -x a", "command -p ls",
	} {
		argv := strings.Fields(line)
		c, _ := Lookup(argv[0])
		_, err := c.Prepare(argv)
		var use *UsageError
		if !errors.As(err, &use) || use.Message == "" || use.Word < 0 || use.Word >= len(argv)+1 {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestUsageErrorNamesTheWord(t *testing.T) {
	for _, tt := range []struct {
		line string
		word int
	}{
		{"ls -l -Z x", 2}, {"ls a b --bad", 3}, {"head -n x", 2}, {"head -n1 -c z a", 3}, {"find . -type q", 3}, {"find . -delete", 2},
		{"find . -name x -exec rm", 4}, {"test -q x", 1}, {"test a -ef b", 2},
	} {
		argv := strings.Fields(tt.line)
		c, _ := Lookup(argv[0])
		_, err := c.Prepare(argv)
		var use *UsageError
		if !errors.As(err, &use) || use.Word != tt.word {
			t.Errorf("%s: %+v, want word %d", tt.line, use, tt.word)
		}
	}
}

func TestPathsAndRuns(t *testing.T) {
	for _, tt := range []struct {
		line  string
		paths []Path
		runs  [][]string
	}{
		{"ls", []Path{{0, "."}}, nil},
		{"ls -l a -- -b", []Path{{2, "a"}, {4, "-b"}}, nil},
		{"cat - a", []Path{{2, "a"}}, nil},
		{"cat", nil, nil},
		{"head -n 3 x", []Path{{3, "x"}}, nil},
		{"find", []Path{{0, "."}}, nil},
		{"test ! -d b", []Path{{3, "b"}}, nil},
		{"test a = b", nil, nil},
		{"[ -e x ]", []Path{{2, "x"}}, nil},
		{"stat -c %s a b", []Path{{3, "a"}, {4, "b"}}, nil},
		{"du", []Path{{0, "."}}, nil},
		{"tree -L 2 src", []Path{{3, "src"}}, nil},
		{"realpath --relative-to=x a", []Path{{2, "a"}, {1, "x"}}, nil},
		{"basename a/b", nil, nil},
		{"which ls ./x", []Path{{2, "./x"}}, nil},
		{"command -v ls", nil, nil},
		{"command ls -l a", nil, [][]string{{"ls", "-l", "a"}}},
		{": a b", nil, nil},
		{"pwd", nil, nil},
	} {
		argv := strings.Fields(tt.line)
		c, _ := Lookup(argv[0])
		p, err := c.Prepare(argv)
		if err != nil {
			t.Errorf("%s: %v", tt.line, err)
			continue
		}
		if !slices.Equal(p.Paths, tt.paths) || !slices.EqualFunc(p.Runs, tt.runs, slices.Equal) {
			t.Errorf("%s: %v %v, want %v %v", tt.line, p.Paths, p.Runs, tt.paths, tt.runs)
		}
	}
}

func TestHasFlag(t *testing.T) {
	for _, tt := range []struct {
		name, word string
		want       bool
	}{
		{"ls", "-l", true}, {"ls", "-la", true}, {"ls", "-lZ", false}, {"ls", "--all", true}, {"ls", "--all=1", false}, {"ls", "--color=never", true},
		{"ls", "--l", false}, {"date", "-Iseconds", true}, {"cut", "-d,", true}, {"diff", "-r", false}, {"sed", "-i", false}, {"head", "-5", true}, {"head", "-n5", true}, {"head", "-c", true}, {"head", "-5x", false}, {"wc", "-5", false},
		{"find", "-name", true}, {"find", "-exec", false}, {"find", "-delete", false}, {"find", "-n", false}, {"test", "-f", true}, {"test", "-ff", false},
		{"tail", "-f", false}, {"tail", "--follow", false}, {"head", "--lines=3", true}, {"pwd", "-P", true}, {"true", "-x", false},
	} {
		c, _ := Lookup(tt.name)
		if got := c.HasFlag(tt.word); got != tt.want {
			t.Errorf("%s %s: %v", tt.name, tt.word, got)
		}
	}
}

func TestProtectedStaysClosed(t *testing.T) {
	for _, tt := range []struct {
		line, out, errs string
		status          int
	}{
		{"cat .env", "", "cat: .env: protected by the policy\n", 1},
		{"head .env", "", "head: cannot open '.env' for reading: protected by the policy\n", 1},
		{"tail -n 1 .env", "", "tail: cannot open '.env' for reading: protected by the policy\n", 1},
		{"wc -l .env a.txt", " 2 a.txt\n 2 total\n", "wc: .env: protected by the policy\n", 1},
		{"find . -name .env", "./.env\n", "find: ‘./.git’: protected by the policy, skipped\n", 0},
		{"find . -type f", "./.env\n./a.txt\n./src/main.x\n", "find: ‘./.git’: protected by the policy, skipped\n", 0},
		{"ls -A", ".env\n.git\na.txt\nsrc\n", "", 0},
		{"ls .git", "", "ls: cannot open directory '.git': protected by the policy\n", 2},
		{"ls ../x", "", "ls: cannot access '../x': outside the project\n", 2},
		{"cat /etc/passwd ../x", "", "cat: /etc/passwd: No such file or directory\ncat: ../x: outside the project\n", 1},
		{"test -s .env", "", "", 0},
	} {
		out, errs, status := play(t, &IO{FS: memTree()}, tt.line)
		if out != tt.out || errs != tt.errs || status != tt.status {
			t.Errorf("%s: %d\n%s%s", tt.line, status, out, errs)
		}
	}
}

func TestListingWithoutOwners(t *testing.T) {
	x := &IO{FS: memTree(), Now: func() time.Time { return time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC) }, Location: time.FixedZone("X", 3600)}
	for line, want := range map[string]string{
		"ls -l a.txt": "-rw-r--r-- 1 - - 8 Mar  4 06:06 a.txt\n",
		"ls -l":       "total 1\n-rw-r--r-- 1 - - 8 Mar  4 06:06 a.txt\ndr-xr-xr-x 1 - - 0 Jan  1  0001 src\n",
		"pwd":         "/proj\n",
	} {
		x.Dir = "/proj"
		if out, errs, status := play(t, x, line); out != want || status != 0 {
			t.Errorf("%s: %d\n%s%s", line, status, out, errs)
		}
	}
	x.Now = func() time.Time { return time.Date(2027, 4, 1, 0, 0, 0, 0, time.UTC) }
	if out, _, _ := play(t, x, "ls -l a.txt"); out != "-rw-r--r-- 1 - - 8 Mar  4  2026 a.txt\n" {
		t.Errorf("old: %s", out)
	}
}

func TestNamesOfPrograms(t *testing.T) {
	look := func(name string) (string, bool) {
		if name == "git" || name == "ls" {
			return "/usr/bin/" + name, true
		}
		return "", false
	}
	for _, tt := range []struct {
		line, out string
		status    int
	}{
		{"which git ls", "/usr/bin/git\n/usr/bin/ls\n", 0},
		{"which git nope", "/usr/bin/git\n", 1},
		{"which", "", 1},
		{"which ./run a.txt", "./run\n", 1},
		{"command -v git", "/usr/bin/git\n", 0},
		{"command -v echo nope", "echo\n", 0},
		{"command -v nope", "", 1},
		{"command -v ./run", "./run\n", 0},
		{"type git", "git is /usr/bin/git\n", 0},
		{"command", "", 0},
		{"command git status", "ran git status\n", 7},
	} {
		tree := memTree()
		tree.MapFS["run"] = &fstest.MapFile{Mode: 0o755}
		x := &IO{FS: tree, LookPath: look}
		x.Exec = func(_ context.Context, argv []string, _ io.Reader) int {
			io.WriteString(x.Stdout, "ran "+strings.Join(argv, " ")+"\n")
			return 7
		}
		if out, _, status := play(t, x, tt.line); out != tt.out || status != tt.status {
			t.Errorf("%s: %d\n%s", tt.line, status, out)
		}
	}
}

// endless is a reader that never reaches EOF.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestBufferedInputIsLimited(t *testing.T) {
	for _, line := range []string{"tail -n 1", "tail -c 99999999", "head -n -1", "head -c -99999999"} {
		out, errs, status := play(t, &IO{FS: memTree(), Stdin: endless{}}, line)
		if status != 1 || out != "" || !strings.Contains(errs, "16 MiB") {
			t.Errorf("%s: %d %q", line, status, errs)
		}
	}
}

// shut is a writer for a pipe whose read end is closed.
type shut struct{}

func (shut) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestEndsWithItsReaderAndItsContext(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, line := range []string{"cat", "cat -n", "head -c 1073741824", "head -n 99999999", "tail -n +2", "tail -c +1"} {
		argv := strings.Fields(line)
		c, _ := Lookup(argv[0])
		p, err := c.Prepare(argv)
		if err != nil {
			t.Fatal(err)
		}
		var stdin io.Reader = endless{}
		if line == "tail -n +2" {
			stdin = io.MultiReader(strings.NewReader("x\n"), endless{})
		}
		if status := p.Run(context.Background(), &IO{FS: memTree(), Stdin: stdin, Stdout: shut{}}); status != exitPipe {
			t.Errorf("%s: %d without a reader", line, status)
		}
		if status := p.Run(cancelled, &IO{FS: memTree(), Stdin: endless{}, Stdout: io.Discard}); status != exitStopped {
			t.Errorf("%s: %d after the end", line, status)
		}
	}
	for _, line := range []string{"wc", "find .", "ls -R"} {
		argv := strings.Fields(line)
		c, _ := Lookup(argv[0])
		p, _ := c.Prepare(argv)
		if status := p.Run(cancelled, &IO{FS: memTree(), Stdin: endless{}, Stdout: io.Discard}); status != exitStopped {
			t.Errorf("%s: %d after the end", line, status)
		}
	}
}

// bottomless is an infinitely deep directory.
type bottomless struct {
	memFS
	wide int
}

// dirInfo describes a directory with the given name.
type dirInfo string

func (d dirInfo) Name() string     { return string(d) }
func (dirInfo) Size() int64        { return 0 }
func (dirInfo) Mode() fs.FileMode  { return fs.ModeDir | 0o755 }
func (dirInfo) ModTime() time.Time { return time.Time{} }
func (dirInfo) IsDir() bool        { return true }
func (dirInfo) Sys() any           { return nil }

func (b bottomless) ReadDir(string) ([]fs.FileInfo, error) {
	var infos []fs.FileInfo
	for i := range b.wide {
		infos = append(infos, dirInfo(rune('a'+i)))
	}
	return infos, nil
}

func (b bottomless) Lstat(string) (fs.FileInfo, error) { return dirInfo("d"), nil }
func (b bottomless) Stat(string) (fs.FileInfo, error)  { return dirInfo("d"), nil }

func TestRecursionEnds(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	for _, line := range []string{"ls -R d", "find d"} {
		for _, wide := range []int{1, 900} {
			_, errs, status := play(t, &IO{FS: bottomless{memTree(), wide}}, line)
			if status != 2 || strings.Count(errs, "too many entries") == 0 || strings.Count(errs, "\n") > 2 {
				t.Errorf("%s, %d wide: %d %.200s", line, wide, status, errs)
			}
		}
	}
}

// TestParseReadsWhatWasWritten writes flags in every form and parses them.
func TestParseReadsWhatWasWritten(t *testing.T) {
	s := Command{spec: "a|all b n|lines= w|when[=]"}
	testenv.Check(t, func(t *rapid.T) {
		var args, want []string
		for range rapid.IntRange(0, 6).Draw(t, "count") {
			value := rapid.StringMatching(`[a-z=0-9]{1,4}`).Draw(t, "value")
			forms := [][]string{{"-a"}, {"--all"}, {"-n" + value}, {"-n", value}, {"--lines=" + value}, {"--lines", value}, {"--when=" + value}, {"--when"}, {value}, {"-ab"}, {"-abn" + value}, {"-bn", value}}
			means := []string{"a", "a", "n=" + value, "n=" + value, "n=" + value, "n=" + value, "w=" + value, "w", ":" + value, "a b", "a b n=" + value, "b n=" + value}
			i := rapid.IntRange(0, len(forms)-1).Draw(t, "form")
			args = append(args, forms[i]...)
			want = append(want, strings.Fields(means[i])...)
		}
		p, err := s.parse(args)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, o := range p.options {
			if o.value != "" {
				o.id += "=" + o.value
			}
			got = append(got, o.id)
		}
		for _, o := range p.operands {
			if args[o.Word-1] != o.Name {
				t.Fatalf("%q is not word %d of %q", o.Name, o.Word, args)
			}
			got = append(got, ":"+o.Name)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("%q: %q, want %q", args, got, want)
		}
		for _, word := range args {
			if strings.HasPrefix(word, "-") && !s.HasFlag(word) {
				t.Fatalf("%q is not known as a flag", word)
			}
		}
	})
}
