package main

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// peakCommand makes this program run the command line after it once and print
// the peak of its memory. On Linux a child's peak begins at the size of its
// parent, so that only a parent that has done nothing else can see small ones.
const peakCommand = "peak-of"

// peak measures the process's memory by way of a fresh copy of this program.
func (p process) peak() (int64, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	cmd := p.command()
	cmd.Args = append([]string{self, peakCommand, p.path}, p.args...)
	cmd.Path = self
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("%s: cannot measure its memory: %w", p.name, err)
	}
	return strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
}

// printPeak is what the copy does.
func printPeak(args []string) error {
	cmd := exec.Command(args[0], args[1:]...)
	if err := cmd.Run(); err != nil {
		return err
	}
	fmt.Println(peakMemory(cmd.ProcessState))
	return nil
}
