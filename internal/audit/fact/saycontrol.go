package fact

// noConfirm: do not ask before.
func (t *talk) noConfirm() {
	x := t.x
	for i := range x.tokens {
		c := x.tokens[i].class
		if c&cConfirm == 0 {
			continue
		}
		gone := -1
		for k := i - 1; k >= max(0, i-6); k-- {
			d := x.tokens[k].class
			if d&cBreak != 0 {
				break
			}
			if d&cWithout != 0 || t.word(k) == "skip" || t.word(k) == "skips" || t.word(k) == "skipping" || t.word(k) == "bypass" || t.word(k) == "bypasses" || t.word(k) == "bypassing" || d&cNeg != 0 && (t.word(k) == "no" || t.verbal(i)) {
				gone = k
				break
			}
		}
		if t.late() && x.tongue != "fr" && x.tongue != "de" {
			// The word for confirming is that for checking, too.
			gone = -1
			if k := t.near(cWithout|cNeg, i+1, i+3); k >= 0 && (x.tokens[k].class&cWithout != 0 || x.tokens[i].class&cAsk != 0) {
				gone = k
			}
		}
		if gone < 0 || t.doubled(gone) {
			continue
		}
		if x.tongue == "en" && t.harmless(gone, i) {
			continue
		}
		grave := t.weighty(gone)
		t.on(AboutNoConfirm, grave, i, -1)
		return
	}
}

// verbal reports whether a word of asking is a verb here.
func (t *talk) verbal(i int) bool {
	if t.x.tongue != "en" {
		return true
	}
	switch t.word(i) {
	case "ask", "asking", "confirm", "prompted", "asked", "prompt":
		// "do not ask the user to run it" is another matter.
		next := t.word(i + 1)
		if next == "for" || next == "before" || next == "to" && t.near(cConfirm, i+2, i+4) >= 0 {
			return true
		}
		return t.near(cConfirm, i+1, i+5) >= 0 || next == "with" || i+1 >= len(t.x.tokens)
	}
	return false
}

// harmless are questions that nobody needs, and conditions.
func (t *talk) harmless(gone, i int) bool {
	if w := t.word(i); w == "ask" || w == "asking" || w == "prompt" || w == "prompting" {
		switch t.word(i + 1) {
		case "questions", "clarifying", "what", "which", "why", "how", "engineering", "them", "it":
			return true
		}
	}
	for k := max(0, gone-4); k < gone; k++ {
		switch t.word(k) {
		case "if", "when", "unless", "proceed":
			return t.word(k) != "proceed"
		}
	}
	return false
}

// weighty reports whether what is done without asking is money, deletion, publishing,
// sending, or rights, or is done against what the user set.
func (t *talk) weighty(gone int) bool {
	x := t.x
	if x.all&cRegardless != 0 && x.all&(cSetting|cUser|cCode) != 0 {
		return true
	}
	if x.all&cMoney != 0 && x.all&cPay != 0 {
		return true
	}
	for k := max(0, gone-14); k < gone; k++ {
		switch t.word(k) {
		case "purchase", "buy", "buys", "pay", "pays", "charge", "charges", "transfer", "transfers", "renews", "trade", "trades":
			return true
		case "sends", "send", "email", "emails", "publish", "publishes", "deploys", "delete", "deletes", "terminates", "uninstall", "upload", "uploads", "grants", "elevates", "escalates":
			return (x.all&cUser != 0 || t.self()) && hasWord(x, "user", "user's", "users", "immediately", "directly", "automatically", "invocation")
		}
	}
	if x.tongue != "en" && t.near(cPay|cSend|cSecret, 0, len(x.tokens)) >= 0 {
		return true
	}
	user := t.near(cUser, gone-3, gone)
	return user >= 0 && hasWord(x, "prompted") && hasWord(x, "updates", "update", "changes", "installation", "purchases")
}

// control: what the user set, wants or allowed does not count.
func (t *talk) control() {
	x := t.x
	if x.tongue != "en" {
		for i := range x.tokens {
			if x.tokens[i].class&cRegardless != 0 && t.near(cSetting, i, i+6) >= 0 && t.near(cUser, i, i+8) >= 0 {
				t.on(AboutControl, true, i, -1)
			}
		}
		return
	}
	for i := range x.tokens {
		tok := &x.tokens[i]
		switch {
		case tok.class&cRegardless != 0:
			t.regardless(i)
		case tok.class&cOff != 0 && tok.class&cIgnore == 0:
			t.cannot(i)
		case tok.class&cBeyond != 0:
			t.beyond(i)
		case tok.class&cWithout != 0:
			t.unasked(i)
		case tok.word == "after" && (t.word(i+1) == "the" && t.word(i+2) == "fact" || t.word(i+1) == "they"):
			if user := t.near(cUser, i-10, i); user >= 0 && t.near(cTell, user, i) >= 0 && (t.near(cNeg, i, len(x.tokens)) >= 0 || t.word(i+2) == "fact") {
				t.on(AboutControl, true, i, user)
			}
		}
	}
}

// regardless: "regardless of what the user sets", "the `confirm` parameter is ignored".
func (t *talk) regardless(i int) {
	x := t.x
	switch t.word(i) {
	case "ignored", "advisory":
		verb := t.word(i-1) == "is" || t.word(i-1) == "are"
		k := t.near(cSetting, i-6, i)
		if verb && k >= 0 && (t.near(cCode, k-2, k+1) >= 0 || t.near(cUser, k-3, k) >= 0) && (hasWord(x, "because", "only", "confirm", "consent", "approval") || x.all&cConfirm != 0) {
			t.on(AboutControl, true, i, k)
		}
		return
	case "regardless", "irrespective", "whatever":
	default:
		return
	}
	if t.doubled(i) {
		return
	}
	user := t.near(cUser, i, i+6)
	set := t.near(cSetting, i, i+7)
	code := t.near(cCode, i, i+4)
	switch {
	case user >= 0 && set >= 0 && set-user <= 3, code >= 0 && set > code && set-code <= 2 && hasWord(x, "apply", "applies", "proceed", "proceeds", "confirmation", "actions", "changes", "execute", "executes", "defaults"):
		t.on(AboutControl, true, i, set)
	case user >= 0 && t.near(cConfirm, user, user+4) >= 0 && t.near(cConfirm, user, user+4) != user:
		t.on(AboutControl, true, i, user)
	}
}

// cannot: "it cannot be disabled", "users cannot opt out", "cannot be changed by the user".
func (t *talk) cannot(i int) {
	x := t.x
	no := -1
	for k := max(0, i-3); k < i; k++ {
		switch t.word(k) {
		case "cannot", "can't", "not", "never":
			if t.word(k) == "cannot" || t.word(k) == "can't" || t.word(k-1) == "can" || t.word(k-1) == "may" {
				no = k
			}
		}
	}
	if no < 0 || t.flip {
		return
	}
	by := t.near(cUser, i+1, i+4) >= 0 && t.word(i+1) == "by"
	switch t.word(i) {
	case "opt", "opt-out":
		if t.word(i+1) == "out" || t.word(i) == "opt-out" {
			t.on(AboutControl, t.near(cUser, no-3, no) >= 0 || x.all&cCollect != 0, i, -1)
		}
	case "waived", "changed", "overridden", "cancelled", "stopped":
		if by {
			t.on(AboutControl, true, i, -1)
		}
	case "disabled", "uninstalled", "removed", "deactivated":
		own := hasWord(x, "telemetry", "tracking", "collection", "skill", "service", "it", "this", "monitoring", "uninstalling", "background")
		short := len(x.tokens) <= 8 && t.word(no-1) == "it"
		if by || own && hasWord(x, "telemetry", "tracking", "collection", "service", "uninstalling", "monitoring") || short && t.prior != nil && t.prior.all&(cSend|cCollect) != 0 && t.prior.all&(cOurs|cPlace) != 0 {
			t.on(AboutControl, true, i, -1)
			t.on(AboutPersist, false, i, -1)
		}
	}
}

// beyond: "beyond the user's request", "without being asked".
func (t *talk) beyond(i int) {
	x := t.x
	if _, no := t.denied(i); no || t.doubled(i) {
		return
	}
	switch t.word(i) {
	case "beyond":
		user := t.near(cUser, i, i+3)
		if user >= 0 && hasWord(x, "request", "requested", "asked", "instructions") && t.near(cOrder|cAsk, i, i+6) >= 0 {
			t.on(AboutBeyond, x.all&(cChange|cSend|cBeyond) != 0 && !hasWord(x, "suggest", "avoid", "only", "flag", "recommend", "propose", "offer", "consider"), i, user)
		}
	case "unasked", "unprompted", "unsolicited":
		t.on(AboutBeyond, false, i, -1)
	case "autonomously":
		if x.all&cRaise != 0 {
			t.on(AboutBeyond, false, i, -1)
		}
	}
}

// unasked: "pushes the branch without being asked".
func (t *talk) unasked(i int) {
	if t.word(i+1) != "being" || t.doubled(i) {
		return
	}
	switch t.word(i + 2) {
	case "asked", "requested", "prompted", "told", "invoked":
		k := -1
		for m := i - 1; m >= max(0, i-14); m-- {
			switch t.word(m) {
			case "pushes", "push", "force-push", "sends", "send", "modifies", "deletes", "installs", "deploys", "buys", "purchases", "uploads", "transmits", "publishes", "commits", "overwrites":
				k = m
			}
		}
		t.on(AboutBeyond, k >= 0 && t.self(), k, -1)
	}
}

// self reports whether the sentence says what the skill itself does, as opposed to
// what it is that makes somebody ask for it.
func (t *talk) self() bool {
	for i := range t.x.tokens {
		switch t.word(i) {
		case "skill", "assistant", "agent", "service", "plugin", "pushes", "sends", "deletes":
			if t.x.tokens[i].class != 0 {
				return true
			}
		}
	}
	return false
}

// permission: take rights, switch guards off.
func (t *talk) permission() {
	x := t.x
	for i := range x.tokens {
		c := x.tokens[i].class
		if t.quotedAway(i) {
			continue
		}
		if c&cRaise != 0 && c&cFree == 0 {
			t.raises(i)
		}
		if c&cOff != 0 {
			t.switchesOff(i)
		}
	}
}

func (t *talk) quotedAway(i int) bool { return t.x.tokens[i].quoted && t.x.all&cSay != 0 }

func (t *talk) raises(i int) {
	x := t.x
	if _, no := t.denied(i); no || t.doubled(i) {
		return
	}
	switch t.word(i) {
	case "elevates", "escalates", "elevate", "escalate":
		own := hasWord(x, "its", "own", "itself", "your")
		if k := t.near(cConfirm, i, i+7); own && (k >= 0 || hasWord(x, "trust", "privileges", "permissions", "access", "authority")) {
			t.on(AboutPermission, hasWord(x, "own", "itself", "automatically"), i, k)
		}
	case "elevated", "escalated", "unrestricted":
		if k := t.near(cConfirm, i, i+2); k >= 0 && x.all&cCovert != 0 && hasWord(x, "request", "requests", "obtain", "obtains", "gain", "acquire") {
			t.on(AboutPermission, true, i, k)
		}
	}
}

// switchesOff: "bypasses the approval workflow", "the read-only restriction is lifted".
func (t *talk) switchesOff(i int) {
	x := t.x
	if x.tongue != "en" {
		return
	}
	if _, no := t.denied(i); no || t.doubled(i) {
		return
	}
	switch w := t.word(i); w {
	case "lifted":
		if k := t.near(cGuard, i-5, i); k >= 0 {
			t.on(AboutPermission, true, i, k)
		}
	case "bypasses", "circumvents":
		if k := t.near(cConfirm|cGuard, i+1, i+6); k >= 0 && t.self() {
			t.on(AboutPermission, hasWord(x, "approval", "authorization", "safety", "review", "confirmation"), i, k)
		}
	}
}

// persist: stay in force, come back.
func (t *talk) persist() {
	x := t.x
	if x.tongue != "en" {
		return
	}
	for i := range x.tokens {
		if x.tokens[i].class&cForever == 0 {
			continue
		}
		if _, no := t.denied(i); no || t.doubled(i) {
			continue
		}
		switch t.word(i) {
		case "re":
			switch t.word(i + 1) {
			case "enables", "enable", "installs", "install", "creates", "create", "activates", "activate", "adds", "launches":
				if hasWord(x, "itself") || x.all&cUser != 0 && x.all&cOff != 0 {
					t.on(AboutPersist, true, i, -1)
				}
			}
		case "reenables", "reinstall", "reinstalls", "restores":
			if hasWord(x, "itself") || hasWord(x, "user") && hasWord(x, "cancel", "disable", "disables", "remove", "removes", "uninstall", "attempts", "delete") {
				t.on(AboutPersist, true, i, -1)
			}
		case "persistent", "permanent", "permanently", "persists", "persist":
			for k := max(0, i-3); k < i; k++ {
				switch t.word(k) {
				case "installs", "install", "builds", "registers", "leaves", "creates", "create":
					for m := i + 1; m < min(len(x.tokens), i+4); m++ {
						switch t.word(m) {
						case "service", "daemon", "agent", "task", "profile", "foothold", "hook":
							t.on(AboutPersist, t.self(), k, m)
						}
					}
				}
			}
		case "future", "subsequent", "all", "every", "later":
			if k := t.near(cTalk, i+1, i+4); k >= 0 && hasWord(x, "conversations", "sessions", "conversation", "session", "chats") {
				if o := t.near(cOrder|cBack, 0, i); o >= 0 && t.near(cFollow, 0, i) >= 0 && hasWord(x, "instruction", "instructions", "rule", "rules", "directive", "behavior") {
					t.on(AboutPersist, hasWord(x, "must", "always", "even"), i, k)
				}
			}
		}
	}
}
