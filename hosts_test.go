package vade_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/instructions"
)

// recordedHosts maps host names to the directories with their recordings.
var recordedHosts = map[string]string{
	"codex": "codex", "copilot-cli": "copilot", "gemini": "gemini-cli", "opencode": "opencode", "pi": "pi", "qwen": "qwen-code",
}

// hostCase is a case for a host whose complete requests were not recorded. The recording shows only
// which marked strings reached the model and how a call was rendered.
type hostCase struct {
	recording
	Expect struct {
		Reached map[string][]string `json:"reached_model"`
		Texts   []packedText
		// SkillLine is the first listing entry, and Instructions are the instruction blocks, both
		// as they were sent. Earlier recordings do not include them.
		SkillLine    *packedText `json:"skill_line"`
		Instructions []packedText
		// Skills and Agents hold names and descriptions in the order they were sent.
		Skills, Agents [][2]packedText
	}
}

// TestConformanceOfHosts plays the neutral cases against every recorded host and checks that the
// same marked strings reach the model, and that calls are rendered to the same text.
func TestConformanceOfHosts(t *testing.T) {
	t.Parallel()
	scores, known, played := map[string]*score{}, inexact(t), map[string]bool{}
	t.Run("cases", func(t *testing.T) {
		for _, host := range slices.Sorted(maps.Keys(recordedHosts)) {
			for _, r := range hostCases(t, host) {
				s := scores[host+"@"+r.Version]
				if s == nil {
					s = &score{}
					scores[host+"@"+r.Version] = s
				}
				name := host + "/" + r.ID
				played[name] = true
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					if reason := random[name]; reason != "" {
						s.skip(t, reason)
					}
					parts := playHost(t, host, &r)
					s.count(parts)
					s.judge(t, &r.recording, known[name], "", firstProblem(parts))
				})
			}
		}
	})
	for _, name := range slices.Sorted(maps.Keys(scores)) {
		scores[name].report(t, name)
	}
	for host := range recordedHosts {
		checkInexact(t, known, host+"/", played)
	}
}

// hostCases returns a host's vectors and the recorded cases that are not vectors.
func hostCases(t *testing.T, host string) []hostCase {
	t.Helper()
	all := hostCasesIn(t, filepath.Join("vectors", host))
	if len(all) == 0 {
		t.Errorf("there are no vectors of %s", host)
	}
	for _, r := range hostCasesIn(t, filepath.Join(recordedDir(), recordedHosts[host])) {
		if !slices.ContainsFunc(all, func(v hostCase) bool { return v.ID == r.ID }) {
			all = append(all, r)
		}
	}
	if !slices.ContainsFunc(all, func(r hostCase) bool { return r.ID == budgetID }) {
		r := budgetCase(t, host)
		r.Version = all[0].Version
		all = append(all, r)
	}
	return all
}

// budgetID identifies the case with 300 skills that have long descriptions. Its tree is the same
// for every host and too long to be a vector.
const budgetID = "n14-budget"

// budgetCase creates the budgetID case. All descriptions reach the model,
// except in Copilot, which keeps only the first 37 skills' descriptions.
func budgetCase(t *testing.T, host string) hostCase {
	t.Helper()
	r := hostCase{recording: recording{ID: budgetID, Prompt: "hi", Files: map[string]json.RawMessage{}}}
	r.Expect.Reached = map[string][]string{}
	for i := range 300 {
		name := fmt.Sprintf("s%03d", i)
		text, err := json.Marshal("---\nname: " + name + "\ndescription: SENT:" + name + " " + strings.Repeat("filler text ", 24) + "\n---\nx\n")
		must(t, err)
		r.Files[".agents/skills/"+name+"/SKILL.md"] = text
		if host != "copilot-cli" || i < 37 {
			r.Expect.Reached["SENT:"+name] = nil
		}
	}
	return r
}

// TestBudgetCaseMatchesRecording checks that the generated case equals the recording.
func TestBudgetCaseMatchesRecording(t *testing.T) {
	compared := 0
	for host, dir := range recordedHosts {
		for _, r := range hostCasesIn(t, filepath.Join(recordedDir(), dir)) {
			if r.ID != budgetID {
				continue
			}
			compared++
			made := budgetCase(t, host)
			for name, raw := range r.Files {
				if string(content(t, raw)) != string(content(t, made.Files[name])) {
					t.Errorf("%s: %s is another file", host, name)
				}
			}
			want, got := slices.Sorted(maps.Keys(r.Expect.Reached)), slices.Sorted(maps.Keys(made.Expect.Reached))
			if !slices.Equal(want, got) || len(r.Files) != len(made.Files) {
				t.Errorf("%s: %d files and %d texts, recorded %d and %d", host, len(made.Files), len(got), len(r.Files), len(want))
			}
		}
	}
	if compared == 0 {
		t.Skipf("no recorded cases in %s; set VADE_CONFORMANCE to their directory", recordedDir())
	}
}

// TestHostVectorsMatchRecordings compares the vectors against the recordings.
func TestHostVectorsMatchRecordings(t *testing.T) {
	fill := filler("/w/proj", "/w/home", session).Replace
	compared := 0
	for host, dir := range recordedHosts {
		originals := hostCasesIn(t, filepath.Join(recordedDir(), dir))
		for _, v := range hostCasesIn(t, filepath.Join("vectors", host)) {
			i := slices.IndexFunc(originals, func(r hostCase) bool { return r.ID == v.ID })
			if i < 0 {
				continue
			}
			compared++
			o := originals[i]
			o.Origin = v.Origin
			if filled(t, o.recording, fill) != filled(t, v.recording, fill) || !reflect.DeepEqual(o.Expect, v.Expect) {
				t.Errorf("%s/%s is not as it was recorded", host, v.ID)
			}
		}
	}
	if compared == 0 {
		t.Skipf("no recorded cases in %s; set VADE_CONFORMANCE to their directory", recordedDir())
	}
}

func hostCasesIn(t *testing.T, dir string) []hostCase {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.json"))
	must(t, err)
	var all []hostCase
	for _, name := range names {
		data, err := os.ReadFile(name)
		must(t, err)
		var r hostCase
		if err := json.Unmarshal(data, &r); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		r.ID = strings.TrimSuffix(filepath.Base(name), ".json")
		all = append(all, r)
	}
	return all
}

// marked matches text in a case that can be recognized in the output.
var marked = regexp.MustCompile(`(?:SENT|BODY|CMD|AGENT|INSTR):[A-Za-z0-9_~./-]+`)

// playHost runs a case and compares every recorded part against Vade's result.
func playHost(t *testing.T, host string, r *hostCase) []part {
	project, home, managed := r.lay(t)
	helper, err := os.Executable()
	must(t, err)
	o := catalog.Options{
		As: host + "@" + r.Version, Dir: filepath.Join(project, r.CWD), Home: home, ManagedDir: managed,
		Getenv: func(name string) string {
			if name == "PATH" {
				return os.Getenv(name)
			}
			return r.Env[name]
		},
		Now: func() time.Time { return today },
	}
	o.Shell.SandboxHelper = helper
	c, err := catalog.Open(t.Context(), o)
	must(t, err)
	defer c.Close()

	instructions, err := instructions.Build(t.Context(), c, instructions.Request{})
	must(t, err)
	l, err := c.Listing(t.Context())
	must(t, err)
	var instructed, texts []string
	for _, m := range instructions.Messages {
		instructed = append(instructed, m.Text)
	}
	listed := slices.Concat(l.Skills, l.Agents)
	render := func(request catalog.RenderRequest) *definition.Rendering {
		request.Session = session
		out, err := c.Render(t.Context(), request)
		must(t, err)
		for _, m := range out.Messages {
			texts = append(texts, m.Text)
		}
		for _, a := range out.Attached {
			if a.Content != nil {
				texts = append(texts, *a.Content)
			}
		}
		return out
	}
	fill := filler(project, home, session).Replace
	first := render(catalog.RenderRequest{Prompt: hostPrompt(host, fill(r.Prompt))})
	if len(r.Script) > 0 {
		for _, s := range r.steps(t, fill) {
			for _, key := range []string{"skill", "name"} {
				if name := s.input(key); s.Tool != "" && name != "" {
					if out := render(catalog.RenderRequest{Prompt: name, ByModel: true}); out.Error != nil {
						t.Errorf("the model's call of %s fails: %s", name, out.Error.Message)
					}
				}
			}
		}
	}
	if len(first.Messages) == 0 {
		// The client ends before it calls its model, so the model sees neither instructions nor a
		// listing. This happens because of an unknown command in one host (n05-1) and because of a
		// built-in command in another (n07-1). Vade must report the reason.
		if first.Error == nil && !slices.ContainsFunc(first.Diagnostics, func(d diag.Diagnostic) bool { return d.Code == "NOT_INVOCABLE" }) {
			return []part{{"render", "nothing is sent, and nothing says why"}}
		}
		instructed, listed = nil, nil
	}
	parts := []part{{"texts that reached the model", reached(r, instructed, listed, texts)}}
	compare := func(name string, want []string, got []string) {
		parts = append(parts, part{name, firstDifference(want, got)})
	}
	for _, text := range r.Expect.Texts {
		text := fill(string(text))
		problem := ""
		if !slices.ContainsFunc(texts, func(s string) bool { return sameText(s, text) }) {
			problem = firstDifference([]string{text}, texts)
		} else if first.Error != nil {
			problem = "the call fails: " + first.Error.Message
		}
		parts = append(parts, part{"render", problem})
	}
	if r.Expect.SkillLine != nil && len(l.Skills) > 0 && listed != nil {
		// The recorder kept everything from the list marker or the first tag onward.
		want := strings.TrimPrefix(fill(string(*r.Expect.SkillLine)), "- ")
		got := strings.TrimLeft(l.Skills[0], " ")
		if before, ok := strings.CutSuffix(want, "</skill>"); ok {
			// The recorder stopped at the first end tag, even one in a description.
			want = before
			got, _, _ = strings.Cut(got, "</skill>")
		}
		compare("first entry", []string{want}, []string{got})
	}
	if listed != nil {
		if len(r.Expect.Skills) > 0 {
			parts = append(parts, part{"skills", misses(r.Expect.Skills, l.Skills)})
		}
		if len(r.Expect.Agents) > 0 {
			// The recorder mistook opencode's agents without descriptions for
			// the client's own agents.
			l.Agents = slices.DeleteFunc(l.Agents, func(s string) bool {
				return strings.HasSuffix(s, ": This subagent should only be called manually by the user.")
			})
			parts = append(parts, part{"agents", misses(r.Expect.Agents, l.Agents)})
		}
	}
	for _, text := range r.Expect.Instructions {
		problem, text := "", fill(string(text))
		// The recorder also keeps the rest of a system prompt; opencode's own listing follows.
		text, _, _ = strings.Cut(text, "\n\nSkills provide specialized instructions and workflows")
		if !slices.ContainsFunc(instructed, func(s string) bool { return sameText(s, text) }) {
			problem = firstDifference([]string{text}, instructed)
		}
		parts = append(parts, part{"instructions", problem})
	}
	return parts
}

// reached compares the marked strings that reached the model against the recording.
func reached(r *hostCase, instructed, listed, texts []string) string {
	want := slices.Sorted(maps.Keys(r.Expect.Reached))
	marksIn := map[string][]string{"instructions": marksOf(instructed), "listing": marksOf(listed), "rendered texts": marksOf(texts)}
	got := slices.Concat(slices.Collect(maps.Values(marksIn))...)
	slices.Sort(got)
	if d := firstDifference(want, slices.Compact(got)); d != "" {
		return d
	}
	for _, text := range want {
		if problem := misplaced(text, marksIn); problem != "" {
			return ": " + problem
		}
	}
	return ""
}

// misses describes the first entry whose name or description differs from the recording, or returns
// "". The client's built-in entries are unknown to Vade and not recorded.
func misses(want [][2]packedText, entries []string) string {
	plain := func(s string) string {
		s = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&apos;", "'", "&#39;", "'", "&amp;", "&").Replace(s)
		return strings.Join(strings.Fields(s), " ")
	}
	for i, w := range want {
		name, description := string(w[0]), string(w[1])
		if i >= len(entries) {
			return fmt.Sprintf("[%d]: recorded %q, ours (nothing)", i, name)
		}
		if e := plain(entries[i]); !containsText(e, plain(name)) || !containsText(e, plain(description)) {
			return fmt.Sprintf("[%d]: recorded %q %q, ours %q", i, name, description, entries[i])
		}
	}
	if len(entries) > len(want) {
		return fmt.Sprintf(": recorded %d, ours %d: %q", len(want), len(entries), entries[len(want)])
	}
	return ""
}

// elided matches the recorded form of a long string: its first 200 characters, its length, and its
// last 60 characters.
var elided = regexp.MustCompile(`(?s)^(.{200})…(\d+)…(.{60})$`)

// containsText reports whether s contains a recorded string, which may be elided.
func containsText(s, recorded string) bool {
	m := elided.FindStringSubmatch(recorded)
	if m == nil {
		return strings.Contains(s, recorded)
	}
	length, _ := strconv.Atoi(m[2])
	for from := 0; ; {
		at := strings.Index(s[from:], m[1])
		if at < 0 {
			return false
		}
		from += at + 1
		if rest := []rune(s[from-1:]); len(rest) >= length && strings.HasSuffix(string(rest[:length]), m[3]) {
			return true
		}
	}
}

// marksOf returns the distinct marked strings.
func marksOf(texts []string) []string {
	var all []string
	for _, text := range texts {
		all = append(all, marked.FindAllString(text, -1)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// misplaced reports a marked string that reached the model in the wrong part of the request.
// Strings from instruction files must be in the instructions, strings from descriptions in the
// listing, and strings from bodies in the rendered text.
func misplaced(mark string, marksIn map[string][]string) string {
	kind, _, _ := strings.Cut(mark, ":")
	place := "rendered texts"
	switch kind {
	case "INSTR":
		place = "instructions"
	case "SENT":
		place = "listing"
	}
	for other, found := range marksIn {
		_, here := slices.BinarySearch(found, mark)
		switch {
		case other == place && !here:
			return mark + " is not in the " + place
		case other != place && other != "rendered texts" && here:
			return mark + " is in the " + other
		}
	}
	return ""
}

// sameText reports whether a string equals a recorded one. It ignores trailing
// newlines, which depend on the format of the recorded request.
func sameText(got, want string) bool {
	return strings.TrimRight(got, "\n") == strings.TrimRight(want, "\n")
}

// hostPrompt returns the text of a prompt that was passed to the recorded client as arguments.
// The client joins them with spaces, and quotes arguments that contain spaces.
func hostPrompt(host, text string) string {
	rest, ok := strings.CutPrefix(text, "--command ")
	if !ok {
		return text
	}
	name, arguments, _ := strings.Cut(rest, " -- ")
	return "/" + name + " " + strings.ReplaceAll(arguments, "'", `"`)
}
