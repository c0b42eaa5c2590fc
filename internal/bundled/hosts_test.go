package bundled_test

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/bundled"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
)

// TestTablesOfHosts checks that the tables in companion files agree with the
// hosts' profiles, so they cannot become outdated.
func TestTablesOfHosts(t *testing.T) {
	for file, table := range map[string]string{
		"remember/reference/hosts.md":      instructionTable(),
		"update-config/reference/hosts.md": settingsTable(),
	} {
		const begin, end = "<!-- table -->\n", "<!-- end of table -->"
		data, err := fs.ReadFile(bundled.FS(), file)
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			// The embedded file may be older than the file on disk.
			if data, err = os.ReadFile("skills/" + file); err != nil {
				t.Fatal(err)
			}
		}
		before, rest, ok := strings.Cut(string(data), begin)
		old, after, closed := strings.Cut(rest, end)
		if !ok || !closed {
			t.Fatalf("%s has no place for the table", file)
		}
		if strings.Count(table, "\n") < 10 {
			t.Fatalf("%s: the table is too short: the test is broken:\n%s", file, table)
		}
		if old == "\n"+table+"\n" {
			continue
		}
		if !*update {
			t.Errorf("%s is not what the profiles say: go test ./internal/bundled -run TestTablesOfHosts -update", file)
			continue
		}
		if err := os.WriteFile("skills/"+file, []byte(before+begin+"\n"+table+"\n"+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// calledHosts returns the hosts in the order of the tables, and their official names.
func calledHosts() (list []*host.Profile, called map[string]string) {
	called = map[string]string{
		"claude-code": "Claude Code", "codex": "Codex", "copilot-cli": "Copilot CLI", "copilot-vscode": "VS Code with Copilot",
		"gemini": "Gemini CLI", "opencode": "opencode", "cursor": "Cursor", "pi": "pi", "qwen": "Qwen Code",
	}
	for _, p := range registry.Profiles() {
		// The Agent SDK uses Claude Code's files, and the agentskills standard does not define
		// settings or instruction files.
		if p.Name != host.NeutralName && p.Name != "claude-sdk" && p.Name != "agentskills" {
			list = append(list, p)
		}
	}
	return list, called
}

// at returns a location as written in the tables, or "" for a location that they omit.
func at(l definition.Layer, file string) string {
	switch {
	case l == definition.User && !strings.HasPrefix(file, ".github") && path.Base(file) != file || l == definition.User && strings.HasPrefix(file, ".claude"):
		return "`~/" + file + "`"
	case l == definition.Project:
		return "`" + file + "`"
	}
	return ""
}

func row(cells ...string) string {
	for i, c := range cells {
		if c == "" {
			cells[i] = "–"
		}
	}
	return "| " + strings.Join(cells, " | ") + " |\n"
}

// instructionTable returns the table rows for [host.Instructions]. Users do not keep notes in
// plugin or managed locations, or in locations set by an environment variable, so it omits them.
func instructionTable() string {
	var b strings.Builder
	b.WriteString("| host | the project's | local | the user's |\n|---|---|---|---|\n")
	hosts, called := calledHosts()
	for _, p := range hosts {
		var cells [3][]string
		for _, r := range p.Instructions.Rows {
			file := path.Join(r.Dir, r.File)
			if r.File == "" {
				file += "/"
			}
			place := at(r.Layer, file)
			switch {
			case place == "":
			case r.Source == host.SourceLocal:
				cells[1] = append(cells[1], place)
			case r.Layer == definition.User:
				cells[2] = append(cells[2], place)
			default:
				cells[0] = append(cells[0], place)
			}
		}
		b.WriteString(row(called[p.Name], strings.Join(cells[0], ", "), strings.Join(cells[1], ", "), strings.Join(cells[2], ", ")))
	}
	return b.String()
}

// settingsTable returns the table rows for the files from which hosts read
// settings, servers and hooks.
func settingsTable() string {
	var b strings.Builder
	b.WriteString("| host | the project's | the user's | moved by | managed |\n|---|---|---|---|---|\n")
	hosts, called := calledHosts()
	for _, p := range hosts {
		var project, user, moved, managed []string
		add := func(base host.Base, file, env string) {
			switch base {
			case host.InProject, host.InWorkDir:
				project = append(project, "`"+file+"`")
			case host.InHome:
				user = append(user, "`~/"+file+"`")
			case host.InManaged:
				managed = append(managed, "`"+file+"`")
				return
			default:
				return
			}
			if env != "" {
				moved = append(moved, "`"+env+"`")
			}
		}
		if p.Settings != nil {
			for _, f := range p.Settings.Files {
				add(f.Base, f.Path, f.Env)
			}
		}
		for _, u := range p.Unread {
			add(u.Base, u.Path, u.Env)
		}
		for _, c := range p.ConfigFiles() {
			add(c.Base, c.Path, c.Env)
		}
		b.WriteString(row(called[p.Name], once(project), once(user), once(moved), once(managed)))
	}
	return b.String()
}

// once joins a list without duplicates.
func once(list []string) string {
	var short []string
	for _, s := range list {
		if !slices.Contains(short, s) {
			short = append(short, s)
		}
	}
	return strings.Join(short, ", ")
}
