package export

import (
	"fmt"
	"strconv"
	"strings"
)

// unsupported adds a loss for an argument placeholder that the host does not support. It returns ""
// and false, which the caller can return as its own results.
func (w *writer) unsupported(p *piece, problem, fix string) (string, bool) {
	w.reportLoss(w.it.bodyLine(p.at), LossArgument, fmt.Sprintf("%s %s, so %s is left as is", w.host, problem, p.source), fix)
	return "", false
}

func (w *writer) argument(p *piece, inner bool) (string, bool) {
	x := w.syntax
	if x == nil {
		return w.unsupported(p, "does not expand arguments in this kind of file", "describe the arguments in words")
	}
	if p.by && (x.Named || x.Positions) {
		w.reportLoss(w.it.bodyLine(p.at), LossArgument,
			fmt.Sprintf("%s takes the argument %s by position, not as %s=VALUE", w.host, p.name, p.name), "tell users to pass it by position")
	}
	switch {
	case p.form == all && inner && x.ShellAll != "":
		return x.ShellAll, true
	case p.form == all && x.All != "":
		return x.All, true
	case p.form == all && x.Inputs:
		return w.input(p, "arguments")
	case p.form == named && x.Named && isWord(p.name):
		return "$" + p.name, true
	case p.form == named && x.Inputs:
		return w.input(p, p.name)
	case p.form == position && x.Inputs:
		return w.numberedInput(p)
	case p.form == rest:
		return w.rest(p)
	case p.form != all && x.Positions && p.index >= 0:
		untyped, fix := w.missingArgument(p)
		switch {
		case x.Rest && p.index == w.highest:
			if untyped != "" {
				untyped = ", and " + untyped
			}
			w.reportLoss(w.it.bodyLine(p.at), LossArgument,
				fmt.Sprintf("in %s, the last positional argument, $%d, also takes all remaining words%s", w.host, p.index+x.Base, untyped), "pass no more words than the body has placeholders"+fix)
		case untyped != "" && !x.Rest:
			w.reportLoss(w.it.bodyLine(p.at), LossArgument, "in "+w.host+", "+untyped, "pass an argument for each placeholder"+fix)
		}
		return w.numbered(p.index), true
	}
	fix := "describe the arguments in words"
	if x.All != "" {
		fix = "use one placeholder for all arguments"
	}
	return w.unsupported(p, "does not support this argument placeholder", fix)
}

// missingArgument returns a warning and a fix if the source's host and the target host treat a
// placeholder for a missing argument differently. Claude Code leaves the placeholder as is; other
// hosts remove it.
func (w *writer) missingArgument(p *piece) (problem, fix string) {
	from := w.it.Syntax
	switch {
	case p.form != position || from == nil || from.Scanned == w.syntax.Scanned:
		return "", ""
	case from.Scanned:
		return "a placeholder with no argument expands to an empty string instead of being left as is", ", and write text such as $5 in words"
	}
	return "a placeholder with no argument is left as is instead of expanding to an empty string", ""
}

// numbered returns the placeholder for one argument. Claude Code ignores the short form, as in
// "$0", if a word character follows it. In that case, numbered uses the bracketed form.
func (w *writer) numbered(index int) string {
	if x := w.syntax; x.Scanned && w.follows != "" && isWord("a"+w.follows[:1]) {
		return x.All + "[" + strconv.Itoa(index+x.Base) + "]"
	}
	return "$" + strconv.Itoa(index+w.syntax.Base)
}

// rest returns a placeholder for a range of arguments. It returns false if the host does not have
// such placeholders.
func (w *writer) rest(p *piece) (string, bool) {
	x := w.syntax
	switch {
	case x.Slices && p.count < 0:
		return "${@:" + strconv.Itoa(p.index+1) + "}", true
	case x.Slices:
		return fmt.Sprintf("${@:%d:%d}", p.index+1, p.count), true
	case p.index == 0 && p.count < 0 && x.All != "":
		return x.All, true
	case x.Rest && p.count < 0 && p.index == w.highest:
		return w.numbered(p.index), true
	case x.Inputs:
		return w.numberedInput(p)
	case p.count < 0 && x.Positions:
		w.reportLoss(w.it.bodyLine(p.at), LossArgument, fmt.Sprintf("%s replaces %s with one word, not with all remaining words", w.host, p.source), "quote arguments that contain spaces")
		return w.numbered(p.index), true
	}
	return w.unsupported(p, "has no placeholder for a range of arguments", "use one placeholder for all arguments")
}

func (w *writer) input(p *piece, name string) (string, bool) {
	made := "${input:" + name + "}"
	if !p.by {
		w.reportLoss(w.it.bodyLine(p.at), LossArgument,
			fmt.Sprintf("%s fills %s only from %s=VALUE; other arguments are appended to the prompt, and %s is left as is",
				w.host, p.source, name, made), "type "+name+"=…")
	}
	return made, true
}

// numberedInput returns a named placeholder for a positional argument. It takes the name from the
// source's argument hint, if there is one. If the position is higher than the number of arguments
// in the hint, the placeholder is probably a price, so numberedInput reports it and leaves it as
// is.
func (w *writer) numberedInput(p *piece) (string, bool) {
	switch {
	case len(w.hinted) == 0 || p.index < 0:
		return w.input(p, "argument"+strconv.Itoa(p.index+1))
	case p.index < len(w.hinted):
		return w.input(p, w.hinted[p.index])
	}
	return w.unsupported(p, "supports only the arguments named in argument-hint", "name the argument in argument-hint; write text such as $5 in words")
}

func isWord(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}
