package config

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/vfs"
)

func treeOf(t *testing.T, files map[string]string) *vfs.Tree {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := vfs.Open(dir, vfs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	return tree
}

// TestMisnamed checks that vade.yml is not read, but is reported if vade.yaml is missing.
func TestMisnamed(t *testing.T) {
	p, diags, err := Read(treeOf(t, map[string]string{"vade.yml": "hosts: [gemini]\n"}))
	if err != nil || p.Invalid || p.File != "" || len(p.Hosts) > 0 {
		t.Errorf("%+v %v", p, err)
	}
	if len(diags) != 1 || diags[0].Code != diag.ConfigInvalid || diags[0].Severity != diag.Warning || diags[0].File != "vade.yml" || diags[0].Fix != "rename it to vade.yaml" {
		t.Errorf("%+v", diags)
	}
	if p, diags, err = Read(treeOf(t, map[string]string{"vade.yml": "x\n", "vade.yaml": "hosts: [gemini]\n"})); err != nil || len(diags) > 0 || len(p.Hosts) != 1 {
		t.Errorf("%+v %v %v", p, diags, err)
	}
	if _, diags, _ := Read(treeOf(t, nil)); len(diags) > 0 {
		t.Errorf("%+v", diags)
	}
}

// TestMissing checks that listed sources must exist, except for the defaults.
func TestMissing(t *testing.T) {
	tree := treeOf(t, map[string]string{"vade.yaml": "source: [.agents/, .github/, ai]\n"})
	p, _, err := Read(tree)
	if err != nil {
		t.Fatal(err)
	}
	if list := p.Missing(tree); len(list) != 1 || list[0].Code != diag.ConfigInvalid || list[0].Line != 1 {
		t.Errorf("%+v", list)
	}
}
