// Package settings reads the settings files of a host into what they change: it
// is pure, takes the texts of the files and a table of the keys that count, and
// leaves out, with a diagnostic, what has not the type that it should have.
package settings

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
)

// Settings are what the settings files of a session say, joined. The zero value
// is that of no file. They describe the host's view and nothing else: what Vade
// itself allows is no business of a project's settings.
type Settings struct {
	// Overrides are the words Override… of package host, by the name of a skill.
	Overrides map[string]string
	// NoBundled: the host's own skills are off. NoShell: no shell command of a
	// skill or command runs.
	NoBundled, NoShell bool
	// Allow, Deny and Ask are permission rules, the weakest file's first.
	Allow, Deny, Ask []string
	// DefaultMode is the permission mode, "" where none is set.
	DefaultMode string
	// MaxDescription is the length in UTF-16 units of one description in the
	// listing, BudgetFraction the listing's part of the context; 0 where none
	// is set.
	MaxDescription int
	BudgetFraction float64
	// InstructionExcludes are patterns of instruction files that are not read,
	// InstructionFiles the word for which ones are, "" where none is set.
	InstructionExcludes []string
	InstructionFiles    string
	// PluginOnly are the kinds that come from plugins and managed places alone,
	// words PluginOnly… of package host.
	PluginOnly []string
	// Env are environment variables that the host sets for itself.
	Env map[string]string
	// Servers say which MCP servers are used.
	Servers Servers
	// Diagnostics are about what could not be read.
	Diagnostics []diag.Diagnostic
}

// File is the text of one settings file.
type File struct {
	// Source is one of the words Source… of package host, Path what is shown.
	Source, Path string
	// Data is JSON. Comments and commas at the end have been blanked out.
	Data []byte
}

// maxItems bounds each list and map; a file that has more is no one's.
const maxItems = 10_000

// Read joins settings files, the weakest first: of a single value the strongest
// file's counts, lists are joined without doubles, maps by their keys. What a
// file has besides the keys of the table is not looked at.
func Read(t *host.Settings, files []File) *Settings {
	r := reader{Settings: &Settings{Overrides: map[string]string{}, Env: map[string]string{}}}
	for i := range files {
		r.file = &files[i]
		r.read(t)
	}
	return r.Settings
}

type reader struct {
	*Settings
	file *File
}

func (r *reader) read(t *host.Settings) {
	var top map[string]json.RawMessage
	if err := json.Unmarshal(r.file.Data, &top); err != nil {
		r.Diagnostics = append(r.Diagnostics, diag.ForJSON(r.file.Path, r.file.Data, err))
		return
	}
	for i := range t.Keys {
		k := &t.Keys[i]
		raw, ok := r.value(top, k.Path)
		if !ok || isNull(raw) || k.ManagedOnly && r.file.Source != host.SourceManaged {
			continue
		}
		if problem := r.set(k.Setting, raw); problem != "" {
			r.report(k.Path, problem)
		}
	}
}

// value follows the keys of a path down from the top.
func (r *reader) value(top map[string]json.RawMessage, path []string) (json.RawMessage, bool) {
	for i, key := range path {
		raw, ok := top[key]
		if !ok || i == len(path)-1 {
			return raw, ok
		}
		top = nil
		if isNull(raw) {
			return nil, false
		}
		if json.Unmarshal(raw, &top) != nil {
			r.report(path[:i+1], "is not an object")
			return nil, false
		}
	}
	return nil, false
}

func isNull(raw json.RawMessage) bool { return string(bytes.TrimSpace(raw)) == "null" }

func (r *reader) report(path []string, problem string) {
	name := path[0]
	for _, p := range path[1:] {
		name += "." + p
	}
	d := diag.For(r.file.Path, diag.FieldType, "%s %s", name, problem).WithFix("correct the settings file")
	if !slices.ContainsFunc(r.Diagnostics, func(o diag.Diagnostic) bool { return o.File == d.File && o.Message == d.Message }) {
		r.Diagnostics = append(r.Diagnostics, d)
	}
}

// set stores one value and says what is wrong with it, or "".
func (r *reader) set(s host.Setting, raw json.RawMessage) string {
	switch s {
	case host.SettingOverrides:
		return joinMap(r.Overrides, raw)
	case host.SettingEnv:
		return joinMap(r.Env, raw)
	case host.SettingNoBundled:
		return single(&r.NoBundled, raw, notBoolean, nil)
	case host.SettingNoShell:
		return single(&r.NoShell, raw, notBoolean, nil)
	case host.SettingAllow:
		return joinList(&r.Allow, raw)
	case host.SettingDeny:
		return joinList(&r.Deny, raw)
	case host.SettingAsk:
		return joinList(&r.Ask, raw)
	case host.SettingDefaultMode:
		return single(&r.DefaultMode, raw, notString, nil)
	case host.SettingMaxDescription:
		return single(&r.MaxDescription, raw, "is not a number above 0 and is ignored", func(v int) bool { return v > 0 })
	case host.SettingBudgetFraction:
		return single(&r.BudgetFraction, raw, "is not a number above 0 and at most 1 and is ignored", func(v float64) bool { return v > 0 && v <= 1 })
	case host.SettingInstructionExcludes:
		return joinList(&r.InstructionExcludes, raw)
	case host.SettingInstructionFiles:
		return single(&r.InstructionFiles, raw, notString, nil)
	case host.SettingPluginOnly:
		return r.pluginOnly(raw)
	}
	return r.servers(s, raw)
}

func (r *reader) pluginOnly(raw json.RawMessage) string {
	var all bool
	if json.Unmarshal(raw, &all) == nil {
		r.PluginOnly = nil
		if all {
			r.PluginOnly = []string{host.PluginOnlyAll}
		}
		return ""
	}
	if joinList(&r.PluginOnly, raw) != "" {
		return "is neither true or false nor a list of strings"
	}
	return ""
}

const (
	notBoolean = "is not true or false and is ignored"
	notString  = "is not a string and is ignored"
)

// single stores a value that is of the right type and ok, or returns the problem.
func single[T any](to *T, raw json.RawMessage, problem string, ok func(T) bool) string {
	var v T
	if json.Unmarshal(raw, &v) != nil || ok != nil && !ok(v) {
		return problem
	}
	*to = v
	return ""
}

// joinList adds the strings of a list that are not in it yet.
func joinList(to *[]string, raw json.RawMessage) string {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return "is not a list of strings and is ignored"
	}
	seen := make(map[string]bool, len(*to))
	for _, s := range *to {
		seen[s] = true
	}
	problem := ""
	for _, item := range items {
		var s string
		switch {
		case isNull(item) || json.Unmarshal(item, &s) != nil:
			problem = "has items that are not strings; they are ignored"
		case len(*to) >= maxItems:
			return "has too many items; the others are ignored"
		case !seen[s]:
			seen[s] = true
			*to = append(*to, s)
		}
	}
	return problem
}

// joinMap adds the members of a map whose values are strings, numbers or
// booleans.
func joinMap(to map[string]string, raw json.RawMessage) string {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return "is not a map of strings and is ignored"
	}
	if len(to)+len(members) > maxItems {
		return "has too many members and is ignored"
	}
	problem := ""
	for name, value := range members {
		s, ok := scalar(value)
		if !ok {
			problem = "has values that are not strings; they are ignored"
			continue
		}
		to[name] = s
	}
	return problem
}

func scalar(raw json.RawMessage) (string, bool) {
	raw = bytes.TrimSpace(raw)
	switch raw[0] {
	case '"':
		var s string
		err := json.Unmarshal(raw, &s)
		return s, err == nil
	case '{', '[', 'n':
		return "", false
	}
	return string(raw), true
}
