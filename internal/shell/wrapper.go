package shell

import (
	"path"
	"slices"
	"strings"
	"sync"
)

// wrapper describes a program that runs a command given as arguments and shares its own streams
// with that command.
type wrapper struct {
	names string
	// values lists the one-letter options that take a value.
	values string
	// assigns reports whether NAME=value can precede the command. operands is
	// the number of operands before the command.
	assigns  bool
	operands int
}

var wrappers = [...]wrapper{
	{"sudo doas", "ughpCrtTUDRc", true, 0},
	{"env", "uSC", true, 0},
	{
		"nohup setsid command builtin time chronic unbuffer torify torsocks proxychains proxychains4 busybox toybox caffeinate eatmydata " +
			"fakeroot setarch noglob nocorrect winpty", "fowt", false, 0,
	},
	{"exec", "a", false, 0},
	{"arch", "e", false, 0},
	{"nice ionice chrt taskset", "ncp", false, 0},
	{"stdbuf", "ioe", false, 0},
	{"timeout gtimeout chroot flock", "ks", false, 1},
	{"xargs gxargs", "IdnPLEasJR", false, 0},
}

// wrapperByName maps program names to their entries in wrappers.
var wrapperByName = sync.OnceValue(func() map[string]*wrapper {
	table := map[string]*wrapper{}
	for i := range wrappers {
		for name := range strings.FieldsSeq(wrappers[i].names) {
			table[name] = &wrappers[i]
		}
	}
	return table
})

// IsWrapper reports whether a program runs the command in its arguments. name
// is lowercase and has no directory.
func IsWrapper(name string) bool { return wrapperByName()[name] != nil }

// IsShell reports whether a program is a shell. name is lowercase and has no directory.
func IsShell(name string) bool {
	return slices.Contains([]string{"sh", "bash", "dash", "zsh", "ksh", "fish"}, name)
}

// ScriptOf returns the script in a command line such as bash -lc SCRIPT. ok is false unless the
// command line starts a shell with a script and nothing else.
func ScriptOf(words []string) (script string, ok bool) {
	if len(words) != 3 || !IsShell(path.Base(words[0])) {
		return "", false
	}
	// None of these letters takes a value, so the script is the next word.
	flags, ok := strings.CutPrefix(words[1], "-")
	return words[2], ok && strings.HasSuffix(flags, "c") && strings.Trim(flags, "ceilux") == ""
}

// Wrapped returns the index of the wrapped command's first word, or 0 if the
// program is not a wrapper or runs nothing.
func Wrapped(name string, words []string) int {
	w := wrapperByName()[name]
	if w == nil || name == "command" && len(words) > 1 && (words[1] == "-v" || words[1] == "-V") {
		return 0
	}
	return SkipOptions(words, w.values, w.assigns, w.operands)
}

// SkipOptions returns the index of the first word after the options and operands, or 0. letters
// lists the options that take a value. If assigns is set, NAME=value can precede that word.
func SkipOptions(words []string, letters string, assigns bool, operands int) int {
	for i := 1; i < len(words); i++ {
		w := words[i]
		switch {
		case w == "--":
		case strings.HasPrefix(w, "--"):
			switch w {
			case "--user", "--group", "--unset", "--chdir", "--signal", "--kill-after", "--replace", "--max-args", "--max-procs", "--delimiter",
				"--host", "--prompt":
				i = min(i+1, len(words)-1)
			}
		case len(w) > 1 && w[0] == '-':
			if len(w) == 2 && strings.IndexByte(letters, w[1]) >= 0 {
				i++
			}
		case assigns && IsAssignment(w):
		case operands > 0:
			operands--
		default:
			return i
		}
	}
	return 0
}
