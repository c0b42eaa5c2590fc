package cli

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/docs"
	"github.com/vadehq/vade/internal/terminal"
)

// replaced maps each expression that user-visible text must not contain to its replacement.
var replaced = map[string]string{
	`can not`:                                     "cannot",
	`\bmend(s|ed|ing)?\b`:                         "fix, repair",
	`small letters?|\bcapitals\b`:                 "lowercase, uppercase",
	`\bblanks\b`:                                  "spaces, whitespace",
	`\bstand(s|ing)? (in|beside|behind)\b`:        "is in, is next to, comes after",
	`\btruth values?\b`:                           "boolean",
	`\bheed(s|ed|ing)?\b`:                         "honor",
	`\bin force\b`:                                "active",
	`\b(give|gives|grant|grants|no|the) leave\b`:  "allow",
	`\bconsent(s|ed)?\b`:                          "approval, approve",
	`\bcarr(y|ies|ied) along\b`:                   "include",
	`\bwalls\b|unwalled`:                          "sandbox",
	`\bin the way\b`:                              "conflict",
	`\bin step\b`:                                 "up to date",
	`\bnamed so\b`:                                "unknown NAME",
	`\b(it|that|this|which|value) is no [a-km-z]`: "is not a",
}

// commandOf matches a vade command mentioned in text.
var commandOf = regexp.MustCompile("(?:^|[^/.a-zA-Z-])vade ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?")

// stamp matches the first line of one of Vade's own formats, which is hashed or
// stored but never shown.
var stamp = regexp.MustCompile(`^vade [a-z]+ (of )?[0-9]`)

// docsFile matches a path in the repository's docs directory.
var docsFile = regexp.MustCompile(`(?:^|[ (])docs/[a-z/-]+\.md`)

// text is a user-visible string and the file or command that it comes from.
type text struct {
	from, text string
	// message marks a complete message, which must not end in a period.
	message bool
}

// TestWords checks that user-visible text does not contain discouraged words or mention nonexistent
// commands and topics, and that messages do not refer to repository files or end in a period.
func TestWords(t *testing.T) {
	var words []*regexp.Regexp
	for expr := range replaced {
		words = append(words, regexp.MustCompile("(?i)"+expr))
	}
	root := treeFor()
	known := append(helpNames(root), "help", "ls", "why")
	topics := append(topics(), "cursor", "topics")
	for _, x := range slices.Concat(sourceTexts(t), helpTexts(root), pageTexts(t)) {
		for _, w := range words {
			if found := w.FindString(x.text); found != "" && !quotes(x.from, found) {
				t.Errorf("%s: %q in %q: write %s", x.from, found, excerpt(x.text, found), replaced[strings.TrimPrefix(w.String(), "(?i)")])
			}
		}
		for _, m := range commandOf.FindAllStringSubmatch(x.text, -1) {
			if stamp.MatchString(x.text) {
				continue
			}
			if !slices.Contains(known, m[1]) && !strings.HasPrefix(x.from, "docs/") {
				t.Errorf("%s: no command is called %q: %q", x.from, m[1], excerpt(x.text, m[0]))
			}
			if m[1] == "help" && m[2] != "" && !slices.Contains(topics, m[2]) && !slices.Contains(known, m[2]) {
				t.Errorf("%s: no help topic is called %q", x.from, m[2])
			}
		}
		if strings.HasSuffix(x.from, ".go") && docsFile.MatchString(x.text) {
			t.Errorf("%s: %q names a file that users do not have: name a help topic", x.from, x.text)
		}
		if x.message && strings.HasSuffix(x.text, ".") && !strings.HasSuffix(x.text, "..") {
			t.Errorf("%s: %q ends in a period", x.from, x.text)
		}
	}
}

// quotes reports whether a file may contain a discouraged word. "Consent" is allowed in the audit,
// which detects actions without consent, and in a digest, whose input must not change. "Blanks" is
// part of one of sort's flags.
func quotes(from, word string) bool {
	word = strings.ToLower(word)
	switch {
	case strings.HasPrefix(word, "consent"):
		return strings.HasPrefix(from, "internal/audit/") || from == "internal/trust/digest.go"
	case word == "blanks":
		return from == "internal/coreutils/programs.go"
	}
	return false
}

// excerpt returns the line that contains a word.
func excerpt(text, word string) string {
	for line := range strings.Lines(text) {
		if strings.Contains(line, word) {
			return strings.TrimSpace(line)
		}
	}
	return word
}

// TestHelpFits checks every command's help: its width, examples, exit codes, and sentence form.
func TestHelpFits(t *testing.T) {
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		fits(t, c.CommandPath(), helpOf(c), defaultWidth)
		fits(t, c.CommandPath(), commandList(c, inspectGroup, 50), 50)
		if c.Example == "" && !c.HasSubCommands() {
			t.Errorf("%s has no example", c.CommandPath())
		}
		if strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s: the summary %q ends in a period", c.CommandPath(), c.Short)
		}
		for paragraph := range strings.SplitSeq(c.Long, "\n\n") {
			// Tables are indented, so they are skipped.
			if paragraph != "" && !strings.HasPrefix(paragraph, " ") && !strings.HasSuffix(paragraph, ".") && !strings.HasSuffix(paragraph, ":") {
				t.Errorf("%s: the paragraph %q does not end in a period", c.CommandPath(), paragraph)
			}
		}
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(treeFor())
}

// TestTopicsFit checks the width of the help topics.
func TestTopicsFit(t *testing.T) {
	for _, name := range topics() {
		text, _ := topic(name, defaultWidth)
		fits(t, name, text, defaultWidth)
	}
}

// fits reports lines of text that are longer than width.
func fits(t *testing.T, name, text string, width int) {
	t.Helper()
	for line := range strings.Lines(text) {
		if n := terminal.Width(strings.TrimSuffix(line, "\n")); n > width {
			t.Errorf("%s: %d columns: %q", name, n, line)
		}
	}
}

// helpOf returns a command's help as users see it.
func helpOf(c *cobra.Command) string {
	var b bytes.Buffer
	a := &app{world: World{Stdout: &b, LookupEnv: func(string) (string, bool) { return "", false }}}
	a.printHelp(c)
	return b.String()
}

func helpTexts(c *cobra.Command) []text {
	list := []text{{from: c.CommandPath(), text: helpOf(c)}}
	for _, sub := range c.Commands() {
		list = append(list, helpTexts(sub)...)
	}
	return list
}

// pageTexts returns the help topics, the rule and code pages, and the bundled skills.
func pageTexts(t *testing.T) []text {
	list := []text{{from: "docs/codes.txt", text: docs.Codes}}
	for dir, files := range map[string]fs.FS{
		"docs/": docs.Topics, "docs": docs.Rules, "internal/bundled/": os.DirFS("../bundled"), "internal/audit/rules/": os.DirFS("../audit/rules"),
	} {
		err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(name) != ".md" {
				return err
			}
			data, err := fs.ReadFile(files, name)
			list = append(list, text{from: path.Join(dir, name), text: string(data)})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// sourceTexts returns string literals that contain a space and are therefore probably user-visible.
func sourceTexts(t *testing.T) []text {
	var list []text
	add := func(from string, e ast.Expr, message bool) {
		if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if s, err := strconv.Unquote(lit.Value); err == nil && strings.Contains(s, " ") {
				list = append(list, text{from, s, message})
			}
		}
	}
	err := filepath.WalkDir("../..", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "bench" || strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2) {
			return filepath.SkipDir
		}
		if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		from := strings.TrimPrefix(filepath.ToSlash(name), "../../")
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				add(from, n, false)
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.SelectorExpr); ok && len(n.Args) > 0 && slices.Contains([]string{"New", "Errorf", "WithFix"}, f.Sel.Name) {
					add(from, n.Args[0], true)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}
