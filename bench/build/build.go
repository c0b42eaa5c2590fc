// Package build compiles the programs that the benchmarks measure.
package build

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Root returns the directory of the module that contains the working directory.
func Root() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("cannot find go.mod: %w", err)
	}
	mod := strings.TrimSpace(string(out))
	if mod == "" || mod == os.DevNull {
		return "", errors.New("run it inside Vade's module")
	}
	return filepath.Dir(mod), nil
}

// Program compiles a package of the module at root. The program is stripped and does not use cgo,
// like a release. Program writes it to dir and returns its path.
func Program(root, dir, pkg string) (string, error) {
	program := filepath.Join(dir, filepath.Base(pkg))
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", program, pkg)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("cannot build %s: %w\n%s", pkg, err, out)
	}
	return program, nil
}

// C compiles a C file of the module at root. It writes the program to dir and returns the program's
// path, or "" if no C compiler is installed.
func C(root, dir, file string) (string, error) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		return "", nil
	}
	program := filepath.Join(dir, strings.TrimSuffix(filepath.Base(file), ".c"))
	cmd := exec.Command(cc, "-O2", "-o", program, filepath.FromSlash(file))
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("cannot build %s: %w\n%s", file, err, out)
	}
	return program, nil
}
