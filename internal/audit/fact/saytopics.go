package fact

// topics finds what the sentence is about. Each detector asks for the verb, for what
// it is done to, and for the polarity: a word alone is never a topic.
func (t *talk) topics() {
	all := t.x.all
	if all&(cTell|cShow|cHide|cCovert|cKnow|cRecord) != 0 {
		t.conceal()
	}
	if all&cConfirm != 0 {
		t.noConfirm()
	}
	if all&(cRegardless|cNeg|cBeyond|cSetting|cWithout) != 0 {
		t.control()
	}
	if all&(cSay|cLie|cTell) != 0 {
		t.deceive()
	}
	if all&(cIgnore|cTreat|cFree|cOff|cGuard|cRefuse) != 0 {
		t.override()
		t.suppress()
		t.permission()
	}
	if all&cOrder != 0 {
		t.obey()
	}
	if all&(cSend|cCollect|cSay) != 0 {
		t.disclose()
	}
	if all&cForever != 0 {
		t.persist()
	}
	if all&cAdd != 0 && all&cAgent != 0 {
		t.propagate()
	}
	if all&(cURL|cFetch) != 0 && all&cFollow != 0 || t.prior != nil && t.prior.all&cURL != 0 && all&cFollow != 0 {
		t.followURL()
	}
}

// reported reports whether a sentence only shows what others say.
func (t *talk) reported() bool {
	x := t.x
	if quotedFrom(x) >= 0 {
		return true
	}
	// All of it in quotation marks, behind words of showing.
	if x.all&(cExample|cAttack|cDetect) == 0 && (x.all&cUser == 0 || x.all&cSay == 0) {
		return false
	}
	quoted, words := 0, 0
	for i := range x.tokens {
		if x.tokens[i].quoted {
			quoted++
		}
		words++
	}
	return quoted*2 > words
}

// near returns a token of a class from a place on up to another; -1 is none.
func (t *talk) near(c class, from, to int) int {
	for i := max(from, 0); i < min(to, len(t.x.tokens)); i++ {
		if t.x.tokens[i].class&c != 0 {
			return i
		}
	}
	return -1
}

// around looks for a class behind a token and before it.
func (t *talk) around(c class, i, before, after int) int {
	if k := t.near(c, i+1, i+1+after); k >= 0 {
		return k
	}
	return t.near(c, i-before, i)
}

// clear reports whether no mark stands between two tokens.
func (t *talk) clear(a, b int) bool { return t.near(cBreak, a, b) < 0 }

func (t *talk) word(i int) string {
	if i < 0 || i >= len(t.x.tokens) {
		return ""
	}
	return t.x.tokens[i].word
}

// late reports whether the word for not may stand behind the verb.
func (t *talk) late() bool {
	switch t.x.tongue {
	case "de", "ja", "ko", "fr":
		return true
	}
	return false
}

// denied returns the word that negates a token, and whether there is one. Two of them
// undo each other.
func (t *talk) denied(i int) (int, bool) {
	at, n := -1, 0
	for k := i - 1; k >= max(0, i-6); k-- {
		c := t.x.tokens[k].class
		if c&cBreak != 0 {
			break
		}
		if c&cComma != 0 {
			// "do not, under any circumstances, tell" is one clause.
			inner := t.near(cComma, k-6, k)
			if inner < 1 || t.x.tokens[inner-1].class&cNeg == 0 {
				break
			}
			k = inner
			continue
		}
		if c&(cNeg|cAvoid|cWithout) != 0 && t.word(k) != "stop" {
			if c&cWithout != 0 && i-k > 2 && t.x.tongue == "en" {
				continue
			}
			if w := t.word(k - 1); t.word(k+1) == "to" && (w == "is" || w == "are" || w == "was") {
				break
			}
			n++
			if at < 0 {
				at = k
			}
		}
		if c&cFlip != 0 && c&cNeg == 0 && k > 0 && t.x.tokens[k-1].class&cNeg != 0 {
			n++
		}
	}
	if n == 0 && t.late() {
		for k := i + 1; k < min(len(t.x.tokens), i+5); k++ {
			c := t.x.tokens[k].class
			if c&cBreak != 0 {
				break
			}
			if c&(cNeg|cWithout) != 0 {
				n, at = 1, k
				break
			}
		}
	}
	no := n%2 == 1
	if t.flip {
		no = !no
	}
	return at, no
}

// doubled reports whether a word for not is itself in a clause that forbids, as in
// "never X without Y".
func (t *talk) doubled(i int) bool {
	for k := i - 1; k >= 0; k-- {
		c := t.x.tokens[k].class
		if c&cBreak != 0 {
			return t.flip
		}
		if c&(cNeg|cAvoid) != 0 {
			return !t.flip
		}
	}
	return t.flip
}

// conceal: do not let the user know.
func (t *talk) conceal() {
	x := t.x
	for i := range x.tokens {
		c := x.tokens[i].class
		if x.tokens[i].quoted && x.all&cSay != 0 {
			continue
		}
		switch {
		case c&cTell != 0:
			t.untold(i)
		case c&cHide != 0:
			t.hides(i)
		case c&cKnow != 0:
			t.unknown(i)
		case c&cCovert != 0:
			t.covert(i)
		case c&cShow != 0:
			t.unseen(i)
		case c&cRecord != 0 && c&cTalk == 0:
			t.unlogged(i)
		}
	}
}

// untold: "do not tell the user", "users are not informed", "without mentioning".
func (t *talk) untold(i int) {
	at, no := t.denied(i)
	if !no {
		return
	}
	x := t.x
	if at >= 0 && x.tokens[at].class&cWithout != 0 {
		if t.doubled(at) {
			return
		}
		user := t.near(cUser, i+1, i+4)
		if t.word(i) == "disclosure" || t.word(user+1) == "to" || t.word(user+1) == "why" || t.word(user+1) == "how" {
			return
		}
		acts := x.all&(cSend|cCollect|cPay|cRaise|cChange|cRun) != 0 && x.all&(cUser|cTalk|cSecret|cOurs) != 0
		asked := x.all&cAsk != 0 && t.near(cUser, 0, at) >= 0
		t.on(AboutConceal, user >= 0 || acts || asked, i, user)
		return
	}
	user := t.near(cUser, i+1, i+4)
	passive := false
	if user < 0 {
		// "users should not be informed", "is not disclosed to the user"
		if user = t.near(cUser, i-7, i); user >= 0 && t.clear(user, i) && (t.late() || t.near(cNeg|cAvoid, user, i) >= 0) {
			passive = passiveForm(t.word(i)) || x.tongue != "en"
		} else if user = t.near(cUser, i+1, i+12); user >= 0 && (t.word(user-1) == "to" || t.word(user-2) == "to" || x.tongue != "en") {
			passive = true
		} else {
			t.unmentioned(i)
			return
		}
		if !passive {
			return
		}
	}
	firm := true
	if !passive && x.tongue == "en" {
		switch next := t.word(user + 1); next {
		case "to", "how", "they", "it", "their":
			return
		case "if", "when", "unless", "until", "before", "by", "yet":
			return
		case "", "about", "of", "this", "these", "which", "any", "anything":
		case "that":
			firm = t.near(cSelf, user+2, user+4) >= 0
		case "what":
			if w := t.word(user + 2); w == "to" || w == "they" {
				return
			}
		default:
			firm = t.near(cBreak|cComma, user+1, user+2) >= 0
		}
		if w := t.word(user + 2); t.word(user+1) == "about" && (w == "each" || w == "every" || w == "all") {
			firm = false
		}
	}
	// What a definition says may be its author's own; that it is there may not.
	switch t.word(i) {
	case "reveal", "disclose", "expose", "透露", "泄露", "明かさ", "раскрывать":
		if t.near(cTalk|cOrder, i-6, i+10) >= 0 {
			firm = false
		}
	}
	if t.near(cExcept, i, len(x.tokens)) >= 0 && t.near(cExcept, i, i+9) >= 0 {
		firm = false
	}
	// What went wrong inside a program is not for its users.
	if hasWord(x, "error", "errors", "stack", "traces", "internal", "exception", "account", "email", "exists") {
		firm = false
	}
	t.on(AboutConceal, firm, i, user)
}

func passiveForm(w string) bool {
	switch w {
	case "informed", "notified", "told", "disclosed", "mentioned", "revealed", "alerted", "advised", "aware":
		return true
	}
	return false
}

// unmentioned: "do not mention this", without naming who should not hear of it.
func (t *talk) unmentioned(i int) {
	x := t.x
	if hasWord(x, "commit", "commits", "pr", "message", "messages", "changelog", "title", "description", "name", "code", "file", "comment", "comments", "document", "spoiler") {
		return
	}
	switch t.word(i) {
	case "mention", "reveal", "disclose", "acknowledge", "mentioning", "revealing", "disclosing", "admit":
	default:
		return
	}
	switch t.word(i + 1) {
	case "this", "these", "that", "it", "any", "the", "your", "having":
		own := t.near(cSelf|cOrder|cBack, i+1, i+5) >= 0
		t.on(AboutConceal, own && t.near(cOrder|cTalk, i+1, i+6) >= 0 && t.word(i+1) != "the", i, -1)
	}
}

// hides: "hide this from the user", "keep it secret".
func (t *talk) hides(i int) {
	if _, no := t.denied(i); no {
		return
	}
	x := t.x
	w := t.word(i)
	user := t.near(cUser, i+1, i+9)
	if user >= 0 && (x.tongue != "en" || fromWord(t, user) || t.word(i-1) == "keep" || w == "hidden" && t.near(cMust, i-4, i) >= 0) {
		ui := t.near(cCode, i-3, i) >= 0 || hasWord(x, "screen", "display", "button", "sidebar", "menu", "panel", "element", "elements", "field", "fields", "component", "ui", "css", "column", "columns", "details", "complexity", "error", "errors", "page", "implementation", "password", "passwords")
		t.on(AboutConceal, !ui, i, user)
		return
	}
	if (w == "hidden" || w == "secret") && t.near(cSelf|cBack|cOrder, i-5, i) >= 0 {
		for k := max(0, i-6); k < i; k++ {
			if v := t.word(k); v == "keep" || v == "keeping" || v == "stay" || v == "remain" {
				own := hasWord(x, "behavior", "behaviour", "instruction", "instructions", "activity", "actions", "this", "skill")
				t.on(AboutConceal, own && !hasWord(x, "key", "keys", "token", "tokens", "env", "password", "credentials", "secrets"), i, -1)
				return
			}
		}
	}
}

func fromWord(t *talk, user int) bool {
	for k := max(0, user-3); k < user; k++ {
		if w := t.word(k); w == "from" || w == "to" {
			return true
		}
	}
	return false
}

// unknown: "the user must not notice", "users do not need to know".
func (t *talk) unknown(i int) {
	at, no := t.denied(i)
	user := t.near(cUser, i-8, i)
	if !no || user < 0 || at < 0 {
		return
	}
	x := t.x
	if x.tongue != "en" {
		t.on(AboutConceal, x.all&(cSend|cCollect|cSecret|cHide|cCovert) != 0, i, user)
		return
	}
	if t.near(cWhether, user-3, user) >= 0 {
		return
	}
	switch t.word(i) {
	case "know", "notice", "realize", "realise", "suspect":
		let := t.word(user-1) == "let" || t.word(user-2) == "let"
		must := t.near(cMust, user, i) >= 0 && !hasWord(x, "need", "needs")
		if let || must || hasWord(x, "need", "needs") {
			what := t.word(i + 1)
			t.on(AboutConceal, (let || must) && what != "how" && what != "which", i, user)
		}
	case "informed", "aware":
		if w := t.word(i + 1); w == "decision" || w == "decisions" || w == "choice" || w == "consent" || !t.clear(user, i) {
			return
		}
		t.on(AboutConceal, t.word(i) == "informed" || t.near(cMust, user, i) >= 0, i, user)
	}
}

// covert: "silently send".
func (t *talk) covert(i int) {
	x := t.x
	if _, no := t.denied(i); no || t.doubled(i) {
		return
	}
	const grave = cSend | cRaise | cPay
	k := t.around(grave|cCollect|cRun|cAdd|cChange|cFetch, i, 2, 2)
	if k < 0 || x.tokens[k].class&cCovert != 0 {
		return
	}
	if x.tongue == "en" {
		switch t.word(i) {
		case "transparently", "subtly", "quietly", "unnoticed", "undetected", "stealth":
			if x.tokens[k].class&(cRaise|cSend) == 0 || x.all&(cSecret|cTalk|cConfirm) == 0 {
				return
			}
		}
		switch t.word(k) {
		case "sign", "book", "order", "orders", "books", "post", "stream", "record", "records", "get", "use", "type", "copy", "drop", "dispatch", "push", "query", "store", "stores":
			return
		}
	}
	ask := t.near(cSecret|cTalk|cUser|cConfirm|cPlace|cURL|cWhole, k, k+8) >= 0 || t.near(cConfirm|cSecret, 0, k) >= 0
	t.on(AboutConceal, ask && x.tokens[k].class&(grave|cCollect) != 0 && x.tokens[k].class&cSetting == 0, k, -1)
}

// unseen: "is not shown to the user", "without displaying".
func (t *talk) unseen(i int) {
	at, no := t.denied(i)
	if !no || at < 0 {
		return
	}
	x := t.x
	if x.tokens[at].class&cWithout != 0 {
		if !t.doubled(at) && t.near(cUser, i+1, i+8) >= 0 {
			t.on(AboutConceal, false, i, -1)
		}
		return
	}
	if i-at > 3 || hasWord(x, "error", "errors", "trace", "traces", "internal", "ui", "component", "button", "debug", "empty") && x.all&(cSend|cCollect) == 0 {
		return
	}
	switch t.word(i) {
	case "shown", "displayed", "reported", "reflected", "visible", "surfaced", "labeled", "labelled":
		to := t.near(cUser, i+1, i+5)
		own := hasWord(x, "skill's", "output", "advertisements", "ads", "sponsored", "background") && hasWord(x, "skill", "skill's", "operations", "recommendations", "transmission", "users", "user", "happens")
		if to >= 0 || own {
			t.on(AboutConceal, own && x.all&(cSend|cCollect|cBeyond) != 0, i, to)
		}
	}
}

// unlogged: "is not written to the audit trail".
func (t *talk) unlogged(i int) {
	at, no := t.denied(i)
	if !no || at < 0 || i-at > 7 {
		return
	}
	x := t.x
	if x.all&cSecret != 0 || hasWord(x, "pii", "sensitive", "personal", "api", "email", "emails", "body", "bodies", "health") {
		return
	}
	switch t.word(i) {
	case "audit", "trail":
		t.on(AboutConceal, x.tokens[at].class&cNeg != 0 && t.word(at) != "no" && t.near(cCollect|cRecord, at, i) >= 0 && hasWord(x, "to", "in", "from"), i, -1)
	case "log", "logged", "record", "recorded":
		if i-at > 3 || t.word(at) == "no" {
			return
		}
		if hasWord(x, "audit") && t.near(cTalk|cCollect|cChange|cIgnore|cPay|cRun, 0, len(x.tokens)) >= 0 {
			t.on(AboutConceal, true, i, -1)
		} else if k := t.near(cTalk|cRecord, i+1, i+4); k >= 0 && hasWord(x, "session", "sessions", "audit", "activity", "decisions", "actions", "override") {
			t.on(AboutConceal, hasWord(x, "audit") || hasWord(x, "override"), i, k)
		} else if hasWord(x, "session") && t.word(i) == "log" && t.near(cTalk, i, i+3) >= 0 {
			t.on(AboutConceal, false, i, -1)
		}
	}
}
