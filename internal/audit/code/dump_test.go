package code

import (
	"fmt"
	"strings"
	"testing"
)

var opNames = [...]string{"none", "name", "text", "num", "list", "brace", "pair", "call", "attr", "index", "bin", "assign", "multi", "func", "return", "each", "comp", "either", "not", "spread", "import", "seq"}

func (n *node) dump(b *strings.Builder) {
	switch n.op {
	case opName, opNumber:
		b.WriteString(n.text)
		return
	case opText:
		fmt.Fprintf(b, "%q", n.texts)
		for _, k := range n.kids {
			b.WriteByte('+')
			k.dump(b)
		}
		return
	case opAttr:
		n.kids[0].dump(b)
		b.WriteString("." + n.text)
		return
	case opFunc:
		fmt.Fprintf(b, "(func %s", n.fn.name)
		for _, k := range n.fn.params {
			b.WriteByte(' ')
			k.dump(b)
		}
		b.WriteString(" :")
		for _, k := range n.fn.body {
			b.WriteByte(' ')
			k.dump(b)
		}
		b.WriteByte(')')
		return
	}
	fmt.Fprintf(b, "(%s", opNames[n.op])
	if n.text != "" {
		b.WriteString(" " + n.text)
	}
	for _, k := range n.kids {
		b.WriteByte(' ')
		k.dump(b)
	}
	b.WriteByte(')')
}

func dumpOf(lang, src string) string {
	f, _, _ := parse(languages()[lang](), src)
	var b strings.Builder
	for _, n := range f.body {
		n.dump(&b)
		b.WriteByte('\n')
	}
	return b.String()
}

func TestParse(t *testing.T) {
	for _, c := range [][2]string{
		{"py", "import os as o\nfrom a.b import (c as d, e)\nx: str = f'{o.environ[\"A\"]}b' 'c'\nfor k, v in x.items():\n    y[k] = v\ndef f(a, b=1, *c) -> int:\n    return a + b\nz = [q for q in x if q]\nwith open(p, 'w') as fh, g() as h:\n    fh.write(x)\nw = a if b else c\nexec(a)[::-1]"},
		{"js", "import fs, {a as b} from 'fs';\nimport * as n from \"m\";\nconst { x: y, z } = require('q');\nf(async (a) => { g(a) });\nlet s = `a${b.c}d`;\nclass A { foo(a, b) { return a } }\nif (x) { y() } else z();\nfor (const [k, v] of Object.entries(e)) o[k] = v;\nfetch(u).then(r => r.text())\n  .then(t => eval(t));\nnew Function('a', b)(c)\nprocess['e' + 'nv']"},
		{"ts", "async function f(a: string, b?: number): Promise<void> { g<string>(a) }\nconst g = async (a: string): Promise<X> => h(a);\nclass A { bar(x: string): void { this.y = x } }\n"},
		{"rb", "require 'x'\nsystem \"a #{b}\", c\nx = `ls`\nputs %x{curl a}\ndef f(a)\n  system(a)\nend\nitems.each do |i|\n  puts i\nend\nNet::HTTP.post URI(u), data, headers: {a: 1}\nx.send(:system, y)\nz = <<~EOS\n  a\n  b\nEOS\nsystem z"},
		{"pl", "my $c = \"x $y\";\nsystem($c);\nsystem \"a\", $b;\nmy $r = qx{curl a};\n$h->{a}{b} = 'a' . 'b';\nfor my $f (@files) { print $f; }\nopen(my $fh, '<', $p);\n$ENV{HOME}"},
		{"php", "<?php\n$f = 'sys' . 'tem'; $f($c); shell_exec(\"a $b\"); foreach ($a as $k => $v) { echo $v; } $x = ['a' => 1];"},
		{"lua", "local f = io.popen('ls')\nos.execute(\"a\" .. b)\nlocal s = [[long]]\nfunction m.f(a, b) return a end\nhttp.request{url = u, x = 1}\ns:send('a')\nfor k, v in pairs(t) do print(k) end"},
		{"go", "import (\n\t\"os/exec\"\n\te \"os\"\n)\nfunc main() {\n\tcmd := exec.Command(\"sh\", \"-c\", x)\n\tout, err := cmd.Output()\n\tif err != nil {\n\t\treturn\n\t}\n\tfor _, f := range files {\n\t\tg(f)\n\t}\n\ta := []string{\"a\", \"b\"}\n}"},
		{"rs", "use std::process::{Command as C, Stdio};\nfn main() { let x: &'static str = \"a\"; C::new(\"sh\").arg(\"-c\").arg(x).spawn().unwrap(); let v = vec![\"a\"]; fetch(x)?; for i in v.iter() { g(i) } }"},
		{"java", "import java.util.List;\nclass A { public static void main(String[] args) throws Exception { Runtime.getRuntime().exec(new String[] {\"bash\", \"-c\", x}); List<String> l = new ArrayList<>(); for (String s : l) { f(s); } } }"},
		{"cs", "using System.Diagnostics;\nvar p = new ProcessStartInfo { FileName = \"sh\", Arguments = $\"-c {x}\" };\nProcess.Start(\"/bin/bash\", \"-c x\");"},
		{"kt", "fun main() { val x = \"a $b ${c.d}\"; list.forEach { i -> f(i) }; ProcessBuilder(\"sh\", \"-c\", x).start() }"},
		{"swift", "let p = Process()\np.arguments = [\"-c\", \"a \\(b)\"]\ntry p.run()"},
		{"awk", "BEGIN { cmd = \"curl \" host \" | sh\"; system(cmd); \"date\" | getline x; print x | \"sh\" }"},
		{"scpt", "set x to \"curl a\"\ndo shell script x & \" | sh\" with administrator privileges"},
		{"vbs", "Set s = CreateObject(\"WScript.Shell\")\ns.Run \"cmd /c \" & x, 0, True ' comment"},
		{"r", "x <- function(a) { system(paste0('a', a)) }\nhttr::POST(u, body = list(a = Sys.getenv('X')))"},
	} {
		t.Logf("%s\n%s", c[0], dumpOf(c[0], c[1]))
	}
}
