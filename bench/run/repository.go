package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// repository creates a git repository with a changed file, for the pairs that compare commands. It
// does nothing if git or bash is missing.
func (b *bench) repository() error {
	var err error
	if b.git, err = exec.LookPath("git"); err != nil {
		return nil
	}
	if b.bash, err = exec.LookPath("bash"); err != nil {
		b.git = ""
		return nil
	}
	b.repo = filepath.Join(b.dir, "repository")
	for i := range 50 {
		name := filepath.Join(b.repo, "src", fmt.Sprintf("file%d.txt", i))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte("one\ntwo\n"), 0o644); err != nil {
			return err
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "one"}} {
		cmd := exec.Command(b.git, args...)
		cmd.Dir = b.repo
		cmd.Env = append(os.Environ(), "HOME="+b.home, "GIT_CONFIG_NOSYSTEM=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %v: %w\n%s", args, err, out)
		}
	}
	return os.WriteFile(filepath.Join(b.repo, "src", "file7.txt"), []byte("changed\n"), 0o644)
}

// commandPairs returns the pairs that compare commands run by Vade with the same commands run by
// bash.
func (b *bench) commandPairs() []pair {
	if b.git == "" {
		return nil
	}
	shells := func(label, want, text string) pair {
		return pair{
			process{"vade shell, " + label, b.vade, []string{"shell", "--", text}, b.home, b.repo, want},
			process{"bash, " + label, b.bash, []string{"-c", text}, b.home, b.repo, want},
		}
	}
	return []pair{
		shells("git status", "file7.txt", "git status --short"),
		shells("grep and wc", "98", "grep -r o src | wc -l"),
	}
}
