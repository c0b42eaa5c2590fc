package commands

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/pathmatch"
)

// Program says where an interpreter takes its program from.
type Program struct {
	// Lang is the language: sh, ps1, bat, py, js, pl, rb, php, lua or scpt.
	Lang string
	// Stdin: from its standard input. Text and File are indices of the words that
	// are the program or name it; 0 where there is none.
	Stdin      bool
	Text, File int
}

// Interpreter returns the language that a program interprets; "" for others. The name
// is that of [ProgramName].
func Interpreter(name string) string {
	switch name {
	case "sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "csh", "tcsh", "mksh", "rbash":
		return "sh"
	case "pwsh", "powershell":
		return "ps1"
	case "cmd":
		return "bat"
	case "python", "pypy", "pythonw", "ipython":
		return "py"
	case "node", "nodejs", "bun", "deno", "tsx", "ts-node":
		return "js"
	case "perl":
		return "pl"
	case "ruby":
		return "rb"
	case "php":
		return "php"
	case "lua", "luajit":
		return "lua"
	case "osascript":
		return "scpt"
	}
	if base := strings.TrimRight(name, "0123456789."); base != name && base != "" && (base == "python" || base == "pypy" || base == "perl" || base == "ruby" || base == "php" || base == "lua") {
		return Interpreter(base)
	}
	return ""
}

// ProgramName returns the name of a program without its directory and ending, in
// small letters.
func ProgramName(word string) string {
	if i := strings.LastIndexAny(word, `/\`); i >= 0 && i < len(word)-1 {
		dir := word[:i+1]
		word = word[i+1:]
		if strings.ContainsAny(word, "?*[") && strings.HasPrefix(dir, "/") {
			word = globbed(word)
		}
	}
	word = strings.ToLower(word)
	for _, end := range []string{".exe", ".com", ".cmd"} {
		if len(word) > len(end) && strings.HasSuffix(word, end) {
			return word[:len(word)-len(end)]
		}
	}
	return word
}

// globbed returns the program that a pattern in a directory of programs means, of
// those that matter.
func globbed(pattern string) string {
	m, _ := pathmatch.Compile([]string{"/" + pattern}, pathmatch.Options{})
	for _, name := range []string{"bash", "sh", "zsh", "dash", "curl", "wget", "python3", "python", "perl", "node", "base64", "nc", "cat"} {
		if m.Match(name, false) {
			return name
		}
	}
	return pattern
}

// ProgramOf says where a command takes its program from, if it is one of an
// interpreter, or eval or source.
func ProgramOf(words []string) (p Program, ok bool) {
	if len(words) == 0 {
		return p, false
	}
	name := ProgramName(words[0])
	if name == "source" || name == "." {
		if len(words) < 2 {
			return p, false
		}
		p = Program{Lang: "sh", File: 1}
		p.fromFile(words[1])
		return p, true
	}
	p.Lang = Interpreter(name)
	switch p.Lang {
	case "":
		return p, false
	case "bat":
		for i := 1; i < len(words); i++ {
			if flag := strings.ToLower(words[i]); flag == "/c" || flag == "/k" || strings.HasPrefix(flag, "/c") {
				p.Text = i + 1
				return p, i+1 < len(words)
			}
		}
		return p, true
	case "ps1":
		p.powershell(words)
		return p, true
	case "js":
		if len(words) > 1 && slices.Contains([]string{"run", "eval", "x", "test", "install", "add", "exec", "fmt", "lint", "task", "compile", "check", "info", "repl", "i", "create", "build", "remove", "update", "pm", "link", "outdated", "publish", "upgrade", "init", "serve", "cache", "doc", "bundle", "types", "jupyter", "lsp", "vendor", "completions", "help"}, words[1]) {
			switch words[1] {
			case "run":
				p.operand(words, 2, "", "")
			case "eval":
				p.Text = 2
			}
			return p, true
		}
		p.operand(words, 1, "ep", "r")
	case "py":
		p.operand(words, 1, "c", "WXm")
	case "sh":
		p.operand(words, 1, "c", "oO")
	case "php":
		p.operand(words, 1, "r", "dc")
	case "scpt":
		p.operand(words, 1, "e", "l")
	case "lua":
		p.operand(words, 1, "e", "l")
	default:
		// The name of a module follows its letter: -MLWP::Simple, -ropen-uri.
		p.operand(words, 1, "eE", "IMmr")
	}
	return p, true
}

func (p *Program) fromFile(name string) {
	switch name {
	case "-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0":
		p.File, p.Stdin = 0, true
	}
}

// operand reads options: those in text take the program as their value, those in
// value something else.
func (p *Program) operand(words []string, from int, text, value string) {
	stdin := false
	for i := from; i < len(words); i++ {
		w := words[i]
		switch {
		case w == "-" || w == "--" && i+1 == len(words):
			p.Stdin = true
			return
		case w == "--":
			if p.Stdin = stdin; !stdin {
				p.File = i + 1
			}
			return
		case strings.HasPrefix(w, "--"):
			flag, _, has := strings.Cut(w, "=")
			switch flag {
			case "--eval", "--print", "--run", "--command":
				if !has {
					p.Text = i + 1
				} else {
					p.Text = i
				}
				return
			case "--version", "--help":
				return
			case "--rcfile", "--init-file", "--require", "--import", "--loader":
				if !has {
					i++
				}
			}
		case len(w) > 1 && (w[0] == '-' || w[0] == '+'):
			letters := w[1:]
			at := strings.IndexAny(letters, text+value)
			switch {
			case at >= 0 && strings.IndexByte(text, letters[at]) >= 0:
				if p.Lang != "sh" && at+1 < len(letters) && letters[at+1] != 'n' {
					p.Text = i
					return
				}
				p.Text = i + 1
				// Other options may stand between -c and its text.
				for p.Lang == "sh" && p.Text+1 < len(words) && len(words[p.Text]) > 1 && words[p.Text][0] == '-' {
					p.Text++
				}
				if p.Text >= len(words) {
					p.Text = 0
				}
				return
			case at >= 0 && p.Lang == "py" && letters[at] == 'm':
				return
			case at >= 0 && at+1 == len(letters):
				i++
			case p.Lang == "sh" && strings.IndexByte(letters, 's') >= 0 && w[0] == '-':
				stdin = true
			case letters == "v" || letters == "V" || letters == "h":
				return
			}
		default:
			if stdin {
				p.Stdin = true
				return
			}
			p.File = i
			p.fromFile(w)
			return
		}
	}
	p.Stdin = true
}

func (p *Program) powershell(words []string) {
	for i := 1; i < len(words); i++ {
		w := strings.ToLower(words[i])
		if !strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "/") {
			if strings.HasSuffix(w, ".ps1") {
				p.File = i
			} else {
				p.Text = i
			}
			return
		}
		w = w[1:]
		switch {
		case w == "":
			p.Stdin = true
			return
		case w == "c" || strings.HasPrefix("command", w) && len(w) > 2:
			p.Text = i + 1
		case w == "f" || w == "file":
			p.File = i + 1
		case IsEncodedFlag(w):
			p.Text = i + 1
		case strings.HasPrefix("executionpolicy", w) && len(w) > 1 || w == "ep", strings.HasPrefix("windowstyle", w), w == "version", strings.HasPrefix("workingdirectory", w) && len(w) > 1, strings.HasPrefix("outputformat", w), strings.HasPrefix("inputformat", w) && len(w) > 1, w == "configurationname":
			i++
			continue
		default:
			continue
		}
		if p.Text >= len(words) {
			p.Text = 0
		}
		if p.File >= len(words) {
			p.File = 0
		}
		if p.Text > 0 && words[p.Text] == "-" {
			p.Text, p.Stdin = 0, true
		}
		return
	}
	p.Stdin = true
}

// IsEncodedFlag reports whether a flag of PowerShell, without its dash and in small
// letters, is -EncodedCommand or a short form of it.
func IsEncodedFlag(flag string) bool {
	return flag == "e" || flag == "ec" || flag == "enc" || len(flag) > 2 && strings.HasPrefix("encodedcommand", flag)
}
