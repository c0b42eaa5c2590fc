package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// runTests runs the tests as the README does, and with the slow suites.
func runTests(root string) (map[string]float64, error) {
	figures, err := runSuite(root, "default", "")
	if err != nil {
		return nil, err
	}
	slow, err := runSuite(root, slowSuites, "1")
	maps.Copy(figures, slow)
	return figures, err
}

// slowSuites names the run of the tests with VADE_SLOW.
const slowSuites = "slow"

func runSuite(root, name, slow string) (map[string]float64, error) {
	file, err := os.CreateTemp("", "vade-tests-")
	if err != nil {
		return nil, err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	cmd := exec.Command("go", "test", "-json", "-count=1", "-timeout=60m", "./...")
	cmd.Dir, cmd.Stdout, cmd.Stderr = root, file, os.Stderr
	cmd.Env = append(os.Environ(), "VADE_SLOW="+slow)
	// Tests that fail are a figure.
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		return nil, err
	}
	figures, err := readTests(file.Name(), name)
	if err != nil {
		return nil, err
	}
	figures["tests/"+name+"/seconds/CPU"] = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	return figures, nil
}

func readTests(path, name string) (map[string]float64, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return testFigures(file, name)
}

// testFigures reads the output of go test -json: how many tests there are, how long each
// package takes, and the figures that tests publish with testing.T.Attr("figure/NAME").
// name is that of the run. Times of results that go test had cached are left out.
func testFigures(r io.Reader, name string) (map[string]float64, error) {
	group := "tests/" + name
	t := testOutput{group: group, figures: map[string]float64{group + "/all": 0, group + "/failed": 0, group + "/skipped": 0}, cached: map[string]bool{}}
	lines := bufio.NewReader(r)
	var end error
	for end == nil {
		var line []byte
		line, end = lines.ReadBytes('\n')
		// The go command prints some of its own errors as plain text.
		if !bytes.HasPrefix(line, []byte("{")) {
			continue
		}
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, err
		}
		if err := t.add(e); err != nil {
			return nil, err
		}
	}
	switch {
	case end != io.EOF:
		return nil, end
	case t.first.IsZero():
		return nil, errors.New("no output of go test -json")
	case len(t.cached) == 0:
		t.figures[group+"/seconds/wall"] = t.last.Sub(t.first).Seconds()
	}
	return t.figures, nil
}

// event is a line of go test -json.
type event struct {
	Time                                      time.Time
	Action, Package, Test, Key, Value, Output string
	Elapsed                                   float64
}

type testOutput struct {
	group       string
	figures     map[string]float64
	cached      map[string]bool
	first, last time.Time
}

func (t *testOutput) add(e event) error {
	if t.first.IsZero() {
		t.first = e.Time
	}
	t.last = e.Time
	switch e.Action {
	case "attr":
		name, ok := strings.CutPrefix(e.Key, "figure/")
		if !ok {
			return nil
		}
		value, err := strconv.ParseFloat(e.Value, 64)
		if err != nil {
			return fmt.Errorf("%s %s: %w", e.Package, e.Test, err)
		}
		t.figures[name] += value
	case "output":
		if strings.HasSuffix(e.Output, "\t(cached)\n") {
			t.cached[e.Package] = true
		}
	case "pass", "fail", "skip":
		t.end(e)
	}
	return nil
}

// end counts the end of a test, or of a package.
func (t *testOutput) end(e event) {
	if e.Test == "" {
		if e.Action != "skip" && !t.cached[e.Package] {
			t.figures[t.group+"/seconds/"+local(e.Package)] = e.Elapsed
		}
		// A package that does not compile has no test that could fail.
		if e.Action == "fail" {
			t.figures[t.group+"/failed"]++
		}
		return
	}
	t.figures[t.group+"/all"]++
	if e.Action != "pass" {
		t.figures[t.group+"/"+map[string]string{"fail": "failed", "skip": "skipped"}[e.Action]]++
	}
}

// local returns the directory of one of our packages, relative to the module.
func local(pkg string) string {
	if dir, ok := strings.CutPrefix(pkg, module+"/"); ok {
		return dir
	}
	return strings.Replace(pkg, module, ".", 1)
}
