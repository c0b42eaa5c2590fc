package policy

import (
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/coreutils"
)

// Call is one command line as it may be run.
type Call struct {
	// Argv is what to run. The runner puts its own hardening into it.
	Argv []string
	// Tool is the name of the program.
	Tool string
	// Dir is where to run it, below the directory of the command, or "" for
	// that directory itself. The -C of git becomes this.
	Dir string
	// Paths are what a read-only program may look at, with the given access.
	Paths  []string
	Access coreutils.Access
	// NeutralDir says that it runs in an empty place, so that no file of the
	// project has a say in what it does.
	NeutralDir bool
}

// judgeGit reads a command line as git does, and says what may be run in its
// place. A form of git is allowed if it only reads, starts no program and
// asks no network; every flag that it may have is in a table (see gitFormOf).
// What prints the content of files gets pathspecs that leave out exclude,
// which are patterns as in a gitignore file. A "!pattern" there is passed
// over: more is left out than need be.
func judgeGit(argv []string, paths PathJudge, exclude []string) (*Call, *Refusal) {
	for i, w := range argv {
		if strings.ContainsRune(w, 0) {
			return nil, refuse(ReasonText, i, "git: a word holds a NUL byte")
		}
	}
	dir, at, no := gitGlobals(argv, paths)
	if no != nil {
		return nil, no
	}
	if at == len(argv) {
		return nil, refuse(ReasonCommand, -1, "git: no sub-command")
	}
	if argv[at] == "--version" && at+1 == len(argv) {
		return gitCall(dir, []string{"git", "--version"}), nil
	}
	form, after, ok := findGitForm(argv, at)
	if !ok {
		return nil, refuse(ReasonCommand, at, "git "+argv[at]+": not one of the forms that only read")
	}
	l := gitLine{form: form, argv: argv, name: argv[at:after], dir: dir, judge: paths, dash: -1}
	if no := l.read(after); no != nil {
		return nil, no
	}
	return gitCall(dir, l.result(exclude)), nil
}

func gitCall(dir string, argv []string) *Call {
	return &Call{Argv: argv, Tool: "git", Dir: dir}
}

func refuse(reason Reason, word int, message string) *Refusal {
	return &Refusal{Reason: reason, Word: word, Message: message}
}

// gitGlobals reads what stands before the sub-command.
func gitGlobals(argv []string, paths PathJudge) (dir string, at int, no *Refusal) {
	for at = 1; at < len(argv); at++ {
		switch w := argv[at]; {
		case w == "--no-pager":
		case w == "-C" && dir == "" && at+1 < len(argv):
			at++
			dir = argv[at]
			if dir == "" || dir[0] == '-' {
				return "", 0, refuse(ReasonOperand, at, "git -C: no directory")
			}
			if no := paths(dir); no != nil {
				return "", 0, atWord(no, at)
			}
		case w == "--version" || !strings.HasPrefix(w, "-"):
			return dir, at, nil
		default:
			return "", 0, refuse(ReasonFlag, at, "git: "+w+" is not an allowed option before the sub-command")
		}
	}
	return dir, at, nil
}

// findGitForm finds the form that the words at an index name: two words before
// one. after is where its flags and operands begin.
func findGitForm(argv []string, at int) (form gitForm, after int, ok bool) {
	if at+1 < len(argv) {
		if form, ok = gitFormOf(argv[at] + " " + argv[at+1]); ok {
			return form, at + 2, true
		}
	}
	form, ok = gitFormOf(argv[at])
	return form, at + 1, ok
}

// gitHasFlag reports whether a word that begins with "-" may be a flag of the
// command line that starts with the known words, with others perhaps between
// them and it. So after "git" alone a flag of any form is one. It says nothing
// of a value in the next word.
func gitHasFlag(known []string, word string) bool {
	_, at, no := gitGlobals(known, func(string) *Refusal { return nil })
	if no != nil {
		return false
	}
	if at < len(known) {
		form, _, ok := findGitForm(known, at)
		return ok && form.accepts(word)
	}
	return word == "--no-pager" || word == "-C" || word == "--version" || slices.ContainsFunc(gitForms(), func(f gitForm) bool { return f.accepts(word) })
}

// accepts reports whether word is a flag of the form.
func (f gitForm) accepts(word string) bool {
	if word == "--" {
		return true
	}
	l := gitLine{form: f, argv: []string{word, "0"}, dash: -1, judge: func(string) *Refusal { return nil }}
	if len(word) < 2 || word[0] != '-' {
		return false
	}
	_, no := l.flag(0)
	return no == nil || no.Word == 1
}

// gitLine is a command line of git while it is read.
type gitLine struct {
	form  gitForm
	argv  []string
	name  []string
	dir   string
	judge PathJudge

	flags []string // the names of the flags, as the table writes the first
	marks string   // the marks of the flags
	words []int    // the operands before "--"
	after []int    // the operands after it
	dash  int      // where "--" stands, or -1
	start int      // where flags and operands begin
}

// read goes through the words after the name of the form.
func (l *gitLine) read(start int) *Refusal {
	l.start = start
	for i := start; i < len(l.argv); i++ {
		w := l.argv[i]
		switch {
		case l.dash < 0 && w == "--":
			l.dash = i
		case strings.HasPrefix(w, "-") && l.dash >= 0:
			return l.refuse(ReasonOperand, i, "an operand may not begin with a dash")
		case strings.HasPrefix(w, "-"):
			next, no := l.flag(i)
			if no != nil {
				return no
			}
			i = next
		case l.dash >= 0:
			l.after = append(l.after, i)
		default:
			l.words = append(l.words, i)
		}
	}
	return l.judgeOperands()
}

func (l *gitLine) refuse(reason Reason, word int, message string) *Refusal {
	return refuse(reason, word, "git "+strings.Join(l.name, " ")+": "+message)
}

func (l *gitLine) has(flag string) bool { return slices.Contains(l.flags, flag) }

func (l *gitLine) marked(mark string) bool { return strings.Contains(l.marks, mark) }

// askPath asks the judge about a name as it is from the directory of the command.
func (l *gitLine) askPath(name string, word int) *Refusal {
	if l.dir != "" && !strings.HasPrefix(name, "/") {
		// A link could stand where the directory is, and ".." behind it elsewhere.
		if slices.Contains(strings.Split(name, "/"), "..") {
			return l.refuse(ReasonPath, word, "no way up out of the directory of -C")
		}
		name = path.Join(l.dir, name)
	}
	return atWord(l.judge(name), word)
}

// atWord returns a refusal with the index of a word, in a copy of its own.
func atWord(no *Refusal, word int) *Refusal {
	if no == nil {
		return nil
	}
	c := *no
	c.Word = word
	return &c
}
