package audit

import (
	"strings"

	"github.com/vadehq/vade/diag"
)

// f02 finds anchors, aliases, merges and tags.
func f02() Rule {
	return Rule{
		ID: "F02", Name: "yaml-construct", Title: "The frontmatter has anchors, aliases, merges or tags",
		Severity: Block, Confidence: High, Scope: "definition",
		Why:   "A merge brings fields from elsewhere that stand nowhere in sight, aliases grow to any size, and a tag may name code that a careless reader runs.",
		Fix:   "Write the values out.",
		CWE:   []int{502, 776},
		OWASP: "AST04", find: findF02,
	}
}

func findF02(p *pass) {
	text := p.Package.Files[0].Text
	anchors, aliases := 0, 0
	for _, flaw := range p.Flaws {
		if flaw.Code != diag.YAMLForbidden || flaw.File != 0 || flaw.Span.End > len(text) {
			continue
		}
		word := text[flaw.Span.Start:flaw.Span.End]
		switch {
		case strings.HasPrefix(word, "<<"):
			p.at(flaw.Place, "a merge brings in fields from elsewhere")
		case strings.HasPrefix(word, "&"):
			anchors++
			p.at(flaw.Place, "an anchor").as(Review, Medium)
		case strings.HasPrefix(word, "*"):
			aliases++
			p.at(flaw.Place, "an alias").as(Review, Medium)
		case strings.HasPrefix(word, "!"):
			if f := p.at(flaw.Place, "a tag: %s", word); !runningTag(word) {
				f.as(Review, Medium)
			}
		}
	}
	block := text[p.Block.Span.Start:p.Block.Span.End]
	if anchors > 0 && bomb(block) {
		p.at(p.Block, "aliases of lists of aliases: what is read is far larger than what is written")
	}
}

// runningTag reports whether a tag names what readers of some languages make objects
// of by calling code.
func runningTag(tag string) bool {
	tag = strings.ToLower(strings.TrimLeft(strings.TrimPrefix(tag, "!<tag:yaml.org,2002:"), "!"))
	for _, head := range [...]string{"python/", "ruby/", "java", "js/", "perl/", "php/", "exec", "eval", "include"} {
		if strings.HasPrefix(tag, head) {
			return true
		}
	}
	return false
}

// bomb reports whether anchors stand for lists of aliases, two deep or more.
func bomb(block string) bool {
	deep := 0
	for line := range strings.Lines(block) {
		if strings.Contains(line, "&") && strings.Count(line, "*") >= 3 {
			deep++
		}
	}
	return deep >= 2
}
