package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Lookup returns the rule with the given ID or name, ignoring case.
func Lookup(id string) (Rule, bool) {
	for _, r := range All() {
		if strings.EqualFold(r.ID, id) || strings.EqualFold(r.Name, id) {
			return r, true
		}
	}
	return Rule{}, false
}

// Page returns a rule's page in Markdown. The page is the rule's file without the header, and with
// a list of messages in place of the rows.
func (r *Rule) Page() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s %s\n\n%s.\n", r.ID, r.Name, r.Title)
	part := sections(r.body)
	part["Reports"] = r.messageList()
	for _, title := range []string{"Why", "Fix", "Reports", "Wrong", "Right"} {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", title, part[title])
	}
	return b.String()
}

// messageList lists the messages of a rule, most severe first. If a message is shown only to
// certain personas, the list says so.
func (r *Rule) messageList() string {
	rows := slices.DeleteFunc(slices.Clone(r.Rows), func(row Row) bool { return row.Severity == Clean })
	slices.SortStableFunc(rows, func(a, b Row) int { return cmp.Compare(b.Severity, a.Severity) })
	var lines []string
	for _, row := range rows {
		message := strings.NewReplacer("{subject}", "…", "{object}", "…").Replace(row.Message)
		line := fmt.Sprintf("- %s%s: %s", row.Severity, [...]string{"", " (pedantic)", " (auditor)"}[row.Persona], message)
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}
