package command

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/known"
	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/lazyregexp"
)

// splitURL takes a URL or host apart.
func splitURL(url string) (scheme, host, path string) {
	rest := strings.Trim(url, `"'<>`)
	if i := strings.Index(rest, "://"); i >= 0 && i < 24 {
		scheme, rest = strings.ToLower(rest[:i]), rest[i+3:]
		scheme = scheme[strings.LastIndexByte(scheme, '+')+1:]
	}
	end := strings.IndexAny(rest, "/?#\\")
	if end < 0 {
		end = len(rest)
	}
	host, path = rest[:end], rest[end:]
	// What is put before a host at run time is left out: ${data}.host.example
	if i := strings.LastIndexAny(host, ")}`%"); i >= 0 && i+2 < len(host) && host[i+1] == '.' {
		host = host[i+2:]
	} else if strings.HasPrefix(host, "$") && strings.Count(host, ".") > 1 {
		_, host, _ = strings.Cut(host, ".")
	}
	host = host[strings.LastIndexByte(host, '@')+1:]
	if i := strings.IndexByte(host, ']'); i > 0 && host[0] == '[' {
		return scheme, host[:i+1], path
	}
	host, _, _ = strings.Cut(host, ":")
	return scheme, strings.TrimSuffix(strings.ToLower(host), "."), path
}

// hostTags are the tags of a URL or host, and the host.
func hostTags(url string) ([]signal.Tag, string) {
	scheme, host, path := splitURL(url)
	if host == "" || strings.ContainsAny(host, "{}<>$%()…`*") || strings.Contains(host, "...") {
		return []signal.Tag{"computed"}, host
	}
	list := slices.Clip(known.Host(host, path))
	own := func(t signal.Tag) bool { return t == "private" || t == "placeholder" || t == "metadata" }
	if (scheme == "http" || scheme == "ftp" || scheme == "tftp") && !slices.ContainsFunc(list, own) {
		list = append(list, "plain")
	}
	return list, host
}

// remote is what comes from a URL. More are further tags.
func (m *machine) remote(url value, more ...signal.Tag) []cargo {
	var list []cargo
	url.each(func(text string) {
		if text != "" {
			tags, _ := hostTags(text)
			list = append(list, cargo{what: network, tags: append(tags, more...), name: text, unit: m.root()})
		}
	})
	return list
}

// services are some whose secrets everybody knows by their names.
var services = [...]string{
	"api.anthropic.com", "api.openai.com", "api.github.com", "gitlab.com", "amazonaws.com", "googleapis.com", "azure.com",
	"huggingface.co", "api.stripe.com", "slack.com", "registry.npmjs.org", "pypi.org", "docker.com", "digitalocean.com",
	"cloudflare.com", "openrouter.ai", "telegram.org", "discord.com", "sendgrid.com", "twilio.com",
}

// send adds signals for the secrets that a value takes to a URL or host. It reports whether there
// are any.
func (m *machine) send(c *call, url, v value, more ...signal.Tag) bool {
	tags, host := hostTags(url.text)
	tags = append(tags, more...)
	if m.silent {
		tags = append(tags, "silent")
	}
	if m.loops > 0 {
		tags = append(tags, "loop")
	}
	var owners []string
	for i := range v.holds {
		owner, _, _ := strings.Cut(v.holds[i].name, "_")
		if slices.Contains(v.holds[i].tags, "env-secret") && !known.Owner(v.holds[i].name, host) && !slices.Contains(owners, owner) {
			owners = append(owners, owner)
		}
	}
	if len(owners) > 1 {
		tags = append(tags, "many")
	}
	for i := range v.holds {
		x := &v.holds[i]
		all := append(slices.Clone(x.tags), tags...)
		switch {
		case x.what != secret:
			continue
		case known.Owner(x.name, host):
			all = append(all, "own-service")
		case slices.Contains(x.tags, "env-secret") && slices.ContainsFunc(services[:], func(s string) bool { return known.Owner(x.name, s) }):
			all = append(all, "other-service")
		}
		m.add(c.at, signal.Send, x.name, url.text, all...)
	}
	return v.has(secret)
}

// exchange interprets programs that use the network. What is sent are data, files, headers and
// parts of the URL, for some also what they read.
func (m *machine) exchange(c *call, p *program, a args) value {
	a = p.addresses(c, a)
	urls := a.all("url")
	if len(urls) == 0 && len(c.in.holds) > 0 && c.in.text != "" {
		// xargs-like: the URLs are read.
		urls = []value{{text: c.in.text, like: true}}
	}
	if a.has("listen") {
		m.add(c.at, signal.Connect, c.text, "", "listen")
		return value{holds: []cargo{{what: connection, tags: []signal.Tag{"listen"}, name: c.text, unit: m.root()}}}
	}
	if p.detail == "connect" && a.has("scan") {
		return value{}
	}
	var out value
	for i := range urls {
		out = both(out, m.visit(c, p, a, urls[i]))
	}
	file, named := a.first("out")
	switch {
	case len(urls) == 0 || named && file.text != "-":
		if named && len(urls) > 0 {
			m.write(c.at, file, out, false)
		}
		return value{}
	case a.has("saved") || p.detail == "saved" && !named:
		for _, url := range urls {
			name, _, _ := strings.Cut(url.text, "?")
			m.write(c.at, literal(base(name)), out, false)
		}
		return value{}
	}
	return out
}

// addresses gives words of programs that do not mark URLs and files the roles of such.
func (p *program) addresses(c *call, a args) args {
	var list args
	if p.detail == "drop" {
		list = args{{"url", literal("https://gist.github.com")}}
		a = a[min(1, len(a)):]
	}
	for i, x := range a {
		has := list.has("url")
		switch x.role {
		case "item":
			// METHOD URL name=value name@file name:header
			if x.role = "url"; has {
				x.role = map[bool]string{true: "form", false: "header"}[strings.ContainsAny(x.text, "=@")]
			} else if strings.ToUpper(x.text) == x.text {
				continue
			}
		case "pair":
			x.role = map[bool]string{true: "url", false: "out"}[isURL(x.text, has)]
		case "socket":
			protocol, rest, _ := strings.Cut(strings.ToLower(x.text), ":")
			if x = (arg{"url", literal(rest)}); !strings.Contains(" tcp tcp4 tcp6 openssl ssl udp udp4 ", " "+protocol+" ") {
				continue
			}
		case "host":
			port := strings.Trim(x.text, "0123456789") == "" && i+1 < len(a)
			if x.role = "url"; p.detail == "connect" && (has || port) {
				continue
			} else if p.detail == "mail" {
				x.text = "mailto://" + x.text
			}
		case "url":
			if len(a) > 1 && !looksURL(x.text) {
				continue
			}
		}
		list = append(list, x)
	}
	if p.operands == "item" && len(c.in.holds) > 0 {
		list = append(list, arg{"data", value{text: "@-"}})
	}
	return list
}

// isURL reports whether a word is a URL rather than the file that it is stored in.
func isURL(text string, another bool) bool {
	return strings.Contains(text, "://") || !another && pairURL().MatchString(text)
}

// pairURL is a URL without a scheme, or one in a variable, before the file that it is stored in.
var pairURL = lazyregexp.New(`^[^\\]*[$%.][^\\]*$`)

// looksURL reports whether a word may be a URL without a scheme.
func looksURL(text string) bool {
	head, _, _ := strings.Cut(text, "/")
	return text == "" || strings.ContainsAny(head, ".:$") || strings.HasPrefix(head, "localhost") || text[0] >= '0' && text[0] <= '9'
}

// visit interprets one request or connection, and returns what comes back.
func (m *machine) visit(c *call, p *program, a args, url value) value {
	var more, where []signal.Tag
	switch p.detail {
	case "dns", "drop":
		where = []signal.Tag{signal.Tag(p.detail)}
	case "mail":
		where = []signal.Tag{"messenger"}
	}
	if a.has("insecure") {
		more = append(more, "unverified")
	}
	body := m.upload(c, a, url, where)
	if p.detail == "connect" || p.detail == "mail" || p.detail == "drop" {
		m.send(c, url, c.in, where...)
	}
	m.send(c, url, url, append(where, "query")...)
	if p.detail == "connect" {
		if c.in.has(shellOutput) {
			tags, _ := hostTags(url.text)
			m.add(c.at, signal.Connect, c.text, url.text, append(tags, "shell")...)
		}
		return value{holds: m.connect(c.at, c.text, url.text)}
	}
	out := value{holds: m.remote(url, append(more, where...)...)}
	url.each(func(text string) {
		tags, _ := hostTags(text)
		if slices.Contains(tags, "metadata") {
			number := m.add(c.at, signal.Read, c.text, text, "credential")
			out.carry(cargo{what: secret, tags: []signal.Tag{"credential"}, name: text, unit: m.root(), read: number})
		}
		if a.has("out") || a.has("saved") {
			tags = append(tags, "stored")
		}
		if !body && p.detail != "dns" && p.detail != "mail" && p.detail != "drop" {
			m.add(c.at, signal.Fetch, c.text, text, tags...)
		}
	})
	return out
}

// upload adds the signals of the data, files and headers of a request. It reports whether it has
// a body.
func (m *machine) upload(c *call, a args, url value, where []signal.Tag) bool {
	body := false
	for i := range a {
		x := &a[i]
		more := slices.Clip(where)
		v, file := x.value, ""
		switch x.role {
		case "header":
			m.send(c, url, v, append(more, "header")...)
			continue
		case "data", "form":
			head, rest, at := strings.Cut(v.text, "@")
			if x.role == "form" && !at {
				head, rest, at = strings.Cut(v.text, "<")
			}
			if at && (head == "" || strings.HasSuffix(head, "=") && !strings.Contains(head, " ")) {
				file, _, _ = strings.Cut(rest, ";")
				v = m.sentFile(c, v, len(head)+1, file)
			}
		case "upload", "read":
			file = v.text
			v = m.sentFile(c, v, 0, file)
		default:
			continue
		}
		body = true
		subject := c.text
		if file != "" && file != "-" {
			more, subject = append(more, "upload"), file
		}
		if !m.send(c, url, v, more...) {
			tags, _ := hostTags(url.text)
			m.add(c.at, signal.Send, subject, url.text, append(more, tags...)...)
		}
	}
	return body
}

// sentFile is what a request sends whose data is a file: the text of v from an offset on.
func (m *machine) sentFile(c *call, v value, from int, name string) value {
	if name == "-" || name == "/dev/stdin" || name == "." {
		return c.in
	}
	w := v
	w.text, w.others = name, nil
	for _, other := range v.others {
		if from < len(other) {
			w.others = append(w.others, other[from:])
		}
	}
	out := m.readFile(c.at, w)
	out.carry(v.holds...)
	return out
}

// transfer interprets a program that copies files between machines.
func (m *machine) transfer(c *call, a args) value {
	operands := a.all("copy")
	if len(operands) < 2 {
		return value{}
	}
	to := operands[len(operands)-1]
	host, own := remoteHost(to.text)
	for _, from := range operands[:len(operands)-1] {
		source, _ := remoteHost(from.text)
		switch {
		case operands[0].text == "send":
			// croc send FILE
			m.upload(c, args{{"upload", to}}, literal("https://"+c.words[0].text), nil)
		case host != "":
			to.text = host
			m.upload(c, args{{"upload", from}}, to, own)
		case source != "":
			v := value{holds: m.remote(value{text: source, known: from.known})}
			m.add(c.at, signal.Fetch, c.text, source, append(slices.Clip(v.holds[0].tags), "stored")...)
			if to.text == "." || strings.HasSuffix(to.text, "/") {
				to = literal(base(from.text))
			}
			m.write(c.at, to, v, false)
		}
	}
	return value{}
}

// remoteHost is the host of an operand such as user@host:path or s3://bucket; "" for a file of
// this machine. The tags say whether the user logs in there.
func remoteHost(text string) (string, []signal.Tag) {
	if strings.Contains(text, "://") {
		return text, nil
	}
	host, _, ok := strings.Cut(text, ":")
	if !ok || strings.HasPrefix(text, "/") || strings.HasPrefix(text, ".") || len(host) < 2 || strings.ContainsAny(host, "/ ") {
		return "", nil
	}
	return "ssh://" + host, []signal.Tag{"login"}
}

// clone interprets git clone.
func (m *machine) clone(c *call, a args) value {
	for _, url := range a.all("url") {
		if !strings.Contains(url.text, "://") {
			if !strings.Contains(url.text, "git@") && strings.Count(url.text, "/") != 1 {
				continue
			}
			url.text = "https://" + strings.Replace(strings.TrimPrefix(url.text, "git@"), ":", "/", 1)
		}
		f := &file{doc: m.doc, unit: m.root()}
		f.holds = m.remote(url, "clone")
		m.add(c.at, signal.Fetch, c.text, url.text, append(slices.Clip(f.holds[0].tags), "stored")...)
		m.doc.unpacked = f
		break
	}
	return value{}
}
