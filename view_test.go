package vade_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vadehq/vade"
	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
)

// TestRenderingJSON checks that a rendering's JSON can be parsed and that its strings are
// unchanged.
func TestRenderingJSON(t *testing.T) {
	content := "a <b> \x00\u2028"
	want := definition.Rendering{
		Host: "h", Version: "1", Messages: []definition.Message{{Role: "user", Text: "<x> & \"y\"\n"}, {Role: "tool_result!", Text: ""}},
		Attached: []definition.Attachment{{Path: "/a", Tool: "Read", Input: json.RawMessage(`{"file_path":"/a"}`), Content: &content}},
		Turn:     &definition.Turn{Fork: true, Agent: "a"},
	}
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got definition.Rendering
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, wrong := range []string{`"x"`, `["user"]`, `["a","b","c"]`, `[1,2]`, `{}`} {
		if err := json.Unmarshal([]byte(wrong), &definition.Message{}); err == nil {
			t.Errorf("%s was read as a message", wrong)
		}
	}
}

// TestRenderRefuses covers empty and ambiguous requests.
func TestRenderRefuses(t *testing.T) {
	o := project()
	o.As = "claude-code"
	c, err := vade.Open(t.Context(), o)
	must(t, err)
	defer c.Close()
	for _, r := range []catalog.RenderRequest{{}, {Prompt: " \n"}, {ByModel: true}, {Prompt: "x", ByModel: true, Subagent: "a"}} {
		if out, err := c.Render(t.Context(), r); err == nil {
			t.Errorf("%+v: %+v", r, out.Messages)
		}
	}
}
