package export

import (
	"fmt"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
)

// TablesPage returns a Markdown page listing the files, fields, tool names and syntax that an
// export writes for each host.
func TablesPage() string {
	var b strings.Builder
	b.WriteString("# What vade export writes\n\nFields that are not in a host's list are lost. `A` as `B` means that the host uses the name B for " +
		"A.\n")
	for _, name := range Hosts() {
		p, _ := registry.Lookup(name)
		x := p.Export
		fmt.Fprintf(&b, "\n## %s %s\n\n", p.Name, p.Version)
		for _, k := range []definition.Kind{definition.Skill, definition.Command, definition.Agent} {
			switch at := x.Place(k); {
			case at != nil:
				fmt.Fprintf(&b, "- %s: %s; fields %s\n", k, code(placeText(at)), fieldsText(p, k))
			case k == definition.Command && x.CommandDir != "":
				fmt.Fprintf(&b, "- %s: as a skill in %s\n", k, code(x.CommandDir))
			case k == definition.Command && x.CommandAsSkill:
				fmt.Fprintf(&b, "- %s: as a skill\n", k)
			default:
				fmt.Fprintf(&b, "- %s: not supported\n", k)
			}
		}
		if i := x.Instructions; i != nil {
			fmt.Fprintf(&b, "- instructions: %s%s\n", code(i.Whole), someFilesText(i))
		}
		if x.Syntax != nil {
			if s := x.Syntax(definition.Command); s != nil {
				fmt.Fprintf(&b, "- in the body of a command: %s\n", syntaxText(s))
			}
		}
		if x.Tools != nil && x.Tools.Name != nil {
			fmt.Fprintf(&b, "- tools: %s\n", toolsText(x.Tools))
		}
		fmt.Fprintf(&b, "- basis: %s (%s)\n", x.Basis, x.Source)
	}
	return b.String()
}

func code(s string) string { return "`" + s + "`" }

// renamed returns a name, followed by the host's name for it if they differ.
func renamed(name, host string) string {
	if name == host {
		return code(name)
	}
	return code(name) + " as " + code(host)
}

func placeText(at *host.ExportPlace) string {
	name := "NAME"
	if at.Join == "/" {
		name = "DIR/NAME"
	}
	if at.File != "" {
		return at.Dir + "/" + name + "/" + at.File
	}
	return at.Dir + "/" + name + at.Suffix
}

// fieldsText lists the fields that the host supports for a kind.
func fieldsText(p *host.Profile, k definition.Kind) string {
	f := &fielder{p: p, kind: k}
	var list []string
	for _, r := range registry.Neutral().Table(k) {
		tools := r.Field == definition.FieldTools || r.Field == definition.FieldDisallowedTools
		own, ok := f.rule(r.Field)
		switch x := p.Export.Tools; {
		case r.Field == definition.FieldMCPServers:
		case ok:
			list = append(list, renamed(r.Key, own.Key))
		case tools && k == definition.Agent && x != nil && x.Key != "":
			list = append(list, renamed(r.Key, x.Key))
		}
	}
	return strings.Join(list, ", ")
}

func someFilesText(x *host.ExportInstructions) string {
	switch {
	case x.Dir != "" && x.Paths != "":
		return "; for some files " + code(x.Dir+"/*"+x.Suffix) + " with patterns in " + code(x.Paths)
	case x.Dir != "":
		return "; for some files " + code(x.Dir+"/*"+x.Suffix)
	case x.Nested:
		return "; for one directory " + code("DIR/"+x.Whole)
	}
	return ""
}

func syntaxText(x *host.Syntax) string {
	var list []string
	add := func(name, text string) {
		if text != "" {
			list = append(list, name+" "+code(text))
		}
	}
	add("all arguments", x.All)
	switch {
	case x.Inputs:
		add("one argument", "${input:name}")
	case x.Positions:
		add("the first argument", fmt.Sprintf("$%d", x.Base))
	}
	if x.Named {
		add("a named argument", "$name")
	}
	if x.ShellOpen != "" {
		list = append(list, "a shell command `` "+x.ShellOpen+"…"+x.ShellClose+" ``")
	}
	if x.FileOpen != "" {
		add("a file", x.FileOpen+"path"+x.FileClose)
	}
	if x.Appended {
		return strings.Join(append(list, "arguments without a placeholder are appended"), ", ")
	}
	return strings.Join(append(list, "arguments without a placeholder are dropped"), ", ")
}

func toolsText(x *host.ExportTools) string {
	var list []string
	for _, neutral := range host.AllTools() {
		if name := x.Name(neutral); name != "" {
			list = append(list, renamed(neutral, name))
		}
	}
	if x.Server != nil {
		list = append(list, "an MCP server's tool as "+code(x.Server("server", "tool")))
	}
	return strings.Join(list, ", ")
}
