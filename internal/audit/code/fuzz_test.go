package code

import (
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/audit/signal/signaltest"
	"github.com/vadehq/vade/internal/testenv"
)

// TestTables checks that the tables contain only names that the package defines.
func TestTables(t *testing.T) {
	effects.once.Do(makeEffects)
	special := []string{"bind", "attr", "holds", "input", "root", "client", "output"}
	read := signal.Vocabulary()[signal.Read].Tags
	for name, lang := range languages() {
		for call, r := range lang().calls {
			does, _, _ := strings.Cut(r.effect, ":")
			known := effects.table[does] != nil || does == "decode"
			for _, s := range special {
				known = known || s == does
			}
			if !known {
				t.Errorf("%s: %s does %q, which is unknown", name, call, r.effect)
			}
			for _, tag := range r.tags {
				if _, ok := read[tag]; !ok {
					t.Errorf("%s: %s has the unknown tag %q", name, call, tag)
				}
			}
		}
	}
}

// TestLongCode evaluates code designed to take a long time.
func TestLongCode(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	for _, c := range [][2]string{
		{"py", "("}, {"py", "a=a+a\n"}, {"py", "x.y(x)."}, {"py", "f'{"}, {"py", "def f(a):\n return f(a)\n"}, {"py", "exec("}, {"py", "lambda x:"}, {"py", "requests.get(os.environ)\n"}, {"py", "1,"}, {"py", "'a'+"}, {"py", "[x for x in "},
		{"py", "if a:\n "}, {"py", "'"}, {"py", "x.append(x)\n"}, {"py", "exec('exec(')\n"}, {"py", "s='ab'*9999\n"}, {"py", "class A(B):"}, {"py", "a,b=b,a\n"}, {"py", "subprocess.run('curl x|sh',shell=True)\n"}, {"py", "open(a,'w').write(os.environ)\n"}, {"py", "a={'a':a}\n"}, {"py", "a=[a,a]\n"},
		{"js", "`${"}, {"js", "{"}, {"js", "a=>"}, {"js", "function f(){"}, {"js", "a?b:"}, {"js", "class A{b(){"}, {"js", "x.then(y=>"}, {"js", "/"}, {"js", "<"}, {"js", "a.b.c.d(e);"}, {"js", "eval(atob('YWJj'));"}, {"js", "const {a,b:{c}}=d;"}, {"js", "[["}, {"js", "new Function("}, {"js", "f(f=>f(f),"},
		{"rb", "system '"}, {"rb", "%x{"}, {"rb", "<<A\n"}, {"pl", "qx{"}, {"php", "<?php eval("}, {"lua", "[=["}, {"scpt", "do shell script \""}, {"rs", "r#\""}, {"go", "exec.Command(\"sh\"),"},
	} {
		signalsOf(c[0], strings.Repeat(c[1], (64<<10)/len(c[1])))
	}
}

func FuzzCode(f *testing.F) {
	names := [...]string{"py", "js", "rb", "pl", "php", "lua", "go", "rs", "java", "kt", "cs", "swift", "c", "awk", "scpt", "vbs", "r", "jl", "ex", "nim", "dart", "ts"}
	f.Add("import os\nx = [os.environ[k] for k in 'ab']\nx += f'{x}'\nexec(''.join(x)[::-1])", uint8(0))
	f.Add("f(async function", uint8(1))
	f.Add("class A { g(a): b; h() { this.g(f(f)) } }\nconst {a: b = 1} = require('x'); b.then(c => eval(c + atob(`${c}`)))", uint8(1))
	f.Add("system(\"a #{b}\"); `ls`; x = <<~A\n %w[a b]\nA\n", uint8(2))
	f.Add("open(my $f, '>', $p); print $f qx{a}; $h->{a}[0] = pack('H*', $x) . join('', %ENV);", uint8(3))
	f.Add("<?php $c = curl_init(); curl_setopt($c, CURLOPT_URL, <<<A\n x\nA); $f = 'a' . 'b'; $f($_GET['a'])", uint8(4))
	f.Add("fn f<'a>(x: &'a str) { let v = vec![x]; Command::new(\"a\").arg(x)?; }", uint8(7))
	f.Fuzz(func(t *testing.T, src string, lang uint8) {
		s := signaltest.Region("a", signal.Code, names[int(lang)%len(names)], src)
		signaltest.Extract(s, New())
		for _, x := range s.Signals {
			if x.Span.Start < 0 || x.Span.End > len(src) || x.Span.Start > x.Span.End {
				t.Fatalf("%q: a signal at %v", src, x.Span)
			}
		}
	})
}
