package frontmatter

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vadehq/vade/diag"
)

// corpus returns the files in VADE_CORPUS_DIR's subdirectory dir that have one of the suffixes.
func corpus(t testing.TB, dir string, endings ...string) map[string][]byte {
	root := os.Getenv("VADE_CORPUS_DIR")
	if root == "" {
		t.Skip("VADE_CORPUS_DIR is not set: no corpus")
	}
	files := map[string][]byte{}
	err := filepath.WalkDir(filepath.Join(root, dir), func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || !slices.Contains(endings, filepath.Ext(path)) {
			return err
		}
		data, err := os.ReadFile(path)
		files[path] = data
		return err
	})
	if err != nil {
		t.Skip("no corpus: ", err)
	}
	return files
}

// TestCorpus counts results for real files and checks the package's guarantees.
// Run it with -v to see the counts.
func TestCorpus(t *testing.T) {
	var blocks, fastPath, clean, values, lines, beyond int
	for path, data := range corpus(t, ".", ".md", ".mdc") {
		f := diag.NewFile(path, data)
		doc, diags := Parse(f, false, neutral())
		checkSpans(t, data, doc.Entries)
		checkDiags(t, f, diags)
		if !doc.Found {
			continue
		}
		if doc.Repaired && doc.Valid {
			checkRepaired(t, f, doc, diags)
		}
		blocks++
		if checkFast(t, data[doc.Text.Start:doc.Text.End]) {
			fastPath++
		}
		has := func(c diag.Code) bool { return slices.Contains(codes(diags), c) }
		switch {
		case !doc.Valid:
			beyond++
			t.Log("beyond repair: ", strings.TrimPrefix(path, os.Getenv("VADE_CORPUS_DIR")), diags)
		case has(diag.YAMLRepairedLines):
			lines++
			t.Log("lines: ", strings.TrimPrefix(path, os.Getenv("VADE_CORPUS_DIR")))
		case has(diag.YAMLRepairedValue):
			values++
		default:
			clean++
		}
		if len(doc.Entries) == 0 && !doc.Valid {
			t.Log("nothing read: ", path)
		}
	}
	t.Logf("%d blocks: %d clean, %d with values repaired, %d with lines joined, %d not valid; %d on the fast path (%.1f %%)",
		blocks, clean, values, lines, beyond, fastPath, 100*float64(fastPath)/float64(max(blocks, 1)))
}

// TestTorture parses files chosen for their flaws. Broken YAML must be
// repaired, valid YAML must need no repair, and no file may be lost.
func TestTorture(t *testing.T) {
	files := corpus(t, "torture", ".md", ".mdc", ".json")
	var index []struct {
		File  string
		Cause *string `json:"yaml_cause"`
	}
	root := filepath.Join(os.Getenv("VADE_CORPUS_DIR"), "torture")
	if err := json.Unmarshal(files[filepath.Join(root, "INDEX.json")], &index); err != nil {
		t.Skip("no index of the torture files: ", err)
	}
	for _, x := range index {
		data, ok := files[filepath.Join(root, filepath.FromSlash(x.File))]
		if !ok {
			continue
		}
		doc, diags := Parse(diag.NewFile(x.File, data), false, neutral())
		if !doc.Valid || doc.Repaired != (x.Cause != nil) {
			t.Errorf("%s: valid %v, repaired %v: %v", x.File, doc.Valid, doc.Repaired, diags)
		}
		if doc.Found && len(doc.Entries) == 0 {
			t.Errorf("%s: no entries", x.File)
		}
	}
}

// TestCorpusTOML parses every real TOML file.
func TestCorpusTOML(t *testing.T) {
	n, bad := 0, 0
	for path, data := range corpus(t, ".", ".toml") {
		f := diag.NewFile(path, data)
		doc, diags := ParseTOML(f)
		checkSpans(t, data, doc.Entries)
		checkDiags(t, f, diags)
		n++
		if !doc.Valid {
			bad++
			t.Log(path, diags)
		}
	}
	t.Logf("%d TOML files, %d not valid", n, bad)
}
