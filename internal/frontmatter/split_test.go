package frontmatter

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
)

func TestSplit(t *testing.T) {
	exact := host.Delimiters{}
	tests := []struct {
		name string
		data string
		d    host.Delimiters
		// want is "text|body" if a block is found, otherwise "".
		want  string
		codes []diag.Code
	}{
		{"plain", "---\na: b\n---\nbody\n", exact, "a: b\n|body\n", nil},
		{"empty block", "---\n---\nbody\n", exact, "|body\n", nil},
		{"closer at the end of the file", "---\na: b\n---", exact, "a: b\n|", nil},
		{"no frontmatter", "# Title\n\n---\n", exact, "", nil},
		{"empty file", "", exact, "", nil},
		{"only the opener", "---", exact, "", []diag.Code{diag.FMUnclosed}},
		{"no closer", "---\na: b\n", exact, "", []diag.Code{diag.FMUnclosed}},
		{"horizontal rule at the beginning", "---\n\nSome prose.\n", exact, "", []diag.Code{diag.FMUnclosed}},
		{"four dashes", "----\na: b\n----\n", exact, "", nil},
		{"four dashes do not close", "---\na: b\n----\n---\n", exact, "a: b\n----\n|", []diag.Code{diag.FMDashesInValue}},
		{"dots do not close", "---\na: b\n...\n---\nbody", exact, "a: b\n...\n|body", nil},
		{"word after the opener", "--- a\nb\n---\n", neutral().Delimiters, "", nil},

		{"CR LF", "---\r\na: b\r\n---\r\nbody", neutral().Delimiters, "a: b\r\n|body", nil},
		{"CR LF refused", "---\r\na: b\r\n---\r\nbody", exact, "", []diag.Code{diag.FMUnclosed}},
		{"lone CR", "---\ra: b\r---\rbody", neutral().Delimiters, "a: b\r|body", nil},
		{"lone CR refused", "---\ra: b\r---\rbody", host.Delimiters{CRLF: true, NeedsLF: true}, "", []diag.Code{diag.FMTrailingSpace}},
		{"CR LF where a lone CR is refused", "---\r\na: b\r\n---\r\nbody", host.Delimiters{CRLF: true, NeedsLF: true}, "a: b\r\n|body", nil},
		{"CR LF at the opener only", "---\r\na: b\n---\nbody", exact, "", []diag.Code{diag.FMTrailingSpace}},

		{"BOM", bom + "---\na: b\n---\nbody", neutral().Delimiters, "a: b\n|body", []diag.Code{diag.FMBOM}},
		{"two BOMs", bom + bom + "---\na: b\n---\nbody", neutral().Delimiters, "a: b\n|body", []diag.Code{diag.FMBOM}},
		{"BOM refused", bom + "---\na: b\n---\nbody", exact, "", []diag.Code{diag.FMBOM}},

		{"blank lines", "\n \n---\na: b\n---\nbody", neutral().Delimiters, "a: b\n|body", []diag.Code{diag.FMNotAtByte0}},
		{"blank lines refused", "\n---\na: b\n---\nbody", exact, "", []diag.Code{diag.FMNotAtByte0}},
		{"comment", "<!-- (c)\n---\n -->\n\n---\na: b\n---\nbody", neutral().Delimiters, "a: b\n|body", []diag.Code{diag.FMNotAtByte0}},
		{"comment that does not end", "<!-- (c)\n---\na: b\n---\n", neutral().Delimiters, "", nil},
		{"comment and text", "<!-- (c) --> text\n---\na: b\n---\n", neutral().Delimiters, "", nil},
		{"rules behind a blank line", "\n---\nSome prose.\n\n---\n", neutral().Delimiters, "", nil},
		{"rule behind a comment", "<!-- toc -->\n---\nprose\n", neutral().Delimiters, "", nil},

		{"indented", "  ---\na: b\n  ---\nbody", neutral().Delimiters, "a: b\n|body", []diag.Code{diag.FMIndented, diag.FMIndented}},
		{"indented closer", "---\na: b\n ---\nbody", neutral().Delimiters, "a: b\n|body", []diag.Code{diag.FMIndented}},
		{"indented refused", "  ---\na: b\n---\nbody", exact, "", []diag.Code{diag.FMIndented}},
		{"indented closer refused", "---\na: b\n ---\n---\nbody", exact, "a: b\n ---\n|body", []diag.Code{diag.FMDashesInValue}},
		{"dashes in a block scalar", "---\na: |\n  x\n  ---\n  y\n  ---\n---\nbody", neutral().Delimiters, "a: |\n  x\n  ---\n  y\n  ---\n|body", []diag.Code{diag.FMDashesInValue}},

		{"trailing blanks", "--- \na: b\n---\t\nbody", neutral().Delimiters, "a: b\n|body", []diag.Code{diag.FMTrailingSpace, diag.FMTrailingSpace}},
		{"trailing blanks refused", "--- \na: b\n---\nbody", exact, "", []diag.Code{diag.FMTrailingSpace}},
		{"trailing blank at the closer refused", "---\na: b\n--- \n---\nbody", exact, "a: b\n--- \n|body", []diag.Code{diag.FMDashesInValue}},
		{"closer as a prefix", "---\na: b\n--- x\nbody", host.Delimiters{CloserPrefix: true}, "a: b\n|body", []diag.Code{diag.FMDashesInValue}},

		{"dashes in a value", "---\na: b --- c\n---\nbody", neutral().Delimiters, "a: b --- c\n|body", []diag.Code{diag.FMDashesInValue}},
		{"closer anywhere", "---\na: b --- c\n---\nbody", claude().Delimiters, "a: b | c\n---\nbody", []diag.Code{diag.FMDashesInValue}},
		{"closer anywhere, own line", "---\na: b\n---\nbody", claude().Delimiters, "a: b\n|body", nil},
		{"closer anywhere, in a block scalar", "---\na: |\n  one\n  --- two\n---\nbody", claude().Delimiters, "a: |\n  one\n  | two\n---\nbody", []diag.Code{diag.FMDashesInValue}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := Split([]byte(tt.data), false, tt.d)
			got := ""
			if b.Found {
				got = tt.data[b.Text.Start:b.Text.End] + "|" + tt.data[b.Body:]
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if !b.Found && b.Body != 0 {
				t.Errorf("body of a file without frontmatter begins at %d", b.Body)
			}
			if got := noteCodes(b.Notes); !reflect.DeepEqual(got, tt.codes) {
				t.Errorf("notes %v, want %v", got, tt.codes)
			}
			checkPrefixes(t, []byte(tt.data), tt.d)
		})
	}
}

func noteCodes(notes []Note) []diag.Code {
	var list []diag.Code
	for _, n := range notes {
		list = append(list, n.Code)
	}
	return list
}

// checkPrefixes checks that, for every prefix of data, Split either asks for
// more or returns the same result as for all of data.
func checkPrefixes(t *testing.T, data []byte, d host.Delimiters) {
	t.Helper()
	whole := Split(data, false, d)
	if whole.More {
		t.Fatalf("%q: a whole file asks for more", data)
	}
	for n := range len(data) + 1 {
		head := Split(data[:n], true, d)
		if !head.More && !reflect.DeepEqual(head, whole) {
			t.Fatalf("%q: the first %d bytes say %+v, the whole says %+v", data, n, head, whole)
		}
	}
}

func TestSplitAsksForMore(t *testing.T) {
	for _, head := range []string{"", "-", "---", "---\n", "---\na: b\n---", "\n", "<!-- x", "\xef\xbb", "---\r"} {
		if !Split([]byte(head), true, neutral().Delimiters).More {
			t.Errorf("%q: does not ask for more", head)
		}
	}
	for _, head := range []string{"# T", "text", "---\n---\n", "---\na: b\n---\nb", "----"} {
		if Split([]byte(head), true, neutral().Delimiters).More {
			t.Errorf("%q: asks for more", head)
		}
	}
}

func TestSplitLimit(t *testing.T) {
	fits := "---\n" + strings.Repeat("#", MaxBlock-9) + "\n---\n"
	if b := Split([]byte(fits+"body"), false, neutral().Delimiters); !b.Found || b.Body != MaxBlock {
		t.Errorf("a block of %d bytes: %+v", MaxBlock, b)
	}
	over := "---\n" + strings.Repeat("#", MaxBlock) + "\n---\nbody"
	whole := Split([]byte(over), false, neutral().Delimiters)
	head := Split([]byte(over)[:MaxBlock], true, neutral().Delimiters)
	for _, b := range []Block{whole, head} {
		if b.Found || b.More || !reflect.DeepEqual(noteCodes(b.Notes), []diag.Code{diag.FMTooLarge}) {
			t.Errorf("a block of more than %d bytes: %+v", MaxBlock, b)
		}
	}
	if b := Split([]byte(over)[:MaxBlock-1], true, neutral().Delimiters); !b.More {
		t.Errorf("%d bytes: %+v", MaxBlock-1, b)
	}
}

func TestNoteDiagnostics(t *testing.T) {
	f := diag.NewFile("a.md", []byte(bom+"---\na: b\n---\n"))
	_, diags := Parse(f, false, neutral())
	if len(diags) != 1 || diags[0].Line != 1 || diags[0].Edit == nil || diags[0].Edit.End != 3 {
		t.Fatalf("%+v", diags)
	}
	if doc, _ := Parse(f, false, strict()); doc.Found || len(doc.Notes) != 1 || !doc.Notes[0].Rejected {
		t.Fatalf("%+v", doc)
	}
	f = diag.NewFile("a.md", []byte("<!-- keep -->\n---\na: b\n---\n"))
	if _, diags = Parse(f, false, neutral()); len(diags) != 1 || diags[0].Edit != nil {
		t.Errorf("a fix would remove a comment: %+v", diags)
	}
}

func ExampleSplit() {
	data := []byte("---\nname: tidy\n---\nTidy the desk.\n")
	b := Split(data, false, host.Delimiters{})
	fmt.Printf("%q %q\n", data[b.Text.Start:b.Text.End], data[b.Body:])
	// Output: "name: tidy\n" "Tidy the desk.\n"
}

func FuzzSplit(f *testing.F) {
	for _, s := range []string{
		"---\na: b\n---\nbody", bom + "---\r\na: b\r\n--- \r\n", "\n<!-- x -->\n  ---\na: |\n    ---\n  ---\n", "---\na: b --- c\n---", "---\r---\r",
		"\n---\n0---0:",
	} {
		f.Add([]byte(s), uint8(0xff))
		f.Add([]byte(s), uint8(0))
	}
	f.Fuzz(func(t *testing.T, data []byte, bits uint8) {
		if len(data) > 300 {
			return
		}
		d := host.Delimiters{
			BOM: bits&1 > 0, LeadingBlank: bits&2 > 0, LeadingComment: bits&4 > 0, Indented: bits&8 > 0,
			TrailingSpace: bits&16 > 0, CloserAnywhere: bits&32 > 0, CRLF: bits&64 > 0, CloserPrefix: bits&128 > 0,
		}
		checkPrefixes(t, data, d)
		b := Split(data, false, d)
		for _, s := range []diag.Span{b.Open, b.Text, b.Close, {Start: b.Body, End: b.Body}} {
			checkSpan(t, data, s)
		}
		if b.Found && (string(data[b.Open.Start:b.Open.End]) != "---" || string(data[b.Close.Start:b.Close.End]) != "---" ||
			b.Open.End > b.Text.Start || b.Text.End > b.Close.Start || b.Close.End > b.Body) {
			t.Fatalf("%q: %+v", data, b)
		}
		for _, n := range b.Notes {
			checkSpan(t, data, n.Span)
		}
	})
}
