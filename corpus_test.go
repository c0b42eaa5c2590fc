package vade_test

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/testenv"
)

// corpus unpacks real definition files from public repositories. They are not part of this
// repository. The environment variable VADE_CORPUS names the archive.
func corpus(t *testing.T) string {
	t.Helper()
	testenv.SkipUnlessSlow(t)
	name := os.Getenv("VADE_CORPUS")
	if name == "" {
		name = "../shared/corpus/dev.tar.gz"
	}
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("the corpus %s is not here; set VADE_CORPUS to its archive", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	dir := t.TempDir()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return dir
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag != tar.TypeReg || !filepath.IsLocal(h.Name) {
			continue
		}
		to := filepath.Join(dir, h.Name)
		data, err := io.ReadAll(r)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(to), 0o755)
		}
		if err == nil {
			err = os.WriteFile(to, data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestCorpus lists every repository in the corpus and loads every definition. It checks that each
// file in a definition directory is accounted for, and that each active definition loads.
func TestCorpus(t *testing.T) {
	dir := corpus(t)
	repos, err := filepath.Glob(filepath.Join(dir, "repos", "*"))
	if err != nil || len(repos) == 0 {
		t.Fatalf("no repositories: %v", err)
	}
	total := tally{codes: map[string]int{}, load: map[string]int{}}
	for _, repo := range repos {
		for _, nested := range []bool{false, true} {
			n := walkRepo(t, repo, nested)
			if nested {
				total.add(n)
			}
		}
	}
	t.Logf("%d repositories: %d found, %d loaded, %d shadowed, %d dropped, %d disabled, %d repaired; list %v, load %v",
		len(repos), total.counts.Found, total.counts.Loaded, total.counts.Shadowed, total.counts.Dropped, total.counts.Disabled,
		total.repaired, total.listTime.Round(time.Millisecond), total.loadTime.Round(time.Millisecond))
	t.Logf("diagnostics by code: %s", table(total.codes))
	t.Logf("results of loading: %s", table(total.load))
}

type tally struct {
	counts             catalog.Counts
	repaired           int
	codes, load        map[string]int
	listTime, loadTime time.Duration
}

func (n *tally) add(o tally) {
	n.counts.Found += o.counts.Found
	n.counts.Loaded += o.counts.Loaded
	n.counts.Shadowed += o.counts.Shadowed
	n.counts.Dropped += o.counts.Dropped
	n.counts.Disabled += o.counts.Disabled
	n.repaired += o.repaired
	n.listTime += o.listTime
	n.loadTime += o.loadTime
	for k, v := range o.codes {
		n.codes[k] += v
	}
	for k, v := range o.load {
		n.load[k] += v
	}
}

func table(m map[string]int) string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool { return m[keys[i]] > m[keys[j]] || m[keys[i]] == m[keys[j]] && keys[i] < keys[j] })
	var b strings.Builder
	for _, k := range keys {
		b.WriteString("\n\t" + k + " " + strconv.Itoa(m[k]))
	}
	return b.String()
}

func walkRepo(t *testing.T, repo string, nested bool) tally {
	t.Helper()
	ctx := context.Background()
	n := tally{codes: map[string]int{}, load: map[string]int{}}
	begin := time.Now()
	c, err := catalog.Open(ctx, catalog.Options{
		Dir: repo, Home: t.TempDir(), ManagedDir: t.TempDir(), Nested: nested, Unread: true, Getenv: func(string) string { return "" },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	all, err := c.List(ctx, catalog.Query{All: true})
	if err != nil {
		t.Fatalf("%s: %v", repo, err)
	}
	found, err := c.Overview(ctx, catalog.Query{})
	if err != nil {
		t.Fatal(err)
	}
	n.counts = found.Counts
	n.listTime = time.Since(begin)
	if sum := n.counts.Loaded + n.counts.Shadowed + n.counts.Dropped + n.counts.Disabled; sum != n.counts.Found || sum != len(all) {
		t.Errorf("%s: %d found, %d accounted for, %d listed", repo, n.counts.Found, sum, len(all))
	}
	paths := map[string]bool{}
	for _, d := range all {
		paths[d.Path()] = true
		repaired := false
		for _, p := range d.Diagnostics() {
			n.codes[string(p.Code)]++
			repaired = repaired || strings.HasPrefix(string(p.Code), "YAML_REPAIRED")
		}
		if repaired {
			n.repaired++
		}
		if d.State() != definition.Loaded && d.Reason() == "" {
			t.Errorf("%s: %s is %s without a reason", repo, d.Path(), d.State())
		}
	}
	unaccounted(t, repo, nested, paths)
	begin = time.Now()
	for _, d := range all {
		if d.State() == definition.Loaded {
			n.load[loadResult(ctx, t, c, d)]++
		}
	}
	n.loadTime = time.Since(begin)
	return n
}

func loadResult(ctx context.Context, t *testing.T, c *catalog.Catalog, d catalog.Definition) string {
	t.Helper()
	r, err := c.Load(ctx, d.Kind().String()+":"+d.Name())
	if _, jsonErr := json.Marshal(r); jsonErr != nil {
		t.Errorf("%s: %v", d.Path(), jsonErr)
	}
	if err == nil {
		return "success"
	}
	if r.Error.Code != "SIZE_LIMIT" {
		t.Errorf("%s %s: %v", d.Path(), d.Name(), err)
	}
	return string(r.Error.Code)
}

// unaccounted walks the repository and returns files in definition directories that are not in
// the catalog.
func unaccounted(t *testing.T, repo string, nested bool, known map[string]bool) {
	t.Helper()
	err := filepath.WalkDir(repo, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(repo, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if known[rel] || !expected(rel, nested) || travels(repo, rel) {
			return nil
		}
		t.Errorf("%s: %s is in no list", filepath.Base(repo), rel)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// expected reports whether the file at a path must be in the catalog, which is the case for
// Markdown files in a host's directory.
func expected(rel string, nested bool) bool {
	parts := strings.Split(rel, "/")
	if slices.Contains(parts, "node_modules") {
		return false
	}
	at := 0
	if nested {
		at = slices.IndexFunc(parts, func(p string) bool { return strings.HasPrefix(p, ".") })
	}
	if at < 0 || len(parts) < at+3 {
		return !nested && len(parts) == 1 && slices.Contains([]string{"CLAUDE.md", "AGENTS.md", "GEMINI.md"}, rel)
	}
	places := map[string][]string{
		".claude": {"skills", "commands", "agents", "rules"},
		".github": {"skills", "commands", "agents", "prompts", "instructions"},
		".agents": {"skills"}, ".codex": {"skills"}, ".gemini": {"skills", "commands"},
		".opencode": {"skills", "skill", "commands", "command", "agents", "agent"}, ".cursor": {"skills", "commands", "agents", "rules"},
	}
	if !slices.Contains(places[parts[at]], parts[at+1]) {
		return false
	}
	switch path.Ext(rel) {
	case ".md", ".mdc":
		return true
	case ".toml":
		return parts[at+1] == "commands"
	}
	return false
}

// travels reports whether a file belongs to a skill in one of its parent directories.
func travels(repo, rel string) bool {
	for dir := path.Dir(rel); dir != "."; dir = path.Dir(dir) {
		if path.Join(dir, "SKILL.md") == rel || path.Base(dir) == "skills" {
			continue
		}
		if _, err := os.Stat(filepath.Join(repo, filepath.FromSlash(dir), "SKILL.md")); err == nil {
			return true
		}
	}
	return false
}

// tortureOutcomes maps each of the hardest files, by number, to its expected
// diagnostics. All of the files load.
var tortureOutcomes = map[int]string{
	3:  "loaded YAML_REPAIRED_LINES",                  // a quoted list that does not end
	5:  "loaded FIELD_MISSING",                        // empty
	6:  "loaded FIELD_TYPE",                           // a workflow whose tools field is a map
	8:  "loaded YAML_REPAIRED_VALUE (no description)", // a pattern that looks like an alias; only a table
	9:  "loaded YAML_REPAIRED_VALUE",                  // text after a list
	11: "loaded",                                      // all fields null
	12: "loaded YAML_REPAIRED_VALUE",                  // template braces
	13: "loaded FIELD_TYPE",                           // a hint that YAML parses as a list
	15: "loaded YAML_REPAIRED_VALUE",                  // a value that begins with @
	17: "loaded YAML_REPAIRED_LINES",                  // a dialogue that spans many lines
	18: "loaded YAML_REPAIRED_VALUE",                  // a colon in a description
	19: "loaded FM_NOT_AT_BYTE0",                      // a comment before the frontmatter
	20: "loaded",                                      // words that YAML 1.1 parses as booleans
	21: "loaded",                                      // a shell block inside a fenced block
	22: "loaded",                                      // a shell command inside another
	23: "loaded FIELD_TYPE",                           // arguments that are maps
	24: "loaded",                                      // invisible characters
	25: "loaded YAML_REPAIRED_VALUE",                  // a pattern that looks like an alias
	26: "loaded",                                      // TOML
	27: "loaded",                                      // quoted commands
	28: "loaded",                                      // Arabic, with hooks
	29: "loaded",                                      // 145 kB on one line of 20,000 characters
	30: "loaded",                                      // a long description
}

// TestTorture puts each of the hardest files into the directory for its kind
// and checks the diagnostics.
func TestTorture(t *testing.T) {
	dir := filepath.Join(corpus(t), "torture")
	data, err := os.ReadFile(filepath.Join(dir, "INDEX.json"))
	if err != nil {
		t.Fatal(err)
	}
	var index []struct {
		N          int
		File, Kind string
	}
	if err := json.Unmarshal(data, &index); err != nil || len(index) == 0 {
		t.Fatalf("%d files: %v", len(index), err)
	}
	places := map[string]string{
		"skill": ".claude/skills/s/SKILL.md", "agent": ".claude/agents/a.md", "command": ".claude/commands/c.md", "gh-aw": ".claude/commands/c.md",
		"rules-md": ".claude/rules/r.md", "rules-mdc": ".cursor/rules/r.mdc", "command-toml": ".gemini/commands/c.toml", "memory": "AGENTS.md",
	}
	left := maps.Clone(tortureOutcomes)
	for _, f := range index {
		data, err := os.ReadFile(filepath.Join(dir, f.File))
		if err != nil {
			t.Fatal(err)
		}
		files := fstest.MapFS{places[f.Kind]: {Data: data}}
		ctx := context.Background()
		c, err := catalog.Open(ctx, catalog.Options{Layers: []catalog.LayerFS{{Layer: definition.Project, Name: "p", FS: files}}, Isolated: true})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		all, err := c.List(ctx, catalog.Query{All: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range all {
			if d.Path() != places[f.Kind] {
				continue
			}
			outcome := d.State().String()
			codes := map[string]int{}
			for _, p := range d.Diagnostics() {
				if p.Severity > 0 {
					codes[string(p.Code)]++
				}
			}
			for _, code := range slices.Sorted(maps.Keys(codes)) {
				outcome += " " + code
			}
			if r, err := c.Load(ctx, d.Path()); err != nil {
				t.Errorf("%d %s does not load: %v", f.N, f.File, r.Error)
			}
			if d.Description() == "" && len(data) > 0 {
				outcome += " (no description)"
			}
			if outcome != tortureOutcomes[f.N] {
				t.Errorf("%d %s is %q, stated is %q", f.N, f.File, outcome, tortureOutcomes[f.N])
			}
			delete(left, f.N)
		}
	}
	for n := range left {
		t.Errorf("%d is stated and was not met", n)
	}
}
