package audit

// Rules returns all rules, in the order in which they run: those that correlate what
// others found come behind them.
func Rules() []Rule {
	var list []Rule
	for _, family := range [][]Rule{hiddenRules(), executionRules(), networkRules(), codeRules(), instructionRules(), definitionRules(), packageRules()} {
		list = append(list, family...)
	}
	return list
}
