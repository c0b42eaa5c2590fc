package transcript

import (
	"fmt"
	"strings"

	"github.com/vadehq/vade/internal/frontmatter"
)

// Markdown is the draft as a SKILL.md. notes are said among what was left out. fields:
// the frontmatter declares the arguments, which the Agent Skills standard has no field
// for, so that hosts which hold to it do not load the skill.
func (x *Draft) Markdown(format Format, notes []string, fields bool) string {
	w := &markdown{fields: fields}
	w.head(x)
	w.line("# " + heading(x.Name))
	w.line("")
	w.line(fmt.Sprintf("A draft made of one session (%s), without a model. Read each step, settle every TODO, and take out what was only so that day.", format))
	w.goal(x)
	w.inputs(x)
	w.steps(x)
	w.quoted(x)
	w.files(x)
	w.left(x, notes)
	return w.String()
}

type markdown struct {
	strings.Builder
	fields bool
}

func (w *markdown) line(s string) { w.WriteString(s + "\n") }

func (w *markdown) section(title string) { w.WriteString("\n## " + title + "\n\n") }

func (w *markdown) head(x *Draft) {
	w.line("---")
	w.line("name: " + x.Name)
	w.line("description: " + frontmatter.Quote(x.Description))
	if hint, names := x.hint(); hint != "" && w.fields {
		w.line("argument-hint: " + frontmatter.Quote(hint))
		w.line("arguments: [" + strings.Join(names, ", ") + "]")
	}
	if len(x.Allowed) > 0 {
		w.line("allowed-tools: " + frontmatter.Plain(strings.Join(x.Allowed, " ")))
	}
	w.line("---")
	w.line("")
}

// hint are the arguments as they are hinted at, and their names.
func (x *Draft) hint() (hint string, names []string) {
	for _, a := range x.Arguments {
		names = append(names, a.Name)
	}
	if len(names) > 0 {
		hint = "[" + strings.Join(names, "] [") + "]"
	}
	return hint, names
}

func heading(name string) string {
	words := strings.Split(name, "-")
	if words[0] != "" {
		words[0] = strings.ToUpper(words[0][:1]) + words[0][1:]
	}
	return strings.Join(words, " ")
}

func (w *markdown) goal(x *Draft) {
	w.section("Goal")
	if x.Goal != "" {
		w.line("The session began with: “" + x.Goal + "”")
		w.line("")
	}
	w.line("TODO: say what is there when all of it is done.")
}

func (w *markdown) inputs(x *Draft) {
	w.section("Inputs")
	if len(x.Arguments) == 0 {
		w.line("None was found: no value varied, and none that the user named came up in a step. TODO: say what another call would have to be given.")
		return
	}
	for _, a := range x.Arguments {
		w.line(fmt.Sprintf("- **%s**: in the session “%s” (a guess: %s).", a.Name, strings.Join(a.Seen, "”, “"), a.Why))
	}
	w.line("")
	w.line("They are given in this order when the skill is called. Where a step has the name of one in ‹ ›, put its value there. Ask for one that is missing.")
}

func (w *markdown) steps(x *Draft) {
	w.section("Steps")
	if len(x.Steps) == 0 {
		w.line("Nothing was done in the session. TODO: write the steps.")
		return
	}
	for i := range x.Steps {
		if i > 0 {
			w.line("")
		}
		w.step(i+1, &x.Steps[i])
	}
	if x.CutSteps > 0 {
		w.line("")
		w.line(fmt.Sprintf("The session went on for %s more, which %s left out.", number(x.CutSteps, "step", "steps"), isAre(x.CutSteps)))
	}
}

func (w *markdown) step(n int, s *Step) {
	what := ""
	if len(s.What) > 0 {
		what = s.What[0]
	}
	switch s.Kind {
	case "command":
		w.line(fmt.Sprintf("### %d. Run %s", n, what))
	case "edit":
		w.line(fmt.Sprintf("### %d. Change %s", n, files(s.What)))
	case "read":
		w.line(fmt.Sprintf("### %d. Read %s", n, files(s.What)))
	case "search":
		w.line(fmt.Sprintf("### %d. Search", n))
	case "fetch":
		w.line(fmt.Sprintf("### %d. Read from the web", n))
	case "server":
		w.line(fmt.Sprintf("### %d. Call %s", n, what))
	case "agent":
		w.line(fmt.Sprintf("### %d. Hand a part to a helper", n))
	case "repeat":
		w.line(fmt.Sprintf("### %d. Do steps %d to %d again", n, s.From, s.To))
		w.line("")
		w.line(fmt.Sprintf("In the session they were done %s in all, one turn after the other.", number(s.Times, "time", "times")))
	}
	w.line("")
	if s.ByUser {
		w.line("The user did this themselves.")
		w.line("")
	}
	switch {
	case s.Kind == "command":
		w.runs(s)
	case s.Kind == "fetch" || len(s.What) > 1:
		for _, f := range s.What[:min(len(s.What), 10)] {
			w.line("- " + f)
		}
		if len(s.What) > 10 {
			w.line(fmt.Sprintf("- and %d more", len(s.What)-10))
		}
		w.line("")
	case s.Kind == "agent":
		w.line("TODO: say what the helper is told and what it gives back.")
		w.line("")
	case s.Kind == "edit":
		w.line("TODO: say what is changed there.")
		w.line("")
	}
	if s.Confirm != "" {
		w.line("- **Ask first**: " + s.Confirm + ". Show what will be done, and wait for a yes.")
	}
	for _, r := range s.Tried {
		w.line("- What failed before it: “" + r.Command + "”" + status(&r) + ".")
	}
	if s.Criterion != "" {
		w.line("- **Done when**: " + s.Criterion + ".")
	} else {
		w.line("- **Done when**: TODO: " + todo(s.Kind) + ".")
	}
}

// todo is what a criterion that is not known has to say.
func todo(kind string) string {
	switch kind {
	case "read", "fetch":
		return "say what has to be known from it"
	case "search":
		return "say what is looked for, and what is found"
	case "edit":
		return "say how it is known that the change is right"
	}
	if kind == "repeat" {
		return "say when they have been done often enough"
	}
	return "the transcript does not say how this ended"
}

func (w *markdown) runs(s *Step) {
	switch {
	case s.turns > 1 && s.Times <= s.turns && len(s.Runs) < 2:
		// How often the steps were done together says it.
	case s.turns > 1 && len(s.Runs) > 1:
		w.line(fmt.Sprintf("One of these in each turn, %d times in all:", s.Times))
		w.line("")
	case s.turns > 1:
		w.line(fmt.Sprintf("Ran %d times in all the turns:", s.Times))
		w.line("")
	case s.Times > 1 && len(s.Runs) > 1:
		w.line(fmt.Sprintf("Ran %d times, with:", s.Times))
		w.line("")
	case s.Times > 1:
		w.line(fmt.Sprintf("Ran %d times:", s.Times))
		w.line("")
	}
	w.line("```sh")
	for _, r := range s.Runs[:min(len(s.Runs), maxShownRuns)] {
		w.line(r.Command)
	}
	w.line("```")
	w.line("")
	if more := len(s.Runs) - maxShownRuns; more > 0 {
		w.line(fmt.Sprintf("And %s like these.", number(more, "more command", "more commands")))
		w.line("")
	}
}

// files are the names of a step for its heading.
func files(list []string) string {
	switch len(list) {
	case 0:
		return "files"
	case 1:
		return list[0]
	}
	return fmt.Sprintf("%d files", len(list))
}

func status(r *Run) string {
	if r.Status == nil {
		return ""
	}
	return fmt.Sprintf(" (exit code %d)", *r.Status)
}

func (w *markdown) quoted(x *Draft) {
	list := func(quotes []Quote) {
		for _, q := range quotes {
			where := "At the end"
			if q.Before > 0 {
				where = fmt.Sprintf("Before step %d", q.Before)
			}
			if q.Text == "" {
				w.line(fmt.Sprintf("- %s (line %d of the transcript): TODO", where, q.Line))
			} else {
				w.line("- " + where + ": “" + q.Text + "”")
			}
		}
	}
	if len(x.Corrections) > 0 {
		w.section("Corrections")
		w.line("Where the user steered. TODO: turn each into a rule of the step that it belongs to.")
		w.line("")
		list(x.Corrections)
	}
	if len(x.Requests) > 0 {
		w.section("Also asked for")
		list(x.Requests)
	}
}

func (w *markdown) files(x *Draft) {
	if len(x.Files) == 0 {
		return
	}
	w.section("Files touched")
	for _, f := range x.Files {
		w.line("- " + f)
	}
	if x.CutFiles > 0 {
		w.line(fmt.Sprintf("- and %d more", x.CutFiles))
	}
}

func (w *markdown) left(x *Draft, notes []string) {
	hint, _ := x.hint()
	if w.fields {
		hint = ""
	}
	if len(x.Withheld)+len(x.Dead)+len(notes)+x.Hidden+len(hint) == 0 {
		return
	}
	w.section("What was left out")
	for _, h := range x.Withheld {
		if h.Confirm {
			w.line("- Not allowed in advance: " + h.What + ". A person confirms it each time: " + h.Why + ".")
		} else {
			w.line("- Not allowed in advance: " + h.What + " (" + h.Why + ").")
		}
	}
	for i := range x.Dead {
		w.line("- It failed and was given up: “" + x.Dead[i].Command + "”" + status(&x.Dead[i]) + ".")
	}
	if x.Hidden > 0 {
		w.line("- What may be a secret: " + number(x.Hidden, "place", "places") + ", marked as hidden.")
	}
	if hint != "" {
		w.line("- The field argument-hint, with " + frontmatter.Quote(hint) + ": not every host takes it. Written for one host that does, the draft has it.")
	}
	for _, n := range notes {
		w.line("- " + n + ".")
	}
}
