package coreutils

import (
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestDateAsGNU compares formats that do not depend on the current time.
func TestDateAsGNU(t *testing.T) {
	var list []invocation
	for _, at := range []string{"@0", "2024-02-29", "2024-12-30 23:59:58", "2000-01-01 12:00"} {
		for _, f := range []string{"%a %A %b %B %h", "%c", "%C %d %D %e %F %G", "%H %I %j %k %l %m %M", "%p %P %q %r %R %s %S %T %N", "%u %V %w %x %X %y %Y",
			"%z %:z %Z", "%n%t%%", "%-d %_d %-m %_H %-j %^a %^B %-H|%_m", "plain", "%Y-%m-%d_%H-%M-%S", "%-y %_y %-C %-e %0e"} {
			list = append(list, invocation{argv: []string{"date", "-d", at, "+" + f}})
		}
		for _, f := range []string{"-I", "-Iseconds", "-Idate", "-Ihours", "-Iminutes", "-R", "-u", "--iso-8601", "--utc"} {
			list = append(list, invocation{argv: []string{"date", f, "-d", at}})
		}
	}
	for _, at := range []string{"2024-01-31 +1 month", "2024-03-31 1 month ago", "2024-02-29 next year", "2024-02-29 last year", "2024-05-05 3 days ago",
		"2024-05-05 2 weeks", "2024-05-05 12:00 tomorrow", "2024-05-05 yesterday", "2024-05-05 10:00 2 hours ago", "2024-05-05 90 minutes ago",
		"2024-05-05 +1 day +2 hours", "2024-05-05 next week", "2024-05-05 last month", "2024-05-05 3days", "2024-05-05 -1 day",
		"2024-05-05 1 year 2 months 3 days ago", "2024-05-05 30 sec"} {
		list = append(list, invocation{argv: []string{"date", "-d", at, "+%F %T.%N"}})
	}
	compareGNU(t, nil, list)
	refuses(t, "date -s now", "date --set=now", "date -f x", "date -r x", "date --file=x", "date 010101", "date +%Q", "date +%", "date +%E", "date -d garbage",
		"date -d ''", "date -d '10 parsecs ago'", "date -I -R", "date +%F +%T", "date -Ifoo", "date -d 2024-13-01", "date -d 2024-02-30", "date --debug",
		"date -d 'TZ=\"X\" now'", "date +%9999999d", "date -d noon", "date -d '@1 1 day'", "date -d '10:00 +0200'")
}

// TestDateFromNow compares offsets from now. Both give the same day unless midnight is in between.
func TestDateFromNow(t *testing.T) {
	if !isGNU("date") {
		t.Skip("date is not GNU's")
	}
	for _, at := range []string{"now", "today", "yesterday", "tomorrow", "2 days ago", "1 week ago", "last week", "next week", "last month", "next year",
		"3 hours ago", "+10 days", "-10 days", "10:00", "yesterday 10:00", "10:00 tomorrow", "1 month"} {
		for attempt := 0; ; attempt++ {
			now := time.Now().UTC()
			cmd := exec.CommandContext(t.Context(), "date", "-u", "-d", at, "+%F %T")
			want, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			if attempt < 5 && time.Now().Unix() != now.Unix() {
				continue
			}
			got := runHere(t, &IO{Now: func() time.Time { return now }}, "date", "-u", "-d", at, "+%F %T")
			if got.stdout != string(want) {
				t.Errorf("%s\nreal %s\nhere %s %s", at, strings.TrimSpace(string(want)), got.stdout, got.stderr)
			}
			break
		}
	}
}

func TestDateUsesItsClockAndZone(t *testing.T) {
	x := &IO{Now: func() time.Time { return time.Unix(1_700_000_000, 0) }, Location: time.FixedZone("X", 5400)}
	if got := runHere(t, x, "date"); got.stdout != "Tue Nov 14 23:43:20 X 2023\n" {
		t.Errorf("got %+v", got)
	}
	if got := runHere(t, x, "date", "-u", "+%R %:z %Z"); got.stdout != "22:13 +00:00 UTC\n" {
		t.Errorf("got %+v", got)
	}
}
