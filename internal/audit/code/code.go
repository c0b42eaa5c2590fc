// Package code finds signals in code in all supported programming languages except shells. It uses
// a tolerant parser, adapted to each language by tables, and an interpreter that tracks where
// values come from without running anything. languages.txt describes each language's syntax, and
// calls.txt describes what calls do.
package code

import (
	"slices"
	"strconv"
	"strings"

	"github.com/vadehq/vade/internal/audit/signal"
)

// Extractor finds signals in code. Use a separate one for each package.
type Extractor struct {
	// globals holds the global variables of the regions that were already read, by language and
	// file. The cells of a notebook share variables, as do the code blocks on a page.
	globals map[string]*scope
	// files holds the sources of the content of each file that the package's code writes. The keys
	// are paths.
	files map[string]value
}

// New returns an extractor.
func New() *Extractor {
	return &Extractor{globals: map[string]*scope{}, files: map[string]value{}}
}

// Region reads a region if its language is in languages.txt.
func (x *Extractor) Region(s *signal.Set, index int) {
	r := &s.Regions[index]
	make := languages()[r.Lang]
	blank := strings.TrimSpace(r.Text) == ""
	if make == nil || r.Medium == signal.Prose || r.Medium == signal.Frontmatter || blank {
		return
	}
	c := &reader{
		language: make(), set: s, region: index, src: r.Text,
		fields: map[string]value{}, files: x.files, seen: map[string]bool{}, rows: map[string]*row{},
	}
	key := c.name + " " + strconv.Itoa(r.File)
	c.global = &scope{vars: map[string]value{}, parent: x.globals[key]}
	x.globals[key] = c.global
	c.read()
}

// Finish does nothing: Region adds all signals.
func (x *Extractor) Finish(*signal.Set) {}

// read evaluates the region, including functions that it never calls.
func (c *reader) read() {
	program, funcs, complete := parse(c.language, c.src)
	c.funcs = funcs
	c.statements(program, c.global)
	for i := 0; i < len(c.defined); i++ {
		if f := c.defined[i]; f.evals == 0 {
			c.apply(f, nil, nil)
		}
	}
	if !complete || c.steps > maxSteps {
		c.set.Miss(c.set.Regions[c.region].File, signal.MissedTooMany, "too much code to analyze")
	}
}

// addSignal adds a signal unless an identical one was already added at the same location.
func (c *reader) addSignal(kind signal.Kind, n *node, subject, object string, tags ...signal.Tag) {
	slices.Sort(tags)
	tags = slices.Compact(tags)
	key := string(kind) + strconv.Itoa(n.start) + object + " " + subject
	for _, t := range tags {
		key += " " + string(t)
	}
	if c.isNew(key) {
		c.set.Add(kind, c.region, n.start, max(n.end, n.start+1), subject, object, tags...)
	}
}

// isNew reports whether key is new, and records it.
func (c *reader) isNew(key string) bool {
	if c.seen[key] {
		return false
	}
	c.seen[key] = true
	return true
}

// embed adds a region for code in a string, unless it already added an identical one. how is the
// encoding that the text was decoded from, or "" if it was not encoded.
func (c *reader) embed(n *node, lang, text, how string) {
	if lang == "" || strings.TrimSpace(text) == "" || !c.isNew("embed"+strconv.Itoa(n.start)+lang+text) {
		return
	}
	r := &c.set.Regions[c.region]
	context := r.ContextAt(n.start)
	context.Lang = lang
	if context.Medium != signal.Fence && context.Medium != signal.CodeSpan {
		context.Medium = signal.Code
	}
	c.set.Embed(c.region, r.At(n.start, max(n.end, n.start+1)), context, text, how)
}

// excerpt returns a node's code, formatted for messages.
func (c *reader) excerpt(n *node) string { return shorten(c.src[n.start:max(n.end, n.start)]) }
