// Command packaging builds Vade's releases: go run ./packaging --out DIR
//
// It runs the program in packaging/release. That program is a separate module so that its
// dependencies do not become dependencies of Vade.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

func main() {
	code, err := release(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "packaging:", err)
	}
	os.Exit(code)
}

// release builds and runs the program in packaging/release, and returns its exit code.
func release(args []string) (int, error) {
	dir, err := os.MkdirTemp("", "vade-packaging")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "release.exe")
	for _, c := range [][]string{
		{"go", "build", "-C", filepath.Join("packaging", "release"), "-o", program, "."},
		append([]string{program}, args...),
	} {
		cmd := exec.Command(c[0], c[1:]...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		if err := cmd.Run(); err != nil {
			if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
				return max(exit.ExitCode(), 1), nil
			}
			return 1, err
		}
	}
	return 0, nil
}
