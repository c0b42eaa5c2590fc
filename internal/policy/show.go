package policy

import (
	"fmt"
	"strconv"
	"strings"
)

// Setting is one line in the listing of the effective policy.
type Setting struct {
	Key, Value string
	Origin     Origin
}

// Settings returns a listing of the effective policy, in the order of docs/policy.md. It has one
// line for each key with a single value, and one for each entry of a list. An empty list is shown
// as one line with an empty value, except that the lists under bundled and audit are omitted.
func (p *Policy) Settings() []Setting {
	s := settings{p: p}
	s.add("shell", p.Shell.String())
	s.addAll("allow", len(p.Allow), func(i int) (string, Origin) { return p.Allow[i].String(), p.Allow[i].Origin })
	s.addAll("deny", len(p.Deny), func(i int) (string, Origin) { return p.Deny[i].String(), p.Deny[i].Origin })
	s.add("timeout", durationText(p.Timeout))
	s.add("output", sizeText(p.Output))
	s.values("protected", p.protected)
	s.add("network", strconv.FormatBool(p.Network))
	s.values("write", p.Write)
	s.values("read", p.Read)
	s.values("env", p.Env)
	s.values("roots", p.Roots)
	s.add("sandbox", p.Sandbox.String())
	s.add("remote-shell", strconv.FormatBool(p.RemoteShell))
	s.add("run-tool", strconv.FormatBool(p.RunTool))
	s.values("worktree-files", p.WorktreeFiles)
	s.addAll("trust", len(p.Trust), func(i int) (string, Origin) { return p.Trust[i].String(), p.Trust[i].Origin })
	s.add("allow-user-grants", strconv.FormatBool(p.UserGrants))
	s.add("bundled", strconv.FormatBool(!p.Bundled.Off))
	if len(p.Bundled.Enable) > 0 {
		s.values("bundled.enable", p.Bundled.Enable)
	}
	if len(p.Bundled.Disable) > 0 {
		s.values("bundled.disable", p.Bundled.Disable)
	}
	for i, mode := range p.Audit.modes() {
		s.add("audit."+auditKeys()[i], mode.String())
	}
	if list := p.Audit.Suppress; len(list) > 0 {
		s.addAll("audit.suppress", len(list), func(i int) (string, Origin) { return list[i].String(), list[i].Origin })
	}
	for i, list := range p.Audit.KnownBad.lists() {
		if len(*list) > 0 {
			s.values("audit.known-bad."+knownBadKeys()[i], *list)
		}
	}
	return s.list
}

type settings struct {
	p    *Policy
	list []Setting
}

func (s *settings) add(key, value string) {
	s.list = append(s.list, Setting{Key: key, Value: value, Origin: s.p.From(key)})
}

func (s *settings) addAll(key string, n int, at func(int) (string, Origin)) {
	if n == 0 {
		s.list = append(s.list, Setting{Key: key})
	}
	for i := range n {
		value, origin := at(i)
		s.list = append(s.list, Setting{Key: key, Value: value, Origin: origin})
	}
}

func (s *settings) values(key string, list []Value) {
	s.addAll(key, len(list), func(i int) (string, Origin) { return list[i].Text, list[i].Origin })
}

// String returns the rule and its permissions, such as "Bash(npm test)
// timeout=5s network write=./dist".
func (g Grant) String() string { return g.text(true) }

// Terms returns the rule and its permissions without the timeout.
func (g Grant) Terms() string { return g.text(false) }

func (g Grant) text(timeout bool) string {
	var b strings.Builder
	b.WriteString(g.Rule.String())
	if timeout {
		b.WriteString(" timeout=" + durationText(g.Timeout))
	}
	if g.Network {
		b.WriteString(" network")
	}
	for _, list := range []struct {
		key    string
		values []string
	}{{"write", g.Write}, {"read", g.Read}, {"env", g.Env}} {
		if len(list.values) > 0 {
			fmt.Fprintf(&b, " %s=%s", list.key, strings.Join(list.values, ","))
		}
	}
	return b.String()
}

// String returns the source and its permissions, such as "mcp=docs shell=readonly files=true".
func (t Trust) String() string {
	var b strings.Builder
	switch {
	case t.Server != "":
		b.WriteString("mcp=" + t.Server)
	case t.Plugin != "":
		b.WriteString("plugin=" + t.Plugin)
	default:
		b.WriteString("layer=" + t.Layer.String())
	}
	if t.Shell != nil {
		b.WriteString(" shell=" + t.Shell.String())
	}
	if t.Files != nil {
		b.WriteString(" files=" + strconv.FormatBool(*t.Files))
	}
	return b.String()
}
