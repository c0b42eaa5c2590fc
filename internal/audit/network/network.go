// Package network finds the URLs in a package's text, and text that tells the reader to install a
// program before using the package.
package network

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/vadehq/vade/internal/audit/known"
	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/lazyregexp"
)

// Extractor finds Address and Lure signals. If the model is told to put data into the URL of an
// image or link, it also finds Send signals.
type Extractor struct {
	set *signal.Set
	// found holds the URLs in each region, by the region's index.
	found map[int][]url
	// code is the package's code in lowercase, up to maxCode bytes. It is computed when it is first
	// needed.
	code string
}

// New returns an extractor for one package.
func New() *Extractor { return &Extractor{found: map[int][]url{}} }

// url is a URL in the text of a region.
type url struct {
	from, to           int
	text               string
	scheme, host, path string
	tags               []signal.Tag
	// link reports whether the URL is the target of a link or image. image reports whether it is
	// the target of an image, which is displayed without being followed.
	link, image bool
	// defanged reports whether the URL is deliberately written so that it does not work as a link,
	// as in hxxp://a[.]b.
	defanged bool
}

func (u *url) hasTag(list ...signal.Tag) bool {
	return slices.ContainsFunc(list, func(t signal.Tag) bool { return slices.Contains(u.tags, t) })
}

//go:embed names.txt
var namesText string

var names = sync.OnceValue(func() known.Words { return known.ReadWords(namesText) })

// Region finds the URLs in a region.
func (x *Extractor) Region(s *signal.Set, index int) {
	r := &s.Regions[index]
	code := !r.Medium.IsText()
	text := r.Text
	if r.Medium == signal.Prose && strings.IndexByte(text, '`') >= 0 {
		// Code spans are regions of their own.
		text = spans().ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat(" ", len(s)) })
	}
	list := find(text, code)
	for i := range list {
		u := &list[i]
		if !code {
			u.link, u.image = linkKind(text, u.from)
		}
		x.address(s, index, u)
	}
	if len(list) > 0 {
		x.found[index] = list
	}
}

var spans = lazyregexp.New("``[^`]+``|`[^`]+`")

// address adds the signals for one URL.
func (x *Extractor) address(s *signal.Set, index int, u *url) {
	tags := slices.Clip(u.tags)
	if u.scheme == "http" || u.scheme == "ftp" {
		tags = append(tags, "plain")
	}
	if template().MatchString(u.host + u.path) {
		tags = append(tags, "template")
	}
	r := &s.Regions[index]
	c := r.ContextAt(u.from)
	if u.defanged && c.Intent == signal.Instructed {
		c.Intent = signal.Quoted
	}
	a := signal.Signal{
		Kind: signal.Address, Place: r.At(u.from, u.to), Context: c, Tags: tags,
		Subject: shortURL(u.text), Object: u.host, Unit: index, Encodings: r.Encodings,
	}
	if asset, ok := known.Forge(u.host, u.path); ok {
		a.Owner = asset.Owner
	}
	s.AddAt(a)
	if what := modelPlaceholder(u); what != "" {
		a.Kind, a.Subject = signal.Send, what
		a.Tags = append([]signal.Tag{"image", "conversation", "query"}, u.tags...)
		s.AddAt(a)
	}
}

// template matches a placeholder in a URL.
var template = lazyregexp.New(`(?i)[{}<>$…]|\.\.\.|%s|your[-_]|xxxx`)

// shortURL truncates a URL for use in a message.
func shortURL(u string) string { return strings.ToValidUTF8(u[:min(len(u), 100)], "?") }

// modelPlaceholder returns the first placeholder in a URL that the model is supposed to replace
// with what it was told or, in the URL of an image, with what it has read. In the URL of a link, it
// considers only the query. Without such a placeholder, it returns "".
func modelPlaceholder(u *url) string {
	badge := strings.Contains(u.host, "shields.io") || strings.Contains(u.host+u.path, "badge")
	if !u.link || u.hasTag("private") || badge {
		return ""
	}
	rest := u.path
	if !u.image {
		_, rest, _ = strings.Cut(u.path, "?")
	}
	for _, match := range placeholder().FindAllStringSubmatch(rest, -1) {
		name := strings.ToLower(match[1])
		read := u.image && names().FirstIn(name, "read") != "" && names().FirstIn(name, "neither") == ""
		if read || names().FirstIn(name, "said") != "" {
			return match[1]
		}
	}
	return ""
}

var placeholder = lazyregexp.New(`[{<\[$]+([^{<\[$}>\]&/]+)`)

// linkKind reports whether the URL at offset at is the target of a link or image. image reports
// whether it is the target of an image.
func linkKind(text string, at int) (link, image bool) {
	match := linkPrefix().FindStringSubmatch(strings.TrimRight(text[max(0, at-400):at], " <"))
	if match == nil {
		return false, false
	}
	return true, match[1] != "" || match[2] == "img"
}

// linkPrefix matches the text before a link's or image's URL in Markdown or HTML.
var linkPrefix = lazyregexp.New(`(!?)\[(?:[^\[\]]|\[[^\[\]]*\])*\]\($|<(img|a)\s[^<>]*$`)
