package body

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/vadehq/vade/internal/chars"

	"github.com/vadehq/vade/internal/testenv"
)

func segments(text string, opts Options) []Segment { return slices.Collect(Scan(text, opts)) }

// show formats a segment for the tests: the first letter of its kind, its
// position, its source and its meaning.
func show(text string, s Segment) string {
	at := ""
	for _, f := range []struct {
		on   bool
		word string
	}{{s.InFence, "fence "}, {s.InCode, "code "}, {s.InComment, "comment "}, {s.Escaped, "escaped "}, {s.Block, "block "}} {
		if f.on {
			at += f.word
		}
	}
	switch s.Kind {
	case Text:
		return "T " + s.Source(text)
	case Placeholder:
		switch {
		case s.Name != "":
			return fmt.Sprintf("P %s%s %s@%d", at, s.Source(text), s.Name, s.Index)
		case s.Index == All:
			return fmt.Sprintf("P %s%s all", at, s.Source(text))
		}
		return fmt.Sprintf("P %s%s %d", at, s.Source(text), s.Index)
	case Variable:
		return fmt.Sprintf("V %s%s %s", at, s.Source(text), s.Name)
	case FileRef:
		return fmt.Sprintf("F %s%s %s %d-%d", at, s.Source(text), s.Name, s.First, s.Last)
	}
	return fmt.Sprintf("S %s%s", at, s.Name)
}

// found returns all segments except text.
func found(text string, names ...string) []string {
	var out []string
	for _, s := range segments(text, Options{Names: names}) {
		if s.Kind != Text {
			out = append(out, show(text, s))
		}
	}
	return out
}

func checkFound(t *testing.T, text string, names []string, want []string) {
	t.Helper()
	if diff := cmp.Diff(want, found(text, names...)); diff != "" {
		t.Errorf("segments(%q) (-want +got):\n%s", text, diff)
	}
}

func TestPlaceholders(t *testing.T) {
	tests := []struct {
		text  string
		names []string
		want  []string
	}{
		{"$ARGUMENTS", nil, []string{"P $ARGUMENTS all"}},
		{"x$ARGUMENTSX", nil, []string{"P $ARGUMENTS all"}},
		{"$ARGUMENTS[2] $ARGUMENTS[00]", nil, []string{"P $ARGUMENTS[2] 2", "P $ARGUMENTS[00] 0"}},
		{"$ARGUMENTS[] $ARGUMENTS[x] $ARGUMENTS[-1] $ARGUMENTS[1", nil, []string{
			"P $ARGUMENTS all", "P $ARGUMENTS all", "P $ARGUMENTS all", "P $ARGUMENTS all"}},
		{"$0 $01 US$1 $1.5 $10", nil, []string{"P $0 0", "P $01 1", "P $1 1", "P $1 1", "P $10 10"}},
		{"$0x $-1 $arguments ${0} ${ARG $ $$ $0_x $12a", nil, nil},
		{"$0é", nil, []string{"P $0 0"}},
		{"$99999999999999999999", nil, []string{"P $99999999999999999999 1073741824"}},
		{`\$1 \$ARGUMENTS \$file \$nope`, []string{"file"}, []string{
			`P escaped \$1 1`, `P escaped \$ARGUMENTS all`, `P escaped \$file file@0`}},
		{`\\$1 \\\$1`, nil, []string{"P $1 1", `P escaped \$1 1`}},
		{"$file $filex $fileX $file[0] $file-x ${file} x$file", []string{"file", "filex"}, []string{
			"P $file file@0", "P $filex filex@1", "P $file file@0", "P $file file@0"}},
		{"$ARGUMENTS $ARGUMENTS[0] $DIR", []string{"ARGUMENTS", "DIR"}, []string{
			"P $ARGUMENTS ARGUMENTS@0", "P $ARGUMENTS[0] 0", "P $DIR DIR@1"}},
		{"$file, $0", []string{"file,", "", "0"}, []string{"P $file, file,@0", "P $0 0"}},
		{"`$0`\n```\n$1\n```\n<!-- $2 -->", nil, []string{"P code $0 0", "P fence $1 1", "P comment $2 2"}},
		{"${HOME} ${A_1} \\${B} ${a} ${1A} ${} ${A", nil, []string{"V ${HOME} HOME", "V ${A_1} A_1", "V ${B} B"}},
	}
	for _, tt := range tests {
		checkFound(t, tt.text, tt.names, tt.want)
	}
}

func TestFileReferences(t *testing.T) {
	tests := []struct {
		text string
		want []string
	}{
		{"@note.txt", []string{"F @note.txt note.txt 0-0"}},
		{"see @./sub/a.md, @~/b, @/abs.", []string{
			"F @./sub/a.md ./sub/a.md 0-0", "F @~/b ~/b 0-0", "F @/abs /abs 0-0"}},
		{"x\n@a.md\r\n\t@b.md", []string{"F @a.md a.md 0-0", "F @b.md b.md 0-0"}},
		{"\u00a0@a.md\u00a0b", []string{"F @a.md a.md 0-0"}},
		{"me@note.txt (@a) [@b] \"@c\" '@d' `@e` x@f \\@g **@h**", nil},
		{"@a.md: @b.md; @c.md! @d.md? @e.md) @f.md**", []string{
			"F @a.md a.md 0-0", "F @b.md b.md 0-0", "F @c.md c.md 0-0", "F @d.md d.md 0-0", "F @e.md e.md 0-0", "F @f.md f.md 0-0"}},
		{"@ @, @... @#L1 @", nil},
		{`@"a b.txt" @"c d#L2" @"e f"#L3-4. @"open`, []string{
			`F @"a b.txt" a b.txt 0-0`, `F @"c d#L2" c d 2-2`, `F @"e f"#L3-4 e f 3-4`}},
		{`@"" @"a` + "\n" + `b"`, nil},
		{"@n#L2 @n#L2-3, @n#heading @n#L0 @n#L5-3 @n#L2-x", []string{
			"F @n#L2 n 2-2", "F @n#L2-3 n 2-3", "F @n#heading n 0-0", "F @n#L0 n 0-0", "F @n#L5-3 n 5-5", "F @n#L2-x n 0-0"}},
		{"a `b @c.md` d", []string{"F code @c.md c.md 0-0"}},
		{"<!-- @c.md--> @d.md", []string{"F comment @c.md c.md 0-0", "F @d.md d.md 0-0"}},
		{"```\n@c.md\n```\n@d.md", []string{"F fence @c.md c.md 0-0", "F @d.md d.md 0-0"}},
	}
	for _, tt := range tests {
		checkFound(t, tt.text, nil, tt.want)
	}
}

func TestShell(t *testing.T) {
	tests := []struct {
		text string
		want []string
	}{
		{"!`ls -l`", []string{"S ls -l"}},
		{"a !` date ` b", []string{"S date"}},
		{"x!`a` (!`a`) `!`a`` \\!`a` ! `a` !``a`` **!`a`** :!`a`", nil},
		{"\t!`a`\n\u00a0!`b`\n- !`c`\n> !`d`\n| !`e` |", []string{"S a", "S b", "S c", "S d", "S e"}},
		{"!`two\nlines`", []string{"S two\nlines"}},
		{"!`` !` ` !`open", nil},
		{"```\n!`a`\n```\n~~~\n!`b`\n~~~\n<!-- !`c` -->\n!`d`", []string{"S fence a", "S fence b", "S comment c", "S d"}},
		{"`` !`a` ``", []string{"S code a"}},
		{"!`echo $1 @x ${Y}`", []string{"S echo $1 @x ${Y}"}},
		{"```!\necho a\n```", []string{"S block echo a"}},
		{"```! bash\necho b\n```\n", []string{"S block bash\necho b"}},
		{" ```!\n echo c\n ```", []string{"S block echo c"}},
		{"````!\necho d\n````\n@x", []string{"S block echo d", "F @x x 0-0"}},
		{"```!echo f```", []string{"S block echo f"}},
		{"~~~!\necho e\n~~~\n```sh !\necho g\n```", nil},
		{"```!\n```\n@x", []string{"F @x x 0-0"}},
		{"```!\nnever closed @x", []string{"F fence @x x 0-0"}},
		{"````md\n```!\na\n```\n!`b`\n````\n!`c`", []string{"S fence block a", "S fence b", "S c"}},
		{"```\n```!\na\n```\n@x", []string{"S fence block a", "F @x x 0-0"}},
		{"```\n !`a\n```\n@x", []string{"S fence a", "F @x x 0-0"}},
	}
	for _, tt := range tests {
		checkFound(t, tt.text, nil, tt.want)
	}
}

// TestWhere puts a variable at every position and checks the context reported for it.
func TestWhere(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"fence", "${A}\n```go\n${B}\n```\n${C}", []string{"", "fence", ""}},
		{"tilde", "~~~ x`y\n${B}\n~~~\n${C}", []string{"fence", ""}},
		{"longer closer", "```\n${B}\n`````\n${C}", []string{"fence", ""}},
		{"shorter is no closer", "````\n```\n${B}\n````\n${C}", []string{"fence", ""}},
		{"info is no closer", "```\n```go\n${B}\n```\n${C}", []string{"fence", ""}},
		{"other mark is no closer", "```\n~~~\n${B}\n```\n${C}", []string{"fence", ""}},
		{"indented 3", "   ```\n${B}\n   ```\n${C}", []string{"fence", ""}},
		{"closer too deep", "```\n${B}\n    ```\n${C}\n```\n${D}", []string{"fence", "fence", ""}},
		{"in a list", "1. x\n\n    ```\n    ${B}\n    ```\n${C}", []string{"fence", ""}},
		{"list mark before", "- ```\n  ${B}\n  ```\n${C}", []string{"fence", ""}},
		{"quotation", "> ```\n> ${B}\n> ```\n${C}", []string{"fence", ""}},
		{"unclosed", "```\n${B}\n\n${C}", []string{"fence", "fence"}},
		{"not at line start", "x ```\n${B}\n\n${C}", []string{"", ""}},
		{"two are no fence", "``\n${B}\n\n${C}", []string{"", ""}},
		{"info with a backtick", "``` a`b\n${B}\n\n${C}", []string{"", ""}},
		{"crlf", "```\r\n${B}\r\n```\r\n${C}", []string{"fence", ""}},
		{"span", "`${A}` ${B} ``${C} ` ${D}`` ${E}", []string{"code", "", "code", "code", ""}},
		{"span over lines", "`a\n${A}` ${B}", []string{"code", ""}},
		{"span ends with its paragraph", "`a\n\n${A}` ${B}", []string{"", ""}},
		{"span ends with its item", "- `a\n- ${A}` ${B}", []string{"", ""}},
		{"span ends at a fence", "`a\n```\n${A}\n```\n${B}`", []string{"fence", ""}},
		{"span of unequal runs", "`a`` ${A}", []string{""}},
		{"escaped backtick", "\\`${A}` ${B}", []string{"", ""}},
		{"backslash in a span", "`\\` ${A} `${B}`", []string{"", "code"}},
		{"comment", "<!-- ${A} --> ${B}", []string{"comment", ""}},
		{"comment over paragraphs", "<!--\n\n${A}\n\n--> ${B}", []string{"comment", ""}},
		{"fence in a comment", "<!--\n```\n--> ${B}", []string{""}},
		{"span in a comment", "<!-- ` --> ${B} `", []string{""}},
		{"empty comment", "<!--> ${A}", []string{""}},
		{"unclosed block comment", "a\n<!-- ${A}\n\n${B}", []string{"comment", "comment"}},
		{"unclosed inline comment", "a <!-- ${A}\n${B}", []string{"", ""}},
		{"comment in code", "`<!--` ${A}\n```\n<!--\n```\n${B}", []string{"", ""}},
		{"escaped comment", "\\<!-- ${A} -->", []string{""}},
		{"after a shell segment", "`!`x` ${A}", []string{""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, s := range segments(tt.text, Options{}) {
				if s.Kind == Variable {
					got = append(got, map[[3]bool]string{
						{}: "", {true}: "fence", {false, true}: "code", {false, false, true}: "comment",
					}[[3]bool{s.InFence, s.InCode, s.InComment}])
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("segments(%q) (-want +got):\n%s", tt.text, diff)
			}
		})
	}
}

// checkCover fails the test unless the segments cover the text without gaps or overlaps.
func checkCover(t interface{ Fatalf(string, ...any) }, text string, segs []Segment) {
	at := 0
	for i, s := range segs {
		if s.Span.Start != at || s.Span.End <= at || s.Span.End > len(text) {
			t.Fatalf("segments(%q): segment %d has span %v after offset %d", text, i, s.Span, at)
		}
		if s.Kind == Text && (s.Quoted() || i > 0 && segs[i-1].Kind == Text) {
			t.Fatalf("segments(%q): segment %d is text with a context, or follows text", text, i)
		}
		at = s.Span.End
	}
	if at != len(text) {
		t.Fatalf("segments(%q): segments end at %d", text, at)
	}
}

// TestKeptMatchesScan checks that Kept returns the same segments as Scan, even
// beyond the number of segments that it stores.
func TestKeptMatchesScan(t *testing.T) {
	for _, text := range []string{"", "a", sample(), "$1", "a $1 b @x !`c`\n```!\nls\n```\n", strings.Repeat("$1 @a ", kept), strings.Repeat(sample(), 200)} {
		want := segments(text, Options{Names: []string{"x"}})
		again := Kept(text, Options{Names: []string{"x"}})
		for range 2 {
			if got := slices.Collect(again); !slices.Equal(got, want) {
				t.Fatalf("%d kept segments are not the %d of Scan", len(got), len(want))
			}
		}
	}
}

func TestScanPlainText(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("abc é\n\r\t#*-_>[](){}\"'0123."))).Draw(t, "text")
		segs := segments(text, Options{Names: []string{"abc"}})
		if text == "" && segs == nil {
			return
		}
		if len(segs) != 1 || segs[0].Kind != Text || segs[0].Source(text) != text {
			t.Fatalf("segments(%q) = %v, want one text", text, segs)
		}
	})
}

func TestScanCovers(t *testing.T) {
	piece := rapid.SampledFrom(strings.Split(
		"a| |\n|\n\n|`|``|```|````|~~~|!|!`|```!|<!--|-->|$|$1|$ARGUMENTS|[0]|$file|\\|@|@x|@\"|\"|#L1-2|${A}|${|}|- |> |    |é|\u00a0", "|"))
	testenv.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(piece).Draw(t, "pieces"), "")
		checkCover(t, text, segments(text, Options{Names: []string{"file"}}))
	})
}

func FuzzScan(f *testing.F) {
	for _, seed := range []string{
		"", "# T\n$ARGUMENTS\n", "```!\necho a\n```", "!`git status`\n@a.md#L1-2 `@b`", "<!-- $1 -->\\$1 ${A}",
		"````md\n```!\na\n```\n````", "- ```\n  @x\n  ```", "@\"a b\" $file\r\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		checkCover(t, text, segments(text, Options{Names: []string{"file", "a b"}}))
		title, span, ok := FirstHeading(text)
		if ok != (title != "") || span.Start < 0 || span.End < span.Start || span.End > len(text) {
			t.Errorf("FirstHeading(%q) = %q, %v, %v", text, title, span, ok)
		}
		if line := FirstLine(text, true); len([]rune(line)) > maxFirstLine || strings.ContainsAny(line, "\n") {
			t.Errorf("FirstLine(%q) = %q", text, line)
		}
		if FirstLine(text, false) == "" && strings.TrimFunc(text, chars.IsSpace) != "" {
			t.Errorf("FirstLine(%q) = nothing", text)
		}
	})
}

// TestScanLinear scans a megabyte of each input that could make a scanner look
// ahead repeatedly. A scanner that does so takes minutes instead of a second.
func TestScanLinear(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	var unequal strings.Builder
	for n := 1; unequal.Len() < 1<<20; n++ {
		unequal.WriteString(strings.Repeat("`", n) + " ")
	}
	for _, piece := range []string{
		"`", "` ", "`` ` ", "<!--", "<!-- ", "$", "$A", "${A", "@", " @", " @\"", "!", " !`", "```!", " !", "\\", "\\`",
		"~", "~~~ ", "``` ", "> ", "```\n", "````\n```\n", "\n", "    ```", "$ARGUMENTS[", "- ", "``` x\n```` y\n", "a\n==", "]:", "[![",
	} {
		text := strings.Repeat(piece, 1<<20/len(piece))
		checkCover(t, text, segments(text, Options{Names: []string{"file"}}))
		FirstHeading(text)
		FirstLine(text, true)
	}
	checkCover(t, unequal.String(), segments(unequal.String(), Options{}))
}

// sample returns a body of 6 KB with more special constructs than usual.
func sample() string {
	part := `## Step: review the change

Read the request in $ARGUMENTS first, then look at @docs/guide.md and decide.
Prices are given in US$ and the address is team@example.org; use ` + "`make check`" + ` before you answer.

- Ask for ` + "`$0`" + ` when the *first* word is missing, and for **more** otherwise.
- The branch is !` + "`git branch --show-current`" + ` at the moment.

` + "```go\nfunc main() {\n\tfmt.Println(\"nothing to see\") // $1\n}\n```" + `

A longer paragraph of plain prose follows, because most of what people write in such files is plain prose, without
any mark in it that a scanner has to think about for more than a moment. It goes on for a few lines so that the
share of special bytes is about what it is in real files, which is small. ${CLAUDE_SKILL_DIR}/scripts has the rest.

`
	return strings.Repeat(part, 8)
}

func BenchmarkScan(b *testing.B) {
	for _, part := range []struct{ name, text string }{
		{"ordinary", sample()},
		{"list", "- Use `$ARGUMENTS` and **bold** `code` with @docs/a.md and !`git status`\n"},
		{"dense", "$ARGUMENTS !`git log` @src/a.go `x` <b> *em* _x_ [a](b.md) \\$1\n"},
	} {
		for _, size := range []int{6000, 200_000} {
			text := strings.Repeat(part.text, size/len(part.text))
			b.Run(fmt.Sprintf("%s/%d", part.name, size), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					for range Scan(text, Options{Names: []string{"file", "mode"}}) {
					}
				}
			})
		}
	}
}

func BenchmarkScanPlain(b *testing.B) {
	text := strings.Repeat("Plain prose with nothing special in it, as most lines of a body are, goes here.\n", 75)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		for range Scan(text, Options{}) {
		}
	}
}
