package transcript

import (
	"fmt"
	"slices"
	"strings"
)

// failures joins commands that failed to the one of the same program that worked right
// after them. One that the agent changed something for stays a step: to see it fail is
// a part of the way. One that nothing followed is no step.
func (d *drafter) failures() {
	for i, a := range d.acts {
		if a.call.Kind != Command || !a.run.Failed || a.gone {
			continue
		}
		worked, edited, again := -1, false, false
		for k := i + 1; k < len(d.acts) && k <= i+40; k++ {
			b := d.acts[k]
			edited = edited || b.call.Kind == Edit
			if b.call.Kind != Command || program(b.shape) != program(a.shape) {
				continue
			}
			if !b.run.Failed {
				worked, again = k, b.shape == a.shape
				break
			}
		}
		switch {
		case d.options.KeepFailures:
		case worked < 0:
			a.gone = true
			if len(d.draft.Dead) < 20 {
				d.draft.Dead = append(d.draft.Dead, a.run)
			}
		case edited && again:
		default:
			a.gone = true
			b := d.acts[worked]
			if len(b.tried) < maxShownRuns && !slices.ContainsFunc(b.tried, func(r Run) bool { return r.Command == a.run.Command }) {
				b.tried = append(b.tried, a.run)
			}
		}
	}
	d.acts = slices.DeleteFunc(d.acts, func(a *act) bool { return a.gone })
}

func program(shape string) string {
	name, _, _ := strings.Cut(shape, " ")
	return name
}

// fold makes steps of calls: neighbours of the same shape are one.
func (d *drafter) fold() {
	for _, a := range d.acts {
		steps := d.draft.Steps
		if n := len(steps); n > 0 {
			last := &steps[n-1]
			if last.shape == a.shape && last.ByUser == a.call.ByUser && last.failed == a.run.Failed {
				d.join(last, a)
				continue
			}
		}
		s := Step{Kind: kindWord(a.call.Kind), Line: a.line, shape: a.shape, ByUser: a.call.ByUser, failed: a.run.Failed}
		d.join(&s, a)
		d.draft.Steps = append(d.draft.Steps, s)
	}
}

// join adds a call to a step.
func (d *drafter) join(s *Step, a *act) {
	s.Times++
	s.last = a.line
	if s.Confirm == "" {
		s.Confirm = a.risk
	}
	s.Tried = append(s.Tried, a.tried...)
	if a.call.Kind == Command {
		if s.What == nil {
			s.What = []string{a.shape}
		}
		// The same command again says nothing new but how it ended.
		if i := slices.IndexFunc(s.Runs, func(r Run) bool { return r.Command == a.run.Command }); i >= 0 {
			s.Runs[i] = a.run
		} else if len(s.Runs) < 20 {
			s.Runs = append(s.Runs, a.run)
		}
		return
	}
	s.answered = a.call.Result.Known && !a.call.Result.Failed
	for _, w := range a.what {
		if w != "" && len(s.What) < 20 && !slices.Contains(s.What, w) {
			s.What = append(s.What, w)
		}
	}
}

func kindWord(k Kind) string {
	switch k {
	case Command:
		return "command"
	case Edit:
		return "edit"
	case Read:
		return "read"
	case Search:
		return "search"
	case Fetch:
		return "fetch"
	case Server:
		return "server"
	case Agent:
		return "agent"
	}
	return "other"
}

// maxPeriod is how many steps a repeated sequence has at most.
const maxPeriod = 4

// repeats folds sequences of steps that come again and again, such as a change and the
// test of it.
func (d *drafter) repeats() {
	steps := d.draft.Steps
	var out []Step
	for i := 0; i < len(steps); {
		period, times := 0, 1
		for p := 2; p <= maxPeriod && i+2*p <= len(steps); p++ {
			n := 1
			for i+(n+1)*p <= len(steps) && alike(steps[i:i+p], steps[i+n*p:i+(n+1)*p]) {
				n++
			}
			if n > 1 && n*p > period*times {
				period, times = p, n
			}
		}
		if period == 0 {
			out = append(out, steps[i])
			i++
			continue
		}
		block := slices.Clone(steps[i : i+period])
		for n := 1; n < times; n++ {
			for k := range block {
				merge(&block[k], &steps[i+n*period+k])
			}
		}
		for k := range block {
			block[k].turns = times
		}
		from := len(out)
		out = append(out, block...)
		out = append(out, Step{Kind: "repeat", From: from, To: from + period - 1, Times: times, Line: steps[i].Line, last: block[period-1].last})
		i += period * times
	}
	d.draft.Steps = out
}

// alike reports whether two sequences of steps do the same. A command that fails in the
// one and works in the other does.
func alike(a, b []Step) bool {
	for i := range a {
		if a[i].shape != b[i].shape || a[i].ByUser != b[i].ByUser || a[i].Kind == "repeat" {
			return false
		}
	}
	return true
}

// merge adds a later step to the one that it repeats.
func merge(s, later *Step) {
	s.Times += later.Times
	s.last = later.last
	if s.failed && !later.failed {
		// That it failed at first is why the steps were done again.
		s.mended = true
		for _, r := range s.Runs {
			if r.Failed {
				s.Tried = append(s.Tried, r)
			}
		}
		s.Runs = slices.DeleteFunc(s.Runs, func(r Run) bool { return r.Failed })
	}
	s.failed = later.failed
	if s.Confirm == "" {
		s.Confirm = later.Confirm
	}
	for _, r := range later.Runs {
		if i := slices.IndexFunc(s.Runs, func(x Run) bool { return x.Command == r.Command }); i >= 0 {
			s.Runs[i] = r
		} else if len(s.Runs) < 20 {
			s.Runs = append(s.Runs, r)
		}
	}
	for _, w := range later.What {
		if len(s.What) < 20 && !slices.Contains(s.What, w) {
			s.What = append(s.What, w)
		}
	}
	s.Tried = append(s.Tried, later.Tried...)
}

// number cuts the steps that are too many, and gives each its criterion.
func (d *drafter) number() {
	x := d.draft
	if len(x.Steps) > maxSteps {
		x.CutSteps = len(x.Steps) - maxSteps
		x.Steps = x.Steps[:maxSteps]
	}
	for i := range x.Steps {
		s := &x.Steps[i]
		if len(s.Tried) > maxShownRuns {
			s.Tried = s.Tried[:maxShownRuns]
		}
		switch s.Kind {
		case "repeat":
			s.From++
			s.To++
			for k := s.From; k <= s.To && k <= len(x.Steps); k++ {
				if x.Steps[k-1].mended {
					s.Criterion = fmt.Sprintf("step %d ends well; in the session it failed before that", k)
				}
			}
		case "command":
			s.Criterion = d.criterion(s, i)
		case "server", "agent":
			if s.answered {
				s.Criterion = "it answers without an error"
			}
		case "edit":
			if n := d.shows(i); n > 0 {
				s.Criterion = fmt.Sprintf("step %d ends well", n)
			}
		}
	}
	if len(d.files) > maxShownFiles {
		x.CutFiles = len(d.files) - maxShownFiles
		d.files = d.files[:maxShownFiles]
	}
	x.Files = d.files
}

// criterion says when a command is done, by how it ended.
func (d *drafter) criterion(s *Step, i int) string {
	last := s.Runs[len(s.Runs)-1]
	switch {
	case last.Failed:
		text := "it failed here"
		if last.Status != nil {
			text += fmt.Sprintf(" with exit code %d", *last.Status)
		}
		for k := i + 1; k < len(d.draft.Steps); k++ {
			if later := d.draft.Steps[k]; later.shape == s.shape && !later.failed {
				return text + fmt.Sprintf(", which the steps up to %d mend", k+1)
			}
		}
		return text
	case last.Status != nil && last.Said != "":
		return fmt.Sprintf("exit code %d, and it says: %s", *last.Status, last.Said)
	case last.Status != nil:
		return fmt.Sprintf("exit code %d", *last.Status)
	case last.Said != "":
		return "it says: " + last.Said
	}
	return ""
}

// shows is the number of the next command that ended well behind an edit, or 0.
func (d *drafter) shows(i int) int {
	for k := i + 1; k < len(d.draft.Steps) && k <= i+3; k++ {
		s := &d.draft.Steps[k]
		if s.Kind == "command" && len(s.Runs) > 0 && !s.failed && s.Runs[len(s.Runs)-1].Status != nil {
			return k + 1
		}
	}
	return 0
}
