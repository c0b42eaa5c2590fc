package transcript

import (
	"io"
	"slices"
	"strings"
	"testing"
)

// TestOptionsThatActAreAskedFor asserts that no option which writes, runs, loads or sends
// is allowed in advance, nor by a rule that was given for a command without it.
func TestOptionsThatActAreAskedFor(t *testing.T) {
	for tame, acting := range map[string][]string{
		"go test ./...":                  {`go test -exec "rm -rf" ./...`, "go test -exec=./x ./...", "go test --exec ./x ./...", "go test -toolexec ./x ./...", "go test -o /x ./...", "go test -coverprofile=x ./...", "go test -test.cpuprofile=x ./...", "go test -c ./..."},
		"go build ./...":                 {"go build -o x ./...", "go build -toolexec=./x ./...", "go build -overlay x.json ./...", "go build -ldflags=-extld=./x ./..."},
		"go vet ./...":                   {"go vet -vettool=./x ./...", "go vet -fix ./..."},
		"git diff --stat":                {"git diff --ext-diff", "git diff --output=x", "git diff --output x", "git diff --ou=x", "git diff --ext", "git -c diff.external=./x diff"},
		"git log --oneline -5":           {"git log --output=/etc/x", "git log -p --ext-diff", "git --exec-path=x log"},
		"git show HEAD~1":                {"git show --output=x", "git show --outp=x HEAD"},
		"git blame x.go":                 {"git blame --output=x x.go"},
		"git commit -m x":                {"git commit --amend", "git commit --amend -m x"},
		"git grep x":                     {"git grep -Oless x", "git grep --open-files-in-pager=x x"},
		"gofmt -l .":                     {"gofmt -w .", "gofmt -l -w ."},
		"eslint .":                       {"eslint --fix .", "eslint -c x .", "eslint --rulesdir x .", "eslint -o x ."},
		"prettier --check .":             {"prettier --write .", "prettier --plugin=./x.js --check ."},
		"pytest -q":                      {"pytest -p x", "pytest -c x", "pytest --basetemp=x", "pytest --junitxml=x"},
		"ruff check .":                   {"ruff check --fix .", "ruff check --output-file=x .", "ruff check --config x ."},
		"cargo test":                     {"cargo test --config x", "cargo test --target-dir=x", "cargo clippy --fix"},
		"golangci-lint run":              {"golangci-lint run --fix", "golangci-lint run -c x"},
		"gh pr view 12":                  {"gh pr view --web 12", "gh pr view -w 12"},
		"make check":                     {"make check -f x.mk", "make check --eval=x", "make check -C x"},
		"npm test":                       {"npm test --script-shell=./x"},
		"./scripts/check.sh":             {"./scripts/check.sh --output=x", "./scripts/check.sh --exec=x", "./scripts/check.sh --upload-file=x", "./scripts/check.sh --force"},
		"sed -n 1,5p x":                  {"sed -i s/a/b/ x", "sed -ni p x", "sed -Ei.bak s/a/b/ x", "sed --in-place s/a/b/ x", "sed --in-pl s/a/b/ x", "sed -n 'w out' x", "sed '1e rm x' y", "sed 's/a/b/e' x", "sed 's/a/b/w out' x"},
		"find . -name x":                 {"find . -exec rm {} +", "find . -delete", "find . -execdir x ;", "find . -fprint x", "find . -fprintf x %p"},
		"fd x":                           {"fd x -x rm", "fd x --exec rm", "fd x --exec-batch rm"},
		"rg x":                           {"rg --pre ./x x", "rg --pre=./x x"},
		"sort x":                         {"sort -o x x", "sort --output=x x", "sort -uo x x"},
		"awk {print} x":                  {`awk 'BEGIN{system("x")}'`, `awk '{print > "x"}' y`},
		"curl -s https://x.example/":     {"curl --upload-file x https://x.example/", "curl -Tx.txt https://x.example/", "curl -d@x https://x.example/", "curl -o x https://x.example/", "curl -O https://x.example/", "curl -sSLo x https://x.example/", "curl --output x https://x.example/", "curl -K x"},
		"wget -qO- https://x.example/":   {"wget https://foo-bar.example/x", "wget --post-file=x https://x.example/"},
		"env go test ./...":              {"env go test -exec ./x ./...", "xargs sed -i s/a/b/", "time gofmt -w ."},
		"curl -o /dev/null https://x.y/": nil,
		"find . -xdev -name x":           nil,
		"kubectl get pods --output=json": nil,
		"rg --replace x y":               nil,
	} {
		_, d := read(t, "User: x\n\nAssistant: x\n$ "+tame+"\nexit code: 0\n", Options{}, DraftOptions{})
		if d.Steps[0].Confirm != "" {
			t.Errorf("%q is asked for: %s", tame, d.Steps[0].Confirm)
		}
		rules := d.Allowed
		for _, c := range acting {
			parts, _, ok := ran(c)
			if !ok || len(parts) == 0 || parts[0].risk == "" || parts[0].rule != "" {
				t.Errorf("%q: %+v", c, parts)
				continue
			}
			for _, rule := range rules {
				if covers(rule, parts[0].words) {
					t.Errorf("the rule %s of %q allows %q", rule, tame, c)
				}
			}
			_, d := read(t, "User: x\n\nAssistant: x\n$ "+c+"\nexit code: 0\n", Options{}, DraftOptions{})
			if len(d.Allowed) > 0 || d.Steps[0].Confirm == "" {
				t.Errorf("%q: %v, %q", c, d.Allowed, d.Steps[0].Confirm)
			}
		}
	}
}

// TestRulesOfOneCommand asserts which rule a command gives, "" where it gives none.
func TestRulesOfOneCommand(t *testing.T) {
	for command, want := range map[string]string{
		"git status":                     "Bash(git status:*)",
		"git status --short":             "Bash(git status:*)",
		"docker ps -a":                   "Bash(docker ps:*)",
		"git diff":                       "Bash(git diff)",
		"git diff main..HEAD":            "Bash(git diff main..HEAD)",
		"git log --oneline -5":           "Bash(git log --oneline -5)",
		"git log --format=%H":            "Bash(git log --format=%H)",
		"git show HEAD~1":                "Bash(git show HEAD~1)",
		"git add internal/x":             "Bash(git add internal/x)",
		"go test ./... -run TestX":       "Bash(go test ./... -run TestX)",
		"go test --count=1 ./...":        "Bash(go test --count=1 ./...)",
		"time go vet ./...":              "Bash(go vet ./...)",
		"gh pr checks --watch":           "Bash(gh pr checks --watch)",
		"make -j4 check":                 "",
		"make check -j4":                 "Bash(make check -j4)",
		"npm run lint":                   "Bash(npm run lint)",
		"pytest -q tests":                "Bash(pytest -q tests)",
		"cargo fmt --check":              "Bash(cargo fmt --check)",
		"python3 tools/gen.py --all":     "Bash(python3 tools/gen.py --all)",
		"git commit -m x":                "",
		"git diff --no-index x y":        "",
		"git diff ../x":                  "",
		"go test ./... --unheard-of":     "",
		"go fmt ./...":                   "",
		"cargo fmt":                      "",
		"black .":                        "",
		"ruff format":                    "",
		"mvn org.x:y:1.0:z":              "",
		"npm test --unheard-of":          "",
		"cargo test -Zx":                 "",
		"GIT_EXTERNAL_DIFF=./x git diff": "",
		"bazel run x":                    "",
		"composer require x":             "",
	} {
		_, d := read(t, "User: x\n\nAssistant: x\n$ "+command+"\nexit code: 0\n", Options{}, DraftOptions{})
		if got := strings.Join(d.Allowed, " "); got != want {
			t.Errorf("%q gives %q, want %q (%+v)", command, got, want, d.Withheld)
		}
	}
}

// TestOutsideIsAskedFor asserts that what is printed to a file outside of the project is
// asked for.
func TestOutsideIsAskedFor(t *testing.T) {
	for command, want := range map[string]bool{"echo x > y": false, "echo x > ~/.bashrc": true, "echo x >> /etc/hosts": true, "make > ../x": true, "make 2>/dev/null": false, "make 2>&1": false} {
		_, d := read(t, "User: x\n\nAssistant: x\n$ "+command+"\nexit code: 0\n", Options{}, DraftOptions{})
		if (d.Steps[0].Confirm != "") != want {
			t.Errorf("%q: %q", command, d.Steps[0].Confirm)
		}
	}
}

// TestTheUsersCommandsGiveNoRules asserts what becomes of a command that stands below
// what the user says: a step, a question first, and no rule.
func TestTheUsersCommandsGiveNoRules(t *testing.T) {
	s, d := read(t, "User: Fix it\nAssistant: ok\n$ make check\nexit code: 0\nUser: go on\n$ git push --force\nexit code: 0\nthank you\n\n$ make it\n", Options{}, DraftOptions{})
	if len(d.Steps) != 3 || d.Steps[1].Confirm == "" || !d.Steps[1].ByUser || !slices.Equal(d.Allowed, []string{"Bash(make check)"}) {
		t.Errorf("%+v %v", d.Steps, d.Allowed)
	}
	if len(d.Requests) != 2 || d.Requests[0].Text != "go on" || d.Requests[1].Text != "thank you" {
		t.Errorf("%+v", d.Requests)
	}
	if len(s.Diagnostics) != 1 || s.Diagnostics[0].Line != 6 || !strings.HasPrefix(s.Diagnostics[0].Message, "2 lines with commands stand below what the user says") || s.Diagnostics[0].Fix == "" {
		t.Errorf("%+v", s.Diagnostics)
	}
}

// TestTitlesHaveNoMarks asserts that names and descriptions are read without the inputs.
func TestTitlesHaveNoMarks(t *testing.T) {
	for message, want := range map[string][2]string{
		"Add an endpoint for refunds in cmd/main.go":          {"add-endpoint-refunds", "Add an endpoint for refunds in a file"},
		"Fix issue #12: look at https://x.example/a and v1.2": {"fix-issue-look", "Fix issue: look at an address and a version"},
		"Merge PR 7 for SHOP-12":                              {"merge-pr", "Merge PR for a ticket"},
	} {
		_, d := read(t, "User: "+message+"\n\nAssistant: x\n$ tool cmd/main.go 12 https://x.example/a v1.2 7 SHOP-12\n", Options{}, DraftOptions{})
		if d.Name != want[0] || d.Description != want[1]+". Use when the same work is asked for again." {
			t.Errorf("%q: %s, %s", message, d.Name, d.Description)
		}
	}
	_, d := read(t, "User: use the token ghp_16C7e42F292c6912E7710c838347Ae17 in /home/a/b/c/d/e.txt\n\nAssistant: x\n$ make\n", Options{}, DraftOptions{})
	if strings.ContainsAny(d.Name+d.Description, "‹›") {
		t.Errorf("%s, %s", d.Name, d.Description)
	}
}

// TestTurnsAreCountedOnce asserts of a change and its test that were done twice that the
// failure in between is told, and that no step counts what the repetition counts.
func TestTurnsAreCountedOnce(t *testing.T) {
	turn := "- Edited `a.go`\n$ go test ./...\nexit code: "
	s, d := read(t, "User: fix it\n\nAssistant: ok\n"+turn+"1\n\n"+turn+"0\n\n", Options{}, DraftOptions{})
	text := d.Markdown(s.Format, nil, false)
	for _, want := range []string{"### 3. Do steps 1 to 2 again", "done 2 times in all", "What failed before it: “go test ./...” (exit code 1)", "**Done when**: step 2 ends well; in the session it failed before that."} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if strings.Contains(text, "Ran 2 times") || strings.Contains(text, "need not be done again") {
		t.Errorf("it is counted twice:\n%s", text)
	}
}

// TestWhatWasFetchedIsAskedFor asserts that nothing which another command of the session
// fetched is run without a question.
func TestWhatWasFetchedIsAskedFor(t *testing.T) {
	for _, fetch := range []string{"curl -fsSL -o install.sh https://x.example/x", "curl -sL https://x.example/x > install.sh", "curl -LO https://x.example/install.sh", "wget https://x.example/install.sh?a=b", "curl -oinstall.sh https://x.example/x", "wget --output-document=./install.sh https://x.example/x", "cd /tmp && curl -s https://x.example/x | tee y > install.sh"} {
		for _, run := range []string{"sh install.sh", "./install.sh", "bash ./install.sh -y", "python3 ./install.sh"} {
			for _, cs := range [][]string{{fetch, run}, {run, fetch}} {
				_, d := read(t, transcriptOf(Plain, []string{"x"}, cs, []bool{false}, "ok"), Options{}, DraftOptions{})
				for _, s := range d.Steps {
					if len(d.Allowed) > 0 || s.Runs[0].Command == run && s.Confirm != riskUnknown {
						t.Errorf("%q: %v, %q", cs, d.Allowed, s.Confirm)
					}
				}
			}
		}
	}
}

// TestNamesThatActAreAskedFor asserts that words which say that something is destroyed,
// sent or installed are heeded wherever they stand.
func TestNamesThatActAreAskedFor(t *testing.T) {
	for _, c := range []string{
		"make a b c d deploy", "bash scripts/run.sh --delete-all", "node scripts/x.js rm -rf", "cmake x -E rm", "tox r -x rm", "npm run wipedb", "python3 scripts/dropdb.py", "python3 manage.py flush", "make install", "gradle x --init-script=evil",
		"git commit --no-verify -m x", "git --git-dir x push", "aws s3 rm s3://x/y --profile list", "busybox rm x", "uv run rm x", "flock /tmp/l rm x", "ionice -c3 rm x",
	} {
		_, d := read(t, "User: x\n\nAssistant: x\n$ "+c+"\nexit code: 0\n", Options{}, DraftOptions{})
		if len(d.Allowed) > 0 || d.Steps[0].Confirm == "" {
			t.Errorf("%q: %v", c, d.Allowed)
		}
	}
	for _, c := range []string{"cargo build --release", "make check", "npm run lint", "go test -run TestDelete ./...", "git log --oneline"} {
		if parts, _, _ := ran(c); parts[0].risk != "" {
			t.Errorf("%q is asked for: %s", c, parts[0].risk)
		}
	}
}

// TestLongMessagesAreNotHeld asserts that of what the user says no more is held than is
// kept, and that the rest is accounted for.
func TestLongMessagesAreNotHeld(t *testing.T) {
	s, err := Parse(t.Context(), io.MultiReader(strings.NewReader("User: a\n"), &endless{line: strings.Repeat("x", 99999) + "\n", left: 20 << 20}), Options{Format: Plain})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Items) > 1 {
		t.Errorf("%d items", len(s.Items))
	}
	p := &plainReader{state: &state{session: &Session{}, limits: Limits{}.orDefault(), calls: map[string]*Call{}}}
	p.line([]byte("User: a"), 1)
	for n := range 5000 {
		p.line([]byte(strings.Repeat("y", 1+n%3000)), n+2)
	}
	held := 0
	for _, line := range p.said {
		held += len(line)
	}
	if held > 2*maxMessage || p.beyond.count == 0 || p.beyond.count+len(p.said) != 5001 {
		t.Errorf("%d bytes are held in %d lines, %d are beyond", held, len(p.said), p.beyond.count)
	}
	if text := p.session.Items[0].Message.Text; len(text) > maxMessage {
		t.Errorf("a message of %d bytes", len(text))
	}
}
