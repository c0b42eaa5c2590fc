// Command audit measures the accuracy of vade audit on labeled packages: how many dangerous
// packages it blocks, and how many harmless ones. Packages are read from archives and are never
// written to disk.
//
//	go run ./bench/audit -detection FILE.tar.gz[,FILE.tar.gz…] -corpus FILE.tar.gz [-show SET:VERDICT]
//
// Each archive for -detection has a labels.json file at its top level, which lists objects with the
// keys id, label and source. The archive for -corpus contains whole repositories, where each
// directory with a SKILL.md is a package. For each set, the command prints how many packages have
// each verdict, with 95% Wilson intervals. -show prints the findings for the packages in SET whose
// verdict is at least as severe as VERDICT.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing/fstest"
	"time"

	"github.com/vadehq/vade/bench/tree"
	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/audit"
	"github.com/vadehq/vade/internal/audit/bundle"
	"github.com/vadehq/vade/internal/audit/rules"
	"github.com/vadehq/vade/internal/vfs"
)

// one is a package to audit.
type one struct {
	set, name string
	malicious bool
	files     fstest.MapFS
	// main is the directory that contains SKILL.md, or "" for the top level.
	main   string
	report *audit.Report
	took   time.Duration
}

func main() {
	detection := flag.String("detection", "", "comma-separated archives of labeled packages")
	corpus := flag.String("corpus", "", "archive of repositories")
	show := flag.String("show", "", "print the findings for `SET:VERDICT`")
	rules := flag.Bool("rules", false, "print how often each rule reports a finding, by set")
	evade := flag.Bool("evasion", false, "rewrite attacks in many ways and print each detection rate; -show all prints each miss")
	leave := flag.Bool("leave-one-out", false, "also print each source's recall without rules that block only that source")
	flag.Parse()
	var all []*one
	var err error
	if *detection != "" {
		for name := range strings.SplitSeq(*detection, ",") {
			var list []*one
			if list, err = labelled(name); err != nil {
				break
			}
			all = append(all, list...)
		}
	}
	if err == nil && *corpus != "" {
		var list []*one
		list, err = repositories(*corpus)
		all = append(all, list...)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "audit:", err)
		os.Exit(1)
	}
	if *evade {
		evasion(*show == "all")
		return
	}
	began := time.Now()
	run(all)
	took := time.Since(began)
	table(all)
	if *leave {
		leaveOneOut(all)
	}
	if *rules {
		perRule(all)
	}
	if *show != "" {
		findings(all, *show)
	}
	times := make([]time.Duration, len(all))
	for i, p := range all {
		times[i] = p.took
	}
	slices.Sort(times)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if n := len(times); n > 0 {
		fmt.Printf("\n%d packages in %.1f s on %d processors; each: median %.2f ms, 99%% %.1f ms, worst %.1f ms; memory from the system %d MiB\n",
			n, took.Seconds(), runtime.GOMAXPROCS(0), ms(times[n/2]), ms(times[n*99/100]), ms(times[n-1]), m.Sys>>20)
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// run audits the packages in parallel.
func run(all []*one) {
	var wg sync.WaitGroup
	next := make(chan *one)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for p := range next {
				p.audit()
			}
		})
	}
	for _, p := range all {
		next <- p
	}
	close(next)
	wg.Wait()
}

func (p *one) audit() {
	began := time.Now()
	q := bundle.Request{Name: path.Base(p.name), Kind: definition.Skill, Tree: vfs.FromFS(p.files, p.name), Main: path.Join(p.main, "SKILL.md"), Dir: cmp.Or(p.main, ".")}
	if read, err := bundle.Read(context.Background(), q); err == nil {
		p.report = audit.Run(read, audit.Options{})
		p.report.Set = nil
	} else {
		fmt.Fprintf(os.Stderr, "%s: %v\n", p.name, err)
	}
	p.took = time.Since(began)
}

// labelled reads labeled packages. It skips files whose names start with an underscore because they
// hold notes by the collection's authors.
func labelled(name string) ([]*one, error) {
	byID := map[string]*one{}
	var labels []struct{ ID, Source, Label string }
	err := tree.Archive(name, func(name string, data []byte, mode int64) {
		if path.Base(name) == "labels.json" {
			_ = json.Unmarshal(data, &labels)
			return
		}
		id, rest, ok := strings.Cut(name, "/")
		if !ok || strings.HasPrefix(path.Base(rest), "_") {
			return
		}
		if byID[id] == nil {
			byID[id] = &one{name: id, files: fstest.MapFS{}}
		}
		byID[id].files[rest] = &fstest.MapFile{Data: data, Mode: 0o644}
	})
	if err == nil && len(labels) == 0 {
		err = errors.New("missing labels.json, or no labels in it")
	}
	var all []*one
	for _, l := range labels {
		p := byID[l.ID]
		if p == nil {
			continue
		}
		p.set, p.malicious = l.Source, l.Label == "malicious"
		for name := range p.files {
			if dir, ok := strings.CutSuffix(name, "/SKILL.md"); ok && p.files["SKILL.md"] == nil {
				// The package is a project that contains the skill.
				p.main = dir
			}
		}
		if p.main != "" || p.files["SKILL.md"] != nil {
			all = append(all, p)
		}
	}
	return all, err
}

// repositories reads the skills in whole repositories. Skills with identical text are counted once.
func repositories(name string) ([]*one, error) {
	files := map[string]*fstest.MapFile{}
	err := tree.Archive(name, func(name string, data []byte, mode int64) {
		files[name] = &fstest.MapFile{Data: data, Mode: 0o644}
	})
	byDir := map[string]*one{}
	seen := map[string]bool{}
	for _, name := range sorted(files) {
		if f := files[name]; path.Base(name) == "SKILL.md" && !seen[string(f.Data)] {
			seen[string(f.Data)] = true
			byDir[path.Dir(name)] = &one{set: "corpus", name: path.Dir(name), files: fstest.MapFS{}}
		}
	}
	for name, f := range files {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if p := byDir[dir]; p != nil {
				p.files[strings.TrimPrefix(name, dir+"/")] = f
				break
			}
		}
	}
	var all []*one
	for _, p := range byDir {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b *one) int { return strings.Compare(a.name, b.name) })
	return all, err
}

// table prints how many packages have each verdict, by set.
func table(all []*one) {
	count := map[string][4]int{}
	for _, p := range all {
		if p.report != nil {
			c := count[p.set]
			c[p.report.Verdict]++
			count[p.set] = c
		}
	}
	fmt.Printf("%-22s %6s %6s %7s %8s   %-24s %s\n", "set", "n", "block", "review", "inform", "block, 95 %", "review or worse, 95 %")
	for _, set := range sorted(count) {
		c := count[set]
		n := c[0] + c[1] + c[2] + c[3]
		fmt.Printf("%-22s %6d %6d %7d %8d   %-24s %s\n", set, n, c[rules.Block], c[rules.Review], c[rules.Inform],
			interval(c[rules.Block], n), interval(c[rules.Block]+c[rules.Review], n))
	}
}

// interval formats k/n as a percentage with its Wilson interval.
func interval(k, n int) string {
	const z = 1.959964
	p, m := float64(k)/float64(n), float64(n)
	middle := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return fmt.Sprintf("%.1f %% [%.1f–%.1f]", 100*p, 100*max(0, middle-half), 100*min(1, middle+half))
}

func sorted[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// perRule prints, for each rule and severity, the number of packages with a finding in each set.
func perRule(all []*one) {
	type key struct{ id, set string }
	count := map[key][4]int{}
	sets, ids := map[string]bool{}, map[string]bool{}
	for _, p := range all {
		if p.report == nil {
			continue
		}
		worst := map[string]rules.Severity{}
		for _, f := range p.report.Findings {
			worst[f.ID] = max(worst[f.ID], f.Severity)
		}
		for id, s := range worst {
			k := key{id, p.set}
			c := count[k]
			c[s]++
			count[k] = c
			sets[p.set], ids[id] = true, true
		}
	}
	fmt.Println("\nrule: packages with block/review/inform, by set")
	for _, id := range sorted(ids) {
		fmt.Printf("%-5s", id)
		for _, set := range sorted(sets) {
			if c := count[key{id, set}]; c != [4]int{} {
				fmt.Printf("  %s %d/%d/%d", set, c[3], c[2], c[1])
			}
		}
		fmt.Println()
	}
}

// leaveOneOut counts the blocked packages for each source of malicious packages. It uses only rules
// that also block a package from another source, because a rule that blocks a single campaign does
// not help to detect the next one.
func leaveOneOut(all []*one) {
	sources := map[string]map[string]bool{}
	blocks := func(p *one) map[string]bool {
		ids := map[string]bool{}
		if p.report != nil {
			for _, f := range p.report.Findings {
				if f.Severity == rules.Block {
					ids[f.ID] = true
				}
			}
		}
		return ids
	}
	sizes := map[string]int{}
	for _, p := range all {
		if !p.malicious {
			continue
		}
		sizes[p.set]++
		ids := blocks(p)
		for id := range ids {
			if sources[id] == nil {
				sources[id] = map[string]bool{}
			}
			sources[id][p.set] = true
		}
	}
	left := map[string]int{}
	for _, p := range all {
		if !p.malicious {
			continue
		}
		for id := range blocks(p) {
			if len(sources[id]) > 1 {
				left[p.set]++
				break
			}
		}
	}
	fmt.Printf("\n%-32s %6s   %s\n", "source, without its own rules", "n", "block, 95 %")
	n, k := 0, 0
	for _, set := range sorted(sizes) {
		fmt.Printf("%-32s %6d   %s\n", set, sizes[set], interval(left[set], sizes[set]))
		n, k = n+sizes[set], k+left[set]
	}
	if n > 0 {
		fmt.Printf("%-32s %6d   %s\n", "all", n, interval(k, n))
	}
}

// findings prints the packages in a set whose verdict is at least as severe as the given one, along
// with the findings of at least that severity. If the given verdict is "clean", it prints the names
// of the packages whose verdict is less severe than review.
func findings(all []*one, show string) {
	set, word, _ := strings.Cut(show, ":")
	least, ok := rules.ParseSeverity(word)
	for _, p := range all {
		if p.set != set || p.report == nil {
			continue
		}
		if !ok {
			if p.report.Verdict < rules.Review {
				fmt.Println(p.name)
			}
			continue
		}
		if p.report.Verdict < least {
			continue
		}
		fmt.Printf("%s: %s\n", p.name, p.report.Verdict)
		for _, f := range p.report.Findings {
			if f.Severity >= least {
				fmt.Printf("  %s %s/%s %s:%d:%d %s | %q\n", f.ID, f.Severity, f.Confidence, f.Path, f.Line, f.Column, f.Message, short(f))
			}
		}
	}
}

func short(f audit.Finding) string {
	from, to := max(0, f.From-40), min(len(f.Source), max(f.To, f.From)+40)
	text := string(bytes.ToValidUTF8([]byte(f.Source[min(from, to):to]), []byte("?")))
	return text[:cmp.Or(min(len(text), 220), len(text))]
}
