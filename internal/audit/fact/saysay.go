package fact

import (
	"slices"
	"strings"
)

// say takes the sayings from the sentences of a region.
func (s *stander) say(i int, sents []sentence, under mode) {
	f := s.facts
	r := &s.list[i]
	switch r.Medium {
	case Prose, Frontmatter, Comment:
		s.role(i, under)
	}
	var prior *sentence
	for k := range sents {
		x := &sents[k]
		if len(f.Sayings) >= maxFacts {
			return
		}
		t := talk{x: x, prior: prior, flip: under.forbidden, code: r.Medium == Fence && r.Lang != "" && r.Lang != "md" && r.Lang != "txt"}
		prior = x
		t.topics()
		if len(t.about) == 0 {
			continue
		}
		standing := r.Standing
		standing.Forbidden = false
		standing.Quoted = under.quoted || t.reported()
		at := r.At(x.start, x.end)
		f.Sayings = append(f.Sayings, Saying{
			Place: at, Standing: standing, Text: strings.TrimSpace(r.Text[min(x.start, len(r.Text)):min(x.end, len(r.Text))]),
			Verb: t.verb, Object: t.object, Topics: t.about, Firm: t.firm, Tongue: x.tongue, region: s.base + i,
		})
	}
}

// value takes the sayings from a file of data or of configuration.
func (s *stander) value(i int) {
	r := &s.list[i]
	switch r.Lang {
	case "", "txt", "md", "json", "yaml", "toml", "html", "ini":
		s.long(r)
		s.say(i, s.reading.sentences(headOf(r.Text, maxSaid), true), mode{})
	}
}

// say brings the standing of the sayings up to what was found after they were made.
func (f *Facts) say(*Region) {
	if f.shown {
		return
	}
	f.shown = true
	for i := range f.Sayings {
		x := &f.Sayings[i]
		if x.region < len(f.Regions) {
			x.Hidden = x.Hidden || f.Regions[x.region].Hidden
			x.Packed = x.Packed || f.Regions[x.region].Packed
		}
	}
}

// talk is the judging of one sentence.
type talk struct {
	x, prior     *sentence
	about, firm  []Topic
	verb, object string
	// flip: what stands above forbids what the sentence says.
	flip bool
	// code: the sentence is a comment of code.
	code bool
}

func (t *talk) on(topic Topic, firm bool, verb, object int) {
	if !slices.Contains(t.about, topic) {
		t.about = append(t.about, topic)
	}
	// Under a heading that forbids, only what begins with the verb is surely forbidden.
	firm = firm && (!t.flip || verb >= 0 && verb <= 1)
	if firm && !slices.Contains(t.firm, topic) {
		t.firm = append(t.firm, topic)
	}
	if t.verb == "" && verb >= 0 {
		t.verb = plainName(t.x.tokens[verb].class)
	}
	if t.object == "" && object >= 0 {
		t.object = plainName(t.x.tokens[object].class)
	}
}

// plainName is the English name of a meaning.
func plainName(c class) string {
	for _, e := range [...]struct {
		class class
		name  string
	}{
		{cHide, "hide"}, {cTell, "tell"}, {cShow, "show"}, {cKnow, "know"}, {cSend, "send"}, {cCollect, "collect"}, {cPay, "pay"}, {cRaise, "elevate"},
		{cIgnore, "ignore"}, {cOff, "disable"}, {cRefuse, "refuse"}, {cLie, "deceive"}, {cConfirm, "confirm"}, {cFetch, "fetch"}, {cFollow, "follow"},
		{cTreat, "treat"}, {cAdd, "add"}, {cChange, "change"}, {cRun, "run"}, {cUser, "user"}, {cSecret, "secret"}, {cTalk, "conversation"},
		{cOrder, "instruction"}, {cGuard, "guard"}, {cRecord, "log"}, {cSetting, "setting"}, {cData, "data"}, {cPlace, "server"}, {cAgent, "agent"},
	} {
		if c&e.class != 0 {
			return e.name
		}
	}
	return ""
}
