package remote

import (
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/secret"
)

// MaxFile is the maximum size of servers.yaml, in bytes.
const MaxFile = 64 << 10

// File is the parsed content of the user's servers.yaml.
type File struct {
	Servers []Server
	// Broken lists the configured servers that cannot be used.
	Broken      []Broken
	Diagnostics []diag.Diagnostic
}

// Broken is a server that cannot be used because of a configuration error.
type Broken struct {
	Name    string
	Problem diag.Diagnostic
}

// ParseFile parses the user's servers.yaml. A server with any error is reported and omitted,
// because using only part of its configuration could grant more than the user intended.
func ParseFile(name string, data []byte) File {
	r := configReader{src: diag.NewFile(name, data)}
	r.read(data)
	return File{r.list, r.broken, r.diags}
}

func (r *configReader) read(data []byte) {
	if len(data) > MaxFile {
		r.report(diag.Span{}, "shorten the file", "the file is larger than %d KiB and is ignored", MaxFile>>10)
		return
	}
	doc, diags := frontmatter.ParseYAML(r.src)
	for _, d := range diags {
		if d.Severity > diag.Info {
			r.diags = append(r.diags, d)
		}
	}
	if !doc.Valid {
		return
	}
	for _, e := range doc.Entries {
		switch {
		case e.Key == "version" && e.Value.Text == "1":
		case e.Key == "version":
			r.report(e.Value.Span, "set version: 1", "unsupported format version; only version 1 is supported")
			return
		case e.Key == "servers":
			r.parseServers(e.Value)
		default:
			r.report(e.KeySpan, "use version and servers", "unknown key %q", e.Key)
		}
	}
}

type configReader struct {
	src    *diag.File
	list   []Server
	broken []Broken
	diags  []diag.Diagnostic
	// invalid reports whether the current server has an error.
	invalid bool
}

func (r *configReader) report(span diag.Span, fix, format string, args ...any) {
	r.invalid = true
	r.diags = append(r.diags, diag.At(r.src, span, diag.RemoteConfig, format, args...).WithFix("%s", fix))
}

func (r *configReader) parseServers(v definition.Value) {
	if v.Kind != definition.Map {
		if v.Kind != definition.Null {
			r.report(v.Span, "add an indented entry for each server under servers", "servers must be a map, not %s", kindText(v.Kind))
		}
		return
	}
	if len(v.Pairs) > MaxServers {
		r.report(v.Span, "configure fewer servers", "more than %d servers are configured, so all were ignored", MaxServers)
		return
	}
	for i := range v.Pairs {
		e := &v.Pairs[i]
		r.invalid = false
		before := len(r.diags)
		s := Server{Name: e.Key, File: r.src.Name, Line: r.src.Pos(e.KeySpan.Start).Line}
		if !ValidServer(e.Key) {
			r.report(e.KeySpan, "use up to 64 letters, digits, dots, underscores and hyphens; do not begin with a dot", "invalid server name %q", e.Key)
		} else if e.Value.Kind != definition.Map {
			r.report(e.Value.Span, "add an indented command or url key", "the server %s must be a map, not %s", e.Key, kindText(e.Value.Kind))
		} else {
			for j := range e.Value.Pairs {
				r.parseKey(&s, &e.Value.Pairs[j])
			}
			// After an error in one key, reports of missing keys would be misleading.
			if !r.invalid {
				r.checkServer(&s, e)
			}
		}
		if !r.invalid {
			r.list = append(r.list, s)
		} else if ValidServer(s.Name) {
			r.broken = append(r.broken, Broken{s.Name, r.diags[before]})
		}
	}
}

// ValidServer reports whether name is a valid server name. Server names become
// part of definition names.
func ValidServer(name string) bool {
	plain := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.'
	}
	return name != "" && len(name) <= 64 && name[0] != '.' && !strings.ContainsFunc(name, func(c rune) bool { return !plain(c) })
}

func (r *configReader) parseKey(s *Server, e *definition.Entry) {
	switch e.Key {
	case "command":
		s.Command = r.stringList(e)
	case "url":
		s.URL = r.stringValue(e)
		if problem := urlProblem(s.URL); s.URL != "" && problem != "" {
			r.report(e.Value.Span, "use https://HOST/PATH, or http:// for a server on this machine", "url %s", problem)
		}
	case "env":
		s.Env = r.stringMap(e)
	case "headers":
		s.Headers = r.stringMap(e)
	case "helper":
		s.Helper = r.stringList(e)
	case "helper-env":
		s.HelperEnv = r.stringValue(e)
	case "timeout":
		d, err := time.ParseDuration(e.Value.Text)
		if err != nil || d <= 0 || d > MaxTimeout {
			r.report(e.Value.Span, "use a duration such as 5s, at most 1m", "invalid timeout %q", e.Value.Text)
		}
		s.Timeout = d
	default:
		r.report(e.KeySpan, "use command, url, env, headers, helper, helper-env or timeout", "unknown key %q", e.Key)
	}
}

// checkServer reports invalid combinations of keys, invalid variable names, and invalid headers.
func (r *configReader) checkServer(s *Server, e *definition.Entry) {
	switch {
	case len(s.Command) == 0 && s.URL == "":
		r.report(e.KeySpan, "add a command (stdio) or a url (HTTP)", "the server %s has neither a command nor a url", s.Name)
	case len(s.Command) > 0 && s.URL != "":
		r.report(e.KeySpan, "remove one of the two", "the server %s has both a command and a url", s.Name)
	case s.URL == "" && s.Headers != nil:
		r.report(e.KeySpan, "use env", "the server %s has headers, but headers require a url", s.Name)
	case s.URL != "" && (s.Env != nil || s.HelperEnv != ""):
		r.report(e.KeySpan, "use headers", "the server %s has env or helper-env, which require a command", s.Name)
	case s.URL == "" && len(s.Helper) > 0 && !validVariable(s.HelperEnv):
		r.report(e.KeySpan, "set helper-env to a variable name", "the server %s has a helper, but helper-env does not name the environment variable for its output", s.Name)
	}
	for name := range s.Env {
		if !validVariable(name) {
			r.report(e.KeySpan, "use letters, digits and underscores", "invalid variable name %q", name)
		}
	}
	for name, value := range s.Headers {
		if reservedHeader(name) {
			r.report(e.KeySpan, "remove the header", "Vade sets the header %s itself", name)
		} else if !validHeader(name) || strings.ContainsFunc(value, func(c rune) bool { return c < ' ' || c == 0x7f }) {
			r.report(e.KeySpan, "use the form NAME: value", "invalid header %q", name)
		} else if secret.May(name) && !strings.Contains(value, "${") {
			r.report(e.KeySpan, "use ${NAME} to insert an environment variable, or configure a helper",
				"the header %s contains a literal secret", name)
		}
	}
}

func validVariable(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_'
	})
}

// reservedHeader reports whether Vade itself sets a header.
func reservedHeader(name string) bool {
	switch strings.ToLower(name) {
	case "host", "content-length", "content-type", "transfer-encoding", "connection", "accept":
		return true
	}
	return false
}

func validHeader(name string) bool { return validVariable(strings.ReplaceAll(name, "-", "_")) }

// kindText returns a value's type for use after "not".
func kindText(k definition.ValueKind) string {
	if k == definition.Null {
		return "null"
	}
	return "a " + k.String()
}

// urlProblem returns the reason that a URL is rejected, or "". Plain HTTP is accepted only for this
// machine, because it would expose secrets to the network.
func urlProblem(s string) string {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || u.Opaque != "":
		return "is not a valid URL"
	case u.User != nil:
		return "contains a user name or password"
	case u.Fragment != "":
		return "has a fragment"
	case hasSecretQuery(u):
		return "contains a secret in its query string, where it may be displayed or logged; send it in a header"
	case u.Scheme == "https" || u.Scheme == "http" && loopback(u.Hostname()):
		return ""
	}
	return "must be an https URL"
}

func hasSecretQuery(u *url.URL) bool {
	for name := range u.Query() {
		if secret.May(name) {
			return true
		}
	}
	return false
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

func (r *configReader) stringValue(e *definition.Entry) string {
	text, problem := frontmatter.Text(e.Value)
	if problem == "" && text == "" {
		problem = "is empty"
	}
	if problem != "" {
		r.report(e.Value.Span, "use a string", "%s %s", e.Key, problem)
	}
	return text
}

func (r *configReader) stringMap(e *definition.Entry) map[string]string {
	if e.Value.Kind != definition.Map {
		r.report(e.Value.Span, "add indented NAME: value lines", "%s must be a map, not %s", e.Key, kindText(e.Value.Kind))
		return nil
	}
	m := map[string]string{}
	for i := range e.Value.Pairs {
		m[e.Value.Pairs[i].Key] = r.stringValue(&e.Value.Pairs[i])
	}
	return m
}

// stringList reads a command. It accepts only a list, so it never has to split a string the way a
// shell does.
func (r *configReader) stringList(e *definition.Entry) []string {
	if e.Value.Kind != definition.List || len(e.Value.Items) == 0 {
		r.report(e.Value.Span, `use a YAML list: ["program", "argument"]`, "%s must be a non-empty list of strings", e.Key)
		return nil
	}
	var words []string
	for _, item := range e.Value.Items {
		text, problem := frontmatter.Text(item)
		if problem != "" || strings.Contains(text, "\x00") {
			r.report(item.Span, "use a string", "%s contains an item that is not a string", e.Key)
		}
		words = append(words, text)
	}
	if words[0] == "" || strings.Contains(words[0], "/") && !strings.HasPrefix(words[0], "/") {
		r.report(e.Value.Span, "use a program name or an absolute path",
			"%s must start with a program name or an absolute path, not %q", e.Key, words[0])
	}
	return words
}
