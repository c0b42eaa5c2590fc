package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

// tests is the group name for measurements of a test run that includes the slow suites.
const tests = "tests/slow"

func readTests(path string) (map[string]float64, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return testFigures(file)
}

// testFigures reads the output of go test -json. It returns the number of tests, the duration of
// each package, and the measurements that tests publish with testing.T.Attr("figure/NAME"). It
// ignores the durations of cached results.
func testFigures(r io.Reader) (map[string]float64, error) {
	t := testOutput{
		figures: map[string]float64{tests + "/all": 0, tests + "/failed": 0, tests + "/skipped": 0}, cached: map[string]bool{},
	}
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
		return nil, errors.New("the file is not output of go test -json")
	case len(t.cached) == 0:
		t.figures[tests+"/seconds/wall"] = t.last.Sub(t.first).Seconds()
	}
	return t.figures, nil
}

// event is one line in the output of go test -json.
type event struct {
	Time                                      time.Time
	Action, Package, Test, Key, Value, Output string
	Elapsed                                   float64
}

type testOutput struct {
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

// end records the end of a test or package.
func (t *testOutput) end(e event) {
	if e.Test == "" {
		if e.Action != "skip" && !t.cached[e.Package] {
			t.figures[tests+"/seconds/"+local(e.Package)] = e.Elapsed
		}
		// If a package does not compile, none of its tests are reported as failed.
		if e.Action == "fail" {
			t.figures[tests+"/failed"]++
		}
		return
	}
	t.figures[tests+"/all"]++
	if e.Action != "pass" {
		t.figures[tests+"/"+map[string]string{"fail": "failed", "skip": "skipped"}[e.Action]]++
	}
}

// local returns the directory of a package in this module, relative to the module root.
func local(pkg string) string {
	if dir, ok := strings.CutPrefix(pkg, module+"/"); ok {
		return dir
	}
	return strings.Replace(pkg, module, ".", 1)
}
