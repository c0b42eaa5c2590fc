package transcript

import (
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/coreutils"
	"github.com/vadehq/vade/internal/shell"
)

// judged is what one simple command means for what the skill may do.
type judged struct {
	// shape is the program with its subcommand: what stays the same when it is run
	// again with other arguments.
	shape string
	words []string
	// rule allows it and not more than its program can harmlessly do, or "".
	rule string
	// exact: the rule is for this very command.
	exact bool
	// reads: it only reads, and needs no rule.
	reads bool
	// risk says why a person has to be asked first, or "".
	risk string
	// why says why there is no rule, or "".
	why string
}

// ran is what a shell text consists of. ok is false where it can not be read.
func ran(command string) (list []judged, writes []string, ok bool) {
	o, err := shell.NewOutline(command)
	if err != nil {
		return nil, nil, false
	}
	odd := false
	for _, kind := range o.Opaque {
		odd = odd || kind == shell.OpaqueOther || kind == shell.OpaqueSubstitution
	}
	certain := !conditional(command)
	for i, c := range o.Commands {
		for _, r := range c.Redirects {
			if r.Writes && r.File.Text != "/dev/null" && !strings.HasPrefix(r.File.Text, "&") {
				writes = append(writes, r.File.Text)
			}
		}
		var words []string
		for _, w := range c.Words {
			words = append(words, w.Text)
		}
		if len(words) == 0 {
			continue
		}
		j := judge(words)
		switch {
		case j.rule == "":
		case odd:
			j.rule, j.why = "", "it stood in a text with parts that only show when it runs"
		case !certain && i > 0:
			j.rule, j.why = "", "whether it ran depended on another command"
		case len(c.Assigns) > 0:
			j.rule, j.why = "", "variables were set for it"
		}
		if i > 0 && strings.Contains(command, "|") && j.risk == "" && runsScripts(path.Base(words[0])) && fetches(list) {
			j.rule, j.risk = "", riskUnknown
		}
		list = append(list, j)
	}
	return list, writes, true
}

// fetches reports whether a command before gets something from the network.
func fetches(list []judged) bool {
	for _, j := range list {
		if name := path.Base(j.words[0]); name == "curl" || name == "wget" {
			return true
		}
	}
	return false
}

// fetchedFiles are the last names of files that commands of a session fetched from
// elsewhere: what is named in them, behind an option or a ">" or at the end of an address.
func fetchedFiles(items []Item) map[string]bool {
	found := map[string]bool{}
	for _, it := range items {
		if it.Call == nil || it.Call.Kind != Command || !strings.Contains(it.Call.Command, "curl") && !strings.Contains(it.Call.Command, "wget") || len(found) > 1000 {
			continue
		}
		parts, writes, _ := ran(it.Call.Command)
		for i, p := range parts {
			if !fetches(parts[i : i+1]) {
				continue
			}
			// An address names a file where it is kept under its last name.
			named := path.Base(p.words[0]) == "wget" || slices.ContainsFunc(p.words, func(w string) bool {
				return isOption(w, "-O --remote-name --remote-name-all", "curl")
			})
			for _, w := range p.words[1:] {
				if strings.Contains(w, "://") && !named {
					continue
				}
				if end := strings.IndexAny(w, "?#"); end >= 0 {
					w = w[:end]
				}
				w = strings.TrimPrefix(strings.TrimPrefix(w, "--output="), "--output-document=")
				if len(w) > 2 && (w[:2] == "-o" || w[:2] == "-O") {
					w = w[2:]
				}
				if !strings.HasPrefix(w, "-") && strings.Trim(w, "/.") != "" {
					found[path.Base(w)] = true
				}
			}
		}
		if fetches(parts) {
			for _, w := range writes {
				found[path.Base(w)] = true
			}
		}
	}
	delete(found, "null")
	return found
}

// conditional reports whether a part of a text runs only if another one fails, or in a
// construct of the shell.
func conditional(command string) bool {
	begins := true
	for _, t := range tokens(command) {
		if t.written == "||" {
			return true
		}
		if t.word && begins {
			switch t.text {
			case "if", "while", "until", "for", "case", "select", "function", "{", "!", "then", "do":
				return true
			}
		}
		if t.word || t.ends {
			begins = t.ends
		}
	}
	return false
}

// judge judges one simple command by its words.
func judge(words []string) judged {
	j := judged{words: words}
	bare := words
	switch {
	case words[0] == "time" && len(words) > 1:
		bare = words[1:]
	case words[0] == "timeout" && len(words) > 2 && !strings.HasPrefix(words[1], "-"):
		bare = words[2:]
	}
	name := path.Base(bare[0])
	j.shape = shapeOf(bare)
	if j.risk = risk(bare); j.risk != "" {
		return j
	}
	if isReading(bare) {
		j.reads = true
		return j
	}
	if n := harmless(bare); n > 0 {
		j.rule = "Bash(" + strings.Join(bare[:n], " ") + ":*)"
		return j
	}
	switch {
	case !exactable(bare):
		j.why = "nothing narrow enough says what it does"
		if j.shape == "git commit" {
			j.why = "a rule for it would let older commits be changed, too"
		}
		if isStarter(name) || runsScripts(name) {
			j.why = "it runs other programs"
		}
	default:
		j.rule, j.exact = "Bash("+strings.Join(bare, " ")+")", true
	}
	return j
}

// isReading reports whether a command is one of those that only read and that every host
// runs without asking, or that the shell itself does.
func isReading(words []string) bool {
	switch words[0] {
	case "cd", "true", "false", "test", "[", "echo", "printf", "pwd", "sleep", "wait", ":", "exit", "set", "pushd", "popd", "which", "type", "command":
		return words[0] != "command" || at(words, 1) == "-v"
	case "xargs", "env", "find", "tee":
		return false
	}
	_, known := coreutils.Lookup(words[0])
	return known && words[0] != "git"
}

// harmless is how many words of a command make a prefix under which nothing can be
// written, run, deleted, sent or published, whatever options stand behind it, or 0. It is
// our own list, and a short one: git's diff, log and show write the file of --output and
// start programs, go test runs what -exec names, and a commit may be --amend.
func harmless(words []string) int {
	switch second := at(words, 1); {
	case words[0] == "git" && second == "status":
		return 2
	case words[0] == "docker" && (second == "images" || second == "logs" || second == "ps"):
		return 2
	}
	return 0
}

// exactable reports whether a command may be allowed just as it ran: one that reads,
// builds or tests, a target or a script of the project, in plain words and with options
// that are known to do no more.
func exactable(words []string) bool {
	if len(words) > 8 {
		return false
	}
	for _, w := range words {
		if w == "" || len(w) > 80 || strings.HasPrefix(w, "/") || strings.HasPrefix(w, "~") || climbs(w) || strings.HasSuffix(w, ":") {
			return false
		}
		for i := range len(w) {
			if !isNameByte(w[i]) && strings.IndexByte("/=:+~%", w[i]) < 0 {
				return false
			}
		}
		if pairIn(w) || w == "-c" || w == "-e" {
			return false
		}
	}
	if list, ok := tameOptions(words); !ok || !isTame(words, list) {
		return false
	}
	second := at(words, 1)
	switch words[0] {
	case "make", "just", "task", "mage":
		return !strings.HasPrefix(second, "-") && !mention(words, "=")
	case "npm", "pnpm", "yarn", "bun":
		return (second == "run" || second == "test" || second == "ci" || second == "build" || second == "lint") && len(words) < 4
	case "mvn", "gradle", "bazel", "ninja", "tox", "nox", "rake", "composer", "mix", "dart", "flutter":
		// With colons Maven names a plugin, which it fetches.
		return second != "" && !strings.HasPrefix(second, "-") && !(words[0] == "mvn" && mention(words, ":"))
	}
	return true
}

// climbs reports whether a word has a path in it that goes up. Three full stops are a
// pattern of a build, and two between names a range.
func climbs(word string) bool {
	for part := range strings.FieldsFuncSeq(word, func(r rune) bool { return r == '/' || r == '=' || r == ':' }) {
		if part == ".." {
			return true
		}
	}
	return false
}

// isScript reports whether a word is the path of a script of the project.
func isScript(word string) bool {
	return strings.ContainsAny(word, "/.") && !strings.HasPrefix(word, "-") && !strings.HasPrefix(word, "/")
}

// shapeOf is the program of a command with its subcommand.
func shapeOf(words []string) string {
	name := path.Base(words[0])
	n := 1
	switch name {
	case "git", "go", "cargo", "npm", "pnpm", "yarn", "bun", "kubectl", "helm", "terraform", "make", "just", "brew", "apt", "apt-get", "pip", "pip3", "uv", "poetry", "dotnet", "swift", "systemctl", "ruff", "mvn", "gradle", "vade", "rustup", "bundle", "rails":
		n = 2
	case "gh", "docker", "podman", "aws", "gcloud", "az", "glab":
		n = 3
		if second := at(words, 1); (name == "docker" || name == "podman") && second != "compose" && second != "image" && second != "container" && second != "volume" && second != "network" {
			n = 2
		}
	case "python", "python3", "node", "bash", "sh", "ruby", "npx", "uvx":
		if word := at(words, 1); word != "" && !strings.HasPrefix(word, "-") {
			n = 2
		}
	}
	if (name == "npm" || name == "pnpm" || name == "yarn" || name == "bun") && at(words, 1) == "run" {
		n = 3
	}
	shape := []string{name}
	for _, w := range words[1:min(n, len(words))] {
		if strings.HasPrefix(w, "-") {
			break
		}
		shape = append(shape, w)
	}
	return strings.Join(shape, " ")
}
