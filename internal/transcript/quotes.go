package transcript

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/internal/host"
)

// quotes takes what the user wrote: the first message is the goal, the others steer or
// ask for more.
func (d *drafter) quotes() {
	x := d.draft
	for i, m := range d.messages {
		if i == 0 {
			if !d.options.NoQuotes {
				x.Goal = strings.Trim(d.clean.prose(m.Message.Text, quoteLength), "/ ")
			}
			continue
		}
		q := Quote{Line: m.Line, Before: d.stepAfter(m.Line)}
		if !d.options.NoQuotes {
			q.Text = d.clean.prose(m.Message.Text, quoteLength)
			if q.Text == "" {
				continue
			}
		}
		if m.Message.Interrupts || steers(m.Message.Text) {
			if len(x.Corrections) < maxCorrections {
				x.Corrections = append(x.Corrections, q)
			}
		} else if len(x.Requests) < maxRequests {
			x.Requests = append(x.Requests, q)
		}
	}
}

// stepAfter is the number of the first step behind a line, or 0.
func (d *drafter) stepAfter(line int) int {
	for i, s := range d.draft.Steps {
		if s.Kind == "repeat" {
			if s.Line < line && line < s.last {
				// It was said while the steps were repeated.
				return s.From
			}
			continue
		}
		if s.Line > line {
			return i + 1
		}
	}
	return 0
}

// steers reports whether a message corrects what the agent did or was about to do.
func steers(text string) bool {
	low := strings.ToLower(cut(text, 600))
	low = strings.ReplaceAll(low, "’", "'")
	words := strings.FieldsFunc(low, func(r rune) bool { return !(r == '\'' || r >= 'a' && r <= 'z') })
	if len(words) == 0 {
		return false
	}
	switch words[0] {
	case "no", "nope", "nah", "wait", "stop", "actually", "hmm", "not", "wrong", "revert", "undo", "rather", "sorry", "hold":
		return true
	}
	line := " " + strings.Join(words, " ") + " "
	for _, phrase := range []string{
		" instead ", " don't ", " do not ", " dont ", " not what ", " rather than ", " should be ", " should not ", " shouldn't ", " should have ", " i meant ", " i said ", " i told you ",
		" must not ", " mustn't ", " never ", " always ", " you forgot ", " you missed ", " that's wrong ", " is wrong ", " isn't right ", " not right ", " revert ", " undo ", " go back ", " too much ", " too many ",
		" stop ", " again but ", " leave it ", " leave the ", " put it back ", " not that ", " not the ", " no need ",
	} {
		if strings.Contains(line, phrase) {
			return true
		}
	}
	// "use X, not Y"
	i := slices.Index(words, "use")
	return i >= 0 && slices.Contains(words[i:], "not")
}

// title names the draft and says what it is for.
func (d *drafter) title() {
	x := d.draft
	if x.Name = d.options.Name; x.Name == "" {
		x.Name = d.nameOf()
	}
	goal := oneValue(unmarked(d.placed(x.Goal), true))
	goal = strings.Trim(strings.TrimRight(goal, "…"), " .,;:!?'")
	var programs []string
	for _, s := range x.Steps {
		if s.Kind == "command" && len(programs) < 4 && !slices.Contains(programs, s.What[0]) {
			programs = append(programs, s.What[0])
		}
	}
	switch {
	case goal != "":
		_, n := utf8.DecodeRuneInString(goal)
		x.Description = strings.ToUpper(goal[:n]) + goal[n:] + ". Use when the same work is asked for again."
	case len(programs) > 0:
		x.Description = oneValue("Runs " + strings.Join(programs, ", ") + " in the order of the session that this was drafted from. Use when the same work is asked for again.")
	default:
		x.Description = "Repeats the work of the session that this was drafted from. Use when the same work is asked for again."
	}
}

// unmarked is a text without marks of ours, as a description is read where the inputs are
// not: with what the value of an argument is in its place, unless the word before says
// so, or with nothing.
func unmarked(s string, spoken bool) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(s, "‹")
		mark, behind, closed := strings.Cut(rest, "›")
		if !ok || !closed {
			b.WriteString(s)
			return strings.Join(strings.Fields(b.String()), " ")
		}
		b.WriteString(strings.TrimSuffix(before, "#"))
		noun := strings.TrimRight(mark, "0123456789")
		words := strings.Fields(b.String())
		switch s = behind; {
		case !spoken:
			b.WriteString(" ")
		case strings.HasPrefix(behind, "/"):
			// A path that is shortened keeps its last name.
			s = behind[1:]
		case noun == "" || mark == "…" || mark == strings.Trim(hiddenMark, "‹›") || strings.Trim(noun, "abcdefghijklmnopqrstuvwxyz") != "":
			b.WriteString("…")
		case len(words) > 0 && (strings.EqualFold(words[len(words)-1], noun) || noun == "url" && hasWord("page site address link website", words[len(words)-1])):
			trimmed := strings.TrimRight(b.String(), " ")
			b.Reset()
			b.WriteString(trimmed)
		case noun == "url":
			b.WriteString("an address")
		case noun == "pr":
			b.WriteString("a pull request")
		case strings.Contains("aeio", noun[:1]):
			b.WriteString("an " + noun)
		default:
			b.WriteString("a " + noun)
		}
	}
}

// nameOf makes a name of the words of the first message, or of the programs that ran.
func (d *drafter) nameOf() string {
	var words []string
	take := func(text string, most int) {
		for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }) {
			if len(words) < most && len(word) > 1 && len(word) < 16 && !isFiller(word) && !isNumber(word) && !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
	}
	if d.draft.Goal != "" {
		take(unmarked(d.placed(d.draft.Goal), false), 4)
	}
	if len(words) < 2 {
		for _, s := range d.draft.Steps {
			if s.Kind == "command" {
				take(s.What[0], 3)
			}
		}
	}
	if len(words) == 1 {
		words = append(words, "steps")
	}
	name := strings.Join(words, "-")
	if len(name) > 60 {
		name = strings.TrimRight(name[:60], "-")
	}
	if name == "" {
		return "drafted-skill"
	}
	return name
}

// isFiller reports whether a word says nothing about what is done, or may not be in the
// name of a skill (Agent Skills: the vendor's names are reserved).
func isFiller(word string) bool {
	if host.IsReservedWord(word) {
		return true
	}
	switch word {
	case "the", "an", "to", "of", "in", "on", "at", "for", "with", "and", "or", "is", "are", "be", "it", "its", "this", "that", "these", "those", "please", "can", "could", "would", "you", "we", "me", "my", "our", "your",
		"do", "does", "have", "has", "had", "will", "want", "need", "let", "lets", "us", "so", "then", "now", "from", "into", "as", "by", "if", "when", "there", "here", "just", "also", "some", "all", "any", "hi", "hello", "hey",
		"http", "https", "www", "com", "path", "temp", "hidden", "should", "sure", "every", "what", "how", "why", "but", "not":
		return true
	}
	return false
}
