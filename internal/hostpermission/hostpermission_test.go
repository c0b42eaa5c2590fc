package hostpermission

import (
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
)

// permission returns the permission check from a host's profile.
func permission(t testing.TB, name string) *host.Permission {
	t.Helper()
	p, ok := registry.Lookup(name)
	if !ok {
		t.Fatalf("unknown host %q", name)
	}
	return p.Permission
}

const (
	newest = "claude-code"
	older  = "claude-code@2.1.88"
)

func inside(command, path string) string {
	return command + " in '" + path + "' needs approval. The path is inside the working directories for this session ('/w/proj'), " +
		"and Claude Code asks before a shell command creates, changes or removes files there."
}

func blocked(command, path, verb string) string {
	return command + " '" + path + "' was blocked. For security, Claude Code may only " + verb +
		" the allowed working directories for this session: '/w/proj'."
}

const (
	approval = "This command requires approval"
	variable = "A variable in this command can't be checked before it runs"
	braces   = "A variable in braces in this command can't be checked before it runs"
	single   = "This Bash command contains multiple operations. The following part requires approval: "
	several  = "This Bash command contains multiple operations. The following parts require approval: "
)

// TestRecorded covers the commands in the recorded cases, and notes what each
// case shows about the check.
func TestRecorded(t *testing.T) {
	echo := []string{"Bash(echo:*)"}
	tests := []struct {
		id, text string
		allowed  []string
		mode     string
		want     string
		old      string // set if 2.1.88 prints another message; recorded only in s16
	}{
		{"s01", "echo hello world", echo, "", "", ""},
		{"s02", "echo one\necho two", echo, "", "", ""},
		{"s03", "sh -c 'echo out; echo err >&2; exit 3'", []string{"Bash(sh:*)"}, "", "", ""},
		{"s04", "touch /w/proj/made-by-shell", nil, "", inside("touch", "/w/proj/made-by-shell"),
			blocked("touch in", "/w/proj/made-by-shell", "create or modify files in")},
		{"s05", "ls", nil, "", "", ""},
		{"s05", "git status --short", nil, "", "", ""},
		{"s05", "pwd", nil, "", "", ""},
		{"s09", "echo a", echo, "", "", ""},
		{"s09", "bash\necho b", echo, "", single + "bash", ""},
		{"s10", "echo x", echo, "", "", ""},
		{"s10", `echo "x;touch${IFS}/w/proj/INJECTED $(touch /w/proj/INJECTED2)"`, echo, "", braces, ""},
		{"s13", "sh -c 'seq 1 20000'", []string{"Bash(sh:*)"}, "", "", ""},
		{"s14", "cat payload.txt", []string{"Bash(cat:*)"}, "", "", ""},
		{"s15", "echo ok", echo, "", "", ""},
		{"s15", "touch /w/proj/made", echo, "", inside("touch", "/w/proj/made"), blocked("touch in", "/w/proj/made", "create or modify files in")},
		{"s16", "touch /w/proj/made", nil, "", inside("touch", "/w/proj/made"), blocked("touch in", "/w/proj/made", "create or modify files in")},
		{"s17", "git status --short", []string{"Bash(git status:*), Bash(echo:*)"}, "", "", ""},
		{"s17", "echo y", []string{"Bash(git status:*), Bash(echo:*)"}, "", "", ""},
		{"s18", "echo $0 ok", echo, "", variable, ""},
		{"s18", "echo  ok", echo, "", "", ""},
		{"s20", "true", []string{"Bash(true:*)"}, "", "", ""},
		{"s22", "sleep 6", []string{"Bash(sleep:*)"}, "", "", ""},
		{"s30", "echo bol", echo, "", "", ""},
		{"s33", "echo a; echo INJECTED", echo, "", "", ""},
		{"s34", "echo a", echo, "", "", ""},
		{"s34", "echo INJECTED", echo, "", "", ""},
		{"s37", "git log --oneline", nil, "", "", ""},
		{"s38", "curl -s http://127.0.0.1:9/", nil, "", approval, ""},
		{"s40", "echo hi", nil, "", "", ""},
		{"s41", "grep nomatch x.txt", nil, "", "", ""},
		{"s42", "touch /w/proj/made", nil, "acceptEdits", "", ""},
	}
	for _, tt := range tests {
		c := Command{Text: tt.text, Dir: "/w/proj", Project: "/w/proj", Allowed: tt.allowed, Mode: tt.mode}
		if got := Check(permission(t, newest), c); got != tt.want {
			t.Errorf("%s %q: %q, want %q", tt.id, tt.text, got, tt.want)
		}
		old := tt.old
		if old == "" {
			old = tt.want
		}
		if got := Check(permission(t, older), c); got != old {
			t.Errorf("%s %q in the older version: %q, want %q", tt.id, tt.text, got, old)
		}
	}
}

// TestDocumented covers rules that are documented or follow from the model but were not recorded.
func TestDocumented(t *testing.T) {
	tests := []struct {
		text    string
		allowed string
		want    string
	}{
		// Several operations.
		{"ls && curl a && pwd; make", "", several + "curl a, make"},
		{"ls | head -3 | wc -l", "", ""},
		{"curl a | touch x", "", several + "curl a, touch x"},
		{"echo a && touch x", "", inside("touch", "/w/proj/x")},
		{"git add . && git commit -m 'a b'", "Bash(git add:*) Bash(git commit *)", ""},
		{"make \\\n all && ls", "", single + "make all"},
		// Values that are unknown before the command runs.
		{"ls $HOME", "Bash(ls:*)", variable},
		{"echo ${X:-$(ls)}", "Bash(echo:*)", braces},
		{"echo `ls`", "Bash(echo:*)", "A nested command in this command can't be checked before it runs"},
		{"cat <(ls)", "Bash(cat:*)", "A command used as a file in this command can't be checked before it runs"},
		{`echo "$(ls)"`, "Bash(echo:*)", "Quoted text in this command can't be checked before it runs"},
		{`echo "a $(ls)"`, "Bash(echo:*)", ""},
		{`echo "a $(make)"`, "Bash(echo:*)", single + "make"},
		{"(ls)", "", "This command uses shell operators that require approval for safety"},
		{"ls; eval ls", "", "'eval' evaluates arguments as shell code"},
		{"ls &", "", permission(t, newest).Texts.Background},
		{"make &", "", approval},
		{"echo $((1+2))", "", ""},
		{"echo $((x+2))", "", "Arithmetic expansion references variable or non-literal: x"},
		{"timeout 5 ls", "", ""},
		{"nohup ls", "", approval},
		{"time ls", "", approval},
		{"echo 'a $x'", "", ""},
		{"echo 'a", "Bash(echo:*)", approval},
		{"echo " + strings.Repeat("a", 9_995), "Bash(echo:*)", ""},
		{"echo " + strings.Repeat("a", 9_996), "Bash(echo:*)", approval},
		{"echo " + strings.Repeat("😀", 4_998), "Bash(echo:*)", approval},
		// Rules.
		{"git push", "Bash(git:*)", ""},
		{"git push", "Bash(git *)", ""},
		{"git push", "Bash(git push)", ""},
		{"git push", "Bash(git p*)", ""},
		{"git push -f", "Bash(git push)", approval},
		{"gitx", "Bash(git:*)", approval},
		{"git push", "Bash(git:* x)", approval},
		{"git push", "bash(git:*)", approval},
		{"git push", "*", approval},
		{"git push", "Bash(git:*", approval},
		{"git push", "Bash(GIT:*)", approval},
		{"git push", "Read, Bash", ""},
		{"npm run a --silent", "Bash(npm * --silent)", ""},
		{"npm run a", "Bash(npm * --silent)", approval},
		{"${CLAUDE_PROJECT_DIR}/x", "Bash(${CLAUDE_PROJECT_DIR}/x:*)", braces},
		{"/w/proj/x 1", "Bash(${CLAUDE_PROJECT_DIR}/x:*)", ""},
		{"/w/proj/x 1", "Bash(${OTHER}/x:*)", approval},
		{"a${b/w/proj", "Bash(a${b${CLAUDE_PROJECT_DIR})", approval},
		// Wrappers and variables.
		{"timeout 5 npm test", "Bash(npm:*)", ""},
		{"timeout -k 1 5 nice -n 3 npm test", "Bash(npm:*)", ""},
		{"time npm test", "Bash(npm:*)", ""},
		{"nohup stdbuf -oL command builtin noglob npm test", "Bash(npm:*)", ""},
		{"ls | xargs npm", "Bash(npm:*)", ""},
		{"ls | xargs -n1 npm", "Bash(npm:*)", single + "xargs -n1 npm"},
		{"watch npm test", "Bash(npm:*)", approval},
		{"npx npm test", "Bash(npm:*)", approval},
		{"NODE_ENV=test npm test", "Bash(npm:*)", ""},
		{"FOO=1 npm test", "Bash(npm:*)", approval},
		{"FOO=1 npm test", "Bash(FOO=1 npm:*)", ""},
		{"FOO=1 ls", "", approval},
		{"timeout 5 ls", "", ""},
		{"X=1", "", "A variable set in this command can't be checked before it runs"},
		// Paths.
		{"cat /etc/passwd", "Bash(cat:*)", blocked("cat in", "/etc/passwd", "concatenate files from")},
		{"cat ../other/x", "", blocked("cat in", "/w/other/x", "concatenate files from")},
		{"ls ~/x", "", blocked("ls in", "/w/home/x", "list files in")},
		{"ls ~root", "", blocked("ls in", "~root", "list files in")},
		{"ls '~'", "", ""},
		{"ls src/*.go", "", ""},
		{"ls /etc/*.conf", "", blocked("ls in", "/etc", "list files in")},
		{"cd /tmp", "", blocked("cd in", "/tmp", "change directories to")},
		{"timeout 5 cat /etc/passwd", "", blocked("cat in", "/etc/passwd", "concatenate files from")},
		{"grep -e /etc x", "", ""},
		{"grep /etc x", "", ""},
		{"grep -e a /etc/x", "", blocked("grep in", "/etc/x", "search for patterns in files from")},
		{"head -n 3 -- -x", "", ""},
		{"tail -5 x -", "", ""},
		{"find . -name '/etc/*'", "", ""},
		{"find -L /etc -name x", "", blocked("find in", "/etc", "search files in")},
		{"find . -delete", "", approval},
		{"find . -exec rm x ';'", "Bash(rm:*)", approval},
		{"git -C /etc log", "", approval},
		{"sort x", "", ""},
		{"sort -o y x", "", approval},
		{"sed -n 1p x", "", ""},
		{"sed -i s/a/b/ x", "Bash(sed:*)", inside("sed", "/w/proj/x")},
		{"sed --in-place=.bak -e s/a/b/ x", "", inside("sed", "/w/proj/x")},
		{"mkdir -m 755 a", "Bash(mkdir:*)", inside("mkdir", "/w/proj/a")},
		{"cp a /tmp/b", "Bash(cp:*)", inside("cp", "/w/proj/a")},
		{"rm -rf /tmp/b", "Bash(rm:*)", blocked("rm in", "/tmp/b", "remove files from")},
		{"touch -d 2020-01-01 x", "", inside("touch", "/w/proj/x")},
		{"tee x", "", approval},
		// Redirections.
		{"echo a > x", "Bash(echo:*)", strings.Replace(inside("", "/w/proj/x"), " in", "Output redirection to", 1)},
		{"echo a >> /tmp/x", "", blocked("Output redirection to", "/tmp/x", "write to files in")},
		{"{ echo a; } > /tmp/x", "", "A group in braces or double parentheses in this command can't be checked before it runs"},
		{"if true; then ls; fi > /tmp/x", "", blocked("Output redirection to", "/tmp/x", "write to files in")},
		{"echo a > /dev/null 2>&1", "", ""},
		{"make 2>/dev/null", "Bash(make:*)", ""},
		{"cat < x", "", ""},
		{"cat < /etc/passwd", "", approval},
		// Directory changes.
		{"cd sub && ls", "", ""},
		{"cd sub && git status", "Bash(git:*) Bash(cd:*)", "This command changes directory before running git and requires approval"},
		{"git status && cd sub", "", ""},
		{"cd sub && touch x", "", "Compound command contains cd with output redirection — manual approval required to prevent path resolution bypass"},
		// Conditions and loops.
		{"if ls; then pwd; fi", "", ""},
		{"for x in a; do make; done", "", approval},
		{"", "", ""},
	}
	for _, tt := range tests {
		c := Command{
			Text: tt.text, Dir: "/w/proj", Home: "/w/home", Allowed: []string{tt.allowed},
			Variables: map[string]string{"CLAUDE_PROJECT_DIR": "/w/proj"},
		}
		if got := Check(permission(t, newest), c); got != tt.want {
			t.Errorf("%.60q with %q: %q, want %q", tt.text, tt.allowed, got, tt.want)
		}
	}
}

func TestSettings(t *testing.T) {
	denied := func(s string) string { return "Permission to use Bash with command " + s + " has been denied." }
	const tool = "Permission to use Bash has been denied."
	tests := []struct {
		name string
		c    Command
		want string
	}{
		{"allow", Command{Text: "make all", Allow: []string{"Bash(make:*)"}}, ""},
		{"a rule of the settings is one rule", Command{Text: "make all", Allow: []string{"Read Bash(make:*)"}}, approval},
		{"deny beats allow", Command{Text: "make all", Allow: []string{"Bash"}, Deny: []string{"Bash(make:*)"}}, denied("make all")},
		{"deny what reads", Command{Text: "ls", Deny: []string{"Bash(ls)"}}, denied("ls")},
		{"deny one of several", Command{Text: "ls; make b; pwd", Deny: []string{"Bash(make *)"}}, denied("make b")},
		{"deny behind variables and wrappers", Command{Text: "FOO=1 timeout 5 make", Deny: []string{"Bash(make:*)"}}, denied("FOO=1 timeout 5 make")},
		{"deny in every mode", Command{Text: "make", Deny: []string{"Bash(make)"}, Mode: "bypassPermissions"}, denied("make")},
		{"deny what is unknown", Command{Text: "rm $x", Deny: []string{"Bash(rm:*)"}}, denied("rm $x")},
		{"deny what is no command", Command{Text: "rm 'x", Deny: []string{"Bash(rm:*)"}}, denied("rm 'x")},
		{"deny the tool", Command{Text: "ls", Allow: []string{"Bash"}, Deny: []string{"Bash"}}, tool},
		{"deny another tool", Command{Text: "ls", Deny: []string{"Read", "BashOutput", "bash"}}, ""},
		{"ask beats allow", Command{Text: "make", Allow: []string{"Bash"}, Ask: []string{"Bash(make:*)"}, Mode: "bypassPermissions"},
			"Permission rule 'Bash(make:*)' requires approval for this Bash command"},
		{"the whole tool", Command{Text: "echo $(x) > /etc/y", Allow: []string{"Bash(*)"}}, ""},
		{"bypass", Command{Text: "rm -rf /tmp/x", Mode: "bypassPermissions"}, ""},
		{"bypass and what is guarded", Command{Text: "touch .git/x", Mode: "bypassPermissions"}, inside("touch", "/w/proj/.git/x")},
		{"bypass and what is guarded among others", Command{Text: "cd a; curl b; touch .git/x", Mode: "bypassPermissions"}, inside("touch", "/w/proj/.git/x")},
		{"edits", Command{Text: "mkdir a && cp x a/ && rm -r a", Mode: "acceptEdits"}, ""},
		{"edits outside", Command{Text: "touch /tmp/x", Mode: "acceptEdits"}, blocked("touch in", "/tmp/x", "create or modify files in")},
		{"edits what is guarded", Command{Text: "touch .claude/settings.json", Mode: "acceptEdits"}, inside("touch", "/w/proj/.claude/settings.json")},
		{"edits a skill", Command{Text: "touch .claude/skills/a/x", Mode: "acceptEdits"}, ""},
		{"edits run no other command", Command{Text: "make", Mode: "acceptEdits"}, approval},
		{"edits by redirection", Command{Text: "echo a > x", Mode: "acceptEdits"}, ""},
		{"silent", Command{Text: "make", Mode: "dontAsk"}, "Permission to use Bash has been denied because Claude Code is running in don't ask mode."},
		{"silent and allowed", Command{Text: "ls; make", Mode: "dontAsk", Allow: []string{"Bash(make)"}}, ""},
		{"planning", Command{Text: "ls", Mode: "plan"}, ""},
		{"deny a file", Command{Text: "head -1 a; cat s/x", Deny: []string{"Read(./s/**)"}, Allow: []string{"Bash"}}, denied("cat s/x")},
		{"deny a file anywhere", Command{Text: "cat a/.env", Deny: []string{"Read(.env)"}, Mode: "bypassPermissions"}, denied("cat a/.env")},
		{"deny a file as input", Command{Text: "cat < .env", Deny: []string{"Read(.env)"}}, denied("cat")},
		{"deny another file", Command{Text: "cat s/x", Deny: []string{"Read(/x)", "Read(~/s/x)", "Read(//s)", "Edit(s)", "Read"}}, ""},
		{"deny to edit a file", Command{Text: "echo a > x", Deny: []string{"Edit(/x)"}, Mode: "acceptEdits"}, denied("echo a")},
		{"allow a file", Command{Text: "cat /etc/hosts", Allow: []string{"Read(//etc/**)"}}, ""},
		{"allow to edit a file", Command{Text: "echo a > b/x", Allow: []string{"Edit(b/**)"}}, ""},
		{"allow to edit what is guarded", Command{Text: "echo a > .git/x", Allow: []string{"Edit(**)"}},
			strings.Replace(inside("", "/w/proj/.git/x"), " in", "Output redirection to", 1)},
		{"further directories", Command{Text: "cat /w/more/x", Additional: []string{"/w/more"}}, ""},
		{"the list of directories", Command{Text: "cat /x", Additional: []string{"/1", "/2", "/3", "/4", "/5", "/6"}},
			strings.Replace(blocked("cat in", "/x", "concatenate files from"), "'/w/proj'.", "'/w/proj', '/1', '/2', '/3', '/4', and 2 more.", 1)},
	}
	for _, tt := range tests {
		tt.c.Project = "/w/proj"
		if got := Check(permission(t, newest), tt.c); got != tt.want {
			t.Errorf("%s: %q: %q, want %q", tt.name, tt.c.Text, got, tt.want)
		}
	}
	if got := Check(nil, Command{Text: "rm -rf /"}); got != "" {
		t.Errorf("a host without a check refuses with %q", got)
	}
}

func TestCheckerAsCheck(t *testing.T) {
	p := permission(t, newest)
	c := Command{Dir: "/w/proj", Allowed: []string{"Bash(make:*)"}, Deny: []string{"Read(.env)"}}
	k := New(p, c)
	for _, text := range []string{"make", "cat .env", "touch x", "cat .env", " make a ", "curl"} {
		c.Text = text
		if got, want := k.Check(text), Check(p, c); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestPlainHost tests a host without known commands and modes.
func TestPlainHost(t *testing.T) {
	p := &host.Permission{
		Tool: "Run", Command: func(string) host.ShellCommand { return host.ShellCommand{} }, Wrapper: func([]string) int { return 0 },
		Assignable: func(string) bool { return false }, Guarded: func(string) bool { return false },
		Texts: host.PermissionTexts{Approval: "no", Inside: func(what, path, dirs, verb string) string { return path }},
	}
	for text, want := range map[string]string{"make": "no", "ls": "", "a > b": "/p/b"} {
		if got := Check(p, Command{Text: text, Dir: "/p", Allowed: []string{"Run(ls) Bash"}}); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestExpand(t *testing.T) {
	values := map[string]string{"A": "1", "B": "${A}"}
	for s, want := range map[string]string{
		"": "", "x": "x", "${A}": "1", "${A}${B}x": "1${A}x", "${C}": "${C}", "${A": "${A", "${${A}": "${1", "${}": "${}", "$A": "$A",
	} {
		if got := expand(s, values); got != want {
			t.Errorf("expand(%q) = %q, want %q", s, got, want)
		}
	}
}

func Check(p *host.Permission, c Command) string { return New(p, c).Check(c.Text) }
