package transcript

import (
	"path"
	"strings"
)

// The reasons to ask a person first that are options of a program.
const (
	riskWrites = "an option of it writes a file or changes some"
	riskStarts = "an option of it starts or loads something else"
)

// optionRisk says why the options of a command make it one that a person confirms, or
// "": those that write where they are told to, start another program, load code or
// settings, or send. It is our own list, of options that many programs have and of those
// that a few programs spell in their own way.
func optionRisk(words []string) string {
	name, sub := path.Base(words[0]), at(words, 1)
	writes, starts := ownOptions(name, sub)
	common := true
	switch name {
	case "kubectl", "oc", "helm", "aws", "az", "gcloud", "docker", "podman", "git", "grep", "test", "[", "echo", "printf":
		// What these call so is something else, or is judged by itself.
		common = false
	}
	for i, w := range words[1:] {
		option, value, _ := strings.Cut(w, "=")
		if len(option) < 2 || option[0] != '-' {
			continue
		}
		if value == "" {
			value = at(words, i+2)
		}
		switch {
		case value == "/dev/null" && isOption(option, writes, name):
			// Thrown away.
		case isOption(option, writes, name):
			return riskWrites
		case isOption(option, starts, name):
			return riskStarts
		case !common || !strings.HasPrefix(option, "--"):
		case hasWord("--output --output-file --out --outfile --out-file --outdir --out-dir --output-dir --output-directory --outputdir --report-file --log-file --logfile --target-dir --basetemp --junitxml --junit-xml --html-report --write --fix --fix-only --unsafe-fixes --in-place --inplace --overwrite --delete --remove --prune --clean --force --updatesnapshot --snapshot-update --remote-name", strings.ToLower(option)):
			return riskWrites
		case hasWord("--upload --upload-file --publish --push --deploy --send --submit", strings.ToLower(option)):
			return riskSends
		case hasWord("--exec --exec-batch --execute --eval --command --shell --script-shell --run-under --run_under --init-script --python-executable --pre --web --editor --pager --config --config-file --configfile --plugin --plugins --plugin-search-dir --rulesdir --require --import --loader --preload --rcfile --install-types --manifest-path --globalsetup --setupfiles", strings.ToLower(option)):
			return riskStarts
		}
	}
	switch name {
	case "wget":
		printed := false
		for i, w := range words[1:] {
			printed = printed || strings.HasPrefix(w, "-") && strings.HasSuffix(w, "O-") || w == "-O" && at(words, i+2) == "-" || w == "--output-document=-"
		}
		if !printed {
			return riskWrites
		}
	case "sed", "gsed":
		if sedWrites(words) {
			return riskWrites
		}
	case "awk", "gawk", "mawk", "nawk":
		if all := strings.Join(words[1:], " "); strings.Contains(all, "system(") || strings.Contains(all, "| \"") || strings.Contains(all, "|\"") || strings.Contains(all, "getline") {
			return riskStarts
		} else if strings.Contains(all, "> \"") || strings.Contains(all, ">\"") || strings.Contains(all, "inplace") {
			return riskWrites
		}
	}
	return ""
}

// ownOptions are the options of one program that write, and those that start or load.
func ownOptions(name, sub string) (writes, starts string) {
	switch name {
	case "go":
		return "-o -coverprofile -cpuprofile -memprofile -blockprofile -mutexprofile -trace -outputdir -w -fix -pkgdir -fuzz -modcache -c", "-exec -toolexec -vettool -overlay -modfile -ldflags -gcflags -asmflags -gccgoflags -gccgo -compiler -C"
	case "git":
		return "--output --in-place", "-c --exec-path --config-env --ext-diff --exec --upload-pack --receive-pack --open-files-in-pager -O --edit --template"
	case "gofmt", "goimports":
		return "-w -cpuprofile -memprofile", ""
	case "staticcheck", "golangci-lint":
		return "", "-c --enable-plugins"
	case "sed", "gsed":
		return "-i --in-place", ""
	case "perl", "ruby":
		return "-i", ""
	case "sort", "tree":
		return "-o", "--compress-program"
	case "curl":
		return "-o -O -J -D -c --dump-header --cookie-jar --trace --trace-ascii --remote-name-all --output-dir", "-K"
	case "wget":
		return "-a -P --append-output --directory-prefix --mirror -m -r", "--use-askpass --execute -e"
	case "find":
		return "-delete -fprint -fprint0 -fprintf -fls", "-exec -execdir -ok -okdir"
	case "fd", "fdfind":
		return "", "-x -X"
	case "rg":
		return "", "--pre --hostname-bin"
	case "gh":
		return "-D --dir", "-w"
	case "eslint":
		return "-o --init", "-c"
	case "jest", "vitest":
		return "-u", "-c -r"
	case "pytest":
		return "", "-c -p -o"
	case "prettier":
		return "-w", ""
	case "cargo":
		return "", "-Z"
	case "make", "gmake", "rake", "just", "task", "mage", "ninja", "cmake", "ctest":
		return "", "-f -C -I -d --file --makefile --directory --include-dir --justfile --taskfile --rakefile"
	case "gradle", "mvn":
		return "", "-I -b -f -s"
	}
	return "", ""
}

// isOption reports whether an option is one of a list, in a way in which a program reads
// it: long ones shortened, short ones with others or with their value behind them, and
// with one hyphen or two where the program takes both.
func isOption(option, list, name string) bool {
	if len(option) < 2 || option[0] != '-' {
		return false
	}
	whole := name == "find"
	if name == "go" || name == "gofmt" || name == "goimports" {
		whole = true
		option = "-" + strings.TrimPrefix(strings.TrimLeft(option, "-"), "test.")
	}
	for o := range strings.FieldsSeq(list) {
		switch {
		case option == o:
			return true
		case whole:
		case strings.HasPrefix(o, "--"):
			if len(option) > 3 && strings.HasPrefix(o, option) {
				return true
			}
		case len(o) == 2 && option[1] != '-':
			// Before it there may be other letters, behind it its value.
			letters := option[1:]
			if i := strings.IndexFunc(letters, func(r rune) bool { return (r|0x20 < 'a' || r|0x20 > 'z') && (r < '0' || r > '9') }); i >= 0 {
				letters = letters[:i]
			}
			if strings.HasPrefix(option, o) || len(letters) < 6 && strings.Contains(letters, o[1:]) {
				return true
			}
		}
	}
	return false
}

// sedWrites reports whether a script of sed writes a file or runs a command: "w" and "e"
// are commands and flags of it.
func sedWrites(words []string) bool {
	for _, w := range words[1:] {
		if strings.HasPrefix(w, "-") || len(w) > 4<<10 {
			continue
		}
		for part := range strings.FieldsFuncSeq(w, func(r rune) bool { return r == ';' || r == '\n' || r == '{' || r == '}' }) {
			part = strings.TrimLeft(part, " \t0123456789,$!")
			if strings.HasPrefix(part, "w ") || strings.HasPrefix(part, "W ") || part == "e" || strings.HasPrefix(part, "e ") {
				return true
			}
			if strings.HasPrefix(part, "/") {
				// An address, then a command.
				if i := strings.LastIndexByte(part, '/'); i > 0 {
					if tail := strings.TrimLeft(part[i+1:], "I "); strings.HasPrefix(tail, "w ") || tail == "e" || strings.HasPrefix(tail, "e ") {
						return true
					}
				}
			}
			if len(part) > 2 && part[0] == 's' {
				rest := part[1:]
				sign := rest[:1]
				if i := strings.LastIndex(rest, sign); i > 0 {
					flags := rest[i+1:]
					if before, _, ok := strings.Cut(flags, " "); ok && strings.Contains(before, "w") || strings.ContainsAny(flags, "e") && strings.Trim(flags, "egpiImM0123456789") == "" {
						return true
					}
				}
			}
		}
	}
	return false
}

// hasWord reports whether a word stands in a list with blanks between.
func hasWord(list, word string) bool {
	for w := range strings.FieldsSeq(list) {
		if w == word {
			return true
		}
	}
	return false
}

// tameOptions are the options with which a program and its subcommand read, build or
// test, and do nothing else, with a blank between them; ok is false for a program that
// is allowed in no form. One of two hyphens may have a value behind "=". What is not in
// the list gets no rule.
func tameOptions(words []string) (list string, ok bool) {
	second := at(words, 1)
	switch words[0] {
	case "git":
		switch {
		case hasWord("diff log show blame shortlog", second):
			return "--stat --shortstat --numstat --name-only --name-status --cached --staged --oneline --graph --all --decorate --format --pretty --no-merges --merges --follow --reverse --patch -p -s -w -b -n -U -M -L -S --since --until --author --grep --abbrev-commit --no-color --color --word-diff --summary --check --no-ext-diff --no-textconv --no-pager --", true
		case second == "add":
			return "-A --all -u --update -v --verbose --intent-to-add -N --", true
		}
	case "go":
		switch {
		case hasWord("build doc list test vet", second):
			return "-v -x -n -run -skip -race -count -short -timeout -bench -benchtime -benchmem -cover -json -failfast -parallel -cpu -tags -list -shuffle -trimpath -f -m -deps -all -u -src -p", true
		}
	case "cargo":
		if hasWord("build check clippy doc test", second) {
			return "--release --all --workspace --all-targets --all-features --no-default-features --features --lib --bins --bin --tests --test --examples --doc --no-run --no-fail-fast --locked --offline --frozen --quiet --verbose -q -v -j -p --package --message-format --nocapture --exact --ignored --no-deps --", true
		}
		return "--check --all --", second == "fmt" && mention(words, " --check")
	case "gh":
		third := at(words, 2)
		if second == "pr" && hasWord("checks diff list status view", third) || second == "issue" && hasWord("list view", third) || second == "run" && hasWord("list view watch", third) {
			return "--json --jq --limit -L --state --label --author --assignee --search --comments --log --log-failed --exit-status --watch --name-only --patch --job --branch", true
		}
	case "ruff":
		return "--check --diff --quiet -q --select --ignore --exclude --output-format --no-cache --statistics", second == "check" || second == "format" && mention(words, " --check", " --diff")
	case "dotnet", "swift":
		return "--no-restore --no-build --configuration --verbosity -v --nologo --filter --parallel", second == "build" || second == "test"
	case "golangci-lint":
		return "--timeout -v --new --fast --max-same-issues --max-issues-per-linter --no-config", second == "run"
	case "black", "rustfmt":
		return "--check --diff --quiet -q --fast --verbose -v --edition", mention(words, " --check")
	case "gofmt", "goimports":
		return "-l -d -s -e", true
	case "prettier":
		return "--check -c --list-different -l --log-level", mention(words, " --check", " --list-different", " -l", " -c")
	case "eslint", "jest", "mypy", "pytest", "shellcheck", "staticcheck", "tsc", "vitest":
		return "-v -q -s -x -k -m -vv -xvs -vs -xv -t -f -S --quiet --verbose --ext --max-warnings --no-cache --cache --color --no-color --ci --coverage --runinband --silent --bail --maxfail --tb --lf --ff --durations --strict --ignore-missing-imports --show-error-codes --noemit --pretty --skiplibcheck --run --reporter --testpathpattern --testnamepattern --severity --format --no-header --co", true
	case "make", "just", "task", "mage":
		return "-j -k -s -n -B -v --silent --keep-going --dry-run --no-print-directory", true
	case "npm", "pnpm", "yarn", "bun":
		return "-s --silent --if-present -r --recursive", true
	case "mvn", "gradle", "ninja", "tox", "nox", "rake":
		return "-q --quiet -v --verbose -j -B --batch-mode --info --stacktrace --offline -e --no-daemon --parallel -T", true
	case "bazel":
		return "--test_output", hasWord("build test query cquery", second)
	case "composer", "mix", "dart", "flutter":
		return "--no-interaction --quiet -v --verbose --no-pub", hasWord("test analyze validate compile check", second)
	case "python", "python3", "node", "ruby", "bash", "sh", "deno", "perl", "php":
		// The options are the script's own: only that they say what they do is judged.
		return "", isScript(second)
	}
	return "", strings.Contains(words[0], "/") && isScript(words[0])
}

// isTame reports whether all options of a command are among those of a list.
func isTame(words []string, list string) bool {
	if strings.Contains(words[0], "/") || runsScripts(words[0]) {
		return true
	}
	both := words[0] == "go" || words[0] == "gofmt" || words[0] == "goimports" || words[0] == "staticcheck"
	for _, w := range words[1:] {
		option, _, _ := strings.Cut(strings.ToLower(w), "=")
		switch {
		case len(w) < 2 || w[0] != '-', hasWord(list, strings.TrimSuffix(w, "=")), strings.HasPrefix(w, "--") && hasWord(list, option):
			continue
		case both:
			if option, _, _ = strings.Cut(w, "="); hasWord(list, "-"+strings.TrimLeft(option, "-")) {
				continue
			}
		case strings.Trim(w[1:], "0123456789") == "" && words[0] == "git", len(w) > 2 && w[1] != '-' && strings.Trim(w[2:], "0123456789") == "" && hasWord(list, w[:2]):
			// A number, and a letter with one.
			continue
		}
		return false
	}
	return true
}
