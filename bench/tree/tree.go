// Package tree creates directories with many skills for benchmarks. The same seed yields the same
// bytes, and the skills have the same mix of styles as real ones.
package tree

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// SkillsDir is the skills directory, relative to the root of the tree.
const SkillsDir = ".claude/skills"

// Options describes a tree's content.
type Options struct {
	// Skills is the number of skills. One in a hundred has invalid YAML frontmatter with errors
	// that are common in practice. The first fifty are valid.
	Skills int
	// Seed determines the content. Skill i is the same in trees of any size.
	Seed uint64
}

// Write creates a tree in dir and creates dir if necessary. The tree has a .git directory, so that
// dir is recognized as a project root. Each skill is in .claude/skills/NAME/SKILL.md. Write
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

// Name returns the name of skill i. The skill's directory has the same name.
func Name(seed uint64, i int) string {
	r := source(seed, i, 0)
	return fmt.Sprintf("%s-%s-%05d", pick(r, verbs), pick(r, topics), i)
}

// Skill returns the SKILL.md of skill i, which is about 6 KB long.
func Skill(seed uint64, i int) []byte {
	r := source(seed, i, 1)
	w := &writer{r: r}
	w.frontmatter(Name(seed, i), i%100 == 57)
	w.body(3000 + r.IntN(6000))
	return w.out
}

// source returns a random number generator for one purpose and one skill.
func source(seed uint64, i, purpose int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(i)<<8|uint64(purpose)))
}

func pick(r *rand.Rand, words []string) string { return words[r.IntN(len(words))] }
