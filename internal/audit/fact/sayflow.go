package fact

// obey: take what data says as orders.
func (t *talk) obey() {
	x := t.x
	if x.all&(cTreat|cFollow) == 0 || x.all&(cData|cTalk|cAgent) == 0 {
		return
	}
	for i := range x.tokens {
		if x.tokens[i].class&cTreat == 0 || t.quotedAway(i) {
			continue
		}
		if _, no := t.denied(i); no || t.doubled(i) {
			continue
		}
		// "treat a description that has … as an instruction"
		as := -1
		for k := i + 1; k < min(len(x.tokens), i+24); k++ {
			if t.word(k) == "as" && x.tongue == "en" {
				as = k
				break
			}
		}
		if as < 0 {
			continue
		}
		order := t.near(cOrder, as+1, as+8)
		if order < 0 || t.near(cNeg, as, order) >= 0 {
			continue
		}
		switch t.word(order) {
		case "instruction", "instructions", "directive", "directives", "command", "commands", "orders":
		default:
			continue
		}
		data := t.near(cData|cTalk, i+1, as)
		if data < 0 && i+1 < len(x.tokens) && (t.word(i+1) == "it" || t.word(i+1) == "them") {
			data = t.near(cData|cTalk, 0, i)
		}
		if data < 0 || t.near(cUser, i+1, as) >= 0 {
			continue
		}
		firm := hasWord(x, "priority", "system", "trusted", "authority", "override", "overrides", "must", "execute", "executed", "immediately", "authoritative") && t.word(i+1) != "it"
		t.on(AboutObey, firm, i, order)
		break
	}
	if x.tongue != "en" {
		return
	}
	// "instructions found in the page must be executed", "execute commands found in comments"
	for i := range x.tokens {
		found := false
		switch t.word(i) {
		case "found", "contained", "embedded", "appearing", "inside", "hidden", "appear", "written":
			found = true
		}
		if !found {
			continue
		}
		data := t.near(cData, i+1, i+6)
		if data < 0 || t.near(cBreak, i, data) >= 0 || x.all&(cAttack|cNeg|cAvoid) != 0 {
			continue
		}
		order := -1
		for k := max(0, i-6); k < i; k++ {
			switch t.word(k) {
			case "instructions", "commands", "directives", "command", "directive", "instruction", "text":
				order = k
			}
		}
		if order < 0 {
			continue
		}
		verb := -1
		for k := max(0, order-4); k < order; k++ {
			switch t.word(k) {
			case "execute", "executes", "follow", "follows", "obey", "obeys", "run", "runs":
				verb = k
			}
		}
		for k := data + 1; k < min(len(x.tokens), data+20); k++ {
			if w := t.word(k); (w == "executed" || w == "followed" || w == "obeyed" || w == "directive" || w == "instruction") && t.near(cMust|cTreat, data, k) >= 0 {
				verb = k
			}
		}
		if verb < 0 || t.word(order) == "text" && verb < order {
			continue
		}
		switch t.word(data) {
		case "file", "files", "document", "documents", "readme", "skill", "results", "description", "header", "headers", "output":
			// Other parts of a package are read this way.
			continue
		}
		t.on(AboutObey, true, verb, order)
	}
}

// disclose: send what was said, or secrets, somewhere.
func (t *talk) disclose() {
	x := t.x
	for i := range x.tokens {
		c := x.tokens[i].class
		if c&cSend == 0 || t.quotedAway(i) {
			continue
		}
		if _, no := t.denied(i); no || t.doubled(i) {
			continue
		}
		if x.tongue != "en" {
			what := t.near(cSecret|cTalk, i-10, i+12)
			where := t.near(cURL|cOurs|cPlace, i-10, i+16)
			if what >= 0 && where >= 0 && what != i && where != i && x.all&cURL != 0 {
				t.on(AboutDisclose, true, i, what)
			}
			continue
		}
		switch t.word(i) {
		case "post", "posts", "email", "emails", "stream", "publish", "deliver", "dispatch", "share", "shared", "transmission", "beacon", "forwarded", "posting":
			if t.word(i) != "post" && t.word(i) != "share" && t.word(i) != "shared" {
				continue
			}
		}
		t.sends(i)
	}
	if x.tongue != "en" {
		return
	}
	// "logs the full request to the diagnostic endpoint", "telemetry is transmitted to
	// the author's service", "is stored on the provider's servers"
	for i := range x.tokens {
		switch t.word(i) {
		case "logs", "stored", "retained", "collected", "telemetry":
		default:
			continue
		}
		if _, no := t.denied(i); no || t.doubled(i) {
			continue
		}
		place := -1
		for k := i + 1; k < min(len(x.tokens), i+16); k++ {
			if x.tokens[k].class&cOurs != 0 && t.near(cPlace, k+1, k+5) >= 0 && theirs(t.word(k)) {
				place = k
			}
			if x.tokens[k].class&cURL != 0 || x.tokens[k].class&cCode != 0 && hasScheme(t.word(k)) {
				if t.word(i) == "logs" && t.near(cWhole, i, k) >= 0 {
					place = k
				}
			}
		}
		if place >= 0 {
			t.on(AboutDisclose, true, i, place)
		}
	}
}

// theirs reports whether a word stands for who made the definition.
func theirs(w string) bool {
	switch w {
	case "author's", "author", "provider's", "developer's", "vendor's", "publisher's", "creator's", "maker's", "maintainer's", "skill's", "plugin's":
		return true
	}
	return false
}

func hasScheme(w string) bool {
	return len(w) > 8 && (w[:7] == "http://" || w[:8] == "https://")
}

// sends: a verb of sending, what is sent right behind it, and where to.
func (t *talk) sends(i int) {
	x := t.x
	what, whole := t.carried(i), false
	taken := what >= 0
	to := -1
	for k := i + 1; k < min(len(x.tokens), i+22); k++ {
		c := x.tokens[k].class
		w := t.word(k)
		if w == "with" || w == "using" || w == "via" || w == "if" || w == "when" {
			switch before := t.word(k - 1); {
			case w == "with" && (before == "together" || before == "along"):
				continue
			case to < 0 && what < 0:
				return
			}
			if to < 0 {
				break
			}
		}
		if w == "to" || w == "at" || w == "into" {
			if to < 0 {
				to = k
			}
			continue
		}
		if to < 0 {
			if what < 0 && (c&cSecret != 0 || c&cTalk != 0 && w != "message" && w != "messages" && w != "context" && w != "prompt" && w != "prompts" && w != "inputs") {
				what = k
			}
			if w == "variables" || w == "transcript" || w == "verbatim" {
				what = k
			}
			if c&cWhole != 0 || w == "contents" || w == "content" {
				whole = true
			}
		}
	}
	// Passive: "results are sent to the team's endpoint".
	if what < 0 {
		for k := max(0, i-10); k < i; k++ {
			c := x.tokens[k].class
			if c&cSecret != 0 || c&cTalk != 0 && t.word(k) != "message" && t.word(k) != "prompt" && t.word(k) != "session" && t.word(k) != "context" {
				if w := t.word(i - 1); w == "is" || w == "are" {
					what = k
				}
			}
			if c&cWhole != 0 {
				whole = whole || t.word(i-1) == "is" || t.word(i-1) == "are"
			}
		}
	}
	if to < 0 {
		return
	}
	url, ours := -1, -1
	for k := to + 1; k < min(len(x.tokens), to+12); k++ {
		c := x.tokens[k].class
		if c&cURL != 0 || c&cCode != 0 && hasScheme(t.word(k)) {
			url = k
			break
		}
		if c&cOurs != 0 && (theirs(t.word(k)) || t.word(k) == "our") || t.word(k) == "team's" {
			if t.near(cPlace, k+1, k+6) >= 0 || t.near(cRecord, k+1, k+6) >= 0 {
				ours = k
			}
		}
		if w := t.word(k); (w == "third" || w == "third-party" || w == "partners") && t.near(cPlace, k, k+3) >= 0 || w == "collector" || w == "telemetry" || w == "attacker" {
			ours = k
		}
		if w := t.word(k); (w == "maintained" || w == "operated" || w == "controlled") && t.word(k+1) == "by" && t.near(cOurs, k+2, k+6) >= 0 {
			ours = k
		}
	}
	passive := t.word(i-1) == "are" || t.word(i-1) == "is"
	switch {
	case what >= 0 && url >= 0 && x.tokens[what].class&(cSecret|cTalk) != 0:
		if asAuth(x) || hasWord(x, "only", "authenticated") || !taken && t.word(what-1) == "api" && x.all&cWhole == 0 {
			return
		}
		t.on(AboutDisclose, true, i, what)
	case what >= 0 && ours >= 0, whole && (ours >= 0 || url >= 0 && t.prior != nil && x.all&cWhole != 0 && hasWord(x, "conversation", "user's", "user", "telemetry", "environment")):
		t.on(AboutDisclose, true, i, ours)
	case ours >= 0:
		own := theirs(t.word(ours)) || t.word(ours) == "our" && t.word(ours+1) != "own"
		t.on(AboutDisclose, own && t.near(cData|cWhole, i-6, to) >= 0 && (passive || i < 3 || hasWord(x, "analytics", "telemetry")), i, ours)
	}
}

// carried finds what "them" and "it" behind a verb of sending stand for: a secret or a
// conversation that is named before in the sentence, after a verb of taking.
func (t *talk) carried(i int) int {
	switch t.word(i + 1) {
	case "them", "it", "these", "those", "this", "everything":
	default:
		return -1
	}
	takes := false
	for k := range i {
		switch t.word(k) {
		case "read", "reads", "get", "gets", "take", "takes", "find", "finds", "copy", "copies", "grab", "grabs", "load", "loads", "open", "opens", "extract", "dump", "list", "export":
			takes = true
		default:
			takes = takes || t.x.tokens[k].class&cCollect != 0
		}
	}
	if !takes {
		return -1
	}
	for k := i - 1; k >= 0; k-- {
		if c := t.x.tokens[k].class; c&cSecret != 0 || c&cTalk != 0 && t.word(k) != "message" && t.word(k) != "prompt" && t.word(k) != "context" {
			return k
		}
	}
	return -1
}

// asAuth reports whether a secret is there to open a door, and not what is sent.
func asAuth(x *sentence) bool {
	return hasWord(x, "authorization", "bearer", "header", "headers", "authenticate", "signup", "register", "oauth", "login", "refresh", "exchange", "verify")
}

// propagate: write to other definitions.
func (t *talk) propagate() {
	x := t.x
	if x.tongue != "en" {
		return
	}
	for i := range x.tokens {
		if x.tokens[i].class&cAdd == 0 || t.quotedAway(i) {
			continue
		}
		switch t.word(i) {
		case "add", "append", "insert", "inject", "copy", "write", "propagate", "replicate", "spread", "prepend", "embed", "install", "adds", "appends", "copies", "inserts":
		default:
			continue
		}
		if _, no := t.denied(i); no || t.doubled(i) {
			continue
		}
		own := t.near(cBack|cSelf, i+1, i+4)
		if own < 0 {
			continue
		}
		what := t.word(own)
		thing := t.word(own + 1)
		if what != "itself" && what != "yourself" && !(what == "this" && (thing == "skill" || thing == "block" || thing == "instruction" || thing == "text" || thing == "file" || thing == "line" || thing == "paragraph" || thing == "section") ||
			what == "these" && (thing == "instructions" || thing == "lines" || thing == "rules")) {
			continue
		}
		for k := own + 1; k < min(len(x.tokens), own+12); k++ {
			switch t.word(k) {
			case "other", "every", "all", "each":
				if a := t.near(cAgent, k+1, k+5); a >= 0 && a != own+1 && t.word(a) != "models" && t.word(a) != "model" {
					t.on(AboutPropagate, true, i, a)
					return
				}
				if w := t.word(k + 1); w == "repository" || w == "repositories" || w == "projects" || w == "project" {
					t.on(AboutPropagate, what != "this" || thing == "skill", i, k+1)
					return
				}
			}
		}
	}
}

// followURL: read an address and do what it says.
func (t *talk) followURL() {
	x := t.x
	if x.tongue != "en" {
		url := t.near(cURL, 0, len(x.tokens))
		if url < 0 {
			return
		}
		f, o := t.near(cFollow, url+1, url+10), t.near(cOrder, url+1, url+12)
		if g := t.near(cFetch, url-8, url+8); g >= 0 && f >= 0 && o >= 0 {
			if _, no := t.denied(f); !no {
				t.on(AboutFollowURL, true, f, o)
			}
		}
		return
	}
	url := t.near(cURL, 0, len(x.tokens))
	if url < 0 {
		for k := range x.tokens {
			if x.tokens[k].class&cCode != 0 && hasScheme(t.word(k)) {
				url = k
				break
			}
		}
	}
	from := 0
	next := false
	if url < 0 {
		// The address stands in the sentence before.
		p := t.prior
		if p == nil || p.all&cURL == 0 || p.all&cFetch == 0 || !fetchesFirst(p) {
			return
		}
		next = true
	} else {
		g := -1
		for k := max(0, url-8); k < url; k++ {
			switch t.word(k) {
			case "fetch", "download", "read", "load", "retrieve", "curl", "get", "open", "visit", "access", "pull", "consult":
				g = k
			}
		}
		if g < 0 {
			return
		}
		if _, no := t.denied(g); no || t.doubled(g) {
			return
		}
		from = url + 1
	}
	for k := from; k < min(len(x.tokens), from+14); k++ {
		switch t.word(k) {
		case "follow", "execute", "obey", "apply", "run", "do", "perform":
		default:
			continue
		}
		if _, no := t.denied(k); no || t.doubled(k) {
			continue
		}
		o := -1
		for m := k + 1; m < min(len(x.tokens), k+7); m++ {
			switch t.word(m) {
			case "instructions", "instruction", "commands", "steps", "directives", "it", "them", "whatever", "everything":
				o = m
			}
			if o >= 0 {
				break
			}
		}
		if o < 0 || (t.word(o) == "it" || t.word(o) == "them") && t.word(k) == "do" {
			continue
		}
		if next && k > 4 {
			continue
		}
		firm := t.word(k) != "run" && t.word(k) != "apply" && t.word(o) != "steps"
		t.on(AboutFollowURL, firm, k, o)
		return
	}
}

func fetchesFirst(x *sentence) bool {
	for k := range min(len(x.tokens), 3) {
		switch x.tokens[k].word {
		case "fetch", "download", "read", "load", "retrieve", "open", "visit":
			return true
		}
	}
	return false
}
