package export

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/body"
)

// part is the text that one item contributes to a combined instruction file.
type part struct {
	lossList
	text string
	// lines holds the text's nonblank lines.
	lines []string
}

// merge adds the combined instruction files to the output.
func (c *composer) merge() {
	for _, to := range c.order {
		items := c.parts[to]
		// The file's existing text comes first.
		slices.SortStableFunc(items, func(a, b *Item) int { return boolOrder(a.Source == to, b.Source == to) })
		var parts []part
		for _, it := range items {
			if p, ok := c.written(to, it); ok {
				parts = append(parts, p)
			}
		}
		parts = dedupe(c.owned(to, parts))
		if len(parts) == 0 {
			continue
		}
		var texts, sources []string
		for _, p := range parts {
			texts, sources = append(texts, p.text), append(sources, p.it.Source)
			c.out.Losses = append(c.out.Losses, p.losses...)
		}
		f := ExportedFile{Path: to, Data: []byte(strings.Join(texts, "\n\n") + "\n"), Kind: definition.Instruction, Name: to, Source: sources[0], Main: true}
		switch {
		case len(parts) > 1:
			f.Sources = sources
		case sources[0] == to:
			f.Data = c.raw(parts[0].it)
		}
		c.out.Files = append(c.out.Files, f)
	}
}

// written returns the text that an item adds to a combined instruction file, or false if it adds
// none.
func (c *composer) written(to string, it *Item) (p part, ok bool) {
	p.it = it
	if it.Source == to {
		p.imports(c, to, it.Body, it.bodyLine)
		p.text = unix(it)
		p.lines = linesIn(p.text)
		return p, p.text != ""
	}
	text, blanked := c.unimported(it, unix(it))
	if lines := linesIn(text); len(lines) == 0 || slices.ContainsFunc(c.inPlace,
		func(o *Item) bool { return covers(linesIn(o.Body), lines) }) {
		return part{}, false
	}
	c.reportLostFields(&p.lossList)
	begin := len(it.Body) - len(strings.TrimLeft(it.Body, " \t\r\n"))
	if text, ok = c.escapeImports(&p.lossList, text); !ok {
		c.out.Losses = append(c.out.Losses, p.losses...)
		return part{}, false
	}
	text = c.relinked(&p.lossList, to, text, func(offset int) int {
		return it.bodyLine(begin) + strings.Count(text[:min(offset, len(text))], "\n")
	})
	if len(blanked) > 0 {
		left := strings.Split(text, "\n")
		for i, n := range blanked {
			left = slices.Delete(left, n-i, n-i+1)
		}
		text = strings.TrimSpace(strings.Join(left, "\n"))
	}
	p.text, p.lines = text, linesIn(text)
	return p, true
}

// unimported blanks each line that only imports another instruction file for the whole project,
// because the output includes that file anyway. blanked lists the zero-based numbers of the blanked
// lines.
func (c *composer) unimported(it *Item, text string) (out string, blanked []int) {
	if !strings.Contains(text, "@") {
		return text, nil
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		name, ok := strings.CutPrefix(strings.TrimSpace(line), "@")
		if ok && c.isWhole(path.Join(path.Dir(it.Source), name)) {
			lines[i], blanked = "", append(blanked, i)
		}
	}
	return strings.Join(lines, "\n"), blanked
}

func (c *composer) isWhole(file string) bool {
	return slices.ContainsFunc(c.wholes, func(o *Item) bool {
		return o.Source == file && len(o.Agents) == 0 && !strings.Contains(path.Base(file), ".local.")
	})
}

// owned decides which parts to keep if the project already has a file at this path. That file may
// be the result of an earlier export, so owned drops its text if the other parts contain all or
// most of it. Conversely, owned drops the other parts if the file contains all or most of their
// text.
func (c *composer) owned(to string, parts []part) []part {
	if len(parts) < 2 || parts[0].it.Source != to {
		return parts
	}
	existing, rest := &parts[0], parts[1:]
	others := slices.DeleteFunc(slices.Clone(rest), func(p part) bool {
		return covers(existing.lines, p.lines) || c.imports(existing, p.it.Source)
	})
	otherLines, restLines := allLines(others), allLines(rest)
	switch missing := without(existing.lines, restLines); {
	case len(others) == 0:
		return parts[:1]
	case existing.it.Explicit:
	case covers(restLines, existing.lines):
		return rest
	case 2*len(missing) < len(existing.lines):
		problem, line := existing.absent(missing)
		l := lossList{it: existing.it}
		l.reportLoss(line, LossText, fmt.Sprintf("this file looks like an earlier copy of %s: %s", sourcesOf(rest), problem),
			"add the missing text to "+rest[0].it.Source+", or keep this file as it is with --name "+to)
		c.out.Losses = append(c.out.Losses, l.losses...)
		return rest
	case 2*len(without(otherLines, existing.lines)) < len(otherLines):
		for _, p := range others {
			l := lossList{it: p.it}
			problem, line := p.absent(without(p.lines, existing.lines))
			l.reportLoss(line, LossText, fmt.Sprintf("%s contains most of this text and is not changed: %s", to, problem), "add the missing text to "+to+", or generate it from this file with --name "+p.it.Source)
			c.out.Losses = append(c.out.Losses, l.losses...)
		}
		return parts[:1]
	case existing.it.Whole:
		if i := slices.IndexFunc(others, func(p part) bool { return p.it.Whole }); i >= 0 {
			existing.reportLoss(0, LossText, fmt.Sprintf("this file is itself an instruction file, so the text of %s is appended to it", sourcesOf(others)),
				"if this file is an earlier copy, export only the other file: --name "+others[i].it.Source)
		}
	}
	return append([]part{*existing}, others...)
}

func allLines(parts []part) []string {
	var all []string
	for _, p := range parts {
		all = append(all, p.lines...)
	}
	return all
}

// dedupe removes parts that are contained in another part, and reports parts that overlap.
func dedupe(parts []part) []part {
	texts := map[string]bool{}
	var list []part
	for i, p := range parts {
		isCovered := func(o part) bool { return o.it.Whole && covers(o.lines, p.lines) && len(o.lines) > len(p.lines) }
		if texts[p.text] || p.it.Whole && (slices.ContainsFunc(list, isCovered) || slices.ContainsFunc(parts[i+1:], isCovered)) {
			continue
		}
		texts[p.text] = true
		for _, o := range list {
			if o.it.Whole && p.it.Whole && (2*len(without(p.lines, o.lines)) < len(p.lines) ||
				2*len(without(o.lines, p.lines)) < len(o.lines)) {
				p.reportLoss(0, LossText, fmt.Sprintf("this text overlaps with %s, and both are exported", o.it.Source), "keep only one of them")
			}
		}
		list = append(list, p)
	}
	return list
}

// imports reports whether a part's text imports a file and the host follows imports there.
func (c *composer) imports(p *part, file string) bool {
	if !c.readsImports(p.it.Source, p.it.Nested) {
		return false
	}
	for seg := range body.Scan(p.text, body.Options{}) {
		if seg.Kind == body.FileRef && !seg.Quoted() && path.Join(path.Dir(p.it.Source), seg.Name) == file {
			return true
		}
	}
	return false
}

// absent describes the lines in a part that are not exported, and returns the line number of the
// first one.
func (p *part) absent(lines []string) (problem string, line int) {
	switch len(lines) {
	case 0:
		return "its lines are in a different order there", 0
	case 1:
		return "this line is missing there and is not exported", p.it.lineOf(lines[0])
	}
	return fmt.Sprintf("%d lines, starting with this one, are missing there and are not exported", len(lines)), p.it.lineOf(lines[0])
}

// lineOf returns the number of the first line in the file that equals text, ignoring surrounding
// whitespace.
func (it *Item) lineOf(text string) int {
	at := 0
	for line := range strings.Lines(it.Body) {
		if strings.TrimSpace(line) == text {
			return it.bodyLine(at)
		}
		at += len(line)
	}
	return 0
}

// sourcesOf lists the files that the parts come from.
func sourcesOf(parts []part) string {
	var list []string
	for _, p := range parts {
		list = append(list, p.it.Source)
	}
	return strings.Join(list, ", ")
}

// linesIn returns the nonblank lines in text, without surrounding whitespace.
func linesIn(text string) []string {
	var list []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}

// covers reports whether list contains all lines in others, in order.
func covers(list, others []string) bool {
	for _, line := range list {
		if len(others) > 0 && line == others[0] {
			others = others[1:]
		}
	}
	return len(others) == 0
}

// without returns the lines in list that others does not contain.
func without(list, others []string) []string {
	known := map[string]bool{}
	for _, line := range others {
		known[line] = true
	}
	var left []string
	for _, line := range list {
		if !known[line] {
			left = append(left, line)
		}
	}
	return left
}

// unix returns an item's text with normalized line endings, trimmed of whitespace.
func unix(it *Item) string { return strings.TrimSpace(strings.ReplaceAll(it.Body, "\r\n", "\n")) }

func boolOrder(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}
