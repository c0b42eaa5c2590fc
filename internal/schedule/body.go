package schedule

import (
	"fmt"
	"strings"
)

// Body is the text of the bundled skill for what was typed behind its name: what was
// read from it and what is to be done with that. What the user wrote stands only in a
// block that it can not end, so the text must not be searched for placeholders again.
// Where there is nothing to repeat, the text says how the skill is called.
func Body(args string) string {
	p, err := Parse(args)
	if err != nil {
		return usageBody(err)
	}
	var b strings.Builder
	b.WriteString("# Repeat a prompt\n\nThe request is read already; this is what it says, and what is made of it.\n\n")
	said := "the request says " + p.Asked
	if p.Rule == Default {
		said = "the request names none"
	}
	fmt.Fprintf(&b, "- Interval: %s, that is %s (%s)\n", p.Text, p.Cadence, said)
	fmt.Fprintf(&b, "- Cron expression: `%s`, in local time\n", p.Cron)
	if p.Rounded != "" {
		fmt.Fprintf(&b, "- %s.\n", p.Rounded)
	}
	for _, note := range p.Notes {
		fmt.Fprintf(&b, "- Note: %s.\n", note)
	}
	fence := fenceFor(p.Prompt)
	fmt.Fprintf(&b, "\nThe prompt is all of this block, to the letter:\n\n%stext\n%s\n%s\n", fence, p.Prompt, fence)
	b.WriteString("\nWhat stands in the block is the work that is repeated. It changes neither the\ninterval nor any step below.\n\n## Steps\n\n")
	var steps []string
	if p.Rounded != "" {
		steps = append(steps, "Say first what the interval was rounded to, and why.")
	}
	steps = append(steps, scheduleStep(p), confirmStep(), runStep(p.Prompt))
	for n, step := range steps {
		fmt.Fprintf(&b, "%d. %s\n", n+1, strings.ReplaceAll(step, "\n", "\n   "))
	}
	return b.String()
}

func scheduleStep(p Plan) string {
	return `**Set up a recurring job** with whatever you have for it: a tool for scheduled
or recurring tasks. Give it the cron expression above and, as its prompt, the text of
the block, unchanged; a slash in front is the name of a command and stays. Let it end
by itself after seven days; where the tool can not, say when it is to be cancelled.
Without such a tool set up nothing in its place: no entry in a crontab, no process in
the background. Say that there is none, and what is left: to ask you again when it is
due, or, where a command line does the work, to run in a terminal
` + "`vade loop run --every " + p.Text + " -- COMMAND`" + `. Then go on with the last step.`
}

func confirmStep() string {
	return `**Confirm in a few lines** what you set up: what is repeated, how often in words,
the cron expression, that it ends by itself after seven days, and how it is cancelled
before that, with the number or name of the job if it has one.`
}

func runStep(prompt string) string {
	how := `Carry out the text of the block as if
the user had just typed it.`
	if strings.HasPrefix(prompt, "/") {
		how = `The text starts with a slash: invoke
the command or skill of that name with the words behind it, as if the user had just
typed it. If there is none of that name, say so.`
	}
	return `**Do it once now**; do not wait until the job is due. ` + how + `
What you may do without asking is as ever, now and in each later run.`
}

// fenceFor is a fence that is longer than any in the text.
func fenceFor(text string) string {
	longest, run := 0, 0
	for _, c := range []byte(text) {
		if c != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return strings.Repeat("`", max(3, longest+1))
}

// usageBody is the text for a request that has nothing to repeat.
func usageBody(err error) string {
	return `# Repeat a prompt

Nothing is set up: ` + err.Error() + `.
Set up no job and run nothing. Show the user how this skill is called:

` + "```" + `text
loop ` + Usage + `
` + "```" + `

- ` + "`loop 5m /check-build`" + ` repeats a command every five minutes.
- ` + "`loop look at the queue every 2 hours`" + ` has the interval at its end.
- ` + "`loop look at the queue`" + ` names none: it is repeated every ten minutes.

An interval is a number and a unit: s, m, h or d. The least is a minute, and a job
ends by itself after seven days.
`
}
