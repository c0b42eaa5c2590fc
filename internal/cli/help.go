package cli

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/vadehq/vade/docs"
	"github.com/vadehq/vade/internal/check"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/lazyregexp"
	"github.com/vadehq/vade/internal/policy"
	"github.com/vadehq/vade/internal/terminal"
)

const (
	// defaultWidth and maxWidth are the default and maximum widths of help lines, in columns.
	defaultWidth, maxWidth = 80, 100
	// defaultExitCodes describes the exit codes of commands whose Long text does not list them.
	defaultExitCodes = "Exit codes: 0 success, 1 failure, 2 invalid usage."
)

// help returns the command that prints help for a command or topic. If a command and a topic have
// the same name, it prints the command's help and then the topic's page.
func (a *app) help() *cobra.Command {
	c := &cobra.Command{
		Use: "help [COMMAND | TOPIC]", Short: "Print help for a command or a topic",
		Example: "  vade help load\n  vade help security\n  vade help connect cursor",
		RunE: func(c *cobra.Command, args []string) error {
			return a.paged(c.Context(), func() error { return a.runHelp(c.Root(), args) })
		},
	}
	a.pagerFlag(c)
	c.ValidArgsFunction = func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return helpNames(c.Root()), cobra.ShellCompDirectiveNoFileComp
	}
	return c
}

// helpNames returns the commands and topics that have help.
func helpNames(root *cobra.Command) []string {
	names := topics()
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (a *app) runHelp(root *cobra.Command, args []string) error {
	name := strings.Join(args, "/")
	page, isTopic := topic(name, a.helpWidth())
	// Find treats unknown words as arguments to the preceding command.
	command, rest, err := root.Find(args)
	isCommand := err == nil && len(rest) == 0
	if isCommand {
		if err := command.Help(); err != nil {
			return err
		}
	}
	switch {
	case isTopic:
		if isCommand {
			page = "\n" + page
		}
		_, err := fmt.Fprint(a.stdout(), page)
		return err
	case isCommand:
		return nil
	}
	hint := didYouMean(name, helpNames(root), "to list commands and topics, run: vade help")
	return usage{failure{fmt.Sprintf("unknown help topic %q", strings.Join(args, " ")), hint}}
}

// section is a section of a command's help. If code is set, the text is preformatted and must not
// be wrapped.
type section struct {
	title, text string
	code        bool
}

// helpSections returns a command's help, with lines of at most width columns.
func helpSections(c *cobra.Command, width int) []section {
	flags := func(f *pflag.FlagSet) string { return f.FlagUsagesWrapped(width) }
	use := "  " + c.UseLine()
	if !c.Runnable() || !c.HasParent() {
		use = "  " + c.CommandPath() + " COMMAND"
	}
	list := []section{{"", c.Short + ".", false}, {"Usage", use, true}}
	if len(c.Aliases) > 0 {
		list = append(list, section{"Aliases", "  " + strings.Join(c.Aliases, ", "), true})
	}
	list = append(list, section{"Examples", c.Example, true})
	for _, group := range c.Groups() {
		list = append(list, section{group.Title, commandList(c, group.ID, width), true})
	}
	list = append(list, section{"Commands", commandList(c, "", width), true},
		section{"Flags", flags(c.LocalFlags()), true}, section{"Global flags", flags(c.InheritedFlags()), true})
	if !c.HasParent() {
		list = append(list, section{"Topics (vade help TOPIC)", "  " + terminal.Fill(topics(), ", ", width-1, 2, 2), true})
	}
	about := c.Long
	if !strings.Contains(c.Long, "Exit codes:") {
		about = strings.TrimPrefix(about+"\n\n"+defaultExitCodes, "\n\n")
	}
	return append(list, section{"", about, false})
}

// helpText returns a command's help as text.
func helpText(c *cobra.Command, width int) string {
	var b strings.Builder
	for i, s := range helpSections(c, width) {
		text := strings.Trim(s.text, "\n")
		switch {
		case text == "":
			continue
		case !s.code:
			text = strings.TrimSuffix(page(text, "", width), "\n")
		default:
			text = s.title + ":\n" + text
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(text + "\n")
	}
	return b.String()
}

func (a *app) printHelp(c *cobra.Command) { fmt.Fprint(a.stdout(), helpText(c, a.helpWidth())) }

// helpWidth returns the maximum length of a help line, in columns.
func (a *app) helpWidth() int { return min(cmp.Or(a.stdout().Width(), defaultWidth), maxWidth) }

// commandList lists the commands in a group below c. If group is "", it lists the ungrouped ones.
func commandList(c *cobra.Command, group string, columns int) string {
	width := 0
	for _, sub := range c.Commands() {
		width = max(width, len(sub.Name()))
	}
	commands := slices.Clone(c.Commands())
	if group != "" {
		// cobra sorts commands by name, so restore the table's order.
		table := commandTable()
		position := func(c *cobra.Command) int {
			return slices.IndexFunc(table, func(row command) bool { return row.name == c.Name() })
		}
		slices.SortFunc(commands, func(a, b *cobra.Command) int { return position(a) - position(b) })
	}
	var list strings.Builder
	for _, sub := range commands {
		if sub.GroupID == group && sub.IsAvailableCommand() {
			fmt.Fprintf(&list, "  %-*s  %s\n", width, sub.Name(), terminal.Wrap(sub.Short, columns, width+4, width+4))
		}
	}
	return list.String()
}

// topics returns the sorted names of all help topics.
func topics() []string {
	var names []string
	for _, p := range generatedPages() {
		names = append(names, p.Name)
	}
	entries, _ := docs.Topics.ReadDir(".")
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".md"))
	}
	slices.Sort(names)
	return names
}

// topic returns a topic's page, formatted for a terminal.
func topic(name string, width int) (string, bool) {
	text, ok := topicPage(name)
	dir := path.Dir(name)
	if name == "connect" {
		dir = name
	}
	return page(text, dir, width), ok
}

// topicPage returns the Markdown page of a topic.
func topicPage(name string) (string, bool) {
	for _, p := range generatedPages() {
		if p.Name == name {
			return p.text(), true
		}
	}
	if name == "connect" {
		name = "connect/README"
	}
	text, err := docs.Topics.ReadFile(name + ".md")
	return string(text), err == nil
}

// generatedPages returns the help topics whose pages are generated from tables in the code.
func generatedPages() []docPage {
	return []docPage{
		{Name: "codes", text: check.CodesPage},
		{Name: "commands", text: policy.CommandsPage},
		{Name: "export-tables", text: export.TablesPage},
		{Name: "hosts", text: hostsPage},
	}
}

// pageLink matches a Markdown link and captures its text and target.
var pageLink = lazyregexp.New(`\[([^\]]+)\]\(([^)\s]+)\)`)

// page formats Markdown for a terminal. It replaces links with the commands that print their
// targets, and wraps paragraphs, list items and table cells at width. It leaves code blocks and
// other indented lines unchanged. dir is the page's directory below docs.
func page(text, dir string, width int) string {
	text = pageLink().ReplaceAllStringFunc(text, func(link string) string {
		m := pageLink().FindStringSubmatch(link)
		return linkText(m[1], m[2], dir)
	})
	var b, prose strings.Builder
	var rows [][]string
	indent := 0
	flush := func() {
		writeTable(&b, rows, width)
		rows = nil
		if prose.Len() > 0 {
			b.WriteString(terminal.Wrap(prose.String(), width, 0, indent) + "\n")
			prose.Reset()
		}
	}
	code := false
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		bare := strings.TrimSpace(line)
		fence := strings.HasPrefix(bare, "```")
		switch {
		case strings.HasPrefix(bare, "<!--"):
		case fence || code || bare == "" || prose.Len() == 0 && strings.HasPrefix(line, "  "),
			strings.HasPrefix(line, "#"):
			flush()
			b.WriteString(line + "\n")
		case strings.HasPrefix(bare, "|"):
			if rows == nil {
				flush()
			}
			rows = append(rows, tableCells(bare))
		case listItem(bare) > 0:
			flush()
			prose.WriteString(line)
			indent = len(line) - len(bare) + listItem(bare)
		case prose.Len() > 0:
			prose.WriteString(" " + bare)
		default:
			prose.WriteString(line)
			indent = len(line) - len(bare)
		}
		code = code != fence
	}
	flush()
	return b.String()
}

// tableCells returns the cells of a Markdown table row.
func tableCells(row string) []string {
	const bar = "\x00"
	cells := strings.Split(strings.ReplaceAll(strings.Trim(row, "|"), `\|`, bar), "|")
	for i, c := range cells {
		cells[i] = strings.TrimSpace(strings.ReplaceAll(c, bar, "|"))
	}
	return cells
}

// writeTable writes a Markdown table with aligned columns. It wraps the widest columns until the
// lines fit in width. If a line cannot fit because its words are too long, it writes each row as a
// list of cells. The second line of the table must be the header separator.
func writeTable(b *strings.Builder, rows [][]string, width int) {
	if len(rows) == 0 {
		return
	}
	columns := len(rows[0])
	widths, words := make([]int, columns), make([]int, columns)
	over := 2*(columns-1) - width
	for i := range columns {
		for n, row := range rows {
			if i < len(row) && n != 1 {
				widths[i] = max(widths[i], terminal.Width(row[i]))
				for word := range strings.FieldsSeq(row[i]) {
					words[i] = max(words[i], terminal.Width(word))
				}
			}
		}
		over += widths[i]
	}
	for ; over > 0; over-- {
		widest := 0
		for i, w := range widths {
			if w-words[i] > 0 && (widths[widest] == words[widest] || w > widths[widest]) {
				widest = i
			}
		}
		if widths[widest] == words[widest] {
			writeRows(b, rows, width)
			return
		}
		widths[widest]--
	}
	for n, row := range rows {
		lines := make([][]string, columns)
		height := 0
		for i := range columns {
			switch {
			case n == 1:
				lines[i] = []string{strings.Repeat("-", widths[i])}
			case i < len(row):
				lines[i] = strings.Split(terminal.Wrap(row[i], widths[i], 0, 0), "\n")
			}
			height = max(height, len(lines[i]))
		}
		for at := range height {
			line := ""
			for i := range columns {
				cell := ""
				if at < len(lines[i]) {
					cell = lines[i][at]
				}
				line += cell + strings.Repeat(" ", widths[i]-terminal.Width(cell)+2)
			}
			b.WriteString(strings.TrimRight(line, " ") + "\n")
		}
	}
}

// writeRows writes each row of a Markdown table as a list: the row's first cell, and then its other
// cells on indented lines, each labeled with its column title.
func writeRows(b *strings.Builder, rows [][]string, width int) {
	for _, row := range rows[min(2, len(rows)):] {
		var cells []string
		for i, cell := range row[1:] {
			if i+1 < len(rows[0]) && cell != "" {
				cells = append(cells, strings.TrimPrefix(rows[0][i+1]+": "+cell, ": "))
			}
		}
		b.WriteString(terminal.Wrap(row[0], width, 0, 0) + "\n  " + terminal.Wrap(strings.Join(cells, "; "), width, 2, 2) + "\n")
	}
}

// linkText returns the text that a terminal shows in place of a link.
func linkText(text, target, dir string) string {
	if strings.Contains(target, "://") {
		return text + " (" + target + ")"
	}
	file, _, _ := strings.Cut(target, "#")
	name := strings.TrimSuffix(path.Join(dir, file), ".md")
	command := ""
	switch _, err := docs.Topics.ReadFile(name + ".md"); {
	case path.Dir(name) == "rules" && path.Base(name) != "README":
		command = "vade check --explain " + strings.ToUpper(path.Base(name))
	case name == "connect/README":
		command = "vade help connect"
	case err == nil && file != "":
		command = "vade help " + strings.ReplaceAll(name, "/", " ")
	default:
		return text
	}
	if strings.HasSuffix(text, ".md") || strings.EqualFold(text, path.Base(name)) && strings.HasPrefix(command, "vade check") {
		return command
	}
	return text + " (" + command + ")"
}

// listItem returns the length of the marker that starts a list item, or 0 if line is not a list
// item.
func listItem(line string) int {
	if strings.HasPrefix(line, "- ") {
		return 2
	}
	digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
	if digits > 0 && strings.HasPrefix(line[digits:], ". ") {
		return digits + 2
	}
	return 0
}

// hostsPage returns the Markdown page that lists the hosts.
func hostsPage() string {
	var b strings.Builder
	b.WriteString("# Hosts\n\n| host | version | others |\n|---|---|---|\n")
	for _, name := range registry.Names() {
		p, _ := registry.Lookup(name)
		others := slices.DeleteFunc(slices.Clone(registry.VersionsOf(name)), func(v string) bool { return v == p.Version })
		fmt.Fprintf(&b, "| %s | %s | %s |\n", name, p.Version, strings.Join(others, ", "))
	}
	b.WriteString("\nPass NAME, or NAME@VERSION for another version. Names like claude, copilot, vscode and " +
		"gemini-cli also work. `vade explain --host NAME` shows what Vade knows about a host.\n")
	return b.String()
}
