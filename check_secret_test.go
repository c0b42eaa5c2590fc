package vade

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/check"
)

// TestCheckHidesSecrets checks that no report format shows a possible secret in
// the lines it quotes.
func TestCheckHidesSecrets(t *testing.T) {
	const token, password = "ghp_16C7e42F292c6912E7710c838347Ae178B4a", "hunter2-is-long"
	o := layProject(t, map[string]string{
		".git/HEAD": "ref: refs/heads/main\n",
		".claude/agents/a.md": "---\nname: a\ndescription: A.\napi_key: " + password + "\n" + token + ": x\ncolor: " + token + "\neffort: " + token + "\n---\n" +
			"See [it](missing.md?k=" + token + ").\n",
		".claude/skills/b/SKILL.md": "---\nname: b\ndescription: B: it.\npassword: " + password + ": x\n---\nB.\n",
	})
	r, err := check.Run(context.Background(), o, check.Options{Hosts: []string{"all"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Findings) < 4 {
		t.Fatalf("%d findings", len(r.Findings))
	}
	var out bytes.Buffer
	lines := 0
	for i := range r.Findings {
		d := r.Findings[i].Diagnostic()
		if strings.Contains(d.Source, "‹hidden›") {
			lines++
		}
		out.WriteString(d.Source + "\n" + d.Message + "\n" + d.Fix + "\n")
	}
	fixes, err := r.Fixes(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for i := range fixes {
		out.WriteString(fixes[i].Diff())
	}
	if err := r.WriteSARIF(&out); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteGitHub(&out); err != nil {
		t.Fatal(err)
	}
	for i := range r.Findings {
		// Ignore the edit: tools need its exact text to fix the file.
		r.Findings[i].Edit = nil
	}
	if data, err := json.Marshal(r); err != nil || lines < 3 {
		t.Errorf("%v, %d lines are hidden", err, lines)
	} else {
		out.Write(data)
	}
	for _, secret := range []string{token, password} {
		if at := strings.Index(out.String(), secret); at >= 0 {
			t.Errorf("it is shown: %s", out.String()[max(0, at-200):at+60])
		}
	}
}
