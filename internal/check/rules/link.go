package rules

import (
	"net/url"
	"path"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/body"
	"github.com/vadehq/vade/internal/chars"
)

// maxLinks limits how many links in a body are checked.
const maxLinks = 500

// links checks the targets of links in a body. It skips URLs, anchors,
// templates, and anything that may be an example.
func links(p *pass) {
	if p.Look == nil || p.BodyAt < 0 || !strings.Contains(p.Body, "](") && !strings.Contains(p.Body, "]:") {
		return
	}
	seen := map[string]bool{}
	for l := range body.Links(p.Body) {
		if len(seen) == maxLinks {
			return
		}
		if rel, ok := relative(l.Target); ok && !seen[l.Target] {
			seen[l.Target] = true
			p.link(l.Span, rel)
		}
	}
}

// link checks the link target rel. span is its position in the body.
func (p *pass) link(span diag.Span, rel string) {
	switch p.Look(rel) {
	case Missing:
		p.in(span, "the link target %s does not exist", chars.Truncate(rel, 60)).fix("correct the link, or add the file")
	case Sibling:
		if p.Definition.Kind == definition.Skill && p.leaves(rel) {
			f := p.in(span, "the link target %s is outside the skill, so the link breaks if the skill is copied or installed elsewhere",
				chars.Truncate(rel, 60)).fix("keep the skill's files in its directory")
			f.Code, f.Severity = diag.LinkLeaves, diag.LinkLeaves.Severity()
		}
	case Outside:
		f := p.in(span, "the link target %s is outside the project", chars.Truncate(rel, 60)).
			fix("keep the definition's files in the project")
		f.Code, f.Severity = diag.LinkLeaves, warning
	}
}

// leaves reports whether a relative path leads out of its base directory.
func (p *pass) leaves(rel string) bool { return strings.HasPrefix(path.Clean(rel), "..") }

// relative returns a link's target as a relative path. It returns false if the target is not a
// path, or if it may be an example because it has neither an extension nor a slash.
func relative(target string) (string, bool) {
	rel, _, _ := strings.Cut(target, "#")
	rel, _, _ = strings.Cut(rel, "?")
	switch {
	case rel == "" || len(rel) > 300,
		strings.ContainsAny(rel, "{}<>$*|\\\"`[]()…"), strings.Contains(rel, "..."),
		strings.HasPrefix(rel, "/"), strings.HasPrefix(rel, "~"), strings.HasPrefix(rel, "@"), strings.Contains(rel, ":"):
		return "", false
	}
	plain, err := url.PathUnescape(rel)
	if err != nil || strings.ContainsRune(plain, 0) {
		return "", false
	}
	first, _, _ := strings.Cut(plain, "/")
	if path.Ext(plain) == "" && first == plain || isExample(plain) {
		return "", false
	}
	return plain, true
}

// isExample reports whether a path is a typical placeholder in documentation.
func isExample(rel string) bool {
	lower := strings.ToLower(rel)
	for _, part := range []string{"path/to", "your-", "your_", "example.", "/example/", "xxx", "yyyy", "/foo.", "/bar."} {
		if strings.Contains(lower, part) {
			return true
		}
	}
	return false
}
