package audit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/fact"
)

// s08 names what was not looked at. It is never silent: what is not seen is no
// reason to trust.
func s08() Rule {
	return Rule{
		ID: "S08", Name: "not-looked-at", Title: "A part of the package was not looked at",
		Severity: Block, Confidence: High, Scope: "package",
		Why:   "That nothing was found in the rest says nothing about this part.",
		Fix:   "Look at it yourself, or leave it out of the package.",
		CWE:   []int{1059, 506},
		OWASP: "AST08", find: findS08,
	}
}

func findS08(p *pass) {
	byReason := map[fact.Reason][]fact.Missed{}
	var order []fact.Reason
	var run []fact.Missed
	u := p.unread()
	for _, m := range p.Missed {
		if u.runs(m) {
			run = append(run, m)
			continue
		}
		if m.Why == fact.MissedMedia || p.elsewhere(m) {
			continue
		}
		if byReason[m.Why] == nil {
			order = append(order, m.Why)
		}
		byReason[m.Why] = append(byReason[m.Why], m)
	}
	if len(run) > 0 {
		f := p.whole("not read, and may be run: %s", missedPaths(run)).as(Block, High)
		f.Path = run[0].Path
		f.doing("Put a plain file with no other hard link in its place, inside the project and within the limits of an audit, or take it out: nobody can say what it does.")
	}
	for _, why := range order {
		list := byReason[why]
		worst, confidence := Inform, Medium
		for _, m := range list {
			worst = max(worst, p.weightOfMissed(m, u.dirs))
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

// unread is what says whether a part that was not read would be run.
type unread struct {
	*pass
	// missed are the parts that nobody has read, shells the shell scripts. A script has
	// to be understood to its end too: no honest one is longer than what is followed.
	missed map[fact.Missed]bool
	shells map[string]bool
	// dirs are the missed directories of which commands use a file, any: there are commands.
	dirs map[string]bool
	any  bool
}

func (p *pass) unread() *unread {
	u := &unread{p, map[fact.Missed]bool{}, map[string]bool{}, map[string]bool{}, false}
	names := map[string]bool{}
	for _, m := range p.Package.Missed {
		u.missed[m], names[m.Path] = true, true
	}
	if len(names) > 0 {
		p.usedDirs(names, u.dirs)
	}
	for _, x := range p.Package.Files {
		if x.Role == fact.Script && (x.Lang == "sh" || x.Lang == "ps1" || x.Lang == "bat") {
			u.shells[x.Path] = true
		}
	}
	u.any = slices.ContainsFunc(p.Commands, func(c fact.Command) bool { return c.Meant() && !c.Apart() })
	return u
}

// runs reports whether something that could not be read, or only in part, would be run
// or followed: the definition names it, it is code by its name or its directory, or it
// may be anything in a package that runs something.
func (u *unread) runs(m fact.Missed) bool {
	if u.Package.Bare || !u.missed[m] && !u.shells[m.Path] {
		return false
	}
	switch m.Why {
	case fact.MissedUnreadable, fact.MissedSpecial:
	case fact.MissedTooLarge:
		if fact.DataName(m.Path) {
			return false
		}
	case fact.MissedLink:
		if _, leaves := linkOut(m); !leaves {
			return false
		}
	case fact.MissedTooMany:
		// Names below a directory that is not read are not known.
		if u.any || m.Note == fact.TooDeep {
			return true
		}
	default:
		return false
	}
	return u.Followed[m.Path] || m.Path == u.Package.Files[0].Path || fact.CodeName(m.Path) || u.dirs[m.Path]
}

// weightOfMissed is how much it matters that something was not looked at: what may be
// code or instructions needs a person, a table or a drawing does not.
func (p *pass) weightOfMissed(m fact.Missed, dirs map[string]bool) Severity {
	kind, _ := fact.NameForm(m.Path)
	switch m.Why {
	case fact.MissedLanguage, fact.MissedUnparsed, fact.MissedOffice, fact.MissedLink:
		return Inform
	case fact.MissedKept:
		if !dirs[m.Path] {
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

// usedDirs adds those of some directories of which commands use a file. The programs that
// look at a repository or repair it do not count.
func (p *pass) usedDirs(names, used map[string]bool) {
	for i := range p.Commands {
		c := &p.Commands[i]
		switch c.Name {
		case "cat", "cd", "chmod", "cp", "echo", "find", "git", "grep", "head", "ln", "ls", "mkdir", "mv", "rm", "rg", "stat", "tail", "tee", "test", "[", "[[", "touch", "wc":
			continue
		}
		if !c.Meant() {
			continue
		}
		for word := range strings.FieldsFuncSeq(c.Text, func(r rune) bool { return r <= ' ' || strings.ContainsRune("\"'`=;|&()<>,:", r) }) {
			// A path may have whatever stands for the package before it.
			for dir := word[:min(len(word), maxPath)]; ; {
				at := strings.LastIndexByte(dir, '/')
				if at < 0 {
					break
				}
				dir = dir[:at]
				for end, more := dir, true; more; _, end, more = strings.Cut(end, "/") {
					if names[end] {
						used[end] = true
					}
				}
			}
		}
	}
}

// maxPath bounds how much of the path in a command is looked at.
const maxPath = 200

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
