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

// foldKey returns a key in lowercase without hyphens and underscores, because hosts spell keys
// differently.
func foldKey(key string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(key))
}

// ReadOnly reports whether a field makes an agent read-only.
func ReadOnly(e *definition.Entry) bool {
	text := strings.ToLower(strings.TrimSpace(e.Value.Text))
	switch foldKey(e.Key) {
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

// ReadOnlyTools returns words without the tools that modify anything. If the field is sandbox_mode,
// it also omits the tools that need network access.
func ReadOnlyTools(e *definition.Entry, words []string) []string {
	offline := foldKey(e.Key) == "sandboxmode"
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool {
		return writes(w) || offline && slices.ContainsFunc(registry.NeutralTools(w), func(n string) bool { return n == "WebFetch" || n == "WebSearch" })
	})
}

// permission converts opencode's permissions field to the tools that an agent may use. A tool that
// is denied only for some uses is treated as denied and is also listed in partly. ok is false if e
// is not a permissions field.
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
		if contains(p.Value, "deny", 0) {
			on = "false"
			if p.Value.Kind == definition.Map {
				partly = append(partly, p.Key)
			}
		}
		switches.Pairs = append(switches.Pairs, definition.Entry{Key: p.Key, Value: definition.Value{Kind: definition.Bool, Text: on}})
	}
	return switched(switches), partly, true
}

// contains reports whether a value contains a word as a string or as a key. It also returns true
// for a value that is nested more than 16 levels deep.
func contains(v definition.Value, word string, depth int) bool {
	if depth > 16 || strings.EqualFold(strings.TrimSpace(v.Text), word) {
		return true
	}
	return slices.ContainsFunc(v.Items, func(item definition.Value) bool { return contains(item, word, depth+1) }) ||
		slices.ContainsFunc(v.Pairs, func(p definition.Entry) bool {
			return strings.EqualFold(p.Key, word) || contains(p.Value, word, depth+1)
		})
}

// Unguarded describes what a host would allow if a field were missing. It returns "" if the field
// does not restrict anything. It also returns "" if the restriction is exported in another form, as
// for tool lists, read-only agents, and fields that control who may invoke a definition.
func Unguarded(kind definition.Kind, e *definition.Entry) string {
	text := strings.ToLower(strings.TrimSpace(e.Value.Text))
	switch field := definition.LookupField(e.Key); {
	case e.Value.Kind == definition.Null:
		return ""
	case field == definition.FieldHooks:
		if slices.ContainsFunc(e.Value.Pairs, func(p definition.Entry) bool { return guardEvent(p.Key) }) {
			return "actions blocked by the hooks are allowed"
		}
		return ""
	case kind == definition.Skill || kind == definition.Command:
		// The "agent", "build" and "general-purpose" agents have all tools.
		if (field == definition.FieldAgent || field == definition.FieldMode) && !slices.Contains([]string{"", "agent", "build", "general-purpose"}, text) {
			return "the definition has all of the conversation's tools"
		}
		return ""
	case kind != definition.Agent:
		return ""
	case field == definition.FieldIsolation && text == "worktree":
		return "the agent works directly in the project"
	case field == definition.FieldAgents:
		return "the agent may start any agent"
	case field == definition.FieldMCPServers && namesOnly(e.Value):
		return "the agent may use all servers"
	case field == definition.FieldPermissionMode && text == "dontask":
		return "the host's default mode applies"
	}
	switch foldKey(e.Key) {
	case "sandboxmode":
		if text == "workspace-write" {
			return "the agent may write outside the project"
		}
	case "approvalpolicy":
		if text == "untrusted" {
			return "the host's default mode applies"
		}
	case "permission", "permissions":
		if contains(e.Value, "ask", 0) {
			return "the agent may act without asking for approval"
		}
	case "policy":
		return "actions blocked by the rules are allowed"
	}
	return ""
}

// Narrows reports whether a field restricts a definition or limits who may invoke it.
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
	return kind == definition.Agent && (ReadOnly(e) || foldKey(e.Key) == "infer" && problem == "" && !on) || Unguarded(kind, e) != ""
}

// SwitchesOff reports whether a field disables an agent.
func SwitchesOff(e *definition.Entry) bool {
	on, _ := frontmatter.Bool(e.Value)
	return on && foldKey(e.Key) == "disable"
}

// IsPermission reports whether e is opencode's permissions field.
func IsPermission(e *definition.Entry) bool {
	key := foldKey(e.Key)
	return key == "permission" || key == "permissions"
}

// guardEvent reports whether a hook for this event can block an agent's action.
func guardEvent(name string) bool {
	switch foldKey(name) {
	case "pretooluse", "permissionrequest", "userpromptsubmit", "beforetool", "beforeagent",
		"beforeshellexecution", "beforemcpexecution", "beforereadfile", "beforesubmitprompt":
		return true
	}
	return false
}

// hiddenFromModel reports whether a companion file hides a skill from the model in some host.
func hiddenFromModel(it *Item) bool {
	// Check for companion files first: profiles are not cached, and most
	// definitions have no companion files.
	return len(it.Companions) > 0 && slices.ContainsFunc(registry.Hosts(), func(p *host.Profile) bool {
		return p.Listing != nil && p.Listing.Policy != nil && slices.ContainsFunc(it.Companions, func(c Companion) bool {
			return c.Path == p.Listing.Policy.File && listing.PolicyHides(p.Listing.Policy, c.Data)
		})
	})
}
