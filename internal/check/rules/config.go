package rules

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/pathmatch"
)

// ConfigFile is where a project says how it is checked, below its top.
const ConfigFile = ".vade/check.yaml"

// MaxConfig is the longest such file, in bytes.
const MaxConfig = 64 << 10

// Config is what a project says of how it is checked. The zero value says nothing.
type Config struct {
	// Hosts are those to check for; none are those that the project shows.
	Hosts []string
	// Unused: the file is broken, and nothing of it counts.
	Unused bool

	exclude *pathmatch.Matcher
	levels  []level
	name    string
	// refused are the codes that the file has tried to silence.
	refused map[diag.Code]diag.Span
	src     *diag.File
	diags   []diag.Diagnostic
}

// level is another severity for a code, in all files or in some.
type level struct {
	code     diag.Code
	severity diag.Severity
	off      bool
	paths    *pathmatch.Matcher
	span     diag.Span
}

// ParseConfig reads .vade/check.yaml. What can not be used is reported and left
// out; known reports whether a host is one.
func ParseConfig(name string, data []byte, known func(host string) bool) *Config {
	c := &Config{name: name, src: diag.NewFile(name, data), refused: map[diag.Code]diag.Span{}}
	if len(data) > MaxConfig {
		c.Unused = true
		c.invalid(diag.Span{}, "shorten the file", "the file is longer than %d KiB and is not used", MaxConfig>>10)
		return c
	}
	doc, diags := frontmatter.ParseYAML(c.src)
	for _, d := range diags {
		if d.Severity > diag.Info {
			c.diags = append(c.diags, d)
		}
	}
	if c.Unused = !doc.Valid; c.Unused {
		// Half a file says something else than the whole.
		return c
	}
	for i := range doc.Entries {
		c.read(&doc.Entries[i], known)
	}
	return c
}

// UnreadConfig is the configuration of a file that is there and can not be read: it
// says nothing but that, and why.
func UnreadConfig(name, reason string) *Config {
	c := &Config{name: name, src: diag.NewFile(name, nil), refused: map[diag.Code]diag.Span{}, Unused: true}
	c.diags = []diag.Diagnostic{diag.For(name, diag.CheckInvalid, "the file is not used: %s", reason).
		WithFix("put a regular file there, or remove it")}
	return c
}

// Nothing is what is said where a project leaves out all that it has.
func (c *Config) Nothing(definitions int) Finding {
	f := Of(diag.For(c.name, diag.CheckNoEffect, "everything is excluded: none of %d definitions is checked", definitions).
		WithFix("let exclude name only what is not the project's own"))
	f.Severity = diag.Info
	return f
}

func (c *Config) invalid(span diag.Span, fix, format string, args ...any) {
	c.diags = append(c.diags, diag.At(c.src, span, diag.CheckInvalid, format, args...).WithFix("%s", fix))
}

func (c *Config) read(e *definition.Entry, known func(string) bool) {
	switch e.Key {
	case "version":
		if e.Value.Text != "1" {
			c.invalid(e.Value.Span, "write version: 1", "the version of the format is not known: it is 1")
		}
	case "hosts":
		list, problem := frontmatter.Strings(e.Value)
		if problem != "" {
			c.invalid(e.Value.Span, "write a list of hosts", "hosts %s", problem)
		}
		for _, h := range list {
			if h != "all" && !known(h) {
				c.invalid(e.Value.Span, "see the hosts that there are: vade check --help", "no host is named %q", h)
				continue
			}
			c.Hosts = append(c.Hosts, h)
		}
	case "exclude":
		c.exclude = c.patterns(e.Value)
	case "rules":
		c.rules(e.Value, nil)
	case "paths":
		c.paths(e.Value)
	default:
		c.invalid(e.KeySpan, "use version, hosts, exclude, rules or paths", "there is no key %q", e.Key)
	}
}

func (c *Config) patterns(v definition.Value) *pathmatch.Matcher {
	globs, problem := frontmatter.Globs(v)
	if problem != "" {
		c.invalid(v.Span, "write a list of patterns as in a .gitignore file", "the value %s", problem)
	}
	m, problems := pathmatch.Compile(globs, pathmatch.Options{Runes: true})
	for _, p := range problems {
		c.invalid(v.Span, "write it as in a .gitignore file", "the pattern %q is not used: %s", p.Pattern, p.Message)
	}
	return m
}

// paths reads the levels for some files: a map of a pattern to rules.
func (c *Config) paths(v definition.Value) {
	if v.Kind != definition.Map {
		c.invalid(v.Span, "write a map of patterns, each with its rules", "paths is a %s, not a map", v.Kind)
		return
	}
	for i := range v.Pairs {
		e := &v.Pairs[i]
		m, problems := pathmatch.Compile([]string{e.Key}, pathmatch.Options{Runes: true})
		for _, p := range problems {
			c.invalid(e.KeySpan, "write it as in a .gitignore file", "the pattern %q is not used: %s", p.Pattern, p.Message)
		}
		if len(problems) == 0 {
			c.rules(e.Value, m)
		}
	}
}

func (c *Config) rules(v definition.Value, paths *pathmatch.Matcher) {
	if v.Kind != definition.Map {
		c.invalid(v.Span, "write a map of codes, each with off, info, warning or error", "rules is a %s, not a map", v.Kind)
		return
	}
	codes := Codes()
	for i := range v.Pairs {
		e := &v.Pairs[i]
		l := level{code: diag.Code(e.Key), paths: paths, span: e.KeySpan}
		if !slices.Contains(codes, l.code) {
			c.invalid(e.KeySpan, "see docs/rules for the codes that there are", "there is no rule %q", e.Key)
			continue
		}
		switch e.Value.Text {
		case "off":
			l.off = true
		case "info":
		case "warning":
			l.severity = diag.Warning
		case "error":
			l.severity = diag.Error
		default:
			c.invalid(e.Value.Span, "write off, info, warning or error", "%s: %q is no severity", e.Key, chars.Truncate(e.Value.Text, 60))
			continue
		}
		c.levels = append(c.levels, l)
	}
}

// Codes returns every code that checking reports.
func Codes() []diag.Code {
	var codes []diag.Code
	for _, r := range Rules() {
		codes = append(codes, r.Code)
	}
	return append(codes, Judged()...)
}

// Excludes reports whether the file at a path is not checked.
func (c *Config) Excludes(path string) bool {
	return c != nil && c.exclude.MatchUnder(strings.TrimPrefix(path, "./"), false)
}

// Apply gives findings the severities that the project wants. What is an error
// stays one: of each code for which the file asks otherwise, that is reported.
func (c *Config) Apply(list []Finding) []Finding {
	if c == nil {
		return list
	}
	out := list[:0]
	for _, f := range list {
		if c.level(&f) {
			out = append(out, f)
		}
	}
	return append(out, c.Findings()...)
}

// level sets the severity of a finding, and reports whether it stays.
func (c *Config) level(f *Finding) bool {
	l := c.levelFor(f)
	if l == nil {
		return true
	}
	if f.Severity == diag.Error && (l.off || l.severity < diag.Error) {
		c.refused[l.code] = l.span
		return true
	}
	f.Severity = l.severity
	return !l.off
}

// levelFor returns the level of a finding, or nil: of several the last that fits.
func (c *Config) levelFor(f *Finding) *level {
	for i := len(c.levels) - 1; i >= 0; i-- {
		if l := &c.levels[i]; l.code == f.Code && (l.paths == nil || l.paths.MatchUnder(f.Path, false)) {
			return l
		}
	}
	return nil
}

// Findings returns what is wrong with the file itself.
func (c *Config) Findings() []Finding {
	var list []Finding
	for _, d := range c.diags {
		list = append(list, Of(d))
	}
	for code, span := range c.refused {
		list = append(list, Of(diag.At(c.src, span, diag.CheckNoEffect, "%s is reported as an error here, and an error can not be silenced", code).
			WithFix("correct what it reports, or leave the file out with exclude")))
	}
	return list
}
