// Package network finds URLs in all texts of a package, and texts that say that a program
// must be installed first.
package network

import (
	"strings"

	"github.com/vadehq/vade/internal/audit/known"
	"github.com/vadehq/vade/internal/audit/signal"
)

// Extractor finds Address and Lure signals, and Send signals for images and links whose URL
// the model fills in with what it knows.
type Extractor struct {
	// found are the URLs by region.
	found map[int][]url
}

// New returns an extractor for one package.
func New() *Extractor { return &Extractor{found: map[int][]url{}} }

// url is a URL in the text of a region.
type url struct {
	from, to            int
	text                string
	scheme, host, route string
	tags                []signal.Tag
	// label is the text of the link that leads there. image: it is shown, not followed.
	label string
	image bool
	// defanged: it is written so that nothing makes a link of it, as in hxxp://a[.]b.
	defanged bool
}

func (u *url) is(tag signal.Tag) bool {
	for _, t := range u.tags {
		if t == tag {
			return true
		}
	}
	return false
}

// maxURLs bounds the URLs of one region.
const maxURLs = 5000

// Region finds the URLs of a region.
func (x *Extractor) Region(s *signal.Set, index int) {
	r := &s.Regions[index]
	code := r.Medium != signal.Prose && r.Medium != signal.Comment && r.Medium != signal.Frontmatter
	text := r.Text
	if r.Medium == signal.Prose {
		// Code spans are regions of their own.
		text = withoutSpans(text)
	}
	list := find(text, code)
	for i := range list {
		u := &list[i]
		if !code {
			u.label, u.image = label(text, u.from)
		}
		x.address(s, index, u)
	}
	if len(list) > 0 {
		x.found[index] = list
	}
}

// address adds the signals of one URL.
func (x *Extractor) address(s *signal.Set, index int, u *url) {
	tags := u.tags
	if u.image {
		tags = append(tags, "image")
	} else if u.label != "" {
		tags = append(tags, "link")
		if labelled(u) {
			tags = append(tags, "label")
		}
	}
	if u.scheme == "http" || u.scheme == "ftp" {
		tags = append(tags, "plain")
	}
	if head, _, ok := strings.Cut(u.text[len(u.scheme):], "@"); ok && !strings.ContainsAny(strings.TrimPrefix(head, "://"), "/?#") && strings.HasPrefix(u.scheme, "http") {
		tags = append(tags, "userinfo")
	}
	if lookAlike(u.host) {
		tags = append(tags, "look-alike")
	}
	if template(u.route) || template(u.host) {
		tags = append(tags, "template")
	}
	c := s.Regions[index].ContextAt(u.from)
	if u.defanged && c.Intent == signal.Instructed {
		c.Intent = signal.Quoted
	}
	a := signal.Signal{Kind: signal.Address, Place: s.Regions[index].At(u.from, u.to), Context: c, Tags: tags, Subject: short(u.text), Object: u.host, Unit: index, How: s.Regions[index].How}
	if asset, ok := known.Forge(u.host, u.route); ok {
		a.Owner = asset.Owner
	}
	s.AddAt(a)
	if what := filledIn(u); what != "" {
		a.Kind, a.Tags, a.Subject = signal.Send, append([]signal.Tag{"image", "conversation", "query"}, u.tags...), what
		s.AddAt(a)
	}
}

// short cuts a URL for a message.
func short(u string) string {
	if len(u) > 100 {
		u = u[:100]
	}
	return strings.ToValidUTF8(u, "?")
}

// labelled reports whether the text of a link is a URL of another site.
func labelled(u *url) bool {
	text := strings.Trim(u.label, "`*_ ")
	if strings.ContainsAny(text, " \n") || !strings.Contains(text, ".") {
		return false
	}
	scheme, host, _ := known.Split(text)
	if scheme == "" && !plainHost(host) || !strings.Contains(host, ".") || endsInFile(host) {
		return false
	}
	return known.Site(host) != known.Site(u.host) && !u.is("computed")
}

// endsInFile reports whether what looks like a host is the name of a file.
func endsInFile(host string) bool {
	switch host[strings.LastIndexByte(host, '.')+1:] {
	case "md", "py", "sh", "js", "ts", "rs", "go", "json", "txt", "html", "pdf", "toml", "yaml", "yml", "zip", "rb", "pl":
		return true
	}
	return false
}

// lookAlike reports whether a host passes for a well-known one: a known name with a prefix
// or suffix, or in a label of another domain, as in github.com.files.example.
func lookAlike(host string) bool {
	if strings.HasPrefix(host, "xn--") || strings.Contains(host, ".xn--") {
		return true
	}
	for _, name := range [...]string{"github.com", "gitlab.com", "npmjs.com", "pypi.org", "google.com", "microsoft.com", "apple.com", "anthropic.com", "openai.com"} {
		if i := strings.Index(host, name+"."); i >= 0 && (i == 0 || host[i-1] == '.') {
			return true
		}
	}
	return false
}

// template reports whether a part of a URL is to be filled in.
func template(s string) bool {
	if strings.ContainsAny(s, "{}<>$") || strings.Contains(s, "...") || strings.Contains(s, "…") || strings.Contains(s, "%s") {
		return true
	}
	upper := strings.ToUpper(s)
	return strings.Contains(upper, "YOUR_") || strings.Contains(upper, "YOUR-") || strings.Contains(upper, "XXXX")
}

// filledIn names the first placeholder in the URL of an image, or in the query of a link,
// that stands for what the model was told or has read; "" if there is none.
func filledIn(u *url) string {
	if !u.image && u.label == "" || u.is("private") || strings.Contains(u.host, "shields.io") || strings.Contains(u.host+u.route, "badge") {
		return ""
	}
	rest := u.route
	if !u.image {
		_, query, ok := strings.Cut(u.route, "?")
		if !ok {
			return ""
		}
		rest = query
	}
	for at := strings.IndexAny(rest, "{<[$"); at >= 0; at = strings.IndexAny(rest, "{<[$") {
		name := strings.TrimLeft(rest[at:], "{<[$")
		rest = name
		if end := strings.IndexAny(name, "}>]&/"); end >= 0 {
			name, rest = name[:end], name[end:]
		}
		if toldOrRead(name, u.image) {
			return name
		}
	}
	return ""
}

// toldOrRead reports whether the name of a placeholder is about what was said, or for an
// image also about what was read.
func toldOrRead(name string, image bool) bool {
	low := strings.ToLower(name)
	has := func(list ...string) bool {
		for _, stem := range list {
			if strings.Contains(low, stem) {
				return true
			}
		}
		return false
	}
	if has("conversation", "chat", "history", "transcript", "memory", "对话", "переписк") {
		return true
	}
	return image && !has("database", "environment") && has("prompt", "context", "secret", "password", "credential", "message", "api_key", "apikey", "token", "env", "data", "response", "answer", "content", "summary", "base64", "b64", "encoded", "payload", "input", "result", "output")
}
