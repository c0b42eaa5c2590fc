package ledger

import (
	"cmp"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/vadehq/vade/internal/host"
)

// File is a regular file that belongs to a definition. Path is relative to the
// definition's directory and uses forward slashes.
type File struct {
	Path       string
	Data       []byte
	Executable bool
}

// SHA256 returns the SHA-256 of data in hexadecimal.
func SHA256(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// ComputedHash returns the computedHash that skills-lock.json records (npx skills 1.7.4). It hashes
// paths and contents, without separators, in JavaScript's localeCompare order. It detects
// accidental changes but not attacks, because different directories can have the same hash.
func ComputedHash(files []File) string {
	skip := func(f File) bool { return inDir(f.Path, ".git") || inDir(f.Path, "node_modules") }
	return digest(files, func(a, b File) int { return host.Collate(a.Path, b.Path) }, skip,
		func(f File) []byte { return append([]byte(f.Path), f.Data...) })
}

// inDir reports whether the file is in a directory with this name, at any depth.
func inDir(file, name string) bool {
	return slices.Contains(strings.Split(path.Dir(file), "/"), name)
}

// WellKnownDigest returns the wellKnownDigest that npx skills 1.7.4 records for a skill from a
// website whose index has no digest. It hashes the files in the order of their paths' UTF-16 code
// units. Each path and each file's content is followed by a zero byte.
func WellKnownDigest(files []File) string {
	order := func(a, b File) int { return slices.Compare(utf16.Encode([]rune(a.Path)), utf16.Encode([]rune(b.Path))) }
	return "sha256:" + digest(files, order, nil, func(f File) []byte { return slices.Concat([]byte(f.Path+"\x00"), f.Data, []byte{0}) })
}

// ContentDigest returns the contentDigest that toolhive.lock.yaml records. For each file, in byte
// order of the paths, it hashes the path, a zero byte, the raw SHA-256 of the content, and a
// newline.
func ContentDigest(files []File) string {
	return "sha256:" + digest(files, byPath, nil, func(f File) []byte {
		content := sha256.Sum256(f.Data)
		return slices.Concat([]byte(f.Path+"\x00"), content[:], []byte("\n"))
	})
}

// digest returns the SHA-256 of a list of files, sorted according to order. For each file, it
// hashes the result of part. It ignores the files for which skip returns true.
func digest(files []File, order func(a, b File) int, skip func(File) bool, part func(File) []byte) string {
	sum := sha256.New()
	for _, f := range sortedBy(files, order) {
		if skip == nil || !skip(f) {
			sum.Write(part(f))
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// GitTree returns the SHA-1 hash that git computes for a directory with the given files. npx skills
// records it as skillFolderHash in ~/.agents/.skill-lock.json for skills from GitHub, and gh
// records it as github-tree-sha.
func GitTree(files []File) string { return hex.EncodeToString(gitTree(sortedBy(files, byPath), 0)) }

// gitTree returns the hash of the directory that contains all of the files. prefix is the length in
// bytes of the directory's path, including the final slash.
func gitTree(files []File, prefix int) []byte {
	type entry struct {
		name, mode string
		sum        []byte
	}
	var entries []entry
	for len(files) > 0 {
		name, _, dir := strings.Cut(files[0].Path[prefix:], "/")
		if !dir {
			mode := "100644"
			if files[0].Executable {
				mode = "100755"
			}
			entries = append(entries, entry{name, mode, gitObject("blob", files[0].Data)})
			files = files[1:]
			continue
		}
		below := files[0].Path[:prefix+len(name)+1]
		n := slices.IndexFunc(files, func(f File) bool { return !strings.HasPrefix(f.Path, below) })
		if n < 0 {
			n = len(files)
		}
		entries = append(entries, entry{name, "40000", gitTree(files[:n], len(below))})
		files = files[n:]
	}
	// git compares a directory's name as if it ended with a slash.
	key := func(e entry) string {
		if e.mode == "40000" {
			return e.name + "/"
		}
		return e.name
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(key(a), key(b)) })
	var tree []byte
	for _, e := range entries {
		tree = append(append(tree, e.mode+" "+e.name+"\x00"...), e.sum...)
	}
	return gitObject("tree", tree)
}

func gitObject(kind string, data []byte) []byte {
	sum := sha1.New()
	sum.Write([]byte(kind + " "))
	sum.Write([]byte(strconv.Itoa(len(data)) + "\x00"))
	sum.Write(data)
	return sum.Sum(nil)
}

func byPath(a, b File) int { return cmp.Compare(a.Path, b.Path) }

func sortedBy(files []File, order func(a, b File) int) []File {
	files = slices.Clone(files)
	slices.SortStableFunc(files, order)
	return files
}
