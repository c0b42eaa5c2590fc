package shell

import (
	"slices"
	"strings"
	"testing"
)

func TestListCommands(t *testing.T) {
	tests := []struct {
		text     string
		commands []string
		words    string // the words of the first command, separated by bars
		opaque   []Opaque
	}{
		{"", nil, "", nil},
		{"# nothing", nil, "", nil},
		{"ls", []string{"ls"}, "ls", nil},
		{"bash\necho b", []string{"bash", "echo b"}, "bash", nil},
		{"a && b || c; d & e | f", []string{"a", "b", "c", "d", "e", "f"}, "a", nil},
		{`git  log --format="%h \"x\"" 'a b' c\ d`, []string{`git  log --format="%h \"x\"" 'a b' c\ d`}, `git|log|--format=%h "x"|a b|c d`, nil},
		{"ls *.go '*' [", []string{"ls *.go '*' ["}, "ls|*.go|*|[", nil},
		{"X=1 Y='a b' make all", []string{"X=1 Y='a b' make all"}, "make|all", nil},
		{"echo a > out b 2>&1", []string{"echo a b"}, "echo|a|b", nil},
		{"echo a \\\n b", []string{"echo a b"}, "echo|a|b", nil},
		{"{ a; b; } > out", []string{"", "a", "b"}, "", nil},
		{"(a; b)", []string{"a", "b"}, "a", nil},
		{"if a; then b; else c; fi", []string{"a", "b", "c"}, "a", nil},
		{"while a; do b; done", []string{"a", "b"}, "a", nil},
		{"for x in 1 2; do a; done", []string{"a"}, "a", nil},
		{"time a b", []string{"a b"}, "a|b", nil},
		{"! a", []string{"a"}, "a", nil},
		{"echo $x", []string{"echo $x"}, "echo|$x", []Opaque{OpaqueVariable}},
		{`echo "a;b${IFS}c $(d)"`, []string{`echo "a;b${IFS}c $(d)"`}, "echo|a;b${IFS}c $(d)", []Opaque{OpaqueBraces, OpaqueSubstitution}},
		{"echo '$x'", []string{"echo '$x'"}, "echo|$x", nil},
		{"echo `x` $((1)) $'a' {a,b}", []string{"echo `x` $((1)) $'a' {a,b}"}, "echo|`x`|$((1))|$'a'|{a,b}",
			[]Opaque{OpaqueSubstitution, OpaqueOther, OpaqueOther, OpaqueOther}},
		{"cat <<E\nx\nE", []string{"cat"}, "cat", []Opaque{OpaqueOther}},
		{"cat <(a)", []string{"cat <(a)"}, "cat|<(a)", []Opaque{OpaqueOther}},
		{"f() { a; }", nil, "", []Opaque{OpaqueOther}},
		{"[[ a ]] && export X=1", nil, "", []Opaque{OpaqueOther, OpaqueOther}},
		{"case a in a) b;; esac", []string{"b"}, "b", nil},
		{"coproc a", nil, "", []Opaque{OpaqueOther}},
		{"X=$y", []string{"X=$y"}, "", []Opaque{OpaqueVariable}},
		{"echo a\rb\x00 \xff", []string{"echo a\rb\x00 \xff"}, "echo|a\rb\x00|\xff", nil},
	}
	for _, tt := range tests {
		o, err := ListCommands(tt.text)
		if err != nil {
			t.Errorf("%q: %v", tt.text, err)
			continue
		}
		var texts, words []string
		for _, c := range o.Commands {
			texts = append(texts, c.Text)
		}
		if len(o.Commands) > 0 {
			for _, w := range o.Commands[0].Words {
				words = append(words, w.Text)
			}
		}
		if !slices.Equal(texts, tt.commands) || strings.Join(words, "|") != tt.words || !slices.Equal(o.Opaque, tt.opaque) {
			t.Errorf("%q: commands %q words %q opaque %v, want %q %q %v", tt.text, texts, words, o.Opaque, tt.commands, tt.words, tt.opaque)
		}
	}
}

func TestListCommandsRedirects(t *testing.T) {
	o, err := ListCommands("a >x >>'y z' <in 2>&1 &>all >|w <<<text >&2 >&file 3<>rw")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range o.Commands[0].Redirects {
		text := r.File.Text
		if r.Writes {
			text = ">" + text
		}
		got = append(got, text)
	}
	if want := []string{">x", ">y z", "in", ">all", ">w", ">file", ">rw"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestListCommandsErrors(t *testing.T) {
	for _, text := range []string{"a &&", "echo 'x", "if a", strings.Repeat("(", 501), strings.Repeat("a ", maxList)} {
		if _, err := ListCommands(text); err == nil {
			t.Errorf("%.20q: no error", text)
		}
	}
}

func FuzzListCommands(f *testing.F) {
	for _, s := range []string{"a && b", "echo $x ${y} $(z)", "a > b <<E\nc\nE", "X=1 a \\\n b", "f() { :; }", "'a\\'\"b\"", "a\r\x00\xffb"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		o, err := ListCommands(s)
		if err != nil {
			return
		}
		for _, c := range o.Commands {
			for _, w := range c.Words {
				if !strings.Contains(s, w.Raw) {
					t.Errorf("%q has no word %q", s, w.Raw)
				}
			}
		}
	})
}
