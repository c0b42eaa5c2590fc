package schedule

import (
	"errors"
	"fmt"
	"strings"
	"time"

	cron "github.com/netresearch/go-cron"
)

// Table is a cron expression that can be asked for its times.
type Table struct {
	expression string
	times      cron.Schedule
}

// NewTable reads a cron expression of five fields: minute, hour, day of the month,
// month, day of the week, with lists, ranges, steps and the English short names. Where
// both kinds of days are restricted, a day has to meet one of them, as in crontab(5).
// One that never comes is an error.
func NewTable(expression string) (*Table, error) {
	if n := len(strings.Fields(expression)); n != 5 {
		return nil, fmt.Errorf("a cron expression has five fields (minute, hour, day of the month, month, day of the week), and this has %d", n)
	}
	p, err := cron.TryNewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.DowOrDom)
	if err != nil {
		return nil, err
	}
	times, err := p.Parse(expression)
	if err != nil {
		return nil, fmt.Errorf("no cron expression: %w", err)
	}
	t := &Table{expression, times}
	if t.Next(time.Now()).IsZero() {
		return nil, errors.New("a time that this cron expression means never comes")
	}
	return t, nil
}

// String is the expression.
func (t *Table) String() string { return t.expression }

// Next is the first time of the table after the given one, in its time zone and on a
// full minute. It is zero where none comes within five years. Where clocks are put
// forward, what the hour that is left out would have had comes right behind it; where
// they are put back, a time in the hour that comes twice comes twice.
func (t *Table) Next(after time.Time) time.Time {
	next := t.times.Next(after)
	// The zones of some years are not of whole hours, and nothing of ours hangs on how
	// a library counts through them.
	for range 60 {
		if next.IsZero() || next.After(after) {
			return next
		}
		next = t.times.Next(next.Add(time.Minute))
	}
	return time.Time{}
}
