package mcp

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/internal/host"
)

// passwords draws secrets that people think of, which look like words.
func passwords() *rapid.Generator[string] {
	return rapid.OneOf(rapid.StringMatching(`[A-Z]{4,6}[a-z]{2,6}`), rapid.StringMatching(`[a-z]{5,8}zq`), rapid.StringMatching(`[a-z]{5,8}zq[0-9]{1,3}`))
}

// wordPlantings are entries with a password, which @ stands for, where its place alone
// tells what it is.
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
	}
}

func TestNoPasswordIsKept(t *testing.T) {
	all := formats()
	rapid.Check(t, func(rt *rapid.T) {
		secret := passwords().Draw(rt, "secret")
		f := rapid.SampledFrom(all).Draw(rt, "format")
		for _, planting := range wordPlantings() {
			if strings.Contains(planting, "{env:") && f.Refs&host.RefCurly == 0 || strings.Contains(planting, "${") && f.Refs&(host.RefBraces|host.RefDefault) == 0 {
				// It is text there, as a whole.
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

// TestTokenNames: a token that stands where the name of a server should is not shown.
func TestTokenNames(t *testing.T) {
	all := formats()
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom([]string{"glpat-", "AKIA", "sk-ant-", "ghp_"}).Draw(rt, "prefix") + rapid.StringMatching(`[A-Za-z0-9]{12,20}`).Draw(rt, "rest")
		f := rapid.SampledFrom(all).Draw(rt, "format")
		_, out := planted(rt, name, `{"command":"y"},"@":{"command":"x"}`, f, all)
		if strings.Contains(out, name) {
			rt.Fatalf("%s comes out again", name)
		}
	})
}

// TestPlainWordsStay: what servers are started with every day is not hidden.
func TestPlainWordsStay(t *testing.T) {
	for _, args := range []string{
		`["-y","@modelcontextprotocol/server-filesystem","./docs"]`, `["-y","files-server@latest"]`, `["run","-i","--rm","-e","TOKEN","ghcr.io/x/y"]`,
		`["--directory","/srv/x","run","main.py"]`, `["--from","git+https://github.com/x/y","server"]`, `["-m","server.main","--port","3000"]`,
		`["--transport","stdio","--config=./c.json"]`, `["exec","--yes","pkg"]`, `["mcp-remote","https://x.example/mcp"]`, `["--stdio","--verbose"]`,
		`["-c","python -m server"]`, `["run","ghcr.io/x/y:1.2@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"]`, `["-jar","server.jar"]`,
		`["-p","3000:3000","image"]`, `["-p","@scope/pkg","bin"]`,
	} {
		for _, f := range formats() {
			rapid.Check(t, func(rt *rapid.T) {
				_, out := planted(rt, "", `{"command":"npx","args":`+strings.ReplaceAll(args, "@", "\\u0040")+`}`, f, nil)
				if strings.Contains(out, hiddenSign) {
					t.Errorf("%s in %s: %s", args, f.Name, out)
				}
			})
			break
		}
	}
}
