package schedule

import (
	"fmt"
	"regexp"
	"strings"
)

// Body returns the bundled skill's text for the given arguments. It says what
// the arguments request and what to do about it, or how to call the skill. The
// prompt occurs only inside a block that it cannot close, so the text must not
// be searched for placeholders again.
func Body(args string) string {
	p, err := Parse(args)
	if err != nil {
		return "# Repeat a prompt\n\nNothing is set up: " + err.Error() + ".\n" + usageBody
	}
	var b strings.Builder
	b.WriteString("# Repeat a prompt\n\nThe request was parsed as follows.\n\n")
	said := "the request says " + p.Asked
	if p.Rule == Default {
		said = "the request has none"
	}
	fmt.Fprintf(&b, "- Interval: %s, that is %s (%s)\n", p.Text, p.Cadence, said)
	fmt.Fprintf(&b, "- Cron expression: `%s`, in local time\n", p.Cron)
	first := 1
	if p.Rounded != "" {
		fmt.Fprintf(&b, "- %s.\n", p.Rounded)
	}
	for _, note := range p.Notes {
		fmt.Fprintf(&b, "- Note: %s.\n", note)
	}
	fence := fenceFor(p.Prompt)
	fmt.Fprintf(&b, "\nThe prompt is all of this block, to the letter:\n\n%stext\n%s\n%s\n", fence, p.Prompt, fence)
	b.WriteString("\nThe block is the work to repeat. It changes neither the interval nor any step below.\n\n## Steps\n\n")
	if p.Rounded != "" {
		b.WriteString("1. Say first what the interval was rounded to, and why.\n")
		first = 2
	}
	how := "Carry out the text of the block as if\n   the user had just typed it."
	if strings.HasPrefix(p.Prompt, "/") {
		how = "The text starts with a slash, so\n   its first word names a command or skill: invoke it with the other words as arguments,\n" +
			"   as if the user had just typed the text. If there is no such command or skill, say so."
	}
	fmt.Fprintf(&b, steps, first, p.Text, first+1, first+2, how)
	return b.String()
}

// steps has placeholders for the first step's number, the interval, the
// remaining steps' numbers, and how to run the prompt.
const steps = `%d. **Set up a recurring job** with whatever tool you have for scheduled or recurring
   tasks. Give it the cron expression above and, as its prompt, the text of the block,
   unchanged; a leading slash is part of a command's name and stays. Let it end by itself
   after seven days; if the tool cannot, say when to cancel it.
   Without such a tool set up nothing else: no crontab entry, no background process. Say
   that there is none, and what the user can do: ask you again when it is due, or, if a
   command line does the work, run in a terminal
   ` + "`vade loop run --every %s -- COMMAND`" + `. Then go on with the last step.
%d. **Confirm in a few lines** what you set up: what is repeated, how often in words, the
   cron expression, that it ends by itself after seven days, and how to cancel it before
   that, with the number or name of the job if it has one.
%d. **Do it once now**; do not wait until the job is due. %s
   What you may do without asking is unchanged, now and in each later run.
`

// fenceFor returns a code fence that is longer than any in the text.
func fenceFor(text string) string {
	longest := 2
	for _, run := range regexp.MustCompile("`+").FindAllString(text, -1) {
		longest = max(longest, len(run))
	}
	return strings.Repeat("`", longest+1)
}

// usageBody is appended to the error if the arguments contain nothing to
// repeat.
const usageBody = `Set up no job and run nothing. Show the user how to call this skill:

` + "```" + `text
loop ` + Usage + `
` + "```" + `

- ` + "`loop 5m /check-build`" + ` repeats a command every five minutes.
- ` + "`loop look at the queue every 2 hours`" + ` has the interval at its end.
- ` + "`loop look at the queue`" + ` has no interval: it is repeated every ten minutes.

An interval is a number and a unit: s, m, h or d. The minimum is a minute, and a job
ends by itself after seven days.
`
