package vade_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/testenv"
)

// TestReferencesUnderLoad swaps the target of a reference and a command between
// a project file and a symlink that leaves the project while both are loaded.
// The outside file's content must never appear.
func TestReferencesUnderLoad(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	dir, outside := t.TempDir(), t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const secret = "THE-SECRET"
	write(outside+"/x.txt", secret)
	write(dir+"/d/x.txt", "inside")
	write(dir+"/plain", "inside")
	write(dir+"/.git/HEAD", "")
	write(dir+"/.claude/commands/c.md", "@x.txt @l/x.txt\n\n!`cat x.txt` !`cat l/x.txt` !`cat *.txt` !`grep -rh . l`\n")
	link := func(name, to, spare string) {
		// The new symlink replaces the old one atomically.
		if err := os.Symlink(to, spare); err == nil {
			_ = os.Rename(spare, name)
		}
	}
	stop := make(chan struct{})
	var swappers sync.WaitGroup
	for i, s := range []struct{ name, good, bad string }{{dir + "/x.txt", "plain", outside + "/x.txt"}, {dir + "/l", "d", outside}} {
		link(s.name, s.good, s.name+".spare")
		swappers.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				to := s.good
				if (n+i)%2 == 0 {
					to = s.bad
				}
				link(s.name, to, s.name+".spare")
			}
		})
	}
	inside := 0
	for range 400 {
		c, err := catalog.Open(t.Context(), catalog.Options{Dir: dir, Home: t.TempDir(), Getenv: func(string) string { return "" }})
		if err != nil {
			t.Fatal(err)
		}
		result, err := c.Load(context.Background(), "/c")
		if err != nil {
			t.Fatal(err)
		}
		data, _ := json.Marshal(result)
		if strings.Contains(string(data), secret) {
			t.Fatalf("the file outside was read: %s", data)
		}
		if strings.Contains(result.Command.Text, "inside") {
			inside++
		}
		c.Close()
	}
	close(stop)
	swappers.Wait()
	if inside == 0 {
		t.Error("the file inside was never read: the test shows nothing")
	}
}
