package ledger

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/vfs"
)

// ErrVersion is returned for a ledger whose version this program does not know. Such a ledger must
// not be treated as empty, because the next write would lose its records.
var ErrVersion = errors.New("unknown version")

// Claim describes a definition as recorded in another installer's ledger.
type Claim struct {
	// Installer is the name of the program that installed the definition. Ledger is the path of its
	// ledger or, for provenance metadata, of the file that contains the metadata.
	Installer string `json:"installer"`
	Ledger    string `json:"ledger"`
	Name      string `json:"name"`
	Source    string `json:"source,omitempty"`
	// Version is the commit, ref, version or digest that the ledger records.
	Version string `json:"version,omitempty"`
	// Signer is the identity that the ledger names. Vade does not verify it.
	Signer string `json:"signer,omitempty"`
	// Files maps the paths of the definition's files to digests, as computed by [FileSHA256]. It is
	// nil if the ledger does not list files.
	Files map[string]string `json:"-"`
	// Matches reports whether files have the digest that the ledger records for the skill. It is
	// nil if the ledger has no usable digest.
	Matches func(files []File) bool `json:"-"`
}

// Has reports whether the claim is for the definition with the given name and path. If the ledger
// lists files, Has compares the path. Otherwise, it compares the name.
func (c *Claim) Has(name, at string) bool {
	if c.Files == nil {
		return c.Name == name
	}
	for p := range c.Files {
		if p == at || strings.HasPrefix(p, at+"/") {
			return true
		}
	}
	return false
}

// Claims returns the claims in a project's ToolHive and APM ledgers. A ledger with an unknown
// version is an error that wraps [ErrVersion].
func Claims(tree *vfs.Tree) (list []Claim, err error) {
	for _, l := range []struct {
		path  string
		parse func([]byte) ([]Claim, error)
	}{{ToolHivePath, toolHive}, {"apm.lock.yaml", apm}} {
		data, err := tree.ReadFile(l.path, maxBytes)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var found []Claim
		if err == nil {
			found, err = l.parse(data)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.path, vfs.WithoutPath(err))
		}
		for i := range found {
			found[i].Ledger = l.path
		}
		list = append(list, found...)
	}
	return list, nil
}

// Claims returns a claim for each skill in the ledger.
func (s *Skills) Claims() (list []Claim) {
	for _, name := range s.Names() {
		e, ok := s.Get(name)
		if !ok {
			continue
		}
		c := Claim{Installer: "npx skills", Ledger: s.Path, Name: name, Source: e.Source, Version: cmp.Or(e.PinnedRef, e.Ref)}
		switch want := cmp.Or(e.ComputedHash, e.FolderHash); {
		case want == "":
		case len(want) == gitHash:
			// gh adds provenance metadata to SKILL.md, but records the digest of the tree without
			// that metadata.
			c.Matches = func(files []File) bool { return GitTree(files) == want || ProvenanceOf(files).TreeSHA == want }
		default:
			c.Matches = func(files []File) bool { return ComputedHash(files) == want }
		}
		list = append(list, c)
	}
	return list
}

// gitHash is the length of a hexadecimal SHA-1 hash.
const gitHash = 40

// ToolHivePath is the path of ToolHive's ledger, relative to the project root.
const ToolHivePath = "toolhive.lock.yaml"

// toolHive parses toolhive.lock.yaml, version 1.
func toolHive(data []byte) (list []Claim, err error) {
	type entry struct {
		Name, Source, Digest string
		Reference            string `yaml:"resolvedReference"`
		ContentDigest        string `yaml:"contentDigest"`
		Provenance           struct {
			Signer string `yaml:"signerIdentity"`
		}
	}
	var file struct {
		Version         int
		Skills, Plugins []entry
	}
	if err := frontmatter.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("cannot be parsed: %w", err)
	}
	// ToolHive accepts a file without a version.
	if file.Version > 1 || file.Version < 0 {
		return nil, fmt.Errorf("%w %d; this version of Vade reads 1", ErrVersion, file.Version)
	}
	for i, e := range append(file.Skills, file.Plugins...) {
		c := Claim{Installer: "ToolHive", Name: e.Name, Source: e.Source, Version: e.Digest, Signer: e.Provenance.Signer}
		if i < len(file.Skills) && e.ContentDigest != "" {
			c.Matches = func(files []File) bool { return ContentDigest(files) == e.ContentDigest }
		}
		list = append(list, c)
	}
	return list, nil
}

// Signer returns the identity that toolhive.lock.yaml in a skill's source names for the skill, or
// "" if there is none.
func Signer(files []File, name string) string {
	i := slices.IndexFunc(files, func(f File) bool { return f.Path == ToolHivePath })
	if i < 0 {
		return ""
	}
	list, _ := toolHive(files[i].Data)
	for _, c := range list {
		if c.Name == name {
			return c.Signer
		}
	}
	return ""
}

// apm parses apm.lock.yaml, version 1 or 2.
func apm(data []byte) (list []Claim, err error) {
	var file struct {
		Version      string `yaml:"lockfile_version"`
		Dependencies []struct {
			Name        string
			URL         string            `yaml:"repo_url"`
			VirtualPath string            `yaml:"virtual_path"`
			LocalPath   string            `yaml:"local_path"`
			Commit      string            `yaml:"resolved_commit"`
			Version     string            `yaml:"version"`
			Files       []string          `yaml:"deployed_files"`
			Hashes      map[string]string `yaml:"deployed_file_hashes"`
		}
	}
	if err := frontmatter.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("cannot be parsed: %w", err)
	}
	if file.Version != "1" && file.Version != "2" {
		return nil, fmt.Errorf("%w %q; this version of Vade reads 1 and 2", ErrVersion, file.Version)
	}
	for _, d := range file.Dependencies {
		source := strings.TrimSuffix(cmp.Or(d.URL, d.LocalPath)+"/"+d.VirtualPath, "/")
		c := Claim{Installer: "APM", Name: cmp.Or(d.Name, path.Base(source)), Source: source, Version: cmp.Or(d.Commit, d.Version), Files: map[string]string{}}
		for _, f := range d.Files {
			c.Files[strings.TrimSuffix(f, "/")] = ""
		}
		for f, hash := range d.Hashes {
			if algorithm, sum, ok := strings.Cut(hash, ":"); !ok {
				c.Files[f] = hash
			} else if algorithm == "sha256" {
				c.Files[f] = sum
			}
		}
		list = append(list, c)
	}
	return list, nil
}

// FileSHA256 returns the digest that apm.lock.yaml records in deployed_file_hashes. It is the
// file's SHA-256; in text files, CR LF is replaced by LF first.
func FileSHA256(data []byte) string {
	if utf8.Valid(data) && bytes.IndexByte(data, 0) < 0 {
		data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	}
	return SHA256(data)
}

// Provenance is the metadata that gh skill writes into an installed SKILL.md.
type Provenance struct{ Repo, Ref, TreeSHA, LocalPath string }

// provenanceLine matches the metadata lines that gh skill writes. Removing these lines may not
// restore the original frontmatter, because gh skill re-encodes all of it.
const provenanceLine = `(?m)^[ \t]+(?:github-(?:repo|ref|tree-sha|path|pinned)|local-path):.*\n`

// ProvenanceOf returns an installed skill's provenance. It returns the zero value if the skill has
// none.
func ProvenanceOf(files []File) (p Provenance) {
	i := slices.IndexFunc(files, func(f File) bool { return f.Path == "SKILL.md" })
	if i < 0 || !bytes.Contains(files[i].Data, []byte("github-repo:")) && !bytes.Contains(files[i].Data, []byte("local-path:")) {
		return p
	}
	doc, _ := frontmatter.Parse(diag.NewFile("", files[i].Data), false, registry.Neutral().Dialect)
	for _, e := range doc.Entries {
		if e.Key != "metadata" {
			continue
		}
		for key, to := range map[string]*string{"github-repo": &p.Repo, "github-ref": &p.Ref, "github-tree-sha": &p.TreeSHA, "local-path": &p.LocalPath} {
			*to, _ = frontmatter.Text(e.Value.Pair(key))
		}
	}
	return p
}

// WithoutProvenance returns a skill's files without the metadata that gh skill
// adds, so copies can be compared.
func WithoutProvenance(files []File) []File {
	files = slices.Clone(files)
	for i := range files {
		if files[i].Path == "SKILL.md" && (ProvenanceOf(files[i:i+1]) != Provenance{}) {
			data := regexp.MustCompile(provenanceLine).ReplaceAll(files[i].Data, nil)
			files[i].Data = regexp.MustCompile(`(?m)^metadata:[ \t]*\n(---|[^ \t])`).ReplaceAll(data, []byte("$1"))
		}
	}
	return files
}
