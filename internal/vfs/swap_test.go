//go:build unix

package vfs

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/vadehq/vade/internal/testenv"
)

// swapping alternates two files at a path until stop is called, and counts the swaps.
func swapping(t *testing.T, place string, things [2]func(string) error) (swaps *atomic.Int64, stop func()) {
	t.Helper()
	swaps = new(atomic.Int64)
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			for _, thing := range things {
				tmp, old := place+".tmp", place+".old"
				if thing(tmp) != nil {
					continue
				}
				if os.Rename(tmp, place) != nil {
					// A directory cannot replace an existing entry.
					_ = os.Rename(place, old)
					_ = os.Rename(tmp, place)
					_ = os.RemoveAll(old)
				}
			}
			swaps.Add(1)
			select {
			case <-quit:
				return
			default:
			}
		}
	}()
	return swaps, sync.OnceFunc(func() {
		close(quit)
		<-done
		_ = os.RemoveAll(place)
	})
}

// readers returns all ways to read a file.
func readers(g grounds) map[string]func(name string) (string, error) {
	return map[string]func(string) (string, error){
		"ReadFile": func(name string) (string, error) {
			data, err := g.in.ReadFile(name, 100)
			return string(data), err
		},
		"ReadHead": func(name string) (string, error) {
			buf := make([]byte, 100)
			_, _, err := g.in.ReadHead(name, buf)
			return strings.TrimRight(string(buf), "\x00"), err
		},
		"OpenFile": func(name string) (string, error) {
			h, err := g.in.OpenFile(name)
			if err != nil {
				return "", err
			}
			defer h.Close()
			data, err := io.ReadAll(h)
			return string(data), err
		},
		"View.Open": func(name string) (string, error) { return readView(g.view, name) },
	}
}

// hunt requires at least minReads reads, minGood successful reads and minSwaps swaps. It gives up
// after maxReads reads.
const (
	minReads = 500
	minGood  = 20
	minSwaps = 50
	maxReads = 1_000_000
)

// hunt reads a name while it is being swapped, and fails if it reads a secret. It requires many
// reads to succeed, to prove that the test is effective.
func hunt(t *testing.T, what, place string, things [2]func(string) error, read func() (string, error)) {
	t.Helper()
	swaps, stop := swapping(t, place, things)
	defer stop()
	good := 0
	for n := 0; n < minReads || good < minGood || swaps.Load() < minSwaps; n++ {
		got, err := read()
		if strings.Contains(got, "SECRET") || strings.Contains(got, "KEY") {
			stop()
			t.Fatalf("%s: the secret was read: %q, %v", what, got, err)
		}
		if err == nil && got == "plain" {
			good++
		}
		if n == maxReads {
			stop()
			t.Fatalf("%s: %d good reads and %d swaps: the test shows nothing", what, good, swaps.Load())
		}
		if n%100 == 99 {
			runtime.Gosched()
		}
	}
}

func writing(text string) func(string) error {
	return func(tmp string) error { return os.WriteFile(tmp, []byte(text), 0o644) }
}

func linking(target string) func(string) error {
	return func(tmp string) error { return os.Symlink(target, tmp) }
}

// directoryWith returns a function that creates a directory with one file.
func directoryWith(name string) func(string) error {
	return func(tmp string) error {
		return errors.Join(os.Mkdir(tmp, 0o755), writing("plain")(filepath.Join(tmp, name)))
	}
}

func TestSwapFile(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	eachGrounds(t, func(t *testing.T, g grounds) {
		secret := filepath.Join(g.base, "out/secret")
		for what, other := range map[string]func(string) error{
			"a link": linking(secret), "a relative link": linking("../out/secret"),
			"a hard link": func(tmp string) error { return os.Link(secret, tmp) },
		} {
			for way, read := range readers(g) {
				hunt(t, what+" by "+way, g.base+"/in/swap", [2]func(string) error{writing("plain"), other}, func() (string, error) { return read("swap") })
			}
		}
	})
}

func TestSwapDirectory(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	eachGrounds(t, func(t *testing.T, g grounds) {
		things := [2]func(string) error{directoryWith("secret"), linking("../out")}
		for way, read := range readers(g) {
			hunt(t, way, g.base+"/in/swapdir", things, func() (string, error) { return read("swapdir/secret") })
		}
		// The secret is six bytes long, and the visible content is five.
		hunt(t, "ReadDir", g.base+"/in/swapdir", things, func() (string, error) {
			infos, err := g.view.ReadDir("swapdir")
			switch {
			case err != nil || len(infos) != 1:
				return "", err
			case infos[0].Size() == int64(len("SECRET")):
				return "SECRET", nil
			}
			return "plain", nil
		})
	})
}

// TestSwapHidden swaps files inside the tree. Only the view refuses to read one of them.
func TestSwapHidden(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	eachGrounds(t, func(t *testing.T, g grounds) {
		if err := os.WriteFile(g.base+"/in/.git/plain", []byte("KEY"), 0o644); err != nil {
			t.Fatal(err)
		}
		hunt(t, "a file", g.base+"/in/swap", [2]func(string) error{writing("plain"), linking(".env")},
			func() (string, error) { return readView(g.view, "swap") })
		hunt(t, "a directory", g.base+"/in/swapdir", [2]func(string) error{directoryWith("plain"), linking(".git")},
			func() (string, error) { return readView(g.view, "swapdir/plain") })
	})
}
