package policy

import "strings"

// gitWords says which kinds of operands a form takes.
type gitWords int

const (
	noWords       gitWords = iota
	revisionWords          // revisions only
	mixedWords             // revisions, then paths; git distinguishes them by checking what exists
	pathWords              // paths only
	freeWords              // patterns for names, which do not refer to files
	patternFirst           // a pattern (unless -e sets one), then operands as in mixedWords
)

func (l *gitLine) judgeOperands() *Refusal {
	f := l.form
	words := l.words
	switch {
	case len(words) > 0 && (f.words == noWords || f.maxOperands > 0 && len(words) > f.maxOperands):
		return l.refuse(ReasonOperand, words[0], "unexpected operand")
	case len(words)+len(l.after) < f.minOperands:
		return l.refuse(ReasonOperand, -1, "missing operand")
	case len(l.after) > 0 && f.words != mixedWords && f.words != pathWords && f.words != patternFirst:
		return l.refuse(ReasonOperand, l.after[0], "paths are not allowed for this subcommand")
	case len(words) > 0 && f.listing && !l.hasMark("@"):
		return l.refuse(ReasonOperand, words[0], "this would create a branch or tag; use --list")
	}
	if f.words == patternFirst && !l.has("-e") && len(words) > 0 {
		words = words[1:]
	}
	for _, i := range words {
		if refusal := l.judgeOperand(i); refusal != nil {
			return refusal
		}
	}
	for _, i := range l.after {
		if refusal := l.judgePathspec(l.argv[i], i); refusal != nil {
			return refusal
		}
	}
	if f.check != nil {
		return f.check(l)
	}
	return nil
}

func (l *gitLine) judgeOperand(i int) *Refusal {
	w := l.argv[i]
	switch l.form.words {
	case freeWords:
		return nil
	case revisionWords:
		return l.judgeRevision(w, i)
	case pathWords:
		return l.judgePathspec(w, i)
	}
	if isPathspecMagic(w) && !strings.HasPrefix(w, ":/") {
		return l.judgePathspec(w, i)
	}
	if refusal := l.judgeRevision(w, i); refusal != nil {
		return refusal
	}
	if strings.HasPrefix(w, ":") {
		return nil // judgeRevision has already checked the path
	}
	return l.askName(asFile(w), i)
}

// judgeRevision checks a revision, or a path in a revision such as HEAD~3:dir/file.
func (l *gitLine) judgeRevision(w string, i int) *Refusal {
	if w == "" {
		return l.refuse(ReasonOperand, i, "empty operand")
	}
	if !l.peelsSafely(w) {
		return l.refuse(ReasonOperand, i, "only ^{commit}, ^{tag}, ^{tree} and ^{/text} are allowed after "+w[:strings.Index(w, "^{")])
	}
	return l.askName(treePath(w), i)
}

// treePath returns the path in REV:path, :path, :0:path and :/path, or "".
func treePath(w string) string {
	at := treeColon(w)
	if at < 0 {
		return ""
	}
	name := w[at+1:]
	switch {
	case at == 0 && strings.HasPrefix(name, "/"):
		return name[1:]
	case at == 0 && len(name) > 1 && name[0] >= '0' && name[0] <= '3' && name[1] == ':':
		return name[2:]
	}
	return name
}

// treeColon returns the index of the colon before a path, or -1. Like git, it ignores colons in
// braces, as in @{10:00}.
func treeColon(w string) int {
	depth := 0
	for i := range len(w) {
		switch {
		case w[i] == '{':
			depth++
		case w[i] == '}' && depth > 0:
			depth--
		case w[i] == ':' && depth == 0:
			return i
		}
	}
	return -1
}

// asFile converts a word that should be a revision to a file name that can be
// checked. Colons and the trailing dots in "main.." belong to the revision
// syntax. Removing them cannot hide a protected name.
func asFile(w string) string {
	w = strings.ReplaceAll(w, ":", "-")
	if t := strings.TrimRight(w, "."); t != "" && !strings.HasSuffix(t, "/") {
		return t
	}
	return w
}

func (l *gitLine) askName(name string, i int) *Refusal {
	if name == "" {
		return nil
	}
	return l.askPath(name, i)
}

// peelsSafely reports whether a revision lacks a ^{…} suffix that could select file contents, whose
// name would be unknown and could not be checked. Only forms that print contents need this check.
func (l *gitLine) peelsSafely(w string) bool {
	if l.form.content == silent {
		return true
	}
	for {
		at := strings.Index(w, "^{")
		if at < 0 {
			return true
		}
		w = w[at+2:]
		if !strings.HasPrefix(w, "commit}") && !strings.HasPrefix(w, "tag}") && !strings.HasPrefix(w, "tree}") && !strings.HasPrefix(w, "/") {
			return false
		}
	}
}

func isPathspecMagic(w string) bool {
	return len(w) > 1 && w[0] == ':' && strings.IndexByte("(/!^", w[1]) >= 0
}

// judgePathspec checks a path or path pattern.
func (l *gitLine) judgePathspec(w string, i int) *Refusal {
	name, excludes, ok := pathspecName(w)
	if !ok {
		return l.refuse(ReasonOperand, i, "the pathspec "+w+" is not allowed; the only allowed magic words are top, exclude, icase, glob and literal")
	}
	if excludes {
		return nil
	}
	return l.askName(name, i)
}

// pathspecName returns the path in a pathspec, without magic. excludes reports whether the pathspec
// excludes files. ok is false if its magic is not allowed.
func pathspecName(w string) (name string, excludes, ok bool) {
	switch {
	case w == "":
		return "", false, false
	case w[0] != ':':
		return w, false, true
	case strings.HasPrefix(w, ":("):
		return longMagic(w[2:])
	}
	at := 1
	for at < len(w) && strings.IndexByte("/!^", w[at]) >= 0 {
		excludes = excludes || w[at] != '/'
		at++
	}
	if at < len(w) && w[at] == ':' {
		at++
	} else if at < len(w) && strings.IndexByte("\"#%&',-;<=>@`~$", w[at]) >= 0 {
		// git reserves these characters for future magic.
		return "", false, false
	}
	return w[at:], excludes, true
}

func longMagic(s string) (name string, excludes, ok bool) {
	magic, name, ok := strings.Cut(s, ")")
	if !ok {
		return "", false, false
	}
	for m := range strings.SplitSeq(magic, ",") {
		switch m {
		case "top", "icase", "glob", "literal":
		case "exclude":
			excludes = true
		default:
			return "", false, false
		}
	}
	return name, excludes, true
}
