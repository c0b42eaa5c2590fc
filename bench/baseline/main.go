// Baseline writes measurements to a JSON file, or prints how they have changed since the file was
// written. Changes to Vade must not make them worse. bench/README.md explains the numbers.
//
//	go run ./bench/baseline
//	go run ./bench/baseline -diff bench/baseline.json
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/vadehq/vade/bench/build"
)

// baseline is the content of the JSON file. Measurements are named GROUP/NAME. The table in diff.go
// defines which direction is better.
type baseline struct {
	Figures map[string]float64 `json:"figures"`
	// Machine describes the machine, because absolute times depend on it.
	Machine string `json:"machine"`
}

func main() {
	if err := start(os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "baseline:", err)
		os.Exit(1)
	}
}

func start(args []string) error {
	flags := flag.NewFlagSet("baseline", flag.ContinueOnError)
	out := flags.String("out", "", "write the measurements to `FILE` (default bench/baseline.json, unless -diff is given)")
	diff := flags.String("diff", "", "print the differences from the measurements in `FILE`")
	quick := flags.Bool("quick", false, "skip the benchmarks that take minutes: bench/run and bench/serve")
	output := flags.String("tests", "", "read the output of VADE_SLOW=1 go test -json from `FILE`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return errors.New("expected no arguments")
	}
	root, err := build.Root()
	if err != nil {
		return err
	}
	var old baseline
	if *diff != "" {
		data, err := os.ReadFile(*diff)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(data, &old); err != nil {
			return fmt.Errorf("%s: %w", *diff, err)
		}
	}
	figures, err := measure(root, *output, *quick)
	if err != nil {
		return err
	}
	now := baseline{figures, fmt.Sprintf("%s/%s, %d CPUs, %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())}
	if *diff != "" {
		printDiff(os.Stdout, old, now)
	} else if *out == "" {
		*out = filepath.Join(root, "bench", "baseline.json")
	}
	if *out == "" {
		return nil
	}
	data, err := json.MarshalIndent(now, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(*out, append(data, '\n'), 0o644)
}

// measure returns all measurements, rounded to three decimal places.
func measure(root, output string, quick bool) (map[string]float64, error) {
	all := map[string]float64{}
	for _, step := range []struct {
		what string
		do   func() (map[string]float64, error)
		skip bool
	}{
		{"source", func() (map[string]float64, error) { return sourceFigures(root) }, false},
		{"binary", func() (map[string]float64, error) { return binaryFigures(root) }, false},
		{"tests", func() (map[string]float64, error) { return readTests(output) }, output == ""},
		{"bench/run", func() (map[string]float64, error) { return runBench(root, "run") }, quick},
		{"bench/serve", func() (map[string]float64, error) { return runBench(root, "serve") }, quick},
	} {
		if step.skip {
			continue
		}
		began := time.Now()
		figures, err := step.do()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", step.what, err)
		}
		maps.Copy(all, figures)
		fmt.Fprintf(os.Stderr, "baseline: %s: %d measurements in %.0f s\n", step.what, len(figures), time.Since(began).Seconds())
	}
	for name, value := range all {
		all[name] = math.Round(1000*value) / 1000
	}
	return all, nil
}

// runBench runs another benchmark with -json.
func runBench(root, name string) (map[string]float64, error) {
	cmd := exec.Command("go", "run", "./bench/"+name, "-json")
	cmd.Dir, cmd.Stderr = root, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var figures map[string]float64
	if err := json.Unmarshal(out, &figures); err != nil {
		return nil, err
	}
	all := map[string]float64{}
	for key, value := range figures {
		all[name+"/"+key] = value
	}
	return all, nil
}
