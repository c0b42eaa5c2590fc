package audit

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/fact"
	"github.com/vadehq/vade/internal/lazyregexp"
)

func x17() Rule {
	return Rule{
		ID: "X17", Name: "protection-off", Title: "Protection of the system or of connections is switched off", Scope: "code",
		Severity: Block, Confidence: Medium,
		Why: "The mark of quarantine, the scanner and the check of certificates are what stands between a bad download and this machine.",
		Fix: "Leave the protection on. Mend what it complains of: sign the program, trust the one certificate that is missing.",
		CWE: []int{693, 295}, OWASP: "AST06",
		find: findX17,
	}
}

func findX17(p *pass) {
	brings := p.bringPrograms()
	for i := range p.Commands {
		c := &p.Commands[i]
		if looksFor(c) && c.Name != "git" {
			continue
		}
		what, small := unprotects(c)
		if what == "" {
			what, small = uncertified(c)
		}
		if what == "" {
			continue
		}
		f := p.at(c.Place, "%s", what).as(Review, Medium)
		switch {
		case small || p.onlyOwn(c):
			f.as(Inform, Low)
		case strings.HasPrefix(what, "the scanner") && brings[text17{c.File, c.Unit}]:
			f.as(Block, Medium)
			f.Message = what + ", and a program is downloaded beside it"
		}
		f.standing(c.Standing)
	}
	for _, o := range p.origins() {
		for _, i := range o.from {
			c := &p.Commands[i]
			urls, ok := fetches(c)
			if !ok || !unchecked(c) || slices.ContainsFunc(urls, func(u string) bool { return trust(u) == own }) {
				continue
			}
			p.at(c.Place, "the certificate of what is run is not checked").as(Review, Medium).standing(c.Standing)
		}
	}
	p.settings()
	p.clusterDisks()
}

// clusterDisks finds what a cluster is told to run with all rights and the whole disk of
// each machine.
func (p *pass) clusterDisks() {
	for i := range p.Regions {
		r := &p.Regions[i]
		if r.Medium != fact.Fence && r.Medium != fact.Value && r.Medium != fact.Code || !strings.Contains(r.Text, "hostPath") || !strings.Contains(r.Text, "privileged: true") {
			continue
		}
		for _, m := range wholeHostPath().FindAllStringIndex(r.Text, maxPhrases) {
			s := r.StandingAt(m[0])
			s.Beside = s.Apart()
			p.at(r.At(m[0], m[1]), "a container with all rights gets the whole disk of each machine").as(Review, Medium).standing(s)
		}
	}
}

var wholeHostPath = lazyregexp.New(`hostPath:\s*\{?\s*path:\s*["']?/["']?\s*(\}|\n|$)`)

// text17 is one text that has commands.
type text17 struct{ file, unit int }

// bringPrograms are the texts in which a program is downloaded.
func (p *pass) bringPrograms() map[text17]bool {
	texts := map[text17]bool{}
	for i := range p.Commands {
		c := &p.Commands[i]
		if _, ok := fetches(c); !ok {
			continue
		}
		if slices.ContainsFunc(p.filesOf(c), func(name string) bool {
			t, ok := fact.TargetOf(strings.Trim(name, `"'`))
			return ok && t != fact.AnArchive
		}) {
			texts[text17{c.File, c.Unit}] = true
		}
	}
	return texts
}

// unchecked reports whether a download does without the certificate.
func unchecked(c *fact.Command) bool {
	return c.Has("-k", "--insecure", "--no-check-certificate", "-SkipCertificateCheck") || c.Name == "curl" && slices.ContainsFunc(c.Args, func(a string) bool {
		return len(a) > 2 && len(a) < 8 && a[0] == '-' && a[1] != '-' && strings.Contains(a, "k") && strings.Trim(a[1:], "fsSLkoOJ") == ""
	})
}

// onlyOwn reports whether all addresses in a command are of one's own machine.
func (p *pass) onlyOwn(c *fact.Command) bool {
	found := false
	for _, a := range append(c.Args[:len(c.Args):len(c.Args)], c.Assigns...) {
		if strings.Contains(a, "://") || strings.HasPrefix(a, "localhost") {
			if trust(a[max(0, strings.Index(a, "http")):]) != own {
				return false
			}
			found = true
		}
	}
	return found
}

// unprotects says which protection of the system a command switches off; "" where it
// does not. Small: it is one that people switch off for one thing of theirs.
func unprotects(c *fact.Command) (what string, small bool) {
	all := strings.ToLower(strings.Join(c.Args, " "))
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(s string) bool { return strings.Contains(all, s) })
	}
	switch c.Name {
	case "xattr":
		if has("com.apple.quarantine") && has("-d", "-rd", "-dr") || slices.ContainsFunc(c.Args, func(a string) bool {
			return strings.HasPrefix(a, "-") && strings.Contains(a, "c") && !strings.Contains(a, ".")
		}) {
			return "the mark of quarantine is taken from a download", false
		}
	case "spctl":
		if has("--master-disable", "--global-disable") {
			return "the check of programs at their start is switched off", false
		}
	case "csrutil":
		if has("disable") {
			return "the protection of system files is switched off", false
		}
	case "defaults":
		if has("lsquarantine") && has("write") && has(" no", " false", " 0") {
			return "the mark of quarantine is switched off", false
		}
	case "set-mppreference":
		if has("-disable") && has("true", "1") || has("-exclusion") {
			return "the scanner for malware is switched off", false
		}
	case "add-mppreference":
		if has("-exclusion") {
			return "the scanner for malware is told to look away", false
		}
	case "setenforce":
		if has("0", "permissive") {
			return "the system's rules of access are switched off", false
		}
	case "ufw":
		if all == "disable" || all == "--force disable" {
			return "the firewall is switched off", false
		}
	case "netsh":
		if has("state off") {
			return "the firewall is switched off", false
		}
	case "systemctl", "service":
		if has("stop", "disable", "mask") && has("firewalld", "apparmor", "auditd", "clamav", "falcon-sensor", "windefend", "crowdstrike") {
			return "protection of the system is switched off", false
		}
	case "sc", "stop-service", "net":
		if has("windefend", "wscsvc", "mpssvc") && (c.Name != "sc" || has("stop", "delete", "config")) && (c.Name != "net" || has("stop")) {
			return "the scanner for malware is switched off", false
		}
	case "apt", "apt-get":
		if has("--allow-unauthenticated", "allowinsecurerepositories=true", "allowunauthenticated=true") {
			return "packages of a source are taken without their signature", false
		}
	case "yum", "dnf", "zypper":
		if has("--nogpgcheck", "--no-gpg-checks") {
			return "packages of a source are taken without their signature", true
		}
	case "brew":
		if has("--no-quarantine") {
			return "the mark of quarantine is taken from a download", true
		}
	case "git":
		if to := insteadOf(c); to != "" {
			return "what is fetched from elsewhere comes by way of " + shown(to), false
		}
	case "docker", "podman", "nerdctl":
		if what, little := wholeDisk(c); what != "" {
			return what, little
		}
	case "iptables":
		if all == "-f" || all == "--flush" {
			return "the rules of the firewall are deleted", false
		}
	case "reg":
		if has("disableantispyware", "disablerealtimemonitoring", "enablelua") && has("add") {
			return "protection of the system is switched off", false
		}
	}
	return "", false
}

// wholeDisk says what of this machine a container gets that leaves no wall between them.
// Little: it only reads, as what measures a machine does.
func wholeDisk(c *fact.Command) (what string, little bool) {
	for i, a := range c.Args {
		from := ""
		switch {
		case (a == "-v" || a == "--volume") && i+1 < len(c.Args):
			from = c.Args[i+1]
		case strings.HasPrefix(a, "-v/"), strings.HasPrefix(a, "-v$"), strings.HasPrefix(a, "-v~"):
			from = a[2:]
		case strings.HasPrefix(a, "--volume="):
			from = a[len("--volume="):]
		default:
			continue
		}
		parts := strings.Split(strings.Trim(from, `"'`), ":")
		if len(parts) < 2 {
			continue
		}
		little = len(parts) > 2 && strings.HasPrefix(parts[2], "ro")
		switch strings.Trim(parts[0], `"'`) {
		case "/":
			return "a container gets the whole disk", little
		case "~", "~/", "$HOME", "${HOME}", "$HOME/", "${HOME}/", "/root", "/home", "/Users", "%USERPROFILE%", "$env:USERPROFILE":
			return "a container gets all that the user has", little
		}
	}
	return "", false
}

// insteadOf is the address that git is told to take for those of others, "" for none or
// for one of the same host.
func insteadOf(c *fact.Command) string {
	if len(c.Args) < 3 || c.Args[0] != "config" {
		return ""
	}
	key, value := c.Args[len(c.Args)-2], strings.Trim(c.Args[len(c.Args)-1], `"'`)
	low := strings.ToLower(key)
	if !strings.HasPrefix(low, "url.") || !strings.HasSuffix(low, "insteadof") || !strings.Contains(value, "://") && !strings.Contains(value, "@") {
		return ""
	}
	to := key[len("url."):strings.LastIndexByte(key, '.')]
	if !strings.Contains(to, "://") {
		return ""
	}
	_, there, _ := splitURL(to)
	if _, from, _ := splitURL(value); from == there || strings.Contains(value, there) || trust(to) == own {
		return ""
	}
	return to
}

// uncertified says how a command switches off the check of certificates for what
// comes after it; "" where it does not.
func uncertified(c *fact.Command) (what string, small bool) {
	const says = "the check of certificates is switched off"
	all := strings.ToLower(strings.Join(c.Args, " "))
	set := func(a string) bool {
		name, value, ok := strings.Cut(strings.TrimPrefix(a, "$env:"), "=")
		if !ok {
			return false
		}
		value = strings.ToLower(strings.Trim(value, `"' `))
		switch strings.ToUpper(strings.TrimSpace(name)) {
		case "NODE_TLS_REJECT_UNAUTHORIZED", "PYTHONHTTPSVERIFY":
			return value == "0"
		case "GIT_SSL_NO_VERIFY":
			return value == "1" || value == "true"
		}
		return false
	}
	switch c.Name {
	case "git":
		if strings.Contains(all, "sslverify") && (strings.Contains(all, "false") || strings.HasSuffix(all, " 0")) {
			return says, false
		}
	case "npm", "pnpm", "yarn":
		if strings.Contains(all, "strict-ssl") && strings.Contains(all, "false") {
			return says, false
		}
	}
	if slices.ContainsFunc(c.Assigns, set) || (c.Name == "export" || c.Name == "env" || c.Name == "set" || c.Name == "setx") && slices.ContainsFunc(c.Args, set) {
		return says, false
	}
	return "", false
}
