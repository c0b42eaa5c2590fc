package rpc_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/cli"
	"github.com/vadehq/vade/internal/rpc"
)

// some returns files that exercise most parts of the results.
func some() map[string]string {
	return map[string]string{
		".claude/skills/go-style/SKILL.md": "---\nname: go-style\ndescription: How Go code looks\nallowed-tools: [Read]\nkeywords: [go]\n---\nUse gofmt. See @README.md.\n",
		".claude/skills/hidden/SKILL.md":   "---\ndescription: Only for main\npaths: [src/**]\n---\nHidden\n",
		".claude/skills/broken/SKILL.md":   "---\ndescription: [\n---\nBroken\n",
		".claude/skills/all/SKILL.md": "---\nname: all\ndescription: d\nwhen_to_use: w\nargument-hint: a\narguments: [a]\n" +
			"allowed-tools: [Read]\ndisallowed-tools: [Edit]\nmodel: m\neffort: low\ncontext: fork\nagent: x\nshell: bash\npaths: [a]\n" +
			"user-invocable: false\ndisable-model-invocation: true\nkeywords: [k]\nversion: 1.0\nlicense: MIT\ncompatibility: c\nmore: 1\n" +
			"hooks:\n  Stop:\n  - hooks:\n    - type: command\n      command: 'true'\n---\nx\n",
		".claude/agents/other.md":                 "---\nname: architect\ndescription: d\nmcp-servers: {}\n---\nx\n",
		".claude/commands/sub/c.md":               "x\n",
		".claude/commands/review.md":              "---\nargument-hint: <what>\n---\nReview $ARGUMENTS: !`git status` and !`cat README.md`\n",
		".claude/agents/architect.md":             "---\nname: architect\ndescription: Designs\ntools: Read, Grep\nskills: [go-style]\n---\nYou design.\n",
		".claude/settings.json":                   `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}]}}`,
		".mcp.json":                               `{"mcpServers": {"docs": {"command": "docs-server"}}}`,
		"CLAUDE.md":                               "Be kind.\n",
		"AGENTS.md":                               "Be brief.\n",
		".github/instructions/go.instructions.md": "---\napplyTo: '**/*.go'\n---\nUse tabs.\n",
		"README.md":                               "A project.\n",
	}
}

// environment returns an environment lookup for a user without files.
func environment(home string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		switch name {
		case "HOME", "USERPROFILE":
			return home, true
		case "VADE_MANAGED_DIR":
			return home + "/managed", true
		}
		return "", false
	}
}

func options(home string) rpc.Options {
	getenv := environment(home)
	return rpc.Options{Catalog: catalog.Options{Getenv: func(name string) string { v, _ := getenv(name); return v }}}
}

// TestResultsAreThoseOfTheCommands compares each method's result with what the
// corresponding command prints.
func TestResultsAreThoseOfTheCommands(t *testing.T) {
	dir, home := project(t, some()), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	c := newClient(t, options(home))
	for _, x := range []struct {
		host    string
		method  string
		params  p
		command []string
	}{
		{"", "list", p{}, []string{"list"}},
		{"", "list", p{"all": true, "kinds": []string{"skill"}}, []string{"list", "--all", "--kind", "skill"}},
		{"claude-code", "list", p{"all": true}, []string{"list", "--all"}},
		{"", "load", p{"request": []string{"/review", "src"}}, []string{"load", "/review", "src"}},
		{"", "load", p{"request": []string{"skill:none"}}, []string{"load", "skill:none"}},
		{"", "render", p{"request": []string{"/review", "src"}}, []string{"render", "--", "/review", "src"}},
		{"claude-code", "render", p{"request": []string{"/review src"}, "session": "s"}, []string{"render", "--session-id", "s", "--", "/review src"}},
		{"claude-code", "render", p{"request": []string{"go-style"}, "by": "model"}, []string{"render", "--by", "model", "--", "go-style"}},
		{"claude-code", "listing", p{}, []string{"listing"}},
		{"claude-code", "listing", p{"touched": []string{"src/a.go"}}, []string{"listing", "--touched", "src/a.go"}},
		{"gemini", "listing", p{}, []string{"listing"}},
		{"", "instructions", p{"agent": "architect", "files": []string{"a.go"}}, []string{"instructions", "--agent", "architect", "--for", "a.go"}},
		{"codex", "instructions", p{}, []string{"instructions"}},
		{"", "prompt", p{"agent": "architect", "files": []string{"src/a.go"}}, []string{"prompt", "--agent", "architect", "--file", "src/a.go"}},
		{"claude-code", "prompt", p{"files": []string{"src/a.go"}}, []string{"prompt", "--file", "src/a.go"}},
		{"", "explain", p{"name": "go-style"}, []string{"explain", "go-style"}},
		{"", "explain", p{"all": true, "hosts": []string{"codex"}, "kind": "skill"}, []string{"explain", "--all", "--host", "codex", "--kind", "skill"}},
		{"", "check", p{"hosts": []string{"all"}}, []string{"check", "--host", "all"}},
		{"", "audit", p{"paths": []string{".claude/skills"}, "capabilities": true}, []string{"audit", ".claude/skills", "--capabilities"}},
	} {
		opened := c.must("open", p{"protocol": 1, "dir": dir, "host": x.host})
		var o rpc.Opened
		if err := json.Unmarshal(opened, &o); err != nil {
			t.Fatal(err)
		}
		x.params["catalog"] = o.Catalog
		result := c.must(x.method, x.params)
		c.must("close", p{"catalog": o.Catalog})
		args := append([]string{"-C", dir, x.command[0], "--json"}, x.command[1:]...)
		if x.host != "" {
			args = slices.Insert(args, 4, "--host", x.host)
		}
		var out, errs bytes.Buffer
		cli.Main(args, cli.World{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, LookupEnv: environment(home)})
		var want bytes.Buffer
		if err := json.Compact(&want, out.Bytes()); err != nil {
			t.Fatalf("vade %s: %v: %s%s", strings.Join(args, " "), err, out.Bytes(), errs.Bytes())
		}
		if err := validate(t, x.method, result); err != nil {
			t.Errorf("%s %v: the result contradicts its schema: %v", x.method, x.params, err)
		}
		if diff := cmp.Diff(steady(t, want.Bytes()), steady(t, result)); diff != "" {
			t.Errorf("%s %v as %q differs from vade %s:\n%s", x.method, x.params, x.host, strings.Join(args, " "), diff)
		}
	}
}

// steady decodes JSON and removes the values that differ between runs.
func steady(t *testing.T, text []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	var visit func(v any)
	visit = func(v any) {
		switch x := v.(type) {
		case map[string]any:
			for _, key := range []string{"expandedAt", "loadedAt", "durationMs", "sandbox"} {
				delete(x, key)
			}
			for _, each := range x {
				visit(each)
			}
		case []any:
			for _, each := range x {
				visit(each)
			}
		}
	}
	visit(v)
	return v
}

// TestResultsWithoutACommand checks results that no command prints.
func TestResultsWithoutACommand(t *testing.T) {
	dir, home := project(t, some()), t.TempDir()
	c := newClient(t, options(home))
	for _, x := range []struct {
		method, schema string
		params         p
		has            string
	}{
		{"open", "open", p{"protocol": 1, "dir": dir, "home": home}, `"catalog":1`},
		{"get", "definition", p{"kind": "skill", "name": "go-style"}, `"description":"How Go code looks"`},
		{"get", "definition", p{"kind": "skill", "name": "broken"}, `"diagnostics":[{`},
		{"loadSkill", "loadSkill", p{"name": "go-style", "agent": "architect"}, `Use gofmt. See`},
		{"search", "search", p{"query": "style"}, `"name":"go-style"`},
		{"search", "search", p{"query": "nothing at all like it", "kind": "agent"}, `"definitions":[]`},
		{"agentOptions", "agentOptions", p{"base": p{"agent": "architect"}}, `You design.`},
		{"instructions", "instructions", p{"agent": "none"}, `Be kind.`},
	} {
		if x.method != "open" {
			x.params["catalog"] = 1
		}
		result := c.must(x.method, x.params)
		if err := validate(t, x.schema, result); err != nil {
			t.Errorf("%s %v: the result contradicts its schema: %v", x.method, x.params, err)
		}
		if !bytes.Contains(result, []byte(x.has)) {
			t.Errorf("%s %v: %s does not have %s", x.method, x.params, result, x.has)
		}
	}
}
