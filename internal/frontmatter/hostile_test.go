package frontmatter

import (
	"strings"
	"testing"

	"github.com/vadehq/vade/diag"
)

// hostile returns blocks of the maximum size that are designed to be slow to parse.
func hostile() map[string]string {
	fill := func(s string) string { return strings.Repeat(s, (MaxBlock-100)/len(s)) }
	var keys, bad strings.Builder
	for i := 0; keys.Len() < MaxBlock-200; i++ {
		keys.WriteString("k" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + strings.Repeat("y", i/26%40) + ": 1\n")
	}
	for i := 0; bad.Len() < MaxBlock-200; i++ {
		bad.WriteString("k: " + strings.Repeat("z", i%5) + ": x\n")
	}
	return map[string]string{
		"brackets":            "a: " + fill("["),
		"braces":              "a: " + fill("{a: b, "),
		"flow items":          "a: [" + fill("a,") + "]",
		"keys":                keys.String(),
		"broken values":       bad.String(),
		"control characters":  "a: " + fill("\x01x"),
		"bad UTF-8":           "a: x: " + fill("\xff"),
		"lines at the left":   "a: b\n" + fill("c\n"),
		"indented dashes":     "a: |\n" + fill("  ---\n"),
		"stairs of dashes":    "a: |\n" + stairs(),
		"nested broken":       nested(),
		"nested broken lists": "a:\n" + fill("  - @x\n"),
		"tabs":                "a:\n" + fill("\tb: c\n"),
		"comments":            fill("# x\n"),
		"aliases":             "a: &x b\n" + fill("c: *x\n"),
		"billion laughs":      "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c]\n",
		"long line":           "a: b: " + fill("x y "),
		"open quote":          "a: \"" + fill("x\n  "),
		"complex keys":        "a: {" + fill("[b]:c,") + "}",
		"anchored items":      "a: [" + fill("&b c,") + "d]",
		"explicit keys":       fill("? a\n"),
		"blank lines":         "a: >-\n  x" + fill("\n") + "  y\n",
		"dialogue":            "a: b: c\n" + fill("user: x\n"),
	}
}

func stairs() string {
	var b strings.Builder
	for i := 300; i > 1; i-- {
		b.WriteString(strings.Repeat(" ", i) + "---\n")
	}
	return b.String()
}

func nested() string {
	var b strings.Builder
	for i := range 200 {
		b.WriteString(strings.Repeat(" ", i) + "k:\n")
	}
	b.WriteString(strings.Repeat(" ", 200) + "k: @x\n")
	return b.String()
}

// TestHostile checks that no block makes Parse panic, return wrong positions,
// or omit diagnostics. If parsing hangs, the test times out.
func TestHostile(t *testing.T) {
	for name, block := range hostile() {
		f := diag.NewFile(name, []byte("---\n"+block+"\n---\nbody"))
		doc, diags := Parse(f, false, neutral())
		checkSpans(t, f.Data, doc.Entries)
		checkDiags(t, f, diags)
		if len(diags) > maxDiagnostics+1 {
			t.Errorf("%s: %d diagnostics", name, len(diags))
		}
		if !doc.Found {
			t.Errorf("%s: not found: %v", name, diags)
		}
		if len(diags) == 0 && (!doc.Valid || doc.Repaired) {
			t.Errorf("%s: valid %v, repaired %v without diagnostics", name, doc.Valid, doc.Repaired)
		}
	}
}

func TestDiagnosticsAreBounded(t *testing.T) {
	block := strings.Repeat("a: @x\n", maxDiagnostics+50)
	_, diags := Parse(sourceOf("---\n"+block+"---\n"), false, strict())
	if n := len(diags); n != maxDiagnostics+1 || !strings.Contains(diags[n-1].Message, "too many problems") {
		t.Errorf("%d diagnostics, the last %v", n, diags[n-1])
	}
	_, diags = ParseTOML(diag.NewFile("a.toml", []byte(strings.Repeat("a = 1\n", maxDiagnostics+50))))
	if len(diags) != maxDiagnostics+1 {
		t.Errorf("%d diagnostics", len(diags))
	}
}

func BenchmarkHostile(b *testing.B) {
	for name, block := range hostile() {
		f := diag.NewFile(name, []byte("---\n"+block+"\n---\nbody"))
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Parse(f, false, neutral())
			}
		})
	}
}
