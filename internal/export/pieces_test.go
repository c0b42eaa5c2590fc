package export

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/internal/testenv"
)

func TestPieces(t *testing.T) {
	const text = "Look at $ARGUMENTS, $0 and $who. \\$1 is text, ${CLAUDE_SKILL_DIR}/a ${OTHER}\n!`date`\n`@a.md` @b.md @person\n```\n!`x`\n```\n"
	pieces, left := Pieces(text, PieceOptions{Names: []string{"who"}, Arguments: true, Files: true, Variables: map[string]string{"CLAUDE_SKILL_DIR": "skills/x"}})
	got, err := json.Marshal(pieces)
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"text":"Look at "},{"argument":-1,"otherwise":""},{"text":", "},{"argument":0,"otherwise":"$0"},{"text":" and "},` +
		`{"argument":0,"otherwise":""},{"text":". $1 is text, skills/x/a ${OTHER}\n!` + "`date`" + `\n` + "`@a.md`" + ` @b.md @person\n` + "```\\n!`x`\\n```" + `\n"}]`
	if string(got) != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	if len(left) != 1 || left[0].What != "shell" || left[0].Text != "!`date`" || left[0].Offset != strings.Index(text, "!`date") {
		t.Errorf("left: %+v", left)
	}

	pieces, left = Pieces(text, PieceOptions{Names: []string{"who"}})
	if len(pieces) != 1 || pieces[0].Text != text {
		t.Errorf("a text that nothing is put into is %+v", pieces)
	}
	var what []string
	for _, l := range left {
		what = append(what, l.What)
	}
	if got := strings.Join(what, " "); got != "argument argument argument shell file" {
		t.Errorf("left: %s", got)
	}
}

// TestPiecesOfAnEditor checks that variables that only an editor can replace
// are reported, except for the project directory, whose value is known.
func TestPiecesOfAnEditor(t *testing.T) {
	const text = "In ${workspaceFolder}/src read #file:a.md, #file:'b c.md' and `#file:x.md`; a#file:y is none.\n" +
		"${input:topic} ${input:topic:a hint} ${selection} ${OTHER} ${input:} ${input:0:3} ${file\n"
	c := PieceOptions{Arguments: true, Files: true, Project: "workspaceFolder", Editor: []string{"selection", "file"}, Variables: map[string]string{"workspaceFolder": "."}}
	pieces, left := Pieces(text, c)
	if want := strings.Replace(text, "${workspaceFolder}", ".", 1); len(pieces) != 1 || pieces[0].Text != want {
		t.Errorf("%+v", pieces)
	}
	var got []string
	for _, l := range left {
		got = append(got, l.What+" "+l.Text)
		if !strings.HasPrefix(text[l.Offset:], l.Text) {
			t.Errorf("%q does not stand at %d", l.Text, l.Offset)
		}
	}
	want := []string{"file #file:a.md", "file #file:'b c.md'", "variable ${input:topic}", "variable ${input:topic:a hint}", "variable ${selection}"}
	if !slices.Equal(got, want) {
		t.Errorf("left %q", got)
	}
	// In another host's file, these variables are plain text.
	c.Editor = nil
	if _, left = Pieces("#file:a.md ${selection}", c); len(left) != 0 {
		t.Errorf("left %+v", left)
	}
}

// TestPiecesKeepText checks that a body without placeholders is a single piece,
// and that pieces contain no text that is not in the body.
func TestPiecesKeepText(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching("[a-z $0-9A-Z{}!`@./\\\\\n]{0,60}").Draw(t, "text")
		pieces, left := Pieces(text, PieceOptions{})
		joined := ""
		for _, p := range pieces {
			joined += p.Text
		}
		if joined != text {
			t.Fatalf("%q became %q", text, joined)
		}
		for _, l := range left {
			if !strings.HasPrefix(text[l.Offset:], l.Text) {
				t.Fatalf("%q does not stand at %d of %q", l.Text, l.Offset, text)
			}
		}
	})
}

func FuzzPieces(f *testing.F) {
	f.Add("a $ARGUMENTS !`b` @c.md ${D}", true)
	f.Fuzz(func(t *testing.T, text string, arguments bool) {
		pieces, _ := Pieces(text, PieceOptions{Arguments: arguments, Names: []string{"a"}})
		data, err := json.Marshal(pieces)
		if err != nil || !json.Valid(data) {
			t.Fatalf("%v: %s", err, data)
		}
	})
}
