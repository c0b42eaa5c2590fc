package host

import (
	"slices"
	"testing"
)

func TestOwnCommand(t *testing.T) {
	if !slices.IsSorted(ownCommands[:]) {
		t.Error("ownCommands is not sorted")
	}
	if !OwnCommand("permissions") || OwnCommand("review") || OwnCommand("") {
		t.Error("permissions must be included, review must not")
	}
}
