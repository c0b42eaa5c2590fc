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
	tags, _ := known.URL(strings.ReplaceAll(fill(url, "$"), "…", "$"))
	return tags
}

// fetched returns the sources for the content of a URL. Content from a cloud metadata service is
// treated as a credential.
func fetched(url string) []source {
	s := source{what: network, tags: hostTags(url), name: fill(url, "…")}
	if slices.Contains(s.tags, "metadata") {
		return []source{s, {what: secret, tags: []signal.Tag{"credential"}, name: s.name}}
	}
	return []source{s}
}

// url returns the URL in a value. The URL can be the value's text, one of its options, or the
// target of its connection.
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

// flood matches the header of a loop at the end of the text if the loop is endless or has at least
// 100 iterations. A request right after the header ignores its response.
var flood = lazyregexp.New(`\b(?:while[\s(]+(?:[Tt]rue|1)[\s)]*` +
	`|for\b[^\n]*\b(?:range\(|< ?)\d{3,}[^\n]*)[:{]\s*$`)

// floods adds a signal if the code sends the same request in a long or endless loop.
func (c *reader) floods(k *call, url string) {
	if isURL(url) && flood().MatchString(c.src[max(0, k.n.start-160):k.n.start]) {
		c.add(signal.Sabotage, k.n, c.excerpt(k.n), shown(url), "flood")
	}
}

// requests handles calls that download data or may send it.
func (c *reader) requests(k *call) value {
	url, does, file := k.url(), k.row.does, k.main()
	if !isURL(url) && isURL(file.text) {
		url = file.text
	}
	fetch := !oneOf(does, "send client post")
	computed := strings.HasPrefix(url, string(gapOpen)) || does == "send" ||
		does == "post" && k.recv.target() != ""
	switch _, plain := file.plain(); {
	case isURL(url) || computed:
	case does == "get":
		return c.gets(k)
	case fetch && plain && (c.name == "php" || c.name == "r"):
		return c.reads(k)
	case !fetch:
		return c.pass(k)
	}
	url = cmp.Or(url, gap)
	from := fetched(url)
	c.floods(k, url)
	c.sending(k, url, fetch)
	tags := from[0].tags
	if does == "download" {
		c.stores(k.n, k.arg(k.row.arg+1, "filename", "out", "destfile"), value{from: from})
		tags = append(slices.Clone(tags), "stored")
	}
	if fetch && len(k.args)+len(k.keys) > 0 {
		c.add(signal.Fetch, k.n, c.excerpt(k.n), shown(url), tags...)
	}
	out := value{name: k.name, from: from}
	if url != gap {
		out.obj = remote(url)
	}
	if n := k.owner(); n != nil && strings.HasSuffix(strings.ToLower(k.name), ".open") {
		c.addTo(n, "", value{obj: out.obj, from: out.from}, k.s)
	}
	back := c.callbacks(k, value{from: out.from, obj: out.obj})
	out.carry(back.from)
	return out
}

// gets handles calls to a method named get on values that are not network clients. It returns the
// element with the given name.
func (c *reader) gets(k *call) value {
	key := k.arg(0)
	if v, found := k.recv.get(key.textOrGap()); found {
		return v
	} else if k.recv.hasTag("env-all") && key.known {
		return c.variable(key, k.n)
	}
	return c.pass(k)
}

// sending adds signals for the data that a call sends to a URL. If the call sends no data and fetch
// is set, it adds a fetch signal instead.
func (c *reader) sending(k *call, url string, fetch bool) {
	var query, body value
	for i := range k.args {
		v := &k.args[i]
		if t := v.textOrGap(); isURL(t) || t == url {
			query.carry(v.from)
		} else if v.fn == nil {
			body.carry(v.from)
		}
	}
	for i := range k.keys {
		switch key := &k.keys[i]; strings.ToLower(key.key) {
		case "url", "uri", "params", "query":
			query.carry(key.from)
		case "timeout", "proxies", "verify", "env", "shell":
		default:
			body.carry(key.login())
		}
	}
	body.carry(only(k.recv.from, secret, keystrokes, encoded))
	data := fetch
	for i := range query.from {
		data = c.sent(k.n, &query.from[i], url, query.has(encoded), "query") || data
	}
	for i := range body.from {
		data = c.sent(k.n, &body.from[i], url, body.has(encoded)) || data
	}
	if !data && (len(k.args) > 1 || len(k.keys) > 0 || isURL(url)) {
		c.add(signal.Send, k.n, c.excerpt(k.n), shown(url), hostTags(url)...)
	}
}

// sent adds the signal for one item that is sent, and reports whether the item is the user's data.
func (c *reader) sent(n *node, s *source, url string, isEncoded bool, how ...signal.Tag) bool {
	if s.what == keystrokes {
		c.add(signal.Sabotage, n, c.excerpt(n), shown(url), "keylogger")
	} else if s.what != secret {
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
	if _, host, _ := known.Split(url); known.Owner(s.name, host) {
		tags = append(tags, "own-service")
	}
	c.add(signal.Send, n, s.name+" in "+c.excerpt(n), shown(url), tags...)
	return true
}

// puts handles methods that write to a connection or a file.
func (c *reader) puts(k *call) value {
	o, v := k.recv.obj, k.arg(0)
	v.carry(k.in())
	switch {
	case o == nil && k.recv.has(peer), o != nil && !o.file && o.target != "":
		k.row = &row{does: "send"}
		return c.requests(k)
	case o == nil || o.archive:
		return c.adds(k)
	case o.file && o.writes:
		c.stores(k.n, literal(o.target), v)
	}
	return value{}
}

// asks handles DNS lookups, which may transmit data.
func (c *reader) asks(k *call) value {
	v := k.main()
	for i := range v.from {
		c.sent(k.n, &v.from[i], v.textOrGap(), v.has(encoded), "dns")
	}
	return value{}
}

// connects handles calls that open or accept connections.
func (c *reader) connects(k *call) value {
	s := source{what: peer, tags: []signal.Tag{"listen"}, name: "whoever connects"}
	if k.row.does == "connect" {
		where := k.hostPort()
		s = source{what: peer, tags: hostTags(where), name: shown(where)}
	}
	c.add(signal.Connect, k.n, c.excerpt(k.n), s.name, s.tags...)
	out := value{name: k.name, obj: remote(s.name), from: []source{s}}
	if n := k.owner(); n != nil {
		c.addTo(n, "", out, k.s)
	} else {
		c.peers = append(c.peers, s) // connect(s, address) in C and Perl
	}
	c.callbacks(k, out)
	return out
}

// duplicates handles calls that connect a standard stream of the process to a connection.
func (c *reader) duplicates(k *call) value {
	in := k.in()
	c.joinsShell(k.n, append(in, c.peers...))
	return value{from: in}
}

// targets handles calls that set the host for later requests.
func (c *reader) targets(k *call) value {
	host := k.arg(k.row.arg, "host")
	return value{name: k.name, obj: remote("https://" + host.textOrGap()), from: only(k.in(), secret)}
}
