package settings

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/pathmatch"
)

// Servers are what settings say of MCP servers. The zero value says nothing.
type Servers struct {
	// On and Off approve and reject servers of the project's file by their names; a
	// rule of On without a name approves all.
	On, Off []ServerRule
	// Allowed are the servers that alone are used, where a file of AllowedBy, by the
	// words of their sources, has the list; Denied are not used in any case.
	Allowed, Denied []ServerRule
	AllowedBy       []string
	// ManagedOnly: of Allowed only what managed settings say counts.
	ManagedOnly bool
}

// ServerRule names servers: by a name, by a command with its arguments, or by an
// address in which "*" stands for any text.
type ServerRule struct {
	Name    string
	Command []string
	URL     string
	// Source is the word of its file in the profile, File what is shown of it.
	Source, File string
}

// ServerJudged is a server that settings judge.
type ServerJudged struct {
	Name string
	// Command are the words of one that is started, URL is the address of another.
	Command []string
	URL     string
	// Approval: it is used only once it is approved. Given: the organization provides
	// it, and no list of what may be used is needed for it.
	Approval, Given bool
}

// Approval says whether a host uses a server.
type Approval uint8

// Approved servers are used. Asks: the user is asked first. Denied: it is not used.
const (
	Approved Approval = iota
	Asks
	Denied
)

// Judge says whether a server is used, and why not, with what would let it through.
// same compares the names of servers in lists of approvals; those of the other lists
// are compared as they are written.
func (s *Servers) Judge(v ServerJudged, keys *host.Settings, same func(a, b string) bool) (a Approval, why, fix string) {
	for _, r := range s.Denied {
		if v.Given && r.ofProject() || !r.matches(&v) {
			continue
		}
		key := keys.Key(host.SettingServersDenied)
		return Denied, fmt.Sprintf("%s of %s denies it", key, r.File), fmt.Sprintf("take it out of %s, if it is to be used", key)
	}
	if slices.ContainsFunc(s.AllowedBy, s.counts) && !v.Given && !s.allows(&v) {
		key := keys.Key(host.SettingServersAllowed)
		return Denied, key + " of the settings does not name it", "add it to " + key
	}
	if !v.Approval {
		return Approved, "", ""
	}
	for _, r := range s.Off {
		if same(r.Name, v.Name) {
			key := keys.Key(host.SettingServersOff)
			return Denied, fmt.Sprintf("%s of %s rejects it", key, r.File), fmt.Sprintf("take it out of %s, if it is to be used", key)
		}
	}
	if slices.ContainsFunc(s.On, func(r ServerRule) bool { return r.Name == "" || same(r.Name, v.Name) }) {
		return Approved, "", ""
	}
	key := keys.Key(host.SettingServersOn)
	return Asks, "no settings approve it: the user is asked, and a session without one uses it", "approve it when the host asks, or add it to " + key + " of your own settings"
}

// allows reports whether the list of what may be used has a server. Where it has
// commands, one that is started needs its own; where it has addresses, so does one
// that is elsewhere: documented.
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

// counts reports whether the list of what may be used counts of a source.
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

// servers stores a setting of servers and says what is wrong with it, or "".
func (r *reader) servers(s host.Setting, raw json.RawMessage) string {
	to := &r.Servers
	switch s {
	case host.SettingServersAll:
		var all bool
		problem := single(&all, raw, notBoolean, nil)
		// Of a single value the strongest file's counts.
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

const notRules = "is not a list of objects and is ignored"

// rules reads a list of objects that name servers. One that names none in any of the
// three ways, or in several, is left out.
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
			problem = "has items that name no server by its name, its command or its address; they are ignored"
		case len(*to) >= maxItems:
			return "has too many items; the others are ignored"
		default:
			*to = append(*to, ServerRule{rule.ServerName, rule.ServerCommand, rule.ServerURL, r.file.Source, r.file.Path})
		}
	}
	return problem
}
