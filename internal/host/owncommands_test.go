package host

import (
	"slices"
	"testing"
)

func TestOwnCommand(t *testing.T) {
	if !slices.IsSorted(ownCommands[:]) {
		t.Error("the commands are not in order")
	}
	if !OwnCommand("permissions") || OwnCommand("review") || OwnCommand("") {
		t.Error("permissions is one, review is not")
	}
}
