package opencode

import (
	"encoding/json"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/jsonc"
)

func connect(string) host.Connect {
	return host.Connect{
		Project: []string{"opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"},
		User:    []string{".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"},
		Next:    "restart the host; to check, run: opencode mcp list",
	}
}

func Configs() []host.Config {
	return []host.Config{
		host.ServersIn(definition.Project, host.InProject, "opencode.json", servers()),
		host.ServersIn(definition.Project, host.InProject, "opencode.jsonc", servers()),
		host.ServersIn(definition.Project, host.InProject, ".opencode/opencode.json", servers()),
		host.ServersIn(definition.Project, host.InProject, ".opencode/opencode.jsonc", servers()),
		host.ServersIn(definition.User, host.InHome, ".config/opencode/opencode.json", servers()).MovedBy("XDG_CONFIG_HOME", 0),
		host.ServersIn(definition.User, host.InHome, ".config/opencode/opencode.jsonc", servers()).MovedBy("XDG_CONFIG_HOME", 0),
	}
}

// servers describes the mcp key in opencode's configuration, according to config/mcp.ts in
// opencode's source code. Its documentation says that {env:NAME} is replaced in the entire file.
func servers() *host.ServerFormat {
	return &host.ServerFormat{
		Name: "opencode.json", Basis: host.FromSource, Path: "opencode.json", Shared: true, Syntax: definition.Package, Key: "mcp",
		Types:       []host.ServerWord{{Word: "local", Transport: host.Stdio}, {Word: "remote", Transport: host.HTTP}, {Word: "remote", Transport: host.SSE}},
		Addresses:   []host.ServerWord{{Word: "url", Transport: host.HTTP}, {Word: "url", Transport: host.SSE}},
		Detects:     true,
		CommandList: true, Env: "environment", Headers: "headers", Timeout: "timeout", Unit: time.Millisecond, On: "enabled",
		Refs: host.RefCurly, RefsIn: host.AtAll,
	}
}

// unread returns the settings in opencode's documentation that affect loading. Vade reports those
// that [adaptations] does not apply.
func unread() []host.UnreadSetting {
	keys := [][2]string{{"instructions", "lists additional instruction files"}}
	off := [2]string{"skill", "allows and denies skills"}
	skills := [][2]string{{"paths", "lists additional skill directories"}, {"urls", "lists skill URLs"}}
	var list []host.UnreadSetting
	for _, at := range files() {
		list = append(list, host.UnreadIn(at.Base, at.Path, at.Env, keys...)...)
		list = append(list, host.BelowKey("permission", host.UnreadIn(at.Base, at.Path, at.Env, off))...)
		list = append(list, host.BelowKey("skills", host.UnreadIn(at.Base, at.Path, at.Env, skills...))...)
	}
	return list
}

// files returns the settings files in the order given in opencode's documentation. The user's files
// come last.
func files() []host.UnreadSetting {
	var list []host.UnreadSetting
	for _, dir := range []string{"", ".opencode/"} {
		for _, name := range []string{"opencode.json", "opencode.jsonc"} {
			list = append(list, host.UnreadSetting{Base: host.InProject, Path: dir + name})
		}
	}
	for _, name := range []string{"opencode.json", "opencode.jsonc"} {
		list = append(list, host.UnreadSetting{Base: host.InHome, Path: ".config/opencode/" + name, Env: "XDG_CONFIG_HOME"})
	}
	return list
}

// entries returns the settings keys that define agents and commands (cases a01 and c01-7).
func entries() []host.EntryRow {
	return append(host.EntriesIn(files(), "agent", definition.Agent, "prompt"),
		host.EntriesIn(files(), "command", definition.Command, "template")...)
}

// adaptations returns the settings that change the profile: the instructions setting and the rules
// in permission.skill, from all files. The last rule that matches a skill applies, so the project's
// rules take precedence (h22; wildcards: observed in 1.18.33).
func adaptations() []host.Adaptation {
	var rules []skillRule
	add := func(p *host.Profile, value json.RawMessage) bool {
		if rules == nil {
			p.Refuse(func(d *definition.Definition) bool { return d.Kind == definition.Skill && denied(rules, d.Name) })
		}
		v, ok := jsonc.Parse(value)
		if v.Kind == definition.String {
			rules = append(rules, skillRule{"*", v.Text})
		}
		for _, e := range v.Pairs {
			rules = append(rules, skillRule{e.Key, e.Value.Text})
		}
		return ok
	}
	return slices.Concat(
		host.Adapting(unread(), "instructions", host.InHome, func(p *host.Profile, value json.RawMessage) bool {
			return addInstructions(p, value, true)
		}),
		host.Adapting(unread(), "instructions", host.InProject, func(p *host.Profile, value json.RawMessage) bool {
			return addInstructions(p, value, false)
		}),
		host.Adapting(unread(), "skill", host.InHome, add), host.Adapting(unread(), "skill", host.InProject, add),
	)
}

// maxInstructions is the maximum number of paths in the instructions setting.
const maxInstructions = 100

// addInstructions adds the files listed in the instructions setting, in order, after all other
// files. A relative path is resolved against each directory from the working directory up to the
// repository root, even in the user's settings (case i11). Vade supports paths to text files,
// DIR/*.md and DIR/**/*.md. Paths in the home directory are supported only in the user's own
// settings. addInstructions returns false if the setting contains any other path.
func addInstructions(p *host.Profile, value json.RawMessage, byUser bool) bool {
	var names []string
	if json.Unmarshal(value, &names) != nil {
		return false
	}
	all := len(names) <= maxInstructions
	for _, name := range names[:min(len(names), maxInstructions)] {
		rest, inHome := strings.CutPrefix(name, "~/")
		rest = path.Clean(rest)
		dir, base := path.Split(rest)
		wild := strings.HasPrefix(base, "*.")
		depth := 0
		if parent, ok := strings.CutSuffix(dir, "**/"); ok && wild {
			dir, depth = parent, host.AnyDepth
		}
		text := slices.Contains([]string{".md", ".mdc", ".txt"}, path.Ext(base))
		plain := !strings.ContainsAny(dir+strings.TrimPrefix(base, "*"), `*?[]{}!\:`)
		if !text || !plain || !fs.ValidPath(rest) || inHome && !byUser {
			all = false
			continue
		}
		row := host.InstructionRow{
			Layer: definition.User, Source: host.SourceUser, Dir: path.Clean(dir), File: base, NotNested: true,
		}
		places := host.PlacesIn(definition.User, host.InHome)
		if !inHome {
			row.Layer, row.Source = definition.Project, host.SourceProject
			// The "./" in the path distinguishes this row from the row for AGENTS.md and CLAUDE.md
			// in the same directory.
			row.Dir = "./" + row.Dir
			places = host.PlacesIn(definition.Project, host.InProject)
		}
		rule := host.InstructionFile(base)[0]
		if wild {
			row.File = ""
			rule = host.FilesEndingIn(definition.Instruction, base[1:], depth, host.ByFile)
		}
		places.Dir(row.Dir, rule).Last(func(r *host.Root) { r.Hidden, r.DiskOrder = true, true })
		p.Roots = append(p.Roots, host.JoinRoots(places)...)
		p.Instructions.Rows = append(p.Instructions.Rows, row)
	}
	return all
}

// skillRule is a rule in permission.skill.
type skillRule struct{ pattern, action string }

func denied(rules []skillRule, name string) bool {
	for _, r := range slices.Backward(rules) {
		if matches(r.pattern, name) {
			return r.action == "deny"
		}
	}
	return false
}

// matches reports whether a pattern with "*" and "?" matches an entire name.
func matches(pattern, name string) bool {
	// star is the index of the last "*" seen. from is the position in the name at which the rest of
	// the pattern was last tried.
	star, from, p := -1, 0, 0
	for i := 0; i < len(name); {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from, p = p, i, p+1
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == name[i]):
			p, i = p+1, i+1
		case star >= 0:
			from++
			p, i = star+1, from
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}
