package code

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/known"
	"github.com/vadehq/vade/internal/audit/signal"
)

// hostTags are the tags of a URL or of a host with a port.
func hostTags(url string) []signal.Tag {
	scheme, host, route := known.Split(strings.ReplaceAll(fill(url, "$"), "…", "$"))
	tags := slices.Clone(known.Host(host, route))
	if scheme == "http" && !slices.Contains(tags, "private") {
		tags = append(tags, "plain")
	}
	return tags
}

// target is the URL or host that a call goes to; "" if it does not show.
func (k *called) target(first int) string {
	for i := max(first, 0); i < len(k.args); i++ {
		v := &k.args[i]
		for _, t := range v.texts {
			if isURL(t) {
				return t
			}
		}
		if url, ok := v.get("url", "uri", "endpoint", "baseURL"); ok && len(url.texts) > 0 {
			return url.texts[0]
		}
		if host, ok := v.get("hostname", "host"); ok && len(host.texts) > 0 {
			path, _ := v.get("path")
			return "https://" + host.texts[0] + strings.Join(path.texts[:min(1, len(path.texts))], "")
		}
		if v.url != "" {
			return v.url
		}
	}
	if v := k.arg(-99, "url", "uri", "endpoint", "host", "baseURL", "contentsOf"); len(v.texts) > 0 {
		return v.texts[0]
	}
	if len(k.recv.texts) > 0 && isURL(k.recv.texts[0]) {
		return k.recv.texts[0]
	}
	for _, v := range k.args {
		for _, t := range v.texts {
			if strings.HasPrefix(t, string(gapOpen)) {
				return t
			}
		}
	}
	switch {
	case k.recv.url != "":
		return k.recv.url
	case k.recv.obj != nil && k.recv.obj.target != "" && !k.recv.obj.file:
		return k.recv.obj.target
	}
	return ""
}

// hostPort is the host and port of a call that connects.
func (k *called) hostPort() string {
	a := k.arg(k.row.arg, "host", "address", "PeerAddr", "PeerHost", "url")
	if len(a.items) >= 2 {
		return text1(a.items[0]) + ":" + text1(a.items[1])
	}
	if host, ok := a.get("host", "hostname", "PeerAddr"); ok {
		port, _ := a.get("port", "PeerPort")
		return text1(host) + ":" + text1(port)
	}
	b := k.arg(k.row.arg+1, "port", "PeerPort")
	switch {
	case a.number && len(b.texts) > 0:
		return text1(b) + ":" + text1(a)
	case len(a.texts) > 0 && b.number:
		return text1(a) + ":" + text1(b)
	case len(a.texts) > 0:
		return text1(a)
	}
	for i := range k.args {
		if k.args[i].url != "" {
			return k.args[i].url
		}
	}
	return ""
}

// text1 is the first text of a value; a gap if there is none.
func text1(v value) string {
	if len(v.texts) > 0 {
		return v.texts[0]
	}
	return gap
}

// fetches is a call that reads from the network.
func (c *reader) fetches(k *called) value {
	url := k.target(0)
	if !isURL(url) && !strings.HasPrefix(url, string(gapOpen)) {
		main := k.main()
		_, file := main.plain()
		switch {
		case k.name[0] == '?' || k.row == c.calls.byName["*.get"]:
			return c.gets(k)
		case file && (c.name == "php" || c.name == "r"):
			return c.reads(k)
		case url == "":
			url = gap
		}
	}
	c.options(k)
	tags := hostTags(url)
	out := value{name: k.name, url: url, from: []source{{what: network, tags: tags, name: fill(url, "…")}}}
	c.sending(k, url, true)
	if k.row.does == "download" {
		c.stores(k.n, k.arg(k.row.arg+1, "filename", "out", "destfile"), out)
		tags = append(slices.Clone(tags), "stored")
	}
	if len(k.args)+len(k.keys) > 0 {
		c.add(signal.Fetch, k.n, c.excerpt(k.n), shown(url), tags...)
	}
	if url == gap {
		out.url = ""
	}
	if n := c.n0(k); n != nil && strings.HasSuffix(strings.ToLower(k.name), ".open") {
		c.addTo(n, "", value{url: url, from: out.from}, k.s)
	}
	back := c.callbacks(k, value{from: out.from, url: url})
	out.carry(back.from)
	out.texts = back.texts
	out.push(back.items...)
	return out
}

// gets is a call of get on something that is no client: an element by its name.
func (c *reader) gets(k *called) value {
	key := k.arg(0)
	if text, ok := key.plain(); ok {
		if v, found := k.recv.get(text); found {
			return v
		}
		if k.recv.hasTag("env-all") {
			return c.variable(text, k.n)
		}
	}
	return c.pass(k)
}

// client is a call of a client itself, with all that it needs.
func (c *reader) client(k *called) value {
	if isURL(k.target(0)) {
		return c.sends(k)
	}
	return c.pass(k)
}

// posts is a method with a name that is used for sending, if it is called with a URL.
func (c *reader) posts(k *called) value {
	if url := k.target(0); !isURL(url) && k.recv.url == "" {
		return c.pass(k)
	}
	return c.sends(k)
}

// sends is a call that may send data.
func (c *reader) sends(k *called) value {
	c.options(k)
	url := k.target(0)
	if url == "" {
		url = gap
	}
	tags := hostTags(url)
	c.sending(k, url, false)
	out := value{name: k.name, url: url, from: []source{{what: network, tags: tags, name: fill(url, "…")}}}
	back := c.callbacks(k, value{from: out.from, url: url})
	out.carry(back.from)
	out.texts = back.texts
	return out
}

// sending adds signals for what goes to a URL with a call. fetch: a call that sends nothing is
// a signal of another kind.
func (c *reader) sending(k *called, url string, fetch bool) {
	var query, body value
	for i := range k.args {
		switch v := &k.args[i]; {
		case v.fn != nil:
		case len(v.texts) > 0 && (isURL(v.texts[0]) || v.texts[0] == url):
			query.carry(v.all())
		default:
			body.carry(v.logins())
		}
	}
	for i := range k.keys {
		switch key := &k.keys[i]; strings.ToLower(key.key) {
		case "url", "uri", "params", "query":
			query.carry(key.all())
		case "timeout", "proxies", "verify", "env", "shell":
		default:
			from := key.logins()
			if loginKey(key.key) {
				from = headers(from)
			}
			body.carry(from)
		}
	}
	body.carry(only(k.recv.all(), secret, keystrokes, encoded))
	data := fetch
	for _, s := range query.from {
		data = c.sent(k.n, &s, url, query.has(encoded), "query") || data
	}
	for _, s := range body.from {
		data = c.sent(k.n, &s, url, body.has(encoded), "") || data
	}
	if !data && (len(k.args) > 1 || len(k.keys) > 0 || isURL(url)) {
		c.add(signal.Send, k.n, c.excerpt(k.n), shown(url), hostTags(url)...)
	}
}

// logins is where a value comes from, with what is under the key of a login marked as such.
func (v *value) logins() []source {
	if _, login := v.get("grant_type"); login {
		return headers(v.all())
	}
	out := value{from: v.from}
	for i := range v.items {
		out.carry(v.items[i].all())
	}
	for i := range v.keys {
		from := v.keys[i].logins()
		if headerKey(v.keys[i].key) {
			from = headers(from)
		}
		out.carry(from)
	}
	return out.from
}

// sent adds the signal of one thing that is sent. It reports whether it is data of the user.
func (c *reader) sent(n *node, s *source, url string, isEncoded bool, how signal.Tag) bool {
	if s.what == keystrokes {
		c.add(signal.Sabotage, n, c.excerpt(n), shown(url), "keylogger")
	}
	if s.what != secret && s.what != keystrokes {
		return false
	}
	tags := append(hostTags(url), s.tags...)
	if how != "" {
		tags = append(tags, how)
	}
	if s.header {
		tags = append(tags, "header")
	}
	if isEncoded {
		tags = append(tags, "encoded")
	}
	if slices.Contains(s.tags, "file") || stolen(s.tags) {
		tags = append(tags, "upload")
	}
	if _, host, _ := known.Split(url); known.Owner(s.name, host) {
		tags = append(tags, "own-service")
	}
	object := shown(url)
	if object == "…" {
		object = ""
	}
	c.add(signal.Send, n, s.name+" in "+c.excerpt(n), object, tags...)
	return true
}

// puts is a method that writes to something: a connection, a file, a process.
func (c *reader) puts(k *called) value {
	o, v := k.recv.obj, k.arg(0)
	if o == nil && len(k.args) > 1 {
		o, v = k.args[0].obj, k.args[1]
	}
	for i := range k.args {
		v.carry(k.args[i].all())
	}
	for i := range k.keys {
		v.carry(k.keys[i].all())
	}
	switch {
	case o == nil && (k.recv.url != "" || k.recv.has(peer)), o != nil && !o.file && !o.process && o.target != "":
		return c.sends(k)
	case o == nil || o.archive:
		return c.adds(k)
	case o.file && o.writes:
		c.stores(k.n, literal(o.target), v)
	case o.process && len(o.words) > 0:
		if program, ok := o.words[0].plain(); ok && interpreter(program) {
			c.interprets(k.n, program, &v)
		}
		return c.output(v.texts, k.n)
	}
	return value{}
}

// asks is a call that looks up a name: data may be in it.
func (c *reader) asks(k *called) value {
	v := k.main()
	for _, s := range v.all() {
		if s.what == secret {
			tags := append(slices.Clone(s.tags), "dns")
			c.add(signal.Send, k.n, s.name+" in "+c.excerpt(k.n), shown(text1(v)), tags...)
		}
	}
	return value{}
}

// connects is a call that opens a connection.
func (c *reader) connects(k *called) value {
	where := k.hostPort()
	tags := hostTags(where)
	c.add(signal.Connect, k.n, c.excerpt(k.n), shown(where), tags...)
	o := k.recv.obj
	if o == nil || o.file || o.process {
		o = &object{}
	}
	o.target = where
	from := []source{{what: peer, tags: tags, name: shown(where)}}
	out := value{name: k.name, obj: o, from: from}
	if c.n0(k) != nil {
		c.addTo(c.n0(k), "", value{obj: o, from: from}, k.s)
	}
	c.callbacks(k, value{from: from, obj: o})
	return out
}

// n0 is the expression that a method is called on, or the first argument.
func (c *reader) n0(k *called) *node {
	if f := k.n.kids[0]; f.op == opAttr {
		return f.kids[0]
	}
	if len(k.nodes) > 0 && c.name == "c" {
		return k.nodes[0]
	}
	return nil
}

func (c *reader) listens(k *called) value {
	c.add(signal.Connect, k.n, c.excerpt(k.n), "", "listen")
	from := []source{{what: peer, tags: []signal.Tag{"listen"}, name: "whoever connects"}}
	if c.n0(k) != nil && k.n.op == opCall {
		c.addTo(c.n0(k), "", value{from: from}, k.s)
	}
	c.callbacks(k, value{from: from, obj: &object{target: "whoever connects"}})
	return value{name: k.name, from: from}
}

func (c *reader) accepts(k *called) value {
	from := []source{{what: peer, tags: []signal.Tag{"listen"}, name: "whoever connects"}}
	conn := value{from: from, obj: &object{target: "whoever connects"}}
	out := value{from: from}
	out.push(conn, value{})
	return out
}

// duplicates is a call that makes a stream of the process that of a connection.
func (c *reader) duplicates(k *called) value {
	if from := only(k.in(), peer); len(from) > 0 {
		c.joined(k.n, from)
	}
	return value{from: k.in()}
}

// targets is a call that names a host, for calls to come.
func (c *reader) targets(k *called) value {
	host := text1(k.arg(k.row.arg, "host"))
	return value{name: k.name, url: "https://" + host, obj: &object{target: "https://" + host}, from: only(k.in(), secret)}
}

// sets is a call that sets an option by its number: curl_setopt($c, CURLOPT_URL, $url).
func (c *reader) sets(k *called) value {
	if len(k.args) < 2 {
		return c.pass(k)
	}
	option, v := strings.ToUpper(k.args[1].name), k.arg(2)
	switch {
	case strings.Contains(option, "SSL_VERIFY") && (v.name == "false" || v.name == "FALSE" || text1(v) == "0"):
		c.add(signal.Weaken, k.n, c.excerpt(k.n), "", "tls")
	case strings.HasSuffix(option, "_URL"):
		c.sending(&called{n: k.n, args: []value{v}}, text1(v), true)
		v.url = text1(v)
	case strings.Contains(option, "HEADER") || strings.Contains(option, "USERPWD"):
		v.from = headers(v.all())
	}
	if strings.Contains(option, "POSTFIELDS") && k.recv.url == "" {
		url := k.args[0].url
		c.sending(&called{n: k.n, args: []value{v}}, url, false)
	}
	c.addTo(k.nodes[0], "", value{from: v.all(), url: v.url}, k.s)
	return value{}
}
