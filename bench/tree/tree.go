// Package tree creates directories full of skills for measurements. The same seed yields the same
// bytes, and the skills have the same mixture of forms as real ones.
package tree

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// SkillsDir is the directory of a tree's skills, relative to its root.
const SkillsDir = ".claude/skills"

// Options describes the content of a tree.
type Options struct {
	// Skills is the number of skills. One in a hundred has frontmatter that is invalid YAML, of
	// the kinds that are common; the first fifty are valid.
	Skills int
	// Seed chooses the content. Skill i is the same in trees of every size.
	Seed uint64
}

// Write creates a tree in dir, which it also creates. The tree has a .git directory, so that dir
// is recognized as the root of a project, and each skill in .claude/skills/NAME/SKILL.md. Write
// replaces existing files.
func Write(dir string, opts Options) error {
	if err := os.MkdirAll(filepath.Join(dir, ".git"), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o644); err != nil {
		return err
	}
	root := filepath.Join(dir, filepath.FromSlash(SkillsDir))
	for i := range opts.Skills {
		skill := filepath.Join(root, Name(opts.Seed, i))
		if err := os.MkdirAll(skill, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(skill, "SKILL.md"), Skill(opts.Seed, i), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// TB is the subset of *testing.T and *testing.B that [Temp] needs.
type TB interface {
	Helper()
	TempDir() string
	Fatal(args ...any)
}

// Temp creates a tree of n skills in a temporary directory that the test or benchmark removes,
// and returns its root.
func Temp(tb TB, n int) string {
	tb.Helper()
	dir := tb.TempDir()
	if err := Write(dir, Options{Skills: n, Seed: 1}); err != nil {
		tb.Fatal(err)
	}
	return dir
}

// Name returns the name of skill i. The skill's directory has the same name.
func Name(seed uint64, i int) string {
	r := source(seed, i, 0)
	return fmt.Sprintf("%s-%s-%05d", pick(r, verbs), pick(r, topics), i)
}

// Skill returns the SKILL.md of skill i, which has about 6 KB.
func Skill(seed uint64, i int) []byte {
	r := source(seed, i, 1)
	w := &writer{r: r}
	w.frontmatter(Name(seed, i), i%100 == 57)
	w.body(3000 + r.IntN(6000))
	return w.out
}

// source returns the random numbers for one purpose of one skill.
func source(seed uint64, i, purpose int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(i)<<8|uint64(purpose)))
}

func pick(r *rand.Rand, words []string) string { return words[r.IntN(len(words))] }
