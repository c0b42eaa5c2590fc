package sandbox

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxHead is the number of bytes of a binary that are read to find its dependencies.
const maxHead = 64 << 10

// needs returns the files that the command must read and execute in addition to those that the
// Spec grants.
func (s *Spec) needs() (reads, runs []string) {
	reads, runs = needsOf(s.Path)
	for _, path := range s.Exec {
		n, r := needsOf(path)
		reads, runs = append(reads, n...), append(runs, r...)
	}
	return reads, runs
}

// needsOf returns the files that a binary must read and execute to start: itself, its loader, the
// interpreters of its #! line, and the libraries installed with it. It returns none for an
// unreadable file, because executing that file reports the error.
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
		if loader := elfLoader(head); loader != "" {
			runs = append(runs, loader)
			break
		}
		next, named := interpreter(head)
		if named != "" {
			// env searches PATH itself. Only a trusted program is allowed.
			runs = append(runs, next)
			next, _ = Find(named, Search{System: true})
			if loader := loaderOf(runs[len(runs)-1]); loader != "" {
				runs = append(runs, loader)
			}
		}
		path = next
	}
	return reads, runs
}

func loaderOf(path string) string {
	head, err := readHead(path)
	if err != nil {
		return ""
	}
	return elfLoader(head)
}

func readHead(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxHead))
}

// installedWith returns the libraries that are installed with a binary: the lib directory next to
// its bin directory, and the node_modules that contains it.
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

// interpreter parses a #! line. named is the program that env should run.
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

// elfLoader returns the loader of a 64-bit ELF file, or "" if there is none.
func elfLoader(head []byte) string {
	const headerSize, entrySize, interp = 64, 56, 3
	if len(head) < headerSize || string(head[:5]) != "\x7fELF\x02" {
		return ""
	}
	var request binary.ByteOrder = binary.LittleEndian
	if head[5] == 2 {
		request = binary.BigEndian
	}
	at, count := request.Uint64(head[32:]), int(request.Uint16(head[56:]))
	if request.Uint16(head[54:]) != entrySize {
		return ""
	}
	for range count {
		if at > uint64(len(head)) || uint64(len(head))-at < entrySize {
			return ""
		}
		entry := head[at:]
		if request.Uint32(entry) == interp {
			return cString(head, request.Uint64(entry[8:]), request.Uint64(entry[32:]))
		}
		at += entrySize
	}
	return ""
}

func cString(b []byte, at, size uint64) string {
	if at > uint64(len(b)) || size > uint64(len(b))-at {
		return ""
	}
	text, _, _ := bytes.Cut(b[at:at+size], []byte{0})
	if !filepath.IsAbs(string(text)) {
		return ""
	}
	return string(text)
}
