package transcript

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/internal/body"

	"github.com/vadehq/vade/internal/testenv"
)

// TestCommandsAreShown asserts what is shown of commands: enough to run them again, and
// nothing that may be a secret.
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
		`smbclient -U bob%hunter2 //x/y`:                                        `smbclient -U ‹hidden› ‹path›/y`,
		`http -a bob:hunter2 x.example`:                                         `http -a ‹hidden› x.example`,
		`ansible-vault encrypt_string hunter2`:                                  `ansible-vault ‹arguments left out›`,
		`sed -i s/CHANGEME/hunter2/ .env`:                                       `sed ‹arguments left out›`,
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
		`export A=b`:                                                            `export ‹arguments left out›`,
		`curl -u me:pw https://x.example/`:                                      `curl -u ‹hidden› https://x.example/`,
		`curl -H "X-Api-Key: 12ab" https://x.example/`:                          `curl -H ‹hidden› https://x.example/`,
		`curl -H "Authorization: Bearer abc" https://x.example/?a=b`:            `curl -H ‹hidden› https://x.example/?…`,
		`curl -d '{"password":"x"}' https://x.example/`:                         `curl -d ‹hidden› https://x.example/`,
		`git clone https://me:pw@example.com/x.git`:                             `git clone ‹hidden›`,
		`git clone https://t0k@example.com/x.git`:                               `git clone ‹hidden›`,
		`mysql -uroot -phunter2 -e "select 1" shop`:                             `mysql -uroot -p‹hidden› -e ‹script left out› shop`,
		`mysqldump --password hunter2 shop`:                                     `mysqldump --password ‹hidden› shop`,
		`mysqldump --password=hunter2 shop`:                                     `mysqldump --password=‹hidden› shop`,
		`redis-cli -a hunter2 ping`:                                             `redis-cli -a ‹hidden› ping`,
		`sshpass -p hunter2 ssh me@host`:                                        `sshpass ‹arguments left out›`,
		`echo hunter2 | docker login -u me --password-stdin`:                    `echo ‹arguments left out›|docker login ‹arguments left out›`,
		`echo 'hunter2' | sudo -S apt-get update`:                               `echo ‹arguments left out›|sudo -S apt-get update`,
		`printf 'hunter2' > .env`:                                               `printf ‹arguments left out› >`,
		`gh auth login --with-token <<< hunter2`:                                `gh auth ‹arguments left out›<<< ‹hidden›`,
		`cat <<EOF > config` + "\nsecret words\nEOF\n":                          `cat ‹input left out›`,
		`kubectl create secret generic x --from-literal=password=hunter2`:       `kubectl create secret ‹arguments left out›`,
		`aws configure set aws_secret_access_key hunter2`:                       `aws configure ‹arguments left out›`,
		`python3 -c 'print("hunter2")'`:                                         `python3 -c ‹script left out›`,
		`bash -lc "echo hunter2"`:                                               `bash -lc ‹script left out›`,
		`ssh host 'mysql --password hunter2'`:                                   `ssh host ‹hidden›`,
		`cat /home/mira/notes.txt /Users/jun/x C:\Users\ana\x`:                  `cat ~/notes.txt ~/x ~\x`,
		`ls /tmp/tmp.Xy12/out /var/folders/ab/cd /etc/hosts /mnt/data/big/f.db`: `ls ‹temp› ‹temp› /etc/hosts ‹path›/f.db`,
		`cd /srv/app/src && ls /srv/app /srv/application/x`:                     `cd src && ls . ‹path›/x`,
		"echo \"$HOME ${X:-y} $(date) `id`\"":                                   `echo "‹HOME› ‹X› ‹…›(date) 'id'"`,
		`npm i @scope/pkg && curl -d @data.json https://x.example/`:             `npm i (at)scope/pkg && curl -d (at)data.json https://x.example/`,
	} {
		c := &cleaner{dir: "/srv/app"}
		got := c.command(in, 400)
		squeeze := func(s string) string {
			return strings.NewReplacer(" ", "").Replace(s)
		}
		if squeeze(got) != squeeze(want) {
			t.Errorf("%s\n is shown as %s\n      want %s", in, got, want)
		}
	}
}

// TestProseIsShown asserts the same of what people write.
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
		"!`id` $ARGUMENTS ${x} {{args}} !{id} @{f} @f #file:x <b>": "!'id' ‹ARGUMENTS› ‹x› { {args} } !(id} (at){f} (at)f # file:x ‹b>",
		"a\x1b[31mb\u202ec\u200bd\x00e":                            "a[31mbcde",
		"--- x ---":                                                "– x –",
		"[a](b.md)":                                                "[a] (b.md)",
	} {
		if got := (&cleaner{}).prose(in, 400); got != want {
			t.Errorf("%q\n is shown as %q\n      want %q", in, got, want)
		}
	}
}

// checkInert fails where a text has anything that the rules of some host heed.
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

// TestNothingIsHeeded asserts that no text whatever has a mark left that a host heeds.
func TestNothingIsHeeded(t *testing.T) {
	pieces := rapid.SampledFrom([]string{"!", "`", "```!", "@", "$", "{", "}", "{{", "}}", "x", "a", "1", "ARGUMENTS", "/", ".", "md", " ", "\n", "#file:", "#", "<", ">", "!--", "(", ")", "[", "]", "-", "---", "\u200b", "\x1b", "\u202e", "\\", "\"", "'", ":", "=", "é", "\xff", "input:", "${", "$(", "‹", "›", "~"})
	testenv.Check(t, func(t *rapid.T) {
		raw := strings.Join(rapid.SliceOfN(pieces, 0, 40).Draw(t, "text"), "")
		c := &cleaner{dir: "/srv/app"}
		for _, text := range []string{c.prose(raw, 200), c.command(raw, 200), c.path(raw)} {
			checkInert(t, text)
			if strings.Contains(text, "\n") || utf8.RuneCountInString(text) > 200 {
				t.Errorf("%q is no line", text)
			}
			if v := oneValue(text); strings.ContainsAny(v, "<>\"\\") || strings.Contains(v, "--") {
				t.Errorf("%q can not stand in a field", v)
			}
		}
	})
}
