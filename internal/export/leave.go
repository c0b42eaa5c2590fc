package export

import (
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/mcp"
)

// Leave says why a field is not carried over to another host: it starts programs by
// itself, or lets more be done without asking than a host does by itself. "" is a
// field that is carried over. Whoever uses the host has to decide these.
func Leave(e *definition.Entry) string {
	text := strings.ToLower(strings.TrimSpace(e.Value.Text))
	switch definition.LookupField(e.Key) {
	case definition.FieldHooks:
		return "starts programs by itself"
	case definition.FieldMCPServers:
		if !namesOnly(e.Value) {
			return "starts programs by itself"
		}
	case definition.FieldPermissionMode:
		switch text {
		case "", "default", "manual", "plan", "dontask":
			return ""
		}
		return "lets it do more without asking"
	}
	switch folded(e.Key) {
	case "sandboxmode":
		if text != "read-only" {
			return "lets it do more without asking"
		}
	case "approvalmode", "approvalpolicy":
		switch text {
		case "plan", "default", "untrusted", "on-request":
			return ""
		}
		return "lets it do more without asking"
	case "permission", "permissions":
		if says(e.Value, "allow", 0) {
			return "lets it do more without asking"
		}
	}
	return ""
}

// namesOnly reports whether servers are named and not written out.
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

// Secret reports whether a field may hold a secret.
func Secret(e *definition.Entry) bool {
	return mcp.SecretField(e.Key, e.Value, definition.LookupField(e.Key) != 0)
}

// Held is a field by which a file can not be copied as it is; nil where it can. With
// a profile, a field that needs leave counts only where the host does something with
// it.
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

// anyCommand reports whether a word gives leave for every command in advance.
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
