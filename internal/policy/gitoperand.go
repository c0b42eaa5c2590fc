package policy

import "strings"

// gitWords says what the operands of a form are.
type gitWords int

const (
	noWords       gitWords = iota
	revisionWords          // revisions only
	mixedWords             // revisions, then paths: git tells them apart by what there is
	pathWords              // paths only
	freeWords              // patterns for names, which open nothing
	patternFirst           // a pattern unless -e gives one, then as mixedWords
)

// judgeOperands judges what is left when the flags are read.
func (l *gitLine) judgeOperands() *Refusal {
	f := l.form
	words := l.words
	switch {
	case len(words) > 0 && (f.words == noWords || f.most > 0 && len(words) > f.most):
		return l.refuse(ReasonOperand, words[0], "an operand too many: this form only lists or reads")
	case len(words)+len(l.after) < f.least:
		return l.refuse(ReasonOperand, -1, "an operand is missing")
	case len(l.after) > 0 && f.words != mixedWords && f.words != pathWords && f.words != patternFirst:
		return l.refuse(ReasonOperand, l.after[0], "no paths in this form")
	case len(words) > 0 && f.listing && !l.marked("@"):
		return l.refuse(ReasonOperand, words[0], "a name here would be created; list with --list")
	}
	if f.words == patternFirst && !l.has("-e") && len(words) > 0 {
		words = words[1:]
	}
	for _, i := range words {
		if no := l.judgeOperand(i); no != nil {
			return no
		}
	}
	for _, i := range l.after {
		if no := l.judgePathspec(l.argv[i], i); no != nil {
			return no
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
	if no := l.judgeRevision(w, i); no != nil {
		return no
	}
	if strings.HasPrefix(w, ":") {
		return nil // the path is judged, and of a file it would be the same
	}
	return l.askName(asFile(w), i)
}

// judgeRevision judges a revision, or a path of one as in HEAD~3:dir/file.
func (l *gitLine) judgeRevision(w string, i int) *Refusal {
	if w == "" {
		return l.refuse(ReasonOperand, i, "an empty operand")
	}
	if !l.peelsToCommit(w) {
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

// treeColon finds a colon as git does: not within braces, as of @{10:00}.
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

// asFile is a word that should be a revision, as a name of a file that a judge
// of paths can read: colons and the dots of "main.." belong to the revision,
// and no protected name is lost with them.
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

// peelsToCommit reports whether no ^{…} of a revision leads to the content of
// a file, which has no name to be judged by. Only forms that print content mind.
func (l *gitLine) peelsToCommit(w string) bool {
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

// judgePathspec judges a path, or a pattern for paths.
func (l *gitLine) judgePathspec(w string, i int) *Refusal {
	name, excludes, ok := pathspecName(w)
	if !ok {
		return l.refuse(ReasonOperand, i, "the pathspec "+w+" is not allowed: top, exclude, icase, glob and literal are")
	}
	if excludes {
		return nil
	}
	return l.askName(name, i)
}

// pathspecName returns the path of a pathspec, without its magic.
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
		// Git keeps these signs for magic to come.
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
