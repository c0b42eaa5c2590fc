package signal

import "testing"

// TestVocabulary checks that each kind and tag has a meaning, and that a kind includes the tags of
// its groups.
func TestVocabulary(t *testing.T) {
	for kind, e := range Vocabulary() {
		if e.Meaning == "" {
			t.Errorf("%s: it is not said what it means", kind)
		}
		for tag, means := range e.Tags {
			if means == "" {
				t.Errorf("%s %s: it is not said what it means", kind, tag)
			}
		}
	}
	if _, ok := Vocabulary()[Run].Tags["ip"]; !ok {
		t.Error("a group is not read")
	}
}
