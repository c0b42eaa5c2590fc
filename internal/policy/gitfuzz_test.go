package policy

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/internal/testenv"
)

// gitDangerous describes what is wrong with an allowed command line, using rules that are
// independent of the tables.
func gitDangerous(argv []string) string {
	if len(argv) < 2 || argv[0] != "git" || strings.HasPrefix(argv[1], "-") && argv[1] != "--version" {
		return "it has options before the sub-command"
	}
	for _, w := range argv[2:] {
		if w == "--" {
			return ""
		}
		name, _, _ := strings.Cut(w, "=")
		switch name {
		case "--output", "--output-directory", "--ext-diff", "--textconv", "--upload-pack", "--receive-pack", "--exec", "--no-index",
			"--open-files-in-pager", "--config-env", "--git-dir", "--work-tree", "--exec-path", "--super-prefix", "--help", "--show-signature",
			"--stdin", "--contents", "--edit", "--delete", "--force", "--alternate-refs", "--remerge-diff", "--recurse-submodules", "--submodule",
			"--extcmd", "--paginate", "--filters", "--set-upstream-to", "--parseopt", "--sq-quote", "--file":
			// rev-parse has a flag with the same name as a global option, and check-ignore has one
			// with the same name as a diff flag. Both only print.
			if name == "--git-dir" && argv[1] == "rev-parse" || name == "--no-index" && argv[1] == "check-ignore" {
				continue
			}
			return "it has " + w
		}
		if strings.HasPrefix(w, "-O") || strings.HasPrefix(w, "-o") && argv[1] == "diff" || strings.HasPrefix(w, "-f") && argv[1] == "grep" {
			return "it has " + w
		}
		if (name == "--format" || name == "--pretty") && dangerousFormat(w) {
			return "it has the format " + w
		}
	}
	return ""
}

// dangerousFormat reports whether a log format runs the program that checks
// signatures, or prints a control character other than a tab or newline.
func dangerousFormat(format string) bool {
	harmless := regexp.MustCompile(`(?i)%[-+ ]?x(09|0a|[2-6][0-9a-f]|7[0-9a-e])`)
	format = harmless.ReplaceAllString(strings.ReplaceAll(format, "%%", "."), ".")
	return regexp.MustCompile(`%[-+ ]?[xG]`).MatchString(format)
}

// TestGitAllowsOnlyTheTable generates command lines from the flags in all tables, unknown flags and
// operands. In an allowed command line, every flag before "--" must belong to the command's form.
func TestGitAllowsOnlyTheTable(t *testing.T) {
	var flags []string
	for _, name := range gitFormNames() {
		form, _ := gitFormOf(name)
		for entry := range strings.FieldsSeq(form.flags) {
			f := parseGitFlag(entry)
			for n := range strings.SplitSeq(f.names, "|") {
				flags = append(flags, n, n+"="+gitSample(f.value), n+gitSample(f.value))
			}
		}
	}
	flags = append(flags, "--output=x", "--ext-diff", "--textconv", "-O", "--no-index", "--help", "-c", "-Dx", "-f", "--", "-5")
	operands := []string{"HEAD", "main..x", "src", ":(top)a", "HEAD:a", "deadbeef", "-", "--x=y", "../x", ".env", ":!x", "add", "update", "5", "short", "%H"}
	allowed := 0
	testenv.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(gitFormNames()).Draw(t, "form")
		argv := append([]string{"git"}, strings.Fields(name)...)
		argv = append(argv, rapid.SliceOfN(rapid.SampledFrom(append(flags, operands...)), 0, 3).Draw(t, "words")...)
		call, refusal := judgeGit(argv, gitTestPaths, []string{".env"})
		if refusal != nil {
			return
		}
		allowed++
		if why := gitDangerous(call.Argv); why != "" {
			t.Fatalf("%q is allowed: %s", argv, why)
		}
		form, after, _ := findGitForm(call.Argv, 1)
		gitOnlyItsFlags(t, form, call.Argv[after:])
	})
	if allowed == 0 {
		t.Error("nothing was allowed")
	}
}

func gitOnlyItsFlags(t *rapid.T, form gitForm, words []string) {
	for _, w := range words {
		if w == "--" {
			return
		}
		if !strings.HasPrefix(w, "-") || w == "--full-history" || w == "--sparse" {
			continue
		}
		name, _, _ := strings.Cut(w, "=")
		if _, ok := form.find(name); ok {
			continue
		}
		if _, ok := form.find(w[:2]); !ok && !(form.number && isNumber(w[1:])) && !strings.HasPrefix(w, "-committer") {
			t.Fatalf("%s is not in the table", w)
		}
	}
}

// gitSample returns a sample value for a kind, or the first word in a list.
func gitSample(kind string) string {
	switch kind {
	case "TEXT":
		return "text"
	case "NUM":
		return "3"
	case "SCORE":
		return "50"
	case "DATE":
		return "short"
	case "LOG":
		return "%H"
	case "ATOMS":
		return "%(refname)"
	case "KEY":
		return "refname"
	case "LETTERS":
		return "A"
	case "WORDS":
		return ""
	case "REV":
		return "HEAD"
	}
	first, _, _ := strings.Cut(kind, ",")
	return first
}

func FuzzJudgeGit(f *testing.F) {
	for _, table := range []string{gitAllowed, gitRefused} {
		for line := range strings.Lines(table) {
			_, line, _ = strings.Cut(strings.TrimSpace(line), "git ")
			f.Add(strings.Join(gitTestWords(line), "\n"))
		}
	}
	f.Add("log\n--format=%x09")
	f.Fuzz(func(t *testing.T, text string) {
		argv := append([]string{"git"}, strings.Split(text, "\n")...)
		call, refusal := judgeGit(argv, gitTestPaths, []string{".env", "*.pem"})
		if (call == nil) == (refusal == nil) {
			t.Fatalf("%q: %v and %v", argv, call, refusal)
		}
		for i, w := range argv[1:] {
			gitHasFlag(argv[:i+1], w)
		}
		if refusal != nil {
			if refusal.Word >= len(argv) || refusal.Message == "" {
				t.Fatalf("%q: %+v", argv, refusal)
			}
			return
		}
		if why := gitDangerous(call.Argv); why != "" && !gitValueOfFlag(call.Argv, why) {
			t.Fatalf("%q is allowed as %q: %s", argv, call.Argv, why)
		}
		if len(call.Argv) > len(argv)+12 {
			t.Fatalf("%q became %q when checked again", argv, call.Argv)
		}
		if again, refusal := judgeGit(call.Argv, gitTestPaths, nil); refusal != nil || again.Dir != "" {
			t.Fatalf("%q is allowed, but %q is not: %v", argv, call.Argv, refusal)
		}
	})
}

// gitValueOfFlag reports whether the word that gitDangerous found is another flag's value. Only
// values of flags declared with =KEY may begin with a dash.
func gitValueOfFlag(argv []string, why string) bool {
	for i, w := range argv {
		if strings.HasSuffix(why, " "+w) && i > 0 && argv[i-1] == "--sort" {
			return true
		}
	}
	return false
}

func FuzzJudgeVersion(f *testing.F) {
	f.Add("node", "--version")
	f.Add("kubectl", "version --client")
	f.Add("", "")
	f.Fuzz(func(t *testing.T, tool, rest string) {
		call, refusal, asked := judgeVersion(append([]string{tool}, strings.Fields(rest)...))
		if call != nil && (refusal != nil || strings.Contains(tool, "/") || !asked) {
			t.Fatalf("%q %q: %+v %v %v", tool, rest, call, refusal, asked)
		}
	})
}

func BenchmarkJudgeGit(b *testing.B) {
	argv := strings.Fields("git log -p --oneline --since=yesterday -20 main..HEAD")
	exclude := []string{".env*", "*.pem", "*.key", "id_*", ".netrc"}
	for b.Loop() {
		judgeGit(argv, gitTestPaths, exclude)
	}
}
