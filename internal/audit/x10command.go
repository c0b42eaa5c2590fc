package audit

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/fact"
)

// leakingCommands finds commands that send what others print: all variables, or a file
// with keys.
func (p *pass) leakingCommands() {
	kept := map[string]int{}
	unit := -1
	for i := range p.Commands {
		c := &p.Commands[i]
		if c.Unit != unit {
			clear(kept)
			unit = c.Unit
		}
		if what := p.prints(i); what != "" {
			for _, name := range p.filesOf(c) {
				kept[name] = i
			}
		}
		if !sendsData(c) {
			continue
		}
		var from []int
		from = append(from, c.Inner...)
		if c.From >= 0 {
			from = append(from, c.From)
		}
		what := ""
		if p.looksUpSecret(i) {
			what = "a part of a secret is looked up as a name, which sends it"
		}
		for _, k := range p.back(from) {
			if w := p.prints(k); w != "" && what == "" {
				what = w
			}
		}
		for _, a := range c.Args {
			if at := strings.LastIndexByte(a, '@'); what == "" && len(kept) > 0 {
				if k, ok := kept[strings.Trim(a[at+1:], `"';`)]; ok {
					what = p.prints(k)
				}
			}
		}
		if what == "" {
			continue
		}
		s, sure := Block, High
		to := receiverOf(addressIn(c))
		if to.own || schematic(c) {
			continue
		}
		// In a document it may be there to be looked at.
		if c.Medium != fact.Shell && c.Medium != fact.Code && c.Medium != fact.Literal && to.bad == "" && (c.Apart() || !to.known || fact.PlaceholderHost(to.host)) {
			s, sure = Review, Medium
		}
		where := "to the network"
		if to.known {
			where = "to " + to.host
		}
		p.at(c.Place, "%s %s", what, where).as(s, sure).standing(c.Standing)
	}
}

// looksUpSecret reports whether a command asks for the address of a name that is put
// together when it runs, in a script that reads a store of keys.
func (p *pass) looksUpSecret(i int) bool {
	c := &p.Commands[i]
	switch c.Name {
	case "dig", "nslookup", "host", "drill":
	default:
		return false
	}
	if !slices.ContainsFunc(c.Args, func(a string) bool { return strings.Contains(a, "$") && strings.Contains(a, ".") }) {
		return false
	}
	return slices.ContainsFunc(p.Paths, func(x fact.Path) bool {
		return x.File == c.File && x.Class.Secret() && x.Meant() && x.Access != fact.Writes
	})
}

// prints says what secrets a command prints; "" is none.
func (p *pass) prints(i int) string {
	c := &p.Commands[i]
	switch c.Name {
	case "env", "printenv", "set", "export", "declare", "gci", "get-childitem", "dir", "ls":
		if c.Name == "env" && c.Wraps >= 0 {
			return ""
		}
		if c.Name == "env" || c.Name == "printenv" || c.Name == "set" {
			if len(c.Args) == 0 || c.Name == "env" && c.Args[0] == "-0" {
				return "all variables of the environment are sent"
			}
			return ""
		}
		if (c.Name == "export" || c.Name == "declare") && len(c.Args) == 1 && (c.Args[0] == "-p" || c.Args[0] == "-x" || c.Args[0] == "-xp" || c.Args[0] == "-px") {
			return "all variables of the environment are sent"
		}
		if len(c.Args) == 1 && strings.EqualFold(strings.TrimSuffix(c.Args[0], `\`), "env:") {
			return "all variables of the environment are sent"
		}
	case "cat", "type", "tar", "zip", "base64", "head", "tail", "gzip", "get-content", "gc", "xxd", "od", "less", "more", "7z":
		for _, a := range append(c.Args[:len(c.Args):len(c.Args)], c.Reads...) {
			if class, _ := fact.ClassOf(strings.TrimPrefix(a, "@")); class.Secret() || a == "/proc/self/environ" {
				return a + " is sent"
			}
		}
	case "security":
		if len(c.Args) > 0 && (c.Args[0] == "dump-keychain" || strings.HasPrefix(c.Args[0], "find-") && strings.HasSuffix(c.Args[0], "-password")) {
			return "what the keychain keeps is sent"
		}
	}
	return ""
}

// sendsData reports whether a command sends its input or an argument to the network as
// data, not to open a door there.
func sendsData(c *fact.Command) bool {
	switch c.Name {
	case "curl", "wget", "http", "https", "xh":
		for i, a := range c.Args {
			switch {
			case strings.HasPrefix(a, "--data"), strings.HasPrefix(a, "--form"), strings.HasPrefix(a, "--post"), strings.HasPrefix(a, "--body"), a == "--upload-file", strings.HasPrefix(a, "--json"), strings.HasPrefix(a, "--url-query"):
				return true
			case a == "-d" || a == "-F" || a == "-T" || strings.HasPrefix(a, "-d@") || strings.HasPrefix(a, "-F@") || strings.HasPrefix(a, "-T"):
				return true
			case len(a) > 2 && a[0] == '-' && a[1] != '-' && strings.ContainsAny(a[len(a)-1:], "dFT"):
				return true
			case strings.Contains(a, "://") && strings.ContainsAny(a, "$`") && (i == 0 || c.Args[i-1] != "-H"):
				return strings.Contains(a, "$(") || strings.Contains(a, "`")
			}
		}
	case "nc", "ncat", "netcat", "telnet", "socat", "nslookup", "dig", "host", "mail", "sendmail", "mailx", "iwr", "irm", "invoke-webrequest", "invoke-restmethod", "uploadstring", "uploaddata", "uploadfile":
		return true
	}
	return false
}

// addressIn is the address among the arguments of a command.
func addressIn(c *fact.Command) string {
	host := ""
	for i, a := range c.Args {
		a = strings.Trim(a, `"'`)
		switch {
		case strings.Contains(a, "://"):
			return a
		case strings.HasPrefix(a, "-") || i > 0 && len(c.Args[i-1]) == 2 && c.Args[i-1][0] == '-' && c.Name == "curl":
		case host == "" && strings.Contains(a, ".") && !strings.ContainsAny(a, "$@/ "), host == "" && strings.Contains(a, "/") && strings.Contains(a[:strings.IndexByte(a, '/')], "."):
			host = a
		}
	}
	return host
}
