package audit

import (
	"fmt"
	"strings"

	"github.com/vadehq/vade/internal/audit/fact"
)

// s08 names what was not looked at. It is never silent: what is not seen is no
// reason to trust.
func s08() Rule {
	return Rule{
		ID: "S08", Name: "not-looked-at", Title: "A part of the package was not looked at",
		Severity: Review, Confidence: High, Scope: "package",
		Why:   "That nothing was found in the rest says nothing about this part.",
		Fix:   "Look at it yourself, or leave it out of the package.",
		CWE:   []int{1059, 506},
		OWASP: "AST08", find: findS08,
	}
}

func findS08(p *pass) {
	byReason := map[fact.Reason][]fact.Missed{}
	var order []fact.Reason
	for _, m := range p.Missed {
		if m.Why == fact.MissedMedia || p.elsewhere(m) {
			continue
		}
		if byReason[m.Why] == nil {
			order = append(order, m.Why)
		}
		byReason[m.Why] = append(byReason[m.Why], m)
	}
	for _, why := range order {
		list := byReason[why]
		worst, confidence := Inform, Medium
		for _, m := range list {
			worst = max(worst, p.weightOfMissed(m))
		}
		if worst == Review {
			confidence = High
		}
		f := p.whole("not looked at, %s: %s", missedWords(why), missedPaths(list)).as(worst, confidence)
		f.Path = list[0].Path
		if (why == fact.MissedLanguage || why == fact.MissedKept) && worst == Inform {
			f.forPersona(Pedantic)
		}
	}
}

// elsewhere reports whether another rule says the same with more words.
func (p *pass) elsewhere(m fact.Missed) bool {
	for _, f := range p.earlier {
		if f.Path == m.Path && (f.ID == "S01" || f.ID == "S02" || f.ID == "S03" || f.ID == "R01") && f.Severity >= Review {
			return true
		}
	}
	return false
}

// weightOfMissed is how much it matters that something was not looked at: what may be
// code or instructions needs a person, a table or a drawing does not.
func (p *pass) weightOfMissed(m fact.Missed) Severity {
	kind, _ := fact.NameForm(m.Path)
	switch m.Why {
	case fact.MissedLanguage, fact.MissedUnparsed, fact.MissedOffice, fact.MissedLink:
		return Inform
	case fact.MissedKept:
		if !p.runsIn(m.Path) {
			return Inform
		}
	case fact.MissedTooLarge:
		if kind == fact.MediaForm || kind == fact.RecordForm {
			return Inform
		}
	case fact.MissedBinary:
		if m.Note != "" && strings.HasPrefix(m.Note, "only a pointer") || kind == fact.RecordForm || kind == fact.MediaForm {
			return Inform
		}
		for i := range p.Kinds {
			if k := &p.Kinds[i]; k.Path == m.Path && (k.Class == fact.RecordForm || k.Class == fact.MediaForm) {
				return Inform
			}
		}
	}
	return Review
}

// runsIn reports whether a command has to do with a file in a directory, other than by
// the programs that look at a repository or mend it.
func (p *pass) runsIn(dir string) bool {
	for i := range p.Commands {
		c := &p.Commands[i]
		switch c.Name {
		case "cat", "cd", "chmod", "cp", "echo", "find", "git", "grep", "head", "ln", "ls", "mkdir", "mv", "rm", "rg", "stat", "tail", "tee", "test", "[", "[[", "touch", "wc":
			continue
		}
		if strings.Contains(c.Text, dir+"/") && c.Meant() {
			return true
		}
	}
	return false
}

func missedWords(why fact.Reason) string {
	switch why {
	case fact.MissedTooLarge:
		return "too large"
	case fact.MissedTooMany:
		return "too many"
	case fact.MissedNative:
		return "machine code"
	case fact.MissedBytecode:
		return "bytecode"
	case fact.MissedArchive:
		return "an archive"
	case fact.MissedOffice:
		return "an office document"
	case fact.MissedBinary:
		return "no text"
	case fact.MissedLink:
		return "a link"
	case fact.MissedSpecial:
		return "a pipe, socket or device"
	case fact.MissedKept:
		return "kept by version control"
	case fact.MissedUnreadable:
		return "not readable"
	case fact.MissedLanguage:
		return "a language that is not judged"
	case fact.MissedUnparsed:
		return "not as its name says"
	case fact.MissedPacked:
		return "encoded or encrypted"
	}
	return string(why)
}

// missedPaths names the first few.
func missedPaths(list []fact.Missed) string {
	const few = 3
	var names []string
	for _, m := range list[:min(few, len(list))] {
		name := m.Path
		if m.Note != "" {
			name += " (" + m.Note + ")"
		}
		names = append(names, name)
	}
	if n := len(list) - few; n > 0 {
		names = append(names, fmt.Sprintf("%d more", n))
	}
	return strings.Join(names, ", ")
}
