package fact

import (
	"strings"

	"github.com/vadehq/vade/internal/audit/script"
)

// where is the address that a thing is joined to.
func where(v value) string {
	if v.obj != nil {
		return shown(v.obj.where)
	}
	return ""
}

// address is the address among the arguments of a call that connects.
func address(k *called) string {
	a := k.arg(0, "host", "url")
	if len(a.items) >= 2 {
		return shown(a.items[0].text + ":" + a.items[1].text)
	}
	if host, ok := a.get("host"); ok {
		port, _ := a.get("port")
		return shown(host.text + ":" + port.text)
	}
	b := k.arg(1, "port", "host")
	switch {
	case a.num && b.known:
		return shown(b.text + ":" + a.text)
	case a.known && b.num:
		return shown(a.text + ":" + b.text)
	}
	return shown(a.text)
}

// network is a call of a client of the network.
func (c *codeReader) network(k *called, does Effect, how string) value {
	c.fact(k, does)
	target := k.arg(0, "url", "uri")
	first := 1
	_, last := cutLast(k.name)
	switch {
	case how == "stream":
		first = 0
		target = value{}
		if k.recv.obj != nil {
			target = text(k.recv.obj.where)
		}
	case last == "request" && c.lang == script.Python, last == "stream" && c.lang == script.Python:
		// The method stands before the address.
		if b := k.arg(1, "url"); b.known || !strings.Contains(target.text, "://") {
			target, first = b, 2
			if k.recv.obj != nil && !strings.Contains(b.text, "://") {
				target.text, target.known = "https://"+k.recv.obj.where+b.text, true
			}
		}
	case k.recv.obj != nil && (last == "write" || last == "end" || strings.HasPrefix(k.name, "smtplib") || strings.HasPrefix(k.name, "ftplib")):
		first = 0
		target = text(k.recv.obj.where)
	}
	if to, ok := target.get("url"); ok {
		target.text, target.known = to.text, to.known
	} else if host, ok := either2(target, "hostname", "host"); ok && !target.known {
		path, _ := target.get("path")
		target.text, target.known = "https://"+host.text+path.text, true
	}
	to := shown(target.text)
	if len(target.keys) == 0 {
		c.flows(k, without(target.all(), Connect), Send, to, "address")
	} else {
		c.sent(k, target, to)
	}
	for i := first; i < len(k.args); i++ {
		c.sent(k, k.args[i], to)
	}
	for _, key := range k.keys {
		switch {
		case headerKey(key.key):
			c.flows(k, key.all(), Send, to, "header")
		case key.key == "url" || key.key == "timeout" || key.key == "proxies":
		case key.key == "params":
			c.flows(k, key.all(), Send, to, "address")
		default:
			c.sent(k, key.value, to)
		}
	}
	c.flows(k, k.recv.taintsBut(Fetch, Connect), Send, to, "client")
	out := value{taints: []taint{{does: Fetch, start: k.n.Start, end: k.n.End, what: to}}}
	if how == "stream" {
		out.carry(only(k.recv.taints, Connect))
	}
	switch {
	case strings.HasSuffix(k.name, ".request") && (strings.HasPrefix(k.name, "http.") || strings.HasPrefix(k.name, "https.")) && c.lang == script.JavaScript:
		out.name, out.obj = k.name+"()", &object{where: to}
	case k.name == "urllib.request.urlretrieve" || k.name == "urllib.urlretrieve" || k.name == "wget.download":
		c.wrote(c.pathKey(k.arg(1, "filename", "out"), c.node(k, 1)), out.taints)
	case strings.HasPrefix(k.name, "http.client.") || strings.HasPrefix(k.name, "httplib."):
		// What comes back is read from the connection.
		c.addTo(k.n.Kids[0], "", out, k.s)
	}
	back := c.callbacks(k, value{taints: out.taints})
	out.carry(back.taints)
	if back.known {
		out.text, out.known = back.text, back.known
	}
	return out
}

func either2(v value, a, b string) (value, bool) {
	if got, ok := v.get(a); ok {
		return got, true
	}
	return v.get(b)
}

// taintsBut are where a value comes from, without some effects.
func (v value) taintsBut(out ...Effect) []taint {
	list := v.all()
	for _, e := range out {
		list = without(list, e)
	}
	return list
}

// sent takes the flows of what is sent: by its keys, where it has some.
func (c *codeReader) sent(k *called, v value, to string) {
	if v.fn != nil {
		return
	}
	if len(v.keys) == 0 {
		c.flows(k, v.taintsBut(Connect), Send, to, "body")
		return
	}
	c.flows(k, without(v.taints, Connect), Send, to, "body")
	for _, key := range v.keys {
		part := "body"
		if headerKey(key.key) {
			part = "header"
		}
		c.flows(k, key.taintsBut(Connect), Send, to, part)
	}
}
