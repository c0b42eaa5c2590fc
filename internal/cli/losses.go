package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/terminal"
)

// lossTool is the word for a loss of a tool: a list that a host takes for another one is
// shown without being asked for.
const lossTool = "tool"

// printLosses prints how much each host can not express, or with each all of it.
// What lets more happen in a host than a definition does is always printed.
func (a *app) printLosses(losses []export.HostLoss, each bool) {
	e := a.stderr()
	byHost := map[string][]export.HostLoss{}
	var hosts []string
	for i := range losses {
		l := &losses[i]
		if each || l.Widens || l.InPlace && l.What == lossTool {
			printLoss(e, l)
		}
		if byHost[l.Host] == nil {
			hosts = append(hosts, l.Host)
		}
		byHost[l.Host] = append(byHost[l.Host], *l)
	}
	if each {
		return
	}
	slices.Sort(hosts)
	for _, h := range hosts {
		fmt.Fprintf(e, "vade: %s: %s (%s): see --verbose\n", terminal.EscapeLine(h), number(len(byHost[h]), "loss", "losses"),
			counts(byHost[h], func(l *export.HostLoss) string { return l.What }))
	}
}

// printLoss prints one loss with its place. A message that names the host needs no
// name before it.
func printLoss(e *terminal.Writer, l *export.HostLoss) {
	place := l.Source
	if l.Line > 0 {
		place += fmt.Sprintf(":%d", l.Line)
	}
	text := l.Message
	if l.Host == "neutral" {
		// What is imported is written for no host.
		const truth = "the source of truth"
		for _, before := range []string{"", "in "} {
			if rest, ok := strings.CutPrefix(text, before+l.Host+" "); ok {
				text = before + truth + " " + rest
			}
		}
	} else if l.Host != "" && !strings.Contains(text, l.Host) {
		text = l.Host + ": " + text
	}
	fmt.Fprintf(e, "%s %s\n", e.Paint(terminal.Bold, terminal.EscapeLine(place+":")), terminal.EscapeLine(text))
	if l.Fix != "" {
		fmt.Fprintf(e, "  %s %s\n", e.Paint(terminal.Green, "fix:"), terminal.EscapeLine(l.Fix))
	}
}
