package check

import (
	"net/url"
	"path"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/vadehq/vade/internal/definition"
	"github.com/vadehq/vade/internal/diag"
	"github.com/vadehq/vade/internal/source"
)

// Above these bounds a body's links are not looked at, which is said: the time of
// the parser grows with the product of the length and the brackets. maxBody is in
// bytes, maxWork in bytes times opening brackets: of 6,000 real files one is above
// it. maxLinks is how many links of a body are looked at.
const (
	maxBody  = 256 << 10
	maxWork  = 64 << 20
	maxLinks = 500
)

// links looks at what the links of a body lead to. It is careful: addresses,
// anchors, templates, and what may be an example are left alone.
func links(p *pass) {
	if p.Look == nil || p.BodyAt < 0 || !strings.Contains(p.Body, "](") && !strings.Contains(p.Body, "]:") {
		return
	}
	if n := strings.Count(p.Body, "["); n*len(p.Body) > maxWork || len(p.Body) > maxBody {
		f := p.whole("the links are not looked at: the body has %d bytes with %d opening brackets", len(p.Body), n).fix("divide the file")
		f.Severity = info
		return
	}
	seen := map[string]bool{}
	src := []byte(p.Body)
	root := linkParser().Parse(text.NewReader(src))
	_ = ast.Walk(root, func(n ast.Node, enter bool) (ast.WalkStatus, error) {
		if !enter || len(seen) >= maxLinks {
			return ast.WalkContinue, nil
		}
		var target string
		switch l := n.(type) {
		case *ast.Link:
			target = string(l.Destination)
		case *ast.Image:
			target = string(l.Destination)
		default:
			return ast.WalkContinue, nil
		}
		if rel, ok := relative(target); ok && !seen[target] {
			seen[target] = true
			p.link(target, rel)
		}
		return ast.WalkContinue, nil
	})
}

// linkParser reads links, code, and the blocks around them. Emphasis and the like
// are left out: they do not matter here, and the time for them grows with the
// square of the text.
func linkParser() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(util.Prioritized(parser.NewCodeSpanParser(), 100), util.Prioritized(parser.NewLinkParser(), 200)),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
	)
}

// link judges one link.
func (p *pass) link(target, rel string) {
	span := p.placeOf(target)
	switch p.Look(rel) {
	case Missing:
		p.in(span, "the link leads to %s, which is not there", short(rel)).fix("correct the link, or add the file")
	case Beside:
		if p.Definition.Kind == definition.Skill && p.leaves(rel) {
			f := p.in(span, "the link leads out of the skill, to %s: it breaks where the skill is copied or installed", short(rel)).
				fix("keep what the skill needs in its directory")
			f.Code, f.Severity = diag.LinkLeaves, diag.LinkLeaves.Severity()
		}
	case Outside:
		f := p.in(span, "the link leads out of the project, to %s", short(rel)).fix("keep what the definition needs in the project")
		f.Code, f.Severity = diag.LinkLeaves, warning
	}
}

// leaves reports whether a path leads out of the directory that it is relative to.
func (p *pass) leaves(rel string) bool { return strings.HasPrefix(path.Clean(rel), "..") }

// placeOf returns where a target stands in the body.
func (p *pass) placeOf(target string) source.Span {
	for _, mark := range []string{"](" + target, "](<" + target, "]: " + target, "]:" + target} {
		if i := strings.Index(p.Body, mark); i >= 0 {
			at := i + len(mark) - len(target)
			return source.Span{Start: at, End: at + len(target)}
		}
	}
	return source.Span{}
}

// relative returns the path that a link leads to, if it is one to a file beside
// the definition. What has no ending and no slash may be an example.
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

// isExample reports whether a path is one that documents use for any.
func isExample(rel string) bool {
	lower := strings.ToLower(rel)
	for _, part := range []string{"path/to", "your-", "your_", "example.", "/example/", "xxx", "yyyy", "/foo.", "/bar."} {
		if strings.Contains(lower, part) {
			return true
		}
	}
	return false
}
