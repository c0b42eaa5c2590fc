package vade_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/explain"
)

// TestFixesQuoteHostileNames runs every fix for files with hostile names in a
// shell. No fix may execute part of a name.
func TestFixesQuoteHostileNames(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell here")
	}
	skill := "---\nname: deploy\ndescription: d\n---\nx\n"
	files := map[string]string{
		".claude/skills/x$(touch${IFS}PWNED)/SKILL.md":   skill,
		".claude/skills/b $(touch PWNED)/skill.md":       skill,
		".claude/skills/c'$(touch PWNED)'/SKILL.md":      skill,
		".claude/skills/d;touch PWNED;/deep/er/SKILL.md": skill,
		".agents/skills/.e`touch PWNED`/SKILL.md":        skill,
		".github/prompts/r`touch PWNED`$(id).md":         "x",
		".claude/commands/g&touch PWNED&.md":             "x",
		".claude/agents/h$(touch PWNED).md":              "---\nname: h\ndescription: d\n---\nx",
		"skills/i$(touch PWNED)/SKILL.md":                skill,
	}
	dir, home := checkTree(t, files), t.TempDir()
	ex, err := explain.Run(context.Background(), catalog.Options{Dir: dir, Home: home}, explain.Request{All: true})
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, d := range ex.Definitions {
		for _, v := range d.Verdicts {
			command, _, _ := strings.Cut(v.Fix, "   (")
			if !strings.HasPrefix(command, "ln ") && !strings.HasPrefix(command, "mkdir ") && !strings.HasPrefix(command, "mv ") && !strings.HasPrefix(command, "cp ") {
				continue
			}
			tried++
			scratch := checkTree(t, files)
			c := exec.Command(sh, "-c", command)
			c.Dir, c.Env = scratch, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home}
			_ = c.Run()
			_ = filepath.WalkDir(scratch, func(p string, e os.DirEntry, err error) error {
				if err == nil && e.Name() == "PWNED" {
					t.Errorf("%s: %s runs what the name says", v.Host, command)
				}
				return err
			})
		}
	}
	if tried == 0 {
		t.Error("no fix was tried")
	}
}
