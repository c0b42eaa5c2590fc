package export

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
)

// allowed describes the tools that an agent may use: the tools in its list except the denied ones.
// Tools have the names used in the file, not the target host's names.
type allowed struct {
	// words lists the allowed tools. It is ignored if all is set, which means that every tool is
	// allowed.
	words []string
	all   bool
	// denied lists the tools that are denied entirely. ruled lists the rules that deny only some
	// uses of a tool.
	denied, ruled []string
	// widened lists the rules that deny only some uses of a tool but, because the host does not
	// support rules, are widened to deny the tool entirely.
	widened []string
	// plan is the field that makes the agent read-only. permission is the permissions field. Both
	// may be nil.
	plan, permission *definition.Entry
}

// allowedOf returns the tools that an agent may use. If rules is false, the host does not support
// tool rules, so a tool that is denied for some uses is treated as denied entirely. allowedOf
// ignores the read-only and permissions fields if carried returns true for them, because the host
// honors them itself.
func allowedOf(it *Item, rules bool, carried func(*definition.Entry) bool) allowed {
	a := allowed{all: true}
	for i := range it.Entries {
		e := &it.Entries[i]
		switch definition.LookupField(e.Key) {
		case definition.FieldTools:
			if t := toolsOf(e.Value); e.Value.Kind != definition.Null {
				a.all = t.everything || len(t.words) == 0 && len(t.off) > 0
				if a.words = t.words; a.all {
					a.words, a.denied = nil, append(a.denied, t.off...)
				}
			}
		case definition.FieldDisallowedTools:
			t := toolsOf(e.Value)
			for _, w := range append(t.words, t.off...) {
				base, _, ruled := strings.Cut(w, "(")
				switch {
				case ruled && rules && !strings.HasPrefix(w[len(base):], "(*)"):
					a.ruled = append(a.ruled, w)
				case ruled:
					a.denied, a.widened = append(a.denied, strings.TrimSpace(base)), append(a.widened, w)
				default:
					a.denied = append(a.denied, w)
				}
			}
		}
		if carried(e) {
			continue
		}
		if ReadOnly(e) {
			a.plan = e
		} else if _, _, ok := permission(e); ok {
			a.permission = e
		}
	}
	if a.permission != nil {
		t, partly, _ := permission(a.permission)
		a.widened = append(a.widened, partly...)
		switch {
		case len(t.words) == 0 && (len(t.off) > 0 || t.everything):
			a.denied = append(a.denied, t.off...)
		case a.all:
			a.words, a.all = t.words, false
		default:
			only := allowed{all: true, denied: t.words}
			a.words = slices.DeleteFunc(slices.Clone(a.words), func(w string) bool {
				base, _, _ := strings.Cut(w, "(")
				return slices.ContainsFunc(registry.NeutralTools(strings.TrimSpace(base)), func(n string) bool { return !only.denies(n) })
			})
		}
	}
	if a.plan != nil {
		if a.all {
			a.words, a.all = host.AllTools(), false
		}
		a.words = ReadOnlyTools(a.plan, a.words)
	}
	if !a.all {
		a.words = a.without(a.words)
	}
	return a
}

// without removes denied tools from words. If a word covers several tools and only some of them are
// denied, without replaces it with the names of the others. If such a word has a rule, as in
// "Edit(docs/**)", without removes it.
func (a *allowed) without(words []string) []string {
	var list []string
	for _, w := range words {
		base, _, ruled := strings.Cut(w, "(")
		base = strings.TrimSpace(base)
		neutral := registry.NeutralTools(base)
		if len(neutral) == 0 {
			if !slices.Contains(a.denied, base) && !slices.Contains(a.denied, "*") {
				list = append(list, w)
			}
			continue
		}
		left := slices.DeleteFunc(slices.Clone(neutral), a.denies)
		switch {
		case len(left) == len(neutral):
			list = append(list, w)
		case !ruled:
			list = append(list, left...)
		}
	}
	return list
}

func (a *allowed) denies(neutral string) bool {
	for _, w := range a.denied {
		if w == "*" || w == "all" {
			return true
		}
		for _, n := range registry.NeutralTools(w) {
			if n == neutral || sameTool(n, neutral) {
				return true
			}
			denied, tool, ok := host.IsServerTool(n)
			if server, other, is := host.IsServerTool(neutral); ok && is && (denied == "*" || denied == server && (tool == "" || tool == other || other == "")) {
				return true
			}
		}
	}
	return false
}

// sameTool reports whether two names denote the same tool. According to Claude Code's
// documentation, "Task" is the old name of "Agent".
func sameTool(a, b string) bool {
	return (a == "Task" || a == "Agent") && (b == "Task" || b == "Agent")
}

// allowsEverything reports whether the agent may run commands and none of its tools are denied.
// Such an agent can do anything by running commands, so it may be exported to a host without tool
// lists.
func (a *allowed) allowsEverything() bool {
	return a.all && len(a.denied) == 0 && len(a.ruled) == 0 || slices.ContainsFunc(a.words, func(w string) bool {
		return slices.Contains(registry.NeutralTools(w), "Bash")
	}) && len(a.denied) == 0 && len(a.ruled) == 0 && a.plan == nil
}

// isReadOnly reports whether all tools that the agent may use are read-only.
func (a *allowed) isReadOnly() bool {
	if !a.all {
		return !slices.ContainsFunc(a.words, writes)
	}
	return !slices.ContainsFunc(host.AllTools(), func(n string) bool {
		return host.Writes(n) && n != "Agent" && n != "Task" && !a.denies(n) && !isKindOfEdit(n)
	}) &&
		a.denies("Edit") && a.denies("Write") && a.denies("Bash")
}

// isKindOfEdit reports whether a tool is allowed or denied together with Edit.
func isKindOfEdit(neutral string) bool { return neutral == "MultiEdit" || neutral == "NotebookEdit" }
