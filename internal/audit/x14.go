package audit

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/fact"
	"github.com/vadehq/vade/internal/chars"
)

func x14() Rule {
	return Rule{
		ID: "X14", Name: "persistence", Title: "Something is made to run again by itself", Scope: "code",
		Severity: Review, Confidence: Medium,
		Why: "What starts by itself goes on when the agent is gone, and nobody looks at it any more.",
		Fix: "Say in the description that something stays behind and how to take it away, and ask before it is put there.",
		CWE: []int{506, 912}, OWASP: "AST01",
		find: findX14,
	}
}

func findX14(p *pass) {
	purpose := p.purpose()
	units := map[int]bool{}
	for i := range p.Commands {
		c := &p.Commands[i]
		what, open := p.stays(i)
		if what == "" || c.Outer >= 0 && units[c.Outer] {
			continue
		}
		units[i] = true
		f := p.at(c.Place, "%s", what)
		if open && (says(purpose, c.Standing) || p.asksFirst(c.Place)) {
			// It is what the definition is for.
			f.as(Inform, Medium)
		}
		f.standing(c.Standing)
	}
	p.settings()
}

// asksFirst reports whether the line of a place says that the user is asked.
func (p *pass) asksFirst(at fact.Place) bool {
	text := p.Package.Files[at.File].Text
	if at.Span.Start > len(text) {
		return false
	}
	from, to := strings.LastIndexByte(text[:at.Span.Start], '\n')+1, len(text)
	if i := strings.IndexByte(text[at.Span.Start:], '\n'); i >= 0 {
		to = at.Span.Start + i
	}
	line := text[from:to]
	for _, no := range [...]string{"not ask", "never ask", "n't ask", "without asking", "no need to ask", "instead of ask"} {
		if chars.IndexFold(line, no) >= 0 {
			return false
		}
	}
	return chars.IndexFold(line, "ask first") >= 0 || chars.IndexFold(line, "ask the user") >= 0 || chars.IndexFold(line, "with the user's consent") >= 0
}

// says reports whether a package says that it makes something run again.
func says(purpose string, s fact.Standing) bool {
	words := []string{"schedul", "cron", "daemon", "service", "launchd", "launchagent", "systemd", "background", "startup", "start-up", "autostart", "at boot", "on boot", "on login", "periodic", "recurring", "daily", "hourly", "nightly", "every ", "automat", "server", "deploy", "timer", "monitor", "watch", "install", "setup", "hook", "devops", "infrastructure", "linux", "admin", "hosting", "vps", "backup"}
	return hasWord(purpose, words...) || hasWord(s.Heading, "schedul", "cron", "daemon", "service", "launchd", "systemd", "startup", "autostart", "timer")
}

// stays says how a command makes something run again; open: in a way in which services
// and jobs are set up, which a definition may be for.
func (p *pass) stays(i int) (what string, open bool) {
	c := &p.Commands[i]
	all := strings.ToLower(strings.Join(c.Args, " "))
	switch c.Name {
	case "crontab":
		if c.Has("-l", "-e", "-r", "--help") && !c.Has("-") {
			return "", false
		}
		if c.From >= 0 || c.Input != "" || len(c.Reads) > 0 || len(c.Args) > 0 {
			return "a job is put into the table of cron", true
		}
	case "launchctl":
		if len(c.Args) > 0 && (c.Args[0] == "load" || c.Args[0] == "bootstrap" || c.Args[0] == "enable" || c.Args[0] == "submit") {
			return "a program is handed to launchd", true
		}
	case "systemctl":
		if strings.Contains(all, "--user") && strings.Contains(all, "enable") {
			return "a service of the user is switched on", true
		}
	case "schtasks":
		if strings.Contains(all, "/create") {
			return "a task is scheduled", true
		}
	case "register-scheduledtask", "new-scheduledtask", "set-scheduledtask":
		return "a task is scheduled", true
	case "new-service", "sc":
		if c.Name == "new-service" || strings.HasPrefix(all, "create ") {
			return "a service is set up", true
		}
	case "reg", "new-itemproperty", "set-itemproperty":
		if (c.Name != "reg" || strings.HasPrefix(all, "add")) && strings.Contains(all, `currentversion\run`) {
			return "a program is entered among those that start with the session", false
		}
	case "osascript":
		if strings.Contains(all, "login item") && strings.Contains(all, "make") {
			return "a program is entered among those that start with the session", false
		}
	case "defaults":
		if strings.Contains(all, "loginhook") && strings.HasPrefix(all, "write") {
			return "a program is entered among those that start with the session", false
		}
	case "wmic", "set-wmiinstance", "register-wmievent":
		if strings.Contains(all, "eventconsumer") || strings.Contains(all, "__eventfilter") {
			return "a command is tied to an event of the system", false
		}
	case "git":
		if strings.Contains(all, "--global") && (strings.Contains(all, "core.hookspath ") || strings.Contains(all, "init.templatedir ")) && !c.Has("--get", "--unset") {
			return "hooks are set up for all repositories of the user", true
		}
		if program := gitProgram(c); program != "" {
			return "git is made to run a program each time: " + program, false
		}
	}
	for _, file := range p.filesOf(c) {
		if what, open := p.startup(i, file); what != "" {
			return what, open
		}
	}
	return "", false
}

// gitProgram is the setting of git that a command makes by which a program runs unseen
// whenever git looks at files or reaches for a server.
func gitProgram(c *fact.Command) string {
	if len(c.Args) < 3 || c.Args[0] != "config" || c.Has("--get", "--get-all", "--unset") {
		return ""
	}
	value := strings.Trim(c.Args[len(c.Args)-1], `"'`)
	switch key := strings.ToLower(c.Args[len(c.Args)-2]); key {
	case "core.fsmonitor", "core.gitproxy":
		if value != "true" && value != "false" && !strings.Contains(value, "watchman") && !strings.HasPrefix(value, "-") {
			return key
		}
	case "core.sshcommand":
		if program, _, _ := strings.Cut(value, " "); base(program) != "ssh" && base(program) != "ssh.exe" && !strings.HasPrefix(value, "-") {
			return key
		}
	}
	return ""
}

// startup judges a file that a command writes.
func (p *pass) startup(i int, file string) (what string, open bool) {
	low := strings.ToLower(strings.Trim(file, `"'`))
	name := base(low)
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(s string) bool { return strings.Contains(low, s) })
	}
	switch {
	case has("authorized_keys"):
		return "a key is let in by ssh", true
	case has("library/launchagents/", "library/launchdaemons/"):
		return "a program is handed to launchd", true
	case has("/.config/systemd/", "/etc/systemd/system/", "/lib/systemd/system/"):
		return "a service is set up", true
	case has("/etc/cron", "/var/spool/cron"):
		return "a job is put into the table of cron", true
	case has(`start menu\programs\startup`, `shell:startup`, "/.config/autostart/", "/etc/xdg/autostart/", "/etc/init.d/", "/etc/rc.local"):
		return "a program is entered among those that start by themselves", false
	case has("/etc/ld.so.preload"):
		return "a library is loaded into every program", false
	case has("/etc/sudoers") && strings.Contains(p.Commands[i].Text, "NOPASSWD"):
		return "rights of the system are given without a password", false
	case has("/etc/profile.d/"), isStartupName(name) && (has("~/", "$home/", "${home}/", "/root/", "/home/", "/users/") || name == low):
		if p.startsSomething(i) {
			return "a command is written into what each shell runs at its start", false
		}
	}
	return "", false
}

func isStartupName(name string) bool {
	switch name {
	case ".bashrc", ".bash_profile", ".bash_login", ".profile", ".zshrc", ".zprofile", ".zshenv", ".zlogin", "config.fish", "$profile", "profile.ps1", "microsoft.powershell_profile.ps1", "/etc/profile", "bash.bashrc":
		return true
	}
	return false
}

// startsSomething reports whether what a command writes into a startup file does more
// than set variables, names and paths.
func (p *pass) startsSomething(i int) bool {
	// What the network gives may be anything.
	for _, k := range [...]int{i, p.Commands[i].From} {
		if k >= 0 {
			if _, ok := fetches(&p.Commands[k]); ok {
				return true
			}
		}
	}
	for k := i + 1; k < len(p.Commands) && p.Commands[k].Unit == p.Commands[i].Unit; k++ {
		c := &p.Commands[k]
		if c.Outer < i {
			break
		}
		if _, ok := fetches(c); ok || len(c.How) > 0 {
			return true
		}
		switch c.Name {
		case "nohup", "setsid", "nc", "ncat", "socat":
			return true
		case "python", "python3", "node", "perl", "ruby", "bash", "sh":
			if len(c.Args) > 0 && !c.Has("-c") {
				return true
			}
		}
		if strings.HasPrefix(c.Text, "/tmp/") || strings.HasPrefix(c.Text, "~/.") || strings.HasPrefix(c.Text, "$HOME/.") {
			return true
		}
	}
	return false
}
