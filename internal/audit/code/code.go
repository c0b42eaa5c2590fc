// Package code finds signals in code of all programming languages but those of commands. One
// mechanism reads them all: a tolerant parser that tables adapt to each language, and an
// interpreter that follows what values are made of without running anything. How languages are
// written is in languages.txt, what calls do in calls.txt.
//
// Read lex.go (tokens), parse.go, operand.go and define.go (nodes), value.go (what is known of an
// expression), eval.go (statements and variables) and call.go (what is called). effect.go leads
// from the rows of calls.txt to what calls do: process.go, network.go, file.go and text.go.
//
// Text that reaches a shell or an interpreter becomes a region of its own.
package code

import (
	"slices"
	"strconv"
	"strings"

	"github.com/vadehq/vade/internal/audit/signal"
)

// Extractor finds the signals of code. Use one for each package.
type Extractor struct {
	set *signal.Set
	// globals are the variables of the regions of one file that were read before, by language:
	// the cells of a notebook, the blocks of a page.
	globals map[string]*scope
	// files are what the code of the package wrote to paths.
	files map[string]value
}

// New returns an extractor.
func New() *Extractor { return &Extractor{} }

// Region reads one region, if it is code in a language that languages.txt has.
func (x *Extractor) Region(s *signal.Set, index int) {
	if x.set != s {
		x.set, x.globals, x.files = s, map[string]*scope{}, map[string]value{}
	}
	r := &s.Regions[index]
	make := languages()[r.Lang]
	blank := strings.TrimSpace(r.Text) == ""
	if make == nil || r.Medium == signal.Prose || r.Medium == signal.Frontmatter || blank {
		return
	}
	c := &reader{
		language: make(), set: s, region: index, src: r.Text,
		fields: map[string]value{}, files: x.files,
	}
	key := c.name + " " + strconv.Itoa(r.File)
	c.global = &scope{parent: x.globals[key]}
	x.globals[key] = c.global
	c.read()
}

// Finish does nothing: all signals are added with their regions.
func (x *Extractor) Finish(*signal.Set) {}

// read follows the values of the region. If there are fields of objects, it does so again with what
// is then known of them. The signals are those of the last time.
func (c *reader) read() {
	program, funcs, complete := parse(c.language, c.src)
	c.funcs = funcs
	for turn := 0; turn == 0 || turn == 1 && len(c.fields) > 0 && c.steps < maxSteps/2; turn++ {
		for _, f := range c.defined {
			f.runs, f.steps = 0, 0
		}
		c.global.vars, c.seen = map[string]value{}, map[string]bool{}
		c.procs, c.found, c.defined = nil, nil, nil
		c.statements(program, c.global)
		for i := 0; i < len(c.defined); i++ {
			if f := c.defined[i]; f.runs == 0 {
				c.apply(f, nil, nil)
			}
		}
		c.finish()
	}
	for _, add := range c.found {
		add()
	}
	if !complete || c.steps > maxSteps {
		c.miss(signal.MissedTooMany, "there is more code than is followed")
	}
}

// add adds a signal, once for each place.
func (c *reader) add(kind signal.Kind, n *node, subject, object string, tags ...signal.Tag) {
	slices.Sort(tags)
	tags = slices.Compact(tags)
	key := string(kind) + strconv.Itoa(n.start) + object + " " + subject
	for _, t := range tags {
		key += " " + string(t)
	}
	if c.once(key) {
		end := max(n.end, n.start+1)
		c.found = append(c.found, func() { c.set.Add(kind, c.region, n.start, end, subject, object, tags...) })
	}
}

func (c *reader) miss(why signal.Reason, note string) {
	c.set.Miss(c.set.Regions[c.region].File, why, note)
}

// once reports whether something is found for the first time in this turn.
func (c *reader) once(key string) bool {
	if c.quiet || c.seen[key] {
		return false
	}
	c.seen[key] = true
	return true
}

// embed makes a region of a text that is passed to an interpreter.
func (c *reader) embed(n *node, lang, text, how string) {
	if strings.TrimSpace(text) == "" || !c.once("embed"+strconv.Itoa(n.start)+lang+text) {
		return
	}
	c.found = append(c.found, func() {
		r := &c.set.Regions[c.region]
		context := r.ContextAt(n.start)
		context.Lang = lang
		if context.Medium != signal.Fence && context.Medium != signal.CodeSpan {
			context.Medium = signal.Code
		}
		c.set.Embed(c.region, r.At(n.start, max(n.end, n.start+1)), context, text, how)
	})
}

// excerpt is the code of a node, for messages.
func (c *reader) excerpt(n *node) string { return shown(c.src[n.start:max(n.end, n.start)]) }
