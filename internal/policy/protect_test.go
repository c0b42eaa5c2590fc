package policy

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/internal/testenv"
)

func TestProtectedDefaults(t *testing.T) {
	p := newProtected(defaultProtected())
	for _, name := range []string{
		".env", "a/b/.env", ".ENV", ".env.local", ".env.production", "prod.env", ".envrc", ".env/x", ".env.example/.env",
		".git/config", ".git/hooks/pre-commit", "sub/.git/config", ".GIT/config", ".git./config", ".git /config", ".git::$INDEX_ALLOCATION/config",
		"GIT~1/config", "git~1/config", "GI7EBA~1/config", ".g\u200cit/config", "a/../.git/config", "./.git/config", "x//.git//config", `.git\config`,
		".env::$DATA", ".env.", ".env ", ".env. .", "ENV~1", "ENV~1.LOC", "EN12AB~1", "a/ENV~2",
		"id_rsa", "id_rsa_work", "id_ed25519", "ID_ED2~1", "keys/id_ecdsa", "server.pem", "tls/server.KEY", "x.p12", "x.pfx", "x.jks", "release.keystore", "db.kdbx",
		".netrc", "_netrc", ".npmrc", ".pypirc", ".git-credentials", "GIT-CR~1", ".aws/credentials", ".aws/config", "home/.ssh/known_hosts", ".gnupg/x",
		".kube/config", ".docker/config.json", ".DOCKER/CONFIG.JSON", "DOCKER~1/CONFIG~1.JSO",
		"credentials", "credentials.json", "CREDEN~1.JSO", "my-service-account-1.json", "secrets.yml", "secrets.yaml", ".htpasswd", "terraform.tfstate",
		"terraform.tfstate.backup", "prod.tfvars", "prod.auto.tfvars", ".ſsh/x", "a:b/.env", "x:.pem",
		".env~", "#.env#", ".env-local", ".env_prod", ".envrc.local", ".env,v", "x.pem.bak", "x.key~", "a/x.key.old", "x.key.ORIG", ".netrc.bak", ".npmrc.bak",
		"credentials.json~", "secrets.yml.bak", ".ssh.bak/.env.swp", ".netrc.bak~", "server.key.bak.old", "#secrets.yml#~", ".claude/.credentials.json", ".codex/auth.json", "a/.composer/auth.json", ".gemini/oauth_creds.json", ".dev.vars",
		".dev.vars.production", ".secrets", ".secrets/x", "kubeconfig", "prod.kubeconfig", ".yarnrc.yml", ".config/op/config", ".bash_history", ".zsh_history",
		".psql_history", ".local/share/fish/fish_history",
		strings.Repeat("a/", 200) + "x", strings.Repeat("a", 5000), "a~1/b~1/c~1/d~1/e~1",
	} {
		if pattern, ok := p.Match(name); !ok || pattern == "" {
			t.Errorf("%.60q is not protected", name)
		}
	}
	for _, name := range []string{
		"", ".", "a.txt", "README.md", ".env.example", "a/.env.sample", ".ENV.TEMPLATE", ".env.dist", "env", "environment.ts", ".environment", "example.env",
		".git", "sub/.git", ".gitignore", ".gitattributes", ".github/workflows/x.yml", "git", "git/config", "id_rsa.pub", "id_ed25519.pub", "aws/x",
		"config", "config.json", "docker/config.json", "keyboard.go", "pem.go", "monkey", "secrets.md", "secrets/x", "src/credentials.go", "HEAD~1", "main~12",
		".env-example", ".env_sample", ".dev.vars.example", ".envrc.example", "x.pem.md", "x.key.ts", "main.go.orig", "main.go,v", "#main.go#", "~", "#", "##", ".bak",
		"pkg/kubeconfig/load.go", ".claude/settings.json", ".codex/config.toml", "auth.json", "locales/en/auth.json", ".secrets.baseline", "browser_history.go", "CHANGES.old", ".yarnrc",
		"HEAD~1/a.txt", "file~", "readme~1", "terraform.tf", "x.example.tfvars", "a:b", "package.json", "service.json", ".dockerignore", "kube/config",
	} {
		if pattern, ok := p.Match(name); ok {
			t.Errorf("%q is protected by %q", name, pattern)
		}
	}
}

func TestProtectedNil(t *testing.T) {
	var p *Protected
	if _, ok := p.Match("a"); !ok {
		t.Error("a nil Protected lets a file through")
	}
	if got := p.Patterns(); len(got) != 1 || got[0] != "**" {
		t.Errorf("patterns %q", got)
	}
}

func TestProtectedPattern(t *testing.T) {
	p := newProtected(defaultProtected(), []string{"internal/**", "*.csv"})
	for name, want := range map[string]string{
		".env": ".env", ".env.local": ".env.*", "a/.git/x/y": "**/.git/**", "internal/a/b": "internal/**", "x/data.CSV": "*.csv", "b.PEM": "*.pem",
	} {
		if got, _ := p.Match(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	short := newProtected([]string{"private data/customer list/**"})
	for _, name := range []string{"private data/customer list/x", "PRIVAT~1/CUSTOM~2/x", "private data/CUSTOM~1/x"} {
		if _, ok := short.Match(name); !ok {
			t.Errorf("%s is not protected", name)
		}
	}
	for _, pattern := range p.Patterns() {
		if pattern[0] == '!' {
			t.Errorf("%q does not protect", pattern)
		}
	}
}

// TestProtectedSpellings checks that a protected file is protected in every spelling that a file
// system accepts.
func TestProtectedSpellings(t *testing.T) {
	p := newProtected(defaultProtected())
	names := rapid.SampledFrom([]string{".env", ".git/config", "id_rsa", "a/server.pem", ".ssh/config", "credentials.json", "x/.netrc"})
	spell := rapid.SampledFrom([]func(string) string{
		strings.ToUpper, strings.ToLower,
		func(s string) string { return s + "." },
		func(s string) string { return s + " . " },
		func(s string) string { return s + "::$DATA" },
		func(s string) string { return s + "~" },
		func(s string) string { return s + ".bak" },
		func(s string) string { return "./" + s },
		func(s string) string { return "/" + s },
		func(s string) string { return s + "/" },
		func(s string) string { return "a/../" + s },
		func(s string) string { return strings.ReplaceAll(s, "/", "//") },
		func(s string) string { return strings.ReplaceAll(s, "/", "./") },
		func(s string) string { return strings.ReplaceAll(s, "/", `\`) },
		func(s string) string { return s[:2] + "\u200d" + s[2:] },
		func(s string) string { return "deep/er/" + s },
	})
	testenv.Check(t, func(t *rapid.T) {
		name := names.Draw(t, "name")
		if _, ok := p.Match(name); !ok {
			t.Fatalf("%q is not protected", name)
		}
		other := spell.Draw(t, "spelling")(name)
		if strings.HasPrefix(other, "a/../") {
			name = other
		}
		if _, ok := p.Match(other); !ok {
			t.Fatalf("%q is protected, %q is not", name, other)
		}
	})
}

func FuzzProtectedMatch(f *testing.F) {
	for _, s := range []string{".env", ".git/config", "GIT~1/x", `a\.env`, ".env::$DATA", "a/../../.ssh/x", "\xff/\x00", strings.Repeat("a~1/", 4)} {
		f.Add(s)
	}
	p := newProtected(defaultProtected(), []string{"data/**", "!data/x"})
	f.Fuzz(func(t *testing.T, name string) {
		pattern, ok := p.Match(name)
		if ok != (pattern != "") {
			t.Fatalf("%q: %q %v", name, pattern, ok)
		}
		if _, below := p.Match(name + "/x"); ok && name != "" && !below && !strings.HasSuffix(name, "..") {
			t.Fatalf("%q is protected, but files below it are not", name)
		}
	})
}

func BenchmarkProtectedMatch(b *testing.B) {
	p := newProtected(defaultProtected())
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := p.Match("internal/policy/protect.go"); ok {
			b.Fatal("protected")
		}
	}
}

func BenchmarkProtectedMatchDeep(b *testing.B) {
	p := newProtected(defaultProtected())
	name := strings.Repeat("abcdefghijklmnopqrstuvwxyz~1234/", 4) + strings.Repeat("abcdefghijklmnopqrstuvwxyz/", 120)
	b.ReportAllocs()
	for b.Loop() {
		p.Match(name)
	}
}
