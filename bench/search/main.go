// Search measures how well and how fast "vade search" finds definitions. It
// prints Markdown tables. bench/README.md explains the numbers.
//
//	go run ./bench/search -corpus FILE.tar.gz
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing/fstest"
	"time"

	"github.com/vadehq/vade/bench/tree"
	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/search"
)

func main() {
	corpus := flag.String("corpus", "", "read definitions from `FILE`, a tar.gz")
	seed := flag.Uint64("seed", 1, "choose queries and edits with `SEED`")
	queries := flag.Int("queries", 400, "run `N` queries of each type")
	sizes := flag.String("sizes", "1000,60000", "measure search times with `N,…` definitions; if empty, skip these measurements")
	flag.Parse()
	r := rand.New(rand.NewPCG(*seed, 0))
	all, err := read(*corpus)
	if err == nil {
		err = quality(all, *queries, r)
	}
	for size := range strings.SplitSeq(*sizes, ",") {
		if n, bad := strconv.Atoi(size); err == nil && bad == nil {
			err = speed(all, n, r)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// document is a definition in the corpus.
type document struct{ name, description, body string }

// file returns the document as a definition file.
func (d document) file() []byte {
	text := "---\nname: " + d.name + "\n"
	if d.description != "" {
		// A JSON string is also a YAML string.
		quoted, _ := json.Marshal(d.description)
		text += "description: " + string(quoted) + "\n"
	}
	return []byte(text + "---\n" + d.body)
}

// read returns the skills, commands and agents in the corpus that have a description, a title and a
// long body, sorted by name. If multiple definitions have the same name, it returns only the first
// one.
func read(corpus string) ([]document, error) {
	files := fstest.MapFS{}
	err := tree.Archive(corpus, func(name string, data []byte, _ int64) {
		dir := path.Base(path.Dir(name))
		if path.Base(name) == "SKILL.md" || (dir == "commands" || dir == "agents") && path.Ext(name) == ".md" {
			files[fmt.Sprintf(".claude/skills/s%05d/SKILL.md", len(files))] = &fstest.MapFile{Data: data}
		}
	})
	if err != nil {
		return nil, err
	}
	c, list, err := open(catalog.Options{Isolated: true, Layers: []catalog.LayerFS{{Layer: definition.Project, Name: "project", FS: files}}}, catalog.Query{All: true})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	var all []document
	for _, d := range list {
		body, err := d.Body(context.Background())
		if err == nil && d.Description() != "" && d.Title() != "" && len(body) > 200 {
			all = append(all, document{slug(cmp.Or(d.FieldName(), d.Title())), d.Description(), body})
		}
	}
	slices.SortStableFunc(all, func(a, b document) int { return strings.Compare(a.name, b.name) })
	return slices.CompactFunc(all, func(a, b document) bool { return a.name == b.name }), nil
}

func slug(name string) string {
	return strings.Trim(regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(name), "-"), "-")
}

func open(o catalog.Options, q catalog.Query) (*catalog.Catalog, []catalog.Definition, error) {
	c, err := catalog.Open(context.Background(), o)
	if err != nil {
		return nil, nil, err
	}
	list, err := c.List(context.Background(), q)
	return c, list, err
}

// question is a query and the name of the definition that it was made from.
type question struct{ query, want string }

var word = regexp.MustCompile(`[\p{L}\p{N}]+`)

// without returns the words in text, in lowercase, that do not occur in name.
func without(text, name string) []string {
	return slices.DeleteFunc(word.FindAllString(strings.ToLower(text), -1), func(w string) bool { return strings.Contains(name, w) })
}

// heldOut makes three types of queries from the descriptions of n documents: the whole description,
// one sentence of it, and the three rarest words in that sentence. It returns the queries by type,
// and two copies of all documents: whole, in which the n documents have no descriptions, and
// sentence, in which their descriptions lack the chosen sentence.
func heldOut(all []document, n int, r *rand.Rand) (sets [3][]question, whole, sentence []document) {
	frequency := map[string]int{}
	for _, d := range all {
		words := slices.Sorted(slices.Values(without(d.description, "")))
		for _, w := range slices.Compact(words) {
			frequency[w]++
		}
	}
	whole, sentence = slices.Clone(all), slices.Clone(all)
	for _, i := range r.Perm(len(all)) {
		d := all[i]
		parts := regexp.MustCompile(`[.!?]\s+`).Split(d.description, -1)
		part := parts[r.IntN(len(parts))]
		words, rest := without(part, d.name), without(d.description, d.name)
		if len(parts) < 2 || len(words) < 5 || len(sets[0]) == n {
			continue
		}
		whole[i].description = ""
		sentence[i].description = strings.Replace(d.description, part, "", 1)
		rare := slices.Clone(words)
		slices.SortStableFunc(rare, func(a, b string) int { return frequency[a] - frequency[b] })
		for k, query := range [3][]string{rest, words, slices.Compact(rare)[:3]} {
			sets[k] = append(sets[k], question{strings.Join(query, " "), d.name})
		}
	}
	return sets, whole, sentence
}

// unrelated lists queries that do not match any definition for a coding agent.
var unrelated = strings.Split(`sourdough bread recipe with rye flour
best hiking trails near Innsbruck in autumn
how to prune apple trees in winter
knitting pattern for a baby blanket
symptoms of iron deficiency in toddlers
train a puppy to stop biting furniture
cheap flights from Lisbon to Reykjavik
violin fingering for beginners
remove red wine stains from a wool carpet
stretching exercises for lower back pain
history of the Ottoman janissaries
watering schedule for succulents
crochet amigurumi penguin
marathon nutrition and carbohydrate loading
how do volcanoes erupt
breastfeeding positions for twins
choose a mattress for side sleepers
medieval siege weapons trebuchet
grow tomatoes on a balcony
rules of cricket explained
make kombucha at home
learn the tango
famous baroque painters Caravaggio
bicycle tire puncture repair
divorce mediation custody
whale migration routes in the Pacific
vegan lasagna with cashew ricotta
teach a child to swim
origami crane folding
fishing lures for trout`, "\n")

func quality(all []document, n int, r *rand.Rand) error {
	sets, whole, sentence := heldOut(all, n, r)
	fmt.Printf("%d definitions, %d queries of each type\n\n", len(all), len(sets[0]))
	fmt.Println("| search | description: Hit@1 | MRR | sentence: Hit@1 | MRR | 3 words: Hit@1 | MRR | unrelated: none |\n|---|---|---|---|---|---|---|---|")
	full := search.DefaultWeights()
	for _, v := range []struct {
		name string
		search.Weights
	}{
		{"names", search.Weights{Name: full.Name}},
		{"names and descriptions", search.Weights{Name: full.Name, Title: full.Title, Description: full.Description}},
		{"names, descriptions and bodies", full},
	} {
		fmt.Printf("| %s |", v.name)
		for i, docs := range [][]document{whole, sentence, sentence} {
			hit, mrr, err := ask(docs, v.Weights, sets[i])
			if err != nil {
				return err
			}
			fmt.Printf(" %.1f | %.1f |", hit, mrr)
		}
		none := 0
		x, done, err := index(whole, v.Weights)
		if err != nil {
			return err
		}
		for _, query := range unrelated {
			found, err := x.Search(context.Background(), query, search.Options{})
			if err != nil {
				return err
			}
			if len(found.Results) == 0 {
				none++
			}
		}
		done()
		fmt.Printf(" %.0f |\n", 100*float64(none)/float64(len(unrelated)))
	}
	return nil
}

func index(docs []document, w search.Weights) (*search.Index, func() error, error) {
	files := fstest.MapFS{}
	for _, d := range docs {
		files[".claude/skills/"+d.name+"/SKILL.md"] = &fstest.MapFile{Data: d.file()}
	}
	c, list, err := open(catalog.Options{
		Isolated: true, Layers: []catalog.LayerFS{{Layer: definition.Project, Name: "project", FS: files}},
	}, catalog.Query{})
	if err != nil {
		return nil, nil, err
	}
	return search.New(list, w), c.Close, nil
}

// ask returns the percentage of queries whose first result is the wanted definition, and the mean
// reciprocal rank among the first ten, also in percent.
func ask(docs []document, w search.Weights, questions []question) (hit, mrr float64, err error) {
	x, done, err := index(docs, w)
	if err != nil {
		return 0, 0, err
	}
	defer done()
	for _, q := range questions {
		found, err := x.Search(context.Background(), q.query, search.Options{})
		if err != nil {
			return 0, 0, err
		}
		at := slices.IndexFunc(found.Results, func(r search.Result) bool {
			return slices.ContainsFunc(append(r.Alike, r.Definition), func(d catalog.Definition) bool { return d.Name() == q.want })
		})
		if at == 0 {
			hit++
		}
		if at >= 0 {
			mrr += 1 / float64(at+1)
		}
	}
	n := float64(len(questions)) / 100
	return hit / n, mrr / n, nil
}

// speed creates a project with n definitions, which are modified copies of the corpus, and prints
// how long searches take.
func speed(all []document, n int, r *rand.Rand) error {
	dir, err := os.MkdirTemp("", "vade-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	project, home := filepath.Join(dir, "project"), filepath.Join(dir, "home")
	for i := range n {
		d := all[i%len(all)]
		if i >= len(all) {
			d = edited(d, all, i/len(all), r)
		}
		file := filepath.Join(project, ".claude/skills", d.name, "SKILL.md")
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, d.file(), 0o644); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	begin := time.Now()
	c, list, err := open(catalog.Options{Dir: project, Home: home, Getenv: func(string) string { return "" }}, catalog.Query{})
	if err != nil {
		return err
	}
	defer c.Close()
	listed := time.Since(begin)
	// Vectors for recently written files are not stored, so wait.
	time.Sleep(3 * time.Second)
	took := func(x *search.Index) (time.Duration, error) {
		d := all[r.IntN(len(all))]
		words := without(d.description, "")
		at := r.IntN(max(1, len(words)-6))
		begin := time.Now()
		_, err := x.Search(context.Background(), strings.Join(words[at:min(len(words), at+6)], " "), search.Options{})
		return time.Since(begin), err
	}
	quantiles := func(of func() (time.Duration, error), times int) (string, error) {
		var list []time.Duration
		for range times {
			t, err := of()
			if err != nil {
				return "", err
			}
			list = append(list, t)
		}
		slices.Sort(list)
		return fmt.Sprintf("%.1f ms | %.1f ms", milliseconds(list[times/2]), milliseconds(list[times*95/100])), nil
	}
	x := search.New(list, search.DefaultWeights())
	first, err := took(x)
	if err != nil {
		return err
	}
	warm, err := quantiles(func() (time.Duration, error) { return took(x) }, 100)
	if err != nil {
		return err
	}
	fresh, err := quantiles(func() (time.Duration, error) { return took(search.New(list, search.DefaultWeights())) }, 20)
	if err != nil {
		return err
	}
	x = search.New(list, search.DefaultWeights())
	x.KeepInMemory(1 << 30)
	if _, err := took(x); err != nil {
		return err
	}
	kept, err := quantiles(func() (time.Duration, error) { return took(x) }, 100)
	if err != nil {
		return err
	}
	size := int64(0)
	_ = filepath.Walk(home, func(_ string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			size += info.Size()
		}
		return nil
	})
	fmt.Printf("\n%d definitions: listed in %.0f ms; %.1f MB on disk\n\n", len(list), milliseconds(listed), float64(size)/1e6)
	fmt.Printf("| search | median | p95 |\n|---|---|---|\n| the first | %.0f ms | |\n| warm, same index | %s |\n| warm, new index | %s |\n| warm, in memory | %s |\n",
		milliseconds(first), warm, fresh, kept)
	return nil
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// edited returns a copy of a document in which one word in twenty is replaced
// with a word from another document.
func edited(d document, all []document, copy int, r *rand.Rand) document {
	d.name += "-" + strconv.Itoa(copy)
	other := strings.Fields(all[r.IntN(len(all))].body)
	lines := strings.SplitAfter(d.body, " ")
	for range len(lines) / 20 {
		lines[r.IntN(len(lines))] = other[r.IntN(len(other))] + " "
	}
	d.body = strings.Join(lines, "")
	return d
}
