package policy

import (
	"slices"
	"strings"
	"testing"
)

// gitTestPaths is a simplified path check that allows only non-secret paths inside the project.
func gitTestPaths(name string) *Refusal {
	lower := strings.ToLower(name)
	base := lower[strings.LastIndexByte(lower, '/')+1:]
	switch {
	case strings.Contains(name, ":"), strings.HasSuffix(name, ".") && base != "." && base != "..":
		return refuse(ReasonPath, -1, "not a file name")
	case strings.HasPrefix(name, "/"), strings.HasPrefix(name, "~"), slices.Contains(strings.Split(name, "/"), ".."):
		return refuse(ReasonPath, -1, "outside")
	case strings.HasPrefix(base, ".env"), strings.HasSuffix(base, ".pem"), strings.HasPrefix(lower+"/", ".git/"):
		return refuse(ReasonProtected, -1, "protected")
	}
	return nil
}

// gitTestWords splits a line at spaces, except in single quotes.
func gitTestWords(line string) []string {
	var words []string
	var word strings.Builder
	quoted, begun := false, false
	for _, c := range strings.TrimSpace(line) + " " {
		switch {
		case c == '\'':
			quoted, begun = !quoted, true
		case c == ' ' && !quoted:
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(c)
			begun = true
		}
	}
	return words
}

func TestGitAllowed(t *testing.T) {
	for line := range strings.Lines(gitAllowed) {
		argv := gitTestWords(line)
		if len(argv) == 0 {
			continue
		}
		call, refusal := judgeGit(argv, gitTestPaths, nil)
		if refusal != nil {
			t.Errorf("%q: %v", argv, refusal)
			continue
		}
		want := slices.DeleteFunc(slices.Clone(argv), func(w string) bool { return w == "--no-pager" })
		if i := slices.Index(want, "-C"); i == 1 {
			if call.Dir != want[2] {
				t.Errorf("%q runs in %q", argv, call.Dir)
			}
			want = slices.Delete(want, 1, 3)
		}
		if !slices.Equal(call.Argv, want) && !gitTestRewritten(want) {
			t.Errorf("%q became %q", argv, call.Argv)
		}
		if call.Tool != "git" || call.NeutralDir {
			t.Errorf("%q: %+v", argv, call)
		}
	}
}

// gitTestRewritten reports whether HEAD or ^{commit} is added to the command line.
func gitTestRewritten(argv []string) bool {
	return argv[1] == "shortlog"
}

func TestGitRefused(t *testing.T) {
	for line := range strings.Lines(gitRefused) {
		reason, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if rest == "" {
			continue
		}
		argv := gitTestWords(rest)
		call, refusal := judgeGit(argv, gitTestPaths, nil)
		if refusal == nil {
			t.Errorf("%q is allowed as %q", argv, call.Argv)
			continue
		}
		if string(refusal.Reason) != reason || refusal.Message == "" || refusal.Word >= len(argv) {
			t.Errorf("%q: %v (word %d), want %s", argv, refusal, refusal.Word, reason)
		}
	}
}

func TestGitRowsAreMany(t *testing.T) {
	if n := strings.Count(gitAllowed, "\n") + strings.Count(gitRefused, "\n"); n < 500 {
		t.Errorf("only %d rows: is a table incomplete?", n)
	}
}

func TestGitNulByte(t *testing.T) {
	if _, refusal := judgeGit([]string{"git", "log", "a\x00b"}, gitTestPaths, nil); refusal == nil || refusal.Reason != ReasonText || refusal.Word != 2 {
		t.Errorf("a NUL byte: %v", refusal)
	}
}

func TestGitRefusalNamesTheWord(t *testing.T) {
	for line, word := range map[string]int{
		"git --no-pager log --output=x":       3,
		"git -C src diff -- a .env":           6,
		"git log --since -p":                  3,
		"git log --grep=x -n y":               4,
		"git push":                            1,
		"git branch -v name":                  3,
		"git diff HEAD HEAD:a":                3,
		"git show HEAD HEAD:.env":             3,
		"git config core.pager":               2,
		"git remote show origin":              3,
		"git grep -e x --open-files-in-pager": 4,
	} {
		if _, refusal := judgeGit(gitTestWords(line), gitTestPaths, nil); refusal == nil || refusal.Word != word {
			t.Errorf("%s: %+v, want word %d", line, refusal, word)
		}
	}
}

func TestGitResult(t *testing.T) {
	exclude := []string{".env", "!.env.example", "/secrets/", "**/*.pem", "# note", ""}
	specs := " :(top,exclude,icase,glob)**/.env :(top,exclude,icase,glob)**/.env/** :(top,exclude,icase,glob)**/secrets" +
		" :(top,exclude,icase,glob)**/secrets/** :(top,exclude,icase,glob)**/*.pem :(top,exclude,icase,glob)**/*.pem/**"
	guard := " :(top,exclude,glob)**/.git"
	for line, want := range map[string]string{
		"git status":                      "git status",
		"git log --oneline":               "git log --oneline",
		"git log --stat main":             "git log --stat main",
		"git diff --stat":                 "git diff --stat",
		"git diff --name-only HEAD":       "git diff --name-only HEAD",
		"git diff":                        "git diff --" + specs,
		"git diff --stat -p":              "git diff --stat -p --" + specs,
		"git diff --cached":               "git diff --cached --" + specs,
		"git diff main":                   "git diff main" + guard + specs,
		"git diff main src":               "git diff main src" + guard + specs,
		"git diff abc1234":                "git diff abc1234^{commit}" + guard + specs,
		"git diff -- src":                 "git diff -- src" + specs,
		"git diff --":                     "git diff --" + specs,
		"git log -p":                      "git log --full-history --sparse -p --" + specs,
		"git log -p main..":               "git log --full-history --sparse -p main.." + guard + specs,
		"git log -p main.. --":            "git log --full-history --sparse -p main.. --" + specs,
		"git log -p -- src":               "git log -p -- src" + specs,
		"git log -p src":                  "git log -p src" + guard + specs,
		"git log -S x":                    "git log --full-history --sparse -S x --" + specs,
		"git show":                        "git show --full-history --sparse --" + specs,
		"git show v1":                     "git show --full-history --sparse v1" + guard + specs,
		"git show HEAD -- a":              "git show HEAD -- a" + specs,
		"git show -s HEAD":                "git show -s HEAD",
		"git show -s deadbeef":            "git show -s deadbeef^{commit}",
		"git show --stat v1-3-gdeadbee":   "git show --stat v1-3-gdeadbee^{commit}",
		"git grep x":                      "git grep x --" + specs,
		"git grep -l deadbeef":            "git grep -l deadbeef --" + specs,
		"git grep x src":                  "git grep x src" + guard + specs,
		"git grep -e x deadbeef -- a":     "git grep -e x deadbeef^{commit} -- a" + specs,
		"git blame a":                     "git blame a",
		"git shortlog -sn":                "git shortlog -sn HEAD",
		"git shortlog -sn -- a":           "git shortlog -sn HEAD -- a",
		"git shortlog -sn --all":          "git shortlog -sn --all",
		"git shortlog -sn main":           "git shortlog -sn main",
		"git -C src --no-pager grep -n x": "git grep -n x --" + specs,
	} {
		call, refusal := judgeGit(gitTestWords(line), gitTestPaths, exclude)
		if refusal != nil {
			t.Errorf("%s: %v", line, refusal)
		} else if got := strings.Join(call.Argv, " "); got != want {
			t.Errorf("%s\n got %s\nwant %s", line, got, want)
		}
	}
}

func TestGitDoesNotModifyItsArgument(t *testing.T) {
	argv := []string{"git", "--no-pager", "show", "deadbeef"}
	was := slices.Clone(argv)
	if _, refusal := judgeGit(argv, gitTestPaths, []string{".env"}); refusal != nil || !slices.Equal(argv, was) {
		t.Errorf("%v, %q", refusal, argv)
	}
}

func TestGitHasFlag(t *testing.T) {
	for line, want := range map[string]bool{
		"git -C": true, "git --no-pager": true, "git -c": true, "git --output=x": false, "git --ext-diff": false,
		"git --oneline": true, "git log --oneline": true, "git log --output=x": false, "git log -5": true, "git log -p": true,
		"git log --since=now": true, "git log --since": true, "git log --format=%x00": false, "git log -n": true, "git log --": true,
		"git status --oneline": false, "git status -sb": true, "git branch -D": false, "git -D": true, "git stash list -p": false,
		"git remote show -n": true, "git --no-pager log --graph": true, "git push --force": false, "git -c x=y log -p": false, "git --help": false,
		"git -": false, "git branch --contains": true, "git -O": false, "git --exec-path": false,
	} {
		argv := strings.Fields(line)
		if got := gitHasFlag(argv[:len(argv)-1], argv[len(argv)-1]); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}

func TestGitFormNames(t *testing.T) {
	for _, name := range gitFormNames() {
		form, ok := gitFormOf(name)
		if !ok {
			t.Errorf("%s has no form", name)
		}
		for entry := range strings.FieldsSeq(form.flags) {
			checkGitEntry(t, name, entry)
		}
	}
}

func checkGitEntry(t *testing.T, form, entry string) {
	t.Helper()
	f := parseGitFlag(entry)
	if f.shape != 0 && f.value == "" {
		t.Errorf("%s: %s has no value", form, entry)
	}
	if f.value == strings.ToUpper(f.value) && f.value != "" && !isNumber(f.value) {
		switch f.value {
		case "TEXT", "NUM", "SCORE", "DATE", "LOG", "ATOMS", "KEY", "LETTERS", "WORDS", "REV":
		default:
			t.Errorf("%s: %s has an unknown kind of value", form, entry)
		}
	}
	for name := range strings.SplitSeq(f.names, "|") {
		if len(name) < 2 || name[0] != '-' || len(name) > 2 && name[1] != '-' {
			t.Errorf("%s: %s has the name %q", form, entry, name)
		}
	}
}

func gitFormNames() []string {
	var names []string
	for _, f := range gitForms() {
		names = append(names, f.name)
	}
	return names
}
