package policy

import (
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/coreutils"
)

// Call describes how to run a program on the read-only allowlist.
type Call struct {
	// Argv is the command line. For git, the runner adds options that harden it.
	Argv []string
	// Tool is the program's name.
	Tool string
	// Dir is the directory to run in, relative to the command's working directory. It replaces
	// git's -C and may be "".
	Dir string
	// Paths lists the paths that a read-only program may access. Access is the kind of access
	// allowed.
	Paths  []string
	Access coreutils.Access
	// If NeutralDir is set, the program runs in a directory outside the project, so that files in
	// the project cannot affect it.
	NeutralDir bool
}

// judgeGit parses a command line as git does and returns the command line to run instead. paths
// checks each path. A git command is allowed if it only reads and does not start programs or make
// network requests. Every flag must be in a table (see gitFormOf). For commands that print file
// contents, judgeGit adds pathspecs that hide files matching exclude, a list of gitignore patterns.
// It ignores "!pattern" entries in that list, so it may exclude more than necessary.
func judgeGit(argv []string, paths PathJudge, exclude []string) (*Call, *Refusal) {
	for i, w := range argv {
		if strings.ContainsRune(w, 0) {
			return nil, refuse(ReasonText, i, "git: a word contains a NUL byte")
		}
	}
	dir, at, refusal := gitGlobals(argv, paths)
	if refusal != nil {
		return nil, refusal
	}
	if at == len(argv) {
		return nil, refuse(ReasonCommand, -1, "git: missing subcommand")
	}
	if argv[at] == "--version" && at+1 == len(argv) {
		return gitCall(dir, []string{"git", "--version"}), nil
	}
	form, after, ok := findGitForm(argv, at)
	if !ok {
		return nil, refuse(ReasonCommand, at, "git "+argv[at]+": not on the read-only allowlist")
	}
	l := gitLine{form: form, argv: argv, name: argv[at:after], dir: dir, judge: paths, dash: -1}
	if refusal := l.read(after); refusal != nil {
		return nil, refusal
	}
	return gitCall(dir, l.result(exclude)), nil
}

func gitCall(dir string, argv []string) *Call {
	return &Call{Argv: argv, Tool: "git", Dir: dir}
}

func refuse(reason Reason, word int, message string) *Refusal {
	return &Refusal{Reason: reason, Word: word, Message: message}
}

func gitGlobals(argv []string, paths PathJudge) (dir string, at int, refusal *Refusal) {
	for at = 1; at < len(argv); at++ {
		switch w := argv[at]; {
		case w == "--no-pager":
		case w == "-C" && dir == "" && at+1 < len(argv):
			at++
			dir = argv[at]
			if dir == "" || dir[0] == '-' {
				return "", 0, refuse(ReasonOperand, at, "git -C: missing directory")
			}
			if refusal := paths(dir); refusal != nil {
				return "", 0, withWord(refusal, at)
			}
		case w == "--version" || !strings.HasPrefix(w, "-"):
			return dir, at, nil
		default:
			message := w + " is not allowed before the subcommand"
			if w == "-C" {
				message = "-C must be used once, with a directory"
			}
			return "", 0, refuse(ReasonFlag, at, "git: "+message)
		}
	}
	return dir, at, nil
}

// findGitForm returns the form selected by the words that start at index at. A two-word form takes
// precedence over a one-word form. after is the index of the first flag or operand.
func findGitForm(argv []string, at int) (form gitForm, after int, ok bool) {
	if at+1 < len(argv) {
		if form, ok = gitFormOf(argv[at] + " " + argv[at+1]); ok {
			return form, at + 2, true
		}
	}
	form, ok = gitFormOf(argv[at])
	return form, at + 1, ok
}

// gitHasFlag reports whether word, which begins with "-", may be a flag in a command line that
// starts with the known words. Other words may come in between. After "git" alone, word may be a
// flag of any subcommand. If the flag's value is in the next word, gitHasFlag does not check the
// value.
func gitHasFlag(known []string, word string) bool {
	_, at, refusal := gitGlobals(known, func(string) *Refusal { return nil })
	if refusal != nil {
		return false
	}
	if at < len(known) {
		form, _, ok := findGitForm(known, at)
		return ok && form.accepts(word)
	}
	return word == "--no-pager" || word == "-C" || word == "--version" || slices.ContainsFunc(gitForms(), func(f gitForm) bool { return f.accepts(word) })
}

// accepts reports whether word is "--" or one of the form's flags.
func (f gitForm) accepts(word string) bool {
	if word == "--" {
		return true
	}
	l := gitLine{form: f, argv: []string{word, "0"}, dash: -1, judge: func(string) *Refusal { return nil }}
	if len(word) < 2 || word[0] != '-' {
		return false
	}
	_, refusal := l.flag(0)
	return refusal == nil || refusal.Word == 1
}

// gitLine is a git command line being parsed.
type gitLine struct {
	form  gitForm
	argv  []string
	name  []string
	dir   string
	judge PathJudge

	flags []string // the flags given, each by its first name in the table
	marks string   // the marks of these flags
	words []int    // operands before "--"
	after []int    // operands after "--"
	dash  int      // index of "--", or -1
	start int      // index of the first flag or operand
}

// read parses the words from index start, which follow the form's name, and checks the operands.
func (l *gitLine) read(start int) *Refusal {
	l.start = start
	for i := start; i < len(l.argv); i++ {
		w := l.argv[i]
		switch {
		case l.dash < 0 && w == "--":
			l.dash = i
		case strings.HasPrefix(w, "-") && l.dash >= 0:
			return l.refuse(ReasonOperand, i, "an operand must not begin with a dash")
		case strings.HasPrefix(w, "-"):
			next, refusal := l.flag(i)
			if refusal != nil {
				return refusal
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

func (l *gitLine) hasMark(mark string) bool { return strings.Contains(l.marks, mark) }

// askPath checks the path called name, which is in the word at index word. With -C, relative paths
// are resolved against the -C directory.
func (l *gitLine) askPath(name string, word int) *Refusal {
	if l.dir != "" && !strings.HasPrefix(name, "/") {
		// The -C directory may be a symlink. A ".." after it would then not lead to the parent
		// directory that the joined path names.
		if slices.Contains(strings.Split(name, "/"), "..") {
			return l.refuse(ReasonPath, word, "a path with .. is not allowed together with -C")
		}
		name = path.Join(l.dir, name)
	}
	return withWord(l.judge(name), word)
}

// withWord returns a copy of a refusal that refers to the word at the given index.
func withWord(refusal *Refusal, word int) *Refusal {
	if refusal == nil {
		return nil
	}
	c := *refusal
	c.Word = word
	return &c
}
