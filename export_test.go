package vade_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/testenv"
)

// inMemory opens a project from a map of files.
func inMemory(t interface{ Fatal(...any) }, files map[string]string, as string) *catalog.Catalog {
	m := fstest.MapFS{}
	for name, text := range files {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	c, err := catalog.Open(context.Background(), catalog.Options{
		As: as, Isolated: true, Layers: []catalog.LayerFS{{Layer: definition.Project, Name: "project", FS: m}}, Getenv: func(string) string { return "" },
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestExportedDefinitionsReadBack exports generated definitions to every host
// and reads them with the host's profile. Each must load under the reported
// name, and its description and body must be unchanged if no loss is reported.
func TestExportedDefinitionsReadBack(t *testing.T) {
	t.Parallel()
	testenv.SkipUnlessSlow(t)
	ctx := context.Background()
	hosts := export.Hosts()
	kept := 0
	testenv.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]string{"skills/%/SKILL.md", "commands/%.md", "agents/%.md"}).Draw(t, "kind")
		name := rapid.StringMatching("[a-z]{2,8}(-[a-z]{1,5})?").Draw(t, "name")
		description := rapid.OneOf(
			rapid.StringMatching("[A-Z][a-zA-Z ,.]{3,60}[a-z]"),
			rapid.StringMatching("[A-Z][ -;=?-~]{0,60}[a-z]"),
		).Draw(t, "description")
		extra := rapid.SampledFrom([]string{
			"", "model: inherit\n", "user-invocable: true\n", "license: MIT\n", "argument-hint: \"[x]\"\n", "allowed-tools: Read\n", "tools: Read, Grep\n", "weird: 1\n",
		}).Draw(t, "extra")
		body := rapid.StringMatching("[A-Za-z][a-zA-Z0-9 .,\n#*-]{0,80}[a-z]\n").Draw(t, "body")
		quoted := "'" + strings.ReplaceAll(description, "'", "''") + "'"
		c := inMemory(t, map[string]string{
			".agents/" + strings.ReplaceAll(kind, "%", name): "---\nname: " + name + "\ndescription: " + quoted + "\n" + extra + "---\n" + body,
		}, "")
		defer c.Close()
		for _, h := range hosts {
			e, err := export.To(ctx, c, export.Request{Host: h})
			if err != nil {
				t.Fatal(err)
			}
			files := map[string]string{}
			for _, f := range e.Files {
				files[f.Path] = string(f.Data)
			}
			back := inMemory(t, files, h)
			for _, f := range e.Files {
				if filepath.Base(f.Path) == "openai.yaml" {
					continue
				}
				d, err := back.Get(ctx, f.Kind, f.Name)
				if err != nil {
					t.Fatalf("%s does not load %s: %v\n%s", h, f.Path, err, f.Data)
				}
				if slices.ContainsFunc(e.Losses, func(l export.HostLoss) bool { return l.What != "kind" }) {
					continue
				}
				kept++
				text, err := d.Body(ctx)
				if err != nil || strings.TrimSpace(text) != strings.TrimSpace(body) {
					t.Fatalf("%s: the body %q is %q (%v)", h, body, text, err)
				}
				if strings.Join(strings.Fields(d.Description()), " ") != strings.Join(strings.Fields(description), " ") {
					t.Fatalf("%s: the description %q is %q", h, description, d.Description())
				}
			}
			back.Close()
		}
	})
	if kept < 50 {
		t.Fatalf("only %d definitions were compared: the test is broken", kept)
	}
}

// TestExportOfHostileNames checks that a definition's file stays in the host's directory,
// regardless of its name.
func TestExportOfHostileNames(t *testing.T) {
	ctx := context.Background()
	for _, name := range []string{`"../../x"`, `"..\\..\\x"`, `".git/hooks/x"`, `"a\u0000b"`, `"a\e[31mb"`, `"CON"`, `"/etc/passwd"`, `"a:b:../c"`, `".."`, `"~/x"`} {
		c := inMemory(t, map[string]string{".agents/agents/x.md": "---\nname: " + name + "\ndescription: d\n---\nx\n"}, "")
		for _, h := range export.Hosts() {
			e, err := export.To(ctx, c, export.Request{Host: h})
			must(t, err)
			for _, f := range e.Files {
				if !strings.HasPrefix(f.Path, ".") || strings.Contains(f.Path, "..") || strings.HasPrefix(f.Path, ".git/") || strings.Count(f.Path, "/") > 2 ||
					strings.ContainsAny(f.Path, "\\:\x00\x1b~") {
					t.Errorf("%s for %s goes to %q", name, h, f.Path)
				}
			}
		}
		c.Close()
	}
}

func TestExportIsDeterministic(t *testing.T) {
	ctx := context.Background()
	files := map[string]string{
		".agents/skills/a/SKILL.md": "---\ndescription: a\nallowed-tools: Read\nx: 1\ny: 2\n---\n$ARGUMENTS $0\n", ".agents/commands/b.md": "b\n",
		".claude/agents/c.md": "---\nname: c\ndescription: d\ntools: Read, Bash(ls)\n---\nc\n", "CLAUDE.md": "x\n", ".claude/rules/r.md": "---\npaths: src/**\n---\nr\n",
	}
	for _, h := range export.Hosts() {
		var texts []string
		for range 2 {
			c := inMemory(t, files, "")
			e, err := export.To(ctx, c, export.Request{Host: h})
			must(t, err)
			var b strings.Builder
			for _, f := range e.Files {
				b.WriteString(f.Path + "\n" + string(f.Data))
			}
			for _, l := range e.Losses {
				b.WriteString(l.What + l.Message + "\n")
			}
			texts = append(texts, b.String())
			c.Close()
		}
		if texts[0] != texts[1] || texts[0] == "" {
			t.Errorf("%s: two exports differ", h)
		}
	}
}

func TestExportErrors(t *testing.T) {
	ctx := context.Background()
	c := inMemory(t, map[string]string{".agents/skills/a/SKILL.md": "---\ndescription: a\n---\nx\n"}, "")
	defer c.Close()
	for _, x := range []struct {
		r    export.Request
		want error
	}{
		{export.Request{Host: "nobody"}, export.ErrNoHost},
		{export.Request{Host: "neutral"}, export.ErrNoFiles},
		{export.Request{Host: "codex", Names: []string{"a", "b"}}, definition.ErrNotFound},
	} {
		if _, err := export.To(ctx, c, x.r); !errors.Is(err, x.want) {
			t.Errorf("%+v: %v, want %v", x.r, err, x.want)
		}
	}
	ended, stop := context.WithCancel(ctx)
	stop()
	if _, err := export.To(ended, c, export.Request{Host: "codex"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
}

// TestExportWrites checks that nothing is replaced without --force and nothing is written through
// a symlink.
func TestExportWrites(t *testing.T) {
	e := &export.Export{Files: []export.ExportedFile{{Path: "a/b/x.md", Data: []byte("new")}, {Path: "a/run.sh", Data: []byte("#!"), Executable: true}}}
	dir := filepath.Join(t.TempDir(), "out")
	steps, err := e.Write(dir, false)
	must(t, err)
	if len(steps) != 2 || steps[0].Change != "create" {
		t.Errorf("steps: %+v", steps)
	}
	info, err := os.Stat(filepath.Join(dir, "a/run.sh"))
	must(t, err)
	if info.Mode()&0o100 == 0 {
		t.Error("the bit that lets it run is gone")
	}
	steps, err = e.Write(dir, false)
	must(t, err)
	if steps[0].Change != "same" {
		t.Errorf("the second time: %+v", steps)
	}
	file := filepath.Join(dir, "a/b/x.md")
	must(t, os.WriteFile(file, []byte("mine"), 0o644))
	if _, err := e.Write(dir, false); !errors.Is(err, export.ErrDiffers) {
		t.Errorf("another file: %v", err)
	}
	if data, _ := os.ReadFile(file); string(data) != "mine" {
		t.Errorf("it holds %q", data)
	}
	_, err = e.Write(dir, true)
	must(t, err)
	if data, _ := os.ReadFile(file); string(data) != "new" {
		t.Errorf("with force it holds %q", data)
	}
	outside := t.TempDir()
	must(t, os.RemoveAll(filepath.Join(dir, "a/b")))
	if err := os.Symlink(outside, filepath.Join(dir, "a/b")); err != nil {
		t.Skipf("links cannot be created here: %v", err)
	}
	if _, err := e.Write(dir, true); err == nil {
		t.Error("it writes through a link")
	}
	if list, _ := os.ReadDir(outside); len(list) > 0 {
		t.Errorf("written outside: %v", list)
	}
}

// TestExportKeepsOutOfGit checks that nothing is written to a git directory, directly or through
// a symlink.
func TestExportKeepsOutOfGit(t *testing.T) {
	e := &export.Export{Files: []export.ExportedFile{{Path: "hooks/x", Data: []byte("new")}}}
	dir := t.TempDir()
	git := filepath.Join(dir, ".git")
	must(t, os.Mkdir(git, 0o755))
	out := []string{git, filepath.Join(git, "x"), filepath.Join(dir, ".GIT", "x", "y")}
	if err := os.Symlink(git, filepath.Join(dir, "gg")); err == nil {
		out = append(out, filepath.Join(dir, "gg"), filepath.Join(dir, "gg", "x", "y"))
	}
	for _, to := range out {
		if _, err := e.Write(to, true); err == nil {
			t.Errorf("%s is written to", to)
		}
	}
	if list, _ := os.ReadDir(git); len(list) > 0 {
		t.Errorf("written: %v", list)
	}
	if _, err := e.Write(filepath.Join(dir, ".github"), false); err != nil {
		t.Error(err)
	}
}

// TestExportGuards checks that every host's file contains the restrictions that prevent an agent
// from writing, even if the host could read the source unchanged.
func TestExportGuards(t *testing.T) {
	guarded := regexp.MustCompile(`(?m)^(tools:|readonly: true$|sandbox_mode = "read-only"$)|^  "\*": (false|deny)$`)
	for _, guard := range []string{"readonly: true", "sandbox_mode: read-only", "tools: Read, Grep", "permission:\n  \"*\": deny\n  read: allow"} {
		c := inMemory(t, map[string]string{".agents/agents/x.md": "---\nname: x\ndescription: D\n" + guard + "\n---\nBody\n"}, "")
		for _, h := range export.Hosts() {
			e, err := export.To(t.Context(), c, export.Request{Host: h})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range e.Files {
				if !guarded.Match(f.Data) {
					t.Errorf("%s: %s:\n%s", h, guard, f.Data)
				}
			}
		}
		c.Close()
	}
}
