package frontmatter

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
)

// repair splits an invalid block into parts, and keeps, repairs or drops each part. It tries two
// ways of splitting the block, and prefers the one that drops fewer bytes. If both drop the same
// number, it uses the second way for a block that contains an example dialogue and the first way
// otherwise.
func (r *reader) repair(d decoded) []definition.Entry {
	best, lost := r.plan(chunks(r.text, false))
	if dialogue := isDialogue(r.text); r.d.Repair >= host.RepairLines && (lost > 0 || dialogue) {
		if second, n := r.plan(chunks(r.text, true)); n < lost || dialogue && n == lost {
			best = second
		}
	}
	if len(best) == 0 {
		// Every part is valid on its own, so report the problem in the block as a whole.
		r.report(*d.fatal())
		return r.finish(decoded{entries: piecewise(r.text, r.d.References)})
	}
	var edits []edit
	for _, fatal := range [...]bool{false, true} {
		for _, p := range best {
			if p.fatal == fatal {
				r.report(p)
				r.repaired = r.repaired || !fatal
				edits = append(edits, p.edits...)
			}
		}
	}
	sortEdits(edits)
	r.edit(edits)
	d = decode(r.text, r.d.References)
	if fatal := d.fatal(); fatal != nil && fatal.code != diag.YAMLForbidden {
		r.report(*fatal)
		d = decoded{entries: piecewise(r.text, r.d.References)}
	}
	return r.finish(d)
}

// plan decides for each part of the block whether to keep, repair or drop it. It returns the
// repairs and the number of bytes dropped.
func (r *reader) plan(parts []chunk) (repairs []repair, dropped int) {
	drop := func(p repair) {
		p.text += "; this part of the frontmatter is ignored"
		p.fatal = true
		repairs = append(repairs, p)
		dropped += p.edits[0].span.End - p.edits[0].span.Start
	}
	for _, c := range parts {
		part := r.text[c.start:c.end]
		if readable(part, r.d.References) {
			continue
		}
		edited, ok := repairChunk(r.text, c, r.d.References)
		unrepaired := func(p repair) bool { return r.d.Repair == host.RepairNone || r.d.Unrepaired&p.flaw != 0 }
		if ok && !slices.ContainsFunc(edited, unrepaired) {
			repairs = append(repairs, edited...)
			continue
		}
		if junk := withoutJunk(r.text, c, r.d.References); junk != nil && c.joined {
			for _, e := range junk {
				drop(repair{
					code: diag.YAMLInvalid, span: e.span, edits: []edit{e}, text: "this line does not belong to a field",
					fix: `indent it below the field it belongs to, or change it to "key: value"`,
				})
			}
			continue
		}
		p := repair{code: diag.YAMLInvalid, text: "a YAML document marker or directive is inside the frontmatter"}
		d := decode(part, r.d.References)
		if fatal := d.fatal(); fatal != nil {
			p = *fatal
		}
		p.span = diag.Span{Start: p.span.Start + c.start, End: p.span.End + c.start}
		switch at, text, fix := stray(r.text, c); {
		case ok:
			// Point to where the repaired value starts. The library reports only where parsing
			// failed.
			hint := edited[0]
			p.span, p.text, p.fix, p.offer = hint.span, hint.text, hint.fix, hint.offer
		case hasMarker(part):
			p.fix = `remove the line with "---", "..." or "%"`
		case text != "":
			p.span, p.text, p.fix = at, text, fix
		case c.key > 0:
			p.fix = "put the value of " + string(part[:c.key]) + " on one line, in quotes"
		default:
			p.fix = `put each field on its own line, as "key: value"`
		}
		p.edits = []edit{{span: diag.Span{Start: c.start, End: c.end}}}
		drop(p)
	}
	return repairs, dropped
}

// readable reports whether a part of a block is valid without the rest of the block.
func readable(part []byte, refs host.References) bool {
	if hasMarker(part) {
		return false
	}
	d := decode(part, refs)
	return d.fatal() == nil
}

// hasMarker reports whether a part of a block contains a line that is a YAML directive, such as
// %YAML, or a document marker, which is "---" or "...".
func hasMarker(part []byte) bool {
	for l := range lines(part, 0, len(part)) {
		line := string(part[l.Start:l.End])
		if strings.HasPrefix(line, "%") {
			return true
		}
		if (strings.HasPrefix(line, "...") || strings.HasPrefix(line, "---")) && (len(line) == 3 || isBlank(line[3])) {
			return true
		}
	}
	return false
}

// piecewise decodes each part of the text separately and concatenates the entries. It keeps only
// the last entry for each key.
func piecewise(text []byte, refs host.References) []definition.Entry {
	var entries []definition.Entry
	for _, c := range chunks(text, false) {
		if hasMarker(text[c.start:c.end]) {
			continue
		}
		d := decode(text[c.start:c.end], refs)
		relocate(d.entries, func(s diag.Span) diag.Span {
			return diag.Span{Start: s.Start + c.start, End: s.End + c.start}
		})
		entries = append(entries, d.entries...)
	}
	return lastOfEach(entries)
}

// lastOfEach keeps the last entry for each key.
func lastOfEach(entries []definition.Entry) []definition.Entry {
	at := make(map[string]int, len(entries))
	out := entries[:0]
	for _, e := range entries {
		if i, ok := at[e.Key]; ok {
			out[i] = e
			continue
		}
		at[e.Key] = len(out)
		out = append(out, e)
	}
	return out
}

// chunk is a part of a block that is decoded separately: a line that begins
// with a key, and the lines that belong to it.
type chunk struct {
	start, end int
	// key is the key's length, or 0 for the text before the first key.
	key int
	// joined is set if the value includes unindented lines that are not keys.
	joined bool
}

// chunks splits text before each unindented key. If join is set, it splits only at keys that look
// like fields rather than prose, and adds other lines to the preceding value.
func chunks(text []byte, join bool) []chunk {
	var list []chunk
	for l, next := range lines(text, 0, len(text)) {
		line := text[l.Start:l.End]
		last := len(list) - 1
		switch key := keyEnd(line); {
		case key > 0 && (!join || last < 0 || beginsField(line[:key], list[last].joined)):
			list = append(list, chunk{start: l.Start, end: next, key: key})
		case last < 0:
			list = append(list, chunk{start: l.Start, end: next})
		default:
			c := &list[last]
			c.joined = c.joined || join && c.key > 0 && isJunk(text, *c, line)
			c.end = next
		}
	}
	return list
}

// isJunk reports whether an unindented line does not belong to the YAML. Comments and items of the
// list in chunk c are not junk. The line must not begin a field.
func isJunk(text []byte, c chunk, line []byte) bool {
	switch {
	case len(bytes.TrimSpace(line)) == 0, isBlank(line[0]):
		return false
	case line[0] == '#':
		return c.joined
	case line[0] == '-' && len(line) > 1 && isBlank(line[1]):
		// The line is a list item unless there is a value on the key's line.
		i := skipSpaces(text, c.start+c.key+1)
		return c.joined || i < len(text) && breakLen(text[i:]) == 0 && text[i] != '#'
	}
	return true
}

// beginsField reports whether an unindented word followed by a colon is a field. It returns false
// for lines of an example dialogue and for capitalized words in prose ("Note: ...").
func beginsField(key []byte, inProse bool) bool {
	key = bytes.Trim(key, `"'`)
	if isKnownField(string(key)) {
		return true
	}
	return !isSpeaker(string(key)) && (!inProse || 'a' <= key[0] && key[0] <= 'z')
}

// isKnownField reports whether a key is a common spelling of a field that some host supports.
func isKnownField(key string) bool {
	switch key {
	case "name", "description", "when_to_use", "when-to-use", "whenToUse", "title", "summary",
		"argument-hint", "arguments", "args", "model", "effort", "context", "agent", "mode", "shell", "version", "license",
		"compatibility", "metadata", "keywords", "tags", "category", "author", "color", "tools", "allowed-tools",
		"allowed_tools", "allowedTools", "disallowed-tools", "disallowedTools", "paths", "globs", "alwaysApply",
		"applyTo", "excludeAgent", "target", "agents", "skills", "useSkills", "hooks", "mcpServers", "mcp-servers",
		"handoffs", "user-invocable", "disable-model-invocation", "permissionMode", "maxTurns", "memory",
		"background", "isolation", "initialPrompt", "temperature", "hasArchitectureAccess", "dependencies",
		"trigger", "inclusion", "type", "id", "icon", "readonly", "subtask", "permission", "aliases":
		return true
	}
	return false
}

// isSpeaker reports whether a word commonly begins lines in the example
// dialogues in agent descriptions.
func isSpeaker(word string) bool {
	switch word {
	case "Context", "user", "User", "assistant", "Assistant", "commentary", "Commentary", "Example", "Examples", "example", "examples", "human", "Human", "system", "System":
		return true
	}
	return false
}

// isDialogue reports whether a block contains an unindented example dialogue, whose lines look like
// fields or duplicate unknown fields if the block is split at every key.
func isDialogue(text []byte) bool {
	seen := map[string]bool{}
	for _, c := range chunks(text, false) {
		key := string(text[c.start : c.start+c.key])
		if isSpeaker(key) || seen[key] && !isKnownField(key) {
			return true
		}
		seen[key] = true
	}
	return false
}

// explain describes the problem with a key's value and how to fix it. first is the value's first
// line, and whole is its whole text. sure reports whether quoting the value is certain to match the
// author's intent. It is false if a list, map or quoted string is not closed, or if some of the
// value's lines may be fields.
func explain(key, first, whole string) (text, fix string, flaw host.Flaw, sure bool) {
	flaw, text = flawOf(first)
	switch end := opened(whole); end {
	case 0:
	case ']':
		return "the list is not closed", "close the list in " + key + " with ]", flaw, false
	case '}':
		return "the map is not closed", "close the map in " + key + " with }", flaw, false
	default:
		return "the quotes are not closed", "close the quotes in " + key, flaw, false
	}
	multiline := len(whole) > len(first)
	head, block := dropIndicator(first)
	switch {
	case first[0] == '[' && isToolList(key):
		// A quoted list of tools would be the name of a single, nonexistent tool.
		return text, "use a single list for " + key + ": [a, b]", flaw, false
	case block && head == "":
		return "the block's lines are indented inconsistently", "use the same indentation for all lines of " + key, flaw, !multiline
	case flaw == host.FlawBlock && multiline:
		return text, "start the text of " + key + ` on the line after "` + first[:1] + `"`, flaw, false
	case multiline:
		if flaw == host.FlawOther {
			text = "the value spans multiple lines but is not a valid YAML scalar"
		}
		return text, `use a block scalar for ` + key + `: write ">-" after the key and indent every line below it`, flaw, false
	}
	return text, "quote the value of " + key, flaw, true
}

// flawOf returns the flaw that makes a value invalid YAML, and a description of it.
func flawOf(value string) (host.Flaw, string) {
	c := value[:1]
	switch value[0] {
	case '[', ']', '{', '}':
		return host.FlawBracket, fmt.Sprintf("the value starts with %q but is not a YAML list or map", c)
	case '@', '`', '%', ',':
		return host.FlawReserved, fmt.Sprintf("an unquoted value must not start with %q", c)
	case '*':
		return host.FlawAlias, `an unquoted value that starts with "*" is a YAML alias`
	case '!', '&':
		return host.FlawTag, fmt.Sprintf("an unquoted value that starts with %q is a YAML tag or anchor", c)
	case '"', '\'':
		return host.FlawQuote, "the quotes do not enclose the whole value"
	case '|', '>':
		return host.FlawBlock, fmt.Sprintf("text follows the block indicator %q on the same line", c)
	case '-', '?':
		if len(value) == 1 || isBlank(value[1]) {
			return host.FlawDash, fmt.Sprintf("an unquoted value must not start with %q", c+" ")
		}
	}
	for i := range len(value) {
		if value[i] != ':' {
			continue
		}
		if i+1 == len(value) || isBreak(value[i+1]) {
			return host.FlawColon, `an unquoted value has ":" at the end of a line`
		}
		if isBlank(value[i+1]) {
			return host.FlawColon, `an unquoted value contains ": "`
		}
	}
	return host.FlawOther, "the unquoted value is not valid YAML"
}

func isToolList(key string) bool {
	switch definition.LookupField(strings.Trim(key, `"'`)) {
	case definition.FieldAllowedTools, definition.FieldDisallowedTools, definition.FieldTools:
		return true
	}
	return false
}

// opened returns the missing closing character of an unclosed list, map or quoted string, or 0 if
// nothing is missing.
func opened(value string) byte {
	end := byte(']')
	switch value[0] {
	case '"':
		if _, closed := doubleEnd([]byte(value), 0); !closed {
			return '"'
		}
		return 0
	case '\'':
		if _, closed := singleEnd([]byte(value), 0); !closed {
			return '\''
		}
		return 0
	case '[':
	case '{':
		end = '}'
	default:
		return 0
	}
	depth := 0
	for i := range len(value) {
		switch value[i] {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
		if depth == 0 {
			if strings.Count(value[:i], `"`)%2 == 1 {
				return '"'
			}
			return 0
		}
	}
	return end
}

// stray finds the line that makes a chunk unrepairable. It also describes the problem and how to
// fix it; problem is "" if there is no such line.
func stray(text []byte, c chunk) (at diag.Span, problem, fix string) {
	for l := range lines(text, c.start, c.end) {
		line := text[l.Start:l.End]
		switch {
		case len(bytes.TrimSpace(line)) == 0, line[0] == '#', l.Start == c.start && c.key > 0:
			continue
		case isBlank(line[0]), line[0] == '-' && len(line) > 1 && isBlank(line[1]):
			if c.key == 0 {
				return at, "", ""
			}
			continue
		case bytes.IndexByte(line, ':') >= 0:
			continue
		}
		fix = `change the line to "key: value", or remove it`
		if c.key > 0 {
			key := string(text[c.start : c.start+c.key])
			fix = "indent the line if it belongs to the value of " + key + `; otherwise, change it to "key: value"`
		}
		at = diag.Span{Start: l.Start, End: l.Start + len(bytes.TrimRight(line, " \t"))}
		return at, "the line is not a field because it has no colon", fix
	}
	return at, "", ""
}

// withoutJunk returns edits that remove unindented text below a list from a chunk, because such
// text cannot be repaired. It returns nil if the rest would still be invalid.
func withoutJunk(text []byte, c chunk, refs host.References) []edit {
	var junk, local []edit
	for l, next := range lines(text, c.start, c.end) {
		if line := text[l.Start:l.End]; l.Start > c.start && len(line) > 0 && !isBlank(line[0]) && line[0] != '#' && line[0] != '-' {
			e := edit{span: diag.Span{Start: l.Start, End: next}}
			junk, local = append(junk, e), append(local, e.shifted(-c.start))
		}
	}
	if len(junk) == 0 || !readable(apply(text[c.start:c.end], local), refs) {
		return nil
	}
	return junk
}

// repairer repairs one chunk; offsets are relative to its text.
type repairer struct {
	text []byte
	key  string // the key whose value is being repaired
	refs host.References
	out  []repair
}

// repairChunk returns the repairs that make the chunk valid.
func repairChunk(text []byte, c chunk, refs host.References) ([]repair, bool) {
	m := repairer{text: text[c.start:c.end], refs: refs}
	if c.key == 0 || hasMarker(m.text) && !c.joined {
		return nil, false
	}
	valid := func(ok bool) bool {
		var edits []edit
		for _, p := range m.out {
			edits = append(edits, p.edits...)
		}
		return ok && len(edits) > 0 && readable(apply(m.text, edits), refs)
	}
	var ok bool
	switch {
	case c.joined:
		ok = valid(m.join(c.key))
	case valid(m.untab()):
		ok = true
	default:
		m.out = nil
		ok = valid(m.field(0, c.key, 0, len(m.text), 0))
	}
	for i := range m.out {
		p := &m.out[i]
		p.span = shifted(p.span, c.start)
		for _, edits := range [...][]edit{p.edits, p.offer} {
			for j := range edits {
				edits[j] = edits[j].shifted(c.start)
			}
		}
	}
	return m.out, ok
}

// add records a repair that consists of several edits. If sure is set, the edits are also offered
// to the user.
func (m *repairer) add(p repair, edits []edit, sure bool) {
	p.edits, p.span = edits, diag.Span{Start: edits[0].span.Start, End: edits[len(edits)-1].span.End}
	if sure {
		p.offer = slices.Clone(edits)
	}
	m.out = append(m.out, p)
}

// untab replaces each tab in indentation with two spaces.
func (m *repairer) untab() bool {
	var edits []edit
	for l := range lines(m.text, 0, len(m.text)) {
		first := skipSpaces(m.text[:l.End], l.Start)
		if indent := string(m.text[l.Start:first]); strings.Contains(indent, "\t") && first < l.End {
			edits = append(edits, edit{span: diag.Span{Start: l.Start, End: first}, new: strings.ReplaceAll(indent, "\t", "  ")})
		}
	}
	if edits == nil {
		return false
	}
	m.add(repair{
		flaw: host.FlawTab, code: diag.YAMLRepairedValue, text: "lines are indented with tabs", read: "; each tab is read as two spaces",
		fix: "indent with spaces",
	}, edits, true)
	return true
}

// maxRepairDepth limits the nesting depth at which values are repaired.
const maxRepairDepth = 6

// field repairs the value of the n-byte key at start. indent is the key's
// column, and end is the end of the lines that belong to the value.
func (m *repairer) field(start, n, indent, end, depth int) bool {
	m.key = string(m.text[start : start+n])
	from := skipSpaces(m.text[:end], start+n+1)
	stop := lineEnd(m.text[:end], from)
	if from == stop || m.text[from] == '#' {
		return m.children(stop+breakLen(m.text[stop:end]), end, indent, depth+1)
	}
	return m.value(from, end, indent)
}

// value quotes the value at from, including any following lines that are indented more than indent.
func (m *repairer) value(from, end, indent int) bool {
	list := m.lines(from, end)
	for _, line := range list[1:] {
		if strings.TrimSpace(line) != "" && skipSpaces([]byte(line), 0) <= indent {
			return false
		}
	}
	head, block := dropIndicator(list[0])
	var value string
	if block && list[0][0] == '|' {
		value = head + literal(list[1:])
	} else {
		value = fold(head, list[1:])
	}
	span := m.span(from, end)
	p := repair{code: diag.YAMLRepairedValue, read: ", so the value is read as a string"}
	var sure bool
	p.text, p.fix, p.flaw, sure = explain(m.key, list[0], string(m.text[span.Start:span.End]))
	m.add(p, []edit{{span: span, new: quote(value)}}, sure)
	return true
}

// lines returns the lines in text[from:end] without trailing whitespace. It omits blank lines at
// the end.
func (m *repairer) lines(from, end int) []string {
	span := m.span(from, end)
	var list []string
	for l := range lines(m.text, span.Start, span.End) {
		list = append(list, strings.TrimRight(string(m.text[l.Start:l.End]), " \t"))
	}
	if list == nil {
		list = []string{""}
	}
	return list
}

// span returns the range that starts at from and ends with the last non-blank line before end.
func (m *repairer) span(from, end int) diag.Span {
	stop := lineEnd(m.text[:end], from)
	for l := range lines(m.text, from, end) {
		if trimmed := bytes.TrimRight(m.text[l.Start:l.End], " \t"); len(trimmed) > 0 || l.Start == from {
			stop = l.Start + len(trimmed)
		}
	}
	return diag.Span{Start: from, End: stop}
}

// fold joins lines the way YAML does in a plain value.
func fold(head string, list []string) string {
	var b strings.Builder
	b.WriteString(head)
	blank := 0
	for _, line := range list {
		line = strings.TrimLeft(line, " \t")
		if line == "" {
			blank++
			continue
		}
		if blank == 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strings.Repeat("\n", blank) + line)
		blank = 0
	}
	return b.String()
}

// literal joins lines the way a YAML literal block does: it strips the indentation of the first
// non-blank line from every line.
func literal(list []string) string {
	var b strings.Builder
	depth := -1
	for _, line := range list {
		blanks := skipSpaces([]byte(line), 0)
		if depth < 0 && blanks < len(line) {
			depth = blanks
		}
		b.WriteString("\n" + line[min(blanks, max(depth, 0)):])
	}
	return b.String()
}

// dropIndicator removes a block indicator if text follows it on the same line, as in "| Text" and
// ">- Text".
func dropIndicator(s string) (string, bool) {
	if s == "" || s[0] != '|' && s[0] != '>' {
		return s, false
	}
	rest := strings.TrimLeft(s[1:], "-+0123456789")
	text := strings.TrimLeft(rest, " \t")
	if text == rest && text != "" {
		return s, false
	}
	if strings.HasPrefix(text, "#") {
		text = ""
	}
	return text, true
}

// children repairs the list or map on the lines text[from:end] below a key.
func (m *repairer) children(from, end, parent, depth int) bool {
	if depth > maxRepairDepth {
		return false
	}
	indent, start, ok := -1, -1, true
	flush := func(stop int) {
		if start >= 0 && !readable(m.text[start:stop], m.refs) {
			ok = m.child(start, stop, indent, depth) && ok
		}
	}
	for l := range lines(m.text, from, end) {
		first := skipSpaces(m.text[:l.End], l.Start)
		col := first - l.Start
		switch {
		case first == l.End || m.text[first] == '#':
		case indent < 0 && (col > parent || col == parent && m.text[first] == '-'):
			indent, start = col, l.Start
		case indent < 0 || col < indent:
			return false
		case col == indent:
			flush(l.Start)
			start = l.Start
		}
	}
	flush(end)
	return ok && start >= 0
}

// child repairs one list item or map entry.
func (m *repairer) child(start, end, indent, depth int) bool {
	at := start + indent
	item := false
	for at+1 < end && m.text[at] == '-' && isBlank(m.text[at+1]) {
		item, at = true, skipSpaces(m.text[:end], at+1)
	}
	stop := lineEnd(m.text[:end], at)
	if at == stop {
		return false
	}
	if n := keyEnd(m.text[at:stop]); n > 0 {
		kept := len(m.out)
		if m.field(at, n, at-start, end, depth) {
			return true
		}
		m.out = m.out[:kept]
	}
	return item && m.value(at, end, indent)
}

// join turns the value of the n-byte key, together with the unindented lines
// after it, into one string.
func (m *repairer) join(n int) bool {
	from := skipSpaces(m.text, n+1)
	list := m.lines(from, len(m.text))
	value, block := dropIndicator(list[0])
	if value != "" && (value[0] == '"' || value[0] == '\'') {
		// If a quoted scalar is complete, use the text between its quotes.
		d := decode([]byte("k: "+value), m.refs)
		if d.fatal() == nil && len(d.entries) == 1 && len(d.entries[0].Value.Items) == 0 {
			value = d.entries[0].Value.Text
		}
	}
	switch {
	case block:
		value += literal(list[1:])
	case list[0] == "" && structured(list[1:]):
		return false
	default:
		for _, line := range list[1:] {
			value += "\n" + line
		}
	}
	text, gap := quoteLines(strings.Trim(value, "\n")), ""
	if m.text[from-1] == ':' {
		gap = " "
	}
	m.add(repair{
		code: diag.YAMLRepairedLines, flaw: host.FlawOther,
		text: "the value continues on lines that are not indented", read: "; they are read as part of the value",
		fix: "use a block scalar for " + string(m.text[:n]) + `: write "|-" after the key and indent every line below it`,
	}, []edit{{span: m.span(from, len(m.text)), new: gap + text}}, text[0] == '|')
	return true
}

// structured reports whether lines start with a list item or map entry.
func structured(list []string) bool {
	for _, line := range list {
		if line != "" && line[0] != '#' {
			return isBlank(line[0]) || line[0] == '-'
		}
	}
	return false
}

// edit replaces a range of text.
type edit struct {
	span diag.Span
	new  string
}

func (e edit) shifted(by int) edit { return edit{shifted(e.span, by), e.new} }

func shifted(s diag.Span, by int) diag.Span { return diag.Span{Start: s.Start + by, End: s.End + by} }

func sortEdits(edits []edit) {
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(a.span.Start, b.span.Start) })
}

// apply applies edits that are sorted and do not overlap.
func apply(text []byte, edits []edit) []byte {
	out := make([]byte, 0, len(text)+64)
	at := 0
	for _, e := range edits {
		out = append(out, text[at:e.span.Start]...)
		out = append(out, e.new...)
		at = e.span.End
	}
	return append(out, text[at:]...)
}

// whole merges several edits into one.
func whole(text []byte, edits []edit) edit {
	span := diag.Span{Start: edits[0].span.Start, End: edits[len(edits)-1].span.End}
	made := apply(text[:span.End], edits)
	return edit{span: span, new: string(made[span.Start:])}
}

// mapping maps offsets in edited text to offsets in the original.
type mapping struct {
	edits  []edit
	starts []int // where each edit's new text starts in the edited text
}

func newMapping(edits []edit) mapping {
	m := mapping{edits: edits, starts: make([]int, len(edits))}
	delta := 0
	for i, e := range edits {
		m.starts[i] = e.span.Start + delta
		delta += len(e.new) - (e.span.End - e.span.Start)
	}
	return m
}

// back maps a span to the original text. A position in replaced text maps to
// the entire replaced range.
func (m mapping) back(span diag.Span) diag.Span {
	out := diag.Span{Start: m.offset(span.Start, false), End: m.offset(span.End, true)}
	out.End = max(out.Start, out.End)
	return out
}

func (m mapping) offset(at int, end bool) int {
	i, _ := slices.BinarySearch(m.starts, at+1)
	if i == 0 {
		return at
	}
	e := m.edits[i-1]
	into := at - m.starts[i-1]
	switch {
	case into >= len(e.new) && (into > 0 || !end):
		return e.span.End + into - len(e.new)
	case into == 0 || !end:
		return e.span.Start
	}
	return e.span.End
}

// relocate replaces every span s in entries with to(s).
func relocate(entries []definition.Entry, to func(diag.Span) diag.Span) {
	for i := range entries {
		entries[i].KeySpan = to(entries[i].KeySpan)
		relocateValue(&entries[i].Value, to)
	}
}

func relocateValue(v *definition.Value, to func(diag.Span) diag.Span) {
	v.Span = to(v.Span)
	for i := range v.Items {
		relocateValue(&v.Items[i], to)
	}
	relocate(v.Pairs, to)
}
