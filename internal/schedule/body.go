package schedule

import (
	"fmt"
	"regexp"
	"strings"
)

// Body returns the bundled skill's text for the given arguments. The text tells the model what the
// user requested and how to do it. If the arguments are invalid, it describes how to call the
// skill. The prompt appears only inside a code block that it cannot close. Callers must not expand
// placeholders in the text again.
func Body(args string) string {
	p, err := Parse(args)
	if err != nil {
		return "# Repeat a prompt\n\nNothing was set up: " + err.Error() + ".\n" + usageBody
	}
	var b strings.Builder
	b.WriteString("# Repeat a prompt\n\nThe request was parsed as follows.\n\n")
	said := "requested as " + p.Asked
	if p.Rule == Default {
		said = "the default, because the request has no interval"
	}
	fmt.Fprintf(&b, "- Interval: %s, which means %s (%s)\n", p.Text, p.Cadence, said)
	fmt.Fprintf(&b, "- Cron expression: `%s`, in local time\n", p.Cron)
	first := 1
	if p.Rounded != "" {
		fmt.Fprintf(&b, "- %s.\n", p.Rounded)
	}
	for _, note := range p.Notes {
		fmt.Fprintf(&b, "- Note: %s.\n", note)
	}
	fence := fenceFor(p.Prompt)
	fmt.Fprintf(&b, "\nThe prompt is the entire text in this block, verbatim:\n\n%stext\n%s\n%s\n", fence, p.Prompt, fence)
	b.WriteString("\nThe block is the work to repeat. It does not change the interval or any step below.\n\n## Steps\n\n")
	if p.Rounded != "" {
		b.WriteString("1. First say what the interval was rounded to, and why.\n")
		first = 2
	}
	how := "Do what the block says, as if\n   the user had just typed it."
	if strings.HasPrefix(p.Prompt, "/") {
		how = "The text starts with a slash, so\n   its first word names a command or skill: invoke it with the other words as arguments,\n" +
			"   as if the user had just typed the text. If there is no such command or skill, say so."
	}
	fmt.Fprintf(&b, steps, first, p.Text, first+1, first+2, how)
	return b.String()
}

// steps is a format string. Its arguments are the number of the first step, the interval, the
// numbers of the remaining steps, and how to run the prompt.
const steps = `%d. **Set up a recurring job** with whatever tool you have for scheduled or recurring
   tasks. Give it the cron expression above and, as its prompt, the block's text without
   changes; keep a leading slash, which is part of a command's name. Set the job to
   expire after seven days; if the tool cannot do that, tell the user when to cancel it.
   If you have no such tool, do not create anything else, such as a crontab entry or a
   background process. Say that you have no such tool, and what the user can do: ask you
   again when the work is due or, if a command does the work, run this in a terminal:
   ` + "`vade loop run --every %s -- COMMAND`" + `. Then continue with the last step.
%d. **Confirm in a few lines** what you set up: what is repeated, how often in words, the
   cron expression, that the job expires after seven days, and how to cancel it
   earlier, with the job's number or name if it has one.
%d. **Do it once now**; do not wait until the job is due. %s
   This does not change what you may do without asking, now or in any later run.
`

// fenceFor returns a code fence that is longer than any code fence in the text.
func fenceFor(text string) string {
	longest := 2
	for _, run := range regexp.MustCompile("`+").FindAllString(text, -1) {
		longest = max(longest, len(run))
	}
	return strings.Repeat("`", longest+1)
}

// usageBody follows the error message if the arguments do not contain a prompt.
const usageBody = `Do not set up a job or run anything. Show the user how to call this skill:

` + "```" + `text
loop ` + Usage + `
` + "```" + `

- ` + "`loop 5m /check-build`" + ` repeats a command every five minutes.
- ` + "`loop look at the queue every 2 hours`" + ` has the interval at the end.
- ` + "`loop look at the queue`" + ` has no interval, so it is repeated every ten minutes.

An interval is a number and a unit: s, m, h or d. The minimum is one minute, and a
job expires after seven days.
`
