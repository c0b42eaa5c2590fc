package audit

// definitionRules are the rules of F, T and B: the definition itself.
func definitionRules() []Rule {
	return []Rule{f01(), f02(), f04(), f05(), f06(), f07(), t01(), t02(), t03(), b01(), b02(), b03()}
}
