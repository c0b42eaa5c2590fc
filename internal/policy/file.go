package policy

import (
	"fmt"
	"strings"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/resolve"
)

// MaxFile is the longest policy file that is read, in bytes.
const MaxFile = 64 << 10

// File is what one policy file states, to be given to [Combine].
type File struct {
	// Name is the path that diagnostics show.
	Name  string
	Layer definition.Layer

	src        *diag.File
	shell      stated[Mode]
	timeout    stated[time.Duration]
	output     stated[int64]
	network    stated[bool]
	sandbox    stated[SandboxMode]
	remote     stated[bool]
	userGrants stated[bool]
	allow      stated[[]grant]
	deny       []Denial
	protected  stated[[]item]
	access     access
	trust      []Trust
	bundled    bundled
	audit      auditing
}

// stated is a value of a key, if the file has the key.
type stated[T any] struct {
	value T
	ok    bool
	span  diag.Span
}

// item is one entry of a list.
type item struct {
	text string
	span diag.Span
}

// access are the keys that a file has for all commands and an allow rule for
// its own.
type access struct {
	read, write, env stated[[]item]
}

// grant is an allow rule as it is written.
type grant struct {
	rule    Rule
	network stated[bool]
	timeout stated[time.Duration]
	access  access
	span    diag.Span
}

// ParseFile reads a policy file. file is the name that diagnostics show; a layer
// other than managed, user and project counts as project, which may least.
//
// The result is never nil. A value that can not be used is dropped and the
// strictest one taken for its key; where that can not be told (a file that can
// not be read, an unknown key, a deny rule with an error) the file switches the
// shell off. Each such case is an error among the diagnostics.
func ParseFile(file string, layer definition.Layer, data []byte) (*File, []diag.Diagnostic) {
	if layer != definition.Managed && layer != definition.User {
		layer = definition.Project
	}
	f := &File{Name: file, Layer: layer, src: diag.NewFile(file, data)}
	p := fileParser{f: f}
	if len(data) > MaxFile {
		p.close(diag.Span{}, "the file is longer than %s", sizeText(MaxFile))
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
		p.close(diag.Span{}, "the file can not be read as a whole")
	}
	return f, p.diags
}

// Unreadable is a policy file that is there and can not be read: as it may forbid
// everything, it does.
func Unreadable(file string, layer definition.Layer) *File {
	f, _ := ParseFile(file, layer, []byte("shell: off\n"))
	f.bundled.doubt(diag.Span{})
	f.audit.doubt(diag.Span{})
	return f
}

// fileParser reads the keys of one file.
type fileParser struct {
	f     *File
	diags []diag.Diagnostic
}

// maxDiagnostics bounds what is said about one file.
const maxDiagnostics = 100

func (p *fileParser) report(span diag.Span, code diag.Code, fix, format string, args ...any) {
	if len(p.diags) > maxDiagnostics {
		return
	}
	if len(p.diags) == maxDiagnostics {
		code, fix, format, args = diag.PolicyInvalid, "", "there is more to report on this file than is shown", nil
	}
	d := diag.At(p.f.src, span, code, format, args...)
	if fix != "" {
		d = d.WithFix("%s", fix)
	}
	p.diags = append(p.diags, d)
}

func (p *fileParser) invalid(span diag.Span, fix, format string, args ...any) {
	p.report(span, diag.PolicyInvalid, fix, format, args...)
}

// close switches the shell off, and what comes with Vade, and makes the audit as strict
// as can be, because what the file forbids can not be told.
func (p *fileParser) close(span diag.Span, format string, args ...any) {
	p.closed(span)
	p.f.bundled.doubt(span)
	p.f.audit.doubt(span)
	p.invalid(span, "correct the file; until then it allows no commands", format, args...)
}

func (p *fileParser) closed(span diag.Span) {
	p.f.shell = stated[Mode]{value: Off, ok: true, span: span}
}

// readAll reads the keys. The mode of the shell comes first, so that no key
// after one that closes the file opens it again.
func (p *fileParser) readAll(entries []definition.Entry) {
	for _, shell := range []bool{true, false} {
		for _, e := range entries {
			if (e.Key == "shell") == shell {
				p.read(e)
			}
		}
	}
}

// read reads one key. docs/policy.md and policy.schema.json have the same list.
func (p *fileParser) read(e definition.Entry) {
	f, v := p.f, e.Value
	switch e.Key {
	case "version":
		if text, ok := scalar(v); !ok || text != "1" {
			p.close(v.Span, "version %s of the format is not known: it is 1", quoted(v))
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
	case "sandbox":
		f.sandbox = p.sandbox(v)
	case "remote-shell":
		f.remote = p.flag(e.Key, v)
	case "trust":
		f.trust = p.sources(v)
	case "allow-user-grants":
		f.userGrants = p.flag(e.Key, v)
	case "bundled":
		b := p.bundled(v)
		if f.bundled.unclear && !b.unclear {
			b.doubt(f.bundled.off.span)
		}
		f.bundled = b
	case "audit":
		a := p.audit(v)
		if f.audit.doubted {
			a.doubt(f.audit.modes[0].span)
		}
		f.audit = a
	default:
		if near(e.Key, "bundled") || strings.Contains(strings.ToLower(e.Key), "bundled") {
			f.bundled.doubt(e.KeySpan)
		}
		if near(e.Key, "audit") || strings.Contains(strings.ToLower(e.Key), "audit") {
			f.audit.doubt(e.KeySpan)
		}
		p.unknown(e, "correct the key; until then the file allows no commands", keys()...)
		p.closed(e.KeySpan)
	}
}

// keys lists the keys of a policy file in the order in which they are shown.
func keys() []string {
	return []string{
		"version", "shell", "allow", "deny", "timeout", "output", "protected", "network", "write", "read", "env", "sandbox",
		"remote-shell", "trust", "allow-user-grants", "bundled", "audit",
	}
}

// unknown reports a key that does not exist, and the one that may be meant.
func (p *fileParser) unknown(e definition.Entry, fix string, known ...string) {
	for _, k := range known {
		if near(e.Key, k) {
			_, until, _ := strings.Cut(fix, "until then")
			fix = fmt.Sprintf("write %q; until then%s", k, until)
		}
	}
	p.report(e.KeySpan, diag.PolicyUnknownKey, fix, "key %s does not exist", shown(e.Key))
}

// near says whether two keys differ in case, separators or a letter or two.
func near(a, b string) bool {
	flat := func(s string) string {
		return strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(s))
	}
	a, b = flat(a), flat(b)
	most := min(2, len(b)/2)
	return a == b || len(a) >= 3 && len(a) <= 64 && resolve.Distance(a, b, most) <= most
}

// scalar returns the text of a value that is one, and not empty.
func scalar(v definition.Value) (string, bool) {
	switch v.Kind {
	case definition.List, definition.Map, definition.Null:
		return "", false
	}
	return v.Text, true
}

// quoted returns a value as a message names it.
func quoted(v definition.Value) string {
	if text, ok := scalar(v); ok {
		return shown(text)
	}
	return "a " + v.Kind.String()
}

// shown returns the beginning of a text in quotes.
func shown(s string) string {
	const most = 60
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return fmt.Sprintf("%q", s)
}
