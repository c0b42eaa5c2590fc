package host

import (
	"slices"
	"testing"
)

func TestPromptPolicyOf(t *testing.T) {
	for word, want := range map[string]PromptPolicy{
		"bypassPermissions": PromptsNever, "danger-full-access": PromptsNever, "never": PromptsNever, "acceptEdits": PromptsExceptEdits, "auto_edit": PromptsExceptEdits, "default": PromptsAlways, "plan": PromptsAlways, "": PromptsAlways,
		"read-only": PromptsAlways, "on-request": PromptsAlways,
	} {
		if got := PromptPolicyOf(word); got != want {
			t.Errorf("%s: %d, want %d", word, got, want)
		}
	}
}

func TestOwnCommand(t *testing.T) {
	if !slices.IsSorted(ownCommands[:]) {
		t.Error("the commands are not in order")
	}
	if !OwnCommand("permissions") || OwnCommand("review") || OwnCommand("") {
		t.Error("permissions is one, review is not")
	}
}
