//go:build unix

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/vadehq/vade/internal/testenv"
)

// use is a harmless inline command from a real definition.
type use struct {
	Command string `json:"command"`
	Uses    int    `json:"uses"`
}

// shellResult is the output of "vade shell --json".
type shellResult struct {
	Decision struct {
		Allow    bool   `json:"allow"`
		Code     string `json:"code"`
		Reason   string `json:"reason"`
		Commands []struct {
			Argv []string `json:"argv"`
			Runs string   `json:"runs"`
		} `json:"commands"`
	} `json:"decision"`
	Executed bool   `json:"executed"`
	Output   string `json:"output"`
	ExitCode int    `json:"exitCode"`
	Error    *struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// allowed reports whether the policy lets the command run. A program that is not installed on
// this machine does not count as refused.
func (r shellResult) allowed() bool { return r.Decision.Allow || r.Decision.Code == "PROGRAM" }

// project adds files to the test repository, so the commands have something to find.
const project = `mkdir -p src/api docs scripts dist .github/workflows app
printf '{\n  "name": "shop",\n  "version": "1.2.3",\n  "scripts": {"test": "node --test", "build": "true", "format": "true"},\n  "dependencies": {"next": "1.0.0"}\n}\n' > package.json
printf '1.2.3\n' > version.txt
printf '# Shop\n\nAn example.\n' > README.md
printf 'Follow the rules.\n' > CLAUDE.md
printf 'export const auth = "session"\nconsole.log("login")\n' > src/api/login.ts
printf 'test("x", () => {})\n' > src/login.test.ts
printf 'create table t (id int);\n' > src/t.sql
printf 'rules\n' > docs/guide.md
printf 'on: push\n' > .github/workflows/ci.yml
printf 'console.log(1)\n' > scripts/analyze.js
printf 'x\n' > dist/out.js
mkdir -p ../plugin/scripts ../plugin/bin
printf '{}\n' > ../plugin/config.json
printf 'echo built\n' > ../plugin/scripts/build.sh
printf '#!/bin/sh\necho hi\n' > ../plugin/bin/analyze; chmod +x ../plugin/bin/analyze
git add .; git commit -q -m 'feat: start'; git tag v1.0.0; git branch topic
echo more >> README.md; echo x > new.txt; git add new.txt`

func (w *world) decide(t *testing.T, b *bench, command string, options ...string) shellResult {
	t.Helper()
	args := append([]string{"shell", "--json", "--plugin-dir", filepath.Join(w.base, "plugin"), "--arg", "123", "--arg", "124"}, options...)
	o := w.vade(t, attack{}, b.binary, append(args, "--", command)...)
	var r shellResult
	if err := json.Unmarshal(o.out, &r); err != nil {
		t.Fatalf("%q: %v: %s%s", command, err, shorten(string(o.out)), shorten(string(o.err)))
	}
	if r.Decision.Allow == (r.Decision.Code != "") {
		t.Errorf("%q: allow is %v and the code %q", command, r.Decision.Allow, r.Decision.Code)
	}
	return r
}

// TestUsesAreAllowed checks what share of real commands the policy allows. A
// policy that refused them would be safe but useless.
func TestUsesAreAllowed(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	b := newBench(t)
	var file struct {
		Uses []use `json:"uses"`
	}
	readJSON(t, securityFile(t, "shell-uses.json"), &file)
	grants, err := os.ReadFile("testdata/uses/grants.yaml")
	if err != nil {
		t.Fatal(err)
	}
	w := b.world(t, attack{Setup: project})
	before := w.digest(t)
	for _, c := range []struct {
		name, policy string
		least        int
	}{{"by default", "", 65}, {"with grants", string(grants), 85}} {
		t.Run(c.name, func(t *testing.T) {
			w.setPolicy(t, c.policy)
			refused, allowed, uses, all := map[string][]string{}, 0, 0, 0
			for _, u := range file.Uses {
				r := w.decide(t, b, u.Command, "--dry-run")
				if r.Executed {
					t.Errorf("%q was executed in a dry run", u.Command)
				}
				all += u.Uses
				if r.allowed() {
					allowed++
					uses += u.Uses
					continue
				}
				refused[r.Decision.Code] = append(refused[r.Decision.Code], u.Command)
			}
			t.Logf("%d of %d commands (%d %%) are allowed, %d of %d uses (%d %%); refused:\n%s", allowed, len(file.Uses), 100*allowed/len(file.Uses),
				uses, all, 100*uses/all, refusals(refused))
			// These attributes are for bench/baseline.
			group := "figure/uses/" + strings.ReplaceAll(c.name, " ", "-")
			t.Attr(group+"/commands", strconv.Itoa(len(file.Uses)))
			t.Attr(group+"/allowed", strconv.Itoa(allowed))
			if 100*allowed < c.least*len(file.Uses) {
				t.Errorf("%d of %d commands are allowed; %d %% must be", allowed, len(file.Uses), c.least)
			}
		})
	}
	w.setPolicy(t, "")
	if w.digest(t) != before {
		t.Error("deciding changed files")
	}
}

// refusals lists the error codes, most frequent first, along with the first words of the refused
// commands.
func refusals(refused map[string][]string) string {
	codes := make([]string, 0, len(refused))
	for code := range refused {
		codes = append(codes, code)
	}
	slices.SortFunc(codes, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(refused[b]), len(refused[a])), cmp.Compare(a, b))
	})
	var b strings.Builder
	for _, code := range codes {
		fmt.Fprintf(&b, "%4d %s\n", len(refused[code]), code)
		for _, command := range refused[code] {
			fmt.Fprintf(&b, "       %.100q\n", command)
		}
	}
	return b.String()
}

// TestUsesRun runs the commands that the default profile allows. None may be
// refused at run time, hang, or change anything.
func TestUsesRun(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	b := newBench(t)
	var file struct {
		Uses []use `json:"uses"`
	}
	readJSON(t, securityFile(t, "shell-uses.json"), &file)
	w := b.world(t, attack{Setup: project})
	before := w.digest(t)
	ran := 0
	for _, u := range file.Uses {
		if !w.decide(t, b, u.Command, "--dry-run").Decision.Allow {
			continue
		}
		ran++
		r := w.decide(t, b, u.Command)
		if !r.Executed || r.Error != nil && (r.Error.Code == "BASH_NOT_ALLOWED" || r.Error.Code == "BASH_TIMEOUT") {
			t.Errorf("%q is allowed in a dry run and does not run: executed %v, %s %+v", u.Command, r.Executed, r.Decision.Code, r.Error)
		}
		if strings.Contains(r.Output, secret) {
			t.Errorf("%q prints a secret", u.Command)
		}
		if after := w.digest(t); after != before {
			t.Errorf("%q changes files", u.Command)
			before = after
		}
	}
	t.Logf("%d commands ran", ran)
	if ran == 0 {
		t.Error("no command ran: nothing was tested")
	}
}

// TestUsesMatchShellOutput compares the output of Vade's harmless commands with
// bash's, byte for byte, because allowed commands must also be correct.
func TestUsesMatchShellOutput(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	b := newBench(t)
	for _, name := range []string{"git", "files", "text", "lists"} {
		var file struct {
			Uses []use `json:"uses"`
		}
		readJSON(t, "testdata/uses/"+name+".json", &file)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := b.world(t, attack{Setup: project})
			before := w.digest(t)
			place := attack{Env: map[string]string{"CLAUDE_PLUGIN_ROOT": filepath.Join(w.base, "plugin")}}
			for _, u := range file.Uses {
				r := w.decide(t, b, u.Command)
				if !r.Executed {
					t.Errorf("%q is refused: %s %s", u.Command, r.Decision.Code, r.Decision.Reason)
					continue
				}
				want := w.run(t, place, time.Minute, []string{"bash", "-c", u.Command})
				if strings.TrimSpace(r.Output) != strings.TrimSpace(string(want.out)+string(want.err)) || r.ExitCode != want.exit {
					t.Errorf("%q prints, with status %d\n%s\nbash prints, with status %d\n%s%s", u.Command, r.ExitCode, r.Output, want.exit, want.out, want.err)
				}
			}
			if w.digest(t) != before {
				t.Error("files were changed")
			}
		})
	}
}

// TestGrantedCommandRuns checks that a legitimate granted command works in the sandbox. Without
// this test, a sandbox that prevents every command from running would pass all the others.
func TestGrantedCommandRuns(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	if missing := (attack{Needs: "npm node"}).missing(); missing != "" {
		t.Skipf("%s is not installed", missing)
	}
	b := newBench(t)
	w := b.world(t, attack{Setup: `mkdir ../plugin; printf '{"scripts": {"test": "cat a.txt"}}' > package.json`})
	w.setPolicy(t, loosePolicy)
	r := w.decide(t, b, "npm test")
	if r.Decision.Code == "SANDBOX" || r.Error != nil && r.Error.Code == "SANDBOX" {
		t.Skip("no sandbox on this system")
	}
	if r.ExitCode != 0 || !strings.Contains(r.Output, "one\ntwo") {
		t.Errorf("npm test ends with %d: %s %+v", r.ExitCode, r.Output, r.Error)
	}
	w.define(t, "", "npm test")
	load := func() loaded {
		var l loaded
		if err := json.Unmarshal(w.vade(t, attack{}, b.binary, "load", "--", "/x").out, &l); err != nil || len(l.Expansions.Bash) != 1 {
			t.Fatalf("%v, %+v", err, l)
		}
		return l
	}
	if load().Expansions.Bash[0].Executed {
		t.Error("a granted command of the project ran without consent")
	}
	w.consent(b.binary)
	if e := load().Expansions.Bash[0]; !e.Executed || !strings.Contains(e.Output, "one\ntwo") {
		t.Errorf("with approval: %+v", e)
	}
	w.write(t, filepath.Join(w.repo(), ".claude/commands/x.md"), "Changed. !`npm test`\n")
	if load().Expansions.Bash[0].Executed {
		t.Error("a changed definition ran a granted command with the old consent")
	}
}
