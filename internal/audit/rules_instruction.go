package audit

import "github.com/vadehq/vade/internal/audit/fact"

// instructionRules are the rules of P: what the model is told.
func instructionRules() []Rule {
	return []Rule{p01(), p02(), p03(), p04(), p05(), p06(), p07(), p08(), p09(), p10(), p11(), p12(), p13()}
}

// said calls back for each saying about a topic.
func (p *pass) said(topic fact.Topic, each func(s *fact.Saying, firm bool)) {
	for i := range p.Sayings {
		if on, firm := p.Sayings[i].On(topic); on {
			each(&p.Sayings[i], firm)
		}
	}
}

// firmly reports whether a saying that is meant is firmly about a topic.
func (p *pass) firmly(topic fact.Topic) bool {
	found := false
	p.said(topic, func(s *fact.Saying, firm bool) { found = found || firm && s.Meant() && !s.Apart() })
	return found
}

// dishonest counts the kinds of dishonesty that a package has signs of: several of
// them mean something, also where each is said in a weak way.
func (p *pass) dishonest() int {
	n := 0
	for _, topic := range [...]fact.Topic{fact.AboutConceal, fact.AboutDeceive, fact.AboutControl, fact.AboutBeyond, fact.AboutPermission, fact.AboutPersist, fact.AboutDisclose, fact.AboutSuppress, fact.AboutObey} {
		found := false
		p.said(topic, func(s *fact.Saying, _ bool) { found = found || s.Meant() && !s.Beside })
		if found {
			n++
		}
	}
	return n
}

// weak shows a finding to those who ask for more.
func (f *Finding) weak() *Finding { return f.as(Inform, Low).forPersona(Pedantic) }
