package audit

import (
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/audit/fact"
)

// f01 finds fields that are given twice.
func f01() Rule {
	return Rule{
		ID: "F01", Name: "duplicate-field", Title: "A field of the frontmatter is given twice",
		Severity: Block, Confidence: High, Scope: "definition",
		Why:   "Some readers take the first, others the last, others none: what a reviewer sees is not what a host takes.",
		Fix:   "Keep one of them.",
		CWE:   []int{694, 436},
		OWASP: "AST04", find: findF01,
	}
}

func findF01(p *pass) {
	text := p.Package.Files[0].Text
	for _, flaw := range p.Flaws {
		if flaw.Code != diag.YAMLDuplicateKey || flaw.File != 0 || flaw.Span.End > len(text) {
			continue
		}
		key := strings.Trim(text[flaw.Span.Start:flaw.Span.End], `"'`)
		top := p.topField(flaw.Span.Start)
		f := p.at(flaw.Place, "the field %q is given twice", key)
		switch same := p.sameBefore(text, key, flaw.Span); {
		case same:
			f.as(Inform, High)
		case !weighty(top):
			f.as(Review, Medium)
		}
	}
	p.spelledTwice()
}

// weighty reports whether a field decides what a definition is taken for or may do.
func weighty(f definition.Field) bool {
	switch f {
	case definition.FieldName, definition.FieldDescription, definition.FieldAllowedTools, definition.FieldDisallowedTools, definition.FieldTools, definition.FieldPermissionMode,
		definition.FieldHooks, definition.FieldMCPServers, definition.FieldPrompt, definition.FieldDisableModelInvocation:
		return true
	}
	return false
}

// topField is the field whose value or key stands at an offset.
func (p *pass) topField(at int) definition.Field {
	best, field := -1, definition.Field(0)
	for i := range p.Entries {
		// One that is given twice stands in the place of the first, with the span of
		// the last.
		if e := &p.Entries[i]; e.KeySpan.Start <= at && e.KeySpan.Start > best {
			best, field = e.KeySpan.Start, definition.LookupField(e.Key)
		}
	}
	return field
}

// sameBefore reports whether the field has the same value where it stands before.
func (p *pass) sameBefore(text, key string, second diag.Span) bool {
	line := strings.LastIndexByte(text[:second.Start], '\n') + 1
	indent := text[line:second.Start]
	value := func(from int) string {
		var b strings.Builder
		for rest := text[from:p.Block.Span.End]; rest != ""; {
			one, more, _ := strings.Cut(rest, "\n")
			if b.Len() > 0 && strings.TrimSpace(one) != "" && !strings.HasPrefix(one, indent+" ") && !strings.HasPrefix(one, indent+"\t") && !strings.HasPrefix(one, indent+"-") {
				break
			}
			b.WriteString(strings.TrimSpace(one) + "\n")
			rest = more
		}
		_, after, _ := strings.Cut(b.String(), ":")
		return strings.NewReplacer(`"`, "", "'", "", "\n", " ", " ", "").Replace(after)
	}
	if strings.TrimSpace(indent) != "" || second.Start >= p.Block.Span.End {
		return false
	}
	want := value(second.Start)
	block := text[p.Block.Span.Start:line]
	from := strings.LastIndex("\n"+block, "\n"+indent+text[second.Start:second.End]+":")
	return from >= 0 && value(p.Block.Span.Start+from+len(indent)) == want
}

// spelledTwice finds what is given in two spellings of one field, of which hosts know
// one or the other.
func (p *pass) spelledTwice() {
	for i := range p.Entries {
		field := definition.LookupField(p.Entries[i].Key)
		if !weighty(field) {
			continue
		}
		for k := range p.Entries[:i] {
			a, b := &p.Entries[k], &p.Entries[i]
			if definition.LookupField(a.Key) == field && a.Key != b.Key && !sameValue(&a.Value, &b.Value) {
				p.at(fact.Place{Span: b.KeySpan}, "%q and %q are one field, and say different things", a.Key, b.Key).as(Review, Medium)
				break
			}
		}
		if i > 200 {
			return
		}
	}
}

func sameValue(a, b *definition.Value) bool {
	return flatText(a, 0) == flatText(b, 0)
}

// flatText is the text of all that a value holds, without what only divides it.
func flatText(v *definition.Value, depth int) string {
	if depth > 8 {
		return ""
	}
	var b strings.Builder
	b.WriteString(strings.NewReplacer(",", "", " ", "").Replace(v.Text))
	for i := range v.Items {
		b.WriteString(flatText(&v.Items[i], depth+1))
	}
	for i := range v.Pairs {
		b.WriteString(v.Pairs[i].Key + flatText(&v.Pairs[i].Value, depth+1))
	}
	return b.String()
}
