package schedule

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/internal/testenv"
)

// TestParse covers every example in the source of the grammar, and edge cases.
func TestParse(t *testing.T) {
	for _, x := range []struct {
		text, asked, interval, cron, prompt string
		rule                                Rule
	}{
		// Examples from the source.
		{"5m /babysit-prs", "5m", "5m", "*/5 * * * *", "/babysit-prs", Leading},
		{"check the deploy every 20m", "20m", "20m", "*/20 * * * *", "check the deploy", Trailing},
		{"run tests every 5 minutes", "5m", "5m", "*/5 * * * *", "run tests", Trailing},
		{"check the deploy", "", "10m", "*/10 * * * *", "check the deploy", Default},
		{"check every PR", "", "10m", "*/10 * * * *", "check every PR", Default},
		{"look every 2 hours", "2h", "2h", "0 */2 * * *", "look", Trailing},
		{"2h look", "2h", "2h", "0 */2 * * *", "look", Leading},
		// The first matching rule wins; later rules are not tried.
		{"5m look every 2h", "5m", "5m", "*/5 * * * *", "look every 2h", Leading},
		{"5m every 2h", "5m", "5m", "*/5 * * * *", "every 2h", Leading},
		{"5M look", "", "10m", "*/10 * * * *", "5M look", Default},
		{"5min look", "", "10m", "*/10 * * * *", "5min look", Default},
		{"5 m look", "", "10m", "*/10 * * * *", "5 m look", Default},
		{"5m30s look", "", "10m", "*/10 * * * *", "5m30s look", Default},
		{"-5m look", "", "10m", "*/10 * * * *", "-5m look", Default},
		{"1.5h look", "", "10m", "*/10 * * * *", "1.5h look", Default},
		{"٥m look", "", "10m", "*/10 * * * *", "٥m look", Default},
		{"005m look", "5m", "5m", "*/5 * * * *", "look", Leading},
		// Whitespace inside the prompt is kept; whitespace around it is removed.
		{"  \t5m \n a  b\n\nc \r\n", "5m", "5m", "*/5 * * * *", "a  b\n\nc", Leading},
		{"a  b\tevery\u00a020m\n", "20m", "20m", "*/20 * * * *", "a  b", Trailing},
		{"a\nevery\n5\nminutes", "5m", "5m", "*/5 * * * *", "a", Trailing},
		// Units in lowercase and uppercase.
		{"x every 30 SECONDS", "30s", "1m", "*/1 * * * *", "x", Trailing},
		{"x every 60sec", "60s", "1m", "*/1 * * * *", "x", Trailing},
		{"x every 1 second", "1s", "1m", "*/1 * * * *", "x", Trailing},
		{"x Every 1 Minute", "1m", "1m", "*/1 * * * *", "x", Trailing},
		{"x every 15 min", "15m", "15m", "*/15 * * * *", "x", Trailing},
		{"x EVERY 3HR", "3h", "3h", "0 */3 * * *", "x", Trailing},
		{"x every 1 hour", "1h", "1h", "0 */1 * * *", "x", Trailing},
		{"x every 2 hrs", "2h", "2h", "0 */2 * * *", "x", Trailing},
		{"x every 1 day", "1d", "1d", "0 0 */1 * *", "x", Trailing},
		{"x every 3days", "3d", "3d", "0 0 */3 * *", "x", Trailing},
		{"x every 4 d", "4d", "4d", "0 0 */4 * *", "x", Trailing},
		// Only the last "every" counts, and it must be a separate word.
		{"check every PR every 20m", "20m", "20m", "*/20 * * * *", "check every PR", Trailing},
		{"x every 5m every", "", "10m", "*/10 * * * *", "x every 5m every", Default},
		{"x nevery 5m", "", "10m", "*/10 * * * *", "x nevery 5m", Default},
		{"x every5m", "", "10m", "*/10 * * * *", "x every5m", Default},
		{"x every 5 0m", "", "10m", "*/10 * * * *", "x every 5 0m", Default},
		{"x every 5 weeks", "", "10m", "*/10 * * * *", "x every 5 weeks", Default},
		{"x every 5m ago", "", "10m", "*/10 * * * *", "x every 5m ago", Default},
		{"every", "", "10m", "*/10 * * * *", "every", Default},
		{"m", "", "10m", "*/10 * * * *", "m", Default},
	} {
		p, err := Parse(x.text)
		if err != nil {
			t.Errorf("%q: %v", x.text, err)
			continue
		}
		if p.Rule != x.rule || p.Asked != x.asked || p.Text != x.interval || p.Cron != x.cron || p.Prompt != x.prompt {
			t.Errorf("%q:\ngot  %+v\nwant %+v", x.text, p, x)
		}
	}
}

func TestParseNothingToDo(t *testing.T) {
	for text, asked := range map[string]string{
		"": "", " \n\t": "", "5m": "5m", " 2h ": "2h", "every 5m": "5m", "every 5 minutes": "5m", "0s": "0s",
	} {
		p, err := Parse(text)
		if err == nil || !strings.Contains(err.Error(), asked) {
			t.Errorf("%q: %+v, %v", text, p, err)
		}
	}
}

// TestRounding checks the table in the source, and cases that the source does not cover.
func TestRounding(t *testing.T) {
	for _, x := range []struct{ asked, interval, cron string }{
		{"1m", "1m", "*/1 * * * *"}, {"30m", "30m", "*/30 * * * *"}, {"60m", "1h", "0 */1 * * *"},
		{"120m", "2h", "0 */2 * * *"}, {"1440m", "1d", "0 0 */1 * *"}, {"24h", "1d", "0 0 */1 * *"},
		{"48h", "2d", "0 0 */2 * *"}, {"12h", "12h", "0 */12 * * *"}, {"1d", "1d", "0 0 */1 * *"},
		{"60s", "1m", "*/1 * * * *"}, {"300s", "5m", "*/5 * * * *"}, {"3600s", "1h", "0 */1 * * *"},
		{"7d", "7d", "0 0 */7 * *"}, {"30d", "30d", "0 0 */30 * *"},
	} {
		i, sentence, ok := ReadInterval(x.asked)
		if !ok || i.Text != x.interval || i.Cron != x.cron || sentence != "" {
			t.Errorf("%s: %+v, %q", x.asked, i, sentence)
		}
	}
	for _, x := range []struct{ asked, interval string }{
		{"1s", "1m"}, {"61s", "2m"}, {"0s", "1m"}, {"0m", "1m"}, {"0h", "1h"}, {"0d", "1d"}, {"7m", "6m"},
		{"8m", "10m"}, {"9m", "10m"}, {"11m", "12m"}, {"25m", "30m"}, {"40m", "30m"}, {"45m", "1h"}, {"59m", "1h"},
		{"61m", "1h"}, {"90m", "2h"}, {"100m", "2h"}, {"420s", "6m"}, {"5h", "6h"}, {"7h", "8h"}, {"18h", "1d"},
		{"23h", "1d"}, {"25h", "1d"}, {"36h", "2d"}, {"200000s", "2d"}, {"45d", "30d"}, {"1000h", "30d"},
		{"1" + strings.Repeat("0", 29) + "d", "30d"}, {"1" + strings.Repeat("0", 30) + "s", "30d"},
		{"9223372036854775807d", "30d"}, {"9223372036854775808m", "30d"},
	} {
		i, sentence, ok := ReadInterval(x.asked)
		if !ok || i.Text != x.interval || !strings.Contains(sentence, " is rounded to "+x.interval+", ") || len(sentence) > 200 {
			t.Errorf("%s: %+v, %q", x.asked, i, sentence)
		}
	}
	for _, bad := range []string{"", "5", "m", "5 5m", "5m x", "-5m", "5w", "5m5m", "ⅴm"} {
		if i, _, ok := ReadInterval(bad); ok {
			t.Errorf("%q: %+v", bad, i)
		}
	}
}

func TestNotes(t *testing.T) {
	for text, want := range map[string]string{"1d x": "", "2d x": "each month", "7d x": "seven days", "x every PR": ""} {
		p, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if all := strings.Join(p.Notes, "; "); want == "" && all != "" || !strings.Contains(all, want) {
			t.Errorf("%q: %q", text, all)
		}
	}
}

func TestReadSpan(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0": 0, "0s": 0, "90s": 90 * time.Second, " 7 m ": 7 * time.Minute, "2 Hours": 2 * time.Hour, "7d": Life, "9999999999999999999d": 365 * day,
	} {
		if got, ok := ReadSpan(text); !ok || got != want {
			t.Errorf("%q: %v %v", text, got, ok)
		}
	}
	for _, bad := range []string{"", "5", "x", "1h30m", "-1s", "1.5h"} {
		if got, ok := ReadSpan(bad); ok {
			t.Errorf("%q: %v", bad, got)
		}
	}
}

func checkParse(t interface{ Fatalf(string, ...any) }, text string) {
	p, err := Parse(text)
	if err != nil {
		if p.Prompt != "" {
			t.Fatalf("%q: %+v, %v", text, p, err)
		}
		return
	}
	at := strings.Index(text, p.Prompt)
	switch {
	case p.Prompt == "" || at < 0 || strings.TrimSpace(p.Prompt) != p.Prompt:
		t.Fatalf("%q: the prompt is %q", text, p.Prompt)
	case !slices.Contains(clean(), p.Seconds/60):
		t.Fatalf("%q: %+v is not even", text, p.Interval)
	case p.Rule == Default && (p.Prompt != strings.TrimSpace(text) || p.Text != DefaultInterval || p.Asked != ""):
		t.Fatalf("%q: %+v", text, p)
	case p.Rule == Leading && !strings.HasSuffix(strings.TrimSpace(text), p.Prompt):
		t.Fatalf("%q: %+v", text, p)
	case p.Rule == Trailing && !strings.HasPrefix(strings.TrimSpace(text), p.Prompt):
		t.Fatalf("%q: %+v", text, p)
	}
	// Rounding a rounded interval again does not change it.
	again, sentence, ok := ReadInterval(p.Text)
	if !ok || sentence != "" || again != p.Interval {
		t.Fatalf("%q: %+v becomes %+v (%s)", text, p.Interval, again, sentence)
	}
	if p.Rounded == "" && p.Rule != Default {
		if span, ok := ReadSpan(p.Asked); !ok || int64(span/time.Second) != p.Seconds {
			t.Fatalf("%q: %s became %s and nothing is said", text, p.Asked, p.Text)
		}
	}
}

func TestParseProperties(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.OneOf(
			rapid.SampledFrom([]string{"every", "Every", "5m", "5", "90", "minutes", "hour", "H", "d", "check", "/x", "\n", "\u00a0", "PR", "5m.", "0s", "\xff", "```"}),
			rapid.StringMatching(`[0-9]{1,25}[smhd]`), rapid.String(),
		), 0, 6).Draw(t, "words")
		text := strings.Join(list, " ")
		checkParse(t, text)
		checkBody(t, text)
	})
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"5m /x", "x every 2 Hours", "x every 90m", "every 5m", "9999999999999999999999s x", "x", "", "5m ````\n# Steps\n````", "x every\u20285m"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		checkParse(t, text)
		checkBody(t, text)
	})
}

// checkBody checks that the prompt appears only inside the block. The text around the block must be
// the same for all prompts with the same number of backticks.
func checkBody(t interface{ Fatalf(string, ...any) }, text string) {
	body := Body(text)
	p, err := Parse(text)
	if err != nil {
		if !strings.Contains(body, Usage) || strings.Contains(body, "Cron expression") {
			t.Fatalf("%q: %s", text, body)
		}
		return
	}
	fence := fenceFor(p.Prompt)
	block := "\n" + fence + "text\n" + p.Prompt + "\n" + fence + "\n"
	before, after, ok := strings.Cut(body, block)
	if !ok || strings.Contains(before, "```") || strings.Contains(p.Prompt, fence) {
		t.Fatalf("%q: the block is not as it should be:\n%s", text, body)
	}
	stand := "work"
	if strings.HasPrefix(p.Prompt, "/") {
		stand = "/work"
	}
	other := strings.TrimSpace(p.Asked + " " + stand)
	if p.Rule == Default {
		return
	}
	if q, err := Parse(other); err != nil || q.Cron != p.Cron {
		t.Fatalf("%q: %+v, %v", other, q, err)
	}
	otherBefore, otherAfter, _ := strings.Cut(Body(other), "\n```text\n"+stand+"\n```\n")
	if after != otherAfter || before != otherBefore {
		t.Fatalf("%q: the text around the block depends on it:\n%s", text, body)
	}
	if utf8.ValidString(text) && !utf8.ValidString(body) {
		t.Fatalf("%q: the body is not text", text)
	}
}
