package command

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/signal"
)

// value describes what is known about the content of a word, stream or file before anything is run.
type value struct {
	// text is the content. Any part that is known only at run time, such as $HOME, is left as
	// written.
	text string
	// known reports whether text is complete. isPattern reports whether text is a pattern for the
	// content, such as a glob.
	known, isPattern bool
	// items holds the elements of an array.
	items []value
	// alternatives holds other texts that the value may have. For a loop variable, for example, it
	// holds the other items.
	alternatives []string
	// sources describes where the relevant parts of the value come from.
	sources []source
}

// sourceKind is a kind of source. If a command runs data from the source, the kind is also a tag of
// the signal.
type sourceKind signal.Tag

const (
	secret sourceKind = "secret"
	// secretPath marks a value that is the path of a secret file.
	secretPath sourceKind = "named"
	network    sourceKind = "network"
	decoded    sourceKind = "decoded"
	asset      sourceKind = "asset"
	model      sourceKind = "model"
	// shellOutput is the output of a shell that reads commands. connection is
	// data read from a connection.
	shellOutput sourceKind = "output"
	connection  sourceKind = "shell"
)

// source is relevant data that a value contains. Downloaded data has the tags of its URL, and a
// secret has the tags of its path or variable.
type source struct {
	kind sourceKind
	tags []signal.Tag
	// name is the path, variable, URL or program that the data comes from.
	name string
	// region is the region that the data comes from, and read is the index of
	// its Read signal plus one.
	region, read int
	// stored reports whether the data was written to a file and read back.
	stored bool
}

// Limits for a value.
const (
	maxText         = 64 << 10
	maxAlternatives = 16
	maxSources      = 24
)

func literal(text string) value { return value{text: text, known: true} }

func (v *value) empty() bool { return v.text == "" && len(v.sources) == 0 }

// eachText calls do for each possible text.
func (v *value) eachText(do func(text string)) {
	do(v.text)
	for _, text := range v.alternatives {
		do(text)
	}
}

// addAlternative adds another possible text.
func (v *value) addAlternative(text string) {
	switch {
	case text == "":
	case v.text == "":
		v.text, v.known, v.isPattern = text, false, true
	case len(v.alternatives) < maxAlternatives:
		v.alternatives, v.known, v.isPattern = append(slices.Clip(v.alternatives), text), false, true
	}
}

func (v *value) has(kinds ...sourceKind) bool {
	return slices.ContainsFunc(v.sources, func(c source) bool { return slices.Contains(kinds, c.kind) })
}

// encoding returns the encoding that was decoded last to obtain the value, or "" if none was.
func (v *value) encoding() string {
	for i := len(v.sources) - 1; i >= 0; i-- {
		if v.sources[i].kind == decoded {
			return v.sources[i].name
		}
	}
	return ""
}

// addSources adds sources from other values.
func (v *value) addSources(list ...source) {
	for _, c := range list {
		same := func(x source) bool { return x.kind == c.kind && x.name == c.name && len(x.tags) == len(c.tags) }
		if len(v.sources) < maxSources && !slices.ContainsFunc(v.sources, same) {
			v.sources = append(slices.Clip(v.sources), c)
		}
	}
}

// markStored returns a copy of list in which each source is marked as stored in a file.
func markStored(list []source) []source {
	list = slices.Clone(list)
	for i := range list {
		list[i].stored = true
	}
	return list
}

// tagSecrets returns a copy of list in which each secret has the given tag.
func tagSecrets(list []source, tag signal.Tag) []source {
	list = slices.Clone(list)
	for i, c := range list {
		if c.kind == secret && !slices.Contains(c.tags, tag) {
			list[i].tags = append(slices.Clip(c.tags), tag)
		}
	}
	return list
}

// concatOutput concatenates the output of two commands.
func concatOutput(a, b value) value {
	if a.empty() {
		return b
	} else if b.empty() {
		return a
	}
	out := value{sources: a.sources}
	out.addSources(b.sources...)
	if len(a.text)+len(b.text) > maxText {
		return out
	}
	if a.known && b.known {
		out.text, out.known = a.text+b.text, true
		return out
	}
	out.text, out.isPattern, out.alternatives = a.text, true, a.alternatives
	out.addAlternative(b.text)
	return out
}

// lines returns a value that can be any single line of v, as if it had been read by the shell
// builtin read.
func (v value) lines() value {
	text := strings.Trim(v.text, "\n")
	if !strings.Contains(text, "\n") {
		v.text = text
		return v
	}
	out := value{sources: v.sources, isPattern: true}
	for line := range strings.SplitSeq(text, "\n") {
		out.addAlternative(strings.TrimSpace(line))
	}
	return out
}

// withText returns a value with the given part of v's text and all of v's sources.
func (v value) withText(text string) value {
	return value{text: text, known: v.known, isPattern: v.isPattern, sources: v.sources}
}

// appendPart appends the next part of a word to v.
func (v *value) appendPart(part value) {
	v.addSources(part.sources...)
	v.isPattern = v.isPattern || part.isPattern
	v.known = v.known && part.known && len(part.alternatives) == 0
	if len(v.text)+len(part.text) > maxText {
		v.known = false
		return
	}
	if len(part.alternatives) == 0 && len(v.alternatives) == 0 {
		v.text += part.text
		return
	}
	var all []string
	v.eachText(func(head string) {
		part.eachText(func(tail string) {
			if len(all) < maxAlternatives && len(head)+len(tail) < 4096 {
				all = append(all, head+tail)
			}
		})
	})
	if len(all) > 0 {
		v.text, v.alternatives = all[0], all[1:]
	}
}

// concat joins the parts of a word. It recursively splits the list in half, so that it does not
// copy the text once for each part.
func concat(list ...value) value {
	switch n := len(list); n {
	case 0:
		return literal("")
	case 1:
		list[0].items = nil
		return list[0]
	default:
		out := concat(list[:n/2]...)
		out.appendPart(concat(list[n/2:]...))
		return out
	}
}

// joined joins words with spaces, as the shell builtin eval does.
func joined(words []value) value {
	var list []value
	for i, w := range words {
		if i > 0 {
			list = append(list, literal(" "))
		}
		list = append(list, w)
	}
	return concat(list...)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func isName(c byte) bool { return isLetter(c) || c >= '0' && c <= '9' || c == '_' }
