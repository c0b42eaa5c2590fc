package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// prepare builds the programs as a release does and makes the trees.
func prepare(dir string, cfg config) (*bench, error) {
	root, err := moduleRoot()
	if err != nil {
		return nil, err
	}
	b := &bench{dir: dir, home: filepath.Join(dir, "home")}
	if err := os.Mkdir(b.home, 0o755); err != nil {
		return nil, err
	}
	if b.bare, err = build(root, dir, "./bench/bare"); err != nil {
		return nil, err
	}
	if b.empty, err = build(root, dir, "./bench/empty"); err != nil {
		return nil, err
	}
	if b.vade, err = vadeBinary(root, dir, cfg.vade); err != nil {
		return nil, err
	}
	gentree, err := build(root, dir, "./bench/gentree")
	if err != nil {
		return nil, err
	}
	for _, n := range cfg.sizes {
		args := []string{"-n", strconv.Itoa(n), "-seed", strconv.FormatUint(cfg.seed, 10), "-o", b.tree(n)}
		if out, err := exec.Command(gentree, args...).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("cannot make a tree of %d skills: %w\n%s", n, err, out)
		}
	}
	return b, b.repository()
}

func vadeBinary(root, dir, given string) (string, error) {
	if given != "" {
		return filepath.Abs(given)
	}
	return build(root, dir, "./cmd/vade")
}

func moduleRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("cannot ask go for the module: %w", err)
	}
	mod := strings.TrimSpace(string(out))
	if mod == "" || mod == os.DevNull {
		return "", fmt.Errorf("run it inside Vade's module")
	}
	return filepath.Dir(mod), nil
}

// build compiles a package with the flags of a release and returns the
// program's path.
func build(root, dir, pkg string) (string, error) {
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
