// Gentree writes a directory full of skills to measure with.
//
//	go run ./bench/gentree -n 10000 -o DIR
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/vadehq/vade/bench/tree"
)

func main() {
	n := flag.Int("n", 1000, "number of skills")
	out := flag.String("o", "", "directory to write into (created)")
	seed := flag.Uint64("seed", 1, "chooses the content")
	flag.Parse()
	if *out == "" || *n < 0 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "usage: gentree [-n SKILLS] [-seed SEED] -o DIR")
		os.Exit(2)
	}
	if err := tree.Write(*out, tree.Options{Skills: *n, Seed: *seed}); err != nil {
		fmt.Fprintln(os.Stderr, "gentree:", err)
		os.Exit(1)
	}
}
