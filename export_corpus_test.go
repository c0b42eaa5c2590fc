package vade_test

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/export"
)

// TestExportRoundTripOfCorpus exports every skill, command and agent in the corpus to each host and
// reads the files with that host's profile. Everything exported must load under the reported name.
// Unless a loss is reported, the name, description, tools, model, argument hint, paths and
// model-visible text must be unchanged. By default, the test uses one definition for each
// combination of fields and syntax. "go test -run TestExportRoundTripOfCorpus -full ." uses all of
// them, and -update-losses writes the table in bench/export.md.
func TestExportRoundTripOfCorpus(t *testing.T) {
	ctx := context.Background()
	total := map[string]*exportTally{}
	for i, dir := range gatheredOf(t, corpus(t), *full) {
		source := openExport(t, dir, "")
		before := exportedBefore(t, source)
		claude := readBack(t, source, "claude-code")
		for _, name := range export.Hosts() {
			t.Run(fmt.Sprintf("%s/%d", name, i), func(t *testing.T) {
				r := readBack(t, source, name)
				if total[name] == nil {
					total[name] = &exportTally{lost: map[string]int{}}
				}
				r.compare(t, ctx, before, claude, total[name])
			})
		}
		source.Close()
	}
	if *full && len(total) == len(export.Hosts()) {
		lossTable(t, total)
	}
	for _, name := range export.Hosts() {
		n := total[name]
		if n == nil {
			// This subtest is excluded by -run.
			continue
		}
		t.Logf("%s: %d definitions, %d exported, %d not at all; %d (%.0f %%) with nothing lost; texts of %d compared; definitions that lose a %s",
			name, n.exported+n.whole, n.exported, n.whole, n.unchanged, 100*float64(n.unchanged)/float64(n.exported+n.whole), n.rendered, table(n.lost))
	}
}

// exportTally counts the results of exports to a host.
type exportTally struct {
	exported, whole, unchanged, rendered int
	lost                                 map[string]int
}

func openExport(t *testing.T, dir, as string) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Open(context.Background(), catalog.Options{
		Dir: dir, As: as, Home: t.TempDir(), ManagedDir: t.TempDir(), Getenv: func(string) string { return "" },
	})
	must(t, err)
	return c
}

// sourceText holds what is known about a definition before it is exported.
type sourceText struct {
	d    catalog.Definition
	body string
	when string
}

func exportedBefore(t *testing.T, c *catalog.Catalog) map[string]sourceText {
	t.Helper()
	ctx := context.Background()
	list, err := c.List(ctx, catalog.Query{})
	must(t, err)
	all := map[string]sourceText{}
	for _, d := range list {
		if d.Layer() != definition.Project {
			continue
		}
		text, err := d.Body(ctx)
		must(t, err)
		fm, err := d.Frontmatter(ctx)
		must(t, err)
		all[d.Path()] = sourceText{d, text, fm.Text("when_to_use")}
	}
	return all
}

// exportRead holds an export and the host's view of it.
type exportRead struct {
	host  string
	e     *export.Export
	c     *catalog.Catalog
	found map[string]catalog.Definition
	// lost maps each source to its loss categories.
	lost map[string][]string
}

func readBack(t *testing.T, source *catalog.Catalog, name string) *exportRead {
	t.Helper()
	ctx := context.Background()
	e, err := export.To(ctx, source, export.Request{Host: name})
	must(t, err)
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, ".git"), 0o755))
	for _, f := range e.Files {
		to := filepath.Join(dir, filepath.FromSlash(f.Path))
		must(t, os.MkdirAll(filepath.Dir(to), 0o755))
		must(t, os.WriteFile(to, f.Data, 0o644))
	}
	r := &exportRead{host: name, e: e, c: openExport(t, dir, name), found: map[string]catalog.Definition{}, lost: map[string][]string{}}
	t.Cleanup(func() { r.c.Close() })
	list, err := r.c.List(ctx, catalog.Query{All: true})
	must(t, err)
	for _, d := range list {
		if old, ok := r.found[d.Path()]; !ok || old.State() != definition.Loaded {
			r.found[d.Path()] = d
		}
	}
	for _, l := range e.Losses {
		r.lost[l.Source] = append(r.lost[l.Source], l.What)
	}
	return r
}

func (r *exportRead) compare(t *testing.T, ctx context.Context, before map[string]sourceText, claude *exportRead, n *exportTally) {
	t.Helper()
	// If a skill and a command have the same name, hosts disagree about which one a call invokes.
	kinds, twice := map[string]definition.Kind{}, map[string]bool{}
	for _, f := range r.e.Files {
		if k, ok := kinds[f.Name]; ok && k != f.Kind && f.Kind != definition.Agent {
			twice[f.Name] = true
		} else if f.Kind != definition.Agent {
			kinds[f.Name] = f.Kind
		}
	}
	for _, f := range r.e.Files {
		if f.Kind == definition.Instruction || path.Base(f.Path) == "openai.yaml" {
			continue
		}
		src, ok := before[f.Source]
		if !ok {
			t.Errorf("%s is made of %s, which is no definition", f.Path, f.Source)
			continue
		}
		n.exported++
		d, ok := r.found[f.Path]
		if !ok {
			t.Errorf("%s (of %s) is not found", f.Path, f.Source)
			continue
		}
		if d.State() != definition.Loaded {
			t.Errorf("%s (of %s) is not loaded: %s", f.Path, f.Source, d.Reason())
			continue
		}
		if d.Name() != f.Name {
			t.Errorf("%s is called %q and not %q", f.Path, d.Name(), f.Name)
		}
		lost := r.lost[f.Source]
		if len(lost) == 0 {
			n.unchanged++
			if got, want := plainName(d.Name()), plainName(src.d.Name()); got != want {
				t.Errorf("%s: the name was %q and is %q, and no loss says so", f.Source, want, got)
			}
			r.description(t, f, src, d)
			r.fields(t, f, src, d)
		}
		if slices.ContainsFunc(lost, func(w string) bool {
			return slices.Contains([]string{"argument", "shell", "file", "variable", "text"}, w)
		}) {
			continue
		}
		if !twice[f.Name] && r.text(t, ctx, f, src, d, claude) {
			n.rendered++
		}
	}
	for _, l := range r.e.Losses {
		if l.Whole && l.Kind != definition.Instruction {
			n.whole++
		}
	}
	for _, words := range r.lost {
		for _, w := range slices.Compact(slices.Sorted(slices.Values(words))) {
			n.lost[w]++
		}
	}
}

func plainName(s string) string { return strings.ReplaceAll(s, "/", ":") }

func (r *exportRead) description(t *testing.T, f export.ExportedFile, src sourceText, d catalog.Definition) {
	t.Helper()
	flat := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	fm, err := src.d.Frontmatter(context.Background())
	must(t, err)
	want := flat(fm.Text("description"))
	if want == "" {
		return
	}
	got := flat(d.Description())
	if got != want && got != want+" - "+flat(src.when) && !strings.HasPrefix(want, strings.TrimSuffix(got, "…")) {
		t.Errorf("%s for %s: the description was %q and is %q", f.Source, r.host, want, got)
	}
}

// places matches placeholders in the syntaxes that occur in the corpus.
var places = regexp.MustCompile(`\$ARGUMENTS|\$[0-9]|\{\{args\}\}|\$@|\$\{@|\$\{input:`)

// prices matches amounts of money. A host treats them as placeholders only if the call has enough
// arguments.
var prices = regexp.MustCompile(`\$[0-9]+[.,][0-9]|\$[0-9]{2,}`)

// text compares the model-visible text. It returns false if the text cannot be compared here.
func (r *exportRead) text(t *testing.T, ctx context.Context, f export.ExportedFile, src sourceText, d catalog.Definition, claude *exportRead) bool {
	t.Helper()
	if src.d.Kind() == definition.Agent {
		got, err := d.Body(ctx)
		must(t, err)
		if unlinked(got) != unlinked(src.body) {
			t.Errorf("%s for %s: the body is another", f.Source, r.host)
		}
		return true
	}
	// Shell commands are compared by body segment, not here.
	if strings.Contains(src.body, "!`") || strings.Contains(src.body, "!{") || strings.Contains(src.body, "@{") || strings.Contains(src.body, "```!") {
		return false
	}
	i := slices.IndexFunc(claude.e.Files, func(x export.ExportedFile) bool { return x.Source == f.Source })
	if i < 0 || slices.ContainsFunc(claude.lost[f.Source], func(w string) bool { return w == "argument" || w == "text" || w == "variable" }) {
		return false
	}
	args, bare := "", prices.ReplaceAllString(src.body, "")
	if places.MatchString(bare) {
		if bare != src.body {
			// With enough arguments, an amount of money also counts as a placeholder.
			return false
		}
		args = " alpha beta gamma delta epsilon zeta eta theta iota kappa"
	}
	want := claude.rendered(t, ctx, claude.e.Files[i], args)
	if strings.HasSuffix(want, "\n\nARGUMENTS:"+args) {
		args, want = "", strings.TrimSuffix(want, "\n\nARGUMENTS:"+args)
	}
	if n := strings.Index(want, "\n\n"); strings.HasPrefix(want, "Base directory for this skill:") && n >= 0 {
		want = want[n+2:]
	}
	got := r.rendered(t, ctx, f, args)
	if !strings.Contains(unlinked(got), unlinked(want)) {
		t.Errorf("%s for %s: the text is another\n--- want\n%s\n--- got\n%s", f.Source, r.host, cutText(want), cutText(got))
	}
	return true
}

// targets matches link targets, whose paths depend on the file's directory.
var targets = regexp.MustCompile(`\]\(<?[^)\n]*|(?m)^ *\[[^\]\n]+\]: *\S+`)

func unlinked(s string) string { return targets.ReplaceAllString(unix(s), "](") }

func unix(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")) }

func cutText(s string) string { return s[:min(len(s), 600)] }

// rendered returns the text that an invocation produces.
func (r *exportRead) rendered(t *testing.T, ctx context.Context, f export.ExportedFile, args string) string {
	t.Helper()
	request := catalog.RenderRequest{Prompt: "/" + f.Name + args, Session: "s"}
	switch {
	case r.host == "codex" && !strings.ContainsAny(f.Name, " ()"):
		request.Prompt = "$" + f.Name + args
	case r.host == "pi" && f.Kind == definition.Skill:
		request.Prompt = "/skill:" + f.Name + args
	case r.host == "codex", r.host == "copilot-cli", r.host == "agentskills", (r.host == "gemini" || r.host == "copilot-vscode") && f.Kind == definition.Skill:
		request = catalog.RenderRequest{Prompt: f.Name, ByModel: true, Session: "s"}
	}
	out, err := r.c.Render(ctx, request)
	must(t, err)
	var texts []string
	for i, m := range out.Messages {
		if i == 0 && strings.HasPrefix(m.Text, "<command-message>") {
			continue
		}
		texts = append(texts, m.Text)
	}
	// Some hosts do not let the model invoke a definition that only users may invoke. The model
	// reads the file instead.
	if request.ByModel && out.Error != nil {
		data, err := r.found[f.Path].Body(ctx)
		must(t, err)
		return data
	}
	return strings.Join(texts, "\n")
}
