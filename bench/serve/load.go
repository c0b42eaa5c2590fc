package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// figures are one round's measurements.
type figures struct {
	perSecond float64
	p50, p99  time.Duration
}

// compare measures a call to Vade's server and the same call to the bare server, which returns the
// same text as a constant. It switches the order of the two in each round.
func (c *config) compare(work string, v *server, n int, what, text string, r request) error {
	file := filepath.Join(work, "constant")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		return err
	}
	bare, err := c.startBare(file, r.name)
	if err != nil {
		return err
	}
	defer bare.stop()
	if got, err := bare.call(r); err != nil || got != text {
		return fmt.Errorf("the bare server does not return the text: %w", err)
	}
	var ours, theirs []figures
	for round := range c.rounds + 1 {
		pair := []*server{v, bare}
		if round%2 == 1 {
			slices.Reverse(pair)
		}
		for _, s := range pair {
			f, err := c.load(s, r)
			if err != nil {
				return err
			}
			switch {
			case round == 0: // warm-up round
			case s == v:
				ours = append(ours, f)
			default:
				theirs = append(theirs, f)
			}
		}
	}
	rate := func(f figures) float64 { return f.perSecond }
	p50 := func(f figures) float64 { return ms(f.p50) }
	p99 := func(f figures) float64 { return ms(f.p99) }
	fmt.Fprintf(c.out, "| %s (%d bytes, %d concurrent) | vade | bare | ratio |\n|---|---|---|---|\n", what, len(text), c.workers)
	for _, m := range []struct {
		name string
		of   func(figures) float64
	}{{"requests/s", rate}, {"p50, ms", p50}, {"p99, ms", p99}} {
		ratio := quotient(ours, theirs, m.of)
		fmt.Fprintf(c.out, "| %s | %.1f | %.1f | %.2f |\n", m.name, median(ours, m.of), median(theirs, m.of), ratio)
		c.figures[fmt.Sprintf("%d/%s, %s ratio", n, what, strings.TrimSuffix(m.name, ", ms"))] = ratio
	}
	fmt.Fprintln(c.out)
	return nil
}

// load sends requests for the duration of a round and returns the round's measurements. It stops at
// the first error response.
func (c *config) load(s *server, r request) (figures, error) {
	var wg sync.WaitGroup
	times := make([][]time.Duration, c.workers)
	errs := make([]error, c.workers)
	began := time.Now()
	end := began.Add(c.duration)
	for i := range c.workers {
		wg.Go(func() {
			var buf bytes.Buffer
			for now := time.Now(); now.Before(end); {
				if errs[i] = s.post(r, &buf); errs[i] != nil {
					return
				}
				next := time.Now()
				times[i] = append(times[i], next.Sub(now))
				now = next
			}
		})
	}
	wg.Wait()
	took := time.Since(began)
	for _, err := range errs {
		if err != nil {
			return figures{}, err
		}
	}
	all := slices.Concat(times...)
	slices.Sort(all)
	return figures{float64(len(all)) / took.Seconds(), all[len(all)/2], all[len(all)*99/100]}, nil
}

func median(list []figures, of func(figures) float64) float64 {
	var values []float64
	for _, f := range list {
		values = append(values, of(f))
	}
	return middle(values)
}

// quotient returns the median of of(a[i])/of(b[i]) over all i.
func quotient(a, b []figures, of func(figures) float64) float64 {
	var values []float64
	for i := range a {
		values = append(values, of(a[i])/of(b[i]))
	}
	return middle(values)
}

func middle(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}
