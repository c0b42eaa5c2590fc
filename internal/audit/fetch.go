package audit

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/commands"
	"github.com/vadehq/vade/internal/audit/fact"
	"github.com/vadehq/vade/internal/chars"
)

// fetches returns the addresses that a command reads from the network; ok is false
// for a command that does not.
func fetches(c *fact.Command) (urls []string, ok bool) {
	switch c.Name {
	case "curl", "wget", "iwr", "irm", "invoke-webrequest", "invoke-restmethod", "downloadstring", "downloaddata", "downloadfile", "getstringasync", "openread",
		"http", "https", "httpie", "aria2c", "axel", "fetch", "lynx", "w3m", "links", "get", "lwp-request", "lwp-download", "start-bitstransfer", "bitsadmin", "mshta", "ftp", "tftp", "xh":
	case "certutil":
		if !slices.ContainsFunc(c.Args, func(a string) bool { return strings.EqualFold(strings.TrimLeft(a, "-/"), "urlcache") }) {
			return nil, false
		}
	case "nc", "ncat", "netcat", "telnet", "socat":
		return []string{"http://" + hostArg(c.Args)}, true
	case "dig", "nslookup", "drill":
		// A record of a name is no place for programs.
		return []string{"dns://"}, true
	case "scp", "rsync", "sftp":
		for _, a := range c.Args {
			if from, _, ok := strings.Cut(a, ":"); ok && !strings.HasPrefix(a, "-") {
				return []string{"scp://" + from}, true
			}
		}
		return nil, false
	default:
		for _, name := range c.Reads {
			if rest, ok := strings.CutPrefix(name, "/dev/tcp/"); ok {
				at, _, _ := strings.Cut(rest, "/")
				return []string{"http://" + at}, true
			}
		}
		return nil, false
	}
	skip := false
	for i, a := range c.Args {
		if skip {
			skip = false
			continue
		}
		if c.Name == "curl" || c.Name == "wget" {
			switch a {
			case "-o", "-O", "-H", "-d", "-X", "-u", "-A", "-e", "-b", "-c", "-m", "-T", "-w", "--output", "--header", "--data", "--request", "--user", "--user-agent", "--max-time", "--retry", "--connect-timeout", "--data-raw", "--cacert", "--proto", "--retry-delay", "--proxy", "-x", "-P", "--output-document", "-E", "--cert", "--key":
				skip = a != "-O" || c.Name == "wget"
				continue
			}
		}
		if strings.HasPrefix(a, "-") || strings.HasPrefix(a, "/") && !strings.HasPrefix(a, "//") {
			continue
		}
		if (c.Name == "curl" || c.Name == "wget") && a != "" || strings.Contains(a, "://") || strings.Contains(a, ".") && !strings.ContainsAny(a, " \\") && (i == 0 || len(urls) == 0) || strings.HasPrefix(a, "$") || strings.Contains(a, "localhost") || strings.HasPrefix(a, "<") {
			urls = append(urls, a)
		}
	}
	return urls, true
}

// hostArg is the first argument that could be one.
func hostArg(args []string) string {
	for _, a := range args {
		low := strings.ToLower(a)
		if _, rest, ok := strings.Cut(low, "tcp:"); ok {
			at, _, _ := strings.Cut(rest, ":")
			return at
		}
		if !strings.HasPrefix(a, "-") && strings.Trim(a, "0123456789") != "" {
			return a
		}
	}
	return ""
}

// runsAddress returns the address that a command runs as a program by itself; "" where
// it runs none.
func runsAddress(c *fact.Command) string {
	switch c.Name {
	case "mshta", "msiexec", "regsvr32", "rundll32", "wscript", "cscript", "wmic", "presentationhost", "hh", "installutil":
		for _, a := range c.Args {
			if i := chars.IndexFold(a, "http"); i >= 0 && strings.Contains(a[i:], "://") {
				return a[i:]
			}
			if i := strings.Index(a, `\\`); i >= 0 {
				at := strings.TrimLeft(a[i:], `\`)
				end := strings.IndexAny(at, `\@`)
				if end > 0 {
					return "http://" + at[:end]
				}
			}
		}
	case "deno", "bun":
		for i, a := range c.Args {
			if i > 0 && !strings.HasPrefix(a, "-") {
				if strings.HasPrefix(a, "http://") || strings.HasPrefix(a, "https://") {
					return a
				}
				break
			}
		}
	case "brew":
		if len(c.Args) > 2 && c.Args[0] == "tap" && strings.Contains(c.Args[2], "://") && !forged(c.Args[2]) {
			return c.Args[2]
		}
	case "cargo", "go", "gem":
		for i, a := range c.Args {
			if i > 0 && (c.Args[i-1] == "--git" || c.Args[i-1] == "--index" || c.Args[i-1] == "--source") && strings.Contains(a, "://") && !forged(a) && !ofRegistry(a) {
				return a
			}
		}
	case "pip", "pip3", "uv", "npm", "yarn", "pnpm", "npx", "uvx", "pipx", "bunx":
		for i, a := range c.Args {
			a = strings.TrimPrefix(a, "git+")
			// A registry of one's own firm is an ordinary thing; a program at an address is not.
			named := i > 0 && strings.HasPrefix(c.Args[i-1], "-") && c.Args[i-1] != "-U" && c.Args[i-1] != "-y" && c.Args[i-1] != "-g" && c.Args[i-1] != "--yes"
			if _, value, ok := strings.Cut(a, "="); ok && strings.HasPrefix(a, "--") {
				a, named = value, true
			}
			if !strings.HasPrefix(a, "http://") && !strings.HasPrefix(a, "https://") || isSetting(c) || !named && !isInstalled(c, i) {
				continue
			}
			if t := trust(a); t >= exposed || t == stranger && !named && !forged(a) && !ofRegistry(a) {
				return a
			}
		}
	}
	if prog, ok := commands.ProgramOf(c.Words()); ok && prog.Lang != "sh" && prog.Text > 0 && prog.Text <= len(c.Args) {
		return loadsItself(c.Args[prog.Text-1])
	}
	return ""
}

// isInstalled reports whether an argument names what is installed or run, and is not one of
// a script that is started.
func isInstalled(c *fact.Command, at int) bool {
	switch c.Name {
	case "npx", "uvx", "bunx":
		return operand(c.Args) == c.Args[at]
	case "uv", "pipx":
		return slices.Contains(c.Args[:at], "install") || slices.Contains(c.Args[:at], "add") || slices.Contains(c.Args[:at], "--with") || slices.Contains(c.Args[:at], "--from") ||
			c.Name == "pipx" && at > 0 && c.Args[at-1] == "run"
	}
	return true
}

// ofRegistry reports whether an address is of a registry that everybody uses.
func ofRegistry(url string) bool {
	_, host, _ := splitURL(url)
	return fact.RegistryHost(host)
}

// isSetting reports whether a command only changes or asks for a setting, or goes to the
// address by way of a proxy.
func isSetting(c *fact.Command) bool {
	return slices.Contains(c.Args, "config") || slices.ContainsFunc(c.Args, func(a string) bool { return strings.HasPrefix(a, "--proxy") || strings.HasPrefix(a, "--https-proxy") })
}

// loadsItself returns the address from which a program in a line loads what it runs.
func loadsItself(text string) string {
	var runs, loads bool
	for _, word := range [...]string{"exec(", "eval(", "eval ", "(eval)", "system(", "popen(", "Function(", "subprocess", "execSync("} {
		runs = runs || strings.Contains(text, word)
	}
	for _, word := range [...]string{"urlopen(", "requests.get(", "http.get(", "https.get(", "fetch(", "Net::HTTP", "LWP::", "get(\"http", "get('http", "get 'http", "URI.open(", "open-uri", "file_get_contents("} {
		loads = loads || strings.Contains(text, word)
	}
	i := strings.Index(text, "http://")
	if i < 0 {
		i = strings.Index(text, "https://")
	}
	if !runs || !loads || i < 0 {
		return ""
	}
	url := text[i:]
	if end := strings.IndexAny(url, "'\"` )"); end > 0 {
		url = url[:end]
	}
	return url
}
