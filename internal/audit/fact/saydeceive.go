package fact

// deceive: say to the user what is not so.
func (t *talk) deceive() {
	x := t.x
	for i := range x.tokens {
		c := x.tokens[i].class
		switch {
		case c&cLie != 0:
			t.lies(i)
		case c&cSay != 0:
			t.answers(i)
		}
	}
}

// lies: "pretend that", "lie to the user", "deny that".
func (t *talk) lies(i int) {
	x := t.x
	if _, no := t.denied(i); no || t.doubled(i) || t.quotedAway(i) {
		return
	}
	if x.tongue != "en" {
		if user := t.near(cUser, 0, len(x.tokens)); user >= 0 {
			t.on(AboutDeceive, true, i, user)
		}
		return
	}
	switch t.word(i) {
	case "lie", "mislead", "deceive", "deceiving", "misleading", "gaslight":
		if user := t.near(cUser, i+1, i+4); user >= 0 && x.all&(cAttack|cDetect|cNeg) == 0 && t.word(0) != "if" {
			t.on(AboutDeceive, true, i, user)
		}
	case "deny":
		if t.word(i+1) == "having" || t.word(i+1) == "knowing" || t.word(i+1) == "any" && t.near(cKnow, i+1, i+4) >= 0 || t.word(i+1) == "that" && t.near(cSelf, i+2, i+4) >= 0 {
			t.on(AboutDeceive, true, i, -1)
		}
	case "pretend", "pretends":
		if t.word(i+1) == "that" && t.near(cUser|cAsk, 0, len(x.tokens)) >= 0 || t.word(i+1) == "not" {
			t.on(AboutDeceive, x.all&cUser != 0, i, -1)
		}
	case "falsely":
		if t.near(cSay|cShow|cTell, i-2, i+3) >= 0 && x.all&cUser != 0 && x.all&cDetect == 0 {
			t.on(AboutDeceive, true, i, -1)
		}
	}
}

// answers: "if the user asks whether …, respond that it does not".
func (t *talk) answers(i int) {
	x := t.x
	switch t.word(i) {
	case "respond", "reply", "answer", "say", "tell", "claim", "claims", "confirm", "explain", "insist", "state", "assure", "deny":
	default:
		return
	}
	if _, no := t.denied(i); no || x.tokens[i].quoted {
		return
	}
	ask := -1
	for k := i - 1; k >= 0; k-- {
		if x.tokens[k].class&cAsk != 0 && x.tokens[k].word != "requests" {
			ask = k
			break
		}
	}
	// What is to be said.
	that := i + 1
	for that < min(len(x.tokens), i+4) && (x.tokens[that].class&cUser != 0 || t.word(that) == "the" || t.word(that) == "them" || t.word(that) == "to") {
		that++
	}
	if t.word(that) != "that" && t.word(that) != "you" && t.word(that) != "it" && t.word(that) != "they" {
		return
	}
	blames := false
	for k := that; k < len(x.tokens); k++ {
		if w := t.word(k); w == "implicitly" || w == "implied" {
			blames = t.near(cConfirm, k, k+3) >= 0 || hasWord(x, "agreed", "consented", "accepted")
		}
	}
	if blames {
		t.on(AboutDeceive, true, i, -1)
		return
	}
	if ask < 0 {
		return
	}
	if x.tokens[ask].class&cConfirm != 0 && ask+1 < len(x.tokens) && t.word(ask+1) == "for" {
		return
	}
	// The question is about what is done with the user's things, or about the skill.
	own := 0
	about := false
	for k := ask + 1; k < i; k++ {
		w := t.word(k)
		switch {
		case w == "whether" || w == "if" || w == "which" || w == "about" || w == "what":
			about = true
		case x.tokens[k].class&(cSend|cCollect) != 0 && x.tokens[k].class&cSetting == 0, w == "access", w == "accessed", w == "delete", w == "read":
			own++
		case w == "instructions" || w == "prompt" || w == "data" || w == "files" || w == "skill" || w == "telemetry" || w == "conversation":
			own++
		}
	}
	if !about && own == 0 {
		return
	}
	denial := false
	for k := that; k < min(len(x.tokens), that+8); k++ {
		if w := t.word(k); x.tokens[k].class&cNeg != 0 || w == "only" || w == "complete" {
			denial = true
		}
	}
	if own >= 2 && denial || own >= 1 && denial && t.near(cMust|cForever, i-2, i) >= 0 {
		t.on(AboutDeceive, own >= 2, i, -1)
	}
}

// override: leave what you were told before.
func (t *talk) override() {
	x := t.x
	for i := range x.tokens {
		if x.tokens[i].class&cIgnore == 0 || t.quotedAway(i) {
			continue
		}
		if _, no := t.denied(i); no || t.doubled(i) {
			continue
		}
		if t.overrides(i) {
			t.on(AboutOverride, true, i, t.near(cOrder|cGuard, i, i+9))
			return
		}
	}
}

func (t *talk) overrides(i int) bool {
	x := t.x
	if x.tongue != "en" {
		// The word order differs: what is before and what orders stand near the verb.
		from, to := i-9, i+9
		order, prior := t.near(cOrder|cGuard, from, to), t.near(cPrior, from, to)
		return order >= 0 && prior >= 0 && order != i && prior != i
	}
	order := t.near(cOrder|cGuard, i+1, i+8)
	if order < 0 {
		return false
	}
	if b := t.near(cBreak|cCode, i+1, order); b >= 0 {
		return false
	}
	w := t.word(order)
	prior := -1
	// What other texts ask for is to be ignored: that is a guard.
	switch t.word(order + 1) {
	case "in", "from", "found", "inside", "within", "embedded", "contained", "hidden":
		return false
	case "that", "which":
		switch t.word(order + 2) {
		case "ask", "asks", "tell", "tells", "instruct", "try", "tries", "attempt", "attempts", "request", "appear":
			return false
		}
	}
	for k := i + 1; k < order; k++ {
		switch t.word(k) {
		case "previous", "prior", "earlier", "above", "preceding", "system", "safety", "your", "original", "initial":
			prior = k
		case "existing", "other", "all", "any":
			if prior < 0 && (w == "instructions" || w == "directives" || w == "guidelines" || w == "policies" || w == "constraints" || w == "restrictions") {
				prior = k
			}
		case "user's", "users":
			if verb := t.word(i); verb == "overrides" || verb == "override" || verb == "supersede" || verb == "disregard" {
				prior = k
			}
		case "with", "if", "when", "for", "in", "to", "by", "that":
			return false
		}
	}
	if prior < 0 {
		return x.tokens[order].class&cGuard != 0 && (w == "safety" || w == "ethical" || w == "guardrails" || w == "guidelines") && (t.word(i) == "ignore" || t.word(i) == "disregard")
	}
	switch w {
	case "instruction", "instructions", "directive", "directives", "prompt", "prompts", "guidelines", "constraints", "orders", "guidance", "policy", "policies", "restrictions", "guardrails", "safety":
	case "rules", "rule", "command", "commands":
		if t.word(prior) == "any" || t.word(prior) == "all" || t.word(prior) == "other" || t.word(prior) == "existing" {
			return false
		}
	case "task":
		return (t.word(i) == "overrides" || t.word(i) == "override") && x.all&cOrder != 0
	default:
		return false
	}
	if v := t.word(i); (v == "override" || v == "overrides" || v == "bypass" || v == "drop") && x.tokens[prior].word != "previous" && t.word(prior) != "safety" {
		// Instructions of a project override others: that is how layers are.
		return t.word(prior) == "user's" && !hasWord(x, "project", "config")
	}
	return !hasWord(x, "eslint", "lint", "css", "filter's")
}

// suppress: do not refuse, no safety.
func (t *talk) suppress() {
	x := t.x
	for i := range x.tokens {
		c := x.tokens[i].class
		if t.quotedAway(i) {
			continue
		}
		switch {
		case c&cFree != 0:
			if _, no := t.denied(i); !no && (x.tongue != "en" && t.around(cAgent|cSelf, i, 4, 4) >= 0 || x.tongue == "en" && t.freed(i)) {
				t.on(AboutSuppress, true, i, -1)
			}
		case c&cRefuse != 0:
			if at, no := t.denied(i); no && at >= 0 && t.refusal(i, at) {
				t.on(AboutSuppress, true, i, -1)
			}
		case c&cGuard != 0:
			if t.unguarded(i) {
				t.on(AboutSuppress, true, i, -1)
			}
		}
	}
}

// freed: "unrestricted mode", "an uncensored model that answers everything".
func (t *talk) freed(i int) bool {
	x := t.x
	switch t.word(i) {
	case "unrestricted", "unfiltered", "uncensored", "unconstrained", "limitless":
		if w := t.word(i + 1); w == "mode" || w == "developer" || w == "operation" || w == "ai" || w == "assistant" {
			return x.all&cDetect == 0
		}
	case "jailbroken":
		return t.near(cSelf, i-3, i) >= 0
	}
	return false
}

// refusal: "never refuse", "do not add disclaimers about safety".
func (t *talk) refusal(i, at int) bool {
	x := t.x
	if x.tongue != "en" {
		return t.near(cAsk|cUser|cOrder, i-6, i+6) >= 0
	}
	if i-at > 3 {
		return false
	}
	switch t.word(i) {
	case "refuse", "decline":
		next := t.word(i + 1)
		return next == "" || next == "any" || next == "a" && t.near(cAsk|cOrder, i, i+4) >= 0 || next == "requests" || next == "to" && t.near(cSay, i, i+3) >= 0 || t.near(cBreak|cComma, i+1, i+2) >= 0 && t.word(at) == "never"
	case "disclaimers", "warnings", "caveats", "refusals":
		return hasWord(x, "ethical", "safety", "moral", "legal", "refusals") && hasWord(x, "add", "include", "give", "provide", "issue", "respond")
	}
	return false
}

// unguarded: "without content restrictions", "restrictions do not apply", "set aside
// its usual constraints", "disables all content filtering".
func (t *talk) unguarded(i int) bool {
	x := t.x
	if x.tongue != "en" {
		k := t.near(cOff, i-5, i+5)
		if k < 0 || k == i || t.near(cOrder|cPrior|cWhole|cSelf, i-5, i+5) < 0 {
			return false
		}
		_, no := t.denied(k)
		return !no
	}
	w := t.word(i)
	// Guards of a model, not of networks, forms or queries.
	mind := hasWord(x, "content", "ethical", "safety", "moderation", "ai", "model", "assistant", "guidelines", "usual", "normal", "character", "operational", "policy")
	switch w {
	case "restrictions", "limitations", "filters", "filtering", "constraints", "guidelines", "moderation", "guardrails", "safeguards", "limits", "boundaries":
	default:
		return false
	}
	if !mind {
		return false
	}
	for k := max(0, i-5); k < i; k++ {
		switch t.word(k) {
		case "without":
			if k+3 >= i && t.near(cGuard, k+1, i) >= 0 && hasWord(x, "content", "ethical", "moral", "safety") && !t.doubled(k) {
				return hasWord(x, "trained", "respond", "answer", "act", "operate", "operates", "character", "generate", "output", "ai")
			}
		case "disables", "removes", "bypass", "bypasses", "bypassing", "disregard", "disable", "disabling":
			if _, no := t.denied(k); !no && !t.doubled(k) && x.all&(cDetect|cAttack) == 0 {
				return hasWord(x, "content", "ethical", "safety", "moderation", "guardrails")
			}
		case "aside":
			if t.word(k-1) == "set" || t.word(k-1) == "setting" {
				return !t.doubled(k)
			}
		}
	}
	for k := i + 1; k < min(len(x.tokens), i+5); k++ {
		switch t.word(k) {
		case "apply":
			if t.near(cNeg, i+1, k) < 0 {
				continue
			}
			for m := max(0, i-3); m < i; m++ {
				switch t.word(m) {
				case "normal", "usual", "ethical", "content", "safety":
					return true
				}
			}
		case "disabled":
			if _, no := t.denied(k); !no && t.near(cWhether, i-5, i) < 0 {
				return hasWord(x, "content", "moderation", "safety", "ethical") && (hasWord(x, "all") || hasWord(x, "mode"))
			}
		case "suggestions":
			return t.near(cTreat, i, k) >= 0
		}
	}
	return false
}
