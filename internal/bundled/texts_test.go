package bundled_test

import (
	"context"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/audit/rules"
	"github.com/vadehq/vade/internal/audit/scan"
	"github.com/vadehq/vade/internal/bundled"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/check"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
)

var update = flag.Bool("update", false, "regenerate the golden listings and the tables of companions")

// texts lists the bundled definitions.
var texts = []string{
	"batch", "claude-api", "claude-in-chrome", "debug", "dream", "hunter", "keybindings", "loop", "lorem-ipsum",
	"remember", "run-skill-generator", "schedule", "simplify", "skillify", "stuck", "update-config", "verify",
}

// always lists the definitions that are active by default.
var always = []string{
	"batch", "debug", "keybindings", "lorem-ipsum", "remember", "simplify", "skillify", "stuck", "update-config", "verify",
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := fs.ReadFile(bundled.FS(), name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// split returns the frontmatter and the body of a skill.
func split(t *testing.T, name string) (head, body string) {
	t.Helper()
	rest, ok := strings.CutPrefix(read(t, name+"/SKILL.md"), "---\n")
	head, body, closed := strings.Cut(rest, "\n---\n")
	if !ok || !closed {
		t.Fatalf("%s: no frontmatter", name)
	}
	return head, strings.TrimSpace(body)
}

func TestTheTextsAreThere(t *testing.T) {
	if diff := cmp.Diff(texts, bundled.Names(bundled.FS())); diff != "" {
		t.Errorf("- want, + got:\n%s", diff)
	}
	var on []string
	for _, name := range bundled.Names(bundled.FS()) {
		if bundled.When(new(bundled.KeyReader).Keys(bundled.FS(), name)).Word == "" {
			on = append(on, name)
		}
	}
	if diff := cmp.Diff(always, on); diff != "" {
		t.Errorf("those without a condition: - want, + got:\n%s", diff)
	}
}

// TestSkillsPageIsComplete checks that docs/skills.md lists every definition
// with an example call and its condition.
func TestSkillsPageIsComplete(t *testing.T) {
	data, err := os.ReadFile("../../docs/skills.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	if n := strings.Count(page, "\n### "); n != len(texts) {
		t.Errorf("the page has %d skills", n)
	}
	for _, name := range texts {
		_, part, ok := strings.Cut(page, "\n### "+name+"\n")
		part, _, _ = strings.Cut(part, "\n#")
		if !ok || !strings.Contains(part, "```\n/"+name) {
			t.Errorf("%s: not in docs/skills.md, or without an example of a call", name)
		}
		c := bundled.When(new(bundled.KeyReader).Keys(bundled.FS(), name))
		word := map[string]string{"": "always", "experimental": "experimental", "exists": "`", "variable": "`"}[c.Word]
		_, row, _ := strings.Cut(page, "| ["+name+"](#"+name+") | ")
		row, _, _ = strings.Cut(row, " | ")
		if word == "" || !strings.Contains(row, word) || len(c.Any) > 0 && !strings.Contains(row, "`"+c.Any[0]+"`") {
			t.Errorf("%s: the page says %q of its condition %+v", name, row, c)
		}
	}
}

// TestSkillsAreComplete checks that every skill has a short description that says when to use it,
// documents its arguments and their defaults, and says when it is done and when to ask the user.
func TestSkillsAreComplete(t *testing.T) {
	key := regexp.MustCompile(`(?m)^([a-z-]+):`)
	live := regexp.MustCompile("[$][A-Za-z0-9{]|!`|(?m)^```!|[{]{2}args")
	absent := regexp.MustCompile(`(?i)if nothing was given|if no [a-z]+ (was|is)`)
	for _, name := range texts {
		head, body := split(t, name)
		var keys []string
		for _, m := range key.FindAllStringSubmatch(head, -1) {
			keys = append(keys, m[1])
		}
		if !slices.Equal(keys, []string{"name", "description", "metadata"}) {
			t.Errorf("%s: the frontmatter has %v: the strict validator takes no further keys, and what grants or runs is not ours to say", name, keys)
		}
		if !strings.HasPrefix(head, "name: "+name+"\n") {
			t.Errorf("%s: has another name", name)
		}
		_, description, _ := strings.Cut(head, "description: \"")
		description, _, _ = strings.Cut(description, "\"\n")
		if n := utf8.RuneCountInString(description); n < 80 || n > 300 || !strings.Contains(description, ". Use ") && !strings.Contains(description, "Use when") {
			t.Errorf("%s: its description has %d characters, or does not say when to use it", name, n)
		}
		if !strings.Contains(head, "\n  vade-argument-hint: \"") {
			t.Errorf("%s: declares no arguments", name)
		}
		if !absent.MatchString(strings.Join(strings.Fields(body), " ")) {
			t.Errorf("%s: does not say what happens without arguments", name)
		}
		if !strings.Contains(body, "\n## Done when\n") {
			t.Errorf("%s: does not say when it is done", name)
		}
		if !strings.Contains(body, "\n## Stop and ask\n") && !strings.Contains(body, "\n## 4. Ask before you send\n") {
			t.Errorf("%s: has no place at which it asks", name)
		}
		if n := strings.Count(body, "\n"); n < 30 || n > 130 {
			t.Errorf("%s: has %d lines", name, n)
		}
		if m := live.FindString(body); m != "" {
			t.Errorf("%s: %q means something to a host", name, m)
		}
		for i, line := range strings.Split(body, "\n") {
			if utf8.RuneCountInString(line) > 100 && !strings.HasPrefix(line, "|") {
				t.Errorf("%s: line %d of the body is longer than 100 characters", name, i+1)
			}
		}
	}
}

// TestSkillsTakeOneArgument checks that skills do not declare named arguments. Hosts split the
// user's input at whitespace, so each named argument would get only one word.
func TestSkillsTakeOneArgument(t *testing.T) {
	several := regexp.MustCompile(`^(\[[^\],]*\]\s*){2,}$|^\[[^\],.]*\]$`)
	for _, name := range texts {
		for _, k := range new(bundled.KeyReader).Keys(bundled.FS(), name) {
			if k.Name == "arguments" || k.Name == "argument-hint" && several.MatchString(k.Value) {
				t.Errorf("%s: %s %q would be several arguments, or one word", name, k.Name, k.Value)
			}
		}
	}
}

// TestSkillSteps checks that references to steps, and the steps themselves, are present in the
// skills' text.
func TestSkillSteps(t *testing.T) {
	for name, want := range map[string][2]string{
		"dream":      {"Nothing is changed before step 5", "## 5. Write what was agreed"},
		"stuck":      {"**Change nothing until step 4**", "## 4. Choose a different approach"},
		"batch":      {"(a file `batch-….md` in the project root, see step 2)", "## 2. Write the list"},
		"verify":     {"Otherwise change nothing: report it", "and ask."},
		"claude-api": {"`stop_sequence`", "append the response to the conversation and send that"},
		"schedule":   {"stop or change [name]", "`loop` if it is available"},
	} {
		text := read(t, name+"/SKILL.md")
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s: there is no %q", name, w)
			}
		}
	}
}

// TestSkillsNameNoTools checks that skills do not name any host's tools or
// anything else that the next model makes outdated.
func TestSkillsNameNoTools(t *testing.T) {
	tool := regexp.MustCompile(`AskUserQuestion|CronCreate|CronDelete|TodoWrite|WebFetch|TaskCreate|apply_patch|run_shell_command|\bTask tool\b|\bAgent tool\b|\bSkill tool\b|\bBash\(`)
	model := regexp.MustCompile(`(?i)\b(opus|sonnet|haiku|gpt-[0-9]|gemini-[0-9]|claude-[0-9])|[$][0-9]+([.][0-9]+)?\b`)
	err := fs.WalkDir(bundled.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text := read(t, name)
		if m := tool.FindString(text); m != "" {
			t.Errorf("%s names %s", name, m)
		}
		if m := model.FindString(text); m != "" {
			t.Errorf("%s names %s, which grows stale", name, m)
		}
		if !strings.HasSuffix(text, "\n") || strings.Contains(text, "\r") || strings.Contains(text, " \n") {
			t.Errorf("%s: its lines do not end plainly", name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestSkillsCopyNothing checks that the skills do not copy phrases from the
// text that specified them.
func TestSkillsCopyNothing(t *testing.T) {
	const seeds, run = "../../../shared/seeds", 7
	found, err := filepath.Glob(seeds + "/002*.txt")
	if err != nil || len(found) == 0 {
		t.Skip("the shared inputs are not here")
	}
	data, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	theirs := map[string]bool{}
	for r := range runs(string(data), run) {
		theirs[r] = true
	}
	if len(theirs) < 3000 {
		t.Fatalf("%d runs of words: the test is broken", len(theirs))
	}
	err = fs.WalkDir(bundled.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		for r := range runs(read(t, name), run) {
			if theirs[r] {
				t.Errorf("%s: %q", name, r)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// runs returns all sequences of n words in text, in lowercase and without punctuation.
func runs(text string, n int) func(yield func(string) bool) {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return func(yield func(string) bool) {
		for i := 0; i+n <= len(words); i++ {
			if !yield(strings.Join(words[i:i+n], " ")) {
				return
			}
		}
	}
}

// laid writes the skills to the directories where hosts look for a project's skills.
func laid(t *testing.T) catalog.Options {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	project := filepath.Join(dir, "project")
	for _, d := range []string{"home", "managed", "project/.git"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	skills := filepath.Join(project, ".agents", "skills")
	if err := os.CopyFS(skills, bundled.FS()); err != nil {
		t.Fatal(err)
	}
	// Claude Code reads only this directory.
	theirs := filepath.Join(project, ".claude", "skills")
	if err := os.MkdirAll(filepath.Dir(theirs), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join("..", ".agents", "skills"), theirs); err != nil {
		if err := os.CopyFS(theirs, bundled.FS()); err != nil {
			t.Fatal(err)
		}
	}
	return catalog.Options{
		Dir: project, Home: filepath.Join(dir, "home"), ManagedDir: filepath.Join(dir, "managed"),
		Getenv: func(string) string { return "" },
	}
}

func open(t *testing.T, o catalog.Options) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// TestSkillsPassCheck checks that vade check reports nothing about the skills
// for any host, not even informational findings.
func TestSkillsPassCheck(t *testing.T) {
	r, err := check.Run(context.Background(), laid(t), check.Options{Hosts: []string{"all"}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Checked != len(texts) {
		t.Errorf("%d are checked", r.Checked)
	}
	for _, f := range r.Findings {
		t.Errorf("%s:%d: %s [%s] for %v", f.Path, f.Line, f.Message, f.Code, f.Hosts)
	}
}

// TestSkillsPassAudit checks that the audit neither blocks a skill nor asks for a review.
func TestSkillsPassAudit(t *testing.T) {
	r, err := scan.Run(context.Background(), laid(t), scan.Options{Loaded: true})
	if err != nil || len(r.Packages) < len(texts) {
		t.Fatal(len(r.Packages), err)
	}
	for _, p := range r.Packages {
		if p.Verdict >= rules.Review {
			t.Errorf("%s: %v: %s", p.Path, p.Verdict, p.Reason)
		}
	}
}

// TestSkillsRenderForEveryHost checks that each host sends the whole body, with arguments where
// users can pass them, and that nothing is lost or executed.
func TestSkillsRenderForEveryHost(t *testing.T) {
	const arguments = "the blue one, please"
	o := laid(t)
	for _, p := range registry.Profiles() {
		t.Run(p.Name, func(t *testing.T) {
			o := o
			o.As = p.Name
			c := open(t, o)
			for _, name := range texts {
				_, body := split(t, name)
				r, err := c.Render(context.Background(), catalog.RenderRequest{Prompt: name, ByModel: true})
				whole(t, name, "by a model", body, r, err)
				call := "/" + name
				if p.Prompt != nil {
					call = userCall(p, name)
				}
				if call == "" {
					continue
				}
				r, err = c.Render(context.Background(), catalog.RenderRequest{Prompt: call + " " + arguments, Interactive: true})
				if text := whole(t, name, call, body, r, err); !strings.Contains(text, arguments) {
					t.Errorf("%s: the arguments are not in what the model reads", call)
				}
			}
		})
	}
}

// userCall returns what a user types to call a skill, or "" if users cannot
// call skills in the host.
func userCall(p *host.Profile, name string) string {
	if calls := p.Prompt.Calls; calls != nil {
		if calls.User == nil || calls.User(definition.Skill) == nil || calls.Prefix == nil || calls.Prefix(definition.Skill) == "" {
			return ""
		}
		return calls.Prefix(definition.Skill) + name
	}
	return p.Prompt.UserCall(definition.Skill, name)
}

// whole returns the text of all messages. It fails the test unless the text contains the whole
// body.
func whole(t *testing.T, name, how, body string, r *definition.Rendering, err error) string {
	t.Helper()
	if err != nil {
		t.Errorf("%s %s: %v", name, how, err)
		return ""
	}
	if r.Error != nil || len(r.Attached) > 0 {
		t.Errorf("%s %s: %v, %v", name, how, r.Error, r.Attached)
	}
	for _, d := range r.Diagnostics {
		t.Errorf("%s %s: %s [%s]", name, how, d.Message, d.Code)
	}
	var text strings.Builder
	for _, m := range r.Messages {
		text.WriteString(m.Text + "\n")
	}
	if !strings.Contains(text.String(), body) {
		t.Errorf("%s %s: the body is not in it as it is:\n%s", name, how, text.String())
	}
	return text.String()
}

// TestSkillsLoad checks that each skill loads from a project under the default
// policy, and that skills without a condition load as bundled skills.
func TestSkillsLoad(t *testing.T) {
	t.Run("of a project", func(t *testing.T) { load(t, open(t, laid(t)), texts) })
	t.Run("of Vade", func(t *testing.T) {
		o := laid(t)
		o.Dir = t.TempDir()
		load(t, open(t, o), always)
	})
}

func load(t *testing.T, c *catalog.Catalog, names []string) {
	for _, name := range names {
		_, body := split(t, name)
		r, err := c.Load(context.Background(), "skills:", name)
		if err != nil || !r.Success || len(r.Skills) != 1 {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !strings.Contains(r.Skills[0].Text, body) || len(r.Diagnostics) > 0 {
			t.Errorf("%s: %v", name, r.Diagnostics)
		}
	}
}

// TestListings records how each host lists the bundled skills for its model.
func TestListings(t *testing.T) {
	o := laid(t)
	for _, p := range registry.Profiles() {
		t.Run(p.Name, func(t *testing.T) {
			o := o
			o.As = p.Name
			l, err := open(t, o).Listing(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			// Inactive bundled skills follow the project's skills.
			skipped := slices.DeleteFunc(l.Skipped, func(s catalog.Skipped) bool { return strings.HasPrefix(s.Path, "vade:bundled/") })
			if len(l.Skills) != len(texts) || len(l.Cut) > 0 || len(skipped) > 0 {
				t.Errorf("%d are listed, %v cut, %v skipped", len(l.Skills), l.Cut, skipped)
			}
			text := l.Text
			if text == "" {
				text = strings.Join(l.Skills, "\n")
			}
			text = strings.ReplaceAll(text, filepath.Dir(o.Dir), "…") + "\n"
			golden := filepath.Join("testdata", "listings", p.Name+".txt")
			if *update {
				if err := os.MkdirAll(filepath.Dir(golden), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(golden, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatalf("%v: go test ./internal/bundled -run TestListings -update", err)
			}
			if diff := cmp.Diff(string(want), text); diff != "" {
				t.Errorf("- want, + got (-update regenerates it):\n%s", diff)
			}
		})
	}
}

// TestSkillsExport exports each skill to each host. The result must contain the whole body and the
// companion files, pass vade check for that host, and lose only the keys that are meant for Vade.
func TestSkillsExport(t *testing.T) {
	c := open(t, laid(t))
	for _, name := range export.Hosts() {
		if slices.Contains(export.SDKs(), name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			e, err := export.To(context.Background(), c, export.Request{Host: name})
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range e.Losses {
				if !strings.HasSuffix(l.Message, "has no equivalent of the field metadata for a skill") {
					t.Errorf("%s: %s", l.Name, l.Message)
				}
			}
			dir := t.TempDir()
			for _, f := range e.Files {
				file := filepath.Join(dir, filepath.FromSlash(f.Path))
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, f.Data, 0o644); err != nil {
					t.Fatal(err)
				}
				if _, body := split(t, f.Name); strings.HasSuffix(f.Path, "/SKILL.md") && !strings.Contains(string(f.Data), body) {
					t.Errorf("%s: its body is not as it was", f.Path)
				}
			}
			o := laid(t)
			o.Dir = dir
			r, err := check.Run(context.Background(), o, check.Options{Hosts: []string{name}})
			if err != nil {
				t.Fatal(err)
			}
			if r.Checked != len(texts) {
				t.Errorf("%d are checked", r.Checked)
			}
			for _, f := range r.Findings {
				t.Errorf("%s:%d: %s [%s]", f.Path, f.Line, f.Message, f.Code)
			}
		})
	}
}
