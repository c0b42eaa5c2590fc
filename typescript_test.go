package vade_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/vadehq/vade/internal/testenv"
)

// TestTypeScriptClient runs the client's own tests with a vade program built from this module.
func TestTypeScriptClient(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node")
	}
	env := append(os.Environ(), "VADE_BINARY="+builtVade(t))
	tests, err := filepath.Glob(filepath.Join("clients", "typescript", "test", "*.test.js"))
	if err != nil || len(tests) == 0 {
		t.Fatal("there are no tests", err)
	}
	runIn(t, ".", env, node, append([]string{"--test", "--test-timeout", "120000"}, tests...)...)
}

// builtVade builds the program from this module and returns its path.
func builtVade(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "vade")
	runIn(t, ".", append(os.Environ(), "CGO_ENABLED=0"), "go", "build", "-o", file, "./cmd/vade")
	return file
}
