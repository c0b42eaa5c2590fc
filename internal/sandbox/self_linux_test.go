package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"testing"
)

// TestForgottenMain checks that Run refuses a program that names itself as the
// helper without calling Main. Otherwise, it would start itself forever.
func TestForgottenMain(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	called.Store(false)
	defer called.Store(true)
	s := Spec{Helper: self, Path: "/bin/true", Args: []string{"true"}, Dir: "/"}
	if _, err := Run(t.Context(), s); !errors.Is(err, ErrNoHelper) {
		t.Errorf("its own helper: %v", err)
	}
	if path, err := exec.LookPath("true"); err == nil {
		s.Helper, s.Path = path, path
		if _, err := Run(t.Context(), s); errors.Is(err, ErrNoHelper) {
			t.Errorf("another helper: %v", err)
		}
	}
	name := os.Args[0]
	defer func() { os.Args[0] = name }()
	os.Args[0] = helperName
	if _, err := Run(t.Context(), s); !errors.Is(err, ErrNoHelper) {
		t.Errorf("in a helper: %v", err)
	}
}
