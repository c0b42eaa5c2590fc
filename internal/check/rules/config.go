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

// ConfigFile is a project's check configuration, relative to the project root.
const ConfigFile = ".vade/check.yaml"

// MaxConfig is the maximum size of the configuration, in bytes.
const MaxConfig = 64 << 10

// Config is a project's check configuration. The zero value changes nothing.
type Config struct {
	// Hosts lists the hosts to check for. Empty means the hosts that the project uses.
	Hosts []string
	// Unused reports whether the file is invalid and therefore ignored.
	Unused bool

	exclude *pathmatch.Matcher
	levels  []level
	name    string
	// refused holds the codes of errors that the configuration tries to lower to another severity
	// or to turn off.
	refused map[diag.Code]diag.Span
	src     *diag.File
	diags   []diag.Diagnostic
}

// level changes a code's severity, in all files or in some.
type level struct {
	code     diag.Code
	severity diag.Severity
	off      bool
	paths    *pathmatch.Matcher
	span     diag.Span
}

// ParseConfig parses .vade/check.yaml. Invalid values are reported and skipped;
// known reports whether a host exists.
func ParseConfig(name string, data []byte, known func(host string) bool) *Config {
	c := &Config{name: name, src: diag.NewFile(name, data), refused: map[diag.Code]diag.Span{}}
	if len(data) > MaxConfig {
		c.Unused, c.src = true, diag.NewFile(name, nil)
		c.invalid(diag.Span{}, "shorten the file", "the file is larger than %d KiB and is ignored", MaxConfig>>10)
		return c
	}
	doc, diags := frontmatter.ParseYAML(c.src)
	for _, d := range diags {
		if d.Severity > diag.Info {
			c.diags = append(c.diags, d)
		}
	}
	if c.Unused = !doc.Valid; c.Unused {
		// Ignore the whole file: a partially applied configuration could mean something else.
		return c
	}
	for i := range doc.Entries {
		c.read(&doc.Entries[i], known)
	}
	return c
}

// UnreadConfig returns the configuration for a file that exists but cannot be
// read. Its only effect is to report the reason.
func UnreadConfig(name, reason string) *Config {
	c := &Config{name: name, src: diag.NewFile(name, nil), refused: map[diag.Code]diag.Span{}, Unused: true}
	c.diags = []diag.Diagnostic{diag.For(name, diag.CheckInvalid, "the file is ignored: %s", reason).
		WithFix("replace it with a readable regular file, or remove it")}
	return c
}

// Nothing returns the finding to report if the configuration excludes all of the project's
// definitions.
func (c *Config) Nothing(definitions int) Finding {
	f := Of(diag.For(c.name, diag.CheckNoEffect, "nothing is checked because all definitions (%d) are excluded", definitions).
		WithFix("narrow the patterns in exclude"))
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
			c.invalid(e.Value.Span, "set version: 1", "unknown format version %q", chars.Truncate(e.Value.Text, 60))
		}
	case "hosts":
		list, problem := frontmatter.Strings(e.Value)
		if problem != "" {
			c.invalid(e.Value.Span, "use a YAML list of hosts", "hosts %s", problem)
		}
		for _, h := range list {
			if h != "all" && !known(h) {
				c.invalid(e.Value.Span, "use a host listed by vade help hosts", "unknown host %q", h)
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
		c.invalid(e.KeySpan, "use version, hosts, exclude, rules or paths", "unknown key %q", e.Key)
	}
}

func (c *Config) patterns(v definition.Value) *pathmatch.Matcher {
	globs, problem := frontmatter.Globs(v)
	if problem != "" {
		c.invalid(v.Span, "use a YAML list of patterns, as in .gitignore", "exclude %s", problem)
	}
	m, problems := pathmatch.Compile(globs, pathmatch.Options{Runes: true})
	for _, p := range problems {
		c.invalid(v.Span, "use .gitignore syntax", "the pattern %q is ignored: %s", p.Pattern, p.Message)
	}
	return m
}

// paths reads the value of the paths key, which maps file patterns to rule severities for the
// matching files.
func (c *Config) paths(v definition.Value) {
	if v.Kind != definition.Map {
		c.invalid(v.Span, "use a YAML map from patterns to rules", "paths must be a map, not a %s", v.Kind)
		return
	}
	for i := range v.Pairs {
		e := &v.Pairs[i]
		m, problems := pathmatch.Compile([]string{e.Key}, pathmatch.Options{Runes: true})
		for _, p := range problems {
			c.invalid(e.KeySpan, "use .gitignore syntax", "the pattern %q is ignored: %s", p.Pattern, p.Message)
		}
		if len(problems) == 0 {
			c.rules(e.Value, m)
		}
	}
}

func (c *Config) rules(v definition.Value, paths *pathmatch.Matcher) {
	if v.Kind != definition.Map {
		c.invalid(v.Span, "use a YAML map from codes to off, info, warning or error", "expected a map from codes to severities, not a %s", v.Kind)
		return
	}
	codes := Codes()
	for i := range v.Pairs {
		e := &v.Pairs[i]
		l := level{code: diag.Code(e.Key), paths: paths, span: e.KeySpan}
		if !slices.Contains(codes, l.code) {
			c.invalid(e.KeySpan, "use a code that vade check reports, such as DESC_LEN", "unknown rule %q", e.Key)
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
			c.invalid(e.Value.Span, "use off, info, warning or error", "%s: unknown severity %q", e.Key, chars.Truncate(e.Value.Text, 60))
			continue
		}
		c.levels = append(c.levels, l)
	}
}

// Codes returns every code that a check can report.
func Codes() []diag.Code {
	var codes []diag.Code
	for _, r := range rules() {
		codes = append(codes, r.code)
	}
	return append(codes, otherCodes()...)
}

// Excludes reports whether the file at a path is excluded from checks.
func (c *Config) Excludes(path string) bool {
	return c != nil && c.exclude.MatchUnder(strings.TrimPrefix(path, "./"), false)
}

// Apply sets the severities that the project configures and removes findings that it turns off.
// Errors are not lowered or removed; instead, Apply reports each code for which the file tries to
// do so.
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

// level sets a finding's severity and reports whether to keep the finding.
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

// levelFor returns the last configured severity that applies to a finding, or nil if there is none.
func (c *Config) levelFor(f *Finding) *level {
	for i := len(c.levels) - 1; i >= 0; i-- {
		if l := &c.levels[i]; l.code == f.Code && (l.paths == nil || l.paths.MatchUnder(f.Path, false)) {
			return l
		}
	}
	return nil
}

// Findings returns the problems in the configuration itself.
func (c *Config) Findings() []Finding {
	var list []Finding
	for _, d := range c.diags {
		list = append(list, Of(d))
	}
	for code, span := range c.refused {
		list = append(list, Of(diag.At(c.src, span, diag.CheckNoEffect, "%s was reported as an error, and errors cannot be silenced", code).
			WithFix("fix the reported problem, or exclude the file")))
	}
	return list
}
