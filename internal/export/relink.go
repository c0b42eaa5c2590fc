package export

import (
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/body"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
)

// Destination returns the path to a definition's file in a host, or "" if there is no such path.
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

// relinker adapts the links in a file to the file's new path. Links are relative to the file that
// contains them, according to VS Code's promptFileParser.ts and the Agent Skills specification.
// CommonMark does not define the base of a relative link.
type relinker struct {
	*lossList
	p *host.Profile
	// from and to are the file's old and new paths in the project. from is "" if the file is
	// outside the project.
	from, to string
	// line converts an offset in the text to a line.
	line func(offset int) int
	// imports reports whether to adapt "@path", which is relative to the file that contains it.
	// fromTop reports whether the new file needs "@path" relative to the project root.
	imports, fromTop bool
}

// edit replaces a range in the text.
type edit struct {
	start, end int
	text       string
}

// text returns s with its links adapted.
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

// edited applies edits to s. If edits overlap, it applies the first one.
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

// link returns a link's new target, or false if the target does not change.
func (r *relinker) link(target string, at int, noun string) (to string, ok bool) {
	plain, rest, ok := fileTarget(target)
	if !ok {
		return "", false
	}
	if r.from == "" {
		if !r.isCompanion(plain) && (strings.Contains(plain, "/") || path.Ext(plain) != "") {
			r.reportLoss(r.line(at), LossFile, fmt.Sprintf("%s to %s refers to a file outside the project", noun, chars.Truncate(target, 60)), "copy the file into the project and link to it there")
		}
		return "", false
	}
	file := path.Join(path.Dir(r.from), plain)
	if file == ".." || strings.HasPrefix(file, "../") {
		if path.Join(path.Dir(r.to), plain) != file {
			r.reportLoss(r.line(at), LossFile, fmt.Sprintf("%s to %s points outside the project, and to a different file when resolved from %s", noun, chars.Truncate(target, 60), r.to), "move the file into the project")
		}
		return "", false
	}
	if r.it.Exists == nil || !r.it.Exists(file) {
		// The target may be relative to the project root, or it may be an example.
		return "", false
	}
	dir := path.Dir(r.to)
	if r.it.Moved != nil {
		if moved, is := r.it.Moved(file); is && relPath(dir, moved) == path.Clean(plain) {
			return "", false
		}
	}
	return retarget(dir, file, plain, rest)
}

// fileTarget splits a link target that is a relative path into the path and the rest of the target.
func fileTarget(target string) (plain, rest string, ok bool) {
	if i := strings.IndexAny(target, "#?"); i >= 0 {
		target, rest = target[:i], target[i:]
	}
	plain, ok = relative(target)
	return plain, rest, ok
}

// retarget returns the target for a link to file in a document in dir. It returns false if plain is
// already the correct path.
func retarget(dir, file, plain, rest string) (to string, ok bool) {
	made := relPath(dir, file)
	if made == path.Clean(plain) {
		return "", false
	}
	if strings.HasSuffix(plain, "/") {
		made += "/"
	}
	return escaped(made) + rest, true
}

// isCompanion reports whether rel is a companion file that moves with the definition.
func (r *relinker) isCompanion(rel string) bool {
	rel = path.Clean(rel)
	return slices.ContainsFunc(r.it.Companions, func(c Companion) bool { return c.Path == rel || strings.HasPrefix(c.Path, rel+"/") })
}

// imported adapts the imports in the text to the new path.
func (r *relinker) imported(s string) []edit {
	var edits []edit
	at := *r
	if r.fromTop {
		at.to = path.Base(r.to)
	}
	for seg := range body.Scan(s, body.Options{}) {
		src := seg.Source(s)
		if seg.Kind != body.FileRef || !strings.HasPrefix(src, "@"+seg.Name) {
			continue
		}
		start := seg.Span.Start + 1
		if to, ok := at.link(strings.ReplaceAll(seg.Name, "%", "%25"), start, "the import"); ok && !strings.ContainsAny(to, "% ") {
			edits = append(edits, edit{start, start + len(seg.Name), to})
		}
	}
	return edits
}

// marks adapts "#file:path" and "#tool:name" references to the host. VS Code recognizes them
// outside inline code and links (see promptFileParser.ts in its source).
func (r *relinker) marks(s string) []edit {
	var edits []edit
	inHost, inSource := r.p.Export.References, registry.HasReferences(r.it.Source)
	if !inHost && !inSource || !strings.Contains(s, "#file:") && !strings.Contains(s, "#tool:") {
		return nil
	}
	for _, m := range marksIn(s) {
		word := s[m.Start:m.End]
		switch value := word[len("#file:"):]; {
		case !inSource:
			r.reportLoss(r.line(m.Start), LossText, fmt.Sprintf("%s treats %s as a reference", r.p.Name, chars.Truncate(word, 60)), "put it in a code span")
			continue
		case !inHost && strings.HasPrefix(word, "#tool:"):
			r.reportLoss(r.line(m.Start), LossTool, fmt.Sprintf("%s does not support tool references, so %s is left as is", r.p.Name, chars.Truncate(word, 60)), "describe the action in words")
			continue
		case strings.HasPrefix(word, "#file:"):
			if to, ok := r.link(strings.ReplaceAll(value, "%", "%25"), m.Start, "the reference"); ok && !strings.ContainsAny(to, "% ") {
				edits = append(edits, edit{m.Start + len("#file:"), m.End, to})
			}
		}
		if !inHost {
			r.reportLoss(r.line(m.Start), LossFile, fmt.Sprintf("%s does not support file references, so %s is left as is", r.p.Name, chars.Truncate(word, 60)), "use a Markdown link, or tell the agent to read the file")
		}
	}
	return edits
}

// relative returns the path in a link target that is relative to a file. It
// returns false for URLs, anchors and targets with placeholders.
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

// punctuation lists the characters that can be escaped with a backslash in CommonMark.
const punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"

// escaped formats a path as a link target.
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

// relPath returns the relative path from a directory to a file in the same tree.
func relPath(dir, file string) string {
	rel, _ := filepath.Rel(filepath.FromSlash(dir), filepath.FromSlash(file))
	return filepath.ToSlash(rel)
}
