package command

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/known"
	"github.com/vadehq/vade/internal/audit/signal"
)

// hostTags returns the tags for a URL or host, and the name of the host.
func hostTags(url string) ([]signal.Tag, string) {
	scheme, rest, ok := strings.Cut(strings.Trim(url, `"'<>`), "://")
	if !ok {
		scheme, rest = "", scheme
	}
	rest = regex("computedPart").ReplaceAllString(rest, "$1")
	scheme = strings.ToLower(scheme[strings.LastIndexByte(scheme, '+')+1:])
	return known.URL(scheme + "://" + strings.ReplaceAll(rest, `\`, "/"))
}

// downloadSources returns a network source for each text that a URL may have. more lists tags to
// add to these sources.
func (m *machine) downloadSources(url value, more ...signal.Tag) []source {
	var list []source
	url.eachText(func(text string) {
		if text != "" {
			tags, _ := hostTags(text)
			list = append(list, m.newSource(network, text, append(tags, more...)...))
		}
	})
	return list
}

// send adds signals for the secrets in a value that is sent to a URL or host, and reports whether
// there are any.
func (m *machine) send(c *call, url, v value, more ...signal.Tag) bool {
	tags, host := hostTags(url.text)
	if strings.HasPrefix(url.text, "s3://") || strings.HasPrefix(url.text, "gs://") {
		// The host is a storage bucket. Anyone can own one.
		tags = []signal.Tag{"unknown"}
	}
	tags = append(tags, more...)
	owners := map[string]bool{}
	for _, x := range v.sources {
		if slices.Contains(x.tags, "env-secret") && !known.SecretFor(x.name, host) {
			owner, _, _ := strings.Cut(x.name, "_")
			owners[owner] = true
		}
	}
	if len(owners) > 1 {
		tags = append(tags, "many")
	}
	for _, x := range v.sources {
		if x.kind != secret {
			continue
		}
		all := append(slices.Clone(x.tags), tags...)
		service := known.CompareService(x.name, host)
		named := slices.Contains(x.tags, "env-secret") || slices.Contains(x.tags, "token-command")
		if service == "own-service" || service != "" && named {
			all = append(all, service)
		}
		m.add(c.at, signal.Send, x.name, url.text, all...)
	}
	return v.has(secret)
}

// networkProgram interprets programs that use the network. Such a program may send data, files,
// headers, parts of the URL, or its input.
func (m *machine) networkProgram(c *call) value {
	c.assignRoles()
	urls := c.all("url")
	if c.has("listen") {
		m.add(c.at, signal.Connect, c.text, "", "listen")
		return value{sources: []source{m.newSource(connection, c.text, "listen")}}
	}
	var out value
	for _, url := range urls {
		out = concatOutput(out, m.request(c, url))
	}
	file, named := c.first("out")
	switch {
	case len(urls) == 0:
		return value{}
	case named && file.text != "-":
		m.write(c.at, file, out, false)
	case c.has("saved") || c.program.detail == "saved" && !named:
		for _, url := range urls {
			name, _, _ := strings.Cut(url.text, "?")
			m.write(c.at, literal(base(name)), out, false)
		}
	default:
		return out
	}
	return value{}
}

// assignRoles assigns roles to the arguments of programs that take URLs and files as positional
// arguments.
func (c *call) assignRoles() {
	words := c.args
	c.args = nil
	if c.program.detail == "drop" {
		c.args = args{{"url", literal("https://gist.github.com")}}
		words = words[min(1, len(words)):]
	}
	for i, x := range words {
		if c.assignRole(&x, len(words)-i) {
			c.args = append(c.args, x)
		}
	}
}

// assignRole assigns a role, such as "url", to a word, and reports whether the word has one. left
// is the number of remaining words, including this one.
func (c *call) assignRole(x *arg, left int) bool {
	has := c.has("url")
	switch x.role {
	case "item":
		// Syntax: METHOD URL name=value name@file name:header
		if x.role = "form"; !has && strings.ToUpper(x.text) != x.text {
			x.role = "url"
		}
	case "pair":
		if x.role = "out"; strings.Contains(x.text, "://") || !has && regex("pairURL").MatchString(x.text) {
			x.role = "url"
		}
	case "socket":
		found := regex("socketAddress").FindStringSubmatch(x.text)
		if found == nil {
			return false
		}
		*x = arg{"url", literal(found[1])}
	case "host":
		port := strings.Trim(x.text, "0123456789") == "" && left > 1
		x.role = "url"
		return c.program.detail != "connect" || !has && !port
	case "url":
		return regex("likeURL").MatchString(x.text)
	}
	return true
}

// request interprets one request or connection and returns the response.
func (m *machine) request(c *call, url value) value {
	var extraTags []signal.Tag
	kind := c.program.detail
	silent := kind == "dns" || kind == "drop" || kind == "messenger"
	if silent {
		extraTags = []signal.Tag{signal.Tag(kind)}
	}
	body := m.upload(c, url, extraTags)
	if silent && kind != "dns" || kind == "connect" {
		m.send(c, url, c.in, extraTags...)
	}
	m.send(c, url, url, append(extraTags, "query")...)
	if kind == "connect" {
		if c.in.has(shellOutput) {
			tags, _ := hostTags(url.text)
			m.add(c.at, signal.Connect, c.text, url.text, append(tags, "shell")...)
		}
		return value{sources: m.connect(c.at, c.text, url.text)}
	}
	if c.has("insecure") {
		extraTags = append(extraTags, "unverified")
	}
	out := value{sources: m.downloadSources(url, extraTags...)}
	url.eachText(func(text string) {
		tags, _ := hostTags(text)
		if slices.Contains(tags, "metadata") {
			x := m.newSource(secret, text, "credential")
			x.read = m.add(c.at, signal.Read, c.text, text, "credential")
			out.addSources(x)
		}
		if c.has("out") || c.has("saved") {
			tags = append(tags, "stored")
		}
		if !body && !silent {
			m.add(c.at, signal.Fetch, c.text, text, tags...)
		}
	})
	return out
}

// upload adds signals for a request's data, files and headers, and reports
// whether the request has a body.
func (m *machine) upload(c *call, url value, extraTags []signal.Tag) bool {
	body := false
	for _, x := range c.args {
		more := slices.Clip(extraTags)
		v, file := x.value, ""
		switch x.role {
		case "header":
			m.send(c, url, v, append(more, "header")...)
			continue
		case "data", "form":
			found := regex("fileField").FindStringSubmatchIndex(v.text)
			if found != nil && (x.role == "form" || v.text[found[2]-1] == '@') {
				file = v.text[found[2]:found[3]]
				v = m.uploadedFile(c, v, found[2], file)
			}
		case "upload", "read":
			file = v.text
			v = m.uploadedFile(c, v, 0, file)
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

// uploadedFile returns what a request sends if it uploads the file called name. from is the offset
// of the file name in each alternative text of v.
func (m *machine) uploadedFile(c *call, v value, from int, name string) value {
	if name == "-" || name == "/dev/stdin" || name == "." {
		return c.in
	}
	w := value{text: name, known: v.known, isPattern: v.isPattern, sources: v.sources}
	for _, other := range v.alternatives {
		w.addAlternative(other[min(from, len(other)):])
	}
	out := m.readFile(c.at, w)
	out.addSources(v.sources...)
	return out
}

// transfer interprets programs that copy files between machines.
func (m *machine) transfer(c *call) value {
	operands := c.all("copy")
	if len(operands) < 2 {
		return value{}
	}
	to := operands[len(operands)-1]
	host, own := remoteHost(to.text)
	for _, from := range operands[:len(operands)-1] {
		source, _ := remoteHost(from.text)
		switch {
		case host != "":
			to.text = host
			c.args = args{{"upload", from}}
			m.upload(c, to, own)
		case source != "":
			v := value{sources: m.downloadSources(value{text: source, known: from.known})}
			m.add(c.at, signal.Fetch, c.text, source, append(slices.Clip(v.sources[0].tags), "stored")...)
			if to.text == "." || strings.HasSuffix(to.text, "/") {
				to = literal(base(from.text))
			}
			m.write(c.at, to, v, false)
		}
	}
	return value{}
}

// remoteHost returns the URL of the remote host in an operand such as user@host:path, along with
// the tag "login". If the operand is a URL, such as s3://bucket, it is returned unchanged. For a
// local file, remoteHost returns "".
func remoteHost(text string) (string, []signal.Tag) {
	if strings.Contains(text, "://") {
		return text, nil
	}
	if found := regex("rcloneHost").FindStringSubmatch(text); found != nil {
		return "ssh://" + found[1], []signal.Tag{"login"}
	}
	if found := regex("machineName").FindStringSubmatch(text); found != nil {
		return "ssh://" + found[1], []signal.Tag{"login"}
	}
	return "", nil
}

// clone interprets git clone, and git push with a URL.
func (m *machine) clone(c *call) value {
	for _, url := range c.all("url") {
		if !strings.Contains(url.text, "://") {
			short := c.program.detail == "" && strings.Count(url.text, "/") == 1
			if !strings.Contains(url.text, "git@") && !short {
				continue
			}
			url.text = "https://" + strings.Replace(strings.TrimPrefix(url.text, "git@"), ":", "/", 1)
		}
		if c.program.detail == "push" {
			tags, _ := hostTags(url.text)
			m.add(c.at, signal.Send, c.text, url.text, append(tags, "upload", "repository")...)
			break
		}
		m.state.unpacked = markStored(m.downloadSources(url, "clone"))
		m.add(c.at, signal.Fetch, c.text, url.text, append(slices.Clip(m.state.unpacked[0].tags), "stored")...)
		break
	}
	return value{}
}
