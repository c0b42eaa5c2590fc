package manifest

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/lazyregexp"
)

// maxSwitches limits the length of a text that is searched for switches.
const maxSwitches = 16 << 10

const guards = `(?:confirm|permission|approv|prompt|sandbox|guard|safety|validation|verif|polic|audit)`

// guardOff is a setting that turns off a safeguard, such as allow_all_tools=true and
// "sandbox": "off".
var guardOff = lazyregexp.New(`(?i)\b((?:[a-z]+[_-])*(?:(?:allow|grant|approve|accept|trust)[_-]?(?:all|any|every)[\w-]*` +
	`|(?:skip|bypass|disable|ignore)[_-]?[a-z_-]*` + guards + `\w*|` + guards + `\w*[_-](?:skip|bypass|disabled)))` +
	`["']?\s*[:=]\s*["']?(?:true|1|yes|on|all|\*)(?:\W|$)` +
	`|\b((?:[a-z]+[_-])*(?:(?:safe|strict|trust|restricted|secure)[_-]?mode|policy[_-]file` +
	`|(?:sandbox|enforcement|confirmations?|approvals?|audit[_-]?log|guard(?:rails?)?|permissions?|network[_-]access)` +
	`(?:[_-](?:enabled|mode|required|policy))?|require[_-](?:approval|confirmation)))` +
	`["']?\s*[:=]\s*["']?(?:false|0|no|off|disabled?|none|never|log[_-]only|permissive|unrestricted)\b`)

// switches adds a signal about a block of code that turns off several safeguards of an agent. One
// alone is an option of a program; nobody needs several.
func switches(s *signal.Set, index int) {
	r := &s.Regions[index]
	if r.Medium != signal.Fence || len(r.Text) > maxSwitches || !strings.ContainsAny(r.Text, ":=") {
		return
	}
	var found []string
	at := len(r.Text)
	for _, m := range guardOff().FindAllStringSubmatchIndex(r.Text, 64) {
		from, to := max(m[2], m[4]), max(m[3], m[5])
		at = min(at, from)
		found = append(found, strings.ToLower(r.Text[from:to]))
	}
	slices.Sort(found)
	if found = slices.Compact(found); len(found) < 2 {
		return
	}
	x := signal.Signal{
		Kind: signal.Weaken, Place: r.At(at, at+1), Context: r.ContextAt(at), Tags: []signal.Tag{"agent-guards", "several"},
		Object: strings.Join(found, ", "), Unit: index,
	}
	x.Subject, _, _ = strings.Cut(r.Text[at:], "\n")
	s.AddAt(x)
}
