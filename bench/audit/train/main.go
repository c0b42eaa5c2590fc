// Command train creates the statistical model for internal/audit/prose from hand-written attacks
// and harmless packages. It executes none of its input and stores no text. The same input always
// produces the same file.
//
//	go run ./bench/audit/train -detection FILE.tar.gz,… -corpus FILE.tar.gz [-out model.bin]
//
// It learns from the attacks and harmless examples in texts/*.tsv, attacks.txt and benign.txt, and
// from the sentences in the harmless packages. It never learns from a malicious package, because
// bench/audit would then measure how well the model memorized that package.
//
// A fifth of the repositories is reserved for setting the thresholds. The command also prints how
// many packages from each source have a sentence that scores above each threshold.
package main

import (
	"cmp"
	"embed"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/bench/tree"
	"github.com/vadehq/vade/internal/audit/document"
	"github.com/vadehq/vade/internal/audit/prose"
	"github.com/vadehq/vade/internal/audit/signal"
)

//go:embed attacks.txt benign.txt texts/*.tsv
var texts embed.FS

// unit is a package or a hand-written example.
type unit struct {
	name, source string
	malicious    bool
	// written reports whether the unit is a hand-written example. If so, source is the example's
	// theme.
	written bool
	use     use
	files   []*signal.File
}

// use determines whether a unit is used for training, for setting the thresholds, or for testing.
type use uint8

const (
	learn use = iota
	// Units marked calibrate are used only to set the thresholds.
	calibrate
	// Units marked test are not used for training. They are only counted.
	test
)

// apart decides whether a repository is used for training or for calibration.
func apart(name string) use {
	if digest(name)>>3%5 == 0 {
		return calibrate
	}
	return learn
}

// window is a piece of text that the model scores: one sentence, two consecutive sentences, or a
// whole hand-written example.
type window struct {
	parts [2][]uint32
	unit  int
	// main reports whether the sentences come from the definition itself rather than from another
	// file in its package.
	main bool
}

// Training settings.
const (
	epochs = 8
	rate   = 0.5
	decay  = 1e-4
	// drawn is the number of sentences generated from each line in attacks.txt and benign.txt.
	drawn = 50
	// pairs determines how many pairs of consecutive sentences are used for training: one in this
	// many.
	pairs = 4
)

// The weights of hand-written examples, relative to a sentence from a package.
const (
	attackWeight = 5
	twinWeight   = 3
	drawnWeight  = 0.2
)

type trainer struct {
	units   []unit
	windows []window
}

func main() {
	detection := flag.String("detection", "", "comma-separated archives of labeled packages")
	tests := flag.String("test", "", "comma-separated archives of labeled packages to exclude from training")
	corpus := flag.String("corpus", "", "archive of benign repositories")
	out := flag.String("out", "", "write the model to `FILE`")
	flag.Parse()
	if err := run(*detection, *tests, *corpus, *out); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

func run(detection, tests, corpus, out string) error {
	t := &trainer{}
	for name := range strings.FieldsFuncSeq(detection, comma) {
		if err := t.labelled(name, false); err != nil {
			return err
		}
	}
	for name := range strings.FieldsFuncSeq(tests, comma) {
		if err := t.labelled(name, true); err != nil {
			return err
		}
	}
	if err := t.repositories(corpus); err != nil {
		return err
	}
	t.cut()
	if err := t.written(); err != nil {
		return err
	}
	fmt.Printf("%d packages and texts, %d windows\n", len(t.units), len(t.windows))
	m := t.train()
	scores := t.maxima(m)
	thresholds := t.thresholds(scores)
	t.report(scores, thresholds)
	if out == "" {
		return nil
	}
	return os.WriteFile(out, m.file(thresholds), 0o644)
}

func comma(c rune) bool { return c == ',' }

// maxFile is the maximum size in bytes of a file used for training.
const maxFile = 1 << 20

// labelled reads an archive that contains labels.json. Its malicious packages,
// and all packages in a test archive, are excluded from training.
func (t *trainer) labelled(name string, tests bool) error {
	files := map[string][]*signal.File{}
	var labels []struct{ ID, Label, Source string }
	var bad error
	err := tree.Archive(name, func(p string, data []byte, _ int64) {
		if len(data) > maxFile {
			return
		}
		if path.Base(p) == "labels.json" {
			bad = json.Unmarshal(data, &labels)
			return
		}
		parts := strings.SplitN(p, "/", 3)
		if len(parts) == 2 {
			parts = []string{"", parts[0], parts[1]}
		}
		files[parts[1]] = append(files[parts[1]], &signal.File{Path: parts[2], Raw: data, Size: int64(len(data))})
		name := strings.TrimPrefix(p, parts[0]+"/")
		files[parts[0]] = append(files[parts[0]], &signal.File{Path: name, Raw: data, Size: int64(len(data))})
	})
	if err = cmp.Or(err, bad); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for _, l := range labels {
		u := unit{name: l.ID, source: l.Source, malicious: l.Label == "malicious", files: files[l.ID]}
		if u.malicious || tests {
			u.use = test
		}
		t.units = append(t.units, u)
	}
	return nil
}

// repositories reads an archive of repositories. Each directory that contains a SKILL.md is a
// package. Each Markdown file outside such a directory is also a package.
func (t *trainer) repositories(name string) error {
	files := map[string][]byte{}
	skills := map[string]bool{}
	err := tree.Archive(name, func(p string, data []byte, _ int64) {
		if len(data) > maxFile {
			return
		}
		files[p] = data
		if path.Base(p) == "SKILL.md" {
			skills[path.Dir(p)] = true
		}
	})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	at := map[string]int{}
	var names []string
	for p := range files {
		names = append(names, p)
	}
	slices.Sort(names)
	for _, p := range names {
		dir := path.Dir(p)
		for dir != "." && !skills[dir] {
			dir = path.Dir(dir)
		}
		if dir == "." {
			if ext := path.Ext(p); ext != ".md" && ext != ".mdc" {
				continue
			}
			dir = p
		}
		i, ok := at[dir]
		if !ok {
			i = len(t.units)
			at[dir] = i
			repo := strings.SplitN(strings.TrimPrefix(p, "repos/"), "/", 2)[0]
			t.units = append(t.units, unit{name: dir, source: "corpus", use: apart(repo)})
		}
		name := strings.TrimPrefix(strings.TrimPrefix(p, dir), "/")
		t.units[i].files = append(t.units[i].files, &signal.File{Path: name, Raw: files[p], Size: int64(len(files[p]))})
	}
	return nil
}

// digest returns a hash of the words in text, ignoring case.
func digest(text string) uint64 {
	h := fnv.New64a()
	for w := range strings.FieldsSeq(strings.ToLower(text)) {
		_, _ = io.WriteString(h, w+" ")
	}
	return h.Sum64()
}

// cut splits all packages into windows. A sentence that occurs several times in the training
// packages is used only once.
func (t *trainer) cut() {
	seen := map[uint64]bool{}
	for i := range t.units {
		u := &t.units[i]
		slices.SortStableFunc(u.files, func(a, b *signal.File) int {
			return cmp.Compare(btoi(path.Base(a.Path) != "SKILL.md"), btoi(path.Base(b.Path) != "SKILL.md"))
		})
		if u.files = u.files[:min(len(u.files), 300)]; len(u.files) == 0 {
			continue
		}
		s := &signal.Set{Package: &signal.Package{Name: u.name, Files: u.files}}
		document.Read(s)
		for _, list := range prose.Samples(s) {
			var before []uint32
			for _, x := range list {
				key := digest(x.Text)
				if u.use != learn || !seen[key] {
					t.add(i, nil, x)
					if before != nil && (u.use != learn || key>>9%pairs == 0) {
						t.add(i, before, x)
					}
				}
				seen[key] = seen[key] || u.use == learn
				before = x.Features
			}
		}
		u.files = nil
	}
}

func (t *trainer) add(unit int, before []uint32, x prose.Sample) {
	t.windows = append(t.windows, window{[2][]uint32{before, x.Features}, unit, x.Main})
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// written adds the hand-written examples in the texts directory, and the sentences generated from
// attacks.txt and benign.txt.
func (t *trainer) written() error {
	names, err := texts.ReadDir("texts")
	if err != nil {
		return err
	}
	for _, name := range names {
		data, err := texts.ReadFile("texts/" + name.Name())
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(data)) {
			f := strings.Split(strings.TrimSpace(line), "\t")
			if len(f) != 5 {
				return fmt.Errorf("%s: %q: expected five fields", name.Name(), line)
			}
			t.text(f[1], f[4], f[0] == "attack")
		}
	}
	random := rand.New(rand.NewPCG(3, 5))
	for _, name := range [...]string{"attacks.txt", "benign.txt"} {
		data, err := texts.ReadFile(name)
		if err != nil {
			return err
		}
		section := name
		for line := range strings.Lines(string(data)) {
			line = strings.TrimSpace(line)
			if title, ok := strings.CutPrefix(line, "= "); ok {
				section = name + " " + title
			}
			if line == "" || line[0] == '#' || line[0] == '=' {
				continue
			}
			for range drawn {
				t.text(section, choose(line, random), name == "attacks.txt")
			}
		}
	}
	return nil
}

// text adds a hand-written example about a theme. All sentences of the example form one window.
func (t *trainer) text(theme, text string, attack bool) {
	var all []uint32
	for _, list := range prose.Samples(sentence(text)) {
		for _, x := range list {
			all = append(all, x.Features...)
		}
	}
	if len(all) == 0 {
		return
	}
	u := unit{source: theme, malicious: attack, written: true}
	t.units = append(t.units, u)
	t.add(len(t.units)-1, nil, prose.Sample{Features: all})
}

func sentence(text string) *signal.Set {
	s := &signal.Set{Package: &signal.Package{Files: []*signal.File{{Text: text, Role: signal.Main}}}}
	s.Regions = []signal.Region{{Context: signal.Context{Medium: signal.Prose}, Text: text, Parent: -1}}
	return s
}

// choose replaces each group of alternatives in line with a randomly chosen one.
func choose(line string, random *rand.Rand) string {
	for {
		before, rest, ok := strings.Cut(line, "(")
		if !ok {
			return line
		}
		group, after, _ := strings.Cut(rest, ")")
		list := strings.Split(group, "|")
		line = before + list[random.IntN(len(list))] + after
	}
}
