package fact

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
)

// bodyAt is where the body of the definition begins in its text.
func (f *Facts) bodyAt() int { return f.Body }

// frontmatter reads the head of the definition's own file and returns its values as
// regions, each with the key that it belongs to; a block that can not be read is one
// region as a whole.
func (f *Facts) frontmatter(file int) []Region {
	x := f.Package.Files[file]
	src := diag.NewFile(x.Path, []byte(x.Text))
	if x.Lang == "toml" {
		return f.tomlDefinition(file, src)
	}
	doc, found := frontmatter.Parse(src, false, host.NeutralDialect())
	f.flaws(file, src, found)
	f.Body = doc.Body
	if !doc.Found {
		f.Broken = doc.Open.End > 0
		return nil
	}
	f.Block = Place{file, doc.Text}
	f.Entries = doc.Entries
	f.Broken = !doc.Valid
	f.grants(file, doc.Entries)
	if f.Broken {
		return []Region{f.value(file, "", definition.Value{Kind: definition.Map, Span: doc.Text})}
	}
	v := values{f: f, file: file}
	v.pairs("", doc.Entries, 0)
	v.comments(x.Text, doc.Text)
	return v.out
}

// tomlDefinition reads a definition that is TOML as a whole: its prompt is the body.
func (f *Facts) tomlDefinition(file int, src *diag.File) []Region {
	x := f.Package.Files[file]
	doc, found := frontmatter.ParseTOML(src)
	f.flaws(file, src, found)
	f.Entries, f.Block, f.Broken = doc.Entries, Place{file, diag.Span{End: len(x.Text)}}, !doc.Valid
	f.grants(file, doc.Entries)
	if !doc.Valid {
		// Read it as text from its first byte.
		return nil
	}
	f.Body = len(x.Text)
	v := values{f: f, file: file}
	var rest []definition.Entry
	for _, e := range doc.Entries {
		if (e.Key == "prompt" || e.Key == "developer_instructions") && e.Value.Kind == definition.String {
			plain, from, end := inQuotes(x.Text, e.Value.Span)
			// The same length as the file up to there, so that places are right.
			v.out = append(v.out, markdown(file, x.Text[:from]+plain+x.Text[end:end], from, Standing{})...)
			continue
		}
		rest = append(rest, e)
	}
	v.pairs("", rest, 0)
	return v.out
}

// flaws keeps what reading the frontmatter had to say.
func (f *Facts) flaws(file int, src *diag.File, found []diag.Diagnostic) {
	if len(found) == 0 {
		return
	}
	var starts []int
	for i := 0; i >= 0 && i <= len(src.Data); {
		starts = append(starts, i)
		n := bytes.IndexAny(src.Data[i:], "\r\n")
		if n < 0 {
			break
		}
		i += n + 1
		if src.Data[i-1] == '\r' && i < len(src.Data) && src.Data[i] == '\n' {
			i++
		}
	}
	offset := func(line, column int) int {
		if line < 1 || line > len(starts) {
			return 0
		}
		at := starts[line-1]
		for ; column > 1 && at < len(src.Data); column-- {
			_, n := utf8.DecodeRune(src.Data[at:])
			at += n
		}
		return at
	}
	for _, d := range found {
		from := offset(d.Line, d.Column)
		end := offset(d.EndLine, d.EndColumn)
		f.Flaws = append(f.Flaws, Flaw{Place: Place{file, diag.Span{Start: from, End: max(from, end)}}, Code: d.Code, Text: d.Message})
	}
}

// values makes regions of the values of a frontmatter.
type values struct {
	f    *Facts
	file int
	out  []Region
}

// maxNesting bounds how deep maps and lists are followed; frontmatter bounds them too.
const maxNesting = 40

func (v *values) pairs(parent string, list []definition.Entry, depth int) {
	for i := range list {
		key := list[i].Key
		if parent != "" {
			key = parent + "." + key
		}
		if len(key) > 200 {
			key = key[:200]
		}
		v.value(key, &list[i].Value, depth+1)
	}
}

func (v *values) value(key string, x *definition.Value, depth int) {
	switch {
	case depth > maxNesting || len(v.out) >= maxRegions:
	case x.Kind == definition.Map:
		v.pairs(key, x.Pairs, depth)
	case x.Kind == definition.List:
		for i := range x.Items {
			v.value(key, &x.Items[i], depth+1)
		}
	case x.Kind == definition.String:
		r := v.f.value(v.file, key, *x)
		if head, _, _ := strings.Cut(key, "."); runsBy(head, key[strings.LastIndexByte(key, '.')+1:]) {
			r.Medium, r.Lang = Shell, "sh"
		}
		v.out = append(v.out, r)
	}
}

// comments adds what stands behind "#": hosts that send the file as it is send it too.
func (v *values) comments(text string, block diag.Span) {
	for at := block.Start; at < block.End; {
		end := at + strings.IndexByte(text[at:block.End], '\n')
		if end < at {
			end = block.End
		}
		line := text[at:end]
		if t := strings.TrimLeft(line, " \t"); strings.HasPrefix(t, "#") {
			words := strings.TrimLeft(t, "# ")
			from := at + len(line) - len(words)
			r := v.f.value(v.file, "#", definition.Value{Kind: definition.Map, Span: diag.Span{Start: from, End: end}})
			r.Medium = CodeComment
			if words != "" && len(v.out) < maxRegions {
				v.out = append(v.out, r)
			}
		}
		at = end + 1
	}
}

// value makes a region of one value. Its text has the length that it has in the file,
// line by line, so that places in it are right.
func (f *Facts) value(file int, key string, v definition.Value) Region {
	text := f.Package.Files[file].Text
	span := diag.Span{Start: min(v.Span.Start, len(text)), End: min(v.Span.End, len(text))}
	span.End = max(span.Start, span.End)
	r := Region{Place: Place{file, span}, Standing: Standing{Medium: Frontmatter}, Key: key}
	raw := text[span.Start:span.End]
	switch {
	case raw == "":
		return r
	case v.Kind != definition.Map && (raw[0] == '|' || raw[0] == '>'):
		// The lines of a block without their indentation.
		var b builder
		at := span.Start + len(raw)
		if i := strings.IndexByte(raw, '\n'); i >= 0 {
			at = span.Start + i + 1
		}
		for at < span.End {
			end := at + strings.IndexByte(text[at:span.End], '\n')
			if end < at {
				end = span.End
			}
			line := text[at:end]
			words := strings.TrimLeft(line, " ")
			b.add(strings.TrimSuffix(words, "\r"), at+len(line)-len(words), end)
			at = end + 1
		}
		r.Text, r.lines = b.text.String(), b.lines
	case v.Kind != definition.Map && (raw[0] == '"' || raw[0] == '\''):
		plain, from, end := inQuotes(text, span)
		r.Span = diag.Span{Start: from, End: end}
		r.Text = plain
	default:
		r.Text = raw
	}
	return r
}

// inQuotes is the text in the quotes of a value, in the length that it has in the
// file: escapes become what they mean, and blanks.
func inQuotes(text string, span diag.Span) (plain string, from, end int) {
	raw := text[span.Start:span.End]
	q := raw[:min(1, len(raw))]
	if strings.HasPrefix(raw, `"""`) || strings.HasPrefix(raw, "'''") {
		q = raw[:3]
	}
	if q == "" || q[0] != '"' && q[0] != '\'' || len(raw) < 2*len(q) || !strings.HasSuffix(raw, q) {
		return raw, span.Start, span.End
	}
	plain = raw[len(q) : len(raw)-len(q)]
	if q[0] == '"' && strings.Contains(plain, `\`) {
		plain = unescaped(plain)
	}
	return plain, span.Start + len(q), span.End - len(q)
}

// unescaped undoes escapes without a change of length: what a line gets shorter by are
// blanks at its end, so that each line begins where it does in the file.
func unescaped(s string) string {
	b := make([]byte, 0, len(s))
	pad := func(n int) {
		for len(b) < n {
			b = append(b, ' ')
		}
	}
	for i := 0; i < len(s); {
		c, next := s[i], byte(0)
		if c == '\\' && i+1 < len(s) {
			next = s[i+1]
		}
		switch next {
		case 'n', 'r':
			pad(i + 1)
			b = append(b, '\n')
			i += 2
		case 't':
			b = append(b, ' ', ' ')
			i += 2
		case '"', '\\':
			b = append(b, ' ', next)
			i += 2
		case '/', ' ':
			b = append(b, next)
			i += 2
		case 'x', 'u', 'U':
			end := min(len(s), i+2+escapeDigits(next))
			n, err := strconv.ParseUint(s[i+2:end], 16, 32)
			if err != nil || n > unicode.MaxRune || end < i+2+escapeDigits(next) {
				b = append(b, s[i:end]...)
			} else {
				b = utf8.AppendRune(b, rune(n))
			}
			i = end
		case '\n', '\r':
			// The line goes on behind the blanks of the next.
			rest := strings.TrimLeft(s[i+1:], " \t\r\n")
			i = len(s) - len(rest)
		default:
			if c == '\n' {
				pad(i)
			}
			b = append(b, c)
			if i++; next != 0 {
				b = append(b, next)
				i++
			}
		}
	}
	pad(len(s))
	return string(b)
}

// escapeDigits is how many digits stand behind the letter of an escape.
func escapeDigits(letter byte) int {
	switch letter {
	case 'x':
		return 2
	case 'u':
		return 4
	}
	return 8
}

// runsBy reports whether the value of a key in a field is a command that a host runs.
func runsBy(field, key string) bool {
	switch definition.LookupField(field) {
	case definition.FieldHooks, definition.FieldMCPServers:
		key = fold(key)
		return key == "command" || key == "bash" || key == "run"
	}
	return false
}
