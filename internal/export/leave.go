package export

import (
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/mcp"
)

// FixInFile is the suggested fix for a field that [Leave] rejects.
const FixInFile = "add the field to the exported file if you need it"

// Leave returns the reason why a field is never exported, or "" if it may be exported. It rejects
// fields that start programs automatically and fields that allow more actions without approval than
// the host's default. Users must set these fields in the host themselves.
func Leave(e *definition.Entry) string {
	text := strings.ToLower(strings.TrimSpace(e.Value.Text))
	switch definition.LookupField(e.Key) {
	case definition.FieldHooks:
		return "starts programs automatically"
	case definition.FieldMCPServers:
		if !namesOnly(e.Value) {
			return "starts programs automatically"
		}
	case definition.FieldPermissionMode:
		switch text {
		case "", "default", "manual", "plan", "dontask":
			return ""
		}
		return "allows more actions without approval"
	}
	switch foldKey(e.Key) {
	case "sandboxmode":
		if text != "read-only" {
			return "allows more actions without approval"
		}
	case "approvalmode", "approvalpolicy":
		switch text {
		case "plan", "default", "untrusted", "on-request":
			return ""
		}
		return "allows more actions without approval"
	case "permission", "permissions":
		if contains(e.Value, "allow", 0) {
			return "allows more actions without approval"
		}
	}
	return ""
}

// namesOnly reports whether servers are referred to only by name.
func namesOnly(v definition.Value) bool {
	if v.Kind == definition.Map {
		return len(v.Pairs) == 0
	}
	for _, item := range v.Items {
		if item.Kind == definition.Map || item.Kind == definition.List {
			return false
		}
	}
	return true
}

// Secret reports whether a field may contain a secret.
func Secret(e *definition.Entry) bool {
	return mcp.SecretField(e.Key, e.Value, definition.LookupField(e.Key) != 0)
}

// Held returns a field that prevents a file from being copied unchanged, or nil. That is a field
// that may contain a secret or that is never exported. If p is not nil, Held ignores never-exported
// fields that have no effect in the host p.
func Held(p *host.Profile, kind definition.Kind, entries []definition.Entry) *definition.Entry {
	for i := range entries {
		e := &entries[i]
		if Secret(e) {
			return e
		}
		if Leave(e) == "" {
			continue
		}
		if p == nil {
			return e
		}
		if r, ok := p.Rule(kind, e.Key); ok && !r.Inert {
			return e
		}
	}
	return nil
}

// anyCommand reports whether a tool rule allows every command without approval.
func anyCommand(word string) bool {
	base, rule, _ := strings.Cut(word, "(")
	base = strings.TrimSpace(base)
	if base == "*" {
		return true
	}
	for _, n := range registry.NeutralTools(base) {
		if n == "Bash" {
			return strings.Trim(rule, "*: )") == ""
		}
	}
	return false
}
