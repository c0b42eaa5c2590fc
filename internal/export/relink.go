package export

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/body"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
)

// Destination returns where the file of a definition goes in a host; "" where it has
// no place there.
func Destination(p *host.Profile, kind definition.Kind, name string) string {
	at, kind := PlaceOf(p, kind)
	if at == nil {
		return ""
	}
	to, ok := place(p, at, kind, name)
	if !ok {
		return ""
	}
	return to.path
}

// relinker writes the links of a text for the place that its file goes to. A link is
// relative to the file that it stands in (CommonMark leaves that to the reader; VS
// Code: promptFileParser.ts; agentskills: the specification).
type relinker struct {
	*loser
	p *host.Profile
	// from and to are the file before and after, below the top of the project; from is
	// "" for one that is not in it.
	from, to string
	// line is the line of an offset in the text.
	line func(offset int) int
	// imports: "@path" is looked for beside the file, before and after.
	imports bool
}

// edit is a part of a text that is replaced.
type edit struct {
	start, end int
	text       string
}

// text writes the links of a text.
func (r *relinker) text(s string) string {
	var edits []edit
	if strings.Contains(s, "](") || strings.Contains(s, "]:") {
		for l := range body.Links(s) {
			if to, ok := r.link(l.Target, l.Span.Start, "the link"); ok {
				edits = append(edits, edit{l.Span.Start, l.Span.End, to})
			}
		}
	}
	if r.imports && strings.Contains(s, "@") {
		edits = append(edits, r.imported(s)...)
	}
	return edited(s, append(edits, r.marks(s)...))
}

// edited is a text with its edits made; of two that overlap the first is.
func edited(s string, edits []edit) string {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.start - b.start })
	var b strings.Builder
	at := 0
	for _, e := range edits {
		if e.start < at {
			continue
		}
		b.WriteString(s[at:e.start] + e.text)
		at = e.end
	}
	return b.String() + s[at:]
}

// link returns what a target is in the new place; ok is false where it stays.
func (r *relinker) link(target string, at int, what string) (to string, ok bool) {
	rel, rest := target, ""
	if i := strings.IndexAny(target, "#?"); i >= 0 {
		rel, rest = target[:i], target[i:]
	}
	plain, ok := relative(rel)
	if !ok {
		return "", false
	}
	if r.from == "" {
		if !r.along(plain) && (strings.Contains(plain, "/") || path.Ext(plain) != "") {
			r.lose(r.line(at), LossFile, fmt.Sprintf("%s to %s leads to a file that is not in the project", what, chars.Truncate(target, 60)), "copy the file into the project, and link to it there")
		}
		return "", false
	}
	file := path.Join(path.Dir(r.from), plain)
	if file == ".." || strings.HasPrefix(file, "../") {
		if path.Join(path.Dir(r.to), plain) != file {
			r.lose(r.line(at), LossFile, fmt.Sprintf("%s to %s leads out of the project, and to another file from %s", what, chars.Truncate(target, 60), r.to), "keep the file in the project")
		}
		return "", false
	}
	if r.it.Exists == nil || !r.it.Exists(file) {
		// It may be one from the top of the project, or an example.
		return "", false
	}
	dir, before := path.Dir(r.to), path.Clean(plain)
	if r.it.Moved != nil {
		if moved, is := r.it.Moved(file); is && relPath(dir, moved) == before {
			return "", false
		}
	}
	made := relPath(dir, file)
	if made == before {
		return "", false
	}
	if strings.HasSuffix(plain, "/") {
		made += "/"
	}
	return escaped(made) + rest, true
}

// along reports whether a file beside the definition goes with it.
func (r *relinker) along(rel string) bool {
	rel = path.Clean(rel)
	return slices.ContainsFunc(r.it.Companions, func(c Companion) bool { return c.Path == rel || strings.HasPrefix(c.Path, rel+"/") })
}

// imported are the imports of a text, written for the new place.
func (r *relinker) imported(s string) []edit {
	var edits []edit
	for seg := range body.Scan(s, body.Options{}) {
		src := seg.Source(s)
		if seg.Kind != body.FileRef || !strings.HasPrefix(src, "@"+seg.Name) {
			continue
		}
		start := seg.Span.Start + 1
		if to, ok := r.link(strings.ReplaceAll(seg.Name, "%", "%25"), start, "the import"); ok && !strings.ContainsAny(to, "% ") {
			edits = append(edits, edit{start, start + len(seg.Name), to})
		}
	}
	return edits
}

// marks deals with "#file:path" and "#tool:name", which VS Code knows outside of
// inline code and of links (source: promptFileParser.ts).
func (r *relinker) marks(s string) []edit {
	var edits []edit
	has, had := r.p.Export.References, registry.HasReferences(r.it.Source)
	if !has && !had || !strings.Contains(s, "#file:") && !strings.Contains(s, "#tool:") {
		return nil
	}
	for _, m := range marksIn(s) {
		word := s[m.Start:m.End]
		switch value := word[len("#file:"):]; {
		case !had:
			r.lose(r.line(m.Start), LossText, fmt.Sprintf("%s takes %s for a reference", r.p.Name, chars.Truncate(word, 60)), "put it into `code`")
			continue
		case !has && strings.HasPrefix(word, "#tool:"):
			r.lose(r.line(m.Start), LossTool, fmt.Sprintf("%s knows no references to tools: %s stays as text", r.p.Name, chars.Truncate(word, 60)), "say in words what is to be done")
			continue
		case strings.HasPrefix(word, "#file:"):
			if to, ok := r.link(strings.ReplaceAll(value, "%", "%25"), m.Start, "the reference"); ok && !strings.ContainsAny(to, "% ") {
				edits = append(edits, edit{m.Start + len("#file:"), m.End, to})
			}
		}
		if !has {
			r.lose(r.line(m.Start), LossFile, fmt.Sprintf("%s knows no references to files: %s stays as text", r.p.Name, chars.Truncate(word, 60)), "write a Markdown link, or ask in words for the file to be read")
		}
	}
	return edits
}

// relative returns the path that the target of a link means, where it is one that is
// relative to a file: no address, no anchor and no place that is filled in later.
func relative(target string) (string, bool) {
	if target == "" || len(target) > 1000 || strings.ContainsAny(target, "{}<>$*|\"`:\x00") || strings.HasPrefix(target, "/") || strings.HasPrefix(target, "~") ||
		strings.HasPrefix(target, "@") {
		return "", false
	}
	var b strings.Builder
	for i := 0; i < len(target); i++ {
		if target[i] == '\\' && i+1 < len(target) && strings.IndexByte(punctuation, target[i+1]) >= 0 {
			i++
		}
		b.WriteByte(target[i])
	}
	plain, err := url.PathUnescape(b.String())
	if err != nil || strings.ContainsAny(plain, "\x00\\") || strings.HasPrefix(plain, "/") {
		return "", false
	}
	return plain, true
}

// punctuation is what a backslash takes the meaning from in a target (CommonMark).
const punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"

// escaped writes a path as the target of a link.
func escaped(p string) string {
	var b strings.Builder
	for i := range len(p) {
		switch c := p[i]; {
		case c <= ' ', c == 0x7f, strings.IndexByte("%()<>\\#?\"", c) >= 0:
			fmt.Fprintf(&b, "%%%02X", c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// relPath is the path of a file from a directory, both below the same top.
func relPath(dir, file string) string {
	var from []string
	if dir = path.Clean(dir); dir != "." {
		from = strings.Split(dir, "/")
	}
	to := strings.Split(path.Clean(file), "/")
	if path.Clean(file) == "." {
		to = nil
	}
	n := 0
	for n < len(from) && n < len(to) && from[n] == to[n] {
		n++
	}
	return path.Join(strings.Repeat("../", len(from)-n), path.Join(to[n:]...), ".")
}
