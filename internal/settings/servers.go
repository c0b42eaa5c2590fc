package settings

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/pathmatch"
)

// Servers contains a host's settings for MCP servers. The zero value contains no settings.
type Servers struct {
	// On and Off list the servers in the project's file that the settings approve and reject, by
	// name. A rule in On without a name approves all servers.
	On, Off []ServerRule
	// Allowed is the allowlist, and AllowedBy lists the sources that define one. There is no
	// allowlist if ManagedOnly excludes all of these sources. Denied is the denylist, which applies
	// regardless of ManagedOnly.
	Allowed, Denied []ServerRule
	AllowedBy       []string
	// ManagedOnly is set if the allowlist consists only of the rules in managed settings.
	ManagedOnly bool
}

// ServerRule matches servers by name, by command with arguments, or by a URL in
// which "*" matches any text.
type ServerRule struct {
	Name    string
	Command []string
	URL     string
	// Source is the settings file that contains the rule, as a Source constant in package host, and
	// File is the file's display path.
	Source, File string
}

// ServerJudged describes a server to [Servers.Judge].
type ServerJudged struct {
	Name string
	// Command is a local server's command line, and URL is a remote server's URL.
	Command []string
	URL     string
	// Approval is set if the server needs approval. Given is set if the organization provides the
	// server. In that case, the allowlist and the project's denylists do not apply to the server.
	Approval, Given bool
}

// Approval determines whether a host uses a server.
type Approval uint8

// Approved means that the host uses the server, Asks means that the host asks the user before it
// uses the server, and Denied means that the host does not use the server.
const (
	Approved Approval = iota
	Asks
	Denied
)

// Judge decides whether the host uses a server. If the result is not Approved, why is the reason,
// and fix says how to allow the server. same reports whether two server names in an approval list
// are equal; in other lists, names must be identical.
func (s *Servers) Judge(v ServerJudged, keys *host.Settings, same func(a, b string) bool) (a Approval, why, fix string) {
	for _, r := range s.Denied {
		if v.Given && r.ofProject() || !r.matches(&v) {
			continue
		}
		key := keys.Key(host.SettingServersDenied)
		return Denied, fmt.Sprintf("%s in %s denies it", key, r.File), fmt.Sprintf("to use the server, remove it from %s", key)
	}
	if slices.ContainsFunc(s.AllowedBy, s.counts) && !v.Given && !s.allows(&v) {
		key := keys.Key(host.SettingServersAllowed)
		fix := "add it to " + key
		if s.ManagedOnly {
			fix += " in the managed settings"
		}
		return Denied, key + " in the settings does not include it", fix
	}
	if !v.Approval {
		return Approved, "", ""
	}
	for _, r := range s.Off {
		if same(r.Name, v.Name) {
			key := keys.Key(host.SettingServersOff)
			return Denied, fmt.Sprintf("%s in %s rejects it", key, r.File), fmt.Sprintf("to use the server, remove it from %s", key)
		}
	}
	if slices.ContainsFunc(s.On, func(r ServerRule) bool { return r.Name == "" || same(r.Name, v.Name) }) {
		return Approved, "", ""
	}
	key := keys.Key(host.SettingServersOn)
	return Asks, "no setting approves it, so the host asks the user or, in a noninteractive session, uses the server without asking", "approve it when the host asks, or add it to " + key + " in your user settings"
}

// allows reports whether the allowlist contains a server. As Claude Code's documentation says, a
// local server must match by its command if the list contains any commands, and a remote server
// must match by its URL if the list contains any URLs.
func (s *Servers) allows(v *ServerJudged) bool {
	var commands, urls bool
	for i := range s.Allowed {
		if r := &s.Allowed[i]; s.counts(r.Source) {
			commands, urls = commands || len(r.Command) > 0, urls || r.URL != ""
		}
	}
	for i := range s.Allowed {
		r := &s.Allowed[i]
		byName := r.Name != "" && (len(v.Command) > 0 && commands || v.URL != "" && urls)
		if s.counts(r.Source) && !byName && r.matches(v) {
			return true
		}
	}
	return false
}

// counts reports whether the rules from a source are part of the allowlist.
func (s *Servers) counts(source string) bool { return !s.ManagedOnly || source == host.SourceManaged }

func (r *ServerRule) ofProject() bool {
	return r.Source == host.SourceProject || r.Source == host.SourceLocal
}

func (r *ServerRule) matches(v *ServerJudged) bool {
	switch {
	case len(r.Command) > 0:
		return slices.Equal(r.Command, v.Command)
	case r.URL != "":
		return v.URL != "" && pathmatch.Star(r.URL, v.URL)
	}
	return r.Name == v.Name
}

// servers stores a server setting. It returns the problem with the setting, or "" if it is valid.
func (r *reader) servers(s host.Setting, raw json.RawMessage) string {
	to := &r.Servers
	switch s {
	case host.SettingServersAll:
		var all bool
		problem := single(&all, raw, notBoolean, nil)
		// For single values, the file with the highest precedence wins.
		to.On = slices.DeleteFunc(to.On, func(o ServerRule) bool { return o.Name == "" })
		if all {
			to.On = append(to.On, ServerRule{Source: r.file.Source, File: r.file.Path})
		}
		return problem
	case host.SettingServersOn:
		return r.names(&to.On, raw)
	case host.SettingServersOff:
		return r.names(&to.Off, raw)
	case host.SettingServersAllowed:
		problem := r.rules(&to.Allowed, raw)
		if problem != notRules {
			to.AllowedBy = append(to.AllowedBy, r.file.Source)
		}
		return problem
	case host.SettingServersDenied:
		return r.rules(&to.Denied, raw)
	case host.SettingServersManaged:
		return single(&to.ManagedOnly, raw, notBoolean, nil)
	}
	return ""
}

func (r *reader) names(to *[]ServerRule, raw json.RawMessage) string {
	var list []string
	problem := joinList(&list, raw)
	for _, name := range list {
		if name != "" && len(*to) < maxItems {
			*to = append(*to, ServerRule{Name: name, Source: r.file.Source, File: r.file.Path})
		}
	}
	return problem
}

const notRules = "is ignored; it must be a list of objects"

// rules parses a list of objects that match servers. It skips an object that does not specify
// exactly one of name, command and URL. It returns the problem with the list, or "" if there is
// none.
func (r *reader) rules(to *[]ServerRule, raw json.RawMessage) string {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return notRules
	}
	problem := ""
	for _, item := range items {
		var rule struct {
			ServerName    string
			ServerCommand []string
			ServerURL     string
		}
		ways := 0
		if json.Unmarshal(item, &rule) == nil {
			for _, is := range []bool{rule.ServerName != "", len(rule.ServerCommand) > 0, rule.ServerURL != ""} {
				if is {
					ways++
				}
			}
		}
		switch {
		case ways != 1:
			problem = "has items that do not specify exactly one of a server name, command and URL; they are ignored"
		case len(*to) >= maxItems:
			return "has more than 10,000 items; the rest are ignored"
		default:
			*to = append(*to, ServerRule{rule.ServerName, rule.ServerCommand, rule.ServerURL, r.file.Source, r.file.Path})
		}
	}
	return problem
}
