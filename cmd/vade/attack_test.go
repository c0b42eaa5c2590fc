//go:build unix

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/vadehq/vade/internal/testenv"
)

// attack is a hostile command, its environment, and the harm that it does if a shell runs it. Its
// strings may contain the placeholders that [world.expand] replaces.
type attack struct {
	ID        string `json:"id"`
	Mechanism string `json:"mechanism"`
	// HarmKind is one of marker, stdout, check, timeout, net, bigout and esc.
	HarmKind string `json:"harm_kind"`
	Command  string `json:"command"`
	// Fill, repeated Times times, replaces @FILL@. It avoids writing out very long text.
	Fill  string `json:"fill"`
	Times int    `json:"times"`
	// Setup runs in the repository, as its hostile author would have run it. Check runs there
	// afterwards and succeeds only if the repository was changed.
	Setup string `json:"setup"`
	Check string `json:"check"`
	// Expect must not appear in the output, and neither may the secret.
	Expect string `json:"expect"`
	// Path is a repository directory that comes first in PATH. Cwd is the
	// working directory, below the repository.
	Path    string            `json:"path"`
	Cwd     string            `json:"cwd"`
	Stdin   string            `json:"stdin"`
	Env     map[string]string `json:"env"`
	TTY     bool              `json:"tty"`
	NoStdin bool              `json:"nostdin"`
	// Both is set if the harm may also appear on stderr.
	Both bool `json:"both"`
	// Needs names the programs that the attack requires.
	Needs string `json:"needs"`
	// Granted marks commands that the loose policy allows, so only the sandbox
	// can prevent the harm.
	Granted bool `json:"granted"`
}

const secret = "SECRETVALUE"

// loosePolicy is the most permissive policy that a person would realistically use. Some of the
// commands that it allows run programs that the project defines.
const loosePolicy = `shell: granted
allow:
  - Bash(npm test)
  - Bash(npm run build:*)
  - Bash(gh pr view:*)
  - Bash(node ./scripts/report.js:*)
`

func TestAttacks(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	bench := newBench(t)
	t.Run("own", func(t *testing.T) { runAttacks(t, bench, ownAttacks(t)) })
	t.Run("published", func(t *testing.T) {
		runAttacks(t, bench, attacksOf(t, securityFile(t, "shell-attacks.json")))
	})
}

// TestAttackCases checks that each case can detect its harm.
func TestAttackCases(t *testing.T) {
	kinds := []string{"marker", "stdout", "check", "timeout", "net", "bigout", "esc"}
	seen, classes := map[string]bool{}, map[byte]int{}
	for _, a := range ownAttacks(t) {
		if seen[a.ID] || len(a.ID) != 4 {
			t.Errorf("%s: the id is no letter and three digits, or not the only one", a.ID)
		}
		seen[a.ID] = true
		classes[a.ID[0]]++
		switch {
		case !slices.Contains(kinds, a.HarmKind):
			t.Errorf("%s: unknown harm %q", a.ID, a.HarmKind)
		case (a.HarmKind == "check") != (a.Check != ""):
			t.Errorf("%s: a check without that harm, or the harm without a check", a.ID)
		case a.HarmKind == "marker" && !strings.Contains(a.Command+a.Setup+fmt.Sprint(a.Env), "@M@") && !strings.Contains(a.Command, "/marker"):
			t.Errorf("%s: nothing can make the marker", a.ID)
		case a.HarmKind == "stdout" && strings.Contains(a.Command, cmp.Or(a.Expect, secret)):
			t.Errorf("%s: the command itself holds what must not come out", a.ID)
		}
	}
	for class := byte('A'); class <= 'I'; class++ {
		if classes[class] < 5 {
			t.Errorf("class %c has %d cases", class, classes[class])
		}
	}
}

// TestAttacksAreReal checks that a shell causes the harm that each case tests for. A case that
// never causes harm would pass for any product.
func TestAttacksAreReal(t *testing.T) {
	if os.Getenv("VADE_ATTACKS_REAL") != "1" {
		t.Skip("set VADE_ATTACKS_REAL=1 to let bash run the hostile commands in throwaway directories")
	}
	b := &bench{template: newTemplate(t)}
	for _, a := range ownAttacks(t) {
		t.Run(a.ID, func(t *testing.T) {
			t.Parallel()
			if missing := a.missing(); missing != "" {
				t.Skipf("%s is not installed", missing)
			}
			w := b.world(t, a)
			o := w.shell(t, a)
			harm := w.harm(a, o)
			for wait := 0; harm == "" && wait < 10; wait++ { // background processes may need time
				time.Sleep(50 * time.Millisecond)
				harm = w.harm(a, o)
			}
			if harm == "" {
				t.Errorf("%s: %q does no harm in bash", a.Mechanism, shorten(w.expand(a.Command)))
			}
		})
	}
}

// missing returns a program that the case needs but systemPath does not contain, or "".
func (a attack) missing() string {
	for _, name := range strings.Fields(a.Needs) {
		if !slices.ContainsFunc(filepath.SplitList(systemPath), func(dir string) bool {
			_, err := os.Stat(filepath.Join(dir, name))
			return err == nil
		}) {
			return name
		}
	}
	return ""
}

// ways lists the ways a hostile command can reach Vade.
var ways = [...]struct {
	name  string
	loose bool
	args  func(command string) []string
	load  bool
}{
	{"shell", false, func(c string) []string { return []string{"shell", "--", c} }, false},
	{"json", false, func(c string) []string { return []string{"shell", "--json", "--", c} }, false},
	{"load", false, func(string) []string { return []string{"load", "--", "/x"} }, true},
	{"loose shell", true, func(c string) []string { return []string{"shell", "--", c} }, false},
	{"loose load", true, func(string) []string { return []string{"load", "--", "/x"} }, true},
	{"render", false, func(string) []string { return rendering("/x") }, true},
	{"loose render", true, func(string) []string { return rendering("/x") }, true},
}

// rendering returns arguments that render a prompt in the view of a host whose
// own check allows everything.
func rendering(prompt ...string) []string {
	return append([]string{"render", "--host", "claude-code", "--permission-mode", "bypassPermissions", "--json", "--"}, prompt...)
}

// longestWord is the maximum length of one process argument.
const longestWord = 128<<10 - 1

func runAttacks(t *testing.T, b *bench, list []attack) {
	var mu sync.Mutex
	rows := map[string][]string{}
	harmless := 0
	for _, a := range list {
		t.Run(a.ID, func(t *testing.T) {
			t.Parallel()
			row := []string{a.ID, a.HarmKind}
			w := b.world(t, a)
			w.define(t, a.Cwd, w.expand(a.Command))
			for _, way := range ways {
				command := w.expand(a.Command)
				if !way.load && len(command) > longestWord {
					row = append(row, "too long")
					continue
				}
				w.setPolicy(t, policyFor(a, way.loose))
				if way.loose && way.load {
					w.consent(b.binary)
				}
				before := w.digest(t)
				o := w.vade(t, a, b.binary, way.args(command)...)
				if harms := w.harms(t, a, o, before); len(harms) > 0 {
					t.Errorf("%s, through %s: %q does harm: %s\n%s", a.Mechanism, way.name, shorten(command),
						strings.Join(harms, "; "), shorten(string(o.out)+string(o.err)))
				}
				if a.TTY {
					o.out = jsonOf(o.out)
				}
				what, err := verdict(way.load, way.name == "json", o)
				if strings.HasSuffix(way.name, "render") {
					what, err = renderVerdict(o.out, len(command))
				}
				if err != nil {
					t.Errorf("%s, through %s: %v\n%s", a.Mechanism, way.name, err, shorten(string(o.out)+string(o.err)))
				}
				row = append(row, what)
			}
			mu.Lock()
			defer mu.Unlock()
			rows[a.ID] = append(row, a.Mechanism)
			if !t.Failed() {
				harmless++
			}
		})
	}
	t.Cleanup(func() {
		t.Log("\n" + table(rows))
		// These attributes are for bench/baseline.
		group := "figure/attacks/" + path.Base(t.Name())
		t.Attr(group+"/cases", strconv.Itoa(len(list)))
		t.Attr(group+"/harmless", strconv.Itoa(harmless))
	})
}

// policyFor returns a run's policy file. Its limits are lower than the
// defaults, so endless commands are stopped sooner.
func policyFor(a attack, loose bool) string {
	text := ""
	if loose {
		text = loosePolicy
	}
	if a.HarmKind == "timeout" {
		text += "timeout: 1s\n"
	}
	return text
}

func table(rows map[string][]string) string {
	ids := make([]string, 0, len(rows))
	for id := range rows {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "case\tharm")
	for _, way := range ways {
		fmt.Fprint(w, "\t"+way.name)
	}
	fmt.Fprintln(w, "\tmechanism")
	for _, id := range ids {
		fmt.Fprintln(w, strings.Join(rows[id], "\t"))
	}
	_ = w.Flush()
	return b.String()
}

// ownAttacks returns the cases in testdata/attacks.
func ownAttacks(t *testing.T) []attack {
	t.Helper()
	names, err := filepath.Glob("testdata/attacks/*.json")
	if err != nil || len(names) == 0 {
		t.Fatalf("no cases in testdata/attacks: %v", err)
	}
	var all []attack
	for _, name := range names {
		all = append(all, attacksOf(t, name)...)
	}
	return all
}

func attacksOf(t *testing.T, name string) []attack {
	t.Helper()
	var file struct {
		Cases []attack `json:"cases"`
	}
	readJSON(t, name, &file)
	if len(file.Cases) == 0 {
		t.Fatalf("%s has no cases", name)
	}
	for i, a := range file.Cases {
		file.Cases[i].Command = strings.ReplaceAll(a.Command, "@FILL@", strings.Repeat(a.Fill, a.Times))
	}
	return file.Cases
}

func readJSON(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// securityFile returns the path of an input outside this repository, in the
// directory that VADE_SECURITY names.
func securityFile(t *testing.T, name string) string {
	t.Helper()
	dir := cmp.Or(os.Getenv("VADE_SECURITY"), "../../../shared/security")
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("%s is not here; set VADE_SECURITY to its directory", path)
	}
	return path
}

// bench holds what all worlds share: the binary under test and a copy of the pristine environment.
type bench struct {
	binary, template string
}

// newBench builds vade, or uses the binary that VADE_BINARY names.
func newBench(t *testing.T) *bench {
	t.Helper()
	binary := os.Getenv("VADE_BINARY")
	if binary == "" {
		binary = buildVade(t)
	}
	if out, err := exec.Command(binary, "shell", "--help").CombinedOutput(); err != nil {
		t.Fatalf("vade shell --help: %v\n%s", err, out)
	}
	return &bench{binary: binary, template: newTemplate(t)}
}

func shorten(s string) string {
	if len(s) > 600 {
		return s[:600] + "…"
	}
	return s
}
