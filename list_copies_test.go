package vade

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/materialize"
)

// TestCountCopiesAndDenied checks the counts of copies and of servers that the project's file
// denies.
func TestCountCopiesAndDenied(t *testing.T) {
	files := syncProject()
	files[".mcp.json"] = `{"mcpServers": {"a": {"command": "a"}, "b": {"command": "b"}}}`
	files["vade.yaml"] = "hosts: [claude-code, gemini]\nmcp: {deny: [b]}\n"
	o := layProject(t, files)
	mustSync(t, o, materialize.Options{})
	count := func(as string) (catalog.Counts, string) {
		t.Helper()
		o.As = as
		c, err := catalog.Open(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		found, err := c.Overview(context.Background(), catalog.Query{})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := found.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		return found.Counts, b.String()
	}
	n, text := count("")
	if n.Copies == 0 || n.Copies != n.Dropped || n.MCPServers != 2 || n.MCPHeld != 1 {
		t.Errorf("%+v", n)
	}
	if !strings.Contains(text, `"held":"vade.yaml denies b"`) || strings.Count(text, `"held":`) != 1 {
		t.Errorf("%s", text)
	}
	// A host reads its whole server file, regardless of what vade.yaml denies.
	if n, _ := count("claude-code"); n.Copies != 0 || n.MCPHeld != 0 {
		t.Errorf("%+v", n)
	}
	putFile(t, filepath.Join(o.Dir, "vade.yaml"), "hosts: [claude-code\n")
	if n, _ := count(""); n.MCPHeld != 2 {
		t.Errorf("%+v", n)
	}
}
