package host

import (
	"slices"
	"testing"
)

func TestFreedomOf(t *testing.T) {
	for word, want := range map[string]Freedom{
		"bypassPermissions": AllFree, "danger-full-access": AllFree, "never": AllFree, "acceptEdits": EditsFree, "auto_edit": EditsFree, "default": NoFreedom, "plan": NoFreedom, "": NoFreedom,
		"read-only": NoFreedom, "on-request": NoFreedom,
	} {
		if got := FreedomOf(word); got != want {
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
