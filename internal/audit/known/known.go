// Package known classifies hosts, paths and environment variables using the tables in this
// directory. Examples of classes are services on which anyone can store files, files that hold
// credentials, and directories from which the system starts programs.
package known

import (
	_ "embed"
	"iter"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/secret"
)

//go:embed hosts.txt
var hostsText string

//go:embed paths.txt
var pathsText string

//go:embed owners.txt
var ownersText string

//go:embed names.txt
var namesText string

var names = sync.OnceValue(func() Words { return ReadWords(namesText) })

// hostRow assigns tag to each URL on a host if the URL's path starts with path.
type hostRow struct {
	tag  signal.Tag
	path string
}

var hosts = sync.OnceValue(func() map[string][]hostRow {
	table := map[string][]hostRow{}
	for fields := range rows(hostsText) {
		for _, name := range fields[1:] {
			at := strings.IndexByte(name, '/')
			if at < 0 {
				at = len(name)
			}
			table[name[:at]] = append(table[name[:at]], hostRow{signal.Tag(fields[0]), name[at:]})
		}
	}
	return table
})

// Words maps each class in a table of words to the words in the class.
type Words map[string]map[string]bool

// ReadWords parses a table of words. Each row of the table consists of a class followed by the
// words in it.
func ReadWords(text string) Words {
	table := Words{}
	for fields := range rows(text) {
		if table[fields[0]] == nil {
			table[fields[0]] = map[string]bool{}
		}
		for _, word := range fields[1:] {
			table[fields[0]][word] = true
		}
	}
	return table
}

// FirstIn returns the alphabetically first word of a class that occurs in text, or "" if none does.
func (w Words) FirstIn(text, class string) string {
	found := ""
	for word := range w[class] {
		if strings.Contains(text, word) && (found == "" || word < found) {
			found = word
		}
	}
	return found
}

// rows yields the fields of each row in a table.
func rows(text string) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for line := range strings.Lines(text) {
			if fields := strings.Fields(line); len(fields) > 1 && fields[0] != "#" && !yield(fields) {
				return
			}
		}
	}
}

// URL returns the host in text, which is a URL or a host, along with the tags that [Host] returns
// for it. For a public host, it adds the tag "plain" if the scheme is http, ftp or tftp.
func URL(text string) (tags []signal.Tag, host string) {
	scheme, host, route := Split(text)
	tags = slices.Clip(Host(host, route))
	switch tags[0] {
	case "private", "placeholder", "metadata", "computed":
		return tags, host
	}
	if scheme == "http" || scheme == "ftp" || scheme == "tftp" {
		tags = append(tags, "plain")
	}
	return tags, host
}

// Host returns the tags for a host and for the path of a URL on that host, both in the form that
// [Split] returns. A host that is not in any table has the tag "unknown". A host that is computed
// at run time, such as "$HOST", has the tag "computed".
func Host(name, route string) []signal.Tag {
	switch {
	case name == "" || strings.ContainsAny(name, "{}<>$%()`*") ||
		strings.Contains(name, "…") || strings.Contains(name, "..."):
		return []signal.Tag{"computed"}
	case matchingRow(name, route, "metadata") != "":
		return []signal.Tag{"metadata"}
	case Private(name):
		return []signal.Tag{"private"}
	case hasWord("hostile", name):
		return []signal.Tag{"unknown", "hostile"}
	case Placeholder(name):
		return dataCollectionTags(name, route, "placeholder")
	}
	if _, odd, ok := Address(name); odd {
		return []signal.Tag{"ip", "odd"}
	} else if ok {
		return []signal.Tag{"ip"}
	}
	var tags []signal.Tag
	for _, tag := range [...]signal.Tag{
		"webhook", "messenger", "tunnel", "drop", "shortener",
		"installer", "forge", "registry", "personal", "known",
	} {
		if matchingRow(name, route, tag) == "" {
			continue
		}
		tags = append(tags, tag)
		if a, _ := Forge(name, route); tag == "forge" && (a.Kind == "release" || a.Kind == "archive") {
			tags = append(tags, "release")
		}
	}
	if tags == nil {
		return dataCollectionTags(name, route, "unknown")
	}
	return tags
}

// dataCollectionTags returns tag. If the host name or the path suggests that the site collects
// data, it also returns the tag "collecting".
func dataCollectionTags(name, route string, tag signal.Tag) []signal.Tag {
	if hasWord("collecting", name+"/"+route) {
		return []signal.Tag{tag, "collecting"}
	}
	return []signal.Tag{tag}
}

// hasWord reports whether any part of a URL is one of the words in a class.
func hasWord(class, text string) bool {
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune("./-_?", r) }) {
		if names()[class][part] {
			return true
		}
	}
	return false
}

// rowsFor yields the rows for a host and for its parent domains. It yields each row along with the
// host or domain that the row is for.
func rowsFor(name string) iter.Seq2[string, hostRow] {
	return func(yield func(string, hostRow) bool) {
		for more := true; more; _, name, more = strings.Cut(name, ".") {
			for _, row := range hosts()[name] {
				if !yield(name, row) {
					return
				}
			}
		}
	}
}

// Listed reports whether the tables contain a host, which must be lowercase, or one of its parent
// domains.
func Listed(host string) bool {
	for range rowsFor(host) {
		return true
	}
	return false
}

// matchingRow returns the host and path of the row from which a URL gets the given tag, or "" if
// there is none. The row may be for the URL's host or for one of its parent domains.
func matchingRow(name, route string, tag signal.Tag) string {
	for host, row := range rowsFor(strings.TrimPrefix(name, "www.")) {
		if row.tag == tag && strings.HasPrefix(route, row.path) {
			return host + row.path
		}
	}
	return ""
}

// Path returns the tags for a path. The path may contain ~ and variables, and its separators may be
// slashes or backslashes. Path returns nil for an ordinary path.
func Path(name string) []signal.Tag {
	if len(name) < 3 || len(name) > 1024 {
		return nil
	}
	p := normalize(name)
	if tag := pathTag(p); tag == "-" {
		return nil
	} else if tag != "" {
		return []signal.Tag{tag}
	}
	tags := [...]signal.Tag{
		host.AgentSettings: "agent-config", host.AgentMemory: "agent-memory", host.AgentHistory: "agent-history",
		host.AgentLogin: "agent-secret", host.AgentDefinition: "agent-definition",
	}
	if kind, _ := host.ReadAgentFile(p); int(kind) < len(tags) && tags[kind] != "" {
		if names()["agent-logins"][path.Base(p)] {
			return []signal.Tag{tags[kind], "agent-secret"}
		}
		return []signal.Tag{tags[kind]}
	}
	return nil
}

// normalize converts a path to lowercase with forward slashes. It removes quotes, a file:// prefix
// and a trailing slash.
func normalize(name string) string {
	p := strings.ToLower(strings.Trim(name, "\"'` "))
	p = strings.ReplaceAll(p, `\ `, " ")
	p = strings.ReplaceAll(p, `\\`, "/")
	p = strings.ReplaceAll(p, `\`, "/")
	p = strings.TrimPrefix(p, "file://")
	return strings.TrimSuffix(p, "/")
}

// Home reports whether a path is in a user's home directory.
func Home(name string) bool {
	p := normalize(name)
	for head := range names()["home"] {
		if strings.HasPrefix(p, head) {
			return true
		}
	}
	return false
}

// pathRow is a row in paths.txt.
type pathRow struct {
	tag signal.Tag
	// parts holds the path's elements. If dir is set, the row also matches everything below the
	// directory.
	parts []string
	dir   bool
	// If root is set, the row matches only absolute paths.
	root bool
}

// pathTable holds the rows of paths.txt. byName maps the first element of a path to the rows that
// start with it. patterns holds the rows whose first element is a pattern.
type pathTable struct {
	byName   map[string][]pathRow
	patterns []pathRow
}

var paths = sync.OnceValue(func() *pathTable {
	t := &pathTable{byName: map[string][]pathRow{}}
	for line := range strings.Lines(pathsText) {
		tag, name, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		r := pathRow{tag: signal.Tag(tag), dir: strings.HasSuffix(name, "/"), root: strings.HasPrefix(name, "/")}
		r.parts = strings.Split(strings.Trim(name, "/"), "/")
		if strings.Contains(r.parts[0], "*") {
			t.patterns = append(t.patterns, r)
		} else {
			t.byName[r.parts[0]] = append(t.byName[r.parts[0]], r)
		}
	}
	return t
})

// pathTag returns the tag of the longest row that matches a path, or "" if no row matches. In a row
// for a path that needs no tag, the tag is "-".
func pathTag(p string) signal.Tag {
	t := paths()
	parts := strings.Split(p, "/")
	best, length := signal.Tag(""), 0
	try := func(r *pathRow, at int) {
		if n := len(r.parts); n >= length && r.match(parts, at) && (best != "-" || n > length) {
			best, length = r.tag, n
		}
	}
	for i, part := range parts {
		for k := range t.byName[part] {
			try(&t.byName[part][k], i)
		}
	}
	for k := range t.patterns {
		try(&t.patterns[k], len(parts)-len(t.patterns[k].parts))
	}
	return best
}

func (r *pathRow) match(parts []string, at int) bool {
	end := at + len(r.parts)
	if at < 0 || end > len(parts) || !r.dir && end < len(parts) || r.root && (at != 1 || parts[0] != "") {
		return false
	}
	for i, want := range r.parts {
		if !Glob(want, parts[at+i]) {
			return false
		}
	}
	return true
}

// Glob reports whether text matches a pattern as in [path.Match], except that slashes and
// backslashes are ordinary characters.
func Glob(pattern, text string) bool {
	if !strings.ContainsAny(pattern, "*?[") {
		return pattern == text
	}
	plain := func(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, "/", "\x00"), `\`, "\x01") }
	ok, _ := path.Match(plain(pattern), plain(text))
	return ok
}

// Env returns the tags for an environment variable. If the variable's name suggests a secret, it
// returns the tag "env-secret".
func Env(name string) []signal.Tag {
	if secret.Is(name) {
		return []signal.Tag{"env-secret"}
	}
	return nil
}

var owners = sync.OnceValue(func() map[string][]string {
	table := map[string][]string{}
	for fields := range rows(ownersText) {
		table[fields[0]] = fields[1:]
	}
	return table
})

// Secret reports whether the tags are those of a file or variable that holds the user's private
// data.
func Secret(tags []signal.Tag) bool {
	return slices.ContainsFunc(tags, func(t signal.Tag) bool { return names()["secret"][string(t)] })
}

// CompareService determines whether a secret is for the service that runs the host to which the
// secret is sent. It returns "own-service" if so, "other-service" if not, and "" if the secret's
// service is unknown.
func CompareService(secret, host string) signal.Tag {
	if SecretFor(secret, host) {
		return "own-service"
	}
	for service := range names()["service"] {
		if SecretFor(secret, service) {
			return "other-service"
		}
	}
	return ""
}

// SecretFor reports whether a secret is for the service of a host, judging by the name of the
// variable or file that holds the secret. Sending such a secret to that host is normal.
func SecretFor(secret, hostName string) bool {
	secret = strings.ToLower(secret)
	mark := func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }
	for w := range strings.FieldsFuncSeq(secret, mark) {
		if slices.Contains(owners()["-"], w) {
			continue
		}
		if len(w) >= 3 && strings.Contains(hostName, w) {
			return true
		}
		for _, domain := range owners()[w] {
			if hostName == domain || strings.HasSuffix(hostName, "."+domain) {
				return true
			}
		}
	}
	return false
}
