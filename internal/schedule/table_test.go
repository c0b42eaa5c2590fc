package schedule

import (
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/internal/testenv"
)

func table(t interface {
	Helper()
	Fatalf(string, ...any)
}, expression string,
) *Table {
	t.Helper()
	list, err := NewTable(expression)
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return list
}

// TestGapsAreEven checks with the cron library that consecutive times are one interval apart, for
// each expression and regardless of the start time. Steps over days are as even as months allow:
// only the gap before the first day of a month is shorter.
func TestGapsAreEven(t *testing.T) {
	start := time.Date(2027, time.January, 30, 13, 27, 11, 5, time.UTC)
	for _, minutes := range clean() {
		i := newInterval(minutes)
		list := table(t, i.Cron)
		every := time.Duration(i.Seconds) * time.Second
		end := start.Add(5 * day)
		if every > day {
			end = start.AddDate(0, 14, 0)
		}
		at, n := list.Next(start), 0
		if at.Sub(start) > every {
			t.Errorf("%s: the first time is %v", i.Cron, at)
		}
		for at.Before(end) {
			next := list.Next(at)
			gap := next.Sub(at)
			switch {
			case every <= day && gap != every,
				every > day && next.Month() == at.Month() && gap != every,
				every > day && next.Month() != at.Month() && (next.Day() != 1 || gap > every):
				t.Fatalf("%s: from %v to %v, want %v", i.Cron, at, next, every)
			}
			if at.Second() != 0 || at.Nanosecond() != 0 {
				t.Fatalf("%s: %v is no full minute", i.Cron, at)
			}
			at = next
			n++
		}
		if n < 5 {
			t.Errorf("%s: only %d gaps were looked at", i.Cron, n)
		}
	}
}

// TestGapsOfAnyText is like TestGapsAreEven, but for intervals parsed from text.
func TestGapsOfAnyText(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		asked := rapid.StringMatching(`[0-9]{1,6}[smhd]`).Draw(t, "asked")
		p, err := Parse(asked + " x")
		if err != nil {
			t.Fatal(err)
		}
		list := table(t, p.Cron)
		at := list.Next(time.Unix(rapid.Int64Range(0, 1<<32).Draw(t, "from"), 0).UTC())
		next := list.Next(at)
		if gap := next.Sub(at); int64(gap/time.Second) != p.Seconds && (p.Seconds <= 86400 || next.Day() != 1) {
			t.Fatalf("%s: %s has a gap of %v", asked, p.Cron, gap)
		}
	})
}

// TestClocksPutForwardAndBack checks the behavior that docs/loop.md describes for daylight saving
// time.
func TestClocksPutForwardAndBack(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	times := func(expression string, from time.Time, n int) string {
		var list []string
		for range n {
			from = table(t, expression).Next(from)
			list = append(list, from.Format("15:04-07"))
		}
		return strings.Join(list, " ")
	}
	forward := time.Date(2027, time.March, 28, 1, 25, 0, 0, berlin)
	back := time.Date(2027, time.October, 31, 1, 25, 0, 0, berlin)
	for _, x := range []struct {
		expression string
		from       time.Time
		want       string
	}{
		{"*/30 * * * *", forward, "01:30+01 03:00+02 03:30+02"},
		{"30 2 * * *", forward, "03:30+02 02:30+02"},
		{"0 */2 * * *", forward, "03:00+02 04:00+02 06:00+02"},
		{"*/30 * * * *", back, "01:30+02 02:00+02 02:30+02 02:00+01 02:30+01 03:00+01"},
		{"0 */3 * * *", back, "03:00+01 06:00+01"},
		{"0 */2 * * *", back, "02:00+02 02:00+01 04:00+01"},
		{"30 2 * * *", back, "02:30+02 02:30+01 02:30+01"},
		{"0 0 */1 * *", back, "00:00+01 00:00+01"},
	} {
		if got := times(x.expression, x.from, strings.Count(x.want, " ")+1); got != x.want {
			t.Errorf("%s from %v:\ngot  %s\nwant %s", x.expression, x.from, got, x.want)
		}
	}
}

// TestNextIsLater checks that from any moment in any time zone, the next time
// is later and on a full minute.
func TestNextIsLater(t *testing.T) {
	var zones []*time.Location
	for _, name := range []string{"UTC", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "America/Sao_Paulo", "Pacific/Apia", "Africa/Cairo"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		zones = append(zones, zone)
	}
	testenv.Check(t, func(t *rapid.T) {
		expression := rapid.OneOf(
			rapid.Custom(func(t *rapid.T) string { return newInterval(rapid.SampledFrom(clean()).Draw(t, "minutes")).Cron }),
			rapid.SampledFrom([]string{"0 2 * * 6", "30 0 * * *", "59 23 31 12 *", "0 9-17 * * mon-fri", "0 0 13 * 5"}),
		).Draw(t, "expression")
		at := time.Unix(rapid.Int64Range(0, 1<<32).Draw(t, "from"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns")).In(rapid.SampledFrom(zones).Draw(t, "zone"))
		list := table(t, expression)
		for range 5 {
			next := list.Next(at)
			if !next.After(at) || next.Second() != 0 || next.Nanosecond() != 0 || next.Location() != at.Location() {
				t.Fatalf("%s: after %v comes %v", expression, at, next)
			}
			at = next
		}
	})
}

func TestNewTable(t *testing.T) {
	for _, good := range []string{"* * * * *", " */5  * * * * ", "0 9-17 * * mon-fri", "0,30 0 1 jan 7", "5/15 * * * *"} {
		if _, err := NewTable(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	// If both day fields are restricted, matching either one is enough, as in
	// crontab(5): here, the 13th and every Friday.
	either := table(t, "0 0 13 * 5")
	if got := either.Next(time.Date(2027, time.January, 9, 0, 0, 0, 0, time.UTC)); got.Day() != 13 {
		t.Errorf("the 13th or a Friday: %v", got)
	}
	for bad, want := range map[string]string{
		"":                     "five fields",
		"* * * *":              "this one has 4",
		"* * * * * *":          "this one has 6",
		"@hourly":              "this one has 1",
		"@every 1s":            "this one has 2",
		"TZ=UTC * * * * *":     "this one has 6",
		"CRON_TZ=UTC * * * *":  "not a cron expression",
		"60 * * * *":           "not a cron expression",
		"* 24 * * *":           "not a cron expression",
		"* * 0 * *":            "not a cron expression",
		"*/0 * * * *":          "not a cron expression",
		"x * * * *":            `"x" is not a valid number or name`,
		"H * * * *":            "not a cron expression",
		"0 0 L * *":            "not a cron expression",
		"0 0 30 2 *":           "never matches",
		"\x1b[2J * * * *":      "not a cron expression",
		"99999999999 * * * *":  "not a cron expression",
		"0 0 * * " + "1,1,1,x": "not a cron expression",
	} {
		if _, err := NewTable(bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", bad, err, want)
		}
	}
}

func FuzzNewTable(f *testing.F) {
	for _, seed := range []string{"* * * * *", "*/7 1-5,7 1 jan mon#2", "0 0 29 2 *", "TZ=../x * * * *", "@every 1s", "1-0 * * * *", "*/18446744073709551616 * * * *"} {
		f.Add(seed)
	}
	from := time.Date(2027, time.March, 28, 1, 59, 59, 0, time.UTC)
	f.Fuzz(func(t *testing.T, expression string) {
		list, err := NewTable(expression)
		if err != nil {
			return
		}
		if next := list.Next(from); !next.IsZero() && (!next.After(from) || next.Second() != 0) {
			t.Fatalf("%q: %v", expression, next)
		}
	})
}
