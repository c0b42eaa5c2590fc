package policy

import (
	"slices"
	"strings"
)

// gitContent describes when a form prints file contents.
type gitContent int

const (
	silent           gitContent = iota // prints no contents, or only those of checked files
	contentByFlag                      // prints contents if a flag marked "!" is given
	contentByDefault                   // prints contents unless a flag marked "~" and no flag marked "!" is given
	contentAlways
)

// The tables below omit flags that start a program, read or write arbitrary files, or access other
// repositories: --ext-diff, --textconv, --output, -O, --no-index, --submodule,
// --ignore-submodules=none, --show-signature, --remerge-diff, --alternate-refs, --stdin. They also
// omit flags that definitions do not need: --relative=PATH, --skip-to, -L, --full-diff and
// --line-prefix.
const (
	gitDiffFlags = "-p|-u|--patch! -s|--no-patch~ -U|--unified:=NUM! -W|--function-context! --patch-with-stat! --patch-with-raw! " +
		"--binary! --check! --word-diff[=plain,porcelain,none]! --word-diff-regex=TEXT! -S=TEXT! -G=TEXT! --find-object=TEXT! --pickaxe-all --pickaxe-regex " +
		"--raw~ --stat[=SCORE]~ --stat-width=NUM --stat-name-width=NUM --stat-count=NUM --stat-graph-width=NUM --compact-summary~ --numstat~ --shortstat~ -X|--dirstat[=WORDS]~ --cumulative~ --dirstat-by-file[=WORDS]~ --summary~ " +
		"--name-only~ --name-status~ --quiet~ --exit-code -z " +
		"--diff-filter=LETTERS --no-renames --rename-empty --no-rename-empty -M|--find-renames[=SCORE] -C|--find-copies[=SCORE] " +
		"-B|--break-rewrites[=SCORE] --find-copies-harder -D|--irreversible-delete -l=NUM -R --relative --no-relative " +
		"-a|--text -b|--ignore-space-change -w|--ignore-all-space --ignore-space-at-eol --ignore-cr-at-eol --ignore-blank-lines " +
		"-I|--ignore-matching-lines=TEXT --inter-hunk-context=NUM --minimal --patience --histogram --anchored=TEXT " +
		"--diff-algorithm=myers,minimal,patience,histogram,default --indent-heuristic --no-indent-heuristic --full-index --abbrev[=NUM] --no-abbrev " +
		"--color:=never,auto --no-color --no-color-moved --no-prefix --default-prefix --no-ext-diff --no-textconv --ignore-submodules[=all] --ita-visible-in-index "

	gitDiffOnlyFlags = "--cached --staged --merge-base --base --ours --theirs "

	gitMergeDiffFlags = "-m! -c! --cc! --diff-merges=off,none,on,m,first-parent,1,separate,combined,c,dense-combined,cc! --no-diff-merges --combined-all-paths "

	diffTreeFlags = "-r -t --root --no-commit-id --always --merge-base -v --pretty[=LOG] --format:=LOG "

	gitSelectFlags = "-n|--max-count=NUM --skip=NUM --since=TEXT --after=TEXT --until=TEXT --before=TEXT --since-as-filter=TEXT --max-age=NUM --min-age=NUM " +
		"--author=TEXT --committer=TEXT --grep=TEXT --grep-reflog=TEXT --all-match --invert-grep -i|--regexp-ignore-case --basic-regexp " +
		"-E|--extended-regexp -F|--fixed-strings -P|--perl-regexp --merges --no-merges --min-parents:=NUM --max-parents:=NUM --no-min-parents --no-max-parents " +
		"--first-parent --not --all --branches[=TEXT] --tags[=TEXT] --remotes[=TEXT] --glob=TEXT --exclude=TEXT --exclude-first-parent-only --ignore-missing " +
		"--cherry-mark --cherry-pick --cherry --left-only --right-only --merge --no-walk[=sorted,unsorted] --do-walk "

	gitOrderFlags = "--date-order --author-date-order --topo-order --reverse --simplify-by-decoration --full-history --dense --sparse --simplify-merges " +
		"--ancestry-path[=TEXT] --show-pulls --remove-empty "

	// gitHistoryFlags lists the flags for listing commits, which print no file contents.
	gitHistoryFlags = gitSelectFlags + gitOrderFlags + "--oneline --pretty[=LOG] --format:=LOG --abbrev-commit --no-abbrev-commit --encoding=TEXT " +
		"--expand-tabs[=NUM] --no-expand-tabs --notes[=TEXT] --no-notes --graph --no-graph --decorate[=short,full,auto,no] --no-decorate --clear-decorations " +
		"--decorate-refs=TEXT --decorate-refs-exclude=TEXT --source --mailmap --no-mailmap --use-mailmap --no-use-mailmap --log-size " +
		"--parents --children --left-right --boundary --date=DATE --relative-date -g|--walk-reflogs --no-show-signature --show-linear-break[=TEXT] " +
		"--stat[=SCORE] --shortstat --numstat --name-only --name-status --no-color --color:=never,auto "

	gitLogFlags = gitDiffFlags + gitMergeDiffFlags + gitHistoryFlags + "--follow --root "
)

// refuseBlobs refuses operands of the form REV:path, because git does not apply pathspecs to them,
// so protected files could not be excluded.
func refuseBlobs(l *gitLine) *Refusal {
	for _, i := range l.words {
		if w := l.argv[i]; !isPathspecMagic(w) && treeColon(w) >= 0 {
			return l.refuse(ReasonOperand, i, w+" is not supported; use REV -- PATH")
		}
	}
	return nil
}

// refuseFollowedContent refuses --follow if the command prints file contents. The file may have had
// a protected name in the past, and --follow does not allow the pathspecs that would exclude that
// name.
func refuseFollowedContent(l *gitLine) *Refusal {
	if l.has("--follow") && l.printsContent() {
		return l.refuse(ReasonFlag, -1, "--follow is not allowed when file contents are printed")
	}
	return nil
}

func (l *gitLine) printsContent() bool {
	switch l.form.content {
	case contentByFlag:
		return l.hasMark("!")
	case contentByDefault:
		return l.hasMark("!") || !l.hasMark("~")
	case contentAlways:
		return true
	}
	return false
}

func (l *gitLine) result(exclude []string) []string {
	argv := append([]string{"git"}, l.name...)
	specs := pathspecsAgainst(exclude)
	guarded := l.printsContent() && len(specs) > 0
	if guarded && l.listsAllCommits() {
		// With pathspecs, git omits commits that do not affect matching files. These flags keep all
		// commits.
		argv = append(argv, "--full-history", "--sparse")
	}
	rest := slices.Clone(l.argv[l.start:])
	for _, i := range l.operands() {
		rest[i-l.start] = l.commitOnly(rest[i-l.start])
	}
	if l.form.head && len(l.words) == 0 && !l.hasAnyOf("--all", "--branches", "--tags", "--remotes") {
		at := len(rest)
		if l.dash >= 0 {
			at = l.dash - l.start
		}
		rest = slices.Insert(rest, at, "HEAD")
	}
	argv = append(argv, rest...)
	switch {
	case !guarded:
		return argv
	case l.dash >= 0:
	case len(l.operands()) == 0:
		argv = append(argv, "--")
	default:
		// Only git can tell which operands are paths; it treats every word after the first path as
		// a path. Start with a pathspec that cannot be mistaken for a revision. This pathspec does
		// not exclude anything, because git never commits a file named .git.
		argv = append(argv, ":(top,exclude,glob)**/.git")
	}
	return append(argv, specs...)
}

func (l *gitLine) hasAnyOf(flags ...string) bool {
	return slices.ContainsFunc(flags, l.has)
}

// operands returns the words before "--" that are revisions or paths.
func (l *gitLine) operands() []int {
	if l.form.words == patternFirst && !l.has("-e") && len(l.words) > 0 {
		return l.words[1:]
	}
	return l.words
}

// listsAllCommits reports whether the command lists commits and no operand limits the list to
// commits that affect certain paths. Without "--", an operand counts as a path if it does not look
// like a revision, except in git show, where it is assumed to be a revision.
func (l *gitLine) listsAllCommits() bool {
	if !l.form.listsCommits || len(l.after) > 0 {
		return false
	}
	if l.form.content == contentByDefault {
		return true
	}
	return !slices.ContainsFunc(l.words, func(i int) bool { return l.dash < 0 && !looksLikeRevision(l.argv[i]) })
}

func looksLikeRevision(w string) bool {
	switch {
	case isPathspecMagic(w), strings.HasPrefix(w, "."), strings.Contains(w, "*"):
		return false
	case strings.Contains(w, ".."), strings.ContainsAny(w, "~^@"), isHexName(w), strings.HasSuffix(w, "HEAD"):
		return true
	}
	return slices.Contains([]string{"main", "master", "develop", "origin/main", "origin/master", "origin/develop"}, w)
}

// commitOnly appends ^{commit} to a hexadecimal object name, so that the name can refer only to a
// commit. Otherwise, the name could refer to the contents of a file whose path is unknown and
// therefore cannot be checked. git show prints such contents regardless of its flags.
func (l *gitLine) commitOnly(w string) string {
	if l.form.content != contentByDefault && l.form.content != contentAlways {
		return w
	}
	if at := strings.LastIndex(w, "-g"); at > 0 && isHexName(w[at+2:]) || isHexName(w) {
		return w + "^{commit}"
	}
	return w
}

func isHexName(w string) bool {
	return len(w) >= 4 && strings.Trim(w, "0123456789abcdefABCDEF") == ""
}

// pathspecsAgainst converts gitignore patterns to pathspecs that exclude matching files and
// directories at any depth, including everything below them.
func pathspecsAgainst(patterns []string) []string {
	var list []string
	for _, p := range patterns {
		p = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(p), "/"), "/**")
		p = strings.TrimPrefix(strings.TrimLeft(p, "/"), "**/")
		if p == "" || p[0] == '!' || p[0] == '#' {
			continue
		}
		p = ":(top,exclude,icase,glob)**/" + p
		list = append(list, p, p+"/**")
	}
	return list
}
