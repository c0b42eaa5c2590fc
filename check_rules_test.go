package vade_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/audit/scan"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/check"
	"github.com/vadehq/vade/internal/testenv"

	"github.com/vadehq/vade/diag"
)

// withoutExample lists the codes for problems that files in a test cannot reproduce.
var withoutExample = []string{"FILE_NOT_REGULAR", "FILE_UNREADABLE", "LIMIT_DEPTH", "LIMIT_DIRECTORIES", "LIMIT_FILES", "NAME_RENAMED"}

// TestRulePages builds each rule page's examples. The wrong example must produce a finding with the
// rule's code, and the right one must produce no findings.
func TestRulePages(t *testing.T) {
	t.Parallel()
	testenv.SkipUnlessSlow(t)
	codes := check.Rules()
	if len(codes) < 60 {
		t.Fatalf("only %d codes: the test is broken", len(codes))
	}
	for _, code := range codes {
		t.Run(code, func(t *testing.T) {
			page, ok := check.RulePage(code)
			if !ok {
				t.Fatalf("docs/rules/%s.md is missing", strings.ToLower(code))
			}
			if !strings.HasPrefix(page, "# "+code+"\n") {
				t.Errorf("the page of %s has another heading", code)
			}
			failing, fixed := examples(t, page, "## Failing"), examples(t, page, "## Fixed")
			if slices.Contains(withoutExample, code) {
				if len(failing.files) > 0 {
					t.Error("there is an example after all: take the code out of the list")
				}
				return
			}
			if len(failing.files) == 0 || len(fixed.files) == 0 {
				t.Fatal("there is no example")
			}
			if got := failing.codes(t); !slices.Contains(got, code) {
				t.Errorf("the failing example has %v", got)
			}
			if got := fixed.codes(t); slices.Contains(got, code) {
				t.Error("the fixed example still has it")
			}
		})
	}
	entries, err := os.ReadDir("docs/rules")
	if err != nil {
		t.Fatal(err)
	}
	// The tests in internal/audit cover the audit's pages.
	codes = append(codes, scan.Rules()...)
	for _, e := range entries {
		code := strings.ToUpper(strings.TrimSuffix(e.Name(), ".md"))
		if e.Name() != "README.md" && !slices.Contains(codes, code) {
			t.Errorf("docs/rules/%s is about a code that neither checking nor auditing reports", e.Name())
		}
	}
}

// example is a project on a rule page.
type example struct {
	hosts []string
	files []exampleFile
}

type exampleFile struct{ path, text string }

// examples reads the fenced code blocks in one section of a page.
func examples(t *testing.T, page, heading string) example {
	t.Helper()
	var e example
	_, section, ok := strings.Cut(page, "\n"+heading)
	if !ok {
		return e
	}
	title, section, _ := strings.Cut(section, "\n")
	section, _, _ = strings.Cut(section, "\n## ")
	e.hosts = []string{"all"}
	if list, ok := strings.CutPrefix(title, " for "); ok {
		e.hosts = strings.Split(list, ", ")
	}
	lines := strings.SplitAfter(section, "\n")
	for i := 0; i < len(lines); i++ {
		fence := lines[i][:len(lines[i])-len(strings.TrimLeft(lines[i], "`"))]
		if len(fence) < 3 {
			continue
		}
		_, path, _ := strings.Cut(strings.TrimSpace(strings.TrimLeft(lines[i], "`")), " ")
		var b strings.Builder
		for i++; i < len(lines) && strings.TrimRight(lines[i], "\n") != fence; i++ {
			b.WriteString(lines[i])
		}
		e.files = append(e.files, exampleFile{path, b.String()})
	}
	return e
}

// codes builds the project and returns its findings' codes.
func (e example) codes(t *testing.T) []string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "project")
	if err := os.MkdirAll(filepath.Join(dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(dir), "elsewhere.md"), []byte("elsewhere\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var links []exampleFile
	for _, f := range e.each() {
		text := expandMarks(f.text)
		if strings.HasPrefix(text, "\x00LINK ") || strings.HasPrefix(text, "\x00HARD ") {
			links = append(links, exampleFile{f.path, text})
			continue
		}
		name := filepath.Join(dir, filepath.FromSlash(f.path))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range links {
		name := filepath.Join(dir, filepath.FromSlash(f.path))
		kind, target, _ := strings.Cut(strings.Trim(f.text, "\x00\n"), " ")
		err := os.MkdirAll(filepath.Dir(name), 0o755)
		if kind == "HARD" {
			err = errors.Join(err, os.Link(filepath.Join(filepath.Dir(name), target), name))
		} else {
			err = errors.Join(err, os.Symlink(target, name))
		}
		if err != nil {
			if errors.Is(err, fs.ErrPermission) {
				t.Skip("no links here:", err)
			}
			t.Fatal(err)
		}
	}
	r, err := check.Run(context.Background(), catalog.Options{Dir: dir, Home: t.TempDir(), ManagedDir: t.TempDir()}, check.Options{Hosts: e.hosts})
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	for _, f := range r.Findings {
		codes = append(codes, string(f.Code))
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// each returns the example's files, with ranges of numbers in paths expanded.
func (e example) each() []exampleFile {
	var files []exampleFile
	for _, f := range e.files {
		_, rest, ok := strings.Cut(f.path, "‹1-")
		last, _, closed := strings.Cut(rest, "›")
		n, err := strconv.Atoi(last)
		if !ok || !closed || err != nil {
			files = append(files, f)
			continue
		}
		for i := range n {
			mark := strconv.Itoa(i + 1)
			replace := strings.NewReplacer("‹1-"+last+"›", mark)
			files = append(files, exampleFile{replace.Replace(f.path), replace.Replace(f.text)})
		}
	}
	return files
}

// expandMarks replaces the placeholders described in docs/rules/README.md.
func expandMarks(text string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "‹")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		mark, rest, _ := strings.Cut(rest, "›")
		switch word, more, _ := strings.Cut(mark, " "); word {
		case "BOM":
			b.WriteString("\ufeff")
		case "CR":
			b.WriteByte('\r')
		case "TAB":
			b.WriteByte('\t')
		case "NUL":
			b.WriteByte(0)
		case "BEL":
			b.WriteByte(7)
		case "NOEOL":
			rest = strings.TrimPrefix(rest, "\n")
		case "REPEAT":
			n, what, _ := strings.Cut(more, " ")
			times, _ := strconv.Atoi(n)
			b.WriteString(strings.Repeat(what, times))
		case "LINK", "HARD":
			return "\x00" + mark + "\x00"
		default:
			if n, err := strconv.ParseUint(word, 16, 8); err == nil {
				b.WriteByte(byte(n))
			}
		}
		text = rest
	}
}

// TestRulesOfCodes checks that package diag has each rule's code and severity.
func TestRulesOfCodes(t *testing.T) {
	for _, code := range check.Rules() {
		if s := diag.Code(code).Severity(); s > diag.Error {
			t.Errorf("%s: severity %d", code, s)
		}
	}
}
