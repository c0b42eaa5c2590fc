package sandbox

import (
	"bytes"
	"debug/elf"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxHead is the number of bytes read from a binary to find its dependencies.
const maxHead = 64 << 10

// needs returns the files that the command must be able to read and execute, in addition to those
// listed in the Spec.
func (s *Spec) needs() (reads, runs []string) {
	reads, runs = needsOf(s.Path)
	for _, path := range s.Exec {
		n, r := needsOf(path)
		reads, runs = append(reads, n...), append(runs, r...)
	}
	return reads, runs
}

// needsOf returns the files that a binary must read and execute to start. They are the binary
// itself, its loader, the interpreters in its #! line, and the libraries installed with it. An
// unreadable file is not an error here, because executing it reports the error.
func needsOf(path string) (reads, runs []string) {
	for range 8 {
		if path == "" || slices.Contains(runs, path) {
			break
		}
		runs = append(runs, path)
		reads = append(reads, installedWith(path)...)
		head, err := readHead(path)
		if err != nil {
			break
		}
		if loader := elfLoader(path); loader != "" {
			runs = append(runs, loader)
			break
		}
		next, named := interpreter(head)
		if named != "" {
			// env searches PATH itself, so allow it to execute only a trusted program.
			runs = append(runs, next)
			next, _ = Find(named, Search{System: true})
			if loader := elfLoader(runs[len(runs)-1]); loader != "" {
				runs = append(runs, loader)
			}
		}
		path = next
	}
	return reads, runs
}

func readHead(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxHead))
}

// installedWith returns the directories with a binary's libraries: the lib directory next to its
// bin directory, and the node_modules directory that contains it.
func installedWith(path string) []string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	var list []string
	dir := filepath.Dir(path)
	if filepath.Base(dir) == "bin" {
		if lib := filepath.Join(filepath.Dir(dir), "lib"); lib != "/lib" {
			list = append(list, lib)
		}
	}
	if before, _, ok := strings.Cut(path, "/node_modules/"); ok {
		list = append(list, before+"/node_modules")
	}
	return list
}

// interpreter parses a #! line. path is the interpreter. If it is env, named is the program that
// env should run.
func interpreter(head []byte) (path, named string) {
	line, ok := bytes.CutPrefix(head, []byte("#!"))
	if !ok {
		return "", ""
	}
	line, _, _ = bytes.Cut(line, []byte("\n"))
	words := strings.Fields(string(line))
	if len(words) == 0 || !filepath.IsAbs(words[0]) {
		return "", ""
	}
	if filepath.Base(words[0]) != "env" {
		return words[0], ""
	}
	for _, w := range words[1:] {
		if !strings.HasPrefix(w, "-") && !strings.Contains(w, "=") {
			return words[0], w
		}
	}
	return words[0], ""
}

// elfLoader returns the loader of an ELF file, or "".
func elfLoader(path string) string {
	f, err := elf.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type != elf.PT_INTERP {
			continue
		}
		text, _ := io.ReadAll(io.LimitReader(p.Open(), maxHead))
		if loader := string(bytes.TrimRight(text, "\x00")); filepath.IsAbs(loader) {
			return loader
		}
	}
	return ""
}
