package vade_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/vadehq/vade"

// outside lists the packages that may access the file system directly, through os or path/filepath,
// and why each of them needs to.
var outside = map[string]string{
	"internal/catalog":    "finds the home directory and reads the environment",
	"internal/export":     "writes the files that a user asks for",
	"internal/publish":    "writes the site that a user asks for",
	"internal/install":    "shows hosts' views of a project with files that are not written yet",
	"internal/testenv":    "reads the environment of a test run",
	"internal/vfs":        "is the only way to other people's files",
	"internal/shell":      "gives the interpreter streams that are files of the process",
	"internal/trust":      "records the user's approvals",
	"internal/auditcache": "keeps what the audit has found",
	"internal/sandbox":    "starts processes and finds programs",
	"internal/remote":     "keeps what servers sent, and hands programs their streams",
	"internal/plan":       "writes the journals of plans",
	"internal/runs":       "writes the journals of runs",
	"internal/worker":     "hands agents their streams",
	"internal/worktree":   "makes the checkouts that a user asks for",
	"internal/cli":        "has the streams of the process",
	"internal/doctor":     "looks at installed programs and at permissions",

	"internal/worker/fakeagent": "is an agent's process in tests",

	"cmd/vade": "is the process",
}

// starters lists the packages that may start processes.
var starters = []string{"internal/sandbox", "internal/remote", "internal/worktree"}

// mayServe lists the packages that may open sockets: to serve, or to query
// servers and fetch sources that the user names.
var mayServe = []string{"internal/serve", "internal/remote", "internal/source"}

// shared lists modules that several packages may import, along with those packages.
var shared = map[string][]string{
	"golang.org/x/sys": {"internal/sandbox", "internal/vfs"},
	// The packages need normalization, collation and character widths.
	"golang.org/x/text": {"internal/audit/document", "internal/host", "internal/terminal"},
	// internal/audit/command uses the parser's syntax trees, and internal/coreutils uses its glob
	// patterns.
	"mvdan.cc/sh": {"internal/audit/command", "internal/coreutils", "internal/shell"},
	// Both packages limit the number of requests in progress.
	"golang.org/x/sync": {"internal/rpc", "internal/serve"},
	// One package implements the protocol's server, and the other its client.
	"github.com/modelcontextprotocol/go-sdk": {"internal/remote", "internal/serve"},
	// Two packages define schemas for protocol results, and internal/schema cleans them up.
	"github.com/google/jsonschema-go": {"internal/rpc", "internal/schema", "internal/serve"},
}

type pkg struct {
	ImportPath string
	Imports    []string
	Standard   bool
	Module     *struct{ Path string }
	Dir        string
	GoFiles    []string
}

func packages(t *testing.T) []pkg {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,Imports,Standard,Module", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []pkg
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if name, _ := ours(p.ImportPath); !strings.HasPrefix(name, "bench/") && name != "packaging" {
			all = append(all, p)
		}
	}
}

func ours(path string) (string, bool) {
	if path == module {
		return "", true
	}
	return strings.CutPrefix(path, module+"/")
}

// layers lists the layers in docs/architecture.md, lowest first.
var layers = []string{"model", "base", "hosts", "syntax", "pipeline", "execution", "analysis", "engine", "features", "edge"}

// row describes a package listed in the table in docs/architecture.md.
type row struct {
	layer    int
	siblings []string
}

// architecture reads the table of packages, keyed by their path in the module.
func architecture(t *testing.T) map[string]row {
	t.Helper()
	text, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]row{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) != 3 || !strings.HasPrefix(cells[1], "`") {
			continue
		}
		layer := slices.Index(layers, strings.TrimPrefix(cells[0], "| "))
		if layer < 0 {
			t.Errorf("docs/architecture.md: %s is not a layer; use one of %s", cells[0], strings.Join(layers, ", "))
		}
		var siblings []string
		if list := strings.Trim(cells[2], " |"); list != "" {
			siblings = strings.Split(list, ", ")
		}
		name := strings.Trim(cells[1], "`")
		if name == "vade" {
			name = ""
		}
		rows[name] = row{layer, siblings}
	}
	return rows
}

// TestLayers compares each package's imports against the table in docs/architecture.md.
func TestLayers(t *testing.T) {
	rows := architecture(t)
	for _, p := range packages(t) {
		name, _ := ours(p.ImportPath)
		own, ok := rows[name]
		if !ok {
			t.Errorf("%s has no row in docs/architecture.md: add it to the table, in the lowest layer that fits", name)
			continue
		}
		for _, imp := range p.Imports {
			other, mine := ours(imp)
			if !mine {
				continue
			}
			switch to := rows[other]; {
			case to.layer > own.layer:
				t.Errorf("%s (%s) imports %s (%s), a higher layer: move the shared code down, or pass what is needed as a parameter", name, layers[own.layer], other, layers[to.layer])
			case to.layer == own.layer && !slices.Contains(own.siblings, strings.TrimPrefix(other, "internal/")):
				t.Errorf("%s imports %s of its own layer: move the shared code down, or name it in the last column of docs/architecture.md", name, other)
			}
		}
		for _, sibling := range own.siblings {
			if !slices.Contains(p.Imports, module+"/"+sibling) && !slices.Contains(p.Imports, module+"/internal/"+sibling) {
				t.Errorf("docs/architecture.md lets %s import %s, which it does not: delete that", name, sibling)
			}
		}
	}
}

// TestOneImporter checks that each third-party module is imported by only one package, so that it
// can be replaced in one place.
func TestOneImporter(t *testing.T) {
	importers := map[string][]string{}
	for _, p := range packages(t) {
		name, _ := ours(p.ImportPath)
		for _, imp := range p.Imports {
			if _, mine := ours(imp); mine || !strings.Contains(strings.Split(imp, "/")[0], ".") {
				continue
			}
			m := moduleOf(imp)
			if !slices.Contains(importers[m], name) {
				importers[m] = append(importers[m], name)
			}
		}
	}
	if len(importers) == 0 {
		t.Fatal("no modules found: the test is broken")
	}
	for m, names := range importers {
		if len(names) > 1 && !slices.Equal(names, shared[m]) {
			t.Errorf("%s is imported by %s", m, strings.Join(names, " and "))
		}
	}
}

func moduleOf(path string) string {
	parts := strings.Split(path, "/")
	n := 3
	if !strings.HasPrefix(path, "github.com/") && !strings.HasPrefix(path, "golang.org/") {
		n = 2
	}
	return strings.Join(parts[:min(n, len(parts))], "/")
}

func TestSystemAccessIsLimited(t *testing.T) {
	for _, p := range packages(t) {
		name, _ := ours(p.ImportPath)
		for _, imp := range p.Imports {
			switch imp {
			case "os/exec", "net", "net/http", "plugin":
				if imp != "os/exec" && slices.Contains(mayServe, name) {
					continue
				}
				if imp != "os/exec" || !slices.Contains(starters, name) {
					t.Errorf("%s imports %s: reading runs nothing and asks nobody", name, imp)
				}
			case "os", "path/filepath", "io/ioutil":
				if outside[name] == "" {
					t.Errorf("%s imports %s: files are read through internal/vfs", name, imp)
				}
			}
		}
	}
}

// TestHostNamesAreInOnePackage checks that string literals outside the host packages contain no
// host names.
func TestHostNamesAreInOnePackage(t *testing.T) {
	names := []string{"claude", "copilot", "codex", "gemini", "opencode", "cursor"}
	err := filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		path = filepath.ToSlash(path)
		if strings.HasPrefix(path, "internal/host/") || strings.HasPrefix(path, "internal/cli/") || strings.HasPrefix(path, "bench/") ||
			strings.HasPrefix(path, "internal/worker/fakeagent/") {
			return nil
		}
		for _, s := range literals(t, path) {
			for _, n := range names {
				// In MCP, a cursor is a position in a paged list.
				if n == "cursor" && slices.Contains(mayServe, filepath.ToSlash(filepath.Dir(path))) {
					continue
				}
				if strings.Contains(strings.ToLower(s), n) {
					t.Errorf("%s names a host in the string %q", path, s)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func literals(t *testing.T, path string) []string {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, lit := range basicLiterals(file) {
		if s, err := strconv.Unquote(lit); err == nil {
			list = append(list, s)
		}
	}
	return list
}

// TestDependenciesAreExplained checks that docs/dependencies.md mentions every module in go.mod.
func TestDependenciesAreExplained(t *testing.T) {
	doc, err := os.ReadFile("docs/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.Open("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	defer mod.Close()
	direct := 0
	for s := bufio.NewScanner(mod); s.Scan(); {
		line := strings.TrimSpace(strings.TrimPrefix(s.Text(), "require "))
		path, version, ok := strings.Cut(line, " v")
		if !ok || strings.Contains(version, "// indirect") {
			continue
		}
		direct++
		if !strings.Contains(string(doc), path) {
			t.Errorf("docs/dependencies.md does not mention %s", path)
		}
	}
	if direct == 0 {
		t.Fatal("no modules found: the test is broken")
	}
}

// basicLiterals returns a file's string literals, except for imports.
func basicLiterals(file *ast.File) []string {
	var list []string
	ast.Inspect(file, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.BasicLit:
			if x.Kind == token.STRING {
				list = append(list, x.Value)
			}
		}
		return true
	})
	return list
}

// TestPromisesHaveTests checks that the tests named in docs/security.md exist.
func TestPromisesHaveTests(t *testing.T) {
	doc, err := os.ReadFile("docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]bool{}
	err = filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		src, err := os.ReadFile(path)
		for line := range strings.SplitSeq(string(src), "\n") {
			if name, ok := strings.CutPrefix(line, "func "); ok {
				name, _, _ = strings.Cut(name, "(")
				tests[name] = true
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, word := range strings.Split(string(doc), "`") {
		if !strings.HasPrefix(word, "Test") && !strings.HasPrefix(word, "Fuzz") || strings.ContainsAny(word, " \n") {
			continue
		}
		named++
		if name, _, _ := strings.Cut(word, "/"); !tests[name] {
			t.Errorf("docs/security.md names %s, which there is not", name)
		}
	}
	if named < 30 {
		t.Fatalf("only %d tests are named: the test is broken", named)
	}
}

// TestNoStartupWork checks that no package variables, such as maps and compiled regular
// expressions, are computed at program start. They would slow down every command; see
// internal/lazyregexp.
func TestNoStartupWork(t *testing.T) {
	cheap := []string{"errors.New", "lazyregexp.New", "sync.OnceFunc", "sync.OnceValue", "len"}
	for _, p := range packages(t) {
		for _, name := range p.GoFiles {
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, 0)
			must(t, err)
			for _, decl := range file.Decls {
				d, ok := decl.(*ast.GenDecl)
				if !ok || d.Tok != token.VAR {
					continue
				}
				ast.Inspect(d, func(n ast.Node) bool {
					switch x := n.(type) {
					case *ast.FuncLit:
						return false
					case *ast.CallExpr:
						if f := types.ExprString(x.Fun); !slices.Contains(cheap, f) {
							t.Errorf("%s: a variable is the result of %s: use a function, lazyregexp.New or sync.OnceValue", files.Position(x.Pos()), f)
						}
					case *ast.CompositeLit:
						if _, ok := x.Type.(*ast.MapType); ok {
							t.Errorf("%s: a variable is a map, which is filled at start: use a function with a switch", files.Position(x.Pos()))
						}
					}
					return true
				})
			}
		}
	}
}
