package remote

import (
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/secretnames"
)

// MaxFile is the length of the longest file of servers in bytes.
const MaxFile = 64 << 10

// File is what the user's file of servers says.
type File struct {
	Servers []Server
	// Broken are the servers that are named and can not be used.
	Broken      []Broken
	Diagnostics []diag.Diagnostic
}

// Broken is a server of a file that can not be used, and the first thing that is
// wrong with it.
type Broken struct {
	Name    string
	Problem diag.Diagnostic
}

// ParseFile reads the user's file of servers. A server in which anything is wrong is
// left out, and reported: half of what a user said of a server may be more than was
// meant.
func ParseFile(name string, data []byte) File {
	r := configReader{src: diag.NewFile(name, data)}
	r.read(data)
	return File{r.list, r.broken, r.diags}
}

func (r *configReader) read(data []byte) {
	if len(data) > MaxFile {
		r.report(diag.Span{}, "shorten the file", "the file is longer than %d KiB and is not used", MaxFile>>10)
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
			r.report(e.Value.Span, "write version: 1", "the version of the format is not known: it is 1")
			return
		case e.Key == "servers":
			r.servers(e.Value)
		default:
			r.report(e.KeySpan, "use version and servers", "there is no key %q", e.Key)
		}
	}
}

type configReader struct {
	src    *diag.File
	list   []Server
	broken []Broken
	diags  []diag.Diagnostic
	// wrong: something was reported of the server that is read.
	wrong bool
}

func (r *configReader) report(span diag.Span, fix, format string, args ...any) {
	r.wrong = true
	r.diags = append(r.diags, diag.At(r.src, span, diag.RemoteConfig, format, args...).WithFix("%s", fix))
}

func (r *configReader) servers(v definition.Value) {
	if v.Kind != definition.Map {
		if v.Kind != definition.Null {
			r.report(v.Span, "write servers: and below it, indented, a name for each", "servers is a %s, not a map", v.Kind)
		}
		return
	}
	if len(v.Pairs) > MaxServers {
		r.report(v.Span, "name fewer", "there are more than %d servers; none is used", MaxServers)
		return
	}
	for i := range v.Pairs {
		e := &v.Pairs[i]
		r.wrong = false
		before := len(r.diags)
		s := Server{Name: e.Key, File: r.src.Name, Line: r.src.Pos(e.KeySpan.Start).Line}
		if !ValidServer(e.Key) {
			r.report(e.KeySpan, "use letters, digits, . _ and -, 64 at most", "a server can not be named %q", e.Key)
		} else if e.Value.Kind != definition.Map {
			r.report(e.Value.Span, "write its command or its url below it", "the server %s is a %s, not a map", e.Key, e.Value.Kind)
		} else {
			for j := range e.Value.Pairs {
				r.key(&s, &e.Value.Pairs[j])
			}
			// What is missing after an error in a key is missing for its sake.
			if !r.wrong {
				r.whole(&s, e)
			}
		}
		if !r.wrong {
			r.list = append(r.list, s)
		} else if ValidServer(s.Name) {
			r.broken = append(r.broken, Broken{s.Name, r.diags[before]})
		}
	}
}

// ValidServer reports whether a text can name a server: it becomes a part of
// names.
func ValidServer(name string) bool {
	plain := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.'
	}
	return name != "" && len(name) <= 64 && name[0] != '.' && !strings.ContainsFunc(name, func(c rune) bool { return !plain(c) })
}

func (r *configReader) key(s *Server, e *definition.Entry) {
	switch e.Key {
	case "command":
		s.Command = r.words(e)
	case "url":
		s.URL = r.text(e)
		if problem := badURL(s.URL); problem != "" {
			r.report(e.Value.Span, "write https://HOST/PATH, or http:// for this machine", "url %s", problem)
		}
	case "env":
		s.Env = r.texts(e)
	case "headers":
		s.Headers = r.texts(e)
	case "helper":
		s.Helper = r.words(e)
	case "helper-env":
		s.HelperEnv = r.text(e)
	case "timeout":
		d, err := time.ParseDuration(e.Value.Text)
		if err != nil || d <= 0 || d > MaxDeadline {
			r.report(e.Value.Span, "write a time such as 5s, 1m at most", "timeout is %q", e.Value.Text)
		}
		s.Timeout = d
	default:
		r.report(e.KeySpan, "use command, url, env, headers, helper, helper-env, timeout", "there is no key %q in a server", e.Key)
	}
}

// whole judges what single keys do not show.
func (r *configReader) whole(s *Server, e *definition.Entry) {
	switch {
	case len(s.Command) == 0 && s.URL == "":
		r.report(e.KeySpan, "give it a command (stdio) or a url (HTTP)", "the server %s has neither a command nor a url", s.Name)
	case len(s.Command) > 0 && s.URL != "":
		r.report(e.KeySpan, "leave one of the two out", "the server %s has both a command and a url", s.Name)
	case s.URL == "" && s.Headers != nil:
		r.report(e.KeySpan, "use env", "the server %s has headers, which a program does not get", s.Name)
	case s.URL != "" && (s.Env != nil || s.HelperEnv != ""):
		r.report(e.KeySpan, "use headers", "the server %s has variables, which an address does not get", s.Name)
	case s.URL == "" && len(s.Helper) > 0 && !validVariable(s.HelperEnv):
		r.report(e.KeySpan, "name the variable with helper-env", "the secret of the helper has no variable to go to")
	}
	for name := range s.Env {
		if !validVariable(name) {
			r.report(e.KeySpan, "use letters, digits and _", "%q is not the name of a variable", name)
		}
	}
	for name, value := range s.Headers {
		if !validHeader(name) || strings.ContainsFunc(value, func(c rune) bool { return c < ' ' || c == 0x7f }) {
			r.report(e.KeySpan, "write NAME: value", "%q is not a header that can be sent", name)
		} else if secretnames.May(name) && !strings.Contains(value, "${") {
			r.report(e.KeySpan, "write ${NAME} for a variable of the environment, or name a helper", "the secret of the header %s is written out", name)
		}
	}
}

func validVariable(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_'
	})
}

func validHeader(name string) bool {
	switch strings.ToLower(name) {
	case "", "host", "content-length", "content-type", "transfer-encoding", "connection", "accept":
		return false
	}
	return validVariable(strings.ReplaceAll(name, "-", "_"))
}

// badURL says why an address is not connected to, or "". A secret sent over a
// network without TLS is known to all on the way.
func badURL(s string) string {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || u.Opaque != "":
		return "is no address"
	case u.User != nil:
		return "has a name or a secret in it"
	case u.Fragment != "":
		return "has a fragment"
	case secretQuery(u):
		return "has a secret in its query, which is shown and recorded with it: send it as a header"
	case u.Scheme == "https" || u.Scheme == "http" && loopback(u.Hostname()):
		return ""
	}
	return "is not https"
}

func secretQuery(u *url.URL) bool {
	for name := range u.Query() {
		if secretnames.May(name) {
			return true
		}
	}
	return false
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

func (r *configReader) text(e *definition.Entry) string {
	text, problem := frontmatter.Text(e.Value)
	if problem == "" && text == "" {
		problem = "is empty"
	}
	if problem != "" {
		r.report(e.Value.Span, "write a text", "%s %s", e.Key, problem)
	}
	return text
}

func (r *configReader) texts(e *definition.Entry) map[string]string {
	if e.Value.Kind != definition.Map {
		r.report(e.Value.Span, "write NAME: value below it", "%s is a %s, not a map", e.Key, e.Value.Kind)
		return nil
	}
	m := map[string]string{}
	for i := range e.Value.Pairs {
		m[e.Value.Pairs[i].Key] = r.text(&e.Value.Pairs[i])
	}
	return m
}

// words reads a command. It has to be a list, so that nothing divides a text.
func (r *configReader) words(e *definition.Entry) []string {
	if e.Value.Kind != definition.List || len(e.Value.Items) == 0 {
		r.report(e.Value.Span, `write a list: ["program", "argument"]`, "%s is not a list of words", e.Key)
		return nil
	}
	var words []string
	for _, item := range e.Value.Items {
		text, problem := frontmatter.Text(item)
		if problem != "" || strings.Contains(text, "\x00") {
			r.report(item.Span, "write texts", "a word of %s is no text", e.Key)
		}
		words = append(words, text)
	}
	if words[0] == "" || strings.Contains(words[0], "/") && !strings.HasPrefix(words[0], "/") {
		r.report(e.Value.Span, "write the name of a program, or its whole path", "%s begins with %q, which is neither a name nor a whole path", e.Key, words[0])
	}
	return words
}
