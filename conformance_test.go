package vade_test

import (
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/vadehq/vade/internal/catalog"
)

// Host versions with which the cases were recorded.
const (
	newVersion = "2.1.329"
	oldVersion = "2.1.88"
	// derivedCases contains the cases that were not recorded from a client.
	derivedCases = "derived"
)

// oldOrder maps each case of the old version whose listing may be in a different order to the
// reason. Everything else in these cases must match exactly.
var oldOrder = map[string]string{
	"m16-commands-ns": "the old version lists commands in the order in which the disk names them",
}

// difference describes a deliberate difference between Vade and the host.
type difference struct {
	reason string
	// code is the error code that Vade reports for the difference.
	code     string
	versions []string
}

// different lists the cases where Vade deliberately differs from the host.
// docs/hosts/claude-code.md has the same list. s03 is not a difference in the old version, where a
// refused command ends the run silently.
var different = map[string]difference{
	"s03-fail":            {shellRule, "BASH_NOT_ALLOWED", []string{newVersion}},
	"s13-big-output":      {shellRule, "BASH_NOT_ALLOWED", []string{newVersion, oldVersion}},
	"s33-inject-plain":    {argumentRule, "BASH_NOT_ALLOWED", []string{newVersion, oldVersion}},
	"s34-inject-backtick": {argumentRule, "BASH_NOT_ALLOWED", []string{oldVersion}},
	"s42-trust-dontask": {
		"the command writes a file, and no mode of the host's makes that the user's consent",
		"BASH_NOT_ALLOWED", []string{newVersion, oldVersion},
	},
	"h41-shell-args-1":     {argumentRule, "BASH_NOT_ALLOWED", []string{newVersion}},
	"h43-shell-readonly-7": {"a command must not read an environment variable without approval", "BASH_NOT_ALLOWED", []string{newVersion}},
	"h43-shell-readonly-19": {
		"node runs a program of the project's choice, so it is not on the read-only allowlist",
		"BASH_NOT_ALLOWED", []string{newVersion},
	},
}

// random lists the recorded cases, as "host/id", whose result differs between runs of the client.
var random = map[string]string{
	"gemini/h18-budget120":  "with many skills, neighbors in the listing swap from run to run",
	"opencode/h10-dup-root": "which of two skills with one name wins depends on which file is read first",
}

const (
	shellRule    = "a rule for a whole shell is no consent for whatever the shell is told to do"
	argumentRule = "an argument may fill a word of a command but never adds a command"
)

// inexact returns the recorded cases, as "host@version/id", for which Vade's result does not match
// exactly yet. A case that becomes exact must be removed from the file. Any other case that is not
// exact fails the test.
func inexact(t *testing.T) map[string]bool {
	t.Helper()
	data, err := os.ReadFile("testdata/inexact.txt")
	must(t, err)
	cases := map[string]bool{}
	for _, line := range strings.Split(string(data), "\n") {
		if line != "" && !strings.HasPrefix(line, "#") {
			cases[line] = true
		}
	}
	return cases
}

// checkInexact reports names with the given prefix that do not belong to a case.
func checkInexact(t *testing.T, known map[string]bool, prefix string, played map[string]bool) {
	t.Helper()
	if _, err := os.Stat(recordedDir()); err != nil {
		return
	}
	for name := range known {
		if strings.HasPrefix(name, prefix) && !played[name] {
			t.Errorf("testdata/inexact.txt names %s, which is not a recorded case", name)
		}
	}
}

// differs returns the deliberate difference for a case in a version, or nil. All versions except
// the old one have the same differences.
func differs(id, version string) *difference {
	if version != oldVersion {
		version = newVersion
	}
	if d, ok := different[id]; ok && slices.Contains(d.versions, version) {
		return &d
	}
	return nil
}

// clientsOwn maps a case to a line in its recorded listing that is a built-in entry of the client.
// The recorder did not recognize the entry because its description had been dropped.
var clientsOwn = map[string]string{"m23-very-many": "security-review"}

func TestMain(m *testing.M) {
	// The sandbox re-executes this program for cases whose commands need a process.
	catalog.SandboxMain()
	os.Exit(m.Run())
}

// TestConformance plays every case in vectors/ and in the recordings against both versions, and
// requires everything that the recorder wrote to match exactly.
func TestConformance(t *testing.T) {
	t.Parallel()
	all := conformanceCases(t)
	scores, known, played := map[string]*score{}, inexact(t), map[string]bool{}
	for _, r := range all {
		for _, group := range append([]string{r.Version, derivedCases}, r.Also...) {
			scores[group] = &score{}
		}
	}
	t.Run("cases", func(t *testing.T) {
		for i := range all {
			r := &all[i]
			for _, version := range append([]string{r.Version}, r.Also...) {
				name := "claude-code@" + version + "/" + r.ID
				played[name] = true
				t.Run(r.ID+"@"+version, func(t *testing.T) {
					t.Parallel()
					group := version
					if r.Origin == derivedCases {
						group = derivedCases
					}
					conform(t, scores[group], r, version, known[name])
				})
			}
		}
	})
	for _, group := range slices.Sorted(maps.Keys(scores)) {
		scores[group].report(t, "claude-code@"+group)
	}
	checkInexact(t, known, "claude-code@", played)
}

// TestConformanceWithGrants checks the cases that differ only because the user has not granted or
// approved something. With the grant or approval, they must match exactly.
func TestConformanceWithGrants(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("a shell is started only in a sandbox, which is not available here")
	}
	for _, r := range conformanceCases(t) {
		if differs(r.ID, newVersion) == nil || different[r.ID].reason != shellRule {
			continue
		}
		for _, version := range []string{newVersion, oldVersion} {
			t.Run(r.ID+"@"+version, func(t *testing.T) {
				got, fill := play(t, &r, version, "Bash(sh:*)")
				if first := firstProblem(compare(&r, version, &got, fill)); first != "" {
					t.Errorf("error %q %q: %s", got.code, got.Result, first)
				}
			})
		}
	}
}

// conformanceCases returns the vectors and the recorded cases that are not vectors.
func conformanceCases(t *testing.T) []recording {
	all := casesIn(t, "vectors/claude-code")
	if len(all) == 0 {
		t.Error("there are no vectors")
	}
	others := casesIn(t, recordedDir()+"/claude-code")
	if len(others) == 0 {
		t.Logf("no recorded cases in %s (VADE_CONFORMANCE names their directory): the vectors only", recordedDir())
	}
	for _, r := range others {
		if !slices.ContainsFunc(all, func(v recording) bool { return v.ID == r.ID }) {
			if r.Expect88 != nil {
				r.Also = []string{oldVersion}
			}
			all = append(all, r)
		}
	}
	return all
}

// score counts the results of the cases for a host or version. The cases run in parallel.
type score struct {
	sync.Mutex
	exact, different, inexact, skipped int
	failing                            []string
	// vectors is the number of exact cases in vectors/.
	vectors int
	// parts maps the name of each part to the number of exact parts and the total number of parts.
	parts map[string]*[2]int
}

// count adds a case's parts to the score.
func (s *score) count(parts []part) {
	s.Lock()
	defer s.Unlock()
	if s.parts == nil {
		s.parts = map[string]*[2]int{}
	}
	for _, p := range parts {
		n := s.parts[p.name]
		if n == nil {
			n = &[2]int{}
			s.parts[p.name] = n
		}
		n[1]++
		if p.problem == "" {
			n[0]++
		}
	}
}

// judge adds a case to the score. different is the reason that Vade deliberately differs from the
// host, or "". problem is the first difference between the recording and Vade's result, or "".
func (s *score) judge(t *testing.T, r *recording, known bool, different, problem string) {
	t.Helper()
	s.Lock()
	defer s.Unlock()
	switch {
	case problem == "" && known:
		t.Error("the case is exact: remove it from testdata/inexact.txt")
	case problem == "" && different != "":
		t.Error("the case is exact: remove it from the table of deliberate differences")
	case problem == "":
		s.exact++
		if r.Origin != "" {
			s.vectors++
		}
		return
	case known:
		s.inexact++
		t.Log(problem)
		return
	case different != "":
		s.different++
		t.Logf("deliberately different (%s): %s", different, problem)
		return
	default:
		t.Error(problem)
	}
	s.failing = append(s.failing, r.ID)
}

func (s *score) skip(t *testing.T, reason string) {
	s.Lock()
	s.skipped++
	s.Unlock()
	t.Skip(reason)
}

func (s *score) report(t *testing.T, name string) {
	total := s.exact + s.different + s.inexact + s.skipped + len(s.failing)
	t.Logf("%s: %d of %d exact, %d deliberately different, %d known to be inexact, %d failing, %d skipped",
		name, s.exact, total, s.different, s.inexact, len(s.failing), s.skipped)
	for _, part := range slices.Sorted(maps.Keys(s.parts)) {
		t.Logf("%s, %s: %d of %d exact", name, part, s.parts[part][0], s.parts[part][1])
	}
	if len(s.failing) > 0 {
		slices.Sort(s.failing)
		t.Logf("%s, failing: %s", name, strings.Join(s.failing, " "))
	}
	publish(t, "conformance/"+name+"/cases", total)
	publish(t, "conformance/"+name+"/exact", s.exact)
	publish(t, "conformance/"+name+"/different", s.different)
	publish(t, "vectors/"+name+"/exact", s.vectors)
}

// publish records a figure as a test attribute, which bench/baseline reads.
func publish(t *testing.T, name string, value int) {
	t.Attr("figure/"+name, strconv.Itoa(value))
}

// conform plays a Claude Code case and judges the result.
func conform(t *testing.T, s *score, r *recording, version string, known bool) {
	for _, file := range r.Needs {
		if _, err := os.Stat(file); err != nil {
			s.skip(t, "this machine has no "+file)
		}
	}
	if runtime.GOOS != "linux" && r.runsGit() {
		s.skip(t, "git runs in the sandbox only, which is Linux-only")
	}
	got, fill := play(t, r, version)
	parts := compare(r, version, &got, fill)
	problem := firstProblem(parts)
	different := ""
	if d := differs(r.ID, version); d != nil {
		different = d.reason
		if got.code != d.code || len(got.Created) > 0 {
			t.Errorf("error %q, expected %q; created %q", got.code, d.code, got.Created)
		}
	}
	if version == oldVersion && oldOrder[r.ID] != "" {
		different = oldOrder[r.ID]
		sorted, inOrder := got, *r
		sorted.Listing = slices.Sorted(slices.Values(got.Listing))
		want := *r.expected(version)
		want.Listing = slices.Sorted(slices.Values(want.Listing))
		inOrder.Expect88 = &want
		if but := firstProblem(compare(&inOrder, version, &sorted, fill)); but != "" {
			t.Errorf("not only the order: %s", but)
		}
	}
	s.count(parts)
	s.judge(t, r, known, different, problem)
}

// part compares one part of a recording, such as its listing, against Vade's result.
type part struct {
	name string
	// problem is the first difference. It is "" if the parts are equal.
	problem string
}

func firstProblem(parts []part) string {
	for _, p := range parts {
		if p.problem != "" {
			return p.name + p.problem
		}
	}
	return ""
}

// compare compares every recorded part against Vade's result.
func compare(r *recording, version string, got *outcome, fill func(string) string) []part {
	want := *r.expected(version)
	want.Result = fill(want.Result)
	if version == oldVersion {
		want.Rendered = withoutReminders(want.Rendered)
		if strings.HasPrefix(got.code, "BASH_") && want.Result == "" && len(want.Rendered) == 0 {
			// The old version ends silently if a command in a body fails or is refused. Vade
			// reports the reason anyway (s04, s15).
			got.Result = ""
		}
	}
	filled := func(list []string) []string {
		var out []string
		for _, s := range list {
			out = append(out, fill(s))
		}
		return out
	}
	if own := clientsOwn[r.ID]; own != "" {
		want.Listing = slices.DeleteFunc(slices.Clone(want.Listing), func(s string) bool { return s == own })
	}
	attached := got.Attached
	if unique := unrepeated(want.Attached); len(unique) == len(want.Attached) {
		// The first recordings contain each input only once, even if it was sent several times. For
		// example, the client attaches f01's file three times.
		attached = unrepeated(attached)
	}
	var wantTexts, gotTexts []string
	for _, m := range want.Rendered {
		wantTexts = append(wantTexts, "["+string(m[0])+"] "+fill(string(m[1])))
	}
	for _, m := range got.Rendered {
		gotTexts = append(gotTexts, "["+string(m[0])+"] "+string(m[1]))
	}
	var parts []part
	for _, x := range []struct {
		name      string
		want, got []string
	}{
		{"result", []string{want.Result}, []string{got.Result}},
		{"rendered", wantTexts, gotTexts},
		{"attached", filled(want.Attached), attached},
		{"listing", filled(want.Listing), got.Listing},
		{"agents", recorded(filled(want.Agents)), got.Agents},
		{"created_files", nil, got.Created},
	} {
		if len(x.want) > 0 || len(x.got) > 0 {
			parts = append(parts, part{x.name, firstDifference(x.want, x.got)})
		}
	}
	counted := want.Requests > 0 || len(want.Rendered) == 0
	if counted && want.Requests != got.Requests {
		parts = append(parts, part{"requests", fmt.Sprintf(": recorded %d, ours %d", want.Requests, got.Requests)})
	}
	return parts
}

// unrepeated returns list without duplicates.
func unrepeated(list []string) []string {
	var once []string
	for _, s := range list {
		if !slices.Contains(once, s) {
			once = append(once, s)
		}
	}
	return once
}

// withoutReminders removes what the client appended to the results of the old version's Read tool:
// its own reminder about files, and the newly active definitions, which are also in the case's
// listing. It turns instructions into separate results.
func withoutReminders(messages [][2]packedText) [][2]packedText {
	const between = "</system-reminder>\n\n<system-reminder>\n"
	var all [][2]packedText
	for _, m := range messages {
		result, rest, found := strings.Cut(string(m[1]), "\n\n<system-reminder>\n")
		if m[0] != "tool_result" || !found {
			all = append(all, m)
			continue
		}
		all = append(all, [2]packedText{m[0], packedText(result)})
		blocks := strings.Split(strings.TrimSuffix(rest, "</system-reminder>"), between)
		for _, b := range blocks {
			if strings.HasPrefix(b, "Contents of ") {
				all = append(all, [2]packedText{m[0], packedText("<system-reminder>\n" + b + "</system-reminder>")})
			}
		}
	}
	return all
}

// firstDifference describes the first line that differs between two lists.
func firstDifference(want, got []string) string {
	for i := range max(len(want), len(got)) {
		if i < len(want) && i < len(got) && want[i] == got[i] {
			continue
		}
		w, g := "(nothing)", "(nothing)"
		line := 0
		if i < len(want) {
			w = want[i]
		}
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) && i < len(got) {
			ws, gs := strings.Split(w, "\n"), strings.Split(g, "\n")
			for line < len(ws) && line < len(gs) && ws[line] == gs[line] {
				line++
			}
			w, g = rest(ws, line), rest(gs, line)
		}
		return fmt.Sprintf("[%d] line %d (recorded %d, ours %d entries)\n  recorded %s\n  ours     %s", i, line+1, len(want), len(got), w, g)
	}
	return ""
}

func rest(lines []string, from int) string {
	if from >= len(lines) {
		return "(the end)"
	}
	line := lines[from]
	if len(line) > 400 {
		line = line[:400] + "…"
	}
	if from < len(lines)-1 {
		return fmt.Sprintf("%q, and more", line)
	}
	return fmt.Sprintf("%q", line)
}
