package main

import (
	"bytes"
	"debug/buildinfo"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"strings"
	"unicode/utf8"

	"golang.org/x/mod/modfile"

	"github.com/vadehq/vade/bench/build"
)

const (
	module = "github.com/vadehq/vade"
	// columns is the length above which a line counts as wide. A tab counts as four columns.
	columns = 120
	// gocyclo lists functions with a cyclomatic complexity over 20.
	gocyclo = "github.com/fzipp/gocyclo/cmd/gocyclo@v0.6.0"
)

// sourceFigures measures the code below root, excluding tests, test data and generated files.
func sourceFigures(root string) (map[string]float64, error) {
	all := map[string]float64{"source/lines above 120 columns": 0}
	sources, modules, err := read(os.DirFS(root))
	if err != nil {
		return nil, err
	}
	for _, mod := range modules {
		group := "modules/" + mod.Module.Mod.Path + "/"
		for _, r := range mod.Require {
			all[group+"requires"]++
			if !r.Indirect {
				all[group+"requires directly"]++
			}
		}
	}
	for name, src := range sources {
		file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		if ast.IsGenerated(file) {
			continue
		}
		dir := path.Dir(name)
		in := dir
		for in != "." && modules[in] == nil {
			in = path.Dir(in)
		}
		lines, wide := countLines(src)
		all["source/lines above 120 columns"] += float64(wide)
		for _, group := range []string{"modules/" + modules[in].Module.Mod.Path, "packages/" + dir} {
			all[group+"/lines"] += float64(lines)
			all[group+"/tokens"] += float64(countTokens(src))
		}
	}
	if all["exported/./go doc lines"], err = outputLines(root, "go", "doc", "-short", "."); err != nil {
		return nil, err
	}
	all["source/functions above complexity 20"], err = outputLines(root, "go", "run", gocyclo, "-over", "20", "-ignore", `_test\.go$`, ".")
	return all, err
}

// read returns the Go files, keyed by file name, and the modules, keyed by directory.
func read(tree fs.FS) (map[string][]byte, map[string]*modfile.File, error) {
	sources, modules := map[string][]byte{}, map[string]*modfile.File{}
	return sources, modules, fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		base := path.Base(name)
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if name != "." && (strings.ContainsAny(base[:1], "._") || base == "testdata" || base == "node_modules") {
				return fs.SkipDir
			}
		case base == "go.mod":
			data, err := fs.ReadFile(tree, name)
			if err != nil {
				return err
			}
			modules[path.Dir(name)], err = modfile.ParseLax(name, data, nil)
			return err
		case strings.HasSuffix(base, ".go") && !strings.HasSuffix(base, "_test.go"):
			sources[name], err = fs.ReadFile(tree, name)
			return err
		}
		return nil
	})
}

// outputLines returns the number of lines that a command prints. It accepts a nonzero exit code if
// there is output, because gocyclo returns one if it finds functions.
func outputLines(dir, name string, args ...string) (float64, error) {
	cmd := exec.Command(name, args...)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stderr = dir, &stderr
	out, err := cmd.Output()
	if err != nil && len(out) == 0 {
		return 0, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, &stderr)
	}
	return float64(bytes.Count(out, []byte("\n"))), nil
}

// countLines returns the number of lines in a file, and the number of lines wider than columns.
func countLines(src []byte) (lines, wide int) {
	for line := range bytes.Lines(src) {
		lines++
		if utf8.RuneCount(bytes.TrimRight(line, "\r\n"))+3*bytes.Count(line, []byte("\t")) > columns {
			wide++
		}
	}
	return lines, wide
}

// countTokens returns the number of tokens in a file, excluding comments and
// automatically inserted semicolons.
func countTokens(src []byte) int {
	var s scanner.Scanner
	files := token.NewFileSet()
	s.Init(files.AddFile("", files.Base(), len(src)), src, nil, 0)
	count := 0
	for {
		switch _, tok, text := s.Scan(); {
		case tok == token.EOF:
			return count
		case tok != token.SEMICOLON || text == ";":
			count++
		}
	}
}

// binaryFigures builds the program with [build.Program] and measures it.
func binaryFigures(root string) (map[string]float64, error) {
	dir, err := os.MkdirTemp("", "vade-baseline-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	program, err := build.Program(root, dir, "./cmd/vade")
	if err != nil {
		return nil, err
	}
	stat, err := os.Stat(program)
	info, infoErr := buildinfo.ReadFile(program)
	if err := errors.Join(err, infoErr); err != nil {
		return nil, err
	}
	return map[string]float64{"binary/bytes": float64(stat.Size()), "binary/modules": float64(len(info.Deps))}, nil
}
