package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/body"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
)

// verify parses the generated text the way the host does and reports unintended differences: text
// that the host takes for a placeholder, command or file reference, and vice versa.
func (w *writer) verify(src *reader, want []piece, in, out string) {
	paths := map[string]bool{}
	each(want, func(p *piece) {
		if p.form == file && len(p.parts) == 1 {
			paths[p.parts[0].source] = true
		}
	})
	for _, open := range []string{w.syntax.ShellOpen, w.syntax.FileOpen} {
		if !strings.HasSuffix(open, "{") {
			continue
		}
		if _, at := body.Braced(out, open, len(out)); at >= 0 {
			w.reportLoss(0, LossText, fmt.Sprintf("%s treats %s as unclosed markup and does not invoke the definition", w.host, chars.Truncate(out[at:], 60)), "close the brace, or rewrite it")
		}
	}
	dst := &reader{syntax: w.syntax, names: src.names, isFile: func(name string) bool {
		return paths[name] || mayBeFile(name)
	}, canceled: w.it.Canceled}
	if w.syntax.Inputs {
		dst.names = inputs(out)
	}
	got := dst.read(out)
	unintended := w.reportUnintended(want, got)
	if w.risk != "" {
		return
	}
	if w.checkFilled(src, dst, in, out); w.risk != "" || unintended {
		return
	}
	for i := range max(len(want), len(got)) {
		if i < len(want) && i < len(got) && w.equivalent(&want[i], &got[i]) {
			continue
		}
		at, excerpt := 0, ""
		if i < len(want) {
			at, excerpt = want[i].at, chars.Truncate(want[i].source, 60)
		}
		if i < len(got) {
			excerpt = chars.Truncate(got[i].source, 60)
		}
		w.reportLoss(w.it.bodyLine(at), LossText, fmt.Sprintf("%s interprets %s differently from the source format", w.host, excerpt), "rewrite it")
		return
	}
}

// maxMarks is the maximum number of marks reported, and maxCompared is the maximum number of mark
// comparisons.
const (
	maxMarks    = 500
	maxCompared = 4 << 20
)

// reportUnintended reports unintended marks in the generated text and returns true if there are
// any. If one would run a command or include a file, reportUnintended also records a risk.
func (w *writer) reportUnintended(want, got []piece) (found bool) {
	next, compared, named, from := 0, 0, 0, 0
	for i := range got {
		g := &got[i]
		if g.form == text {
			continue
		}
		if compared > maxCompared && w.risk == "" {
			w.risk = w.host + " would interpret too much of the text as markup, so the definition is omitted"
			w.reportLoss(0, LossText, w.risk, "rewrite it")
		}
		if w.risk != "" && named > maxMarks || w.it.canceled() {
			return true
		}
		at := slices.IndexFunc(want[next:], func(m piece) bool { compared++; return m.form != text && w.equivalent(&m, g) })
		if at >= 0 {
			next += at + 1
			continue
		}
		found = true
		if named++; named > maxMarks && g.form != shell && g.form != file {
			continue
		}
		if n := strings.Index(w.it.Body[from:], g.source); n >= 0 {
			from += n
		}
		line := w.it.bodyLine(from)
		message := fmt.Sprintf("%s interprets %s differently from the source format", w.host, chars.Truncate(g.source, 60))
		if w.risk == "" && (g.form == shell || g.form == file && w.risky(g)) {
			effect := "runs it"
			if g.form == file {
				effect = "reads the file"
			}
			w.risk, w.riskLine = fmt.Sprintf("%s treats the text %s as markup and %s, so the definition is omitted", w.host, chars.Truncate(g.source, 60), effect), line
			message = w.risk
		}
		if named <= maxMarks || message == w.risk {
			w.reportLoss(line, LossText, message, "rewrite it")
		}
	}
	if named > maxMarks {
		w.reportLoss(0, LossText, fmt.Sprintf("%s interprets more passages differently (%d)", w.host, named-maxMarks), "rewrite them")
	}
	return found
}

// risky reports whether a file that the host would include may exist. Files outside the project are
// assumed to exist.
func (w *writer) risky(p *piece) bool {
	if len(p.parts) != 1 || p.parts[0].form != text {
		return true
	}
	name := p.parts[0].source
	return w.syntax.FileClose != "" || outsideName(name) || looksLikeFile(w.it.IsFile, name)
}

// outsideName reports whether a path is outside the project or names a hidden file.
func outsideName(name string) bool {
	name = strings.ReplaceAll(strings.Trim(name, `"'`), `\`, "/")
	return strings.HasPrefix(name, "/") || strings.HasPrefix(name, "~") || strings.HasPrefix(name, ".") && !strings.HasPrefix(name, "./") ||
		strings.Contains(name, "/.") || len(name) > 1 && name[1] == ':'
}

// mayBeFile reports whether a path could refer to a file, now or later.
func mayBeFile(name string) bool { return strings.ContainsAny(name, "/.~") }

// equivalent reports whether two pieces have the same effect in their hosts.
func (w *writer) equivalent(want, got *piece) bool {
	if want.form == text || got.form == text {
		return want.form == got.form && want.source == got.source
	}
	x := w.syntax
	switch want.form {
	case shell, file:
		if got.form != want.form || len(want.parts) != len(got.parts) {
			return false
		}
		for i := range want.parts {
			if !w.equivalent(&want.parts[i], &got.parts[i]) {
				return false
			}
		}
		return true
	case variable:
		return got.form == variable && (got.name == want.name || registry.VariableOf(want.name) != host.NoVariable) &&
			registry.VariableOf(want.name) == registry.VariableOf(got.name)
	case all:
		return got.form == all || x.Inputs && got.form == named
	case rest:
		return got.form == rest && got.index == want.index || got.form == all && want.index == 0 ||
			got.form == position && got.index == want.index
	}
	if x.Inputs {
		return got.form == named
	}
	if x.Named && want.form == named {
		return got.form == named && got.name == want.name
	}
	return (got.form == position || got.form == rest) && got.index == want.index
}
