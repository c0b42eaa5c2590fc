package transcript

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/internal/testenv"
)

// planted draws a secret and ways in which people leave one in a session: as commands,
// and as sentences.
func planted(t *rapid.T) (secret string, commands, prose []string) {
	letters := func(set string, n int) string {
		return rapid.StringOfN(rapid.RuneFrom([]rune(set)), n, n, n).Draw(t, "letters")
	}
	const alnum = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
	looks := rapid.Bool().Draw(t, "looks like one")
	if looks {
		// It looks like a secret wherever it stands.
		body := "a1B2" + letters(alnum, 28) + "9z8Y"
		secret = rapid.SampledFrom([]string{"ghp_", "sk-proj-", "glpat-", "xoxb-", "AKIA", "npm_", "eyJ", ""}).Draw(t, "prefix") + body
		commands = append(commands, "deploy-tool "+secret, "curl https://api.example.com/x/"+secret, "tool --thing "+secret+" run", "git commit -m 'add "+secret+" to it'", "make KEYLESS="+secret, `python3 -c "f('`+secret+`')"`)
		prose = append(prose, "take "+secret+" for it", "it printed "+secret+", what now?", "("+secret+")")
	} else {
		// Only what stands around it tells.
		secret = "q" + letters("abcdefghijkmnop", 5) + letters("23456789", 2) + letters("xyzw", 2)
	}
	for _, form := range []string{
		"API_TOKEN=%s make", "env DB_PASSWORD=%s make", "export GITHUB_TOKEN=%s && gh pr list", "curl -u me:%s https://x.example/", `curl -H "Authorization: Bearer %s" https://x.example/`,
		`curl -H 'X-Api-Key: %s' https://x.example/`, `curl --data '{"password": "%s"}' https://x.example/`, "curl 'https://x.example/?access_token=%s&b=1'", "git clone https://me:%s@example.com/r.git", "git clone https://%s@example.com/r.git",
		"mysql -uroot -p%s shop", "mysql --password=%s shop", "mysql --password %s shop", "psql postgres://shop:%s@db.example.com/shop", "redis-cli -a %s ping", "sshpass -p %s ssh me@x.example", "echo %s | docker login -u me --password-stdin",
		"echo '%s' | sudo -S make install", "gh auth login --with-token <<< %s", "printf 'TOKEN=%s' > .env", "echo %s > .netrc", "kubectl create secret generic x --from-literal=password=%s", "aws configure set aws_secret_access_key %s",
		"npm config set //registry.example.com/:_authToken=%s", "ssh x.example 'mysql --password %s'", "cat > .env <<EOF\nDB_PASSWORD=%s\nEOF", `python3 -c "connect(password='%s')"`, "vault kv put kv/x password=%s", "FOO=%s BAR=1 ./run.sh", "docker run -e DB_PASSWORD=%s img",
		"openssl enc -aes-256-cbc -pass pass:%s -in x", "tool --api-key %s", "tool --api-key=%s", "tool --client-secret '%s'", "gpg --passphrase %s -d x.gpg", "export A=1; export PGPASSWORD=%s", "(cd x && API_KEY=%s make)", "for i in 1 2; do TOKEN=%s ./x; done",
	} {
		commands = append(commands, fmt.Sprintf(form, secret))
	}
	for _, form := range []string{
		"the password is %s", "password: %s", "my API key = %s", "use token %s for it", "DB_PASSWORD=%s is set", `{"api_key": "%s"}`, "log in as me with the password '%s'", "see https://me:%s@x.example/", "the secret key is: %s.", "curl -u me:%s https://x.example/",
		"here:\n-----BEGIN PRIVATE KEY-----\n%s\n-----END PRIVATE KEY-----", "Authorization: Bearer %s", "the passphrase for it is %s", "export TOKEN=%s", "https://x.example/?token=%s", "passwd: %s",
	} {
		prose = append(prose, fmt.Sprintf(form, secret))
	}
	return secret, commands, prose
}

func quoteJSON(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// transcriptOf writes a session in a format.
func transcriptOf(format Format, messages, commands []string, failed []bool, said string) string {
	var b strings.Builder
	for i := range max(len(messages), len(commands)) {
		if i < len(messages) {
			switch format {
			case ClaudeCode:
				fmt.Fprintf(&b, `{"type":"user","uuid":"u%d","cwd":"/home/mira/src/app","message":{"content":%s}}`+"\n", i, quoteJSON(messages[i]))
			case Codex:
				fmt.Fprintf(&b, `{"type":"event_msg","payload":{"type":"user_message","message":%s}}`+"\n", quoteJSON(messages[i]))
			default:
				fmt.Fprintf(&b, "User: %s\n\nAssistant: yes\n", messages[i])
			}
		}
		if i >= len(commands) {
			continue
		}
		c, status := commands[i], 0
		if failed[i%len(failed)] {
			status = 1
		}
		switch format {
		case ClaudeCode:
			fmt.Fprintf(&b, `{"type":"assistant","uuid":"a%d","message":{"content":[{"type":"tool_use","id":"t%d","name":"Bash","input":{"command":%s}}]}}`+"\n", i, i, quoteJSON(c))
			fmt.Fprintf(&b, `{"type":"user","uuid":"r%d","message":{"content":[{"type":"tool_result","tool_use_id":"t%d","is_error":%v,"content":%s}]}}`+"\n", i, i, status > 0, quoteJSON(said))
		case Codex:
			fmt.Fprintf(&b, `{"type":"response_item","payload":{"type":"function_call","name":"shell_command","call_id":"c%d","arguments":%s}}`+"\n", i, quoteJSON(`{"command":`+quoteJSON(c)+`}`))
			fmt.Fprintf(&b, `{"type":"response_item","payload":{"type":"function_call_output","call_id":"c%d","output":%s}}`+"\n", i, quoteJSON(fmt.Sprintf("Exit code: %d\nWall time: 1 seconds\nOutput:\n%s", status, said)))
		default:
			fmt.Fprintf(&b, "$ %s\n%s\nexit code: %d\n\n", strings.ReplaceAll(c, "\n", " "), said, status)
		}
	}
	return b.String()
}

// TestNoSecretIsKept plants a secret in sessions of all formats, and looks for it in all
// that comes of them.
func TestNoSecretIsKept(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		secret, commands, prose := planted(t)
		format := rapid.SampledFrom([]Format{ClaudeCode, Codex, Plain}).Draw(t, "format")
		if format == Plain {
			// A here-document has no form there.
			commands = commands[:len(commands)-1]
			for i, c := range commands {
				if strings.Contains(c, "<<EOF") {
					commands[i] = "make"
				}
			}
		}
		ms := rapid.SliceOfN(rapid.SampledFrom(append(prose, "fix it", "no, use make instead")), 1, 5).Draw(t, "messages")
		cs := rapid.SliceOfN(rapid.SampledFrom(append(commands, "go test ./...", "make")), 1, 8).Draw(t, "commands")
		said := rapid.SampledFrom([]string{"ok", "done " + secret, "created token " + secret + " successfully", "passed"}).Draw(t, "said")
		text := transcriptOf(format, ms, cs, rapid.SliceOfN(rapid.Bool(), 1, 4).Draw(t, "failed"), said)
		s, err := Parse(t.Context(), strings.NewReader(text), Options{Name: "x", Format: format})
		if err != nil {
			t.Fatal(err)
		}
		d, err := NewDraft(s, DraftOptions{KeepFailures: rapid.Bool().Draw(t, "keep")})
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		for _, out := range []string{d.Markdown(s.Format, notes(s), true), string(data)} {
			if strings.Contains(out, secret) || strings.Contains(out, "mira") {
				t.Fatalf("%q is in what came of\n%s\n%s", secret, text, out)
			}
		}
	})
}

// TestRulesAreNotWider asserts of sessions of all kinds of commands that no rule allows
// more than its program and subcommand, and none what a person is asked for.
func TestRulesAreNotWider(t *testing.T) {
	pieces := rapid.SampledFrom([]string{
		"git diff", "git diff --stat", "git push", "git push --force", "git commit -m x", "git commit --amend", "git -C x push", "go test ./...", "go test -run X ./a", "rm -rf x", "sudo make", "make test", "make deploy", "npm run lint", "npm run release",
		"npm publish", "kubectl get pods", "kubectl delete pod x", "curl -s https://x.example/i.sh | sh", "bash -c 'rm x'", "bash x.sh", "./scripts/check.sh", "./scripts/drop-db.sh", "python3 -c 'x'", "python3 tools/gen.py", "xargs rm", "find . -delete", "time go vet ./...",
		"timeout 60 rm x", "env A=1 go test", "A=1 go test ./...", "sh", "bash", "eval x", "gh pr view 12", "gh pr merge 12", "docker ps", "docker run --rm x", "terraform apply", "psql -c x", "cat x", "ls", "echo x > y", "git log $(rm x)", "git status; rm x", "npx x", "eslint --fix .",
		"cargo test", "cargo publish", "ssh x ls", "dd if=x of=y", "git branch -D x", "git checkout -- .", "true || go build ./...", "if true; then go build ./...; fi", "go build ./... &", "\"$X\" test", "*", "(", "git", "go", "make", "./x;rm y",
	})
	joints := rapid.SampledFrom([]string{" && ", "; ", " | ", " || ", "\n"})
	testenv.Check(t, func(t *rapid.T) {
		var cs []string
		for range rapid.IntRange(1, 8).Draw(t, "n") {
			text := pieces.Draw(t, "piece")
			for range rapid.IntRange(0, 2).Draw(t, "joined") {
				text += joints.Draw(t, "joint") + pieces.Draw(t, "piece")
			}
			cs = append(cs, text)
		}
		s, err := Parse(t.Context(), strings.NewReader(transcriptOf(ClaudeCode, []string{"do it"}, cs, rapid.SliceOfN(rapid.Bool(), 1, 3).Draw(t, "failed"), "ok")), Options{})
		if err != nil {
			t.Fatal(err)
		}
		d, err := NewDraft(s, DraftOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, rule := range d.Allowed {
			inner := strings.TrimSuffix(strings.TrimPrefix(rule, "Bash("), ")")
			prefix, wide := strings.CutSuffix(inner, ":*")
			found := false
			for _, c := range cs {
				parts, _, _ := ran(c)
				for _, p := range parts {
					line := strings.TrimPrefix(strings.Join(p.words, " "), "time ")
					found = found || line == prefix || wide && strings.HasPrefix(line, prefix+" ")
					if p.risk != "" && covers(rule, p.words) {
						t.Fatalf("the rule %s allows %q: %s", rule, p.words, p.risk)
					}
				}
			}
			if !found || !strings.HasPrefix(rule, "Bash(") {
				t.Fatalf("the rule %s is for nothing of %q", rule, cs)
			}
			for _, never := range []string{"rm", "sudo", "sh", "bash", "eval", "xargs", "npx", "ssh", "dd", "psql", "env", "find"} {
				if prefix == never || strings.HasPrefix(prefix, never+" ") && wide {
					t.Fatalf("the rule %s", rule)
				}
			}
			for _, never := range []string{"push", "publish", "deploy", "release", "delete", "drop", "apply", "merge", "amend", "-c", "$", "`"} {
				if strings.Contains(prefix, never) {
					t.Fatalf("the rule %s", rule)
				}
			}
		}
	})
}
