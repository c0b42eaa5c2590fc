package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"time"
)

// process is one command line to measure.
type process struct {
	name string
	path string
	args []string
	home string // an empty home directory
	dir  string // the working directory; home if empty
	// want must occur in a trial run's output.
	want string
}

// command returns a command to run once. The command's environment ensures that Vade finds no
// definitions outside the tree.
func (p process) command() *exec.Cmd {
	cmd := exec.Command(p.path, p.args...)
	cmd.Dir = cmp.Or(p.dir, p.home)
	cmd.Env = []string{"HOME=" + p.home, "USERPROFILE=" + p.home, "PATH=" + os.Getenv("PATH")}
	for _, name := range []string{"SYSTEMROOT", "TMPDIR", "TEMP"} {
		if value, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	return cmd
}

// check runs the process once and verifies its output, because a process that fails immediately
// would seem fast.
func (p process) check() error {
	cmd := p.command()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s%s", p.name, err, head(stdout.Bytes()), head(stderr.Bytes()))
	}
	if !bytes.Contains(stdout.Bytes(), []byte(p.want)) {
		return fmt.Errorf("%s: %q is not in its output:\n%s%s", p.name, p.want, head(stdout.Bytes()), head(stderr.Bytes()))
	}
	return nil
}

func head(b []byte) []byte { return b[:min(len(b), 2000)] }

// sample holds the measurements from one run of a process.
type sample struct {
	wall, cpu time.Duration
}

// run runs the process once, discards its output, and returns the measurements.
func (p process) run() (sample, error) {
	cmd := p.command()
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return sample{}, fmt.Errorf("%s: %w", p.name, err)
	}
	wall := time.Since(start)
	state := cmd.ProcessState
	return sample{wall, state.UserTime() + state.SystemTime()}, nil
}

// pair is a process and its reference.
type pair struct {
	a, b process
}

// result holds a pair's samples. Samples with the same index were taken in the same round.
type result struct {
	pair
	as, bs []sample
}

// measure runs the two processes alternately. It switches the order in each round.
func (p pair) measure(rounds, warm int) (result, error) {
	r := result{pair: p}
	for i := range warm + rounds {
		var a, b sample
		var errA, errB error
		if i%2 == 0 {
			a, errA = p.a.run()
			b, errB = p.b.run()
		} else {
			b, errB = p.b.run()
			a, errA = p.a.run()
		}
		if errA != nil {
			return r, errA
		}
		if errB != nil {
			return r, errB
		}
		if i >= warm {
			r.as, r.bs = append(r.as, a), append(r.bs, b)
		}
	}
	return r, nil
}

const tableHead = `| A / B | A median | A min | B median | B min | A/B wall | A/B CPU | A−B |
|---|--:|--:|--:|--:|--:|--:|--:|
`

// row formats the result as a row for the table that begins with tableHead.
func (r result) row() string {
	wall, cpu, more := r.medians()
	am, al := summary(r.as)
	bm, bl := summary(r.bs)
	return fmt.Sprintf("| %s / %s | %.1f ms | %.1f | %.1f | %.1f | **%.2f** | %.2f | %.1f ms |\n",
		r.a.name, r.b.name, am, al, bm, bl, wall, cpu, more)
}

// figures adds the pair's measurements to all.
func (r result) figures(all map[string]float64) {
	name := r.a.name + " / " + r.b.name
	wall, cpu, more := r.medians()
	all[name+"/wall ratio"], all[name+"/CPU ratio"], all[name+"/more ms"] = wall, cpu, more
}

// medians returns the ratio of wall times, the ratio of CPU times, and the difference in
// milliseconds. Each is a median over all rounds rather than a ratio of medians, because a
// temporary slowdown of the machine affects both processes in a round.
func (r result) medians() (wall, cpu, more float64) {
	var walls, cpus, diffs []float64
	for i := range r.as {
		a, b := r.as[i], r.bs[i]
		walls = append(walls, float64(a.wall)/float64(b.wall))
		cpus = append(cpus, float64(a.cpu)/float64(max(b.cpu, time.Microsecond)))
		diffs = append(diffs, ms(a.wall-b.wall))
	}
	return median(walls), median(cpus), median(diffs)
}

// summary returns the median and minimum wall time in milliseconds.
func summary(samples []sample) (mid, least float64) {
	var times []float64
	for _, s := range samples {
		times = append(times, ms(s.wall))
	}
	return median(times), slices.Min(times)
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func median(values []float64) float64 {
	v := slices.Sorted(slices.Values(values))
	n := len(v)
	return (v[(n-1)/2] + v[n/2]) / 2
}
