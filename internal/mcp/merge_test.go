package mcp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

func named(name, command string, layer definition.Layer, path string, change ...func(*Server)) Server {
	s := Server{
		Name: name, Transport: host.Stdio, Command: Text{{Text: command}},
		Origins: []Origin{{Origin: definition.Origin{Layer: layer, Path: path}, Line: 1}},
	}
	for _, c := range change {
		c(&s)
	}
	return s
}

func states(list []Server) string {
	var lines []string
	for i := range list {
		s := &list[i]
		var paths []string
		for _, o := range s.Origins {
			paths = append(paths, o.Path)
		}
		lines = append(lines, fmt.Sprintf("%s %s %s", s.Name, strings.Join(paths, "+"), s.State))
	}
	return strings.Join(lines, "\n")
}

func TestMerge(t *testing.T) {
	row := func(n int) func(*Server) { return func(s *Server) { s.Origins[0].Rank = n } }
	far := func(n int) func(*Server) { return func(s *Server) { s.Origins[0].Distance = int16(n) } }
	first := func(s *Server) { s.Origins[0].BeforeProject = true }
	off := func(s *Server) { s.Disabled = true }
	agent := func(s *Server) { s.Origins[0].Agent = "x" }
	gone := func(s *Server) { s.State, s.Reason = definition.Disabled, "plugin" }
	project, user, plugin, managed := definition.Project, definition.User, definition.Plugin, definition.Managed
	for _, c := range []struct {
		name, want string
		given      []Server
		layers     []definition.Layer
	}{
		{"layers", "a m loaded\na p shadowed\na u shadowed\na g shadowed",
			[]Server{named("a", "1", user, "u"), named("a", "2", plugin, "g"), named("a", "3", project, "p"), named("a", "4", managed, "m")}, nil},
		{"the same", "a p1+p2+u loaded", []Server{named("a", "1", user, "u"), named("a", "1", project, "p2", row(2)), named("a", "1", project, "p1", row(1))}, nil},
		{"rows", "a p1+p3 loaded\na p2 shadowed", []Server{named("a", "2", project, "p2", row(2)), named("a", "1", project, "p3", row(3)), named("a", "1", project, "p1", row(1))}, nil},
		{"near", "a q loaded\na p shadowed", []Server{named("a", "1", project, "p", far(1)), named("a", "2", project, "q", row(9))}, nil},
		{"the user's for the project", "a local loaded\na p shadowed\na u shadowed",
			[]Server{named("a", "1", project, "p"), named("a", "2", user, "u"), named("a", "3", user, "local", first)}, nil},
		{"a host's order", "a g loaded\na p shadowed", []Server{named("a", "1", project, "p"), named("a", "2", plugin, "g")},
			[]definition.Layer{managed, plugin, project, user}},
		{"off", "a p disabled\na u shadowed", []Server{named("a", "1", project, "p", off), named("a", "2", user, "u")}, nil},
		{"an agent's own", "a p loaded\na agent loaded", []Server{named("a", "1", project, "p"), named("a", "2", project, "agent", agent)}, nil},
		{"of a plugin that is off", "a g disabled\na u loaded", []Server{named("a", "1", plugin, "g", gone), named("a", "2", user, "u")},
			[]definition.Layer{plugin, user}},
		{"withheld", "bad p dropped\nbad u dropped\ngood p loaded", []Server{named("bad", "1", project, "p"), named("bad", "2", user, "u"), named("good", "1", project, "p")}, nil},
	} {
		held := func(s *Server) string {
			if s.Name == "bad" {
				return "a list says so"
			}
			return ""
		}
		if got := states(Merge(c.given, c.layers, held)); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
}
