package transcript

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/internal/body"
	"github.com/vadehq/vade/internal/testenv"
)

// TestCommandsAreShown checks that commands are displayed with enough detail to
// run them again, and without possible secrets.
func TestCommandsAreShown(t *testing.T) {
	for in, want := range map[string]string{
		`env FOO=hunter2 make test`:                                             `env FOO=‹hidden› make test`,
		`make test FOO=hunter2`:                                                 `make test FOO=‹hidden›`,
		`docker run -eFOO=hunter2 img`:                                          `docker run -eFOO=‹hidden› img`,
		`docker build --build-arg FOO=hunter2 .`:                                `docker build --build-arg FOO=‹hidden› .`,
		`curl -sSu admin:hunter2 https://x.example/`:                            `curl -sSu ‹hidden› https://x.example/`,
		`curl -F tok=hunter2 https://x.example/`:                                `curl -F ‹hidden› https://x.example/`,
		`zip -P hunter2 x.zip y`:                                                `zip -P ‹hidden› x.zip y`,
		`7z a -phunter2 x.7z y`:                                                 `7z a -p‹hidden› x.7z y`,
		`smbclient -U bob%hunter2 //x/y`:                                        `smbclient -U ‹hidden› //x/y`,
		`http -a bob:hunter2 x.example`:                                         `http -a ‹hidden› x.example`,
		`ansible-vault encrypt_string hunter2`:                                  `ansible-vault ‹arguments hidden›`,
		`sed -i s/CHANGEME/hunter2/ .env`:                                       `sed ‹arguments hidden›`,
		"tool --pass\u200bword hunter2":                                         `tool --password ‹hidden›`,
		`cmake -DFOO=1 -S . -B out`:                                             `cmake -DFOO=1 -S . -B out`,
		`go test ./... -run TestX -count=1`:                                     `go test ./... -run TestX -count=1`,
		"# first build\n# then test\nmake && make test":                         `make && make test`,
		`docker run -p 80:80 -v ./a:/a img`:                                     `docker run -p 80:80 -v ./a:/a img`,
		`git log --oneline --format=%H -5`:                                      `git log --oneline --format=%H -5`,
		`git commit -m "fix: parse dates (#12)"`:                                `git commit -m "fix: parse dates (#12)"`,
		`NODE_ENV=test npm run build`:                                           `NODE_ENV=test npm run build`,
		`FOO_TOKEN=abc make`:                                                    `FOO_TOKEN=‹hidden› make`,
		`WHATEVER=abc make`:                                                     `WHATEVER=‹hidden› make`,
		`export A=b`:                                                            `export A=‹hidden›`,
		`curl -u me:pw https://x.example/`:                                      `curl -u ‹hidden› https://x.example/`,
		`curl -H "X-Api-Key: 12ab" https://x.example/`:                          `curl -H ‹hidden› https://x.example/`,
		`curl -H "Authorization: Bearer abc" https://x.example/?a=b`:            `curl -H ‹hidden› https://x.example/?a=b`,
		`curl -d '{"password":"x"}' https://x.example/`:                         `curl -d ‹hidden› https://x.example/`,
		`git clone https://me:pw@example.com/x.git`:                             `git clone ‹hidden›`,
		`git clone https://t0k@example.com/x.git`:                               `git clone ‹hidden›`,
		`mysql -uroot -phunter2 -e "select 1" shop`:                             `mysql -uroot -p‹hidden› -e "select 1" shop`,
		`mysqldump --password hunter2 shop`:                                     `mysqldump --password ‹hidden› shop`,
		`mysqldump --password=hunter2 shop`:                                     `mysqldump --password=‹hidden› shop`,
		`redis-cli -a hunter2 ping`:                                             `redis-cli -a ‹hidden› ping`,
		`sshpass -p hunter2 ssh me@host`:                                        `sshpass ‹arguments hidden›`,
		`echo hunter2 | docker login -u me --password-stdin`:                    `echo ‹arguments hidden› | docker login ‹arguments hidden›`,
		`echo 'hunter2' | sudo -S apt-get update`:                               `echo ‹arguments hidden› | sudo -S apt-get update`,
		`printf 'hunter2' > .env`:                                               `printf ‹arguments hidden› >`,
		`gh auth login --with-token <<< hunter2`:                                `gh auth ‹arguments hidden› <<< ‹hidden›`,
		`cat <<EOF > config` + "\nsecret words\nEOF\n":                          `cat ‹input hidden›`,
		`kubectl create secret generic x --from-literal=password=hunter2`:       `kubectl create secret ‹arguments hidden›`,
		`aws configure set aws_secret_access_key hunter2`:                       `aws configure ‹arguments hidden›`,
		`python3 -c 'print("hunter2")'`:                                         `python3 -c 'print("hunter2")'`,
		`bash -lc "echo hunter2"`:                                               `bash -lc "echo hunter2"`,
		`ssh host 'mysql --password hunter2'`:                                   `ssh host ‹hidden›`,
		`password=hunter2 ./deploy.sh`:                                          `password=‹hidden› ./deploy.sh`,
		`foo=hunter2 ./deploy.sh level=3`:                                       `foo=‹hidden› ./deploy.sh level=3`,
		`pass="hunter2 x"; ./run`:                                               `pass=‹hidden›; ./run`,
		`https_proxy=http://me:pw@proxy:80 curl -u me:pw x.example`:             `https_proxy=‹hidden› curl -u ‹hidden› x.example`,
		"tok=\"hunter1\nhunter2\" ./run <<< x":                                  `tok=‹hidden› ./run <<< ‹hidden›`,
		`<<< hunter2 gh x`:                                                      `<<< ‹hidden› gh x`,
		`(tok=hunter2; ./run)`:                                                  `(tok=‹hidden›; ./run)`,
		`env tok=hunter2 ./run && if x; then tok=hunter2 y; fi`:                 `env tok=‹hidden› ./run && if x; then tok=‹hidden› y; fi`,
		`https://me:pw@host.example/run --password hunter2`:                     `‹hidden› --password ‹hidden›`,
		`https://me:pw@host.example/@x/run`:                                     `‹hidden›`,
		`https://me:pw@host.example/run hunter2 .env`:                           `‹arguments hidden›`,
		`version=$(tool --password hunter2) && ./run`:                           `version=‹…›(tool --password ‹hidden›) && ./run`,
		`npm config set _authToken hunter2`:                                     `npm config set _authToken ‹hidden›`,
		`npm config set //registry.example/:_authToken hunter2`:                 `npm config set //registry.example/:_authToken ‹hidden›`,
		`git config github.token hunter2`:                                       `git config github.token ‹hidden›`,
		`pulumi config set --secret dbPassword hunter2`:                         `pulumi config set --secret ‹hidden› ‹hidden›`,
		`curl https://x.example/accessToken -u me:pw`:                           `curl https://x.example/accessToken ‹hidden› ‹hidden›`,
		`$env:API_KEY="hunter2"; $tok = "hunter2"`:                              `‹env›:API_KEY=‹hidden›; ‹tok› = ‹hidden›`,
		`terraform apply -var 'db_password=hunter2' -var 'region=eu'`:           `terraform apply -var db_password=‹hidden› -var 'region=eu'`,
		`sqlplus a/hunter2@db`:                                                  `sqlplus ‹arguments hidden›`,
		`dd if=a of=b && go test ./internal/token ./x`:                          `dd if=a of=b && go test ./internal/token ./x`,
		`cat /home/mira/notes.txt /Users/jun/x C:\Users\ana\x`:                  `cat ~/notes.txt ~/x ~\x`,
		`cc -I/home/mira/x file:///home/mira/y src/users/a.go /tmp/p4/home/b`:   `cc -I~/x file://~/y src/users/a.go /tmp/p4/home/b`,
		`ls /tmp/tmp.Xy12/out /var/folders/ab/cd /etc/hosts /mnt/data/big/f.db`: `ls /tmp/tmp.Xy12/out /var/folders/ab/cd /etc/hosts /mnt/data/big/f.db`,
		`cd /srv/app/src && ls /srv/app /srv/application/x`:                     `cd src && ls . /srv/application/x`,
		"echo \"$HOME ${X:-y} $(date) `id`\"":                                   `echo "‹HOME› ‹X› ‹…›(date) 'id'"`,
		`npm i @scope/pkg && curl -d @data.json https://x.example/`:             `npm i (at)scope/pkg && curl -d (at)data.json https://x.example/`,
	} {
		if got := newRedactor("/srv/app").command(in, 400); got != want {
			t.Errorf("%s\n is shown as %s\n      want %s", in, got, want)
		}
	}
}

// TestProseIsShown checks that prose is displayed without possible secrets.
func TestProseIsShown(t *testing.T) {
	for in, want := range map[string]string{
		"Fix the tokenizer: it drops the last token":               "Fix the tokenizer: it drops the last token",
		"p\u200bassword: hunter2":                                  "password: ‹hidden›",
		"the password is hunter2, use it":                          "the password is ‹hidden› use it",
		"password: correct horse. Then go on":                      "password: ‹hidden› ‹hidden› Then go on",
		"use the token ghp_16C7e42F292c6912E7710c838347Ae17":       "use the token ‹hidden›",
		"my API key = abc123":                                      "my API key = ‹hidden›",
		"log in with PGPASSWORD=x psql":                            "log in with ‹hidden› psql",
		"the token is expired":                                     "the token is expired",
		"see https://me:pw@example.com/x":                          "see ‹hidden›",
		"-----BEGIN KEY-----\nabc\n-----END KEY-----\ndone":        "‹hidden› ‹hidden› ‹hidden› done",
		"!`id` $ARGUMENTS ${x} {{args}} !{id} @{f} @f #file:x <b>": "!'id' ‹ARGUMENTS› ‹x› {args} !(id} (at){f} (at)f # file:x < b>",
		"a\x1b[31mb\u202ec\u200bd\x00e":                            "a[31mbcde",
		"--- x ---":                                                "– x –",
		"cat <<EOF":                                                "cat << EOF",
		"[a](b.md)":                                                "[a] (b.md)",
	} {
		if got := newRedactor("").prose(in, 400); got != want {
			t.Errorf("%q\n is shown as %q\n      want %q", in, got, want)
		}
	}
}

// checkInert fails if text contains anything that some host would expand or run.
func checkInert(t interface{ Errorf(string, ...any) }, text string) {
	for s := range body.Scan(text, body.Options{Names: []string{"x", "id", "a"}}) {
		if s.Kind != body.Text {
			t.Errorf("%v in %q", s.Source(text), text)
		}
	}
	for s := range body.Placeholders(text, body.Options{Names: []string{"x", "a"}}, false) {
		if s.Kind == body.Placeholder {
			t.Errorf("a place for an argument in %q", text)
		}
	}
	for s := range body.Variables(text) {
		if s.Kind == body.Variable {
			t.Errorf("a variable in %q", text)
		}
	}
	n := len(text)
	commands := body.Commands(text, n)
	files := body.Mentions(text, n)
	run, _ := body.Braced(text, "!{", n)
	file, _ := body.Braced(text, "@{", n)
	asked := body.Enclosed(text, "${", "}", n)
	filled := body.Enclosed(text, "{{", "}}", n)
	if len(commands)+len(files)+len(run)+len(file)+len(asked)+len(filled)+len(body.AtPaths(text, n))+len(body.Positions(text))+len(body.Slices(text))+len(body.Names(text)) > 0 {
		t.Errorf("marks of a host in %q", text)
	}
	if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool {
		return r != '\n' && !unicode.IsGraphic(r) || unicode.Is(unicode.Cf, r)
	}) {
		t.Errorf("characters that do not show in %q", text)
	}
}

// TestInert checks that a redacted text contains nothing that a host would expand or run.
func TestInert(t *testing.T) {
	pieces := rapid.SampledFrom([]string{
		"!", "`", "```!", "@", "$", "{", "}", "{{", "}}", "x", "a", "1", "ARGUMENTS", "/", ".", "md", " ", "\n", "#file:", "#",
		"<", ">", "!--", "(", ")", "[", "]", "-", "---", "\u200b", "\x1b", "\u202e", "\\", "\"", "'", ":", "=", "é", "\xff",
		"input:", "${", "$(", "‹", "›", "~",
	})
	testenv.Check(t, func(t *rapid.T) {
		raw := strings.Join(rapid.SliceOfN(pieces, 0, 40).Draw(t, "text"), "")
		r := newRedactor("/srv/app")
		for _, text := range []string{r.prose(raw, 200), r.command(raw, 200), r.word(raw)} {
			checkInert(t, text)
			if strings.Contains(text, "\n") || utf8.RuneCountInString(text) > 200 {
				t.Errorf("%q is not one line", text)
			}
		}
	})
}

// planted generates a secret, together with commands and sentences that contain it in ways that are
// typical for real sessions.
func planted(t *rapid.T) (secret string, commands, prose []string) {
	letters := func(set string, n int) string {
		return rapid.StringOfN(rapid.RuneFrom([]rune(set)), n, n, n).Draw(t, "letters")
	}
	const alnum = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
	looks := rapid.Bool().Draw(t, "looks like one")
	if looks {
		// This looks like a secret in any context.
		body := "a1B2" + letters(alnum, 28) + "9z8Y"
		secret = rapid.SampledFrom([]string{"ghp_", "sk-proj-", "glpat-", "xoxb-", "AKIA", "npm_", "eyJ", ""}).Draw(t, "prefix") + body
		commands = append(commands, "deploy-tool "+secret, "curl https://api.example.com/x/"+secret, "tool --thing "+secret+" run", "git commit -m 'add "+secret+" to it'", "make KEYLESS="+secret, `python3 -c "f('`+secret+`')"`)
		prose = append(prose, "take "+secret+" for it", "it printed "+secret+", what now?", "("+secret+")")
	} else {
		// Only the surrounding text shows that this is a secret.
		secret = "q" + letters("abcdefghijkmnop", 5) + letters("23456789", 2) + letters("xyzw", 2)
	}
	for _, form := range []string{
		"API_TOKEN=%s make", "env DB_PASSWORD=%s make", "export GITHUB_TOKEN=%s && gh pr list", "curl -u me:%s https://x.example/", `curl -H "Authorization: Bearer %s" https://x.example/`,
		`curl -H 'X-Api-Key: %s' https://x.example/`, `curl --data '{"password": "%s"}' https://x.example/`, "curl 'https://x.example/?access_token=%s&b=1'", "git clone https://me:%s@example.com/r.git", "git clone https://%s@example.com/r.git",
		"mysql -uroot -p%s shop", "mysql --password=%s shop", "mysql --password %s shop", "psql postgres://shop:%s@db.example.com/shop", "redis-cli -a %s ping", "sshpass -p %s ssh me@x.example", "echo %s | docker login -u me --password-stdin",
		"echo '%s' | sudo -S make install", "gh auth login --with-token <<< %s", "printf 'TOKEN=%s' > .env", "echo %s > .netrc", "kubectl create secret generic x --from-literal=password=%s", "aws configure set aws_secret_access_key %s",
		"npm config set //registry.example.com/:_authToken=%s", "ssh x.example 'mysql --password %s'", "cat > .env <<EOF\nDB_PASSWORD=%s\nEOF", `python3 -c "connect(password='%s')"`, "vault kv put kv/x password=%s", "FOO=%s BAR=1 ./run.sh", "docker run -e DB_PASSWORD=%s img",
		"openssl enc -aes-256-cbc -pass pass:%s -in x", "tool --api-key %s", "tool --api-key=%s", "tool --client-secret '%s'", "gpg --passphrase %s -d x.gpg", "export A=1; export PGPASSWORD=%s", "(cd x && API_KEY=%s make)", "for i in 1 2; do TOKEN=%s ./x; done",
		"password=%s ./deploy.sh", "for i in 1 2; do tok=%s ./x; done", `pass="%s"; ./run`, "https_proxy=http://me:%s@proxy.example:80 curl x.example", "(token=%s; ./run)",
		"https://me:%s@x.example/run", "npm config set _authToken %s", "npm config set //registry.example/:_authToken %s", "pulumi config set --secret dbPassword %s",
		`$env:API_KEY="%s"`, `$env:API_KEY = "%s"`, "terraform apply -var 'db_password=%s'", "sqlplus a/%s@db",
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

// transcriptOf writes a session in the given format.
func transcriptOf(format string, messages, commands []string, failed []bool, said string) string {
	var b strings.Builder
	for i := range max(len(messages), len(commands)) {
		if i < len(messages) {
			switch format {
			case "claude-code":
				fmt.Fprintf(&b, `{"type":"user","uuid":"u%d","cwd":"/home/mira/src/app","message":{"content":%s}}`+"\n", i, quoteJSON(messages[i]))
			case "codex":
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
		case "claude-code":
			fmt.Fprintf(&b, `{"type":"assistant","uuid":"a%d","message":{"content":[{"type":"tool_use","id":"t%d","name":"Bash","input":{"command":%s}}]}}`+"\n", i, i, quoteJSON(c))
			fmt.Fprintf(&b, `{"type":"user","uuid":"r%d","message":{"content":[{"type":"tool_result","tool_use_id":"t%d","is_error":%v,"content":%s}]}}`+"\n", i, i, status > 0, quoteJSON(said))
		case "codex":
			fmt.Fprintf(&b, `{"type":"response_item","payload":{"type":"function_call","name":"shell_command","call_id":"c%d","arguments":%s}}`+"\n", i, quoteJSON(`{"command":`+quoteJSON(c)+`}`))
			fmt.Fprintf(&b, `{"type":"response_item","payload":{"type":"function_call_output","call_id":"c%d","output":%s}}`+"\n", i, quoteJSON(fmt.Sprintf("Exit code: %d\nWall time: 1 seconds\nOutput:\n%s", status, said)))
		default:
			fmt.Fprintf(&b, "$ %s\n%s\nexit code: %d\n\n", strings.ReplaceAll(c, "\n", " "), said, status)
		}
	}
	return b.String()
}

// TestNoSecretIsKept plants a secret in sessions in every format, and looks for it in all drafts
// made from these sessions.
func TestNoSecretIsKept(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		secret, commands, prose := planted(t)
		format := rapid.SampledFrom(Formats()).Draw(t, "format")
		if format == "plain" {
			// This format does not support here-documents.
			for i, c := range commands {
				commands[i] = strings.ReplaceAll(c, "<<EOF", "> x")
			}
		}
		ms := rapid.SliceOfN(rapid.SampledFrom(append(prose, "fix it", "no, use make instead")), 1, 5).Draw(t, "messages")
		cs := rapid.SliceOfN(rapid.SampledFrom(append(commands, "go test ./...", "make")), 1, 8).Draw(t, "commands")
		text := transcriptOf(format, ms, cs, rapid.SliceOfN(rapid.Bool(), 1, 4).Draw(t, "failed"), "created token "+secret)
		d, err := Skillify(t.Context(), strings.NewReader(text), SkillifyRequest{File: "x"})
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		for _, out := range []string{d.Text, string(data)} {
			if strings.Contains(out, secret) || strings.Contains(out, "mira") {
				t.Fatalf("%q is in what is drafted from\n%s\n%s", secret, text, out)
			}
		}
	})
}
