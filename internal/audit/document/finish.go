package document

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/audit/signal"
)

// Finish adds the signals that say what the package hides, packs and leaves unread. What
// they are about shows in the signals of the other extractors, whose Finish runs before.
func (d *reader) Finish(*signal.Set) {
	d.instructs()
	d.characters()
	d.hiddenTexts()
	u := d.usage()
	d.unread(u, d.forms(u))
}

// signal adds a signal about a place, in the context of the region around it if that is
// known.
func (d *reader) signal(kind signal.Kind, at signal.Place, unit int, subject, object string, tags ...signal.Tag) {
	x := signal.Signal{Kind: kind, Place: at, Tags: tags, Subject: subject, Object: object, Unit: unit}
	x.Context = d.context(at.File)
	if unit >= 0 && unit < len(d.set.Regions) && d.set.Regions[unit].File == at.File {
		r := &d.set.Regions[unit]
		x.Context, x.How = r.ContextAt(r.Offset(at.Span.Start)), r.How
	}
	d.set.AddAt(x)
}

//go:embed telling.txt
var tellingTable string

var tellingWords = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for row := range rowsOf(tellingTable) {
		for _, word := range strings.Fields(row) {
			all[word] = true
		}
	}
	return all
})

func telling(word string) bool { return tellingWords()[strings.ToLower(word)] }

// The least counts that are no accident: characters of no width in a row, variation
// selectors in a row or spread over a file, and telling words in disguise.
const (
	manyZeroWidth = 16
	manyInRow     = 4
	manySpread    = 8
	manyDisguised = 3
)

// place notes where a run is in the text: with its neighbors, as the text does not have it.
func (x *run) place(file int, f *signal.File) {
	from, to := f.TextOffset(x.start), f.TextOffset(x.end)
	if x.kind != "mixed" {
		if from > 0 && f.Text[from-1] != '\n' {
			from--
		}
		if to < len(f.Text) && f.Text[to] != '\n' {
			to++
		}
	}
	x.at = signal.Place{File: file, Span: diag.Span{Start: from, End: to}}
	x.chars = string(f.Shown()[x.start:x.end])
}

// spells reports whether a run spells a text.
func (x *run) spells() bool {
	return x.says != "" && (x.kind == "tag" && len(x.says) >= 3 || x.kind == "selector" || x.kind == "zero-width")
}

// spelled reads the text that the characters of a file spell.
func (d *reader) spelled(f *fileState) {
	for k := range f.runs {
		if x := &f.runs[k]; x.spells() && x.unit >= 0 {
			c := guessed(d.set.Regions[x.unit].Context, x.says)
			c.Hidden = true
			d.set.Embed(x.unit, x.at, c, x.says, string(x.kind)+" characters")
		}
	}
}

// characters adds the signals about characters that do not show, or show as others.
func (d *reader) characters() {
	disguised, seen := map[string]bool{}, map[string]bool{}
	for i := range d.files {
		for _, x := range d.files[i].runs {
			if x.kind == "mixed" && telling(x.says) {
				disguised[strings.ToLower(x.says)] = true
			}
		}
	}
	for i := range d.files {
		var spread []rune
		var first *run
		for k := range d.files[i].runs {
			x := &d.files[i].runs[k]
			if x.kind == "selector" && x.count < manyInRow {
				spread = append(spread, []rune(x.chars)...)
				first = cmp.Or(first, x)
			}
			if x.kind == "selector" && x.count < 2 || x.kind == "mixed" && seen[x.word] {
				continue
			}
			seen[x.word] = true
			d.character(x, x.kind == "mixed" && len(disguised) >= manyDisguised && disguised[strings.ToLower(x.says)])
		}
		slices.Sort(spread)
		if len(spread) >= manySpread && len(slices.Compact(spread)) >= manyInRow {
			d.signal(signal.Characters, first.at, first.unit, "they are all over the text", "", "selector", "many")
		}
	}
}

// character adds the signal of one run.
func (d *reader) character(x *run, many bool) {
	tags := []signal.Tag{x.kind}
	flag := func(on bool, tag signal.Tag) {
		if on {
			tags = append(tags, tag)
		}
	}
	flag(x.spells(), "spells")
	flag(x.turns, "turns")
	flag(d.set.Package.Files[x.at.File].RightToLeft, "right-to-left")
	flag(x.word != "" && x.kind != "mixed", "word")
	flag(telling(x.word) || x.kind == "mixed" && telling(x.says), "telling")
	flag(x.count <= 2, "few")
	flag(many, "many")
	flag(x.kind == "zero-width" && x.count >= manyZeroWidth || x.kind == "selector" && x.count >= manyInRow, "many")
	flag(x.says == "escape", "escape")
	flag(x.says == "NUL", "nul")
	subject := cmp.Or(x.word, x.says)
	if x.spells() {
		subject = x.says
	}
	d.signal(signal.Characters, x.at, x.unit, subject, x.says, tags...)
}

// graveTopics are what hidden text hardly says in good faith, secretTags are of what is secret.
const (
	graveTopics = "override role disclose history suppress propagate destroy harm obey-data must-get permission conceal deceive"
	secretTags  = "secret credential browser wallet history env-all env-secret env-file agent-secret agent-history token-command"
)

// gravity says what a signal in a hidden text means: a tag of that text, and a sign that it
// is there to do harm, "" if it is none.
func gravity(x *signal.Signal) (tag signal.Tag, sign string) {
	any := func(list string) string {
		for word := range strings.FieldsSeq(list) {
			if slices.Contains(x.Tags, signal.Tag(word)) {
				return word
			}
		}
		return ""
	}
	switch x.Kind {
	case signal.Instruct:
		if sign = any(graveTopics); sign != "" {
			return "bad-topic", strings.Replace(sign, "deceive", "conceal", 1)
		}
		return "speaks", ""
	case signal.Read, signal.Reference:
		if any(secretTags) != "" {
			return "secret", "secret"
		}
	case signal.Address, signal.Fetch, signal.Send, signal.Lure:
		if any("ip drop webhook tunnel shortener messenger") != "" || x.Kind == signal.Lure {
			return "address", "address"
		}
	case signal.Encoded:
		if any("code instructs") != "" {
			return "runs", "runs"
		}
	case signal.Run, signal.Connect, signal.Delete, signal.Weaken, signal.Sabotage:
		return "runs", "runs"
	case signal.Hook:
		if any("load") != "" {
			return "command", ""
		}
	}
	return "", ""
}

// hiddenTexts adds the signals about text that is not seen, with what it says and does.
func (d *reader) hiddenTexts() {
	type meaning struct {
		tags  []signal.Tag
		signs map[string]bool
	}
	slices.SortStableFunc(d.hidden, func(a, b hiddenText) int { return a.Place.Compare(b.Place) })
	means := make([]meaning, len(d.hidden))
	for i := range d.set.Signals {
		x := &d.set.Signals[i]
		tag, sign := gravity(x)
		if tag == "" || x.Intent == signal.Negated {
			continue
		}
		after := signal.Place{File: x.File, Span: diag.Span{Start: x.Span.Start + 1}}
		n, _ := slices.BinarySearchFunc(d.hidden, after, func(h hiddenText, at signal.Place) int {
			return h.Place.Compare(at)
		})
		for k := n - 1; k >= max(0, n-8); k-- {
			if h := &d.hidden[k]; h.File != x.File || h.Span.End < x.Span.Start {
				continue
			}
			m := &means[k]
			for _, t := range [...]signal.Tag{tag, "speaks"} {
				if (t == tag || tag == "bad-topic") && !slices.Contains(m.tags, t) {
					m.tags = append(m.tags, t)
				}
			}
			if m.signs == nil {
				m.signs = map[string]bool{}
			}
			m.signs[sign] = true
			delete(m.signs, "")
		}
	}
	pushed := map[int]bool{}
	for k, h := range d.hidden {
		list := append([]signal.Tag{h.tag}, means[k].tags...)
		if h.tag == "pushed" && len(list) == 1 && pushed[h.File] {
			continue
		}
		pushed[h.File] = pushed[h.File] || h.tag == "pushed"
		if len(means[k].signs) > 1 {
			list = append(list, "several")
		}
		if _, names, _ := address(h.text[:min(len(h.text), 400)]); names > 0 {
			list = append(list, "model")
		}
		subject := strings.ToValidUTF8(strings.TrimSpace(h.text[:min(len(h.text), 200)]), "")
		d.signal(signal.Hidden, h.Place, h.unit, subject, "", list...)
	}
}

// instructs tells which encoded texts give instructions or commands.
func (d *reader) instructs() {
	if len(d.found) == 0 {
		return
	}
	by := map[int]bool{}
	for i := range d.set.Signals {
		switch x := &d.set.Signals[i]; x.Kind {
		case signal.Instruct, signal.Run, signal.Send, signal.Fetch, signal.Delete, signal.Weaken, signal.Connect,
			signal.Install, signal.Sabotage, signal.Lure, signal.Read, signal.Write:
			for n := x.Unit; n >= 0 && n < len(d.set.Regions) && !by[n]; n = d.set.Regions[n].Parent {
				by[n] = true
			}
		}
	}
	for _, f := range d.found {
		if f.region >= 0 && by[f.region] {
			x := &d.set.Signals[f.signal]
			x.Tags = append(x.Tags, "instructs")
		}
	}
}
