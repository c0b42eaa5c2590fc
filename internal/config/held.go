package config

import (
	"fmt"
	"slices"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/pathmatch"
)

// lines are the lines of the items of a list, or that of a single word.
func (r *reader) lines(v definition.Value) []int {
	items := []definition.Value{v}
	if v.Kind == definition.List {
		items = v.Items
	}
	var at []int
	for i := range items {
		at = append(at, r.src.Pos(items[i].Span.Start).Line)
	}
	return at
}

// HeldFix says what is to be changed in the file for a server that it holds back to
// be let through, or "" where it does not.
func (p *Project) HeldFix(name string) string {
	switch {
	case p.Held(name) == "":
		return ""
	case p.Invalid:
		return "mend " + p.File
	}
	if d := slices.IndexFunc(p.MCP.Deny, func(pattern string) bool { return pathmatch.Star(pattern, name) }); d >= 0 {
		return fmt.Sprintf("take %s out of mcp.deny (%s)", p.MCP.Deny[d], p.place(p.MCP.denyLines, d))
	}
	return fmt.Sprintf("add %s to mcp.allow (%s)", name, p.place(p.MCP.allowLines, len(p.MCP.allowLines)-1))
}

func (p *Project) place(lines []int, i int) string {
	if i < 0 || i >= len(lines) {
		return p.File
	}
	return fmt.Sprintf("%s:%d", p.File, lines[i])
}
