package frontmatter

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
)

// refused reports whether the host's first attempt to parse the block fails.
func (r *reader) refused(d *decoded) bool {
	if d.fatal() != nil || r.d.Second == host.SecondPair && !isPair(d.entries) {
		return true
	}
	return slices.ContainsFunc(d.problems, func(p repair) bool {
		return p.code == diag.YAMLDuplicateKey && !r.repeatable(p.key)
	})
}

// isPair reports whether both name and description are present and are strings.
func isPair(entries []definition.Entry) bool {
	n := 0
	for i := range entries {
		if e := &entries[i]; (e.Key == "name" || e.Key == "description") && e.Value.Kind == definition.String {
			n++
		}
	}
	return n == 2
}

// second makes the host's second attempt to parse a block. It returns false if
// that attempt fails as well.
func (r *reader) second(first decoded) ([]definition.Entry, bool) {
	var entries []definition.Entry
	switch r.d.Second {
	case host.SecondPair:
		if entries = pairLines(r.text); len(entries) < 2 {
			return nil, false
		}
	case host.SecondLines:
		entries = flatLines(r.text)
	default:
		return r.rewritten()
	}
	r.valid, r.repaired = true, true
	// Report each value that YAML rejects. If YAML rejects none, report why the
	// first attempt failed.
	found := false
	for _, c := range chunks(r.text, false) {
		if readable(r.text[c.start:c.end], r.d.References) {
			continue
		}
		if edited, ok := repairChunk(r.text, c, r.d.References); ok {
			found = true
			for _, p := range edited {
				r.report(p)
			}
		}
	}
	if !found {
		odd := repair{text: "a field is not a string", fix: "use strings for name and description"}
		for _, p := range first.problems {
			if p.fatal || p.code == diag.YAMLDuplicateKey {
				odd = p
				if p.code != diag.YAMLDuplicateKey {
					odd.fix = `use "key: value" fields with valid YAML values`
				}
				break
			}
		}
		odd.code, odd.fatal, odd.read = diag.YAMLRepairedValue, false, ", so each field is read literally from its line"
		r.report(odd)
	}
	relocate(entries, r.inFile)
	return entries, true
}

// rewritten changes the text as the host does before its second attempt to parse it, and parses the
// result. It returns false if there is nothing to change or if the result is not valid YAML.
func (r *reader) rewritten() ([]definition.Entry, bool) {
	changes := quotedLines(r.text)
	if r.d.Second == host.SecondBlocks {
		changes = blockedLines(r.text)
	}
	if len(changes) == 0 {
		r.unchanged = r.d.Second == host.SecondBlocks
		return nil, false
	}
	var edits []edit
	for _, c := range changes {
		edits = append(edits, c.edits...)
	}
	d := decode(apply(r.text, edits), r.d.References)
	if r.refused(&d) {
		return nil, false
	}
	for _, c := range changes {
		r.report(c)
	}
	r.repaired = true
	r.edit(edits)
	return r.finish(d), true
}

// change returns a repair that applies edit e to a key's value. The repair suggests to the user
// that the value be quoted, unless the next line is indented and may belong to the value.
func change(text []byte, key string, value diag.Span, e edit) repair {
	raw := string(text[value.Start:value.End])
	p := repair{code: diag.YAMLRepairedValue, span: value, read: ", so the value is read as a string", edits: []edit{e}}
	var sure bool
	p.text, p.fix, p.flaw, sure = explain(strings.TrimSpace(key), raw, raw)
	next := skipBreak(text, lineEnd(text, value.End))
	if sure && (next >= len(text) || !isBlank(text[next])) {
		p.offer = []edit{{span: value, new: quote(raw)}}
	}
	return p
}

// quotedLines returns repairs that quote the values described at [host.SecondQuotes].
func quotedLines(text []byte) []repair {
	var changes []repair
	block := -1
	for l := range lines(text, 0, len(text)) {
		line := string(text[l.Start:l.End])
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if block >= 0 {
			if strings.TrimSpace(line) == "" || indent > block {
				continue
			}
			block = -1
		}
		key, value, ok := strings.Cut(line, ":")
		if first, n := utf8.DecodeRuneInString(value); !ok || strings.TrimSpace(key) == "" || n > 0 && !unicode.IsSpace(first) {
			continue
		}
		value = strings.TrimLeftFunc(value, unicode.IsSpace)
		from := l.End - len(value)
		value = beforeComment(value)
		if value == "" || value[0] == '\'' || value[0] == '"' {
			continue
		}
		if value[0] == '|' || value[0] == '>' {
			block = indent
			continue
		}
		if !hasSeparator(value) && (strings.IndexByte("[{@`", value[0]) < 0 || isYAML(value)) {
			continue
		}
		span := diag.Span{Start: from, End: from + len(value)}
		changes = append(changes, change(text, key, span, edit{span, "'" + strings.ReplaceAll(value, "'", "''") + "'"}))
	}
	return changes
}

// beforeComment returns a value without its trailing comment and whitespace.
func beforeComment(s string) string {
	for i := range len(s) {
		if s[i] != '#' {
			continue
		}
		if before, _ := utf8.DecodeLastRuneInString(s[:i]); i == 0 || unicode.IsSpace(before) {
			s = s[:i]
			break
		}
	}
	return strings.TrimRightFunc(s, unicode.IsSpace)
}

// hasSeparator reports whether a value contains a colon followed by whitespace.
func hasSeparator(s string) bool {
	for i := range len(s) {
		if s[i] == ':' {
			if next, n := utf8.DecodeRuneInString(s[i+1:]); n > 0 && unicode.IsSpace(next) {
				return true
			}
		}
	}
	return false
}

// isYAML reports whether a value is valid YAML by itself.
func isYAML(s string) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	var n yaml.Node
	return yaml.Load([]byte(s), &n, yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(maxDepth)))) == nil
}

// blockedLines returns repairs that turn the values described at [host.SecondBlocks] into block
// scalars. The keys contain only ASCII letters, digits and underscores.
func blockedLines(text []byte) []repair {
	var changes []repair
	for l := range lines(text, 0, len(text)) {
		line := string(text[l.Start:l.End])
		n := len(line) - len(strings.TrimLeftFunc(line, func(c rune) bool {
			return c < utf8.RuneSelf && (isASCIILetter(byte(c)) || isDecimal(byte(c)) || c == '_')
		}))
		rest := strings.TrimLeft(line[n:], " \t")
		if n == 0 || isDecimal(line[0]) || rest == "" || rest[0] != ':' {
			continue
		}
		value := strings.TrimSpace(rest[1:])
		if value == "" || value == ">" || value == "|" || value[0] == '"' || value[0] == '\'' || !strings.Contains(value, ":") {
			continue
		}
		at := l.Start + strings.LastIndex(line, value)
		e := edit{diag.Span{Start: l.Start + n, End: l.End}, ": |-\n  " + value}
		changes = append(changes, change(text, line[:n], diag.Span{Start: at, End: at + len(value)}, e))
	}
	return changes
}

// pairLines reads the name and the description from the text, as described at [host.SecondPair].
// Spans are offsets in text.
func pairLines(text []byte) []definition.Entry {
	var found [2]definition.Entry
	var open *definition.Entry // set while the description's lines continue
	for l := range lines(text, 0, len(text)) {
		line := string(text[l.Start:l.End])
		trimmed := strings.TrimLeft(line, " \t")
		value := strings.TrimSpace(trimmed)
		if open != nil && len(trimmed) < len(line) && trimmed != "" {
			open.Value.Text = strings.TrimPrefix(open.Value.Text+" "+value, " ")
			open.Value.Span.End = l.Start + len(strings.TrimRight(line, " \t\r"))
			continue
		}
		open = nil
		for i, key := range [...]string{"name", "description"} {
			if rest, ok := strings.CutPrefix(trimmed, key+":"); ok {
				from := len(line) - len(trimmed)
				found[i] = textEntry(l, line, from, from+len(key), rest)
				if i == 1 {
					open = &found[i]
				}
			}
		}
	}
	return slices.DeleteFunc(found[:], func(e definition.Entry) bool { return e.Key == "" })
}

// textEntry returns an entry with the key line[from:to]. rest is the value, which extends to the
// end of the line.
func textEntry(at diag.Span, line string, from, to int, rest string) definition.Entry {
	value := strings.TrimSpace(rest)
	start := at.Start + len(line) - len(strings.TrimLeft(rest, " \t"))
	if value == "" {
		start = at.Start + to + 1
	}
	return definition.Entry{
		Key: line[from:to], KeySpan: diag.Span{Start: at.Start + from, End: at.Start + to},
		Value: definition.Value{Kind: definition.String, Text: value, Span: diag.Span{Start: start, End: start + len(value)}},
	}
}

// flatLines reads fields as described at [host.SecondLines]. A field's value is the text after its
// line's first colon or, if there is none, the list or map on the following lines, which must be
// indented by two spaces.
func flatLines(text []byte) []definition.Entry {
	var list []diag.Span
	for l := range lines(text, 0, len(text)) {
		if line := bytes.TrimSpace(text[l.Start:l.End]); len(line) > 0 && line[0] != '#' {
			list = append(list, l)
		}
	}
	var entries []definition.Entry
	var open definition.Entry // the entry whose list or map is being read
	inMap := false
	keyed := func(list []definition.Entry) []definition.Entry {
		return lastOfEach(slices.DeleteFunc(list, func(e definition.Entry) bool { return e.Key == "" }))
	}
	flush := func(line string) {
		v := &open.Value
		for _, item := range v.Items {
			v.Kind, v.Pairs, v.Span.End = definition.List, nil, max(v.Span.End, item.Span.End)
		}
		if len(v.Items) > 0 {
			entries, open = append(entries, open), definition.Entry{}
		}
		if inMap && !strings.HasPrefix(line, "  ") {
			v.Kind, v.Pairs = definition.Map, keyed(v.Pairs)
			for _, p := range v.Pairs {
				v.Span.End = max(v.Span.End, p.Value.Span.End)
			}
			entries, open, inMap = append(entries, open), definition.Entry{}, false
		}
	}
	for i, at := range list {
		line, next := string(text[at.Start:at.End]), ""
		if i+1 < len(list) {
			next = string(text[list[i+1].Start:list[i+1].End])
		}
		if item, ok := strings.CutPrefix(line, "  - "); ok {
			open.Value.Items = append(open.Value.Items, flatValue(textEntry(at, line, 0, 0, item).Value))
			continue
		}
		flush(line)
		key, rest, ok := strings.Cut(line, ":")
		if !ok && !inMap {
			continue
		}
		name := strings.TrimSpace(key)
		from := len(key) - len(strings.TrimLeft(key, " \t"))
		e := textEntry(at, line, from, from+len(name), rest)
		if !ok {
			e.Value.Span = diag.Span{Start: e.KeySpan.End, End: e.KeySpan.End}
		}
		switch {
		case inMap:
			e.Value = flatValue(e.Value)
			open.Value.Pairs = append(open.Value.Pairs, e)
		case e.Value.Text != "":
			e.Value = flatValue(e.Value)
			entries = append(entries, e)
		case strings.HasPrefix(next, "  - "):
			open = e
		case strings.HasPrefix(next, "  "):
			open, inMap = e, true
		}
	}
	flush("")
	return keyed(entries)
}

// flatValue parses a single-line value.
func flatValue(v definition.Value) definition.Value {
	s := v.Text
	switch {
	case s == "true", s == "false":
		v.Kind, v.Plain = definition.Bool, true
	case s == "null":
		v.Kind, v.Plain = definition.Null, true
	case len(s) > 1 && s[0] == '"' && s[len(s)-1] == '"':
		v.Text = strings.ReplaceAll(strings.ReplaceAll(s[1:len(s)-1], `\"`, `"`), `\\`, `\`)
	case s != "" && plainKind(s) == definition.Number && s[0] != '.':
		v.Kind, v.Plain = definition.Number, true
	}
	return v
}

// plain reads a block line by line, not as YAML; see [host.Dialect.Plain]. If a key is repeated,
// its last value wins. plain reports lines that YAML would parse differently.
func (r *reader) plain() []definition.Entry {
	var entries []definition.Entry
	r.clean()
	for l := range lines(r.text, 0, len(r.text)) {
		line := string(r.text[l.Start:l.End])
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || trimmed[0] == '#' {
			continue
		}
		key, rest, ok := strings.Cut(line, ":")
		if !ok || strings.TrimSpace(key) == "" || strings.ContainsAny(key[:1], " \t-") {
			r.report(repair{
				code: diag.FieldValue, span: l, text: "the line is ignored because it is not a field; each value must be on one line, with list items separated by commas",
				fix: "put the value on the same line as its key, with list items separated by commas",
			})
			continue
		}
		value := strings.TrimSpace(rest)
		from := l.Start + len(key) + 1 + strings.Index(rest, value)
		kind := definition.String
		switch value {
		case "":
			kind = definition.Null
		case "true", "false":
			kind = definition.Bool
		}
		e := definition.Entry{
			Key: strings.TrimSpace(key), KeySpan: diag.Span{Start: l.Start, End: l.Start + len(strings.TrimRight(key, " \t"))},
			Value: definition.Value{Kind: kind, Text: value, Span: diag.Span{Start: from, End: from + len(value)}},
		}
		if value != "" && strings.ContainsAny(value[:1], "\"'[|>") {
			r.report(repair{
				code: diag.FieldValue, span: e.Value.Span, text: e.Key + ": quotes, brackets and block indicators are treated as part of the value",
				fix: "write the value on one line, without YAML syntax",
			})
		}
		entries = append(entries, e)
	}
	entries = lastOfEach(entries)
	relocate(entries, r.inFile)
	return entries
}

// onlyFields blanks out the lines in an unclosed block that are not fields, along with the indented
// lines below them. According to its source file yaml.ts, VS Code's parser continues after errors
// and reads the remaining fields.
func (r *reader) onlyFields() {
	out, lost, list, first := []byte(nil), false, false, diag.Span{}
	for l := range lines(r.text, 0, len(r.text)) {
		line := bytes.TrimRight(r.text[l.Start:l.End], " \t")
		switch n := keyEnd(line); {
		case len(line) == 0:
			continue
		case isBlank(line[0]), line[0] == '#':
		case line[0] == '-':
			lost = lost || !list
		default:
			lost, list = n <= 0, n > 0 && n+1 == len(line)
		}
		if !lost {
			continue
		}
		if out == nil {
			out, first = bytes.Clone(r.text), l
		}
		for i := l.Start; i < l.End; i++ {
			out[i] = ' '
		}
	}
	if out != nil {
		r.report(repair{
			code: diag.YAMLRepairedLines, span: first, text: "the line is not a field; it and similar lines below are ignored", fix: closeBlock,
		})
		r.text = out
	}
}
