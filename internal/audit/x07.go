package audit

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/commands"
	"github.com/vadehq/vade/internal/audit/fact"
)

func x07() Rule {
	return Rule{
		ID: "X07", Name: "reverse-shell", Title: "A shell is joined to a connection", Scope: "code",
		Severity: Block, Confidence: High,
		Why: "Whoever is at the other end of the connection types commands on this machine.",
		Fix: "Take it out. For work on another machine use ssh, with keys that the user chose.",
		CWE: []int{506, 912}, OWASP: "AST01",
		find: findX07,
	}
}

func findX07(p *pass) {
	purpose := p.purpose()
	say := func(place fact.Place, s fact.Standing, what string) {
		f := p.at(place, "%s", what)
		if teaches(purpose, s) {
			f.as(Review, Medium)
		}
		f.standing(s)
	}
	piped := p.shellsInPipes()
	done := map[int]bool{}
	for i := range p.Commands {
		c := &p.Commands[i]
		if c.Outer >= 0 && done[c.Outer] {
			done[i] = true
			continue
		}
		if what := p.joined(c); what != "" {
			done[i] = true
			say(c.Place, c.Standing, what)
		} else if piped[i] {
			say(c.Place, c.Standing, "what a shell writes goes over a connection, and its commands come from there")
		}
	}
	for i := range p.Calls {
		if c := &p.Calls[i]; c.Does == fact.Bind {
			say(c.Place, c.Standing, "the streams of a shell are joined to a connection")
		}
	}
	for i := range p.Flows {
		if x := &p.Flows[i]; x.From == fact.Connect && (x.To == fact.RunShell || x.To == fact.RunProgram || x.To == fact.Evaluate) {
			say(x.At, x.Standing, "what comes over a connection is run")
		}
	}
}

// joined says how a command joins a shell to a connection; "" where it does not.
func (p *pass) joined(c *fact.Command) string {
	device := func(list []string) bool {
		return slices.ContainsFunc(list, func(f string) bool { return strings.HasPrefix(f, "/dev/tcp/") || strings.HasPrefix(f, "/dev/udp/") })
	}
	prog, runs := commands.ProgramOf(c.Words())
	switch c.Name {
	case "nc", "ncat", "netcat", "nc.traditional", "nc.openbsd":
		for i, a := range c.Args {
			exec := a == "--exec" || a == "--sh-exec" || strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.ContainsAny(a, "ec") && strings.Trim(a[1:], "eclnvpukt46") == ""
			if exec && i+1 < len(c.Args) && isShell(c.Args[i+1]) || strings.HasPrefix(a, "--exec=") || strings.HasPrefix(a, "--sh-exec=") {
				return "a program for connections is told to run a shell on one"
			}
		}
	case "socat":
		var exec, net bool
		for _, a := range c.Args {
			low := strings.ToLower(a)
			exec = exec || (strings.HasPrefix(low, "exec:") || strings.HasPrefix(low, "system:")) && strings.Contains(low, "sh")
			net = net || strings.HasPrefix(low, "tcp") || strings.HasPrefix(low, "openssl") || strings.HasPrefix(low, "udp") || strings.HasPrefix(low, "sctp")
		}
		if exec && net {
			return "a program for connections is told to run a shell on one"
		}
	case "exec":
		if device(append(c.Reads[:len(c.Reads):len(c.Reads)], c.Writes...)) && p.runsLines(c.Unit) {
			return "what comes over a connection is run as commands"
		}
	case "awk", "gawk":
		if strings.Contains(c.Text, "/inet/tcp/") && strings.Contains(c.Text, "getline") && strings.Contains(c.Text, "|&") {
			return "what comes over a connection is run as commands"
		}
	case "xterm":
		if slices.Contains(c.Args, "-display") {
			return "a terminal is shown on another machine"
		}
	case "tcpclient", "new-object":
		if (c.Name == "tcpclient" || slices.ContainsFunc(c.Args, func(a string) bool { return strings.HasSuffix(strings.ToLower(a), "sockets.tcpclient") })) && p.evaluates(c) {
			return "what comes over a connection is run as commands"
		}
	}
	if runs && prog.Lang == "sh" && prog.Text == 0 && (device(c.Reads) || device(c.Writes)) {
		return "the streams of a shell are joined to a connection"
	}
	if runs && prog.Text > 0 && prog.Text <= len(c.Args) && prog.Lang != "sh" && bindsItself(c.Args[prog.Text-1]) {
		return "a program in a line joins a shell to a connection"
	}
	return ""
}

// evaluates reports whether the text that a command stands in runs text as commands.
func (p *pass) evaluates(c *fact.Command) bool {
	return slices.ContainsFunc(p.Commands, func(x fact.Command) bool {
		return x.File == c.File && x.Native && (x.Name == "iex" || x.Name == "invoke-expression" || x.Name == "cmd")
	})
}

// runsLines reports whether a text has a command whose name is a line that was read.
func (p *pass) runsLines(unit int) bool {
	for i := max(unit, 0); i < len(p.Commands) && p.Commands[i].Unit == unit; i++ {
		c := &p.Commands[i]
		if strings.HasPrefix(c.Text, "$") || strings.HasPrefix(c.Text, "eval") {
			return true
		}
		if prog, ok := commands.ProgramOf(c.Words()); ok && prog.Lang == "sh" && prog.Stdin && strings.Contains(c.Text, "&") {
			return true
		}
	}
	return false
}

func isShell(word string) bool {
	word, _, _ = strings.Cut(strings.Trim(word, `"'`), " ")
	lang := commands.Interpreter(commands.ProgramName(word))
	return lang == "sh" || lang == "bat" || lang == "ps1" || strings.HasPrefix(word, "$SHELL") || lang == "py" || lang == "pl"
}

// shellsInPipes returns the shells that write into a program for connections.
func (p *pass) shellsInPipes() map[int]bool {
	out := map[int]bool{}
	for _, pipe := range p.Pipes {
		for k, i := range pipe.Stages[:len(pipe.Stages)-1] {
			prog, ok := commands.ProgramOf(p.Commands[i].Words())
			if !ok || !prog.Stdin || prog.Lang != "sh" && prog.Lang != "bat" && prog.Lang != "ps1" {
				continue
			}
			next := &p.Commands[pipe.Stages[k+1]]
			switch next.Name {
			case "nc", "ncat", "netcat", "telnet", "socat":
				out[i] = true
			case "openssl":
				out[i] = slices.Contains(next.Args, "s_client")
			}
		}
	}
	return out
}

// bindsItself reports whether a program in a line joins a shell to a connection.
func bindsItself(text string) bool {
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
	}
	if !has("socket", "Socket", "fsockopen", "net.connect", "net.Socket", "IO::Socket") {
		return false
	}
	return has("dup2", "pty.spawn", "/bin/sh", "/bin/bash", "cmd.exe", "sh -i", "STDIN,\">&", "spawn('sh'", "proc_open", "shell_exec", "IO.popen")
}
