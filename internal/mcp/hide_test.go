package mcp

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/secret"

	"github.com/vadehq/vade/internal/testenv"
)

// passwords generates secrets that look like passwords chosen by people.
func passwords() *rapid.Generator[string] {
	words := rapid.OneOf(rapid.StringMatching(`[A-Z]{4,6}[a-z]{2,6}`), rapid.StringMatching(`[a-z]{5,8}zq`), rapid.StringMatching(`[a-z]{5,8}zq[0-9]{1,3}`))
	// A password such as "jwtaazq" contains the name of a kind of secret: -pjwtaazq looks like a
	// flag whose value is a secret.
	return words.Filter(func(s string) bool { return !secret.May("-p" + s) })
}

// wordPlantings returns entries with a password, marked @, that can be recognized only by its
// position.
func wordPlantings() []string {
	return []string{
		`{"command":"x","args":["Server=h;User=u;Password=@;"]}`, `{"command":"x","args":["Server=h;Pwd=@"]}`, `{"command":"x","args":["Pwd=@"]}`,
		`{"command":"x","KENV":{"DB":"Server=h;User=u;Password=@;"}}`, `{"command":"x","args":["--conn","Server=h;User Id=u;Password=@ b @;"]}`,
		`{"command":"x","args":["--token","${T:-@}"]}`, `{"command":"x","args":["--x=${T:-@}"]}`, `{"command":"x","args":["--token","--","@"]}`,
		`{"command":"x","args":["--cred","@"]}`, `{"command":"x","args":["--cred=@"]}`, `{"command":"x","args":["--unknown","@"]}`, `{"command":"x","args":["-p","@"]}`,
		`{"command":"x","args":["-p@"]}`, `{"command":"x","args":["-k","@"]}`, `{"command":"x","args":["-k@"]}`, `{"command":"x","args":["-w","@"]}`,
		`{"command":"sh","args":["-c","mysql -p@"]}`, `{"command":"sh","args":["-c","mysql -u root -p@ db"]}`, `{"command":"sh","args":["-c","mysql --password @"]}`,
		`{"command":"mysql -p@"}`, `{"KTYPE":"http","url":"https://h.example/?to%6ben=@"}`, `{"KTYPE":"http","url":"https:\\\\u:@@h/"}`,
		`{"command":"x","args":["https:\\\\u:@@h/"]}`, `{"command":"x","args":["u:@@h"]}`, `{"KTYPE":"http","url":"https://h.example/#@"}`,
		`{"KTYPE":"http","url":"https://h.example/?k=@"}`, `{"KTYPE":"http","url":"https://h.example/?@"}`, `{"KTYPE":"http","url":"https://h.example/?a=1&k=@"}`,
		`{"KTYPE":"http","url":"https://${H}/?k=@"}`, `{"KTYPE":"http","url":"https://h.example/?a=${H}&k=@"}`, `{"command":"x","args":["https://h.example/?k=@"]}`,
		`{"command":"x","KENV":{"PGPASS":"@"}}`, `{"command":"x","KENV":{"MYPWD":"@"}}`, `{"command":"x","KENV":{"MODE":"${Z:-@}"}}`,
		`{"KTYPE":"http","url":"https://h.example/","headers":{"X-Y":"${Z:-@}"}}`, `{"command":"x","KENV":{"MODE":"{env:A}@"}}`, `{"command":"x","KENV":{"MODE":"${A}@"}}`,
		`{"command":"x","KENV":{"MODE":"@${A}"}}`, `{"command":"x","args":["${A}@"]}`, `{"command":"x","cwd":"${A:-@}"}`,
		`{"command":"x","args":["-p@${A}"]}`, `{"command":"x","args":["--token${A}@"]}`, `{"command":"x","args":["--x${A}@"]}`,
		`{"command":"x","args":["--token","a${A}@"]}`, `{"command":"x","args":["--token${A}","@"]}`, `{"command":"x","args":["${A}-token=@"]}`,
		`{"command":"x","args":["token=@${A}://h"]}`, `{"command":"x","KENV":{"API_KEY":"x://${A}@"}}`,
	}
}

func TestNoPasswordIsKept(t *testing.T) {
	all := formats()
	testenv.Check(t, func(rt *rapid.T) {
		secret := passwords().Draw(rt, "secret")
		f := rapid.SampledFrom(all).Draw(rt, "format")
		for _, planting := range wordPlantings() {
			if strings.Contains(planting, "{env:") && f.Refs&host.RefCurly == 0 || strings.Contains(planting, "${") && f.Refs&(host.RefBraces|host.RefDefault) == 0 {
				// This format treats the whole value as text.
				continue
			}
			if strings.Contains(planting, ":-") && f.Refs&host.RefDefault == 0 {
				continue
			}
			_, out := planted(rt, secret, planting, f, all)
			if at := strings.Index(out, secret); at >= 0 {
				rt.Fatalf("the secret %s of %s in %s comes out again: %.200q", secret, planting, f.Name, out[max(at-80, 0):])
			}
		}
	})
}

// TestTokenNames checks that a token in place of a server name is not shown.
func TestTokenNames(t *testing.T) {
	all := formats()
	testenv.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom([]string{"glpat-", "AKIA", "sk-ant-", "ghp_"}).Draw(rt, "prefix") + rapid.StringMatching(`[A-Za-z0-9]{12,20}`).Draw(rt, "rest")
		f := rapid.SampledFrom(all).Draw(rt, "format")
		_, out := planted(rt, name, `{"command":"y"},"@":{"command":"x"}`, f, all)
		if strings.Contains(out, name) {
			rt.Fatalf("%s comes out again", name)
		}
	})
}

// TestPlainWordsStay checks that common server commands and arguments are not hidden.
func TestPlainWordsStay(t *testing.T) {
	for _, args := range []string{
		`["-y","@modelcontextprotocol/server-filesystem","./docs"]`, `["-y","files-server@latest"]`, `["run","-i","--rm","-e","TOKEN","ghcr.io/x/y"]`,
		`["--directory","/srv/x","run","main.py"]`, `["--from","git+https://github.com/x/y","server"]`, `["-m","server.main","--port","3000"]`,
		`["--transport","stdio","--config=./c.json"]`, `["exec","--yes","pkg"]`, `["mcp-remote","https://x.example/mcp"]`, `["--stdio","--verbose"]`,
		`["-c","python -m server"]`, `["run","ghcr.io/x/y:1.2@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"]`, `["-jar","server.jar"]`,
		`["-p","3000:3000","image"]`, `["-p","@scope/pkg","bin"]`,
	} {
		for _, f := range formats() {
			testenv.Check(t, func(rt *rapid.T) {
				_, out := planted(rt, "", `{"command":"npx","args":`+strings.ReplaceAll(args, "@", "\\u0040")+`}`, f, nil)
				if strings.Contains(out, hiddenText) {
					t.Errorf("%s in %s: %s", args, f.Name, out)
				}
			})
			break
		}
	}
}

// TestPasswordOfAnAddress checks that a password in a URL is reported as a secret, not merely
// hidden, even if the URL is in a variable or header.
func TestPasswordOfAnAddress(t *testing.T) {
	f := formatOf(t, "claude-code")
	for value, likely := range map[string]bool{
		"postgres://u:pw@h/db":            true,
		"redis://:pw@h:6379":              true,
		"https://s3cretuser99x8@h/1":      true,
		"https://h/x?token=abc":           true,
		"u:pw@h":                          true,
		"Server=h;Password=abc":           true,
		"postgres://u:pw@${HOST}/db":      true,
		"postgres://${USER}:pw@h/db":      true,
		"${DB:-postgres://u:pw@h/db}":     true,
		"https://h/x?page=abc":            false,
		"some words of no great meaning!": false,
	} {
		list, _ := readJSON(t, `{"mcpServers":{"s":{"command":"x","env":{"DB":"`+value+`"}}}}`, f)
		if len(list) != 1 || len(list[0].Hidden) != 1 {
			t.Errorf("%s: %+v", value, list)
			continue
		}
		if h := list[0].Hidden[0]; h.Likely != likely {
			t.Errorf("%s: likely a secret: %v", value, h.Likely)
		}
		if strings.Contains(describe(&list[0]), "pw") {
			t.Errorf("%s: %s", value, describe(&list[0]))
		}
	}
	list, _ := readJSON(t, `{"mcpServers":{"s":{"command":"x","env":{"DB":"postgres://${USER}:${PASS}@h:5432/db"}}}}`, f)
	if len(list[0].Hidden) > 0 {
		t.Errorf("%+v", list[0].Hidden)
	}
}

// TestTailOfAParameter checks that text before or after a reference in a parameter value is hidden.
func TestTailOfAParameter(t *testing.T) {
	f := formatOf(t, "claude-code")
	for value, hidden := range map[string]bool{
		"https://h/x?token=${T}q9w8e7r6":         true,
		"https://h/x?a=1&token=${T}${U}q9w8e7":   true,
		"https://h/x?token=${T}-q9w8e7r6&a=1":    true,
		"https://h/x?token=${T}":                 false,
		"https://h/x?token=${T}&x=true":          false,
		"https://${H}/x":                         false,
		"https://h/${P}/x":                       false,
		"https://h/${P}/mcp?version=${V}&x=true": false,
	} {
		list, _ := readJSON(t, `{"mcpServers":{"s":{"type":"http","url":"`+value+`"}}}`, f)
		if len(list) != 1 || len(list[0].Hidden) > 0 != hidden || strings.Contains(describe(&list[0]), "q9w8") {
			t.Errorf("%s: %+v", value, list)
		}
	}
}
