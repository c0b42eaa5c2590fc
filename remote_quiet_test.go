package vade_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
)

// TestRemoteRevealsNothingBeforeApproval checks that no answer contains a server's text about its
// definitions before they are approved, or after a change that revokes the approval. Such text
// includes descriptions and any names that were not requested.
func TestRemoteRevealsNothingBeforeApproval(t *testing.T) {
	f, o, _ := farWorld(t)
	look := func(when string, want bool) {
		t.Helper()
		c := openFar(t, o)
		_, err := c.Load(t.Context(), "mcp:far/refund")
		var e *definition.Error
		if !errors.As(err, &e) {
			t.Fatalf("%s: %v", when, err)
		}
		if slices.Contains(e.Available, "mcp:far/refunds") != want || strings.Contains(e.Fix, "mcp:far/refunds") != want {
			t.Errorf("%s: available %q, fix %q", when, e.Available, e.Fix)
		}
		list, err := c.List(t.Context(), catalog.Query{All: true, Layers: []definition.Layer{catalog.MCP}})
		if err != nil || len(list) != 1 {
			t.Fatalf("%s: %d definitions, %v", when, len(list), err)
		}
		if (list[0].Description() == "How refunds work") != want {
			t.Errorf("%s: the description is %q", when, list[0].Description())
		}
		if _, err = c.Load(t.Context(), "mcp:far/refunds"); !want && (!errors.As(err, &e) || strings.Contains(strings.Join(e.SearchedPaths, " "), "skill:")) {
			t.Errorf("%s: %v", when, err)
		}
	}
	look("before the consent", false)
	trustFar(t, o)
	look("after it", true)
	f.policy.Store("60 days\n")
	look("after a change", false)
}

// TestApprovalDigest checks that the displayed digest changes exactly when the server's content
// changes.
func TestApprovalDigest(t *testing.T) {
	f, o, _ := farWorld(t)
	digest := func() string {
		t.Helper()
		list, err := openFar(t, o).RemoteApprovals(t.Context(), "mcp:far")
		if err != nil || len(list) != 1 {
			t.Fatalf("%v, %v", list, err)
		}
		if catalog.ApprovalDigest(list) == catalog.ApprovalDigest(append(list, list[0])) {
			t.Error("one and two have one digest")
		}
		return catalog.ApprovalDigest(list)
	}
	first := digest()
	if len(first) != len("sha256:")+64 || digest() != first {
		t.Errorf("%q, %q", first, digest())
	}
	f.policy.Store("60 days\n")
	if digest() == first {
		t.Error("a change has the same digest")
	}
}
