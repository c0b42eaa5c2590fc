// Package settings evaluates a host's settings files. It does no I/O: its input is the contents of
// the files and a table of the relevant keys. Values of the wrong type are skipped and reported.
package settings

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
)

// Settings holds the merged settings of a host's session. It affects only the host's view: a
// project's settings never change what Vade allows. The zero value has no settings.
type Settings struct {
	// Overrides maps skill names to Override constants in package host.
	Overrides map[string]string
	// NoBundled is set if the host's built-in skills are disabled. NoShell is set if shell commands
	// in skills and commands do not run.
	NoBundled, NoShell bool
	// Allow, Deny and Ask are permission rules, ordered by the precedence of their files, lowest
	// first.
	Allow, Deny, Ask []string
	// DefaultMode is the permission mode, or "" if not set.
	DefaultMode string
	// MaxDescription is the maximum length of a listed description in UTF-16 code units, and
	// BudgetFraction is the fraction of the context that the listing may use. Each is 0 if not set.
	MaxDescription int
	BudgetFraction float64
	// InstructionExcludes lists patterns for instruction files to exclude. InstructionFiles is the
	// host's keyword for which instruction files to read, or "" if not set.
	InstructionExcludes []string
	InstructionFiles    string
	// PluginOnly lists the kinds that may come only from plugins and managed
	// directories, as PluginOnly constants in package host.
	PluginOnly []string
	// Env contains environment variables that the host sets for itself.
	Env map[string]string
	// Servers are the MCP server settings.
	Servers Servers
	// Diagnostics lists settings with invalid values and files that are not valid JSON.
	Diagnostics []diag.Diagnostic
}

// File is the text of one settings file.
type File struct {
	// Source is one of the Source constants in package host. Path is the display path.
	Source, Path string
	// Data is JSON without a byte order mark. If the host accepts comments and
	// trailing commas, they have been replaced with spaces.
	Data []byte
}

// maxItems is the maximum size of each list and map. Real files have fewer items.
const maxItems = 10_000

// Read merges settings files, lowest precedence first: single values are
// overridden, lists are concatenated without duplicates, and maps are merged by
// key. Read ignores keys that are not in the table.
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
	if t.Strict && r.file.Source != host.SourceManaged {
		if k := r.invalid(t, top); k != nil {
			r.report(k.Path, "has a value that the host does not accept, so the host ignores the whole file")
			return
		}
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

// invalid returns the first key in the table whose value the host does not accept, or nil if there
// is none.
func (r *reader) invalid(t *host.Settings, top map[string]json.RawMessage) *host.SettingsKey {
	for i := range t.Keys {
		if raw, ok := r.value(top, t.Keys[i].Path); ok && !accepts(&t.Keys[i], raw) {
			return &t.Keys[i]
		}
	}
	return nil
}

func accepts(k *host.SettingsKey, raw json.RawMessage) bool {
	if k.Valid == nil {
		return true
	}
	var v any
	return json.Unmarshal(raw, &v) == nil && k.Valid(v)
}

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
			r.report(path[:i+1], "must be an object")
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
	d := diag.For(r.file.Path, diag.FieldType, "%s %s", name, problem).WithFix("correct the value")
	if !slices.ContainsFunc(r.Diagnostics, func(o diag.Diagnostic) bool { return o.File == d.File && o.Message == d.Message }) {
		r.Diagnostics = append(r.Diagnostics, d)
	}
}

// set stores one value. It returns the problem with the value, or "" if it is valid.
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
		return single(&r.MaxDescription, raw, "is ignored; it must be a positive integer", func(v int) bool { return v > 0 })
	case host.SettingBudgetFraction:
		return single(&r.BudgetFraction, raw, "is ignored; it must be a number greater than 0 and at most 1", func(v float64) bool { return v > 0 && v <= 1 })
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
		return "must be true, false or a list of strings"
	}
	return ""
}

const (
	notBoolean = "is ignored; it must be true or false"
	notString  = "is ignored; it must be a string"
)

// single stores a value if it has the right type and satisfies ok, and returns "". Otherwise, it
// returns problem.
func single[T any](to *T, raw json.RawMessage, problem string, ok func(T) bool) string {
	var v T
	if json.Unmarshal(raw, &v) != nil || ok != nil && !ok(v) {
		return problem
	}
	*to = v
	return ""
}

// joinList adds the strings in a list to the list *to, except those that *to already contains. It
// returns the problem with the value, or "" if there is none.
func joinList(to *[]string, raw json.RawMessage) string {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return "is ignored; it must be a list of strings"
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
			return "has more than 10,000 items; the rest are ignored"
		case !seen[s]:
			seen[s] = true
			*to = append(*to, s)
		}
	}
	return problem
}

// joinMap adds the members of an object to a map. It adds only members whose values are strings,
// numbers or booleans. It returns the problem with the value, or "" if there is none.
func joinMap(to map[string]string, raw json.RawMessage) string {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return "is ignored; it must be a map of strings"
	}
	if len(to)+len(members) > maxItems {
		return "has too many members and is ignored"
	}
	problem := ""
	for name, value := range members {
		s, ok := scalar(value)
		if !ok {
			problem = "has values that are not strings, numbers or booleans; they are ignored"
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
