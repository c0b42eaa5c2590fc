package coreutils

import (
	"context"
	"math"
	"strconv"
	"strings"
	"time"
)

func sleepCommand() Command {
	return simple("sleep", "wait", noSyntax, prepareSleep)
}

func prepareSleep(p *parsed) (*Prepared, error) {
	if len(p.operands) == 0 {
		return nil, usage(0, "a time is needed")
	}
	total := time.Duration(0)
	for _, o := range p.operands {
		d, ok := parseSleep(o.Name)
		if !ok {
			return nil, usage(o.Word, "invalid time interval %q", o.Name)
		}
		total = min(total+d, 24*365*time.Hour)
	}
	return &Prepared{Run: func(ctx context.Context, _ *IO) int {
		timer := time.NewTimer(total)
		defer timer.Stop()
		select {
		case <-timer.C:
			return 0
		case <-ctx.Done():
			return exitStopped
		}
	}}, nil
}

func parseSleep(text string) (time.Duration, bool) {
	unit := time.Second
	number := strings.TrimRight(text, "smhd")
	switch text[len(number):] {
	case "", "s":
	case "m":
		unit = time.Minute
	case "h":
		unit = time.Hour
	case "d":
		unit = 24 * time.Hour
	default:
		return 0, false
	}
	if strings.Trim(number, "0123456789.") != "" {
		return 0, false
	}
	f, err := strconv.ParseFloat(number, 64)
	if err != nil || f < 0 || math.IsNaN(f) {
		return 0, false
	}
	return time.Duration(min(f*float64(unit), float64(24*365*time.Hour))), true
}
