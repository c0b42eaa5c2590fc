package policy

import (
	"fmt"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/pathmatch"
)

// Most functions in this file parse one key's value. For an invalid value, they return the
// strictest one.

func (p *fileParser) mode(v definition.Value, max Mode) stated[Mode] {
	s := oneOf(p, "shell", v, Granted, "off, readonly or granted")
	if s.value > max {
		s.value = Off
		p.invalid(v.Span, "use off or readonly; until then, the value is off", "shell can be at most %s for an MCP server", max)
	}
	return s
}

// oneOf parses a value that must be the name of a constant of type T, from 0, which is the
// strictest, through last. words lists the names, for use in messages.
func oneOf[T interface {
	~uint8
	String() string
}](p *fileParser, key string, v definition.Value, last T, words string) stated[T] {
	text, _ := scalar(v)
	for m := range last + 1 {
		if text == m.String() {
			return stated[T]{value: m, ok: true, span: v.Span}
		}
	}
	p.invalid(v.Span, fmt.Sprintf("use %s; until then, the value is %s", words, T(0)), "%s is %s", key, quoted(v))
	return stated[T]{ok: true, span: v.Span}
}

func (p *fileParser) flag(key string, v definition.Value) stated[bool] {
	if v.Kind != definition.Bool {
		p.invalid(v.Span, "use true or false; until then, the value is false", "%s is %s", key, quoted(v))
		return stated[bool]{ok: true, span: v.Span}
	}
	return stated[bool]{value: v.Text[0] == 't' || v.Text[0] == 'T', ok: true, span: v.Span}
}

func (p *fileParser) timeout(v definition.Value) stated[time.Duration] {
	text, _ := scalar(v)
	d, problem := parseTimeout(text)
	if problem != "" {
		p.invalid(v.Span, "correct it; until then, the value is "+durationText(d), "timeout %s %s", quoted(v), problem)
	}
	return stated[time.Duration]{value: d, ok: true, span: v.Span}
}

func (p *fileParser) output(v definition.Value) stated[int64] {
	text, _ := scalar(v)
	n, problem := parseOutput(text)
	if problem != "" {
		p.invalid(v.Span, "correct it; until then, the value is "+sizeText(n), "output %s %s", quoted(v), problem)
	}
	return stated[int64]{value: n, ok: true, span: v.Span}
}

// items returns a list's entries, or a single scalar as a list with one entry. For a map, it calls
// reject and returns an empty list. ok is false for a key without a value.
func items(v definition.Value, reject func(definition.Value)) (list []definition.Value, ok bool) {
	switch v.Kind {
	case definition.Null:
		return nil, false
	case definition.List:
		return v.Items, true
	case definition.Map:
		reject(v)
		return nil, true
	}
	return []definition.Value{v}, true
}

// access parses the read, write or env key.
func (p *fileParser) access(a *access, e definition.Entry) {
	to, check := &a.read, checkDir
	switch e.Key {
	case "write":
		to = &a.write
	case "env":
		to, check = &a.env, checkVariable
	}
	*to = p.strings(e.Key, e.Value, check)
}

// strings parses a list of strings. check describes what is wrong with a string, or returns "".
func (p *fileParser) strings(key string, v definition.Value, check func(string) string) stated[[]item] {
	reject := func(v definition.Value) {
		p.invalid(v.Span, "use a YAML list of strings", "%s contains %s", key, quoted(v))
	}
	values, ok := items(v, reject)
	list := stated[[]item]{ok: ok, span: v.Span}
	for _, v := range values {
		text, isText := scalar(v)
		if !isText {
			reject(v)
		} else if problem := check(text); problem != "" {
			p.invalid(v.Span, "", "%s: %s %s", key, quoted(v), problem)
		} else {
			list.value = append(list.value, item{text, v.Span})
		}
	}
	return list
}

// patterns parses the patterns for protected files. An invalid pattern protects everything.
func (p *fileParser) patterns(v definition.Value) stated[[]item] {
	var list []item
	reject := func(v definition.Value, why string) {
		p.invalid(v.Span, "correct the pattern; until then, everything is protected", "protected: %s %s", quoted(v), why)
		list = append(list, item{"**", v.Span})
	}
	values, ok := items(v, func(v definition.Value) { reject(v, "must be a list of patterns") })
	for _, v := range values {
		text, isText := scalar(v)
		if !isText {
			reject(v, "must be a string")
			continue
		}
		_, problems := pathmatch.Compile([]string{text}, protectOptions())
		switch {
		case len(problems) > 0:
			reject(v, problems[0].Message)
		case text == "" || text[0] == '#':
			reject(v, "is not a valid pattern")
		default:
			list = append(list, item{text, v.Span})
		}
	}
	return stated[[]item]{value: list, ok: ok, span: v.Span}
}

// rule parses an allow or deny rule.
func (p *fileParser) rule(key, fix string, v definition.Value) (Rule, bool) {
	text, ok := scalar(v)
	if !ok {
		p.invalid(v.Span, fix, "%s contains %s; expected a rule", key, quoted(v))
		return Rule{}, false
	}
	r, err := ParseRule(text)
	if err != nil {
		p.invalidRule(key, fix, v, err.(*RuleError))
		return Rule{}, false
	}
	if !r.IsBash() {
		p.invalid(v.Span, fix, "%s: %s is not a command rule; command rules begin with %s", key, clipQuoted(text), bashTool)
		return Rule{}, false
	}
	return r, true
}

func (p *fileParser) invalidRule(key, fix string, v definition.Value, e *RuleError) {
	span := v.Span
	if v.Plain && span.End-span.Start == len(v.Text) {
		span.Start = min(span.Start+e.Offset, span.End)
	}
	if e.Fix != "" {
		fix = replaceAdvice("use "+clipQuoted(e.Fix), fix)
	}
	p.invalid(span, fix, "%s: %s: %s", key, clipQuoted(e.Rule), e.Message)
}

func (p *fileParser) denials(v definition.Value) []Denial {
	const fix = "correct the rule; until then, the file allows no commands"
	reject := func(v definition.Value) {
		p.invalid(v.Span, fix, "deny must be a list of rules, not %s", quoted(v))
		p.closed(v.Span)
	}
	values, _ := items(v, reject)
	var list []Denial
	for _, v := range values {
		r, ok := p.rule("deny", fix, v)
		if !ok {
			p.closed(v.Span)
			continue
		}
		list = append(list, Denial{Rule: r, Origin: p.f.origin(v.Span)})
	}
	return list
}

func (p *fileParser) grants(v definition.Value) stated[[]grant] {
	const fix = "correct the rule; until then, it is ignored"
	if v.Kind == definition.Map {
		p.invalid(v.Span, fix, "allow must be a list of rules, not a map")
	}
	values, ok := items(v, func(definition.Value) {})
	s := stated[[]grant]{ok: ok, span: v.Span}
	for _, v := range values {
		g := grant{span: v.Span}
		if v.Kind == definition.Map {
			g, ok = p.grantMap(v, fix)
		} else {
			g.rule, ok = p.rule("allow", fix, v)
		}
		if ok {
			s.value = append(s.value, g)
		}
	}
	return s
}

// grantMap parses an allow rule in map form. An unknown key invalidates the
// whole rule, because it may be a misspelled restriction.
func (p *fileParser) grantMap(v definition.Value, fix string) (g grant, ok bool) {
	g.span = v.Span
	ok = true
	for _, e := range v.Pairs {
		switch e.Key {
		case "rule":
			g.span = e.Value.Span
			g.rule, ok = p.rule("allow", fix, e.Value)
		case "network":
			g.network = p.flag(e.Key, e.Value)
		case "timeout":
			g.timeout = p.timeout(e.Value)
		case "read", "write", "env":
			p.access(&g.access, e)
		default:
			p.unknown(e, fix, grantKeys()...)
			ok = false
		}
		if !ok {
			return grant{}, false
		}
	}
	if g.rule.Tool == "" {
		p.invalid(v.Span, replaceAdvice("add the key rule", fix), "an entry in allow has no rule")
		return grant{}, false
	}
	return g, true
}

func grantKeys() []string { return []string{"rule", "network", "write", "read", "env", "timeout"} }

// origin converts a span in the file to an Origin.
func (f *File) origin(span diag.Span) Origin {
	return Origin{Layer: f.Layer, File: f.Name, Line: f.src.Pos(span.Start).Line}
}
