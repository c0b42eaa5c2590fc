package policy

import (
	"slices"
	"strings"
)

// gitForm is one read-only form of a git command.
type gitForm struct {
	name         string
	flags        string // flag table; see gitFlag
	letters      bool   // short flags can be combined
	number       bool   // accepts a number such as -5 as a flag
	words        gitWords
	minOperands  int  // minimum number of operands
	maxOperands  int  // maximum number of operands before "--"; 0 for no limit
	listing      bool // accepts operands, which are patterns, only with a flag marked "@"
	content      gitContent
	listsCommits bool // lists commits, which path operands can limit
	head         bool // reads stdin if no revision is given, so HEAD is added
	check        func(*gitLine) *Refusal
}

// gitForms returns the read-only forms of git commands. A form's name has a second word if that
// word determines what the command does, as in "stash list".
func gitForms() []gitForm {
	return []gitForm{
		{name: "status", flags: statusFlags, letters: true, words: pathWords},
		{name: "diff", flags: gitDiffFlags + gitDiffOnlyFlags, words: mixedWords, content: contentByDefault, check: refuseBlobs},
		{name: "diff-tree", flags: gitDiffFlags + gitMergeDiffFlags + diffTreeFlags, words: mixedWords, minOperands: 1, content: contentByFlag, check: refuseBlobs},
		{name: "diff-index", flags: gitDiffFlags + "--cached -m ", words: mixedWords, minOperands: 1, content: contentByFlag, check: refuseBlobs},
		{name: "diff-files", flags: gitDiffFlags + "-q ", words: mixedWords, content: contentByFlag, check: refuseBlobs},
		{name: "log", flags: gitLogFlags, number: true, words: mixedWords, content: contentByFlag, listsCommits: true, check: refuseFollowedContent},
		{name: "whatchanged", flags: gitLogFlags, number: true, words: mixedWords, content: contentByFlag, listsCommits: true, check: refuseFollowedContent},
		{name: "show", flags: gitLogFlags, number: true, words: mixedWords, content: contentByDefault, listsCommits: true, check: refuseFollowedContent},
		{name: "reflog", flags: gitHistoryFlags, number: true, words: revisionWords, check: refuseReflogChange},
		{name: "reflog show", flags: gitHistoryFlags, number: true, words: revisionWords, check: refuseReflogChange},
		{name: "stash list", flags: gitHistoryFlags, number: true},
		{name: "shortlog", flags: shortlogFlags, letters: true, number: true, words: mixedWords, head: true},
		{name: "blame", flags: blameFlags, words: mixedWords, minOperands: 1, maxOperands: 3},
		{name: "grep", flags: grepFlags, letters: true, number: true, words: patternFirst, content: contentAlways, check: refuseBlobs},
		{name: "rev-list", flags: revListFlags, number: true, words: mixedWords},
		{name: "rev-parse", flags: revParseFlags, words: mixedWords},
		{name: "merge-base", flags: "-a|--all --octopus --is-ancestor --independent --fork-point ", words: revisionWords, minOperands: 1},
		{name: "name-rev", flags: "--name-only --tags --refs=TEXT --exclude=TEXT --all --undefined --no-undefined --always ", words: revisionWords},
		{name: "describe", flags: describeFlags, words: revisionWords},
		{name: "cherry", flags: "-v|--verbose --abbrev[=NUM] ", words: revisionWords, maxOperands: 3},
		{name: "branch", flags: branchFlags + gitListFlags, letters: true, words: freeWords, listing: true},
		{name: "tag", flags: "-n[=NUM] --points-at?=REV@ " + gitListFlags, letters: true, words: freeWords, listing: true},
		{name: "for-each-ref", flags: forEachRefFlags, words: freeWords},
		{name: "show-ref", flags: showRefFlags, letters: true, words: freeWords},
		{name: "symbolic-ref", flags: "-q|--quiet --short --no-recurse ", words: freeWords, minOperands: 1, maxOperands: 1},
		{name: "remote", flags: "-v|--verbose "},
		{name: "remote get-url", flags: "--all --push ", words: freeWords, minOperands: 1, maxOperands: 1},
		{name: "remote show", flags: "-n ", words: freeWords, check: refuseRemoteQuery},
		{name: "worktree list", flags: "--porcelain -v|--verbose -z "},
		{name: "ls-files", flags: lsFilesFlags, letters: true, words: pathWords},
		{name: "ls-tree", flags: lsTreeFlags, letters: true, words: mixedWords, minOperands: 1},
		{name: "check-ignore", flags: "-q|--quiet -v|--verbose -n|--non-matching --no-index ", letters: true, words: pathWords, minOperands: 1},
		{name: "check-attr", flags: "-a|--all --cached ", words: pathWords, minOperands: 1},
		{name: "cat-file", flags: "-t -s -e ", words: revisionWords, minOperands: 1, maxOperands: 1, check: requireQueryFlag},
		{name: "count-objects", flags: "-v|--verbose -H|--human-readable ", letters: true},
		{name: "config", flags: configFlags, words: freeWords, minOperands: 1, maxOperands: 1, check: harmlessKey},
		{name: "version", flags: "--build-options "},
	}
}

func gitFormOf(name string) (gitForm, bool) {
	for _, f := range gitForms() {
		if f.name == name {
			return f, true
		}
	}
	return gitForm{}, false
}

const (
	statusFlags = "-s|--short -b|--branch --show-stash --ahead-behind --no-ahead-behind --porcelain[=1,2,v1,v2] --long " +
		"-z|--null -u|--untracked-files[=all,normal,no] --ignored[=traditional,matching,no] --ignore-submodules[=all] " +
		"--column[=never,auto,column,row,plain,dense,nodense] --no-column --no-renames --renames -M|--find-renames[=SCORE] "

	describeFlags = "--contains --all --tags --long --first-parent --abbrev[=NUM] --no-abbrev --exact-match --candidates=NUM " +
		"--match=TEXT --exclude=TEXT --always --dirty[=TEXT] "

	branchFlags = "--points-at=REV@ -v|--verbose -q|--quiet -r|--remotes -a|--all --show-current --abbrev[=NUM] --no-abbrev "

	// Flags marked "@" make git branch and git tag list names. Without such a flag, an operand is
	// the name of a branch or tag to create.
	gitListFlags = "-l|--list@ --contains?=REV@ --no-contains?=REV@ --merged?=REV@ --no-merged?=REV@ " +
		"--sort=KEY --format=ATOMS --color:=never,auto --no-color -i|--ignore-case --omit-empty " +
		"--column[=never,auto,column,row,plain,dense,nodense] --no-column "

	forEachRefFlags = "--count=NUM --format=ATOMS --sort=KEY --color:=never,auto --no-color --ignore-case --omit-empty " +
		"--points-at=REV --merged?=REV --no-merged?=REV --contains?=REV --no-contains?=REV --exclude=TEXT "

	showRefFlags = "--tags --heads --branches --verify --exists --head -d|--dereference -s|--hash[=NUM] --abbrev[=NUM] -q|--quiet "

	lsFilesFlags = "-z -t -v -c|--cached -d|--deleted -m|--modified -o|--others -i|--ignored -s|--stage -k|--killed --directory " +
		"--no-empty-directory --eol -u|--unmerged --resolve-undo -x|--exclude=TEXT --exclude-standard --full-name --error-unmatch " +
		"--with-tree=REV --abbrev[=NUM] --deduplicate --sparse "

	lsTreeFlags = "-d -r -t -z -l|--long --name-only --name-status --object-only --full-name --full-tree --abbrev[=NUM] "

	shortlogFlags = "-c|--committer -n|--numbered -s|--summary -e|--email -w[=WORDS] --group=TEXT --format:=LOG --all --branches[=TEXT] --tags[=TEXT] " +
		"--remotes[=TEXT] --since=TEXT --after=TEXT --until=TEXT --before=TEXT --author=TEXT --grep=TEXT --max-count=NUM " +
		"--merges --no-merges --first-parent --date=DATE "

	blameFlags = "-b --root --show-stats --score-debug -f|--show-name -n|--show-number -p|--porcelain --line-porcelain --incremental " +
		"-c -t -l -s -e|--show-email -w --ignore-rev=REV --minimal -C[=SCORE] -M[=SCORE] -L=TEXT --abbrev[=NUM] --no-abbrev --date=DATE " +
		"--first-parent --since=TEXT --reverse --no-progress "

	// The table omits -O and -f, which open a program or a file, and --no-index.
	grepFlags = "--cached -v|--invert-match -i|--ignore-case -w|--word-regexp -a|--text -I -r|--recursive " +
		"--max-depth=NUM -E|--extended-regexp -G|--basic-regexp -F|--fixed-strings -P|--perl-regexp -n|--line-number --column " +
		"-h -H --full-name -l|--files-with-matches|--name-only -L|--files-without-match -z|--null -o|--only-matching -c|--count " +
		"--color:=never,auto --no-color --break --heading -C|--context=NUM -B|--before-context=NUM -A|--after-context=NUM " +
		"-p|--show-function -W|--function-context -e=TEXT --and --or --not --all-match -q|--quiet -m|--max-count=NUM --no-textconv " +
		"--no-recurse-submodules --exclude-standard "

	revListFlags = gitSelectFlags + gitOrderFlags + "--count --children --parents --left-right --boundary --header --timestamp --objects --no-object-names " +
		"--abbrev-commit --no-abbrev-commit --abbrev[=NUM] --pretty[=LOG] --format:=LOG --no-commit-header --oneline --date=DATE --disk-usage --quiet "

	revParseFlags = "--verify -q|--quiet --short[=NUM] --abbrev-ref[=strict,loose] --symbolic --symbolic-full-name --not --revs-only --no-revs --flags --no-flags " +
		"--all --branches[=TEXT] --tags[=TEXT] --remotes[=TEXT] --glob:=TEXT --exclude:=TEXT --disambiguate:=TEXT --since:=TEXT --after:=TEXT --until:=TEXT --before:=TEXT " +
		"--git-dir --absolute-git-dir --git-common-dir --show-toplevel --show-prefix --show-cdup --show-object-format[=storage,input,output] --show-ref-format " +
		"--is-inside-git-dir --is-inside-work-tree --is-bare-repository --is-shallow-repository --git-path=TEXT --path-format:=absolute,relative "

	configFlags = "--get --local -z|--null --bool --int --type=bool,int,bool-or-int --default=TEXT "
)

// refuseReflogChange refuses all subcommands of git reflog except show.
func refuseReflogChange(l *gitLine) *Refusal {
	for _, i := range l.words {
		switch l.argv[i] {
		case "expire", "delete", "drop", "exists", "list", "write", "migrate":
			return l.refuse(ReasonCommand, i, "only git reflog show is allowed")
		}
	}
	return nil
}

// refuseRemoteQuery refuses git remote show NAME without -n, because git would contact the remote.
func refuseRemoteQuery(l *gitLine) *Refusal {
	if len(l.words) > 0 && !l.has("-n") {
		return l.refuse(ReasonFlag, l.words[0], "without -n, git contacts the remote")
	}
	return nil
}

// requireQueryFlag requires exactly one of -t, -s and -e for cat-file, because cat-file otherwise
// prints contents.
func requireQueryFlag(l *gitLine) *Refusal {
	if len(l.flags) != 1 {
		return l.refuse(ReasonFlag, -1, "exactly one of -t, -s and -e is required")
	}
	return nil
}

// harmlessKey allows only the few configuration keys whose values contain no commands and, apart
// from URLs, no secrets.
func harmlessKey(l *gitLine) *Refusal {
	key := l.argv[l.words[0]]
	section, name := strings.ToLower(key), ""
	if at := strings.LastIndexByte(key, '.'); at >= 0 {
		section, name = strings.ToLower(key[:at]), strings.ToLower(key[at+1:])
	}
	section, sub, _ := strings.Cut(section, ".")
	allowed := ""
	switch {
	case section == "user" && sub == "":
		allowed = "name email"
	case section == "init" && sub == "":
		allowed = "defaultbranch"
	case section == "core" && sub == "":
		allowed = "bare ignorecase filemode autocrlf"
	case section == "remote" && sub != "":
		allowed = "url fetch"
	case section == "branch" && sub != "":
		allowed = "remote merge"
	}
	if !slices.Contains(strings.Fields(allowed), name) {
		return l.refuse(ReasonOperand, l.words[0], "reading the key "+key+" is not allowed")
	}
	return nil
}
