package audit

import (
	"regexp"
	"strings"
	"sync"

	"github.com/vadehq/vade/internal/audit/fact"
)

// setting is a line of a configuration that means something for safety wherever it is
// put: in a block that the text says to write, or in a file to copy.
type setting struct {
	// mark is in each such line: what has none is not looked at further.
	mark string
	line *regexp.Regexp
	says string
}

// settingRules are the settings by the rule that reports them.
var settingRules = sync.OnceValue(func() map[string][]setting {
	of := func(mark, line, says string) setting { return setting{mark, regexp.MustCompile(line), says} }
	return map[string][]setting{
		"X10": {
			of("secrets", `(?i)toJSON\(\s*secrets\s*\)`, "all secrets of a pipeline are handed on"),
		},
		"X14": {
			of("folderOpen", `"runOn"\s*:\s*"folderOpen"`, "a task runs whenever a folder is opened"),
			of("LocalCommand", `^\s*LocalCommand[ \t=]+\S`, "a command runs at each connection of ssh"),
			of("fsmonitor", `^\s*fsmonitor\s*=\s*"?[~./$]`, "git is made to run a program each time: core.fsmonitor"),
		},
		"X17": {
			of("NODE_TLS_REJECT_UNAUTHORIZED", `"NODE_TLS_REJECT_UNAUTHORIZED"\s*:\s*"?0`, "the check of certificates is switched off"),
			of("trusted=yes", `\[[^\]\n]*\btrusted=yes\b`, "packages of a source are taken without their signature"),
			of("gpgcheck", `^\s*gpgcheck\s*=\s*0`, "packages of a source are taken without their signature"),
			of("/:/", `^\s*-\s*["']?/:/[\w./-]*(:rw)?["']?\s*$`, "a container gets the whole disk"),
		},
	}
})

// settings reports the settings of a rule in configurations, and in scripts that write
// them.
func (p *pass) settings() {
	rules := settingRules()[p.rule.ID]
	p.configurations(func(line string, at func(from, to int) fact.Place, s fact.Standing) {
		for k := range rules {
			if !strings.Contains(line, rules[k].mark) {
				continue
			}
			if m := rules[k].line.FindStringIndex(line); m != nil {
				p.at(at(m[0], m[1]), "%s", rules[k].says).as(Review, Medium).standing(s)
			}
		}
	})
}

// configurations goes over the lines of what may be written as a configuration.
func (p *pass) configurations(visit func(line string, at func(from, to int) fact.Place, s fact.Standing)) {
	for i := range p.Regions {
		r := &p.Regions[i]
		if r.Medium != fact.Fence && r.Medium != fact.Code && r.Medium != fact.Value {
			continue
		}
		next := 0
		for line := range strings.Lines(r.Text) {
			start := next
			next += len(line)
			s := r.StandingAt(start)
			s.Beside = s.Apart()
			visit(line, func(from, to int) fact.Place { return r.At(start+from, start+to) }, s)
		}
	}
}
