package vade_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/vadehq/vade/internal/testenv"
)

// TestPythonClient runs the tests in clients/python with a vade program built from this checkout.
func TestPythonClient(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip(err)
	}
	if out, err := exec.Command(python, "-c", "import sys; assert sys.version_info >= (3, 9), sys.version").CombinedOutput(); err != nil {
		t.Skipf("the client needs Python 3.9 or later: %s", out)
	}
	program := filepath.Join(t.TempDir(), "vade")
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", program, "./cmd/vade").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	c := exec.Command(python, "-m", "unittest", "discover", "-s", "tests")
	c.Dir = filepath.Join("clients", "python")
	c.Env = append(os.Environ(), "VADE_BINARY="+program, "PYTHONPATH=.", "PYTHONDONTWRITEBYTECODE=1")
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
