// Command train makes the statistical model of internal/audit/prose from labelled packages,
// repositories of benign ones, and the sentences of attacks.txt and benign.txt. It runs
// nothing of what it reads, keeps none of its text, and makes the same file each time.
//
//	go run ./bench/audit/train -detection FILE.tar.gz,… -corpus FILE.tar.gz [-out model.bin] [-leave-one-out]
//
// A package has many harmless sentences even if it is malicious, and nobody has marked the
// others. So a first model is made from attacks.txt alone, and then, twice, one that also
// learns from the sentences of malicious packages that the model before it found worst. A
// feature counts only if two malicious sources have it, or only benign text has it, so that
// no campaign is learned by heart. A fifth of the benign packages is not learned from: it
// sets the thresholds.
//
// -leave-one-out prints, for each malicious source, how many of its packages a model finds
// that was trained without it, and the same for each technique of attacks.txt.
package main

import (
	"cmp"
	_ "embed"
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

//go:embed attacks.txt
var attacks string

//go:embed benign.txt
var counterparts string

// unit is a package.
type unit struct {
	name, source string
	malicious    bool
	// test: it is not learned from.
	test  bool
	files []*signal.File
}

// window is a sentence, or two that follow one another.
type window struct {
	features []uint32
	// unit is the index of the package; -1 for a sentence that was drawn.
	unit, source int
	key          uint64
}

// The settings of training.
const (
	drawn    = 300 // sentences that are drawn from a line of attacks.txt
	epochs   = 4
	rate     = 0.05
	decay    = 1e-5
	positive = 5   // the weight of a malicious sentence
	best     = 3   // sentences of a malicious package that are learned from
	least    = -3  // the score that they must have
	packages = 30. // a source counts as at most so many packages
	likely   = 0.01
	certain  = 0.002 // shares of benign packages that have a sentence above the thresholds
)

type trainer struct {
	units   []unit
	windows []window
	sources []string
	// benign, test and drawn are indexes of windows; malicious are those of each source.
	benign, test, drawn []int
	malicious           map[int][]int
}

func main() {
	detection := flag.String("detection", "", "archives of labelled packages, with commas between them")
	corpus := flag.String("corpus", "", "archive of benign repositories")
	out := flag.String("out", "", "write the model to `FILE`")
	leave := flag.Bool("leave-one-out", false, "print figures without each source and technique")
	flag.Parse()
	if err := run(strings.Split(*detection, ","), *corpus, *out, *leave); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

func run(detection []string, corpus, out string, leave bool) error {
	t := &trainer{malicious: map[int][]int{}}
	for _, name := range detection {
		if err := t.labelled(name); err != nil {
			return err
		}
	}
	if err := t.repositories(corpus); err != nil {
		return err
	}
	t.cut()
	t.draw(attacks, true)
	t.draw(counterparts, false)
	fmt.Printf("%d packages, %d benign sentences to learn from, %d to test with, %d drawn\n", len(t.units), len(t.benign), len(t.test), len(t.drawn))
	m := t.model(-1, "")
	low, high := t.thresholds(m)
	t.report("all sources (learned from)", m, -1)
	if leave {
		for s := range t.sources {
			if len(t.malicious[s]) > 0 {
				t.report("without "+t.sources[s], t.model(s, ""), s)
			}
		}
		t.techniques()
	}
	if out == "" {
		return nil
	}
	return os.WriteFile(out, m.file(low, high), 0o644)
}

// maxFile is the size in bytes of the longest file that is learned from.
const maxFile = 1 << 20

// labelled reads an archive with a file labels.json.
func (t *trainer) labelled(name string) error {
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
		files[parts[0]] = append(files[parts[0]], &signal.File{Path: strings.TrimPrefix(p, parts[0]+"/"), Raw: data, Size: int64(len(data))})
	})
	if err = cmp.Or(err, bad); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for _, l := range labels {
		t.units = append(t.units, unit{name: l.ID, source: l.Source, malicious: l.Label == "malicious", files: files[l.ID]})
	}
	return nil
}

// repositories reads an archive of repositories: each directory with a SKILL.md is a
// package, and each Markdown file outside of them.
func (t *trainer) repositories(name string) error {
	texts := map[string][]byte{}
	skills := map[string]bool{}
	err := tree.Archive(name, func(p string, data []byte, _ int64) {
		if len(data) > maxFile {
			return
		}
		texts[p] = data
		if path.Base(p) == "SKILL.md" {
			skills[path.Dir(p)] = true
		}
	})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	at := map[string]int{}
	var names []string
	for p := range texts {
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
			t.units = append(t.units, unit{name: dir, source: "corpus " + repo})
		}
		t.units[i].files = append(t.units[i].files, &signal.File{Path: strings.TrimPrefix(strings.TrimPrefix(p, dir), "/"), Raw: texts[p], Size: int64(len(texts[p]))})
	}
	return nil
}

// digest is a number that is the same for the same words.
func digest(text string) uint64 {
	h := fnv.New64a()
	for w := range strings.FieldsSeq(strings.ToLower(text)) {
		_, _ = io.WriteString(h, w+" ")
	}
	return h.Sum64()
}

func (t *trainer) source(name string) int {
	i := slices.Index(t.sources, name)
	if i < 0 {
		i = len(t.sources)
		t.sources = append(t.sources, name)
	}
	return i
}

// cut makes the windows of all packages, each text once. What a malicious package has in
// common with a benign one says nothing.
func (t *trainer) cut() {
	seen := map[uint64]bool{}
	var malicious []int
	for i := range t.units {
		u := &t.units[i]
		slices.SortStableFunc(u.files, func(a, b *signal.File) int {
			return cmp.Compare(btoi(path.Base(a.Path) != "SKILL.md"), btoi(path.Base(b.Path) != "SKILL.md"))
		})
		if u.files = u.files[:min(len(u.files), 300)]; len(u.files) == 0 {
			continue
		}
		u.test = !u.malicious && digest(u.source+" "+strings.SplitN(u.name, "/", 3)[0])>>3%5 == 0
		s := &signal.Set{Package: &signal.Package{Name: u.name, Files: u.files}}
		document.Read(s)
		from := len(t.windows)
		for _, f := range prose.Samples(s) {
			t.windows = append(t.windows, window{f.Features, i, t.source(u.source), digest(f.Text)})
		}
		u.files = nil
		for k := from; k < len(t.windows); k++ {
			w := &t.windows[k]
			switch {
			case u.malicious:
				malicious = append(malicious, k)
			case u.test:
				t.test = append(t.test, k)
				seen[w.key] = true
			case !seen[w.key]:
				t.benign = append(t.benign, k)
				seen[w.key] = true
			}
		}
	}
	for _, k := range malicious {
		if w := &t.windows[k]; !seen[w.key] {
			t.malicious[w.source] = append(t.malicious[w.source], k)
			seen[w.key] = true
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// draw adds sentences from lines with alternatives.
func (t *trainer) draw(text string, malicious bool) {
	random := rand.New(rand.NewPCG(3, 5))
	section := "benign"
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "= "); ok {
			section = name
		}
		if line == "" || line[0] == '#' || line[0] == '=' {
			continue
		}
		source := t.source("attacks.txt " + section)
		for range drawn {
			var f []uint32
			for _, s := range prose.Samples(sentence(choose(line, random))) {
				f = s.Features
			}
			t.windows = append(t.windows, window{f, -1, source, 0})
			if malicious {
				t.drawn = append(t.drawn, len(t.windows)-1)
			} else {
				t.benign = append(t.benign, len(t.windows)-1)
			}
		}
	}
}

func sentence(text string) *signal.Set {
	s := &signal.Set{Package: &signal.Package{Files: []*signal.File{{Text: text, Role: signal.Main}}}}
	s.Regions = []signal.Region{{Context: signal.Context{Medium: signal.Prose}, Text: text, Parent: -1}}
	return s
}

// choose takes one alternative of each group.
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
