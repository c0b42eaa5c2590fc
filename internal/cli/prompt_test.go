package cli

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/internal/prompt"
	"github.com/vadehq/vade/internal/terminal"

	"github.com/vadehq/vade/internal/testenv"
)

// budgetOf returns a prompt with one part for each cost, in tokens.
func budgetOf(name string, costs ...int) *prompt.Prompt {
	p := &prompt.Prompt{Host: "neutral", Agent: "a"}
	for _, n := range costs {
		p.Parts = append(p.Parts, prompt.Part{What: prompt.PromptSkill, Name: name, Tokens: n, Characters: 4 * n})
		p.Tokens += n
	}
	return p
}

func printedParts(p *prompt.Prompt, width int, env map[string]string) string {
	var b bytes.Buffer
	out := terminal.New(&b, terminal.Options{Width: width, Env: func(name string) (string, bool) {
		v, ok := env[name]
		return v, ok
	}})
	printParts(out, p)
	return b.String()
}

// TestPromptChart checks that lines fit into the terminal, that bar lengths are proportional to the
// parts' costs, and that every part with a nonzero cost has a bar.
func TestPromptChart(t *testing.T) {
	p := budgetOf("design-patterns", 600, 300, 100, 1, 0)
	for width, longest := range map[int]int{40: 8, 80: 36, 200: 40} {
		text := printedParts(p, width, nil)
		if strings.Contains(text, "\x1b") {
			t.Errorf("%d: a stream without colours has them: %q", width, text)
		}
		var bars []string
		for _, line := range strings.Split(text, "\n") {
			if n := terminal.Width(line); n > width {
				t.Errorf("%d: a line of %d columns: %q", width, n, line)
			}
			if strings.HasPrefix(line, "skill") {
				bars = append(bars, strings.Trim(line[strings.Index(line, "%")+1:], " "))
			}
		}
		if len(bars) != 5 || bars[4] != "" || bars[3] != barHalf {
			t.Fatalf("%d: bars %q in\n%s", width, bars, text)
		}
		full := 0
		for i, want := range []int{600, 300, 100} {
			halves := 2*strings.Count(bars[i], barMark) + strings.Count(bars[i], barHalf)
			if halves != 2*longest*want/1001 {
				t.Errorf("%d: %d halves for %d of 1001 in\n%s", width, halves, want, text)
			}
			full += halves
		}
		if full > 2*longest {
			t.Errorf("%d: the bars are %d halves long together", width, full)
		}
		if !strings.Contains(text, "about 1001 tokens") && !strings.Contains(text, "about 1,001 tokens") {
			t.Errorf("%d: no total in\n%s", width, text)
		}
	}
}

func TestPromptChartColors(t *testing.T) {
	p := budgetOf("a\x1b[31mb\nc", 10)
	if text := printedParts(p, 80, map[string]string{"FORCE_COLOR": "1"}); !strings.Contains(text, "\x1b[") || strings.Contains(text, "\x1b[31m") {
		t.Errorf("with colours: %q", text)
	}
	for _, env := range []map[string]string{{"FORCE_COLOR": "1", "NO_COLOR": "1"}, nil} {
		if text := printedParts(p, 80, env); strings.Contains(text, "\x1b") {
			t.Errorf("%v: %q", env, text)
		}
	}
}

// TestPromptChartFits checks that lines and bars fit for any costs, names and widths.
func TestPromptChartFits(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		p := budgetOf(rapid.StringN(0, 60, 200).Draw(t, "name"), rapid.SliceOfN(rapid.IntRange(0, 1<<40), 0, 8).Draw(t, "costs")...)
		width := rapid.IntRange(60, 250).Draw(t, "width")
		for _, line := range strings.Split(printedParts(p, width, nil), "\n") {
			if n := strings.Count(line, barMark); n > barWidth || terminal.Width(line) > width && !strings.HasPrefix(line, "agent") {
				t.Fatalf("width %d, %d marks: %q", width, n, line)
			}
		}
	})
}
