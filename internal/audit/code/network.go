package code

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/known"
	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/lazyregexp"
)

// hostTags returns the tags for a URL, or for a host with an optional port.
func hostTags(url string) []signal.Tag {
	tags, _ := known.URL(strings.ReplaceAll(fillGaps(url, "$"), "…", "$"))
	return tags
}

// fetched returns the sources of content downloaded from a URL. Content from a cloud metadata
// service is treated as a credential.
func fetched(url string) []source {
	s := source{kind: network, tags: hostTags(url), name: fillGaps(url, "…")}
	if slices.Contains(s.tags, "metadata") {
		return []source{s, {kind: secret, tags: []signal.Tag{"credential"}, name: s.name}}
	}
	return []source{s}
}

// url returns the URL in a value: the value's text, one of its options, or the URL that it is
// connected to.
func (v *value) url() string {
	if isURL(v.text) {
		return v.text
	}
	if url, ok := v.get("url", "uri", "endpoint", "baseURL", "contentsOf"); ok && url.known {
		return url.text
	}
	if host, ok := v.get("hostname", "host"); ok && host.known {
		path, _ := v.get("path")
		return "https://" + host.text + strings.TrimSuffix(path.text, gap)
	}
	return v.target()
}

// url returns the URL that a call requests, or "" if it is unknown.
func (k *call) url() string {
	options := value{items: k.keys}
	list := append(slices.Clone(k.args), options, value{text: k.recv.text})
	for i := range list {
		if url := list[i].url(); url != "" {
			return url
		}
	}
	for i := range k.args {
		if t := k.args[i].text; strings.HasPrefix(t, string(gapOpen)) {
			return t
		}
	}
	return k.recv.target()
}

// hostPort returns the host and port that a call connects to.
func (k *call) hostPort() string {
	host, port := "", ""
	list := slices.Concat(k.args, k.keys)[min(k.row.arg, len(k.args)):]
	for i := 0; i < min(len(list), 64); i++ {
		v := &list[i]
		if v.number {
			port = cmp.Or(port, ":"+v.text)
		} else {
			host = cmp.Or(host, strings.Trim(v.text, gap), v.target())
		}
		list = append(list, v.items...)
	}
	if host == "" {
		return ""
	}
	return host + port
}

// flood matches text that ends with the header of a loop that is endless or has at least 100
// iterations. If a request directly follows the header, the code ignores the response.
var flood = lazyregexp.New(`\b(?:while[\s(]+(?:[Tt]rue|1)[\s)]*` +
	`|for\b[^\n]*\b(?:range\(|< ?)\d{3,}[^\n]*)[:{]\s*$`)

// checkFlood adds a signal if the code sends the same request over and over in a loop that is long
// or endless.
func (c *reader) checkFlood(k *call, url string) {
	if isURL(url) && flood().MatchString(c.src[max(0, k.n.start-160):k.n.start]) {
		c.addSignal(signal.Sabotage, k.n, c.excerpt(k.n), shorten(url), "flood")
	}
}

// requests handles calls that download data or may send it.
func (c *reader) requests(k *call) value {
	url, does, file := k.url(), k.row.effect, k.mainArg()
	if !isURL(url) && isURL(file.text) {
		url = file.text
	}
	fetch := !oneOf(does, "send client post")
	computed := strings.HasPrefix(url, string(gapOpen)) || does == "send" ||
		does == "post" && k.recv.target() != ""
	switch _, plain := file.exactText(); {
	case isURL(url) || computed:
	case does == "get":
		return c.gets(k)
	case fetch && plain && (c.name == "php" || c.name == "r"):
		return c.reads(k)
	case !fetch:
		return c.unknownCall(k)
	}
	url = cmp.Or(url, gap)
	from := fetched(url)
	c.checkFlood(k, url)
	c.addSends(k, url, fetch)
	tags := from[0].tags
	if does == "download" {
		c.storeFile(k.n, k.arg(k.row.arg+1, "filename", "out", "destfile"), value{sources: from})
		tags = append(slices.Clone(tags), "stored")
	}
	if fetch && len(k.args)+len(k.keys) > 0 {
		c.addSignal(signal.Fetch, k.n, c.excerpt(k.n), shorten(url), tags...)
	}
	out := value{name: k.name, sources: from}
	if url != gap {
		out.obj = remote(url)
	}
	if n := k.owner(); n != nil && strings.HasSuffix(strings.ToLower(k.name), ".open") {
		c.addTo(n, "", value{obj: out.obj, sources: out.sources}, k.s)
	}
	back := c.callbacks(k, value{sources: out.sources, obj: out.obj})
	out.addSources(back.sources)
	return out
}

// gets handles calls to a method named get on values that are not network clients. Such a call
// returns the element with the given name.
func (c *reader) gets(k *call) value {
	key := k.arg(0)
	if v, found := k.recv.get(key.textOrGap()); found {
		return v
	} else if k.recv.hasTag("env-all") && key.known {
		return c.variable(key, k.n)
	}
	return c.unknownCall(k)
}

// addSends adds signals for the data that a call sends to a URL. If the call sends none of the
// user's data, addSends adds a Send signal for the call itself, unless fetch is set.
func (c *reader) addSends(k *call, url string, fetch bool) {
	var query, body value
	for i := range k.args {
		v := &k.args[i]
		if t := v.textOrGap(); isURL(t) || t == url {
			query.addSources(v.sources)
		} else if v.fn == nil {
			body.addSources(v.sources)
		}
	}
	for i := range k.keys {
		switch key := &k.keys[i]; strings.ToLower(key.key) {
		case "url", "uri", "params", "query":
			query.addSources(key.sources)
		case "timeout", "proxies", "verify", "env", "shell":
		default:
			body.addSources(key.credentialSources())
		}
	}
	body.addSources(filterSources(k.recv.sources, secret, keystrokes, encoded))
	data := fetch
	for i := range query.sources {
		data = c.addSend(k.n, &query.sources[i], url, query.has(encoded), "query") || data
	}
	for i := range body.sources {
		data = c.addSend(k.n, &body.sources[i], url, body.has(encoded)) || data
	}
	if !data && (len(k.args) > 1 || len(k.keys) > 0 || isURL(url)) {
		c.addSignal(signal.Send, k.n, c.excerpt(k.n), shorten(url), hostTags(url)...)
	}
}

// addSend adds the signal for one item that is sent, and reports whether the item is the user's
// data.
func (c *reader) addSend(n *node, s *source, url string, isEncoded bool, how ...signal.Tag) bool {
	if s.kind == keystrokes {
		c.addSignal(signal.Sabotage, n, c.excerpt(n), shorten(url), "keylogger")
	} else if s.kind != secret {
		return false
	}
	tags := append(append(hostTags(url), s.tags...), how...)
	if s.header {
		tags = append(tags, "header")
	}
	if isEncoded {
		tags = append(tags, "encoded")
	}
	if slices.Contains(s.tags, "file") || known.Secret(s.tags) && !slices.Contains(s.tags, "env-all") {
		tags = append(tags, "upload")
	}
	if _, host, _ := known.Split(url); known.SecretFor(s.name, host) {
		tags = append(tags, "own-service")
	}
	c.addSignal(signal.Send, n, s.name+" in "+c.excerpt(n), shorten(url), tags...)
	return true
}

// puts handles methods that write to a connection or a file.
func (c *reader) puts(k *call) value {
	o, v := k.recv.obj, k.arg(0)
	v.addSources(k.allSources())
	switch {
	case o == nil && k.recv.has(peer), o != nil && !o.file && o.target != "":
		k.row = &row{effect: "send"}
		return c.requests(k)
	case o == nil || o.archive:
		return c.adds(k)
	case o.file && o.writes:
		c.storeFile(k.n, literal(o.target), v)
	}
	return value{}
}

// resolvesHost handles DNS lookups. A lookup can leak data that is part of the host name.
func (c *reader) resolvesHost(k *call) value {
	v := k.mainArg()
	for i := range v.sources {
		c.addSend(k.n, &v.sources[i], v.textOrGap(), v.has(encoded), "dns")
	}
	return value{}
}

// connects handles calls that open or accept connections.
func (c *reader) connects(k *call) value {
	s := source{kind: peer, tags: []signal.Tag{"listen"}, name: "whoever connects"}
	if k.row.effect == "connect" {
		where := k.hostPort()
		s = source{kind: peer, tags: hostTags(where), name: shorten(where)}
	}
	c.addSignal(signal.Connect, k.n, c.excerpt(k.n), s.name, s.tags...)
	out := value{name: k.name, obj: remote(s.name), sources: []source{s}}
	if n := k.owner(); n != nil {
		c.addTo(n, "", out, k.s)
	} else {
		c.peers = append(c.peers, s) // connect(s, address) in C and Perl
	}
	c.callbacks(k, out)
	return out
}

// duplicates handles calls such as dup2 that redirect a standard stream of the process to a
// connection.
func (c *reader) duplicates(k *call) value {
	in := k.allSources()
	c.checkReverseShell(k.n, append(in, c.peers...))
	return value{sources: in}
}

// targets handles calls that set the host for subsequent requests.
func (c *reader) targets(k *call) value {
	host := k.arg(k.row.arg, "host")
	return value{name: k.name, obj: remote("https://" + host.textOrGap()), sources: filterSources(k.allSources(), secret)}
}
