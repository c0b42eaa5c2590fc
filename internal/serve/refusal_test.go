package serve

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
)

// TestTokenThatIsWrong asserts that each mistake with the token has an answer of its
// own, and that none has a word of what was sent.
func TestTokenThatIsWrong(t *testing.T) {
	s := serverFor(t, project(t, some()))
	url, _ := listening(t, s, HTTPOptions{Token: testToken})
	for _, c := range []struct{ sent, want string }{
		{"", "send the server's token: Authorization: Bearer TOKEN"},
		{testToken, "send the server's token: Authorization: Bearer TOKEN"},
		{"Bearer another-token-hunter2", "this is not the server's token"},
		{"Bearer ${VADE_SERVE_TOKEN}", "the name of a variable"},
	} {
		status, body := ask(t, "POST", url+"/mcp", getHello, legacy(map[string]string{"Authorization": c.sent}))
		if status != 401 || !strings.Contains(body, c.want) || strings.Contains(body, "hunter2") {
			t.Errorf("%q: %d %s", c.sent, status, body)
		}
	}
	_, body := ask(t, "GET", url+"/metrics", "", legacy(nil))
	for _, want := range []string{`{reason="no-token"} 2`, `{reason="wrong-token"} 2`, `vade_reloads_total{outcome="done"} 0`} {
		if !strings.Contains(body, want) {
			t.Errorf("the metrics have no %s:\n%s", want, body)
		}
	}
}

// TestNoWordOfChangesIsPromised asserts that a client of an older revision is not
// promised over HTTP what no stream carries, and over standard input and output is.
func TestNoWordOfChangesIsPromised(t *testing.T) {
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	dir := project(t, some())
	for _, remote := range []bool{true, false} {
		s := serverFor(t, dir, func(o *Options) {
			o.Remote, o.Extensions = remote, []func(*Server) Extension{Skills}
		})
		url, _ := listening(t, s, HTTPOptions{Token: testToken})
		status, body := ask(t, "POST", url+"/mcp", initialize, legacy(nil))
		if status != 200 || !strings.Contains(body, `"prompts":{`) || !strings.Contains(body, `"resources":{`) || strings.Contains(body, `"listChanged":true`) == remote {
			t.Errorf("remote %v: %d %s", remote, status, body)
		}
	}
}

// TestPolicyIsLogged asserts that whoever changes the policy finds in the log what
// became of it.
func TestPolicyIsLogged(t *testing.T) {
	dir, home := project(t, some()), t.TempDir()
	var log bytes.Buffer
	s := serverFor(t, dir, func(o *Options) {
		o.Remote, o.Logger = true, slog.New(slog.NewTextHandler(&log, nil))
		o.Open = func(ctx context.Context, host string) (*catalog.Catalog, error) {
			return catalog.Open(ctx, catalog.Options{Dir: dir, As: host, Home: home, ManagedDir: t.TempDir(), Getenv: func(string) string { return "" }})
		}
	})
	put := func(text string) {
		file := filepath.Join(home, ".config/vade/policy.yaml")
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		log.Reset()
		if err := s.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	// As Watch begins.
	s.tellPolicy(t.Context(), nil)
	put("version: 1\nremote-shell: true\n")
	if !strings.Contains(log.String(), `msg="the policy changed" remote-shell=true`) || !strings.Contains(log.String(), "policy.yaml:2") {
		t.Errorf("on: %s", log.String())
	}
	put("version: 1\nremote-shell: yes please\n")
	if !strings.Contains(log.String(), "remote-shell=false") || !strings.Contains(log.String(), "POLICY_INVALID") {
		t.Errorf("wrong: %s", log.String())
	}
	put("version: 1\nremote-shell: yes please\ntimeout: 9s\n")
	if strings.Contains(log.String(), "remote-shell") {
		t.Errorf("it is said again: %s", log.String())
	}
}

// TestAddressAsWritten asserts that an address of IPv4 is not one of IPv6 too.
func TestAddressAsWritten(t *testing.T) {
	l, remote, err := Listen(t.Context(), "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	at, err := netip.ParseAddrPort(l.Addr().(*net.TCPAddr).String())
	if err != nil || !at.Addr().Is4() || !remote {
		t.Errorf("%v, %v, %v", at, remote, err)
	}
}

// TestAnotherVadeHasTheBundledOnes asserts that the bundled skills are listed to every
// client but another Vade.
func TestAnotherVadeHasTheBundledOnes(t *testing.T) {
	s := serverFor(t, project(t, some()), func(o *Options) { o.Extensions = []func(*Server) Extension{Skills} })
	url, _ := listening(t, s, HTTPOptions{Token: testToken})
	has := func(client string) bool {
		status, body := ask(t, "POST", url+"/mcp", `{"jsonrpc":"2.0","id":1,"method":"skills/list","params":{}}`, legacy(map[string]string{"User-Agent": client + "/1"}))
		if status != 200 {
			t.Fatal(status, body)
		}
		return strings.Contains(body, "skill://"+definition.Bundled.String()+"/")
	}
	if !has("other") {
		t.Error("another client does not get them")
	}
	if has("vade") {
		t.Error("another Vade gets them too")
	}
}
