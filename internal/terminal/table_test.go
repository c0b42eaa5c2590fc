package terminal

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/vadehq/vade/internal/testenv"
)

func skillTable() *Table {
	t := &Table{Columns: []Column{
		{Title: "NAME", Style: Cyan}, {Title: "LAYER"}, {Title: "TOKENS", Right: true}, {Title: "DESCRIPTION", Flexible: true},
	}}
	t.Row("release", "project", "1234", "How a version is published, from tag to announcement.")
	t.Row("日本語", "user", "7", "公開の手順を説明します。\n毎回これに従います。")
	t.Row("evil\x1b[2J", "user", "", "\u202eabc  ")
	t.Row("bare", Cell{"plugin", Dim})
	return t
}

func TestTable(t *testing.T) {
	for _, tc := range []struct {
		name  string
		opts  Options
		lines []string
	}{
		{"unlimited", Options{}, []string{
			"NAME         LAYER    TOKENS  DESCRIPTION",
			"release      project    1234  How a version is published, from tag to announcement.",
			"日本語       user          7  公開の手順を説明します。 毎回これに従います。",
			`evil\x1b[2J  user             \u202eabc`,
			"bare         plugin",
		}},
		{"60 columns", Options{Width: 60}, []string{
			"NAME         LAYER    TOKENS  DESCRIPTION",
			"release      project    1234  How a version is published, f…",
			"日本語       user          7  公開の手順を説明します。 毎回…",
			`evil\x1b[2J  user             \u202eabc`,
			"bare         plugin",
		}},
		{"30 columns", Options{Width: 30}, []string{
			"NAME    LAYER   TOKENS  DESCR…",
			"relea…  proje…    1234  How a…",
			"日本語  user         7  公開…",
			`evil\…  user            \u202…`,
			"bare    plugin",
		}},
		{"colours", Options{Width: 60, Env: env("FORCE_COLOR=1")}, []string{
			"\x1b[1mNAME\x1b[0m         \x1b[1mLAYER\x1b[0m    \x1b[1mTOKENS\x1b[0m  \x1b[1mDESCRIPTION\x1b[0m",
			"\x1b[36mrelease\x1b[0m      project    1234  How a version is published, f…",
			"\x1b[36m日本語\x1b[0m       user          7  公開の手順を説明します。 毎回…",
			"\x1b[36mevil\\x1b[2J\x1b[0m  user             \\u202eabc",
			"\x1b[36mbare\x1b[0m         \x1b[2mplugin\x1b[0m",
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var buf bytes.Buffer
			if err := skillTable().Print(New(&buf, tc.opts)); err != nil {
				t.Fatal(err)
			}
			want := strings.Join(tc.lines, "\n") + "\n"
			if diff := cmp.Diff(want, buf.String()); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestTableWithoutTitlesOrRows(t *testing.T) {
	var buf bytes.Buffer
	tab := &Table{Columns: []Column{{}, {}}}
	if err := tab.Print(New(&buf, Options{})); err != nil || buf.Len() != 0 {
		t.Errorf("no rows: %q, %v", buf.String(), err)
	}
	tab.Row("a", "b", "too many")
	tab.Row("long")
	tab.Row()
	tab.Print(New(&buf, Options{}))
	if got := buf.String(); got != "a     b\nlong\n\n" {
		t.Errorf("got %q", got)
	}
	if err := (&Table{}).Print(New(&buf, Options{})); err != nil {
		t.Error(err)
	}
}

func TestTableReportsWriteErrors(t *testing.T) {
	r, pw := io.Pipe()
	r.Close()
	if err := skillTable().Print(New(pw, Options{})); err == nil {
		t.Error("no error from a closed pipe")
	}
}

var sgr = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// TestTableFits checks that, for any cells, no line exceeds the width, contains a line break, or
// ends in a space.
func TestTableFits(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		tab := &Table{}
		n := rapid.IntRange(1, 5).Draw(t, "columns")
		for range n {
			tab.Columns = append(tab.Columns, Column{
				Title: rapid.SampledFrom([]string{"", "A", "名前", "LONG TITLE"}).Draw(t, "title"),
				Right: rapid.Bool().Draw(t, "right"), Flexible: rapid.Bool().Draw(t, "flexible"), Style: Red,
			})
		}
		rows := rapid.IntRange(1, 5).Draw(t, "rows")
		titled := false
		for _, c := range tab.Columns {
			titled = titled || c.Title != ""
		}
		if titled {
			defer func() { rows++ }()
		}
		for range rows {
			cells := make([]any, n)
			for i := range cells {
				cells[i] = rapid.String().Draw(t, "cell")
			}
			tab.Row(cells...)
		}
		width := rapid.IntRange(n+gap*(n-1), 100).Draw(t, "width")
		var buf bytes.Buffer
		tab.Print(New(&buf, Options{Width: width, Env: env("FORCE_COLOR=1")}))
		lines := strings.Split(strings.TrimSuffix(sgr.ReplaceAllString(buf.String(), ""), "\n"), "\n")
		want := rows
		if titled {
			want++
		}
		if len(lines) != want {
			t.Fatalf("%d lines for %d rows: %q", len(lines), want, lines)
		}
		for _, line := range lines {
			if Width(line) > width || strings.HasSuffix(line, " ") {
				t.Errorf("width %d: %q is %d wide", width, line, Width(line))
			}
		}
	})
}

func BenchmarkTable(b *testing.B) {
	const rows = 10_000
	b.ReportAllocs()
	for b.Loop() {
		t := &Table{Columns: []Column{{Title: "NAME"}, {Title: "LAYER"}, {Title: "DESCRIPTION", Flexible: true}}}
		for i := range rows {
			t.Row(fmt.Sprintf("skill-%d", i), "project", "What this skill does, when to use it, and what it needs to be told before.")
		}
		t.Print(New(io.Discard, Options{Width: 100}))
	}
}
