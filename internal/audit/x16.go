package audit

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/fact"
)

func x16() Rule {
	return Rule{
		ID: "X16", Name: "miner-or-ransom", Title: "The machine is used to mine money, or files are taken hostage", Scope: "code",
		Severity: Block, Confidence: High,
		Why: "Nobody asks an agent to mine for others or to lock files: this works against who runs it.",
		Fix: "Do not load it. If it ran already, look for the processes and the files that it left.",
		CWE: []int{506, 400}, OWASP: "AST01",
		find: findX16,
	}
}

func findX16(p *pass) {
	purpose := p.purpose()
	say := func(c *fact.Command, format string, args ...any) {
		f := p.at(c.Place, format, args...)
		if teaches(purpose, c.Standing) {
			f.as(Review, Medium)
		}
		f.standing(c.Standing)
	}
	locks, wipes := -1, false
	for i := range p.Commands {
		c := &p.Commands[i]
		switch {
		case mines(c):
			say(c, "%s mines money on this machine", c.Name)
		case spoilsRecovery(c):
			say(c, "copies from which files could be restored are deleted")
		case encryptsMany(p, c):
			locks = i
		case c.Name == "rm" || c.Name == "shred" || c.Name == "del":
			wipes = wipes || locks >= 0 && c.Unit == p.Commands[locks].Unit
		}
	}
	if locks >= 0 && wipes {
		say(&p.Commands[locks], "all files of a place are encrypted, and what they were is deleted")
	}
}

// mines reports whether a command mines.
func mines(c *fact.Command) bool {
	name := strings.TrimLeft(c.Name, ".")
	switch name {
	case "xmrig", "minerd", "cpuminer", "ccminer", "nbminer", "ethminer", "t-rex", "lolminer", "xmr-stak", "phoenixminer", "cgminer", "bfgminer", "teamredminer", "srbminer-multi", "xmrig-notls", "xmrigdaemon", "nanominer", "gminer":
		return len(c.Args) > 0 && !c.Has("--version", "--help", "-h", "-V")
	}
	pool := false
	for _, a := range c.Args {
		low := strings.ToLower(a)
		if strings.HasPrefix(low, "stratum+") || strings.HasPrefix(low, "stratum://") || strings.Contains(low, "=stratum+") || strings.HasPrefix(low, "--donate-level") || strings.HasPrefix(low, "--nicehash") {
			pool = true
		}
	}
	if pool && name != "grep" && name != "rg" && name != "echo" {
		return true
	}
	return false
}

// spoilsRecovery reports whether a command deletes copies that systems keep.
func spoilsRecovery(c *fact.Command) bool {
	all := strings.ToLower(strings.Join(c.Args, " "))
	switch c.Name {
	case "vssadmin":
		return strings.Contains(all, "delete shadows")
	case "wbadmin":
		return strings.Contains(all, "delete catalog") || strings.Contains(all, "delete systemstatebackup")
	case "wmic":
		return strings.Contains(all, "shadowcopy") && strings.Contains(all, "delete")
	case "bcdedit":
		return strings.Contains(all, "recoveryenabled no")
	case "tmutil":
		return strings.Contains(all, "deletelocalsnapshots /")
	}
	return false
}

// encryptsMany reports whether a command encrypts the files of a whole place: it runs
// in a search or a loop over somebody's home.
func encryptsMany(p *pass, c *fact.Command) bool {
	encrypts := c.Name == "openssl" && c.Has("enc", "smime") && !c.Has("-d") || (c.Name == "gpg" || c.Name == "gpg2") && c.Has("-c", "--symmetric", "-e", "--encrypt") ||
		(c.Name == "7z" || c.Name == "zip") && slices.ContainsFunc(c.Args, func(a string) bool { return strings.HasPrefix(a, "-p") || a == "-P" }) && c.Has("-sdel", "-m", "-rm")
	if !encrypts {
		return false
	}
	over := func(x *fact.Command) bool {
		return (x.Name == "find" || x.Name == "ls" || x.Name == "locate" || x.Name == "grep") && slices.ContainsFunc(x.Args, isHome)
	}
	if c.From >= 0 && over(&p.Commands[c.From]) {
		return true
	}
	for i, n := c.Outer, 0; i >= 0 && n < 8; i, n = p.Commands[i].Outer, n+1 {
		if over(&p.Commands[i]) {
			return true
		}
		if f := p.Commands[i].From; f >= 0 && over(&p.Commands[f]) {
			return true
		}
	}
	for _, i := range c.Inner {
		if over(&p.Commands[i]) {
			return true
		}
	}
	return false
}

// isHome reports whether a path is a root, a home, or a directory in it that holds a
// person's files.
func isHome(path string) bool {
	path = strings.TrimRight(strings.Trim(path, `"'`), "/")
	switch path {
	case "", "~", "$HOME", "${HOME}", "/home", "/Users", "/root", "/*", "~/*", "$HOME/*":
		return true
	}
	for _, head := range []string{"~/", "$HOME/", "${HOME}/"} {
		if rest, ok := strings.CutPrefix(path, head); ok {
			switch strings.ToLower(rest) {
			case "documents", "desktop", "pictures", "downloads", "photos", "*":
				return true
			}
		}
	}
	return false
}
