package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/vadehq/vade/bench/build"
	"github.com/vadehq/vade/bench/tree"
)

// prepare builds the programs and creates the trees and the git repository.
func prepare(dir string, cfg config) (*bench, error) {
	root, err := build.Root()
	if err != nil {
		return nil, err
	}
	b := &bench{dir: dir, home: filepath.Join(dir, "home")}
	if err := os.Mkdir(b.home, 0o755); err != nil {
		return nil, err
	}
	if b.floor, err = build.C(root, dir, "bench/floor/floor.c"); err != nil {
		return nil, err
	}
	if b.floor == "" {
		fmt.Fprintln(os.Stderr, "bench: no C compiler (cc) is installed, so nothing is compared with bench/floor")
	}
	if b.empty, err = build.Program(root, dir, "./bench/empty"); err != nil {
		return nil, err
	}
	if b.vade, err = vadeBinary(root, dir, cfg.vade); err != nil {
		return nil, err
	}
	for _, n := range cfg.sizes {
		if err := tree.Write(b.tree(n), tree.Options{Skills: n, Seed: cfg.seed}); err != nil {
			return nil, err
		}
	}
	return b, b.repository()
}

func vadeBinary(root, dir, given string) (string, error) {
	if given != "" {
		return filepath.Abs(given)
	}
	return build.Program(root, dir, "./cmd/vade")
}
