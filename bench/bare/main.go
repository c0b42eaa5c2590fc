// Bare is the yardstick: the least that a program must do to read the heads of
// all skills in a directory. It opens every */SKILL.md, one after the other,
// reads the first 4 KiB and prints how many there were.
package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: bare DIR")
		os.Exit(2)
	}
	count, err := readHeads(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "bare:", err)
		os.Exit(1)
	}
	fmt.Println(count)
}

func readHeads(dir string) (int, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, err
	}
	head := make([]byte, 4096)
	for _, e := range entries {
		f, err := os.Open(filepath.Join(dir, e.Name(), "SKILL.md"))
		if err != nil {
			return 0, err
		}
		_, err = io.ReadFull(f, head)
		f.Close()
		if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
			return 0, err
		}
	}
	return len(entries), nil
}
