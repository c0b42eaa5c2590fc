package export

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/body"
	"github.com/vadehq/vade/internal/frontmatter"
)

// hasHint reports whether a definition declares arguments.
func hasHint(it *Item) bool {
	return entryOf(it, definition.FieldArgumentHint) != nil || entryOf(it, definition.FieldArguments) != nil
}

// hint writes the argument hint. If only the target host takes arguments by name, the hint lists
// their names. If only the source's host does, the hint contains the names and descriptions from
// the body.
func (f *fielder) hint() {
	r, ok := f.rule(definition.FieldArgumentHint)
	hint := ""
	if e := f.entry(definition.FieldArgumentHint); e != nil {
		hint, _ = frontmatter.Hint(e.Value)
		hint = strings.TrimSpace(hint)
	}
	fromNames := f.it.Syntax != nil && f.it.Syntax.Inputs
	toNames := f.syntax != nil && f.syntax.Inputs
	switch {
	case !ok:
	case fromNames && !toNames && hint == "":
		if text := inputHint(f.it.Body); text != "" {
			f.setText(r.Key, text)
		}
	case !fromNames && len(f.inputNames) > 0:
		names := f.inputNames
		if len(names) > 1 {
			// The host always appends unnamed arguments to the text.
			names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "arguments" })
		}
		text := strings.Join(names, "=… ") + "=…"
		if hint != "" && !slices.Equal(hintedNames(f.it), names) {
			text += " (" + hint + ")"
		}
		f.setText(r.Key, text)
	}
}

// inputHint returns a hint for a body that takes arguments by name, including their descriptions.
func inputHint(s string) string {
	var words, names []string
	for _, n := range body.Names(s) {
		if !n.Input || slices.Contains(names, n.Name) {
			continue
		}
		names = append(names, n.Name)
		word := n.Name
		_, hint, _ := strings.Cut(strings.TrimPrefix(s[n.Span.Start:n.Span.End], "${input:"), ":")
		if hint = strings.Join(strings.Fields(strings.TrimSuffix(hint, "}")), " "); hint != "" {
			word += ": " + hint
		}
		words = append(words, "["+word+"]")
	}
	return strings.Join(words, " ")
}

// hintedNames returns the argument names in a hint such as "[file] <mode>", or
// nil for any other kind of hint.
func hintedNames(it *Item) []string {
	e := entryOf(it, definition.FieldArgumentHint)
	if e == nil {
		return nil
	}
	hint, _ := frontmatter.Hint(e.Value)
	var names []string
	for _, word := range strings.Fields(hint) {
		name := strings.ReplaceAll(strings.Trim(word, "[]<>"), "-", "_")
		if !isWord(name) || len(name)+2 != len(word) || strings.IndexByte("[<", word[0]) < 0 || slices.Contains(names, name) {
			return nil
		}
		names = append(names, name)
	}
	return names
}
