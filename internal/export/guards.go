package export

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/listing"
)

// folded is a key as all hosts' spellings of it have it in common.
func folded(key string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(key))
}

// ReadOnly reports whether a field of an agent lets it change nothing.
func ReadOnly(e *definition.Entry) bool {
	text := strings.ToLower(strings.TrimSpace(e.Value.Text))
	switch folded(e.Key) {
	case "readonly":
		on, _ := frontmatter.Bool(e.Value)
		return on
	case "sandboxmode":
		return text == "read-only"
	case "permissionmode", "approvalmode":
		return text == "plan"
	}
	return false
}

// ReadOnlyTools are the tools of an agent that may change nothing, as the field says it.
// A sandbox has no network either.
func ReadOnlyTools(e *definition.Entry, words []string) []string {
	offline := folded(e.Key) == "sandboxmode"
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool {
		return writes(w) || offline && slices.ContainsFunc(registry.NeutralTools(w), func(n string) bool { return n == "WebFetch" || n == "WebSearch" })
	})
}

// permission reads opencode's field for permissions as the tools that it leaves an agent.
// partly are tools of which it denies some uses, and which count as denied.
func permission(e *definition.Entry) (t tools, partly []string, ok bool) {
	if !IsPermission(e) {
		return t, nil, false
	}
	list := e.Value.Pairs
	if e.Value.Kind != definition.Map {
		list = []definition.Entry{{Key: "*", Value: e.Value}}
	}
	switches := definition.Value{Kind: definition.Map}
	for _, p := range list {
		on := "true"
		if says(p.Value, "deny", 0) {
			on = "false"
			if p.Value.Kind == definition.Map {
				partly = append(partly, p.Key)
			}
		}
		switches.Pairs = append(switches.Pairs, definition.Entry{Key: p.Key, Value: definition.Value{Kind: definition.Bool, Text: on}})
	}
	return switched(switches), partly, true
}

// says reports whether a value has a word anywhere in it, as a text or as a key.
func says(v definition.Value, word string, depth int) bool {
	if depth > 16 || strings.EqualFold(strings.TrimSpace(v.Text), word) {
		return true
	}
	return slices.ContainsFunc(v.Items, func(item definition.Value) bool { return says(item, word, depth+1) }) ||
		slices.ContainsFunc(v.Pairs, func(p definition.Entry) bool {
			return strings.EqualFold(p.Key, word) || says(p.Value, word, depth+1)
		})
}

// Unguarded says what a host lets happen to which a field of a definition is lost; "" for
// a field that keeps nothing away, and for those that are written in other words: tools,
// who may call it, and what makes an agent read-only.
func Unguarded(kind definition.Kind, e *definition.Entry) string {
	text := strings.ToLower(strings.TrimSpace(e.Value.Text))
	switch field := definition.LookupField(e.Key); {
	case e.Value.Kind == definition.Null:
		return ""
	case field == definition.FieldHooks:
		if slices.ContainsFunc(e.Value.Pairs, func(p definition.Entry) bool { return guardEvent(p.Key) }) {
			return "what they refuse is not refused there"
		}
		return ""
	case kind == definition.Skill || kind == definition.Command:
		// "agent", "build" and "general-purpose" have all tools.
		if (field == definition.FieldAgent || field == definition.FieldMode) && !slices.Contains([]string{"", "agent", "build", "general-purpose"}, text) {
			return "it has all tools of the conversation there"
		}
		return ""
	case kind != definition.Agent:
		return ""
	case field == definition.FieldIsolation && text == "worktree":
		return "it works in the project itself there"
	case field == definition.FieldAgents:
		return "it may start any agent there"
	case field == definition.FieldMCPServers && namesOnly(e.Value):
		return "it may use all servers there"
	case field == definition.FieldPermissionMode && text == "dontask":
		return "its own mode counts"
	}
	switch folded(e.Key) {
	case "sandboxmode":
		if text == "workspace-write" {
			return "it may write outside of the project there"
		}
	case "approvalpolicy":
		if text == "untrusted" {
			return "its own mode counts"
		}
	case "permission", "permissions":
		if says(e.Value, "ask", 0) {
			return "it may not be asked there where it is here"
		}
	case "policy":
		return "what its rules refuse is not refused there"
	}
	return ""
}

// Narrows reports whether a field keeps something from a definition, or from whoever
// would call it.
func Narrows(kind definition.Kind, e *definition.Entry) bool {
	on, problem := frontmatter.Bool(e.Value)
	switch definition.LookupField(e.Key) {
	case definition.FieldTools, definition.FieldDisallowedTools:
		return !toolsOf(e.Value).everything
	case definition.FieldDisableModelInvocation:
		return on
	case definition.FieldUserInvocable:
		return problem == "" && !on
	case definition.FieldMode:
		if kind == definition.Agent {
			return e.Value.Text == "primary"
		}
	}
	return kind == definition.Agent && (ReadOnly(e) || folded(e.Key) == "infer" && problem == "" && !on) || Unguarded(kind, e) != ""
}

// SwitchesOff reports whether a field takes an agent out of use.
func SwitchesOff(e *definition.Entry) bool {
	on, _ := frontmatter.Bool(e.Value)
	return on && folded(e.Key) == "disable"
}

// IsPermission reports whether a field is opencode's for permissions.
func IsPermission(e *definition.Entry) bool {
	key := folded(e.Key)
	return key == "permission" || key == "permissions"
}

// guardEvent reports whether a hook at an event can refuse what an agent is about to do.
func guardEvent(name string) bool {
	switch folded(name) {
	case "pretooluse", "permissionrequest", "userpromptsubmit", "beforetool", "beforeagent",
		"beforeshellexecution", "beforemcpexecution", "beforereadfile", "beforesubmitprompt":
		return true
	}
	return false
}

// hidden reports whether a file beside a skill keeps it from the model of some host.
func hidden(it *Item) bool {
	// Profiles are not cached; most definitions have no other files.
	return len(it.Companions) > 0 && slices.ContainsFunc(registry.Hosts(), func(p *host.Profile) bool {
		return p.Listing != nil && p.Listing.Policy != nil && slices.ContainsFunc(it.Companions, func(c Companion) bool {
			return c.Path == p.Listing.Policy.File && listing.PolicyHides(p.Listing.Policy, c.Data)
		})
	})
}
