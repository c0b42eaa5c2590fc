package audit

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/fact"
)

// leak is that something of the user's goes to another machine.
type leak struct {
	// path is the index of what goes, -1 where it is not a file that has a class; what
	// names it.
	path int
	what string
	// at is the command that sends, to its address or host as far as it shows.
	at fact.Place
	fact.Standing
	to string
}

// maxLeaks bounds how many are followed.
const maxLeaks = 200

// leaks follows what is secret through the commands of the package: into a command that
// sends, through pipelines and substitutions, and through a file by its name.
func (p *pass) leaks() []leak {
	var out []leak
	kept := map[string]int{}
	byCommand := p.secretsByCommand()
	if len(byCommand) == 0 && len(p.Commands) == 0 {
		return nil
	}
	carried := map[int]int{}
	unit := -1
	for i := range p.Commands {
		if len(out) >= maxLeaks {
			return out
		}
		c := &p.Commands[i]
		if c.Unit != unit {
			clear(kept)
			unit = c.Unit
		}
		path, has := byCommand[i]
		if !has {
			path, has = p.carriedBy(i, carried)
		}
		if !has {
			for _, a := range append(c.Args[:len(c.Args):len(c.Args)], c.Reads...) {
				if k, ok := kept[base(strings.Trim(strings.TrimLeft(a[strings.LastIndexAny(a, "@=")+1:], "<"), `"'`))]; ok && a != "" {
					path, has = k, true
				}
			}
		}
		if !has {
			continue
		}
		carried[i] = path
		if to, ok := sendsTo(c); ok {
			if _, direct := byCommand[i]; !direct || p.Paths[path].Access == fact.Sends || strings.Contains(c.Text, "$(") || len(c.Reads) > 0 {
				out = append(out, leak{path: path, what: p.Paths[path].Text, at: c.Place, Standing: c.Standing, to: to})
			}
			continue
		}
		for _, name := range writtenBy(c) {
			kept[base(name)] = path
		}
	}
	return out
}

// carriedBy returns the secret that a command gets from those whose output it reads.
func (p *pass) carriedBy(i int, carried map[int]int) (int, bool) {
	c := &p.Commands[i]
	for _, k := range append(c.Inner[:len(c.Inner):len(c.Inner)], c.From, c.Wraps) {
		if path, ok := carried[k]; ok && k >= 0 {
			return path, true
		}
		// What stands inside may come behind in the list.
		if k > i && k < len(p.Commands) {
			if path, ok := p.secretsByCommand()[k]; ok {
				return path, true
			}
		}
	}
	return -1, false
}

// secretsByCommand says which commands read or send a file that is secret.
func (p *pass) secretsByCommand() map[int]int {
	if p.secrets != nil {
		return p.secrets
	}
	p.secrets = map[int]int{}
	type spot struct {
		fact.Place
		index int
	}
	var list []spot
	for i := range p.Commands {
		list = append(list, spot{p.Commands[i].Place, i})
	}
	slices.SortFunc(list, func(a, b spot) int { return a.Compare(b.Place) })
	for i := range p.Paths {
		x := &p.Paths[i]
		if !x.Class.Secret() && x.Class != fact.EnvFile && x.Class != fact.AgentHistory || x.Access != fact.Reads && x.Access != fact.Sends {
			continue
		}
		k, _ := slices.BinarySearchFunc(list, x.Place, func(a spot, at fact.Place) int {
			if a.File < at.File || a.File == at.File && a.Span.Start <= at.Span.Start {
				return -1
			}
			return 1
		})
		for n := 0; n < 16 && k > 0; n++ {
			k--
			if c := &p.Commands[list[k].index]; c.File == x.File && c.Span.End >= x.Span.End && strings.Contains(c.Text, x.Text) {
				if _, ok := p.secrets[list[k].index]; !ok {
					p.secrets[list[k].index] = i
				}
				break
			}
		}
	}
	return p.secrets
}

// writtenBy returns the names of the files that a command puts what it reads into.
func writtenBy(c *fact.Command) []string {
	names := slices.Clone(c.Writes)
	switch c.Name {
	case "cp", "mv", "copy", "copy-item", "gzip", "install", "rsync", "ditto":
		if len(c.Args) > 1 {
			names = append(names, c.Args[len(c.Args)-1])
		}
	case "tar", "zip", "7z", "7za", "rar", "compress-archive":
		for _, a := range c.Args {
			if strings.Contains(a, ".") && !strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "~") {
				names = append(names, a)
				break
			}
		}
	case "tee":
		names = append(names, c.Args...)
	}
	for i, a := range c.Args {
		if (a == "-o" || a == "-out" || a == "--output") && i+1 < len(c.Args) {
			names = append(names, c.Args[i+1])
		}
	}
	return names
}

// sendsTo reports whether a command gives data to another machine, and to which.
func sendsTo(c *fact.Command) (string, bool) {
	switch c.Name {
	case "curl", "curl.exe", "wget", "http", "https", "xh", "httpie", "invoke-webrequest", "invoke-restmethod", "iwr", "irm", "uploadstring", "uploaddata", "uploadfile":
		for _, a := range c.Args {
			if strings.Contains(a, "://") {
				return a, true
			}
		}
		for i := len(c.Args) - 1; i >= 0; i-- {
			if a := c.Args[i]; !strings.HasPrefix(a, "-") && strings.Contains(a, ".") && !strings.Contains(a, "@") && !strings.Contains(a, " ") {
				return a, true
			}
		}
		return "", len(c.Args) > 0
	case "nc", "ncat", "netcat", "telnet", "socat", "nslookup", "dig", "host", "ftp", "sftp", "tftp", "mail", "mailx", "mutt", "sendmail", "ping":
		for _, a := range c.Args {
			if !strings.HasPrefix(a, "-") && strings.Contains(a, ".") {
				return a, true
			}
		}
		return "", c.Name != "ping" && c.Name != "host"
	case "scp", "rsync":
		if n := len(c.Args); n > 1 && strings.Contains(c.Args[n-1], ":") && !strings.HasPrefix(c.Args[n-1], "/") {
			host, _, _ := strings.Cut(c.Args[n-1], ":")
			return host[strings.IndexByte(host, '@')+1:], true
		}
	case "aws", "gsutil", "gcloud", "rclone", "s3cmd", "mc", "az":
		if n := len(c.Args); n > 1 && (strings.Contains(c.Args[n-1], "://") || strings.Contains(c.Args[n-1], ":")) {
			return c.Args[n-1], true
		}
	case "gh":
		if len(c.Args) > 1 && c.Args[0] == "gist" && c.Args[1] == "create" {
			return "gist.github.com", true
		}
	}
	return "", false
}

// hostOf is the host of an address that a command sends to. What is put before it when
// the command runs is left out.
func hostOf(to string) (host, path string) {
	_, host, path = splitURL(to)
	whole := to
	if i := strings.Index(whole, "://"); i >= 0 {
		whole = whole[i+3:]
	}
	if i := strings.LastIndexAny(whole, ")}`"); i >= 0 && i+2 < len(whole) && whole[i+1] == '.' && strings.ContainsAny(whole[:i], "$`") && !strings.Contains(strings.SplitN(whole, "$", 2)[0], "/") {
		_, host, path = splitURL(whole[i+2:])
	}
	return host, path
}

// mine reports whether an address or host is one's own, or stands for whatever the
// reader puts there.
func mine(to string) bool {
	host, _ := hostOf(to)
	return host != "" && (fact.PrivateHost(host) || fact.PlaceholderHost(host))
}

// sinkOf says what sort of service that collects an address is, "" for others.
func sinkOf(url string) fact.HostKind { return fact.Sink(hostOf(url)) }
