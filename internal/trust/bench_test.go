package trust

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// benchClosure returns a skill with n companion files of 4 KiB each.
func benchClosure(n int) *Closure {
	c := sample()
	for i := range n {
		c.Files = append(c.Files, File{Path: fmt.Sprintf("/p/%03d.md", i), Data: []byte(strings.Repeat("some words\n", 372))})
	}
	return c
}

func BenchmarkDigest(b *testing.B) {
	c := benchClosure(20)
	for b.Loop() {
		c.Digest()
	}
}

func BenchmarkCheck(b *testing.B) {
	for _, n := range []int{0, 20} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s, err := Open(filepath.Join(b.TempDir(), "trust"))
			if err != nil {
				b.Fatal(err)
			}
			c := benchClosure(n)
			if _, err := s.Give(c, now); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if state, _, err := s.Check(c); state != Trusted {
					b.Fatal(state, err)
				}
			}
		})
	}
}

func BenchmarkCheckOfNothing(b *testing.B) {
	s, err := Open(filepath.Join(b.TempDir(), "trust"))
	if err != nil {
		b.Fatal(err)
	}
	c := sample()
	for b.Loop() {
		if state, _, err := s.Check(c); state != None || err != nil {
			b.Fatal(state, err)
		}
	}
}

func BenchmarkGive(b *testing.B) {
	s, err := Open(filepath.Join(b.TempDir(), "trust"))
	if err != nil {
		b.Fatal(err)
	}
	c := benchClosure(20)
	for b.Loop() {
		if _, err := s.Give(c, now); err != nil {
			b.Fatal(err)
		}
	}
}
