package claude

import (
	"slices"
	"strconv"
	"strings"

	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/shell"
)

// Permission describes how Claude Code checks permissions. The recordings show which commands run
// (cases s01, s02, s03, s05, s13, s14, s17, s20, s22, s33, s34, s37, s40 and s41) and that touch
// runs in mode acceptEdits (case s42). The messages in s04, s09, s10, s15, s16, s18 and s38 are
// recorded. The other messages come from public reports about 2.1.x versions where noted, and are
// otherwise inferred from the recorded messages. The lists of commands and paths come from Claude
// Code's documentation on permissions and permission modes.
func Permission(version string) *host.Permission {
	p := &host.Permission{
		Tool: "Bash", ReadTool: "Read", EditTool: "Edit", MaxText: 10_000, MaxDirs: 5,
		Command: command, Wrapper: wrapper, Assignable: assignable, Guarded: guarded,
		Modes:  modes(),
		Bypass: "bypassPermissions", Edits: "acceptEdits", Silent: "dontAsk",
		Texts: permissionTexts(),
	}
	if version == oldVersion {
		// The only recorded message for this version (case s16) does not distinguish paths inside
		// and outside the working directories.
		p.Texts.Inside = p.Texts.Outside
	}
	return p
}

// modes returns the permission modes (see Claude Code's documentation and the format notes, section
// 3.2).
func modes() []string {
	return []string{"default", "acceptEdits", "auto", "bypassPermissions", "dontAsk", "manual", "plan"}
}

func permissionTexts() host.PermissionTexts {
	return host.PermissionTexts{
		Approval: "This command requires approval", // s38
		Parts: func(parts []string) string {
			part := "part requires"
			if len(parts) > 1 {
				// This plural form is inferred from the message for a single part (case s09).
				part = "parts require"
			}
			return "This Bash command contains multiple operations. The following " + part + " approval: " + strings.Join(parts, ", ")
		},
		Opaque:    opaqueText,
		Evaluates: func(command string) string { return "'" + command + "' evaluates arguments as shell code" },
		Background: "This command uses the `&` background operator, which defers execution past approval-time safety checks. " +
			"Approve only if you trust it.",
		Inside: func(what, path, dirs, _ string) string { // s04
			return what + " '" + path + "' needs approval. The path is inside the working directories for this session (" + dirs +
				"), and Claude Code asks before a shell command creates, changes or removes files there."
		},
		Outside: func(what, path, dirs, verb string) string { // s16, from 2.1.88
			return what + " '" + path + "' was blocked. For security, Claude Code may only " + verb +
				" the allowed working directories for this session: " + dirs + "."
		},
		In: " in",
		// These messages come from public reports.
		Redirection: "Output redirection to", RedirectionVerb: "write to files in",
		Denied: func(command string) string {
			return "Permission to use Bash with command " + command + " has been denied."
		},
		// This message comes from public reports. In Claude Code, it continues with instructions
		// for the model.
		Silent: "Permission to use Bash has been denied because Claude Code is running in don't ask mode.",
		Moved:  "Compound command contains cd with output redirection — manual approval required to prevent path resolution bypass",
		// This text is inferred.
		DeniedTool: "Permission to use Bash has been denied.",
		Asked: func(rule string) string {
			return "Permission rule '" + rule + "' requires approval for this Bash command"
		},
		Entered: "This command changes directory before running git and requires approval",
		More:    func(n int) string { return "and " + strconv.Itoa(n) + " more" },
	}
}

// opaqueText returns the message for a part of a command that Claude Code cannot check. Some
// messages are recorded (cases s10 and s18); the others were observed in 2.1.330.
func opaqueText(o shell.Opaque) string {
	what := ""
	switch o.Kind {
	case shell.OpaqueVariable:
		what = "A variable"
	case shell.OpaqueBraces:
		what = "A variable in braces"
	case shell.OpaqueSubstitution:
		what = "A nested command"
	case shell.OpaqueQuoted:
		what = "Quoted text"
	case shell.OpaqueProcess:
		what = "A command used as a file"
	case shell.OpaqueEscapes:
		what = "Text with escape codes"
	case shell.OpaqueGroup:
		what = "A group in braces or double parentheses"
	case shell.OpaqueFunction:
		what = "A function definition"
	case shell.OpaqueCountingLoop:
		what = "A counting for loop"
	case shell.OpaqueCase:
		what = "A case statement"
	case shell.OpaqueList:
		what = "A list of values"
	case shell.OpaqueAssignment:
		what = "A variable set"
	case shell.OpaqueAssignments:
		what = "Variable assignments"
	case shell.OpaqueSubshellCommands:
		return "This command can't be checked before it runs"
	case shell.OpaqueSubshell:
		return "This command uses shell operators that require approval for safety"
	case shell.OpaqueArithmetic:
		return "Arithmetic expansion references variable or non-literal: " + o.Text
	case shell.OpaqueBraceList:
		return "Brace expansion"
	case shell.OpaqueHeredoc:
		return "Heredoc with unquoted delimiter undergoes shell expansion"
	case shell.OpaqueSelect:
		return "select statement reads stdin into $REPLY; cannot statically model"
	default:
		return ""
	}
	return what + " in this command can't be checked before it runs"
}

// command returns what Claude Code knows about a command. According to the documentation, these
// commands run without a rule: ls, cat, echo, pwd, head, tail, grep, find, wc, which, diff, stat,
// du, cd and read-only forms of git. It is inferred that similar commands also run without a rule.
// The verbs in the messages for ls and touch are known (public reports, s16); all others are
// inferred.
func command(name string) host.ShellCommand {
	switch name {
	case "echo", "pwd", "which", "whoami", "true", "false", "uname", "id", "basename", "dirname", "seq", "expr", "type":
		return host.ShellCommand{Reads: true}
	case "cd":
		return host.ShellCommand{Reads: true, Paths: true, Moves: true, Verb: "change directories to"}
	case "ls":
		return host.ShellCommand{Reads: true, Paths: true, Verb: "list files in"}
	case "find":
		// A prefix rule does not allow -exec and -delete (format notes, section 3.10). It is
		// inferred that this also applies to similar flags, and that an exact rule allows all of
		// these flags.
		return host.ShellCommand{
			Reads: true, Paths: true, Until: true, Leading: "-H -L -P", Verb: "search files in",
			Changing: "-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls",
		}
	case "grep", "egrep", "fgrep":
		return host.ShellCommand{
			Reads: true, Paths: true, Skip: 1, Given: "-e -f --regexp --file", Verb: "search for patterns in files from",
			Values: "-e -f -m -A -B -C -d -D --regexp --file --max-count --include --exclude --exclude-dir --label",
		}
	case "git":
		return host.ShellCommand{Partly: true, Enters: true}
	case "nohup", "nice", "stdbuf", "time", "xargs":
		return host.ShellCommand{NeedsRule: true}
	case "eval", "source", ".", "exec", "trap", "let", "coproc":
		return host.ShellCommand{Evaluates: true}
	case "watch", "setsid", "ionice", "flock":
		// Rules match these programs rather than the commands that they run (format notes, section
		// 3.10). It is inferred that, as with find -exec, an exact rule allows the commands that
		// they run, but a prefix rule does not.
		return host.ShellCommand{Exact: true}
	}
	if c, ok := reader(name); ok {
		return c
	}
	return writer(name)
}

// reader describes a command that is read-only in some or all forms. It returns false for other
// commands.
func reader(name string) (host.ShellCommand, bool) {
	c := host.ShellCommand{Reads: true, Paths: true}
	switch name {
	case "cat":
		c.Verb = "concatenate files from"
	case "head":
		c.Verb, c.Values = "read the beginning of files from", "-n -c --lines --bytes"
	case "tail":
		c.Verb, c.Values = "read the end of files from", "-n -c -s --lines --bytes --pid"
	case "wc":
		c.Verb = "count lines/words/bytes in files from"
	case "diff", "cmp":
		c.Verb, c.Values = "compare files from", "-U -C -W -I -x -X -F"
	case "stat", "du", "file", "readlink", "realpath":
		c.Verb, c.Values = "read the properties of files from", "-c -f -d -B -t --max-depth --format"
	case "cut", "paste", "column", "nl", "tac", "rev", "strings", "od", "hexdump", "comm", "fold":
		c.Verb, c.Values = "read files from", "-d -f -c -b -w -s -t -N -j"
	case "tr", "sleep", "test", "[":
		c.Paths = false
	case "sort", "uniq", "date", "jq":
		return host.ShellCommand{Partly: true}, true
	default:
		return host.ShellCommand{}, false
	}
	return c, true
}

// writer describes a command that the documentation lists for acceptEdits. It returns the zero
// value for other commands.
func writer(name string) host.ShellCommand {
	c := host.ShellCommand{Paths: true, Writes: true, Edits: true}
	switch name {
	case "touch":
		c.Verb, c.Values = "create or modify files in", "-d -t -r --date --reference --time"
	case "mkdir":
		c.Verb, c.Values = "create directories in", "-m --mode"
	case "rm":
		c.Verb = "remove files from"
	case "rmdir":
		c.Verb = "remove directories from"
	case "mv":
		c.Verb, c.Values = "move files to/from", "-S -t --suffix --target-directory"
	case "cp":
		c.Verb, c.Values = "copy files to/from", "-S -t --suffix --target-directory"
	case "sed":
		// Without -i, sed is read-only in the forms listed in Vade's own table.
		c = host.ShellCommand{
			Partly: true, Paths: true, Edits: true, Skip: 1, Given: "-e -f --expression --file", Values: "-e -f -l --expression --file",
			WritesBy: "-i -I --in-place", Verb: "edit files in",
		}
	default:
		return host.ShellCommand{}
	}
	return c
}

// wrapper returns the number of leading words that belong to a wrapper program, which rules skip to
// find the actual command (see Claude Code's documentation on permissions and the format notes,
// section 3.10). command and xargs are recognized only without flags.
func wrapper(words []string) int {
	n := 1
	switch words[0] {
	case "nohup", "builtin", "noglob", "time":
	case "command", "xargs":
		if len(words) > 1 && strings.HasPrefix(words[1], "-") {
			return 0
		}
	case "nice":
		switch {
		case len(words) > 2 && words[1] == "-n":
			n = 3
		case len(words) > 1 && strings.HasPrefix(words[1], "-"):
			n = 2
		}
	case "stdbuf":
		for n < len(words) && strings.HasPrefix(words[n], "-") {
			n++
		}
	case "timeout":
		for n < len(words) && strings.HasPrefix(words[n], "-") {
			if words[n] == "-k" || words[n] == "-s" || words[n] == "--signal" || words[n] == "--kill-after" {
				n++
			}
			n++
		}
		n++
	default:
		return 0
	}
	if n >= len(words) {
		return 0
	}
	return n
}

// assignable reports whether a variable may be set before a command. Claude Code's documentation
// mentions a list of such variables but names only NODE_ENV, LANG and NO_COLOR. The other names are
// inferred.
func assignable(name string) bool {
	switch name {
	case "NODE_ENV", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_TIME", "TZ", "TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR",
		"RUST_BACKTRACE", "RUST_LOG", "GOOS", "GOARCH", "CGO_ENABLED", "GO111MODULE", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE":
		return true
	}
	return false
}

// guarded reports whether a path is in one of the protected directories listed in the documentation
// on permission modes. It applies the documented exceptions in .claude.
func guarded(path string) bool {
	parts := strings.Split(strings.ToLower(path), "/")
	for i, part := range parts {
		switch part {
		case ".git", ".vscode", ".idea", ".husky", ".cargo", ".devcontainer", ".yarn", ".mvn":
			return true
		case ".claude":
			free := []string{"skills", "agents", "commands", "worktrees"}
			if i+1 >= len(parts) || !slices.Contains(free, parts[i+1]) {
				return true
			}
		}
	}
	return false
}
