package policy

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/resolve"
)

// MaxFile is the maximum size of a policy file, in bytes.
const MaxFile = 64 << 10

// File is a parsed policy file.
type File struct {
	// Name is the file's path, for use in diagnostics.
	Name  string
	Layer definition.Layer

	src        *diag.File
	shell      stated[Mode]
	timeout    stated[time.Duration]
	output     stated[int64]
	network    stated[bool]
	sandbox    stated[SandboxMode]
	remote     stated[bool]
	runTool    stated[bool]
	copies     stated[[]item]
	userGrants stated[bool]
	allow      stated[[]grant]
	deny       []Denial
	protected  stated[[]item]
	access     access
	roots      stated[[]item]
	trust      []Trust
	bundled    bundled
	audit      auditing
}

// stated is the value of a key that a file may set. ok reports whether it does.
type stated[T any] struct {
	value T
	ok    bool
	span  diag.Span
}

type item struct {
	text string
	span diag.Span
}

// access holds the values of the keys read, write and env, either at the top level of a file or in
// an allow rule.
type access struct {
	read, write, env stated[[]item]
}

// grant is an allow rule in a file. It holds only the permissions that the rule itself sets.
type grant struct {
	rule    Rule
	network stated[bool]
	timeout stated[time.Duration]
	access  access
	span    diag.Span
}

// ParseFile parses a policy file. file is the name used in diagnostics. Any layer other than
// managed or user is treated as project, which has the fewest permissions. The result is never nil.
// An invalid value is replaced with the strictest value for its key, except that an invalid
// known-bad entry is ignored. If an error may hide a restriction, as invalid YAML, an unknown key
// or an invalid deny rule may, the file disables the shell. Each of these problems is reported as
// an error.
func ParseFile(file string, layer definition.Layer, data []byte) (*File, []diag.Diagnostic) {
	if layer != definition.Managed && layer != definition.User {
		layer = definition.Project
	}
	f := &File{Name: file, Layer: layer, src: diag.NewFile(file, data)}
	p := fileParser{f: f}
	if len(data) > MaxFile {
		p.close(diag.Span{}, "the file is larger than %s", sizeText(MaxFile))
		return f, p.diags
	}
	doc, diags := frontmatter.ParseYAML(f.src)
	for _, d := range diags {
		if d.Code != diag.YAMLComment && d.Code != diag.YAMLTab {
			p.diags = append(p.diags, d)
		}
	}
	p.readAll(doc.Entries)
	if !doc.Valid {
		p.close(diag.Span{}, "parts of the file could not be parsed")
	}
	return f, p.diags
}

// Unreadable returns the settings for a file that exists but cannot be read. They are as strict as
// possible, because those in the file might be.
func Unreadable(file string, layer definition.Layer) *File {
	f, _ := ParseFile(file, layer, []byte("shell: off\n"))
	f.bundled.failClosed(diag.Span{})
	f.audit.failClosed(diag.Span{})
	return f
}

type fileParser struct {
	f     *File
	diags []diag.Diagnostic
}

// maxDiagnostics is the number of diagnostics after which report adds a final notice and omits the
// rest.
const maxDiagnostics = 100

func (p *fileParser) report(span diag.Span, code diag.Code, fix, format string, args ...any) {
	if len(p.diags) > maxDiagnostics {
		return
	}
	if len(p.diags) == maxDiagnostics {
		code, fix, format, args = diag.PolicyInvalid, "", "too many problems; the rest are not shown", nil
	}
	p.diags = append(p.diags, diag.At(p.f.src, span, code, format, args...).WithFix("%s", fix))
}

func (p *fileParser) invalid(span diag.Span, fix, format string, args ...any) {
	p.report(span, diag.PolicyInvalid, fix, format, args...)
}

// close makes the file as strict as possible: it disables the shell and bundled definitions and
// sets the strictest audit mode. It is called for errors that may hide such settings.
func (p *fileParser) close(span diag.Span, format string, args ...any) {
	p.closed(span)
	p.f.bundled.failClosed(span)
	p.f.audit.failClosed(span)
	p.invalid(span, "correct the file; until then, it allows no commands", format, args...)
}

func (p *fileParser) closed(span diag.Span) {
	p.f.shell = stated[Mode]{value: Off, ok: true, span: span}
}

// readAll parses the keys. It parses the shell mode first so that the mode cannot override an error
// that disables the shell.
func (p *fileParser) readAll(entries []definition.Entry) {
	for _, shell := range []bool{true, false} {
		for _, e := range entries {
			if (e.Key == "shell") == shell {
				p.read(e)
			}
		}
	}
}

// read parses one key. docs/policy.md and policy.schema.json list the same keys.
func (p *fileParser) read(e definition.Entry) {
	f, v := p.f, e.Value
	switch e.Key {
	case "version":
		if text, ok := scalar(v); !ok || text != "1" {
			p.close(v.Span, "unsupported version %s; use 1", quoted(v))
		}
	case "shell":
		f.shell = p.mode(v, Granted)
	case "allow":
		f.allow = p.grants(v)
	case "deny":
		f.deny = p.denials(v)
	case "timeout":
		f.timeout = p.timeout(v)
	case "output":
		f.output = p.output(v)
	case "protected":
		f.protected = p.patterns(v)
	case "network":
		f.network = p.flag(e.Key, v)
	case "read", "write", "env":
		p.access(&f.access, e)
	case "roots":
		f.roots = p.strings(e.Key, v, checkRoot)
	case "sandbox":
		f.sandbox = oneOf(p, e.Key, v, SandboxBestEffort, "required, default or best-effort")
	case "remote-shell":
		f.remote = p.flag(e.Key, v)
	case "run-tool":
		f.runTool = p.flag(e.Key, v)
	case "worktree-files":
		f.copies = p.strings(e.Key, v, checkGlob)
	case "trust":
		f.trust = p.sources(v)
	case "allow-user-grants":
		f.userGrants = p.flag(e.Key, v)
	case "bundled":
		b := p.bundled(v)
		if f.bundled.invalid && !b.invalid {
			b.failClosed(f.bundled.off.span)
		}
		f.bundled = b
	case "audit":
		a := p.audit(v)
		if f.audit.invalid {
			a.failClosed(f.audit.modes[0].span)
		}
		f.audit = a
	default:
		if similar(e.Key, "bundled") || strings.Contains(strings.ToLower(e.Key), "bundled") {
			f.bundled.failClosed(e.KeySpan)
		}
		if similar(e.Key, "audit") || strings.Contains(strings.ToLower(e.Key), "audit") {
			f.audit.failClosed(e.KeySpan)
		}
		p.unknown(e, "correct the key; until then, the file allows no commands", keys()...)
		p.closed(e.KeySpan)
	}
}

// keys returns the policy file keys in display order.
func keys() []string {
	return []string{
		"version", "shell", "allow", "deny", "timeout", "output", "protected", "network", "write", "read", "env", "roots",
		"sandbox", "remote-shell", "run-tool", "worktree-files", "trust", "allow-user-grants", "bundled", "audit",
	}
}

// unknown reports an unknown key and suggests a similar known one.
func (p *fileParser) unknown(e definition.Entry, fix string, known ...string) {
	for _, k := range known {
		if similar(e.Key, k) {
			fix = replaceAdvice(fmt.Sprintf("use %q", k), fix)
		}
	}
	p.report(e.KeySpan, diag.PolicyUnknownKey, fix, "unknown key %s", clipQuoted(e.Key))
}

// replaceAdvice replaces the first part of a fix, which says what to do. It keeps the second part,
// which starts with "until then" and says what happens otherwise.
func replaceAdvice(advice, fix string) string {
	_, consequence, _ := strings.Cut(fix, "until then")
	return advice + "; until then" + consequence
}

// similar reports whether two keys differ only in case, separators, or one or two letters.
func similar(a, b string) bool {
	flat := func(s string) string {
		return strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(s))
	}
	a, b = flat(a), flat(b)
	limit := min(2, len(b)/2)
	return a == b || len(a) >= 3 && len(a) <= 64 && resolve.Distance(a, b, limit) <= limit
}

// scalar returns a scalar's text. It returns false for null, a list or a map.
func scalar(v definition.Value) (string, bool) {
	switch v.Kind {
	case definition.List, definition.Map, definition.Null:
		return "", false
	}
	return v.Text, true
}

// quoted formats a value for a message.
func quoted(v definition.Value) string {
	if text, ok := scalar(v); ok {
		return clipQuoted(text)
	}
	if v.Kind == definition.Null {
		return "null"
	}
	return "a " + v.Kind.String()
}

// clipQuoted quotes the beginning of a string.
func clipQuoted(s string) string { return strconv.Quote(chars.Clip(s, 60)) }
