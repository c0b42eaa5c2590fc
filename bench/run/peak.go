package main

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// peakCommand makes this program run the command line after it once and print its peak memory. On
// Linux a child's peak starts at the size of its parent, so only a parent that has done nothing
// else can measure small peaks.
const peakCommand = "peak-of"

// peak measures the process's memory by means of a fresh copy of this program.
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

// printPeak is the main function of that copy.
func printPeak(args []string) error {
	cmd := exec.Command(args[0], args[1:]...)
	if err := cmd.Run(); err != nil {
		return err
	}
	fmt.Println(peakMemory(cmd.ProcessState))
	return nil
}
