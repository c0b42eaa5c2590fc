package shell

// SameShape reports whether text parses into the same words whether or not the bindings are
// applied. text already contains the bindings' values at their spans. If SameShape returns true,
// inserting the values without quoting them does not change the structure of the command.
func SameShape(text string, bindings []Binding) bool {
	if len(bindings) == 0 {
		return true
	}
	plain, err := Parse(text, nil)
	if err != nil {
		return false
	}
	bound, err := Parse(text, bindings)
	if err != nil || len(plain.Commands) != len(bound.Commands) || len(plain.OtherWords) != len(bound.OtherWords) ||
		len(plain.Variables) != len(bound.Variables) || len(plain.Unsupported) != len(bound.Unsupported) {
		return false
	}
	for i := range plain.Commands {
		if !sameWords(plain.Commands[i].Words, bound.Commands[i].Words) ||
			!sameWords(plain.Commands[i].Inputs, bound.Commands[i].Inputs) {
			return false
		}
	}
	return sameWords(plain.OtherWords, bound.OtherWords)
}

// sameWords reports whether two lists of words are the same. For words whose values are not known,
// sameWords compares the known parts.
func sameWords(plain, bound []Word) bool {
	if len(plain) != len(bound) {
		return false
	}
	for i := range plain {
		if plain[i].Text != bound[i].Text || plain[i].Known != bound[i].Known {
			return false
		}
	}
	return true
}
