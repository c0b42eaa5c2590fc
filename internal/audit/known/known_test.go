package known

import (
	"fmt"
	"testing"
)

func TestHost(t *testing.T) {
	for url, want := range map[string]string{
		"http://203.0.113.9/x.sh":                                      "[ip]",
		"http://3405803781/x":                                          "[ip odd]",
		"http://127.0.0.1:8080/":                                       "[private]",
		"http://build.internal/x":                                      "[private]",
		"http://169.254.169.254/latest/meta-data/":                     "[metadata]",
		"https://example.com/x":                                        "[placeholder]",
		"https://your-server.com/x":                                    "[placeholder]",
		"https://$HOST/x":                                              "[computed]",
		"https://pastebin.com/raw/abc":                                 "[drop]",
		"https://bit.ly/abc":                                           "[shortener]",
		"https://webhook.site/abc":                                     "[webhook]",
		"https://discord.com/api/webhooks/1/x":                         "[webhook known]",
		"https://discord.com/channels/1":                               "[known]",
		"https://api.telegram.org/bot1/sendMessage":                    "[messenger known]",
		"https://abc.ngrok-free.app/x":                                 "[tunnel]",
		"https://sh.rustup.rs":                                         "[installer registry]",
		"https://raw.githubusercontent.com/Homebrew/install/HEAD/i.sh": "[installer forge]",
		"https://github.com/a/b/releases/download/v1/x.tgz":            "[forge release]",
		"https://github.com/a/b":                                       "[forge]",
		"https://someone.github.io/x":                                  "[personal]",
		"https://registry.npmjs.org/x":                                 "[registry]",
		"https://cdn.metrics-sync.net/x":                               "[unknown]",
		"https://www.dropbox.com/s/abc/x.zip":                          "[drop known]",
		"https://www.dropbox.com/developers":                           "[known]",
		"https://drop.evil.example.com/x":                              "[unknown hostile]",
		"https://packages.mycorp.example/x":                            "[placeholder]",
	} {
		_, host, route := Split(url)
		if got := fmt.Sprint(Host(host, route)); got != want {
			t.Errorf("%s: %s, want %s", url, got, want)
		}
	}
}

func TestPath(t *testing.T) {
	for name, want := range map[string]string{
		"~/.ssh/id_rsa":                        "[credential]",
		"$HOME/.ssh/*":                         "[credential]",
		"~/.ssh":                               "[credential]",
		"id_ed25519":                           "[credential]",
		"~/.ssh/id_rsa.pub":                    "[]",
		"~/.ssh/known_hosts":                   "[]",
		"~/.ssh/authorized_keys":               "[authorized-keys]",
		`C:\Users\me\.aws\credentials`:         "[credential]",
		`%USERPROFILE%\.aws\credentials`:       "[credential]",
		"/etc/shadow":                          "[credential]",
		"src/shadow":                           "[]",
		".env":                                 "[env-file]",
		"config/.env.production":               "[env-file]",
		".env.example":                         "[]",
		"~/.bashrc":                            "[shell-rc]",
		"~/.bash_history":                      "[history]",
		"~/Library/LaunchAgents/a.plist":       "[service]",
		"/etc/cron.d/job":                      "[cron]",
		".git/hooks/pre-commit":                "[git-hook]",
		"~/.config/google-chrome/Default":      "[browser]",
		"~/.claude/settings.json":              "[agent-config]",
		"CLAUDE.md":                            "[agent-memory]",
		"~/.claude/projects/x/1.jsonl":         "[agent-history]",
		".claude/skills/x/SKILL.md":            "[agent-definition]",
		"/boot/vmlinuz":                        "[system]",
		"src/main.go":                          "[]",
		"~/.config/gcloud/credentials.db":      "[credential]",
		"~/Library/Keychains/login.keychain":   "[credential]",
		"application_default_credentials.json": "[credential]",
	} {
		if got := fmt.Sprint(Path(name)); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestOwner(t *testing.T) {
	for _, c := range []struct {
		secret, host string
		want         bool
	}{
		{"GITHUB_TOKEN", "api.github.com", true},
		{"GH_TOKEN", "api.github.com", true},
		{"GITHUB_TOKEN", "api.gitlab.com", false},
		{"OPENAI_API_KEY", "api.openai.com", true},
		{"OPENAI_API_KEY", "collect.metrics.net", false},
		{"ANTHROPIC_API_KEY", "api.openai.com", false},
		{"API_KEY", "api.metrics.net", false},
		{"AWS_SECRET_ACCESS_KEY", "s3.eu-west-1.amazonaws.com", true},
		{"~/.aws/credentials", "upload.metrics.net", false},
		{"NOTION_TOKEN", "api.notion.com", true},
	} {
		if got := SecretFor(c.secret, c.host); got != c.want {
			t.Errorf("%s to %s: %t", c.secret, c.host, got)
		}
	}
}

func FuzzKnown(f *testing.F) {
	f.Add("https://a.example/x")
	f.Fuzz(func(t *testing.T, s string) {
		_, host, _ := Split(s)
		Path(s)
		SecretFor(s, host)
		Site(host)
	})
}
