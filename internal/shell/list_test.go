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
		words    string // words of the first command, separated by vertical bars
		opaque   []OpaqueKind
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
		{"{ a; b; } > out", []string{""}, "", []OpaqueKind{OpaqueGroup}},
		{"(a; b)", nil, "", []OpaqueKind{OpaqueSubshellCommands}},
		{"(a | b)", nil, "", []OpaqueKind{OpaqueSubshell}},
		{"if a; then b; else c; fi", []string{"a", "b", "c"}, "a", nil},
		{"while a; do b; done", []string{"a", "b"}, "a", nil},
		{"for x in 1 2; do a; done", []string{"a"}, "a", nil},
		{"time a b", []string{"time a b"}, "time|a|b", nil},
		{"! a", []string{"a"}, "a", nil},
		{"echo $x", []string{"echo $x"}, "echo|$x", []OpaqueKind{OpaqueVariable}},
		{`echo "a;b${IFS}c $(d)"`, []string{`echo "a;b${IFS}c $(d)"`, "d"}, "echo|a;b${IFS}c $(d)", []OpaqueKind{OpaqueBraces}},
		{`echo "$(d)" "$((1))"`, []string{`echo "$(d)" "$((1))"`}, "echo|$(d)|$((1))", []OpaqueKind{OpaqueQuoted, OpaqueQuoted}},
		{"echo '$x'", []string{"echo '$x'"}, "echo|$x", nil},
		{"echo `x` $((1)) $((y)) $'a' {a,b}", []string{"echo `x` $((1)) $((y)) $'a' {a,b}"}, "echo|`x`|$((1))|$((y))|$'a'|{a,b}",
			[]OpaqueKind{OpaqueSubstitution, OpaqueArithmetic, OpaqueEscapes, OpaqueBraceList}},
		{"cat <<E\nx\nE", []string{"cat"}, "cat", []OpaqueKind{OpaqueHeredoc}},
		{"cat <<'E'\n$x\nE", []string{"cat"}, "cat", nil},
		{"cat <(a)", []string{"cat <(a)"}, "cat|<(a)", []OpaqueKind{OpaqueProcess}},
		{"f() { a; }", nil, "", []OpaqueKind{OpaqueFunction}},
		{"[[ a ]] && export X=1", nil, "", []OpaqueKind{OpaqueOther}},
		{"case a in a) b;; esac", nil, "", []OpaqueKind{OpaqueCase}},
		{"coproc a", []string{"", "a"}, "coproc", nil},
		{"let x=1", []string{""}, "let", nil},
		{"X=$y", []string{"X=$y"}, "", []OpaqueKind{OpaqueAssignment, OpaqueVariable}},
		{"X=1 Y=2", []string{"X=1 Y=2"}, "", []OpaqueKind{OpaqueAssignments}},
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
		var opaque []OpaqueKind
		for _, part := range o.Opaque {
			opaque = append(opaque, part.Kind)
		}
		if len(o.Commands) > 0 {
			for _, w := range o.Commands[0].Words {
				words = append(words, w.Text)
			}
		}
		if !slices.Equal(texts, tt.commands) || strings.Join(words, "|") != tt.words || !slices.Equal(opaque, tt.opaque) {
			t.Errorf("%q: commands %q words %q opaque %v, want %q %q %v", tt.text, texts, words, opaque, tt.commands, tt.words, tt.opaque)
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
