package fact

import (
	"path"
	"strings"

	"github.com/vadehq/vade/internal/audit/script"
	"github.com/vadehq/vade/internal/shell"
)

// ran notes that a path is run that was written before with what came from elsewhere.
func (c *codeReader) ran(k *called, v value) {
	if !c.last || len(c.files) == 0 {
		return
	}
	for i := range k.nodes {
		if key := c.pathKey(value{}, k.nodes[i]); key != "" {
			c.flows(k, c.files[key], RunProgram, "", "file")
		}
	}
	for _, t := range v.texts() {
		for _, w := range words(t, 64) {
			if len(w) > 3 {
				c.flows(k, c.files[w], RunProgram, "", "file")
				c.flows(k, c.files[strings.TrimPrefix(w, "./")], RunProgram, "", "file")
			}
		}
	}
}

// words are the words of a command, without quotes.
func words(s string, most int) []string {
	list := strings.FieldsFunc(s, func(r rune) bool { return r <= ' ' || strings.ContainsRune(";|&()<>'\"`", r) })
	return list[:min(len(list), most)]
}

// runs is a call that gives a text to a shell or starts a program.
func (c *codeReader) runs(k *called, does Effect) value {
	a := k.arg(0, "args", "cmd", "command")
	list := a.items
	if c.lang == script.JavaScript && does == RunProgram {
		list = append([]value{a}, k.arg(1).items...)
	} else if a.known {
		list = nil
	}
	if sh := k.arg(-1, "shell"); sh.num || sh.known {
		does = RunShell
	}
	for i := range k.args {
		if sh, ok := k.args[i].get("shell"); ok && i > 0 && c.lang == script.JavaScript && (sh.known || sh.name != "") {
			does = RunShell
		}
	}
	if strings.HasPrefix(k.name, "os.exec") || strings.HasPrefix(k.name, "os.spawn") || k.name == "asyncio.create_subprocess_exec" {
		list = nil
		for _, v := range k.args {
			if len(v.items) > 0 {
				list = append(list, v.items...)
			} else {
				list = append(list, v)
			}
		}
	}
	c.fact(k, does)
	line := a
	if len(list) > 0 {
		line = c.commandLine(list)
	}
	c.runFlows(k, line, list, does)
	c.ran(k, line)
	if len(list) > 0 {
		for i := range list {
			if list[i].known && len(list[i].text) > 1 {
				c.flows2(k, c.files[list[i].text])
			}
		}
	}
	for _, key := range k.keys {
		switch key.key {
		case "stdin", "stdout", "stderr":
			c.binds(k, key.value)
		case "input":
			if p := program(line.text); runsCode(p) {
				c.flows(k, key.all(), RunShell, "", "input")
			}
		}
	}
	var out value
	if c.last {
		for _, t := range line.texts() {
			if len(line.items) == 0 || len(list) == 0 {
				c.commands(k, t, line)
			}
		}
	}
	out = c.output(k, line)
	out.name = k.name + "()"
	back := c.callbacks(k, value{taints: out.taints})
	out.carry(back.taints)
	return out
}

func (c *codeReader) flows2(k *called, list []taint) { c.flows(k, list, RunProgram, "", "file") }

// commandLine is the line of a command of its words.
func (c *codeReader) commandLine(list []value) value {
	var parts []value
	for i, v := range list {
		if i > 0 {
			parts = append(parts, text(" "))
		}
		switch {
		case v.name == "sys.executable" || v.name == "process.execPath" || v.name == "process.argv0":
			v = text("python3")
			if c.lang == script.JavaScript {
				v = text("node")
			}
		case v.plain() && (strings.ContainsAny(v.text, " \t\n'\"|;&$<>()") || v.text == ""):
			q := v
			q.text = "'" + strings.ReplaceAll(v.text, "'", `'\''`) + "'"
			v = q
		}
		v.items = nil
		parts = append(parts, v)
	}
	return c.join(parts...)
}

// commands adds the commands of a text.
func (c *codeReader) commands(k *called, line string, v value) {
	if strings.Trim(line, unknown+" ") == "" || !c.once(k.n, RunShell, NoEffect, line, "commands") {
		return
	}
	if v.has(NoEffect) && (strings.Contains(line, "decode") || strings.Contains(line, "base64")) {
		// It undoes what was encoded right here to bring it through the shell.
		return
	}
	s := c.standing(k.n.Start)
	s.Medium, s.Lang = Literal, "sh"
	s.Packed = s.Packed || v.has(DecodeData)
	if p := program(line); p == "powershell" || p == "pwsh" {
		s.Lang = "ps1"
	}
	c.f.CommandsIn(strings.ReplaceAll(line, unknown, "$_"), c.place(k.n.Start, k.n.End), s)
}

// program is the name of the program of a command.
func program(line string) string {
	for _, w := range words(line, 6) {
		name := strings.ToLower(path.Base(w))
		if shell.IsWrapper(name) || strings.Contains(w, "=") {
			continue
		}
		return strings.TrimSuffix(name, ".exe")
	}
	return ""
}

// runsCode reports whether a program runs text as code.
func runsCode(name string) bool {
	switch strings.TrimRight(name, "0123456789.") {
	case "sh", "bash", "zsh", "dash", "ksh", "fish", "python", "node", "nodejs", "perl", "ruby", "php", "powershell", "pwsh", "cmd", "osascript", "deno", "bun", "lua":
		return true
	}
	return false
}

// runFlows are the flows into what is run: where the whole command or what is run by it
// is not written here, and where data is sent by a program.
func (c *codeReader) runFlows(k *called, line value, list []value, does Effect) {
	taints := line.taintsBut(Connect)
	if does == RunShell && len(list) == 0 {
		taints = line.all()
	}
	if len(taints) == 0 {
		return
	}
	p := program(line.text)
	switch {
	case !line.known || strings.HasPrefix(strings.TrimSpace(line.text), unknown) && len(list) == 0:
		c.flows(k, taints, does, "", "")
	case line.plain():
		c.flows(k, only(taints, DecodeData, Fetch), does, "", "")
	case len(list) > 0 && !list[0].known:
		c.flows(k, list[0].taints, does, "", "")
	case runsCode(p) && runsText(line.text):
		c.flows(k, only(taints, DecodeData, Fetch, Connect), RunShell, "", "")
	case runsCode(p) && len(list) == 2 && !list[1].known:
		c.flows(k, only(list[1].taints, DecodeData, Fetch), RunProgram, "", "file")
	}
	switch p {
	case "curl", "wget", "nc", "ncat", "netcat", "scp", "rsync", "ftp", "http", "https", "xh", "invoke-webrequest", "invoke-restmethod", "nslookup", "dig", "host", "ping", "sendmail", "mail", "telnet", "socat":
		to := ""
		for _, w := range words(line.text, 40) {
			if strings.Contains(w, "://") || to == "" && strings.Contains(w, ".") && !strings.HasPrefix(w, "-") {
				to = w
			}
		}
		part := "body"
		if strings.Contains(line.text, "Authorization") || strings.Contains(line.text, "-H ") {
			part = "header"
		}
		c.flows(k, without(taints, Fetch), Send, shown(to), part)
	}
}

// runsText reports whether a command gives what is not known to its program as code.
func runsText(line string) bool {
	for _, flag := range [...]string{"-c " + unknown, "-c '" + unknown, "-c \"" + unknown, "-e " + unknown, "-enc " + unknown, "-EncodedCommand " + unknown, "-Command " + unknown, "/c " + unknown, "-lc " + unknown, "-ec " + unknown} {
		if strings.Contains(line, flag) {
			return true
		}
	}
	return false
}

func only(list []taint, effects ...Effect) []taint {
	var out []taint
	for _, t := range list {
		for _, e := range effects {
			if t.does == e {
				out = append(out, t)
				break
			}
		}
	}
	return out
}

// output is what a command prints, as far as it matters where that comes from.
func (c *codeReader) output(k *called, line value) value {
	var out value
	if !line.known {
		return out
	}
	t := taint{start: k.n.Start, end: k.n.End}
	ws := words(line.text, 40)
	switch program(line.text) {
	case "env", "printenv", "set", "export":
		if strings.TrimSpace(line.text) == "env" || program(line.text) != "env" {
			t.does = ReadAllEnv
			if len(ws) == 2 && ws[0] == "printenv" {
				t.does, t.what = ReadEnv, ws[1]
			}
			out.taints = []taint{t}
		}
	case "security":
		if strings.Contains(line.text, "find-generic-password") || strings.Contains(line.text, "find-internet-password") || strings.Contains(line.text, "dump-keychain") {
			t.does, t.what, t.class = ReadSecret, "keychain", Credential
			out.taints = []taint{t}
		}
	case "cat", "type", "head", "tail", "base64", "tar", "zip", "gzip", "find", "grep", "less", "more", "strings", "sqlite3":
		for _, w := range ws[min(1, len(ws)):] {
			if class, _ := ClassOf(w); class.Secret() {
				t.does, t.what, t.class = ReadSecret, shown(w), class
				out.taints = []taint{t}
				c.path1(k.n, t)
				break
			}
		}
	case "curl", "wget":
		t.does = Fetch
		for _, w := range ws {
			if strings.Contains(w, "://") {
				t.what = shown(w)
			}
		}
		out.taints = []taint{t}
		for i, w := range ws {
			if (w == "-o" || w == "-O" || w == "--output") && i+1 < len(ws) {
				c.wrote(ws[i+1], out.taints)
			}
		}
	case "pbpaste", "xclip", "xsel":
		t.does, t.what, t.class = ReadSecret, "clipboard", Credential
		out.taints = []taint{t}
	}
	return out
}
